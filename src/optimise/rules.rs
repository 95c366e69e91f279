//! Rewrites of operations that move data: an arm for each definition of what they move.
//!
//! Law: a rule gives a value that equals the result of the operation wherever that has one, by no more work
//! (tests/transform/simplify.rs, laws: simplification).

use super::value_numbering::Writer;
use crate::array::{Atom, Extent, Op, Range, index};

/// The value of an operation in another form, if there is a rule for it.
pub(super) fn simpler(to: &mut Writer, op: &Op) -> Option<Atom> {
    match op {
        Op::Size(array, dimension) => size(to, *array, *dimension),
        Op::Index(array, at) => element(to, *array, at),
        Op::Permute(array, order) => permuted(to, *array, order),
        Op::Reverse(array) => match to.facts.op(*array)? {
            // Backwards twice.
            Op::Reverse(from) => Some(*from),
            // Copies of one value are the same backwards.
            Op::Replicate(..) => Some(*array),
            _ => None,
        },
        Op::Reshape(array, sizes) => reshaped(to, *array, sizes),
        Op::Slice(array, ranges) => {
            // Ranges that leave nothing out.
            let whole = |(range, size): (&Range, &Extent)| {
                range.start == index(0) && range.step == index(1) && to.facts.sizes.number(range.count) == *size
            };
            ranges.iter().zip(to.facts.sizes.of(*array)).all(whole).then_some(*array)
        }
        // `a with [] = v` is `v`.
        Op::Update(_, at, value) if at.is_empty() => Some(*value),
        // `a with [i…] = a[i…]` is `a`.
        Op::Update(array, at, value) => match to.facts.op(*value)? {
            Op::Index(from, there) => (from == array && there == at).then_some(*array),
            _ => None,
        },
        // Nothing comes after it.
        Op::Concat(arrays) => {
            if let [array] = arrays[..] {
                Some(array)
            } else {
                None
            }
        }
        Op::FromAccumulator(accumulator) => match to.facts.op(*accumulator)? {
            // Nothing was added.
            Op::ToAccumulator(array) => Some(*array),
            _ => None,
        },
        _ => None,
    }
}

/// The size of an array whose definition tells it.
fn size(to: &mut Writer, array: Atom, dimension: usize) -> Option<Atom> {
    match to.facts.sizes.of(array)[dimension] {
        Extent::Number(number) => Some(number),
        Extent::Of(of, d) if (of, d) != (array, dimension) => Some(to.emit(Op::Size(of, d))),
        Extent::Of(..) => None,
    }
}

/// An element of an array whose definition tells it.
fn element(to: &mut Writer, array: Atom, at: &[Atom]) -> Option<Atom> {
    // `a[] = a`
    let Some(first) = at.first() else { return Some(array) };
    let op = match to.facts.op(array)? {
        // `a[i][j] = a[i, j]`
        Op::Index(from, first) => Op::Index(*from, [&first[..], at].concat()),
        // `(replicate n v)[i, j…] = v[j…]`
        Op::Replicate(_, value) => Op::Index(*value, at[1..].to_vec()),
        // `(iota n)[i] = i`
        Op::Iota(_) => return Some(*first),
        // `[x, y, …][1, j…] = y[j…]`
        Op::Elements(elements) => Op::Index(*elements.get(usize::try_from(first.as_int()?).ok()?)?, at[1..].to_vec()),
        // `(a with [i] = v)[i, j…] = v[j…]`, and `(a with [i] = v)[j] = a[j]` where `i` and `j` are different numbers.
        Op::Update(from, written, value) => {
            if written == at {
                return Some(*value);
            }
            match to.facts.written.find(array, at) {
                Some((found, led)) => Op::Index(found, at[led..].to_vec()),
                None => {
                    let differ = |(i, j): (&Atom, &Atom)| i.as_int().zip(j.as_int()).is_some_and(|(i, j)| i != j);
                    written.iter().zip(at).any(differ).then(|| Op::Index(*from, at.to_vec()))?
                }
            }
        }
        // An element of a permuted array is an element of the array.
        Op::Permute(from, order) if at.len() == order.len() => {
            let mut there = at.to_vec();
            order.iter().zip(at).for_each(|(dimension, i)| there[*dimension] = *i);
            Op::Index(*from, there)
        }
        _ => return None,
    };
    Some(to.emit(op))
}

/// An array with its dimensions in another order.
fn permuted(to: &mut Writer, array: Atom, order: &[usize]) -> Option<Atom> {
    // Dimensions in the order they have.
    if order.iter().copied().eq(0..order.len()) {
        return Some(array);
    }
    match to.facts.op(array)? {
        // Two permutations are one.
        Op::Permute(from, first) => {
            let op = Op::Permute(*from, order.iter().map(|d| first[*d]).collect());
            Some(to.emit(op))
        }
        Op::Replicate(count, value) => permuted_copies(to, *count, *value, order),
        _ => None,
    }
}

/// Copies of one scalar are the same in any order; and where the outermost dimension stays, the copies are permuted.
fn permuted_copies(to: &mut Writer, count: Atom, mut value: Atom, order: &[usize]) -> Option<Atom> {
    if order[0] == 0 {
        let permuted = to.emit(Op::Permute(value, order[1..].iter().map(|d| d - 1).collect()));
        return Some(to.emit(Op::Replicate(count, permuted)));
    }
    let mut counts = vec![count];
    while let Some(Op::Replicate(count, inner)) = to.facts.op(value) {
        counts.push(*count);
        value = *inner;
    }
    let copies = |value, d: &usize| to.emit(Op::Replicate(counts[*d], value));
    (counts.len() == order.len()).then(|| order.iter().rev().fold(value, copies))
}

/// An array with other sizes.
fn reshaped(to: &mut Writer, array: Atom, sizes: &[Atom]) -> Option<Atom> {
    // Only the last sizes count.
    if let Some(Op::Reshape(from, _)) = to.facts.op(array) {
        let op = Op::Reshape(*from, sizes.to_vec());
        return Some(to.emit(op));
    }
    // The sizes that it has.
    let wanted = sizes.iter().map(|n| to.facts.sizes.number(*n));
    to.facts.sizes.of(array).iter().copied().eq(wanted).then_some(array)
}
