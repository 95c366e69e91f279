//! A stable sort, written as a program: by the bits of the keys, from the lowest.
//!
//! Law: the order that is found is the only one in which keys do not decrease and equal keys keep their order (tests/transform/operators.rs,
//! tests/array/words.rs, tests/gpu/histograms.rs).
//!
//! Each bit is a scan and two scatters, as in "Scans as Primitive Parallel Operations"; "Reverse AD for a Functional Array Language" sorts
//! values by their bins so.

use super::build::{Builder, index};
use super::iteration::{Form, Policy};
use super::operation::{Loop, Map, Op, Reduce, Scatter};
use super::program::{Atom, Body, Var};
use super::scalar::{IntegerRow, ScalarOp};
use super::types::{Const, Prim, Type};

/// The keys, in the order of the numbers that their lowest `bits` bits are, and the position that each had. There is one if there
/// are bits.
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
        let rest = b.scalar(IntegerRow::Shr, &[key[0], bit]);
        b.scalar(IntegerRow::And, &[rest, index(1)])
    });
    let operator =
        b.lambda(&[Type::scalar(Prim::I64); 2], |b, x| vec![b.scalar(ScalarOp::Add, &[x[0].into(), x[1].into()])]);
    let scan = Reduce { commutative: true, neutral: vec![index(0)], arrays: vec![is_one], operator };
    let ones = b.one(Op::Scan(Box::new(scan)));
    let last = b.scalar(IntegerRow::Sub, &[length, index(1)]);
    let all = b.one(Op::Index(ones, vec![last]));
    let zeros = b.scalar(IntegerRow::Sub, &[length, all]);
    let numbers = b.one(Op::Iota(length));
    let places = mapped(b, vec![is_one, ones, numbers], |b, x| {
        let [is_one, ones, at] = [x[0], x[1], x[2]];
        let among = b.scalar(IntegerRow::Sub, &[at, ones]);
        let behind = b.scalar(ScalarOp::Add, &[zeros, ones]);
        let behind = b.scalar(IntegerRow::Sub, &[behind, index(1)]);
        let is_zero = b.scalar(ScalarOp::Equal, &[is_one, index(0)]);
        let [yes, no] = [among, behind].map(|x| Box::new(Body { stms: Vec::new(), results: vec![x] }));
        b.one(Op::If(is_zero, yes, no))
    });
    [keys, order]
        .map(|values| {
            let destination = b.one(Op::Replicate(length, Atom::Const(Const::I64(0))));
            b.one(Op::Scatter(Box::new(Scatter { destination, indices: places, values })))
        })
        .to_vec()
}

/// The array of what `inside` gives of integers of these arrays.
fn mapped(b: &mut Builder, arrays: Vec<Atom>, inside: impl FnOnce(&mut Builder, &[Atom]) -> Atom) -> Atom {
    let function = b.lambda(&vec![Type::scalar(Prim::I64); arrays.len()], |b, x| {
        let x: Vec<Atom> = x.iter().copied().map(Atom::Var).collect();
        vec![inside(b, &x)]
    });
    b.one(Op::Map(Box::new(Map { function, arrays, accumulators: Vec::new() })))
}
