//! Modules over a semiring: the equations of a tangent, which make a `Dual` over it a semiring.
//!
//! Law: `join` and `null` are a commutative monoid; `scale` is an action of `(S, ×, 1)` that respects both additions;
//! zero is strong; a shared tangent is the tangent ("Forwards and in reverse", slide *more economic representation*:
//! vector addition and scalar multiplication) (tests/laws/instances.rs).

use catadiff::{Module, Semiring};

use crate::approx::{Bound, Same};
use crate::law;
use crate::runner::for_all;
use crate::sample::Source;
use crate::violation::Verdict;

/// `(l + m) + n = l + (m + n)`, `m + n = n + m` and `m + 0 = m = 0 + m`.
pub fn join_is_a_commutative_monoid<S, M: Module<S> + Same>(l: &M, m: &M, n: &M, bound: Bound) -> Verdict {
    law!("join associates: (l + m) + n = l + (m + n)", [l, m, n], l.join(m).join(n), l.join(m.join(n)), bound)?;
    law!("join commutes: m + n = n + m", [m, n], m.join(n), n.join(m), bound)?;
    law!("null is neutral: m + 0 = m", [m], m.join(M::null()), m, bound)?;
    law!("null is neutral: 0 + m = m", [m], M::null().join(m), m, bound)
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
    let over_join = "scale distributes over join: (m + n)·a = m·a + n·a";
    law!(over_join, [m, n, a], m.join(n).scale(&a), m.scale(&a).join(n.scale(&a)), bound)?;
    let over_sum = "scale distributes over sums: m·(a + b) = m·a + m·b";
    law!(over_sum, [m, a, b], m.clone().scale(&(a + b)), m.clone().scale(&a).join(m.scale(&b)), bound)
}

/// `m·0 = 0`, `0·a = 0`, and `is_null` returns `true` at 0 only. That it may return `false` there is no violation; but
/// what is known to be null stays so, whatever is done to it: what is made of constants costs nothing.
pub fn null_absorbs<S: Semiring + Same, M: Module<S> + Same>(m: &M, a: &S, bound: Bound) -> Verdict {
    law!("zero annihilates: m·0 = null", [m], m.scale(&S::zero()), M::null(), bound)?;
    law!("null absorbs: null·a = null", [a], M::null().scale(&a), M::null(), bound)?;
    if M::null().is_null() {
        let made: [(&str, M); 4] = [
            ("null is kept: 0·a", M::null().scale(a)),
            ("null is kept: 0 + 0", M::null().join(M::null())),
            ("null is kept: 0 shared", M::null().share(3)),
            ("null is kept: 0 discarded", M::null().discard()),
        ];
        made.into_iter().try_for_each(|(law, n)| law!(law, [a], i64::from(n.is_null()), 1, Bound::EXACT))?;
    }
    if m.is_null() { law!("null is known: m = null if m.is_null()", [m], m, M::null(), bound) } else { Ok(()) }
}

/// A tangent shared three ways, and then used three times, is the tangent; also on a second evaluation.
pub fn sharing_is_unseen<S: Semiring + Same, M: Module<S> + Same>(m: &M, a: &S, b: &S, bound: Bound) -> Verdict {
    let uses = |m: M| m.clone().scale(a).join(m.clone().scale(b)).join(m);
    let shared = uses(m.clone().share(3));
    for law in ["sharing is unseen: uses(m.share(3)) = uses(m)", "sharing is unseen a second time"] {
        law!(law, [m, a, b], shared.clone(), uses(m), bound)?;
    }
    Ok(())
}

/// Zero is strong: `m·w` discarded and `null·w` are null even where `w` is `∞` or `NaN`, and change no sum.
pub fn zero_is_strong<S: Semiring + Same, M: Module<S> + Same>(m: &M, n: &M, w: &S) -> Verdict {
    let exact = Bound::EXACT;
    law!("zero is strong: m·w discarded = null", [m, w], m.scale(&w).discard(), M::null(), exact)?;
    law!("zero is strong: null·w = null", [w], M::null().scale(&w), M::null(), exact)?;
    law!("zero is strong: n + m·w discarded = n", [m, n, w], n.join(m.scale(&w).discard()), n, exact)
}

/// Every axiom of a module, at three tangents and two scalars.
pub fn axioms<S: Semiring + Same, M: Module<S> + Same>([l, m, n]: [&M; 3], [a, b]: [&S; 2], bound: Bound) -> Verdict {
    join_is_a_commutative_monoid(l, m, n, bound)?;
    scale_is_an_action(m, a, b, bound)?;
    scale_distributes([m, n], [a, b], bound)?;
    null_absorbs(m, a, bound)?;
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
