//! What is computed in registers.
//!
//! Law: what an instruction computes in a lane is what the interpreter computes of the same numbers, bit for bit, but
//! for the elementary functions, which are within their stated error (laws: executors::suite,
//! tests/scalar/vector_math.rs).

use super::dispatch;
use super::folds::{greatest, least};
use super::instruction::{Address, IntOp, RealOp, Reg};
use super::machine::plus;
use super::memory::Elements;
use super::real::{DOUBLES, Real, rounding};
use super::state::{Mask, State};
use super::transfer::{Reach, add, add_real};
use super::vector::{Group, Operand, Source, by_eights1, by_eights2, each1, each2, each3, lanes, one_by_one, set};
use crate::array::{Const, Integer, IntegerRow, Prim, for_integers};
use crate::interpret::Test;
use crate::primitives::Primitive;

impl<R: Real<G>, const G: usize> State<R, G> {
    #[inline(always)]
    fn put_real1<A: Copy>(&self, to: Reg, a: Operand<'_, A, G>, f: impl Fn(A) -> R) {
        match to {
            Reg::Varying(to) => each1(self.real_block(to), a, f),
            Reg::Uniform(to) => self.reals.set(to, f(a.lane(0))),
        }
    }

    #[inline(always)]
    fn put_real2(&self, to: Reg, [a, b]: [Operand<'_, R, G>; 2], f: impl Fn(R, R) -> R) {
        match to {
            Reg::Varying(to) => each2(self.real_block(to), a, b, f),
            Reg::Uniform(to) => self.reals.set(to, f(a.lane(0), b.lane(0))),
        }
    }

    #[inline(always)]
    fn put_real3(&self, to: Reg, [a, b, c]: [Operand<'_, R, G>; 3], f: impl Fn(R, R, R) -> R) {
        match to {
            Reg::Varying(to) => each3(self.real_block(to), a, b, c, f),
            Reg::Uniform(to) => self.reals.set(to, f(a.lane(0), b.lane(0), c.lane(0))),
        }
    }

    #[inline(always)]
    fn put_int1<A: Copy>(&self, to: Reg, a: Operand<'_, A, G>, f: impl Fn(A) -> i64) {
        match to {
            Reg::Varying(to) => each1(self.int_block(to), a, f),
            Reg::Uniform(to) => self.ints.set(to, f(a.lane(0))),
        }
    }

    #[inline(always)]
    fn put_int2<A: Copy>(&self, to: Reg, [a, b]: [Operand<'_, A, G>; 2], f: impl Fn(A, A) -> i64) {
        match to {
            Reg::Varying(to) => each2(self.int_block(to), a, b, f),
            Reg::Uniform(to) => self.ints.set(to, f(a.lane(0), b.lane(0))),
        }
    }

    #[inline(always)]
    pub(super) fn test<A: Copy + PartialOrd>(&self, test: Test, to: Reg, x: [Operand<'_, A, G>; 2]) {
        match test {
            Test::Equal => self.put_int2(to, x, |a, b| i64::from(a == b)),
            Test::Less => self.put_int2(to, x, |a, b| i64::from(a < b)),
            Test::LessOrEqual => self.put_int2(to, x, |a, b| i64::from(a <= b)),
        }
    }

    /// Of many groups, few have what is looked for: those are all that is written.
    #[inline(always)]
    pub(super) fn least_where(&self, to: Reg, x: [Reg; 2], of: [Reg; 2]) {
        let in_place = to == x[0];
        let ([so_far, index], [a, b]) = (x.map(|x| self.int(x)), of.map(|x| self.real(x)));
        let to = match to {
            Reg::Varying(to) => self.int_block(to),
            Reg::Uniform(to) => {
                let (so_far, index) = (so_far.lane(0), index.lane(0));
                let found = if a.lane(0) == b.lane(0) { so_far.min(index) } else { so_far };
                return self.ints.set(to, found);
            }
        };
        for (k, to) in to.iter().enumerate() {
            let (a, b) = (a.group(k), b.group(k));
            let mut any = false;
            for i in 0..G {
                any |= a[i] == b[i];
            }
            if any {
                let (so_far, index) = (so_far.group(k), index.group(k));
                to.write(lanes(|i| if a[i] == b[i] { so_far[i].min(index[i]) } else { so_far[i] }));
            } else if !in_place {
                to.write(so_far.group(k));
            }
        }
    }

    #[inline(always)]
    pub(super) fn select_real(&self, to: Reg, condition: Reg, x: [Reg; 2]) {
        let (condition, x) = (self.int(condition), [self.real(x[0]), self.real(x[1])]);
        let choose = |c, a, b| if c != 0 { a } else { b };
        match to {
            Reg::Varying(to) => each3(self.real_block(to), condition, x[0], x[1], choose),
            Reg::Uniform(to) => {
                self.reals.set(to, choose(condition.lane(0), x[0].lane(0), x[1].lane(0)));
            }
        }
    }

    #[inline(always)]
    pub(super) fn select_int(&self, to: Reg, condition: Reg, x: [Reg; 2]) {
        let (condition, x) = (self.int(condition), [self.int(x[0]), self.int(x[1])]);
        let choose = |c, a, b| if c != 0 { a } else { b };
        match to {
            Reg::Varying(to) => each3(self.int_block(to), condition, x[0], x[1], choose),
            Reg::Uniform(to) => self.ints.set(to, choose(condition.lane(0), x[0].lane(0), x[1].lane(0))),
        }
    }

    #[inline(never)]
    pub(super) fn truncate(&self, into: Prim, to: Reg, x: Reg) {
        match into {
            Prim::I64 => self.put_int1(to, self.real(x), R::truncated),
            Prim::I32 => self.put_int1(to, self.real(x), |x: R| i64::from(x.truncated_to_i32())),
            into => self.put_int1(to, self.real(x), |x: R| truncated(into, x)),
        }
    }

    #[inline(never)]
    pub(super) fn integer_to_real(&self, from: Prim, single: bool, to: Reg, x: Reg) {
        let unsigned = from == Prim::U64;
        self.put_real1(to, self.int(x), |n: i64| R::of_integer(unsigned, single, n));
    }

    #[inline(never)]
    pub(super) fn bits(&self, kind: Prim, to: Reg, x: Reg) {
        self.put_int1(to, self.real(x), |x: R| x.bits(kind));
    }

    #[inline(never)]
    pub(super) fn real_of_bits(&self, kind: Prim, to: Reg, x: Reg) {
        self.put_real1(to, self.int(x), |n: i64| R::of_bits(kind, n));
    }

    #[inline(always)]
    pub(super) fn set_real(&self, cell: Reg, x: Reg, mask: Option<Reg>) {
        let x = self.real(x);
        match cell {
            Reg::Uniform(cell) => self.reals.set(cell, x.lane(0)),
            Reg::Varying(cell) => self.set_block(self.real_block(cell), x, self.mask(mask)),
        }
    }

    #[inline(never)]
    pub(super) fn set_int(&self, cell: Reg, x: Reg, mask: Option<Reg>) {
        let x = self.int(x);
        match cell {
            Reg::Uniform(cell) => self.ints.set(cell, x.lane(0)),
            Reg::Varying(cell) => self.set_block(self.int_block(cell), x, self.mask(mask)),
        }
    }

    /// Adds the reals of the lanes in which the mask is true to what is there, and rounds each sum.
    #[inline(never)]
    pub(super) fn add_rounded(
        &self,
        to: &mut Elements<'_, R>,
        reach: Reach<'_, G>,
        kind: Prim,
        x: Reg,
        mask: Option<Reg>,
    ) {
        add_real(to, reach, self.real(x), self.mask(mask), self.active, rounding(kind));
    }

    /// Adds the integers of the lanes in which the mask is true to what is there.
    #[inline(never)]
    pub(super) fn add_int(&self, to: &mut Elements<'_, i64>, at: &Address, kind: Prim, x: Reg, mask: Option<Reg>) {
        let plus = |a, b| plus(Some(kind), a, b);
        add(to, self.reach(at), self.int(x), self.mask(mask), self.active, plus);
    }

    #[inline(always)]
    fn set_block<T: Copy>(&self, cell: &[Group<T, G>], x: Operand<'_, T, G>, mask: Mask<'_, G>) {
        match mask {
            Mask::None => {}
            Mask::All => each1(cell, x, |x| x),
            Mask::Where(mask) => {
                for (k, cell) in cell.iter().enumerate() {
                    let (mask, now, x) = (mask.group(k), cell.read(), x.group(k));
                    cell.write(lanes(|i| if mask[i] != 0 { x[i] } else { now[i] }));
                }
            }
        }
    }

    #[inline(always)]
    pub(super) fn real_op(&self, op: RealOp, to: Reg, x: [Reg; 3]) {
        if let Reg::Uniform(to) = to {
            return self
                .reals
                .set(to, one(op, [self.real(x[0]).lane(0), self.real(x[1]).lane(0), self.real(x[2]).lane(0)]));
        }
        let (a, b, c) = (self.real(x[0]), self.real(x[1]), self.real(x[2]));
        match op {
            RealOp::Copy => self.put_real1(to, a, |a: R| a),
            RealOp::Add => self.put_real2(to, [a, b], |a, b| a + b),
            RealOp::Mul => self.put_real2(to, [a, b], |a, b| a * b),
            RealOp::Scale => self.put_real2(to, [a, b], |a, b| if a == R::default() { R::default() } else { a * b }),
            RealOp::MulAdd => self.put_real3(to, [a, b, c], |a, b, c| a.mul_add(b, c)),
            RealOp::MulSub => self.put_real3(to, [a, b, c], |a, b, c| a.mul_add(b, -c)),
            RealOp::MulSubtracted => self.put_real3(to, [a, b, c], |a, b, c| (-a).mul_add(b, c)),
            RealOp::Row(row) => match row {
                Primitive::Neg => self.put_real1(to, a, |a: R| -a),
                Primitive::Sub => self.put_real2(to, [a, b], |a, b| a - b),
                Primitive::Recip => self.put_real1(to, a, |a: R| R::ONE / a),
                Primitive::Div => self.put_real2(to, [a, b], |a, b| a / b),
                Primitive::Sqrt => self.put_real1(to, a, R::sqrt),
                Primitive::Abs => self.put_real1(to, a, R::abs),
                Primitive::Powi(2) => self.put_real1(to, a, |a: R| a * a),
                Primitive::Min => self.put_real2(to, [a, b], least),
                Primitive::Max => self.put_real2(to, [a, b], greatest),
                Primitive::GeIndicator => self.put_real2(to, [a, b], |a, b| if a >= b { R::ONE } else { R::default() }),
                Primitive::Select => self.put_real3(to, [a, b, c], |c, x, y| if c == R::default() { y } else { x }),
                Primitive::Single => self.put_real1(to, a, R::to_single),
                Primitive::Half => self.put_real1(to, a, R::to_half),
                Primitive::Fma => self.put_real3(to, [a, b, c], R::fma),
                row => dispatch::row(self, row, to, [a, b, c]),
            },
        }
    }

    /// A row of the table, by the functions that are made for lanes where there are lanes and one for the row.
    #[cfg_attr(
        not(any(target_arch = "x86_64", target_arch = "aarch64")),
        expect(dead_code, reason = "no fused product")
    )]
    #[inline(always)]
    pub(super) fn row<const FMA: bool>(&self, row: Primitive, to: Reg, x: [Operand<'_, R, G>; 3]) {
        let (Reg::Varying(block), [a, b, _]) = (to, x) else { return self.row_by_row(row, to, x) };
        let block = self.real_block(block);
        let near = || (0..self.active).all(|lane| R::trig_is_fast(a.lane(lane)));
        match row {
            Primitive::Exp => by_eights1(block, a, R::exp::<FMA>),
            Primitive::Exp2 => by_eights1(block, a, R::exp2::<FMA>),
            Primitive::Expm1 => by_eights1(block, a, R::expm1::<FMA>),
            Primitive::Ln => by_eights1(block, a, R::ln::<FMA>),
            Primitive::Log2 => by_eights1(block, a, R::log2::<FMA>),
            Primitive::Log10 => by_eights1(block, a, R::log10::<FMA>),
            Primitive::Log1p => by_eights1(block, a, R::log1p::<FMA>),
            Primitive::Sin if near() => by_eights1(block, a, R::sin::<FMA>),
            Primitive::Cos if near() => by_eights1(block, a, R::cos::<FMA>),
            Primitive::Tan if near() => by_eights1(block, a, R::tan::<FMA>),
            Primitive::Asin => by_eights1(block, a, R::asin::<FMA>),
            Primitive::Acos => by_eights1(block, a, R::acos::<FMA>),
            Primitive::Atan => by_eights1(block, a, R::atan::<FMA>),
            Primitive::Sinh => by_eights1(block, a, R::sinh::<FMA>),
            Primitive::Cosh => by_eights1(block, a, R::cosh::<FMA>),
            Primitive::Tanh => by_eights1(block, a, R::tanh::<FMA>),
            Primitive::Cbrt => by_eights1(block, a, R::cbrt::<FMA>),
            Primitive::Erf => by_eights1(block, a, R::erf::<FMA>),
            Primitive::Erfc => by_eights1(block, a, R::erfc::<FMA>),
            Primitive::Sigmoid => by_eights1(block, a, R::sigmoid::<FMA>),
            Primitive::Softplus => by_eights1(block, a, R::softplus::<FMA>),
            Primitive::Atan2 => by_eights2(block, a, b, R::atan2::<FMA>),
            Primitive::Hypot => by_eights2(block, a, b, R::hypot::<FMA>),
            Primitive::Pow => by_eights2(block, a, b, R::pow::<FMA>),
            Primitive::StopGradient => each1(block, a, |x: R| x),
            Primitive::Floor => each1(block, a, |x: R| R::of(x.double().floor())),
            Primitive::Ceil => each1(block, a, |x: R| R::of(x.double().ceil())),
            Primitive::Round => each1(block, a, |x: R| R::of(x.double().round())),
            // The interpreter multiplies singles as doubles.
            Primitive::Powi(n) if G == DOUBLES => powers(block, a, n),
            row => self.row_by_row(row, to, x),
        }
    }

    /// A row of the table, lane by lane.
    #[inline(never)]
    pub(super) fn row_by_row(&self, row: Primitive, to: Reg, x: [Operand<'_, R, G>; 3]) {
        self.each(to, x, |[a, b, c]| R::by_table(row, a, b, c));
    }

    /// Lane by lane.
    #[inline(always)]
    fn each(&self, to: Reg, [a, b, c]: [Operand<'_, R, G>; 3], f: impl Fn([R; 3]) -> R) {
        match to {
            Reg::Uniform(to) => self.reals.set(to, f([a, b, c].map(|x| x.lane(0)))),
            Reg::Varying(to) => {
                let to = self.real_block(to);
                (0..self.active).for_each(|lane| set(to, lane, f([a, b, c].map(|x| x.lane(lane)))));
            }
        }
    }

    #[inline(always)]
    pub(super) fn int_op(&self, op: IntOp, kind: Prim, to: Reg, x: [Reg; 2]) {
        let (a, b) = (self.int(x[0]), self.int(x[1]));
        match (op, kind) {
            (IntOp::Copy, _) => self.put_int1(to, a, |a: i64| a),
            (IntOp::And | IntOp::Row(IntegerRow::And), _) => self.put_int2(to, [a, b], |a: i64, b| a & b),
            (IntOp::Or | IntOp::Row(IntegerRow::Or), _) => self.put_int2(to, [a, b], |a: i64, b| a | b),
            (IntOp::Row(IntegerRow::Xor), _) => self.put_int2(to, [a, b], |a: i64, b| a ^ b),
            (IntOp::Row(IntegerRow::Shr), kind) if kind.is_signed() => {
                self.put_int2(to, [a, b], |a: i64, b| a >> (b as u64).min(63));
            }
            (IntOp::Row(IntegerRow::Shr), _) => {
                self.put_int2(to, [a, b], |a: i64, b| if (b as u64) < 64 { (a as u64 >> b) as i64 } else { 0 });
            }
            (IntOp::Row(IntegerRow::Shl), Prim::I64 | Prim::U64) => {
                self.put_int2(to, [a, b], |a: i64, b| if (b as u64) < 64 { a << b } else { 0 });
            }
            (IntOp::Not, _) => self.put_int1(to, a, |a: i64| a ^ 1),
            (IntOp::Test(test), Prim::U64) => match test {
                Test::Equal => self.put_int2(to, [a, b], |a: i64, b| i64::from(a == b)),
                Test::Less => self.put_int2(to, [a, b], |a: i64, b| i64::from((a as u64) < b as u64)),
                Test::LessOrEqual => self.put_int2(to, [a, b], |a: i64, b| i64::from(a as u64 <= b as u64)),
            },
            (IntOp::Test(test), _) => self.test(test, to, [a, b]),
            (IntOp::Convert(Prim::I64 | Prim::U64), _) => self.put_int1(to, a, |a: i64| a),
            (IntOp::Convert(Prim::I32), _) => self.put_int1(to, a, |a: i64| i64::from(a as i32)),
            (IntOp::Convert(into), _) => self.put_int1(to, a, |a: i64| wrapped(into, a)),
            (IntOp::Row(IntegerRow::Min), Prim::U64) => {
                self.put_int2(to, [a, b], |a: i64, b| (a as u64).min(b as u64) as i64);
            }
            (IntOp::Row(IntegerRow::Max), Prim::U64) => {
                self.put_int2(to, [a, b], |a: i64, b| (a as u64).max(b as u64) as i64);
            }
            (IntOp::Row(IntegerRow::Min), _) => self.put_int2(to, [a, b], |a: i64, b| a.min(b)),
            (IntOp::Row(IntegerRow::Max), _) => self.put_int2(to, [a, b], |a: i64, b| a.max(b)),
            (IntOp::Row(row), kind) if !matches!(row, IntegerRow::Sub | IntegerRow::Neg) => {
                self.by_row(row, kind, to, [a, b]);
            }
            (op, Prim::I64 | Prim::U64) => self.wrapping(op, to, [a, b], |n| n),
            (op, Prim::I32) => self.wrapping(op, to, [a, b], |n| i64::from(n as i32)),
            (op, kind) => self.narrow(op, kind, to, [a, b]),
        }
    }

    /// An operation on integers of fewer bits than most have.
    #[inline(never)]
    fn narrow(&self, op: IntOp, kind: Prim, to: Reg, x: [Operand<'_, i64, G>; 2]) {
        self.wrapping(op, to, x, |n| wrapped(kind, n));
    }

    #[inline(never)]
    fn by_row(&self, row: IntegerRow, kind: Prim, to: Reg, x: [Operand<'_, i64, G>; 2]) {
        self.put_int2(to, x, |a: i64, b| by_row(row, kind, a, b));
    }

    #[inline(always)]
    fn wrapping(&self, op: IntOp, to: Reg, [a, b]: [Operand<'_, i64, G>; 2], fit: impl Fn(i64) -> i64) {
        match op {
            IntOp::Add => self.put_int2(to, [a, b], |a: i64, b| fit(a.wrapping_add(b))),
            IntOp::Mul => self.put_int2(to, [a, b], |a: i64, b| fit(a.wrapping_mul(b))),
            IntOp::Row(IntegerRow::Sub) => self.put_int2(to, [a, b], |a: i64, b| fit(a.wrapping_sub(b))),
            IntOp::Row(IntegerRow::Neg) => self.put_int1(to, a, |a: i64| fit(a.wrapping_neg())),
            IntOp::Copy | IntOp::And | IntOp::Or | IntOp::Not | IntOp::Test(_) | IntOp::Convert(_) | IntOp::Row(_) => {
                unreachable!("what does not wrap is done elsewhere")
            }
        }
    }
}

/// An integer or a truth value as it is in a register.
pub(super) fn register(constant: Const) -> i64 {
    constant.integer().expect("what is in a register of integers is one") as i64
}

/// A real without what is behind its point, as an integer of this kind.
pub(super) fn truncated<R: Real<G>, const G: usize>(into: Prim, x: R) -> i64 {
    register(Const::rounded(x.double(), into))
}

/// The integer of this kind that is in a register.
pub(super) fn constant(kind: Prim, n: i64) -> Const {
    Const::wrapped(n.into(), kind)
}

/// The lower bits of an integer, as many as the kind has.
#[inline(always)]
pub(super) fn wrapped(kind: Prim, n: i64) -> i64 {
    macro_rules! of {
        ($($Kind:ident($Number:ident))+) => {
            match kind {
                Prim::Bool => i64::from(n != 0),
                $(Prim::$Kind => n as $Number as i64,)+
                _ => n,
            }
        };
    }
    for_integers!(of!())
}

/// A row of the table of integers. What has no value is checked before; where it is not wanted, it may be anything.
#[inline(never)]
pub(super) fn by_row(row: IntegerRow, kind: Prim, a: i64, b: i64) -> i64 {
    fn of<N: Integer>(row: IntegerRow, a: i64, b: i64) -> i64 {
        row.value(&[N::low(a), N::low(b)][..row.arity()]).map_or(0, N::extended)
    }
    macro_rules! by_kind {
        ($($Kind:ident($Number:ident))+) => {
            match kind {
                $(Prim::$Kind => of::<$Number>(row, a, b),)+
                _ => unreachable!("the row is of integers"),
            }
        };
    }
    for_integers!(by_kind!())
}

/// The value of an operation on numbers that are the same in all lanes.
#[inline(always)]
pub(super) fn one<R: Real<G>, const G: usize>(op: RealOp, [a, b, c]: [R; 3]) -> R {
    match op {
        RealOp::Copy => a,
        RealOp::Add => a + b,
        RealOp::Mul => a * b,
        RealOp::Scale => {
            if a == R::default() {
                R::default()
            } else {
                a * b
            }
        }
        RealOp::MulAdd => a.mul_add(b, c),
        RealOp::MulSub => a.mul_add(b, -c),
        RealOp::MulSubtracted => (-a).mul_add(b, c),
        RealOp::Row(Primitive::Neg) => -a,
        RealOp::Row(Primitive::Sub) => a - b,
        RealOp::Row(Primitive::Div) => a / b,
        RealOp::Row(Primitive::Sqrt) => a.sqrt(),
        RealOp::Row(Primitive::Single) => a.to_single(),
        RealOp::Row(Primitive::Half) => a.to_half(),
        RealOp::Row(row) => R::by_table(row, a, b, c),
    }
}

/// `to = aⁿ` by repeated squaring, with the products of `f64::powi` in their order.
#[inline(always)]
fn powers<R: Real<G>, const G: usize>(to: &[Group<R, G>], a: impl Source<R, G>, n: i32) {
    let a = a.first(to.len());
    for (k, to) in to.iter().enumerate() {
        let (mut square, mut power, mut left) = (a.group(k), [R::ONE; G], n.unsigned_abs());
        loop {
            if left % 2 == 1 {
                power = lanes(|i| power[i] * square[i]);
            }
            left /= 2;
            if left == 0 {
                break;
            }
            square = lanes(|i| square[i] * square[i]);
        }
        to.write(if n < 0 { lanes(|i| R::ONE / power[i]) } else { power });
        one_by_one();
    }
}
