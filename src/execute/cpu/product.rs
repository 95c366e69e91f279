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
use super::simd::Register;
use super::state::State;
use super::subnormals::{self, Apart};
use super::vector::across;

/// Sums that are at least this many take so much longer than to look whether there are subnormal numbers that this is done before.
const MANY: usize = 1 << 10;

/// How many multiplications make up a step.
const PRODUCTS_PER_STEP: i64 = 1 << 22;

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
            let most =
                if state.level.is_widest() { R::Widest::MAX_SMALL_ELEMENTS } else { R::Vector::MAX_SMALL_ELEMENTS };
            let is_small = state.level.has_superinstructions() && m.saturating_mul(n) <= most;
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

/// `c = a b`, of which lanes are side by side in `b` and `c`; tiles have rows and registers of lanes.
///
/// # Safety
/// The processor has the registers `V`.
#[inline(always)]
pub(super) unsafe fn small_product<V: Register<R>, R: Real<G>, const G: usize>(it: &Small<R, false>) {
    let Small { factors: [a, b], to: c, sizes: [m, terms, count], .. } = *it;
    let mut lane = 0;
    while lane < count {
        let left = count - lane;
        let wide = left >= 2 * V::LANES;
        for rows in tiles(m, 4) {
            let (at, i) = ((rows.start, lane), rows.len());
            // SAFETY: these rows and lanes are among those that are there, and lanes are side by side.
            unsafe {
                match (i, wide) {
                    (1, true) => product_tile::<V, R, 1, 2>([a, b], c, terms, at),
                    (2, true) => product_tile::<V, R, 2, 2>([a, b], c, terms, at),
                    (3, true) => product_tile::<V, R, 3, 2>([a, b], c, terms, at),
                    (_, true) => product_tile::<V, R, 4, 2>([a, b], c, terms, at),
                    (1, false) => last_product_tile::<V, R, G, 1>([a, b], c, terms, at, left),
                    (2, false) => last_product_tile::<V, R, G, 2>([a, b], c, terms, at, left),
                    (3, false) => last_product_tile::<V, R, G, 3>([a, b], c, terms, at, left),
                    (_, false) => last_product_tile::<V, R, G, 4>([a, b], c, terms, at, left),
                }
            }
        }
        lane += if wide { 2 * V::LANES } else { V::LANES };
    }
}

/// Parts of `0..count`, none longer than `most`, and as long as one another or longer by one: a short one at the end would have too
/// few sums to hide the time that each addition takes.
#[inline(always)]
fn tiles(count: usize, most: usize) -> impl Iterator<Item = Range<usize>> {
    let mut from = 0;
    (1..=count.div_ceil(most)).rev().map(move |left| {
        let start = from;
        from += (count - from).div_ceil(left);
        start..from
    })
}

/// Some rows of the product, of some registers of lanes: eight sums at most, which hide the time that each addition takes, and with
/// what is multiplied are no more than the 16 registers of AVX2.
///
/// # Safety
/// The processor has the registers; what is behind these rows and lanes is there, and lanes are side by side.
#[inline(always)]
unsafe fn product_tile<V: Register<R>, R: Copy, const M: usize, const N: usize>(
    [a, b]: [Factor<R>; 2],
    c: Target<R>,
    terms: usize,
    (i, lane): (usize, usize),
) {
    // SAFETY: as the caller says.
    unsafe {
        let rows: [*const R; M] = core::array::from_fn(|r| a.at(i + r, 0));
        let (mut along, mut row) = (0, b.at(0, lane));
        let mut sums = [[V::zero(); N]; M];
        for _ in 0..terms {
            let ys: [V; N] = core::array::from_fn(|n| V::load(row.wrapping_add(n * V::LANES)));
            for (sums, row) in sums.iter_mut().zip(rows) {
                let x = V::all(*row.offset(along));
                for (sum, y) in sums.iter_mut().zip(ys) {
                    *sum = x.mul_add(y, *sum);
                }
            }
            // After the last row there may be no memory to point at.
            row = row.wrapping_offset(b.by[0]);
            along = along.wrapping_add(a.by[1]);
        }
        for (r, sums) in sums.into_iter().enumerate() {
            for (n, sum) in sums.into_iter().enumerate() {
                sum.store(c.at(i + r, lane + n * V::LANES));
            }
        }
    }
}

/// Some rows of the product, of one register of lanes, of which some may not be there: `count` are.
///
/// # Safety
/// As for `product_tile`.
#[inline(always)]
unsafe fn last_product_tile<V: Register<R>, R: Real<G>, const G: usize, const M: usize>(
    [a, b]: [Factor<R>; 2],
    c: Target<R>,
    terms: usize,
    (i, lane): (usize, usize),
    count: usize,
) {
    if count >= V::LANES {
        // SAFETY: as the caller says.
        return unsafe { product_tile::<V, R, M, 1>([a, b], c, terms, (i, lane)) };
    }
    // SAFETY: as the caller says.
    unsafe {
        let rows: [*const R; M] = core::array::from_fn(|r| a.at(i + r, 0));
        let (mut along, mut row) = (0, b.at(0, lane));
        let mut sums = [V::zero(); M];
        for _ in 0..terms {
            let y = V::load_first(row, count);
            for (sum, row) in sums.iter_mut().zip(rows) {
                *sum = V::all(*row.offset(along)).mul_add(y, *sum);
            }
            row = row.wrapping_offset(b.by[0]);
            along = along.wrapping_add(a.by[1]);
        }
        for (r, sum) in sums.into_iter().enumerate() {
            let mut lanes = [R::default(); G];
            sum.store(lanes.as_mut_ptr());
            core::ptr::copy_nonoverlapping(lanes.as_ptr(), c.at(i + r, lane), count);
        }
    }
}

/// `c += a b`, of which lanes are side by side in the rows of `a` and in the columns of `b`; tiles have rows and columns.
///
/// # Safety
/// The processor has the registers `V`.
#[inline(always)]
pub(super) unsafe fn small_sums<V: Register<R>, R: Real<G>, const G: usize>(it: &Small<R, true>) {
    let Small { factors: [a, b], to: c, sizes: [m, count, n], .. } = *it;
    let b = Factor { by: [b.by[1], b.by[0]], ..b };
    // SAFETY: lanes of a row or a column are side by side, and all there.
    let line = |of: Factor<R>, i| unsafe { core::slice::from_raw_parts(of.at(i, 0), count) };
    let (rows, columns) = ((0..m).map(|i| line(a, i)), (0..n).map(|j| line(b, j)));
    let mut lines = rows.clone().chain(columns.clone());
    let is_slow = m * n >= MANY && lines.clone().any(subnormals::any) && lines.all(subnormals::are_moderate);
    let apart = is_slow.then(|| [Apart::of(rows), Apart::of(columns)]);
    let [a, normal] = apart.as_ref().map_or([a, b], |apart| {
        apart.each_ref().map(|apart| Factor { at: apart.rows.as_ptr(), by: [count as isize, 1] })
    });
    for rows in tiles(m, 2) {
        for columns in tiles(n, 4) {
            let (at, tile) = ((rows.start, columns.start), (rows.len(), columns.len()));
            // SAFETY: these rows and columns are among those that are there, and lanes are side by side.
            unsafe {
                match tile {
                    (1, 1) => sums_tile::<V, R, G, 1, 1>([a, normal], c, count, at),
                    (1, 2) => sums_tile::<V, R, G, 1, 2>([a, normal], c, count, at),
                    (1, 3) => sums_tile::<V, R, G, 1, 3>([a, normal], c, count, at),
                    (1, _) => sums_tile::<V, R, G, 1, 4>([a, normal], c, count, at),
                    (_, 1) => sums_tile::<V, R, G, 2, 1>([a, normal], c, count, at),
                    (_, 2) => sums_tile::<V, R, G, 2, 2>([a, normal], c, count, at),
                    (_, 3) => sums_tile::<V, R, G, 2, 3>([a, normal], c, count, at),
                    (..) => sums_tile::<V, R, G, 2, 4>([a, normal], c, count, at),
                }
            }
        }
    }
    let Some([of_rows, of_columns]) = apart else { return };
    // SAFETY: these sums are among those that are there, and nobody else's.
    let sum = |i, j| unsafe { &mut *c.at(i, j) };
    of_rows.add(n, |j, k| line(b, j)[k], sum);
    // What is subnormal in both has been added.
    of_columns.add(m, |i, k| of_rows.rows[i * count + k], |j, i| sum(i, j));
}

/// Some rows and columns of the sums, in as many registers as a tile of a product.
///
/// # Safety
/// The processor has the registers; what is behind these rows and columns is there, and lanes are side by side.
#[inline(always)]
unsafe fn sums_tile<V: Register<R>, R: Real<G>, const G: usize, const M: usize, const N: usize>(
    [a, b]: [Factor<R>; 2],
    c: Target<R>,
    count: usize,
    (i, j): (usize, usize),
) {
    let whole = count / V::LANES * V::LANES;
    // SAFETY: as the caller says.
    unsafe {
        let rows: [*const R; M] = core::array::from_fn(|r| a.at(i + r, 0));
        let columns: [*const R; N] = core::array::from_fn(|n| b.at(j + n, 0));
        let mut sums = [[V::zero(); N]; M];
        for lane in (0..whole).step_by(V::LANES) {
            let ys: [V; N] = core::array::from_fn(|n| V::load(columns[n].add(lane)));
            for (sums, row) in sums.iter_mut().zip(rows) {
                let x = V::load(row.add(lane));
                for (sum, y) in sums.iter_mut().zip(ys) {
                    *sum = x.mul_add(y, *sum);
                }
            }
        }
        if whole < count {
            let ys: [V; N] = core::array::from_fn(|n| V::load_first(columns[n].add(whole), count - whole));
            for (sums, row) in sums.iter_mut().zip(rows) {
                let x = V::load_first(row.add(whole), count - whole);
                for (sum, y) in sums.iter_mut().zip(ys) {
                    *sum = x.mul_add(y, *sum);
                }
            }
        }
        for (r, sums) in sums.into_iter().enumerate() {
            for (n, sum) in sums.into_iter().enumerate() {
                let mut lanes = [R::default(); G];
                sum.store(lanes.as_mut_ptr());
                let to = c.at(i + r, j + n);
                *to = *to + across(lanes, |a, b| a + b);
            }
        }
    }
}

impl<R> Factor<R> {
    /// Where an element is.
    #[inline(always)]
    unsafe fn at(self, i: usize, j: usize) -> *const R {
        // SAFETY: whoever calls this says that the element is there.
        unsafe { self.at.offset(i as isize * self.by[0] + j as isize * self.by[1]) }
    }
}

impl<R> Target<R> {
    #[inline(always)]
    unsafe fn at(self, i: usize, j: usize) -> *mut R {
        // SAFETY: whoever calls this says that the element is there.
        unsafe { self.at.offset(i as isize * self.by[0] + j as isize * self.by[1]) }
    }
}
