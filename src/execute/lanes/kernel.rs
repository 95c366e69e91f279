//! Operations that load what they work on and store what they make, and the loops that sum up products.
//!
//! Law: they are the loads, the operation and the store that they stand for, in less passes over the block.

use core::array::from_fn;

use super::instruction::{Across, Address, Fused, Inner, Kernel, Src, Summed, To};
use super::memory::Elements;
use super::state::{Mask, State};
use super::transfer::{Reach, add_real, load, store};
use super::vector::{GROUP, Group, Operand, Row, Source};

/// Where an operand is.
#[derive(Clone, Copy)]
enum Found<'r> {
    Block(Operand<'r, f64>),
    Row(Row<'r, f64>),
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
trait Sink {
    fn put(&mut self, k: usize, x: [f64; GROUP]);
}

impl Sink for &[Group<f64>] {
    #[inline(always)]
    fn put(&mut self, k: usize, x: [f64; GROUP]) {
        self[k].write(x);
    }
}

impl Sink for &mut [[f64; GROUP]] {
    #[inline(always)]
    fn put(&mut self, k: usize, x: [f64; GROUP]) {
        self[k] = x;
    }
}

/// Adds to what is there.
struct Added<'r>(&'r mut [[f64; GROUP]]);

impl Sink for Added<'_> {
    #[inline(always)]
    fn put(&mut self, k: usize, x: [f64; GROUP]) {
        let row = &mut self.0[k];
        *row = from_fn(|i| row[i] + x[i]);
    }
}

/// Sums, of every other group each.
struct Sums([[f64; GROUP]; 2]);

impl Sink for Sums {
    #[inline(always)]
    fn put(&mut self, k: usize, x: [f64; GROUP]) {
        let sums = &mut self.0[k % 2];
        *sums = from_fn(|i| sums[i] + x[i]);
    }
}

impl Sums {
    fn sum(self) -> f64 {
        let [a, b] = self.0;
        let all: [f64; GROUP] = from_fn(|i| a[i] + b[i]);
        let four: [f64; 4] = from_fn(|i| all[i] + all[i + 4]);
        (four[0] + four[2]) + (four[1] + four[3])
    }
}

/// Runs an operation.
#[inline(always)]
pub(super) fn run(state: &State, reals: &mut [Elements<'_, f64>], addresses: &[Address], kernel: &Kernel) {
    let address = |k: u32| &addresses[k as usize];
    let at = match kernel.to {
        To::Block(to) => return apply(state, reals, addresses, kernel, state.real_block(to)),
        To::Row(at) | To::Added(at) => address(at),
    };
    let mut to = core::mem::take(&mut reals[at.buffer as usize]);
    let reach = state.reach(at);
    let whole = state.active.is_multiple_of(GROUP);
    match (kernel.to, reach) {
        (To::Added(_), Reach::Same(start)) if whole => {
            let mut sums = Sums([[0.0; GROUP]; 2]);
            apply(state, reals, addresses, kernel, &mut sums);
            if let Some(element) = to.get_mut(start) {
                *element += sums.sum();
            }
        }
        (_, reach) => match reach.in_a_row().filter(|_| whole).and_then(|start| to.rows_mut(start, state.groups)) {
            Some(rows) if matches!(kernel.to, To::Row(_)) => apply(state, reals, addresses, kernel, rows),
            Some(rows) => apply(state, reals, addresses, kernel, Added(rows)),
            None => {
                let aside = state.aside(2);
                apply(state, reals, addresses, kernel, aside);
                let x = state.reals.operand(state.aside_register(2));
                match kernel.to {
                    To::Row(_) => store(&mut to, reach, x, Mask::All, state.active),
                    To::Added(_) | To::Block(_) => add_real(&mut to, reach, x, Mask::All, state.active),
                }
            }
        },
    }
    reals[at.buffer as usize] = to;
}

impl Sink for &mut Sums {
    #[inline(always)]
    fn put(&mut self, k: usize, x: [f64; GROUP]) {
        Sums::put(self, k, x);
    }
}

/// The groups of an operand; what is not all in memory is put aside, with 0 for the rest.
#[inline(always)]
fn source<'r>(
    state: &'r State,
    reals: &'r [Elements<'_, f64>],
    addresses: &[Address],
    src: Src,
    aside: u32,
) -> Found<'r> {
    let Src::Row(k) = src else {
        let Src::Reg(reg) = src else { unreachable!("an operand is in a register or in memory") };
        return Found::Block(state.real(reg));
    };
    let address = &addresses[k as usize];
    let (elements, reach) = (&reals[address.buffer as usize], state.reach(address));
    match reach.in_a_row().and_then(|start| elements.rows(start, state.groups)) {
        Some(rows) => Found::Row(Row(rows)),
        None => {
            load(elements, reach, state.aside(aside), state.active);
            Found::Block(state.reals.operand(state.aside_register(aside)))
        }
    }
}

#[inline(always)]
fn apply(state: &State, reals: &[Elements<'_, f64>], addresses: &[Address], kernel: &Kernel, mut to: impl Sink) {
    let [a, b, c] = kernel.x;
    let a = source(state, reals, addresses, a, 0);
    let groups = state.groups;
    match kernel.op {
        Fused::Copy => found!(a => (0..groups).for_each(|k| to.put(k, a.group(k)))),
        Fused::Add | Fused::Mul | Fused::Sub => {
            let b = source(state, reals, addresses, b, 1);
            found!(a b => match kernel.op {
                Fused::Add => each2(groups, to, a, b, |a, b| a + b),
                Fused::Mul => each2(groups, to, a, b, |a, b| a * b),
                _ => each2(groups, to, a, b, |a, b| a - b),
            })
        }
        Fused::MulAdd | Fused::MulSub | Fused::MulSubtracted => {
            let Src::Reg(b) = b else { panic!("a factor at most is in memory") };
            let b = state.real(b);
            let c = source(state, reals, addresses, c, 1);
            found!(a c => match kernel.op {
                Fused::MulAdd => each3(groups, to, a, b, c, |a, b, c| a.mul_add(b, c)),
                Fused::MulSub => each3(groups, to, a, b, c, |a, b, c| a.mul_add(b, -c)),
                _ => each3(groups, to, a, b, c, |a, b, c| (-a).mul_add(b, c)),
            })
        }
    }
}

#[inline(always)]
fn each2(groups: usize, mut to: impl Sink, a: impl Source<f64>, b: impl Source<f64>, f: impl Fn(f64, f64) -> f64) {
    for k in 0..groups {
        let (a, b) = (a.group(k), b.group(k));
        to.put(k, from_fn(|i| f(a[i], b[i])));
    }
}

#[inline(always)]
fn each3(
    groups: usize,
    mut to: impl Sink,
    a: impl Source<f64>,
    b: impl Source<f64>,
    c: impl Source<f64>,
    f: impl Fn(f64, f64, f64) -> f64,
) {
    for k in 0..groups {
        let (a, b, c) = (a.group(k), b.group(k), c.group(k));
        to.put(k, from_fn(|i| f(a[i], b[i], c[i])));
    }
}

/// Elements that a loop goes through: where the first is, and how far the next is.
#[derive(Clone, Copy)]
struct Steps<'r> {
    elements: &'r Elements<'r, f64>,
    first: i64,
    by: i64,
    /// Whether the lanes have an element each.
    row: bool,
}

impl<'r> Steps<'r> {
    fn of(state: &State, reals: &'r [Elements<'_, f64>], address: &Address) -> Self {
        let (start, by, width) = (state.one(address.base), state.one(address.stride), state.width as i64);
        let elements = &reals[address.buffer as usize];
        match address.across {
            Across::Own => Steps { elements, first: start * width, by: by * width, row: true },
            Across::Apart(_) => Steps { elements, first: start + state.first, by, row: true },
            Across::Same | Across::OwnAt(_) | Across::At(_) | Across::ApartAt(..) => {
                Steps { elements, first: start, by, row: false }
            }
        }
    }

    /// So many groups from one on, at a step.
    #[inline(always)]
    fn groups<const N: usize>(&self, step: i64, from: usize) -> [[f64; GROUP]; N] {
        let at = self.first + step * self.by;
        if !self.row {
            return [[self.elements.get(at); GROUP]; N];
        }
        let at = at + (from * GROUP) as i64;
        match self.elements.rows(at, N) {
            Some(rows) => from_fn(|k| rows[k]),
            None => from_fn(|k| from_fn(|i| self.elements.get(at + (k * GROUP + i) as i64))),
        }
    }
}

/// Runs a loop that sums up in a cell.
#[inline(always)]
pub(super) fn inner(state: &State, reals: &[Elements<'_, f64>], addresses: &[Address], inner: &Inner) {
    let count = state.one(inner.count);
    let [a, b] = inner.x.map(|k| Steps::of(state, reals, &addresses[k as usize]));
    let cell = state.real_block(inner.cell);
    let quads = cell.len() / 4 * 4;
    for k in (0..quads).step_by(4) {
        summed::<4>(inner.what, count, a, b, &cell[k..k + 4], k);
    }
    for k in quads..cell.len() {
        summed::<1>(inner.what, count, a, b, &cell[k..=k], k);
    }
}

#[inline(always)]
fn summed<const N: usize>(what: Summed, count: i64, a: Steps<'_>, b: Steps<'_>, cell: &[Group<f64>], from: usize) {
    let mut sums: [[f64; GROUP]; N] = from_fn(|k| cell[k].read());
    match what {
        Summed::Products => {
            for step in 0..count {
                let (a, b) = (a.groups::<N>(step, from), b.groups::<N>(step, from));
                sums = from_fn(|k| from_fn(|i| a[k][i].mul_add(b[k][i], sums[k][i])));
            }
        }
        Summed::Squares => {
            for step in 0..count {
                let (a, b) = (a.groups::<N>(step, from), b.groups::<N>(step, from));
                sums = from_fn(|k| {
                    from_fn(|i| {
                        let d = a[k][i] - b[k][i];
                        d.mul_add(d, sums[k][i])
                    })
                });
            }
        }
    }
    cell.iter().zip(sums).for_each(|(cell, sum)| cell.write(sum));
}
