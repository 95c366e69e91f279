//! Which values of a function are declared at its top: a variable of C is there in its block alone, a value of code wherever it was bound
//! before.
//!
//! Law: a value that is declared where it is bound is bound once, and used in that block and those inside (tests/execute/in_c.rs).

use rustc_hash::{FxHashMap, FxHashSet};

use crate::kernel::code::{Block, Operand, Stm, Value};
use crate::kernel::parts::{Mentions, each, sets};

/// Values that are set again, or used out of their blocks; some are used after the body.
pub(super) fn hoisted(body: &Block, mentions: &Mentions, after: &[Operand]) -> FxHashSet<Value> {
    let mut scopes = Scopes::default();
    scopes.block(body, &[], mentions);
    let mut set = FxHashSet::default();
    sets(body, &mut set);
    let outside = after.iter().filter_map(|x| x.value());
    scopes.hoisted.into_iter().chain(outside).filter(|value| set.contains(value)).collect()
}

/// Where values are bound and used, to find out which need to be declared before.
#[derive(Default)]
struct Scopes {
    bound: FxHashMap<Value, usize>,
    open: Vec<usize>,
    blocks: usize,
    hoisted: FxHashSet<Value>,
}

impl Scopes {
    fn block(&mut self, block: &[Stm], also: &[Value], mentions: &Mentions) {
        self.inside(|this| {
            also.iter().for_each(|value| this.bind(*value, mentions.get(*value).set == 1));
            this.statements(block, mentions);
        });
    }

    /// Does something in a block of its own.
    fn inside(&mut self, statements: impl FnOnce(&mut Self)) {
        self.blocks += 1;
        self.open.push(self.blocks);
        statements(self);
        self.open.pop();
    }

    fn statements(&mut self, block: &[Stm], mentions: &Mentions) {
        for stm in block {
            match stm {
                Stm::Let(value, ..) | Stm::Load(value, _) => {
                    self.use_each(&stm.operands());
                    self.bind(*value, mentions.get(*value).is_set_once());
                }
                Stm::For { index, count, body, .. } => {
                    self.use_each(&[*count]);
                    self.block(body, &[*index], mentions);
                }
                // What is computed before is there in the body.
                Stm::While { before, condition, body, .. } => self.inside(|this| {
                    this.statements(before, mentions);
                    this.use_each(&[*condition]);
                    this.statements(body, mentions);
                }),
                Stm::Lanes(lanes) => {
                    // Its function has what it sets for itself.
                    let mut set: FxHashSet<Value> = lanes.folds.iter().map(|fold| fold.cell).collect();
                    sets(&lanes.body, &mut set);
                    let used = |stm: &Stm| {
                        stm.operands()
                            .into_iter()
                            .filter(|x| x.value().is_none_or(|v| !set.contains(&v)))
                            .collect::<Vec<_>>()
                    };
                    self.use_each(&used(stm));
                    each(&lanes.body, &mut |stm| self.use_each(&used(stm)));
                    lanes.folded.into_iter().for_each(|value| self.bind(value, false));
                }
                stm => {
                    self.use_each(&stm.operands());
                    if let Stm::Assign { cells, .. } = stm {
                        cells.iter().for_each(|(cell, _)| self.bind(*cell, false));
                    }
                    stm.blocks().into_iter().for_each(|inner| self.block(inner, &[], mentions));
                }
            }
        }
    }

    fn use_each(&mut self, operands: &[Operand]) {
        for value in operands.iter().filter_map(|x| x.value()) {
            if !self.bound.get(&value).is_some_and(|block| self.open.contains(block)) {
                self.hoisted.insert(value);
            }
        }
    }

    fn bind(&mut self, value: Value, once: bool) {
        if once {
            self.bound.insert(value, *self.open.last().expect("a block is open"));
        } else {
            self.hoisted.insert(value);
        }
    }
}
