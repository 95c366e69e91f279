//! The functions of f32, through those of f64.
//!
//! Law: ½ ulp and next to nothing more: the double is rounded once.

use super::double;

macro_rules! narrowed {
    ($($function:ident($x:ident $(, $y:ident)?);)+) => {$(
        #[doc = concat!("`", stringify!($function), "` of f32.")]
        #[inline(always)]
        pub fn $function<const FMA: bool>($x: f32 $(, $y: f32)?) -> f32 {
            double::$function::<FMA>(f64::from($x) $(, f64::from($y))?) as f32
        }
    )+};
}

narrowed! {
    exp(x); exp2(x); expm1(x); ln(x); log2(x); log10(x); log1p(x); sin(x); cos(x); tan(x); asin(x); acos(x); atan(x);
    atan2(y, x); sinh(x); cosh(x); tanh(x); asinh(x); acosh(x); atanh(x); cbrt(x); pow(x, y); hypot(x, y); erf(x);
    erfc(x); sigmoid(x); softplus(x);
}

/// Whether `sin`, `cos` and `tan` are right at `x`.
#[inline(always)]
#[must_use]
pub fn trig_is_fast(x: f32) -> bool {
    double::trig_is_fast(f64::from(x))
}
