//! Rows of elements, of a lane each, into the lanes' own buffers, and from elements side by side into rows.
//!
//! Law: it is the loop over the elements of a row that loads for all lanes and stores, or adds. What lanes add to one
//! element is added in the order of the lanes.

use super::instruction::{Across, Address, IntoRows, Rows, Transpose};
use super::memory::Elements;
use super::state::{Mask, State};
use super::vector::{GROUP, Source, eight};

/// Runs the loop that copies.
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
        let places = match to.across {
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
        };
        let wanted = mask.map(|mask| mask.group(k));
        let lanes = GROUP.min(state.active - k * GROUP);
        let lanes = (0..lanes).filter(|i| wanted.is_none_or(|wanted| wanted[*i] != 0));
        for column in (0..count).step_by(GROUP) {
            let at = |j: usize| first + (column + j as i64).wrapping_mul(by) + (k * GROUP) as i64;
            let now = (count - column).min(GROUP as i64) as usize;
            let none = [0.0; GROUP];
            // The last group may not be all there.
            let parts: [[f64; GROUP]; GROUP];
            let mut columns: [&[f64; GROUP]; GROUP] = [&none; GROUP];
            if (0..now).all(|j| source.rows(at(j), 1).is_some()) {
                for (j, values) in columns[..now].iter_mut().enumerate() {
                    *values = source.rows(at(j), 1).map_or(&none, |rows| &rows[0]);
                }
            } else {
                parts = eight(|j| if j < now { source.some(at(j)) } else { none });
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

/// How many values of each lane are put into its row together.
const QUAD: usize = 4;

/// Puts values into rows.
#[inline(always)]
pub(super) fn rows(state: &State, reals: &mut [Elements<'_, f64>], it: &Rows) {
    let Across::Apart(apart) = it.at.across else { panic!("the lanes' rows are apart") };
    let (apart, start) = (state.one(apart), state.start(&it.at));
    let target = &mut reals[it.at.buffer as usize];
    let (quads, rest) = it.columns.as_chunks::<QUAD>();
    for k in 0..state.groups {
        let lanes = GROUP.min(state.active - k * GROUP);
        let first = start.wrapping_add(apart.wrapping_mul(state.first + (k * GROUP) as i64));
        let mut column = first;
        for [a, b, c, d] in quads {
            let (a, b) = (state.real(*a).group(k), state.real(*b).group(k));
            let (c, d) = (state.real(*c).group(k), state.real(*d).group(k));
            let rows = eight(|i| [a[i], b[i], c[i], d[i]]);
            let mut place = column;
            for row in &rows[..lanes] {
                put(target, place, row);
                place = place.wrapping_add(apart);
            }
            column = column.wrapping_add(QUAD as i64);
        }
        for register in rest {
            let x = state.real(*register).group(k);
            let mut place = column;
            for x in &x[..lanes] {
                put(target, place, &[*x]);
                place = place.wrapping_add(apart);
            }
            column = column.wrapping_add(1);
        }
    }
}

/// Puts values side by side, where they have a place.
#[inline(always)]
fn put<const N: usize>(target: &mut Elements<'_, f64>, place: i64, values: &[f64; N]) {
    match target.part_mut(place, N) {
        Some(part) => part.copy_from_slice(values),
        None => {
            for (k, value) in (0..).zip(values) {
                if let Some(element) = target.get_mut(place.wrapping_add(k)) {
                    *element = *value;
                }
            }
        }
    }
}
