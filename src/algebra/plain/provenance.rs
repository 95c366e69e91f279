//! Provenance polynomials: which inputs a result came from, in how many ways, and how often each was used.
//!
//! Law: ℕ\[V\] is the free commutative semiring on `V`, so [`Provenance::eval`] is the one homomorphism into any other
//! that sends each variable to its given value (Green, Karvounarakis and Tannen, "Provenance semirings", 2007; the
//! lawful counterpart of "Forwards and in reverse", slide *Free (Lawless) Semiring*) (tests/laws/instances.rs).

use core::cmp::Reverse;
use core::fmt;
use core::ops::{Add, Mul};
use std::collections::BTreeMap;

use num_traits::{One, Zero};

use super::Counting;
use crate::algebra::{Semiring, doubling, natural};

/// A polynomial with natural coefficients in the variables `V`.
///
/// A coefficient is a [`Counting`] and an exponent stops at the largest `u32` likewise: what gets too large stays a
/// lower bound, and the laws hold throughout.
///
/// ```
/// use catadiff::algebra::plain::{MinPlus, Provenance};
/// let (x, y) = (Provenance::variable("x"), Provenance::variable("y"));
/// let p = x.clone() * y.clone() * y.clone() + Provenance::from(1) + x * y.clone() * y;
/// assert_eq!(p.to_string(), "2·x·y² + 1");
/// // Every other meaning factors through this one: here, the cheapest way.
/// let cost = |v: &&str| MinPlus(if *v == "x" { -3.0 } else { 1.0 });
/// assert_eq!(p.eval(cost), MinPlus(-1.0));
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Provenance<V: Ord>(BTreeMap<Monomial<V>, Counting>);

/// A product of powers. The order is that in which terms are printed: by falling degree, then by variables.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Monomial<V: Ord> {
    degree: Reverse<u64>,
    powers: BTreeMap<V, Reverse<u32>>,
}

impl<V: Ord> Monomial<V> {
    /// The product of no variables.
    fn unit() -> Self {
        Monomial::new(BTreeMap::new())
    }

    fn new(powers: BTreeMap<V, Reverse<u32>>) -> Self {
        let degree = Reverse(powers.values().map(|power| u64::from(power.0)).sum());
        Monomial { degree, powers }
    }
}

impl<V: Ord + Clone> Monomial<V> {
    fn times(&self, other: &Self) -> Self {
        let mut powers = self.powers.clone();
        for (variable, power) in &other.powers {
            let sum = powers.entry(variable.clone()).or_insert(Reverse(0));
            sum.0 = sum.0.saturating_add(power.0);
        }
        Monomial::new(powers)
    }
}

impl<V: Ord + Clone> Provenance<V> {
    /// The polynomial that is one variable.
    #[must_use]
    pub fn variable(variable: V) -> Self {
        Provenance(BTreeMap::from([(Monomial::new(BTreeMap::from([(variable, Reverse(1))])), Counting(1))]))
    }

    /// The coefficient of a product of powers; variables may be given in any order, and repeatedly.
    ///
    /// ```
    /// use catadiff::algebra::plain::Provenance;
    /// let x = Provenance::variable('x');
    /// let square = (x.clone() + Provenance::from(1)) * (x + Provenance::from(1));
    /// assert_eq!([square.coefficient(&[('x', 2)]), square.coefficient(&[('x', 1)]), square.coefficient(&[])], [1, 2, 1]);
    /// ```
    #[must_use]
    pub fn coefficient(&self, powers: &[(V, u32)]) -> u64 {
        let factor = |(v, n): &(V, u32)| BTreeMap::from([(v.clone(), Reverse(*n))]);
        let written = powers.iter().filter(|(_, n)| *n > 0).map(factor).map(Monomial::new);
        let monomial = written.fold(Monomial::unit(), |product, power| product.times(&power));
        self.0.get(&monomial).map_or(0, |count| count.0)
    }

    /// The terms as coefficient and powers, by falling degree.
    pub fn terms(&self) -> impl Iterator<Item = (u64, impl Iterator<Item = (&V, u32)>)> {
        self.0.iter().map(|(monomial, count)| (count.0, monomial.powers.iter().map(|(v, power)| (v, power.0))))
    }

    /// The value in a commutative semiring where each variable has the given meaning.
    ///
    /// It is a homomorphism as long as no count has reached its end.
    pub fn eval<S: Semiring>(&self, meaning: impl Fn(&V) -> S) -> S {
        self.terms().fold(S::zero(), |sum, (count, powers)| {
            let power = |(v, n): (&V, u32)| doubling(n.into(), meaning(v), S::one(), |a, b| a * b);
            sum + powers.map(power).fold(natural(count), |product, factor| product * factor)
        })
    }
}

/// The constant polynomial.
impl<V: Ord> From<u64> for Provenance<V> {
    fn from(constant: u64) -> Self {
        let term = (Monomial::unit(), Counting(constant));
        Provenance(Some(term).filter(|_| constant > 0).into_iter().collect())
    }
}

impl<V: Ord + Clone> Add for Provenance<V> {
    type Output = Self;
    fn add(mut self, other: Self) -> Self {
        for (monomial, count) in other.0 {
            let sum = self.0.entry(monomial).or_insert(Counting(0));
            *sum = *sum + count;
        }
        self
    }
}

impl<V: Ord + Clone> Mul for Provenance<V> {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        let mut product = BTreeMap::new();
        for (left, m) in &self.0 {
            for (right, n) in &other.0 {
                let sum = product.entry(left.times(right)).or_insert(Counting(0));
                *sum = *sum + *m * *n;
            }
        }
        Provenance(product)
    }
}

impl<V: Ord + Clone> Zero for Provenance<V> {
    fn zero() -> Self {
        Self::from(0)
    }
    fn is_zero(&self) -> bool {
        self.0.is_empty()
    }
}

impl<V: Ord + Clone> One for Provenance<V> {
    fn one() -> Self {
        Self::from(1)
    }
}

impl<V: Ord> Provenance<V> {
    fn write(
        &self,
        f: &mut fmt::Formatter<'_>,
        name: impl Fn(&V, &mut fmt::Formatter<'_>) -> fmt::Result,
    ) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("0");
        }
        for (position, (monomial, count)) in self.0.iter().enumerate() {
            f.write_str(if position == 0 { "" } else { " + " })?;
            let written = count.0 != 1 || monomial.powers.is_empty();
            if written {
                write!(f, "{count}")?;
            }
            for (factor, (variable, power)) in monomial.powers.iter().enumerate() {
                f.write_str(if factor == 0 && !written { "" } else { "·" })?;
                name(variable, f)?;
                if power.0 != 1 {
                    f.write_str(&superscript(power.0))?;
                }
            }
        }
        Ok(())
    }
}

fn superscript(power: u32) -> String {
    let raised = |digit: char| match digit {
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        // The other raised digits are in one block of their own.
        _ => digit.to_digit(10).and_then(|d| char::from_u32(0x2070 + d)).unwrap_or(digit),
    };
    power.to_string().chars().map(raised).collect()
}

/// As in `2·x·y² + 1`.
impl<V: Ord + fmt::Display> fmt::Display for Provenance<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, |variable, f| variable.fmt(f))
    }
}

impl<V: Ord + fmt::Debug> fmt::Debug for Provenance<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, |variable, f| variable.fmt(f))
    }
}
