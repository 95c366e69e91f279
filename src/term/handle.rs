//! Terms as numbers: handles that add, multiply and take sines, and build nodes as they do.
//!
//! Law: building a term is evaluating it in the carrier of terms, so `eval` into `Term` with variables sent to
//! themselves is the identity, and sent elsewhere it is substitution ("Forwards and in reverse", *Symbolic
//! Representation*) (laws: fold::eval_substitutes).

use core::fmt;
use core::hash::Hash;
use core::ops::{Add, Mul};
use num_traits::{One, Zero};

use super::arena::{Arena, Id, Node};
use super::custom::ErasedRule;
use super::rewrite;
use super::signature::{Signature, Smooth, SmoothOperation};
use crate::primitives::{Elementary, Primitive, Rule};

/// A term over the variables `V`: a number with no meaning yet.
///
/// Terms are `Copy`. Constants need no arena until they meet a term that has one; terms of two arenas may meet, and
/// the second is then copied into the first's.
///
/// # Panics
/// The constants of the free semiring ([`Pure`](super::Pure)) are `u64`. A sum or product of two of them past 2⁶⁴ has
/// no arena in which it could stand as written, so `+` and `*` panic; where a term of an arena takes part, also as what
/// is [substituted in](Term::substitute), nothing is lost, as literals that do not fit stay terms of their own there.
pub struct Term<'a, V, P: Signature = Smooth>(Repr<'a, V, P>);

enum Repr<'a, V, P: Signature> {
    Literal(P::Literal),
    Node(&'a Arena<V, P>, Id),
}

impl<V, P: Signature> Copy for Term<'_, V, P> {}
impl<V, P: Signature> Clone for Term<'_, V, P> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<V, P: Signature> Copy for Repr<'_, V, P> {}
impl<V, P: Signature> Clone for Repr<'_, V, P> {
    fn clone(&self) -> Self {
        *self
    }
}

/// Where a term is in its arena, or the constant it is: a handle without a lifetime, for those who own the arena.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum TermId {
    /// A constant.
    Literal(f64),
    /// The node of this number.
    Node(u32),
}

impl<V: Clone + Eq + Hash> Term<'_, V> {
    /// Where the term is; [`Arena::term`] is the way back.
    #[must_use]
    pub fn to_id(&self) -> TermId {
        match self.0 {
            Repr::Literal(literal) => TermId::Literal(literal),
            Repr::Node(_, id) => TermId::Node(id),
        }
    }
}

impl<V: Clone + Eq + Hash> Arena<V> {
    /// The term of an identifier of this arena.
    ///
    /// # Panics
    /// If the identifier is of a larger arena.
    #[must_use]
    pub fn term(&self, id: TermId) -> Term<'_, V> {
        match id {
            TermId::Literal(literal) => Term(Repr::Literal(literal)),
            TermId::Node(node) => {
                assert!((node as usize) < self.len(), "an identifier is of the arena it is looked up in");
                Term(Repr::Node(self, node))
            }
        }
    }
}

impl<'a, V: Clone + Eq + Hash, P: Signature> Term<'a, V, P> {
    /// A constant.
    #[must_use]
    pub fn literal(literal: P::Literal) -> Self {
        Term(Repr::Literal(literal))
    }

    pub(super) fn node(arena: &'a Arena<V, P>, id: Id) -> Self {
        Term(Repr::Node(arena, id))
    }

    /// The constant this is, if it is one.
    #[must_use]
    pub fn as_literal(&self) -> Option<P::Literal> {
        match self.0 {
            Repr::Literal(literal) => Some(literal),
            Repr::Node(arena, id) => arena.literal_at(id),
        }
    }

    /// The variable this is, if it is one.
    #[must_use]
    pub fn as_variable(&self) -> Option<V> {
        let (arena, id) = self.place()?;
        if let Node::Variable(number) = arena.node_at(id) { Some(arena.variable_at(number)) } else { None }
    }

    /// The arena and number of the node, unless it is a constant without one.
    pub(crate) fn place(&self) -> Option<(&'a Arena<V, P>, Id)> {
        match self.0 {
            Repr::Literal(_) => None,
            Repr::Node(arena, id) => Some((arena, id)),
        }
    }

    /// The number of this term in `arena`, into which it is brought if it is not there.
    pub(super) fn id_in(&self, arena: &Arena<V, P>) -> Id {
        match self.0 {
            Repr::Literal(literal) => arena.intern(Node::Literal(P::bits(literal))),
            Repr::Node(own, id) if core::ptr::eq(own, arena) => id,
            Repr::Node(..) => super::fold::copy(*self, arena),
        }
    }

    /// Whether the two are the same term: structurally equal, and of one arena.
    #[must_use]
    pub fn same(&self, other: &Self) -> bool {
        match (self.0, other.0) {
            (Repr::Node(a, i), Repr::Node(b, j)) if core::ptr::eq(a, b) => i == j,
            _ => match (self.as_literal(), other.as_literal()) {
                (Some(a), Some(b)) => P::bits(a) == P::bits(b),
                _ => false,
            },
        }
    }

    fn binary(
        self,
        other: Self,
        literals: impl Fn(P::Literal, P::Literal) -> Option<P::Literal>,
        build: impl Fn(&'a Arena<V, P>, Self, Self) -> Self,
    ) -> Option<Self> {
        match (self.0, other.0) {
            (Repr::Node(arena, _), _) | (_, Repr::Node(arena, _)) => Some(build(arena, self, other)),
            (Repr::Literal(a), Repr::Literal(b)) => literals(a, b).map(Term::literal),
        }
    }

    /// The sum, if it has an arena or is a constant.
    pub(super) fn checked_add(self, other: Self) -> Option<Self> {
        self.binary(other, P::plus, Arena::plus)
    }

    /// The product, if it has an arena or is a constant.
    pub(super) fn checked_mul(self, other: Self) -> Option<Self> {
        self.binary(other, P::times, Arena::times)
    }
}

/// Why a sum or product of constants is one.
const FITS: &str = "a constant without an arena fits in 64 bits";

impl<V: Clone + Eq + Hash, P: Signature> Add for Term<'_, V, P> {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        self.checked_add(other).expect(FITS)
    }
}

impl<V: Clone + Eq + Hash, P: Signature> Mul for Term<'_, V, P> {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        self.checked_mul(other).expect(FITS)
    }
}

impl<V: Clone + Eq + Hash, P: Signature> Zero for Term<'_, V, P> {
    fn zero() -> Self {
        Term(Repr::Literal(P::natural(0).expect("0 is a literal")))
    }
    fn is_zero(&self) -> bool {
        self.as_literal().is_some_and(|literal| Some(literal) == P::natural(0))
    }
}

impl<V: Clone + Eq + Hash, P: Signature> One for Term<'_, V, P> {
    fn one() -> Self {
        Term(Repr::Literal(P::natural(1).expect("1 is a literal")))
    }
    fn is_one(&self) -> bool {
        self.as_literal().is_some_and(|literal| Some(literal) == P::natural(1))
    }
}

impl<V: Clone + Eq + Hash> Elementary for Term<'_, V> {
    fn constant(value: f64) -> Self {
        Term(Repr::Literal(value))
    }

    /// The constant, if it is one: a term with variables has no value.
    fn primal(&self) -> Option<f64> {
        self.as_literal()
    }

    fn apply<R: Rule<N>, const N: usize>(rule: &R, x: [Self; N]) -> Self {
        if let Some(row) = rule.primitive() {
            return Term::apply_primitive(row, &x);
        }
        let Some(arena) = arena_of(&x) else {
            return Term::constant(rule.value(x.map(constant_of)));
        };
        let operation = SmoothOperation::Custom(arena.rule(&ErasedRule::new(rule)));
        Term::node(arena, apply_in(arena, operation, &x.map(|x| x.id_in(arena))))
    }

    fn apply_primitive(row: Primitive, x: &[Self]) -> Self {
        let Some(arena) = arena_of(x) else {
            let mut values = [0.0; 3];
            values.iter_mut().zip(x).for_each(|(value, x)| *value = constant_of(*x));
            return Term::constant(row.apply(&values[..x.len()]));
        };
        rewrite::primitive(arena.laws(), row, x).unwrap_or_else(|| {
            let mut operands = [0; 3];
            operands.iter_mut().zip(x).for_each(|(operand, x)| *operand = x.id_in(arena));
            Term::node(arena, apply_in(arena, SmoothOperation::Primitive(row), &operands[..x.len()]))
        })
    }
}

fn arena_of<'a, V: Clone + Eq + Hash>(x: &[Term<'a, V>]) -> Option<&'a Arena<V>> {
    x.iter().find_map(Term::place).map(|(arena, _)| arena)
}

fn constant_of<V: Clone + Eq + Hash>(x: Term<'_, V>) -> f64 {
    x.as_literal().expect("a term without an arena is a constant")
}

/// The node of an operation on operands of the arena.
pub(super) fn apply_in<V: Clone + Eq + Hash, P: Signature>(
    arena: &Arena<V, P>,
    operation: P::Operation,
    operands: &[Id],
) -> Id {
    arena.intern(Node::apply(operation, operands, |many| arena.list(many)))
}

crate::operators!(['a, V: Clone + Eq + Hash] Term<'a, V>, []);

impl<V, P: Signature> fmt::Debug for Term<'_, V, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Repr::Literal(literal) => write!(f, "Term({literal:?})"),
            Repr::Node(_, id) => write!(f, "Term(#{id})"),
        }
    }
}
