//! Which rule decides, and what can't be a rule.

use lockgate::{CallRequest, Json, Receipt, Registry, Tool, json};
use lockgate_gateway::{
    Config, Policy, ToolOrigin,
    policy::{Action, ArgumentsDigest, Call, PolicyError, canonical_text},
};

fn decide(policy: &Json, tool: &str, arguments: &Json) -> Action {
    let (server, own) = tool.split_once("__").unwrap_or(("", tool));
    let call = Call {
        name: tool,
        server: (!server.is_empty()).then_some(server),
        server_tool: Some(own),
        arguments,
    };
    Policy::from_json(policy).unwrap().decide(&call).0
}

// The first rule that matches decides; else the default.
#[test]
fn the_first_match_wins() {
    let policy = json!({"default": "ask", "rules": [
        {"server": "files", "tool": "read_*", "action": "allow"},
        {"server": "files", "action": "deny"},
        {"tool": "read_?ub", "action": "allow"},
        {"tool": "files__*", "action": "allow"},
    ]});
    for (tool, expected) in [
        ("files__read_file", Action::Allow),
        ("files__write_file", Action::Deny),
        ("git__read_pub", Action::Allow),
        ("git__read_public", Action::Ask),
        ("read_file", Action::Ask),
        ("files", Action::Ask),
    ] {
        assert_eq!(decide(&policy, tool, &json!({})), expected, "{tool}");
    }
    assert_eq!(decide(&json!({}), "x", &json!({})), Action::Allow);
}

// Where a pattern can't tell, the stricter reading holds: allowing needs all that is looked at, denying any of it.
#[test]
fn conditions_on_arguments_fail_closed() {
    let rule = |action: &str, path: &str, patterns: Json| {
        let default = if action == "allow" { "deny" } else { "allow" };
        json!({"default": default, "rules": [{"arguments": {(path): patterns}, "action": action}]})
    };
    let (yes, no) = (true, false);
    for (path, patterns, arguments, allows, denies) in [
        ("path", json!("/tmp/*"), json!({"path": "/tmp/a"}), yes, yes),
        ("path", json!("/tmp/*"), json!({"path": "/etc/a"}), no, no),
        (
            "path",
            json!("/tmp/*"),
            json!({"path": "/tmp/../etc"}),
            no,
            yes,
        ),
        ("path", json!("/tmp/*"), json!({"path": "..\\tmp"}), no, yes),
        ("path", json!("*"), json!({"path": "/tmp/../etc"}), yes, yes),
        ("path", json!("/tmp/*"), json!({}), no, no),
        (
            "path",
            json!("/tmp/*"),
            json!({"path": {"at": "/tmp/a"}}),
            no,
            yes,
        ),
        (
            "path",
            json!("/tmp/*"),
            json!({"path": ["/tmp/a", "/tmp/b"]}),
            yes,
            yes,
        ),
        (
            "path",
            json!("/tmp/*"),
            json!({"path": ["/tmp/a", "/etc/b"]}),
            no,
            yes,
        ),
        ("path", json!("/tmp/*"), json!({"path": []}), no, no),
        (
            "path",
            json!(["/tmp/*", "/var/*"]),
            json!({"path": ["/tmp/a", "/var/b"]}),
            yes,
            yes,
        ),
        (
            "at.0.path",
            json!("a"),
            json!({"at": [{"path": "a"}, {"path": "b"}]}),
            yes,
            yes,
        ),
        (
            "at.*.path",
            json!("a"),
            json!({"at": [{"path": "a"}, {"path": "b"}]}),
            no,
            yes,
        ),
        (
            "at.*.path",
            json!("?"),
            json!({"at": [{"path": "a"}, {"path": "b"}]}),
            yes,
            yes,
        ),
        ("*", json!("a"), json!({"x": "a", "y": "a"}), yes, yes),
        (
            "/a.b/~1/0",
            json!("x"),
            json!({"a.b": {"/": ["x", "y"]}}),
            yes,
            yes,
        ),
        ("force", json!("true"), json!({"force": true}), yes, yes),
        ("count", json!("1*"), json!({"count": 12}), yes, yes),
        ("none", json!("null"), json!({"none": null}), yes, yes),
    ] {
        let allowed =
            decide(&rule("allow", path, patterns.clone()), "t", &arguments) == Action::Allow;
        assert_eq!(allowed, allows, "allow {path} {patterns} {arguments}");
        for action in ["deny", "ask"] {
            let passed =
                decide(&rule(action, path, patterns.clone()), "t", &arguments) == Action::Allow;
            assert_eq!(!passed, denies, "{action} {path} {patterns} {arguments}");
        }
    }
    // All conditions of a rule have to hold.
    let both = json!({"rules": [{"arguments": {"a": "1", "b": "2"}, "action": "deny"}]});
    assert_eq!(
        decide(&both, "t", &json!({"a": "1", "b": "2"})),
        Action::Deny
    );
    assert_eq!(
        decide(&both, "t", &json!({"a": "1", "b": "3"})),
        Action::Allow
    );
    // More values than are looked at.
    let many: Json = (0..20_000).map(|_| Json::from("/tmp/a")).collect();
    let many = json!({"path": many});
    assert_eq!(
        decide(&rule("allow", "path", json!("/tmp/*")), "t", &many),
        Action::Deny
    );
    assert_eq!(
        decide(&rule("deny", "path", json!("/etc/*")), "t", &many),
        Action::Deny
    );
}

// What is not understood is an error that says where.
#[test]
fn what_is_not_understood_is_an_error() {
    for (text, expected) in [
        ("", "can't be read"),
        ("[]", "must be an object"),
        (r#""deny""#, "must be an object"),
        (
            r#"{"rules": [["x", "y", null, "deny", null]]}"#,
            "rules[0]: it must be an object",
        ),
        (r#"{"defualt": "deny"}"#, "defualt"),
        (r#"{"default": "never"}"#, "never"),
        (r#"{"rules": {}}"#, "rules"),
        (r#"{"rules": [{"tool": "x"}]}"#, "action"),
        (
            r#"{"rules": [{"tool": "x", "action": "forbid"}]}"#,
            "forbid",
        ),
        (r#"{"rules": [{"tools": "x", "action": "deny"}]}"#, "tools"),
        (
            r#"{"rules": [{"action": "allow"}, {"tool": "", "action": "deny"}]}"#,
            "rules[1]: `tool` is empty",
        ),
        (
            r#"{"rules": [{"server": "", "action": "deny"}]}"#,
            "rules[0]: `server` is empty",
        ),
        (
            r#"{"rules": [{"arguments": {}, "action": "deny"}]}"#,
            "`arguments` must be an object",
        ),
        (
            r#"{"rules": [{"arguments": "x", "action": "deny"}]}"#,
            "`arguments` must be an object",
        ),
        (
            r#"{"rules": [{"arguments": {"a": 1}, "action": "deny"}]}"#,
            "`a` neither a pattern",
        ),
        (
            r#"{"rules": [{"arguments": {"a": []}, "action": "deny"}]}"#,
            "`a` neither a pattern",
        ),
        (
            r#"{"rules": [{"arguments": {"a..b": "x"}, "action": "deny"}]}"#,
            "the path `a..b`",
        ),
    ] {
        let error = Policy::parse(text).unwrap_err();
        assert!(error.to_string().contains(expected), "{text}: {error}");
    }
    let many: Vec<_> = (0..=10_000).map(|_| json!({"action": "deny"})).collect();
    let error = Policy::from_json(&json!({"rules": many})).unwrap_err();
    assert!(
        matches!(error, PolicyError::TooManyRules { rules: 10_001 }),
        "{error}"
    );
}

// The configuration carries a policy in one place, and does not pass over one in another.
#[test]
fn the_configuration_carries_a_policy() {
    let config = |own: &str| Config::parse(&format!(r#"{{"mcpServers": {{}}, {own}}}"#));
    let policy = config(r#""lockgate": {"policy": {"default": "deny"}}"#).unwrap();
    assert_eq!(policy.policy(), Some(&json!({"default": "deny"})));
    assert_eq!(config(r#""lockgate": {}"#).unwrap().policy(), None);
    let error = config(r#""policy": {"default": "deny"}"#)
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("put it into the object `lockgate`"),
        "{error}"
    );
    let error = config(r#""lockgate": {"polciy": {}}"#)
        .unwrap_err()
        .to_string();
    assert!(error.contains("did you mean \"policy\""), "{error}");
}

fn registry() -> Registry {
    let registry = Registry::new();
    for name in ["files__write", "other__write"] {
        let tool = Tool::builder(name, "Writes.")
            .parameters(&json!({"type": "object"}))
            .output(&json!({"type": "string"}))
            .execute(|_, _| async { Ok(json!("written")) })
            .build()
            .unwrap();
        registry.register(tool).unwrap().keep();
    }
    registry
}

fn install(registry: &Registry, policy: &Json) {
    let origin = |name: &str| {
        let (server, tool) = name.split_once("__")?;
        Some(ToolOrigin::new(server, tool))
    };
    let policy = Policy::from_json(policy).unwrap();
    policy
        .install(registry, std::sync::Arc::new(origin))
        .unwrap();
}

// SPEC E3, E4: in the pipeline a denial is final, and several policies hold together.
#[tokio::test]
async fn policies_hold_in_the_pipeline() {
    let registry = registry();
    // A gate before the policy that lets everything through.
    registry
        .on_pre_execute(|_, _| async { Ok(lockgate::Decision::Allow) })
        .unwrap()
        .keep();
    install(
        &registry,
        &json!({"rules": [{"server": "files", "tool": "write", "arguments": {"to": "secret*"}, "action": "deny",
        "reason": "secrets stay"}]}),
    );
    install(
        &registry,
        &json!({"default": "deny", "rules": [{"server": "files", "action": "allow"}]}),
    );
    for (name, arguments, receipt, text) in [
        (
            "files__write",
            json!({"to": "a"}),
            Receipt::Completed,
            "written",
        ),
        (
            "files__write",
            json!({"to": "secret.txt"}),
            Receipt::Denied,
            "Error: secrets stay",
        ),
        (
            "other__write",
            json!({}),
            Receipt::Denied,
            "Error: policy denies `other__write` with these arguments",
        ),
    ] {
        let result = registry
            .execute(CallRequest::new("1", name, arguments))
            .await;
        assert_eq!(
            (result.receipt(), result.text()),
            (receipt, text.to_owned())
        );
    }
}

// Without anybody to ask, asking is denying.
#[tokio::test]
async fn asking_without_anybody_is_denying() {
    let registry = registry();
    install(&registry, &json!({"default": "ask"}));
    let result = registry
        .execute(CallRequest::new("1", "files__write", json!({})))
        .await;
    assert_eq!(result.receipt(), Receipt::Denied);
}

// An approval is bound to name and arguments: equal values have equal digests, others have not.
#[test]
fn digests_are_of_canonical_arguments() {
    let one = json!({"b": [1, {"y": null, "x": "é\n"}], "a": 1.0});
    let same = json!({"a": 1, "b": [1, {"x": "é\n", "y": null}]});
    assert_eq!(
        canonical_text(&one),
        r#"{"a":1,"b":[1,{"x":"é\n","y":null}]}"#
    );
    assert_eq!(
        ArgumentsDigest::of("t", &one),
        ArgumentsDigest::of("t", &same)
    );
    for (name, other) in [
        ("u", same.clone()),
        ("t", json!({"a": 1})),
        ("t", json!([])),
        ("t", json!({})),
    ] {
        assert_ne!(
            ArgumentsDigest::of("t", &one),
            ArgumentsDigest::of(name, &other)
        );
    }
    // Of the text `"t"`, a line feed, `{}`.
    let known = "ec0bc00be15ea24dff668d8b13de51a1427a7ced55fcc3afecac7e4c5be6ba1c";
    assert_eq!(ArgumentsDigest::of("t", &json!({})).to_string(), known);
    let mut deep = Json::Null;
    for _ in 0..100_000 {
        let mut list = lockgate::json::Array::new();
        list.push(deep);
        deep = Json::Array(list);
    }
    assert_eq!(canonical_text(&deep).len(), 200_004);
}
