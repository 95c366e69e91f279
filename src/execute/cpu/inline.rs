//! Which loads and stores are parts of the operation on what is loaded or stored, and which operations parts of a chain.
//!
//! Law: nothing that happens between a load and the operation it is taken into changes what is loaded; a value that
//! goes straight into memory has no other use, nor has one that is only a link (tests/execute/lanes.rs).

use rustc_hash::{FxHashMap, FxHashSet};

use super::dispatch::Level;
use super::find_fma_chains::{Link, Links};
use crate::array::ScalarOp;
use crate::kernel::code::{Block, Code, Op, Operand, Place, Stm, Value};
use crate::kernel::parts::Mentions;
use crate::primitives::Primitive;

/// The values that have no register.
#[derive(Debug, Default)]
pub(super) struct Inline {
    /// Loaded where they are used.
    pub(super) loads: FxHashMap<Value, Place>,
    /// Computed where they are stored.
    pub(super) stores: FxHashSet<Value>,
    /// Added to by the next link of a chain.
    pub(super) links: FxHashSet<Value>,
    /// The chains, by the values of their last links.
    pub(super) chains: FxHashMap<Value, Vec<Link>>,
    uses: Mentions,
}

impl Inline {
    pub(super) fn of(code: &Code, needed: &FxHashSet<Value>, level: Level) -> Self {
        let mut inline = Inline::default();
        if !level.has_superinstructions() {
            return inline;
        }
        code.outputs.iter().for_each(|output| inline.uses.use_each(&output.operands()));
        inline.count_block(&code.body, needed);
        inline.block(code, &Links::of(code, &code.body), &code.body, needed);
        inline
    }

    pub(super) fn contains(&self, value: Value) -> bool {
        self.loads.contains_key(&value) || self.stores.contains(&value) || self.links.contains(&value)
    }

    fn count_block(&mut self, block: &Block, needed: &FxHashSet<Value>) {
        for stm in block.iter().filter(|stm| is_needed(stm, needed)) {
            self.uses.use_each(&stm.operands());
            stm.blocks().into_iter().for_each(|inner| self.count_block(inner, needed));
        }
    }

    fn block(&mut self, code: &Code, links: &Links<'_>, block: &Block, needed: &FxHashSet<Value>) {
        let stms: Vec<&Stm> = block.iter().filter(|stm| is_needed(stm, needed)).collect();
        for chain in links.chains(&stms) {
            if chain.windows(2).all(|pair| pair[0].0 + 1 == pair[1].0) {
                let chain: Vec<Link> = chain.into_iter().map(|(_, link)| link).collect();
                let (last, before) = chain.split_last().expect("a chain has links");
                self.links.extend(before.iter().map(|link| link.value));
                self.chains.insert(last.value, chain);
            }
        }
        for (k, stm) in stms.iter().enumerate() {
            if let Stm::Load(value, place) = stm
                && is_row(code, place)
                && self.uses.get(*value).used == 1
                && self.is_taken(code, *value, place, &stms[k + 1..])
            {
                self.loads.insert(*value, *place);
            }
        }
        let mut before: Option<&Stm> = None;
        for stm in &stms {
            if let (
                Stm::Store { place, value: Operand::Value(value), mask: None }
                | Stm::Update { op: _, place, value: Operand::Value(value), mask: None },
                Some(Stm::Let(computed, op, operands)),
            ) = (stm, before)
                && value == computed
                && self.uses.get(*value).used == 1
                && code.values[value.0 as usize].varying
                && self.is_fused(code, *computed, *op, operands)
                && is_sink(code, stm)
                && !operands.iter().any(|x| self.is_from(*x, place))
            {
                self.stores.insert(*value);
            }
            if !matches!(stm, Stm::Load(value, _) if self.loads.contains_key(value)) {
                before = Some(stm);
            }
        }
        for stm in stms {
            stm.blocks().into_iter().for_each(|inner| self.block(code, links, inner, needed));
        }
    }

    /// Whether an operand is loaded, in its operation, from the same buffer.
    fn is_from(&self, x: Operand, place: &Place) -> bool {
        matches!(x, Operand::Value(value) if self.loads.get(&value).is_some_and(|from| from.buffer == place.buffer))
    }

    /// Whether the next use of what is loaded can load it.
    fn is_taken(&self, code: &Code, value: Value, place: &Place, later: &[&Stm]) -> bool {
        for stm in later {
            let operands = stm.operands();
            if operands.contains(&Operand::Value(value)) {
                return self.takes(code, stm, value, place);
            }
            if !stm.blocks().is_empty() || changes(stm, place) {
                return false;
            }
        }
        false
    }

    fn takes(&self, code: &Code, stm: &Stm, value: Value, from: &Place) -> bool {
        let is_load = |x: Operand| matches!(x, Operand::Value(other) if self.loads.contains_key(&other));
        match stm {
            Stm::Let(into, op, x) if self.is_fused(code, *into, *op, x) => match op {
                Op::MulAdd | Op::MulSub | Op::MulSubtracted => {
                    let value = Operand::Value(value);
                    x[2] == value || x[0] == value && !is_load(x[1]) || x[1] == value && !is_load(x[0])
                }
                Op::Scalar(_) | Op::Select | Op::LeastWhere | Op::Rule(_) | Op::Earlier(_) => true,
            },
            Stm::Store { place, mask: None, .. } | Stm::Update { place, mask: None, .. } => {
                is_sink(code, stm) && place.buffer != from.buffer
            }
            // No other instruction loads an operand itself.
            _ => false,
        }
    }

    /// Whether an operation can load and store.
    fn is_fused(&self, code: &Code, value: Value, op: Op, x: &[Operand]) -> bool {
        let is_chained = self.links.contains(&value) || self.chains.contains_key(&value);
        !is_chained && is_kernel(code, op, x)
    }
}

/// Whether a statement has an effect, or a value that is needed.
pub(super) fn is_needed(stm: &Stm, needed: &FxHashSet<Value>) -> bool {
    if let Stm::Let(value, ..) | Stm::Load(value, _) = stm { needed.contains(value) } else { true }
}

/// Whether lanes have reals, of the machine's precision, side by side at a place.
pub(super) fn is_row(code: &Code, place: &Place) -> bool {
    let info = code.buffers[place.buffer.0 as usize];
    info.prim == code.precision
        && place.varying.is_none()
        && if info.private { place.lane.is_none() } else { place.lane == Some(Operand::int(1)) }
}

/// Whether the value of an operation can go where this statement puts it.
fn is_sink(code: &Code, stm: &Stm) -> bool {
    let (Stm::Store { place, .. } | Stm::Update { place, .. }) = stm else { return false };
    let info = code.buffers[place.buffer.0 as usize];
    let is_one = !info.private && place.lane.is_none() && place.varying.is_none();
    is_row(code, place) || matches!(stm, Stm::Update { .. }) && is_one && info.prim == code.precision
}

/// Whether there is an instruction for an operation, on reals of the machine's precision, that loads and stores.
fn is_kernel(code: &Code, op: Op, x: &[Operand]) -> bool {
    let varying = |x: &Operand| matches!(x, Operand::Value(value) if code.values[value.0 as usize].varying);
    let real = |x: &Operand| match x {
        Operand::Value(value) => code.values[value.0 as usize].prim == code.precision,
        Operand::Const(constant) => constant.prim() == code.precision,
    };
    let known = match op {
        Op::MulAdd | Op::MulSub | Op::MulSubtracted => true,
        Op::Scalar(op) => {
            matches!(op, ScalarOp::Add | ScalarOp::Mul | ScalarOp::Scale | ScalarOp::Row(Primitive::Sub))
        }
        Op::Select | Op::LeastWhere | Op::Rule(_) | Op::Earlier(_) => false,
    };
    known && x.iter().all(real) && x.iter().any(varying)
}

/// Whether a statement changes what is at a place, or where it is.
fn changes(stm: &Stm, place: &Place) -> bool {
    let moved = |value| place.operands().contains(&Operand::Value(value));
    stm.changes(place.buffer) || !stm.blocks().is_empty() || stm.sets().into_iter().any(moved)
}
