//! Arguments and results as they lie in memory, for runs that convert and allocate nothing.
//!
//! Law: there are as many elements as the sizes say, in the order of a [`Value`]; made a value and back it is the same
//! (tests/execute/into.rs).

use crate::array::{Const, Prim, Type};
use crate::error::{Error, Result};
use crate::interpret::{Scalar, Value};
use crate::primitives::f16;

/// A scalar or an array: its sizes, and its elements in a row, the last dimension running fastest.
///
/// Those of other kinds than `f64`, `f32` and `i64` are made from a [`Value`]. Integers are here as `i64`: a `u64` by its bits, and
/// reals of half precision as doubles, which have them exactly.
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
    /// Reals of kind `f64`, and of kind `f16` the same numbers; and those of kind `f32`.
    pub(super) reals: Vec<f64>,
    pub(super) singles: Vec<f32>,
    /// Integers, those of kind `u64` by their bits, and truth values as 0 and 1.
    pub(super) ints: Vec<i64>,
}

/// The elements of a [`Flat`].
#[derive(Debug, Clone, PartialEq)]
pub enum Elements {
    /// Doubles, and halves as doubles.
    Reals(Vec<f64>),
    /// Singles.
    Singles(Vec<f32>),
    /// Integers, those of kind `u64` by their bits, and truth values as 0 and 1.
    Integers(Vec<i64>),
}

/// A scalar or an array in memory that somebody else has, as a run reads it: what a [`Flat`] is without being the owner.
///
/// ```
/// use catadiff::array::{Program, trace::{Arr, F64}};
/// use catadiff::execute::Lent;
/// use catadiff::interpret::Control;
/// let dot = Program::trace(|x: Arr<F64>, y: Arr<F64>| x.dot(y))?.compile()?;
/// let (x, y, mut results) = ([1.0, 2.0], [3.0, 4.0], Vec::new());
/// dot.run_lent(&[Lent::reals(&[2], &x)?, Lent::reals(&[2], &y)?], &mut results, Control::default())?;
/// assert_eq!(results[0].as_reals(), Some(&[11.0][..]));
/// # Ok::<(), catadiff::Error>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Lent<'a> {
    pub(super) prim: Prim,
    pub(super) sizes: &'a [usize],
    pub(super) reals: &'a [f64],
    pub(super) singles: &'a [f32],
    pub(super) ints: &'a [i64],
}

impl<'a> Lent<'a> {
    /// Reals of these sizes; a scalar if there are none.
    ///
    /// # Errors
    /// [`Error::Length`] if there are more or fewer than the sizes ask for.
    pub fn reals(sizes: &'a [usize], reals: &'a [f64]) -> Result<Self> {
        Error::lengths("the list of elements", count(sizes)?, reals.len())?;
        Ok(Lent { prim: Prim::F64, sizes, reals, singles: &[], ints: &[] })
    }

    /// Reals of single precision, of these sizes; a scalar if there are none.
    ///
    /// # Errors
    /// [`Error::Length`] if there are more or fewer than the sizes ask for.
    pub fn singles(sizes: &'a [usize], singles: &'a [f32]) -> Result<Self> {
        Error::lengths("the list of elements", count(sizes)?, singles.len())?;
        Ok(Lent { prim: Prim::F32, sizes, reals: &[], singles, ints: &[] })
    }

    /// Integers, of kind `i64`, of these sizes; a scalar if there are none.
    ///
    /// # Errors
    /// [`Error::Length`] if there are more or fewer than the sizes ask for.
    pub fn integers(sizes: &'a [usize], ints: &'a [i64]) -> Result<Self> {
        Error::lengths("the list of elements", count(sizes)?, ints.len())?;
        Ok(Lent { prim: Prim::I64, sizes, reals: &[], singles: &[], ints })
    }

    /// The same as a value.
    #[must_use]
    pub fn to_value(self) -> Value<f64> {
        let scalar = |n: &i64| Scalar::constant(Const::wrapped((*n).into(), self.prim), |x| x);
        let elements = match self.prim {
            Prim::F32 => self.singles.iter().map(|x| Scalar::F32((*x).into())).collect(),
            prim if prim.is_real() => self.reals.iter().map(|x| Scalar::of_real(prim, *x)).collect(),
            _ => self.ints.iter().map(scalar).collect(),
        };
        Value::array(self.sizes, elements).expect("there are as many elements as the sizes say")
    }

    /// Checks that this is of the type of a parameter.
    pub(super) fn check(self, name: &str, expected: Type) -> Result<()> {
        let fits = if expected.prim.is_real() { self.prim.is_real() } else { self.prim == expected.prim };
        let empty = self.reals.is_empty() && self.singles.is_empty() && self.ints.is_empty();
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

    /// The elements, if they are of kind `f32`.
    pub(super) fn as_singles(self) -> Option<&'a [f32]> {
        (self.prim == Prim::F32).then_some(self.singles)
    }

    /// The real at a place.
    pub(super) fn real(self, at: usize) -> Option<f64> {
        self.reals.get(at).copied().or_else(|| self.singles.get(at).map(|x| (*x).into()))
    }
}

impl Default for Flat {
    /// An array of no reals.
    fn default() -> Self {
        Flat::empty(Prim::F64, vec![0])
    }
}

impl Flat {
    /// An array of reals of these sizes; a scalar if there are none.
    ///
    /// # Errors
    /// [`Error::Length`] if there are more or fewer than the sizes ask for.
    pub fn reals(sizes: &[usize], reals: Vec<f64>) -> Result<Self> {
        Error::lengths("the list of elements", count(sizes)?, reals.len())?;
        Ok(Flat { reals, ..Flat::empty(Prim::F64, sizes.to_vec()) })
    }

    /// An array of reals of single precision, of these sizes; a scalar if there are none.
    ///
    /// ```
    /// use catadiff::array::Program;
    /// use catadiff::execute::Flat;
    /// let squares = Program::parse("program (xs: []f32) {
    ///     let ys: []f32 = map (xs) |x: f32| {
    ///         let y: f32 = mul(x, x)
    ///         return y
    ///     }
    ///     return ys
    /// }")?;
    /// let mut results = Vec::new();
    /// squares.compile()?.run_into(&[Flat::singles(&[2], vec![3.0, 0.5])?], &mut results)?;
    /// assert_eq!(results[0].as_singles(), Some(&[9.0, 0.25][..]));
    /// # Ok::<(), catadiff::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Length`] if there are more or fewer than the sizes ask for.
    pub fn singles(sizes: &[usize], singles: Vec<f32>) -> Result<Self> {
        Error::lengths("the list of elements", count(sizes)?, singles.len())?;
        Ok(Flat { singles, ..Flat::empty(Prim::F32, sizes.to_vec()) })
    }

    /// An array of integers, of kind `i64`, of these sizes; a scalar if there are none.
    ///
    /// # Errors
    /// [`Error::Length`] if there are more or fewer than the sizes ask for.
    pub fn integers(sizes: &[usize], ints: Vec<i64>) -> Result<Self> {
        Error::lengths("the list of elements", count(sizes)?, ints.len())?;
        Ok(Flat { ints, ..Flat::empty(Prim::I64, sizes.to_vec()) })
    }

    /// An array of integers or truth values of a kind, of these sizes; a scalar if there are none. Those of kind `u64` are here by their
    /// bits, truth values as 0 and 1.
    ///
    /// # Errors
    /// [`Error::Length`] if there are more or fewer than the sizes ask for, [`Error::Argument`] for a kind of reals.
    pub fn exact(prim: Prim, sizes: &[usize], ints: Vec<i64>) -> Result<Self> {
        if prim.is_real() {
            let (expected, found) = ("a kind of integers or truth values".into(), prim.to_string());
            return Err(Error::Argument { name: "kind of the elements".into(), expected, found });
        }
        Error::lengths("the list of elements", count(sizes)?, ints.len())?;
        Ok(Flat { ints, ..Flat::empty(prim, sizes.to_vec()) })
    }

    /// An array of reals of half precision, given as doubles and rounded, of these sizes; a scalar if there are none.
    ///
    /// # Errors
    /// [`Error::Length`] if there are more or fewer than the sizes ask for.
    pub fn halves(sizes: &[usize], halves: impl Iterator<Item = f64>) -> Result<Self> {
        let reals: Vec<f64> = halves.map(|x| f16::from_f64(x).into()).collect();
        Error::lengths("the list of elements", count(sizes)?, reals.len())?;
        Ok(Flat { reals, ..Flat::empty(Prim::F16, sizes.to_vec()) })
    }

    /// The kind of the elements.
    #[must_use]
    pub fn prim(&self) -> Prim {
        self.prim
    }

    /// The elements in the memory that they are in.
    ///
    /// ```
    /// use catadiff::execute::{Elements, Flat};
    /// assert_eq!(Flat::reals(&[2], vec![1.0, 2.0])?.into_elements(), Elements::Reals(vec![1.0, 2.0]));
    /// # Ok::<(), catadiff::Error>(())
    /// ```
    #[must_use]
    pub fn into_elements(self) -> Elements {
        match self.prim {
            Prim::F32 => Elements::Singles(self.singles),
            prim if prim.is_real() => Elements::Reals(self.reals),
            _ => Elements::Integers(self.ints),
        }
    }

    /// Elements of a kind, as they lie here: as many of these as the sizes ask for, and none of the others.
    #[cfg(feature = "futhark")]
    pub(crate) fn of(prim: Prim, sizes: &[usize], reals: Vec<f64>, singles: Vec<f32>, ints: Vec<i64>) -> Result<Self> {
        Error::lengths("the list of elements", count(sizes)?, reals.len() + singles.len() + ints.len())?;
        Ok(Flat { prim, sizes: sizes.to_vec(), reals, singles, ints })
    }

    /// The elements: doubles and halves, singles, and all others, of which one list at most has any.
    #[cfg(feature = "futhark")]
    pub(crate) fn parts(&self) -> (&[f64], &[f32], &[i64]) {
        (&self.reals, &self.singles, &self.ints)
    }

    /// The sizes, outermost first; none for a scalar.
    #[must_use]
    pub fn sizes(&self) -> &[usize] {
        &self.sizes
    }

    /// The elements, if they are of kind `f64`.
    #[must_use]
    pub fn as_reals(&self) -> Option<&[f64]> {
        (self.prim == Prim::F64).then_some(&self.reals)
    }

    /// The elements, if they are of kind `f64`, to be changed.
    pub fn as_reals_mut(&mut self) -> Option<&mut [f64]> {
        (self.prim == Prim::F64).then_some(&mut self.reals)
    }

    /// The elements, if they are of kind `f32`.
    #[must_use]
    pub fn as_singles(&self) -> Option<&[f32]> {
        (self.prim == Prim::F32).then_some(&self.singles)
    }

    /// The elements, if they are of kind `f32`, to be changed.
    pub fn as_singles_mut(&mut self) -> Option<&mut [f32]> {
        (self.prim == Prim::F32).then_some(&mut self.singles)
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
        self.lent().to_value()
    }

    /// The same, read where it is.
    #[must_use]
    pub fn lent(&self) -> Lent<'_> {
        let Flat { prim, sizes, reals, singles, ints } = self;
        Lent { prim: *prim, sizes, reals, singles, ints }
    }

    /// Says the kind of what has no elements.
    pub(super) fn of_kind_if_empty(&mut self, kind: Prim) {
        if self.reals.is_empty() && self.singles.is_empty() && self.ints.is_empty() {
            self.prim = kind;
        }
    }

    /// What has these sizes, and elements of this kind that are yet to be put here.
    pub(super) fn become_like(&mut self, prim: Prim, sizes: impl Iterator<Item = usize>) {
        self.prim = prim;
        self.sizes.clear();
        self.sizes.extend(sizes);
    }

    /// Keeps the first elements of this kind alone, of which there are `count`.
    #[cfg(feature = "native")]
    pub(super) fn keep(&mut self, prim: Prim, count: usize) {
        let [mut reals, mut singles, mut ints] = [0; 3];
        match prim {
            Prim::F32 => singles = count,
            prim if prim.is_real() => reals = count,
            _ => ints = count,
        }
        self.reals.truncate(reals);
        self.singles.truncate(singles);
        self.ints.truncate(ints);
    }

    /// What has no elements, in the memory that there is.
    pub(super) fn clear(&mut self) {
        self.become_like(self.prim, core::iter::once(0));
        self.reals.clear();
        self.singles.clear();
        self.ints.clear();
    }

    /// Puts reals here, in the precision of this kind.
    pub(super) fn fill_reals(&mut self, reals: impl Iterator<Item = f64>) {
        self.reals.clear();
        self.singles.clear();
        match self.prim {
            Prim::F32 => self.singles.extend(reals.map(|x| x as f32)),
            _ => self.reals.extend(reals),
        }
    }

    fn empty(prim: Prim, sizes: Vec<usize>) -> Self {
        Flat { prim, sizes, reals: Vec::new(), singles: Vec::new(), ints: Vec::new() }
    }
}

impl From<&Value<f64>> for Flat {
    fn from(value: &Value<f64>) -> Self {
        let mut flat = Flat::empty(Prim::F64, value.sizes().to_vec());
        for element in value.elements() {
            flat.prim = element.prim();
            match (flat.prim, element.real()) {
                (Prim::F32, Some(x)) => flat.singles.push(*x as f32),
                (prim, real) => flat.reals.extend(real.and_then(|x| Const::rounded(*x, prim).real())),
            }
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
