//! The same loops, compiled for the vector instructions that the processor has.
//!
//! Law: a version runs only where its instructions exist (tests/execute/lanes.rs, tests/scalar/vector_math.rs).

#![allow(unsafe_code, reason = "functions for particular processors are unsafe to call anywhere else")]

use core::marker::PhantomData;
use core::ops::Range;

use super::fma_chain;
use super::instruction::{Address, Chain, Inner, IntOp, IntoRows, Kernel, Outer, Reg, Rows, Series, Transpose};
use super::kernel;
use super::machine::{Fault, Machine};
use super::memory::Elements;
use super::power_sums;
use super::product::{self, Small};
use super::rank_one_update;
#[cfg(not(target_arch = "aarch64"))]
use super::real::DOUBLES;
use super::real::Real;
#[cfg(target_arch = "x86_64")]
use super::real::SINGLES;
use super::row_sums;
use super::scalar_blocks::{self, Step};
use super::state::State;
use super::sweep::{self, Combination, Work};
use super::transfer::{Reach, add_real, load, store};
use super::transpose;
#[cfg(target_arch = "x86_64")]
use super::transpose::Square;
use super::vector::Operand;
#[cfg(target_arch = "x86_64")]
use super::vector::lanes;
use crate::array::Prim;
use crate::interpret::Test;
use crate::primitives::Primitive;

/// What a processor can do.
#[cfg(target_arch = "x86_64")]
fn has_avx512() -> bool {
    is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("fma")
}

#[cfg(target_arch = "x86_64")]
fn has_avx2() -> bool {
    is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma")
}

/// Which version of a function runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Level(Kind);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    #[cfg(target_arch = "x86_64")]
    Avx512,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// All 64-bit ARM processors have vectors and fused multiplications, with nothing to enable.
    #[cfg(target_arch = "aarch64")]
    Neon,
    #[cfg(not(target_arch = "aarch64"))]
    Plain,
}

impl Level {
    /// The best that the processor can do.
    pub(super) fn of_processor() -> Self {
        #[cfg(target_arch = "x86_64")]
        {
            if has_avx512() {
                return Level(Kind::Avx512);
            }
        }
        Level::without_avx512()
    }

    /// The best that the processor can do without AVX-512.
    pub(super) fn without_avx512() -> Self {
        #[cfg(target_arch = "x86_64")]
        if has_avx2() {
            return Level(Kind::Avx2);
        }
        Level::BASELINE
    }

    /// What all processors of the family can do.
    pub(super) const BASELINE: Level = Level({
        #[cfg(target_arch = "aarch64")]
        {
            Kind::Neon
        }
        #[cfg(not(target_arch = "aarch64"))]
        {
            Kind::Plain
        }
    });

    /// Whether single precision is faster than double precision: else it is computed in doubles, which are rounded.
    pub(super) fn has_singles(self) -> bool {
        #[cfg(not(target_arch = "aarch64"))]
        return self.0 != Kind::Plain;
        #[cfg(target_arch = "aarch64")]
        true
    }

    /// Whether it has the widest registers that there are.
    pub(super) fn is_widest(self) -> bool {
        #[cfg(target_arch = "x86_64")]
        return self.0 == Kind::Avx512;
        #[cfg(not(target_arch = "x86_64"))]
        false
    }

    /// Whether one instruction does what several do: code for x86-64 without AVX2, which few run, is not worth the time to
    /// compile these.
    pub(super) fn has_superinstructions(self) -> bool {
        #[cfg(target_arch = "x86_64")]
        return self.0 != Kind::Plain;
        #[cfg(not(target_arch = "x86_64"))]
        true
    }
}

/// A function for each kind of processor, of the same arguments and the same result.
macro_rules! dispatched {
    // The same on every processor.
    ($(#[doc = $doc:expr])+ $name:ident<$R:ident, $G:ident>($($x:ident: $X:ty),+) $(-> $Result:ty)? {
        level: $level:expr, run: $run:expr
    }) => {
        dispatched! {
            $(#[doc = $doc])+
            $name<$R, $G>($($x: $X),+) $(-> $Result)? { level: $level, fused: $run, plain: $run }
        }
    };
    // The same on every processor that has superinstructions.
    ($(#[doc = $doc:expr])+ $name:ident<$R:ident, $G:ident>($($x:ident: $X:ty),+) {
        level: $level:expr, superinstruction: $run:expr
    }) => {
        dispatched! {
            $(#[doc = $doc])+
            $name<$R, $G>($($x: $X),+) { level: $level, widest: $run, superinstruction: $run }
        }
    };
    ($(#[doc = $doc:expr])+ $name:ident<$R:ident, $G:ident>($($x:ident: $X:ty),+) {
        level: $level:expr, widest: $widest:expr, superinstruction: $run:expr
    }) => {
        dispatched! {
            $(#[doc = $doc])+
            $name<$R, $G>($($x: $X),+) {
                level: $level, widest: $widest, fused: $run, plain: match const { cfg!(target_arch = "x86_64") } {
                    true => unreachable!("superinstructions are assembled where they are compiled"),
                    false => $run,
                }
            }
        }
    };
    ($(#[doc = $doc:expr])+ $name:ident<$R:ident, $G:ident>($($x:ident: $X:ty),+) $(-> $Result:ty)? {
        level: $level:expr, fused: $fused:expr, plain: $plain:expr
    }) => {
        dispatched! {
            $(#[doc = $doc])+
            $name<$R, $G>($($x: $X),+) $(-> $Result)? {
                level: $level, widest: $fused, fused: $fused, plain: $plain
            }
        }
    };
    ($(#[doc = $doc:expr])+ $name:ident<$R:ident, $G:ident>($($x:ident: $X:ty),+) $(-> $Result:ty)? {
        level: $level:expr, widest: $widest:expr, fused: $fused:expr, plain: $plain:expr
    }) => {
        $(#[doc = $doc])+
        // One call leads to the version, and no version becomes a part of another function: among all other instructions its
        // loops would have too few registers, and take long to compile.
        #[inline(always)]
        pub(super) fn $name<$R: Real<$G>, const $G: usize>($($x: $X),+) $(-> $Result)? {
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx512f,avx512dq,avx512bw,avx512vl,fma")]
            #[inline(never)]
            fn avx512<$R: Real<$G>, const $G: usize>($($x: $X),+) $(-> $Result)? {
                $widest
            }

            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,fma")]
            #[inline(never)]
            fn avx2<$R: Real<$G>, const $G: usize>($($x: $X),+) $(-> $Result)? {
                $fused
            }

            #[cfg(target_arch = "aarch64")]
            #[inline(never)]
            fn neon<$R: Real<$G>, const $G: usize>($($x: $X),+) $(-> $Result)? {
                $fused
            }

            #[cfg(not(target_arch = "aarch64"))]
            #[inline(never)]
            fn plain<$R: Real<$G>, const $G: usize>($($x: $X),+) $(-> $Result)? {
                $plain
            }

            match $level.0 {
                // SAFETY: there is no other way to this level than to find that the processor has all the
                // instructions that the function is compiled for.
                #[cfg(target_arch = "x86_64")]
                Kind::Avx512 => unsafe { avx512($($x),+) },
                // SAFETY: as above.
                #[cfg(target_arch = "x86_64")]
                Kind::Avx2 => unsafe { avx2($($x),+) },
                #[cfg(target_arch = "aarch64")]
                Kind::Neon => neon($($x),+),
                // To compile all of this for the singles of a processor without their instructions would take long.
                #[cfg(not(target_arch = "aarch64"))]
                Kind::Plain => match const { $G == DOUBLES } {
                    true => plain($($x),+),
                    false => unreachable!("singles are computed where they have vector instructions"),
                },
            }
        }
    };
}

dispatched! {
    /// Runs the machine's instructions.
    interpret<R, G>(machine: &mut Machine<'_, R, G>) -> Result<(), Fault> {
        level: machine.state.level, run: machine.interpret()
    }
}

dispatched! {
    /// Operations on single values.
    straight<R, G>(state: &State<R, G>, steps: &[Step]) {
        level: state.level, run: scalar_blocks::run(state, steps)
    }
}

dispatched! {
    /// A row of the table of primitives. Without fused multiplications, the functions for lanes gain nothing.
    row<R, G>(state: &State<R, G>, row: Primitive, to: Reg, x: [Operand<'_, R, G>; 3]) {
        level: state.level, fused: state.row::<true>(row, to, x), plain: state.row_by_row(row, to, x)
    }
}

dispatched! {
    /// Loads a real for each lane of a block; a whole row is loaded by `load_row`.
    load_reals<R, G>(state: &State<R, G>, from: &Elements<'_, R>, reach: Reach<'_, G>, to: u32) {
        level: state.level,
        run: load(from, reach, state.real_block(to))
    }
}

dispatched! {
    /// Loads an integer for each lane of a block; a whole row is loaded by `load_row`.
    load_ints<R, G>(state: &State<R, G>, from: &Elements<'_, i64>, reach: Reach<'_, G>, to: u32) {
        level: state.level,
        run: load(from, reach, state.int_block(to))
    }
}

dispatched! {
    /// Stores the reals of the lanes in which the mask is true.
    store_reals<R, G>(state: &State<R, G>, to: &mut Elements<'_, R>, reach: Reach<'_, G>, x: Reg, mask: Option<Reg>) {
        level: state.level,
        run: store(to, reach, state.real(x), state.mask(mask), state.active)
    }
}

dispatched! {
    /// Stores the integers of the lanes in which the mask is true.
    store_ints<R, G>(state: &State<R, G>, to: &mut Elements<'_, i64>, reach: Reach<'_, G>, x: Reg, mask: Option<Reg>) {
        level: state.level,
        run: store(to, reach, state.int(x), state.mask(mask), state.active)
    }
}

dispatched! {
    /// Adds the reals of the lanes in which the mask is true to what is there.
    add_reals<R, G>(state: &State<R, G>, to: &mut Elements<'_, R>, reach: Reach<'_, G>, x: Reg, mask: Option<Reg>) {
        level: state.level,
        run: add_real(to, reach, state.real(x), state.mask(mask), state.active, |x| x)
    }
}

dispatched! {
    /// Runs an operation with its loads and its store.
    kernel<R, G>(state: &State<R, G>, reals: &mut [Elements<'_, R>], addresses: &[Address], it: &Kernel) {
        level: state.level, superinstruction: kernel::run(state, reals, addresses, it)
    }
}

dispatched! {
    /// Runs some iterations of a loop that sums up in a cell.
    inner<R, G>(state: &State<R, G>, reals: &[Elements<'_, R>], addresses: &[Address], it: &Inner, of: Range<i64>) {
        level: state.level, superinstruction: kernel::inner(state, reals, addresses, it, of)
    }
}

dispatched! {
    /// The same where each lane has a row.
    row_sums<R, G>(state: &State<R, G>, reals: &[Elements<'_, R>], addresses: &[Address], it: &Inner, of: Range<i64>) {
        level: state.level,
        widest: row_sums::run(state, reals, addresses, it, of, |rows| unsafe { R::columns(rows) }),
        superinstruction: row_sums::run(state, reals, addresses, it, of, transpose::columns)
    }
}

dispatched! {
    /// Runs some iterations of a loop that goes through powers.
    series<R, G>(state: &State<R, G>, reals: &mut [Elements<'_, R>], addresses: &[Address], it: &Series, of: Range<i64>) {
        level: state.level, superinstruction: power_sums::run(state, reals, addresses, it, of)
    }
}

dispatched! {
    /// Runs a loop that adds up the products of all lanes.
    outer<R, G>(state: &State<R, G>, reals: &mut [Elements<'_, R>], addresses: &[Address], it: &Outer) {
        level: state.level, superinstruction: rank_one_update::run(state, reals, addresses, it)
    }
}

dispatched! {
    /// An operation on integers.
    int_op<R, G>(state: &State<R, G>, op: IntOp, kind: Prim, to: Reg, x: [Reg; 2]) {
        level: state.level,
        run: state.int_op(op, kind, to, x)
    }
}

dispatched! {
    /// A comparison of reals.
    test<R, G>(state: &State<R, G>, test: Test, to: Reg, x: [Reg; 2]) {
        level: state.level,
        run: state.test(test, to, x.map(|x| state.real(x)))
    }
}

dispatched! {
    /// A part of a scan or a histogram of reals.
    sweep_reals<R, G>(by: (Level, Combination), part: impl Work<R>) {
        level: by.0, run: sweep::with_reals(by.1, part)
    }
}

dispatched! {
    /// A part of a scan or a histogram of integers.
    sweep_ints<R, G>(_of: PhantomData<[R; G]>, by: (Level, Combination), part: impl Work<i64>) {
        level: by.0, run: sweep::with_ints(by.1, part)
    }
}

dispatched! {
    /// The place of an extremum.
    least_where<R, G>(state: &State<R, G>, to: Reg, x: [Reg; 2], of: [Reg; 2]) {
        level: state.level,
        run: state.least_where(to, x, of)
    }
}

dispatched! {
    /// One of two integers.
    select_int<R, G>(state: &State<R, G>, to: Reg, condition: Reg, x: [Reg; 2]) {
        level: state.level,
        run: state.select_int(to, condition, x)
    }
}

/// The columns of the rows of a square: the compiler would take single elements.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
#[inline]
pub(super) fn columns_of_doubles(rows: [&[f64; DOUBLES]; DOUBLES]) -> Square<f64, DOUBLES> {
    use core::arch::x86_64::{
        __m512d, _mm512_loadu_pd, _mm512_shuffle_f64x2, _mm512_storeu_pd, _mm512_unpackhi_pd, _mm512_unpacklo_pd,
    };
    // SAFETY: a row is eight doubles.
    let x: [__m512d; DOUBLES] = lanes(|i| unsafe { _mm512_loadu_pd(rows[i].as_ptr()) });
    // Elements of two rows beside each other; then pairs of them, of four rows; then of eight.
    let pairs: [__m512d; DOUBLES] = lanes(|i| match i % 2 {
        0 => _mm512_unpacklo_pd(x[i], x[i + 1]),
        _ => _mm512_unpackhi_pd(x[i - 1], x[i]),
    });
    let even = |a: __m512d, b: __m512d| _mm512_shuffle_f64x2::<0b10_00_10_00>(a, b);
    let odd = |a: __m512d, b: __m512d| _mm512_shuffle_f64x2::<0b11_01_11_01>(a, b);
    let fours: [__m512d; DOUBLES] = lanes(|i| match i % 4 {
        0 | 1 => even(pairs[i], pairs[i + 2]),
        _ => odd(pairs[i - 2], pairs[i]),
    });
    let columns: [__m512d; DOUBLES] = lanes(|i| match i {
        0..4 => even(fours[i], fours[i + 4]),
        _ => odd(fours[i - 4], fours[i]),
    });
    let mut found = [[0.0; DOUBLES]; DOUBLES];
    for (to, column) in found.iter_mut().zip(columns) {
        // SAFETY: there is room for eight doubles.
        unsafe { _mm512_storeu_pd(to.as_mut_ptr(), column) };
    }
    found
}

/// The same for singles.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
#[inline]
pub(super) fn columns_of_singles(rows: [&[f32; SINGLES]; SINGLES]) -> Square<f32, SINGLES> {
    use core::arch::x86_64::{
        __m512, _mm512_castpd_ps, _mm512_castps_pd, _mm512_loadu_ps, _mm512_shuffle_f32x4, _mm512_storeu_ps,
        _mm512_unpackhi_pd, _mm512_unpackhi_ps, _mm512_unpacklo_pd, _mm512_unpacklo_ps,
    };
    // SAFETY: a row is sixteen singles.
    let x: [__m512; SINGLES] = lanes(|i| unsafe { _mm512_loadu_ps(rows[i].as_ptr()) });
    // Elements of two rows beside each other; of four; then quarters of registers, of eight rows; then of sixteen.
    let pairs: [__m512; SINGLES] = lanes(|i| match i % 2 {
        0 => _mm512_unpacklo_ps(x[i], x[i + 1]),
        _ => _mm512_unpackhi_ps(x[i - 1], x[i]),
    });
    let low = |a, b| _mm512_castpd_ps(_mm512_unpacklo_pd(_mm512_castps_pd(a), _mm512_castps_pd(b)));
    let high = |a, b| _mm512_castpd_ps(_mm512_unpackhi_pd(_mm512_castps_pd(a), _mm512_castps_pd(b)));
    let fours: [__m512; SINGLES] = lanes(|i| match i % 4 {
        0 => low(pairs[i], pairs[i + 2]),
        1 => high(pairs[i - 1], pairs[i + 1]),
        2 => low(pairs[i - 1], pairs[i + 1]),
        _ => high(pairs[i - 2], pairs[i]),
    });
    let even = |a: __m512, b: __m512| _mm512_shuffle_f32x4::<0b10_00_10_00>(a, b);
    let odd = |a: __m512, b: __m512| _mm512_shuffle_f32x4::<0b11_01_11_01>(a, b);
    let eights: [__m512; SINGLES] = lanes(|i| match i % 8 {
        0..4 => even(fours[i], fours[i + 4]),
        _ => odd(fours[i - 4], fours[i]),
    });
    let columns: [__m512; SINGLES] = lanes(|i| match i {
        0..8 => even(eights[i], eights[i + 8]),
        _ => odd(eights[i - 8], eights[i]),
    });
    let mut found = [[0.0; SINGLES]; SINGLES];
    for (to, column) in found.iter_mut().zip(columns) {
        // SAFETY: there is room for sixteen singles.
        unsafe { _mm512_storeu_ps(to.as_mut_ptr(), column) };
    }
    found
}

dispatched! {
    /// Rows that go into the lanes' own.
    transpose<R, G>(state: &State<R, G>, reals: &mut [Elements<'_, R>], addresses: &[Address], it: &Transpose) {
        level: state.level,
        widest: transpose::run(state, reals, addresses, it, |rows| unsafe { R::columns(rows) }),
        superinstruction: transpose::run(state, reals, addresses, it, transpose::columns)
    }
}

dispatched! {
    /// Elements that go into rows.
    into_rows<R, G>(state: &State<R, G>, reals: &mut [Elements<'_, R>], addresses: &[Address], it: &IntoRows) {
        level: state.level,
        widest: transpose::into_rows(state, reals, addresses, it, |rows| unsafe { R::columns(rows) }),
        superinstruction: transpose::into_rows(state, reals, addresses, it, transpose::columns)
    }
}

dispatched! {
    /// A product of a small matrix with what lanes have.
    small_product<R, G>(it: &Small<R, false>) {
        level: it.level,
        widest: unsafe { product::small_product::<R::Widest, R, G>(it) },
        superinstruction: unsafe { product::small_product::<R::Vector, R, G>(it) }
    }
}

dispatched! {
    /// The products of what lanes have, summed up and added to a small matrix.
    small_sums<R, G>(it: &Small<R, true>) {
        level: it.level,
        widest: unsafe { product::small_sums::<R::Widest, R, G>(it) },
        superinstruction: unsafe { product::small_sums::<R::Vector, R, G>(it) }
    }
}

dispatched! {
    /// A sum of products.
    chain<R, G>(state: &State<R, G>, it: &Chain) {
        level: state.level, superinstruction: fma_chain::run(state, it)
    }
}

dispatched! {
    /// Values that go into rows.
    rows<R, G>(state: &State<R, G>, reals: &mut [Elements<'_, R>], it: &Rows) {
        level: state.level, superinstruction: transpose::rows(state, reals, it)
    }
}
