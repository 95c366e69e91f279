//! Unions become upserts: the tangent as a function that adds itself to a map, `S → M → M`.
//!
//! Law: `rep h = λs m. m + h s` and `abs c = λs. c s 0` are inverse, and addition of tangents becomes composition of
//! functions ("Forwards and in reverse", *Step 2: unions to upserts*; Cayley's theorem for the monoid of sums)
//! (laws: refinement, tests/laws/instances.rs).

use std::rc::Rc;

use super::backpropagator::{Backpropagator, module_of_functions};
use crate::algebra::{Kronecker, Module, Semiring};

/// The tangent `S → M → M`.
///
/// Each use of a variable inserts one entry into the map that is passed along, at `O(log v)` for an ordered map;
/// nothing is united.
///
/// ```
/// use catadiff::carriers::{Cayley, Dual, Sparse};
/// type Number = Dual<f64, Cayley<'static, f64, Sparse<&'static str, f64>>>;
/// let x = Number::variable(5.0, "x");
/// let y = x.clone() * (x.clone() + Number::lift(1.0)) * (x.clone() + x);
/// assert_eq!(y.tangent.abs().get(&"x"), Some(&170.0));
/// ```
pub struct Cayley<'a, S, M>(Backpropagator<Adder<'a, S, M>, (S, M)>);

/// A function that adds its tangent, times a sensitivity, to a vector.
type Adder<'a, S, M> = dyn Fn(Option<S>, M) -> M + 'a;

impl<'a, S: Semiring + 'a, M: Module<S> + 'a> Cayley<'a, S, M> {
    /// The function `λs m. m + h s`.
    pub fn rep(h: impl Fn(S) -> M + 'a) -> Self {
        Cayley::new(move |s, m: M| match s {
            Some(s) => m.plus(h(s)),
            None => m,
        })
    }

    /// The vector this function stands for: what it adds to nothing, for a sensitivity of 1.
    pub fn abs(&self) -> M {
        self.apply(S::one(), M::zero_tangent())
    }

    /// Adds the tangent, times a sensitivity, to a vector.
    pub fn apply(&self, sensitivity: S, vector: M) -> M {
        self.send(Some(sensitivity), vector)
    }

    fn send(&self, sensitivity: Option<S>, vector: M) -> M {
        // `vector` goes in by an option so that the zero function can give it back.
        let mut passed = Some(vector);
        self.0
            .call(|f| passed.take().map(|m| f(sensitivity, m)))
            .flatten()
            .or(passed)
            .expect("a vector goes in and out")
    }

    fn new(f: impl Fn(Option<S>, M) -> M + 'a) -> Self {
        Cayley(Backpropagator::new(Rc::new(f)))
    }

    fn sum(self, other: Self) -> Self {
        Cayley::new(move |s: Option<S>, m| other.send(s.clone(), self.send(s, m)))
    }

    fn through(self, change: impl Fn(Option<S>) -> Option<Option<S>> + 'a) -> Self {
        Cayley::new(move |s, m| match change(s) {
            Some(s) => self.send(s, m),
            None => m,
        })
    }
}

module_of_functions!([S: Semiring + 'a, M: Module<S> + 'a] Cayley<S, M>);

impl<'a, V: Clone + 'a, S: Semiring + 'a, M: Kronecker<V, S> + 'a> Kronecker<V, S> for Cayley<'a, S, M> {
    fn delta(variable: V) -> Self {
        Cayley::rep(move |s: S| M::delta(variable.clone()).scale(&s))
    }
}
