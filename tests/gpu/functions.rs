//! The functions of the prelude: each row of the table of primitives, in each precision, beside the table's own values.

use catadiff::Result;
use catadiff::array::{Body, Lambda, Map, Op, Prim, Program, ScalarOp, Stm, Type, Var};
use catadiff::execute::{Ending, Executor, Flat};
use catadiff::interpret::Control;
use catadiff::primitives::Primitive;

use crate::gpu;

/// Values that functions treat in a way of their own, and those around them.
const SPECIAL: [f64; 25] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -0.5,
    2.0,
    -2.0,
    3.0,
    -3.0,
    10.0,
    -10.0,
    0.49999999999999994,
    1e-8,
    -1e-8,
    1e-30,
    -1e-30,
    88.0,
    -88.0,
    1000.0,
    -1000.0,
    1e30,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
];

/// How many points of an interval are looked at.
const POINTS: usize = 300;

/// The map of a row over arrays of reals of a kind.
fn mapped(row: Primitive, prim: Prim) -> Result<Program> {
    let arity = row.arity() as u32;
    let arrays: Vec<Var> = (0..arity).map(Var).collect();
    let elements: Vec<Var> = (arity..2 * arity).map(Var).collect();
    let [value, values] = [2 * arity, 2 * arity + 1].map(Var);
    let operands = elements.iter().copied().map(Into::into).collect();
    let body =
        Body { stms: vec![Stm::new([value], Op::Scalar(ScalarOp::Row(row), operands))], results: vec![value.into()] };
    let map = Map {
        arrays: arrays.iter().copied().map(Into::into).collect(),
        accumulators: Vec::new(),
        function: Lambda { params: elements, body },
    };
    let stm = Stm::new([values], Op::Map(Box::new(map)));
    let function = Lambda { params: arrays, body: Body { stms: vec![stm], results: vec![values.into()] } };
    let of = |var: u32| match var {
        _ if var < arity || var == values.0 => Type::array(prim, 1),
        _ => Type::scalar(prim),
    };
    let types = (0..2 * arity + 2).map(of).collect();
    Program::new(types, (0..arity).map(|k| format!("x{k}")).collect(), function)
}

fn rounded(x: f64, prim: Prim) -> f64 {
    if prim == Prim::F32 { f64::from(x as f32) } else { x }
}

/// Points of the intervals on which the row is smooth, and special ones, for each argument.
fn points(row: Primitive, prim: Prim) -> Vec<Vec<f64>> {
    let mut all = vec![Vec::new(); row.arity()];
    for k in 0..POINTS {
        for (argument, ((lo, hi), xs)) in row.smooth().iter().zip(&mut all).enumerate() {
            // Multiples of irrational numbers, which are spread evenly.
            let part = (k as f64 * [0.6180339887498949, 0.7548776662466927, 0.5698402909980532][argument]).fract();
            xs.push(rounded(lo + (hi - lo) * part, prim));
        }
    }
    for k in 0..SPECIAL.len().pow(row.arity().min(2) as u32) {
        for (argument, xs) in all.iter_mut().enumerate() {
            xs.push(rounded(SPECIAL[k / SPECIAL.len().pow(argument.min(1) as u32) % SPECIAL.len()], prim));
        }
    }
    all
}

/// How far a value is off, in units in the last place of its kind.
fn ulps(found: f64, expected: f64, prim: Prim) -> f64 {
    if found == expected || found.is_nan() && expected.is_nan() {
        return 0.0;
    }
    let unit = match prim {
        Prim::F32 => {
            let x = (expected as f32).abs().max(f32::MIN_POSITIVE);
            f64::from(x.next_up() - x)
        }
        _ => {
            let x = expected.abs().max(f64::MIN_POSITIVE);
            x.next_up() - x
        }
    };
    let off = (found - expected).abs() / unit;
    if off.is_nan() { f64::INFINITY } else { off }
}

/// The units that a row may be off: what the table's own values may be off, and those of the function.
fn allowed(row: Primitive) -> f64 {
    match row {
        Primitive::Polygamma(_) => 16.0,
        _ if row.facts().ulp == 0 => 0.0,
        _ => 4.0,
    }
}

#[test]
fn rows_have_the_values_of_the_table() -> Result<()> {
    let Some(gpu) = gpu() else { return Ok(()) };
    let mut wrong = Vec::new();
    for row in Primitive::ALL.iter().copied().filter(|row| !matches!(row, Primitive::Half)) {
        for prim in [Prim::F64, Prim::F32] {
            let prepared = gpu.prepare(&mapped(row, prim)?)?.expect("a map is run");
            let points = points(row, prim);
            let flat = |xs: &Vec<f64>| match prim {
                Prim::F32 => Flat::singles(&[xs.len()], xs.iter().map(|x| *x as f32).collect()),
                _ => Flat::reals(&[xs.len()], xs.clone()),
            };
            let arguments = points.iter().map(flat).collect::<Result<Vec<Flat>>>()?;
            let mut results = Vec::new();
            let lent: Vec<_> = arguments.iter().map(Flat::lent).collect();
            let ending = prepared.run_into(&lent, &mut results, Control::default())?;
            assert_eq!(ending, Ending::Done { stepwise: false }, "{row:?}");
            let found: Vec<f64> = match results[0].as_singles() {
                Some(singles) => singles.iter().map(|x| f64::from(*x)).collect(),
                None => results[0].as_reals().expect("reals").to_vec(),
            };
            let mut worst = (0.0, String::new());
            for (k, found) in found.iter().enumerate() {
                let x: Vec<f64> = points.iter().map(|xs| xs[k]).collect();
                let value: f64 = row.apply(&x);
                let expected = rounded(value, prim);
                let off = match row {
                    // In one rounding where the machine has it; else the product is rounded before.
                    Primitive::Fma => {
                        let term = rounded((x[0] * x[1]).abs().max(x[2].abs()), prim);
                        ulps(term + (found - expected), term, prim).min(ulps(*found, expected, prim))
                    }
                    _ => ulps(*found, expected, prim),
                };
                if off > worst.0 {
                    worst = (off, format!("{}_{prim}({x:?}) = {found}, not {expected}: {off} ulp", row.name()));
                }
            }
            if worst.0 > allowed(row) {
                wrong.push(worst.1);
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    Ok(())
}
