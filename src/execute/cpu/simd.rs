//! The registers of processors, for loops in which the compiler would choose worse ones: tiles of products spilled sums at every step.
//!
//! Law: a register's lanes are loaded, multiplied and stored each by itself, and a product that is added to is rounded once; so tiles of any
//! registers compute the same products (tests/execute/products.rs).

#![allow(unsafe_code, reason = "the instructions of particular processors are unsafe to call anywhere else")]

/// A register that holds some reals.
pub(super) trait Register<R>: Copy {
    const LANES: usize;

    /// A matrix with no more elements than this is small: to put it in another order, as products of large ones do, takes longer than
    /// to go through it. Measured for products of square matrices with a thousand vectors, of 16 to 96 rows; in between both ways take
    /// about as long.
    const MAX_SMALL_ELEMENTS: i64;

    /// Zeros.
    ///
    /// # Safety
    /// The processor has these registers, here and below.
    unsafe fn zero() -> Self;

    /// The same in all lanes.
    ///
    /// # Safety
    /// As for `zero`.
    unsafe fn all(x: R) -> Self;

    /// What is in memory from there on.
    ///
    /// # Safety
    /// As for `zero`, and as many reals are there as there are lanes.
    unsafe fn load(from: *const R) -> Self;

    /// The first `count` reals from there on, fewer than there are lanes, and 0 in the other lanes.
    ///
    /// # Safety
    /// As for `load`, but that `count` reals are there.
    unsafe fn load_first(from: *const R, count: usize) -> Self;

    /// Puts the lanes into memory from there on.
    ///
    /// # Safety
    /// As for `load`, and nobody else looks at them.
    unsafe fn store(self, to: *mut R);

    /// `self · by + plus`.
    ///
    /// # Safety
    /// As for `zero`.
    unsafe fn mul_add(self, by: Self, plus: Self) -> Self;
}

/// Registers by the instructions of a kind of processor: those that make zeros, copies, loads and stores, and `x y + z` of three.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
macro_rules! registers {
    ($of:ident: $($V:ident of $LANES:literal $R:ident, $MAX_SMALL_ELEMENTS:expr, $($load_first:ident)::+:
        $all:ident, $load:ident, $store:ident, $fma:ident($a:ident, $b:ident, $c:ident);)+) => {$(
        #[allow(unused_unsafe, reason = "what all processors of a family have is safe to call there")]
        impl Register<$R> for core::arch::$of::$V {
            const LANES: usize = $LANES;
            const MAX_SMALL_ELEMENTS: i64 = $MAX_SMALL_ELEMENTS;

            #[inline(always)]
            unsafe fn zero() -> Self {
                // SAFETY: the caller says what the processor has, here and below, and what is in memory.
                unsafe { Self::all(0.0) }
            }

            #[inline(always)]
            unsafe fn all(x: $R) -> Self {
                // SAFETY: as above.
                unsafe { core::arch::$of::$all(x) }
            }

            #[inline(always)]
            unsafe fn load(from: *const $R) -> Self {
                // SAFETY: as above.
                unsafe { core::arch::$of::$load(from) }
            }

            #[inline(always)]
            unsafe fn load_first(from: *const $R, count: usize) -> Self {
                // SAFETY: as above.
                unsafe { $($load_first)::+(from, count) }
            }

            #[inline(always)]
            unsafe fn store(self, to: *mut $R) {
                // SAFETY: as above.
                unsafe { core::arch::$of::$store(to, self) }
            }

            #[inline(always)]
            unsafe fn mul_add(self, y: Self, z: Self) -> Self {
                let [x, y, z] = [self, y, z];
                // SAFETY: as above.
                unsafe { registers!(@ $of $fma [$a $b $c] x y z) }
            }
        }
    )+};
    (@ $of:ident $fma:ident [x y z] $x:ident $y:ident $z:ident) => { core::arch::$of::$fma($x, $y, $z) };
    (@ $of:ident $fma:ident [z x y] $x:ident $y:ident $z:ident) => { core::arch::$of::$fma($z, $x, $y) };
}

#[cfg(target_arch = "x86_64")]
registers! { x86_64:
    __m512d of 8 f64, 1 << 13, masked::doubles_512: _mm512_set1_pd, _mm512_loadu_pd, _mm512_storeu_pd, _mm512_fmadd_pd(x, y, z);
    __m512 of 16 f32, 1 << 11, masked::singles_512: _mm512_set1_ps, _mm512_loadu_ps, _mm512_storeu_ps, _mm512_fmadd_ps(x, y, z);
    __m256d of 4 f64, 1 << 9, masked::doubles_256: _mm256_set1_pd, _mm256_loadu_pd, _mm256_storeu_pd, _mm256_fmadd_pd(x, y, z);
    __m256 of 8 f32, 1 << 10, masked::singles_256: _mm256_set1_ps, _mm256_loadu_ps, _mm256_storeu_ps, _mm256_fmadd_ps(x, y, z);
}

#[cfg(target_arch = "aarch64")]
registers! { aarch64:
    float64x2_t of 2 f64, 1 << 10, copied: vdupq_n_f64, vld1q_f64, vst1q_f64, vfmaq_f64(z, x, y);
    float32x4_t of 4 f32, 1 << 10, copied: vdupq_n_f32, vld1q_f32, vst1q_f32, vfmaq_f32(z, x, y);
}

/// Loads of some lanes, which touch no memory for the others.
#[cfg(target_arch = "x86_64")]
mod masked {
    use core::arch::x86_64::{
        __m256, __m256d, __m512, __m512d, _mm256_loadu_si256, _mm256_maskload_pd, _mm256_maskload_ps,
        _mm512_maskz_loadu_pd, _mm512_maskz_loadu_ps,
    };

    /// From a place in the middle, the lanes up to there are wanted and the others are not.
    static WANTED_DOUBLES: [i64; 8] = [-1, -1, -1, -1, 0, 0, 0, 0];
    static WANTED_SINGLES: [i32; 16] = [-1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0];

    #[inline(always)]
    pub(super) unsafe fn doubles_512(from: *const f64, count: usize) -> __m512d {
        // SAFETY: the caller says what the processor has, and that `count` reals are there, here and below.
        unsafe { _mm512_maskz_loadu_pd(((1_u32 << count) - 1) as u8, from) }
    }

    #[inline(always)]
    pub(super) unsafe fn singles_512(from: *const f32, count: usize) -> __m512 {
        // SAFETY: as above.
        unsafe { _mm512_maskz_loadu_ps(((1_u32 << count) - 1) as u16, from) }
    }

    #[inline(always)]
    pub(super) unsafe fn doubles_256(from: *const f64, count: usize) -> __m256d {
        let wanted = &WANTED_DOUBLES[4 - count..][..4];
        // SAFETY: as above.
        unsafe { _mm256_maskload_pd(from, _mm256_loadu_si256(wanted.as_ptr().cast())) }
    }

    #[inline(always)]
    pub(super) unsafe fn singles_256(from: *const f32, count: usize) -> __m256 {
        let wanted = &WANTED_SINGLES[8 - count..][..8];
        // SAFETY: as above.
        unsafe { _mm256_maskload_ps(from, _mm256_loadu_si256(wanted.as_ptr().cast())) }
    }
}

/// The same by a copy, where there are no masks.
#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
unsafe fn copied<R: Copy + Default, V: Register<R>>(from: *const R, count: usize) -> V {
    // No register has more lanes.
    let mut lanes = [R::default(); 4];
    // SAFETY: the caller says that `count` reals are there, fewer than there are lanes, and what the processor has.
    unsafe {
        core::ptr::copy_nonoverlapping(from, lanes.as_mut_ptr(), count);
        V::load(lanes.as_ptr())
    }
}

/// What a processor of another kind has, as the compiler finds it.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
mod plain {
    use super::Register;

    macro_rules! plain {
        ($($R:ident of $LANES:literal)+) => {$(
            impl Register<$R> for [$R; $LANES] {
                const LANES: usize = $LANES;
                const MAX_SMALL_ELEMENTS: i64 = 1 << 10;

                #[inline(always)]
                unsafe fn zero() -> Self {
                    [0.0; $LANES]
                }

                #[inline(always)]
                unsafe fn all(x: $R) -> Self {
                    [x; $LANES]
                }

                #[inline(always)]
                unsafe fn load(from: *const $R) -> Self {
                    // SAFETY: the caller says that they are there; an array is aligned as its elements are.
                    unsafe { *from.cast() }
                }

                #[inline(always)]
                unsafe fn load_first(from: *const $R, count: usize) -> Self {
                    // SAFETY: as above.
                    unsafe { super::copied(from, count) }
                }

                #[inline(always)]
                unsafe fn store(self, to: *mut $R) {
                    // SAFETY: as above.
                    unsafe { *to.cast() = self }
                }

                #[inline(always)]
                unsafe fn mul_add(self, y: Self, z: Self) -> Self {
                    core::array::from_fn(|i| self[i].mul_add(y[i], z[i]))
                }
            }
        )+};
    }

    plain! { f64 of 2 f32 of 4 }
}

/// The registers of all processors of the family on which tiles are computed at all: on x86-64, those of AVX2.
#[cfg(target_arch = "x86_64")]
pub(super) type Doubles = core::arch::x86_64::__m256d;
#[cfg(target_arch = "x86_64")]
pub(super) type Singles = core::arch::x86_64::__m256;
#[cfg(target_arch = "x86_64")]
pub(super) type WidestDoubles = core::arch::x86_64::__m512d;
#[cfg(target_arch = "x86_64")]
pub(super) type WidestSingles = core::arch::x86_64::__m512;
#[cfg(target_arch = "aarch64")]
pub(super) type Doubles = core::arch::aarch64::float64x2_t;
#[cfg(target_arch = "aarch64")]
pub(super) type Singles = core::arch::aarch64::float32x4_t;
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
pub(super) type Doubles = [f64; 2];
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
pub(super) type Singles = [f32; 4];
#[cfg(not(target_arch = "x86_64"))]
pub(super) type WidestDoubles = Doubles;
#[cfg(not(target_arch = "x86_64"))]
pub(super) type WidestSingles = Singles;
