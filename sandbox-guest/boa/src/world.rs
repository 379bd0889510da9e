//! The world of `wit/program.wit`: generated types, and the host's functions.
#![expect(unsafe_code, reason = "generated code")]
#![expect(clippy::too_many_arguments, reason = "generated code")]

wit_bindgen::generate!({ path: "../wit/program.wit", world: "program-guest" });

pub(crate) use lockgate::guest::types::{
    Binding, Call, Failure, FailureKind, Limits, Position, State,
};

use std::sync::atomic::{AtomicBool, Ordering};

/// Whether the snapshot is being taken: then there is no host to ask.
static IN_SNAPSHOT: AtomicBool = AtomicBool::new(false);

/// Says that the snapshot begins or ends.
pub(crate) fn set_in_snapshot(value: bool) {
    IN_SNAPSHOT.store(value, Ordering::Relaxed);
}

/// Whether the snapshot is being taken.
pub(crate) fn in_snapshot() -> bool {
    IN_SNAPSHOT.load(Ordering::Relaxed)
}

/// Microseconds since the run started; 0 while the snapshot is taken.
pub(crate) fn elapsed() -> f64 {
    if in_snapshot() {
        0.0
    } else {
        monotonic_clock()
    }
}

/// Microseconds since the Unix epoch; 0 while the snapshot is taken.
pub(crate) fn now() -> f64 {
    if in_snapshot() { 0.0 } else { wall_clock() }
}

use crate::Boa;

export!(Boa);
