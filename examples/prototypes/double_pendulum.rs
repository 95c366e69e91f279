//! Motion from a Lagrangian alone (as in Cranmer et al., "Lagrangian Neural Networks", 2020): the equations of Euler and Lagrange need its gradient, its
//! Hessian and a solve, so nobody derives them on paper. A double pendulum swings by steps of Runge and Kutta.

use catadiff::prelude::*;

/// Kinetic less potential energy, by both angles and how fast they change; threads and masses are 1.
fn lagrangian<R: Real>(state: &[R]) -> R {
    let (a, b, u, v) = (state[0], state[1], state[2], state[3]);
    let kinetic = u * u + v * v * 0.5 + u * v * (a - b).cos();
    kinetic + (a.cos() * 2.0 + b.cos()) * 9.81
}

/// How the state changes: where `d/dt ∂L/∂v = ∂L/∂q`.
fn change(state: &[f64]) -> catadiff::Result<Vec<f64>> {
    let (gradient, hessian) = (grad(|x| lagrangian(x), state)?, hessian(|x| lagrangian(x), state)?);
    let (u, v) = (state[2], state[3]);
    let mass = [&hessian[2][2..], &hessian[3][2..]].concat();
    let force = [0, 1].map(|i| gradient[i] - hessian[i + 2][0] * u - hessian[i + 2][1] * v);
    Ok([vec![u, v], solve(&mass, &force)?].concat())
}

pub(crate) fn run() -> catadiff::Result<Vec<f64>> {
    let mut state = vec![1.2, 0.5, 0.0, 0.0];
    let dt = 0.01;
    for _ in 0..100 {
        let moved = |change: &[f64], time: f64| -> Vec<f64> { state.iter().zip(change).map(|(x, d)| x + d * time).collect() };
        let first = change(&state)?;
        let second = change(&moved(&first, dt / 2.0))?;
        let third = change(&moved(&second, dt / 2.0))?;
        let fourth = change(&moved(&third, dt))?;
        let mean: Vec<f64> = (0..4).map(|i| (first[i] + 2.0 * (second[i] + third[i]) + fourth[i]) / 6.0).collect();
        state = moved(&mean, dt);
    }
    Ok(state)
}
