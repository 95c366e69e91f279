//! From the benchmark's inputs to values of programs, and from values to its outputs.
//!
//! Law: nested lists are rectangular arrays, or an error that names the field.

use catadiff::array::Const;
use catadiff::interpret::{Scalar, Value};
use catadiff::{Error, Result};
use serde_json::Value as Json;

use crate::missing;

/// A field of an input, as an array of this rank.
pub(crate) fn reals(input: &Json, name: &str, rank: usize) -> Result<Value<f64>> {
    value(&input[name], name, rank)
}

/// A field of an input that is a vector of this length.
pub(crate) fn vector(input: &Json, name: &str, length: usize) -> Result<Value<f64>> {
    let vector = reals(input, name, 1)?;
    if vector.sizes() == [length] {
        return Ok(vector);
    }
    let numbers = |n: usize| format!("a list of {n} numbers");
    Err(Error::Argument { name: name.to_owned(), expected: numbers(length), found: numbers(vector.sizes()[0]) })
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
    let rows = rows.iter().map(|row| value(row, name, rank - 1)).collect::<Result<Vec<_>>>()?;
    if let Some((number, row)) = rows.iter().enumerate().find(|(_, row)| row.sizes() != rows[0].sizes()) {
        let sizes = |row: &Value<f64>| format!("{:?}", row.sizes());
        return Err(Error::Argument {
            name: name.to_owned(),
            expected: format!("a list of rows of equal sizes, {} as of the first,", sizes(&rows[0])),
            found: format!("one in which row {number} is of sizes {}", sizes(row)),
        });
    }
    Value::rows(rows)
}

/// A field of an input that is a size or a count.
pub(crate) fn integer(input: &Json, name: &str) -> Result<i64> {
    input[name].as_i64().ok_or_else(|| missing(name, "an integer", &input[name]))
}

/// A field of an input, as an array of integers of this rank.
pub(crate) fn integers(input: &Json, name: &str, rank: usize) -> Result<Value<f64>> {
    let array = reals(input, name, rank)?;
    let integer = |s: &Scalar<f64>| match s {
        Scalar::F64(x) if x.fract() == 0.0 => Ok(Scalar::I64(*x as i64)),
        _ => Err(missing(name, "integers", &input[name])),
    };
    Value::array(array.sizes(), array.elements().iter().map(integer).collect::<Result<_>>()?)
}

/// A field of an input that is a number of things, of which there is one at least, and not more than have a place.
pub(crate) fn count(input: &Json, name: &str) -> Result<usize> {
    let count = input[name].as_u64().and_then(|n| usize::try_from(n).ok()).filter(|n| (1..=MOST_THINGS).contains(n));
    count.ok_or_else(|| missing(name, &format!("a number of things from 1 to {MOST_THINGS}"), &input[name]))
}

/// Three times what the benchmark's largest input asks for.
const MOST_THINGS: usize = 1 << 24;

/// A value as nested lists.
pub(crate) fn json(value: &Value<f64>) -> Json {
    nested(value.sizes(), value.elements())
}

fn nested(sizes: &[usize], elements: &[Scalar<f64>]) -> Json {
    let Some((rows, sizes)) = sizes.split_first() else {
        return match &elements[0] {
            Scalar::Bool(b) => (*b).into(),
            Scalar::U64(n) => (*n).into(),
            Scalar::F32(x) | Scalar::F64(x) => (*x).into(),
            integer => integer.exact().and_then(Const::integer).map_or(Json::Null, |n| (n as i64).into()),
        };
    };
    let size: usize = sizes.iter().product();
    (0..*rows).map(|row| nested(sizes, &elements[row * size..(row + 1) * size])).collect()
}

/// The input as a number alone.
pub(crate) fn number(input: &Json) -> Result<f64> {
    input.as_f64().ok_or_else(|| missing("the input", "a number", input))
}
