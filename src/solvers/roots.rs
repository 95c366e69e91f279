//! Roots and fixed points, by whatever finds them, with the derivatives of the implicit function theorem.
//!
//! Where `r(p, x) = 0` defines `x` by `p`, the adjoint `x̄` is that of `p` by `p̄ = −(∂r/∂p)ᵀ λ`, where `(∂r/∂x)ᵀ λ = x̄` ("Evaluating Derivatives",
//! Griewank and Walther 2008, chapter 15). What was done to find `x` has no part in it. The rule is in terms of `x` itself, so it is right to
//! every order.
//!
//! Law: derivatives are those of the solution as a function of its parameters (tests/transform/solvers.rs).

use crate::array::trace::{
    Arr, As, F64, Handle, Here, I64, Nested, Whole, adjoint_by, agree, custom_with_result, handle, ids, if_,
    loop_while_with, mistake, real_parts, traced, types,
};
use crate::array::{Agreement, Policy, Program};
use crate::error::{Mistake, Result};
use crate::primitives::Elementary;

/// What equations are solved for: a number, or a vector of numbers with as many equations.
pub trait Unknown: Nested<Leaf = F64> {
    /// The derivative of the equations by the unknowns.
    type Jacobian: Handle;

    /// `J⁻¹ x`.
    #[must_use]
    #[track_caller]
    fn divided_by(self, jacobian: Self::Jacobian) -> Self;

    /// `J⁻ᵀ x`.
    #[must_use]
    #[track_caller]
    fn divided_by_transposed(self, jacobian: Self::Jacobian) -> Self;

    /// How many numbers there are.
    #[must_use]
    #[track_caller]
    fn count(self) -> I64;

    /// How many numbers are less than those of another, in absolute value.
    #[must_use]
    #[track_caller]
    fn count_within(self, most: Self) -> I64;
}

impl Unknown for F64 {
    type Jacobian = F64;

    fn divided_by(self, jacobian: F64) -> F64 {
        self / jacobian
    }
    fn divided_by_transposed(self, jacobian: F64) -> F64 {
        self / jacobian
    }
    fn count(self) -> I64 {
        I64::from(1)
    }
    fn count_within(self, most: F64) -> I64 {
        if_(self.abs().lt(most), || 1, || 0)
    }
}

impl Unknown for Arr<F64> {
    type Jacobian = Arr<Arr<F64>>;

    fn divided_by(self, jacobian: Self::Jacobian) -> Self {
        jacobian.solve(self)
    }
    fn divided_by_transposed(self, jacobian: Self::Jacobian) -> Self {
        jacobian.transpose().solve(self)
    }
    fn count(self) -> I64 {
        self.len()
    }
    fn count_within(self, most: Self) -> I64 {
        self.map2(most, |x, most| if_(x.abs().lt(most), || 1, || 0)).sum()
    }
}

/// Equations as a program of the parameters and the unknowns, and its Jacobian by these.
struct Equations {
    values: Program,
    jacobian: Program,
}

impl Equations {
    #[track_caller]
    fn of<P: Handle, X: Unknown, Y: As<X>>(f: &impl Fn(P, X) -> Y) -> Result<Self> {
        let values = traced(&["p", "x"], &[], |Whole(p): Whole<P>, Whole(x): Whole<X>| Whole(f(p, x).handle()))?;
        let jacobian = values.jacobian([types::<P>().len()])?;
        Ok(Equations { values, jacobian })
    }

    /// The adjoint of the parameters of which unknowns with this adjoint are the root.
    #[track_caller]
    fn pulled<P: Handle, X: Unknown>(&self, p: P, x: X, adjoint: X) -> Result<P> {
        if types::<P>().iter().all(|of| !of.prim.is_real()) {
            return Ok(p);
        }
        let jacobian: X::Jacobian = self.jacobian.call((p, x));
        let by_parameters = by_parameters::<P>(&self.values)?;
        Ok(pulled(by_parameters.as_ref(), p, x, adjoint.divided_by_transposed(jacobian).each(&|x| -x)))
    }
}

/// The adjoint of real parameters through a program of parameters and of `x`, if there are any.
pub(super) fn by_parameters<P: Handle>(values: &Program) -> Result<Option<Program>> {
    let real = real_parts::<P>();
    if real.is_empty() { Ok(None) } else { values.vjp_wrt(real).map(Some) }
}

/// The adjoint of parameters [through a program](by_parameters) whose values have this adjoint.
#[track_caller]
pub(super) fn pulled<P: Handle, X: Nested>(by_parameters: Option<&Program>, p: P, x: X, adjoint: X) -> P {
    let Some(program) = by_parameters else { return p };
    adjoint_by(program, &[ids(p), ids(x), ids(adjoint)].concat(), &types::<X>(), p)
}

/// The root `x` of `f(p, x) = 0` that `solve` finds for parameters `p`, with the derivative of the implicit function theorem.
///
/// `f` is of its arguments alone, and has as many values as there are unknowns; `solve` may do whatever finds the root. Where the
/// Jacobian of `f` by the unknowns is singular, the derivative is an error of the run, or of one unknown not finite.
///
/// ```
/// use catadiff::array::{Program, trace::{F64, loop_for}};
/// use catadiff::solvers::custom_root;
/// // The cube root, by bisection, which has no derivative of its own.
/// let root = Program::trace(|a: F64| {
///     let halve = |a: F64| loop_for(60, (0.0, a + 1.0), move |_, (low, high)| {
///         let mid = (low + high) * 0.5;
///         let below = (mid * mid * mid).lt(a);
///         catadiff::array::trace::if_(below, || (mid, high), || (low, mid))
///     }).0;
///     custom_root(a, halve, |a, x: F64| x * x * x - a)
/// })?;
/// let slope: f64 = root.grad(..)?.at(8.0)?;
/// let bend: f64 = root.grad(..)?.grad(..)?.at(8.0)?;
/// assert!((slope - 1.0 / 12.0).abs() < 1e-14 && (bend + 1.0 / 144.0).abs() < 1e-14);
/// # Ok::<(), catadiff::Error>(())
/// ```
#[track_caller]
pub fn custom_root<P: Handle, X: Unknown, S: As<X>, Y: As<X>>(
    parameters: P,
    solve: impl FnOnce(P) -> S,
    f: impl Fn(P, X) -> Y,
) -> X {
    let _here = Here::new();
    with_equations(Equations::of(&f), |equations| rooted(parameters, |p| solve(p).handle(), equations))
}

/// Where `x = f(p, x)`, found by `solve` for parameters `p`, with the derivative of the implicit function theorem, as for [`custom_root`].
///
/// ```
/// use catadiff::array::{Program, trace::{F64, loop_for}};
/// use catadiff::solvers::custom_fixed_point;
/// // The square root, by the iteration of Heron, to which the start has no part.
/// let root = Program::trace(|a: F64| {
///     let heron = |a: F64, x: F64| (x + a / x) * 0.5;
///     custom_fixed_point(a, |a| loop_for(30, a + 1.0, |_, x| heron(a, x)), heron)
/// })?;
/// let (value, slope): (f64, f64) = root.value_and_grad(..)?.at(4.0)?;
/// assert_eq!((value, slope), (2.0, 0.25));
/// # Ok::<(), catadiff::Error>(())
/// ```
#[track_caller]
pub fn custom_fixed_point<P: Handle, X: Unknown, S: As<X>, Y: As<X>>(
    parameters: P,
    solve: impl FnOnce(P) -> S,
    f: impl Fn(P, X) -> Y,
) -> X {
    custom_root(parameters, solve, |p, x: X| moved(f(p, x).handle(), x))
}

/// How far an iteration has gone.
#[track_caller]
fn moved<X: Unknown>(after: X, before: X) -> X {
    after.each2(before, &|after, before| after - before)
}

/// The same, of equations that are programs.
#[track_caller]
fn rooted<P: Handle, X: Unknown>(parameters: P, solve: impl FnOnce(P) -> X, equations: &Equations) -> X {
    custom_with_result(parameters, solve, |p, x, adjoint| {
        with_equations(equations.pulled(p, x, adjoint), |adjoints| *adjoints)
    })
}

/// What is made of something that could be traced; a mistake of the trace, if it could not.
#[track_caller]
pub(super) fn with_equations<E, R: Handle>(equations: Result<E>, make: impl FnOnce(&E) -> R) -> R {
    match equations {
        Ok(equations) => make(&equations),
        Err(error) => {
            mistake(|at| Mistake::IllTyped { reason: format!("of the equations that are solved: {error}"), at });
            handle(None)
        }
    }
}

/// As many steps are made at most; those that get nearer to a root need few.
const MOST_STEPS: i64 = 10_000;

/// Steps that are no longer than this, relative to 1 and the unknown, are the last.
const NEAR: f64 = 1e-12;

/// Steps until they are short: a loop that passes its bound, which is an error of the run, if they do not get so, and an error at once if they
/// leave the numbers.
#[track_caller]
fn settled<X: Unknown>(start: X, step: impl FnOnce(X) -> X) -> X {
    // What is not finite does not become so again.
    let is_on = |(x, settled, finite): (X, I64, I64)| settled.lt(x.count()) & finite.eq(x.count());
    let next = |(x, _, _): (X, I64, I64)| {
        let after = step(x);
        let (step, near) = (moved(after, x), after.each(&|x| (x.abs() + 1.0) * NEAR));
        (after, step.count_within(near), step.count_within(after.each(&|_| F64::from(f64::INFINITY))))
    };
    let (found, _, finite) = loop_while_with(Policy::default(), MOST_STEPS, (start, -1, start.count()), is_on, next);
    agree(Agreement::Finite, found.count(), finite);
    found
}

/// The root of `f(p, x) = 0` that Newton's method finds from a start, as for [`custom_root`].
///
/// The start is constant to derivatives. Where the method does not settle, the run is [`Error::LoopBound`](crate::Error::LoopBound); where it
/// comes to what is not finite, [`Error::Sizes`](crate::Error::Sizes), at once.
///
/// ```
/// use catadiff::array::{Program, trace::F64};
/// use catadiff::solvers::newton;
/// // A circle of radius `r` and the line `x = y`, which meet at `r / √2`.
/// let meet = Program::trace(|r: F64| {
///     newton(r, [1.0, 0.5], |r, xy| {
///         let (x, y) = (xy.index(0), xy.index(1));
///         [x * x + y * y - r * r, x - y]
///     })
/// })?;
/// let by_r: Vec<f64> = meet.jacobian(..)?.at(3.0)?;
/// assert!(by_r.iter().all(|slope| (slope - 0.5_f64.sqrt()).abs() < 1e-14));
/// # Ok::<(), catadiff::Error>(())
/// ```
#[track_caller]
pub fn newton<P: Handle, X: Unknown, Y: As<X>>(parameters: P, start: impl As<X>, f: impl Fn(P, X) -> Y) -> X {
    let _here = Here::new();
    let start = start.handle();
    with_equations(Equations::of(&f), |equations| {
        let solve = |p| {
            settled(start, |x| {
                let value: X = equations.values.call((p, x));
                x.each2(value.divided_by(equations.jacobian.call((p, x))), &|x, step| x - step)
            })
        };
        rooted(parameters, solve, equations)
    })
}

/// Where the iteration `x = f(p, x)` ends that begins at a start, with the derivative of the implicit function theorem, as for
/// [`custom_root`].
///
/// The start is constant to derivatives. Where the iteration does not settle, the run is [`Error::LoopBound`](crate::Error::LoopBound); where it
/// comes to what is not finite, [`Error::Sizes`](crate::Error::Sizes), at once.
///
/// ```
/// use catadiff::Elementary;
/// use catadiff::array::{Program, trace::F64};
/// use catadiff::solvers::fixed_point;
/// // Kepler's equation, `x = m + e sin x`.
/// let anomaly = Program::trace(|m: F64, e: F64| fixed_point((m, e), m, |(m, e), x: F64| m + e * x.sin()))?;
/// let x: f64 = anomaly.at((1.0, 0.3))?;
/// let (by_m, by_e): (f64, f64) = anomaly.grad(..)?.at((1.0, 0.3))?;
/// assert!((x - 0.3 * x.sin() - 1.0).abs() < 1e-12);
/// assert!((by_m - 1.0 / (1.0 - 0.3 * x.cos())).abs() < 1e-11);
/// assert!((by_e - x.sin() / (1.0 - 0.3 * x.cos())).abs() < 1e-11);
/// # Ok::<(), catadiff::Error>(())
/// ```
#[track_caller]
pub fn fixed_point<P: Handle, X: Unknown, Y: As<X>>(parameters: P, start: impl As<X>, f: impl Fn(P, X) -> Y) -> X {
    let _here = Here::new();
    let start = start.handle();
    let difference = |p: P, x: X| moved(f(p, x).handle(), x);
    with_equations(Equations::of(&difference), |equations| {
        let step = |p: P, x: X| {
            let difference: X = equations.values.call((p, x));
            x.each2(difference, &|x, difference| x + difference)
        };
        rooted(parameters, |p| settled(start, |x| step(p, x)), equations)
    })
}

/// The root of `f(p, x) = 0` between two numbers at which `f` has opposite signs, to the last digits, as for [`custom_root`].
///
/// The two numbers are constant to derivatives. Where the signs are the same, the run is an error that says so.
///
/// ```
/// use catadiff::Elementary;
/// use catadiff::array::{Program, trace::F64};
/// use catadiff::solvers::bisect;
/// let root = Program::trace(|a: F64| bisect(a, (0.0, 4.0), |a, x| x.exp() - a))?;
/// let (value, slope): (f64, f64) = root.value_and_grad(..)?.at(10.0)?;
/// assert!((value - 10_f64.ln()).abs() < 1e-15 && (slope - 0.1).abs() < 1e-15);
/// assert!(root.at::<f64>(100.0).is_err()); // ln 100 is not between 0 and 4
/// # Ok::<(), catadiff::Error>(())
/// ```
#[track_caller]
pub fn bisect<P: Handle, Y: As<F64>>(
    parameters: P,
    (low, high): (impl As<F64>, impl As<F64>),
    f: impl Fn(P, F64) -> Y,
) -> F64 {
    let _here = Here::new();
    let ends = (low.handle(), high.handle());
    with_equations(Equations::of::<P, F64, Y>(&f), |equations| {
        let solve = |p: P| {
            let sign = |x: F64, other: i64| {
                let value: F64 = equations.values.call((p, x));
                if_(value.lt(0.0), || -1, || if_(value.gt(0.0), || 1, || if_(value.eq(0.0), || 0, || other)))
            };
            let signs = (sign(ends.0, 2), sign(ends.1, 3));
            // A root at an end is a root.
            let changes = signs.0.eq(0) | signs.1.eq(0) | signs.0.eq(-signs.1);
            agree(Agreement::Bracketed, I64::from(1), changes.to_i64());
            let (low, high) = (if_(signs.1.eq(0), || ends.1, || ends.0), if_(signs.0.eq(0), || ends.0, || ends.1));
            let is_on = |(low, high): (F64, F64)| {
                let mid = (low + high) * 0.5;
                mid.ne(low) & mid.ne(high) & low.ne(high)
            };
            let next = |(low, high): (F64, F64)| {
                let mid = (low + high) * 0.5;
                let there = sign(mid, 0);
                if_(there.eq(0), || (mid, mid), || if_(there.eq(signs.0), || (mid, high), || (low, mid)))
            };
            loop_while_with(Policy::default(), MOST_STEPS, (low, high), is_on, next).0
        };
        rooted(parameters, solve, equations)
    })
}
