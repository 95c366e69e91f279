//! Where the elements of a value are, while ranks run a program together.
//!
//! Law: a value that is whole is the same on all ranks; the parts of one that is split, one after the other in the order of ranks,
//! are it; the terms of a partial one, combined in the order of ranks, are it (tests/mpi/suite.rs).

use crate::array::{Atom, IntegerRow, Lambda, Op, Prim, ScalarOp, Var};
use crate::primitives::Primitive;

/// A dimension that ranks have parts of, by number in the list of the planner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Axis(pub(super) usize);

/// Where the elements of a value are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Placement {
    /// All on every rank.
    Whole,
    /// Each rank has those of its part of this dimension.
    Split(usize, Axis),
    /// Each rank has a term of every element, and this operation combines them.
    Partial(ScalarOp),
}

/// Which indices of a dimension of `total` are the part of a rank: all parts have as many, but the first few one more.
///
/// ```
/// use catadiff::execute::mpi::part;
/// assert_eq!([0, 1, 2].map(|rank| part(10, rank, 3)), [0..4, 4..7, 7..10]);
/// ```
#[must_use]
pub fn part(total: usize, rank: usize, ranks: usize) -> core::ops::Range<usize> {
    let (each, more) = (total / ranks, total % ranks);
    let start = |rank: usize| rank * each + rank.min(more);
    start(rank)..start(rank + 1)
}

impl Placement {
    /// The placement of the elements of the outermost dimension.
    pub(super) fn element(self) -> Self {
        match self {
            Placement::Split(dimension, axis) => Placement::Split(dimension - 1, axis),
            other => other,
        }
    }

    /// The placement of an array of these.
    pub(super) fn arrayed(self) -> Self {
        match self {
            Placement::Split(dimension, axis) => Placement::Split(dimension + 1, axis),
            other => other,
        }
    }
}

/// The operation that an operator applies to each component and to each element of it, if it does so: results of ranks can be combined
/// by it element by element.
pub(super) fn by_elements(operator: &Lambda) -> Option<Vec<ScalarOp>> {
    operator.by_components().or_else(|| {
        let [stm] = &operator.body.stms[..] else { return None };
        let [left, right] = operator.params[..] else { return None };
        if operator.body.results != [Atom::Var(stm.vars[0])] {
            return None;
        }
        match &stm.op {
            // Which of two that are equal comes first matters to these, and ranks are in order.
            Op::Scalar(op, operands) => (is_extremum(*op) && operands[..] == both(left, right)).then(|| vec![*op]),
            Op::Map(map) if map.accumulators.is_empty() && map.arrays == both(left, right) => {
                by_elements(&map.function)
            }
            _ => None,
        }
    })
}

fn both(left: Var, right: Var) -> [Atom; 2] {
    [left.into(), right.into()]
}

fn is_extremum(op: ScalarOp) -> bool {
    matches!(op, ScalarOp::Row(Primitive::Min | Primitive::Max))
}

/// The neutral element of an operation that [combines elements](by_elements); of the others what is combined twice is as if it were
/// once.
pub(super) fn neutral(op: ScalarOp, prim: Prim) -> Option<Atom> {
    match op {
        ScalarOp::Add | ScalarOp::Integer(IntegerRow::Xor) => Some(prim.zero().into()),
        ScalarOp::Mul => Some(prim.one().into()),
        _ => None,
    }
}

/// What a scalar operation makes of operands in these placements, some of them partial: a term of its result, if it is linear in terms.
pub(super) fn of_terms(op: ScalarOp, operands: &[Placement]) -> Option<Placement> {
    let term = Placement::Partial(ScalarOp::Add);
    let is_linear = match (op, operands) {
        (ScalarOp::Mul | ScalarOp::Scale, [x, y]) => {
            [*x, *y] == [term, Placement::Whole] || [*x, *y] == [Placement::Whole, term]
        }
        (ScalarOp::Add | ScalarOp::Row(Primitive::Sub), [x, y]) => [*x, *y] == [term; 2],
        (ScalarOp::Row(Primitive::Div), [x, y]) => [*x, *y] == [term, Placement::Whole],
        (ScalarOp::Row(Primitive::Neg), [x]) => *x == term,
        _ => false,
    };
    is_linear.then_some(term)
}
