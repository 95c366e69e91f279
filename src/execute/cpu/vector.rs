//! Registers in groups of `G` lanes, a vector register wide, and operations on them.
//!
//! Law: the lanes of a group are read, computed and written before those of the next, so a register may be operand and
//! result. Every loop here is straight, so that the compiler makes it vector instructions (tests/execute/blocks.rs).

use core::cell::Cell;

use super::instruction::Reg;
use super::real::Real;

/// The most groups in a block.
pub(super) const GROUPS: usize = 64;
/// The groups in a block of a loop that needs many registers, or has more to do in a block than to go through it once.
pub(super) const FEW_GROUPS: usize = 16;

/// A value for each of `G` lanes.
#[repr(align(64))]
#[derive(Debug, Clone)]
pub(super) struct Group<T: Copy, const G: usize>([Cell<T>; G]);

/// A value for each lane of a group, by its number. What is inlined here is compiled for the vector instructions of where it is used.
#[inline(always)]
pub(super) fn lanes<T: Copy, const G: usize>(mut f: impl FnMut(usize) -> T) -> [T; G] {
    const { assert!(G == 8 || G == 16, "a group has eight lanes or sixteen") };
    let mut all = [f(0); G];
    // Eight at a time without a loop: a loop would not always become vector instructions.
    let (eights, _) = all.as_chunks_mut::<8>();
    for (k, eight) in eights.iter_mut().enumerate() {
        let k = 8 * k;
        *eight = [f(k), f(k + 1), f(k + 2), f(k + 3), f(k + 4), f(k + 5), f(k + 6), f(k + 7)];
    }
    all
}

/// Keeps the compiler from taking several groups at once: one is a vector, more would be gathered and scattered.
#[inline(always)]
pub(super) fn one_by_one() {
    core::sync::atomic::compiler_fence(core::sync::atomic::Ordering::SeqCst);
}

/// What has a value for each lane.
pub(super) trait Source<T, const G: usize>: Copy {
    /// `groups` groups of it, so that a loop over as many needs no check of its own.
    fn first(self, groups: usize) -> Self;

    fn group(&self, k: usize) -> [T; G];
}

/// An operand: the groups of a register, or the one group of a value that is the same in all lanes, of which the step is 0.
#[derive(Debug, Clone, Copy)]
pub(super) struct Operand<'r, T: Copy, const G: usize> {
    groups: &'r [Group<T, G>; GROUPS],
    step: usize,
}

/// Elements in memory, in a row.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row<'r, T, const G: usize>(pub(super) &'r [[T; G]]);

/// Registers of one kind: first those that hold one value, a group of copies each, then those that hold a block.
#[derive(Debug, Default)]
pub(super) struct Bank<T: Copy, const G: usize> {
    groups: Vec<Group<T, G>>,
    uniform: usize,
    /// How many groups a register has that holds a block.
    block: usize,
}

impl<T: Copy, const G: usize> Group<T, G> {
    fn new(x: T) -> Self {
        Group(core::array::from_fn(|_| Cell::new(x)))
    }

    #[inline(always)]
    pub(super) fn read(&self) -> [T; G] {
        lanes(|i| self.0[i].get())
    }

    #[inline(always)]
    #[allow(clippy::needless_range_loop, reason = "a straight loop over both becomes one store")]
    pub(super) fn write(&self, x: [T; G]) {
        for i in 0..G {
            self.0[i].set(x[i]);
        }
    }
}

/// The value in a lane of a block.
#[inline(always)]
pub(super) fn get<T: Copy, const G: usize>(block: &[Group<T, G>], lane: usize) -> T {
    block[lane / G].0[lane % G].get()
}

#[inline(always)]
pub(super) fn set<T: Copy, const G: usize>(block: &[Group<T, G>], lane: usize, x: T) {
    block[lane / G].0[lane % G].set(x);
}

impl<T: Copy, const G: usize> Source<T, G> for Operand<'_, T, G> {
    #[inline(always)]
    fn first(self, _: usize) -> Self {
        self
    }

    #[inline(always)]
    fn group(&self, k: usize) -> [T; G] {
        // It is one of the groups as it is: the remainder only says so to the compiler.
        self.groups[k * self.step % GROUPS].read()
    }
}

impl<T: Copy, const G: usize> Source<T, G> for Row<'_, T, G> {
    #[inline(always)]
    fn first(self, groups: usize) -> Self {
        Row(&self.0[..groups])
    }

    #[inline(always)]
    fn group(&self, k: usize) -> [T; G] {
        self.0[k]
    }
}

impl<T: Copy, const G: usize> Operand<'_, T, G> {
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

impl<T: Copy + Default, const G: usize> Bank<T, G> {
    /// Sets the registers of one value to what they are at first.
    pub(super) fn restart(&mut self, initial: impl ExactSizeIterator<Item = T> + Clone) {
        if self.uniform != initial.len() {
            (self.uniform, self.groups) = (initial.len(), Vec::new());
        }
        if self.groups.is_empty() {
            self.groups.extend(initial.clone().map(Group::new));
            self.divide(0, GROUPS * G);
        }
        self.groups.iter().zip(initial).for_each(|(group, x)| group.write([x; G]));
    }

    /// What is in the registers of one value.
    pub(super) fn uniform(&self) -> Vec<T> {
        self.groups[..self.uniform].iter().map(|group| group.0[0].get()).collect()
    }

    /// Makes `blocks` registers of blocks, of `lanes` lanes.
    pub(super) fn divide(&mut self, blocks: usize, lanes: usize) {
        self.block = lanes / G;
        // Also the last register has the most groups of a block from where it begins.
        let groups = self.uniform + blocks.saturating_sub(1) * self.block + GROUPS;
        if self.groups.len() < groups {
            self.groups.resize_with(groups, || Group::new(T::default()));
        }
    }

    #[inline(always)]
    pub(super) fn operand(&self, x: Reg) -> Operand<'_, T, G> {
        match x {
            Reg::Uniform(k) => Operand { groups: self.groups(k as usize), step: 0 },
            Reg::Varying(k) => Operand { groups: self.from(k), step: 1 },
        }
    }

    #[inline(always)]
    pub(super) fn block(&self, k: u32) -> &[Group<T, G>] {
        &self.from(k)[..self.block]
    }

    /// `groups` groups of a register that holds a block.
    #[inline(always)]
    pub(super) fn first(&self, k: u32, groups: usize) -> &[Group<T, G>] {
        &self.from(k)[..groups]
    }

    /// The groups of a register that holds a block, and what is after them.
    #[inline(always)]
    fn from(&self, k: u32) -> &[Group<T, G>; GROUPS] {
        self.groups(self.uniform + k as usize * self.block)
    }

    #[inline(always)]
    fn groups(&self, from: usize) -> &[Group<T, G>; GROUPS] {
        self.groups[from..].first_chunk().expect("a register has all its groups")
    }

    #[inline(always)]
    pub(super) fn one(&self, k: u32) -> T {
        self.groups[k as usize].0[0].get()
    }

    #[inline(always)]
    pub(super) fn set(&self, k: u32, x: T) {
        self.groups[k as usize].write([x; G]);
    }

    pub(super) fn fill(&self, k: u32, x: T) {
        for group in self.block(k) {
            group.write([x; G]);
            one_by_one();
        }
    }
}

/// The numbers of lanes, from the first on.
#[inline(always)]
pub(super) fn number<const G: usize>(block: &[Group<i64, G>], first: i64) {
    let mut now: [i64; G] = lanes(|i| first + i as i64);
    for group in block {
        group.write(now);
        now = lanes(|i| now[i] + G as i64);
        one_by_one();
    }
}

/// `to = f(a)`, group by group.
#[inline(always)]
pub(super) fn each1<A: Copy, T: Copy, const G: usize>(to: &[Group<T, G>], a: impl Source<A, G>, f: impl Fn(A) -> T) {
    let a = a.first(to.len());
    for (k, to) in to.iter().enumerate() {
        let a = a.group(k);
        to.write(lanes(|i| f(a[i])));
        one_by_one();
    }
}

/// `to = f(a, b)`, group by group.
#[inline(always)]
pub(super) fn each2<A: Copy, T: Copy, const G: usize>(
    to: &[Group<T, G>],
    a: impl Source<A, G>,
    b: impl Source<A, G>,
    f: impl Fn(A, A) -> T,
) {
    let (a, b) = (a.first(to.len()), b.first(to.len()));
    for (k, to) in to.iter().enumerate() {
        let (a, b) = (a.group(k), b.group(k));
        to.write(lanes(|i| f(a[i], b[i])));
        one_by_one();
    }
}

/// `to = f(a, b, c)`, group by group.
#[inline(always)]
pub(super) fn each3<A: Copy, B: Copy, T: Copy, const G: usize>(
    to: &[Group<T, G>],
    a: impl Source<A, G>,
    b: impl Source<B, G>,
    c: impl Source<B, G>,
    f: impl Fn(A, B, B) -> T,
) {
    let (a, b, c) = (a.first(to.len()), b.first(to.len()), c.first(to.len()));
    for (k, to) in to.iter().enumerate() {
        let (a, b, c) = (a.group(k), b.group(k), c.group(k));
        to.write(lanes(|i| f(a[i], b[i], c[i])));
        one_by_one();
    }
}

/// `to = f(a)` by eights: of a long function, the compiler makes vector instructions of no more lanes than that.
#[inline(always)]
pub(super) fn by_eights1<T: Copy, const G: usize>(to: &[Group<T, G>], a: impl Source<T, G>, f: impl Fn(T) -> T) {
    let a = a.first(to.len());
    for (k, to) in to.iter().enumerate() {
        let mut x = a.group(k);
        for x in x.as_chunks_mut::<8>().0 {
            *x = lanes(|i| f(x[i]));
            one_by_one();
        }
        to.write(x);
    }
}

/// `to = f(a, b)` by eights.
#[inline(always)]
pub(super) fn by_eights2<T: Copy, const G: usize>(
    to: &[Group<T, G>],
    a: impl Source<T, G>,
    b: impl Source<T, G>,
    f: impl Fn(T, T) -> T,
) {
    let (a, b) = (a.first(to.len()), b.first(to.len()));
    for (k, to) in to.iter().enumerate() {
        let (mut x, y) = (a.group(k), b.group(k));
        for (x, y) in x.as_chunks_mut::<8>().0.iter_mut().zip(y.as_chunks::<8>().0) {
            *x = lanes(|i| f(x[i], y[i]));
            one_by_one();
        }
        to.write(x);
    }
}

/// What an operation makes of the first lanes of a block.
#[inline(always)]
pub(super) fn folded<T: Copy, const G: usize>(block: &[Group<T, G>], start: T, op: impl Fn(T, T) -> T) -> T {
    let mut all = [start; G];
    for group in block {
        let x = group.read();
        all = lanes(|i| op(all[i], x[i]));
    }
    across(all, op)
}

/// What an operation makes of the values of a group: those of one half with those of the other, again and again.
#[inline(always)]
pub(super) fn across<T: Copy, const G: usize>(mut x: [T; G], op: impl Fn(T, T) -> T) -> T {
    let mut half = G / 2;
    while half > 0 {
        for i in 0..half {
            x[i] = op(x[i], x[i + half]);
        }
        half /= 2;
    }
    x[0]
}

/// The sum of the first lanes in which the mask is true.
#[inline(always)]
pub(super) fn sum<R: Real<G>, const G: usize>(
    count: usize,
    x: impl Source<R, G>,
    mask: Option<Operand<'_, i64, G>>,
) -> R {
    // Several sums hide the time that each addition takes.
    let mut parts = [[R::default(); G]; 4];
    let whole = count / G;
    let masked = |k: usize| {
        let x = x.group(k);
        match mask {
            None => x,
            Some(mask) => {
                let mask = mask.group(k);
                lanes(|i| if mask[i] != 0 { x[i] } else { R::default() })
            }
        }
    };
    let mut k = 0;
    while k + 4 <= whole {
        for part in &mut parts {
            let x = masked(k);
            *part = lanes(|i| part[i] + x[i]);
            k += 1;
        }
    }
    while k < whole {
        let x = masked(k);
        parts[0] = lanes(|i| parts[0][i] + x[i]);
        k += 1;
    }
    let [a, b, c, d] = parts;
    let mut sums: [R; G] = lanes(|i| (a[i] + b[i]) + (c[i] + d[i]));
    if !count.is_multiple_of(G) {
        let x = masked(whole);
        sums = lanes(|i| if i < count % G { sums[i] + x[i] } else { sums[i] });
    }
    across(sums, |a, b| a + b)
}
