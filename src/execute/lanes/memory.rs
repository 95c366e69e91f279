//! Buffers as a worker sees them.
//!
//! Law: a worker changes what it owns and its part of what is shared out; the rest it reads. What lies outside of a
//! buffer reads as 0.

use super::vector::{GROUP, LANES};

/// The elements of a buffer.
#[derive(Debug)]
pub(super) enum Elements<'m, T> {
    Own(Vec<T>),
    Shared(&'m [T]),
    /// From an element on.
    Part {
        elements: &'m mut [T],
        from: usize,
    },
}

impl<T> Default for Elements<'_, T> {
    fn default() -> Self {
        Elements::Own(Vec::new())
    }
}

impl<T: Copy + Default> Elements<'_, T> {
    #[inline(always)]
    pub(super) fn all(&self) -> &[T] {
        match self {
            Elements::Own(elements) => elements,
            Elements::Shared(elements) => elements,
            Elements::Part { elements, .. } => elements,
        }
    }

    #[inline(always)]
    pub(super) fn get(&self, at: i64) -> T {
        usize::try_from(at).ok().and_then(|at| self.all().get(at)).copied().unwrap_or_default()
    }

    /// The element, to be changed, if it is there and this worker's.
    #[inline(always)]
    pub(super) fn get_mut(&mut self, at: i64) -> Option<&mut T> {
        let at = usize::try_from(at).ok()?;
        match self {
            Elements::Own(elements) => elements.get_mut(at),
            Elements::Part { elements, from } => elements.get_mut(at.checked_sub(*from)?),
            Elements::Shared(_) => None,
        }
    }

    /// So many groups of eight elements in a row, if they are all there.
    #[inline(always)]
    pub(super) fn rows(&self, at: i64, groups: usize) -> Option<&[[T; GROUP]]> {
        let at = usize::try_from(at).ok()?;
        Some(self.all().get(at..at.checked_add(groups * GROUP)?)?.as_chunks().0)
    }

    #[inline(always)]
    pub(super) fn rows_mut(&mut self, at: i64, groups: usize) -> Option<&mut [[T; GROUP]]> {
        let at = usize::try_from(at).ok()?;
        let (elements, from) = match self {
            Elements::Own(elements) => (elements.as_mut_slice(), 0),
            Elements::Part { elements, from } => (&mut **elements, *from),
            Elements::Shared(_) => return None,
        };
        let at = at.checked_sub(from)?;
        Some(elements.get_mut(at..at.checked_add(groups * GROUP)?)?.as_chunks_mut().0)
    }

    /// Gives the buffer its size, keeping the memory that it has.
    pub(super) fn resize(&mut self, count: usize) {
        if let Elements::Own(elements) = self
            && elements.len() != count
        {
            elements.clear();
            elements.resize(count, T::default());
        }
    }

    /// The elements themselves, if they are this worker's own.
    pub(super) fn into_own(self) -> Vec<T> {
        match self {
            Elements::Own(elements) => elements,
            Elements::Shared(_) | Elements::Part { .. } => Vec::new(),
        }
    }

    /// The elements, which this worker owns.
    pub(super) fn own(&mut self) -> &mut Vec<T> {
        match self {
            Elements::Own(elements) => elements,
            Elements::Shared(_) | Elements::Part { .. } => panic!("this buffer is the worker's own"),
        }
    }
}

/// The most elements a buffer may have.
pub(super) const LARGEST: i64 = (1 << 40) / LANES as i64;
