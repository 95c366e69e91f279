//! Products of matrices: of large ones by a crate that has nothing but these, of small ones in tiles that stay in registers.
//!
//! Law: element by element they are the sums that the loops make that they stand for, in another order; lanes that are
//! not there have no part in them. What is not all in memory is computed as the loops do (tests/execute/products.rs).

#![allow(unsafe_code, reason = "pointers into matrices are followed; what lies behind them is checked here")]

use core::ops::Range;

use super::dispatch::{self, Level};
use super::instruction::{Across, Address, Product};
use super::memory::Elements;
use super::real::Real;
use super::state::State;
use super::vector::{across, lanes};

/// How many multiplications make up a step.
const PRODUCTS_PER_STEP: i64 = 1 << 22;

/// A matrix with fewer elements than this is small: to put it in another order takes longer than to go through it.
const MAX_SMALL_ELEMENTS: i64 = 1 << 10;

/// Elements of a buffer in two dimensions: the first, and how far the next ones are.
#[derive(Debug, Clone, Copy)]
struct Grid {
    first: i64,
    by: [i64; 2],
}

/// A matrix that is read: the first element, and how far the next ones are.
#[derive(Debug, Clone, Copy)]
struct Factor<R> {
    at: *const R,
    by: [isize; 2],
}

/// A matrix that is changed, in the same way.
#[derive(Debug, Clone, Copy)]
struct Target<R> {
    at: *mut R,
    by: [isize; 2],
}

/// A product of two matrices of these sizes, the second of the first and the third, that goes into another one. All their
/// elements are there, and those of the last nobody else's. Lanes are side by side: in the rows of the first and the columns
/// of the second if they are summed up, else in the rows of the second and the last.
#[derive(Debug)]
pub(super) struct Small<R, const SUMS: bool> {
    /// What the processor can do.
    pub(super) level: Level,
    factors: [Factor<R>; 2],
    to: Target<R>,
    sizes: [usize; 3],
}

impl<R, const SUMS: bool> Small<R, SUMS> {
    /// The product, if lanes are side by side.
    ///
    /// # Safety
    /// All elements of the matrices are there, and those of the last nobody else's.
    unsafe fn new(level: Level, factors: [Factor<R>; 2], to: Target<R>, sizes: [usize; 3]) -> Option<Self> {
        let [a, b] = &factors;
        let strides = if SUMS { [a.by[1], b.by[0]] } else { [b.by[1], to.by[1]] };
        (strides == [1, 1]).then_some(Small { level, factors, to, sizes })
    }
}

impl Grid {
    /// What the lanes have: a line for each step.
    #[inline(always)]
    fn of<R: Real<G>, const G: usize>(state: &State<R, G>, line: &Address) -> Self {
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

    /// Whether the elements of a part of these sizes are among the first `length` of a buffer.
    fn fits(&self, sizes: [i64; 2], length: usize) -> bool {
        let far = |k: usize| self.by[k].checked_mul(sizes[k] - 1);
        let (Some(down), Some(across)) = (far(0), far(1)) else { return false };
        let low = self.first.checked_add(down.min(0)).and_then(|low| low.checked_add(across.min(0)));
        let high = self.first.checked_add(down.max(0)).and_then(|high| high.checked_add(across.max(0)));
        low.is_some_and(|low| low >= 0) && high.is_some_and(|high| (high as u64) < length as u64)
    }

    /// Whether the elements of a part of these sizes are as many different ones.
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
pub(super) fn stretches<R: Real<G>, const G: usize>(
    state: &State<R, G>,
    it: &Product,
) -> impl Iterator<Item = Range<i64>> + use<R, G> {
    let (rows, columns) = (state.one(it.rows), state.one(it.columns));
    let each = (PRODUCTS_PER_STEP / (columns.max(1) * state.active as i64).max(1)).max(64);
    (0..rows.max(0))
        .step_by(usize::try_from(each).unwrap_or(usize::MAX))
        .map(move |from| from..rows.min(from.saturating_add(each)))
}

/// Computes some rows of the product.
pub(super) fn run<R: Real<G>, const G: usize>(
    state: &State<R, G>,
    reals: &mut [Elements<'_, R>],
    it: &Product,
    part: Range<i64>,
) {
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
        let into = if it.adds { R::ONE } else { R::default() };
        let (down, along) = (c.strides(), (a.strides(), b.strides()));
        // SAFETY: all elements of the three matrices are in their buffers, as is checked above for the first and the last
        // of each dimension; those of the last differ from each other, and it is borrowed for nothing else.
        unsafe {
            let a = Factor { at: from_a.as_ptr().add(a.first as usize), by: along.0 };
            let b = Factor { at: from_b.as_ptr().add(b.first as usize), by: along.1 };
            let c = Target { at: to.as_mut_ptr().add(c.first as usize), by: down };
            let sizes = [m as usize, terms as usize, width as usize];
            let is_small = state.level.has_superinstructions() && m.saturating_mul(n) <= MAX_SMALL_ELEMENTS;
            let small = if is_small && it.adds {
                Small::new(state.level, [a, b], c, sizes).map(|small| dispatch::small_sums::<R, G>(&small))
            } else if is_small {
                Small::new(state.level, [a, b], c, sizes).map(|small| dispatch::small_product::<R, G>(&small))
            } else {
                None
            };
            if small.is_none() {
                R::product(sizes, (a.at, a.by), (b.at, b.by), into, (c.at, c.by));
            }
        }
    } else {
        let get =
            |from: &[R], at: i64| usize::try_from(at).ok().and_then(|at| from.get(at)).copied().unwrap_or_default();
        for i in 0..m {
            for j in 0..width {
                let add = |sum: R, k| get(from_a, a.at(i, k)).mul_add(get(from_b, b.at(k, j)), sum);
                let sum = (0..terms).fold(R::default(), add);
                if let Some(element) = usize::try_from(c.at(i, j)).ok().and_then(|at| to.get_mut(at)) {
                    *element = if it.adds { *element + sum } else { sum };
                }
            }
        }
    }
    reals[number as usize] = target;
}

/// `c = a b`, of which lanes are side by side in `b` and `c`.
#[inline(always)]
pub(super) fn small_product<R: Real<G>, const G: usize>(it: &Small<R, false>) {
    let Small { factors: [a, b], to: c, sizes: [m, terms, count], .. } = *it;
    let mut lane = 0;
    while lane + G <= count {
        let groups = if lane + 2 * G <= count { 2 } else { 1 };
        for i in (0..m).step_by(ROWS) {
            // SAFETY: these rows and lanes are among those that are there, and lanes are side by side.
            unsafe {
                match (m - i, groups) {
                    (1, 1) => rows::<1, 1, R, G>([a, b], c, terms, i, lane),
                    (1, _) => rows::<1, 2, R, G>([a, b], c, terms, i, lane),
                    (2, 1) => rows::<2, 1, R, G>([a, b], c, terms, i, lane),
                    (2, _) => rows::<2, 2, R, G>([a, b], c, terms, i, lane),
                    (3, 1) => rows::<3, 1, R, G>([a, b], c, terms, i, lane),
                    (3, _) => rows::<3, 2, R, G>([a, b], c, terms, i, lane),
                    (_, 1) => rows::<ROWS, 1, R, G>([a, b], c, terms, i, lane),
                    (..) => rows::<ROWS, 2, R, G>([a, b], c, terms, i, lane),
                }
            }
        }
        lane += groups * G;
    }
    for i in 0..m {
        for lane in lane..count {
            // SAFETY: as above, a lane at a time.
            unsafe {
                let mut sum = R::default();
                for k in 0..terms {
                    sum = a.get(i, k).mul_add(b.get(k, lane), sum);
                }
                *c.at(i, lane) = sum;
            }
        }
    }
}

/// How many rows are worked on together: this many sums hide the time that each addition takes.
const ROWS: usize = 4;

/// Some rows of the product, of some groups of lanes.
#[inline(always)]
unsafe fn rows<const M: usize, const N: usize, R: Real<G>, const G: usize>(
    [a, b]: [Factor<R>; 2],
    c: Target<R>,
    terms: usize,
    i: usize,
    lane: usize,
) {
    let mut sums = [[[R::default(); G]; N]; M];
    for k in 0..terms {
        let mut row = [[R::default(); G]; N];
        for (n, row) in row.iter_mut().enumerate() {
            // SAFETY: whoever calls this says that all these are there, and lanes side by side.
            *row = unsafe { b.group(k, lane + n * G) };
        }
        for (r, sums) in sums.iter_mut().enumerate() {
            // SAFETY: as above.
            let x = unsafe { a.get(i + r, k) };
            for (sum, row) in sums.iter_mut().zip(&row) {
                *sum = lanes(|l| x.mul_add(row[l], sum[l]));
            }
        }
    }
    for (r, sums) in sums.iter().enumerate() {
        for (n, sum) in sums.iter().enumerate() {
            // SAFETY: as above.
            unsafe { *c.at(i + r, lane + n * G).cast::<[R; G]>() = *sum };
        }
    }
}

/// `c += a b`, of which lanes are side by side in the rows of `a` and in the columns of `b`.
#[inline(always)]
pub(super) fn small_sums<R: Real<G>, const G: usize>(it: &Small<R, true>) {
    let Small { factors: [a, b], to: c, sizes: [m, count, n], .. } = *it;
    let b = Factor { by: [b.by[1], b.by[0]], ..b };
    for i in (0..m).step_by(2) {
        for j in (0..n).step_by(4) {
            // SAFETY: these rows and columns are among those that are there, and lanes are side by side.
            unsafe {
                match ((m - i).min(2), (n - j).min(4)) {
                    (1, 1) => sums::<1, 1, R, G>([a, b], c, count, i, j),
                    (1, 2) => sums::<1, 2, R, G>([a, b], c, count, i, j),
                    (1, 3) => sums::<1, 3, R, G>([a, b], c, count, i, j),
                    (1, _) => sums::<1, 4, R, G>([a, b], c, count, i, j),
                    (_, 1) => sums::<2, 1, R, G>([a, b], c, count, i, j),
                    (_, 2) => sums::<2, 2, R, G>([a, b], c, count, i, j),
                    (_, 3) => sums::<2, 3, R, G>([a, b], c, count, i, j),
                    (..) => sums::<2, 4, R, G>([a, b], c, count, i, j),
                }
            }
        }
    }
}

/// Some rows and columns of the sums.
#[inline(always)]
unsafe fn sums<const M: usize, const N: usize, R: Real<G>, const G: usize>(
    [a, b]: [Factor<R>; 2],
    c: Target<R>,
    count: usize,
    i: usize,
    j: usize,
) {
    let mut sums = [[[R::default(); G]; N]; M];
    let whole = count / G * G;
    for lane in (0..whole).step_by(G) {
        let mut columns = [[R::default(); G]; N];
        for (n, column) in columns.iter_mut().enumerate() {
            // SAFETY: whoever calls this says that all these are there, and lanes side by side.
            *column = unsafe { b.group(j + n, lane) };
        }
        for (r, sums) in sums.iter_mut().enumerate() {
            // SAFETY: as above.
            let x: [R; G] = unsafe { a.group(i + r, lane) };
            for (sum, column) in sums.iter_mut().zip(&columns) {
                *sum = lanes(|l| x[l].mul_add(column[l], sum[l]));
            }
        }
    }
    for (r, sums) in sums.iter().enumerate() {
        for (n, sum) in sums.iter().enumerate() {
            // SAFETY: as above.
            unsafe {
                let mut rest = R::default();
                for lane in whole..count {
                    rest = a.get(i + r, lane).mul_add(b.get(j + n, lane), rest);
                }
                let to = c.at(i + r, j + n);
                *to = *to + (across(*sum, |a, b| a + b) + rest);
            }
        }
    }
}

impl<R: Copy> Factor<R> {
    #[inline(always)]
    unsafe fn get(self, i: usize, j: usize) -> R {
        // SAFETY: whoever calls this says that the element is there.
        unsafe { *self.at.offset(i as isize * self.by[0] + j as isize * self.by[1]) }
    }

    /// `G` elements of a row, which are side by side.
    #[inline(always)]
    unsafe fn group<const G: usize>(self, i: usize, j: usize) -> [R; G] {
        // SAFETY: whoever calls this says that the elements are there; an array of numbers is aligned as these are.
        unsafe { *self.at.offset(i as isize * self.by[0] + j as isize).cast::<[R; G]>() }
    }
}

impl<R> Target<R> {
    #[inline(always)]
    unsafe fn at(self, i: usize, j: usize) -> *mut R {
        // SAFETY: whoever calls this says that the element is there.
        unsafe { self.at.offset(i as isize * self.by[0] + j as isize * self.by[1]) }
    }
}
