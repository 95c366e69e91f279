//! Arrays that are longer, shorter or in another order, and arrays of evenly spaced numbers.
//!
//! Law: every element of the result is one of the array, or what is put beside them, so a derivative moves adjoints back to where
//! elements came from (tests/array/words.rs).

use core::ops::Sub;

use super::super::scope::Here;
use super::super::{Arr, As, Handle, I64, Nested, Number, iota, replicate, tabulate};
use super::statistics::real;
use crate::primitives::Real;

impl<T: Handle> Arr<T> {
    /// The elements moved `shift` places further on; those that are moved beyond the end come first.
    ///
    /// ```
    /// use catadiff::array::{Program, trace::{Arr, I64}};
    /// let rolled = Program::trace(|x: Arr<I64>, by: I64| x.roll(by))?;
    /// assert_eq!(rolled.at::<Vec<i64>>(([1_i64, 2, 3, 4], 1_i64))?, [4, 1, 2, 3]);
    /// assert_eq!(rolled.at::<Vec<i64>>(([1_i64, 2, 3, 4], -1_i64))?, [2, 3, 4, 1]);
    /// # Ok::<(), catadiff::Error>(())
    /// ```
    #[must_use]
    #[track_caller]
    pub fn roll(self, shift: impl As<I64>) -> Self {
        let n = self.len();
        // Of an array without elements nothing is moved.
        let first = n - shift.handle() % n.max(1);
        self.drop(first).concat(self.take(first))
    }

    /// The array, `times` times one after the other.
    ///
    /// ```
    /// use catadiff::array::{Program, trace::{Arr, I64}};
    /// let tiled = Program::trace(|x: Arr<I64>| (x.tile(2), x.repeat(2)))?;
    /// let found: (Vec<i64>, Vec<i64>) = tiled.at([1_i64, 2])?;
    /// assert_eq!(found, (vec![1, 2, 1, 2], vec![1, 1, 2, 2]));
    /// # Ok::<(), catadiff::Error>(())
    /// ```
    #[must_use]
    #[track_caller]
    pub fn tile(self, times: impl As<I64>) -> Self {
        let _here = Here::new();
        replicate(times, self).flatten()
    }

    /// Each element, `times` times one after the other.
    #[must_use]
    #[track_caller]
    pub fn repeat(self, times: impl As<I64>) -> Self {
        let _here = Here::new();
        let times = times.handle();
        self.map(|x| replicate(times, x)).flatten()
    }

    /// The array between `before` copies of its first element and `after` copies of its last. Without elements there is none to
    /// copy: an error of the program.
    ///
    /// ```
    /// use catadiff::array::{Program, trace::{Arr, I64}};
    /// let padded = Program::trace(|x: Arr<I64>| (x.pad_edge(2, 1), x.pad_reflect(2, 1)))?;
    /// let found: (Vec<i64>, Vec<i64>) = padded.at([1_i64, 2, 3])?;
    /// assert_eq!(found, (vec![1, 1, 1, 2, 3, 3], vec![3, 2, 1, 2, 3, 2]));
    /// # Ok::<(), catadiff::Error>(())
    /// ```
    #[must_use]
    #[track_caller]
    pub fn pad_edge(self, before: impl As<I64>, after: impl As<I64>) -> Self {
        let _here = Here::new();
        let (before, last) = (before.handle(), self.len() - 1);
        tabulate(before + self.len() + after.handle(), |i| self.index((i - before).min(last).max(0)))
    }

    /// The array between `before` and `after` elements of its reflections at its first and last element, which are not doubled.
    /// Without elements there is none to reflect: an error of the program.
    #[must_use]
    #[track_caller]
    pub fn pad_reflect(self, before: impl As<I64>, after: impl As<I64>) -> Self {
        let _here = Here::new();
        let (before, last) = (before.handle(), self.len() - 1);
        // There and back again; one element is reflected to itself.
        let period = (last * 2).max(1);
        tabulate(before + self.len() + after.handle(), |i| {
            let at = (i - before) % period;
            self.index(at.min(period - at).min(last))
        })
    }
}

impl<T: Nested> Arr<T> {
    /// The array between `before` and `after` elements whose scalars are all this value. A matrix is padded on all sides by
    /// `m.map(|row| row.pad(1, 1, 0.0)).pad(1, 1, 0.0)`.
    ///
    /// ```
    /// use catadiff::array::{Program, trace::{Arr, F64}};
    /// let padded = Program::trace(|x: Arr<F64>| x.pad(1, 2, 0.0))?;
    /// assert_eq!(padded.at::<Vec<f64>>([1.0, 2.0])?, [0.0, 1.0, 2.0, 0.0, 0.0]);
    /// # Ok::<(), catadiff::Error>(())
    /// ```
    #[must_use]
    #[track_caller]
    pub fn pad(self, before: impl As<I64>, after: impl As<I64>, value: impl As<T::Leaf>) -> Self {
        let _here = Here::new();
        let element = self.element_of(value.handle());
        replicate(before, element).concat(self).concat(replicate(after, element))
    }

    /// The differences of neighbours, one fewer than there are elements, of an empty array none.
    ///
    /// ```
    /// use catadiff::array::{Program, trace::{Arr, F64}};
    /// let steps = Program::trace(|x: Arr<F64>| x.diff())?;
    /// assert_eq!(steps.at::<Vec<f64>>([1.0, 4.0, 9.0])?, [3.0, 5.0]);
    /// # Ok::<(), catadiff::Error>(())
    /// ```
    #[must_use]
    #[track_caller]
    pub fn diff(self) -> Self
    where
        T::Leaf: Sub<Output = T::Leaf>,
    {
        let _here = Here::new();
        let n = self.len();
        let one = n.min(1);
        self.drop(one).each2(self.take(n - one), &|x, y| x - y)
    }
}

/// `n` evenly spaced numbers from `start` to `stop`, both of them among these; of one number, `start`.
///
/// ```
/// use catadiff::array::{Program, trace::{F64, linspace}};
/// let grid = Program::trace(|start: F64, stop: F64| linspace(start, stop, 5))?;
/// assert_eq!(grid.at::<Vec<f64>>((1.0, 3.0))?, [1.0, 1.5, 2.0, 2.5, 3.0]);
/// # Ok::<(), catadiff::Error>(())
/// ```
#[track_caller]
pub fn linspace<S: Number + Real>(start: S, stop: impl As<S>, n: impl As<I64>) -> Arr<S> {
    let _here = Here::new();
    let (n, stop) = (n.handle(), stop.handle());
    let steps = real::<S>((n - 1).max(1));
    tabulate(n, |i| {
        let part = real::<S>(i) / steps;
        start * (S::one() - part) + stop * part
    })
}

/// The integers from `start`, with the distance `step`, as long as they are before `stop`. [`iota`] is `arange` of one argument.
///
/// ```
/// use catadiff::array::{Program, trace::{I64, arange}};
/// let numbers = Program::trace(|stop: I64| (arange(1, stop, 3), arange(stop, 0, -4)))?;
/// let found: (Vec<i64>, Vec<i64>) = numbers.at(10_i64)?;
/// assert_eq!(found, (vec![1, 4, 7], vec![10, 6, 2]));
/// # Ok::<(), catadiff::Error>(())
/// ```
///
/// A step of 0 is an error of the program.
#[track_caller]
pub fn arange(start: impl As<I64>, stop: impl As<I64>, step: impl As<I64>) -> Arr<I64> {
    let _here = Here::new();
    let (start, step) = (start.handle(), step.handle());
    // Rounded up: of the negative, down.
    let count = -((start - stop.handle()) / step);
    iota(count.max(0)).map(|i| start + i * step)
}

/// The unit matrix of `n` rows.
///
/// ```
/// use catadiff::array::{Program, trace::{Arr, F64, eye}};
/// let damped = Program::trace(|m: Arr<Arr<F64>>| m + 0.5 * eye::<F64>(m.len()))?;
/// assert_eq!(damped.at::<[[f64; 2]; 2]>([[1.0, 2.0], [3.0, 4.0]])?, [[1.5, 2.0], [3.0, 4.5]]);
/// # Ok::<(), catadiff::Error>(())
/// ```
#[track_caller]
pub fn eye<S: Number>(n: impl As<I64>) -> Arr<Arr<S>> {
    let n = n.handle();
    iota(n).one_hot(n)
}
