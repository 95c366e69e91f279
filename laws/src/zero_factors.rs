//! Products of zeros and infinite derivatives: forward mode of array programs computes what dual numbers compute, in
//! every executor.
//!
//! Law: a zero that is a number, written, computed or given, is a factor like any other, and ∞·0 is NaN; a derivative
//! of what does not depend on the variable is 0 through an infinite derivative, too; checked where the table documents
//! an infinite derivative (tests/transform/zeros.rs).

use catadiff::array::Program;
use catadiff::carriers::Dual;
use catadiff::interpret::Value;
use catadiff::primitives::Primitive;

use crate::special_points::POINTS;
use crate::violation::{Verdict, Violation};

/// Programs of `x`, a constant `c` and a zero, with the row in the place of `$`.
const PROGRAMS: [&str; 8] = [
    "let y = $(x) let z = mul(y, 0.0f64) let w = add(z, x) return w",
    "let y = $(x) let z = mul(0.0f64, y) let w = add(x, z) return w",
    "let y = $(x) let z = mul(y, zero) let w = add(z, x) return w",
    "let o = sub(1.0f64, 1.0f64) let y = $(x) let z = mul(y, o) let w = sub(z, x) return w",
    "let y = $(x) let n = neg(y) let z = mul(n, 0.0f64) let m = mul(z, z) return m",
    "let y = $(c) let z = mul(x, 0.0f64) let w = add(y, z) return w",
    "let y = $(x) let z = fma(y, 0.0f64, x) return z",
    "let y = $(x) let z = mul(y, 0.0f64) let s = select(zero, z, x) return s",
];

/// Forward mode of array programs is that of dual numbers, interpreted and on lanes.
///
/// # Errors
/// The violation.
///
/// # Panics
/// If a program is none, or has no value.
pub fn are_factors_like_any_other() -> Verdict {
    const RUNS: &str = "the program has a value";
    let infinite = POINTS.iter().filter(|(_, at, _, slopes)| at.len() == 1 && slopes.iter().any(|x| x.is_infinite()));
    let mut asked = 0;
    for (row, at, ..) in infinite.filter(|(row, ..)| !matches!(row, Primitive::Powi(_))) {
        for body in PROGRAMS {
            asked += 1;
            let text = format!("program (x: f64, c: f64, zero: f64) {{ {} }}", body.replace('$', row.name()));
            let program = Program::parse(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
            let number = |value: f64, tangent: f64| Value::real(Dual { value, tangent });
            let found = program.run(&[number(at[0], 0.5), number(at[0], 0.0), number(0.0, 0.0)]).expect(RUNS);
            let dual = found[0].elements()[0].real().expect("the result is real");
            let pushed = program.jvp_wrt(0).expect("it is differentiable");
            let given: [Value<f64>; 4] = [at[0].into(), at[0].into(), 0.0.into(), 0.5.into()];
            let compiled = pushed.compile().expect("it is a program");
            for found in [pushed.run(&given).expect(RUNS), compiled.run(&given).expect(RUNS)] {
                let tangent = *found[1].elements()[0].real().expect("the tangent is real");
                if tangent != dual.tangent && !(tangent.is_nan() && dual.tangent.is_nan()) {
                    return Err(Violation {
                        law: "the tangent of a program is that of dual numbers".into(),
                        instances: vec![("program".into(), text), ("x".into(), at[0].to_string())],
                        left: tangent.to_string(),
                        right: dual.tangent.to_string(),
                    });
                }
            }
        }
    }
    assert!(asked >= 24, "{asked} programs are asked");
    Ok(())
}
