//! Arguments of programs: plain numbers, slices, arrays and `Vec`s, nested to any depth, as values.
//!
//! Law: a value has the sizes and the elements of what it is made of, in order; rows of different lengths are an error
//! that names both. The way back is [`FromValue`](super::FromValue) (tests/array/interpret.rs,
//! tests/array/trace_values.rs).

use super::value::{Array, Scalar, Value};
use crate::array::for_integers;
use crate::error::{Error, Result};
use crate::primitives::f16;

/// What can be made a value in the carrier `C` by its type alone: scalars, and slices, arrays and `Vec`s of such, nested
/// to any depth, or references to these.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no scalar of a program on `{C}`, and no nested slice, array or `Vec` of such",
    note = "reals of a program are those of the carrier, `f64` if nothing else is said, its `f16` and `f32` too; `Program::run` takes values of any carrier"
)]
pub trait Nested<C> {
    /// The number of dimensions.
    const RANK: usize;

    /// Adds the elements in order, and fills in the sizes, as many as there are dimensions, that are not known yet.
    ///
    /// # Errors
    /// [`Error::Length`] if a row has another size than those before it.
    fn gather(&self, sizes: &mut [Option<usize>], elements: &mut Vec<Scalar<C>>) -> Result<()>;
}

/// The value of what is nested.
pub(super) fn value<C, T: Nested<C> + ?Sized>(nested: &T) -> Result<Value<C>> {
    let (mut sizes, mut elements) = (vec![None; T::RANK], Vec::new());
    nested.gather(&mut sizes, &mut elements)?;
    if T::RANK == 0 {
        return Ok(Value::Scalar(elements.pop().expect("a scalar has one element")));
    }
    // A size that no row has shown is that of no row.
    let sizes: Vec<usize> = sizes.into_iter().map(Option::unwrap_or_default).collect();
    Ok(Value::Array(Array::new(sizes, elements)))
}

macro_rules! scalars {
    ($([$($generics:tt)*] $T:ty as $C:ty: $Variant:ident;)+) => {$(
        impl$($generics)* Nested<$C> for $T {
            const RANK: usize = 0;
            fn gather(&self, _: &mut [Option<usize>], elements: &mut Vec<Scalar<$C>>) -> Result<()> {
                elements.push(Scalar::$Variant((*self).into()));
                Ok(())
            }
        }

        impl$($generics)* From<$T> for Value<$C> {
            fn from(scalar: $T) -> Self {
                Value::Scalar(Scalar::$Variant(scalar.into()))
            }
        }
    )+};
}

scalars! {
    [] f64 as f64: F64;
    [] f32 as f32: F32;
    // Numbers of fewer digits, of programs that are run on doubles.
    [] f32 as f64: F32;
    [] f16 as f64: F16;
}

macro_rules! exact {
    ($($Variant:ident($T:ident))+) => { scalars! { $([<C>] $T as C: $Variant;)+ } };
}

for_integers! { exact!() Bool(bool) }

/// A size or an index, which in programs is an `i64`.
impl<C> Nested<C> for usize {
    const RANK: usize = 0;
    fn gather(&self, _: &mut [Option<usize>], elements: &mut Vec<Scalar<C>>) -> Result<()> {
        let limit = usize::try_from(i64::MAX).unwrap_or(usize::MAX);
        let n = i64::try_from(*self).map_err(|_| Error::TooLarge { what: "an integer", limit })?;
        elements.push(Scalar::I64(n));
        Ok(())
    }
}

impl<C, T: Nested<C>> Nested<C> for [T] {
    const RANK: usize = T::RANK + 1;
    fn gather(&self, sizes: &mut [Option<usize>], elements: &mut Vec<Scalar<C>>) -> Result<()> {
        let (own, inner) = sizes.split_first_mut().expect("there are as many sizes as dimensions");
        Error::lengths("a row of an array", *own.get_or_insert(self.len()), self.len())?;
        self.iter().try_for_each(|row| row.gather(inner, elements))
    }
}

macro_rules! same_as {
    ($([$($generics:tt)*] $T:ty as $Inner:ty;)+) => {$(
        impl<C, $($generics)*> Nested<C> for $T {
            const RANK: usize = <$Inner as Nested<C>>::RANK;
            fn gather(&self, sizes: &mut [Option<usize>], elements: &mut Vec<Scalar<C>>) -> Result<()> {
                <$Inner as Nested<C>>::gather(self, sizes, elements)
            }
        }
    )+};
}

same_as! {
    [T: Nested<C>] Vec<T> as [T];
    [T: Nested<C>, const N: usize] [T; N] as [T];
    [T: Nested<C> + ?Sized] &T as T;
}

/// An argument of a program on `f64`: what is [nested](Nested), a [`Value`] or a reference to one, or with the feature `ndarray`
/// one of its arrays or views.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an argument",
    note = "scalars are; slices, arrays and `Vec`s of them, nested to any depth, and references to these; and `Value`s"
)]
pub trait ToValue {
    /// The argument as a value.
    ///
    /// # Errors
    /// [`Error::Length`] if rows have different sizes, [`Error::TooLarge`] if an integer is.
    fn to_value(&self) -> Result<Value<f64>>;
}

impl<T: Nested<f64>> ToValue for T {
    fn to_value(&self) -> Result<Value<f64>> {
        value(self)
    }
}

impl ToValue for Value<f64> {
    fn to_value(&self) -> Result<Value<f64>> {
        Ok(self.clone())
    }
}

impl ToValue for &Value<f64> {
    fn to_value(&self) -> Result<Value<f64>> {
        Ok((*self).clone())
    }
}

/// The arguments of a program on `f64`: one [argument](ToValue), a tuple of up to eight, or a slice of [`Value`]s.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a list of arguments",
    note = "one argument is, and a tuple of up to eight of any types, and a slice of `Value`s"
)]
pub trait ToValues {
    /// The arguments as values.
    ///
    /// # Errors
    /// As for [`ToValue::to_value`].
    fn to_values(&self) -> Result<Vec<Value<f64>>>;
}

impl<A: ToValue> ToValues for A {
    fn to_values(&self) -> Result<Vec<Value<f64>>> {
        Ok(vec![self.to_value()?])
    }
}

macro_rules! lists {
    ($([$($generics:tt)*] $List:ty;)+) => {$(
        impl<$($generics)*> ToValues for $List {
            fn to_values(&self) -> Result<Vec<Value<f64>>> {
                Ok(self[..].to_vec())
            }
        }
    )+};
}

lists! {
    [] &[Value<f64>];
    [] Vec<Value<f64>>;
    [] &Vec<Value<f64>>;
    [const N: usize] [Value<f64>; N];
    [const N: usize] &[Value<f64>; N];
}

macro_rules! tuples {
    ($(($($A:ident $a:ident),+);)+) => {$(
        impl<$($A: ToValue),+> ToValues for ($($A,)+) {
            fn to_values(&self) -> Result<Vec<Value<f64>>> {
                let ($($a,)+) = self;
                Ok(vec![$($a.to_value()?),+])
            }
        }
    )+};
}

tuples! {
    (A a);
    (A a, B b);
    (A a, B b, C c);
    (A a, B b, C c, D d);
    (A a, B b, C c, D d, E e);
    (A a, B b, C c, D d, E e, F f);
    (A a, B b, C c, D d, E e, F f, G g);
    (A a, B b, C c, D d, E e, F f, G g, H h);
}
