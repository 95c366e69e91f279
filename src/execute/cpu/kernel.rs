//! Operations that load what they work on and store what they make, and the loops that sum up products.
//!
//! Law: they are the loads, the operation and the store that they stand for, in less passes over the block
//! (tests/execute/lanes.rs, tests/execute/blocks.rs).

use core::ops::Range;

use super::dispatch;
use super::instruction::{Across, Address, Fused, Inner, Kernel, Reg, Src, Summed, To};
use super::memory::Elements;
use super::real::Real;
use super::state::State;
use super::transfer::Reach;
use super::vector::{Group, Operand, Row, Source, across, get, lanes, one_by_one, set};

/// Where an operand is.
#[derive(Clone, Copy)]
enum Found<'r, R: Copy, const G: usize> {
    Block(Operand<'r, R, G>),
    Row(Row<'r, R, G>),
}

/// The same for operands of all kinds.
macro_rules! found {
    ($($x:ident)+ => $body:expr) => { found!(@ [$($x)+] $body) };
    (@ [] $body:expr) => { $body };
    (@ [$x:ident $($rest:ident)*] $body:expr) => {
        match $x {
            Found::Block($x) => found!(@ [$($rest)*] $body),
            Found::Row($x) => found!(@ [$($rest)*] $body),
        }
    };
}

/// What takes values, group by group.
trait Sink<R, const G: usize> {
    /// Limits the sink to `groups` groups, so that a loop over them needs no check of its own.
    fn first(self, groups: usize) -> Self;

    fn put(&mut self, k: usize, x: [R; G]);
}

impl<R: Real<G>, const G: usize> Sink<R, G> for &[Group<R, G>] {
    #[inline(always)]
    fn first(self, groups: usize) -> Self {
        &self[..groups]
    }

    #[inline(always)]
    fn put(&mut self, k: usize, x: [R; G]) {
        self[k].write(x);
    }
}

impl<R: Real<G>, const G: usize> Sink<R, G> for &mut [[R; G]] {
    #[inline(always)]
    fn first(self, groups: usize) -> Self {
        &mut self[..groups]
    }

    #[inline(always)]
    fn put(&mut self, k: usize, x: [R; G]) {
        self[k] = x;
    }
}

/// Adds to what is there.
struct Added<'r, R, const G: usize>(&'r mut [[R; G]]);

impl<R: Real<G>, const G: usize> Sink<R, G> for Added<'_, R, G> {
    #[inline(always)]
    fn first(self, groups: usize) -> Self {
        Added(&mut self.0[..groups])
    }

    #[inline(always)]
    fn put(&mut self, k: usize, x: [R; G]) {
        let row = &mut self.0[k];
        *row = lanes(|i| row[i] + x[i]);
    }
}

/// Sums, of every other group each; the next group belongs to the first.
struct Sums<R, const G: usize>([R; G], [R; G]);

impl<R: Real<G>, const G: usize> Sink<R, G> for &mut Sums<R, G> {
    #[inline(always)]
    fn first(self, _: usize) -> Self {
        self
    }

    #[inline(always)]
    fn put(&mut self, _: usize, x: [R; G]) {
        let Sums(now, next) = **self;
        **self = Sums(next, lanes(|i| now[i] + x[i]));
    }
}

impl<R: Real<G>, const G: usize> Sums<R, G> {
    fn sum(self) -> R {
        let Sums(a, b) = self;
        across::<R, G>(lanes(|i| a[i] + b[i]), |a, b| a + b)
    }
}

/// Runs an operation.
#[inline(always)]
pub(super) fn run<R: Real<G>, const G: usize>(
    state: &State<R, G>,
    reals: &mut [Elements<'_, R>],
    addresses: &[Address],
    kernel: &Kernel,
) {
    let at = match kernel.to {
        To::Block(_) => None,
        To::Row(at) | To::Added(at) => Some(&addresses[at as usize]),
    };
    // Nothing is loaded from where the result goes.
    let mut to = at.map(|at| core::mem::take(&mut reals[at.buffer as usize])).unwrap_or_default();
    let reach = at.map(|at| state.reach(at)).filter(|reach| in_groups(state, &mut to, *reach));
    let x = Loaded::of(state, reals, addresses, kernel);
    match reach {
        Some(Reach::Same(start)) => {
            let mut sums = Sums([R::default(); G], [R::default(); G]);
            x.put(&mut sums);
            if let Some(element) = to.get_mut(start) {
                *element = *element + sums.sum();
            }
        }
        Some(reach) => {
            let start = reach.in_a_row().expect("lanes that have a place each have them side by side");
            let rows = to.rows_mut(start, state.groups).expect("all places are there");
            if matches!(kernel.to, To::Added(_)) { x.put(Added(rows)) } else { x.put(rows) }
        }
        // What does not go into memory in whole groups is computed in a register first.
        None => {
            let block = if let To::Block(block) = kernel.to { block } else { state.scratch + 2 };
            x.put(state.real_block(block));
            if let Some(at) = at {
                let (reach, result) = (state.reach(at), Reg::Varying(block));
                if matches!(kernel.to, To::Added(_)) {
                    dispatch::add_reals(state, &mut to, reach, result, None);
                } else {
                    dispatch::store_reals(state, &mut to, reach, result, None);
                }
            }
        }
    }
    if let Some(at) = at {
        reals[at.buffer as usize] = to;
    }
}

/// Whether all lanes are in whole groups, and have a place each, side by side, or one for all.
#[inline(always)]
fn in_groups<R: Real<G>, const G: usize>(state: &State<R, G>, to: &mut Elements<'_, R>, reach: Reach<'_, G>) -> bool {
    let places = match reach {
        Reach::Same(_) => true,
        reach => reach.in_a_row().is_some_and(|start| to.rows_mut::<G>(start, state.groups).is_some()),
    };
    places && state.active.is_multiple_of(G)
}

/// The groups of an operand; what is not all in memory is put aside, with 0 for the rest.
#[inline(always)]
fn source<'r, R: Real<G>, const G: usize>(
    state: &'r State<R, G>,
    reals: &'r [Elements<'_, R>],
    addresses: &[Address],
    src: Src,
    aside: u32,
) -> Found<'r, R, G> {
    let address = match src {
        Src::Reg(reg) => return Found::Block(state.real(reg)),
        Src::Row(at) => &addresses[at as usize],
    };
    let elements = &reals[address.buffer as usize];
    let reach = state.reach(address);
    match reach.in_a_row().and_then(|start| elements.rows(start, state.groups)) {
        Some(rows) => Found::Row(Row(rows)),
        None => {
            dispatch::load_reals(state, elements, reach, state.scratch + aside);
            Found::Block(state.reals.operand(state.aside_register(aside)))
        }
    }
}

/// An operation and where its operands are: at most two in memory, and a factor in a register.
struct Loaded<'r, R: Copy, const G: usize> {
    op: Fused,
    x: [Found<'r, R, G>; 2],
    factor: Option<Operand<'r, R, G>>,
    groups: usize,
}

impl<'r, R: Real<G>, const G: usize> Loaded<'r, R, G> {
    #[inline(always)]
    fn of(state: &'r State<R, G>, reals: &'r [Elements<'_, R>], addresses: &[Address], kernel: &Kernel) -> Self {
        let [a, b, c] = kernel.x;
        let (second, factor) = match kernel.op {
            Fused::Copy => (None, None),
            Fused::Add | Fused::Mul | Fused::Scale | Fused::Sub => (Some(b), None),
            Fused::MulAdd | Fused::MulSub | Fused::MulSubtracted => (Some(c), Some(b)),
        };
        let first = source(state, reals, addresses, a, 0);
        let second = if let Some(x) = second { source(state, reals, addresses, x, 1) } else { first };
        let factor = match factor {
            None => None,
            Some(Src::Reg(b)) => Some(state.real(b)),
            Some(Src::Row(_)) => panic!("a factor at most is in memory"),
        };
        Loaded { op: kernel.op, x: [first, second], factor, groups: state.groups }
    }

    /// Puts the result there.
    #[inline(always)]
    fn put(self, to: impl Sink<R, G>) {
        let Loaded { op, x: [a, b], factor, groups } = self;
        let minus = |is_negative: bool| if is_negative { -R::ONE } else { R::ONE };
        match op {
            Fused::Copy => found!(a => each1(groups, to, a)),
            // A sign is one operation on a register more, and one loop less to compile.
            Fused::Add | Fused::Sub => {
                let sign = minus(op == Fused::Sub);
                found!(a b => each2(groups, to, a, b, |a, b| a + b.times_sign(sign)));
            }
            Fused::Mul => match (a, b) {
                (Found::Block(a), Found::Block(b)) => each2(groups, to, a, b, |a, b| a * b),
                (Found::Row(a), Found::Row(b)) => each2(groups, to, a, b, |a, b| a * b),
                (Found::Row(a), Found::Block(b)) | (Found::Block(b), Found::Row(a)) => {
                    each2(groups, to, a, b, |a, b| a * b);
                }
            },
            Fused::Scale => {
                found!(a b => each2(groups, to, a, b, |a, b| if a == R::default() { R::default() } else { a * b }));
            }
            Fused::MulAdd | Fused::MulSub | Fused::MulSubtracted => {
                let (factor, c) = (factor.expect("a product has two factors"), b);
                let (product, summand) = (minus(op == Fused::MulSubtracted), minus(op == Fused::MulSub));
                let f = |a: R, b, c: R| a.times_sign(product).mul_add(b, c.times_sign(summand));
                found!(a c => each3(groups, to, a, factor, c, f));
            }
        }
    }
}

#[inline(always)]
fn each1<R: Real<G>, const G: usize>(groups: usize, to: impl Sink<R, G>, a: impl Source<R, G>) {
    let (mut to, a) = (to.first(groups), a.first(groups));
    for k in 0..groups {
        to.put(k, a.group(k));
        one_by_one();
    }
}

#[inline(always)]
fn each2<R: Real<G>, const G: usize>(
    groups: usize,
    to: impl Sink<R, G>,
    a: impl Source<R, G>,
    b: impl Source<R, G>,
    f: impl Fn(R, R) -> R,
) {
    let (mut to, a, b) = (to.first(groups), a.first(groups), b.first(groups));
    for k in 0..groups {
        let (a, b) = (a.group(k), b.group(k));
        to.put(k, lanes(|i| f(a[i], b[i])));
        one_by_one();
    }
}

#[inline(always)]
fn each3<R: Real<G>, const G: usize>(
    groups: usize,
    to: impl Sink<R, G>,
    a: impl Source<R, G>,
    b: impl Source<R, G>,
    c: impl Source<R, G>,
    f: impl Fn(R, R, R) -> R,
) {
    let (mut to, a, b, c) = (to.first(groups), a.first(groups), b.first(groups), c.first(groups));
    for k in 0..groups {
        let (a, b, c) = (a.group(k), b.group(k), c.group(k));
        to.put(k, lanes(|i| f(a[i], b[i], c[i])));
        one_by_one();
    }
}

/// Elements that a loop goes through: where the first is, and how far the next is.
#[derive(Clone, Copy)]
pub(super) struct Steps<'r, R> {
    elements: &'r [R],
    first: i64,
    by: i64,
    /// Whether the lanes have an element each.
    pub(super) row: bool,
}

impl<'r, R: Copy + Default> Steps<'r, R> {
    #[inline(always)]
    pub(super) fn of<const G: usize>(
        state: &State<R, G>,
        reals: &'r [Elements<'_, R>],
        address: &Address,
        from: i64,
    ) -> Self
    where
        R: Real<G>,
    {
        let (start, by, width) = (state.one(address.base), state.one(address.stride), state.width as i64);
        let elements = reals[address.buffer as usize].all();
        let (first, by, row) = match address.across {
            Across::Own => (start * width, by * width, true),
            Across::Apart(_) => (start + state.first, by, true),
            Across::Same | Across::OwnAt(_) | Across::At(_) | Across::ApartAt(..) => (start, by, false),
        };
        Steps { elements, first: first.wrapping_add(from.wrapping_mul(by)), by, row }
    }

    /// No elements.
    pub(super) fn none() -> Self {
        Steps { elements: &[], first: 0, by: 0, row: false }
    }

    /// Whether all elements of `count` steps, of `groups` groups each, are in bounds.
    #[inline(always)]
    pub(super) fn fits<const G: usize>(&self, count: i64, groups: usize) -> bool {
        let last = self.first + (count - 1) * self.by;
        let room = if self.row { groups * G } else { 1 };
        self.first.min(last) >= 0 && self.first.max(last) as usize + room <= self.elements.len()
    }

    /// How many of `count` steps, from the first on, have all elements in bounds: those of lanes that are not there may
    /// lie after the end of the last.
    #[inline(always)]
    fn fitting<const G: usize>(&self, count: i64, groups: usize) -> i64 {
        if self.fits::<G>(count, groups) {
            return count;
        }
        let room = if self.row { groups * G } else { 1 };
        let last = self.elements.len() as i64 - room as i64 - self.first;
        if self.first < 0 || self.by <= 0 || last < 0 { 0 } else { count.min(last / self.by + 1) }
    }

    /// The place that lies `groups` groups further on.
    #[inline(always)]
    fn on<const G: usize>(self, groups: usize) -> Self {
        let far = if self.row { groups * G } else { 0 };
        Steps { first: self.first + far as i64, ..self }
    }

    /// The first `groups` groups of the elements at a step, which are in bounds.
    #[inline(always)]
    pub(super) fn groups<const G: usize>(&self, step: i64, groups: usize) -> &'r [[R; G]] {
        let at = (self.first + step * self.by) as usize;
        self.elements[at..at + groups * G].as_chunks().0
    }

    /// The elements of the lanes of a group at a step, of which they have one each, with 0 for those that are not there.
    #[inline(always)]
    pub(super) fn group<const G: usize>(&self, step: i64, k: usize) -> [R; G] {
        let at = self.first.wrapping_add(step.wrapping_mul(self.by));
        let start = usize::try_from(at).ok().and_then(|at| at.checked_add(k * G));
        match start.and_then(|start| self.elements.get(start..)?.first_chunk()) {
            Some(group) => *group,
            None => lanes(|i| self.get(step, k * G + i)),
        }
    }

    /// The element of a lane at a step, or 0.
    pub(super) fn get(&self, step: i64, lane: usize) -> R {
        let at = self.first + step * self.by + if self.row { lane as i64 } else { 0 };
        usize::try_from(at).ok().and_then(|at| self.elements.get(at)).copied().unwrap_or_default()
    }
}

/// Runs some iterations of a loop that sums up in a cell.
#[inline(always)]
pub(super) fn inner<R: Real<G>, const G: usize>(
    state: &State<R, G>,
    reals: &[Elements<'_, R>],
    addresses: &[Address],
    inner: &Inner,
    iterations: Range<i64>,
) {
    let count = iterations.end - iterations.start;
    let steps = |k: u32| Steps::of(state, reals, &addresses[k as usize], iterations.start);
    let (a, b) = (steps(inner.x[0]), steps(inner.x[1]));
    let (a, b) = if a.row { (b, a) } else { (a, b) };
    let cell = state.real_block(inner.cell);
    let [of_a, of_b] = [&a, &b].map(|steps| steps.fitting::<G>(count, cell.len()));
    let whole = if b.row { of_a.min(of_b) } else { 0 };
    if whole > 0 {
        match (inner.what, a.row) {
            (Summed::Products, false) => summed::<false, R, G>(whole, cell, a, b, product),
            (Summed::Products, true) => summed::<true, R, G>(whole, cell, a, b, product),
            (Summed::Squares, false) => summed::<false, R, G>(whole, cell, a, b, difference_squared),
            (Summed::Squares, true) => summed::<true, R, G>(whole, cell, a, b, difference_squared),
        }
    }
    if whole < count {
        for lane in 0..state.active {
            let add = |sum, step| inner.what.plus(a.get(step, lane), b.get(step, lane), sum);
            set(cell, lane, (whole..count).fold(get(cell, lane), add));
        }
    }
}

impl Summed {
    fn plus<R: Real<G>, const G: usize>(self, a: R, b: R, sum: R) -> R {
        match self {
            Summed::Products => product(a, b, sum),
            Summed::Squares => difference_squared(a, b, sum),
        }
    }
}

#[inline(always)]
pub(super) fn product<R: Real<G>, const G: usize>(a: R, b: R, sum: R) -> R {
    a.mul_add(b, sum)
}

#[inline(always)]
pub(super) fn difference_squared<R: Real<G>, const G: usize>(a: R, b: R, sum: R) -> R {
    let d = a - b;
    d.mul_add(d, sum)
}

/// Sums up, four groups at a time; all elements are there.
#[inline(always)]
fn summed<const ROW: bool, R: Real<G>, const G: usize>(
    count: i64,
    cell: &[Group<R, G>],
    a: Steps<'_, R>,
    b: Steps<'_, R>,
    f: impl Fn(R, R, R) -> R,
) {
    let quads = cell.len() / 4 * 4;
    for k in (0..quads).step_by(4) {
        groups::<4, ROW, R, G>(count, &cell[k..k + 4], a.on::<G>(k), b.on::<G>(k), &f);
    }
    for k in quads..cell.len() {
        groups::<1, ROW, R, G>(count, &cell[k..=k], a.on::<G>(k), b.on::<G>(k), &f);
    }
}

#[inline(always)]
fn groups<const N: usize, const ROW: bool, R: Real<G>, const G: usize>(
    count: i64,
    cell: &[Group<R, G>],
    a: Steps<'_, R>,
    b: Steps<'_, R>,
    f: &impl Fn(R, R, R) -> R,
) {
    let mut sums = [[R::default(); G]; N];
    for k in 0..N {
        sums[k] = cell[k].read();
    }
    let (mut at, mut at_row) = (a.first, b.first);
    for _ in 0..count {
        let one = if ROW { R::default() } else { a.elements[at as usize] };
        let others = if ROW { a.elements[at as usize..][..N * G].as_chunks::<G>().0 } else { &[] };
        let row = b.elements[at_row as usize..][..N * G].as_chunks::<G>().0;
        for k in 0..N {
            let (x, y, sum) = (if ROW { others[k] } else { [one; G] }, row[k], sums[k]);
            sums[k] = lanes(|i| f(x[i], y[i], sum[i]));
        }
        at += a.by;
        at_row += b.by;
    }
    for k in 0..N {
        cell[k].write(sums[k]);
    }
}
