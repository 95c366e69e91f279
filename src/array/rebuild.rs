//! The same operation with other operands: the one place that walks every part of every operation.
//!
//! Law: rebuilding with parts that stand for themselves is the identity. Operands come before the functions and bodies
//! of an operation, so that what is bound inside is new after what is used outside.

use super::program::{Atom, Body, Custom, Hist, Lambda, Loop, Map, Op, Operands, Range, Reduce, Scatter};

/// What the parts of an operation become.
pub(crate) trait Rebuild {
    /// What an operand becomes.
    fn atom(&self, atom: Atom) -> Atom;

    /// What a body becomes.
    fn body(&mut self, body: &Body) -> Body;

    /// What a function becomes.
    fn lambda(&mut self, lambda: &Lambda) -> Lambda;

    /// What a loop becomes.
    fn of_loop(&mut self, it: &Loop) -> Op;

    /// What a map becomes.
    fn of_map(&mut self, map: &Map) -> Op {
        Op::Map(Box::new(Map {
            arrays: self.atoms(&map.arrays),
            accumulators: self.atoms(&map.accumulators),
            function: self.lambda(&map.function),
        }))
    }

    /// What operands become.
    fn atoms(&self, atoms: &[Atom]) -> Vec<Atom> {
        atoms.iter().map(|a| self.atom(*a)).collect()
    }

    /// What a reduction or a scan becomes.
    fn reduce(&mut self, it: &Reduce) -> Box<Reduce> {
        Box::new(Reduce {
            neutral: self.atoms(&it.neutral),
            arrays: self.atoms(&it.arrays),
            operator: self.lambda(&it.operator),
            commutative: it.commutative,
        })
    }

    /// What an operation becomes.
    fn op(&mut self, op: &Op) -> Op {
        match op {
            Op::Scalar(scalar, atoms) => {
                let mut operands = Operands::from_slice(atoms);
                operands.iter_mut().for_each(|a| *a = self.atom(*a));
                Op::Scalar(*scalar, operands)
            }
            Op::Copy(a) => Op::Copy(self.atom(*a)),
            Op::Iota(n) => Op::Iota(self.atom(*n)),
            Op::Replicate(n, a) => Op::Replicate(self.atom(*n), self.atom(*a)),
            Op::Elements(atoms) => Op::Elements(self.atoms(atoms)),
            Op::Size(a, dimension) => Op::Size(self.atom(*a), *dimension),
            Op::Index(a, indices) => Op::Index(self.atom(*a), self.atoms(indices)),
            Op::Slice(a, ranges) => {
                let range =
                    |r: &Range| Range { start: self.atom(r.start), count: self.atom(r.count), step: self.atom(r.step) };
                Op::Slice(self.atom(*a), ranges.iter().map(range).collect())
            }
            Op::Update(a, indices, new) => Op::Update(self.atom(*a), self.atoms(indices), self.atom(*new)),
            Op::Permute(a, order) => Op::Permute(self.atom(*a), order.clone()),
            Op::Reshape(a, sizes) => Op::Reshape(self.atom(*a), self.atoms(sizes)),
            Op::Concat(atoms) => Op::Concat(self.atoms(atoms)),
            Op::Reverse(a) => Op::Reverse(self.atom(*a)),
            Op::If(condition, yes, no) => {
                Op::If(self.atom(*condition), Box::new(self.body(yes)), Box::new(self.body(no)))
            }
            Op::Loop(it) => self.of_loop(it),
            Op::Map(map) => self.of_map(map),
            Op::Reduce(it) => Op::Reduce(self.reduce(it)),
            Op::Scan(it) => Op::Scan(self.reduce(it)),
            Op::Hist(it) => Op::Hist(Box::new(Hist {
                neutral: self.atoms(&it.neutral),
                destinations: self.atoms(&it.destinations),
                indices: self.atom(it.indices),
                values: self.atoms(&it.values),
                operator: self.lambda(&it.operator),
            })),
            Op::Scatter(it) => Op::Scatter(Box::new(Scatter {
                destination: self.atom(it.destination),
                indices: self.atom(it.indices),
                values: self.atom(it.values),
            })),
            Op::ToAccumulator(a) => Op::ToAccumulator(self.atom(*a)),
            Op::Accumulate(a, indices, new) => Op::Accumulate(self.atom(*a), self.atoms(indices), self.atom(*new)),
            Op::FromAccumulator(a) => Op::FromAccumulator(self.atom(*a)),
            Op::Custom(it) => Op::Custom(Box::new(Custom {
                arguments: self.atoms(&it.arguments),
                function: self.lambda(&it.function),
                pullback: self.lambda(&it.pullback),
            })),
            Op::Agree(it) => {
                let mut it = it.clone();
                it.extents_mut().for_each(|extent| *extent.atom_mut() = self.atom(extent.atom()));
                Op::Agree(it)
            }
        }
    }
}
