//! Problems for the solvers of `argmin` from one generic function, or from one array program.
//!
//! Law: cost, gradient and Hessian are the value and the derivatives of the same function, so no solver can be given a
//! gradient of something else (tests/interop/argmin.rs).

#[cfg(feature = "array")]
mod program;

use ::argmin::core::{CostFunction, Error, Gradient, Hessian};

use crate::derivative;
use crate::primitives::Real;
#[cfg(feature = "array")]
pub use program::ProgramObjective;

/// A function of many numbers that runs on every kind of number. A trait, since no closure is generic.
pub trait Function {
    /// The value at `x`.
    fn call<R: Real>(&self, x: &[R]) -> R;
}

/// A [`Function`] as a problem of `argmin`, with parameters in a `Vec<f64>`: its cost, its gradient by reverse mode,
/// and its Hessian by forward over reverse mode.
///
/// ```
/// use argmin::core::{CostFunction, Gradient, Hessian};
/// use catadiff::interop::argmin::{Function, Objective};
/// use catadiff::prelude::*;
///
/// struct Bowl { depth: f64 }
/// impl Function for Bowl {
///     fn call<R: Real>(&self, x: &[R]) -> R { x[0] * x[0] * x[1] - self.depth }
/// }
///
/// let problem = Objective(Bowl { depth: 2.0 });
/// let at = vec![3.0, 4.0];
/// assert_eq!(problem.cost(&at)?, 34.0);
/// assert_eq!(problem.gradient(&at)?, [24.0, 9.0]);
/// assert_eq!(problem.hessian(&at)?, [[8.0, 6.0], [6.0, 0.0]]);
/// # Ok::<(), argmin::core::Error>(())
/// ```
///
/// A point at which a derivative cannot be had is an error of the solver, with a [`catadiff::Error`](crate::Error) in it.
#[derive(Debug, Clone, Copy)]
pub struct Objective<F>(pub F);

impl<F: Function> CostFunction for Objective<F> {
    type Param = Vec<f64>;
    type Output = f64;

    fn cost(&self, x: &Vec<f64>) -> Result<f64, Error> {
        Ok(self.0.call(x))
    }
}

impl<F: Function> Gradient for Objective<F> {
    type Param = Vec<f64>;
    type Gradient = Vec<f64>;

    fn gradient(&self, x: &Vec<f64>) -> Result<Vec<f64>, Error> {
        Ok(derivative::grad(|x| self.0.call(x), x)?)
    }
}

impl<F: Function> Hessian for Objective<F> {
    type Param = Vec<f64>;
    type Hessian = Vec<Vec<f64>>;

    fn hessian(&self, x: &Vec<f64>) -> Result<Vec<Vec<f64>>, Error> {
        Ok(derivative::hessian(|x| self.0.call(x), x)?)
    }
}
