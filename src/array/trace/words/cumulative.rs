//! Running sums, products and extrema.
//!
//! Law: element `i` is the sum, product or extremum of the elements from the first to `i` (tests/array/words.rs).

use num_traits::{One, Zero};

use super::super::scope::Here;
use super::super::{Arr, Nested, Number};

impl<T: Nested<Leaf: Number>> Arr<T> {
    /// All prefixes, combined by an operator on scalars.
    #[track_caller]
    fn running(self, neutral: T::Leaf, operator: impl Fn(T::Leaf, T::Leaf) -> T::Leaf) -> Self {
        let _here = Here::new();
        self.scan(self.element_of(neutral), |x, y| x.each2(y, &operator))
    }

    /// The running sums; of rows, those of each column.
    ///
    /// ```
    /// use catadiff::array::{Program, trace::{Arr, F64}};
    /// let sums = Program::trace(|x: Arr<F64>| x.cumsum())?;
    /// assert_eq!(sums.at::<Vec<f64>>([1.0, 2.0, 4.0])?, [1.0, 3.0, 7.0]);
    /// # Ok::<(), catadiff::Error>(())
    /// ```
    #[must_use]
    #[track_caller]
    pub fn cumsum(self) -> Self {
        self.running(T::Leaf::zero(), |x, y| x + y)
    }

    /// The running products; of rows, those of each column. The derivative is right where elements are 0, too.
    ///
    /// ```
    /// use catadiff::array::{Program, trace::{Arr, F64}};
    /// let last = Program::trace(|x: Arr<F64>| x.cumprod().last())?;
    /// assert_eq!(last.grad(0)?.at::<Vec<f64>>([2.0, 0.0, 3.0])?, [0.0, 6.0, 0.0]);
    /// # Ok::<(), catadiff::Error>(())
    /// ```
    #[must_use]
    #[track_caller]
    pub fn cumprod(self) -> Self {
        self.running(T::Leaf::one(), |x, y| x * y)
    }

    /// The greatest element so far, at each; of rows, that of each column. Numbers win over NaN, as in [`max`](Arr::max), and so
    /// has the derivative at ties what that of `max` has.
    ///
    /// ```
    /// use catadiff::array::{Program, trace::{Arr, F64}};
    /// let highest = Program::trace(|x: Arr<F64>| x.cummax())?;
    /// assert_eq!(highest.at::<Vec<f64>>([1.0, 4.0, 2.0, 5.0])?, [1.0, 4.0, 4.0, 5.0]);
    /// # Ok::<(), catadiff::Error>(())
    /// ```
    #[must_use]
    #[track_caller]
    pub fn cummax(self) -> Self {
        self.running(T::Leaf::least(), Number::larger)
    }

    /// The least element so far, at each; as [`cummax`](Self::cummax) else.
    ///
    /// ```
    /// use catadiff::array::{Program, trace::{Arr, I64}};
    /// let lowest = Program::trace(|x: Arr<I64>| x.cummin())?;
    /// assert_eq!(lowest.at::<Vec<i64>>([3_i64, 1, 2])?, [3, 1, 1]);
    /// # Ok::<(), catadiff::Error>(())
    /// ```
    #[must_use]
    #[track_caller]
    pub fn cummin(self) -> Self {
        self.running(T::Leaf::greatest(), Number::smaller)
    }
}
