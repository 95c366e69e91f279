//! The reference interpreter as an executor.
//!
//! Law: its outcomes are what all others are compared with (tests/laws/executors.rs).

use super::contract::{Executor, Fault, Outcome, Prepared, Unsupported};
use crate::array::Program;
use crate::error::Result;
use crate::interpret::{self, Control, Value};

/// The [reference interpreter](crate::interpret), on `f64`. It can run every program.
#[derive(Debug, Clone, Copy, Default)]
pub struct Interpreter;

/// A program that is interpreted.
#[derive(Debug, Clone)]
struct Interpreted(Program);

impl Executor for Interpreter {
    fn name(&self) -> &'static str {
        "program"
    }

    fn description(&self) -> &'static str {
        "the reference interpreter of array programs"
    }

    fn prepare(&self, program: &Program) -> Result<core::result::Result<Box<dyn Prepared>, Unsupported>> {
        Ok(Ok(Box::new(Interpreted(program.clone()))))
    }
}

impl Prepared for Interpreted {
    fn run(&self, arguments: &[Value<f64>], control: Control<'_>) -> Result<Outcome> {
        match interpret::run(&self.0, arguments, &control) {
            Ok(results) => Ok(Outcome::Done { results, stepwise: false }),
            Err(error) => Ok(Outcome::Fault(Fault::of(error)?)),
        }
    }
}
