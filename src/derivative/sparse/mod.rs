//! Sparse Jacobians and Hessians: the entries that can be nonzero, found first, and computed a colour at a time.
//!
//! Law: a sparse derivative is the dense one. Its pattern holds every entry that is not identically zero, and the
//! number of runs it takes is the number of colours, which for banded matrices and grids does not grow with the
//! number of variables ("Automatic Differentiation", section *Sparse Jacobians*).
//!
//! # Sources
//!
//! Curtis, Powell and Reid (1974) compress Jacobians; Coleman and Moré (1983, 1984) make it a graph colouring, and
//! use symmetry for Hessians; Gebremedhin, Manne and Pothen (*What color is your Jacobian?*, 2005) survey the
//! colourings.

mod colouring;
mod pattern;

pub use colouring::{Colouring, Order};
pub use pattern::{Pattern, hessian_pattern, jacobian_pattern};
