//! Elements of arrays that are split: one that is read, those that are written, and arrays in other sizes.
//!
//! Law: an index that is in no part is a mistake on every rank, as it is in one process (tests/mpi/suite.rs).

use super::combine::zeros_like;
use super::placement::{Axis, Placement};
use super::planner::Planner;
use super::rules::{CROSSES, Placed, Why};
use crate::array::{Atom, Builder, Extent, IntegerRow, Op, Prim, ScalarOp, Scatter, Stm, Vars, index};

impl Planner {
    /// An element that one rank has: the others have zeros, and the sum is the element.
    pub(super) fn element(&mut self, vars: &Vars, array: Atom, indices: &[Atom], split: usize, axis: Axis) -> Placed {
        let (is_mine, local) = self.local(indices[split], axis);
        let mut indices = indices.to_vec();
        indices[split] = local;
        let element = self.builder.one(Op::Index(array, indices));
        let yes = self.builder.body(|_| vec![element]);
        let no = self.builder.body(|builder| vec![zeros_like(builder, element)]);
        self.write_as(vars, Op::If(is_mine, Box::new(yes), Box::new(no)));
        Ok(vec![Placement::Partial(ScalarOp::Add)])
    }

    /// Whether an index into a split dimension is in the part of this rank, and the index there, or another one there. One that is in no
    /// part is a mistake.
    pub(super) fn local(&mut self, at: Atom, axis: Axis) -> (Atom, Atom) {
        let [total, offset, count] = self.splits[axis.0].numbers();
        let builder = &mut self.builder;
        let minus = |builder: &mut Builder, a: Atom, b: Atom| {
            let b = builder.scalar(ScalarOp::Integer(IntegerRow::Neg), &[b]);
            builder.scalar(ScalarOp::Add, &[a, b])
        };
        let within = |builder: &mut Builder, n: Atom, below: Atom| {
            let [from, to] = [(ScalarOp::LessOrEqual, [index(0), n]), (ScalarOp::Less, [n, below])]
                .map(|(op, of)| builder.scalar(op, &of));
            builder.scalar(ScalarOp::Mul, &[from, to])
        };
        let is_there = within(builder, at, total);
        let is_there = builder.scalar(ScalarOp::Convert(Prim::I64), &[is_there]);
        self.must_be(Extent::Number(is_there), index(1));
        let builder = &mut self.builder;
        let relative = minus(builder, at, offset);
        let is_mine = within(builder, relative, count);
        let last = minus(builder, count, index(1));
        let low = builder.scalar(ScalarOp::Integer(IntegerRow::Max), &[relative, index(0)]);
        (is_mine, builder.scalar(ScalarOp::Integer(IntegerRow::Min), &[low, last]))
    }

    pub(super) fn update(&mut self, vars: &Vars, array: Atom, indices: &[Atom], value: Atom) -> Placed {
        self.whole(indices.iter().copied())?;
        let leading = indices.len();
        let (mut array, mut value) = (array, value);
        let placement = match (self.placement(array), self.placement(value)) {
            (Placement::Split(split, axis), Placement::Whole) if split < leading => {
                let (is_mine, local) = self.local(indices[split], axis);
                let mut indices = indices.to_vec();
                indices[split] = local;
                let before = self.builder.one(Op::Index(array, indices.clone()));
                let [yes, no] = [value, before].map(|a| Box::new(self.builder.body(|_| vec![a])));
                let value = self.builder.one(Op::If(is_mine, yes, no));
                self.write_as(vars, Op::Update(array, indices, value));
                return Ok(vec![Placement::Split(split, axis)]);
            }
            (Placement::Split(split, _), Placement::Split(..)) if split < leading => {
                return Err(Why::Gather(value.var(), CROSSES));
            }
            (Placement::Split(split, axis), Placement::Whole) => {
                value = self.part(value, split - leading, axis);
                Placement::Split(split, axis)
            }
            (Placement::Whole, Placement::Split(split, axis)) => {
                array = self.part(array, split + leading, axis);
                Placement::Split(split + leading, axis)
            }
            (of @ Placement::Split(..), Placement::Split(split, axis)) => {
                match of {
                    Placement::Split(d, of) if d == split + leading => self.agree(of, axis),
                    _ => return Err(Why::Gather(value.var(), CROSSES)),
                }
                of
            }
            (array, value) if array == value => array,
            _ => return Err(Why::Late),
        };
        self.write_as(vars, Op::Update(array, indices.to_vec(), value));
        Ok(vec![placement])
    }

    /// The sizes up to the split dimension stay as they are, or elements would go to other ranks.
    pub(super) fn reshape(&mut self, stm: &Stm, array: Atom, sizes: &[Atom]) -> Placed {
        self.whole(sizes.iter().copied())?;
        let Placement::Split(split, axis) = self.placement(array) else {
            self.write_as(&stm.vars, stm.op.clone());
            return Ok(vec![self.placement(array)]);
        };
        let known = array.var().is_some_and(|var| self.sizes.knows(var));
        let of = if known { self.sizes.of(array) } else { &[] };
        let stays = |d: usize| {
            let size = self.sizes.number(sizes[d]);
            of.get(d) == Some(&size) || d == split && self.axis(size) == Some(axis)
        };
        if sizes.len() <= split || !(0..=split).all(stays) {
            return Err(Why::Gather(array.var(), CROSSES));
        }
        let mut sizes = sizes.to_vec();
        sizes[split] = self.splits[axis.0].count.into();
        self.write_as(&stm.vars, Op::Reshape(array, sizes));
        Ok(vec![Placement::Split(split, axis)])
    }

    pub(super) fn scatter(&mut self, vars: &Vars, it: &Scatter) -> Placed {
        self.whole([it.indices, it.values])?;
        match self.placement(it.destination) {
            // What goes to another rank has an index that is out of bounds here.
            Placement::Split(0, axis) => {
                let offset = self.splits[axis.0].offset.into();
                let builder = &mut self.builder;
                let indices = super::combine::mapped(builder, &[(it.indices, 0)], &mut |builder, at| {
                    let back = builder.scalar(ScalarOp::Integer(IntegerRow::Neg), &[offset]);
                    vec![builder.scalar(ScalarOp::Add, &[at[0], back])]
                });
                let scatter = Scatter { destination: it.destination, indices: indices[0], values: it.values };
                self.write_as(vars, Op::Scatter(Box::new(scatter)));
                Ok(vec![Placement::Split(0, axis)])
            }
            Placement::Partial(_) => Err(Why::Late),
            _ => Err(Why::Gather(it.destination.var(), CROSSES)),
        }
    }
}
