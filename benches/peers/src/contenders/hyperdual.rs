//! hyperdual: `Hyperdual<f64, N>`, one value and `N - 1` tangents; it has no reverse mode.

pub use hyperdual::Hyperdual;

use super::Forward;
use crate::scalar::Scalar;
use crate::{elementary_by, mixed_by_operators};

impl<const N: usize> Scalar for Hyperdual<f64, N> {
    #[inline]
    fn value(self) -> f64 {
        self.real()
    }
    mixed_by_operators!(|c, x| -x + c);
    elementary_by!(Self as num_traits::Float);
}

impl<const N: usize> Forward for Hyperdual<f64, N> {
    const NAME: &'static str = "hyperdual Hyperdual";
    const LANES: usize = N - 1;
    #[inline]
    fn constant(value: f64) -> Self {
        Hyperdual::from_real(value)
    }
    #[inline]
    fn seed(value: f64, lane: usize, by: f64) -> Self {
        let mut seeded = Hyperdual::from_real(value);
        seeded[1 + lane] = by;
        seeded
    }
    #[inline]
    fn tangent(&self, lane: usize) -> f64 {
        self[1 + lane]
    }
}
