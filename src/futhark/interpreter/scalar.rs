//! Scalars that may carry derivatives, each tagged with the call of forward or reverse mode that it belongs to.
//!
//! Calls nest; each has a *level*, from 1 on, the innermost the greatest. A number of a level is a value, itself of lower levels,
//! and either a tangent or a place on the tape of that call. An operation on numbers of several levels is one of the greatest
//! of them: what is of lower levels is constant to it, so perturbations are never confused ("Not-Quite-Supersonic AD", §3.3).
//!
//! A call has two levels in a row, the second for what was rounded: a real that becomes an integer, or a truth value, has its
//! derivative there. A result takes both. What becomes a real again leaves the second behind: it is constant between two
//! integers, whatever else went into it.
//!
//! Law: the value of an operation is that of the operation on the values; what a level adds is the chain rule, once for all
//! operations. A null tangent stays null through an infinite partial, and the 0 of a switch discards the tangent
//! (tests/language/interpret.rs, tests/language/conversions.rs).

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use smallvec::SmallVec;

use super::rows::{Partials, at_reals};
use super::tape::{Edge, Tape};
use crate::array::{Const, IntegerRow, Prim, ScalarOp};
use crate::futhark::meaning::Outcome;
use crate::futhark::source::{Message, Span};
use crate::interpret::{self, Compare};
use crate::primitives::ZeroRule;
use crate::term::Line;
use crate::transform::{ByOperand, Partial, Writer, partials};

/// The invariant that a checked program keeps.
pub(super) const CHECKED: &str = "operands are of the kinds that the checker has found";

/// No operation has more operands.
const MAX_OPERANDS: usize = 3;

/// A scalar.
#[derive(Debug, Clone)]
pub(super) enum Scalar {
    /// Without derivatives.
    Plain(Const),
    /// With them.
    Tagged(Rc<Tagged>),
}

/// A number of a level.
#[derive(Debug)]
pub(super) struct Tagged {
    pub(super) level: u32,
    /// The value, of lower levels.
    pub(super) value: Scalar,
    pub(super) part: Part,
}

/// What a level adds to a value.
#[derive(Debug)]
pub(super) enum Part {
    /// In forward mode: the tangent, of lower levels.
    Tangent(Scalar),
    /// In reverse mode: the number of a node on the tape.
    Node(u32),
}

impl From<Const> for Scalar {
    fn from(plain: Const) -> Self {
        Scalar::Plain(plain)
    }
}

impl Scalar {
    pub(super) fn tagged(level: u32, value: Scalar, part: Part) -> Self {
        Scalar::Tagged(Rc::new(Tagged { level, value, part }))
    }

    /// The value without any derivatives.
    pub(super) fn plain(&self) -> Const {
        let mut at = self;
        loop {
            match at {
                Scalar::Plain(plain) => return *plain,
                Scalar::Tagged(tagged) => at = &tagged.value,
            }
        }
    }

    pub(super) fn kind(&self) -> Prim {
        self.plain().prim()
    }

    /// The truth value that this is.
    pub(super) fn truth(&self) -> bool {
        let Const::Bool(b) = self.plain() else { panic!("{CHECKED}") };
        b
    }

    /// The integer that this is.
    pub(super) fn integer(&self) -> i128 {
        self.plain().integer().expect(CHECKED)
    }

    pub(super) fn level(&self) -> u32 {
        match self {
            Scalar::Plain(_) => 0,
            Scalar::Tagged(tagged) => tagged.level,
        }
    }

    /// What this is at a level, if it is of that level.
    pub(super) fn at(&self, level: u32) -> Option<&Tagged> {
        match self {
            Scalar::Tagged(tagged) if tagged.level == level => Some(tagged),
            Scalar::Tagged(_) | Scalar::Plain(_) => None,
        }
    }

    /// The value below a level.
    fn below(&self, level: u32) -> Scalar {
        self.at(level).map_or_else(|| self.clone(), |tagged| tagged.value.clone())
    }

    /// The value below both levels of a call, of which this is the first.
    pub(super) fn below_call(&self, level: u32) -> Scalar {
        self.below(level + 1).below(level)
    }

    /// What a call, of which this is the first level, has added to the value: itself, and as what was rounded.
    pub(super) fn of_call(&self, level: u32) -> [Option<&Part>; 2] {
        let rounded = self.at(level + 1);
        let own = rounded.map_or(self, |tagged| &tagged.value).at(level);
        [own, rounded].map(|tagged| tagged.map(|tagged| &tagged.part))
    }

    /// The number with what reverse mode adds to it, and nothing of forward mode; none if there is nothing.
    pub(super) fn backward(&self) -> Option<Scalar> {
        let Scalar::Tagged(tagged) = self else { return None };
        let below = tagged.value.backward();
        match tagged.part {
            Part::Tangent(_) => below,
            Part::Node(node) => {
                let value = below.unwrap_or_else(|| self.plain().into());
                Some(Scalar::tagged(tagged.level, value, Part::Node(node)))
            }
        }
    }

    /// Whether this is 0 and so are all of its derivatives.
    pub(super) fn is_null(&self) -> bool {
        match self {
            Scalar::Plain(plain) => plain.integer() == Some(0) || plain.real() == Some(0.0),
            Scalar::Tagged(tagged) => match &tagged.part {
                Part::Tangent(tangent) => tagged.value.is_null() && tangent.is_null(),
                Part::Node(_) => false,
            },
        }
    }
}

/// Whether a level is that of what a call has rounded, and not its first.
fn is_of_rounded(level: u32) -> bool {
    level.is_multiple_of(2)
}

/// A call of a mode that is going on.
#[derive(Debug)]
pub(super) enum Level {
    Forward,
    Reverse(Tape),
    /// A call of reverse mode whose function has returned. What derivatives that the function gave have kept of its numbers is
    /// constant to them.
    Returned,
}

/// Performs operations, at all levels.
#[derive(Debug, Default)]
pub(super) struct Engine {
    partials: Partials,
    /// The calls that are going on, the innermost last.
    pub(super) levels: RefCell<Vec<Level>>,
    /// How many edges the tapes may have together, and have.
    pub(super) edges: Cell<(u64, u64)>,
    /// Whether there would have been more.
    full: Cell<bool>,
}

impl Engine {
    /// The value of an operation on operands of one kind.
    pub(super) fn apply(&self, at: Span, op: ScalarOp, x: &[Scalar]) -> Outcome<Scalar> {
        let z = self.perform(op, x);
        self.within_limit(at)?;
        z.ok_or_else(|| no_value(at, op, x))
    }

    /// `Ok` if the tapes had room for all that was to be noted on them.
    pub(super) fn within_limit(&self, at: Span) -> Outcome<()> {
        if !self.full.get() {
            return Ok(());
        }
        let (limit, _) = self.edges.get();
        let text =
            format!("the tape of reverse mode has more operations than the limit of {limit} elements has room for");
        Err(Message::error("limit", at, text))
    }

    /// The value of an operation, if it has one. What the tapes have no room for is constant.
    fn perform(&self, op: ScalarOp, x: &[Scalar]) -> Option<Scalar> {
        let level = x.iter().map(Scalar::level).max().unwrap_or(0);
        if level == 0 || matches!(op, ScalarOp::Equal | ScalarOp::Less | ScalarOp::LessOrEqual) {
            let mut operands = [Const::Bool(false); MAX_OPERANDS];
            operands.iter_mut().zip(x).for_each(|(to, x)| *to = x.plain());
            return value(op, &operands[..x.len()]).map(Scalar::Plain);
        }
        let mut values: SmallVec<[Scalar; MAX_OPERANDS]> = x.iter().map(|x| x.below(level)).collect();
        let z = self.perform(op, &values)?;
        if is_of_rounded(level) {
            // Both levels of a call are of one direction, and its derivative is the first.
            values.iter_mut().for_each(|value| *value = value.below(level - 1));
        }
        let Some(to) = level_after(level, values[0].kind(), z.kind()) else { return Some(z) };
        let partials = partials(self, op, &values, |i| x[i].at(level).is_some());
        Some(self.chain([level, to], z, x.iter().zip(partials)))
    }

    /// A value with what its operands add to it: from a level of theirs to one of its own.
    fn chain<'x>(
        &self,
        [level, to]: [u32; 2],
        z: Scalar,
        operands: impl Iterator<Item = (&'x Scalar, Option<Partial<Scalar>>)>,
    ) -> Scalar {
        let mut tangent: Option<Scalar> = None;
        let mut edges: SmallVec<[Edge; MAX_OPERANDS]> = SmallVec::new();
        for (operand, partial) in operands {
            let (Some(tagged), Some(partial)) = (operand.at(level), partial) else { continue };
            match &tagged.part {
                Part::Tangent(theirs) => {
                    let Some(part) = partial.push(self, theirs.clone()) else { continue };
                    tangent = Some(match tangent {
                        None => part,
                        Some(sum) => self.add(sum, part),
                    });
                }
                Part::Node(node) => edges.push(Edge { to: *node, partial }),
            }
        }
        if let Some(tangent) = tangent {
            return Scalar::tagged(to, z, Part::Tangent(tangent));
        }
        if edges.is_empty() {
            return z;
        }
        let mut levels = self.levels.borrow_mut();
        let tape = match levels.get_mut(number_of_call(level)) {
            Some(Level::Reverse(tape)) => tape,
            Some(Level::Returned) => return z,
            Some(Level::Forward) | None => panic!("a number on a tape belongs to a call of reverse mode that goes on"),
        };
        let (limit, used) = self.edges.get();
        if used + 4 > limit {
            self.full.set(true);
            return z;
        }
        self.edges.set((limit, used + 4));
        let node = tape.operation(edges.into_iter());
        Scalar::tagged(to, z, Part::Node(node))
    }

    /// The sum of two derivatives; of truth values, "or".
    pub(super) fn add(&self, a: Scalar, b: Scalar) -> Scalar {
        self.write(ScalarOp::Add, &[a, b])
    }

    /// The value of a straight line over operands by number.
    fn line(&self, lines: &[Line<usize>], x: &[Scalar]) -> Scalar {
        let mut values: Vec<Scalar> = Vec::with_capacity(lines.len());
        for line in lines {
            let op = |op: ScalarOp, of: &[usize]| {
                let operands: SmallVec<[Scalar; MAX_OPERANDS]> = of.iter().map(|i| values[*i].clone()).collect();
                self.write(op, &operands)
            };
            let value = match line {
                Line::Variable(i) => x[*i].clone(),
                Line::Constant(value) => Const::rounded(*value, x[0].kind()).into(),
                Line::Plus(a, b) => op(ScalarOp::Add, &[*a, *b]),
                Line::Times(a, b) => op(ScalarOp::Mul, &[*a, *b]),
                Line::Primitive(row, of) => op(ScalarOp::Row(*row), of),
            };
            values.push(value);
        }
        values.pop().expect("a listing has a line")
    }
}

/// Derivatives are scalars as well, of lower levels.
impl Writer for Engine {
    type Number = Scalar;

    fn prim(&self, x: &Scalar) -> Prim {
        x.kind()
    }

    fn constant(&self, constant: Const) -> Scalar {
        constant.into()
    }

    fn write(&self, op: ScalarOp, x: &[Scalar]) -> Scalar {
        self.perform(op, x).expect("a derivative has a value where its operation has")
    }

    fn by_table(&self, op: ScalarOp, x: &[Scalar], asked: &dyn Fn(usize) -> bool) -> ByOperand<Scalar> {
        let each = |partial: &dyn Fn(usize) -> Option<Partial<Scalar>>| {
            (0..x.len()).map(|i| if asked(i) { partial(i) } else { None }).collect()
        };
        let ScalarOp::Row(row) = op else {
            let is_sum = op == ScalarOp::Add;
            return each(&|i| {
                Some(if is_sum { Partial::One } else { Partial::Factor(x[1 - i].clone(), ZeroRule::Ieee) })
            });
        };
        let facts = row.facts();
        let by = |i: usize, factor: &dyn Fn() -> Scalar| {
            (!facts.flat[i]).then(|| Partial::Factor(factor(), facts.zero_rule))
        };
        if x.iter().all(|x| x.level() == 0) {
            let operands: SmallVec<[Const; MAX_OPERANDS]> = x.iter().map(Scalar::plain).collect();
            let partials = at_reals(row, x[0].kind(), &operands);
            return each(&|i| by(i, &|| partials[i].into()));
        }
        each(&|i| by(i, &|| self.line(&self.partials.of(row, i).lines, x)))
    }

    fn scaled(&self, derivative: Scalar, factor: &Scalar, zero_rule: ZeroRule) -> Option<Scalar> {
        match zero_rule {
            ZeroRule::ZeroPartialWins if factor.is_null() => None,
            ZeroRule::ZeroTangentWins | ZeroRule::ZeroPartialWins if derivative.is_null() => Some(derivative),
            ZeroRule::Ieee | ZeroRule::ZeroTangentWins | ZeroRule::ZeroPartialWins => {
                Some(self.write(ScalarOp::Mul, &[derivative, factor.clone()]))
            }
        }
    }
}

/// The level of the result of an operation from a kind to another, for operands of a level; none if nothing is left of it.
fn level_after(level: u32, from: Prim, to: Prim) -> Option<u32> {
    match (from.is_real(), to.is_real()) {
        (true, false) if !is_of_rounded(level) => Some(level + 1),
        (false, true) if is_of_rounded(level) => None,
        _ => Some(level),
    }
}

/// The number of the call, from 0 on, that a level is of.
pub(super) fn number_of_call(level: u32) -> usize {
    (level as usize - 1) / 2
}

/// The first level of the call of a number, from 0 on.
pub(super) fn level_of_call(number: usize) -> u32 {
    u32::try_from(2 * number + 1).expect("calls nest less than 2^31 times")
}

/// The value of an operation on scalars without derivatives; `None` if it has none.
fn value(op: ScalarOp, x: &[Const]) -> Option<Const> {
    match (op, x[0]) {
        (ScalarOp::ToBits(of), x) => of.of_bits().map(|bits| Const::wrapped(x.bits().into(), bits)),
        (_, Const::F16(_) | Const::F64(_)) => of_reals::<f64>(op, x),
        (_, Const::F32(_)) => of_reals::<f32>(op, x),
        _ => op.value(x),
    }
}

/// The same of reals: that of array programs, run on numbers of their own kind, and of half precision on doubles.
fn of_reals<F: Compare + Copy + Into<f64>>(op: ScalarOp, x: &[Const]) -> Option<Const> {
    let mut operands = [interpret::Scalar::Bool(false); MAX_OPERANDS];
    operands.iter_mut().zip(x).for_each(|(to, x)| *to = interpret::Scalar::constant(*x, F::constant));
    let z = interpret::apply(op, &operands[..x.len()]).ok()?;
    Some(z.plain())
}

/// Whether two scalars have the same value.
pub(super) fn same(a: &Scalar, b: &Scalar) -> bool {
    value(ScalarOp::Equal, &[a.plain(), b.plain()]) == Some(Const::Bool(true))
}

fn no_value(at: Span, op: ScalarOp, x: &[Scalar]) -> Message {
    let x: Vec<String> = x.iter().map(|x| x.integer().to_string()).collect();
    if op == ScalarOp::Integer(IntegerRow::Pow) {
        return Message::error("power", at, format!("{} is raised to the power {}", x[0], x[1]))
            .hint("powers of integers have exponents that are not negative");
    }
    Message::error("division", at, format!("{op}({}) has no value", x.join(", "))).hint("the divisor is 0")
}
