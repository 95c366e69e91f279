//! Molecular dynamics in a box that repeats (Allen and Tildesley, "Computer Simulation of Liquids", 1987): the energy of Lennard and Jones is all
//! that is written. Forces are its gradient by places, and the virial, which gives the pressure, its derivative by the scale of the box.

use catadiff::array::Program;
use catadiff::array::trace::{Arr, F64, I64, if_, iota, loop_for};
use catadiff::{Elementary, Result};

type Atoms = Arr<Arr<F64>>;
const SIDE: f64 = 4.0;
const DT: f64 = 0.002;

pub(crate) fn run() -> Result<Vec<f64>> {
    let potential = Program::trace(|scale: F64, places: Atoms| {
        let pair = |p: Arr<F64>, q: Arr<F64>| {
            // Of each atom, the nearest of its images.
            let way = (p - q).map(|d| (d - (d / SIDE).round() * SIDE) * scale);
            let attraction = way.dot(way).powi(-3);
            2.0 * attraction * (attraction - 1.0)
        };
        let atoms = iota(places.len());
        let of_atom = |p, i: I64| places.map2(atoms, |q, j| if_(i.eq(j), || 0.0, || pair(p, q))).sum();
        places.map2(atoms, of_atom).sum()
    })?;
    let (force, virial) = (potential.grad(1)?, potential.grad(0)?);
    let run = Program::trace(move |places: Atoms, velocities: Atoms| {
        let push = |places: Atoms| force.call::<Atoms>((1.0, places)) * (-DT / 2.0);
        let (places, velocities) = loop_for(100, (places, velocities), |_, (places, velocities)| {
            let half = velocities + push(places);
            let places = places + half * DT;
            (places, half + push(places))
        });
        let kinetic = 0.5 * velocities.map(|v| v.dot(v)).sum();
        let energy = kinetic + potential.call::<F64>((1.0, places));
        let pressure = (2.0 * kinetic - virial.call::<F64>((1.0, places))) / (3.0 * SIDE.powi(3));
        (energy, pressure, places)
    })?;
    let lattice = |k: i32| [k % 3, k / 3 % 3, k / 9].map(f64::from);
    let places: Vec<[f64; 3]> = (0..27).map(|k| lattice(k).map(|x| x * SIDE / 3.0 + 0.02 * (x + f64::from(k)).sin())).collect();
    let velocities: Vec<[f64; 3]> = (0..27).map(f64::from).map(|k| [(k * 1.1).sin(), (k * 2.3).cos(), (k * 0.7).sin()]).collect();
    let (energy, pressure, places): (f64, f64, Vec<[f64; 3]>) = run.compile()?.at((places, velocities))?;
    Ok([vec![energy, pressure], places.concat()].concat())
}
