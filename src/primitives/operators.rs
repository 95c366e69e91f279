//! The notation of carriers: all operators that follow from a few, written once for every carrier.
//!
//! Law: `x += y` is `x = x + y`, `x ∘ 2.0` is `x ∘ constant(2.0)`, and sums and products are folds.

/// Implements for a carrier what follows from its `+ - * /` and its constants: assignment, mixing with `f64` on
/// either side, sums and products of iterators, and the negation, difference and quotient rows as operators.
///
/// `operators!{ [generics] Type, [bounds] }` is for an [`Elementary`](crate::primitives::Elementary) carrier that has
/// `Add` and `Mul` (so `Zero` and `One`); it needs nothing else. Use it for carriers of your own.
#[macro_export]
macro_rules! operators {
    ([$($generics:tt)*] $Carrier:ty, [$($bounds:tt)*]) => {
        $crate::operators!(@row [$($generics)*] $Carrier, [$($bounds)*], Sub sub, Div div);
        $crate::operators!(@literals [$($generics)*] $Carrier, [$($bounds)*], Add add, Sub sub, Mul mul, Div div);
        $crate::operators!(@folds [$($generics)*] $Carrier, [$($bounds)*]);
        $crate::operators!(@reversed [$($generics)*] $Carrier, [$($bounds)*], Add add, Sub sub, Mul mul, Div div);
        impl<$($generics)*> ::core::ops::Neg for $Carrier where $($bounds)* {
            type Output = Self;
            #[inline]
            fn neg(self) -> Self {
                <Self as $crate::primitives::Elementary>::apply(&$crate::primitives::rows::Neg, [self])
            }
        }
    };
    (@row $generics:tt $Carrier:ty, $bounds:tt, $($Op:ident $op:ident),+) => {
        $($crate::operators!(@one_row $generics $Carrier, $bounds, $Op $op);)+
    };
    (@one_row [$($generics:tt)*] $Carrier:ty, [$($bounds:tt)*], $Op:ident $op:ident) => {
        impl<$($generics)*> ::core::ops::$Op for $Carrier where $($bounds)* {
            type Output = Self;
            #[inline]
            fn $op(self, other: Self) -> Self {
                <Self as $crate::primitives::Elementary>::apply(&$crate::primitives::rows::$Op, [self, other])
            }
        }
    };
    (@literals $generics:tt $Carrier:ty, $bounds:tt, $($Op:ident $op:ident),+) => {
        $($crate::operators!(@one_literal $generics $Carrier, $bounds, $Op $op);)+
    };
    (@one_literal [$($generics:tt)*] $Carrier:ty, [$($bounds:tt)*], $Op:ident $op:ident) => {
        impl<$($generics)*> ::core::ops::$Op<f64> for $Carrier where $($bounds)* {
            type Output = Self;
            #[inline]
            fn $op(self, other: f64) -> Self {
                ::core::ops::$Op::$op(self, <Self as $crate::primitives::Elementary>::constant(other))
            }
        }
    };
    // What needs no constants: this part also serves carriers over exact numbers.
    (@folds [$($generics:tt)*] $Carrier:ty, [$($bounds:tt)*]) => {
        $crate::operators!(@assign [$($generics)*] $Carrier, [$($bounds)*],
            AddAssign add_assign Add add, SubAssign sub_assign Sub sub, MulAssign mul_assign Mul mul, DivAssign div_assign Div div);
        impl<$($generics)*> ::core::iter::Sum for $Carrier where $($bounds)* {
            fn sum<I: Iterator<Item = Self>>(terms: I) -> Self {
                terms.fold(<Self as $crate::primitives::num_traits::Zero>::zero(), |a, b| a + b)
            }
        }
        impl<$($generics)*> ::core::iter::Product for $Carrier where $($bounds)* {
            fn product<I: Iterator<Item = Self>>(factors: I) -> Self {
                factors.fold(<Self as $crate::primitives::num_traits::One>::one(), |a, b| a * b)
            }
        }
    };
    (@assign $generics:tt $Carrier:ty, $bounds:tt, $($OpAssign:ident $op_assign:ident $Op:ident $op:ident),+) => {
        $($crate::operators!(@one_assign $generics $Carrier, $bounds, $OpAssign $op_assign $Op $op);)+
    };
    (@one_assign [$($generics:tt)*] $Carrier:ty, [$($bounds:tt)*], $OpAssign:ident $op_assign:ident $Op:ident $op:ident) => {
        impl<$($generics)*> ::core::ops::$OpAssign for $Carrier where $($bounds)* {
            #[inline]
            fn $op_assign(&mut self, other: Self) {
                *self = ::core::ops::$Op::$op(::core::clone::Clone::clone(self), other);
            }
        }
        impl<$($generics)*> ::core::ops::$OpAssign<f64> for $Carrier where $($bounds)* {
            #[inline]
            fn $op_assign(&mut self, other: f64) {
                *self = ::core::ops::$Op::$op(::core::clone::Clone::clone(self), other);
            }
        }
    };
    (@reversed $generics:tt $Carrier:ty, $bounds:tt, $($Op:ident $op:ident),+) => {
        $($crate::operators!(@one_reversed $generics $Carrier, $bounds, $Op $op);)+
    };
    (@one_reversed [$($generics:tt)*] $Carrier:ty, [$($bounds:tt)*], $Op:ident $op:ident) => {
        impl<$($generics)*> ::core::ops::$Op<$Carrier> for f64 where $($bounds)* {
            type Output = $Carrier;
            #[inline]
            fn $op(self, other: $Carrier) -> $Carrier {
                ::core::ops::$Op::$op(<$Carrier as $crate::primitives::Elementary>::constant(self), other)
            }
        }
    };
}
