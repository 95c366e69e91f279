//! Out of the memory of a device: ranges of buffers on their way to the host.
//!
//! Law: what is read is what all kernels left that were handed over before (tests/gpu/resident.rs).

use super::arrival::{Arrival, Wait, lost};
use super::device::Device;
use crate::error::Result;

/// A part of a buffer: the first byte, and how many.
pub(super) type Range<'b> = (&'b wgpu::Buffer, u64, u64);

/// Bytes on their way.
#[derive(Debug)]
pub(super) struct Transfer {
    staging: wgpu::Buffer,
    lengths: Vec<u64>,
    arrival: Arrival,
}

fn aligned(bytes: u64) -> u64 {
    bytes.next_multiple_of(8)
}

impl Transfer {
    /// Begins to read ranges of buffers.
    pub(super) fn begin(device: &Device, ranges: &[Range<'_>]) -> Result<Self> {
        let total: u64 = ranges.iter().map(|(.., bytes)| aligned(*bytes)).sum();
        let usage = wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST;
        let descriptor = wgpu::BufferDescriptor { label: None, size: total.max(8), usage, mapped_at_creation: false };
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
        let (arrival, say) = Arrival::new(&device.device, None);
        device.scoped(|| staging.map_async(wgpu::MapMode::Read, .., |mapped| say(mapped.is_ok())))?;
        let lengths = ranges.iter().map(|(.., bytes)| *bytes).collect();
        Ok(Transfer { staging, lengths, arrival })
    }

    /// Waits for the bytes of each range, and for all that the device has to say of what it was given before.
    pub(super) async fn come(mut self, device: &Device, wait: Wait) -> Result<Vec<Vec<u8>>> {
        let came = self.arrival.come(wait).await;
        // What was refused is why nothing came.
        device.refusals().await?;
        came?;
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
