//! Sizes as polynomials: what is surely equal, what surely differs, which size solves an equation; and expressions as sizes.
//!
//! Law: two sizes are equal here only if they are so for all values of their variables, and differ only if they do for
//! all (tests/language/check.rs).

use std::collections::BTreeMap;

use super::{Constant, Expression, ExpressionKind, Local, Size, Type};

impl Expression {
    /// The size that it is, if it is a term that sizes can be; `is_index` says which type is `i64`.
    pub(in crate::futhark) fn as_size(&self, is_index: &impl Fn(&Type) -> bool) -> Option<Size> {
        if !is_index(&self.of) {
            return None;
        }
        match &self.kind {
            ExpressionKind::Constant(Constant::Integer(n)) => i64::try_from(*n).ok().map(Size::Constant),
            ExpressionKind::Local(local) => Some(Size::Local(*local)),
            ExpressionKind::Size(size) => Some(size.clone()),
            ExpressionKind::Primitive(name, _, operands) => {
                let [a, b] = &operands[..] else { return None };
                let make = match &**name {
                    "add" => Size::Sum,
                    "sub" => Size::Difference,
                    "mul" => Size::Product,
                    "div" => Size::Quotient,
                    _ => return None,
                };
                Some(make(Box::new(a.as_size(is_index)?), Box::new(b.as_size(is_index)?)))
            }
            ExpressionKind::Convert(inner) => inner.as_size(is_index),
            _ => None,
        }
    }
}

/// A factor of a term.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::futhark) enum Atom {
    Local(u32),
    Unknown(u32),
    Quotient(Box<Polynomial>, Box<Polynomial>),
    /// A size too large to multiply out, as it is written.
    Opaque(String),
}

/// A product of factors, in order.
pub(in crate::futhark) type Monomial = Vec<Atom>;

/// A sum of terms, each a product with its coefficient, none of them 0.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(in crate::futhark) struct Polynomial(BTreeMap<Monomial, i128>);

/// More terms than this are not multiplied out.
const MAX_TERMS: usize = 64;

impl Polynomial {
    /// The normal form of a size in which all that is known has been put in.
    pub(in crate::futhark) fn of(size: &Size) -> Polynomial {
        Self::expand(size).unwrap_or_else(|| Self::atom(Atom::Opaque(size.to_string())))
    }

    fn expand(size: &Size) -> Option<Polynomial> {
        let small = |p: Polynomial| (p.0.len() <= MAX_TERMS).then_some(p);
        Some(match size {
            Size::Constant(n) => Self::constant(i128::from(*n)),
            Size::Local(local) => Self::atom(Atom::Local(local.0)),
            Size::Unknown(unknown) => Self::atom(Atom::Unknown(*unknown)),
            Size::Sum(a, b) => small(Self::of(a).plus(&Self::of(b), 1)?)?,
            Size::Difference(a, b) => small(Self::of(a).plus(&Self::of(b), -1)?)?,
            Size::Product(a, b) => {
                let (a, b) = (Self::of(a), Self::of(b));
                let mut product = Polynomial::default();
                for (m, c) in &a.0 {
                    for (n, d) in &b.0 {
                        let mut both: Monomial = m.iter().chain(n).cloned().collect();
                        both.sort();
                        (both.len() <= MAX_TERMS).then_some(())?;
                        product.add(both, c.checked_mul(*d)?)?;
                    }
                    product = small(product)?;
                }
                product
            }
            Size::Quotient(a, b) => {
                let (a, b) = (Self::of(a), Self::of(b));
                match (a.as_constant(), b.as_constant()) {
                    (Some(a), Some(b)) if b != 0 => {
                        Self::constant(a.div_euclid(b) - i128::from(b < 0 && a.rem_euclid(b) != 0))
                    }
                    (_, Some(1)) => a,
                    _ => Self::atom(Atom::Quotient(Box::new(a), Box::new(b))),
                }
            }
        })
    }

    fn constant(n: i128) -> Polynomial {
        Polynomial(if n == 0 { BTreeMap::new() } else { BTreeMap::from([(Vec::new(), n)]) })
    }

    fn atom(atom: Atom) -> Polynomial {
        Polynomial(BTreeMap::from([(vec![atom], 1)]))
    }

    fn add(&mut self, monomial: Monomial, coefficient: i128) -> Option<()> {
        let sum = self.0.get(&monomial).copied().unwrap_or(0).checked_add(coefficient)?;
        if sum == 0 {
            self.0.remove(&monomial);
        } else {
            self.0.insert(monomial, sum);
        }
        Some(())
    }

    /// `self + sign · other`, unless it overflows.
    pub(in crate::futhark) fn plus(mut self, other: &Polynomial, sign: i128) -> Option<Polynomial> {
        for (monomial, coefficient) in &other.0 {
            self.add(monomial.clone(), coefficient.checked_mul(sign)?)?;
        }
        Some(self)
    }

    /// The number, if it has no variables.
    pub(in crate::futhark) fn as_constant(&self) -> Option<i128> {
        match self.0.len() {
            0 => Some(0),
            1 => self.0.get(&Vec::new()).copied(),
            _ => None,
        }
    }

    /// The unknowns in it, those within quotients too.
    pub(in crate::futhark) fn unknowns(&self, found: &mut Vec<u32>) {
        for atom in self.0.keys().flatten() {
            match atom {
                Atom::Unknown(unknown) if !found.contains(unknown) => found.push(*unknown),
                Atom::Unknown(_) | Atom::Local(_) | Atom::Opaque(_) => {}
                Atom::Quotient(a, b) => {
                    a.unknowns(found);
                    b.unknowns(found);
                }
            }
        }
    }

    /// The value of an unknown for which the polynomial is 0, if it is a polynomial too.
    pub(in crate::futhark) fn solve(&self, unknown: u32) -> Option<Size> {
        let atom = Atom::Unknown(unknown);
        let mut with = self.0.iter().filter(|(monomial, _)| monomial.contains(&atom));
        let (monomial, &coefficient) = with.next()?;
        if with.next().is_some() {
            return None;
        }
        let factor: Monomial = monomial.iter().filter(|a| **a != atom).cloned().collect();
        if factor.len() + 1 != monomial.len() {
            return None;
        }
        let mut solution = Polynomial::default();
        for (other, c) in self.0.iter().filter(|(other, _)| *other != monomial) {
            let mut rest = other.clone();
            for divisor in &factor {
                let at = rest.iter().position(|a| a == divisor)?;
                rest.remove(at);
            }
            if c % coefficient != 0 {
                return None;
            }
            solution.add(rest, -(c / coefficient))?;
        }
        let mut inside = Vec::new();
        solution.unknowns(&mut inside);
        if inside.contains(&unknown) { None } else { solution.to_size() }
    }

    /// The polynomial as a size.
    pub(in crate::futhark) fn to_size(&self) -> Option<Size> {
        let mut sum: Option<Size> = None;
        // Positive terms first, so that a difference does not begin with a negation.
        let (positive, negative): (Vec<_>, Vec<_>) = self.0.iter().rev().partition(|(_, c)| **c > 0);
        for (monomial, &coefficient) in positive.into_iter().chain(negative) {
            let size = i64::try_from(coefficient.unsigned_abs()).ok()?;
            let mut term = (size != 1 || monomial.is_empty()).then_some(Size::Constant(size));
            for atom in monomial {
                let factor = match atom {
                    Atom::Local(local) => Size::Local(Local(*local)),
                    Atom::Unknown(unknown) => Size::Unknown(*unknown),
                    Atom::Quotient(a, b) => Size::Quotient(Box::new(a.to_size()?), Box::new(b.to_size()?)),
                    Atom::Opaque(_) => return None,
                };
                term = Some(match term {
                    Some(before) => Size::Product(Box::new(before), Box::new(factor)),
                    None => factor,
                });
            }
            let term = Box::new(term.unwrap_or(Size::Constant(1)));
            sum = Some(match (sum, coefficient > 0) {
                (Some(before), true) => Size::Sum(Box::new(before), term),
                (Some(before), false) => Size::Difference(Box::new(before), term),
                (None, true) => *term,
                (None, false) => Size::Difference(Box::new(Size::Constant(0)), term),
            });
        }
        Some(sum.unwrap_or(Size::Constant(0)))
    }
}

/// Applies a function to the variables of a size.
pub(in crate::futhark) fn map_size(size: &Size, leaf: &mut impl FnMut(&Size) -> Option<Size>) -> Size {
    replace_in_size(size, leaf).unwrap_or_else(|| size.clone())
}

/// A size with others in the places of those for which the function has some; none if it has none for any.
pub(in crate::futhark) fn replace_in_size(size: &Size, leaf: &mut impl FnMut(&Size) -> Option<Size>) -> Option<Size> {
    type Make = fn(Box<Size>, Box<Size>) -> Size;
    if let Some(replaced) = leaf(size) {
        return Some(replaced);
    }
    let (make, a, b): (Make, &Size, &Size) = match size {
        Size::Constant(_) | Size::Local(_) | Size::Unknown(_) => return None,
        Size::Sum(a, b) => (Size::Sum, a, b),
        Size::Difference(a, b) => (Size::Difference, a, b),
        Size::Product(a, b) => (Size::Product, a, b),
        Size::Quotient(a, b) => (Size::Quotient, a, b),
    };
    let (left, right) = (replace_in_size(a, leaf), replace_in_size(b, leaf));
    let or = |replaced: Option<Size>, before: &Size| Box::new(replaced.unwrap_or_else(|| before.clone()));
    (left.is_some() || right.is_some()).then(|| make(or(left, a), or(right, b)))
}

/// Calls a function on each variable of a size, known or not.
pub(in crate::futhark) fn leaves(size: &Size, leaf: &mut impl FnMut(&Size)) {
    match size {
        Size::Constant(_) => {}
        Size::Local(_) | Size::Unknown(_) => leaf(size),
        Size::Sum(a, b) | Size::Difference(a, b) | Size::Product(a, b) | Size::Quotient(a, b) => {
            leaves(a, leaf);
            leaves(b, leaf);
        }
    }
}
