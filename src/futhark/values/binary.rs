//! The binary format: `b`, the version 2, the rank, four letters for the kind, the sizes, the elements, all little-endian.
//!
//! Law: as of the values; nothing is allocated before the input is known to be long enough for it
//! (tests/language/values.rs, laws: bad_input::of_values).

use super::text::Reader;
use super::{Array, Data};
use crate::futhark::core::Prim;
use crate::futhark::source::Message;

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

macro_rules! numbers {
    ($($kind:ident $scalar:ty,)*) => {
        /// The elements that some bytes are.
        fn elements(kind: Prim, bytes: &[u8]) -> Option<Data> {
            Some(match kind {
                $(Prim::$kind => Data::$kind(
                    bytes.as_chunks().0.iter().map(|element| <$scalar>::from_le_bytes(*element)).collect(),
                ),)*
                Prim::Bool => {
                    if bytes.iter().any(|&byte| byte > 1) {
                        return None;
                    }
                    Data::Bool(bytes.iter().map(|&byte| byte == 1).collect())
                }
            })
        }

        /// See [`write_binary`](super::write_binary).
        pub(super) fn write(value: &Array, out: &mut Vec<u8>) {
            let rank = u8::try_from(value.shape.len()).expect("an array of at most 255 dimensions");
            out.extend([b'b', VERSION, rank]);
            out.extend(letters(value.data.kind()));
            value.shape.iter().for_each(|&size| out.extend((size as u64).to_le_bytes()));
            match &value.data {
                $(Data::$kind(elements) => elements.iter().for_each(|element| out.extend(element.to_le_bytes())),)*
                Data::Bool(elements) => out.extend(elements.iter().map(|&element| u8::from(element))),
            }
        }
    };
}

numbers! {
    I8 i8,
    I16 i16,
    I32 i32,
    I64 i64,
    U8 u8,
    U16 u16,
    U32 u32,
    U64 u64,
    F32 f32,
    F64 f64,
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
    match elements(kind, bytes) {
        Some(data) => Ok(Array { shape, data }),
        None => {
            Err(reader.mistake(start, format!("the binary value at byte {start} has truth values other than 0 and 1")))
        }
    }
}

/// The count of elements of an array of a shape, if it does not overflow.
pub(super) fn count(shape: &[usize]) -> Option<usize> {
    if shape.contains(&0) {
        return Some(0);
    }
    shape.iter().try_fold(1_usize, |count, &size| count.checked_mul(size))
}
