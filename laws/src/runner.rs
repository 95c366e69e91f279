//! The one loop: a law is checked at many values, and a violation is shrunk until it is small.
//!
//! Law: the values are the same in every run, so a failure repeats; `CATADIFF_LAWS_SEED` draws others, and quickcheck's
//! own `QUICKCHECK_TESTS` sets how many (tests/laws/broken.rs).

use quickcheck::{Arbitrary, Gen};

use crate::violation::{Verdict, Violation};

/// The count of values at which a law is checked.
const CASES: u64 = 256;
/// The bound on the lengths of what is drawn.
const SIZE: usize = 12;
/// How often a violation is made smaller at most.
const SHRINKS: usize = 500;

/// Asks a law at generated values: `Ok`, or a violation at the smallest values that could be found.
///
/// ```
/// use catadiff_laws::{Bound, for_all, law};
/// let doubling = |a: u32| law!("a < 100", [a], a < 100, true, Bound::EXACT);
/// let violation = for_all(doubling).unwrap_err();
/// assert_eq!(violation.instances[0].1, "100");
/// ```
///
/// # Errors
/// The violation.
pub fn for_all<A: Arbitrary>(law: impl Fn(A) -> Verdict) -> Verdict {
    let mut source = Gen::from_size_and_seed(SIZE, setting("CATADIFF_LAWS_SEED").unwrap_or(0));
    for _ in 0..cases() {
        let case = A::arbitrary(&mut source);
        if let Err(mut violation) = law(case.clone()) {
            let mut smallest = case;
            for _ in 0..SHRINKS {
                // Smaller values that break another law are another story.
                let same = |v: &Violation| v.law == violation.law;
                let mut shrunk = smallest.shrink();
                let smaller = shrunk.find_map(|next| law(next.clone()).err().filter(same).map(|v| (next, v)));
                let Some((next, found)) = smaller else { break };
                (smallest, violation) = (next, found);
            }
            return Err(violation);
        }
    }
    Ok(())
}

/// The count of values at which a law is checked in this run.
fn cases() -> u64 {
    setting("QUICKCHECK_TESTS").unwrap_or(CASES)
}

/// A limit that holds where each law is checked at the default count of values, scaled to the count of this run.
#[cfg(feature = "array")]
pub(crate) fn in_proportion(allowed: usize) -> usize {
    allowed * usize::try_from(cases().div_ceil(CASES)).unwrap_or(usize::MAX)
}

fn setting(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}
