//! Values at the border of an array program.
//!
//! Law: a value goes in and comes out as it was; the kinds of integer that array programs do not have go in and out of 64 bits.

use crate::error::Result;
use crate::futhark::core::Prim;
use crate::futhark::values::{Array, Data};
use crate::interpret::{Scalar, Value};

/// The invariant of programs that were made here.
const KINDS: &str = "a result is of the kind that it stands for";

/// A value of the language as one of array programs.
pub(super) fn value(array: &Array) -> Result<Value<f64>> {
    macro_rules! wide {
        ($elements:expr) => {
            $elements.iter().map(|n| Scalar::I64(*n as i64)).collect()
        };
    }
    let elements = match &array.data {
        Data::Bool(elements) => elements.iter().map(|b| Scalar::Bool(*b)).collect(),
        Data::I32(elements) => elements.iter().map(|n| Scalar::I32(*n)).collect(),
        Data::I8(elements) => wide!(elements),
        Data::I16(elements) => wide!(elements),
        Data::I64(elements) => wide!(elements),
        Data::U8(elements) => wide!(elements),
        Data::U16(elements) => wide!(elements),
        Data::U32(elements) => wide!(elements),
        Data::U64(elements) => wide!(elements),
        Data::F32(elements) => elements.iter().map(|x| Scalar::Real(f64::from(*x))).collect(),
        Data::F64(elements) => elements.iter().map(|x| Scalar::Real(*x)).collect(),
    };
    Value::array(&array.shape, elements)
}

/// A value of array programs as one of this kind of the language.
pub(super) fn array(value: &Value<f64>, kind: Prim) -> Array {
    let elements = value.elements();
    macro_rules! integers {
        ($kind:ident) => {
            Data::$kind(elements.iter().map(|x| whole(x) as _).collect())
        };
    }
    let data = match kind {
        Prim::Bool => Data::Bool(elements.iter().map(|x| whole(x) != 0).collect()),
        Prim::F32 => Data::F32(elements.iter().map(|x| real(x) as f32).collect()),
        Prim::F64 => Data::F64(elements.iter().map(real).collect()),
        Prim::I8 => integers!(I8),
        Prim::I16 => integers!(I16),
        Prim::I32 => integers!(I32),
        Prim::I64 => integers!(I64),
        Prim::U8 => integers!(U8),
        Prim::U16 => integers!(U16),
        Prim::U32 => integers!(U32),
        Prim::U64 => integers!(U64),
    };
    Array { shape: value.sizes().to_vec(), data }
}

/// The integer that a scalar is.
pub(super) fn integer<C>(value: &Value<C>) -> i64 {
    value.elements().first().map_or(0, whole)
}

fn whole<C>(scalar: &Scalar<C>) -> i64 {
    match scalar {
        Scalar::Bool(b) => i64::from(*b),
        Scalar::I32(n) => i64::from(*n),
        Scalar::I64(n) => *n,
        Scalar::Real(_) => panic!("{KINDS}"),
    }
}

fn real(scalar: &Scalar<f64>) -> f64 {
    match scalar {
        Scalar::Real(x) => *x,
        Scalar::Bool(_) | Scalar::I32(_) | Scalar::I64(_) => panic!("{KINDS}"),
    }
}
