//! The rules of operations that move data: each is linear, and its rule is its transpose.
//!
//! Law: where an element is read its adjoint is added to, where it is copied adjoints are summed, where it is
//! overwritten its adjoint is 0 (tests/transform/rules.rs, laws: array_exact).

use super::adjoints::Adjoints;
use crate::array::{Atom, IntegerRow, Op, ScalarOp, Var, index};
use crate::transform::copy::Copier;
use crate::transform::target::Target;

pub(super) fn array(adjoints: &mut Adjoints<'_>, copier: &Copier<'_, '_>, var: Var, op: &Op) {
    if adjoints.moved_sparse(copier, var, op) {
        return;
    }
    let Some(adjoint) = adjoints.take(copier, var) else { return };
    let target = copier.target;
    match op {
        Op::Copy(a) | Op::ToAccumulator(a) | Op::FromAccumulator(a) => adjoints.add(copier, *a, adjoint),
        Op::Replicate(_, a) if adjoints.active.atom(*a) => adjoints.add(copier, *a, target.sum(adjoint)),
        Op::Elements(atoms) => {
            for (k, a) in atoms.iter().enumerate().filter(|(_, a)| adjoints.active.atom(**a)).collect::<Vec<_>>() {
                let at = index(i64::try_from(k).expect("a list is shorter than 2^63"));
                adjoints.add(copier, *a, target.at(adjoint, &[at]));
            }
        }
        Op::Index(a, indices) => {
            let indices = copier.atoms(indices);
            adjoints.add_at(copier, *a, &indices, adjoint, true);
        }
        Op::Slice(a, ranges) => {
            let ranges = copier.ranges(ranges);
            adjoints.add_to_slice(copier, *a, &ranges, adjoint);
        }
        Op::Update(a, indices, value) => {
            let indices = copier.atoms(indices);
            let part = adjoints.active.atom(*value).then(|| target.at(adjoint, &indices));
            if let Some(part) = part {
                adjoints.add(copier, *value, part);
            }
            if adjoints.active.atom(*a) {
                // Of the sizes of the adjoint where there is one, so that the value need not be computed for its own.
                let zero = target.zeros_like(part.unwrap_or_else(|| copier.atom(*value)));
                adjoints.add(copier, *a, target.one(Op::Update(adjoint, indices, zero)));
            }
        }
        Op::Permute(a, order) => {
            let mut inverse = vec![0; order.len()];
            order.iter().enumerate().for_each(|(k, dimension)| inverse[*dimension] = k);
            adjoints.add(copier, *a, target.one(Op::Permute(adjoint, inverse)));
        }
        Op::Reshape(a, _) => {
            let sizes = target.sizes(copier.atom(*a), 0);
            adjoints.add(copier, *a, target.one(Op::Reshape(adjoint, sizes)));
        }
        Op::Concat(atoms) => {
            let mut start = index(0);
            for a in atoms {
                let count = target.size(copier.atom(*a), 0);
                if adjoints.active.atom(*a) {
                    adjoints.add(copier, *a, target.part(adjoint, start, count));
                }
                start = target.indices(ScalarOp::Add, start, count);
            }
        }
        Op::Reverse(a) => adjoints.add(copier, *a, target.one(Op::Reverse(adjoint))),
        Op::Accumulate(acc, indices, value) => {
            adjoints.add(copier, *acc, adjoint);
            if adjoints.active.atom(*value) {
                let (indices, value_then) = (copier.atoms(indices), copier.atom(*value));
                let part = read_within(target, adjoint, &indices, || target.zeros_like(value_then));
                adjoints.add(copier, *value, part);
            }
        }
        // A length, and a number of copies, are not differentiated by.
        Op::Iota(_) | Op::Size(..) | Op::Replicate(..) => {}
        Op::Scalar(..) | Op::If(..) | Op::Loop(_) | Op::Map(_) | Op::Reduce(_) | Op::Scan(_) => {
            panic!("an operation that moves data")
        }
        Op::Hist(_) | Op::Scatter(_) | Op::Custom(_) | Op::Foreign(_) | Op::Agree(_) => {
            panic!("an operation that moves data")
        }
    }
}

/// The element of an array at an index; if there is none, what `otherwise` says.
pub(super) fn read_within(target: &Target, array: Atom, at: &[Atom], otherwise: impl FnOnce() -> Atom) -> Atom {
    if at.is_empty() {
        return array;
    }
    let mut inside: Option<Atom> = None;
    for (dimension, i) in at.iter().enumerate() {
        let here = target.within(*i, target.size(array, dimension));
        inside = Some(inside.map_or(here, |before| target.scalar(ScalarOp::Mul, &[before, here])));
    }
    let inside = inside.expect("an index has a dimension");
    target.choose(inside, || vec![target.at(array, at)], || vec![otherwise()])[0]
}

/// The rows of an array at indices; zero where an index is out of bounds.
pub(super) fn rows_at(target: &Target, array: Atom, indices: Atom) -> Atom {
    target.map1(&[indices], |at| read_within(target, array, at, || target.zero_part(array, 1)))
}

/// The index that is `i` from the end.
pub(super) fn from_end(target: &Target, size: Atom, i: Atom) -> Atom {
    let last = target.indices(ScalarOp::Integer(IntegerRow::Sub), size, index(1));
    target.indices(ScalarOp::Integer(IntegerRow::Sub), last, i)
}
