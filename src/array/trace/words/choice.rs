//! Choices element by element.
//!
//! Law: a choice is of values: both branches are there already, unlike those of [`if_`](super::super::if_), and the derivative goes to the
//! one that is taken (tests/array/words.rs).

use super::super::scope::Here;
use super::super::{Arr, As, Bool, I64, IntoHandle, Nested, Number, ScalarHandle, if_, iota};

/// A branch of [`where_`]: an array of the mask's rank, or a scalar, which is taken for one.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no branch of a choice by `{Mask}`",
    note = "a scalar is, and an array of the same rank",
    note = "for numbers of other kinds write `F32::from(x)` or `U8::from(n)`"
)]
pub trait Branch<Mask: Nested>: Nested {
    /// The array of the mask's sizes.
    #[track_caller]
    fn spread(self, mask: Mask) -> Mask::Of<Self::Leaf>;
}

impl<S: ScalarHandle, M: Nested> Branch<Arr<M>> for S {
    #[track_caller]
    fn spread(self, mask: Arr<M>) -> Arr<M::Of<S>> {
        let sizes: Vec<I64> = (0..=M::RANK).map(|k| mask.size(k)).collect();
        Arr::filled(&sizes, self)
    }
}

impl<T: Nested, M: Nested<Of<T::Leaf> = T>> Branch<Arr<M>> for Arr<T> {
    #[track_caller]
    fn spread(self, _: Arr<M>) -> Arr<T> {
        self
    }
}

/// For each truth value of an array the scalar of one of two arrays of the same sizes, or a scalar in the place of either.
///
/// Both are computed. The derivative of the one that is not taken is 0, where it has an infinite one as well.
///
/// ```
/// use catadiff::array::{Program, trace::{Arr, F64, where_}};
/// use catadiff::Elementary;
/// let roots = Program::trace(|x: Arr<F64>| where_(x.map(|x| x.gt(0.0)), x.map(|x| x.sqrt()), 0.0).sum())?;
/// assert_eq!(roots.at::<f64>([4.0, -1.0, 0.0])?, 2.0);
/// assert_eq!(roots.grad(0)?.at::<Vec<f64>>([4.0, -1.0, 0.0])?, [0.25, 0.0, 0.0]);
/// # Ok::<(), catadiff::Error>(())
/// ```
#[track_caller]
pub fn where_<M, X, Y, S>(mask: Arr<M>, yes: X, no: Y) -> Arr<M::Of<S>>
where
    M: Nested<Leaf = Bool>,
    X: IntoHandle<Handle: Branch<Arr<M>, Leaf = S>>,
    Y: IntoHandle<Handle: Branch<Arr<M>, Leaf = S>>,
    S: ScalarHandle,
{
    let _here = Here::new();
    let (yes, no) = (yes.into_handle().spread(mask), no.into_handle().spread(mask));
    mask.each3(yes, no, &|condition, yes, no| if_(condition, || yes, || no))
}

impl<T: Nested<Leaf: Number>> Arr<T> {
    /// The scalars, those below the least number replaced by it, then those above the greatest by that. NaN stays. The derivative
    /// is 1 where a scalar stays, at a bound too.
    ///
    /// ```
    /// use catadiff::array::{Program, trace::{Arr, F64}};
    /// let clip = Program::trace(|x: Arr<F64>| x.clip(0.0, 1.0))?;
    /// assert_eq!(clip.at::<Vec<f64>>([-2.0, 0.25, 1.5])?, [0.0, 0.25, 1.0]);
    /// # Ok::<(), catadiff::Error>(())
    /// ```
    #[must_use]
    #[track_caller]
    pub fn clip(self, least: impl As<T::Leaf>, greatest: impl As<T::Leaf>) -> Self {
        let _here = Here::new();
        let (least, greatest) = (least.handle(), greatest.handle());
        self.each(&|x| {
            let x = if_(x.less(least), || least, || x);
            if_(greatest.less(x), || greatest, || x)
        })
    }
}

impl Arr<I64> {
    /// For each index the row of `n` numbers of which that one is 1 and all others are 0; all are 0 where there is no such.
    ///
    /// ```
    /// use catadiff::array::{Program, trace::{Arr, F64, I64}};
    /// let rows = Program::trace(|class: Arr<I64>| class.one_hot::<F64>(3))?;
    /// assert_eq!(rows.at::<Vec<[f64; 3]>>([1_i64, 3])?, [[0.0, 1.0, 0.0], [0.0; 3]]);
    /// # Ok::<(), catadiff::Error>(())
    /// ```
    #[must_use]
    #[track_caller]
    pub fn one_hot<S: Number>(self, n: impl As<I64>) -> Arr<Arr<S>> {
        let _here = Here::new();
        let classes = iota(n);
        self.map(|class| classes.map(|k| if_(k.eq(class), S::one, S::zero)))
    }
}
