//! Visits: every operand and every body of an operation, at any depth.
//!
//! Law: a variable that a body mentions is an operand in it or a result of it; what it mentions and does not bind is
//! from outside.

use rustc_hash::FxHashSet;

use super::program::{Atom, Body, Form, Lambda, Op, Var};

/// Calls `visit` on all operands of an operation, those in its bodies too.
pub(crate) fn atoms_of(op: &Op, visit: &mut impl FnMut(Atom)) {
    op.atoms(&mut *visit);
    bodies(op).into_iter().for_each(|(_, body)| atoms_in(body, visit));
}

/// Calls `visit` on all operands in a body.
pub(crate) fn atoms_in(body: &Body, visit: &mut impl FnMut(Atom)) {
    body.results.iter().for_each(|a| visit(*a));
    body.stms.iter().for_each(|stm| atoms_of(&stm.op, visit));
}

/// The bodies of an operation, each with the variables bound for it.
pub(crate) fn bodies(op: &Op) -> Vec<(Vec<Var>, &Body)> {
    fn of(lambda: &Lambda) -> (Vec<Var>, &Body) {
        (lambda.params.clone(), &lambda.body)
    }
    match op {
        Op::If(_, yes, no) => vec![(Vec::new(), yes), (Vec::new(), no)],
        Op::Loop(it) => {
            let mut params: Vec<Var> = it.params.iter().map(|(param, _)| *param).collect();
            match &it.form {
                Form::For(i, _) => {
                    params.push(*i);
                    vec![(params, &it.body)]
                }
                Form::While { condition, .. } => vec![(params, &it.body), (Vec::new(), condition)],
            }
        }
        Op::Map(map) => vec![of(&map.function)],
        Op::Reduce(it) | Op::Scan(it) => vec![of(&it.operator)],
        Op::Hist(it) => vec![of(&it.operator)],
        Op::Custom(it) => vec![of(&it.function), of(&it.pullback)],
        Op::Scalar(..) | Op::Copy(_) | Op::Iota(_) | Op::Replicate(..) | Op::Elements(_) | Op::Size(..) => Vec::new(),
        Op::Index(..) | Op::Slice(..) | Op::Update(..) | Op::Permute(..) | Op::Reshape(..) => Vec::new(),
        Op::Concat(_) | Op::Reverse(_) | Op::Scatter(_) => Vec::new(),
        Op::ToAccumulator(_) | Op::Accumulate(..) | Op::FromAccumulator(_) => Vec::new(),
    }
}

/// Adds the variables that are bound in a body, at any depth.
pub(crate) fn binders(body: &Body, into: &mut FxHashSet<Var>) {
    for stm in &body.stms {
        into.extend(&stm.vars);
        for (params, inner) in bodies(&stm.op) {
            into.extend(params);
            binders(inner, into);
        }
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
