//! The solvers of `argmin`, fed from one generic function.
//!
//! Law: a solver that is given the right derivatives finds the minimum; those of first order slowly, those of second fast.
#![cfg(feature = "argmin")]

use argmin::core::{CostFunction, Executor, Gradient, Hessian, State};
use argmin::solver::linesearch::MoreThuenteLineSearch;
use argmin::solver::quasinewton::LBFGS;
use argmin::solver::trustregion::{Steihaug, TrustRegion};
use catadiff::Error;
use catadiff::interop::argmin::{Function, Objective};
use catadiff::prelude::Real;

#[derive(Clone)]
struct Rosenbrock;

impl Function for Rosenbrock {
    fn call<R: Real>(&self, x: &[R]) -> R {
        x.windows(2).map(|w| (w[1] - w[0] * w[0]).powi(2) * 100.0 + (-w[0] + 1.0).powi(2)).sum()
    }
}

/// In three dimensions, since from four on there is a second, local minimum.
const START: [f64; 3] = [-1.2, 1.0, -0.5];

fn at_the_minimum(x: &[f64]) {
    assert!(x.iter().all(|x| (x - 1.0).abs() <= 1e-5), "{x:?} is not the minimum");
}

#[test]
fn the_derivatives_are_those_of_the_textbook() {
    let problem = Objective(Rosenbrock);
    let (a, b) = (START[0], START[1]);
    let at = vec![a, b];
    assert!((problem.cost(&at).unwrap() - 24.2).abs() <= 1e-13);
    let gradient = problem.gradient(&at).unwrap();
    assert!((gradient[0] + 215.6).abs() <= 1e-12 && (gradient[1] + 88.0).abs() <= 1e-12, "{gradient:?}");
    let hessian = problem.hessian(&at).unwrap();
    let expected = [[1200.0 * a * a - 400.0 * b + 2.0, -400.0 * a], [-400.0 * a, 200.0]];
    for (found, expected) in hessian.iter().flatten().zip(expected.as_flattened()) {
        assert!((found - expected).abs() <= 1e-12, "{hessian:?}");
    }
    let wrong = problem.gradient(&vec![f64::NAN, 0.0]).unwrap_err();
    assert!(matches!(wrong.downcast_ref::<Error>(), Some(Error::NotFinite { index: 0, .. })), "{wrong}");
}

#[test]
fn quasi_newton_converges_on_the_gradient() {
    let solver = LBFGS::new(MoreThuenteLineSearch::new(), 7);
    let run = Executor::new(Objective(Rosenbrock), solver).configure(|s| s.param(START.to_vec()).max_iters(200));
    at_the_minimum(run.run().unwrap().state().get_best_param().unwrap());
}

#[test]
fn the_trust_region_converges_on_the_hessian() {
    let solver = TrustRegion::new(Steihaug::new().with_max_iters(20));
    let run = Executor::new(Objective(Rosenbrock), solver).configure(|s| s.param(START.to_vec()).max_iters(40));
    at_the_minimum(run.run().unwrap().state().get_best_param().unwrap());
}
