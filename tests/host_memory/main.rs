//! What a program can make the host allocate: a binary of its own, whose allocator counts.
//!
//! Unsafe code: an allocator can't be written without it; this one counts and asks the system's.

#![expect(unsafe_code, reason = "an allocator that counts")]
#![expect(clippy::unwrap_used, reason = "a test that can't be set up fails")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::future::poll_fn;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Poll;

use lockgate::code_runtime::{CodeLanguage, CodeLimits, CodeRequest, CodeRuntime, NoCalls};
use lockgate::sandbox::{CachePolicy, Sandbox};
use lockgate::{CallRequest, Mode, Registry, Tool, json};

/// Counts the bytes that live, and the most that ever lived.
struct Counting;

static LIVE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every request is handed to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let live = LIVE.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        PEAK.fetch_max(live, Ordering::Relaxed);
        // SAFETY: as above.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The allocator counts for the whole process: one test at a time.
static ONE: Mutex<()> = Mutex::new(());

const MIB: usize = 1 << 20;

/// What a run costs beside its messages: the engine's bookkeeping, the pipeline, the runtime's own caches.
const FIXED: usize = 2 * MIB;

/// Small enough for every case to meet them.
fn limits() -> CodeLimits {
    CodeLimits {
        memory_bytes: 96 << 20,
        output_bytes: 8 << 20,
        pending_bytes: 4 << 20,
        log_lines: 100_000,
        calls: 500,
        ..CodeLimits::default()
    }
}

/// The documented bound: the guest's limit, three times the largest message, and the logs.
fn bound(limits: &CodeLimits) -> usize {
    (limits.memory_bytes + 3 * limits.output_bytes + limits.output_bytes) as usize
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap()
}

fn sandbox() -> Sandbox {
    let cache = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("compiled-guests");
    Sandbox::builder()
        .language(CodeLanguage::JavaScript)
        .cache(CachePolicy::Directory(cache))
        .max_concurrent_runs(16)
        .build_blocking()
        .unwrap()
}

fn registry(sandbox: Sandbox, limits: CodeLimits) -> Registry {
    let registry = Registry::builder()
        .mode(Mode::Code)
        .code_runtime(Arc::new(sandbox))
        .code_limits(limits)
        .build()
        .unwrap();
    let open = |name: &str| {
        Tool::builder(name, "A tool.")
            .parameters(&json!({"type": "object"}))
            .output(&json!({}))
            .concurrency_safe(true)
    };
    let echo = open("echo").execute(|args, _| async { Ok(args) });
    registry.register(echo.build().unwrap()).unwrap().keep();
    let fail =
        open("fail").execute(|_, _| async { Err(lockgate::ToolError::new("x".repeat(MIB))) });
    registry.register(fail.build().unwrap()).unwrap().keep();
    registry
}

/// Programs that hand over, print, throw or call as much as they can, in the shapes that take the host most.
const CASES: [(&str, &str); 24] = [
    ("nothing", "return 1"),
    ("empty lists", "return Array(2.5e6).fill([])"),
    ("empty lists past the limit", "return Array(4e6).fill([])"),
    ("tiny records", "return Array(8e5).fill({ a: 1 })"),
    ("empty objects", "return Array(2.5e6).fill({})"),
    ("small texts", "return Array(1.5e6).fill('ab')"),
    ("numbers", "return Array(3.5e6).fill(7)"),
    ("one key each", "return Object.fromEntries(Array.from({ length: 4e5 }, (_, n) => ['k' + n, n]))"),
    ("a long text", "return 'x'.repeat(8e6)"),
    ("a text of escapes", "return '\\u0001'.repeat(1.3e6)"),
    ("a text past the limit", "return 'x'.repeat(3e7)"),
    ("depth", "let v = 1; for (let n = 0; n < 9999; n++) v = [v]; return [v, v, v, v, v, v, v, v]"),
    ("arguments of lists", "return (await tools.echo({ a: Array(1.2e6).fill([]) })).a.length"),
    ("arguments of records", "return (await tools.echo({ a: Array(4e5).fill({ a: 1 }) })).a.length"),
    ("arguments one by one", "let n = 0; for (;;) n += (await tools.echo({ a: 'x'.repeat(1e6) })).a.length"),
    ("arguments at once", "await Promise.all(Array.from({ length: 40 }, () => tools.echo({ a: 'x'.repeat(1e6) })))"),
    ("a flood of calls", "await Promise.all(Array.from({ length: 1e5 }, (_, n) => tools.echo({ n })))"),
    ("calls that nobody awaits", "for (let n = 0; n < 2e5; n++) tools.echo({ n }).catch(() => 0)"),
    ("errors of tools", "await Promise.allSettled(Array.from({ length: 20 }, () => tools.fail({})))"),
    ("empty lines", "for (;;) console.log()"),
    ("long lines", "for (;;) console.log('x'.repeat(1e5))"),
    ("one line", "console.log('x'.repeat(3e7))"),
    ("an error's text", "throw new Error('x'.repeat(3e7))"),
    (
        "an error's stack",
        "const f = { ['f'.repeat(1e5)]() { if (depth-- > 0) this['f'.repeat(1e5)](); else throw new Error('x'.repeat(7e6)) } };
         let depth = 50; f['f'.repeat(1e5)]()",
    ),
];

// SPEC J4, G4: the host's heap while a program runs, and after it.
#[test]
fn a_program_takes_no_more_of_the_host_than_is_documented() {
    let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    let limits = limits();
    let registry = registry(sandbox(), limits);
    let runtime = runtime();
    let run = |program: &str| {
        let arguments = json!({"code": program, "description": "a test"});
        runtime.block_on(registry.execute(CallRequest::new("c", "run_code", arguments)))
    };
    // What is made once.
    for (_, program) in &CASES[..1] {
        drop(run(program));
    }
    let mut told = String::new();
    let (mut worst, mut past) = (0, Vec::<&str>::new());
    for (name, program) in CASES {
        let before = LIVE.load(Ordering::Relaxed);
        PEAK.store(before, Ordering::Relaxed);
        let result = run(program);
        let peak = PEAK.load(Ordering::Relaxed).saturating_sub(before);
        let outcome: String = result.text().chars().take(60).collect();
        drop(result);
        let left = LIVE.load(Ordering::Relaxed).saturating_sub(before);
        told.push_str(&format!(
            "{name:28} peak {:6.1} MiB, left {left:8} bytes: {outcome:?}\n",
            peak as f64 / MIB as f64
        ));
        worst = worst.max(peak);
        // The guest's own memory is not on the heap: what it used is taken as all that it may.
        let heap_bound = bound(&limits) - limits.memory_bytes as usize;
        if peak > heap_bound + FIXED {
            past.push(name);
        }
        assert!(left <= FIXED, "{name}: kept\n{told}");
    }
    print!("{told}");
    assert!(past.is_empty(), "{past:?} past the bound");
    assert!(worst > MIB, "the allocator counts");
}

/// How often: few times in CI, as often as is asked for by hand.
fn times(few: usize) -> usize {
    std::env::var("LOCKGATE_TIMES").map_or(few, |times| times.parse().unwrap())
}

// SPEC F1, J8: a run may be dropped at any point, and nothing stays behind.
#[test]
fn dropped_runs_leave_nothing_behind() {
    let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    let registry = registry(sandbox(), limits());
    let slow = Tool::builder("slow", "Takes another poll.")
        .parameters(&json!({"type": "object"}))
        .output(&json!({}))
        .execute(|args, _| async {
            tokio::task::yield_now().await;
            Ok(args)
        });
    registry.register(slow.build().unwrap()).unwrap().keep();
    let runtime = runtime();
    let program = "
        console.log('begun');
        for (let n = 0; ; n++) await Promise.all([tools.echo({ n, text: 'x'.repeat(n % 1000) }), tools.slow({}), tools.echo(n).catch(() => 0)])";
    let times = times(600);
    let drop_after = |polls: usize| {
        runtime.block_on(async {
            let arguments = json!({"code": program, "description": "a test"});
            let mut run = Box::pin(registry.execute(CallRequest::new("c", "run_code", arguments)));
            for _ in 0..polls {
                let polled = poll_fn(|cx| Poll::Ready(run.as_mut().poll(cx))).await;
                if let Poll::Ready(result) = polled {
                    panic!("it ended: {}", result.text());
                }
                tokio::task::yield_now().await;
            }
        });
    };
    for polls in 0..24 {
        drop_after(polls);
    }
    let before = LIVE.load(Ordering::Relaxed);
    for time in 0..times {
        drop_after(time % 24);
    }
    let left = LIVE.load(Ordering::Relaxed).saturating_sub(before);
    assert!(left < 64 * 1024, "{left} bytes after {times} dropped runs");
    // Every slot is free: a run that needs one gets it at once.
    let next = runtime.block_on(async {
        let arguments = json!({"code": "return 1 + 1", "description": "a test"});
        registry
            .execute(CallRequest::new("c", "run_code", arguments))
            .await
    });
    assert_eq!(next.value().unwrap()["result"], json!(2));
    println!("{times} runs dropped, {left} bytes more than before");
}

// SPEC J2: what one run wrote, no other reads, however often its slot was used.
#[test]
fn a_canary_is_never_seen_again() {
    let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    let sandbox = sandbox();
    let runtime = runtime();
    // In texts, buffers, properties, functions, errors, and left in garbage; then what a program can read of fresh memory.
    let hide = |canary: &str| {
        format!(
            "globalThis.hidden = '{canary}'; Object.prototype.hidden = '{canary}'; Array.prototype[0] = '{canary}';
             const kept = []; for (let n = 0; n < 200; n++) {{ const bytes = new TextEncoder().encode('{canary}'.repeat(20)); kept.push(bytes, '{canary}' + n) }}
             Math.random = () => '{canary}'; globalThis.f = new Function('return \"{canary}\"'); Symbol.for('{canary}');
             console.log(kept.length); return kept.length"
        )
    };
    let seek = |canary: &str| {
        format!(
            "const half = '{}', other = '{}', seen = [];
             const look = (text, where) => {{ if (String(text).includes(half + other)) seen.push(where) }};
             look(globalThis.hidden, 'global'); look(({{}}).hidden, 'prototype'); look([][0], 'array'); look(Math.random(), 'random');
             look(typeof globalThis.f, 'function'); look(Object.getOwnPropertyNames(globalThis), 'names');
             for (const length of [8, 128, 8192]) {{
                 if (new BigUint64Array(length).some((word) => word !== 0n)) seen.push('buffer of ' + length);
             }}
             return seen",
            &canary[..8],
            &canary[8..]
        )
    };
    let times = times(1_000);
    let run = |program: &str| {
        runtime.block_on(async {
            let result = sandbox
                .run(CodeRequest::new(program, &[], &mut NoCalls))
                .await;
            result.unwrap().outcome.unwrap().unwrap()
        })
    };
    for time in 0..times {
        let canary = format!(
            "{:016x}",
            0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(time as u64 + 1)
        );
        assert_eq!(run(&hide(&canary)), json!(400));
        assert_eq!(run(&seek(&canary)), json!([]), "{canary}");
    }
    println!("{times} canaries hidden, none seen");
}
