//! Loops: how they end, and what reverse mode keeps of their iterations.
//!
//! Law: the policy of a loop changes what its derivatives cost, and never what they are (laws: checkpointing::agree,
//! tests/transform/checkpoint.rs).

use super::program::{Atom, Body, Var};

/// How long a loop runs.
#[derive(Debug, Clone, PartialEq)]
pub enum Form {
    /// For each `i` from 0 to the bound, which is excluded.
    For(Var, Atom),
    /// As long as the body, of one truth value, says so. It runs before each iteration.
    While {
        /// The question, over the loop variables.
        condition: Body,
        /// A number of iterations that is never passed, if one is known.
        bound: Option<Atom>,
    },
}

/// What reverse mode keeps of the iterations of a loop, to go through them backwards. All give the same derivatives.
///
/// A loop of `n` iterations executes its body as often as given here, the reverse sweep included, and keeps the given
/// number of states: the values of those of its variables that iterations need and change.
///
/// | policy | executions | states |
/// |---|---|---|
/// | `KeepAll` | `2n` | `n` |
/// | `StripMine(k)` | `(k + 1)·n` | at most `k·⌈ᵏ√n⌉ + k` |
/// | `Binomial(c)` | `(r + 1)·n − C(c + r, r − 1) + 1` for the least `r` with `C(c + r, c) ≥ n` | `c`, each with its number |
/// | `Recompute` | `n + n·(n + 1)/2` | none |
///
/// So `Binomial(10)` executes each of 10⁴ iterations less than 7 times on average. A loop that asks whether to go on is run
/// once before, to count. `KeepAll` does not count: with a bound it has room for as many states as the bound says; without one
/// for `p` states, the [places](Policy::places) that the size of a state leaves. Beyond these the first `n − p` iterations are
/// executed again, so that `max(n, p)` states are kept, and executions are `2n + max(n − p, 0)`.
///
/// Where each iteration changes an array in place, by updates of elements or rows, `KeepAll` keeps what they overwrite and
/// where, instead of the whole array. States of arrays that change their sizes are kept one after the other. How much that will
/// be is counted first where it is not known, by another execution of as much of the body as it depends on. The few states
/// of `Binomial(c)`, for `c` above 1, have one size: the derivative of a loop with arrays that change theirs is an error of
/// the run.
///
/// A loop inside another is executed once more for each loop around it, as the reverse sweep enters their iterations:
/// in a nest of `d` loops the innermost body runs `d + 1` times as often as in the function, and the states of one run
/// of each loop are kept at a time. [`with_policy`](super::Program::with_policy) sets a policy for all loops, and
/// [`checkpointed`](super::Program::checkpointed) chooses from a budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Policy {
    /// Every iteration's variables.
    #[default]
    KeepAll,
    /// A nest of this many levels, each keeping a root of the iterations ("Reverse AD for a Functional Array Language with Nested Parallelism",
    /// *Tape by Redundant Execution & Checkpointing*).
    StripMine(u32),
    /// Binomial checkpointing with room for this many states.
    Binomial(u32),
    /// None: every state is computed again from the first, where there is no room for any.
    Recompute,
}

impl Policy {
    /// The most elements and the most states that are kept of a loop before it is known how many there are.
    pub(crate) const RING_ELEMENTS: u64 = 1 << 12;
    pub(crate) const RING_STATES: u64 = 1 << 9;

    /// The count of states that [`KeepAll`](Policy::KeepAll) has room for in a loop that checks a condition and has no
    /// bound, for the given number of elements in a state: as many as 4096 elements hold, at least one and at most 512.
    ///
    /// ```
    /// use catadiff::array::Policy;
    /// assert_eq!([0, 2, 100, 5000].map(Policy::places), [512, 512, 40, 1]);
    /// ```
    #[must_use]
    pub fn places(elements: u64) -> u64 {
        (Policy::RING_ELEMENTS / elements.max(1)).clamp(1, Policy::RING_STATES)
    }
}
