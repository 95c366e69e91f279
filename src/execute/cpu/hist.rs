//! Histograms and scatters as plain loops.
//!
//! Law: a value whose index is out of bounds is ignored. Where there are many values for each bin they are taken in parts, which
//! depend on how many values and bins there are alone: the first goes into the bins, each other into bins of its own, and these
//! are combined in the order of the parts; so results are the same with any number of threads. Else they are taken from the first
//! to the last (tests/execute/sweeps.rs, tests/execute/scans.rs).

use core::marker::PhantomData;

use super::budget::Watch;
use super::dispatch;
use super::machine::{Fault, Machine};
use super::memory::Elements;
use super::real::Real;
use super::state::State;
use super::sweep::{Hist, Source, Work, each};
use crate::kernel::operator::Operator;

/// The least values of a part, also for each bin, and the most parts.
const MIN_VALUES: usize = 1 << 16;
const MIN_VALUES_PER_BIN: usize = 8;
const MAX_PARTS: usize = 16;
/// The values that are taken between two looks at whether the run is to end.
const STRETCH: usize = 1 << 14;

/// The place of an index, if it is one: with one comparison, in which negative indices are too large.
#[inline(always)]
fn place(length: usize, at: i64) -> Option<usize> {
    ((at as u64) < length as u64).then_some(at as usize)
}

#[inline(always)]
fn bin_at<T>(bins: &mut [T], at: i64) -> Option<&mut T> {
    bins.get_mut(place(bins.len(), at)?)
}

/// Something to be done with bins. Where it matters, it is known which have begun: what is in the others counts for nothing.
pub(super) enum Part<'h, T> {
    Values { indices: &'h [i64], values: &'h [T], bins: &'h mut [T], begun: Option<&'h mut [bool]> },
    Bins { bins: &'h mut [T], with: &'h [T], begun: Option<&'h [bool]> },
}

impl<T: Copy> Work<T> for Part<'_, T> {
    /// What changes no bin is not stored: where few change one that costs less.
    #[inline(always)]
    fn by_choice(self, takes: impl Fn(T, T) -> bool + Copy, operator: impl Fn(T, T) -> T + Copy) {
        match self {
            Part::Values { indices, values, bins, begun: None } => {
                for (at, x) in indices.iter().zip(values) {
                    if let Some(bin) = bin_at(bins, *at)
                        && takes(*bin, *x)
                    {
                        *bin = *x;
                    }
                }
            }
            other => other.by(|[a], [b]| [operator(a, b)]),
        }
    }

    #[inline(always)]
    fn by<const N: usize>(self, operator: impl Fn([T; N], [T; N]) -> [T; N] + Copy) {
        assert!(N == 1, "a value is a scalar");
        let combined = |a: T, b: T| operator([a; N], [b; N])[0];
        match self {
            Part::Values { indices, values, bins, begun: None } => {
                for (at, x) in indices.iter().zip(values) {
                    if let Some(bin) = bin_at(bins, *at) {
                        *bin = combined(*bin, *x);
                    }
                }
            }
            Part::Values { indices, values, bins, begun: Some(begun) } => {
                let begun = &mut begun[..bins.len()];
                for (at, x) in indices.iter().zip(values) {
                    if let Some(at) = place(bins.len(), *at) {
                        bins[at] = if begun[at] { combined(bins[at], *x) } else { *x };
                        begun[at] = true;
                    }
                }
            }
            Part::Bins { bins, with, begun: None } => {
                bins.iter_mut().zip(with).for_each(|(bin, x)| *bin = combined(*bin, *x));
            }
            Part::Bins { bins, with, begun: Some(begun) } => {
                for ((bin, x), _) in bins.iter_mut().zip(with).zip(begun).filter(|(_, begun)| **begun) {
                    *bin = combined(*bin, *x);
                }
            }
        }
    }
}

/// What leaves any number as it is that an operator combines it with, if there is such a number; it is given what the program says,
/// the least and the greatest.
fn identity<T: PartialEq + Copy>(
    operator: Operator,
    neutral: T,
    [zero, one]: [T; 2],
    [least, most]: [T; 2],
) -> Option<T> {
    match operator {
        Operator::Add | Operator::Or | Operator::Xor => Some(zero),
        Operator::Mul => Some(one),
        Operator::Max | Operator::Later { greater: true, .. } => Some(neutral).filter(|x| *x == least),
        Operator::Min | Operator::Later { greater: false, .. } => Some(neutral).filter(|x| *x == most),
        Operator::And | Operator::Last | Operator::Recurrence => None,
    }
}

/// Runs a histogram or a scatter.
pub(super) fn run<R: Real<G>, const G: usize>(
    machine: &mut Machine<'_, R, G>,
    number: u32,
    at: usize,
) -> Result<(), Fault> {
    let it = &machine.code.sweeps.hists[number as usize];
    let Machine { watch, state, reals, ints, .. } = machine;
    let level = state.level;
    let count = usize::try_from(state.one(it.count)).unwrap_or(0);
    let size = usize::try_from(state.one(it.bins)).unwrap_or(0);
    Machine::<R, G>::tick(state, watch, at, if count < STRETCH { count as i64 } else { 0 } + 1)?;
    let operator = it.kind.operator;
    let to = it.to.first.buffer as usize;
    let stretch = Stretch { watch, at, parts: parts(operator, count, size), size, count, held: state.held.all };
    // No value and no index is read from where the results go.
    if it.kind.real {
        let mut room = core::mem::take(&mut reals[to]);
        let sources = (Source::of(state, ints, &it.indices), Source::of(state, reals, &it.values));
        let extremes = [R::of(f64::NEG_INFINITY), R::of(f64::INFINITY)];
        let identity = || identity(operator, state.reals.one(it.neutral), [R::default(), R::ONE], extremes);
        let identity = if operator == Operator::Last { None } else { identity() };
        let done = stretch.all(sources, bins(state, &mut room, it, size), identity, &|part| {
            dispatch::sweep_reals((level, it.kind), part);
        });
        reals[to] = room;
        done
    } else {
        let mut room = core::mem::take(&mut ints[to]);
        let sources = (Source::of(state, ints, &it.indices), Source::of(state, ints, &it.values));
        let identity = identity(operator, state.one(it.neutral), [0, 1], [i64::MIN, i64::MAX]);
        let done = stretch.all(sources, bins(state, &mut room, it, size), identity, &|part| {
            dispatch::sweep_ints(PhantomData::<[R; G]>, (level, it.kind), part);
        });
        ints[to] = room;
        done
    }
}

/// In how many parts values are taken. Of those that are scattered the last stays, so there is one.
fn parts(operator: Operator, count: usize, bins: usize) -> usize {
    let least = MIN_VALUES.max(bins.saturating_mul(MIN_VALUES_PER_BIN));
    if operator == Operator::Last { 1 } else { (count / least).clamp(1, MAX_PARTS) }
}

/// The bins, which lie in a row.
fn bins<'e, T: Copy + Default, R: Real<G>, const G: usize>(
    state: &State<R, G>,
    elements: &'e mut Elements<'_, T>,
    it: &Hist,
    size: usize,
) -> &'e mut [T] {
    elements.part_mut(state.start(&it.to.first), size).expect("the bins are there")
}

/// How far a histogram goes, and on whose account.
struct Stretch<'h> {
    watch: &'h Watch<'h>,
    at: usize,
    parts: usize,
    size: usize,
    count: usize,
    held: u64,
}

impl Stretch<'_> {
    fn all<T: Copy + Default + Send + Sync>(
        &self,
        (indices, values): (Source<'_, i64>, Source<'_, T>),
        bins: &mut [T],
        identity: Option<T>,
        does: &(dyn Fn(Part<'_, T>) + Sync),
    ) -> Result<(), Fault> {
        let Stretch { watch, at, parts, size, count, held } = *self;
        let each_part = count.div_ceil(parts);
        let part = |k: usize, bins: &mut [T], mut begun: Option<&mut [bool]>, room: &mut (Vec<i64>, Vec<T>)| {
            let end = count.min((k + 1) * each_part);
            for from in (k * each_part..end).step_by(STRETCH) {
                let length = STRETCH.min(end - from);
                let (indices, values) = (indices.row(from, length, &mut room.0), values.row(from, length, &mut room.1));
                does(Part::Values { indices, values, bins: &mut *bins, begun: begun.as_deref_mut() });
                if count >= STRETCH {
                    watch.spend(length as i64, at)?;
                }
            }
            Ok(())
        };
        if parts == 1 {
            return part(0, bins, None, &mut Default::default());
        }
        let copies = (parts - 1) * size;
        watch.room(held + copies as u64, at)?;
        let mut own = vec![identity.unwrap_or_default(); copies];
        let mut begun = vec![false; if identity.is_none() { copies } else { 0 }];
        let mut own_bins = core::iter::once(&mut *bins).chain(own.chunks_mut(size.max(1)));
        let mut own_begun = begun.chunks_mut(size.max(1));
        let mut items = Vec::new();
        for k in 0..parts {
            let begun = if k == 0 { None } else { own_begun.next() };
            items.push((k, own_bins.next().unwrap_or_default(), begun));
        }
        drop(own_bins);
        each(items, |(k, bins, begun), room| part(k, bins, begun, room))?;
        let mut begun = begun.chunks(size.max(1));
        for with in own.chunks(size.max(1)) {
            does(Part::Bins { bins: &mut *bins, with, begun: begun.next() });
        }
        Ok(())
    }
}
