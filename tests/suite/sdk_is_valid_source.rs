//! SPEC I2: whatever the tools are like, the SDK text is valid source for the language's own compiler.
#![expect(clippy::unwrap_used, reason = "a test that can't be set up fails")]

use std::path::PathBuf;

use lockgate::code_runtime::CodeLanguage::{self, Python, TypeScript};
use lockgate::sdk::render;

use crate::compilers::{Complaint, check_python, check_typescript, has_typescript, parse_python};
use crate::odd_schemas::{OwnedTool, odd_tools, real_tools};

const BATCHES: usize = 10;
const PER_BATCH: usize = 520;

fn write(
    folder: &tempfile::TempDir,
    name: &str,
    language: CodeLanguage,
    tools: &[OwnedTool],
) -> PathBuf {
    let declarations: Vec<_> = tools.iter().map(OwnedTool::declaration).collect();
    let path = folder.path().join(name);
    std::fs::write(&path, render(language, &declarations)).unwrap();
    path
}

fn batches() -> Vec<Vec<OwnedTool>> {
    let mut batches: Vec<_> = (0..BATCHES)
        .map(|batch| odd_tools(batch as u64 + 1, PER_BATCH))
        .collect();
    batches.push(real_tools());
    batches.push(Vec::new());
    batches
}

#[test]
fn typescript_takes_it() {
    if !has_typescript() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let batches = batches();
    let files: Vec<_> = batches
        .iter()
        .enumerate()
        .map(|(index, tools)| write(&folder, &format!("sdk{index}.ts"), TypeScript, tools))
        .collect();
    let complaints = check_typescript(&files);
    assert_none(&complaints, &folder);
}

#[test]
fn cpython_takes_it() {
    let folder = tempfile::tempdir().unwrap();
    let batches = batches();
    let files: Vec<_> = batches
        .iter()
        .enumerate()
        .map(|(index, tools)| write(&folder, &format!("sdk{index}.py"), Python, tools))
        .collect();
    let Some(complaints) = parse_python(&files) else {
        return;
    };
    assert_none(&complaints, &folder);
}

#[test]
fn mypy_takes_it() {
    let folder = tempfile::tempdir().unwrap();
    let tools = [odd_tools(100, 700), real_tools()];
    let files: Vec<_> = tools
        .iter()
        .enumerate()
        .map(|(index, tools)| write(&folder, &format!("sdk{index}.py"), Python, tools))
        .collect();
    let Some(complaints) = check_python(&files) else {
        return;
    };
    assert_none(&complaints, &folder);
}

fn assert_none(complaints: &[Complaint], folder: &tempfile::TempDir) {
    let first: Vec<String> = complaints
        .iter()
        .take(8)
        .map(|complaint| {
            let text =
                std::fs::read_to_string(folder.path().join(&complaint.file)).unwrap_or_default();
            let line = text
                .split('\n')
                .nth((complaint.line as usize).saturating_sub(1))
                .unwrap_or_default();
            format!(
                "{}:{}: {}\n    {line}",
                complaint.file, complaint.line, complaint.message
            )
        })
        .collect();
    assert!(
        first.is_empty(),
        "{} complaints, first\n{}",
        complaints.len(),
        first.join("\n")
    );
}
