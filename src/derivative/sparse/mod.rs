//! Sparse Jacobians and Hessians: the entries that can be nonzero, found first, and computed a colour at a time.
//!
//! Law: a sparse derivative is the dense one. Its pattern holds every entry that is not identically zero, and the
//! number of runs it takes is the number of colours, which for banded matrices and grids does not grow with the number
//! of variables (Curtis, Powell and Reid; see *Sources* below) (tests/scalar/sparse.rs).
//!
//! Three steps, each of them on its own as well:
//!
//! 1. the [`Pattern`]: the recorded function is folded into [`Support`](crate::carriers::Support) sets
//!    ([`jacobian_pattern`]); for second derivatives, its symbolic gradient is ([`hessian_pattern`]);
//! 2. the [`Colouring`]: columns that share no row are one direction of forward mode, rows that share no column one
//!    reverse sweep of reverse mode, and columns of a Hessian need a little less, by its symmetry;
//! 3. the compressed evaluation: [`sparse_jacobian`] and [`sparse_hessian`] at one point, [`SparseJacobian`] and
//!    [`SparseHessian`] where many points follow.
//!
//! The function runs once, on [`Recorded`](crate::carriers::Recorded) numbers, and what was recorded is replayed: at a
//! point where it would branch otherwise that is an error and never a wrong number. What [`Symbolic`](super::Symbolic)
//! can differentiate, these can, so a function that is known by its pullback alone does not compile here. To bring in
//! a number of an outer differentiation, use `Symbolic::lift`.
//!
//! ```
//! use catadiff::prelude::*;
//! use catadiff::derivative::SparseJacobian;
//! /// The heat equation on a rod with cold ends, with a source that depends on the temperature.
//! fn flow<R: Real>(u: &[R]) -> Vec<R> {
//!     let at = |i: usize| u.get(i).copied().unwrap_or_else(R::zero);
//!     (0..u.len()).map(|i| at(i.wrapping_sub(1)) - at(i) * 2.0 + at(i + 1) + at(i).exp()).collect()
//! }
//! let prepared = SparseJacobian::prepare(|u| flow(u), &vec![0.0; 1000])?;
//! assert_eq!(prepared.colouring().count(), 3); // three directions for a thousand columns
//! let jacobian = prepared.at(&vec![0.5; 1000])?;
//! assert_eq!(jacobian.get(3, 2), 1.0);
//! assert_eq!(jacobian.get(3, 3), 0.5_f64.exp() - 2.0);
//! assert_eq!(jacobian.values.len(), 2998);
//! # Ok::<(), catadiff::Error>(())
//! ```
//!
//! # Sources
//!
//! Curtis, Powell and Reid (1974) compress Jacobians; Coleman and Moré (1983, 1984) make it a graph colouring, and
//! use symmetry for Hessians; Gebremedhin, Manne and Pothen (*What color is your Jacobian?*, 2005) survey the
//! colourings.

mod colouring;
mod compressed;
mod matrix;
mod pattern;

pub use colouring::{Colouring, Order};
pub use compressed::{Compression, SparseHessian, SparseJacobian, sparse_hessian, sparse_jacobian};
#[cfg(feature = "array")]
pub(crate) use compressed::{choose, standing_alone};
pub use matrix::SparseMatrix;
pub use pattern::{Pattern, hessian_pattern, jacobian_pattern};
