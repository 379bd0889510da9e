//! Functions of the program that are written in Rust.
#![expect(unsafe_code, reason = "looks at the engine's values as this guest's")]

use boa_engine::object::FunctionObjectBuilder;
use boa_engine::{Context, JsString, JsValue, NativeFunction};

use super::context::{context, entered, take_pending};
use super::value::Value;
use super::{JsResult, Thrown};

/// A function in Rust: `this` and the arguments that were passed.
pub(crate) type Native = fn(this: &Value, arguments: &[Value]) -> JsResult<Value>;

/// A function of the host: its index and the arguments that were passed.
pub(crate) type HostCall = fn(index: u32, arguments: &[Value]) -> JsResult<Value>;

/// A function value that runs `native`.
pub(crate) fn function(name: &str, length: u8, native: Native) -> JsResult<Value> {
    let code = NativeFunction::from_copy_closure(move |this, arguments, context| {
        run(context, || native(borrowed(this), borrowed_all(arguments)))
    });
    Ok(build(name, length, code))
}

/// A function value that runs `call` with `index`.
pub(crate) fn host_function(name: &str, index: u32, call: HostCall) -> JsResult<Value> {
    let code = NativeFunction::from_copy_closure(move |_, arguments, context| {
        run(context, || call(index, borrowed_all(arguments)))
    });
    Ok(build(name, 0, code))
}

fn build(name: &str, length: u8, code: NativeFunction) -> Value {
    context(|context| {
        let function = FunctionObjectBuilder::new(context.realm(), code)
            .name(JsString::from(name))
            .length(length.into())
            .constructor(false)
            .build();
        Value::from(JsValue::from(function))
    })
}

/// Runs code of this guest that the engine called.
pub(super) fn run(
    context: &mut Context,
    work: impl FnOnce() -> JsResult<Value>,
) -> boa_engine::JsResult<JsValue> {
    match entered(context, work) {
        Ok(value) => Ok(value.into_js()),
        Err(Thrown) => Err(take_pending()),
    }
}

fn borrowed(value: &JsValue) -> &Value {
    // SAFETY: `Value` is a transparent wrapper.
    unsafe { &*std::ptr::from_ref(value).cast() }
}

fn borrowed_all(values: &[JsValue]) -> &[Value] {
    // SAFETY: `Value` is a transparent wrapper.
    unsafe { std::slice::from_raw_parts(values.as_ptr().cast(), values.len()) }
}

/// Values as the engine takes them.
pub(super) fn lent(values: &[Value]) -> &[JsValue] {
    // SAFETY: `Value` is a transparent wrapper.
    unsafe { std::slice::from_raw_parts(values.as_ptr().cast(), values.len()) }
}
