//! Arrays in memory, and leaves: a scalar or an array.
//!
//! Law: an array is a shape and a contiguous stretch of a buffer, which arrays share. A subarray is a view; a change is
//! made in place if nothing else holds the buffer, and in a copy if something does (tests/language/interpret.rs).

use std::rc::Rc;

use super::buffer::{Buffer, Hold, Meter};
use super::scalar::Scalar;
use crate::futhark::core::Prim;
use crate::futhark::meaning::{Kept, Outcome};
use crate::futhark::source::{Message, Span};

/// A scalar, or an array of scalars.
#[derive(Debug, Clone)]
pub(super) enum Data {
    Scalar(Scalar),
    Array(Array),
    /// An array that is written to by this operator, or over what is there.
    Accumulator(Array, Option<Kept>),
}

#[derive(Debug)]
struct Storage {
    buffer: Buffer,
    hold: Hold,
}

/// A shape and a stretch of a buffer.
#[derive(Debug, Clone)]
pub(super) struct Array {
    shape: Rc<[usize]>,
    offset: usize,
    storage: Rc<Storage>,
}

impl Array {
    pub(super) fn new(buffer: Buffer, hold: Hold, shape: Vec<usize>) -> Self {
        Array { shape: shape.into(), offset: 0, storage: Rc::new(Storage { buffer, hold }) }
    }

    pub(super) fn shape(&self) -> &[usize] {
        &self.shape
    }

    pub(super) fn kind(&self) -> Prim {
        self.storage.buffer.kind()
    }

    pub(super) fn meter(&self) -> &Rc<Meter> {
        self.storage.hold.meter()
    }

    /// The number of elements.
    pub(super) fn len(&self) -> usize {
        places(&self.shape)
    }

    /// The element at a place in the order of the elements.
    pub(super) fn get(&self, at: usize) -> Scalar {
        self.storage.buffer.get(self.offset + at)
    }

    /// The elements in order.
    pub(super) fn elements(&self) -> impl Iterator<Item = Scalar> + '_ {
        (0..self.len()).map(|at| self.get(at))
    }

    /// The element or subarray number `at` of the outer dimension.
    pub(super) fn part(&self, at: usize) -> Data {
        let inner = &self.shape[1..];
        if inner.is_empty() {
            return Data::Scalar(self.get(at));
        }
        let size = places(inner);
        Data::Array(Array { shape: inner.into(), offset: self.offset + at * size, storage: self.storage.clone() })
    }

    /// The elements, in an array of another shape with as many.
    pub(super) fn reshaped(self, shape: Vec<usize>) -> Self {
        Array { shape: shape.into(), ..self }
    }

    /// The subarrays from `start` on, `count` of them.
    pub(super) fn rows(&self, start: usize, count: usize) -> Self {
        let size = places(&self.shape[1..]);
        let mut shape = self.shape.to_vec();
        shape[0] = count;
        Array { shape: shape.into(), offset: self.offset + start * size, storage: self.storage.clone() }
    }

    /// The elements at these places, in an array of this shape with as many.
    pub(super) fn gather(&self, at: Span, shape: Vec<usize>, places: impl Iterator<Item = usize>) -> Outcome<Self> {
        let count = count(&shape);
        let hold = self.meter().claim(at, count)?;
        let mut buffer = Buffer::new(self.kind(), count.unwrap_or(0));
        places.for_each(|place| buffer.push(self.get(place)));
        Ok(Array::new(buffer, hold, shape))
    }

    /// The array with other elements at a stretch of places: in place if it is not shared.
    pub(super) fn overwritten(self, at: Span, to: usize, value: &Data) -> Outcome<Self> {
        let mut array = self.unshared(at)?;
        let storage = Rc::get_mut(&mut array.storage).expect("an array made unshared is not shared");
        match value {
            Data::Scalar(scalar) => storage.buffer.set(array.offset + to, scalar.clone()),
            Data::Array(value) | Data::Accumulator(value, _) => {
                let from = value.offset..value.offset + value.len();
                storage.buffer.overwrite(array.offset + to, &value.storage.buffer, from);
            }
        }
        Ok(array)
    }

    /// The array with elements at these places replaced by those of another, in order.
    pub(super) fn spread(self, at: Span, places: impl Iterator<Item = usize>, values: &Array) -> Outcome<Self> {
        let mut array = self.unshared(at)?;
        let storage = Rc::get_mut(&mut array.storage).expect("an array made unshared is not shared");
        for (from, to) in places.enumerate() {
            storage.buffer.set(array.offset + to, values.get(from));
        }
        Ok(array)
    }

    /// Adds the elements to a buffer.
    pub(super) fn append_to(&self, buffer: &mut Buffer) {
        buffer.extend(&self.storage.buffer, self.offset..self.offset + self.len());
    }

    fn unshared(mut self, at: Span) -> Outcome<Self> {
        if Rc::get_mut(&mut self.storage).is_some() {
            return Ok(self);
        }
        let len = self.len();
        let hold = self.meter().claim(at, Some(len))?;
        let mut buffer = Buffer::new(self.kind(), len);
        self.append_to(&mut buffer);
        Ok(Array { storage: Rc::new(Storage { buffer, hold }), offset: 0, shape: self.shape })
    }
}

/// The number of elements of an array of this shape, if there is such a number.
pub(super) fn count(shape: &[usize]) -> Option<usize> {
    // An empty dimension makes an empty array, however large the others.
    if shape.contains(&0) { Some(0) } else { shape.iter().try_fold(1_usize, |count, size| count.checked_mul(*size)) }
}

/// The number of elements of an array of this shape that is there. An array of too many places for a number is inside of an
/// empty one.
pub(super) fn places(shape: &[usize]) -> usize {
    count(shape).unwrap_or(0)
}

impl Data {
    /// Its scalars in order.
    pub(super) fn scalars(&self) -> Vec<Scalar> {
        match self {
            Data::Scalar(scalar) => vec![scalar.clone()],
            Data::Array(array) | Data::Accumulator(array, _) => array.elements().collect(),
        }
    }

    pub(super) fn shape(&self) -> &[usize] {
        match self {
            Data::Scalar(_) => &[],
            Data::Array(array) | Data::Accumulator(array, _) => array.shape(),
        }
    }

    pub(super) fn kind(&self) -> Prim {
        match self {
            Data::Scalar(scalar) => scalar.kind(),
            Data::Array(array) | Data::Accumulator(array, _) => array.kind(),
        }
    }

    /// Whether any of its scalars is of this level or above; those that are not are found quickly.
    pub(super) fn reaches(&self, level: u32) -> bool {
        match self {
            Data::Scalar(scalar) => scalar.level() >= level,
            Data::Array(array) | Data::Accumulator(array, _) => match &array.storage.buffer {
                Buffer::Tagged(..) => array.elements().any(|element| element.level() >= level),
                _ => false,
            },
        }
    }

    /// Data of this shape with other scalars, of one kind, which is `kind`.
    pub(super) fn rebuilt(
        &self,
        at: Span,
        kind: Prim,
        change: &mut dyn FnMut(Scalar) -> Outcome<Scalar>,
    ) -> Outcome<Data> {
        match self {
            Data::Scalar(scalar) => change(scalar.clone()).map(Data::Scalar),
            Data::Array(array) | Data::Accumulator(array, _) => {
                let hold = array.meter().claim(at, Some(array.len()))?;
                let mut buffer = Buffer::new(kind, array.len());
                array.elements().try_for_each(|element| {
                    buffer.push(change(element)?);
                    Outcome::Ok(())
                })?;
                let made = Array::new(buffer, hold, array.shape().to_vec());
                Ok(match self {
                    Data::Accumulator(_, operator) => Data::Accumulator(made, *operator),
                    Data::Scalar(_) | Data::Array(_) => Data::Array(made),
                })
            }
        }
    }
}

/// An array that grows by one element or subarray at a time.
#[derive(Debug)]
pub(super) struct Builder {
    buffer: Buffer,
    hold: Hold,
    /// The shape of what has been added, and how often.
    shape: Option<Vec<usize>>,
    count: usize,
}

impl Builder {
    pub(super) fn new(meter: &Rc<Meter>, at: Span, kind: Prim, capacity: usize) -> Outcome<Self> {
        let hold = meter.claim(at, Some(0))?;
        // What is claimed is what is added; a capacity is only a guess.
        Ok(Builder { buffer: Buffer::new(kind, capacity.min(1 << 20)), hold, shape: None, count: 0 })
    }

    pub(super) fn push(&mut self, at: Span, data: &Data) -> Outcome<()> {
        self.count += 1;
        match &self.shape {
            None => self.shape = Some(data.shape().to_vec()),
            Some(shape) if **shape == *data.shape() => {}
            Some(shape) => {
                let text = format!(
                    "the elements of an array have one shape, and here are {} and {}",
                    shown(shape),
                    shown(data.shape())
                );
                return Err(Message::error("irregular", at, text));
            }
        }
        match data {
            Data::Scalar(scalar) => {
                self.hold.grow(at, Some(1))?;
                self.buffer.push(scalar.clone());
            }
            Data::Array(array) | Data::Accumulator(array, _) => {
                self.hold.grow(at, Some(array.len()))?;
                array.append_to(&mut self.buffer);
            }
        }
        Ok(())
    }

    /// The array; `inner` is the shape of its elements if there are none.
    pub(super) fn finish(self, inner: impl FnOnce() -> Vec<usize>) -> Data {
        let mut shape = vec![self.count];
        shape.extend(self.shape.unwrap_or_else(inner));
        Data::Array(Array::new(self.buffer, self.hold, shape))
    }
}

/// A shape, as messages show it.
pub(super) fn shown(shape: &[usize]) -> String {
    if shape.is_empty() { "a scalar".into() } else { shape.iter().map(|size| format!("[{size}]")).collect() }
}
