//! Adding to accumulators.
//!
//! Law: what is added where an index is out of bounds is not added; the order is that of the program within a lane, and
//! of the lanes between them.

use super::code::{Operand, Stm as Code};
use super::view::{Array, Bound, Form, View};
use super::{Lowering, Step};
use crate::array::{Agreement, Atom, Map, Op, ScalarOp, Stm};

impl<'p> Lowering<'p> {
    /// Adds to an accumulator, if the index is in bounds.
    pub(super) fn accumulate(&mut self, array: &Array<'p>, indices: &[Atom], new: Atom) -> Step<()> {
        let Form::Memory(view) = array.form.clone() else { panic!("accumulators are in memory") };
        let indices = self.scalars(indices);
        let value = self.atom(new);
        array.sizes[indices.len()..].iter().zip(value.sizes()).for_each(|(a, b)| self.same(Agreement::Added, *a, *b));
        let value = self.settled(value)?;
        let outside = self.mask;
        for (index, size) in indices.iter().zip(&array.sizes) {
            self.only_within(*index, *size);
        }
        let part = self.part(&view, &indices);
        let added = self.add_all(&value, &part);
        self.mask = outside;
        self.emit.changed(view.origin.buffer);
        added
    }

    /// From here on, nothing is done where an index is out of bounds.
    pub(super) fn only_within(&mut self, index: Operand, size: Operand) {
        if self.emit.is_within(index, size) {
            return;
        }
        let from = self.emit.scalar(ScalarOp::LessOrEqual, &[Operand::int(0), index]);
        let to = self.emit.scalar(ScalarOp::Less, &[index, size]);
        let within = self.emit.scalar(ScalarOp::Mul, &[from, to]);
        self.only_where(within);
    }

    /// From here on, nothing is done where a condition is false.
    pub(super) fn only_where(&mut self, condition: Operand) {
        self.mask = Some(match self.mask {
            Some(mask) => self.emit.scalar(ScalarOp::Mul, &[mask, condition]),
            None => condition,
        });
    }

    /// Adds a value, element by element.
    pub(super) fn add_all(&mut self, value: &Bound<'p>, to: &View) -> Step<()> {
        match value {
            Bound::Scalar(value) => {
                let buffer = to.origin.buffer;
                if self.lane.is_some() && !self.emit.buffers[buffer.0 as usize].private && !self.adds.contains(&buffer)
                {
                    self.adds.push(buffer);
                }
                self.emit.push(Code::Add { place: to.origin, value: *value, mask: self.mask });
                Ok(())
            }
            Bound::Array(array) => self.in_order(array.sizes[0], &mut |this, index| {
                let row = this.element(array, index)?;
                let origin = this.advance(to.origin, index, to.strides[0]);
                this.add_all(&row, &View { origin, strides: to.strides[1..].to_vec() })
            }),
        }
    }

    /// A map whose results the statements after it add to accumulators: no result is an array.
    pub(super) fn add_each(&mut self, stm: &'p Stm, map: &'p Map, additions: &'p [Stm]) -> Step<()> {
        let arrays = self.arrays(&map.arrays);
        let length = arrays[0].sizes[0];
        arrays[1..].iter().for_each(|a| self.same(Agreement::Mapped, length, a.sizes[0]));
        let mut sums = Vec::new();
        for addition in additions {
            let Op::Accumulate(a, _, Atom::Var(value)) = &addition.op else { panic!("these statements add") };
            let sum = self.array(*a);
            self.same(Agreement::Added, sum.sizes[0], length);
            self.bind(addition.vars[0], Bound::Array(sum.clone()));
            let Form::Memory(view) = sum.form else { panic!("accumulators are in memory") };
            let result = stm.vars.iter().position(|var| var == value).expect("a result of the map is added");
            sums.push((view, sum.sizes, result));
        }
        self.in_order(length, &mut |this, index| {
            let rows = this.call(map, index)?;
            for (view, sizes, result) in &sums {
                let row = &rows[*result];
                sizes[1..].iter().zip(row.sizes()).for_each(|(a, b)| this.same(Agreement::Added, *a, *b));
                let part = this.part(view, &[index]);
                this.add_all(row, &part)?;
            }
            Ok(())
        })?;
        sums.iter().for_each(|(view, ..)| self.emit.changed(view.origin.buffer));
        Ok(())
    }
}
