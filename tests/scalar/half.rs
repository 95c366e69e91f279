//! Half precision: every number of it, what is halfway between two, and the values that numpy has.

use catadiff::carriers::Dual;
use catadiff::primitives::{Primitive, f16};
use catadiff::{Elementary, Real};
use num_traits::{One, Zero};

/// Written by `half.py` beside it.
const TABLE: &str = include_str!("../data/half.csv");

fn all() -> impl Iterator<Item = f16> {
    (0..=u16::MAX).map(f16::from_bits)
}

/// The positive finite ones, in order.
fn positive() -> impl Iterator<Item = f16> {
    (0..f16::INFINITY.to_bits()).map(f16::from_bits)
}

/// The number that the standard says these bits are.
fn meant(x: f16) -> f64 {
    let (bits, sign) = (i32::from(x.to_bits()), if x.to_bits() >> 15 == 0 { 1.0 } else { -1.0 });
    let (exponent, fraction) = (bits >> 10 & 31, f64::from(bits & 1023));
    sign * match exponent {
        0 => fraction * 2_f64.powi(-24),
        31 if fraction > 0.0 => f64::NAN,
        31 => f64::INFINITY,
        _ => (1024.0 + fraction) * 2_f64.powi(exponent - 25),
    }
}

#[test]
fn every_half_is_the_double_that_is_meant_and_comes_back() {
    for x in all() {
        let wide = f64::from(x);
        assert_eq!(wide.is_sign_negative(), x.to_bits() >> 15 == 1);
        if wide.is_nan() {
            assert!(meant(x).is_nan() && f32::from(x).is_nan() && wide.half().is_nan());
            // A NaN becomes a quiet one with the same sign and the same other bits.
            assert_eq!(f16::from_f64(wide).to_bits(), x.to_bits() | 0x200);
            continue;
        }
        assert_eq!((wide, f64::from(f32::from(x))), (meant(x), meant(x)));
        assert_eq!((f16::from_f64(wide).to_bits(), wide.half().to_bits()), (x.to_bits(), wide.to_bits()));
        assert_eq!(f32::from(x).half(), f32::from(x));
    }
}

#[test]
fn what_is_between_two_halves_is_rounded_to_the_nearer_and_halfway_to_the_even_one() {
    for (low, high) in positive().zip(positive().skip(1).map(meant).chain([65536.0])) {
        let halfway = (meant(low) + high) / 2.0;
        let above = f16::from_bits(low.to_bits() + 1);
        let even = if low.to_bits() % 2 == 0 { low } else { above };
        for sign in [1.0, -1.0] {
            for (x, nearest) in [(halfway, even), (halfway.next_down(), low), (halfway.next_up(), above)] {
                let expected = sign * meant(nearest);
                assert_eq!((sign * x).half(), expected, "{x:e}");
                assert_eq!(meant(f16::from_f64(sign * x)), expected, "{x:e}");
            }
        }
        // Digits that no double tells from halfway.
        let places = 25;
        let digits = (halfway * f64::from(1 << places)) as u128 * 5_u128.pow(places);
        for (text, nearest) in [
            (format!("{halfway:.25}"), even),
            (format!("-{halfway:.25}000000"), even),
            (format!("{halfway:.25}00000000000000000001"), above),
            (format!("{digits}e-25"), even),
            (format!("-{}E-26", digits * 10 + 1), above),
            (format!("+{}.0e-26", digits * 10 - 1), low),
        ] {
            let expected = if text.starts_with('-') { -meant(nearest) } else { meant(nearest) };
            assert_eq!(text.parse().map(meant), Ok(expected), "{text}");
        }
    }
}

#[test]
fn every_half_is_read_as_what_it_is_written_as_and_in_the_fewest_digits() {
    for x in all().filter(|x| !f64::from(*x).is_nan()) {
        for text in [format!("{x}"), format!("{x:?}"), format!("{}", f64::from(x)), format!("{:e}", f64::from(x))] {
            assert_eq!(text.parse().map(f16::to_bits), Ok(x.to_bits()), "{text}");
        }
        let digits = |text: &str| text.trim_start_matches(['-', '0', '.']).split('e').next().unwrap().len();
        let (shown, single) = (format!("{:e}", shown(x)), format!("{:e}", f32::from(x)));
        assert!(digits(&shown) <= 6 && digits(&shown) <= digits(&single), "{shown} {single}");
    }
    assert_eq!(f16::from_bits(1).to_string(), "0.00000006");
    assert_eq!(format!("{:?} {:?}", f16::from_bits(1), f16::from_f64(65504.0)), "6e-8 65500.0");
    assert_eq!(format!("{:?} {}", f16::NAN, f16::NEG_INFINITY), "NaN -inf");
    for text in ["", "1.5f16", "one", "0x1p3", "1e"] {
        assert!(text.parse::<f16>().is_err(), "{text}");
    }
    assert_eq!("1e999".parse(), Ok(f16::INFINITY));
    assert_eq!("1e-999999999999999999999".parse().map(f16::to_bits), Ok(0));
}

fn shown(x: f16) -> f64 {
    x.to_string().parse().expect("it is written as a number")
}

#[test]
fn halves_are_compared_as_numbers() {
    let [zero, one] = [0.0, 1.0].map(f16::from_f64);
    assert!(zero == f16::from_bits(0x8000) && zero < one && f16::NEG_INFINITY < zero && one < f16::INFINITY);
    assert!(f16::NAN != f16::NAN && f16::NAN.partial_cmp(&one).is_none());
    assert_eq!((f16::default().to_bits(), f64::from(f16::EPSILON)), (0, 2_f64.powi(-10)));
}

#[test]
fn operations_have_the_values_that_numpy_has() {
    let half = |bits: &str| match bits {
        "nan" => f16::NAN,
        bits => f16::from_bits(u16::from_str_radix(bits, 16).expect("a table of bits")),
    };
    let mut rows = 0;
    for row in TABLE.lines().skip(1) {
        let [function, x, y, value] = row.split(',').collect::<Vec<_>>()[..] else { panic!("four columns: {row}") };
        let expected = half(value);
        let found = if function == "round" {
            f16::from_f64(f64::from_bits(u64::from_str_radix(x, 16).expect("a table of bits")))
        } else {
            let (x, y) = (half(x), if y.is_empty() { f16::NAN } else { half(y) });
            match function {
                "add" => x + y,
                "sub" => x - y,
                "mul" => x * y,
                "div" => x / y,
                row => Primitive::named(row, None).expect("a row").apply(&[x]),
            }
        };
        let is_same = found.to_bits() == expected.to_bits() || value == "nan" && f64::from(found).is_nan();
        assert!(is_same, "{row}: {found}");
        rows += 1;
    }
    assert!(rows > 400);
}

#[test]
fn halves_are_numbers_of_carriers() {
    fn f<R: Real>(x: R) -> R {
        (x * x + 1.0).sqrt() * x.exp() - x / 3.0
    }
    let rounded = |x: f64| f16::from_f64(x);
    let x = rounded(0.7);
    let Dual { value, tangent } = f(Dual::<f16> { value: x, tangent: f16::one() });
    assert_eq!(value, f(x));
    let exact = f(Dual::<f64> { value: x.into(), tangent: 1.0 });
    assert!((f64::from(value) - exact.value).abs() < 4.0 * f64::from(f16::EPSILON) * exact.value);
    assert!((f64::from(tangent) - exact.tangent).abs() < 8.0 * f64::from(f16::EPSILON) * exact.tangent);
    assert_eq!(x.primal(), Some(f64::from(x)));
    assert!(f16::zero().is_zero() && rounded(-0.0).is_zero() && !f16::one().is_zero() && f16::one() == rounded(1.0));
    // Each step is rounded: from 2048 on the next number is 2 larger.
    assert_eq!(rounded(2048.0) + 1.0 + 1.0, rounded(2048.0));
    assert_eq!([2047.0, 1.0, 1.0].map(rounded).iter().sum::<f16>(), rounded(2048.0));
}
