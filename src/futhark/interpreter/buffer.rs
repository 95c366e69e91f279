//! Elements in memory: flat, typed, and counted.
//!
//! Law: elements without derivatives take as much memory as their kind says; a buffer with one that has derivatives holds scalars.
//! The elements of all buffers of a run together stay below its limit, and making them counts as work.

use std::cell::Cell;
use std::ops::Range;
use std::rc::Rc;

use super::plain::{CHECKED, Plain};
use super::scalar::Scalar;
use crate::futhark::core::Prim;
use crate::futhark::meaning::{Outcome, beyond};
use crate::futhark::source::{Message, Span};
use crate::futhark::values;
use crate::interpret::{Cancel, Limits};

macro_rules! buffers {
    ($($Kind:ident $Element:ty: |$plain:pat_param| $from:expr, |$element:ident| $into:expr;)+) => {
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
                    $(Buffer::$Kind(of) => { let $element = of[at]; Scalar::Plain($into) })+
                    Buffer::Tagged(_, of) => of[at].clone(),
                }
            }

            /// The elements as scalars, so that there is room for derivatives.
            fn tagged(&mut self) -> &mut Vec<Scalar> {
                let scalars = match self {
                    $(Buffer::$Kind(of) => {
                        (Prim::$Kind, of.iter().map(|element| { let $element = *element; Scalar::Plain($into) }).collect())
                    })+
                    Buffer::Tagged(_, of) => return of,
                };
                *self = Buffer::Tagged(scalars.0, scalars.1);
                self.tagged()
            }

            pub(super) fn push(&mut self, scalar: Scalar) {
                match (&mut *self, &scalar) {
                    $((Buffer::$Kind(of), Scalar::Plain(plain)) => {
                        let $plain = *plain else { panic!("{CHECKED}") };
                        of.push($from);
                    })+
                    _ => self.tagged().push(scalar),
                }
            }

            pub(super) fn set(&mut self, at: usize, scalar: Scalar) {
                match (&mut *self, &scalar) {
                    $((Buffer::$Kind(of), Scalar::Plain(plain)) => {
                        let $plain = *plain else { panic!("{CHECKED}") };
                        of[at] = $from;
                    })+
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
    Bool bool: |Plain::Bool(b)| b, |b| Plain::Bool(b);
    I8 i8: |Plain::Integer(_, n)| n as i8, |n| Plain::Integer(Prim::I8, n.into());
    I16 i16: |Plain::Integer(_, n)| n as i16, |n| Plain::Integer(Prim::I16, n.into());
    I32 i32: |Plain::Integer(_, n)| n as i32, |n| Plain::Integer(Prim::I32, n.into());
    I64 i64: |Plain::Integer(_, n)| n, |n| Plain::Integer(Prim::I64, n);
    U8 u8: |Plain::Integer(_, n)| n as u8, |n| Plain::Integer(Prim::U8, n.into());
    U16 u16: |Plain::Integer(_, n)| n as u16, |n| Plain::Integer(Prim::U16, n.into());
    U32 u32: |Plain::Integer(_, n)| n as u32, |n| Plain::Integer(Prim::U32, n.into());
    U64 u64: |Plain::Integer(_, n)| n as u64, |n| Plain::Integer(Prim::U64, n as i64);
    F32 f32: |Plain::F32(x)| x, |x| Plain::F32(x);
    F64 f64: |Plain::F64(x)| x, |x| Plain::F64(x);
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

    /// Room for so many more elements.
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
    /// Room for so many more elements; `None` is more than there are numbers.
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
