//! Which arrays are read in parts: an element, a row, a slice at a time, so that what is read may be far less than the array.
//!
//! Law: an array that is not read in parts is read, written or passed on as a whole by whoever mentions it, so that
//! work in proportion to its size is work that the program does itself. A choice may read nothing at all
//! (tests/transform/work.rs).

use crate::array::{Atom, Body, Op, Program, Stm, Var, atoms_in};

/// The variables of a program that are read in parts.
pub(super) struct Parts(Vec<bool>);

impl Parts {
    pub(super) fn of(program: &Program) -> Self {
        let mut parts = Parts(vec![false; program.types.len()]);
        parts.body(&program.function.body);
        parts
    }

    pub(super) fn contains(&self, var: Var) -> bool {
        self.0[var.0 as usize]
    }

    fn mark(&mut self, of: Atom) {
        if let Atom::Var(var) = of {
            self.0[var.0 as usize] = true;
        }
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
