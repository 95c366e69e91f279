//! Dead elements: arrays of which intervals are all that is used are computed there and nowhere else.
//!
//! Law: every element that is used is computed as it was; which ones are is known before the run, of arrays whose sizes are known, so
//! that it pays to say them, as [`specialise`](Program::specialise) does (tests/transform/dead_elements.rs, laws: simplification).
//!
//! What is used is followed from the results to what they are made of (`demand`). A loop may use less of its arrays in each iteration than in the
//! one before (`carried`): it keeps what the first iteration uses, and each computes what later ones use.
//! Derivatives by fewer elements follow: differentiated is what is left.

mod carried;
mod demand;
mod interval;
mod known;

use rustc_hash::FxHashMap;

use crate::array::{Atom, Body, Builder, Form, Loop, Op, Program, Range, Stm, Var, deeper, index};
use carried::{Carried, Plan};
use demand::{Demand, Used, element, is_elementwise, start};
use interval::{Bound, Interval};
use known::Known;

/// Computes of arrays what is used, and says whether that is less than what was computed.
pub(super) fn dead_elements(program: &mut Program) -> bool {
    let Some(known) = Known::of(program) else { return false };
    let mut narrow = Narrow { known, builder: Builder::extending(program), kept: FxHashMap::default(), changed: false };
    let body = narrow.body(program.function.body.clone());
    if narrow.changed {
        program.function.body = body;
        program.types = narrow.builder.into_types();
    }
    narrow.changed
}

/// A program that is written again, with arrays of fewer elements under the same names.
struct Narrow {
    known: Known,
    builder: Builder,
    /// The elements that arrays have which have fewer.
    kept: FxHashMap<Var, Interval>,
    changed: bool,
}

/// What is used in a body, by the first variables of statements.
struct Uses {
    used: FxHashMap<Var, Used>,
    plans: FxHashMap<Var, Plan>,
}

impl Narrow {
    fn demand(&mut self) -> Demand<'_> {
        let Narrow { known, builder, .. } = self;
        Demand { known, builder, intervals: FxHashMap::default(), used: FxHashMap::default(), plans: None }
    }

    /// A body whose results are used whole.
    fn body(&mut self, body: Body) -> Body {
        let mut demand = self.demand();
        demand.plans = Some(FxHashMap::default());
        body.results.iter().for_each(|result| demand.need_whole(*result));
        demand.body(&body.stms);
        let uses = Uses { used: demand.used, plans: demand.plans.unwrap_or_default() };
        self.builder.open_body_of(body.stms.len());
        self.stms(body.stms, &uses);
        self.builder.close_body(body.results)
    }

    fn stms(&mut self, stms: Vec<Stm>, uses: &Uses) {
        for stm in stms {
            let around = self.builder.span(stm.span);
            self.stm(stm, uses);
            self.builder.span(around);
        }
    }

    fn stm(&mut self, mut stm: Stm, uses: &Uses) {
        let used = stm.vars.first().map_or(Used::Whole, |var| uses.used[var]);
        let plan = stm.vars.first().and_then(|var| uses.plans.get(var));
        stm.op = match (stm.op, used) {
            (_, Used::Nothing) => return,
            (Op::Agree(it), _) if self.known.holds(&it) => return,
            (Op::Loop(it), _) if let Some(plan) = plan => self.repeat(*it, plan, &stm.vars),
            (Op::Size(..), _) if let Some(n) = self.known.number(stm.vars[0].into()) => Op::Copy(index(n)),
            (Op::Index(array, mut at), _) if let Some(k) = element(&self.known, array, &at) => {
                let from = self.kept(array).start;
                at[0] = Bound::new(k).minus(from, &mut self.builder);
                Op::Index(array, at)
            }
            (op, Used::Part(part)) => self.part(op, part, &stm.vars),
            (op, Used::Whole) => op,
        };
        if plan.is_none() {
            deeper(|| stm.op.bodies_mut().for_each(|inner| *inner = self.body(core::mem::take(inner))));
        }
        self.builder.append(vec![stm]);
    }

    /// An operation that computes this part of these results, or as much as it did.
    fn part(&mut self, mut op: Op, part: Interval, results: &[Var]) -> Op {
        match &mut op {
            Op::Copy(array) => *array = self.elements(*array, part),
            Op::Replicate(count, _) => *count = part.end.minus(part.start, &mut self.builder),
            Op::Slice(array, ranges) if let Some(start) = start(&self.known, *array, ranges) => {
                let from = self.kept(*array).start;
                ranges[0].start = part.shifted(start).start.minus(from, &mut self.builder);
                ranges[0].count = part.end.minus(part.start, &mut self.builder);
            }
            Op::Concat(arrays) if let Some(parts) = self.demand().parts(arrays, part) => {
                let there = arrays.iter().zip(parts).filter_map(|(array, part)| Some((*array, part?)));
                *arrays = there.map(|(array, part)| self.elements(array, part)).collect();
            }
            Op::Map(map) if is_elementwise(&self.known, map) => {
                map.arrays.iter_mut().for_each(|array| *array = self.elements(*array, part));
            }
            _ => return op,
        }
        results.iter().for_each(|var| self.keep(*var, part));
        op
    }

    /// A loop that carries what its first iteration uses, and computes in each what the next ones use.
    fn repeat(&mut self, it: Loop, plan: &Plan, vars: &[Var]) -> Op {
        let Loop { policy, mut params, form, body: Body { stms, mut results } } = it;
        let Form::For(i, _) = form else { unreachable!("a loop is planned whose iterations are known") };
        let kept: Vec<Option<Interval>> = plan.carried.iter().map(|it| it.map(|it| it.kept(plan.iterations))).collect();
        for (((param, initial), var), kept) in params.iter_mut().zip(vars).zip(&kept) {
            let Some(kept) = *kept else { continue };
            *initial = self.elements(*initial, kept);
            self.keep(*param, kept);
            self.keep(*var, kept);
        }
        self.builder.open_body_of(stms.len());
        let after = |it: &Option<Carried>| it.map(|it| it.after(i, plan.iterations, &mut self.builder));
        let after: Vec<Option<Interval>> = plan.carried.iter().map(after).collect();
        let mut demand = self.demand();
        for (result, after) in results.iter().zip(&after) {
            match after {
                Some(after) => demand.need(*result, *after),
                None => demand.need_whole(*result),
            }
        }
        demand.body(&stms);
        let uses = Uses { used: demand.used, plans: FxHashMap::default() };
        self.stms(stms, &uses);
        for (((param, _), result), (kept, after)) in params.iter().zip(&mut results).zip(kept.iter().zip(after)) {
            if let (Some(kept), Some(after)) = (*kept, after) {
                let computed = self.elements(*result, after);
                let before = (after.start != kept.start)
                    .then(|| self.elements((*param).into(), Interval { start: kept.start, end: after.start }));
                let behind = (after.end != kept.end)
                    .then(|| self.elements((*param).into(), Interval { start: after.end, end: kept.end }));
                let all: Vec<Atom> = before.into_iter().chain([computed]).chain(behind).collect();
                *result = if all.len() == 1 { computed } else { self.builder.one(Op::Concat(all)) };
            }
        }
        let body = self.builder.close_body(results);
        Op::Loop(Box::new(Loop { policy, params, form, body }))
    }

    /// The elements that an array has now.
    fn kept(&self, array: Atom) -> Interval {
        let known = array.var().and_then(|var| self.kept.get(&var).copied());
        known.unwrap_or_else(|| Interval::new(0, self.known.length(array).expect("the length of what is cut is known")))
    }

    /// Notes which elements an array has now.
    fn keep(&mut self, var: Var, part: Interval) {
        if part != self.kept(var.into()) {
            self.kept.insert(var, part);
            self.changed = true;
        }
    }

    /// An array of these elements of an array.
    fn elements(&mut self, array: Atom, part: Interval) -> Atom {
        let kept = self.kept(array);
        if kept == part {
            return array;
        }
        let start = part.start.minus(kept.start, &mut self.builder);
        let count = part.end.minus(part.start, &mut self.builder);
        self.builder.one(Op::Slice(array, vec![Range { start, count, step: index(1) }]))
    }
}
