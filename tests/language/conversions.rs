//! Conversions between kinds of number, and derivatives through what they round.
//!
//! Law: those of `catadiff_laws::conversions`.

use catadiff_laws::Verdict;
use catadiff_laws::conversions::{RoundingFunctions, are_linear, integers_go_by_their_bits};

#[test]
fn what_is_rounded_is_constant_in_every_meaning() -> Verdict {
    (0..3).try_for_each(|seed| are_linear(&RoundingFunctions::drawn(12, seed)))
}

#[test]
fn integers_of_every_kind_go_by_their_bits() -> Verdict {
    integers_go_by_their_bits(0)
}
