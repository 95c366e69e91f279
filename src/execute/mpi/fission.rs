//! A map as two: what each rank can do by itself, and what needs the terms of all ranks combined.
//!
//! Law: each statement of the function is in one of the two maps, and the first keeps what the second needs
//! (tests/mpi/suite.rs).

use rustc_hash::FxHashSet;

use crate::array::{Atom, Body, Builder, Lambda, Map, Op, Stm, Var, Vars, free};

/// The two maps that do what a map of these statements does; the second has those that bind what is late, the first all others.
pub(super) fn fission(builder: &mut Builder, stm: &Stm, map: &Map, stms: Vec<Stm>, late: &[Var]) -> Vec<Stm> {
    let results = &map.function.body.results;
    let (second, first): (Vec<Stm>, Vec<Stm>) =
        stms.into_iter().partition(|stm| stm.vars.iter().any(|v| late.contains(v)));
    let early: FxHashSet<Var> = first.iter().flat_map(|stm| stm.vars.iter().copied()).collect();
    let is_early = |a: &Atom| a.var().is_some_and(|var| early.contains(&var));
    // What is kept: results that are there, and what the second map needs.
    let (mut kept, mut vars) = (Vec::new(), Vars::new());
    for (var, result) in stm.vars.iter().zip(results) {
        if is_early(result) {
            kept.push(*result);
            vars.push(*var);
        }
    }
    let (mut params, mut arrays) = (map.function.params.clone(), map.arrays.clone());
    let mut needed: Vec<Var> = second.iter().flat_map(|stm| free(&stm.op)).filter(|var| early.contains(var)).collect();
    needed.sort();
    needed.dedup();
    for var in needed {
        let array = builder.fresh(builder.type_of(var).arrayed());
        kept.push(var.into());
        vars.push(array);
        params.push(var);
        arrays.push(array.into());
    }
    let of = |params: Vec<Var>, arrays: Vec<Atom>, stms: Vec<Stm>, results: Vec<Atom>| {
        let function = Lambda { params, body: Body { stms, results } };
        Op::Map(Box::new(Map { arrays, accumulators: Vec::new(), function }))
    };
    let (rest, left): (Vec<Var>, Vec<Atom>) =
        stm.vars.iter().zip(results).filter(|(_, result)| !is_early(result)).map(|(var, a)| (*var, *a)).unzip();
    let first = of(map.function.params.clone(), map.arrays.clone(), first, kept);
    let second = of(params, arrays, second, left);
    vec![Stm { vars, op: first, span: stm.span }, Stm { vars: rest.into_iter().collect(), op: second, span: stm.span }]
}
