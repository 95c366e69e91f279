//! Simplification: a list of passes, each from programs to programs, applied until nothing changes.
//!
//! Law: the simplified program gives what the program gives, with no more work, and simplifying it again gives the same
//! text. Rewrites are exact, but for the sign of a zero sum and for the order in which the contributions to an accumulator
//! are added up, which no program may rely on; sums may start from a literal zero. An operation that is not needed is not
//! executed, so an error it would have been is not reported.

mod control;
mod dead;
mod facts;
mod fold;
mod forms;
mod fresh;
mod interchange;
mod nest;
mod regular;
mod repeated;
mod rules;

use crate::array::Program;

/// A rewrite of whole programs.
struct Pass {
    /// The program, rewritten; nothing where there is nothing to rewrite.
    run: fn(&Program) -> Option<Program>,
    /// What else it may need: passes that follow it wherever it has rewritten something.
    then: &'static [fn(&Program) -> Program],
}

/// The passes, in order.
const PASSES: &[Pass] = &[
    // What results do not depend on.
    Pass { run: dead::dead, then: &[] },
    // Accumulators whose every use is regular, as sums, rows and histograms.
    Pass { run: regular::regular, then: &[forms::forms] },
    // Sums of arrays, and transposed arrays, as maps.
    Pass { run: interchange::interchange, then: &[forms::forms] },
];

/// More rounds than any program needs: each is for a level of nesting.
const ROUNDS: usize = 64;

/// The program, simplified: each value in its simplest form and computed once, and then pass after pass until none has
/// anything to do.
pub(super) fn simplify(program: &Program) -> Program {
    // What is dead is left out first, or values that are there anyway would be read from what is not.
    let alive = dead::dead(program);
    let mut simple = forms::forms(alive.as_ref().unwrap_or(program));
    for _ in 0..ROUNDS {
        let mut settled = true;
        for pass in PASSES {
            if let Some(next) = (pass.run)(&simple) {
                simple = pass.then.iter().fold(next, |program, then| then(&program));
                settled = false;
            }
        }
        if settled {
            // What was left out may have been all that kept two values apart.
            let now = simple.renumbered();
            simple = forms::forms(&now);
            if simple.renumbered() == now {
                return now;
            }
        }
    }
    simple.renumbered()
}
