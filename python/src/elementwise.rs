//! Operations on each element: one walk over the dimensions, with numpy's rules of broadcasting.
//!
//! Law: dimensions meet from the innermost; one whose size is known to be 1 meets any size, and what has fewer dimensions meets each
//! element of what has more (tests/test_numpy.py).

use catadiff::array::trace::untyped::{Untyped, apply, body, function};
use catadiff::array::{Atom, Map, Op, ScalarOp};
use pyo3::prelude::*;

use crate::errors::{Class, Failure};
use crate::movement::{at_zero, mapped_over};
use crate::place;
use crate::value::{Value, kind};

/// What an operation makes of scalars.
type Scalars<'s> = &'s dyn Fn(&[Untyped]) -> Result<Untyped, Failure>;

/// The array of what `scalars` makes of the scalars that meet.
pub(crate) fn broadcast(operands: &[Value], scalars: Scalars<'_>) -> Result<Value, Failure> {
    let rank = operands.iter().map(Value::rank).max().unwrap_or(0);
    if rank == 0 {
        let inner = scalars(&operands.iter().map(|x| x.inner).collect::<Vec<_>>())?;
        return Ok(Value { weak: operands.iter().all(|x| x.weak), ..Value::unknown(inner) });
    }
    let outermost = |x: &Value| (x.rank() == rank).then(|| x.known[0]);
    let stretched = operands.iter().filter_map(outermost).any(|size| size != Some(1));
    // What goes through this dimension, and what is the same for all of it.
    let (mut through, mut is_through, mut size) = (Vec::new(), Vec::new(), None);
    let mut fixed = Vec::new();
    for operand in operands {
        match outermost(operand) {
            Some(Some(1)) if stretched => fixed.push(at_zero(operand)?),
            Some(own) => {
                size = mapped_over(size, own)?;
                through.push(operand.clone());
                is_through.push(true);
                continue;
            }
            None => fixed.push(operand.clone()),
        }
        is_through.push(false);
    }
    let types: Vec<_> = through.iter().map(|x| x.of().element()).collect();
    let mut known = vec![size];
    let inside = function(&types, |elements| {
        let (mut elements, mut fixed) = (elements.iter().zip(&through), fixed.iter());
        let next = |through: &bool| match *through {
            true => elements.next().map(|(inner, of)| Value::new(*inner, of.known[1..].to_vec())),
            false => fixed.next().cloned(),
        };
        let operands: Vec<Value> = is_through.iter().filter_map(next).collect();
        let result = broadcast(&operands, scalars)?;
        known.extend(&result.known);
        Ok::<_, Failure>(vec![result.inner])
    })?;
    let arrays: Vec<Untyped> = through.iter().map(|x| x.inner).collect();
    let map = |arrays: Vec<Atom>| Op::Map(Box::new(Map { function: inside, arrays, accumulators: Vec::new() }));
    Ok(Value::new(apply(&arrays, map)?[0], known))
}

/// The operation of this name on each element, of operands of one kind.
#[pyfunction]
#[pyo3(signature = (name, operands, parameter = None))]
pub(crate) fn elementwise(
    py: Python<'_>,
    name: &str,
    operands: Vec<Value>,
    parameter: Option<i64>,
) -> Result<Value, Failure> {
    let of = operands.first().map(|x| x.of().prim);
    let op = of.and_then(|prim| ScalarOp::named(name, parameter, prim.is_integer()));
    let Some(op) = op.filter(|op| op.arity() == operands.len()) else {
        let kinds = of.map_or("nothing", crate::value::dtype);
        return Err(Class::Trace.raise(py, format!("there is no `{name}` of {kinds}")).into());
    };
    let _here = place::here(py);
    broadcast(&operands, &|x| Ok(apply(x, |x| Op::Scalar(op, x.into()))?[0]))
}

/// Each element in another dtype.
#[pyfunction]
pub(crate) fn convert(py: Python<'_>, operand: Value, dtype: &str) -> Result<Value, Failure> {
    let to = kind(dtype)?;
    if operand.of().prim == to {
        return Ok(operand);
    }
    let _here = place::here(py);
    broadcast(&[operand], &|x| Ok(apply(x, |x| Op::Scalar(ScalarOp::Convert(to), x.into()))?[0]))
}

/// For each condition one of two elements.
#[pyfunction]
pub(crate) fn choose(py: Python<'_>, condition: Value, yes: Value, no: Value) -> Result<Value, Failure> {
    let _here = place::here(py);
    broadcast(&[condition, yes, no], &|x| {
        let [condition, yes, no] = *x else { panic!("three operands meet in triples") };
        let branch = |taken: Untyped| body(|| Ok::<_, Failure>(vec![taken]));
        let (yes, no) = (branch(yes)?, branch(no)?);
        Ok(apply(&[condition], |x| Op::If(x[0], Box::new(yes), Box::new(no)))?[0])
    })
}

/// The exception for sizes that do not meet.
pub(crate) fn unequal(first: i64, second: i64) -> Failure {
    let message = format!("the sizes {first} and {second} do not meet: they must be equal, or one of them 1");
    Failure(Python::attach(|py| Class::Shape.raise(py, message)))
}
