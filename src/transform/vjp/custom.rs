//! The rule of functions with a derivative of their own: it is used.
//!
//! Law: arguments receive what the given pullback says, in their own sizes or not at all; variables from outside the
//! function receive nothing (tests/transform/rules.rs).

use super::Reverse;
use crate::array::{Agreement, Atom, Custom, Var};

impl Reverse<'_, '_> {
    pub(super) fn custom(&mut self, vars: &[Var], it: &Custom) {
        let mut operands = self.copier.atoms(&it.arguments);
        for var in vars {
            let adjoint: Atom = self.adjoints.take_or_zero(&self.copier, *var);
            operands.push(adjoint);
        }
        for (param, operand) in it.pullback.params.iter().zip(operands) {
            self.copier.set(*param, operand);
        }
        self.copier.stms(&it.pullback.body.stms);
        for (argument, adjoint) in it.arguments.iter().zip(&it.pullback.body.results) {
            let adjoint = self.copier.atom(*adjoint);
            self.target.agree(Agreement::Adjoint, adjoint, self.copier.atom(*argument));
            self.adjoints.add(&self.copier, *argument, adjoint);
        }
    }
}
