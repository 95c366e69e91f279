//! Recordings: what a function did when it ran once, as straight-line code and the decisions it was made under.
//!
//! Law: folded into any carrier, at a point where every decision comes out as it did, it is what the function would
//! compute there (laws: recordings).

use super::strategy::{Base, check_point, check_results};
use crate::carriers::{Comparison, Decision, Input, Outcome, Recorded, Recorder};
use crate::error::{Error, Result};
use crate::primitives::Elementary;
use crate::term::{Arena, Straight, Term, TermId};

/// A function that has run once.
#[derive(Debug)]
pub(super) struct RecordedCode<S> {
    /// Its operations. The roots are the results, and then the two sides of each decision.
    pub(super) straight: Straight,
    /// The number of variables.
    pub(super) inputs: usize,
    /// The number of results.
    pub(super) outputs: usize,
    /// Numbers from outside, which are variables of the operations after the function's own.
    pub(super) lifted: Vec<S>,
    /// The comparisons that were made, and how they came out.
    pub(super) decisions: Vec<Decision<Comparison, Outcome>>,
}

impl<S: Base> RecordedCode<S> {
    /// Runs a function once at `x`.
    pub(super) fn new<F>(f: F, x: &[S]) -> Result<Self>
    where
        F: for<'b> Fn(&'b [Recorded<'b, S>]) -> Vec<Recorded<'b, S>>,
    {
        check_point("the point", x)?;
        let recorder = Recorder::new(x.len());
        let mut roots: Vec<TermId> = {
            let variables: Vec<_> = x.iter().enumerate().map(|(index, x)| recorder.input(index, *x)).collect();
            f(&variables).iter().map(|y| recorder.term_of(y).to_id()).collect()
        };
        check_results(&roots)?;
        let outputs = roots.len();
        let decisions = recorder.decisions.into_inner();
        roots.extend(decisions.iter().flat_map(|decision| decision.asked.1));
        Ok(RecordedCode {
            straight: recorder.arena.straight(&roots, |Input(number)| number),
            inputs: recorder.inputs,
            outputs,
            lifted: recorder.lifted.into_inner(),
            decisions: decisions.into_iter().map(|it| Decision { asked: it.asked.0, outcome: it.outcome }).collect(),
        })
    }

    /// The results as terms of an arena.
    pub(super) fn terms<'a>(&self, arena: &'a Arena<Input>) -> Vec<Term<'a, Input>> {
        self.straight.terms(&self.straight.roots[..self.outputs], arena, Input)
    }

    /// What a variable of the operations stands for: one of the function's, or a number from outside.
    pub(super) fn meaning<C: Clone>(&self, variable: usize, x: &[C], lift: impl Fn(S) -> C) -> C {
        match x.get(variable) {
            Some(x) => x.clone(),
            None => lift(self.lifted[variable - self.inputs]),
        }
    }

    /// The results in a carrier, decisions not looked at.
    pub(super) fn fold<C: Elementary>(&self, x: &[C], lift: impl Fn(S) -> C) -> Vec<C> {
        let results = &self.straight.roots[..self.outputs];
        self.straight.fold(results, |variable| self.meaning(variable, x, &lift), |value, _| value)
    }

    /// The results in a carrier that has values to take the decisions by.
    pub(super) fn run_in<C: Elementary + PartialOrd>(&self, x: &[C], lift: impl Fn(S) -> C) -> Result<Vec<C>> {
        Error::lengths("the point", self.inputs, x.len())?;
        let roots = &self.straight.roots;
        let mut values = self.straight.fold(roots, |variable| self.meaning(variable, x, &lift), |value, _| value);
        let sides = values.split_off(self.outputs);
        self.decide_again(sides.chunks_exact(2).map(|sides| [&sides[0], &sides[1]]))?;
        Ok(values)
    }

    /// Takes all decisions again, of which these are the sides.
    #[inline]
    pub(super) fn decide_again<'v, C: PartialOrd + 'v>(&self, sides: impl Iterator<Item = [&'v C; 2]>) -> Result<()> {
        for (at, ([a, b], decision)) in sides.zip(&self.decisions).enumerate() {
            decision.again(at, &decision.asked.of(a, b), || self.question(at))?;
        }
        Ok(())
    }

    /// The question of a decision as text.
    fn question(&self, at: usize) -> String {
        let arena = Arena::exact();
        let sides = &self.straight.roots[self.outputs + 2 * at..][..2];
        let sides = self.straight.terms(sides, &arena, Input);
        let [a, b] = [0, 1].map(|side| shortened(&sides[side].to_string()));
        format!("{a} {} {b}", self.decisions[at].asked.sign())
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
