//! The rows of an array in a file that are a rank's: nothing else is read.
//!
//! Law: the rows of all ranks, one after the other, are the array in the file (tests/mpi/sharded.rs).

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use super::placement::part;
use super::wire::words;
use super::{World, agreed};
use crate::array::Prim;
use crate::error::{Error, Result};
use crate::execute::Flat;

/// The one version of the format.
const VERSION: u8 = 2;

impl World {
    /// The [part](super::part) of this rank of the array in a file, which is one value in Futhark's binary format, as `catadiff run --binary`
    /// and other tools write it: `b`, the version, the rank, the kind, the sizes, and the elements, the last dimension running fastest.
    ///
    /// ```no_run
    /// use catadiff::execute::mpi::World;
    /// let world = World::join()?;
    /// let points = world.read_rows("points.bin")?;
    /// # Ok::<(), catadiff::Error>(())
    /// ```
    ///
    /// All ranks call it, each with the file where it has it.
    ///
    /// # Errors
    /// [`Error::File`] if it cannot be read, is cut short, or is not one array; [`Error::Rank`] if that is so on another rank, so that none goes
    /// on alone.
    pub fn read_rows(&self, file: impl AsRef<Path>) -> Result<Flat> {
        agreed(self.rows(file.as_ref()))?
    }

    fn rows(&self, path: &Path) -> Result<Flat> {
        let wrong = |reason: &str| Error::File { file: path.display().to_string(), reason: reason.to_owned() };
        let failed = |error: std::io::Error| wrong(&error.to_string());
        let mut file = File::open(path).map_err(failed)?;
        let length = file.metadata().map_err(failed)?.len();
        let mut head = [0; 7];
        file.read_exact(&mut head).map_err(failed)?;
        let [b'b', VERSION, rank, kind @ ..] = head else { return Err(wrong("it is no value in the binary format")) };
        let kind = std::str::from_utf8(&kind).ok().and_then(|kind| Prim::named(kind.trim()));
        let kind = kind.ok_or_else(|| wrong("its elements are of no kind that there is"))?;
        let mut sizes = Vec::new();
        for _ in 0..rank {
            let mut size = [0; 8];
            file.read_exact(&mut size).map_err(failed)?;
            sizes.push(usize::try_from(u64::from_le_bytes(size)).map_err(|_| wrong("it is larger than memory"))?);
        }
        let [rows, inner @ ..] = &sizes[..] else {
            return Err(wrong("what is split is an array, and it has one number"));
        };
        let width = if kind == Prim::Bool { 1 } else { kind.bits() as usize / 8 };
        let row = inner.iter().try_fold(width, |bytes, size| bytes.checked_mul(*size));
        let row = row.ok_or_else(|| wrong("it is larger than memory"))?;
        let elements = row.checked_mul(*rows).ok_or_else(|| wrong("it is larger than memory"))?;
        let start = 7 + 8 * u64::from(rank);
        if length != start + elements as u64 {
            return Err(wrong("it is cut short, or there is more than one value in it"));
        }
        let mine = part(*rows, self.rank(), self.ranks());
        let mut bytes = vec![0; mine.len() * row];
        file.seek(SeekFrom::Start(start + (mine.start * row) as u64)).map_err(failed)?;
        file.read_exact(&mut bytes).map_err(failed)?;
        let sizes: Vec<usize> = core::iter::once(mine.len()).chain(inner.iter().copied()).collect();
        match kind {
            Prim::F64 => Flat::reals(&sizes, words(&bytes, f64::from_le_bytes)),
            Prim::F32 => Flat::singles(&sizes, words(&bytes, f32::from_le_bytes)),
            Prim::F16 => Flat::halves(
                &sizes,
                words(&bytes, u16::from_le_bytes)
                    .into_iter()
                    .map(|bits| crate::primitives::f16::from_bits(bits).into()),
            ),
            Prim::Bool | Prim::U8 => Flat::exact(kind, &sizes, words(&bytes, |[byte]: [u8; 1]| byte.into())),
            Prim::I8 => Flat::exact(kind, &sizes, words(&bytes, |byte| i8::from_le_bytes(byte).into())),
            Prim::I16 => Flat::exact(kind, &sizes, words(&bytes, |word| i16::from_le_bytes(word).into())),
            Prim::U16 => Flat::exact(kind, &sizes, words(&bytes, |word| u16::from_le_bytes(word).into())),
            Prim::I32 => Flat::exact(kind, &sizes, words(&bytes, |word| i32::from_le_bytes(word).into())),
            Prim::U32 => Flat::exact(kind, &sizes, words(&bytes, |word| u32::from_le_bytes(word).into())),
            // Those without a sign are here by their bits.
            Prim::I64 | Prim::U64 => Flat::exact(kind, &sizes, words(&bytes, i64::from_le_bytes)),
        }
    }
}
