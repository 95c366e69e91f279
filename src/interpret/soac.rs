//! The array combinators, read one element after the other.
//!
//! Law: `map f [x, …] = [f x, …]`; `reduce` folds from the left, from the neutral elements; `scan` is the list of all
//! nonempty reductions of prefixes; `hist` and `scatter` take their values in order, and pass over indices that are out
//! of bounds (tests/array/interpret.rs).

use super::arrays::Rows;
use super::budget::{Budget, Fault, Step};
use super::eval::Machine;
use super::scalar::{Arithmetic, VERIFIED};
use super::value::{Array, Scalar, Value};
use crate::array::{Agreement, Hist, Map, Reduce, Scatter, Stm};

impl<C: Arithmetic> Machine<'_, C> {
    pub(super) fn map(&mut self, stm: &Stm, map: &Map) -> Step<Vec<Value<C>>> {
        let arrays = self.arrays(&map.arrays);
        let length = common_length(Agreement::Mapped, &arrays)?;
        let mut accumulators: Vec<Value<C>> = map.accumulators.iter().map(|a| self.take(stm, *a)).collect();
        let values = map.function.body.results.len() - accumulators.len();
        if length == 0 {
            let rows = self.row_sizes(&map.function, &arrays, &accumulators)?;
            let empty = rows.into_iter().take(values).map(|sizes| {
                let sizes = core::iter::once(0).chain(sizes).collect();
                Value::Array(Array::new(sizes, Vec::new()))
            });
            return Ok(empty.chain(accumulators).collect());
        }
        let mut rows: Vec<Rows<C>> = (0..values).map(|_| Rows::new()).collect();
        for at in 0..length {
            self.budget.step()?;
            let mut arguments = row(&arrays, at);
            arguments.append(&mut accumulators);
            let mut results = self.apply(&map.function, arguments)?;
            accumulators = results.split_off(values);
            rows.iter_mut().zip(&results).try_for_each(|(rows, row)| rows.push(&mut self.budget, row))?;
        }
        let arrays = rows.into_iter().map(|rows| Value::Array(rows.finish(&mut self.budget, Vec::new())));
        Ok(arrays.chain(accumulators).collect())
    }

    pub(super) fn reduce(&mut self, it: &Reduce) -> Step<Vec<Value<C>>> {
        let arrays = self.arrays(&it.arrays);
        let length = common_length(Agreement::Reduced, &arrays)?;
        let mut sums: Vec<Value<C>> = it.neutral.iter().map(|a| self.get(*a)).collect();
        for at in 0..length {
            self.budget.step()?;
            sums.extend(row(&arrays, at));
            sums = self.apply(&it.operator, sums)?;
        }
        Ok(sums)
    }

    pub(super) fn scan(&mut self, it: &Reduce) -> Step<Vec<Value<C>>> {
        let arrays = self.arrays(&it.arrays);
        let length = common_length(Agreement::Scanned, &arrays)?;
        let mut sums: Vec<Value<C>> = it.neutral.iter().map(|a| self.get(*a)).collect();
        let mut rows: Vec<Rows<C>> = arrays.iter().map(|_| Rows::new()).collect();
        for at in 0..length {
            self.budget.step()?;
            sums.extend(row(&arrays, at));
            sums = self.apply(&it.operator, sums)?;
            rows.iter_mut().zip(&sums).try_for_each(|(rows, sum)| rows.push(&mut self.budget, sum))?;
        }
        let finish = rows.into_iter().zip(&arrays);
        Ok(finish.map(|(r, a)| Value::Array(r.finish(&mut self.budget, a.row_sizes().to_vec()))).collect())
    }

    pub(super) fn hist(&mut self, stm: &Stm, it: &Hist) -> Step<Vec<Value<C>>> {
        let values = self.arrays(&it.values);
        let length = common_length(Agreement::Values, &values)?;
        let indices = self.array(it.indices);
        Fault::unless_equal(Agreement::Indices, indices.len(), length)?;
        let mut bins: Vec<Array<C>> = it.destinations.iter().map(|a| array(self.take(stm, *a))).collect();
        let count = common_length(Agreement::Bins, &bins)?;
        for (at, index) in indices.elements.iter().enumerate() {
            self.budget.step()?;
            let Some(bin) = in_bounds(&self.log, index, count) else { continue };
            let mut operands = row(&bins, bin);
            operands.extend(row(&values, at));
            let results = self.apply(&it.operator, operands)?;
            bins.iter_mut().zip(&results).try_for_each(|(bins, new)| write(&self.budget, bins, bin, new))?;
        }
        Ok(bins.into_iter().map(Value::Array).collect())
    }

    pub(super) fn scatter(&mut self, stm: &Stm, it: &Scatter) -> Step<Vec<Value<C>>> {
        let (indices, values) = (self.array(it.indices), self.array(it.values));
        let mut destination = array(self.take(stm, it.destination));
        Fault::unless_equal(Agreement::Indices, indices.len(), values.len())?;
        let rows = (destination.row_sizes(), values.row_sizes());
        Fault::unless_same(Agreement::Scattered, rows.0, rows.1)?;
        let count = destination.len();
        for (at, index) in indices.elements.iter().enumerate() {
            self.budget.step()?;
            if let Some(place) = in_bounds(&self.log, index, count) {
                write(&self.budget, &mut destination, place, &values.row(at))?;
            }
        }
        Ok(vec![Value::Array(destination)])
    }
}

/// The array that a value is.
pub(super) fn array<C>(value: Value<C>) -> Array<C> {
    let Value::Array(array) = value else { panic!("{VERIFIED}") };
    array
}

fn in_bounds<C: Arithmetic>(log: &C::Log, index: &Scalar<C>, count: usize) -> Option<usize> {
    usize::try_from(C::index(log, index)).ok().filter(|index| *index < count)
}

/// The elements of all arrays at an index.
fn row<C: Clone>(arrays: &[Array<C>], at: usize) -> Vec<Value<C>> {
    arrays.iter().map(|a| a.row(at)).collect()
}

/// Replaces a row.
fn write<C: Clone>(budget: &Budget<'_>, array: &mut Array<C>, at: usize, new: &Value<C>) -> Step<()> {
    Fault::unless_same(Agreement::Row, array.row_sizes(), new.sizes())?;
    let size = new.elements().len();
    budget.owned(array)[at * size..(at + 1) * size].clone_from_slice(new.elements());
    budget.wrote(size);
    Ok(())
}

fn common_length<C>(what: Agreement, arrays: &[Array<C>]) -> Step<usize> {
    let length = arrays[0].len();
    arrays.iter().try_for_each(|a| Fault::unless_equal(what, length, a.len()))?;
    Ok(length)
}
