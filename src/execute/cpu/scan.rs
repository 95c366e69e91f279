//! Scans as plain loops, over several blocks at once.
//!
//! Law: fewer elements than [`MIN_BLOCKED_LENGTH`] are combined from the first to the last, and more of them in blocks of
//! [`BLOCK`]: what a block starts from is what all blocks before it come to, each combined from its first element to its last. No
//! number depends on who computes it, so results are the same with any number of threads (tests/execute/sweeps.rs,
//! tests/execute/scans.rs).
//!
//! A plain loop waits for each combination before the next; those of blocks that are gone through at once do not wait for each
//! other, which is worth more than to go through the elements twice costs.

use core::marker::PhantomData;

use super::budget::Watch;
use super::dispatch;
use super::machine::{Fault, Machine};
use super::memory::Elements;
use super::real::Real;
use super::state::State;
use super::sweep::{Line, Scan, Source, Work, are_many, each};
use super::vector::one_by_one;
use crate::kernel::scan::MIN_BLOCKED_LENGTH;

/// The elements of a block: no multiple of the distance at which lines of memory get into each other's way in a cache.
const BLOCK: usize = 2056;
/// The blocks that are gone through one right after the other, or at once, and their elements: those fit the second cache.
const BLOCKS: usize = 8;
const CHUNK: usize = BLOCKS * BLOCK;
/// Fewer elements are not worth a second thread.
const MIN_SHARED_LENGTH: usize = 1 << 16;

/// A part of a scan. Of two components of results the first may have no room, and is then not wanted.
pub(super) enum Part<'s, T> {
    /// What each block comes to.
    Totals { from: [&'s [T]; 2], totals: &'s mut [[T; 2]] },
    /// What each block starts from, in place of what it comes to; and in place of the first start, the one after these blocks.
    Starts { start: &'s mut [T; 2], totals: &'s mut [[T; 2]] },
    /// The results, of blocks of `block` elements, each from its state, which becomes that at its end.
    Results { from: [&'s [T]; 2], to: [&'s mut [T]; 2], block: usize, states: &'s mut [[T; 2]] },
}

impl<T: Copy + Default> Work<T> for Part<'_, T> {
    #[inline(always)]
    fn by<const N: usize>(self, operator: impl Fn([T; N], [T; N]) -> [T; N] + Copy) {
        // As many states as there are registers for.
        match N {
            1 => self.with::<N, 8>(operator),
            _ => self.with::<N, 4>(operator),
        }
    }
}

impl<T: Copy + Default> Part<'_, T> {
    #[inline(always)]
    fn with<const N: usize, const AT_ONCE: usize>(self, operator: impl Fn([T; N], [T; N]) -> [T; N] + Copy) {
        match self {
            Part::Totals { from, totals } => {
                let from = first::<N, _>(from);
                let mut rest = (from, totals);
                while let Some((part, totals)) = next_blocks(&mut rest, AT_ONCE) {
                    totals_at_once::<T, N, AT_ONCE>(operator, part, totals);
                }
                while let Some((part, totals)) = next_blocks(&mut rest, 2) {
                    totals_at_once::<T, N, 2>(operator, part, totals);
                }
                for (k, total) in rest.1.iter_mut().enumerate() {
                    let from = block_of(rest.0, k, BLOCK);
                    *total =
                        wide((1..from[0].len()).fold(state_at(from, 0), |state, k| operator(state, state_at(from, k))));
                }
            }
            Part::Starts { start, totals } => {
                let mut state = narrow::<T, N>(*start);
                for total in totals {
                    let next = operator(state, narrow(*total));
                    *total = wide(state);
                    state = next;
                }
                *start = wide(state);
            }
            Part::Results { from, to, block, states } => {
                let all = N == 1 || !to[0].is_empty();
                let (from, mut to) = (first::<N, _>(from), first_mut::<N, _>(to));
                let mut rest = (from, states);
                while block == BLOCK
                    && let Some((part, states)) = next_blocks(&mut rest, AT_ONCE)
                {
                    let to = next_room(&mut to, AT_ONCE * BLOCK);
                    match all {
                        true => results_at_once::<T, N, AT_ONCE, true>(operator, part, to, states),
                        false => results_at_once::<T, N, AT_ONCE, false>(operator, part, to, states),
                    }
                }
                while block == BLOCK
                    && let Some((part, states)) = next_blocks(&mut rest, 2)
                {
                    let to = next_room(&mut to, 2 * BLOCK);
                    match all {
                        true => results_at_once::<T, N, 2, true>(operator, part, to, states),
                        false => results_at_once::<T, N, 2, false>(operator, part, to, states),
                    }
                }
                for (k, state) in rest.1.iter_mut().enumerate() {
                    let part = block_of(rest.0, k, block);
                    let to = next_room(&mut to, part[0].len());
                    *state = wide(match all {
                        true => results::<T, N, true>(operator, part, to, narrow(*state)),
                        false => results::<T, N, false>(operator, part, to, narrow(*state)),
                    });
                }
            }
        }
    }
}

/// Elements of each component, and the states of their blocks.
type Blocks<'r, 's, T, const N: usize> = ([&'r [T]; N], &'s mut [[T; 2]]);

/// The next blocks, if there are as many and all of them are full.
#[inline(always)]
fn next_blocks<'r, 's, T, const N: usize>(
    rest: &mut Blocks<'r, 's, T, N>,
    count: usize,
) -> Option<Blocks<'r, 's, T, N>> {
    let (rows, states) = rest;
    let mut parts = [&[][..]; N];
    for (part, row) in parts.iter_mut().zip(&mut *rows) {
        (*part, *row) = row.split_at_checked(count * BLOCK)?;
    }
    let (now, later) = core::mem::take(states).split_at_mut(count);
    *states = later;
    Some((parts, now))
}

/// The room for the next results, of components that are wanted.
#[inline(always)]
fn next_room<'s, T, const N: usize>(to: &mut [&'s mut [T]; N], count: usize) -> [&'s mut [T]; N] {
    to.each_mut().map(|to| {
        let (now, later) = core::mem::take(to).split_at_mut_checked(count).unwrap_or_default();
        *to = later;
        now
    })
}

/// A state of `N` components, of which there is room for two, and back.
#[inline(always)]
fn narrow<T: Copy, const N: usize>(state: [T; 2]) -> [T; N] {
    core::array::from_fn(|k| state[k])
}

#[inline(always)]
fn wide<T: Copy + Default, const N: usize>(state: [T; N]) -> [T; 2] {
    core::array::from_fn(|k| state.get(k).copied().unwrap_or_default())
}

#[inline(always)]
fn first<const N: usize, T>(all: [&[T]; 2]) -> [&[T]; N] {
    core::array::from_fn(|k| all[k])
}

#[inline(always)]
fn first_mut<const N: usize, T>(all: [&mut [T]; 2]) -> [&mut [T]; N] {
    let mut all = all.into_iter();
    core::array::from_fn(|_| all.next().expect("there are two"))
}

// What is of each component is in functions of its own: closures would be compiled once more for each operator.

/// The elements of a block, of which the last may have fewer.
#[inline(always)]
fn block_of<T, const N: usize>(rows: [&[T]; N], k: usize, block: usize) -> [&[T]; N] {
    rows.map(|x| &x[k * block..((k + 1) * block).min(x.len())])
}

/// The state that elements are.
#[inline(always)]
fn state_at<T: Copy, const N: usize>(rows: [&[T]; N], k: usize) -> [T; N] {
    rows.map(|x| x[k])
}

/// The state that elements of blocks are.
#[inline(always)]
fn state_in<T: Copy, const N: usize, const AT_ONCE: usize>(
    blocks: [&[[T; BLOCK]; AT_ONCE]; N],
    b: usize,
    k: usize,
) -> [T; N] {
    blocks.map(|x| x[b][k])
}

/// The states that the first elements of blocks are.
#[inline(always)]
fn first_states<T: Copy, const N: usize, const AT_ONCE: usize>(
    blocks: [&[[T; BLOCK]; AT_ONCE]; N],
) -> [[T; N]; AT_ONCE] {
    core::array::from_fn(|b| state_in(blocks, b, 0))
}

/// The states that were kept of blocks, and back.
#[inline(always)]
fn kept_states<T: Copy, const N: usize, const AT_ONCE: usize>(states: &[[T; 2]]) -> [[T; N]; AT_ONCE] {
    core::array::from_fn(|b| narrow(states[b]))
}

#[inline(always)]
fn keep_states<T: Copy + Default, const N: usize, const AT_ONCE: usize>(
    kept: &mut [[T; 2]],
    states: [[T; N]; AT_ONCE],
) {
    kept.iter_mut().zip(states).for_each(|(kept, state)| *kept = wide(state));
}

/// The blocks of rows.
#[inline(always)]
fn blocks<T, const N: usize, const AT_ONCE: usize>(rows: [&[T]; N]) -> [&[[T; BLOCK]; AT_ONCE]; N] {
    rows.map(|row| row.as_chunks().0.try_into().expect("the blocks are whole"))
}

/// Room, in pieces of one length.
#[inline(always)]
fn rooms<'t, T, const N: usize, const LENGTH: usize>(to: &'t mut [&mut [T]; N]) -> [&'t mut [[T; LENGTH]]; N] {
    to.each_mut().map(|to| to.as_chunks_mut().0)
}

/// What blocks come to that are gone through at once.
#[inline(always)]
fn totals_at_once<T: Copy + Default, const N: usize, const AT_ONCE: usize>(
    operator: impl Fn([T; N], [T; N]) -> [T; N],
    from: [&[T]; N],
    totals: &mut [[T; 2]],
) {
    let from: [&[[T; BLOCK]; AT_ONCE]; N] = blocks(from);
    let mut states = first_states(from);
    for k in 1..BLOCK {
        for (b, state) in states.iter_mut().enumerate() {
            *state = operator(*state, state_in(from, b, k));
            // As a vector, elements of several blocks would be gathered.
            one_by_one();
        }
    }
    keep_states(totals, states);
}

/// The results of blocks that are gone through at once: of all components, or of the last.
#[allow(clippy::needless_range_loop, reason = "a place is one in each component")]
#[inline(always)]
fn results_at_once<T: Copy + Default, const N: usize, const AT_ONCE: usize, const ALL: bool>(
    operator: impl Fn([T; N], [T; N]) -> [T; N],
    from: [&[T]; N],
    mut to: [&mut [T]; N],
    starts: &mut [[T; 2]],
) {
    let from: [&[[T; BLOCK]; AT_ONCE]; N] = blocks(from);
    let to: [&mut [[T; BLOCK]]; N] = rooms(&mut to);
    // Said once, so that it is not asked again for each element.
    assert!((0..N).all(|c| !ALL && c + 1 < N || to[c].len() == AT_ONCE), "there is room for the results");
    let mut states: [[T; N]; AT_ONCE] = kept_states(starts);
    for k in 0..BLOCK {
        for b in 0..AT_ONCE {
            states[b] = operator(states[b], state_in(from, b, k));
            for c in 0..N {
                if ALL || c + 1 == N {
                    to[c][b][k] = states[b][c];
                }
            }
        }
    }
    keep_states(starts, states);
}

/// The elements that are taken without a check of each.
const ROW: usize = 8;

/// The elements of each component in rows, without those that fill none.
#[inline(always)]
fn whole_rows<T, const N: usize>(from: [&[T]; N]) -> [&[[T; ROW]]; N] {
    from.map(|x| x.as_chunks().0)
}

/// The row of each component: the place is checked here, once for all of its elements.
#[inline(always)]
fn row_at<T, const N: usize>(rows: [&[[T; ROW]]; N], j: usize) -> [&[T; ROW]; N] {
    rows.map(|x| &x[j])
}

/// The state that elements of a row are.
#[inline(always)]
fn state_of<T: Copy, const N: usize>(row: [&[T; ROW]; N], k: usize) -> [T; N] {
    row.map(|x| x[k])
}

/// The results of one block, and the state at its end.
#[allow(clippy::needless_range_loop, reason = "a place is one in each component")]
#[inline(always)]
fn results<T: Copy, const N: usize, const ALL: bool>(
    operator: impl Fn([T; N], [T; N]) -> [T; N],
    from: [&[T]; N],
    mut to: [&mut [T]; N],
    mut state: [T; N],
) -> [T; N] {
    let count = from[0].len();
    let whole = whole_rows(from);
    let room: [&mut [[T; ROW]]; N] = rooms(&mut to);
    for j in 0..count / ROW {
        let row = row_at(whole, j);
        for k in 0..ROW {
            state = operator(state, state_of(row, k));
            for c in 0..N {
                if ALL || c + 1 == N {
                    room[c][j][k] = state[c];
                }
            }
        }
    }
    for k in count / ROW * ROW..count {
        state = operator(state, state_at(from, k));
        for c in 0..N {
            if ALL || c + 1 == N {
                to[c][k] = state[c];
            }
        }
    }
    state
}

/// Runs a scan.
pub(super) fn run<R: Real<G>, const G: usize>(
    machine: &mut Machine<'_, R, G>,
    number: u32,
    at: usize,
) -> Result<(), Fault> {
    let it = &machine.code.sweeps.scans[number as usize];
    let Machine { watch, state, reals, ints, .. } = machine;
    let (level, count) = (state.level, state.one(it.count));
    Machine::<R, G>::tick(state, watch, at, if count < MIN_BLOCKED_LENGTH { count.max(0) } else { 0 } + 1)?;
    let begun = |k: usize| it.start.get(k).copied();
    if it.kind.real {
        let start = [0, 1].map(|k| begun(k).map(|k| state.reals.one(k)).unwrap_or_default());
        whole(state, watch, reals, it, start, at, &|part| dispatch::sweep_reals((level, it.kind), part))
    } else {
        let start = [0, 1].map(|k| begun(k).map(|k| state.one(k)).unwrap_or_default());
        whole(state, watch, ints, it, start, at, &|part| {
            dispatch::sweep_ints(PhantomData::<[R; G]>, (level, it.kind), part)
        })
    }
}

/// Does parts of a scan.
type Parts<'p, T> = &'p (dyn Fn(Part<'_, T>) + Sync);

fn whole<T: Copy + Default + Send + Sync, R: Real<G>, const G: usize>(
    state: &State<R, G>,
    watch: &Watch<'_>,
    elements: &mut [Elements<'_, T>],
    it: &Scan,
    start: [T; 2],
    at: usize,
    does: Parts<'_, T>,
) -> Result<(), Fault> {
    let count = usize::try_from(state.one(it.count)).unwrap_or(0);
    // Nothing is read from where the results go.
    let mut taken = |line: &Line| core::mem::take(&mut elements[line.first.buffer as usize]);
    let mut rooms: Vec<_> = it.to.iter().map(|line| line.as_ref().map(&mut taken)).collect();
    let from: Vec<Source<'_, T>> = it.from.iter().map(|line| Source::of(state, elements, line)).collect();
    let mut to: [&mut [T]; 2] = Default::default();
    for ((to, room), line) in to.iter_mut().zip(&mut rooms).zip(&it.to) {
        if let (Some(room), Some(line)) = (room, line) {
            *to = room.part_mut(state.start(&line.first), count).expect("there is room for the results");
        }
    }
    // The last component is always computed.
    let mut unwanted = Vec::new();
    if it.to.last().is_some_and(Option::is_none) {
        watch.room(state.held.all + count as u64, at)?;
        unwanted.resize(count, T::default());
        to[it.to.len() - 1] = &mut unwanted;
    }
    // Integers come to the same in blocks and in turn, which is faster for one thread.
    let done = scanned(watch, &from, count, to, start, (at, !it.kind.real), does);
    for (line, room) in it.to.iter().zip(rooms) {
        if let (Some(line), Some(room)) = (line, room) {
            elements[line.first.buffer as usize] = room;
        }
    }
    done
}

/// Room for elements of each component that do not lie in a row.
type Room<T> = [Vec<T>; 2];

fn scanned<T: Copy + Default + Send + Sync>(
    watch: &Watch<'_>,
    from: &[Source<'_, T>],
    count: usize,
    to: [&mut [T]; 2],
    mut start: [T; 2],
    (at, exact): (usize, bool),
    does: Parts<'_, T>,
) -> Result<(), Fault> {
    // The elements of a chunk.
    fn rows<'r, T: Copy + Default>(
        from: &[Source<'r, T>],
        (k, count): (usize, usize),
        room: &'r mut Room<T>,
    ) -> [&'r [T]; 2] {
        let mut rows: [&[T]; 2] = Default::default();
        let length = CHUNK.min(count - k * CHUNK);
        for ((row, source), room) in rows.iter_mut().zip(from).zip(room) {
            *row = source.row(k * CHUNK, length, room);
        }
        rows
    }
    let chunks = count.div_ceil(CHUNK);
    let [mut firsts, mut lasts] = to.map(|to| to.chunks_mut(CHUNK));
    let to = (0..chunks).map(|_| [firsts.next().unwrap_or_default(), lasts.next().unwrap_or_default()]);
    let is_long = count as i64 >= MIN_BLOCKED_LENGTH;
    if !is_long || exact && !are_many() {
        let mut room = Room::default();
        for (k, to) in to.enumerate() {
            let from = rows(from, (k, count), &mut room);
            let (block, states) = (from[0].len(), core::slice::from_mut(&mut start));
            does(Part::Results { block, from, to, states });
            if is_long {
                watch.spend(block as i64, at)?;
            }
        }
        return Ok(());
    }
    let mut totals = vec![<[T; 2]>::default(); count.div_ceil(BLOCK)];
    let results = |states: &mut [[T; 2]], to: [&mut [T]; 2], from: [&[T]; 2]| {
        does(Part::Results { from, to, block: BLOCK, states });
        watch.spend(from[0].len() as i64, at)
    };
    if !are_many() || count < MIN_SHARED_LENGTH {
        let mut room = Room::default();
        for ((k, totals), to) in totals.chunks_mut(BLOCKS).enumerate().zip(to) {
            let from = rows(from, (k, count), &mut room);
            does(Part::Totals { from, totals });
            does(Part::Starts { start: &mut start, totals });
            results(totals, to, from)?;
        }
        return Ok(());
    }
    each(totals.chunks_mut(BLOCKS).enumerate().collect(), |(k, totals), room: &mut Room<T>| {
        does(Part::Totals { from: rows(from, (k, count), room), totals });
        Ok(())
    })?;
    does(Part::Starts { start: &mut start, totals: &mut totals });
    each(totals.chunks_mut(BLOCKS).enumerate().zip(to).collect(), |((k, totals), to), room: &mut Room<T>| {
        results(totals, to, rows(from, (k, count), room))
    })
}
