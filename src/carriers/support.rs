//! Support sets: which variables a number depends on, hence where a Jacobian can have nonzeros.
//!
//! Law: `+` and `×` are both the union, except that `0` annihilates: the semiring of subsets with a zero adjoined; a
//! set is structural, so it holds for all values of the variables, and knows no cancellation (`x − x` depends on `x`).
//! It is the index set of "Forwards and in reverse", slide *Zeroing the zeros*, without the coefficients (Griewank and
//! Walther, "Evaluating Derivatives", chapter *Exploiting Sparsity*) (tests/scalar/support.rs).

use std::rc::Rc;

use im_rc::OrdSet;
use num_traits::{One, Zero};

use crate::primitives::{Elementary, Primitive, Rule};

/// The set of variables that a number depends on.
///
/// A constant depends on none, and neither does what is multiplied by the constant 0; of a row's arguments those do
/// not count in which its derivative is 0 everywhere ([`flat`](crate::primitives::Facts::flat), such as the
/// condition of `select`).
///
/// Sets are shared: a result that equals one operand *is* that operand, at the cost of a comparison. Up to
/// 64 variables a set is a sorted array, and a union one pass over both; from there on it is a persistent tree into
/// which the smaller set is inserted. So a program of 10⁶ operations costs about as many passes over its
/// (mostly small) sets, and a sum of 10⁶ variables 10⁶ insertions.
///
/// ```
/// use catadiff::{Elementary, carriers::Support};
/// let [x, y, z] = ["x", "y", "z"].map(Support::variable);
/// let f = x.clone() * y.clone() + z.clone().floor() * 3.0 + z * 0.0 - x.sin();
/// assert_eq!(f.iter().collect::<Vec<_>>(), [&"x", &"y"]);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Support<V: Ord + Clone = usize>(Set<V>);

#[derive(Debug, Clone)]
enum Set<V: Ord + Clone> {
    /// Of the constant 0.
    Zero,
    /// Of other constants.
    Empty,
    /// Sorted; from 1 to `MAX_SORTED` variables.
    Few(Rc<[V]>),
    /// More than `MAX_SORTED` variables.
    Many(OrdSet<V>),
}

const MAX_SORTED: usize = 64;

impl<V: Ord + Clone> Support<V> {
    /// The number that is this variable.
    #[must_use]
    pub fn variable(variable: V) -> Self {
        Support(Set::Few(Rc::new([variable])))
    }

    /// The variables, in order.
    pub fn iter(&self) -> impl Iterator<Item = &V> {
        let (few, many) = match &self.0 {
            Set::Zero | Set::Empty => (None, None),
            Set::Few(few) => (Some(few), None),
            Set::Many(many) => (None, Some(many)),
        };
        few.into_iter().flat_map(|few| few.iter()).chain(many.into_iter().flatten())
    }

    /// The number of variables.
    #[must_use]
    pub fn len(&self) -> usize {
        match &self.0 {
            Set::Zero | Set::Empty => 0,
            Set::Few(few) => few.len(),
            Set::Many(many) => many.len(),
        }
    }

    /// Whether the number depends on no variable.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        matches!(self.0, Set::Zero | Set::Empty)
    }

    /// Whether the number depends on this variable.
    #[must_use]
    pub fn contains(&self, variable: &V) -> bool {
        match &self.0 {
            Set::Zero | Set::Empty => false,
            Set::Few(few) => few.binary_search(variable).is_ok(),
            Set::Many(many) => many.contains(variable),
        }
    }

    fn union(self, other: Self) -> Self {
        Support(match (self.0, other.0) {
            (Set::Zero, set) | (set, Set::Zero) => set,
            (Set::Empty, set) | (set, Set::Empty) => set,
            (Set::Few(a), Set::Few(b)) => united(a, b),
            (Set::Few(few), Set::Many(many)) | (Set::Many(many), Set::Few(few)) => inserted(many, few.iter()),
            (Set::Many(a), Set::Many(b)) if a.ptr_eq(&b) => Set::Many(a),
            (Set::Many(a), Set::Many(b)) if a.len() < b.len() => inserted(b, a.iter()),
            (Set::Many(a), Set::Many(b)) => inserted(a, b.iter()),
        })
    }
}

fn inserted<'v, V: Ord + Clone + 'v>(mut many: OrdSet<V>, variables: impl Iterator<Item = &'v V>) -> Set<V> {
    for variable in variables {
        // An insertion copies a path of the tree even when it changes nothing.
        if !many.contains(variable) {
            many.insert(variable.clone());
        }
    }
    Set::Many(many)
}

fn united<V: Ord + Clone>(a: Rc<[V]>, b: Rc<[V]>) -> Set<V> {
    if Rc::ptr_eq(&a, &b) {
        return Set::Few(a);
    }
    let size = merged(&a, &b).count();
    if size == a.len() {
        Set::Few(a)
    } else if size == b.len() {
        Set::Few(b)
    } else if size <= MAX_SORTED {
        Set::Few(merged(&a, &b).cloned().collect())
    } else {
        Set::Many(merged(&a, &b).cloned().collect())
    }
}

/// Two sorted arrays as one, each element once.
fn merged<'v, V: Ord>(mut a: &'v [V], mut b: &'v [V]) -> impl Iterator<Item = &'v V> {
    core::iter::from_fn(move || {
        let from_a = match (a.first(), b.first()) {
            (Some(x), Some(y)) => {
                if x == y {
                    b = &b[1..];
                }
                x <= y
            }
            (x, _) => x.is_some(),
        };
        let side = if from_a { &mut a } else { &mut b };
        let (first, rest) = side.split_first()?;
        *side = rest;
        Some(first)
    })
}

/// The same variables; and the constant 0 equals itself alone.
impl<V: Ord + Clone> PartialEq for Set<V> {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Set::Zero, Set::Zero) | (Set::Empty, Set::Empty) => true,
            (Set::Few(a), Set::Few(b)) => a == b,
            (Set::Many(a), Set::Many(b)) => a == b,
            _ => false,
        }
    }
}

impl<V: Ord + Clone> Eq for Set<V> {}

impl<V: Ord + Clone> core::ops::Add for Support<V> {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        self.union(other)
    }
}

impl<V: Ord + Clone> core::ops::Mul for Support<V> {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        if self.is_zero() || other.is_zero() { Support(Set::Zero) } else { self.union(other) }
    }
}

impl<V: Ord + Clone> Zero for Support<V> {
    fn zero() -> Self {
        Support(Set::Zero)
    }
    /// Whether this is the constant 0.
    fn is_zero(&self) -> bool {
        matches!(self.0, Set::Zero)
    }
}

impl<V: Ord + Clone> One for Support<V> {
    fn one() -> Self {
        Support(Set::Empty)
    }
}

crate::operators!([V: Ord + Clone] Support<V>, []);

impl<V: Ord + Clone> Elementary for Support<V> {
    fn constant(value: f64) -> Self {
        Support(if value == 0.0 { Set::Zero } else { Set::Empty })
    }

    /// There is none: the answer is for all values.
    fn primal(&self) -> Option<f64> {
        None
    }

    fn apply<R: Rule<N>, const N: usize>(rule: &R, x: [Self; N]) -> Self {
        of_felt(rule.facts().flat, x)
    }

    fn apply_primitive(row: Primitive, x: &[Self]) -> Self {
        of_felt(row.facts().flat, x.iter().cloned())
    }
}

/// The union of the arguments that a function depends on.
fn of_felt<V: Ord + Clone>(flat: [bool; 3], x: impl IntoIterator<Item = Support<V>>) -> Support<V> {
    let felt = x.into_iter().enumerate().filter(|(argument, _)| flat.get(*argument) != Some(&true));
    // A row of zeros need not be zero, so it starts from the set of a constant that is not.
    felt.map(|(_, x)| x).fold(Support(Set::Empty), Support::union)
}
