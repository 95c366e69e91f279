//! Programs that are specialised: what they give, what they refuse, and what is wrong with what is said to be known.

use catadiff::array::trace::{Arr, F64, I64, iota, literal, loop_for};
use catadiff::array::{Const, Program};
use catadiff::interpret::Value;
use catadiff::transform::Static;
use catadiff::{Elementary, Error};
use catadiff_laws::{ArrayProgram, Verdict, for_all, specialisation};

#[test]
fn specialised_programs_are_the_programs() -> Verdict {
    for_all(|p: ArrayProgram| specialisation::is_the_program(&p))
}

#[test]
fn specialised_parts_are_those_of_the_programs() -> Verdict {
    for_all(|p: ArrayProgram| specialisation::parts_are_of_the_program(&p))
}

/// A weighted sum of powers of the points' distances.
fn powers() -> Program {
    Program::trace_named(&["points", "weights", "n"], |points: Arr<Arr<F64>>, weights: Arr<F64>, n: I64| {
        let power = |x: F64| loop_for(n, F64::from(1.0), |_, y| y * x);
        points.map2(weights, |p, w| power(p.dot(p).sqrt()) * w).sum() + iota(n).map(|k| k.to_f64()).sum()
    })
    .unwrap()
}

#[test]
fn what_is_known_is_in_the_program() {
    let points = Value::new([[3.0, 4.0], [0.0, 1.0], [2.0, 0.0]]).unwrap();
    let weights = Value::new([1.0, 2.0, 3.0]).unwrap();
    let wanted = powers().run(&[points.clone(), weights.clone(), 3_i64.into()]).unwrap();
    let known = [Static::Sizes(vec![3, 2]), Static::Unknown, Static::Value(Const::I64(3))];
    let special = powers().specialise(&known).unwrap();
    assert_eq!(special.names(), ["points", "weights"]);
    assert_eq!(special.run(&[points.clone(), weights.clone()]).unwrap(), wanted);
    let compiled = special.compile().unwrap();
    assert_eq!(compiled.run(&[points, weights.clone()]).unwrap(), wanted);
    assert!(special.to_string().contains("agree wanted (size[1](points)) = (2i64)"), "{special}");
    for other in [Value::new([[1.0, 2.0, 3.0]; 3]).unwrap(), Value::new([[1.0, 2.0]; 4]).unwrap()] {
        let errors = [special.run(&[other.clone(), weights.clone()]), compiled.run(&[other, weights.clone()])];
        for error in errors.map(Result::unwrap_err) {
            assert!(matches!(error, Error::Sizes { .. }), "{error:?}");
        }
    }
}

/// What is known of a size is said of each argument, also where the program compares the two sizes anyway.
#[test]
fn each_size_that_is_known_is_said() {
    let weighted = Program::trace_named(&["rows", "x"], |rows: Arr<Arr<F64>>, x: F64| {
        rows.map(|row| row.map2(literal([x, F64::from(1.0)]), |a, b| a * b).sum())
    });
    let text = weighted.unwrap().specialise_like(([[1.0, 2.0]; 3], 0.5)).unwrap().to_string();
    for size in ["(size[0](rows)) = (3i64)", "(size[1](rows)) = (2i64)"] {
        assert!(text.contains(&format!("agree wanted {size}")), "{size} in {text}");
    }
}

#[test]
fn derivatives_are_specialised() {
    let gradient = powers().grad("points").unwrap();
    let (points, weights) = ([[3.0, 4.0], [0.0, 1.0]], [1.0, 0.5]);
    let special = gradient.specialise_like((points, weights, 2_i64)).unwrap();
    let found: Vec<Vec<f64>> = special.compile().unwrap().at((points, weights, 2_i64)).unwrap();
    assert_eq!(found, [[6.0, 8.0], [0.0, 1.0]]);
}

#[test]
fn what_is_said_to_be_known_is_checked() {
    let (sizes, value) = (Static::Sizes, Static::Value);
    let refused = |known: [Static; 3]| powers().specialise(&known).unwrap_err();
    for known in [
        [sizes(vec![3]), Static::Unknown, Static::Unknown],
        [value(Const::F64(1.0)), Static::Unknown, Static::Unknown],
        [Static::Unknown, Static::Unknown, value(Const::F64(3.0))],
        [Static::Unknown, Static::Unknown, sizes(vec![])],
    ] {
        let error = refused(known);
        assert!(matches!(error, Error::Argument { .. }), "{error}");
    }
    assert!(matches!(powers().specialise(&[]).unwrap_err(), Error::Length { .. }));
    let error = refused([sizes(vec![usize::MAX, 1]), Static::Unknown, Static::Unknown]);
    assert!(matches!(error, Error::TooLarge { .. }), "{error}");
    // Sizes that the program compares, and that cannot be equal, are an error of every run.
    let never = powers().specialise(&[sizes(vec![3, 2]), sizes(vec![4]), Static::Unknown]).unwrap();
    let arguments = [Value::new([[1.0, 2.0]; 3]).unwrap(), Value::new([1.0; 4]).unwrap(), 1_i64.into()];
    assert!(never.run(&arguments).is_err() && never.compile().unwrap().run(&arguments).is_err());
}
