//! Buffers as a worker sees them.
//!
//! Law: a worker changes what it owns and its part of what is shared out; the rest it reads. What lies outside of a
//! buffer reads as 0 (tests/execute/lanes.rs).

use super::budget::{Held, Watch};
use super::machine::Fault;
use crate::kernel::code::LARGEST;

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

    /// `groups` groups of `G` elements in a row, if they are all there.
    #[inline(always)]
    pub(super) fn rows<const G: usize>(&self, at: i64, groups: usize) -> Option<&[[T; G]]> {
        let at = usize::try_from(at).ok()?;
        Some(self.all().get(at..at.checked_add(groups * G)?)?.as_chunks().0)
    }

    /// `G` elements in a row, with 0 for those that are not there.
    #[inline(always)]
    pub(super) fn some<const G: usize>(&self, at: i64) -> [T; G] {
        let part = usize::try_from(at).ok().and_then(|at| self.all().get(at..));
        if let Some(all) = part.and_then(|part| part.first_chunk()) {
            return *all;
        }
        let mut some = [T::default(); G];
        match part {
            Some(part) => {
                for (x, element) in some.iter_mut().zip(part) {
                    *x = *element;
                }
            }
            None => {
                for (i, x) in some.iter_mut().enumerate() {
                    *x = self.get(at.wrapping_add(i as i64));
                }
            }
        }
        some
    }

    /// The elements that this worker may change, and the number of the first.
    #[inline(always)]
    pub(super) fn changeable(&mut self) -> (&mut [T], usize) {
        match self {
            Elements::Own(elements) => (elements, 0),
            Elements::Part { elements, from } => (elements, *from),
            Elements::Shared(_) => (&mut [], 0),
        }
    }

    /// `count` elements in a row, to be changed, if they are all there.
    #[inline(always)]
    pub(super) fn part_mut(&mut self, at: i64, count: usize) -> Option<&mut [T]> {
        let at = usize::try_from(at).ok()?;
        let (elements, from) = self.changeable();
        let at = at.checked_sub(from)?;
        elements.get_mut(at..at.checked_add(count)?)
    }

    #[inline(always)]
    pub(super) fn rows_mut<const G: usize>(&mut self, at: i64, groups: usize) -> Option<&mut [[T; G]]> {
        Some(self.part_mut(at, groups * G)?.as_chunks_mut().0)
    }

    /// Gives the buffer its size, keeping the memory that it has. One that is `roomy` may be larger.
    #[inline(always)]
    pub(super) fn resize(&mut self, count: usize, roomy: bool) -> Result<(), Fault> {
        if let Elements::Own(elements) = self
            && (elements.len() < count || !roomy && elements.len() != count)
        {
            elements.clear();
            elements.try_reserve_exact(count).map_err(|_| Fault)?;
            elements.resize(count, T::default());
        }
        Ok(())
    }

    /// Takes memory to work on, if this is a buffer of the worker's own that has none: whether it did.
    pub(super) fn accept(&mut self, memory: &mut Vec<T>) -> bool {
        match self {
            Elements::Own(elements) if elements.capacity() == 0 => {
                core::mem::swap(elements, memory);
                true
            }
            Elements::Own(_) | Elements::Shared(_) | Elements::Part { .. } => false,
        }
    }

    /// The elements themselves, if they are this worker's own.
    pub(super) fn into_own(self) -> Elements<'static, T> {
        match self {
            Elements::Own(elements) => Elements::Own(elements),
            Elements::Shared(_) | Elements::Part { .. } => Elements::default(),
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

/// Gives a buffer its size: how many elements that are. Where lanes have their own, it is the size for each, beside their number.
#[inline(always)]
pub(super) fn allocate<R: Copy + Default>(
    watch: &Watch<'_>,
    held: &mut Held,
    (reals, ints): (&mut [Elements<'_, R>], &mut [Elements<'_, i64>]),
    (real, buffer): (bool, u32),
    (count, own): (i64, Option<usize>),
    at: usize,
) -> Result<usize, Fault> {
    let each = own.unwrap_or(1);
    if !(0..=LARGEST / each as i64).contains(&count) {
        return Err(Fault);
    }
    let count = count as usize * each;
    watch.room(held.resize(real, buffer, count), at)?;
    if real {
        reals[buffer as usize].resize(count, own.is_some())?;
    } else {
        ints[buffer as usize].resize(count, own.is_some())?;
    }
    Ok(count)
}
