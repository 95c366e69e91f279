//! Modules over a semiring: the equations of a tangent, which make a `Dual` over it a semiring.
//!
//! Law: `plus` and `zero_tangent` are a commutative monoid; `scale` is an action of `(S, ×, 1)` that respects both additions;
//! zero is strong; a shared tangent is the tangent ("Forwards and in reverse", slide *more economic representation*:
//! vector addition and scalar multiplication) (tests/laws/instances.rs).

use catadiff::{Module, Semiring};

use crate::approx::{Bound, Same};
use crate::law;
use crate::runner::for_all;
use crate::sample::Source;
use crate::violation::Verdict;

/// `(l + m) + n = l + (m + n)`, `m + n = n + m` and `m + 0 = m = 0 + m`.
pub fn plus_is_a_commutative_monoid<S, M: Module<S> + Same>(l: &M, m: &M, n: &M, bound: Bound) -> Verdict {
    law!("plus associates: (l + m) + n = l + (m + n)", [l, m, n], l.plus(m).plus(n), l.plus(m.plus(n)), bound)?;
    law!("plus commutes: m + n = n + m", [m, n], m.plus(n), n.plus(m), bound)?;
    law!("the zero tangent is neutral: m + 0 = m", [m], m.plus(M::zero_tangent()), m, bound)?;
    law!("the zero tangent is neutral: 0 + m = m", [m], M::zero_tangent().plus(m), m, bound)
}

/// `m·1 = m` and `(m·a)·b = m·(a × b)`.
pub fn scale_is_an_action<S: Semiring + Same, M: Module<S> + Same>(m: &M, a: &S, b: &S, bound: Bound) -> Verdict {
    law!("one acts as identity: m·1 = m", [m], m.scale(&S::one()), m, bound)?;
    law!("actions compose: (m·a)·b = m·(a × b)", [m, a, b], m.scale(&a).scale(&b), m.scale(&(a * b)), bound)
}

/// `(m + n)·a = m·a + n·a` and `m·(a + b) = m·a + m·b`.
pub fn scale_distributes<S: Semiring + Same, M: Module<S> + Same>(
    [m, n]: [&M; 2],
    [a, b]: [&S; 2],
    bound: Bound,
) -> Verdict {
    let over_plus = "scale distributes over plus: (m + n)·a = m·a + n·a";
    law!(over_plus, [m, n, a], m.plus(n).scale(&a), m.scale(&a).plus(n.scale(&a)), bound)?;
    let over_sum = "scale distributes over sums: m·(a + b) = m·a + m·b";
    law!(over_sum, [m, a, b], m.clone().scale(&(a + b)), m.clone().scale(&a).plus(m.scale(&b)), bound)
}

/// `m·0 = 0`, `0·a = 0`, and `is_zero_tangent` returns `true` at 0 only. That it may return `false` there is no violation; but
/// what is known to be zero stays so, whatever is done to it: what is made of constants costs nothing.
pub fn zero_absorbs<S: Semiring + Same, M: Module<S> + Same>(m: &M, a: &S, bound: Bound) -> Verdict {
    law!("zero annihilates: m·0 = 0", [m], m.scale(&S::zero()), M::zero_tangent(), bound)?;
    law!("zero absorbs: 0·a = 0", [a], M::zero_tangent().scale(&a), M::zero_tangent(), bound)?;
    if M::zero_tangent().is_zero_tangent() {
        let made: [(&str, M); 4] = [
            ("zero is kept: 0·a", M::zero_tangent().scale(a)),
            ("zero is kept: 0 + 0", M::zero_tangent().plus(M::zero_tangent())),
            ("zero is kept: 0 shared", M::zero_tangent().share(3)),
            ("zero is kept: 0 discarded", M::zero_tangent().into_zero()),
        ];
        made.into_iter().try_for_each(|(law, n)| law!(law, [a], i64::from(n.is_zero_tangent()), 1, Bound::EXACT))?;
    }
    if m.is_zero_tangent() {
        law!("zero is known: m = 0 if m.is_zero_tangent()", [m], m, M::zero_tangent(), bound)
    } else {
        Ok(())
    }
}

/// A tangent shared three ways, and then used three times, is the tangent; also on a second evaluation.
pub fn sharing_is_unseen<S: Semiring + Same, M: Module<S> + Same>(m: &M, a: &S, b: &S, bound: Bound) -> Verdict {
    let uses = |m: M| m.clone().scale(a).plus(m.clone().scale(b)).plus(m);
    let shared = uses(m.clone().share(3));
    for law in ["sharing is unseen: uses(m.share(3)) = uses(m)", "sharing is unseen a second time"] {
        law!(law, [m, a, b], shared.clone(), uses(m), bound)?;
    }
    Ok(())
}

/// Zero is strong: `m·w` discarded and `0·w` are 0 even where `w` is `∞` or `NaN`, and change no sum.
pub fn zero_is_strong<S: Semiring + Same, M: Module<S> + Same>(m: &M, n: &M, w: &S) -> Verdict {
    let exact = Bound::EXACT;
    law!("zero is strong: m·w discarded = 0", [m, w], m.scale(&w).into_zero(), M::zero_tangent(), exact)?;
    law!("zero is strong: 0·w = 0", [w], M::zero_tangent().scale(&w), M::zero_tangent(), exact)?;
    law!("zero is strong: n + m·w discarded = n", [m, n, w], n.plus(m.scale(&w).into_zero()), n, exact)
}

/// Every axiom of a module, at three tangents and two scalars.
pub fn axioms<S: Semiring + Same, M: Module<S> + Same>([l, m, n]: [&M; 3], [a, b]: [&S; 2], bound: Bound) -> Verdict {
    plus_is_a_commutative_monoid(l, m, n, bound)?;
    scale_is_an_action(m, a, b, bound)?;
    scale_distributes([m, n], [a, b], bound)?;
    zero_absorbs(m, a, bound)?;
    sharing_is_unseen(m, a, b, bound)
}

/// Whether `M` is a module over `S`.
///
/// ```
/// use catadiff::carriers::Sparse;
/// use catadiff_laws::{Bound, Sample, module};
/// type Tangent = Sparse<usize, i64>;
/// module::check::<i64, Tangent, Sample<i64>, Sample<Tangent>>(Bound::EXACT)?;
/// # Ok::<(), catadiff_laws::Violation>(())
/// ```
pub fn check<S: Semiring + Same, M: Module<S> + Same, A: Source<S>, B: Source<M>>(bound: Bound) -> Verdict {
    for_all(|((l, m, n), (a, b)): ((B, B, B), (A, A))| {
        axioms([&l.give(), &m.give(), &n.give()], [&a.give(), &b.give()], bound)
    })
}

/// Whether zero is strong in `M` against the scalars `wild`, such as infinity and NaN.
pub fn check_strong_zero<S: Semiring + Same, M: Module<S> + Same, B: Source<M>>(wild: &[S]) -> Verdict {
    for_all(|(m, n): (B, B)| {
        let (m, n) = (m.give(), n.give());
        wild.iter().try_for_each(|w| zero_is_strong(&m, &n, w))
    })
}
