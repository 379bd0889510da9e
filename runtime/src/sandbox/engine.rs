//! The WebAssembly engine: its settings, and the fallbacks for hosts that lack what they need.

use wasmtime::{
    Config, Enabled, Engine, InstanceAllocationStrategy, OptLevel, PoolingAllocationConfig,
};

use super::error::SandboxError;

/// Stack that the guest may use. The guests guard themselves at a fraction of it, so that recursion throws instead of
/// trapping.
pub(super) const WASM_STACK_BYTES: usize = 16 * MIB;
/// As much for CPython, which measures the stack that it keeps in its own memory: that one must end first, so that recursion
/// raises RecursionError.
const PYTHON_STACK_BYTES: usize = 64 * MIB;
/// What host functions may use on top. Address space only, until it is touched.
const HOST_STACK_BYTES: usize = 4 * MIB;
/// Memory of a finished run that is reset by copying instead of being given back to the system: page faults cost more.
const KEEP_RESIDENT_BYTES: usize = MIB;
/// The most linear memory that one guest can address.
const MAX_MEMORY_BYTES: usize = 1 << 32;

const MIB: usize = 1024 * 1024;

/// Which guests an engine is for: they differ in what a slot must hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Guests {
    /// Those that are built in: one module each.
    Small,
    /// CPython: a component of many modules.
    Python,
}

/// Makes an engine for up to `concurrent_runs` live guests.
///
/// The pool is what makes a fresh guest cheap. Where the system refuses its address space, guests are allocated one by one.
pub(super) fn new_engine(concurrent_runs: u32, guests: Guests) -> Result<Engine, SandboxError> {
    let (pool, stack_bytes) = match guests {
        Guests::Small => (pool(concurrent_runs), WASM_STACK_BYTES),
        Guests::Python => (python_pool(concurrent_runs), PYTHON_STACK_BYTES),
    };
    let mut pooled = config(stack_bytes);
    pooled.allocation_strategy(InstanceAllocationStrategy::Pooling(pool));
    Engine::new(&pooled)
        .or_else(|refused| {
            tracing::warn!(error = %refused, "no pool of guests; each run allocates its own");
            Engine::new(&config(stack_bytes))
        })
        .map_err(|error| SandboxError::Engine {
            reason: format!("{error:#}"),
        })
}

fn config(stack_bytes: usize) -> Config {
    let mut config = Config::new();
    config
        .cranelift_opt_level(OptLevel::Speed)
        .epoch_interruption(true)
        .memory_init_cow(true)
        .max_wasm_stack(stack_bytes)
        .async_stack_size(stack_bytes + HOST_STACK_BYTES)
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

/// Core instances, tables and bytes of bookkeeping of one live Python guest.
const PYTHON_CORE_INSTANCES: u32 = 40;
const PYTHON_TABLES: u32 = 4;
const PYTHON_TABLE_ELEMENTS: usize = 20_000;
const PYTHON_INSTANCE_BYTES: usize = 2 * MIB;

fn python_pool(concurrent_runs: u32) -> PoolingAllocationConfig {
    let mut python = pool(concurrent_runs);
    python
        .total_core_instances(concurrent_runs.saturating_mul(PYTHON_CORE_INSTANCES))
        .max_core_instances_per_component(PYTHON_CORE_INSTANCES)
        .max_core_instance_size(PYTHON_INSTANCE_BYTES)
        .max_component_instance_size(PYTHON_INSTANCE_BYTES)
        .total_tables(concurrent_runs.saturating_mul(PYTHON_TABLES))
        .max_tables_per_component(PYTHON_TABLES)
        .max_tables_per_module(PYTHON_TABLES)
        .table_elements(PYTHON_TABLE_ELEMENTS);
    python
}
