//! The way to other crates: their numbers, arrays and solvers, with our derivatives.
//!
//! Law: an adapter converts and does no calculus; every derivative it hands out is that of a verb, every method on a
//! number that of a row of the table (tests/interop/nalgebra.rs, tests/interop/ndarray.rs, tests/interop/argmin.rs,
//! tests/scalar/float.rs).
//!
//! | crate | here | needs |
//! |---|---|---|
//! | `num-traits` | `Float` and its kin for every `Copy` dual number | nothing |
//! | `ndarray` | arrays in and out, of verbs and of array programs, as [structures](crate::derivative::Structure) too | feature `ndarray` |
//! | `nalgebra` | vectors and matrices in and out, of verbs and of array programs, [`solve`](crate::derivative::solve) | feature `nalgebra` |
//! | `argmin` | cost, gradient and Hessian from one function or array program | feature `argmin` |
//! | `serde` | dual numbers, pairs, series, intervals, rows of the table, and [listings](crate::term::Listing) of terms derive it; a [recording](crate::Recording) is its text | feature `serde` |

mod float;

#[cfg(feature = "argmin")]
pub mod argmin;
#[cfg(feature = "nalgebra")]
pub mod nalgebra;
#[cfg(all(feature = "nalgebra", feature = "array"))]
mod nalgebra_values;
#[cfg(feature = "ndarray")]
pub mod ndarray;
#[cfg(all(feature = "ndarray", feature = "array"))]
mod ndarray_values;
