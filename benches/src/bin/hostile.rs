//! How the sandbox bears hostile programs: how late they are stopped, what they cost the others, what stays behind.
//!
//! `cargo xtask bench hostile kills|fairness|many|soak [MINUTES]`. Wall times: run it on an idle machine.

use std::collections::BTreeMap;
use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use lockgate::code_runtime::{CodeLanguage, CodeLimits, CodeRequest, CodeRuntime, NoCalls};
use lockgate::events::{Event, EventSink};
use lockgate::sandbox::Sandbox;
use lockgate::{CallRequest, Mode, Registry, Tool, ToolResult, json};
use lockgate_benches::process_tree::private_bytes_of;
use lockgate_benches::stats::digits;

type Failed = Box<dyn Error + Send + Sync>;

/// Programs that never end by themselves.
const ENDLESS: [&str; 6] = [
    "for(;;);",
    "for(;;) try { for(;;); } finally { continue }",
    "const f = () => Promise.resolve().then(f); await f()",
    "return /^(a+)+$/.test('a'.repeat(40) + '!')",
    "return [3, 1, 2].sort(() => { for(;;); })",
    "async function* g() { for(;;) yield 1 } for await (const x of g());",
];

/// Programs that use up something else than time.
const GREEDY: [&str; 5] = [
    "const kept = []; for(;;) kept.push(new Array(1e5).fill({}))",
    "for(;;) console.log('x'.repeat(1000))",
    "for(;;) tools.nap({}).catch(() => 0)",
    "const f = () => f(); f()",
    "return Array(1e7).fill([])",
];

/// What an agent's program does: some calls, some of them at once, some computing.
const GOOD: &str = "
    const first = await tools.nap({ ms: 1 });
    const rest = await Promise.all([1, 2, 3, 4].map((ms) => tools.nap({ ms })));
    let sum = 0;
    for (let n = 0; n < 2000; n++) sum += n % 7;
    return rest.length + sum";

#[tokio::main]
async fn main() -> Result<(), Failed> {
    let mut args = std::env::args().skip(1);
    match args.next().as_deref() {
        Some("kills") => kills().await,
        Some("fairness") => fairness().await,
        Some("many") => many().await,
        Some("soak") => {
            let minutes = args.next().map_or(Ok(10.0), |text| text.parse())?;
            soak(Duration::from_secs_f64(60.0 * minutes)).await
        }
        _ => Err("say which: kills, fairness, many or soak [MINUTES]".into()),
    }
}

/// The value below which this part of the sorted ones lies.
fn quantile(sorted: &[Duration], part: f64) -> f64 {
    let at = (sorted.len() as f64 * part) as usize;
    let at = at.min(sorted.len().saturating_sub(1));
    sorted.get(at).map_or(f64::NAN, Duration::as_secs_f64) * 1e3
}

async fn kills() -> Result<(), Failed> {
    const KILLS: usize = 1000;
    const LIMIT: Duration = Duration::from_millis(50);
    let sandbox = Sandbox::builder()
        .language(CodeLanguage::JavaScript)
        .build()
        .await?;
    let mut overshoots = Vec::with_capacity(KILLS);
    for kill in 0..KILLS {
        let mut calls = NoCalls;
        let mut request = CodeRequest::new(ENDLESS[kill % ENDLESS.len()], &[], &mut calls);
        request.limits.compute = LIMIT;
        let began = Instant::now();
        let result = sandbox.run(request).await?;
        let took = began.elapsed();
        if result.outcome.is_ok() {
            return Err("a program that never ends has ended".into());
        }
        overshoots.push(took.saturating_sub(LIMIT));
    }
    overshoots.sort();
    println!(
        "{KILLS} programs stopped at {} ms of compute time; late by p50 {} ms, p99 {} ms, at most {} ms (bounds: p99 20, at most 100)",
        LIMIT.as_millis(),
        digits(quantile(&overshoots, 0.5)),
        digits(quantile(&overshoots, 0.99)),
        digits(quantile(&overshoots, 1.0)),
    );
    Ok(())
}

/// Counts what starts and what settles.
#[derive(Default)]
struct Ledger {
    started: AtomicU64,
    settled: AtomicU64,
}

impl EventSink for Ledger {
    fn record(&self, event: &Event) {
        match event {
            Event::DispatchStarted { .. } => self.started.fetch_add(1, Ordering::Relaxed),
            Event::DispatchSettled { .. } => self.settled.fetch_add(1, Ordering::Relaxed),
            _ => 0,
        };
    }
}

fn registry(
    sandbox: &Arc<Sandbox>,
    limits: CodeLimits,
    ledger: &Arc<Ledger>,
) -> Result<Registry, Failed> {
    let registry = Registry::builder()
        .mode(Mode::Code)
        .code_runtime(sandbox.clone())
        .code_limits(limits)
        .events(ledger.clone())
        .build()?;
    let nap = Tool::builder("nap", "Sleeps for `ms` milliseconds.")
        .parameters(&json!({"type": "object", "properties": {"ms": {"type": "integer"}}}))
        .output(&json!({"type": "integer"}))
        .concurrency_safe(true)
        .execute(|args, _| async move {
            let ms = args.get("ms").and_then(|ms| ms.as_u64()).unwrap_or(0);
            if ms > 0 {
                tokio::time::sleep(Duration::from_millis(ms)).await;
            }
            Ok(json!(ms))
        });
    registry.register(nap.build()?)?.keep();
    Ok(registry)
}

async fn run(registry: &Registry, program: &str) -> ToolResult {
    let arguments = json!({"code": program, "description": "a benchmark"});
    registry
        .execute(CallRequest::new("c", "run_code", arguments))
        .await
}

async fn sandbox(runs: u32) -> Result<Arc<Sandbox>, Failed> {
    let builder = Sandbox::builder().language(CodeLanguage::JavaScript);
    Ok(Arc::new(builder.max_concurrent_runs(runs).build().await?))
}

/// Times of well-behaved programs from 18 tasks, beside `hostile` tasks of other ones.
async fn beside(
    sandbox: &Arc<Sandbox>,
    hostile: usize,
    span: Duration,
) -> Result<Vec<Duration>, Failed> {
    const GOOD_TASKS: usize = 18;
    let ledger = Arc::new(Ledger::default());
    let good = registry(sandbox, CodeLimits::default(), &ledger)?;
    let limits = CodeLimits {
        compute: Duration::from_secs(2),
        memory_bytes: 64 << 20,
        output_bytes: 8 << 20,
        ..CodeLimits::default()
    };
    let bad = registry(sandbox, limits, &ledger)?;
    let over = Arc::new(AtomicBool::new(false));
    let hostile: Vec<_> = (0..hostile)
        .map(|task| {
            let (bad, over) = (bad.clone(), over.clone());
            tokio::spawn(async move {
                for round in task.. {
                    let program = match round % 3 {
                        2 => GREEDY[(round / 3) % GREEDY.len()],
                        _ => ENDLESS[(round / 3) % ENDLESS.len()],
                    };
                    if over.load(Ordering::Relaxed) {
                        return;
                    }
                    run(&bad, program).await;
                }
            })
        })
        .collect();
    let tasks: Vec<_> = (0..GOOD_TASKS)
        .map(|_| {
            let good = good.clone();
            tokio::spawn(async move {
                let (began, mut times) = (Instant::now(), Vec::new());
                while began.elapsed() < span {
                    let before = Instant::now();
                    let result = run(&good, GOOD).await;
                    times.push(before.elapsed());
                    if result.is_error() {
                        return Err(result.text());
                    }
                    tokio::time::sleep(Duration::from_millis(5)).await;
                }
                Ok(times)
            })
        })
        .collect();
    let mut times = Vec::new();
    for task in tasks {
        times.extend(task.await??);
    }
    over.store(true, Ordering::Relaxed);
    for task in hostile {
        task.await?;
    }
    times.sort();
    Ok(times)
}

async fn fairness() -> Result<(), Failed> {
    const SPAN: Duration = Duration::from_secs(10);
    let sandbox = sandbox(64).await?;
    beside(&sandbox, 0, Duration::from_secs(1)).await?;
    let alone = beside(&sandbox, 0, SPAN).await?;
    let mixed = beside(&sandbox, 2, SPAN).await?;
    for (what, times) in [("alone", &alone), ("beside 10 % hostile ones", &mixed)] {
        println!(
            "{} programs {what}: p50 {} ms, p99 {} ms",
            times.len(),
            digits(quantile(times, 0.5)),
            digits(quantile(times, 0.99)),
        );
    }
    println!(
        "p99 grows {} times (bound: 2)",
        digits(quantile(&mixed, 0.99) / quantile(&alone, 0.99))
    );
    Ok(())
}

async fn many() -> Result<(), Failed> {
    const RUNS: usize = 1000;
    const CALLS: usize = 100;
    let sandbox = sandbox(RUNS as u32).await?;
    let ledger = Arc::new(Ledger::default());
    let registry = registry(&sandbox, CodeLimits::default(), &ledger)?;
    let program = format!(
        "let done = 0; for (let n = 0; n < {}; n++) done += (await Promise.all([1, 2, 0, 1, 2].map((ms) => tools.nap({{ ms }})))).length; return done",
        CALLS / 5
    );
    let began = Instant::now();
    let tasks: Vec<_> = (0..RUNS)
        .map(|_| {
            let (registry, program) = (registry.clone(), program.clone());
            tokio::spawn(async move { run(&registry, &program).await })
        })
        .collect();
    for task in tasks {
        let result = task.await?;
        if result.value().map(|value| &value["result"]) != Some(&json!(CALLS)) {
            return Err(result.text().into());
        }
    }
    let (started, settled) = (
        ledger.started.load(Ordering::Relaxed),
        ledger.settled.load(Ordering::Relaxed),
    );
    println!(
        "{RUNS} runs at once with {CALLS} sub-calls each in {} s: {started} started, {settled} settled",
        digits(began.elapsed().as_secs_f64())
    );
    if started != settled || started != (RUNS * CALLS) as u64 {
        return Err("the ledger is not balanced".into());
    }
    Ok(())
}

async fn soak(span: Duration) -> Result<(), Failed> {
    const WARM_UP: Duration = Duration::from_secs(90);
    let sandbox = sandbox(32).await?;
    let ledger = Arc::new(Ledger::default());
    let limits = CodeLimits {
        compute: Duration::from_millis(300),
        wall: Duration::from_secs(2),
        memory_bytes: 64 << 20,
        output_bytes: 4 << 20,
        ..CodeLimits::default()
    };
    let registry = registry(&sandbox, limits, &ledger)?;
    let memory = || private_bytes_of("self") as f64 / f64::from(1 << 20);
    let mut ends: BTreeMap<String, u64> = BTreeMap::new();
    let began = Instant::now();
    let (mut base, mut next_told, mut round) = (None, WARM_UP, 0_usize);
    while began.elapsed() < WARM_UP + span {
        let tasks: Vec<_> = (0..16)
            .map(|task| {
                let registry = registry.clone();
                let at = round * 16 + task;
                let program = match at % 8 {
                    0 => ENDLESS[(at / 8) % ENDLESS.len()],
                    1 => GREEDY[(at / 8) % GREEDY.len()],
                    2 => "throw new Error('no')",
                    3 => "await tools.nap({ ms: 'no' })",
                    _ => GOOD,
                };
                let drops = at % 31 == 0;
                tokio::spawn(async move {
                    let running = run(&registry, program);
                    if drops {
                        let late = Duration::from_millis(3);
                        return match tokio::time::timeout(late, running).await {
                            Ok(result) => end_of(&result),
                            Err(_) => "dropped".to_owned(),
                        };
                    }
                    end_of(&running.await)
                })
            })
            .collect();
        for task in tasks {
            *ends.entry(task.await?).or_default() += 1;
        }
        round += 1;
        if began.elapsed() >= next_told {
            let now = memory();
            let base = *base.get_or_insert(now);
            println!(
                "{:5.0} s: {} MiB private, {} more than after the warm-up",
                began.elapsed().as_secs_f64(),
                digits(now),
                digits(now - base)
            );
            next_told += span / 10;
        }
    }
    println!("{} runs: {ends:?}", ends.values().sum::<u64>());
    let (started, settled) = (
        ledger.started.load(Ordering::Relaxed),
        ledger.settled.load(Ordering::Relaxed),
    );
    println!("{started} sub-calls started, {settled} settled");
    if started != settled {
        return Err("the ledger is not balanced".into());
    }
    Ok(())
}

/// How a run ended: `value`, or the kind of its failure.
fn end_of(result: &ToolResult) -> String {
    if !result.is_error() {
        return "value".to_owned();
    }
    let text = result.text();
    let kind = text.split(['[', ']', ':']).nth(2).unwrap_or("?");
    kind.trim().to_owned()
}
