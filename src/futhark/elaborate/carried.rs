//! What goes into the array program of an entry point, for those who run it themselves.
//!
//! Law: values that the entry point takes are those that its array program takes, in the same order.

use super::{Elaborated, boundary};
use crate::futhark::meaning::Outcome;
use crate::futhark::values::Array;
use crate::interpret::Value;

impl Elaborated {
    /// Arguments as values of array programs.
    ///
    /// # Errors
    /// If they are not those that the entry point takes.
    pub fn values(&self, arguments: &[Array]) -> Outcome<Vec<Value<f64>>> {
        self.arguments(arguments)
    }

    /// Adjoints of the results as values of array programs; a check has none.
    ///
    /// # Errors
    /// If an array has not as many elements as its sizes say.
    pub fn adjoints(&self, adjoints: &[Array]) -> Outcome<Vec<Value<f64>>> {
        let one = |adjoint: &Array| boundary::value(adjoint).map_err(|error| self.failed(&error));
        let checks = self.program.function.body.results.len() - self.results.len();
        let none = core::iter::repeat_n(Ok(Value::from(0_i64)), checks);
        adjoints.iter().map(one).chain(none).collect()
    }
}
