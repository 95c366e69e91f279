//! Arrays in memory, and leaves: a scalar or an array.
//!
//! Law: arrays are those of array programs, over scalars that may carry derivatives. A subarray is a view; a change is
//! made in place if nothing else holds the elements, and in a copy if something does (tests/language/interpret.rs).

use std::rc::Rc;

use super::meter::{Hold, Meter};
use super::scalar::{CHECKED, Scalar};
use crate::futhark::core::Prim;
use crate::futhark::meaning::{Kept, Leaf, Outcome};
use crate::futhark::source::{Message, Span};
use crate::interpret::{Contiguous, Rows};

/// A rectangular array, with the room that its elements take.
pub(super) type Array = Contiguous<Scalar, Hold>;

/// A scalar, or an array of scalars.
#[derive(Debug, Clone)]
pub(super) enum Data {
    Scalar(Scalar),
    Array(Array),
    /// An array that is written to by this operator, or over what is there.
    Accumulator(Array, Option<Kept>),
}

impl From<Scalar> for Data {
    fn from(scalar: Scalar) -> Self {
        Data::Scalar(scalar)
    }
}

impl From<Array> for Data {
    fn from(array: Array) -> Self {
        Data::Array(array)
    }
}

impl Array {
    /// Room for an array with elements of the same kind and as many.
    pub(super) fn room(&self, at: Span) -> Outcome<Hold> {
        self.note().more(at, Some(self.elements().len()))
    }

    /// The array with its elements changed, in place if it is not shared.
    pub(super) fn changed(mut self, at: Span, change: impl FnOnce(&mut [Scalar])) -> Outcome<Self> {
        if self.unshared().is_none() {
            self = self.copied(self.room(at)?);
        }
        change(self.unshared().expect("a copy is shared with nothing").0);
        Ok(self)
    }
}

impl Data {
    /// The scalar that this is.
    pub(super) fn scalar(&self) -> &Scalar {
        let Data::Scalar(scalar) = self else { panic!("{CHECKED}") };
        scalar
    }

    /// The integer that this is: an index or a size, as a rule.
    pub(super) fn integer(&self) -> i128 {
        self.scalar().integer()
    }

    /// The array that this is.
    pub(super) fn into_array(self) -> Array {
        match self {
            Data::Array(array) | Data::Accumulator(array, _) => array,
            Data::Scalar(_) => panic!("{CHECKED}"),
        }
    }

    /// Its scalars in order.
    pub(super) fn elements(&self) -> &[Scalar] {
        match self {
            Data::Scalar(scalar) => core::slice::from_ref(scalar),
            Data::Array(array) | Data::Accumulator(array, _) => array.elements(),
        }
    }

    pub(super) fn shape(&self) -> &[usize] {
        match self {
            Data::Scalar(_) => &[],
            Data::Array(array) | Data::Accumulator(array, _) => array.sizes(),
        }
    }

    pub(super) fn kind(&self) -> Prim {
        match self {
            Data::Scalar(scalar) => scalar.kind(),
            Data::Array(array) | Data::Accumulator(array, _) => array.note().kind(),
        }
    }

    /// Whether any of its scalars is of this level or above.
    pub(super) fn reaches(&self, level: u32) -> bool {
        self.elements().iter().any(|element| element.level() >= level)
    }

    /// Data of this shape with other scalars of the same kind.
    pub(super) fn rebuilt(&self, at: Span, mut change: impl FnMut(&Scalar) -> Scalar) -> Outcome<Data> {
        let of = |array: &Array, change| {
            let elements = array.elements().iter().map(change).collect();
            Outcome::Ok(Array::noted(array.sizes(), elements, array.room(at)?))
        };
        Ok(match self {
            Data::Scalar(scalar) => Data::Scalar(change(scalar)),
            Data::Array(array) => Data::Array(of(array, change)?),
            Data::Accumulator(array, operator) => Data::Accumulator(of(array, change)?, *operator),
        })
    }
}

/// An array that grows by one element or subarray at a time.
#[derive(Debug)]
pub(super) struct Builder {
    rows: Rows<Scalar>,
    hold: Hold,
}

impl Builder {
    pub(super) fn new(meter: &Rc<Meter>, at: Span, kind: Prim, capacity: usize) -> Outcome<Self> {
        let hold = meter.claim(at, kind, Some(0))?;
        // What is claimed is what is added; a capacity is only a guess.
        Ok(Builder { rows: Rows::new(capacity.min(1 << 20)), hold })
    }

    pub(super) fn push(&mut self, at: Span, data: &Data) -> Outcome<()> {
        let (wanted, found) = (self.rows.sizes(data.shape()), data.shape());
        if wanted != found {
            let text =
                format!("the elements of an array have one shape, and here are {} and {}", shown(wanted), shown(found));
            return Err(Message::error("irregular", at, text));
        }
        self.hold.grow(at, Some(data.elements().len()))?;
        self.rows.push(data.elements());
        Ok(())
    }

    /// The array; `inner` is the shape of its elements if there are none.
    pub(super) fn finish(self, inner: impl FnOnce() -> Vec<usize>) -> Data {
        Data::Array(self.rows.finish(inner, self.hold))
    }
}

/// The shape that a type says, with 0 for what is not known.
pub(super) fn shape_of(leaf: &Leaf<Data>) -> Vec<usize> {
    leaf.shape.iter().map(|size| size.as_ref().map_or(0, |size| size.integer().max(0) as usize)).collect()
}

/// A shape, as messages show it.
pub(super) fn shown(shape: &[usize]) -> String {
    if shape.is_empty() { "a scalar".into() } else { shape.iter().map(|size| format!("[{size}]")).collect() }
}
