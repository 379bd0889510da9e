//! What hosts may rely on by name: the codes, kinds and receipts, in one table each. A change here is a change of the contract.

use lockgate::{
    CallRequest, Content, ErrorCode, Receipt, Registry, ToolError,
    code_runtime::{CodeLanguage, FailureKind, Limit},
    json,
};

use crate::pipeline_support::open;

// SPEC E11
#[test]
fn e11_the_codes_of_failed_calls() {
    let codes = ErrorCode::ALL.map(ErrorCode::as_str);
    assert_eq!(
        codes,
        [
            "UNKNOWN_TOOL",
            "INVALID_ARGS",
            "INVALID_TOOL_OUTPUT",
            "UNSUPPORTED_SCHEMA",
            "CODE_RUN_FAILED",
            "ABORTED",
            "ABORTED_BEFORE_DISPATCH",
            "TOOL_TIMEOUT",
        ]
    );
    for code in ErrorCode::ALL {
        assert_eq!(serde_json::to_value(code).ok(), Some(code.as_str().into()));
        assert_eq!(ToolError::with_code(code, "x").code(), Some(code));
    }
}

// SPEC H5
#[test]
fn h5_the_kinds_of_failed_programs_and_the_limits() {
    let kinds = FailureKind::ALL.map(FailureKind::as_str);
    assert_eq!(
        kinds,
        [
            "exception",
            "timeout",
            "abort",
            "sandbox-exit",
            "invalid-output",
            "output-limit",
            "call-limit"
        ]
    );
    let limits = [
        Limit::Compute,
        Limit::Wall,
        Limit::Memory,
        Limit::Stack,
        Limit::Output,
        Limit::Calls,
    ];
    assert_eq!(
        limits.map(Limit::as_str),
        ["compute", "wall", "memory", "stack", "output", "calls"]
    );
}

#[test]
fn the_receipts_of_calls() {
    let receipts = [
        Receipt::NeverStarted,
        Receipt::Denied,
        Receipt::Completed,
        Receipt::Failed,
        Receipt::CancelledBefore,
        Receipt::CancelledAfter,
    ];
    assert_eq!(
        receipts.map(Receipt::as_str),
        [
            "never_started",
            "denied",
            "completed",
            "failed",
            "cancelled_before",
            "cancelled_after"
        ]
    );
}

// SPEC H6: each language has its prose and its renderer.
#[test]
fn h6_every_language_has_an_sdk() {
    for language in CodeLanguage::ALL {
        assert!(
            Registry::new().sdk_text(language).contains("tools"),
            "{language}"
        );
    }
}

// SPEC C2: the body gives the canonical value alone; `render` makes of it what a model is shown.
#[tokio::test]
async fn c2_the_value_is_the_bodys_and_the_content_is_rendered()
-> Result<(), Box<dyn std::error::Error>> {
    let tool = open("x")
        .render(|args, value| {
            Ok(vec![
                Content::text(format!("{} of {}", value["n"], args["n"])),
                Content::image("aGk=", "image/png"),
            ])
        })
        .execute(|args, _| async move { Ok(args) })
        .build()?;
    let registry = Registry::new();
    registry.register(tool)?.keep();
    let result = registry
        .execute(CallRequest::new("c", "x", json!({"n": 1})))
        .await;
    assert_eq!(result.value(), Some(&json!({"n": 1})));
    assert_eq!(
        result.content(),
        [Content::text("1 of 1"), Content::image("aGk=", "image/png")]
    );
    // What crosses to a host that speaks MCP.
    let shown = serde_json::to_string(result.content())?;
    assert_eq!(
        shown,
        r#"[{"type":"text","text":"1 of 1"},{"type":"image","data":"aGk=","mimeType":"image/png"}]"#
    );
    Ok(())
}
