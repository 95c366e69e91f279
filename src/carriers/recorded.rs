//! Numbers that remember how they were made: a value, and the term it is the value of.
//!
//! Law: the term, evaluated at the point of recording, is the value; and at any other point at which every recorded
//! decision comes out as it did, it is what the function itself would compute there ("Automatic Differentiation",
//! *Tracking-based AD*, by operator overloading) (laws: recordings, tests/scalar/recordings.rs).

use core::cell::RefCell;
use core::cmp::Ordering;
use core::fmt;
use core::marker::PhantomData;
use core::ops::{Add, Mul};
use num_traits::{One, Zero};

use crate::error::{Error, Result};
use crate::primitives::{Elementary, Rule, Scalar};
use crate::term::{Arena, Term, TermId};

/// A variable of a recorded function, by number; it prints as `x0`, `x1`, ….
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Input(pub usize);

impl fmt::Display for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "x{}", self.0)
    }
}

/// Where a function is recorded: its operations as terms, and the decisions it took.
///
/// Variables are numbered; numbers of an outer differentiation that enter the function are variables as well, after
/// its own.
pub(crate) struct Recorder<S> {
    pub(crate) arena: Arena<Input>,
    pub(crate) inputs: usize,
    pub(crate) lifted: RefCell<Vec<S>>,
    pub(crate) decisions: RefCell<Vec<Decision<Asked, Outcome>>>,
}

/// A comparison, and its two sides.
type Asked = (Comparison, [TermId; 2]);

/// A decision: what a run asked, and the outcome that its course depended on. A replay asks again.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Decision<Q, A> {
    pub(crate) asked: Q,
    pub(crate) outcome: A,
}

impl<Q, A: fmt::Display> Decision<Q, A> {
    /// The decision as text, where this is the question.
    pub(crate) fn described(&self, asked: &str) -> String {
        format!("{asked}: {}", self.outcome)
    }
}

impl<Q, A: PartialEq + fmt::Display> Decision<Q, A> {
    /// Checks that this decision, the one of number `at`, comes out as it did; `asked` is the question as text.
    #[inline]
    pub(crate) fn again(&self, at: usize, outcome: &A, asked: impl FnOnce() -> String) -> Result<()> {
        if *outcome == self.outcome {
            return Ok(());
        }
        Err(Error::BranchChanged { at, decision: self.described(&asked()) })
    }
}

/// What was asked of two numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Comparison {
    Equal,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Order,
}

/// The answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    Answer(bool),
    Order(Option<Ordering>),
}

impl Comparison {
    /// Asks it of two numbers.
    pub(crate) fn of<T: PartialOrd>(self, a: &T, b: &T) -> Outcome {
        match self {
            Comparison::Equal => Outcome::Answer(a == b),
            Comparison::Less => Outcome::Answer(a < b),
            Comparison::LessOrEqual => Outcome::Answer(a <= b),
            Comparison::Greater => Outcome::Answer(a > b),
            Comparison::GreaterOrEqual => Outcome::Answer(a >= b),
            Comparison::Order => Outcome::Order(a.partial_cmp(b)),
        }
    }

    pub(crate) fn sign(self) -> &'static str {
        match self {
            Comparison::Equal => "==",
            Comparison::Less => "<",
            Comparison::LessOrEqual => "<=",
            Comparison::Greater => ">",
            Comparison::GreaterOrEqual => ">=",
            Comparison::Order => "compared with",
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Outcome::Answer(answer) => write!(f, "{answer}"),
            Outcome::Order(Some(order)) => write!(f, "{order:?}"),
            Outcome::Order(None) => write!(f, "unordered"),
        }
    }
}

/// Its sizes: a recording can be long.
impl<S> fmt::Debug for Recorder<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (lifted, decisions) = (self.lifted.borrow().len(), self.decisions.borrow().len());
        f.debug_struct("Recorder")
            .field("inputs", &self.inputs)
            .field("lifted", &lifted)
            .field("decisions", &decisions)
            .finish_non_exhaustive()
    }
}

impl<S: Scalar> Recorder<S> {
    /// A recorder for a function of `inputs` variables.
    pub(crate) fn new(inputs: usize) -> Self {
        Recorder { arena: Arena::exact(), inputs, lifted: RefCell::default(), decisions: RefCell::default() }
    }

    /// The variable `index` with its value.
    pub(crate) fn input(&self, index: usize, value: S) -> Recorded<'_, S> {
        Recorded {
            term: self.arena.variable(Input(index)),
            value,
            recorder: Some(self),
            lifted: false,
            brand: PhantomData,
        }
    }

    /// The term of a number: a constant of the base that has none becomes a variable with that value.
    pub(crate) fn term_of<'b>(&'b self, x: &Recorded<'b, S>) -> Term<'b, Input> {
        if x.lifted { self.variable_for(x.value) } else { x.term }
    }

    /// A new variable that stands for a number of the base.
    fn variable_for(&self, value: S) -> Term<'_, Input> {
        let mut lifted = self.lifted.borrow_mut();
        lifted.push(value);
        self.arena.variable(Input(self.inputs + lifted.len() - 1))
    }

    fn decide(&self, a: &Recorded<'_, S>, b: &Recorded<'_, S>, test: Comparison) -> Outcome
    where
        S: PartialOrd,
    {
        let outcome = test.of(&a.value, &b.value);
        let sides = [self.place_of(a), self.place_of(b)];
        self.decisions.borrow_mut().push(Decision { asked: (test, sides), outcome });
        outcome
    }

    fn place_of(&self, x: &Recorded<'_, S>) -> TermId {
        if x.lifted { self.variable_for(x.value).to_id() } else { x.term.to_id() }
    }
}

/// A number of a recording: the value, and the term it is the value of. Comparisons are kept as decisions.
pub struct Recorded<'b, S> {
    term: Term<'b, Input>,
    /// The value at the point of recording.
    pub(crate) value: S,
    recorder: Option<&'b Recorder<S>>,
    /// Whether this is a number of the base that no literal can stand for.
    lifted: bool,
    brand: PhantomData<fn(&'b ()) -> &'b ()>,
}

impl<S: Copy> Copy for Recorded<'_, S> {}
impl<S: Copy> Clone for Recorded<'_, S> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<'b, S: Scalar> Recorded<'b, S> {
    /// A number of the base as a constant of the recording.
    pub(crate) fn lift(value: S) -> Self {
        Recorded { term: Term::zero(), value, recorder: None, lifted: true, brand: PhantomData }
    }

    fn literal(literal: f64, value: S) -> Self {
        Recorded { term: Term::literal(literal), value, recorder: None, lifted: false, brand: PhantomData }
    }

    /// The result of an operation on numbers of one recording.
    fn operation<const N: usize>(
        x: [Self; N],
        value: S,
        build: impl FnOnce([Term<'b, Input>; N]) -> Term<'b, Input>,
    ) -> Self {
        let recorder = x.iter().find_map(|x| x.recorder);
        let term = match recorder {
            Some(recorder) => build(x.map(|x| recorder.term_of(&x))),
            None if x.iter().any(|x| x.lifted) => return Recorded::lift(value),
            None => build(x.map(|x| x.term)),
        };
        // Literals fold in double precision, and the base may round otherwise.
        match term.as_literal() {
            Some(literal) if !alike(S::constant(literal).primal(), value.primal()) => Recorded::lift(value),
            _ => Recorded { term, value, recorder, lifted: false, brand: PhantomData },
        }
    }
}

/// Whether two values are known to be the same, sign of zero and NaN included.
fn alike(a: Option<f64>, b: Option<f64>) -> bool {
    matches!((a, b), (Some(a), Some(b)) if a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan()))
}

impl<S: Scalar> Add for Recorded<'_, S> {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Recorded::operation([self, other], self.value + other.value, |[a, b]| a + b)
    }
}

impl<S: Scalar> Mul for Recorded<'_, S> {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        Recorded::operation([self, other], self.value * other.value, |[a, b]| a * b)
    }
}

impl<S: Scalar> Zero for Recorded<'_, S> {
    fn zero() -> Self {
        Recorded::literal(0.0, S::zero())
    }
    /// Whether the number is the constant 0. Do not branch on it: unlike `x == 0.0`, it is not kept as a decision.
    fn is_zero(&self) -> bool {
        !self.lifted && self.term.is_zero()
    }
}

impl<S: Scalar> One for Recorded<'_, S> {
    fn one() -> Self {
        Recorded::literal(1.0, S::one())
    }
}

impl<S: Scalar> Elementary for Recorded<'_, S> {
    fn constant(value: f64) -> Self {
        Recorded::literal(value, S::constant(value))
    }

    fn primal(&self) -> Option<f64> {
        self.value.primal()
    }

    fn apply<R: Rule<N>, const N: usize>(rule: &R, x: [Self; N]) -> Self {
        Recorded::operation(x, S::apply(rule, x.map(|x| x.value)), |terms| Term::apply(rule, terms))
    }
}

crate::operators!(['b, S: Scalar] Recorded<'b, S>, []);

/// Asks, and keeps the question with its answer if either number is of a recording.
fn ask<S: Scalar + PartialOrd>(a: &Recorded<'_, S>, b: &Recorded<'_, S>, test: Comparison) -> Outcome {
    match a.recorder.or(b.recorder) {
        Some(recorder) => recorder.decide(a, b, test),
        None => test.of(&a.value, &b.value),
    }
}

impl<S: Scalar + PartialOrd> PartialEq for Recorded<'_, S> {
    fn eq(&self, other: &Self) -> bool {
        ask(self, other, Comparison::Equal) == Outcome::Answer(true)
    }
}

impl<S: Scalar + PartialOrd> PartialOrd for Recorded<'_, S> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        match ask(self, other, Comparison::Order) {
            Outcome::Order(order) => order,
            Outcome::Answer(_) => unreachable!("an order was asked for"),
        }
    }
    fn lt(&self, other: &Self) -> bool {
        ask(self, other, Comparison::Less) == Outcome::Answer(true)
    }
    fn le(&self, other: &Self) -> bool {
        ask(self, other, Comparison::LessOrEqual) == Outcome::Answer(true)
    }
    fn gt(&self, other: &Self) -> bool {
        ask(self, other, Comparison::Greater) == Outcome::Answer(true)
    }
    fn ge(&self, other: &Self) -> bool {
        ask(self, other, Comparison::GreaterOrEqual) == Outcome::Answer(true)
    }
}

crate::primitives::compared_with_literals!(['b, S: Scalar] Recorded<'b, S>, [S: PartialOrd]);

impl<S: fmt::Debug> fmt::Debug for Recorded<'_, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recorded").field("value", &self.value).field("term", &self.term).finish()
    }
}
