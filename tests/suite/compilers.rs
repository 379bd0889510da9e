//! The real compilers that read the SDK text: TypeScript's, CPython's parser, and mypy. See `sdk-check/`.
#![expect(clippy::unwrap_used, reason = "a test that can't be set up fails")]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use lockgate::Json;

/// Where a compiler found fault.
#[derive(Debug)]
pub(crate) struct Complaint {
    pub(crate) file: String,
    pub(crate) line: u64,
    pub(crate) message: String,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("sdk-check")
}

/// Says why a check is left out; with `LOCKGATE_REQUIRE_COMPILERS` set, as in CI, that is a failure.
pub(crate) fn skip(what: &str) {
    assert!(
        std::env::var_os("LOCKGATE_REQUIRE_COMPILERS").is_none(),
        "{what}"
    );
    println!("skipped: {what}");
}

fn succeeds(command: &mut Command) -> bool {
    command.output().is_ok_and(|output| output.status.success())
}

/// True when the pinned TypeScript compiler is there, after `npm ci` if need be.
pub(crate) fn has_typescript() -> bool {
    static READY: OnceLock<bool> = OnceLock::new();
    let ready = *READY.get_or_init(|| {
        let installed = folder()
            .join("node_modules/typescript/package.json")
            .exists();
        let node = succeeds(Command::new("node").arg("--version"));
        let install = ["ci", "--no-audit", "--no-fund", "--ignore-scripts"];
        node && (installed || succeeds(Command::new("npm").args(install).current_dir(folder())))
    });
    if !ready {
        skip("there is no TypeScript compiler: `npm ci` in tests/sdk-check failed");
    }
    ready
}

/// What TypeScript says in strict mode about files that are each a program of their own.
pub(crate) fn check_typescript(files: &[PathBuf]) -> Vec<Complaint> {
    let output = Command::new("node")
        .arg(folder().join("check.mjs"))
        .args(files)
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let lines = String::from_utf8(output.stdout).unwrap();
    lines
        .lines()
        .map(|line| {
            let entry = Json::parse(line).unwrap();
            Complaint {
                file: entry["file"].as_str().unwrap_or_default().to_owned(),
                line: entry["line"].as_u64().unwrap_or_default(),
                message: format!("TS{} {}", entry["code"], entry["message"]),
            }
        })
        .collect()
}

/// What CPython's parser says about files.
pub(crate) fn parse_python(files: &[PathBuf]) -> Option<Vec<Complaint>> {
    const PROGRAM: &str = "
import ast, sys
for name in sys.argv[1:]:
    with open(name, encoding='utf-8', newline='') as file:
        text = file.read()
    try:
        ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        print(name, getattr(error, 'lineno', 0) or 0, repr(error), sep='\\t')
";
    let Ok(output) = Command::new("python3")
        .args(["-c", PROGRAM])
        .args(files)
        .output()
    else {
        skip("there is no python3");
        return None;
    };
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let lines = String::from_utf8(output.stdout).unwrap();
    Some(
        lines
            .lines()
            .filter_map(|line| complaint(&mut line.splitn(3, '\t')))
            .collect(),
    )
}

/// What mypy says in strict mode about files.
pub(crate) fn check_python(files: &[PathBuf]) -> Option<Vec<Complaint>> {
    static MYPY: OnceLock<Option<PathBuf>> = OnceLock::new();
    let Some(mypy) = MYPY.get_or_init(install_mypy) else {
        skip(
            "there is no mypy: installing tests/sdk-check/requirements.txt into a virtual environment failed",
        );
        return None;
    };
    let cache = tempfile::tempdir().unwrap();
    let mut complaints = Vec::new();
    for file in files {
        let options = [
            "--strict",
            "--no-error-summary",
            "--hide-error-context",
            "--show-absolute-path",
            "--no-color-output",
        ];
        let output = Command::new(mypy)
            .args(options)
            .arg("--cache-dir")
            .arg(cache.path())
            .arg(file)
            .output()
            .unwrap();
        let status = output.status.code();
        let lines = String::from_utf8(output.stdout).unwrap();
        assert!(
            matches!(status, Some(0 | 1)),
            "{lines}{}",
            String::from_utf8_lossy(&output.stderr)
        );
        let found = lines.lines().filter(|line| line.contains(": error: "));
        complaints.extend(found.filter_map(|line| complaint(&mut line.splitn(3, ':'))));
    }
    Some(complaints)
}

fn install_mypy() -> Option<PathBuf> {
    let environment = folder().join(".venv");
    let mypy = environment.join("bin/mypy");
    let ready = mypy.exists()
        || succeeds(
            Command::new("python3")
                .args(["-m", "venv"])
                .arg(&environment),
        ) && succeeds(
            Command::new(environment.join("bin/python"))
                .args(["-m", "pip", "install", "--quiet", "--requirement"])
                .arg(folder().join("requirements.txt")),
        );
    ready.then_some(mypy)
}

fn complaint<'a>(parts: &mut impl Iterator<Item = &'a str>) -> Option<Complaint> {
    let file = Path::new(parts.next()?)
        .file_name()?
        .to_string_lossy()
        .into_owned();
    let line = parts.next()?.trim().parse().ok()?;
    Some(Complaint {
        file,
        line,
        message: parts.next()?.trim().to_owned(),
    })
}
