//! Functions written for `num_traits::Float` by people who know nothing of derivatives.
//!
//! Law: each method of `Float` has the value that `f64` gives it, and the derivative that its row or its difference
//! quotient gives it.

use catadiff::carriers::Dual;
use catadiff::prelude::{Base, Forward, Reverse, Strategy, VectorForward, diff, grad, hessian, jacfwd, jacrev};
use generic_array::typenum::U3;
use num_complex::Complex;
use num_traits::{Float, FloatConst, FromPrimitive, Num, NumAssign, NumCast, Signed, ToPrimitive};

type D = Dual<f64>;

/// Every method that takes a number to a number, with a point where it is smooth.
macro_rules! unary {
    ($($method:ident at $x:expr),+ $(,)?) => { vec![$((stringify!($method), Float::$method as fn(f64) -> f64, Float::$method as fn(D) -> D, $x)),+] };
}

#[test]
fn unary_methods_have_the_values_of_f64_and_their_slopes() {
    let methods = unary![
        floor at 1.3, ceil at 1.3, round at 1.3, trunc at 1.3, trunc at -1.3, fract at 1.3, fract at -1.3,
        abs at -2.0, abs at 2.0, signum at -2.0, recip at 0.7, sqrt at 0.7, cbrt at -0.7, exp at 0.7, exp2 at 0.7,
        exp_m1 at 0.7, ln at 0.7, ln_1p at 0.7, log2 at 0.7, log10 at 0.7, sin at 0.7, cos at 0.7, tan at 0.7,
        asin at 0.7, acos at 0.7, atan at 0.7, sinh at 0.7, cosh at 0.7, tanh at 0.7, asinh at 0.7, acosh at 1.7,
        atanh at 0.7, to_degrees at 0.7, to_radians at 0.7,
    ];
    for (name, plain, dual, x) in methods {
        let found = dual(D { value: x, tangent: 1.0 });
        assert!((found.value - plain(x)).abs() <= 4.0 * f64::EPSILON * plain(x).abs(), "{name}: {}", found.value);
        let h = 1e-5;
        let slope = (plain(x + h) - plain(x - h)) / (2.0 * h);
        assert!(
            (found.tangent - slope).abs() <= 1e-7 * slope.abs().max(1.0),
            "{name}: {} against {slope}",
            found.tangent
        );
    }
}

#[test]
fn methods_of_several_numbers_have_their_slopes() {
    type Binary<F> = fn(F, F) -> F;
    macro_rules! binary {
        ($($name:literal $f:expr),+) => { vec![$(($name, $f as Binary<f64>, $f as Binary<D>)),+] };
    }
    fn clamp<F: Float>(x: F, y: F) -> F {
        x.clamp(F::zero(), y)
    }
    fn fma<F: Float>(x: F, y: F) -> F {
        x.mul_add(y, y)
    }
    let methods = binary![
        "rem" |x, y| x % y, "powf" Float::powf, "log" Float::log, "max" Float::max, "min" Float::min, "abs_sub" Float::abs_sub,
        "hypot" Float::hypot, "atan2" Float::atan2, "copysign" Float::copysign, "clamp" clamp, "fma" fma,
        "powi" |x, _| Float::powi(x, -3), "sin_cos" |x, y| { let (s, c) = Float::sin_cos(x); s * c * y }
    ];
    for (name, plain, dual) in methods {
        for (x, y) in [(2.5, 1.7), (0.4, 1.7)] {
            let h = 1e-5;
            let slopes =
                [(plain(x + h, y) - plain(x - h, y)) / (2.0 * h), (plain(x, y + h) - plain(x, y - h)) / (2.0 * h)];
            for (i, slope) in slopes.into_iter().enumerate() {
                let tangent = [[1.0, 0.0], [0.0, 1.0]][i];
                let found = dual(D { value: x, tangent: tangent[0] }, D { value: y, tangent: tangent[1] });
                assert!((found.value - plain(x, y)).abs() <= 4.0 * f64::EPSILON, "{name}: {}", found.value);
                assert!(
                    (found.tangent - slope).abs() <= 1e-7 * slope.abs().max(1.0),
                    "{name} by {i}: {found:?}, {slope}"
                );
            }
        }
    }
}

#[test]
fn the_remainder_is_exact_where_the_quotient_rounds() {
    // The double 0.1 is above a tenth, so it goes into 1 only nine times, though the quotient rounds to 10.
    let (x, y) = (D { value: 1.0, tangent: 0.0 }, D { value: 0.1, tangent: 1.0 });
    assert_eq!((x / y).value, 10.0);
    assert_eq!(((x % y).value, (x % y).tangent), (1.0 % 0.1, -9.0));
    let (x, y) = (D { value: -7.5, tangent: 1.0 }, D { value: 2.0, tangent: 10.0 });
    assert_eq!(((x % y).value, (x % y).tangent), (-1.5, 31.0));
    let mut z = x;
    z %= D { value: f64::infinity(), tangent: 1.0 };
    assert_eq!((z.value, z.tangent), (-7.5, 1.0));
}

#[test]
fn special_values_are_those_of_f64() {
    let (nan, one) = (<D as Float>::nan(), D { value: 1.0, tangent: 5.0 });
    assert!(Float::is_nan(nan) && Float::is_nan(Float::abs_sub(nan, one)));
    assert_eq!((Float::max(nan, one).tangent, Float::min(one, nan).tangent), (5.0, 5.0));
    assert_eq!(Float::signum(<D as Float>::neg_zero()).value, -1.0);
    assert_eq!(Float::max(one, D { value: 1.0, tangent: 7.0 }).tangent, 5.0, "a tie goes to the first");
    assert_eq!(<D as Float>::epsilon().value, f64::EPSILON);
    assert_eq!(Float::integer_decode(one), Float::integer_decode(1.0));
    assert!(Float::is_infinite(<D as Float>::infinity()) && !Float::is_finite(<D as Float>::neg_infinity()));
    assert!(Float::is_subnormal(D { value: 1e-310, tangent: 0.0 }));
    assert_eq!(<D as Num>::from_str_radix("2.5", 10).unwrap(), 2.5);
    assert!(<D as Num>::from_str_radix("two", 10).is_err());
    assert_eq!(<D as FromPrimitive>::from_f64(0.1).unwrap().value, 0.1);
    assert_eq!(<D as FromPrimitive>::from_u64(1 << 60).unwrap().value, (1_u64 << 60) as f64);
    assert_eq!(<D as NumCast>::from(2.5_f32).unwrap(), 2.5);
    assert_eq!((one.to_i32(), one.to_f64()), (Some(1), Some(1.0)));
    assert_eq!(<D as FloatConst>::TAU().value, std::f64::consts::TAU);
    assert_eq!((Signed::abs(&-one).tangent, Signed::is_negative(&-one)), (5.0, true));
}

/// A third party's code: a Newton iteration for the Kepler equation `E − e·sin E = M`.
fn kepler<F: Float + FloatConst + NumAssign>(eccentricity: F, mean: F) -> F {
    let mut anomaly = if mean > F::PI() { mean - eccentricity } else { mean + eccentricity };
    for _ in 0..50 {
        let step = (anomaly - eccentricity * anomaly.sin() - mean) / (F::one() - eccentricity * anomaly.cos());
        anomaly -= step;
        if step.abs() <= F::epsilon() {
            break;
        }
    }
    anomaly
}

#[test]
fn foreign_code_runs_in_every_strategy() {
    let at = [0.3, 1.2];
    let anomaly = kepler(at[0], at[1]);
    // By the implicit function theorem.
    let below = 1.0 - at[0] * anomaly.cos();
    let expected = [anomaly.sin() / below, 1.0 / below];
    let all = [
        Reverse::grad(|x| kepler(x[0], x[1]), &at),
        Forward::grad(|x| kepler(x[0], x[1]), &at),
        VectorForward::<U3>::grad(|x| kepler(x[0], x[1]), &at),
    ];
    for gradient in all {
        for (found, expected) in gradient.unwrap().iter().zip(expected) {
            assert!((found - expected).abs() <= 1e-14, "{found} against {expected}");
        }
    }
    let second = hessian(|x| kepler(x[0], x[1]), &at).unwrap()[1][1];
    let expected = -at[0] * anomaly.sin() / below.powi(3);
    assert!((second - expected).abs() <= 1e-13, "{second} against {expected}");
    let single = grad(|x| kepler(x[0], x[1]), &[0.3_f32, 1.2]).unwrap();
    assert!((single[1] as f64 - 1.0 / below).abs() <= 1e-6);
}

#[test]
fn complex_functions_keep_the_equations_of_cauchy_and_riemann() {
    fn f<S: Base + Float>(x: &[S]) -> Vec<S> {
        let z = Complex::new(x[0], x[1]);
        let w = (z.exp() * z.sqrt() + z.ln()) / (z * z + Complex::new(S::one(), S::zero()));
        vec![w.re, w.im]
    }
    for j in [jacfwd(|x| f(x), &[0.8, 0.5]).unwrap(), jacrev(|x| f(x), &[0.8, 0.5]).unwrap()] {
        assert!((j[0][0] - j[1][1]).abs() <= 1e-14 && (j[0][1] + j[1][0]).abs() <= 1e-14, "{j:?}");
        assert!(j[0][0].abs() > 0.01 && j[0][1].abs() > 0.01);
    }
    let modulus = diff(|t| Complex::new(t, t * t).norm(), 2.0).unwrap();
    assert!((modulus - 18.0 / 20.0_f64.sqrt()).abs() <= 1e-15);
}
