//! Rows of elements, of a lane each, into the lanes' own buffers, and from elements side by side into rows.
//!
//! Law: it is the loop over the elements of a row that loads for all lanes and stores, or adds. What lanes add to one
//! element is added in the order of the lanes (tests/execute/whole_loops.rs).

use super::instruction::{Across, Address, IntoRows, Rows, Transpose};
use super::memory::Elements;
use super::real::Real;
use super::state::{Mask, State};
use super::strided;
use super::vector::{self, Source, lanes};

/// Rows as long as there are, by columns.
pub(super) type Square<R, const G: usize> = [[R; G]; G];

/// The columns of the rows of a square.
#[inline(always)]
pub(super) fn columns<R: Real<G>, const G: usize>(rows: [&[R; G]; G]) -> Square<R, G> {
    lanes(|j| lanes(|i| rows[i][j]))
}

/// `rows` rows of `G` elements, and 0 where there are none.
#[inline(always)]
pub(super) fn square<'e, R: Real<G>, const G: usize>(
    elements: &'e Elements<'_, R>,
    rows: usize,
    at: impl Fn(usize) -> i64,
    aside: &'e mut Square<R, G>,
) -> [&'e [R; G]; G] {
    let found: [Option<&[R; G]>; G] =
        lanes(|k| if k < rows { elements.rows(at(k), 1).map(|row| &row[0]) } else { Some(R::ZEROS) });
    if found.iter().all(Option::is_some) {
        return found.map(|row| row.unwrap_or(R::ZEROS));
    }
    *aside = lanes(|k| if k < rows { elements.some(at(k)) } else { *R::ZEROS });
    lanes(|k| &aside[k])
}

/// Where the rows of the lanes of a group begin: at a uniform distance, or each at its own.
#[inline(always)]
pub(super) fn places<R: Real<G>, const G: usize>(
    state: &State<R, G>,
    across: Across,
    start: i64,
    k: usize,
) -> [i64; G] {
    match across {
        Across::Apart(apart) => {
            let apart = state.one(apart);
            let lane = state.first + (k * G) as i64;
            lanes(|i| start.wrapping_add(apart.wrapping_mul(lane + i as i64)))
        }
        Across::At(at) => {
            let at = state.int_block(at)[k].read();
            lanes(|i| start.wrapping_add(at[i]))
        }
        Across::Same | Across::Own | Across::OwnAt(_) | Across::ApartAt(..) => panic!("lanes have rows"),
    }
}

/// From this many elements on the rows of two lanes are in different pages of memory: no processor looks ahead in as many pages as a block
/// has lanes.
const FAR: u64 = 1 << 9;

/// Whether the lanes' rows are so far from each other that what comes after them is to be fetched before it is wanted.
#[inline(always)]
pub(super) fn are_far<R: Real<G>, const G: usize>(state: &State<R, G>, across: Across) -> bool {
    matches!(across, Across::Apart(apart) if state.one(apart).unsigned_abs() >= FAR)
}

/// Runs the loop that copies; `columns` makes columns of rows.
#[inline(always)]
pub(super) fn run<R: Real<G>, const G: usize>(
    state: &State<R, G>,
    reals: &mut [Elements<'_, R>],
    addresses: &[Address],
    it: &Transpose,
    columns: impl Fn([&[R; G]; G]) -> Square<R, G>,
) {
    let (from, to) = (&addresses[it.from as usize], &addresses[it.to as usize]);
    let (count, width, start) = (state.one(it.count), state.width as i64, state.one(from.base));
    let (row, by) = (state.one(to.base).wrapping_mul(width), state.one(to.stride).wrapping_mul(width));
    let mut own = core::mem::take(&mut reals[to.buffer as usize]);
    let source = &reals[from.buffer as usize];
    let mut aside = [[R::default(); G]; G];
    let far = are_far(state, from.across);
    for k in 0..state.groups {
        let places = places(state, from.across, start, k);
        for column in (0..count).step_by(G) {
            if far {
                places.iter().for_each(|place| strided::expect(source.all(), place.wrapping_add(column + G as i64)));
            }
            let turned = columns(square(source, G, |i| places[i].wrapping_add(column), &mut aside));
            let now = (count - column).min(G as i64) as usize;
            for (j, values) in (column..).zip(&turned[..now]) {
                if let Some([to]) = own.rows_mut(row + j * by + (k * G) as i64, 1) {
                    *to = *values;
                }
            }
        }
    }
    reals[to.buffer as usize] = own;
}

/// Runs the loop that puts elements into rows.
#[inline(always)]
pub(super) fn into_rows<R: Real<G>, const G: usize>(
    state: &State<R, G>,
    reals: &mut [Elements<'_, R>],
    addresses: &[Address],
    it: &IntoRows,
    columns: impl Fn([&[R; G]; G]) -> Square<R, G>,
) {
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
    let mut aside = [[R::default(); G]; G];
    let far = are_far(state, to.across);
    for k in 0..state.groups {
        let places = places(state, to.across, start, k);
        let wanted = mask.map(|mask| mask.group(k));
        let lanes = G.min(state.active - k * G);
        let lanes = (0..lanes).filter(|i| wanted.is_none_or(|wanted| wanted[*i] != 0));
        if far {
            let (there, before) = target.changeable();
            let next = count.wrapping_sub(before as i64);
            places.iter().for_each(|place| strided::expect(there, place.wrapping_add(next)));
        }
        for column in (0..count).step_by(G) {
            let at = |j: usize| first + (column + j as i64).wrapping_mul(by) + (k * G) as i64;
            let now = (count - column).min(G as i64) as usize;
            let rows = columns(square(&source, now, at, &mut aside));
            for i in lanes.clone() {
                let (place, row) = (places[i].wrapping_add(column), &rows[i]);
                let plus = |a: R, b: R| if it.adds { a + b } else { b };
                match target.part_mut(place, now) {
                    Some(there) => match <&mut [R; G]>::try_from(&mut *there) {
                        Ok(there) => *there = vector::lanes(|j| plus(there[j], row[j])),
                        // Half of a group of singles is a register of the processor too.
                        Err(_) => {
                            let (eights, rest) = there.as_chunks_mut::<8>();
                            let (of_eights, of_rest) = row.split_at(8 * eights.len());
                            for (eight, row) in eights.iter_mut().zip(of_eights.as_chunks::<8>().0) {
                                *eight = vector::lanes(|j| plus(eight[j], row[j]));
                            }
                            rest.iter_mut().zip(of_rest).for_each(|(element, x)| *element = plus(*element, *x));
                        }
                    },
                    None => {
                        for (j, x) in (place..).zip(&row[..now]) {
                            if let Some(element) = target.get_mut(j) {
                                *element = plus(*element, *x);
                            }
                        }
                    }
                }
            }
        }
    }
    reals[from.buffer as usize] = source;
}

/// How many values of each lane are turned together, and how many are laid together into its row.
const QUAD: usize = 4;
const LAID: usize = 8 * QUAD;

/// Puts values into rows. Those of a group of lanes are laid aside first, so that memory is written from the front to the back.
#[inline(always)]
pub(super) fn rows<R: Real<G>, const G: usize>(state: &State<R, G>, reals: &mut [Elements<'_, R>], it: &Rows) {
    let Across::Apart(apart) = it.at.across else { panic!("the lanes' rows are apart") };
    let (apart, start) = (state.one(apart), state.start(&it.at));
    let target = &mut reals[it.at.buffer as usize];
    let mut laid = [[R::default(); LAID]; G];
    for k in 0..state.groups {
        let lanes = G.min(state.active - k * G);
        let mut first = start.wrapping_add(apart.wrapping_mul(state.first + (k * G) as i64));
        for registers in it.columns.chunks(LAID) {
            let (quads, rest) = registers.as_chunks::<QUAD>();
            for (n, [a, b, c, d]) in quads.iter().enumerate() {
                let (a, b) = (state.real(*a).group(k), state.real(*b).group(k));
                let (c, d) = (state.real(*c).group(k), state.real(*d).group(k));
                let rows: [[R; QUAD]; G] = vector::lanes(|i| [a[i], b[i], c[i], d[i]]);
                for (laid, row) in laid.iter_mut().zip(&rows) {
                    laid.as_chunks_mut::<QUAD>().0[n] = *row;
                }
            }
            for (n, register) in rest.iter().enumerate() {
                let x = state.real(*register).group(k);
                for (laid, x) in laid.iter_mut().zip(&x) {
                    laid[quads.len() * QUAD + n] = *x;
                }
            }
            let mut place = first;
            for laid in &laid[..lanes] {
                put(target, place, &laid[..registers.len()]);
                place = place.wrapping_add(apart);
            }
            first = first.wrapping_add(LAID as i64);
        }
    }
}

/// Puts values side by side, where they have a place.
#[inline(always)]
fn put<R: Copy + Default>(target: &mut Elements<'_, R>, place: i64, values: &[R]) {
    match target.part_mut(place, values.len()) {
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
