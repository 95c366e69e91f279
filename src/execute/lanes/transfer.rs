//! Between registers and buffers.
//!
//! Law: what lanes load outside of a buffer is 0; what they store and add goes there in the order of the lanes.

use super::memory::Elements;
use super::vector::{Block, GROUP, Operand, sum};

/// Where the elements of the lanes are.
#[derive(Debug, Clone, Copy)]
pub(super) enum Reach<'r> {
    /// One element for all.
    Same(i64),
    /// In the lanes' own buffers, which lie side by side: this row, or the row so far on.
    Own { row: i64, width: usize, at: Option<&'r Block<i64>> },
    /// So far apart, and each so far on.
    Apart { start: i64, stride: i64, at: Option<&'r Block<i64>> },
}

impl Reach<'_> {
    /// The number of a lane's element.
    #[inline(always)]
    fn of(&self, lane: usize) -> i64 {
        let on = |at: Option<&Block<i64>>| at.map_or(0, |at| at.get(lane));
        match self {
            Reach::Same(start) => *start,
            Reach::Own { row, width, at } => {
                row.wrapping_add(on(*at)).wrapping_mul(*width as i64).wrapping_add(lane as i64)
            }
            Reach::Apart { start, stride, at } => {
                start.wrapping_add(stride.wrapping_mul(lane as i64)).wrapping_add(on(*at))
            }
        }
    }

    /// The number of the first lane's element, if the others follow it.
    #[inline(always)]
    fn in_a_row(&self) -> Option<i64> {
        match self {
            Reach::Own { row, width, at: None } => Some(row.wrapping_mul(*width as i64)),
            Reach::Apart { start, stride: 1, at: None } => Some(*start),
            Reach::Same(_) | Reach::Own { .. } | Reach::Apart { .. } => None,
        }
    }
}

/// Loads an element for each lane.
#[inline(always)]
pub(super) fn load<T: Copy + Default>(from: &Elements<'_, T>, reach: Reach<'_>, to: &Block<T>, active: usize) {
    let groups = active.div_ceil(GROUP);
    if let Some(start) = reach.in_a_row() {
        for k in 0..groups {
            let at = start.wrapping_add((k * GROUP) as i64);
            match from.group(at) {
                Some(group) => to.set_group(k, group),
                None => (0..GROUP).for_each(|i| to.set(k * GROUP + i, from.get(at.wrapping_add(i as i64)))),
            }
        }
        return;
    }
    if let Reach::Same(start) = reach {
        let x = from.get(start);
        (0..groups).for_each(|k| to.set_group(k, [x; GROUP]));
        return;
    }
    (0..active).for_each(|lane| to.set(lane, from.get(reach.of(lane))));
}

/// Stores an element of each lane in which the mask is true.
#[inline(always)]
pub(super) fn store<T: Copy + Default>(
    to: &mut Elements<'_, T>,
    reach: Reach<'_>,
    x: Operand<'_, T>,
    mask: Option<Operand<'_, i64>>,
    active: usize,
) {
    add(to, reach, x, mask, active, |_, x| x);
}

/// Adds what the lanes have in which the mask is true, or puts it together with what was there in another way.
#[inline(always)]
pub(super) fn add<T: Copy + Default>(
    to: &mut Elements<'_, T>,
    reach: Reach<'_>,
    x: Operand<'_, T>,
    mask: Option<Operand<'_, i64>>,
    active: usize,
    plus: impl Fn(T, T) -> T,
) {
    if mask.is_none()
        && let Some(start) = reach.in_a_row()
    {
        for k in 0..active / GROUP {
            if let Some(group) = to.group_mut(start.wrapping_add((k * GROUP) as i64)) {
                let x = x.group(k);
                *group = core::array::from_fn(|i| plus(group[i], x[i]));
            }
        }
        let rest = active - active % GROUP;
        for lane in rest..active {
            if let Some(element) = to.get_mut(start.wrapping_add(lane as i64)) {
                *element = plus(*element, x.lane(lane));
            }
        }
        return;
    }
    for lane in 0..active {
        if mask.is_none_or(|mask| mask.lane(lane) != 0)
            && let Some(element) = to.get_mut(reach.of(lane))
        {
            *element = plus(*element, x.lane(lane));
        }
    }
}

/// Adds what the lanes have in which the mask is true; to one element, their sum.
#[inline(always)]
pub(super) fn add_real(
    to: &mut Elements<'_, f64>,
    reach: Reach<'_>,
    x: Operand<'_, f64>,
    mask: Option<Operand<'_, i64>>,
    active: usize,
) {
    let Reach::Same(start) = reach else { return add(to, reach, x, mask, active, |a, b| a + b) };
    if let Some(element) = to.get_mut(start) {
        *element += sum(active, x, mask);
    }
}
