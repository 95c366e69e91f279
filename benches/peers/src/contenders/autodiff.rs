//! autodiff: the dual number `F1`; it has neither lanes nor a reverse mode.

pub use autodiff::F1;

use super::Forward;
use crate::scalar::Scalar;
use crate::{elementary_by, mixed_by_operators};

impl Scalar for F1 {
    #[inline]
    fn value(self) -> f64 {
        self.x
    }
    mixed_by_operators!();
    elementary_by!(Self as num_traits::Float);
}

impl Forward for F1 {
    const NAME: &'static str = "autodiff F1";
    const LANES: usize = 1;
    #[inline]
    fn constant(value: f64) -> Self {
        F1::cst(value)
    }
    #[inline]
    fn seed(value: f64, _: usize, by: f64) -> Self {
        F1::new(value, by)
    }
    #[inline]
    fn tangent(&self, _: usize) -> f64 {
        self.deriv()
    }
}
