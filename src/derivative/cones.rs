//! The replay of cones: blocks of them at once, step by step, in registers that hold one number of each.
//!
//! Law: values are those of the operations, to the last bit. The adjoint of a leaf is its part in the partial derivatives
//! of a cone, which are found before it is known what comes in where cones wait for one another (preaccumulation).

use super::chains::Chain;
use super::replay::taken;
use crate::primitives::{Rule, Scalar, rows};
use crate::term::{Arithmetic, BLOCK, Back, Code, Cone, Kind, Leaf, Run, Step};

/// A loop of cones.
#[derive(Clone, Copy)]
pub(super) struct Loop<'c> {
    cone: &'c Cone,
    leaves: &'c [Leaf],
    /// The slots of the leaves that are listed, leaf by leaf.
    listed: &'c [u32],
    length: usize,
    to: usize,
    /// Whether the results are added up, and whether the first begins the sum.
    adds: bool,
    begins: bool,
    slots: usize,
}

/// A register of a block of so many numbers.
#[inline(always)]
fn register<S>(scratch: &[S], at: usize, count: usize) -> &[S] {
    &scratch[at * BLOCK..][..count]
}

#[inline(always)]
fn register_mut<S>(scratch: &mut [S], at: usize, count: usize) -> &mut [S] {
    &mut scratch[at * BLOCK..][..count]
}

/// So many numbers are computed together, those past the end of a loop too, which nobody reads.
const LANES: usize = 8;

type Lanes<S> = [S; LANES];

/// A register, with what is computed together with its last number.
#[inline(always)]
fn lanes<S>(scratch: &[S], at: usize, count: usize) -> &[Lanes<S>] {
    &scratch[at * BLOCK..][..BLOCK].as_chunks::<LANES>().0[..count.div_ceil(LANES)]
}

impl<'c> Loop<'c> {
    pub(super) fn new(code: &'c Code, run: &Run, cone: u32, listed: &'c [u32]) -> Self {
        let cone = &code.cones[cone as usize];
        Loop {
            cone,
            leaves: &code.leaves[run.leaves as usize..][..cone.leaves],
            listed,
            length: run.length as usize,
            to: run.to as usize,
            adds: matches!(run.kind, Kind::AddCone(_)),
            begins: run.begins,
            slots: code.slots,
        }
    }

    /// The leaf by which the cones are a chain.
    fn chain(&self) -> Option<(usize, usize)> {
        self.leaves.iter().enumerate().find_map(|(leaf, place)| match place {
            Leaf::Chain(first) => Some((leaf, *first as usize)),
            _ => None,
        })
    }

    /// The leaves with the slots of those that are listed.
    fn places(&self) -> impl Iterator<Item = (usize, Leaf, &'c [u32])> {
        let (listed, length) = (self.listed, self.length);
        self.leaves.iter().enumerate().scan(0, move |lists, (leaf, place)| {
            let own = if *place == Leaf::Listed { &listed[*lists * length..][..length] } else { &[] };
            *lists += usize::from(*place == Leaf::Listed);
            Some((leaf, *place, own))
        })
    }

    /// Reads the leaves of a block; those that are the same in all blocks only if it is the first that is read.
    #[inline(always)]
    fn gather<S: Scalar>(&self, slots: &[S], scratch: &mut [S], start: usize, count: usize, first: bool) {
        for (leaf, place, listed) in self.places() {
            let into = register_mut(scratch, leaf, count);
            match place {
                Leaf::Same(slot) if first => {
                    scratch[leaf * BLOCK..][..self.length.min(BLOCK)].fill(slots[slot as usize]);
                }
                Leaf::Same(_) => {}
                Leaf::From(slot) => into.copy_from_slice(&slots[slot as usize + start..][..count]),
                Leaf::Listed => {
                    into.iter_mut().zip(&listed[start..][..count]).for_each(|(x, slot)| *x = slots[*slot as usize]);
                }
                Leaf::Chain(slot) if start == 0 => {
                    into[0] = slots[slot as usize];
                    into[1..].copy_from_slice(&slots[self.to..][..count - 1]);
                }
                Leaf::Chain(_) => into.copy_from_slice(&slots[self.to + start - 1..][..count]),
            }
        }
    }

    pub(super) fn forward<S: Scalar, const COMPILED: bool>(&self, values: &mut [S]) {
        let (slots, scratch) = values.split_at_mut(self.slots);
        let result = self.cone.active.len() - 1;
        let chain = self.chain();
        let mut last = chain.map(|(_, first)| slots[first]);
        let mut sum = slots[self.to];
        for start in (0..self.length).step_by(BLOCK) {
            let count = BLOCK.min(self.length - start);
            self.gather(slots, scratch, start, count, start == 0);
            match (chain, &mut last) {
                (Some((leaf, _)), Some(last)) => {
                    if let Some(short) = Chain::new(self.cone, leaf).filter(|_| COMPILED) {
                        short.forward(last, scratch, count);
                    } else {
                        for k in 0..count {
                            scratch[leaf * BLOCK + k] = *last;
                            self.steps_of_one(scratch, k);
                            *last = scratch[result * BLOCK + k];
                        }
                    }
                }
                _ => perform(&self.cone.steps, scratch, count),
            }
            let results = register(scratch, result, count);
            if self.adds {
                let (first, rest) = results.split_at(usize::from(self.begins && start == 0));
                sum = rest.iter().fold(first.first().copied().unwrap_or(sum), |sum, z| sum + *z);
            } else {
                slots[self.to + start..][..count].copy_from_slice(results);
            }
        }
        if self.adds {
            slots[self.to] = sum;
        }
    }

    /// Performs the steps of one cone of a block.
    fn steps_of_one<S: Scalar>(&self, scratch: &mut [S], k: usize) {
        for step in &self.cone.steps {
            let [x, y] = step.of.map(|at| scratch[usize::from(at) * BLOCK + k]);
            scratch[usize::from(step.to) * BLOCK + k] = match step.operation {
                Arithmetic::Plus => x + y,
                Arithmetic::Times => x * y,
                Arithmetic::Minus => S::apply(&rows::Sub, [x, y]),
                Arithmetic::Over => S::apply(&rows::Div, [x, y]),
                Arithmetic::Negative => S::apply(&rows::Neg, [x]),
            };
        }
    }

    pub(super) fn backward<S: Scalar, const COMPILED: bool>(&self, values: &mut [S], adjoints: &mut [S]) {
        let (slots, scratch) = values.split_at_mut(self.slots);
        let (adjoints, parts) = adjoints.split_at_mut(self.slots);
        let result = self.cone.active.len() - 1;
        let chain = self.chain();
        let mut carry = S::zero();
        let blocks = self.length.div_ceil(BLOCK);
        for block in (0..blocks).rev() {
            let start = block * BLOCK;
            let count = BLOCK.min(self.length - start);
            self.gather(slots, scratch, start, count, block + 1 == blocks);
            let come = &mut adjoints[self.to..];
            let come = if self.adds { &mut come[..1] } else { &mut come[start..][..count] };
            match (chain, chain.and_then(|(leaf, _)| Chain::new(self.cone, leaf)).filter(|_| COMPILED)) {
                (Some((leaf, _)), Some(short)) => short.backward(leaf, &mut carry, scratch, parts, come),
                _ => {
                    perform(&self.cone.again, scratch, count);
                    let seed = register_mut(parts, result, count);
                    match chain {
                        Some(_) => seed.fill(S::one()),
                        None if self.adds => seed.fill(come[0]),
                        None => seed.iter_mut().zip(come.iter_mut()).for_each(|(seed, a)| *seed = taken(a)),
                    }
                    hand_back(&self.cone.back, scratch, parts, count);
                    if let Some((leaf, _)) = chain {
                        self.hand_on(leaf, &mut carry, parts, come);
                    }
                }
            }
            if let (Some((_, first)), 0) = (chain, block) {
                adjoints[first] = adjoints[first] + carry;
            }
            if self.begins && block == 0 {
                adjoints[self.to] = S::zero();
            }
            for (leaf, place, listed) in self.places().filter(|(leaf, ..)| self.cone.active[*leaf]) {
                let parts = register(parts, leaf, count);
                match place {
                    Leaf::Same(slot) => {
                        let to = &mut adjoints[slot as usize];
                        *to = *to + total(parts);
                    }
                    Leaf::From(slot) => {
                        let to = &mut adjoints[slot as usize + start..][..count];
                        to.iter_mut().zip(parts).for_each(|(to, part)| *to = *to + *part);
                    }
                    Leaf::Listed => {
                        for (slot, part) in listed[start..][..count].iter().zip(parts) {
                            adjoints[*slot as usize] = adjoints[*slot as usize] + *part;
                        }
                    }
                    Leaf::Chain(_) => {}
                }
            }
        }
    }

    /// Multiplies the partial derivatives of a block of a chain by the adjoints of the results, which come from outside and
    /// from the cone after.
    fn hand_on<S: Scalar>(&self, leaf: usize, carry: &mut S, parts: &mut [S], come: &mut [S]) {
        let count = come.len();
        let (before, seed) = parts.split_at_mut((self.cone.active.len() - 1) * BLOCK);
        let (partial, seed) = (register(before, leaf, count), &mut seed[..count]);
        for k in (0..count).rev() {
            seed[k] = taken(&mut come[k]) + *carry;
            *carry = partial[k] * seed[k];
        }
        for leaf in (0..self.cone.leaves).filter(|at| *at != leaf && self.cone.active[*at]) {
            register_mut(before, leaf, count).iter_mut().zip(&*seed).for_each(|(p, g)| *p = *p * *g);
        }
    }
}

/// Performs steps for a block.
fn perform<S: Scalar>(steps: &[Step], scratch: &mut [S], count: usize) {
    for step in steps {
        let (before, rest) = scratch.split_at_mut(usize::from(step.to) * BLOCK);
        let [x, y] = step.of.map(|at| lanes(before, usize::from(at), count));
        let z = rest[..BLOCK].as_chunks_mut::<LANES>().0;
        match step.operation {
            Arithmetic::Plus => each(x, y, z, |x, y| x + y),
            Arithmetic::Times => each(x, y, z, |x, y| x * y),
            Arithmetic::Minus => each(x, y, z, |x, y| S::apply(&rows::Sub, [x, y])),
            Arithmetic::Over => each(x, y, z, |x, y| S::apply(&rows::Div, [x, y])),
            Arithmetic::Negative => each(x, y, z, |x, _| S::apply(&rows::Neg, [x])),
        }
    }
}

/// Hands the adjoints of a block of results on to the leaves. The first part that comes to a register is written, and
/// others are added.
fn hand_back<S: Scalar>(back: &[Back], scratch: &[S], parts: &mut [S], count: usize) {
    for Back { step, side, adds } in back {
        let [x, y] = step.of.map(usize::from);
        let (to, z) = (if *side == 0 { x } else { y }, usize::from(step.to));
        let (before, rest) = parts.split_at_mut(z * BLOCK);
        let [x, y, z] = [x, y, z].map(|at| lanes(scratch, at, count));
        let to = before[to * BLOCK..][..BLOCK].as_chunks_mut::<LANES>().0;
        let part = Part { x, y, z, g: lanes(rest, 0, count), to, adds: *adds };
        match (step.operation, side) {
            (Arithmetic::Plus, _) | (Arithmetic::Minus, 0) => part.give(|_, _, _, g| g),
            (Arithmetic::Times, 0) => part.give(|_, y, _, g| y * g),
            (Arithmetic::Times, _) => part.give(|x, _, _, g| x * g),
            (Arithmetic::Minus, _) => part.give(|x, y, z, g| rows::Sub.partial(1, [x, y], z) * g),
            (Arithmetic::Over, 0) => part.give(|x, y, z, g| rows::Div.partial(0, [x, y], z) * g),
            (Arithmetic::Over, _) => part.give(|x, y, z, g| rows::Div.partial(1, [x, y], z) * g),
            (Arithmetic::Negative, _) => part.give(|x, _, z, g| rows::Neg.partial(0, [x], z) * g),
        }
    }
}

/// The sum in four parts, which need not wait for one another.
fn total<S: Scalar>(numbers: &[S]) -> S {
    let (fours, rest) = numbers.as_chunks::<4>();
    let [a, b, c, d] = fours.iter().fold([S::zero(); 4], |sums, four| core::array::from_fn(|k| sums[k] + four[k]));
    rest.iter().fold((a + b) + (c + d), |sum, number| sum + *number)
}

#[inline(always)]
fn each<S: Scalar>(x: &[Lanes<S>], y: &[Lanes<S>], z: &mut [Lanes<S>], operation: impl Fn(S, S) -> S) {
    for (z, (x, y)) in z.iter_mut().zip(x.iter().zip(y)) {
        *z = core::array::from_fn(|k| operation(x[k], y[k]));
    }
}

/// The operands and results of a step in a block, the adjoints of the results, and those of an operand.
struct Part<'r, S> {
    x: &'r [Lanes<S>],
    y: &'r [Lanes<S>],
    z: &'r [Lanes<S>],
    g: &'r [Lanes<S>],
    to: &'r mut [Lanes<S>],
    adds: bool,
}

impl<S: Scalar> Part<'_, S> {
    #[inline(always)]
    fn give(self, part: impl Fn(S, S, S, S) -> S) {
        let operands = self.x.iter().zip(self.y).zip(self.z.iter().zip(self.g));
        let all = self.to.iter_mut().zip(operands);
        if self.adds {
            all.for_each(|(to, ((x, y), (z, g)))| *to = core::array::from_fn(|k| to[k] + part(x[k], y[k], z[k], g[k])));
        } else {
            all.for_each(|(to, ((x, y), (z, g)))| *to = core::array::from_fn(|k| part(x[k], y[k], z[k], g[k])));
        }
    }
}
