//! Means, deviations and norms, and sums of exponentials that do not overflow.
//!
//! Law: `logsumexp` and `softmax` are the same for every number that is taken out of the exponents. It is the greatest, taken as a
//! constant, so no derivative looks for its place (tests/array/words.rs).

use num_traits::Zero;

use super::super::handles::converted;
use super::super::scope::Here;
use super::super::{Arr, Handle, I64, Nested, Number, ScalarHandle, if_, stop_gradient};
use crate::array::Prim;
use crate::primitives::{Elementary, Real};

/// A count as a real of this kind.
#[track_caller]
pub(in super::super) fn real<S: ScalarHandle>(n: I64) -> S {
    S::of(converted(n.ids(), Prim::I64, S::PRIM))
}

impl<T: Nested<Leaf: Number + Real>> Arr<T> {
    /// The mean of the elements; of rows, the row of means. Of an empty array, NaN.
    ///
    /// ```
    /// use catadiff::array::{Program, trace::{Arr, F64}};
    /// let means = Program::trace(|m: Arr<Arr<F64>>| (m.mean(), m.map(|row| row.mean()), m.flatten().mean()))?;
    /// let found: (Vec<f64>, Vec<f64>, f64) = means.at([[1.0, 2.0], [3.0, 6.0]])?;
    /// assert_eq!(found, (vec![2.0, 4.0], vec![1.5, 4.5], 3.0));
    /// # Ok::<(), catadiff::Error>(())
    /// ```
    #[must_use]
    #[track_caller]
    pub fn mean(self) -> T {
        let _here = Here::new();
        let n = real::<T::Leaf>(self.len());
        self.sum().each(&|sum| sum / n)
    }

    /// The variance of the elements, the mean squared distance from their mean; of rows, the row of variances. It is that of a
    /// population, as numpy has it unless asked: `n` is what is divided by, not `n − 1`. Of an empty array, NaN.
    ///
    /// ```
    /// use catadiff::array::{Program, trace::{Arr, F64}};
    /// let variance = Program::trace(|x: Arr<F64>| x.var())?;
    /// assert_eq!(variance.at::<f64>([1.0, 2.0, 3.0, 4.0])?, 1.25);
    /// # Ok::<(), catadiff::Error>(())
    /// ```
    #[must_use]
    #[track_caller]
    pub fn var(self) -> T {
        let _here = Here::new();
        let mean = self.mean();
        self.map(|x| x.each2(mean, &|x, mean| (x - mean) * (x - mean))).mean()
    }

    /// The standard deviation of the elements, the square root of [`var`](Self::var). Where that is 0 it has no derivative.
    ///
    /// ```
    /// use catadiff::array::{Program, trace::{Arr, F64}};
    /// let standardised = Program::trace(|x: Arr<F64>| (x - x.mean()) / x.std())?;
    /// assert_eq!(standardised.at::<Vec<f64>>([1.0, 3.0])?, [-1.0, 1.0]);
    /// # Ok::<(), catadiff::Error>(())
    /// ```
    #[must_use]
    #[track_caller]
    pub fn std(self) -> T {
        let _here = Here::new();
        self.var().each(&|variance| variance.sqrt())
    }

    /// The Euclidean norm, the square root of the sum of the squares of all scalars; of a matrix it is the Frobenius norm. Of an
    /// empty array, 0. Where it is 0 it has no derivative.
    ///
    /// ```
    /// use catadiff::array::{Program, trace::{Arr, F64}};
    /// let norm = Program::trace(|x: Arr<F64>| x.norm())?;
    /// assert_eq!(norm.at::<f64>([3.0, 4.0])?, 5.0);
    /// assert_eq!(norm.grad(0)?.at::<Vec<f64>>([0.0, -4.0])?, [0.0, -1.0]);
    /// # Ok::<(), catadiff::Error>(())
    /// ```
    #[must_use]
    #[track_caller]
    pub fn norm(self) -> T::Leaf {
        let _here = Here::new();
        let count = (1..=T::RANK).fold(self.len(), |count, k| count * self.size(k));
        self.each(&|x| x * x).reshape([count]).sum().sqrt()
    }

    /// The logarithm of the sum of the exponentials; of rows, the row of those. The greatest is taken out of the exponents, so
    /// nothing overflows. Of an empty array, and of −∞ alone, it is −∞. Where it is finite, the derivative is [`softmax`](Self::softmax).
    ///
    /// ```
    /// use catadiff::array::{Program, trace::{Arr, F64}};
    /// let total = Program::trace(|x: Arr<F64>| x.logsumexp())?;
    /// assert_eq!(total.at::<f64>([1000.0, 1000.0])?, 1000.0 + f64::ln(2.0));
    /// assert_eq!(total.at::<f64>([f64::NEG_INFINITY; 2])?, f64::NEG_INFINITY);
    /// assert_eq!(total.grad(0)?.at::<Vec<f64>>([1000.0, 1000.0])?, [0.5, 0.5]);
    /// # Ok::<(), catadiff::Error>(())
    /// ```
    #[must_use]
    #[track_caller]
    pub fn logsumexp(self) -> T {
        let _here = Here::new();
        let most = self.largest_finite();
        let sum = self.map(|x| x.each2(most, &|x, most| (x - most).exp())).sum();
        sum.each2(most, &|sum, most| sum.ln() + most)
    }

    /// The greatest element as a constant to derivatives; 0 in the place of an infinity, which nothing can be subtracted from.
    #[track_caller]
    fn largest_finite(self) -> T {
        stop_gradient(self.max()).each(&|most| if_(most.abs().less(T::Leaf::greatest()), || most, T::Leaf::zero))
    }
}

impl<S: Number + Real> Arr<S> {
    /// The sum of the absolute values of a list, which is `numpy.linalg.norm(x, 1)`. The derivative is 0 by an element that is 0.
    ///
    /// ```
    /// use catadiff::array::{Program, trace::{Arr, F64}};
    /// let norms = Program::trace(|x: Arr<F64>| (x.norm1(), x.norm(), x.norm_inf()))?;
    /// assert_eq!(norms.at::<(f64, f64, f64)>([3.0, 0.0, -4.0])?, (7.0, 5.0, 4.0));
    /// let slope = Program::trace(|x: Arr<F64>| x.norm1())?.grad(0)?;
    /// assert_eq!(slope.at::<Vec<f64>>([3.0, 0.0, -4.0])?, [1.0, 0.0, -1.0]);
    /// # Ok::<(), catadiff::Error>(())
    /// ```
    #[must_use]
    #[track_caller]
    pub fn norm1(self) -> S {
        let _here = Here::new();
        self.map(|x| x.abs()).sum()
    }

    /// The greatest absolute value of a list, which is `numpy.linalg.norm(x, inf)`; of no elements, 0. The derivative is that of
    /// [`max`](Arr::max) and, where all elements are 0, 0.
    #[must_use]
    #[track_caller]
    pub fn norm_inf(self) -> S {
        let _here = Here::new();
        S::zero().larger(self.map(|x| x.abs()).max())
    }

    /// The exponentials, divided by their sum, of a list of reals. Nothing overflows; of −∞ alone it is NaN, as in JAX.
    ///
    /// Others take the last dimension of a matrix, here it is said: `m.map(|row| row.softmax())`.
    ///
    /// ```
    /// use catadiff::array::{Program, trace::{Arr, F64}};
    /// let softmax = Program::trace(|x: Arr<F64>| x.softmax())?;
    /// assert_eq!(softmax.at::<Vec<f64>>([1000.0, 1000.0, -1000.0])?, [0.5, 0.5, 0.0]);
    /// # Ok::<(), catadiff::Error>(())
    /// ```
    #[must_use]
    #[track_caller]
    pub fn softmax(self) -> Self {
        let _here = Here::new();
        let most = self.largest_finite();
        let exponentials = self.map(|x| (x - most).exp());
        let sum = exponentials.sum();
        exponentials.map(|x| x / sum)
    }

    /// The logarithms of [`softmax`](Self::softmax), which are finite where that is 0 by rounding.
    ///
    /// ```
    /// use catadiff::array::{Program, trace::{Arr, F64}};
    /// let scores = Program::trace(|x: Arr<F64>| x.log_softmax())?;
    /// assert_eq!(scores.at::<Vec<f64>>([1000.0, 0.0])?, [0.0, -1000.0]);
    /// # Ok::<(), catadiff::Error>(())
    /// ```
    #[must_use]
    #[track_caller]
    pub fn log_softmax(self) -> Self {
        let _here = Here::new();
        let most = self.largest_finite();
        let shifted = self.map(|x| x - most);
        let log = shifted.map(|x| x.exp()).sum().ln();
        shifted.map(|x| x - log)
    }
}
