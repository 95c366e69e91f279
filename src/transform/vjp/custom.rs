//! The rule of functions with a derivative of their own: it is used.
//!
//! The pullback is given the results as well, which are there in the scope of the reverse sweep: what took long to compute is not
//! computed again. They are results of the function, so derivatives of the pullback go on through the same rule.
//!
//! Law: arguments receive what the given pullback says, in their own sizes or not at all; variables from outside the
//! function receive nothing (tests/transform/rules.rs).

use super::adjoints::Adjoints;
use crate::array::{Agreement, Atom, Custom, Var};
use crate::transform::copy::Copier;
use crate::transform::operator::applied;

pub(super) fn custom(adjoints: &mut Adjoints<'_>, copier: &mut Copier<'_, '_>, vars: &[Var], it: &Custom) {
    let mut known = copier.atoms(&it.arguments);
    known.extend(vars.iter().map(|var| copier.atom((*var).into())));
    let seeds: Vec<Atom> = vars.iter().map(|var| adjoints.take_or_zero(copier, *var)).collect();
    let found = applied(copier, &it.pullback, &known, &seeds);
    for (argument, adjoint) in it.arguments.iter().zip(found) {
        copier.target.agree(Agreement::Adjoint, adjoint, copier.atom(*argument));
        adjoints.add(copier, *argument, adjoint);
    }
}
