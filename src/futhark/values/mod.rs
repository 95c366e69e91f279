//! Values at the border of a program: scalars and arrays, read and written as text and as bytes.
//!
//! Law: what was written is read as what it was, in both formats (of a NaN, the text keeps only that it is one).
//! Malformed input is a message, and reading takes no more memory than a multiple of the input
//! (tests/language/values.rs, laws: bad_input::of_values).

mod binary;
mod text;

use core::fmt;

pub use super::core::Prim;
use super::source::Message;
use crate::array::{Const, for_numbers};
use crate::primitives::f16;
use binary::Bytes;
pub(super) use text::Reader;

/// A scalar, whose shape is empty, or an array.
#[derive(Debug, Clone, PartialEq)]
pub struct Array {
    /// The size of each dimension, outermost first.
    pub shape: Vec<usize>,
    /// The elements, the last dimension varying fastest; as many as the product of the sizes.
    pub data: Data,
}

impl Array {
    /// A scalar.
    #[must_use]
    pub fn scalar(data: impl Into<Data>) -> Self {
        let data = data.into();
        debug_assert_eq!(data.len(), 1, "a scalar is one element");
        Array { shape: Vec::new(), data }
    }

    /// An array of one dimension.
    #[must_use]
    pub fn vector(data: impl Into<Data>) -> Self {
        let data = data.into();
        Array { shape: vec![data.len()], data }
    }

    /// The type, such as `[3][2]f64`.
    #[must_use]
    pub fn type_name(&self) -> String {
        let sizes: String = self.shape.iter().map(|size| format!("[{size}]")).collect();
        sizes + self.data.kind().name()
    }
}

macro_rules! data {
    ($($kind:ident($scalar:ident))+; $($real:ident($float:ident))+) => {
        data! { @all Bool(bool) $($kind($scalar))+ $($real($float))+ }
    };
    (@all $($kind:ident($scalar:ident))+) => {
        /// The elements of an array, all of one kind.
        #[derive(Debug, Clone, PartialEq)]
        #[allow(missing_docs)]
        pub enum Data {
            $($kind(Vec<$scalar>),)*
        }

        impl Data {
            /// No elements of a kind.
            #[must_use]
            pub fn none(kind: Prim) -> Self {
                match kind {
                    $(Prim::$kind => Data::$kind(Vec::new()),)*
                }
            }

            /// These elements, which are of this kind.
            pub(in crate::futhark) fn of_constants(kind: Prim, elements: impl Iterator<Item = Const>) -> Self {
                match kind {
                    $(Prim::$kind => Data::$kind(
                        elements
                            .map(|x| if let Const::$kind(x) = x { x } else { panic!("elements are of one kind") })
                            .collect(),
                    ),)*
                }
            }

            /// One more element, which is of their kind.
            fn push(&mut self, element: Const) {
                match (self, element) {
                    $((Data::$kind(elements), Const::$kind(x)) => elements.push(x),)*
                    _ => panic!("elements are of one kind"),
                }
            }

            /// The elements.
            pub(in crate::futhark) fn constants(&self) -> Vec<Const> {
                match self {
                    $(Data::$kind(elements) => elements.iter().map(|x| Const::$kind(*x)).collect(),)*
                }
            }

            /// The elements of a kind that some bytes are, if they are such; there are as many bytes as these have.
            fn of_bytes(kind: Prim, bytes: &[u8]) -> Option<Self> {
                Some(match kind {
                    $(Prim::$kind => Data::$kind(
                        bytes.chunks_exact(size_of::<$scalar>()).map(Bytes::read).collect::<Option<_>>()?,
                    ),)*
                })
            }

            /// Appends the bytes of the elements.
            fn write_bytes(&self, out: &mut Vec<u8>) {
                match self {
                    $(Data::$kind(elements) => elements.iter().for_each(|x| x.write(out)),)*
                }
            }

            /// The kind of the elements.
            #[must_use]
            pub fn kind(&self) -> Prim {
                match self {
                    $(Data::$kind(_) => Prim::$kind,)*
                }
            }

            /// How many elements there are.
            #[must_use]
            pub fn len(&self) -> usize {
                match self {
                    $(Data::$kind(elements) => elements.len(),)*
                }
            }

            /// Whether there are none.
            #[must_use]
            pub fn is_empty(&self) -> bool {
                self.len() == 0
            }
        }

        $(impl From<Vec<$scalar>> for Data {
            fn from(elements: Vec<$scalar>) -> Self {
                Data::$kind(elements)
            }
        }

        impl From<$scalar> for Data {
            fn from(element: $scalar) -> Self {
                Data::$kind(vec![element])
            }
        })*
    };
}

for_numbers!(data!());

/// As text that can be read back.
impl fmt::Display for Array {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        text::write(self, f)
    }
}

/// Reads all values of an input, of which each is in the text or in the binary format. `file` is the number of the input
/// among the [`Sources`](super::source::Sources), for messages.
///
/// ```
/// use catadiff::futhark::values::{Array, read, write_binary};
/// let values = read(b"[1.5f32, 2] true empty([0][3]i64)", 0).unwrap();
/// assert_eq!(values[0], Array::vector(vec![1.5_f32, 2.0]));
/// assert_eq!(values[1].to_string(), "true");
/// assert_eq!(values[2].type_name(), "[0][3]i64");
/// let mut bytes = Vec::new();
/// values.iter().for_each(|value| write_binary(value, &mut bytes));
/// assert_eq!(read(&bytes, 0).unwrap(), values);
/// ```
///
/// # Errors
/// What is no value, with its place.
pub fn read(input: &[u8], file: u32) -> Result<Vec<Array>, Box<Message>> {
    read_as(input, file, &[])
}

/// Reads all values of an input. A number without a suffix is of the kind that is wanted of the value it stands in, if it can be.
///
/// ```
/// use catadiff::futhark::core::Prim;
/// use catadiff::futhark::values::{Array, read_as};
/// let values = read_as(b"[1, 2.5] 3 4i8", 0, &[Prim::F32, Prim::I64, Prim::F64]).unwrap();
/// let names: Vec<String> = values.iter().map(Array::type_name).collect();
/// assert_eq!(names, ["[2]f32", "i64", "i8"]);
/// ```
///
/// # Errors
/// As [`read`].
pub fn read_as(input: &[u8], file: u32, wanted: &[Prim]) -> Result<Vec<Array>, Box<Message>> {
    let mut reader = Reader::new(input, 0, file);
    let mut values = Vec::new();
    while !reader.at_end() {
        reader.want(wanted.get(values.len()).copied());
        values.push(reader.value()?);
    }
    Ok(values)
}

/// Appends a value in the binary format.
pub fn write_binary(value: &Array, out: &mut Vec<u8>) {
    binary::write(value, out);
}
