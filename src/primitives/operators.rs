//! The notation of carriers: all operators that follow from a few, written once for every carrier.
//!
//! Law: `x += y` is `x = x + y`, `x ∘ 2.0` is `x ∘ constant(2.0)` and `x.f(2.0)` is `x.f(constant(2.0))`, sums and products
//! are folds, and a number with a value compares as its value does (tests/scalar/notation.rs, tests/scalar/operators.rs).

/// Implements for a carrier what follows from its `+ - * /` and its constants: operands by reference, assignment,
/// mixing with `f64` on either side, constants by `From<f64>`, sums and products of iterators, and the negation,
/// difference and quotient rows as operators.
///
/// `operators!{ [generics] Type, [bounds] }` is for an [`Elementary`](crate::primitives::Elementary) carrier that has
/// `Add` and `Mul` (so `Zero` and `One`); it needs nothing else. Use it for carriers of your own.
#[macro_export]
macro_rules! operators {
    ([$($generics:tt)*] $Carrier:ty, [$($bounds:tt)*]) => {
        $crate::operators!(@constants [$($generics)*] $Carrier, [$($bounds)*]);
        $crate::operators!(@operators [$($generics)*] $Carrier, [$($bounds)*]);
    };
    (@operators [$($generics:tt)*] $Carrier:ty, [$($bounds:tt)*]) => {
        $crate::operators!(@row [$($generics)*] $Carrier, [$($bounds)*], Sub sub, Div div);
        $crate::operators!(@literals [$($generics)*] $Carrier, [$($bounds)*], Add add, Sub sub, Mul mul, Div div);
        $crate::operators!(@folds [$($generics)*] $Carrier, [$($bounds)*]);
        $crate::operators!(@references [$($generics)*] $Carrier, [$($bounds)*], Add add, Sub sub, Mul mul, Div div);
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
    (@constants [$($generics:tt)*] $Carrier:ty, [$($bounds:tt)*]) => {
        impl<$($generics)*> ::core::convert::From<f64> for $Carrier where $($bounds)* {
            #[inline(always)]
            fn from(constant: f64) -> Self {
                <Self as $crate::primitives::Elementary>::constant(constant)
            }
        }
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
        impl<'r, $($generics)*> ::core::iter::Sum<&'r $Carrier> for $Carrier where $($bounds)* {
            fn sum<I: Iterator<Item = &'r Self>>(terms: I) -> Self {
                ::core::iter::Iterator::sum(terms.map(::core::clone::Clone::clone))
            }
        }
        impl<'r, $($generics)*> ::core::iter::Product<&'r $Carrier> for $Carrier where $($bounds)* {
            fn product<I: Iterator<Item = &'r Self>>(factors: I) -> Self {
                ::core::iter::Iterator::product(factors.map(::core::clone::Clone::clone))
            }
        }
    };
    (@references $generics:tt $Carrier:ty, $bounds:tt, $($Op:ident $op:ident),+) => {
        $($crate::operators!(@one_by_reference $generics $Carrier, $bounds, $Op $op);)+
    };
    (@one_by_reference [$($generics:tt)*] $Carrier:ty, [$($bounds:tt)*], $Op:ident $op:ident) => {
        impl<'r, $($generics)*> ::core::ops::$Op<&'r $Carrier> for $Carrier where $($bounds)* {
            type Output = $Carrier;
            #[inline(always)]
            fn $op(self, other: &'r $Carrier) -> $Carrier {
                ::core::ops::$Op::$op(self, ::core::clone::Clone::clone(other))
            }
        }
        impl<$($generics)*> ::core::ops::$Op<$Carrier> for &$Carrier where $($bounds)* {
            type Output = $Carrier;
            #[inline(always)]
            fn $op(self, other: $Carrier) -> $Carrier {
                ::core::ops::$Op::$op(::core::clone::Clone::clone(self), other)
            }
        }
        impl<'r, $($generics)*> ::core::ops::$Op<&'r $Carrier> for &$Carrier where $($bounds)* {
            type Output = $Carrier;
            #[inline(always)]
            fn $op(self, other: &'r $Carrier) -> $Carrier {
                ::core::ops::$Op::$op(::core::clone::Clone::clone(self), ::core::clone::Clone::clone(other))
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

/// Implements comparison for a carrier that branches where its value does: with its like, and with `f64`.
///
/// `compared_by!{ [generics] Type: Value, field }` is for a carrier whose public `field` is of type `Value`.
macro_rules! compared_by {
    ([$($generics:tt)*] $Carrier:ty: $Value:ty, $field:ident) => {
        impl<$($generics)*> PartialEq for $Carrier where $Value: PartialEq {
            fn eq(&self, other: &Self) -> bool {
                self.$field == other.$field
            }
        }
        impl<$($generics)*> PartialOrd for $Carrier where $Value: PartialOrd {
            fn partial_cmp(&self, other: &Self) -> Option<::core::cmp::Ordering> {
                self.$field.partial_cmp(&other.$field)
            }
        }
        impl<$($generics)*> PartialEq<f64> for $Carrier where $Value: $crate::primitives::Elementary + PartialEq {
            fn eq(&self, literal: &f64) -> bool {
                self.$field == <$Value as $crate::primitives::Elementary>::constant(*literal)
            }
        }
        impl<$($generics)*> PartialOrd<f64> for $Carrier where $Value: $crate::primitives::Elementary + PartialOrd {
            fn partial_cmp(&self, literal: &f64) -> Option<::core::cmp::Ordering> {
                self.$field.partial_cmp(&<$Value as $crate::primitives::Elementary>::constant(*literal))
            }
        }
        $crate::primitives::literal_first!([$($generics)*] $Carrier, [$Value: $crate::primitives::Elementary]);
    };
}
pub(crate) use compared_by;

/// Implements the comparisons of `f64` with a carrier: each is that of the carrier with `f64`, turned round, so that
/// carriers which keep their comparisons keep these.
///
/// `literal_first!{ [generics] Type, [bounds] }` is for a carrier that compares with its like and has constants.
macro_rules! literal_first {
    ([$($generics:tt)*] $Carrier:ty, [$($bounds:tt)*]) => {
        impl<$($generics)*> PartialEq<$Carrier> for f64 where $($bounds)*, $Carrier: PartialEq<f64> {
            fn eq(&self, other: &$Carrier) -> bool {
                other == self
            }
        }
        impl<$($generics)*> PartialOrd<$Carrier> for f64 where $($bounds)*, $Carrier: PartialOrd<f64> {
            fn partial_cmp(&self, other: &$Carrier) -> Option<::core::cmp::Ordering> {
                other.partial_cmp(self).map(::core::cmp::Ordering::reverse)
            }
            fn lt(&self, other: &$Carrier) -> bool {
                other > self
            }
            fn le(&self, other: &$Carrier) -> bool {
                other >= self
            }
            fn gt(&self, other: &$Carrier) -> bool {
                other < self
            }
            fn ge(&self, other: &$Carrier) -> bool {
                other <= self
            }
        }
    };
}
pub(crate) use literal_first;

/// Implements the comparisons of a carrier with `f64`, each of which is that with a constant of the carrier, and of `f64` with it.
///
/// `compared_with_literals!{ [generics] Type, [bounds] }` is for a carrier that compares with its like and has constants.
macro_rules! compared_with_literals {
    ([$($generics:tt)*] $Carrier:ty, [$($bounds:tt)*]) => {
        impl<$($generics)*> PartialEq<f64> for $Carrier where $($bounds)*, $Carrier: PartialEq {
            fn eq(&self, literal: &f64) -> bool {
                *self == <Self as $crate::primitives::Elementary>::constant(*literal)
            }
        }
        impl<$($generics)*> PartialOrd<f64> for $Carrier where $($bounds)*, $Carrier: PartialOrd {
            fn partial_cmp(&self, literal: &f64) -> Option<::core::cmp::Ordering> {
                self.partial_cmp(&<Self as $crate::primitives::Elementary>::constant(*literal))
            }
            fn lt(&self, literal: &f64) -> bool {
                *self < <Self as $crate::primitives::Elementary>::constant(*literal)
            }
            fn le(&self, literal: &f64) -> bool {
                *self <= <Self as $crate::primitives::Elementary>::constant(*literal)
            }
            fn gt(&self, literal: &f64) -> bool {
                *self > <Self as $crate::primitives::Elementary>::constant(*literal)
            }
            fn ge(&self, literal: &f64) -> bool {
                *self >= <Self as $crate::primitives::Elementary>::constant(*literal)
            }
        }
        $crate::primitives::literal_first!([$($generics)*] $Carrier, [$($bounds)*]);
    };
}
pub(crate) use compared_with_literals;
