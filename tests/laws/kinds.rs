//! The kinds of numbers: integers of each are Rust's own, and so are conversions, on every executor.

use catadiff::array::{Const, Prim, ScalarOp};
use catadiff::execute::{Executor, Interpreter, Lanes};
use catadiff::primitives::{Primitive, f16};
use catadiff_laws::kinds::{converted, corners, has_no_value, has_values, operations};

const INTEGERS: [Prim; 8] = [Prim::I8, Prim::I16, Prim::I32, Prim::I64, Prim::U8, Prim::U16, Prim::U32, Prim::U64];

/// All pairs of 8 bits; of more, corners and some that are drawn.
fn pairs(prim: Prim) -> Vec<[Const; 2]> {
    let all = match prim.bits() {
        8 => (0..256).map(|n| Const::wrapped(n, prim)).collect(),
        _ => corners(prim, 7),
    };
    all.iter().flat_map(|x| all.iter().map(|y| [*x, *y])).collect()
}

fn integers_are_those_of<E: Executor>(executor: &E) {
    for prim in INTEGERS {
        let pairs = pairs(prim);
        for (op, value) in operations() {
            let known: Vec<([Const; 2], Const)> = pairs.iter().filter_map(|x| Some((*x, value(x)?))).collect();
            assert_eq!(has_values(executor, op, &known), Ok(()), "{op} of {prim}");
            // Rust's powers have exponents of 32 bits; other operations are not defined where they have no value.
            let is_none = |x: &&[Const; 2]| value(&x[..]).is_none() && op.value(&x[..op.arity()]).is_none();
            for pair in pairs.iter().filter(is_none).take(3) {
                assert_eq!(has_no_value(executor, op, *pair), Ok(()), "{op} of {prim}");
            }
        }
    }
}

#[test]
fn integers_are_rusts_own_interpreted() {
    integers_are_those_of(&Interpreter);
}

#[test]
fn integers_are_rusts_own_on_lanes() {
    integers_are_those_of(&Lanes);
}

/// Numbers of a kind, whose conversions are checked.
fn numbers(prim: Prim) -> Vec<Const> {
    let reals = [
        0.0,
        -0.0,
        0.5,
        -0.5,
        1.0,
        -1.0,
        1.5,
        127.0,
        128.5,
        -129.0,
        255.0,
        256.0,
        32767.5,
        -32769.0,
        65536.0,
        65519.9,
        65520.0,
        2049.0,
        6.2e-5,
        2.99e-8,
        16_777_217.0,
        2_147_483_648.0,
        -2_147_483_649.0,
        4_294_967_296.0,
        9.3e18,
        -9.3e18,
        1.9e19,
        1e300,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
    ];
    match prim {
        Prim::Bool => vec![Const::Bool(false), Const::Bool(true)],
        prim if prim.is_real() => reals.map(|x| Const::rounded(x, prim)).to_vec(),
        prim => corners(prim, 11),
    }
}

fn conversions_are_those_of<E: Executor>(executor: &E) {
    for from in Prim::ALL {
        for to in Prim::ALL {
            let known: Vec<([Const; 2], Const)> =
                numbers(from).into_iter().map(|x| ([x, x], converted(x, to))).filter(|(_, z)| !is_nan(*z)).collect();
            assert_eq!(has_values(executor, ScalarOp::Convert(to), &known), Ok(()), "{from} to {to}");
        }
    }
}

fn is_nan(x: Const) -> bool {
    x.real().is_some_and(f64::is_nan)
}

#[test]
fn conversions_are_rusts_own() {
    conversions_are_those_of(&Interpreter);
    conversions_are_those_of(&Lanes);
}

/// Reals of single precision: some of interest, and bits that are drawn.
fn singles() -> Vec<f32> {
    let drawn = (0..60_u32).map(|k| f32::from_bits(k.wrapping_mul(2_654_435_761).rotate_left(k)));
    let known = [0.0, -0.0, 1.0, 0.1, -3.0, 1e-45, 1.2e-38, 3.4e38, 16_777_217.0, f32::INFINITY];
    known.into_iter().chain(drawn).filter(|x| !x.is_nan()).collect()
}

type OfSingles = fn(f32, f32) -> f32;

/// The operations that are rounded once, and their values in Rust.
fn rounded_once() -> [(ScalarOp, OfSingles); 6] {
    [
        (ScalarOp::Add, |x, y| x + y),
        (ScalarOp::Mul, |x, y| x * y),
        (Primitive::Sub.into(), |x, y| x - y),
        (Primitive::Div.into(), |x, y| x / y),
        (Primitive::Sqrt.into(), |x, _| x.sqrt()),
        (Primitive::Recip.into(), |x, _| x.recip()),
    ]
}

fn singles_are_those_of<E: Executor>(executor: &E) {
    let pairs = || singles().into_iter().flat_map(|x| singles().into_iter().map(move |y| [x, y]));
    for (op, value) in rounded_once() {
        let known = pairs().map(|[x, y]| ([x, y].map(Const::F32), Const::F32(value(x, y))));
        let known: Vec<([Const; 2], Const)> = known.filter(|(_, z)| !is_nan(*z)).collect();
        assert_eq!(has_values(executor, op, &known), Ok(()), "{op} of f32");
    }
}

#[test]
fn singles_are_rusts_own() {
    singles_are_those_of(&Interpreter);
    singles_are_those_of(&Lanes);
}

/// The half that is nearest to a double, found among all of them.
fn nearest(x: f64) -> f16 {
    let last = f16::INFINITY.to_bits();
    // Infinity is as far as a number after the largest would be.
    let size = |bits: u16| if bits == last { 65536.0 } else { f64::from(f16::from_bits(bits)) };
    let (mut below, mut above) = (0, last);
    while above - below > 1 {
        let middle = below.midpoint(above);
        *if size(middle) <= x.abs() { &mut below } else { &mut above } = middle;
    }
    let (down, up) = (x.abs() - size(below), size(above) - x.abs());
    let found = if up < down || up == down && above % 2 == 0 { above } else { below };
    f16::from_bits(found | u16::from(x.is_sign_negative()) << 15)
}

fn halves() -> Vec<f16> {
    let drawn = (0..40_u32).map(|k| f16::from_bits(k.wrapping_mul(2_654_435_761).rotate_left(k) as u16));
    let known = [0.0, -0.0, 1.0, 0.1, -3.0, 6e-8, 6.1e-5, 65504.0, 2049.0, f64::INFINITY].map(f16::from_f64);
    known.into_iter().chain(drawn).filter(|x| !f64::from(*x).is_nan()).collect()
}

/// In singles the same comes out: they have twice as many digits and two more as well.
fn halves_are_nearest_to_singles<E: Executor>(executor: &E) {
    let pairs = || halves().into_iter().flat_map(|x| halves().into_iter().map(move |y| [x, y]));
    for (op, value) in rounded_once() {
        let of = |[x, y]: [f16; 2]| value(x.into(), y.into());
        let known = pairs().filter(|pair| !of(*pair).is_nan());
        let known: Vec<([Const; 2], Const)> =
            known.map(|pair| (pair.map(Const::F16), Const::F16(nearest(of(pair).into())))).collect();
        assert_eq!(has_values(executor, op, &known), Ok(()), "{op} of f16");
    }
}

#[test]
fn halves_are_nearest_to_what_is_computed_with_more_digits() {
    halves_are_nearest_to_singles(&Interpreter);
    halves_are_nearest_to_singles(&Lanes);
}
