//! Programs of the kind that models write give in the sandbox what CPython gives natively. See `python-programs/`.
#![expect(clippy::unwrap_used, reason = "a test that can't be set up fails")]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;
use lockgate::code_runtime::{
    Binding, CallCompletion, CallHandler, CodeRequest, CodeRuntime, ProgramCall,
};
use lockgate::{Json, json};

use crate::compilers::skip;
use crate::sandbox_support::python;

/// Below this many programs the corpus does not show what it is there to show.
const LEAST: usize = 100;

const FUNCTIONS: [&str; 4] = ["echo", "lookup", "fail", "wait"];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("python-programs")
}

/// The programs, in the order of their names.
fn programs() -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = std::fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|suffix| suffix == "py"))
        .filter(|path| !path.ends_with("native.py"))
        .collect();
    found.sort();
    found
}

/// The tools of the programs; `native.py` has the same.
struct Table {
    entries: Json,
    running: FuturesUnordered<BoxFuture<'static, CallCompletion>>,
}

impl Table {
    fn call(&self, name: &str, arguments: &Json) -> Result<Json, String> {
        let text = |key: &str| arguments.get(key).and_then(Json::as_str);
        match name {
            "lookup" => {
                let key = text("key").unwrap_or_default();
                let entry = self.entries.get(key);
                entry.cloned().ok_or_else(|| format!("there is no {key}"))
            }
            "fail" => Err(text("why").unwrap_or("the tool failed").to_owned()),
            _ => Ok(arguments.clone()),
        }
    }
}

impl CallHandler for Table {
    fn submit(&mut self, call: ProgramCall) {
        let arguments = call.arguments.unwrap_or(json!({}));
        let name = FUNCTIONS[call.function];
        let outcome = self.call(name, &arguments);
        let time = arguments.get("ms").and_then(Json::as_u64);
        let time = time.filter(|_| name == "wait").unwrap_or(0);
        self.running.push(Box::pin(async move {
            if time > 0 {
                tokio::time::sleep(Duration::from_millis(time)).await;
            }
            CallCompletion {
                id: call.id,
                outcome,
            }
        }));
    }

    fn poll_completion(&mut self, cx: &mut Context<'_>) -> Poll<CallCompletion> {
        match self.running.poll_next_unpin(cx) {
            Poll::Ready(Some(completion)) => Poll::Ready(completion),
            _ => Poll::Pending,
        }
    }

    fn unsettled(&self) -> usize {
        self.running.len()
    }
}

/// What a program returned (or the error that ended it), and what it printed.
type Seen = (Result<Json, String>, String);

/// Runs the programs in the CPython of this machine.
fn natively(programs: &[PathBuf]) -> Option<Vec<Seen>> {
    let output = Command::new("python3")
        .arg("-I")
        .arg(folder().join("native.py"))
        .arg(folder().join("table.json"))
        .args(programs)
        .env("PYTHONUTF8", "1")
        .output();
    let Ok(output) = output else {
        skip("there is no python3");
        return None;
    };
    let lines = String::from_utf8(output.stdout).unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let seen = |line: &str| {
        let entry = Json::parse(line).unwrap();
        let printed = entry["output"].as_str().unwrap();
        let printed = printed.strip_suffix('\n').unwrap_or(printed).to_owned();
        let end = match entry.get("result") {
            Some(value) => Ok(value.clone()),
            None => Err(entry["error"].as_str().unwrap_or_default().to_owned()),
        };
        (end, printed)
    };
    Some(lines.lines().map(seen).collect())
}

async fn in_the_sandbox(source: &str) -> Option<Seen> {
    let bindings = [Binding {
        global: "tools".into(),
        functions: FUNCTIONS.map(Arc::from).to_vec(),
    }];
    let table = std::fs::read_to_string(folder().join("table.json")).unwrap();
    let mut table = Table {
        entries: Json::parse(&table).unwrap(),
        running: FuturesUnordered::new(),
    };
    let request = CodeRequest::new(source, &bindings, &mut table);
    let result = python()?.run(request).await.unwrap();
    let end = match result.outcome {
        Ok(value) => Ok(value.unwrap_or(json!(null))),
        Err(failure) => Err(format!("{}: {}", failure.name, failure.message)),
    };
    let lines: Vec<&str> = result.logs.iter().map(|line| line.text.as_str()).collect();
    Some((end, lines.join("\n")))
}

// SPEC J9, H3, K2
#[tokio::test]
async fn programs_give_what_cpython_gives_natively() {
    let programs = programs();
    assert!(programs.len() >= LEAST, "{} programs", programs.len());
    let Some(native) = natively(&programs) else {
        return;
    };
    assert_eq!(native.len(), programs.len());
    let mut wrong = Vec::new();
    for (path, native) in programs.iter().zip(native) {
        let source = std::fs::read_to_string(path).unwrap();
        let Some(seen) = in_the_sandbox(&source).await else {
            return;
        };
        // A failure's message says more in the sandbox: hints, causes.
        let same = match (&seen.0, &native.0) {
            (Err(seen), Err(native)) => seen.starts_with(native.as_str()),
            (seen, native) => seen == native,
        };
        if !same || seen.1 != native.1 {
            let name = path.file_name().unwrap_or_default().display();
            wrong.push(format!("{name}:\n  sandbox {seen:?}\n  native  {native:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
