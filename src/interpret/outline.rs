//! The sizes of a function's results as far as they follow from sizes and other integers, for maps over nothing.
//!
//! Law: a size that is known here is the one every run would find. A map over no elements has rows of these sizes, and
//! of size 0 where they are unknown; so its results have the sizes they would have in the limit of shorter arrays, and
//! the column sums of a matrix of no rows are as many zeros as it has columns (tests/transform/sizes.rs,
//! tests/array/interpret.rs).

use super::budget::{Fault, Step};
use super::eval::Machine;
use super::scalar::Arithmetic;
use super::value::{Array, Value};
use crate::array::{Atom, Const, Lambda, Prim, ScalarOp, Shape, Shapes, SizeDomain, Typing};

impl<C: Arithmetic> Machine<'_, C> {
    /// The sizes of the results of a function of rows of these arrays, and of accumulators; 0 where unknown.
    pub(super) fn row_sizes(
        &mut self,
        function: &Lambda,
        arrays: &[Array<C>],
        accumulators: &[Value<C>],
    ) -> Step<Vec<Vec<usize>>> {
        let rows = arrays.iter().map(|a| of_sizes(a.row_sizes()));
        let arguments = rows.chain(accumulators.iter().map(|a| of_value(&self.log, a))).collect();
        let results = Shapes::over(&mut *self).apply(function, arguments)?;
        let known = |size: Option<i64>| size.and_then(|n| usize::try_from(n).ok()).unwrap_or(0);
        Ok(results.into_iter().map(|r| r.sizes.into_iter().map(known).collect()).collect())
    }
}

fn of_sizes(sizes: &[usize]) -> Shape<i64> {
    Shape::array(sizes.iter().map(|n| i64::try_from(*n).ok()))
}

fn of_value<C: Arithmetic>(log: &C::Log, value: &Value<C>) -> Shape<i64> {
    match value {
        Value::Scalar(scalar) => Shape::scalar(C::is_index(scalar).then(|| C::index(log, scalar))),
        Value::Array(array) => of_sizes(array.sizes()),
    }
}

/// Sizes are numbers, and what is around the function has values.
impl<C: Arithmetic> SizeDomain for &mut Machine<'_, C> {
    type Size = i64;
    type Stop = Fault;

    fn shape(&mut self, atom: Atom) -> Shape<i64> {
        match atom {
            Atom::Const(Const::I64(n)) => Shape::scalar(Some(n)),
            Atom::Const(_) => Shape::scalar(None),
            Atom::Var(_) => of_value(&self.log, &self.get(atom)),
        }
    }

    fn constant(&mut self, n: usize) -> i64 {
        i64::try_from(n).expect("a list is shorter than 2^63")
    }

    fn size(&self, number: i64) -> Option<i64> {
        (number >= 0).then_some(number)
    }

    fn sum(&mut self, a: i64, b: i64) -> Option<i64> {
        a.checked_add(b)
    }

    fn scalar(&mut self, op: ScalarOp, operands: &[i64]) -> Option<i64> {
        match (op, operands) {
            (ScalarOp::Add, [a, b]) => Some(a.wrapping_add(*b)),
            (ScalarOp::Mul | ScalarOp::Scale, [a, b]) => Some(a.wrapping_mul(*b)),
            (ScalarOp::Integer(row), operands) => row.value(operands),
            (ScalarOp::Convert(Prim::I64), [n]) => Some(*n),
            _ => None,
        }
    }

    fn step(&mut self) -> Step<()> {
        self.budget.step()
    }
}
