//! Code of the processor, by Cranelift: for scalar code, which a program runs once, and for lanes that are faster one after the other than
//! in blocks.
//!
//! Law: what is compiled leaves what instructions leave, bit for bit, and takes the same steps, or fewer where lanes differ; what cannot
//! be compiled, or is not worth it, is left to the instructions (tests/execute/jit.rs, tests/execute/one_by_one.rs,
//! laws: executors::suite).
//!
//! | file | what is in it |
//! |---|---|
//! | `stretches` | which instructions become one function |
//! | `spaces` | which loops over lanes do, one lane after the other |
//! | `trial` | whether these or blocks of lanes are faster |
//! | `translate`, `elements`, `steps` | their control flow, memory and limits |
//! | `handover` | what they take from the machine and leave there |
//! | `operations` | what is computed on numbers |
//! | `native` | the functions in memory, how they are called, and what they call |

mod elements;
mod handover;
mod native;
mod operations;
mod spaces;
mod steps;
mod stretches;
mod translate;
mod trial;

use core::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, OnceLock};

use cranelift_codegen::isa::OwnedTargetIsa;
use cranelift_codegen::settings::{self, Configurable};
use rustc_hash::{FxHashMap, FxHashSet};

pub(super) use native::Space;
pub(super) use spaces::{OneByOne, OneLane};
pub(super) use stretches::Stretches;
use trial::Times;
pub(super) use trial::one_by_one;

use super::assemble::Assembled;
use super::budget::Watch;
use super::machine::Fault;
use super::memory::Elements;
use super::parallel::PARTS;
use super::real::{DOUBLES, Real, SINGLES};
use super::state::State;
use crate::array::Const;
use native::{Builder, Callbacks, Function};
use stretches::Stretch;
use translate::translate;

/// The registers of reals and of integers that hold constants, in all of a run.
#[derive(Debug, Clone, Default)]
pub(super) struct Constants {
    pub(super) reals: FxHashSet<u32>,
    pub(super) ints: FxHashSet<u32>,
}

impl Constants {
    pub(super) fn of(registers: &FxHashMap<Const, u32>) -> Self {
        let mut all = Constants::default();
        for (constant, register) in registers {
            if constant.real().is_some() {
                all.reals.insert(*register)
            } else {
                all.ints.insert(*register)
            };
        }
        all
    }
}

/// About how many instructions the machine runs in the time that it takes to compile one.
const PER_INSTRUCTION: i64 = 1500;

/// More instructions than this are not compiled, since that would take a tenth of a second and more.
const MOST: usize = 1 << 14;

/// A stretch, and the function that it becomes.
#[derive(Debug)]
struct Native {
    stretch: Stretch,
    /// About how long its instructions have run, in parts of an instruction.
    spent: AtomicI64,
    /// None if it cannot be compiled.
    function: OnceLock<Option<Function>>,
    /// Of a loop over lanes, how long lanes take.
    times: Times,
}

/// What scalar code becomes, once its instructions have run for as long as it takes to compile them: so no run is much longer than by
/// instructions alone, and no more than twice as long as with functions from the beginning.
#[derive(Debug, Clone, Default)]
pub(super) struct Natives {
    all: Arc<[Native]>,
    constants: Arc<Constants>,
}

impl Natives {
    pub(super) fn of(stretches: Stretches, constants: &FxHashMap<Const, u32>) -> Self {
        let native =
            |stretch| Native { stretch, spent: AtomicI64::new(0), function: OnceLock::new(), times: Times::default() };
        let all = stretches.found.into_iter().map(native).collect();
        Natives { all, constants: Arc::new(Constants::of(constants)) }
    }

    /// Compiles all, for good: how many functions there are.
    #[cfg(feature = "unstable")]
    pub(super) fn make(&self, code: &Assembled) -> usize {
        self.all.iter().for_each(|native| native.times.is_forced());
        self.all.iter().filter(|native| native.function(code).is_some()).count()
    }
}

impl Native {
    fn function(&self, code: &Assembled) -> Option<&Function> {
        self.function.get_or_init(|| compile(code, &self.stretch)).as_ref()
    }

    /// The function, if there is one by now or should be.
    fn earned(&self, code: &Assembled, register: impl Fn(u32) -> i64) -> Option<&Function> {
        if let Some(function) = self.function.get() {
            return function.as_ref();
        }
        let Stretch { instructions, work: Some(work), .. } = &self.stretch else { return self.function(code) };
        let counted = |(each, counts): &(i64, Vec<u32>)| {
            counts.iter().fold(*each, |all, count| all.saturating_mul(register(*count).max(0)))
        };
        let now = work.iter().map(counted).fold(0, i64::saturating_add);
        let before = self.spent.fetch_add(now.min(i64::MAX / 4), Ordering::Relaxed);
        let is_earned = before.saturating_add(now) >= instructions.len() as i64 * PER_INSTRUCTION * PARTS;
        if is_earned { self.function(code) } else { None }
    }
}

/// Runs the function of a stretch, if there should be one: the instruction after the stretch.
#[inline(never)]
pub(super) fn run<'m, R: Real<G>, const G: usize>(
    code: &Assembled,
    number: u32,
    watch: &Watch<'_>,
    state: &mut State<R, G>,
    buffers: (&mut [Elements<'m, R>], &mut [Elements<'m, i64>]),
) -> Result<Option<usize>, Fault> {
    let native = &code.natives.all[number as usize];
    let Some(function) = native.earned(code, |register| state.one(register)) else { return Ok(None) };
    function.call(watch, state, buffers)?;
    Ok(Some(native.stretch.to as usize))
}

/// The function of a stretch.
#[cold]
fn compile(code: &Assembled, stretch: &Stretch) -> Option<Function> {
    if stretch.instructions.len() > MOST || !code.level.has_superinstructions() {
        return None;
    }
    let isa = isa()?;
    let callbacks = match code.is_single {
        true => Callbacks::of::<f32, SINGLES>(isa)?,
        false => Callbacks::of::<f64, DOUBLES>(isa)?,
    };
    let mut builder = Builder::new(isa);
    let region = translate(code, stretch, &code.natives.constants, &callbacks, &mut builder)?;
    builder.finish(region, code.is_single)
}

/// What code is made for: this processor, if there is code for it.
fn isa() -> Option<&'static OwnedTargetIsa> {
    static ISA: OnceLock<Option<OwnedTargetIsa>> = OnceLock::new();
    let make = || {
        let mut flags = settings::builder();
        let checked = if cfg!(debug_assertions) { "true" } else { "false" };
        let wanted = [
            ("opt_level", "speed"),
            ("is_pic", "false"),
            ("use_colocated_libcalls", "false"),
            ("enable_probestack", "true"),
            ("probestack_strategy", "inline"),
            ("enable_verifier", checked),
        ];
        for (name, value) in wanted {
            flags.set(name, value).ok()?;
        }
        cranelift_native::builder().ok()?.finish(settings::Flags::new(flags)).ok()
    };
    ISA.get_or_init(make).as_ref()
}
