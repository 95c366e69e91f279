//! Users' rules inside terms: a rule of any type, known to the arena by what it does.
//!
//! Law: a rule met in a term means in every carrier what it means when applied there directly: its value comes from the
//! rule, its partial derivatives are the rule's own, taken once as terms and folded into the carrier
//! (tests/scalar/terms.rs).

use core::fmt;
use std::sync::Arc;

use super::{Arena, Smooth, Term};
use crate::primitives::{Apply, Elementary, Facts, Identity, Rule, Scalar, Visitor, Work};

/// The most arguments a rule may have in a term.
pub(super) const MOST_ARGUMENTS: usize = 8;

/// A user's [`Rule`] without its type, as terms and array programs hold it.
#[derive(Clone)]
pub struct ErasedRule(Arc<dyn AnyRule>);

trait AnyRule: Send + Sync {
    fn name(&self) -> &'static str;
    fn arity(&self) -> usize;
    fn value(&self, x: &[f64]) -> f64;
    fn value_f32(&self, x: &[f32]) -> f32;
    fn facts(&self) -> Facts;
    /// The partial derivative at double precision, where `z` is the value.
    fn partial_at(&self, argument: usize, x: &[f64], z: f64) -> f64;
    /// The partial derivative in terms of the arguments, numbered from 0, and of the value, numbered `arity`.
    fn partial<'a>(&self, argument: usize, arena: &'a Arena<usize>) -> Term<'a, usize>;
    fn identity(&self) -> Option<Identity>;
}

struct Typed<R, const N: usize>(R);

// Functions of their own, so that they are compiled once and not for each rule.

fn array<T: Clone, const N: usize>(x: &[T]) -> [T; N] {
    core::array::from_fn(|i| x[i].clone())
}

fn variables<const N: usize>(arena: &Arena<usize>) -> [Term<'_, usize>; N] {
    core::array::from_fn(|i| arena.variable(i))
}

impl<R: Rule<N>, const N: usize> AnyRule for Typed<R, N> {
    fn name(&self) -> &'static str {
        self.0.name()
    }
    fn arity(&self) -> usize {
        N
    }
    fn value(&self, x: &[f64]) -> f64 {
        self.0.value(array(x))
    }
    fn value_f32(&self, x: &[f32]) -> f32 {
        self.0.value_f32(array(x))
    }
    fn facts(&self) -> Facts {
        self.0.facts()
    }
    fn partial_at(&self, argument: usize, x: &[f64], z: f64) -> f64 {
        self.0.partial(argument, array::<_, N>(x), z)
    }
    fn partial<'a>(&self, argument: usize, arena: &'a Arena<usize>) -> Term<'a, usize> {
        self.0.partial(argument, variables(arena), arena.variable(N))
    }
    fn identity(&self) -> Option<Identity> {
        self.0.identity()
    }
}

impl ErasedRule {
    pub(crate) fn new<R: Rule<N>, const N: usize>(rule: &R) -> Self {
        const { assert!(N <= MOST_ARGUMENTS, "a rule in a term has at most eight arguments") };
        ErasedRule(Arc::new(Typed(rule.clone())))
    }

    pub(crate) fn name(&self) -> &'static str {
        self.0.name()
    }

    pub(crate) fn arity(&self) -> usize {
        self.0.arity()
    }

    /// What the rule is the same as: rules of one identity, or if it has none, this very rule wherever it goes.
    pub(crate) fn identity(&self) -> Identity {
        self.0.identity().unwrap_or_else(|| Identity::shared::<Self, _>(&self.0, self.0.arity()))
    }

    /// Calls `visitor` with the rule as one of a type.
    pub(crate) fn visit<V: Visitor>(&self, visitor: V) -> V::Output {
        macro_rules! by_arity {
            ($($n:literal)+) => {
                match self.0.arity() {
                    $($n => visitor.visit(Untyped::<$n>(self.clone())),)+
                    _ => unreachable!("a rule in a term has at most eight arguments"),
                }
            };
        }
        by_arity!(0 1 2 3 4 5 6 7 8)
    }

    #[cfg(feature = "array")]
    pub(crate) fn facts(&self) -> Facts {
        self.0.facts()
    }

    /// The partial derivative by an argument, where `z` is the value, in any carrier.
    pub(crate) fn partial<S: Scalar>(&self, argument: usize, x: &[S], z: S) -> S {
        let mut numbers = [z; MOST_ARGUMENTS + 1];
        numbers[..x.len()].copy_from_slice(x);
        S::perform(Partial { of: self, argument }, &mut numbers[..=x.len()]);
        numbers[0]
    }

    pub(crate) fn apply<C: Elementary>(&self, x: &[C]) -> C {
        self.visit(Apply(x))
    }
}

/// An erased rule as a rule again.
#[derive(Clone)]
struct Untyped<const N: usize>(ErasedRule);

impl<const N: usize> Rule<N> for Untyped<N> {
    fn name(&self) -> &'static str {
        self.0.name()
    }
    fn value(&self, x: [f64; N]) -> f64 {
        self.0.0.value(&x)
    }
    fn value_f32(&self, x: [f32; N]) -> f32 {
        self.0.0.value_f32(&x)
    }
    fn partial<S: Scalar>(&self, argument: usize, x: [S; N], z: S) -> S {
        self.0.partial(argument, &x, z)
    }
    fn facts(&self) -> Facts {
        self.0.0.facts()
    }
    fn identity(&self) -> Option<Identity> {
        Some(self.0.identity())
    }
}

/// The partial derivative of a rule at its arguments, after which its value stands; it takes the place of the first.
struct Partial<'r> {
    of: &'r ErasedRule,
    argument: usize,
}

impl Work for Partial<'_> {
    type Output = ();
    fn on<S: Scalar>(self, numbers: &mut [S]) {
        let arena = Arena::<usize, Smooth>::exact();
        numbers[0] = self.of.0.partial(self.argument, &arena).eval(|&i| numbers[i]);
    }
    fn on_doubles(self, numbers: &mut [f64]) {
        if let Some((z, x)) = numbers.split_last() {
            numbers[0] = self.of.0.partial_at(self.argument, x, *z);
        }
    }
}

impl fmt::Debug for ErasedRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Rule({})", self.name())
    }
}
