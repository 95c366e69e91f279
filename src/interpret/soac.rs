//! The array combinators, read one element after the other.
//!
//! Law: `map f [x, …] = [f x, …]`; `reduce` folds from the left, from the neutral elements; `scan` is the list of all
//! nonempty reductions of prefixes; `hist` and `scatter` take their values in order, and pass over indices that are out
//! of bounds (tests/array/interpret.rs).

use super::arrays::{finish, push, unshared};
use super::budget::{Budget, Fault, Step};
use super::contiguous::{Contiguous, Rows};
use super::eval::Machine;
use super::scalar::{Arithmetic, VERIFIED};
use super::value::{Array, Scalar, Value};
use crate::array::{Agreement, Hist, Lambda, Map, Reduce, Scatter, Stm};

impl<C: Arithmetic> Machine<'_, C> {
    pub(super) fn map(&mut self, stm: &Stm, map: &Map) -> Step<Vec<Value<C>>> {
        let arrays = self.arrays(&map.arrays);
        let length = common_length(Agreement::Mapped, &arrays)?;
        let mut accumulators: Vec<Value<C>> = map.accumulators.iter().map(|a| self.take(stm, *a)).collect();
        let values = map.function.body.results.len() - accumulators.len();
        if length == 0 {
            let rows = self.row_sizes(&map.function, &arrays, &accumulators)?;
            let empty = rows.into_iter().take(values).map(|sizes| {
                let sizes: Vec<usize> = core::iter::once(0).chain(sizes).collect();
                Value::Array(Array::new(sizes, Vec::new()))
            });
            return Ok(empty.chain(accumulators).collect());
        }
        let mut rows: Vec<Rows<Scalar<C>>> = (0..values).map(|_| Rows::new(0)).collect();
        for at in 0..length {
            self.budget.step()?;
            let mut arguments: Vec<Value<C>> = row(&arrays, at).collect();
            arguments.append(&mut accumulators);
            let mut results = self.apply(&map.function, arguments)?;
            accumulators = results.split_off(values);
            rows.iter_mut().zip(&results).try_for_each(|(rows, row)| push(&mut self.budget, rows, row))?;
        }
        let arrays = rows.into_iter().map(|rows| Value::Array(finish(&mut self.budget, rows, &[])));
        Ok(arrays.chain(accumulators).collect())
    }

    pub(super) fn reduce(&mut self, it: &Reduce) -> Step<Vec<Value<C>>> {
        let arrays = self.arrays(&it.arrays);
        common_length(Agreement::Reduced, &arrays)?;
        self.fold(it, &arrays, |_, _| Ok(()))
    }

    pub(super) fn scan(&mut self, it: &Reduce) -> Step<Vec<Value<C>>> {
        let arrays = self.arrays(&it.arrays);
        common_length(Agreement::Scanned, &arrays)?;
        let mut rows: Vec<Rows<Scalar<C>>> = arrays.iter().map(|_| Rows::new(0)).collect();
        self.fold(it, &arrays, |budget, sums| {
            rows.iter_mut().zip(sums).try_for_each(|(rows, sum)| push(budget, rows, sum))
        })?;
        let rows = rows.into_iter().zip(&arrays);
        Ok(rows.map(|(r, a)| Value::Array(finish(&mut self.budget, r, a.row_sizes()))).collect())
    }

    fn fold(
        &mut self,
        it: &Reduce,
        arrays: &[Array<C>],
        mut visit: impl FnMut(&mut Budget<'_>, &[Value<C>]) -> Step<()>,
    ) -> Step<Vec<Value<C>>> {
        fold(arrays, it.neutral.iter().map(|a| self.get(*a)).collect(), |operands| {
            self.budget.step()?;
            let sums = self.apply(&it.operator, operands)?;
            visit(&mut self.budget, &sums)?;
            Ok(sums)
        })
    }

    pub(super) fn hist(&mut self, stm: &Stm, it: &Hist) -> Step<Vec<Value<C>>> {
        let values = self.arrays(&it.values);
        let length = common_length(Agreement::Values, &values)?;
        let indices = self.array(it.indices);
        Fault::unless_equal(Agreement::Indices, indices.len(), length)?;
        let bins: Vec<Array<C>> = it.destinations.iter().map(|a| array(self.take(stm, *a))).collect();
        common_length(Agreement::Bins, &bins)?;
        self.combine(bins, Some(&it.operator), &indices, &values)
    }

    pub(super) fn scatter(&mut self, stm: &Stm, it: &Scatter) -> Step<Vec<Value<C>>> {
        let (indices, values) = (self.array(it.indices), self.array(it.values));
        let destination = array(self.take(stm, it.destination));
        Fault::unless_equal(Agreement::Indices, indices.len(), values.len())?;
        Fault::unless_same(Agreement::Scattered, destination.row_sizes(), values.row_sizes())?;
        self.combine(vec![destination], None, &indices, &[values])
    }

    /// Values combined with what is at places of the bins, one after the other; without an operator they replace it.
    fn combine(
        &mut self,
        mut bins: Vec<Array<C>>,
        operator: Option<&Lambda>,
        indices: &Array<C>,
        values: &[Array<C>],
    ) -> Step<Vec<Value<C>>> {
        let count = bins[0].len();
        for (at, index) in indices.elements().iter().enumerate() {
            self.budget.step()?;
            let Some(bin) = in_bounds(&self.log, index, count) else { continue };
            let mut new: Vec<Value<C>> = row(values, at).collect();
            if let Some(operator) = operator {
                new = self.apply(operator, row(&bins, bin).map(unshared).chain(new).collect())?;
            }
            bins.iter_mut().zip(&new).try_for_each(|(bins, new)| write(&self.budget, bins, bin, new))?;
        }
        Ok(bins.into_iter().map(Value::Array).collect())
    }
}

/// The elements of arrays folded into a state, from the first to the last; `step` is given the state and an element of each.
pub(crate) fn fold<E: Clone, H, T: From<E> + From<Contiguous<E, H>>, Stop>(
    arrays: &[Contiguous<E, H>],
    mut state: Vec<T>,
    mut step: impl FnMut(Vec<T>) -> Result<Vec<T>, Stop>,
) -> Result<Vec<T>, Stop> {
    for at in 0..arrays.first().map_or(0, Contiguous::len) {
        state.extend(row(arrays, at));
        state = step(state)?;
    }
    Ok(state)
}

/// The elements of all arrays at an index.
pub(crate) fn row<E: Clone, H, T: From<E> + From<Contiguous<E, H>>>(
    arrays: &[Contiguous<E, H>],
    at: usize,
) -> impl Iterator<Item = T> {
    arrays.iter().map(move |array| array.row(at))
}

/// The array that a value is.
pub(super) fn array<C>(value: Value<C>) -> Array<C> {
    let Value::Array(array) = value else { panic!("{VERIFIED}") };
    array
}

fn in_bounds<C: Arithmetic>(log: &C::Log, index: &Scalar<C>, count: usize) -> Option<usize> {
    usize::try_from(C::index(log, index)).ok().filter(|index| *index < count)
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
