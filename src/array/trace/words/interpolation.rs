//! Places in sorted lists, and linear interpolation between them.
//!
//! Law: a place is found by halving, in as many steps as its number has bits. It is an integer without a derivative, so that of an
//! interpolation is that of the piece it is in (tests/array/words/windows.rs).

use super::super::scalars::scalar;
use super::super::scope::Here;
use super::super::{Arr, Bool, Handle, I64, Number, if_, loop_for};
use crate::array::IntegerRow;
use crate::primitives::Real;

/// How many bits a number that is not negative has, from its first that is 1.
#[track_caller]
pub(super) fn bits(n: I64) -> I64 {
    I64::from(64) - scalar::<I64>(IntegerRow::LeadingZeros, &[n.ids()])
}

impl<S: Number> Arr<S> {
    /// How many elements come first of which this holds, of a list in which none of those behind them has it.
    #[track_caller]
    fn leading(self, holds: impl FnOnce(S) -> Bool) -> I64 {
        let n = self.len();
        let bits = bits(n);
        loop_for(bits, 0, |i, count| {
            let next = count + (I64::from(1) << (bits - 1 - i));
            if_(next.le(n) & holds(self.index(next.min(n) - 1)), || next, || count)
        })
    }

    /// For each value the number of elements of this list, which is in order, that are less: where it goes in, before those that are
    /// equal. NaN goes to the end.
    ///
    /// ```
    /// use catadiff::array::{Program, trace::{Arr, F64}};
    /// let places = Program::trace(|x: Arr<F64>, v: Arr<F64>| (x.searchsorted(v), x.searchsorted_right(v)))?;
    /// let found: (Vec<i64>, Vec<i64>) = places.at(([1.0, 2.0, 2.0, 5.0], [0.0, 2.0, 9.0]))?;
    /// assert_eq!(found, (vec![0, 1, 4], vec![0, 3, 4]));
    /// # Ok::<(), catadiff::Error>(())
    /// ```
    #[must_use]
    #[track_caller]
    pub fn searchsorted(self, values: Self) -> Arr<I64> {
        let _here = Here::new();
        values.map(|value| self.leading(|x| !(value.less(x) | value.equal(x))))
    }

    /// For each value the number of elements of this list, which is in order, that are less or equal: where it goes in, behind those that
    /// are equal. NaN goes to the end.
    #[must_use]
    #[track_caller]
    pub fn searchsorted_right(self, values: Self) -> Arr<I64> {
        let _here = Here::new();
        values.map(|value| self.leading(|x| !value.less(x)))
    }
}

impl<S: Number + Real> Arr<S> {
    /// For each number the value there of the function that is `values` at `points`, which increase, and linear between them. Before the
    /// first point it is the first value, and from the last on the last. NaN stays; without points it is an error of the program.
    ///
    /// It is differentiable by all three arguments. At a point the derivative is that of the piece behind it.
    ///
    /// ```
    /// use catadiff::array::{Program, trace::{Arr, F64}};
    /// let read = Program::trace(|x: Arr<F64>, points: Arr<F64>, values: Arr<F64>| x.interp(points, values))?;
    /// let found: Vec<f64> = read.at(([0.0, 1.5, 2.5, 9.0], [1.0, 2.0, 4.0], [10.0, 20.0, 0.0]))?;
    /// assert_eq!(found, [10.0, 15.0, 15.0, 0.0]);
    /// # Ok::<(), catadiff::Error>(())
    /// ```
    #[must_use]
    #[track_caller]
    pub fn interp(self, points: Self, values: Self) -> Self {
        let _here = Here::new();
        self.map(|x| {
            let behind = points.leading(|point| !x.less(point));
            let before = (behind - 1).max(0);
            let is_between = behind.gt(0) & behind.lt(points.len());
            let between = || {
                let (start, end) = (points.index(before), points.index(behind));
                let (low, high) = (values.index(before), values.index(behind));
                low + (x - start) / (end - start) * (high - low)
            };
            if_(x.equal(x), || if_(is_between, between, || values.index(before)), || x)
        })
    }
}
