//! Arrays as bytes, for other ranks and for files, and back.
//!
//! Law: what is read back is what was written, to the last bit (tests/mpi/suite.rs).

use crate::array::Prim;
use crate::execute::{Flat, Lent};

/// How many bytes an element takes.
pub(super) fn width(prim: Prim) -> usize {
    if prim == Prim::F32 { 4 } else { 8 }
}

/// Adds the elements of an array.
pub(super) fn write(array: Lent<'_>, into: &mut Vec<u8>) {
    // One of the three has elements.
    into.extend(array.reals.iter().flat_map(|x| x.to_le_bytes()));
    into.extend(array.singles.iter().flat_map(|x| x.to_le_bytes()));
    into.extend(array.ints.iter().flat_map(|n| n.to_le_bytes()));
}

/// The array of a kind and of these sizes that these bytes are the elements of.
pub(super) fn read(prim: Prim, sizes: Vec<usize>, bytes: &[u8]) -> Flat {
    let mut flat = Flat { prim, sizes, reals: Vec::new(), singles: Vec::new(), ints: Vec::new() };
    match prim {
        Prim::F32 => flat.singles = words(bytes, f32::from_le_bytes),
        prim if prim.is_real() => flat.reals = words(bytes, f64::from_le_bytes),
        _ => flat.ints = words(bytes, i64::from_le_bytes),
    }
    flat
}

/// Bytes as words of some length.
pub(super) fn words<const N: usize, T>(bytes: &[u8], word: impl Fn([u8; N]) -> T) -> Vec<T> {
    bytes.chunks_exact(N).map(|bytes| word(bytes.try_into().expect("a chunk has its size"))).collect()
}

/// A scalar of kind `i64`.
pub(super) fn integer(n: i64) -> Flat {
    Flat { prim: Prim::I64, sizes: Vec::new(), reals: Vec::new(), singles: Vec::new(), ints: vec![n] }
}
