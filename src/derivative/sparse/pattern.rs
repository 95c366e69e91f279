//! Where a matrix can be nonzero: patterns, and those of the derivatives of recordings.
//!
//! Law: an entry outside the pattern is zero at every point at which the recorded decisions come out as they did;
//! inside it, the structure alone does not say. So a pattern holds for all values, and knows no cancellation (Griewank
//! and Walther, "Evaluating Derivatives", propagation of index domains) (tests/scalar/sparse.rs).

use num_traits::One;

use crate::carriers::{Input, Recorded, Support};
use crate::derivative::recording::{Recording, record};
use crate::derivative::strategy::Base;
use crate::error::{Error, Result};
use crate::term::{Arena, Term};

/// The positions of a matrix that may hold nonzeros, row by row: compressed sparse rows without the values.
///
/// ```
/// use catadiff::derivative::Pattern;
/// let pattern = Pattern::new(3, [vec![2, 0], vec![], vec![1]])?;
/// assert_eq!((pattern.rows(), pattern.columns(), pattern.len()), (3, 3, 3));
/// assert_eq!(pattern.row(0), [0, 2]);
/// assert_eq!(pattern.transpose().iter().collect::<Vec<_>>(), [(0, 0), (1, 2), (2, 0)]);
/// # Ok::<(), catadiff::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Pattern {
    columns: usize,
    offsets: Vec<usize>,
    indices: Vec<usize>,
}

impl Pattern {
    /// The pattern with these columns in its rows, in any order.
    ///
    /// # Errors
    /// [`Error::TooLarge`] if a row names a column that is not below `columns`.
    pub fn new<R: IntoIterator<Item = usize>>(columns: usize, rows: impl IntoIterator<Item = R>) -> Result<Self> {
        let mut pattern = Pattern { columns, offsets: vec![0], indices: Vec::new() };
        for row in rows {
            let start = pattern.indices.len();
            pattern.indices.extend(row);
            let row = &mut pattern.indices[start..];
            row.sort_unstable();
            if row.last().is_some_and(|last| *last >= columns) {
                return Err(Error::TooLarge { what: "a column in a pattern", limit: columns.saturating_sub(1) });
            }
            let mut kept = start;
            for read in start..pattern.indices.len() {
                if read == start || pattern.indices[read] != pattern.indices[read - 1] {
                    pattern.indices[kept] = pattern.indices[read];
                    kept += 1;
                }
            }
            pattern.indices.truncate(kept);
            pattern.offsets.push(kept);
        }
        Ok(pattern)
    }

    /// The number of rows.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.offsets.len() - 1
    }

    /// The number of columns.
    #[must_use]
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// The number of entries.
    #[must_use]
    pub fn len(&self) -> usize {
        self.indices.len()
    }

    /// Whether there is no entry, so that the matrix is zero.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.indices.is_empty()
    }

    /// Where each row starts among the entries, and at last their number: the first array of compressed sparse rows.
    #[must_use]
    pub fn offsets(&self) -> &[usize] {
        &self.offsets
    }

    /// The column of each entry, row by row: the second array of compressed sparse rows.
    #[must_use]
    pub fn indices(&self) -> &[usize] {
        &self.indices
    }

    /// The columns of a row, in order; none for a row that is not there.
    #[must_use]
    pub fn row(&self, row: usize) -> &[usize] {
        match (self.offsets.get(row), self.offsets.get(row + 1)) {
            (Some(start), Some(end)) => &self.indices[*start..*end],
            _ => &[],
        }
    }

    /// The number of an entry in the order of [`iter`](Pattern::iter), if it is there.
    #[must_use]
    pub fn position(&self, row: usize, column: usize) -> Option<usize> {
        self.row(row).binary_search(&column).ok().map(|at| self.offsets[row] + at)
    }

    /// Whether there is an entry at this row and column.
    #[must_use]
    pub fn contains(&self, row: usize, column: usize) -> bool {
        self.position(row, column).is_some()
    }

    /// The entries as rows and columns, row by row.
    pub fn iter(&self) -> impl Iterator<Item = (usize, usize)> {
        (0..self.rows()).flat_map(|row| self.row(row).iter().map(move |column| (row, *column)))
    }

    /// The most entries in any row: no colouring of the columns has fewer colours.
    #[must_use]
    pub fn widest(&self) -> usize {
        self.offsets.windows(2).map(|ends| ends[1] - ends[0]).max().unwrap_or(0)
    }

    /// The pattern of the transposed matrix.
    #[must_use]
    pub fn transpose(&self) -> Pattern {
        let mut offsets = vec![0; self.columns + 1];
        for column in &self.indices {
            offsets[column + 1] += 1;
        }
        for column in 0..self.columns {
            offsets[column + 1] += offsets[column];
        }
        let (mut next, mut indices) = (offsets.clone(), vec![0; self.len()]);
        for (row, column) in self.iter() {
            indices[next[column]] = row;
            next[column] += 1;
        }
        Pattern { columns: self.rows(), offsets, indices }
    }

    /// The pattern of a symmetric matrix that has these entries.
    ///
    /// # Errors
    /// [`Error::Length`] if there are not as many rows as columns.
    pub fn symmetric(&self) -> Result<Pattern> {
        Error::lengths("the rows of a symmetric pattern", self.columns, self.rows())?;
        let transposed = self.transpose();
        if transposed == *self {
            return Ok(transposed);
        }
        let rows = (0..self.columns).map(|row| self.row(row).iter().chain(transposed.row(row)).copied());
        Pattern::new(self.columns, rows)
    }
}

impl<S: Base> Recording<S> {
    /// Where the Jacobian can be nonzero, at every point at which the decisions come out as they did.
    #[must_use]
    pub fn jacobian_pattern(&self) -> Pattern {
        let variables: Vec<Support> = (0..self.inputs()).map(Support::variable).collect();
        pattern_of(self.inputs(), &self.recorded.fold(&variables, |_| Support::one()))
    }

    /// Where the Hessian of the first result can be nonzero, at every point at which the decisions come out as they
    /// did.
    ///
    /// # Errors
    /// [`Error::TooLarge`] beyond 2³² operations.
    pub fn hessian_pattern(&self) -> Result<Pattern> {
        let variables: Vec<Input> = (0..self.inputs()).map(Input).collect();
        let arena = Arena::exact();
        let gradient = match self.terms(&arena).first() {
            Some(term) => term.gradient(&variables)?,
            None => Vec::new(),
        };
        let support = |input: &Input| {
            if input.0 < self.inputs() { Support::variable(input.0) } else { Support::one() }
        };
        // A rule may say of one mixed derivative only that it is zero; the other is zero with it, but computed.
        pattern_of(self.inputs(), &Term::eval_all(&gradient, support)).symmetric()
    }
}

/// The variables that numbers depend on, a row for each.
fn pattern_of(variables: usize, supports: &[Support]) -> Pattern {
    let rows = supports.iter().map(|support| support.iter().copied());
    Pattern::new(variables, rows).expect("a support holds variables of the program")
}

/// Where the Jacobian of `f` can be nonzero: which result depends on which variable.
///
/// The function is recorded at `x`, and the pattern holds at every point at which its comparisons come out as they
/// do there ([`record`]).
///
/// # Errors
/// [`Error::Empty`] without variables or results, [`Error::NotFinite`] at a point with NaN or ∞.
///
/// ```
/// use catadiff::prelude::*;
/// // Not a matter of values: the derivative of x0·x1 by x1 happens to be 0 here.
/// let pattern = jacobian_pattern(|x| vec![x[0] * x[1], x[2].floor(), x[2] - x[1]], &[0.0, 5.0, 2.0])?;
/// assert_eq!(pattern.row(0), [0, 1]);
/// assert!(pattern.row(1).is_empty());
/// assert_eq!(pattern.row(2), [1, 2]);
/// # Ok::<(), catadiff::Error>(())
/// ```
pub fn jacobian_pattern<S: Base, F>(f: F, x: &[S]) -> Result<Pattern>
where
    F: for<'b> Fn(&'b [Recorded<'b, S>]) -> Vec<Recorded<'b, S>>,
{
    Ok(record(f, x)?.jacobian_pattern())
}

/// Where the Hessian of `f` can be nonzero: which variables meet in something that is not linear.
///
/// # Errors
/// As for [`jacobian_pattern`], and [`Error::TooLarge`] beyond 2³² operations.
///
/// ```
/// use catadiff::prelude::*;
/// let pattern = hessian_pattern(|x| x[0] * x[1] + x[2] * 3.0 + x[3].sin(), &[1.0; 4])?;
/// assert_eq!(pattern.iter().collect::<Vec<_>>(), [(0, 1), (1, 0), (3, 3)]);
/// # Ok::<(), catadiff::Error>(())
/// ```
pub fn hessian_pattern<S: Base, F>(f: F, x: &[S]) -> Result<Pattern>
where
    F: for<'b> Fn(&'b [Recorded<'b, S>]) -> Recorded<'b, S>,
{
    record(|x| vec![f(x)], x)?.hessian_pattern()
}
