//! What cannot be differentiated is refused before anything is written, by name.
//!
//! Law: a derivative is right or refused: an accumulator must end in the scope in which it begins, since a scope that
//! is executed again omits it (tests/transform/corners.rs, tests/transform/rules.rs).

use rustc_hash::FxHashSet;

use super::flow::Active;
use crate::array::{Atom, Body, Op, Program, Stm, Var};
use crate::error::{Error, Result};

/// Checks that there is a rule for each active statement.
pub(super) fn check(program: &Program, active: &Active) -> Result<()> {
    check_body(program, &program.function.body, active)
}

fn check_body(program: &Program, body: &Body, active: &Active) -> Result<()> {
    let vars = body.stms.iter().flat_map(|stm| stm.vars.iter().copied());
    let bound: FxHashSet<Var> = vars.filter(|v| program.type_of(*v).accumulator).collect();
    for stm in &body.stms {
        if stm.vars.iter().any(|v| active.var(*v)) {
            check_statement(&bound, stm)?;
        }
        match &stm.op {
            Op::Custom(it) => {
                let (pullback, _) = program.function_alone(&it.pullback);
                let adjoints: Vec<usize> = (it.arguments.len()..it.pullback.params.len()).collect();
                let active = Active::both(&pullback, &adjoints);
                check_body(&pullback, &pullback.function.body, &active)?;
            }
            op => {
                for inner in op.bodies() {
                    check_body(program, inner, active)?;
                }
            }
        }
    }
    Ok(())
}

fn check_statement(bound: &FxHashSet<Var>, stm: &Stm) -> Result<()> {
    match &stm.op {
        Op::FromAccumulator(Atom::Var(var)) if !bound.contains(var) => Err(Error::NotDifferentiable {
            operation: "an accumulator".into(),
            reason: "it must become an array in the scope in which it began",
        }),
        _ => Ok(()),
    }
}
