//! Sums of elements times powers: loops that multiply one of the lanes' values again and again, and sum up its products.
//!
//! Law: it is the loop `sum += x·power; power *= by` over the elements, for each lane in this order.

use core::ops::Range;

use super::assemble::Assembler;
use super::inline::is_needed;
use super::instruction::{Address, Instruction, Reg, Series};
use super::kernel::Steps;
use super::memory::Elements;
use super::state::State;
use super::vector::{GROUP, Source, eight};
use crate::array::ScalarOp;
use crate::lower::code::{Block, Op, Operand, Stm, Value};

impl Assembler<'_> {
    /// The instruction of a loop that does nothing but sum up products with powers, if it is one.
    pub(super) fn series(&mut self, index: Value, count: u32, body: &Block) -> Option<Instruction> {
        self.varying.as_ref()?;
        let stms: Vec<&Stm> = body.iter().filter(|stm| is_needed(stm, &self.needed)).collect();
        let [Stm::Load(x, from), Stm::Let(sum, Op::MulAdd, terms), Stm::Let(power, Op::Scalar(ScalarOp::Mul), factors)] =
            stms[..]
        else {
            return None;
        };
        let [x, now, so_far] = [*x, *power, *sum].map(Operand::Value);
        let is_term = terms[..] == [x, now, so_far] || terms[..] == [now, x, so_far];
        let by = match factors[..] {
            [a, b] if a == now => b,
            [a, b] if b == now => a,
            _ => return None,
        };
        let info = self.code.buffers[from.buffer.0 as usize];
        let is_one = !info.private && info.prim.is_real() && from.lane.is_none() && from.varying.is_none();
        let steps = from.step.is_some_and(|(step, by)| step == Operand::Value(index) && by != step);
        let varies = [sum, power].iter().all(|cell| self.code.values[cell.0 as usize].varying);
        let others = ![x, now, so_far].contains(&by) && so_far != now && from.base != Operand::Value(index);
        if !is_term || !is_one || !steps || !varies || !others {
            return None;
        }
        let from = self.numbered(from);
        let [Reg::Varying(sum), Reg::Varying(power)] = [so_far, now].map(|cell| self.reg(cell)) else {
            panic!("cells that differ between lanes are varying")
        };
        let by = self.reg(by);
        Some(Instruction::Series(Series { count, sum, power, by, from }))
    }
}

/// Groups that are worked on together, in registers of the processor.
const TOGETHER: usize = 4;

/// Runs some iterations of the loop.
#[inline(always)]
pub(super) fn run(
    state: &State,
    reals: &[Elements<'_, f64>],
    addresses: &[Address],
    it: &Series,
    iterations: Range<i64>,
) {
    let from = Steps::of(state, reals, &addresses[it.from as usize], iterations.start);
    let count = iterations.end - iterations.start;
    let whole = state.groups / TOGETHER * TOGETHER;
    for k in (0..whole).step_by(TOGETHER) {
        groups::<TOGETHER>(state, it, from, count, k);
    }
    for k in whole..state.groups {
        groups::<1>(state, it, from, count, k);
    }
}

#[inline(always)]
fn groups<const N: usize>(state: &State, it: &Series, from: Steps<'_>, count: i64, at: usize) {
    let (sums, powers, by) = (state.real_block(it.sum), state.real_block(it.power), state.real(it.by));
    let by: [[f64; GROUP]; N] = core::array::from_fn(|k| by.group(at + k));
    let mut sum: [[f64; GROUP]; N] = core::array::from_fn(|k| sums[at + k].read());
    let mut power: [[f64; GROUP]; N] = core::array::from_fn(|k| powers[at + k].read());
    for step in 0..count {
        let x = from.get(step, 0);
        for k in 0..N {
            sum[k] = eight(|i| power[k][i].mul_add(x, sum[k][i]));
            power[k] = eight(|i| power[k][i] * by[k][i]);
        }
    }
    for k in 0..N {
        sums[at + k].write(sum[k]);
        powers[at + k].write(power[k]);
    }
}
