//! What users of such systems have reported of their SDK text, and holds here.

use lockgate::{
    CallRequest, Json, Registry, Tool, ToolError,
    code_runtime::CodeLanguage,
    json,
    sdk::{ToolDeclaration, declarations},
};

/// The declarations of tools that are a name and a parameter schema.
fn text(language: CodeLanguage, tools: &[(&str, Json)]) -> String {
    let tools: Vec<ToolDeclaration<'_>> = tools
        .iter()
        .map(|(name, parameters)| ToolDeclaration {
            name,
            description: "",
            parameters,
            output: None,
        })
        .collect();
    declarations(language, &tools)
}

fn object(property: Json) -> Json {
    json!({"type": "object", "properties": {"p": property}, "required": ["p"]})
}

// Reports 1
#[test]
fn unions_keep_their_parentheses() {
    let nullable =
        json!({"type": "array", "items": {"anyOf": [{"type": "string"}, {"type": "null"}]}});
    let typescript = text(CodeLanguage::TypeScript, &[("t", object(nullable.clone()))]);
    assert!(typescript.contains("(string | null)[]"), "{typescript}");
    let python = text(CodeLanguage::Python, &[("t", object(nullable))]);
    assert!(python.contains("list[str | None]"), "{python}");

    let both = json!({"allOf": [
        {"anyOf": [{"type": "object", "properties": {"a": {"type": "string"}}}, {"type": "object", "properties": {"b": {"type": "string"}}}]},
        {"anyOf": [{"type": "object", "properties": {"c": {"type": "string"}}}, {"type": "object", "properties": {"d": {"type": "string"}}}]}
    ]});
    let typescript = text(CodeLanguage::TypeScript, &[("t", object(both))]);
    let flat: String = typescript.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(flat.contains(") & ("), "{flat}");
}

// Reports 2
#[test]
fn names_that_look_alike_stay_apart() {
    let names = [
        "weather.get",
        "weather-get",
        "weather_get",
        "get-user",
        "get_user",
        "getUser",
    ];
    let tools = names.map(|name| (name, object(json!({"type": "string"}))));
    let typescript = text(CodeLanguage::TypeScript, &tools);
    for name in names {
        let quoted = format!("{name:?}: {{");
        let plain = format!("  {name}: {{");
        assert!(
            typescript.contains(&quoted) || typescript.contains(&plain),
            "{name}: {typescript}"
        );
    }
    let python = text(CodeLanguage::Python, &tools);
    let mut classes: Vec<&str> = python
        .lines()
        .filter_map(|line| line.strip_prefix("class ")?.split(['(', ':']).next())
        .collect();
    let all = classes.len();
    classes.sort_unstable();
    classes.dedup();
    assert_eq!(classes.len(), all, "{python}");
    assert!(all >= names.len(), "{python}");
}

// Reports 3
#[test]
fn a_tool_without_a_schema_takes_nothing_and_drops_no_other() {
    let tools = [
        ("empty", json!({})),
        ("odd", json!({"type": 7, "properties": "none"})),
        ("good", object(json!({"type": "string"}))),
    ];
    for language in CodeLanguage::ALL {
        let text = text(language, &tools);
        for name in ["empty", "odd", "good"] {
            assert!(text.contains(name), "{language}: {text}");
        }
    }
}

// Reports 3: it is callable, too.
#[tokio::test]
async fn a_tool_without_a_schema_can_be_called_with_nothing()
-> Result<(), Box<dyn std::error::Error>> {
    let registry = Registry::new();
    let tool = Tool::builder("empty", "")
        .raw_parameters(json!({}))
        .output(&json!({}))
        .execute(|args, _| async move { Ok::<_, ToolError>(args) })
        .build()?;
    registry.register(tool)?.keep();
    let result = registry
        .execute(CallRequest::from_text("c", "empty", ""))
        .await;
    assert_eq!(result.value(), Some(&json!({})));
    Ok(())
}
