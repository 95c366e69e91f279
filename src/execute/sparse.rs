//! Sparse derivatives that are compiled for an executor.
//!
//! Law: the matrix is that of the interpreter, in the same pattern (tests/array/verbs.rs).

use super::contract::Executor;
use super::{Compiled, EXECUTORS};
use crate::derivative::SparseMatrix;
use crate::error::Result;
use crate::interpret::{FromValues, ToValues};
use crate::transform::SparseDerivative;

/// A sparse Jacobian or Hessian that is ready to run on one of the [executors](EXECUTORS).
///
/// ```
/// use catadiff::{Elementary, array::{Program, trace::{Arr, F64}}};
/// let energy = Program::trace(|x: Arr<F64>| {
///     let n = x.len();
///     x.drop(1).map2(x.take(n - 1), |b, a| (b - a).powi(4)).sum()
/// })?;
/// let start: Vec<f64> = (0..10_000).map(f64::from).collect();
/// let hessian = energy.prepare_hessian(.., &start)?.compile()?;
/// let (gradient, matrix): (Vec<f64>, _) = hessian.values_at(&start)?;
/// assert_eq!((gradient[7], matrix.get(7, 7), matrix.get(7, 8)), (0.0, 24.0, -12.0));
/// # Ok::<(), catadiff::Error>(())
/// ```
#[derive(Debug)]
pub struct CompiledSparse {
    prepared: SparseDerivative,
    compiled: Compiled,
}

impl SparseDerivative {
    /// The derivative, ready to run on the vector instructions and the cores of this machine.
    ///
    /// # Errors
    /// Those of [`Executor::prepare`].
    pub fn compile(self) -> Result<CompiledSparse> {
        self.compile_on(EXECUTORS[0])
    }

    /// The derivative, ready to run on this executor.
    ///
    /// # Errors
    /// Those of [`Executor::prepare`].
    pub fn compile_on(self, executor: &dyn Executor) -> Result<CompiledSparse> {
        Ok(CompiledSparse { compiled: self.program().compile_on(executor)?, prepared: self })
    }
}

impl CompiledSparse {
    /// The pattern, the colouring, and the program that is run.
    #[must_use]
    pub fn prepared(&self) -> &SparseDerivative {
        &self.prepared
    }

    /// The matrix, as for [`SparseDerivative::at`].
    ///
    /// # Errors
    /// Those of [`SparseDerivative::at`].
    pub fn at(&self, arguments: impl ToValues) -> Result<SparseMatrix<f64>> {
        Ok(self.prepared.evaluated(&arguments.to_values()?, |all| self.compiled.run(all))?.1)
    }

    /// The results and the matrix, as for [`SparseDerivative::values_at`].
    ///
    /// # Errors
    /// Those of [`SparseDerivative::values_at`].
    pub fn values_at<R: FromValues>(&self, arguments: impl ToValues) -> Result<(R, SparseMatrix<f64>)> {
        let (results, matrix) = self.prepared.evaluated(&arguments.to_values()?, |all| self.compiled.run(all))?;
        Ok((R::from_values(results)?, matrix))
    }
}
