//! Refinements: each step from one module of tangents to a faster one, as an executable proof.
//!
//! Law: `abs ∘ rep` is the identity, and `rep` is a homomorphism of modules that takes unit tangents to unit tangents;
//! a fold into the faster module then equals the fold into the slower one, followed by `rep` ("Forwards and in
//! reverse", *Steps 1 to 3*; data refinement after Hoare) (tests/laws/instances.rs).

use catadiff::{Kronecker, Module, Semiring};

use crate::approx::{Bound, Same};
use crate::law;
use crate::runner::for_all;
use crate::sample::Source;
use crate::violation::Verdict;

/// A step of refinement: how a slow tangent is represented by a fast one, and which one a fast one stands for.
#[derive(Debug, Clone, Copy)]
pub struct Step<R, A> {
    /// The representation of a slow tangent.
    pub rep: R,
    /// The slow tangent a fast one stands for.
    pub abs: A,
}

impl<R, A> Step<R, A> {
    /// `abs(rep(m)) = m`, and `rep(abs(f)) = f` if both are seen through the same eyes.
    pub fn is_inverse<M, N>(&self, m: &M, f: &N, bound: Bound) -> Verdict
    where
        M: Clone + Same,
        N: Clone + Same,
        R: Fn(M) -> N,
        A: Fn(&N) -> M,
    {
        let Step { rep, abs } = self;
        law!("abs undoes rep: abs(rep(m)) = m", [m], abs(&rep(m)), m, bound)?;
        law!("rep undoes abs: rep(abs(f)) = f", [f], rep(abs(&f)), f, bound)
    }

    /// `rep` and `abs` take zero to zero, sums to sums and multiples to multiples.
    pub fn is_linear<S, M, N>(&self, [m, n]: [&M; 2], [f, g]: [&N; 2], a: &S, bound: Bound) -> Verdict
    where
        S: Semiring + Same,
        M: Module<S> + Same,
        N: Module<S> + Same,
        R: Fn(M) -> N,
        A: Fn(&N) -> M,
    {
        let Step { rep, abs } = self;
        law!("rep preserves zero", [], rep(M::zero_tangent()), N::zero_tangent(), bound)?;
        law!("rep preserves sums: rep(m + n) = rep(m) + rep(n)", [m, n], rep(m.plus(n)), rep(m).plus(rep(n)), bound)?;
        law!("rep preserves multiples: rep(m·a) = rep(m)·a", [m, a], rep(m.scale(&a)), rep(m).scale(&a), bound)?;
        law!("abs preserves zero", [], abs(&N::zero_tangent()), M::zero_tangent(), bound)?;
        law!(
            "abs preserves sums: abs(f + g) = abs(f) + abs(g)",
            [f, g],
            abs(&f.plus(g)),
            abs(&f).plus(abs(&g)),
            bound
        )?;
        law!("abs preserves multiples: abs(f·a) = abs(f)·a", [f, a], abs(&f.scale(&a)), abs(&f).scale(&a), bound)
    }

    /// `rep(delta(v)) = delta(v)`.
    pub fn keeps_units<V, S, M, N>(&self, v: &V, bound: Bound) -> Verdict
    where
        V: Clone + Same,
        M: Kronecker<V, S>,
        N: Kronecker<V, S> + Same,
        R: Fn(M) -> N,
    {
        law!("rep preserves units: rep(delta(v)) = delta(v)", [v], (self.rep)(M::delta(v)), N::delta(v), bound)
    }

    /// Whether this is a refinement of `M` by `N`, both over `S`.
    ///
    /// ```
    /// use catadiff::carriers::{Hom, Sparse};
    /// use catadiff_laws::{Bound, Sample, refinement::Step};
    /// type Slow = Sparse<usize, i64>;
    /// type Fast = Hom<'static, i64, Slow>;
    /// let downwards = Step { rep: |m: Slow| Fast::rep(m), abs: |h: &Fast| h.abs() };
    /// downwards.check::<i64, _, _, Sample<i64>, Sample<Slow>, Sample<Fast>>(Bound::EXACT)?;
    /// # Ok::<(), catadiff_laws::Violation>(())
    /// ```
    pub fn check<S, M, N, GS, GM, GN>(&self, bound: Bound) -> Verdict
    where
        S: Semiring + Same,
        M: Kronecker<usize, S> + Same,
        N: Kronecker<usize, S> + Same,
        R: Fn(M) -> N,
        A: Fn(&N) -> M,
        GS: Source<S>,
        GM: Source<M>,
        GN: Source<N>,
    {
        (0..crate::VARIABLES).try_for_each(|v| self.keeps_units::<usize, S, M, N>(&v, bound))?;
        for_all(|((m, n), (f, g), a): ((GM, GM), (GN, GN), GS)| {
            let (m, f) = (m.give(), f.give());
            self.is_inverse(&m, &f, bound)?;
            self.is_linear([&m, &n.give()], [&f, &g.give()], &a.give(), bound)
        })
    }
}

/// A tangent that is a function of the sensitivity is linear in it: applied to `s` it is its value at 1, times `s`.
pub fn application_is_linear<S, N, M>(apply: impl Fn(&N, S) -> M, f: &N, s: &S, bound: Bound) -> Verdict
where
    S: Semiring + Same,
    N: Clone + Same,
    M: Module<S> + Same,
{
    law!("application is linear: f(s) = f(1)·s", [f, s], apply(&f, s), apply(&f, S::one()).scale(&s), bound)
}
