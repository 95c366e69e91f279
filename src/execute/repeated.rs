//! Programs that are run again and again, each time on what the run before has left.
//!
//! Law: results take the place of the first arguments, in memory that is used again: after two runs of the same sizes nothing is
//! allocated. A run that fails leaves the state as it was (tests/execute/into.rs, tests/allocations.rs).

use super::{Compiled, Flat};
use crate::error::{Error, Result};
use crate::interpret::{FromValues, Results, ToValues, Value};

/// A compiled program and the state that its runs change: its first arguments, in whose place its first results come.
///
/// ```
/// use catadiff::array::{Program, trace::{Arr, F64}};
/// // A weight on a spring, and its energy before each step.
/// let step = Program::trace(|at: F64, speed: F64, dt: F64| {
///     let speed = speed - at * dt;
///     (at + speed * dt, speed, at * at + speed * speed)
/// })?;
/// let mut spring = step.compile()?.repeated((1.0, 0.0))?;
/// for _ in 0..1000 {
///     let energy: f64 = spring.step(0.001)?;
///     assert!((energy - 1.0).abs() < 0.01);
/// }
/// let (at, _): (f64, f64) = spring.state()?;
/// assert!((at - 1_f64.cos()).abs() < 0.01);
/// # Ok::<(), catadiff::Error>(())
/// ```
///
/// A step of an [`Optimiser`](crate::solvers::Optimiser) is such a program.
#[derive(Debug)]
pub struct Repeated {
    program: Compiled,
    /// The state, and then the other arguments.
    arguments: Vec<Flat>,
    /// What the last run left, and what the arguments were.
    results: Vec<Flat>,
    carried: usize,
}

impl Compiled {
    /// The program, to be run again and again, beginning with this state: as many of its first arguments. The others are those of each
    /// step.
    ///
    /// # Errors
    /// Those of [`ToValues::to_values`]. What does not fit the program is an error of the first step.
    pub fn repeated(self, state: impl ToValues) -> Result<Repeated> {
        let arguments: Vec<Flat> = state.to_values()?.iter().map(Flat::from).collect();
        Ok(Repeated { program: self, carried: arguments.len(), arguments, results: Vec::new() })
    }
}

impl Repeated {
    /// A step with these arguments behind the state; what is returned are the results beyond it, `()` if there are none.
    ///
    /// # Errors
    /// Those of [`Program::at`](crate::array::Program::at); then the state is as it was, unless only the results beyond it are of another type.
    pub fn step<R: FromValues>(&mut self, others: impl ToValues) -> Result<R> {
        self.arguments.truncate(self.carried);
        self.arguments.extend(others.to_values()?.iter().map(Flat::from));
        self.advance()?;
        R::from_values(values(self.left()))
    }

    /// A step with the arguments behind the state as they [lie there](Repeated::arguments_mut): nothing is converted, and, once the sizes are
    /// those of the steps before, nothing allocated.
    ///
    /// # Errors
    /// Those of [`Compiled::run_into`], and [`Error::Length`] if the program has fewer results than there are in the state. Then the state is
    /// as it was.
    pub fn advance(&mut self) -> Result<()> {
        self.program.run_into(&self.arguments, &mut self.results)?;
        if self.results.len() < self.carried {
            let (expected, found) = (self.carried, self.results.len());
            return Err(Error::Length {
                what: "the list of results, which begin with the next state",
                expected,
                found,
            });
        }
        self.arguments[..self.carried].swap_with_slice(&mut self.results[..self.carried]);
        Ok(())
    }

    /// The results of the last step beyond the state.
    #[must_use]
    pub fn left(&self) -> &[Flat] {
        self.results.get(self.carried..).unwrap_or_default()
    }

    /// The first of the state, as plain numbers: as much of it as there is in `S`.
    ///
    /// # Errors
    /// Those of [`FromValues::take_from`].
    pub fn state<S: FromValues>(&self) -> Result<S> {
        Results::first(values(&self.arguments[..self.carried]), None)
    }

    /// The same, with `Vec`s of what has parts as long as they are here.
    ///
    /// # Errors
    /// As for [`state`](Repeated::state).
    pub fn state_like<S: FromValues>(&self, like: &S) -> Result<S> {
        Results::first(values(&self.arguments[..self.carried]), Some(like))
    }

    /// The arguments of the next step as they lie in memory, the state first.
    pub fn arguments_mut(&mut self) -> &mut [Flat] {
        &mut self.arguments
    }
}

fn values(flats: &[Flat]) -> Vec<Value<f64>> {
    flats.iter().map(Flat::to_value).collect()
}
