//! Batching: a program on one value as a program on many.
//!
//! Law: `vmap f` is `map f`: a value that does not depend on the batched parameters is computed once, outside the map,
//! also where one combinator computes it together with values that do, so that all tangents or adjoints of a batch
//! share one primal; of such a combinator the part that remains inside is what the others need
//! (tests/transform/batch.rs, laws: array_exact::batched).

use rustc_hash::FxHashMap;

use super::copy::Copier;
use super::flow::{atoms_of, reached};
use super::target::Target;
use crate::array::{Atom, Program, Stm, Var};
use crate::error::{Error, Result};
use crate::optimise::dead_code::{self, body_needs};

/// The program on many values of the parameters said to be batched, which get one dimension more, as do the results.
/// If the first results are those of another program, on the first parameters, they stay as they are.
pub(super) fn vmap(program: &Program, batched: &[bool], primal: Option<&Program>) -> Result<Program> {
    Error::lengths("the list of batched parameters", program.function.params.len(), batched.len())?;
    if !batched.contains(&true) {
        return Err(Error::Empty { what: "the list of batched parameters" });
    }
    let target = Target::new();
    let mut copier = Copier::new(program, &target);
    let function = &program.function;
    let mut arrays: Vec<Atom> = Vec::new();
    let mut elements: Vec<Var> = Vec::new();
    for ((param, name), batched) in function.params.iter().zip(&program.names).zip(batched) {
        let of = program.type_of(*param);
        if *batched {
            arrays.push(target.parameter(name.clone(), of.arrayed()));
            elements.push(*param);
        } else {
            copier.set(*param, target.parameter(name.clone(), of));
        }
    }

    let (once, many) = function.body.results.split_at(primal.map_or(0, |p| p.function.body.results.len()));
    let inside = dependents(program, &elements);
    let is_outside = |a: &Atom| !matches!(a, Atom::Var(v) if inside.has(*v));
    let (mut results, many) = if once.iter().all(is_outside) {
        mapped(&mut copier, &elements, |_| arrays, once, many)
    } else {
        // A statement may compute values and derivatives together; then values are computed by themselves.
        let primal = primal.expect("only the results of a primal stay as they are");
        let mut alone = Copier::new(primal, &target);
        for (param, shared) in primal.function.params.iter().zip(&function.params) {
            alone.set(*param, copier.atom((*shared).into()));
        }
        alone.stms(&primal.function.body.stms);
        let (_, many) = mapped(&mut copier, &elements, |_| arrays, &[], many);
        (alone.atoms(&primal.function.body.results), many)
    };
    results.extend(many);
    Ok(target.finish(results))
}

/// Copies a program all of whose parameters stand for something but `elements`, which run over the elements of arrays:
/// the results `once`, which must not depend on these, and `many` as arrays. The arrays may be written from what is
/// outside of the map.
pub(super) fn mapped(
    copier: &mut Copier<'_, '_>,
    elements: &[Var],
    arrays: impl FnOnce(&Copier<'_, '_>) -> Vec<Atom>,
    once: &[Atom],
    many: &[Atom],
) -> (Vec<Atom>, Vec<Atom>) {
    let (source, target) = (copier.source, copier.target);
    let inside = dependents(source, elements);
    let stms = &source.function.body.stms;
    let sides: Vec<Side> = stms.iter().map(|stm| inside.side(stm)).collect();
    let parts = if sides.contains(&Side::Both) { inside.others(source) } else { FxHashMap::default() };
    for (stm, side) in stms.iter().zip(&sides) {
        match side {
            Side::Inside => {}
            Side::Outside => copier.stm(stm),
            Side::Both => copier.stm(stm.vars.iter().find_map(|v| parts.get(v)).unwrap_or(stm)),
        }
    }
    let once = copier.atoms(once);
    if many.is_empty() {
        return (once, Vec::new());
    }
    let arrays = arrays(copier);
    let many = target.map(&arrays, |x| {
        elements.iter().zip(x).for_each(|(param, value)| copier.set(*param, *value));
        for (stm, _) in stms.iter().zip(&sides).filter(|(_, side)| **side != Side::Outside) {
            let outside: Vec<(Var, Atom)> =
                stm.vars.iter().filter(|v| !inside.has(**v)).map(|v| (*v, copier.atom((*v).into()))).collect();
            outside.iter().for_each(|(var, value)| copier.tell(*var, *value));
            copier.stm(stm);
            for (var, value) in outside {
                copier.untell(var);
                copier.set(var, value);
            }
        }
        copier.atoms(many)
    });
    (once, many)
}

/// Where a statement is written: around the map, in its function, or in part in each.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Outside,
    Inside,
    Both,
}

/// The variables that depend on some.
struct Dependents(Vec<bool>);

impl Dependents {
    fn has(&self, var: Var) -> bool {
        self.0[var.0 as usize]
    }

    /// Where a statement is: inside with all its results, or, if it has none, with what it compares; and on both sides if
    /// only something of it is of them, a result or what happens on the way.
    fn side(&self, stm: &Stm) -> Side {
        if !stm.vars.is_empty() && stm.vars.iter().all(|v| self.has(*v)) {
            return Side::Inside;
        }
        let mut found = stm.vars.iter().any(|v| self.has(*v));
        atoms_of(&stm.op, &mut |a| found |= matches!(a, Atom::Var(v) if self.has(v)));
        match (found, stm.vars.is_empty()) {
            (false, _) => Side::Outside,
            (true, true) => Side::Inside,
            (true, false) => Side::Both,
        }
    }

    /// What computes the other variables of the outermost body and nothing else, by variable. Sizes are not compared there:
    /// the whole statement does that.
    fn others(&self, program: &Program) -> FxHashMap<Var, Stm> {
        let mut part = program.clone();
        let bound = part.function.body.stms.iter().flat_map(|stm| &stm.vars);
        part.function.body.results = bound.filter(|v| !self.has(**v)).map(|v| (*v).into()).collect();
        dead_code::only_needed(&mut part);
        let named = part.function.body.stms.into_iter().filter_map(|stm| Some((*stm.vars.first()?, stm)));
        named.collect()
    }
}

/// The variables that depend on these, result by result, and accumulators that such variables use.
fn dependents(program: &Program, on: &[Var]) -> Dependents {
    let mut edges: Vec<(Var, Var)> = Vec::new();
    body_needs(&program.function.body, &mut |var, atom| edges.extend(atom.var().map(|on| (on, var))));
    let is_accumulator = |v: Var| program.type_of(v).accumulator;
    // An accumulator begins and ends on the same side, and a statement that has one is on one side.
    for stm in &program.function.body.stms {
        let mut together = stm.vars.to_vec();
        stm.op.atoms(|a| together.extend(a.var().filter(|v| is_accumulator(*v))));
        if together.iter().any(|v| is_accumulator(*v)) {
            edges.extend(together.iter().flat_map(|a| together.iter().map(|b| (*a, *b))));
        }
    }
    Dependents(reached(program.types.len(), on.to_vec(), || edges.iter().copied()))
}
