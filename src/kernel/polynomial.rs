//! Integers as sums of products of things that nothing more is computed of.
//!
//! Law: polynomials are added and multiplied as integers of any size are; what would be too large to write down is not
//! there (tests/execute/ranges.rs).

use core::iter::Peekable;
use core::slice::Iter;

use smallvec::SmallVec;

/// What a polynomial is in: values get one each, in the order in which they come to be known, from 1 on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Atom(pub(super) u32);

/// A product of atoms, the newest first; 0 for none.
type Monomial = [u32; DEGREE];

/// The most factors of a product.
const DEGREE: usize = 5;

/// The most products of a sum.
const MOST_TERMS: usize = 16;

/// Products with their coefficients, none of them 0, in order.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub(super) struct Polynomial(Vec<(Monomial, i128)>);

/// The terms of a sum, as they are found; none where a coefficient is too large.
struct Sum<'a> {
    a: Peekable<Iter<'a, (Monomial, i128)>>,
    b: Peekable<Iter<'a, (Monomial, i128)>>,
    /// What the second is multiplied by.
    by: i128,
}

impl Iterator for Sum<'_> {
    type Item = Option<(Monomial, i128)>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let of_a = self.a.peek().map(|(monomial, _)| monomial);
            let of_b = self.b.peek().map(|(monomial, _)| monomial);
            let (takes_a, takes_b) = match (of_a, of_b) {
                (None, None) => return None,
                (Some(of_a), Some(of_b)) => (of_a <= of_b, of_b <= of_a),
                (of_a, of_b) => (of_a.is_some(), of_b.is_some()),
            };
            let (a, b) = (takes_a.then(|| self.a.next()).flatten(), takes_b.then(|| self.b.next()).flatten());
            let (monomial, _) = a.or(b)?;
            let scaled = b.map_or(Some(0), |(_, m)| m.checked_mul(self.by));
            match scaled.and_then(|m| m.checked_add(a.map_or(0, |(_, n)| *n))) {
                Some(0) => {}
                n => return Some(n.map(|n| (*monomial, n))),
            }
        }
    }
}

impl Polynomial {
    pub(super) fn constant(n: i128) -> Self {
        Polynomial(if n == 0 { Vec::new() } else { vec![([0; DEGREE], n)] })
    }

    pub(super) fn atom(Atom(atom): Atom) -> Self {
        let mut monomial = [0; DEGREE];
        monomial[0] = atom;
        Polynomial(vec![(monomial, 1)])
    }

    pub(super) fn as_constant(&self) -> Option<i128> {
        match self.0[..] {
            [] => Some(0),
            [(monomial, n)] if monomial[0] == 0 => Some(n),
            _ => None,
        }
    }

    /// Whether it is nothing but one atom.
    pub(super) fn is_atom(&self) -> bool {
        matches!(self.0[..], [(monomial, 1)] if monomial[0] != 0 && monomial[1] == 0)
    }

    /// The products with their coefficients.
    pub(super) fn terms(&self) -> impl Iterator<Item = (impl Iterator<Item = Atom>, i128)> {
        self.0.iter().map(|(monomial, n)| (factors(*monomial), *n))
    }

    /// Its atoms, the newest first.
    pub(super) fn atoms(&self) -> SmallVec<[Atom; 8]> {
        let mut all: SmallVec<[Atom; 8]> = self.0.iter().flat_map(|(monomial, _)| factors(*monomial)).collect();
        all.sort_unstable_by_key(|atom| core::cmp::Reverse(*atom));
        all.dedup();
        all
    }

    fn sum<'a>(&'a self, other: &'a Self, by: i128) -> Sum<'a> {
        Sum { a: self.0.iter().peekable(), b: other.0.iter().peekable(), by }
    }

    fn scaled_sum(&self, other: &Self, by: i128) -> Option<Self> {
        let mut all = Vec::with_capacity(self.0.len() + other.0.len());
        for term in self.sum(other, by) {
            all.push(term?);
        }
        (all.len() <= MOST_TERMS).then_some(Polynomial(all))
    }

    /// The products of a difference, which is not written down, with their coefficients; none where one is too large.
    pub(super) fn terms_of_difference<'a>(
        &'a self,
        other: &'a Self,
    ) -> impl Iterator<Item = Option<(impl Iterator<Item = Atom>, i128)>> + 'a {
        self.sum(other, -1).map(|term| term.map(|(monomial, n)| (factors(monomial), n)))
    }

    pub(super) fn plus(&self, other: &Self) -> Option<Self> {
        self.scaled_sum(other, 1)
    }

    pub(super) fn minus(&self, other: &Self) -> Option<Self> {
        self.scaled_sum(other, -1)
    }

    pub(super) fn plus_constant(&self, n: i128) -> Option<Self> {
        self.plus(&Polynomial::constant(n))
    }

    pub(super) fn negative(&self) -> Option<Self> {
        Polynomial::default().minus(self)
    }

    pub(super) fn times(&self, other: &Self) -> Option<Self> {
        if let [(monomial, n)] = other.0[..] {
            return self.times_one(&monomial, n);
        }
        let mut parts = other.0.iter().map(|(monomial, n)| self.times_one(monomial, *n));
        parts.try_fold(Polynomial::default(), |sum, part| sum.plus(&part?))
    }

    /// The product with one term.
    fn times_one(&self, monomial: &Monomial, n: i128) -> Option<Self> {
        let mut all = Vec::with_capacity(self.0.len());
        for (own, m) in &self.0 {
            all.push((product(own, monomial)?, m.checked_mul(n)?));
        }
        all.sort_unstable_by_key(|(monomial, _)| *monomial);
        Some(Polynomial(all))
    }

    /// What an atom is multiplied by, and the rest, if the atom is multiplied by nothing with itself.
    pub(super) fn split(&self, atom: Atom) -> Option<(Self, Self)> {
        let (mut with, mut rest) = (Vec::new(), Vec::new());
        for (monomial, n) in &self.0 {
            match monomial.iter().filter(|factor| **factor == atom.0).count() {
                0 => rest.push((*monomial, *n)),
                1 => with.push((without(monomial, atom), *n)),
                _ => return None,
            }
        }
        with.sort_unstable_by_key(|(monomial, _): &(Monomial, i128)| *monomial);
        Some((Polynomial(with), Polynomial(rest)))
    }

    /// The same with another polynomial in the place of an atom.
    pub(super) fn with(&self, atom: Atom, value: &Self) -> Option<Self> {
        let has = |monomial: &Monomial| monomial.contains(&atom.0);
        let mut sum = Polynomial(self.0.iter().filter(|(monomial, _)| !has(monomial)).copied().collect());
        for (monomial, n) in self.0.iter().filter(|(monomial, _)| has(monomial)) {
            let (mut rest, mut term) = (without(monomial, atom), value.clone());
            while has(&rest) {
                rest = without(&rest, atom);
                term = term.times(value)?;
            }
            sum = sum.plus(&term.times_one(&rest, *n)?)?;
        }
        Some(sum)
    }
}

fn factors(monomial: Monomial) -> impl Iterator<Item = Atom> {
    monomial.into_iter().take_while(|factor| *factor != 0).map(Atom)
}

fn product(a: &Monomial, b: &Monomial) -> Option<Monomial> {
    let mut all = [0; DEGREE];
    let (mut a, mut b) = (a.iter().peekable(), b.iter().peekable());
    let mut next = || match (a.peek(), b.peek()) {
        (Some(x), Some(y)) if x >= y => a.next().copied(),
        (_, Some(_)) => b.next().copied(),
        (_, None) => a.next().copied(),
    };
    all.iter_mut().for_each(|to| *to = next().unwrap_or(0));
    next().is_none_or(|factor| factor == 0).then_some(all)
}

/// The product without one of its factors.
fn without(monomial: &Monomial, atom: Atom) -> Monomial {
    let mut rest = [0; DEGREE];
    let at = monomial.iter().position(|factor| *factor == atom.0).expect("the atom is a factor");
    let others = monomial.iter().enumerate().filter(|(k, _)| *k != at).map(|(_, factor)| *factor);
    rest.iter_mut().zip(others).for_each(|(to, factor)| *to = factor);
    rest
}
