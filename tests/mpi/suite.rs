//! Laws of the executor on ranks: it is an executor, and its sums are the same bits everywhere.

use catadiff::Elementary;
use catadiff::array::{
    Program,
    trace::{Arr, F64},
};
use catadiff::execute::mpi::{Mpi, World};
use catadiff::execute::{Executor, Flat, Lanes};
use catadiff::interpret::Control;
use catadiff_laws::executors::{Allowance, suite};

static ON_RANKS: Mpi = Mpi::over(&Lanes);

pub(super) fn keeps_the_contract(world: &World) {
    let allowed = Allowance { unsupported: 60, stepwise: 40, unneeded: 200, unsettled: 40 };
    let tally = suite(&ON_RANKS, allowed).unwrap_or_else(|violation| panic!("on rank {}: {violation}", world.rank()));
    if world.rank() == 0 {
        println!("{tally:?}, {:?}", world.traffic());
    }
}

pub(super) fn same_bits(world: &World) {
    let sum = Program::trace(|xs: Arr<F64>| xs.map(|x| x.sin() * x).sum()).unwrap();
    let gradient = sum.grad(0).unwrap();
    let xs = Flat::reals(&[1001], (0..1001).map(|k| f64::from(k) * 0.37).collect()).unwrap();
    for program in [sum, gradient] {
        let ready = ON_RANKS.prepare(&program).unwrap().unwrap();
        let mut runs = Vec::new();
        for _ in 0..3 {
            let mut results = Vec::new();
            ready.run_into(&[xs.lent()], &mut results, Control::default()).unwrap();
            runs.push(results);
        }
        assert!(runs.iter().all(|run| *run == runs[0]), "on rank {}", world.rank());
        let alone: Vec<Flat> = {
            let mut results = Vec::new();
            program.compile().unwrap().run_into(core::slice::from_ref(&xs), &mut results).unwrap();
            results
        };
        for (found, expected) in runs[0].iter().zip(alone) {
            for (x, y) in found.as_reals().unwrap().iter().zip(expected.as_reals().unwrap()) {
                assert!((x - y).abs() <= 1e-12 * y.abs().max(1.0), "{x} where {y} is right");
            }
        }
    }
}
