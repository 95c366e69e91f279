//! Arrays during lowering: where their elements are, or how they come to be.
//!
//! Law: an element of a view is found by arithmetic on its index alone. Indexing, slicing, permuting and reversing
//! arrays in memory moves nothing (tests/execute/lanes.rs, tests/execute/parts.rs).

use super::code::{Buffer, Inside, Operand, Place};
use super::emit::Emit;
use crate::array::{Map, Prim};

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
    /// Element `i` is the first of these, and `i` times the second.
    Iota(Operand, Operand),
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
    /// The distance between the elements of each dimension. Uniform.
    pub(super) strides: Vec<Operand>,
}

/// The invariant of operands.
const TYPED: &str = "operands are of the types that the verifier has checked";

impl<'p> Bound<'p> {
    pub(super) fn sizes(&self) -> &[Operand] {
        match self {
            Bound::Scalar(_) => &[],
            Bound::Array(array) => &array.sizes,
        }
    }

    /// What must be a scalar.
    pub(super) fn scalar(&self) -> Operand {
        let Bound::Scalar(operand) = self else { panic!("{TYPED}") };
        *operand
    }

    /// What must be an array.
    pub(super) fn array(&self) -> &Array<'p> {
        let Bound::Array(array) = self else { panic!("{TYPED}") };
        array
    }
}

impl Place {
    /// The first element of a buffer.
    pub(crate) fn first(buffer: Buffer) -> Self {
        Place { buffer, base: Operand::int(0), step: None, lane: None, varying: None, inside: Inside::default() }
    }

    /// The place `index` strides on.
    pub(super) fn advance(self, emit: &mut Emit<'_>, index: Operand, stride: Operand) -> Place {
        let (place, stride) = (self, emit.representative(stride));
        if emit.is_lane(index) && !emit.buffers[place.buffer].private {
            let lane = place.lane.map_or(stride, |lane| emit.add(lane, stride));
            return Place { lane: Some(lane), ..place };
        }
        if emit.is_varying(index) {
            let far = emit.mul(index, stride);
            if !emit.is_varying(far) {
                return Place { base: emit.add(place.base, far), ..place };
            }
            let varying = match place.varying {
                Some(varying) => {
                    let varying = emit.representative(varying);
                    emit.add(varying, far)
                }
                None => far,
            };
            if emit.is_lane(varying) && place.lane.is_none() && !emit.buffers[place.buffer].private {
                return Place { lane: Some(Operand::int(1)), varying: None, ..place };
            }
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
}

impl View {
    /// Whether elements of the same indices are the same.
    pub(super) fn is_same(&self, other: &View) -> bool {
        self.origin == other.origin && self.strides == other.strides
    }

    /// All of a buffer, in order.
    pub(super) fn whole(emit: &mut Emit<'_>, buffer: Buffer, sizes: &[Operand]) -> Self {
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
    pub(super) fn is_whole(&self, emit: &mut Emit<'_>, sizes: &[Operand]) -> bool {
        self.origin == Place::first(self.origin.buffer) && self.is_all_from(emit, sizes).is_some()
    }

    /// From which element of a buffer on these are all elements in order, if they are.
    pub(super) fn is_all_from(&self, emit: &mut Emit<'_>, sizes: &[Operand]) -> Option<Operand> {
        let is_first = self.origin == Place { base: self.origin.base, ..Place::first(self.origin.buffer) };
        let in_order = View::whole(emit, self.origin.buffer, sizes).strides == self.strides;
        (is_first && in_order).then_some(self.origin.base)
    }

    /// The part at an index of the leading dimensions.
    pub(super) fn part(&self, emit: &mut Emit<'_>, indices: &[Operand]) -> View {
        let mut origin = self.origin;
        for (index, stride) in indices.iter().zip(&self.strides) {
            origin = origin.advance(emit, *index, *stride);
        }
        View { origin, strides: self.strides[indices.len()..].to_vec() }
    }

    /// From an element of the outermost dimension on.
    pub(super) fn from(&self, emit: &mut Emit<'_>, start: Operand) -> View {
        let far = emit.mul(start, self.strides[0]);
        let base = emit.add(self.origin.base, far);
        View { origin: Place { base, ..self.origin }, strides: self.strides.clone() }
    }

    /// The scalar at an index.
    pub(super) fn load<'p>(&self, emit: &mut Emit<'p>, index: Operand) -> Bound<'p> {
        let place = self.origin.advance(emit, index, self.strides[0]);
        Bound::Scalar(emit.load(place))
    }
}

impl Array<'_> {
    /// Where its elements are, which are in memory.
    pub(super) fn view(&self) -> &View {
        match &self.form {
            Form::Memory(view) => view,
            Form::Iota(..) | Form::Replicate(_) | Form::Parts(_) | Form::Pending(..) => {
                panic!("this array is in memory")
            }
        }
    }

    /// The same array where its elements are in memory.
    pub(super) fn stored(&self, view: View) -> Self {
        Array { prim: self.prim, sizes: self.sizes.clone(), form: Form::Memory(view) }
    }

    /// Whether its elements are all numbers from 0 on.
    pub(super) fn is_iota(&self) -> bool {
        matches!(self.form, Form::Iota(first, step) if (first, step) == (Operand::int(0), Operand::int(1)))
    }

    /// The `count` elements from `start` on, in steps, if nothing has to be computed for that.
    pub(super) fn elements_from(&self, emit: &mut Emit<'_>, [start, count, step]: [Operand; 3]) -> Option<Self> {
        let form = match &self.form {
            Form::Memory(view) => {
                let View { origin, mut strides } = view.from(emit, start);
                strides[0] = emit.mul(strides[0], step);
                Form::Memory(View { origin, strides })
            }
            Form::Replicate(_) => self.form.clone(),
            Form::Iota(first, apart) => {
                let far = emit.mul(start, *apart);
                Form::Iota(emit.add(*first, far), emit.mul(*apart, step))
            }
            Form::Parts(_) | Form::Pending(..) => return None,
        };
        Some(Array { prim: self.prim, sizes: lengthened(count, &self.sizes[1..]), form })
    }
}

/// The sizes of an array of `count` rows of these sizes.
pub(super) fn lengthened(count: Operand, row: &[Operand]) -> Vec<Operand> {
    core::iter::once(count).chain(row.iter().copied()).collect()
}
