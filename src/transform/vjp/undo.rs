//! Updates of arrays that the reverse sweep repeats in place, to read the arrays, and then takes back.
//!
//! Law: after the reverse sweep of a scope each array that it updated again is as it was before the scope, and is
//! handed on as such, so that nothing needs a copy of it (tests/transform/loops.rs).

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::arrays::rows_at;
use super::chain::{Chain, Made, many};
use super::journal::{Journal, Log, noted};
use crate::array::{Atom, Op, Stm, Var, index};
use crate::transform::copy::Copier;

/// The invariant of what is taken back by itself.
const BY_ITSELF: &str = "an update, a scatter or a histogram is taken back by itself";

/// The updates of arrays in place that the reverse sweep repeats and takes back.
#[derive(Default)]
pub(super) struct MadeAgain {
    updates: FxHashMap<Var, Overwritten>,
    /// Branches that are followed by reads of what they give.
    branches: FxHashMap<Var, Rc<Chain>>,
    /// What branches in which something is made again change and give back as it was.
    through: FxHashMap<Var, Var>,
    /// What loops inside change and give back as it was.
    taken_back: FxHashSet<Var>,
    /// How many updates a branch or a loop can make, as the loop around it has made no more in this iteration.
    rooms: FxHashMap<Var, Atom>,
    /// How many iterations loops have in this iteration of the one around them.
    iterations: FxHashMap<Var, Atom>,
}

impl MadeAgain {
    /// Whether a loop inside gives this back as it was.
    pub(super) fn is_taken_back(&self, var: Var) -> bool {
        self.taken_back.contains(&var)
    }

    /// How many updates at most a branch or a loop makes of the array that is this after it.
    pub(super) fn room(&self, after: Var) -> Option<Atom> {
        self.rooms.get(&after).copied()
    }

    /// How many iterations the loop has whose first result is this, if that has been noted.
    pub(super) fn iterations(&self, first: Var) -> Option<Atom> {
        self.iterations.get(&first).copied()
    }

    /// What the results of a choice were made of, which it changes and gives back.
    pub(super) fn through(&self, vars: &[Var]) -> Vec<Var> {
        vars.iter().filter_map(|var| self.through.get(var).copied()).collect()
    }
}

/// What an update, or many at a time, overwrote that has been made again.
struct Overwritten {
    before: Var,
    /// The index, or the array of indices.
    at: Vec<Atom>,
    /// What was there, once it has been made.
    old: Option<Atom>,
}

/// What the updates of a branch overwrote that has been made again.
pub(super) struct Undo {
    var: Var,
    before: Var,
    chain: Rc<Chain>,
    stores: Vec<Atom>,
    count: Atom,
}

impl MadeAgain {
    /// From here on updates of these arrays that are made again are taken back, until [`forget_updates`](Self::forget_updates).
    /// Where their number varies, it is this in all; and loops inside have this many iterations.
    pub(super) fn take_back_updates(
        &mut self,
        journals: &[Journal],
        counts: &[Option<Atom>],
        iterations: impl IntoIterator<Item = (Var, Atom)>,
    ) {
        self.iterations.extend(iterations);
        for (journal, count) in journals.iter().zip(counts) {
            for version in journal.chain.made_again() {
                self.rooms.extend(count.map(|count| (version.var, count)));
                match version.made {
                    Made::Update | Made::Many => {
                        let none = Overwritten { before: version.before, at: Vec::new(), old: None };
                        self.updates.insert(version.var, none);
                    }
                    Made::Branch(_) => {
                        self.branches.insert(version.var, Rc::clone(&journal.chain));
                    }
                    Made::Loop(_) => {
                        self.taken_back.insert(version.before);
                    }
                }
            }
            let mut branches = Vec::new();
            journal.chain.versions.changing_branches(&mut branches);
            self.through.extend(branches);
        }
    }

    pub(super) fn forget_updates(&mut self, journals: &[Journal]) {
        for journal in journals {
            for version in journal.chain.made_again() {
                self.updates.remove(&version.var);
                self.branches.remove(&version.var);
                self.rooms.remove(&version.var);
                self.taken_back.remove(&version.before);
            }
            for asking in journal.chain.asking() {
                self.iterations.remove(&asking);
            }
            self.through.retain(|var, _| !journal.chain.links.contains(var));
        }
    }

    /// Keeps what an update is about to overwrite, if it will be taken back.
    pub(super) fn before_update(&mut self, copier: &Copier<'_, '_>, stm: &Stm) {
        let Some(overwritten) = stm.vars.first().and_then(|var| self.updates.get_mut(var)) else { return };
        let array = copier.atom(overwritten.before.into());
        let (at, old) = match (&stm.op, many(&stm.op)) {
            (_, Some((_, indices))) => {
                let indices = copier.atom(indices);
                (vec![indices], rows_at(copier.target, array, indices))
            }
            (Op::Update(_, at, _), None) => {
                let at = copier.atoms(at);
                let old = copier.target.at(array, &at);
                (at, old)
            }
            _ => panic!("{BY_ITSELF}"),
        };
        (overwritten.at, overwritten.old) = (at, Some(old));
    }

    /// Takes an update back, if it was repeated for the reverse sweep: what comes before it reads the array without it.
    pub(super) fn take_back(&self, copier: &mut Copier<'_, '_>, stm: &Stm) {
        let Some(var) = stm.vars.first() else { return };
        let Some(Overwritten { before, at, old: Some(old) }) = self.updates.get(var) else { return };
        let after = copier.atom((*var).into());
        let array = match &stm.op {
            Op::Update(..) => copier.target.one(Op::Update(after, at.clone(), *old)),
            Op::Scatter(_) | Op::Hist(_) => copier.target.scattered(after, at[0], *old),
            _ => panic!("{BY_ITSELF}"),
        };
        copier.set(*before, array);
    }

    /// Writes a choice, and notes what its updates overwrite if they will be taken back.
    pub(super) fn branch_again(&self, copier: &mut Copier<'_, '_>, stm: &Stm) -> Option<Vec<Undo>> {
        let chain = |var: &Var| Some((*var, Rc::clone(self.branches.get(var)?)));
        let chains: Vec<(Var, Rc<Chain>)> = stm.vars.iter().filter_map(chain).collect();
        if chains.is_empty() {
            return None;
        }
        let alone = core::slice::from_ref(stm);
        let (mut logs, mut befores) = (Vec::new(), Vec::new());
        for (var, chain) in &chains {
            let before = chain.versions.before_branch(*var).expect("a branch that is made again is of the chain");
            let room = chain.most_of(alone).map(index).or_else(|| self.room(*var));
            let room = room.expect("a branch is of a journal, which says how many updates it makes at most");
            let stores = chain.stores(copier.target, copier.atom(before.into()), room);
            logs.push(Log { chain, stores, top: index(0) });
            befores.push(before);
        }
        noted(copier, alone, &mut logs, &mut []);
        let undo = |(((var, chain), before), log): ((&(Var, Rc<Chain>), Var), Log<'_>)| Undo {
            var: *var,
            before,
            chain: Rc::clone(chain),
            stores: log.stores,
            count: log.top,
        };
        Some(chains.iter().zip(befores).zip(logs).map(undo).collect())
    }
}

/// Takes back what a choice did.
pub(super) fn undo(copier: &mut Copier<'_, '_>, undone: &[Undo]) {
    for Undo { var, before, chain, stores, count } in undone {
        let after = copier.atom((*var).into());
        let array = chain.all_put_back(copier.target, stores, after, index(0), *count);
        copier.set(*before, array);
    }
}
