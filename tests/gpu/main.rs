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
mod rows;
mod sizes;
mod tiles;

use catadiff::execute::Executor;
use catadiff::execute::gpu::{FirstGpu, Gpu, wgpu};
use catadiff_laws::executors::at_hand;

/// The GPU of this machine; none if it may do without, which is said.
fn gpu() -> Option<Gpu> {
    let is_here = at_hand().iter().any(|executor| executor.name() == FirstGpu.name());
    is_here.then(|| FirstGpu::open().expect("it is required"))
}

/// The GPU of this machine, which there is, opened with none of its features and some of its limits.
fn opened(name: &str, limits: impl Fn(wgpu::Limits) -> wgpu::Limits) -> Gpu {
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle_from_env());
    let adapter = pollster::block_on(instance.request_adapter(&wgpu::RequestAdapterOptions::default()));
    let adapter = adapter.expect("there is one that has more");
    let descriptor = wgpu::DeviceDescriptor { required_limits: limits(adapter.limits()), ..Default::default() };
    let (device, queue) = pollster::block_on(adapter.request_device(&descriptor)).expect("it is asked for little");
    Gpu::from_device(device, queue, name).expect("it computes well")
}
