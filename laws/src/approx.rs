//! When two results are the same: exactly for exact numbers, within a stated bound for floats.
//!
//! Law: with [`Bound::EXACT`], `same` is an equivalence on every type here but NaN, which is the same as itself; a
//! function is what it does, so functional tangents are compared by what they do to a unit of sensitivity
//! (tests/laws/broken.rs).

use core::fmt::{Debug, Display};
use core::hash::Hash;

use catadiff::algebra::plain::{Boolean, Counting, MaxPlus, MinPlus, Modular, Provenance, Viterbi};
use catadiff::carriers::{Accumulate, Brand, Cayley, Dense, Dual, Hom, Sparse};
use catadiff::term::{Signature, Term};
use catadiff::{Module, Semiring};
use generic_array::ArrayLength;
use num_bigint::BigInt;
use num_rational::Ratio;

/// The variables that functional tangents are looked at through: those numbered below this.
pub const VARIABLES: usize = 4;

/// The largest distance of two floats that still pass for the same.
///
/// The distance is measured in units of the type's own rounding, `ε · max(|left|, |right|, scale)`. The scale is the
/// size of the terms that may have cancelled: a sum of terms near 10 is not known better than `10 ε`, however small
/// it comes out.
///
/// ```
/// use catadiff_laws::{Bound, Same};
/// assert!(!(0.1 + 0.2).same(&0.3, Bound::EXACT));
/// assert!((0.1 + 0.2).same(&0.3, Bound::ulps(1.0)));
/// assert!(1e-17.same(&0.0, Bound::ulps(1.0).at_scale(1.0)));
/// assert!(7_i64.same(&7, Bound::EXACT)); // exact types need no bound, and take no notice of one
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bound {
    ulps: f64,
    scale: f64,
}

impl Bound {
    /// No distance at all.
    pub const EXACT: Bound = Bound::ulps(0.0);

    /// This many units of rounding of the larger side.
    #[must_use]
    pub const fn ulps(ulps: f64) -> Bound {
        Bound { ulps, scale: 0.0 }
    }

    /// The same number of units, of rounding of a number at least this large.
    #[must_use]
    pub const fn at_scale(self, scale: f64) -> Bound {
        Bound { scale, ..self }
    }

    /// The wider of two bounds.
    #[must_use]
    pub const fn max(self, other: Bound) -> Bound {
        Bound { ulps: self.ulps.max(other.ulps), scale: self.scale.max(other.scale) }
    }

    fn admits(self, left: f64, right: f64, epsilon: f64) -> bool {
        let allowed = self.ulps * epsilon * left.abs().max(right.abs()).max(self.scale);
        // An infinite bound would admit anything.
        left == right || (left.is_nan() && right.is_nan()) || (allowed.is_finite() && (left - right).abs() <= allowed)
    }
}

/// A value that a law can compare and show.
///
/// For a type of your own that is compared by `==` and shown by `Debug`, [`exact!`](crate::exact) writes it.
#[diagnostic::on_unimplemented(
    message = "the laws cannot compare values of `{Self}`",
    note = "for a type compared by `==` write `catadiff_laws::exact! {{ {Self} }}`; otherwise implement `Same`"
)]
pub trait Same {
    /// Whether two values are the same, within a bound.
    fn same(&self, other: &Self, bound: Bound) -> bool
    where
        Self: Sized;

    /// The value as it appears in a [`Violation`](crate::Violation).
    fn show(&self) -> String;
}

/// Implements [`Same`] by `==` and `Debug`; generics, if any, go in brackets behind the type.
///
/// ```
/// use catadiff_laws::{Bound, Same, exact};
/// #[derive(Debug, PartialEq)]
/// struct Celsius(i32);
/// #[derive(Debug, PartialEq)]
/// struct Pair<T>(T, T);
/// exact! { Celsius, Pair<T> where [T: PartialEq + core::fmt::Debug] }
/// assert!(Celsius(3).same(&Celsius(3), Bound::EXACT));
/// assert_eq!(Pair(1, 2).show(), "Pair(1, 2)");
/// ```
#[macro_export]
macro_rules! exact {
    ($($T:ty $(where [$($generics:tt)*])?),+ $(,)?) => {$(
        impl $(<$($generics)*>)? $crate::Same for $T {
            fn same(&self, other: &Self, _: $crate::Bound) -> bool {
                self == other
            }
            fn show(&self) -> ::std::string::String {
                ::std::format!("{self:?}")
            }
        }
    )+};
}

exact! {
    bool, u8, u32, u64, usize, i32, i64, i128, &str, String, BigInt, Boolean, Counting,
    Modular<P> where [const P: u64], Provenance<V> where [V: Ord + Debug],
}

impl<T: Clone + num_traits::Num + core::fmt::Display + num_integer::Integer> Same for Ratio<T> {
    fn same(&self, other: &Self, _: Bound) -> bool {
        self == other
    }
    fn show(&self) -> String {
        self.to_string()
    }
}

macro_rules! floats {
    ($($Float:ty: $value:expr, $epsilon:expr;)+) => {$(
        impl Same for $Float {
            fn same(&self, other: &Self, bound: Bound) -> bool {
                let value: fn(&$Float) -> f64 = $value;
                bound.admits(value(self), value(other), $epsilon)
            }
            fn show(&self) -> String {
                format!("{self:?}")
            }
        }
    )+};
}

floats! {
    f32: |x| f64::from(*x), f64::from(f32::EPSILON);
    f64: |x| *x, f64::EPSILON;
    MinPlus: |x| x.0, f64::EPSILON;
    MaxPlus: |x| x.0, f64::EPSILON;
    Viterbi: |x| x.0, f64::EPSILON;
}

/// Both parts, where `==` compares values alone.
impl<S: Same, M: Same> Same for Dual<S, M> {
    fn same(&self, other: &Self, bound: Bound) -> bool {
        self.value.same(&other.value, bound) && self.tangent.same(&other.tangent, bound)
    }
    fn show(&self) -> String {
        format!("({} with tangent {})", self.value.show(), self.tangent.show())
    }
}

impl<S: Same> Same for Vec<S> {
    fn same(&self, other: &Self, bound: Bound) -> bool {
        self.len() == other.len() && self.iter().zip(other).all(|(a, b)| a.same(b, bound))
    }
    fn show(&self) -> String {
        list(self.iter().map(S::show))
    }
}

impl<S: Same, const N: usize> Same for [S; N] {
    fn same(&self, other: &Self, bound: Bound) -> bool {
        self.iter().zip(other).all(|(a, b)| a.same(b, bound))
    }
    fn show(&self) -> String {
        list(self.iter().map(S::show))
    }
}

impl<S: Same, N: ArrayLength> Same for Dense<S, N> {
    fn same(&self, other: &Self, bound: Bound) -> bool {
        self.0.iter().zip(&other.0).all(|(a, b)| a.same(b, bound))
    }
    fn show(&self) -> String {
        list(self.0.iter().map(S::show))
    }
}

/// A variable that is absent has the coefficient 0.
impl<V: Ord + Clone + Debug, S: Semiring + Same> Same for Sparse<V, S> {
    fn same(&self, other: &Self, bound: Bound) -> bool {
        let mut variables = self.iter().chain(other.iter()).map(|(v, _)| v);
        let zero = S::zero();
        variables.all(|v| self.get(v).unwrap_or(&zero).same(other.get(v).unwrap_or(&zero), bound))
    }
    fn show(&self) -> String {
        let entries: Vec<String> = self.iter().map(|(v, s)| format!("{v:?}: {}", s.show())).collect();
        format!("{{{}}}", entries.join(", "))
    }
}

impl<'a, S: Semiring + 'a, M: Module<S> + Same + 'a> Same for Hom<'a, S, M> {
    fn same(&self, other: &Self, bound: Bound) -> bool {
        self.abs().same(&other.abs(), bound)
    }
    fn show(&self) -> String {
        format!("s ↦ s·{}", self.abs().show())
    }
}

impl<'a, S: Semiring + 'a, M: Module<S> + Same + 'a> Same for Cayley<'a, S, M> {
    fn same(&self, other: &Self, bound: Bound) -> bool {
        self.abs().same(&other.abs(), bound)
    }
    fn show(&self) -> String {
        format!("s m ↦ m + s·{}", self.abs().show())
    }
}

impl<'a, S: Semiring + Same + 'a> Same for Accumulate<'a, S> {
    fn same(&self, other: &Self, bound: Bound) -> bool {
        self.abs(VARIABLES).same(&other.abs(VARIABLES), bound)
    }
    fn show(&self) -> String {
        format!("s a ↦ a += s·{}", self.abs(VARIABLES).show())
    }
}

impl<M: Same> Same for Brand<'_, M> {
    fn same(&self, other: &Self, bound: Bound) -> bool {
        self.inner.same(&other.inner, bound)
    }
    fn show(&self) -> String {
        self.inner.show()
    }
}

impl<'a, V: Clone + Eq + Hash, P: Signature> Same for Term<'a, V, P>
where
    Term<'a, V, P>: Display,
{
    fn same(&self, other: &Self, _: Bound) -> bool {
        Term::same(self, other)
    }
    fn show(&self) -> String {
        self.to_string()
    }
}

fn list(items: impl Iterator<Item = String>) -> String {
    format!("[{}]", items.collect::<Vec<_>>().join(", "))
}
