//! Unions become upserts: the tangent as a function that adds itself to a map, `S → M → M`.
//!
//! Law: `rep h = λs m. m + h s` and `abs c = λs. c s 0` are inverse, and addition of tangents becomes composition of
//! functions ("Forwards and in reverse", *Step 2: unions to upserts*; Cayley's theorem for the monoid of sums)
//! (laws: refinement, tests/laws/instances.rs).

use core::fmt;
use std::rc::Rc;

use super::backpropagator::{Arrivals, Backpropagator};
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
}

impl<'a, S: Semiring + 'a, M: Module<S> + 'a> Module<S> for Cayley<'a, S, M> {
    fn zero_tangent() -> Self {
        Cayley(Backpropagator::ZERO)
    }

    fn is_zero_tangent(&self) -> bool {
        self.0.is_zero()
    }

    fn plus(self, other: Self) -> Self {
        match (self.is_zero_tangent(), other.is_zero_tangent()) {
            (true, _) => other,
            (_, true) => self,
            _ => Cayley::new(move |s: Option<S>, m| other.send(s.clone(), self.send(s, m))),
        }
    }

    fn scale(self, by: &S) -> Self {
        if self.is_zero_tangent() {
            return self;
        }
        let by = by.clone();
        Cayley::new(move |s: Option<S>, m| self.send(s.map(|s| s * by.clone()), m))
    }

    fn into_zero(self) -> Self {
        if self.is_zero_tangent() { self } else { Cayley::new(move |_, m| self.send(None, m)) }
    }

    fn share(self, uses: usize) -> Self {
        if uses < 2 || self.is_zero_tangent() {
            return self;
        }
        let arrivals = Arrivals::expect(uses);
        Cayley::new(move |s, m| match arrivals.arrive(s) {
            Some(sum) => self.send(sum, m),
            None => m,
        })
    }
}

impl<'a, V: Clone + 'a, S: Semiring + 'a, M: Kronecker<V, S> + 'a> Kronecker<V, S> for Cayley<'a, S, M> {
    fn delta(variable: V) -> Self {
        Cayley::rep(move |s: S| M::delta(variable.clone()).scale(&s))
    }
}

impl<S, M> Clone for Cayley<'_, S, M> {
    fn clone(&self) -> Self {
        Cayley(self.0.clone())
    }
}

/// Opaque: a function cannot be seen, but by applying it.
impl<S, M> fmt::Debug for Cayley<'_, S, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Cayley").field(&self.0).finish()
    }
}
