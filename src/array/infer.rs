//! The types of an operation's results, from those of its operands; or why it has none.
//!
//! Law: one function says what is well typed. The builder uses it to type what it adds, the verifier to check what is
//! there, so the two cannot disagree (tests/array/text.rs, laws: arrays).

use core::fmt;
use smallvec::{SmallVec, smallvec};

use super::agree::Extent;
use super::iteration::Form;
use super::operation::{Hist, Loop, Map, Op, Reduce, Scatter};
use super::program::{Atom, Body, Lambda, Program};
use super::scalar::ScalarOp;
use super::types::{Prim, Type};

/// Why an operation is not well typed, in words.
pub type Reason = String;

/// The types of the results of an operation, of which most have one.
pub type Types = SmallVec<[Type; 2]>;

const INDEX: Type = Type::scalar(Prim::I64);
const TRUTH: Type = Type::scalar(Prim::Bool);

/// The types of the results of an operation.
///
/// # Errors
/// What is wrong, and what would be right.
pub fn result_types(program: &Program, op: &Op) -> Result<Types, Reason> {
    let of = |atom: &Atom| program.atom_type(*atom);
    match op {
        Op::Scalar(scalar, atoms) => of_scalar(program, *scalar, atoms).map(|t| smallvec![t]),
        Op::Copy(a) => Ok(smallvec![of(a)]),
        Op::Iota(n) => expect("the length", of(n), INDEX).map(|()| smallvec![Type::array(Prim::I64, 1)]),
        Op::Replicate(n, a) => {
            expect("the number of copies", of(n), INDEX)?;
            value("what is replicated", of(a)).map(|t| smallvec![t.arrayed()])
        }
        Op::Elements(atoms) => {
            let first =
                atoms.first().map(of).ok_or("an array of elements has at least one: its type would be unknown")?;
            atoms.iter().try_for_each(|a| expect("an element", of(a), first))?;
            value("an element", first).map(|t| smallvec![t.arrayed()])
        }
        Op::Size(a, dimension) => size(program, &Extent::Of(*a, *dimension)).map(|()| smallvec![INDEX]),
        Op::Index(a, indices) => {
            indexed(value("what is indexed", of(a))?, indices.iter().map(of)).map(|t| smallvec![t])
        }
        Op::Slice(a, ranges) => {
            let t = value("what is sliced", of(a))?;
            indexed(t, ranges.iter().map(|r| of(&r.start)))?;
            ranges.iter().flat_map(|r| [r.count, r.step]).try_for_each(|a| expect("a range", of(&a), INDEX))?;
            Ok(smallvec![t])
        }
        Op::Update(a, indices, new) => {
            let t = value("what is updated", of(a))?;
            expect("the new value", of(new), indexed(t, indices.iter().map(of))?)?;
            Ok(smallvec![t])
        }
        Op::Permute(a, order) => {
            let t = value("what is permuted", of(a))?;
            let mut sorted = order.clone();
            sorted.sort_unstable();
            if sorted.into_iter().eq(0..t.rank) {
                Ok(smallvec![t])
            } else {
                Err(format!("{order:?} is not an order of the {} dimensions of {t}", t.rank))
            }
        }
        Op::Reshape(a, sizes) => {
            let t = array("what is reshaped", of(a))?;
            sizes.iter().try_for_each(|n| expect("a size", of(n), INDEX))?;
            if sizes.is_empty() {
                Err("an array is reshaped to at least one dimension".into())
            } else {
                Ok(smallvec![Type::array(t.prim, sizes.len())])
            }
        }
        Op::Concat(atoms) => {
            let first = atoms.first().map(of).ok_or("at least one array is concatenated")?;
            array("what is concatenated", first)?;
            atoms.iter().try_for_each(|a| expect("what is concatenated", of(a), first))?;
            Ok(smallvec![first])
        }
        Op::Reverse(a) => array("what is reversed", of(a)).map(|t| smallvec![t]),
        Op::If(condition, yes, no) => {
            expect("the condition", of(condition), TRUTH)?;
            let (yes, no) = (results(program, yes), results(program, no));
            same("the branches", &yes, &no).map(|()| yes)
        }
        Op::Loop(it) => of_loop(program, it),
        Op::Map(map) => of_map(program, map),
        Op::Reduce(it) => of_reduce(program, it),
        Op::Scan(it) => Ok(of_reduce(program, it)?.into_iter().map(Type::arrayed).collect()),
        Op::Hist(it) => of_hist(program, it),
        Op::Scatter(it) => {
            let Scatter { destination, indices, values } = &**it;
            let t = array("the destination", of(destination))?;
            expect("the indices", of(indices), Type::array(Prim::I64, 1))?;
            expect("the values", of(values), t).map(|()| smallvec![t])
        }
        Op::ToAccumulator(a) => {
            array("what becomes an accumulator", of(a)).map(|t| smallvec![Type { accumulator: true, ..t }])
        }
        Op::Accumulate(a, indices, new) => {
            let t = accumulator(of(a))?;
            let element = indexed(Type { accumulator: false, ..t }, indices.iter().map(of))?;
            expect("what is added", of(new), element)?;
            Ok(smallvec![t])
        }
        Op::FromAccumulator(a) => accumulator(of(a)).map(|t| smallvec![Type { accumulator: false, ..t }]),
        Op::Custom(it) => {
            let arguments: Types = it.arguments.iter().map(of).collect();
            parameters(program, "the function", &it.function, &arguments)?;
            let out = results(program, &it.function.body);
            let of_pullback: Types = arguments.iter().chain(&out).copied().collect();
            parameters(program, "the pullback", &it.pullback, &of_pullback)?;
            same("the pullback's results and the arguments", &results(program, &it.pullback.body), &arguments)?;
            Ok(out)
        }
        Op::Agree(it) => {
            it.extents().try_for_each(|extent| size(program, extent))?;
            Ok(Types::new())
        }
    }
}

/// Checks that there is such a size.
fn size(program: &Program, extent: &Extent) -> Result<(), Reason> {
    let t = program.atom_type(extent.atom());
    match extent {
        Extent::Number(_) => expect("a size", t, INDEX),
        Extent::Of(_, dimension) if *dimension < t.rank => Ok(()),
        Extent::Of(_, dimension) => Err(format!("{t} has no dimension {dimension}")),
    }
}

/// The type of the result of a scalar operation.
pub(super) fn of_scalar(program: &Program, op: ScalarOp, operands: &[Atom]) -> Result<Type, Reason> {
    // None has more than three, and there are many of them.
    let (mut kinds, mut scalars) = ([Prim::Bool; 3], operands.len() <= 3);
    for (kind, a) in kinds.iter_mut().zip(operands) {
        let t = program.atom_type(*a);
        *kind = t.prim;
        scalars &= t.rank == 0 && !t.accumulator;
    }
    match scalars.then(|| op.result(&kinds[..operands.len()])) {
        Some(Some(prim)) => Ok(Type::scalar(prim)),
        Some(None) | None => {
            let types: Types = operands.iter().map(|a| program.atom_type(*a)).collect();
            Err(format!("`{op}` does not take operands of types {}", list(&types)))
        }
    }
}

/// The types of a body's results.
pub(super) fn results(program: &Program, body: &Body) -> Types {
    body.results.iter().map(|a| program.atom_type(*a)).collect()
}

fn of_loop(program: &Program, it: &Loop) -> Result<Types, Reason> {
    let types: Types = it.params.iter().map(|(param, _)| program.type_of(*param)).collect();
    let initial: Types = it.params.iter().map(|(_, a)| program.atom_type(*a)).collect();
    same("the loop variables and their first values", &types, &initial)?;
    match &it.form {
        Form::For(i, bound) => {
            expect("the loop index", program.type_of(*i), INDEX)?;
            expect("the bound", program.atom_type(*bound), INDEX)?;
        }
        Form::While { condition, bound } => {
            same("the loop's condition and a truth value", &results(program, condition), &[TRUTH])?;
            if let Some(bound) = bound {
                expect("the bound", program.atom_type(*bound), INDEX)?;
            }
        }
    }
    same("the loop's results and its variables", &results(program, &it.body), &types)?;
    Ok(types)
}

fn of_map(program: &Program, map: &Map) -> Result<Types, Reason> {
    if map.arrays.is_empty() {
        return Err("a map has at least one array: its length would be unknown".into());
    }
    let mut wanted = elements(program, &map.arrays)?;
    let accumulators: Types = map.accumulators.iter().map(|a| program.atom_type(*a)).collect();
    accumulators.iter().try_for_each(|t| accumulator(*t).map(drop))?;
    wanted.extend_from_slice(&accumulators);
    parameters(program, "the function", &map.function, &wanted)?;
    let mut out = results(program, &map.function.body);
    let Some(values) = out.len().checked_sub(accumulators.len()) else {
        return Err("a map's function gives its accumulators back".into());
    };
    same("the accumulators in and out", &accumulators, &out[values..])?;
    for t in &mut out[..values] {
        *t = value("a map's result", *t)?.arrayed();
    }
    Ok(out)
}

fn of_reduce(program: &Program, it: &Reduce) -> Result<Types, Reason> {
    let types = elements(program, &it.arrays)?;
    operator(program, &it.operator, &it.neutral, &types)?;
    Ok(types)
}

fn of_hist(program: &Program, it: &Hist) -> Result<Types, Reason> {
    let types = elements(program, &it.values)?;
    operator(program, &it.operator, &it.neutral, &types)?;
    expect("the indices", program.atom_type(it.indices), Type::array(Prim::I64, 1))?;
    let destinations: Types = it.destinations.iter().map(|a| program.atom_type(*a)).collect();
    same("the destinations' elements and the values", &elements(program, &it.destinations)?, &types)?;
    Ok(destinations)
}

/// Checks an operator on values of these types, with its neutral elements.
fn operator(program: &Program, operator: &Lambda, neutral: &[Atom], types: &[Type]) -> Result<(), Reason> {
    if types.is_empty() {
        return Err("an operator combines at least one array".into());
    }
    let neutral: Types = neutral.iter().map(|a| program.atom_type(*a)).collect();
    same("the neutral elements and the elements", &neutral, types)?;
    parameters(program, "the operator", operator, &Types::from_iter(types.iter().chain(types).copied()))?;
    same("the operator's results and its operands", &results(program, &operator.body), types)
}

fn parameters(program: &Program, what: &str, function: &Lambda, wanted: &[Type]) -> Result<(), Reason> {
    let found: Types = function.params.iter().map(|p| program.type_of(*p)).collect();
    same(format_args!("{what}'s parameters and arguments"), &found, wanted)
}

fn elements(program: &Program, arrays: &[Atom]) -> Result<Types, Reason> {
    arrays.iter().map(|a| array("an operand of a combinator", program.atom_type(*a)).map(Type::element)).collect()
}

fn indexed(t: Type, indices: impl ExactSizeIterator<Item = Type>) -> Result<Type, Reason> {
    let rank = t
        .rank
        .checked_sub(indices.len())
        .ok_or_else(|| format!("{t} has too few dimensions for {} indices", indices.len()))?;
    for index in indices {
        expect("an index", index, INDEX)?;
    }
    Ok(Type { rank, ..t })
}

fn value(what: &str, t: Type) -> Result<Type, Reason> {
    if t.accumulator { Err(format!("{what} is an accumulator, which can only be added to")) } else { Ok(t) }
}

fn array(what: &str, t: Type) -> Result<Type, Reason> {
    match value(what, t)? {
        Type { rank: 0, .. } => Err(format!("{what} is the scalar {t}, not an array")),
        t => Ok(t),
    }
}

fn accumulator(t: Type) -> Result<Type, Reason> {
    if t.accumulator { Ok(t) } else { Err(format!("{t} is not an accumulator")) }
}

fn expect(what: &str, found: Type, wanted: Type) -> Result<(), Reason> {
    if found == wanted { Ok(()) } else { Err(format!("{what} is of type {found}, where {wanted} is needed")) }
}

fn same(what: impl fmt::Display, a: &[Type], b: &[Type]) -> Result<(), Reason> {
    if a == b { Ok(()) } else { Err(format!("{what} have types {} and {}", list(a), list(b))) }
}

fn list(types: &[Type]) -> String {
    let texts: Vec<String> = types.iter().map(Type::to_string).collect();
    format!("({})", texts.join(", "))
}
