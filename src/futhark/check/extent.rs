//! How large types may be, since each part of one is visited wherever it is met.
//!
//! Law: no type with more than [`LARGEST`] parts, or nested deeper than [`MAX_TYPE_DEPTH`], is worked out or becomes part of a
//! program. Types are trees, and a few lines can ask for one that no memory holds: each `let` of a pair of what is
//! before it doubles it (tests/language/check.rs, tests/language/fuzz.rs).

use super::unify::Unifier;
use super::{Checked, fault};
use crate::futhark::core::{Holds, Type};
use crate::futhark::source::Span;
use crate::futhark::syntax::DEPTH;

/// More parts than this in one type are not worked out.
const LARGEST: usize = 20_000;

/// The most parameters of a function plus dimensions of an array that can be written.
const MAX_TYPE_DEPTH: usize = 2 * DEPTH as usize + 2;

impl Unifier {
    /// Whether a type, with all that is known of it, is small enough to be worked out.
    pub(super) fn is_small(&self, of: &Type) -> bool {
        self.count(of, MAX_TYPE_DEPTH, &mut LARGEST.clone())
    }

    /// Whether a type has no more parts than the budget, which is used up, and is no deeper than this.
    fn count(&self, of: &Type, depth: usize, budget: &mut usize) -> bool {
        let known = self.known(of);
        let summary = known.summary();
        let is_known = !summary.holds.any(Holds::UNKNOWNS);
        let parts = if is_known { summary.parts as usize } else { 1 };
        let (Some(left), Some(within)) = (budget.checked_sub(parts), depth.checked_sub(1)) else { return false };
        *budget = left;
        if is_known {
            summary.depth as usize <= depth
        } else {
            known.children().all(|of| self.count(of, within, budget))
        }
    }

    /// Refuses types so large that a program would never end to be checked.
    pub(super) fn small(&self, of: &Type, span: Span) -> Checked<()> {
        if self.is_small(of) {
            return Ok(());
        }
        let limits = format!("use types of at most {LARGEST} parts, nested at most {MAX_TYPE_DEPTH} levels deep");
        fault("type", span, "this type is too large", limits)
    }
}
