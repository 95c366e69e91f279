//! Derivatives of array programs as programs: rules, laws, corner cases, work, simplification, one module each.

mod batch;
mod chains;
mod checkpoint;
mod corners;
mod dead_elements;
#[cfg(feature = "unstable")]
mod extrema;
mod kmeans;
mod loops;
mod operators;
mod optimisers;
mod points;
mod promotion;
mod rules;
mod shifts;
mod simplify;
mod sizes;
mod solvers;
mod solvers_linear;
mod spans;
mod work;
mod zeros;
