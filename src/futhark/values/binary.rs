//! The binary format: `b`, the version 2, the rank, four letters for the kind, the sizes, the elements, all little-endian.
//!
//! Law: as of the values; nothing is allocated before the input is known to be long enough for it
//! (tests/language/values.rs, laws: bad_input::of_values).

use super::text::Reader;
use super::{Array, Data};
use crate::futhark::core::Prim;
use crate::futhark::source::Message;
use crate::interpret::count;
use crate::primitives::f16;

const VERSION: u8 = 2;

/// Four letters for a kind.
fn letters(kind: Prim) -> [u8; 4] {
    let mut letters = [b' '; 4];
    let name = kind.name().as_bytes();
    letters[4 - name.len()..].copy_from_slice(name);
    letters
}

/// How many bytes an element takes.
fn width(kind: Prim) -> usize {
    kind.bits().div_ceil(8) as usize
}

/// See [`write_binary`](super::write_binary).
pub(super) fn write(value: &Array, out: &mut Vec<u8>) {
    let (rank, kind) = (u8::try_from(value.shape.len()), value.data.kind());
    out.extend([b'b', VERSION, rank.expect("an array of at most 255 dimensions")]);
    out.extend(letters(kind));
    value.shape.iter().for_each(|&size| out.extend((size as u64).to_le_bytes()));
    value.data.write_bytes(out);
}

/// Reads the value that begins here with `b`.
pub(super) fn read(reader: &mut Reader<'_>) -> Result<Array, Box<Message>> {
    let start = reader.position();
    let cut = |reader: &Reader<'_>, what: &str| {
        reader.mistake(start, format!("the binary value that begins at byte {start} ends within its {what}"))
    };
    let Some(&[_, version, rank, ref kind @ ..]) = reader.take(7) else { return Err(cut(reader, "header")) };
    if version != VERSION {
        let text = format!("the binary value at byte {start} is of version {version}; only version {VERSION} is known");
        return Err(reader.mistake(start, text));
    }
    let Some(kind) = Prim::ALL.into_iter().find(|&known| letters(known) == *kind) else {
        let shown = String::from_utf8_lossy(kind).into_owned();
        let text = format!("the binary value at byte {start} is of the kind {shown:?}, which is not known");
        return Err(reader.mistake(start, text));
    };
    let Some(sizes) = reader.take(8 * usize::from(rank)) else { return Err(cut(reader, "sizes")) };
    let sizes = sizes.as_chunks().0.iter().map(|size| usize::try_from(u64::from_le_bytes(*size)).ok());
    let Some(shape) = sizes.collect::<Option<Vec<usize>>>() else { return Err(cut(reader, "elements")) };
    let bytes = count(&shape).and_then(|count| count.checked_mul(width(kind)));
    let Some(bytes) = bytes.and_then(|bytes| reader.take(bytes)) else { return Err(cut(reader, "elements")) };
    match Data::of_bytes(kind, bytes) {
        Some(data) => Ok(Array { shape, data }),
        None => {
            Err(reader.mistake(start, format!("the binary value at byte {start} has truth values other than 0 and 1")))
        }
    }
}

/// A number by its bytes, the least first.
pub(super) trait Bytes: Sized {
    /// The number that these bytes are, if they are one.
    fn read(bytes: &[u8]) -> Option<Self>;
    fn write(self, out: &mut Vec<u8>);
}

macro_rules! bytes {
    ($($number:ident)+) => {$(
        impl Bytes for $number {
            fn read(bytes: &[u8]) -> Option<Self> {
                Some($number::from_le_bytes(bytes.try_into().ok()?))
            }

            fn write(self, out: &mut Vec<u8>) {
                out.extend(self.to_le_bytes());
            }
        }
    )+};
}

bytes! { i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 }

impl Bytes for f16 {
    fn read(bytes: &[u8]) -> Option<Self> {
        u16::read(bytes).map(f16::from_bits)
    }

    fn write(self, out: &mut Vec<u8>) {
        self.to_bits().write(out);
    }
}

impl Bytes for bool {
    fn read(bytes: &[u8]) -> Option<Self> {
        u8::read(bytes).filter(|byte| *byte <= 1).map(|byte| byte == 1)
    }

    fn write(self, out: &mut Vec<u8>) {
        out.push(self.into());
    }
}
