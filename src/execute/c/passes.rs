//! What code for C compilers asks of programs and of code: the passes over them, in order, and the sizes that decide in these.
//!
//! Law: each pass leaves a program or code that computes the same, but for the order of sums and for products that are not rounded
//! before they are added (laws: executors::suite).

use crate::array::Program;
use crate::execute::Flat;
use crate::interpret::{self, Limits};
use crate::kernel::code::Code;
use crate::kernel::contract::contract;
use crate::kernel::find_products::find_products;
use crate::kernel::forward_branch_results::forward_branch_results;
use crate::kernel::fuse_lanes::fuse_lanes;
use crate::kernel::fuse_sequential::fuse_sequential;
use crate::kernel::fuse_shifted::fuse_shifted;
use crate::kernel::interchange::interchange;
use crate::kernel::ranges::prove;
use crate::kernel::write_out::write_out;
use crate::kernel::{self, Known, Pass, Refused, Target};
use crate::optimise::{self, ADDITIONS, CONSTANTS, KEPT_SUMS, LOOP_BLOCKS, SCALAR_REPLACEMENT, Split};

/// What is done to a program before it is lowered.
const OF_PROGRAMS: [&optimise::Pass; 5] = [&SCALAR_REPLACEMENT, &CONSTANTS, &LOOP_BLOCKS, &KEPT_SUMS, &ADDITIONS];

/// The least count of lanes that could be shared out to workers.
const MIN_SHARED_LANES: i64 = 256;

/// In order.
const OF_CODE: &[Pass] = &[
    Pass { name: "fusion of loops over lanes", run: fuse_lanes },
    Pass { name: "interchange of loops over lanes", run: |code| interchange(code, MIN_SHARED_LANES) },
    Pass { name: "fusion of sequential loops", run: fuse_sequential },
    Pass { name: "contraction to multiply-add", run: contract },
    Pass { name: "recognition of matrix products", run: find_products },
    Pass { name: "forwarding of branch results", run: forward_branch_results },
    Pass { name: "loops over short rows written out", run: write_out },
    Pass { name: "fusion of loops at a distance", run: fuse_shifted },
    Pass { name: "proof of accesses", run: prove },
];

/// Vectors of a few lanes.
pub(super) const TARGET: Target =
    Target { wide: 16, flat: false, has_singles: true, sweeps: true, foreign: false, shared: true, passes: OF_CODE };

/// A program's code, and what it is the code of.
pub(super) struct Lowered {
    /// What is lowered, if that is not the program as it is.
    pub(super) rest: Option<Program>,
    /// The arrays that it takes after the arguments.
    pub(super) constants: Vec<Flat>,
    pub(super) code: Code,
}

/// The code of a program. Arrays of this many elements at most are computed once.
pub(super) fn lowered(program: &Program, most: u64) -> Result<Lowered, Refused> {
    let (rest, constants) = in_passes(program, most, |_, _| ());
    let code = kernel::lower(rest.as_ref().unwrap_or(program), &known(&constants), &TARGET)?;
    Ok(Lowered { rest, constants, code })
}

/// How a program becomes code: the program and the code after each pass, with its name.
pub(super) fn passes(program: &Program, most: u64) -> Vec<(&'static str, String)> {
    let mut all = Vec::new();
    let (rest, constants) = in_passes(program, most, |name, program| all.push((name, program.to_string())));
    let told = |name, code: &Code| all.push((name, code.to_string()));
    kernel::in_passes(rest.as_ref().unwrap_or(program), &known(&constants), &TARGET, told)
        .expect("what was lowered once is again");
    all
}

fn in_passes(program: &Program, most: u64, told: impl FnMut(&'static str, &Program)) -> (Option<Program>, Vec<Flat>) {
    let (mut rest, mut found) = (program.clone(), Vec::new());
    let without_constants = |Split { constant, rest }: Split| {
        let limits = Limits { steps: 1 << 20, elements: most };
        let arrays = interpret::run(&constant, &[], &limits).ok()?;
        found = arrays.iter().map(Flat::from).collect();
        Some(rest)
    };
    let changed = optimise::in_order(&OF_PROGRAMS, &mut rest, without_constants, told);
    (changed.then_some(rest), found)
}

fn known(constants: &[Flat]) -> Vec<Known> {
    let range = |flat: &Flat| flat.ints.iter().min().copied().zip(flat.ints.iter().max().copied());
    constants.iter().map(|flat| Known { sizes: flat.sizes().to_vec(), range: range(flat) }).collect()
}
