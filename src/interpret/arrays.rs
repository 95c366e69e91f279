//! Operations on whole arrays: indexing, updates, and rearrangements.
//!
//! Law: elements move and are not computed with; an error of sizes says by how much they differ, and memory is reserved
//! before it is taken (tests/array/interpret.rs).

use super::budget::{Budget, Fault, Step};
use super::contiguous::{Rows, count, strides};
use super::scalar::Arithmetic;
use super::value::{Array, Origin, Scalar, Value};
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
    budget.room(count(&sizes))?;
    Ok(budget.made(Array::filled(sizes, value.elements(), Origin::Made)))
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
    let Place { start, .. } = place(array.sizes(), indices)?;
    Ok(unshared(array.part(indices.len(), start)))
}

/// The same in memory of its own: what shares the memory of an array would keep it from being updated in place.
pub(super) fn unshared<C: Clone>(part: Value<C>) -> Value<C> {
    match part {
        Value::Array(part) => Value::Array(part.copied(Origin::View)),
        scalar @ Value::Scalar(_) => scalar,
    }
}

/// Ranges of the leading dimensions, each given by start, count and step.
pub(super) fn slice<C: Clone>(budget: &Budget<'_>, array: &Array<C>, ranges: &[[i64; 3]]) -> Step<Array<C>> {
    let mut sizes = array.sizes().to_vec();
    for (dimension, [start, count, step]) in ranges.iter().enumerate() {
        let length = array.sizes()[dimension];
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
    // Without elements it does not matter where they would be.
    let steps = ranges.iter().map(|[start, _, step]| (*start as isize, *step as isize));
    let by_dimension = strides(array.sizes()).into_iter().zip(steps.chain(core::iter::repeat((0, 1))));
    let (starts, strides): (Vec<isize>, Vec<isize>) =
        by_dimension.map(|(stride, (start, step))| (start.wrapping_mul(stride), step.wrapping_mul(stride))).unzip();
    let start = starts.into_iter().fold(0, isize::wrapping_add);
    Ok(array.rearranged(start, &sizes, &strides, Origin::View))
}

/// The array with an element or subarray replaced, in place if nothing else holds it.
pub(super) fn update<C: Clone>(
    budget: &Budget<'_>,
    mut array: Array<C>,
    indices: &[i64],
    new: &Value<C>,
) -> Step<Array<C>> {
    Fault::unless_same(Agreement::Updated, &array.sizes()[indices.len()..], new.sizes())?;
    let Place { start, length } = place(array.sizes(), indices)?;
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
    Fault::unless_same(Agreement::Added, &array.sizes()[indices.len()..], new.sizes())?;
    if let Ok(Place { start, length }) = place(array.sizes(), indices) {
        let elements = &mut budget.owned(&mut array)[start..start + length];
        budget.wrote(length);
        for (element, new) in elements.iter_mut().zip(new.elements()) {
            *element = C::apply(log, ScalarOp::Add, &[element.clone(), new.clone()])?;
        }
    }
    Ok(array)
}

/// The elements in an array of other sizes.
pub(super) fn reshape<C>(array: Array<C>, sizes: &[i64]) -> Step<Array<C>> {
    let sizes: Vec<usize> = sizes.iter().map(|n| size(*n)).collect::<Step<_>>()?;
    // Sizes beyond all numbers are in any case not those of an array that is there.
    let wanted = count(&sizes).unwrap_or(usize::MAX);
    Fault::unless_equal(Agreement::Reshaped, array.elements().len(), wanted)?;
    Ok(array.reshaped(sizes))
}

/// Arrays one after the other.
pub(super) fn concat<C: Clone>(budget: &Budget<'_>, arrays: &[Array<C>]) -> Step<Array<C>> {
    let mut sizes = arrays[0].sizes().to_vec();
    for array in &arrays[1..] {
        Fault::unless_same(Agreement::Concatenated, &sizes[1..], array.row_sizes())?;
        // Without elements, lengths can be as large as numbers go.
        let length = sizes[0].checked_add(array.len());
        sizes[0] = length.ok_or(Fault::Budget { what: "elements of one dimension", limit: usize::MAX as u64 })?;
    }
    budget.room(count(&sizes))?;
    Ok(budget.made(Array::new(sizes, arrays.iter().flat_map(|a| a.elements().iter().cloned()).collect())))
}

/// Adds a row, which must have the sizes of the others.
pub(super) fn push<C: Clone>(budget: &mut Budget<'_>, rows: &mut Rows<Scalar<C>>, row: &Value<C>) -> Step<()> {
    Fault::unless_same(Agreement::Rows, rows.sizes(row.sizes()), row.sizes())?;
    budget.hold(row.elements().len())?;
    budget.wrote(row.elements().len());
    rows.push(row.elements());
    Ok(())
}

/// The array of the rows. If there are none, these are the sizes that a row would have.
pub(super) fn finish<C: Clone>(budget: &mut Budget<'_>, rows: Rows<Scalar<C>>, without: &[usize]) -> Array<C> {
    budget.release(rows.count());
    budget.allocated(rows.finish(|| without.to_vec(), Origin::Made))
}
