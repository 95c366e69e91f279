//! `N` partial derivatives at once: the dense vector, indexed by variable number.
//!
//! Law: the free module of rank `N`; componentwise, so a `Dual` over it is `N` directional derivatives that share their
//! values ("Forwards and in reverse", slide *more economic representation*) (laws: kronecker, tests/laws/instances.rs).

use core::fmt::Debug;
use core::ops::Index;
use generic_array::sequence::GenericSequence;
use generic_array::{ArrayLength, GenericArray, typenum};

use crate::algebra::{Kronecker, Module, Semiring};

/// The tangent `S^N`, as an array on the stack; `N` is a type-level number such as
/// [`U8`](crate::typenum::U8).
///
/// ```
/// use catadiff::carriers::{Dense, Dual};
/// use catadiff::typenum::U2;
/// type Number = Dual<f64, Dense<f64, U2>>;
/// let (x, y) = (Number::variable(3.0, 0), Number::variable(4.0, 1));
/// let z = x * x * y;
/// assert_eq!((z.tangent[0], z.tangent[1]), (24.0, 9.0));
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Dense<S, N: ArrayLength>(pub GenericArray<S, N>);

impl<S: Copy, N: ArrayLength> Copy for Dense<S, N> where N::ArrayType<S>: Copy {}

impl<S, N: ArrayLength> Index<usize> for Dense<S, N> {
    type Output = S;
    fn index(&self, variable: usize) -> &S {
        &self.0[variable]
    }
}

impl<S: Semiring, N: ArrayLength> Module<S> for Dense<S, N> {
    #[inline(always)]
    fn zero_tangent() -> Self {
        Dense(GenericArray::generate(|_| S::zero()))
    }
    #[inline(always)]
    fn is_zero_tangent(&self) -> bool {
        self.0.iter().all(S::is_zero)
    }
    #[inline(always)]
    fn plus(mut self, other: Self) -> Self {
        // By reference: to walk an array by value moves it through memory, and keeps the loop from being vectorised.
        for (a, b) in self.0.iter_mut().zip(&other.0) {
            *a = a.clone() + b.clone();
        }
        self
    }
    #[inline(always)]
    fn scale(mut self, by: &S) -> Self {
        for a in &mut self.0 {
            *a = a.clone().scale(by);
        }
        self
    }
    #[inline(always)]
    fn scale_ieee(mut self, by: &S) -> Self {
        for a in &mut self.0 {
            *a = a.clone() * by.clone();
        }
        self
    }
}

impl<S: Semiring, N: ArrayLength> Kronecker<usize, S> for Dense<S, N> {
    /// The unit vector of a variable below `N`; variables from `N` on have the zero tangent, so that a gradient
    /// longer than `N` can be had in blocks.
    #[inline]
    fn delta(variable: usize) -> Self {
        Dense(GenericArray::generate(|i| if i == variable { S::one() } else { S::zero() }))
    }
}

/// The lengths at which [`Dense`] is `Copy` for every `Copy` scalar: 1, 2, 3, 4, 6, 8, 12, 16, 24 and 32.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a length of `Dense`",
    note = "the lengths are `U1`, `U2`, `U3`, `U4`, `U6`, `U8`, `U12`, `U16`, `U24` and `U32` of `catadiff::typenum`; a gradient of any length is had in blocks of these"
)]
pub trait DenseLength: ArrayLength {
    /// `Dense<S, Self>`, known to be `Copy`.
    type Dense<S: Semiring + Copy + Debug>: Kronecker<usize, S> + Index<usize, Output = S> + Copy + Debug;
}

macro_rules! dense_lengths {
    ($($N:ident)+) => {$(
        impl DenseLength for typenum::$N {
            type Dense<S: Semiring + Copy + Debug> = Dense<S, typenum::$N>;
        }
    )+};
}

dense_lengths!(U1 U2 U3 U4 U6 U8 U12 U16 U24 U32);
