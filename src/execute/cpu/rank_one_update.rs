//! Products of a value of each lane with a row of its elements, summed up over the lanes: a row of an outer product.
//!
//! Law: it is the loop over the elements that multiplies, for all lanes, and adds the products to one element each. The
//! lanes' products are added up before they are added to it (tests/execute/whole_loops.rs).

use core::ops::Range;

use super::instruction::{Address, Outer};
use super::kernel::Steps;
use super::memory::Elements;
use super::real::Real;
use super::state::State;
use super::vector::{Operand, Source, across, lanes};

/// How many elements are worked on together: this many sums hide the time that each addition takes.
const TILE: usize = 8;

/// Runs the loop.
#[inline(always)]
pub(super) fn run<R: Real<G>, const G: usize>(
    state: &State<R, G>,
    reals: &mut [Elements<'_, R>],
    addresses: &[Address],
    it: &Outer,
) {
    let (count, x) = (state.one(it.count), state.real(it.x));
    if count <= 0 {
        return;
    }
    let to = &addresses[it.to as usize];
    let (start, by) = (state.one(to.base), state.one(to.stride));
    let mut sums = core::mem::take(&mut reals[to.buffer as usize]);
    let rows = Steps::of(state, reals, &addresses[it.rows as usize], 0);
    let mut add = |step: i64, sum: R| {
        if let Some(element) = sums.get_mut(start.wrapping_add(step.wrapping_mul(by))) {
            *element = *element + sum;
        }
    };
    // The lanes of the last group may not fill it.
    let whole = state.active / G;
    let by_lane = |step: i64, lanes: Range<usize>| {
        lanes.fold(R::default(), |sum, lane| x.lane(lane).mul_add(rows.get(step, lane), sum))
    };
    let rest = |step: i64| by_lane(step, whole * G..state.active);
    if !rows.fits::<G>(count, whole) {
        (0..count).for_each(|step| add(step, by_lane(step, 0..whole * G) + rest(step)));
    } else {
        let tiles = count / TILE as i64 * TILE as i64;
        for step in (0..tiles).step_by(TILE) {
            let found = tile::<TILE, R, G>(x, core::array::from_fn(|k| rows.groups(step + k as i64, whole)));
            for (k, sum) in (step..).zip(found) {
                add(k, sum + rest(k));
            }
        }
        for step in tiles..count {
            let [sum] = tile(x, [rows.groups(step, whole)]);
            add(step, sum + rest(step));
        }
    }
    reals[to.buffer as usize] = sums;
}

/// The sums of the products with some rows.
#[inline(always)]
fn tile<const N: usize, R: Real<G>, const G: usize>(x: Operand<'_, R, G>, rows: [&[[R; G]]; N]) -> [R; N] {
    let groups = rows[0].len();
    let rows = rows.map(|row| &row[..groups]);
    let mut sums = [[R::default(); G]; N];
    for k in 0..groups {
        let x = x.group(k);
        for (sum, row) in sums.iter_mut().zip(&rows) {
            *sum = lanes(|i| x[i].mul_add(row[k][i], sum[i]));
        }
    }
    sums.map(|sum| across(sum, |a, b| a + b))
}
