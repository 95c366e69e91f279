//! What a run takes of its limits.
//!
//! Law: the elements of all arrays of a run together stay below its limit, and making them counts as work
//! (tests/language/interpret.rs, tests/language/fuzz.rs).

use std::cell::Cell;
use std::rc::Rc;

use crate::array::Prim;
use crate::futhark::meaning::{Outcome, beyond};
use crate::futhark::source::{Message, Span};
use crate::interpret::{Cancel, Limits};

/// Counts what a run takes: elements that are held, and steps.
#[derive(Debug)]
pub(super) struct Meter {
    limits: Limits,
    cancel: Cancel,
    used: Cell<u64>,
    /// In units of elements that are made, of which a step has [`ELEMENTS_PER_STEP`].
    taken: Cell<u64>,
}

/// How many elements are made in the time of a step.
const ELEMENTS_PER_STEP: u64 = 16;

impl Meter {
    pub(super) fn new(limits: Limits, cancel: Cancel) -> Self {
        Meter { limits, cancel, used: Cell::new(0), taken: Cell::new(0) }
    }

    /// Room for this many more elements of a kind.
    pub(super) fn claim(self: &Rc<Self>, at: Span, kind: Prim, elements: Option<usize>) -> Outcome<Hold> {
        let mut hold = Hold { meter: self.clone(), kind, elements: 0 };
        hold.grow(at, elements)?;
        Ok(hold)
    }

    /// One more step.
    pub(super) fn step(&self, at: Span) -> Outcome<()> {
        self.work(at, ELEMENTS_PER_STEP)
    }

    fn work(&self, at: Span, elements: u64) -> Outcome<()> {
        let taken = self.taken.get().saturating_add(elements);
        if taken > self.limits.steps.saturating_mul(ELEMENTS_PER_STEP) {
            return Err(beyond(at, "steps", self.limits.steps));
        }
        if self.cancel.is_cancelled() {
            return Err(Message::error("limit", at, "the run was cancelled"));
        }
        self.taken.set(taken);
        Ok(())
    }
}

/// Room for elements of a kind, that is given back when it is no longer needed.
#[derive(Debug)]
pub(super) struct Hold {
    meter: Rc<Meter>,
    kind: Prim,
    elements: u64,
}

impl Hold {
    /// Room for this many more elements; `None` is more than there are numbers.
    pub(super) fn grow(&mut self, at: Span, elements: Option<usize>) -> Outcome<()> {
        let wanted = elements.and_then(|more| self.meter.used.get().checked_add(more as u64));
        let Some(wanted) = wanted.filter(|wanted| *wanted <= self.meter.limits.elements) else {
            return Err(beyond(at, "elements", self.meter.limits.elements));
        };
        self.meter.work(at, wanted - self.meter.used.get())?;
        self.elements += wanted - self.meter.used.get();
        self.meter.used.set(wanted);
        Ok(())
    }

    pub(super) fn kind(&self) -> Prim {
        self.kind
    }

    /// Room for this many more elements of the same kind.
    pub(super) fn more(&self, at: Span, elements: Option<usize>) -> Outcome<Hold> {
        self.meter.claim(at, self.kind, elements)
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        self.meter.used.set(self.meter.used.get() - self.elements);
    }
}
