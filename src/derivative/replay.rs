//! The replay of straight-line code: one pass forward for the values, one backward for a gradient.
//!
//! Law: the values are those of the operations, to the last bit; the adjoints are the sums that reverse mode makes of
//! the partial derivatives of the table, of products and of users' rules, and where one of these is not finite the tape
//! computes them, since it knows which zeros are stronger than an infinity (laws: recordings,
//! tests/scalar/recordings.rs).

use std::sync::Arc;

use super::cones::{Lanes, Loop};
use super::recording::Recording;
use super::strategy::Base;
use crate::carriers::{Adjoint, Dual, Tape};
use crate::error::Result;
use crate::primitives::{Primitive, Rule, Scalar, Visitor, Work, ZeroRule, per_argument, rows};
use crate::term::{Code, Kind, LANES, Run};

/// The forward pass. The numbers are the values of the slots, of which those of variables and constants are given.
pub(super) struct Forward<'c>(pub(super) &'c Code);

impl Work for Forward<'_> {
    type Output = ();
    #[inline]
    fn on<S: Scalar>(self, values: &mut [S]) {
        forward::<_, false, true>(self.0, values);
    }
    fn on_doubles(self, values: &mut [f64]) {
        forward::<_, true, true>(self.0, values);
    }
}

/// The backward pass. The numbers are the values of the slots, and then the adjoints, of which those of results are given.
/// It leaves those of variables, and zeros for all others.
pub(super) struct Backward<'c>(pub(super) &'c Code);

impl Work for Backward<'_> {
    type Output = ();
    #[inline]
    fn on<S: Scalar>(self, numbers: &mut [S]) {
        backward::<_, false>(self.0, numbers);
    }
    fn on_doubles(self, numbers: &mut [f64]) {
        backward::<_, true>(self.0, numbers);
    }
}

/// The backward pass on a tape: slow, and right where a partial derivative is infinite or NaN as well. The numbers are as for
/// [`Backward`].
pub(super) struct Carefully<'c>(pub(super) &'c Code);

impl Work for Carefully<'_> {
    type Output = Result<()>;
    #[inline]
    fn on<S: Scalar>(self, numbers: &mut [S]) -> Result<()> {
        carefully(self.0, numbers)
    }
    fn on_doubles(self, numbers: &mut [f64]) -> Result<()> {
        carefully(self.0, numbers)
    }
}

fn carefully<S: Scalar>(code: &Code, numbers: &mut [S]) -> Result<()> {
    let (values, adjoints) = numbers.split_at_mut(code.room());
    let mut tape = Tape::new();
    tape.restart(code.inputs)?;
    let (mut outputs, mut weights) = (Vec::new(), Vec::new());
    {
        let mut numbers: Vec<Dual<S, Adjoint<'_, S>>> = values.iter().map(|value| Dual::lift(*value)).collect();
        for (index, number) in numbers[..code.inputs].iter_mut().enumerate() {
            number.tangent = tape.input(index);
        }
        forward::<_, false, false>(code, &mut numbers);
        for (slot, active) in &code.roots {
            if *active {
                outputs.push(numbers[*slot as usize].tangent.output());
                weights.push(taken(&mut adjoints[*slot as usize]));
            }
        }
    }
    adjoints[..code.inputs].copy_from_slice(&tape.into_record(outputs)?.pull(&weights)?);
    Ok(())
}

/// `COMPILED` says that the library compiles this, so that short chains may have loops of their own; `FAST`, that rows may
/// have loops of their own.
fn forward<S: Scalar, const COMPILED: bool, const FAST: bool>(code: &Code, values: &mut [S]) {
    let mut rest = &code.operands[..];
    for run in &code.runs {
        let (operands, after) = rest.split_at(run.operands());
        rest = after;
        let to = run.to as usize;
        match run.kind {
            Kind::Plus => {
                for (k, [a, b]) in pairs(operands).enumerate() {
                    values[to + k] = values[a] + values[b];
                }
            }
            Kind::Times => {
                for (k, [a, b]) in pairs(operands).enumerate() {
                    values[to + k] = values[a] * values[b];
                }
            }
            Kind::Add => values[to] = operands.iter().fold(values[to], |sum, a| sum + values[*a as usize]),
            Kind::AddProduct => {
                values[to] = pairs(operands).fold(values[to], |sum, [a, b]| sum + values[a] * values[b])
            }
            Kind::Cone(cone) | Kind::AddCone(cone) => {
                Loop::new(code, run, cone, operands).forward::<S, COMPILED>(values);
            }
            Kind::Row(row) if FAST => row.visit(Apply { run, operands, sum: None, values }),
            Kind::AddRow(row) if FAST => row.visit(Apply { run, operands, sum: Some(run.sum as usize), values }),
            Kind::Row(row) => one_by_one(row, run, operands, None, values),
            Kind::AddRow(row) => one_by_one(row, run, operands, Some(run.sum as usize), values),
            Kind::Rule(rule) => code.rules[rule as usize].visit(Apply { run, operands, sum: None, values }),
        }
    }
}

/// The operands of operations that have two.
fn pairs(operands: &[u32]) -> impl DoubleEndedIterator<Item = [usize; 2]> + ExactSizeIterator {
    operands.as_chunks().0.iter().map(|pair: &[u32; 2]| pair.map(|slot| slot as usize))
}

/// The operands of operations that have `N`, which is not 0: what has no operands is a constant.
#[inline(always)]
fn lists<const N: usize>(operands: &[u32]) -> impl DoubleEndedIterator<Item = [usize; N]> + ExactSizeIterator {
    operands.chunks_exact(N.max(1)).map(|list| per_argument(0, |i| list[i] as usize))
}

/// The operands of a row that are in one slot each, or in a slot and those after it.
struct Spans<'r, S, const N: usize> {
    /// The first slot, and whether it is the only one.
    of: [(usize, bool); N],
    ones: [Lanes<S>; N],
    spans: [&'r [Lanes<S>]; N],
}

impl<'r, S: Scalar, const N: usize> Spans<'r, S, N> {
    #[inline(always)]
    fn new(run: &Run, operands: &[u32], slots: &'r [S]) -> Self {
        let mut all = Spans { of: [(0, true); N], ones: [[S::zero(); LANES]; N], spans: [&[]; N] };
        let (first, steps) = operands.split_at(N);
        // A loop, since arrays that are made by a closure are made by calls.
        for i in 0..N {
            let first = first[i] as usize;
            all.of[i] = (first, steps[i] == 0);
            match steps[i] {
                0 => all.ones[i] = [slots[first]; LANES],
                _ => all.spans[i] = slots[first..][..run.length as usize].as_chunks().0,
            }
        }
        all
    }

    /// The values of the operands of this many operations.
    #[inline(always)]
    fn values(&self, lanes: usize) -> [&Lanes<S>; N] {
        per_argument(&self.ones[0], |i| if self.of[i].1 { &self.ones[i] } else { &self.spans[i][lanes] })
    }
}

/// Writes lanes one by one, since a function returns them one by one.
fn each<S>(lanes: &mut Lanes<S>, lane: impl Fn(usize) -> S) {
    lanes.iter_mut().enumerate().for_each(|(i, z)| *z = lane(i));
}

/// The sum of lanes from left to right, on top of another.
#[inline(always)]
fn added<S: Scalar>(total: S, lanes: &Lanes<S>) -> S {
    lanes.iter().fold(total, |total, z| total + *z)
}

/// The zero that changes nothing that is added to it, not even the sign of a zero.
#[inline(always)]
fn nothing<S: Scalar>() -> S {
    S::apply(&rows::Neg, [S::zero()])
}

/// Applies a row to one operand list after the other, by code that is compiled once for all rows.
fn one_by_one<S: Scalar>(row: Primitive, run: &Run, operands: &[u32], sum: Option<usize>, values: &mut [S]) {
    let mut total = match sum {
        Some(sum) if !run.begins => values[sum],
        _ => nothing(),
    };
    let (arity, mut x) = (row.arity(), [S::zero(); 3]);
    for k in 0..run.length as usize {
        for i in 0..arity {
            x[i] = values[if run.spans {
                (operands[i] + operands[arity + i] * k as u32) as usize
            } else {
                operands[k * arity + i] as usize
            }];
        }
        let z = row.apply(&x[..arity]);
        values[run.to as usize + k] = z;
        if sum.is_some() {
            total = total + z;
        }
    }
    if let Some(sum) = sum {
        values[sum] = total;
    }
}

/// Applies a rule in a loop.
struct Apply<'r, S> {
    run: &'r Run,
    operands: &'r [u32],
    /// Where the values are added up.
    sum: Option<usize>,
    values: &'r mut [S],
}

impl<S: Scalar> Visitor for Apply<'_, S> {
    type Output = ();
    #[inline(always)]
    fn visit<R: Rule<N>, const N: usize>(self, rule: R) {
        let Apply { run, operands, sum, values } = self;
        let to = run.to as usize;
        let mut total = match sum {
            Some(sum) if !run.begins => values[sum],
            _ => nothing(),
        };
        if run.spans {
            let (before, results) = values.split_at_mut(to);
            let spans = Spans::<S, N>::new(run, operands, before);
            for (at, results) in results[..run.length as usize].as_chunks_mut().0.iter_mut().enumerate() {
                let x = spans.values(at);
                each(results, |i| S::apply(&rule, per_argument(S::zero(), |k| x[k][i])));
                if sum.is_some() {
                    total = added(total, results);
                }
            }
        } else {
            for (k, at) in lists::<N>(operands).enumerate() {
                let z = S::apply(&rule, per_argument(S::zero(), |i| values[at[i]]));
                values[to + k] = z;
                if sum.is_some() {
                    total = total + z;
                }
            }
        }
        if let Some(sum) = sum {
            values[sum] = total;
        }
    }
}

fn backward<S: Scalar, const COMPILED: bool>(code: &Code, numbers: &mut [S]) {
    let (values, adjoints) = numbers.split_at_mut(code.room());
    let adjoints = &mut adjoints[..values.len()];
    let mut rest = &code.operands[..];
    for run in code.runs.iter().rev() {
        let (before, operands) = rest.split_at(rest.len() - run.operands());
        rest = before;
        let to = run.to as usize;
        match (run.kind, run.active) {
            (_, 0) => {}
            (Kind::Plus, active) => {
                for (k, [a, b]) in pairs(operands).enumerate().rev() {
                    let adjoint = taken(&mut adjoints[to + k]);
                    if active & 1 != 0 {
                        adjoints[a] = adjoints[a] + adjoint;
                    }
                    if active & 2 != 0 {
                        adjoints[b] = adjoints[b] + adjoint;
                    }
                }
            }
            (Kind::Times, 3) => {
                for (k, [a, b]) in pairs(operands).enumerate().rev() {
                    let adjoint = taken(&mut adjoints[to + k]);
                    adjoints[a] = adjoints[a] + values[b] * adjoint;
                    adjoints[b] = adjoints[b] + values[a] * adjoint;
                }
            }
            (Kind::Times, active) => {
                let one = usize::from(active == 2);
                for (k, at) in pairs(operands).enumerate().rev() {
                    let adjoint = taken(&mut adjoints[to + k]);
                    adjoints[at[one]] = adjoints[at[one]] + values[at[1 - one]] * adjoint;
                }
            }
            (Kind::Add, _) => {
                let adjoint = adjoints[to];
                operands.iter().for_each(|a| adjoints[*a as usize] = adjoints[*a as usize] + adjoint);
            }
            (Kind::AddProduct, active) => {
                let adjoint = adjoints[to];
                for [a, b] in pairs(operands) {
                    if active & 1 != 0 {
                        adjoints[a] = adjoints[a] + values[b] * adjoint;
                    }
                    if active & 2 != 0 {
                        adjoints[b] = adjoints[b] + values[a] * adjoint;
                    }
                }
            }
            (Kind::Cone(cone) | Kind::AddCone(cone), _) => {
                Loop::new(code, run, cone, operands).backward::<S, COMPILED>(values, adjoints);
            }
            (Kind::Row(row), _) => row.visit(Transpose { run, operands, sum: None, values, adjoints }),
            (Kind::AddRow(row), _) => {
                let sum = Some(adjoints[run.sum as usize]);
                row.visit(Transpose { run, operands, sum, values, adjoints });
                if run.begins {
                    adjoints[run.sum as usize] = S::zero();
                }
            }
            (Kind::Rule(rule), _) => {
                code.rules[rule as usize].visit(Transpose { run, operands, sum: None, values, adjoints });
            }
        }
    }
}

/// The adjoint of an operation, which is zero from then on.
#[inline(always)]
pub(super) fn taken<S: Scalar>(adjoint: &mut S) -> S {
    core::mem::replace(adjoint, S::zero())
}

/// Hands the adjoints of the applications of a rule on to their operands.
struct Transpose<'r, S> {
    run: &'r Run,
    operands: &'r [u32],
    /// The adjoint of the sum of the results, if that is what they are for.
    sum: Option<S>,
    values: &'r [S],
    adjoints: &'r mut [S],
}

impl<S: Scalar> Visitor for Transpose<'_, S> {
    type Output = ();
    #[inline(always)]
    fn visit<R: Rule<N>, const N: usize>(self, rule: R) {
        let Transpose { run, operands, sum, values, adjoints } = self;
        let (to, active, switch) = (run.to as usize, run.active, rule.facts().zero_rule == ZeroRule::ZeroPartialWins);
        // The adjoint of an operand, to which its part is added, if there is one.
        let add = |argument: usize, x: [S; N], z: S, adjoint: S, to: S| {
            let partial = rule.partial(argument, x, z);
            if switch && partial.is_zero() { to } else { to + partial * adjoint }
        };
        if run.spans {
            let spans = Spans::<S, N>::new(run, operands, values);
            let z: &[Lanes<S>] = values[to..][..run.length as usize].as_chunks().0;
            let (before, own) = adjoints.split_at_mut(to);
            let own = own[..run.length as usize].as_chunks_mut().0;
            for (at, (z, own)) in z.iter().zip(own).enumerate().rev() {
                let x = spans.values(at);
                let of = |i: usize| per_argument(S::zero(), |k| x[k][i]);
                let adjoint: Lanes<S> =
                    sum.map_or_else(|| core::mem::replace(own, [S::zero(); LANES]), |adjoint| [adjoint; LANES]);
                for (argument, (first, one)) in spans.of.into_iter().enumerate() {
                    if active >> argument & 1 == 0 {
                        continue;
                    }
                    if one {
                        let to = &mut before[first];
                        (0..LANES).rev().for_each(|i| *to = add(argument, of(i), z[i], adjoint[i], *to));
                    } else {
                        let to = &mut before[first + at * LANES..].as_chunks_mut().0[0];
                        let mut made: Lanes<S> = *to;
                        for (i, to) in made.iter_mut().enumerate() {
                            *to = add(argument, of(i), z[i], adjoint[i], *to);
                        }
                        *to = made;
                    }
                }
            }
            return;
        }
        for (k, at) in lists::<N>(operands).enumerate().rev() {
            let adjoint = sum.unwrap_or_else(|| taken(&mut adjoints[to + k]));
            let (x, z) = (per_argument(S::zero(), |i| values[at[i]]), values[to + k]);
            for (argument, slot) in at.into_iter().enumerate() {
                if active >> argument & 1 != 0 {
                    adjoints[slot] = add(argument, x, z, adjoint, adjoints[slot]);
                }
            }
        }
    }
}

/// The memory of replays, kept by their caller from one to the next, whatever the program.
///
/// [`Recording`] says how to use it.
#[derive(Debug, Clone)]
pub struct Workspace<S = f64> {
    numbers: Kept<S>,
    duals: Kept<Dual<S>>,
}

/// Numbers with the constants of a program in their places, and zeros for adjoints.
#[derive(Debug, Clone)]
struct Kept<C> {
    numbers: Vec<C>,
    /// The code that the constants are of.
    of: Option<Arc<Code>>,
}

impl<S> Default for Workspace<S> {
    fn default() -> Self {
        Workspace { numbers: Kept { numbers: Vec::new(), of: None }, duals: Kept { numbers: Vec::new(), of: None } }
    }
}

impl<S> Workspace<S> {
    /// A workspace without memory yet.
    #[must_use]
    pub fn new() -> Self {
        Workspace::default()
    }
}

impl<S: Base> Workspace<S> {
    /// Lends numbers to a replay of a program.
    #[inline(always)]
    pub(super) fn on_numbers<T>(&mut self, program: &Recording<S>, replay: impl FnOnce(&mut [S]) -> T) -> T {
        self.numbers.lend(program, |s| s, replay)
    }

    /// Lends dual numbers to a replay of a program.
    pub(super) fn on_duals<T>(&mut self, program: &Recording<S>, replay: impl FnOnce(&mut [Dual<S>]) -> T) -> T {
        self.duals.lend(program, Dual::lift, replay)
    }
}

impl<C: Scalar> Kept<C> {
    /// Inline, since the results of a short replay would wait for their copies.
    #[inline(always)]
    fn lend<S: Base, T>(
        &mut self,
        program: &Recording<S>,
        lift: impl Fn(S) -> C,
        replay: impl FnOnce(&mut [C]) -> T,
    ) -> T {
        // Taken out, so that a panic in a user's rule leaves no wrong number for the next time.
        let code = self.of.take().filter(|code| Arc::ptr_eq(code, program.code())).unwrap_or_else(|| {
            self.numbers = program.numbers(core::mem::take(&mut self.numbers), lift);
            Arc::clone(program.code())
        });
        let result = replay(&mut self.numbers);
        self.of = Some(code);
        result
    }
}
