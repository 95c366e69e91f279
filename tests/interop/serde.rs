//! Dual numbers, names of primitives and recorded programs through `serde`.
//!
//! Law: what is written is read back, both parts of it.
#![cfg(feature = "serde")]

use catadiff::carriers::Dual;
use catadiff::prelude::*;
use catadiff::primitives::Primitive;
use catadiff::{Recording, record};
use serde_json::{from_str, to_string};

#[test]
fn duals_keep_value_and_tangent() {
    let x = Dual { value: 0.5, tangent: -3.25 };
    let text = to_string(&x).unwrap();
    assert_eq!(text, r#"{"value":0.5,"tangent":-3.25}"#);
    let back: Dual<f64> = from_str(&text).unwrap();
    assert_eq!((back.value, back.tangent), (0.5, -3.25));

    let nested = Dual { value: x, tangent: Dual { value: 1.0, tangent: 2.0 } };
    let back: Dual<Dual<f64>> = from_str(&to_string(&nested).unwrap()).unwrap();
    assert_eq!((back.value.tangent, back.tangent.value, back.tangent.tangent), (-3.25, 1.0, 2.0));

    let wide = Dual { value: 7_i64, tangent: vec![1_i64, 2] };
    let back: Dual<i64, Vec<i64>> = from_str(&to_string(&wide).unwrap()).unwrap();
    assert_eq!((back.value, back.tangent), (7, vec![1, 2]));
    assert!(from_str::<Dual<f64>>(r#"{"value":0.5}"#).is_err());
}

#[test]
fn every_row_of_the_table_is_read_back() {
    for row in Primitive::ALL {
        let text = to_string(row).unwrap();
        assert_eq!(from_str::<Primitive>(&text).unwrap(), *row, "{text}");
    }
    assert_eq!(to_string(&Primitive::Powi(-3)).unwrap(), r#"{"Powi":-3}"#);
    assert!(from_str::<Primitive>("\"Sinus\"").is_err());
}

#[test]
fn recordings_are_their_texts() {
    let program = record(|x: &[_]| vec![x[0].exp() * Symbolic::lift(0.1)], &[2.0_f32]).unwrap();
    let text = to_string(&program).unwrap();
    assert_eq!(from_str::<String>(&text).unwrap(), program.to_text().unwrap());
    let read: Recording<f32> = from_str(&text).unwrap();
    assert_eq!(read.grad::<Reverse>(&[3.0]), program.grad::<Reverse>(&[3.0]));
    let refused = from_str::<Recording<f64>>(&text).unwrap_err().to_string();
    assert!(refused.contains("numbers of f32") && refused.contains("numbers of f64"), "{refused}");
    assert!(from_str::<Recording>("\"catadiff\"").is_err());
}
