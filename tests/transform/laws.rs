//! Derivatives of random array programs, with loops, branches, nested combinators, histograms and accumulators.

use catadiff_laws::{ArrayProgram, Reduction, Verdict, array_derivatives, array_reductions, for_all};

#[test]
fn first_order() -> Verdict {
    for_all(|p: ArrayProgram| array_derivatives::first_order(&p))
}

#[test]
fn second_order() -> Verdict {
    for_all(|p: ArrayProgram| array_derivatives::second_order(&p))
}

/// Exactly, and then of reals: what a reduction starts from may be anything.
#[test]
fn reductions_from_any_start() -> Verdict {
    for_all(|p: Reduction| array_reductions::exactly(&p))?;
    for_all(|p: Reduction| array_reductions::of_reals_too(&p))
}

#[test]
fn reductions_from_any_start_compiled() -> Verdict {
    for_all(|p: Reduction| array_reductions::compiled(&p))
}
