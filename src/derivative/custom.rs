//! Functions known by their value and pullback alone, as parts of a differentiated function.
//!
//! Law: a pullback applied to the unit weights is the Jacobian row by row, and a chain of tangents with these partials
//! is the derivative in *any* module; so one pullback serves forward, vector forward and reverse mode ("Automatic
//! Differentiation", section *ChainRules*). A function of one or a few numbers whose partials can be written
//! generically is better a [`Rule`](crate::primitives::Rule): that one also has every higher derivative
//! (tests/scalar/rules.rs).

use num_traits::{One, Zero};

use crate::algebra::{Module, Semiring};
use crate::carriers::Dual;
use crate::error::{Error, Result};

/// A value with the tangent of one differentiation: [`Dual<S, M>`](Dual) over the base `S`, whatever the module, or a
/// machine number, whose tangent is zero.
///
/// Take this bound, besides [`Real`](crate::Real), to call [`custom_grad`], [`custom_vjp`] or [`solve`](super::solve)
/// in a function that is generic in its number: `fn f<R: Real + WithTangent<Base = f64>>(x: &[R]) -> R`.
///
/// The strategies that record the function as a term, such as [`Symbolic`](super::Symbolic), have numbers without
/// values of their own, so these three do not compile there; a [`Rule`](crate::primitives::Rule) does.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no number with a tangent",
    note = "`f32`, `f64` and every `Dual<S, M>` are, so the numbers of `Forward`, `VectorForward` and `Reverse`",
    note = "a strategy that records the function as a term needs a `Rule`, with partials in every carrier"
)]
pub trait WithTangent: Clone {
    /// The numbers that are differentiated at, one differentiation down.
    type Base;

    /// The value, without its tangent.
    fn base(&self) -> Self::Base;

    /// The number with this value whose tangent is the sum of the terms' tangents, each times its coefficient.
    fn linear<'a>(value: Self::Base, terms: impl IntoIterator<Item = (&'a Self, Self::Base)>) -> Self
    where
        Self: 'a;
}

impl<S: Semiring, M: Module<S>> WithTangent for Dual<S, M> {
    type Base = S;

    #[inline]
    fn base(&self) -> S {
        self.value.clone()
    }

    #[inline]
    fn linear<'a>(value: S, terms: impl IntoIterator<Item = (&'a Self, S)>) -> Self
    where
        Self: 'a,
    {
        let scaled = terms.into_iter().map(|(term, by)| term.tangent.clone().scale(&by));
        Dual { value, tangent: scaled.reduce(M::plus).unwrap_or_else(M::zero_tangent) }
    }
}

macro_rules! machine_numbers {
    ($($float:ident)+) => {$(
        impl WithTangent for $float {
            type Base = $float;

            #[inline]
            fn base(&self) -> $float {
                *self
            }

            #[inline]
            fn linear<'a>(value: $float, _: impl IntoIterator<Item = (&'a $float, $float)>) -> $float {
                value
            }
        }
    )+};
}

machine_numbers!(f32 f64);

/// Applies a function that is known by its value and gradient on plain numbers, such as one of a library, in any
/// mode of differentiation.
///
/// `rule` gets the plain values of `x`, and returns the value there and the partial derivatives. It must depend on
/// `x` alone: what it captures, it takes as constant.
///
/// # Errors
/// [`Error::Length`] if `rule` does not return one partial per number of `x`.
///
/// # Second derivatives
/// Over a nested base, as in [`hessian`](super::hessian), the "plain" values are the numbers of the outer
/// differentiation. A `rule` that is generic in its number computes its gradient in them, so second derivatives are
/// exact; a `rule` on `f64` does not fit, and the program does not compile. It is never differentiated as a constant.
///
/// ```
/// use catadiff::derivative::custom_grad;
/// use catadiff::prelude::*;
///
/// fn norm(x: &[f64]) -> (f64, Vec<f64>) { // from elsewhere: the Euclidean norm, and its gradient
///     let norm = x.iter().map(|x| x * x).sum::<f64>().sqrt();
///     (norm, x.iter().map(|x| x / norm).collect())
/// }
///
/// let x = [3.0, 4.0];
/// assert_eq!(grad(|x| custom_grad(norm, x).unwrap() * 2.0, &x)?, [1.2, 1.6]);
/// assert_eq!(jvp(|x| vec![custom_grad(norm, x).unwrap()], &x, &[1.0, 0.0])?.1, [0.6]);
/// # Ok::<(), catadiff::Error>(())
/// ```
///
/// and the Hessian of the same rule is refused by the compiler, since it knows no second derivative:
///
/// ```compile_fail,E0271
/// # use catadiff::derivative::custom_grad;
/// # use catadiff::prelude::*;
/// # fn norm(x: &[f64]) -> (f64, Vec<f64>) {
/// #     let norm = x.iter().map(|x| x * x).sum::<f64>().sqrt();
/// #     (norm, x.iter().map(|x| x / norm).collect())
/// # }
/// let hessian = hessian(|x| custom_grad(norm, x).unwrap(), &[3.0, 4.0]);
/// ```
pub fn custom_grad<N, F>(rule: F, x: &[N]) -> Result<N>
where
    N: WithTangent,
    F: FnOnce(&[N::Base]) -> (N::Base, Vec<N::Base>),
{
    let at: Vec<_> = x.iter().map(N::base).collect();
    let (value, partials) = rule(&at);
    chain(value, x, partials)
}

/// Applies a function of several results that is known by its values and pullback on plain numbers, in any mode of
/// differentiation.
///
/// `rule` gets the plain values of `x`, and returns the results there and the pullback `w ↦ w·J`, which may keep
/// what the results have computed. The pullback is called once per result, in every mode.
///
/// # Errors
/// [`Error::Length`] if the pullback does not return one partial per number of `x`.
///
/// What [`custom_grad`] says of second derivatives holds here too.
///
/// ```
/// use catadiff::derivative::custom_vjp;
/// use catadiff::prelude::*;
///
/// // The polar coordinates (r, φ) of a point, with their Jacobian-transpose product.
/// let polar = |p: &[f64]| {
///     let (x, y) = (p[0], p[1]);
///     let r = x.hypot(y);
///     (vec![r, y.atan2(x)], move |w: &[f64]| vec![w[0] * x / r - w[1] * y / (r * r), w[0] * y / r + w[1] * x / (r * r)])
/// };
/// let j = [[0.6, 0.8], [-0.16, 0.12]];
/// assert_eq!(jacrev(|p| custom_vjp(polar, p).unwrap(), &[3.0, 4.0])?, j);
/// assert_eq!(jacfwd(|p| custom_vjp(polar, p).unwrap(), &[3.0, 4.0])?, j);
/// # Ok::<(), catadiff::Error>(())
/// ```
pub fn custom_vjp<N, F, P>(rule: F, x: &[N]) -> Result<Vec<N>>
where
    N: WithTangent<Base: Semiring>,
    F: FnOnce(&[N::Base]) -> (Vec<N::Base>, P),
    P: Fn(&[N::Base]) -> Vec<N::Base>,
{
    let at: Vec<_> = x.iter().map(N::base).collect();
    let (values, pullback) = rule(&at);
    let mut weights = vec![N::Base::zero(); values.len()];
    let one = |(row, value)| {
        weights[row] = N::Base::one();
        let partials = pullback(&weights);
        weights[row] = N::Base::zero();
        chain(value, x, partials)
    };
    values.into_iter().enumerate().map(one).collect()
}

fn chain<N: WithTangent>(value: N::Base, x: &[N], partials: Vec<N::Base>) -> Result<N> {
    Error::lengths("the list of partials of a custom rule", x.len(), partials.len())?;
    Ok(N::linear(value, x.iter().zip(partials)))
}
