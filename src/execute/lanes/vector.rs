//! Blocks of lanes, and operations on them.
//!
//! Law: eight lanes are read, computed and written before the next eight, so a register may be operand and result. Every
//! loop here is straight, so that the compiler makes it vector instructions.

use core::array::from_fn;
use core::cell::Cell;

/// Lanes that are computed together.
pub(super) const GROUP: usize = 8;
/// The most groups in a block.
const GROUPS: usize = 16;
/// The most lanes in a block.
pub(super) const LANES: usize = GROUP * GROUPS;

/// A register: a value for each lane.
#[repr(align(64))]
#[derive(Debug)]
pub(super) struct Block<T: Copy>([[Cell<T>; GROUP]; GROUPS]);

/// An operand: a register, or the same value in all lanes.
#[derive(Debug, Clone, Copy)]
pub(super) enum Operand<'r, T: Copy> {
    One(T),
    Each(&'r Block<T>),
}

impl<T: Copy + Default> Default for Block<T> {
    fn default() -> Self {
        Block(from_fn(|_| from_fn(|_| Cell::new(T::default()))))
    }
}

impl<T: Copy> Block<T> {
    #[inline(always)]
    pub(super) fn group(&self, k: usize) -> [T; GROUP] {
        from_fn(|i| self.0[k][i].get())
    }

    #[inline(always)]
    pub(super) fn set_group(&self, k: usize, x: [T; GROUP]) {
        self.0[k].iter().zip(x).for_each(|(cell, x)| cell.set(x));
    }

    #[inline(always)]
    pub(super) fn get(&self, lane: usize) -> T {
        self.0[lane / GROUP][lane % GROUP].get()
    }

    #[inline(always)]
    pub(super) fn set(&self, lane: usize, x: T) {
        self.0[lane / GROUP][lane % GROUP].set(x);
    }

    pub(super) fn fill(&self, x: T) {
        self.0.iter().flatten().for_each(|cell| cell.set(x));
    }
}

#[inline(always)]
fn read<T: Copy>(cells: &[Cell<T>; GROUP]) -> [T; GROUP] {
    from_fn(|i| cells[i].get())
}

#[inline(always)]
fn write<T: Copy>(cells: &[Cell<T>; GROUP], x: [T; GROUP]) {
    cells.iter().zip(x).for_each(|(cell, x)| cell.set(x));
}

/// `to = f(a)` in the first groups.
#[inline(always)]
pub(super) fn each1<A: Copy, T: Copy>(groups: usize, to: &Block<T>, a: Operand<'_, A>, f: impl Fn(A) -> T) {
    match a {
        Operand::One(a) => {
            let x = f(a);
            to.0.iter().take(groups).for_each(|to| write(to, [x; GROUP]));
        }
        Operand::Each(a) => {
            for (to, a) in to.0.iter().zip(&a.0).take(groups) {
                let a = read(a);
                write(to, from_fn(|i| f(a[i])));
            }
        }
    }
}

/// `to = f(a, b)` in the first groups.
#[inline(always)]
pub(super) fn each2<A: Copy, T: Copy>(
    groups: usize,
    to: &Block<T>,
    a: Operand<'_, A>,
    b: Operand<'_, A>,
    f: impl Fn(A, A) -> T,
) {
    match (a, b) {
        (Operand::One(a), Operand::One(b)) => {
            let x = f(a, b);
            to.0.iter().take(groups).for_each(|to| write(to, [x; GROUP]));
        }
        (Operand::One(a), Operand::Each(b)) => {
            for (to, b) in to.0.iter().zip(&b.0).take(groups) {
                let b = read(b);
                write(to, from_fn(|i| f(a, b[i])));
            }
        }
        (Operand::Each(a), Operand::One(b)) => {
            for (to, a) in to.0.iter().zip(&a.0).take(groups) {
                let a = read(a);
                write(to, from_fn(|i| f(a[i], b)));
            }
        }
        (Operand::Each(a), Operand::Each(b)) => {
            for ((to, a), b) in to.0.iter().zip(&a.0).zip(&b.0).take(groups) {
                let (a, b) = (read(a), read(b));
                write(to, from_fn(|i| f(a[i], b[i])));
            }
        }
    }
}

impl<T: Copy> Operand<'_, T> {
    #[inline(always)]
    pub(super) fn group(&self, k: usize) -> [T; GROUP] {
        match self {
            Operand::One(x) => [*x; GROUP],
            Operand::Each(block) => block.group(k),
        }
    }

    #[inline(always)]
    pub(super) fn lane(&self, lane: usize) -> T {
        match self {
            Operand::One(x) => *x,
            Operand::Each(block) => block.get(lane),
        }
    }
}

/// `to = f(a, b, c)` in the first groups.
#[inline(always)]
pub(super) fn each3<A: Copy, B: Copy, T: Copy>(
    groups: usize,
    to: &Block<T>,
    a: Operand<'_, A>,
    [b, c]: [Operand<'_, B>; 2],
    f: impl Fn(A, B, B) -> T,
) {
    for k in 0..groups.min(GROUPS) {
        let (a, b, c) = (a.group(k), b.group(k), c.group(k));
        to.set_group(k, from_fn(|i| f(a[i], b[i], c[i])));
    }
}

/// `to = f(a, b, c)` in the first groups, where a factor or none is the same in all lanes.
#[inline(always)]
pub(super) fn fused(
    groups: usize,
    to: &Block<f64>,
    [a, b, c]: [Operand<'_, f64>; 3],
    f: impl Fn(f64, f64, f64) -> f64,
) {
    match (a, b, c) {
        (Operand::One(a), Operand::Each(b), Operand::Each(c))
        | (Operand::Each(b), Operand::One(a), Operand::Each(c)) => {
            for ((to, b), c) in to.0.iter().zip(&b.0).zip(&c.0).take(groups) {
                let (b, c) = (read(b), read(c));
                write(to, from_fn(|i| f(a, b[i], c[i])));
            }
        }
        (Operand::Each(a), Operand::Each(b), Operand::Each(c)) => {
            for (((to, a), b), c) in to.0.iter().zip(&a.0).zip(&b.0).zip(&c.0).take(groups) {
                let (a, b, c) = (read(a), read(b), read(c));
                write(to, from_fn(|i| f(a[i], b[i], c[i])));
            }
        }
        (a, b, c) => each3(groups, to, a, [b, c], f),
    }
}

/// The sum of the first lanes in which the mask is true.
#[inline(always)]
pub(super) fn sum(lanes: usize, x: Operand<'_, f64>, mask: Option<Operand<'_, i64>>) -> f64 {
    let mut sums = [0.0; GROUP];
    let whole = lanes / GROUP;
    let masked = |k: usize| {
        let x = x.group(k);
        match mask {
            None => x,
            Some(mask) => {
                let mask = mask.group(k);
                from_fn(|i| if mask[i] != 0 { x[i] } else { 0.0 })
            }
        }
    };
    for k in 0..whole {
        let x = masked(k);
        sums = from_fn(|i| sums[i] + x[i]);
    }
    if !lanes.is_multiple_of(GROUP) {
        let x = masked(whole);
        sums = from_fn(|i| if i < lanes % GROUP { sums[i] + x[i] } else { sums[i] });
    }
    let four: [f64; 4] = from_fn(|i| sums[i] + sums[i + 4]);
    (four[0] + four[2]) + (four[1] + four[3])
}
