//! Branches inside of branches: a cell that only takes over what an inner branch has found is set by the inner branch.
//!
//! Law: a cell is set that was set, to the same, and nothing in between looks at it (tests/execute/branches.rs,
//! tests/execute/work.rs).

use rustc_hash::FxHashMap;

use super::code::{Block, Code, Operand, Stm, Value, ValueInfo};
use super::parts::{Mentions, each, each_mut};

/// Leaves out the cells that are handed on.
pub(crate) fn forward_branch_results(code: &mut Code) {
    let mut mentions = Mentions::of(&code.outputs, &code.body);
    // What is summed up is known by its cell.
    code.sums.iter().for_each(|(sum, cell)| mentions.use_each(&[*sum, *cell, *sum, *cell].map(Operand::Value)));
    join(&mut code.body, (&mentions, &mut Mentions::default()), &code.values);
}

/// Outer branches first, so that what is handed on twice is set where it is found.
fn join(block: &mut Block, (mentions, inside): (&Mentions, &mut Mentions), values: &[ValueInfo]) {
    for at in 1..block.len() {
        let (before, after) = block.split_at_mut(at);
        let (Some(branch @ Stm::If { .. }), Some(Stm::Assign { cells, mask: None })) =
            (before.last_mut(), after.first_mut())
        else {
            continue;
        };
        branch.blocks().into_iter().for_each(|inner| inside.count(inner));
        let mut is_masked = false;
        each(core::slice::from_ref(branch), &mut |stm| is_masked |= matches!(stm, Stm::Assign { mask: Some(_), .. }));
        let is_handed_on = |cell: Value, from: Value| {
            let (found, all) = (inside.get(from), mentions.get(from));
            let [of_cell, of_from] = [cell, from].map(|value| values[value.0 as usize]);
            let alike = of_cell.prim == of_from.prim && of_cell.varying == of_from.varying;
            let seen = inside.get(cell);
            let only_here = found.set > 0 && found.set == all.set && found.used == 0 && all.used == 1;
            alike && only_here && seen.used + seen.set == 0
        };
        // Cells are set all at once: what another is set to is what was there before.
        let looked_at: Vec<Operand> = cells.iter().map(|(_, x)| *x).collect();
        let mut renamed: FxHashMap<Value, Value> = FxHashMap::default();
        cells.retain(|(cell, x)| {
            let Operand::Value(from) = *x else { return true };
            let joins = !is_masked && !looked_at.contains(&Operand::Value(*cell)) && is_handed_on(*cell, from);
            if joins {
                renamed.insert(from, *cell);
            }
            !joins
        });
        branch.blocks().into_iter().for_each(|inner| inside.take_back(inner));
        if !renamed.is_empty() {
            each_mut(core::slice::from_mut(branch), &mut |stm| stm.rename_sets(&renamed));
        }
    }
    block.retain(|stm| !matches!(stm, Stm::Assign { cells, .. } if cells.is_empty()));
    for stm in block {
        stm.blocks_mut().into_iter().for_each(|inner| join(inner, (mentions, &mut *inside), values));
    }
}
