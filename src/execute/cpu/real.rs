//! The reals that a machine computes with: doubles, or singles in groups of twice as many lanes.
//!
//! Law: one machine runs both by the same instructions; what it computes of singles is what the interpreter rounds to, but
//! for products that are added in the same operation, sums in another order, and the elementary functions
//! (tests/execute/singles.rs, tests/laws/kinds.rs).

#![allow(unsafe_code, reason = "products of matrices and functions for particular processors are unsafe to call")]

use core::fmt::Debug;
use core::ops::{Add, Div, Mul, Neg, Sub};
use std::sync::{Mutex, PoisonError};

#[cfg(target_arch = "x86_64")]
use super::dispatch;
use super::machine::Workspace;
use super::simd::{Doubles, Register, Singles, WidestDoubles, WidestSingles};
use super::subnormals::Scale;
use crate::array::Prim;
use crate::execute::math::Lane;
use crate::execute::{Flat, Lent};
use crate::primitives::{Primitive, f16, to_half};

/// The lanes of a group: one vector register of 512 bits, or two of 256.
pub(super) const DOUBLES: usize = 8;
pub(super) const SINGLES: usize = 16;

/// A kind of reals, of which a group has `G`.
pub(super) trait Real<const G: usize>:
    Lane
    + Default
    + PartialOrd
    + Debug
    + Send
    + Sync
    + 'static
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
{
    const ONE: Self;
    const SCALE: Scale<Self>;
    const ZEROS: &[Self; G];

    /// The registers that tiles of products are computed in: those of AVX-512 on x86-64, and those of all other levels.
    type Widest: Register<Self>;
    type Vector: Register<Self>;

    /// The nearest to a double.
    fn of(x: f64) -> Self;
    fn double(self) -> f64;
    /// Rounded to single precision, as doubles are that stand for singles.
    #[inline(always)]
    fn to_single(self) -> Self {
        Self::of(f64::from(self.double() as f32))
    }
    /// The same of half precision.
    #[inline(always)]
    fn to_half(self) -> Self {
        Self::of(to_half(self.double()))
    }
    /// The integer as a real: the nearest, or the nearest of single precision.
    fn of_integer(unsigned: bool, single: bool, n: i64) -> Self;
    /// The bits that it has in this kind of reals, and the real that has these.
    fn bits(self, kind: Prim) -> i64;
    fn of_bits(kind: Prim, n: i64) -> Self;
    fn truncated(self) -> i64;
    fn truncated_to_i32(self) -> i32;

    fn mul_add(self, by: Self, plus: Self) -> Self;
    /// `x y + z` as the interpreter computes it.
    #[inline(always)]
    fn fma(self, by: Self, plus: Self) -> Self {
        Self::of(f64::mul_add(self.double(), by.double(), plus.double()))
    }
    fn sqrt(self) -> Self;
    fn abs(self) -> Self;
    fn is_nan(self) -> bool;
    /// With another sign if that of `sign` is negative.
    fn times_sign(self, sign: Self) -> Self;
    /// A row of the table of primitives. The operands are in registers: an array is stored and loaded again.
    #[inline(never)]
    fn by_table(row: Primitive, a: Self, b: Self, c: Self) -> Self {
        Self::of(row.apply(&[a.double(), b.double(), c.double()][..row.arity()]))
    }

    /// `c = a b + factor c`, of these sizes; the matrices by their first elements and their strides.
    ///
    /// # Safety
    /// All elements of the matrices are there, and those of the last differ from each other and from those of the others.
    unsafe fn product(
        sizes: [usize; 3],
        a: (*const Self, [isize; 2]),
        b: (*const Self, [isize; 2]),
        factor: Self,
        c: (*mut Self, [isize; 2]),
    );

    /// The columns of the rows of a square.
    ///
    /// # Safety
    /// The processor has AVX-512.
    #[cfg(target_arch = "x86_64")]
    unsafe fn columns(rows: [&[Self; G]; G]) -> [[Self; G]; G];

    /// The elements of what is in memory, if they are of this kind.
    fn elements(flat: Lent<'_>) -> Option<&[Self]>;
    fn elements_mut(flat: &mut Flat) -> &mut Vec<Self>;

    /// The memory of machines for this kind.
    fn workspaces(spare: &Spare) -> &Mutex<Vec<Workspace<Self, G>>>;
}

/// What makes a real one of this kind.
pub(super) fn rounding<R: Real<G>, const G: usize>(prim: Prim) -> fn(R) -> R {
    match prim {
        Prim::F16 => R::to_half,
        Prim::F32 => R::to_single,
        _ => |x| x,
    }
}

/// What runs have worked on and left for the next.
#[derive(Debug, Default)]
pub(super) struct Spare {
    doubles: Mutex<Vec<Workspace<f64, DOUBLES>>>,
    singles: Mutex<Vec<Workspace<f32, SINGLES>>>,
}

impl Spare {
    /// The memory that a run has left, or new memory.
    pub(super) fn take<R: Real<G>, const G: usize>(&self) -> Workspace<R, G> {
        R::workspaces(self).lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default()
    }

    pub(super) fn put<R: Real<G>, const G: usize>(&self, workspace: Workspace<R, G>) {
        R::workspaces(self).lock().unwrap_or_else(PoisonError::into_inner).push(workspace);
    }
}

/// What both kinds have of the standard library and of the one for products of matrices.
macro_rules! operations {
    ($Real:ident, $G:ident, $gemm:ident, $columns:ident, $Widest:ident, $Vector:ident) => {
        const ONE: Self = 1.0;
        const ZEROS: &[Self; $G] = &[0.0; $G];

        type Widest = $Widest;
        type Vector = $Vector;

        #[inline(always)]
        fn truncated(self) -> i64 {
            self as i64
        }

        #[inline(always)]
        fn truncated_to_i32(self) -> i32 {
            self as i32
        }

        #[inline(always)]
        fn mul_add(self, by: Self, plus: Self) -> Self {
            $Real::mul_add(self, by, plus)
        }

        #[inline(always)]
        fn sqrt(self) -> Self {
            $Real::sqrt(self)
        }

        #[inline(always)]
        fn abs(self) -> Self {
            $Real::abs(self)
        }

        #[inline(always)]
        fn is_nan(self) -> bool {
            $Real::is_nan(self)
        }

        unsafe fn product(
            [m, k, n]: [usize; 3],
            (a, [rsa, csa]): (*const Self, [isize; 2]),
            (b, [rsb, csb]): (*const Self, [isize; 2]),
            factor: Self,
            (c, [rsc, csc]): (*mut Self, [isize; 2]),
        ) {
            // SAFETY: whoever calls this says that all elements are there.
            unsafe { matrixmultiply::$gemm(m, k, n, 1.0, a, rsa, csa, b, rsb, csb, factor, c, rsc, csc) }
        }

        #[cfg(target_arch = "x86_64")]
        #[inline(always)]
        unsafe fn columns(rows: [&[Self; $G]; $G]) -> [[Self; $G]; $G] {
            // SAFETY: whoever calls this says what the processor has.
            unsafe { dispatch::$columns(rows) }
        }

        #[inline(always)]
        fn times_sign(self, sign: Self) -> Self {
            $Real::from_bits(self.to_bits() ^ (sign.to_bits() & (-0.0 as $Real).to_bits()))
        }
    };
}

impl Real<DOUBLES> for f64 {
    operations!(f64, DOUBLES, dgemm, columns_of_doubles, WidestDoubles, Doubles);

    const SCALE: Scale<Self> = Scale::DOUBLE;

    #[inline(always)]
    fn of(x: f64) -> Self {
        x
    }

    #[inline(always)]
    fn double(self) -> f64 {
        self
    }

    #[inline(always)]
    fn of_integer(unsigned: bool, single: bool, n: i64) -> Self {
        match (unsigned, single) {
            (false, false) => n as f64,
            (false, true) => f64::from(n as f32),
            (true, false) => n as u64 as f64,
            (true, true) => f64::from(n as u64 as f32),
        }
    }

    #[inline(always)]
    fn bits(self, kind: Prim) -> i64 {
        match kind {
            Prim::F16 => f16::from_f64(self).to_bits().into(),
            Prim::F32 => (self as f32).to_bits().into(),
            _ => self.to_bits() as i64,
        }
    }

    #[inline(always)]
    fn of_bits(kind: Prim, n: i64) -> Self {
        match kind {
            Prim::F16 => f16::from_bits(n as u16).into(),
            Prim::F32 => f32::from_bits(n as u32).into(),
            _ => f64::from_bits(n as u64),
        }
    }

    fn elements(flat: Lent<'_>) -> Option<&[Self]> {
        (flat.prim != Prim::F32).then_some(flat.reals)
    }

    fn elements_mut(flat: &mut Flat) -> &mut Vec<Self> {
        &mut flat.reals
    }

    fn workspaces(spare: &Spare) -> &Mutex<Vec<Workspace<Self, DOUBLES>>> {
        &spare.doubles
    }
}

impl Real<SINGLES> for f32 {
    operations!(f32, SINGLES, sgemm, columns_of_singles, WidestSingles, Singles);

    const SCALE: Scale<Self> = Scale::SINGLE;

    #[inline(always)]
    fn of(x: f64) -> Self {
        x as f32
    }

    #[inline(always)]
    fn double(self) -> f64 {
        self.into()
    }

    #[inline(always)]
    fn of_integer(unsigned: bool, _: bool, n: i64) -> Self {
        if unsigned { n as u64 as f32 } else { n as f32 }
    }

    #[inline(always)]
    fn bits(self, _: Prim) -> i64 {
        self.to_bits().into()
    }

    #[inline(always)]
    fn of_bits(_: Prim, n: i64) -> Self {
        f32::from_bits(n as u32)
    }

    fn elements(flat: Lent<'_>) -> Option<&[Self]> {
        flat.as_singles()
    }

    fn elements_mut(flat: &mut Flat) -> &mut Vec<Self> {
        &mut flat.singles
    }

    fn workspaces(spare: &Spare) -> &Mutex<Vec<Workspace<Self, SINGLES>>> {
        &spare.singles
    }
}
