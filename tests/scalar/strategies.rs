//! Every strategy gives the same derivative: on the classical functions, nested in each other, with branches.
use catadiff::prelude::*;
use generic_array::typenum::{U2, U8};

fn classic<R: Real>(x: &[R]) -> R {
    x[0].ln() + x[0] * x[1] - x[1].sin()
}

fn busy<R: Decide>(x: &[R]) -> R {
    let mut sum = R::zero();
    for (i, a) in x.iter().enumerate() {
        for b in &x[..i] {
            sum += (*a - *b).powi(2) * 0.5 + (*a * *b).tanh() / (a.exp() + 1.0);
        }
        if sum > 1.0 {
            sum = sum.sqrt() + a.max(x[0]);
        }
    }
    sum
}

/// What is known to be 0 is so for ever; a variable whose value happens to be 0 is not.
fn knows_zero<R: Real>(x: &[R]) -> R {
    assert!(R::zero().is_zero() && (R::zero() + R::zero()).is_zero() && !x[0].is_zero());
    x[0]
}

fn close(a: &[f64], b: &[f64]) {
    assert_eq!(a.len(), b.len());
    for (a, b) in a.iter().zip(b) {
        assert!((a - b).abs() <= 1e-12 * b.abs().max(1.0), "{a} is not {b}");
    }
}

fn check<A: Strategy<f64>>() {
    let (value, gradient) = A::value_and_grad(|x| classic(x), &[2.0, 5.0]).unwrap();
    assert_eq!(value, 2.0_f64.ln() + 10.0 - 5.0_f64.sin());
    close(&gradient, &[5.5, 2.0 - 5.0_f64.cos()]);

    let x = [0.3, -1.2, 0.8, 2.0, -0.1];
    let expected = Forward::grad(|x| busy(x), &x).unwrap();
    close(&A::grad(|x| busy(x), &x).unwrap(), &expected);
    check_grad(|x| busy(x), &x, 1e-8).unwrap();

    assert_eq!(A::grad(|x| knows_zero(x), &[0.0]), Ok(vec![1.0]));

    let jacobian = A::jacobian(|x| vec![x[0] * x[1], x[1], R(x[0]).0 / x[2]], &[2.0, 3.0, 4.0]).unwrap();
    close(&jacobian.concat(), &[3.0, 2.0, 0.0, 0.0, 1.0, 0.0, 0.25, 0.0, -0.125]);
}

struct R<T>(T);

#[test]
fn all_strategies_agree() {
    check::<Forward>();
    check::<VectorForward<U2>>();
    check::<VectorForward<U8>>();
    check::<SparseForward>();
    check::<Downward>();
    check::<CayleyReverse>();
    check::<MutableReverse>();
    check::<Reverse>();
    check::<Symbolic>();
}

/// d/dx Σ ∂/∂y (x²·y³) at y = x, by an outer and an inner strategy: d/dx 3x⁴ = 12x³.
macro_rules! nested {
    ($($Outer:ty, $Inner:ty;)+) => {$({
        let outer = <$Outer>::grad(|x| {
            let inner = <$Inner>::grad(|y| {
                let x = <$Inner as Numbers<_>>::lift(x[0]);
                x * x * y[0] * y[0] * y[0]
            }, &[x[0]]).unwrap();
            inner[0]
        }, &[2.0]).unwrap();
        assert_eq!(outer, [96.0], "{} over {}", stringify!($Outer), stringify!($Inner));
    })+};
}

#[test]
fn strategies_nest_in_every_mix() {
    nested! {
        Forward, Forward; Forward, Reverse; Reverse, Forward; Reverse, Reverse;
        VectorForward<U2>, Reverse; Reverse, VectorForward<U2>; Symbolic, Reverse; Reverse, Symbolic;
        CayleyReverse, Forward; Forward, CayleyReverse; Downward, MutableReverse; MutableReverse, Downward;
        SparseForward, Symbolic; Symbolic, Symbolic;
    }
}

#[test]
fn third_order_in_a_mix() {
    let third = diff(|x| Reverse::grad(|y| diff(|z| z.powi(5), y[0]).unwrap(), &[x]).unwrap()[0], 2.0);
    assert_eq!(third, Ok(60.0 * 4.0));
}

#[test]
fn single_precision_points() {
    let gradient = grad(|x| x[0] * x[1] * 2.0, &[3.0_f32, 4.0]).unwrap();
    assert_eq!(gradient, [8.0_f32, 6.0]);
    assert_eq!(Symbolic::grad(|x| 2.0 * x[0] * x[1], &[3.0_f32, 4.0]).unwrap(), [8.0_f32, 6.0]);
}
