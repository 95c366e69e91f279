//! Powers: loops that multiply one of the lanes' values again and again, and sum up its products with elements, or keep
//! what it was in each iteration, or both.
//!
//! Law: it is the loop `sum += x·power; row = power; power *= by` over the elements, for each lane in this order
//! (tests/execute/whole_loops.rs).

use core::ops::Range;

use super::assemble::Assembler;
use super::inline::{is_needed, is_row};
use super::instruction::{Address, Instruction, Reg, Series};
use super::kernel::Steps;
use super::memory::Elements;
use super::real::Real;
use super::state::State;
use super::vector::{Source, lanes};
use crate::array::ScalarOp;
use crate::kernel::code::{Block, Op, Operand, Place, Stm, Value};

impl Assembler<'_> {
    /// The instruction of a loop that does nothing but go through powers, if it is one.
    pub(super) fn series(&mut self, index: Value, count: u32, body: &Block) -> Option<Instruction> {
        self.varying.as_ref()?;
        let stms: Vec<&Stm> = body.iter().filter(|stm| is_needed(stm, &self.needed)).collect();
        let [done @ .., Stm::Let(power, Op::Scalar(ScalarOp::Mul), factors)] = &stms[..] else { return None };
        let now = Operand::Value(*power);
        let by = match factors[..] {
            [a, b] if a == now => b,
            [a, b] if b == now => a,
            _ => return None,
        };
        let walks = |place: &Place| {
            let step = place.step.is_some_and(|(step, by)| step == Operand::Value(index) && by != step);
            step && place.base != Operand::Value(index)
        };
        let varies = |cell: Value| self.code.values[cell.0 as usize].varying;
        if !varies(*power) || by == now {
            return None;
        }
        let (mut sum, mut to, mut rest): (Option<(&Place, Value)>, Option<&Place>, _) = (None, None, done);
        while !rest.is_empty() {
            match rest {
                [Stm::Load(x, from), Stm::Let(cell, Op::MulAdd, terms), later @ ..] if sum.is_none() => {
                    let [x, so_far] = [*x, *cell].map(Operand::Value);
                    let is_term = terms[..] == [x, now, so_far] || terms[..] == [now, x, so_far];
                    let info = self.code.buffers[from.buffer.0 as usize];
                    let is_one = !info.private && info.prim.is_real() && from.lane.is_none() && from.varying.is_none();
                    let apart = ![x, so_far].contains(&by) && so_far != now;
                    if !is_term || !is_one || !walks(from) || !varies(*cell) || !apart {
                        return None;
                    }
                    (sum, rest) = (Some((from, *cell)), later);
                }
                [Stm::Store { place, value, mask: None }, later @ ..] if to.is_none() && *value == now => {
                    let own = self.code.buffers[place.buffer.0 as usize].private;
                    if !own || !is_row(self.code, place) || !walks(place) {
                        return None;
                    }
                    (to, rest) = (Some(place), later);
                }
                _ => return None,
            }
        }
        if sum.is_none() && to.is_none() {
            return None;
        }
        let register = |this: &mut Self, cell: Operand| match this.reg(cell) {
            Reg::Varying(register) => register,
            Reg::Uniform(_) => panic!("cells that differ between lanes are varying"),
        };
        let sum = sum.map(|(from, cell)| (self.numbered(from), register(self, Operand::Value(cell))));
        let to = to.map(|place| self.numbered(place));
        let (power, by) = (register(self, now), self.reg(by));
        Some(Instruction::Series(Series { count, power, by, sum, to }))
    }
}

/// Groups that are worked on together, in registers of the processor.
const GROUPS_TOGETHER: usize = 4;

/// Rows of the lanes' own, one for each iteration: the number of the first element, and how far the next row is.
struct Kept<'r, R> {
    elements: &'r mut [R],
    first: i64,
    by: i64,
}

/// Runs some iterations of the loop.
#[inline(always)]
pub(super) fn run<R: Real<G>, const G: usize>(
    state: &State<R, G>,
    reals: &mut [Elements<'_, R>],
    addresses: &[Address],
    it: &Series,
    iterations: Range<i64>,
) {
    let count = iterations.end - iterations.start;
    let mut own = it.to.map(|to| core::mem::take(&mut reals[addresses[to as usize].buffer as usize]));
    let mut kept = Kept { elements: &mut [], first: 0, by: 0 };
    if let (Some(to), Some(own)) = (it.to, &mut own) {
        let (to, width) = (&addresses[to as usize], state.width as i64);
        let (base, by) = (state.one(to.base), state.one(to.stride));
        let first = base.wrapping_add(iterations.start.wrapping_mul(by)).wrapping_mul(width);
        kept = Kept { elements: own.changeable().0, first, by: by.wrapping_mul(width) };
    }
    match it.sum {
        Some((from, sum)) => {
            let from = Steps::of(state, reals, &addresses[from as usize], iterations.start);
            match it.to {
                Some(_) => all::<true, true, R, G>(state, it, count, (from, sum), &mut kept),
                None => all::<true, false, R, G>(state, it, count, (from, sum), &mut kept),
            }
        }
        None => all::<false, true, R, G>(state, it, count, (Steps::none(), it.power), &mut kept),
    }
    if let (Some(to), Some(own)) = (it.to, own) {
        reals[addresses[to as usize].buffer as usize] = own;
    }
}

/// All groups, some of them together.
#[inline(always)]
fn all<const SUM: bool, const KEEP: bool, R: Real<G>, const G: usize>(
    state: &State<R, G>,
    it: &Series,
    count: i64,
    sum: (Steps<'_, R>, u32),
    kept: &mut Kept<'_, R>,
) {
    let whole = state.groups / GROUPS_TOGETHER * GROUPS_TOGETHER;
    for k in (0..whole).step_by(GROUPS_TOGETHER) {
        groups::<GROUPS_TOGETHER, SUM, KEEP, R, G>(state, it, count, sum, kept, k);
    }
    for k in whole..state.groups {
        groups::<1, SUM, KEEP, R, G>(state, it, count, sum, kept, k);
    }
}

#[inline(always)]
fn groups<const N: usize, const SUM: bool, const KEEP: bool, R: Real<G>, const G: usize>(
    state: &State<R, G>,
    it: &Series,
    count: i64,
    (from, sum): (Steps<'_, R>, u32),
    kept: &mut Kept<'_, R>,
    at: usize,
) {
    let (sums, powers, by) = (state.real_block(sum), state.real_block(it.power), state.real(it.by));
    let by: [[R; G]; N] = core::array::from_fn(|k| by.group(at + k));
    let mut sum: [[R; G]; N] = core::array::from_fn(|k| sums[at + k].read());
    let mut power: [[R; G]; N] = core::array::from_fn(|k| powers[at + k].read());
    let mut row = kept.first.wrapping_add((at * G) as i64);
    for step in 0..count {
        if SUM {
            let x = from.get(step, 0);
            for k in 0..N {
                sum[k] = lanes(|i| power[k][i].mul_add(x, sum[k][i]));
            }
        }
        if KEEP {
            let from = row as usize;
            if let Some(elements) = kept.elements.get_mut(from..from.wrapping_add(N * G)) {
                for (element, power) in elements.as_chunks_mut().0.iter_mut().zip(&power) {
                    *element = *power;
                }
            }
            row = row.wrapping_add(kept.by);
        }
        for k in 0..N {
            power[k] = lanes(|i| power[k][i] * by[k][i]);
        }
    }
    for k in 0..N {
        if SUM {
            sums[at + k].write(sum[k]);
        }
        powers[at + k].write(power[k]);
    }
}
