//! Rewrites of operations that move data: one small function each, in one list.
//!
//! Law: a rule gives a value that equals the result of the operation wherever that has one, by no more work
//! (tests/transform/simplify.rs, laws: simplification).

use super::definitions::Facts;
use super::value_numbering::Writer;
use crate::array::{Atom, Extent, Op, Range, index};

/// The value of an operation in another form, if the rule has one.
type Rule = fn(&mut Writer, &Op) -> Option<Atom>;

/// The rules, in the order in which they are tried.
pub(super) const RULES: &[Rule] = &[
    size_told,
    index_of_nothing,
    index_of_index,
    index_of_replicate,
    index_of_iota,
    index_of_elements,
    index_of_update,
    index_of_permute,
    permute_in_order,
    permute_of_permute,
    permute_of_replicate,
    reverse_of_reverse,
    reverse_of_replicate,
    reshape_of_reshape,
    reshape_to_the_same,
    slice_of_everything,
    update_of_everything,
    update_of_the_same,
    concat_of_one,
    array_of_accumulator,
];

/// The size of an array whose definition tells it.
fn size_told(to: &mut Writer, op: &Op) -> Option<Atom> {
    let Op::Size(array, dimension) = op else { return None };
    match to.facts.sizes.of(*array)[*dimension] {
        Extent::Number(number) => Some(number),
        Extent::Of(of, d) if (of, d) != (*array, *dimension) => Some(to.emit(Op::Size(of, d))),
        Extent::Of(..) => None,
    }
}

/// `a[] = a`
fn index_of_nothing(_: &mut Writer, op: &Op) -> Option<Atom> {
    let Op::Index(array, at) = op else { return None };
    at.is_empty().then_some(*array)
}

/// `a[i][j] = a[i, j]`
fn index_of_index(to: &mut Writer, op: &Op) -> Option<Atom> {
    let Op::Index(array, at) = op else { return None };
    let Op::Index(from, first) = to.facts.op(*array)? else { return None };
    let op = Op::Index(*from, [&first[..], at].concat());
    Some(to.emit(op))
}

/// `(replicate n v)[i, j…] = v[j…]`
fn index_of_replicate(to: &mut Writer, op: &Op) -> Option<Atom> {
    let Op::Index(array, at) = op else { return None };
    let value = to.facts.copied(*array)?;
    Some(to.emit(Op::Index(value, at[1..].to_vec())))
}

/// `(iota n)[i] = i`
fn index_of_iota(to: &mut Writer, op: &Op) -> Option<Atom> {
    let Op::Index(array, at) = op else { return None };
    matches!(to.facts.op(*array)?, Op::Iota(_)).then_some(at[0])
}

/// `[x, y, …][1, j…] = y[j…]`
fn index_of_elements(to: &mut Writer, op: &Op) -> Option<Atom> {
    let Op::Index(array, at) = op else { return None };
    let Op::Elements(elements) = to.facts.op(*array)? else { return None };
    let element = *elements.get(usize::try_from(Facts::number(at[0])?).ok()?)?;
    Some(to.emit(Op::Index(element, at[1..].to_vec())))
}

/// `(a with [i] = v)[i, j…] = v[j…]`, and `(a with [i] = v)[j] = a[j]` where `i` and `j` are different numbers.
fn index_of_update(to: &mut Writer, op: &Op) -> Option<Atom> {
    let Op::Index(array, at) = op else { return None };
    let Op::Update(from, written, value) = to.facts.op(*array)? else { return None };
    if written == at {
        return Some(*value);
    }
    if let Some((found, led)) = to.facts.written.find(*array, at) {
        return Some(to.emit(Op::Index(found, at[led..].to_vec())));
    }
    let differ =
        |(i, j): (&Atom, &Atom)| matches!((Facts::number(*i), Facts::number(*j)), (Some(i), Some(j)) if i != j);
    let op = Op::Index(*from, at.clone());
    written.iter().zip(at).any(differ).then(|| to.emit(op))
}

/// An element of a permuted array is an element of the array.
fn index_of_permute(to: &mut Writer, op: &Op) -> Option<Atom> {
    let Op::Index(array, at) = op else { return None };
    let Op::Permute(from, order) = to.facts.op(*array)? else { return None };
    if at.len() != order.len() {
        return None;
    }
    let mut there = at.clone();
    order.iter().zip(at).for_each(|(dimension, i)| there[*dimension] = *i);
    let op = Op::Index(*from, there);
    Some(to.emit(op))
}

/// Dimensions in the order they have.
fn permute_in_order(_: &mut Writer, op: &Op) -> Option<Atom> {
    let Op::Permute(array, order) = op else { return None };
    order.iter().copied().eq(0..order.len()).then_some(*array)
}

/// Two permutations are one.
fn permute_of_permute(to: &mut Writer, op: &Op) -> Option<Atom> {
    let Op::Permute(array, order) = op else { return None };
    let Op::Permute(from, first) = to.facts.op(*array)? else { return None };
    let op = Op::Permute(*from, order.iter().map(|d| first[*d]).collect());
    Some(to.emit(op))
}

/// Copies of one scalar are the same in any order; and where the outermost dimension stays, the copies are permuted.
fn permute_of_replicate(to: &mut Writer, op: &Op) -> Option<Atom> {
    let Op::Permute(array, order) = op else { return None };
    let Op::Replicate(count, value) = to.facts.op(*array)? else { return None };
    let (count, mut value) = (*count, *value);
    if order[0] == 0 {
        let permuted = to.emit(Op::Permute(value, order[1..].iter().map(|d| d - 1).collect()));
        return Some(to.emit(Op::Replicate(count, permuted)));
    }
    let mut counts = vec![count];
    while let Some(Op::Replicate(count, inner)) = to.facts.op(value) {
        counts.push(*count);
        value = *inner;
    }
    if counts.len() != order.len() {
        return None;
    }
    Some(order.iter().rev().fold(value, |value, d| to.emit(Op::Replicate(counts[*d], value))))
}

/// Backwards twice.
fn reverse_of_reverse(to: &mut Writer, op: &Op) -> Option<Atom> {
    let Op::Reverse(array) = op else { return None };
    if let Op::Reverse(from) = to.facts.op(*array)? { Some(*from) } else { None }
}

/// Copies of one value are the same backwards.
fn reverse_of_replicate(to: &mut Writer, op: &Op) -> Option<Atom> {
    let Op::Reverse(array) = op else { return None };
    to.facts.copied(*array).map(|_| *array)
}

/// Only the last sizes count.
fn reshape_of_reshape(to: &mut Writer, op: &Op) -> Option<Atom> {
    let Op::Reshape(array, sizes) = op else { return None };
    let Op::Reshape(from, _) = to.facts.op(*array)? else { return None };
    let op = Op::Reshape(*from, sizes.clone());
    Some(to.emit(op))
}

/// The sizes that it has.
fn reshape_to_the_same(to: &mut Writer, op: &Op) -> Option<Atom> {
    let Op::Reshape(array, sizes) = op else { return None };
    let wanted = sizes.iter().map(|n| to.facts.sizes.number(*n));
    to.facts.sizes.of(*array).iter().copied().eq(wanted).then_some(*array)
}

/// Ranges that leave nothing out.
fn slice_of_everything(to: &mut Writer, op: &Op) -> Option<Atom> {
    let Op::Slice(array, ranges) = op else { return None };
    let whole = |(range, size): (&Range, &Extent)| {
        range.start == index(0) && range.step == index(1) && to.facts.sizes.number(range.count) == *size
    };
    ranges.iter().zip(to.facts.sizes.of(*array)).all(whole).then_some(*array)
}

/// `a with [] = v` is `v`.
fn update_of_everything(_: &mut Writer, op: &Op) -> Option<Atom> {
    let Op::Update(_, at, value) = op else { return None };
    at.is_empty().then_some(*value)
}

/// `a with [i…] = a[i…]` is `a`.
fn update_of_the_same(to: &mut Writer, op: &Op) -> Option<Atom> {
    let Op::Update(array, at, value) = op else { return None };
    let Op::Index(from, there) = to.facts.op(*value)? else { return None };
    (from == array && there == at).then_some(*array)
}

/// Nothing comes after it.
fn concat_of_one(_: &mut Writer, op: &Op) -> Option<Atom> {
    let Op::Concat(arrays) = op else { return None };
    if let [array] = arrays[..] { Some(array) } else { None }
}

/// Nothing was added.
fn array_of_accumulator(to: &mut Writer, op: &Op) -> Option<Atom> {
    let Op::FromAccumulator(accumulator) = op else { return None };
    if let Op::ToAccumulator(array) = to.facts.op(*accumulator)? { Some(*array) } else { None }
}
