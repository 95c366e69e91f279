//! Elementary functions as listings: straight-line code, recorded by running a function once on a number that notes what is done.
//!
//! Law: a listing does what its function does, operation by operation. Only what no result needs is omitted, what is written twice
//! is done once, and operations on constants alone are done here (tests/execute/elementary_in_c.rs).
//!
//! That a step refers to earlier ones only makes it what compilers call static single assignment.

use core::cell::RefCell;
use core::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Not, Shl, Shr, Sub};

use rustc_hash::FxHashMap;

use super::number::{Bits, Number};

/// What a step gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Sort {
    /// A double.
    Number,
    /// 64 bits.
    Bits,
    /// Whether something holds.
    Truth,
}

/// What a step uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Operand {
    /// An argument of the function, a double.
    Argument(usize),
    /// The result of an earlier step.
    Step(usize),
    /// The double of these bits, of which there is one for each NaN.
    Number(u64),
    /// These bits; those of a shift are their count.
    Bits(u64),
    /// Whether it holds.
    Truth(bool),
}

/// What a step does. Numbers and bits, and bits and truth values, share operations of the same name: the sort of the step says which.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Operation {
    Add,
    Subtract,
    Multiply,
    Divide,
    Negate,
    /// `a·b + c`, rounded once or twice as the listing says.
    Madd,
    Sqrt,
    Abs,
    Less,
    LessOrEqual,
    Equal,
    /// Of a truth value and two numbers the first where it holds, else the second.
    Select,
    /// The first of two numbers where it is less, else the second: what processors have for `Select` by `Less` of the same two.
    Min,
    /// The first of two numbers where it is greater, else the second.
    Max,
    /// The bits of a number.
    ToBits,
    /// The number of these bits.
    FromBits,
    And,
    Or,
    Xor,
    Not,
    ShiftLeft,
    ShiftRight,
    /// Whether no bit is set.
    IsZero,
}

/// One operation.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Step {
    pub(crate) operation: Operation,
    pub(crate) operands: Vec<Operand>,
    pub(crate) sort: Sort,
}

/// A function of numbers as its steps, in order, and what of them is its result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Listing {
    /// The names of the arguments.
    pub(crate) arguments: Vec<&'static str>,
    pub(crate) steps: Vec<Step>,
    pub(crate) result: Operand,
}

impl Listing {
    /// What the function gives.
    pub(crate) fn sort(&self) -> Sort {
        match self.result {
            Operand::Step(step) => self.steps[step].sort,
            Operand::Argument(_) | Operand::Number(_) => Sort::Number,
            Operand::Bits(_) => Sort::Bits,
            Operand::Truth(_) => Sort::Truth,
        }
    }

    /// What a function does on a machine with the fused multiply-add, or on one without.
    pub(super) fn of<const FMA: bool, const ARITY: usize>(
        arguments: [&'static str; ARITY],
        function: impl for<'a> FnOnce([Recorded<'a, FMA>; ARITY]) -> Handle<'a>,
    ) -> Self {
        let recorder = Recorder::default();
        let argument = |number| Recorded(Handle { operand: Operand::Argument(number), recorder: Some(&recorder) });
        let result = function(core::array::from_fn(argument)).operand;
        Self { arguments: arguments.to_vec(), steps: recorder.steps.into_inner(), result }.without_dead_code()
    }

    /// Without the steps whose results nothing uses.
    fn without_dead_code(self) -> Self {
        let mut needed = vec![false; self.steps.len()];
        let mut found = vec![self.result];
        while let Some(operand) = found.pop() {
            if let Operand::Step(step) = operand
                && !core::mem::replace(&mut needed[step], true)
            {
                found.extend(&self.steps[step].operands);
            }
        }
        let numbers: Vec<usize> = needed
            .iter()
            .scan(0, |next, needed| Some(core::mem::replace(next, *next + usize::from(*needed))))
            .collect();
        let renumbered = |operand| match operand {
            Operand::Step(step) => Operand::Step(numbers[step]),
            other => other,
        };
        let kept = self.steps.into_iter().zip(needed).filter_map(|(step, needed)| needed.then_some(step));
        let steps = kept.map(|step| Step { operands: step.operands.into_iter().map(renumbered).collect(), ..step });
        Self { steps: steps.collect(), result: renumbered(self.result), arguments: self.arguments }
    }
}

/// An elementary function, to be recorded: what it does without FMA and with it.
pub(crate) struct Elementary {
    pub(super) name: &'static str,
    pub(super) wide: [fn() -> Listing; 2],
    pub(super) narrow: [fn() -> Listing; 2],
}

impl Elementary {
    pub(crate) fn name(&self) -> &'static str {
        self.name
    }

    /// What it does to numbers of f64, with FMA or without.
    pub(crate) fn double(&self, fma: bool) -> Listing {
        self.wide[usize::from(fma)]()
    }

    /// What it does to those of f32, in f64: its result is still to be rounded.
    pub(crate) fn single(&self, fma: bool) -> Listing {
        self.narrow[usize::from(fma)]()
    }
}

/// What was done so far, and where: the same operation on the same operands is one step.
#[derive(Default)]
struct Recorder {
    steps: RefCell<Vec<Step>>,
    known: RefCell<FxHashMap<Step, usize>>,
}

impl Recorder {
    fn number_of(&self, step: Step) -> usize {
        let mut steps = self.steps.borrow_mut();
        *self.known.borrow_mut().entry(step).or_insert_with_key(|step| {
            steps.push(step.clone());
            steps.len() - 1
        })
    }
}

/// An operand, and where operations on it are recorded, if it is no constant.
#[derive(Clone, Copy)]
pub(super) struct Handle<'a> {
    operand: Operand,
    recorder: Option<&'a Recorder>,
}

impl<'a> Handle<'a> {
    fn constant(operand: Operand) -> Self {
        Self { operand, recorder: None }
    }

    /// The operands, if this is the result of such a step.
    fn operands_of(self, operation: Operation) -> Option<Vec<Operand>> {
        let (Operand::Step(step), Some(recorder)) = (self.operand, self.recorder) else { return None };
        let steps = recorder.steps.borrow();
        (steps[step].operation == operation).then(|| steps[step].operands.clone())
    }

    fn step<const COUNT: usize>(operation: Operation, sort: Sort, operands: [Self; COUNT], fma: bool) -> Self {
        let recorder = operands.iter().find_map(|handle| handle.recorder);
        let operands = operands.map(|handle| handle.operand);
        match recorder {
            Some(recorder) => {
                let step = recorder.number_of(Step { operation, operands: operands.to_vec(), sort });
                Self { operand: Operand::Step(step), recorder: Some(recorder) }
            }
            None => Self::constant(value(operation, &operands, fma)),
        }
    }
}

/// What an operation on constants gives.
fn value(operation: Operation, operands: &[Operand], fma: bool) -> Operand {
    use Operand::{Bits, Number, Truth};
    let real = |x: f64| Number(if x.is_nan() { f64::NAN } else { x }.to_bits());
    match (operation, operands) {
        (Operation::Select, [Truth(when), then, otherwise]) => *if *when { then } else { otherwise },
        (Operation::Madd, [Number(a), Number(b), Number(c)]) => {
            let [a, b, c] = [*a, *b, *c].map(f64::from_bits);
            real(if fma { a.mul_add(b, c) } else { a * b + c })
        }
        (_, [Number(a), Number(b)]) => {
            let (a, b) = (f64::from_bits(*a), f64::from_bits(*b));
            match operation {
                Operation::Add => real(a + b),
                Operation::Subtract => real(a - b),
                Operation::Multiply => real(a * b),
                Operation::Divide => real(a / b),
                Operation::Less => Truth(a < b),
                Operation::LessOrEqual => Truth(a <= b),
                Operation::Equal => Truth(a == b),
                Operation::Min => real(if a < b { a } else { b }),
                Operation::Max => real(if a > b { a } else { b }),
                _ => unreachable!("{NO_SUCH}: {operation:?} of two numbers"),
            }
        }
        (_, [Number(a)]) => match operation {
            Operation::Negate => real(-f64::from_bits(*a)),
            Operation::Sqrt => real(f64::from_bits(*a).sqrt()),
            Operation::Abs => real(f64::from_bits(*a).abs()),
            Operation::ToBits => Bits(*a),
            _ => unreachable!("{NO_SUCH}: {operation:?} of a number"),
        },
        (_, [Bits(a), Bits(b)]) => Bits(match operation {
            Operation::Add => a.wrapping_add(*b),
            Operation::Subtract => a.wrapping_sub(*b),
            Operation::And => a & b,
            Operation::Or => a | b,
            Operation::Xor => a ^ b,
            Operation::ShiftLeft => a << b,
            Operation::ShiftRight => a >> b,
            _ => unreachable!("{NO_SUCH}: {operation:?} of two words"),
        }),
        (Operation::FromBits, [Bits(a)]) => real(f64::from_bits(*a)),
        (Operation::IsZero, [Bits(a)]) => Truth(*a == 0),
        (Operation::Not, [Truth(a)]) => Truth(!a),
        (_, [Truth(a), Truth(b)]) => Truth(match operation {
            Operation::And => a & b,
            Operation::Or => a | b,
            Operation::Xor => a ^ b,
            _ => unreachable!("{NO_SUCH}: {operation:?} of two truth values"),
        }),
        _ => unreachable!("{NO_SUCH}: {operation:?} of {operands:?}"),
    }
}

/// The invariant that types keep: see the implementations below.
const NO_SUCH: &str = "recorded numbers have the operations of numbers only";

/// A number that notes what is done with it.
#[derive(Clone, Copy)]
pub(super) struct Recorded<'a, const FMA: bool>(Handle<'a>);

/// The bits of one.
#[derive(Clone, Copy)]
pub(super) struct RecordedBits<'a, const FMA: bool>(Handle<'a>);

/// What comparisons of them give.
#[derive(Clone, Copy)]
pub(super) struct RecordedTruth<'a, const FMA: bool>(Handle<'a>);

impl<'a, const FMA: bool> From<Recorded<'a, FMA>> for Handle<'a> {
    fn from(number: Recorded<'a, FMA>) -> Self {
        number.0
    }
}

impl<'a, const FMA: bool> From<RecordedTruth<'a, FMA>> for Handle<'a> {
    fn from(truth: RecordedTruth<'a, FMA>) -> Self {
        truth.0
    }
}

impl<const FMA: bool> From<f64> for Recorded<'_, FMA> {
    fn from(x: f64) -> Self {
        Self(Handle::constant(Operand::Number(x.to_bits())))
    }
}

impl<const FMA: bool> From<u64> for RecordedBits<'_, FMA> {
    fn from(bits: u64) -> Self {
        Self(Handle::constant(Operand::Bits(bits)))
    }
}

impl<const FMA: bool> From<u32> for RecordedBits<'_, FMA> {
    fn from(count: u32) -> Self {
        u64::from(count).into()
    }
}

macro_rules! operators {
    ($Recorded:ident as $sort:ident: $($Operator:ident<$Other:ty> $operator:ident $operation:ident;)+) => {$(
        impl<const FMA: bool> $Operator<$Other> for $Recorded<'_, FMA> {
            type Output = Self;
            fn $operator(self, other: $Other) -> Self {
                let other = Self::from(other);
                Self(Handle::step(Operation::$operation, Sort::$sort, [self.0, other.0], FMA))
            }
        }
    )+};
}

operators! { Recorded as Number:
    Add<Self> add Add;
    Sub<Self> sub Subtract;
    Mul<Self> mul Multiply;
    Div<Self> div Divide;
    Add<f64> add Add;
    Sub<f64> sub Subtract;
    Mul<f64> mul Multiply;
    Div<f64> div Divide;
}

operators! { RecordedBits as Bits:
    Add<u64> add Add;
    Sub<Self> sub Subtract;
    BitAnd<u64> bitand And;
    BitOr<Self> bitor Or;
    BitOr<u64> bitor Or;
    BitXor<Self> bitxor Xor;
    Shl<u32> shl ShiftLeft;
    Shr<u32> shr ShiftRight;
}

operators! { RecordedTruth as Truth:
    BitAnd<Self> bitand And;
    BitOr<Self> bitor Or;
    BitXor<Self> bitxor Xor;
}

impl<const FMA: bool> Neg for Recorded<'_, FMA> {
    type Output = Self;
    fn neg(self) -> Self {
        Self(Handle::step(Operation::Negate, Sort::Number, [self.0], FMA))
    }
}

impl<const FMA: bool> Not for RecordedTruth<'_, FMA> {
    type Output = Self;
    fn not(self) -> Self {
        Self(Handle::step(Operation::Not, Sort::Truth, [self.0], FMA))
    }
}

impl<'a, const FMA: bool> Recorded<'a, FMA> {
    fn compared(self, operation: Operation, other: Self) -> RecordedTruth<'a, FMA> {
        RecordedTruth(Handle::step(operation, Sort::Truth, [self.0, other.0], FMA))
    }
}

impl<'a, const FMA: bool> Number for Recorded<'a, FMA> {
    type Bits = RecordedBits<'a, FMA>;
    type Truth = RecordedTruth<'a, FMA>;
    const FMA: bool = FMA;

    fn madd(self, factor: Self, term: Self) -> Self {
        Self(Handle::step(Operation::Madd, Sort::Number, [self.0, factor.0, term.0], FMA))
    }

    fn sqrt(self) -> Self {
        Self(Handle::step(Operation::Sqrt, Sort::Number, [self.0], FMA))
    }

    fn abs(self) -> Self {
        Self(Handle::step(Operation::Abs, Sort::Number, [self.0], FMA))
    }

    fn lt(self, other: impl Into<Self>) -> Self::Truth {
        self.compared(Operation::Less, other.into())
    }

    fn le(self, other: impl Into<Self>) -> Self::Truth {
        self.compared(Operation::LessOrEqual, other.into())
    }

    fn eq(self, other: impl Into<Self>) -> Self::Truth {
        self.compared(Operation::Equal, other.into())
    }

    fn select(when: Self::Truth, then: impl Into<Self>, otherwise: impl Into<Self>) -> Self {
        let (when, then, otherwise) = (when.0, then.into().0, otherwise.into().0);
        Self(match when.operands_of(Operation::Less) {
            Some(compared) if compared == [then.operand, otherwise.operand] => {
                Handle::step(Operation::Min, Sort::Number, [then, otherwise], FMA)
            }
            Some(compared) if compared == [otherwise.operand, then.operand] => {
                Handle::step(Operation::Max, Sort::Number, [then, otherwise], FMA)
            }
            _ => Handle::step(Operation::Select, Sort::Number, [when, then, otherwise], FMA),
        })
    }

    fn to_bits(self) -> Self::Bits {
        RecordedBits(Handle::step(Operation::ToBits, Sort::Bits, [self.0], FMA))
    }

    fn from_bits(bits: Self::Bits) -> Self {
        Self(Handle::step(Operation::FromBits, Sort::Number, [bits.0], FMA))
    }
}

impl<'a, const FMA: bool> Bits for RecordedBits<'a, FMA> {
    type Truth = RecordedTruth<'a, FMA>;
    fn is_zero(self) -> Self::Truth {
        RecordedTruth(Handle::step(Operation::IsZero, Sort::Truth, [self.0], FMA))
    }
}
