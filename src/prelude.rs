//! What most programs import: the number traits, the strategies, and the verbs.
//!
//! Law: nothing is defined here.

pub use crate::derivative::{
    Base, CayleyReverse, Downward, Forward, MutableReverse, Numbers, Reverse, SparseForward, Strategy, Symbolic,
    Vector, check_grad, diff, grad, hessian, hvp, jacfwd, jacobian, jacrev, jvp, linearize, record, stop_gradient,
    value_and_diff, value_and_grad, vjp,
};
pub use crate::primitives::{Decide, Elementary, Real, Rule, Scalar};
pub use num_traits::{One, Zero};
