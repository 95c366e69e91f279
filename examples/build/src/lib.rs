//! Logistic regression by Newton's method, on derivatives that the build script has taken: at run time there is no crate.

include!(concat!(env!("OUT_DIR"), "/logistic.rs"));

use logistic::{Error, View, Workspace};

/// What was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Fit {
    /// The weights.
    pub weights: Vec<f64>,
    /// The loss and the norm of its gradient, before each step and at the end.
    pub steps: Vec<[f64; 2]>,
}

fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}

/// The weights at which the gradient of the loss is smaller than this.
///
/// Newton's direction is found by conjugate gradients, which need the Hessian only times vectors; a step is halved until the loss falls.
///
/// # Errors
/// If there are not as many labels as points.
pub fn fit(points: View<'_, f64, 2>, labels: &[f64], tolerance: f64) -> Result<Fit, Error> {
    let [_, d] = points.sizes();
    let (mut weights, mut steps) = (vec![0.0; d], Vec::new());
    // Kept from call to call: after the first ones nothing is allocated.
    let (mut gradient, mut curved, mut workspace) = (Vec::new(), Vec::new(), Workspace::new());
    loop {
        let loss = logistic::value_and_gradient_into(points, labels, &weights, &mut gradient, &mut workspace)?;
        steps.push([loss, dot(&gradient, &gradient).sqrt()]);
        if dot(&gradient, &gradient).sqrt() < tolerance || steps.len() == 50 {
            return Ok(Fit { weights, steps });
        }
        let mut direction = vec![0.0; d];
        let mut residual: Vec<f64> = gradient.iter().map(|g| -g).collect();
        let (mut along, mut left) = (residual.clone(), dot(&residual, &residual));
        for _ in 0..d {
            logistic::hessian_times_into(points, labels, &weights, &along, &mut curved, &mut workspace)?;
            let by = left / dot(&along, &curved);
            direction.iter_mut().zip(&along).for_each(|(x, p)| *x += by * p);
            residual.iter_mut().zip(&curved).for_each(|(r, h)| *r -= by * h);
            let before = std::mem::replace(&mut left, dot(&residual, &residual));
            if left < 1e-24 {
                break;
            }
            along.iter_mut().zip(&residual).for_each(|(p, r)| *p = r + left / before * *p);
        }
        let mut by = 1.0;
        loop {
            let next: Vec<f64> = weights.iter().zip(&direction).map(|(w, p)| w + by * p).collect();
            if by < 1e-10 || logistic::loss_into(points, labels, &next, &mut workspace)? <= loss {
                weights = next;
                break;
            }
            by /= 2.0;
        }
    }
}

/// Points in two classes, with a 1 in front: the label is 1 where a point is likely on one side of a line.
#[must_use]
pub fn sample(n: usize) -> (Vec<[f64; 3]>, Vec<f64>) {
    let mut state = 1_u64;
    let mut uniform = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    let one = |_| {
        let x = [1.0, 4.0 * uniform() - 2.0, 4.0 * uniform() - 2.0];
        let probability = 1.0 / (1.0 + (-0.5 - 2.0 * x[1] + 1.5 * x[2]).exp());
        (x, f64::from(u8::from(uniform() < probability)))
    };
    (0..n).map(one).unzip()
}
