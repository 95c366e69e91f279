//! Array programs as problems of `argmin`: a nest of parameters is one list of numbers to a solver.
//!
//! Law: the list is the elements of the parameters, in order; cost, gradient and Hessian are those of the program
//! (tests/interop/argmin.rs).

use std::sync::{Mutex, OnceLock, PoisonError};

use ::argmin::core::{CostFunction, Error, Gradient, Hessian};

use crate::array::Program;
use crate::error::{self, Result};
use crate::execute::{Compiled, Flat};
use crate::interpret::{FromValues, ToValues, Value};
use crate::transform::Wrt;

/// A loss that is an array program, as a problem of `argmin` with parameters in a `Vec<f64>`: the elements of all parameters by which it is
/// made small, in order. Data are arguments that stay.
///
/// The programs of cost and gradient are compiled once, and run on memory that is kept.
///
/// ```
/// use argmin::core::{Executor, State};
/// use argmin::solver::linesearch::MoreThuenteLineSearch;
/// use argmin::solver::quasinewton::LBFGS;
/// use catadiff::array::{Program, trace::{Arr, F64}};
/// use catadiff::interop::argmin::ProgramObjective;
/// // A line through points, with a slope and an offset.
/// let loss = Program::trace_named(&["line", "xs", "ys"], |line: (F64, F64), xs: Arr<F64>, ys: Arr<F64>| {
///     (xs * line.0 + line.1 - ys).map(|e| e * e).sum()
/// })?;
/// let start = (0.0, 0.0);
/// let problem = ProgramObjective::new(&loss, "line", (start, [0.0, 1.0, 2.0], [1.0, 3.0, 5.0]))?;
/// let numbers = problem.start();
/// let lbfgs = LBFGS::new(MoreThuenteLineSearch::new(), 7);
/// let run = Executor::new(problem, lbfgs).configure(|state| state.param(numbers).max_iters(50)).run()?;
/// let found = run.state().get_best_param().expect("there was a step");
/// let (slope, offset): (f64, f64) = run.problem().problem.as_ref().expect("it is given back").parameters(found)?;
/// assert!((slope - 2.0).abs() < 1e-6 && (offset - 1.0).abs() < 1e-6);
/// # Ok::<(), argmin::core::Error>(())
/// ```
///
/// The Hessian, for solvers that want it, is a run of [`hvp`](Program::hvp) for each number.
#[derive(Debug)]
pub struct ProgramObjective {
    cost: Compiled,
    slopes: Compiled,
    /// The program of Hessians times directions, and what is made of it when it is wanted first.
    curvature: Program,
    compiled: OnceLock<Compiled>,
    /// The positions of the parameters, how many elements they have, and their sizes.
    parameters: Vec<(usize, usize, Vec<usize>)>,
    start: Vec<f64>,
    memory: Mutex<Memory>,
}

/// Arguments and results of runs, where they are used again.
#[derive(Debug)]
struct Memory {
    arguments: Vec<Flat>,
    results: Vec<Flat>,
}

impl ProgramObjective {
    /// The problem to make a loss small by some of its parameters, beginning with these arguments, one for each parameter of the program.
    ///
    /// # Errors
    /// Those of [`Program::value_and_grad`], of [`Program::hvp`] and of [`ToValues::to_values`]; [`Error::Length`](error::Error::Length) for
    /// more or fewer arguments.
    pub fn new(loss: &Program, wrt: impl Into<Wrt>, arguments: impl ToValues) -> Result<Self> {
        let by = wrt.into().resolve(loss)?;
        let positions = || Wrt::Positions(by.clone());
        let mut arguments: Vec<Flat> = arguments.to_values()?.iter().map(Flat::from).collect();
        error::Error::lengths("the list of arguments", loss.names().len(), arguments.len())?;
        let (mut parameters, mut start) = (Vec::new(), Vec::new());
        for k in &by {
            let numbers = reals(&arguments[*k]).unwrap_or_default();
            let sizes = arguments[*k].sizes().to_vec();
            // Solvers have doubles, whatever the parameter is of.
            arguments[*k] = Flat::reals(&sizes, numbers.clone())?;
            parameters.push((*k, numbers.len(), sizes));
            start.extend(numbers);
        }
        Ok(ProgramObjective {
            cost: loss.compile()?,
            slopes: loss.grad(positions())?.compile()?,
            curvature: loss.hvp(positions())?,
            compiled: OnceLock::new(),
            parameters,
            start,
            memory: Mutex::new(Memory { arguments, results: Vec::new() }),
        })
    }

    /// The elements of the parameters in the arguments that were given.
    #[must_use]
    pub fn start(&self) -> Vec<f64> {
        self.start.clone()
    }

    /// What numbers of a solver are as the parameters.
    ///
    /// # Errors
    /// [`Error::Length`](error::Error::Length) for more or fewer numbers, else those of [`FromValues::from_values`].
    pub fn parameters<P: FromValues>(&self, numbers: &[f64]) -> Result<P> {
        P::from_values(self.values(numbers)?)
    }

    /// The same, with `Vec`s of what has parts as long as they are here.
    ///
    /// # Errors
    /// As for [`parameters`](ProgramObjective::parameters).
    pub fn parameters_like<P: FromValues>(&self, like: &P, numbers: &[f64]) -> Result<P> {
        like.like_values(self.values(numbers)?)
    }

    fn values(&self, numbers: &[f64]) -> Result<Vec<Value<f64>>> {
        self.fits(numbers)?;
        let mut rest = numbers;
        let part = |(_, count, sizes): &(usize, usize, Vec<usize>)| {
            let (own, others) = rest.split_at(*count);
            rest = others;
            Value::reals(sizes, own.iter().copied())
        };
        self.parameters.iter().map(part).collect()
    }

    fn fits(&self, numbers: &[f64]) -> Result<()> {
        error::Error::lengths(
            "the list of numbers, which are the elements of the parameters",
            self.start.len(),
            numbers.len(),
        )
    }

    /// The real results of a program at these numbers, with further arguments, one after the other.
    fn run(&self, program: &Compiled, numbers: &[f64], more: Vec<Flat>) -> Result<Vec<f64>> {
        self.fits(numbers)?;
        let mut memory = self.memory.lock().unwrap_or_else(PoisonError::into_inner);
        let Memory { arguments, results } = &mut *memory;
        let mut rest = numbers;
        for (k, count, _) in &self.parameters {
            let (own, others) = rest.split_at(*count);
            rest = others;
            arguments[*k].as_reals_mut().expect("parameters lie here as doubles").copy_from_slice(own);
        }
        let own = arguments.len();
        arguments.extend(more);
        let done = program.run_into(arguments, results);
        arguments.truncate(own);
        done?;
        Ok(results.iter().filter_map(reals).flatten().collect())
    }
}

/// The elements, if they are real.
fn reals(flat: &Flat) -> Option<Vec<f64>> {
    let singles = || flat.as_singles().map(|xs| xs.iter().map(|x| f64::from(*x)).collect());
    flat.as_reals().map(<[f64]>::to_vec).or_else(singles).or_else(|| flat.to_value().to_reals())
}

impl CostFunction for ProgramObjective {
    type Param = Vec<f64>;
    type Output = f64;

    fn cost(&self, x: &Vec<f64>) -> core::result::Result<f64, Error> {
        Ok(self.run(&self.cost, x, Vec::new())?[0])
    }
}

impl Gradient for ProgramObjective {
    type Param = Vec<f64>;
    type Gradient = Vec<f64>;

    fn gradient(&self, x: &Vec<f64>) -> core::result::Result<Vec<f64>, Error> {
        Ok(self.run(&self.slopes, x, Vec::new())?)
    }
}

impl Hessian for ProgramObjective {
    type Param = Vec<f64>;
    type Hessian = Vec<Vec<f64>>;

    fn hessian(&self, x: &Vec<f64>) -> core::result::Result<Vec<Vec<f64>>, Error> {
        let compiled = match self.compiled.get() {
            Some(compiled) => compiled,
            None => {
                let compiled = self.curvature.compile()?;
                self.compiled.get_or_init(|| compiled)
            }
        };
        let row = |n: usize| {
            let unit: Vec<f64> = (0..x.len()).map(|k| f64::from(u8::from(k == n))).collect();
            let mut rest = &unit[..];
            let direction = self.parameters.iter().map(|(_, count, sizes)| {
                let (own, others) = rest.split_at(*count);
                rest = others;
                Flat::reals(sizes, own.to_vec())
            });
            Ok(self.run(compiled, x, direction.collect::<Result<_>>()?)?)
        };
        self.fits(x)?;
        (0..x.len()).map(row).collect()
    }
}
