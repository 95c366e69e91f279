//! Integers as sums of products of things that nothing more is computed of.
//!
//! Law: polynomials are added and multiplied as integers of any size are; what would be too large to write down is not
//! there (tests/execute/ranges.rs).

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
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Polynomial(Vec<(Monomial, i128)>);

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
        self.0.iter().map(|(monomial, n)| (factors(monomial), *n))
    }

    /// Its atoms, the newest first.
    pub(super) fn atoms(&self) -> Vec<Atom> {
        let mut all: Vec<Atom> = self.0.iter().flat_map(|(monomial, _)| factors(monomial)).collect();
        all.sort_unstable_by_key(|atom| core::cmp::Reverse(*atom));
        all.dedup();
        all
    }

    fn scaled_sum(&self, other: &Self, by: i128) -> Option<Self> {
        let (mut a, mut b) = (self.0.iter().peekable(), other.0.iter().peekable());
        let mut all = Vec::with_capacity(self.0.len() + other.0.len());
        loop {
            let (monomial, n) = match (a.peek(), b.peek()) {
                (None, None) => break,
                (Some((of_a, n)), Some((of_b, m))) if of_a == of_b => {
                    let sum = n.checked_add(m.checked_mul(by)?)?;
                    a.next();
                    b.next();
                    (*of_a, sum)
                }
                (Some((of_a, n)), of_b) if of_b.is_none_or(|(of_b, _)| of_a < of_b) => {
                    a.next();
                    (*of_a, *n)
                }
                (_, Some((of_b, m))) => {
                    b.next();
                    (*of_b, m.checked_mul(by)?)
                }
                (Some(_), None) => unreachable!("what is left is taken above"),
            };
            if n != 0 {
                all.push((monomial, n));
            }
        }
        (all.len() <= MOST_TERMS).then_some(Polynomial(all))
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
        let mut sum = Polynomial::default();
        for (monomial, n) in &other.0 {
            let mut all = Vec::with_capacity(self.0.len());
            for (own, m) in &self.0 {
                all.push((product(own, monomial)?, m.checked_mul(*n)?));
            }
            all.sort_unstable_by_key(|(monomial, _)| *monomial);
            sum = sum.plus(&Polynomial(all))?;
        }
        Some(sum)
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
        let mut sum = Polynomial::default();
        for (monomial, n) in &self.0 {
            let (mut rest, mut term) = (*monomial, Polynomial::constant(1));
            while rest.contains(&atom.0) {
                rest = without(&rest, atom);
                term = term.times(value)?;
            }
            sum = sum.plus(&term.times(&Polynomial(vec![(rest, *n)]))?)?;
        }
        Some(sum)
    }
}

fn factors(monomial: &Monomial) -> impl Iterator<Item = Atom> {
    monomial.iter().copied().take_while(|factor| *factor != 0).map(Atom).collect::<Vec<_>>().into_iter()
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
