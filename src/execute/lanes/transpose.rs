//! Rows of elements, of a lane each, into the lanes' own buffers, and from elements side by side into rows.
//!
//! Law: it is the loop over the elements of a row that loads for all lanes and stores, or adds. What lanes add to one
//! element is added in the order of the lanes.

use super::instruction::{Across, Address, IntoRows, Transpose};
use super::memory::Elements;
use super::state::{Mask, State};
use super::vector::{GROUP, Source, eight};

/// Where the rows of eight lanes begin that are so far apart, or each so far on.
#[inline(always)]
fn places(state: &State, across: Across, start: i64, k: usize) -> [i64; GROUP] {
    match across {
        Across::Apart(apart) => {
            let apart = state.one(apart);
            let lane = state.first + (k * GROUP) as i64;
            eight(|i| start.wrapping_add(apart.wrapping_mul(lane + i as i64)))
        }
        Across::At(at) => {
            let at = state.int_block(at)[k].read();
            eight(|i| start.wrapping_add(at[i]))
        }
        Across::Same | Across::Own | Across::OwnAt(_) | Across::ApartAt(..) => panic!("lanes have rows"),
    }
}

/// Runs the loop that copies.
#[inline(always)]
pub(super) fn run(state: &State, reals: &mut [Elements<'_, f64>], addresses: &[Address], it: &Transpose) {
    let (from, to) = (&addresses[it.from as usize], &addresses[it.to as usize]);
    let (count, width, start) = (state.one(it.count), state.width as i64, state.one(from.base));
    let (row, by) = (state.one(to.base).wrapping_mul(width), state.one(to.stride).wrapping_mul(width));
    let mut own = core::mem::take(&mut reals[to.buffer as usize]);
    let source = &reals[from.buffer as usize];
    for k in 0..state.groups {
        let lanes = places(state, from.across, start, k);
        for column in (0..count).step_by(GROUP) {
            let at = |i: usize| lanes[i].wrapping_add(column);
            let parts: [[f64; GROUP]; GROUP];
            let rows: [&[f64; GROUP]; GROUP] = if (0..GROUP).all(|i| source.rows(at(i), 1).is_some()) {
                eight(|i| source.rows(at(i), 1).map_or(&NONE, |rows| &rows[0]))
            } else {
                // What lies outside of the buffer is 0.
                parts = eight(|i| source.some(at(i)));
                eight(|i| &parts[i])
            };
            let mut put = |j: usize| {
                let place = row + (column + j as i64) * by + (k * GROUP) as i64;
                if let Some([to]) = own.rows_mut(place, 1) {
                    *to = eight(|i| rows[i][j]);
                }
            };
            // Eight at once, or as many as are left.
            if count - column >= GROUP as i64 {
                (0..GROUP).for_each(&mut put);
            } else {
                (0..(count - column) as usize).for_each(&mut put);
            }
        }
    }
    reals[to.buffer as usize] = own;
}

/// A group of nothing.
const NONE: [f64; GROUP] = [0.0; GROUP];

/// Runs the loop that puts elements into rows.
#[inline(always)]
pub(super) fn into_rows(state: &State, reals: &mut [Elements<'_, f64>], addresses: &[Address], it: &IntoRows) {
    let (from, to) = (&addresses[it.from as usize], &addresses[it.to as usize]);
    let mask = match state.mask(it.mask) {
        Mask::None => return,
        Mask::All => None,
        Mask::Where(mask) => Some(mask),
    };
    let (count, width) = (state.one(it.count), state.width as i64);
    let (base, by) = (state.one(from.base), state.one(from.stride));
    let (first, by) = match from.across {
        Across::Own => (base.wrapping_mul(width), by.wrapping_mul(width)),
        Across::Apart(_) => (base.wrapping_add(state.first), by),
        Across::Same | Across::OwnAt(_) | Across::At(_) | Across::ApartAt(..) => panic!("elements lie side by side"),
    };
    let start = state.one(to.base);
    let source = core::mem::take(&mut reals[from.buffer as usize]);
    let target = &mut reals[to.buffer as usize];
    for k in 0..state.groups {
        let places = places(state, to.across, start, k);
        let wanted = mask.map(|mask| mask.group(k));
        let lanes = GROUP.min(state.active - k * GROUP);
        let lanes = (0..lanes).filter(|i| wanted.is_none_or(|wanted| wanted[*i] != 0));
        for column in (0..count).step_by(GROUP) {
            let at = |j: usize| first + (column + j as i64).wrapping_mul(by) + (k * GROUP) as i64;
            let now = (count - column).min(GROUP as i64) as usize;
            // The last group may not be all there.
            let parts: [[f64; GROUP]; GROUP];
            let mut columns: [&[f64; GROUP]; GROUP] = [&NONE; GROUP];
            if (0..now).all(|j| source.rows(at(j), 1).is_some()) {
                for (j, values) in columns[..now].iter_mut().enumerate() {
                    *values = source.rows(at(j), 1).map_or(&NONE, |rows| &rows[0]);
                }
            } else {
                parts = eight(|j| if j < now { source.some(at(j)) } else { NONE });
                columns = eight(|j| &parts[j]);
            }
            for i in lanes.clone() {
                let place = places[i].wrapping_add(column);
                if let Some(row) = target.part_mut(place, now) {
                    if let Ok(row) = <&mut [f64; GROUP]>::try_from(&mut *row) {
                        let x = eight(|j| columns[j][i]);
                        *row = if it.adds { eight(|j| row[j] + x[j]) } else { x };
                    } else {
                        for (element, values) in row.iter_mut().zip(columns) {
                            *element = if it.adds { *element + values[i] } else { values[i] };
                        }
                    }
                    continue;
                }
                for (j, values) in columns[..now].iter().enumerate() {
                    if let Some(element) = target.get_mut(place.wrapping_add(j as i64)) {
                        *element = if it.adds { *element + values[i] } else { values[i] };
                    }
                }
            }
        }
    }
    reals[from.buffer as usize] = source;
}
