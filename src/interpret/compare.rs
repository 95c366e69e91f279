//! Decisions: what a carrier returns when a program compares two numbers.
//!
//! Law: a result of a comparison holds for every number that the carrier stands for; where there is none, the program
//! is stopped with an error rather than led astray (tests/array/carriers.rs).

use core::hash::Hash;

use crate::carriers::Support;
use crate::primitives::Elementary;
use crate::term::Term;

/// A comparison of two numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Test {
    /// `x = y`.
    Equal,
    /// `x < y`.
    Less,
    /// `x ≤ y`.
    LessOrEqual,
}

/// A number that array programs run on: elementary functions, and results of comparisons, if it has them.
///
/// Every carrier that is `PartialOrd` has them. Where both numbers have a [primal](Elementary::primal) value, the
/// answer is that of the carrier's own `==`, `<` or `<=` (so recorded numbers keep it as a decision, and NaN is not
/// less than anything). Where one has none, such as an interval, two numbers without an order are undecided.
///
/// Carriers without an order, [`Term`] and [`Support`], answer for constants only: programs that do not decide on
/// reals run on them, and others are stopped with [`Error::Undecided`](crate::Error::Undecided). To have such a program as a term,
/// run it on the numbers of [`record`](crate::record), which keep the decisions.
#[diagnostic::on_unimplemented(
    message = "array programs do not run on `{Self}`",
    note = "a carrier of array programs is `Elementary`, and is `PartialOrd` or implements `Compare`"
)]
pub trait Compare: Elementary {
    /// The answer, if there is one.
    fn compare(&self, other: &Self, test: Test) -> Option<bool>;
}

impl<C: Elementary + PartialOrd> Compare for C {
    fn compare(&self, other: &Self, test: Test) -> Option<bool> {
        if self.primal().is_some() && other.primal().is_some() {
            return Some(match test {
                Test::Equal => self == other,
                Test::Less => self < other,
                Test::LessOrEqual => self <= other,
            });
        }
        let order = self.partial_cmp(other)?;
        Some(match test {
            Test::Equal => order.is_eq(),
            Test::Less => order.is_lt(),
            Test::LessOrEqual => order.is_le(),
        })
    }
}

/// The answer for two constants, in a carrier whose other numbers have no value.
fn of_constants<C: Elementary>(a: &C, b: &C, test: Test) -> Option<bool> {
    a.primal()?.compare(&b.primal()?, test)
}

impl<V: Clone + Eq + Hash> Compare for Term<'_, V> {
    fn compare(&self, other: &Self, test: Test) -> Option<bool> {
        of_constants(self, other, test)
    }
}

impl<V: Ord + Clone> Compare for Support<V> {
    fn compare(&self, other: &Self, test: Test) -> Option<bool> {
        of_constants(self, other, test)
    }
}
