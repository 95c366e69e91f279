//! Visits: every operand and every body of an operation, at any depth.
//!
//! Law: a variable that a body mentions is an operand in it or a result of it; what it mentions and does not bind is
//! from outside.

use rustc_hash::FxHashSet;

use super::program::{Atom, Body, Form, Lambda, Op, Program, Var};
use super::verify::deeper;

/// Calls `visit` on all operands of an operation, those in its bodies too.
pub(crate) fn atoms_of(op: &Op, visit: &mut impl FnMut(Atom)) {
    op.atoms(&mut *visit);
    bodies(op).for_each(|body| atoms_in(body, visit));
}

/// Calls `visit` on all operands in a body.
pub(crate) fn atoms_in(body: &Body, visit: &mut impl FnMut(Atom)) {
    body.results.iter().for_each(|a| visit(*a));
    body.stms.iter().for_each(|stm| atoms_of(&stm.op, visit));
}

/// Calls `visit` on every operand of the operation itself, to be changed, in the order of [`Op::atoms`].
pub(crate) fn atoms_mut(op: &mut Op, visit: &mut impl FnMut(&mut Atom)) {
    match op {
        Op::Scalar(_, atoms) => atoms.iter_mut().for_each(visit),
        Op::Elements(atoms) | Op::Concat(atoms) => atoms.iter_mut().for_each(visit),
        Op::Copy(a) | Op::Iota(a) | Op::Size(a, _) | Op::Permute(a, _) | Op::Reverse(a) => visit(a),
        Op::ToAccumulator(a) | Op::FromAccumulator(a) => visit(a),
        Op::Replicate(n, a) => [n, a].into_iter().for_each(visit),
        Op::Index(a, indices) | Op::Reshape(a, indices) => {
            visit(a);
            indices.iter_mut().for_each(visit);
        }
        Op::Slice(a, ranges) => {
            visit(a);
            ranges.iter_mut().flat_map(|r| [&mut r.start, &mut r.count, &mut r.step]).for_each(visit);
        }
        Op::Update(a, indices, value) | Op::Accumulate(a, indices, value) => {
            visit(a);
            indices.iter_mut().for_each(&mut *visit);
            visit(value);
        }
        Op::If(condition, ..) => visit(condition),
        Op::Loop(it) => {
            it.params.iter_mut().for_each(|(_, initial)| visit(initial));
            match &mut it.form {
                Form::For(_, bound) => visit(bound),
                Form::While { bound, .. } => bound.iter_mut().for_each(visit),
            }
        }
        Op::Map(map) => map.arrays.iter_mut().chain(&mut map.accumulators).for_each(visit),
        Op::Reduce(it) | Op::Scan(it) => it.neutral.iter_mut().chain(&mut it.arrays).for_each(visit),
        Op::Hist(it) => {
            let operands = it.neutral.iter_mut().chain(&mut it.destinations).chain([&mut it.indices]);
            operands.chain(&mut it.values).for_each(visit);
        }
        Op::Scatter(it) => [&mut it.destination, &mut it.indices, &mut it.values].into_iter().for_each(visit),
        Op::Custom(it) => it.arguments.iter_mut().for_each(visit),
        Op::Agree(it) => it.extents_mut().for_each(|extent| visit(extent.atom_mut())),
    }
}

impl Program {
    /// How many statements there are, those of functions inside among them.
    #[must_use]
    pub fn statements(&self) -> usize {
        statements(&self.function.body)
    }
}

/// The statements of a body, those inside of others too.
pub(crate) fn statements(body: &Body) -> usize {
    deeper(|| body.stms.iter().map(|stm| 1 + bodies(&stm.op).map(statements).sum::<usize>()).sum())
}

/// The bodies of an operation.
pub(crate) fn bodies(op: &Op) -> impl Iterator<Item = &Body> {
    let found = match op {
        Op::If(_, yes, no) => [Some(&**yes), Some(&**no)],
        Op::Loop(it) => match &it.form {
            Form::For(..) => [Some(&it.body), None],
            Form::While { condition, .. } => [Some(&it.body), Some(condition)],
        },
        Op::Map(map) => [Some(&map.function.body), None],
        Op::Reduce(it) | Op::Scan(it) => [Some(&it.operator.body), None],
        Op::Hist(it) => [Some(&it.operator.body), None],
        Op::Custom(it) => [Some(&it.function.body), Some(&it.pullback.body)],
        Op::Scalar(..) | Op::Copy(_) | Op::Iota(_) | Op::Replicate(..) | Op::Elements(_) | Op::Size(..) => [None; 2],
        Op::Index(..) | Op::Slice(..) | Op::Update(..) | Op::Permute(..) | Op::Reshape(..) => [None; 2],
        Op::Concat(_) | Op::Reverse(_) | Op::Scatter(_) | Op::Agree(_) => [None; 2],
        Op::ToAccumulator(_) | Op::Accumulate(..) | Op::FromAccumulator(_) => [None; 2],
    };
    found.into_iter().flatten()
}

/// The variables that are bound for the bodies of an operation.
pub(crate) fn params(op: &Op) -> impl Iterator<Item = Var> {
    let (functions, variables) = match op {
        Op::Loop(it) => ([None; 2], Some(it)),
        Op::Map(map) => ([Some(&map.function), None], None),
        Op::Reduce(it) | Op::Scan(it) => ([Some(&it.operator), None], None),
        Op::Hist(it) => ([Some(&it.operator), None], None),
        Op::Custom(it) => ([Some(&it.function), Some(&it.pullback)], None),
        Op::Scalar(..) | Op::Copy(_) | Op::Iota(_) | Op::Replicate(..) | Op::Elements(_) => ([None; 2], None),
        Op::Size(..) | Op::Index(..) | Op::Slice(..) | Op::Update(..) | Op::Permute(..) => ([None; 2], None),
        Op::Reshape(..) | Op::Concat(_) | Op::Reverse(_) | Op::Scatter(_) | Op::If(..) => ([None; 2], None),
        Op::Agree(_) => ([None; 2], None),
        Op::ToAccumulator(_) | Op::Accumulate(..) | Op::FromAccumulator(_) => ([None; 2], None),
    };
    let of_loop = variables.into_iter().flat_map(|it| {
        let index = if let Form::For(i, _) = it.form { Some(i) } else { None };
        it.params.iter().map(|(param, _)| *param).chain(index)
    });
    functions.into_iter().flatten().flat_map(|function| function.params.iter().copied()).chain(of_loop)
}

/// Whether an operation has bodies.
pub(crate) fn has_bodies(op: &Op) -> bool {
    match op {
        Op::If(..) | Op::Loop(_) | Op::Map(_) | Op::Reduce(_) | Op::Scan(_) | Op::Hist(_) | Op::Custom(_) => true,
        Op::Scalar(..) | Op::Copy(_) | Op::Iota(_) | Op::Replicate(..) | Op::Elements(_) | Op::Size(..) => false,
        Op::Index(..) | Op::Slice(..) | Op::Update(..) | Op::Permute(..) | Op::Reshape(..) => false,
        Op::Concat(_) | Op::Reverse(_) | Op::Scatter(_) | Op::Agree(_) => false,
        Op::ToAccumulator(_) | Op::Accumulate(..) | Op::FromAccumulator(_) => false,
    }
}

/// Whether an operation does something that is not in its results: it compares sizes, itself or in a body that runs.
pub(crate) fn has_effect(op: &Op) -> bool {
    let inside = |body: &Body| body.stms.iter().any(|stm| has_effect(&stm.op));
    match op {
        Op::Agree(_) => true,
        Op::Custom(it) => inside(&it.function.body),
        op => bodies(op).any(inside),
    }
}

/// The bodies of an operation, in the order of their writing.
pub(crate) fn bodies_mut(op: &mut Op) -> impl Iterator<Item = &mut Body> {
    let found = match op {
        Op::If(_, yes, no) => [Some(&mut **yes), Some(&mut **no)],
        Op::Loop(it) => match &mut it.form {
            Form::For(..) => [Some(&mut it.body), None],
            Form::While { condition, .. } => [Some(condition), Some(&mut it.body)],
        },
        Op::Map(map) => [Some(&mut map.function.body), None],
        Op::Reduce(it) | Op::Scan(it) => [Some(&mut it.operator.body), None],
        Op::Hist(it) => [Some(&mut it.operator.body), None],
        Op::Custom(it) => [Some(&mut it.function.body), Some(&mut it.pullback.body)],
        Op::Scalar(..) | Op::Copy(_) | Op::Iota(_) | Op::Replicate(..) | Op::Elements(_) => [None, None],
        Op::Size(..) | Op::Index(..) | Op::Slice(..) | Op::Update(..) | Op::Permute(..) => [None, None],
        Op::Reshape(..) | Op::Concat(_) | Op::Reverse(_) | Op::Scatter(_) | Op::Agree(_) => [None, None],
        Op::ToAccumulator(_) | Op::Accumulate(..) | Op::FromAccumulator(_) => [None, None],
    };
    found.into_iter().flatten()
}

/// Adds the variables that are bound in a body, at any depth.
pub(crate) fn binders(body: &Body, into: &mut FxHashSet<Var>) {
    for stm in &body.stms {
        into.extend(&stm.vars);
        into.extend(params(&stm.op));
        bodies(&stm.op).for_each(|inner| binders(inner, into));
    }
}

/// The variables from outside that a function mentions, in the order in which it does.
pub(crate) fn mentioned(function: &Lambda) -> Vec<Var> {
    let mut seen: FxHashSet<Var> = function.params.iter().copied().collect();
    binders(&function.body, &mut seen);
    let mut found = Vec::new();
    atoms_in(&function.body, &mut |atom| {
        if let Atom::Var(var) = atom
            && seen.insert(var)
        {
            found.push(var);
        }
    });
    found
}
