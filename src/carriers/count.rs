//! Operation counts: what a program costs, measured by running it on numbers that keep count.
//!
//! Law: values are those of the numbers underneath; each operation counts once, where it is performed, so a value that
//! is used twice costs once. Put below another carrier it states the cost laws: a reverse derivative costs at most a
//! constant times its program ("Forwards and in reverse", the orders of growth from slide *Forward Mode* to slide *Step
//! 3: Mutation*) (tests/scalar/count.rs).

use core::cell::Cell;
use core::ops::{Add, Mul};
use num_traits::{One, Zero};

use crate::algebra::Semiring;
use crate::primitives::{Elementary, Primitive, Rule};

/// Where operations are counted: it belongs to the caller, and the numbers made from it refer to it.
///
/// ```
/// use catadiff::{Elementary, carriers::{Counter, Dual}};
/// let counter = Counter::new();
/// let x = counter.number(0.5);
/// let y = x * x + x.sin() * 2.0;
/// assert_eq!((counter.additions(), counter.multiplications(), counter.primitives()), (1, 2, 1));
/// assert_eq!(y.value, 0.25 + 2.0 * 0.5_f64.sin());
///
/// counter.reset(); // and the same with its derivative:
/// let x = Dual { value: x, tangent: counter.number(1.0) };
/// let _ = x * x + x.sin() * 2.0;
/// assert_eq!((counter.additions(), counter.multiplications(), counter.primitives()), (3, 6, 2));
/// ```
#[derive(Debug, Default)]
pub struct Counter {
    additions: Cell<u64>,
    multiplications: Cell<u64>,
    primitives: Cell<u64>,
}

impl Counter {
    /// A counter at 0.
    #[must_use]
    pub fn new() -> Self {
        Counter::default()
    }

    /// A number whose operations are counted here.
    #[must_use]
    pub fn number<S>(&self, value: S) -> Counted<'_, S> {
        Counted { value, counter: Some(self) }
    }

    /// How many `+` there were.
    #[must_use]
    pub fn additions(&self) -> u64 {
        self.additions.get()
    }

    /// How many `×` there were.
    #[must_use]
    pub fn multiplications(&self) -> u64 {
        self.multiplications.get()
    }

    /// How many rows and users' rules were applied; `−` and `/` are rows.
    #[must_use]
    pub fn primitives(&self) -> u64 {
        self.primitives.get()
    }

    /// How many operations of any kind there were.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.additions() + self.multiplications() + self.primitives()
    }

    /// Starts again from 0.
    pub fn reset(&self) {
        for kind in [&self.additions, &self.multiplications, &self.primitives] {
            kind.set(0);
        }
    }
}

/// A number that counts the operations performed on it.
///
/// `zero()`, `one()` and constants need no context and carry no counter; an operation counts when one of its
/// operands has a counter, and constants are folded for free. If there are two counters, the first operand's
/// counts. Numbers compare by value, uncounted.
#[derive(Debug, Clone, Copy)]
pub struct Counted<'c, S> {
    /// The number.
    pub value: S,
    counter: Option<&'c Counter>,
}

impl<'c, S> Counted<'c, S> {
    /// A result of operands with these counters, of which the first that is there counts one more of its kind.
    fn after(value: S, counter: Option<&'c Counter>, kind: impl FnOnce(&Counter) -> &Cell<u64>) -> Self {
        if let Some(cell) = counter.map(kind) {
            cell.set(cell.get() + 1);
        }
        Counted { value, counter }
    }
}

impl<S: Add<Output = S>> Add for Counted<'_, S> {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Counted::after(self.value + other.value, self.counter.or(other.counter), |c| &c.additions)
    }
}

impl<S: Mul<Output = S>> Mul for Counted<'_, S> {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        Counted::after(self.value * other.value, self.counter.or(other.counter), |c| &c.multiplications)
    }
}

impl<S: Semiring> Zero for Counted<'_, S> {
    fn zero() -> Self {
        Counted { value: S::zero(), counter: None }
    }
    fn is_zero(&self) -> bool {
        self.value.is_zero()
    }
}

impl<S: Semiring> One for Counted<'_, S> {
    fn one() -> Self {
        Counted { value: S::one(), counter: None }
    }
}

crate::operators!(['c, S: Elementary] Counted<'c, S>, []);

impl<S: Elementary> Elementary for Counted<'_, S> {
    fn constant(value: f64) -> Self {
        Counted { value: S::constant(value), counter: None }
    }

    fn primal(&self) -> Option<f64> {
        self.value.primal()
    }

    fn apply<R: Rule<N>, const N: usize>(rule: &R, x: [Self; N]) -> Self {
        let counter = x.iter().find_map(|x| x.counter);
        if matches!(rule.primitive(), Some(Primitive::Half | Primitive::Single)) {
            // The rounding of an operation that has been counted.
            return Counted { value: S::apply(rule, x.map(|x| x.value)), counter };
        }
        Counted::after(S::apply(rule, x.map(|x| x.value)), counter, |c| &c.primitives)
    }
}

crate::primitives::compared_by!(['c, S] Counted<'c, S>: S, value);
