//! Which values something with an effect needs.
//!
//! Law: a value that no statement with an effect needs can be removed without changing a result
//! (tests/execute/lanes.rs).

use rustc_hash::{FxHashMap, FxHashSet};

use crate::kernel::code::{Block, Code, Operand, Stm, Value};

/// The values that something with an effect needs.
pub(super) fn needed(code: &Code) -> FxHashSet<Value> {
    let mut from: FxHashMap<Value, Vec<Operand>> = FxHashMap::default();
    let mut roots: Vec<Operand> = code.outputs.iter().flat_map(|output| output.operands()).collect();
    needs(&code.body, &mut from, &mut roots);
    let mut needed = FxHashSet::default();
    while let Some(operand) = roots.pop() {
        if let Operand::Value(value) = operand
            && needed.insert(value)
        {
            roots.extend(from.get(&value).into_iter().flatten());
        }
    }
    needed
}

fn needs(block: &Block, from: &mut FxHashMap<Value, Vec<Operand>>, roots: &mut Vec<Operand>) {
    for stm in block {
        match stm {
            Stm::Let(value, ..) | Stm::Load(value, _) => from.entry(*value).or_default().extend(stm.operands()),
            Stm::Assign { cells, mask } => {
                for (cell, operand) in cells {
                    from.entry(*cell).or_default().extend(core::iter::once(*operand).chain(*mask));
                }
            }
            // All others have an effect.
            _ => roots.extend(stm.operands()),
        }
        stm.blocks().into_iter().for_each(|inner| needs(inner, from, roots));
    }
}
