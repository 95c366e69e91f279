//! Forward mode: dual numbers, one direction at a time or several at once.
//!
//! Law: the tangent of the result is `J·v` for the tangents `v` of the variables ("Forwards and in reverse", *Forward
//! Mode*, *Derivatives for All*; "Automatic Differentiation", *Calculation of the Forward mode*) (laws: strategies).

use core::marker::PhantomData;

use super::strategy::{Base, Numbers, Strategy, check_finite, check_point, check_results};
use crate::algebra::Kronecker;
use crate::carriers::{Brand, DenseLength, Dual};
use crate::error::{Error, Result};

/// Forward mode, one directional derivative per run of the function: for one variable, or a few.
#[derive(Debug, Clone, Copy)]
pub struct Forward;

/// Vector forward mode, `N` partial derivatives per run: for small Jacobians and wide ones.
///
/// ```
/// use catadiff::prelude::*;
/// use catadiff::typenum::U8;
/// let gradient = VectorForward::<U8>::grad(|x| x.iter().copied().product(), &[1.0, 2.0, 3.0])?;
/// assert_eq!(gradient, [6.0, 3.0, 2.0]);
/// # Ok::<(), catadiff::Error>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct VectorForward<N>(PhantomData<N>);

/// The number of [`Forward`].
pub type ForwardVar<'b, S> = Dual<S, Brand<'b, S>>;

/// The number of [`VectorForward`] with `N` lanes.
pub type VectorVar<'b, N, S> = Dual<S, Brand<'b, <N as DenseLength>::Dense<S>>>;

/// The arguments of a run in which the variables from `start` on have the unit tangents of `M`.
pub(super) fn arguments<'b, S: Base, M: Kronecker<usize, S>>(x: &[S], start: usize) -> Vec<Dual<S, Brand<'b, M>>> {
    // `wrapping_sub` sends the variables before `start` beyond every lane.
    x.iter().enumerate().map(|(i, x)| Dual::variable(*x, i.wrapping_sub(start))).collect()
}

impl<'b, S: Base> Numbers<'b, S> for Forward {
    type Num = ForwardVar<'b, S>;

    #[inline(always)]
    fn lift(constant: S) -> Self::Num {
        Dual::lift(constant)
    }
}

impl<S: Base> Strategy<S> for Forward {
    fn value_and_jacobian<F>(f: F, x: &[S]) -> Result<(Vec<S>, Vec<Vec<S>>)>
    where
        F: for<'b> Fn(&'b [ForwardVar<'b, S>]) -> Vec<ForwardVar<'b, S>>,
    {
        let mut jacobian = Jacobian::at(x)?;
        for variable in 0..x.len() {
            let arguments = arguments_for(x, variable);
            jacobian.extend(&f(&arguments), 1, |tangent, _| tangent.inner)?;
        }
        Ok((jacobian.values, jacobian.rows))
    }

    fn value_and_grad<F>(f: F, x: &[S]) -> Result<(S, Vec<S>)>
    where
        F: for<'b> Fn(&'b [ForwardVar<'b, S>]) -> ForwardVar<'b, S>,
    {
        check_point("the point", x)?;
        let (mut value, mut gradient) = (S::zero(), Vec::with_capacity(x.len()));
        for variable in 0..x.len() {
            let arguments = arguments_for(x, variable);
            let result = f(&arguments);
            value = result.value;
            gradient.push(result.tangent.inner);
        }
        Ok((value, gradient))
    }
}

impl<'b, N: DenseLength, S: Base> Numbers<'b, S> for VectorForward<N> {
    type Num = VectorVar<'b, N, S>;

    #[inline(always)]
    fn lift(constant: S) -> Self::Num {
        Dual::lift(constant)
    }
}

impl<N: DenseLength, S: Base> Strategy<S> for VectorForward<N> {
    fn value_and_jacobian<F>(f: F, x: &[S]) -> Result<(Vec<S>, Vec<Vec<S>>)>
    where
        F: for<'b> Fn(&'b [VectorVar<'b, N, S>]) -> Vec<VectorVar<'b, N, S>>,
    {
        let mut jacobian = Jacobian::at(x)?;
        for start in (0..x.len()).step_by(N::USIZE) {
            let arguments = arguments(x, start);
            let lanes = N::USIZE.min(x.len() - start);
            jacobian.extend(&f(&arguments), lanes, |tangent, lane| tangent.inner[lane])?;
        }
        Ok((jacobian.values, jacobian.rows))
    }

    fn value_and_grad<F>(f: F, x: &[S]) -> Result<(S, Vec<S>)>
    where
        F: for<'b> Fn(&'b [VectorVar<'b, N, S>]) -> VectorVar<'b, N, S>,
    {
        check_point("the point", x)?;
        let (mut value, mut gradient) = (S::zero(), Vec::with_capacity(x.len()));
        for start in (0..x.len()).step_by(N::USIZE) {
            let arguments = arguments(x, start);
            let result = f(&arguments);
            value = result.value;
            gradient.extend((0..N::USIZE.min(x.len() - start)).map(|lane| result.tangent.inner[lane]));
        }
        Ok((value, gradient))
    }
}

/// The arguments of a run along the direction whose coordinates `direction` gives.
fn arguments_along<'b, S: Base>(x: &[S], direction: impl Fn(usize) -> S) -> Vec<ForwardVar<'b, S>> {
    x.iter().enumerate().map(|(i, x)| Dual { value: *x, tangent: Brand::new(direction(i)) }).collect()
}

/// The arguments of a run for one variable, along its unit direction.
fn arguments_for<'b, S: Base>(x: &[S], variable: usize) -> Vec<ForwardVar<'b, S>> {
    arguments_along(x, |i| if i == variable { S::one() } else { S::zero() })
}

/// A Jacobian as it grows by columns.
struct Jacobian<S> {
    values: Vec<S>,
    rows: Vec<Vec<S>>,
}

impl<S: Base> Jacobian<S> {
    fn at(x: &[S]) -> Result<Self> {
        check_point("the point", x)?;
        Ok(Jacobian { values: Vec::new(), rows: Vec::new() })
    }

    /// Appends the columns that one run has computed.
    fn extend<M>(&mut self, results: &[Dual<S, M>], lanes: usize, coefficient: impl Fn(&M, usize) -> S) -> Result<()> {
        check_results(results)?;
        if self.rows.is_empty() {
            self.rows.resize_with(results.len(), Vec::new);
        }
        Error::lengths("the function's list of results", self.rows.len(), results.len())?;
        self.values = results.iter().map(|y| y.value).collect();
        for (row, result) in self.rows.iter_mut().zip(results) {
            row.extend((0..lanes).map(|lane| coefficient(&result.tangent, lane)));
        }
        Ok(())
    }
}

/// The results of `f` at `x`, and their derivatives in the direction `v`: the product `J·v`, in one run.
///
/// # Errors
/// [`Error::Empty`] without variables or results, [`Error::Length`] if `x` and `v` differ in length,
/// [`Error::NotFinite`] if either holds NaN or ∞.
///
/// ```
/// use catadiff::prelude::*;
/// let (y, dy) = jvp(|x| vec![x[0] * x[1], x[1].exp()], &[3.0, 0.0], &[1.0, 2.0])?;
/// assert_eq!((y, dy), (vec![0.0, 1.0], vec![6.0, 2.0]));
/// # Ok::<(), catadiff::Error>(())
/// ```
pub fn jvp<S: Base, F>(f: F, x: &[S], v: &[S]) -> Result<(Vec<S>, Vec<S>)>
where
    F: for<'b> Fn(&'b [ForwardVar<'b, S>]) -> Vec<ForwardVar<'b, S>>,
{
    check_point("the point", x)?;
    Error::lengths("the direction", x.len(), v.len())?;
    check_finite("the direction", v)?;
    let arguments = arguments_along(x, |i| v[i]);
    let results = f(&arguments);
    check_results(&results)?;
    Ok(results.iter().map(|y| (y.value, y.tangent.inner)).unzip())
}

/// The derivative of a function of one number.
///
/// # Errors
/// [`Error::NotFinite`] if `x` is NaN or infinite.
///
/// ```
/// use catadiff::prelude::*;
/// assert_eq!(diff(|x| x * x * x, 2.0)?, 12.0);
/// // Twice: the inner differentiation works over the numbers of the outer.
/// assert_eq!(diff(|x| diff(|y| y * y * y, x).unwrap(), 2.0)?, 12.0);
/// # Ok::<(), catadiff::Error>(())
/// ```
pub fn diff<S: Base, F>(f: F, x: S) -> Result<S>
where
    F: for<'b> Fn(ForwardVar<'b, S>) -> ForwardVar<'b, S>,
{
    Ok(value_and_diff(f, x)?.1)
}

/// The value and the derivative of a function of one number.
///
/// # Errors
/// [`Error::NotFinite`] if `x` is NaN or infinite.
///
/// ```
/// use catadiff::prelude::*;
/// assert_eq!(value_and_diff(|x| x.exp(), 0.0)?, (1.0, 1.0));
/// # Ok::<(), catadiff::Error>(())
/// ```
pub fn value_and_diff<S: Base, F>(f: F, x: S) -> Result<(S, S)>
where
    F: for<'b> Fn(ForwardVar<'b, S>) -> ForwardVar<'b, S>,
{
    check_finite("the point", &[x])?;
    let y = f(Dual { value: x, tangent: Brand::new(S::one()) });
    Ok((y.value, y.tangent.inner))
}
