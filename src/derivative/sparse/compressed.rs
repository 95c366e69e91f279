//! Compressed derivatives: one run for all columns of a colour, one sweep for all rows of a colour.
//!
//! Law: each entry is read where it stands alone, so the sparse derivative is the dense one, entry by entry, at the
//! cost of one derivative per colour (Curtis, Powell and Reid; Coleman and Moré for symmetric matrices)
//! (tests/scalar/sparse.rs).

use std::sync::Arc;

use generic_array::typenum::{U4, U8, Unsigned};

use super::colouring::Colouring;
use super::matrix::SparseMatrix;
use super::pattern::Pattern;
use crate::carriers::{DenseLength, Dual, Recorded};
use crate::derivative::recording::{Recording, record};
use crate::derivative::strategy::{Base, check_point};
use crate::error::{Error, Result};

/// What is computed together: the choice between forward and reverse mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Compression {
    /// Columns that share no row, by vector forward mode, eight colours to a run.
    Columns,
    /// Rows that share no column, by reverse mode, one reverse sweep per colour.
    Rows,
}

/// A Jacobian of which everything but the values is known: the recorded function, the pattern, the colouring.
///
/// The function is not run again. Its recording is replayed, and so [`at`](SparseJacobian::at) returns
/// [`Error::BranchChanged`] where a comparison that the function made comes out otherwise, and the pattern might be
/// another. (Comparisons of the numbers are seen; a function that asks for their [`primal`](crate::Elementary::primal)
/// value and branches on that is not.)
///
/// ```
/// use catadiff::prelude::*;
/// use catadiff::derivative::SparseJacobian;
/// let prepared = SparseJacobian::prepare(|x| x.windows(2).map(|x| (x[1] - x[0]) * x[1]).collect(), &[0.0; 100])?;
/// assert_eq!(prepared.colouring().count(), 2);
/// let (values, jacobian) = prepared.values_at(&[3.0; 100])?;
/// assert_eq!((values[7], jacobian.get(7, 7), jacobian.get(7, 8)), (0.0, -3.0, 3.0));
/// # Ok::<(), catadiff::Error>(())
/// ```
#[derive(Debug)]
pub struct SparseJacobian<S = f64> {
    program: Recording<S>,
    pattern: Arc<Pattern>,
    compression: Compression,
    colouring: Colouring,
}

impl<S: Base> SparseJacobian<S> {
    /// Records `f` at `x`, and finds the pattern and a colouring of its Jacobian: of the columns or of the rows,
    /// whichever needs fewer colours.
    ///
    /// # Errors
    /// [`Error::Empty`] without variables or results, [`Error::NotFinite`] at a point with NaN or ∞.
    pub fn prepare<F>(f: F, x: &[S]) -> Result<Self>
    where
        F: for<'b> Fn(&'b [Recorded<'b, S>]) -> Vec<Recorded<'b, S>>,
    {
        Ok(SparseJacobian::of(record(f, x)?, choose))
    }

    /// [`prepare`](SparseJacobian::prepare) for one of the modes.
    ///
    /// # Errors
    /// As for [`prepare`](SparseJacobian::prepare).
    pub fn prepare_by<F>(compression: Compression, f: F, x: &[S]) -> Result<Self>
    where
        F: for<'b> Fn(&'b [Recorded<'b, S>]) -> Vec<Recorded<'b, S>>,
    {
        Ok(SparseJacobian::of(record(f, x)?, |pattern| match compression {
            Compression::Columns => (compression, Colouring::columns(pattern)),
            Compression::Rows => (compression, Colouring::rows(pattern)),
        }))
    }

    fn of(program: Recording<S>, choose: impl FnOnce(&Pattern) -> (Compression, Colouring)) -> Self {
        let pattern = program.jacobian_pattern();
        let (compression, colouring) = choose(&pattern);
        SparseJacobian { program, pattern: Arc::new(pattern), compression, colouring }
    }

    /// Where the Jacobian can be nonzero.
    #[must_use]
    pub fn pattern(&self) -> &Pattern {
        &self.pattern
    }

    /// What is computed together.
    #[must_use]
    pub fn compression(&self) -> Compression {
        self.compression
    }

    /// The colours of the columns or of the rows.
    #[must_use]
    pub fn colouring(&self) -> &Colouring {
        &self.colouring
    }

    /// The Jacobian at `x`.
    ///
    /// # Errors
    /// [`Error::Length`] if `x` has not one number per variable, [`Error::NotFinite`] if it holds NaN or ∞,
    /// [`Error::BranchChanged`] if the function would take another branch there, [`Error::TooLarge`] beyond 2³²
    /// operations.
    pub fn at(&self, x: &[S]) -> Result<SparseMatrix<S>> {
        Ok(self.values_at(x)?.1)
    }

    /// The results and the Jacobian at `x`.
    ///
    /// # Errors
    /// As for [`at`](SparseJacobian::at).
    pub fn values_at(&self, x: &[S]) -> Result<(Vec<S>, SparseMatrix<S>)> {
        check_point("the point", x)?;
        Error::lengths("the point", self.program.inputs(), x.len())?;
        let (results, values) = match self.compression {
            Compression::Columns if self.colouring.count() <= U4::USIZE => self.by_columns::<U4>(x)?,
            Compression::Columns => self.by_columns::<U8>(x)?,
            Compression::Rows => self.by_rows(x)?,
        };
        Ok((results, SparseMatrix { pattern: Arc::clone(&self.pattern), values }))
    }

    /// Each run has the directions of `N` colours in the lanes of its tangents.
    fn by_columns<N: DenseLength>(&self, x: &[S]) -> Result<(Vec<S>, Vec<S>)> {
        let (mut results, mut values) = (Vec::new(), vec![S::zero(); self.pattern.len()]);
        let places = self.by_colour(|(_, column)| column);
        let mut numbers = self.program.values(Dual::lift);
        for start in (0..self.colouring.count().max(1)).step_by(N::USIZE) {
            let arguments = along::<S, N>(x, &self.colouring, start);
            self.program.forward(&mut numbers, &arguments)?;
            let run: Vec<_> = (0..self.program.outputs()).map(|row| self.program.result(&numbers, row)).collect();
            for (lane, places) in places.iter().skip(start).take(N::USIZE).enumerate() {
                places.iter().for_each(|(at, (row, _))| values[*at] = run[*row].tangent[lane]);
            }
            results = run.iter().map(|y| y.value).collect();
        }
        Ok((results, values))
    }

    /// For each colour the entries in its rows or columns, with their numbers.
    fn by_colour(&self, line: impl Fn((usize, usize)) -> usize) -> Vec<Vec<(usize, (usize, usize))>> {
        let mut places = vec![Vec::new(); self.colouring.count()];
        for (at, entry) in self.pattern.iter().enumerate() {
            places[self.colouring.colours()[line(entry)]].push((at, entry));
        }
        places
    }

    /// Each sweep starts with weight 1 on all rows of a colour.
    fn by_rows(&self, x: &[S]) -> Result<(Vec<S>, Vec<S>)> {
        let places = self.by_colour(|(row, _)| row);
        let colours = self.colouring.colours();
        let mut rows = vec![Vec::new(); self.colouring.count()];
        colours.iter().enumerate().for_each(|(row, colour)| rows[*colour].push((row, S::one())));
        let (results, sums) = self.program.pull(x, &rows)?;
        let mut values = vec![S::zero(); self.pattern.len()];
        for (sum, places) in sums.iter().zip(places) {
            places.into_iter().for_each(|(at, (_, column))| values[at] = sum[column]);
        }
        Ok((results, values))
    }
}

/// For each entry of a symmetric pattern, the row and the colour of the matrix compressed by a star colouring where the
/// entry, or its mirror image, stands alone.
pub(crate) fn standing_alone(pattern: &Pattern, colouring: &Colouring) -> Vec<(usize, usize)> {
    let (repeated, colours) = (colouring.repeated(pattern), colouring.colours());
    let alone = |(row, column): (usize, usize)| {
        // Both mirror images are read at one place, so that the matrix is symmetric to the last bit.
        let (i, j) = (row.min(column), row.max(column));
        if repeated[i].binary_search(&colours[j]).is_err() { (i, colours[j]) } else { (j, colours[i]) }
    };
    pattern.iter().map(alone).collect()
}

/// The side with fewer colours; columns where both need the same, since forward mode keeps no tape.
pub(crate) fn choose(pattern: &Pattern) -> (Compression, Colouring) {
    // A row with many entries needs that many colours of columns, and so shows beforehand that columns are the wrong
    // side.
    let (least_columns, least_rows) = (pattern.widest(), pattern.transpose().widest());
    let columns = || (Compression::Columns, Colouring::columns(pattern));
    let rows = || (Compression::Rows, Colouring::rows(pattern));
    if least_columns <= least_rows {
        let first = columns();
        if first.1.count() <= least_rows { first } else { fewer(first, rows()) }
    } else {
        let first = rows();
        if first.1.count() < least_columns { first } else { fewer(columns(), first) }
    }
}

fn fewer(a: (Compression, Colouring), b: (Compression, Colouring)) -> (Compression, Colouring) {
    if b.1.count() < a.1.count() { b } else { a }
}

/// The arguments of a run in which the variables of each of the colours from `start` on have a lane.
fn along<S: Base, N: DenseLength>(x: &[S], colouring: &Colouring, start: usize) -> Vec<Dual<S, N::Dense<S>>> {
    // `wrapping_sub` sends the colours before `start` beyond every lane.
    let lanes = colouring.colours().iter().map(|colour| colour.wrapping_sub(start));
    x.iter().zip(lanes).map(|(x, lane)| Dual::variable(*x, lane)).collect()
}

/// The Jacobian of `f` at `x` as a sparse matrix. For many points, [prepare](SparseJacobian::prepare) it.
///
/// # Errors
/// As for [`SparseJacobian::prepare`], and [`Error::TooLarge`] beyond 2³² operations.
///
/// ```
/// use catadiff::prelude::*;
/// let jacobian = sparse_jacobian(|x| x.windows(2).map(|x| x[1] - x[0] * x[0]).collect(), &[3.0; 1000])?;
/// assert_eq!(jacobian.iter().take(3).collect::<Vec<_>>(), [(0, 0, -6.0), (0, 1, 1.0), (1, 1, -6.0)]);
/// # Ok::<(), catadiff::Error>(())
/// ```
pub fn sparse_jacobian<S: Base, F>(f: F, x: &[S]) -> Result<SparseMatrix<S>>
where
    F: for<'b> Fn(&'b [Recorded<'b, S>]) -> Vec<Recorded<'b, S>>,
{
    SparseJacobian::prepare(f, x)?.at(x)
}

/// A Hessian of which everything but the values is known; branches are watched as those of a [`SparseJacobian`] are.
///
/// ```
/// use catadiff::prelude::*;
/// use catadiff::derivative::SparseHessian;
/// // A chain of springs whose force is not linear.
/// let energy = SparseHessian::prepare(|x| x.windows(2).map(|x| (x[1] - x[0]).powi(4)).sum(), &[0.0; 500])?;
/// assert_eq!(energy.colouring().count(), 3);
/// let (value, gradient, hessian) = energy.values_at(&(0..500).map(f64::from).collect::<Vec<_>>())?;
/// assert_eq!((value, gradient[0], hessian.get(7, 7), hessian.get(7, 8)), (499.0, -4.0, 24.0, -12.0));
/// # Ok::<(), catadiff::Error>(())
/// ```
#[derive(Debug)]
pub struct SparseHessian<S = f64> {
    program: Recording<S>,
    pattern: Arc<Pattern>,
    colouring: Colouring,
    /// For each entry, the row and the colour of the compressed matrix where it, or its mirror image, stands alone.
    alone: Vec<(usize, usize)>,
}

impl<S: Base> SparseHessian<S> {
    /// Records `f` at `x`, and finds the pattern and a star colouring of its Hessian.
    ///
    /// # Errors
    /// [`Error::Empty`] without variables, [`Error::NotFinite`] at a point with NaN or ∞, [`Error::TooLarge`] beyond
    /// 2³² operations.
    pub fn prepare<F>(f: F, x: &[S]) -> Result<Self>
    where
        F: for<'b> Fn(&'b [Recorded<'b, S>]) -> Recorded<'b, S>,
    {
        let program = record(|x| vec![f(x)], x)?;
        let pattern = program.hessian_pattern()?;
        let colouring = Colouring::star(&pattern)?;
        let alone = standing_alone(&pattern, &colouring);
        Ok(SparseHessian { program, pattern: Arc::new(pattern), colouring, alone })
    }

    /// Where the Hessian can be nonzero.
    #[must_use]
    pub fn pattern(&self) -> &Pattern {
        &self.pattern
    }

    /// The colours of the variables.
    #[must_use]
    pub fn colouring(&self) -> &Colouring {
        &self.colouring
    }

    /// The Hessian at `x`.
    ///
    /// # Errors
    /// As for [`SparseJacobian::at`].
    pub fn at(&self, x: &[S]) -> Result<SparseMatrix<S>> {
        Ok(self.values_at(x)?.2)
    }

    /// The value, the gradient and the Hessian at `x`: forward over reverse mode, four colours to a run.
    ///
    /// # Errors
    /// As for [`SparseJacobian::at`].
    pub fn values_at(&self, x: &[S]) -> Result<(S, Vec<S>, SparseMatrix<S>)> {
        check_point("the point", x)?;
        Error::lengths("the point", self.program.inputs(), x.len())?;
        let (mut result, mut gradient) = (S::zero(), Vec::new());
        let mut values = vec![S::zero(); self.pattern.len()];
        let mut numbers = self.program.numbers(Vec::new(), Dual::lift);
        for start in (0..self.colouring.count()).step_by(U4::USIZE) {
            let arguments = along::<S, U4>(x, &self.colouring, start);
            let mut slopes = arguments.clone();
            result = self.program.differentiate(&mut numbers, &arguments, &mut slopes)?.value;
            for ((row, colour), value) in self.alone.iter().zip(&mut values) {
                let lane = colour.wrapping_sub(start);
                if lane < U4::USIZE {
                    *value = slopes[*row].tangent[lane];
                }
            }
            gradient = slopes.iter().map(|slope| slope.value).collect();
        }
        Ok((result, gradient, SparseMatrix { pattern: Arc::clone(&self.pattern), values }))
    }
}

/// The Hessian of `f` at `x` as a sparse matrix. For many points, [prepare](SparseHessian::prepare) it.
///
/// # Errors
/// As for [`SparseHessian::prepare`].
///
/// ```
/// use catadiff::prelude::*;
/// let hessian = sparse_hessian(|x| x[0] * x[1] + x[2] * x[2] * x[2], &[1.0, 2.0, 3.0])?;
/// assert_eq!(hessian.iter().collect::<Vec<_>>(), [(0, 1, 1.0), (1, 0, 1.0), (2, 2, 18.0)]);
/// # Ok::<(), catadiff::Error>(())
/// ```
pub fn sparse_hessian<S: Base, F>(f: F, x: &[S]) -> Result<SparseMatrix<S>>
where
    F: for<'b> Fn(&'b [Recorded<'b, S>]) -> Recorded<'b, S>,
{
    SparseHessian::prepare(f, x)?.at(x)
}
