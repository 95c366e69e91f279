//! Which text of a kernel is started: that in integers of 32 bits, where what the host knows proves that they are enough.
//!
//! Law: no integer is cut off. Where 32 bits may not be enough, the kernel computes in 64, or the run says that it cannot
//! (tests/gpu/narrow.rs).

use super::device::Device;
use super::kernel::{Kernel, Space};
use super::proof::Known;
use super::range::Range;
use super::run::{Ran, Run, Stop};
use crate::array::{Prim, text};
use crate::execute::Unsupported;
use crate::execute::contract::Ending;
use crate::execute::fault::binder;
use crate::kernel::code::{Buffer, Value};

impl Device {
    /// What the device has not that a kernel needs.
    pub(super) fn missing_for(&self, kernel: &Kernel) -> Option<&'static str> {
        self.missing(false, kernel.is_wide, kernel.shares_wide)
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
        let kernel = narrow.as_ref().filter(|_| holds).unwrap_or(wide);
        match self.device.missing_for(kernel) {
            None => {
                self.submission.counts.narrow += usize::from(!core::ptr::eq(kernel, wide) && lanes > 0);
                Ok((kernel, known))
            }
            Some(reason) => {
                let stm = kernel.origin.and_then(|var| binder(&self.plan.program.function.body, var));
                let statement = stm.map(|stm| text::head(&self.plan.program, stm));
                Err(Stop::Ended(Ending::Unsupported(Unsupported { statement, reason })))
            }
        }
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
