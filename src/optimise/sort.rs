//! A stable sort, written as a program: by the bits of the keys, from the lowest.
//!
//! Law: the order that is found is the only one in which keys do not decrease and equal keys keep their order (tests/transform/operators.rs,
//! tests/gpu/histograms.rs).
//!
//! Each bit is a scan and two scatters, as in "Scans as Primitive Parallel Operations"; "Reverse AD for a Functional Array Language" sorts
//! values by their bins so.

use super::rewriter::{either, mapped, sums};
use crate::array::{Atom, Builder, Const, Form, IntegerRow, Loop, Op, Policy, Reduce, ScalarOp, Scatter, Var, index};

/// The keys, integers of this many bits that are not negative, in order, and the position that each had. There is one if there are bits.
pub(crate) fn sorted(b: &mut Builder, keys: Atom, bits: Atom) -> [Atom; 2] {
    let length = b.one(Op::Size(keys, 0));
    let order = b.one(Op::Iota(length));
    let params: Vec<Var> = [keys, order].map(|a| b.fresh(b.type_of(a))).to_vec();
    let bit = b.fresh(b.type_of(index(0)));
    let body = b.body(|b| by_bit(b, [params[0].into(), params[1].into()], bit.into()));
    let params = params.into_iter().zip([keys, order]).collect();
    let it = Loop { policy: Policy::default(), params, form: Form::For(bit, bits), body };
    let found = b.emit(Op::Loop(Box::new(it)));
    [found[0].into(), found[1].into()]
}

/// Keys, and what belongs to each, with those before the others whose bit of this number is 0.
fn by_bit(b: &mut Builder, [keys, order]: [Atom; 2], bit: Atom) -> Vec<Atom> {
    let length = b.one(Op::Size(keys, 0));
    let is_one = mapped(b, vec![keys], |b, key| {
        let rest = b.scalar(IntegerRow::Shr, &[Atom::Var(key[0]), bit]);
        vec![b.scalar(IntegerRow::And, &[rest, index(1)])]
    });
    let (operator, arrays) = (sums(b, b.type_of(index(0))), is_one.clone());
    let scan = Reduce { commutative: true, neutral: vec![index(0)], arrays, operator };
    let ones = b.one(Op::Scan(Box::new(scan)));
    let last = b.scalar(IntegerRow::Sub, &[length, index(1)]);
    let all = b.one(Op::Index(ones, vec![last]));
    let zeros = b.scalar(IntegerRow::Sub, &[length, all]);
    let numbers = b.one(Op::Iota(length));
    let places = mapped(b, vec![is_one[0], ones, numbers], |b, x| {
        let [is_one, ones, at] = [0, 1, 2].map(|k| Atom::Var(x[k]));
        let among = b.scalar(IntegerRow::Sub, &[at, ones]);
        let behind = b.scalar(ScalarOp::Add, &[zeros, ones]);
        let behind = b.scalar(IntegerRow::Sub, &[behind, index(1)]);
        let is_zero = b.scalar(ScalarOp::Equal, &[is_one, index(0)]);
        vec![either(b, is_zero, among, behind)]
    });
    [keys, order]
        .map(|values| {
            let destination = b.one(Op::Replicate(length, Atom::Const(Const::I64(0))));
            b.one(Op::Scatter(Box::new(Scatter { destination, indices: places[0], values })))
        })
        .to_vec()
}
