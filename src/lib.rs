//! The front page.
pub mod algebra;
pub mod carriers;
pub mod derivative;
mod error;
pub mod prelude;
pub mod primitives;
pub mod term;
pub use algebra::{Field, Kronecker, Module, Ring, Semiring};
pub use derivative::{
    Base, CayleyReverse, Downward, Forward, MutableReverse, Numbers, Program, Reverse, SparseForward, Strategy,
    Symbolic, Vector, check_grad, diff, grad, hessian, hvp, jacfwd, jacobian, jacrev, jvp, linearize, record,
    stop_gradient, value_and_diff, value_and_grad, vjp,
};
pub use error::{Error, Result};
pub use primitives::{Decide, Elementary, Real, Rule, Scalar};
