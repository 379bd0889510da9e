//! The documents keep step with the code: tests that they name exist, links lead somewhere, every limit is told.

#![expect(clippy::unwrap_used, reason = "a test that can't be set up fails")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .unwrap()
        .to_owned()
}

/// The files below a folder with this extension, without what is built or installed.
fn files(folder: &Path, extension: &str, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if path.is_dir() {
            if !matches!(name, "target" | "node_modules" | ".git") && !name.ends_with("venv") {
                files(&path, extension, found);
            }
        } else if path.extension().is_some_and(|found| found == extension) {
            found.push(path);
        }
    }
}

fn documents() -> Vec<(PathBuf, String)> {
    let mut paths = Vec::new();
    files(&root(), "md", &mut paths);
    let read = |path: PathBuf| {
        let text = fs::read_to_string(&path).unwrap();
        (path, text)
    };
    paths.into_iter().map(read).collect()
}

/// The names of all test functions.
fn tests() -> BTreeSet<String> {
    let mut paths = Vec::new();
    files(&root(), "rs", &mut paths);
    let mut names = BTreeSet::new();
    for path in paths {
        let text = fs::read_to_string(path).unwrap();
        let mut marked = false;
        for line in text.lines().map(str::trim) {
            if line.starts_with("#[test]") || line.starts_with("#[tokio::test") {
                marked = true;
            } else if marked && let Some((_, rest)) = line.split_once("fn ") {
                names.insert(rest.split(['(', '<']).next().unwrap().to_owned());
                marked = false;
            }
        }
    }
    names
}

/// What a line has between backticks.
fn quoted(line: &str) -> impl Iterator<Item = &str> {
    line.split('`').skip(1).step_by(2)
}

/// A name that can only be that of a test: words with underscores between them.
fn is_test_name(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_lowercase())
        && name.matches('_').count() >= 3
        && name
            .bytes()
            .all(|byte| byte == b'_' || byte.is_ascii_lowercase() || byte.is_ascii_digit())
}

#[test]
fn tests_that_the_documents_name_exist() {
    let tests = tests();
    assert!(tests.len() > 300, "{}", tests.len());
    let mut missing = Vec::new();
    for (path, text) in documents() {
        for line in text.lines() {
            for name in quoted(line).filter(|name| is_test_name(name)) {
                if !tests.contains(name) {
                    missing.push(format!("{}: {name}", path.display()));
                }
            }
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

#[test]
fn threats_are_numbered_and_each_has_its_tests() {
    let text = fs::read_to_string(root().join("SECURITY.md")).unwrap();
    let tests = tests();
    let rows: Vec<&str> = text
        .lines()
        .filter(|line| line.starts_with("| T-"))
        .collect();
    assert!(rows.len() >= 60, "{}", rows.len());
    for (number, row) in rows.iter().enumerate() {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        let [id, attack, defence, named] = cells[..] else {
            panic!("four cells: {row}")
        };
        assert_eq!(id, format!("T-{:02}", number + 1), "{row}");
        assert!(!attack.is_empty() && !defence.is_empty(), "{row}");
        let named: Vec<&str> = quoted(named).collect();
        assert!(!named.is_empty(), "{row}");
        for name in named {
            assert!(tests.contains(name), "{id}: there is no test {name}");
        }
    }
}

#[test]
fn every_limit_is_in_the_table() {
    let security = fs::read_to_string(root().join("SECURITY.md")).unwrap();
    let limits = fs::read_to_string(root().join("runtime/src/code_runtime/limits.rs")).unwrap();
    let fields: Vec<&str> = limits
        .lines()
        .filter_map(|line| line.trim().strip_prefix("pub ")?.split_once(": "))
        .map(|(name, _)| name)
        .collect();
    assert!(fields.len() >= 11, "{fields:?}");
    let tests = tests();
    for field in fields {
        let row = security
            .lines()
            .find(|line| line.starts_with('|') && line.contains(&format!("| `{field}` |")))
            .unwrap_or_else(|| panic!("the limit {field} has no row"));
        let test = quoted(row).last().unwrap();
        assert!(tests.contains(test), "{field}: there is no test {test}");
    }
}

#[test]
fn links_lead_somewhere() {
    let mut broken = Vec::new();
    for (path, text) in documents() {
        for target in text
            .split("](")
            .skip(1)
            .filter_map(|rest| rest.split(')').next())
        {
            let file = target.split('#').next().unwrap();
            let is_elsewhere = target.contains("://") || target.starts_with("mailto:");
            if !is_elsewhere && !file.is_empty() && !path.parent().unwrap().join(file).exists() {
                broken.push(format!("{}: {target}", path.display()));
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}
