//! A number that writes a program: the rules of calculus are run on it, and what they compute is written down.
//!
//! Law: the table of primitives holds every partial derivative, [`Dual`](crate::carriers::Dual) the product rule and
//! the chain rule; a transformation runs them on this carrier and so has no rule of its own (laws: array_derivatives,
//! laws: array_exact).

use core::fmt;
use core::ops::{Add, Mul};
use num_traits::{One, Zero};

use super::target::Target;
use crate::array::{Atom, Foreign, ForeignFunction, Op, Prim, ScalarOp, constant};
use crate::primitives::{Elementary, Primitive, Rule, ZeroRule};
use crate::term::ErasedRule;

/// A constant that fits any kind of scalar, or an operand of the program that is being written.
#[derive(Clone, Copy)]
pub(super) enum Emit<'t> {
    /// A constant.
    Known(f64),
    /// A scalar of the program.
    At(&'t Target, Atom),
}

impl<'t> Emit<'t> {
    /// An operand; a constant of a small integer is known, so that arithmetic with it can be omitted.
    pub(super) fn operand(target: &'t Target, atom: Atom) -> Self {
        match atom {
            Atom::Const(c) if c == c.prim().zero() => Emit::Known(0.0),
            Atom::Const(c) if c == c.prim().one() => Emit::Known(1.0),
            Atom::Const(c) => c.real().map_or(Emit::At(target, atom), Emit::Known),
            Atom::Var(_) => Emit::At(target, atom),
        }
    }

    /// The operand, of this kind.
    pub(super) fn atom(self, prim: Prim) -> Atom {
        match self {
            Emit::Known(value) => constant(prim, value),
            Emit::At(_, atom) => atom,
        }
    }

    /// A derivative multiplied by a partial derivative of an operation with this rule for zeros: where a partial may be
    /// infinite a derivative of 0 stays 0, and where it is a switch its 0 discards the derivative, as in
    /// [`Dual`](crate::carriers::Dual).
    pub(super) fn scaled(self, partial: Self, zero_rule: ZeroRule) -> Self {
        match (self, partial) {
            (x, y) if x.is_zero() || y.is_zero() && zero_rule == ZeroRule::ZeroPartialWins => Emit::zero(),
            (Emit::At(target, x), y) if y.is_zero() && target.type_of(x).prim.is_real() => match zero_rule {
                ZeroRule::Ieee => Emit::write(ScalarOp::Mul, &[self, y]),
                ZeroRule::ZeroTangentWins | ZeroRule::ZeroPartialWins => Emit::write(ScalarOp::Scale, &[self, y]),
            },
            (Emit::At(target, x), Emit::At(_, y)) => match zero_rule {
                ZeroRule::Ieee => self * partial,
                ZeroRule::ZeroTangentWins => Emit::At(target, target.scalar(ScalarOp::Scale, &[x, y])),
                ZeroRule::ZeroPartialWins => Emit::At(target, target.scalar(ScalarOp::Scale, &[y, x])),
            },
            (x, y) => x * y,
        }
    }

    fn is(self, value: f64) -> bool {
        matches!(self, Emit::Known(known) if known == value)
    }

    /// Where an operation on these is written, and the kind that they are of.
    fn written_in(operands: &[Self]) -> (&'t Target, Prim) {
        let place = |x: &Self| match x {
            Emit::At(target, atom) => Some((*target, target.type_of(*atom).prim)),
            Emit::Known(_) => None,
        };
        operands.iter().find_map(place).expect("an operation is written for an operand of the program")
    }

    fn write(op: ScalarOp, operands: &[Self]) -> Self {
        let (target, prim) = Emit::written_in(operands);
        let mut atoms = [Atom::Const(prim.zero()); 3];
        atoms.iter_mut().zip(operands).for_each(|(place, x)| *place = x.atom(prim));
        Emit::At(target, target.scalar(op, &atoms[..operands.len()]))
    }
}

impl fmt::Debug for Emit<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Emit::Known(value) => write!(f, "{value}"),
            Emit::At(_, atom) => write!(f, "{atom:?}"),
        }
    }
}

impl Add for Emit<'_> {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        match (self, other) {
            (Emit::Known(x), Emit::Known(y)) => Emit::Known(x + y),
            (x, y) if x.is_zero() => y,
            (x, y) if y.is_zero() => x,
            (x, y) => Emit::write(ScalarOp::Add, &[x, y]),
        }
    }
}

impl Mul for Emit<'_> {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        match (self, other) {
            (x, y) if x.is_zero() || y.is_zero() => Emit::zero(),
            (Emit::Known(x), Emit::Known(y)) => Emit::Known(x * y),
            (x, y) if x.is(1.0) => y,
            (x, y) if y.is(1.0) => x,
            (x @ Emit::At(target, atom), y) if y.is(-1.0) && target.type_of(atom).prim.is_real() => -x,
            (x, y @ Emit::At(target, atom)) if x.is(-1.0) && target.type_of(atom).prim.is_real() => -y,
            (x, y) => Emit::write(ScalarOp::Mul, &[x, y]),
        }
    }
}

impl Zero for Emit<'_> {
    fn zero() -> Self {
        Emit::Known(0.0)
    }
    fn is_zero(&self) -> bool {
        self.is(0.0)
    }
}

impl One for Emit<'_> {
    fn one() -> Self {
        Emit::Known(1.0)
    }
}

impl Elementary for Emit<'_> {
    fn constant(value: f64) -> Self {
        Emit::Known(value)
    }

    fn primal(&self) -> Option<f64> {
        match self {
            Emit::Known(value) => Some(*value),
            Emit::At(..) => None,
        }
    }

    fn apply<R: Rule<N>, const N: usize>(rule: &R, x: [Self; N]) -> Self {
        if let Some(row) = rule.primitive() {
            return Emit::apply_primitive(row, &x);
        }
        let known: Vec<f64> = x.iter().filter_map(Elementary::primal).collect();
        if let Ok(known) = <[f64; N]>::try_from(known) {
            return Emit::Known(rule.value(known));
        }
        let (target, prim) = Emit::written_in(&x);
        let function = ForeignFunction::rule(ErasedRule::new(rule));
        let (arguments, like) = (x.iter().map(|x| x.atom(prim)).collect(), vec![prim.zero().into()]);
        Emit::At(target, target.one(Op::Foreign(Box::new(Foreign { function, arguments, like }))))
    }

    fn apply_primitive(row: Primitive, x: &[Self]) -> Self {
        let known: Vec<f64> = x.iter().filter_map(Elementary::primal).collect();
        if known.len() == x.len() {
            return Emit::Known(row.apply(&known));
        }
        match (row, x) {
            (Primitive::Sub, [x, y]) if y.is_zero() => *x,
            (Primitive::Sub, [x, y]) if x.is_zero() => -*y,
            (Primitive::Div, [x, y]) if y.is(1.0) => *x,
            (Primitive::Select, [Emit::Known(c), x, y]) => *if *c == 0.0 { y } else { x },
            _ => Emit::write(ScalarOp::Row(row), x),
        }
    }
}

crate::operators!(['t] Emit<'t>, []);
