//! Arrays of `ndarray` in and out of the verbs.
//!
//! Law: each verb is the one on slices; arrays of any dimension are [structures](Structure) besides, so
//! [`grad_of`](crate::derivative::grad_of) and its like take them in every strategy, alone or inside your own structs.
//! With the feature `array`, arrays and views are arguments of array programs, and arrays are results of them
//! (tests/interop/ndarray.rs).
//!
//! # What can be done with an array of dual numbers
//!
//! All that `ndarray` asks for no more than the traits of `num-traits`: `sum`, `product`, `sum_axis`, `mean`, `fold`,
//! `mapv`, `Zip`, elementwise `+ - * /` between arrays (also with an array of `f64` on the right), and with an `f64`.
//!
//! `ndarray` allows `dot` and arithmetic with a single element only for `'static` elements
//! ([`LinalgScalar`](::ndarray::LinalgScalar), [`ScalarOperand`]). The numbers of the verbs carry a brand and are not;
//! [`matvec`] and [`matmul`] are the products for them, `mapv(|x| x * s)` the arithmetic. Plain duals such as
//! [`Dual<f64>`](Dual), made by hand, have both.
//!
//! ```
//! use catadiff::interop::ndarray::{grad, matvec};
//! use ndarray::array;
//!
//! let (data, target) = (array![[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], array![1.0, 2.0, 2.0]);
//! let slope = grad(|w| ((matvec(&data, &w).unwrap() - &target) * 2.0).sum(), &array![0.5, 0.25])?;
//! assert_eq!(slope, array![18.0, 24.0]);
//! # Ok::<(), catadiff::Error>(())
//! ```

use ::ndarray::{Array, Array1, Array2, ArrayRef1, ArrayRef2, ArrayView1, Dimension, ScalarOperand};
use core::ops::Mul;
use num_traits::Zero;

use crate::carriers::Dual;
use crate::derivative::{self, Base, HessianVar, ReverseVar, Structure};
use crate::error::{Error, Result};

/// The gradient of a function of a vector, by reverse mode.
///
/// # Errors
/// As for [`grad`](derivative::grad) on slices.
///
/// ```
/// use ndarray::array;
/// let gradient = catadiff::interop::ndarray::grad(|x| (&x * &x).sum() * x[0], &array![1.0, 2.0])?;
/// assert_eq!(gradient, array![7.0, 4.0]);
/// # Ok::<(), catadiff::Error>(())
/// ```
pub fn grad<S: Base, F>(f: F, x: &ArrayRef1<S>) -> Result<Array1<S>>
where
    F: for<'b> Fn(ArrayView1<'b, ReverseVar<'b, S>>) -> ReverseVar<'b, S>,
{
    Ok(value_and_grad(f, x)?.1)
}

/// The value and the gradient of a function of a vector, by reverse mode.
///
/// # Errors
/// As for [`grad`](derivative::grad) on slices.
///
/// ```
/// use ndarray::array;
/// let (value, gradient) = catadiff::interop::ndarray::value_and_grad(|x| x.product(), &array![2.0, 5.0])?;
/// assert_eq!((value, gradient), (10.0, array![5.0, 2.0]));
/// # Ok::<(), catadiff::Error>(())
/// ```
pub fn value_and_grad<S: Base, F>(f: F, x: &ArrayRef1<S>) -> Result<(S, Array1<S>)>
where
    F: for<'b> Fn(ArrayView1<'b, ReverseVar<'b, S>>) -> ReverseVar<'b, S>,
{
    let (value, gradient) = derivative::value_and_grad(|x| f(ArrayView1::from(x)), &x.to_vec())?;
    Ok((value, Array1::from_vec(gradient)))
}

/// The Jacobian of a function from vectors to vectors, by reverse mode: one row per result.
///
/// # Errors
/// As for [`jacobian`](derivative::jacobian) on slices.
///
/// ```
/// use ndarray::array;
/// let j = catadiff::interop::ndarray::jacobian(|x| &x * &x, &array![1.0, 2.0])?;
/// assert_eq!(j, array![[2.0, 0.0], [0.0, 4.0]]);
/// # Ok::<(), catadiff::Error>(())
/// ```
pub fn jacobian<S: Base, F>(f: F, x: &ArrayRef1<S>) -> Result<Array2<S>>
where
    F: for<'b> Fn(ArrayView1<'b, ReverseVar<'b, S>>) -> Array1<ReverseVar<'b, S>>,
{
    derivative::jacobian(|x| f(ArrayView1::from(x)).to_vec(), &x.to_vec()).map(|rows| from_rows(&rows, x.len()))
}

/// The Hessian of a function of a vector, by forward over reverse mode.
///
/// # Errors
/// As for [`hessian`](derivative::hessian) on slices.
///
/// ```
/// use ndarray::array;
/// let h = catadiff::interop::ndarray::hessian(|x| x.product(), &array![2.0, 3.0, 5.0])?;
/// assert_eq!(h, array![[0.0, 5.0, 3.0], [5.0, 0.0, 2.0], [3.0, 2.0, 0.0]]);
/// # Ok::<(), catadiff::Error>(())
/// ```
pub fn hessian<S: Base, F>(f: F, x: &ArrayRef1<S>) -> Result<Array2<S>>
where
    F: for<'o, 'i> Fn(ArrayView1<'i, HessianVar<'o, 'i, S>>) -> HessianVar<'o, 'i, S>,
{
    derivative::hessian(|x| f(ArrayView1::from(x)), &x.to_vec()).map(|rows| from_rows(&rows, x.len()))
}

fn from_rows<S: Base>(rows: &[Vec<S>], columns: usize) -> Array2<S> {
    Array2::from_shape_fn((rows.len(), columns), |(i, j)| rows[i][j])
}

/// The product of a matrix and a vector, for elements of any kind: the numbers of the verbs, or those and plain ones.
///
/// # Errors
/// [`Error::Length`] if the vector has not one element per column.
///
/// ```
/// use ndarray::array;
/// let product = catadiff::interop::ndarray::matvec(&array![[1, 2], [3, 4]], &array![5, 6]);
/// assert_eq!(product, Ok(array![17, 39]));
/// ```
pub fn matvec<A, B, C>(a: &ArrayRef2<A>, x: &ArrayRef1<B>) -> Result<Array1<C>>
where
    A: Clone + Mul<B, Output = C>,
    B: Clone,
    C: Zero,
{
    Error::lengths("the vector of a matrix product", a.ncols(), x.len())?;
    Ok(a.rows().into_iter().map(|row| inner(row, x.view())).collect())
}

/// The product of two matrices, for elements of any kind: the numbers of the verbs, or those and plain ones.
///
/// # Errors
/// [`Error::Length`] if the second matrix has not one row per column of the first.
///
/// ```
/// use ndarray::array;
/// let product = catadiff::interop::ndarray::matmul(&array![[1, 2], [3, 4]], &array![[0, 1], [1, 0]]);
/// assert_eq!(product, Ok(array![[2, 1], [4, 3]]));
/// ```
pub fn matmul<A, B, C>(a: &ArrayRef2<A>, b: &ArrayRef2<B>) -> Result<Array2<C>>
where
    A: Clone + Mul<B, Output = C>,
    B: Clone,
    C: Zero,
{
    Error::lengths("a column of the second matrix of a product", a.ncols(), b.nrows())?;
    Ok(Array2::from_shape_fn((a.nrows(), b.ncols()), |(i, j)| inner(a.row(i), b.column(j))))
}

fn inner<A, B, C>(a: ArrayView1<'_, A>, b: ArrayView1<'_, B>) -> C
where
    A: Clone + Mul<B, Output = C>,
    B: Clone,
    C: Zero,
{
    a.iter().zip(b.iter()).fold(C::zero(), |sum, (a, b)| sum + a.clone() * b.clone())
}

/// Arrays of numbers, or of structures of numbers, in logical order.
impl<P: Structure, D: Dimension> Structure for Array<P, D> {
    type Scalar = P::Scalar;
    type Of<T> = Array<P::Of<T>, D>;

    fn map_numbers<T>(&self, f: &mut impl FnMut(P::Scalar) -> T) -> Self::Of<T> {
        let parts = self.iter().map(|part| part.map_numbers(f)).collect();
        Array::from_shape_vec(self.raw_dim(), parts).expect("an array holds as many parts as its shape says")
    }
}

/// Duals without a brand, such as `Dual<f64>`, may stand beside an array: `&array * dual`.
impl<S: Clone + 'static, M: Clone + 'static> ScalarOperand for Dual<S, M> {}
