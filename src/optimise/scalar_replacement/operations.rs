//! Scalar replacement of operations without bodies: the elements of their results.
//!
//! Law: an element is what indexing the array there gives. What is out of bounds is left to the array as a whole
//! (tests/execute/small.rs).

use super::{Dims, ELEMENTS, Shape, Writer, number};
use crate::array::{Atom, Const, Op, Range, ScalarOp, index};

impl Writer<'_> {
    /// The sizes of an array that is replaced by scalars; of a scalar there are none.
    pub(super) fn shape(&self, atom: Atom) -> Option<Shape> {
        let of = self.builder.type_of(atom);
        if of.accumulator {
            return None;
        }
        let mut shape = Shape::new();
        let mut at = atom;
        for _ in 0..of.rank {
            let parts = self.elements(at)?;
            shape.push(parts.len());
            at = parts[0];
        }
        Some(shape)
    }

    /// The sizes of a value, as far as they are known.
    pub(super) fn dims(&self, atom: Atom) -> Dims {
        let known = atom.var().and_then(|var| self.sizes.get(&var).cloned());
        let of_elements = || self.shape(atom).map(|shape| shape.into_iter().map(Some).collect());
        known.or_else(of_elements).unwrap_or_else(|| vec![None; self.builder.type_of(atom).rank])
    }

    /// The sizes of what an index leaves of an array, if they are small.
    fn row(&self, array: Atom, indices: &[Atom]) -> Option<Shape> {
        let shape: Shape = self.dims(array).split_off(indices.len()).into_iter().collect::<Option<_>>()?;
        let size = shape.iter().fold(1_usize, |n, size| n.saturating_mul(*size));
        (!shape.is_empty() && (1..=ELEMENTS).contains(&size)).then_some(shape)
    }

    /// The indices of all elements of a row.
    fn places(indices: &[Atom], shape: &[usize]) -> Vec<Vec<Atom>> {
        shape.iter().fold(vec![indices.to_vec()], |all, size| {
            let longer =
                |at: &Vec<Atom>| (0..*size as i64).map(|k| [&at[..], &[index(k)]].concat()).collect::<Vec<_>>();
            all.iter().flat_map(longer).collect()
        })
    }

    /// An operation on a small row of an array that is not replaced, element by element.
    fn by_element(&mut self, op: &Op) -> Option<Atom> {
        match op {
            Op::Index(a, indices) => {
                let shape = self.row(*a, indices)?;
                let places = Self::places(indices, &shape);
                let leaves: Vec<Atom> = places.into_iter().map(|at| self.builder.one(Op::Index(*a, at))).collect();
                Some(self.of_leaves(&shape, &leaves))
            }
            Op::Update(a, indices, value) | Op::Accumulate(a, indices, value) => {
                let shape = self.row(*a, indices).filter(|row| self.shape(*value).as_ref() == Some(row))?;
                let mut leaves = Vec::new();
                self.leaves(*value, &mut leaves);
                let mut array = *a;
                for (at, leaf) in Self::places(indices, &shape).into_iter().zip(leaves) {
                    array = self.builder.one(match op {
                        Op::Update(..) => Op::Update(array, at, leaf),
                        _ => Op::Accumulate(array, at, leaf),
                    });
                }
                Some(array)
            }
            _ => None,
        }
    }

    /// The scalars that a value consists of.
    pub(super) fn leaves(&self, atom: Atom, into: &mut Vec<Atom>) {
        match self.elements(atom) {
            Some(parts) => parts.iter().for_each(|part| self.leaves(*part, into)),
            None => into.push(atom),
        }
    }

    /// The value of these sizes that consists of these scalars.
    pub(super) fn of_leaves(&mut self, shape: &[usize], leaves: &[Atom]) -> Atom {
        let Some((count, rest)) = shape.split_first() else { return leaves[0] };
        let parts = leaves.chunks(leaves.len() / count).map(|part| self.of_leaves(rest, part)).collect();
        self.written(Op::Elements(parts))
    }

    /// Writes an operation without bodies; its value may be known without.
    pub(super) fn written(&mut self, op: Op) -> Atom {
        if let Some(known) = self.known(&op) {
            return known;
        }
        let parts = self.parts_of(&op).filter(|parts| (1..=ELEMENTS).contains(&self.size_of(parts)));
        if parts.is_none()
            && let Some(value) = self.by_element(&op)
        {
            self.found = true;
            return value;
        }
        let value = self.builder.one(op);
        self.parts.extend(value.var().zip(parts));
        value
    }

    /// The count of scalars of these elements; of an array that is not replaced, more than the most that is replaced.
    fn size_of(&self, parts: &[Atom]) -> usize {
        let size = |part: &Atom| self.shape(*part).map_or(ELEMENTS + 1, |shape| shape.iter().product());
        parts.iter().map(size).sum()
    }

    /// An element or a size that is there already.
    fn known(&mut self, op: &Op) -> Option<Atom> {
        match op {
            Op::Copy(a) => Some(*a),
            Op::Size(a, dimension) => {
                let size = self.dims(*a)[*dimension]?;
                Some(index(i64::try_from(size).expect("it was one before")))
            }
            Op::Index(a, indices) => {
                let (first, rest) = indices.split_first()?;
                let element = *self.elements(*a)?.get(number(*first)?)?;
                Some(if rest.is_empty() { element } else { self.written(Op::Index(element, rest.to_vec())) })
            }
            _ => None,
        }
    }

    /// The elements of what an operation without bodies makes, if they are known.
    fn parts_of(&mut self, op: &Op) -> Option<Vec<Atom>> {
        let few = |n: Atom| number(n).filter(|n| *n <= ELEMENTS);
        match op {
            Op::Elements(atoms) => Some(atoms.clone()),
            Op::Iota(n) => few(*n).map(|n| (0..n as i64).map(index).collect()),
            Op::Replicate(n, a) => few(*n).map(|n| vec![*a; n]),
            Op::Reverse(a) => self.elements(*a).map(|parts| parts.iter().rev().copied().collect()),
            Op::Concat(arrays) => {
                arrays.iter().map(|a| self.elements(*a).cloned()).collect::<Option<Vec<_>>>().map(|all| all.concat())
            }
            Op::ToAccumulator(a) | Op::FromAccumulator(a) => self.elements(*a).cloned(),
            Op::Slice(a, ranges) => {
                let Range { start, count, step } = *ranges.first()?;
                let (start, count, Atom::Const(Const::I64(step))) = (number(start)?, number(count)?, step) else {
                    return None;
                };
                let at = |k: usize| usize::try_from(start as i64 + k as i64 * step).ok();
                let parts = self.elements(*a)?;
                let picked: Vec<Atom> =
                    (0..count).map(|k| at(k).and_then(|at| parts.get(at).copied())).collect::<Option<_>>()?;
                if ranges.len() == 1 {
                    return Some(picked);
                }
                Some(picked.into_iter().map(|row| self.written(Op::Slice(row, ranges[1..].to_vec()))).collect())
            }
            Op::Update(a, indices, value) => {
                let mut parts = self.elements(*a)?.clone();
                let part = parts.get_mut(number(*indices.first()?)?)?;
                *part = match &indices[1..] {
                    [] => *value,
                    rest => self.written(Op::Update(*part, rest.to_vec(), *value)),
                };
                Some(parts)
            }
            Op::Accumulate(a, indices, value) => {
                let parts = self.elements(*a)?.clone();
                self.added(parts, indices, *value)
            }
            Op::Permute(a, order) if order[..] == [1, 0] => {
                let rows: Vec<Vec<Atom>> =
                    self.elements(*a)?.iter().map(|row| self.elements(*row).cloned()).collect::<Option<_>>()?;
                let column = |k: usize| Op::Elements(rows.iter().map(|row| row[k]).collect());
                Some((0..rows[0].len()).map(column).map(|column| self.written(column)).collect())
            }
            Op::Reshape(a, sizes) => {
                let shape: Shape = sizes.iter().map(|n| number(*n)).collect::<Option<_>>()?;
                let mut leaves = Vec::new();
                self.shape(*a)?;
                self.leaves(*a, &mut leaves);
                if shape.iter().try_fold(1_usize, |n, size| n.checked_mul(*size)) != Some(leaves.len()) {
                    return None;
                }
                let each = leaves.len() / shape[0];
                Some(leaves.chunks(each).map(|part| self.of_leaves(&shape[1..], part)).collect())
            }
            _ => None,
        }
    }

    /// These elements, with a value added to what is at an index.
    fn added(&mut self, mut parts: Vec<Atom>, indices: &[Atom], value: Atom) -> Option<Vec<Atom>> {
        let Some((first, rest)) = indices.split_first() else {
            let values = self.elements(value)?.clone();
            for (part, value) in parts.iter_mut().zip(values) {
                *part = self.plus(*part, &[], value)?;
            }
            return Some(parts);
        };
        let Atom::Const(Const::I64(at)) = *first else { return None };
        // What is out of bounds adds nothing.
        if let Some(part) = usize::try_from(at).ok().and_then(|at| parts.get_mut(at)) {
            *part = self.plus(*part, rest, value)?;
        }
        Some(parts)
    }

    fn plus(&mut self, element: Atom, indices: &[Atom], value: Atom) -> Option<Atom> {
        if self.builder.type_of(element).rank == 0 {
            return Some(self.scalar(ScalarOp::Add, [element, value].into_iter().collect()));
        }
        let parts = self.elements(element)?.clone();
        let parts = self.added(parts, indices, value)?;
        Some(self.written(Op::Elements(parts)))
    }
}
