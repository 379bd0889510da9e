//! From an answer to a program's value: results, errors, media, types.

use std::sync::Arc;

use lockgate::{CallRequest, Content, ErrorCode, Json, Mode, Registry, json, sandbox::Sandbox};
use lockgate_gateway::OutputTyping;

use crate::{
    hostile_server::{entry, entry_with},
    support::Rig,
};

/// One pixel.
const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

fn given(result: &Json) -> Json {
    json!({"result": (result.clone())})
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_become_values() {
    let rig = Rig::new(&json!({"bad": (entry("tools"))})).await;
    let text = |text: &str| json!({"type": "text", "text": text});
    for (tool, answer, value) in [
        (
            "give",
            json!({"content": [(text("{\"a\":1}"))]}),
            json!("{\"a\":1}"),
        ),
        ("give", json!({"content": []}), json!(null)),
        ("give", json!({}), json!(null)),
        (
            "give",
            json!({"content": [(text("a")), (text("b"))]}),
            json!(["a", "b"]),
        ),
        (
            "give",
            json!({"content": [(text("ignored"))], "structuredContent": {"a": [1, 2.5, null]}}),
            json!({"a": [1, 2.5, null]}),
        ),
        (
            "give",
            json!({"content": [{"type": "text", "text": "[1]", "_meta": {"mimeType": "application/json"}}]}),
            json!([1]),
        ),
        (
            "give",
            json!({"content": [{"type": "resource", "resource": {"uri": "a:b", "mimeType": "application/problem+json; charset=utf-8", "text": "{\"x\":1}"}}]}),
            json!({"type": "resource", "mimeType": "application/problem+json; charset=utf-8", "bytes": 7, "uri": "a:b", "value": {"x": 1}}),
        ),
        (
            "give",
            json!({"content": [{"type": "resource", "resource": {"uri": "a:b", "text": "häl"}}, {"type": "resource_link", "uri": "c:d", "name": "n"}]}),
            json!([
                {"type": "resource", "mimeType": "text/plain", "bytes": 4, "uri": "a:b", "text": "häl"},
                {"type": "resource_link", "uri": "c:d", "name": "n"},
            ]),
        ),
        (
            "give",
            json!({"content": [{"type": "future", "x": 1}]}),
            json!({"type": "future"}),
        ),
        // Members that make rmcp take the answer for another one's.
        (
            "give",
            json!({"content": [(text("a"))], "tools": [], "prompts": [], "messages": []}),
            json!("a"),
        ),
        (
            "typed",
            json!({"content": [], "structuredContent": {"n": 3, "more": true}}),
            json!({"n": 3, "more": true}),
        ),
        // What the schema only bounds is not enforced.
        (
            "typed",
            json!({"content": [], "structuredContent": {"n": -3}}),
            json!({"n": -3}),
        ),
        // Older servers repeat the value as text, or send only that.
        (
            "typed",
            json!({"content": [(text("{\"n\": 4}"))]}),
            json!({"n": 4}),
        ),
        (
            "wrapped",
            json!({"content": [], "structuredContent": {"result": ["a"]}}),
            json!(["a"]),
        ),
    ] {
        assert_eq!(rig.value(tool, given(&answer)).await, value, "{answer}");
    }
    rig.upstream.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn failures_are_errors_with_the_servers_text() {
    let rig = Rig::new(&json!({"bad": (entry("tools"))})).await;
    let text = |text: &str| json!({"type": "text", "text": text});
    for (tool, answer, part) in [
        (
            "give",
            json!({"isError": true, "content": [(text("no such file")), (text("try another"))]}),
            "no such file\ntry another",
        ),
        (
            "give",
            json!({"isError": true, "content": []}),
            "\"give\" failed and did not say why",
        ),
        ("give", json!("nonsense"), "is not one of MCP"),
        ("give", json!({"contents": []}), "is not one of MCP"),
        (
            "typed",
            json!({"content": [(text("all well"))]}),
            "declares an output schema, but sent neither `structuredContent` nor JSON; it said: all well",
        ),
    ] {
        let error = rig.error(tool, given(&answer)).await;
        assert!(error.contains(part), "{answer}: {error}");
    }
    // SPEC B6: the output schema is enforced.
    let result = rig
        .call(
            "typed",
            given(&json!({"content": [], "structuredContent": {"n": "3"}})),
        )
        .await;
    assert_eq!(
        result.error().unwrap().code(),
        Some(ErrorCode::InvalidToolOutput)
    );
    let result = rig.call("echo", json!([1])).await;
    assert_eq!(result.error().unwrap().code(), Some(ErrorCode::InvalidArgs));
    let long = "e".repeat(100_000);
    let error = rig
        .error(
            "give",
            given(&json!({"isError": true, "content": [(text(&long))]})),
        )
        .await;
    assert!(
        error.len() <= 16 << 10 && error.ends_with('…'),
        "{}",
        error.len()
    );
    rig.upstream.shutdown().await;
}

/// SPEC K5
#[tokio::test(flavor = "multi_thread")]
async fn media_go_to_the_model_and_handles_to_the_program() {
    let sandbox = Sandbox::builder().build().await.unwrap();
    let registry = Registry::builder()
        .mode(Mode::Both)
        .code_runtime(Arc::new(sandbox))
        .build()
        .unwrap();
    let rig = Rig::over(registry, &json!({"bad": (entry("tools"))})).await;
    let big = "A".repeat(8 << 20);
    let answer = json!({"content": [
        {"type": "image", "mimeType": "image/png", "data": PNG},
        {"type": "audio", "mimeType": "audio/wav", "data": "AAAA"},
        {"type": "resource", "resource": {"uri": "a:b", "mimeType": "application/zip", "blob": "AAA="}},
        {"type": "image", "mimeType": "image/png", "data": "not base64"},
        {"type": "image", "mimeType": "image/png", "data": (big.clone())},
    ]});
    let code = "const given = await tools.give({ result: INPUT }); return given;"
        .replace("INPUT", &answer.to_string());
    // The picture of 8 MiB does not fit into a program's source; it is asked for natively below.
    let small = code.replace(&big, "AAAA");
    let program = json!({"code": small, "description": "asks for media"});
    let result = rig
        .registry
        .execute(CallRequest::new("run", "run_code", program))
        .await;
    let value = &result
        .value()
        .unwrap_or_else(|| panic!("{}", result.text()))["result"];
    assert_eq!(
        value[0],
        json!({"type": "image", "mimeType": "image/png", "bytes": 70, "attached": true, "handle": "run:code:1#1"})
    );
    assert_eq!(value[2]["uri"], json!("a:b"));
    assert_eq!(value[2]["bytes"], json!(2));
    assert_eq!(
        value[3],
        json!({"type": "image", "mimeType": "image/png", "bytes": 0, "attached": false})
    );
    assert!(!result.text().contains(PNG));
    let attached: Vec<Content> = result
        .additional_contexts()
        .iter()
        .flat_map(|context| context.content.clone())
        .collect();
    assert_eq!(attached.len(), 8, "{attached:?}");
    assert_eq!(
        attached[0].as_text(),
        Some("image image/png, 70 bytes, from \"give\": handle run:code:1#1")
    );
    assert_eq!(attached[1], Content::image(PNG, "image/png"));
    assert!(matches!(&attached[3], Content::Audio { .. }));
    assert!(matches!(&attached[5], Content::Resource { .. }));

    // Natively the media come with the call's own result; what is too large comes not at all.
    let result = rig.call("give", given(&answer)).await;
    assert_eq!(result.value().unwrap()[4]["attached"], json!(false));
    assert_eq!(result.additional_contexts().len(), 3);
    // One top-level call gathers 20 MiB and no more.
    let images = "A".repeat(6 << 20);
    let block = json!({"type": "image", "mimeType": "image/png", "data": images});
    let program = "let n = 0; for (let i = 0; i < 8; i++) { n += (await tools.give({ result: { content: [{ type: 'image', mimeType: 'image/png', data: 'A'.repeat(6 << 20) }] } })).attached ? 1 : 0; } return n;";
    let result = rig
        .registry
        .execute(CallRequest::new(
            "many",
            "run_code",
            json!({"code": program, "description": "many"}),
        ))
        .await;
    assert_eq!(result.value().unwrap()["result"], json!(4), "{block:.80}");
    rig.upstream.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn types_of_values_are_told_and_learned_when_wanted() {
    let rig = Rig::new(&json!({
        "plain": (entry("tools")),
        "learning": (entry_with("tools", &json!({}), &json!({"learnTypes": true, "allow": ["give", "typed"]}))),
    }))
    .await;
    assert_eq!(rig.status("learning").filtered, 13);
    let before = rig
        .registry
        .get("learning__give")
        .unwrap()
        .description()
        .clone();
    let answer = given(&json!({"content": [], "structuredContent": {"id": 1, "tags": ["a"]}}));
    rig.value("learning__give", answer.clone()).await;
    let tool = rig.registry.get("learning__give").unwrap();
    assert_eq!(
        **tool.description(),
        *format!(
            "{before}\n\nObserved value (seen in past answers, not promised by the server): {{ id: number; tags: Array<string>; }}"
        )
    );
    // Learned is not enforced.
    assert_eq!(
        rig.value("learning__give", given(&json!({"content": []})))
            .await,
        json!(null)
    );
    let typing = |server: &str, name: &str| {
        let status = rig.status(server);
        status
            .tools
            .iter()
            .find(|tool| &*tool.name == name)
            .unwrap()
            .output
    };
    assert_eq!(typing("learning", "give"), OutputTyping::Observed);
    assert_eq!(typing("learning", "typed"), OutputTyping::Declared);
    assert_eq!(typing("plain", "give"), OutputTyping::Unknown);
    // SPEC G3: only what says that it reads may overlap.
    assert!(
        rig.registry
            .get("plain__typed")
            .unwrap()
            .is_concurrency_safe(&json!({}))
    );
    assert!(
        !rig.registry
            .get("plain__give")
            .unwrap()
            .is_concurrency_safe(&json!({}))
    );
    let origin = rig.upstream.origin("learning__give").unwrap();
    assert_eq!((&*origin.server, &*origin.tool), ("learning", "give"));
    rig.upstream.shutdown().await;
}
