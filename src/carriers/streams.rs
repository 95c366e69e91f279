//! Power series of rows: the coefficients of `φ(x₁(t), …)` from the partial derivatives of `φ` alone.
//!
//! Law: `z′ = Σᵢ xᵢ′·∂φ/∂xᵢ(x, z)`, read off coefficient by coefficient: `k·zₖ = Σᵢ Σⱼ j·xᵢⱼ·pᵢ,ₖ₋ⱼ` (Griewank and
//! Walther, "Evaluating Derivatives", chapter *Taylor coefficients*). The series `pᵢ` of a partial is itself computed
//! by this law, on demand: `sin` needs the coefficients of `cos`, and `cos` those of `sin`, one coefficient before
//! (tests/scalar/taylor.rs).

use core::cell::{Cell, RefCell};
use core::fmt;
use core::ops::{Add, Mul};
use std::rc::Rc;

use num_traits::{One, Zero};

use crate::algebra::{Module, Semiring};
use crate::primitives::{Elementary, Identity, Primitive, Rule, Scalar, per_argument};

/// The coefficient `k` of the product of two series; what is missing is 0.
pub(super) fn cauchy<S: Semiring>(a: &[S], b: &[S], k: usize) -> S {
    let from = (k + 1).saturating_sub(b.len());
    (from..a.len().min(k + 1)).map(|i| a[i].clone().scale(&b[k - i])).reduce(S::add).unwrap_or_else(S::zero)
}

/// The coefficients `0..=order` of a rule's value, given those of its arguments; what is missing is 0.
pub(super) fn compose<S: Scalar, R: Rule<N>, const N: usize>(rule: &R, x: [&[S]; N], order: usize) -> Vec<S> {
    let arena = Arena::default();
    let x: [_; N] = per_argument(Stream::Literal(S::zero()), |i| Stream::Node(&arena, arena.given(x[i])));
    let z = arena.row(Box::new(Instance(rule.clone())), Known::of(rule), &x);
    arena.coefficients(z, order)
}

/// The number in which a partial derivative is written down, once: a constant, or a series of an arena.
#[derive(Debug, Clone, Copy)]
enum Stream<'a, S> {
    Literal(S),
    Node(&'a Arena<S>, usize),
}

impl<'a, S: Copy> Stream<'a, S> {
    fn arena(&self) -> Option<&'a Arena<S>> {
        if let Stream::Node(arena, _) = self { Some(*arena) } else { None }
    }

    fn literal(&self) -> S {
        if let Stream::Literal(value) = self { *value } else { panic!("a stream is a literal or a node") }
    }
}

/// All series that one row needs. The same operation on the same series is one series, so that rows close on one
/// another; there are few, so they are found by looking through them.
struct Arena<S>(RefCell<Vec<Node<S>>>);

struct Node<S> {
    source: Source<S>,
    /// Whether all coefficients but the first are 0 whatever the order; then only the first is there.
    constant: bool,
    /// As many as are known; of a given series, all that are not 0.
    coefficients: Vec<S>,
}

enum Source<S> {
    Given,
    /// A constant that has a plain value: constants depend on nothing, so equal values are equal constants.
    Literal(f64),
    Sum([usize; 2]),
    Product([usize; 2]),
    Row(Rc<Row<S>>),
}

/// A rule with its arguments.
struct Row<S> {
    rule: Box<dyn Partials<S>>,
    identity: Option<Known>,
    arguments: Vec<Argument>,
}

impl<S> Row<S> {
    fn places(&self) -> impl Iterator<Item = usize> {
        self.arguments.iter().map(|x| x.at)
    }
}

/// A series, and that of the partial derivative by it if it was asked for.
struct Argument {
    at: usize,
    partial: Cell<Option<usize>>,
}

/// What makes two rules the same.
#[derive(PartialEq)]
enum Known {
    Row(Primitive),
    Rule(Identity),
}

impl Known {
    fn of<R: Rule<N>, const N: usize>(rule: &R) -> Option<Self> {
        rule.primitive().map(Known::Row).or_else(|| rule.identity().map(Known::Rule))
    }
}

/// A rule of any number of arguments.
trait Partials<S> {
    fn value(&self, x: &dyn Fn(usize) -> S) -> S;
    fn partial<'a>(&self, argument: usize, x: &[Stream<'a, S>], z: Stream<'a, S>) -> Stream<'a, S>;
}

struct Instance<R, const N: usize>(R);

impl<S: Scalar, R: Rule<N>, const N: usize> Partials<S> for Instance<R, N> {
    fn value(&self, x: &dyn Fn(usize) -> S) -> S {
        S::apply(&self.0, per_argument(S::zero(), x))
    }
    fn partial<'a>(&self, argument: usize, x: &[Stream<'a, S>], z: Stream<'a, S>) -> Stream<'a, S> {
        self.0.partial(argument, per_argument(z, |i| x[i]), z)
    }
}

/// Stack to be left before asking for an earlier coefficient, and stack to be added when there is less.
const RESERVE: usize = 64 * 1024;
const SEGMENT: usize = 1024 * 1024;

impl<S: Scalar> Arena<S> {
    /// The series with these coefficients.
    fn given(&self, coefficients: &[S]) -> usize {
        let last = coefficients.iter().rposition(|c| !c.is_zero()).unwrap_or(0);
        self.push(Source::Given, last == 0, coefficients.iter().take(last + 1).copied().collect())
    }

    // It is not generic in the rule, of which there is one for each row.
    fn row(&self, rule: Box<dyn Partials<S>>, identity: Option<Known>, x: &[Stream<'_, S>]) -> usize {
        let arguments = x.iter().map(|x| Argument { at: self.place(*x), partial: Cell::new(None) }).collect();
        let row = Row { rule, identity, arguments };
        let same = |source: &Source<S>| match source {
            Source::Row(known) => {
                row.identity.is_some() && known.identity == row.identity && known.places().eq(row.places())
            }
            _ => false,
        };
        self.find(same).unwrap_or_else(|| {
            let value = row.rule.value(&|i| self.coefficient(row.arguments[i].at, 0));
            let constant = row.places().all(|at| self.is_constant(at));
            self.push(Source::Row(Rc::new(row)), constant, vec![value])
        })
    }

    /// The coefficients `0..=order` of a series, which are taken out of it.
    fn coefficients(&self, at: usize, order: usize) -> Vec<S> {
        // One after the other, so that none asks for more than one coefficient more of any other series.
        let order = if self.is_constant(at) { 0 } else { order };
        for k in 0..=order {
            self.reach(at, k);
        }
        core::mem::take(&mut self.0.borrow_mut()[at].coefficients)
    }

    fn find(&self, same: impl Fn(&Source<S>) -> bool) -> Option<usize> {
        self.0.borrow().iter().position(|node| same(&node.source))
    }

    fn push(&self, source: Source<S>, constant: bool, coefficients: Vec<S>) -> usize {
        let nodes = &mut *self.0.borrow_mut();
        nodes.push(Node { source, constant, coefficients });
        nodes.len() - 1
    }

    /// The place of a stream in the arena.
    fn place(&self, stream: Stream<'_, S>) -> usize {
        let value = match stream {
            Stream::Node(_, at) => return at,
            Stream::Literal(value) => value,
        };
        let Some(plain) = value.primal() else { return self.push(Source::Given, true, vec![value]) };
        let same = |source: &Source<S>| matches!(source, Source::Literal(known) if known.to_bits() == plain.to_bits());
        self.find(same).unwrap_or_else(|| self.push(Source::Literal(plain), true, vec![value]))
    }

    fn is_constant(&self, at: usize) -> bool {
        self.0.borrow()[at].constant
    }

    /// A coefficient that is known or of a given series.
    fn coefficient(&self, at: usize, k: usize) -> S {
        self.0.borrow()[at].coefficients.get(k).copied().unwrap_or_else(S::zero)
    }

    /// Computes the coefficients up to `k` of a series.
    fn reach(&self, at: usize, k: usize) {
        loop {
            let next = {
                let node = &self.0.borrow()[at];
                if node.constant || matches!(node.source, Source::Given) || node.coefficients.len() > k {
                    return;
                }
                node.coefficients.len()
            };
            let coefficient = stacker::maybe_grow(RESERVE, SEGMENT, || self.next(at, next));
            self.0.borrow_mut()[at].coefficients.push(coefficient);
        }
    }

    /// The coefficient `k ≥ 1` of a series whose earlier ones are known.
    fn next(&self, at: usize, k: usize) -> S {
        let (operands, product, row) = match &self.0.borrow()[at].source {
            Source::Given | Source::Literal(_) => panic!("a given series has all its coefficients"),
            Source::Sum(operands) => (*operands, false, None),
            Source::Product(operands) => (*operands, true, None),
            Source::Row(row) => ([at; 2], false, Some(row.clone())),
        };
        if let Some(row) = row {
            return self.next_of_row(at, &row, k);
        }
        let [a, b] = operands;
        self.reach(a, k);
        self.reach(b, k);
        if product {
            let list = self.0.borrow();
            cauchy(&list[a].coefficients, &list[b].coefficients, k)
        } else {
            self.coefficient(a, k) + self.coefficient(b, k)
        }
    }

    fn next_of_row(&self, at: usize, row: &Row<S>, k: usize) -> S {
        // The terms with j = k are summed separately from those to be divided by k, so that linear rows are not
        // rounded.
        let (mut last, mut earlier) = (S::zero(), None);
        for (argument, &Argument { at: x, .. }) in row.arguments.iter().enumerate() {
            if self.is_constant(x) {
                continue;
            }
            let p = self.partial(at, row, argument);
            if self.is_constant(p) && self.coefficient(p, 0).is_zero() {
                continue;
            }
            self.reach(x, k);
            self.reach(p, k - 1);
            let list = self.0.borrow();
            let (x, p) = (&list[x].coefficients, &list[p].coefficients);
            last = last + x.get(k).map_or_else(S::zero, |x| x.scale(&p[0]));
            let from = (k + 1).saturating_sub(p.len()).max(1);
            for j in from..x.len().min(k) {
                let term = (x[j] * S::constant(j as f64)).scale(&p[k - j]);
                earlier = Some(earlier.map_or(term, |sum| sum + term));
            }
        }
        earlier.map_or(last, |sum: S| last + sum / S::constant(k as f64))
    }

    /// The series of a row's partial derivative, written down when it is first asked for.
    fn partial(&self, at: usize, row: &Row<S>, argument: usize) -> usize {
        row.arguments[argument].partial.get().unwrap_or_else(|| {
            let x: Vec<_> = row.arguments.iter().map(|x| Stream::Node(self, x.at)).collect();
            let p = self.place(row.rule.partial(argument, &x, Stream::Node(self, at)));
            row.arguments[argument].partial.set(Some(p));
            p
        })
    }

    fn binary(&self, [a, b]: [Stream<'_, S>; 2], product: bool) -> Stream<'_, S> {
        let (a, b) = (self.place(a), self.place(b));
        let known = self.find(|source| match source {
            Source::Sum(operands) => !product && (*operands == [a, b] || *operands == [b, a]),
            Source::Product(operands) => product && (*operands == [a, b] || *operands == [b, a]),
            _ => false,
        });
        let at = known.unwrap_or_else(|| {
            let (x, y) = (self.coefficient(a, 0), self.coefficient(b, 0));
            let (source, value) = if product { (Source::Product([a, b]), x * y) } else { (Source::Sum([a, b]), x + y) };
            self.push(source, self.is_constant(a) && self.is_constant(b), vec![value])
        });
        Stream::Node(self, at)
    }
}

impl<S> Default for Arena<S> {
    fn default() -> Self {
        Arena(RefCell::new(Vec::new()))
    }
}

impl<S> fmt::Debug for Arena<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Arena")
    }
}

impl<S: Scalar> Add for Stream<'_, S> {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        match (self, other) {
            (Stream::Literal(a), Stream::Literal(b)) => Stream::Literal(a + b),
            (Stream::Literal(zero), x) | (x, Stream::Literal(zero)) if zero.is_zero() => x,
            (Stream::Node(arena, _), _) | (_, Stream::Node(arena, _)) => arena.binary([self, other], false),
        }
    }
}

impl<S: Scalar> Mul for Stream<'_, S> {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        match (self, other) {
            (Stream::Literal(a), Stream::Literal(b)) => Stream::Literal(a * b),
            (Stream::Literal(zero), _) | (_, Stream::Literal(zero)) if zero.is_zero() => Stream::Literal(zero),
            (Stream::Node(arena, _), _) | (_, Stream::Node(arena, _)) => arena.binary([self, other], true),
        }
    }
}

impl<S: Scalar> Zero for Stream<'_, S> {
    fn zero() -> Self {
        Stream::Literal(S::zero())
    }
    fn is_zero(&self) -> bool {
        match self {
            Stream::Literal(value) => value.is_zero(),
            Stream::Node(arena, at) => arena.is_constant(*at) && arena.coefficient(*at, 0).is_zero(),
        }
    }
}

impl<S: Scalar> One for Stream<'_, S> {
    fn one() -> Self {
        Stream::Literal(S::one())
    }
}

crate::operators!(['a, S: Scalar] Stream<'a, S>, []);

impl<S: Scalar> Elementary for Stream<'_, S> {
    fn constant(value: f64) -> Self {
        Stream::Literal(S::constant(value))
    }

    fn primal(&self) -> Option<f64> {
        match self {
            Stream::Literal(value) => value.primal(),
            Stream::Node(arena, at) => arena.coefficient(*at, 0).primal(),
        }
    }

    fn apply<R: Rule<N>, const N: usize>(rule: &R, x: [Self; N]) -> Self {
        let Some(arena) = x.iter().find_map(Stream::arena) else {
            return Stream::Literal(S::apply(rule, per_argument(S::zero(), |i| x[i].literal())));
        };
        Stream::Node(arena, arena.row(Box::new(Instance(rule.clone())), Known::of(rule), &x))
    }
}
