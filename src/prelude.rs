//! What most programs import: the number traits, the strategies, and the verbs.
//!
//! Law: nothing is defined here (tests/rooms/main.rs).

pub use crate::derivative::{
    Base, Forward, MutableReverse, Numbers, Reverse, Strategy, Structure, StructuredStrategy, Symbolic, VectorForward,
    check_grad, custom_grad, custom_vjp, diff, grad, grad_of, hessian, hvp, jacfwd, jacobian, jacrev, jvp, linearize,
    record, solve, stop_gradient, taylor, taylor_along, value_and_diff, value_and_grad, value_and_grad_of, vjp,
};
#[cfg(feature = "sparse")]
pub use crate::derivative::{
    CayleyReverse, Downward, SparseForward, hessian_pattern, jacobian_pattern, sparse_hessian, sparse_jacobian,
};
pub use crate::primitives::{Decide, Elementary, Real, Rule, Scalar};
pub use num_traits::{One, Zero};
