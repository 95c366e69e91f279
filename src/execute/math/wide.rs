//! The functions of f64, from the files that they are written in.
//!
//! Law: for each of them there is one of f32 in `narrow` (tests/scalar/vector_math.rs).

pub(super) use super::exp::{cosh, exp, exp2, expm1, sigmoid, sinh, tanh};
pub(super) use super::gauss::{erf, erfc};
pub(super) use super::log::{acosh, asinh, atanh, ln, log1p, log2, log10, softplus};
pub(super) use super::power::{cbrt, hypot, pow};
pub(super) use super::trig::{acos, asin, atan, atan2, cos, sin, tan, trig_is_fast};
#[cfg(feature = "native")]
pub(super) use super::trig::{sin_from, tan_from};
