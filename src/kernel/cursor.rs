//! Where code is being written: for which statement, how often it runs, and in which lanes.
//!
//! Law: going back to a checkpoint leaves nothing of what was written since inside of the frames that were open then.
//! What has moved further out stays: operations are total, so it may be there for nothing (tests/execute/work.rs).

use super::buffers::Region;
use super::code::{Buffer, Operand, Origin, Value};
use super::emit::Emit;
use crate::array::{ScalarOp, Stm};
use crate::error::Span;

/// Where code is being written.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cursor<'p> {
    /// The statement that loops are for.
    pub(super) origin: Origin,
    /// The statement that is being lowered.
    pub(super) stm: Option<&'p Stm>,
    /// Where it comes from, or the one around it.
    pub(super) span: Span,
    /// Where the program would not be in all lanes, in which it is.
    pub(super) mask: Option<Operand>,
    pub(super) region: Region,
    /// How many first rows are being computed, each inside of the one before.
    pub(super) firsts: usize,
}

impl Cursor<'_> {
    pub(super) fn start() -> Self {
        Cursor { origin: None, stm: None, span: Span::UNKNOWN, mask: None, region: Region::INPUTS, firsts: 0 }
    }

    /// Whether this is in no loop and in no branch.
    pub(super) fn runs_once(&self) -> bool {
        self.region == Region::BODY
    }
}

/// A loop over lanes that is open.
#[derive(Debug, Clone)]
pub(super) struct OpenLanes {
    pub(super) index: Value,
    pub(super) frame: usize,
    /// The buffers that it adds and scatters to.
    pub(super) adds: Vec<Buffer>,
    pub(super) scatters: Vec<Buffer>,
}

/// A state of the code that one can go back to.
#[derive(Debug)]
pub(super) struct Checkpoint<'p> {
    frames: usize,
    at: Cursor<'p>,
    lanes: Option<OpenLanes>,
}

impl<'p> Emit<'p> {
    pub(super) fn checkpoint(&self) -> Checkpoint<'p> {
        Checkpoint { frames: self.frames.len(), at: self.at, lanes: self.lanes.clone() }
    }

    /// Leaves nothing of what was written since a checkpoint.
    pub(super) fn roll_back(&mut self, to: Checkpoint<'p>) {
        self.frames.truncate(to.frames);
        (self.at, self.lanes) = (to.at, to.lanes);
    }

    /// Sets the statement that is lowered from here on, and returns the cursor before.
    pub(super) fn enter_statement(&mut self, stm: &'p Stm) -> Cursor<'p> {
        let around = self.at;
        self.at = Cursor { stm: Some(stm), span: stm.span.or(around.span), ..around };
        around
    }

    /// Says that a statement is lowered, and that around it goes on.
    pub(super) fn leave_statement(&mut self, around: Cursor<'p>) {
        (self.at.stm, self.at.span) = (around.stm, around.span);
    }

    /// Begins a region, and returns the one before.
    pub(super) fn enter_region(&mut self) -> Region {
        core::mem::replace(&mut self.at.region, self.buffers.new_region())
    }

    /// From here on, nothing is done where an index is out of bounds.
    pub(super) fn only_within(&mut self, index: Operand, size: Operand) {
        if !self.facts.is_within(index, size) {
            let within = self.lies_within(index, size);
            self.only_where(within);
        }
    }

    /// From here on, nothing is done where a condition is false.
    pub(super) fn only_where(&mut self, condition: Operand) {
        self.at.mask = Some(match self.at.mask {
            Some(mask) => self.scalar(ScalarOp::Mul, &[mask, condition]),
            None => condition,
        });
    }

    /// Whether an index is in bounds, when the code runs.
    pub(super) fn lies_within(&mut self, index: Operand, size: Operand) -> Operand {
        let from = self.scalar(ScalarOp::LessOrEqual, &[Operand::int(0), index]);
        let to = self.scalar(ScalarOp::Less, &[index, size]);
        self.scalar(ScalarOp::Mul, &[from, to])
    }

    /// Whether a value is the number of the lane.
    pub(super) fn is_lane(&self, index: Operand) -> bool {
        self.lanes.as_ref().is_some_and(|lanes| Operand::Value(lanes.index) == index)
    }

    /// Says that the open loop over lanes, if there is one, updates elements of a buffer that lanes share.
    pub(super) fn updates(&mut self, buffer: Buffer) {
        let private = self.buffers[buffer].private;
        if let Some(lanes) = self.lanes.as_mut().filter(|lanes| !private && !lanes.adds.contains(&buffer)) {
            lanes.adds.push(buffer);
        }
    }

    /// Says that the open loop over lanes scatters to a buffer.
    pub(super) fn scatters_to(&mut self, buffer: Buffer) {
        if let Some(lanes) = self.lanes.as_mut().filter(|lanes| !lanes.scatters.contains(&buffer)) {
            lanes.scatters.push(buffer);
        }
    }
}
