//! Intervals of the elements of an array, between bounds that are known or that the program computes.
//!
//! Law: `0 ≤ start ≤ end ≤ n` for an array of `n` elements; a bound is a constant, or a constant and a variable between two others, and
//! statements are added only for the least and the greatest bound where that does not decide it (tests/transform/dead_elements.rs).

use crate::array::{Atom, Builder, IntegerRow, ScalarOp, Var, index};

/// A constant, and perhaps a variable to be added.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Bound {
    of: Option<Between>,
    plus: i64,
}

/// A variable, and the least and the greatest value that it has.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Between {
    var: Var,
    least: i64,
    greatest: i64,
}

impl Bound {
    pub(super) const ZERO: Bound = Bound::new(0);

    pub(super) const fn new(plus: i64) -> Self {
        Bound { of: None, plus }
    }

    /// `times` times the number of an iteration that is less than `iterations`, and `plus`.
    pub(super) fn of_iteration(number: Var, iterations: i64, times: i64, plus: i64, to: &mut Builder) -> Self {
        if times == 0 {
            return Bound::new(plus);
        }
        let last = times * (iterations - 1);
        let passed = if times == 1 { number.into() } else { to.scalar(ScalarOp::Mul, &[number.into(), index(times)]) };
        let var = passed.var().expect("a product of a variable is one");
        Bound { of: Some(Between { var, least: last.min(0), greatest: last.max(0) }), plus }
    }

    /// The constant, if it is no more.
    pub(super) fn known(self) -> Option<i64> {
        if self.of.is_none() { Some(self.plus) } else { None }
    }

    fn least(self) -> i64 {
        self.plus + self.of.map_or(0, |of| of.least)
    }

    fn greatest(self) -> i64 {
        self.plus + self.of.map_or(0, |of| of.greatest)
    }

    pub(super) fn plus(self, more: i64) -> Self {
        Bound { plus: self.plus + more, ..self }
    }

    /// As an operand.
    pub(super) fn atom(self, to: &mut Builder) -> Atom {
        match self.of {
            None => index(self.plus),
            Some(of) if self.plus == 0 => of.var.into(),
            Some(of) => to.scalar(ScalarOp::Add, &[of.var.into(), index(self.plus)]),
        }
    }

    /// How much greater it is than another, as an operand.
    pub(super) fn minus(self, other: Bound, to: &mut Builder) -> Atom {
        if self.of == other.of {
            return index(self.plus - other.plus);
        }
        if other.of.is_none() {
            return self.plus(-other.plus).atom(to);
        }
        let operands = [self.plus(-other.plus).atom(to), Bound { plus: 0, ..other }.atom(to)];
        to.scalar(IntegerRow::Sub, &operands)
    }

    pub(super) fn min(self, other: Bound, to: &mut Builder) -> Self {
        if self.of == other.of {
            return Bound { plus: self.plus.min(other.plus), ..self };
        }
        if self.greatest() <= other.least() {
            self
        } else if other.greatest() <= self.least() {
            other
        } else {
            self.chosen(other, IntegerRow::Min, i64::min, to)
        }
    }

    pub(super) fn max(self, other: Bound, to: &mut Builder) -> Self {
        if self.of == other.of {
            return Bound { plus: self.plus.max(other.plus), ..self };
        }
        if self.least() >= other.greatest() {
            self
        } else if other.least() >= self.greatest() {
            other
        } else {
            self.chosen(other, IntegerRow::Max, i64::max, to)
        }
    }

    fn chosen(self, other: Bound, row: IntegerRow, choose: fn(i64, i64) -> i64, to: &mut Builder) -> Self {
        let operands = [self.atom(to), other.atom(to)];
        let var = to.scalar(row, &operands).var().expect("an operation of variables is one");
        let least = choose(self.least(), other.least());
        let greatest = choose(self.greatest(), other.greatest());
        Bound { of: Some(Between { var, least, greatest }), plus: 0 }
    }
}

/// The elements from `start` on and before `end`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Interval {
    pub(super) start: Bound,
    pub(super) end: Bound,
}

impl Interval {
    pub(super) const fn new(start: i64, end: i64) -> Self {
        Interval { start: Bound::new(start), end: Bound::new(end) }
    }

    /// The bounds, if they are known.
    pub(super) fn known(self) -> Option<(i64, i64)> {
        self.start.known().zip(self.end.known())
    }

    /// The least interval that has all of both.
    pub(super) fn hull(self, other: Interval, to: &mut Builder) -> Self {
        Interval { start: self.start.min(other.start, to), end: self.end.max(other.end, to) }
    }

    /// The interval so much further on.
    pub(super) fn shifted(self, offset: i64) -> Self {
        Interval { start: self.start.plus(offset), end: self.end.plus(offset) }
    }

    /// What lies in the part of an array from `start` on and before `end`, counted from there.
    pub(super) fn within(self, start: i64, end: i64, to: &mut Builder) -> Self {
        let mut clamped = |bound: Bound| bound.max(Bound::new(start), to).min(Bound::new(end), to).plus(-start);
        Interval { start: clamped(self.start), end: clamped(self.end) }
    }
}
