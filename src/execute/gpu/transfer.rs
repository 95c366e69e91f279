//! Out of the memory of a device: ranges of buffers on their way to the host, who waits for them or does something else meanwhile.
//!
//! Law: what is read is what all kernels left that were handed over before (tests/gpu/resident.rs).

use core::future::Future;
use core::pin::Pin;
use core::task::{Context, Poll, Waker};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::device::{Device, refused};
use crate::error::{Error, Result};

/// A part of a buffer: the first byte, and how many.
pub(super) type Range<'b> = (&'b wgpu::Buffer, u64, u64);

/// Whether the bytes are there, and who wants to know.
#[derive(Debug, Default)]
struct Arrival {
    mapped: Option<bool>,
    waker: Option<Waker>,
}

/// Bytes on their way.
#[derive(Debug)]
pub(super) struct Transfer {
    device: wgpu::Device,
    staging: wgpu::Buffer,
    lengths: Vec<u64>,
    arrival: Arc<Mutex<Arrival>>,
}

fn aligned(bytes: u64) -> u64 {
    bytes.next_multiple_of(8)
}

fn lost() -> Error {
    refused("the GPU was lost in the middle of a run")
}

/// How often it is looked whether bytes are there that the device has sent, and how long it is waited between.
const LOOKS: u32 = 10_000;
const PAUSE: Duration = Duration::from_millis(1);

/// Waits until the device has done all that was submitted, and the bytes are there: whether they are. Another thread that waits for the
/// device may be the one that has them arrive, a little later.
fn arrives(device: &wgpu::Device, arrival: &Mutex<Arrival>) -> bool {
    for _ in 0..LOOKS {
        let waited = device.poll(wgpu::PollType::wait_indefinitely());
        if let Some(mapped) = arrival.lock().unwrap_or_else(PoisonError::into_inner).mapped {
            return mapped;
        }
        if waited.is_err() {
            return false;
        }
        std::thread::sleep(PAUSE);
    }
    false
}

impl Transfer {
    /// Begins to read ranges of buffers.
    pub(super) fn begin(device: &Device, ranges: &[Range<'_>]) -> Result<Self> {
        let total: u64 = ranges.iter().map(|(.., bytes)| aligned(*bytes)).sum();
        let usage = wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST;
        let descriptor = wgpu::BufferDescriptor { label: None, size: total.max(8), usage, mapped_at_creation: false };
        let arrival = Arc::new(Mutex::new(Arrival::default()));
        let staging = device.scoped(|| {
            let staging = device.device.create_buffer(&descriptor);
            let mut encoder = device.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            let mut to = 0;
            for (buffer, from, bytes) in ranges {
                if *bytes > 0 {
                    encoder.copy_buffer_to_buffer(buffer, *from, &staging, to, bytes.next_multiple_of(4));
                }
                to += aligned(*bytes);
            }
            device.queue.submit([encoder.finish()]);
            staging
        })?;
        let told = arrival.clone();
        let tell = move |mapped: core::result::Result<(), _>| {
            let mut arrival = told.lock().unwrap_or_else(PoisonError::into_inner);
            arrival.mapped = Some(mapped.is_ok());
            arrival.waker.take().into_iter().for_each(Waker::wake);
        };
        device.scoped(|| staging.map_async(wgpu::MapMode::Read, .., tell))?;
        let lengths = ranges.iter().map(|(.., bytes)| *bytes).collect();
        Ok(Transfer { device: device.device.clone(), staging, lengths, arrival })
    }

    /// Waits for the bytes of each range.
    pub(super) fn wait(self) -> Result<Vec<Vec<u8>>> {
        if arrives(&self.device, &self.arrival) { self.bytes() } else { Err(lost()) }
    }

    fn bytes(&self) -> Result<Vec<Vec<u8>>> {
        let view = self.staging.get_mapped_range(..).map_err(|_| lost())?;
        let mut at = 0;
        let part = |bytes: &u64| {
            let from = at;
            at += aligned(*bytes);
            view[from as usize..(from + bytes) as usize].to_vec()
        };
        Ok(self.lengths.iter().map(part).collect())
    }
}

/// The bytes of each range. A thread of its own waits for the device, and wakes who waits for this.
impl Future for Transfer {
    type Output = Result<Vec<Vec<u8>>>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let mut arrival = self.arrival.lock().unwrap_or_else(PoisonError::into_inner);
        match arrival.mapped {
            Some(true) => {
                drop(arrival);
                Poll::Ready(self.bytes())
            }
            Some(false) => Poll::Ready(Err(lost())),
            None => {
                let is_first = arrival.waker.replace(context.waker().clone()).is_none();
                drop(arrival);
                if is_first {
                    let (device, arrival) = (self.device.clone(), self.arrival.clone());
                    std::thread::spawn(move || {
                        let mapped = arrives(&device, &arrival);
                        let mut arrival = arrival.lock().unwrap_or_else(PoisonError::into_inner);
                        arrival.mapped = Some(mapped);
                        arrival.waker.take().into_iter().for_each(Waker::wake);
                    });
                }
                Poll::Pending
            }
        }
    }
}
