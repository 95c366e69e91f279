//! Values of array programs: scalars, and rectangular arrays of them.
//!
//! Law: an array has as many elements as the product of its sizes, all of one kind. Reals of every precision are
//! numbers of the carrier; those of half and single precision are rounded where a program takes or computes them
//! (tests/array/interpret.rs).

use core::fmt;

use super::arguments::{ToValues, gathered};
use super::contiguous::{Contiguous, Sizes, count};
use crate::array::{Const, Prim, Type, for_numbers};
use crate::error::{Error, Result};
use crate::primitives::Elementary;

/// A scalar: a truth value, an integer, or a real in the carrier `C`.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Scalar<C> {
    /// A truth value.
    Bool(bool),
    /// An 8-bit integer with a sign.
    I8(i8),
    /// A 16-bit integer with a sign.
    I16(i16),
    /// A 32-bit integer with a sign.
    I32(i32),
    /// A 64-bit integer with a sign.
    I64(i64),
    /// An 8-bit integer without a sign.
    U8(u8),
    /// A 16-bit integer without a sign.
    U16(u16),
    /// A 32-bit integer without a sign.
    U32(u32),
    /// A 64-bit integer without a sign.
    U64(u64),
    /// A real of half precision, in the carrier.
    F16(C),
    /// A real of single precision, in the carrier.
    F32(C),
    /// A real of double precision, in the carrier.
    F64(C),
}

/// A rectangular array of scalars.
pub type Array<C> = Contiguous<Scalar<C>, Origin>;

/// Where the elements of an array come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// They were written for it.
    Made,
    /// It is a part of another array, or that array in another order: a machine reads such a view where it lies, and copies it only
    /// where it is written to.
    View,
}

/// The value of a variable: an argument or a result of an array program.
///
/// ```
/// use catadiff::interpret::Value;
/// let matrix = Value::<f64>::new([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])?;
/// assert_eq!(matrix.sizes(), [3, 2]);
/// assert_eq!(matrix.to_string(), "[[1, 2], [3, 4], [5, 6]]");
/// assert_eq!(matrix, Value::reals(&[3, 2], [1.0, 2.0, 3.0, 4.0, 5.0, 6.0])?);
/// assert!(Value::<f64>::new(vec![vec![1.0], vec![2.0, 3.0]]).is_err()); // not rectangular
///
/// let rows: Vec<[f64; 2]> = matrix.try_into()?; // and back
/// assert_eq!(rows[2], [5.0, 6.0]);
/// # Ok::<(), catadiff::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub enum Value<C> {
    /// A scalar.
    Scalar(Scalar<C>),
    /// An array.
    Array(Array<C>),
}

impl<C> Array<C> {
    pub(super) fn new(sizes: impl Into<Sizes>, elements: Vec<Scalar<C>>) -> Self {
        Array::noted(sizes, elements, Origin::Made)
    }
}

impl<C> From<Scalar<C>> for Value<C> {
    fn from(scalar: Scalar<C>) -> Self {
        Value::Scalar(scalar)
    }
}

impl<C> From<Array<C>> for Value<C> {
    fn from(array: Array<C>) -> Self {
        Value::Array(array)
    }
}

impl<C> Value<C> {
    /// The value of a scalar, or of nested slices, arrays or `Vec`s.
    ///
    /// # Errors
    /// [`Error::Length`] if rows have different sizes.
    pub fn new<T: ToValues<C>>(nested: T) -> Result<Self> {
        gathered(&nested, const { T::RANK.expect("what has parts is several values: see `ToValues::to_values`") })
    }

    /// A real, of double precision.
    pub fn real(x: C) -> Self {
        Value::Scalar(Scalar::F64(x))
    }

    /// An array of these sizes and elements, the last dimension running fastest; a scalar if there are no sizes.
    ///
    /// # Errors
    /// [`Error::Length`] if there are more or fewer elements than the sizes ask for, [`Error::Argument`] if they are
    /// of different kinds.
    pub fn array(sizes: &[usize], elements: Vec<Scalar<C>>) -> Result<Self> {
        let expected = count(sizes).ok_or(Error::TooLarge { what: "the array", limit: usize::MAX })?;
        Error::lengths("the list of elements", expected, elements.len())?;
        let kind = elements.first().map_or(Prim::F64, Scalar::prim);
        if let Some(other) = elements.iter().map(Scalar::prim).find(|other| *other != kind) {
            let (expected, found) = (kind.to_string(), other.to_string());
            return Err(Error::Argument { name: "element of an array".into(), expected, found });
        }
        match <[Scalar<C>; 1]>::try_from(elements) {
            Ok([scalar]) if sizes.is_empty() => Ok(Value::Scalar(scalar)),
            Ok([scalar]) => Ok(Value::Array(Array::new(sizes, vec![scalar]))),
            Err(elements) => Ok(Value::Array(Array::new(sizes, elements))),
        }
    }

    /// The type, where one of this kind is wanted: reals are of either real kind, and what has no elements of every kind.
    pub(crate) fn type_like(&self, wanted: Prim) -> Type {
        let prim = self.elements().first().map_or(wanted, Scalar::prim);
        let prim = if prim.is_real() && wanted.is_real() { wanted } else { prim };
        Type::array(prim, self.sizes().len())
    }

    /// An array of reals, of double precision.
    ///
    /// # Errors
    /// [`Error::Length`] if there are more or fewer than the sizes ask for.
    pub fn reals(sizes: &[usize], reals: impl IntoIterator<Item = C>) -> Result<Self> {
        Value::array(sizes, reals.into_iter().map(Scalar::F64).collect())
    }

    /// Rows of equal sizes as an array.
    ///
    /// # Errors
    /// [`Error::Length`] if rows have different sizes, [`Error::Argument`] if they are of different kinds or ranks.
    pub fn rows(rows: Vec<Value<C>>) -> Result<Self>
    where
        C: Clone,
    {
        let mut sizes = vec![rows.len()];
        if let Some(first) = rows.first() {
            sizes.extend(first.sizes());
        }
        let mut elements = Vec::new();
        let wanted = rows.first().map(|first| first.type_like(Prim::F64));
        for row in rows {
            let (wanted, found) = (wanted.expect("there is a row"), row.type_like(Prim::F64));
            if found.rank != wanted.rank {
                let (expected, found) = (wanted.to_string(), found.to_string());
                return Err(Error::Argument { name: "row of an array".into(), expected, found });
            }
            for (expected, found) in sizes[1..].iter().zip(row.sizes()) {
                Error::lengths("a row of an array", *expected, *found)?;
            }
            elements.extend_from_slice(row.elements());
        }
        Value::array(&sizes, elements)
    }

    /// The sizes, outermost first; none for a scalar.
    pub fn sizes(&self) -> &[usize] {
        match self {
            Value::Scalar(_) => &[],
            Value::Array(array) => array.sizes(),
        }
    }

    /// The elements, the last dimension running fastest; a scalar is its own one element.
    pub fn elements(&self) -> &[Scalar<C>] {
        match self {
            Value::Scalar(scalar) => core::slice::from_ref(scalar),
            Value::Array(array) => array.elements(),
        }
    }

    /// The same value with each real taken into another carrier.
    pub fn map<D>(&self, mut convert: impl FnMut(&C) -> D) -> Value<D> {
        let mut scalar = |s: &Scalar<C>| s.map(&mut convert);
        match self {
            Value::Scalar(s) => Value::Scalar(scalar(s)),
            Value::Array(array) => {
                Value::Array(Array::new(array.sizes(), array.elements().iter().map(scalar).collect()))
            }
        }
    }

    /// The same with other scalars, all of one kind.
    pub(super) fn each(self, scalar: impl Fn(Scalar<C>) -> Scalar<C>) -> Self
    where
        C: Clone,
    {
        match self {
            Value::Scalar(s) => Value::Scalar(scalar(s)),
            Value::Array(array) => {
                let elements = array.elements().iter().cloned().map(scalar).collect();
                Value::Array(Array::new(array.sizes(), elements))
            }
        }
    }

    /// The same value, with reals made of this kind.
    pub(super) fn with_reals_of(&self, prim: Prim, real: impl Fn(C) -> Scalar<C>) -> Self
    where
        C: Clone,
    {
        match self.elements().first().map(Scalar::prim) {
            Some(found) if found.is_real() && prim.is_real() && (prim != Prim::F64 || found != prim) => {
                self.clone().each(|s| s.real().cloned().map_or(s, &real))
            }
            _ => self.clone(),
        }
    }

    /// Takes every `i32`, which Rust takes a literal for, for the same `i64`, if that is wanted.
    pub(super) fn adapt(&mut self, wanted: Prim)
    where
        C: Clone,
    {
        if wanted == Prim::I64 && matches!(self.elements().first(), Some(Scalar::I32(_))) {
            let value = core::mem::replace(self, Value::Scalar(Scalar::Bool(false)));
            *self = value.each(|s| if let Scalar::I32(n) = s { Scalar::I64(n.into()) } else { s });
        }
    }

    /// The elements that are reals; all of them or none are.
    pub fn to_reals(&self) -> Option<Vec<C>>
    where
        C: Clone,
    {
        self.elements().iter().map(|s| s.real().cloned()).collect()
    }

    /// The elements as plain numbers: truth values are 0 and 1; `None` if a real has no value.
    pub fn to_f64(&self) -> Option<Vec<f64>>
    where
        C: Elementary,
    {
        let plain = |s: &Scalar<C>| match (s.real(), s.exact()) {
            (Some(x), _) => x.primal(),
            (None, exact) => exact.and_then(Const::integer).map(|n| n as f64),
        };
        self.elements().iter().map(plain).collect()
    }
}

macro_rules! scalars {
    ($($Kind:ident($Number:ident))+; $($Real:ident($Float:ident))+) => {
        impl<C> Scalar<C> {
            /// The kind.
            pub fn prim(&self) -> Prim {
                match self {
                    Scalar::Bool(_) => Prim::Bool,
                    $(Scalar::$Kind(_) => Prim::$Kind,)+
                    $(Scalar::$Real(_) => Prim::$Real,)+
                }
            }

            /// The integer or truth value that this is, if it is one.
            pub fn exact(&self) -> Option<Const> {
                match self {
                    Scalar::Bool(b) => Some(Const::Bool(*b)),
                    $(Scalar::$Kind(n) => Some(Const::$Kind(*n)),)+
                    $(Scalar::$Real(_) => None,)+
                }
            }

            /// A constant, where reals are made numbers of the carrier.
            pub fn constant(constant: Const, real: impl FnOnce(f64) -> C) -> Self {
                match constant {
                    Const::Bool(b) => Scalar::Bool(b),
                    $(Const::$Kind(n) => Scalar::$Kind(n),)+
                    $(Const::$Real(x) => Scalar::$Real(real(x.into())),)+
                }
            }

            /// The same scalar, if it is a real in another carrier.
            pub fn map<D>(&self, convert: impl FnOnce(&C) -> D) -> Scalar<D> {
                match self {
                    Scalar::Bool(b) => Scalar::Bool(*b),
                    $(Scalar::$Kind(n) => Scalar::$Kind(*n),)+
                    $(Scalar::$Real(x) => Scalar::$Real(convert(x)),)+
                }
            }

            /// The real that this is, if it is one.
            pub fn real(&self) -> Option<&C> {
                match self {
                    $(Scalar::$Real(x) => Some(x),)+
                    _ => None,
                }
            }

            /// A real of a kind.
            pub(crate) fn of_real(prim: Prim, x: C) -> Self {
                match prim {
                    $(Prim::$Real => Scalar::$Real(x),)+
                    other => panic!("{other} is no kind of reals"),
                }
            }
        }
    };
}

for_numbers!(scalars!());

impl<C> Scalar<C> {
    /// The scalar as a constant, if the numbers of the carrier are just numbers.
    #[cfg(any(feature = "futhark", feature = "gpu"))]
    pub(crate) fn plain(&self) -> Const
    where
        C: Copy + Into<f64>,
    {
        let real = self.real().map(|x| Const::rounded((*x).into(), self.prim()));
        real.or_else(|| self.exact()).expect("what is no real is an integer or a truth value")
    }

    /// A real of a kind, rounded to it.
    pub(crate) fn rounded(prim: Prim, x: C) -> Self
    where
        C: Elementary,
    {
        match prim {
            Prim::F16 => Scalar::F16(x.half()),
            Prim::F32 => Scalar::F32(x.single()),
            _ => Scalar::F64(x),
        }
    }
}

impl<C: fmt::Display> fmt::Display for Scalar<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.real(), self.exact()) {
            (Some(x), _) => x.fmt(f),
            (None, Some(Const::Bool(b))) => b.fmt(f),
            (None, n) => n.and_then(Const::integer).expect("what is no real is an integer").fmt(f),
        }
    }
}

impl<C: fmt::Display> fmt::Display for Value<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        nested(f, self.sizes(), self.elements())
    }
}

fn nested<C: fmt::Display>(f: &mut fmt::Formatter<'_>, sizes: &[usize], elements: &[Scalar<C>]) -> fmt::Result {
    let Some((rows, sizes)) = sizes.split_first() else { return fmt::Display::fmt(&elements[0], f) };
    let size: usize = if elements.is_empty() { 0 } else { sizes.iter().product() };
    f.write_str("[")?;
    // Without elements there may be any number of empty rows, which are not worth showing.
    let rows = if size == 0 { 0 } else { *rows };
    for row in 0..rows {
        f.write_str(if row == 0 { "" } else { ", " })?;
        nested(f, sizes, &elements[row * size..(row + 1) * size])?;
    }
    f.write_str("]")
}
