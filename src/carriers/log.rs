//! The memory of a tape: a list that grows behind a shared reference, and a block that is lent to one list at a time.
//!
//! Law: as a `Vec` of the same items; safe outside this file, one of the few with `unsafe` code (CONTRIBUTING has the
//! list). It pays: a 64×64 matrix product records and sweeps in 2.4 ms with [`Log`] and in 3.0 ms with a
//! `RefCell<Vec>`, and without [`Block`] a gradient of 10⁶ variables spends a third of its time in getting 32 MB of
//! fresh pages from the system; the test runs under Miri too (tests/log.rs).
#![allow(unsafe_code)]

use core::cell::UnsafeCell;

/// A list to which holders of a shared reference can append, and which they cannot read. It grows by pieces, so that no
/// item is ever copied.
#[derive(Debug)]
pub(crate) struct Log<T>(UnsafeCell<Pieces<T>>);

/// The items of a list, in pieces.
#[derive(Debug, Clone)]
pub(crate) struct Pieces<T> {
    full: Vec<Vec<T>>,
    last: Vec<T>,
    /// The number of items in the full pieces.
    before: usize,
}

impl<T> Log<T> {
    /// The number of items.
    #[inline(always)]
    #[must_use]
    pub(crate) fn len(&self) -> usize {
        // SAFETY: no reference to the list outlives a call of this type's methods, none of them calls foreign code
        // while it holds one, and the cell keeps the type from being shared between threads.
        unsafe { (*self.0.get()).len() }
    }

    /// Appends an item.
    #[inline(always)]
    pub(crate) fn push(&self, item: T) {
        // SAFETY: as for `len`; moving `item` and growing the list run no code of `T`.
        let list = unsafe { &mut *self.0.get() };
        if list.last.len() == list.last.capacity() {
            grow(list);
        }
        list.last.push(item);
    }

    /// Appends two items, which stand in one piece.
    #[inline(always)]
    pub(crate) fn push_pair(&self, first: T, second: T) {
        // SAFETY: as for `push`.
        let list = unsafe { &mut *self.0.get() };
        if list.last.capacity() - list.last.len() < 2 {
            grow(list);
        }
        list.last.push(first);
        list.last.push(second);
    }

    /// Forgets the items and keeps the memory, from then on in one piece.
    pub(crate) fn clear(&mut self) {
        let list = self.0.get_mut();
        list.last.clear();
        if !list.full.is_empty() {
            let room = list.before + list.last.capacity();
            *list = Pieces::default();
            list.last.reserve(room);
        }
    }

    /// The items, for who has the list to himself.
    pub(crate) fn get_mut(&mut self) -> &mut Pieces<T> {
        self.0.get_mut()
    }

    /// The items.
    #[must_use]
    pub(crate) fn into_inner(self) -> Pieces<T> {
        self.0.into_inner()
    }
}

impl<T> Pieces<T> {
    /// The number of items.
    #[inline(always)]
    #[must_use]
    pub(crate) fn len(&self) -> usize {
        self.before + self.last.len()
    }

    /// The pieces, in order.
    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = &[T]> {
        self.full.iter().map(Vec::as_slice).chain([self.last.as_slice()])
    }
}

/// Adds a piece as large as all before it. Out of line, so that `push` stays small where it is inlined.
#[cold]
#[inline(never)]
fn grow<T>(list: &mut Pieces<T>) {
    // Two items are to stand in one piece.
    let room = list.len().max(FIRST / size_of::<T>().max(1)).max(2);
    settle(room.saturating_mul(size_of::<T>()));
    let full = core::mem::replace(&mut list.last, Vec::with_capacity(room));
    list.before += full.len();
    if !full.is_empty() {
        list.full.push(full);
    }
}

/// The bytes of the first piece: as many as allocators hand out, and take back, from the lists of their threads, without a
/// search. A new tape of some fifty operations costs little else.
const FIRST: usize = 1024;

/// From this many bytes on an allocator may get a block from the system, and give it back.
const LARGE_ALLOCATION: usize = 1 << 16;
/// The largest block of which the GNU allocator takes note, a little less.
const LARGEST_NOTED: usize = (1 << 25) - (1 << 16);

/// Prepares the allocator for tapes with a piece of this many bytes. The GNU one gives memory back to the system as
/// soon as more is free than twice the largest block that it has ever got back, and getting it again, page by page,
/// costs more than all that is done with it. A block that is larger than all of a tape, and is not touched, costs
/// nothing and tells it.
fn settle(bytes: usize) {
    if bytes >= LARGE_ALLOCATION {
        drop(core::hint::black_box(Vec::<u8>::with_capacity(bytes.saturating_mul(4).min(LARGEST_NOTED))));
    }
}

impl<T> Default for Pieces<T> {
    fn default() -> Self {
        Pieces { full: Vec::new(), last: Vec::new(), before: 0 }
    }
}

impl<T> Default for Log<T> {
    fn default() -> Self {
        Log(UnsafeCell::new(Pieces::default()))
    }
}

/// Memory for one list at a time, of any type: it outlives the lists, whose types may name lifetimes that it does not.
#[derive(Debug, Default)]
pub(crate) struct Block(Vec<u64>);

impl Block {
    /// The items as a slice in this memory, which grows if it must.
    pub(crate) fn hold<T: Copy>(&mut self, items: impl ExactSizeIterator<Item = T>) -> &[T] {
        let length = items.len();
        // One alignment more than the items take, so that they can begin at a multiple of it.
        let bytes = length.checked_mul(size_of::<T>()).and_then(|bytes| bytes.checked_add(align_of::<T>()));
        let words = bytes.expect("the items fit in memory").div_ceil(size_of::<u64>());
        if self.0.capacity() < words {
            self.0 = Vec::with_capacity(words);
        }
        let start = self.0.as_mut_ptr().cast::<u8>();
        // SAFETY: `reserve` has made room from `start` on for `length` items and for the step to the next multiple
        // of their alignment; the vector is empty and stays so, so nothing else lives there.
        let place = unsafe { start.add(start.align_offset(align_of::<T>())) }.cast::<T>();
        let mut held = 0;
        for item in items.take(length) {
            // SAFETY: `held < length`, so this is within the room; `place` is aligned.
            unsafe { place.add(held).write(item) };
            held += 1;
        }
        // SAFETY: `held` items are written from `place` on, and the exclusive borrow of the block lasts as long as
        // the slice. They are `Copy`, so forgetting them when the memory is used again loses nothing.
        unsafe { core::slice::from_raw_parts(place, held) }
    }
}
