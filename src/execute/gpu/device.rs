//! A GPU: opened, and given kernels and buffers. Nothing but this, `submission.rs` and `transfer.rs` names wgpu.
//!
//! Law: what a driver refuses or loses is an [`Error::Device`], never a panic; a buffer that nobody holds any more is used again
//! (tests/gpu/device.rs).

use core::fmt;
use core::future::Future;
use core::pin::Pin;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use pollster::block_on;

use super::kernel::{Binding, Kernel, Use};
use super::self_test::trials;
use crate::array::Program;
use crate::error::{Error, Result};

/// A GPU that array programs run on; copies are the same device.
///
/// ```no_run
/// use catadiff::Elementary;
/// use catadiff::array::{Program, trace::{Arr, F64}};
/// use catadiff::execute::gpu::Gpu;
/// let gpu = Gpu::new()?;
/// let norm = Program::trace(|x: Arr<F64>| x.map(|x| x * x).sum().sqrt())?;
/// let length: f64 = norm.compile_on(&gpu)?.at([3.0, 4.0])?;
/// assert_eq!(length, 5.0);
/// # Ok::<(), catadiff::Error>(())
/// ```
#[derive(Clone)]
pub struct Gpu(pub(super) Arc<Device>);

/// What copies of a [`Gpu`] share.
pub(super) struct Device {
    pub(super) device: wgpu::Device,
    pub(super) queue: wgpu::Queue,
    pub(super) limits: wgpu::Limits,
    features: wgpu::Features,
    name: String,
    /// Pipelines by the text of their kernels.
    pipelines: Mutex<HashMap<String, Pipeline>>,
    pool: Mutex<Pool>,
    /// What the device has not said yet of what it was given: in browsers only.
    unsaid: Mutex<Vec<Verdict>>,
}

/// Whether something was refused, once the device says it.
type Verdict = Pin<Box<dyn Future<Output = Option<wgpu::Error>> + Send>>;

/// How many bytes of a device's memory are taken, in buffers whose sizes are rounded up.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MemoryUse {
    /// By arrays and by runs.
    pub in_use: u64,
    /// By buffers that nobody holds any more, kept for arrays to come.
    pub kept: u64,
}

/// The buffers of a device.
#[derive(Debug, Default)]
struct Pool {
    /// Those that nobody holds, by size.
    free: HashMap<u64, Vec<wgpu::Buffer>>,
    taken: MemoryUse,
}

/// How many bytes are kept for arrays to come, if more are not in use.
const MAX_KEPT: u64 = 1 << 28;

/// A kernel that is ready to start.
#[derive(Debug, Clone)]
pub(super) struct Pipeline {
    pub(super) pipeline: wgpu::ComputePipeline,
    pub(super) layout: wgpu::BindGroupLayout,
}

/// Memory of a device.
#[derive(Debug)]
pub(super) struct Memory {
    pub(super) buffer: wgpu::Buffer,
    device: Weak<Device>,
}

impl fmt::Debug for Gpu {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Gpu({})", self.0.name)
    }
}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

/// What a device is opened with if it has it.
const WANTED: wgpu::Features =
    wgpu::Features::SHADER_F64.union(wgpu::Features::SHADER_INT64).union(wgpu::Features::SHADER_INT64_ATOMIC_ALL_OPS);

impl Gpu {
    /// The best GPU of this machine. The variables of the environment that wgpu knows, such as `WGPU_BACKEND` and
    /// `WGPU_ADAPTER_NAME`, choose another.
    ///
    /// # Errors
    /// [`Error::Device`] if there is none, or if it computes wrongly.
    pub fn new() -> Result<Self> {
        block_on(Self::new_async())
    }

    /// The same, for those who must not wait. In a browser, whose pages never can, this is the way to WebGPU.
    ///
    /// # Errors
    /// As for [`new`](Gpu::new).
    pub async fn new_async() -> Result<Self> {
        let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle_from_env());
        let adapter = instance.request_adapter(&wgpu::RequestAdapterOptions {
            power_preference: wgpu::PowerPreference::HighPerformance,
            ..Default::default()
        });
        let adapter = adapter.await.map_err(|error| refused(format!("there is no GPU that can be used: {error}")))?;
        let descriptor = wgpu::DeviceDescriptor {
            label: Some("catadiff"),
            required_features: adapter.features() & WANTED,
            required_limits: adapter.limits(),
            ..Default::default()
        };
        let (device, queue) = adapter
            .request_device(&descriptor)
            .await
            .map_err(|error| refused(format!("the GPU cannot be opened: {error}")))?;
        Self::from_device_async(device, queue, &adapter.get_info().name).await
    }

    /// A device that was opened elsewhere, so that arrays can be shared with what else runs there. Its features and limits are those
    /// that it was opened with: without `SHADER_INT64`, integers of kind `i64` are computed in 32 bits where it is proved before a kernel
    /// starts that these hold them, and what is not proved cannot run.
    ///
    /// # Errors
    /// [`Error::Device`] if it computes wrongly.
    pub fn from_device(device: wgpu::Device, queue: wgpu::Queue, name: &str) -> Result<Self> {
        block_on(Self::from_device_async(device, queue, name))
    }

    /// The same, for those who must not wait.
    ///
    /// # Errors
    /// As for [`from_device`](Gpu::from_device).
    pub async fn from_device_async(device: wgpu::Device, queue: wgpu::Queue, name: &str) -> Result<Self> {
        let (limits, features) = (device.limits(), device.features());
        let device = Device {
            device,
            queue,
            limits,
            features,
            name: name.to_owned(),
            pipelines: Mutex::default(),
            pool: Mutex::default(),
            unsaid: Mutex::default(),
        };
        let gpu = Gpu(Arc::new(device));
        for trial in trials()? {
            let outcome = gpu.outcome(&Program::parse(trial.program)?, &trial.argument).await?;
            trial.judge(&outcome, gpu.name())?;
        }
        Ok(gpu)
    }

    /// Ends the device, for all copies: what runs on it from now on is an [`Error::Device`].
    pub fn destroy(&self) {
        self.0.device.destroy();
    }

    /// How much of the device's memory is taken: what was put there, results, and what runs need.
    #[must_use]
    pub fn memory(&self) -> MemoryUse {
        lock(&self.0.pool).taken
    }

    /// What the driver calls the device.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.0.name
    }
}

pub(super) fn refused(what: impl Into<String>) -> Error {
    Error::Device { what: what.into() }
}

/// Whether a text is a shader.
#[cfg(not(target_family = "wasm"))]
pub(super) fn check(kernel: &str) -> core::result::Result<(), String> {
    use wgpu::naga::front::wgsl;
    use wgpu::naga::valid::{Capabilities, ValidationFlags, Validator};
    let module = wgsl::parse_str(kernel).map_err(|error| error.emit_to_string(kernel))?;
    let validated = Validator::new(ValidationFlags::all(), Capabilities::all()).validate(&module);
    validated.map(drop).map_err(|error| error.emit_to_string(kernel))
}

async fn first_refusal(verdicts: impl IntoIterator<Item = Verdict>) -> Result<()> {
    let mut first = None;
    for verdict in verdicts {
        first = first.or(verdict.await);
    }
    first.map_or(Ok(()), |error| Err(refused(format!("the GPU refused: {error}"))))
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Device {
    /// What the device has not, of what kernels need.
    pub(super) fn missing(&self, doubles: bool, wide: bool, wide_atomics: bool) -> Option<&'static str> {
        let lacks = |feature| !self.features.contains(feature);
        if doubles && lacks(wgpu::Features::SHADER_F64) {
            return Some("a GPU with double precision (SHADER_F64), which this one has not");
        }
        if wide && lacks(wgpu::Features::SHADER_INT64) {
            return Some("integers that may need 64 bits, and the GPU has none of these (SHADER_INT64)");
        }
        if wide_atomics && lacks(wgpu::Features::SHADER_INT64_ATOMIC_ALL_OPS) {
            return Some("a GPU with atomic operations on 64 bits, which this one has not");
        }
        None
    }

    /// Does something with the device; what it refuses is an error, here or in a browser when the device [says so](Device::refusals).
    pub(super) fn scoped<T>(&self, inside: impl FnOnce() -> T) -> Result<T> {
        let filters = [wgpu::ErrorFilter::Validation, wgpu::ErrorFilter::OutOfMemory, wgpu::ErrorFilter::Internal];
        let scopes = filters.map(|filter| self.device.push_error_scope(filter));
        let found = inside();
        let verdicts = scopes.into_iter().rev().map(|scope| Box::pin(scope.pop()) as Verdict);
        if cfg!(target_family = "wasm") {
            lock(&self.unsaid).extend(verdicts);
        } else {
            block_on(first_refusal(verdicts))?;
        }
        Ok(found)
    }

    /// The first thing that the device has refused, of what it has not said yet.
    pub(super) async fn refusals(&self) -> Result<()> {
        let verdicts = core::mem::take(&mut *lock(&self.unsaid));
        first_refusal(verdicts).await
    }

    /// The pipeline of a kernel.
    pub(super) fn pipeline(&self, kernel: &Kernel) -> Result<Pipeline> {
        if let Some(pipeline) = kernel.pipeline.get() {
            return Ok(pipeline.clone());
        }
        let known = lock(&self.pipelines).get(&kernel.text).cloned();
        let pipeline = match known {
            Some(pipeline) => pipeline,
            None => {
                let pipeline = self.scoped(|| self.compile(kernel))?;
                lock(&self.pipelines).entry(kernel.text.clone()).or_insert(pipeline).clone()
            }
        };
        Ok(kernel.pipeline.get_or_init(|| pipeline).clone())
    }

    fn compile(&self, kernel: &Kernel) -> Pipeline {
        let source = wgpu::ShaderSource::Wgsl(kernel.text.as_str().into());
        let module = self.device.create_shader_module(wgpu::ShaderModuleDescriptor { label: None, source });
        let entry = |binding: usize, ty: wgpu::BufferBindingType| wgpu::BindGroupLayoutEntry {
            binding: binding as u32,
            visibility: wgpu::ShaderStages::COMPUTE,
            ty: wgpu::BindingType::Buffer { ty, has_dynamic_offset: false, min_binding_size: None },
            count: None,
        };
        let reads = |binding: &Binding| binding.how == Use::Reads;
        let read_only = [false].into_iter().chain(kernel.bindings.iter().map(reads));
        let owned = kernel.bindings.iter().filter(|binding| binding.how == Use::Owns);
        let read_only = read_only.chain(kernel.scratch.iter().map(|_| false)).chain(owned.map(|_| true));
        let buffers = read_only.map(|read_only| wgpu::BufferBindingType::Storage { read_only });
        let bindings = core::iter::once(wgpu::BufferBindingType::Uniform).chain(buffers);
        let entries: Vec<_> = bindings.enumerate().map(|(k, ty)| entry(k, ty)).collect();
        let layout =
            self.device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: None, entries: &entries });
        let pipeline_layout = self.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: None,
            bind_group_layouts: &[Some(&layout)],
            immediate_size: 0,
        });
        let pipeline = self.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: None,
            layout: Some(&pipeline_layout),
            module: &module,
            entry_point: Some("main"),
            compilation_options: Default::default(),
            cache: None,
        });
        Pipeline { pipeline, layout }
    }

    /// Memory of at least this size in bytes; what is in it is unspecified.
    pub(super) fn memory(self: &Arc<Self>, bytes: u64) -> Result<Arc<Memory>> {
        let most = self.limits.max_storage_buffer_binding_size.min(self.limits.max_buffer_size);
        if bytes > most {
            return Err(refused(format!(
                "an array of {bytes} bytes is too large for this GPU: it binds {most} at once"
            )));
        }
        // Sizes are rounded up, so that more of them are alike.
        let size = bytes.max(256).next_power_of_two().min(most / 4 * 4);
        let known = lock(&self.pool).take(size);
        let buffer = match known {
            Some(buffer) => buffer,
            None => self.scoped(|| self.buffer(size)).or_else(|_| {
                // What nobody uses may be in the way.
                lock(&self.pool).clear();
                self.scoped(|| self.buffer(size))
            })?,
        };
        lock(&self.pool).taken.in_use += size;
        Ok(Arc::new(Memory { buffer, device: Arc::downgrade(self) }))
    }

    /// Memory with these bytes.
    pub(super) fn put(self: &Arc<Self>, bytes: &[u8]) -> Result<Arc<Memory>> {
        let memory = self.memory(bytes.len() as u64)?;
        if !bytes.is_empty() {
            self.scoped(|| self.queue.write_buffer(&memory.buffer, 0, bytes))?;
        }
        Ok(memory)
    }

    /// Copies bytes from a place in one buffer to a place in another.
    pub(super) fn copy(&self, from: (&wgpu::Buffer, u64), to: (&wgpu::Buffer, u64), bytes: u64) -> Result<()> {
        self.scoped(|| {
            let mut encoder = self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            encoder.copy_buffer_to_buffer(from.0, from.1, to.0, to.1, bytes);
            self.queue.submit([encoder.finish()]);
        })
    }

    fn buffer(&self, size: u64) -> wgpu::Buffer {
        use wgpu::BufferUsages as Usages;
        let usage = Usages::STORAGE | Usages::UNIFORM | Usages::COPY_SRC | Usages::COPY_DST;
        let descriptor = wgpu::BufferDescriptor { label: None, size, usage, mapped_at_creation: false };
        self.device.create_buffer(&descriptor)
    }
}

impl Pool {
    /// A buffer of this size that nobody holds, if there is one.
    fn take(&mut self, size: u64) -> Option<wgpu::Buffer> {
        let buffer = self.free.get_mut(&size)?.pop()?;
        self.taken.kept -= size;
        Some(buffer)
    }

    /// Keeps a buffer that nobody holds any more, unless enough are kept.
    fn give(&mut self, buffer: &wgpu::Buffer) {
        let size = buffer.size();
        self.taken.in_use -= size;
        if self.taken.kept + size <= self.taken.in_use.max(MAX_KEPT) {
            self.free.entry(size).or_default().push(buffer.clone());
            self.taken.kept += size;
        }
    }

    fn clear(&mut self) {
        self.free.clear();
        self.taken.kept = 0;
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        if let Some(device) = self.device.upgrade() {
            lock(&device.pool).give(&self.buffer);
        }
    }
}
