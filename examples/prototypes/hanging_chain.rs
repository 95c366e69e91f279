//! The shape of an elastic chain that hangs from two nails: its energy is least, which Newton's method finds by sparse Hessians (Powell and
//! Toint, 1979). The energy is recorded once, with the colours of its Hessian, and replayed in each step.

use catadiff::derivative::SparseHessian;
use catadiff::prelude::*;

const LINKS: usize = 15;

/// The energy of springs and of weights, by the places of the joints between them.
fn energy<R: Real>(joints: &[R]) -> R {
    let nails = [[R::constant(0.0), R::constant(0.0)], [R::constant(1.0), R::constant(0.2)]];
    let place = |k: usize| match k {
        0 => nails[0],
        LINKS => nails[1],
        _ => [joints[2 * k - 2], joints[2 * k - 1]],
    };
    let link = |k: usize| {
        let (a, b) = (place(k), place(k + 1));
        let stretched = (a[0] - b[0]).hypot(a[1] - b[1]) * LINKS as f64 - 1.2;
        stretched * stretched * 4.0 + (a[1] + b[1]) * 0.5
    };
    (0..LINKS).map(link).fold(R::zero(), |sum, e| sum + e)
}

pub(crate) fn run() -> catadiff::Result<Vec<f64>> {
    // At first it sags as a parabola does.
    let start = |k: usize| (k as f64 / LINKS as f64, k as f64 / LINKS as f64);
    let mut joints: Vec<f64> = (1..LINKS).map(start).flat_map(|(x, t)| [x, 0.2 * t - 1.2 * t * (1.0 - t)]).collect();
    let hessian = SparseHessian::prepare(|x| energy(x), &joints)?;
    for _ in 0..12 {
        let (_, gradient, matrix) = hessian.values_at(&joints)?;
        let step = solve(&matrix.to_dense().concat(), &gradient)?;
        joints.iter_mut().zip(step).for_each(|(x, step)| *x -= step);
    }
    Ok([vec![hessian.pattern().len() as f64, energy(&joints)], joints].concat())
}
