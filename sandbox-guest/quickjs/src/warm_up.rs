//! What happens before the snapshot: the engine is made, and a program uses what most programs use, so that memory is
//! grown, names are interned and lazy built-ins are made before the first real run.
#![expect(
    unsafe_code,
    reason = "exports the symbol that the snapshot tool calls"
)]

use crate::world::{Binding, Completion, Limits, Program, set_in_snapshot};
use crate::{engine, prepare, program};

const PROGRAM: &str = "
const one = await tools.warm({ path: 'a', list: [1, 2.5, true, null, 'x'] });
const all = await Promise.all([tools.warm({}), tools.warm()]);
let caught;
try { await tools.warm({}); } catch (error) { caught = error.message; }
for (const [key, value] of Object.entries(one)) { all.push(`${key}: ${value}`); }
return { all: all.map((x) => x), text: JSON.stringify(one), caught };
";

// SAFETY: nothing else defines this name.
#[unsafe(no_mangle)]
extern "C" fn init() {
    set_in_snapshot(true);
    if prepare().is_err() {
        let error = crate::failure::one_line(&engine::take_exception());
        panic!("the guest can't start: {error}");
    }
    let limits = Limits {
        max_pending_calls: 10,
        max_pending_bytes: 1 << 20,
        max_timers: 10,
        max_output_bytes: 1 << 20,
        max_depth: 100,
    };
    let bindings = vec![Binding {
        global: "tools".into(),
        functions: vec!["warm".into()],
    }];
    let mut step = program::start(Program {
        source: PROGRAM.into(),
        file_name: "warm-up.js".into(),
        bindings,
        limits,
    });
    while !step.calls.is_empty() {
        let completions = step.calls.iter().map(|call| Completion {
            id: call.id,
            outcome: if call.id == 4 {
                Err("no".into())
            } else {
                Ok(r#"{"a":[1,2.5,"x"],"b":null}"#.into())
            },
        });
        step = program::resume(completions.collect());
    }
    drop(step);
    program::reset();
    engine::run_gc();
    engine::fill_gaps();
    set_in_snapshot(false);
}
