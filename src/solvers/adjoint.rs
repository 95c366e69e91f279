//! The continuous adjoint of differential equations: the derivative by solving another equation, back in time.
//!
//! With `a(t)` the adjoint of the state at `t`, `ȧ = −(∂f/∂y)ᵀ a`, to which at each time that was asked for the adjoint of that state is added, and the
//! adjoint of parameters is the integral of `(∂f/∂p)ᵀ a` ("Neural ordinary differential equations", Chen, Rubanova, Bettencourt and Duvenaud 2018,
//! appendix C). The state is integrated back beside it, from each state that the solution has, so no steps are kept.
//!
//! Law: derivatives are those of the solution within the tolerances, and the memory that they take does not depend on the number of steps
//! (tests/transform/solvers.rs).

use super::ode::{OdeOptions, odeint_with};
use super::roots::with_equations;
use crate::array::trace::{
    Arr, As, F64, Handle, Here, I64, Id, Whole, as_row, custom_with_result, handle, ids, if_, inline, literal,
    loop_for_with, mistake, row_as, traced, types,
};
use crate::array::{Policy, Prim, Program, Type};
use crate::error::{Mistake, Result};

type Vector = Arr<F64>;

/// [`odeint`](super::odeint) with the continuous adjoint: reverse mode solves another equation, back in time, and keeps none of the steps.
///
/// `f` is of its arguments alone, the parameters among them; what it captures has no derivatives. Real parameters are of `f64`.
///
/// | | [`odeint`](super::odeint) | `odeint_adjoint` |
/// |---|---|---|
/// | its gradient is | that of what was computed, to the last digits | that of the solution, within the tolerances |
/// | reverse mode keeps | the states of all steps, or what the policy says | the states at the times |
/// | its derivatives by | all that `f` captures | the parameters |
/// | forward mode, and higher orders | as for any program | go through the steps of the equation back in time |
///
/// ```
/// use catadiff::array::{Program, trace::{Arr, F64}};
/// use catadiff::solvers::odeint_adjoint;
/// // What is left after decay, e^(−pt), and how it depends on the rate.
/// let left = Program::trace(|p: F64, times: Arr<F64>| {
///     odeint_adjoint(p, |p, y: Arr<F64>, _| y * -p, [1.0], times).last().index(0)
/// })?;
/// let by_p: f64 = left.grad(0)?.at((0.5, [0.0, 2.0]))?;
/// assert!((by_p + 2.0 * f64::exp(-1.0)).abs() < 1e-6);
/// # Ok::<(), catadiff::Error>(())
/// ```
#[track_caller]
pub fn odeint_adjoint<P: Handle, Y: As<Vector>>(
    parameters: P,
    f: impl Fn(P, Vector, F64) -> Y,
    y0: impl As<Vector>,
    times: impl As<Vector>,
) -> Arr<Vector> {
    odeint_adjoint_with(&OdeOptions::default(), parameters, f, y0, times)
}

/// [`odeint_adjoint`] with these tolerances and limits, which hold for the equation back in time, too.
#[track_caller]
pub fn odeint_adjoint_with<P: Handle, Y: As<Vector>>(
    options: &OdeOptions,
    parameters: P,
    f: impl Fn(P, Vector, F64) -> Y,
    y0: impl As<Vector>,
    times: impl As<Vector>,
) -> Arr<Vector> {
    let _here = Here::new();
    let given = (parameters, y0.handle(), times.handle());
    with_equations(Equation::of(&f), |equation| {
        let solve = |(p, y0, times): (P, Vector, Vector)| {
            odeint_with(options, |y, t| equation.slope.call::<Vector>((p, y, t)), y0, times)
        };
        custom_with_result(given, solve, |(p, y0, times), states, adjoints| {
            equation.pulled(options, (p, y0, times), states, adjoints)
        })
    })
}

/// The equation as a program of the parameters, the state and the time; and its adjoint by the real parameters and the state.
struct Equation {
    slope: Program,
    adjoint: Program,
    /// The positions of the real parameters.
    real: Vec<usize>,
}

impl Equation {
    #[track_caller]
    fn of<P: Handle, Y: As<Vector>>(f: &impl Fn(P, Vector, F64) -> Y) -> Result<Self> {
        let names = ["p", "y", "t"];
        let slope = traced(&names, &[], |Whole(p): Whole<P>, y: Vector, t: F64| Whole(f(p, y, t).handle()))?;
        let of_parameters = types::<P>();
        let real: Vec<usize> = (0..of_parameters.len()).filter(|k| of_parameters[*k].prim.is_real()).collect();
        if let Some(k) = real.iter().find(|k| of_parameters[**k].prim != Prim::F64) {
            let of = of_parameters[*k];
            let reason =
                format!("a parameter of a differential equation is of type {of}: convert it to f64 around the call");
            mistake(|at| Mistake::IllTyped { reason, at });
        }
        let by = [&real[..], &[of_parameters.len()]].concat();
        let adjoint = slope.vjp_wrt(by)?;
        Ok(Equation { slope, adjoint, real })
    }

    /// The adjoints of parameters, first state and times, of those of the states.
    #[track_caller]
    fn pulled<P: Handle>(
        &self,
        options: &OdeOptions,
        (p, y0, times): (P, Vector, Vector),
        states: Arr<Vector>,
        adjoints: Arr<Vector>,
    ) -> (P, Vector, Vector) {
        let (n, m) = (times.len(), y0.len());
        let slope = |k: I64| self.slope.call::<Vector>((p, states.index(k), times.index(k)));
        let last = if_(n.gt(0), || adjoints.index(n - 1), || y0.zeros_like());
        let start = (last, self.row(p).map(|_| F64::from(0.0)), times.zeros_like());
        let steps = if_(n.gt(0), || n - 1, || 0);
        let back = |j: I64, (a, of_p, of_times): (Vector, Vector, Vector)| {
            let k = n - 1 - j;
            let of_times = of_times.with(k, slope(k).dot(adjoints.index(k)));
            // Time runs backwards: what is solved is of its negative.
            let all = states.index(k).concat(a).concat(of_p);
            let negative = [-times.index(k), -times.index(k - 1)];
            let dynamics = |all: Vector, t: F64| self.backwards(p, m, all, -t);
            let before = odeint_with(options, dynamics, all, negative).index(1);
            (before.slice(m, m * 2) + adjoints.index(k - 1), before.drop(m * 2), of_times)
        };
        let (of_y0, of_p, of_times) = loop_for_with(Policy::default(), steps, start, back);
        // All states but the first move with the time at which it is.
        let first = |of_times: Vector| of_times.with(0, -slope(0.into()).dot(of_y0 - adjoints.index(0)));
        let of_times = if_(n.gt(0), || first(of_times), || of_times);
        (self.as_parameters(p, of_p), of_y0, of_times)
    }

    /// How the state, its adjoint and that of the parameters change, in negative time.
    #[track_caller]
    fn backwards<P: Handle>(&self, p: P, m: I64, all: Vector, t: F64) -> Vector {
        let (y, a) = (all.take(m), all.slice(m, m * 2));
        let arguments = [ids(p), ids(y), ids(t), ids(a)].concat();
        let of_parameters = types::<P>();
        let vector = types::<Vector>()[0];
        let mut results = vec![vector];
        results.extend(self.real.iter().map(|k| of_parameters[*k]));
        results.push(vector);
        let Some(mut found) = inline(&self.adjoint, &arguments, &results) else { return handle(None) };
        let of_y: Vector = handle(found.pop().map(|id| vec![id]));
        let slope: Vector = handle(Some(vec![found[0]]));
        let of_p = found[1..].iter().zip(&results[1..]).map(|(id, of)| row(*id, *of));
        of_p.fold((-slope).concat(of_y), Arr::concat)
    }

    /// The real parameters' elements, in a row.
    #[track_caller]
    fn row<P: Handle>(&self, p: P) -> Vector {
        let (all, of) = (ids(p), types::<P>());
        self.real.iter().map(|k| row(all[*k], of[*k])).reduce(Arr::concat).unwrap_or_else(|| literal([0.0; 0]))
    }

    /// Parameters that have these elements; integers, which have none, stand for themselves.
    #[track_caller]
    fn as_parameters<P: Handle>(&self, p: P, elements: Vector) -> P {
        let (mut all, of) = (ids(p), types::<P>());
        let mut rest = elements;
        for k in &self.real {
            let count = row(all[*k], of[*k]).len();
            let part = ids(rest.take(count))[0];
            rest = rest.drop(count);
            all[*k] = row_as(part, all[*k], of[*k]);
        }
        handle(Some(all))
    }
}

#[track_caller]
fn row(id: Id, of: Type) -> Vector {
    handle(Some(vec![as_row(id, of)]))
}
