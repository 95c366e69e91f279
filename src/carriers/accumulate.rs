//! Mutable accumulation: the tangent as a function that adds itself to an array, `S → &mut [S] → ()`.
//!
//! Law: `rep` takes a function that adds to a vector of coefficients, `abs` runs it on zeros; the array belongs to the
//! caller, so nothing global is mutated ("Forwards and in reverse", *Step 3: mutation*) (laws: refinement,
//! tests/laws/instances.rs).

use std::rc::Rc;

use super::backpropagator::{Backpropagator, module_of_functions};
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

    fn sum(self, other: Self) -> Self {
        Accumulate::new(move |s: Option<S>, gradient: &mut [S]| {
            self.send(s.clone(), gradient);
            other.send(s, gradient);
        })
    }

    fn through(self, change: impl Fn(Option<S>) -> Option<Option<S>> + 'a) -> Self {
        Accumulate::new(move |s, gradient: &mut [S]| {
            if let Some(s) = change(s) {
                self.send(s, gradient);
            }
        })
    }
}

module_of_functions!([S: Semiring + 'a] Accumulate<S>);

impl<'a, S: Semiring + 'a> Kronecker<usize, S> for Accumulate<'a, S> {
    fn delta(variable: usize) -> Self {
        Accumulate::new(move |s, gradient: &mut [S]| {
            if let (Some(sum), Some(s)) = (gradient.get_mut(variable), s) {
                *sum = sum.clone() + s;
            }
        })
    }
}
