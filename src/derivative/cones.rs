//! The replay of cones: blocks of them at once, step by step, in registers that hold one number of each.
//!
//! Law: values are those of the operations, to the last bit; where cones wait for one another, the partial derivatives
//! of a cone are computed before the cotangent that multiplies them is known (preaccumulation)
//! (tests/scalar/recordings.rs).

use super::chains::Chain;
use super::replay::taken;
use crate::primitives::{Rule, Scalar, rows};
use crate::term::{Arithmetic, BLOCK, Back, Code, Cone, Give, Kind, LANES, Leaf, Run, Step};

/// A loop of cones.
#[derive(Clone, Copy)]
pub(super) struct Loop<'c> {
    run: &'c Run,
    cone: &'c Cone,
    leaves: &'c [Leaf],
    /// The slots of the leaves that are listed, leaf by leaf.
    listed: &'c [u32],
    slots: usize,
}

pub(super) type Lanes<S> = [S; LANES];

/// A block of cones, and the room that one register of it takes.
#[derive(Clone, Copy)]
pub(super) struct Block {
    pub(super) count: usize,
    pub(super) room: usize,
}

impl Block {
    /// How many groups of lanes are computed of a register, and how many it has room for.
    #[inline(always)]
    fn lanes<const SHORT: bool>(self) -> (usize, usize) {
        if SHORT { (1, 1) } else { (self.count.div_ceil(LANES), self.room / LANES) }
    }

    /// A register.
    #[inline(always)]
    pub(super) fn register<S>(self, scratch: &[S], at: usize) -> &[S] {
        &scratch[at * self.room..][..self.count]
    }

    #[inline(always)]
    pub(super) fn register_mut<S>(self, scratch: &mut [S], at: usize) -> &mut [S] {
        &mut scratch[at * self.room..][..self.count]
    }
}

impl<'c> Loop<'c> {
    #[inline(always)]
    pub(super) fn new(code: &'c Code, run: &'c Run, cone: u32, listed: &'c [u32]) -> Self {
        let cone = &code.cones[cone as usize];
        Loop { run, cone, leaves: &code.leaves[run.leaves as usize..][..cone.leaves], listed, slots: code.slots }
    }

    fn length(&self) -> usize {
        self.run.length as usize
    }

    /// The slot of the first result, or of the sum.
    fn to(&self) -> usize {
        self.run.to as usize
    }

    /// Whether the results are added up.
    fn adds(&self) -> bool {
        matches!(self.run.kind, Kind::AddCone(_))
    }

    /// The leaf by which the cones are a chain, and the slot of the first.
    fn chain(&self) -> Option<(usize, usize)> {
        let chain = |(leaf, place): (usize, &Leaf)| match place {
            Leaf::Chain(first) => Some((leaf, *first as usize)),
            _ => None,
        };
        if self.run.chained { self.leaves.iter().enumerate().find_map(chain) } else { None }
    }

    /// Reads the leaves of a block, but for that of a chain; those that are the same in all blocks only if it is the first
    /// that is read.
    #[inline(always)]
    fn gather<S: Scalar, const SHORT: bool>(
        &self,
        slots: &[S],
        scratch: &mut [S],
        start: usize,
        block: Block,
        first: bool,
    ) {
        let count = block.count;
        let mut lists = self.listed;
        for (leaf, place) in self.leaves.iter().enumerate() {
            let into = &mut scratch[leaf * block.room..][..block.room];
            match place {
                Leaf::Listed => {
                    let (listed, rest) = lists.split_at(self.length());
                    lists = rest;
                    into.iter_mut().zip(&listed[start..][..count]).for_each(|(x, slot)| *x = slots[*slot as usize]);
                }
                Leaf::Same(slot) if first => into.fill(slots[*slot as usize]),
                Leaf::Same(_) | Leaf::Constant(_) => {}
                Leaf::From(slot) => {
                    let from = &slots[*slot as usize + start..];
                    match from.first_chunk::<LANES>() {
                        // All lanes at once, although nobody reads the last.
                        Some(lanes) if SHORT => into.copy_from_slice(lanes),
                        _ => into[..count].copy_from_slice(&from[..count]),
                    }
                }
                Leaf::Chain(_) => {}
            }
        }
    }

    /// The results before those of a block of a chain.
    fn before<S: Scalar>(&self, first: usize, slots: &[S], into: &mut [S], start: usize) {
        if start > 0 {
            into.copy_from_slice(&slots[self.to() + start - 1..][..into.len()]);
        } else if let [one, others @ ..] = into {
            *one = slots[first];
            others.copy_from_slice(&slots[self.to()..][..others.len()]);
        }
    }

    /// Values, and what is beside them in working memory.
    #[inline(always)]
    fn split<'v, S>(&self, values: &'v mut [S]) -> (&'v mut [S], &'v mut [S]) {
        let (slots, scratch) = values.split_at_mut(self.slots);
        (slots, &mut scratch[self.run.scratch as usize..])
    }

    #[inline(never)]
    pub(super) fn forward<S: Scalar, const COMPILED: bool>(&self, values: &mut [S]) {
        let (slots, scratch) = self.split(values);
        match self.chain() {
            Some(chain) => self.forward_along::<S, COMPILED>(chain, slots, scratch),
            // Loops that fit in one group of lanes have code of their own, without loops.
            None if COMPILED && self.length() <= LANES => self.forward_blocks::<S, true>(slots, scratch),
            None => self.forward_blocks::<S, false>(slots, scratch),
        }
    }

    #[inline(always)]
    fn forward_blocks<S: Scalar, const SHORT: bool>(&self, slots: &mut [S], scratch: &mut [S]) {
        let mut start = 0;
        while start < self.length() {
            let block = self.block::<SHORT>(start);
            self.gather::<S, SHORT>(slots, scratch, start, block, start == 0);
            perform::<S, SHORT>(&self.cone.steps, scratch, block);
            let results = block.register(scratch, self.cone.registers() - 1);
            if self.adds() {
                let (first, rest) = results.split_at(usize::from(self.run.begins && start == 0));
                let sum = first.first().copied().unwrap_or(slots[self.to()]);
                slots[self.to()] = rest.iter().fold(sum, |sum, z| sum + *z);
            } else {
                slots[self.to() + start..][..block.count].copy_from_slice(results);
            }
            if SHORT {
                return;
            }
            start += block.count;
        }
    }

    /// The values of a chain by this leaf, the first of which is in a slot.
    #[inline(never)]
    fn forward_along<S: Scalar, const COMPILED: bool>(
        &self,
        (leaf, first): (usize, usize),
        slots: &mut [S],
        scratch: &mut [S],
    ) {
        let result = self.cone.registers() - 1;
        let short = if COMPILED { Chain::new(self.cone, leaf) } else { None };
        let mut last = slots[first];
        for start in (0..self.length()).step_by(BLOCK) {
            let block = self.block::<false>(start);
            self.gather::<S, false>(slots, scratch, start, block, start == 0);
            let results = &mut slots[self.to() + start..][..block.count];
            // Asked of the constant first, so that chains are not compiled where there are none.
            if COMPILED && let Some(short) = short {
                short.forward(&mut last, scratch, results, block);
            } else {
                last = self.one_by_one(leaf, last, scratch, block);
                results.copy_from_slice(block.register(scratch, result));
            }
        }
    }

    /// The block that starts at a cone.
    #[inline(always)]
    fn block<const SHORT: bool>(&self, start: usize) -> Block {
        if SHORT {
            Block { count: self.length(), room: LANES }
        } else {
            Block { count: BLOCK.min(self.length() - start), room: self.run.register() }
        }
    }

    /// Performs the steps of a block of a chain, cone by cone, from the last result on; returns the next.
    #[inline(never)]
    fn one_by_one<S: Scalar>(&self, leaf: usize, mut last: S, scratch: &mut [S], block: Block) -> S {
        let room = block.room;
        for k in 0..block.count {
            scratch[leaf * room + k] = last;
            for step in &self.cone.steps {
                let [x, y] = step.of.map(|at| scratch[usize::from(at) * room + k]);
                last = match step.operation {
                    Arithmetic::Plus => x + y,
                    Arithmetic::Times => x * y,
                    Arithmetic::Minus => S::apply(&rows::Sub, [x, y]),
                    Arithmetic::Over => S::apply(&rows::Div, [x, y]),
                    Arithmetic::Negative => S::apply(&rows::Neg, [x]),
                };
                scratch[usize::from(step.to) * room + k] = last;
            }
        }
        last
    }

    #[inline(never)]
    pub(super) fn backward<S: Scalar, const COMPILED: bool>(&self, values: &mut [S], adjoints: &mut [S]) {
        let ((slots, scratch), (adjoints, parts)) = (self.split(values), adjoints.split_at_mut(self.slots));
        let values = (&*slots, scratch);
        match self.chain() {
            Some(chain) => self.backward_along::<S, COMPILED>(chain, values, (adjoints, parts)),
            None if COMPILED && self.length() <= LANES => self.backward_blocks::<S, true>(values, adjoints, parts),
            None => self.backward_blocks::<S, false>(values, adjoints, parts),
        }
    }

    #[inline(always)]
    fn backward_blocks<S: Scalar, const SHORT: bool>(
        &self,
        (slots, scratch): (&[S], &mut [S]),
        adjoints: &mut [S],
        parts: &mut [S],
    ) {
        let blocks = if SHORT { 1 } else { self.length().div_ceil(BLOCK) };
        for at in (0..blocks).rev() {
            let start = at * BLOCK;
            let block = self.block::<SHORT>(start);
            if !self.run.kept {
                self.gather::<S, SHORT>(slots, scratch, start, block, at + 1 == blocks);
                perform::<S, SHORT>(&self.cone.again, scratch, block);
            }
            let seed = &mut parts[(self.cone.registers() - 1) * block.room..][..block.room];
            if self.adds() {
                seed.fill(adjoints[self.to()]);
            } else {
                let come = &mut adjoints[self.to() + start..][..block.count];
                seed.iter_mut().zip(come).for_each(|(seed, a)| *seed = taken(a));
            }
            hand_back::<S, SHORT>(&self.cone.back, scratch, parts, block);
            if self.run.begins && start == 0 {
                adjoints[self.to()] = S::zero();
            }
            self.give_leaves(adjoints, parts, start, block);
        }
    }

    /// The adjoints of a chain by this leaf, the first of which is in a slot.
    #[inline(never)]
    fn backward_along<S: Scalar, const COMPILED: bool>(
        &self,
        (leaf, first): (usize, usize),
        (slots, scratch): (&[S], &mut [S]),
        (adjoints, parts): (&mut [S], &mut [S]),
    ) {
        let short = if COMPILED { Chain::new(self.cone, leaf) } else { None };
        let kept = self.run.kept;
        let mut carry = S::zero();
        let blocks = self.length().div_ceil(BLOCK);
        for at in (0..blocks).rev() {
            let start = at * BLOCK;
            let block = self.block::<false>(start);
            if !kept {
                self.gather::<S, false>(slots, scratch, start, block, at + 1 == blocks);
                self.before(first, slots, block.register_mut(scratch, leaf), start);
            }
            let come = &mut adjoints[self.to() + start..][..block.count];
            if COMPILED && let Some(short) = short {
                short.backward(&mut carry, scratch, parts, come, block);
            } else {
                self.hand_on(leaf, &mut carry, (scratch, parts), come, block);
            }
            self.give_leaves(adjoints, parts, start, block);
        }
        adjoints[first] = adjoints[first] + carry;
    }

    /// Adds the parts of the leaves of a block to their adjoints.
    #[inline(always)]
    fn give_leaves<S: Scalar>(&self, adjoints: &mut [S], parts: &[S], start: usize, block: Block) {
        let mut lists = self.listed;
        for ((leaf, place), active) in self.leaves.iter().enumerate().zip(&self.cone.active) {
            let (listed, rest) = lists.split_at(if *place == Leaf::Listed { self.length() } else { 0 });
            lists = rest;
            if !active {
                continue;
            }
            let parts = block.register(parts, leaf);
            match place {
                Leaf::Same(slot) => {
                    let to = &mut adjoints[*slot as usize];
                    *to = *to + total(parts);
                }
                Leaf::From(slot) => {
                    add_all(&mut adjoints[*slot as usize + start..][..block.count], parts);
                }
                Leaf::Listed => {
                    for (slot, part) in listed[start..][..block.count].iter().zip(parts) {
                        adjoints[*slot as usize] = adjoints[*slot as usize] + *part;
                    }
                }
                Leaf::Constant(_) | Leaf::Chain(_) => {}
            }
        }
    }

    /// Finds the partial derivatives of a block of a chain, and multiplies them by the adjoints of the results, which come
    /// from outside and from the cone after.
    #[inline(never)]
    fn hand_on<S: Scalar>(
        &self,
        leaf: usize,
        carry: &mut S,
        (scratch, parts): (&mut [S], &mut [S]),
        come: &mut [S],
        block: Block,
    ) {
        if !self.run.kept {
            perform::<S, false>(&self.cone.again, scratch, block);
        }
        block.register_mut(parts, self.cone.registers() - 1).fill(S::one());
        hand_back::<S, false>(&self.cone.back, scratch, parts, block);
        let (before, seed) = parts.split_at_mut((self.cone.registers() - 1) * block.room);
        let (partial, seed) = (block.register(before, leaf), &mut seed[..block.count]);
        for k in (0..block.count).rev() {
            seed[k] = taken(&mut come[k]) + *carry;
            *carry = partial[k] * seed[k];
        }
        for leaf in (0..self.cone.leaves).filter(|at| *at != leaf && self.cone.active[*at]) {
            block.register_mut(before, leaf).iter_mut().zip(&*seed).for_each(|(p, g)| *p = *p * *g);
        }
    }
}

/// Performs steps for a block.
#[inline(always)]
fn perform<S: Scalar, const SHORT: bool>(steps: &[Step], scratch: &mut [S], block: Block) {
    let (scratch, (count, room)) = (scratch.as_chunks_mut().0, block.lanes::<SHORT>());
    perform_lanes(steps, scratch, count, room);
}

#[inline(always)]
fn perform_lanes<S: Scalar>(steps: &[Step], scratch: &mut [Lanes<S>], count: usize, room: usize) {
    for step in steps {
        let (before, rest) = scratch.split_at_mut(usize::from(step.to) * room);
        let x = &before[usize::from(step.of[0]) * room..][..count];
        let y = &before[usize::from(step.of[1]) * room..][..count];
        let z = &mut rest[..count];
        match step.operation {
            Arithmetic::Plus => each(z, |k, i| x[k][i] + y[k][i]),
            Arithmetic::Times => each(z, |k, i| x[k][i] * y[k][i]),
            Arithmetic::Minus => each(z, |k, i| S::apply(&rows::Sub, [x[k][i], y[k][i]])),
            Arithmetic::Over => each(z, |k, i| S::apply(&rows::Div, [x[k][i], y[k][i]])),
            Arithmetic::Negative => each(z, |k, i| S::apply(&rows::Neg, [x[k][i]])),
        }
    }
}

/// Hands the adjoints of a block of results on to the leaves.
#[inline(always)]
fn hand_back<S: Scalar, const SHORT: bool>(back: &[Back], scratch: &[S], parts: &mut [S], block: Block) {
    let (scratch, parts, (count, room)) = (scratch.as_chunks().0, parts.as_chunks_mut().0, block.lanes::<SHORT>());
    hand_back_lanes(back, scratch, parts, count, room);
}

#[inline(always)]
fn hand_back_lanes<S: Scalar>(back: &[Back], scratch: &[Lanes<S>], parts: &mut [Lanes<S>], count: usize, room: usize) {
    for Back { step, gives } in back {
        let to = step.of.map(|at| usize::from(at) * room);
        let (before, rest) = parts.split_at_mut(usize::from(step.to) * room);
        let g = &rest[..count];
        let x = || &scratch[usize::from(step.of[0]) * room..][..count];
        let y = || &scratch[usize::from(step.of[1]) * room..][..count];
        let z = || &scratch[usize::from(step.to) * room..][..count];
        match step.operation {
            Arithmetic::Plus => {
                give(before, to[0], count, gives[0], |k, i| g[k][i]);
                give(before, to[1], count, gives[1], |k, i| g[k][i]);
            }
            Arithmetic::Times if to[0] == to[1] => {
                let x = x();
                give_twice(before, to[0], count, gives[0], |k, i| x[k][i] * g[k][i]);
            }
            Arithmetic::Times => {
                let (x, y) = (x(), y());
                give(before, to[0], count, gives[0], |k, i| y[k][i] * g[k][i]);
                give(before, to[1], count, gives[1], |k, i| x[k][i] * g[k][i]);
            }
            Arithmetic::Minus => {
                let (x, y, z) = (x(), y(), z());
                let partial = |k: usize, i: usize| rows::Sub.partial(1, [x[k][i], y[k][i]], z[k][i]);
                give(before, to[0], count, gives[0], |k, i| g[k][i]);
                give(before, to[1], count, gives[1], |k, i| partial(k, i) * g[k][i]);
            }
            Arithmetic::Over => {
                let (x, y, z) = (x(), y(), z());
                let partial = |side, k: usize, i: usize| rows::Div.partial(side, [x[k][i], y[k][i]], z[k][i]);
                give(before, to[0], count, gives[0], |k, i| partial(0, k, i) * g[k][i]);
                give(before, to[1], count, gives[1], |k, i| partial(1, k, i) * g[k][i]);
            }
            Arithmetic::Negative => {
                let (x, z) = (x(), z());
                give(before, to[0], count, gives[0], |k, i| rows::Neg.partial(0, [x[k][i]], z[k][i]) * g[k][i]);
            }
        }
    }
}

/// Adds numbers to others, in pairs, which needs no look at where they are.
fn add_all<S: Scalar>(to: &mut [S], parts: &[S]) {
    let ((pairs, last), (parts, part)) = (to.as_chunks_mut::<2>(), parts.as_chunks::<2>());
    pairs.iter_mut().zip(parts).for_each(|(to, part)| *to = [to[0] + part[0], to[1] + part[1]]);
    last.iter_mut().zip(part).for_each(|(to, part)| *to = *to + *part);
}

/// The sum in four parts, which need not wait for one another.
fn total<S: Scalar>(numbers: &[S]) -> S {
    let (fours, rest) = numbers.as_chunks::<4>();
    let [a, b, c, d] = fours.iter().fold([S::zero(); 4], |sums, four| core::array::from_fn(|k| sums[k] + four[k]));
    rest.iter().fold((a + b) + (c + d), |sum, number| sum + *number)
}

/// Writes lanes of a register, of which `lane` gives each by the number of the lanes and its own among them.
#[inline(always)]
fn each<S: Scalar>(register: &mut [Lanes<S>], lane: impl Fn(usize, usize) -> S) {
    for (k, lanes) in register.iter_mut().enumerate() {
        // A loop, which becomes vector instructions for pairs that begin with the first lane.
        let mut made = [S::zero(); LANES];
        for (i, number) in made.iter_mut().enumerate() {
            *number = lane(k, i);
        }
        *lanes = made;
    }
}

/// Gives an operand its part.
#[inline(always)]
fn give<S: Scalar>(parts: &mut [Lanes<S>], to: usize, count: usize, give: Give, part: impl Fn(usize, usize) -> S) {
    if give == Give::Nothing {
        return;
    }
    let to = &mut parts[to..][..count];
    if give == Give::First { each(to, part) } else { more(to, |x, k, i| x + part(k, i)) }
}

/// Gives an operand that is both of a step its part twice.
#[inline(always)]
fn give_twice<S: Scalar>(
    parts: &mut [Lanes<S>],
    to: usize,
    count: usize,
    give: Give,
    part: impl Fn(usize, usize) -> S,
) {
    if give == Give::Nothing {
        return;
    }
    let to = &mut parts[to..][..count];
    if give == Give::First {
        each(to, |k, i| {
            let part = part(k, i);
            part + part
        });
    } else {
        more(to, |x, k, i| {
            let part = part(k, i);
            x + part + part
        });
    }
}

/// Changes lanes of a register.
#[inline(always)]
fn more<S: Scalar>(register: &mut [Lanes<S>], lane: impl Fn(S, usize, usize) -> S) {
    for (k, lanes) in register.iter_mut().enumerate() {
        let mut made = *lanes;
        for (i, number) in made.iter_mut().enumerate() {
            *number = lane(*number, k, i);
        }
        *lanes = made;
    }
}
