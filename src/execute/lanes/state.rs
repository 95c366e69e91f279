//! The registers of a machine, and what is computed in them.
//!
//! Law: what an instruction computes in a lane is what the interpreter computes of the same numbers, bit for bit, but for
//! the elementary functions, which are within their stated error.

use core::cell::Cell;

use super::dispatch;
use super::instruction::{Across, Address, IntOp, RealOp, Reg};
use super::transfer::Reach;
use super::vector::{Block, GROUP, LANES, Operand, each1, each2, each3, fused};
use crate::array::{IntegerRow, Prim};
use crate::execute::math::double as math;
use crate::interpret::Test;
use crate::primitives::Primitive;

/// Registers, and the block of lanes that is computed.
#[derive(Debug)]
pub(super) struct State {
    pub(super) reals: Vec<Cell<f64>>,
    pub(super) ints: Vec<Cell<i64>>,
    pub(super) lane_reals: Vec<Block<f64>>,
    pub(super) lane_ints: Vec<Block<i64>>,
    /// The first lane of the block, how many there are, and how many groups that is.
    pub(super) first: i64,
    pub(super) active: usize,
    pub(super) groups: usize,
    /// How many lanes a block has.
    pub(super) width: usize,
    /// How many elements the lanes of the block have of their own.
    pub(super) own: usize,
}

/// How many elements of lanes' own fit in the nearest cache beside the registers.
const NEAR: usize = 3072;

impl Default for State {
    fn default() -> Self {
        State {
            reals: Vec::new(),
            ints: Vec::new(),
            lane_reals: Vec::new(),
            lane_ints: Vec::new(),
            first: 0,
            active: 1,
            groups: 1,
            width: LANES,
            own: 0,
        }
    }
}

impl State {
    /// Sets the uniform registers to what they are at first.
    pub(super) fn restart(&mut self, reals: &[f64], ints: &[i64]) {
        self.reals.clear();
        self.reals.extend(reals.iter().copied().map(Cell::new));
        self.ints.clear();
        self.ints.extend(ints.iter().copied().map(Cell::new));
    }

    /// The same uniform registers, and none that vary.
    pub(super) fn for_worker(&self) -> Self {
        let (reals, ints) = (self.reals.clone(), self.ints.clone());
        State { reals, ints, ..State::default() }
    }

    /// Says that there are at least so many varying registers.
    pub(super) fn reserve(&mut self, reals: usize, ints: usize) {
        if self.lane_reals.len() < reals {
            self.lane_reals.resize_with(reals, Block::default);
        }
        if self.lane_ints.len() < ints {
            self.lane_ints.resize_with(ints, Block::default);
        }
    }

    /// Makes blocks as wide as what the lanes of the last one had fits in the nearest cache.
    pub(super) fn fit(&mut self) {
        let each = self.own.div_ceil(self.width);
        let lanes = NEAR.checked_div(each).unwrap_or(LANES);
        self.width = (lanes / GROUP * GROUP).clamp(4 * GROUP, LANES);
    }

    #[inline(always)]
    pub(super) fn one(&self, k: u32) -> i64 {
        self.ints[k as usize].get()
    }

    #[inline(always)]
    pub(super) fn real(&self, x: Reg) -> Operand<'_, f64> {
        match x {
            Reg::Uniform(k) => Operand::One(self.reals[k as usize].get()),
            Reg::Varying(k) => Operand::Each(&self.lane_reals[k as usize]),
        }
    }

    #[inline(always)]
    pub(super) fn int(&self, x: Reg) -> Operand<'_, i64> {
        match x {
            Reg::Uniform(k) => Operand::One(self.one(k)),
            Reg::Varying(k) => Operand::Each(&self.lane_ints[k as usize]),
        }
    }

    /// Whether a truth value is true in some lane.
    #[inline(always)]
    pub(super) fn any(&self, x: Reg) -> bool {
        match self.int(x) {
            Operand::One(x) => x != 0,
            Operand::Each(x) => (0..self.active).any(|lane| x.get(lane) != 0),
        }
    }

    /// Whether a condition holds in every lane in which the mask is true.
    #[inline(always)]
    pub(super) fn all(&self, mask: Option<Reg>, condition: impl Fn(usize) -> bool) -> bool {
        (0..self.active).all(|lane| !self.masked(mask, lane) || condition(lane))
    }

    #[inline(always)]
    fn masked(&self, mask: Option<Reg>, lane: usize) -> bool {
        mask.is_none_or(|mask| self.int(mask).lane(lane) != 0)
    }

    /// The number of the element that an address means, but for what differs between lanes.
    #[inline(always)]
    pub(super) fn start(&self, address: &Address) -> i64 {
        let [base, index, stride] = [address.base, address.index, address.stride].map(|k| self.one(k));
        base.wrapping_add(index.wrapping_mul(stride))
    }

    /// Where the lanes' elements are that an address means.
    #[inline(always)]
    pub(super) fn reach(&self, address: &Address) -> Reach<'_> {
        let start = self.start(address);
        let at = |k: u32| &self.lane_ints[k as usize];
        let own = |at| Reach::Own { row: start, width: self.width, at };
        let apart = |k: u32, at| {
            let stride = self.one(k);
            Reach::Apart { start: start.wrapping_add(self.first.wrapping_mul(stride)), stride, at }
        };
        match address.across {
            Across::Same => Reach::Same(start),
            Across::Own => own(None),
            Across::OwnAt(k) => own(Some(at(k))),
            Across::Apart(k) => apart(k, None),
            Across::At(k) => Reach::Apart { start, stride: 0, at: Some(at(k)) },
            Across::ApartAt(k, l) => apart(k, Some(at(l))),
        }
    }

    #[inline(always)]
    fn put_real1<A: Copy>(&self, to: Reg, a: Operand<'_, A>, f: impl Fn(A) -> f64) {
        match to {
            Reg::Varying(to) => each1(self.groups, &self.lane_reals[to as usize], a, f),
            Reg::Uniform(to) => self.reals[to as usize].set(f(a.lane(0))),
        }
    }

    #[inline(always)]
    fn put_real2(&self, to: Reg, [a, b]: [Operand<'_, f64>; 2], f: impl Fn(f64, f64) -> f64) {
        match to {
            Reg::Varying(to) => each2(self.groups, &self.lane_reals[to as usize], a, b, f),
            Reg::Uniform(to) => self.reals[to as usize].set(f(a.lane(0), b.lane(0))),
        }
    }

    #[inline(always)]
    fn put_real3(&self, to: Reg, [a, b, c]: [Operand<'_, f64>; 3], f: impl Fn(f64, f64, f64) -> f64) {
        match to {
            Reg::Varying(to) => fused(self.groups, &self.lane_reals[to as usize], [a, b, c], f),
            Reg::Uniform(to) => self.reals[to as usize].set(f(a.lane(0), b.lane(0), c.lane(0))),
        }
    }

    #[inline(always)]
    fn put_int1<A: Copy>(&self, to: Reg, a: Operand<'_, A>, f: impl Fn(A) -> i64) {
        match to {
            Reg::Varying(to) => each1(self.groups, &self.lane_ints[to as usize], a, f),
            Reg::Uniform(to) => self.ints[to as usize].set(f(a.lane(0))),
        }
    }

    #[inline(always)]
    fn put_int2<A: Copy>(&self, to: Reg, [a, b]: [Operand<'_, A>; 2], f: impl Fn(A, A) -> i64) {
        match to {
            Reg::Varying(to) => each2(self.groups, &self.lane_ints[to as usize], a, b, f),
            Reg::Uniform(to) => self.ints[to as usize].set(f(a.lane(0), b.lane(0))),
        }
    }

    #[inline(never)]
    pub(super) fn test<A: Copy + PartialOrd>(&self, test: Test, to: Reg, x: [Operand<'_, A>; 2]) {
        match test {
            Test::Equal => self.put_int2(to, x, |a, b| i64::from(a == b)),
            Test::Less => self.put_int2(to, x, |a, b| i64::from(a < b)),
            Test::LessOrEqual => self.put_int2(to, x, |a, b| i64::from(a <= b)),
        }
    }

    #[inline(always)]
    pub(super) fn select_real(&self, to: Reg, condition: Reg, x: [Reg; 2]) {
        let (condition, x) = (self.int(condition), x.map(|x| self.real(x)));
        let choose = |c, a, b| if c != 0 { a } else { b };
        match to {
            Reg::Varying(to) => each3(self.groups, &self.lane_reals[to as usize], condition, x, choose),
            Reg::Uniform(to) => {
                self.reals[to as usize].set(choose(condition.lane(0), x[0].lane(0), x[1].lane(0)));
            }
        }
    }

    #[inline(never)]
    pub(super) fn select_int(&self, to: Reg, condition: Reg, x: [Reg; 2]) {
        let (condition, x) = (self.int(condition), x.map(|x| self.int(x)));
        let choose = |c, a, b| if c != 0 { a } else { b };
        match to {
            Reg::Varying(to) => each3(self.groups, &self.lane_ints[to as usize], condition, x, choose),
            Reg::Uniform(to) => self.ints[to as usize].set(choose(condition.lane(0), x[0].lane(0), x[1].lane(0))),
        }
    }

    #[inline(never)]
    pub(super) fn truncate(&self, into: Prim, to: Reg, x: Reg) {
        self.put_int1(to, self.real(x), |x: f64| match into {
            Prim::Bool => i64::from(x != 0.0),
            Prim::I32 => i64::from(x as i32),
            Prim::I64 | Prim::F32 | Prim::F64 => x as i64,
        });
    }

    #[inline(never)]
    pub(super) fn integer_to_real(&self, single: bool, to: Reg, x: Reg) {
        self.put_real1(to, self.int(x), |n: i64| if single { f64::from(n as f32) } else { n as f64 });
    }

    #[inline(always)]
    pub(super) fn set_real(&self, cell: Reg, x: Reg, mask: Option<Reg>) {
        let x = self.real(x);
        match cell {
            Reg::Uniform(cell) => self.reals[cell as usize].set(x.lane(0)),
            Reg::Varying(cell) => {
                let cell = &self.lane_reals[cell as usize];
                if mask.is_none() && self.active.is_multiple_of(GROUP) {
                    each1(self.groups, cell, x, |x| x);
                } else {
                    (0..self.active).filter(|l| self.masked(mask, *l)).for_each(|l| cell.set(l, x.lane(l)));
                }
            }
        }
    }

    #[inline(never)]
    pub(super) fn set_int(&self, cell: Reg, x: Reg, mask: Option<Reg>) {
        let x = self.int(x);
        match cell {
            Reg::Uniform(cell) => self.ints[cell as usize].set(x.lane(0)),
            Reg::Varying(cell) => {
                let cell = &self.lane_ints[cell as usize];
                if mask.is_none() && self.active.is_multiple_of(GROUP) {
                    each1(self.groups, cell, x, |x| x);
                } else {
                    (0..self.active).filter(|l| self.masked(mask, *l)).for_each(|l| cell.set(l, x.lane(l)));
                }
            }
        }
    }

    #[inline(always)]
    pub(super) fn real_op(&self, op: RealOp, to: Reg, x: [Reg; 3]) {
        let [a, b, c] = x.map(|x| self.real(x));
        match op {
            RealOp::Copy => self.put_real1(to, a, |a: f64| a),
            RealOp::Add => self.put_real2(to, [a, b], |a, b| a + b),
            RealOp::Mul => self.put_real2(to, [a, b], |a, b| a * b),
            RealOp::Scale => self.put_real2(to, [a, b], |a, b| if a == 0.0 { 0.0 } else { a * b }),
            RealOp::MulAdd => self.put_real3(to, [a, b, c], |a, b, c| a.mul_add(b, c)),
            RealOp::MulSub => self.put_real3(to, [a, b, c], |a, b, c| a.mul_add(b, -c)),
            RealOp::MulSubtracted => self.put_real3(to, [a, b, c], |a, b, c| (-a).mul_add(b, c)),
            RealOp::Row(row) => match row {
                Primitive::Neg => self.put_real1(to, a, |a: f64| -a),
                Primitive::Sub => self.put_real2(to, [a, b], |a, b| a - b),
                Primitive::Recip => self.put_real1(to, a, f64::recip),
                Primitive::Div => self.put_real2(to, [a, b], |a, b| a / b),
                Primitive::Sqrt => self.put_real1(to, a, f64::sqrt),
                Primitive::Abs => self.put_real1(to, a, f64::abs),
                Primitive::Powi(2) => self.put_real1(to, a, |a: f64| a * a),
                Primitive::Min => self.put_real2(to, [a, b], |a, b| if a <= b || a.is_nan() { a } else { b }),
                Primitive::Max => self.put_real2(to, [a, b], |a, b| if a >= b || a.is_nan() { a } else { b }),
                Primitive::AtLeast => self.put_real2(to, [a, b], |a, b| {
                    if a >= b {
                        1.0
                    } else if a < b {
                        0.0
                    } else {
                        f64::NAN
                    }
                }),
                Primitive::Fma => self.put_real3(to, [a, b, c], |a, b, c| a.mul_add(b, c)),
                row => dispatch::row(self, row, to, [a, b, c]),
            },
        }
    }

    /// A row of the table, by the functions that are made for lanes where there are lanes and one for the row.
    #[inline(always)]
    pub(super) fn row<const FMA: bool>(&self, row: Primitive, to: Reg, x: [Operand<'_, f64>; 3]) {
        let (Reg::Varying(block), [a, b, _]) = (to, x) else { return self.row_by_row(row, to, x) };
        let (groups, block) = (self.groups, &self.lane_reals[block as usize]);
        let near = || (0..self.active).all(|lane| math::trig_is_fast(a.lane(lane)));
        match row {
            Primitive::Exp => each1(groups, block, a, math::exp::<FMA>),
            Primitive::Exp2 => each1(groups, block, a, math::exp2::<FMA>),
            Primitive::Expm1 => each1(groups, block, a, math::expm1::<FMA>),
            Primitive::Ln => each1(groups, block, a, math::ln::<FMA>),
            Primitive::Log2 => each1(groups, block, a, math::log2::<FMA>),
            Primitive::Log10 => each1(groups, block, a, math::log10::<FMA>),
            Primitive::Log1p => each1(groups, block, a, math::log1p::<FMA>),
            Primitive::Sin if near() => each1(groups, block, a, math::sin::<FMA>),
            Primitive::Cos if near() => each1(groups, block, a, math::cos::<FMA>),
            Primitive::Tan if near() => each1(groups, block, a, math::tan::<FMA>),
            Primitive::Asin => each1(groups, block, a, math::asin::<FMA>),
            Primitive::Acos => each1(groups, block, a, math::acos::<FMA>),
            Primitive::Atan => each1(groups, block, a, math::atan::<FMA>),
            Primitive::Sinh => each1(groups, block, a, math::sinh::<FMA>),
            Primitive::Cosh => each1(groups, block, a, math::cosh::<FMA>),
            Primitive::Tanh => each1(groups, block, a, math::tanh::<FMA>),
            Primitive::Cbrt => each1(groups, block, a, math::cbrt::<FMA>),
            Primitive::Erf => each1(groups, block, a, math::erf::<FMA>),
            Primitive::Erfc => each1(groups, block, a, math::erfc::<FMA>),
            Primitive::Sigmoid => each1(groups, block, a, math::sigmoid::<FMA>),
            Primitive::Softplus => each1(groups, block, a, math::softplus::<FMA>),
            Primitive::Atan2 => each2(groups, block, a, b, math::atan2::<FMA>),
            Primitive::Hypot => each2(groups, block, a, b, math::hypot::<FMA>),
            Primitive::Pow => each2(groups, block, a, b, math::pow::<FMA>),
            row => self.row_by_row(row, to, x),
        }
    }

    /// A row of the table, lane by lane.
    #[inline(never)]
    pub(super) fn row_by_row(&self, row: Primitive, to: Reg, x: [Operand<'_, f64>; 3]) {
        self.each(to, x, |x| row.apply(&x[..row.arity()]));
    }

    /// Lane by lane.
    #[inline(always)]
    fn each(&self, to: Reg, [a, b, c]: [Operand<'_, f64>; 3], f: impl Fn([f64; 3]) -> f64) {
        match to {
            Reg::Uniform(to) => self.reals[to as usize].set(f([a, b, c].map(|x| x.lane(0)))),
            Reg::Varying(to) => {
                let to = &self.lane_reals[to as usize];
                (0..self.active).for_each(|lane| to.set(lane, f([a, b, c].map(|x| x.lane(lane)))));
            }
        }
    }

    #[inline(never)]
    pub(super) fn int_op(&self, op: IntOp, narrow: bool, to: Reg, x: [Reg; 2]) {
        let [a, b] = x.map(|x| self.int(x));
        // Integers of 32 bits wrap where they do.
        let fit = |n: i64| if narrow { i64::from(n as i32) } else { n };
        match op {
            IntOp::Copy => self.put_int1(to, a, |a: i64| a),
            IntOp::Add => self.put_int2(to, [a, b], |a: i64, b| fit(a.wrapping_add(b))),
            IntOp::Mul => self.put_int2(to, [a, b], |a: i64, b| fit(a.wrapping_mul(b))),
            IntOp::And => self.put_int2(to, [a, b], |a: i64, b| a & b),
            IntOp::Or => self.put_int2(to, [a, b], |a: i64, b| a | b),
            IntOp::Not => self.put_int1(to, a, |a: i64| a ^ 1),
            IntOp::Test(test) => self.test(test, to, [a, b]),
            IntOp::Convert(into) => self.put_int1(to, a, |a: i64| match into {
                Prim::Bool => i64::from(a != 0),
                Prim::I32 => i64::from(a as i32),
                Prim::I64 | Prim::F32 | Prim::F64 => a,
            }),
            IntOp::Row(IntegerRow::Sub) => self.put_int2(to, [a, b], |a: i64, b| fit(a.wrapping_sub(b))),
            IntOp::Row(IntegerRow::Neg) => self.put_int1(to, a, |a: i64| fit(a.wrapping_neg())),
            IntOp::Row(row) => {
                // What has no value is checked before; where it is not wanted, it may be anything.
                let value = |a: i64, b: i64| {
                    let x = &[a, b][..row.arity()];
                    if narrow {
                        let x: [i32; 2] = [a as i32, b as i32];
                        row.value_i32(&x[..row.arity()]).map_or(0, i64::from)
                    } else {
                        row.value_i64(x).unwrap_or(0)
                    }
                };
                self.put_int2(to, [a, b], value);
            }
        }
    }
}
