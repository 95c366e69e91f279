//! Array programs on many machines: an executor on the ranks of a job, which share the work and send each other what they find, by MPI.
//!
//! Every rank runs the same process and calls the same functions with the same program. Outer index spaces, of maps, reductions, scans,
//! histograms and accumulators, are split: each rank has a [part] of the elements. The parts of arrays stay where they are made. Reductions
//! are combined in the order of ranks, scans by what lies before, what is added to accumulators once a step; all that is sent between two
//! statements is one message. Within a rank any other executor runs.
//!
//! Law: the results are those of one process but for the order of sums, the same on all ranks, and the same bits in every run on as many
//! ranks; where one rank finds a fault, all end (laws: executors::suite, tests/mpi/suite.rs).
//!
//! | file | what is in it |
//! |---|---|
//! | `planner`, `control`, `accumulators` | statements into steps; loops and branches around steps; accumulators through them |
//! | `rules`, `elements`, `reductions`, `fission` | a statement for one rank; a map of which a part has to wait |
//! | `placement`, `combine`, `associative` | where elements are; what ranks have found, as one; and what may be |
//! | `draft`, `plan`, `run` | steps as they are written, as programs that are ready, and their runs |
//! | `sums`, `wire`, `world` | large sums, arrays as bytes, and the ranks |
//! | `sharded`, `file` | arguments and results of which each rank has its part; its part of a file |
//! | `checkpoint` | the state of long loops on disk |

mod accumulators;
mod associative;
mod checkpoint;
mod combine;
mod control;
mod draft;
mod elements;
mod file;
mod fission;
mod placement;
mod plan;
mod planner;
mod reductions;
mod rules;
mod run;
mod sharded;
mod sums;
mod wire;
mod world;

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

pub use checkpoint::{Every, Keep};
pub use placement::part;
pub use sharded::{Shard, Sharded};
pub use world::{Traffic, World, agreed, from_first};

use super::contract::on_flats;
use super::{Ending, Executor, Flat, Lent, Outcome, Prepared, Unsupported};
use crate::array::{Atom, Body, Extent, Op, Program};
use crate::error::Result;
use crate::interpret::{Control, Value};
use placement::Axis;
use plan::Plan;
use run::{Run, Stop, known, whole};
use sums::Sums;

/// The ranks of the job that this process has [joined](World::join).
///
/// A run takes the same arguments on all ranks and leaves the same results; what is split is decided by the sizes of the arguments: the
/// longest outer dimensions. Arguments of which each rank has only its part are for [`Sharded`].
#[derive(Clone)]
pub struct Mpi {
    inside: &'static dyn Executor,
    keep: Option<Keep>,
    gathers: bool,
}

impl Mpi {
    /// Ranks that run their parts by this executor.
    #[must_use]
    pub const fn over(inside: &'static dyn Executor) -> Self {
        Mpi { inside, keep: None, gathers: true }
    }

    /// The same, and the state of long loops is kept.
    #[must_use]
    pub fn keeping(self, keep: Keep) -> Self {
        Mpi { keep: Some(keep), ..self }
    }

    /// The same, but what needs elements that lie on other ranks, one by one, is [`Unsupported`], where otherwise all ranks gather the array
    /// and compute the same.
    #[must_use]
    pub const fn without_gathering(mut self) -> Self {
        self.gathers = false;
        self
    }
}

impl fmt::Debug for Mpi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mpi").field("inside", &self.inside.name()).field("keep", &self.keep).finish_non_exhaustive()
    }
}

/// A program for ranks, with the plans that were needed so far.
struct Ready {
    on: Mpi,
    program: Program,
    /// The outer sizes of arguments, and those by which arrays are made: what may be split.
    lengths: Vec<Extent>,
    plans: Mutex<HashMap<Vec<Extent>, Arc<Plan>>>,
    sums: Sums<'static>,
    /// The program for a rank alone, once it is needed.
    alone: OnceLock<Result<core::result::Result<Box<dyn Prepared>, Unsupported>>>,
}

impl Executor for Mpi {
    fn name(&self) -> &'static str {
        match self.inside.name() {
            "native" => "mpi-native",
            "gpu" => "mpi-gpu",
            "program" => "mpi-program",
            _ => "mpi",
        }
    }

    fn description(&self) -> &'static str {
        "the ranks of a job, by MPI"
    }

    fn available(&self) -> Result<()> {
        world::place()?;
        self.inside.available()
    }

    fn prepare(&self, program: &Program) -> Result<core::result::Result<Box<dyn Prepared>, Unsupported>> {
        world::place()?;
        Ok(Ok(Box::new(Ready {
            on: self.clone(),
            program: program.clone(),
            lengths: lengths(program),
            plans: Mutex::default(),
            sums: Sums::new(self.inside),
            alone: OnceLock::new(),
        })))
    }
}

impl fmt::Debug for Ready {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ready").field("on", &self.on).field("program", &self.program).finish_non_exhaustive()
    }
}

/// An outer dimension is split if it is at least as long as the longest by this.
const SHORTER: usize = 2;

impl Ready {
    /// The sizes of the dimensions that are split for these arguments.
    fn extents(&self, arguments: &[Lent<'_>], ranks: usize) -> Vec<Extent> {
        let params = &self.program.function.params;
        let all = self.lengths.iter().filter_map(|extent| Some((*extent, known(*extent, params, arguments)?)));
        let found: Vec<(Extent, usize)> = all.collect();
        let longest = found.iter().map(|(_, n)| *n).max().unwrap_or(0);
        let is_long = |n: usize| n >= ranks.max(2) && n.saturating_mul(SHORTER) >= longest;
        found.into_iter().filter(|(_, n)| is_long(*n)).map(|(extent, _)| extent).collect()
    }

    fn plan(&self, extents: Vec<Extent>) -> Result<core::result::Result<Arc<Plan>, Unsupported>> {
        let mut plans = self.plans.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(plan) = plans.get(&extents) {
            return Ok(Ok(Arc::clone(plan)));
        }
        Ok(Plan::of(&self.program, &extents, &[], self.on.inside)?.map(|plan| {
            let plan = Arc::new(plan);
            plans.insert(extents, Arc::clone(&plan));
            plan
        }))
    }

    /// Each rank runs the program alone: it says what is wrong, with the sizes and indices of the whole.
    fn alone(&self, arguments: &[Lent<'_>], results: &mut Vec<Flat>, control: Control<'_>) -> Result<Ending> {
        match self.alone.get_or_init(|| self.on.inside.prepare(&self.program)) {
            Ok(Ok(alone)) => alone.run_into(arguments, results, control),
            Ok(Err(unsupported)) => Ok(Ending::Unsupported(unsupported.clone())),
            Err(error) => Err(error.clone()),
        }
    }
}

impl Prepared for Ready {
    fn run(&self, arguments: &[Value<f64>], control: Control<'_>) -> Result<Outcome> {
        on_flats(&self.program, arguments, |arguments, results| self.run_into(arguments, results, control))
    }

    fn run_into(&self, arguments: &[Lent<'_>], results: &mut Vec<Flat>, control: Control<'_>) -> Result<Ending> {
        let mut link = world::connected()?;
        let plan = match self.plan(self.extents(arguments, link.ranks()))? {
            Ok(plan) => plan,
            Err(unsupported) => return Ok(Ending::Unsupported(unsupported)),
        };
        if let (false, Some(gathered)) = (self.on.gathers, plan.gathers.first()) {
            return Ok(Ending::Unsupported(gathered.clone()));
        }
        if !agrees(&plan, arguments) {
            return self.alone(arguments, results, control);
        }
        let mut run = Run::new(&plan, &mut link, &self.sums, control.clone());
        for (param, argument) in plan.params.iter().zip(arguments) {
            run.lend(*param, *argument);
        }
        for (k, split) in plan.splits.iter().enumerate() {
            let total = known(split.extent, &plan.params, arguments).expect("what is split has a known size");
            run.split(Axis(k), total);
        }
        match run.all(self.on.keep.as_ref(), &self.program, arguments) {
            Ok(()) => {
                results.clear();
                for result in &plan.results {
                    let found = run.value(result.value);
                    results.push(match result.split {
                        None => found.into_flat(),
                        Some((dimension, axis)) => {
                            let total = run.total(axis);
                            whole(run.link, found.lent(), dimension, total)
                        }
                    });
                }
                Ok(Ending::Done { stepwise: false })
            }
            Err(Stop::Ended(fault)) => Ok(Ending::Fault(fault)),
            Err(Stop::Wrong { .. }) => {
                drop(run);
                self.alone(arguments, results, control)
            }
            Err(Stop::Lost(error)) => Err(error),
        }
    }

    fn passes(&self) -> Vec<(&'static str, String)> {
        let plans = self.plans.lock().unwrap_or_else(PoisonError::into_inner);
        plans.values().map(|plan| ("steps of ranks", plan.to_string())).collect()
    }
}

/// The sizes that may be split.
fn lengths(program: &Program) -> Vec<Extent> {
    let (params, sizes) = (&program.function.params, program.sizes());
    let mut made = Vec::new();
    counts(&program.function.body, &mut made);
    made.retain(|count| count.var().is_none_or(|var| params.contains(&var)));
    let outer = params.iter().filter_map(|param| sizes.of(*param).first().copied());
    let mut all = Vec::new();
    for extent in outer.chain(made.into_iter().map(|count| sizes.number(count))) {
        if !all.contains(&extent) {
            all.push(extent);
        }
    }
    all
}

/// The numbers of elements by which arrays are made in a body.
fn counts(body: &Body, into: &mut Vec<Atom>) {
    for stm in &body.stms {
        if let Op::Iota(count) | Op::Replicate(count, _) = &stm.op {
            into.push(*count);
        }
        stm.op.bodies().for_each(|inner| counts(inner, into));
    }
}

/// Whether the arguments have the sizes that they must have.
fn agrees(plan: &Plan, arguments: &[Lent<'_>]) -> bool {
    plan.sizes.iter().all(|(param, dimension, extent)| {
        let at = plan.params.iter().position(|p| p == param).expect("sizes are of parameters");
        known(*extent, &plan.params, arguments).is_none_or(|size| arguments[at].sizes[*dimension] == size)
    })
}
