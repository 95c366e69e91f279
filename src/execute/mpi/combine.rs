//! What ranks have found, as one: the statements that combine terms, prefixes and bins, once the terms of all ranks are there.
//!
//! Law: terms are combined in the order of ranks, by the operator of the program itself, so that the result is the same bits on every
//! rank, and in every run on as many (tests/mpi/suite.rs).

use super::placement::neutral;
use crate::array::{Atom, Builder, Lambda, Map, Op, Range, Reduce, ScalarOp, Type, index};

/// How terms are combined.
#[derive(Debug, Clone)]
pub(super) enum Operator {
    /// By this operation.
    Scalar(ScalarOp),
    /// By this operator of the program, of several components.
    Of(Lambda),
}

impl Operator {
    /// What the operator makes of left and right operands.
    pub(super) fn apply(&self, builder: &mut Builder, operands: &[Atom]) -> Vec<Atom> {
        match self {
            Operator::Scalar(op) => vec![builder.scalar(*op, operands)],
            Operator::Of(lambda) => {
                let values = lambda.params.iter().copied().zip(operands.iter().copied()).collect();
                builder.copied(lambda.body.clone(), values)
            }
        }
    }

    /// The operator as a function of operands of these types.
    fn lambda(&self, builder: &mut Builder, types: &[Type]) -> Lambda {
        let both: Vec<Type> = types.iter().chain(types).copied().collect();
        builder.lambda(&both, |builder, params| {
            let operands: Vec<Atom> = params.iter().copied().map(Atom::Var).collect();
            self.apply(builder, &operands)
        })
    }
}

/// Terms that lie one after the other in a new outermost dimension, combined along it; the operator is one of what is below as many more
/// dimensions as `depth` says.
pub(super) fn along_ranks(
    builder: &mut Builder,
    stacked: &[Atom],
    depth: usize,
    start: &[Atom],
    by: &Operator,
) -> Vec<Atom> {
    if depth > 0 {
        return mapped(builder, &stacked.iter().map(|a| (*a, 1)).collect::<Vec<_>>(), &mut |builder, terms| {
            along_ranks(builder, terms, depth - 1, start, by)
        });
    }
    let types: Vec<Type> = stacked.iter().map(|a| builder.type_of(*a).element()).collect();
    // An operation without a neutral element starts from the first term.
    let (start, from) = match (start, by) {
        ([], Operator::Scalar(op)) => match neutral(*op, types[0].prim) {
            Some(neutral) => (vec![neutral], 0),
            None => (vec![builder.one(Op::Index(stacked[0], vec![index(0)]))], 1),
        },
        _ => (start.to_vec(), 0),
    };
    let arrays = if from == 0 { stacked.to_vec() } else { vec![without_first(builder, stacked[0])] };
    let operator = by.lambda(builder, &types);
    let reduce = Reduce { commutative: false, neutral: start, arrays, operator };
    builder.emit(Op::Reduce(Box::new(reduce))).into_iter().map(Atom::Var).collect()
}

fn without_first(builder: &mut Builder, array: Atom) -> Atom {
    let length = builder.one(Op::Size(array, 0));
    let count = builder.scalar(ScalarOp::Add, &[length, index(-1)]);
    builder.one(Op::Slice(array, vec![Range { start: index(1), count, step: index(1) }]))
}

/// A map over these arrays along a dimension of each, the outermost or the one below it.
pub(super) fn mapped(
    builder: &mut Builder,
    arrays: &[(Atom, usize)],
    function: &mut dyn FnMut(&mut Builder, &[Atom]) -> Vec<Atom>,
) -> Vec<Atom> {
    let arrays: Vec<Atom> = arrays
        .iter()
        .map(|(array, along)| {
            if *along == 0 {
                return *array;
            }
            let rank = builder.type_of(*array).rank;
            let order = core::iter::once(*along).chain((0..rank).filter(|d| d != along)).collect();
            builder.one(Op::Permute(*array, order))
        })
        .collect();
    let types: Vec<Type> = arrays.iter().map(|a| builder.type_of(*a).element()).collect();
    let function = builder.lambda(&types, |builder, params| {
        let elements: Vec<Atom> = params.iter().copied().map(Atom::Var).collect();
        function(builder, &elements)
    });
    let map = Map { arrays, accumulators: Vec::new(), function };
    builder.emit(Op::Map(Box::new(map))).into_iter().map(Atom::Var).collect()
}

/// Arrays of one shape combined element by element.
pub(super) fn by_elements(builder: &mut Builder, operands: [Atom; 2], op: ScalarOp) -> Atom {
    if builder.type_of(operands[0]).rank == 0 {
        return builder.scalar(op, &operands);
    }
    mapped(builder, &operands.map(|a| (a, 0)), &mut |builder, elements| {
        vec![by_elements(builder, [elements[0], elements[1]], op)]
    })[0]
}

/// Zeros in the shape of a value.
pub(super) fn zeros_like(builder: &mut Builder, value: Atom) -> Atom {
    let zero = builder.type_of(value).prim.zero();
    filled_like(builder, value, zero.into())
}

/// This element, in the shape of a value.
pub(super) fn filled_like(builder: &mut Builder, value: Atom, element: Atom) -> Atom {
    if builder.type_of(value).rank == 0 {
        return element;
    }
    mapped(builder, &[(value, 0)], &mut |builder, elements| vec![filled_like(builder, elements[0], element)])[0]
}
