//! Zeros against infinities: what is not used never poisons, and what is `0·∞` is not hidden.
//!
//! Law: a zero tangent passes an infinite partial as zero, a switch discards the side it does not take, and all else
//! is IEEE arithmetic ([`Module`](catadiff::Module), *Zeros and infinities*); every mode says the same.

use catadiff::carriers::{Accumulate, Cayley, Dual, Hom, Sparse};
use catadiff::prelude::*;
use catadiff::term::{Arena, Term};
use generic_array::typenum::U2;

/// The gradient of `f` at `x` in each mode that runs a function directly.
fn modes(f: impl for<'x> Fn(&[Anything<'x>]) -> Anything<'x>, x: [f64; 2]) -> Vec<(&'static str, [f64; 2])> {
    let arena = Arena::<usize>::lawless();
    let term = f(&[arena.variable(0), arena.variable(1)]);
    let pair = |gradient: Vec<f64>| [gradient[0], gradient[1]];
    let sparse = Dual::<f64, Sparse<usize, f64>>::eval(&term, |&v| Dual::variable(x[v], v)).tangent;
    type OfHom<'a> = Dual<f64, Hom<'a, f64, Sparse<usize, f64>>>;
    let hom = OfHom::eval(&term, |&v| Dual::variable(x[v], v)).tangent.abs();
    type OfCayley<'a> = Dual<f64, Cayley<'a, f64, Sparse<usize, f64>>>;
    let cayley = OfCayley::eval(&term, |&v| Dual::variable(x[v], v)).tangent.abs();
    type OfAccumulate<'a> = Dual<f64, Accumulate<'a, f64>>;
    let accumulate = OfAccumulate::eval(&term, |&v| Dual::variable(x[v], v)).tangent.abs(2);
    let entries = |map: &Sparse<usize, f64>| [0, 1].map(|v| map.get(&v).copied().unwrap_or(0.0));
    vec![
        ("forward", pair(Forward::grad(|v| run(&term, v), &x).unwrap())),
        ("vector forward", pair(VectorForward::<U2>::grad(|v| run(&term, v), &x).unwrap())),
        ("reverse", pair(Reverse::grad(|v| run(&term, v), &x).unwrap())),
        ("sparse", entries(&sparse)),
        ("downward", entries(&hom)),
        ("Cayley", entries(&cayley)),
        ("accumulated", pair(accumulate)),
    ]
}

type Anything<'a> = Term<'a, usize>;

fn run<R: Real>(term: &Anything<'_>, x: &[R]) -> R {
    term.eval(|&v| x[v])
}

/// Checks all modes against one expected gradient, in which NaN equals NaN.
fn expect(f: impl for<'x> Fn(&[Anything<'x>]) -> Anything<'x>, x: [f64; 2], gradient: [f64; 2]) {
    for (mode, found) in modes(f, x) {
        let same = found.iter().zip(&gradient).all(|(a, b)| a == b || a.is_nan() && b.is_nan());
        assert!(same, "{mode}: {found:?} at {x:?}, expected {gradient:?}");
    }
}

fn constant<'a>(value: f64) -> Anything<'a> {
    Term::constant(value)
}

#[test]
fn the_side_that_max_does_not_take_is_not_felt() {
    expect(|x| x[0].max(constant(0.0)).sqrt() + x[1], [-1.0, 2.0], [0.0, 1.0]);
    // Nor is it when its own derivative is infinite or NaN.
    expect(|x| x[1].max(x[0].sqrt()), [0.0, 2.0], [0.0, 1.0]);
    expect(|x| x[1].min(x[0].recip()), [0.0, 2.0], [0.0, 1.0]);
    expect(|x| x[0].max((x[0] - x[0]).sqrt() + x[1] * 0.0), [1.0, 2.0], [1.0, 0.0]);
}

#[test]
fn a_branch_not_taken_is_not_felt() {
    fn guarded<'a>(x: &[Anything<'a>]) -> Anything<'a> {
        x[0].ge_indicator(constant(0.5)).select(x[0].ln(), x[1])
    }
    expect(guarded, [0.0, 2.0], [0.0, 1.0]);
    fn inverse<'a>(x: &[Anything<'a>]) -> Anything<'a> {
        x[0].abs().select(constant(1.0) / x[0], x[1] * x[1])
    }
    expect(inverse, [0.0, 3.0], [0.0, 6.0]);
    expect(inverse, [2.0, 3.0], [-0.25, 0.0]);
    fn logarithm<'a>(x: &[Anything<'a>]) -> Anything<'a> {
        x[0].select(x[0] * x[0].ln(), constant(0.0)) + x[1]
    }
    expect(logarithm, [0.0, 3.0], [0.0, 1.0]);
}

#[test]
fn steps_and_stopped_gradients_are_not_felt() {
    expect(|x| x[0].sqrt().floor() + x[1], [0.0, 3.0], [0.0, 1.0]);
    expect(|x| x[0].ln().stop_gradient() * 0.0 + x[1], [1.0, 3.0], [0.0, 1.0]);
    expect(|x| x[0].recip().signum() + x[1], [0.0, 3.0], [0.0, 1.0]);
}

#[test]
fn a_constant_through_an_infinite_slope_is_a_constant() {
    expect(|x| constant(0.0).sqrt() + x[0] * x[1], [2.0, 3.0], [3.0, 2.0]);
    expect(|x| x[1].sqrt() + x[0], [2.0, 0.0], [1.0, f64::INFINITY]);
    expect(|x| (x[0] / x[1]).atan(), [2.0, 4.0], [0.2, -0.1]);
}

#[test]
fn an_indeterminate_product_is_nan_and_not_zero() {
    expect(|x| x[0].sqrt() * x[0].sqrt() + x[1], [0.0, 2.0], [f64::NAN, 1.0]);
    // The zero of a smooth partial is a number like any other: here cos(π/2 − π/2), exactly −sin 0.
    expect(|x| x[0].sqrt().cos() + x[1], [0.0, 2.0], [f64::NAN, 1.0]);
}

/// An adjoint that is computed to be 0 is not hidden where it meets an infinite weight.
#[test]
fn a_computed_zero_is_no_zero_of_what_is_not_used() {
    expect(|x| (x[0].exp() + x[1].exp()).ln(), [1000.0, 1.0], [f64::NAN, 0.0]);
    // What is not used has no effect beside it.
    expect(|x| (x[0].exp() + x[1].max(x[0].recip())).ln(), [1000.0, 2.0], [f64::NAN, 0.0]);
}

/// Every use of a shared term counts, also the ones that have no effect: were they dropped, a carrier that waits for
/// the others would wait for ever.
#[test]
fn shared_terms_hear_from_uses_that_are_not_felt() {
    expect(
        |x| {
            let shared = x[0] * x[1];
            shared.max(shared + 1.0) + shared.min(x[1]) + shared.floor() * 2.0
        },
        [2.0, 3.0],
        [3.0, 3.0],
    );
    expect(
        |x| {
            let shared = x[0] * x[1] + x[0];
            let chosen = x[0].ge_indicator(constant(0.0)).select(shared, shared * shared);
            chosen + shared.stop_gradient() * shared
        },
        [2.0, 3.0],
        [4.0 + 8.0 * 4.0, 2.0 + 8.0 * 2.0],
    );
    expect(|x| (x[0] + x[1]) * 0.0 + (x[0] + x[1]), [2.0, 3.0], [1.0, 1.0]);
}
