//! Sparse matrices: a pattern, and the value of each of its entries.
//!
//! Law: `to_dense` keeps the values and is zero elsewhere; the matrix acts on vectors as the dense one does
//! (tests/scalar/sparse.rs).

use std::sync::Arc;

use super::pattern::Pattern;
use crate::error::{Error, Result};
use crate::primitives::Scalar;

/// A matrix in compressed sparse rows: [`offsets`](Pattern::offsets) and [`indices`](Pattern::indices) of the pattern,
/// and the values.
#[derive(Debug, Clone, PartialEq)]
pub struct SparseMatrix<S> {
    /// Where the entries are; matrices from one prepared derivative share it.
    pub pattern: Arc<Pattern>,
    /// The entries, in the order of [`Pattern::iter`].
    pub values: Vec<S>,
}

impl<S: Scalar> SparseMatrix<S> {
    /// The entry at this row and column; zero outside the pattern.
    #[must_use]
    pub fn get(&self, row: usize, column: usize) -> S {
        self.pattern.position(row, column).and_then(|at| self.values.get(at).copied()).unwrap_or_else(S::zero)
    }

    /// The entries as rows, columns and values, row by row.
    pub fn iter(&self) -> impl Iterator<Item = (usize, usize, S)> {
        self.pattern.iter().zip(&self.values).map(|((row, column), value)| (row, column, *value))
    }

    /// The matrix as a list of rows.
    ///
    /// ```
    /// use catadiff::prelude::*;
    /// let jacobian = sparse_jacobian(|x| vec![x[0] * x[1], x[2].exp()], &[2.0, 3.0, 0.0])?;
    /// assert_eq!(jacobian.values, [3.0, 2.0, 1.0]);
    /// assert_eq!(jacobian.to_dense(), [[3.0, 2.0, 0.0], [0.0, 0.0, 1.0]]);
    /// # Ok::<(), catadiff::Error>(())
    /// ```
    #[must_use]
    pub fn to_dense(&self) -> Vec<Vec<S>> {
        let mut rows = vec![vec![S::zero(); self.pattern.columns()]; self.pattern.rows()];
        for (row, column, value) in self.iter() {
            rows[row][column] = value;
        }
        rows
    }

    /// The product with a vector.
    ///
    /// # Errors
    /// [`Error::Length`] if the vector has not one number per column.
    pub fn product(&self, vector: &[S]) -> Result<Vec<S>> {
        Error::lengths("the vector", self.pattern.columns(), vector.len())?;
        let mut product = vec![S::zero(); self.pattern.rows()];
        for (row, column, value) in self.iter() {
            product[row] = product[row] + value * vector[column];
        }
        Ok(product)
    }
}
