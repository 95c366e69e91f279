//! Semirings, rings and fields: the equations behind the promises of `catadiff::algebra`.
//!
//! Law: `(+, 0)` is a commutative monoid, `(×, 1)` a monoid, `×` distributes over `+` from both sides, and `0`
//! annihilates ("Forwards and in reverse", slide *Minimal Expression Language*); then subtraction and division undo
//! (tests/laws/instances.rs).

use catadiff::{Field, Ring, Semiring};

use crate::approx::{Bound, Same};
use crate::law;
use crate::runner::for_all;
use crate::sample::Source;
use crate::violation::Verdict;

/// `(a + b) + c = a + (b + c)`.
pub fn addition_associates<T: Semiring + Same>(a: &T, b: &T, c: &T, bound: Bound) -> Verdict {
    law!("addition associates: (a + b) + c = a + (b + c)", [a, b, c], (a + b) + c, a + (b + c), bound)
}

/// `a + b = b + a`.
pub fn addition_commutes<T: Semiring + Same>(a: &T, b: &T, bound: Bound) -> Verdict {
    law!("addition commutes: a + b = b + a", [a, b], a + b, b + a, bound)
}

/// `a + 0 = a` and `0 + a = a`.
pub fn zero_is_neutral<T: Semiring + Same>(a: &T, bound: Bound) -> Verdict {
    law!("zero is neutral: a + 0 = a", [a], a + T::zero(), a, bound)?;
    law!("zero is neutral: 0 + a = a", [a], T::zero() + a, a, bound)
}

/// `is_zero` returns `true` at 0, and nowhere else.
pub fn zero_is_known<T: Semiring + Same>(a: &T, bound: Bound) -> Verdict {
    law!("zero is known: 0.is_zero()", [], T::zero().is_zero(), true, bound)?;
    if a.is_zero() { law!("zero is known: a = 0 if a.is_zero()", [a], a, T::zero(), bound) } else { Ok(()) }
}

/// `(a × b) × c = a × (b × c)`.
pub fn multiplication_associates<T: Semiring + Same>(a: &T, b: &T, c: &T, bound: Bound) -> Verdict {
    law!("multiplication associates: (a × b) × c = a × (b × c)", [a, b, c], (a * b) * c, a * (b * c), bound)
}

/// `a × 1 = a` and `1 × a = a`.
pub fn one_is_neutral<T: Semiring + Same>(a: &T, bound: Bound) -> Verdict {
    law!("one is neutral: a × 1 = a", [a], a * T::one(), a, bound)?;
    law!("one is neutral: 1 × a = a", [a], T::one() * a, a, bound)
}

/// `a × (b + c) = a × b + a × c`, and the same from the other side.
pub fn multiplication_distributes<T: Semiring + Same>(a: &T, b: &T, c: &T, bound: Bound) -> Verdict {
    let left = "multiplication distributes from the left: a × (b + c) = a × b + a × c";
    law!(left, [a, b, c], a * (b + c), a.clone() * b + a * c, bound)?;
    let right = "multiplication distributes from the right: (a + b) × c = a × c + b × c";
    law!(right, [a, b, c], (a + b) * c, a * c.clone() + b * c, bound)
}

/// `a × 0 = 0` and `0 × a = 0`.
pub fn zero_annihilates<T: Semiring + Same>(a: &T, bound: Bound) -> Verdict {
    law!("zero annihilates: a × 0 = 0", [a], a * T::zero(), T::zero(), bound)?;
    law!("zero annihilates: 0 × a = 0", [a], T::zero() * a, T::zero(), bound)
}

/// `a × b = b × a`: what reverse accumulation asks for in addition.
pub fn multiplication_commutes<T: Semiring + Same>(a: &T, b: &T, bound: Bound) -> Verdict {
    law!("multiplication commutes: a × b = b × a", [a, b], a * b, b * a, bound)
}

/// `a + (−a) = 0` and `a − b = a + (−b)`.
pub fn subtraction_undoes<T: Ring + Same>(a: &T, b: &T, bound: Bound) -> Verdict {
    law!("negation undoes: a + (−a) = 0", [a], a.clone() + -a, T::zero(), bound)?;
    law!("subtraction adds the negative: a − b = a + (−b)", [a, b], a - b, a + -b, bound)
}

/// `(a / b) × b = a` and `a / b = a × (1 / b)`, where `b` has an inverse.
pub fn division_undoes<T: Field + Same>(a: &T, b: &T, bound: Bound) -> Verdict {
    law!("division undoes: (a / b) × b = a", [a, b], (a / b.clone()) * b, a, bound)?;
    law!("division multiplies by the inverse: a / b = a × (1 / b)", [a, b], a / b, a * (T::one() / b), bound)
}

/// Every axiom of a semiring, at three elements.
pub fn axioms<T: Semiring + Same>(a: &T, b: &T, c: &T, bound: Bound) -> Verdict {
    addition_associates(a, b, c, bound)?;
    addition_commutes(a, b, bound)?;
    zero_is_neutral(a, bound)?;
    zero_is_known(a, bound)?;
    multiplication_associates(a, b, c, bound)?;
    one_is_neutral(a, bound)?;
    multiplication_distributes(a, b, c, bound)?;
    zero_annihilates(a, bound)
}

/// Whether `T` is a semiring.
///
/// ```
/// use catadiff::algebra::plain::MinPlus;
/// use catadiff_laws::{Bound, Sample, semiring};
/// semiring::check::<MinPlus, Sample<MinPlus>>(Bound::EXACT)?;
/// semiring::check::<f64, Sample<f64>>(Bound::EXACT).unwrap_err(); // floats round
/// semiring::check::<f64, Sample<f64>>(Bound::ulps(4.0).at_scale(1e6))?;
/// # Ok::<(), catadiff_laws::Violation>(())
/// ```
pub fn check<T: Semiring + Same, A: Source<T>>(bound: Bound) -> Verdict {
    for_all(|(a, b, c): (A, A, A)| axioms(&a.give(), &b.give(), &c.give(), bound))
}

/// Whether multiplication in `T` commutes.
pub fn check_commutative<T: Semiring + Same, A: Source<T>>(bound: Bound) -> Verdict {
    for_all(|(a, b): (A, A)| multiplication_commutes(&a.give(), &b.give(), bound))
}

/// Whether subtraction in `T` undoes addition.
pub fn check_ring<T: Ring + Same, A: Source<T>>(bound: Bound) -> Verdict {
    for_all(|(a, b): (A, A)| subtraction_undoes(&a.give(), &b.give(), bound))
}

/// Whether division in `T`, by what is not zero, undoes multiplication.
pub fn check_field<T: Field + Same, A: Source<T>>(bound: Bound) -> Verdict {
    for_all(|(a, b): (A, A)| {
        let (a, b) = (a.give(), b.give());
        if b.is_zero() { Ok(()) } else { division_undoes(&a, &b, bound) }
    })
}
