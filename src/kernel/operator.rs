//! Operators on scalars that are known by their text: those that a target may have loops of its own for.
//!
//! Law: an operator that is found does what its function does, bit for bit, but for a product that is not rounded before it is added;
//! where it is not known to be exact, as in kinds that wrap, none is found (tests/execute/sweeps.rs).

use crate::array::{Atom, Body, IntegerRow, Lambda, Op, Prim, ScalarOp};
use crate::primitives::Primitive;

/// An associative operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operator {
    Add,
    Mul,
    /// Of reals, those of the table of primitives.
    Min,
    Max,
    And,
    Or,
    Xor,
    /// The second operand where it is the greater, or the lesser, or equal to the first if that is said; else the first.
    Later {
        greater: bool,
        equal: bool,
    },
    /// `(a, b) ⊙ (c, d) = (a c, b c + d)`: the composition of `y ↦ a y + b` and what follows it.
    Recurrence,
    /// The second operand.
    Last,
}

impl Operator {
    /// The operator that a function is, on components of these kinds, and which of these are its own in their order.
    pub(super) fn of(operator: &Lambda, prims: &[Prim]) -> Option<(Self, &'static [usize])> {
        match prims {
            [prim] => {
                let found = single(operator)?;
                found.suits(*prim).then_some((found, &[0]))
            }
            [a, b] if a == b && Operator::Recurrence.suits(*a) => {
                let order = [[0, 1], [1, 0]].iter().find(|order| is_recurrence(operator, order))?;
                Some((Operator::Recurrence, order))
            }
            _ => None,
        }
    }

    /// Whether it can be computed of this kind in registers that are wider.
    fn suits(self, prim: Prim) -> bool {
        let is_real = matches!(prim, Prim::F32 | Prim::F64);
        match self {
            Operator::Add | Operator::Mul => is_real || prim == Prim::I64,
            Operator::Recurrence => is_real,
            Operator::Min | Operator::Max | Operator::Later { .. } => is_real || prim == Prim::I64,
            Operator::And | Operator::Or | Operator::Xor => prim == Prim::I64,
            Operator::Last => true,
        }
    }
}

/// The operator of two scalars.
fn single(operator: &Lambda) -> Option<Operator> {
    let [a, b] = operator.params[..] else { return None };
    let (params, Body { stms, results }) = ([a, b].map(Atom::Var), &operator.body);
    let [result] = results[..] else { return None };
    match &stms[..] {
        [] => (result == params[1]).then_some(Operator::Last),
        [stm] if stm.vars[..] == [result.var()?] => {
            let Op::Scalar(op, atoms) = &stm.op else { return None };
            let in_order = atoms[..] == params;
            let found = match op {
                ScalarOp::Add => Operator::Add,
                ScalarOp::Mul => Operator::Mul,
                ScalarOp::Integer(IntegerRow::And) => Operator::And,
                ScalarOp::Integer(IntegerRow::Or) => Operator::Or,
                ScalarOp::Integer(IntegerRow::Xor) => Operator::Xor,
                ScalarOp::Row(Primitive::Min) | ScalarOp::Integer(IntegerRow::Min) if in_order => Operator::Min,
                ScalarOp::Row(Primitive::Max) | ScalarOp::Integer(IntegerRow::Max) if in_order => Operator::Max,
                _ => return None,
            };
            (in_order || atoms[..] == [params[1], params[0]]).then_some(found)
        }
        [test, choice] if choice.vars[..] == [result.var()?] => {
            let (Op::Scalar(test_op, of), Op::If(condition, yes, no)) = (&test.op, &choice.op) else { return None };
            let equal = match test_op {
                ScalarOp::Less => false,
                ScalarOp::LessOrEqual => true,
                _ => return None,
            };
            let is = |body: &Body, param: Atom| body.stms.is_empty() && body.results[..] == [param];
            let takes_later = is(yes, params[1]) && is(no, params[0]);
            let is_test = test.vars.iter().copied().map(Atom::Var).eq([*condition]);
            let greater = match of[..] {
                [x, y] if [x, y] == params => true,
                [x, y] if [y, x] == params => false,
                _ => return None,
            };
            (takes_later && is_test).then_some(Operator::Later { greater, equal })
        }
        _ => None,
    }
}

/// Whether an operator of pairs composes linear functions, of which factor and summand are these components.
fn is_recurrence(operator: &Lambda, [factor, summand]: &[usize; 2]) -> bool {
    let params: Vec<Atom> = operator.params.iter().copied().map(Atom::Var).collect();
    if params.len() != 4 || operator.body.results.len() != 2 {
        return false;
    }
    let [a, b, c, d] = [params[*factor], params[*summand], params[2 + factor], params[2 + summand]];
    let Body { stms, results } = &operator.body;
    // What an operation of two operands, in any order, is called.
    let named = |op: ScalarOp, x: Atom, y: Atom| {
        let is = |of: &Op| matches!(of, Op::Scalar(other, atoms) if *other == op && (atoms[..] == [x, y] || atoms[..] == [y, x]));
        stms.iter().find(|stm| is(&stm.op)).map(|stm| Atom::Var(stm.vars[0]))
    };
    let product = named(ScalarOp::Mul, a, c);
    let sum = named(ScalarOp::Mul, b, c).and_then(|scaled| named(ScalarOp::Add, scaled, d));
    stms.len() == 3 && matches!((product, sum), (Some(x), Some(y)) if [results[*factor], results[*summand]] == [x, y])
}
