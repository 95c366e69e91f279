//! The laws of arithmetic that a lawful arena applies while a term is built.
//!
//! Law: both sides of a rewrite mean the same in floats, to the last bit; but for those marked `loose`, which change
//! the sign of a zero, round a quotient once where it was rounded twice, or take zeros to be strong, and which an exact
//! arena does not apply. The right side is never larger, and each looks at a bounded number of nodes, so building stays
//! linear. A rewrite is one line of a match here. Constants across a product are not among them: `c·(d·x)` is another
//! float than `(c·d)·x`, and may be infinite where that is 1 (tests/scalar/terms.rs).

use core::hash::Hash;

use super::Term;
use super::arena::{Laws, Node};
use super::signature::{Signature, SmoothOperation};
use crate::primitives::{Elementary, Primitive};

/// What a sum simplifies to, if it does.
pub(super) fn plus<'a, V: Clone + Eq + Hash, P: Signature>(
    laws: Laws,
    a: Term<'a, V, P>,
    b: Term<'a, V, P>,
) -> Option<Term<'a, V, P>> {
    if laws == Laws::None {
        return None;
    }
    let loose = laws == Laws::All;
    match (a.as_literal(), b.as_literal()) {
        (Some(a), Some(b)) => P::plus(a, b).map(Term::literal),
        // −0 + 0 is 0.
        (Some(zero), None) if loose && is(zero, P::natural(0)) => Some(b),
        (None, Some(zero)) if loose && is(zero, P::natural(0)) => Some(a),
        _ => P::signed_sum(a, b),
    }
}

/// What a product simplifies to, if it does.
pub(super) fn times<'a, V: Clone + Eq + Hash, P: Signature>(
    laws: Laws,
    a: Term<'a, V, P>,
    b: Term<'a, V, P>,
) -> Option<Term<'a, V, P>> {
    if laws == Laws::None {
        return None;
    }
    let loose = laws == Laws::All;
    match (a.as_literal(), b.as_literal()) {
        (Some(a), Some(b)) => P::times(a, b).map(Term::literal),
        (Some(zero), None) | (None, Some(zero)) if loose && is(zero, P::natural(0)) => Some(Term::literal(zero)),
        (Some(one), None) if is(one, P::natural(1)) => Some(b),
        (None, Some(one)) if is(one, P::natural(1)) => Some(a),
        // Constants stand on the left.
        (None, Some(_)) => Some(b * a),
        _ => P::signed_product(laws, a, b),
    }
}

fn is<L: PartialEq>(literal: L, natural: Option<L>) -> bool {
    natural.is_some_and(|natural| natural == literal)
}

/// The operand of a negation, and of no other term.
fn negated<'a, V: Clone + Eq + Hash>(x: Term<'a, V>) -> Option<Term<'a, V>> {
    operands(x, Primitive::Neg).map(|[x, _]| x)
}

/// The operands of a term that applies this row to at most two.
fn operands<'a, V: Clone + Eq + Hash>(x: Term<'a, V>, row: Primitive) -> Option<[Term<'a, V>; 2]> {
    let (arena, id) = x.place()?;
    match arena.node_at(id) {
        Node::Apply(SmoothOperation::Primitive(found), _, [a, b, _]) if found == row => {
            Some([Term::node(arena, a), Term::node(arena, b)])
        }
        _ => None,
    }
}

/// `x + (−y) = x − y`, `(−x) + y = y − x`.
pub(super) fn sum_of_signed<'a, V: Clone + Eq + Hash>(a: Term<'a, V>, b: Term<'a, V>) -> Option<Term<'a, V>> {
    match (negated(a), negated(b)) {
        (_, Some(b)) => Some(a - b),
        (Some(a), None) => Some(b - a),
        (None, None) => None,
    }
}

/// `(−x)·y = x·(−y) = −(x·y)`, `(−1)·x = −x`, and loosely `x·(1/y) = x/y`.
pub(super) fn product_of_signed<'a, V: Clone + Eq + Hash>(
    laws: Laws,
    a: Term<'a, V>,
    b: Term<'a, V>,
) -> Option<Term<'a, V>> {
    match (negated(a), negated(b)) {
        (Some(a), Some(b)) => return Some(a * b),
        (Some(a), None) => return Some(-(a * b)),
        (None, Some(b)) => return Some(-(a * b)),
        (None, None) => {}
    }
    if a.as_literal() == Some(-1.0) {
        return Some(-b);
    }
    if laws != Laws::All {
        return None;
    }
    match (operands(a, Primitive::Recip), operands(b, Primitive::Recip)) {
        (None, Some([y, _])) => Some(a / y),
        (Some([y, _]), None) => Some(b / y),
        _ => None,
    }
}

/// What the application of a row simplifies to, if it does.
pub(super) fn primitive<'a, V: Clone + Eq + Hash>(
    laws: Laws,
    row: Primitive,
    x: &[Term<'a, V>],
) -> Option<Term<'a, V>> {
    if laws == Laws::None {
        return None;
    }
    let loose = laws == Laws::All;
    let literal = |i: usize| x[i].as_literal();
    if (0..x.len()).all(|i| literal(i).is_some()) {
        let literals: Vec<f64> = (0..x.len()).filter_map(literal).collect();
        let folded = row.apply(&literals);
        // NaN and ∞ stay where they arise, for the reader of the term to see.
        return folded.is_finite().then(|| Term::constant(folded));
    }
    match row {
        Primitive::Neg => negated(x[0]).or_else(|| {
            // −(a − a) is −0.
            let [a, b] = operands(x[0], Primitive::Sub).filter(|_| loose)?;
            Some(b - a)
        }),
        Primitive::Sub if literal(1).is_some_and(|c| c == 0.0 && (loose || c.is_sign_positive())) => Some(x[0]),
        Primitive::Sub if literal(0).is_some_and(|c| c == 0.0 && (loose || c.is_sign_negative())) => Some(-x[1]),
        Primitive::Sub => negated(x[1]).map(|y| x[0] + y),
        Primitive::Div if literal(1) == Some(1.0) => Some(x[0]),
        Primitive::Div if loose && literal(0) == Some(0.0) => Some(x[0]),
        Primitive::Div if literal(0) == Some(1.0) => Some(x[1].recip()),
        Primitive::Div => negated(x[0]).map(|a| -(a / x[1])),
        Primitive::Powi(0) => Some(Term::constant(1.0)),
        Primitive::Powi(1) => Some(x[0]),
        Primitive::Select => match literal(0) {
            // A condition that is tiny may be 0 at single precision.
            Some(condition) if loose && condition != 0.0 => Some(x[1]),
            Some(_) if loose => Some(x[2]),
            _ => x[1].same(&x[2]).then_some(x[1]),
        },
        _ => None,
    }
}
