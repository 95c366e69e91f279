//! How far a run is, counted by all who work on it together, and why it ended before its time.
//!
//! Law: whoever notices that the run is to end, ends it for all, and the first reason stays (tests/execute/limits.rs,
//! tests/execute/native.rs).

use core::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::interpret::{Control, Fault};

/// The run is to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Ended;

/// What all who work on a run share; an executor says `At` what place in its code the run ended.
#[derive(Debug)]
pub(super) struct Progress<'c, At> {
    control: Control<'c>,
    steps: AtomicU64,
    stopped: AtomicBool,
    ended: Mutex<Option<(Fault, At)>>,
}

impl<'c, At> Progress<'c, At> {
    pub(super) fn new(control: Control<'c>) -> Self {
        Progress { control, steps: AtomicU64::new(0), stopped: AtomicBool::new(false), ended: Mutex::new(None) }
    }

    /// What the run is held to.
    pub(super) fn control(&self) -> &Control<'c> {
        &self.control
    }

    /// Counts steps that were taken, and looks whether there may be more.
    #[cold]
    #[inline(never)]
    pub(super) fn spend(&self, steps: u64, at: At) -> Result<(), Ended> {
        let before = self.steps.fetch_add(steps, Ordering::Relaxed);
        if self.stopped.load(Ordering::Relaxed) {
            return Err(Ended);
        }
        self.control.reached(before, before.saturating_add(steps)).map_err(|fault| self.end(fault, at))
    }

    /// `Ok` if there may be this many elements at one time.
    pub(super) fn room(&self, elements: u64, at: At) -> Result<(), Ended> {
        self.control.room(Some(elements)).map(drop).map_err(|fault| self.end(fault, at))
    }

    #[cold]
    fn end(&self, fault: Fault, at: At) -> Ended {
        self.ended.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert((fault, at));
        self.stop();
        Ended
    }

    /// Lets the others stop.
    #[cold]
    pub(super) fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }

    /// Why the run ended, unless a check of the program failed.
    pub(super) fn ended(&self) -> Option<(Fault, At)> {
        self.ended.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}
