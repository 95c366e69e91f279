//! Values at the border of an array program.
//!
//! Law: a value goes in and comes out as it was, of the kind that it was (tests/language/elaborate.rs).

use crate::array::{Const, Prim};
use crate::error::Result;
use crate::execute::Flat;
use crate::futhark::values::{Array, Data};
use crate::interpret::{Scalar, Value};
use crate::primitives::f16;

/// A value of the language as one of array programs.
pub(super) fn value(array: &Array) -> Result<Value<f64>> {
    let elements = array.data.constants().into_iter();
    Value::array(&array.shape, elements.map(|x| Scalar::constant(x, |x| x)).collect())
}

/// A value of array programs as one of this kind of the language.
pub(super) fn array(value: &Value<f64>, kind: Prim) -> Array {
    let data = Data::of_constants(kind, value.elements().iter().map(Scalar::plain));
    Array { shape: value.sizes().to_vec(), data }
}

/// A value of the language as it lies in memory for an executor.
pub(super) fn flat(array: &Array) -> Result<Flat> {
    let of = |reals, singles, ints| Flat::of(array.data.kind(), &array.shape, reals, singles, ints);
    macro_rules! ints {
        ($elements:ident) => {
            of(Vec::new(), Vec::new(), $elements.iter().map(|x| i64::from(*x)).collect())
        };
    }
    match &array.data {
        Data::F64(elements) => of(elements.clone(), Vec::new(), Vec::new()),
        Data::F16(elements) => of(elements.iter().map(|x| f64::from(*x)).collect(), Vec::new(), Vec::new()),
        Data::F32(elements) => of(Vec::new(), elements.clone(), Vec::new()),
        Data::I64(elements) => of(Vec::new(), Vec::new(), elements.clone()),
        Data::U64(elements) => of(Vec::new(), Vec::new(), elements.iter().map(|x| x.cast_signed()).collect()),
        Data::I8(elements) => ints!(elements),
        Data::I16(elements) => ints!(elements),
        Data::I32(elements) => ints!(elements),
        Data::U8(elements) => ints!(elements),
        Data::U16(elements) => ints!(elements),
        Data::U32(elements) => ints!(elements),
        Data::Bool(elements) => ints!(elements),
    }
}

/// What lies in memory behind a run as a value of this kind of the language.
pub(super) fn unflat(flat: &Flat, kind: Prim) -> Array {
    let (reals, singles, ints) = flat.parts();
    macro_rules! ints {
        ($Kind:ident) => {
            Data::$Kind(ints.iter().map(|x| *x as _).collect())
        };
    }
    let data = match kind {
        Prim::F64 => Data::F64(reals.to_vec()),
        Prim::F16 => Data::F16(reals.iter().map(|x| f16::from_f64(*x)).collect()),
        Prim::F32 => Data::F32(singles.to_vec()),
        Prim::I64 => Data::I64(ints.to_vec()),
        Prim::I8 => ints!(I8),
        Prim::I16 => ints!(I16),
        Prim::I32 => ints!(I32),
        Prim::U8 => ints!(U8),
        Prim::U16 => ints!(U16),
        Prim::U32 => ints!(U32),
        Prim::U64 => ints!(U64),
        Prim::Bool => Data::Bool(ints.iter().map(|x| *x != 0).collect()),
    };
    let array = Array { shape: flat.sizes().to_vec(), data };
    debug_assert_eq!(
        crate::interpret::count(&array.shape),
        Some(array.data.len()),
        "elements are of the result's kind"
    );
    array
}

impl From<&Flat> for Array {
    /// What lies in memory as a value of the language, of the same kind.
    fn from(flat: &Flat) -> Self {
        unflat(flat, flat.prim())
    }
}

/// The integer that a scalar is.
pub(super) fn integer<C>(value: &Value<C>) -> i64 {
    let first = value.elements().first();
    first.and_then(Scalar::exact).and_then(Const::integer).map_or(0, |n| n as i64)
}
