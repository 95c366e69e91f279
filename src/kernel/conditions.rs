//! Truth values of code, as what they say of integers.
//!
//! Law: a condition that is decided has that value in every lane that does the program's work; what is assumed of a condition follows
//! from it (tests/execute/ranges.rs).

use std::rc::Rc;

use super::code::LARGEST;
use super::inequalities::Inequalities;
use super::polynomial::Polynomial;

/// What a truth value says.
#[derive(Debug)]
pub(super) enum Condition {
    Known(bool),
    /// The first is less than the second, not more than it, or equal to it.
    Less(Polynomial, Polynomial),
    LessOrEqual(Polynomial, Polynomial),
    Equal(Polynomial, Polynomial),
    /// A product of sizes is not beyond the most elements, whether 64 bits hold it or not.
    IsBounded(Polynomial),
    And(Rc<Condition>, Rc<Condition>),
    Or(Rc<Condition>, Rc<Condition>),
    Not(Rc<Condition>),
    /// Something else.
    Other,
}

impl Inequalities {
    /// Whether both are the integers that the code has for them, and the second less the first is at least so much.
    fn is_apart(&self, a: &Polynomial, b: &Polynomial, by: i128) -> bool {
        let difference = b.minus(a).and_then(|p| p.plus_constant(-by));
        difference.is_some_and(|p| self.is_not_negative(&p)) && self.is_held(a) && self.is_held(b)
    }

    /// What a condition is, if that is known.
    pub(super) fn decide(&self, condition: &Condition) -> Option<bool> {
        let either = |yes: bool, no: &dyn Fn() -> bool| if yes { Some(true) } else { no().then_some(false) };
        match condition {
            Condition::Known(truth) => Some(*truth),
            Condition::Less(a, b) => either(self.is_apart(a, b, 1), &|| self.is_apart(b, a, 0)),
            Condition::LessOrEqual(a, b) => either(self.is_apart(a, b, 0), &|| self.is_apart(b, a, 1)),
            Condition::Equal(a, b) => either(self.is_apart(a, b, 0) && self.is_apart(b, a, 0), &|| {
                self.is_apart(a, b, 1) || self.is_apart(b, a, 1)
            }),
            Condition::IsBounded(p) => {
                let room = Polynomial::constant(LARGEST.into()).minus(p);
                room.is_some_and(|p| self.is_not_negative(&p)).then_some(true)
            }
            Condition::And(a, b) => match (self.decide(a), self.decide(b)) {
                (Some(true), Some(true)) => Some(true),
                (Some(false), _) | (_, Some(false)) => Some(false),
                _ => None,
            },
            Condition::Or(a, b) => match (self.decide(a), self.decide(b)) {
                (Some(false), Some(false)) => Some(false),
                (Some(true), _) | (_, Some(true)) => Some(true),
                _ => None,
            },
            Condition::Not(a) => self.decide(a).map(|truth| !truth),
            Condition::Other => None,
        }
    }

    /// Takes it that the first of two integers of the code is less than the second by at least so much.
    fn assume_apart(&mut self, a: &Polynomial, b: &Polynomial, by: i128) {
        // A sum may be beyond 64 bits by one more: then the code has a negative number for it.
        let wraps_to_negative = |this: &Self, p: &Polynomial| {
            let (least, greatest) = this.range(p);
            least >= i64::MIN.into() && greatest < 1 << 64
        };
        if a.as_constant().is_some_and(|n| n + by >= 0) && wraps_to_negative(self, b) {
            Polynomial::constant(i64::MAX.into()).minus(b).into_iter().for_each(|p| self.assume(&p));
        }
        if self.is_held(a) && self.is_held(b) {
            let difference = b.minus(a).and_then(|p| p.plus_constant(-by));
            difference.into_iter().for_each(|p| self.assume(&p));
        }
    }

    /// Takes it that a condition is true, or that it is false. What is then one of two is put aside.
    pub(super) fn assume_that(&mut self, condition: &Rc<Condition>, truth: bool, aside: &mut Vec<Rc<Condition>>) {
        match (&**condition, truth) {
            (Condition::Less(a, b), true) => self.assume_apart(a, b, 1),
            (Condition::Less(a, b), false) => self.assume_apart(b, a, 0),
            (Condition::LessOrEqual(a, b), true) => self.assume_apart(a, b, 0),
            (Condition::LessOrEqual(a, b), false) => self.assume_apart(b, a, 1),
            (Condition::Equal(a, b), true) if self.is_held(a) && self.is_held(b) => self.assume_equal(a, b),
            (Condition::Equal(a, b), false) if self.is_held(a) && self.is_held(b) => {
                // What is not negative, and not 0, is more.
                for (a, b) in [(a, b), (b, a)] {
                    if let Some(p) = b.minus(a).filter(|p| self.is_not_negative(p)).and_then(|p| p.plus_constant(-1)) {
                        self.assume(&p);
                    }
                }
            }
            (Condition::IsBounded(p), true) => {
                Polynomial::constant(LARGEST.into()).minus(p).into_iter().for_each(|p| self.assume(&p));
            }
            (Condition::And(a, b), true) | (Condition::Or(a, b), false) => {
                self.assume_that(a, truth, aside);
                self.assume_that(b, truth, aside);
            }
            (Condition::Or(a, b), true) => match (self.decide(a), self.decide(b)) {
                (Some(false), _) => self.assume_that(b, true, aside),
                (_, Some(false)) => self.assume_that(a, true, aside),
                _ => aside.push(condition.clone()),
            },
            (Condition::Not(a), _) => self.assume_that(a, !truth, aside),
            (Condition::And(..) | Condition::IsBounded(_), false) => {}
            (Condition::Equal(..) | Condition::Known(_) | Condition::Other, _) => {}
        }
    }
}
