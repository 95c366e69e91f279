//! Rectangular arrays, whose elements lie one after the other in memory that arrays share.
//!
//! Law: an array has as many elements as the product of its sizes. An element or subarray is a view, at no cost for its size; what
//! shares its memory is copied before it is written to (tests/array/interpret.rs, tests/language/interpret.rs).

use core::fmt;
use std::sync::Arc;

use smallvec::SmallVec;

/// The sizes of an array, outermost first.
pub(crate) type Sizes = SmallVec<[usize; 2]>;

/// A rectangular array: sizes, and a stretch of elements. `H` is what is noted of the memory that they lie in.
pub struct Contiguous<E, H> {
    sizes: Sizes,
    start: usize,
    memory: Arc<Memory<E, H>>,
}

struct Memory<E, H> {
    elements: Vec<E>,
    note: H,
}

impl<E, H> Clone for Contiguous<E, H> {
    fn clone(&self) -> Self {
        Contiguous { sizes: self.sizes.clone(), start: self.start, memory: self.memory.clone() }
    }
}

// What an array is does not depend on where its elements lie.
impl<E: fmt::Debug, H> fmt::Debug for Contiguous<E, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Array").field("sizes", &self.sizes()).field("elements", &self.elements()).finish()
    }
}

impl<E: PartialEq, H> PartialEq for Contiguous<E, H> {
    fn eq(&self, other: &Self) -> bool {
        self.sizes == other.sizes && self.elements() == other.elements()
    }
}

/// The number of elements of an array of these sizes, unless it is beyond all memory.
pub(crate) fn count(sizes: &[usize]) -> Option<usize> {
    // A size of 0 anywhere makes it 0, however large the others are.
    if sizes.contains(&0) { Some(0) } else { sizes.iter().try_fold(1_usize, |n, size| n.checked_mul(*size)) }
}

/// The same for an array that is there: only inside of an empty one can it be beyond all memory.
pub(crate) fn count_of_part(sizes: &[usize]) -> usize {
    count(sizes).unwrap_or(0)
}

/// How far it is from one element to the next in each dimension of an array of these sizes.
pub(crate) fn strides(sizes: &[usize]) -> Vec<isize> {
    let stride = |dimension: usize| count_of_part(&sizes[dimension + 1..]) as isize;
    (0..sizes.len()).map(stride).collect()
}

/// The elements of an array of these sizes, in order, as lines along its last dimension: how long they are, how far it is in them
/// from one element to the next, and where each begins.
pub(crate) fn lines(start: isize, sizes: &[usize], strides: &[isize]) -> (usize, isize, Vec<isize>) {
    if sizes.contains(&0) {
        return (0, 1, Vec::new());
    }
    let mut dimensions: Vec<(usize, isize)> = sizes.iter().copied().zip(strides.iter().copied()).collect();
    // Rows that follow each other are one line.
    while let [.., (rows, between), (length, stride)] = dimensions[..]
        && between == stride.wrapping_mul(length as isize)
    {
        dimensions.truncate(dimensions.len() - 2);
        dimensions.push((rows * length, stride));
    }
    let (length, stride) = dimensions.pop().unwrap_or((1, 1));
    let mut starts = vec![start];
    for (size, stride) in dimensions {
        starts = starts.into_iter().flat_map(|start| (0..size as isize).map(move |i| start + i * stride)).collect();
    }
    (length, stride, starts)
}

impl<E, H> Contiguous<E, H> {
    /// An array that is made of its elements, with a note.
    pub(crate) fn noted(sizes: impl Into<Sizes>, elements: Vec<E>, note: H) -> Self {
        let sizes = sizes.into();
        debug_assert_eq!(count(&sizes), Some(elements.len()), "an array has as many elements as its sizes say");
        #[allow(clippy::arc_with_non_send_sync, reason = "values of carriers that can be sent can be sent")]
        Contiguous { sizes, start: 0, memory: Arc::new(Memory { elements, note }) }
    }

    pub(crate) fn sizes(&self) -> &[usize] {
        &self.sizes
    }

    /// The sizes of a row.
    pub(crate) fn row_sizes(&self) -> &[usize] {
        &self.sizes[1..]
    }

    /// The number of elements of the outermost dimension.
    pub(crate) fn len(&self) -> usize {
        self.sizes[0]
    }

    /// What is noted of the memory of the elements.
    pub(crate) fn note(&self) -> &H {
        &self.memory.note
    }

    /// The elements in order, the last dimension running fastest.
    pub(crate) fn elements(&self) -> &[E] {
        &self.memory.elements[self.start..self.start + count_of_part(&self.sizes)]
    }

    /// Whether something else lies, or has lain, in the same memory.
    pub(crate) fn is_shared(&self) -> bool {
        Arc::strong_count(&self.memory) > 1 || self.memory.elements.len() > count_of_part(&self.sizes)
    }

    /// The elements, to be written to, if nothing else reads them.
    pub(crate) fn unshared(&mut self) -> Option<(&mut [E], &mut H)> {
        let length = count_of_part(&self.sizes);
        let memory = Arc::get_mut(&mut self.memory)?;
        Some((&mut memory.elements[self.start..self.start + length], &mut memory.note))
    }

    /// The same elements in an array of other sizes, which are for as many.
    pub(crate) fn reshaped(self, sizes: impl Into<Sizes>) -> Self {
        Contiguous { sizes: sizes.into(), ..self }
    }

    /// `length` subarrays from `first` on, which are there.
    #[cfg(feature = "futhark")]
    pub(crate) fn rows(&self, first: usize, length: usize) -> Self {
        let mut sizes = self.sizes.clone();
        sizes[0] = length;
        let start = self.start + first * count_of_part(self.row_sizes());
        Contiguous { sizes, start, memory: self.memory.clone() }
    }
}

impl<E: Clone, H> Contiguous<E, H> {
    /// The element or subarray at an index of the outermost dimension, which is in bounds.
    pub(crate) fn row<T: From<E> + From<Self>>(&self, at: usize) -> T {
        let place = if self.sizes.len() == 1 { at } else { at * count_of_part(self.row_sizes()) };
        self.part(1, place)
    }

    /// The part that starts at an element and has the sizes of the dimensions from `dimension` on.
    pub(crate) fn part<T: From<E> + From<Self>>(&self, dimension: usize, start: usize) -> T {
        let start = self.start + start;
        if dimension == self.sizes.len() {
            return self.memory.elements[start].clone().into();
        }
        Contiguous { sizes: self.sizes[dimension..].into(), start, memory: self.memory.clone() }.into()
    }

    /// Copies of these elements, one after the other, as many as an array of these sizes has room for.
    pub(crate) fn filled(sizes: impl Into<Sizes>, elements: &[E], note: H) -> Self {
        let sizes = sizes.into();
        let total = count_of_part(&sizes);
        let mut made = Vec::with_capacity(total);
        (0..total.checked_div(elements.len()).unwrap_or(0)).for_each(|_| made.extend_from_slice(elements));
        Self::noted(sizes, made, note)
    }

    /// A copy in memory of its own.
    pub(crate) fn copied(&self, note: H) -> Self {
        Self::noted(self.sizes.clone(), self.elements().to_vec(), note)
    }

    /// The elements along these [lines], in an array of these sizes.
    pub(crate) fn rearranged(&self, start: isize, sizes: &[usize], strides: &[isize], note: H) -> Self {
        let elements = self.elements();
        let mut made = Vec::with_capacity(count_of_part(sizes));
        let (length, stride, starts) = lines(start, sizes, strides);
        for start in starts {
            if stride == 1 {
                made.extend_from_slice(&elements[start as usize..][..length]);
            } else {
                made.extend((0..length as isize).map(|i| elements[(start + i * stride) as usize].clone()));
            }
        }
        Self::noted(sizes, made, note)
    }

    /// The array with its dimensions in another order.
    pub(crate) fn permuted(&self, order: &[usize], note: H) -> Self {
        let [sizes, strides] = [self.sizes.iter().map(|n| *n as isize).collect(), strides(&self.sizes)]
            .map(|of: Vec<isize>| order.iter().map(|d| of[*d]).collect::<Vec<_>>());
        let sizes: Sizes = sizes.into_iter().map(|n| n as usize).collect();
        self.rearranged(0, &sizes, &strides, note)
    }

    /// The array with its rows in the opposite order.
    pub(crate) fn reversed(&self, note: H) -> Self {
        let mut strides = strides(&self.sizes);
        let start = (self.len() as isize - 1).max(0) * strides[0];
        strides[0] = -strides[0];
        self.rearranged(start, &self.sizes, &strides, note)
    }
}

/// Rows that are collected into an array.
#[derive(Debug)]
pub(crate) struct Rows<E> {
    sizes: Option<Sizes>,
    elements: Vec<E>,
    length: usize,
}

impl<E: Clone> Rows<E> {
    /// No rows, with room for some elements.
    pub(crate) fn new(room: usize) -> Self {
        Rows { sizes: None, elements: Vec::with_capacity(room), length: 0 }
    }

    /// The sizes of a row, which are those of the first; if there is none yet, it will be this one.
    pub(crate) fn sizes(&mut self, of: &[usize]) -> &[usize] {
        self.sizes.get_or_insert_with(|| of.into())
    }

    /// Adds a row, which has the [sizes](Self::sizes) of the others.
    pub(crate) fn push(&mut self, row: &[E]) {
        self.elements.extend_from_slice(row);
        self.length += 1;
    }

    /// How many elements there are.
    pub(crate) fn count(&self) -> usize {
        self.elements.len()
    }

    /// The array of the rows. If there are none, these are the sizes that a row would have.
    pub(crate) fn finish<H>(self, without: impl FnOnce() -> Vec<usize>, note: H) -> Contiguous<E, H> {
        let mut sizes = Sizes::from_slice(&[self.length]);
        match self.sizes {
            Some(of) => sizes.extend(of),
            None => sizes.extend(without()),
        }
        Contiguous::noted(sizes, self.elements, note)
    }
}
