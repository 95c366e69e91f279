//! A counting allocator, for the peak of live heap bytes.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

static LIVE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

/// The system's allocator, counting. Install it with `#[global_allocator]`.
#[derive(Debug)]
pub struct Counting;

fn grew(bytes: usize) {
    let live = LIVE.fetch_add(bytes, Relaxed) + bytes;
    PEAK.fetch_max(live, Relaxed);
}

// SAFETY: every call is handed to the system's allocator unchanged; counting does not allocate.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        grew(layout.size());
        // SAFETY: the caller's promise, passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        grew(layout.size());
        // SAFETY: the caller's promise, passed on.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), Relaxed);
        // SAFETY: the caller's promise, passed on.
        unsafe { System.dealloc(at, layout) }
    }

    /// A growing block counts as its new size alone: the system moves large ones by remapping.
    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        LIVE.fetch_sub(layout.size(), Relaxed);
        grew(size);
        // SAFETY: the caller's promise, passed on.
        unsafe { System.realloc(at, layout, size) }
    }
}

/// The most heap that was live at once while `f` ran, above what was live before.
///
/// `f` runs on a thread of its own, so that a contender whose tape lives in a thread's storage
/// starts cold like the others.
pub fn peak_of(f: impl FnOnce() + Send) -> usize {
    std::thread::scope(|scope| {
        let measured = scope.spawn(|| {
            let before = LIVE.load(Relaxed);
            PEAK.store(before, Relaxed);
            f();
            PEAK.load(Relaxed).saturating_sub(before)
        });
        measured.join().expect("the measured function does not panic")
    })
}
