//! What this machine asks of programs and of code: the passes over them, in order, and the sizes that decide in these.
//!
//! Law: each pass leaves a program or code that computes the same, but for the order of sums and for products that are
//! not rounded before they are added (laws: executors::suite, tests/execute/work.rs).

use super::dispatch::Level;
use super::find_fma_chains::find_fma_chains;
use super::sweep::are_many;
use crate::kernel::contract::contract;
use crate::kernel::find_products::find_products;
use crate::kernel::forward_branch_results::forward_branch_results;
use crate::kernel::fuse_lanes::fuse_lanes;
use crate::kernel::fuse_sequential::fuse_sequential;
use crate::kernel::interchange::interchange;
use crate::kernel::ranges::prove;
use crate::kernel::{Pass, Target};
use crate::optimise::{self, ADDITIONS, CONSTANTS, KEPT_SUMS, LOOP_BLOCKS, SCALAR_REPLACEMENT};

/// The least count of lanes that could be shared out to workers.
const MIN_SHARED_LANES: i64 = 256;

/// What is done to a program before it is lowered.
pub(super) const OF_PROGRAMS: [&optimise::Pass; 5] =
    [&SCALAR_REPLACEMENT, &CONSTANTS, &LOOP_BLOCKS, &KEPT_SUMS, &ADDITIONS];

/// In order.
const OF_CODE: &[Pass] = &[
    Pass { name: "fusion of loops over lanes", run: fuse_lanes },
    Pass { name: "interchange of loops over lanes", run: |code| interchange(code, MIN_SHARED_LANES) },
    Pass { name: "fusion of sequential loops", run: fuse_sequential },
    Pass { name: "contraction to multiply-add", run: contract },
    Pass { name: "recognition of matrix products", run: find_products },
    Pass { name: "chains of multiply-adds", run: find_fma_chains },
    Pass { name: "forwarding of branch results", run: forward_branch_results },
    Pass { name: "proof of accesses", run: prove },
];

/// Vector instructions and cores.
pub(super) fn cpu(level: Level) -> Target {
    let (has_singles, shared) = (level.has_singles(), are_many());
    Target { wide: 16, flat: false, has_singles, sweeps: true, foreign: true, shared, passes: OF_CODE }
}
