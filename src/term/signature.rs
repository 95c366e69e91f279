//! Signatures: which operations terms have besides `+` and `×`, and which carriers can interpret them.
//!
//! Law: a carrier is a model of a signature when it gives every literal and every operation a meaning; every semiring
//! is a model of the empty signature, so the free semiring stays literally free ("Forwards and in reverse", *Minimal
//! Expression Language*; signatures and models as in universal algebra) (laws: fold::eval_is_a_homomorphism).

use core::convert::Infallible;
use core::fmt::Debug;
use core::hash::Hash;

use super::arena::Laws;
use super::custom::ErasedRule;
use super::{Term, rewrite};
use crate::algebra::{Semiring, natural};
use crate::primitives::{Elementary, Primitive};

/// The operations that terms may have besides `0 1 + ×`, and the literals they may hold.
///
/// There are two, [`Pure`] and [`Smooth`]. Operations of your own are [`Rule`](crate::primitives::Rule)s, which `Smooth`
/// takes in; the trait itself cannot be implemented outside this crate.
pub trait Signature: Sized + 'static {
    /// The constants: the free ones are the natural numbers.
    type Literal: Copy + PartialEq + Debug;
    /// The operations.
    type Operation: Copy + Eq + Hash + Debug;

    /// The natural numbers among the literals, if this one fits.
    fn natural(n: u64) -> Option<Self::Literal>;
    /// The sum of two literals, where it is a literal.
    fn plus(a: Self::Literal, b: Self::Literal) -> Option<Self::Literal>;
    /// The product of two literals, where it is a literal.
    fn times(a: Self::Literal, b: Self::Literal) -> Option<Self::Literal>;
    /// A literal as bits, equal exactly if the literals are the same.
    fn bits(literal: Self::Literal) -> u64;
    /// The literal of these bits.
    fn from_bits(bits: u64) -> Self::Literal;
    /// The literal as text.
    fn text(literal: Self::Literal) -> String;
    /// What a sum that may have negative operands simplifies to; nothing, where there is no negation.
    #[doc(hidden)]
    fn signed_sum<'a, V: Clone + Eq + Hash>(a: Term<'a, V, Self>, b: Term<'a, V, Self>) -> Option<Term<'a, V, Self>> {
        let _ = (a, b);
        None
    }
    /// What a product that may have negative or reciprocal factors simplifies to.
    #[doc(hidden)]
    fn signed_product<'a, V: Clone + Eq + Hash>(
        laws: Laws,
        a: Term<'a, V, Self>,
        b: Term<'a, V, Self>,
    ) -> Option<Term<'a, V, Self>> {
        let _ = (laws, a, b);
        None
    }
    /// The operation in another arena, which numbers users' rules in its own way.
    #[doc(hidden)]
    fn adopt(
        operation: Self::Operation,
        rules: &[ErasedRule],
        register: impl FnMut(&ErasedRule) -> u32,
    ) -> Self::Operation;
}

/// The empty signature: terms over it are the free semiring.
#[derive(Debug, Clone, Copy)]
pub struct Pure;

impl Signature for Pure {
    type Literal = u64;
    type Operation = Infallible;

    fn natural(n: u64) -> Option<u64> {
        Some(n)
    }
    fn plus(a: u64, b: u64) -> Option<u64> {
        a.checked_add(b)
    }
    fn times(a: u64, b: u64) -> Option<u64> {
        a.checked_mul(b)
    }
    fn bits(literal: u64) -> u64 {
        literal
    }
    fn from_bits(bits: u64) -> u64 {
        bits
    }
    fn text(literal: u64) -> String {
        literal.to_string()
    }
    fn adopt(operation: Infallible, _: &[ErasedRule], _: impl FnMut(&ErasedRule) -> u32) -> Infallible {
        operation
    }
}

/// The signature of smooth functions: real literals, the table of primitives, and users' own rules.
#[derive(Debug, Clone, Copy)]
pub struct Smooth;

/// An operation of [`Smooth`]: a row of the table, or a rule registered with the arena.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SmoothOperation {
    /// A row of the table of primitives.
    Primitive(Primitive),
    /// A user's rule, by its number in the arena.
    Custom(u32),
}

impl Signature for Smooth {
    type Literal = f64;
    type Operation = SmoothOperation;

    fn natural(n: u64) -> Option<f64> {
        Some(n as f64)
    }
    fn plus(a: f64, b: f64) -> Option<f64> {
        Some(a + b)
    }
    fn times(a: f64, b: f64) -> Option<f64> {
        Some(a * b)
    }
    fn bits(literal: f64) -> u64 {
        // A NaN of another sign or payload prints the same, and no carrier distinguishes it.
        if literal.is_nan() { f64::NAN.to_bits() } else { literal.to_bits() }
    }
    fn from_bits(bits: u64) -> f64 {
        f64::from_bits(bits)
    }
    fn text(literal: f64) -> String {
        format!("{literal}")
    }
    fn signed_sum<'a, V: Clone + Eq + Hash>(a: Term<'a, V>, b: Term<'a, V>) -> Option<Term<'a, V>> {
        rewrite::sum_of_signed(a, b)
    }
    fn signed_product<'a, V: Clone + Eq + Hash>(laws: Laws, a: Term<'a, V>, b: Term<'a, V>) -> Option<Term<'a, V>> {
        rewrite::product_of_signed(laws, a, b)
    }
    fn adopt(
        operation: SmoothOperation,
        rules: &[ErasedRule],
        mut register: impl FnMut(&ErasedRule) -> u32,
    ) -> SmoothOperation {
        match operation {
            SmoothOperation::Primitive(_) => operation,
            SmoothOperation::Custom(rule) => SmoothOperation::Custom(register(&rules[rule as usize])),
        }
    }
}

/// A carrier that can interpret terms over the signature `P`.
///
/// There is nothing to implement: every [`Semiring`] is a model of [`Pure`], every [`Elementary`] carrier one of
/// [`Smooth`].
#[diagnostic::on_unimplemented(
    message = "terms over `{P}` have no meaning in `{Self}`",
    note = "terms with primitives need an `Elementary` carrier, terms without (`Arena<V, Pure>`) any semiring"
)]
pub trait Model<P: Signature>: Semiring {
    /// The meaning of a literal.
    fn literal(literal: P::Literal) -> Self;
    /// The meaning of an operation; `custom` finds users' rules.
    #[doc(hidden)]
    fn operation(operation: P::Operation, custom: &[ErasedRule], x: &[Self]) -> Self;
}

impl<S: Semiring> Model<Pure> for S {
    fn literal(n: u64) -> S {
        natural(n)
    }

    fn operation(operation: Infallible, _: &[ErasedRule], _: &[S]) -> S {
        match operation {}
    }
}

/// The meaning of a literal in a carrier that has the elementary functions.
pub(crate) fn literal<C: Elementary>(literal: f64) -> C {
    // The units of the semiring may know more than a constant that happens to equal them; −0 is not the unit.
    if literal.to_bits() == 0 {
        C::zero()
    } else if literal == 1.0 {
        C::one()
    } else {
        C::constant(literal)
    }
}

impl<C: Elementary> Model<Smooth> for C {
    fn literal(literal: f64) -> C {
        self::literal(literal)
    }

    fn operation(operation: SmoothOperation, custom: &[ErasedRule], x: &[C]) -> C {
        match operation {
            SmoothOperation::Primitive(row) => row.apply(x),
            SmoothOperation::Custom(rule) => custom[rule as usize].apply(x),
        }
    }
}
