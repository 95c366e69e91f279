//! Between registers and buffers.
//!
//! Law: what lanes load outside of a buffer is 0; what they store and add goes there in the order of the lanes
//! (tests/execute/lanes.rs).

use super::memory::Elements;
use super::real::Real;
use super::state::Mask;
use super::strided;
use super::vector::{Group, Operand, Source, lanes, one_by_one, sum};

/// Where the elements of the lanes are.
#[derive(Debug, Clone, Copy)]
pub(super) enum Reach<'r, const G: usize> {
    /// One element for all.
    Same(i64),
    /// In the lanes' own buffers, which lie side by side: this row, or one at an offset from it.
    Own { row: i64, width: usize, at: Option<&'r [Group<i64, G>]> },
    /// At a distance of `stride` from lane to lane, and each moved by its own offset, if there are any.
    Apart { start: i64, stride: i64, at: Option<&'r [Group<i64, G>]> },
}

impl<const G: usize> Reach<'_, G> {
    /// The numbers of the elements of a group of lanes.
    #[inline(always)]
    fn of(&self, k: usize) -> [i64; G] {
        let on = |at: Option<&[Group<i64, G>]>| at.map_or([0; G], |at| at[k].read());
        let lane = (k * G) as i64;
        match *self {
            Reach::Same(start) => [start; G],
            Reach::Own { row, width, at } => {
                let at = on(at);
                lanes(|i| row.wrapping_add(at[i]).wrapping_mul(width as i64).wrapping_add(lane + i as i64))
            }
            Reach::Apart { start, stride, at } => {
                let at = on(at);
                lanes(|i| start.wrapping_add(stride.wrapping_mul(lane + i as i64)).wrapping_add(at[i]))
            }
        }
    }

    /// The number of a lane's element.
    pub(super) fn of_lane(&self, lane: usize) -> i64 {
        self.of(lane / G)[lane % G]
    }

    /// The number of the first lane's element, if the others follow it.
    #[inline(always)]
    pub(super) fn in_a_row(&self) -> Option<i64> {
        match self {
            Reach::Own { row, width, at: None } => Some(row.wrapping_mul(*width as i64)),
            Reach::Apart { start, stride: 1, at: None } => Some(*start),
            Reach::Same(_) | Reach::Own { .. } | Reach::Apart { .. } => None,
        }
    }
}

/// Loads the elements of the lanes, if they are side by side and all there: whether they were.
#[inline(always)]
pub(super) fn load_row<T: Copy + Default, const G: usize>(
    from: &Elements<'_, T>,
    reach: Reach<'_, G>,
    to: &[Group<T, G>],
) -> bool {
    let Some(rows) = reach.in_a_row().and_then(|start| from.rows(start, to.len())) else { return false };
    for (to, row) in to.iter().zip(rows) {
        to.write(*row);
        one_by_one();
    }
    true
}

/// Puts what the lanes have to what is there, if it is as far from each place to the next: whether it is.
#[inline(always)]
pub(super) fn store_strided<T: Copy + Default, const G: usize>(
    to: &mut Elements<'_, T>,
    reach: Reach<'_, G>,
    x: Operand<'_, T, G>,
    active: usize,
    plus: impl Fn(T, T) -> T,
) -> bool {
    if let Some(part) = reach.in_a_row().and_then(|start| to.part_mut(start, active)) {
        let (rows, rest) = part.as_chunks_mut::<G>();
        for (k, row) in rows.iter_mut().enumerate() {
            let x = x.group(k);
            *row = lanes(|i| plus(row[i], x[i]));
            one_by_one();
        }
        if !rest.is_empty() {
            let x = x.group(rows.len());
            rest.iter_mut().zip(x).for_each(|(element, x)| *element = plus(*element, x));
        }
        return true;
    }
    let Reach::Apart { start, stride, at: None } = reach else { return false };
    let (elements, from) = to.changeable();
    let mut at = start.wrapping_sub(from as i64);
    if strided::update(elements, [at, stride], x, active, &plus) {
        return true;
    }
    for k in 0..active.div_ceil(G) {
        let x = x.group(k);
        for x in &x[..G.min(active - k * G)] {
            if let Some(element) = elements.get_mut(at as usize) {
                *element = plus(*element, *x);
            }
            at = at.wrapping_add(stride);
        }
    }
    true
}

/// Loads an element for each lane, of which some of those side by side are not there.
#[inline(always)]
pub(super) fn load<T: Copy + Default, const G: usize>(from: &Elements<'_, T>, reach: Reach<'_, G>, to: &[Group<T, G>]) {
    let elements = from.all();
    if let Some(start) = reach.in_a_row() {
        for (k, to) in to.iter().enumerate() {
            to.write(from.some(start.wrapping_add((k * G) as i64)));
        }
        return;
    }
    match reach {
        Reach::Same(start) => {
            let x = from.get(start);
            for to in to {
                to.write([x; G]);
                one_by_one();
            }
        }
        Reach::Apart { start, stride, at: None } => {
            // Backwards, whole groups are turned around.
            let all_before = |last: i64| from.rows::<G>(start.wrapping_sub(last), to.len());
            if let Some(rows) = (stride == -1).then(|| all_before((to.len() * G) as i64 - 1)).flatten() {
                for (to, row) in to.iter().rev().zip(rows) {
                    to.write(lanes(|i| row[G - 1 - i]));
                    one_by_one();
                }
                return;
            }
            let mut next = start;
            for to in to {
                let at = || lanes(|i| next.wrapping_add(stride.wrapping_mul(i as i64)));
                to.write(strided::load(elements, next, stride).unwrap_or_else(|| gathered(elements, at())));
                next = next.wrapping_add(stride.wrapping_mul(G as i64));
            }
        }
        // Distances of 0 need no products.
        Reach::Apart { start, stride: 0, at: Some(at) } => {
            for (to, at) in to.iter().zip(at) {
                let at = at.read();
                to.write(gathered(elements, lanes(|i| at[i].wrapping_add(start))));
            }
        }
        Reach::Own { .. } | Reach::Apart { .. } => {
            for (k, to) in to.iter().enumerate() {
                to.write(gathered(elements, reach.of(k)));
            }
        }
    }
}

/// The elements of these numbers.
#[inline(always)]
fn gathered<T: Copy + Default, const G: usize>(elements: &[T], at: [i64; G]) -> [T; G] {
    let one = |i: usize| elements.get(at[i] as usize).copied().unwrap_or_default();
    strided::load_at(elements, &at).unwrap_or_else(|| lanes(one))
}

/// Stores an element of each lane in which the mask is true.
#[inline(always)]
pub(super) fn store<T: Copy + Default, const G: usize>(
    to: &mut Elements<'_, T>,
    reach: Reach<'_, G>,
    x: Operand<'_, T, G>,
    mask: Mask<'_, G>,
    active: usize,
) {
    add(to, reach, x, mask, active, |_, x| x);
}

/// Adds what the lanes have in which the mask is true, or puts it together with what was there in another way.
#[inline(always)]
pub(super) fn add<T: Copy + Default, const G: usize>(
    to: &mut Elements<'_, T>,
    reach: Reach<'_, G>,
    x: Operand<'_, T, G>,
    mask: Mask<'_, G>,
    active: usize,
    plus: impl Fn(T, T) -> T,
) {
    let mask = match mask {
        Mask::None => return,
        Mask::All => None,
        Mask::Where(mask) => Some(mask),
    };
    if mask.is_none() && store_strided(to, reach, x, active, &plus) {
        return;
    }
    let mut done = 0;
    if let Some(mask) = mask
        && let Some(rows) = reach.in_a_row().and_then(|start| to.rows_mut::<G>(start, active / G))
    {
        for (k, row) in rows.iter_mut().enumerate() {
            let (x, mask) = (x.group(k), mask.group(k));
            *row = lanes(|i| if mask[i] != 0 { plus(row[i], x[i]) } else { row[i] });
        }
        done = rows.len();
    }
    let (elements, from) = to.changeable();
    for k in done..active.div_ceil(G) {
        let (x, places, count) = (x.group(k), reach.of(k), G.min(active - k * G));
        let places: [i64; G] = lanes(|i| places[i].wrapping_sub(from as i64));
        let wanted = mask.map(|mask| mask.group(k));
        if wanted.is_none() && count == G && strided::update_at(elements, &places, &x, &plus) {
            continue;
        }
        for i in (0..count).filter(|i| wanted.is_none_or(|wanted| wanted[*i] != 0)) {
            if let Some(element) = elements.get_mut(places[i] as usize) {
                *element = plus(*element, x[i]);
            }
        }
    }
}

/// Adds what the lanes have in which the mask is true, and rounds it; to one element, their sum, which is rounded once.
#[inline(always)]
pub(super) fn add_real<R: Real<G>, const G: usize>(
    to: &mut Elements<'_, R>,
    reach: Reach<'_, G>,
    x: Operand<'_, R, G>,
    mask: Mask<'_, G>,
    active: usize,
    round: impl Fn(R) -> R,
) {
    let Reach::Same(start) = reach else { return add(to, reach, x, mask, active, |a, b| round(a + b)) };
    let mask = match mask {
        Mask::None => return,
        Mask::All => None,
        Mask::Where(mask) => Some(mask),
    };
    if let Some(element) = to.get_mut(start) {
        *element = round(*element + sum(active, x, mask));
    }
}
