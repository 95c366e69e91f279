//! Gradient descent as `particle` and `saddle` prescribe it, and gradients by either mode inside programs.
//!
//! Law: the step doubles after ten successes and halves after a failure, until the gradient or the step is small. It
//! must not be improved: what the benchmark measures is derivatives of loops that contain derivatives (Pearlmutter and
//! Siskind, "Using Programming Language Theory to Make Automatic Differentiation Sound and Efficient").

use catadiff::array::Program;
use catadiff::array::trace::{Arr, Bool, F64, I64, if_, iota, loop_while};
use catadiff::{Elementary, Result};

/// A mode of differentiation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    Forward,
    Reverse,
}

/// The modes of the outer and the inner derivative.
pub(crate) const FF: [Mode; 2] = [Mode::Forward, Mode::Forward];
pub(crate) const FR: [Mode; 2] = [Mode::Forward, Mode::Reverse];
pub(crate) const RF: [Mode; 2] = [Mode::Reverse, Mode::Forward];
pub(crate) const RR: [Mode; 2] = [Mode::Reverse, Mode::Reverse];

/// A function of a vector, with a parameter vector, and its gradient by the first.
pub(crate) struct Differentiable {
    function: Program,
    derivative: Program,
    mode: Mode,
}

type Vector = Arr<F64>;

impl Differentiable {
    pub(crate) fn new(mode: Mode, function: impl FnOnce(Vector, Vector) -> F64) -> Result<Self> {
        let function = Program::trace(function)?;
        let derivative = match mode {
            Mode::Forward => function.jvp()?,
            Mode::Reverse => function.vjp()?,
        };
        Ok(Differentiable { function, derivative, mode })
    }

    pub(crate) fn value(&self, x: Vector, parameters: Vector) -> F64 {
        self.function.call((x, parameters))
    }

    pub(crate) fn gradient(&self, x: Vector, parameters: Vector) -> Vector {
        match self.mode {
            Mode::Forward => iota(x.len()).map(|i| {
                let direction = x.zeros_like().with(i, 1.0);
                let (_, slope): (F64, F64) = self.derivative.call((x, parameters, direction, parameters.zeros_like()));
                slope
            }),
            Mode::Reverse => {
                let (_, gradient, _): (F64, Vector, Vector) = self.derivative.call((x, parameters, 1.0));
                gradient
            }
        }
    }

    /// Where the function is least, as far as descent from `start` finds it.
    pub(crate) fn argmin(&self, start: Vector, parameters: Vector) -> Vector {
        let value = |x| self.value(x, parameters);
        let gradient = |x| self.gradient(x, parameters);
        let state = (start, value(start), gradient(start), 1e-5, 0, false);
        let going = |(_, _, slope, _, _, stopped): (_, _, _, F64, I64, Bool)| norm(slope).gt(1e-5) & !stopped;
        let (x, ..) = loop_while(state, going, |(x, fx, slope, step, successes, _)| {
            let next = x - slope * step;
            if_(
                successes.eq(10),
                || (x, fx, slope, step * 2.0, 0, false),
                || {
                    if_(
                        norm(x - next).le(1e-5),
                        || (x, fx, slope, step, successes, true),
                        || {
                            let at = value(next);
                            if_(
                                at.lt(fx),
                                || (next, at, gradient(next), step, successes + 1, false),
                                || (x, fx, slope, step / 2.0, 0, false),
                            )
                        },
                    )
                },
            )
        });
        x
    }
}

/// The length of a vector.
pub(crate) fn norm(x: Vector) -> F64 {
    x.dot(x).sqrt()
}
