//! SPEC I3: rendering is linear in the number and the size of the schemas, and cheap.

use std::time::{Duration, Instant};

use lockgate::code_runtime::CodeLanguage::{self, Python, TypeScript};
use lockgate::sdk::{Catalogue, ToolDeclaration, render};
use lockgate::{Json, Schema, json};

/// The most that 1,000 tools of ordinary size may cost.
const BUDGET: Duration = Duration::from_millis(20);

/// Time that this thread really ran, where the system tells it.
fn cpu_time() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split(' ')
        .next()?
        .parse()
        .ok()
        .map(Duration::from_nanos)
}

/// The least of a few runs, so that others on the machine matter little.
fn cost(mut work: impl FnMut()) -> Duration {
    let once = |work: &mut dyn FnMut()| {
        let (wall, cpu) = (Instant::now(), cpu_time());
        work();
        match (cpu, cpu_time()) {
            (Some(before), Some(after)) if after > before => after - before,
            _ => wall.elapsed(),
        }
    };
    (0..7).map(|_| once(&mut work)).min().unwrap_or_default()
}

/// Tools like those of real servers: eight arguments with descriptions, an enumeration, a nested object, an output.
fn ordinary(count: usize) -> Vec<(String, Json, Json)> {
    let parameters = json!({
        "type": "object",
        "properties": {
            "owner": {"type": "string", "description": "Repository owner"},
            "repo": {"type": "string", "description": "Repository name"},
            "state": {"type": "string", "enum": ["open", "closed", "all"], "description": "Which ones to list", "default": "open"},
            "page": {"type": "integer", "description": "Page number", "minimum": 1},
            "labels": {"type": "array", "items": {"type": "string"}, "description": "Labels that all must be there"},
            "filter": {"type": "object", "properties": {"since": {"type": "string", "format": "date-time"}, "author": {"type": "string"}}},
            "sort": {"anyOf": [{"type": "string"}, {"type": "null"}]},
            "deep": {"type": "boolean"},
        },
        "required": ["owner", "repo"],
    });
    let output = json!({"type": "array", "items": {"type": "object", "properties": {"id": {"type": "integer"}, "title": {"type": "string"}}, "required": ["id", "title"]}});
    (0..count)
        .map(|index| {
            (
                format!("list_things_{index}"),
                parameters.clone(),
                output.clone(),
            )
        })
        .collect()
}

fn declared(tools: &[(String, Json, Json)]) -> Vec<ToolDeclaration<'_>> {
    tools
        .iter()
        .map(|(name, parameters, output)| ToolDeclaration {
            name,
            description: "Lists the things of a repository, newest first.",
            parameters,
            output: Some(output),
        })
        .collect()
}

fn check(language: CodeLanguage) {
    let tools = ordinary(4_000);
    let tools = declared(&tools);
    let costs: Vec<Duration> = [1_000, 2_000, 4_000]
        .iter()
        .map(|count| cost(|| drop(render(language, &tools[..*count]))))
        .collect();
    println!("{language}: 1,000 / 2,000 / 4,000 tools in {costs:?}");
    assert!(costs[0] <= BUDGET, "{costs:?}");
    assert!(costs[2] < costs[0] * 6, "not linear: {costs:?}");
}

#[test]
fn typescript_is_cheap_and_linear() {
    check(TypeScript);
}

#[test]
fn python_is_cheap_and_linear() {
    check(Python);
}

#[test]
fn the_catalogue_is_linear() {
    let tools = ordinary(4_000);
    let tools = declared(&tools);
    let costs: Vec<Duration> = [1_000, 4_000]
        .iter()
        .map(|count| {
            cost(|| {
                let catalogue = Catalogue::new(TypeScript, &tools[..*count], Some(20_000));
                assert!(!catalogue.search("list newest things", 10).is_empty());
            })
        })
        .collect();
    println!("catalogue with one search: 1,000 / 4,000 tools in {costs:?}");
    assert!(costs[1] < costs[0] * 8, "not linear: {costs:?}");
}

// SPEC A5: a document of 10 MB is validated and rendered, in time that grows with its size alone.
#[test]
fn size_is_paid_once() {
    let document = |elements: usize| {
        let text = "x".repeat(80);
        Json::from(
            (0..elements)
                .map(|index| json!({"id": index, "text": text.as_str()}))
                .collect::<Vec<Json>>(),
        )
    };
    let schema = Schema::compile(&json!({"type": "array", "items": {
        "type": "object",
        "properties": {"id": {"type": "integer"}, "text": {"type": "string"}},
        "required": ["id", "text"],
        "additionalProperties": false,
    }}))
    .expect("of the subset");
    let (small, large) = (document(10_000), document(100_000));
    assert!(large.to_string().len() > 10_000_000);
    let costs = [&small, &large].map(|value| cost(|| assert!(schema.accepts(value))));
    println!("validate 1 MB / 10 MB in {costs:?}");
    assert!(costs[1] < costs[0] * 25, "not linear: {costs:?}");

    // As a schema: wide beyond all limits.
    let wide = |count: usize| {
        let properties: lockgate::json::Object = (0..count)
            .map(|index| {
                (
                    format!("p{index}"),
                    json!({"type": "string", "description": "d"}),
                )
            })
            .collect();
        json!({"type": "object", "properties": properties})
    };
    let (small, large) = (wide(20_000), wide(200_000));
    let costs = [&small, &large].map(|parameters| {
        cost(|| {
            drop(render(
                TypeScript,
                &[ToolDeclaration {
                    name: "t",
                    description: "",
                    parameters,
                    output: None,
                }],
            ))
        })
    });
    println!("render 20,000 / 200,000 properties in {costs:?}");
    assert!(
        costs[1] < costs[0] * 25 + Duration::from_millis(20),
        "not linear: {costs:?}"
    );
}
