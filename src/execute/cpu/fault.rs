//! What is wrong where a check has failed.
//!
//! Law: it is found out after the run, from the registers as the check has left them; a run without a fault knows
//! nothing of it (laws: executors::suite).

use super::compute::constant;
use super::machine::Machine;
use super::real::Real;
use crate::array::Prim;
use crate::error::Span;
use crate::execute::contract::Ending;
use crate::execute::{Fault, FaultKind, Unsupported};
use crate::kernel::code::Broken;

/// What a check is of: the instruction, the statement of the program, and the uniform registers of the operands.
#[derive(Debug, Clone)]
pub(super) struct Claim {
    pub(super) at: u32,
    pub(super) statement: String,
    pub(super) span: Span,
    pub(super) broken: Broken,
    pub(super) operands: Vec<(u32, Prim)>,
}

/// What became of a run of stepwise code that has stopped, if no limit and no wish ended it.
pub(super) fn ending<R: Real<G>, const G: usize>(machine: &Machine<'_, R, G>) -> Ending {
    let claims = &machine.code.claims;
    let Ok(found) = claims.binary_search_by_key(&machine.stopped, |claim| claim.at as usize) else {
        // Nothing else stops but what asks for memory.
        return unsupported(None, "an array for which there is no memory");
    };
    let Claim { statement, span, broken, operands, .. } = &claims[found];
    let integer = |k: usize| machine.state.one(operands[k].0);
    let size = |k: usize| usize::try_from(integer(k)).unwrap_or(usize::MAX);
    let kind = match broken {
        Broken::Sizes(what) => FaultKind::Sizes { what, first: size(0), second: size(1) },
        Broken::Size => FaultKind::NegativeSize { size: integer(0) },
        Broken::Bounds => FaultKind::OutOfBounds { index: integer(0), length: size(1) },
        Broken::Value(row) => {
            let operands: Vec<String> = (0..operands.len()).map(|k| shown(operands[k].1, integer(k))).collect();
            FaultKind::NoValue { operation: format!("{}({})", row.name(), operands.join(", ")) }
        }
        Broken::Bound => FaultKind::LoopBound { bound: integer(0) },
        Broken::Able(reason) => return unsupported(Some(statement.clone()), reason),
    };
    Ending::Fault(Fault { statement: statement.clone(), span: *span, kind })
}

/// An integer of this kind, from its register.
fn shown(kind: Prim, n: i64) -> String {
    constant(kind, n).integer().map_or_else(String::new, |n| n.to_string())
}

pub(super) fn unsupported(statement: Option<String>, reason: &'static str) -> Ending {
    Ending::Unsupported(Unsupported { statement, reason })
}
