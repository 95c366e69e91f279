//! What reverse mode knows of a program before its sweeps: sizes, which arrays are read in parts, and which arrays of indices
//! have none twice.
//!
//! Law: an array that is not read in parts is read, written or passed on as a whole by whoever mentions it, so that work in
//! proportion to its size is work that the program does itself; a choice may read nothing at all. The elements of an array that
//! is said to be without an index twice differ in every run: it counts, or it is a part of one that counts, perhaps with the
//! same number added to all (tests/transform/rules.rs, tests/transform/work.rs).

use rustc_hash::FxHashSet;

use crate::array::{Atom, Body, IntegerRow, Map, Op, Program, ScalarOp, SizeTable, Stm, Var, atoms_in, deeper};

/// What is known of a program.
pub(super) struct Known {
    pub(super) sizes: SizeTable,
    /// Which arrays are read in parts: an element, a row, a slice at a time, so that what is read may be far less than the array.
    pub(super) parts: Parts,
    /// Which arrays of indices have none twice.
    pub(super) distinct: Distinct,
}

impl Known {
    pub(super) fn of(program: &Program) -> Self {
        Known { sizes: program.sizes(), parts: Parts::of(program), distinct: Distinct::of(program) }
    }
}

/// The variables of a program that are read in parts.
pub(super) struct Parts(Vec<bool>);

impl Parts {
    fn of(program: &Program) -> Self {
        let mut parts = Parts(vec![false; program.types.len()]);
        parts.body(&program.function.body);
        parts
    }

    pub(super) fn contains(&self, var: Var) -> bool {
        self.0[var.0 as usize]
    }

    fn mark(&mut self, of: Atom) {
        of.var().into_iter().for_each(|var| self.0[var.0 as usize] = true);
    }

    /// From the last statement to the first: who reads a variable comes after it.
    fn body(&mut self, body: &Body) {
        body.stms.iter().rev().for_each(|stm| self.statement(stm));
    }

    fn statement(&mut self, stm: &Stm) {
        stm.op.bodies().for_each(|body| self.body(body));
        match &stm.op {
            Op::Index(a, _) | Op::Slice(a, _) => self.mark(*a),
            // The same array in another order is read as that is.
            Op::Copy(a) | Op::Permute(a, _) | Op::Reverse(a) if self.contains(stm.vars[0]) => self.mark(*a),
            Op::Map(map) => {
                for (param, array) in map.function.params.iter().zip(&map.arrays) {
                    if self.contains(*param) {
                        self.mark(*array);
                    }
                }
            }
            Op::If(_, yes, no) => [yes, no].into_iter().for_each(|body| atoms_in(body, &mut |a| self.mark(a))),
            _ => {}
        }
    }
}

/// The arrays without an index twice.
pub(super) struct Distinct(FxHashSet<Var>);

impl Distinct {
    fn of(program: &Program) -> Self {
        let mut found = Distinct(FxHashSet::default());
        found.body(&program.function.body);
        found
    }

    pub(super) fn contains(&self, array: Atom) -> bool {
        array.var().is_some_and(|var| self.0.contains(&var))
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
                let goes_on = |step: Atom| step.as_int().is_some_and(|step| step != 0);
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
