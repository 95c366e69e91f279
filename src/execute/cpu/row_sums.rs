//! Sums of products along rows that the lanes have apart from each other, as the product of a matrix with a list has them.
//!
//! A square of elements at a time is turned in registers of the processor: to gather one of each row takes longer than all else.
//!
//! Law: each lane adds up what it would by itself, in the same order (tests/execute/nests.rs).

use core::ops::Range;

use super::instruction::{Across, Address, Inner, Summed};
use super::kernel::{Steps, difference_squared, product};
use super::memory::Elements;
use super::real::Real;
use super::state::State;
use super::strided;
use super::transpose::{Square, are_far, places, square};
use super::vector::lanes;

/// Where the elements of an operand are: in a row of each lane, or as other sums have them.
#[derive(Clone, Copy)]
enum Line<'r, R: Copy> {
    Rows { elements: &'r Elements<'r, R>, across: Across, start: i64 },
    Steps(Steps<'r, R>),
}

impl<'r, R> Line<'r, R>
where
    R: Copy + Default,
{
    #[inline(always)]
    fn of<const G: usize>(
        state: &State<R, G>,
        reals: &'r [Elements<'r, R>],
        address: &Address,
        is_apart: bool,
        from: i64,
    ) -> Self
    where
        R: Real<G>,
    {
        if is_apart {
            let (elements, start) = (&reals[address.buffer as usize], state.one(address.base));
            return Line::Rows { elements, across: address.across, start: start.wrapping_add(from) };
        }
        Line::Steps(Steps::of(state, reals, address, from))
    }

    /// The elements of the lanes of group `k` in the `G` steps from one on, of which `now` are wanted: those of a step together.
    #[inline(always)]
    fn steps<const G: usize>(
        &self,
        state: &State<R, G>,
        k: usize,
        (step, now): (i64, usize),
        columns: &impl Fn([&[R; G]; G]) -> Square<R, G>,
    ) -> Square<R, G>
    where
        R: Real<G>,
    {
        match *self {
            Line::Rows { elements, across, start } => {
                let (places, mut aside) = (places(state, across, start, k), [[R::default(); G]; G]);
                let active = G.min(state.active - k * G);
                if are_far(state, across) {
                    let next = step.wrapping_add(G as i64);
                    places.iter().for_each(|place| strided::expect(elements.all(), place.wrapping_add(next)));
                }
                columns(square(elements, active, |i| places[i].wrapping_add(step), &mut aside))
            }
            Line::Steps(steps) => {
                let at = |j: usize| step.wrapping_add(j as i64);
                lanes(|j| match j < now {
                    true => steps.group(at(j), k),
                    false => [R::default(); G],
                })
            }
        }
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
    let count = iterations.end - iterations.start;
    let line = |k: usize| Line::of(state, reals, &addresses[it.x[k] as usize], it.apart[k], iterations.start);
    let (x, y) = (line(0), line(1));
    for (k, cell) in state.real_block(it.cell).iter().enumerate() {
        let mut sum = cell.read();
        for step in (0..count).step_by(G) {
            let now = (count - step).min(G as i64) as usize;
            let (x, y) = (x.steps(state, k, (step, now), &columns), y.steps(state, k, (step, now), &columns));
            for (x, y) in x.iter().zip(&y).take(now) {
                sum = match it.what {
                    Summed::Products => lanes(|i| product(x[i], y[i], sum[i])),
                    Summed::Squares => lanes(|i| difference_squared(x[i], y[i], sum[i])),
                };
            }
        }
        cell.write(sum);
    }
}
