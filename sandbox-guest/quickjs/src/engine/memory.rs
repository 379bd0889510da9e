//! The engine's memory: who allocates it, and when unreachable cycles are looked for.
//!
//! The engine's own default does not learn the size of a block on wasm, so it would hardly ever collect: with this
//! allocator it counts what it holds. And it collects at 1.5 times what was live, which is too seldom beside a memory
//! limit and too often in a small heap: [`pace`] bounds how much garbage may gather.
#![expect(unsafe_code, reason = "hands C's allocator to the engine")]

use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicUsize, Ordering};

use rquickjs_sys as qjs;

use super::runtime::context;

/// Bytes that a program may allocate between two collections, at least and at most.
const LEAST_GARBAGE_BYTES: usize = 16 << 20;
const MOST_GARBAGE_BYTES: usize = 32 << 20;

/// The threshold that `pace` set last; any other one was set by the engine after a collection.
static THRESHOLD: AtomicUsize = AtomicUsize::new(0);

// SAFETY: the C library that the engine is linked with defines them with these types.
unsafe extern "C" {
    fn malloc(size: usize) -> *mut c_void;
    fn calloc(count: usize, size: usize) -> *mut c_void;
    fn realloc(block: *mut c_void, size: usize) -> *mut c_void;
    fn free(block: *mut c_void);
    fn malloc_usable_size(block: *const c_void) -> usize;
}

/// A new runtime over this allocator.
pub(super) fn new_runtime() -> *mut qjs::JSRuntime {
    let functions = qjs::JSMallocFunctions {
        js_calloc: Some(engine_calloc),
        js_malloc: Some(engine_malloc),
        js_free: Some(engine_free),
        js_realloc: Some(engine_realloc),
        js_malloc_usable_size: Some(usable_size),
    };
    // SAFETY: the engine copies the table; the functions are those of one allocator.
    unsafe {
        let runtime = qjs::JS_NewRuntime2(&functions, std::ptr::null_mut());
        qjs::JS_SetInterruptHandler(runtime, Some(interrupt), std::ptr::null_mut());
        qjs::JS_SetGCThreshold(runtime, LEAST_GARBAGE_BYTES as _);
        THRESHOLD.store(LEAST_GARBAGE_BYTES, Ordering::Relaxed);
        runtime
    }
}

/// Corrects the threshold after a collection.
fn pace() {
    if context().is_null() {
        return;
    }
    // SAFETY: the runtime is live; both read or write one number.
    unsafe {
        let runtime = qjs::JS_GetRuntime(context());
        let threshold = qjs::JS_GetGCThreshold(runtime) as usize;
        if threshold == THRESHOLD.load(Ordering::Relaxed) {
            return;
        }
        // The engine set it to 1.5 times what was live.
        let live = threshold / 3 * 2;
        let next = live + (live / 2).clamp(LEAST_GARBAGE_BYTES, MOST_GARBAGE_BYTES);
        qjs::JS_SetGCThreshold(runtime, next as _);
        THRESHOLD.store(next, Ordering::Relaxed);
    }
}

/// The engine calls this every few thousand loops and calls; it never stops the program, which is the host's part.
unsafe extern "C" fn interrupt(_: *mut qjs::JSRuntime, _: *mut c_void) -> c_int {
    pace();
    0
}

unsafe extern "C" fn engine_malloc(_: *mut c_void, size: qjs::size_t) -> *mut c_void {
    pace();
    // SAFETY: any size may be asked for.
    unsafe { malloc(size as usize) }
}

unsafe extern "C" fn engine_calloc(
    _: *mut c_void,
    count: qjs::size_t,
    size: qjs::size_t,
) -> *mut c_void {
    pace();
    // SAFETY: any size may be asked for.
    unsafe { calloc(count as usize, size as usize) }
}

unsafe extern "C" fn engine_realloc(
    _: *mut c_void,
    block: *mut c_void,
    size: qjs::size_t,
) -> *mut c_void {
    pace();
    // SAFETY: the engine passes a block of this allocator.
    unsafe { realloc(block, size as usize) }
}

unsafe extern "C" fn engine_free(_: *mut c_void, block: *mut c_void) {
    // SAFETY: the engine passes a block of this allocator.
    unsafe { free(block) }
}

unsafe extern "C" fn usable_size(block: *const c_void) -> qjs::size_t {
    // SAFETY: the engine passes a block of this allocator.
    unsafe { malloc_usable_size(block) as qjs::size_t }
}
