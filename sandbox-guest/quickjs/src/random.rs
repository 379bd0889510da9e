//! `Math.random`: seeded for each run, since the engine's own seed is part of the snapshot and so the same for all.

use std::cell::Cell;

use crate::engine::{Atom, JsResult, Value};
use crate::realm::realm;
use crate::world;

thread_local! {
    static STATE: Cell<u64> = const { Cell::new(0) };
}

/// Takes a fresh seed from the host.
pub(crate) fn reseed() {
    STATE.set(world::random());
}

/// The next 64 bits (SplitMix64). Not for secrets: those come from the host one by one.
fn next() -> u64 {
    let state = STATE.get().wrapping_add(0x9e37_79b9_7f4a_7c15);
    STATE.set(state);
    let mut mixed = state;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// Replaces the engine's function.
pub(crate) fn install() -> JsResult<()> {
    let math = realm().global.get(&Atom::new("Math"))?;
    realm().define_function(&math, "random", 0, |_, _| {
        let float = (next() >> 11) as f64 / (1u64 << 53) as f64;
        Ok(Value::number(float))
    })
}
