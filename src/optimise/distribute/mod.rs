//! Distribution: maps in maps, and reductions in maps, as statements that are as wide as a machine has threads.
//!
//! A map of few elements whose function has more to do side by side becomes several maps, each of one of the things that it does,
//! over the elements of both: a perfect nest, which executors take as one index space. A reduction in it becomes one of parts, and
//! one of what these find. What is added to an accumulator becomes a sum over the elements. That is done by need, as far as it takes
//! until the machine is full ("Incremental Flattening for Nested Data Parallelism", *Incremental Flattening*); the sizes of the
//! arguments are known, so that one version is enough.
//!
//! Law: the program computes what it did, but for the order of sums and for how associative operators are bracketed; no work is
//! added but for what reads and writes what is kept between two statements (laws: executors::suite, tests/gpu/distribute.rs).
//!
//! | file | what is in it |
//! |---|---|
//! | `fission` | a map as one map for each thing that its function does |
//! | `segments` | a reduction in two steps |
//! | `scans`, `histograms` | scans of rows as one, histograms by any operator as scans |
//! | `nest` | perfect nests |
//! | `keep` | what must not be computed where it is used |
//! | `work` | how many elements, and how many operations for each |

mod fission;
mod histograms;
mod keep;
pub(crate) mod nest;
mod scans;
mod segments;
mod work;

use rustc_hash::FxHashSet;

use super::accumulators_to_soacs::all_regular;
use super::dead_code::dead;
use super::interchange::interchange;
use super::sizes::Written;
use super::taken;
use super::value_numbering::forms;
use crate::array::{Atom, Body, Builder, Form, Map, Op, Program, Stm, Var, Vars};
use crate::error::Span;
#[cfg(feature = "unstable")]
use crate::interpret::{Value, typed};
use work::Work;
#[cfg(feature = "gpu")]
pub(crate) use work::sized;
pub(crate) use work::{Known, known};

/// What programs are distributed for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Machine {
    /// How many threads fill it.
    pub threads: u64,
    /// Less work than this for a thread, in operations, is not worth a statement of its own.
    pub work: u64,
}

/// Functions of more statements than this stay as they are: each is compared with the others.
const MAX_STATEMENTS: usize = 1 << 10;

/// More elements than this are not kept between two statements.
const MAX_KEPT: u64 = 1 << 26;

impl Program {
    /// The program for arguments of these sizes on a machine; none if it is as wide as the machine already, or cannot be wider, or if
    /// the arguments are not of its types.
    #[cfg(feature = "unstable")]
    #[must_use]
    pub fn distributed(&self, arguments: &[Value<f64>], machine: Machine) -> Option<Program> {
        typed(self, arguments).ok()?;
        let arguments: Vec<Known> = arguments.iter().map(known).collect();
        distributed(self, &arguments, machine, self.simplified() == *self)
    }
}

/// The program for these arguments; none if it is as wide as the machine already, or cannot be wider. One that is not simplified
/// keeps all that it does.
pub(crate) fn distributed(
    program: &Program,
    arguments: &[Known],
    machine: Machine,
    is_simplified: bool,
) -> Option<Program> {
    let mut wide = program.clone();
    let mut changed = distribute(&mut wide, arguments, machine);
    if is_simplified {
        changed |= sum(&mut wide);
    }
    changed |= distribute(&mut wide, arguments, machine);
    if changed && is_simplified {
        dead(&mut wide, Written::Lost);
    }
    if !keep::keep(&mut wide, arguments, machine) && !changed {
        return None;
    }
    debug_assert_eq!(wide.verify(), Ok(()), "a distributed program is well formed: {wide}");
    Some(wide)
}

/// Writes what maps add to accumulators as sums, each outside of the sums of its elements.
fn sum(program: &mut Program) -> bool {
    let mut changed = false;
    while all_regular(program) || interchange(program) {
        changed = true;
        *program = forms(taken(program));
        dead(program, Written::Lost);
    }
    changed
}

/// Distributes statements once, and says whether there was one to distribute.
fn distribute(program: &mut Program, arguments: &[Known], machine: Machine) -> bool {
    let work = Work::of(program, arguments);
    let builder = Builder::extending(program);
    let mut it = Distribution { builder, work, machine, kept: FxHashSet::default(), changed: false };
    let body = core::mem::take(&mut program.function.body);
    program.function.body = it.body(body, 1);
    program.types = it.builder.into_types();
    it.changed
}

/// A program that is being distributed.
struct Distribution {
    builder: Builder,
    work: Work,
    machine: Machine,
    /// What is kept between two statements, and not computed by the one that uses it.
    kept: FxHashSet<Var>,
    changed: bool,
}

impl Distribution {
    /// A body that `threads` threads execute.
    fn body(&mut self, body: Body, threads: u64) -> Body {
        let Body { stms, results } = self.reductions_in_parts(body, threads);
        let mut written = Vec::with_capacity(stms.len());
        for stm in stms {
            match stm.op {
                Op::Map(map) => written.extend(self.map(stm.vars, *map, stm.span, threads)),
                Op::Hist(_) if threads == 1 => written.extend(self.histogram(stm)),
                Op::If(condition, yes, no) if threads == 1 => {
                    let [yes, no] = [yes, no].map(|body| Box::new(self.body(*body, 1)));
                    written.push(Stm { op: Op::If(condition, yes, no), ..stm });
                }
                Op::Loop(mut it) if threads == 1 => {
                    it.body = self.body(it.body, 1);
                    if let Form::While { condition, .. } = &mut it.form {
                        *condition = self.body(core::mem::take(condition), 1);
                    }
                    written.push(Stm { op: Op::Loop(it), ..stm });
                }
                _ => written.push(stm),
            }
        }
        Body { stms: written, results }
    }

    /// Whether to go through the elements of an array is worth more than a thread.
    fn is_worth_threads(&mut self, array: Atom) -> bool {
        self.work.length(array).is_some_and(|length| length >= self.machine.work.max(2))
    }

    /// A map in a body that `threads` threads execute: it alone, or what is in its place.
    fn map(&mut self, vars: Vars, map: Map, span: Span, threads: u64) -> Vec<Stm> {
        let stms = &map.function.body.stms;
        let nested = stms.len() <= MAX_STATEMENTS && stms.iter().any(|stm| stm.op.is_parallel());
        let whole = |map: Map| vec![Stm { vars: vars.clone(), op: Op::Map(Box::new(map)), span }];
        let Some(count) = self.work.length(map.arrays[0]).filter(|count| nested && *count > 0) else {
            return whole(map);
        };
        // What is summed over the elements is as wide as the elements of the sum.
        let sums = adds_arrays(&map, &self.builder);
        let inside = if sums { threads } else { threads.saturating_mul(count) };
        if inside >= self.machine.threads || self.work.of_body(&map.function.body) < self.machine.work {
            return whole(map);
        }
        let mut distributed = map.clone();
        distributed.function.body = self.body(distributed.function.body, inside);
        let stms = match fission::fission(self, &vars, &distributed, span, threads.saturating_mul(count)) {
            Some(stms) => {
                self.changed = true;
                stms
            }
            None => whole(map),
        };
        stms.into_iter().flat_map(|stm| self.scans_of_rows(stm, threads)).collect()
    }
}

/// Whether a map adds arrays to accumulators.
fn adds_arrays(map: &Map, builder: &Builder) -> bool {
    let adds = |stm: &Stm| match &stm.op {
        Op::Accumulate(_, _, Atom::Var(value)) => builder.type_of(*value).rank > 0,
        _ => false,
    };
    !map.accumulators.is_empty() && map.function.body.stms.iter().any(adds)
}
