//! Recognises the operators of reductions that have rules of their own: sums, products, extrema, and what works element by
//! element.
//!
//! Law: an operator is recognised by its text alone, so that a rule is chosen once, where the program is transformed
//! (tests/transform/operators.rs).

use crate::array::{Atom, Body, IntegerRow, Lambda, Op, Prim, ScalarOp, Var, atoms_in};
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
    if operator.params.len() == 2 && operator.is_sum() {
        return Operator::Sum;
    }
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
                    Operator::Elementwise(Lambda { params, body: map.function.body.clone() })
                }
                _ => Operator::General,
            }
        }
        _ => Operator::General,
    }
}

impl Lambda {
    /// Whether this operator adds, component by component, and element by element where these are arrays.
    pub(crate) fn is_sum(&self) -> bool {
        self.by_components().is_some_and(|ops| ops.iter().all(|op| *op == ScalarOp::Add))
    }

    /// The operations by which many threads can update components of these kinds, each one word at a time. Of integers of 64 bits, whose
    /// halves may be two words, these are sums and extrema.
    pub(crate) fn as_updates(&self, prims: impl Iterator<Item = Prim>) -> Option<Vec<ScalarOp>> {
        let ops = self.by_components()?;
        let may = |(op, prim): (&ScalarOp, Prim)| {
            let of_halves = matches!(op, ScalarOp::Add | ScalarOp::Integer(IntegerRow::Min | IntegerRow::Max));
            prim != Prim::I64 || of_halves
        };
        ops.iter().zip(prims).all(may).then_some(ops)
    }

    /// The operation of each component, and of its elements where it is an array, if each is one that commutes.
    pub(crate) fn by_components(&self) -> Option<Vec<ScalarOp>> {
        let Body { stms, results } = &self.body;
        let k = results.len();
        if self.params.len() != 2 * k || stms.len() != k {
            return None;
        }
        let (left, right) = self.params.split_at(k);
        let of_component = |c: usize| {
            let [a, b] = [left[c], right[c]].map(Atom::Var);
            let is_both = |atoms: &[Atom]| atoms == [a, b] || atoms == [b, a];
            stms.iter().find_map(|stm| match &stm.op {
                _ if stm.vars.first().is_none_or(|var| results[c] != Atom::Var(*var)) => None,
                Op::Scalar(op, atoms) => (op.commutes() && is_both(atoms)).then_some(*op),
                Op::Map(map) if map.accumulators.is_empty() && stm.vars.len() == 1 && is_both(&map.arrays) => {
                    map.function.by_components().map(|ops| ops[0])
                }
                _ => None,
            })
        };
        (0..k).map(of_component).collect()
    }
}

fn of_scalars(op: ScalarOp, operands: &[Atom], params: [Var; 2]) -> Operator {
    let [left, right] = params.map(Atom::Var);
    let in_order = operands == [left, right];
    match op {
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
