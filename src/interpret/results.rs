//! Results of programs: values as plain numbers, arrays and `Vec`s, nested to any depth.
//!
//! Law: what comes out has the rank, the kind and the elements of the value, and made a value again it is the same;
//! anything else is an error that names both types (tests/array/trace_values.rs, tests/array/messages.rs).

use super::contiguous::count;
use super::value::{Scalar, Value};
use crate::array::{Prim, Type, for_integers};
use crate::error::{Error, Result};
use crate::primitives::f16;

/// What a value in the carrier `C` can become by its type alone: scalars, and arrays and `Vec`s of such, nested to any
/// depth.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no scalar of a program on `{C}`, and no nested array or `Vec` of such",
    note = "reals of a program are those of the carrier, `f64` if nothing else is said, its `f16` and `f32` too; `Program::run` takes values of any carrier"
)]
pub trait Unnested<C>: Sized {
    /// The number of dimensions.
    const RANK: usize;

    /// The kind of its scalars.
    const KIND: Prim;

    /// Whether scalars of a kind become its scalars.
    fn is_of(kind: Prim) -> bool {
        kind == Self::KIND
    }

    /// What has these sizes, as many as there are dimensions, and the next elements, of its kind.
    ///
    /// # Errors
    /// [`Error::Length`] if it is an array of another size.
    fn build(sizes: &[usize], elements: &mut dyn Iterator<Item = Scalar<C>>) -> Result<Self>;
}

/// As many rows are made of a value without any elements.
const MOST_EMPTY_ROWS: usize = 1 << 24;

/// Converts a value to the type that the caller wants.
fn unnested<C: Clone, T: Unnested<C>>(value: &Value<C>) -> Result<T> {
    let (sizes, elements) = (value.sizes(), value.elements());
    let of = value.elements().first().map_or(T::KIND, Scalar::prim);
    if sizes.len() != T::RANK || !T::is_of(of) {
        return Err(mismatch(value, T::RANK, T::KIND));
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

/// Of the iterator of an array's elements, which the sizes count.
const COUNTED: &str = "an array has as many elements of its kind as its sizes say";

macro_rules! conversions {
    ($([$($generics:tt)*] $T:ty as $C:ty;)+) => {$(
        impl<$($generics)*> TryFrom<Value<$C>> for $T {
            type Error = Error;
            fn try_from(value: Value<$C>) -> Result<Self> {
                unnested(&value)
            }
        }

        impl<$($generics)*> TryFrom<&Value<$C>> for $T {
            type Error = Error;
            fn try_from(value: &Value<$C>) -> Result<Self> {
                unnested(value)
            }
        }
    )+};
}

macro_rules! exact {
    ($($Variant:ident($T:ident))+) => {$(
        impl<C> Unnested<C> for $T {
            const RANK: usize = 0;
            const KIND: Prim = Prim::$Variant;
            fn build(_: &[usize], elements: &mut dyn Iterator<Item = Scalar<C>>) -> Result<Self> {
                let Some(Scalar::$Variant(x)) = elements.next() else { panic!("{COUNTED}") };
                Ok(x)
            }
        }

        conversions! { [C: Clone] $T as C; }
    )+};
}

for_integers! { exact!() Bool(bool) }

macro_rules! reals {
    ($($T:ident as $C:ident: $Kind:ident, $is_of:expr, $from:expr;)+) => {$(
        impl Unnested<$C> for $T {
            const RANK: usize = 0;
            const KIND: Prim = Prim::$Kind;
            fn is_of(kind: Prim) -> bool {
                let is_of: fn(Prim) -> bool = $is_of;
                is_of(kind)
            }
            fn build(_: &[usize], elements: &mut dyn Iterator<Item = Scalar<$C>>) -> Result<Self> {
                let from: fn($C) -> $T = $from;
                Ok(from(*elements.next().as_ref().and_then(Scalar::real).expect(COUNTED)))
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

impl<C, T: Unnested<C>> Unnested<C> for Vec<T> {
    const RANK: usize = T::RANK + 1;
    const KIND: Prim = T::KIND;
    fn is_of(kind: Prim) -> bool {
        T::is_of(kind)
    }
    fn build(sizes: &[usize], elements: &mut dyn Iterator<Item = Scalar<C>>) -> Result<Self> {
        (0..sizes[0]).map(|_| T::build(&sizes[1..], elements)).collect()
    }
}

impl<C, T: Unnested<C>, const N: usize> Unnested<C> for [T; N] {
    const RANK: usize = T::RANK + 1;
    const KIND: Prim = T::KIND;
    fn is_of(kind: Prim) -> bool {
        T::is_of(kind)
    }
    fn build(sizes: &[usize], elements: &mut dyn Iterator<Item = Scalar<C>>) -> Result<Self> {
        Error::lengths("the value of an array", N, sizes[0])?;
        let rows: Vec<T> = Unnested::build(sizes, elements)?;
        Ok(rows.try_into().unwrap_or_else(|_| panic!("{COUNTED}")))
    }
}

conversions! {
    [] f64 as f64;
    [] f32 as f32;
    [] f32 as f64;
    [] f16 as f64;
    [C: Clone, T: Unnested<C>] Vec<T> as C;
    [C: Clone, T: Unnested<C>, const N: usize] [T; N] as C;
}

/// What a result of a program on `f64` can be taken as: what is [`Unnested`], a [`Value`], or with the feature `ndarray` one of
/// its arrays.
#[diagnostic::on_unimplemented(
    message = "a result of a program cannot be taken as `{Self}`",
    note = "it can be as a scalar, as an array or `Vec`, nested as deep as it has dimensions, and as a `Value`"
)]
pub trait FromValue: Sized {
    /// The value as this.
    ///
    /// # Errors
    /// [`Error::Mismatch`] if it is of another type, [`Error::Length`] if it is of another size.
    fn from_value(value: Value<f64>) -> Result<Self>;
}

impl<T: Unnested<f64>> FromValue for T {
    fn from_value(value: Value<f64>) -> Result<Self> {
        unnested(&value)
    }
}

impl FromValue for Value<f64> {
    fn from_value(value: Value<f64>) -> Result<Self> {
        Ok(value)
    }
}

/// What the results of a program on `f64` can be taken as: one [result](FromValue), a tuple of up to eight, or all of them as
/// `Vec<Value<f64>>`.
#[diagnostic::on_unimplemented(
    message = "the results of a program cannot be taken as `{Self}`",
    note = "one result can be as a scalar, array or `Vec`, several as a tuple of such, and any number as `Vec<Value<f64>>`"
)]
pub trait FromValues: Sized {
    /// The values as this.
    ///
    /// # Errors
    /// [`Error::Length`] if there are more or fewer, and as for [`FromValue::from_value`].
    fn from_values(values: Vec<Value<f64>>) -> Result<Self>;
}

/// The next of several results.
fn next<R: FromValue>(values: &mut impl Iterator<Item = (usize, Value<f64>)>) -> Result<R> {
    let (position, value) = values.next().expect("the results have been counted");
    R::from_value(value).map_err(|error| match error {
        Error::Mismatch { expected, found, .. } => {
            Error::Mismatch { what: format!("result {position}"), expected, found }
        }
        other => other,
    })
}

impl<R: FromValue> FromValues for R {
    fn from_values(values: Vec<Value<f64>>) -> Result<Self> {
        let (result,) = FromValues::from_values(values)?;
        Ok(result)
    }
}

impl FromValues for Vec<Value<f64>> {
    fn from_values(values: Vec<Value<f64>>) -> Result<Self> {
        Ok(values)
    }
}

macro_rules! tuples {
    ($($n:literal ($($R:ident),+);)+) => {$(
        impl<$($R: FromValue),+> FromValues for ($($R,)+) {
            fn from_values(values: Vec<Value<f64>>) -> Result<Self> {
                Error::lengths("the list of results asked for", values.len(), $n)?;
                let mut values = values.into_iter().enumerate();
                Ok(($(next::<$R>(&mut values)?,)+))
            }
        }
    )+};
}

tuples! {
    1 (R);
    2 (R, S);
    3 (R, S, T);
    4 (R, S, T, U);
    5 (R, S, T, U, V);
    6 (R, S, T, U, V, W);
    7 (R, S, T, U, V, W, X);
    8 (R, S, T, U, V, W, X, Y);
}
