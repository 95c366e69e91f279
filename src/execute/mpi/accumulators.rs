//! Accumulators on ranks: what all ranks add alike goes to one that is the same on all, what each adds for its own elements to one of its
//! own; where the accumulator ends, the second are summed, and added to the first.
//!
//! Law: what is added is added once (tests/mpi/suite.rs).

use rustc_hash::FxHashMap;

use super::combine::{by_elements, zeros_like};
use super::placement::Placement;
use super::planner::{Planner, rename};
use super::rules::Why;
use crate::array::{Atom, Class, Map, Op, ScalarOp, Stm, Type, Var, Vars, free};
use crate::error::Span;

/// An accumulator: what all ranks add to alike, and what each rank adds to by itself.
#[derive(Debug, Clone, Copy)]
pub(super) struct Accumulators {
    pub(super) array: Atom,
    pub(super) whole: Var,
    pub(super) own: Option<Var>,
}

impl Planner {
    /// Statements that make, change and end accumulators; whether this is one of them.
    pub(super) fn accumulates(&mut self, stm: &Stm, at: usize) -> Result<bool, Why> {
        match &stm.op {
            Op::ToAccumulator(array) => {
                if let Placement::Split(..) = self.placement(*array) {
                    return Err(Why::Gather(array.var(), "an array that is split is added to"));
                }
                self.accumulators.insert(stm.vars[0], Accumulators { array: *array, whole: stm.vars[0], own: None });
                self.add(at, vec![stm.clone()]);
                Ok(true)
            }
            Op::FromAccumulator(acc) => {
                let Accumulators { whole, own, .. } =
                    self.accumulators[&acc.var().expect("an accumulator is a variable")];
                let Some(own) = own else {
                    self.add(at, vec![Stm { op: Op::FromAccumulator(whole.into()), ..stm.clone() }]);
                    return Ok(true);
                };
                let [found, term] =
                    self.write(at, |it| [whole, own].map(|acc| it.builder.emit(Op::FromAccumulator(acc.into()))[0]));
                self.sum(at, stm.vars[0], term, ScalarOp::Add, |builder, sum| {
                    by_elements(builder, [found.into(), sum], ScalarOp::Add)
                });
                Ok(true)
            }
            Op::Map(map) if !map.accumulators.is_empty() => self.map_that_adds(stm, map, at).map(|()| true),
            Op::Accumulate(acc, indices, value) => {
                if let Placement::Split(..) = self.placement(*value) {
                    return Err(Why::Gather(value.var(), "a row that is split is added to an accumulator"));
                }
                let of = self.accumulators[&acc.var().expect("an accumulator is a variable")];
                let op = Op::Accumulate(of.whole.into(), indices.clone(), *value);
                self.accumulators.insert(stm.vars[0], Accumulators { whole: stm.vars[0], ..of });
                self.add(at, vec![Stm { op, ..stm.clone() }]);
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    /// Whether accumulators go through an operation in a way of its own: not one after the other, as in those above.
    pub(super) fn hides_accumulators(&self, op: &Op) -> bool {
        let is_plain = match op {
            Op::Map(map) => !map.accumulators.is_empty(),
            op => op.class() == Class::Accumulator,
        };
        !is_plain && free(op).into_iter().any(|var| self.builder.type_of(var).accumulator)
    }

    /// A map that adds to accumulators: where it is split, each rank adds to its own.
    pub(super) fn map_that_adds(&mut self, stm: &Stm, map: &Map, at: usize) -> Result<(), Why> {
        self.builder.open_body();
        let split = self.split_operands(map.arrays.iter().copied(), &[&map.function]);
        let mut body = self.builder.close_body(Vec::new());
        let split = split?;
        let values = stm.vars.len() - map.accumulators.len();
        let accs: Vec<Var> = map.accumulators.iter().filter_map(|a| a.var()).collect();
        let mut made: Vec<Accumulators> = accs.iter().map(|acc| self.accumulators[acc]).collect();
        let mut vars = stm.vars.clone();
        let (arrays, accumulators): (Vec<Atom>, Vec<Atom>) = match &split {
            None => {
                self.whole(free(&stm.op).into_iter().map(Atom::Var))?;
                for (acc, var) in made.iter_mut().zip(&stm.vars[values..]) {
                    acc.whole = *var;
                }
                let whole = accs.iter().map(|acc| self.accumulators[acc].whole.into()).collect();
                (map.arrays.clone(), whole)
            }
            Some((_, arrays)) => {
                let mut own = Vec::new();
                for (k, acc) in made.iter_mut().enumerate() {
                    let before = match acc.own {
                        Some(own) => own,
                        None => self.write(at, |it| {
                            let zeros = zeros_like(&mut it.builder, acc.array);
                            it.builder.emit(Op::ToAccumulator(zeros))[0]
                        }),
                    };
                    own.push(before.into());
                    let after = self.builder.fresh(self.builder.type_of(before));
                    vars[values + k] = after;
                    acc.own = Some(after);
                }
                (arrays.clone(), own)
            }
        };
        let op = Op::Map(Box::new(Map { arrays, accumulators, function: map.function.clone() }));
        body.stms.push(Stm { vars, op, span: stm.span });
        self.add(at, body.stms);
        let level = self.plans.len() - 1;
        for (k, var) in stm.vars.iter().enumerate() {
            self.ready.insert(*var, (level, at));
            if k >= values {
                self.accumulators.insert(*var, made[k - values]);
            } else if let Some((axis, _)) = split {
                self.places.insert(*var, Placement::Split(0, axis));
            }
        }
        Ok(())
    }

    /// The statement with accumulators that live in the step in which it is going to be: those of an earlier one are ended there, and
    /// begun again here.
    pub(super) fn carried(&mut self, mut stm: Stm) -> Stm {
        let level = self.plans.len() - 1;
        loop {
            let needs = self.needs(&stm.op);
            let at = self.step_with(needs.iter().copied());
            // An operation that hides accumulators takes them as they are named.
            let hides = self.hides_accumulators(&stm.op);
            let is_named = |var: &Var| self.accumulators[var].own.is_none() && self.accumulators[var].whole == *var;
            let is_elsewhere = |var: &Var| self.ready.get(var) != Some(&(level, at)) || hides && !is_named(var);
            let mut accumulators = needs.into_iter().filter(|var| self.builder.type_of(*var).accumulator);
            let Some(var) = accumulators.find(is_elsewhere) else { return stm };
            let of = self.builder.type_of(var);
            let [ended, begun] = [Type { accumulator: false, ..of }, of].map(|of| self.builder.fresh(of));
            self.place(one(ended, Op::FromAccumulator(var.into()), stm.span));
            let at = self.step_from(at.max(self.ready[&ended].1));
            self.begin(at, begun, ended, stm.span);
            rename(&mut stm.op, &FxHashMap::from_iter([(var, begun)]));
        }
    }

    /// Begins an accumulator at an array, in a step.
    fn begin(&mut self, at: usize, accumulator: Var, array: Var, span: Span) {
        let array = array.into();
        self.accumulators.insert(accumulator, Accumulators { array, whole: accumulator, own: None });
        self.add(at, vec![one(accumulator, Op::ToAccumulator(array), span)]);
    }

    /// Adds a statement whose operands are whole as it is. The accumulators that it gives are ended and begun again, so that it is known
    /// what they are of.
    pub(super) fn whole_statement(&mut self, stm: &Stm) {
        let mut stm = self.carried(stm.clone());
        let at = self.step_with(self.needs(&stm.op));
        let mut given = Vec::new();
        for var in &mut stm.vars {
            self.set(*var, Placement::Whole);
            let of = self.builder.type_of(*var);
            if of.accumulator {
                let fresh = self.builder.fresh(of);
                given.push((core::mem::replace(var, fresh), fresh));
            }
        }
        let span = stm.span;
        self.add(at, vec![stm]);
        for (accumulator, found) in given {
            let array = self.builder.fresh(Type { accumulator: false, ..self.builder.type_of(found) });
            self.add(at, vec![one(array, Op::FromAccumulator(found.into()), span)]);
            self.begin(at, accumulator, array, span);
        }
    }
}

/// A statement of one result.
fn one(var: Var, op: Op, span: Span) -> Stm {
    Stm { vars: Vars::from_slice(&[var]), op, span }
}
