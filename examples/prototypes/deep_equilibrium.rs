//! A network of infinite depth (Bai, Kolter and Koltun, "Deep Equilibrium Models", 2019): its state is where a layer ends that is applied again
//! and again. The gradient is that of the implicit function theorem: nothing of the iteration is kept, whatever its length.

use catadiff::array::Program;
use catadiff::array::trace::{Arr, F64, I64, Key, loop_for};
use catadiff::solvers::fixed_point;
use catadiff::{Elementary, Result};

const UNITS: i64 = 6;
type Matrix = Arr<Arr<F64>>;

pub(crate) fn run() -> Result<Vec<f64>> {
    let loss = Program::trace(|inner: Matrix, outer: Arr<F64>, xs: Arr<F64>, ys: Arr<F64>| {
        let predict = |x: F64| {
            let layer = |(inner, outer): (Matrix, Arr<F64>), z: Arr<F64>| (inner.matvec(z) + outer).map(Elementary::tanh);
            fixed_point((inner, outer * x), outer.zeros_like(), layer).sum()
        };
        xs.map2(ys, |x, y| (predict(x) - y).powi(2)).mean()
    })?;
    let gradient = loss.grad([0, 1])?;
    let train = Program::trace(move |seed: I64, xs: Arr<F64>, ys: Arr<F64>| {
        let (of_inner, of_outer) = Key::new(seed).split();
        let start = (of_inner.normal(UNITS * UNITS).unflatten(UNITS, UNITS) * 0.15, of_outer.normal(UNITS));
        let (inner, outer) = loop_for(15, start, |_, (inner, outer)| {
            let (by_inner, by_outer): (Matrix, Arr<F64>) = gradient.call((inner, outer, xs, ys));
            (inner - by_inner * 0.02, outer - by_outer * 0.02)
        });
        (loss.call::<F64>((inner, outer, xs, ys)), inner, outer)
    })?;
    let xs: Vec<f64> = (0..12).map(|k| f64::from(k) * 0.3 - 1.65).collect();
    let ys: Vec<f64> = xs.iter().map(|x| (2.0 * x).sin()).collect();
    let (loss, inner, outer): (f64, Vec<Vec<f64>>, Vec<f64>) = train.compile()?.at((4, xs, ys))?;
    Ok([vec![loss], inner.concat(), outer].concat())
}
