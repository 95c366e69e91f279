//! Accumulators on ranks: what all ranks add alike goes to one that is the same on all, what each adds for its own elements to one of its
//! own; where the accumulator ends, the second are summed, and added to the first.
//!
//! Law: what is added is added once (tests/mpi/suite.rs).

use rustc_hash::FxHashMap;

use super::combine::{by_elements, zeros_like};
use super::placement::Placement;
use super::planner::{Planner, rename};
use super::rules::Why;
use crate::array::{Atom, Class, Map, Op, ScalarOp, Stm, Type, Var, Vars};

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
                let Some(Accumulators { whole, own, .. }) =
                    acc.var().and_then(|acc| self.accumulators.get(&acc).copied())
                else {
                    return Ok(false);
                };
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
            op if op.class() == Class::Accumulator => {
                let Op::Accumulate(acc, indices, value) = op else { return Ok(false) };
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
            let is_elsewhere =
                |var: &Var| self.builder.type_of(*var).accumulator && self.ready.get(var) != Some(&(level, at));
            let Some(var) = needs.into_iter().find(is_elsewhere) else { return stm };
            let of = self.builder.type_of(var);
            let [ended, begun] = [Type { accumulator: false, ..of }, of].map(|of| self.builder.fresh(of));
            let statement = |var: Var, op: Op| Stm { vars: Vars::from_slice(&[var]), op, span: stm.span };
            self.place(statement(ended, Op::FromAccumulator(var.into())));
            let at = self.step_from(at.max(self.ready[&ended].1));
            self.accumulators.insert(begun, Accumulators { array: ended.into(), whole: begun, own: None });
            self.add(at, vec![statement(begun, Op::ToAccumulator(ended.into()))]);
            rename(&mut stm.op, &FxHashMap::from_iter([(var, begun)]));
        }
    }
}
