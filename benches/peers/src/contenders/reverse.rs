//! reverse: `Var` over a cleared and reused `Tape`; it has no forward mode.

use reverse::Var;

use super::Reverse;
use crate::mixed_by_operators;
use crate::scalar::Scalar;
use crate::workloads::Objective;

impl Scalar for Var<'_> {
    #[inline]
    fn value(self) -> f64 {
        self.val
    }
    mixed_by_operators!();
    #[inline]
    fn exp(self) -> Self {
        Var::exp(&self)
    }
    #[inline]
    fn ln(self) -> Self {
        Var::ln(&self)
    }
    #[inline]
    fn sqrt(self) -> Self {
        Var::sqrt(&self)
    }
    #[inline]
    fn powi(self, n: i32) -> Self {
        Var::powi(&self, n)
    }
}

/// A tape that is cleared between gradients and keeps its memory.
#[derive(Debug)]
pub struct Tape(reverse::Tape);

impl Reverse for Tape {
    const NAME: &'static str = "reverse Tape";

    fn prepare<O: Objective>(_: &O, _: &[f64]) -> Result<Self, String> {
        Ok(Tape(reverse::Tape::new()))
    }

    fn gradient<O: Objective>(&mut self, f: &O, x: &[f64], into: &mut Vec<f64>) {
        use reverse::Gradient;
        let Tape(tape) = self;
        tape.clear();
        let variables = tape.add_vars(x);
        *into = f.value(&variables).grad().wrt(&variables);
    }
}
