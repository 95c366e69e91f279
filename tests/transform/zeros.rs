//! Zeros against infinite partial derivatives in programs that are derivatives.
//!
//! Law: that of `catadiff_laws::zero_factors`.

use catadiff_laws::{Verdict, zero_factors};

#[test]
fn zeros_are_factors_like_any_other() -> Verdict {
    zero_factors::are_factors_like_any_other()
}
