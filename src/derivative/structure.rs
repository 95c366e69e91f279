//! Structs of numbers in and out: a gradient with the shape of the parameters.
//!
//! Law: `map_numbers` visits every number once, in an order that depends on the shape alone, and keeps the shape; so a
//! structure is a vector of numbers and a way to put one back together (a traversal of functional programming)
//! (tests/scalar/structure.rs).

use core::marker::PhantomData;
use core::ops::Deref;

use super::Reverse;
use super::reverse::ReverseVar;
use super::strategy::{Base, Num, Strategy};
use crate::error::{Error, Result};

/// A container of numbers whose numbers can be exchanged for those of another type: arrays, vectors, tuples, their
/// nestings, and your own generic structs. A number is itself a structure, of one number.
///
/// ```
/// use catadiff::derivative::{Structure, grad_of};
/// use catadiff::prelude::*;
///
/// #[derive(Debug, PartialEq)]
/// struct Params<T> { w: Vec<T>, b: T }
///
/// impl<S: Base> Structure for Params<S> {
///     type Scalar = S;
///     type Of<T> = Params<T>;
///     fn map_numbers<T>(&self, f: &mut impl FnMut(S) -> T) -> Params<T> {
///         Params { w: self.w.map_numbers(f), b: self.b.map_numbers(f) }
///     }
/// }
///
/// let params = Params { w: vec![2.0, 3.0], b: 4.0 };
/// let gradient = grad_of(|p| p.w[0] * p.w[1] * p.b, &params)?;
/// assert_eq!(gradient, Params { w: vec![12.0, 8.0], b: 6.0 });
/// # Ok::<(), catadiff::Error>(())
/// ```
///
/// The macro [`structure!`](crate::structure) writes such an `impl`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a structure of numbers",
    note = "numbers are, and arrays, `Vec`s and tuples of structures; for a struct of your own see `catadiff::structure!`"
)]
pub trait Structure {
    /// The numbers inside.
    type Scalar;
    /// The same structure with numbers of type `T`.
    type Of<T>;

    /// The structure with `f` applied to each number, always in the same order.
    fn map_numbers<T>(&self, f: &mut impl FnMut(Self::Scalar) -> T) -> Self::Of<T>;

    /// The numbers in the order of [`map_numbers`](Structure::map_numbers).
    ///
    /// ```
    /// use catadiff::derivative::Structure;
    /// assert_eq!((1.0, vec![[2.0, 3.0], [4.0, 5.0]]).flatten(), [1.0, 2.0, 3.0, 4.0, 5.0]);
    /// ```
    fn flatten(&self) -> Vec<Self::Scalar> {
        let mut numbers = Vec::new();
        self.map_numbers(&mut |number| numbers.push(number));
        numbers
    }

    /// The structure with these numbers in place of its own.
    ///
    /// # Errors
    /// [`Error::Length`] if there are not as many numbers as the structure holds.
    ///
    /// # Panics
    /// If an implementation of [`map_numbers`](Structure::map_numbers) breaks the law and visits more numbers the second time.
    fn rebuild<T>(&self, numbers: Vec<T>) -> Result<Self::Of<T>> {
        let mut expected = 0;
        self.map_numbers(&mut |_| expected += 1);
        Error::lengths("the list of numbers of a structure", expected, numbers.len())?;
        Ok(refill(self, numbers))
    }
}

/// The shape with as many new numbers as it holds.
fn refill<P: Structure + ?Sized, T>(shape: &P, numbers: Vec<T>) -> P::Of<T> {
    let mut numbers = numbers.into_iter();
    shape.map_numbers(&mut |_| numbers.next().expect("`Structure::map_numbers` visits the same numbers each time"))
}

impl<S: Base> Structure for S {
    type Scalar = S;
    type Of<T> = T;

    fn map_numbers<T>(&self, f: &mut impl FnMut(S) -> T) -> T {
        f(*self)
    }
}

impl<P: Structure, const N: usize> Structure for [P; N] {
    type Scalar = P::Scalar;
    type Of<T> = [P::Of<T>; N];

    fn map_numbers<T>(&self, f: &mut impl FnMut(P::Scalar) -> T) -> Self::Of<T> {
        core::array::from_fn(|i| self[i].map_numbers(f))
    }
}

impl<P: Structure> Structure for Vec<P> {
    type Scalar = P::Scalar;
    type Of<T> = Vec<P::Of<T>>;

    fn map_numbers<T>(&self, f: &mut impl FnMut(P::Scalar) -> T) -> Self::Of<T> {
        self.iter().map(|part| part.map_numbers(f)).collect()
    }
}

macro_rules! tuples {
    ($($A:ident $($P:ident)*: $($at:tt),+;)+) => {$(
        impl<$A: Structure, $($P: Structure<Scalar = $A::Scalar>),*> Structure for ($A, $($P,)*) {
            type Scalar = $A::Scalar;
            type Of<T> = ($A::Of<T>, $($P::Of<T>,)*);

            fn map_numbers<T>(&self, f: &mut impl FnMut($A::Scalar) -> T) -> Self::Of<T> {
                ($(self.$at.map_numbers(f),)+)
            }
        }
    )+};
}

tuples! {
    A: 0;
    A B: 0, 1;
    A B C: 0, 1, 2;
    A B C D: 0, 1, 2, 3;
}

/// Declares a struct with one type parameter, and makes it a [`Structure`](crate::derivative::Structure): every
/// field must be one over the parameter.
///
/// ```
/// use catadiff::derivative::grad_of;
///
/// catadiff::structure! {
///     /// An affine map and its neighbour.
///     #[derive(Debug, PartialEq)]
///     pub struct Layer<T> { pub w: [Vec<T>; 2], pub b: T }
/// }
///
/// let at = Layer { w: [vec![1.0], vec![2.0, 3.0]], b: 4.0 };
/// let gradient = grad_of(|p| p.w[0][0] * p.w[1][1] + p.b * p.b, &at)?;
/// assert_eq!(gradient, Layer { w: [vec![3.0], vec![0.0, 1.0]], b: 8.0 });
/// # Ok::<(), catadiff::Error>(())
/// ```
#[macro_export]
macro_rules! structure {
    ($(#[$meta:meta])* $vis:vis struct $Name:ident<$T:ident> {
        $($(#[$field_meta:meta])* $field_vis:vis $field:ident: $Type:ty),+ $(,)?
    }) => {
        $(#[$meta])*
        $vis struct $Name<$T> { $($(#[$field_meta])* $field_vis $field: $Type),+ }

        impl<$T: $crate::derivative::Base> $crate::derivative::Structure for $Name<$T> {
            type Scalar = $T;
            type Of<Other> = $Name<Other>;

            fn map_numbers<Other>(&self, f: &mut impl FnMut($T) -> Other) -> $Name<Other> {
                $Name { $($field: $crate::derivative::Structure::map_numbers(&self.$field, f)),+ }
            }
        }
    };
}

/// The point at which a function of a structure is run: the structure itself, to be used as if by reference, with
/// the brand of its differentiation.
#[derive(Debug, Clone)]
pub struct Point<'b, P> {
    at: P,
    // A closure may only return a number branded `'b` if `'b` stands in the type of its argument.
    brand: PhantomData<fn(&'b ()) -> &'b ()>,
}

impl<P> Deref for Point<'_, P> {
    type Target = P;

    #[inline(always)]
    fn deref(&self) -> &P {
        &self.at
    }
}

/// What every strategy can do at structures of numbers: `Forward::grad_of(f, &params)`.
///
/// ```
/// use catadiff::derivative::StructuredStrategy;
/// use catadiff::prelude::*;
/// let gradient = Forward::grad_of(|p| p.0[0] * p.0[1] * p.1, &([2.0, 3.0], 4.0))?;
/// assert_eq!(gradient, ([12.0, 8.0], 6.0));
/// # Ok::<(), catadiff::Error>(())
/// ```
pub trait StructuredStrategy<S: Base>: Strategy<S> {
    /// The value and the gradient of a function of a structure; the gradient has its shape.
    ///
    /// # Errors
    /// As for [`value_and_grad`](Strategy::value_and_grad).
    fn value_and_grad_of<P, F>(f: F, at: &P) -> Result<(S, P::Of<S>)>
    where
        P: Structure<Scalar = S>,
        F: for<'b> Fn(Point<'b, P::Of<Num<'b, Self, S>>>) -> Num<'b, Self, S>,
    {
        let (value, gradient) =
            Self::value_and_grad(|x| f(Point { at: refill(at, x.to_vec()), brand: PhantomData }), &at.flatten())?;
        Ok((value, refill(at, gradient)))
    }

    /// The gradient of a function of a structure, with its shape.
    ///
    /// # Errors
    /// As for [`value_and_grad`](Strategy::value_and_grad).
    fn grad_of<P, F>(f: F, at: &P) -> Result<P::Of<S>>
    where
        P: Structure<Scalar = S>,
        F: for<'b> Fn(Point<'b, P::Of<Num<'b, Self, S>>>) -> Num<'b, Self, S>,
    {
        Ok(Self::value_and_grad_of(f, at)?.1)
    }
}

impl<S: Base, A: Strategy<S>> StructuredStrategy<S> for A {}

/// The gradient of a function of a structure of numbers, by reverse mode, with the shape of the structure.
///
/// The function receives a [`Point`], which is used like a reference to the structure. A generic function
/// `fn f<R: Real>(p: &Params<R>) -> R` is passed as `|p| f(&p)`.
///
/// # Errors
/// As for [`grad`](super::grad).
///
/// ```
/// use catadiff::derivative::grad_of;
/// assert_eq!(grad_of(|p| p.0 * p.1[0] * p.1[1], &(2.0, [3.0, 5.0]))?, (15.0, [10.0, 6.0]));
/// # Ok::<(), catadiff::Error>(())
/// ```
///
/// As with the other verbs, numbers of two differentiations do not mix:
///
/// ```compile_fail
/// use catadiff::derivative::grad_of;
/// let gradient = grad_of(|p| { grad_of(|q| p.0 * q.0, &(1.0, 2.0)); p.1 }, &(1.0, 2.0));
/// ```
pub fn grad_of<S: Base, P, F>(f: F, at: &P) -> Result<P::Of<S>>
where
    P: Structure<Scalar = S>,
    F: for<'b> Fn(Point<'b, P::Of<ReverseVar<'b, S>>>) -> ReverseVar<'b, S>,
{
    Reverse::grad_of(f, at)
}

/// The value and the gradient of a function of a structure of numbers, by reverse mode.
///
/// # Errors
/// As for [`grad`](super::grad).
///
/// ```
/// use catadiff::derivative::value_and_grad_of;
/// let (value, slope) = value_and_grad_of(|x| *x * *x, &3.0)?;
/// assert_eq!((value, slope), (9.0, 6.0));
/// # Ok::<(), catadiff::Error>(())
/// ```
pub fn value_and_grad_of<S: Base, P, F>(f: F, at: &P) -> Result<(S, P::Of<S>)>
where
    P: Structure<Scalar = S>,
    F: for<'b> Fn(Point<'b, P::Of<ReverseVar<'b, S>>>) -> ReverseVar<'b, S>,
{
    Reverse::value_and_grad_of(f, at)
}
