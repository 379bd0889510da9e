//! The JavaScript engines side by side: a fresh run, a call, some plain work, and the memory of it.
//!
//! `cargo run --release -p lockgate-benches --bin engines`. Medians of CPU time; the engines take turns, so that what else
//! the machine does meets both.

use std::collections::VecDeque;
use std::error::Error;
use std::task::{Context, Poll};

use cpu_time::ProcessTime;
use lockgate::code_runtime::{
    Binding, CallCompletion, CallHandler, CodeLanguage, CodeLimits, CodeRequest, CodeRuntime,
    ProgramCall,
};
use lockgate::json;
use lockgate::sandbox::{Engine, Sandbox};

const ROUNDS: usize = 7;

/// Name, program, runs in a round, and the steps of one run by which its time is divided.
const CASES: [(&str, &str, u32, u32); 7] = [
    ("fresh run", "return 1+1", 100, 1),
    (
        "sequential call",
        "for (let i = 0; i < 1000; i++) await tools.noop({i})",
        1,
        1000,
    ),
    (
        "call in Promise.all",
        "await Promise.all(Array.from({length: 1000}, (_, i) => tools.noop({i})))",
        1,
        1000,
    ),
    (
        "fib(18)",
        "const fib = n => n < 2 ? n : fib(n - 1) + fib(n - 2); return fib(18)",
        2,
        1,
    ),
    (
        "JSON of 100 rows",
        "const rows = Array.from({length: 100}, (_, i) => ({i, name: `row ${i}`, tags: [1, 2, 3]}));
         for (let i = 0; i < 10; i++) JSON.parse(JSON.stringify(rows))",
        1,
        10,
    ),
    (
        "text += 10,000 times",
        "let s = ''; for (let i = 0; i < 10000; i++) s += 'x'; return s.length",
        1,
        1,
    ),
    (
        "100 regular expressions",
        "let n = 0; for (let i = 0; i < 100; i++) n += ('key' + i + ': value; '.repeat(5)).match(/(\\w+): (\\w+)/g).length; return n",
        1,
        1,
    ),
];

/// Answers each call at once.
#[derive(Default)]
struct Calls(VecDeque<u32>);

impl CallHandler for Calls {
    fn submit(&mut self, call: ProgramCall) {
        self.0.push_back(call.id);
    }

    fn poll_completion(&mut self, _cx: &mut Context<'_>) -> Poll<CallCompletion> {
        self.0.pop_front().map_or(Poll::Pending, |id| {
            Poll::Ready(CallCompletion {
                id,
                outcome: Ok(json!(1)),
            })
        })
    }

    fn unsettled(&self) -> usize {
        self.0.len()
    }
}

/// Runs a program and returns the peak of its memory in bytes.
async fn run(sandbox: &Sandbox, source: &str) -> Result<u64, Box<dyn Error>> {
    let bindings = [Binding {
        global: "tools".into(),
        functions: vec!["noop".into()],
    }];
    let mut calls = Calls::default();
    let mut request = CodeRequest::new(source, &bindings, &mut calls);
    request.limits = CodeLimits {
        calls: u64::MAX,
        ..CodeLimits::default()
    };
    let result = sandbox.run(request).await?;
    result.outcome.map_err(|failure| failure.message)?;
    Ok(result.usage.peak_memory_bytes)
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn main() -> Result<(), Box<dyn Error>> {
    let engines = [Engine::QuickJs, Engine::Boa];
    let mut sandboxes = Vec::new();
    for engine in engines {
        sandboxes.push(
            Sandbox::builder()
                .language(CodeLanguage::JavaScript)
                .engine(engine)
                .build_blocking()?,
        );
    }
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    println!(
        "| case | QuickJS, µs | Boa, µs | ratio | QuickJS, MiB | Boa, MiB |\n|---|---|---|---|---|---|"
    );
    for (name, source, runs, steps) in CASES {
        let mut times = [Vec::new(), Vec::new()];
        let mut peaks = [0; 2];
        for _ in 0..ROUNDS {
            for (at, sandbox) in sandboxes.iter().enumerate() {
                let began = ProcessTime::now();
                for _ in 0..runs {
                    peaks[at] = runtime.block_on(run(sandbox, source))?;
                }
                let micros = began.elapsed().as_secs_f64() * 1e6;
                times[at].push(micros / f64::from(runs * steps));
            }
        }
        let [quickjs, boa] = times.map(median);
        let [small, large] = peaks.map(|bytes| bytes as f64 / f64::from(1 << 20));
        println!(
            "| {name} | {quickjs:.1} | {boa:.1} | {:.1} | {small:.1} | {large:.1} |",
            boa / quickjs
        );
    }
    Ok(())
}
