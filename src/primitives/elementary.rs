//! Numbers with elementary functions: the promises between the table of primitives and the code that uses it.
//!
//! Law: a carrier gives each row of the table its meaning through the one method [`Elementary::apply`], so a new row
//! needs no change in any carrier, and a new carrier none in the table (laws: homomorphism::elementary).

use core::fmt::Debug;
use core::iter::{Product, Sum};
use core::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Sub, SubAssign};

use super::half::to_half;
use super::{Elementary, Rule, special};

/// An [`Elementary`] number that is `Copy`: what a carrier can be built over, and what the partial derivatives of a
/// [`Rule`] are generic in. `f32`, `f64`, and every `Copy` carrier are scalars; so carriers nest.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a scalar",
    note = "a scalar is an `Elementary` number that is `Copy` and `Debug`: `f32`, `f64` and the `Copy` carriers over them"
)]
pub trait Scalar: Elementary + Copy + Debug {}

impl<T: Elementary + Copy + Debug> Scalar for T {}

/// The number type to write your own functions in: a [`Scalar`] that also mixes with `f64` literals on the right.
///
/// ```
/// use catadiff::prelude::*;
/// fn f<R: Real>(x: &[R]) -> R { x[0].ln() + x[0] * x[1] - x[1].sin() * 2.0 }
/// assert_eq!(f(&[1.0, 0.0]), 0.0);                      // as it is
/// assert_eq!(grad(|x| f(x), &[1.0, 0.0])?, [1.0, -1.0]); // and differentiated
/// # Ok::<(), catadiff::Error>(())
/// ```
///
/// What a generic function can write, where `x` and `y` are of type `R` and `xs` is a slice of them:
///
/// | wanted | written |
/// |---|---|
/// | arithmetic | `x + y`, `x + &y`, `x += y`, `-x` |
/// | with a literal | `x * 2.0`, `x += 1.0` |
/// | with a literal in front | `x * 2.0` for `2.0 * x`, and `R::constant(1.0) / x` or `x.recip()` for `1.0 / x`: that the literal comes first, Rust knows of concrete numbers only |
/// | powers | `x.powi(3)`, `x.powf(2.5)`, `x.powf(y)` |
/// | functions of two numbers | `x.max(0.0)`, `x.max(y)`, `x.hypot(1.0)`, and so on |
/// | sums and products | `xs.iter().sum::<R>()`, `xs.iter().map(\|x\| *x * *x).product::<R>()` |
/// | a branch | `if x > 0.0 { … }`, with the bound [`Decide`] |
///
/// ```
/// use catadiff::prelude::*;
/// fn mean_square<R: Real>(xs: &[R]) -> R {
///     let mut sum = R::constant(0.0);
///     for x in xs {
///         sum += *x * x;
///     }
///     sum /= xs.len() as f64;
///     sum
/// }
/// assert_eq!(grad(|x| mean_square(x), &[1.0, 3.0])?, [1.0, 3.0]);
/// # Ok::<(), catadiff::Error>(())
/// ```
///
/// `f32` itself cannot be a `Real` (Rust has no `f32 * f64`), but `f32` points can be differentiated at:
/// the carriers over `f32` are.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a real number of catadiff",
    note = "`f64` and the carriers over `f32` and `f64` are `Real`; to mix numbers of two differentiations, `lift` the outer one"
)]
pub trait Real:
    Scalar
    + From<f64>
    + Add<f64, Output = Self>
    + Sub<f64, Output = Self>
    + Mul<f64, Output = Self>
    + Div<f64, Output = Self>
    + for<'r> Add<&'r Self, Output = Self>
    + for<'r> Sub<&'r Self, Output = Self>
    + for<'r> Mul<&'r Self, Output = Self>
    + for<'r> Div<&'r Self, Output = Self>
    + AddAssign
    + SubAssign
    + MulAssign
    + DivAssign
    + AddAssign<f64>
    + SubAssign<f64>
    + MulAssign<f64>
    + DivAssign<f64>
    + Sum
    + Product
    + for<'r> Sum<&'r Self>
    + for<'r> Product<&'r Self>
{
}

impl<T> Real for T where
    T: Scalar
        + From<f64>
        + Add<f64, Output = T>
        + Sub<f64, Output = T>
        + Mul<f64, Output = T>
        + Div<f64, Output = T>
        + for<'r> Add<&'r T, Output = T>
        + for<'r> Sub<&'r T, Output = T>
        + for<'r> Mul<&'r T, Output = T>
        + for<'r> Div<&'r T, Output = T>
        + AddAssign
        + SubAssign
        + MulAssign
        + DivAssign
        + AddAssign<f64>
        + SubAssign<f64>
        + MulAssign<f64>
        + DivAssign<f64>
        + Sum
        + Product
        + for<'r> Sum<&'r T>
        + for<'r> Product<&'r T>
{
}

/// A [`Real`] that can be compared, by value, with its like and with `f64`: add this bound to branch on numbers.
///
/// Carriers that record keep each comparison as a decision; carriers without a value, such as symbolic terms, are
/// not `Decide`, so a branch on them does not compile.
///
/// ```
/// use catadiff::prelude::*;
/// fn huber<R: Decide>(x: R) -> R { if x.abs() < 1.0 { x * x / 2.0 } else { x.abs() - 0.5 } }
/// assert_eq!((diff(|x| huber(x), 0.25)?, diff(|x| huber(x), -3.0)?), (0.25, -1.0));
/// # Ok::<(), catadiff::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be branched on",
    note = "`f64` and the carriers with a value are `Decide`; where there is no value, use `select` and `ge_indicator`"
)]
pub trait Decide: Real + PartialOrd + PartialOrd<f64> {}

impl<T: Real + PartialOrd + PartialOrd<f64>> Decide for T {}

/// What is done for a row of the table, whichever it is.
pub(crate) trait Visitor {
    type Output;
    fn visit<R: Rule<N>, const N: usize>(self, rule: R) -> Self::Output;
}

/// The application of a row to arguments.
pub(crate) struct Apply<'x, C>(pub(crate) &'x [C]);

impl<C: Elementary> Visitor for Apply<'_, C> {
    type Output = C;
    // Not always inlined: without optimisation, one function of all rows would have room on the stack for what each computes with.
    #[inline]
    fn visit<R: Rule<N>, const N: usize>(self, rule: R) -> C {
        let x: &[C; N] = self.0.try_into().expect("a node has as many arguments as its row");
        C::apply(&rule, x.clone())
    }
}

/// Work on numbers of any type that the library itself compiles for `f64`, so that those who use it need not.
#[doc(hidden)]
pub trait Work {
    /// What comes of it.
    type Output;
    /// Does it.
    fn on<S: Scalar>(self, numbers: &mut [S]) -> Self::Output;
    /// Does it by code that is compiled already.
    fn on_doubles(self, numbers: &mut [f64]) -> Self::Output;
}

/// The machine's floating-point numbers, in which the values of the rows are written.
pub(super) trait Machine: num_traits::Float {
    fn wide(self) -> f64;
    fn narrow(wide: f64) -> Self;

    fn half(self) -> Self {
        Self::narrow(to_half(self.wide()))
    }
    fn single(self) -> Self {
        Self::narrow(f64::from(self.wide() as f32))
    }
    fn erf(self) -> Self {
        Self::narrow(special::erf(self.wide()))
    }
    fn erfc(self) -> Self {
        Self::narrow(special::erfc(self.wide()))
    }
    fn lgamma(self) -> Self {
        Self::narrow(special::lgamma(self.wide()))
    }
    fn digamma(self) -> Self {
        Self::narrow(special::digamma(self.wide()))
    }
    // The standard library's inverse hyperbolic functions lose digits near their ends, and overflow.
    fn inverse_sinh(self) -> Self {
        Self::narrow(libm::asinh(self.wide()))
    }
    fn inverse_cosh(self) -> Self {
        // libm returns numbers for arguments below 1.
        if self < Self::one() { Self::nan() } else { Self::narrow(libm::acosh(self.wide())) }
    }
    fn inverse_tanh(self) -> Self {
        Self::narrow(libm::atanh(self.wide()))
    }
    fn polygamma(self, order: u32) -> Self {
        Self::narrow(special::polygamma(order, self.wide()))
    }
}

macro_rules! machine_numbers {
    ($($float:ident by $value:ident $({$perform:item})?;)+) => {$(
        impl Machine for $float {
            #[inline(always)]
            fn wide(self) -> f64 { self as f64 }
            #[inline(always)]
            fn narrow(wide: f64) -> Self { wide as $float }
        }

        impl Elementary for $float {
            const IS_PLAIN: bool = true;
            #[inline(always)]
            fn constant(value: f64) -> Self { value as $float }
            #[inline(always)]
            fn primal(&self) -> Option<f64> { Some(*self as f64) }
            #[inline(always)]
            fn apply<R: Rule<N>, const N: usize>(rule: &R, x: [Self; N]) -> Self { rule.$value(x) }
            $(#[inline] $perform)?
        }
    )+};
}

machine_numbers! {
    f32 by value_f32;
    f64 by value {
        fn perform<W: Work>(work: W, numbers: &mut [f64]) -> W::Output { work.on_doubles(numbers) }
    };
}
