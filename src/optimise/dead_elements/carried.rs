//! Arrays that a loop carries of which each iteration uses a part: how it grows, from the last iteration to the first.
//!
//! Law: with `s` iterations the value before iteration `t` is used in `[start − before·(s − t), end + after·(s − t))` at most, as far as
//! there are elements: for every `t` that is verified by following an iteration whose results are used in the interval of `t + 1`
//! (tests/transform/dead_elements.rs).
//!
//! A method for an equation on a grid uses its neighbours in each step, so that one element after `s` steps depends on some `s` of
//! them on either side.

use rustc_hash::FxHashSet;

use super::demand::Demand;
use super::interval::{Bound, Interval};
use super::known::{Known, iterations};
use crate::array::{Builder, Loop, Stm, Var, binders, statements};

/// No more statements are followed to know what a loop uses, all its iterations together.
const EFFORT: i64 = 1 << 17;

/// The least number of elements that an iteration must leave out, on average: to say which takes as long as to compute some.
const MIN_DROPPED: i64 = 32;

/// What is used of a loop's arrays.
#[derive(Debug, Clone)]
pub(super) struct Plan {
    pub(super) iterations: i64,
    /// Of each loop variable, if it is an array of which less is used.
    pub(super) carried: Vec<Option<Carried>>,
}

/// What is used of an array that a loop carries.
#[derive(Debug, Clone, Copy)]
pub(super) struct Carried {
    /// Of the result.
    start: i64,
    end: i64,
    /// How much further it goes with each iteration before.
    before: i64,
    after: i64,
    length: i64,
}

impl Carried {
    /// The interval that is used where this many iterations are still to come.
    fn to_come(self, iterations: i64) -> (i64, i64) {
        let grown = |by: i64| by.saturating_mul(iterations);
        (
            self.start.saturating_sub(grown(self.before)).max(0),
            self.end.saturating_add(grown(self.after)).min(self.length),
        )
    }

    /// The elements that the loop keeps: those that the first iteration uses.
    pub(super) fn kept(&self, iterations: i64) -> Interval {
        let (start, end) = self.to_come(iterations);
        Interval::new(start, end)
    }

    /// The interval that is used after the iteration of this number, as the program computes it.
    pub(super) fn after(&self, number: Var, iterations: i64, to: &mut Builder) -> Interval {
        let to_come = iterations - 1;
        let (first, last) = (self.start - self.before * to_come, self.end + self.after * to_come);
        let start = Bound::of_iteration(number, iterations, self.before, first, to);
        let end = Bound::of_iteration(number, iterations, -self.after, last, to);
        Interval { start: start.max(Bound::ZERO, to), end: end.min(Bound::new(self.length), to) }
    }
}

impl Demand<'_> {
    /// Follows a loop of whose arrays less is used, if this is one.
    pub(super) fn plan(&mut self, stm: &Stm, it: &Loop) -> bool {
        let Some(mut plans) = self.plans.take() else { return false };
        let plan = self.planned(stm, it);
        let planned = plan.is_some();
        plans.extend(plan.map(|plan| (stm.vars[0], plan)));
        self.plans = Some(plans);
        planned
    }

    fn planned(&mut self, stm: &Stm, it: &Loop) -> Option<Plan> {
        let s = iterations(self.known, &it.form).filter(|s| *s > 1)?;
        if s.saturating_mul(i64::try_from(statements(&it.body)).ok()?) > EFFORT {
            return None;
        }
        let lengths: Vec<Option<i64>> = (0..stm.vars.len()).map(|k| kept_length(self.known, stm, it, k)).collect();
        let part = |k: usize| self.intervals.get(&stm.vars[k]).and_then(|part| part.known());
        let parts: Vec<Option<(i64, i64)>> = (0..stm.vars.len()).map(part).collect();
        // What is used after the loop is known, and is not all.
        let small = lengths.iter().zip(&parts).any(|(n, part)| n.is_some() && *part != n.map(|n| (0, n)));
        if !small || (0..stm.vars.len()).any(|k| self.intervals.contains_key(&stm.vars[k]) && parts[k].is_none()) {
            return None;
        }
        let mut inside: FxHashSet<Var> = it.params.iter().map(|(param, _)| *param).collect();
        binders(&it.body, &mut inside);
        let carried = self.grown(it, s, &lengths, parts, &inside);
        let verified = carried.filter(|carried| self.verifies(it, s, carried, &inside));
        self.forget(&inside);
        let carried = verified?;
        for ((_, initial), carried) in it.params.iter().zip(&carried) {
            match carried {
                Some(carried) => self.need(*initial, carried.kept(s)),
                None => self.need_whole(*initial),
            }
        }
        Some(Plan { iterations: s, carried })
    }

    fn forget(&mut self, inside: &FxHashSet<Var>) {
        self.intervals.retain(|var, _| !inside.contains(var));
    }

    /// Follows one iteration whose results are used so, and returns what is used of the loop variables. What is all used, is none.
    fn iteration(
        &mut self,
        it: &Loop,
        parts: &[Option<Interval>],
        whole: &[bool],
        inside: &FxHashSet<Var>,
    ) -> Vec<Option<Interval>> {
        self.forget(inside);
        for ((result, part), whole) in it.body.results.iter().zip(parts).zip(whole) {
            if *whole {
                self.need_whole(*result);
            } else {
                part.iter().for_each(|part| self.need(*result, *part));
            }
        }
        self.body(&it.body.stms);
        it.params.iter().map(|(param, _)| self.intervals.get(param).copied()).collect()
    }

    /// How what is used grows, found by going through the iterations once.
    fn grown(
        &mut self,
        it: &Loop,
        s: i64,
        lengths: &[Option<i64>],
        last: Vec<Option<(i64, i64)>>,
        inside: &FxHashSet<Var>,
    ) -> Option<Vec<Option<Carried>>> {
        let whole: Vec<bool> = lengths.iter().map(Option::is_none).collect();
        let new = |(n, part): (&Option<i64>, &Option<(i64, i64)>)| {
            n.zip(*part).map(|(length, (start, end))| Carried { start, end, before: 0, after: 0, length })
        };
        let mut carried: Vec<Option<Carried>> = lengths.iter().zip(&last).map(new).collect();
        let mut parts: Vec<Option<Interval>> =
            last.into_iter().map(|part| part.map(|(a, b)| Interval::new(a, b))).collect();
        let all: i64 = lengths.iter().flatten().sum();
        let mut dropped = 0;
        for to_come in 1..=s {
            parts = self.iteration(it, &parts, &whole, inside);
            for ((part, carried), length) in parts.iter().zip(&mut carried).zip(lengths) {
                let (Some(length), Some((start, end))) = (*length, part.and_then(Interval::known)) else { continue };
                // What only a later iteration uses of an array is used as if the last one did.
                let it = carried.get_or_insert(Carried { start, end, before: 0, after: 0, length });
                let each = |more: i64| (more.max(0) + to_come - 1) / to_come;
                it.before = it.before.max(each(it.start - start));
                it.after = it.after.max(each(end - it.end));
                dropped += length - (end - start);
            }
            // What is omitted in the iterations that follow may be no more than in this one.
            if to_come * 2 >= s && dropped * 4 < all * to_come {
                return None;
            }
        }
        // A variable that no iteration uses is dead code.
        let is_known = carried.iter().zip(lengths).all(|(carried, length)| carried.is_some() || length.is_none());
        is_known.then_some(carried)
    }

    /// Whether what is used grows so in every iteration, and enough is omitted.
    fn verifies(&mut self, it: &Loop, s: i64, carried: &[Option<Carried>], inside: &FxHashSet<Var>) -> bool {
        let whole: Vec<bool> = carried.iter().map(Option::is_none).collect();
        let (mut all, mut used) = (0, 0);
        for to_come in 1..=s {
            let after =
                carried.iter().map(|carried| carried.map(|carried| carried.kept(to_come - 1))).collect::<Vec<_>>();
            let parts = self.iteration(it, &after, &whole, inside);
            for (carried, part) in carried.iter().zip(parts) {
                let Some(carried) = carried else { continue };
                let (start, end) = carried.to_come(to_come);
                let is_inside = |part: Interval| part.known().is_some_and(|(from, to)| start <= from && to <= end);
                if !part.is_none_or(is_inside) {
                    return false;
                }
                (all, used) = (all + carried.length, used + (end - start));
            }
        }
        used * 2 <= all && all - used >= MIN_DROPPED * s
    }
}

/// The length of an array that a loop carries, and keeps.
fn kept_length(known: &Known, stm: &Stm, it: &Loop, k: usize) -> Option<i64> {
    let (param, initial) = it.params[k];
    let length = known.length(stm.vars[k].into());
    [param.into(), initial, it.body.results[k]].iter().all(|a| known.length(*a) == length).then_some(length)?
}
