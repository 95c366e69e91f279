//! A module with a generative brand, so that tangents of different differentiations do not mix.
//!
//! Law: as for the module inside; `'b` is invariant, since otherwise a variable of an outer differentiation could
//! shrink into an inner one, and perturbation confusion would compile (tests/laws/instances.rs).

use core::fmt;
use core::marker::PhantomData;

use crate::algebra::{Kronecker, Module};

/// The module `M`, belonging to the one differentiation whose brand is `'b`.
///
/// A number with another brand is let in as a constant, by [`Dual::lift`](super::Dual::lift) or the
/// [`lift`](crate::derivative::Numbers::lift) of the strategy: `Reverse::lift(x)`.
#[derive(Debug, Clone, Copy)]
pub struct Brand<'b, M> {
    /// The tangent.
    pub inner: M,
    // Naming `M` here as well lets the compiler conclude that the base outlives `'b`.
    brand: PhantomData<fn(&'b M) -> &'b M>,
}

impl<M> Brand<'_, M> {
    #[inline(always)]
    pub(crate) fn new(inner: M) -> Self {
        Brand { inner, brand: PhantomData }
    }
}

impl<S, M: Module<S>> Module<S> for Brand<'_, M> {
    #[inline(always)]
    fn zero_tangent() -> Self {
        Brand::new(M::zero_tangent())
    }
    #[inline(always)]
    fn is_zero_tangent(&self) -> bool {
        self.inner.is_zero_tangent()
    }
    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        Brand::new(self.inner.plus(other.inner))
    }
    #[inline(always)]
    fn scale(self, by: &S) -> Self {
        Brand::new(self.inner.scale(by))
    }
    #[inline(always)]
    fn scale_ieee(self, by: &S) -> Self {
        Brand::new(self.inner.scale_ieee(by))
    }
    #[inline(always)]
    fn into_zero(self) -> Self {
        Brand::new(self.inner.into_zero())
    }
    fn share(self, uses: usize) -> Self {
        Brand::new(self.inner.share(uses))
    }
}

impl<V, S, M: Kronecker<V, S>> Kronecker<V, S> for Brand<'_, M> {
    #[inline]
    fn delta(variable: V) -> Self {
        Brand::new(M::delta(variable))
    }
}

macro_rules! written {
    ($($Format:ident)+) => {$(
        /// As the tangent inside.
        impl<M: fmt::$Format> fmt::$Format for Brand<'_, M> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.inner.fmt(f)
            }
        }
    )+};
}

written! { Display LowerExp }
