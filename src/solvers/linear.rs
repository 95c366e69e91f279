//! Linear equations by whatever solves them, without a matrix, with the derivatives of the solution.
//!
//! For `A(p) x = b` the adjoint of `b` is `λ = A⁻ᵀ x̄`, and that of `p` is `−(∂(A(p) x)/∂p)ᵀ λ` (Giles 2008, 2.3.1; Griewank and Walther 2008,
//! chapter 15): a system with the transposed map, which is the derivative of the map and is never formed.
//!
//! Law: the solution is that of a dense matrix, and so are derivatives in both modes; what is not solved within its steps is an error of
//! the run (tests/transform/solvers_linear.rs).

use super::roots::{by_parameters, pulled, with_equations};
use crate::array::trace::{
    Arr, As, F64, Handle, Here, I64, Nested, Whole, agree, custom_with_result, if_, loop_while_with, traced, types,
};
use crate::array::{Agreement, Policy, Program};
use crate::error::Result;

/// How often the rule is the rule of its own pullback too: reverse mode takes one, forward mode two, the pullback and its transpose.
/// Derivatives of higher order are those of what solves.
const ORDERS: usize = 6;

/// Numbers in any arrangement, that have a scalar product.
pub trait Vector: Nested<Leaf = F64> {
    /// The sum of the products of the numbers at the same places.
    #[must_use]
    #[track_caller]
    fn inner(self, other: Self) -> F64;
}

impl Vector for F64 {
    #[track_caller]
    fn inner(self, other: F64) -> F64 {
        self * other
    }
}

impl<T: Vector> Vector for Arr<T> {
    #[track_caller]
    fn inner(self, other: Self) -> F64 {
        let _here = Here::new();
        self.map2(other, |x, y| x.inner(y)).sum()
    }
}

/// A linear map from vectors to such: `A x` of `x`.
pub type Map<'m, X> = &'m dyn Fn(X) -> X;

/// A map as a program of the parameters and a vector, and the adjoint of the parameters through it.
struct Linear {
    map: Program,
    by_parameters: Option<Program>,
}

/// A map and its transpose.
#[track_caller]
fn both<P: Handle, X: Vector, Y: As<X>>(matvec: &impl Fn(P, X) -> Y) -> Result<[Linear; 2]> {
    let map = traced(&["p", "x"], &[], |Whole(p): Whole<P>, Whole(x): Whole<X>| Whole(matvec(p, x).handle()))?;
    let adjoint = map.vjp_wrt(types::<P>().len())?.only(&[1])?;
    // The derivative of a linear map is the same everywhere.
    let transposed =
        traced(&["p", "x"], &[], |Whole(p): Whole<P>, Whole(x): Whole<X>| Whole(adjoint.call::<X>((p, x, x))))?;
    let linear = |map: Program| Ok(Linear { by_parameters: by_parameters::<P>(&map)?, map });
    Ok([linear(map)?, linear(transposed)?])
}

/// The solution `x` of `A(p) x = b` that `solve` finds, with the derivative of the solution, in both modes; as `custom_linear_solve` of JAX.
///
/// `matvec` is `A(p) x` of the parameters and a vector, linear in that, and of its arguments alone; the result has the sizes of the vector.
/// `solve` and `transposed_solve` are given the parameters, a map and the right side: the map is `A x`, or `Aᵀ x`, of which they find where
/// it is the right side; what they capture is a constant to derivatives. Where the matrix is symmetric both are the same. The rule holds in
/// derivatives up to the third order in any mix of modes, and up to the sixth in reverse mode; those beyond go through what solves.
///
/// ```
/// use catadiff::array::{Program, trace::{Arr, F64, I64, loop_for}};
/// use catadiff::solvers::custom_linear_solve;
/// // Heat that is kept in a rod: −x″ + p x = b, by Jacobi's iteration.
/// let rod = Program::trace(|p: F64, b: Arr<F64>| {
///     let apply = |p: F64, x: Arr<F64>| {
///         let (n, zero) = (x.len(), catadiff::array::trace::literal([0.0]));
///         x * (p + 2.0) - zero.concat(x.take(n - 1)) - x.drop(1).concat(zero)
///     };
///     let jacobi = |p: F64, a: &dyn Fn(Arr<F64>) -> Arr<F64>, b: Arr<F64>| {
///         loop_for(200, b.zeros_like(), |_: I64, x| x + (b - a(x)) / (p + 2.0))
///     };
///     custom_linear_solve(p, b, apply, jacobi, jacobi).sum()
/// })?;
/// // Of one element, and of two: b / (p + 2), and (b₀ + b₁) / (p + 1).
/// let by_p: f64 = rod.grad(0)?.at((2.0, [1.0]))?;
/// assert!((by_p + 1.0 / 16.0).abs() < 1e-14);
/// let (by_p, by_b): (f64, Vec<f64>) = rod.grad(..)?.at((2.0, [1.0, 2.0]))?;
/// assert!((by_p + 1.0 / 3.0).abs() < 1e-14 && by_b.iter().all(|x| (x - 1.0 / 3.0).abs() < 1e-14));
/// # Ok::<(), catadiff::Error>(())
/// ```
#[track_caller]
pub fn custom_linear_solve<P: Handle, X: Vector, Y: As<X>>(
    parameters: P,
    b: impl As<X>,
    matvec: impl Fn(P, X) -> Y,
    solve: impl Fn(P, Map<'_, X>, X) -> X,
    transposed_solve: impl Fn(P, Map<'_, X>, X) -> X,
) -> X {
    let _here = Here::new();
    let b = b.handle();
    with_equations(both(&matvec), |maps| solved(ORDERS, false, maps, [&solve, &transposed_solve], (parameters, b)))
}

/// What solves a system.
type Solve<'s, P, X> = &'s dyn Fn(P, Map<'_, X>, X) -> X;

/// The solution by the map or its transpose, with rules for this many orders of derivatives.
#[track_caller]
fn solved<P: Handle, X: Vector>(
    orders: usize,
    transposed: bool,
    maps: &[Linear; 2],
    solve: [Solve<'_, P, X>; 2],
    (p, b): (P, X),
) -> X {
    let Linear { map, by_parameters } = &maps[usize::from(transposed)];
    let found = |p: P, b: X| solve[usize::from(transposed)](p, &|x| map.call((p, x)), b);
    let Some(orders) = orders.checked_sub(1) else { return found(p, b) };
    custom_with_result(
        (p, b),
        |(p, b)| found(p, b),
        |(p, _), x, adjoint| {
            let of_b = solved(orders, !transposed, maps, solve, (p, adjoint));
            (pulled(by_parameters.as_ref(), p, x, of_b.each(&|x| -x)), of_b)
        },
    )
}

/// When a method that goes from one approximation to the next ends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct KrylovOptions {
    /// How long the residual may be, relative to the right side.
    pub relative: f64,
    /// How long the residual may be.
    pub absolute: f64,
    /// The most steps: more are an [`Error::LoopBound`](crate::Error::LoopBound) of the run.
    pub steps: i64,
}

impl Default for KrylovOptions {
    fn default() -> Self {
        KrylovOptions { relative: 1e-12, absolute: 0.0, steps: 10_000 }
    }
}

impl KrylovOptions {
    /// The square of the length at which a residual is short.
    #[track_caller]
    fn short(&self, b: F64) -> F64 {
        b * (self.relative * self.relative) + self.absolute * self.absolute
    }

    /// Where `a` is `b`, by conjugate gradients, for an `a` that is symmetric and positive definite: the steps themselves, without a derivative
    /// of their own, for [`custom_linear_solve`].
    #[track_caller]
    pub fn cg<X: Vector>(&self, a: impl Fn(X) -> X, b: X) -> X {
        let _here = Here::new();
        let short = self.short(b.inner(b));
        let start = (b.each(&|_| F64::from(0.0)), b, b, b.inner(b));
        let is_on = |(_, _, _, square): (X, X, X, F64)| square.gt(short);
        let (x, _, _, square) = loop_while_with(Policy::default(), self.steps, start, is_on, |(x, r, p, square)| {
            let image = a(p);
            let length = square / p.inner(image);
            let x = moved(x, p, length);
            let r = moved(r, image, -length);
            let next = r.inner(r);
            (x, r, moved(r, p, next / square), next)
        });
        solved_for(square);
        x
    }

    /// Where `a` is `b`, by stabilised biconjugate gradients, for any regular `a`: as [`cg`](KrylovOptions::cg).
    #[track_caller]
    pub fn bicgstab<X: Vector>(&self, a: impl Fn(X) -> X, b: X) -> X {
        let _here = Here::new();
        let short = self.short(b.inner(b));
        let start = (b.each(&|_| F64::from(0.0)), b, b, b.inner(b), b.inner(b));
        let is_on = |(_, _, _, _, square): (X, X, X, F64, F64)| square.gt(short);
        let found = loop_while_with(Policy::default(), self.steps, start, is_on, |(x, r, p, rho, _)| {
            let image = a(p);
            let alpha = rho / b.inner(image);
            let half = moved(r, image, -alpha);
            let of_half = a(half);
            let (both, square) = (of_half.inner(half), of_half.inner(of_half));
            // Where the half step was the whole one there is nothing to divide.
            let omega = if_(square.eq(0.0), || F64::from(0.0), || both / square);
            let x = moved(moved(x, p, alpha), half, omega);
            let r = moved(half, of_half, -omega);
            let (next, square) = (b.inner(r), r.inner(r));
            let beta = if_(square.le(short), || F64::from(0.0), || next / rho * (alpha / omega));
            (x, r, moved(r, moved(p, image, -omega), beta), next, square)
        });
        solved_for(found.4);
        found.0
    }
}

/// `x + s y`.
#[track_caller]
fn moved<X: Vector>(x: X, y: X, s: F64) -> X {
    x.each2(y, &|x, y| x + s * y)
}

/// NaN is no residual that is short.
#[track_caller]
fn solved_for(square: F64) {
    agree(Agreement::Finite, I64::from(1), square.eq(square).to_i64());
}

/// The solution `x` of `A(p) x = b` for a symmetric and positive definite `A(p)`, by conjugate gradients ("Methods of conjugate gradients for
/// solving linear systems", Hestenes and Stiefel 1952, section 3), with the derivative of the solution, as for [`custom_linear_solve`].
///
/// ```
/// use catadiff::array::{Program, trace::{Arr, F64}};
/// use catadiff::solvers::cg;
/// // Ridge regression without a matrix of squares: (XᵀX + p) w = Xᵀ y.
/// let fit = Program::trace(|xs: Arr<Arr<F64>>, y: Arr<F64>, p: F64| {
///     cg((xs, p), xs.transpose().matvec(y), |(xs, p), w: Arr<F64>| xs.transpose().matvec(xs.matvec(w)) + w * p)
/// })?;
/// let at = (vec![[1.0, 0.0], [0.0, 2.0]], [1.0, 1.0], 1.0);
/// let w: Vec<f64> = fit.at(at.clone())?;
/// assert!((w[0] - 0.5).abs() < 1e-14 && (w[1] - 0.4).abs() < 1e-14);
/// let by_p: Vec<f64> = fit.jacobian(2)?.at(at)?;
/// assert!((by_p[0] + 0.25).abs() < 1e-13 && (by_p[1] + 0.08).abs() < 1e-13);
/// # Ok::<(), catadiff::Error>(())
/// ```
///
/// Where the residual is not short after the [steps](KrylovOptions::steps) that are allowed the run is
/// [`Error::LoopBound`](crate::Error::LoopBound); where it is NaN, as of a matrix that is not definite, [`Error::Sizes`](crate::Error::Sizes).
#[track_caller]
pub fn cg<P: Handle, X: Vector, Y: As<X>>(parameters: P, b: impl As<X>, matvec: impl Fn(P, X) -> Y) -> X {
    cg_with(&KrylovOptions::default(), parameters, b, matvec)
}

/// [`cg`] with these tolerances and steps.
#[track_caller]
pub fn cg_with<P: Handle, X: Vector, Y: As<X>>(
    options: &KrylovOptions,
    parameters: P,
    b: impl As<X>,
    matvec: impl Fn(P, X) -> Y,
) -> X {
    let solve = |_: P, a: Map<'_, X>, b: X| options.cg(a, b);
    custom_linear_solve(parameters, b, matvec, solve, solve)
}

/// The solution `x` of `A(p) x = b` for any regular `A(p)`, by stabilised biconjugate gradients ("Bi-CGSTAB", van der Vorst 1992), with the
/// derivative of the solution, as for [`custom_linear_solve`]. Errors are those of [`cg`]; there are regular matrices for which the method
/// breaks down.
///
/// ```
/// use catadiff::array::{Program, trace::{Arr, F64}};
/// use catadiff::solvers::bicgstab;
/// let solve = Program::trace(|a: Arr<Arr<F64>>, b: Arr<F64>| bicgstab(a, b, |a, x: Arr<F64>| a.matvec(x)))?;
/// let x: Vec<f64> = solve.at((vec![[2.0, 1.0], [-1.0, 3.0]], [4.0, 5.0]))?;
/// assert!((x[0] - 1.0).abs() < 1e-12 && (x[1] - 2.0).abs() < 1e-12);
/// # Ok::<(), catadiff::Error>(())
/// ```
#[track_caller]
pub fn bicgstab<P: Handle, X: Vector, Y: As<X>>(parameters: P, b: impl As<X>, matvec: impl Fn(P, X) -> Y) -> X {
    bicgstab_with(&KrylovOptions::default(), parameters, b, matvec)
}

/// [`bicgstab`] with these tolerances and steps.
#[track_caller]
pub fn bicgstab_with<P: Handle, X: Vector, Y: As<X>>(
    options: &KrylovOptions,
    parameters: P,
    b: impl As<X>,
    matvec: impl Fn(P, X) -> Y,
) -> X {
    let solve = |_: P, a: Map<'_, X>, b: X| options.bicgstab(a, b);
    custom_linear_solve(parameters, b, matvec, solve, solve)
}
