//! Servers that flood, lie, hang, leak and name their tools badly: bounded, told, and never at the cost of others.

use std::time::{Duration, Instant};

use lockgate::{Json, Registry, json};
use lockgate_gateway::{ServerState, upstream::limits};

use crate::{
    hostile_server::{entry, entry_with},
    support::Rig,
};

#[tokio::test(flavor = "multi_thread")]
async fn hostile_names_and_schemas_leave_the_good_tools() {
    let rig = Rig::new(&json!({"bad": (entry("names"))})).await;
    let names: Vec<String> = rig.names().iter().map(|name| name.to_string()).collect();
    assert_eq!(
        names,
        [
            "__proto__",
            "array_schema",
            "bad__$search",
            "bad__run_code",
            "bad_output",
            "big_schema",
            "constructor",
            "deep",
            "fine",
            "hidden",
            "long",
            "no_schema",
            "odd_output",
            "schemaless",
            "twice",
        ]
    );
    let problems = rig.status("bad").problems;
    for part in [
        "has 10000 bytes (limit MAX_NAME_BYTES: 128)",
        "\"ctrl\" is left out: its name holds control or invisible characters",
        "\"bidi\" is left out",
        "is left out: its name is empty",
        "a tool without a name is left out",
        "\"twice\" is listed twice; the first is used",
        "the description of \"long\" has 30000 bytes (limit MAX_DESCRIPTION_BYTES: 16384); it is cut",
        "the description of \"hidden\" holds control or invisible characters",
        "the input schema of \"no_schema\" is no object but number",
        "\"schemaless\" has no `inputSchema`",
        "the input schema of \"big_schema\" has 300",
        "the input schema of \"array_schema\" has the type \"array\"",
        "the output schema of \"bad_output\" is no object but number",
    ] {
        assert!(
            problems.iter().any(|problem| problem.contains(part)),
            "{part}: {problems:#?}"
        );
    }
    let notes = rig.status("bad").notes;
    for part in [
        "its tool \"run_code\" is called \"bad__run_code\"",
        "the output schema of \"odd_output\" is enforced in part: a type that JSON has not is not checked",
    ] {
        assert!(
            notes.iter().any(|note| note.contains(part)),
            "{part}: {notes:#?}"
        );
    }
    assert!(
        problems.iter().all(|problem| problem.len() < 400),
        "{problems:#?}"
    );
    assert_eq!(
        &**rig.registry.get("twice").unwrap().description(),
        "the first"
    );
    assert_eq!(&**rig.registry.get("hidden").unwrap().description(), "abc");
    // The SDK text takes them all.
    let text = rig
        .registry
        .sdk_text(lockgate::code_runtime::CodeLanguage::TypeScript);
    assert!(
        text.contains("A fine tool.") && text.len() < 40_000,
        "{}",
        text.len()
    );
    rig.upstream.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn endless_lists_end() {
    let rig = Rig::new(&json!({
        "pages": (entry("endless pages")),
        "loop": (entry("page loop")),
        "wide": (entry("wide")),
        "none": (entry("no list")),
    }))
    .await;
    for (server, tools, part) in [
        (
            "pages",
            limits::MAX_PAGES,
            "after 200 pages (limit MAX_PAGES)",
        ),
        ("loop", 2, "comes back to a page"),
        (
            "wide",
            limits::MAX_TOOLS,
            "2000 tools or more (limit MAX_TOOLS)",
        ),
        ("none", 0, "has no list `tools`"),
    ] {
        let status = rig.status(server);
        assert_eq!(status.state, ServerState::Ready, "{server}");
        assert_eq!(status.tools.len(), tools, "{server}");
        assert!(
            status.problems.iter().any(|problem| problem.contains(part)),
            "{server}: {:?}",
            status.problems
        );
    }
    rig.upstream.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn servers_that_do_not_start_say_why_and_leave_the_others() {
    let secret = "postgres://me:hunter2hunter2@db/x";
    let own = json!({"startTimeoutMs": 3000});
    let rig = Rig::new(&json!({
        "exit": (entry_with("exit", &json!({"DB_URL": secret}), &json!({}))),
        "mute": (entry_with("mute", &json!({}), &own)),
        "refuse": (entry("refuse")),
        "flood": (entry("flood")),
        "line": (entry("endless line")),
        "missing": {"command": "no-such-program-anywhere"},
        "folder": {"command": "true", "cwd": "/no/such/folder"},
        "unset": {"command": "true", "env": {"A": "${NO_SUCH_VARIABLE_HERE}"}},
        "web": {"url": "http://127.0.0.1:9/mcp"},
        "off": {"command": "true", "disabled": true},
        "good": (entry("tools")),
    }))
    .await;
    for (server, part) in [
        ("exit", "its process ended with code 3; it printed: "),
        (
            "mute",
            "it did not start within 3000 ms (`lockgate.startTimeoutMs`)",
        ),
        ("refuse", "it refused `initialize`: not today (code -32000)"),
        (
            "line",
            "a message that does not end (limit MAX_MESSAGE_BYTES: 16777216)",
        ),
        (
            "missing",
            "the command no-such-program-anywhere is not found",
        ),
        ("folder", "its `cwd` /no/such/folder is no folder"),
        (
            "web",
            "error sending request for url (http://127.0.0.1:9/mcp)",
        ),
    ] {
        let reason = rig.down(server).await;
        assert!(reason.contains(part), "{server}: {reason}");
        assert!(!reason.contains("hunter2"), "{server}: {reason}");
    }
    assert!(
        rig.down("exit")
            .await
            .contains("no database at [redacted DB_URL]")
    );
    rig.until("the flood is stopped", |rig| {
        matches!(&rig.status("flood").state, ServerState::Down { reason, .. } if reason.contains("it floods: more than 5000 messages"))
    })
    .await;
    assert!(
        matches!(rig.status("unset").state, ServerState::Unusable { reason } if reason.contains("NO_SUCH_VARIABLE_HERE is not set"))
    );
    assert_eq!(rig.status("off").state, ServerState::Disabled);
    assert_eq!(rig.value("echo", json!({"a": 1})).await, json!("{\"a\":1}"));
    rig.upstream.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn bad_answers_cost_their_own_call() {
    let own = json!({"callTimeoutMs": 2000});
    let rig = Rig::new(&json!({"bad": (entry_with("tools", &json!({}), &own))})).await;
    let error = rig.error("huge", json!({})).await;
    assert!(
        error.contains("(limit MAX_MESSAGE_BYTES: 16777216); ask for less"),
        "{error}"
    );
    assert_eq!(rig.value("garbage", json!({})).await, json!("still here"));
    assert_eq!(rig.value("twice", json!({})).await, json!("first"));
    for lost in ["lose", "wrong_id"] {
        let result = rig.call(lost, json!({})).await;
        assert_eq!(
            result.error().unwrap().code(),
            Some(lockgate::ErrorCode::ToolTimeout),
            "{lost}"
        );
        assert!(
            result
                .text()
                .contains("within 2000 ms (`lockgate.callTimeoutMs`)"),
            "{}",
            result.text()
        );
    }
    // Not one of these cost the connection.
    assert_eq!(rig.status("bad").starts, 1);
    let error = rig.error("flood", json!({})).await;
    assert!(
        error.contains("was lost while \"flood\" ran, which may have had effects: it floods"),
        "{error}"
    );
    assert_eq!(rig.value("echo", json!({})).await, json!("{}"));
    assert_eq!(rig.status("bad").starts, 2);
    rig.upstream.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn secrets_stay_out_of_results_errors_and_status() {
    let token = "tok-5ecr3t-5ecr3t";
    let rig = Rig::new(&json!({"bad": (entry_with("tools", &json!({"API_TOKEN": token, "LEVEL": "debug"}), &json!({})))})).await;
    let environment = rig.value("env", json!({})).await;
    let lines: Vec<&str> = environment.as_str().unwrap().lines().collect();
    assert!(
        lines.contains(&"API_TOKEN=[redacted API_TOKEN]") && lines.contains(&"LEVEL=debug"),
        "{lines:?}"
    );
    // Its environment is the configuration's and a minimum.
    let names: Vec<&str> = lines
        .iter()
        .map(|line| line.split('=').next().unwrap())
        .collect();
    for name in &names {
        let known = ["API_TOKEN", "LEVEL", "HOSTILE"].contains(name)
            || lockgate_gateway::upstream::INHERITED.contains(name);
        // The test harness's own.
        assert!(known || name.starts_with("RUST_"), "{name}");
    }
    assert!(names.contains(&"PATH"));
    assert_eq!(
        rig.value(
            "give",
            json!({"result": {"content": [], "structuredContent": {"k": [token]}}})
        )
        .await,
        json!({"k": ["[redacted API_TOKEN]"]})
    );
    let error = rig.error("give", json!({"result": {"isError": true, "content": [{"type": "text", "text": (format!("bad {token}"))}]}})).await;
    assert_eq!(error, "bad [redacted API_TOKEN]");
    let error = rig.error("die", json!({})).await;
    assert!(
        error.contains("its process ended with code 9; it printed: ")
            && error.contains("dying with [redacted API_TOKEN]"),
        "{error}"
    );
    assert!(!format!("{:?}", rig.upstream.status()).contains("5ecr3t"));
    rig.upstream.shutdown().await;
}

/// A server that does not listen any more is not waited for by a caller who is.
#[tokio::test(flavor = "multi_thread")]
async fn a_hanging_server_is_bounded_by_the_call() {
    let own = json!({"callTimeoutMs": 500});
    let rig = Rig::new(&json!({"bad": (entry_with("tools", &json!({}), &own))})).await;
    let started = Instant::now();
    let results =
        futures_util::future::join_all((0..20).map(|_| rig.call("hang", json!({})))).await;
    assert!(
        results
            .iter()
            .all(|result| result.error().unwrap().code() == Some(lockgate::ErrorCode::ToolTimeout))
    );
    assert!(
        started.elapsed() < Duration::from_secs(20),
        "{:?}",
        started.elapsed()
    );
    rig.upstream.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tool_of_the_host_keeps_its_name() {
    let registry = Registry::new();
    let tool = |name: &str| {
        lockgate::Tool::builder(name, "The host's.")
            .parameters(&json!({"type": "object"}))
            .output(&json!({}))
            .execute(|_, _| async { Ok(Json::Null) })
            .build()
            .unwrap()
    };
    registry.register(tool("echo")).unwrap().keep();
    let rig = Rig::over(registry, &json!({"bad": (entry("tools"))})).await;
    assert_eq!(rig.value("echo", json!({})).await, Json::Null);
    assert_eq!(rig.value("bad__echo", json!({})).await, json!("{}"));
    rig.upstream.shutdown().await;
    assert_eq!(registry_names(&rig.registry), ["echo"]);
}

fn registry_names(registry: &Registry) -> Vec<String> {
    registry
        .schemas()
        .into_iter()
        .map(|schema| schema.name.to_string())
        .collect()
}
