//! Chains of short cones: the value that goes from one to the next stays in a register of the processor.
//!
//! Law: a chain of cones computes what its cones compute one by one; that each value stays in a register saves the
//! latency of memory between `a ∘ b` and `c ∘ d` (tests/scalar/recordings.rs).

use super::cones::Block;
use super::replay::taken;
use crate::primitives::{Rule, Scalar, rows};
use crate::term::{Arithmetic, Cone, Link};

const PLUS: u8 = 0;
const TIMES: u8 = 1;
const MINUS: u8 = 2;
/// No operation: the first operand.
const FIRST: u8 = 3;

#[inline(always)]
fn by<S: Scalar, const OPERATION: u8>(x: S, y: S) -> S {
    match OPERATION {
        PLUS => x + y,
        TIMES => x * y,
        MINUS => S::apply(&rows::Sub, [x, y]),
        _ => x,
    }
}

/// The adjoints of the operands of an operation, of that of its result.
#[inline(always)]
fn back<S: Scalar, const OPERATION: u8>(x: S, y: S, adjoint: S) -> [S; 2] {
    match OPERATION {
        PLUS => [adjoint, adjoint],
        TIMES => [y * adjoint, x * adjoint],
        MINUS => [adjoint, rows::Sub.partial(1, [x, y], x) * adjoint],
        _ => [adjoint, S::zero()],
    }
}

/// A chain of short cones by one of their leaves.
#[derive(Clone, Copy)]
pub(super) struct Chain<'c> {
    cone: &'c Cone,
    link: &'c Link,
    by: usize,
}

impl<'c> Chain<'c> {
    /// The chain of the cones by one of their leaves, if they are short ones.
    #[inline(always)]
    pub(super) fn new(cone: &'c Cone, by: usize) -> Option<Self> {
        Some(Chain { cone, link: cone.link.as_ref()?, by })
    }

    /// The results for leaves in registers, from the result before. The register of the leaf that makes the chain gets what
    /// comes before each.
    pub(super) fn forward<S: Scalar>(&self, last: &mut S, scratch: &mut [S], results: &mut [S], block: Block) {
        let (left, rest) = scratch.split_at_mut(self.by * block.room);
        let (before, right) = rest.split_at_mut(block.room);
        let source = |at: u8| match usize::from(at) {
            at if at < self.by => Some(block.register(left, at)),
            at if at > self.by => Some(block.register(right, at - self.by - 1)),
            _ => None,
        };
        // Not by `map`, which is a call.
        let [a, b, c, d] = self.link.operands;
        choose(self.link, Forward { last, sources: [source(a), source(b), source(c), source(d)], before, results });
    }

    /// The adjoints of the leaves into registers, from those of the results and what comes from the cone after.
    pub(super) fn backward<S: Scalar>(
        &self,
        carry: &mut S,
        scratch: &[S],
        parts: &mut [S],
        come: &mut [S],
        block: Block,
    ) {
        for leaf in (0..self.cone.leaves).filter(|leaf| *leaf != self.by && self.cone.active[*leaf]) {
            block.register_mut(parts, leaf).fill(S::zero());
        }
        let [a, b, c, d] = self.link.operands;
        let value = |leaf: u8| block.register(scratch, leaf.into());
        let goes = |leaf: u8| match usize::from(leaf) {
            leaf if leaf == self.by => Goes::On,
            leaf if self.cone.active[leaf] => Goes::To(leaf * block.room),
            _ => Goes::Nowhere,
        };
        let (values, leaves) = ([value(a), value(b), value(c), value(d)], [goes(a), goes(b), goes(c), goes(d)]);
        choose(self.link, Backward { carry, values, leaves, parts, come });
    }
}

/// Does what is to be done by the code of these operations.
fn choose<L: Along>(link: &Link, along: L) {
    fn first<L: Along, const R: u8>([p, q]: [Option<Arithmetic>; 2], along: L) {
        match p {
            Some(Arithmetic::Plus) => second::<L, PLUS, R>(q, along),
            Some(Arithmetic::Times) => second::<L, TIMES, R>(q, along),
            Some(Arithmetic::Minus) => second::<L, MINUS, R>(q, along),
            None => second::<L, FIRST, R>(q, along),
            Some(Arithmetic::Over | Arithmetic::Negative) => unreachable!("{LINKS}"),
        }
    }
    fn second<L: Along, const P: u8, const R: u8>(q: Option<Arithmetic>, along: L) {
        match q {
            Some(Arithmetic::Plus) => along.run::<P, PLUS, R>(),
            Some(Arithmetic::Times) => along.run::<P, TIMES, R>(),
            Some(Arithmetic::Minus) => along.run::<P, MINUS, R>(),
            None => along.run::<P, FIRST, R>(),
            Some(Arithmetic::Over | Arithmetic::Negative) => unreachable!("{LINKS}"),
        }
    }
    match link.outer {
        Arithmetic::Plus => first::<L, PLUS>(link.inner, along),
        Arithmetic::Times => first::<L, TIMES>(link.inner, along),
        Arithmetic::Minus => first::<L, MINUS>(link.inner, along),
        Arithmetic::Over | Arithmetic::Negative => unreachable!("{LINKS}"),
    }
}

const LINKS: &str = "links are of sums, products and differences";

/// What is done along a chain, compiled for each choice of operations.
trait Along {
    fn run<const P: u8, const Q: u8, const R: u8>(self);
}

struct Forward<'r, S> {
    last: &'r mut S,
    sources: [Option<&'r [S]>; 4],
    before: &'r mut [S],
    results: &'r mut [S],
}

impl<'r, S: Scalar> Along for Forward<'r, S> {
    #[inline(never)]
    fn run<const P: u8, const Q: u8, const R: u8>(self) {
        let count = self.results.len();
        let [a, b, c, d] = self.sources;
        let cut = |source: Option<&'r [S]>| source.map(|source| &source[..count]);
        let (a, b, c, d) = (cut(a), cut(b), cut(c), cut(d));
        let mut x = *self.last;
        for (k, (before, result)) in self.before.iter_mut().zip(self.results).enumerate() {
            *before = x;
            let of = |source: Option<&[S]>| source.map_or(x, |source| source[k]);
            x = by::<S, R>(by::<S, P>(of(a), of(b)), by::<S, Q>(of(c), of(d)));
            *result = x;
        }
        *self.last = x;
    }
}

/// Where the adjoint of an operand goes.
#[derive(Clone, Copy)]
enum Goes {
    /// To the cone before.
    On,
    /// To a leaf, whose adjoints begin there among the parts.
    To(usize),
    /// The derivative does not pass through it.
    Nowhere,
}

struct Backward<'r, S> {
    carry: &'r mut S,
    values: [&'r [S]; 4],
    leaves: [Goes; 4],
    parts: &'r mut [S],
    come: &'r mut [S],
}

impl<S: Scalar> Along for Backward<'_, S> {
    #[inline(never)]
    fn run<const P: u8, const Q: u8, const R: u8>(self) {
        let Backward { carry, values, leaves, parts, come } = self;
        let [a, b, c, d] = values;
        let (a, b, c, d) = (&a[..come.len()], &b[..come.len()], &c[..come.len()], &d[..come.len()]);
        // Where nothing but the cone after uses a result, the next adjoint waits for one product, and for no sum with zero. Asked
        // from the end, which is the direction in which this pass goes through memory.
        let alone = come.split_last().is_some_and(|(_, others)| others.iter().rev().all(S::is_zero));
        let mut next = *carry;
        for k in (0..come.len()).rev() {
            let (a, b, c, d) = (a[k], b[k], c[k], d[k]);
            // The partial derivatives of the cone do not wait for the cone after.
            let [left, right] = back::<S, R>(by::<S, P>(a, b), by::<S, Q>(c, d), S::one());
            let ([a, b], [c, d]) = (back::<S, P>(a, b, left), back::<S, Q>(c, d, right));
            let partials = [Some(a), (P != FIRST).then_some(b), Some(c), (Q != FIRST).then_some(d)];
            let adjoint = if alone && k + 1 < come.len() { next } else { taken(&mut come[k]) + next };
            let mut along = S::zero();
            for (leaf, partial) in leaves.iter().zip(partials) {
                match (leaf, partial) {
                    (_, None) | (Goes::Nowhere, _) => {}
                    (Goes::On, Some(partial)) => along = along + partial,
                    (Goes::To(at), Some(partial)) => {
                        let part = &mut parts[at + k];
                        *part = *part + partial * adjoint;
                    }
                }
            }
            next = along * adjoint;
        }
        *carry = next;
    }
}
