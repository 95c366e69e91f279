//! Which varying register holds which value.
//!
//! Law: two values that are alive at the same time have different registers. Registers are few, so that a block of
//! lanes stays in the nearest cache (tests/execute/lanes.rs).

use rustc_hash::{FxHashMap, FxHashSet};

use super::inline::Inline;
use crate::kernel::code::{Block, Code, Lanes, Operand, Place, Stm, Value};

/// The registers of a loop over lanes.
#[derive(Debug)]
pub(super) struct Registers {
    of: FxHashMap<Value, u32>,
    /// How many there are of reals, and of integers.
    counts: [u32; 2],
}

/// From when to when a value is alive.
#[derive(Debug, Clone, Copy)]
struct Span {
    from: usize,
    to: usize,
}

struct Walk<'c> {
    code: &'c Code,
    needed: &'c FxHashSet<Value>,
    inline: &'c Inline,
    now: usize,
    spans: FxHashMap<Value, Span>,
    order: Vec<Value>,
    /// The loops that are open, by where they begin.
    open: Vec<usize>,
    /// For each open loop, what was known before and is used in it.
    carried: Vec<Vec<Value>>,
}

impl Registers {
    pub(super) fn new(code: &Code, lanes: &Lanes, needed: &FxHashSet<Value>, inline: &Inline) -> Self {
        let mut walk = Walk {
            code,
            needed,
            inline,
            now: 1,
            spans: FxHashMap::default(),
            order: Vec::new(),
            open: Vec::new(),
            carried: Vec::new(),
        };
        lanes.folds.iter().for_each(|fold| walk.see(fold.cell));
        walk.block(&lanes.body);
        let end = walk.now + 1;
        let index = walk.spans.contains_key(&lanes.index).then_some(lanes.index);
        for value in index.into_iter().chain(lanes.folds.iter().map(|fold| fold.cell)) {
            walk.spans.insert(value, Span { from: 0, to: end });
        }
        walk.allocate()
    }

    pub(super) fn of(&self, value: Value) -> u32 {
        self.of[&value]
    }

    /// The register of a value, if it is used.
    pub(super) fn used(&self, value: Value) -> Option<u32> {
        self.of.get(&value).copied()
    }

    /// One register more.
    pub(super) fn extra(&mut self, real: bool) -> u32 {
        let count = &mut self.counts[usize::from(!real)];
        *count += 1;
        *count - 1
    }

    pub(super) fn sizes(&self) -> (usize, usize) {
        (self.counts[0] as usize, self.counts[1] as usize)
    }
}

impl Walk<'_> {
    fn see(&mut self, value: Value) {
        if !self.code.values[value.0 as usize].varying || self.inline.contains(value) {
            return;
        }
        let now = self.now;
        let order = &mut self.order;
        let span = self.spans.entry(value).or_insert_with(|| {
            order.push(value);
            Span { from: now, to: now }
        });
        span.to = now;
        // What was known before a loop is needed until the loop ends.
        for (start, carried) in self.open.iter().zip(&mut self.carried) {
            if span.from < *start {
                carried.push(value);
            }
        }
    }

    fn operand(&mut self, operand: Operand) {
        if let Operand::Value(value) = operand {
            self.see(value);
        }
    }

    fn place(&mut self, place: &Place) {
        place.varying.into_iter().for_each(|x| self.operand(x));
    }

    fn repeated(&mut self, inside: impl FnOnce(&mut Self)) {
        self.now += 1;
        self.open.push(self.now);
        self.carried.push(Vec::new());
        self.now += 1;
        inside(self);
        self.now += 1;
        self.open.pop();
        for value in self.carried.pop().unwrap_or_default() {
            if let Some(span) = self.spans.get_mut(&value) {
                span.to = self.now;
            }
        }
    }

    fn block(&mut self, block: &Block) {
        for stm in block {
            self.now += 1;
            match stm {
                Stm::Let(value, _, operands) => {
                    if self.needed.contains(value) {
                        operands.iter().for_each(|x| self.operand(*x));
                        self.see(*value);
                    }
                }
                Stm::Load(value, place) => {
                    if self.needed.contains(value) {
                        self.place(place);
                        self.see(*value);
                    }
                }
                Stm::Store { place, value, mask } | Stm::Update { op: _, place, value, mask } => {
                    self.place(place);
                    self.operand(*value);
                    mask.iter().for_each(|x| self.operand(*x));
                }
                Stm::Alloc(..) | Stm::Swap(..) | Stm::Product(_) => {}
                Stm::Assign { cells, mask } => {
                    // Cells are set one after the other, so all live at once.
                    mask.iter().for_each(|x| self.operand(*x));
                    for (cell, x) in cells.iter().filter(|(cell, _)| self.needed.contains(cell)) {
                        self.operand(*x);
                        self.see(*cell);
                    }
                    self.now += 1;
                    for (cell, x) in cells.iter().filter(|(cell, _)| self.needed.contains(cell)) {
                        self.operand(*x);
                        self.see(*cell);
                    }
                }
                Stm::Check { condition, mask, blame: _ } => {
                    self.operand(*condition);
                    mask.iter().for_each(|x| self.operand(*x));
                }
                Stm::Bounds { index, length, mask, blame: _ } => {
                    [*index, *length].into_iter().chain(*mask).for_each(|x| self.operand(x));
                }
                Stm::For { body, .. } => self.repeated(|walk| walk.block(body)),
                Stm::While { before, condition, body, origin: _ } => self.repeated(|walk| {
                    walk.block(before);
                    walk.operand(*condition);
                    walk.block(body);
                }),
                Stm::If { condition, yes, no } => {
                    self.operand(*condition);
                    self.block(yes);
                    self.block(no);
                }
                Stm::Lanes(_) => panic!("loops over lanes do not nest"),
                Stm::Scan(_) | Stm::Hist(_) | Stm::Call(_) => panic!("a loop over lanes has no such statement"),
            }
        }
    }

    fn allocate(self) -> Registers {
        let mut free: [Vec<u32>; 2] = [Vec::new(), Vec::new()];
        let mut counts = [0_u32; 2];
        let mut of = FxHashMap::default();
        let mut order = self.order;
        order.sort_by_key(|value| (self.spans[value].from, value.0));
        let mut ends: std::collections::BTreeMap<usize, Vec<Value>> = std::collections::BTreeMap::new();
        for value in order {
            let span = self.spans[&value];
            // An operand that ends here may give its register to the result: blocks of lanes are read before they are written.
            let later = ends.split_off(&(span.from + 1));
            for dead in core::mem::replace(&mut ends, later).into_values().flatten() {
                let bank = usize::from(!self.code.values[dead.0 as usize].prim.is_real());
                free[bank].push(of[&dead]);
            }
            let bank = usize::from(!self.code.values[value.0 as usize].prim.is_real());
            let register = free[bank].pop().unwrap_or_else(|| {
                counts[bank] += 1;
                counts[bank] - 1
            });
            of.insert(value, register);
            ends.entry(span.to).or_default().push(value);
        }
        Registers { of, counts }
    }
}
