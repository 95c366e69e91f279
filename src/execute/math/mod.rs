//! Elementary functions that the compiler vectorises: no branch, call or table, so a loop over them is vector code.
//!
//! Each is a function of one number, `#[inline(always)]`, made of `+ − × ÷ √`, comparisons and operations on bits. In
//! a loop, inside a function with `#[target_feature(enable = "avx512f,…")]` or `"avx2,fma"`, the compiler makes of it
//! one stream of vector instructions. The parameter `FMA` says whether the machine has the fused multiply-add: without
//! it the fused ones would be calls, and `a·b + c` in two roundings does; the bounds hold for both. All 64-bit ARM
//! machines have it, with no feature to enable; of x86 those with AVX2.
//!
//! ```
//! use catadiff::execute::math::{Lane, double};
//! assert_eq!([0.0, -1e9, f64::INFINITY].map(double::exp::<false>), [1.0, 0.0, f64::INFINITY]);
//! assert!((double::exp::<false>(1.0) - 1.0_f64.exp()).abs() <= 2.0 * f64::EPSILON); // an ulp of e
//!
//! fn softmax_terms<F: Lane, const FMA: bool>(xs: &mut [F]) {
//!     for x in xs {
//!         *x = F::exp::<FMA>(*x);
//!     }
//! }
//! softmax_terms::<f32, false>(&mut [0.0, 1.0]);
//! ```
//!
//! Each is written once, generic in its number: [`double`] and [`single`] run it on doubles, with FMA or without, and it can be recorded
//! as a listing, to be printed for another compiler.
//!
//! Values are those of the table of [`primitives`](crate::primitives) to 2 ulp, special values exactly (the sign and
//! payload of NaN are not kept). `sin`, `cos` and `tan` are fast up to [`TRIG_RANGE`] and NaN beyond: whoever runs
//! them asks [`trig_is_fast`](Lane::trig_is_fast) of each block of lanes and does the others one by one.
//!
//! Law: ≤ 2 ulp in f64 and 0.6 in f32, with and without FMA, and the ends, zeros and subnormals of the table of
//! primitives; the largest error seen on 245 000 points was 1.1 ulp, of `exp2` without FMA
//! (tests/scalar/vector_math.rs).

mod arithmetic;
mod exp;
mod gauss;
#[cfg(feature = "native")]
pub(crate) mod listing;
mod log;
mod narrow;
mod number;
mod power;
mod trig;
mod wide;

#[cfg(feature = "native")]
use listing::{Elementary, Listing};
pub use trig::TRIG_RANGE;

macro_rules! lane {
    ($($(#[doc = $doc:literal])+ $function:ident($x:ident $(, $y:ident)?);)+) => {
        /// A number with vector functions, to write loops over either width in: `F::exp::<FMA>(x)`.
        ///
        /// On `f64` and `f32` themselves `x.exp()` is still the standard library's.
        pub trait Lane: Copy {
            /// Whether `sin`, `cos` and `tan` are fast, and right, at this number.
            fn trig_is_fast(x: Self) -> bool;
            $(
                $(#[doc = $doc])+
                fn $function<const FMA: bool>($x: Self $(, $y: Self)?) -> Self;
            )+
        }
        /// The functions of f64.
        pub mod double {
            lane!(@for f64, wide, |value| value, $($(#[doc = $doc])+ $function($x $(, $y)?);)+);
        }
        /// The functions of f32.
        pub mod single {
            lane!(@for f32, narrow, |value| value as f32, $($(#[doc = $doc])+ $function($x $(, $y)?);)+);
        }
        /// All of them, the question that those of angles come with, and what they do to angles that are reduced.
        #[cfg(feature = "native")]
        pub(crate) static ELEMENTARY: &[Elementary] = &[
            $(lane!(@listed $function($x $(, $y)?)),)+
            lane!(@listed trig_is_fast(x)),
            lane!(@listed sin_from(n, r, rest)),
            lane!(@listed tan_from(n, r, rest)),
        ];
    };
    (@listed $function:ident($($x:ident),+)) => {
        Elementary {
            name: stringify!($function),
            wide: [
                || Listing::of::<false, _>([$(stringify!($x)),+], |[$($x),+]| wide::$function($($x),+).into()),
                || Listing::of::<true, _>([$(stringify!($x)),+], |[$($x),+]| wide::$function($($x),+).into()),
            ],
            narrow: [
                || Listing::of::<false, _>([$(stringify!($x)),+], |[$($x),+]| narrow::$function($($x),+).into()),
                || Listing::of::<true, _>([$(stringify!($x)),+], |[$($x),+]| narrow::$function($($x),+).into()),
            ],
        }
    };
    (@for $number:ident, $module:ident, |$value:ident| $result:expr, $($(#[doc = $doc:literal])+ $function:ident($x:ident $(, $y:ident)?);)+) => {
        use super::number::Real;
        use super::{Lane, $module};

        /// Whether `sin`, `cos` and `tan` are right at `x`: in range, or with no value anyway.
        #[inline(always)]
        #[must_use]
        pub fn trig_is_fast(x: $number) -> bool {
            $module::trig_is_fast(Real::<false>(x.into()))
        }
        $(
            $(#[doc = $doc])+
            #[inline(always)]
            #[must_use]
            pub fn $function<const FMA: bool>($x: $number $(, $y: $number)?) -> $number {
                let $value = $module::$function(Real::<FMA>($x.into()) $(, Real($y.into()))?).0;
                $result
            }
        )+

        impl Lane for $number {
            #[inline(always)]
            fn trig_is_fast(x: Self) -> bool { trig_is_fast(x) }
            $(
                #[inline(always)]
                fn $function<const FMA: bool>($x: Self $(, $y: Self)?) -> Self { $function::<FMA>($x $(, $y)?) }
            )+
        }
    };
}

lane! {
    /// `eˣ`.
    exp(x);
    /// `2ˣ`.
    exp2(x);
    /// `eˣ − 1`, accurate near 0.
    expm1(x);
    /// The natural logarithm.
    ln(x);
    /// The logarithm to base 2.
    log2(x);
    /// The logarithm to base 10.
    log10(x);
    /// `ln(1 + x)`, accurate near 0.
    log1p(x);
    /// The sine, up to [its range](crate::execute::math::TRIG_RANGE).
    sin(x);
    /// The cosine, up to [its range](crate::execute::math::TRIG_RANGE).
    cos(x);
    /// The tangent, up to [its range](crate::execute::math::TRIG_RANGE).
    tan(x);
    /// The inverse sine.
    asin(x);
    /// The inverse cosine.
    acos(x);
    /// The inverse tangent.
    atan(x);
    /// The angle of the point `(x, y)`.
    atan2(y, x);
    /// The hyperbolic sine.
    sinh(x);
    /// The hyperbolic cosine.
    cosh(x);
    /// The hyperbolic tangent.
    tanh(x);
    /// The inverse hyperbolic sine.
    asinh(x);
    /// The inverse hyperbolic cosine; NaN below 1.
    acosh(x);
    /// The inverse hyperbolic tangent.
    atanh(x);
    /// The cube root.
    cbrt(x);
    /// `x^y`.
    pow(x, y);
    /// `√(x² + y²)`.
    hypot(x, y);
    /// The error function.
    erf(x);
    /// The complementary error function.
    erfc(x);
    /// The logistic function, `1/(1 + e⁻ˣ)`.
    sigmoid(x);
    /// `ln(1 + eˣ)`.
    softplus(x);
}
