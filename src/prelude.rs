//! What most programs import: the number traits, the strategies, and the verbs.
//!
//! Law: nothing is defined here.

pub use crate::derivative::{
    Base, CayleyReverse, Downward, Forward, MutableReverse, Numbers, Reverse, SparseForward, Strategy, Structure,
    StructuredStrategy, Symbolic, Vector, check_grad, custom_grad, custom_vjp, diff, grad, grad_of, hessian,
    hessian_pattern, hvp, jacfwd, jacobian, jacobian_pattern, jacrev, jvp, linearize, record, solve, sparse_hessian,
    sparse_jacobian, stop_gradient, taylor, taylor_along, value_and_diff, value_and_grad, value_and_grad_of, vjp,
};
pub use crate::primitives::{Decide, Elementary, Real, Rule, Scalar};
pub use num_traits::{One, Zero};
