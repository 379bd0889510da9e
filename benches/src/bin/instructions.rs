//! The guard against regressions: how many instructions fixed scenarios take, against a checked-in baseline.
//!
//! `cargo xtask bench instructions` counts by valgrind's callgrind and fails where a scenario takes more than the tolerance
//! allows; `--bless` writes the baseline anew. Counts do not depend on how busy the machine is. They do depend on the compiler:
//! bless when it changes, or the guests do.

use std::collections::BTreeMap;
use std::error::Error;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::sync::Arc;

use lockgate::code_runtime::CodeLanguage;
use lockgate::sandbox::Sandbox;
use lockgate::{CallRequest, Json, Mode, Registry, Tool, json};
use lockgate_benches::stats::digits;
use lockgate_benches::work;
use serde::{Deserialize, Serialize};

type Failed = Box<dyn Error + Send + Sync>;

/// A scenario's cost is the difference of a long and a short run, per iteration: what starting takes is in both.
const SHORT: u64 = 10;
const LONG: u64 = 60;

/// Each scenario, and what one iteration of it is.
const SCENARIOS: &[(&str, &str)] = &[
    (
        "pipeline",
        "100 calls of a no-op tool through the pipeline, with a listener in each stage",
    ),
    ("sdk", "the prompt of 200 tools"),
    ("fresh_run", "run_code of `return 1 + 1`"),
    ("typescript", "run_code of 50 lines of TypeScript"),
    (
        "sub_calls",
        "run_code with 200 sub-calls one after the other and 200 at one time",
    ),
    (
        "payload",
        "run_code with a result of 100 KB in and 100 KB out",
    ),
];

#[derive(Serialize, Deserialize)]
struct Baseline {
    /// Percent by which a count may differ.
    tolerance_percent: f64,
    /// Thousands of instructions of one iteration.
    scenarios: BTreeMap<String, f64>,
}

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let done = match *args {
        [] => check(false),
        ["--bless"] => check(true),
        ["--scenario", name, iterations] => scenario(name, iterations).map(|()| true),
        _ => Err("usage: instructions [--bless]".into()),
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("instructions: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Counts all scenarios; whether they are within the tolerance.
fn check(bless: bool) -> Result<bool, Failed> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("instructions.json");
    let mut baseline: Baseline = serde_json::from_str(&std::fs::read_to_string(&file)?)?;
    let mut holds = true;
    // Guests are compiled for valgrind's processor once, outside of what is counted. TypeScript needs all of them.
    count("typescript", 1)?;
    for (name, what) in SCENARIOS {
        let spent = count(name, LONG)?.saturating_sub(count(name, SHORT)?);
        let thousands = spent as f64 / (LONG - SHORT) as f64 / 1e3;
        let before = baseline.scenarios.get(*name).copied();
        let change = before.map_or(0.0, |before| (thousands / before - 1.0) * 100.0);
        let verdict = if before.is_none() {
            "new"
        } else if change > baseline.tolerance_percent {
            holds = false;
            "MORE"
        } else if change < -baseline.tolerance_percent {
            "less: bless it"
        } else {
            "ok"
        };
        println!(
            "{name:<12} {:>9} thousand instructions {change:>+7.2} %  {verdict:<14}  {what}",
            digits(thousands)
        );
        if bless {
            baseline
                .scenarios
                .insert((*name).to_owned(), thousands.round());
        }
    }
    if bless {
        std::fs::write(&file, serde_json::to_string_pretty(&baseline)? + "\n")?;
        return Ok(true);
    }
    if !holds {
        println!(
            "a scenario takes over {} % more than benches/instructions.json says; if that is meant, \
             `cargo xtask bench instructions --bless`",
            baseline.tolerance_percent
        );
    }
    Ok(holds)
}

/// Instructions of this program in a scenario, start and end included.
fn count(name: &str, iterations: u64) -> Result<u64, Failed> {
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(std::env::current_exe()?)
        .args(["--scenario", name, &iterations.to_string()])
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("can't start valgrind (is it installed?): {error}"))?;
    let text = String::from_utf8_lossy(&output.stderr);
    let collected = text
        .lines()
        .find_map(|line| line.split_once("Collected :")?.1.trim().parse().ok());
    match collected {
        Some(count) if output.status.success() => Ok(count),
        _ => Err(format!("scenario {name} failed under valgrind:\n{text}").into()),
    }
}

fn scenario(name: &str, iterations: &str) -> Result<(), Failed> {
    let iterations = iterations.parse()?;
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?
        .block_on(repeat(name, iterations))
}

async fn repeat(name: &str, iterations: u64) -> Result<(), Failed> {
    let javascript = CodeLanguage::JavaScript;
    match name {
        "pipeline" => {
            let registry = tools(Registry::new(), 1)?;
            registry
                .on_pre_execute(|_, next| async move { next.run().await })?
                .keep();
            registry.guard(|_| None)?.keep();
            registry
                .on_execute(|_, next| async move { next.run().await })?
                .keep();
            registry
                .on_post_execute(|_, next| async move { next.run().await })?
                .keep();
            for _ in 0..iterations * 100 {
                let call = CallRequest::new("c", "tool_0", json!({"path": "a/b", "depth": 3}));
                if registry.execute(call).await.is_error() {
                    return Err("the call failed".into());
                }
            }
        }
        "sdk" => {
            let registry = tools(coded(CodeLanguage::TypeScript)?, 200)?;
            for _ in 0..iterations {
                registry.assemble()?;
            }
        }
        "fresh_run" => {
            let registry = tools(coded(javascript)?, 1)?;
            programs(&registry, "return 1 + 1", iterations).await?;
        }
        "typescript" => {
            let registry = tools(coded(CodeLanguage::TypeScript)?, 1)?;
            let program =
                work::find("p1_lines").and_then(|work| work.program(CodeLanguage::TypeScript));
            programs(&registry, program.unwrap_or_default(), iterations).await?;
        }
        "sub_calls" => {
            let registry = tools(coded(javascript)?, 1)?;
            let program = "const calls = [];
                for (let i = 0; i < 200; i++) await tools.tool_0({ depth: i });
                for (let i = 0; i < 200; i++) calls.push(tools.tool_0({ depth: i }));
                return (await Promise.all(calls)).length;";
            programs(&registry, program, iterations).await?;
        }
        "payload" => {
            let registry = coded(javascript)?;
            let row = json!({"id": 1234567, "name": "A name of a product that is so long", "price": 12.75, "tags": ["red", "new", null]});
            let rows: Json = std::iter::repeat_n(row, 1000).collect();
            let give = tool("give", rows)?;
            registry.register(give)?.keep();
            programs(&registry, "return await tools.give({})", iterations).await?;
        }
        other => return Err(format!("there is no scenario {other}").into()),
    }
    Ok(())
}

fn coded(language: CodeLanguage) -> Result<Registry, Failed> {
    let sandbox = Sandbox::builder()
        .language(language)
        .max_concurrent_runs(1)
        .build_blocking()?;
    let registry = Registry::builder()
        .mode(Mode::Code)
        .code_runtime(Arc::new(sandbox))
        .build()?;
    Ok(registry)
}

fn tools(registry: Registry, count: usize) -> Result<Registry, Failed> {
    for index in 0..count {
        registry
            .register(tool(&format!("tool_{index}"), json!("done"))?)?
            .keep();
    }
    Ok(registry)
}

fn tool(name: &str, answer: Json) -> Result<Tool, Failed> {
    let tool = Tool::builder(
        name,
        "A tool of the scenarios, with a line that says what it is for.",
    )
    .parameters(&json!({
        "type": "object",
        "properties": {
            "path": {"type": "string", "description": "Where to look."},
            "depth": {"type": "integer", "description": "How deep to go."},
            "kind": {"type": "string", "enum": ["file", "folder"]},
        },
    }))
    .output(&json!({}))
    .concurrency_safe(true)
    .execute(move |_, _| {
        let answer = answer.clone();
        async move { Ok(answer) }
    })
    .build()?;
    Ok(tool)
}

async fn programs(registry: &Registry, program: &str, iterations: u64) -> Result<(), Failed> {
    for _ in 0..iterations {
        let arguments = json!({"code": program, "description": "a scenario"});
        let call = CallRequest::new("c", "run_code", arguments);
        let result = registry.execute(call).await;
        if result.is_error() {
            return Err(result.text().into());
        }
    }
    Ok(())
}
