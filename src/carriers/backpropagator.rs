//! Functions of a sensitivity, kept as closures: what the three functional carriers have in common.
//!
//! Law: a backpropagator is linear, so the sum of its results is its result on the sum. Nested closures are as deep as
//! the term they come from, so calling and dropping them grows the stack as needed
//! (laws: refinement::application_is_linear).
//!
//! A sensitivity travels as an `Option`: `None` comes from a use that the result does not depend on, such as the side a
//! `max` does not take. It is no number, so that no `0·∞` arises on its way, but it has to travel, since shared nodes
//! wait for it.

use core::cell::RefCell;
use core::fmt;
use core::marker::PhantomData;
use std::rc::Rc;

use crate::algebra::Semiring;

/// A shared closure of type `F`, or the zero function. `Work` is what it computes with: the larger that is, the more
/// stack a call needs.
pub(super) struct Backpropagator<F: ?Sized, Work>(Option<Rc<F>>, PhantomData<fn() -> Work>);

impl<F: ?Sized, Work> Backpropagator<F, Work> {
    pub(super) const ZERO: Self = Backpropagator(None, PhantomData);

    /// Stack to be left before a call. At the bottom of all calls a map is changed, whose nodes hold 64 numbers; they
    /// pass over the stack, in unoptimised programs in a good many copies.
    const RESERVE: usize = 256 * 1024 + 2048 * size_of::<Work>();
    /// Stack to be added when there is less.
    const SEGMENT: usize = 16 * Self::RESERVE;

    pub(super) fn new(function: Rc<F>) -> Self {
        Backpropagator(Some(function), PhantomData)
    }

    pub(super) fn is_zero(&self) -> bool {
        self.0.is_none()
    }

    /// Calls the function, unless it is zero, with enough stack for what it calls in turn.
    pub(super) fn call<T>(&self, with: impl FnOnce(&F) -> T) -> Option<T> {
        self.0.as_deref().map(|f| stacker::maybe_grow(Self::RESERVE, Self::SEGMENT, || with(f)))
    }
}

impl<F: ?Sized, Work> Clone for Backpropagator<F, Work> {
    fn clone(&self) -> Self {
        Backpropagator(self.0.clone(), PhantomData)
    }
}

/// Says whether it is zero, and no more: what a closure holds cannot be seen.
impl<F: ?Sized, Work> fmt::Debug for Backpropagator<F, Work> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_zero() { "0" } else { ".." })
    }
}

impl<F: ?Sized, Work> Drop for Backpropagator<F, Work> {
    fn drop(&mut self) {
        if let Some(last) = self.0.take().filter(|f| Rc::strong_count(f) == 1) {
            stacker::maybe_grow(Self::RESERVE, Self::SEGMENT, || drop(last));
        }
    }
}

/// Sensitivities on their way to a shared node: they are added up, and go on when the last has come.
pub(super) struct Arrivals<S> {
    expected: usize,
    so_far: RefCell<(usize, Option<S>)>,
}

impl<S: Semiring> Arrivals<S> {
    pub(super) fn expect(uses: usize) -> Self {
        Arrivals { expected: uses, so_far: RefCell::new((0, None)) }
    }

    /// Adds one sensitivity; with the last, returns the sum, and is ready for the next round.
    pub(super) fn arrive(&self, sensitivity: Option<S>) -> Option<Option<S>> {
        let mut so_far = self.so_far.borrow_mut();
        let sum = match (so_far.1.take(), sensitivity) {
            (Some(a), Some(b)) => Some(a + b),
            (a, b) => a.or(b),
        };
        *so_far = (so_far.0 + 1, sum);
        (so_far.0 == self.expected).then(|| core::mem::take(&mut *so_far).1)
    }
}

/// Makes a carrier that is a [`Backpropagator`] a module. It says itself what the sum of two functions is (`sum`), and what a
/// function does with a sensitivity that is changed on its way, or kept back there (`through`); all else follows.
macro_rules! module_of_functions {
    ([$($generics:tt)*] $Carrier:ident<$($of:ident),*>) => {
        impl<'a, $($generics)*> Module<S> for $Carrier<'a, $($of),*> {
            fn zero_tangent() -> Self {
                $Carrier(Backpropagator::ZERO)
            }

            fn is_zero_tangent(&self) -> bool {
                self.0.is_zero()
            }

            fn plus(self, other: Self) -> Self {
                match (self.is_zero_tangent(), other.is_zero_tangent()) {
                    (true, _) => other,
                    (_, true) => self,
                    _ => self.sum(other),
                }
            }

            fn scale(self, by: &S) -> Self {
                if self.is_zero_tangent() {
                    return self;
                }
                let by = by.clone();
                self.through(move |s| Some(s.map(|s| s * by.clone())))
            }

            fn into_zero(self) -> Self {
                if self.is_zero_tangent() { self } else { self.through(|_| Some(None)) }
            }

            fn share(self, uses: usize) -> Self {
                if uses < 2 || self.is_zero_tangent() {
                    return self;
                }
                let arrivals = $crate::carriers::backpropagator::Arrivals::expect(uses);
                self.through(move |s| arrivals.arrive(s))
            }
        }

        impl<$($of),*> Clone for $Carrier<'_, $($of),*> {
            fn clone(&self) -> Self {
                $Carrier(self.0.clone())
            }
        }

        /// Opaque: a function cannot be seen, but by applying it.
        impl<$($of),*> core::fmt::Debug for $Carrier<'_, $($of),*> {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.debug_tuple(stringify!($Carrier)).field(&self.0).finish()
            }
        }
    };
}
pub(super) use module_of_functions;
