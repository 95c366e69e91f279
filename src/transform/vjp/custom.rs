//! The rule of functions with a derivative of their own: it is used.
//!
//! Law: arguments receive what the given pullback says, in their own sizes or not at all; variables from outside the
//! function receive nothing (tests/transform/rules.rs).

use super::Reverse;
use crate::array::{Agreement, Atom, Custom, Var};
use crate::transform::operator::applied;

impl Reverse<'_, '_> {
    pub(super) fn custom(&mut self, vars: &[Var], it: &Custom) {
        let arguments = self.copier.atoms(&it.arguments);
        let adjoints: Vec<Atom> = vars.iter().map(|var| self.adjoints.take_or_zero(&self.copier, *var)).collect();
        let found = applied(&mut self.copier, &it.pullback, &arguments, &adjoints);
        for (argument, adjoint) in it.arguments.iter().zip(found) {
            self.target.agree(Agreement::Adjoint, adjoint, self.copier.atom(*argument));
            self.adjoints.add(&self.copier, *argument, adjoint);
        }
    }
}
