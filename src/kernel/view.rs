//! Arrays during lowering: where their elements are, or how they come to be.
//!
//! Law: an element of a view is found by arithmetic on its index alone. Indexing, slicing, permuting and reversing arrays
//! in memory moves nothing.

use super::code::{Broken, Buffer, LARGEST, Operand, Place, Stm};
use super::emit::Emit;
use super::{Lowering, Step, Unsupported};
use crate::array::{IntegerRow, Map, Prim, ScalarOp};

/// What a variable is bound to.
#[derive(Debug, Clone)]
pub(super) enum Bound<'p> {
    Scalar(Operand),
    Array(Array<'p>),
}

/// An array.
#[derive(Debug, Clone)]
pub(super) struct Array<'p> {
    pub(super) prim: Prim,
    /// Uniform.
    pub(super) sizes: Vec<Operand>,
    pub(super) form: Form<'p>,
}

/// Where the elements of an array are.
#[derive(Debug, Clone)]
pub(super) enum Form<'p> {
    Memory(View),
    /// Element `i` is `i`.
    Iota,
    /// Every element is this.
    Replicate(Box<Bound<'p>>),
    /// These one after the other along the outermost dimension: rows, or arrays of rows. It is used once, to be stored.
    Parts(Vec<Bound<'p>>),
    /// The elements are results of a map that has not run: it is used once, element by element.
    Pending(&'p Map, usize),
}

/// Elements in memory.
#[derive(Debug, Clone)]
pub(super) struct View {
    /// The first element.
    pub(super) origin: Place,
    /// How far the elements of each dimension are apart. Uniform.
    pub(super) strides: Vec<Operand>,
}

impl Bound<'_> {
    pub(super) fn sizes(&self) -> &[Operand] {
        match self {
            Bound::Scalar(_) => &[],
            Bound::Array(array) => &array.sizes,
        }
    }
}

impl Place {
    /// The first element of a buffer.
    pub(crate) fn first(buffer: Buffer) -> Self {
        Place { buffer, base: Operand::int(0), step: None, lane: None, varying: None }
    }
}

impl View {
    /// All of a buffer, in order.
    pub(super) fn whole(emit: &mut Emit, buffer: Buffer, sizes: &[Operand]) -> Self {
        let mut stride = Operand::int(1);
        let mut strides: Vec<Operand> = sizes
            .iter()
            .rev()
            .map(|size| {
                let now = stride;
                stride = emit.mul(stride, *size);
                now
            })
            .collect();
        strides.reverse();
        View { origin: Place::first(buffer), strides }
    }

    /// Whether these are all elements of a buffer in order.
    pub(super) fn is_whole(&self, emit: &mut Emit, sizes: &[Operand]) -> bool {
        self.origin == Place::first(self.origin.buffer) && self.is_all_from(emit, sizes).is_some()
    }

    /// From which element of a buffer on these are all elements in order, if they are.
    pub(super) fn is_all_from(&self, emit: &mut Emit, sizes: &[Operand]) -> Option<Operand> {
        let is_first = self.origin == Place { base: self.origin.base, ..Place::first(self.origin.buffer) };
        let in_order = View::whole(emit, self.origin.buffer, sizes).strides == self.strides;
        (is_first && in_order).then_some(self.origin.base)
    }
}

impl<'p> Lowering<'p> {
    /// The place `index` strides on from another.
    pub(super) fn advance(&mut self, place: Place, index: Operand, stride: Operand) -> Place {
        let emit = &mut self.emit;
        if self.lane == Some(index) && !emit.buffers[place.buffer.0 as usize].private {
            let lane = place.lane.map_or(stride, |lane| emit.add(lane, stride));
            return Place { lane: Some(lane), ..place };
        }
        if emit.is_varying(index) {
            let far = emit.mul(index, stride);
            if !emit.is_varying(far) {
                return Place { base: emit.add(place.base, far), ..place };
            }
            let varying = place.varying.map_or(far, |varying| emit.add(varying, far));
            return Place { varying: Some(varying), ..place };
        }
        if index.as_int().is_some() {
            let far = emit.mul(index, stride);
            return Place { base: emit.add(place.base, far), ..place };
        }
        // The innermost index stays a step, and what was one moves into the base, further out.
        match place.step {
            None => Place { step: Some((index, stride)), ..place },
            Some((inner, by)) if emit.depth_of(inner) > emit.depth_of(index) => {
                let far = emit.mul(index, stride);
                Place { base: emit.add(place.base, far), step: Some((inner, by)), ..place }
            }
            Some((outer, by)) => {
                let far = emit.mul(outer, by);
                Place { base: emit.add(place.base, far), step: Some((index, stride)), ..place }
            }
        }
    }

    /// The element or subarray at an index of the outermost dimension, which is in bounds.
    pub(super) fn element(&mut self, array: &Array<'p>, index: Operand) -> Step<Bound<'p>> {
        match &array.form {
            Form::Memory(view) => {
                let origin = self.advance(view.origin, index, view.strides[0]);
                if array.sizes.len() == 1 {
                    return Ok(Bound::Scalar(self.emit.load(origin)));
                }
                let form = Form::Memory(View { origin, strides: view.strides[1..].to_vec() });
                Ok(Bound::Array(Array { prim: array.prim, sizes: array.sizes[1..].to_vec(), form }))
            }
            Form::Iota => Ok(Bound::Scalar(index)),
            Form::Replicate(value) => Ok((**value).clone()),
            Form::Parts(_) => {
                let view = self.in_memory(array)?;
                self.element(&Array { form: Form::Memory(view), ..array.clone() }, index)
            }
            Form::Pending(map, result) => self.result(map, *result, index),
        }
    }

    /// The array in memory, all of a buffer; it is put there if it is not.
    pub(super) fn whole(&mut self, array: &Array<'p>) -> Step<(Buffer, View)> {
        if let Form::Memory(view) = &array.form
            && self.emit.buffers[view.origin.buffer.0 as usize].private == self.lane.is_some()
            && view.is_whole(&mut self.emit, &array.sizes)
        {
            return Ok((view.origin.buffer, view.clone()));
        }
        self.copied(array)
    }

    /// A new buffer with the elements of the array.
    pub(super) fn copied(&mut self, array: &Array<'p>) -> Step<(Buffer, View)> {
        let buffer = self.new_buffer(array.prim);
        let view = self.allocate(buffer, &array.sizes)?;
        self.store_all(vec![(Bound::Array(array.clone()), view.clone())])?;
        self.emit.changed(buffer);
        Ok((buffer, view))
    }

    /// The array in memory.
    pub(super) fn in_memory(&mut self, array: &Array<'p>) -> Step<View> {
        match &array.form {
            Form::Memory(view) => Ok(view.clone()),
            Form::Iota | Form::Replicate(_) | Form::Parts(_) | Form::Pending(..) => Ok(self.copied(array)?.1),
        }
    }

    /// A value that costs nothing to use again.
    pub(super) fn settled(&mut self, bound: Bound<'p>) -> Step<Bound<'p>> {
        Ok(self.settled_all(vec![bound])?.remove(0))
    }

    /// Values that cost nothing to use again. Those that one map computes it computes at once.
    pub(super) fn settled_all(&mut self, all: Vec<Bound<'p>>) -> Step<Vec<Bound<'p>>> {
        let (mut settled, mut stores, mut buffers) = (Vec::new(), Vec::new(), Vec::new());
        for bound in all {
            settled.push(match bound {
                Bound::Array(array) if matches!(array.form, Form::Pending(..) | Form::Parts(_)) => {
                    let buffer = self.new_buffer(array.prim);
                    let view = self.allocate(buffer, &array.sizes)?;
                    let found = Array { form: Form::Memory(view.clone()), ..array.clone() };
                    buffers.push(buffer);
                    stores.push((Bound::Array(array), view));
                    Bound::Array(found)
                }
                other => other,
            });
        }
        self.store_all(stores)?;
        buffers.into_iter().for_each(|buffer| self.emit.changed(buffer));
        Ok(settled)
    }

    pub(super) fn new_buffer(&mut self, prim: Prim) -> Buffer {
        let buffer = self.emit.buffer(prim, self.lane.is_some());
        self.owners.push(self.region);
        buffer
    }

    /// Gives a buffer room for an array of these sizes.
    pub(super) fn allocate(&mut self, buffer: Buffer, sizes: &[Operand]) -> Step<View> {
        if sizes.iter().any(|size| self.emit.is_varying(*size)) {
            return Err(Unsupported("an array whose size differs between lanes"));
        }
        self.bounded(sizes);
        let count = self.count(sizes);
        self.emit.push(Stm::Alloc(buffer, count));
        self.emit.changed(buffer);
        Ok(View::whole(&mut self.emit, buffer, sizes))
    }

    /// Ends the run before the product of these sizes is beyond the largest array; then it may be beyond all numbers too.
    fn bounded(&mut self, sizes: &[Operand]) {
        if sizes.len() < 2 || sizes.iter().all(|size| size.as_int().is_some()) {
            return;
        }
        // The product of two that are capped does not wrap around.
        let capped = |this: &mut Self, size: Operand| match size.as_int() {
            Some(n) => Operand::int(n.min(LARGEST)),
            None => this.emit.scalar(IntegerRow::Min, &[size, Operand::int(LARGEST)]),
        };
        let mut count = sizes[0];
        for size in &sizes[1..] {
            let (a, b) = (capped(self, count), capped(self, *size));
            count = self.emit.mul(a, b);
        }
        let condition = self.emit.scalar(ScalarOp::LessOrEqual, &[count, Operand::int(LARGEST)]);
        self.check(condition, Broken::Able("an array of more than 2^31 elements"), &[]);
    }

    /// The number of elements of an array of these sizes.
    pub(super) fn count(&mut self, sizes: &[Operand]) -> Operand {
        sizes.iter().rev().fold(Operand::int(1), |count, size| self.emit.mul(count, *size))
    }

    /// What is made of parts as these, each with the place it goes to.
    fn parts(&mut self, value: Bound<'p>, view: View, all: &mut Vec<(Bound<'p>, View)>) {
        let Bound::Array(Array { form: Form::Parts(parts), sizes, .. }) = &value else {
            return all.push((value, view));
        };
        let mut start = Operand::int(0);
        for part in parts {
            let origin = self.advance(view.origin, start, view.strides[0]);
            let is_row = part.sizes().len() < sizes.len();
            let length = if is_row { Operand::int(1) } else { part.sizes()[0] };
            start = self.emit.add(start, length);
            let strides = view.strides[usize::from(is_row)..].to_vec();
            self.parts(part.clone(), View { origin, strides }, all);
        }
    }

    /// Stores values where they belong; what has one length goes in one loop.
    pub(super) fn store_all(&mut self, whole: Vec<(Bound<'p>, View)>) -> Step<()> {
        let mut values = Vec::new();
        whole.into_iter().for_each(|(value, view)| self.parts(value, view, &mut values));
        while let Some((first, _)) = values.first() {
            let length = first.sizes().first().copied();
            let (now, later): (Vec<_>, Vec<_>) =
                values.into_iter().partition(|(value, _)| value.sizes().first().copied() == length);
            values = later;
            let Some(length) = length else {
                for (value, view) in now {
                    let Bound::Scalar(value) = value else { unreachable!("what has no length is a scalar") };
                    self.emit.push(Stm::Store { place: view.origin, value, mask: self.mask });
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
            if self.lane.is_some() && now.len() > 1 && now.iter().all(|(value, _)| is_there(value)) {
                // A loop that does nothing but lay one list into lanes' rows is one instruction.
                now.into_iter().try_for_each(|one| self.store_all(vec![one]))?;
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
            let Bound::Array(array) = value else { unreachable!("what has a length is an array") };
            let row = self.element(array, index)?;
            let origin = self.advance(view.origin, index, view.strides[0]);
            Ok((row, View { origin, strides: view.strides[1..].to_vec() }))
        };
        whole.iter().map(&mut row).collect()
    }
}

/// The most scalars that are written one by one: a loop over lanes costs as much as this.
const FEW: i64 = 4;

/// The length, if it is known to be so small.
fn few(length: Operand) -> Option<i64> {
    length.as_int().filter(|n| (0..=FEW).contains(n))
}

/// Whether a value is a list of scalars that nothing has to be computed for.
fn is_there(value: &Bound<'_>) -> bool {
    let Bound::Array(Array { sizes, form, .. }) = value else { return false };
    sizes.len() == 1 && matches!(form, Form::Memory(_) | Form::Iota | Form::Replicate(_))
}
