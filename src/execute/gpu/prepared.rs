//! Programs that are ready to run on a GPU, and their runs.
//!
//! Law: nothing but kernels and the host's part of the plan computes results. Where a check fails the program is run again, by the
//! plan of its stepwise code, which knows what is wrong (laws: executors::suite).

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use pollster::block_on;

use super::arrival::Wait;
use super::bytes::{constant, downloaded, from_words, range, scalar, uploaded};
use super::device::{Device, Gpu};
use super::passes::{MACHINE, OF_PROGRAMS, TARGET};
use super::plan::Plan;
use super::run::{Found, Input, Run, Stop};
use super::submission::Counts;
use crate::array::{Const, Prim, Program, Type};
use crate::error::{Error, Result};
use crate::execute::contract::on_flats;
use crate::execute::{Ending, Executor, Flat, Lent, Outcome, Prepared, Unsupported};
use crate::interpret::{Control, Value};
use crate::kernel;
use crate::optimise;
use crate::optimise::distribute::{Known, distributed, known, sized};

/// A program that is ready to run on a GPU.
#[derive(Debug)]
pub(super) struct Ready {
    pub(super) device: Arc<Device>,
    pub(super) program: Program,
    /// The plan for arguments of any sizes.
    pub(super) plan: Arc<Plan>,
    wide: Mutex<Wide>,
    /// The plan that tells what is wrong, once something is.
    stepwise: OnceLock<core::result::Result<Plan, Unsupported>>,
}

/// What arguments are known to have before a run: sizes, and the values of integers.
type Sizes = Vec<Known>;

/// The plans for arguments of some sizes, as wide as these allow.
#[derive(Debug, Default)]
struct Wide {
    /// The program after the passes over programs, and whether it was simplified, once that is needed.
    program: Option<(Program, bool)>,
    by_sizes: Vec<(Sizes, Arc<Plan>)>,
    /// What programs become is the same for many sizes.
    by_program: Vec<(Program, Arc<Plan>)>,
}

/// More plans than these are not kept.
const MAX_PLANS: usize = 64;

/// The [best GPU of this machine](Gpu::new), opened when it is first needed and kept.
#[derive(Debug, Clone, Copy, Default)]
pub struct FirstGpu;

impl FirstGpu {
    /// The GPU.
    ///
    /// # Errors
    /// Those of [`Gpu::new`].
    pub fn open() -> Result<Gpu> {
        static OPENED: OnceLock<Result<Gpu>> = OnceLock::new();
        OPENED.get_or_init(Gpu::new).clone()
    }
}

const NAME: &str = "gpu";
const DESCRIPTION: &str = "a GPU, through Vulkan, Metal or DirectX 12";

impl Executor for FirstGpu {
    fn name(&self) -> &'static str {
        NAME
    }

    fn description(&self) -> &'static str {
        DESCRIPTION
    }

    fn available(&self) -> Result<()> {
        FirstGpu::open().map(drop)
    }

    fn prepare(&self, program: &Program) -> Result<core::result::Result<Box<dyn Prepared>, Unsupported>> {
        FirstGpu::open()?.prepare(program)
    }
}

impl Executor for Gpu {
    fn name(&self) -> &'static str {
        NAME
    }

    fn description(&self) -> &'static str {
        DESCRIPTION
    }

    fn prepare(&self, program: &Program) -> Result<core::result::Result<Box<dyn Prepared>, Unsupported>> {
        Ok(Ready::of(self, program).map(|ready| Box::new(Arc::new(ready)) as Box<dyn Prepared>))
    }
}

/// The plan of a program.
pub(super) fn plan(program: &Program) -> core::result::Result<Plan, Unsupported> {
    lowered(&in_passes(program, |_, _| ()))
}

/// The plan of a program that a wide device has for these arguments.
pub(super) fn plan_at(program: &Program, arguments: &[Value<f64>]) -> core::result::Result<Plan, Unsupported> {
    let rest = in_passes(program, |_, _| ());
    let sizes: Vec<Known> = arguments.iter().map(known).collect();
    let wide = distributed(&rest, &sizes, MACHINE, rest.simplified() == rest);
    wide.and_then(|wide| lowered(&wide).ok()).map_or_else(|| lowered(&rest), Ok)
}

/// The plan of a program after the passes.
fn lowered(program: &Program) -> core::result::Result<Plan, Unsupported> {
    Ok(Plan::of(program, kernel::lower(program, &[], &TARGET)?))
}

/// The program after the passes over programs; none of those that GPUs ask for splits it.
fn in_passes(program: &Program, told: impl FnMut(&'static str, &Program)) -> Program {
    let mut rest = program.clone();
    optimise::in_order(&OF_PROGRAMS, &mut rest, |_| None, told);
    rest
}

/// What the device has not and every run of the plan needs.
fn missing(device: &Device, plan: &Plan) -> Option<Unsupported> {
    let Plan { code, .. } = plan;
    let mut prims = code.values.iter().map(|info| info.prim).chain(code.buffers.iter().map(|info| info.prim));
    if let Some(reason) = device.missing(prims.any(|prim| prim == Prim::F64), false, false) {
        return Some(Unsupported { statement: None, reason });
    }
    plan.in_every_run().find_map(|k| {
        let least = plan.narrow[k].as_ref().unwrap_or(&plan.kernels[k]);
        device.missing_for(least).map(|reason| plan.unsupported(least, reason))
    })
}

impl Prepared for Arc<Ready> {
    fn run(&self, arguments: &[Value<f64>], control: Control<'_>) -> Result<Outcome> {
        on_flats(&self.program, arguments, |arguments, results| self.run_into(arguments, results, control))
    }

    fn run_into(&self, arguments: &[Lent<'_>], results: &mut Vec<Flat>, control: Control<'_>) -> Result<Ending> {
        block_on(self.run_and_wait(arguments, results, control, Wait::Blocking))
    }

    fn passes(&self) -> Vec<(&'static str, String)> {
        let mut all = Vec::new();
        let rest = in_passes(&self.program, |name, program| all.push((name, program.to_string())));
        kernel::in_passes(&rest, &[], &TARGET, |name, code| all.push((name, code.to_string())))
            .expect("what was lowered once is again");
        all.push(("plan", self.plan.to_string()));
        let texts: Vec<&str> = self.plan.kernels.iter().map(|kernel| kernel.text.as_str()).collect();
        all.push(("kernels", texts.join("\n")));
        all
    }
}

impl Gpu {
    /// What becomes of a program on one argument.
    pub(super) async fn outcome(&self, program: &Program, argument: &Value<f64>) -> Result<Outcome> {
        let ready = match Ready::of(self, program) {
            Ok(ready) => ready,
            Err(unsupported) => return Ok(Outcome::Unsupported(unsupported)),
        };
        let mut results = Vec::new();
        let argument = Flat::from(argument);
        let ending = ready.run_and_wait(&[argument.lent()], &mut results, Control::default(), Wait::Async).await?;
        Ok(ending.with(results.iter().map(Flat::to_value).collect()))
    }
}

impl Ready {
    /// A program that this GPU can run.
    pub(super) fn of(gpu: &Gpu, program: &Program) -> core::result::Result<Self, Unsupported> {
        let plan = plan(program)?;
        missing(&gpu.0, &plan).map_or(Ok(()), Err)?;
        Ok(Ready::new(gpu, program, plan))
    }

    fn new(gpu: &Gpu, program: &Program, plan: Plan) -> Self {
        let (plan, wide) = (Arc::new(plan), Mutex::default());
        Ready { device: gpu.0.clone(), program: program.clone(), plan, wide, stepwise: OnceLock::new() }
    }

    /// The plan for these arguments: as wide as the device, where they are large enough.
    pub(super) fn plan_for(&self, inputs: &[Input]) -> Arc<Plan> {
        let sizes: Sizes = inputs.iter().map(known_before).collect();
        let mut wide = self.wide.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, plan)) = wide.by_sizes.iter().find(|(of, _)| *of == sizes) {
            return plan.clone();
        }
        let plan = self.wide_plan(&mut wide, &sizes).unwrap_or_else(|| self.plan.clone());
        if wide.by_sizes.len() >= MAX_PLANS {
            (wide.by_sizes, wide.by_program) = (Vec::new(), Vec::new());
        }
        wide.by_sizes.push((sizes, plan.clone()));
        plan
    }

    /// A plan for arguments of these sizes alone, if they allow one that is wider than that for all.
    fn wide_plan(&self, wide: &mut Wide, sizes: &[Known]) -> Option<Arc<Plan>> {
        let (program, is_simplified) = wide.program.get_or_insert_with(|| {
            let rest = in_passes(&self.program, |_, _| ());
            let is_simplified = rest.simplified() == rest;
            (rest, is_simplified)
        });
        let distributed = distributed(program, sizes, MACHINE, *is_simplified)?;
        if let Some((_, plan)) = wide.by_program.iter().find(|(program, _)| *program == distributed) {
            return Some(plan.clone());
        }
        let plan = lowered(&distributed).ok().filter(|plan| missing(&self.device, plan).is_none())?;
        let plan = Arc::new(plan);
        wide.by_program.push((distributed, plan.clone()));
        Some(plan)
    }

    /// A run, with its results on the host.
    pub(super) async fn run_and_wait(
        &self,
        arguments: &[Lent<'_>],
        results: &mut Vec<Flat>,
        control: Control<'_>,
        wait: Wait,
    ) -> Result<Ending> {
        let inputs = self.inputs(arguments)?;
        match self.attempt(&self.plan_for(&inputs), &inputs, results, &control, wait).await {
            Ok(()) => Ok(Ending::Done { stepwise: false }),
            Err(Stop::Ended(ending)) => Ok(ending),
            Err(Stop::Device(error)) => Err(error),
            Err(Stop::Failed) => self.step_by_step(&inputs, results, &control.of_second_attempt(), wait).await,
        }
    }

    /// What is wrong, or the results if nothing is.
    #[cold]
    pub(super) async fn step_by_step(
        &self,
        inputs: &[Input],
        results: &mut Vec<Flat>,
        control: &Control<'_>,
        wait: Wait,
    ) -> Result<Ending> {
        let planned = || Ok(Plan::of(&self.program, kernel::stepwise(&self.program, &TARGET)?));
        let plan = match self.stepwise.get_or_init(planned) {
            Ok(plan) => plan,
            Err(refused) => return Ok(Ending::Unsupported(refused.clone())),
        };
        let unsupported = |reason| Ok(Ending::Unsupported(Unsupported { statement: None, reason }));
        match self.attempt(plan, inputs, results, control, wait).await {
            Ok(()) => Ok(Ending::Done { stepwise: true }),
            Err(Stop::Ended(ending)) => Ok(ending),
            Err(Stop::Device(error)) => Err(error),
            Err(Stop::Failed) => unsupported("a fault that is not found"),
        }
    }

    async fn attempt(
        &self,
        plan: &Plan,
        inputs: &[Input],
        results: &mut Vec<Flat>,
        control: &Control<'_>,
        wait: Wait,
    ) -> core::result::Result<(), Stop> {
        let mut run = Run::new(&self.device, plan, control, wait)?;
        let found = run.go(inputs).await?;
        let (arrays, cells) = run.read(&found).await?;
        let mut arrays = arrays.into_iter();
        results.clear();
        for (found, output) in found.iter().zip(&plan.code.outputs) {
            let prim = plan.kind(output);
            results.push(match found {
                Found::Scalar(constant) => scalar(*constant),
                Found::Cell(at, _) => scalar(from_words(prim, &cells[*at as usize..])),
                Found::Array { sizes, .. } => downloaded(prim, sizes, &arrays.next().expect("each array was read")),
            });
        }
        Ok(())
    }

    /// Arguments in the memory of the device.
    fn inputs(&self, arguments: &[Lent<'_>]) -> Result<Vec<Input>> {
        let params = &self.program.function().params;
        params.iter().zip(arguments).map(|(param, flat)| self.input(self.program.type_of(*param), *flat)).collect()
    }

    fn input(&self, of: Type, flat: Lent<'_>) -> Result<Input> {
        if of.rank == 0 {
            return constant(flat, of.prim).map(Input::Scalar).ok_or(Error::Empty { what: "a scalar argument" });
        }
        let memory = self.device.put(&uploaded(of.prim, flat))?;
        Ok(Input::Array { memory, sizes: flat.sizes.to_vec(), range: range(of.prim, flat) })
    }
}

/// What is known of an argument before a run.
fn known_before(input: &Input) -> Known {
    match input {
        Input::Array { sizes, .. } => sized(sizes),
        Input::Scalar(Const::I64(n)) => Known::scalar(Some(*n)),
        Input::Scalar(_) | Input::Cell(..) => Known::scalar(None),
    }
}

/// What the run of a program asked of the device, for those who count.
pub(super) fn counted(gpu: &Gpu, program: &Program, arguments: &[Flat]) -> Result<Option<Counts>> {
    let arguments: Vec<Lent<'_>> = arguments.iter().map(Flat::lent).collect();
    let Ok(plan) = plan(program) else { return Ok(None) };
    let on = Ready::new(gpu, program, plan);
    let inputs = on.inputs(&arguments)?;
    let control = Control::default();
    let plan = on.plan_for(&inputs);
    let mut run = Run::new(&on.device, &plan, &control, Wait::Blocking)?;
    match block_on(run.go(&inputs)) {
        Ok(_) => Ok(Some(run.submission.counts)),
        Err(Stop::Device(error)) => Err(error),
        Err(Stop::Ended(_) | Stop::Failed) => Ok(None),
    }
}
