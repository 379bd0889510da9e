//! `lockgate sdk`, as a person runs it.

#![expect(
    clippy::unwrap_used,
    reason = "a test that finds nothing to look at fails"
)]

use crate::process::{Lockgate, folder};

const LIST: &str = r#"{"tools": [
    {"name": "get_user", "description": "Finds a user.", "inputSchema": {"type": "object", "properties": {"id": {"type": "integer"}}, "required": ["id"]}, "outputSchema": {"type": "string"}},
    {"name": "odd-one", "parameters": {"type": "object", "properties": {"a": {"pattern": "x", "type": "string"}}}},
    {"name": "ping"}
]}"#;

fn sdk(list: &str, args: &[&str]) -> crate::process::Output {
    let dir = folder(&[("tools.json", list)]);
    let file = dir.path().join("tools.json");
    Lockgate::new()
        .args(["sdk", "--schemas", file.to_str().unwrap()])
        .args(args.iter().copied())
        .output()
}

#[test]
fn any_list_of_tools_is_rendered() {
    let shown = sdk(LIST, &[]);
    assert_eq!(shown.code, 0, "{}", shown.stderr);
    for line in [
        "  get_user: { id: Integer };",
        "  get_user: string;",
        "    /** (pattern: x) */",
        "  ping: {};",
    ] {
        assert!(shown.stdout.contains(line), "{line} in {}", shown.stdout);
    }
    let shown = sdk(LIST, &["--lang", "python"]);
    assert!(
        shown
            .stdout
            .contains("async def get_user(self, args: GetUserArgs) -> str:"),
        "{}",
        shown.stdout
    );
}

#[test]
fn a_budget_lists_what_does_not_fit() {
    let tools: Vec<serde_json::Value> = (0..80)
        .map(|index| {
            let schema = serde_json::json!({"type": "object", "properties": {"first": {"type": "string"}, "second": {"type": "string"}}});
            serde_json::json!({"name": format!("tool_{index}"), "description": "Does it.", "inputSchema": schema})
        })
        .collect();
    let list = serde_json::Value::from(tools).to_string();
    let whole = sdk(&list, &[]);
    assert!(!whole.stdout.contains("$search"), "{}", whole.stdout);
    let shown = sdk(&list, &["--budget", "1500"]);
    assert_eq!(shown.code, 0, "{}", shown.stderr);
    assert!(shown.stdout.len() < 1500 * 9 / 2);
    for line in ["$search: string;", "- tool_79: Does it.\n"] {
        assert!(shown.stdout.contains(line), "{line} in {}", shown.stdout);
    }
}

#[test]
fn wrong_files_are_named() {
    for (list, what) in [
        ("{", "is not JSON"),
        ("7", "neither a list of tools"),
        (r#"[{"name": 1}]"#, "[0].name must be a string"),
    ] {
        let shown = sdk(list, &[]);
        assert_eq!(shown.code, 2);
        assert!(shown.stderr.contains(what), "{}", shown.stderr);
    }
}
