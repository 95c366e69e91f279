//! Maps in maps, and what of them can be computed on its own.
//!
//! Law: a part that is taken out shares no statement with what stays, so that nothing is computed twice
//! (tests/transform/simplify.rs).

use rustc_hash::FxHashMap;

use crate::array::{Atom, Body, Map, Op, Program, Stm, Var};
use crate::array::{atoms_in, atoms_of};
use crate::error::Span;

/// How often the variables of a program are used.
pub(super) fn uses(program: &Program) -> Vec<usize> {
    let mut uses = vec![0; program.types.len()];
    atoms_in(&program.function.body, &mut |a| {
        if let Atom::Var(var) = a {
            uses[var.0 as usize] += 1;
        }
    });
    uses
}

/// A map in a body, and one of its results.
pub(super) struct Inner {
    pub(super) map: Map,
    /// The statements of its function that the result needs.
    pub(super) stms: Vec<Stm>,
    /// The result, as its function knows it.
    pub(super) result: Atom,
    /// Where the map comes from.
    pub(super) span: Span,
}

/// The map in a body that gives this result, and computes nothing for it that it needs for other results.
pub(super) fn inner(body: &Body, result: Atom) -> Option<Inner> {
    let Atom::Var(var) = result else { return None };
    let stm = body.stms.iter().find(|stm| stm.vars.contains(&var))?;
    let Op::Map(map) = &stm.op else { return None };
    if !map.accumulators.is_empty() {
        return None;
    }
    let k = stm.vars.iter().position(|v| *v == var)?;
    let inside = &map.function.body;
    let needed = slice(inside, inside.results[k]);
    let shared = inside.results.iter().enumerate().filter(|(other, _)| *other != k).any(|(_, result)| {
        inside.results[k] == *result || slice(inside, *result).iter().zip(&needed).any(|(a, b)| *a && *b)
    });
    if shared {
        return None;
    }
    let stms = inside.stms.iter().zip(&needed).filter(|(_, needed)| **needed).map(|(stm, _)| stm.clone());
    Some(Inner { stms: stms.collect(), result: inside.results[k], map: (**map).clone(), span: stm.span })
}

/// Which statements of a body its result depends on.
fn slice(body: &Body, result: Atom) -> Vec<bool> {
    let mut wanted: Vec<Atom> = vec![result];
    let mut at: FxHashMap<Var, usize> = FxHashMap::default();
    for (k, stm) in body.stms.iter().enumerate() {
        at.extend(stm.vars.iter().map(|v| (*v, k)));
    }
    let mut taken = vec![false; body.stms.len()];
    while let Some(atom) = wanted.pop() {
        if let Atom::Var(var) = atom
            && let Some(k) = at.get(&var)
            && !core::mem::replace(&mut taken[*k], true)
        {
            atoms_of(&body.stms[*k].op, &mut |a| wanted.push(a));
        }
    }
    taken
}
