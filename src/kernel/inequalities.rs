//! What is known of integers: the least and the greatest that they may be, and what is not less than what.
//!
//! That a polynomial is not negative is shown by putting bounds in the place of its atoms, the newest first: what bounds an atom is older
//! than it. An index that is less than a count, times a size, is at most the count less one, times the size.
//!
//! Law: what is shown follows from what was assumed, for integers of any size; what is not shown may hold all the same
//! (tests/execute/ranges.rs, laws: executors::suite).

use core::cell::{Cell, RefCell};

use rustc_hash::FxHashMap;

use super::polynomial::{Atom, Polynomial};

/// As good as no bound. The sum of two of them has a number.
const NONE: i128 = 1 << 125;

/// What is tried at most to show something.
const MOST_STEPS: u32 = 64;

/// How many polynomials are looked at: at first, for each statement, and at most for one. What is not shown with that is not shown, so that the
/// time is in proportion to the code.
const EFFORT: i64 = 1 << 12;
const EFFORT_OF_STATEMENT: i64 = 8;

/// What is known of an atom.
#[derive(Debug, Clone)]
struct Known {
    least: i128,
    greatest: i128,
    /// What it is not less than, and not more than: of older atoms.
    lowers: Vec<Polynomial>,
    uppers: Vec<Polynomial>,
    /// What it is: of older atoms.
    equal: Option<Polynomial>,
    /// Of which it is one.
    either: Option<[Polynomial; 2]>,
}

/// What was known before, for when it is to be known no longer.
#[derive(Debug)]
enum Undo {
    Range(Atom, i128, i128),
    Lower(Atom),
    Upper(Atom),
    Equal(Atom),
    Other,
}

/// All that is known.
#[derive(Debug)]
pub(super) struct Inequalities {
    atoms: Vec<Known>,
    /// How many polynomials may yet be looked at.
    effort: Cell<i64>,
    /// What else is not negative.
    others: Vec<Polynomial>,
    /// How to go back, and the number of the state after each step: what is known is the same where the last number is.
    trail: Vec<(Undo, u64)>,
    states: u64,
    /// Whether polynomials are not negative, as it was found in these states.
    found: RefCell<FxHashMap<u64, FxHashMap<Polynomial, bool>>>,
}

/// A state of what is known.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mark(usize);

impl Default for Inequalities {
    fn default() -> Self {
        Inequalities {
            atoms: Vec::new(),
            effort: Cell::new(EFFORT),
            others: Vec::new(),
            trail: Vec::new(),
            states: 0,
            found: RefCell::default(),
        }
    }
}

impl Inequalities {
    /// Another statement is looked at.
    pub(super) fn statement(&self) {
        self.effort.set((self.effort.get() + EFFORT_OF_STATEMENT).min(EFFORT));
    }

    /// An integer in a range.
    pub(super) fn atom(&mut self, (least, greatest): (i128, i128)) -> Polynomial {
        self.atoms.push(Known { least, greatest, lowers: Vec::new(), uppers: Vec::new(), equal: None, either: None });
        Polynomial::atom(Atom(u32::try_from(self.atoms.len()).expect("code has fewer than 2^32 values")))
    }

    /// One of two integers, which is in a range.
    pub(super) fn either_of(&mut self, both: [Polynomial; 2], range: (i128, i128)) -> Polynomial {
        let new = self.atom(range);
        self.atoms.last_mut().expect("it was just added").either = Some(both);
        new
    }

    pub(super) fn mark(&self) -> Mark {
        Mark(self.trail.len())
    }

    /// Forgets what was assumed since.
    pub(super) fn back_to(&mut self, Mark(mark): Mark) {
        while self.trail.len() > mark {
            match self.trail.pop().expect("there is more than what is kept").0 {
                Undo::Range(atom, least, greatest) => {
                    let known = self.of_mut(atom);
                    (known.least, known.greatest) = (least, greatest);
                }
                Undo::Lower(atom) => drop(self.of_mut(atom).lowers.pop()),
                Undo::Upper(atom) => drop(self.of_mut(atom).uppers.pop()),
                Undo::Equal(atom) => self.of_mut(atom).equal = None,
                Undo::Other => drop(self.others.pop()),
            }
        }
    }

    /// What is known becomes more.
    fn step(&mut self, undo: Undo) {
        self.states += 1;
        self.trail.push((undo, self.states));
    }

    fn of(&self, atom: Atom) -> &Known {
        &self.atoms[atom.0 as usize - 1]
    }

    fn of_mut(&mut self, atom: Atom) -> &mut Known {
        &mut self.atoms[atom.0 as usize - 1]
    }

    /// The polynomial with what its atoms are known to be.
    fn plain(&self, mut p: Polynomial) -> Option<Polynomial> {
        while let Some((atom, value)) = p.atoms().into_iter().find_map(|a| Some((a, self.of(a).equal.as_ref()?))) {
            p = p.with(atom, value)?;
        }
        Some(p)
    }

    /// A range that a polynomial is in.
    pub(super) fn range(&self, p: &Polynomial) -> (i128, i128) {
        p.terms().fold((0, 0), |sum, (factors, n)| added(sum, self.range_of_term(factors, n)))
    }

    /// A range that the difference of two polynomials is in.
    fn range_of_difference(&self, p: &Polynomial, q: &Polynomial) -> Option<(i128, i128)> {
        let each = |sum, term: Option<_>| term.map(|(factors, n)| added(sum, self.range_of_term(factors, n)));
        p.terms_of_difference(q).try_fold((0, 0), each)
    }

    fn range_of_term(&self, factors: impl Iterator<Item = Atom>, n: i128) -> (i128, i128) {
        factors.fold((capped(n), capped(n)), |term, atom| {
            let Known { least, greatest, .. } = *self.of(atom);
            let ends = [times(term.0, least), times(term.0, greatest), times(term.1, least), times(term.1, greatest)];
            (ends.into_iter().fold(NONE, i128::min), ends.into_iter().fold(-NONE, i128::max))
        })
    }

    /// Whether a polynomial is not negative for sure.
    pub(super) fn is_not_negative(&self, p: &Polynomial) -> bool {
        if self.range(p).0 >= 0 {
            return true;
        }
        let state = self.trail.last().map_or(0, |(_, state)| *state);
        if let Some(found) = self.found.borrow().get(&state).and_then(|of| of.get(p)) {
            return *found;
        }
        let found = self.plain(p.clone()).is_some_and(|p| self.shows(&p, &mut { MOST_STEPS }, 2));
        if found || self.effort.get() > 0 {
            self.found.borrow_mut().entry(state).or_default().insert(p.clone(), found);
        }
        found
    }

    /// Whether two polynomials are equal for sure.
    pub(super) fn are_equal(&self, a: &Polynomial, b: &Polynomial) -> bool {
        a == b || a.minus(b).and_then(|p| self.plain(p)).is_some_and(|p| p.as_constant() == Some(0))
    }

    /// Whether a polynomial is an integer of 64 bits for sure.
    pub(super) fn is_held(&self, p: &Polynomial) -> bool {
        if p.is_atom() {
            return true;
        }
        let (least, greatest) = self.range(p);
        (least >= i64::MIN.into() || p.plus_constant(1 << 63).is_some_and(|p| self.is_not_negative(&p)))
            && (greatest <= i64::MAX.into()
                || Polynomial::constant(i64::MAX.into()).minus(p).is_some_and(|p| self.is_not_negative(&p)))
    }

    fn shows(&self, p: &Polynomial, steps: &mut u32, others: u32) -> bool {
        let (least, greatest) = self.range(p);
        if least >= 0 || greatest < 0 || *steps == 0 || self.effort.get() <= 0 {
            return least >= 0;
        }
        *steps -= 1;
        self.effort.set(self.effort.get() - 1 - self.others.len() as i64);
        let newest = p.atoms().first().copied();
        if let Some((atom, both)) = newest.and_then(|atom| Some((atom, self.of(atom).either.as_ref()?))) {
            let with = |value: &Polynomial| self.plain(p.with(atom, value)?);
            if both.iter().all(|value| with(value).is_some_and(|p| self.shows(&p, steps, others))) {
                return true;
            }
        }
        // If it is not negative less something that is not, it is not either. Where the range says neither, more is tried below.
        let mut less = Vec::new();
        for other in self.others.iter().rev() {
            let is_plain = other.atoms().iter().all(|atom| self.of(*atom).equal.is_none());
            match is_plain.then(|| self.range_of_difference(p, other)).flatten() {
                Some((0.., _)) => return true,
                Some((_, greatest)) if greatest < 0 || others == 0 => continue,
                _ => {}
            }
            let Some(rest) = p.minus(other).and_then(|rest| self.plain(rest)) else { continue };
            if !is_plain && self.range(&rest).0 >= 0 {
                return true;
            }
            less.push(rest);
        }
        for atom in p.atoms() {
            let Some((factor, rest)) = p.split(atom) else { continue };
            let Known { least, greatest, lowers, uppers, .. } = self.of(atom);
            let sign = self.range(&factor);
            let is_more = sign.0 >= 0 || sign.1 > 0 && self.shows(&factor, steps, 0);
            let is_less =
                !is_more && (sign.1 <= 0 || factor.negative().is_some_and(|factor| self.shows(&factor, steps, 0)));
            let (bounds, end) = match (is_more, is_less) {
                (true, _) => (lowers, least),
                (_, true) => (uppers, greatest),
                (false, false) => continue,
            };
            let end = (end.abs() < NONE).then(|| Polynomial::constant(*end));
            let with = |bound: &Polynomial| self.plain(factor.times(bound)?.plus(&rest)?);
            if bounds.iter().chain(&end).filter_map(with).any(|p| self.shows(&p, steps, others)) {
                return true;
            }
        }
        others > 0 && less.iter().any(|p| self.shows(p, steps, others - 1))
    }

    fn narrow(&mut self, atom: Atom, least: i128, greatest: i128) {
        let known = self.of(atom);
        let before = (known.least, known.greatest);
        let after = (before.0.max(least), before.1.min(greatest));
        if after != before {
            self.step(Undo::Range(atom, before.0, before.1));
            let known = self.of_mut(atom);
            (known.least, known.greatest) = after;
        }
    }

    /// Takes it that a polynomial is not negative.
    pub(super) fn assume(&mut self, p: &Polynomial) {
        let Some(p) = self.plain(p.clone()) else { return };
        if self.range(&p).0 >= 0 {
            return;
        }
        // What is not 0 has no factor that is.
        let terms: Vec<(Vec<Atom>, i128)> = p.terms().map(|(factors, n)| (factors.collect(), n)).collect();
        if let [(none, below), (factors, n)] = &terms[..]
            && none.is_empty()
            && *below < 0
            && *n > 0
            && factors.iter().all(|atom| self.of(*atom).least >= 0)
        {
            factors.iter().for_each(|atom| self.narrow(*atom, 1, NONE));
        }
        let mut is_kept = false;
        for (k, atom) in p.atoms().into_iter().enumerate() {
            let linear = p.split(atom).and_then(|(factor, rest)| Some((factor.as_constant()?, rest)));
            let (Some((n, rest)), is_newest) = (linear, k == 0) else { continue };
            let (least, greatest) = self.range(&rest);
            if n > 0 && greatest < NONE {
                self.narrow(atom, -greatest.div_euclid(n), NONE);
            } else if n < 0 && greatest < NONE {
                self.narrow(atom, -NONE, greatest.div_euclid(-n));
            }
            let is_constant = least == greatest;
            if is_newest && is_constant {
                is_kept = true;
            } else if is_newest && n == -1 {
                is_kept = true;
                self.step(Undo::Upper(atom));
                self.of_mut(atom).uppers.push(rest);
            } else if is_newest
                && n == 1
                && let Some(bound) = rest.negative()
            {
                is_kept = true;
                self.step(Undo::Lower(atom));
                self.of_mut(atom).lowers.push(bound);
            }
        }
        if !is_kept {
            self.step(Undo::Other);
            self.others.push(p);
        }
    }

    /// Takes it that two polynomials are equal.
    pub(super) fn assume_equal(&mut self, a: &Polynomial, b: &Polynomial) {
        let Some(difference) = a.minus(b).and_then(|p| self.plain(p)) else { return };
        let Some(newest) = difference.atoms().first().copied() else { return };
        let Some((factor, rest)) = difference.split(newest) else { return };
        let value = match factor.as_constant() {
            Some(1) => rest.negative(),
            Some(-1) => Some(rest),
            _ => None,
        };
        let Some(value) = value else {
            self.assume(&difference);
            difference.negative().into_iter().for_each(|p| self.assume(&p));
            return;
        };
        let Known { least, greatest, lowers, uppers, .. } = self.of(newest).clone();
        self.step(Undo::Equal(newest));
        self.of_mut(newest).equal = Some(value.clone());
        let lowers = lowers.into_iter().chain([Polynomial::constant(least)]);
        let uppers = uppers.into_iter().chain([Polynomial::constant(greatest)]);
        let above: Vec<Polynomial> = lowers.filter_map(|bound| value.minus(&bound)).collect();
        let below: Vec<Polynomial> = uppers.filter_map(|bound| bound.minus(&value)).collect();
        above.iter().chain(&below).for_each(|p| self.assume(p));
    }
}

/// The range of a sum of what is in two of them.
fn added(a: (i128, i128), b: (i128, i128)) -> (i128, i128) {
    let least = if a.0 == -NONE || b.0 == -NONE { -NONE } else { capped(a.0 + b.0) };
    let greatest = if a.1 == NONE || b.1 == NONE { NONE } else { capped(a.1 + b.1) };
    (least, greatest)
}

fn capped(n: i128) -> i128 {
    n.clamp(-NONE, NONE)
}

/// The product, if that is no less than nothing.
fn times(a: i128, b: i128) -> i128 {
    a.checked_mul(b).map_or(if (a < 0) == (b < 0) { NONE } else { -NONE }, capped)
}
