//! Bodies that attract one another, stepped by the leapfrog: how the distance of two at the end depends on all velocities at the beginning.

use catadiff::array::Program;
use catadiff::array::trace::{Arr, F64, loop_for};
use catadiff::{Elementary, Result};

type Bodies = Arr<Arr<F64>>;

fn forces(places: Bodies, masses: Arr<F64>) -> Bodies {
    places.map(|p| {
        let pull = |q: Arr<F64>, mass: F64| {
            let way = q - p;
            way * (mass / (way.dot(way) + 0.01).powf(1.5))
        };
        places.map2(masses, pull).sum()
    })
}

pub(crate) fn run() -> Result<Vec<f64>> {
    let distance = Program::trace(|places: Bodies, velocities: Bodies, masses: Arr<F64>| {
        let dt = 0.01;
        let (places, _) = loop_for(200, (places, velocities), |_, (places, velocities)| {
            let half = velocities + forces(places, masses) * (dt / 2.0);
            let places = places + half * dt;
            (places, half + forces(places, masses) * (dt / 2.0))
        });
        (places.index(0) - places.index(1)).norm()
    })?;
    let ring = |turn: f64, radius: f64| -> Vec<[f64; 3]> {
        (0..5).map(|k| f64::from(k) * 1.256).map(|a| [radius * (a + turn).cos(), radius * (a + turn).sin(), 0.1 * a]).collect()
    };
    let at = (ring(0.0, 1.0), ring(1.5, 0.8), [1.0, 0.5, 0.7, 0.9, 0.6]);
    let (value, gradient): (f64, Vec<[f64; 3]>) = distance.value_and_grad(1)?.compile()?.at(at)?;
    Ok([vec![value], gradient.concat()].concat())
}
