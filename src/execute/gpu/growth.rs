//! How much cells grow in a loop that only adds to them.
//!
//! Law: after any number of iterations, a cell is what it was before them and a sum in the range that is found: each statement that
//! sets it adds to what it was at an earlier time (tests/gpu/narrow.rs).

use rustc_hash::{FxHashMap, FxHashSet};

use super::proof::MAX_STEPS;
use super::range::Range;
use crate::array::{IntegerRow, ScalarOp};
use crate::kernel::code::{Op, Operand, Stm, Value};
use crate::kernel::parts;

/// The statements that define values, of those that are set once.
fn defined(body: &[Stm]) -> FxHashMap<Value, (Op, &[Operand])> {
    let mut found = FxHashMap::default();
    parts::each(body, &mut |stm| {
        if let Stm::Let(value, op, operands) = stm {
            found.insert(*value, (*op, &operands[..]));
        }
    });
    found
}

/// How much cells grow in a loop that only adds to them, of what is seen there.
pub(super) struct Growing<'b, S> {
    /// The values that are set more than once.
    cells: &'b FxHashSet<Value>,
    /// All that an operand was.
    seen: S,
    defined: FxHashMap<Value, (Op, &'b [Operand])>,
}

/// How many sums one after the other are looked through for a cell.
const MAX_SUMS: u32 = 8;

impl<'b, S: Fn(Operand) -> Range> Growing<'b, S> {
    pub(super) fn new(body: &'b [Stm], cells: &'b FxHashSet<Value>, seen: S) -> Self {
        Growing { cells, seen, defined: defined(body) }
    }

    /// What is added to a cell in all iterations together; none if something else is done to it.
    pub(super) fn of(&self, cell: Value, body: &[Stm], times: i128) -> Option<Range> {
        let mut all = Range::exactly(0);
        for stm in body {
            match stm {
                Stm::Assign { cells, .. } => {
                    for (_, x) in cells.iter().filter(|(other, _)| *other == cell) {
                        all = all.plus(self.step(cell, *x, MAX_SUMS)?.repeated(times));
                    }
                }
                Stm::Let(value, op, operands) if *value == cell => {
                    all = all.plus(self.step_by(cell, *op, operands, MAX_SUMS)?.repeated(times));
                }
                Stm::For { count, body, .. } => {
                    let inner = (self.seen)(*count).count(MAX_STEPS.into());
                    all = all.plus(self.of(cell, body, times.saturating_mul(inner))?);
                }
                _ if stm.sets().contains(&cell) => return None,
                _ => {
                    let inner = if matches!(stm, Stm::While { .. }) { i128::from(MAX_STEPS) + 1 } else { 1 };
                    for block in stm.blocks() {
                        all = all.plus(self.of(cell, block, times.saturating_mul(inner))?);
                    }
                }
            }
        }
        Some(all)
    }

    /// How far an operand is from what the cell was before.
    fn step(&self, cell: Value, x: Operand, most: u32) -> Option<Range> {
        let value = x.value()?;
        if value == cell {
            return Some(Range::exactly(0));
        }
        let (op, operands) = self.defined.get(&value)?;
        let is_set_once = most > 0 && !self.cells.contains(&value);
        if is_set_once { self.step_by(cell, *op, operands, most - 1) } else { None }
    }

    fn step_by(&self, cell: Value, op: Op, x: &[Operand], most: u32) -> Option<Range> {
        match op {
            Op::Scalar(ScalarOp::Add) => match self.step(cell, x[0], most) {
                Some(step) => Some(step.plus((self.seen)(x[1]))),
                None => Some(self.step(cell, x[1], most)?.plus((self.seen)(x[0]))),
            },
            Op::Scalar(ScalarOp::Integer(IntegerRow::Sub)) => {
                Some(self.step(cell, x[0], most)?.plus((self.seen)(x[1]).negative()))
            }
            Op::Select => Some(self.step(cell, x[1], most)?.or(self.step(cell, x[2], most)?)),
            _ => None,
        }
    }
}
