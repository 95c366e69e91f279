//! Kernels on their way to the device, with the memory that they share: cells for scalars, and the word of faults.
//!
//! Law: kernels start in the order in which they were added, and each sees what those before it have left (laws: executors::suite).

use std::collections::VecDeque;
use std::sync::Arc;

use super::arrival::{Arrival, Wait};
use super::device::{Device, Memory, Pipeline};
use super::kernel::FAULT_WORDS;
use super::transfer::{Range, Transfer};
use crate::error::Result;

/// What a run asked of the device.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// How many kernels it started.
    pub dispatches: usize,
    /// How many of them computed integers of 64 bits in 32.
    pub narrow: usize,
    /// How many of them had elements brought once for many lanes, into the memory of workgroups.
    pub tiled: usize,
    /// How many of them added to copies in the memory of workgroups, which these added up.
    pub copied: usize,
    /// How often the host waited for scalars or results.
    pub readbacks: usize,
    /// How often it handed kernels to the device.
    pub submissions: usize,
    /// How many threads the kernels had together.
    pub threads: u64,
    /// How many bytes of arrays the kernels moved at least: those that a kernel reads, and those that it writes, each once.
    pub bytes: u64,
    /// How many bytes of what threads have for themselves they moved at least.
    pub own_bytes: u64,
}

impl Counts {
    /// Adds what a kernel moves: of arrays, and of what threads have for themselves.
    pub(super) fn moved(&mut self, [bytes, own]: [u64; 2]) {
        self.bytes = self.bytes.saturating_add(bytes);
        self.own_bytes = self.own_bytes.saturating_add(own);
    }
}

/// What kernels have left.
#[derive(Debug)]
pub(super) struct Left {
    /// What has failed: the number of a report and its operands, or 0.
    pub(super) fault: Vec<u32>,
    pub(super) cells: Vec<u32>,
    /// The bytes of the buffers that were read.
    pub(super) arrays: Vec<Vec<u8>>,
}

/// A kernel to be started.
#[derive(Debug)]
struct Dispatch {
    pipeline: Pipeline,
    memory: Vec<Arc<Memory>>,
    /// Where its parameters begin, and how many bytes they are.
    params: (u64, u64),
    groups: u32,
}

/// Kernels that wait for the device.
pub(super) struct Submission<'r> {
    device: &'r Arc<Device>,
    /// The words of a fault, and behind them the cells.
    state: Arc<Memory>,
    /// How many bytes the cells are.
    size: u64,
    waiting: Vec<Dispatch>,
    /// Memory to be cleared before: only those that wait know it.
    clears: Vec<(Arc<Memory>, u64)>,
    params: Vec<u32>,
    /// How many statements those that wait carry out, about.
    work: u64,
    /// What the device was given and may not have done yet.
    given: VecDeque<Arrival>,
    wait: Wait,
    pub(super) counts: Counts,
}

/// How many dispatches are submitted at once.
const MAX_WAITING: usize = 512;
/// The most statements that are submitted at once, but of one kernel: some 50 ms of a slow device.
const MAX_WORK: u64 = 1 << 27;
/// How many submissions the device has not done, of a run that goes on: a run that is to be stopped is not far ahead of it.
const MAX_GIVEN: usize = 2;
/// How many bytes a fault is.
pub(super) const FAULT_BYTES: u64 = 4 * FAULT_WORDS as u64;

impl<'r> Submission<'r> {
    /// Nothing waits, and nothing has failed.
    pub(super) fn new(device: &'r Arc<Device>, cells: u32, wait: Wait) -> Result<Self> {
        let size = 4 * u64::from(cells);
        let state = device.memory(FAULT_BYTES + size)?;
        device.queue.write_buffer(&state.buffer, 0, &[0; FAULT_BYTES as usize]);
        let counts = Counts::default();
        Ok(Submission {
            device,
            state,
            size,
            waiting: Vec::new(),
            clears: Vec::new(),
            params: Vec::new(),
            work: 0,
            given: VecDeque::new(),
            wait,
            counts,
        })
    }

    /// Sets cells before anything is submitted.
    pub(super) fn set_cells(&self, at: u32, words: &[u32]) {
        self.device.queue.write_buffer(&self.state.buffer, cell(at), &to_bytes(words));
    }

    /// Sets cells, before anything is submitted, to what is in the memory of another run.
    pub(super) fn copy_to_cells(&self, from: &Memory, at: u32, bytes: u64) -> Result<()> {
        self.device.copy((&from.buffer, 0), (&self.state.buffer, cell(at)), bytes)
    }

    /// The memory of a scalar of its own, out of the cells as they are when all that was added is done.
    pub(super) fn copy_of_cells(&mut self, at: u32, bytes: u64) -> Result<Arc<Memory>> {
        self.submit()?;
        let memory = self.device.memory(bytes)?;
        self.device.copy((&self.state.buffer, cell(at)), (&memory.buffer, 0), bytes)?;
        Ok(memory)
    }

    /// Clears memory that no kernel has had yet which was added before.
    pub(super) fn clear(&mut self, memory: Arc<Memory>, bytes: u64) {
        self.clears.push((memory, bytes));
    }

    /// The memory that begins with the words of a fault.
    pub(super) fn state(&self) -> Arc<Memory> {
        self.state.clone()
    }

    /// Adds a kernel with its memory and its parameters.
    pub(super) fn dispatch(
        &mut self,
        pipeline: Pipeline,
        memory: Vec<Arc<Memory>>,
        params: &[u32],
        [groups, threads]: [u32; 2],
        work: u64,
    ) -> Result<()> {
        self.counts.dispatches += 1;
        self.counts.threads += u64::from(threads);
        let alignment = self.device.limits.min_uniform_buffer_offset_alignment.max(16) as usize / 4;
        self.params.resize(self.params.len().next_multiple_of(alignment), 0);
        // They are in groups of four.
        let words = params.len().next_multiple_of(4);
        let params_at = (4 * self.params.len() as u64, 4 * words as u64);
        self.params.extend(params);
        self.params.resize(self.params.len().next_multiple_of(4), 0);
        self.waiting.push(Dispatch { pipeline, memory, params: params_at, groups });
        self.work = self.work.saturating_add(work);
        if self.waiting.len() >= MAX_WAITING || self.work >= MAX_WORK { self.submit() } else { Ok(()) }
    }

    /// Hands what waits to the device.
    pub(super) fn submit(&mut self) -> Result<()> {
        if self.waiting.is_empty() {
            return Ok(());
        }
        let bytes = to_bytes(&self.params);
        self.params.clear();
        let params = self.device.memory(bytes.len() as u64)?;
        let (waiting, clears) = (core::mem::take(&mut self.waiting), core::mem::take(&mut self.clears));
        let device = self.device;
        self.work = 0;
        self.counts.submissions += 1;
        let index = device.scoped(|| {
            device.queue.write_buffer(&params.buffer, 0, &bytes);
            let mut encoder = device.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            for (memory, bytes) in clears.iter().filter(|(_, bytes)| *bytes > 0) {
                encoder.clear_buffer(&memory.buffer, 0, Some(*bytes));
            }
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
            for Dispatch { pipeline, memory, params: (from, size), groups } in &waiting {
                let size = core::num::NonZero::new(*size);
                let first = wgpu::BufferBinding { buffer: &params.buffer, offset: *from, size };
                let others = [&self.state].into_iter().chain(memory);
                let all = core::iter::once(first).chain(others.map(|one| one.buffer.as_entire_buffer_binding()));
                let entry = |(binding, buffer)| {
                    let resource = wgpu::BindingResource::Buffer(buffer);
                    wgpu::BindGroupEntry { binding, resource }
                };
                let entries: Vec<wgpu::BindGroupEntry<'_>> = (0..).zip(all).map(entry).collect();
                let layout = &pipeline.layout;
                let descriptor = wgpu::BindGroupDescriptor { label: None, layout, entries: &entries };
                pass.set_pipeline(&pipeline.pipeline);
                pass.set_bind_group(0, &device.device.create_bind_group(&descriptor), &[]);
                pass.dispatch_workgroups(*groups, 1, 1);
            }
            drop(pass);
            device.queue.submit([encoder.finish()])
        })?;
        let (arrival, say) = Arrival::new(&device.device, Some(index));
        device.queue.on_submitted_work_done(|| say(true));
        self.given.push_back(arrival);
        Ok(())
    }

    /// Waits for what was submitted before the last ones.
    pub(super) async fn keep_pace(&mut self) -> Result<()> {
        while self.given.len() > MAX_GIVEN {
            let mut arrival = self.given.pop_front().expect("there are some");
            arrival.come(self.wait).await?;
        }
        Ok(())
    }

    /// Waits for all kernels, and reads ranges of other buffers with what they leave of scalars and faults.
    pub(super) async fn read(&mut self, others: &[Range<'_>]) -> Result<Left> {
        self.submit()?;
        self.counts.readbacks += 1;
        let state = &self.state.buffer;
        let mut ranges = vec![(state, 0, FAULT_BYTES), (state, FAULT_BYTES, self.size)];
        ranges.extend(others);
        let mut found = Transfer::begin(self.device, &ranges)?.come(self.device, self.wait).await?.into_iter();
        let mut words = || to_words(&found.next().expect("each range was read"));
        Ok(Left { fault: words(), cells: words(), arrays: found.collect() })
    }
}

/// Where the word of the cells of this number begins.
fn cell(at: u32) -> u64 {
    FAULT_BYTES + 4 * u64::from(at)
}

fn to_bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// Bytes of the device as words.
pub(super) fn to_words(bytes: &[u8]) -> Vec<u32> {
    bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect()
}
