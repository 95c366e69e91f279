//! RustQuant_autodiff: `Variable` over a cleared and reused `Graph`; it has no forward mode.

use RustQuant_autodiff::{Accumulate, Gradient, Powi, Variable};

use super::Reverse;
use crate::mixed_by_operators;
use crate::scalar::Scalar;
use crate::workloads::Objective;

impl Scalar for Variable<'_> {
    #[inline]
    fn value(self) -> f64 {
        self.value
    }
    mixed_by_operators!();
    #[inline]
    fn exp(self) -> Self {
        Variable::exp(self)
    }
    #[inline]
    fn ln(self) -> Self {
        Variable::ln(self)
    }
    #[inline]
    fn sqrt(self) -> Self {
        Variable::sqrt(self)
    }
    #[inline]
    fn powi(self, n: i32) -> Self {
        Powi::powi(&self, n)
    }
}

/// A graph that is cleared between gradients and keeps its memory.
#[derive(Debug)]
pub struct Graph(RustQuant_autodiff::Graph);

impl Reverse for Graph {
    const NAME: &'static str = "RustQuant_autodiff Graph";

    fn prepare<O: Objective>(_: &O, _: &[f64]) -> Result<Self, String> {
        Ok(Graph(RustQuant_autodiff::Graph::new()))
    }

    fn gradient<O: Objective>(&mut self, f: &O, x: &[f64], into: &mut Vec<f64>) {
        let Graph(graph) = self;
        graph.clear();
        let variables = graph.vars(x);
        *into = f.value(&variables).accumulate().wrt(&variables);
    }
}
