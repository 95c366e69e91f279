//! Programs that are ready to run on lanes, and their runs.
//!
//! Law: nothing but instructions computes results. Where a check fails the program is run again, by the instructions of
//! its stepwise code, which know what is wrong; or nothing is, since the check was made where the program makes none
//! (laws: executors::suite, tests/execute/limits.rs).

use std::sync::OnceLock;

use super::arguments::{self, Arguments, Results};
use super::assemble::{Assembled, assemble};
use super::budget::Watch;
use super::dispatch::Level;
use super::fault::{ending, unsupported};
use super::machine::{Machine, Workspace};
use super::passes::{OF_PROGRAMS, cpu};
use super::profile;
use super::real::{DOUBLES, Real, SINGLES, Spare};
use crate::array::Program;
use crate::error::Result;
use crate::execute::{Ending, Executor, Fault, FaultKind, Flat, Kernel, Lent, Outcome, Prepared, Unsupported};
use crate::interpret::{Control, Limits, Value, typed};
use crate::kernel::{self, Refused};
use crate::optimise::{self, Split};

/// The vector instructions and the cores of this machine. `Program::compile` has the interpreter do what they cannot.
///
/// Maps whose rows have sizes that nothing says before the rows are computed they run up to three deep, and not over no
/// elements; arrays of more than 2³¹ elements, and histograms of rows that are not of the sizes of their destinations, they do
/// not run.
#[derive(Debug, Clone, Copy, Default)]
pub struct Lanes;

/// [`Lanes`] by the instructions that all processors of the family have, for tests: no processor that has more would run these.
#[cfg(feature = "unstable")]
#[derive(Debug, Clone, Copy, Default)]
pub struct BaselineLanes;

/// [`Lanes`] without AVX-512, for tests and to be timed: a processor that has it would not run these versions.
#[cfg(feature = "unstable")]
#[derive(Debug, Clone, Copy, Default)]
pub struct NarrowLanes;

/// [`Lanes`] by instructions alone, for tests: what scalar code computes as code of the processor is compared with that.
#[cfg(all(feature = "unstable", feature = "jit"))]
#[derive(Debug, Clone, Copy, Default)]
pub struct InstructionLanes;

/// [`Lanes`] whose scalar code is code of the processor from the first run on, for tests: what runs for a moment would not be compiled.
#[cfg(all(feature = "unstable", feature = "jit"))]
#[derive(Debug, Clone, Copy, Default)]
pub struct NativeLanes;

/// A program that is ready to run on [`Lanes`].
#[derive(Debug)]
struct OnLanes {
    program: Program,
    /// What is lowered, if that is not the program as it is: small arrays are scalars, and what need not be done in
    /// every run is left to the arrays that this takes after the arguments.
    rest: Option<Program>,
    constants: Vec<Flat>,
    code: Assembled,
    /// The code that tells what is wrong, once something is.
    stepwise: OnceLock<core::result::Result<Assembled, Unsupported>>,
    spare: Spare,
}

/// What may be spent on what is computed once: as much as is not noticed.
const CONSTANT_LIMITS: Limits = Limits { steps: 1 << 16, elements: 1 << 22 };

impl Executor for Lanes {
    fn name(&self) -> &'static str {
        "lanes"
    }

    fn description(&self) -> &'static str {
        "the vector instructions and the cores of this machine"
    }

    fn prepare(&self, program: &Program) -> Result<core::result::Result<Box<dyn Prepared>, Unsupported>> {
        Ok(prepared(program, Level::of_processor(), true))
    }
}

#[cfg(feature = "unstable")]
impl Executor for BaselineLanes {
    fn name(&self) -> &'static str {
        "baseline lanes"
    }

    fn description(&self) -> &'static str {
        "the instructions that all processors of the family have"
    }

    fn prepare(&self, program: &Program) -> Result<core::result::Result<Box<dyn Prepared>, Unsupported>> {
        Ok(prepared(program, Level::BASELINE, false))
    }
}

#[cfg(feature = "unstable")]
impl Executor for NarrowLanes {
    fn name(&self) -> &'static str {
        "narrow lanes"
    }

    fn description(&self) -> &'static str {
        "the vector instructions and the cores of this machine, without AVX-512"
    }

    fn prepare(&self, program: &Program) -> Result<core::result::Result<Box<dyn Prepared>, Unsupported>> {
        Ok(prepared(program, Level::without_avx512(), false))
    }
}

#[cfg(all(feature = "unstable", feature = "jit"))]
impl Executor for InstructionLanes {
    fn name(&self) -> &'static str {
        "lanes by instructions"
    }

    fn description(&self) -> &'static str {
        "the vector instructions and the cores of this machine, with no code made for it"
    }

    fn prepare(&self, program: &Program) -> Result<core::result::Result<Box<dyn Prepared>, Unsupported>> {
        Ok(prepared(program, Level::of_processor(), false))
    }
}

#[cfg(all(feature = "unstable", feature = "jit"))]
impl Executor for NativeLanes {
    fn name(&self) -> &'static str {
        "native lanes"
    }

    fn description(&self) -> &'static str {
        "the vector instructions and the cores of this machine, with code made for it from the first run on"
    }

    fn prepare(&self, program: &Program) -> Result<core::result::Result<Box<dyn Prepared>, Unsupported>> {
        Ok(on_lanes(program, Level::of_processor(), true).map(|made| {
            made.code.natives.make(&made.code);
            Box::new(made) as Box<dyn Prepared>
        }))
    }
}

#[cfg(all(feature = "unstable", feature = "jit"))]
impl NativeLanes {
    /// How many functions a program has; none if it does not run on lanes.
    #[must_use]
    pub fn functions(&self, program: &Program) -> usize {
        let made = on_lanes(program, Level::of_processor(), true);
        made.map_or(0, |made| made.code.natives.make(&made.code))
    }
}

fn prepared(program: &Program, level: Level, natively: bool) -> core::result::Result<Box<dyn Prepared>, Unsupported> {
    Ok(Box::new(on_lanes(program, level, natively)?))
}

fn on_lanes(program: &Program, level: Level, natively: bool) -> core::result::Result<OnLanes, Unsupported> {
    let (rest, constants) = in_passes(program, level, |_, _| ());
    OnLanes::new(program.clone(), rest, constants, level, natively)
}

/// What is lowered, if that is not the program as it is, and the arrays that it takes after the arguments. Calls `told`
/// with the name of each pass that had something to do and the program after it.
fn in_passes(
    program: &Program,
    level: Level,
    told: impl FnMut(&'static str, &Program),
) -> (Option<Program>, Vec<Flat>) {
    let (mut rest, mut found) = (program.clone(), Vec::new());
    let without_constants = |parts: Split| {
        let (without, arrays) = constants(parts, level)?;
        found = arrays;
        Some(without)
    };
    let changed = optimise::in_order(&OF_PROGRAMS, &mut rest, without_constants, told);
    (changed.then_some(rest), found)
}

/// The program with the arrays as parameters that do not depend on its arguments, and these arrays. None if something is
/// wrong with them: then each run is to say so.
fn constants(Split { constant, rest }: Split, level: Level) -> Option<(Program, Vec<Flat>)> {
    let mut found = Vec::new();
    // What runs once is not worth a function.
    let constant = OnLanes::new(constant, None, Vec::new(), level, false).ok()?;
    match constant.go(Arguments::Flats(&[]), &mut Results::Flats(&mut found), (&CONSTANT_LIMITS).into(), None) {
        Ending::Done { .. } => Some((rest, found)),
        Ending::Fault(_) | Ending::Unsupported(_) => None,
    }
}

fn known(constant: &Flat) -> kernel::Known {
    let range = constant.ints.iter().min().copied().zip(constant.ints.iter().max().copied());
    kernel::Known { sizes: constant.sizes().to_vec(), range }
}

impl From<Refused> for Unsupported {
    fn from(Refused { reason, statement }: Refused) -> Self {
        Unsupported { statement: Some(statement), reason }
    }
}

impl Prepared for OnLanes {
    fn run(&self, arguments: &[Value<f64>], control: Control<'_>) -> Result<Outcome> {
        typed(&self.program, arguments)?;
        let mut results = Results::Values(Vec::new());
        let ending = self.go(Arguments::Values(arguments), &mut results, control, None);
        let Results::Values(results) = results else { unreachable!("results are left where they are to go") };
        Ok(ending.with(results))
    }

    fn run_into(&self, arguments: &[Lent<'_>], results: &mut Vec<Flat>, control: Control<'_>) -> Result<Ending> {
        Ok(self.go(Arguments::Flats(arguments), &mut Results::Flats(results), control, None))
    }

    fn profile(
        &self,
        arguments: &[Lent<'_>],
        results: &mut Vec<Flat>,
        control: Control<'_>,
    ) -> Result<(Ending, Vec<Kernel>)> {
        let mut kernels = Vec::new();
        let ending = self.go(Arguments::Flats(arguments), &mut Results::Flats(results), control, Some(&mut kernels));
        Ok((ending, kernels))
    }

    fn passes(&self) -> Vec<(&'static str, String)> {
        let mut all = Vec::new();
        in_passes(&self.program, self.code.level, |name, program| all.push((name, program.to_string())));
        let known: Vec<kernel::Known> = self.constants.iter().map(known).collect();
        kernel::in_passes(self.lowered(), &known, &cpu(self.code.level), |name, code| {
            all.push((name, code.to_string()))
        })
        .expect("what was lowered once is again");
        all
    }
}

impl OnLanes {
    fn new(
        program: Program,
        rest: Option<Program>,
        constants: Vec<Flat>,
        level: Level,
        natively: bool,
    ) -> core::result::Result<Self, Unsupported> {
        let known: Vec<kernel::Known> = constants.iter().map(known).collect();
        let code = kernel::lower(rest.as_ref().unwrap_or(&program), &known, &cpu(level))?;
        let code = assemble(&code, level, natively);
        Ok(OnLanes { program, rest, constants, code, stepwise: OnceLock::new(), spare: Spare::default() })
    }

    /// What is lowered.
    fn lowered(&self) -> &Program {
        self.rest.as_ref().unwrap_or(&self.program)
    }

    fn go(
        &self,
        arguments: Arguments<'_>,
        results: &mut Results<'_>,
        control: Control<'_>,
        kernels: Option<&mut Vec<Kernel>>,
    ) -> Ending {
        match self.code.is_single {
            true => self.run_with::<f32, SINGLES>(arguments, results, control, kernels),
            false => self.run_with::<f64, DOUBLES>(arguments, results, control, kernels),
        }
    }

    fn run_with<R: Real<G>, const G: usize>(
        &self,
        arguments: Arguments<'_>,
        results: &mut Results<'_>,
        control: Control<'_>,
        kernels: Option<&mut Vec<Kernel>>,
    ) -> Ending {
        let mut watch = Watch::new(control);
        watch.profile = kernels.is_some().then(Default::default);
        let ran = self.with_machine(&watch, |machine: &mut Machine<'_, R, G>| {
            arguments.enter(machine, &self.code)?;
            results.lend(machine, &self.code);
            machine.run().ok()?;
            results.leave(machine, &self.code)
        });
        if ran.is_some() {
            if let (Some(kernels), Some(profile)) = (kernels, watch.profile.take()) {
                *kernels = profile::kernels(profile, &self.code, self.lowered());
            }
            return Ending::Done { stepwise: false };
        }
        match watch.fault(&self.code, self.lowered()) {
            Some(fault) => Ending::Fault(fault),
            None => self.step_by_step(arguments, results, watch.control().of_second_attempt()),
        }
    }

    /// What is wrong, or the results if nothing is.
    #[cold]
    #[inline(never)]
    fn step_by_step(&self, arguments: Arguments<'_>, results: &mut Results<'_>, control: Control<'_>) -> Ending {
        let level = self.code.level;
        let lowered = || Ok(assemble(&kernel::stepwise(&self.program, &cpu(level))?, level, false));
        let code = match self.stepwise.get_or_init(lowered) {
            Ok(code) => code,
            Err(refused) => return Ending::Unsupported(refused.clone()),
        };
        match code.is_single {
            true => self.steps_with::<f32, SINGLES>(code, arguments, results, control),
            false => self.steps_with::<f64, DOUBLES>(code, arguments, results, control),
        }
    }

    fn steps_with<R: Real<G>, const G: usize>(
        &self,
        code: &Assembled,
        arguments: Arguments<'_>,
        results: &mut Results<'_>,
        control: Control<'_>,
    ) -> Ending {
        let watch = Watch::new(control);
        let mut machine: Machine<'_, R, G> = Machine::new(code, &watch, Workspace::default());
        if arguments.enter(&mut machine, code).is_none() {
            return unsupported(None, "an argument of another kind");
        }
        if machine.run().is_ok() {
            return match results.leave(&mut machine, code) {
                Some(()) => Ending::Done { stepwise: true },
                None => unsupported(None, "a result whose sizes are beyond all numbers"),
            };
        }
        match watch.fault(code, &self.program) {
            Some(Fault { statement, kind: FaultKind::Budget { .. }, .. }) => {
                unsupported(Some(statement), "a fault that is not found within the limits")
            }
            Some(fault) => Ending::Fault(fault),
            None => ending(&machine),
        }
    }

    /// Does something with a machine, whose memory then is for the next.
    fn with_machine<'m, T, R: Real<G>, const G: usize>(
        &'m self,
        watch: &'m Watch<'m>,
        inside: impl FnOnce(&mut Machine<'m, R, G>) -> T,
    ) -> T {
        let mut machine = Machine::new(&self.code, watch, self.spare.take());
        let known = self.code.inputs.iter().rev().zip(self.constants.iter().rev());
        let lent =
            known.map(|(port, flat)| arguments::lend(&mut machine, port, flat.lent())).all(|lent| lent.is_some());
        assert!(lent, "constants are of the kinds that the code was made for");
        let result = inside(&mut machine);
        self.spare.put(machine.workspace());
        result
    }
}
