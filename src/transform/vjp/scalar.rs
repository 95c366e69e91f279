//! The rule of scalar operations.
//!
//! Law: `x̄ᵢ += ȳ · ∂y/∂xᵢ`, with the partial derivatives of the tables ("Automatic Differentiation", the chain rule
//! read backwards) (tests/transform/rules.rs, laws: array_exact).

use super::Reverse;
use crate::array::{Atom, ScalarOp, Var};
use crate::transform::partials::partials;

impl Reverse<'_, '_> {
    pub(super) fn scalar(&mut self, var: Var, op: ScalarOp, operands: &[Atom]) {
        let Some(adjoint) = self.take(var) else { return };
        let factors = partials(self.target, op, &self.copier.operands(operands), |i| self.active.atom(operands[i]));
        for (operand, partial) in operands.iter().zip(factors) {
            if let Some(partial) = partial {
                let contribution = partial.pull(self.target, adjoint, self.copier.type_of(*operand).prim);
                self.add(*operand, contribution);
            }
        }
    }
}
