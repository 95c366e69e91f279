//! The rule of functions with a derivative of their own: it is used.
//!
//! Law: arguments receive what the given pullback says; variables from outside the function receive nothing.

use super::Reverse;
use crate::array::{Atom, Custom, Var};

impl Reverse<'_, '_> {
    pub(super) fn custom(&mut self, vars: &[Var], it: &Custom) {
        let mut operands = self.copier.atoms(&it.arguments);
        for var in vars {
            let adjoint: Atom = self.take_or_zero(*var);
            operands.push(adjoint);
        }
        for (param, operand) in it.pullback.params.iter().zip(operands) {
            self.copier.set(*param, operand);
        }
        self.copier.stms(&it.pullback.body.stms);
        for (argument, adjoint) in it.arguments.iter().zip(&it.pullback.body.results) {
            self.add(*argument, self.copier.atom(*adjoint));
        }
    }
}
