//! Evaluating source, exceptions, promises.

use std::borrow::Cow;
use std::path::Path;

use boa_engine::error::{EngineError, RuntimeLimitError};
use boa_engine::object::builtins::JsPromise;
use boa_engine::{JsError, JsNativeError, JsObject, Script, Source};

use super::atom::Atom;
use super::context::{context, pend, settle, take_pending};
use super::stack;
use super::value::{Flags, Value};
use super::{JsResult, Thrown, refused};

/// Frees what is unreachable.
pub(crate) fn run_gc() {
    crate::memory::collect();
}

/// Nothing to do: what the snapshot leaves free lies where this guest's allocator finds it.
pub(crate) fn fill_gaps() {}

pub(crate) fn global() -> Value {
    context(|context| Value::from(context.global_object()))
}

/// Evaluates a script of this guest itself and returns its completion value.
pub(crate) fn evaluate(source: &str, file_name: &str) -> JsResult<Value> {
    settle(eval(source, file_name))
}

/// Compiles a program, the body of an async function, and returns that function.
pub(crate) fn compile(source: &str, file_name: &str) -> JsResult<Value> {
    // The first line of a script file may name its interpreter.
    let source = match source.strip_prefix("#!") {
        Some(rest) => Cow::Owned(format!("//{rest}")),
        None => Cow::Borrowed(source),
    };
    // The opening stands on lines of its own, for which `stack` accounts; so does the closing, in case the program ends
    // with a comment.
    let wrapped = format!("(async function () {{ 'use strict';\n{source}\n}})");
    stack::set_program(&source, file_name);
    refused::check_program(&wrapped)
        .and_then(|()| eval(&wrapped, file_name))
        .map_err(|error| pend(stack::place_syntax_error(error)))
}

fn eval(source: &str, file_name: &str) -> boa_engine::JsResult<Value> {
    context(|context| {
        let source = Source::from_bytes(source).with_path(Path::new(file_name));
        let script = Script::parse(source, None, context)?;
        script.evaluate(context).map(Value::from)
    })
}

/// Takes the pending exception.
///
/// # Panics
/// The engine found itself in a state that it holds for impossible: the run can't go on.
pub(crate) fn take_exception() -> Value {
    let error = take_pending();
    match context(|context| error.into_opaque(context)) {
        Ok(value) => Value::from(value),
        Err(error) => limit(&error),
    }
}

/// What the program nested too deeply as other engines throw it. In this one no program can catch it.
fn limit(error: &JsError) -> Value {
    match error.as_engine() {
        Some(EngineError::RuntimeLimit(
            RuntimeLimitError::Recursion | RuntimeLimitError::StackSize,
        )) => {
            let thrown = JsNativeError::range().with_message("Maximum call stack size exceeded");
            let thrown = context(|context| thrown.into_opaque(context));
            stack::place(&thrown, stack::frames(&error.to_string()));
            Value::from(thrown)
        }
        _ => panic!("{error}"),
    }
}

/// Makes a value the pending exception.
pub(crate) fn throw(value: Value) -> Thrown {
    pend(JsError::from_opaque(value.into_js()))
}

/// A bare error whose stack is the program's present one.
pub(crate) fn error_here() -> JsResult<Value> {
    settle(context(|context| {
        let error = context.intrinsics().constructors().error().constructor();
        error.construct(&[], None, context).map(Value::from)
    }))
}

/// Makes a new error the pending exception.
pub(crate) fn throw_error(prototype: &Value, message: &str) -> Thrown {
    let error = error_here().and_then(|error| {
        error.set_prototype(prototype)?;
        error.define(
            &Atom::new("message"),
            Value::string(message)?,
            Flags::BUILTIN,
        )?;
        Ok(error)
    });
    match error {
        Ok(error) => throw(error),
        Err(Thrown) => Thrown,
    }
}

/// A new promise with the functions that resolve and reject it.
pub(crate) fn new_promise() -> JsResult<(Value, Value, Value)> {
    let (promise, functions) = context(JsPromise::new_pending);
    Ok((
        Value::from(JsObject::from(promise)),
        Value::from(JsObject::from(functions.resolve)),
        Value::from(JsObject::from(functions.reject)),
    ))
}
