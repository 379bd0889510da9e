//! The SDK text of a few telling tools, byte by byte. `LOCKGATE_BLESS=1` writes what is right now.

use std::path::Path;

use lockgate::code_runtime::CodeLanguage::{Python, TypeScript};
use lockgate::sdk::{Catalogue, ToolDeclaration, render};
use lockgate::{Json, json};

fn tools() -> Vec<(&'static str, &'static str, Json, Json)> {
    let node = json!({
        "type": "object",
        "properties": {
            "name": {"type": "string", "description": "Shown in the tree."},
            "children": {"type": "array", "items": {"$ref": "#/$defs/node"}},
        },
        "required": ["name"],
    });
    vec![
        (
            "read_file",
            "Reads a text file.",
            json!({
                "type": "object",
                "properties": {
                    "path": {"type": "string", "description": "Path below the root."},
                    "from": {"type": "integer", "description": "First line, counted from 1.", "default": 1, "minimum": 1},
                    "encoding": {"type": "string", "enum": ["utf-8", "latin-1"]},
                },
                "required": ["path"],
            }),
            json!({"type": "string"}),
        ),
        ("ping", "", json!({}), json!({"type": "null"})),
        (
            "search.code",
            "Searches the code.\n\nThe pattern is a regular expression: `a|b`, \"quoted\", C:\\path, */ and \"\"\".",
            json!({
                "type": "object",
                "properties": {
                    "query": {"type": "string", "minLength": 1, "examples": ["fn main"]},
                    "scope": {"oneOf": [
                        {"const": "all", "description": "Every file."},
                        {"const": "changed", "description": "Files that differ from the last commit."},
                        {"type": "object", "properties": {"folder": {"type": "string"}}, "required": ["folder"], "additionalProperties": false},
                    ]},
                    "max-results": {"type": ["integer", "null"], "maximum": 500},
                    "since": {"type": "string", "format": "date-time", "deprecated": true},
                },
                "required": ["query"],
            }),
            json!({
                "type": "object",
                "properties": {
                    "total": {"type": "integer"},
                    "matches": {"type": "array", "items": {
                        "type": "object",
                        "properties": {"path": {"type": "string"}, "line": {"type": "integer"}, "text": {"type": "string"}},
                        "required": ["path", "line", "text"],
                        "additionalProperties": false,
                    }},
                },
                "required": ["total", "matches"],
                "additionalProperties": false,
            }),
        ),
        (
            "save_tree",
            "Stores a tree of nodes.",
            json!({"type": "object", "properties": {"root": {"$ref": "#/$defs/node"}, "labels": {"type": "object", "additionalProperties": {"type": "string"}}}, "required": ["root"], "$defs": {"node": (&node)}}),
            json!({"oneOf": [{"type": "integer", "description": "How many nodes there are now."}, {"type": "null"}]}),
        ),
    ]
}

fn check(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("snapshots")
        .join(name);
    if std::env::var_os("LOCKGATE_BLESS").is_some() {
        std::fs::write(&path, text).expect("the snapshot can be written");
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        expected == text,
        "{name} is not what it was; if that is right, run with LOCKGATE_BLESS=1\n{text}"
    );
}

#[test]
fn sdk_text() {
    let tools = tools();
    let tools: Vec<_> = tools
        .iter()
        .map(|(name, description, parameters, output)| ToolDeclaration {
            name,
            description,
            parameters,
            output: Some(output),
        })
        .collect();
    check("sdk.ts", &render(TypeScript, &tools));
    check("sdk.py", &render(Python, &tools));
    check(
        "sdk-within-budget.ts",
        Catalogue::new(TypeScript, &tools, Some(560)).text(),
    );
    check(
        "sdk-within-budget.py",
        Catalogue::new(Python, &tools, Some(560)).text(),
    );
}
