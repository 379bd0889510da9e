//! Unit tests of the catalogue.

use super::{Catalogue, budget::group, estimate_tokens};
use crate::code_runtime::CodeLanguage::{Python, TypeScript};
use crate::sdk::{ToolDeclaration, declarations, render};
use crate::{Json, json};

fn tools(parameters: &Json) -> Vec<(String, String, &Json)> {
    let mut tools = Vec::new();
    for (server, count) in [("github", 200), ("files", 5), ("weather", 3)] {
        for index in 0..count {
            tools.push((
                format!("{server}__do_{index}"),
                format!("Does thing {index} of {server}. And more."),
                parameters,
            ));
        }
    }
    tools.push((
        "files__read_lines".to_owned(),
        "Reads lines of a text file.".to_owned(),
        parameters,
    ));
    tools.push((
        "odd-name".to_owned(),
        "Oddly named; sends an invoice */ by mail.".to_owned(),
        parameters,
    ));
    tools
}

fn parameters() -> Json {
    json!({"type": "object", "properties": {"recipient": {"type": "string", "description": "Who gets it."}}})
}

fn declared<'a>(tools: &'a [(String, String, &'a Json)]) -> Vec<ToolDeclaration<'a>> {
    tools
        .iter()
        .map(|(name, description, parameters)| ToolDeclaration {
            name,
            description,
            parameters,
            output: None,
        })
        .collect()
}

#[test]
fn without_a_budget_all_is_shown() {
    let parameters = parameters();
    let tools = tools(&parameters);
    for language in [TypeScript, Python] {
        for budget in [None, Some(1_000_000)] {
            let catalogue = Catalogue::new(language, &declared(&tools), budget);
            assert!(catalogue.is_complete());
            assert_eq!(catalogue.text(), render(language, &declared(&tools)));
        }
    }
}

#[test]
fn a_budget_is_kept_and_spent_fairly() {
    let parameters = parameters();
    let tools = tools(&parameters);
    for language in [TypeScript, Python] {
        let whole = estimate_tokens(&render(language, &declared(&tools)));
        for budget in [100, 700, 1_000, 2_000, 4_000, 6_000, whole - 1] {
            let catalogue = Catalogue::new(language, &declared(&tools), Some(budget));
            let tokens = estimate_tokens(catalogue.text());
            assert!(tokens <= budget.max(700), "{tokens} for {budget}");
            assert!(!catalogue.is_complete());
            let again = Catalogue::new(language, &declared(&tools), Some(budget));
            assert_eq!(catalogue.text(), again.text());
        }
        // The small servers are in full before the big one gets its share.
        let catalogue = Catalogue::new(language, &declared(&tools), Some(7_000));
        let text = catalogue.text();
        for name in ["files__do_0", "files__read_lines", "weather__do_2"] {
            assert!(
                !text.contains(&format!("- {name}")) && text.contains(name),
                "{name}"
            );
        }
        assert!(
            text.contains("- github__do_199: Does thing 199 of github.\n"),
            "{text}"
        );
    }
}

#[test]
fn search_ranks() {
    let parameters = parameters();
    let tools = tools(&parameters);
    let catalogue = Catalogue::new(TypeScript, &declared(&tools), Some(1_000));
    let best = |query: &str| {
        catalogue
            .search(query, 3)
            .first()
            .map(|hit| hit.name.to_owned())
    };
    assert_eq!(best("read file").as_deref(), Some("files__read_lines"));
    assert_eq!(best("invoices by mail").as_deref(), Some("odd-name"));
    assert_eq!(best("reading Lines").as_deref(), Some("files__read_lines"));
    assert_eq!(best("weather 2").as_deref(), Some("weather__do_2"));
    assert_eq!(best("qqqq"), None);
    assert_eq!(catalogue.search("recipient", 500).len(), tools.len());
    assert_eq!(catalogue.search("", 2).len(), 2);
    assert_eq!(
        catalogue.search("read lines", 1)[0].about,
        "Reads lines of a text file."
    );
}

#[test]
fn programs_are_answered() {
    let parameters = parameters();
    let tools = tools(&parameters);
    let catalogue = Catalogue::new(TypeScript, &declared(&tools), Some(1_000));
    let answer = |function: &str, arguments: Json| catalogue.answer(function, &arguments);
    let hits = answer("$search", json!({"query": "read lines", "limit": 1}))
        .unwrap()
        .unwrap();
    assert_eq!(
        hits,
        json!([{"name": "files__read_lines", "about": "Reads lines of a text file."}])
    );
    assert!(
        answer("$search", json!(7))
            .unwrap()
            .unwrap_err()
            .contains("takes the words")
    );
    // Exactly what the full text says of it.
    let one: Vec<_> = declared(&tools)
        .into_iter()
        .filter(|tool| tool.name == "odd-name")
        .collect();
    assert_eq!(
        answer("$describe", json!("odd-name")).unwrap().unwrap(),
        json!(declarations(TypeScript, &one))
    );
    let error = answer("$describe", json!("files_read_line"))
        .unwrap()
        .unwrap_err();
    assert_eq!(
        error,
        "there is no tool \"files_read_line\"; did you mean \"files__read_lines\"?"
    );
    assert_eq!(answer("files__do_0", json!({})), None);
}

#[test]
fn groups() {
    for (name, expected) in [
        ("github__create_issue", "github"),
        ("mcp__github__create_issue", "mcp__github"),
        ("files.read", "files"),
        ("read_file", "read"),
        ("_x", "_x"),
        ("x", "x"),
        ("", ""),
        ("mcp__", "mcp__"),
        ("é__x", "é"),
    ] {
        assert_eq!(group(name), expected);
    }
}
