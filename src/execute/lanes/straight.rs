//! Operations on single values that follow each other, in a loop of their own: what scalar code mostly is.
//!
//! Law: they are the instructions that they stand for. These stay where they are, for jumps into their midst.

use super::compute::one;
use super::instruction::{Instruction, IntOp, RealOp, Reg};
use super::state::State;
use crate::interpret::Test;

/// An operation, on uniform registers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Step {
    what: What,
    to: u32,
    x: [u32; 3],
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum What {
    Real(RealOp),
    /// Of reals.
    Test(Test),
    /// Of integers that need not be narrowed.
    Int(Whole),
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Whole {
    Copy,
    Add,
    And,
    Or,
    Not,
    Test(Test),
}

/// Puts an instruction that does them all before each stretch of such operations, in place of the first.
pub(super) fn straighten(instructions: &mut [Instruction]) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut at = 0;
    while at < instructions.len() {
        let from = steps.len();
        steps.extend(instructions[at..].iter().map_while(step));
        let count = steps.len() - from;
        if count < 2 {
            steps.truncate(from);
            at += 1;
            continue;
        }
        let number = |n: usize| u32::try_from(n).expect("there are fewer than 2^32 instructions");
        let after = number(at + count);
        instructions[at] = Instruction::Straight { from: number(from), to: number(steps.len()), after };
        at += count;
    }
    steps
}

fn step(instruction: &Instruction) -> Option<Step> {
    let (what, to, x) = match *instruction {
        Instruction::Real { op, to, x } => (What::Real(op), to, x),
        Instruction::SetReal { cell, x, .. } => (What::Real(RealOp::Copy), cell, [x; 3]),
        Instruction::Test { test, to, x: [a, b] } => (What::Test(test), to, [a, b, b]),
        Instruction::SetInt { cell, x, .. } => (What::Int(Whole::Copy), cell, [x; 3]),
        Instruction::Int { op, narrow: false, to, x: [a, b] } => {
            let whole = match op {
                IntOp::Copy => Whole::Copy,
                IntOp::Add => Whole::Add,
                IntOp::And => Whole::And,
                IntOp::Or => Whole::Or,
                IntOp::Not => Whole::Not,
                IntOp::Test(test) => Whole::Test(test),
                IntOp::Mul | IntOp::Row(_) | IntOp::Convert(_) => return None,
            };
            (What::Int(whole), to, [a, b, b])
        }
        _ => return None,
    };
    let uniform = |reg: Reg| if let Reg::Uniform(k) = reg { Some(k) } else { None };
    let [a, b, c] = x.map(uniform);
    Some(Step { what, to: uniform(to)?, x: [a?, b?, c?] })
}

/// Does them.
#[inline(always)]
pub(super) fn run(state: &State, steps: &[Step]) {
    let State { reals, ints, .. } = state;
    for Step { what, to, x } in steps {
        match *what {
            What::Real(op) => reals.set(*to, one(op, x.map(|k| reals.one(k)))),
            What::Test(test) => ints.set(*to, holds(test, reals.one(x[0]), reals.one(x[1]))),
            What::Int(whole) => {
                let (a, b) = (ints.one(x[0]), ints.one(x[1]));
                ints.set(
                    *to,
                    match whole {
                        Whole::Copy => a,
                        Whole::Add => a.wrapping_add(b),
                        Whole::And => a & b,
                        Whole::Or => a | b,
                        Whole::Not => a ^ 1,
                        Whole::Test(test) => holds(test, a, b),
                    },
                );
            }
        }
    }
}

#[inline(always)]
fn holds<A: PartialOrd>(test: Test, a: A, b: A) -> i64 {
    i64::from(match test {
        Test::Equal => a == b,
        Test::Less => a < b,
        Test::LessOrEqual => a <= b,
    })
}
