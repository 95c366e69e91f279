//! Registers in groups of eight lanes, and operations on them.
//!
//! Law: eight lanes are read, computed and written before the next eight, so a register may be operand and result.
//! Every loop here is straight, so that the compiler makes it vector instructions (tests/execute/blocks.rs).

use core::cell::Cell;

use super::instruction::Reg;

/// Lanes that are computed together.
pub(super) const GROUP: usize = 8;
/// The most groups in a block.
const GROUPS: usize = 64;
/// The lanes in a block of a loop that needs many registers, or has more to do in a block than to go through it once.
pub(super) const LANES: usize = 128;
/// The most lanes in a block.
pub(super) const MOST_LANES: usize = GROUP * GROUPS;

/// A value for each of eight lanes.
#[repr(align(64))]
#[derive(Debug, Clone)]
pub(super) struct Group<T: Copy>([Cell<T>; GROUP]);

/// Eight values, by number. What is inlined here is compiled for the vector instructions of where it is used.
#[inline(always)]
pub(super) fn eight<T>(mut f: impl FnMut(usize) -> T) -> [T; GROUP] {
    [f(0), f(1), f(2), f(3), f(4), f(5), f(6), f(7)]
}

/// Keeps the compiler from taking several groups at once: one is a vector, more would be gathered and scattered.
#[inline(always)]
pub(super) fn one_by_one() {
    core::sync::atomic::compiler_fence(core::sync::atomic::Ordering::SeqCst);
}

/// What has a value for each lane.
pub(super) trait Source<T>: Copy {
    /// `groups` groups of it, so that a loop over as many needs no check of its own.
    fn first(self, groups: usize) -> Self;

    fn group(&self, k: usize) -> [T; GROUP];
}

/// An operand: the groups of a register, or the one group of a value that is the same in all lanes, of which the step is 0.
#[derive(Debug, Clone, Copy)]
pub(super) struct Operand<'r, T: Copy> {
    groups: &'r [Group<T>; GROUPS],
    step: usize,
}

/// Elements in memory, in a row.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row<'r, T>(pub(super) &'r [[T; GROUP]]);

/// Registers of one kind: first those that hold one value, a group of copies each, then those that hold a block.
#[derive(Debug, Default)]
pub(super) struct Bank<T: Copy> {
    groups: Vec<Group<T>>,
    uniform: usize,
    /// How many groups a register has that holds a block.
    block: usize,
}

impl<T: Copy> Group<T> {
    fn new(x: T) -> Self {
        Group(eight(|_| Cell::new(x)))
    }

    #[inline(always)]
    pub(super) fn read(&self) -> [T; GROUP] {
        eight(|i| self.0[i].get())
    }

    #[inline(always)]
    #[allow(clippy::needless_range_loop, reason = "a straight loop over both becomes one store")]
    pub(super) fn write(&self, x: [T; GROUP]) {
        for i in 0..GROUP {
            self.0[i].set(x[i]);
        }
    }
}

/// The value in a lane of a block.
#[inline(always)]
pub(super) fn get<T: Copy>(block: &[Group<T>], lane: usize) -> T {
    block[lane / GROUP].0[lane % GROUP].get()
}

#[inline(always)]
pub(super) fn set<T: Copy>(block: &[Group<T>], lane: usize, x: T) {
    block[lane / GROUP].0[lane % GROUP].set(x);
}

impl<T: Copy> Source<T> for Operand<'_, T> {
    #[inline(always)]
    fn first(self, _: usize) -> Self {
        self
    }

    #[inline(always)]
    fn group(&self, k: usize) -> [T; GROUP] {
        // It is one of the groups as it is: the remainder only says so to the compiler.
        self.groups[k * self.step % GROUPS].read()
    }
}

impl<T: Copy> Source<T> for Row<'_, T> {
    #[inline(always)]
    fn first(self, groups: usize) -> Self {
        Row(&self.0[..groups])
    }

    #[inline(always)]
    fn group(&self, k: usize) -> [T; GROUP] {
        self.0[k]
    }
}

impl<T: Copy> Operand<'_, T> {
    #[inline(always)]
    pub(super) fn lane(&self, lane: usize) -> T {
        get(self.groups, lane * self.step)
    }

    /// The value, if it is the same in all lanes.
    #[inline(always)]
    pub(super) fn uniform(&self) -> Option<T> {
        (self.step == 0).then(|| self.lane(0))
    }
}

impl<T: Copy + Default> Bank<T> {
    /// Sets the registers of one value to what they are at first.
    pub(super) fn restart(&mut self, initial: &[T]) {
        if self.uniform != initial.len() {
            (self.uniform, self.groups) = (initial.len(), Vec::new());
        }
        if self.groups.is_empty() {
            self.groups.extend(initial.iter().map(|x| Group::new(*x)));
            self.divide(0, MOST_LANES);
        }
        self.groups.iter().zip(initial).for_each(|(group, x)| group.write([*x; GROUP]));
    }

    /// What is in the registers of one value.
    pub(super) fn uniform(&self) -> Vec<T> {
        self.groups[..self.uniform].iter().map(|group| group.0[0].get()).collect()
    }

    /// Makes `blocks` registers of blocks, of `lanes` lanes.
    pub(super) fn divide(&mut self, blocks: usize, lanes: usize) {
        self.block = lanes / GROUP;
        // Also the last register has the most groups of a block from where it begins.
        let groups = self.uniform + blocks.saturating_sub(1) * self.block + GROUPS;
        if self.groups.len() < groups {
            self.groups.resize_with(groups, || Group::new(T::default()));
        }
    }

    #[inline(always)]
    pub(super) fn operand(&self, x: Reg) -> Operand<'_, T> {
        match x {
            Reg::Uniform(k) => Operand { groups: self.groups(k as usize), step: 0 },
            Reg::Varying(k) => Operand { groups: self.from(k), step: 1 },
        }
    }

    #[inline(always)]
    pub(super) fn block(&self, k: u32) -> &[Group<T>] {
        &self.from(k)[..self.block]
    }

    /// `groups` groups of a register that holds a block.
    #[inline(always)]
    pub(super) fn first(&self, k: u32, groups: usize) -> &[Group<T>] {
        &self.from(k)[..groups]
    }

    /// The groups of a register that holds a block, and what is after them.
    #[inline(always)]
    fn from(&self, k: u32) -> &[Group<T>; GROUPS] {
        self.groups(self.uniform + k as usize * self.block)
    }

    #[inline(always)]
    fn groups(&self, from: usize) -> &[Group<T>; GROUPS] {
        self.groups[from..].first_chunk().expect("a register has all its groups")
    }

    #[inline(always)]
    pub(super) fn one(&self, k: u32) -> T {
        self.groups[k as usize].0[0].get()
    }

    #[inline(always)]
    pub(super) fn set(&self, k: u32, x: T) {
        self.groups[k as usize].write([x; GROUP]);
    }

    pub(super) fn fill(&self, k: u32, x: T) {
        for group in self.block(k) {
            group.write([x; GROUP]);
            one_by_one();
        }
    }
}

/// The numbers of lanes, from the first on.
#[inline(always)]
pub(super) fn number(block: &[Group<i64>], first: i64) {
    let mut now = eight(|i| first + i as i64);
    for group in block {
        group.write(now);
        now = eight(|i| now[i] + GROUP as i64);
        one_by_one();
    }
}

/// `to = f(a)`, group by group.
#[inline(always)]
pub(super) fn each1<A: Copy, T: Copy>(to: &[Group<T>], a: impl Source<A>, f: impl Fn(A) -> T) {
    let a = a.first(to.len());
    for (k, to) in to.iter().enumerate() {
        let a = a.group(k);
        to.write(eight(|i| f(a[i])));
        one_by_one();
    }
}

/// `to = f(a, b)`, group by group.
#[inline(always)]
pub(super) fn each2<A: Copy, T: Copy>(to: &[Group<T>], a: impl Source<A>, b: impl Source<A>, f: impl Fn(A, A) -> T) {
    let (a, b) = (a.first(to.len()), b.first(to.len()));
    for (k, to) in to.iter().enumerate() {
        let (a, b) = (a.group(k), b.group(k));
        to.write(eight(|i| f(a[i], b[i])));
        one_by_one();
    }
}

/// `to = f(a, b, c)`, group by group.
#[inline(always)]
pub(super) fn each3<A: Copy, B: Copy, T: Copy>(
    to: &[Group<T>],
    a: impl Source<A>,
    b: impl Source<B>,
    c: impl Source<B>,
    f: impl Fn(A, B, B) -> T,
) {
    let (a, b, c) = (a.first(to.len()), b.first(to.len()), c.first(to.len()));
    for (k, to) in to.iter().enumerate() {
        let (a, b, c) = (a.group(k), b.group(k), c.group(k));
        to.write(eight(|i| f(a[i], b[i], c[i])));
        one_by_one();
    }
}

/// What an operation makes of the first lanes of a block.
#[inline(always)]
pub(super) fn folded<T: Copy>(block: &[Group<T>], start: T, op: impl Fn(T, T) -> T) -> T {
    let mut all = [start; GROUP];
    for group in block {
        let x = group.read();
        all = eight(|i| op(all[i], x[i]));
    }
    across(all, op)
}

/// What an operation makes of eight values.
#[inline(always)]
pub(super) fn across<T: Copy>(x: [T; GROUP], op: impl Fn(T, T) -> T) -> T {
    let four = [op(x[0], x[4]), op(x[1], x[5]), op(x[2], x[6]), op(x[3], x[7])];
    op(op(four[0], four[2]), op(four[1], four[3]))
}

/// The sum of the first lanes in which the mask is true.
#[inline(always)]
pub(super) fn sum(lanes: usize, x: impl Source<f64>, mask: Option<Operand<'_, i64>>) -> f64 {
    // Several sums hide the time that each addition takes.
    let mut parts = [[0.0; GROUP]; 4];
    let whole = lanes / GROUP;
    let masked = |k: usize| {
        let x = x.group(k);
        match mask {
            None => x,
            Some(mask) => {
                let mask = mask.group(k);
                eight(|i| if mask[i] != 0 { x[i] } else { 0.0 })
            }
        }
    };
    let mut k = 0;
    while k + 4 <= whole {
        for part in &mut parts {
            let x = masked(k);
            *part = eight(|i| part[i] + x[i]);
            k += 1;
        }
    }
    while k < whole {
        let x = masked(k);
        parts[0] = eight(|i| parts[0][i] + x[i]);
        k += 1;
    }
    let [a, b, c, d] = parts;
    let mut sums = eight(|i| (a[i] + b[i]) + (c[i] + d[i]));
    if !lanes.is_multiple_of(GROUP) {
        let x = masked(whole);
        sums = eight(|i| if i < lanes % GROUP { sums[i] + x[i] } else { sums[i] });
    }
    across(sums, |a, b| a + b)
}
