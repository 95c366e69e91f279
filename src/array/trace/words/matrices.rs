//! Products of vectors and matrices that are larger than their factors, and parts of matrices.
//!
//! Law: each scalar is a product of two, or one of the matrix, or 0 (tests/array/words.rs).

use super::super::scope::Here;
use super::super::{Arr, As, Bool, I64, Number, if_, iota};

impl<S: Number> Arr<S> {
    /// The products of each element with each of another array: row `i` has those of element `i`.
    ///
    /// ```
    /// use catadiff::array::{Program, trace::{Arr, F64}};
    /// let products = Program::trace(|x: Arr<F64>, y: Arr<F64>| x.outer(y))?;
    /// let found: [[f64; 3]; 2] = products.at(([1.0, 2.0], [3.0, 4.0, 5.0]))?;
    /// assert_eq!(found, [[3.0, 4.0, 5.0], [6.0, 8.0, 10.0]]);
    /// # Ok::<(), catadiff::Error>(())
    /// ```
    #[must_use]
    #[track_caller]
    pub fn outer(self, other: Arr<S>) -> Arr<Arr<S>> {
        let _here = Here::new();
        self.map(|x| other.map(|y| x * y))
    }
}

impl<S: Number> Arr<Arr<S>> {
    /// The Kronecker product: the matrix of blocks, each of which is an element times the other matrix.
    ///
    /// ```
    /// use catadiff::array::{Program, trace::{Arr, F64}};
    /// let blocks = Program::trace(|a: Arr<Arr<F64>>, b: Arr<Arr<F64>>| a.kron(b))?;
    /// let found: [[f64; 2]; 4] = blocks.at(([[1.0], [2.0]], [[0.0, 1.0], [1.0, 0.0]]))?;
    /// assert_eq!(found, [[0.0, 1.0], [1.0, 0.0], [0.0, 2.0], [2.0, 0.0]]);
    /// # Ok::<(), catadiff::Error>(())
    /// ```
    #[must_use]
    #[track_caller]
    pub fn kron(self, other: Self) -> Self {
        let _here = Here::new();
        self.map(|row| other.map(|other| row.outer(other).flatten())).flatten()
    }

    /// The sum of the diagonal.
    ///
    /// ```
    /// use catadiff::array::{Program, trace::{Arr, F64}};
    /// let trace = Program::trace(|m: Arr<Arr<F64>>| m.trace())?;
    /// assert_eq!(trace.at::<f64>([[1.0, 2.0], [3.0, 4.0]])?, 5.0);
    /// # Ok::<(), catadiff::Error>(())
    /// ```
    #[must_use]
    #[track_caller]
    pub fn trace(self) -> S {
        let _here = Here::new();
        self.diagonal().sum()
    }

    /// The matrix with 0 below its `k`th diagonal; the main one is the 0th, and those to the right of it have greater numbers.
    ///
    /// ```
    /// use catadiff::array::{Program, trace::{Arr, F64}};
    /// let parts = Program::trace(|m: Arr<Arr<F64>>| (m.triu(1), m.tril(0)))?;
    /// let found: ([[f64; 2]; 2], [[f64; 2]; 2]) = parts.at([[1.0, 2.0], [3.0, 4.0]])?;
    /// assert_eq!(found, ([[0.0, 2.0], [0.0, 0.0]], [[1.0, 0.0], [3.0, 4.0]]));
    /// # Ok::<(), catadiff::Error>(())
    /// ```
    #[must_use]
    #[track_caller]
    pub fn triu(self, k: impl As<I64>) -> Self {
        let _here = Here::new();
        let k = k.handle();
        self.on_diagonals(|diagonal| diagonal.ge(k))
    }

    /// The matrix with 0 above its `k`th diagonal.
    #[must_use]
    #[track_caller]
    pub fn tril(self, k: impl As<I64>) -> Self {
        let _here = Here::new();
        let k = k.handle();
        self.on_diagonals(|diagonal| diagonal.le(k))
    }

    /// The matrix with 0 outside of these diagonals.
    #[track_caller]
    fn on_diagonals(self, keeps: impl FnOnce(I64) -> Bool) -> Self {
        let (rows, columns) = (iota(self.len()), iota(self.size(1)));
        self.map2(rows, |row, i| row.map2(columns, |x, j| if_(keeps(j - i), || x, S::zero)))
    }
}
