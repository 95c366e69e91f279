//! The functions that are differentiated, each written once over [`Scalar`].

mod forward;
mod reverse;

pub use forward::{Horner, Powers, ThreeBody};
pub use reverse::{LogSumExp, Logistic, MatrixProduct, Rosenbrock};

use crate::scalar::Scalar;

/// A function of several numbers to several numbers: what forward mode pushes tangents through.
pub trait Map: Send + Sync {
    /// How many numbers come out.
    fn outputs(&self) -> usize;
    /// Fills `y` with the function's value at `x`.
    fn eval<S: Scalar>(&self, x: &[S], y: &mut [S]);
}

/// A function of several numbers to one: what reverse mode takes the gradient of.
pub trait Objective: Send + Sync {
    /// The function's value at `x`.
    fn value<S: Scalar>(&self, x: &[S]) -> S;
    /// The gradient at `x`, derived and written by hand: the reference every contender is checked
    /// against, and the row that says how fast a gradient can be.
    fn adjoint(&self, x: &[f64], gradient: &mut Vec<f64>);
}

impl<O: Objective> Map for O {
    fn outputs(&self) -> usize {
        1
    }
    #[inline]
    fn eval<S: Scalar>(&self, x: &[S], y: &mut [S]) {
        y[0] = self.value(x);
    }
}

/// `n` reproducible numbers, uniform in `[low, high)`.
pub fn sample(n: usize, low: f64, high: f64) -> Vec<f64> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    (0..n).map(|_| low + (high - low) * next()).collect()
}
