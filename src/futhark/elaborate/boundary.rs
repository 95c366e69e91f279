//! Values at the border of an array program.
//!
//! Law: a value goes in and comes out as it was, of the kind that it was (tests/language/elaborate.rs).

use crate::array::{Const, Prim};
use crate::error::Result;
use crate::futhark::values::{Array, Data};
use crate::interpret::{Scalar, Value};

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

/// The integer that a scalar is.
pub(super) fn integer<C>(value: &Value<C>) -> i64 {
    let first = value.elements().first();
    first.and_then(Scalar::exact).and_then(Const::integer).map_or(0, |n| n as i64)
}
