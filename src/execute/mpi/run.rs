//! Runs of plans: every rank goes through the same nodes, and between steps ranks send each other what they have found.
//!
//! Law: ranks end together. Before anything is sent each says whether its step went well, and if one did not, all stop there; so that no
//! rank waits for one that has stopped (tests/mpi/suite.rs).

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::checkpoint::{Checkpoints, Keep};
use super::draft::{Exchange, Way};
use super::placement::{Axis, part};
use super::plan::{Looped, Node, Plan, Step};
use super::sums::Sums;
use super::wire;
use super::world::{Link, starts};
use crate::array::{Atom, Const, Extent, Program, Type, Var};
use crate::error::{Error, Span};
use crate::execute::{Ending, Fault, FaultKind, Flat, Lent};
use crate::interpret::Control;

/// Why a run stops before its end, on all ranks.
#[derive(Debug)]
pub(super) enum Stop {
    /// A rank has found a fault, or cannot run a step: which it was, and what it says.
    Wrong { rank: usize, said: String },
    /// A limit or a wish has ended the run.
    Ended(Fault),
    /// A state cannot be kept or read.
    Lost(Error),
}

/// How the step of a rank went.
#[derive(Debug)]
enum Trouble {
    Ended(Fault),
    Wrong(String),
    Lost(Error),
}

/// What stops a rank, as the others know it: 0 if nothing does.
mod code {
    pub(super) const STEPS: u64 = 1;
    pub(super) const ELEMENTS: u64 = 2;
    pub(super) const CANCELLED: u64 = 3;
    pub(super) const WRONG: u64 = 4;
    pub(super) const LOST: u64 = 5;
}

impl Trouble {
    fn code(&self) -> u64 {
        match self {
            Trouble::Ended(Fault { kind: FaultKind::Budget { what: "steps", .. }, .. }) => code::STEPS,
            Trouble::Ended(Fault { kind: FaultKind::Budget { .. }, .. }) => code::ELEMENTS,
            Trouble::Ended(_) => code::CANCELLED,
            Trouble::Wrong(_) => code::WRONG,
            Trouble::Lost(_) => code::LOST,
        }
    }

    /// What the others say of it.
    fn text(&self) -> String {
        match self {
            Trouble::Ended(fault) => fault.statement.clone(),
            Trouble::Wrong(said) => said.clone(),
            Trouble::Lost(error) => error.to_string(),
        }
    }
}

type Ran<T = ()> = core::result::Result<T, Stop>;

/// A value of a run: one that it has made, or an argument where it is.
#[derive(Debug, Clone)]
pub(super) enum Held<'r> {
    Made(Rc<Flat>),
    Lent(Lent<'r>),
}

impl<'r> Held<'r> {
    pub(super) fn lent(&self) -> Lent<'_> {
        match self {
            Held::Made(flat) => flat.lent(),
            Held::Lent(lent) => *lent,
        }
    }

    /// The same as a value of its own.
    pub(super) fn into_flat(self) -> Flat {
        match self {
            Held::Made(flat) => Rc::unwrap_or_clone(flat),
            Held::Lent(Lent { prim, sizes, reals, singles, ints }) => Flat {
                prim,
                sizes: sizes.to_vec(),
                reals: reals.to_vec(),
                singles: singles.to_vec(),
                ints: ints.to_vec(),
            },
        }
    }

    /// The integer that it is.
    fn integer(&self) -> i64 {
        self.lent().ints[0]
    }
}

impl From<Flat> for Held<'_> {
    fn from(flat: Flat) -> Self {
        Held::Made(Rc::new(flat))
    }
}

/// A run.
pub(super) struct Run<'r, 'l> {
    plan: &'r Plan,
    pub(super) link: &'r mut Link<'l>,
    sums: &'r Sums<'r>,
    control: Control<'r>,
    values: FxHashMap<Var, Held<'r>>,
    steps: u64,
    checkpoints: Option<Checkpoints>,
    rank: usize,
    ranks: usize,
}

impl<'r, 'l> Run<'r, 'l> {
    pub(super) fn new(plan: &'r Plan, link: &'r mut Link<'l>, sums: &'r Sums<'r>, control: Control<'r>) -> Self {
        let (rank, ranks) = (link.rank(), link.ranks());
        let mut run =
            Run { plan, link, sums, control, values: FxHashMap::default(), steps: 0, checkpoints: None, rank, ranks };
        run.set(plan.rank, wire::integer(rank as i64));
        run
    }

    pub(super) fn set(&mut self, var: Var, value: Flat) {
        self.values.insert(var, value.into());
    }

    /// Says what a parameter is.
    pub(super) fn lend(&mut self, var: Var, value: Lent<'r>) {
        self.values.insert(var, Held::Lent(value));
    }

    /// Says how long a split dimension is in all.
    pub(super) fn split(&mut self, axis: Axis, total: usize) {
        let split = &self.plan.splits[axis.0];
        let mine = part(total, self.rank, self.ranks);
        for (var, n) in [(split.total, total), (split.offset, mine.start), (split.count, mine.len())] {
            self.set(var, wire::integer(n as i64));
        }
    }

    /// Goes through all nodes of the plan of a program, and keeps the states of loops if that is wanted.
    pub(super) fn all(&mut self, keep: Option<&Keep>, program: &Program, arguments: &[Lent<'_>]) -> Ran {
        let plan = self.plan;
        let place = [self.rank, self.ranks];
        let checkpoints = keep.map(|keep| Checkpoints::new(keep, program, arguments, place)).transpose();
        self.checkpoints = checkpoints.map_err(|error| self.stop(Trouble::Lost(error)))?;
        self.nodes(&plan.nodes)?;
        // What went wrong after the last exchange is known to all before there are results.
        self.agree(None, 0).map(drop)
    }

    /// The value of an operand.
    pub(super) fn value(&self, atom: Atom) -> Held<'r> {
        match atom {
            Atom::Var(var) => self.values[&var].clone(),
            Atom::Const(constant) => constant_flat(constant).into(),
        }
    }

    fn integer(&self, atom: Atom) -> i64 {
        self.value(atom).integer()
    }

    /// How long a split dimension is in all.
    pub(super) fn total(&self, axis: Axis) -> usize {
        self.integer(self.plan.splits[axis.0].total.into()) as usize
    }

    fn nodes(&mut self, nodes: &'r [Node]) -> Ran {
        nodes.iter().try_for_each(|node| match node {
            Node::Step(step) => self.step(step),
            Node::Loop(it) => self.repeat(it),
            Node::If { vars, condition, branches } => {
                let (nodes, results) = &branches[usize::from(self.integer(*condition) == 0)];
                self.nodes(nodes)?;
                for (var, result) in vars.iter().zip(results) {
                    let value = self.value(*result);
                    self.values.insert(*var, value);
                }
                Ok(())
            }
        })
    }

    /// Takes a step of this run, unless it is to end.
    fn tick(&mut self) -> core::result::Result<(), Trouble> {
        let before = self.steps;
        self.steps += 1;
        self.control.reached(before, self.steps).map_err(|fault| {
            let error = fault.within(Span::UNKNOWN, || "a step of all ranks".into());
            Trouble::Ended(Fault::of(error).expect("a run is ended by a limit or a wish"))
        })
    }

    fn step(&mut self, step: &Step) -> Ran {
        let ran = self.tick().and_then(|()| self.ran(step));
        match ran {
            Ok(mut found) => {
                let sent = found.split_off(step.gives.len());
                self.values.extend(step.gives.iter().copied().zip(found.into_iter().map(Held::from)));
                for var in &step.drops {
                    self.values.remove(var);
                }
                if step.exchanges.is_empty() { Ok(()) } else { self.send(&step.exchanges, &sent) }
            }
            Err(trouble) => Err(self.stop(trouble)),
        }
    }

    /// The results of a step on this rank.
    fn ran(&self, step: &Step) -> core::result::Result<Vec<Flat>, Trouble> {
        let arguments: Vec<Lent<'_>> = step.imports.iter().map(|var| self.values[var].lent()).collect();
        let mut results = Vec::new();
        match step.ready.run_into(&arguments, &mut results, self.control.clone()) {
            Err(error) => Err(Trouble::Wrong(error.to_string())),
            Ok(Ending::Done { .. }) => {
                for (flat, result) in results.iter_mut().zip(&step.program.function.body.results) {
                    flat.of_kind_if_empty(step.program.atom_type(*result).prim);
                }
                Ok(results)
            }
            Ok(Ending::Fault(fault)) if fault.is_end() => Err(Trouble::Ended(fault)),
            Ok(Ending::Fault(fault)) => Err(Trouble::Wrong(fault.to_string())),
            Ok(Ending::Unsupported(unsupported)) => Err(Trouble::Wrong(unsupported.to_string())),
        }
    }

    /// Tells the others that this rank stops, and why.
    fn stop(&mut self, trouble: Trouble) -> Stop {
        match self.agree(Some(trouble), 0) {
            Ok(_) => unreachable!("a rank that stops says so"),
            Err(stop) => stop,
        }
    }

    /// What each rank has to send, in bytes, once all have said that they go on.
    fn agree(&mut self, trouble: Option<Trouble>, bytes: usize) -> Ran<Vec<usize>> {
        let all = self.link.words([trouble.as_ref().map_or(0, Trouble::code), bytes as u64]);
        let Some(first) = all.iter().position(|[code, _]| *code != 0) else {
            return Ok(all.into_iter().map(|[_, bytes]| bytes as usize).collect());
        };
        // Of several the first rank's is said by all.
        let text = trouble.as_ref().filter(|_| first == self.rank).map_or_else(String::new, Trouble::text);
        let said = String::from_utf8_lossy(&self.link.gather_any(text.as_bytes())).into_owned();
        Err(match (all[first][0], trouble) {
            (_, Some(Trouble::Lost(error))) => Stop::Lost(error),
            (code::LOST, _) => Stop::Lost(Error::Device { what: format!("rank {first}: {said}") }),
            (code::WRONG, _) => Stop::Wrong { rank: first, said },
            (_, Some(Trouble::Ended(fault))) => Stop::Ended(fault),
            (code, _) => {
                let limits = self.control.limits;
                let kind = match code {
                    code::STEPS => FaultKind::Budget { what: "steps", limit: limits.steps },
                    code::ELEMENTS => FaultKind::Budget { what: "elements", limit: limits.elements },
                    _ => FaultKind::Cancelled,
                };
                Stop::Ended(Fault { statement: said, span: Span::UNKNOWN, kind })
            }
        })
    }

    /// Sends what a step has found, and gets what the others have.
    fn send(&mut self, exchanges: &[Exchange], found: &[Flat]) -> Ran {
        let large = |(it, flat): &(&Exchange, &Flat)| {
            matches!(it.way, Way::Terms(Some(_))) && Sums::are_large(flat, self.ranks)
        };
        let (large, small): (Vec<_>, Vec<_>) = exchanges.iter().zip(found).partition(large);
        let mut mine = Vec::new();
        let mut ends = Vec::new();
        for (_, flat) in &small {
            wire::write(flat.lent(), &mut mine);
            ends.push(mine.len());
        }
        let lengths = self.agree(None, mine.len())?;
        let all = self.link.gather(&mine, &lengths);
        let mut starts = starts(&lengths);
        let mut start = 0;
        for ((it, flat), end) in small.into_iter().zip(ends) {
            let own = end - start;
            start = end;
            let mut bytes = Vec::new();
            let total = |axis: Axis| self.total(axis);
            for (rank, from) in starts.iter_mut().enumerate() {
                let length = match it.way {
                    Way::Terms(_) => own,
                    Way::Parts(axis) => {
                        let of = |rank| part(total(axis), rank, self.ranks).len();
                        own / of(self.rank).max(1) * of(rank)
                    }
                };
                bytes.extend_from_slice(&all[*from..*from + length]);
                *from += length;
            }
            let sizes = match it.way {
                Way::Terms(_) => core::iter::once(self.ranks).chain(flat.sizes.iter().copied()).collect(),
                Way::Parts(axis) => core::iter::once(total(axis)).chain(flat.sizes[1..].iter().copied()).collect(),
            };
            let value = wire::read(flat.prim, sizes, &bytes);
            self.set(it.to, value);
        }
        for (it, flat) in large {
            let Way::Terms(Some(op)) = it.way else { unreachable!("large terms are combined element by element") };
            let sum = self.sums.of(self.link, flat, op);
            let sum = sum.map_err(|error| self.stop(Trouble::Wrong(error.to_string())))?;
            self.set(it.to, sum);
        }
        Ok(())
    }

    fn repeat(&mut self, it: &'r Looped) -> Ran {
        let mut state: Vec<Held<'r>> = it.params.iter().map(|(_, initial)| self.value(*initial)).collect();
        let bound = it.counter.map(|(_, bound)| self.integer(bound));
        let limit = it.bound.map(|bound| self.integer(bound));
        let mut done: u64 = 0;
        if let Some((iteration, values)) = self.resumed(it)? {
            (done, state) = (iteration, values.into_iter().map(Held::from).collect());
        }
        loop {
            for ((param, _), value) in it.params.iter().zip(&state) {
                self.values.insert(*param, value.clone());
            }
            let goes_on = match (bound, &it.condition) {
                (Some(bound), _) => i64::try_from(done).is_ok_and(|done| done < bound),
                (None, Some((nodes, asked))) => {
                    self.nodes(nodes)?;
                    self.integer(*asked) != 0
                }
                (None, None) => false,
            };
            if !goes_on {
                break;
            }
            if let Some(limit) = limit.filter(|limit| i64::try_from(done).map_or(true, |done| done >= *limit)) {
                return Err(self.stop(Trouble::Wrong(format!("a loop goes on beyond its bound, {limit}"))));
            }
            if let Some((var, _)) = it.counter {
                self.set(var, wire::integer(done as i64));
            }
            self.tick().map_err(|trouble| self.stop(trouble))?;
            state.clear();
            self.nodes(&it.body)?;
            state = it.results.iter().map(|result| self.value(*result)).collect();
            done += 1;
            self.keep(it, done, &state, false)?;
        }
        self.keep(it, done, &state, true)?;
        for (var, value) in it.vars.iter().zip(state) {
            self.values.insert(*var, value);
        }
        Ok(())
    }
}

/// States of loops that are kept.
impl Run<'_, '_> {
    /// Keeps the state of a loop, if it is time: for all ranks, or for none.
    fn keep(&mut self, it: &Looped, done: u64, state: &[Held<'_>], is_last: bool) -> Ran {
        let Some(number) = it.number else { return Ok(()) };
        let Some(is_due) = self.checkpoints.as_ref().map(|checkpoints| is_last || checkpoints.is_due(done)) else {
            return Ok(());
        };
        let due = self.agree(None, usize::from(is_due))?;
        if due.iter().all(|due| *due == 0) {
            return Ok(());
        }
        let checkpoints = self.checkpoints.as_mut().expect("there are checkpoints");
        checkpoints.keep(number, done, state).map_err(|error| self.stop(Trouble::Lost(error)))
    }

    /// The last state of a loop that all ranks have kept, if the run is resumed and there is one.
    fn resumed(&mut self, it: &Looped) -> Ran<Option<(u64, Vec<Flat>)>> {
        let Some(number) = it.number else { return Ok(None) };
        let Some(checkpoints) = self.checkpoints.as_mut().filter(|checkpoints| checkpoints.resumes()) else {
            return Ok(None);
        };
        let kept = checkpoints.kept(number);
        let mut kept = kept.map_err(|error| self.stop(Trouble::Lost(error)))?;
        self.agree(None, 0)?;
        let after = |k: usize| kept.get(k).map_or(0, |(done, _)| done + 1);
        let all = self.link.words([after(0), after(1)]);
        let by_all = |done: &u64| all.iter().all(|kept| kept.contains(&(done + 1)));
        let last = kept.iter().map(|(done, _)| *done).filter(by_all).max();
        Ok(last.and_then(|last| kept.iter().position(|(done, _)| *done == last)).map(|k| kept.swap_remove(k)))
    }
}

/// A constant as a flat value.
fn constant_flat(constant: Const) -> Flat {
    let of = Type::scalar(constant.prim());
    let bytes = match constant {
        Const::F32(x) => x.to_le_bytes().to_vec(),
        constant => match constant.real() {
            Some(x) => x.to_le_bytes().to_vec(),
            None => (constant.integer().expect("a constant is a real or an integer") as i64).to_le_bytes().to_vec(),
        },
    };
    wire::read(of.prim, Vec::new(), &bytes)
}

/// The number that a size of arguments is, if it is one of a parameter, a parameter, or a constant.
pub(super) fn known(extent: Extent, params: &[Var], arguments: &[Lent<'_>]) -> Option<usize> {
    let argument = |var: Var| params.iter().position(|param| *param == var).map(|k| arguments[k]);
    match extent {
        Extent::Number(Atom::Const(Const::I64(n))) => usize::try_from(n).ok(),
        Extent::Number(Atom::Var(var)) => {
            let value = argument(var)?;
            usize::try_from(*value.ints.first().filter(|_| value.sizes.is_empty())?).ok()
        }
        Extent::Of(Atom::Var(var), dimension) => argument(var)?.sizes.get(dimension).copied(),
        Extent::Number(Atom::Const(_)) | Extent::Of(Atom::Const(_), _) => None,
    }
}

/// The whole of a result that ranks have parts of.
pub(super) fn whole(link: &mut Link<'_>, flat: Lent<'_>, dimension: usize, total: usize) -> Flat {
    let (rank, ranks) = (link.rank(), link.ranks());
    let mut mine = Vec::new();
    wire::write(flat, &mut mine);
    let own = part(total, rank, ranks).len().max(1);
    let lengths: Vec<usize> = (0..ranks).map(|r| mine.len() / own * part(total, r, ranks).len()).collect();
    let all = link.gather(&mine, &lengths);
    // Parts lie one after the other; each has its stretch of every row.
    let mut sizes = flat.sizes.to_vec();
    let width = wire::width(flat.prim) * sizes[dimension + 1..].iter().product::<usize>();
    let before: usize = sizes[..dimension].iter().product();
    sizes[dimension] = total;
    let mut rows = Vec::with_capacity(all.len());
    for row in 0..before {
        let mut start = 0;
        for (r, length) in lengths.iter().enumerate() {
            let stretch = part(total, r, ranks).len() * width;
            rows.extend_from_slice(&all[start + row * stretch..][..stretch]);
            start += length;
        }
    }
    wire::read(flat.prim, sizes, &rows)
}
