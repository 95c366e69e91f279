//! Arguments of programs: plain numbers, slices, arrays and `Vec`s, nested to any depth, tuples and structures, as values.
//!
//! Law: a value has the sizes and the elements of what it is made of, in order; rows of different lengths are an error
//! that names both. What is several values is those of its parts, in order. The way back is [`FromValues`](super::FromValues)
//! (tests/array/interpret.rs, tests/array/trace_values.rs, tests/array/nests.rs).

use super::value::{Array, Scalar, Value};
use crate::array::trace::{TraceFn, traced};
use crate::array::{Program, for_integers};
use crate::error::{Error, Result};
use crate::primitives::f16;

/// What can be made values in the carrier `C`: scalars; slices, arrays and `Vec`s of such, nested to any depth, each of which is one
/// value; a [`Value`], or with the features `ndarray` and `nalgebra` one of their arrays, matrices or views; and what has such parts: tuples, lists of what is
/// several values, and structures with `#[derive(Nest)]` (feature `derive`), to any depth.
///
/// ```
/// use catadiff::interpret::{ToValues, Value};
/// let nest = (vec![[1.0, 2.0], [3.0, 4.0]], (5.0, vec![(6_i64, 7.0), (8, 9.0)]));
/// let values: Vec<Value<f64>> = nest.to_values()?;
/// assert_eq!(values.iter().map(Value::to_string).collect::<Vec<_>>(), ["[[1, 2], [3, 4]]", "5", "6", "7", "8", "9"]);
/// # Ok::<(), catadiff::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no argument of a program on `{C}`",
    note = "scalars are, slices, arrays and `Vec`s of them, `Value`s, tuples of up to twelve of such, and structures with `#[derive(Nest)]`",
    note = "reals of a program are those of the carrier, `f64` if nothing else is said, its `f16` and `f32` too"
)]
pub trait ToValues<C = f64> {
    /// The number of dimensions of what is always one value; none of what has parts. A list of the former is one value, too.
    const RANK: Option<usize> = None;

    /// Adds the values, in order.
    ///
    /// # Errors
    /// [`Error::Length`] if rows have different sizes, [`Error::TooLarge`] if an integer is.
    fn add_to(&self, values: &mut Vec<Value<C>>) -> Result<()>;

    /// Adds the elements of what is one value, in order, and fills in the sizes, as many as there are dimensions, that are not known yet.
    ///
    /// # Errors
    /// As for [`add_to`](ToValues::add_to).
    fn gather(&self, sizes: &mut [Option<usize>], elements: &mut Vec<Scalar<C>>) -> Result<()> {
        let (_, _) = (sizes, elements);
        unreachable!("what has parts is no part of an array")
    }

    /// Adds how long the `Vec`s and slices of what has parts are, from the outside in and in order.
    fn add_counts(&self, counts: &mut Vec<usize>) {
        let _ = counts;
    }

    /// The values.
    ///
    /// # Errors
    /// As for [`add_to`](ToValues::add_to).
    fn to_values(&self) -> Result<Vec<Value<C>>> {
        let mut values = Vec::new();
        self.add_to(&mut values)?;
        Ok(values)
    }
}

/// The one value of what has this number of dimensions.
pub(super) fn gathered<C, T: ToValues<C> + ?Sized>(nested: &T, rank: usize) -> Result<Value<C>> {
    let (mut sizes, mut elements) = (vec![None; rank], Vec::new());
    nested.gather(&mut sizes, &mut elements)?;
    if rank == 0 {
        return Ok(Value::Scalar(elements.pop().expect("a scalar has one element")));
    }
    // A size that no row has shown is that of no row.
    let sizes: Vec<usize> = sizes.into_iter().map(Option::unwrap_or_default).collect();
    Ok(Value::Array(Array::new(sizes, elements)))
}

macro_rules! scalars {
    ($([$($generics:tt)*] $T:ty as $C:ty: $Variant:ident;)+) => {$(
        impl$($generics)* ToValues<$C> for $T {
            const RANK: Option<usize> = Some(0);
            fn add_to(&self, values: &mut Vec<Value<$C>>) -> Result<()> {
                values.push((*self).into());
                Ok(())
            }
            fn gather(&self, _: &mut [Option<usize>], elements: &mut Vec<Scalar<$C>>) -> Result<()> {
                elements.push(Scalar::$Variant((*self).into()));
                Ok(())
            }
        }

        impl$($generics)* From<$T> for Value<$C> {
            fn from(scalar: $T) -> Self {
                Value::Scalar(Scalar::$Variant(scalar.into()))
            }
        }
    )+};
}

scalars! {
    [] f64 as f64: F64;
    [] f32 as f32: F32;
    // Numbers of fewer digits, of programs that are run on doubles.
    [] f32 as f64: F32;
    [] f16 as f64: F16;
}

macro_rules! exact {
    ($($Variant:ident($T:ident))+) => { scalars! { $([<C>] $T as C: $Variant;)+ } };
}

for_integers! { exact!() Bool(bool) }

/// A size or an index, which in programs is an `i64`.
impl<C> ToValues<C> for usize {
    const RANK: Option<usize> = Some(0);
    fn add_to(&self, values: &mut Vec<Value<C>>) -> Result<()> {
        values.push(gathered(self, 0)?);
        Ok(())
    }
    fn gather(&self, _: &mut [Option<usize>], elements: &mut Vec<Scalar<C>>) -> Result<()> {
        let limit = usize::try_from(i64::MAX).unwrap_or(usize::MAX);
        let n = i64::try_from(*self).map_err(|_| Error::TooLarge { what: "an integer", limit })?;
        elements.push(Scalar::I64(n));
        Ok(())
    }
}

/// The dimensions of a list of what has these.
pub(super) const fn lengthened(rank: Option<usize>) -> Option<usize> {
    match rank {
        Some(rank) => Some(rank + 1),
        None => None,
    }
}

impl<C, T: ToValues<C>> ToValues<C> for [T] {
    const RANK: Option<usize> = lengthened(T::RANK);
    fn add_to(&self, values: &mut Vec<Value<C>>) -> Result<()> {
        let Some(rank) = Self::RANK else { return self.iter().try_for_each(|part| part.add_to(values)) };
        values.push(gathered(self, rank)?);
        Ok(())
    }
    fn gather(&self, sizes: &mut [Option<usize>], elements: &mut Vec<Scalar<C>>) -> Result<()> {
        let (own, inner) = sizes.split_first_mut().expect("there are as many sizes as dimensions");
        Error::lengths("a row of an array", *own.get_or_insert(self.len()), self.len())?;
        self.iter().try_for_each(|row| row.gather(inner, elements))
    }
    fn add_counts(&self, counts: &mut Vec<usize>) {
        if Self::RANK.is_none() {
            counts.push(self.len());
            self.iter().for_each(|part| part.add_counts(counts));
        }
    }
}

macro_rules! same_as {
    ($([$($generics:tt)*] $T:ty as $Inner:ty;)+) => {$(
        impl<C, $($generics)*> ToValues<C> for $T {
            const RANK: Option<usize> = <$Inner as ToValues<C>>::RANK;
            fn add_to(&self, values: &mut Vec<Value<C>>) -> Result<()> {
                <$Inner as ToValues<C>>::add_to(self, values)
            }
            fn gather(&self, sizes: &mut [Option<usize>], elements: &mut Vec<Scalar<C>>) -> Result<()> {
                <$Inner as ToValues<C>>::gather(self, sizes, elements)
            }
            fn add_counts(&self, counts: &mut Vec<usize>) {
                <$Inner as ToValues<C>>::add_counts(self, counts);
            }
        }
    )+};
}

same_as! {
    [T: ToValues<C>] Vec<T> as [T];
    [T: ToValues<C> + ?Sized] &T as T;
}

impl<C, T: ToValues<C>, const N: usize> ToValues<C> for [T; N] {
    const RANK: Option<usize> = lengthened(T::RANK);
    fn add_to(&self, values: &mut Vec<Value<C>>) -> Result<()> {
        self[..].add_to(values)
    }
    fn gather(&self, sizes: &mut [Option<usize>], elements: &mut Vec<Scalar<C>>) -> Result<()> {
        self[..].gather(sizes, elements)
    }
    fn add_counts(&self, counts: &mut Vec<usize>) {
        // How many there are is known by the type.
        self.iter().for_each(|part| part.add_counts(counts));
    }
}

impl<C: Clone> ToValues<C> for Value<C> {
    fn add_to(&self, values: &mut Vec<Value<C>>) -> Result<()> {
        values.push(self.clone());
        Ok(())
    }
}

/// No value, such as what a step takes besides its state.
impl<C> ToValues<C> for () {
    fn add_to(&self, _: &mut Vec<Value<C>>) -> Result<()> {
        Ok(())
    }
}

impl Program {
    /// The same, of a closure that takes `Vec`s of parameters, which are as long as in these arguments: what the program is going to be
    /// [run](Program::at) with, or what has `Vec`s in the same places.
    ///
    /// ```
    /// use catadiff::Elementary;
    /// use catadiff::array::{Program, trace::{Arr, F64}};
    /// let layers = vec![(vec![[0.5, -1.0], [1.5, 0.25]], vec![0.1, 0.2]), (vec![[1.0, 2.0]], vec![-0.5])];
    /// let x = [1.0, 2.0];
    /// let network = Program::trace_like(&["layers", "x"], (&layers, x), |layers: Vec<(Arr<Arr<F64>>, Arr<F64>)>, x: Arr<F64>| {
    ///     layers.into_iter().fold(x, |x, (w, b)| (w.matvec(x) + b).map(F64::tanh)).sum()
    /// })?;
    /// assert_eq!(network.names(), ["layers.0.0", "layers.0.1", "layers.1.0", "layers.1.1", "x"]);
    ///
    /// // The gradient by all layers has the shape of the layers.
    /// let gradient = network.grad("layers")?.at_like(&layers, (&layers, x))?;
    /// assert_eq!((gradient.len(), gradient[0].0.len(), gradient[1].1.len()), (2, 2, 1));
    /// # let _: f64 = network.at((&layers, x))?;
    /// # Ok::<(), catadiff::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`trace_named`](Program::trace_named), and [`Error::Length`](crate::Error::Length) if these have more lists than the closure takes.
    #[track_caller]
    pub fn trace_like<Arguments, Function: TraceFn<Arguments>>(
        names: &[&str],
        like: impl ToValues,
        function: Function,
    ) -> Result<Program> {
        let mut counts = Vec::new();
        like.add_counts(&mut counts);
        traced(names, &counts, function)
    }
}

macro_rules! tuples {
    ($(($($A:ident $a:ident),*);)+) => {$(
        impl<C, $($A: ToValues<C>),*> ToValues<C> for ($($A,)*) {
            fn add_to(&self, values: &mut Vec<Value<C>>) -> Result<()> {
                let ($($a,)*) = self;
                $($a.add_to(values)?;)*
                Ok(())
            }
            fn add_counts(&self, counts: &mut Vec<usize>) {
                let ($($a,)*) = self;
                $($a.add_counts(counts);)*
            }
        }
    )+};
}

tuples! {
    (A a);
    (A a, B b);
    (A a, B b, D d);
    (A a, B b, D d, E e);
    (A a, B b, D d, E e, F f);
    (A a, B b, D d, E e, F f, G g);
    (A a, B b, D d, E e, F f, G g, H h);
    (A a, B b, D d, E e, F f, G g, H h, I i);
    (A a, B b, D d, E e, F f, G g, H h, I i, J j);
    (A a, B b, D d, E e, F f, G g, H h, I i, J j, K k);
    (A a, B b, D d, E e, F f, G g, H h, I i, J j, K k, L l);
    (A a, B b, D d, E e, F f, G g, H h, I i, J j, K k, L l, M m);
}
