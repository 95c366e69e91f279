//! The everyday words of arrays, by the names that numpy and JAX have for them.
//!
//! Each is written in the operations that there are, so every executor runs it, and `jvp`, `vjp` and `vmap` need no rule for it.
//!
//! Law: a word is what its documentation says of each element, of arrays of all sizes; its derivative is that of what it is
//! written in (tests/array/words.rs).

mod choice;
mod contraction;
mod cumulative;
mod fourier;
mod interpolation;
mod matrices;
mod shaping;
mod sorting;
mod statistics;
mod windows;

pub use choice::{Branch, where_};
pub use contraction::{Contracted, einsum};
pub use fourier::{fft, ifft, irfft, rfft};
pub use shaping::{arange, eye, linspace};
pub(super) use statistics::real;
