//! Reals of half precision: lanes compute them in doubles, and round every operation as the interpreter does.

use catadiff::Elementary;
use catadiff::array::trace::{Arr, F16, F32, F64, I64, hist, loop_for};
use catadiff::array::{Builder, Op, Prim, Program, ScalarOp, Type, constant};
use catadiff::execute::Flat;
use catadiff::interpret::{Scalar, Value};
use catadiff::primitives::{Primitive, f16};

type Halves = Vec<f16>;

fn half(x: f64) -> f16 {
    f16::from_f64(x)
}

/// Every number of this kind.
fn all() -> Halves {
    (0..=u16::MAX).map(f16::from_bits).collect()
}

fn drawn(n: usize) -> Halves {
    (0..n).map(|k| half(((k * 7919 + 13) % 1009) as f64 / 504.5 - 0.9)).collect()
}

/// The bits; all of what is no number are the same.
fn bits(halves: &[f16]) -> Vec<u16> {
    halves.iter().map(|x| if f64::from(*x).is_nan() { f16::NAN.to_bits() } else { x.to_bits() }).collect()
}

#[test]
fn functions_of_every_half_are_rounded_doubles() {
    let rows = [
        Primitive::Sqrt,
        Primitive::Recip,
        Primitive::Neg,
        Primitive::Abs,
        Primitive::Floor,
        Primitive::Round,
        Primitive::Exp,
        Primitive::Ln,
        Primitive::Sin,
        Primitive::Tanh,
        Primitive::Powi(3),
        Primitive::Single,
        Primitive::Half,
    ];
    let xs = all();
    for row in rows {
        let mut b = Builder::new();
        let x = b.parameter("xs", Type::array(Prim::F16, 1));
        let function = b.lambda(&[Type::scalar(Prim::F16)], |b, x| vec![b.scalar(row, &[x[0].into()])]);
        let arrays = vec![x.into()];
        let ys = b.emit(Op::Map(Box::new(catadiff::array::Map { arrays, accumulators: Vec::new(), function })));
        let program = b.finish(vec![ys[0].into()]).unwrap();
        let expected: Halves = xs.iter().map(|x| half(row.apply(&[f64::from(*x)]))).collect();
        assert_eq!(bits(&program.compile().unwrap().at::<Halves>(&xs).unwrap()), bits(&expected), "{row:?} on lanes");
        assert_eq!(bits(&program.at::<Halves>(&xs).unwrap()), bits(&expected), "{row:?} interpreted");
    }
}

#[test]
fn elements_are_rounded_after_each_operation() {
    let program = Program::trace(|xs: Arr<F16>, ys: Arr<F16>, by: F16, z: F32| {
        (xs * ys + xs, (xs + ys).map(|x| x.abs().sqrt()) / (by + xs) - by, (-xs).map(|x| x.max(by)), z * z + z)
    });
    let program = program.unwrap();
    let compiled = program.compile().unwrap();
    for n in [1, 7, 8, 17, 600, 5000] {
        let (xs, ys, by, z) = (drawn(n), drawn(2 * n)[n..].to_vec(), half(0.1), 0.1_f32);
        let [mut a, mut b, mut c] = [Vec::new(), Vec::new(), Vec::new()];
        for (x, y) in xs.iter().zip(&ys) {
            let r = |x: f64| f64::from(half(x));
            let (x, y, by) = (f64::from(*x), f64::from(*y), f64::from(by));
            a.push(half(r(x * y) + x));
            b.push(half(r(r(r(x + y).abs().sqrt()) / r(by + x)) - by));
            c.push(half((-x).max(by)));
        }
        let expected = (a, b, c, z * z + z);
        assert_eq!(compiled.at::<(Halves, Halves, Halves, f32)>((&xs, &ys, by, z)).unwrap(), expected);
        assert_eq!(program.at::<(Halves, Halves, Halves, f32)>((&xs, &ys, by, z)).unwrap(), expected);
    }
}

#[test]
fn one_number_after_the_other_is_rounded() {
    let program = Program::trace(|x: F16, n: I64| loop_for(n, x, |k, y| y * y * 0.75 + x / (y + 1.5) + k.to_f16()));
    let program = program.unwrap();
    let x = half(0.3);
    let r = |x: f64| f64::from(half(x));
    let step = |y: f64, k: u32| r(r(r(r(y * y) * 0.75) + r(f64::from(x) / r(y + 1.5))) + f64::from(k));
    for n in [0, 1, 5, 9] {
        let expected = half((0..n).fold(x.into(), step));
        assert_eq!(program.compile().unwrap().at::<f16>((x, i64::from(n))).unwrap(), expected);
        assert_eq!(program.at::<f16>((x, i64::from(n))).unwrap(), expected);
    }
}

#[test]
fn conversions_are_rounded_once() {
    let program = Program::trace(|xs: Arr<F64>, ys: Arr<F32>, ns: Arr<I64>| {
        let halves = (xs.map(F64::to_f16), ys.map(F32::to_f16), ns.map(I64::to_f16));
        (halves, halves.0.map(F16::to_f32), halves.0.map(F16::to_f64), halves.0.map(F16::to_i64))
    });
    let program = program.unwrap();
    let xs = [0.1, 1.0 + 2_f64.powi(-11) + 2_f64.powi(-50), -65519.99, 65520.0, 1e-7, f64::NEG_INFINITY];
    let ys = xs.map(|x| x as f32);
    let ns = [0_i64, 2049, 2051, -65519, 65520, i64::MIN];
    let expected = (
        xs.map(half),
        ys.map(|y| half(y.into())),
        ns.map(|n| half(n as f64)),
        xs.map(|x| f32::from(half(x))),
        xs.map(|x| f64::from(half(x))),
        xs.map(|x| f64::from(half(x)) as i64),
    );
    assert_eq!(expected.0.map(f64::from)[1..3], [1.0009765625, -65504.0]);
    assert_eq!(expected.2.map(f64::from)[1..5], [2048.0, 2052.0, -65504.0, f64::INFINITY]);
    assert_eq!(program.at((&xs, &ys, &ns)), Ok(expected));
    assert_eq!(program.compile().unwrap().at((&xs, &ys, &ns)), Ok(expected));
}

/// From 2048 on the next number is 2 larger, so that adding 1 changes nothing.
#[test]
fn what_is_added_in_place_is_rounded_after_each_addition() {
    let program = Program::trace(|at: Arr<I64>, xs: Arr<F16>| hist(2, 0.0, at, xs, |x, y| x + y)).unwrap();
    let (at, ones) = (vec![0_i64; 4000], vec![half(1.0); 4000]);
    assert_eq!(program.at::<[f16; 2]>((&at, &ones)), Ok([half(2048.0), half(0.0)]));
    let counted = program.compile().unwrap().at::<[f16; 2]>((&at, &ones)).unwrap();
    assert!((half(2048.0)..=half(4000.0)).contains(&counted[0]), "{counted:?}");

    let total = Program::trace(|xs: Arr<F16>| xs.sum()).unwrap();
    let total = total.compile().unwrap().at::<f16>(&ones).unwrap();
    assert!((half(2048.0)..=half(4000.0)).contains(&total), "{total}");
}

#[test]
fn memory_of_halves_holds_them_exactly() {
    let program = Program::trace(|xs: Arr<F16>, by: F16| xs * by).unwrap().compile().unwrap();
    let xs = [0.1, -2.0, 30000.0];
    let halves = [Flat::from(&Value::new(xs.map(half)).unwrap()), Flat::from(&Value::from(half(3.0)))];
    let doubles = [Flat::reals(&[3], xs.to_vec()).unwrap(), Flat::reals(&[], vec![3.0]).unwrap()];
    let singles = [Flat::singles(&[3], xs.map(|x| x as f32).to_vec()).unwrap(), Flat::singles(&[], vec![3.0]).unwrap()];
    let mut results = vec![Flat::singles(&[1], vec![7.0]).unwrap()];
    for arguments in [&halves, &doubles, &singles, &halves] {
        program.run_into(arguments, &mut results).unwrap();
        assert_eq!((results[0].as_singles(), results[0].as_reals()), (None, None));
        let found = <[f16; 3]>::try_from(results[0].to_value()).unwrap();
        assert_eq!(found, [0.1, -2.0, 30000.0].map(|x| half(3.0 * f64::from(half(x)))));
    }
    let unrounded = Value::from(Scalar::F16(0.1));
    assert_eq!(Flat::from(&unrounded).to_value(), Value::from(half(0.1)));
}

#[test]
fn derivatives_are_halves() {
    let program = Program::trace(|xs: Arr<F16>| (xs * xs * xs).map(F16::exp).sum()).unwrap();
    let gradient = program.grad(0).unwrap();
    let xs = drawn(300);
    let by_lanes: Halves = gradient.compile().unwrap().at(&xs).unwrap();
    assert_eq!(by_lanes, gradient.at::<Halves>(&xs).unwrap());
    for (x, found) in xs.iter().zip(by_lanes) {
        let x = f64::from(*x);
        let exact = 3.0 * x * x * (x * x * x).exp();
        assert!((f64::from(found) - exact).abs() <= 16.0 * f64::from(f16::EPSILON) * exact, "{found} at {x}");
    }
    // The number itself is rounded, and its derivative is 1.
    let mut b = Builder::new();
    let x = b.parameter("x", Type::scalar(Prim::F64));
    let rounded = b.scalar(ScalarOp::Convert(Prim::F16), &[x.into()]);
    let doubled = b.scalar(ScalarOp::Mul, &[rounded, constant(Prim::F16, 2.0)]);
    let wide = b.scalar(ScalarOp::Convert(Prim::F64), &[doubled]);
    let program = b.finish(vec![wide]).unwrap();
    assert_eq!(program.jvp().unwrap().at::<(f64, f64)>((0.1, 1.0)), Ok((2.0 * f64::from(half(0.1)), 2.0)));
    assert_eq!(program.vjp().unwrap().at::<(f64, f64)>((0.1, 1.0)), Ok((2.0 * f64::from(half(0.1)), 2.0)));
}
