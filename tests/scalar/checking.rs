//! `check_grad` and `taylor` at awkward points: no false alarm, no missed mistake, no panic.
//!
//! Law: a check says `Ok` for a right derivative wherever it exists, and `Disagree` for a wrong one.

use catadiff::prelude::*;
use catadiff::primitives::Scalar;
use catadiff::{Error, Rule};

#[test]
fn right_gradients_pass_where_they_are_steep_or_close_to_an_end() {
    for at in [1e-9, 0.01, 1.0, 1e9] {
        check_grad(|x| x[0].ln(), &[at], 1e-8).unwrap();
        check_grad(|x| x[0].sqrt(), &[at], 1e-8).unwrap();
        check_grad(|x| x[0].recip(), &[at], 1e-8).unwrap();
    }
    for frequency in [1.0, 1000.0, 20.0 * core::f64::consts::PI] {
        for at in [0.0, 0.5, 0.4999, 3.0] {
            check_grad(|x| (x[0] * frequency).sin(), &[at], 1e-8).unwrap();
        }
    }
    check_grad(|x| x[0] + 1.0, &[1e-300], 1e-8).unwrap();
    check_grad(|x| x[0].exp() * 1e-3, &[700.0], 1e-8).unwrap();
    check_grad(|x| x[0].asin(), &[0.999_999], 1e-6).unwrap();
    check_grad(|x| if x[0] > 0.3 { x[0] * x[0] } else { x[0] }, &[0.300_01], 1e-8).unwrap();
}

/// Values may be too large for their differences to say anything of a small part.
#[test]
fn what_rounding_hides_is_allowed_for() {
    check_grad(|x| x[0] * 1e20 + x[1] * x[1], &[1.0, 3.0], 1e-8).unwrap();
}

/// The sine, with a partial that is off by a factor.
#[derive(Clone)]
struct Wrong(f64);
impl Rule<1> for Wrong {
    fn name(&self) -> &'static str {
        "wrong"
    }
    fn value(&self, [x]: [f64; 1]) -> f64 {
        x.sin()
    }
    fn partial<S: Scalar>(&self, _: usize, [x]: [S; 1], _: S) -> S {
        x.cos() * S::constant(self.0)
    }
}

#[test]
fn wrong_gradients_do_not_pass() {
    for at in [1e-6, 0.3, 1.0, 50.0] {
        check_grad(|x| Wrong(1.0).of([x[0]]), &[at], 1e-8).unwrap();
        for factor in [0.0, -1.0, 1.000_01, 1e6] {
            let answer = check_grad(|x| Wrong(factor).of([x[0]]), &[at], 1e-8);
            assert!(matches!(answer, Err(Error::Disagree { index: 0, .. })), "{factor} at {at}: {answer:?}");
        }
    }
    for at in [1.0, -3.0, 0.0] {
        assert!(check_grad(|x| x[0].floor(), &[at], 1e-8).is_err());
    }
    assert!(check_grad(|x| x[0] * stop_gradient(x[0]), &[2.0], 1e-8).is_err());
    // Nothing to compare with.
    assert!(matches!(check_grad(|x| x[0].sqrt(), &[0.0], 1e-8), Err(Error::Disagree { .. })));
}

#[test]
fn orders_of_a_series_have_a_limit() {
    let too_large = Error::TooLarge { what: "the order of the series", limit: 65_535 };
    assert_eq!(taylor(|t| t.exp(), 0.0, usize::MAX).unwrap_err(), too_large);
    assert_eq!(taylor(|t| t.exp(), 0.0, 65_536).unwrap_err(), too_large);
    assert_eq!(taylor_along(|x| vec![x[0]], &[0.0], &[1.0], usize::MAX).unwrap_err(), too_large);
    assert_eq!(taylor(|t| t + 1.0, 0.0, 65_535).unwrap().len(), 65_536);
}
