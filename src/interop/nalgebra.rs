//! Vectors and matrices of `nalgebra` in and out of the verbs, and the differentiable linear solve on them.
//!
//! Law: each verb is the one on slices, and the solve is [`solve`](derivative::solve). Vectors and matrices are
//! [structures](Structure) besides, so [`grad_of`](derivative::grad_of) and its like take them in every strategy.
//! With the feature `array`, they are arguments and results of array programs
//! (tests/interop/nalgebra.rs).
//!
//! # What can be done with a matrix of dual numbers
//!
//! `nalgebra` demands `'static` elements for all but storing, indexing and iterating. The numbers of the verbs carry a
//! brand and are not; so functions get a slice, or a [`DMatrix`] through `grad_of`, which they may index and [`solve`].
//! Plain duals such as [`Dual<f64>`](crate::carriers::Dual), made by hand, are elements like any other: sums, products
//! of matrices, `dot`, `abs`, `map`. They lack the brand that keeps the perturbations of nested differentiations of one
//! base distinct.
//!
//! ```
//! use catadiff::carriers::Dual;
//! use nalgebra::{DMatrix, DVector};
//! let a = DMatrix::from_row_slice(2, 2, &[1.0, 2.0, 3.0, 4.0]).map(Dual::lift);
//! let x = DVector::from_vec(vec![Dual { value: 5.0, tangent: 1.0 }, Dual { value: 6.0, tangent: 0.0 }]);
//! assert_eq!((&a * &x).map(|y| y.tangent), DVector::from_vec(vec![1.0, 3.0])); // A·(x + ε e₁)
//! assert_eq!(x.dot(&x).tangent, 10.0);
//! ```

use ::nalgebra::{DMatrix, DVector, Dyn, Scalar, U1, VecStorage};

use crate::derivative::{self, Base, HessianVar, ReverseVar, Structure, WithTangent};
use crate::error::{Error, Result};

/// The gradient of a function of a vector, by reverse mode.
///
/// # Errors
/// As for [`grad`](derivative::grad) on slices.
///
/// ```
/// use nalgebra::DVector;
/// let gradient = catadiff::interop::nalgebra::grad(|x| x[0] * x[1], &DVector::from_vec(vec![2.0, 3.0]))?;
/// assert_eq!(gradient, DVector::from_vec(vec![3.0, 2.0]));
/// # Ok::<(), catadiff::Error>(())
/// ```
pub fn grad<S: Base, F>(f: F, x: &DVector<S>) -> Result<DVector<S>>
where
    F: for<'b> Fn(&'b [ReverseVar<'b, S>]) -> ReverseVar<'b, S>,
{
    Ok(value_and_grad(f, x)?.1)
}

/// The value and the gradient of a function of a vector, by reverse mode.
///
/// # Errors
/// As for [`grad`](derivative::grad) on slices.
///
/// ```
/// use nalgebra::DVector;
/// let (value, gradient) = catadiff::interop::nalgebra::value_and_grad(|x| x[0] * x[1], &DVector::from_vec(vec![2.0, 3.0]))?;
/// assert_eq!((value, gradient), (6.0, DVector::from_vec(vec![3.0, 2.0])));
/// # Ok::<(), catadiff::Error>(())
/// ```
pub fn value_and_grad<S: Base, F>(f: F, x: &DVector<S>) -> Result<(S, DVector<S>)>
where
    F: for<'b> Fn(&'b [ReverseVar<'b, S>]) -> ReverseVar<'b, S>,
{
    let (value, gradient) = derivative::value_and_grad(f, x.data.as_slice())?;
    Ok((value, vector(gradient)))
}

/// The Jacobian of a function from vectors to vectors, by reverse mode: one row per result.
///
/// # Errors
/// As for [`jacobian`](derivative::jacobian) on slices.
///
/// ```
/// use nalgebra::{DMatrix, DVector};
/// let j = catadiff::interop::nalgebra::jacobian(|x| vec![x[0] * x[1], x[1]], &DVector::from_vec(vec![2.0, 3.0]))?;
/// assert_eq!(j, DMatrix::from_row_slice(2, 2, &[3.0, 2.0, 0.0, 1.0]));
/// # Ok::<(), catadiff::Error>(())
/// ```
pub fn jacobian<S: Base + Scalar, F>(f: F, x: &DVector<S>) -> Result<DMatrix<S>>
where
    F: for<'b> Fn(&'b [ReverseVar<'b, S>]) -> Vec<ReverseVar<'b, S>>,
{
    derivative::jacobian(f, x.data.as_slice()).map(|rows| from_rows(&rows, x.len()))
}

/// The Hessian of a function of a vector, by forward over reverse mode.
///
/// # Errors
/// As for [`hessian`](derivative::hessian) on slices.
///
/// ```
/// use nalgebra::{DMatrix, DVector};
/// let h = catadiff::interop::nalgebra::hessian(|x| x[0] * x[0] * x[1], &DVector::from_vec(vec![2.0, 3.0]))?;
/// assert_eq!(h, DMatrix::from_row_slice(2, 2, &[6.0, 4.0, 4.0, 0.0]));
/// # Ok::<(), catadiff::Error>(())
/// ```
pub fn hessian<S: Base + Scalar, F>(f: F, x: &DVector<S>) -> Result<DMatrix<S>>
where
    F: for<'o, 'i> Fn(&'i [HessianVar<'o, 'i, S>]) -> HessianVar<'o, 'i, S>,
{
    derivative::hessian(f, x.data.as_slice()).map(|rows| from_rows(&rows, x.len()))
}

/// The solution `x` of `A x = b` in any mode of differentiation, by the implicit function theorem.
///
/// A constant side is lifted by [`map_numbers`](Structure::map_numbers): `a.map_numbers(&mut Reverse::lift)`.
///
/// # Errors
/// As for [`solve`](derivative::solve) on slices; [`Error::Length`] also if `A` is not square.
///
/// ```
/// use catadiff::derivative::grad_of;
/// use catadiff::interop::nalgebra::solve;
/// use nalgebra::{DMatrix, DVector};
/// let at = (DMatrix::from_row_slice(2, 2, &[2.0, 0.0, 0.0, 4.0]), DVector::from_vec(vec![6.0, 8.0]));
/// let (of_a, of_b) = grad_of(|p| { let x = solve(&p.0, &p.1).unwrap(); x[0] + x[1] }, &at)?;
/// assert_eq!(of_b, DVector::from_vec(vec![0.5, 0.25]));
/// assert_eq!(of_a, DMatrix::from_row_slice(2, 2, &[-1.5, -1.0, -0.75, -0.5]));
/// # Ok::<(), catadiff::Error>(())
/// ```
pub fn solve<N: WithTangent<Base: Base>>(a: &DMatrix<N>, b: &DVector<N>) -> Result<DVector<N>> {
    Error::lengths("a row of the matrix of a linear system", a.nrows(), a.ncols())?;
    let by_rows: Vec<N> =
        (0..a.nrows()).flat_map(|i| (0..a.ncols()).map(move |j| (i, j))).map(|at| a[at].clone()).collect();
    derivative::solve(&by_rows, b.data.as_slice()).map(vector)
}

/// A vector of elements of any kind, also those with a brand, for which `nalgebra` has no constructor.
///
/// ```
/// use catadiff::interop::nalgebra::{solve, vector};
/// use catadiff::prelude::*;
/// use nalgebra::DMatrix;
/// let a: DMatrix<f64> = DMatrix::from_row_slice(1, 1, &[2.0]);
/// assert_eq!(solve(&a, &vector(vec![4.0]))?[0], 2.0);
/// # Ok::<(), catadiff::Error>(())
/// ```
#[must_use]
pub fn vector<T>(elements: Vec<T>) -> DVector<T> {
    DVector::from_data(VecStorage::new(Dyn(elements.len()), U1, elements))
}

fn from_rows<S: Scalar>(rows: &[Vec<S>], columns: usize) -> DMatrix<S> {
    DMatrix::from_fn(rows.len(), columns, |i, j| rows[i][j].clone())
}

/// The elements in the order of storage.
impl<P: Structure> Structure for DVector<P> {
    type Scalar = P::Scalar;
    type Of<T> = DVector<P::Of<T>>;

    fn map_numbers<T>(&self, f: &mut impl FnMut(P::Scalar) -> T) -> Self::Of<T> {
        vector(self.data.as_slice().iter().map(|part| part.map_numbers(f)).collect())
    }
}

/// The elements column by column.
impl<P: Structure> Structure for DMatrix<P> {
    type Scalar = P::Scalar;
    type Of<T> = DMatrix<P::Of<T>>;

    fn map_numbers<T>(&self, f: &mut impl FnMut(P::Scalar) -> T) -> Self::Of<T> {
        let parts = self.data.as_slice().iter().map(|part| part.map_numbers(f)).collect();
        DMatrix::from_data(VecStorage::new(Dyn(self.nrows()), Dyn(self.ncols()), parts))
    }
}
