//! The one runtime and context: making them, evaluating source, jobs, exceptions, promises.
#![expect(unsafe_code, reason = "calls the engine's C interface")]

use std::borrow::Cow;
use std::cell::RefCell;
use std::ffi::{CString, c_void};
use std::sync::atomic::{AtomicPtr, Ordering};

use rquickjs_sys as qjs;

use super::atom::Atom;
use super::memory;
use super::value::{Flags, Value};
use super::{JsResult, Thrown};

/// Bytes of engine stack before the program gets a RangeError. The host's wasm stack must outlast it.
const STACK_BYTES: u32 = 1 << 20;

static CONTEXT: AtomicPtr<qjs::JSContext> = AtomicPtr::new(std::ptr::null_mut());

thread_local! {
    /// Promises that were rejected and that nobody handles, with the reason, in the order of the rejections.
    static REJECTIONS: RefCell<Vec<(Value, Value)>> = const { RefCell::new(Vec::new()) };
}

pub(super) fn context() -> *mut qjs::JSContext {
    CONTEXT.load(Ordering::Relaxed)
}

pub(super) fn runtime() -> *mut qjs::JSRuntime {
    // SAFETY: the context is live.
    unsafe { qjs::JS_GetRuntime(context()) }
}

/// Makes the runtime and the context. Once per instance, before anything else of this folder is used.
pub(crate) fn start() {
    // SAFETY: the pointers come from the engine and live until the instance ends.
    unsafe {
        let runtime = memory::new_runtime();
        qjs::JS_SetMaxStackSize(runtime, STACK_BYTES as _);
        qjs::JS_SetModuleLoaderFunc(runtime, None, Some(refuse_module), std::ptr::null_mut());
        qjs::JS_SetHostPromiseRejectionTracker(
            runtime,
            Some(track_rejection),
            std::ptr::null_mut(),
        );
        CONTEXT.store(qjs::JS_NewContext(runtime), Ordering::Relaxed);
    }
}

/// There are no modules: `import()` rejects.
unsafe extern "C" fn refuse_module(
    context: *mut qjs::JSContext,
    name: *const std::ffi::c_char,
    _: *mut c_void,
) -> *mut qjs::JSModuleDef {
    // SAFETY: the format takes one text, and the engine passes the module's name as a terminated one.
    unsafe {
        qjs::JS_ThrowTypeError(
            context,
            c"there are no modules to import, not '%s'; use the globals".as_ptr(),
            name,
        );
    }
    std::ptr::null_mut()
}

unsafe extern "C" fn track_rejection(
    _: *mut qjs::JSContext,
    promise: qjs::JSValue,
    reason: qjs::JSValue,
    is_handled: bool,
    _: *mut c_void,
) {
    let dropped = REJECTIONS.with_borrow_mut(|rejections| {
        if !is_handled {
            rejections.push((Value::from_borrowed(promise), Value::from_borrowed(reason)));
            return None;
        }
        // The newest one is the likeliest: a rejected promise is mostly awaited at once.
        let at = rejections
            .iter()
            .rposition(|(other, _)| other.raw() == promise)?;
        Some(rejections.remove(at))
    });
    drop(dropped);
}

/// The promises that are rejected and unhandled now, with their reasons.
pub(crate) fn rejections() -> Vec<(Value, Value)> {
    REJECTIONS.with_borrow(Clone::clone)
}

/// Frees unreachable cycles.
pub(crate) fn run_gc() {
    // SAFETY: the runtime is live and no engine code is running.
    unsafe { qjs::JS_RunGC(runtime()) }
}

pub(crate) fn global() -> Value {
    // SAFETY: the context is live.
    Value::from_raw(unsafe { qjs::JS_GetGlobalObject(context()) })
}

/// Evaluates a script of this guest itself and returns its completion value.
pub(crate) fn evaluate(source: &str, file_name: &str) -> JsResult<Value> {
    eval(source, file_name, 1)
}

/// Compiles a program, the body of an async function, and returns that function. Lines and columns of its frames are
/// those of `source`.
pub(crate) fn compile(source: &str, file_name: &str) -> JsResult<Value> {
    // The first line of a script file may name its interpreter.
    let source = match source.strip_prefix("#!") {
        Some(rest) => Cow::Owned(format!("//{rest}")),
        None => Cow::Borrowed(source),
    };
    // The opening stands before line 1 (two lines, since the engine takes line 0 for "not given"); the closing stands on
    // a line of its own in case the program ends with a comment. The script is strict, and so is the function in it.
    eval(
        &format!("(async function () {{\n\n{source}\n}})"),
        file_name,
        -1,
    )
}

fn eval(source: &str, file_name: &str, first_line: i32) -> JsResult<Value> {
    let length = source.len();
    let mut source = source.as_bytes().to_vec();
    source.push(0);
    let file_name = CString::new(file_name).unwrap_or_default();
    let mut options = qjs::JSEvalOptions {
        version: 1,
        eval_flags: (qjs::JS_EVAL_TYPE_GLOBAL | qjs::JS_EVAL_FLAG_STRICT) as i32,
        filename: file_name.as_ptr(),
        line_num: first_line,
    };
    // SAFETY: the source is terminated, and both texts outlive the call, in which the engine copies what it keeps.
    Value::from_result(unsafe {
        qjs::JS_Eval2(context(), source.as_ptr().cast(), length as _, &mut options)
    })
}

/// Whether a job waits in the queue.
pub(crate) fn has_jobs() -> bool {
    // SAFETY: the runtime is live.
    unsafe { qjs::JS_IsJobPending(runtime()) }
}

/// Runs the next job of the queue.
pub(crate) fn run_job() -> JsResult<()> {
    let mut context = std::ptr::null_mut();
    // SAFETY: the runtime is live.
    if unsafe { qjs::JS_ExecutePendingJob(runtime(), &mut context) } < 0 {
        Err(Thrown)
    } else {
        Ok(())
    }
}

/// Takes the pending exception.
pub(crate) fn take_exception() -> Value {
    // SAFETY: the context is live.
    Value::from_raw(unsafe { qjs::JS_GetException(context()) })
}

/// Makes a value the pending exception.
pub(crate) fn throw(value: Value) -> Thrown {
    // SAFETY: the engine takes the value over.
    unsafe { qjs::JS_Throw(context(), value.into_raw()) };
    Thrown
}

/// A bare error whose stack is the program's present one.
pub(crate) fn error_here() -> JsResult<Value> {
    // SAFETY: the context is live.
    Value::from_result(unsafe { qjs::JS_NewError(context()) })
}

/// A new error with this prototype, whose stack is the program's present one.
fn error(prototype: &Value, message: &str) -> JsResult<Value> {
    let error = error_here()?;
    error.set_prototype(prototype)?;
    error.define(
        &Atom::new("message"),
        Value::string(message)?,
        Flags::BUILTIN,
    )?;
    Ok(error)
}

/// Makes a new error the pending exception.
pub(crate) fn throw_error(prototype: &Value, message: &str) -> Thrown {
    match error(prototype, message) {
        Ok(error) => throw(error),
        Err(Thrown) => Thrown,
    }
}

/// A deep copy by the engine's own serialiser.
pub(crate) fn clone_value(value: &Value) -> JsResult<Value> {
    let mut size = 0;
    // SAFETY: the value is live; the bytes are the engine's own, read back at once and freed with its allocator.
    unsafe {
        let flags = qjs::JS_WRITE_OBJ_REFERENCE as i32;
        let bytes = qjs::JS_WriteObject(context(), &mut size, value.raw(), flags);
        if bytes.is_null() {
            return Err(Thrown);
        }
        let copy = qjs::JS_ReadObject(context(), bytes, size, qjs::JS_READ_OBJ_REFERENCE as i32);
        qjs::js_free(context(), bytes.cast());
        Value::from_result(copy)
    }
}

/// A new promise with the functions that resolve and reject it.
pub(crate) fn new_promise() -> JsResult<(Value, Value, Value)> {
    let mut functions = [qjs::JS_UNDEFINED; 2];
    // SAFETY: the engine fills both slots with owned values where it succeeds.
    let promise = Value::from_result(unsafe {
        qjs::JS_NewPromiseCapability(context(), functions.as_mut_ptr())
    })?;
    let [resolve, reject] = functions.map(Value::from_raw);
    Ok((promise, resolve, reject))
}
