//! The guest's memory: how much of it is live, and when unreachable objects are looked for.
//!
//! Boa collects when the sizes of its boxes pass a threshold of its own. A box does not know of the vectors and the
//! texts that it holds, so that a program can fill its memory with garbage that Boa takes for a few kilobytes; and a
//! collection can begin only where Boa makes a box, for it knows its roots then. So the allocator here counts all that
//! is live, and where that has grown enough it lowers Boa's threshold to nothing: the next box collects, and Boa
//! computes its threshold afresh.
//!
//! Boa keeps the threshold to itself. [`find_threshold`] looks for it in the memory when the snapshot is taken, and
//! takes a place for it only if writing there makes Boa collect; where none is found, no snapshot is made.
#![expect(
    unsafe_code,
    reason = "is the allocator, and writes a number of the collector's"
)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

use boa_gc::{Finalize, Gc, Trace};

/// Bytes by which live memory may grow between two collections, at least and at most; between them it is half of what
/// was live.
const LEAST_GROWTH_BYTES: usize = 8 << 20;
const MOST_GROWTH_BYTES: usize = 32 << 20;

/// What Boa starts with: bytes of boxes before the first collection, and how full it may be after one, in percent.
const BOA_THRESHOLD_BYTES: usize = 1 << 20;
const BOA_PERCENT: usize = 70;

static LIVE: AtomicUsize = AtomicUsize::new(0);
/// Live bytes at which a collection is asked for.
static NEXT: AtomicUsize = AtomicUsize::new(usize::MAX);
/// Whether a collection was asked for and was not seen to be over.
static ASKED: AtomicBool = AtomicBool::new(false);
/// The least that was live since it was asked for: what the collection left.
static LEAST: AtomicUsize = AtomicUsize::new(0);
/// The address of Boa's threshold; 0 before it is found.
static THRESHOLD: AtomicUsize = AtomicUsize::new(0);

struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

// SAFETY: hands every request on to the system's allocator and returns what that one does.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        grown(layout.size());
        // SAFETY: the caller's promise.
        granted(unsafe { System.alloc(layout) }, layout)
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        grown(layout.size());
        // SAFETY: the caller's promise.
        granted(unsafe { System.alloc_zeroed(layout) }, layout)
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        shrunk(layout.size());
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(block, layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        shrunk(layout.size());
        grown(size);
        // SAFETY: the caller's promise.
        granted(unsafe { System.realloc(block, layout, size) }, layout)
    }
}

/// Ends the instance where there is no memory. Most of the engine does that anyway; the rest would tell the program in
/// words of its own, and the host could not tell which of its errors means the limit.
fn granted(block: *mut u8, layout: Layout) -> *mut u8 {
    if block.is_null() {
        std::alloc::handle_alloc_error(layout);
    }
    block
}

fn grown(bytes: usize) {
    let live = LIVE.fetch_add(bytes, Relaxed) + bytes;
    if live > NEXT.load(Relaxed) {
        pace(live);
    }
}

fn shrunk(bytes: usize) {
    let live = LIVE.fetch_sub(bytes, Relaxed) - bytes;
    if ASKED.load(Relaxed) {
        LEAST.fetch_min(live, Relaxed);
    }
}

/// Asks for a collection, or notes that the one asked for is over.
#[cold]
fn pace(live: usize) {
    let threshold = THRESHOLD.load(Relaxed) as *mut usize;
    if threshold.is_null() {
        return;
    }
    // SAFETY: `find_threshold` found Boa's own number there. It lies in a static, there is one thread, and Boa only
    // compares it: any value is right.
    unsafe {
        if ASKED.load(Relaxed) {
            if threshold.read_volatile() == 0 {
                return;
            }
            ASKED.store(false, Relaxed);
            rest(LEAST.load(Relaxed));
        }
        if live > NEXT.load(Relaxed) {
            LEAST.store(live, Relaxed);
            ASKED.store(true, Relaxed);
            threshold.write_volatile(0);
        }
    }
}

/// Lets live memory grow from this before the next collection.
fn rest(live: usize) {
    NEXT.store(
        live.saturating_add((live / 2).clamp(LEAST_GROWTH_BYTES, MOST_GROWTH_BYTES)),
        Relaxed,
    );
}

/// Asks the host for all the memory that there can be, which it refuses.
pub(crate) fn ask_for_all() {
    let _ = core::arch::wasm32::memory_grow::<0>(u16::MAX.into());
}

/// Frees what is unreachable.
pub(crate) fn collect() {
    boa_gc::force_collect();
    rest(LIVE.load(Relaxed));
}

/// Says that it was dropped.
struct Flag(Rc<Cell<bool>>);

impl Drop for Flag {
    fn drop(&mut self) {
        self.0.set(true);
    }
}

/// Holds a flag in a box of Boa's.
#[derive(Trace, Finalize)]
struct Canary(
    #[unsafe_ignore_trace]
    #[expect(dead_code, reason = "is there to be dropped")]
    Flag,
);

/// Finds Boa's threshold. Before the engine is made, while Boa has its first values.
///
/// # Panics
/// It is not found: Boa keeps it in another way than before.
pub(crate) fn find_threshold() {
    let end = core::arch::wasm32::memory_size::<0>() * 65_536;
    // Boa's numbers are made with its first box; and only from live boxes does Boa compute its threshold anew.
    let _alive = Gc::new([0u8; 4096]);
    for address in (4..end - 4).step_by(4) {
        let word = |address: usize| {
            // SAFETY: the address lies in the memory and is aligned; any bytes are a number.
            unsafe { (address as *const usize).read_volatile() }
        };
        if word(address) != BOA_THRESHOLD_BYTES
            || (word(address - 4) != BOA_PERCENT && word(address + 4) != BOA_PERCENT)
        {
            continue;
        }
        if collects_by(address) {
            THRESHOLD.store(address, Relaxed);
            return;
        }
    }
    panic!("the collector's threshold was not found");
}

/// Whether a zero there makes Boa collect and compute the number anew. Puts back what is not Boa's.
fn collects_by(address: usize) -> bool {
    let place = address as *mut usize;
    let dropped = Rc::new(Cell::new(false));
    drop(Gc::new(Canary(Flag(Rc::clone(&dropped)))));
    // SAFETY: the word holds the number that Boa starts with and is put back where it is something else; nothing but
    // the next lines runs meanwhile.
    unsafe {
        place.write_volatile(0);
        drop(Gc::new(()));
        let found = dropped.get() && place.read_volatile() != 0;
        // Boxes alone need not be counted any more.
        place.write_volatile(if found {
            LEAST_GROWTH_BYTES
        } else {
            BOA_THRESHOLD_BYTES
        });
        found
    }
}
