//! From the benchmark's inputs to values of programs, and from values to its outputs.
//!
//! Law: nested lists are rectangular arrays, or an error that names the field.

use catadiff::Result;
use catadiff::interpret::{Scalar, Value};
use serde_json::Value as Json;

use crate::missing;

/// A field of an input, as an array of this rank.
pub(crate) fn reals(input: &Json, name: &str, rank: usize) -> Result<Value<f64>> {
    value(&input[name], name, rank)
}

/// Nested lists as an array of this rank.
pub(crate) fn value(json: &Json, name: &str, rank: usize) -> Result<Value<f64>> {
    if rank == 0 {
        return json.as_f64().map(Value::from).ok_or_else(|| missing(name, "a number", json));
    }
    let rows = json.as_array().ok_or_else(|| missing(name, "a list", json))?;
    if rows.is_empty() {
        return Value::array(&vec![0; rank], Vec::new());
    }
    Value::rows(rows.iter().map(|row| value(row, name, rank - 1)).collect::<Result<_>>()?)
}

/// A field of an input that is a size or a count.
pub(crate) fn integer(input: &Json, name: &str) -> Result<i64> {
    input[name].as_i64().ok_or_else(|| missing(name, "an integer", &input[name]))
}

/// A field of an input, as an array of integers of this rank.
pub(crate) fn integers(input: &Json, name: &str, rank: usize) -> Result<Value<f64>> {
    let array = reals(input, name, rank)?;
    let integer = |s: &Scalar<f64>| match s {
        Scalar::Real(x) if x.fract() == 0.0 => Ok(Scalar::I64(*x as i64)),
        _ => Err(missing(name, "integers", &input[name])),
    };
    Value::array(array.sizes(), array.elements().iter().map(integer).collect::<Result<_>>()?)
}

/// A field of an input that is a number of things, of which there is one at least.
pub(crate) fn count(input: &Json, name: &str) -> Result<usize> {
    let count = input[name].as_u64().and_then(|n| usize::try_from(n).ok()).filter(|n| *n > 0);
    count.ok_or_else(|| missing(name, "a number of things, at least one", &input[name]))
}

/// A value as nested lists.
pub(crate) fn json(value: &Value<f64>) -> Json {
    nested(value.sizes(), value.elements())
}

fn nested(sizes: &[usize], elements: &[Scalar<f64>]) -> Json {
    let Some((rows, sizes)) = sizes.split_first() else {
        return match &elements[0] {
            Scalar::Bool(b) => (*b).into(),
            Scalar::I32(n) => (*n).into(),
            Scalar::I64(n) => (*n).into(),
            Scalar::Real(x) => (*x).into(),
        };
    };
    let size: usize = sizes.iter().product();
    (0..*rows).map(|row| nested(sizes, &elements[row * size..(row + 1) * size])).collect()
}

/// The input as a number alone.
pub(crate) fn number(input: &Json) -> Result<f64> {
    input.as_f64().ok_or_else(|| missing("the input", "a number", input))
}
