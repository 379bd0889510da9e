//! `setTimeout` and its kin, `queueMicrotask`.

use std::cell::RefCell;

use lockgate_guest_core::timers::{Due, Timers};

use crate::engine::{JsResult, Value};
use crate::program;
use crate::realm::realm;
use crate::world::elapsed;

/// What a timer runs.
#[derive(Debug, Clone)]
struct Callback {
    function: Value,
    arguments: Vec<Value>,
}

thread_local! {
    static TIMERS: RefCell<Option<Timers<Callback>>> = const { RefCell::new(None) };
}

fn with_timers<T>(with: impl FnOnce(&mut Timers<Callback>) -> T) -> T {
    TIMERS.with_borrow_mut(|timers| with(timers.get_or_insert_default()))
}

fn now() -> u64 {
    // Times are far below 2^53 microseconds.
    elapsed() as u64
}

/// Defines the globals.
pub(crate) fn install() -> JsResult<()> {
    let realm = realm();
    let global = &realm.global;
    realm.define_function(global, "setTimeout", 2, |_, arguments| {
        set(arguments, false)
    })?;
    realm.define_function(global, "setInterval", 2, |_, arguments| {
        set(arguments, true)
    })?;
    realm.define_function(global, "clearTimeout", 1, clear)?;
    realm.define_function(global, "clearInterval", 1, clear)?;
    Ok(())
}

fn set(arguments: &[Value], repeat: bool) -> JsResult<Value> {
    let Some(function) = arguments.first().filter(|value| value.is_function()) else {
        return Err(realm().type_error("a timer needs a function to call"));
    };
    let delay = match arguments.get(1) {
        Some(delay) if !delay.is_undefined() => delay.convert_to_number()?,
        _ => 0.0,
    };
    let max = program::max_timers();
    if with_timers(|timers| timers.len()) >= max {
        return Err(realm().range_error(&format!(
            "{max} timers are already set; clear some or wait for them"
        )));
    }
    let callback = Callback {
        function: function.clone(),
        arguments: arguments.get(2..).unwrap_or_default().to_vec(),
    };
    let id = with_timers(|timers| timers.set(now(), delay, repeat, callback));
    Ok(Value::number(id.into()))
}

fn clear(_: &Value, arguments: &[Value]) -> JsResult<Value> {
    if let Some(id) = arguments.first().and_then(Value::as_number) {
        let cleared = with_timers(|timers| timers.clear(id as u32));
        drop(cleared);
    }
    Ok(Value::UNDEFINED)
}

/// When the next timer is due, in microseconds.
pub(crate) fn next_due() -> Option<f64> {
    with_timers(|timers| timers.next_due()).map(|due| due as f64)
}

/// Runs the timers that are due, each as a turn of its own.
pub(crate) fn fire_due() -> JsResult<()> {
    if with_timers(|timers| timers.is_empty()) {
        return Ok(());
    }
    let now = now();
    while let Some(due) = with_timers(|timers| timers.fire(now)) {
        let callback = match due {
            Due::Once(callback) => callback,
            Due::Again(id) => match with_timers(|timers| timers.get(id).cloned()) {
                Some(callback) => callback,
                None => continue,
            },
        };
        callback
            .function
            .call(&Value::UNDEFINED, &callback.arguments)?;
        program::run_jobs()?;
    }
    Ok(())
}

/// Unsets all timers.
pub(crate) fn reset() {
    let old = TIMERS.take();
    drop(old);
}
