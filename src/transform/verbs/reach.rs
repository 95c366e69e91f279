//! The carrier of patterns: a number that is known, or the set of variables that one which is not depends on.
//!
//! Law: what is known is computed as `f64` is, and what is not is [`Support`], the semiring of sets; a decision on what
//! is not known is an error, so a run that ends took the only branches there are, and its sets hold for all values
//! (tests/array/verbs.rs).

use core::ops::{Add, Mul};
use num_traits::{One, Zero};

use crate::carriers::Support;
use crate::interpret::{Compare, Test};
use crate::primitives::{Elementary, Primitive, Rule};

/// A number of a program some of whose parameters are variables.
#[derive(Debug, Clone)]
pub(super) enum Reach {
    /// A number that depends on no variable, not even in its decisions.
    Known(f64),
    /// A number that may have any value.
    Depends(Support),
}

impl Reach {
    pub(super) fn variable(variable: usize) -> Self {
        Reach::Depends(Support::variable(variable))
    }

    /// The variables that derivatives can be nonzero by.
    pub(super) fn support(self) -> Support {
        match self {
            Reach::Known(x) => Support::constant(x),
            Reach::Depends(support) => support,
        }
    }
}

impl Add for Reach {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        match (self, other) {
            (Reach::Known(x), Reach::Known(y)) => Reach::Known(x + y),
            (x, y) => Reach::Depends(x.support() + y.support()),
        }
    }
}

impl Mul for Reach {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        match (self, other) {
            (Reach::Known(x), Reach::Known(y)) => Reach::Known(x * y),
            (x, y) => Reach::Depends(x.support() * y.support()),
        }
    }
}

impl Zero for Reach {
    fn zero() -> Self {
        Reach::Known(0.0)
    }
    fn is_zero(&self) -> bool {
        match self {
            Reach::Known(x) => *x == 0.0,
            Reach::Depends(support) => support.is_zero(),
        }
    }
}

impl One for Reach {
    fn one() -> Self {
        Reach::Known(1.0)
    }
}

crate::operators!([] Reach, []);

impl Elementary for Reach {
    fn constant(value: f64) -> Self {
        Reach::Known(value)
    }

    fn primal(&self) -> Option<f64> {
        match self {
            Reach::Known(x) => Some(*x),
            Reach::Depends(_) => None,
        }
    }

    fn apply<R: Rule<N>, const N: usize>(rule: &R, x: [Self; N]) -> Self {
        let row = rule.primitive().expect("the rows of array programs are rows of the table");
        Reach::apply_primitive(row, &x)
    }

    fn apply_primitive(row: Primitive, x: &[Self]) -> Self {
        let known: Vec<f64> = x.iter().filter_map(Elementary::primal).collect();
        if known.len() == x.len() {
            return Reach::Known(row.apply(&known));
        }
        let supports: Vec<Support> = x.iter().cloned().map(Reach::support).collect();
        Reach::Depends(Support::apply_primitive(row, &supports))
    }
}

impl Compare for Reach {
    fn compare(&self, other: &Self, test: Test) -> Option<bool> {
        self.primal()?.compare(&other.primal()?, test)
    }
}
