//! An orbit by series of order twenty in time (Jorba and Zou, "A Software Package for the Numerical Integration of ODEs by Means of High-Order
//! Taylor Methods", 2005), and its derivative by the state at first: the numbers of the series are those of any strategy.

use catadiff::carriers::Taylor;
use catadiff::prelude::*;
use catadiff::typenum::U21;

type Series<R> = Taylor<R, U21>;

/// What a body is pulled by that turns about the origin.
fn pull<R: Real>(x: R, y: R) -> [R; 2] {
    let strength = -(x * x + y * y).powf(-1.5);
    [x * strength, y * strength]
}

/// The series with this derivative that begins with this number.
fn integral<R: Real>(start: R, derivative: &Series<R>) -> Series<R> {
    let terms = (1..21).map(|k| derivative[k - 1] / k as f64);
    Series::from_coefficients(core::iter::once(start).chain(terms))
}

/// Places and velocities after a step: each iteration of Picard's has another term right.
fn step<R: Real>([x, y, u, v]: [R; 4], dt: f64) -> [R; 4] {
    let mut state = [x, y, u, v].map(Series::lift);
    for _ in 0..20 {
        let [a, b] = pull(state[0], state[1]);
        state = [integral(x, &state[2]), integral(y, &state[3]), integral(u, &a), integral(v, &b)];
    }
    state.map(|series| series.evaluate(&R::constant(dt)))
}

fn orbit<R: Real>(start: &[R]) -> Vec<R> {
    (0..20).fold([start[0], start[1], start[2], start[3]], |state, _| step(state, 0.125)).to_vec()
}

pub(crate) fn run() -> catadiff::Result<Vec<f64>> {
    let start = [0.7, 0.0, 0.0, 1.36];
    Ok([orbit(&start), jacfwd(|x| orbit(x), &start)?.concat()].concat())
}
