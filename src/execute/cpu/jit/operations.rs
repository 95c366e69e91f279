//! What is computed on numbers, in Cranelift's form.
//!
//! Law: each operation has the bits that `compute` gives it: what the processor has is written here, the rest `compute` does, called by
//! its address (tests/execute/jit.rs).

use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::types::{F32, F64, I8, I16, I32, I64};
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, Value};

use super::native::Called;
use super::translate::Translator;
use crate::array::{IntegerRow, Prim};
use crate::execute::cpu::instruction::{Instruction, IntOp, RealOp, Reg};
use crate::interpret::Test;
use crate::primitives::Primitive;

impl Translator<'_, '_> {
    /// An instruction that computes a value from others.
    pub(super) fn operation(&mut self, instruction: &Instruction) {
        match *instruction {
            Instruction::Real { op, to, x } => {
                let value = self.real_op(op, x);
                self.set_real(to, value);
            }
            Instruction::Int { op: IntOp::Test(test), kind, to, x } => {
                let [a, b] = x.map(|x| self.int(x));
                let truth = self.compared(test, kind == Prim::U64, a, b);
                self.set_truth(to, truth);
            }
            Instruction::Int { op: op @ (IntOp::And | IntOp::Or), kind: Prim::Bool, to, x } => {
                let [a, b] = x.map(|x| self.truth(x));
                let truth = if op == IntOp::And { self.to.ins().band(a, b) } else { self.to.ins().bor(a, b) };
                self.set_truth(to, truth);
            }
            Instruction::Int { op: IntOp::Not, kind: Prim::Bool, to, x: [x, _] } => {
                let x = self.truth(x);
                let truth = self.to.ins().bxor_imm_u(x, 1);
                self.set_truth(to, truth);
            }
            Instruction::Int { op, kind, to, x } => {
                let x = x.map(|x| self.int(x));
                let value = self.int_op(op, kind, x);
                self.set_int(to, value);
            }
            Instruction::Test { test, to, x } => {
                let [a, b] = x.map(|x| self.real(x));
                let condition = match test {
                    Test::Equal => FloatCC::Equal,
                    Test::Less => FloatCC::LessThan,
                    Test::LessOrEqual => FloatCC::LessThanOrEqual,
                };
                let truth = self.to.ins().fcmp(condition, a, b);
                self.set_truth(to, truth);
            }
            Instruction::LeastWhere { to, x, of } => {
                let ([so_far, index], [a, b]) = (x.map(|x| self.int(x)), of.map(|x| self.real(x)));
                let is_equal = self.to.ins().fcmp(FloatCC::Equal, a, b);
                let least = self.to.ins().smin(so_far, index);
                let value = self.to.ins().select(is_equal, least, so_far);
                self.set_int(to, value);
            }
            Instruction::SelectReal { to, condition, x } => {
                let (condition, [a, b]) = (self.truth(condition), x.map(|x| self.real(x)));
                let value = self.chosen(condition, a, b);
                self.set_real(to, value);
            }
            Instruction::SelectInt { to, condition, x } => {
                let (condition, [a, b]) = (self.truth(condition), x.map(|x| self.int(x)));
                let value = self.to.ins().select(condition, a, b);
                self.set_int(to, value);
            }
            Instruction::Truncate { into, to, x } => {
                let x = self.real(x);
                let value = match into {
                    Prim::I64 => self.to.ins().fcvt_to_sint_sat(I64, x),
                    Prim::I32 => {
                        let n = self.to.ins().fcvt_to_sint_sat(I32, x);
                        self.to.ins().sextend(I64, n)
                    }
                    into => self.operated(self.callbacks.real_to_int, Called::Truncate(into), &[x], I64),
                };
                self.set_int(to, value);
            }
            Instruction::IntoReal { from, single, to, x } => {
                let n = self.int(x);
                let value = self.number_of(from == Prim::U64, single, n);
                self.set_real(to, value);
            }
            Instruction::ToBits { kind, to, x } => {
                let x = self.real(x);
                let value = self.bits(kind, x);
                self.set_int(to, value);
            }
            Instruction::FromBits { kind, to, x } => {
                let n = self.int(x);
                let value = self.of_bits(kind, n);
                self.set_real(to, value);
            }
            Instruction::SetReal { cell, x, mask: _ } => {
                let x = self.real(x);
                self.set_real(cell, x);
            }
            Instruction::SetInt { cell, x, mask: _ } => {
                let x = self.int(x);
                self.set_int(cell, x);
            }
            ref other => unreachable!("{other:?} is for lanes, or no operation"),
        }
    }

    fn real_op(&mut self, op: RealOp, x: [Reg; 3]) -> Value {
        let [a, b, c] = x.map(|x| self.real(x));
        match op {
            RealOp::Copy | RealOp::Row(Primitive::StopGradient) => a,
            RealOp::Add => self.to.ins().fadd(a, b),
            RealOp::Mul => self.to.ins().fmul(a, b),
            RealOp::Scale => {
                let (product, zero) = (self.to.ins().fmul(a, b), self.constant_real(0.0));
                let is_zero = self.to.ins().fcmp(FloatCC::Equal, a, zero);
                self.to.ins().select(is_zero, zero, product)
            }
            RealOp::MulAdd => self.to.ins().fma(a, b, c),
            RealOp::MulSub => {
                let c = self.to.ins().fneg(c);
                self.to.ins().fma(a, b, c)
            }
            RealOp::MulSubtracted => {
                let a = self.to.ins().fneg(a);
                self.to.ins().fma(a, b, c)
            }
            RealOp::Row(row) => match row {
                Primitive::Neg => self.to.ins().fneg(a),
                Primitive::Sub => self.to.ins().fsub(a, b),
                Primitive::Div => self.to.ins().fdiv(a, b),
                Primitive::Recip => {
                    let one = self.constant_real(1.0);
                    self.to.ins().fdiv(one, a)
                }
                Primitive::Sqrt => self.to.ins().sqrt(a),
                Primitive::Abs => self.to.ins().fabs(a),
                Primitive::Powi(2) => self.to.ins().fmul(a, a),
                Primitive::Floor => self.to.ins().floor(a),
                Primitive::Ceil => self.to.ins().ceil(a),
                // Singles are multiplied and added as doubles, and then rounded.
                Primitive::Fma if !self.callbacks.is_single => self.to.ins().fma(a, b, c),
                Primitive::Min => self.extreme(a, [b, a], b),
                Primitive::Max => self.extreme(a, [a, b], b),
                Primitive::GeIndicator => {
                    let [one, zero] = [1.0, 0.0].map(|x| self.constant_real(x));
                    let condition = self.to.ins().fcmp(FloatCC::GreaterThanOrEqual, a, b);
                    self.to.ins().select(condition, one, zero)
                }
                Primitive::Select => {
                    let zero = self.constant_real(0.0);
                    let is_zero = self.to.ins().fcmp(FloatCC::Equal, a, zero);
                    self.to.ins().select(is_zero, c, b)
                }
                Primitive::Single => self.rounded(Some(Prim::F32), a),
                row => self.operated(self.callbacks.real, Called::Row(row), &[a, b, c], self.reals.kind),
            },
        }
    }

    fn constant_real(&mut self, x: f64) -> Value {
        if self.callbacks.is_single { self.to.ins().f32const(x as f32) } else { self.to.ins().f64const(x) }
    }

    /// One of two reals, without a jump, which would be taken for no reason that a processor could learn: choices among reals jump,
    /// choices among integers do not.
    fn chosen(&mut self, condition: Value, a: Value, b: Value) -> Value {
        let bits = if self.callbacks.is_single { I32 } else { I64 };
        let both = [a, b].map(|x| self.to.ins().bitcast(bits, MemFlagsData::new(), x));
        let value = self.to.ins().select(condition, both[0], both[1]);
        self.to.ins().bitcast(self.reals.kind, MemFlagsData::new(), value)
    }

    /// The second where these compare as less and greater, or the first is NaN; else the first. The comparison with its choice is one
    /// instruction, without a jump.
    fn extreme(&mut self, a: Value, [less, greater]: [Value; 2], b: Value) -> Value {
        let is_second = self.to.ins().fcmp(FloatCC::LessThan, less, greater);
        let found = self.to.ins().select(is_second, b, a);
        let is_nan = self.to.ins().fcmp(FloatCC::Unordered, a, a);
        self.to.ins().select(is_nan, b, found)
    }

    /// A real as one of this kind, if one is given.
    pub(super) fn rounded(&mut self, kind: Option<Prim>, x: Value) -> Value {
        match kind {
            Some(Prim::F16) => {
                self.operated(self.callbacks.real, Called::Row(Primitive::Half), &[x; 3], self.reals.kind)
            }
            Some(Prim::F32) if !self.callbacks.is_single => {
                let single = self.to.ins().fdemote(F32, x);
                self.to.ins().fpromote(F64, single)
            }
            Some(_) | None => x,
        }
    }

    /// An integer as a real.
    fn number_of(&mut self, unsigned: bool, single: bool, n: Value) -> Value {
        let kind = if single { F32 } else { self.reals.kind };
        let x = if unsigned { self.to.ins().fcvt_from_uint(kind, n) } else { self.to.ins().fcvt_from_sint(kind, n) };
        if kind == self.reals.kind { x } else { self.to.ins().fpromote(self.reals.kind, x) }
    }

    fn bits(&mut self, kind: Prim, x: Value) -> Value {
        let single = match (self.callbacks.is_single, kind) {
            (true, _) => x,
            (false, Prim::F32) => self.to.ins().fdemote(F32, x),
            (false, Prim::F16) => {
                return self.operated(self.callbacks.real_to_int, Called::ToBits(kind), &[x], I64);
            }
            (false, _) => return self.to.ins().bitcast(I64, MemFlagsData::new(), x),
        };
        let bits = self.to.ins().bitcast(I32, MemFlagsData::new(), single);
        self.to.ins().uextend(I64, bits)
    }

    fn of_bits(&mut self, kind: Prim, n: Value) -> Value {
        match (self.callbacks.is_single, kind) {
            (false, Prim::F16) => return self.operated(self.callbacks.int_to_real, Called::FromBits(kind), &[n], F64),
            (false, Prim::F64) => return self.to.ins().bitcast(F64, MemFlagsData::new(), n),
            (true, _) | (false, _) => {}
        }
        let bits = self.to.ins().ireduce(I32, n);
        let single = self.to.ins().bitcast(F32, MemFlagsData::new(), bits);
        if self.callbacks.is_single { single } else { self.to.ins().fpromote(F64, single) }
    }

    fn compared(&mut self, test: Test, unsigned: bool, a: Value, b: Value) -> Value {
        let condition = match (test, unsigned) {
            (Test::Equal, _) => IntCC::Equal,
            (Test::Less, false) => IntCC::SignedLessThan,
            (Test::Less, true) => IntCC::UnsignedLessThan,
            (Test::LessOrEqual, false) => IntCC::SignedLessThanOrEqual,
            (Test::LessOrEqual, true) => IntCC::UnsignedLessThanOrEqual,
        };
        self.to.ins().icmp(condition, a, b)
    }

    fn int_op(&mut self, op: IntOp, kind: Prim, [a, b]: [Value; 2]) -> Value {
        match op {
            IntOp::Copy => a,
            IntOp::Add => self.plus(kind, a, b),
            IntOp::Mul => {
                let product = self.to.ins().imul(a, b);
                self.wrapped(kind, product)
            }
            IntOp::And | IntOp::Row(IntegerRow::And) => self.to.ins().band(a, b),
            IntOp::Or | IntOp::Row(IntegerRow::Or) => self.to.ins().bor(a, b),
            IntOp::Row(IntegerRow::Xor) => self.to.ins().bxor(a, b),
            IntOp::Not => self.to.ins().bxor_imm_u(a, 1),
            IntOp::Convert(into) => self.wrapped(into, a),
            IntOp::Row(IntegerRow::Neg) => {
                let negative = self.to.ins().ineg(a);
                self.wrapped(kind, negative)
            }
            IntOp::Row(IntegerRow::Sub) => {
                let difference = self.to.ins().isub(a, b);
                self.wrapped(kind, difference)
            }
            IntOp::Row(IntegerRow::Min) if kind == Prim::U64 => self.to.ins().umin(a, b),
            IntOp::Row(IntegerRow::Max) if kind == Prim::U64 => self.to.ins().umax(a, b),
            IntOp::Row(IntegerRow::Min) => self.to.ins().smin(a, b),
            IntOp::Row(IntegerRow::Max) => self.to.ins().smax(a, b),
            IntOp::Row(row @ (IntegerRow::Quot | IntegerRow::Rem | IntegerRow::Div | IntegerRow::Mod)) => {
                self.divided(row, kind, a, b)
            }
            IntOp::Row(row @ (IntegerRow::Shl | IntegerRow::Shr)) => self.shifted(row, kind, a, b),
            IntOp::Row(IntegerRow::Complement) => {
                let others = self.to.ins().bnot(a);
                self.wrapped(kind, others)
            }
            IntOp::Row(row) => self.operated(self.callbacks.int, Called::Integer(row, kind), &[a, b], I64),
            IntOp::Test(test) => {
                let truth = self.compared(test, kind == Prim::U64, a, b);
                self.to.ins().uextend(I64, truth)
            }
        }
    }

    /// A quotient or a remainder, 0 by 0. The processor's division is of what has a quotient in 64 bits.
    fn divided(&mut self, row: IntegerRow, kind: Prim, a: Value, b: Value) -> Value {
        let (zero, one) = (self.to.ins().iconst(I64, 0), self.to.ins().iconst(I64, 1));
        let by_nothing = self.to.ins().icmp(IntCC::Equal, b, zero);
        let is_remainder = matches!(row, IntegerRow::Rem | IntegerRow::Mod);
        if !kind.is_signed() {
            let by = self.to.ins().select(by_nothing, one, b);
            if is_remainder {
                return self.to.ins().urem(a, by);
            }
            let quotient = self.to.ins().udiv(a, by);
            return self.to.ins().select(by_nothing, zero, quotient);
        }
        let by_minus_one = self.to.ins().icmp_imm_s(IntCC::Equal, b, -1);
        let either = self.to.ins().bor(by_nothing, by_minus_one);
        let by = self.to.ins().select(either, one, b);
        let rest = self.to.ins().srem(a, by);
        // Rounded towards −∞, the quotient is less where there is a rest whose sign is not the divisor's.
        let crosses = match row {
            IntegerRow::Div | IntegerRow::Mod => {
                let (signs, is_rest) = (self.to.ins().bxor(rest, b), self.to.ins().icmp(IntCC::NotEqual, rest, zero));
                let differ = self.to.ins().icmp(IntCC::SignedLessThan, signs, zero);
                Some(self.to.ins().band(is_rest, differ))
            }
            _ => None,
        };
        if is_remainder {
            let Some(crosses) = crosses else { return rest };
            let on = self.to.ins().iadd(rest, b);
            return self.to.ins().select(crosses, on, rest);
        }
        let (quotient, negative) = (self.to.ins().sdiv(a, by), self.to.ins().ineg(a));
        let quotient = self.to.ins().select(by_minus_one, negative, quotient);
        let quotient = self.to.ins().select(by_nothing, zero, quotient);
        let quotient = match crosses {
            Some(crosses) => {
                let less = self.to.ins().uextend(I64, crosses);
                self.to.ins().isub(quotient, less)
            }
            None => quotient,
        };
        self.wrapped(kind, quotient)
    }

    /// The bits moved by as many as there are at most, and by all of them where the distance is not one of these.
    fn shifted(&mut self, row: IntegerRow, kind: Prim, a: Value, by: Value) -> Value {
        let is_distance = self.to.ins().icmp_imm_u(IntCC::UnsignedLessThan, by, i64::from(kind.bits()));
        if row == IntegerRow::Shr && kind.is_signed() {
            let all = self.to.ins().iconst(I64, 63);
            let by = self.to.ins().select(is_distance, by, all);
            return self.to.ins().sshr(a, by);
        }
        let moved = if row == IntegerRow::Shl { self.to.ins().ishl(a, by) } else { self.to.ins().ushr(a, by) };
        let zero = self.to.ins().iconst(I64, 0);
        let moved = self.to.ins().select(is_distance, moved, zero);
        self.wrapped(kind, moved)
    }

    /// The sum of two integers, or "or", of this kind.
    pub(super) fn plus(&mut self, kind: Prim, a: Value, b: Value) -> Value {
        if kind == Prim::Bool {
            return self.to.ins().bor(a, b);
        }
        let sum = self.to.ins().iadd(a, b);
        self.wrapped(kind, sum)
    }

    /// The lower bits of an integer, as many as the kind has.
    fn wrapped(&mut self, kind: Prim, n: Value) -> Value {
        let (bits, is_signed) = match kind {
            Prim::Bool => {
                let truth = self.to.ins().icmp_imm_s(IntCC::NotEqual, n, 0);
                return self.to.ins().uextend(I64, truth);
            }
            Prim::I8 => (I8, true),
            Prim::I16 => (I16, true),
            Prim::I32 => (I32, true),
            Prim::U8 => (I8, false),
            Prim::U16 => (I16, false),
            Prim::U32 => (I32, false),
            Prim::I64 | Prim::U64 | Prim::F16 | Prim::F32 | Prim::F64 => return n,
        };
        let low = self.to.ins().ireduce(bits, n);
        if is_signed { self.to.ins().sextend(I64, low) } else { self.to.ins().uextend(I64, low) }
    }
}
