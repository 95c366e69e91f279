//! What is known of the operator of a reduction: sums and extrema have rules of their own.
//!
//! Law: an operator is recognised by its text alone, so that a rule is chosen once, where the program is transformed.

use super::target::Target;
use crate::array::{Atom, IntegerRow, Lambda, Op, ScalarOp, index};
use crate::primitives::Primitive;

/// An operator that has a rule of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operator {
    /// Each component is the sum of its two operands, element by element.
    Sums,
    /// The smaller of two scalars.
    Smallest,
    /// The larger of two scalars.
    Largest,
    /// Any other.
    General,
}

/// Recognises an operator.
pub(super) fn recognise(operator: &Lambda) -> Operator {
    if is_sums(operator) {
        return Operator::Sums;
    }
    let [stm] = &operator.body.stms[..] else { return Operator::General };
    let applies_to_params = matches!(&stm.op, Op::Scalar(_, atoms) if atoms[..] == params(operator)[..]);
    let is_result = operator.body.results[..] == [Atom::Var(stm.vars[0])];
    match &stm.op {
        Op::Scalar(op, _) if applies_to_params && is_result => match op {
            ScalarOp::Row(Primitive::Min) | ScalarOp::Integer(IntegerRow::Min) => Operator::Smallest,
            ScalarOp::Row(Primitive::Max) | ScalarOp::Integer(IntegerRow::Max) => Operator::Largest,
            _ => Operator::General,
        },
        _ => Operator::General,
    }
}

fn params(operator: &Lambda) -> Vec<Atom> {
    operator.params.iter().copied().map(Atom::Var).collect()
}

fn is_sums(operator: &Lambda) -> bool {
    let params = params(operator);
    let (left, right) = params.split_at(operator.body.results.len());
    operator.body.results.len() == operator.body.stms.len()
        && (0..left.len()).all(|k| {
            let stm = operator.body.stms.iter().find(|stm| operator.body.results[k] == Atom::Var(stm.vars[0]));
            let operands = [left[k], right[k]];
            let flipped = [right[k], left[k]];
            stm.is_some_and(|stm| match &stm.op {
                Op::Scalar(ScalarOp::Add, atoms) => atoms[..] == operands || atoms[..] == flipped,
                Op::Map(map) => {
                    map.accumulators.is_empty()
                        && stm.vars.len() == 1
                        && (map.arrays[..] == operands || map.arrays[..] == flipped)
                        && is_sums(&map.function)
                }
                _ => false,
            })
        })
}

/// The operator on pairs of a value and its number that keeps the extremum, at a tie the one with the smaller number.
/// What was there before has the number −1.
pub(super) fn numbered(target: &Target, operator: Operator, value: Atom) -> Lambda {
    let of = target.type_of(value);
    let number = target.type_of(index(0));
    target.lambda(&[of, number, of, number], |x| {
        let (left, right) = (&x[..2], &x[2..]);
        let beats = match operator {
            Operator::Smallest => target.scalar(ScalarOp::Less, &[right[0], left[0]]),
            _ => target.scalar(ScalarOp::Less, &[left[0], right[0]]),
        };
        let tie = target.scalar(ScalarOp::Equal, &[left[0], right[0]]);
        let earlier = target.scalar(ScalarOp::Less, &[right[1], left[1]]);
        let wins = target.scalar(ScalarOp::Add, &[beats, target.scalar(ScalarOp::Mul, &[tie, earlier])]);
        target.choose(wins, || right.to_vec(), || left.to_vec())
    })
}
