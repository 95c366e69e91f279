//! Products of matrices, by a crate that has nothing but these.
//!
//! Law: element by element they are the sums that the loops make that they stand for, in another order; lanes that are not
//! there have no part in them. What is not all in memory is computed as the loops do.

#![allow(unsafe_code, reason = "the crate takes pointers; what lies behind them is checked here")]

use core::ops::Range;

use super::instruction::{Across, Address, Product};
use super::memory::Elements;
use super::state::State;

/// How many multiplications make up a step.
const STRETCH: i64 = 1 << 22;

/// Elements of a buffer in two dimensions: the first, and how far the next ones are.
#[derive(Debug, Clone, Copy)]
struct Grid {
    first: i64,
    by: [i64; 2],
}

impl Grid {
    /// What the lanes have: a line for each step.
    #[inline(always)]
    fn of(state: &State, line: &Address) -> Self {
        let (start, by, width) = (state.one(line.base), state.one(line.stride), state.width as i64);
        match line.across {
            Across::Own => Grid { first: start.wrapping_mul(width), by: [by.wrapping_mul(width), 1] },
            Across::Apart(_) => Grid { first: start.wrapping_add(state.first), by: [by, 1] },
            Across::Same | Across::OwnAt(_) | Across::At(_) | Across::ApartAt(..) => panic!("lanes lie side by side"),
        }
    }

    fn at(&self, i: i64, j: i64) -> i64 {
        let [down, across] = self.by;
        self.first.wrapping_add(i.wrapping_mul(down)).wrapping_add(j.wrapping_mul(across))
    }

    /// The other way round.
    fn transposed(self) -> Self {
        let [down, across] = self.by;
        Grid { by: [across, down], ..self }
    }

    /// Whether so many elements each way are among the first `length` of a buffer.
    fn fits(&self, sizes: [i64; 2], length: usize) -> bool {
        let far = |k: usize| self.by[k].checked_mul(sizes[k] - 1);
        let (Some(down), Some(across)) = (far(0), far(1)) else { return false };
        let low = self.first.checked_add(down.min(0)).and_then(|low| low.checked_add(across.min(0)));
        let high = self.first.checked_add(down.max(0)).and_then(|high| high.checked_add(across.max(0)));
        low.is_some_and(|low| low >= 0) && high.is_some_and(|high| (high as u64) < length as u64)
    }

    /// Whether so many elements each way are as many different ones.
    fn differ(&self, [m, n]: [i64; 2]) -> bool {
        let [down, across] = self.by;
        let [over, under] =
            [(across, n, down), (down, m, across)].map(|(near, count, far)| near > 0 && far / near >= count);
        over || under
    }

    fn strides(&self) -> [isize; 2] {
        self.by.map(|by| by as isize)
    }
}

/// The matrix's rows of a step, one after the other.
pub(super) fn stretches(state: &State, it: &Product) -> impl Iterator<Item = Range<i64>> + use<> {
    let (rows, columns) = (state.one(it.rows), state.one(it.columns));
    let each = (STRETCH / (columns.max(1) * state.active as i64).max(1)).max(64);
    (0..rows.max(0))
        .step_by(usize::try_from(each).unwrap_or(usize::MAX))
        .map(move |from| from..rows.min(from.saturating_add(each)))
}

/// Computes some rows of the product.
pub(super) fn run(state: &State, reals: &mut [Elements<'_, f64>], it: &Product, part: Range<i64>) {
    let [mut matrix, mut rows, columns] = [
        Grid { first: state.one(it.matrix.base), by: [state.one(it.matrix.index), state.one(it.matrix.stride)] },
        Grid::of(state, &it.lines[0]),
        Grid::of(state, &it.lines[1]),
    ];
    matrix.first = matrix.at(part.start, 0);
    rows.first = rows.at(part.start, 0);
    let (m, n, lanes) = (part.end - part.start, state.one(it.columns), state.active as i64);
    let [of_matrix, of_rows, of_columns] = [it.matrix.buffer, it.lines[0].buffer, it.lines[1].buffer];
    // `c = a b` or `c += a b`, and how many columns the first factor has.
    let (c, a, b, terms, width) = if it.adds {
        ((of_matrix, matrix), (of_rows, rows), (of_columns, columns.transposed()), lanes, n)
    } else {
        ((of_rows, rows), (of_matrix, matrix), (of_columns, columns), n, lanes)
    };
    assert!(c.0 != a.0 && c.0 != b.0, "a product is not put into what it is of");
    let number = c.0;
    let mut target = core::mem::take(&mut reals[number as usize]);
    let [from_a, from_b] = [a.0, b.0].map(|buffer| reals[buffer as usize].all());
    let (a, b, mut c) = (a.1, b.1, c.1);
    let (to, before) = target.changeable();
    c.first = c.first.wrapping_sub(before as i64);
    let there = c.fits([m, width], to.len()) && c.differ([m, width]);
    if terms > 0 && width > 0 && there && a.fits([m, terms], from_a.len()) && b.fits([terms, width], from_b.len()) {
        let ([a_down, a_across], [b_down, b_across], [c_down, c_across]) = (a.strides(), b.strides(), c.strides());
        let into = if it.adds { 1.0 } else { 0.0 };
        let (a, b, c) = (a.first as usize, b.first as usize, c.first as usize);
        // SAFETY: all elements of the three matrices are in their buffers, as is checked above for the first and the last
        // of each dimension; those of the last differ from each other, and it is borrowed for nothing else.
        unsafe {
            let (a, b, c) = (from_a.as_ptr().add(a), from_b.as_ptr().add(b), to.as_mut_ptr().add(c));
            let sizes = (m as usize, terms as usize, width as usize);
            matrixmultiply::dgemm(
                sizes.0, sizes.1, sizes.2, 1.0, a, a_down, a_across, b, b_down, b_across, into, c, c_down, c_across,
            );
        }
    } else {
        let get = |from: &[f64], at: i64| usize::try_from(at).ok().and_then(|at| from.get(at)).copied().unwrap_or(0.0);
        for i in 0..m {
            for j in 0..width {
                let add = |sum: f64, k| get(from_a, a.at(i, k)).mul_add(get(from_b, b.at(k, j)), sum);
                let sum = (0..terms).fold(0.0, add);
                if let Some(element) = usize::try_from(c.at(i, j)).ok().and_then(|at| to.get_mut(at)) {
                    *element = if it.adds { *element + sum } else { sum };
                }
            }
        }
    }
    reals[number as usize] = target;
}
