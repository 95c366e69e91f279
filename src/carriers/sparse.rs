//! Partial derivatives as an ordered map from variables: only those that are there.
//!
//! Law: the free module on the variables `V`; a variable that is absent has coefficient 0 ("Forwards and in reverse",
//! slide *Zeroing the zeros*). The map is persistent, so a tangent used twice is not copied (laws: kronecker,
//! tests/laws/instances.rs).

use im_rc::OrdMap;

use crate::algebra::{Kronecker, Module, Semiring};

/// The tangent `V → S` with finitely many entries.
///
/// ```
/// use catadiff::carriers::{Dual, Sparse};
/// type Number = Dual<i64, Sparse<char, i64>>;
/// let z = Number::variable(3, 'x') * Number::variable(4, 'y') + Number::lift(1);
/// assert_eq!(z.tangent.iter().collect::<Vec<_>>(), [(&'x', &4), (&'y', &3)]);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Sparse<V: Ord + Clone, S: Clone>(OrdMap<V, S>);

impl<V: Ord + Clone, S: Clone> Sparse<V, S> {
    /// The coefficient of a variable, if it has one.
    pub fn get(&self, variable: &V) -> Option<&S> {
        self.0.get(variable)
    }

    /// The variables with their coefficients, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&V, &S)> {
        self.0.iter()
    }

    /// The number of variables present.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether no variable is present.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn map(self, f: impl Fn(S) -> S) -> Self {
        Sparse(self.0.into_iter().map(|(variable, coefficient)| (variable, f(coefficient))).collect())
    }
}

impl<V: Ord + Clone, S: Semiring> Module<S> for Sparse<V, S> {
    fn zero_tangent() -> Self {
        Sparse(OrdMap::new())
    }

    fn is_zero_tangent(&self) -> bool {
        self.0.is_empty()
    }

    /// The union of the maps, by inserting the smaller into the larger: with a single entry, an upsert.
    fn plus(self, other: Self) -> Self {
        let (mut large, small, swapped) =
            if self.0.len() < other.0.len() { (other.0, self.0, true) } else { (self.0, other.0, false) };
        for (variable, coefficient) in small {
            let sum = match large.get(&variable) {
                None => coefficient,
                // Floats add commutatively, but keep the order for carriers that do not.
                Some(present) if swapped => coefficient + present.clone(),
                Some(present) => present.clone() + coefficient,
            };
            large.insert(variable, sum);
        }
        Sparse(large)
    }

    fn scale(self, by: &S) -> Self {
        self.map(|coefficient| coefficient.scale(by))
    }

    fn scale_ieee(self, by: &S) -> Self {
        self.map(|coefficient| coefficient * by.clone())
    }
}

impl<V: Ord + Clone, S: Semiring> Kronecker<V, S> for Sparse<V, S> {
    fn delta(variable: V) -> Self {
        Sparse(OrdMap::unit(variable, S::one()))
    }
}
