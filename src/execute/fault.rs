//! What is wrong with a run that has ended before its time, in the words of the program.
//!
//! Law: executors say the same of the same: a check that fails is worded from its report and its operands, an end by a limit or a wish
//! from the statement in which the executor was (laws: executors::suite).

use super::contract::{Ending, Fault, FaultKind, Unsupported};
use crate::array::{Body, Const, Program, Stm, Var, deeper, text};
use crate::error::Span;
use crate::interpret;
use crate::kernel::code::Broken;

/// The fault of a check with a report, from its operands; or what cannot be run.
pub(super) fn failed(statement: &str, span: Span, broken: Broken, operands: &[Const]) -> Ending {
    let integer = |k: usize| operands[k].integer().map_or(0, |n| n as i64);
    let size = |k: usize| usize::try_from(integer(k)).unwrap_or(usize::MAX);
    let statement = statement.to_owned();
    let kind = match broken {
        Broken::Sizes(what) => FaultKind::Sizes { what, first: size(0), second: size(1) },
        Broken::Size => FaultKind::NegativeSize { size: integer(0) },
        Broken::Bounds => FaultKind::OutOfBounds { index: integer(0), length: size(1) },
        Broken::Value(row) => {
            let operands: Vec<String> = operands.iter().filter_map(|x| x.integer()).map(|n| n.to_string()).collect();
            FaultKind::NoValue { operation: format!("{}({})", row.name(), operands.join(", ")) }
        }
        Broken::Bound => FaultKind::LoopBound { bound: integer(0) },
        Broken::Able(reason) => return Ending::Unsupported(Unsupported { statement: Some(statement), reason }),
    };
    Ending::Fault(Fault { statement, span, kind })
}

/// The fault of a run that a limit or a wish has ended, in the statement that binds this variable first.
pub(super) fn ended(fault: interpret::Fault, program: &Program, within: Option<Var>) -> Fault {
    let stm = within.and_then(|var| binder(&program.function.body, var));
    let span = stm.map_or(Span::UNKNOWN, |stm| stm.span);
    let error = fault.within(span, || stm.map_or_else(|| text::signature(program), |stm| text::head(program, stm)));
    Fault::of(error).expect("a run is ended by a limit or a wish")
}

/// The statement that binds a variable first.
pub(super) fn binder(body: &Body, var: Var) -> Option<&Stm> {
    deeper(|| {
        body.stms.iter().find_map(|stm| match stm.vars.first() {
            Some(first) if *first == var => Some(stm),
            Some(_) | None => stm.op.bodies().find_map(|inner| binder(inner, var)),
        })
    })
}
