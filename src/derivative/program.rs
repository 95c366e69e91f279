//! Recorded programs: a function run once, to be replayed at other points and in other carriers.
//!
//! Law: a replay computes what the function would compute, or answers [`Error::BranchChanged`]: every comparison the
//! function made is asked again, and must come out as it did ("Automatic Differentiation", *Graph-based AD*, without
//! its trap).

use super::strategy::{Base, Numbers, Strategy, check_point, check_results};
use crate::carriers::{Decision, Input, Recorded, Recorder};
use crate::error::{Error, Result};
use crate::primitives::Elementary;
use crate::term::{Arena, Place, Term};

/// A recorded function. It owns what was recorded, and holds no reference to the function.
///
/// ```
/// use catadiff::prelude::*;
/// let program = record(|x| vec![if x[0] > 0.0 { x[0].sqrt() } else { -x[0] }], &[4.0])?;
/// assert_eq!(program.run(&[9.0])?, [3.0]);
/// assert_eq!(program.grad::<Reverse>(&[9.0])?, [1.0 / 6.0]);
/// let refused = program.run(&[-9.0]).unwrap_err();
/// assert!(refused.to_string().contains("`x0 > 0: true`"));
/// # Ok::<(), catadiff::Error>(())
/// ```
#[derive(Debug)]
pub struct Program<S = f64> {
    arena: Arena<Input>,
    inputs: usize,
    lifted: Vec<S>,
    decisions: Vec<Decision>,
    outputs: Vec<Place>,
}

/// Runs a function once at `x`, and keeps its operations and its decisions.
///
/// # Errors
/// [`Error::Empty`] without variables or results, [`Error::NotFinite`] at a point with NaN or ∞.
pub fn record<S: Base, F>(f: F, x: &[S]) -> Result<Program<S>>
where
    F: for<'b> Fn(&'b [Recorded<'b, S>]) -> Vec<Recorded<'b, S>>,
{
    check_point("the point", x)?;
    let recorder = Recorder::new(x.len());
    let outputs: Vec<Place> = {
        let variables: Vec<_> = x.iter().enumerate().map(|(index, x)| recorder.input(index, *x)).collect();
        f(&variables).iter().map(|y| recorder.term_of(y).to_place()).collect()
    };
    check_results(&outputs)?;
    let Recorder { arena, inputs, lifted, decisions } = recorder;
    Ok(Program { arena, inputs, lifted: lifted.into_inner(), decisions: decisions.into_inner(), outputs })
}

impl<S: Base> Program<S> {
    /// The number of variables.
    #[must_use]
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// The number of comparisons that were made.
    #[must_use]
    pub fn decisions(&self) -> usize {
        self.decisions.len()
    }

    /// The results as terms, valid wherever the decisions come out as they did.
    #[must_use]
    pub fn terms(&self) -> Vec<Term<'_, Input>> {
        self.outputs.iter().map(|place| self.arena.at(*place)).collect()
    }

    /// What a variable of the terms stands for: one of the function's, or a number from outside.
    pub(super) fn meaning<C>(&self, input: Input, x: &[C], lift: impl Fn(S) -> C) -> C
    where
        C: Clone,
    {
        match x.get(input.0) {
            Some(x) => x.clone(),
            None => lift(self.lifted[input.0 - self.inputs]),
        }
    }

    /// The results at `x` in any carrier over the base, into which `lift` takes the base's numbers.
    ///
    /// ```
    /// use catadiff::carriers::Interval;
    /// use catadiff::prelude::*;
    /// let program = record(|x| vec![x[0] * x[0] + x[1]], &[3.0, 1.0])?;
    /// let bounds = program.run_in(&[Interval::new(1.0, 2.0), Interval::new(0.0, 1.0)], Interval::point)?;
    /// assert_eq!((bounds[0].lo, bounds[0].hi), (1.0, 5.0));
    /// # Ok::<(), catadiff::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Length`] if `x` has not one number per variable, [`Error::BranchChanged`] if a decision comes out
    /// otherwise, or cannot be taken in this carrier.
    pub fn run_in<C: Elementary + PartialOrd>(&self, x: &[C], lift: impl Fn(S) -> C) -> Result<Vec<C>> {
        Error::lengths("the point", self.inputs, x.len())?;
        let sides = self.decisions.iter().flat_map(|decision| decision.sides);
        let terms: Vec<_> = self.outputs.iter().copied().chain(sides).map(|place| self.arena.at(place)).collect();
        let mut values = Term::eval_all(&terms, |input| self.meaning(*input, x, &lift));
        let sides = values.split_off(self.outputs.len());
        for (at, (decision, sides)) in self.decisions.iter().zip(sides.chunks(2)).enumerate() {
            if decision.test.of(&sides[0], &sides[1]) != decision.outcome {
                return Err(Error::BranchChanged { at, decision: self.describe(decision) });
            }
        }
        Ok(values)
    }

    fn describe(&self, decision: &Decision) -> String {
        let [a, b] = decision.sides.map(|place| shortened(&self.arena.at(place).to_string()));
        format!("{a} {} {b}: {}", decision.test.sign(), decision.outcome)
    }

    /// The results at `x`.
    ///
    /// # Errors
    /// As for [`run_in`](Program::run_in).
    pub fn run(&self, x: &[S]) -> Result<Vec<S>> {
        self.run_in(x, |s| s)
    }

    /// The gradient of the first result at `x`, by a strategy.
    ///
    /// # Errors
    /// As for [`run_in`](Program::run_in), and as for [`Strategy::value_and_grad`].
    pub fn grad<A: Strategy<S>>(&self, x: &[S]) -> Result<Vec<S>> {
        // The decisions are asked on plain numbers once, so that the strategy's run cannot fail.
        self.run(x)?;
        let first = self.arena.at(self.outputs[0]);
        A::grad(|x| first.eval(|input| self.meaning(*input, x, <A as Numbers<'_, S>>::lift)), x)
    }

    /// The Jacobian of the results at `x`, by a strategy.
    ///
    /// # Errors
    /// As for [`grad`](Program::grad).
    pub fn jacobian<A: Strategy<S>>(&self, x: &[S]) -> Result<Vec<Vec<S>>> {
        self.run(x)?;
        let terms = self.terms();
        A::jacobian(|x| Term::eval_all(&terms, |input| self.meaning(*input, x, <A as Numbers<'_, S>>::lift)), x)
    }
}

/// The most characters that a side of a decision takes in a message.
const LONGEST_SIDE: usize = 50;

/// The beginning of a text, on one line.
fn shortened(text: &str) -> String {
    let one_line = text.chars().map(|c| if c == '\n' { ' ' } else { c });
    if text.chars().count() <= LONGEST_SIDE {
        one_line.collect()
    } else {
        one_line.take(LONGEST_SIDE - 1).chain(['…']).collect()
    }
}
