//! Initial value problems of ordinary differential equations, by steps of Dormand and Prince.
//!
//! The method is of order five with an error estimate of order four ("A family of embedded Runge-Kutta formulae", Dormand and Prince 1980, table 2),
//! and the first step is that of Hairer, Nørsett and Wanner ("Solving Ordinary Differential Equations I", II.4). How long steps are is constant to
//! derivatives, which are therefore those of the steps that were made: the discrete adjoint, which
//! [checkpoints](crate::array::Policy) as loops do.
//!
//! Law: at each time the state is the solution's within what the tolerances say of the error of each step; the derivative is that of what was
//! computed (tests/transform/solvers.rs).

use crate::array::trace::{
    Arr, As, F64, Here, I64, agree, if_, loop_for_with, loop_while_with, replicate, stop_gradient,
};
use crate::array::{Agreement, Policy};
use crate::primitives::Elementary;

/// How an initial value problem is solved.
#[derive(Debug, Clone)]
pub struct OdeOptions {
    /// The error of a step relative to the state.
    pub relative: f64,
    /// The error of a step where the state is small.
    pub absolute: f64,
    /// The most steps, and attempts at steps, between two times.
    pub steps: i64,
    /// What reverse mode keeps of the steps between two times.
    pub policy: Policy,
}

impl Default for OdeOptions {
    fn default() -> Self {
        OdeOptions { relative: 1.4e-8, absolute: 1.4e-8, steps: 100_000, policy: Policy::default() }
    }
}

/// When each stage is, as a part of the step.
const TIMES: [f64; 6] = [1.0 / 5.0, 3.0 / 10.0, 4.0 / 5.0, 8.0 / 9.0, 1.0, 1.0];
/// What each stage takes of those before it. The last has the new state.
const STAGES: [&[f64]; 6] = [
    &[1.0 / 5.0],
    &[3.0 / 40.0, 9.0 / 40.0],
    &[44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0],
    &[19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0],
    &[9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0],
    &[35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0],
];
/// The difference of the two states of order five and four.
const ERROR: [f64; 7] =
    [71.0 / 57600.0, 0.0, -71.0 / 16695.0, 71.0 / 1920.0, -17253.0 / 339_200.0, 22.0 / 525.0, -1.0 / 40.0];

type Vector = Arr<F64>;

/// The states at these times of what is `y0` at the first of them and has the derivative `f(y, t)`, where each step keeps the tolerances
/// of the [defaults](OdeOptions).
///
/// ```
/// use catadiff::Elementary;
/// use catadiff::array::{Program, trace::{Arr, F64}};
/// use catadiff::solvers::odeint;
/// // A pendulum, and how its angle at the end depends on the length of its thread.
/// let swing = Program::trace_named(&["length", "start", "times"], |length: F64, start: Arr<F64>, times: Arr<F64>| {
///     odeint(|y, _| [y.index(1), -y.index(0).sin() * 9.81 / length], start, times)
/// })?;
/// let (times, start) = ([0.0, 0.5, 1.0], [0.1, 0.0]);
/// let states: Vec<[f64; 2]> = swing.at((1.0, start, times))?;
/// assert!((states[2][0] - 0.1 * f64::cos(9.81_f64.sqrt())).abs() < 1e-4); // nearly harmonic
/// let by_length: Vec<[f64; 2]> = swing.jacobian("length")?.at((1.0, start, times))?;
/// assert!((by_length[2][0] - 0.05 * 9.81_f64.sqrt() * f64::sin(9.81_f64.sqrt())).abs() < 1e-3);
/// # Ok::<(), catadiff::Error>(())
/// ```
///
/// Times increase or stay; they, the state at first, and handles that `f` captures have derivatives. Where the steps that are allowed do not suffice
/// the run is [`Error::LoopBound`](crate::Error::LoopBound); where the derivative or a time is NaN, or a solution grows beyond all numbers before the
/// time, it is [`Error::Sizes`](crate::Error::Sizes) as soon as no step is short enough.
///
/// The derivative is that of the steps, which reverse mode keeps, as `OdeOptions::policy` says. [`odeint_adjoint`](super::odeint_adjoint) keeps none.
#[track_caller]
pub fn odeint<Y: As<Vector>>(f: impl Fn(Vector, F64) -> Y, y0: impl As<Vector>, times: impl As<Vector>) -> Arr<Vector> {
    odeint_with(&OdeOptions::default(), f, y0, times)
}

/// [`odeint`] with these tolerances, limits and checkpoints.
#[track_caller]
pub fn odeint_with<Y: As<Vector>>(
    options: &OdeOptions,
    f: impl Fn(Vector, F64) -> Y,
    y0: impl As<Vector>,
    times: impl As<Vector>,
) -> Arr<Vector> {
    let _here = Here::new();
    let (y0, times) = (y0.handle(), times.handle());
    let f = |y: Vector, t: F64| f(y, t).handle();
    let solver = Solver { options, f: &f };
    let n = times.len();
    let begin = if_(n.gt(0), || times.index(0), || F64::from(0.0));
    let slope = f(y0, begin);
    let step = solver.first_step(y0, begin, slope);
    let states = replicate(n, y0);
    let next = |k: I64, (states, at): (Arr<Vector>, At)| {
        let end = times.index(k);
        let (y, slope, t, step) = solver.up_to(end, at);
        // It is the time, but not to derivatives, if there was no step to it.
        let there = y + slope * (end - t);
        (states.with(k, there), (y, slope, t, step))
    };
    loop_for_with(options.policy, n, (states, (y0, slope, begin, step)), next).0
}

struct Solver<'s, F> {
    options: &'s OdeOptions,
    f: &'s F,
}

/// A state, its derivative, the time, and how long the next step is to be.
type At = (Vector, Vector, F64, F64);

impl<F: Fn(Vector, F64) -> Vector> Solver<'_, F> {
    /// How large a difference is where errors of one are allowed.
    #[track_caller]
    fn size(&self, x: Vector, at: Vector) -> F64 {
        let OdeOptions { relative, absolute, .. } = *self.options;
        let squares = x.map2(at, |x, y| {
            let x = x / (y.abs() * relative + absolute);
            x * x
        });
        (squares.sum() / squares.len().max(1).to_f64()).sqrt()
    }

    /// How long the first step is to be.
    #[track_caller]
    fn first_step(&self, y: Vector, t: F64, slope: Vector) -> F64 {
        let (y, t, slope) = stop_gradient((y, t, slope));
        let (of_state, of_slope) = (self.size(y, y), self.size(slope, y));
        let small = of_state.lt(1e-5) | of_slope.lt(1e-5);
        let step = if_(small, || 1e-6, || of_state / of_slope * 0.01);
        let next = (self.f)(y + slope * step, t + step);
        let bend = self.size(next - slope, y) / step;
        let most = of_slope.max(bend);
        let longest = if_(most.le(1e-15), || (step * 1e-3).max(1e-6), || (0.01 / most).powf(0.2));
        stop_gradient((step * 100.0).min(longest))
    }

    /// What is found after a step of this length, and the error relative to what is allowed.
    #[track_caller]
    fn attempt(&self, (y, slope, t): (Vector, Vector, F64), step: F64) -> (Vector, Vector, F64) {
        let mut slopes = vec![slope];
        let sum = |slopes: &[Vector], by: &[f64]| {
            let parts = slopes.iter().zip(by).filter(|(_, by)| **by != 0.0).map(|(slope, by)| *slope * *by);
            parts.reduce(|a, b| a + b).expect("a stage takes something of those before it")
        };
        let mut next = y;
        for (time, stage) in TIMES.into_iter().zip(STAGES) {
            next = y + sum(&slopes, stage) * step;
            slopes.push((self.f)(next, t + step * time));
        }
        let error = self.size(sum(&slopes, &ERROR) * step, y.map2(next, |a, b| a.abs().max(b.abs())));
        (next, slopes[6], stop_gradient(error))
    }

    /// Steps up to a time.
    #[track_caller]
    fn up_to(&self, end: F64, at: At) -> At {
        // Where a step is NaN, or so short that it goes nowhere, there is none that is longer.
        let is_on = |(_, _, t, step): At| t.lt(end) & (t + step).gt(t);
        let reached = loop_while_with(self.options.policy, self.options.steps, at, is_on, |(y, slope, t, step)| {
            let rest = end - t;
            let is_last = rest.le(step);
            // The end of the last step depends on the time at which it ends, and nothing on how long other steps are.
            let length = if_(is_last, || rest, || step);
            let (next, next_slope, error) = self.attempt((y, slope, t), length);
            // NaN is no error that is small enough.
            let accepted = error.le(1.0);
            let factor = if_(error.eq(0.0), || 10.0, || (error.powf(-0.2) * 0.9).min(10.0));
            let factor = if_(accepted, || factor.max(1.0), || if_(error.eq(error), || factor.max(0.2), || 0.2));
            let next_step = stop_gradient(length) * factor;
            // A last step that was short says nothing against longer ones.
            let next_step = if_(accepted & is_last, || next_step.max(step), || next_step);
            let after = if_(is_last, || end, || t + length);
            if_(accepted, || (next, next_slope, after, next_step), || (y, slope, t, next_step))
        });
        agree(Agreement::Reached, I64::from(1), reached.2.ge(end).to_i64());
        reached
    }
}
