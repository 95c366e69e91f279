//! Maps in maps, and what of them can be computed on its own.
//!
//! Law: a part that is taken out shares no statement with what stays, so that nothing is computed twice
//! (tests/transform/simplify.rs).

use crate::array::{Atom, Body, Map, Op, Program, atoms_in, needed};
use crate::error::Span;

/// How often the variables of a program are used.
pub(super) fn uses(program: &Program) -> Vec<usize> {
    let mut uses = vec![0; program.types.len()];
    atoms_in(&program.function.body, &mut |a| a.var().into_iter().for_each(|var| uses[var.0 as usize] += 1));
    uses
}

/// A map in a body, and one of its results.
pub(super) struct Inner {
    pub(super) map: Map,
    /// The statements of its function that the result needs, and the result, as its function knows it.
    pub(super) body: Body,
    /// Where the map comes from.
    pub(super) span: Span,
}

/// The map in a body that gives this result, and computes nothing for it that it needs for other results.
pub(super) fn inner(body: &Body, result: Atom) -> Option<Inner> {
    let var = result.var()?;
    let stm = body.stms.iter().find(|stm| stm.vars.contains(&var))?;
    let Op::Map(map) = &stm.op else { return None };
    if !map.accumulators.is_empty() {
        return None;
    }
    let k = stm.vars.iter().position(|v| *v == var)?;
    let inside = &map.function.body;
    let needed_for = |result: Atom| needed(&inside.stms, &[result]).0;
    let needed = needed_for(inside.results[k]);
    let shared = inside.results.iter().enumerate().filter(|(other, _)| *other != k).any(|(_, result)| {
        inside.results[k] == *result || needed_for(*result).iter().zip(&needed).any(|(a, b)| *a && *b)
    });
    if shared {
        return None;
    }
    let stms = inside.stms.iter().zip(&needed).filter(|(_, needed)| **needed).map(|(stm, _)| stm.clone());
    let body = Body { stms: stms.collect(), results: vec![inside.results[k]] };
    Some(Inner { body, map: (**map).clone(), span: stm.span })
}
