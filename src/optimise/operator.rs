//! Recognises the operators of reductions that have rules of their own: sums, products, extrema, and what works element by
//! element.
//!
//! Law: an operator is recognised by its text alone, so that a rule is chosen once, where the program is transformed
//! (tests/transform/operators.rs).

use crate::array::{Atom, Body, IntegerRow, Lambda, Op, ScalarOp, Var, atoms_in};
use crate::primitives::Primitive;

/// An operator of one kind or another.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Operator {
    /// The sum of two operands, element by element if they are arrays.
    Sum,
    /// The product of two scalars.
    Product,
    /// The smaller or the larger of two scalars, by this operation.
    Extremum(ScalarOp),
    /// This operator of the elements of arrays.
    Elementwise(Lambda),
    /// Any other.
    General,
}

/// Recognises an operator.
pub(crate) fn recognise(operator: &Lambda) -> Operator {
    let [stm] = &operator.body.stms[..] else { return Operator::General };
    if operator.body.results != stm.vars.iter().copied().map(Atom::Var).collect::<Vec<_>>() {
        return Operator::General;
    }
    match &stm.op {
        Op::Scalar(op, operands) => of_scalars(*op, operands, [operator.params[0], operator.params[1]]),
        Op::Map(map) if map.accumulators.is_empty() => {
            let of_element = |param: &Var| {
                let at = map.arrays.iter().position(|a| *a == Atom::Var(*param))?;
                (!mentions(&map.function.body, *param)).then(|| map.function.params[at])
            };
            let params: Option<Vec<Var>> = operator.params.iter().map(of_element).collect();
            match params {
                Some(params) if map.arrays.len() == params.len() => {
                    let inner = Lambda { params, body: map.function.body.clone() };
                    if recognise(&inner) == Operator::Sum { Operator::Sum } else { Operator::Elementwise(inner) }
                }
                _ => Operator::General,
            }
        }
        _ => Operator::General,
    }
}

impl Lambda {
    /// Whether this operator is the sum of its two operands, element by element if they are arrays.
    pub(crate) fn is_sum(&self) -> bool {
        self.params.len() == 2 && recognise(self) == Operator::Sum
    }
}

fn of_scalars(op: ScalarOp, operands: &[Atom], params: [Var; 2]) -> Operator {
    let [left, right] = params.map(Atom::Var);
    let in_order = operands == [left, right];
    match op {
        ScalarOp::Add if in_order || operands == [right, left] => Operator::Sum,
        ScalarOp::Mul if in_order || operands == [right, left] => Operator::Product,
        // At a tie the first operand wins, so the order matters.
        ScalarOp::Row(Primitive::Min | Primitive::Max) if in_order => Operator::Extremum(op),
        ScalarOp::Integer(IntegerRow::Min | IntegerRow::Max) if in_order => Operator::Extremum(op),
        _ => Operator::General,
    }
}

/// Whether a body mentions a variable.
fn mentions(body: &Body, wanted: Var) -> bool {
    let mut found = false;
    atoms_in(body, &mut |a| found |= a == Atom::Var(wanted));
    found
}
