//! Sorting: arrays in order, the order itself, and the greatest elements.
//!
//! Law: equal elements keep their order, and NaN comes last whichever the direction. What is sorted is gathered at integers, which
//! have no derivative, so every derivative goes where the elements go (tests/array/words.rs).

use super::super::handles::converted;
use super::super::scalars::scalar;
use super::super::scope::{Here, written};
use super::super::{Arr, As, Bool, Handle, I64, Number, U64, if_, stop_gradient};
use crate::array::{IntegerRow, Prim, ScalarOp, sorted};

/// Which elements come first.
#[derive(Clone, Copy, PartialEq)]
enum Direction {
    Up,
    Down,
}

/// An integer for a number, such that those of all numbers of a kind are in their order, as numbers without a sign: that of NaN is the
/// last, and zeros of both signs have the same.
#[track_caller]
fn key<S: Number>(x: S, direction: Direction) -> I64 {
    let turned = |key: I64| if direction == Direction::Down { !key } else { key };
    let key = match S::PRIM {
        Prim::U64 => turned(I64::of(converted(x.ids(), S::PRIM, Prim::I64)) ^ i64::MIN),
        prim if prim.is_real() => {
            // Doubles are sign and magnitude, the other kinds are among them, and integers are complements.
            let double = converted(x.ids(), prim, Prim::F64);
            let bits = scalar::<U64>(ScalarOp::ToBits(Prim::F64), &[double]).to_i64();
            let sign = bits >> 63;
            let number = ((bits & i64::MAX) ^ sign) - sign;
            let is_number: Bool = x.equal(x);
            if_(is_number, || turned(number), || i64::MAX)
        }
        prim => turned(I64::of(converted(x.ids(), prim, Prim::I64))),
    };
    key ^ i64::MIN
}

impl<S: Number> Arr<S> {
    /// The indices at which the elements are in this order.
    #[track_caller]
    fn order(self, direction: Direction) -> Arr<I64> {
        let _here = Here::new();
        let keys = stop_gradient(self).map(|x| key(x, direction));
        // Bits that are alike in all keys say nothing of their order: those before the others, and those behind them.
        let (all, any) = keys.map(|key| (key, key)).reduce_commutative((-1, 0), |(a, b), (c, d)| (a & c, b | d));
        let differ = if_(self.len().gt(1), || all ^ any, || 0);
        let zeros = |row| scalar::<I64>(row, &[differ.ids()]);
        let after = if_(differ.eq(0), || 0, || zeros(IntegerRow::TrailingZeros));
        let bits = I64::from(64) - zeros(IntegerRow::LeadingZeros) - after;
        let keys = keys.map(|key| key >> after);
        let [_, order] = written(&[keys.ids(), bits.ids()], |builder, x| sorted(builder, x[0], x[1]));
        Arr::of(order)
    }

    /// The indices of the elements, in the order of these: the least first, the lower index first at ties, and NaN last.
    ///
    /// ```
    /// use catadiff::array::{Program, trace::{Arr, F64}};
    /// let order = Program::trace(|x: Arr<F64>| (x.argsort(), x.argsort_descending()))?;
    /// let found: (Vec<i64>, Vec<i64>) = order.at([2.0, f64::NAN, -1.0, 2.0])?;
    /// assert_eq!(found, (vec![2, 0, 3, 1], vec![0, 3, 2, 1]));
    /// # Ok::<(), catadiff::Error>(())
    /// ```
    ///
    /// Time is that of a pass over the array for each bit in which elements differ: 64 at most, and few for small integers.
    #[must_use]
    #[track_caller]
    pub fn argsort(self) -> Arr<I64> {
        self.order(Direction::Up)
    }

    /// The indices of the elements, in the order of these: the greatest first, the lower index first at ties, and NaN last.
    #[must_use]
    #[track_caller]
    pub fn argsort_descending(self) -> Arr<I64> {
        self.order(Direction::Down)
    }

    /// The elements in order, the least first and NaN last. The derivative goes with the elements, at a tie in the order that
    /// they had.
    ///
    /// ```
    /// use catadiff::array::{Program, trace::{Arr, F64}};
    /// let median = Program::trace(|x: Arr<F64>| x.sort().index(x.len() / 2))?;
    /// assert_eq!(median.at::<f64>([3.0, 1.0, 2.0])?, 2.0);
    /// assert_eq!(median.grad(0)?.at::<Vec<f64>>([3.0, 1.0, 2.0])?, [0.0, 0.0, 1.0]);
    /// # Ok::<(), catadiff::Error>(())
    /// ```
    #[must_use]
    #[track_caller]
    pub fn sort(self) -> Self {
        let _here = Here::new();
        self.gather(self.argsort())
    }

    /// The elements in order, the greatest first and NaN last.
    #[must_use]
    #[track_caller]
    pub fn sort_descending(self) -> Self {
        let _here = Here::new();
        self.gather(self.argsort_descending())
    }

    /// The `k` greatest elements, the greatest first, and their indices. More than there are is an error of the program.
    ///
    /// ```
    /// use catadiff::array::{Program, trace::{Arr, F64}};
    /// let best = Program::trace(|x: Arr<F64>| x.top_k(2))?;
    /// let (values, indices): (Vec<f64>, Vec<i64>) = best.at([1.0, 5.0, 3.0, 5.0])?;
    /// assert_eq!((values, indices), (vec![5.0, 5.0], vec![1, 3]));
    /// # Ok::<(), catadiff::Error>(())
    /// ```
    #[must_use]
    #[track_caller]
    pub fn top_k(self, k: impl As<I64>) -> (Self, Arr<I64>) {
        let _here = Here::new();
        let indices = self.argsort_descending().take(k);
        (self.gather(indices), indices)
    }
}
