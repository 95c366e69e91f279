//! What operations of code make of what is known of integers and truth values.
//!
//! Law: an operation on 64 bits is the polynomial of its operands' polynomials, but for multiples of 2^64; of any other kind it is so
//! only where the result has room in the kind (tests/execute/ranges.rs).

use std::rc::Rc;

use super::code::{LARGEST, Op, Operand, Value};
use super::conditions::Condition;
use super::knowledge::Knowledge;
use super::polynomial::Polynomial;

use crate::array::{IntegerRow, Prim, ScalarOp};

impl Knowledge<'_> {
    /// A value that an operation computes.
    pub(super) fn computed(&mut self, value: Value, op: Op, x: &[Operand]) {
        let kind = self.code.prim(Operand::Value(value));
        if kind.is_real() {
            return;
        }
        if kind == Prim::Bool {
            let condition = self.compared(op, x);
            return self.set(value, None, Some(Rc::new(condition)));
        }
        let capped = self.product_of_capped(op, x);
        let integer = self.integral(kind, op, x);
        self.set(value, Some(integer), None);
        self.capped[value.0 as usize] = capped;
    }

    fn compared(&mut self, op: Op, x: &[Operand]) -> Condition {
        let kind = self.code.prim(x[0]);
        let comparable = !kind.is_real() && kind != Prim::U64 && kind != Prim::Bool;
        match op {
            Op::Scalar(test @ (ScalarOp::Less | ScalarOp::LessOrEqual | ScalarOp::Equal)) if comparable => {
                let product = x[0].value().and_then(|count| self.capped[count.0 as usize].clone());
                if let (ScalarOp::LessOrEqual, Some(product), true) = (test, product, x[1] == Operand::int(LARGEST)) {
                    return Condition::IsBounded(product);
                }
                let (a, b) = (self.integer(x[0]), self.integer(x[1]));
                match test {
                    ScalarOp::Less => Condition::Less(a, b),
                    ScalarOp::LessOrEqual => Condition::LessOrEqual(a, b),
                    _ => Condition::Equal(a, b),
                }
            }
            Op::Scalar(ScalarOp::Mul) if kind == Prim::Bool => Condition::And(self.truth(x[0]), self.truth(x[1])),
            Op::Scalar(ScalarOp::Add) if kind == Prim::Bool => Condition::Or(self.truth(x[0]), self.truth(x[1])),
            Op::Scalar(ScalarOp::Not) => Condition::Not(self.truth(x[0])),
            _ => Condition::Other,
        }
    }

    fn integral(&mut self, kind: Prim, op: Op, x: &[Operand]) -> Polynomial {
        let range = Self::of_kind(kind);
        if kind == Prim::U64 || op != Op::Select && x.iter().any(|x| self.code.prim(*x) == Prim::U64) {
            return self.known.atom(range);
        }
        let exact = match op {
            Op::Scalar(op) => self.scalar(op, x),
            Op::Select => {
                let (a, b) = (self.integer(x[1]), self.integer(x[2]));
                Some(self.either(&a, &b))
            }
            // The lesser of two, or the first.
            Op::LeastWhere => {
                let (a, b) = (self.integer(x[0]), self.integer(x[1]));
                Some(self.either(&a, &b))
            }
            Op::MulAdd | Op::MulSub | Op::MulSubtracted | Op::Rule(_) | Op::Earlier(_) => None,
        };
        // What is the same but for multiples of 2^64 is as good in 64 bits.
        let wraps_alike = |here: &Self, p: &Polynomial| {
            let (least, greatest) = here.known.range(p);
            kind == Prim::I64 || range.0 <= least && greatest <= range.1
        };
        match exact {
            Some(p) if wraps_alike(self, &p) => p,
            _ => self.known.atom(range),
        }
    }

    fn scalar(&mut self, op: ScalarOp, x: &[Operand]) -> Option<Polynomial> {
        match op {
            ScalarOp::Add => self.integer(x[0]).plus(&self.integer(x[1])),
            ScalarOp::Mul => self.integer(x[0]).times(&self.integer(x[1])),
            ScalarOp::Convert(_) => match self.code.prim(x[0]) {
                Prim::Bool => Some(self.known.atom((0, 1))),
                prim if prim.is_real() => None,
                _ => Some(self.integer(x[0])),
            },
            ScalarOp::Integer(row) => self.row(row, x),
            _ => None,
        }
    }

    fn row(&mut self, row: IntegerRow, x: &[Operand]) -> Option<Polynomial> {
        let a = self.integer(x[0]);
        match row {
            IntegerRow::Neg => return a.negative(),
            IntegerRow::Sub => return a.minus(&self.integer(x[1])),
            _ => {}
        }
        // Other operations are those of integers of any size only on what 64 bits hold.
        let b = if x.len() > 1 { self.integer(x[1]) } else { a.clone() };
        if !self.known.is_held(&a) || !self.known.is_held(&b) {
            return None;
        }
        let ((least_a, greatest_a), (least_b, greatest_b)) = (self.known.range(&a), self.known.range(&b));
        match row {
            IntegerRow::Min => {
                let range = (least_a.min(least_b), greatest_a.min(greatest_b));
                let least = self.known.either_of([a.clone(), b.clone()], range);
                [a, b].iter().filter_map(|p| p.minus(&least)).for_each(|p| self.known.assume(&p));
                Some(least)
            }
            IntegerRow::Max => {
                let range = (least_a.max(least_b), greatest_a.max(greatest_b));
                let greatest = self.known.either_of([a.clone(), b.clone()], range);
                [a, b].iter().filter_map(|p| greatest.minus(p)).for_each(|p| self.known.assume(&p));
                Some(greatest)
            }
            IntegerRow::Mod if least_b > 0 => Some(self.remainder(None, &b, greatest_b)),
            IntegerRow::Rem if least_b > 0 && least_a >= 0 => Some(self.remainder(Some(&a), &b, greatest_b)),
            IntegerRow::Div | IntegerRow::Quot if least_b > 0 && least_a >= 0 => {
                let quotient = self.known.atom((least_a / greatest_b, greatest_a / least_b));
                a.minus(&quotient).into_iter().for_each(|p| self.known.assume(&p));
                let all = quotient.times(&b).and_then(|all| a.minus(&all));
                all.into_iter().for_each(|p| self.known.assume(&p));
                Some(quotient)
            }
            IntegerRow::Abs if least_a > i64::MIN.into() => Some(self.known.atom((0, greatest_a.max(-least_a)))),
            IntegerRow::Signum => Some(self.known.atom((-1, 1))),
            IntegerRow::And if least_b >= 0 => Some(self.known.atom((0, greatest_b))),
            IntegerRow::And if least_a >= 0 => Some(self.known.atom((0, greatest_a))),
            IntegerRow::Shr if least_a >= 0 => Some(self.known.atom((0, greatest_a))),
            _ => None,
        }
    }

    /// What is left of an integer that is divided by a positive one: less than that, and not negative.
    fn remainder(&mut self, of: Option<&Polynomial>, by: &Polynomial, greatest: i128) -> Polynomial {
        let rest = self.known.atom((0, greatest - 1));
        let below = by.minus(&rest).and_then(|p| p.plus_constant(-1));
        let no_more = of.and_then(|of| of.minus(&rest));
        below.iter().chain(&no_more).for_each(|p| self.known.assume(p));
        rest
    }

    /// Of a product of sizes that are capped just above the most elements there are, the product of the sizes.
    fn product_of_capped(&mut self, op: Op, x: &[Operand]) -> Option<Polynomial> {
        let cap = Operand::int(LARGEST + 1);
        match op {
            Op::Scalar(ScalarOp::Integer(IntegerRow::Min)) if x.contains(&cap) => {
                let size = if x[0] == cap { x[1] } else { x[0] };
                let product = size.value().and_then(|size| self.capped[size.0 as usize].clone());
                product.or_else(|| Some(self.integer(size)).filter(|size| self.is_size(size)))
            }
            Op::Scalar(ScalarOp::Mul) => {
                // Two that are capped.
                let mut factor = |x: Operand| {
                    let is = self.integer(x);
                    let (least, greatest) = self.known.range(&is);
                    let product = match x {
                        Operand::Const(_) => Some(is),
                        Operand::Value(value) => self.capped[value.0 as usize].clone(),
                    };
                    product.filter(|_| least >= 0 && greatest <= i128::from(LARGEST) + 1)
                };
                factor(x[0])?.times(&factor(x[1])?)
            }
            _ => None,
        }
    }

    fn is_size(&self, p: &Polynomial) -> bool {
        self.known.is_held(p) && self.known.is_not_negative(p)
    }
}
