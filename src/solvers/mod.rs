//! Solvers in traced programs: roots, fixed points and differential equations, with their derivatives.
//!
//! What solves equations has the derivative of the implicit function theorem, whatever was done to solve them; what steps through time has that
//! of its steps. Derivatives nest as everywhere, and every executor runs what is traced.
//!
//! | you want | you call |
//! |---|---|
//! | a root between two numbers, or near a start | [`bisect`], [`newton`] |
//! | where an iteration ends | [`fixed_point`] |
//! | the derivative of a root, or of a fixed point, that you find yourself | [`custom_root`], [`custom_fixed_point`] |
//! | the solution of linear equations without their matrix | [`cg`], [`bicgstab`] |
//! | the derivative of one that you find yourself | [`custom_linear_solve`] |
//! | states of an ordinary differential equation | [`odeint`], or [`odeint_adjoint`], whose gradient keeps no steps |
//! | the parameters for which a loss is small | [`Adam`], [`Sgd`], or an [`Optimiser`] of your own |
//!
//! Law: what is returned solves the equations, or the run is an error; derivatives are those of the solution (tests/transform/solvers.rs).

mod adjoint;
mod linear;
mod ode;
mod optimisers;
mod roots;

pub use adjoint::{odeint_adjoint, odeint_adjoint_with};
pub use linear::{KrylovOptions, Map, Vector, bicgstab, bicgstab_with, cg, cg_with, custom_linear_solve};
pub use ode::{OdeOptions, odeint, odeint_with};
pub use optimisers::{Adam, Optimiser, Rate, Sgd};
pub use roots::{Unknown, bisect, custom_fixed_point, custom_root, fixed_point, newton};
