//! Manifests of command tools: each mistake is named with its file, its tool and what would mend it.

use std::fs;

use lockgate::{Json, json};
use lockgate_cli::command_tools::load;
use tempfile::TempDir;

/// Loads a manifest of one tool that is right but for `change`.
fn changed(change: Json) -> Result<usize, String> {
    let mut tool = json!({ "name": "t", "description": "d", "command": ["sh"] })
        .as_object()
        .expect("an object")
        .clone();
    for (key, value) in change.as_object().expect("an object").iter() {
        tool.insert(key, value.clone());
    }
    loaded(&json!({ "tools": [Json::Object(tool)] }).to_string())
}

fn loaded(text: &str) -> Result<usize, String> {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("tools.json");
    fs::write(&path, text).expect("a file");
    load(&path)
        .map(|tools| tools.len())
        .map_err(|error| error.to_string())
}

#[test]
fn a_tool_needs_little() {
    assert_eq!(changed(json!({})), Ok(1));
    assert_eq!(loaded(r#"{ "$schema": "x", "tools": [] }"#), Ok(0));
}

#[test]
fn mistakes_name_the_tool_and_the_mend() {
    for (change, wanted) in [
        (
            json!({ "command": [] }),
            "`command` is empty; give a program",
        ),
        (json!({ "command": ["./none"] }), "there is no program"),
        (json!({ "command": "sh" }), "command"),
        (json!({ "cwd": "none" }), "there is no folder"),
        (json!({ "timeout_ms": 0 }), "give a positive number"),
        (json!({ "timeout_ms": -1 }), "timeout_ms"),
        (json!({ "comand": ["sh"] }), "unknown field `comand`"),
        (
            json!({ "inherit_env": ["LOCKGATE_TEST_NOT_SET"] }),
            "is not set here",
        ),
        (
            json!({ "env": { "A=B": "c" } }),
            "can't be the name of a variable",
        ),
        (json!({ "env": { "A": "\0" } }), "zero byte"),
        (json!({ "parameters": { "type": "string" } }), "parameters"),
        (
            json!({ "output": { "type": "object", "minProperties": 1 } }),
            "minProperties",
        ),
    ] {
        let error = changed(change.clone()).expect_err("a mistake");
        assert!(
            error.contains("tools.json: tool `t`: "),
            "{change}: {error}"
        );
        assert!(error.contains(wanted), "{change}: {error}");
    }
    let error = changed(json!({ "name": "" })).expect_err("a mistake");
    assert!(error.contains("`name` is empty"), "{error}");
}

#[test]
fn mistakes_of_the_whole_manifest() {
    for (text, wanted) in [
        ("{", "is not valid JSON"),
        ("[]", "has no list `tools`"),
        (r#"{ "tools": [], "tool": 1 }"#, "`tool` means nothing"),
        (r#"{ "tools": [{}] }"#, "tool `number 1`: "),
        (
            r#"{ "tools": [{ "name": "a", "description": "", "command": ["sh"] }, { "name": "a", "description": "", "command": ["sh"] }] }"#,
            "tool `a`: is there twice",
        ),
    ] {
        let error = loaded(text).expect_err("a mistake");
        assert!(
            error.contains("tools.json: ") && error.contains(wanted),
            "{text}: {error}"
        );
    }
    let error = loaded(&format!("{{}}{}", " ".repeat(16 << 20))).expect_err("a mistake");
    assert!(error.contains("is larger than 16777216 bytes"), "{error}");
    let error = load("no-such-manifest.json".as_ref()).expect_err("a mistake");
    assert!(
        error
            .to_string()
            .contains("no-such-manifest.json: can't be read"),
        "{error}"
    );
    assert_eq!(error.tool(), None);
}
