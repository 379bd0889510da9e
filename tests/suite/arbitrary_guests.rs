//! A guest that does anything: the Python guest, whose `resume` a program replaces by one that answers with random frames.
//! Whatever crosses the interface, the host ends the run with a value or a typed failure, and within its limits (SPEC J4, J6).
//!
//! `LOCKGATE_TIMES` sets how many guests are tried, `LOCKGATE_SEED` with which it begins.

use std::time::{Duration, Instant};

use lockgate::code_runtime::{CodeLimits, FailureKind};
use lockgate::json;

use crate::sandbox_support::{python, run_in};

/// Answers with anything that the types of the interface can hold, and sometimes with what they can't.
const GUEST: &str = r#"
import math, random as _random, sys
from wit_world import log, random, wall_clock, monotonic_clock
from wit_world.imports.types import (
    Call, Failure, FailureKind, LogLevel, Position, State_Done, State_Failed, State_Waiting, Step)
rng = _random.Random(SEED)
# How often a call is forged: never, seldom, often. One forged call ends a run, so most guests must seldom do it to get far.
BAD = rng.choice((0, .03, .3))
TEXTS = ["", "1", "null", "[", "{\"a\":1,\"a\":2}", "[[[[[[[[[[]]]]]]]]]]", "\"\\ud800\"", "1e999", "-0", "NaN", "\0", "\u202e",
         "x" * 70000, "[" * 30000, "[" * 200 + "]" * 200, "{\"__proto__\":{}}", "12345678901234567890123", "[1,]", " 1 ", "é"]
def text():
    if rng.random() < 0.8: return rng.choice(TEXTS)
    return "".join(chr(rng.choice((34, 44, 58, 91, 92, 93, 123, 125, rng.randrange(0xd800), 0x10ffff))) for _ in range(rng.randrange(40)))
def maybe(make): return make() if rng.random() < 0.7 else None
def u32(): return rng.choice((0, 1, 2, 3, 5, 8, 100, 2**31, 2**32 - 1, rng.randrange(2**32)))
class State: id = 1
def call():
    if rng.random() > BAD: State.id += 1
    number = State.id if rng.random() > BAD else u32()
    binding = 0 if rng.random() > BAD else u32()
    function = rng.randrange(7) if rng.random() > BAD else u32()
    return Call(number, binding, function, maybe(lambda: "{\"ms\":1}" if rng.random() > BAD else text()))
def position(): return Position(u32(), u32())
def failure():
    return Failure(rng.choice(list(FailureKind)), text(), text(), maybe(position),
                   [text() for _ in range(rng.choice((0, 1, 5, 200)))], maybe(u32))
def state():
    kind = rng.random()
    if kind < 0.75:
        return State_Waiting(rng.choice((None, 0.0, -1.0, math.nan, math.inf, -math.inf, 1e300, monotonic_clock() + 500, 5e-324)))
    if kind < 0.87: return State_Done(maybe(text))
    return State_Failed(failure())
def noise():
    for _ in range(rng.choice((0, 0, 1, 3, 50))): log(rng.choice(list(LogLevel)), text())
    odd = rng.random()
    if odd < 0.01:
        while True: pass
    elif odd < 0.02: raise ValueError(text())
    elif odd < 0.03: State.kept = [bytearray(1 << 20) for _ in range(rng.choice((1, 20, 500)))]
    elif odd < 0.04: return "no step"
    elif odd < 0.05: sys.exit(rng.randrange(200))
    elif odd < 0.06: return Step([call() for _ in range(20000)], State_Waiting(None))
    elif odd < 0.07: return Step([], State_Waiting("soon"))
    random(); wall_clock()
def resume(completions):
    odd = noise()
    if odd is not None: return odd
    return Step([call() for _ in range(rng.choice((0, 0, 1, 1, 2, 9)))], state())
run = sys.modules["lockgate_guest.run"]
run.resume = resume
await tools.echo(1)
"#;

#[tokio::test]
async fn guests_that_do_anything_end_in_a_result() {
    let Some(sandbox) = python() else { return };
    let number = |name: &str, otherwise: u64| {
        std::env::var(name).map_or(otherwise, |number| number.parse().unwrap())
    };
    let (guests, first) = (number("LOCKGATE_TIMES", 150), number("LOCKGATE_SEED", 1));
    let limits = CodeLimits {
        compute: Duration::from_millis(400),
        wall: Duration::from_millis(800),
        memory_bytes: 64 << 20,
        output_bytes: 1 << 20,
        calls: 200,
        ..CodeLimits::default()
    };
    let (began, mut ends) = (Instant::now(), std::collections::BTreeMap::new());
    for seed in first..first + guests {
        let source = GUEST.replace("SEED", &seed.to_string());
        let run = run_in(sandbox, &source, limits);
        let Ok((result, script)) = tokio::time::timeout(Duration::from_secs(20), run).await else {
            panic!("the guest {seed} hangs its host");
        };
        let usage = result.usage;
        let submitted = script.submitted.len() as u64;
        // The ledger: what was submitted was counted, what was not is listed, and nothing is both.
        assert!(submitted <= limits.calls, "{seed}: {usage:?}");
        assert!(
            submitted + result.unsubmitted.len() as u64 <= usage.calls,
            "{seed}: {submitted} of {usage:?}"
        );
        assert!(
            script.settled.lock().unwrap().len() as u64 <= submitted,
            "{seed}"
        );
        assert!(
            usage.peak_memory_bytes <= limits.memory_bytes,
            "{seed}: {usage:?}"
        );
        let logged: u64 = result.logs.iter().map(|line| line.text.len() as u64).sum();
        assert!(logged <= limits.output_bytes, "{seed}: {logged} bytes");
        assert!(
            usage.compute < limits.compute + Duration::from_secs(2),
            "{seed}: {usage:?}"
        );
        let end = match &result.outcome {
            Ok(_) => "value",
            Err(failure) => {
                let text = failure.to_string();
                assert!(
                    text.len() as u64 <= 3 * limits.output_bytes,
                    "{seed}: {} bytes",
                    text.len()
                );
                assert_ne!(failure.kind, FailureKind::Abort, "{seed}: {failure:?}");
                failure.kind.as_str()
            }
        };
        *ends.entry(end).or_insert(0_u64) += 1;
    }
    println!(
        "{guests} guests from seed {first} in {:?}: {ends:?}",
        began.elapsed()
    );
    // The frames reach every way in which a run can end.
    for end in ["value", "exception", "sandbox-exit", "invalid-output"] {
        assert!(ends.contains_key(end), "{end}: {ends:?}");
    }
    let (next, _) = run_in(sandbox, "return 1 + 1", CodeLimits::default()).await;
    assert_eq!(next.outcome.unwrap(), Some(json!(2)));
}
