//! Reverse mode: the function is recorded on a tape while it runs, and the tape is read backwards.
//!
//! Law: a gradient costs a constant number of operations per operation of the function, however many variables there
//! are ("Forwards and in reverse", *Step 3*; "Automatic Differentiation", *Reverse mode*) (tests/scalar/count.rs).

use super::recording::Recording;
use super::strategy::{Base, Numbers, Strategy, check_finite, check_point, check_results};
use crate::carriers::{Adjoint, Dual, Output, Record, Tape};
use crate::error::{Error, Result};

/// Reverse mode on a [`Tape`]: for gradients, and for Jacobians with fewer rows than columns.
#[derive(Debug, Clone, Copy)]
pub struct Reverse;

/// The number of reverse mode: a value, and a place on a tape.
pub type ReverseVar<'b, S> = Dual<S, Adjoint<'b, S>>;

/// The variables of a recording.
fn variables<'b, S: Base>(tape: &'b Tape<S>, x: &[S]) -> impl ExactSizeIterator<Item = ReverseVar<'b, S>> {
    x.iter().enumerate().map(|(index, x)| Dual { value: *x, tangent: tape.input(index) })
}

impl<S: Base> Tape<S> {
    /// The value of `f` at `x`; its gradient goes into `gradient`. The memory of earlier recordings is used again,
    /// so a loop of an optimiser allocates in its first step only.
    ///
    /// # Errors
    /// [`Error::Empty`], [`Error::NotFinite`] and [`Error::TooLarge`] as [`grad`](super::grad) does,
    /// [`Error::Length`] if `gradient` is not as long as `x`.
    pub fn value_and_grad<F>(&mut self, f: F, x: &[S], gradient: &mut [S]) -> Result<S>
    where
        F: for<'b> FnOnce(&'b [ReverseVar<'b, S>]) -> ReverseVar<'b, S>,
    {
        Error::lengths("the gradient", x.len(), gradient.len())?;
        let (value, output) = self.run(f, x)?;
        gradient.copy_from_slice(self.gradient(output)?);
        Ok(value)
    }

    /// The value of `f` at `x`, and where its tangent stands.
    #[inline]
    fn run<F>(&mut self, f: F, x: &[S]) -> Result<(S, Output<S>)>
    where
        F: for<'b> FnOnce(&'b [ReverseVar<'b, S>]) -> ReverseVar<'b, S>,
    {
        check_point("the point", x)?;
        self.restart(x.len())?;
        let mut block = self.block();
        let result = {
            let result = f(block.hold(variables(self, x)));
            (result.value, result.tangent.output())
        };
        self.keep(block);
        Ok(result)
    }
}

/// Runs a function of several results on a new tape, and keeps the recording.
fn record<S: Base, F>(f: F, x: &[S]) -> Result<(Vec<S>, Record<S>)>
where
    F: for<'b> FnOnce(&'b [ReverseVar<'b, S>]) -> Vec<ReverseVar<'b, S>>,
{
    check_point("the point", x)?;
    let mut tape = Tape::new();
    tape.restart(x.len())?;
    let (values, outputs): (Vec<_>, Vec<_>) = {
        let variables: Vec<_> = variables(&tape, x).collect();
        f(&variables).into_iter().map(|y| (y.value, y.tangent.output())).unzip()
    };
    check_results(&values)?;
    Ok((values, tape.into_record(outputs)?))
}

/// The value and the gradient of a function, which runs once.
#[inline]
pub(super) fn value_and_grad<S: Base, F>(f: F, x: &[S]) -> Result<(S, Vec<S>)>
where
    F: for<'b> FnOnce(&'b [ReverseVar<'b, S>]) -> ReverseVar<'b, S>,
{
    let mut tape = Tape::new();
    let (value, output) = tape.run(f, x)?;
    Ok((value, tape.into_gradient(output)?))
}

/// The values and the Jacobian of a function of several results, which runs once.
pub(super) fn value_and_jacobian<S: Base, F>(f: F, x: &[S]) -> Result<(Vec<S>, Vec<Vec<S>>)>
where
    F: for<'b> FnOnce(&'b [ReverseVar<'b, S>]) -> Vec<ReverseVar<'b, S>>,
{
    let (values, record) = record(f, x)?;
    let mut unit = vec![S::zero(); values.len()];
    let rows = (0..values.len())
        .map(|row| {
            unit[row] = S::one();
            let gradient = record.pull(&unit);
            unit[row] = S::zero();
            gradient
        })
        .collect::<Result<_>>()?;
    Ok((values, rows))
}

impl<'b, S: Base> Numbers<'b, S> for Reverse {
    type Num = ReverseVar<'b, S>;

    #[inline(always)]
    fn lift(constant: S) -> Self::Num {
        Dual::lift(constant)
    }
}

impl<S: Base> Strategy<S> for Reverse {
    fn value_and_jacobian<F>(f: F, x: &[S]) -> Result<(Vec<S>, Vec<Vec<S>>)>
    where
        F: for<'b> Fn(&'b [ReverseVar<'b, S>]) -> Vec<ReverseVar<'b, S>>,
    {
        value_and_jacobian(f, x)
    }

    fn value_and_grad<F>(f: F, x: &[S]) -> Result<(S, Vec<S>)>
    where
        F: for<'b> Fn(&'b [ReverseVar<'b, S>]) -> ReverseVar<'b, S>,
    {
        value_and_grad(f, x)
    }

    /// By the program's own code, which needs no tape.
    fn replay(program: &Recording<S>, x: &[S]) -> Result<(S, Vec<S>)> {
        let mut gradient = x.to_vec();
        let value = program.with_idle(|workspace| program.value_and_grad_into(workspace, x, &mut gradient))?;
        Ok((value, gradient))
    }

    /// By the program's own code, which runs forward once, and back for each row.
    fn replay_jacobian(program: &Recording<S>, x: &[S]) -> Result<Vec<Vec<S>>> {
        let unit = |row| vec![(row, S::one())];
        Ok(program.pull(x, &(0..program.outputs()).map(unit).collect::<Vec<_>>())?.1)
    }
}

/// The pullback `w ↦ w·J` of a function at a point. Call it as often as you like, from any thread.
#[derive(Debug, Clone)]
pub struct Pullback<S>(Record<S>);

impl<S: Base> Pullback<S> {
    /// The product `w·J`.
    ///
    /// # Errors
    /// [`Error::Length`] if `w` has not one number per result, [`Error::NotFinite`] if it holds NaN or ∞.
    pub fn call(&self, w: &[S]) -> Result<Vec<S>> {
        check_finite("the vector of weights", w)?;
        self.0.pull(w)
    }
}

/// The derivative `v ↦ J·v` of a function at a point, without running the function again.
#[derive(Debug, Clone)]
pub struct Linear<S>(Record<S>);

impl<S: Base> Linear<S> {
    /// The product `J·v`.
    ///
    /// # Errors
    /// [`Error::Length`] if `v` has not one number per variable, [`Error::NotFinite`] if it holds NaN or ∞.
    pub fn call(&self, v: &[S]) -> Result<Vec<S>> {
        check_finite("the direction", v)?;
        self.0.push(v)
    }

    /// The transposed map `w ↦ w·J`.
    #[must_use]
    pub fn transpose(self) -> Pullback<S> {
        Pullback(self.0)
    }
}

/// The results of `f` at `x`, and the pullback `w ↦ w·J` there.
///
/// # Errors
/// [`Error::Empty`], [`Error::NotFinite`] and [`Error::TooLarge`] as [`grad`](super::grad).
///
/// ```
/// use catadiff::prelude::*;
/// let (y, pullback) = vjp(|x| vec![x[0] * x[1], x[0] + x[1]], &[3.0, 4.0])?;
/// assert_eq!(y, [12.0, 7.0]);
/// assert_eq!(pullback.call(&[1.0, 0.0])?, [4.0, 3.0]);
/// assert_eq!(pullback.call(&[0.0, 2.0])?, [2.0, 2.0]);
/// # Ok::<(), catadiff::Error>(())
/// ```
pub fn vjp<S: Base, F>(f: F, x: &[S]) -> Result<(Vec<S>, Pullback<S>)>
where
    F: for<'b> FnOnce(&'b [ReverseVar<'b, S>]) -> Vec<ReverseVar<'b, S>>,
{
    record(f, x).map(|(values, record)| (values, Pullback(record)))
}

/// The results of `f` at `x`, and the linear map `v ↦ J·v` there: cheaper than [`jvp`](super::jvp) when it is
/// called often, since `f` has run once and for all.
///
/// # Errors
/// As for [`vjp`].
///
/// ```
/// use catadiff::prelude::*;
/// let (_, linear) = linearize(|x| vec![x[0] * x[1]], &[3.0, 4.0])?;
/// assert_eq!(linear.call(&[1.0, 0.0])?, [4.0]);
/// assert_eq!(linear.transpose().call(&[1.0])?, [4.0, 3.0]);
/// # Ok::<(), catadiff::Error>(())
/// ```
pub fn linearize<S: Base, F>(f: F, x: &[S]) -> Result<(Vec<S>, Linear<S>)>
where
    F: for<'b> FnOnce(&'b [ReverseVar<'b, S>]) -> Vec<ReverseVar<'b, S>>,
{
    record(f, x).map(|(values, record)| (values, Linear(record)))
}
