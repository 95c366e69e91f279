//! Programs compiled by this machine's C compiler, and their runs.
//!
//! Law: nothing but compiled code computes results. Where a check fails the stepwise code of the program is compiled too, and
//! tells what is wrong; or nothing is, since the check was made where the program makes none (laws: executors::suite,
//! tests/execute/native.rs).

#![allow(unsafe_code, reason = "compiled code is called, and leaves results where pointers say")]

use core::ffi::c_void;
use core::ptr::null_mut;
use std::panic::resume_unwind;
use std::sync::OnceLock;

use super::compiler::{self, Effort};
use super::context::{CPort, Context, NO_MEMORY, STRIDE};
use super::heap::{Block, Heap, Pool, Watch};
use super::passes::{Lowered, TARGET, lowered, passes};
use super::print::{Claim, MAX_OPERANDS};
use super::unit::Unit;
use crate::array::{Const, Prim, Program};
use crate::error::Result;
use crate::execute::contract::on_flats;
use crate::execute::fault::{ended, failed};
use crate::execute::{Compiled, Ending, Executor, Flat, Lent, Outcome, Prepared, Unsupported};
use crate::interpret::{Control, Value};
use crate::kernel::code::{Blame, Code};
use crate::kernel::{self, Refused};

/// Code that the C compiler of this machine makes of programs, on all cores.
///
/// To compile takes from a tenth of a second to some seconds; what was compiled is kept on disk, in the folder that the environment
/// variable `CATADIFF_CACHE` names, or else `catadiff` among the caches of the user, and found again by later processes. The compiler is the one
/// that `CC` names, or else `clang`, `gcc` or `cc`, whichever is there first; it is given the flags in `CATADIFF_CFLAGS` too.
#[derive(Debug, Clone, Copy, Default)]
pub struct Native;

/// The most elements of arrays that are computed once.
const MAX_CONSTANTS: u64 = 1 << 22;

type Run = unsafe extern "C" fn(*mut Context) -> i32;

/// Code that is compiled and loaded.
#[derive(Debug)]
struct Loaded {
    run: Run,
    inputs: Vec<(Prim, usize)>,
    outputs: Vec<(Prim, usize)>,
    blames: Vec<Option<Claim>>,
    /// What the function is in.
    _library: libloading::Library,
}

/// A program that is ready to run.
#[derive(Debug)]
struct OnMachine {
    program: Program,
    rest: Option<Program>,
    constants: Vec<Flat>,
    code: Loaded,
    /// What tells what is wrong, once something is.
    stepwise: OnceLock<core::result::Result<Loaded, Unsupported>>,
    pool: Pool,
}

impl Loaded {
    fn new(code: &Code, effort: Effort) -> Result<core::result::Result<Self, Unsupported>> {
        let Unit { text, blames } = match Unit::of(code) {
            Ok(unit) => unit,
            // What is printed of code knows no statements.
            Err(Refused { reason, .. }) => return Ok(Err(Unsupported { statement: None, reason })),
        };
        let library = compiler::compiled(&text, effort)?;
        // SAFETY: the function is of this type, as it is printed.
        let run = unsafe { library.get::<Run>(b"run") }.map(|symbol| *symbol);
        let run = run.map_err(|error| crate::error::Error::Device { what: error.to_string() })?;
        let inputs = code.inputs.iter().map(|port| code.input_type(port));
        let outputs = code.outputs.iter().map(|output| code.output_type(output));
        Ok(Ok(Loaded { run, inputs: inputs.collect(), outputs: outputs.collect(), blames, _library: library }))
    }
}

/// The elements of an argument as code expects them, where they are not yet so.
#[derive(Debug)]
enum Converted {
    F64(Vec<f64>),
    F32(Vec<f32>),
    Bytes(Vec<u8>),
}

/// Integers in as many bytes as their kind has.
fn bytes(prim: Prim, ints: &[i64]) -> Vec<u8> {
    let size = width(prim);
    ints.iter().flat_map(|n| n.to_ne_bytes().into_iter().take(size)).collect()
}

/// How many bytes an element of integers has in memory.
fn width(prim: Prim) -> usize {
    if prim == Prim::Bool { 1 } else { prim.bits() as usize / 8 }
}

impl Converted {
    /// What an argument becomes, and where its elements are.
    fn of(argument: Lent<'_>, prim: Prim) -> (Option<Self>, *mut c_void) {
        let is_there = match prim {
            Prim::I64 | Prim::U64 => true,
            prim => prim.is_real() && argument.prim == prim,
        };
        let there = match prim {
            Prim::F64 | Prim::F16 => argument.reals.as_ptr().cast_mut().cast(),
            Prim::F32 => argument.singles.as_ptr().cast_mut().cast(),
            _ => argument.ints.as_ptr().cast_mut().cast(),
        };
        if is_there {
            return (None, there);
        }
        let all = || argument.singles.iter().map(|x| f64::from(*x)).chain(argument.reals.iter().copied());
        let mut new = match prim {
            Prim::F64 => Converted::F64(all().collect()),
            Prim::F16 => Converted::F64(all().map(|x| Const::rounded(x, prim).real().unwrap_or(x)).collect()),
            Prim::F32 => Converted::F32(all().map(|x| x as f32).collect()),
            prim => Converted::Bytes(bytes(prim, argument.ints)),
        };
        let there = match &mut new {
            Converted::F64(all) => all.as_mut_ptr().cast(),
            Converted::F32(all) => all.as_mut_ptr().cast(),
            Converted::Bytes(all) => all.as_mut_ptr().cast(),
        };
        (Some(new), there)
    }
}

impl Loaded {
    /// Runs the code; the results are left where they go. What failed, if a check did.
    fn go(
        &self,
        arguments: &[Lent<'_>],
        results: &mut Vec<Flat>,
        heap: &mut Heap<'_>,
    ) -> core::result::Result<(), (i64, [i64; MAX_OPERANDS])> {
        let nothing = Err((NO_MEMORY, [0; MAX_OPERANDS]));
        let mut sizes: Vec<i64> = Vec::with_capacity(arguments.iter().map(|argument| argument.sizes.len()).sum());
        sizes.extend(arguments.iter().flat_map(|argument| argument.sizes).map(|size| *size as i64));
        let mut rest = &mut sizes[..];
        let (mut inputs, mut kept): (Vec<CPort>, Vec<Converted>) = (Vec::with_capacity(arguments.len()), Vec::new());
        for (argument, (prim, rank)) in arguments.iter().zip(&self.inputs) {
            let mut port = CPort { elements: null_mut(), sizes: null_mut(), length: 0, integer: 0, real: 0.0 };
            if *rank == 0 {
                port.integer = argument.ints.first().copied().unwrap_or(0);
                let real = argument.real(0).unwrap_or(0.0);
                port.real = if prim.is_real() { Const::rounded(real, *prim).real().unwrap_or(real) } else { 0.0 };
            } else {
                port.sizes = next(&mut rest, argument.sizes.len());
                let (new, elements) = Converted::of(*argument, *prim);
                kept.extend(new);
                port.elements = elements;
                let count: usize = argument.sizes.iter().product();
                if !heap.hold(count as u64) {
                    return nothing;
                }
            }
            inputs.push(port);
        }
        let mut of_results: Vec<i64> = vec![0; self.outputs.iter().map(|(_, rank)| rank).sum()];
        let mut rest = &mut of_results[..];
        results.resize_with(self.outputs.len(), Flat::default);
        let port = |((prim, rank), result): (&(Prim, usize), &mut Flat)| {
            // Code that makes a result in one piece does so where the last one is, if there is room.
            let (elements, length) = if *rank == 0 { (null_mut(), 0) } else { there(result, *prim) };
            CPort { elements, sizes: next(&mut rest, *rank), length: length as i64, integer: 0, real: 0.0 }
        };
        let mut outputs: Vec<CPort> = self.outputs.iter().zip(&mut *results).map(port).collect();
        let mut context = Context::new(heap, [inputs.as_mut_ptr(), outputs.as_mut_ptr()]);
        // SAFETY: the code reads arguments of the kinds and sizes that are given here, in their bounds, and writes to memory that it
        // asks the heap for, or to elements of results, of whose number it knows; all of that is there until it returns.
        let status = unsafe { (self.run)(&mut context) };
        let (failed, operands) = (context.failed, context.operands);
        if let Some(panic) = heap.watch.panic() {
            resume_unwind(panic);
        }
        if status != 0 {
            return Err((failed, operands));
        }
        if !heap.watch.spend((STRIDE - context.left).unsigned_abs()) {
            return nothing;
        }
        let mut rest = &of_results[..];
        for (k, of) in self.outputs.iter().enumerate() {
            let again = outputs[k + 1..].iter().any(|other| other.elements == outputs[k].elements);
            let sizes;
            (sizes, rest) = rest.split_at(of.1);
            if give(&outputs[k], (of, sizes), again, heap, &mut results[k]).is_none() {
                return nothing;
            }
        }
        drop((sizes, kept));
        Ok(())
    }
}

/// Where elements of a kind are, if some are there, and how many.
fn there(of: &mut Flat, prim: Prim) -> (*mut c_void, usize) {
    match prim {
        Prim::F64 | Prim::F16 if !of.reals.is_empty() => (of.reals.as_mut_ptr().cast(), of.reals.len()),
        Prim::F32 if !of.singles.is_empty() => (of.singles.as_mut_ptr().cast(), of.singles.len()),
        Prim::I64 | Prim::U64 if !of.ints.is_empty() => (of.ints.as_mut_ptr().cast(), of.ints.len()),
        _ => (null_mut(), 0),
    }
}

/// Where the next few sizes are.
fn next(rest: &mut &mut [i64], count: usize) -> *mut i64 {
    let sizes;
    (sizes, *rest) = core::mem::take(rest).split_at_mut(count);
    sizes.as_mut_ptr()
}

/// Puts a result where it goes: its memory, if that is of its kind and no later result is in it, or else a copy.
fn give(
    port: &CPort,
    (of, sizes): (&(Prim, usize), &[i64]),
    again: bool,
    heap: &mut Heap<'_>,
    to: &mut Flat,
) -> Option<()> {
    let (prim, rank) = *of;
    if sizes.iter().any(|size| usize::try_from(*size).is_err()) {
        return None;
    }
    to.become_like(prim, sizes.iter().map(|size| *size as usize));
    let count = to.sizes.iter().try_fold(1_usize, |n, size| n.checked_mul(*size));
    let count = if to.sizes.contains(&0) { 0 } else { count? };
    if rank == 0 {
        to.ints.clear();
        if prim.is_real() {
            to.fill_reals(core::iter::once(port.real));
        } else {
            to.ints.push(port.integer);
        }
        return Some(());
    }
    assert!(count as i64 <= port.length || count == 0, "a result has its elements");
    let (elements, length) = there(to, prim);
    if count > 0 && elements == port.elements {
        assert!(count <= length, "a result has its elements");
        to.keep(prim, count);
        return heap.hold(count as u64).then_some(());
    }
    if !again
        && heap.get(port.elements as usize).is_some_and(|block| {
            matches!(
                (block, prim),
                (Block::F64(_), Prim::F64 | Prim::F16)
                    | (Block::F32(_), Prim::F32)
                    | (Block::I64(_), Prim::I64 | Prim::U64)
            )
        })
    {
        let block = match heap.take(port.elements as usize)? {
            Block::F64(mut all) => {
                core::mem::swap(&mut all, &mut to.reals);
                to.reals.truncate(count);
                Block::F64(all)
            }
            Block::F32(mut all) => {
                core::mem::swap(&mut all, &mut to.singles);
                to.singles.truncate(count);
                Block::F32(all)
            }
            Block::I64(mut all) => {
                core::mem::swap(&mut all, &mut to.ints);
                to.ints.truncate(count);
                Block::I64(all)
            }
            words @ Block::Words(_) => words,
        };
        heap.put(block);
        return Some(());
    }
    to.reals.clear();
    to.singles.clear();
    to.ints.clear();
    if count == 0 {
        return Some(());
    }
    // SAFETY: the code says that there are as many elements, of this kind, in an argument or in memory of the run.
    unsafe {
        match prim {
            Prim::F64 | Prim::F16 => {
                to.reals.extend_from_slice(core::slice::from_raw_parts(port.elements.cast(), count))
            }
            Prim::F32 => to.singles.extend_from_slice(core::slice::from_raw_parts(port.elements.cast(), count)),
            Prim::I64 | Prim::U64 => {
                to.ints.extend_from_slice(core::slice::from_raw_parts(port.elements.cast(), count))
            }
            prim => {
                let size = width(prim);
                let all: &[u8] = core::slice::from_raw_parts(port.elements.cast(), count * size);
                to.ints.extend(all.chunks_exact(size).map(|bytes| {
                    let mut whole = [0; 8];
                    whole[..size].copy_from_slice(bytes);
                    let n = Const::wrapped(i64::from_ne_bytes(whole).into(), prim);
                    n.integer().map_or(0, |n| n as i64)
                }));
            }
        }
    }
    Some(())
}

impl Executor for Native {
    fn name(&self) -> &'static str {
        "native"
    }

    fn description(&self) -> &'static str {
        "code that the C compiler of this machine makes"
    }

    fn available(&self) -> Result<()> {
        compiler::available()
    }

    fn prepare(&self, program: &Program) -> Result<core::result::Result<Box<dyn Prepared>, Unsupported>> {
        let Lowered { rest, constants, code } = match lowered(program, MAX_CONSTANTS) {
            Ok(lowered) => lowered,
            Err(refused) => return Ok(Err(refused.into())),
        };
        Ok(Loaded::new(&code, Effort::Most)?.map(|code| {
            let (stepwise, pool) = (OnceLock::new(), Pool::default());
            Box::new(OnMachine { program: program.clone(), rest, constants, code, stepwise, pool }) as Box<dyn Prepared>
        }))
    }
}

impl Program {
    /// The program, compiled by this machine's C compiler if there is one and the program can be printed, or else as
    /// [`compile`](Program::compile) has it.
    ///
    /// To compile takes from a tenth of a second to some seconds, the first time; see [`Native`].
    ///
    /// ```
    /// use catadiff::Elementary;
    /// use catadiff::array::{Program, trace::{Arr, F64}};
    /// let norm = Program::trace(|x: Arr<F64>| x.dot(x).sqrt())?.compile_native()?;
    /// assert_eq!(norm.at::<f64>(([3.0, 4.0],))?, 5.0);
    /// # Ok::<(), catadiff::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`compile`](Program::compile).
    pub fn compile_native(&self) -> Result<Compiled> {
        match self.compile_on(&Native) {
            Ok(compiled) if compiled.is_ready() => Ok(compiled),
            Ok(_) | Err(_) => self.compile(),
        }
    }
}

impl OnMachine {
    fn go(&self, arguments: &[Lent<'_>], results: &mut Vec<Flat>, control: &Control<'_>) -> Ending {
        let all: Vec<Lent<'_>> = arguments.iter().copied().chain(self.constants.iter().map(Flat::lent)).collect();
        let watch = Watch::new(control.clone(), &self.pool);
        let mut heap = Heap::new(&watch);
        let ran = self.code.go(&all, results, &mut heap);
        let lowered = self.rest.as_ref().unwrap_or(&self.program);
        heap.leave();
        match (ran, watch.ended()) {
            (Ok(()), None) => Ending::Done { stepwise: false },
            (_, Some(fault)) => Ending::Fault(ended(fault, lowered, None)),
            (Err(_), None) => self.step_by_step(arguments, results, control.of_second_attempt()),
        }
    }

    /// What is wrong, or the results if nothing is.
    #[cold]
    fn step_by_step(&self, arguments: &[Lent<'_>], results: &mut Vec<Flat>, control: Control<'_>) -> Ending {
        let unsupported = |reason| Ending::Unsupported(Unsupported { statement: None, reason });
        let lowered = || {
            let code = kernel::stepwise(&self.program, &TARGET)?;
            let failed = |_| Unsupported { statement: None, reason: "a fault, and no compiler to find it with" };
            Loaded::new(&code, Effort::Least).map_err(failed)?
        };
        let code = match self.stepwise.get_or_init(lowered) {
            Ok(code) => code,
            Err(refused) => return Ending::Unsupported(refused.clone()),
        };
        let pool = Pool::default();
        let watch = Watch::new(control, &pool);
        let ran = code.go(arguments, results, &mut Heap::new(&watch));
        match (ran, watch.ended()) {
            (Ok(()), None) => Ending::Done { stepwise: true },
            (_, Some(fault)) => match ended(fault, &self.program, None) {
                fault if matches!(fault.kind, crate::execute::FaultKind::Budget { .. }) => {
                    Ending::Unsupported(Unsupported {
                        statement: Some(fault.statement),
                        reason: "a fault that is not found within the limits",
                    })
                }
                fault => Ending::Fault(fault),
            },
            (Err((NO_MEMORY, _)), None) => unsupported("an array for which there is no memory"),
            (Err((number, operands)), None) => {
                let blame = usize::try_from(number).ok().and_then(|k| code.blames.get(k)?.as_ref());
                let Some(Claim { blame: Blame { statement, span, broken, .. }, kinds }) = blame else {
                    return unsupported("a check that does not know what is wrong");
                };
                let operands: Vec<Const> =
                    kinds.iter().zip(operands).map(|(kind, n)| Const::wrapped(n.into(), *kind)).collect();
                failed(statement, *span, *broken, &operands)
            }
        }
    }
}

impl Prepared for OnMachine {
    fn run(&self, arguments: &[Value<f64>], control: Control<'_>) -> Result<Outcome> {
        on_flats(&self.program, arguments, |arguments, results| self.run_into(arguments, results, control))
    }

    fn run_into(&self, arguments: &[Lent<'_>], results: &mut Vec<Flat>, control: Control<'_>) -> Result<Ending> {
        Ok(self.go(arguments, results, &control))
    }

    fn passes(&self) -> Vec<(&'static str, String)> {
        let mut all = passes(&self.program, MAX_CONSTANTS);
        let Lowered { code, .. } = lowered(&self.program, MAX_CONSTANTS).expect("what was lowered once is again");
        let unit = Unit::of(&code).expect("what was printed once is again");
        all.push(("printed as C", unit.text));
        all
    }
}
