//! Elements of a buffer at equal distances, or at numbers that are known, which are checked together and not one by one.
//!
//! Law: it is the loop over the elements in their order, where all of them are there; else nothing is done
//! (tests/execute/lanes.rs, tests/execute/blocks.rs).

#![allow(unsafe_code, reason = "elements are taken without a check of each; all are checked before")]

use super::vector::{Source, lanes};

/// Whether `count` elements from `first` on, each `stride` after the one before, are among the first `length`.
#[inline(always)]
fn are_there(length: usize, first: i64, stride: i64, count: usize) -> bool {
    let far = stride.checked_mul(count as i64 - 1).and_then(|far| first.checked_add(far));
    far.is_some_and(|last| first.min(last) >= 0 && (first.max(last) as u64) < length as u64)
}

/// Puts the first `count` lanes of an operand, which are some, to what is there: whether all have a place.
#[inline(always)]
pub(super) fn update<T: Copy, const G: usize>(
    elements: &mut [T],
    [first, stride]: [i64; 2],
    x: impl Source<T, G>,
    count: usize,
    plus: impl Fn(T, T) -> T,
) -> bool {
    if !are_there(elements.len(), first, stride, count) {
        return false;
    }
    let (mut at, stride) = (elements.as_mut_ptr().wrapping_offset(first as isize), stride as isize);
    for k in 0..count / G {
        let x = x.group(k);
        for (i, x) in x.iter().enumerate() {
            // SAFETY: the first and the last element are there, so all between them are, and nobody else has them.
            let element = unsafe { &mut *at.wrapping_offset(stride.wrapping_mul(i as isize)) };
            *element = plus(*element, *x);
        }
        at = at.wrapping_offset(stride.wrapping_mul(G as isize));
    }
    if !count.is_multiple_of(G) {
        let x = x.group(count / G);
        for (i, x) in x[..count % G].iter().enumerate() {
            // SAFETY: as above.
            let element = unsafe { &mut *at.wrapping_offset(stride.wrapping_mul(i as isize)) };
            *element = plus(*element, *x);
        }
    }
    true
}

/// `G` elements from `first` on, if all are there.
#[inline(always)]
pub(super) fn load<T: Copy, const G: usize>(elements: &[T], first: i64, stride: i64) -> Option<[T; G]> {
    if !are_there(elements.len(), first, stride, G) {
        return None;
    }
    let (at, stride) = (elements.as_ptr().wrapping_offset(first as isize), stride as isize);
    // SAFETY: the first and the last element are there, so all between them are.
    Some(lanes(|i| unsafe { *at.wrapping_offset(stride.wrapping_mul(i as isize)) }))
}

/// Whether all numbers are those of elements.
#[inline(always)]
fn are_all_there<const G: usize>(length: usize, at: &[i64; G]) -> bool {
    // Without branches, so that they are compared together.
    at.iter().fold(true, |there, at| there & ((*at as u64) < length as u64))
}

/// Puts the lanes to the elements of these numbers: whether all are there.
#[inline(always)]
pub(super) fn update_at<T: Copy, const G: usize>(
    elements: &mut [T],
    at: &[i64; G],
    x: &[T; G],
    plus: impl Fn(T, T) -> T,
) -> bool {
    if !are_all_there(elements.len(), at) {
        return false;
    }
    for (at, x) in at.iter().zip(x) {
        // SAFETY: it is there, as is checked above.
        let element = unsafe { elements.get_unchecked_mut(*at as usize) };
        *element = plus(*element, *x);
    }
    true
}

/// The elements of these numbers, if all are there.
#[inline(always)]
pub(super) fn load_at<T: Copy, const G: usize>(elements: &[T], at: &[i64; G]) -> Option<[T; G]> {
    // SAFETY: they are there.
    are_all_there(elements.len(), at).then(|| lanes(|i| unsafe { *elements.get_unchecked(at[i] as usize) }))
}

/// Says that an element is read or written soon; there need not be any.
#[inline(always)]
pub(super) fn expect<T>(elements: &[T], at: i64) {
    let at = elements.as_ptr().wrapping_offset(at as isize);
    // SAFETY: every x86-64 has the instruction, and it leaves memory alone that is not there.
    #[cfg(target_arch = "x86_64")]
    unsafe {
        core::arch::x86_64::_mm_prefetch::<{ core::arch::x86_64::_MM_HINT_T0 }>(at.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = at;
}
