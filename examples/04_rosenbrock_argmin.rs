//! Rosenbrock's valley with the solvers of argmin: one function gives them cost, gradient and Hessian.
//!
//! The function is written for any kind of number. [`Objective`] makes a problem of it: the cost by running it on
//! `f64`, the gradient by reverse mode, the Hessian by forward over reverse mode. Nobody derives anything by hand, and
//! a solver that wants more derivatives is one line away. Run with `--features argmin`.

use argmin::core::{Error, Executor, OptimizationResult, State};
use argmin::solver::gradientdescent::SteepestDescent;
use argmin::solver::linesearch::MoreThuenteLineSearch;
use argmin::solver::neldermead::NelderMead;
use argmin::solver::quasinewton::LBFGS;
use argmin::solver::trustregion::{Steihaug, TrustRegion};
use catadiff::interop::argmin::{Function, Objective};
use catadiff::prelude::*;

/// The chained Rosenbrock function: a curved valley with its lowest point at `(1, …, 1)`.
#[derive(Clone, Copy)]
struct Rosenbrock;

impl Function for Rosenbrock {
    fn call<R: Real>(&self, x: &[R]) -> R {
        x.windows(2).map(|w| (w[1] - w[0] * w[0]).powi(2) * 100.0 + (w[0] - 1.0).powi(2)).sum()
    }
}

/// Prints a line of the table, and returns how far from the lowest point the solver came.
fn report<S: State<Param = Vec<f64>, Float = f64>>(
    solver: &str,
    needs: &str,
    result: &OptimizationResult<Objective<Rosenbrock>, impl Sized, S>,
) -> f64 {
    let state = result.state();
    let best = state.get_best_param().expect("a solver that ran has a point");
    let distance = best.iter().map(|x| (x - 1.0).abs()).fold(0.0, f64::max);
    let counts = &result.problem().counts;
    let count = |kind: &&str| Some(format!("{} × {kind}", counts.get(format!("{kind}_count").as_str())?));
    let evaluations: Vec<String> = ["cost", "gradient", "hessian"].iter().filter_map(count).collect();
    println!("{solver:<17} {needs:<18} {:5} {distance:10.1e}   {}", state.get_iter(), evaluations.join(", "));
    distance
}

fn main() -> Result<(), Error> {
    let problem = Objective(Rosenbrock);
    let start = [1.2, -1.0].repeat(5);
    check_grad(|x| Rosenbrock.call(x), &start, 1e-8)?;

    println!("solver            needs              steps   distance   evaluations");
    let mut corners = vec![start.clone()];
    corners.extend((0..start.len()).map(|i| {
        let mut corner = start.clone();
        corner[i] += 0.5;
        corner
    }));
    let nelder_mead = NelderMead::new(corners).with_sd_tolerance(1e-14)?;
    let result = Executor::new(problem, nelder_mead).configure(|s| s.max_iters(2000)).run()?;
    let without = report("Nelder–Mead", "cost", &result);

    let descent = SteepestDescent::new(MoreThuenteLineSearch::new());
    let result = Executor::new(problem, descent).configure(|s| s.param(start.clone()).max_iters(500)).run()?;
    let first = report("steepest descent", "and gradient", &result);

    let lbfgs = LBFGS::new(MoreThuenteLineSearch::new(), 5).with_tolerance_grad(1e-12)?;
    let result = Executor::new(problem, lbfgs).configure(|s| s.param(start.clone()).max_iters(200)).run()?;
    let quasi = report("L-BFGS", "and gradient", &result);

    let newton = TrustRegion::new(Steihaug::new());
    let result =
        Executor::new(problem, newton).configure(|s| s.param(start.clone()).target_cost(1e-26).max_iters(60)).run()?;
    let second = report("trust region", "and Hessian", &result);

    // Ten variables are many for a method without derivatives; each order of them is worth many digits.
    assert!(quasi < 1e-8 && second < 1e-12 && quasi < without.min(first));
    Ok(())
}
