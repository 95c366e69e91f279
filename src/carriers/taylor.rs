//! Truncated power series: all derivatives of a program up to an order, in one pass.
//!
//! Law: coefficients are those of the composed power series: `+` is componentwise, `×` the Cauchy product (exact over
//! exact numbers), and a row follows from its partial derivatives by `z′ = Σ xᵢ′·∂φ/∂xᵢ` (Griewank and Walther,
//! "Evaluating Derivatives", chapter *Taylor coefficients*); the `k`-th derivative is `k!` times the coefficient `k`
//! (tests/scalar/taylor.rs).

use core::cmp::Ordering;
use core::ops::{Add, Index, Mul};
use generic_array::sequence::GenericSequence;
use generic_array::{ArrayLength, GenericArray};
use num_traits::{One, Zero};

use super::streams::{cauchy, compose};
use crate::algebra::{Semiring, natural};
use crate::error::{Error, Result};
use crate::primitives::{Elementary, Rule, Scalar, per_argument};

/// A power series up to the order `N − 1`, as an array of its `N` coefficients; `N` is a type-level number such as
/// [`U8`](crate::typenum::U8).
///
/// It is `Copy` for every such `N` if the scalar is, so functions of [`Real`](crate::Real) numbers take it as it
/// is. Series compare by their value, the coefficient 0. To choose the order at run time, see [`Series`].
///
/// ```
/// use catadiff::{Elementary, carriers::Taylor};
/// use catadiff::typenum::U5;
/// let x: Taylor<f64, U5> = Taylor::variable(0.0);
/// let y = x.tan();
/// assert_eq!([y[0], y[1], y[2], y[3], y[4]], [0.0, 1.0, 0.0, 1.0 / 3.0, 0.0]);
/// assert_eq!(y.derivative(3), 2.0);
/// ```
#[derive(Debug, Clone)]
pub struct Taylor<S, N: ArrayLength>(pub GenericArray<S, N>);

impl<S: Copy, N: ArrayLength> Copy for Taylor<S, N> where N::ArrayType<S>: Copy {}

/// The coefficient of that power; it panics from `N` on, as slices do.
impl<S, N: ArrayLength> Index<usize> for Taylor<S, N> {
    type Output = S;
    fn index(&self, k: usize) -> &S {
        &self.0[k]
    }
}

impl<S: Semiring, N: ArrayLength> Taylor<S, N> {
    /// A number that does not vary.
    #[must_use]
    pub fn lift(value: S) -> Self {
        Taylor::from_coefficients([value])
    }

    /// The variable of the series, at this value: `value + t`.
    #[must_use]
    pub fn variable(value: S) -> Self {
        Taylor::from_coefficients([value, S::one()])
    }

    /// The series with these coefficients, cut off or filled up with zeros.
    #[must_use]
    pub fn from_coefficients(coefficients: impl IntoIterator<Item = S>) -> Self {
        let mut coefficients = coefficients.into_iter();
        Taylor(GenericArray::generate(|_| coefficients.next().unwrap_or_else(S::zero)))
    }

    /// The derivative of order `k`: `k!` times the coefficient; 0 from `N` on.
    #[must_use]
    pub fn derivative(&self, k: usize) -> S {
        derivative(&self.0, k)
    }

    /// The value of the truncated series at `t = step`.
    #[must_use]
    pub fn evaluate(&self, step: &S) -> S {
        horner(&self.0, step)
    }
}

impl<S: Semiring, N: ArrayLength> Add for Taylor<S, N> {
    type Output = Self;
    fn add(mut self, other: Self) -> Self {
        for (a, b) in self.0.iter_mut().zip(other.0) {
            *a = a.clone() + b;
        }
        self
    }
}

impl<S: Semiring, N: ArrayLength> Mul for Taylor<S, N> {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        Taylor(GenericArray::generate(|k| cauchy(&self.0, &other.0, k)))
    }
}

impl<S: Semiring, N: ArrayLength> Zero for Taylor<S, N> {
    fn zero() -> Self {
        Taylor::from_coefficients([])
    }
    /// Whether all coefficients are 0.
    fn is_zero(&self) -> bool {
        self.0.iter().all(S::is_zero)
    }
}

impl<S: Semiring, N: ArrayLength> One for Taylor<S, N> {
    fn one() -> Self {
        Taylor::lift(S::one())
    }
}

crate::operators!([S: Scalar, N: ArrayLength] Taylor<S, N>, []);

impl<S: Scalar, N: ArrayLength> Elementary for Taylor<S, N> {
    fn constant(value: f64) -> Self {
        Taylor::lift(S::constant(value))
    }

    fn primal(&self) -> Option<f64> {
        self.0.first()?.primal()
    }

    fn apply<R: Rule<M>, const M: usize>(rule: &R, x: [Self; M]) -> Self {
        Taylor::from_coefficients(compose(
            rule,
            per_argument(&[][..], |i| x[i].0.as_slice()),
            N::USIZE.saturating_sub(1),
        ))
    }
}

/// A power series up to an order chosen at run time.
///
/// Constants are exact, of any order; an operation on series of different orders is good to the lower one.
/// Series compare by their value, the coefficient 0.
///
/// ```
/// use catadiff::{Elementary, carriers::Series};
/// let x = Series::variable(1.0, 20);
/// let y = x.clone().ln() * 2.0 + x;
/// assert_eq!(y.order(), Some(20));
/// assert!((y.coefficient(20) - -2.0 / 20.0).abs() < 1e-15);
/// // Over exact numbers, with + and ×:
/// let x = Series::variable(2_i64, 3);
/// assert_eq!((x.clone() * x.clone() * x).coefficients(), [8, 12, 6, 1]);
/// ```
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Series<S> {
    /// At most one more than the order; those missing are 0.
    coefficients: Vec<S>,
    /// Up to where the coefficients are known; a constant, whose are known everywhere, has none.
    order: Option<usize>,
}

impl<S: Semiring> Series<S> {
    /// A number that does not vary.
    #[must_use]
    pub fn lift(value: S) -> Self {
        Series { coefficients: vec![value], order: None }
    }

    /// The highest order: what a series costs grows with the square of it, and beyond this nobody waits.
    pub const HIGHEST: usize = 65_535;

    /// The variable of the series, at this value: `value + t`, up to an order, which is [`HIGHEST`](Series::HIGHEST) at most.
    #[must_use]
    pub fn variable(value: S, order: usize) -> Self {
        let order = order.min(Self::HIGHEST);
        let mut coefficients = vec![value, S::one()];
        coefficients.truncate(order.saturating_add(1));
        Series { coefficients, order: Some(order) }
    }

    /// The series with these coefficients, known up to the last of them.
    ///
    /// # Errors
    /// [`Error::Empty`] if there are none.
    pub fn from_coefficients(coefficients: Vec<S>) -> Result<Self> {
        let order = coefficients.len().checked_sub(1).ok_or(Error::Empty { what: "the list of coefficients" })?;
        Ok(Series { coefficients, order: Some(order) })
    }

    /// Up to where the coefficients are known; `None` for a constant.
    #[must_use]
    pub fn order(&self) -> Option<usize> {
        self.order
    }

    /// The coefficients from 0 to the last that was computed; beyond it, up to the order, they are 0.
    #[must_use]
    pub fn coefficients(&self) -> &[S] {
        &self.coefficients
    }

    /// The coefficient `k`; 0 beyond the order.
    #[must_use]
    pub fn coefficient(&self, k: usize) -> S {
        self.coefficients.get(k).cloned().unwrap_or_else(S::zero)
    }

    /// The derivative of order `k`: `k!` times the coefficient.
    #[must_use]
    pub fn derivative(&self, k: usize) -> S {
        derivative(&self.coefficients, k)
    }

    /// The value of the truncated series at `t = step`.
    #[must_use]
    pub fn evaluate(&self, step: &S) -> S {
        horner(&self.coefficients, step)
    }
}

/// The order to which a result is known, and the number of its coefficients if `all` of them could be nonzero.
fn common(orders: impl IntoIterator<Item = Option<usize>>, all: usize) -> (Option<usize>, usize) {
    let order = orders.into_iter().flatten().min();
    (order, order.map_or(all, |order| all.min(order.saturating_add(1))))
}

impl<S: Semiring> Add for Series<S> {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        let (order, len) = common([self.order, other.order], self.coefficients.len().max(other.coefficients.len()));
        let (mut a, mut b) = (self.coefficients.into_iter(), other.coefficients.into_iter());
        let sum = |_| match (a.next(), b.next()) {
            (Some(a), Some(b)) => a + b,
            (a, b) => a.or(b).unwrap_or_else(S::zero),
        };
        Series { coefficients: (0..len).map(sum).collect(), order }
    }
}

impl<S: Semiring> Mul for Series<S> {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        let (a, b) = (&self.coefficients, &other.coefficients);
        let (order, len) = common([self.order, other.order], (a.len() + b.len()).saturating_sub(1));
        // An exact 0 times anything is an exact 0.
        let exact = |series: &Series<S>| series.order.is_none() && series.is_zero();
        if exact(&self) || exact(&other) {
            return Series::zero();
        }
        Series { coefficients: (0..len).map(|k| cauchy(a, b, k)).collect(), order }
    }
}

impl<S: Semiring> Zero for Series<S> {
    fn zero() -> Self {
        Series { coefficients: Vec::new(), order: None }
    }
    /// Whether all coefficients that are known are 0.
    fn is_zero(&self) -> bool {
        self.coefficients.iter().all(S::is_zero)
    }
}

impl<S: Semiring> One for Series<S> {
    fn one() -> Self {
        Series::lift(S::one())
    }
}

crate::operators!([S: Scalar] Series<S>, []);

impl<S: Scalar> Series<S> {
    /// The order to which a function of these is known, unless all are constant.
    fn lowest_order(x: &[Self]) -> Option<usize> {
        x.iter().filter_map(|x| x.order).min().map(|order| order.min(Self::HIGHEST))
    }
}

impl<S: Scalar> Elementary for Series<S> {
    fn constant(value: f64) -> Self {
        Series::lift(S::constant(value))
    }

    fn primal(&self) -> Option<f64> {
        self.coefficient(0).primal()
    }

    fn apply<R: Rule<N>, const N: usize>(rule: &R, x: [Self; N]) -> Self {
        let order = Self::lowest_order(&x);
        let coefficients = compose(rule, per_argument(&[][..], |i| x[i].coefficients.as_slice()), order.unwrap_or(0));
        Series { coefficients, order }
    }
}

/// `k!` times the coefficient `k`.
fn derivative<S: Semiring>(coefficients: &[S], k: usize) -> S {
    let Some(coefficient) = coefficients.get(k) else { return S::zero() };
    (2..=k).fold(coefficient.clone(), |product, j| product * natural(j as u64))
}

fn horner<S: Semiring>(coefficients: &[S], step: &S) -> S {
    coefficients.iter().rev().fold(S::zero(), |sum, c| sum * step.clone() + c.clone())
}

impl<S: PartialEq, N: ArrayLength> PartialEq for Taylor<S, N> {
    fn eq(&self, other: &Self) -> bool {
        self.0.first() == other.0.first()
    }
}

impl<S: PartialOrd, N: ArrayLength> PartialOrd for Taylor<S, N> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        self.0.first().partial_cmp(&other.0.first())
    }
}

impl<S: Semiring + PartialEq> PartialEq for Series<S> {
    fn eq(&self, other: &Self) -> bool {
        self.coefficient(0) == other.coefficient(0)
    }
}

impl<S: Semiring + PartialOrd> PartialOrd for Series<S> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        self.coefficient(0).partial_cmp(&other.coefficient(0))
    }
}

crate::primitives::compared_with_literals!([S: Scalar, N: ArrayLength] Taylor<S, N>, [S: Scalar]);
crate::primitives::compared_with_literals!([S: Scalar] Series<S>, [S: Scalar]);
