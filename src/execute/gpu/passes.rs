//! What GPUs ask of programs and of code: the passes over them, in order, and the sizes that decide in these.
//!
//! Law: each pass leaves a program or code that computes the same, but for the order of sums (laws: executors::suite).

use crate::kernel::forward_branch_results::forward_branch_results;
use crate::kernel::fuse_lanes::fuse_lanes_and_rows;
use crate::kernel::fuse_sequential::fuse_sequential;
use crate::kernel::{Pass, Target};
use crate::optimise::distribute::Machine;
use crate::optimise::{self, EXTREMA, SCALAR_REPLACEMENT};

/// What is done to a program before it is lowered.
pub(super) const OF_PROGRAMS: [&optimise::Pass; 2] = [&EXTREMA, &SCALAR_REPLACEMENT];

/// In order.
const OF_CODE: &[Pass] = &[
    Pass { name: "fusion of loops over lanes", run: fuse_lanes_and_rows },
    Pass { name: "fusion of sequential loops", run: fuse_sequential },
    Pass { name: "forwarding of branch results", run: forward_branch_results },
];

/// Threads of a GPU, of which a few do nothing that is worth a kernel.
pub(super) const TARGET: Target =
    Target { wide: 2, flat: true, has_singles: true, sweeps: false, foreign: false, shared: true, passes: OF_CODE };

/// A device that is worth it: programs are distributed until they have as many threads, if they can be.
pub(super) const MACHINE: Machine = Machine { threads: 1 << 16, work: 512 };
