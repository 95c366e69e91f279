//! Recordings: a function run once, to be replayed at other points and in other carriers.
//!
//! Law: a replay computes what the function would compute, or returns [`Error::BranchChanged`]: every comparison that
//! the function made is checked, and must come out as it did ("Automatic Differentiation", *Graph-based AD*, without
//! its trap) (laws: recordings::replays, laws: recordings::refuses).

use std::fmt;
use std::sync::{Arc, Mutex};

use super::recorded_code::RecordedCode;
use super::replay::{Backward, Carefully, Forward, Workspace, taken};
use super::strategy::{Base, Strategy, check_finite, check_point};
use crate::carriers::{Dual, Input, Recorded};
use crate::error::{Error, Result};
use crate::primitives::{Elementary, Scalar};
use crate::term::{Arena, Code, Constant, Term};

/// A recorded function: straight-line code, and the decisions under which it is the function. It holds no reference to the
/// function, and threads can share it.
///
/// ```
/// use catadiff::prelude::*;
/// let program = record(|x| vec![if x[0] > 0.0 { x[0].sqrt() } else { -x[0] }], &[4.0])?;
/// assert_eq!(program.run(&[9.0])?, [3.0]);
/// assert_eq!(program.grad::<Reverse>(&[9.0])?, [1.0 / 6.0]);
/// let refused = program.run(&[-9.0]).unwrap_err();
/// assert!(refused.to_string().contains("`x0 > 0: true`"));
/// # Ok::<(), catadiff::Error>(())
/// ```
///
/// # What a replay costs
///
/// The function is not run again, and no tape is written: a gradient by [`Reverse`](super::Reverse) is one pass over the code for the
/// values and one back for the adjoints. The memory of a replay is kept for the next one, by the recording, or by the caller
/// in a [`Workspace`]: then replays after the first allocate nothing.
///
/// ```
/// use catadiff::derivative::Workspace;
/// use catadiff::prelude::*;
/// let program = record(|x| vec![(x[0] - 3.0).powi(2) + x[0] * x[1] * x[1]], &[0.0, 1.0])?;
/// let (mut workspace, mut x, mut gradient) = (Workspace::new(), [0.0, 1.0], [0.0; 2]);
/// for _ in 0..200 {
///     program.value_and_grad_into(&mut workspace, &x, &mut gradient)?;
///     x.iter_mut().zip(&gradient).for_each(|(x, d)| *x -= 0.1 * d);
/// }
/// assert!((x[0] - 3.0).abs() < 1e-9 && x[1].abs() < 1e-9);
/// # Ok::<(), catadiff::Error>(())
/// ```
pub struct Recording<S = f64> {
    pub(super) recorded: RecordedCode<S>,
    code: Arc<Code>,
    /// Memory that no replay uses now.
    idle: Mutex<Vec<Workspace<S>>>,
}

/// Runs a function once at `x`, and keeps its operations and its decisions.
///
/// # Errors
/// [`Error::Empty`] without variables or results, [`Error::NotFinite`] at a point with NaN or ∞.
pub fn record<S: Base, F>(f: F, x: &[S]) -> Result<Recording<S>>
where
    F: for<'b> Fn(&'b [Recorded<'b, S>]) -> Vec<Recorded<'b, S>>,
{
    RecordedCode::new(f, x).map(Recording::new)
}

/// Its sizes: a recording can be long.
impl<S> fmt::Debug for Recording<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recording")
            .field("inputs", &self.recorded.inputs)
            .field("outputs", &self.recorded.outputs)
            .field("decisions", &self.recorded.decisions.len())
            .field("operations", &self.code.operations())
            .finish_non_exhaustive()
    }
}

impl<S: Base> Recording<S> {
    pub(super) fn new(recorded: RecordedCode<S>) -> Self {
        let code = Arc::new(Code::new(&recorded.straight, recorded.inputs, recorded.outputs));
        Recording { recorded, code, idle: Mutex::default() }
    }

    /// The number of variables.
    #[must_use]
    pub fn inputs(&self) -> usize {
        self.recorded.inputs
    }

    /// The number of results.
    #[must_use]
    pub fn outputs(&self) -> usize {
        self.recorded.outputs
    }

    /// The number of comparisons that were made.
    #[must_use]
    pub fn decisions(&self) -> usize {
        self.recorded.decisions.len()
    }

    /// The number of operations that a replay performs.
    #[must_use]
    pub fn operations(&self) -> usize {
        self.code.operations()
    }

    /// The results as terms of an arena, valid wherever the decisions come out as they did.
    ///
    /// ```
    /// use catadiff::prelude::*;
    /// use catadiff::term::Arena;
    /// let program = record(|x| vec![x[0] * x[1] + x[0].sin()], &[1.0, 2.0])?;
    /// let arena = Arena::exact();
    /// assert_eq!(program.terms(&arena)[0].to_string(), "x0 * x1 + sin(x0)");
    /// # Ok::<(), catadiff::Error>(())
    /// ```
    #[must_use]
    pub fn terms<'a>(&self, arena: &'a Arena<Input>) -> Vec<Term<'a, Input>> {
        self.recorded.terms(arena)
    }

    /// The results at `x` in any carrier over the base, into which `lift` takes the base's numbers.
    ///
    /// ```
    /// use catadiff::carriers::Interval;
    /// use catadiff::prelude::*;
    /// let program = record(|x| vec![x[0] * x[0] + x[1]], &[3.0, 1.0])?;
    /// let bounds = program.run_in(&[Interval::new(1.0, 2.0), Interval::new(0.0, 1.0)], Interval::point)?;
    /// assert_eq!((bounds[0].lo, bounds[0].hi), (1.0, 5.0));
    /// # Ok::<(), catadiff::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Length`] if `x` has not one number per variable, [`Error::BranchChanged`] if a decision comes out
    /// otherwise, or cannot be taken in this carrier.
    pub fn run_in<C: Elementary + PartialOrd>(&self, x: &[C], lift: impl Fn(S) -> C) -> Result<Vec<C>> {
        self.recorded.run_in(x, lift)
    }

    /// The results at `x`.
    ///
    /// # Errors
    /// As for [`run_in`](Recording::run_in).
    pub fn run(&self, x: &[S]) -> Result<Vec<S>> {
        let mut results = vec![S::zero(); self.outputs()];
        self.with_idle(|workspace| self.run_into(workspace, x, &mut results))?;
        Ok(results)
    }

    /// The results at `x`, into `results`.
    ///
    /// # Errors
    /// As for [`run_in`](Recording::run_in), and [`Error::Length`] if `results` has not one place per result.
    pub fn run_into(&self, workspace: &mut Workspace<S>, x: &[S], results: &mut [S]) -> Result<()> {
        Error::lengths("the point", self.inputs(), x.len())?;
        Error::lengths("the list of results", self.outputs(), results.len())?;
        workspace.on_numbers(self, |numbers| {
            self.forward(numbers, x)?;
            self.read(numbers, results);
            Ok(())
        })
    }

    /// The gradient of the first result at `x`, by a strategy.
    ///
    /// # Errors
    /// As for [`run_in`](Recording::run_in), and as for [`Strategy::value_and_grad`].
    pub fn grad<A: Strategy<S>>(&self, x: &[S]) -> Result<Vec<S>> {
        Ok(A::replay(self, x)?.1)
    }

    /// The value of the first result at `x`; its gradient, by [`Reverse`](super::Reverse), goes into `gradient`.
    ///
    /// # Errors
    /// As for [`grad`](Recording::grad), and [`Error::Length`] if `gradient` is not as long as `x`.
    pub fn value_and_grad_into(&self, workspace: &mut Workspace<S>, x: &[S], gradient: &mut [S]) -> Result<S> {
        self.check(x)?;
        Error::lengths("the gradient", x.len(), gradient.len())?;
        // Not from the closure's return value, whose copy would wait for the value to be written.
        let mut value = S::zero();
        workspace.on_numbers(self, |numbers| {
            value = self.differentiate(numbers, x, gradient)?;
            Ok(())
        })?;
        Ok(value)
    }

    /// The value of the first result, and its gradient, in any numbers.
    pub(super) fn differentiate<C: Base>(&self, numbers: &mut [C], x: &[C], gradient: &mut [C]) -> Result<C> {
        self.forward(numbers, x)?;
        self.backward(numbers, &[(0, C::one())], gradient)?;
        Ok(self.result(numbers, 0))
    }

    /// The Jacobian of the results at `x`, by a strategy.
    ///
    /// # Errors
    /// As for [`grad`](Recording::grad).
    pub fn jacobian<A: Strategy<S>>(&self, x: &[S]) -> Result<Vec<Vec<S>>> {
        A::replay_jacobian(self, x)
    }

    /// The results at `x`, and their derivatives in the direction `v`: the product `J·v`.
    ///
    /// ```
    /// use catadiff::prelude::*;
    /// let program = record(|x| vec![x[0] * x[1], x[1].exp()], &[1.0, 1.0])?;
    /// assert_eq!(program.jvp(&[3.0, 0.0], &[1.0, 2.0])?, (vec![0.0, 1.0], vec![6.0, 2.0]));
    /// # Ok::<(), catadiff::Error>(())
    /// ```
    ///
    /// # Errors
    /// As for [`run_in`](Recording::run_in), [`Error::Length`] if `v` is not as long as `x`, [`Error::NotFinite`] if either
    /// holds NaN or ∞.
    pub fn jvp(&self, x: &[S], v: &[S]) -> Result<(Vec<S>, Vec<S>)> {
        let line = self.along(x, v)?;
        self.with_idle(|workspace| {
            workspace.on_duals(self, |numbers| {
                self.forward(numbers, &line)?;
                let result = |at| self.result(numbers, at);
                Ok((0..self.outputs()).map(result).map(|y: Dual<S>| (y.value, y.tangent)).unzip())
            })
        })
    }

    /// The gradient of the first result at `x`, and the product of its Hessian with `v`: forward over reverse mode.
    ///
    /// ```
    /// use catadiff::prelude::*;
    /// let program = record(|x| vec![x[0] * x[0] * x[1]], &[1.0, 1.0])?;
    /// assert_eq!(program.hvp(&[3.0, 4.0], &[1.0, 0.0])?, (vec![24.0, 9.0], vec![8.0, 6.0]));
    /// # Ok::<(), catadiff::Error>(())
    /// ```
    ///
    /// # Errors
    /// As for [`jvp`](Recording::jvp).
    pub fn hvp(&self, x: &[S], v: &[S]) -> Result<(Vec<S>, Vec<S>)> {
        let line = self.along(x, v)?;
        let mut gradient = line.clone();
        self.with_idle(|workspace| {
            workspace.on_duals(self, |numbers| self.differentiate(numbers, &line, &mut gradient))
        })?;
        Ok(gradient.iter().map(|g| (g.value, g.tangent)).unzip())
    }

    /// The results at `x`, and the sums of the rows of the Jacobian with each of several lists of weights.
    pub(super) fn pull(&self, x: &[S], weights: &[Vec<(usize, S)>]) -> Result<(Vec<S>, Vec<Vec<S>>)> {
        self.check(x)?;
        let mut results = vec![S::zero(); self.outputs()];
        let sums = self.with_idle(|workspace| {
            workspace.on_numbers(self, |numbers| {
                self.forward(numbers, x)?;
                self.read(numbers, &mut results);
                let mut sums = vec![x.to_vec(); weights.len()];
                let mut rows = weights.iter().zip(&mut sums);
                rows.try_for_each(|(weights, sum)| self.backward(numbers, weights, sum))?;
                Ok(sums)
            })
        })?;
        Ok((results, sums))
    }

    /// Memory for values in numbers into which `lift` takes the base's, with the constants in their places.
    pub(super) fn values<C: Scalar>(&self, lift: impl Fn(S) -> C) -> Vec<C> {
        let mut values = vec![C::zero(); self.code.room()];
        self.fill(&mut values, lift);
        values
    }

    /// The line through `x` in the direction `v`.
    fn along(&self, x: &[S], v: &[S]) -> Result<Vec<Dual<S>>> {
        self.check(x)?;
        Error::lengths("the direction", x.len(), v.len())?;
        check_finite("the direction", v)?;
        Ok(x.iter().zip(v).map(|(x, v)| Dual { value: *x, tangent: *v }).collect())
    }

    /// Checks a point before it is differentiated at.
    pub(super) fn check(&self, x: &[S]) -> Result<()> {
        Error::lengths("the point", self.inputs(), x.len())?;
        check_point("the point", x)
    }

    /// Lends memory that no other replay uses.
    pub(super) fn with_idle<T>(&self, replay: impl FnOnce(&mut Workspace<S>) -> T) -> T {
        let idle = || self.idle.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let mut workspace = idle().pop().unwrap_or_default();
        let result = replay(&mut workspace);
        idle().push(workspace);
        result
    }

    /// The code that is replayed.
    pub(super) fn code(&self) -> &Arc<Code> {
        &self.code
    }

    /// Memory for replays in numbers into which `lift` takes the base's: values, and then adjoints.
    pub(super) fn numbers<C: Scalar>(&self, mut numbers: Vec<C>, lift: impl Fn(S) -> C) -> Vec<C> {
        let room = self.code.room();
        if numbers.capacity() < 2 * room {
            // Memory that the system has cleared is not touched here.
            numbers = vec![C::zero(); 2 * room];
        } else {
            numbers.clear();
            numbers.resize(2 * room, C::zero());
        }
        self.fill(&mut numbers, lift);
        numbers
    }

    /// Writes the constants, and the registers that hold nothing else.
    fn fill<C: Scalar>(&self, numbers: &mut [C], lift: impl Fn(S) -> C) {
        for (number, constant) in numbers[self.code.inputs..].iter_mut().zip(&self.code.constants) {
            *number = match constant {
                Constant::Literal(literal) => crate::term::literal(*literal),
                Constant::Outside(at) => lift(self.recorded.lifted[*at]),
            };
        }
        for (register, slot) in self.code.filled() {
            let constant = numbers[slot];
            numbers[register].fill(constant);
        }
    }

    /// The values at `x`, if every decision comes out as it did.
    pub(super) fn forward<C: Scalar + PartialOrd>(&self, numbers: &mut [C], x: &[C]) -> Result<()> {
        Error::lengths("the point", self.inputs(), x.len())?;
        let values = &mut numbers[..self.code.room()];
        values[..x.len()].copy_from_slice(x);
        C::perform(Forward(&self.code), values);
        let sides = self.code.roots[self.outputs()..].chunks_exact(2);
        let value = |(slot, _): (u32, bool)| &values[slot as usize];
        self.recorded.decide_again(sides.map(|sides| [value(sides[0]), value(sides[1])]))
    }

    /// A result after [`forward`](Recording::forward).
    pub(super) fn result<C: Scalar>(&self, numbers: &[C], at: usize) -> C {
        numbers[self.code.roots[at].0 as usize]
    }

    fn read<C: Scalar>(&self, numbers: &[C], results: &mut [C]) {
        results.iter_mut().enumerate().for_each(|(at, result)| *result = self.result(numbers, at));
    }

    /// The sum of the rows of the Jacobian with these weights, after [`forward`](Recording::forward).
    fn backward<C: Scalar>(&self, numbers: &mut [C], weights: &[(usize, C)], gradient: &mut [C]) -> Result<()> {
        let mut pull = |carefully: bool| {
            for (at, weight) in weights {
                let (slot, active) = self.code.roots[*at];
                if active {
                    let adjoint = &mut numbers[self.code.room() + slot as usize];
                    *adjoint = *adjoint + *weight;
                }
            }
            if carefully {
                C::perform(Carefully(&self.code), numbers)?;
            } else {
                C::perform(Backward(&self.code), numbers);
            }
            // Of a number with derivatives all parts must be finite, and only the difference to itself sees them all.
            // One sum instead of a branch for each, so that all are checked together.
            let mut finite = true;
            for (number, adjoint) in gradient.iter_mut().zip(&mut numbers[self.code.room()..]) {
                let adjoint = taken(adjoint);
                *number = adjoint;
                finite &= (*number - adjoint).is_zero();
            }
            Ok(finite)
        };
        if !pull(false)? {
            pull(true)?;
        }
        Ok(())
    }

    /// The results in numbers into which `lift` takes the base's, decisions not looked at.
    pub(super) fn results_in<C: Scalar>(&self, x: &[C], lift: impl Fn(S) -> C) -> Vec<C> {
        let mut values = self.values(lift);
        values[..x.len()].copy_from_slice(x);
        C::perform(Forward(&self.code), &mut values);
        (0..self.outputs()).map(|at| self.result(&values, at)).collect()
    }
}
