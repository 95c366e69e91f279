//! Programs on GPUs: what is said of devices, of the text of kernels, and of how much a run asks for. That results are right,
//! tests/laws/executors.rs says.
#![cfg(feature = "gpu")]

mod corpus;
mod counts;
mod device;
mod distribute;
mod functions;
mod histograms;
mod kernels;
mod narrow;
mod pictures;
mod resident;
mod sizes;
mod tiles;

use catadiff::execute::Executor;
use catadiff::execute::gpu::{FirstGpu, Gpu};
use catadiff_laws::executors::at_hand;

/// The GPU of this machine; none if it may do without, which is said.
fn gpu() -> Option<Gpu> {
    let is_here = at_hand().iter().any(|executor| executor.name() == FirstGpu.name());
    is_here.then(|| FirstGpu::open().expect("it is required"))
}
