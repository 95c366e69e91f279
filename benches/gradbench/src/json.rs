//! From the benchmark's inputs to arguments of programs, and from results to its outputs.
//!
//! Law: nested lists are rectangular arrays, or an error that names the field. Numbers are put once where programs read them, and
//! written from where programs have left them.

use catadiff::execute::Flat;
use catadiff::{Error, Result};
use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};
use serde_json::Value as Json;

use crate::missing;

/// A field of an input, as an array of this rank.
pub(crate) fn reals(input: &Json, name: &str, rank: usize) -> Result<Flat> {
    let (mut sizes, mut elements) = (Vec::new(), Vec::new());
    gather(&input[name], name, rank, &mut sizes, &mut elements)?;
    // Lists that are empty say nothing of their rows.
    sizes.resize(rank, 0);
    Flat::reals(&sizes, elements)
}

/// A field of an input that is a vector of this length.
pub(crate) fn vector(input: &Json, name: &str, length: usize) -> Result<Flat> {
    let vector = reals(input, name, 1)?;
    if vector.sizes() == [length] {
        return Ok(vector);
    }
    let numbers = |n: usize| format!("a list of {n} numbers");
    Err(Error::Argument { name: name.to_owned(), expected: numbers(length), found: numbers(vector.sizes()[0]) })
}

/// Puts the numbers of nested lists after others. The first list of a rank says how long all of them are.
fn gather(json: &Json, name: &str, rank: usize, sizes: &mut Vec<usize>, elements: &mut Vec<f64>) -> Result<()> {
    if rank == 0 {
        elements.push(json.as_f64().ok_or_else(|| missing(name, "a number", json))?);
        return Ok(());
    }
    let rows = json.as_array().ok_or_else(|| missing(name, "a list", json))?;
    sizes.push(rows.len());
    if rank == 1 {
        elements.reserve(rows.len());
    }
    let mut first: Option<Vec<usize>> = None;
    for (number, row) in rows.iter().enumerate() {
        let mut found = Vec::new();
        gather(row, name, rank - 1, &mut found, elements)?;
        found.resize(rank - 1, 0);
        let first = first.get_or_insert_with(|| found.clone());
        if found != *first {
            return Err(Error::Argument {
                name: name.to_owned(),
                expected: format!("a list of rows of equal sizes, {first:?} as of the first,"),
                found: format!("one in which row {number} is of sizes {found:?}"),
            });
        }
    }
    sizes.extend(first.into_iter().flatten());
    Ok(())
}

/// A real as an argument.
pub(crate) fn real(x: f64) -> Result<Flat> {
    Flat::reals(&[], vec![x])
}

/// An integer as an argument.
pub(crate) fn whole(n: i64) -> Result<Flat> {
    Flat::integers(&[], vec![n])
}

/// A field of an input that is a size or a count.
pub(crate) fn integer(input: &Json, name: &str) -> Result<i64> {
    input[name].as_i64().ok_or_else(|| missing(name, "an integer", &input[name]))
}

/// A field of an input, as an array of integers of this rank.
pub(crate) fn integers(input: &Json, name: &str, rank: usize) -> Result<Flat> {
    let array = reals(input, name, rank)?;
    let integer = |x: &f64| if x.fract() == 0.0 { Ok(*x as i64) } else { Err(missing(name, "integers", &input[name])) };
    Flat::integers(array.sizes(), numbers(&array).iter().map(integer).collect::<Result<_>>()?)
}

/// The elements of an array of reals.
pub(crate) fn numbers(array: &Flat) -> &[f64] {
    array.as_reals().expect("an array of reals")
}

/// The elements of an array of integers.
pub(crate) fn whole_numbers(array: &Flat) -> &[i64] {
    array.as_integers().expect("an array of integers")
}

/// A field of an input that is a number of things, of which there is one at least, and not more than have a place.
pub(crate) fn count(input: &Json, name: &str) -> Result<usize> {
    let count = input[name].as_u64().and_then(|n| usize::try_from(n).ok()).filter(|n| (1..=MOST_THINGS).contains(n));
    count.ok_or_else(|| missing(name, &format!("a number of things from 1 to {MOST_THINGS}"), &input[name]))
}

/// Three times what the benchmark's largest input asks for.
const MOST_THINGS: usize = 1 << 24;

/// What is written as JSON.
#[derive(Debug, Clone)]
pub enum Written {
    /// What is JSON.
    Json(Json),
    /// A scalar, or an array as nested lists.
    Array(Flat),
    /// An object, of fields in this order.
    Fields(Vec<(&'static str, Written)>),
}

impl Written {
    /// The result of this number, which may be taken.
    pub(crate) fn result(results: &mut [Flat], number: usize) -> Self {
        Written::Array(core::mem::take(&mut results[number]))
    }

    /// The JSON that it is written as.
    #[must_use]
    pub fn to_json(&self) -> Json {
        serde_json::to_value(self).expect("numbers in lists and in objects whose keys are texts")
    }
}

impl From<Json> for Written {
    fn from(json: Json) -> Self {
        Written::Json(json)
    }
}

impl Serialize for Written {
    fn serialize<S: Serializer>(&self, to: S) -> core::result::Result<S::Ok, S::Error> {
        match self {
            Written::Json(json) => json.serialize(to),
            Written::Array(array) => match (array.as_reals(), array.as_integers()) {
                (Some(reals), _) => Nested { sizes: array.sizes(), elements: reals }.serialize(to),
                (None, Some(ints)) => Nested { sizes: array.sizes(), elements: ints }.serialize(to),
                (None, None) => panic!("the benchmark's functions have results of double precision"),
            },
            Written::Fields(fields) => {
                let mut object = to.serialize_map(Some(fields.len()))?;
                fields.iter().try_for_each(|(name, field)| object.serialize_entry(name, field))?;
                object.end()
            }
        }
    }
}

/// A part of an array.
struct Nested<'a, T> {
    sizes: &'a [usize],
    elements: &'a [T],
}

impl<T: Serialize> Serialize for Nested<'_, T> {
    fn serialize<S: Serializer>(&self, to: S) -> core::result::Result<S::Ok, S::Error> {
        let Some((rows, sizes)) = self.sizes.split_first() else { return self.elements[0].serialize(to) };
        let (mut list, size) = (to.serialize_seq(Some(*rows))?, sizes.iter().product::<usize>());
        for row in 0..*rows {
            list.serialize_element(&Nested { sizes, elements: &self.elements[row * size..(row + 1) * size] })?;
        }
        list.end()
    }
}

/// The input as a number alone.
pub(crate) fn number(input: &Json) -> Result<f64> {
    input.as_f64().ok_or_else(|| missing("the input", "a number", input))
}
