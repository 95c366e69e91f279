//! Perfect nests: maps of which each but the last does nothing but the next one.
//!
//! Law: what a nest computes on its way to the innermost map is no more than what it costs to keep it, so that it may be computed
//! for every element of the nest (tests/gpu/distribute.rs).

use crate::array::{Atom, Body, Class, Map, Op, Stm};

impl Map {
    /// The map that is all that this one does for an element, but for what costs little.
    pub(crate) fn only(&self, costs_little: impl Fn(&Stm) -> bool) -> Option<&Map> {
        let Body { stms, results } = &self.function.body;
        let (Stm { vars, op: Op::Map(inner), .. }, before) = stms.split_last()? else { return None };
        let gives_all = results.len() == vars.len() && results.iter().zip(vars).all(|(a, v)| *a == Atom::Var(*v));
        let passed = self.function.params[self.arrays.len()..].iter().zip(&inner.accumulators);
        let as_many = inner.accumulators.len() == self.accumulators.len();
        let passes_all = as_many && passed.into_iter().all(|(p, a)| *a == Atom::Var(*p));
        (gives_all && passes_all && before.iter().all(costs_little)).then_some(&**inner)
    }
}

impl Op {
    /// Whether it is a few operations on scalars, or makes no elements that are not there; `is_scalar` tells of operands.
    pub(crate) fn costs_little(&self, is_scalar: impl Fn(Atom) -> bool) -> bool {
        match self {
            Op::Scalar(op, _) => op.is_cheap(),
            Op::Elements(_) => false,
            Op::If(_, yes, no) => {
                let is_cheap = |stm: &Stm| matches!(&stm.op, Op::Scalar(op, _) if op.is_cheap());
                let is_one = |body: &Body| body.stms.iter().all(is_cheap) && body.results.iter().all(|a| is_scalar(*a));
                is_one(yes) && is_one(no)
            }
            op => matches!(op.class(), Class::Scalar | Class::View | Class::Generator | Class::Check),
        }
    }
}
