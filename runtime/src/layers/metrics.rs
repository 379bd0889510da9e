//! Counts calls by how they ended, and bodies while they run.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use crate::{
    layers::{ExecuteNext, Executing},
    pipeline::Invocation,
    tool::{Receipt, ToolCall, ToolResult},
};

/// Counters of a registry or a scope. Cheap to clone; all clones count together.
///
/// Register both [`layer`](Self::layer) and [`observer`](Self::observer).
#[derive(Clone, Debug, Default)]
pub struct Metrics(Arc<Counters>);

#[derive(Debug, Default)]
struct Counters {
    running: AtomicU64,
    most_running: AtomicU64,
    results: Mutex<BTreeMap<(Arc<str>, Receipt), u64>>,
}

/// What was counted so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MetricsSnapshot {
    /// Final results, by tool and receipt. Every call that ended is in here once.
    pub results: BTreeMap<(Arc<str>, Receipt), u64>,
    /// Bodies that run now.
    pub running: u64,
    /// The most bodies that ran at one time.
    pub most_running: u64,
}

impl MetricsSnapshot {
    /// Calls that ended.
    pub fn calls(&self) -> u64 {
        self.results.values().sum()
    }

    /// Calls that ended with this receipt.
    pub fn with_receipt(&self, receipt: Receipt) -> u64 {
        self.results
            .iter()
            .filter(|((_, of), _)| *of == receipt)
            .map(|(_, count)| count)
            .sum()
    }
}

/// One body that runs; also where its future is dropped.
struct Running(Arc<Counters>);

impl Running {
    fn start(counters: Arc<Counters>) -> Self {
        let running = counters.running.fetch_add(1, Ordering::Relaxed) + 1;
        counters.most_running.fetch_max(running, Ordering::Relaxed);
        Self(counters)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.0.running.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Metrics {
    /// Counters at zero.
    pub fn new() -> Self {
        Self::default()
    }

    /// Counts bodies while they run; for `on_execute`.
    pub fn layer(&self) -> impl Fn(Invocation, ExecuteNext) -> Executing + Send + Sync + 'static {
        let counters = self.0.clone();
        move |_, next| {
            let counters = counters.clone();
            Box::pin(async move {
                let _running = Running::start(counters);
                next.run().await
            })
        }
    }

    /// Counts final results; for `on_result`.
    pub fn observer(&self) -> impl Fn(&ToolCall, &ToolResult) + Send + Sync + 'static {
        let counters = self.0.clone();
        move |call, result| {
            // Names that no tool has would let a model fill the memory.
            let name = call
                .tool()
                .map_or_else(|| Arc::from("(unknown)"), |tool| tool.name().clone());
            let mut results = counters
                .results
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            *results.entry((name, result.receipt())).or_default() += 1;
        }
    }

    /// What was counted so far.
    pub fn snapshot(&self) -> MetricsSnapshot {
        MetricsSnapshot {
            results: self
                .0
                .results
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .clone(),
            running: self.0.running.load(Ordering::Relaxed),
            most_running: self.0.most_running.load(Ordering::Relaxed),
        }
    }
}
