//! What cannot be differentiated is refused before anything is written, by name.
//!
//! Law: a derivative is right or refused. The rules of reductions take a neutral element for a constant, so it must be
//! one; an accumulator must end in the scope in which it begins, since what is entered again leaves it out.

use rustc_hash::FxHashSet;

use super::flow::{Active, bodies};
use crate::array::{Atom, Body, Op, Program, Stm, Var};
use crate::error::{Error, Result};

/// Checks that there is a rule for each active statement.
pub(super) fn check(program: &Program, active: &Active) -> Result<()> {
    check_body(program, &program.function.body, active)
}

fn check_body(program: &Program, body: &Body, active: &Active) -> Result<()> {
    let bound: FxHashSet<Var> = body.stms.iter().flat_map(|stm| stm.vars.iter().copied()).collect();
    for stm in &body.stms {
        if stm.vars.iter().any(|v| active.var(*v)) {
            check_statement(&bound, stm, active)?;
        }
        match &stm.op {
            Op::Custom(it) => {
                let adjoints = &it.pullback.params[it.arguments.len()..];
                let active = Active::of_lambda(program, &it.pullback, adjoints);
                check_body(program, &it.pullback.body, &active)?;
            }
            op => {
                for (_, inner) in bodies(op) {
                    check_body(program, inner, active)?;
                }
            }
        }
    }
    Ok(())
}

fn check_statement(bound: &FxHashSet<Var>, stm: &Stm, active: &Active) -> Result<()> {
    let refuse =
        |operation: &str, reason: &'static str| Err(Error::NotDifferentiable { operation: operation.into(), reason });
    match &stm.op {
        Op::Reduce(it) if it.neutral.iter().any(|a| active.atom(*a)) => refuse("reduce", NEUTRAL),
        Op::Scan(it) if it.neutral.iter().any(|a| active.atom(*a)) => refuse("scan", NEUTRAL),
        Op::Hist(it) if it.neutral.iter().any(|a| active.atom(*a)) => refuse("hist", NEUTRAL),
        Op::FromAccumulator(Atom::Var(var)) if !bound.contains(var) => {
            refuse("an accumulator", "it must become an array in the scope in which it began")
        }
        _ => Ok(()),
    }
}

const NEUTRAL: &str = "its neutral element depends on what is differentiated by, and must be a constant";
