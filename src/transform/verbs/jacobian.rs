//! Jacobians as programs: one derivative mapped over unit vectors, which are made inside the program from its sizes.
//!
//! Law: by columns or by rows the Jacobian is the same, `J[r, p] = ∂ result[r] / ∂ parameter[p]` for all indices `r`
//! and `p`; what does not depend on the direction is computed once ("Reverse AD for a Functional Array Language",
//! *Implementing the Jacobian and Hessian Computation*) (laws: array_verbs::jacobians).

use super::super::copy::Copier;
use super::super::target::Target;
use super::super::vmap::mapped;
use super::super::{jvp, vjp};
use crate::array::{Atom, Op, Prim, Program, Type, constant};
use crate::error::Result;

/// The Jacobian by columns: a forward run for each element of each of these parameters.
pub(super) fn by_columns(program: &Program, by: &[usize]) -> Result<Program> {
    let target = Target::new();
    let params = target.parameters(program);
    let columns: Vec<Vec<Atom>> = by.iter().map(|k| columns(program, *k, &target, &params)).collect::<Result<_>>()?;
    let results = (0..program.function.body.results.len()).flat_map(|r| columns.iter().map(move |c| c[r])).collect();
    Ok(target.finish(results).simplified())
}

/// The Jacobian by rows: a reverse sweep for each element of each result.
pub(super) fn by_rows(program: &Program, by: &[usize]) -> Result<Program> {
    let target = Target::new();
    let params = target.parameters(program);
    let results = program.function.body.results.iter().enumerate();
    let rows: Vec<Vec<Atom>> = results.map(|(r, _)| rows(program, r, by, &target, &params)).collect::<Result<_>>()?;
    Ok(target.finish(rows.concat()).simplified())
}

/// The Jacobian of each result by one parameter.
fn columns(program: &Program, k: usize, target: &Target, params: &[Atom]) -> Result<Vec<Atom>> {
    let along = jvp::jvp(program, &[k], |target, _, like| direction(target, like))?;
    let (found, like) = in_all(&along, target, params, along.function.params[k].into(), program);
    Ok(found.into_iter().map(|columns| last(target, columns, like)).collect())
}

/// The Jacobian of one result by each of these parameters.
fn rows(program: &Program, r: usize, by: &[usize], target: &Target, params: &[Atom]) -> Result<Vec<Atom>> {
    let along = vjp::vjp(program, by, |target, results| {
        let mut adjoints = vec![None; results.len()];
        adjoints[r] = Some(direction(target, results[r]));
        adjoints
    })?;
    let (found, like) = in_all(&along, target, params, along.function.body.results[r], program);
    Ok(found.into_iter().map(|rows| first(target, rows, like)).collect())
}

/// The derivatives that a program gives besides the results of another, in the directions of all elements of a value of it; and
/// that value.
fn in_all(along: &Program, target: &Target, params: &[Atom], like: Atom, primal: &Program) -> (Vec<Atom>, Atom) {
    let mut copier = Copier::given(along, target, params);
    let derivatives = &along.function.body.results[primal.function.body.results.len()..];
    if along.atom_type(like).rank == 0 {
        copier.stms(&along.function.body.stms);
        return (copier.atoms(derivatives), copier.atom(like));
    }
    let element = along.function.params[params.len()];
    let arrays = |copier: &Copier<'_, '_>| vec![target.iota(target.count(&target.sizes(copier.atom(like), 0)))];
    let (once, found) = mapped(&mut copier, &[element], arrays, &[like], derivatives);
    (found, once[0])
}

/// The direction of one element of a value; of which, for an array, is a new parameter of the program.
fn direction(target: &Target, like: Atom) -> Atom {
    let of = target.type_of(like);
    let one = Atom::Const(of.prim.one());
    if of.rank == 0 {
        return one;
    }
    let at = target.parameter("direction".into(), Type::scalar(Prim::I64));
    let zeros = target.one(Op::Replicate(target.count(&target.sizes(like, 0)), constant(of.prim, 0.0)));
    let unit = target.one(Op::Update(zeros, vec![at], one));
    if of.rank == 1 { unit } else { target.one(Op::Reshape(unit, target.sizes(like, 0))) }
}

/// Columns, which come one after the other, with the dimensions of the parameter last.
fn last(target: &Target, columns: Atom, param: Atom) -> Atom {
    let rank = target.type_of(columns).rank;
    if target.type_of(param).rank == 0 {
        return columns;
    }
    let order = (1..rank).chain([0]).collect();
    let moved = if rank == 1 { columns } else { target.one(Op::Permute(columns, order)) };
    if target.type_of(param).rank == 1 {
        return moved;
    }
    let sizes = [target.sizes(columns, 1), target.sizes(param, 0)].concat();
    target.one(Op::Reshape(moved, sizes))
}

/// Rows, which come one after the other, with the dimensions of the result first.
fn first(target: &Target, rows: Atom, result: Atom) -> Atom {
    if target.type_of(result).rank <= 1 {
        return rows;
    }
    let sizes = [target.sizes(result, 0), target.sizes(rows, 1)].concat();
    target.one(Op::Reshape(rows, sizes))
}
