//! Simplification: a list of passes, each from programs to programs, applied until nothing changes.
//!
//! Law: the simplified program gives what the program gives, with no more work, and simplifying it again gives the same
//! text. Rewrites are exact, but for the sign of a zero sum and for the order in which the contributions to an accumulator
//! are added up, which no program may rely on; sums may start from a literal zero. An operation that is not needed is not
//! executed, so an error it would have been is not reported; but sizes that it compares still are compared.
//!
//! | file | what is in it |
//! |---|---|
//! | `dead_code` | what no result depends on is left out |
//! | `value_numbering` | each value in its simplest form and once: by `fold` for scalars, `rules` for data that is moved, `control` for bodies, `available` for what was computed before, `store_forwarding` for what was stored |
//! | `dead_updates` | updates of what is overwritten before it is read are left out, and elements are read before they are overwritten |
//! | `accumulators_to_soacs` | accumulators as sums, rows and histograms |
//! | `interchange` | sums of maps as maps of sums |
//! | `fuse_maps` | maps that share work as one |
//! | `definitions`, `index_injectivity` | what is known of variables, and of places that a loop comes to |
//! | `sizes`, `size_equalities`, `scopes` | the comparisons of sizes, which stay |
//! | `varying_sizes`, `size_sums` | the loop variables whose sizes may change, and sizes that are sums of others |
//! | `nested_maps`, `rewriter` | maps in maps, and bodies, taken apart |
//! | `operator`, `hash_cons` | operators recognised by their text, and operations numbered |
//! | `scalar_replacement`, `constants` | for executors: small arrays as values of their own, and what no argument has a part in |

mod accumulators_to_soacs;
mod available;
pub(crate) mod constants;
mod control;
pub(crate) mod dead_code;
mod dead_updates;
mod definitions;
mod fold;
mod fuse_maps;
pub(crate) mod hash_cons;
mod index_injectivity;
mod interchange;
mod nested_maps;
pub(crate) mod operator;
mod rewriter;
mod rules;
pub(crate) mod scalar_replacement;
mod scopes;
mod size_equalities;
mod size_sums;
mod sizes;
mod store_forwarding;
mod value_numbering;
pub(crate) mod varying_sizes;

use crate::array::Program;
use sizes::Written;

/// A rewrite of whole programs.
struct Pass {
    name: &'static str,
    /// Rewrites the program, and answers whether there was something to rewrite.
    run: fn(&mut Program) -> bool,
    /// Whether there may be more to do after it has rewritten something: values are to be written in their simplest form,
    /// and the passes to run again.
    more: bool,
}

/// The passes, in order.
const PASSES: &[Pass] = &[
    // Updates in place: what is overwritten unread, and what is read of an array that has been changed.
    Pass { name: "elements that are overwritten", run: dead_updates::overwritten, more: true },
    // What results do not depend on.
    Pass { name: "parts that nothing needs", run: |program| dead_code::dead(program, Written::Lost), more: false },
    // Accumulators whose every use is regular, as sums, rows and histograms.
    Pass { name: "regular accumulators", run: accumulators_to_soacs::regular, more: true },
    // Sums of arrays, and transposed arrays, as maps.
    Pass { name: "interchanged sums and transpositions", run: interchange::interchange, more: true },
];

/// What writes each value in its simplest form, and once.
const FORMS: &str = "simplest forms";

/// More rounds than any program needs: each is for a level of nesting.
const ROUNDS: usize = 64;

/// The program, simplified: each value in its simplest form and computed once, and then pass after pass until none has
/// anything to do.
pub(crate) fn simplify(program: Program) -> Program {
    in_passes(program, |_, _| ())
}

/// The same, and what each pass that had something to do has made of the program is told, with the name of the pass.
pub(crate) fn in_passes(mut program: Program, mut told: impl FnMut(&'static str, &Program)) -> Program {
    // What is dead is left out first, or values that are there anyway would be read from what is not. What is compared is
    // written down, or it would go with statements that turn out to be others.
    dead_code::dead(&mut program, Written::All);
    told("dead statements", &program);
    let mut simple = value_numbering::forms(program);
    told(FORMS, &simple);
    for _ in 0..ROUNDS {
        let (mut settled, mut parted) = (true, false);
        for pass in PASSES {
            if !(pass.run)(&mut simple) {
                continue;
            }
            told(pass.name, &simple);
            if pass.more {
                simple = value_numbering::forms(simple);
                told(FORMS, &simple);
                settled = false;
            } else {
                parted = true;
            }
        }
        // Merged last: what accumulates is recognised in maps that do nothing else.
        if settled && fuse_maps::merge(&mut simple) {
            told("merged maps", &simple);
            simple = value_numbering::forms(simple);
            told(FORMS, &simple);
            settled = false;
        }
        if settled {
            parted |= dead_code::compared_once(&mut simple);
            let now = simple.renumber();
            told("dead statements, and variables numbered", &now);
            if !parted {
                return now;
            }
            // The part of an operation that was left out may have been all that kept two values apart.
            simple = value_numbering::forms(now.clone()).renumber();
            if simple == now {
                return now;
            }
            told(FORMS, &simple);
        }
    }
    simple.renumber()
}
