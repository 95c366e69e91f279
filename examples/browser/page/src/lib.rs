//! k-means by Newton's method, for a page: the program, points to cluster, and runs on WebGPU or on the processor.

mod clustering;
#[cfg(target_family = "wasm")]
mod exported;
mod points;

pub use clustering::{Clustering, Step, step};
pub use points::{Points, points};
