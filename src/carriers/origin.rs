//! NaN-origin: which operation of a program was the first to go wrong.
//!
//! Law: values are those of the numbers underneath; an operation is at fault if its result is NaN or infinite while its
//! arguments are finite, and a number that is not finite knows the fault it comes from (tests/scalar/origin.rs).

use core::cell::{Cell, RefCell};
use core::fmt;
use core::ops::{Add, Mul};
use num_traits::{One, Zero};

use crate::primitives::{Elementary, Rule};

/// An operation that made a NaN or an infinity of finite arguments, or an input or constant that was one.
#[derive(Debug, Clone, PartialEq)]
pub struct NonFinite {
    /// The number of the operation: inputs and operations are counted from 1 in the order in which they happen.
    pub operation: u64,
    /// Its name: `add`, `mul`, that of the rule, `input` or `constant`.
    pub name: &'static str,
    /// The plain values of its arguments.
    pub arguments: Vec<f64>,
    /// The plain value of its result.
    pub value: f64,
}

/// As in `NaN in: ln(-1), operation 3`.
impl fmt::Display for NonFinite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} in: {}", self.value, self.name)?;
        for (i, argument) in self.arguments.iter().enumerate() {
            write!(f, "{}{argument}", if i == 0 { "(" } else { ", " })?;
        }
        write!(f, "{}, operation {}", if self.arguments.is_empty() { "" } else { ")" }, self.operation)
    }
}

/// Where faults are noted: it belongs to the caller, and the numbers made from it refer to it.
///
/// ```
/// use catadiff::{Elementary, carriers::NanLog};
/// let log = NanLog::new();
/// let (x, y) = (log.input(2.0_f64), log.input(3.0));
/// let z = (x - y).ln() * x + y;
/// assert!(z.value.is_nan());
/// let fault = log.first().unwrap();
/// assert_eq!((fault.name, fault.arguments[0]), ("ln", -1.0));
/// assert_eq!(fault.to_string(), "NaN in: ln(-1), operation 4");
/// ```
///
/// Below a dual number it tells whether the value or the derivative broke, and in which operation of the rule:
///
/// ```
/// use catadiff::{Elementary, carriers::{Dual, NanLog}};
/// let log = NanLog::new();
/// let root = Dual { value: log.input(0.0), tangent: log.input(1.0) }.sqrt();
/// assert_eq!(root.value.origin(), None);
/// assert_eq!(root.tangent.origin().unwrap().to_string(), "inf in: div(0.5, 0), operation 4");
/// ```
#[derive(Debug, Default)]
pub struct NanLog {
    operations: Cell<u64>,
    faults: RefCell<Vec<NonFinite>>,
}

/// As many faults are kept; a program that goes wrong everywhere need not fill the memory.
const MAX_FAULTS: usize = 1024;

impl NanLog {
    /// A log without faults.
    #[must_use]
    pub fn new() -> Self {
        NanLog::default()
    }

    /// A number whose operations are watched. If it is itself NaN or infinite, that is a fault, named `input`.
    #[must_use]
    pub fn input<S: Elementary>(&self, value: S) -> NanOrigin<'_, S> {
        let operation = self.next();
        let origin = broken(&value).map(|value| self.note(operation, "input", Vec::new(), value));
        NanOrigin { value, log: Some(self), origin }
    }

    /// The first fault.
    #[must_use]
    pub fn first(&self) -> Option<NonFinite> {
        self.faults.borrow().first().cloned()
    }

    /// All faults in the order in which they happened, of which the first 1024 are kept.
    #[must_use]
    pub fn faults(&self) -> Vec<NonFinite> {
        self.faults.borrow().clone()
    }

    /// The number of operations so far, inputs included.
    #[must_use]
    pub fn operations(&self) -> u64 {
        self.operations.get()
    }

    fn next(&self) -> u64 {
        self.operations.set(self.operations.get() + 1);
        self.operations.get()
    }

    fn note(&self, operation: u64, name: &'static str, arguments: Vec<f64>, value: f64) -> u64 {
        let mut faults = self.faults.borrow_mut();
        if faults.len() < MAX_FAULTS {
            faults.push(NonFinite { operation, name, arguments, value });
        }
        operation
    }
}

/// The plain value, if it is NaN or infinite.
fn broken<S: Elementary>(x: &S) -> Option<f64> {
    x.primal().filter(|value| !value.is_finite())
}

/// A number whose operations are watched, and which knows where it went wrong if it did.
///
/// What is watched is the [plain value](Elementary::primal), so this carrier belongs below the others: in
/// `Dual<NanOrigin<f64>>` derivatives are watched as well as values. `zero()`, `one()` and constants need no
/// context; an operation is watched when one of its operands is. Numbers compare by value.
#[derive(Debug, Clone, Copy)]
pub struct NanOrigin<'o, S> {
    /// The number.
    pub value: S,
    log: Option<&'o NanLog>,
    origin: Option<u64>,
}

impl<'o, S: Elementary> NanOrigin<'o, S> {
    /// The fault that this number comes from, through however many operations; `None` for a finite number.
    #[must_use]
    pub fn origin(&self) -> Option<NonFinite> {
        let (log, origin) = (self.log?, self.origin?);
        log.faults.borrow().iter().find(|fault| fault.operation == origin).cloned()
    }

    fn operation<const N: usize>(name: &'static str, x: [Self; N], perform: impl FnOnce([S; N]) -> S) -> Self {
        let Some(log) = x.iter().find_map(|x| x.log) else {
            return NanOrigin { value: perform(x.map(|x| x.value)), log: None, origin: None };
        };
        let operation = log.next();
        let arguments = x.each_ref().map(|x| x.value.primal());
        let inherited = x.iter().find_map(|x| x.origin);
        // What is broken without an origin is a constant.
        let constant = x.iter().find_map(|x| broken(&x.value));
        let value = perform(x.map(|x| x.value));
        let origin = broken(&value).map(|result| match (inherited, constant) {
            (Some(origin), _) => origin,
            (None, Some(constant)) => log.note(operation, "constant", Vec::new(), constant),
            (None, None) => log.note(operation, name, arguments.into_iter().flatten().collect(), result),
        });
        NanOrigin { value, log: Some(log), origin }
    }
}

impl<S: Elementary> Add for NanOrigin<'_, S> {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        NanOrigin::operation("add", [self, other], |[x, y]| x + y)
    }
}

impl<S: Elementary> Mul for NanOrigin<'_, S> {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        NanOrigin::operation("mul", [self, other], |[x, y]| x * y)
    }
}

impl<S: Elementary> Zero for NanOrigin<'_, S> {
    fn zero() -> Self {
        NanOrigin { value: S::zero(), log: None, origin: None }
    }
    fn is_zero(&self) -> bool {
        self.value.is_zero()
    }
}

impl<S: Elementary> One for NanOrigin<'_, S> {
    fn one() -> Self {
        NanOrigin { value: S::one(), log: None, origin: None }
    }
}

crate::operators!(['o, S: Elementary] NanOrigin<'o, S>, []);

impl<S: Elementary> Elementary for NanOrigin<'_, S> {
    fn constant(value: f64) -> Self {
        NanOrigin { value: S::constant(value), log: None, origin: None }
    }

    fn primal(&self) -> Option<f64> {
        self.value.primal()
    }

    fn apply<R: Rule<N>, const N: usize>(rule: &R, x: [Self; N]) -> Self {
        NanOrigin::operation(rule.name(), x, |x| S::apply(rule, x))
    }
}

crate::primitives::compared_by!(['o, S] NanOrigin<'o, S>: S, value);
