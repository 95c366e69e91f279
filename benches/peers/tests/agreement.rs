//! The references agree with finite differences, and every contender with the references.

use catadiff_peers::contenders::Forward;
use catadiff_peers::contenders::hand::HandDual;
use catadiff_peers::suite::{self, Scale};
use catadiff_peers::workloads::{
    Horner, LogSumExp, Logistic, Map, MatrixProduct, Objective, Powers, Rosenbrock, ThreeBody, sample,
};

/// The central difference of `map` at `x` along `v`.
fn difference<M: Map>(map: &M, x: &[f64], v: &[f64]) -> Vec<f64> {
    let step = 1e-6;
    let at = |sign: f64| {
        let moved: Vec<f64> = x.iter().zip(v).map(|(x, v)| x + sign * step * v).collect();
        let mut y = vec![0.0; map.outputs()];
        map.eval(&moved, &mut y);
        y
    };
    at(1.0).iter().zip(at(-1.0)).map(|(up, down)| (up - down) / (2.0 * step)).collect()
}

fn close(got: &[f64], expected: &[f64]) {
    assert_eq!(got.len(), expected.len());
    for (got, expected) in got.iter().zip(expected) {
        assert!((got - expected).abs() <= 1e-6 * (1.0 + expected.abs()), "{got} for {expected}");
    }
}

fn pushes_forward<M: Map>(map: &M, x: &[f64]) {
    let v = sample(x.len(), -1.0, 1.0);
    let seeded: Vec<_> = x.iter().zip(&v).map(|(&x, &v)| HandDual::seed(x, 0, v)).collect();
    let mut y = vec![seeded[0]; map.outputs()];
    map.eval(&seeded, &mut y);
    let tangents: Vec<f64> = y.iter().map(|y| y.tangent(0)).collect();
    close(&tangents, &difference(map, x, &v));
}

fn pulls_back<O: Objective>(objective: &O, x: &[f64]) {
    let mut gradient = Vec::new();
    objective.adjoint(x, &mut gradient);
    let along = |i| {
        let unit: Vec<f64> = (0..x.len()).map(|k| f64::from(k == i)).collect();
        difference(objective, x, &unit)[0]
    };
    let expected: Vec<f64> = (0..x.len()).map(along).collect();
    close(&gradient, &expected);
}

#[test]
fn the_hand_written_dual_agrees_with_differences() {
    pushes_forward(&Horner::default(), &[0.83]);
    pushes_forward(&Powers::default(), &[0.83]);
    pushes_forward(&ThreeBody::default(), &ThreeBody::STATE);
    pushes_forward(&Rosenbrock, &sample(20, -1.2, 1.2));
}

#[test]
fn the_hand_written_adjoints_agree_with_differences() {
    pulls_back(&Rosenbrock, &sample(20, -1.2, 1.2));
    pulls_back(&LogSumExp, &sample(20, -5.0, 5.0));
    pulls_back(&MatrixProduct { side: 4 }, &sample(32, -1.0, 1.0));
    pulls_back(&Logistic { steps: 30 }, &[1.0 + 6f64.sqrt(), 0.3]);
}

#[test]
fn the_two_polynomials_are_one() {
    let value = |map: &dyn Fn(&mut [f64])| {
        let mut y = [0.0];
        map(&mut y);
        y[0]
    };
    let horner = value(&|y| Horner::default().eval(&[0.83], y));
    let powers = value(&|y| Powers::default().eval(&[0.83], y));
    assert!((horner - powers).abs() < 1e-14);
}

#[test]
fn every_contender_agrees_with_the_reference() {
    for workload in suite::forward(Scale::Quick).into_iter().chain(suite::reverse(Scale::Quick)) {
        for row in workload.rows.iter().filter(|row| row.is_derivative()) {
            let mut run = (row.prepare)().expect("every contender can do every workload");
            // Twice: a reused tape must not remember.
            run.run();
            run.run();
            let error = workload.error(run.result());
            assert!(error <= 1e-9, "{} at {}: {error:e}", row.name, workload.title);
        }
    }
}
