//! Arrays come into memory, and elements out of arrays.
//!
//! Law: elements are computed where they are wanted, or once; what is in memory is not stored again
//! (tests/execute/lanes.rs, tests/execute/parts.rs).

use super::code::{Buffer, Operand, Stm};
use super::emit::Emit;
use super::view::{Array, Bound, Form, View};
use super::{Lowering, Step, Unsupported};
use crate::array::Prim;

impl<'p> Emit<'p> {
    /// Gives a buffer room for an array of these sizes.
    pub(super) fn allocate(&mut self, buffer: Buffer, sizes: &[Operand]) -> Step<View> {
        if sizes.iter().any(|size| self.is_varying(*size)) {
            return Err(Unsupported("an array whose size differs between lanes"));
        }
        self.bounded(sizes);
        let count = self.count(sizes);
        self.push(Stm::Alloc(buffer, count));
        self.changed(buffer);
        Ok(View::whole(self, buffer, sizes))
    }

    /// Room for an array of this kind and these sizes, in a new buffer.
    pub(super) fn room_for(&mut self, prim: Prim, sizes: &[Operand]) -> Step<View> {
        let buffer = self.new_buffer(prim);
        self.allocate(buffer, sizes)
    }

    /// What is made of parts as these, each with the place it goes to.
    pub(super) fn parts(&mut self, value: Bound<'p>, view: View, all: &mut Vec<(Bound<'p>, View)>) {
        let Bound::Array(Array { form: Form::Parts(parts), sizes, .. }) = &value else {
            return all.push((value, view));
        };
        let mut start = Operand::int(0);
        for part in parts {
            let origin = view.origin.advance(self, start, view.strides[0]);
            let is_row = part.sizes().len() < sizes.len();
            let length = if is_row { Operand::int(1) } else { part.sizes()[0] };
            start = self.add(start, length);
            let strides = view.strides[usize::from(is_row)..].to_vec();
            self.parts(part.clone(), View { origin, strides }, all);
        }
    }
}

impl<'p> Lowering<'p> {
    /// The element or subarray at an index of the outermost dimension, which is in bounds.
    pub(super) fn element(&mut self, array: &Array<'p>, index: Operand) -> Step<Bound<'p>> {
        match &array.form {
            Form::Memory(view) if array.sizes.len() == 1 => Ok(view.load(&mut self.emit, index)),
            Form::Memory(view) => {
                let form = Form::Memory(view.part(&mut self.emit, &[index]));
                Ok(Bound::Array(Array { prim: array.prim, sizes: array.sizes[1..].to_vec(), form }))
            }
            Form::Iota(first, step) => {
                let far = self.emit.mul(index, *step);
                Ok(Bound::Scalar(self.emit.add(*first, far)))
            }
            Form::Replicate(value) => Ok((**value).clone()),
            Form::Parts(_) => {
                let view = self.in_memory(array)?;
                self.element(&array.stored(view), index)
            }
            Form::Pending(map, result) => self.result(map, *result, index),
        }
    }

    /// The elements of arrays at an index.
    pub(super) fn elements_at(&mut self, arrays: &[Array<'p>], index: Operand) -> Step<Vec<Bound<'p>>> {
        arrays.iter().map(|array| self.element(array, index)).collect()
    }

    /// The array in memory, all of a buffer; it is put there if it is not.
    pub(super) fn whole(&mut self, array: &Array<'p>) -> Step<(Buffer, View)> {
        if let Form::Memory(view) = &array.form
            && self.emit.buffers[view.origin.buffer].private == self.emit.lanes.is_some()
            && view.is_whole(&mut self.emit, &array.sizes)
        {
            return Ok((view.origin.buffer, view.clone()));
        }
        self.copied(array)
    }

    /// A new buffer with the elements of the array.
    pub(super) fn copied(&mut self, array: &Array<'p>) -> Step<(Buffer, View)> {
        let view = self.emit.room_for(array.prim, &array.sizes)?;
        self.store_all(vec![(Bound::Array(array.clone()), view.clone())])?;
        self.emit.changed(view.origin.buffer);
        Ok((view.origin.buffer, view))
    }

    /// The array in a new buffer.
    pub(super) fn copy(&mut self, array: &Array<'p>) -> Step<Bound<'p>> {
        let (_, view) = self.copied(array)?;
        Ok(Bound::Array(array.stored(view)))
    }

    /// The array in memory.
    pub(super) fn in_memory(&mut self, array: &Array<'p>) -> Step<View> {
        match &array.form {
            Form::Memory(view) => Ok(view.clone()),
            Form::Iota(..) | Form::Replicate(_) | Form::Parts(_) | Form::Pending(..) => Ok(self.copied(array)?.1),
        }
    }

    /// A value that costs nothing to use again.
    pub(super) fn settled(&mut self, bound: Bound<'p>) -> Step<Bound<'p>> {
        Ok(self.settled_all(vec![bound])?.remove(0))
    }

    /// Values that cost nothing to use again. Those that one map computes it computes at once.
    pub(super) fn settled_all(&mut self, all: Vec<Bound<'p>>) -> Step<Vec<Bound<'p>>> {
        let (mut settled, mut stores) = (Vec::new(), Vec::new());
        for bound in all {
            settled.push(match bound {
                Bound::Array(array) if matches!(array.form, Form::Pending(..) | Form::Parts(_)) => {
                    let view = self.emit.room_for(array.prim, &array.sizes)?;
                    let found = Bound::Array(array.stored(view.clone()));
                    stores.push((Bound::Array(array), view));
                    found
                }
                other => other,
            });
        }
        let buffers: Vec<Buffer> = stores.iter().map(|(_, view)| view.origin.buffer).collect();
        self.store_all(stores)?;
        buffers.into_iter().for_each(|buffer| self.emit.changed(buffer));
        Ok(settled)
    }

    /// Stores values where they belong; what has one length goes in one loop.
    pub(super) fn store_all(&mut self, whole: Vec<(Bound<'p>, View)>) -> Step<()> {
        let mut values = Vec::new();
        whole.into_iter().for_each(|(value, view)| self.emit.parts(value, view, &mut values));
        while let Some((first, _)) = values.first() {
            let length = first.sizes().first().copied();
            let (now, later): (Vec<_>, Vec<_>) =
                values.into_iter().partition(|(value, _)| value.sizes().first().copied() == length);
            values = later;
            let Some(length) = length else {
                for (value, view) in now {
                    let (place, value) = (view.origin, value.scalar());
                    self.emit.push(Stm::Store { place, value, mask: self.emit.at.mask });
                }
                continue;
            };
            if let Some(few) = few(length).filter(|_| now.iter().all(|(value, _)| is_there(value))) {
                for k in 0..few {
                    let rows = self.rows(&now, Operand::int(k))?;
                    self.store_all(rows)?;
                }
                continue;
            }
            if self.emit.lanes.is_some() && now.len() > 1 && now.iter().all(|(value, _)| is_there(value)) {
                // A loop that does nothing but lay one list into lanes' rows is one instruction.
                now.into_iter().try_for_each(|one| self.store_all(vec![one]))?;
                continue;
            }
            if let Some(depth) = self.flat_depth(&now)
                && self.store_elements(&now, depth)?
            {
                continue;
            }
            let nested = now.iter().any(|(value, _)| value.sizes().len() > 1);
            let written: Vec<(View, Vec<Operand>)> =
                now.iter().map(|(value, view)| (view.clone(), value.sizes().to_vec())).collect();
            self.for_each(length, nested, &written, &mut |this, index| {
                let rows = this.rows(&now, index)?;
                this.store_all(rows)
            })?;
        }
        Ok(())
    }

    /// The rows of arrays at an index, and where they go.
    fn rows(&mut self, whole: &[(Bound<'p>, View)], index: Operand) -> Step<Vec<(Bound<'p>, View)>> {
        let mut row = |(value, view): &(Bound<'p>, View)| {
            let row = self.element(value.array(), index)?;
            Ok((row, view.part(&mut self.emit, &[index])))
        };
        whole.iter().map(&mut row).collect()
    }
}

/// The most scalars that are written one by one: a loop over lanes costs as much as this.
const MAX_SCALAR_WRITES: i64 = 4;

/// The length, if it is known to be so small.
fn few(length: Operand) -> Option<i64> {
    length.as_int().filter(|n| (0..=MAX_SCALAR_WRITES).contains(n))
}

/// Whether a value is a list of scalars that nothing has to be computed for.
fn is_there(value: &Bound<'_>) -> bool {
    let Bound::Array(Array { sizes, form, .. }) = value else { return false };
    sizes.len() == 1 && matches!(form, Form::Memory(_) | Form::Iota(..) | Form::Replicate(_))
}
