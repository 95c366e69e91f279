//! Operations on the bits of integers, written with those that array programs have.
//!
//! Law: what counts bits, and what keeps the upper half of a product, has the derivative 0: it begins with a bitwise "and".

use super::operand::stored;
use super::site::Site;
use crate::array::{Atom, IntegerRow, Prim, ScalarOp, index};
use crate::futhark::core::Prim as Kind;
use crate::futhark::meaning::{Bits, Operation, Outcome};
use crate::futhark::source::Span;

impl Site {
    pub(super) fn on_bits(&self, at: Span, bits: Bits, kind: Kind, x: &[Atom]) -> Outcome<Atom> {
        match bits {
            Bits::Ones => {
                let pattern = self.pattern(at, x[0], kind)?;
                let count = self.ones(at, pattern)?;
                self.cast(at, count, Prim::I32)
            }
            Bits::LeadingZeros => {
                // With every bit below the first 1 set, those that are not are the zeros before it.
                let mut filled = self.pattern(at, x[0], kind)?;
                for by in [1, 2, 4, 8, 16, 32] {
                    let moved = self.shifted(at, filled, by)?;
                    filled = self.integer(at, IntegerRow::Or, &[filled, moved])?;
                }
                let count = self.ones(at, filled)?;
                let count = self.sub(at, index(kind.bits().into()), count)?;
                self.cast(at, count, Prim::I32)
            }
            Bits::TrailingZeros => {
                // Below the last 1, x − 1 has ones where x has zeros.
                let pattern = self.pattern(at, x[0], kind)?;
                let less = self.sub(at, pattern, index(1))?;
                let other = self.integer(at, IntegerRow::Complement, &[pattern])?;
                let below = self.integer(at, IntegerRow::And, &[less, other])?;
                let count = self.ones(at, below)?;
                let count = self.integer(at, IntegerRow::Min, &[count, index(kind.bits().into())])?;
                self.cast(at, count, Prim::I32)
            }
            Bits::MultiplyHigh => self.multiply_high(at, kind, x),
            // Bits are those of unsigned integers, which are kept in 64.
            Bits::To => self.raw(at, ScalarOp::ToBits(stored(kind)), x),
            Bits::From => {
                let wide = self.cast(at, x[0], Prim::I64)?;
                self.raw(at, ScalarOp::FromBits(stored(Operation::Bits(bits).result(kind))), &[wide])
            }
        }
    }

    /// The bits of an integer of a kind, without those that only say its sign.
    fn pattern(&self, at: Span, x: Atom, kind: Kind) -> Outcome<Atom> {
        let x = self.cast(at, x, Prim::I64)?;
        let mask = if kind.bits() == 64 { -1 } else { (1_i64 << kind.bits()) - 1 };
        self.integer(at, IntegerRow::And, &[x, index(mask)])
    }

    fn shifted(&self, at: Span, x: Atom, by: i64) -> Outcome<Atom> {
        let moved = self.integer(at, IntegerRow::Shr, &[x, index(by)])?;
        self.integer(at, IntegerRow::And, &[moved, index(i64::MAX >> (by - 1))])
    }

    /// How many bits are 1.
    fn ones(&self, at: Span, x: Atom) -> Outcome<Atom> {
        let masked = |x: Atom, mask: u64| self.integer(at, IntegerRow::And, &[x, index(mask as i64)]);
        let mut count = x;
        for (by, mask) in [(1, 0x5555_5555_5555_5555), (2, 0x3333_3333_3333_3333), (4, 0x0f0f_0f0f_0f0f_0f0f)] {
            let moved = self.shifted(at, count, by)?;
            count = self.add(at, masked(count, mask)?, masked(moved, mask)?)?;
        }
        let sum = self.mul(at, count, index(0x0101_0101_0101_0101))?;
        let sum = self.shifted(at, sum, 56)?;
        masked(sum, 0xff)
    }

    fn multiply_high(&self, at: Span, kind: Kind, x: &[Atom]) -> Outcome<Atom> {
        let bits = i64::from(kind.bits());
        let still = |x: Atom| {
            let x = self.cast(at, x, Prim::I64)?;
            self.integer(at, IntegerRow::And, &[x, index(-1)])
        };
        let (a, b) = (still(x[0])?, still(x[1])?);
        if bits < 64 {
            let product = self.mul(at, a, b)?;
            let high = if kind.is_signed() {
                self.integer(at, IntegerRow::Shr, &[product, index(bits)])?
            } else {
                self.shifted(at, product, bits)?
            };
            return self.cast(at, high, stored(kind));
        }
        let low = |x: Atom| self.integer(at, IntegerRow::And, &[x, index(0xffff_ffff)]);
        let high = |x: Atom| self.shifted(at, x, 32);
        let ((a0, a1), (b0, b1)) = ((low(a)?, high(a)?), (low(b)?, high(b)?));
        let first = self.mul(at, a0, b0)?;
        let carried = self.add(at, self.mul(at, a1, b0)?, high(first)?)?;
        let middle = self.add(at, self.mul(at, a0, b1)?, low(carried)?)?;
        let upper = self.add(at, self.mul(at, a1, b1)?, high(carried)?)?;
        let unsigned = self.add(at, upper, high(middle)?)?;
        if !kind.is_signed() {
            return Ok(unsigned);
        }
        // A negative factor counts as 2⁶⁴ too much.
        let too_much = |negative: Atom, other: Atom| {
            let below = self.raw(at, ScalarOp::Less, &[negative, index(0)])?;
            self.choose(at, below, other, index(0))
        };
        let once = self.sub(at, unsigned, too_much(a, b)?)?;
        self.sub(at, once, too_much(b, a)?)
    }
}
