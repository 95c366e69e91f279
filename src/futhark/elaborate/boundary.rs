//! Values at the border of an array program.
//!
//! Law: a value goes in and comes out as it was, of the kind that it was (tests/language/elaborate.rs).

use crate::array::{Const, Prim, for_integers};
use crate::error::Result;
use crate::futhark::values::{Array, Data};
use crate::interpret::{Scalar, Value};

/// The invariant of programs that were made here.
const KINDS: &str = "a result is of the kind that it stands for";

/// A value of the language as one of array programs.
pub(super) fn value(array: &Array) -> Result<Value<f64>> {
    macro_rules! of {
        ($($Kind:ident($Number:ident))+) => {
            match &array.data {
                Data::Bool(elements) => elements.iter().map(|b| Scalar::Bool(*b)).collect(),
                $(Data::$Kind(elements) => elements.iter().map(|n| Scalar::$Kind(*n)).collect(),)+
                Data::F32(elements) => elements.iter().map(|x| Scalar::F32((*x).into())).collect(),
                Data::F64(elements) => elements.iter().map(|x| Scalar::F64(*x)).collect(),
            }
        };
    }
    Value::array(&array.shape, for_integers!(of!()))
}

/// A value of array programs as one of this kind of the language.
pub(super) fn array(value: &Value<f64>, kind: Prim) -> Array {
    macro_rules! of {
        ($($Kind:ident($Number:ident))+) => {
            match kind {
                Prim::Bool => Data::Bool(elements(value, |x| if let Scalar::Bool(b) = x { Some(*b) } else { None })),
                $(Prim::$Kind => Data::$Kind(elements(value, |x| if let Scalar::$Kind(n) = x { Some(*n) } else { None })),)+
                Prim::F32 => Data::F32(elements(value, |x| x.real().map(|x| *x as f32))),
                Prim::F64 => Data::F64(elements(value, |x| x.real().copied())),
            }
        };
    }
    Array { shape: value.sizes().to_vec(), data: for_integers!(of!()) }
}

fn elements<T>(value: &Value<f64>, of: impl Fn(&Scalar<f64>) -> Option<T>) -> Vec<T> {
    value.elements().iter().map(|x| of(x).expect(KINDS)).collect()
}

/// The integer that a scalar is.
pub(super) fn integer<C>(value: &Value<C>) -> i64 {
    let first = value.elements().first();
    first.and_then(Scalar::exact).and_then(Const::integer).map_or(0, |n| n as i64)
}
