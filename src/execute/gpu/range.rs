//! Ranges of integers: what is known of a value before it is computed.
//!
//! Law: an operation on elements of ranges has a value in the range of the operation, in the kind that it is computed in
//! (tests/gpu/narrow.rs).

use crate::array::{Const, IntegerRow, Prim, ScalarOp};
use crate::kernel::code::Op;

/// The integers from `low` to `high`, none if there are none between; and the two of 64 bits that programs use for "before all" and
/// "behind all", as the neutral elements of `max` and `min` are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Range {
    low: i128,
    high: i128,
    least: bool,
    greatest: bool,
}

const LEAST: i128 = i64::MIN as i128;
const GREATEST: i128 = i64::MAX as i128;

impl Range {
    /// No integer: of what is not computed yet.
    pub(super) const NONE: Range = Range { low: 1, high: 0, least: false, greatest: false };
    /// Any integer.
    pub(super) const ANY: Range = Range { low: LEAST, high: GREATEST, least: false, greatest: false };

    /// The integers from one to another.
    pub(super) fn between(low: i128, high: i128) -> Self {
        Range { low, high, ..Range::NONE }
    }

    /// Those of a kind.
    pub(super) fn of_kind(prim: Prim) -> Self {
        let (low, high) = prim.bounds();
        Range::between(low, high)
    }

    /// This integer alone.
    pub(super) fn exactly(n: i128) -> Self {
        match n {
            LEAST => Range { least: true, ..Range::NONE },
            GREATEST => Range { greatest: true, ..Range::NONE },
            n => Range::between(n, n),
        }
    }

    /// A constant; any integer for what is none.
    pub(super) fn of(constant: Const) -> Self {
        constant.integer().map_or(Range::ANY, Range::exactly)
    }

    /// The integers of a list.
    pub(super) fn of_all(all: &[i64]) -> Self {
        let (mut low, mut high) = (i64::MAX, i64::MIN);
        let (mut least, mut greatest) = (false, false);
        for n in all {
            match *n {
                i64::MIN => least = true,
                i64::MAX => greatest = true,
                n => (low, high) = (low.min(n), high.max(n)),
            }
        }
        Range { low: low.into(), high: high.into(), least, greatest }
    }

    fn is_empty(self) -> bool {
        self.low > self.high
    }

    /// Whether there is no integer in it.
    fn is_none(self) -> bool {
        self.is_empty() && !self.least && !self.greatest
    }

    /// What is in one or the other.
    pub(super) fn or(self, other: Range) -> Range {
        let (least, greatest) = (self.least || other.least, self.greatest || other.greatest);
        match (self.is_empty(), other.is_empty()) {
            (true, _) => Range { least, greatest, ..other },
            (_, true) => Range { least, greatest, ..self },
            _ => Range { low: self.low.min(other.low), high: self.high.max(other.high), least, greatest },
        }
    }

    /// Whether all of the other is in this one.
    pub(super) fn has(self, other: Range) -> bool {
        let inside = |n: i128| self.low <= n && n <= self.high;
        (other.is_empty() || inside(other.low) && inside(other.high))
            && (!other.least || self.least || inside(LEAST))
            && (!other.greatest || self.greatest || inside(GREATEST))
    }

    /// Whether 32 bits hold each, where the first and the last of 32 bits stand for those of 64.
    pub(super) fn is_narrow(self) -> bool {
        self.is_empty() || i128::from(i32::MIN) < self.low && self.high < i128::from(i32::MAX)
    }

    /// Those that are indices below a length.
    pub(super) fn below(self, length: Range) -> Range {
        if length.least || length.greatest {
            return self;
        }
        Range::between(self.low.max(0), self.high.min(length.high - 1))
    }

    /// The greatest, which is at least 0 and at most this.
    pub(super) fn count(self, most: i128) -> i128 {
        if self.greatest { most } else { self.high.clamp(0, most) }
    }

    /// The interval, if that is all.
    pub(super) fn bounds(self) -> Option<(i128, i128)> {
        (!self.is_empty() && !self.least && !self.greatest).then_some((self.low, self.high))
    }

    /// What comes of adding numbers between these two up to this number of times.
    pub(super) fn repeated(self, times: i128) -> Range {
        match self.bounds() {
            Some((low, high)) => {
                Range::between(low.min(0).saturating_mul(times), high.max(0).saturating_mul(times)).within(Prim::I64)
            }
            None if self.is_none() => Range::exactly(0),
            None => Range::ANY,
        }
    }

    /// The sum of two integers, in 64 bits.
    pub(super) fn plus(self, other: Range) -> Range {
        arithmetic(ScalarOp::Add, &[self, other]).within(Prim::I64)
    }

    /// The other way round, for the order alone.
    fn mirrored(self) -> Range {
        Range { low: -self.high, high: -self.low, least: self.greatest, greatest: self.least }
    }

    /// What is taken away by taking away.
    pub(super) fn negative(self) -> Range {
        arithmetic(ScalarOp::Integer(IntegerRow::Neg), &[self]).within(Prim::I64)
    }

    /// In a kind, where what has no room wraps.
    fn within(self, prim: Prim) -> Range {
        let of_kind = Range::of_kind(prim);
        let keeps = prim == Prim::I64 || !(self.least || self.greatest);
        if keeps && (self.is_empty() || of_kind.low <= self.low && self.high <= of_kind.high) { self } else { of_kind }
    }
}

/// The range of an operation on operands of these kinds, of a kind of integers.
pub(super) fn computed(op: Op, x: &[Range], prims: &[Prim], prim: Prim) -> Range {
    let of_integers = |prim: Prim| !prim.is_real() && prim != Prim::U64;
    match op {
        Op::Select => x[1].or(x[2]),
        Op::LeastWhere | Op::MulAdd | Op::MulSub | Op::MulSubtracted | Op::Rule(_) | Op::Earlier(_) => {
            Range::of_kind(prim)
        }
        Op::Scalar(_) if x.iter().zip(prims).any(|(x, prim)| of_integers(*prim) && x.is_none()) => Range::NONE,
        Op::Scalar(ScalarOp::Convert(_)) if prims[0] == Prim::Bool => Range::between(0, 1),
        Op::Scalar(_) if !prims.iter().copied().all(of_integers) => Range::of_kind(prim),
        Op::Scalar(ScalarOp::Convert(_)) => x[0].within(prim),
        Op::Scalar(op) => arithmetic(op, x).within(prim),
    }
}

/// Without regard to the room of a kind. Of the first and the last nothing is known but their order.
fn arithmetic(op: ScalarOp, x: &[Range]) -> Range {
    use IntegerRow::{And, Complement, Div, Max, Min, Mod, Neg, Or, Pow, Quot, Rem, Shl, Shr, Signum, Sub, Xor};
    match op {
        ScalarOp::Integer(Min) => lesser(x[0], x[1]),
        ScalarOp::Integer(Max) => lesser(x[0].mirrored(), x[1].mirrored()).mirrored(),
        ScalarOp::Integer(Signum) => Range::between(-1, 1),
        _ => {
            let Some((a, b)) = x[0].bounds() else { return Range::ANY };
            let Some((c, d)) = x.get(1).map_or(Some((0, 0)), |y| y.bounds()) else { return Range::ANY };
            let largest = a.abs().max(b.abs());
            let hull =
                |all: [i128; 4]| Range::between(*all.iter().min().expect("four"), *all.iter().max().expect("four"));
            let symmetric = |most: i128| Range::between(if a >= 0 { 0 } else { -most }, if b <= 0 { 0 } else { most });
            match op {
                ScalarOp::Add => Range::between(a + c, b + d),
                ScalarOp::Integer(Sub) => Range::between(a - d, b - c),
                ScalarOp::Integer(Neg) => Range::between(-b, -a),
                ScalarOp::Integer(Complement) => Range::between(-b - 1, -a - 1),
                ScalarOp::Integer(IntegerRow::Abs) => Range::between(0, largest),
                ScalarOp::Mul | ScalarOp::Scale => hull(
                    [a, b].map(|x| [c, d].map(|y| x.saturating_mul(y))).as_flattened().try_into().expect("two by two"),
                ),
                ScalarOp::Integer(Div | Quot) if a >= 0 && c > 0 => Range::between(a / d, b / c),
                ScalarOp::Integer(Div | Quot) => Range::between(-largest, largest),
                ScalarOp::Integer(Mod) if a >= 0 && c > 0 => Range::between(0, b.min(d - 1)),
                ScalarOp::Integer(Mod) => Range::between((c + 1).min(0), (d - 1).max(0)),
                ScalarOp::Integer(Rem) => symmetric(largest.min((c.abs().max(d.abs()) - 1).max(0))),
                ScalarOp::Integer(And) if a >= 0 || c >= 0 => Range::between(
                    0,
                    if a < 0 {
                        d
                    } else if c < 0 {
                        b
                    } else {
                        b.min(d)
                    },
                ),
                ScalarOp::Integer(And | Or | Xor) => {
                    let bits = |x: i128| 128 - (x ^ (x >> 127)).leading_zeros();
                    let most = 1 << [a, b, c, d].into_iter().map(bits).max().expect("four");
                    Range::between(if a >= 0 && c >= 0 { 0 } else { -most }, most - 1)
                }
                ScalarOp::Integer(Shl) if c >= 0 && d < 32 => hull([a << c, a << d, b << c, b << d]),
                ScalarOp::Integer(Shr) => Range::between(a.min(-i128::from(a < 0)), b.max(0)),
                ScalarOp::Integer(Pow) if c >= 0 && d <= 64 => {
                    let most = largest.checked_pow(d as u32).unwrap_or(i128::MAX).max(1);
                    Range::between(if a >= 0 { 0 } else { -most }, most)
                }
                _ => Range::ANY,
            }
        }
    }
}

/// The lesser of two.
fn lesser(x: Range, y: Range) -> Range {
    match (x.bounds(), y.bounds()) {
        (Some((a, b)), Some((c, d))) => Range::between(a.min(c), b.min(d)),
        _ => Range { greatest: x.greatest && y.greatest, ..x.or(y) },
    }
}
