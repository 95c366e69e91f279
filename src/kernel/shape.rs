//! The sizes of a function's results before it runs.
//!
//! Law: a size that is known here is the one every run finds; it is computed from sizes and integers alone
//! (tests/execute/lanes.rs).

use core::convert::Infallible;

use super::code::{Broken, Operand};
use super::liveness::without_accumulators;
use super::view::Bound;
use super::{Lowering, Step, Unsupported};
use crate::array::{Atom, Body, IntegerRow, Known, Map, Prim, ScalarOp, Shape, Shapes, SizeDomain, Typing};

/// First rows of first rows are computed to this depth: each is code of its own.
const MOST_FIRSTS: usize = 3;

impl<'p> Lowering<'p> {
    /// The sizes of the rows of a map, if they are all known.
    pub(super) fn row_sizes(&mut self, map: &'p Map) -> Option<Vec<Vec<Operand>>> {
        self.sketched(map).into_iter().map(|row| row.into_iter().collect()).collect()
    }

    /// The sizes of the rows of a map. Those that are not known before are those of the first row, which is computed for
    /// them; where there is none, the run ends here, and the interpreter says what the sizes are.
    pub(super) fn found_row_sizes(&mut self, map: &'p Map, length: Operand) -> Step<Vec<Vec<Operand>>> {
        let sketched = self.sketched(map);
        if sketched.iter().flatten().all(Option::is_some) {
            return Ok(sketched.into_iter().map(|row| row.into_iter().flatten().collect()).collect());
        }
        let unknown = Unsupported("rows whose sizes are known only inside of a map");
        let needed =
            without_accumulators(map).filter(|_| self.emit.lanes.is_none() && self.emit.at.firsts < MOST_FIRSTS);
        let needed = needed.ok_or(unknown)?;
        let some = self.emit.scalar(ScalarOp::LessOrEqual, &[Operand::int(1), length]);
        self.emit.check(some, Broken::Able("rows whose sizes only their elements say, of none"), &[]);
        let before = self.emit.enter_region();
        // What is computed for this may be changed for it, and is not used again.
        let computed = self.emit.computed_here().clone();
        self.emit.at.firsts += 1;
        let first = self.bind_elements(map, Operand::int(0), |k| needed.params[k]).and_then(|()| {
            let Body { stms, results } = &map.function.body;
            for (k, stm) in stms.iter().enumerate().filter(|(k, _)| needed.stms[*k]) {
                self.statement(stm, &stms[k + 1..], results)?;
            }
            Ok(results[..sketched.len()].iter().map(|row| self.env.atom(*row).sizes().to_vec()).collect::<Vec<_>>())
        });
        self.emit.at.firsts -= 1;
        self.emit.at.region = before;
        *self.emit.computed_here() = computed;
        let either = |(known, found): (Vec<Option<Operand>>, Vec<Operand>)| {
            known.into_iter().zip(found).map(|(known, found)| known.unwrap_or(found)).collect()
        };
        Ok(sketched.into_iter().zip(first?).map(either).collect())
    }

    fn sketched(&mut self, map: &'p Map) -> Vec<Vec<Option<Operand>>> {
        let values = map.function.body.results.len() - map.accumulators.len();
        let mut shapes = Shapes::over(self);
        let elements = map.arrays.iter().map(|a| shapes.of(*a).inner(1)).collect::<Vec<_>>();
        let arguments = elements.into_iter().chain(shapes.all(&map.accumulators)).collect();
        let Ok(rows) = shapes.apply(&map.function, arguments);
        rows.into_iter().take(values).map(|row| row.sizes.into_vec()).collect()
    }
}

/// Sizes are operands of code, and what is around the function is bound.
impl SizeDomain for &mut Lowering<'_> {
    type Size = Operand;
    type Stop = Infallible;

    fn shape(&mut self, atom: Atom) -> Shape<Operand> {
        match self.env.atom(atom) {
            Bound::Scalar(operand) => Shape::scalar((self.emit.prim(operand) == Prim::I64).then_some(operand)),
            Bound::Array(array) => Shape::array(array.sizes.iter().copied().map(Some)),
        }
    }

    fn constant(&mut self, n: usize) -> Operand {
        Operand::int(i64::try_from(n).expect("a program is shorter than 2^63"))
    }

    fn sum(&mut self, a: Operand, b: Operand) -> Option<Operand> {
        Some(self.emit.add(a, b))
    }

    fn scalar(&mut self, op: ScalarOp, operands: &[Operand]) -> Option<Operand> {
        if self.emit.stepwise && may_fail(op, operands) {
            // It is not the statement's turn.
            return None;
        }
        match op {
            ScalarOp::Add | ScalarOp::Mul | ScalarOp::Integer(_) | ScalarOp::Convert(Prim::I64) => {
                Some(self.emit.operation(op, operands))
            }
            ScalarOp::Scale | ScalarOp::Row(_) | ScalarOp::Equal | ScalarOp::Less => None,
            ScalarOp::LessOrEqual | ScalarOp::Not | ScalarOp::Convert(_) => None,
            ScalarOp::ToBits(_) | ScalarOp::FromBits(_) => None,
        }
    }
}

/// Whether an operation on integers may have no value.
fn may_fail(op: ScalarOp, operands: &[Operand]) -> bool {
    match op {
        ScalarOp::Integer(IntegerRow::Div | IntegerRow::Mod | IntegerRow::Quot | IntegerRow::Rem) => {
            operands[1].as_int().is_none_or(|n| n == 0)
        }
        ScalarOp::Integer(IntegerRow::Pow) => operands[1].as_int().is_none_or(|n| n < 0),
        _ => false,
    }
}
