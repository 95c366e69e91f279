//! Which elements of arrays are used, followed from uses to definitions: an interval of each array's outermost dimension.
//!
//! Law: what a statement computes of an interval of its result depends on these intervals of its operands alone
//! (tests/transform/dead_elements.rs, laws: simplification).
//!
//! | operation | of its result `[a, b)`, it uses |
//! |---|---|
//! | `map f (x, …)` | `[a, b)` of each `x` |
//! | `slice x[s : n : 1]` | `[s + a, s + b)` |
//! | `concat(x, …)` | of each what is in `[a, b)` |
//! | `x[k]`, for a `k` that is known | `[k, k + 1)` |
//! | a loop | see [`Carried`](super::carried::Carried) |
//! | any other | all |

use rustc_hash::FxHashMap;

use super::carried::Plan;
use super::interval::Interval;
use super::known::Known;
use crate::array::{Atom, Builder, Map, Op, Range, Stm, Var, atoms_in, atoms_of, has_effect, index};

/// The intervals of arrays that are used, from a place in a body on.
pub(super) struct Demand<'a> {
    pub(super) known: &'a Known,
    /// Where bounds are computed that are not known.
    pub(super) builder: &'a mut Builder,
    pub(super) intervals: FxHashMap<Var, Interval>,
    /// What is used of what statements make, by their first variable.
    pub(super) used: FxHashMap<Var, Used>,
    /// Loops of whose arrays less is used in each iteration, by their first variable. There are none within a loop that is one.
    pub(super) plans: Option<FxHashMap<Var, Plan>>,
}

/// What is used of the arrays that a statement makes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Used {
    /// Maybe all.
    Whole,
    /// None, of any.
    Nothing,
    /// No more of each.
    Part(Interval),
}

impl Demand<'_> {
    /// Follows the statements of a body, the last first.
    pub(super) fn body(&mut self, stms: &[Stm]) {
        stms.iter().rev().for_each(|stm| self.stm(stm));
    }

    /// Adds an interval to what is used of an array.
    pub(super) fn need(&mut self, array: Atom, part: Interval) {
        let (Atom::Var(var), Some(_)) = (array, self.known.length(array)) else { return };
        let all = match self.intervals.get(&var) {
            Some(before) => before.hull(part, self.builder),
            None => part,
        };
        self.intervals.insert(var, all);
    }

    /// All of an array is used.
    pub(super) fn need_whole(&mut self, array: Atom) {
        if let Some(length) = self.known.length(array) {
            self.need(array, Interval::new(0, length));
        }
    }

    fn stm(&mut self, stm: &Stm) {
        let used = self.used(stm);
        if let Some(var) = stm.vars.first() {
            self.used.insert(*var, used);
        }
        match (&stm.op, used) {
            (_, Used::Nothing) => {}
            // The number is known.
            (Op::Size(..), _) if self.known.number(stm.vars[0].into()).is_some() => {}
            (Op::Agree(it), _) if self.known.holds(it) => {}
            (Op::Index(array, at), _) if let Some(k) = element(self.known, *array, at) => {
                self.need(*array, Interval::new(k, k + 1));
            }
            (Op::Copy(array), Used::Part(part)) => self.need(*array, part),
            (Op::Replicate(_, value), Used::Part(_)) => self.need_whole(*value),
            (Op::Slice(array, ranges), Used::Part(part)) if let Some(start) = start(self.known, *array, ranges) => {
                self.need(*array, part.shifted(start));
            }
            (Op::Concat(arrays), Used::Part(part)) if let Some(parts) = self.parts(arrays, part) => {
                arrays.iter().zip(parts).for_each(|(array, part)| part.into_iter().for_each(|p| self.need(*array, p)));
            }
            (Op::Map(map), Used::Part(part)) if is_elementwise(self.known, map) => {
                map.arrays.iter().for_each(|array| self.need(*array, part));
                atoms_in(&map.function.body, &mut |a| self.need_whole(a));
            }
            (Op::Loop(it), _) if self.plan(stm, it) => {}
            _ => atoms_of(&stm.op, &mut |a| self.need_whole(a)),
        }
    }

    /// What is used of what a statement makes.
    fn used(&mut self, stm: &Stm) -> Used {
        let lengths: Option<Vec<i64>> = stm.vars.iter().map(|var| self.known.length((*var).into())).collect();
        let Some(lengths) = lengths.filter(|lengths| !lengths.is_empty()) else { return Used::Whole };
        let parts: Vec<Interval> = stm.vars.iter().filter_map(|var| self.intervals.get(var).copied()).collect();
        match parts.split_first() {
            None if has_effect(&stm.op) => Used::Whole,
            None => Used::Nothing,
            Some((first, rest)) => {
                let part = rest.iter().fold(*first, |all, part| all.hull(*part, self.builder));
                let is_most = |(start, end): (i64, i64)| (end - start) * 8 >= lengths[0] * 7;
                // Within a loop that is planned every element counts.
                let most = self.plans.is_some() && part.known().is_some_and(is_most);
                Used::Part(if most { Interval::new(0, lengths[0]) } else { part })
            }
        }
    }

    /// What an interval of arrays that are put together has of each, if these are arrays of scalars: how large elements are, an empty
    /// array does not say.
    pub(super) fn parts(&mut self, arrays: &[Atom], part: Interval) -> Option<Vec<Option<Interval>>> {
        let lengths: Vec<i64> = arrays.iter().map(|a| self.known.length(*a)).collect::<Option<_>>()?;
        let mut start = 0;
        if self.builder.type_of(arrays[0]).rank > 1 {
            return None;
        }
        let of = |n: &i64| {
            let own = part.within(start, start + n, self.builder);
            start += n;
            (own.start != own.end).then_some(own)
        };
        let parts: Vec<Option<Interval>> = lengths.iter().map(of).collect();
        parts.iter().any(Option::is_some).then_some(parts)
    }
}

/// Where the element of an array is that is read at an index which is known, if there is one.
pub(super) fn element(known: &Known, array: Atom, at: &[Atom]) -> Option<i64> {
    let (k, length) = known.number(*at.first()?).zip(known.length(array))?;
    (0..length).contains(&k).then_some(k)
}

/// Where a range of neighbours begins that is known to be inside of an array.
pub(super) fn start(known: &Known, array: Atom, ranges: &[Range]) -> Option<i64> {
    let Range { start, count, step } = ranges.first()?;
    let (start, count) = known.number(*start).zip(known.number(*count))?;
    let inside = start >= 0 && count >= 0 && start.checked_add(count)? <= known.length(array)?;
    (*step == index(1) && inside).then_some(start)
}

/// Whether each element of a map's results is computed of the elements at its place, and nothing else happens.
pub(super) fn is_elementwise(known: &Known, map: &Map) -> bool {
    let length = known.length(map.arrays[0]);
    map.accumulators.is_empty()
        && length.is_some()
        && map.arrays.iter().all(|array| known.length(*array) == length)
        && !map.function.body.stms.iter().any(|stm| has_effect(&stm.op))
}
