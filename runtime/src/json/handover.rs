//! Lets a [`Json`] inside a Rust type pass our own serde implementations as it is: no copy, no recursion.
//!
//! serde's traits can't say "this is already the value you build". Both sides are ours, so the value waits in a
//! thread-local slot while serde's call for a newtype of this name is under way.

use std::cell::RefCell;

use super::Json;

/// The newtype name that marks a handover. Recognised by address, so that no other type can claim it.
pub(super) static NAME: &str = "$lockgate::Json";

enum Slot {
    Idle,
    /// A serializer of ours waits for a value.
    Wanted,
    Filled(Json),
}

thread_local! {
    static SLOT: RefCell<Slot> = const { RefCell::new(Slot::Idle) };
}

/// Puts the value into the slot if it is wanted there.
pub(super) fn offer(value: &Json) -> bool {
    SLOT.with_borrow_mut(|slot| {
        let wanted = matches!(slot, Slot::Wanted);
        if wanted {
            *slot = Slot::Filled(value.clone());
        }
        wanted
    })
}

/// Runs `give`, which may [`offer`] a value, and takes that value.
pub(super) fn receive(give: impl FnOnce()) -> Option<Json> {
    SLOT.set(Slot::Wanted);
    give();
    take()
}

/// Leaves a value in the slot while `taker` runs; what it did not take is dropped.
pub(super) fn leave<R>(value: &Json, taker: impl FnOnce() -> R) -> R {
    SLOT.set(Slot::Filled(value.clone()));
    let result = taker();
    _ = take();
    result
}

/// Takes the value out of the slot.
pub(super) fn take() -> Option<Json> {
    match SLOT.replace(Slot::Idle) {
        Slot::Filled(value) => Some(value),
        Slot::Idle | Slot::Wanted => None,
    }
}
