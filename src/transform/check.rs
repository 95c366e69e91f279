//! What cannot be differentiated is refused before anything is written, by name.
//!
//! Law: a derivative is right or refused: an accumulator must end in the scope in which it begins, since a scope that
//! is executed again omits it (tests/transform/corners.rs, tests/transform/rules.rs).

use rustc_hash::FxHashSet;

use super::flow::Active;
use crate::array::{Atom, Body, Op, Program, Stm, Var};
use crate::error::{Error, Result};

/// Which way derivatives go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// Pullbacks are used as they are.
    Reverse,
    /// Pullbacks are taken back themselves.
    Forward,
}

/// Checks that there is a rule for each active statement.
pub(super) fn check(program: &Program, active: &Active, mode: Mode) -> Result<()> {
    check_body(program, &program.function.body, active, mode)
}

fn check_body(program: &Program, body: &Body, active: &Active, mode: Mode) -> Result<()> {
    let vars = body.stms.iter().flat_map(|stm| stm.vars.iter().copied());
    let bound: FxHashSet<Var> = vars.filter(|v| program.type_of(*v).accumulator).collect();
    for stm in &body.stms {
        if stm.vars.iter().any(|v| active.var(*v)) {
            check_statement(&bound, active, stm)?;
        }
        match &stm.op {
            Op::Custom(_) if mode == Mode::Reverse => {}
            Op::Custom(it) => {
                let (pullback, _) = program.function_alone(&it.pullback);
                let adjoints: Vec<usize> = it.adjoints().collect();
                let active = Active::both(&pullback, &adjoints);
                check_body(&pullback, &pullback.function.body, &active, Mode::Reverse)?;
            }
            op => {
                for inner in op.bodies() {
                    check_body(program, inner, active, mode)?;
                }
            }
        }
    }
    Ok(())
}

/// The invariant of what was checked.
pub(super) const DIFFERENTIABLE: &str = "a statement without a rule was refused";

fn check_statement(bound: &FxHashSet<Var>, active: &Active, stm: &Stm) -> Result<()> {
    match &stm.op {
        Op::FromAccumulator(Atom::Var(var)) if !bound.contains(var) => Err(Error::NotDifferentiable {
            operation: "an accumulator".into(),
            reason: "it must become an array in the scope in which it began",
        }),
        Op::Foreign(it) if it.function.as_rule().is_none() && it.arguments.iter().any(|a| active.atom(*a)) => {
            Err(Error::NotDifferentiable {
                operation: format!("the function `{}` of Rust", it.function.name()),
                reason: "a callback has no derivative: give it one with `custom`, `custom_with_result` or `custom_jvp`",
            })
        }
        _ => Ok(()),
    }
}
