//! Elements of arrays as the bytes that a device has of them.
//!
//! Law: what goes there comes back as it was, in the kind that the program has (tests/gpu/resident.rs).

use super::kernel::words;
use super::kind::Word;
use super::range::Range;
use super::submission::to_words;
use crate::array::{Const, Prim};
use crate::execute::{Flat, Lent};

/// A scalar as it lies in memory.
pub(super) fn scalar(constant: Const) -> Flat {
    let mut flat = Flat::default();
    flat.become_like(constant.prim(), core::iter::empty());
    match constant.real() {
        Some(x) => flat.fill_reals(core::iter::once(x)),
        None => flat.ints.extend(constant.integer().map(|n| n as i64)),
    }
    flat
}

/// The scalar of a kind that this is, if it is one.
pub(super) fn constant(flat: Lent<'_>, prim: Prim) -> Option<Const> {
    if prim.is_real() {
        flat.real(0).map(|x| Const::rounded(x, prim))
    } else {
        flat.ints.first().map(|n| Const::wrapped((*n).into(), prim))
    }
}

/// What is known of the integers of an array.
pub(super) fn range(prim: Prim, flat: Lent<'_>) -> Range {
    if prim == Prim::I64 { Range::of_all(flat.ints) } else { Range::ANY }
}

/// The bytes of an array on the device.
pub(super) fn uploaded(prim: Prim, flat: Lent<'_>) -> Vec<u8> {
    match Word::of(prim) {
        Word::F64 if flat.singles.is_empty() => flat.reals.iter().flat_map(|x| x.to_le_bytes()).collect(),
        Word::F64 => flat.singles.iter().flat_map(|x| f64::from(*x).to_le_bytes()).collect(),
        Word::F32 if flat.reals.is_empty() && prim == Prim::F32 => {
            flat.singles.iter().flat_map(|x| x.to_le_bytes()).collect()
        }
        Word::F32 => {
            let all = flat.reals.iter().copied().chain(flat.singles.iter().map(|x| (*x).into()));
            all.flat_map(|x: f64| (Const::rounded(x, prim).real().unwrap_or(x) as f32).to_le_bytes()).collect()
        }
        word => {
            let constants = flat.ints.iter().map(|n| Const::wrapped((*n).into(), prim));
            constants.flat_map(|c| words(c, word)).flat_map(u32::to_le_bytes).collect()
        }
    }
}

/// The array that these bytes of the device are.
pub(super) fn downloaded(prim: Prim, sizes: &[usize], bytes: &[u8]) -> Flat {
    let mut flat = Flat::default();
    flat.become_like(prim, sizes.iter().copied());
    match Word::of(prim) {
        Word::F64 => flat.reals = bytes.as_chunks::<8>().0.iter().map(|x| f64::from_le_bytes(*x)).collect(),
        Word::F32 if prim == Prim::F32 => {
            flat.singles = bytes.as_chunks::<4>().0.iter().map(|x| f32::from_le_bytes(*x)).collect();
        }
        Word::F32 => {
            flat.reals = bytes.as_chunks::<4>().0.iter().map(|x| f32::from_le_bytes(*x).into()).collect();
        }
        word => {
            let all = to_words(bytes);
            let each = all.chunks(word.words() as usize);
            flat.ints = each.filter_map(|words| from_words(prim, words).integer()).map(|n| n as i64).collect();
        }
    }
    flat
}

/// The scalar that these words are.
pub(super) fn from_words(prim: Prim, words: &[u32]) -> Const {
    let both = || u64::from(words[0]) | u64::from(words[1]) << 32;
    match Word::of(prim) {
        Word::Bool => Const::Bool(words[0] != 0),
        Word::I32 | Word::U32 => Const::wrapped(words[0].into(), prim),
        Word::I64 | Word::U64 => Const::wrapped(both().into(), prim),
        Word::F32 => Const::rounded(f32::from_bits(words[0]).into(), prim),
        Word::F64 => Const::from_bits(both(), prim),
        Word::Narrow => unreachable!("a kind is not narrow by itself"),
    }
}
