//! A run as compiled code has it, and what that calls: for memory, to count steps, and to have parts of a loop run.
//!
//! Law: parts run at the same time, on as many threads as there are, and each has memory of its own; what fails in one ends the
//! others, and the run (tests/execute/native.rs).

#![allow(unsafe_code, reason = "compiled code passes pointers to what it was given")]

use core::ffi::c_void;

use super::heap::Heap;
use super::print::MAX_OPERANDS;

/// An argument or a result, as the C prelude has it.
#[repr(C)]
pub(super) struct CPort {
    pub(super) elements: *mut c_void,
    pub(super) sizes: *mut i64,
    pub(super) length: i64,
    pub(super) integer: i64,
    pub(super) real: f64,
}

/// A run, as the C prelude has it.
#[repr(C)]
pub(super) struct Context {
    heap: *mut c_void,
    memory: extern "C" fn(*mut Context, *mut c_void, i64, i64, i64) -> *mut c_void,
    spend: extern "C" fn(*mut Context) -> i32,
    share: extern "C" fn(*mut Context, Part, *const c_void, i64) -> i32,
    pub(super) left: i64,
    pub(super) failed: i64,
    pub(super) operands: [i64; MAX_OPERANDS],
    inputs: *mut CPort,
    outputs: *mut CPort,
}

impl Context {
    /// A run that has this memory, or a part of one.
    pub(super) fn new(heap: &mut Heap<'_>, [inputs, outputs]: [*mut CPort; 2]) -> Self {
        Context {
            heap: core::ptr::from_mut(heap).cast(),
            memory,
            spend,
            share,
            left: STRIDE,
            failed: 0,
            operands: [0; MAX_OPERANDS],
            inputs,
            outputs,
        }
    }
}

/// How many steps are taken between two looks at the limits.
pub(super) const STRIDE: i64 = 1 << 12;

/// What `failed` is if there was no memory.
pub(super) const NO_MEMORY: i64 = -1;

extern "C" fn memory(context: *mut Context, before: *mut c_void, count: i64, size: i64, kind: i64) -> *mut c_void {
    // SAFETY: the context is that of a run in progress, or of a part of one, whose heap nothing else uses while the code runs.
    let heap = unsafe { &mut *(*context).heap.cast::<Heap<'_>>() };
    heap.memory(before as usize, count, size, kind) as *mut c_void
}

extern "C" fn spend(context: *mut Context) -> i32 {
    // SAFETY: as above.
    let (context, heap) = unsafe { (&mut *context, &*(*context).heap.cast::<Heap<'_>>()) };
    let taken = STRIDE - context.left;
    context.left = STRIDE;
    i32::from(!heap.watch.spend(taken.unsigned_abs()))
}

/// A part of a loop over lanes, as it is printed.
type Part = unsafe extern "C" fn(*mut Context, *const c_void, i64) -> i32;

/// What the parts of a loop have in common.
struct Common<'w> {
    heap: &'w Heap<'w>,
    part: Part,
    task: *const c_void,
    ports: [*mut CPort; 2],
}

// SAFETY: parts read what the task points to and what that points to, and write each to elements of its own, as the code is printed; the heap
// is read alone.
unsafe impl Sync for Common<'_> {}

impl Common<'_> {
    /// Runs one of the parts: what failed, if something did.
    fn run(&self, part: i64) -> Result<(), i64> {
        let mut heap = self.heap.of_part();
        let mut context = Context::new(&mut heap, self.ports);
        // SAFETY: the task is what the part was printed for, and is there until all parts have returned.
        let status = unsafe { (self.part)(&mut context, self.task, part) };
        let (left, failed) = (context.left, context.failed);
        let goes_on = self.heap.watch.spend((STRIDE - left).unsigned_abs());
        heap.leave();
        if status == 0 && goes_on {
            return Ok(());
        }
        self.heap.watch.progress.stop();
        Err(failed)
    }
}

extern "C" fn share(context: *mut Context, part: Part, task: *const c_void, parts: i64) -> i32 {
    // SAFETY: the context is that of a run in progress, whose heap nothing else changes until all parts have returned.
    let (context, heap) = unsafe { (&mut *context, &*(*context).heap.cast::<Heap<'_>>()) };
    let common = Common { heap, part, task, ports: [context.inputs, context.outputs] };
    match all(parts, |part| common.run(part)) {
        Ok(()) => 0,
        Err(failed) => {
            context.failed = failed;
            1
        }
    }
}

#[cfg(feature = "rayon")]
fn all(parts: i64, run: impl Fn(i64) -> Result<(), i64> + Sync + Send) -> Result<(), i64> {
    use rayon::iter::{IntoParallelIterator, ParallelIterator};
    if rayon::current_num_threads() == 1 {
        return (0..parts).try_for_each(run);
    }
    (0..parts).into_par_iter().try_for_each(run)
}

#[cfg(not(feature = "rayon"))]
fn all(parts: i64, run: impl Fn(i64) -> Result<(), i64>) -> Result<(), i64> {
    (0..parts).try_for_each(run)
}
