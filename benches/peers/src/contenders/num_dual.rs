//! num-dual: `Dual64` and the statically sized `DualSVec64<N>`; it has no reverse mode.

use nalgebra::{SVector, U1};
use num_dual::{Derivative, DualNum};
pub use num_dual::{Dual64, DualSVec64};

use super::Forward;
use crate::scalar::Scalar;

macro_rules! scalar_by_dual_num {
    () => {
        #[inline]
        fn value(self) -> f64 {
            self.re
        }
        crate::mixed_by_operators!(|c, x| -x + c);
        #[inline]
        fn exp(self) -> Self {
            DualNum::exp(&self)
        }
        #[inline]
        fn ln(self) -> Self {
            DualNum::ln(&self)
        }
        #[inline]
        fn sqrt(self) -> Self {
            DualNum::sqrt(&self)
        }
        #[inline]
        fn powi(self, n: i32) -> Self {
            DualNum::powi(&self, n)
        }
    };
}

impl Scalar for Dual64 {
    scalar_by_dual_num!();
}

impl<const N: usize> Scalar for DualSVec64<N> {
    scalar_by_dual_num!();
}

impl Forward for Dual64 {
    const NAME: &'static str = "num-dual Dual64";
    const LANES: usize = 1;
    #[inline]
    fn constant(value: f64) -> Self {
        Dual64::from_re(value)
    }
    #[inline]
    fn seed(value: f64, _: usize, by: f64) -> Self {
        Dual64::new(value, by)
    }
    #[inline]
    fn tangent(&self, _: usize) -> f64 {
        self.eps
    }
}

impl<const N: usize> Forward for DualSVec64<N> {
    const NAME: &'static str = "num-dual DualSVec64";
    const LANES: usize = N;
    /// No derivative at all, which num-dual distinguishes from a derivative of zero.
    #[inline]
    fn constant(value: f64) -> Self {
        DualSVec64::from_re(value)
    }
    #[inline]
    fn seed(value: f64, lane: usize, by: f64) -> Self {
        let tangent = SVector::<f64, N>::from_fn(|k, _| if k == lane { by } else { 0.0 });
        DualSVec64::new(value, Derivative::<_, _, U1>::some(tangent))
    }
    #[inline]
    fn tangent(&self, lane: usize) -> f64 {
        self.eps.0.map_or(0.0, |tangent| tangent[lane])
    }
}
