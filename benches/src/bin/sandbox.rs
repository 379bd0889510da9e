//! What the bare sandbox costs: building it, a fresh run, a call, how late it stops a hot loop, what a paused run holds.
//!
//! `cargo run --release -p lockgate-benches --bin sandbox`. Medians, in this process.

use std::collections::VecDeque;
use std::error::Error;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use cpu_time::ProcessTime;
use lockgate::code_runtime::{
    Binding, CallCompletion, CallHandler, CodeLanguage, CodeLimits, CodeRequest, CodeRuntime,
    ProgramCall,
};
use lockgate::json;
use lockgate::sandbox::Sandbox;

/// Answers each call at once, or never.
#[derive(Default)]
struct Calls {
    ready: VecDeque<u32>,
    hanging: usize,
}

impl CallHandler for Calls {
    fn submit(&mut self, call: ProgramCall) {
        match call.function {
            0 => self.ready.push_back(call.id),
            _ => self.hanging += 1,
        }
    }

    fn poll_completion(&mut self, _cx: &mut Context<'_>) -> Poll<CallCompletion> {
        match self.ready.pop_front() {
            Some(id) => Poll::Ready(CallCompletion {
                id,
                outcome: Ok(json!(1)),
            }),
            None => Poll::Pending,
        }
    }

    fn unsettled(&self) -> usize {
        self.ready.len() + self.hanging
    }
}

async fn run(sandbox: &Sandbox, source: &str, limits: CodeLimits) -> Result<(), Box<dyn Error>> {
    let bindings = [Binding {
        global: "tools".into(),
        functions: vec!["noop".into(), "hang".into()],
    }];
    let mut calls = Calls::default();
    let mut request = CodeRequest::new(source, &bindings, &mut calls);
    request.limits = limits;
    sandbox.run(request).await?;
    Ok(())
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// The private memory of this process, in KiB.
fn private_kib() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/self/smaps_rollup").ok()?;
    let line = text.lines().find(|line| line.starts_with("Anonymous:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

fn main() -> Result<(), Box<dyn Error>> {
    let began = Instant::now();
    let sandbox = Sandbox::builder()
        .language(CodeLanguage::JavaScript)
        .build_blocking()?;
    println!("build, first in the process: {:.1?}", began.elapsed());
    let began = Instant::now();
    let typescript = Sandbox::builder().build_blocking()?;
    println!("build, second, with the stripper: {:.1?}", began.elapsed());
    let began = Instant::now();
    let wide = Arc::new(
        Sandbox::builder()
            .language(CodeLanguage::JavaScript)
            .max_concurrent_runs(1000)
            .build_blocking()?,
    );
    println!("build with 1,000 slots: {:.1?}", began.elapsed());
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let limits = CodeLimits {
        calls: u64::MAX,
        ..CodeLimits::default()
    };

    for (name, sandbox) in [("JavaScript", &sandbox), ("TypeScript", &typescript)] {
        let mut rounds = Vec::new();
        for _ in 0..9 {
            let began = ProcessTime::now();
            runtime.block_on(async {
                for _ in 0..300 {
                    run(sandbox, "return 1+1", limits).await?;
                }
                Ok::<_, Box<dyn Error>>(())
            })?;
            rounds.push(began.elapsed().as_secs_f64() * 1e6 / 300.0);
        }
        println!("{name}: fresh run: {:.1} µs CPU", median(rounds));
    }
    for (name, source) in [
        (
            "sequential",
            "for (let i = 0; i < 10000; i++) await tools.noop({i})",
        ),
        (
            "Promise.all",
            "await Promise.all(Array.from({length: 10000}, (_, i) => tools.noop({i})))",
        ),
    ] {
        let mut rounds = Vec::new();
        for _ in 0..9 {
            let began = ProcessTime::now();
            runtime.block_on(run(&sandbox, source, limits))?;
            rounds.push(began.elapsed().as_secs_f64() * 1e6 / 10_000.0);
        }
        println!("a call, {name}: {:.2} µs CPU", median(rounds));
    }

    let mut late = Vec::new();
    for _ in 0..100 {
        let began = Instant::now();
        let limits = CodeLimits {
            compute: Duration::from_millis(20),
            ..limits
        };
        runtime.block_on(run(&sandbox, "for(;;);", limits))?;
        late.push(began.elapsed().as_secs_f64() * 1e3 - 20.0);
    }
    let most = late.iter().copied().fold(0.0, f64::max);
    println!(
        "a hot loop is stopped late by {:.2} ms, at most {most:.2} ms",
        median(late)
    );

    runtime.block_on(async {
        let tasks = tokio::task::LocalSet::new();
        let before = private_kib().unwrap_or(f64::NAN);
        for _ in 0..1000 {
            let wide = Arc::clone(&wide);
            tasks
                .spawn_local(async move { run(&wide, "await tools.hang()", limits).await.is_ok() });
        }
        tasks
            .run_until(tokio::time::sleep(Duration::from_secs(1)))
            .await;
        let after = private_kib().unwrap_or(f64::NAN);
        println!(
            "1,000 paused runs: {:.0} KiB private each",
            (after - before) / 1000.0
        );
    });
    Ok(())
}
