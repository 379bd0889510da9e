//! What a program costs through the public API with the whole pipeline on: a fresh run, and one sub-call more.
//!
//! `cargo run --release -p lockgate-benches --bin run_code [-- --lang LANGUAGE]`. CPU time of the process, medians over rounds.
//! Python takes its guest: `cargo xtask guests python`.

use std::{error::Error, sync::Arc, time::Duration};

use cpu_time::ProcessTime;
use lockgate::{
    CallRequest, Json, Mode, Registry, Tool,
    code_runtime::{CodeLanguage, CodeLimits},
    json,
    sandbox::Sandbox,
};

const ROUNDS: usize = 15;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let wanted = std::env::args().skip_while(|arg| arg != "--lang").nth(1);
    for language in CodeLanguage::ALL {
        let chosen = match &wanted {
            Some(wanted) => language.as_str() == wanted,
            None => language != CodeLanguage::Python,
        };
        if !chosen {
            continue;
        }
        let registry = registry(language).await?;
        let fresh = median(ROUNDS, async || per_run(&registry, "return 1+1", 400).await).await;
        println!("{language}: fresh run of `return 1+1`: {fresh:.1} µs CPU");
        let (sequential, parallel) = match language {
            CodeLanguage::TypeScript => continue,
            CodeLanguage::JavaScript => (
                "const N = {N}; for (let i = 0; i < N; i++) await tools.noop({ i }); return N",
                "const N = {N}; await Promise.all(Array.from({ length: N }, (_, i) => tools.noop({ i }))); return N",
            ),
            CodeLanguage::Python => (
                "for i in range({N}): await tools.noop({'i': i})",
                "import asyncio\nawait asyncio.gather(*(tools.noop({'i': i}) for i in range({N})))",
            ),
        };
        let one = sub_calls(&registry, sequential).await;
        println!("{language}: a sequential sub-call: {one:.1} µs CPU");
        let one = sub_calls(&registry, parallel).await;
        println!("{language}: one of many parallel sub-calls: {one:.1} µs CPU");
    }
    Ok(())
}

async fn registry(language: CodeLanguage) -> Result<Registry, Box<dyn Error>> {
    let sandbox = Sandbox::builder().language(language).build().await?;
    let limits = CodeLimits {
        calls: 1_000_000,
        ..CodeLimits::default()
    };
    let registry = Registry::builder()
        .mode(Mode::Code)
        .code_runtime(Arc::new(sandbox))
        .code_limits(limits)
        .build()?;
    let noop = Tool::builder("noop", "Does nothing.")
        .parameters(&json!({"type": "object", "properties": {"i": {"type": "integer"}}}))
        .output(&json!({"type": "null"}))
        .concurrency_safe(true)
        .execute(|_, _| async { Ok(Json::Null) })
        .build()?;
    registry.register(noop)?.keep();
    Ok(registry)
}

/// µs of CPU that one run takes, over `runs` runs.
async fn per_run(registry: &Registry, program: &str, runs: u32) -> f64 {
    let start = ProcessTime::now();
    for _ in 0..runs {
        run(registry, program).await;
    }
    micros(start.elapsed()) / f64::from(runs)
}

/// µs of CPU that one more call takes: the difference of a long and a short run.
async fn sub_calls(registry: &Registry, program: &str) -> f64 {
    const SHORT: u32 = 100;
    const LONG: u32 = 5_100;
    let program = |calls: u32| program.replace("{N}", &calls.to_string());
    median(ROUNDS, async || {
        let short = per_run(registry, &program(SHORT), 3).await;
        let long = per_run(registry, &program(LONG), 3).await;
        (long - short) / f64::from(LONG - SHORT)
    })
    .await
}

async fn run(registry: &Registry, program: &str) {
    let arguments = json!({"code": program, "description": "a benchmark"});
    let result = registry
        .execute(CallRequest::new("bench", "run_code", arguments))
        .await;
    assert!(!result.is_error(), "{}", result.text());
}

async fn median(rounds: usize, round: impl AsyncFn() -> f64) -> f64 {
    round().await;
    let mut figures = Vec::with_capacity(rounds);
    for _ in 0..rounds {
        figures.push(round().await);
    }
    figures.sort_by(f64::total_cmp);
    figures[rounds / 2]
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}
