//! Derivatives of array programs as programs: rules, laws, corner cases, work, simplification, one module each.

mod batch;
mod checkpoint;
mod corners;
#[cfg(feature = "unstable")]
mod extrema;
mod kmeans;
mod loops;
mod operators;
mod points;
mod rules;
mod simplify;
mod sizes;
mod spans;
mod work;
mod zeros;
