//! The solvers of `argmin`, fed from one generic function.
//!
//! Law: a solver that is given the right derivatives finds the minimum; those of first order slowly, those of second fast.
#![cfg(feature = "argmin")]

use argmin::core::{CostFunction, Executor, Gradient, Hessian, State};
use argmin::solver::linesearch::MoreThuenteLineSearch;
use argmin::solver::quasinewton::LBFGS;
use argmin::solver::trustregion::{Steihaug, TrustRegion};
use catadiff::Error;
use catadiff::array::Program;
use catadiff::array::trace::{Arr, F32, F64, I64};
use catadiff::interop::argmin::{Function, Objective, ProgramObjective};
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

/// The valley, of parameters that are a nest; `height` stays.
fn valley() -> Program {
    Program::trace_named(&["height", "path"], |height: F64, (first, rest): (F64, Arr<F64>)| {
        let all = catadiff::array::trace::literal([0.0]).map(|_| first).concat(rest);
        let (x, y) = (all.take(all.len() - 1), all.drop(1));
        x.map2(y, |x, y| (y - x * x) * (y - x * x) * height + (x - 1.0) * (x - 1.0)).sum()
    })
    .unwrap()
}

fn of_program() -> ProgramObjective {
    ProgramObjective::new(&valley(), "path", (100.0, (START[0], &START[1..]))).unwrap()
}

#[test]
fn programs_are_problems_as_functions_are() {
    let (problem, function) = (of_program(), Objective(Rosenbrock));
    let at = problem.start();
    assert_eq!(at, START);
    let near = |x: &[f64], y: &[f64]| x.iter().zip(y).all(|(x, y)| (x - y).abs() <= 1e-12 * y.abs().max(1.0));
    assert!(near(&[problem.cost(&at).unwrap()], &[function.cost(&at).unwrap()]));
    assert!(near(&problem.gradient(&at).unwrap(), &function.gradient(&at).unwrap()));
    assert!(near(&problem.hessian(&at).unwrap().concat(), &function.hessian(&at).unwrap().concat()));
    let few = problem.gradient(&vec![1.0]).unwrap_err();
    assert!(matches!(few.downcast_ref::<Error>(), Some(Error::Length { expected: 3, found: 1, .. })), "{few}");
    assert!(matches!(ProgramObjective::new(&valley(), "path", 100.0), Err(Error::Length { .. })));
    assert!(matches!(ProgramObjective::new(&valley(), "way", (100.0, START)), Err(Error::Parameter { .. })));
}

#[test]
fn solvers_find_the_minimum_of_a_program() {
    let (problem, solver) = (of_program(), LBFGS::new(MoreThuenteLineSearch::new(), 7));
    let start = problem.start();
    let run = Executor::new(problem, solver).configure(|s| s.param(start.clone()).max_iters(200)).run().unwrap();
    let found = run.state().get_best_param().unwrap();
    at_the_minimum(found);
    let problem = run.problem().problem.as_ref().unwrap();
    let (first, rest): (f64, Vec<f64>) = problem.parameters(found).unwrap();
    assert_eq!([vec![first], rest].concat(), *found);
    let solver = TrustRegion::new(Steihaug::new().with_max_iters(20));
    let run = Executor::new(of_program(), solver).configure(|s| s.param(start).max_iters(40));
    at_the_minimum(run.run().unwrap().state().get_best_param().unwrap());
}

/// Parameters of single precision, beside one that is an integer and stays.
#[test]
fn solvers_have_doubles_of_singles() {
    let loss = Program::trace(|x: Arr<F32>, n: I64| (x - n.to_f32()).map(|d| d * d).sum()).unwrap();
    let problem = ProgramObjective::new(&loss, 0, ([0.5_f32, 1.0], 3_i64)).unwrap();
    assert_eq!((problem.start(), problem.cost(&problem.start()).unwrap()), (vec![0.5, 1.0], 10.25));
    assert_eq!(problem.gradient(&problem.start()).unwrap(), [-5.0, -4.0]);
    assert_eq!(problem.hessian(&problem.start()).unwrap(), [[2.0, 0.0], [0.0, 2.0]]);
}
