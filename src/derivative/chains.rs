//! Chains of short cones: the value that goes from one to the next stays in a register of the processor.
//!
//! Law: as for longer cones; what a chain of cones `(a ∘ b) ∘ (c ∘ d)` waits for is one cone's latency, and no memory's.

use super::cones::Block;
use super::replay::taken;
use crate::primitives::{Rule, Scalar, rows};
use crate::term::{Arithmetic, Cone, Step};

/// An operation with the registers of its operands.
type Inner = (u8, [u8; 2]);

const PLUS: u8 = 0;
const TIMES: u8 = 1;
const MINUS: u8 = 2;
/// No operation: the first operand.
const FIRST: u8 = 3;

fn code(operation: Arithmetic) -> Option<u8> {
    match operation {
        Arithmetic::Plus => Some(PLUS),
        Arithmetic::Times => Some(TIMES),
        Arithmetic::Minus => Some(MINUS),
        Arithmetic::Over | Arithmetic::Negative => None,
    }
}

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

/// A block of a chain of cones `(a ∘ b) ∘ (c ∘ d)`, of which one operation in brackets may be missing.
pub(super) struct Chain<'c> {
    cone: &'c Cone,
    /// The registers of `a b c d`; none for what is the result of the cone before.
    leaves: [Option<usize>; 4],
    operations: [u8; 3],
}

impl<'c> Chain<'c> {
    /// The chain of the cones by one of their leaves, if they are short ones.
    pub(super) fn new(cone: &'c Cone, by: usize) -> Option<Self> {
        let leaves = cone.leaves as u8;
        let leaf = |step: &Step| step.of.iter().all(|at| *at < leaves);
        let inner = |step: &Step| -> Option<Inner> { Some((code(step.operation)?, step.of)) };
        let alone = |at: u8| (at < leaves).then_some((FIRST, [at; 2]));
        let (first, second, last) = match &cone.steps[..] {
            [a, b] if leaf(a) && b.of[0] == leaves => (inner(a)?, alone(b.of[1])?, b),
            [a, b] if leaf(a) && b.of[1] == leaves => (alone(b.of[0])?, inner(a)?, b),
            [a, b, c] if leaf(a) && leaf(b) && c.of == [leaves, leaves + 1] => (inner(a)?, inner(b)?, c),
            _ => return None,
        };
        let ((p, [a, b]), (q, [c, d])) = (first, second);
        let leaves = [a, b, c, d].map(usize::from).map(|at| (at != by).then_some(at));
        Some(Chain { cone, leaves, operations: [p, q, code(last.operation)?] })
    }

    /// The results for leaves in registers, from the result before.
    pub(super) fn forward<S: Scalar>(&self, last: &mut S, scratch: &mut [S], block: Block) {
        let (operands, results) = scratch.split_at_mut((self.cone.registers() - 1) * block.room);
        let sources = self.leaves.map(|leaf| leaf.map(|at| block.register(operands, at)));
        self.choose(Forward { last, sources, results: &mut results[..block.count] });
    }

    /// The adjoints of the leaves into registers, from those of the results and what comes from the cone after.
    pub(super) fn backward<S: Scalar>(
        &self,
        by: usize,
        carry: &mut S,
        scratch: &[S],
        parts: &mut [S],
        come: &mut [S],
        block: Block,
    ) {
        for leaf in (0..self.cone.leaves).filter(|leaf| *leaf != by && self.cone.active[*leaf]) {
            block.register_mut(parts, leaf).fill(S::zero());
        }
        let values = self.leaves.map(|leaf| block.register(scratch, leaf.unwrap_or(by)));
        let leaves = self.leaves.map(|leaf| match leaf {
            None => Goes::On,
            Some(leaf) if self.cone.active[leaf] => Goes::To(leaf * block.room),
            Some(_) => Goes::Nowhere,
        });
        self.choose(Backward { carry, values, leaves, parts, come });
    }

    /// Does what is to be done by the code of these operations.
    fn choose<L: Link>(&self, link: L) {
        fn second<L: Link, const P: u8>([_, q, r]: [u8; 3], link: L) {
            match q {
                PLUS => third::<L, P, PLUS>(r, link),
                TIMES => third::<L, P, TIMES>(r, link),
                MINUS => third::<L, P, MINUS>(r, link),
                _ => third::<L, P, FIRST>(r, link),
            }
        }
        fn third<L: Link, const P: u8, const Q: u8>(r: u8, link: L) {
            match r {
                PLUS => link.run::<P, Q, PLUS>(),
                TIMES => link.run::<P, Q, TIMES>(),
                _ => link.run::<P, Q, MINUS>(),
            }
        }
        match self.operations[0] {
            PLUS => second::<L, PLUS>(self.operations, link),
            TIMES => second::<L, TIMES>(self.operations, link),
            MINUS => second::<L, MINUS>(self.operations, link),
            _ => second::<L, FIRST>(self.operations, link),
        }
    }
}

/// What is done along a chain, compiled for each choice of operations.
trait Link {
    fn run<const P: u8, const Q: u8, const R: u8>(self);
}

struct Forward<'r, S> {
    last: &'r mut S,
    sources: [Option<&'r [S]>; 4],
    results: &'r mut [S],
}

impl<S: Scalar> Link for Forward<'_, S> {
    #[inline(never)]
    fn run<const P: u8, const Q: u8, const R: u8>(self) {
        let count = self.results.len();
        let [a, b, c, d] = self.sources.map(|source| source.map(|source| &source[..count]));
        let mut x = *self.last;
        for (k, result) in self.results.iter_mut().enumerate() {
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

impl<S: Scalar> Link for Backward<'_, S> {
    #[inline(never)]
    fn run<const P: u8, const Q: u8, const R: u8>(self) {
        let Backward { carry, values, leaves, parts, come } = self;
        let values = values.map(|values| &values[..come.len()]);
        // Where nothing but the cone after uses a result, the next adjoint waits for one product, and for no sum with zero.
        let alone = come.split_last().is_some_and(|(_, others)| others.iter().all(S::is_zero));
        let mut next = *carry;
        for k in (0..come.len()).rev() {
            let [a, b, c, d] = values.map(|values| values[k]);
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
