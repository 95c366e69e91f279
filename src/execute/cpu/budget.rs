//! What a run of lanes counts as steps, and at which instruction it ended.
//!
//! Law: the steps of a run do not depend on who takes them: a loop over lanes is one, and each of its lanes, and each
//! iteration of a loop, which the lanes of a block take together, and each element of a row that they copy. A loop of
//! products in registers is none, but for each stretch after the first. Lanes one after the other take no more than in blocks
//! (tests/execute/limits.rs, tests/execute/one_by_one.rs).

use super::assemble::Assembled;
use super::machine::Fault;
use super::profile::Profile;
use crate::array::Program;
use crate::execute;
use crate::execute::fault::ended;
use crate::execute::progress::{Ended, Progress};
use crate::interpret::Control;

/// How many steps are taken between two looks at what others have done and wish.
pub(super) const STRIDE: i64 = 1 << 10;

/// What all who work on a run share.
#[derive(Debug)]
pub(super) struct Watch<'c> {
    /// A run ends at an instruction.
    progress: Progress<'c, usize>,
    /// What the loops over lanes take, if a profile is wanted.
    pub(super) profile: Option<Profile>,
}

impl<'c> Watch<'c> {
    pub(super) fn new(control: Control<'c>) -> Self {
        Watch { progress: Progress::new(control), profile: None }
    }

    /// Counts steps that were taken, and looks whether there may be more.
    pub(super) fn spend(&self, steps: i64, at: usize) -> Result<(), Fault> {
        self.progress.spend(steps.unsigned_abs(), at).map_err(|Ended| Fault)
    }

    /// `Ok` if there may be this many elements at one time.
    pub(super) fn room(&self, elements: u64, at: usize) -> Result<(), Fault> {
        self.progress.room(elements, at).map_err(|Ended| Fault)
    }

    /// Lets the others stop.
    #[cold]
    pub(super) fn fail(&self) -> Fault {
        self.progress.stop();
        Fault
    }

    /// What the run is held to.
    pub(super) fn control(&self) -> &Control<'c> {
        self.progress.control()
    }

    /// Why the run ended, unless a check of the program failed.
    pub(super) fn fault(&self, code: &Assembled, program: &Program) -> Option<execute::Fault> {
        let (fault, at) = self.progress.ended()?;
        // Inner loops come before those around them.
        let around = code.origins.iter().find(|(from, to, _)| (*from as usize..*to as usize).contains(&at));
        Some(ended(fault, program, around.map(|(_, _, var)| *var)))
    }
}

/// The elements that the buffers of a machine hold, of reals and of integers, and all of them together.
#[derive(Debug, Default)]
pub(super) struct Held {
    sizes: [Vec<u64>; 2],
    pub(super) all: u64,
}

impl Held {
    /// Nothing is held by this machine, and so much by others.
    pub(super) fn restart(&mut self, buffers: [usize; 2], others: u64) {
        for (sizes, buffers) in self.sizes.iter_mut().zip(buffers) {
            sizes.clear();
            sizes.resize(buffers, 0);
        }
        self.all = others;
    }

    /// A buffer has this size now.
    #[inline(always)]
    pub(super) fn resize(&mut self, real: bool, buffer: u32, count: usize) -> u64 {
        let size = &mut self.sizes[usize::from(!real)][buffer as usize];
        self.all = self.all - *size + count as u64;
        *size = count as u64;
        self.all
    }

    pub(super) fn swap(&mut self, real: bool, a: u32, b: u32) {
        self.sizes[usize::from(!real)].swap(a as usize, b as usize);
    }
}
