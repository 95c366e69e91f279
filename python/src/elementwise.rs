//! Operations on each element: one walk over the dimensions, with numpy's rules of broadcasting.
//!
//! Law: dimensions meet from the innermost; one whose size is known to be 1 meets any size, and what has fewer dimensions meets each
//! element of what has more (tests/test_numpy.py).

use catadiff::array::trace::untyped::{Untyped, apply, body, function};
use catadiff::array::{Atom, Map, Op, ScalarOp, index as constant_index};
use pyo3::prelude::*;

use crate::errors::{Class, Failure};
use crate::movement::{expanded, mapped_over};
use crate::place;
use crate::value::{Value, kind};

/// What an operation makes of scalars.
type Scalars<'s> = &'s dyn Fn(&[Untyped]) -> Result<Untyped, Failure>;

/// An operand: what it is made of by new dimensions, and of each dimension, unless it is new, what is known of its size.
#[derive(Clone)]
struct Spread {
    inner: Untyped,
    dimensions: Vec<Option<Option<i64>>>,
}

impl Spread {
    fn of(value: &Value) -> Self {
        match &value.spread {
            Some((inner, new)) => {
                let dimension = |(new, known): (&bool, &Option<i64>)| (!new).then_some(*known);
                Spread { inner: *inner, dimensions: new.iter().zip(&value.known).map(dimension).collect() }
            }
            None => Spread { inner: value.inner, dimensions: value.known.iter().map(|known| Some(*known)).collect() },
        }
    }

    /// The operand in the place of which each element of its outermost dimension stands.
    fn within(&self, inner: Untyped) -> Self {
        Spread { inner, dimensions: self.dimensions[1..].to_vec() }
    }

    /// The array that this is.
    fn array(self) -> Result<Value, Failure> {
        let old = self.dimensions.iter().flatten().copied().collect();
        let mut value = Value::new(self.inner, old);
        for (k, dimension) in self.dimensions.iter().enumerate() {
            if dimension.is_none() {
                value = expanded(&value, k)?;
            }
        }
        Ok(value)
    }
}

/// The array of what `scalars` makes of the scalars that meet.
pub(crate) fn broadcast(operands: &[Value], scalars: Scalars<'_>) -> Result<Value, Failure> {
    let spread: Vec<Spread> = operands.iter().map(Spread::of).collect();
    let found = met(&spread, scalars)?.array()?;
    Ok(Value { weak: operands.iter().all(|x| x.weak), ..found })
}

fn met(operands: &[Spread], scalars: Scalars<'_>) -> Result<Spread, Failure> {
    let rank = operands.iter().map(|x| x.dimensions.len()).max().unwrap_or(0);
    if rank == 0 {
        let inner = scalars(&operands.iter().map(|x| x.inner).collect::<Vec<_>>())?;
        return Ok(Spread { inner, dimensions: Vec::new() });
    }
    let outermost = |x: &Spread| (x.dimensions.len() == rank).then(|| x.dimensions[0]);
    let stretched = operands.iter().filter_map(outermost).any(|size| size.is_some_and(|known| known != Some(1)));
    // What goes through this dimension, and what is the same for all of it.
    let (mut size, mut places) = (None, Vec::new());
    for operand in operands {
        places.push(match outermost(operand) {
            None => (false, operand.clone()),
            Some(None) => (false, operand.within(operand.inner)),
            Some(Some(Some(1))) => {
                let first = apply(&[operand.inner], |x| Op::Index(x[0], vec![constant_index(0)]))?[0];
                (false, operand.within(first))
            }
            Some(Some(own)) => {
                size = mapped_over(size, own)?;
                (true, operand.clone())
            }
        });
    }
    if !stretched {
        let fixed: Vec<Spread> = places.into_iter().map(|(_, operand)| operand).collect();
        let mut found = met(&fixed, scalars)?;
        found.dimensions.insert(0, None);
        return Ok(found);
    }
    let through: Vec<&Spread> = places.iter().filter(|(is_through, _)| *is_through).map(|(_, x)| x).collect();
    let types: Vec<_> = through.iter().map(|x| x.inner.of_type().element()).collect();
    let arrays: Vec<Untyped> = through.iter().map(|x| x.inner).collect();
    let mut found = Vec::new();
    let inside = function(&types, |elements| {
        let mut elements = elements.iter();
        let mut next = |(is_through, operand): &(bool, Spread)| match *is_through {
            true => operand.within(*elements.next().expect("there is an element of each")),
            false => operand.clone(),
        };
        let operands: Vec<Spread> = places.iter().map(&mut next).collect();
        // What is new of a result stands within each element of the map, so it is there.
        let result = met(&operands, scalars)?.array()?;
        found.clone_from(&result.known);
        Ok::<_, Failure>(vec![result.inner])
    })?;
    let map = |arrays: Vec<Atom>| Op::Map(Box::new(Map { function: inside, arrays, accumulators: Vec::new() }));
    let dimensions = [size].into_iter().chain(found).map(Some).collect();
    Ok(Spread { inner: apply(&arrays, map)?[0], dimensions })
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
