//! What the bare pipeline costs: CPU time and allocations of a call through all stages, and of a batch.
//!
//! `cargo run --release -p lockgate-benches --bin pipeline`. Medians, in this process.
//!
//! Unsafe code: counting allocations takes a global allocator, whose trait is unsafe. It only passes on to the system's.

#![expect(
    unsafe_code,
    reason = "`GlobalAlloc` is an unsafe trait; see the head of this file"
)]

use std::{
    alloc::{GlobalAlloc, Layout, System},
    error::Error,
    future::Future,
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use cpu_time::ProcessTime;
use lockgate::{CallRequest, Registry, Tool, json};

static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);

struct Counting;

// SAFETY: every method hands its arguments to `System` unchanged and gives back what that gave.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller keeps the contract of `GlobalAlloc::alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract of `GlobalAlloc::dealloc`; the block is `System`'s.
        unsafe { System.dealloc(block, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const ROUNDS: usize = 25;
const CALLS: u32 = 10_000;

/// The median CPU time of one call and its allocations, over rounds of many.
async fn measure<F: Future<Output = ()>>(name: &str, calls: u32, mut round: impl FnMut() -> F) {
    let mut times = Vec::with_capacity(ROUNDS);
    let mut allocations = 0;
    for _ in 0..ROUNDS {
        let before = ALLOCATIONS.load(Ordering::Relaxed);
        let began = ProcessTime::now();
        round().await;
        let spent: Duration = began.elapsed();
        allocations = ALLOCATIONS.load(Ordering::Relaxed) - before;
        times.push(spent.as_secs_f64() * 1e6 / f64::from(calls));
    }
    times.sort_by(f64::total_cmp);
    println!(
        "{name:<44} {:>7.2} µs CPU a call, {:>5.1} allocations",
        times[ROUNDS / 2],
        allocations as f64 / f64::from(calls)
    );
}

fn registry() -> Result<Registry, Box<dyn Error>> {
    let registry = Registry::new();
    let tool = Tool::builder("noop", "Does nothing.")
        .parameters(&json!({"type": "object"}))
        .output(&json!({"type": "string"}))
        .concurrency_safe(true)
        .execute(|_, _| async { Ok(json!("ok")) })
        .build()?;
    registry.register(tool)?.keep();
    Ok(registry)
}

async fn one_by_one(registry: &Registry) {
    let id = std::sync::Arc::<str>::from("c");
    let name = std::sync::Arc::<str>::from("noop");
    let arguments = json!({});
    for _ in 0..CALLS {
        let call = CallRequest::new(id.clone(), name.clone(), arguments.clone());
        assert!(!registry.execute(call).await.is_error());
    }
}

async fn run() -> Result<(), Box<dyn Error>> {
    let bare = registry()?;
    measure("no listener", CALLS, || one_by_one(&bare)).await;

    let guarded = registry()?;
    for _ in 0..3 {
        guarded
            .on_pre_execute(|_, next| async move { next.run().await })?
            .keep();
        guarded
            .on_execute(|_, next| async move { next.run().await })?
            .keep();
        guarded
            .on_post_execute(|_, next| async move { next.run().await })?
            .keep();
    }
    guarded.guard(|_| None)?.keep();
    measure("ten listeners (3 of each stage, 1 guard)", CALLS, || {
        one_by_one(&guarded)
    })
    .await;

    measure("a batch of 10,000", CALLS, || async {
        let calls = (0..CALLS)
            .map(|_| CallRequest::new("c", "noop", json!({})))
            .collect();
        assert_eq!(bare.execute_batch(None, calls).await.len(), CALLS as usize);
    })
    .await;
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?
        .block_on(run())
}
