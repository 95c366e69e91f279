//! From operations on scalars to instructions.
//!
//! Law: an operation is one instruction, and one more where it is rounded to fewer digits; a chain is one
//! (laws: executors::suite, tests/execute/products.rs).

use super::assemble::Assembler;
use super::find_fma_chains::Link;
use super::instruction::{Chain, Instruction, IntOp, RealOp, Reg};
use crate::array::{Prim, ScalarOp};
use crate::interpret::Test;
use crate::kernel::code::{Op, Operand, Value};
use crate::primitives::Primitive;

impl Assembler<'_> {
    /// A chain of multiply-adds.
    pub(super) fn chain(&mut self, value: Value, links: &[Link]) {
        let Reg::Varying(to) = self.reg(Operand::Value(value)) else { panic!("lanes add up products") };
        let start = self.reg(links[0].sum);
        let products = links.iter().map(|link| link.factors.map(|x| self.reg(x))).collect();
        let minus = links.iter().rev().fold(0, |minus, link| minus << 1 | u8::from(link.is_taken_away));
        let number = u32::try_from(self.chains.len()).expect("there are fewer than 2^32 sums");
        self.chains.push(Chain { to, start, products, minus });
        self.out.push(Instruction::Chain(number));
    }

    /// An operation, whose result is in the register of this value.
    pub(super) fn operation(&mut self, value: Value, op: Op, operands: &[Operand]) {
        let to = self.reg(Operand::Value(value));
        let x: Vec<Reg> = operands.iter().map(|x| self.reg(*x)).collect();
        let three = |x: &[Reg]| [x[0], x[1 % x.len()], x[2 % x.len()]];
        let two = |x: &[Reg]| [x[0], x[1 % x.len()]];
        let prim = self.prim(operands[operands.len() - 1]);
        if let Op::Rule(rule) = op {
            return self.rule(rule, to, self.prim(Operand::Value(value)), x);
        }
        let fused = match op {
            Op::MulAdd => Some(RealOp::MulAdd),
            Op::MulSub => Some(RealOp::MulSub),
            Op::MulSubtracted => Some(RealOp::MulSubtracted),
            Op::Scalar(_) | Op::Select | Op::LeastWhere | Op::Rule(_) => None,
            Op::Earlier(_) => panic!("only code for C compilers has values of earlier lanes"),
        };
        if let Some(op) = fused {
            self.out.push(Instruction::Real { op, to, x: three(&x) });
            return;
        }
        if op == Op::LeastWhere {
            self.out.push(Instruction::LeastWhere { to, x: [x[0], x[1]], of: [x[2], x[3]] });
            return;
        }
        let Op::Scalar(op) = op else {
            let (condition, x) = (x[0], [x[1], x[2]]);
            let select = if prim.is_real() {
                Instruction::SelectReal { to, condition, x }
            } else {
                Instruction::SelectInt { to, condition, x }
            };
            self.out.push(select);
            return;
        };
        let real = |op| Instruction::Real { op, to, x: three(&x) };
        let int = |op| Instruction::Int { op, kind: prim, to, x: two(&x) };
        let test = |test| {
            if prim.is_real() { Instruction::Test { test, to, x: two(&x) } } else { int(IntOp::Test(test)) }
        };
        let instruction = match op {
            ScalarOp::Add if prim.is_real() => real(RealOp::Add),
            ScalarOp::Mul if prim.is_real() => real(RealOp::Mul),
            ScalarOp::Scale if prim.is_real() => real(RealOp::Scale),
            ScalarOp::Row(Primitive::StopGradient) => real(RealOp::Copy),
            ScalarOp::Row(row) => real(RealOp::Row(row)),
            ScalarOp::Add if prim == Prim::Bool => int(IntOp::Or),
            ScalarOp::Mul | ScalarOp::Scale if prim == Prim::Bool => int(IntOp::And),
            ScalarOp::Add => int(IntOp::Add),
            ScalarOp::Mul | ScalarOp::Scale => int(IntOp::Mul),
            ScalarOp::Integer(row) => int(IntOp::Row(row)),
            ScalarOp::Not => int(IntOp::Not),
            ScalarOp::Equal => test(Test::Equal),
            ScalarOp::Less => test(Test::Less),
            ScalarOp::LessOrEqual => test(Test::LessOrEqual),
            ScalarOp::ToBits(of) => Instruction::ToBits { kind: of, to, x: x[0] },
            ScalarOp::FromBits(into) => Instruction::FromBits { kind: into, to, x: x[0] },
            ScalarOp::Convert(into) => match (prim.is_real(), into.is_real()) {
                (true, true) => real(into.rounding().map_or(RealOp::Copy, RealOp::Row)),
                (true, false) => Instruction::Truncate { into, to, x: x[0] },
                (false, true) => Instruction::IntoReal { from: prim, single: into == Prim::F32, to, x: x[0] },
                (false, false) => int(IntOp::Convert(into)),
            },
        };
        self.out.push(instruction);
        let kind = self.prim(Operand::Value(value));
        // What is exact needs no rounding, and other conversions have it in them.
        let is_rounded = match op {
            ScalarOp::Add | ScalarOp::Mul | ScalarOp::Scale => true,
            ScalarOp::Row(row) => row.facts().ulp != 0,
            ScalarOp::Convert(Prim::F16) => !prim.is_real(),
            _ => false,
        };
        if let Some(row) = kind.rounding().filter(|_| is_rounded && kind != self.code.precision) {
            self.out.push(Instruction::Real { op: RealOp::Row(row), to, x: [to; 3] });
        }
    }
}
