//! What values were in earlier lanes: each block leaves its own to the next one, and those of the blocks before the first are computed
//! without storing anything.
//!
//! Law: a part of a loop computes what it needs of the lanes before it, so that parts may run at the same time; a value is in each lane
//! what the loop says of it, whichever block that is in (tests/execute/shifted.rs, laws: executors::suite).

use rustc_hash::FxHashMap;

use super::print::{Printer, Step};
use crate::kernel::code::{Inside, Lanes, Op, Operand, Stm, Value};

/// The values that later lanes use, and how many lanes back that goes in all.
fn kept(lanes: &Lanes) -> (Vec<Value>, usize) {
    let (mut values, mut most) = (Vec::new(), 0);
    let mut back: FxHashMap<Value, usize> = FxHashMap::default();
    for stm in &lanes.body {
        let operands = stm.operands().into_iter().filter_map(Operand::value);
        let mut all: usize = operands.filter_map(|value| back.get(&value).copied()).max().unwrap_or(0);
        if let Stm::Let(_, Op::Earlier(by), x) = stm {
            values.extend(x.iter().filter_map(|x| x.value()));
            all += usize::from(*by);
            most = most.max(all);
        }
        if all > 0 {
            stm.sets().into_iter().for_each(|value| {
                back.insert(value, all);
            });
        }
    }
    values.sort_unstable();
    values.dedup();
    (values, most)
}

/// Whether values are kept from block to block.
pub(super) fn keeps(lanes: &Lanes) -> bool {
    lanes.body.iter().any(|stm| matches!(stm, Stm::Let(_, Op::Earlier(_), _)))
}

impl Printer<'_> {
    /// What is kept from block to block, from the lanes on that come before `from`.
    pub(super) fn earlier_blocks(&mut self, lanes: &Lanes) -> Step<()> {
        let (values, most) = kept(lanes);
        if values.is_empty() {
            return Ok(());
        }
        for value in values {
            let register = self.register(self.code.prim(Operand::Value(value)));
            self.line(&format!("{register}_w before{} = {{0}};", value.0));
        }
        // They may be anywhere, and leave nothing but that.
        let mut before = lanes.clone();
        before.body.retain(|stm| !matches!(stm, Stm::Store { .. }));
        for stm in &mut before.body {
            if let Stm::Load(_, place) = stm {
                place.inside = Inside(false);
            }
        }
        self.open(&format!("for (i64_1 first = from - ({most} + W - 1) / W * W; first < from; first += W) {{"));
        self.line("const int n = W;");
        self.lanes_of_block(&before)?;
        self.close();
        Ok(())
    }

    /// Keeps what a block has for the next one.
    pub(super) fn keep(&mut self, lanes: &Lanes) {
        for Value(v) in kept(lanes).0 {
            self.line(&format!("before{v} = v{v};"));
        }
    }

    /// A value in the lanes that are `by` before.
    pub(super) fn earlier(&self, x: Operand, by: u8) -> String {
        let Operand::Value(Value(v)) = x else { panic!("a constant is the same in all lanes") };
        format!("earlier_{}(before{v}, v{v}, {by})", self.register(self.code.prim(x)))
    }
}
