//! Where the values of a kernel are declared: where they are set, or before all else.
//!
//! Law: a value is declared in a block that is around all of its uses (tests/gpu/kernels.rs).

use rustc_hash::{FxHashMap, FxHashSet};

use crate::kernel::code::{Operand, Stm, Value};

/// The values that are set more than once, or used outside of the block that sets them.
pub(super) fn hoisted(body: &[&Stm]) -> FxHashSet<Value> {
    #[derive(Default)]
    struct Scopes {
        open: Vec<usize>,
        last: usize,
        set_in: FxHashMap<Value, usize>,
        hoisted: FxHashSet<Value>,
    }
    impl Scopes {
        fn block<'s>(&mut self, block: impl IntoIterator<Item = &'s Stm>, inside: impl FnOnce(&mut Self)) {
            self.last += 1;
            self.open.push(self.last);
            block.into_iter().for_each(|stm| self.statement(stm));
            inside(self);
            self.open.pop();
        }

        fn statement(&mut self, stm: &Stm) {
            stm.operands().into_iter().for_each(|x| self.used(x));
            let scope = *self.open.last().expect("a block is open");
            let declares = matches!(stm, Stm::Let(..) | Stm::Load(..) | Stm::For { .. });
            if !matches!(stm, Stm::For { .. }) {
                for value in stm.sets() {
                    if self.set_in.insert(value, scope).is_some() || !declares {
                        self.hoisted.insert(value);
                    }
                }
            }
            match stm {
                Stm::While { before, body, condition, .. } => {
                    self.block(before, |this| {
                        this.used(*condition);
                        body.iter().for_each(|stm| this.statement(stm));
                    });
                }
                Stm::For { index, body, .. } => {
                    if self.set_in.insert(*index, self.last + 1).is_some() {
                        self.hoisted.insert(*index);
                    }
                    self.block(body, |_| ());
                }
                _ => stm.blocks().into_iter().for_each(|block| self.block(block, |_| ())),
            }
        }

        fn used(&mut self, operand: Operand) {
            if let Some(value) = operand.value()
                && self.set_in.get(&value).is_none_or(|scope| !self.open.contains(scope))
            {
                // It is set later, elsewhere, or outside of the kernel.
                self.hoisted.insert(value);
            }
        }
    }
    let mut scopes = Scopes::default();
    scopes.block(body.iter().copied(), |_| ());
    let Scopes { set_in, mut hoisted, .. } = scopes;
    hoisted.retain(|value| set_in.contains_key(value));
    hoisted
}
