//! The kinds of integer that array programs do not have: kept in 64 bits, and within their kind after every operation.
//!
//! Law: an operation on integers of a kind is the operation of the row, wrapped into the kind; wrapping has the derivative 1.
//! A `u64` is kept by its bits, so what depends on its sign is written out, with the derivative of the row; where its value is
//! below 2⁶³ it is the row itself.

use super::operand::{Operand, known_truth, stored};
use super::site::Site;
use crate::array::{Atom, Body, Const, IntegerRow, Op, Prim, ScalarOp, index};
use crate::futhark::core::Prim as Kind;
use crate::futhark::meaning::{Operation, Outcome};
use crate::futhark::source::Span;

/// Whether integers of a kind are kept in more bits than they have.
fn is_narrow(kind: Kind) -> bool {
    kind.is_integer() && kind.bits() < 64 && kind != Kind::I32
}

impl Site {
    /// A scalar operation on operands of one kind.
    pub(super) fn operate(&self, at: Span, operation: Operation, kind: Kind, operands: &[Operand]) -> Outcome<Operand> {
        let atoms: Vec<Atom> = operands.iter().map(|operand| operand.atom).collect();
        let atom = match operation {
            Operation::Scalar(op) if kind == Kind::U64 => self.unsigned(at, op, &atoms)?,
            Operation::Scalar(op @ ScalarOp::Integer(IntegerRow::Signum | IntegerRow::Abs)) if !kind.is_signed() => {
                self.unsigned(at, op, &atoms)?
            }
            Operation::Scalar(op) => {
                let value = self.raw(at, op, &atoms)?;
                if is_narrow(kind) && leaves_kind(op) { self.wrapped(at, value, kind)? } else { value }
            }
            Operation::Bits(bits) => self.on_bits(at, bits, kind, &atoms)?,
        };
        Ok(Operand::scalar(atom, operation.result(kind)))
    }

    /// A 64-bit integer wrapped into a kind. The remainder of a division has the derivative 1, as wrapping has.
    pub(super) fn wrapped(&self, at: Span, value: Atom, kind: Kind) -> Outcome<Atom> {
        if !is_narrow(kind) {
            return Ok(value);
        }
        let (count, half) = (1_i64 << kind.bits(), index(1_i64 << (kind.bits() - 1)));
        if kind.is_signed() {
            let moved = self.add(at, value, half)?;
            let moved = self.integer(at, IntegerRow::Mod, &[moved, index(count)])?;
            return self.sub(at, moved, half);
        }
        self.integer(at, IntegerRow::Mod, &[value, index(count)])
    }

    /// Derivatives are wrapped where they become values.
    pub(super) fn wrapped_array(&self, at: Span, value: Operand) -> Outcome<Operand> {
        if !is_narrow(value.of.kind) {
            return Ok(value);
        }
        if value.of.shape.is_empty() {
            let atom = self.wrapped(at, value.atom, value.of.kind)?;
            return Ok(Operand { atom, of: value.of });
        }
        let function = self.traced(at, vec![value.of.inner(1)], &mut |element| {
            element.into_iter().map(|element| self.wrapped_array(at, element)).collect()
        })?;
        let atom = self.mapped(at, function, vec![value.atom])?.first().copied();
        Ok(Operand { atom: atom.unwrap_or(value.atom), of: value.of })
    }

    /// The scalar in another kind.
    pub(super) fn converted(&self, at: Span, from: Kind, to: Kind, x: Atom) -> Outcome<Atom> {
        if from.is_real() && to.is_integer() {
            return self.rounded(at, to, x);
        }
        if from == Kind::U64 && to.is_real() {
            return self.real_of_unsigned(at, to, x);
        }
        if from.is_signed() && to.is_integer() && !to.is_signed() && from.bits() < to.bits() {
            // The bits it has, and zeros before them; derivatives keep their sign.
            let wide = self.cast(at, x, Prim::I64)?;
            return self.integer(at, IntegerRow::Mod, &[wide, index(1_i64 << from.bits())]);
        }
        if is_narrow(to) {
            let wide = self.cast(at, x, Prim::I64)?;
            return self.wrapped(at, wide, to);
        }
        self.cast(at, x, stored(to))
    }

    /// An integer as a constant.
    fn still(&self, at: Span, x: Atom) -> Outcome<Atom> {
        self.integer(at, IntegerRow::And, &[x, index(-1)])
    }

    /// 0, with the derivative of an integer.
    fn derivative_of(&self, at: Span, x: Atom) -> Outcome<Atom> {
        self.integer(at, IntegerRow::Sub, &[x, self.still(at, x)?])
    }

    /// A real rounded towards 0, and no further than the kind goes; derivatives are rounded like it wherever it lies.
    fn rounded(&self, at: Span, to: Kind, x: Atom) -> Outcome<Atom> {
        if to == Kind::U64 {
            let of = self.inside.borrow().builder.type_of(x).prim;
            let (half, zero) = (crate::array::constant(of, TWO_TO_63), crate::array::constant(of, 0.0));
            let beyond = self.raw(at, ScalarOp::LessOrEqual, &[half, x])?;
            return self.either(
                at,
                beyond,
                || {
                    let rest = self.raw(at, crate::primitives::Primitive::Sub, &[x, half])?;
                    let rest = self.raw(at, ScalarOp::Convert(Prim::I64), &[rest])?;
                    self.integer(at, IntegerRow::Sub, &[rest, index(i64::MIN)])
                },
                || {
                    let below = self.raw(at, ScalarOp::Less, &[x, zero])?;
                    let n = self.raw(at, ScalarOp::Convert(Prim::I64), &[x])?;
                    self.choose(at, below, self.derivative_of(at, n)?, n)
                },
            );
        }
        let n = self.cast(at, x, stored(to))?;
        if !is_narrow(to) {
            return Ok(n);
        }
        // Those of a narrow kind are `i64`s.
        let (least, most) = to.bounds();
        let kept = self.integer(at, IntegerRow::Max, &[self.still(at, n)?, index(least as i64)])?;
        let kept = self.integer(at, IntegerRow::Min, &[kept, index(most as i64)])?;
        self.add(at, kept, self.derivative_of(at, n)?)
    }

    fn real_of_unsigned(&self, at: Span, to: Kind, x: Atom) -> Outcome<Atom> {
        let small = self.raw(at, ScalarOp::LessOrEqual, &[index(0), x])?;
        self.either(
            at,
            small,
            || self.cast(at, x, stored(to)),
            || {
                // Half of it, where the bit that is lost still rounds.
                let half = self.shifted_down(at, x, index(1))?;
                let odd = self.integer(at, IntegerRow::And, &[x, index(1)])?;
                let half = self.integer(at, IntegerRow::Or, &[half, odd])?;
                let half = self.cast(at, self.still(at, half)?, stored(to))?;
                let derivative = self.cast(at, self.derivative_of(at, x)?, stored(to))?;
                self.add(at, self.add(at, half, half)?, derivative)
            },
        )
    }

    /// One of two scalars that are computed only if they are needed.
    pub(super) fn either(
        &self,
        at: Span,
        condition: Atom,
        yes: impl FnOnce() -> Outcome<Atom>,
        no: impl FnOnce() -> Outcome<Atom>,
    ) -> Outcome<Atom> {
        match known_truth(condition) {
            Some(true) => return yes(),
            Some(false) => return no(),
            None => {}
        }
        let (yes, no) = (self.arm(at, yes)?, self.arm(at, no)?);
        self.one(at, Op::If(condition, Box::new(yes), Box::new(no)))
    }

    fn arm(&self, at: Span, inside: impl FnOnce() -> Outcome<Atom>) -> Outcome<Body> {
        self.open();
        let result = inside()?;
        Ok(self.close(at, vec![result])?.0)
    }

    /// Whether one `u64` is less than another.
    fn unsigned_less(&self, at: Span, row: ScalarOp, x: &[Atom]) -> Outcome<Atom> {
        let flip = |x: Atom| self.integer(at, IntegerRow::Xor, &[x, index(i64::MIN)]);
        self.raw(at, row, &[flip(x[0])?, flip(x[1])?])
    }

    /// The bits moved down, filled with 0.
    pub(super) fn shifted_down(&self, at: Span, x: Atom, by: Atom) -> Outcome<Atom> {
        let small = self.raw(at, ScalarOp::LessOrEqual, &[index(0), x])?;
        let inside = self.raw(at, ScalarOp::LessOrEqual, &[index(0), by])?;
        let plain = self.raw(at, ScalarOp::Mul, &[small, inside])?;
        self.either(
            at,
            plain,
            || self.integer(at, IntegerRow::Shr, &[x, by]),
            || {
                let none = self.raw(at, ScalarOp::Equal, &[by, index(0)])?;
                let once = self.integer(at, IntegerRow::Shr, &[x, index(1)])?;
                let once = self.integer(at, IntegerRow::And, &[once, index(i64::MAX)])?;
                let less = self.sub(at, by, index(1))?;
                let moved = self.integer(at, IntegerRow::Shr, &[once, less])?;
                let negative = self.raw(at, ScalarOp::Less, &[by, index(0)])?;
                let moved = self.choose(at, negative, index(0), moved)?;
                self.choose(at, none, x, moved)
            },
        )
    }

    /// An operation on `u64`, or one that asks for the sign of an unsigned integer.
    fn unsigned(&self, at: Span, op: ScalarOp, x: &[Atom]) -> Outcome<Atom> {
        let ScalarOp::Integer(row) = op else {
            return match op {
                ScalarOp::Less | ScalarOp::LessOrEqual => self.unsigned_less(at, op, x),
                op => self.raw(at, op, x),
            };
        };
        match row {
            IntegerRow::Abs => Ok(x[0]),
            IntegerRow::Signum => {
                let zero = self.raw(at, ScalarOp::Equal, &[x[0], index(0)])?;
                let some = self.raw(at, ScalarOp::Not, &[zero])?;
                let sign = self.cast(at, some, Prim::I64)?;
                // A sign has the derivative 0.
                self.integer(at, IntegerRow::And, &[sign, index(1)])
            }
            IntegerRow::Min | IntegerRow::Max => {
                let pair = if row == IntegerRow::Min { [x[1], x[0]] } else { [x[0], x[1]] };
                let second = self.unsigned_less(at, ScalarOp::Less, &pair)?;
                self.choose(at, second, x[1], x[0])
            }
            IntegerRow::Shr => self.shifted_down(at, x[0], x[1]),
            IntegerRow::Div | IntegerRow::Quot | IntegerRow::Mod | IntegerRow::Rem => {
                let both = self.integer(at, IntegerRow::Or, x)?;
                let small = self.raw(at, ScalarOp::LessOrEqual, &[index(0), both])?;
                let is_quotient = matches!(row, IntegerRow::Div | IntegerRow::Quot);
                self.either(at, small, || self.integer(at, row, x), || self.large_quotient(at, x, is_quotient))
            }
            IntegerRow::Neg | IntegerRow::Sub | IntegerRow::Pow | IntegerRow::And | IntegerRow::Or => {
                self.integer(at, row, x)
            }
            IntegerRow::Xor | IntegerRow::Complement | IntegerRow::Shl => self.integer(at, row, x),
        }
    }

    /// The quotient or the remainder of two `u64`, one of which is 2⁶³ or more: its value of numbers that stand still, and what
    /// its rule has for derivatives times how far the numbers are from these, which is 0.
    fn large_quotient(&self, at: Span, x: &[Atom], is_quotient: bool) -> Outcome<Atom> {
        let (a, b) = (self.still(at, x[0])?, self.still(at, x[1])?);
        let quotient = self.unsigned_quotient(at, &[a, b])?;
        let (value, by_first, by_second) = if is_quotient {
            let once = self.unsigned_quotient(at, &[index(1), b])?;
            (quotient, once, self.unsigned_quotient(at, &[quotient, b])?)
        } else {
            (self.sub(at, a, self.mul(at, quotient, b)?)?, index(1), quotient)
        };
        let first = self.mul(at, by_first, self.sub(at, x[0], a)?)?;
        let second = self.mul(at, by_second, self.sub(at, x[1], b)?)?;
        self.sub(at, self.add(at, value, first)?, second)
    }

    /// The quotient of two `u64`, whatever they are.
    fn unsigned_quotient(&self, at: Span, x: &[Atom]) -> Outcome<Atom> {
        let large = self.raw(at, ScalarOp::Less, &[x[1], index(0)])?;
        let not_less = |a: Atom, b: Atom| {
            let enough = self.unsigned_less(at, ScalarOp::LessOrEqual, &[b, a])?;
            self.cast(at, enough, Prim::I64)
        };
        self.either(
            at,
            large,
            || not_less(x[0], x[1]),
            || {
                let half = self.integer(at, IntegerRow::Shr, &[x[0], index(1)])?;
                let half = self.integer(at, IntegerRow::And, &[half, index(i64::MAX)])?;
                let quotient = self.integer(at, IntegerRow::Quot, &[half, x[1]])?;
                let quotient = self.integer(at, IntegerRow::Shl, &[quotient, index(1)])?;
                let whole = self.mul(at, quotient, x[1])?;
                let rest = self.sub(at, x[0], whole)?;
                let more = not_less(rest, x[1])?;
                self.add(at, quotient, more)
            },
        )
    }

    /// Whether two scalars of a kind, or two arrays, are equal.
    pub(super) fn equal_to(&self, at: Span, first: &Operand, second: &Operand) -> Outcome<Atom> {
        if first.of.shape.is_empty() {
            return self.raw(at, ScalarOp::Equal, &[first.atom, second.atom]);
        }
        let sizes = self.sizes(at, first)?.into_iter().zip(self.sizes(at, second)?);
        let mut same = Atom::Const(Const::Bool(true));
        for (a, b) in sizes {
            let equal = if a == b { Atom::Const(Const::Bool(true)) } else { self.raw(at, ScalarOp::Equal, &[a, b])? };
            same = self.raw(at, ScalarOp::Mul, &[same, equal])?;
        }
        self.either(at, same, || self.equal_elements(at, first, second), || Ok(Atom::Const(Const::Bool(false))))
    }
}

const TWO_TO_63: f64 = 9_223_372_036_854_775_808.0;

/// Whether an operation on integers of a kind may have a result beyond the kind.
fn leaves_kind(op: ScalarOp) -> bool {
    match op {
        ScalarOp::Add | ScalarOp::Mul | ScalarOp::Scale => true,
        ScalarOp::Row(_) | ScalarOp::Equal | ScalarOp::Less | ScalarOp::LessOrEqual | ScalarOp::Not => false,
        ScalarOp::Convert(_) | ScalarOp::ToBits(_) | ScalarOp::FromBits(_) => false,
        ScalarOp::Integer(row) => match row {
            IntegerRow::Neg | IntegerRow::Sub | IntegerRow::Div | IntegerRow::Quot | IntegerRow::Abs => true,
            IntegerRow::Pow | IntegerRow::Complement | IntegerRow::Shl => true,
            IntegerRow::Mod | IntegerRow::Rem | IntegerRow::Min | IntegerRow::Max | IntegerRow::Signum => false,
            IntegerRow::And | IntegerRow::Or | IntegerRow::Xor | IntegerRow::Shr => false,
        },
    }
}
