//! A program as steps for many ranks: statement after statement goes into the first step that has its operands.
//!
//! Law: within a step a rank needs nothing of the others; what ranks have found is combined between steps, and a statement of which
//! that is not known is run on whole arrays, by every rank (tests/mpi/suite.rs).
//!
//! Each statement is written again [for one rank](super::rules), by where its operands are, as a compiler for distributed memory does
//! ("GSPMD: General and Scalable Parallelization for ML Computation Graphs", *Sharding Completion*); steps are supersteps in the sense of
//! "A Bridging Model for Parallel Computation".

use rustc_hash::{FxHashMap, FxHashSet};

use super::accumulators::Accumulators;
use super::combine::{Operator, along_ranks, mapped};
use super::draft::{Draft, Exchange, Gathered, Split, Statements, Way};
use super::placement::{Axis, Placement};
use super::rules::{Made, Why};
use crate::array::{
    Atom, Body, Builder, Const, Extent, Op, Prim, Program, Range, ScalarOp, SizeTable, Stm, Type, Var, Vars, atoms_mut,
    free, index,
};

/// A planner: the plans that are open, and what is known of values.
pub(super) struct Planner {
    pub(super) builder: Builder,
    pub(super) sizes: SizeTable,
    pub(super) splits: Vec<Split>,
    /// Where values are that are not whole.
    pub(super) places: FxHashMap<Var, Placement>,
    pub(super) rank: Var,
    /// From which step on of which of the open plans a value is there.
    pub(super) ready: FxHashMap<Var, (usize, usize)>,
    /// The parameters of the program, and of the loops that are plans.
    pub(super) params: FxHashSet<Var>,
    /// The plans that are open, outermost first: that of the program, and those of bodies.
    pub(super) plans: Vec<Vec<Draft>>,
    /// Arrays that are made where they are used.
    generators: FxHashMap<Var, Stm>,
    pub(super) accumulators: FxHashMap<Var, Accumulators>,
    /// What split values are once they are gathered.
    pub(super) gathered: FxHashMap<Var, Var>,
    pub(super) gathers: Vec<Gathered>,
}

impl Planner {
    /// A planner for a program whose split dimensions are of these sizes.
    pub(super) fn new(program: &Program, extents: &[Extent]) -> Self {
        let mut builder = Builder::extending(program);
        let mut number = || builder.fresh(Type::scalar(Prim::I64));
        let split = |extent: &Extent| Split { extent: *extent, total: number(), offset: number(), count: number() };
        let splits = extents.iter().map(split).collect();
        let rank = builder.fresh(Type::scalar(Prim::I64));
        Planner {
            sizes: program.sizes(),
            builder,
            splits,
            places: FxHashMap::default(),
            rank,
            ready: FxHashMap::default(),
            params: program.function.params.iter().copied().collect(),
            plans: vec![Vec::new()],
            generators: FxHashMap::default(),
            accumulators: FxHashMap::default(),
            gathered: FxHashMap::default(),
            gathers: Vec::new(),
        }
    }

    /// The steps of a program's body.
    pub(super) fn steps(mut self, body: &Body) -> (Self, Vec<Draft>) {
        body.stms.iter().for_each(|stm| self.place(stm.clone()));
        for result in &body.results {
            self.ensure_there(*result);
        }
        let steps = self.plans.pop().expect("the plan of the program is open");
        (self, steps)
    }

    pub(super) fn placement(&self, atom: Atom) -> Placement {
        atom.var().and_then(|var| self.places.get(&var).copied()).unwrap_or(Placement::Whole)
    }

    /// The split dimension that has this size.
    pub(super) fn axis(&self, extent: Extent) -> Option<Axis> {
        let extent = match extent {
            Extent::Number(number) => self.sizes.number(number),
            other => other,
        };
        self.splits.iter().position(|split| split.extent == extent).map(Axis)
    }

    /// The split dimension that is as long as the outermost of an array.
    pub(super) fn axis_along(&self, array: Atom) -> Option<Axis> {
        let known = array.var().is_some_and(|var| self.sizes.knows(var));
        let extent = if known { self.sizes.of(array).first().copied() } else { None };
        extent.and_then(|extent| self.axis(extent))
    }

    /// The constant that a value is, or that its elements are.
    pub(super) fn constant(&self, value: Atom) -> Option<Const> {
        match value {
            Atom::Const(constant) => Some(constant),
            Atom::Var(var) => match &self.generators.get(&var)?.op {
                Op::Replicate(_, element) => self.constant(*element),
                _ => None,
            },
        }
    }

    /// Puts a statement into the first step that has what it needs.
    pub(super) fn place(&mut self, stm: Stm) {
        let mut left = vec![stm];
        while let Some(stm) = left.pop() {
            let stm = self.renamed(stm);
            if matches!(stm.op, Op::Iota(_) | Op::Replicate(..)) && self.all_whole(&stm.op) {
                self.generators.insert(stm.vars[0], stm);
                continue;
            }
            let Err(why) = self.try_place(&stm) else { continue };
            match why {
                Why::Instead(stms) => {
                    for stm in &stms {
                        let builder = &self.builder;
                        self.sizes.learn(stm, |var| builder.type_of(var), 0);
                    }
                    left.extend(stms.into_iter().rev());
                    continue;
                }
                Why::Gather(Some(var), reason) if self.is_outside(var) => {
                    self.gathers.push(Gathered { statement: stm.clone(), reason });
                    self.gather(var);
                }
                Why::Gather(_, reason) => {
                    let mut split = free(&stm.op);
                    split.retain(|var| self.placement((*var).into()) != Placement::Whole);
                    if !split.is_empty() {
                        self.gathers.push(Gathered { statement: stm.clone(), reason });
                    }
                    split.into_iter().for_each(|var| self.gather(var));
                    let stm = self.renamed(stm);
                    self.whole_statement(&stm);
                    continue;
                }
                Why::Late => unreachable!("terms are combined before a statement that needs the whole is placed"),
            }
            left.push(stm);
        }
    }

    /// The statement with what was gathered in the place of what was split.
    fn renamed(&self, mut stm: Stm) -> Stm {
        if !self.gathered.is_empty() {
            rename(&mut stm.op, &self.gathered);
        }
        stm
    }

    /// Whether a variable is bound by a statement of an open plan, or a parameter, and not within a statement.
    fn is_outside(&self, var: Var) -> bool {
        self.ready.contains_key(&var) || self.params.contains(&var)
    }

    pub(super) fn all_whole(&self, op: &Op) -> bool {
        free(op).into_iter().all(|var| self.placement(var.into()) == Placement::Whole)
    }

    /// The number of the first step of the innermost plan that has all of these.
    pub(super) fn step_with(&mut self, vars: impl IntoIterator<Item = Var>) -> usize {
        let level = self.plans.len() - 1;
        let ready = vars.into_iter().filter_map(|var| self.ready.get(&var)).filter(|(at, _)| *at == level);
        let from = ready.map(|(_, step)| *step).max().unwrap_or(0);
        self.step_from(from)
    }

    /// The number of the first step of the innermost plan from this number on.
    pub(super) fn step_from(&mut self, from: usize) -> usize {
        let plan = self.plans.last_mut().expect("a plan is open");
        let found = (from..plan.len()).find(|k| matches!(plan[*k], Draft::Step(_)));
        found.unwrap_or_else(|| {
            plan.push(Draft::Step(Statements::default()));
            plan.len() - 1
        })
    }

    fn step(&mut self, at: usize) -> &mut Statements {
        let plan = self.plans.last_mut().expect("a plan is open");
        let Draft::Step(step) = &mut plan[at] else { panic!("statements go into steps") };
        step
    }

    /// Adds what `write` writes to a step of the innermost plan.
    pub(super) fn write<T>(&mut self, at: usize, write: impl FnOnce(&mut Self) -> T) -> T {
        self.builder.open_body();
        let made = write(self);
        let body = self.builder.close_body(Vec::new());
        self.add(at, body.stms);
        made
    }

    /// Adds statements to a step, after the arrays that they mention and that are made where they are used.
    pub(super) fn add(&mut self, at: usize, written: Vec<Stm>) {
        let level = self.plans.len() - 1;
        for stm in written {
            free(&stm.op).into_iter().for_each(|var| self.make(var, at));
            self.ready.extend(stm.vars.iter().map(|var| (*var, (level, at))));
            self.step(at).stms.push(stm);
        }
    }

    /// Makes an array where it is used, unless it is there.
    fn make(&mut self, var: Var, at: usize) {
        let Some(stm) = self.generators.get(&var).cloned() else { return };
        if self.step(at).made.insert(var) {
            free(&stm.op).into_iter().for_each(|of| self.make(of, at));
            self.step(at).stms.push(stm);
        }
    }

    /// Puts an array that is made where it is used into a step, if it is a result.
    pub(super) fn ensure_there(&mut self, result: Atom) {
        let Some(var) = result.var() else { return };
        let Some(op) = self.generators.get(&var).map(|stm| stm.op.clone()) else { return };
        let (at, level) = (self.step_with(self.needs(&op)), self.plans.len() - 1);
        self.make(var, at);
        self.ready.insert(var, (level, at));
    }

    /// What an operation mentions, through arrays that are made where they are used.
    pub(super) fn needs(&self, op: &Op) -> Vec<Var> {
        let mut found = Vec::new();
        for var in free(op) {
            match self.generators.get(&var) {
                Some(stm) => found.extend(self.needs(&stm.op)),
                None => found.push(var),
            }
        }
        found
    }

    fn try_place(&mut self, stm: &Stm) -> Result<(), Why> {
        self.builder.span(stm.span);
        if self.hides_accumulators(&stm.op) {
            return Err(Why::Gather(None, "an accumulator goes into a loop or a branch"));
        }
        if self.is_plan(stm) {
            self.control(stm);
            return Ok(());
        }
        let stm = self.carried(stm.clone());
        let at = self.step_with(self.needs(&stm.op));
        if self.accumulates(&stm, at)? {
            return Ok(());
        }
        self.builder.open_body();
        let made = self.rule(&stm, true);
        let mut body = self.builder.close_body(Vec::new());
        match made? {
            Made::Placed(placements) => self.placed(&stm, at, body.stms, &placements),
            Made::Reduced { neutral, operator } => {
                let terms = self.fresh_results(&mut body.stms, &stm.vars);
                self.add(at, body.stms);
                let way = Way::Terms(None);
                self.combine(at, &stm.vars, &terms, way, |builder, stacked| {
                    along_ranks(builder, stacked, 0, &neutral, &operator)
                });
            }
            Made::Scanned { neutral, operator, axis } => {
                let scans = self.fresh_results(&mut body.stms, &stm.vars);
                self.add(at, body.stms);
                let count = Atom::Var(self.splits[axis.0].count);
                let last: Vec<Var> = self.write(at, |it| {
                    let last = it.builder.scalar(ScalarOp::Add, &[count, index(-1)]);
                    let of = |scan: &Var| it.builder.emit(Op::Index((*scan).into(), vec![last]))[0];
                    scans.iter().map(of).collect()
                });
                let rank = Atom::Var(self.rank);
                self.combine(at, &stm.vars, &last, Way::Terms(None), |builder, stacked| {
                    let before = |a: &Atom| {
                        let range = Range { start: index(0), count: rank, step: index(1) };
                        builder.one(Op::Slice(*a, vec![range]))
                    };
                    let before: Vec<Atom> = stacked.iter().map(before).collect();
                    let prefix = along_ranks(builder, &before, 0, &neutral, &operator);
                    let scans: Vec<(Atom, usize)> = scans.iter().map(|scan| ((*scan).into(), 0)).collect();
                    mapped(builder, &scans, &mut |builder, elements| {
                        let operands: Vec<Atom> = prefix.iter().chain(elements).copied().collect();
                        operator.apply(builder, &operands)
                    })
                });
                for var in &stm.vars {
                    self.places.insert(*var, Placement::Split(0, axis));
                }
            }
            Made::Binned { neutral, destinations, operator } => {
                let bins = self.fresh_results(&mut body.stms, &stm.vars);
                self.add(at, body.stms);
                self.combine(at, &stm.vars, &bins, Way::Terms(None), |builder, stacked| {
                    let found = along_ranks(builder, stacked, 1, &neutral, &operator);
                    let both: Vec<(Atom, usize)> = destinations.iter().chain(&found).map(|a| (*a, 0)).collect();
                    mapped(builder, &both, &mut |builder, elements| operator.apply(builder, elements))
                });
            }
        }
        Ok(())
    }

    /// Adds the statements for one rank, and what combines the terms among their results.
    fn placed(&mut self, stm: &Stm, at: usize, mut stms: Vec<Stm>, placements: &[Placement]) {
        let terms: Vec<usize> =
            (0..stm.vars.len()).filter(|k| matches!(placements[*k], Placement::Partial(_))).collect();
        let mut fresh = Vec::new();
        for k in &terms {
            let var = stm.vars[*k];
            fresh.extend(self.fresh_results(&mut stms, &[var]));
        }
        self.add(at, stms);
        for (k, (var, placement)) in stm.vars.iter().zip(placements).enumerate() {
            let Placement::Partial(op) = *placement else {
                self.set(*var, *placement);
                continue;
            };
            self.set(*var, Placement::Whole);
            let term = fresh[terms.iter().position(|t| *t == k).expect("it is a term")];
            self.sum(at, *var, term, op, |_, sum| sum);
        }
    }

    /// Binds a variable to what an operation makes of the terms of all ranks, element by element, and then `finish` of it.
    pub(super) fn sum(
        &mut self,
        at: usize,
        var: Var,
        term: Var,
        op: ScalarOp,
        finish: impl FnOnce(&mut Builder, Atom) -> Atom,
    ) {
        let rank = self.builder.type_of(term).rank;
        self.combine(at, &[var], &[term], Way::Terms(Some(op)), |builder, stacked| {
            let sum = along_ranks(builder, stacked, rank, &[], &Operator::Scalar(op))[0];
            vec![finish(builder, sum)]
        });
    }

    /// Variables in the place of these, which written statements bind.
    fn fresh_results(&mut self, stms: &mut [Stm], vars: &[Var]) -> Vec<Var> {
        let fresh = vars.iter().map(|var| {
            let new = self.builder.fresh(self.builder.type_of(*var));
            let bound = stms.iter_mut().rev().flat_map(|stm| stm.vars.iter_mut()).find(|bound| *bound == var);
            *bound.expect("a result is bound by what is written") = new;
            new
        });
        fresh.collect()
    }

    /// Sends terms to all ranks at the end of a step, and binds variables to what `write` makes of them, in the next.
    fn combine(
        &mut self,
        at: usize,
        vars: &[Var],
        terms: &[Var],
        way: Way,
        write: impl FnOnce(&mut Builder, &[Atom]) -> Vec<Atom>,
    ) {
        let mut stacked = Vec::new();
        for term in terms {
            let of = self.builder.type_of(*term);
            let to = self.builder.fresh(if matches!(way, Way::Parts(_)) { of } else { of.arrayed() });
            self.step(at).exchanges.push(Exchange { from: *term, to, way });
            stacked.push(Atom::Var(to));
        }
        let next = self.step_from(at + 1);
        self.builder.open_body();
        let found = write(&mut self.builder, &stacked);
        let mut body = self.builder.close_body(Vec::new());
        for (var, found) in vars.iter().zip(found) {
            body.stms.push(self.builder.stm(Vars::from_slice(&[*var]), Op::Copy(found)));
        }
        self.add(next, body.stms);
    }

    /// Makes a split value whole, on all ranks.
    fn gather(&mut self, var: Var) {
        let Placement::Split(dimension, axis) = self.placement(var.into()) else { return };
        if self.gathered.contains_key(&var) {
            return;
        }
        let of = self.builder.type_of(var);
        let whole = self.builder.fresh(of);
        let at = self.step_with([var]);
        let order: Vec<usize> = core::iter::once(dimension).chain((0..of.rank).filter(|d| *d != dimension)).collect();
        let mut back = vec![0; of.rank];
        order.iter().enumerate().for_each(|(to, from)| back[*from] = to);
        let first = self.write(at, |it| match dimension {
            0 => it.builder.emit(Op::Copy(var.into()))[0],
            _ => it.builder.emit(Op::Permute(var.into(), order))[0],
        });
        self.combine(at, &[whole], &[first], Way::Parts(axis), |builder, all| {
            if dimension == 0 { vec![all[0]] } else { vec![builder.one(Op::Permute(all[0], back))] }
        });
        self.gathered.insert(var, whole);
    }

    /// The same for what is no statement: a result, or what a loop carries.
    pub(super) fn gather_for(&mut self, var: Var, reason: &'static str) {
        let statement = Stm::new([var], Op::Copy(var.into()));
        self.gathers.push(Gathered { statement, reason });
        self.gather(var);
    }

    /// The part of a whole array that is this rank's, in a step of the innermost plan.
    pub(super) fn part_of(&mut self, array: Atom, dimension: usize, axis: Axis) -> Var {
        let at = self.step_with(array.var());
        let part = self.write(at, |it| it.part(array, dimension, axis));
        part.var().expect("a part is a variable")
    }

    /// What a value is once it is gathered.
    pub(super) fn whole_one(&self, value: Atom) -> Atom {
        value.var().and_then(|var| self.gathered.get(&var)).map_or(value, |whole| (*whole).into())
    }

    /// Opens a plan within the one that is open.
    pub(super) fn open(&mut self) {
        self.open_again(Vec::new());
    }

    /// Opens a plan that was closed.
    pub(super) fn open_again(&mut self, plan: Vec<Draft>) {
        self.plans.push(plan);
    }

    /// Closes the innermost plan. What it has is not seen outside of it.
    pub(super) fn close(&mut self) -> Vec<Draft> {
        let level = self.plans.len() - 1;
        let ready = &self.ready;
        // What was gathered within is not there outside.
        self.gathered.retain(|_, whole| ready.get(whole).is_none_or(|(at, _)| *at != level));
        self.plans.pop().expect("a plan is open")
    }

    /// Adds control to the innermost plan, after all steps that there are.
    pub(super) fn append(&mut self, stm: &Stm, draft: Draft) {
        let level = self.plans.len() - 1;
        let plan = self.plans.last_mut().expect("a plan is open");
        plan.push(draft);
        let at = (level, plan.len() - 1);
        self.ready.extend(stm.vars.iter().map(|var| (*var, at)));
    }
}

/// Renames what an operation mentions, within its bodies too.
pub(super) fn rename(op: &mut Op, to: &FxHashMap<Var, Var>) {
    let mut renamed = |atom: &mut Atom| {
        if let Some(new) = atom.var().and_then(|var| to.get(&var)) {
            *atom = (*new).into();
        }
    };
    atoms_mut(op, &mut renamed);
    for body in op.bodies_mut() {
        body.stms.iter_mut().for_each(|stm| rename(&mut stm.op, to));
        body.results.iter_mut().for_each(&mut renamed);
    }
}
