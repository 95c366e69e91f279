//! Results of programs: values as plain numbers, arrays and `Vec`s, nested to any depth, tuples and structures.
//!
//! Law: what comes out has the rank, the kind and the elements of the value, and made a value again it is the same;
//! anything else is an error that names both types. Parts take the values in order (tests/array/trace_values.rs,
//! tests/array/messages.rs, tests/array/nests.rs).

use super::arguments::lengthened;
use super::contiguous::count;
use super::value::{Scalar, Value};
use crate::array::{Prim, Type, for_integers};
use crate::error::{Error, Result};
use crate::primitives::f16;

/// What values in the carrier `C` can become by its type alone: scalars; arrays and `Vec`s of such, nested to any depth, each of one
/// value; a [`Value`], or with the features `ndarray` and `nalgebra` one of their arrays or matrices; and what has such parts: tuples, arrays and `Vec`s of what has
/// parts, and structures with `#[derive(Nest)]` (feature `derive`), to any depth.
///
/// ```
/// use catadiff::interpret::{FromValues, Value};
/// let values: [Value<f64>; 3] = [Value::new([[1.0, 2.0]])?, 3.0.into(), 4_i64.into()];
/// let (matrix, (x, n)): (Vec<Vec<f64>>, (f64, i64)) = FromValues::from_values(values.to_vec())?;
/// assert_eq!((matrix, x, n), (vec![vec![1.0, 2.0]], 3.0, 4));
/// # Ok::<(), catadiff::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "the results of a program on `{C}` cannot be taken as `{Self}`",
    note = "a result can be as a scalar, as an array or `Vec`, nested as deep as it has dimensions, and as a `Value`; several as a tuple of up to twelve of such, as `Vec<Value<f64>>`, and as structures with `#[derive(Nest)]`",
    note = "reals of a program are those of the carrier, `f64` if nothing else is said, its `f16` and `f32` too"
)]
pub trait FromValues<C = f64>: Sized {
    /// The number of dimensions of what is of one value; none of what is a [`Value`] or has parts. A list of the former is of one, too.
    const RANK: Option<usize> = None;

    /// The kind of the scalars of what is of one value.
    const KIND: Prim = Prim::F64;

    /// How many values it is of, if the type says so: not that of a `Vec` of what has parts.
    const COUNT: Option<usize>;

    /// Whether scalars of a kind become its scalars.
    fn is_of(kind: Prim) -> bool {
        kind == Self::KIND
    }

    /// What has these sizes, as many as there are dimensions, and the next elements, of its kind.
    ///
    /// # Errors
    /// [`Error::Length`] if it is an array of another size.
    fn build(sizes: &[usize], elements: &mut dyn Iterator<Item = Scalar<C>>) -> Result<Self> {
        let (_, _) = (sizes, elements);
        unreachable!("what has parts is no part of an array")
    }

    /// What the next values are. Of a `Vec` of what has parts there are as many as in the one that it is to be like, or else as values
    /// are left.
    ///
    /// # Errors
    /// [`Error::Mismatch`] if a value is of another type, [`Error::Length`] if it is of another size, or if there are too few.
    fn take_from(values: &mut Results<C>, like: Option<&Self>) -> Result<Self>;

    /// What the values are.
    ///
    /// # Errors
    /// As for [`take_from`](FromValues::take_from), and [`Error::Length`] if there are too many.
    fn from_values(values: Vec<Value<C>>) -> Result<Self> {
        Results::of(values).all(None)
    }

    /// What the values are, with `Vec`s as long as they are here.
    ///
    /// # Errors
    /// As for [`from_values`](FromValues::from_values).
    fn like_values(&self, values: Vec<Value<C>>) -> Result<Self> {
        Results::of(values).all(Some(self))
    }
}

/// The results of a program that have not been taken yet.
#[derive(Debug)]
pub struct Results<C = f64> {
    count: usize,
    left: std::vec::IntoIter<Value<C>>,
}

/// What the lengths of lists of results are about.
const ASKED_FOR: &str = "the list of results asked for";

impl<C> Results<C> {
    fn of(values: Vec<Value<C>>) -> Self {
        Results { count: values.len(), left: values.into_iter() }
    }

    fn all<R: FromValues<C>>(mut self, like: Option<&R>) -> Result<R> {
        if let Some(found) = R::COUNT {
            Error::lengths(ASKED_FOR, self.count, found)?;
        }
        let all = R::take_from(&mut self, like)?;
        Error::lengths(ASKED_FOR, self.count, self.count - self.left.len())?;
        Ok(all)
    }

    /// What the first values are, whatever comes after them.
    pub(crate) fn first<R: FromValues<C>>(values: Vec<Value<C>>, like: Option<&R>) -> Result<R> {
        R::take_from(&mut Results::of(values), like)
    }

    /// The next value, as something that is of one.
    pub(crate) fn one<R>(&mut self, convert: impl FnOnce(Value<C>) -> Result<R>) -> Result<R> {
        let position = self.count - self.left.len();
        let (expected, found) = (self.count, self.count + 1);
        let value = self.left.next().ok_or(Error::Length { what: ASKED_FOR, expected, found })?;
        convert(value).map_err(|error| match error {
            Error::Mismatch { expected, found, .. } => {
                Error::Mismatch { what: format!("result {position}"), expected, found }
            }
            other => other,
        })
    }
}

/// How many values several parts are of.
#[doc(hidden)]
#[must_use]
pub const fn total(counts: &[Option<usize>]) -> Option<usize> {
    let (mut all, mut k) = (0, 0);
    while k < counts.len() {
        match counts[k] {
            Some(count) => all += count,
            None => return None,
        }
        k += 1;
    }
    Some(all)
}

/// As many rows are made of a value without any elements.
const MOST_EMPTY_ROWS: usize = 1 << 24;

/// Converts a value to the type that the caller wants, of this number of dimensions.
fn unnested<C: Clone, T: FromValues<C>>(value: &Value<C>, rank: usize) -> Result<T> {
    let (sizes, elements) = (value.sizes(), value.elements());
    let of = value.elements().first().map_or(T::KIND, Scalar::prim);
    if sizes.len() != rank || !T::is_of(of) {
        return Err(mismatch(value, rank, T::KIND));
    }
    // Rows without elements can be any number, at no cost to the program.
    let rows = count(&sizes[..sizes.len().saturating_sub(1)]);
    if elements.is_empty() && rows.is_none_or(|rows| rows > MOST_EMPTY_ROWS) {
        return Err(Error::TooLarge { what: "the number of empty rows", limit: MOST_EMPTY_ROWS });
    }
    T::build(sizes, &mut elements.iter().cloned())
}

/// The error of a value that was wanted with this rank, or scalars of this kind.
pub(crate) fn mismatch<C>(value: &Value<C>, rank: usize, kind: Prim) -> Error {
    let (expected, found) = (Type::array(kind, rank).to_string(), value.type_like(kind).to_string());
    Error::Mismatch { what: "the value".into(), expected, found }
}

/// Why there is no conversion of a value.
const PARTS: &str = "what has parts is made of a list of values, by `FromValues::from_values`";

/// Of the iterator of an array's elements, which the sizes count.
const COUNTED: &str = "an array has as many elements of its kind as its sizes say";

macro_rules! conversions {
    ($([$($generics:tt)*] $T:ty as $C:ty;)+) => {$(
        impl<$($generics)*> TryFrom<Value<$C>> for $T {
            type Error = Error;
            fn try_from(value: Value<$C>) -> Result<Self> {
                (&value).try_into()
            }
        }

        impl<$($generics)*> TryFrom<&Value<$C>> for $T {
            type Error = Error;
            fn try_from(value: &Value<$C>) -> Result<Self> {
                unnested(value, const { <$T as FromValues<$C>>::RANK.expect(PARTS) })
            }
        }
    )+};
}

macro_rules! exact {
    ($($Variant:ident($T:ident))+) => {$(
        impl<C: Clone> FromValues<C> for $T {
            const RANK: Option<usize> = Some(0);
            const COUNT: Option<usize> = Some(1);
            const KIND: Prim = Prim::$Variant;
            fn build(_: &[usize], elements: &mut dyn Iterator<Item = Scalar<C>>) -> Result<Self> {
                let Some(Scalar::$Variant(x)) = elements.next() else { panic!("{COUNTED}") };
                Ok(x)
            }
            fn take_from(values: &mut Results<C>, _: Option<&Self>) -> Result<Self> {
                values.one(|value| unnested(&value, 0))
            }
        }

        conversions! { [C: Clone] $T as C; }
    )+};
}

for_integers! { exact!() Bool(bool) }

macro_rules! reals {
    ($($T:ident as $C:ident: $Kind:ident, $is_of:expr, $from:expr;)+) => {$(
        impl FromValues<$C> for $T {
            const RANK: Option<usize> = Some(0);
            const COUNT: Option<usize> = Some(1);
            const KIND: Prim = Prim::$Kind;
            fn is_of(kind: Prim) -> bool {
                let is_of: fn(Prim) -> bool = $is_of;
                is_of(kind)
            }
            fn build(_: &[usize], elements: &mut dyn Iterator<Item = Scalar<$C>>) -> Result<Self> {
                let from: fn($C) -> $T = $from;
                Ok(from(*elements.next().as_ref().and_then(Scalar::real).expect(COUNTED)))
            }
            fn take_from(values: &mut Results<$C>, _: Option<&Self>) -> Result<Self> {
                values.one(|value| unnested(&value, 0))
            }
        }
    )+};
}

reals! {
    // What has fewer digits has them in more as well, and a carrier of singles has no other reals.
    f64 as f64: F64, Prim::is_real, |x| x;
    f32 as f32: F32, Prim::is_real, |x| x;
    f32 as f64: F32, |kind| kind.is_real() && kind != Prim::F64, |x| x as f32;
    f16 as f64: F16, |kind| kind == Prim::F16, f16::from_f64;
}

impl<C: Clone, T: FromValues<C>> FromValues<C> for Vec<T> {
    const RANK: Option<usize> = lengthened(T::RANK);
    const KIND: Prim = T::KIND;
    const COUNT: Option<usize> = if T::RANK.is_some() { Some(1) } else { None };
    fn is_of(kind: Prim) -> bool {
        T::is_of(kind)
    }
    fn build(sizes: &[usize], elements: &mut dyn Iterator<Item = Scalar<C>>) -> Result<Self> {
        (0..sizes[0]).map(|_| T::build(&sizes[1..], elements)).collect()
    }
    fn take_from(values: &mut Results<C>, like: Option<&Self>) -> Result<Self> {
        if let Some(rank) = Self::RANK {
            return values.one(|value| unnested(&value, rank));
        }
        if let Some(like) = like {
            return like.iter().map(|like| T::take_from(values, Some(like))).collect();
        }
        let mut parts = Vec::new();
        // What is of no values could be there any number of times.
        while T::COUNT != Some(0) && values.left.len() > 0 {
            parts.push(T::take_from(values, None)?);
        }
        Ok(parts)
    }
}

impl<C: Clone, T: FromValues<C>, const N: usize> FromValues<C> for [T; N] {
    const RANK: Option<usize> = lengthened(T::RANK);
    const KIND: Prim = T::KIND;
    const COUNT: Option<usize> = match (T::RANK, T::COUNT) {
        (Some(_), _) => Some(1),
        (None, Some(count)) => Some(count * N),
        (None, None) => None,
    };
    fn is_of(kind: Prim) -> bool {
        T::is_of(kind)
    }
    fn build(sizes: &[usize], elements: &mut dyn Iterator<Item = Scalar<C>>) -> Result<Self> {
        Error::lengths("the value of an array", N, sizes[0])?;
        let rows: Vec<T> = FromValues::build(sizes, elements)?;
        Ok(rows.try_into().unwrap_or_else(|_| panic!("{COUNTED}")))
    }
    fn take_from(values: &mut Results<C>, like: Option<&Self>) -> Result<Self> {
        if let Some(rank) = Self::RANK {
            return values.one(|value| unnested(&value, rank));
        }
        let parts: Vec<T> = (0..N).map(|k| T::take_from(values, like.map(|like| &like[k]))).collect::<Result<_>>()?;
        Ok(parts.try_into().unwrap_or_else(|_| panic!("{COUNTED}")))
    }
}

conversions! {
    [] f64 as f64;
    [] f32 as f32;
    [] f32 as f64;
    [] f16 as f64;
    [C: Clone, T: FromValues<C>] Vec<T> as C;
    [C: Clone, T: FromValues<C>, const N: usize] [T; N] as C;
}

impl<C> FromValues<C> for Value<C> {
    const COUNT: Option<usize> = Some(1);
    fn take_from(values: &mut Results<C>, _: Option<&Self>) -> Result<Self> {
        values.one(Ok)
    }
}

/// No value.
impl<C> FromValues<C> for () {
    const COUNT: Option<usize> = Some(0);
    fn take_from(_: &mut Results<C>, _: Option<&Self>) -> Result<Self> {
        Ok(())
    }
}

macro_rules! tuples {
    ($(($($R:ident $k:tt),+);)+) => {$(
        impl<C, $($R: FromValues<C>),+> FromValues<C> for ($($R,)+) {
            const COUNT: Option<usize> = total(&[$($R::COUNT),+]);
            fn take_from(values: &mut Results<C>, like: Option<&Self>) -> Result<Self> {
                Ok(($($R::take_from(values, like.map(|like| &like.$k))?,)+))
            }
        }
    )+};
}

tuples! {
    (R 0);
    (R 0, S 1);
    (R 0, S 1, T 2);
    (R 0, S 1, T 2, U 3);
    (R 0, S 1, T 2, U 3, V 4);
    (R 0, S 1, T 2, U 3, V 4, W 5);
    (R 0, S 1, T 2, U 3, V 4, W 5, X 6);
    (R 0, S 1, T 2, U 3, V 4, W 5, X 6, Y 7);
    (R 0, S 1, T 2, U 3, V 4, W 5, X 6, Y 7, Z 8);
    (R 0, S 1, T 2, U 3, V 4, W 5, X 6, Y 7, Z 8, O 9);
    (R 0, S 1, T 2, U 3, V 4, W 5, X 6, Y 7, Z 8, O 9, P 10);
    (R 0, S 1, T 2, U 3, V 4, W 5, X 6, Y 7, Z 8, O 9, P 10, Q 11);
}
