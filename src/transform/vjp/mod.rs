//! Reverse mode as a transformation: a program to the program that also pulls adjoints of its results back.
//!
//! Law: `vjp` computes `(f x, Jᵀ ȳ)`, and no tape crosses a scope: the reverse sweep enters a scope by executing its
//! primal again, so that intermediate values are variables of the program, and compares no sizes again ("Reverse AD for
//! a Functional Array Language with nested parallelism", the core rewrite rule and *tape by redundant execution*). The
//! result is a program again, so derivatives nest to any order (laws: array_derivatives, laws: array_tape).
//!
//! The forward sweep of a scope is in `forward`: it knows no adjoints. These are in `adjoints`, which knows no sweeps.
//!
//! | operation | its rule |
//! |---|---|
//! | scalar operations | `scalar`, from the tables of partial derivatives |
//! | `map` | `map` |
//! | `reduce` | `reduce`, and `combine` for what the next two share with it |
//! | `scan` | `scan`, and `recurrence` for the adjoints of operators that are no sum |
//! | `hist` | `hist` for sums and extrema; `segments` for other operators, over sorted bins; of few values in an array that a loop changes in place, a loop of updates, by `one_by_one` |
//! | `scatter` | `scatter` |
//! | `if` | `branch` |
//! | `loop` | `loops`, which keeps all states: in a `ring` where their number is not known, `ragged` where their sizes differ, and a `journal` of arrays that are changed in place, which are `chain`s of updates, with `undo` for those made again; `binomial`, few; `recompute`, none |
//! | functions with a derivative of their own | `custom` |
//! | operations that move data | `arrays`, `sparse` for adjoints at one index, `view` for those of parts |

mod adjoints;
mod arrays;
mod binomial;
mod branch;
mod chain;
mod combine;
mod custom;
mod forward;
mod hist;
mod journal;
mod known;
mod loops;
mod map;
mod ragged;
mod recompute;
mod recurrence;
mod reduce;
mod ring;
mod scalar;
mod scan;
mod scatter;
mod segments;
mod sparse;
mod undo;
mod view;

use super::check::{Mode, check};
use super::copy::{Copier, spans_of_results};
use super::flow::Active;
use super::one_by_one::one_by_one;
use super::stripmine::stripmined;
use super::target::{GROWTH, Target};
use crate::array::{Agreement, Atom, Body, Lambda, Op, Program, Stm, has_bodies};
use crate::error::{Result, Span};
use crate::optimise::dead_code::executed_once;
use crate::optimise::fuse_chains::chained;
use adjoints::Adjoints;
use arrays::array;
use custom::custom;
use forward::{Forward, Saved};
use known::Known;
use scalar::{foreign, scalar};
use scatter::scatter;
use undo::{MadeAgain, undo};

/// The program with adjoints of the parameters at these positions as further results, for the adjoints that `seed`
/// writes for the results, given the results.
pub(super) fn vjp(
    program: &Program,
    by: &[usize],
    seed: impl FnOnce(&Target, &[Atom]) -> Vec<Option<Atom>>,
) -> Result<Program> {
    let mut active = Active::both(program, by);
    let chained = chained(program, |var| active.var(var));
    let program = chained.as_ref().unwrap_or(program);
    let nested = stripmined(program);
    let program = nested.as_ref().unwrap_or(program);
    if chained.is_some() || nested.is_some() {
        active = Active::both(program, by);
    }
    check(program, &active, Mode::Reverse)?;
    let updating = one_by_one(program, &active);
    if let Some(updating) = &updating {
        active = Active::both(updating, by);
    }
    let (program, target) = (updating.as_ref().unwrap_or(program), Target::of(GROWTH * program.types.len()));
    let mut reverse = Reverse::new(program, &target, &active);
    let function = &program.function;
    for (param, value) in function.params.iter().zip(target.parameters(program)) {
        reverse.copier.set(*param, value);
    }
    let saved = reverse.forward(&function.body);
    let mut results = reverse.copier.atoms(&function.body.results);
    let adjoints = seed(&target, &results);
    let made_at = spans_of_results(&function.body);
    for ((result, adjoint), of) in results.iter().zip(&adjoints).zip(&function.body.results) {
        if let Some(adjoint) = adjoint {
            target.span(made_at.get(of).copied().unwrap_or(Span::UNKNOWN));
            target.agree(Agreement::Adjoint, *adjoint, *result);
        }
    }
    target.span(Span::UNKNOWN);
    let returning = target.next();
    reverse.copier.execute_again();
    reverse.backward(&function.body, &saved, &adjoints);
    for k in by {
        results.push(reverse.adjoints.take_or_zero(&reverse.copier, function.params[*k]));
    }
    let mut derivative = target.finish(results);
    let is_nest = |stm: &Stm| stm.op.bodies().any(|body| body.stms.iter().any(|stm| has_bodies(&stm.op)));
    if function.body.stms.iter().any(is_nest) {
        executed_once(&mut derivative, returning);
    }
    Ok(derivative)
}

/// The two sweeps over a program.
pub(super) struct Reverse<'p, 't> {
    pub(super) copier: Copier<'p, 't>,
    target: &'t Target,
    active: &'t Active,
    adjoints: Adjoints<'t>,
    /// What is made again of arrays that are changed in place, and taken back.
    again: MadeAgain,
    known: Known,
}

impl<'p, 't> Reverse<'p, 't> {
    pub(super) fn new(source: &'p Program, target: &'t Target, active: &'t Active) -> Self {
        let copier = Copier::new(source, target);
        Reverse {
            target,
            copier,
            active,
            adjoints: Adjoints::none(target, active),
            again: MadeAgain::default(),
            known: Known::of(source),
        }
    }

    /// The forward sweep over a scope: what the reverse sweep needs of its statements, with their places.
    fn forward(&mut self, body: &Body) -> Vec<(usize, Saved)> {
        let Reverse { copier, active, again, known, .. } = self;
        Forward { copier, active, again, sizes: &known.sizes }.scope(body)
    }

    /// The reverse sweep over a scope whose results have these adjoints.
    fn backward(&mut self, body: &Body, saved: &[(usize, Saved)], adjoints: &[Option<Atom>]) {
        // What the results are given is of no statement; those of the whole program may be added to each other.
        let last = body.stms.last().map_or(Span::UNKNOWN, |stm| stm.span.derivative());
        let around = self.target.span(self.target.here().or(last));
        let views = self.adjoints.take_views(&self.copier, &self.known.parts, body);
        for (result, adjoint) in body.results.iter().zip(adjoints) {
            if let Some(adjoint) = adjoint {
                self.adjoints.add(&self.copier, *result, *adjoint);
            }
        }
        self.target.span(around);
        let mut saved = saved.iter().rev().peekable();
        for (at, stm) in body.stms.iter().enumerate().rev() {
            let kept = saved.next_if(|(of, _)| *of == at).map_or(&Saved::Nothing, |(_, kept)| kept);
            if let Saved::Undo(undone) = kept {
                undo(&mut self.copier, undone);
            }
            if stm.vars.iter().any(|v| self.adjoints.of.contains_key(v)) {
                let around = self.target.span(stm.span.derivative());
                self.statement(stm, kept);
                self.target.span(around);
            } else if let (Op::Loop(it), Saved::Loop(checkpoints)) = (&stm.op, kept) {
                self.loop_undone(stm, it, checkpoints);
            }
            self.again.take_back(&mut self.copier, stm);
        }
        views.iter().for_each(|part| self.adjoints.forget_view(*part));
    }

    /// The adjoints of a function's parameters at these arguments, from those of its results. Those of the variables
    /// around it are added to.
    pub(super) fn pullback(
        &mut self,
        function: &Lambda,
        arguments: &[Atom],
        adjoints: &[Option<Atom>],
    ) -> Vec<Option<Atom>> {
        for (param, argument) in function.params.iter().zip(arguments) {
            self.copier.set(*param, *argument);
        }
        for accumulator in &function.params[arguments.len()..] {
            self.copier.leave_out(*accumulator);
        }
        let saved = self.forward(&function.body);
        self.backward(&function.body, &saved, adjoints);
        function.params.iter().map(|param| self.adjoints.take(&self.copier, *param)).collect()
    }

    /// The rule of a statement, some of whose results have adjoints.
    fn statement(&mut self, stm: &Stm, saved: &Saved) {
        match &stm.op {
            Op::Scalar(op, operands) => scalar(&mut self.adjoints, &self.copier, stm.vars[0], *op, operands),
            Op::If(condition, yes, no) => self.branch(&stm.vars, *condition, yes, no),
            Op::Loop(it) => match saved {
                Saved::Loop(checkpoints) => self.loop_backward(stm, it, checkpoints),
                Saved::Binomial(snapshots) => self.binomial_backward(stm, it, snapshots),
                Saved::Count(count) => self.recompute_backward(stm, it, *count),
                Saved::Nothing | Saved::Winner(_) | Saved::Prefixes(_) | Saved::Undo(_) => {
                    panic!("a loop with an adjoint has kept its states")
                }
            },
            Op::Map(map) => self.map(&stm.vars, map),
            Op::Reduce(it) => self.reduce(&stm.vars, it, saved),
            Op::Scan(it) => self.scan(&stm.vars, it),
            Op::Hist(it) => self.hist(&stm.vars, it),
            Op::Scatter(it) => scatter(&mut self.adjoints, &self.copier, &self.known.distinct, stm.vars[0], it),
            Op::Custom(it) => custom(&mut self.adjoints, &mut self.copier, &stm.vars, it),
            Op::Foreign(it) => foreign(&mut self.adjoints, &self.copier, stm.vars[0], it),
            op => array(&mut self.adjoints, &self.copier, stm.vars[0], op),
        }
    }
}
