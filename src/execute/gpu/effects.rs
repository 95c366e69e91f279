//! What statements use and change, and which of them can change places.
//!
//! Law: two statements that do not clash may run in either order, also at the same time (laws: executors::suite).

use rustc_hash::{FxHashMap, FxHashSet};

use crate::kernel::code::{Code, Op, Operand, Stm, Value};
use crate::kernel::fuse_sequential::Effects;
use crate::kernel::parts::{self, Mentions};

/// Whether statements have to stay in their order, of which the later one is the device's; what comes after a check does.
pub(super) fn clash(waiting: &Stm, [before, later]: [&Effects; 2]) -> bool {
    checks(waiting, |_| true) || !before.commute(later)
}

/// The same, where the later one is the host's: it would change a scalar that waits to be read, or fail before.
pub(super) fn clash_with_host(later: &Stm, [before, after]: [&Effects; 2]) -> bool {
    checks(later, |has_report| has_report) || !after.defines.is_disjoint(&before.uses)
}

/// Whether there is such a check in a statement, with a report or without.
fn checks(stm: &Stm, such: impl Fn(bool) -> bool) -> bool {
    let mut found = false;
    parts::each(core::slice::from_ref(stm), &mut |stm| {
        if let Stm::Check { blame, .. } | Stm::Bounds { blame, .. } = stm {
            found |= such(blame.is_some());
        }
    });
    found
}

/// Scalars that each kernel which needs them computes for itself, of what is set once: they are less work than to keep them.
#[derive(Debug, Default)]
pub(super) struct Rematerialised<'c> {
    /// In the order in which they are computed.
    stms: Vec<&'c Stm>,
    at: FxHashMap<Value, usize>,
}

/// The most statements that are carried out again for a kernel.
const MAX_AGAIN: usize = 16;

impl<'c> Rematerialised<'c> {
    /// Takes a statement, if it is one that can be carried out again; `wanted` are the values that the host asks for.
    pub(super) fn take(&mut self, stm: &'c Stm, mentions: &Mentions, wanted: &FxHashSet<Value>) -> bool {
        let Stm::Let(value, op, operands) = stm else { return false };
        let is_set_once = |value: Value| mentions.get(value).is_set_once();
        let lasts = |x: &Operand| x.value().is_none_or(is_set_once);
        if !is_cheap(*op) || wanted.contains(value) || !is_set_once(*value) || !operands.iter().all(lasts) {
            return false;
        }
        self.at.insert(*value, self.stms.len());
        self.stms.push(stm);
        if self.before(&Effects::of([stm])).len() < MAX_AGAIN {
            return true;
        }
        self.stms.pop();
        self.at.remove(value);
        false
    }

    pub(super) fn has(&self, value: Value) -> bool {
        self.at.contains_key(&value)
    }

    /// What is computed again before statements with these effects.
    pub(super) fn before(&self, effects: &Effects) -> Vec<&'c Stm> {
        let mut wanted: FxHashSet<usize> = FxHashSet::default();
        let mut open: Vec<Value> = effects.uses.iter().copied().collect();
        while let Some(value) = open.pop() {
            if let Some(k) = self.at.get(&value).filter(|_| !effects.defines.contains(&value))
                && wanted.insert(*k)
            {
                open.extend(self.stms[*k].operands().into_iter().filter_map(Operand::value));
            }
        }
        let mut wanted: Vec<usize> = wanted.into_iter().collect();
        wanted.sort_unstable();
        wanted.into_iter().map(|k| self.stms[k]).collect()
    }

    /// The effects of a statement with those of what is computed again before it.
    pub(super) fn with_before(&self, stm: &Stm) -> Effects {
        let mut effects = Effects::of([stm]);
        for before in self.before(&effects) {
            effects.uses.extend(before.operands().into_iter().filter_map(Operand::value));
        }
        effects
    }
}

/// Whether an operation costs no more than to load its result would.
fn is_cheap(op: Op) -> bool {
    match op {
        Op::Scalar(op) => op.is_cheap(),
        Op::Select | Op::LeastWhere | Op::MulAdd | Op::MulSub | Op::MulSubtracted | Op::Earlier(_) => true,
        Op::Rule(_) => false,
    }
}

/// The values that the host has to know, or that are results.
pub(super) fn wanted(code: &Code) -> FxHashSet<Value> {
    let mut wanted = FxHashSet::default();
    let mut want = |x: Operand| wanted.extend(x.value());
    code.outputs.iter().flat_map(|output| output.operands()).for_each(&mut want);
    parts::each(&code.body, &mut |stm| match stm {
        Stm::For { count, .. } | Stm::Alloc(_, count) => want(*count),
        Stm::While { condition, .. } | Stm::If { condition, .. } => want(*condition),
        Stm::Lanes(lanes) => want(lanes.count),
        _ => {}
    });
    wanted
}
