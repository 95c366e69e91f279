//! A density learnt as a chain of invertible maps (Rezende and Mohamed, "Variational Inference with Normalizing Flows", 2015): matrices, whose
//! determinants have a rule, and `asinh` between them. Samples are drawn backwards, by solving.

use catadiff::array::Program;
use catadiff::array::trace::{Arr, F64, I64, Key, eye, loop_for, replicate};
use catadiff::{Elementary, Result};

const LAYERS: i64 = 3;
type Layers = Arr<Arr<Arr<F64>>>;
type Shifts = Arr<Arr<F64>>;

pub(crate) fn run() -> Result<Vec<f64>> {
    let loss = Program::trace(|layers: Layers, shifts: Shifts, points: Arr<Arr<F64>>| {
        let volume = layers.map(|w| w.slogdet().1).sum();
        let surprise = |point: Arr<F64>| {
            let (z, stretch) = loop_for(LAYERS, (point, F64::from(0.0)), |k, (z, stretch)| {
                let u = layers.index(k).matvec(z) + shifts.index(k);
                (u.map(Elementary::asinh), stretch - 0.5 * u.map(|u| (u * u).ln_1p()).sum())
            });
            0.5 * z.dot(z) - stretch
        };
        points.map(surprise).mean() - volume
    })?;
    let gradient = loss.grad([0, 1])?;
    let train = Program::trace(move |points: Arr<Arr<F64>>, seed: I64| {
        let start = (replicate(LAYERS, eye::<F64>(2)), replicate(LAYERS, replicate(2, 0.0)));
        let (layers, shifts) = loop_for(40, start, |_, (layers, shifts)| {
            let (by_layers, by_shifts): (Layers, Shifts) = gradient.call((layers, shifts, points));
            (layers - by_layers * 0.1, shifts - by_shifts * 0.1)
        });
        let back = |z: Arr<F64>| {
            loop_for(LAYERS, z, |k, z| layers.index(LAYERS - 1 - k).solve(z.map(Elementary::sinh) - shifts.index(LAYERS - 1 - k)))
        };
        (loss.call::<F64>((layers, shifts, points)), Key::new(seed).normal(10).unflatten(5, 2).map(back))
    })?;
    // A banana.
    let points: Vec<[f64; 2]> = (0..60).map(f64::from).map(|k| [(k * 2.3).sin() * 2.0, (k * 2.3).sin().powi(2) + 0.3 * (k * 0.7).cos()]).collect();
    let (loss, samples): (f64, Vec<[f64; 2]>) = train.compile()?.at((points, 12))?;
    Ok([vec![loss], samples.concat()].concat())
}
