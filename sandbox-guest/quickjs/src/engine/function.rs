//! Functions of the program that are written in Rust.
#![expect(
    unsafe_code,
    reason = "the engine calls back through C function pointers"
)]

use std::ffi::{CString, c_int, c_void};

use rquickjs_sys as qjs;

use super::runtime::context;
use super::value::Value;
use super::{JsResult, Thrown};

/// A function in Rust: `this` and the arguments that were passed.
pub(crate) type Native = fn(this: &Value, arguments: &[Value]) -> JsResult<Value>;

/// A function of the host: its index and the arguments that were passed.
pub(crate) type HostCall = fn(index: u32, arguments: &[Value]) -> JsResult<Value>;

static HOST_CALL: std::sync::OnceLock<HostCall> = std::sync::OnceLock::new();

/// A function value that runs `native`.
pub(crate) fn function(name: &str, length: u8, native: Native) -> JsResult<Value> {
    closure(name, length, call_native, native as *mut c_void)
}

/// A function value that runs `call` with `index`. All host functions of an instance run the same `call`.
pub(crate) fn host_function(name: &str, index: u32, call: HostCall) -> JsResult<Value> {
    HOST_CALL.get_or_init(|| call);
    closure(name, 0, call_host, index as usize as *mut c_void)
}

type Closure = unsafe extern "C" fn(
    *mut qjs::JSContext,
    qjs::JSValue,
    c_int,
    *mut qjs::JSValue,
    c_int,
    *mut c_void,
) -> qjs::JSValue;

fn closure(name: &str, length: u8, code: Closure, opaque: *mut c_void) -> JsResult<Value> {
    let name = CString::new(name).unwrap_or_default();
    // SAFETY: the name is copied; `opaque` is no pointer to free, so there is no finalizer.
    Value::from_result(unsafe {
        qjs::JS_NewCClosure(
            context(),
            Some(code),
            name.as_ptr(),
            None,
            length.into(),
            0,
            opaque,
        )
    })
}

/// # Safety
/// The engine calls it with `argc` live values at `argv`.
unsafe fn arguments<'a>(argc: c_int, argv: *mut qjs::JSValue) -> &'a [Value] {
    if argc <= 0 || argv.is_null() {
        return &[];
    }
    // SAFETY: `Value` is transparent; the values are borrowed for the length of the call and never dropped here.
    unsafe { std::slice::from_raw_parts(argv.cast(), argc as usize) }
}

fn finish(result: JsResult<Value>) -> qjs::JSValue {
    match result {
        Ok(value) => value.into_raw(),
        Err(Thrown) => qjs::JS_EXCEPTION,
    }
}

unsafe extern "C" fn call_native(
    _: *mut qjs::JSContext,
    this: qjs::JSValue,
    argc: c_int,
    argv: *mut qjs::JSValue,
    _: c_int,
    opaque: *mut c_void,
) -> qjs::JSValue {
    // SAFETY: `function` put a `Native` there.
    let native: Native = unsafe { std::mem::transmute(opaque) };
    let this = std::mem::ManuallyDrop::new(Value::from_raw(this));
    // SAFETY: the engine's calling convention.
    finish(native(&this, unsafe { arguments(argc, argv) }))
}

unsafe extern "C" fn call_host(
    _: *mut qjs::JSContext,
    _: qjs::JSValue,
    argc: c_int,
    argv: *mut qjs::JSValue,
    _: c_int,
    opaque: *mut c_void,
) -> qjs::JSValue {
    let Some(call) = HOST_CALL.get() else {
        return qjs::JS_UNDEFINED;
    };
    // SAFETY: the engine's calling convention.
    finish(call(opaque as usize as u32, unsafe {
        arguments(argc, argv)
    }))
}
