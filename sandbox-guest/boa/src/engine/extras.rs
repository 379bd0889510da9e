//! Globals that the shared sources and programs expect of an engine and that Boa lacks.

use boa_engine::job::PromiseJob;
use boa_engine::string::{JsStr, JsStrVariant};
use boa_engine::{JsNativeError, JsString, JsValue};

use super::atom::Atom;
use super::context::{context, pend};
use super::function::{Native, function};
use super::value::{Class, Flags, Kind, Value};
use super::{JsResult, copy, runtime, sort, stack};

/// Code units of a string that `repeat` makes, as in other engines.
const MAX_STRING_UNITS: usize = (1 << 29) - 24;

/// Adds them. Before anything of the program's realm is kept.
pub(crate) fn complete_globals() -> JsResult<()> {
    stack::install()?;
    let native = Value::object()?;
    let natives: &[(&str, Native)] = &[
        ("captureStackTrace", stack::capture),
        ("isError", is_error),
        ("queueMicrotask", queue_microtask),
        ("repeated", repeated),
        ("sort", sort::sort),
        ("toSorted", sort::to_sorted),
    ];
    for (name, code) in natives {
        native.define(&Atom::new(name), function(name, 1, *code)?, Flags::ALL)?;
    }
    let install = runtime::evaluate(include_str!("extras.js"), "lockgate:extras")?;
    copy::set_built_in(install.call(&Value::UNDEFINED, &[native])?);
    Ok(())
}

fn is_error(_: &Value, arguments: &[Value]) -> JsResult<Value> {
    let is_error = |value: &Value| value.kind() == Kind::Object && value.class() == Class::Error;
    Ok(Value::bool(arguments.first().is_some_and(is_error)))
}

/// `repeated(text, count)`: the engine's own way takes 16 bytes and more for each character that it makes.
fn repeated(_: &Value, arguments: &[Value]) -> JsResult<Value> {
    let [text, count] = arguments else {
        return Ok(Value::UNDEFINED);
    };
    let count = count.as_number().unwrap_or_default() as usize;
    let Some(text) = text.js().as_string() else {
        return Ok(Value::UNDEFINED);
    };
    if text.len().saturating_mul(count) > MAX_STRING_UNITS {
        return Err(pend(
            JsNativeError::range()
                .with_message("the text would be too long")
                .into(),
        ));
    }
    Ok(Value::from(match text.variant() {
        JsStrVariant::Latin1(bytes) => JsString::from(JsStr::latin1(&bytes.repeat(count))),
        JsStrVariant::Utf16(units) => JsString::from(JsStr::utf16(&units.repeat(count))),
    }))
}

fn queue_microtask(_: &Value, arguments: &[Value]) -> JsResult<Value> {
    let Some(callback) = arguments
        .first()
        .and_then(|callback| callback.js().as_callable())
    else {
        return Err(pend(
            JsNativeError::typ()
                .with_message("queueMicrotask needs a function to call")
                .into(),
        ));
    };
    let job = PromiseJob::new(move |context| callback.call(&JsValue::undefined(), &[], context));
    context(|context| context.enqueue_job(job.into()));
    Ok(Value::UNDEFINED)
}
