//! Written by hand for this bench: a dual number, a dual number of several lanes, an adjoint.

use std::array::from_fn;
use std::ops::{Add, Div, Mul, Neg, Sub};

use super::{Forward, Kind, Reverse};
use crate::scalar::Scalar;
use crate::workloads::Objective;

/// A value and its tangent.
#[derive(Clone, Copy, Debug)]
pub struct HandDual {
    v: f64,
    d: f64,
}

/// A value and `N` tangents.
#[derive(Clone, Copy, Debug)]
pub struct HandVec<const N: usize> {
    v: f64,
    d: [f64; N],
}

impl HandDual {
    /// The chain rule: value `v`, partial derivative `slope`.
    #[inline]
    fn chain(self, v: f64, slope: f64) -> Self {
        HandDual { v, d: slope * self.d }
    }
}

impl<const N: usize> HandVec<N> {
    /// The chain rule: value `v`, partial derivative `slope`.
    #[inline]
    fn chain(self, v: f64, slope: f64) -> Self {
        HandVec { v, d: from_fn(|k| slope * self.d[k]) }
    }

    /// The chain rule in two variables.
    #[inline]
    fn chain2(self, other: Self, v: f64, slopes: [f64; 2]) -> Self {
        HandVec { v, d: from_fn(|k| slopes[0] * self.d[k] + slopes[1] * other.d[k]) }
    }
}

macro_rules! binary {
    ($Op:ident $op:ident, |$a:ident, $b:ident| $one:expr, $many:expr) => {
        impl $Op for HandDual {
            type Output = Self;
            #[inline]
            fn $op(self, $b: Self) -> Self {
                let $a = self;
                $one
            }
        }
        impl<const N: usize> $Op for HandVec<N> {
            type Output = Self;
            #[inline]
            fn $op(self, $b: Self) -> Self {
                let $a = self;
                $many
            }
        }
    };
}
binary!(Add add, |a, b| HandDual { v: a.v + b.v, d: a.d + b.d },
    HandVec { v: a.v + b.v, d: from_fn(|k| a.d[k] + b.d[k]) });
binary!(Sub sub, |a, b| HandDual { v: a.v - b.v, d: a.d - b.d },
    HandVec { v: a.v - b.v, d: from_fn(|k| a.d[k] - b.d[k]) });
binary!(Mul mul, |a, b| HandDual { v: a.v * b.v, d: a.d * b.v + a.v * b.d },
    a.chain2(b, a.v * b.v, [b.v, a.v]));
// One division, so that quotients by the same number share a reciprocal, and no detour through the
// value, so that the tangent waits for nothing; the value may be an ulp off the primal's.
binary!(Div div, |a, b| {
    let inverse = 1.0 / b.v;
    let v = a.v * inverse;
    HandDual { v, d: (a.d * b.v - b.d * a.v) * inverse * inverse }
}, {
    let inverse = 1.0 / b.v;
    let v = a.v * inverse;
    a.chain2(b, v, [inverse, -v * inverse])
});

impl Neg for HandDual {
    type Output = Self;
    #[inline]
    fn neg(self) -> Self {
        HandDual { v: -self.v, d: -self.d }
    }
}

impl<const N: usize> Neg for HandVec<N> {
    type Output = Self;
    #[inline]
    fn neg(self) -> Self {
        HandVec { v: -self.v, d: from_fn(|k| -self.d[k]) }
    }
}

macro_rules! scalar_by_chain {
    () => {
        #[inline]
        fn value(self) -> f64 {
            self.v
        }
        #[inline]
        fn plus(self, c: f64) -> Self {
            Self { v: self.v + c, ..self }
        }
        #[inline]
        fn minus(self, c: f64) -> Self {
            Self { v: self.v - c, ..self }
        }
        #[inline]
        fn taken_from(self, c: f64) -> Self {
            Self { v: c - self.v, ..-self }
        }
        #[inline]
        fn times(self, c: f64) -> Self {
            self.chain(self.v * c, c)
        }
        #[inline]
        fn exp(self) -> Self {
            let v = self.v.exp();
            self.chain(v, v)
        }
        #[inline]
        fn ln(self) -> Self {
            self.chain(self.v.ln(), 1.0 / self.v)
        }
        #[inline]
        fn sqrt(self) -> Self {
            let v = self.v.sqrt();
            self.chain(v, 0.5 / v)
        }
        #[inline]
        fn powi(self, n: i32) -> Self {
            let below = self.v.powi(n - 1);
            self.chain(self.v * below, f64::from(n) * below)
        }
    };
}

impl Scalar for HandDual {
    scalar_by_chain!();
}

impl<const N: usize> Scalar for HandVec<N> {
    scalar_by_chain!();
}

impl Forward for HandDual {
    const NAME: &'static str = "hand-written dual";
    const KIND: Kind = Kind::Hand;
    const LANES: usize = 1;
    #[inline]
    fn constant(value: f64) -> Self {
        HandDual { v: value, d: 0.0 }
    }
    #[inline]
    fn seed(value: f64, _: usize, by: f64) -> Self {
        HandDual { v: value, d: by }
    }
    #[inline]
    fn tangent(&self, _: usize) -> f64 {
        self.d
    }
}

impl<const N: usize> Forward for HandVec<N> {
    const NAME: &'static str = "hand-written dual, lanes";
    const KIND: Kind = Kind::Hand;
    const LANES: usize = N;
    #[inline]
    fn constant(value: f64) -> Self {
        HandVec { v: value, d: [0.0; N] }
    }
    #[inline]
    fn seed(value: f64, lane: usize, by: f64) -> Self {
        HandVec { v: value, d: from_fn(|k| if k == lane { by } else { 0.0 }) }
    }
    #[inline]
    fn tangent(&self, lane: usize) -> f64 {
        self.d[lane]
    }
}

/// The gradient a person would write for this one objective.
#[derive(Debug)]
pub struct HandAdjoint;

impl Reverse for HandAdjoint {
    const NAME: &'static str = "hand-written adjoint";
    const KIND: Kind = Kind::Hand;

    fn prepare<O: Objective>(_: &O, _: &[f64]) -> Result<Self, String> {
        Ok(HandAdjoint)
    }

    fn gradient<O: Objective>(&mut self, f: &O, x: &[f64], into: &mut Vec<f64>) {
        f.adjoint(x, into);
    }
}
