//! Arguments and results as they lie in memory, for runs that convert and allocate nothing.
//!
//! Law: there are as many elements as the sizes say, in the order of a [`Value`]; made a value and back it is the same
//! (tests/execute/into.rs).

use crate::array::{Const, Prim, Type};
use crate::error::{Error, Result};
use crate::interpret::{Scalar, Value};

/// A scalar or an array: its sizes, and its elements in a row, the last dimension running fastest.
///
/// Those of other kinds than `f64` and `i64` are made from a [`Value`]. Reals are here as doubles, integers as `i64`: a `u64` by
/// its bits.
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
    /// Integers, those of kind `u64` by their bits, and truth values as 0 and 1.
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
        let scalar = |n: &i64| Scalar::constant(Const::wrapped((*n).into(), self.prim), |x| x);
        let elements = if self.prim.is_real() {
            self.reals.iter().map(|x| Scalar::of_real(self.prim, *x)).collect()
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
        // A `u64` is here by its bits.
        let fits = |n: &i64| match expected.prim {
            Prim::I64 | Prim::U64 => true,
            prim => Const::wrapped((*n).into(), prim).integer() == Some((*n).into()),
        };
        self.ints.iter().find(|n| !fits(n)).map_or(Ok(()), |n| error(format!("the integer {n}")))
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
            flat.prim = element.prim();
            flat.reals.extend(element.real());
            flat.ints.extend(element.exact().and_then(Const::integer).map(|n| n as i64));
        }
        flat
    }
}

/// How many elements these sizes ask for.
fn count(sizes: &[usize]) -> Result<usize> {
    let count = sizes.iter().try_fold(1_usize, |n, size| n.checked_mul(*size));
    if sizes.contains(&0) { Ok(0) } else { count.ok_or(Error::TooLarge { what: "the array", limit: usize::MAX }) }
}
