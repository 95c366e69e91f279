//! Arrays of indices in which no index is twice, as far as a program says it.
//!
//! Law: the elements of an array that this analysis reports differ in every run: it counts, or it is a part of one that
//! counts, perhaps with the same number added to all (tests/transform/rules.rs, tests/transform/work.rs).

use rustc_hash::FxHashSet;

use crate::array::{Atom, Body, Const, IntegerRow, Map, Op, Program, ScalarOp, Stm, Var, deeper};

/// The arrays without an index twice.
pub(super) struct Distinct(FxHashSet<Var>);

impl Distinct {
    pub(super) fn of(program: &Program) -> Self {
        let mut found = Distinct(FxHashSet::default());
        found.body(&program.function.body);
        found
    }

    pub(super) fn contains(&self, array: Atom) -> bool {
        matches!(array, Atom::Var(var) if self.0.contains(&var))
    }

    fn body(&mut self, body: &Body) {
        deeper(|| body.stms.iter().for_each(|stm| self.statement(stm)));
    }

    fn statement(&mut self, stm: &Stm) {
        stm.op.bodies().for_each(|body| self.body(body));
        let is_distinct = match &stm.op {
            Op::Iota(_) => true,
            Op::Copy(a) | Op::Reverse(a) => self.contains(*a),
            Op::Slice(a, ranges) => {
                let goes_on = |step: Atom| matches!(step, Atom::Const(Const::I64(step)) if step != 0);
                self.contains(*a) && ranges.first().is_none_or(|range| goes_on(range.step))
            }
            Op::Map(map) => {
                let shifted = (0..map.function.body.results.len()).filter(|k| self.is_shifted(map, *k));
                let vars: Vec<Var> = shifted.map(|k| stm.vars[k]).collect();
                self.0.extend(vars);
                return;
            }
            _ => false,
        };
        if is_distinct {
            self.0.insert(stm.vars[0]);
        }
    }

    /// Whether the elements of a map are those of such an array with the same number added, or each taken from it.
    fn is_shifted(&self, map: &Map, k: usize) -> bool {
        let body = &map.function.body;
        let own = |a: &Atom| {
            body.stms.iter().flat_map(|stm| &stm.vars).chain(&map.function.params).any(|v| *a == (*v).into())
        };
        let element = |a: &Atom| {
            let rows = map.function.params.iter().zip(&map.arrays);
            rows.into_iter().any(|(param, array)| *a == (*param).into() && self.contains(*array))
        };
        let result = body.results[k];
        let made = body.stms.iter().find(|stm| stm.vars.iter().any(|v| result == (*v).into()));
        match made.map(|stm| &stm.op) {
            None => element(&result),
            Some(Op::Scalar(ScalarOp::Add | ScalarOp::Integer(IntegerRow::Sub), operands)) => {
                let [a, b] = operands[..] else { return false };
                element(&a) && !own(&b) || element(&b) && !own(&a)
            }
            Some(_) => false,
        }
    }
}
