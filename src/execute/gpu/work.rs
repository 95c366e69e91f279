//! How much a kernel does, about: the statements that its threads carry out, with the counts of loops as far as the host knows them.
//!
//! Law: what is handed to a device at once is of bounded work, or one kernel (tests/gpu/device.rs).

use super::plan::Draft;
use crate::kernel::code::{Operand, Stm};

/// Statements, and loops in which there are more.
#[derive(Debug, Clone, Default)]
pub(super) struct Work {
    statements: u64,
    /// The counts of loops, none where no operand says it, and what is in them.
    loops: Vec<(Option<Operand>, Work)>,
}

/// How often a loop is taken to go round of which it is not known.
const UNKNOWN: u64 = 16;

impl Work {
    /// What a lane has to do, or the one thread.
    pub(super) fn of(draft: &Draft<'_>) -> Self {
        let mut work = Work::default();
        for stm in &draft.stms {
            match stm {
                Stm::Lanes(lanes) => lanes.body.iter().for_each(|stm| work.add(stm)),
                stm => work.add(stm),
            }
        }
        work
    }

    fn add(&mut self, stm: &Stm) {
        self.statements += 1;
        let mut within = Work::default();
        stm.blocks().into_iter().flatten().for_each(|stm| within.add(stm));
        match stm {
            Stm::For { count, .. } => self.loops.push((Some(*count), within)),
            Stm::While { .. } => self.loops.push((None, within)),
            _ => {
                self.statements += within.statements;
                self.loops.extend(within.loops);
            }
        }
    }

    /// How many statements these are, where the counts of loops are known as this says.
    pub(super) fn statements(&self, known: &impl Fn(Operand) -> Option<u64>) -> u64 {
        self.loops.iter().fold(self.statements, |sum, (count, within)| {
            let times = count.and_then(known).unwrap_or(UNKNOWN);
            sum.saturating_add(times.saturating_mul(within.statements(known)))
        })
    }
}
