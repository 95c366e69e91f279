//! Adapters to other crates, one module for each feature.

mod argmin;
mod nalgebra;
mod ndarray;
mod serde;
