//! What is read of a configuration.

use std::time::Duration;

use super::super::{Config, ConfigError, Endpoint};

fn parse(text: &str) -> Config {
    Config::parse_with(text, &|name| {
        (name == "TOKEN").then(|| "s3cret-value".to_owned())
    })
    .unwrap()
}

#[test]
fn reads_the_shapes_that_people_have() {
    let config = parse(
        r#"{
            // as in Claude Desktop
            "mcpServers": {
                "a": {"command": "npx", "args": ["-y", "${TOKEN}", 3], "env": {"K": "${env:TOKEN}", "N": null, "P": 1}, "cwd": "/x"},
                "b": {"type": "http", "url": "https://example.org/mcp", "headers": {"Authorization": "Bearer ${TOKEN}"}},
                "c": {"command": "x", "disabled": true},
                "d": {"url": "http://localhost:1/mcp", "lockgate": {"allow": ["read_*"], "deny": ["read_secret"], "callTimeoutMs": 5, "learnTypes": true}},
            },
            "lockgate": {"startTimeoutMs": 7, "callTimeoutMs": 8},
        }"#,
    );
    assert_eq!(config.warnings(), [""; 0]);
    let [a, b, c, d] = config.servers() else {
        panic!()
    };
    let Endpoint::Stdio(stdio) = &a.endpoint else {
        panic!()
    };
    assert_eq!(stdio.command.reveal(), "npx");
    let args: Vec<&str> = stdio.args.iter().map(|arg| arg.reveal()).collect();
    assert_eq!(args, ["-y", "s3cret-value", "3"]);
    let env: Vec<(&str, &str)> = stdio
        .env
        .iter()
        .map(|(k, v)| (k.as_str(), v.reveal()))
        .collect();
    assert_eq!(env, [("K", "s3cret-value"), ("P", "1")]);
    let Endpoint::Http(http) = &b.endpoint else {
        panic!()
    };
    assert_eq!(http.headers[0].1.reveal(), "Bearer s3cret-value");
    assert!(a.is_enabled() && !c.is_enabled());
    assert_eq!(
        (a.call_timeout, d.call_timeout),
        (Duration::from_millis(8), Duration::from_millis(5))
    );
    assert_eq!(a.start_timeout, Duration::from_millis(7));
    assert!(d.filter.lets("read_file") && !d.filter.lets("read_secret") && !d.filter.lets("write"));
    assert!(d.learn_types && !a.learn_types);

    let vscode = parse(r#"{"servers": {"a": {"type": "stdio", "command": "x"}}, "inputs": []}"#);
    assert_eq!(vscode.servers()[0].transport(), "stdio");
    assert_eq!(
        vscode.warnings(),
        [
            "the key \"inputs\" is ignored; `${input:…}` is not supported, use `${NAME}` and the environment"
        ]
    );
}

#[test]
fn a_bad_server_says_so_and_leaves_the_others() {
    for (server, fault) in [
        ("1", "expected an object, found number"),
        ("{}", "neither `command` nor `url`"),
        (
            r#"{"command": "x", "url": "http://x"}"#,
            "both `command` and `url`",
        ),
        (r#"{"command": ""}"#, "`command` is empty"),
        (r#"{"command": "x", "args": "y"}"#, "`args` must be a list"),
        (
            r#"{"command": "x", "args": [{}]}"#,
            "`args[0]` must be a string, found object",
        ),
        (
            r#"{"command": "x", "env": {"A=B": "c"}}"#,
            "`env` has a name that is not one",
        ),
        (
            r#"{"command": "x", "env": {"A": "${MISSING}"}}"#,
            "`env.A`: the environment variable MISSING is not set",
        ),
        (r#"{"url": "ftp://x"}"#, "must begin with http://"),
        (r#"{"type": "sse", "url": "http://x"}"#, "old SSE transport"),
        (r#"{"type": "http", "command": "x"}"#, "`type` is \"http\""),
        (
            r#"{"command": "x", "lockgate": {"callTimeoutMs": 0}}"#,
            "positive whole number",
        ),
        (
            r#"{"command": "x", "lockgate": {"allow": []}}"#,
            "no tool would be let through",
        ),
        (
            r#"{"command": "x", "lockgate": {"deny": [1]}}"#,
            "must be a list of tool names",
        ),
    ] {
        let config = parse(&format!(
            r#"{{"mcpServers": {{"bad": {server}, "good": {{"command": "y"}}}}}}"#
        ));
        let got = config.servers()[0].fault.as_deref().unwrap_or_default();
        assert!(got.contains(fault), "{server}: {got}");
        assert_eq!(config.servers()[1].fault, None);
    }
}

#[test]
fn unknown_keys_are_told() {
    let config = parse(
        r#"{"mcpServers": {"a": {"command": "x", "arg": [], "timeout": 3, "lockgate": {"alow": ["x"]}}}, "lockgat": {}}"#,
    );
    assert_eq!(config.warnings().len(), 4, "{:?}", config.warnings());
    assert!(config.warnings()[0].contains("did you mean \"lockgate\"?"));
    assert!(
        config.warnings()[1]
            .contains("server `a`: the key \"arg\" is ignored; did you mean \"args\"")
    );
    assert!(config.warnings()[2].contains("lockgate.callTimeoutMs"));
    assert!(config.warnings()[3].contains("did you mean \"allow\""));
}

#[test]
fn what_is_no_configuration_is_refused() {
    for (text, kind, part) in [
        ("{", "json", "the configuration is not JSON"),
        ("[]", "shape", "expected an object, found array"),
        ("{}", "shape", "neither `mcpServers` nor `servers`"),
        (
            r#"{"mcpServers": []}"#,
            "shape",
            "a server per name, found array",
        ),
    ] {
        let error = Config::parse(text).unwrap_err();
        let got = match &error {
            ConfigError::NotJson { .. } => "json",
            ConfigError::Shape { .. } => "shape",
            _ => "other",
        };
        assert_eq!(got, kind);
        assert!(error.to_string().contains(part), "{error}");
    }
    assert!(matches!(
        Config::load("/nowhere/mcp.json"),
        Err(ConfigError::Unreadable { .. })
    ));
}

#[test]
fn debug_shows_no_value() {
    let config = parse(
        r#"{"mcpServers": {"a": {"command": "x", "args": ["--token", "${TOKEN}"], "env": {"K": "${TOKEN}"}},
            "b": {"url": "https://u:${TOKEN}@x/y", "headers": {"H": "${TOKEN}"}}}}"#,
    );
    let shown = format!("{config:?} {:?}", config.redactor());
    assert!(!shown.contains("s3cret"), "{shown}");
}
