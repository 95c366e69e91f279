//! What most programs import: the number traits, the strategies, and the verbs.
//!
//! Law: nothing is defined here; each name belongs to a room above.

pub use crate::derivative::{
    Base, Forward, Numbers, Reverse, Strategy, Vector, check_grad, diff, grad, hessian, hvp, jacfwd, jacobian, jacrev,
    jvp, linearize, stop_gradient, value_and_diff, value_and_grad, vjp,
};
pub use crate::primitives::{Decide, Elementary, Real, Rule, Scalar};
pub use num_traits::{One, Zero};
