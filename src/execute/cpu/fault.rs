//! What is wrong where a check has failed.
//!
//! Law: it is found out after the run, from the registers as the check has left them; a run without a fault knows
//! nothing of it (laws: executors::suite).

use super::compute::constant;
use super::machine::Machine;
use super::real::Real;
use crate::array::{Const, Prim};
use crate::error::Span;
use crate::execute::Unsupported;
use crate::execute::contract::Ending;
use crate::execute::fault::failed;
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
    let operands: Vec<Const> =
        operands.iter().map(|(register, prim)| constant(*prim, machine.state.one(*register))).collect();
    failed(statement, *span, *broken, &operands)
}

pub(super) fn unsupported(statement: Option<String>, reason: &'static str) -> Ending {
    Ending::Unsupported(Unsupported { statement, reason })
}
