//! What generated modules begin with: arrays, memory, errors. It is a text that is written before the functions, without this comment.
//!
//! Law: a view has as many elements as its sizes say; memory that C has written is looked at only where every content is a value
//! (build/tests/build/programs.rs).

extern crate alloc;

use core::ffi::{c_int, c_void};
use core::fmt;
use core::ops::{Index, IndexMut};

use self::alloc::vec::Vec;

/// Why a call has no results.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// An array has another number of elements than its sizes say.
    Length {
        /// How many there are.
        elements: usize,
        /// The sizes.
        sizes: Vec<usize>,
    },
    /// Two sizes that must agree do not.
    Sizes {
        /// The function.
        function: &'static str,
        /// What they are sizes of.
        what: &'static str,
        /// Where they are from.
        of: [&'static str; 2],
        /// The sizes.
        sizes: [i64; 2],
    },
    /// Something that the program checks does not hold.
    Check {
        /// The function.
        function: &'static str,
        /// What is wrong, and where in its text.
        what: &'static str,
    },
    /// An argument that the program has no results for: sizes do not fit, an index is in no array, or an integer is divided by 0.
    Argument {
        /// The function.
        function: &'static str,
    },
    /// A number that half precision does not have.
    NotHalf {
        /// The function.
        function: &'static str,
        /// The argument.
        argument: &'static str,
        /// The position of the number among the elements.
        index: usize,
    },
    /// There is no memory for what the function computes, or for its results.
    Memory {
        /// The function.
        function: &'static str,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Length { elements, sizes } => {
                write!(f, "an array of the sizes {sizes:?} cannot have {elements} elements")
            }
            Error::Sizes { function, what, of: [first, second], sizes: [one, other] } => {
                write!(f, "`{function}`: {what} must agree, and `{first}` is {one}, `{second}` is {other}")
            }
            Error::Check { function, what } => write!(f, "`{function}`: {what}"),
            Error::Argument { function } => write!(
                f,
                "`{function}` has no results for these arguments: sizes do not fit, an index is in no array, or an integer is divided by 0"
            ),
            Error::NotHalf { function, argument, index } => {
                write!(f, "`{function}`: element {index} of `{argument}` is no number of half precision")
            }
            Error::Memory { function } => write!(f, "`{function}`: there is not enough memory"),
        }
    }
}

impl core::error::Error for Error {}

/// An array that a function takes: its elements in a row, the last dimension running fastest, and a size for each dimension.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct View<'a, T, const RANK: usize> {
    elements: &'a [T],
    sizes: [usize; RANK],
}

impl<'a, T, const RANK: usize> View<'a, T, RANK> {
    /// An array of these elements.
    ///
    /// # Errors
    /// [`Error::Length`] if the sizes say another number of elements.
    pub fn new(elements: &'a [T], sizes: [usize; RANK]) -> Result<Self, Error> {
        if checked::has_sizes(elements.len(), &sizes) {
            Ok(View { elements, sizes })
        } else {
            Err(Error::Length { elements: elements.len(), sizes: Vec::from(sizes) })
        }
    }

    /// Its elements in a row.
    #[must_use]
    pub fn elements(&self) -> &'a [T] {
        self.elements
    }

    /// Its sizes, outermost first.
    #[must_use]
    pub fn sizes(&self) -> [usize; RANK] {
        self.sizes
    }
}

impl<'a, T, const N: usize> From<&'a [[T; N]]> for View<'a, T, 2> {
    fn from(rows: &'a [[T; N]]) -> Self {
        View { elements: rows.as_flattened(), sizes: [rows.len(), N] }
    }
}

impl<'a, T, const N: usize, const M: usize> From<&'a [[T; N]; M]> for View<'a, T, 2> {
    fn from(rows: &'a [[T; N]; M]) -> Self {
        View { elements: rows.as_flattened(), sizes: [M, N] }
    }
}

impl<'a, T, const RANK: usize> From<&'a Array<T, RANK>> for View<'a, T, RANK> {
    fn from(array: &'a Array<T, RANK>) -> Self {
        array.view()
    }
}

/// An array that a function gives: its elements in a row, the last dimension running fastest, and a size for each dimension.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Array<T, const RANK: usize> {
    elements: Vec<T>,
    sizes: [usize; RANK],
}

impl<T, const RANK: usize> Array<T, RANK> {
    /// An array of these elements.
    ///
    /// # Errors
    /// [`Error::Length`] if the sizes say another number of elements.
    pub fn new(elements: Vec<T>, sizes: [usize; RANK]) -> Result<Self, Error> {
        View::new(&elements, sizes)?;
        Ok(Array { elements, sizes })
    }

    /// The array as functions take it.
    #[must_use]
    pub fn view(&self) -> View<'_, T, RANK> {
        View { elements: &self.elements, sizes: self.sizes }
    }

    /// Its elements in a row.
    #[must_use]
    pub fn elements(&self) -> &[T] {
        &self.elements
    }

    /// Its elements in a row, to be changed.
    #[must_use]
    pub fn elements_mut(&mut self) -> &mut [T] {
        &mut self.elements
    }

    /// Its elements in a row, alone.
    #[must_use]
    pub fn into_elements(self) -> Vec<T> {
        self.elements
    }

    /// Its sizes, outermost first.
    #[must_use]
    pub fn sizes(&self) -> [usize; RANK] {
        self.sizes
    }
}

impl<T, const RANK: usize> Default for Array<T, RANK> {
    fn default() -> Self {
        Array { elements: Vec::new(), sizes: [0; RANK] }
    }
}

impl<T, const RANK: usize> Index<[usize; RANK]> for Array<T, RANK> {
    type Output = T;
    fn index(&self, at: [usize; RANK]) -> &T {
        &self.elements[checked::position(at, self.sizes)]
    }
}

impl<T, const RANK: usize> IndexMut<[usize; RANK]> for Array<T, RANK> {
    fn index_mut(&mut self, at: [usize; RANK]) -> &mut T {
        let position = checked::position(at, self.sizes);
        &mut self.elements[position]
    }
}

/// Memory that functions compute in. One that is kept for the next call is not allocated again, whichever function it is of.
#[derive(Debug, Default)]
pub struct Workspace {
    blocks: Vec<Block>,
}

/// Memory as C wants it aligned.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(64))]
struct Block {
    bytes: [u8; 64],
}

impl Workspace {
    /// Memory that is not allocated yet.
    #[must_use]
    pub const fn new() -> Self {
        Workspace { blocks: Vec::new() }
    }

    /// How many bytes there are.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.blocks.capacity() * size_of::<Block>()
    }

    /// As many bytes as are wanted, as C counts them.
    fn with(&mut self, function: &'static str, wanted: i64) -> Result<i64, Error> {
        let none = || Error::Memory { function };
        let blocks = usize::try_from(wanted).map_err(|_| none())?.div_ceil(size_of::<Block>());
        if blocks > self.blocks.capacity() {
            // What is in them is of no use.
            self.blocks = Vec::new();
            self.blocks.try_reserve_exact(blocks).map_err(|_| none())?;
        }
        i64::try_from(self.bytes()).map_err(|_| none())
    }

    fn start(&mut self) -> *mut c_void {
        self.blocks.as_mut_ptr().cast()
    }
}

/// What functions do before and after C does something.
mod checked {
    use core::ffi::c_int;

    use super::alloc::vec::Vec;
    use super::Error;

    /// What a function in C returns.
    pub(super) const DONE: c_int = 0;
    pub(super) const MEMORY: c_int = 1;
    pub(super) const ROOM: c_int = 2;

    /// Whether an array of these sizes has this number of elements, which is one that C counts with.
    pub(super) fn has_sizes(elements: usize, sizes: &[usize]) -> bool {
        let times = |product: usize, size: &usize| product.checked_mul(*size);
        // One without elements has sizes as well.
        let all = sizes.iter().filter(|size| **size > 0).try_fold(1_usize, times);
        all.is_some_and(|all| i64::try_from(all).is_ok() && elements == if sizes.contains(&0) { 0 } else { all })
    }

    /// Sizes as C has them.
    pub(super) fn c_sizes<const RANK: usize>(sizes: [usize; RANK]) -> [i64; RANK] {
        sizes.map(|size| i64::try_from(size).unwrap_or(i64::MAX))
    }

    /// How many elements an array of these sizes has; of sizes that are none, and of too many elements, it is not known.
    pub(super) fn count(sizes: &[i64]) -> Option<usize> {
        sizes.iter().try_fold(1_usize, |product, size| product.checked_mul(usize::try_from(*size).ok()?))
    }

    /// Room for as many elements at least.
    pub(super) fn room<T: Copy + Default>(function: &'static str, elements: &mut Vec<T>, count: Option<usize>) -> Result<(), Error> {
        let count = count.ok_or(Error::Memory { function })?;
        if count > elements.len() {
            elements.try_reserve_exact(count - elements.len()).map_err(|_| Error::Memory { function })?;
            elements.resize(count, T::default());
        }
        Ok(())
    }

    /// The sizes of a result that is there, whose elements are the first ones.
    pub(super) fn finished<T, const RANK: usize>(
        function: &'static str,
        elements: &mut Vec<T>,
        sizes: [i64; RANK],
    ) -> Result<[usize; RANK], Error> {
        match count(&sizes) {
            Some(count) if count <= elements.len() => elements.truncate(count),
            _ => return Err(Error::Memory { function }),
        }
        Ok(sizes.map(|size| usize::try_from(size).unwrap_or(0)))
    }

    /// Makes truth values of bytes that C may have written.
    pub(super) fn truths(truths: &mut Vec<bool>) {
        let bytes: *mut u8 = truths.as_mut_ptr().cast();
        for k in 0..truths.len() {
            // SAFETY: the vector has this many elements, each of which is a byte, and a byte may have any content.
            unsafe { *bytes.add(k) = u8::from(*bytes.add(k) != 0) }
        }
    }

    /// `Ok` if half precision has all of these numbers.
    pub(super) fn halves(function: &'static str, argument: &'static str, numbers: &[f64]) -> Result<(), Error> {
        // A half is a multiple of the last of its 11 digits, or of the smallest half.
        let is_half = |x: f64| {
            let exponent = i32::try_from(x.to_bits() >> 52 & 0x7ff).unwrap_or(0) - 1023;
            let last = f64::from_bits(u64::try_from(exponent.max(-14) - 10 + 1023).unwrap_or(0) << 52);
            !x.is_finite() || (x.abs() <= 65504.0 && x % last == 0.0)
        };
        match numbers.iter().position(|x| !is_half(*x)) {
            None => Ok(()),
            Some(index) => Err(Error::NotHalf { function, argument, index }),
        }
    }

    /// `Ok` if two sizes agree.
    pub(super) fn agree(
        function: &'static str,
        what: &'static str,
        of: [&'static str; 2],
        sizes: [i64; 2],
    ) -> Result<(), Error> {
        if sizes[0] == sizes[1] { Ok(()) } else { Err(Error::Sizes { function, what, of, sizes }) }
    }

    /// Where an element is among all.
    pub(super) fn position<const RANK: usize>(at: [usize; RANK], sizes: [usize; RANK]) -> usize {
        at.iter().zip(&sizes).fold(0, |before, (at, size)| {
            assert!(at < size, "the index {at} is not in a dimension of size {size}");
            before * size + at
        })
    }
}
