//! A big tool set within a budget: what the text only lists, a program finds, reads and calls within one run.

#![expect(clippy::unwrap_used, reason = "a test that can't be set up fails")]

use std::sync::Arc;

use lockgate::code_runtime::CodeLanguage;
use lockgate::sdk::estimate_tokens;
use lockgate::{CallRequest, Json, Mode, Outcome, Registry, Tool, ToolResult, json};

use crate::sandbox_support::sandbox;

fn registry(budget: Option<usize>) -> Registry {
    let builder = Registry::builder()
        .mode(Mode::Code)
        .code_runtime(Arc::new(sandbox(CodeLanguage::JavaScript)));
    let builder = match budget {
        Some(tokens) => builder.sdk_budget_tokens(tokens),
        None => builder,
    };
    let registry = builder.build().unwrap();
    for index in 0..300 {
        add(
            &registry,
            &format!("github__action_{index}"),
            "Does an action.",
        );
    }
    add(
        &registry,
        "mail__send_invoice",
        "Sends an invoice to a customer.",
    );
    registry
}

fn add(registry: &Registry, name: &str, description: &str) {
    let value = Json::from(name);
    let tool = Tool::builder(name, description)
        .parameters(&json!({"type": "object", "properties": {"customer": {"type": "string"}}, "required": ["customer"]}))
        .output(&json!({"type": "string"}))
        .execute(move |_, _| {
            let value = value.clone();
            async move { Ok(value) }
        });
    registry.register(tool.build().unwrap()).unwrap().keep();
}

async fn run(registry: &Registry, code: &str) -> ToolResult {
    let arguments = json!({"code": code, "description": "tries the catalogue"});
    registry
        .execute(CallRequest::new("c", "run_code", arguments))
        .await
}

async fn value(registry: &Registry, code: &str) -> Json {
    match run(registry, code).await.outcome() {
        Outcome::Success(success) => success.value["result"].clone(),
        Outcome::Failure(failure) => panic!("{}", failure.message),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn listed_tools_are_found_read_and_called() {
    let registry = registry(Some(6_000));
    let assembly = registry.assemble().unwrap();
    let text = &assembly
        .sections
        .iter()
        .find(|section| section.name == "tools:sdk")
        .unwrap()
        .text;
    assert!(
        estimate_tokens(text) <= 6_000 && text.contains("- github__action_299: Does an action."),
        "{text}"
    );

    let program = r#"
        const [hit] = await tools.$search("invoice customer");
        const declaration = await tools.$describe(hit.name);
        return [hit, declaration.includes("mail__send_invoice: { customer: string };"), await tools[hit.name]({ customer: "x" })];
    "#;
    let hit = json!({"name": "mail__send_invoice", "about": "Sends an invoice to a customer."});
    assert_eq!(
        value(&registry, program).await,
        json!([hit, true, "mail__send_invoice"])
    );

    let program = r#"try { await tools.$describe("mail_send_invoices") } catch (error) { return [error.name, error.message] }"#;
    let error = value(&registry, program).await;
    assert_eq!(error[0], json!("ToolCallError"));
    assert_eq!(
        error[1].as_str().unwrap(),
        "there is no tool \"mail_send_invoices\"; did you mean \"mail__send_invoice\"?"
    );

    // What a scope may not call, it does not find.
    let scope = registry.scope("agent");
    let restriction = lockgate::Restriction {
        deny: Some(vec!["mail__send_invoice".into()]),
        ..Default::default()
    };
    let _restricted = scope.restrict(restriction).unwrap();
    let request = CallRequest::new(
        "c",
        "run_code",
        json!({"code": "return await tools.$search('invoice')", "description": "d"}),
    )
    .agent(&scope);
    match registry.execute(request).await.outcome() {
        Outcome::Success(success) => assert_eq!(success.value["result"], json!([])),
        Outcome::Failure(failure) => panic!("{}", failure.message),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_budget_there_is_no_search() {
    let registry = registry(None);
    let text = registry.sdk_text(CodeLanguage::JavaScript);
    assert!(
        !text.contains("$search") && text.contains("github__action_299: { customer: string };")
    );
    assert_eq!(
        value(
            &registry,
            "return [\"$search\" in tools, Object.keys(tools).length]"
        )
        .await,
        json!([false, 301])
    );
}
