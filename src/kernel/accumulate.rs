//! Adding to accumulators.
//!
//! Law: what is added where an index is out of bounds is not added; the order is that of the program within a lane, and
//! of the lanes between them (tests/execute/parts.rs, tests/transform/work.rs).

use super::code::Stm as Code;
use super::view::{Array, Bound, View};
use super::{Lowering, Step};
use crate::array::{Agreement, Atom, Map, Op, ScalarOp, Stm};

impl<'p> Lowering<'p> {
    /// Adds to an accumulator, if the index is in bounds.
    pub(super) fn accumulate(&mut self, array: &Array<'p>, indices: &[Atom], new: Atom) -> Step<()> {
        let view = array.view();
        let indices = self.env.scalars(indices);
        let value = self.env.atom(new);
        self.emit.all_same(Agreement::Added, &array.sizes[indices.len()..], value.sizes());
        let value = self.settled(value)?;
        let outside = self.emit.at.mask;
        for (index, size) in indices.iter().zip(&array.sizes) {
            self.emit.only_within(*index, *size);
        }
        let part = view.part(&mut self.emit, &indices);
        let added = self.update_all(ScalarOp::Add, &value, &part);
        self.emit.at.mask = outside;
        self.emit.changed(view.origin.buffer);
        added
    }

    /// Combines what is there with a value by an operation that commutes, element by element.
    pub(super) fn update_all(&mut self, op: ScalarOp, value: &Bound<'p>, to: &View) -> Step<()> {
        match value {
            Bound::Scalar(value) => {
                self.emit.updates(to.origin.buffer);
                self.emit.push(Code::Update { op, place: to.origin, value: *value, mask: self.emit.at.mask });
                Ok(())
            }
            Bound::Array(array) => self.in_order(array.sizes[0], &mut |this, index| {
                let row = this.element(array, index)?;
                let part = to.part(&mut this.emit, &[index]);
                this.update_all(op, &row, &part)
            }),
        }
    }

    /// A map whose results the statements after it add to accumulators: no result is an array.
    pub(super) fn add_each(&mut self, stm: &'p Stm, map: &'p Map, additions: &'p [Stm]) -> Step<()> {
        let arrays = self.env.arrays(&map.arrays);
        let length = self.emit.common_length(Agreement::Mapped, &arrays);
        let mut sums = Vec::new();
        for addition in additions {
            let Op::Accumulate(a, _, Atom::Var(value)) = &addition.op else { panic!("these statements add") };
            let sum = self.env.array(*a);
            self.emit.same(Agreement::Added, sum.sizes[0], length);
            self.env.bind(addition.vars[0], Bound::Array(sum.clone()));
            let result = stm.vars.iter().position(|var| var == value).expect("a result of the map is added");
            sums.push((sum, result));
        }
        self.in_order(length, &mut |this, index| {
            let rows = this.call(map, index)?;
            for (sum, result) in &sums {
                let row = &rows[*result];
                this.emit.all_same(Agreement::Added, &sum.sizes[1..], row.sizes());
                let part = sum.view().part(&mut this.emit, &[index]);
                this.update_all(ScalarOp::Add, row, &part)?;
            }
            Ok(())
        })?;
        sums.iter().for_each(|(sum, _)| self.emit.changed(sum.view().origin.buffer));
        Ok(())
    }
}
