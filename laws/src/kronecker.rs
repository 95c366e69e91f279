//! Unit tangents: the textbook rule `∂x/∂y`, which is 1 if `x` is `y` and 0 if not.
//!
//! Law: `delta(v)` has the coefficient 1 at `v` and 0 elsewhere, and reading a coefficient is linear, so a tangent is
//! its coefficients ("Forwards and in reverse", slide *Derivatives for All*) (tests/laws/instances.rs).

use catadiff::carriers::{Accumulate, Brand, Cayley, Dense, Hom, Sparse};
use catadiff::{Kronecker, Module, Semiring};
use generic_array::ArrayLength;

use crate::approx::{Bound, Same, VARIABLES};
use crate::law;
use crate::runner::for_all;
use crate::sample::Source;
use crate::violation::Verdict;

/// A tangent whose coefficients can be read: what the laws see of a module indexed by variables.
pub trait Coefficients<V, S> {
    /// The coefficient of a variable; 0 if it has none.
    fn coefficient(&self, variable: &V) -> S;
}

impl<S: Semiring, N: ArrayLength> Coefficients<usize, S> for Dense<S, N> {
    fn coefficient(&self, variable: &usize) -> S {
        self.0.get(*variable).cloned().unwrap_or_else(S::zero)
    }
}

impl<V: Ord + Clone, S: Semiring> Coefficients<V, S> for Sparse<V, S> {
    fn coefficient(&self, variable: &V) -> S {
        self.get(variable).cloned().unwrap_or_else(S::zero)
    }
}

impl<'a, V, S: Semiring + 'a, M: Module<S> + Coefficients<V, S> + 'a> Coefficients<V, S> for Hom<'a, S, M> {
    fn coefficient(&self, variable: &V) -> S {
        self.abs().coefficient(variable)
    }
}

impl<'a, V, S: Semiring + 'a, M: Module<S> + Coefficients<V, S> + 'a> Coefficients<V, S> for Cayley<'a, S, M> {
    fn coefficient(&self, variable: &V) -> S {
        self.abs().coefficient(variable)
    }
}

impl<'a, S: Semiring + 'a> Coefficients<usize, S> for Accumulate<'a, S> {
    fn coefficient(&self, variable: &usize) -> S {
        self.abs(variable + 1).pop().unwrap_or_else(S::zero)
    }
}

impl<V, S, M: Coefficients<V, S>> Coefficients<V, S> for Brand<'_, M> {
    fn coefficient(&self, variable: &V) -> S {
        self.inner.coefficient(variable)
    }
}

/// What `gradient::<given…, M>(arguments…)` returns by every module `M` over a scalar whose coefficients can be read,
/// each with the module's name. A new module is listed here, and compared with the others wherever they are.
macro_rules! by_every_module {
    (over $S:ty, $gradient:ident<$($given:ident),*>($($argument:expr),*)) => {{
        use catadiff::carriers::{Accumulate, Cayley, Dense, Hom, Sparse};
        [
            ("Sparse", $gradient::<$($given,)* Sparse<usize, $S>>($($argument),*)),
            ("Dense", $gradient::<$($given,)* Dense<$S, generic_array::typenum::U4>>($($argument),*)),
            ("Hom", $gradient::<$($given,)* Hom<'_, $S, Sparse<usize, $S>>>($($argument),*)),
            ("Cayley", $gradient::<$($given,)* Cayley<'_, $S, Sparse<usize, $S>>>($($argument),*)),
            ("Accumulate", $gradient::<$($given,)* Accumulate<'_, $S>>($($argument),*)),
        ]
    }};
}
pub(crate) use by_every_module;

/// `delta(v)` at `w` is 1 if they are the same variable, and 0 if not.
pub fn delta_is_a_unit<V, S, M>(v: &V, w: &V, bound: Bound) -> Verdict
where
    V: PartialEq + Clone + Same,
    S: Semiring + Same,
    M: Kronecker<V, S> + Coefficients<V, S>,
{
    let unit = if v == w { S::one() } else { S::zero() };
    law!("delta is a unit: delta(v) at w = (1 if v = w, else 0)", [v, w], M::delta(v).coefficient(&w), unit, bound)
}

/// `(m·a + n)` at `v` is `(m at v) × a + (n at v)`.
pub fn reading_is_linear<V, S, M>(v: &V, [m, n]: [&M; 2], a: &S, bound: Bound) -> Verdict
where
    V: Clone + Same,
    S: Semiring + Same,
    M: Kronecker<V, S> + Coefficients<V, S> + Same,
{
    let linear = "coefficients are linear: (m·a + n) at v = (m at v) × a + (n at v)";
    let separately = m.coefficient(v) * a.clone() + n.coefficient(v);
    law!(linear, [v, m, n, a], m.scale(&a).plus(n).coefficient(&v), separately, bound)
}

/// Whether `M` has a unit tangent for each of the first [`VARIABLES`] variables, distinguished by its coefficients.
///
/// ```
/// use catadiff::carriers::Sparse;
/// use catadiff_laws::{Bound, Sample, kronecker};
/// type Tangent = Sparse<usize, i64>;
/// kronecker::check::<i64, Tangent, Sample<i64>, Sample<Tangent>>(Bound::EXACT)?;
/// # Ok::<(), catadiff_laws::Violation>(())
/// ```
pub fn check<S, M, A, B>(bound: Bound) -> Verdict
where
    S: Semiring + Same,
    M: Kronecker<usize, S> + Coefficients<usize, S> + Same,
    A: Source<S>,
    B: Source<M>,
{
    for v in 0..VARIABLES {
        (0..VARIABLES).try_for_each(|w| delta_is_a_unit::<usize, S, M>(&v, &w, bound))?;
    }
    for_all(|(v, a, (m, n)): (usize, A, (B, B))| {
        reading_is_linear(&(v % VARIABLES), [&m.give(), &n.give()], &a.give(), bound)
    })
}
