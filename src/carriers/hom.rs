//! Downward accumulation: the tangent as a function of the sensitivity, `S → M`.
//!
//! Law: `rep m = λs. m·s` and `abs h = h 1` are inverse on linear functions, and `rep` is a homomorphism of modules
//! ("Forwards and in reverse", *Step 1: downwards accumulation*; the Cayley representation of scalar multiplication)
//! (laws: refinement, tests/laws/instances.rs).

use std::rc::Rc;

use super::backpropagator::{Backpropagator, module_of_functions};
use crate::algebra::{Kronecker, Module, Semiring};

/// The tangent `S → M`: what a unit of sensitivity at this number means for the variables.
///
/// Scaling no longer touches a map; it composes with one multiplication. Sums still unite two maps, which
/// [`Cayley`](super::Cayley) goes on to remove.
///
/// ```
/// use catadiff::carriers::{Dual, Hom, Sparse};
/// type Number = Dual<f64, Hom<'static, f64, Sparse<&'static str, f64>>>;
/// let x = Number::variable(5.0, "x");
/// let y = x.clone() * (x.clone() + Number::lift(1.0)) * (x.clone() + x);
/// assert_eq!(y.tangent.abs().get(&"x"), Some(&170.0)); // the talk's Figure 1
/// ```
pub struct Hom<'a, S, M>(Backpropagator<dyn Fn(Option<S>) -> M + 'a, (S, M)>);

impl<'a, S: Semiring + 'a, M: Module<S> + 'a> Hom<'a, S, M> {
    /// The function `λs. m·s`.
    pub fn rep(m: M) -> Self {
        Hom::new(move |s: Option<S>| s.map_or_else(M::zero_tangent, |s| m.clone().scale(&s)))
    }

    /// The vector this function stands for: its value at 1.
    pub fn abs(&self) -> M {
        self.apply(S::one())
    }

    /// The function at a sensitivity.
    pub fn apply(&self, sensitivity: S) -> M {
        self.send(Some(sensitivity))
    }

    fn send(&self, sensitivity: Option<S>) -> M {
        self.0.call(|f| f(sensitivity)).unwrap_or_else(M::zero_tangent)
    }

    fn new(f: impl Fn(Option<S>) -> M + 'a) -> Self {
        Hom(Backpropagator::new(Rc::new(f)))
    }

    fn sum(self, other: Self) -> Self {
        Hom::new(move |s: Option<S>| self.send(s.clone()).plus(other.send(s)))
    }

    fn through(self, change: impl Fn(Option<S>) -> Option<Option<S>> + 'a) -> Self {
        Hom::new(move |s| change(s).map_or_else(M::zero_tangent, |s| self.send(s)))
    }
}

module_of_functions!([S: Semiring + 'a, M: Module<S> + 'a] Hom<S, M>);

impl<'a, V, S: Semiring + 'a, M: Kronecker<V, S> + 'a> Kronecker<V, S> for Hom<'a, S, M> {
    fn delta(variable: V) -> Self {
        Hom::rep(M::delta(variable))
    }
}
