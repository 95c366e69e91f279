//! Sums of products along rows, of which each lane has one, as the product of a matrix with a list has them.
//!
//! A square of elements at a time is turned in registers of the processor: to gather one of each row takes longer than all else.
//!
//! Law: each lane adds up what it would by itself, in the same order (tests/execute/nests.rs).

use core::ops::Range;

use super::dispatch;
use super::instruction::{Across, Address, Inner, Summed};
use super::kernel::{Steps, difference_squared, product};
use super::memory::Elements;
use super::real::Real;
use super::state::State;
use super::strided;
use super::transpose::{Square, are_far, places, square};
use super::vector::{lanes, one_by_one};

/// Rows of elements, each lane's its own.
struct Rows<'r, R> {
    elements: &'r Elements<'r, R>,
    across: Across,
    start: i64,
    far: bool,
}

impl<'r, R: Copy + Default> Rows<'r, R> {
    #[inline(always)]
    fn of<const G: usize>(state: &State<R, G>, reals: &'r [Elements<'r, R>], address: &Address, from: i64) -> Self
    where
        R: Real<G>,
    {
        let (elements, start) = (&reals[address.buffer as usize], state.one(address.base).wrapping_add(from));
        Rows { elements, across: address.across, start, far: are_far(state, address.across) }
    }

    /// The rows of a group, in this many parts as long as a group, if all of these are there. Lanes that are not there have another's.
    #[inline(always)]
    fn whole<const G: usize>(&self, state: &State<R, G>, k: usize, parts: usize) -> Option<[&'r [[R; G]]; G]>
    where
        R: Real<G>,
    {
        let (places, active) = (places(state, self.across, self.start, k), state.active - k * G);
        let mut rows: [&[[R; G]]; G] = [&[]; G];
        for (i, row) in rows.iter_mut().enumerate() {
            *row = self.elements.rows(places[if i < active { i } else { 0 }], parts)?;
        }
        Some(rows)
    }

    /// The elements of the lanes of a group in the `G` steps from one on, with 0 for those that are not there: those of a step together.
    #[inline(always)]
    fn turned<const G: usize>(
        &self,
        state: &State<R, G>,
        (k, step): (usize, i64),
        columns: &impl Fn([&[R; G]; G]) -> Square<R, G>,
    ) -> Square<R, G>
    where
        R: Real<G>,
    {
        let (places, mut aside) =
            (places(state, self.across, self.start.wrapping_add(step), k), [[R::default(); G]; G]);
        let active = G.min(state.active - k * G);
        columns(square(self.elements, active, |i| places[i], &mut aside))
    }
}

/// Runs some iterations of a loop that sums up in a cell.
#[inline(always)]
pub(super) fn inner<R: Real<G>, const G: usize>(
    state: &State<R, G>,
    reals: &[Elements<'_, R>],
    addresses: &[Address],
    it: &Inner,
    iterations: Range<i64>,
) {
    match it.rows {
        [false, false] => dispatch::inner(state, reals, addresses, it, iterations),
        _ => dispatch::row_sums(state, reals, addresses, it, iterations),
    }
}

/// Runs some iterations of the loop; `columns` makes columns of rows.
#[inline(always)]
pub(super) fn run<R: Real<G>, const G: usize>(
    state: &State<R, G>,
    reals: &[Elements<'_, R>],
    addresses: &[Address],
    it: &Inner,
    iterations: Range<i64>,
    columns: impl Fn([&[R; G]; G]) -> Square<R, G>,
) {
    let (from, count) = (iterations.start, iterations.end - iterations.start);
    let [a, b] = it.x.map(|x| &addresses[x as usize]);
    let rows = |address| Rows::of(state, reals, address, from);
    let steps = |address| Steps::of(state, reals, address, from);
    // What is summed up is the same either way round.
    let (along, other) = match it.rows {
        [true, true] => return sums(state, it, count, (&rows(a), &rows(b)), &columns),
        [true, false] => (rows(a), steps(b)),
        [false, _] => (rows(b), steps(a)),
    };
    if other.row {
        sums(state, it, count, (&along, &Side(other)), &columns);
    } else {
        sums(state, it, count, (&along, &One(other)), &columns);
    }
}

/// What rows are combined with.
trait Other<R: Real<G>, const G: usize> {
    /// What it has for `G` steps.
    type Part;

    /// What it has for the lanes of a group in the `G` steps from one on.
    fn part(
        &self,
        state: &State<R, G>,
        at: (usize, i64),
        columns: &impl Fn([&[R; G]; G]) -> Square<R, G>,
    ) -> Self::Part;

    /// The lanes' elements in one of these steps.
    fn step(part: &Self::Part, j: usize) -> [R; G];
}

impl<R: Real<G>, const G: usize> Other<R, G> for Rows<'_, R> {
    type Part = Square<R, G>;

    #[inline(always)]
    fn part(
        &self,
        state: &State<R, G>,
        at: (usize, i64),
        columns: &impl Fn([&[R; G]; G]) -> Square<R, G>,
    ) -> Self::Part {
        self.turned(state, at, columns)
    }

    #[inline(always)]
    fn step(part: &Self::Part, j: usize) -> [R; G] {
        part[j]
    }
}

/// Elements side by side from lane to lane.
struct Side<'r, R>(Steps<'r, R>);

impl<R: Real<G>, const G: usize> Other<R, G> for Side<'_, R> {
    type Part = Square<R, G>;

    #[inline(always)]
    fn part(&self, _: &State<R, G>, (k, step): (usize, i64), _: &impl Fn([&[R; G]; G]) -> Square<R, G>) -> Self::Part {
        let mut found = [[R::default(); G]; G];
        for (j, found) in (step..).zip(&mut found) {
            *found = self.0.group(j, k);
        }
        found
    }

    #[inline(always)]
    fn step(part: &Self::Part, j: usize) -> [R; G] {
        part[j]
    }
}

/// One element for all lanes.
struct One<'r, R>(Steps<'r, R>);

impl<R: Real<G>, const G: usize> Other<R, G> for One<'_, R> {
    type Part = [R; G];

    #[inline(always)]
    fn part(&self, _: &State<R, G>, (_, step): (usize, i64), _: &impl Fn([&[R; G]; G]) -> Square<R, G>) -> Self::Part {
        let mut found = [R::default(); G];
        for (j, found) in (step..).zip(&mut found) {
            *found = self.0.get(j, 0);
        }
        found
    }

    #[inline(always)]
    fn step(part: &Self::Part, j: usize) -> [R; G] {
        [part[j]; G]
    }
}

/// Adds up along rows.
#[inline(always)]
fn sums<R: Real<G>, O: Other<R, G>, const G: usize>(
    state: &State<R, G>,
    it: &Inner,
    count: i64,
    x: (&Rows<'_, R>, &O),
    columns: &impl Fn([&[R; G]; G]) -> Square<R, G>,
) {
    match it.what {
        Summed::Products => summed(state, it, count, x, columns, product),
        Summed::Squares => summed(state, it, count, x, columns, difference_squared),
    }
}

#[inline(always)]
fn summed<R: Real<G>, O: Other<R, G>, const G: usize>(
    state: &State<R, G>,
    it: &Inner,
    count: i64,
    (rows, other): (&Rows<'_, R>, &O),
    columns: &impl Fn([&[R; G]; G]) -> Square<R, G>,
    f: impl Fn(R, R, R) -> R,
) {
    let parts = count as usize / G;
    for (k, cell) in state.real_block(it.cell).iter().enumerate() {
        let (mut sum, mut done) = (cell.read(), 0);
        let mut add = |x: &Square<R, G>, y: &O::Part, now: usize| {
            for (j, x) in x.iter().enumerate().take(now) {
                let y = O::step(y, j);
                sum = lanes(|i| f(x[i], y[i], sum[i]));
                one_by_one();
            }
        };
        if let Some(whole) = rows.whole(state, k, parts) {
            for part in 0..parts {
                if rows.far {
                    whole.iter().for_each(|row| strided::expect(row.as_flattened(), ((part + 1) * G) as i64));
                }
                let y = other.part(state, (k, (part * G) as i64), columns);
                add(&columns(lanes(|i| &whole[i][part])), &y, G);
            }
            done = (parts * G) as i64;
        }
        for step in (done..count).step_by(G) {
            let now = (count - step).min(G as i64) as usize;
            let y = other.part(state, (k, step), columns);
            add(&rows.turned(state, (k, step), columns), &y, now);
        }
        cell.write(sum);
    }
}
