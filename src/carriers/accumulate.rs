//! Mutable accumulation: the tangent as a function that adds itself to an array, `S → &mut [S] → ()`.
//!
//! Law: `rep` takes a function that adds to a vector of coefficients, `abs` runs it on zeros; the array belongs to the
//! caller, so nothing global is mutated ("Forwards and in reverse", *Step 3: mutation*) (laws: refinement,
//! tests/laws/instances.rs).

use core::fmt;
use std::rc::Rc;

use super::backpropagator::{Arrivals, Backpropagator};
use crate::algebra::{Kronecker, Module, Semiring};

/// The tangent `S → &mut [S] → ()`, for variables numbered from 0.
///
/// ```
/// use catadiff::carriers::{Accumulate, Dual};
/// type Number = Dual<f64, Accumulate<'static, f64>>;
/// let x = Number::variable(5.0, 0);
/// let y = x.clone() * (x.clone() + Number::lift(1.0)) * (x.clone() + x);
/// assert_eq!(y.tangent.abs(1), [170.0]);
/// ```
pub struct Accumulate<'a, S>(Backpropagator<Adder<'a, S>, S>);

/// A function that adds its tangent, times a sensitivity, to an array.
type Adder<'a, S> = dyn Fn(Option<S>, &mut [S]) + 'a;

impl<'a, S: Semiring + 'a> Accumulate<'a, S> {
    /// The function that adds `s` times a fixed vector of coefficients.
    pub fn rep(coefficients: Vec<S>) -> Self {
        Accumulate::new(move |s: Option<S>, gradient: &mut [S]| {
            let Some(s) = s else { return };
            for (sum, coefficient) in gradient.iter_mut().zip(&coefficients) {
                *sum = sum.clone() + coefficient.clone().scale(&s);
            }
        })
    }

    /// The vector of `variables` coefficients this function stands for.
    pub fn abs(&self, variables: usize) -> Vec<S> {
        let mut gradient = vec![S::zero(); variables];
        self.apply(S::one(), &mut gradient);
        gradient
    }

    /// Adds the tangent, times a sensitivity, to the caller's array. Variables beyond its end are ignored.
    pub fn apply(&self, sensitivity: S, gradient: &mut [S]) {
        self.send(Some(sensitivity), gradient);
    }

    fn send(&self, sensitivity: Option<S>, gradient: &mut [S]) {
        let _ = self.0.call(|f| f(sensitivity, gradient));
    }

    fn new(f: impl Fn(Option<S>, &mut [S]) + 'a) -> Self {
        Accumulate(Backpropagator::new(Rc::new(f)))
    }
}

impl<'a, S: Semiring + 'a> Module<S> for Accumulate<'a, S> {
    fn zero_tangent() -> Self {
        Accumulate(Backpropagator::ZERO)
    }

    fn is_zero_tangent(&self) -> bool {
        self.0.is_zero()
    }

    fn plus(self, other: Self) -> Self {
        match (self.is_zero_tangent(), other.is_zero_tangent()) {
            (true, _) => other,
            (_, true) => self,
            _ => Accumulate::new(move |s: Option<S>, gradient: &mut [S]| {
                self.send(s.clone(), gradient);
                other.send(s, gradient);
            }),
        }
    }

    fn scale(self, by: &S) -> Self {
        if self.is_zero_tangent() {
            return self;
        }
        let by = by.clone();
        Accumulate::new(move |s: Option<S>, gradient: &mut [S]| self.send(s.map(|s| s * by.clone()), gradient))
    }

    fn into_zero(self) -> Self {
        if self.is_zero_tangent() {
            self
        } else {
            Accumulate::new(move |_, gradient: &mut [S]| self.send(None, gradient))
        }
    }

    fn share(self, uses: usize) -> Self {
        if uses < 2 || self.is_zero_tangent() {
            return self;
        }
        let arrivals = Arrivals::expect(uses);
        Accumulate::new(move |s, gradient: &mut [S]| {
            if let Some(sum) = arrivals.arrive(s) {
                self.send(sum, gradient);
            }
        })
    }
}

impl<'a, S: Semiring + 'a> Kronecker<usize, S> for Accumulate<'a, S> {
    fn delta(variable: usize) -> Self {
        Accumulate::new(move |s, gradient: &mut [S]| {
            if let (Some(sum), Some(s)) = (gradient.get_mut(variable), s) {
                *sum = sum.clone() + s;
            }
        })
    }
}

impl<S> Clone for Accumulate<'_, S> {
    fn clone(&self) -> Self {
        Accumulate(self.0.clone())
    }
}

/// Opaque: a function cannot be seen, but by applying it.
impl<S> fmt::Debug for Accumulate<'_, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Accumulate").field(&self.0).finish()
    }
}
