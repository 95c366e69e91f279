//! Array handles: making arrays, their parts, and their shapes.
//!
//! Law: the rank of an array is in its type, its sizes in its value. What has the wrong rank does not compile; what has
//! the wrong size is an error when the program runs (tests/array/trace_values.rs, tests/array/trace.rs).

use super::combinators::tabulate;
use super::handles::{by_part, handle, ids};
use super::scope::{Here, Id, emit, emit_one};
use super::{As, Handle, I64, IntoHandle, Nested};
use crate::array::{Atom, Op, Range, Scatter, Type, index};

/// An array of a program: of scalars, of arrays (of one size all), or of tuples.
///
/// Arithmetic of whole arrays is element by element, and with scalars and numbers on either side. An array meets each element of one
/// that has a dimension more, so `m + row` adds a row to each of a matrix; `m.map2(column, |row, x| row + x)` adds a column.
/// Operations on arrays of different lengths are errors when the program runs.
///
/// ```
/// use catadiff::{Elementary, array::{Program, trace::{Arr, F64}}};
/// let standardise = Program::trace(|x: Arr<F64>| {
///     let n = x.len().to_f64();
///     let mean = x.sum() / n;
///     let deviation = x - mean;
///     deviation / ((deviation * deviation).sum() / n).sqrt()
/// })?;
/// # let _ = standardise;
/// # Ok::<(), catadiff::Error>(())
/// ```
///
/// A wrong rank does not compile:
///
/// ```compile_fail,E0599
/// # use catadiff::array::{Program, trace::{Arr, F64}};
/// Program::trace(|x: Arr<F64>| x.transpose());
/// ```
///
/// ```compile_fail,E0277
/// # use catadiff::array::{Program, trace::{Arr, F64}};
/// Program::trace(|x: Arr<Arr<Arr<F64>>>, y: Arr<F64>| x + y);
/// ```
///
/// ```compile_fail,E0599
/// # use catadiff::array::{Program, trace::{Arr, F64}};
/// Program::trace(|x: Arr<F64>| x.sum().map(|y: F64| y));
/// ```
#[derive(Debug)]
pub struct Arr<T: Handle> {
    pub(super) ids: T::Ids,
}

impl<T: Handle> Copy for Arr<T> {}
impl<T: Handle> Clone for Arr<T> {
    fn clone(&self) -> Self {
        *self
    }
}

/// The integers `0, 1, …, n − 1`.
#[track_caller]
pub fn iota(n: impl As<I64>) -> Arr<I64> {
    Arr::of(emit_one(&[n.handle().ids()], |n| Op::Iota(n[0])))
}

/// An array of `n` copies of a value.
#[track_caller]
pub fn replicate<X: IntoHandle>(n: impl As<I64>, value: X) -> Arr<X::Handle> {
    let n = n.handle().ids();
    by_part(value.into_handle(), |id, _| emit_one(&[n, id], |x| Op::Replicate(x[0], x[1])))
}

/// The ids of an index, or of several.
#[track_caller]
fn positions<const N: usize>(indices: [I64; N]) -> [Id; N] {
    indices.map(Handle::ids)
}

/// The array whose values are made of those of another, and of another handle with as many, one by one.
#[track_caller]
fn by_pair<T: Handle, U: Handle>(array: Arr<T>, other: U, mut part: impl FnMut(Id, Id) -> Id) -> Arr<T> {
    let mut others = ids(other).into_iter();
    by_part(array, |id, _| part(id, others.next().unwrap_or(Id::NOTHING)))
}

impl<T: Handle> Arr<T> {
    #[track_caller]
    fn first_part(self) -> Id {
        ids(self).first().copied().unwrap_or(Id::NOTHING)
    }

    /// The number of elements.
    #[must_use]
    #[allow(clippy::len_without_is_empty, reason = "whether it is empty is not known while tracing")]
    #[track_caller]
    pub fn len(self) -> I64 {
        self.size(0)
    }

    /// The size in a dimension, counted from the outermost, which is 0.
    #[must_use]
    #[track_caller]
    pub fn size(self, dimension: usize) -> I64 {
        I64::of(emit_one(&[self.first_part()], |a| Op::Size(a[0], dimension)))
    }

    #[track_caller]
    fn at<const N: usize, R: Handle>(self, indices: [I64; N]) -> R {
        let at = positions(indices);
        by_part(self, |id, _| emit_one(&[&[id], &at[..]].concat(), |x| Op::Index(x[0], x[1..].to_vec())))
    }

    #[track_caller]
    fn replaced<const N: usize, V: Handle>(self, indices: [I64; N], value: V) -> Self {
        let at = positions(indices);
        by_pair(self, value, |id, value| {
            emit_one(&[&[id, value], &at[..]].concat(), |x| Op::Update(x[0], x[2..].to_vec(), x[1]))
        })
    }

    /// The element at an index. Out of bounds is an error of the program.
    #[must_use]
    #[track_caller]
    pub fn index(self, i: impl As<I64>) -> T {
        self.at([i.handle()])
    }

    /// The array with the element at an index replaced. Out of bounds is an error of the program.
    #[must_use]
    #[track_caller]
    pub fn with(self, i: impl As<I64>, value: impl As<T>) -> Self {
        self.replaced([i.handle()], value.handle())
    }

    /// An array of the same length whose every element is this value.
    #[must_use]
    #[track_caller]
    pub fn fill(self, value: impl As<T>) -> Self {
        replicate(self.len(), value.handle())
    }

    /// The first element; of an empty array, an error of the program.
    #[must_use]
    #[track_caller]
    pub fn first(self) -> T {
        self.index(0)
    }

    /// The last element; of an empty array, an error of the program.
    #[must_use]
    #[track_caller]
    pub fn last(self) -> T {
        self.index(self.len() - 1)
    }

    /// `count` elements from `start`, with the distance `step`, which may be negative. Out of bounds is an error of the
    /// program.
    #[must_use]
    #[track_caller]
    pub fn range(self, start: impl As<I64>, count: impl As<I64>, step: impl As<I64>) -> Self {
        let range = positions([start.handle(), count.handle(), step.handle()]);
        let slice = |x: Vec<Atom>| Op::Slice(x[0], vec![Range { start: x[1], count: x[2], step: x[3] }]);
        by_part(self, |id, _| emit_one(&[&[id], &range[..]].concat(), slice))
    }

    /// The elements from `start` up to `end`, which is excluded. Out of bounds is an error of the program.
    #[must_use]
    #[track_caller]
    pub fn slice(self, start: impl As<I64>, end: impl As<I64>) -> Self {
        let start = start.handle();
        self.range(start, end.handle() - start, 1)
    }

    /// The first `n` elements. Out of bounds is an error of the program.
    #[must_use]
    #[track_caller]
    pub fn take(self, n: impl As<I64>) -> Self {
        self.range(0, n, 1)
    }

    /// All but the first `n` elements. Out of bounds is an error of the program.
    #[must_use]
    #[track_caller]
    pub fn drop(self, n: impl As<I64>) -> Self {
        let n = n.handle();
        self.range(n, self.len() - n, 1)
    }

    /// The elements backwards.
    #[must_use]
    #[track_caller]
    pub fn reverse(self) -> Self {
        by_part(self, |id, _| emit_one(&[id], |x| Op::Reverse(x[0])))
    }

    /// The elements of this array, then those of the other, which may be written out.
    ///
    /// ```
    /// use catadiff::array::{Program, trace::{Arr, F64}};
    /// let with_bias = Program::trace(|x: Arr<F64>| x.concat([1.0]))?;
    /// assert_eq!(with_bias.at::<Vec<f64>>([2.0, 3.0])?, [2.0, 3.0, 1.0]);
    /// # Ok::<(), catadiff::Error>(())
    /// ```
    #[must_use]
    #[track_caller]
    pub fn concat(self, other: impl As<Self>) -> Self {
        by_pair(self, other.handle(), |id, other| emit_one(&[id, other], Op::Concat))
    }

    /// The elements at these indices. Out of bounds is an error of the program.
    #[must_use]
    #[track_caller]
    pub fn gather(self, indices: Arr<I64>) -> Self {
        indices.map(|i| self.index(i))
    }

    /// The array with `values` written at `indices`; a value with an index out of bounds is ignored. Equal indices must
    /// come with equal values.
    #[must_use]
    #[track_caller]
    pub fn scatter(self, indices: Arr<I64>, values: Arr<T>) -> Self {
        by_pair(self, values, |id, value| {
            emit_one(&[id, indices.ids(), value], |x| {
                let [destination, indices, values] = x[..] else { panic!("an operand for each id") };
                Op::Scatter(Box::new(Scatter { destination, indices, values }))
            })
        })
    }

    /// The array in rows of `m` elements, `n` of them. It has to have `n × m`.
    #[must_use]
    #[track_caller]
    pub fn unflatten(self, n: impl As<I64>, m: impl As<I64>) -> Arr<Arr<T>> {
        let sizes = positions([n.handle(), m.handle()]);
        by_part(self, |id, t| reshaped(id, &sizes, t.rank, 1))
    }

    /// The array with its leading dimensions in another order: dimension `k` of the result is dimension `order[k]`. An
    /// order of more dimensions than there are, or none, is a [`Mistake`](crate::Mistake) of the trace.
    #[must_use]
    #[track_caller]
    pub fn permute<const N: usize>(self, order: [usize; N]) -> Self {
        by_part(self, |id, t| emit_one(&[id], |x| Op::Permute(x[0], order.into_iter().chain(N..t.rank).collect())))
    }
}

/// The array with its `leading` outermost dimensions of `rank` replaced by those of these sizes.
#[track_caller]
fn reshaped(id: Id, sizes: &[Id], rank: usize, leading: usize) -> Id {
    let kept = (leading..rank).map(|k| emit_one(&[id], |x| Op::Size(x[0], k)));
    let operands: Vec<Id> = [id].into_iter().chain(sizes.iter().copied()).chain(kept).collect();
    emit_one(&operands, |x| Op::Reshape(x[0], x[1..].to_vec()))
}

/// The elements of a value of this type in a row; of a scalar, the one.
#[track_caller]
pub(crate) fn as_row(id: Id, of: Type) -> Id {
    if of.rank == 0 {
        return emit_one(&[id], Op::Elements);
    }
    let size = (0..of.rank).map(|k| I64::of(emit_one(&[id], |x| Op::Size(x[0], k)))).reduce(|n, m| n * m);
    reshaped(id, &[size.expect("an array has dimensions").ids()], of.rank, of.rank)
}

/// The value of the type and the sizes of another that has these elements, in a row.
#[track_caller]
pub(crate) fn row_as(row: Id, like: Id, of: Type) -> Id {
    if of.rank == 0 {
        return emit_one(&[row], |x| Op::Index(x[0], vec![index(0)]));
    }
    let sizes: Vec<Id> = (0..of.rank).map(|k| emit_one(&[like], |x| Op::Size(x[0], k))).collect();
    reshaped(row, &sizes, 1, 1)
}

impl<T: Handle> Arr<Arr<T>> {
    /// Rows become columns.
    #[must_use]
    #[track_caller]
    pub fn transpose(self) -> Self {
        self.permute([1, 0])
    }

    /// The rows one after the other.
    #[must_use]
    #[track_caller]
    pub fn flatten(self) -> Arr<T> {
        let size = self.size(0) * self.size(1);
        by_part(self, |id, t| reshaped(id, &[size.ids()], t.rank, 2))
    }

    /// The element in this row and column. Out of bounds is an error of the program.
    #[must_use]
    #[track_caller]
    pub fn index2(self, i: impl As<I64>, j: impl As<I64>) -> T {
        self.at([i.handle(), j.handle()])
    }

    /// The array with the element in this row and column replaced. Out of bounds is an error of the program.
    #[must_use]
    #[track_caller]
    pub fn with2(self, i: impl As<I64>, j: impl As<I64>, value: impl As<T>) -> Self {
        self.replaced([i.handle(), j.handle()], value.handle())
    }

    /// The diagonal, from the top left.
    #[must_use]
    #[track_caller]
    pub fn diagonal(self) -> Arr<T> {
        let size = self.size(0).min(self.size(1));
        tabulate(size, |i| self.index2(i, i))
    }
}

/// The sizes of an array, and so its rank: `[n]`, `[n, m]`, up to four.
#[diagnostic::on_unimplemented(message = "`{Self}` is not a list of sizes", note = "write `[n]`, `[n, m]`, up to four")]
pub trait Sizes {
    /// The nested array of these dimensions.
    type Array<S: Handle>: Handle;

    /// The sizes, outermost first.
    #[track_caller]
    fn sizes(self) -> Vec<I64>;
}

macro_rules! sizes {
    ($($n:literal: $S:ident => $Array:ty;)+) => {$(
        impl<I: As<I64>> Sizes for [I; $n] {
            type Array<$S: Handle> = $Array;
            #[track_caller]
            fn sizes(self) -> Vec<I64> {
                self.into_iter().map(As::handle).collect()
            }
        }
    )+};
}

sizes! {
    1: S => Arr<S>;
    2: S => Arr<Arr<S>>;
    3: S => Arr<Arr<Arr<S>>>;
    4: S => Arr<Arr<Arr<Arr<S>>>>;
}

impl<T: Nested> Arr<T> {
    /// The scalars of the array, in order, in an array of these sizes. It has to have as many.
    ///
    /// ```
    /// use catadiff::array::{Program, trace::{Arr, F64}};
    /// let blocks = Program::trace(|x: Arr<Arr<F64>>| x.reshape([2, 3, 4]).map(|block| block.transpose()))?;
    /// assert_eq!(blocks.atom_type(blocks.function().body.results[0]).to_string(), "[][][]f64");
    /// # Ok::<(), catadiff::Error>(())
    /// ```
    #[must_use]
    #[track_caller]
    pub fn reshape<S: Sizes>(self, sizes: S) -> S::Array<T::Leaf> {
        let _here = Here::new();
        let operands: Vec<Id> = ids(self).into_iter().chain(sizes.sizes().into_iter().map(Handle::ids)).collect();
        handle(emit(&operands, |x| Op::Reshape(x[0], x[1..].to_vec())))
    }

    /// What has the sizes of an element, and this value everywhere.
    #[track_caller]
    pub(super) fn element_of(self, value: T::Leaf) -> T {
        let sizes: Vec<I64> = (1..=T::RANK).map(|k| self.size(k)).collect();
        T::filled(&sizes, value)
    }

    /// An array of the same sizes whose every scalar is 0.
    #[must_use]
    #[track_caller]
    pub fn zeros_like(self) -> Self {
        let _here = Here::new();
        let sizes: Vec<I64> = (0..=T::RANK).map(|k| self.size(k)).collect();
        Arr::filled(&sizes, T::Leaf::of(Id::constant(<T::Leaf as super::ScalarHandle>::PRIM.zero())))
    }
}
