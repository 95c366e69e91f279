//! Newton's method without a Hessian (Nash, "A Survey of Truncated-Newton Methods", 2000): conjugate gradients need it times a vector only, which is
//! forward over reverse at the price of a few gradients. Rosenbrock's valley in twenty dimensions.

use catadiff::prelude::*;

fn valley<R: Real>(x: &[R]) -> R {
    let pair = |x: &[R]| (x[1] - x[0] * x[0]).powi(2) * 10.0 + (-x[0] + 1.0).powi(2);
    x.windows(2).map(pair).fold(R::zero(), |sum, term| sum + term)
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn moved(x: &[f64], by: f64, way: &[f64]) -> Vec<f64> {
    x.iter().zip(way).map(|(x, w)| x + by * w).collect()
}

/// The step of at most twenty conjugate gradients, or up to where the curvature is not positive.
fn newton_step(x: &[f64], gradient: &[f64]) -> catadiff::Result<Vec<f64>> {
    let (mut step, mut left) = (vec![0.0; x.len()], moved(&vec![0.0; x.len()], -1.0, gradient));
    let mut way = left.clone();
    for _ in 0..20 {
        let (_, ahead) = hvp(|x| valley(x), x, &way)?;
        let (square, curvature) = (dot(&left, &left), dot(&way, &ahead));
        if curvature <= 0.0 || square < 1e-24 {
            break;
        }
        step = moved(&step, square / curvature, &way);
        left = moved(&left, -square / curvature, &ahead);
        way = moved(&left, dot(&left, &left) / square, &way);
    }
    Ok(step)
}

pub(crate) fn run() -> catadiff::Result<Vec<f64>> {
    let mut x: Vec<f64> = (0..20).map(|k| 0.3 * f64::from(k).sin()).collect();
    for _ in 0..30 {
        let (value, gradient) = value_and_grad(|x| valley(x), &x)?;
        let step = newton_step(&x, &gradient)?;
        // Half of the step, and half of that, until the valley is lower there.
        let mut length = 1.0;
        while valley(&moved(&x, length, &step)) > value + 1e-4 * length * dot(&gradient, &step) && length > 1e-6 {
            length *= 0.5;
        }
        x = moved(&x, length, &step);
    }
    Ok([vec![valley(&x)], x].concat())
}
