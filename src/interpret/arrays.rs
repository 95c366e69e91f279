//! Operations on whole arrays: indexing, updates, and rearrangements.
//!
//! Law: elements move and are not computed with; an error of sizes says by how much they differ, and memory is reserved
//! before it is taken (tests/array/interpret.rs).

use super::budget::{Budget, Fault, Step};
use super::scalar::Arithmetic;
use super::value::{Array, Scalar, Value, count};
use crate::array::{Agreement, ScalarOp};

/// A size that is said by a program.
pub(super) fn size(n: i64) -> Step<usize> {
    usize::try_from(n).map_err(|_| Fault::NegativeSize(n))
}

/// The integers from 0.
pub(super) fn iota<C>(budget: &Budget<'_>, n: i64) -> Step<Array<C>> {
    let length = size(n)?;
    budget.room(Some(length))?;
    Ok(budget.made(Array::new(vec![length], (0..n).map(Scalar::I64).collect())))
}

/// Copies of a value.
pub(super) fn replicate<C: Clone>(budget: &Budget<'_>, n: i64, value: &Value<C>) -> Step<Array<C>> {
    let sizes: Vec<usize> = core::iter::once(size(n)?).chain(value.sizes().iter().copied()).collect();
    let total = count(&sizes);
    budget.room(total)?;
    let total = total.unwrap_or(0);
    Ok(budget.made(Array::new(sizes, value.elements().iter().cycle().take(total).cloned().collect())))
}

/// Where an index into the leading dimensions points.
pub(super) struct Place {
    /// The position of the first element.
    start: usize,
    /// How many elements there are from there.
    length: usize,
}

/// The place of an index; an error says which index is out of which bounds.
pub(super) fn place(sizes: &[usize], indices: &[i64]) -> Step<Place> {
    let mut start = 0;
    for (size, index) in sizes.iter().zip(indices) {
        let within = usize::try_from(*index).ok().filter(|i| i < size);
        // Beyond all numbers it is of an array without elements, where it does not matter.
        start =
            size.wrapping_mul(start).wrapping_add(within.ok_or(Fault::OutOfBounds { index: *index, length: *size })?);
    }
    let length = count(&sizes[indices.len()..]).unwrap_or(0);
    Ok(Place { start: if length == 0 { 0 } else { start.wrapping_mul(length) }, length })
}

/// The element or subarray at an index.
pub(super) fn index<C: Clone>(array: &Array<C>, indices: &[i64]) -> Step<Value<C>> {
    let Place { start, length } = place(&array.sizes, indices)?;
    Ok(array.part(indices.len(), start, length))
}

/// Ranges of the leading dimensions, each given by start, count and step.
pub(super) fn slice<C: Clone>(budget: &Budget<'_>, array: &Array<C>, ranges: &[[i64; 3]]) -> Step<Array<C>> {
    let mut sizes = array.sizes.clone();
    for (dimension, [start, count, step]) in ranges.iter().enumerate() {
        let length = array.sizes[dimension];
        sizes[dimension] = size(*count)?;
        if *count > 0 {
            let last = i128::from(*start) + i128::from(*count - 1) * i128::from(*step);
            let last = last.clamp(i64::MIN.into(), i64::MAX.into()) as i64;
            place(&[length], &[*start])?;
            place(&[length], &[last])?;
        }
    }
    let total = count(&sizes);
    budget.room(total)?;
    let elements = (0..total.unwrap_or(0)).map(|at| {
        let mut from = 0;
        for (dimension, index) in unravel(&sizes, at).into_iter().enumerate() {
            let index = match ranges.get(dimension) {
                Some([start, _, step]) => (*start + index as i64 * *step) as usize,
                None => index,
            };
            from = from * array.sizes[dimension] + index;
        }
        array.elements[from].clone()
    });
    Ok(Array::new(sizes.clone(), elements.collect()).viewed())
}

/// The indices of the element at a position.
fn unravel(sizes: &[usize], mut at: usize) -> Vec<usize> {
    let mut indices = vec![0; sizes.len()];
    for (index, size) in indices.iter_mut().zip(sizes).rev() {
        (*index, at) = (at % size, at / size);
    }
    indices
}

/// The array with an element or subarray replaced, in place if nothing else holds it.
pub(super) fn update<C: Clone>(
    budget: &Budget<'_>,
    mut array: Array<C>,
    indices: &[i64],
    new: &Value<C>,
) -> Step<Array<C>> {
    Fault::unless_same(Agreement::Updated, &array.sizes[indices.len()..], new.sizes())?;
    let Place { start, length } = place(&array.sizes, indices)?;
    budget.owned(&mut array)[start..start + length].clone_from_slice(new.elements());
    budget.wrote(length);
    Ok(array)
}

/// The array with a value added at an index, in place if nothing else holds it; out of bounds nothing is.
pub(super) fn add<C: Arithmetic>(
    (log, budget): (&C::Log, &Budget<'_>),
    mut array: Array<C>,
    indices: &[i64],
    new: &Value<C>,
) -> Step<Array<C>> {
    Fault::unless_same(Agreement::Added, &array.sizes[indices.len()..], new.sizes())?;
    if let Ok(Place { start, length }) = place(&array.sizes, indices) {
        let elements = &mut budget.owned(&mut array)[start..start + length];
        budget.wrote(length);
        for (element, new) in elements.iter_mut().zip(new.elements()) {
            *element = C::apply(log, ScalarOp::Add, &[element.clone(), new.clone()])?;
        }
    }
    Ok(array)
}

/// The array with its dimensions in another order.
pub(super) fn permute<C: Clone>(array: &Array<C>, order: &[usize]) -> Array<C> {
    let sizes: Vec<usize> = order.iter().map(|d| array.sizes[*d]).collect();
    let elements = (0..array.elements.len()).map(|at| {
        let indices = unravel(&sizes, at);
        let mut original = vec![0; order.len()];
        order.iter().zip(indices).for_each(|(d, index)| original[*d] = index);
        let from = original.iter().zip(&array.sizes).fold(0, |from, (index, size)| from * size + index);
        array.elements[from].clone()
    });
    Array::new(sizes.clone(), elements.collect()).viewed()
}

/// The elements in an array of other sizes.
pub(super) fn reshape<C>(array: Array<C>, sizes: &[i64]) -> Step<Array<C>> {
    let sizes: Vec<usize> = sizes.iter().map(|n| size(*n)).collect::<Step<_>>()?;
    // Sizes beyond all numbers are in any case not those of an array that is there.
    let wanted = count(&sizes).unwrap_or(usize::MAX);
    Fault::unless_equal(Agreement::Reshaped, array.elements.len(), wanted)?;
    Ok(Array { sizes, ..array })
}

/// Arrays one after the other.
pub(super) fn concat<C: Clone>(budget: &Budget<'_>, arrays: &[Array<C>]) -> Step<Array<C>> {
    let mut sizes = arrays[0].sizes.clone();
    for array in &arrays[1..] {
        Fault::unless_same(Agreement::Concatenated, &sizes[1..], array.row_sizes())?;
        // Without elements, lengths can be as large as numbers go.
        let length = sizes[0].checked_add(array.len());
        sizes[0] = length.ok_or(Fault::Budget { what: "elements of one dimension", limit: usize::MAX as u64 })?;
    }
    budget.room(count(&sizes))?;
    Ok(budget.made(Array::new(sizes, arrays.iter().flat_map(|a| a.elements.iter().cloned()).collect())))
}

/// The array with its rows in the opposite order.
pub(super) fn reverse<C: Clone>(array: &Array<C>) -> Array<C> {
    let size = count(array.row_sizes()).unwrap_or(0).max(1);
    Array::new(array.sizes.clone(), array.elements.chunks(size).rev().flatten().cloned().collect()).viewed()
}

/// Rows that are collected into an array.
pub(super) struct Rows<C> {
    sizes: Option<Vec<usize>>,
    elements: Vec<Scalar<C>>,
    count: usize,
}

impl<C: Clone> Rows<C> {
    pub(super) fn new() -> Self {
        Rows { sizes: None, elements: Vec::new(), count: 0 }
    }

    /// Adds a row, which must have the sizes of the others.
    pub(super) fn push(&mut self, budget: &mut Budget<'_>, row: &Value<C>) -> Step<()> {
        match &self.sizes {
            Some(sizes) => Fault::unless_same(Agreement::Rows, sizes, row.sizes())?,
            None => self.sizes = Some(row.sizes().to_vec()),
        }
        budget.hold(row.elements().len())?;
        budget.wrote(row.elements().len());
        self.elements.extend_from_slice(row.elements());
        self.count += 1;
        Ok(())
    }

    /// The array of the rows. If there are none, these are the sizes that a row would have.
    pub(super) fn finish(self, budget: &mut Budget<'_>, without: Vec<usize>) -> Array<C> {
        budget.release(self.elements.len());
        let mut sizes = vec![self.count];
        sizes.extend(self.sizes.unwrap_or(without));
        budget.allocated(Array::new(sizes, self.elements))
    }
}
