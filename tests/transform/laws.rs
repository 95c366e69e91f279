//! Derivatives of random array programs, with loops, branches, nested combinators, histograms and accumulators.

use catadiff_laws::{ArrayProgram, Verdict, array_derivatives, for_all};

#[test]
fn first_order() -> Verdict {
    for_all(|p: ArrayProgram| array_derivatives::first_order(&p))
}

#[test]
fn second_order() -> Verdict {
    for_all(|p: ArrayProgram| array_derivatives::second_order(&p))
}
