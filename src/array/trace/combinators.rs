//! Combinators: `map`, reductions, scans and histograms, whose closures are traced once.
//!
//! Law: a closure is called once, with handles for an arbitrary element, and what it does is the body of the
//! combinator. It may use any handle around it. Operators have to be associative, with the neutral element given; those
//! of histograms and of the `_commutative` forms commute as well (tests/array/trace_values.rs, tests/array/trace.rs).

use core::panic::Location;

use super::handles::{handle, ids, nothing, types};
use super::scope::{At, Id, emit, lambda};
use super::{Arr, As, Bool, Handle, I64, IntoHandle, iota, replicate};
use crate::array::{Hist, Lambda, Map, Op, Reduce, Type};

/// The array of `f(0), f(1), …, f(n − 1)`.
#[track_caller]
pub fn tabulate<R: IntoHandle>(n: impl As<I64>, f: impl FnOnce(I64) -> R) -> Arr<R::Handle> {
    iota(n).map(f)
}

/// The `n` by `m` array of `f(i, j)`.
#[track_caller]
pub fn tabulate2d<R: IntoHandle>(
    n: impl As<I64>,
    m: impl As<I64>,
    f: impl FnOnce(I64, I64) -> R,
) -> Arr<Arr<R::Handle>> {
    let at = Location::caller();
    let (rows, columns) = (iota(n), iota(m));
    mapped(at, rows, |i| mapped(at, columns, |j| f(i, j)))
}

/// The function from a handle to another.
#[track_caller]
pub(super) fn function<T: Handle, R: IntoHandle>(at: At, f: impl FnOnce(T) -> R) -> Option<Lambda> {
    lambda(at, &types::<T>(), |x| ids(f(handle(Some(x.to_vec()))).into_handle()))
}

#[track_caller]
fn mapped<T: Handle, R: IntoHandle>(at: At, arrays: Arr<T>, f: impl FnOnce(T) -> R) -> Arr<R::Handle> {
    let Some(function) = function(at, f) else { return nothing() };
    handle(emit(&ids(arrays), |arrays| Op::Map(Box::new(Map { function, arrays, accumulators: Vec::new() }))))
}

/// What `scalars` makes of the scalars of arrays of one type and of the same sizes, whatever their rank.
#[track_caller]
pub(crate) fn elementwise(at: At, arrays: &[Id], of: Type, scalars: &dyn Fn(&[Id]) -> Vec<Id>) -> Option<Vec<Id>> {
    if of.rank == 0 {
        return Some(scalars(arrays));
    }
    let types = vec![of.element(); arrays.len()];
    let rows = |x: &[Id]| elementwise(at, x, of.element(), scalars).unwrap_or_else(|| vec![Id::NOTHING]);
    let function = lambda(at, &types, rows)?;
    emit(arrays, |arrays| Op::Map(Box::new(Map { function, arrays, accumulators: Vec::new() })))
}

/// The parts of a reduction or scan.
#[track_caller]
fn combined<T: Handle, R: As<T>>(
    at: At,
    (arrays, neutral): (Arr<T>, T),
    commutative: bool,
    operator: impl FnOnce(T, T) -> R,
    op: impl FnOnce(Box<Reduce>) -> Op,
) -> Option<Vec<Id>> {
    let operator = function(at, |(x, y)| operator(x, y).handle())?;
    let parts = ids(neutral).len();
    emit(&[ids(neutral), ids(arrays)].concat(), |mut neutral| {
        let arrays = neutral.split_off(parts);
        op(Box::new(Reduce { operator, neutral, arrays, commutative }))
    })
}

impl<T: Handle> Arr<T> {
    /// The array of `f` of each element.
    #[must_use]
    #[track_caller]
    pub fn map<R: IntoHandle>(self, f: impl FnOnce(T) -> R) -> Arr<R::Handle> {
        mapped(Location::caller(), self, f)
    }

    /// The array of `f` of the elements of two arrays of one length.
    #[must_use]
    #[track_caller]
    pub fn map2<U: Handle, R: IntoHandle>(self, other: Arr<U>, f: impl FnOnce(T, U) -> R) -> Arr<R::Handle> {
        self.zip(other).map(|(x, y)| f(x, y))
    }

    /// The array of `f` of the elements of three arrays of one length.
    #[must_use]
    #[track_caller]
    pub fn map3<U: Handle, V: Handle, R: IntoHandle>(
        self,
        second: Arr<U>,
        third: Arr<V>,
        f: impl FnOnce(T, U, V) -> R,
    ) -> Arr<R::Handle> {
        self.zip3(second, third).map(|(x, y, z)| f(x, y, z))
    }

    /// The array of pairs; that the lengths are equal is checked where its elements are taken. `unzip` is the way back.
    #[must_use]
    pub fn zip<U: Handle>(self, other: Arr<U>) -> Arr<(T, U)> {
        Arr { ids: (self.ids, other.ids) }
    }

    /// The array of triples, likewise.
    #[must_use]
    pub fn zip3<U: Handle, V: Handle>(self, second: Arr<U>, third: Arr<V>) -> Arr<(T, U, V)> {
        Arr { ids: (self.ids, second.ids, third.ids) }
    }

    /// The elements combined by an associative operator; of an empty array, the neutral element.
    ///
    /// ```
    /// use catadiff::array::{Program, trace::{Arr, F64}};
    /// // Affine maps a·x + b, composed in order.
    /// let compose = Program::trace(|maps: Arr<(F64, F64)>| {
    ///     maps.reduce((1.0, 0.0), |(a, b), (c, d)| (a * c, b * c + d))
    /// })?;
    /// assert_eq!(compose.function().body.results.len(), 2);
    /// # Ok::<(), catadiff::Error>(())
    /// ```
    #[must_use]
    #[track_caller]
    pub fn reduce<R: As<T>>(self, neutral: impl As<T>, operator: impl FnOnce(T, T) -> R) -> T {
        let parts = (self, neutral.handle());
        handle(combined(Location::caller(), parts, false, operator, Op::Reduce))
    }

    /// The elements combined by an operator that also commutes, which may then be applied in any order.
    #[must_use]
    #[track_caller]
    pub fn reduce_commutative<R: As<T>>(self, neutral: impl As<T>, operator: impl FnOnce(T, T) -> R) -> T {
        let parts = (self, neutral.handle());
        handle(combined(Location::caller(), parts, true, operator, Op::Reduce))
    }

    /// All prefixes combined by an associative operator, each including its last element.
    #[must_use]
    #[track_caller]
    pub fn scan<R: As<T>>(self, neutral: impl As<T>, operator: impl FnOnce(T, T) -> R) -> Self {
        let parts = (self, neutral.handle());
        handle(combined(Location::caller(), parts, false, operator, Op::Scan))
    }

    /// This array of bins, with values combined into the bins at their indices by an associative and commutative
    /// operator. A value whose index is out of bounds is ignored.
    #[must_use]
    #[track_caller]
    pub fn reduce_by_index<R: As<T>>(
        self,
        neutral: impl As<T>,
        indices: Arr<I64>,
        values: Arr<T>,
        operator: impl FnOnce(T, T) -> R,
    ) -> Self {
        let neutral = neutral.handle();
        let Some(operator) = function(Location::caller(), |(x, y)| operator(x, y).handle()) else {
            return nothing();
        };
        let parts = ids(neutral).len();
        let operands = [ids(neutral), ids(self), ids(values), ids(indices)].concat();
        handle(emit(&operands, |mut neutral| {
            let mut destinations = neutral.split_off(parts);
            let mut values = destinations.split_off(parts);
            let indices = values.pop().expect("the indices are the last operand");
            Op::Hist(Box::new(Hist { operator, neutral, destinations, indices, values }))
        }))
    }
}

/// The histogram of `n` bins: [`reduce_by_index`](Arr::reduce_by_index) into bins that hold the neutral element.
///
/// ```
/// use catadiff::array::{Program, trace::{Arr, F64, I64, hist}};
/// let by_cluster = Program::trace(|cluster: Arr<I64>, weight: Arr<F64>| {
///     hist(10, 0.0, cluster, weight, |x, y| x + y)
/// })?;
/// # let _ = by_cluster;
/// # Ok::<(), catadiff::Error>(())
/// ```
#[track_caller]
pub fn hist<T: Handle, R: As<T>>(
    n: impl As<I64>,
    neutral: impl As<T>,
    indices: Arr<I64>,
    values: Arr<T>,
    operator: impl FnOnce(T, T) -> R,
) -> Arr<T> {
    let neutral = neutral.handle();
    replicate(n, neutral).reduce_by_index(neutral, indices, values, operator)
}

impl Arr<Bool> {
    /// Whether all are true; so of an empty array.
    #[must_use]
    #[track_caller]
    pub fn all(self) -> Bool {
        self.reduce_commutative(true, |x, y| x & y)
    }

    /// Whether any is true; not of an empty array.
    #[must_use]
    #[track_caller]
    pub fn any(self) -> Bool {
        self.reduce_commutative(false, |x, y| x | y)
    }
}
