//! A stable sort, written as a program: by the bits of the keys, from the lowest.
//!
//! Law: the order that is found is the only one in which keys do not decrease and equal keys keep their order. Each bit
//! is a scan and two scatters ("Reverse AD for a Functional Array Language": values are sorted by their bins)
//! (tests/transform/operators.rs).

use crate::array::{Atom, IntegerRow, Op, Prim, ScalarOp, index};
use crate::transform::target::Target;

/// The keys, integers from 0 up to a largest, in order, and the position that each had.
pub(super) fn sorted(target: &Target, keys: Atom, largest: Atom) -> [Atom; 2] {
    let positions = target.iota(target.size(keys, 0));
    // Keys lose their lowest bit in each round, until the largest has none; they come back by their positions.
    let asked = |now: &[Atom]| target.scalar(ScalarOp::Less, &[index(0), now[2]]);
    let results = target.repeat_while([keys, positions, largest], None, asked, |now| {
        let [bits, positions] = by_lowest_bit(target, now[0], now[1]);
        let shifted = |x: Atom| target.scalar(ScalarOp::Integer(IntegerRow::Shr), &[x, index(1)]);
        vec![target.map1(&[bits], |x| shifted(x[0])), positions, shifted(now[2])]
    });
    let order = results[1];
    [target.map1(&[order], |x| target.at(keys, x)), order]
}

/// Keys and what belongs to them, even ones before odd ones.
fn by_lowest_bit(target: &Target, keys: Atom, values: Atom) -> [Atom; 2] {
    let integer = |row: IntegerRow, x: Atom, y: Atom| target.scalar(ScalarOp::Integer(row), &[x, y]);
    let odd = target.map1(&[keys], |x| integer(IntegerRow::And, x[0], index(1)));
    let upto = target.prefix_sums(odd);
    let size = target.size(keys, 0);
    let evens = integer(IntegerRow::Sub, size, target.sum(odd));
    let places = target.map1(&[odd, upto, target.iota(size)], |x| {
        let (odd, upto, i) = (x[0], x[1], x[2]);
        let is_odd = target.scalar(ScalarOp::Equal, &[odd, index(1)]);
        let before = || integer(IntegerRow::Sub, target.scalar(ScalarOp::Add, &[evens, upto]), index(1));
        target.choose(is_odd, || vec![before()], || vec![integer(IntegerRow::Sub, i, upto)])[0]
    });
    [keys, values].map(|array| {
        let destination = target.one(Op::Replicate(size, Atom::Const(Prim::I64.zero())));
        target.scattered(destination, places, array)
    })
}
