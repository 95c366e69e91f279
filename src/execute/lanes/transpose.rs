//! Rows of elements, of a lane each, into the lanes' own buffers.
//!
//! Law: it is the loop over the elements of a row that loads for all lanes and stores.

use super::instruction::{Across, Address, Transpose};
use super::memory::Elements;
use super::state::State;
use super::vector::{GROUP, eight};

/// Runs the loop.
#[inline(always)]
#[allow(clippy::needless_range_loop, reason = "a column is an element of each row")]
pub(super) fn run(state: &State, reals: &mut [Elements<'_, f64>], addresses: &[Address], it: &Transpose) {
    let (from, to) = (&addresses[it.from as usize], &addresses[it.to as usize]);
    let Across::Apart(apart) = from.across else { panic!("the lanes' rows are apart") };
    let (count, apart, width) = (state.one(it.count), state.one(apart), state.width as i64);
    let first = state.one(from.base).wrapping_add(state.first.wrapping_mul(apart));
    let (row, by) = (state.one(to.base).wrapping_mul(width), state.one(to.stride).wrapping_mul(width));
    let mut own = core::mem::take(&mut reals[to.buffer as usize]);
    let source = &reals[from.buffer as usize];
    for k in 0..state.groups as i64 {
        let lane = |i: usize| first.wrapping_add((k * GROUP as i64 + i as i64).wrapping_mul(apart));
        let mut column = 0;
        while column < count {
            let rows = eight(|i| source.some(lane(i).wrapping_add(column)));
            let now = (count - column).min(GROUP as i64) as usize;
            for j in 0..now {
                let at = row + (column + j as i64) * by + k * GROUP as i64;
                if let Some([to]) = own.rows_mut(at, 1) {
                    *to = eight(|i| rows[i][j]);
                }
            }
            column += GROUP as i64;
        }
    }
    reals[to.buffer as usize] = own;
}
