//! Arguments and results as they lie in memory, for runs that convert and allocate nothing.
//!
//! Law: there are as many elements as the sizes say, in the order of a [`Value`]; made a value and back it is the same.

use crate::array::{Prim, Type};
use crate::error::{Error, Result};
use crate::interpret::{Scalar, Value};

/// A scalar or an array: its sizes, and its elements in a row, the last dimension running fastest.
///
/// Those of truth values or of 32-bit integers are made from a [`Value`].
///
/// ```
/// use catadiff::array::{Program, trace::{Arr, F64}};
/// use catadiff::execute::Flat;
/// let scaled = Program::trace(|x: Arr<F64>, by: F64| x * by)?.compile()?;
/// let mut arguments = vec![Flat::reals(&[3], vec![1.0, 2.0, 3.0])?, Flat::reals(&[], vec![2.0])?];
/// let mut results = Vec::new();
/// scaled.run_into(&arguments, &mut results)?;
/// assert_eq!(results[0].as_reals(), Some(&[2.0, 4.0, 6.0][..]));
///
/// // The same memory again.
/// arguments[0].as_reals_mut().unwrap()[2] = 10.0;
/// scaled.run_into(&arguments, &mut results)?;
/// assert_eq!(results[0].as_reals(), Some(&[2.0, 4.0, 20.0][..]));
/// # Ok::<(), catadiff::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Flat {
    pub(super) prim: Prim,
    pub(super) sizes: Vec<usize>,
    pub(super) reals: Vec<f64>,
    /// Integers, and truth values as 0 and 1.
    pub(super) ints: Vec<i64>,
}

impl Default for Flat {
    /// An array of no reals.
    fn default() -> Self {
        Flat { prim: Prim::F64, sizes: vec![0], reals: Vec::new(), ints: Vec::new() }
    }
}

impl Flat {
    /// An array of reals of these sizes; a scalar if there are none.
    ///
    /// # Errors
    /// [`Error::Length`] if there are more or fewer than the sizes ask for.
    pub fn reals(sizes: &[usize], reals: Vec<f64>) -> Result<Self> {
        Error::lengths("the list of elements", count(sizes)?, reals.len())?;
        Ok(Flat { prim: Prim::F64, sizes: sizes.to_vec(), reals, ints: Vec::new() })
    }

    /// An array of integers, of kind `i64`, of these sizes; a scalar if there are none.
    ///
    /// # Errors
    /// [`Error::Length`] if there are more or fewer than the sizes ask for.
    pub fn integers(sizes: &[usize], ints: Vec<i64>) -> Result<Self> {
        Error::lengths("the list of elements", count(sizes)?, ints.len())?;
        Ok(Flat { prim: Prim::I64, sizes: sizes.to_vec(), reals: Vec::new(), ints })
    }

    /// The sizes, outermost first; none for a scalar.
    #[must_use]
    pub fn sizes(&self) -> &[usize] {
        &self.sizes
    }

    /// The elements, if they are reals.
    #[must_use]
    pub fn as_reals(&self) -> Option<&[f64]> {
        self.prim.is_real().then_some(&self.reals)
    }

    /// The elements, if they are reals, to be changed.
    pub fn as_reals_mut(&mut self) -> Option<&mut [f64]> {
        self.prim.is_real().then_some(&mut self.reals)
    }

    /// The elements, if they are integers or truth values.
    #[must_use]
    pub fn as_integers(&self) -> Option<&[i64]> {
        (!self.prim.is_real()).then_some(&self.ints)
    }

    /// The elements, if they are integers or truth values, to be changed. What its kind has no room for,
    /// [`Compiled::run_into`](super::Compiled::run_into) refuses.
    pub fn as_integers_mut(&mut self) -> Option<&mut [i64]> {
        (!self.prim.is_real()).then_some(&mut self.ints)
    }

    /// The same as a value.
    #[must_use]
    pub fn to_value(&self) -> Value<f64> {
        let scalar = |n: &i64| match self.prim {
            Prim::Bool => Scalar::Bool(*n != 0),
            Prim::I32 => Scalar::I32(*n as i32),
            Prim::I64 | Prim::F32 | Prim::F64 => Scalar::I64(*n),
        };
        let elements = if self.prim.is_real() {
            self.reals.iter().copied().map(Scalar::Real).collect()
        } else {
            self.ints.iter().map(scalar).collect()
        };
        Value::array(&self.sizes, elements).expect("there are as many elements as the sizes say")
    }

    /// Checks that this is of the type of a parameter.
    pub(super) fn check(&self, name: &str, expected: Type) -> Result<()> {
        let fits = if expected.prim.is_real() { self.prim.is_real() } else { self.prim == expected.prim };
        let empty = self.reals.is_empty() && self.ints.is_empty();
        let error = |found| Err(Error::Argument { name: name.to_owned(), expected: expected.to_string(), found });
        if self.sizes.len() != expected.rank || !(fits || empty) {
            return error(Type::array(self.prim, self.sizes.len()).to_string());
        }
        let range: core::ops::RangeInclusive<i64> = match expected.prim {
            Prim::Bool => 0..=1,
            Prim::I32 => i32::MIN.into()..=i32::MAX.into(),
            Prim::I64 | Prim::F32 | Prim::F64 => return Ok(()),
        };
        self.ints.iter().find(|n| !range.contains(*n)).map_or(Ok(()), |n| error(format!("the integer {n}")))
    }

    /// What has these sizes, and elements of this kind that are yet to be put here.
    pub(super) fn become_like(&mut self, prim: Prim, sizes: impl Iterator<Item = usize>) {
        self.prim = prim;
        self.sizes.clear();
        self.sizes.extend(sizes);
    }
}

impl From<&Value<f64>> for Flat {
    fn from(value: &Value<f64>) -> Self {
        let mut flat = Flat { prim: Prim::F64, sizes: value.sizes().to_vec(), reals: Vec::new(), ints: Vec::new() };
        for element in value.elements() {
            let (prim, n) = match element {
                Scalar::Real(x) => {
                    flat.reals.push(*x);
                    continue;
                }
                Scalar::Bool(b) => (Prim::Bool, i64::from(*b)),
                Scalar::I32(n) => (Prim::I32, i64::from(*n)),
                Scalar::I64(n) => (Prim::I64, *n),
            };
            flat.prim = prim;
            flat.ints.push(n);
        }
        flat
    }
}

/// How many elements these sizes ask for.
fn count(sizes: &[usize]) -> Result<usize> {
    let count = sizes.iter().try_fold(1_usize, |n, size| n.checked_mul(*size));
    if sizes.contains(&0) { Ok(0) } else { count.ok_or(Error::TooLarge { what: "the array", limit: usize::MAX }) }
}
