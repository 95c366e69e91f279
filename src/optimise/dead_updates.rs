//! Dead stores, and reads that would keep an array from being updated in place.
//!
//! Law: an update is removed if nothing reads its array but an update of the same place, and only then: an array that
//! is read in between would have to be copied; an element of an array that is updated in place in the body is read
//! before the update, if its index is known there, and so is its size, so that the array is dead after its update
//! (tests/transform/simplify.rs, laws: simplification).

use rustc_hash::FxHashMap;

use super::rewriter::uses;
use crate::array::{Atom, Body, Op, Program, Role, Stm, Var, atoms_in, deeper};

/// Leaves out updates of what is overwritten unread, and puts reads of elements before updates.
pub(super) fn overwritten(program: &mut Program) -> bool {
    let mut search = Search { uses: uses(program), updates: FxHashMap::default(), changed: false };
    search.body(&mut program.function.body);
    search.changed
}

struct Search {
    uses: Vec<usize>,
    /// The updates so far, by the array they give: the array before, and where it was changed.
    updates: FxHashMap<Var, (Atom, Vec<Atom>)>,
    changed: bool,
}

impl Search {
    fn body(&mut self, body: &mut Body) {
        self.changed |= read_first(&mut body.stms);
        for stm in &mut body.stms {
            stm.op.bodies_mut().for_each(|body| deeper(|| self.body(body)));
            let Op::Update(array, at, _) = &mut stm.op else { continue };
            if let Atom::Var(var) = *array
                && self.uses[var.0 as usize] == 1
                && let Some((from, _)) = self.updates.get(&var).filter(|(_, there)| there == at)
            {
                (*array, self.changed) = (*from, true);
            }
            self.updates.insert(stm.vars[0], (*array, at.clone()));
        }
    }
}

/// Calls `visit` on the arrays that an operation may change in place if nothing needs them later.
fn changed(op: &Op, visit: &mut impl FnMut(Atom)) {
    op.operands(|array, role| {
        if role == Role::Destination {
            visit(array);
        }
    });
    if let Op::If(_, yes, no) = op {
        [yes, no].into_iter().for_each(|body| atoms_in(body, visit));
    }
}

/// Puts reads of elements before the first update of their array, if all that they need is there, and sizes before the
/// first statement that may change their array.
fn read_first(stms: &mut Vec<Stm>) -> bool {
    let mut updated: FxHashMap<Atom, usize> = FxHashMap::default();
    let mut changes: FxHashMap<Atom, usize> = FxHashMap::default();
    // The first statement before which a value is known.
    let mut known: FxHashMap<Atom, usize> = FxHashMap::default();
    // Of each statement that goes elsewhere, the one that it goes before.
    let mut moves: Vec<(usize, usize)> = Vec::new();
    for (k, stm) in stms.iter().enumerate() {
        let mut from = k + 1;
        changed(&stm.op, &mut |array| {
            changes.entry(array).or_insert(k);
            if let Op::Update(..) | Op::Scatter(_) | Op::Hist(_) = stm.op {
                updated.entry(array).or_insert(k);
            }
        });
        match &stm.op {
            Op::Size(array, _) => {
                if let Some(at) = changes.get(array) {
                    from = *at;
                    moves.push((k, from));
                }
            }
            Op::Index(array, _) => {
                let mut ready = 0;
                stm.op.atoms(|a| ready = ready.max(known.get(&a).copied().unwrap_or(0)));
                if let Some(at) = updated.get(array).filter(|at| ready <= **at) {
                    from = *at;
                    moves.push((k, from));
                }
            }
            _ => {}
        }
        known.extend(stm.vars.iter().map(|var| (Atom::Var(*var), from)));
    }
    if moves.is_empty() {
        return false;
    }
    let mut places: Vec<(usize, bool)> = (0..stms.len()).map(|k| (k, true)).collect();
    moves.into_iter().for_each(|(k, place)| places[k] = (place, false));
    let mut order: Vec<usize> = (0..stms.len()).collect();
    order.sort_by_key(|k| places[*k]);
    let mut all: Vec<Option<Stm>> = core::mem::take(stms).into_iter().map(Some).collect();
    stms.extend(order.into_iter().filter_map(|k| all[k].take()));
    true
}
