//! How many lanes of a loop are worked on together.
//!
//! Law: what each lane computes does not depend on it, nor does what they fold by an operation that may be taken in any
//! order, up to that order (tests/execute/blocks.rs).

use super::instruction::{Across, Address, Instruction, LanesLoop, Reg};
use super::vector::{FEW_GROUPS, GROUPS};

/// How many groups of registers stay in the nearest cache, with what is read and written beside them.
const CACHED_GROUPS: usize = 1 << 8;

/// The groups of lanes in a block: more where a block is gone through in registers alone, so that a step costs less for each; but
/// not more than the nearest cache has room for.
pub(super) fn groups(it: &LanesLoop, body: &[Instruction]) -> usize {
    let folds = it.real_folds.iter().chain(&it.int_folds);
    if it.scatters || !folds.into_iter().all(|fold| fold.op.is_some()) || !body.iter().all(once) {
        return FEW_GROUPS;
    }
    let groups = CACHED_GROUPS / (it.reals + it.ints).max(1);
    if groups < FEW_GROUPS { FEW_GROUPS } else { 1 << groups.min(GROUPS).ilog2() }
}

/// Whether an instruction goes through the block, all lanes alike, and has no memory of the lanes' own.
fn once(instruction: &Instruction) -> bool {
    let alike = |mask: &Option<Reg>| mask.is_none();
    let shared = |address: &Address| !matches!(address.across, Across::Own | Across::OwnAt(_));
    match instruction {
        Instruction::Real { .. } | Instruction::Int { .. } | Instruction::Test { .. } | Instruction::Kernel(_) => true,
        Instruction::LeastWhere { .. } | Instruction::SelectReal { .. } | Instruction::SelectInt { .. } => true,
        Instruction::Truncate { .. } | Instruction::IntoReal { .. } | Instruction::Straight { .. } => true,
        Instruction::ToBits { .. } | Instruction::FromBits { .. } => true,
        Instruction::SetReal { mask, .. } | Instruction::SetInt { mask, .. } => alike(mask),
        Instruction::LoadReal { from, .. } | Instruction::LoadInt { from, .. } => shared(from),
        Instruction::StoreReal { at, mask, .. } | Instruction::StoreInt { at, mask, .. } => shared(at) && alike(mask),
        Instruction::AddReal { at, mask, .. } | Instruction::AddInt { at, mask, .. } => shared(at) && alike(mask),
        Instruction::Check { .. } | Instruction::Bounds { .. } => true,
        Instruction::Chain(_) | Instruction::Rows(_) => true,
        // A loop in registers.
        Instruction::UnlessLess { .. } | Instruction::Next { .. } | Instruction::Zero(_) | Instruction::Inner(_) => {
            true
        }
        Instruction::Series(it) => it.to.is_none(),
        Instruction::Jump(_) | Instruction::Again(_) | Instruction::Unless(..) => false,
        Instruction::Lanes(_) | Instruction::End => false,
        #[cfg(feature = "jit")]
        Instruction::Native(_) => false,
        Instruction::Outer(_) | Instruction::Transpose(_) | Instruction::IntoRows(_) => false,
        Instruction::Alloc { .. } | Instruction::Swap { .. } | Instruction::Product(_) => false,
        Instruction::Rule(_) => true,
        Instruction::Scan(_) | Instruction::Hist(_) | Instruction::Call(_) => false,
    }
}

/// Whether instructions are gone through once, and there are not many.
pub(super) fn is_straight(body: &[Instruction]) -> bool {
    let is_loop = |instruction: &Instruction| {
        matches!(instruction, Instruction::UnlessLess { .. } | Instruction::Inner(_) | Instruction::Series(_))
    };
    body.len() <= MAX_SHORT_INSTRUCTIONS && body.iter().all(|instruction| once(instruction) && !is_loop(instruction))
}

/// The count of instructions that take no longer for a few lanes more than it takes to load and store these one by one.
const MAX_SHORT_INSTRUCTIONS: usize = 32;
