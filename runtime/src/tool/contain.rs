//! Keeps what goes wrong in somebody's callback from its caller: panics, and panics of what a panic carries (SPEC C4).

use std::{
    any::Any,
    panic::{AssertUnwindSafe, catch_unwind},
};

use futures_util::FutureExt;

/// Runs a callback. Its panic becomes the panic's text.
pub(crate) fn contain<R>(callback: impl FnOnce() -> R) -> Result<R, String> {
    catch_unwind(AssertUnwindSafe(callback)).map_err(text_of)
}

/// Polls a callback's future to its end, and drops it. A panic in either becomes the panic's text.
pub(crate) async fn contain_future<F: Future + Unpin>(mut future: F) -> Result<F::Output, String> {
    let ended = AssertUnwindSafe(&mut future).catch_unwind().await;
    let dropped = contain(move || drop(future));
    let value = ended.map_err(text_of)?;
    dropped.map(|()| value)
}

/// The text of a panic, as far as it has one. A payload whose destructor panics too is dropped as far as it goes.
fn text_of(payload: Box<dyn Any + Send>) -> String {
    let text = payload
        .downcast_ref::<&'static str>()
        .map(|text| (*text).to_owned())
        .or_else(|| payload.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "no message".to_owned());
    let dropped = catch_unwind(AssertUnwindSafe(|| drop(payload)));
    // A payload's destructor chooses what it panics with, without end: the second is kept for good.
    dropped.unwrap_or_else(std::mem::forget);
    text
}
