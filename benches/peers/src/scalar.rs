//! The numbers every workload is written over: one trait, implemented once per contender's type.

use std::cell::Cell;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// What the workloads ask of a number.
///
/// There is deliberately no way to make a constant: a tape's variable cannot be made without its
/// tape, so workloads mix constants in through [`plus`](Scalar::plus) and its three siblings, and
/// each contender maps those to its own fastest mixed operator.
pub trait Scalar:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self> + Neg<Output = Self>
{
    /// The primal value.
    fn value(self) -> f64;
    /// `self + c`.
    fn plus(self, c: f64) -> Self;
    /// `self - c`.
    fn minus(self, c: f64) -> Self;
    /// `c - self`.
    fn taken_from(self, c: f64) -> Self;
    /// `self * c`.
    fn times(self, c: f64) -> Self;
    /// The exponential.
    fn exp(self) -> Self;
    /// The natural logarithm.
    fn ln(self) -> Self;
    /// The square root.
    fn sqrt(self) -> Self;
    /// An integer power.
    fn powi(self, n: i32) -> Self;
}

/// The mixed operators of [`Scalar`], for a type that has `+ f64`, `- f64` and `* f64`; its
/// `c - self` is the closure-like argument, `f64 -` by default.
#[macro_export]
macro_rules! mixed_by_operators {
    () => {
        $crate::mixed_by_operators!(|c, x| c - x);
    };
    (|$c:ident, $x:ident| $taken:expr) => {
        #[inline]
        fn taken_from(self, $c: f64) -> Self {
            let $x = self;
            $taken
        }
        #[inline]
        fn plus(self, c: f64) -> Self {
            self + c
        }
        #[inline]
        fn minus(self, c: f64) -> Self {
            self - c
        }
        #[inline]
        fn times(self, c: f64) -> Self {
            self * c
        }
    };
}

/// The elementary functions of [`Scalar`], for a type that has them under the same names in
/// `<$via>`: a type, or `Self as` a trait.
#[macro_export]
macro_rules! elementary_by {
    ($($via:tt)+) => {
        #[inline]
        fn exp(self) -> Self {
            <$($via)+>::exp(self)
        }
        #[inline]
        fn ln(self) -> Self {
            <$($via)+>::ln(self)
        }
        #[inline]
        fn sqrt(self) -> Self {
            <$($via)+>::sqrt(self)
        }
        #[inline]
        fn powi(self, n: i32) -> Self {
            <$($via)+>::powi(self, n)
        }
    };
}

impl Scalar for f64 {
    #[inline]
    fn value(self) -> f64 {
        self
    }
    mixed_by_operators!();
    elementary_by!(f64);
}

thread_local! {
    static OPERATIONS: Cell<usize> = const { Cell::new(0) };
}

/// A number that only counts: what "per recorded operation" divides by, for every contender alike.
#[derive(Clone, Copy, Debug)]
pub struct Counted(f64);

impl Counted {
    /// Counts the scalar operations `f` performs on the numbers it is given.
    pub fn operations(inputs: &[f64], f: impl FnOnce(&[Counted])) -> usize {
        let inputs: Vec<Counted> = inputs.iter().map(|&x| Counted(x)).collect();
        OPERATIONS.set(0);
        f(&inputs);
        OPERATIONS.get()
    }

    fn counting(value: f64) -> Self {
        OPERATIONS.set(OPERATIONS.get() + 1);
        Counted(value)
    }
}

macro_rules! count_binary {
    ($($Op:ident $op:ident),*) => {$(
        impl $Op for Counted {
            type Output = Self;
            fn $op(self, other: Self) -> Self {
                Counted::counting(self.0.$op(other.0))
            }
        }
    )*};
}
count_binary!(Add add, Sub sub, Mul mul, Div div);

impl Neg for Counted {
    type Output = Self;
    fn neg(self) -> Self {
        Counted::counting(-self.0)
    }
}

impl Scalar for Counted {
    fn value(self) -> f64 {
        self.0
    }
    fn plus(self, c: f64) -> Self {
        Counted::counting(self.0 + c)
    }
    fn minus(self, c: f64) -> Self {
        Counted::counting(self.0 - c)
    }
    fn taken_from(self, c: f64) -> Self {
        Counted::counting(c - self.0)
    }
    fn times(self, c: f64) -> Self {
        Counted::counting(self.0 * c)
    }
    fn exp(self) -> Self {
        Counted::counting(self.0.exp())
    }
    fn ln(self) -> Self {
        Counted::counting(self.0.ln())
    }
    fn sqrt(self) -> Self {
        Counted::counting(self.0.sqrt())
    }
    fn powi(self, n: i32) -> Self {
        Counted::counting(self.0.powi(n))
    }
}
