//! The memory of a tape is a `Vec`, for items of every size and alignment. Nothing here needs the crate, so that Miri can
//! run it in seconds: `cargo +nightly miri test --test log`.

#[path = "../src/carriers/log.rs"]
mod log;

use core::fmt::Debug;

use log::{Block, Log};

#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(align(64))]
struct Wide(u8);

#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(align(32))]
struct Nothing;

/// Lengths around those at which memory grows: the first piece holds 16 of the widest items, 64 pairs, or 1024 bytes.
const LENGTHS: [usize; 11] = [0, 1, 2, 15, 16, 17, 63, 64, 65, 129, 1025];

/// A list is what a vector is to which the same was appended, one and two at a time.
fn appended<T: Clone + PartialEq + Debug>(item: impl Fn(usize) -> T) {
    for length in LENGTHS {
        for pairs in [1, 2] {
            let (mut list, mut expected) = (Log::default(), Vec::new());
            while expected.len() < length {
                let k = expected.len();
                if k % pairs == 0 {
                    list.push(item(k));
                    expected.push(item(k));
                } else {
                    list.push_pair(item(k), item(k + 1));
                    expected.extend([item(k), item(k + 1)]);
                }
                assert_eq!(list.len(), expected.len());
            }
            let all = |list: &mut Log<T>| list.get_mut().iter().flatten().cloned().collect::<Vec<T>>();
            assert_eq!(all(&mut list), expected);
            let backward = list.get_mut().iter().rev().flat_map(|piece| piece.iter().rev()).cloned();
            assert!(backward.eq(expected.iter().rev().cloned()));
            // Cleared, it holds as many in one piece.
            list.clear();
            assert_eq!((list.len(), all(&mut list)), (0, Vec::new()));
            expected.iter().for_each(|item| list.push(item.clone()));
            assert_eq!(list.get_mut().iter().filter(|piece| !piece.is_empty()).count(), usize::from(length > 0));
            assert_eq!(list.into_inner().iter().flatten().cloned().collect::<Vec<T>>(), expected);
        }
    }
}

#[test]
fn a_list_is_a_vector() {
    appended(|k| k as u8);
    appended(|k| (k as u8, k as u64));
    appended(|k| Wide(k as u8));
    appended(|_| Nothing);
    // Items that own something are dropped once.
    appended(|k| k.to_string());
}

/// The items in a block, however long it was, are those of a vector, at multiples of their alignment.
fn held<T: Copy + PartialEq + Debug>(block: &mut Block, item: impl Fn(usize) -> T) {
    for length in LENGTHS.into_iter().chain(LENGTHS.into_iter().rev()) {
        let items = block.hold((0..length).map(&item));
        assert!(items.as_ptr().is_aligned());
        assert_eq!(items, (0..length).map(&item).collect::<Vec<T>>());
    }
}

#[test]
fn a_block_holds_items_of_any_type() {
    let mut block = Block::default();
    held(&mut block, |k| k as u8);
    held(&mut block, |k| Wide(k as u8));
    held(&mut block, |k| [k as u8; 3]);
    held(&mut block, |k| k as u128);
    held(&mut block, |_| Nothing);
    held(&mut block, |k| (k as u16, k as f64));
    // The first items of a block lie at a multiple of their alignment too, with nothing before.
    held(&mut Block::default(), |k| Wide(k as u8));
}

/// Says another number of items than it has.
struct Liar(usize, usize);

impl Iterator for Liar {
    type Item = usize;
    fn next(&mut self) -> Option<usize> {
        self.0 = self.0.checked_sub(1)?;
        Some(self.0)
    }
    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.1, Some(self.1))
    }
}

impl ExactSizeIterator for Liar {
    fn len(&self) -> usize {
        self.1
    }
}

#[test]
fn a_block_believes_no_iterator() {
    let mut block = Block::default();
    assert_eq!(block.hold(Liar(3, 5)), [2, 1, 0]);
    assert_eq!(block.hold(Liar(5, 3)), [4, 3, 2]);
    assert_eq!(block.hold(Liar(5, 0)), [0_usize; 0]);
    assert_eq!(Block::default().hold(Liar(0, 100)), [0_usize; 0]);
}
