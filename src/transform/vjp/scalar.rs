//! The rule of scalar operations.
//!
//! Law: `x̄ᵢ += ȳ · ∂y/∂xᵢ`, with the partial derivatives of the tables ("Automatic Differentiation", the chain rule
//! read backwards) (tests/transform/rules.rs, laws: array_exact).

use super::adjoints::Adjoints;
use crate::array::{Atom, ScalarOp, Var};
use crate::transform::copy::Copier;
use crate::transform::partials::partials;

pub(super) fn scalar(adjoints: &mut Adjoints<'_>, copier: &Copier<'_, '_>, var: Var, op: ScalarOp, operands: &[Atom]) {
    let Some(adjoint) = adjoints.take(copier, var) else { return };
    let factors = partials(copier.target, op, &copier.operands(operands), |i| adjoints.active.atom(operands[i]));
    for (operand, partial) in operands.iter().zip(factors) {
        if let Some(contribution) = partial.and_then(|partial| partial.pull(copier.target, adjoint)) {
            adjoints.add(copier, *operand, contribution);
        }
    }
}
