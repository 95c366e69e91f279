//! Elements in memory: flat, typed, and counted.
//!
//! Law: elements without derivatives take as much memory as their kind says; a buffer with one that has derivatives holds scalars.
//! The elements of all buffers of a run together stay below its limit, and making them counts as work
//! (tests/language/interpret.rs, tests/language/fuzz.rs).

use std::cell::Cell;
use std::ops::Range;
use std::rc::Rc;

use super::scalar::Scalar;
use crate::array::{Const, Prim};
use crate::futhark::meaning::{Outcome, beyond};
use crate::futhark::source::{Message, Span};
use crate::futhark::values;
use crate::interpret::{Cancel, Limits};

macro_rules! buffers {
    ($($Kind:ident($Element:ty))+) => {
        /// Elements of one kind.
        #[derive(Debug, Clone)]
        pub(super) enum Buffer {
            $($Kind(Vec<$Element>),)+
            Tagged(Prim, Vec<Scalar>),
        }

        impl Buffer {
            pub(super) fn new(kind: Prim, capacity: usize) -> Self {
                match kind { $(Prim::$Kind => Buffer::$Kind(Vec::with_capacity(capacity)),)+ }
            }

            pub(super) fn len(&self) -> usize {
                match self { $(Buffer::$Kind(of) => of.len(),)+ Buffer::Tagged(_, of) => of.len() }
            }

            pub(super) fn kind(&self) -> Prim {
                match self { $(Buffer::$Kind(_) => Prim::$Kind,)+ Buffer::Tagged(kind, _) => *kind }
            }

            pub(super) fn get(&self, at: usize) -> Scalar {
                match self {
                    $(Buffer::$Kind(of) => Scalar::Plain(Const::$Kind(of[at])),)+
                    Buffer::Tagged(_, of) => of[at].clone(),
                }
            }

            /// The elements as scalars, so that there is room for derivatives.
            fn tagged(&mut self) -> &mut Vec<Scalar> {
                let scalars = match self {
                    $(Buffer::$Kind(of) => {
                        (Prim::$Kind, of.iter().map(|element| Scalar::Plain(Const::$Kind(*element))).collect())
                    })+
                    Buffer::Tagged(_, of) => return of,
                };
                *self = Buffer::Tagged(scalars.0, scalars.1);
                self.tagged()
            }

            pub(super) fn push(&mut self, scalar: Scalar) {
                match (&mut *self, &scalar) {
                    $((Buffer::$Kind(of), Scalar::Plain(Const::$Kind(element))) => of.push(*element),)+
                    _ => self.tagged().push(scalar),
                }
            }

            pub(super) fn set(&mut self, at: usize, scalar: Scalar) {
                match (&mut *self, &scalar) {
                    $((Buffer::$Kind(of), Scalar::Plain(Const::$Kind(element))) => of[at] = *element,)+
                    _ => self.tagged()[at] = scalar,
                }
            }

            /// Adds elements of another buffer.
            pub(super) fn extend(&mut self, other: &Buffer, range: Range<usize>) {
                match (&mut *self, other) {
                    $((Buffer::$Kind(of), Buffer::$Kind(other)) => of.extend_from_slice(&other[range]),)+
                    (Buffer::Tagged(_, of), Buffer::Tagged(_, other)) => of.extend_from_slice(&other[range]),
                    (_, other) => range.for_each(|at| self.push(other.get(at))),
                }
            }

            /// Writes elements of another buffer over those from `to` on.
            pub(super) fn overwrite(&mut self, to: usize, other: &Buffer, range: Range<usize>) {
                match (&mut *self, other) {
                    $((Buffer::$Kind(of), Buffer::$Kind(other)) => {
                        of[to..to + range.len()].copy_from_slice(&other[range]);
                    })+
                    (_, other) => range.enumerate().for_each(|(i, at)| self.set(to + i, other.get(at))),
                }
            }
        }

        impl From<values::Data> for Buffer {
            fn from(data: values::Data) -> Self {
                match data { $(values::Data::$Kind(of) => Buffer::$Kind(of),)+ }
            }
        }

        /// The elements without their derivatives.
        impl From<Buffer> for values::Data {
            fn from(buffer: Buffer) -> Self {
                match buffer {
                    $(Buffer::$Kind(of) => values::Data::$Kind(of),)+
                    Buffer::Tagged(kind, of) => {
                        let mut plain = Buffer::new(kind, of.len());
                        of.iter().for_each(|scalar| plain.push(Scalar::Plain(scalar.plain())));
                        plain.into()
                    }
                }
            }
        }
    };
}

buffers! {
    Bool(bool) I8(i8) I16(i16) I32(i32) I64(i64) U8(u8) U16(u16) U32(u32) U64(u64) F32(f32) F64(f64)
}

/// Counts what a run takes: elements that are held, and steps.
#[derive(Debug)]
pub(super) struct Meter {
    limits: Limits,
    cancel: Cancel,
    used: Cell<u64>,
    /// In units of elements that are made, of which a step has [`WORTH`].
    taken: Cell<u64>,
}

/// How many elements are made in the time of a step.
const WORTH: u64 = 16;

impl Meter {
    pub(super) fn new(limits: Limits, cancel: Cancel) -> Self {
        Meter { limits, cancel, used: Cell::new(0), taken: Cell::new(0) }
    }

    /// Room for this many more elements.
    pub(super) fn claim(self: &Rc<Self>, at: Span, elements: Option<usize>) -> Outcome<Hold> {
        let mut hold = Hold { meter: self.clone(), elements: 0 };
        hold.grow(at, elements)?;
        Ok(hold)
    }

    /// One more step.
    pub(super) fn step(&self, at: Span) -> Outcome<()> {
        self.work(at, WORTH)
    }

    fn work(&self, at: Span, elements: u64) -> Outcome<()> {
        let taken = self.taken.get().saturating_add(elements);
        if taken > self.limits.steps.saturating_mul(WORTH) {
            return Err(beyond(at, "steps", self.limits.steps));
        }
        if self.cancel.is_cancelled() {
            return Err(Message::error("limit", at, "the run was cancelled"));
        }
        self.taken.set(taken);
        Ok(())
    }
}

/// Room that is given back when it is no longer needed.
#[derive(Debug)]
pub(super) struct Hold {
    meter: Rc<Meter>,
    elements: u64,
}

impl Hold {
    /// Room for this many more elements; `None` is more than there are numbers.
    pub(super) fn grow(&mut self, at: Span, elements: Option<usize>) -> Outcome<()> {
        let wanted = elements.and_then(|more| self.meter.used.get().checked_add(more as u64));
        let Some(wanted) = wanted.filter(|wanted| *wanted <= self.meter.limits.elements) else {
            return Err(beyond(at, "elements", self.meter.limits.elements));
        };
        self.meter.work(at, wanted - self.meter.used.get())?;
        self.elements += wanted - self.meter.used.get();
        self.meter.used.set(wanted);
        Ok(())
    }

    pub(super) fn meter(&self) -> &Rc<Meter> {
        &self.meter
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        self.meter.used.set(self.meter.used.get() - self.elements);
    }
}
