//! The engine's memory: who allocates it, and when unreachable cycles are looked for.
//!
//! The engine's own default does not learn the size of a block on wasm, so it would hardly ever collect: with this
//! allocator it counts what it holds. And it collects at 1.5 times what was live, which is too seldom beside a memory
//! limit and too often in a small heap: [`pace`] bounds how much garbage may gather.
//!
//! The engine keeps its small blocks in arenas of just less than a page, one size of block in each. Here an arena lies within
//! one page of its own, so that a run which takes a block of some size writes to one page instead of two: a page that a run
//! writes to is a private copy.
#![expect(unsafe_code, reason = "hands C's allocator to the engine and to Rust")]

use std::alloc::{GlobalAlloc, Layout};
use std::ffi::{c_int, c_void};
use std::ops::RangeInclusive;
use std::sync::atomic::{AtomicUsize, Ordering};

use rquickjs_sys as qjs;

use super::runtime::context;

/// Bytes that a program may allocate between two collections, at least and at most.
const LEAST_GARBAGE_BYTES: usize = 16 << 20;
const MOST_GARBAGE_BYTES: usize = 32 << 20;

/// Bytes of a page, and those that the engine asks for when it wants an arena. With the allocator's own word in front, arenas
/// of this size lie side by side.
const PAGE_BYTES: usize = 4096;
const ARENA_BYTES: RangeInclusive<usize> = 3600..=4088;

/// The threshold that `pace` set last; any other one was set by the engine after a collection.
static THRESHOLD: AtomicUsize = AtomicUsize::new(0);

// SAFETY: the C library that the engine is linked with defines them with these types.
unsafe extern "C" {
    fn malloc(size: usize) -> *mut c_void;
    fn calloc(count: usize, size: usize) -> *mut c_void;
    fn realloc(block: *mut c_void, size: usize) -> *mut c_void;
    fn free(block: *mut c_void);
    fn aligned_alloc(alignment: usize, size: usize) -> *mut c_void;
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

/// Fills the gaps of the heap for good, so that what is allocated from now on lies together behind them, from the start of a
/// page. Small blocks in gaps all over the heap would make a run write to as many pages.
pub(crate) fn fill_gaps() {
    /// More than any gap but one has.
    const PROBE_BYTES: usize = 64 << 10;
    // SAFETY: any size may be asked for; what is freed was allocated here. The addresses are compared, not used.
    unsafe {
        let (probe, other) = (malloc(PROBE_BYTES), malloc(PROBE_BYTES));
        let end = probe.max(other);
        free(probe);
        free(other);
        let mut size = PROBE_BYTES;
        while size > 0 {
            let mut block = malloc(size);
            while !block.is_null() && block < end {
                block = malloc(size);
            }
            free(block);
            size -= if size > 1024 { 256 } else { 8 };
        }
        // The allocator's words take less than the alignment.
        let next = malloc(ANY_ALIGNMENT);
        free(next);
        let rest = PAGE_BYTES - next as usize % PAGE_BYTES;
        std::hint::black_box(malloc(rest));
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
    let size = size as usize;
    // SAFETY: any size may be asked for, and the alignment is a power of two.
    unsafe {
        if ARENA_BYTES.contains(&size) {
            aligned_alloc(PAGE_BYTES, size)
        } else {
            malloc(size)
        }
    }
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

/// Rust's part of the guest allocates where the engine does, so that there is one heap.
struct Heap;

#[global_allocator]
static HEAP: Heap = Heap;

/// Alignment that every block of C's allocator has.
const ANY_ALIGNMENT: usize = 16;

// SAFETY: the functions are those of one allocator; blocks that need more than its own alignment are asked for with theirs,
// and are freed like all others.
unsafe impl GlobalAlloc for Heap {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: any size may be asked for, and the alignment is a power of two.
        let block = unsafe {
            if layout.align() <= ANY_ALIGNMENT {
                malloc(layout.size())
            } else {
                aligned_alloc(layout.align(), layout.size())
            }
        };
        block.cast()
    }

    unsafe fn dealloc(&self, block: *mut u8, _: Layout) {
        // SAFETY: the block is of this allocator.
        unsafe { free(block.cast()) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if layout.align() <= ANY_ALIGNMENT {
            // SAFETY: any size may be asked for.
            return unsafe { calloc(1, layout.size()) }.cast();
        }
        // SAFETY: as the caller promises; the block has the size that is cleared.
        unsafe {
            let block = self.alloc(layout);
            if !block.is_null() {
                block.write_bytes(0, layout.size());
            }
            block
        }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if layout.align() <= ANY_ALIGNMENT {
            // SAFETY: the block is of this allocator.
            return unsafe { realloc(block.cast(), size) }.cast();
        }
        // SAFETY: as the caller promises; both blocks have the bytes that are copied.
        unsafe {
            let moved = self.alloc(Layout::from_size_align_unchecked(size, layout.align()));
            if !moved.is_null() {
                moved.copy_from_nonoverlapping(block, layout.size().min(size));
                self.dealloc(block, layout);
            }
            moved
        }
    }
}
