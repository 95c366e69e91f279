//! The rule of scalar operations.
//!
//! Law: `x̄ᵢ += ȳ · ∂y/∂xᵢ`, with the partial derivatives of the tables ("Automatic Differentiation", the chain rule
//! read backwards) (tests/transform/rules.rs, laws: array_exact).

use super::adjoints::Adjoints;
use crate::array::{Atom, Foreign, ScalarOp, Var};
use crate::transform::check::DIFFERENTIABLE;
use crate::transform::copy::Copier;
use crate::transform::partials::{ByOperand, of_rule, partials};

pub(super) fn scalar(adjoints: &mut Adjoints<'_>, copier: &Copier<'_, '_>, var: Var, op: ScalarOp, operands: &[Atom]) {
    let Some(adjoint) = adjoints.take(copier, var) else { return };
    let factors = partials(copier.target, op, &copier.operands(operands), |i| adjoints.active.atom(operands[i]));
    pulled(adjoints, copier, adjoint, operands, factors);
}

/// A user's rule.
pub(super) fn foreign(adjoints: &mut Adjoints<'_>, copier: &Copier<'_, '_>, var: Var, it: &Foreign) {
    let Some(adjoint) = adjoints.take(copier, var) else { return };
    let rule = it.function.as_rule().expect(DIFFERENTIABLE);
    let (x, z) = (copier.atoms(&it.arguments), copier.atom(var.into()));
    let factors = of_rule(copier.target, rule, &x, z, |i| adjoints.active.atom(it.arguments[i]));
    pulled(adjoints, copier, adjoint, &it.arguments, factors);
}

fn pulled(
    adjoints: &mut Adjoints<'_>,
    copier: &Copier<'_, '_>,
    adjoint: Atom,
    operands: &[Atom],
    factors: ByOperand<Atom>,
) {
    for (operand, partial) in operands.iter().zip(factors) {
        if let Some(contribution) = partial.and_then(|partial| partial.pull(copier.target, adjoint)) {
            adjoints.add(copier, *operand, contribution);
        }
    }
}
