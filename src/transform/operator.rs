//! What rules need of the operator of a reduction: its components that belong together, and its results written out.
//!
//! Law: components that do not depend on each other are reductions by themselves, and an operator that works element by
//! element is one for each column ("Reverse AD for a Functional Array Language", *Special Cases of Reduce &
//! Multi-Reduce*) (tests/transform/operators.rs).

use super::copy::Copier;
use super::target::Target;
use crate::array::{Atom, Body, IntegerRow, Lambda, Map, Op, ScalarOp, Stm, Var, Vars, index, needed};
use crate::optimise::operator::{Operator, recognise};
use crate::primitives::Primitive;

/// The components of an operator that the wanted ones depend on, in groups that do not depend on each other.
pub(super) fn groups(operator: &Lambda, asked: &[bool]) -> Vec<Vec<usize>> {
    if let [asked] = asked {
        return if *asked { vec![vec![0]] } else { Vec::new() };
    }
    if let Operator::Elementwise(inner) = recognise(operator) {
        return groups(&inner, asked);
    }
    let k = asked.len();
    let needs: Vec<Vec<usize>> = (0..k)
        .map(|c| {
            let (_, used) = needed(&operator.body.stms, &[operator.body.results[c]]);
            (0..k).filter(|n| used.contains(&operator.params[*n]) || used.contains(&operator.params[k + n])).collect()
        })
        .collect();
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for c in (0..k).filter(|c| asked[*c]) {
        let mut group = vec![c];
        let mut next = 0;
        while next < group.len() {
            let more: Vec<usize> = needs[group[next]].iter().copied().filter(|n| !group.contains(n)).collect();
            group.extend(more);
            next += 1;
        }
        let (joined, apart): (Vec<_>, Vec<_>) =
            groups.into_iter().partition(|other| other.iter().any(|c| group.contains(c)));
        group.extend(joined.into_iter().flatten());
        groups = apart;
        group.sort_unstable();
        group.dedup();
        groups.push(group);
    }
    groups
}

/// The operator of a group of components.
pub(super) fn part(operator: &Lambda, group: &[usize]) -> Lambda {
    let k = operator.params.len() / 2;
    if k == 1 && operator.body.stms.len() == 1 {
        return operator.clone();
    }
    let params: Vec<Var> =
        group.iter().copied().chain(group.iter().map(|c| k + c)).map(|c| operator.params[c]).collect();
    if let Operator::Elementwise(inner) = recognise(operator) {
        let arrays = params.iter().copied().map(Atom::Var).collect();
        let map = Map { function: part(&inner, group), arrays, accumulators: Vec::new() };
        let vars: Vars = group.iter().map(|c| operator.body.stms[0].vars[*c]).collect();
        let results = vars.iter().copied().map(Atom::Var).collect();
        let stms = vec![Stm { vars, op: Op::Map(Box::new(map)), span: operator.body.stms[0].span }];
        return Lambda { params, body: Body { stms, results } };
    }
    let results: Vec<Atom> = group.iter().map(|c| operator.body.results[*c]).collect();
    let (needed, _) = needed(&operator.body.stms, &results);
    let stms = operator.body.stms.iter().zip(needed).filter(|(_, needed)| *needed).map(|(stm, _)| stm.clone());
    Lambda { params, body: Body { stms: stms.collect(), results } }
}

/// The operator on pairs of a value and its number that keeps the extremum, at a tie the one with the smaller number.
/// What was there before has the number −1. A number wins over NaN, and of NaN alone the last.
pub(super) fn numbered(target: &Target, extremum: ScalarOp, value: Atom) -> Lambda {
    let of = target.type_of(value);
    let number = target.type_of(index(0));
    target.lambda(&[of, number, of, number], |x| {
        let [left, right] = [x[0], x[2]];
        let beats = match extremum {
            ScalarOp::Row(Primitive::Min) | ScalarOp::Integer(IntegerRow::Min) => [right, left],
            _ => [left, right],
        };
        let beats = target.scalar(ScalarOp::Less, &beats);
        let tie = target.scalar(ScalarOp::Equal, &[left, right]);
        let earlier = target.scalar(ScalarOp::Less, &[x[3], x[1]]);
        let mut wins = target.scalar(ScalarOp::Add, &[beats, target.scalar(ScalarOp::Mul, &[tie, earlier])]);
        if of.prim.is_real() {
            let is_number = |x: Atom| target.scalar(ScalarOp::Equal, &[x, x]);
            let later = target.scalar(ScalarOp::Less, &[x[1], x[3]]);
            let counts = target.scalar(ScalarOp::Add, &[is_number(right), later]);
            let nothing = target.scalar(ScalarOp::Not, &[is_number(left)]);
            wins = target.scalar(ScalarOp::Add, &[wins, target.scalar(ScalarOp::Mul, &[nothing, counts])]);
        }
        let number = target.choose(wins, || vec![x[3]], || vec![x[1]])[0];
        vec![target.scalar(extremum, &[left, right]), number]
    })
}

/// The results of an operator for these operands, written out.
pub(super) fn applied(copier: &mut Copier<'_, '_>, operator: &Lambda, left: &[Atom], right: &[Atom]) -> Vec<Atom> {
    for (param, value) in operator.params.iter().zip(left.iter().chain(right)) {
        copier.set(*param, *value);
    }
    copier.stms(&operator.body.stms);
    copier.atoms(&operator.body.results)
}
