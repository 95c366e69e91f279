//! Functions in memory: how they are kept, how they are called, and what they call.
//!
//! Law: a function lives as long as the code that it belongs to, and its memory is given back with that. It touches the elements of its
//! buffers, the registers that it is given, and its context, and nothing else (tests/execute/jit.rs).

#![allow(
    unsafe_code,
    reason = "what was compiled at run time is called by its address, and calls back with that of its context"
)]

use core::any::Any;
use core::ffi::c_void;
use core::fmt;
use core::mem::offset_of;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Mutex, OnceLock, PoisonError};

use cranelift_codegen::Context as Compiler;
use cranelift_codegen::ir::Signature;
use cranelift_codegen::isa::{OwnedTargetIsa, TargetIsa};
use cranelift_frontend::FunctionBuilderContext;
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{Module, default_libcall_names};

use super::steps::write_spend;
use crate::array::{IntegerRow, Prim};
use crate::execute::cpu::budget::{Held, STRIDE, Watch};
use crate::execute::cpu::compute::{by_row, one, truncated};
use crate::execute::cpu::instruction::RealOp;
use crate::execute::cpu::machine::Fault;
use crate::execute::cpu::memory::{Elements, allocate};
use crate::execute::cpu::real::Real;
use crate::execute::cpu::state::State;
use crate::primitives::Primitive;

/// What a function returns where all is well; anything else is a fault.
pub(super) const DONE: i64 = 0;
pub(super) const FAULT: i64 = 1;

/// An operation that a function has the library do.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Called {
    Row(Primitive),
    Integer(IntegerRow, Prim),
    Truncate(Prim),
    ToBits(Prim),
    FromBits(Prim),
}

/// What is handed over to a function, and what it has the library do.
#[derive(Debug)]
pub(super) struct Region {
    /// The registers whose values the function takes, and those for which it leaves values, each in the order of the context.
    pub(super) reals: Handed,
    pub(super) ints: Handed,
    /// The buffers, by their banks and numbers, in the order of the context.
    pub(super) buffers: Vec<(bool, u32)>,
    pub(super) called: Vec<Called>,
}

/// Registers whose values go into a function and come out of it.
#[derive(Debug)]
pub(super) struct Handed {
    pub(super) into: Vec<u32>,
    pub(super) out: Vec<u32>,
}

impl Handed {
    /// Puts the values of registers where the function takes them, with room for those that it leaves.
    fn fill<T: Copy + Default>(&self, space: &mut Vec<T>, value: impl Fn(u32) -> T) {
        space.clear();
        space.extend(self.into.iter().map(|register| value(*register)));
        space.resize(self.into.len().max(self.out.len()), T::default());
    }
}

/// Memory for what is handed over.
#[derive(Debug)]
pub(in crate::execute::cpu) struct Space<R> {
    reals: Vec<R>,
    ints: Vec<i64>,
    slots: Vec<Slot>,
}

impl<R> Default for Space<R> {
    fn default() -> Self {
        Space { reals: Vec::new(), ints: Vec::new(), slots: Vec::new() }
    }
}

/// A buffer as functions see it.
#[derive(Debug)]
#[repr(C)]
struct Slot {
    first: *mut u8,
    /// How many elements may be loaded; how many may be stored, and the number of the first of these.
    count: i64,
    changeable: i64,
    from: i64,
}

// SAFETY: slots are written before each call, and only the function that is called and what it calls use their pointers.
unsafe impl Send for Slot {}

/// What a function works on. What comes first is for the function itself, the rest for what it calls.
#[repr(C)]
struct Context<'r, 'm, R: Copy + 'static> {
    reals: *mut R,
    ints: *mut i64,
    slots: *mut Slot,
    left: i64,
    /// What says how many steps are left now, or 0.
    spend: extern "C" fn(*mut c_void, i64),
    /// What is loaded from outside of a buffer, and where that goes which is stored there.
    zero: i64,
    sink: i64,
    region: &'r Region,
    watch: &'r Watch<'r>,
    held: &'r mut Held,
    buffers: (&'r mut [Elements<'m, R>], &'r mut [Elements<'m, i64>]),
    panic: Option<Box<dyn Any + Send>>,
}

/// Where the parts of a context are, in bytes. Pointers to reals of both kinds are alike, and so are the contexts.
pub(super) mod offsets {
    use super::{Context, Slot, offset_of};

    type Any = Context<'static, 'static, f64>;

    pub(in super::super) const REALS: i32 = offset_of!(Any, reals) as i32;
    pub(in super::super) const INTS: i32 = offset_of!(Any, ints) as i32;
    pub(in super::super) const SLOTS: i32 = offset_of!(Any, slots) as i32;
    pub(in super::super) const LEFT: i32 = offset_of!(Any, left) as i32;
    pub(in super::super) const SPEND: i32 = offset_of!(Any, spend) as i32;
    pub(in super::super) const ZERO: i64 = offset_of!(Any, zero) as i64;
    pub(in super::super) const SINK: i64 = offset_of!(Any, sink) as i64;
    pub(in super::super) const FIRST: i32 = offset_of!(Slot, first) as i32;
    pub(in super::super) const COUNT: i32 = offset_of!(Slot, count) as i32;
    pub(in super::super) const CHANGEABLE: i32 = offset_of!(Slot, changeable) as i32;
    pub(in super::super) const FROM: i32 = offset_of!(Slot, from) as i32;
    pub(in super::super) const SLOT: i32 = size_of::<Slot>() as i32;
}

/// The addresses of what functions call.
#[derive(Debug, Clone, Copy)]
pub(super) struct Callbacks {
    pub(super) is_single: bool,
    /// Of the context and the instruction, with the steps that are left in the context. It changes no registers.
    pub(super) spend: i64,
    /// Of the context, the slot, the count and the instruction: the status.
    pub(super) alloc: i64,
    /// Of the context and two slots.
    pub(super) swap: i64,
    /// Of the context, the number of the operation, and its operands: three reals, or two integers, or one of the other kind.
    pub(super) real: i64,
    pub(super) int: i64,
    pub(super) real_to_int: i64,
    pub(super) int_to_real: i64,
}

impl Callbacks {
    pub(super) fn of<R: Real<G>, const G: usize>(isa: &OwnedTargetIsa) -> Option<Self> {
        static SPEND: OnceLock<Option<Made>> = OnceLock::new();
        let spend = SPEND.get_or_init(|| {
            let mut builder = Builder::new(isa);
            write_spend(&mut builder);
            builder.made()
        });
        Some(Callbacks {
            is_single: is_single::<R>(),
            spend: spend.as_ref()?.address as i64,
            alloc: alloc::<R, G> as *const () as i64,
            swap: swap::<R, G> as *const () as i64,
            real: real::<R, G> as *const () as i64,
            int: int::<R> as *const () as i64,
            real_to_int: real_to_int::<R, G> as *const () as i64,
            int_to_real: int_to_real::<R, G> as *const () as i64,
        })
    }
}

/// What a function is: of its context, the status.
type Native = unsafe extern "C" fn(*mut c_void) -> i64;

/// The memory of a function, which is given back with this.
struct Memory(Mutex<Option<JITModule>>);

impl Drop for Memory {
    fn drop(&mut self) {
        if let Some(module) = self.0.get_mut().unwrap_or_else(PoisonError::into_inner).take() {
            // SAFETY: the function is called by `Function::call` alone, which borrows this meanwhile; its address goes nowhere else.
            unsafe { module.free_memory() }
        }
    }
}

/// What was compiled: where it begins, and its memory.
struct Made {
    address: usize,
    memory: Memory,
}

/// A function in memory.
pub(super) struct Function {
    region: Region,
    entry: Native,
    /// Whether its reals are singles.
    is_single: bool,
    _memory: Memory,
}

impl fmt::Debug for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.region.fmt(f)
    }
}

/// A function that is being compiled.
pub(super) struct Builder {
    module: JITModule,
    pub(super) compiler: Compiler,
    pub(super) frontend: FunctionBuilderContext,
}

impl Builder {
    pub(super) fn new(isa: &OwnedTargetIsa) -> Self {
        let module = JITModule::new(JITBuilder::with_isa(isa.clone(), default_libcall_names()));
        let (compiler, frontend) = (module.make_context(), FunctionBuilderContext::new());
        Builder { module, compiler, frontend }
    }

    pub(super) fn signature(&self) -> Signature {
        self.module.make_signature()
    }

    pub(super) fn isa(&self) -> &dyn TargetIsa {
        self.module.isa()
    }

    /// Compiles what was written, unless Cranelift cannot or there is no memory for functions.
    fn made(self) -> Option<Made> {
        let Builder { mut module, mut compiler, .. } = self;
        let signature = compiler.func.signature.clone();
        let address = module.declare_anonymous_function(&signature).ok().and_then(|id| {
            module.define_function(id, &mut compiler).ok()?;
            module.finalize_definitions().ok()?;
            Some(module.get_finalized_function(id))
        });
        let memory = Memory(Mutex::new(Some(module)));
        Some(Made { address: address?.expose_provenance(), memory })
    }

    /// The function that `translate` has written, unless Cranelift cannot compile it.
    pub(super) fn finish(self, region: Region, is_single: bool) -> Option<Function> {
        let Made { address, memory } = self.made()?;
        // SAFETY: this is the address of a function that `translate` has written, whose signature is that of `Native`.
        let entry = unsafe { core::mem::transmute::<*const u8, Native>(core::ptr::with_exposed_provenance(address)) };
        Some(Function { region, entry, is_single, _memory: memory })
    }
}

impl Function {
    /// Calls it.
    pub(super) fn call<'m, R: Real<G>, const G: usize>(
        &self,
        watch: &Watch<'_>,
        state: &mut State<R, G>,
        (reals, ints): (&mut [Elements<'m, R>], &mut [Elements<'m, i64>]),
    ) -> Result<(), Fault> {
        assert_eq!(self.is_single, is_single::<R>(), "functions are called with reals of their kind");
        let region = &self.region;
        // Memory is kept from run to run.
        let mut space = core::mem::take(&mut state.space);
        let Region { reals: of_reals, ints: of_ints, buffers, .. } = region;
        space.slots.clear();
        space.slots.extend(buffers.iter().map(|(real, k)| match real {
            true => slot(&mut reals[*k as usize]),
            false => slot(&mut ints[*k as usize]),
        }));
        of_reals.fill(&mut space.reals, |register| state.reals.one(register));
        of_ints.fill(&mut space.ints, |register| state.ints.one(register));
        let mut context = Context {
            reals: space.reals.as_mut_ptr(),
            ints: space.ints.as_mut_ptr(),
            slots: space.slots.as_mut_ptr(),
            left: state.left,
            spend: spend::<R>,
            zero: 0,
            sink: 0,
            region,
            watch,
            held: &mut state.held,
            buffers: (reals, ints),
            panic: None,
        };
        // SAFETY: `translate` has made the function for this region and for reals of this kind. It reads and writes as many registers as
        // the region hands over, for which there is room; slots of the region's buffers; elements of those at places less than the
        // counts in the slots, and changes those that may be changed, from the first of them on: callbacks renew both where buffers
        // change; and the context. What is not looked at was shown to be inside, and what a worker changes then is the lane's own.
        // All of that outlives the call.
        let status = unsafe { (self.entry)((&raw mut context).cast()) };
        state.left = context.left;
        if let Some(panic) = context.panic.take() {
            resume_unwind(panic);
        }
        if status != DONE {
            return Err(Fault);
        }
        of_reals.out.iter().zip(&space.reals).for_each(|(k, x)| state.reals.set(*k, *x));
        of_ints.out.iter().zip(&space.ints).for_each(|(k, x)| state.ints.set(*k, *x));
        state.space = space;
        Ok(())
    }
}

fn is_single<R>() -> bool {
    size_of::<R>() == size_of::<f32>()
}

/// Where the elements of a buffer are.
fn slot<T: Copy + Default>(elements: &mut Elements<'_, T>) -> Slot {
    let count = elements.all().len() as i64;
    match elements {
        Elements::Own(all) => Slot { first: all.as_mut_ptr().cast(), count, changeable: count, from: 0 },
        // Nothing is stored where nothing may be changed.
        Elements::Shared(all) => Slot { first: all.as_ptr().cast_mut().cast(), count, changeable: 0, from: 0 },
        // Nothing is loaded from what others change.
        Elements::Part { elements, from } => {
            let first = elements.as_mut_ptr().wrapping_sub(*from).cast();
            Slot { first, count: 0, changeable: count, from: *from as i64 }
        }
    }
}

/// The context that a function hands on to what it calls.
///
/// # Safety
/// It is the one that `Function::call` has handed to the function, with these reals, and nobody else uses it meanwhile.
unsafe fn context<'c, R: Copy + 'static>(context: *mut c_void) -> &'c mut Context<'c, 'c, R> {
    // SAFETY: as whoever calls this says.
    unsafe { &mut *context.cast() }
}

impl<R: Copy> Context<'_, '_, R> {
    /// Does what may call code of users: a panic there goes on once the function has returned.
    fn caught(&mut self, inside: impl FnOnce(&mut Self) -> Result<i64, Fault>) -> Option<i64> {
        match catch_unwind(AssertUnwindSafe(|| inside(self))) {
            Ok(result) => result.ok(),
            Err(panic) => {
                self.panic = Some(panic);
                None
            }
        }
    }

    /// Says where the elements of a buffer are now.
    fn renew<const G: usize>(&mut self, number: usize)
    where
        R: Real<G>,
    {
        let (real, buffer) = self.region.buffers[number];
        let (reals, ints) = (&mut *self.buffers.0, &mut *self.buffers.1);
        let slot = if real { slot(&mut reals[buffer as usize]) } else { slot(&mut ints[buffer as usize]) };
        // SAFETY: there are as many slots as the region has buffers.
        unsafe { self.slots.add(number).write(slot) }
    }
}

extern "C" fn spend<R: Copy + 'static>(of: *mut c_void, at: i64) {
    // SAFETY: functions have the address of this, and hand on the context that they have got.
    let context = unsafe { context::<R>(of) };
    let spent = context.caught(|Context { watch, left, .. }| watch.spend(STRIDE - *left, at as usize).map(|()| STRIDE));
    context.left = spent.unwrap_or(0);
}

extern "C" fn alloc<R: Real<G>, const G: usize>(of: *mut c_void, number: i64, count: i64, at: i64) -> i64 {
    // SAFETY: as above.
    let context = unsafe { context::<R>(of) };
    let number = number as usize;
    let (real, buffer) = context.region.buffers[number];
    let allocated = context.caught(|Context { watch, held, buffers: (reals, ints), .. }| {
        allocate(watch, held, (reals, ints), (real, buffer), (count, None), at as usize).map(|_| DONE)
    });
    context.renew::<G>(number);
    allocated.unwrap_or(FAULT)
}

extern "C" fn swap<R: Real<G>, const G: usize>(of: *mut c_void, a: i64, b: i64) {
    // SAFETY: as above.
    let context = unsafe { context::<R>(of) };
    let [a, b] = [a as usize, b as usize];
    let ((real, first), (_, second)) = (context.region.buffers[a], context.region.buffers[b]);
    context.held.swap(real, first, second);
    if real {
        context.buffers.0.swap(first as usize, second as usize);
    } else {
        context.buffers.1.swap(first as usize, second as usize);
    }
    context.renew::<G>(a);
    context.renew::<G>(b);
}

extern "C" fn real<R: Real<G>, const G: usize>(of: *mut c_void, number: i64, a: R, b: R, c: R) -> R {
    // SAFETY: as above.
    match unsafe { context::<R>(of) }.region.called[number as usize] {
        Called::Row(row) => one(RealOp::Row(row), [a, b, c]),
        other => unreachable!("{other:?} is not of reals alone"),
    }
}

extern "C" fn int<R: Copy + 'static>(of: *mut c_void, number: i64, a: i64, b: i64) -> i64 {
    // SAFETY: as above.
    match unsafe { context::<R>(of) }.region.called[number as usize] {
        Called::Integer(row, kind) => by_row(row, kind, a, b),
        other => unreachable!("{other:?} is not of integers alone"),
    }
}

extern "C" fn real_to_int<R: Real<G>, const G: usize>(of: *mut c_void, number: i64, x: R) -> i64 {
    // SAFETY: as above.
    match unsafe { context::<R>(of) }.region.called[number as usize] {
        Called::Truncate(into) => truncated(into, x),
        Called::ToBits(kind) => x.bits(kind),
        other => unreachable!("{other:?} is not of a real"),
    }
}

extern "C" fn int_to_real<R: Real<G>, const G: usize>(of: *mut c_void, number: i64, n: i64) -> R {
    // SAFETY: as above.
    match unsafe { context::<R>(of) }.region.called[number as usize] {
        Called::FromBits(kind) => R::of_bits(kind, n),
        other => unreachable!("{other:?} is not of an integer"),
    }
}
