//! Neutral elements that depend on what is differentiated by, made constant.
//!
//! Law: the program means the same. The rules of reductions and scans take a neutral element for a constant. One that is
//! not is the first operand, `y = e ⊙ a₁ ⊙ …`: it goes into the first element, and the reduction starts from what is
//! neutral by itself; for operators of which that is not known, from nothing, which is told by a truth value. Of a
//! histogram it is not part of the meaning.

use super::copy::{Copier, rewritten};
use super::flow::{Active, bodies};
use super::operator::{Operator, applied, recognise};
use super::target::Target;
use crate::array::{
    Agreement, Atom, Body, Const, Custom, Hist, Lambda, Op, Prim, Program, Reduce, ScalarOp, Stm, Type, constant, index,
};

/// The program without neutral elements that are active, if it has any.
pub(super) fn constant_neutrals(program: &Program, active: &Active) -> Option<Program> {
    if !any(&program.function.body, active) {
        return None;
    }
    let rewrite = |copier: &mut Copier<'_, '_>, stm: &Stm| match &stm.op {
        Op::Reduce(it) if varies(&it.neutral, active) => Some(combined(copier, it, false)),
        Op::Scan(it) if varies(&it.neutral, active) => Some(combined(copier, it, true)),
        Op::Hist(it) if varies(&it.neutral, active) => Some(counted(copier, it)),
        _ => None,
    };
    Some(rewritten(program, &rewrite))
}

fn varies(neutral: &[Atom], active: &Active) -> bool {
    neutral.iter().any(|a| active.atom(*a))
}

fn any(body: &Body, active: &Active) -> bool {
    body.stms.iter().any(|stm| match &stm.op {
        Op::Reduce(it) | Op::Scan(it) if varies(&it.neutral, active) => true,
        Op::Hist(it) if varies(&it.neutral, active) => true,
        op => bodies(op).any(|inner| any(inner, active)),
    })
}

/// The results of a reduction or a scan, from the first element on.
fn combined(copier: &mut Copier<'_, '_>, it: &Reduce, scan: bool) -> Vec<Atom> {
    let target = copier.target;
    let (neutral, arrays) = (copier.atoms(&it.neutral), copier.atoms(&it.arrays));
    let empty = target.scalar(ScalarOp::Equal, &[target.size(arrays[0], 0), index(0)]);
    let what = if scan { Agreement::Scanned } else { Agreement::Reduced };
    arrays[1..].iter().for_each(|a| target.agree_lengths(what, *a, arrays[0]));
    let without = if scan { arrays.clone() } else { neutral.clone() };
    let with = || {
        let first: Vec<Atom> = arrays.iter().map(|a| target.at(*a, &[index(0)])).collect();
        let first = applied(copier, &it.operator, &neutral, &first);
        let update = |(array, new): (&Atom, &Atom)| target.one(Op::Update(*array, vec![index(0)], *new));
        let arrays: Vec<Atom> = arrays.iter().zip(&first).map(update).collect();
        let emit = |it: Reduce| target.emit(if scan { Op::Scan(Box::new(it)) } else { Op::Reduce(Box::new(it)) });
        if let Some(known) = known_neutral(target, &it.operator, &neutral) {
            let operator = copier.lambda(&it.operator);
            return emit(Reduce { operator, neutral: vec![known], arrays, commutative: it.commutative });
        }
        let present = target.one(Op::Replicate(target.size(arrays[0], 0), Const::Bool(true).into()));
        let no = Atom::Const(Const::Bool(false));
        let neutral = core::iter::once(no).chain(neutral.iter().map(|e| stopped(target, *e))).collect();
        let arrays = core::iter::once(present).chain(arrays).collect();
        emit(Reduce { operator: optional(copier, &it.operator), neutral, arrays, commutative: false }).split_off(1)
    };
    target.choose(empty, || without, with)
}

fn counted(copier: &mut Copier<'_, '_>, it: &Hist) -> Vec<Atom> {
    let target = copier.target;
    let neutral = it.neutral.iter().map(|e| stopped(target, copier.atom(*e))).collect();
    let (destinations, values) = (copier.atoms(&it.destinations), copier.atoms(&it.values));
    let indices = copier.atom(it.indices);
    let operator = copier.lambda(&it.operator);
    target.emit(Op::Hist(Box::new(Hist { operator, neutral, destinations, indices, values })))
}

/// The neutral element of an operator that is known to have one, of the shape of this.
fn known_neutral(target: &Target, operator: &Lambda, like: &[Atom]) -> Option<Atom> {
    let prim = target.type_of(like[0]).prim;
    match recognise(operator) {
        Operator::Sum => Some(target.zeros_like(like[0])),
        Operator::Product => Some(prim.one().into()),
        // An infinity would win over NaN.
        Operator::Extremum(_) if prim.is_real() => Some(constant(prim, f64::NAN)),
        Operator::Extremum(_) | Operator::Elementwise(_) | Operator::General => None,
    }
}

/// An operator on values that are there or not, as a truth value before them says.
fn optional(copier: &mut Copier<'_, '_>, operator: &Lambda) -> Lambda {
    let k = operator.params.len() / 2;
    let types = operator.params[..k].iter().map(|p| copier.source.type_of(*p));
    let side: Vec<Type> = core::iter::once(Type::scalar(Prim::Bool)).chain(types).collect();
    let target = copier.target;
    target.lambda(&[&side[..], &side].concat(), |x| {
        let (left, right) = (&x[1..=k], &x[k + 2..]);
        let any = target.scalar(ScalarOp::Add, &[x[0], x[k + 1]]);
        let both = |copier: &mut Copier<'_, '_>| {
            target.choose(x[0], || applied(copier, operator, left, right), || right.to_vec())
        };
        let combined = target.choose(x[k + 1], || both(copier), || left.to_vec());
        [&[any], &combined[..]].concat()
    })
}

/// The value itself, as a constant.
fn stopped(target: &Target, value: Atom) -> Atom {
    let of = target.type_of(value);
    if of.rank > 0 {
        return target.map1(&[value], |x| stopped(target, x[0]));
    }
    let function = target.lambda(&[of], |x| x.to_vec());
    let pullback = target.lambda(&[of, of], |_| vec![of.prim.zero().into()]);
    target.one(Op::Custom(Box::new(Custom { function, pullback, arguments: vec![value] })))
}
