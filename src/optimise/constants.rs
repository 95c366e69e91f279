//! What a program computes without its arguments: arrays that are the same in every run, so that they are computed once.
//!
//! Law: the rest of the program, given these arrays, is the program (tests/execute/constants.rs).

use rustc_hash::FxHashSet;

use crate::array::{Atom, Body, Class, Lambda, Program, Stm, Var, free, has_effect};

/// A program in two parts.
pub(crate) struct Split {
    /// Of no arguments: its results are the arrays that the rest needs.
    pub(crate) constant: Program,
    /// What is to be done in every run: these arrays are its last parameters.
    pub(crate) rest: Program,
}

/// Splits a program into its constant arrays and the rest, if there are such arrays.
pub(crate) fn split(program: &Program) -> Option<Split> {
    let Lambda { params, body } = &program.function;
    let (mut constant, mut computed): (FxHashSet<Var>, FxHashSet<Var>) = Default::default();
    let (mut before, mut after): (Vec<Stm>, Vec<Stm>) = (Vec::new(), Vec::new());
    for stm in &body.stms {
        let is_constant = !has_effect(&stm.op)
            && stm.vars.iter().all(|var| !program.type_of(*var).accumulator)
            && free(&stm.op).iter().all(|var| constant.contains(var));
        if is_constant {
            constant.extend(&stm.vars);
            before.push(stm.clone());
        }
        if is_constant && is_computed(program, stm) {
            computed.extend(&stm.vars);
        } else {
            after.push(stm.clone());
        }
    }
    let mut seen = FxHashSet::default();
    let mut wanted = Vec::new();
    let mut want = |var: Var| {
        if computed.contains(&var) && seen.insert(var) {
            wanted.push(var);
        }
    };
    after.iter().for_each(|stm| free(&stm.op).into_iter().for_each(&mut want));
    body.results.iter().filter_map(|result| result.var()).for_each(&mut want);
    if wanted.is_empty() {
        return None;
    }
    let results = wanted.iter().copied().map(Atom::Var).collect();
    let part = |params: Vec<Var>, names: Vec<String>, stms: Vec<Stm>, results: Vec<Atom>| {
        Program::of_parts(program.types.clone(), names, Lambda { params, body: Body { stms, results } })
    };
    let all = params.iter().chain(&wanted).copied().collect();
    let mut names = program.names.clone();
    names.resize(params.len() + wanted.len(), String::new());
    Some(Split {
        constant: part(Vec::new(), Vec::new(), before, results),
        rest: part(all, names, after, body.results.clone()),
    })
}

/// Whether a statement computes arrays, which is more than to say what is in them or where it is.
fn is_computed(program: &Program, stm: &Stm) -> bool {
    let arrays = stm.vars.iter().all(|var| program.type_of(*var).rank > 0);
    arrays && matches!(stm.op.class(), Class::Write | Class::Parallel | Class::Control | Class::Foreign)
}
