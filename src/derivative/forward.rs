//! Forward mode: dual numbers, one direction at a time or several at once.
//!
//! Law: the tangent of the result is `J·v` for the tangents `v` of the variables ("Forwards and in reverse", *Forward
//! Mode*, *Derivatives for All*; "Automatic Differentiation", *Calculation of the Forward mode*) (laws: strategies).

use core::marker::PhantomData;
use core::ops::Range;

use super::strategy::{Base, Numbers, Strategy, check_finite, check_point, check_results};
use crate::algebra::{Kronecker, Module};
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

/// The arguments of the runs of a function, in the same memory for all of them.
pub(super) struct Arguments<'x, S, M>(Vec<Dual<S, Brand<'x, M>>>);

impl<'x, S: Base> Arguments<'x, S, S> {
    /// The point, and this direction.
    fn along(x: &'x [S], direction: &[S]) -> Self {
        Arguments(x.iter().zip(direction).map(|(x, v)| Dual { value: *x, tangent: Brand::new(*v) }).collect())
    }
}

impl<'x, S: Base, M: Module<S>> Arguments<'x, S, M> {
    /// The point, and no direction.
    pub(super) fn at(x: &'x [S]) -> Self {
        Arguments(x.iter().map(|x| Dual { value: *x, tangent: Brand::new(M::zero_tangent()) }).collect())
    }

    /// Runs a function in which these variables have the unit tangents that `unit` gives, by their place among them.
    #[inline]
    pub(super) fn run<T>(
        &mut self,
        variables: Range<usize>,
        unit: impl Fn(usize) -> M,
        f: impl for<'b> FnOnce(&'b [Dual<S, Brand<'b, M>>]) -> T,
    ) -> T {
        for (lane, argument) in self.0[variables.clone()].iter_mut().enumerate() {
            argument.tangent = Brand::new(unit(lane));
        }
        let result = self.lend(f);
        for argument in &mut self.0[variables] {
            argument.tangent = Brand::new(M::zero_tangent());
        }
        result
    }

    /// Runs a function, which has a brand of its own.
    #[inline]
    #[allow(unsafe_code, reason = "else each run would copy the arguments, since their type names its brand")]
    fn lend<T>(&self, f: impl for<'b> FnOnce(&'b [Dual<S, Brand<'b, M>>]) -> T) -> T {
        #[allow(clippy::unnecessary_cast, reason = "it is to another lifetime")]
        fn lend<'b, S, M>(arguments: &'b [Dual<S, Brand<'_, M>>]) -> &'b [Dual<S, Brand<'b, M>>] {
            // SAFETY: the types differ in nothing but a lifetime, so they are laid out alike, and a brand holds nothing
            // that lives as long as it says. What has the new brand does not outlive the run: `T` cannot name it.
            unsafe { &*(core::ptr::from_ref(arguments) as *const [Dual<S, Brand<'b, M>>]) }
        }
        f(lend(&self.0))
    }
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
        let mut arguments = Arguments::at(x);
        for variable in 0..x.len() {
            arguments.run(
                variable..variable + 1,
                |_| S::one(),
                |x| jacobian.extend(&f(x), 1, |tangent, _| tangent.inner),
            )?;
        }
        Ok((jacobian.values, jacobian.rows))
    }

    fn value_and_grad<F>(f: F, x: &[S]) -> Result<(S, Vec<S>)>
    where
        F: for<'b> Fn(&'b [ForwardVar<'b, S>]) -> ForwardVar<'b, S>,
    {
        check_point("the point", x)?;
        let (mut value, mut gradient) = (S::zero(), Vec::with_capacity(x.len()));
        let mut arguments = Arguments::at(x);
        for variable in 0..x.len() {
            arguments.run(
                variable..variable + 1,
                |_| S::one(),
                |x| {
                    let result = f(x);
                    value = result.value;
                    gradient.push(result.tangent.inner);
                },
            );
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
        let mut arguments = Arguments::at(x);
        for start in (0..x.len()).step_by(N::USIZE) {
            let lanes = N::USIZE.min(x.len() - start);
            arguments.run(start..start + lanes, N::Dense::<S>::delta, |x| {
                jacobian.extend(&f(x), lanes, |tangent, lane| tangent.inner[lane])
            })?;
        }
        Ok((jacobian.values, jacobian.rows))
    }

    fn value_and_grad<F>(f: F, x: &[S]) -> Result<(S, Vec<S>)>
    where
        F: for<'b> Fn(&'b [VectorVar<'b, N, S>]) -> VectorVar<'b, N, S>,
    {
        check_point("the point", x)?;
        let (mut value, mut gradient) = (S::zero(), Vec::with_capacity(x.len()));
        let mut arguments = Arguments::at(x);
        for start in (0..x.len()).step_by(N::USIZE) {
            let lanes = N::USIZE.min(x.len() - start);
            arguments.run(start..start + lanes, N::Dense::<S>::delta, |x| {
                let result = f(x);
                value = result.value;
                gradient.extend((0..lanes).map(|lane| result.tangent.inner[lane]));
            });
        }
        Ok((value, gradient))
    }
}

/// A Jacobian as it grows by columns.
struct Jacobian<S> {
    variables: usize,
    values: Vec<S>,
    rows: Vec<Vec<S>>,
}

impl<S: Base> Jacobian<S> {
    fn at(x: &[S]) -> Result<Self> {
        check_point("the point", x)?;
        Ok(Jacobian { variables: x.len(), values: Vec::new(), rows: Vec::new() })
    }

    /// Appends the columns that one run has computed.
    fn extend<M>(&mut self, results: &[Dual<S, M>], lanes: usize, coefficient: impl Fn(&M, usize) -> S) -> Result<()> {
        check_results(results)?;
        if self.rows.is_empty() {
            self.rows.resize_with(results.len(), || Vec::with_capacity(self.variables));
        }
        Error::lengths("the function's list of results", self.rows.len(), results.len())?;
        self.values.clear();
        self.values.extend(results.iter().map(|y| y.value));
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
    F: for<'b> FnOnce(&'b [ForwardVar<'b, S>]) -> Vec<ForwardVar<'b, S>>,
{
    check_point("the point", x)?;
    Error::lengths("the direction", x.len(), v.len())?;
    check_finite("the direction", v)?;
    Arguments::along(x, v).lend(|arguments| {
        let results = f(arguments);
        check_results(&results)?;
        let tangents = results.iter().map(|y| y.tangent.inner).collect();
        // In the memory of the results, of which it is half.
        Ok((results.into_iter().map(|y| y.value).collect(), tangents))
    })
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
    F: for<'b> FnOnce(ForwardVar<'b, S>) -> ForwardVar<'b, S>,
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
    F: for<'b> FnOnce(ForwardVar<'b, S>) -> ForwardVar<'b, S>,
{
    check_finite("the point", &[x])?;
    let y = f(Dual { value: x, tangent: Brand::new(S::one()) });
    Ok((y.value, y.tangent.inner))
}
