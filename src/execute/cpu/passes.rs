//! What this machine asks of programs and of code: the passes over them, in order, and the sizes that decide in these.
//!
//! Law: each pass leaves a program or code that computes the same, but for the order of sums and for products that are
//! not rounded before they are added (laws: executors::suite, tests/execute/work.rs).

use super::contract::fuse;
use super::find_fma_chains::chain;
use super::find_products::products;
use crate::kernel::forward_branch_results::joined;
use crate::kernel::fuse_lanes::merge;
use crate::kernel::fuse_sequential::follow;
use crate::kernel::interchange::interchange;
use crate::kernel::{Pass, Target};
use crate::optimise::{self, CONSTANTS, SCALAR_REPLACEMENT};

/// The least count of lanes that could be shared out to workers.
const MANY: i64 = 256;

/// What is done to a program before it is lowered.
pub(super) const OF_PROGRAMS: [&optimise::Pass; 2] = [&SCALAR_REPLACEMENT, &CONSTANTS];

/// Vector instructions, of up to eight lanes, and cores.
pub(super) const CPU: Target = Target {
    wide: 16,
    passes: &[
        Pass { name: "loops over lanes merged", run: merge },
        Pass { name: "loops over lanes interchanged", run: |code| interchange(code, MANY) },
        Pass { name: "loops in order joined", run: follow },
        Pass { name: "products and cells fused", run: fuse },
        Pass { name: "products of matrices found", run: products },
        Pass { name: "sums of products made", run: chain },
        Pass { name: "results of branches handed on", run: joined },
    ],
};
