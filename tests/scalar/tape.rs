//! The memory of the tape: recordings of all sizes, one after the other on one tape, over numbers of several sizes.
//!
//! Law: a kept tape returns what a new one does, and both what forward mode does, exactly on small whole numbers.

use catadiff::carriers::{Dual, Tape};
use catadiff::prelude::*;

/// A reproducible stream of numbers below `bound`.
fn stream(mut state: u64) -> impl FnMut(usize) -> usize {
    move |bound| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % bound
    }
}

/// A straight-line program of sums, differences, products and scalings, in which all kinds of node occur: sums of
/// plain tangents, of scaled ones, of one of each, of a tangent with itself, and constants.
fn program<R: Real>(x: &[R], operations: usize, seed: u64) -> R {
    let mut next = stream(seed);
    let mut values = x.to_vec();
    for _ in 0..operations {
        let (a, b) = (values[next(values.len())], values[next(values.len())]);
        values.push(match next(7) {
            0 => a + b,
            1 => a - b,
            // Small numbers times at most 1 in size, so that whole numbers stay exact.
            2 => a * R::constant(next(3) as f64 - 1.0),
            3 => -a,
            4 => a + R::constant(1.0),
            5 => a.max(b),
            _ => a.min(b) + a,
        });
        if values.len() > 40 {
            values.remove(0);
        }
    }
    values[values.len() - 3..].iter().copied().sum::<R>() + x[0] * x[x.len() - 1]
}

fn point(n: usize) -> Vec<f64> {
    (0..n).map(|i| ((i * 7) % 5) as f64 - 2.0).collect()
}

#[test]
fn a_kept_tape_answers_what_forward_mode_does() {
    let mut tape = Tape::new();
    // Up and down, past the first block and past several doublings.
    for (round, operations) in [3, 40, 700, 5, 3000, 1, 300].into_iter().enumerate() {
        let x = point(2 + 5 * round % 23);
        let mut gradient = vec![f64::NAN; x.len()];
        let seed = round as u64;
        let value = tape.value_and_grad(|x| program(x, operations, seed), &x, &mut gradient).unwrap();
        let expected = Forward::value_and_grad(|x| program(x, operations, seed), &x).unwrap();
        if expected.1.iter().all(|g| g.abs() < 2.0_f64.powi(52)) {
            assert_eq!((value, &gradient), (expected.0, &expected.1), "{operations} operations");
        }
        assert_eq!(Reverse::grad(|x| program(x, operations, seed), &x).unwrap(), gradient);
    }
}

/// What a tape has room for is what it held, also where that was in many pieces.
#[test]
fn a_long_recording_leaves_room_for_as_long_a_one() {
    fn long<R: Real>(x: &[R], operations: usize) -> R {
        (0..operations).fold(x[0], |y, _| y * R::constant(0.5) + x[1])
    }
    let mut tape = Tape::new();
    let x = [1.0, 3.0];
    for operations in [300_000, 5, 300_000, 40] {
        let mut gradient = [f64::NAN; 2];
        tape.value_and_grad(|x| long(x, operations), &x, &mut gradient).unwrap();
        assert_eq!(gradient.to_vec(), Reverse::grad(|x| long(x, operations), &x).unwrap(), "{operations} operations");
    }
}

#[test]
fn pulled_back_and_pushed_forward_agree() {
    let x = point(9);
    let several = |seed: u64| (0..4).map(|k| seed + 10 * k).collect::<Vec<_>>();
    for seed in 0..20 {
        let (_, pullback) = vjp(|x| several(seed).iter().map(|s| program(x, 60, *s)).collect(), &x).unwrap();
        let (_, linear) = linearize(|x| several(seed).iter().map(|s| program(x, 60, *s)).collect(), &x).unwrap();
        let (w, v) = ([1.0, -2.0, 3.0, 0.0], point(9));
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        assert_eq!(dot(&pullback.call(&w).unwrap(), &v), dot(&w, &linear.call(&v).unwrap()));
    }
}

#[test]
fn numbers_of_every_size_and_alignment_fit() {
    fn gradient<S: Base>(x: &[S]) -> Vec<S> {
        let mut tape = Tape::new();
        let mut gradient = x.to_vec();
        for n in [1, x.len(), 2, x.len()] {
            let _ = tape.value_and_grad(|x| program(x, 50, 3), &x[..n], &mut gradient[..n]).unwrap();
        }
        gradient
    }
    let x = point(30);
    let expected = gradient(&x);
    assert_eq!(expected, Forward::grad(|x| program(x, 50, 3), &x).unwrap());
    let single: Vec<f32> = x.iter().map(|x| *x as f32).collect();
    assert_eq!(gradient(&single).iter().map(|g| f64::from(*g)).collect::<Vec<_>>(), expected);
    let nested: Vec<Dual<f64>> = x.iter().map(|x| Dual { value: *x, tangent: 1.0 }).collect();
    assert_eq!(gradient(&nested).iter().map(|g| g.value).collect::<Vec<_>>(), expected);
}

/// A function that panics leaves a tape that can be used again.
#[test]
fn a_panic_in_the_function_harms_nothing() {
    let mut tape = Tape::new();
    let (x, mut gradient) = (point(5), vec![0.0; 5]);
    let interrupted = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        let _ = tape.value_and_grad(
            |x| if program(x, 30, 1) == program(x, 30, 1) { panic!("on purpose") } else { x[0] },
            &x,
            &mut gradient,
        );
    }));
    assert!(interrupted.is_err());
    tape.value_and_grad(|x| program(x, 30, 1), &x, &mut gradient).unwrap();
    assert_eq!(gradient, Forward::grad(|x| program(x, 30, 1), &x).unwrap());
}

/// Recording costs what the tape's documentation says, and constants nothing.
#[test]
fn constants_unary_functions_and_literals_are_free() {
    let mut tape = Tape::new();
    let mut gradient = [0.0];
    tape.value_and_grad(|x| (x[0].exp().ln_1p() * 3.0 + 2.0).sqrt() / 7.0, &[1.0], &mut gradient).unwrap();
    assert_eq!(tape.len(), 0);
    // A sum of a variable with itself is a scaling.
    tape.value_and_grad(|x| x[0] * x[0] + x[0].sin(), &[1.0], &mut gradient).unwrap();
    assert_eq!((tape.len(), gradient[0]), (0, 2.0 + 1.0_f64.cos()));
    let mut pair = [0.0; 2];
    tape.value_and_grad(|x| x[0] * x[1] + x[0].exp(), &[0.0, 3.0], &mut pair).unwrap();
    assert_eq!((tape.len(), pair), (2, [4.0, 0.0]));
    assert_eq!(Tape::<f64>::BYTES_PER_NODE, 24);
}
