//! Which text of a kernel is started: that in integers of 32 bits, where what the host knows proves that they are enough.
//!
//! Law: no integer is cut off. Where 32 bits may not be enough, the kernel computes in 64, or the run says that it cannot
//! (tests/gpu/narrow.rs).

use super::copies;
use super::device::Device;
use super::kernel::{Kernel, Space};
use super::proof::{Known, MAX_STEPS};
use super::range::Range;
use super::run::{Ran, Run, Stop};
use super::tiles::{self, Sizes};
use crate::array::Prim;
use crate::execute::contract::Ending;
use crate::kernel::code::{Buffer, Value};

/// The least rows and columns of a matrix that is done in tiles, the least iterations, and the least tiles.
const MIN_SIDE: i64 = 32;
const MIN_DEPTH: i64 = 8;
const MIN_TILES: i64 = 32;

impl Device {
    /// What the device has not that a kernel needs.
    pub(super) fn missing_for(&self, kernel: &Kernel) -> Option<&'static str> {
        // The cells, with the word of faults, are one more.
        let binds_all = kernel.arrays() < self.limits.max_storage_buffers_per_shader_stage as usize;
        let too_many = (!binds_all).then_some("a kernel of more arrays than the GPU binds at once");
        self.missing(false, kernel.is_wide, kernel.shares_wide).or(too_many)
    }
}

impl<'r> Run<'r> {
    /// The text of a kernel that is to start, and what is known of integers after it.
    pub(super) fn choose(&mut self, k: usize) -> Ran<(&'r Kernel, Known)> {
        let plan = self.plan;
        let (wide, narrow, claim) = (&plan.kernels[k], &plan.narrow[k], &plan.claims[k]);
        let (lanes, folds): (i64, &[Buffer]) = match &wide.space {
            Space::Serial => (1, &[]),
            Space::Lanes { count, folds, .. } => (self.integer(*count).max(0), folds),
        };
        let mut known = Known::default();
        for value in &claim.enters {
            let range = match self.values[value.0 as usize] {
                _ if plan.slots.contains_key(value) => self.known.values.get(value).copied(),
                constant => constant.map(Range::of),
            };
            known.values.extend(range.map(|range| (*value, range)));
        }
        for binding in wide.bindings.iter().filter(|binding| !folds.contains(&binding.buffer)) {
            let range = self.known.buffers.get(&binding.buffer);
            known.buffers.extend(range.map(|range| (binding.buffer, *range)));
        }
        let holds = claim.holds(&plan.code, &mut known, lanes.into());
        let shared =
            plan.shared[k].as_ref().filter(|it| holds && (self.is_worth_tiles(it) || self.is_worth_copies(it)));
        let kernel = shared.or(narrow.as_ref().filter(|_| holds)).unwrap_or(wide);
        match self.device.missing_for(kernel) {
            None => {
                if let Space::Lanes { tiles, copies, .. } = &kernel.space {
                    self.submission.counts.tiled += usize::from(tiles.is_some());
                    self.submission.counts.copied += usize::from(!copies.is_empty());
                }
                self.submission.counts.narrow += usize::from(!core::ptr::eq(kernel, wide) && lanes > 0);
                Ok((kernel, known))
            }
            Some(reason) => Err(Stop::Ended(Ending::Unsupported(self.plan.unsupported(kernel, reason)))),
        }
    }

    /// How many rows and columns the matrices of a kernel in tiles have, and how many iterations its loop, if the lanes are as many as
    /// the elements of whole matrices.
    pub(super) fn matrices(&self, sizes: &Sizes, lanes: i64) -> Option<[i64; 3]> {
        let columns = self.integer(sizes.columns);
        let all = lanes.checked_div(columns)?;
        let rows = sizes.rows.map_or(all, |rows| self.integer(rows));
        let is_whole = rows > 0 && columns > 0 && lanes % columns == 0 && all % rows == 0;
        is_whole.then(|| [rows, columns, self.integer(sizes.depth)])
    }

    /// Whether tiles are full enough, and enough to fill the device; a loop that may be stopped in the middle is none of a tile.
    fn is_worth_tiles(&self, tiled: &Kernel) -> bool {
        let Space::Lanes { count, tiles: Some(sizes), .. } = &tiled.space else { return false };
        let lanes = self.integer(*count);
        let Some([rows, columns, depth]) = self.matrices(sizes, lanes) else { return false };
        let tiles = tiles::count(lanes, [rows, columns]);
        let steps = self.control.limits.steps.min(MAX_STEPS);
        rows.min(columns) >= MIN_SIDE && (MIN_DEPTH..steps as i64).contains(&depth) && tiles >= MIN_TILES
    }

    /// How many workgroups with copies of these there are for that many lanes, if they have room for them and are worth it.
    pub(super) fn groups_with_copies(&self, copies: &[Buffer], lanes: i64) -> Option<u32> {
        let lengths: Vec<u64> = copies.iter().map(|buffer| self.length(*buffer)).collect();
        let fit = lengths.iter().all(|length| *length <= copies::room(copies.len()).into());
        let found = copies::groups(u64::try_from(lanes).ok()?, lengths.iter().sum());
        found.filter(|_| fit && !copies.is_empty())
    }

    fn is_worth_copies(&self, copied: &Kernel) -> bool {
        let Space::Lanes { count, copies, .. } = &copied.space else { return false };
        self.groups_with_copies(copies, self.integer(*count)).is_some()
    }

    /// Notes what is known after a kernel.
    pub(super) fn learn(&mut self, after: Known) {
        let kept = |(value, _): &(Value, Range)| self.plan.slots.contains_key(value);
        self.known.values.extend(after.values.into_iter().filter(kept));
        let is_shared = |(buffer, _): &(Buffer, Range)| !self.plan.code.buffers[buffer.0 as usize].private;
        self.known.buffers.extend(after.buffers.into_iter().filter(is_shared));
    }

    /// What is known of the elements of a buffer.
    pub(super) fn range_of(&self, buffer: Buffer) -> Range {
        match self.plan.code.buffers[buffer.0 as usize].prim {
            Prim::I64 => self.known.buffers.get(&buffer).copied().unwrap_or(Range::NONE),
            _ => Range::ANY,
        }
    }
}
