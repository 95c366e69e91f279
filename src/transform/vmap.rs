//! Batching: a program on one value as a program on many.
//!
//! Law: `vmap f` is `map f`. What does not depend on the batched parameters is computed once, outside the map; so many
//! tangents, or adjoints, share one primal.

use rustc_hash::FxHashSet;

use super::copy::Copier;
use super::flow::atoms_of;
use super::target::Target;
use crate::array::{Atom, Program, Stm, Var};
use crate::error::{Error, Result};

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
    let is_outside = |a: &Atom| !matches!(a, Atom::Var(v) if inside.contains(v));
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
    let is_inside = |stm: &&Stm| mentions(stm, &inside) || stm.vars.iter().any(|v| inside.contains(v));
    let stms = &source.function.body.stms;
    stms.iter().filter(|stm| !is_inside(stm)).for_each(|stm| copier.stm(stm));
    let once = copier.atoms(once);
    if many.is_empty() {
        return (once, Vec::new());
    }
    let arrays = arrays(copier);
    let many = target.map(&arrays, |x| {
        elements.iter().zip(x).for_each(|(param, value)| copier.set(*param, *value));
        stms.iter().filter(is_inside).for_each(|stm| copier.stm(stm));
        copier.atoms(many)
    });
    (once, many)
}

/// Whether a statement depends on one of these variables.
fn mentions(stm: &Stm, inside: &FxHashSet<Var>) -> bool {
    let mut depends = false;
    atoms_of(&stm.op, &mut |a| depends |= matches!(a, Atom::Var(v) if inside.contains(&v)));
    depends
}

/// The variables of the outermost body that depend on these, and accumulators that such variables use.
fn dependents(program: &Program, on: &[Var]) -> FxHashSet<Var> {
    let stms = &program.function.body.stms;
    let mut inside: FxHashSet<Var> = on.iter().copied().collect();
    loop {
        let before = inside.len();
        for stm in stms {
            if mentions(stm, &inside) {
                inside.extend(&stm.vars);
            }
        }
        // An accumulator begins and ends on the same side.
        for stm in stms.iter().rev() {
            if stm.vars.iter().any(|v| inside.contains(v)) {
                atoms_of(&stm.op, &mut |a| match a {
                    Atom::Var(v) if program.type_of(v).accumulator => drop(inside.insert(v)),
                    Atom::Var(_) | Atom::Const(_) => {}
                });
            }
            // Statements of several results go together.
            if stm.vars.iter().any(|v| inside.contains(v)) {
                inside.extend(&stm.vars);
            }
        }
        if inside.len() == before {
            return inside;
        }
    }
}
