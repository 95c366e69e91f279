//! Numbers that notice when a sum or a product is too large, or no number: what comes of it is then not settled.
//!
//! Law: a run in which no sum or product is near the largest number has the values that it has also where products are not rounded
//! before they are added, and where sums are taken in another order; of any other it is not known. One in which no NaN is made has
//! them also on GPUs, whose compilers may assume that there is none
//! (tests/language/fuzz.rs).

use core::cell::Cell;
use core::ops::{Add, Mul};

use catadiff::array::Program;
use catadiff::interpret::{Limits, Value, run};
use catadiff::primitives::{Elementary, Primitive, Rule};
use num_traits::{One, Zero};

/// What is larger may overflow in sums of as many as fuzzing has.
const LARGE: f64 = f64::MAX / 65536.0;

/// A number that is watched.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
struct Watched(f64);

thread_local! {
    /// Whether a number was too large.
    static LARGE_FOUND: Cell<bool> = const { Cell::new(false) };
    /// Whether a NaN was made of numbers.
    static NAN_FOUND: Cell<bool> = const { Cell::new(false) };
}

/// The value of an operation on these.
fn noted(value: f64, of: &[f64]) -> Watched {
    if value.is_nan() && !of.iter().any(|x| x.is_nan()) {
        NAN_FOUND.set(true);
    }
    Watched(value)
}

/// The value of a sum or a product of these. What is infinite already stays so in any order.
fn watched(value: f64, of: &[f64]) -> Watched {
    if of.iter().all(|x| x.is_finite()) && of.iter().chain([&value]).any(|x| x.abs() > LARGE) {
        LARGE_FOUND.set(true);
    }
    noted(value, of)
}

impl Add for Watched {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        watched(self.0 + other.0, &[self.0, other.0])
    }
}

impl Mul for Watched {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        watched(self.0 * other.0, &[self.0, other.0])
    }
}

impl Zero for Watched {
    fn zero() -> Self {
        Watched(0.0)
    }
    fn is_zero(&self) -> bool {
        self.0 == 0.0
    }
}

impl One for Watched {
    fn one() -> Self {
        Watched(1.0)
    }
}

catadiff::operators!([] Watched, []);

impl Elementary for Watched {
    fn constant(value: f64) -> Self {
        Watched(value)
    }

    fn primal(&self) -> Option<f64> {
        Some(self.0)
    }

    fn apply<R: Rule<N>, const N: usize>(rule: &R, x: [Self; N]) -> Self {
        let (value, x) = (rule.value(x.map(|x| x.0)), x.map(|x| x.0));
        match rule.primitive() {
            // Numbers of fewer digits overflow where they are rounded to these.
            Some(Primitive::Sub | Primitive::Single | Primitive::Half) => watched(value, &x),
            _ => noted(value, &x),
        }
    }
}

/// Whether a sum or a product in a run of a program is near the largest number, or beyond it. An executor that adds a product before
/// it is rounded, or in another order, may then have a number where the interpreter has none, and the other way round.
///
/// ```
/// use catadiff::array::{Program, trace::F64};
/// use catadiff::interpret::Limits;
/// use catadiff_laws::overflows;
/// let program = Program::trace(|x: F64| x * 10.0 - x * 9.5)?;
/// let at = |x: f64| overflows(&program, &[x.into()], &Limits::default());
/// assert!(at(1e308) && !at(1e208));
/// // Infinite is not too large: it is in any order.
/// assert!(!at(f64::INFINITY));
/// # Ok::<(), catadiff::Error>(())
/// ```
#[must_use]
pub fn overflows(program: &Program, arguments: &[Value<f64>], limits: &Limits) -> bool {
    LARGE_FOUND.set(false);
    watch(program, arguments, limits);
    LARGE_FOUND.get()
}

/// Whether a run of a program makes a NaN of numbers, as the difference of what is infinite.
#[cfg(feature = "futhark")]
pub(crate) fn makes_nan(program: &Program, arguments: &[Value<f64>], limits: &Limits) -> bool {
    NAN_FOUND.set(false);
    watch(program, arguments, limits);
    NAN_FOUND.get()
}

fn watch(program: &Program, arguments: &[Value<f64>], limits: &Limits) {
    let arguments: Vec<_> = arguments.iter().map(|value| value.map(|x| Watched(*x))).collect();
    // A run that ends early is one as far as it came.
    drop(run(program, &arguments, limits));
}
