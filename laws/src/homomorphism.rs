//! Homomorphisms: maps between carriers that a program does not notice.
//!
//! Law: `h 0 = 0`, `h 1 = 1`, `h (a + b) = h a + h b`, `h (a × b) = h a × h b`; then `h` of a program's result is the
//! program's result on `h` of its inputs, since evaluation is the one homomorphism from the free algebra
//! (tests/laws/instances.rs).

use catadiff::primitives::{Elementary, Primitive};
use catadiff::{Ring, Semiring};

use crate::approx::{Bound, Same};
use crate::law;
use crate::runner::for_all;
use crate::sample::Source;
use crate::violation::Verdict;

/// The four equations, at two elements.
pub fn semirings<A, B>(h: impl Fn(A) -> B, a: &A, b: &A, bound: Bound) -> Verdict
where
    A: Semiring + Same,
    B: Semiring + Same,
{
    law!("h preserves zero: h(0) = 0", [], h(A::zero()), B::zero(), bound)?;
    law!("h preserves one: h(1) = 1", [], h(A::one()), B::one(), bound)?;
    law!("h preserves sums: h(a + b) = h(a) + h(b)", [a, b], h(a + b), h(a) + h(b), bound)?;
    law!("h preserves products: h(a × b) = h(a) × h(b)", [a, b], h(a * b), h(a) * h(b), bound)
}

/// `h(−a) = −h(a)` and `h(a − b) = h(a) − h(b)`, at two elements.
pub fn rings<A: Ring + Same, B: Ring + Same>(h: impl Fn(A) -> B, a: &A, b: &A, bound: Bound) -> Verdict {
    law!("h preserves negatives: h(−a) = −h(a)", [a], h(-a), -h(a), bound)?;
    law!("h preserves differences: h(a − b) = h(a) − h(b)", [a, b], h(a - b), h(a) - h(b), bound)
}

/// `h(f(x…)) = f(h(x)…)` for a row `f` of the table.
///
/// # Panics
/// If `x` has not as many elements as the row has arguments.
pub fn elementary<A, B>(h: impl Fn(A) -> B, row: Primitive, x: &[A], bound: Bound) -> Verdict
where
    A: Elementary + Same,
    B: Elementary + Same,
{
    let x = x.to_vec();
    let image = |x: Vec<A>| -> Vec<B> { x.into_iter().map(&h).collect() };
    let name = format!("h preserves {0}: h({0}(x…)) = {0}(h(x)…)", row.name());
    law!(name, [x], h(row.apply(&x)), row.apply(&image(x)), bound)
}

/// Whether `h` is a homomorphism of semirings.
///
/// ```
/// use catadiff::algebra::plain::Modular;
/// use catadiff_laws::{Bound, Sample, homomorphism};
/// homomorphism::check::<_, _, Sample<i64>>(|n: i64| Modular::<7>::from(n), Bound::EXACT)?;
/// homomorphism::check::<_, _, Sample<i64>>(|n: i64| n.abs(), Bound::EXACT).unwrap_err();
/// # Ok::<(), catadiff_laws::Violation>(())
/// ```
pub fn check<A, B, G>(h: impl Fn(A) -> B, bound: Bound) -> Verdict
where
    A: Semiring + Same,
    B: Semiring + Same,
    G: Source<A>,
{
    for_all(|(a, b): (G, G)| semirings(&h, &a.give(), &b.give(), bound))
}
