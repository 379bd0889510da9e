//! Garbage is collected before it counts as need.

use lockgate::code_runtime::{CodeLimits, FailureKind, Limit};
use lockgate::json;

use super::sandbox_support::{by_engine, failure, run_with, value};

const MIB: u64 = 1 << 20;

/// A program that makes 100,000 cycles (20,000 on Boa, which takes its time) of 1.6 KB each beside `live` megabytes that it keeps.
fn cycles(live: u32) -> String {
    format!(
        "const keep = []; for (let i = 0; i < {live}; i++) keep.push(new Uint8Array(1e6).fill(1));
         for (let i = 0; i < {}; i++) {{ const a = {{}}; a.a = a; a.b = new Array(200).fill(i) }}
         return keep.length",
        by_engine(100_000, 20_000)
    )
}

// SPEC J4
#[tokio::test]
async fn cycles_are_collected_long_before_the_limit() {
    let (result, _) = run_with(&cycles(0), CodeLimits::default()).await;
    assert_eq!(result.outcome, Ok(Some(json!(0))));
    assert!(
        result.usage.peak_memory_bytes < 64 * MIB,
        "{:?}",
        result.usage
    );
}

// SPEC J4
#[tokio::test]
async fn cycles_beside_much_live_data_do_not_end_a_run() {
    assert_eq!(value(&cycles(190)).await, json!(190));
}

// SPEC J4
#[tokio::test]
async fn a_program_can_go_on_after_it_ran_out_of_memory() {
    let program = "
        let keep = [];
        try { for (;;) keep.push(new Uint8Array(1e6)) } catch (error) { keep = []; return [error.name, error.message] }";
    // On Boa no program can catch it.
    let (result, _) = run_with(program, CodeLimits::default()).await;
    let caught = Ok(Some(json!(["InternalError", "out of memory"])));
    let outcome = result
        .outcome
        .map_err(|failure| failure.limit.map(|hit| hit.limit));
    assert_eq!(outcome, by_engine(caught, Err(Some(Limit::Memory))));
}

// SPEC H5
#[tokio::test]
async fn memory_that_is_needed_ends_the_run_and_names_the_limit() {
    for source in [
        "const keep = []; for (;;) keep.push(new Uint8Array(1e6))",
        "const keep = []; for (;;) keep.push({ a: [1, 2, 3] })",
        "const keep = []; for (;;) keep.push('x'.repeat(1e6) + keep.length)",
        "const keep = new Map(); for (let i = 0; ; i++) keep.set(i, [i])",
    ] {
        let failure = failure(source, CodeLimits::default()).await;
        assert_eq!(
            failure.kind,
            FailureKind::SandboxExit,
            "{source}: {failure:?}"
        );
        assert_eq!(
            failure.limit.map(|hit| hit.limit),
            Some(Limit::Memory),
            "{source}"
        );
    }
}
