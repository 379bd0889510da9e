//! The WebAssembly engine: its settings, and the fallbacks for hosts that lack what they need.

use wasmtime::{
    Config, Enabled, Engine, InstanceAllocationStrategy, OptLevel, PoolingAllocationConfig,
};

use super::error::SandboxError;

/// Stack that the guest may use. The guests guard themselves at a fraction of it, so that recursion throws instead of
/// trapping.
pub(super) const WASM_STACK_BYTES: usize = 16 * MIB;
/// What host functions may use on top. Address space only, until it is touched.
const HOST_STACK_BYTES: usize = 4 * MIB;
/// Memory of a finished run that is reset by copying instead of being given back to the system: page faults cost more.
const KEEP_RESIDENT_BYTES: usize = MIB;
/// The most linear memory that one guest can address.
const MAX_MEMORY_BYTES: usize = 1 << 32;

const MIB: usize = 1024 * 1024;

/// Makes an engine for up to `concurrent_runs` live guests.
///
/// The pool is what makes a fresh guest cheap. Where the system refuses its address space, guests are allocated one by one.
pub(super) fn new_engine(concurrent_runs: u32) -> Result<Engine, SandboxError> {
    let mut pooled = config();
    pooled.allocation_strategy(InstanceAllocationStrategy::Pooling(pool(concurrent_runs)));
    Engine::new(&pooled)
        .or_else(|refused| {
            tracing::warn!(error = %refused, "no pool of guests; each run allocates its own");
            Engine::new(&config())
        })
        .map_err(|error| SandboxError::Engine {
            reason: format!("{error:#}"),
        })
}

fn config() -> Config {
    let mut config = Config::new();
    config
        .cranelift_opt_level(OptLevel::Speed)
        .epoch_interruption(true)
        .memory_init_cow(true)
        .max_wasm_stack(WASM_STACK_BYTES)
        .async_stack_size(WASM_STACK_BYTES + HOST_STACK_BYTES)
        // Nothing reads addresses of the guest's code; without the tables the compiled code is smaller.
        .wasm_backtrace_max_frames(None)
        .generate_address_map(false);
    config
}

fn pool(concurrent_runs: u32) -> PoolingAllocationConfig {
    // Twice the memories: a slot stays warm for its guest while the type stripper uses another.
    let memories = concurrent_runs.saturating_mul(2);
    let mut pool = PoolingAllocationConfig::new();
    pool.total_component_instances(concurrent_runs)
        .total_core_instances(concurrent_runs.saturating_mul(4))
        .total_memories(memories)
        .total_tables(memories.saturating_mul(2))
        .total_stacks(concurrent_runs)
        .max_memory_size(MAX_MEMORY_BYTES)
        .linear_memory_keep_resident(KEEP_RESIDENT_BYTES)
        .table_keep_resident(64 * 1024)
        .max_unused_warm_slots(memories)
        // Finds the pages that a run wrote, so that only those are reset. Needs Linux 6.7.
        .pagemap_scan(Enabled::Auto);
    pool
}
