//! The building site: statements are written to the innermost scope, and checks are gathered there.
//!
//! Law: what is written is well typed; an integer computed twice from the same operands is one operand, so that equal sizes are
//! known to be equal. A check that does not hold when the program runs makes a number of its own, and the scope hands the
//! largest of those in it to the scope around it: that of the check that was written first (tests/language/elaborate.rs).

use std::cell::RefCell;

use rustc_hash::{FxHashMap, FxHashSet};

use super::operand::{Of, Operand, known_truth};
use crate::array::{Atom, Body, Builder, IntegerRow, Lambda, Op, Prim, Reduce, ScalarOp, Type, Var, index};
use crate::error;
use crate::futhark::meaning::Outcome;
use crate::futhark::source::{Message, Span};
use crate::optimise::fold;

/// What can be found again in a scope instead of being computed again.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Known {
    Scalar(ScalarOp, Vec<Atom>),
    Size(Atom, usize),
}

#[derive(Debug, Default)]
struct Scope {
    found: FxHashMap<Known, Atom>,
    /// Numbers of checks that do not hold; 0 where one does.
    checks: Vec<Atom>,
}

/// A check that a program makes.
#[derive(Debug, Clone)]
pub(super) struct Check {
    pub(super) at: Span,
    pub(super) code: &'static str,
    pub(super) text: String,
}

#[derive(Debug, Default)]
pub(super) struct Inside {
    pub(super) builder: Builder,
    scopes: Vec<Scope>,
    pub(super) checks: Vec<Check>,
    pub(super) steps: u64,
    /// The number of variables before a function that is being traced for reverse mode, the outermost.
    pub(super) backwards: Option<usize>,
    /// Arrays whose elements are known without them, and their sizes, as far as that goes.
    pub(super) rules: FxHashMap<Atom, Vec<Atom>>,
    /// Variables that are sizes of arrays.
    sizes: FxHashSet<Atom>,
}

/// The meaning of programs as array programs: a program under construction.
#[derive(Debug)]
pub(super) struct Site {
    pub(super) inside: RefCell<Inside>,
}

/// A function that has been traced.
pub(super) struct Traced {
    pub(super) lambda: Lambda,
    /// What is known of the results, outside.
    pub(super) results: Vec<Of>,
    /// Whether it returns, as one result more, the number of a check that does not hold.
    pub(super) checked: bool,
}

/// The number of the first check; later ones have smaller numbers.
pub const FIRST_CHECK: i64 = 1 << 32;

/// The invariant of what is built here.
pub(super) fn ill_typed(at: Span, reason: &str) -> Message {
    let text = format!("this becomes an array program that is not well typed: {reason}");
    Message::error("internal", at, text).hint("this is a mistake of the elaboration, not of the program")
}

/// The span of a statement that is written here; what the prelude writes is not of the user's text.
fn source(at: Span) -> error::Span {
    let Span { file, start, end } = at;
    if at.is_prelude() { error::Span::UNKNOWN } else { error::Span::at(error::Place::Text { file, start, end }) }
}

impl Site {
    pub(super) fn new() -> Self {
        let inside = Inside { scopes: vec![Scope::default()], ..Inside::default() };
        Site { inside: RefCell::new(inside) }
    }

    /// Builds something where every scope sees it, before the statement that is being built.
    pub(super) fn outermost<T>(&self, inside: impl FnOnce() -> Outcome<T>) -> Outcome<T> {
        let (bodies, scopes) = {
            let site = &mut *self.inside.borrow_mut();
            (site.builder.leave(), site.scopes.split_off(1))
        };
        let built = inside();
        let site = &mut *self.inside.borrow_mut();
        site.builder.enter(bodies);
        site.scopes.extend(scopes);
        built
    }

    /// Adds a statement.
    pub(super) fn emit(&self, at: Span, op: Op) -> Outcome<Vec<Atom>> {
        let builder = &mut self.inside.borrow_mut().builder;
        builder.span(source(at));
        let vars = builder.bind(op).map_err(|reason| ill_typed(at, &reason))?;
        Ok(vars.into_iter().map(Atom::Var).collect())
    }

    /// Adds a statement of one result.
    pub(super) fn one(&self, at: Span, op: Op) -> Outcome<Atom> {
        self.emit(at, op)?.first().copied().ok_or_else(|| ill_typed(at, "there is no result"))
    }

    pub(super) fn variables(&self) -> usize {
        self.inside.borrow().builder.variables()
    }

    /// A new variable, to be bound as a parameter.
    pub(super) fn fresh(&self, of: Of) -> (Var, Operand) {
        let var = self.inside.borrow_mut().builder.fresh(of.stored());
        (var, Operand { atom: var.into(), of })
    }

    pub(super) fn fresh_index(&self) -> Var {
        self.inside.borrow_mut().builder.fresh(Type::scalar(Prim::I64))
    }

    pub(super) fn open(&self) {
        let inside = &mut *self.inside.borrow_mut();
        inside.builder.open_body();
        inside.scopes.push(Scope::default());
    }

    /// The body since the matching [`open`](Site::open), and whether it returns the number of a check as one result more.
    pub(super) fn close(&self, at: Span, mut results: Vec<Atom>) -> Outcome<(Body, bool)> {
        let check = self.check_of_scope(at)?;
        results.extend(check);
        let inside = &mut *self.inside.borrow_mut();
        inside.scopes.pop();
        Ok((inside.builder.close_body(results), check.is_some()))
    }

    /// The number of the first check of the innermost scope that does not hold, if there are checks.
    pub(super) fn check_of_scope(&self, at: Span) -> Outcome<Option<Atom>> {
        let scope = self.inside.borrow_mut().scopes.last_mut().map(|scope| core::mem::take(&mut scope.checks));
        let mut checks = scope.unwrap_or_default().into_iter();
        let Some(mut first) = checks.next() else { return Ok(None) };
        for check in checks {
            first = self.integer(at, IntegerRow::Max, &[first, check])?;
        }
        Ok(Some(first))
    }

    /// Adds the number of a check that does not hold, or 0, to the innermost scope.
    pub(super) fn add_check(&self, check: Atom) {
        if let Some(scope) = self.inside.borrow_mut().scopes.last_mut() {
            scope.checks.push(check);
        }
    }

    /// A function of parameters of these types, traced once.
    pub(super) fn traced(
        &self,
        at: Span,
        params: Vec<Of>,
        function: &mut dyn FnMut(Vec<Operand>) -> Outcome<Vec<Operand>>,
    ) -> Outcome<Traced> {
        let variables = self.variables();
        self.open();
        let (params, operands): (Vec<Var>, Vec<Operand>) = params.into_iter().map(|of| self.fresh(of)).unzip();
        let results = function(operands)?;
        let (body, checked) = self.close(at, results.iter().map(|result| result.atom).collect())?;
        let results = results.into_iter().map(|result| result.of.outside(variables)).collect();
        Ok(Traced { lambda: Lambda { params, body }, results, checked })
    }

    /// A scalar operation; one on known integers or truth values is known, and one that is there already is found.
    pub(super) fn raw(&self, at: Span, op: impl Into<ScalarOp>, operands: &[Atom]) -> Outcome<Atom> {
        let op = op.into();
        // Operations on reals stay as they are written, so that their derivatives are those of what is written.
        let is_real = self.inside.borrow().builder.type_of(operands[0]).prim.is_real();
        let is_test = matches!(op, ScalarOp::Equal | ScalarOp::Less | ScalarOp::LessOrEqual);
        if let Some(known) = fold(op, operands).filter(|_| is_test || !is_real) {
            return Ok(known);
        }
        let mut sorted = operands.to_vec();
        if matches!(op, ScalarOp::Add | ScalarOp::Mul) && self.is_integer(operands[0]) {
            sorted.sort_by_key(|atom| match atom {
                Atom::Var(Var(number)) => (0, u64::from(*number)),
                Atom::Const(constant) => (1, constant.bits()),
            });
        }
        let key = Known::Scalar(op, sorted);
        if let Some(found) = self.find(&key) {
            return Ok(found);
        }
        let atom = self.one(at, Op::Scalar(op, operands.into()))?;
        self.note(key, atom);
        Ok(atom)
    }

    fn is_integer(&self, atom: Atom) -> bool {
        self.inside.borrow().builder.type_of(atom).prim.is_integer()
    }

    fn find(&self, key: &Known) -> Option<Atom> {
        self.inside.borrow().scopes.iter().rev().find_map(|scope| scope.found.get(key).copied())
    }

    /// Whether a number may have an adjoint where it is used now: it is made within what is traced for reverse mode, and is
    /// not the size of an array.
    pub(super) fn may_be_felt(&self, number: Atom) -> bool {
        let inside = self.inside.borrow();
        let made = |before| number.var().is_some_and(|Var(number)| number as usize >= before);
        inside.backwards.is_some_and(made) && !inside.sizes.contains(&number)
    }

    fn note(&self, key: Known, atom: Atom) {
        if let Some(scope) = self.inside.borrow_mut().scopes.last_mut() {
            scope.found.insert(key, atom);
        }
    }

    pub(super) fn integer(&self, at: Span, row: IntegerRow, operands: &[Atom]) -> Outcome<Atom> {
        self.raw(at, row, operands)
    }

    pub(super) fn add(&self, at: Span, a: Atom, b: Atom) -> Outcome<Atom> {
        self.raw(at, ScalarOp::Add, &[a, b])
    }

    pub(super) fn sub(&self, at: Span, a: Atom, b: Atom) -> Outcome<Atom> {
        self.raw(at, IntegerRow::Sub, &[a, b])
    }

    pub(super) fn mul(&self, at: Span, a: Atom, b: Atom) -> Outcome<Atom> {
        self.raw(at, ScalarOp::Mul, &[a, b])
    }

    /// The scalar in another kind of the array program.
    pub(super) fn cast(&self, at: Span, atom: Atom, to: Prim) -> Outcome<Atom> {
        if self.inside.borrow().builder.type_of(atom).prim == to {
            return Ok(atom);
        }
        self.raw(at, ScalarOp::Convert(to), &[atom])
    }

    /// One of two scalars, both of which are there.
    pub(super) fn choose(&self, at: Span, condition: Atom, yes: Atom, no: Atom) -> Outcome<Atom> {
        match known_truth(condition) {
            Some(true) => Ok(yes),
            Some(false) => Ok(no),
            None if yes == no => Ok(yes),
            None => {
                let arm = |result| Body { stms: Vec::new(), results: vec![result] };
                self.one(at, Op::If(condition, Box::new(arm(yes)), Box::new(arm(no))))
            }
        }
    }

    /// The size of an array in a dimension.
    pub(super) fn size_of(&self, at: Span, array: &Operand, dimension: usize) -> Outcome<Atom> {
        if let Some(Some(size)) = array.of.shape.get(dimension) {
            return Ok(*size);
        }
        let key = Known::Size(array.atom, dimension);
        if let Some(found) = self.find(&key) {
            return Ok(found);
        }
        let atom = self.one(at, Op::Size(array.atom, dimension))?;
        self.inside.borrow_mut().sizes.insert(atom);
        self.note(key, atom);
        Ok(atom)
    }

    /// The sizes of an array.
    pub(super) fn sizes(&self, at: Span, array: &Operand) -> Outcome<Vec<Atom>> {
        (0..array.of.shape.len()).map(|dimension| self.size_of(at, array, dimension)).collect()
    }

    /// Zeros of a kind in an array of these sizes.
    pub(super) fn zeros(&self, at: Span, kind: Prim, sizes: &[Atom]) -> Outcome<Atom> {
        let zero = Atom::Const(kind.zero());
        sizes.iter().rev().try_fold(zero, |value, size| self.one(at, Op::Replicate(*size, value)))
    }

    /// The number of a check.
    fn number_of(&self, check: Check) -> i64 {
        let checks = &mut self.inside.borrow_mut().checks;
        checks.push(check);
        FIRST_CHECK - (checks.len() as i64 - 1)
    }

    /// Whether what is written now is within an arm or a function.
    pub(super) fn is_conditional(&self) -> bool {
        self.inside.borrow().scopes.len() > 1
    }

    /// A check that does not hold wherever it is reached.
    pub(super) fn fail(&self, at: Span, code: &'static str, text: String) {
        let number = self.number_of(Check { at, code, text });
        self.add_check(index(number));
    }

    /// Goes on only if a condition is true.
    pub(super) fn check(&self, at: Span, condition: Atom, code: &'static str, text: String) -> Outcome<()> {
        match known_truth(condition) {
            Some(true) => Ok(()),
            Some(false) => Err(Message::error(code, at, text)),
            None => {
                let number = self.number_of(Check { at, code, text });
                let fails = self.raw(at, ScalarOp::Not, &[condition])?;
                let fails = self.cast(at, fails, Prim::I64)?;
                let check = self.mul(at, fails, index(number))?;
                self.add_check(check);
                Ok(())
            }
        }
    }

    /// Adds a statement whose last result, if one is `checked`, is the number of a check that does not hold, or an array of such
    /// numbers.
    pub(super) fn emit_checked(&self, at: Span, op: Op, checked: bool) -> Outcome<Vec<Atom>> {
        let mut results = self.emit(at, op)?;
        if checked && let Some(check) = results.pop() {
            let is_array = self.inside.borrow().builder.type_of(check).rank > 0;
            self.add_check(if is_array { self.largest(at, check)? } else { check });
        }
        Ok(results)
    }

    /// The largest of some integers, at least 0.
    pub(super) fn largest(&self, at: Span, array: Atom) -> Outcome<Atom> {
        let operator = self.on_scalars(at, [Prim::I64; 2], |[a, b]| self.integer(at, IntegerRow::Max, &[a, b]))?;
        self.one(at, Op::Reduce(reduction(operator, index(0), array)))
    }

    /// A function of scalars of these kinds to a scalar, without checks, traced once.
    pub(super) fn on_scalars<const N: usize>(
        &self,
        at: Span,
        kinds: [Prim; N],
        function: impl Fn([Atom; N]) -> Outcome<Atom>,
    ) -> Outcome<Lambda> {
        let traced = self.traced(at, kinds.map(Of::scalar).to_vec(), &mut |operands| {
            let result = function(core::array::from_fn(|i| operands[i].atom))?;
            let kind = self.inside.borrow().builder.type_of(result).prim;
            Ok(vec![Operand::scalar(result, kind)])
        })?;
        Ok(traced.lambda)
    }
}

/// The elements of an array combined by a commutative operator.
pub(super) fn reduction(operator: Lambda, neutral: Atom, array: Atom) -> Box<Reduce> {
    Box::new(Reduce { operator, neutral: vec![neutral], arrays: vec![array], commutative: true })
}
