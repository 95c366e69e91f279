//! The stiffest chain: springs between a wall and masses share what there is of stiffness, so that the lowest frequency is as high as can be (after
//! Bendsøe and Sigmund, "Topology Optimization", 2003). Ascent goes along the gradient of an eigenvalue, for which `eigh` has a rule, and the
//! matrix of the springs is the Hessian of their energy.

use catadiff::array::Program;
use catadiff::array::trace::{Arr, F64, loop_for};
use catadiff::{Elementary, Result};

type Matrix = Arr<Arr<F64>>;

pub(crate) fn run() -> Result<Vec<f64>> {
    let energy = Program::trace(|places: Arr<F64>, springs: Arr<F64>| {
        let stretched = places - places.roll(1).with(0, 0.0);
        0.5 * (springs * stretched).dot(stretched)
    })?;
    let stiffness = energy.hessian(0)?;
    let frequencies = Program::trace(move |scores: Arr<F64>, masses: Arr<F64>| {
        let springs = scores.softmax() * masses.len().to_f64();
        let roots = masses.map(Elementary::sqrt);
        let matrix: Matrix = stiffness.call((masses.zeros_like(), springs));
        (matrix / roots.outer(roots)).eigh().0.map(Elementary::sqrt)
    })?;
    let of_lowest = frequencies.vjp_wrt(0)?;
    let climb = Program::trace(move |masses: Arr<F64>| {
        let lowest = masses.zeros_like().with(0, 1.0);
        let (_, scores) = loop_for(100, (masses, masses.zeros_like()), |_, (_, scores)| {
            let (all, slope): (Arr<F64>, Arr<F64>) = of_lowest.call((scores, masses, lowest));
            (all, scores + slope * 5.0)
        });
        (frequencies.call::<Arr<F64>>((scores, masses)), scores.softmax())
    })?;
    let (frequencies, springs): (Vec<f64>, Vec<f64>) = climb.compile()?.at([1.0, 0.8, 1.2, 0.5, 1.0, 0.7])?;
    Ok([frequencies, springs].concat())
}
