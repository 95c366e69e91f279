//! Operations that make arrays, move their elements, and change their shapes.
//!
//! Law: they are the operations of array programs, one statement each; what is known of the sizes of the operands says what is known of
//! those of the result.

use catadiff::array::trace::untyped::{Untyped, apply};
use catadiff::array::{Agree, Agreement, Atom, Extent, Op, Range, Scatter};
use pyo3::prelude::*;

use crate::elementwise::unequal;
use crate::errors::{Class, Failure};
use crate::place;
use crate::value::Value;

/// What is known of a size that is mapped over by one more array.
pub(crate) fn mapped_over(known: Option<i64>, own: Option<i64>) -> Result<Option<i64>, Failure> {
    match (known, own) {
        (Some(known), Some(own)) if known != own => Err(unequal(known, own)),
        (known, own) => Ok(known.or(own)),
    }
}

fn inner(operands: &[&Value]) -> Vec<Untyped> {
    operands.iter().map(|x| x.inner).collect()
}

/// The one result of an operation, of which this is known.
fn one(
    py: Python<'_>,
    operands: &[&Value],
    known: Vec<Option<i64>>,
    op: impl FnOnce(Vec<Atom>) -> Op,
) -> Result<Value, Failure> {
    let _here = place::here(py);
    Ok(Value::new(apply(&inner(operands), op)?[0], known))
}

/// The size of an array in a dimension.
#[pyfunction]
pub(crate) fn size(py: Python<'_>, array: Value, dimension: usize) -> Result<Value, Failure> {
    one(py, &[&array], vec![], |x| Op::Size(x[0], dimension))
}

/// The integers from 0 up to `n`.
#[pyfunction]
pub(crate) fn iota(py: Python<'_>, n: Value) -> Result<Value, Failure> {
    one(py, &[&n], vec![n.as_int()], |x| Op::Iota(x[0]))
}

/// An array of `n` copies of a value.
#[pyfunction]
pub(crate) fn replicate(py: Python<'_>, n: Value, value: Value) -> Result<Value, Failure> {
    let known = [vec![n.as_int()], value.known.clone()].concat();
    one(py, &[&n, &value], known, |x| Op::Replicate(x[0], x[1]))
}

/// The array of these elements, at least one.
#[pyfunction]
pub(crate) fn elements(py: Python<'_>, elements: Vec<Value>) -> Result<Value, Failure> {
    let mut known = vec![i64::try_from(elements.len()).ok()];
    let mut row = elements.first().map_or(vec![], |x| x.known.clone());
    for element in elements.iter().skip(1) {
        for (known, own) in row.iter_mut().zip(&element.known) {
            *known = mapped_over(*known, *own)?;
        }
    }
    known.extend(row);
    one(py, &elements.iter().collect::<Vec<_>>(), known, Op::Elements)
}

/// The array with one more dimension of size 1 at this place.
#[pyfunction]
pub(crate) fn expand(py: Python<'_>, array: Value, dimension: usize) -> Result<Value, Failure> {
    let _here = place::here(py);
    expanded(&array, dimension)
}

/// The same, of which it stays known what it is made of: what meets it as an operand needs no dimension of size 1.
pub(crate) fn expanded(array: &Value, dimension: usize) -> Result<Value, Failure> {
    let (base, mut new) = array.spread.clone().unwrap_or_else(|| (array.inner, vec![false; array.rank()]));
    new.insert(dimension, true);
    let mut known = array.known.clone();
    known.insert(dimension, Some(1));
    let inner = if dimension == 0 {
        apply(&[array.inner], Op::Elements)?[0]
    } else {
        let mut operands = vec![array.inner];
        for k in 0..array.rank() {
            operands.push(match array.known[k] {
                Some(n) => Untyped::constant(n),
                None => apply(&[array.inner], |x| Op::Size(x[0], k))?[0],
            });
        }
        operands.insert(1 + dimension, Untyped::constant(1_i64));
        apply(&operands, |x| Op::Reshape(x[0], x[1..].to_vec()))?[0]
    };
    Ok(Value { inner, known, weak: array.weak, spread: Some((base, new)) })
}

/// The element or subarray at these indices.
#[pyfunction]
pub(crate) fn index(py: Python<'_>, array: Value, indices: Vec<Value>) -> Result<Value, Failure> {
    let operands: Vec<&Value> = [&array].into_iter().chain(&indices).collect();
    let known = array.known.get(indices.len()..).unwrap_or(&[]).to_vec();
    one(py, &operands, known, |x| Op::Index(x[0], x[1..].to_vec()))
}

/// Ranges of the leading dimensions: for each its start, count and step.
#[pyfunction]
pub(crate) fn slice(py: Python<'_>, array: Value, ranges: Vec<[Value; 3]>) -> Result<Value, Failure> {
    let operands: Vec<&Value> = [&array].into_iter().chain(ranges.iter().flatten()).collect();
    let mut known: Vec<Option<i64>> = ranges.iter().map(|[_, count, _]| count.as_int()).collect();
    known.extend(array.known.get(ranges.len()..).unwrap_or(&[]));
    one(py, &operands, known, |x| {
        let range = |r: &[Atom]| Range { start: r[0], count: r[1], step: r[2] };
        Op::Slice(x[0], x[1..].chunks_exact(3).map(range).collect())
    })
}

/// The array with the element or subarray at these indices replaced.
#[pyfunction]
pub(crate) fn update(py: Python<'_>, array: Value, indices: Vec<Value>, value: Value) -> Result<Value, Failure> {
    let operands: Vec<&Value> = [&array, &value].into_iter().chain(&indices).collect();
    one(py, &operands, array.known.clone(), |x| Op::Update(x[0], x[2..].to_vec(), x[1]))
}

/// The array with its dimensions in another order.
#[pyfunction]
pub(crate) fn permute(py: Python<'_>, array: Value, order: Vec<usize>) -> Result<Value, Failure> {
    let known = order.iter().map(|k| array.known.get(*k).copied().flatten()).collect();
    one(py, &[&array], known, |x| Op::Permute(x[0], order))
}

/// The elements, in order, in an array of these sizes.
#[pyfunction]
pub(crate) fn reshape(py: Python<'_>, array: Value, sizes: Vec<Value>) -> Result<Value, Failure> {
    let operands: Vec<&Value> = [&array].into_iter().chain(&sizes).collect();
    let known: Vec<Option<i64>> = sizes.iter().map(Value::as_int).collect();
    let count = |known: &[Option<i64>]| known.iter().copied().try_fold(1_i64, |n, size| n.checked_mul(size?));
    if let (Some(from), Some(to)) = (count(&array.known), count(&known))
        && from != to
    {
        let message = format!("an array of {from} elements has no shape of {to}");
        return Err(Class::Shape.raise(py, message).into());
    }
    one(py, &operands, known, |x| Op::Reshape(x[0], x[1..].to_vec()))
}

/// Arrays one after the other.
#[pyfunction]
pub(crate) fn concat(py: Python<'_>, arrays: Vec<Value>) -> Result<Value, Failure> {
    let mut known = arrays.first().map_or(vec![], |x| x.known.clone());
    for array in arrays.iter().skip(1) {
        for (k, (known, own)) in known.iter_mut().zip(&array.known).enumerate() {
            *known = if k == 0 { known.zip(*own).map(|(n, m)| n + m) } else { mapped_over(*known, *own)? };
        }
    }
    one(py, &arrays.iter().collect::<Vec<_>>(), known, Op::Concat)
}

/// The array with its outermost dimension backwards.
#[pyfunction]
pub(crate) fn reverse(py: Python<'_>, array: Value) -> Result<Value, Failure> {
    one(py, &[&array], array.known.clone(), |x| Op::Reverse(x[0]))
}

/// The array with values written where the indices say; where they are out of bounds nothing is.
#[pyfunction]
pub(crate) fn scatter(py: Python<'_>, array: Value, indices: Value, values: Value) -> Result<Value, Failure> {
    one(py, &[&array, &indices, &values], array.known.clone(), |x| {
        let [destination, indices, values] = x[..] else { panic!("an operand for each value") };
        Op::Scatter(Box::new(Scatter { destination, indices, values }))
    })
}

/// Says that two sizes are equal, or the run is an error; if both are known, at once.
pub(crate) fn agree_on(a: &Value, in_a: usize, b: &Value, in_b: usize) -> Result<(), Failure> {
    match (a.known[in_a], b.known[in_b]) {
        (Some(first), Some(second)) if first == second => Ok(()),
        (Some(first), Some(second)) => Err(unequal(first, second)),
        _ => {
            apply(&[a.inner, b.inner], |x| {
                let (first, second) = (vec![Extent::Of(x[0], in_a)], vec![Extent::Of(x[1], in_b)]);
                Op::Agree(Box::new(Agree { what: Agreement::Wanted, first, second, times: Vec::new() }))
            })?;
            Ok(())
        }
    }
}

/// Says that two arrays have as many elements.
#[pyfunction]
pub(crate) fn same_length(py: Python<'_>, first: Value, second: Value) -> Result<(), Failure> {
    let _here = place::here(py);
    agree_on(&first, 0, &second, 0)
}
