//! Simplification: a list of passes, each from programs to programs, applied until nothing changes.
//!
//! Law: the simplified program gives what the program gives, with no more work, and simplifying it again gives the same
//! text. Rewrites are exact, but for the sign of a zero sum and for the order in which the contributions to an
//! accumulator are added up, which no program may rely on; sums may start from a literal zero. An operation that is not
//! needed is not executed, so an error it would have been is not reported; but sizes that it compares still are
//! compared (laws: simplification, tests/transform/simplify.rs).
//!
//! | file | what is in it |
//! |---|---|
//! | `dead_code` | dead-code elimination: removes what no result depends on |
//! | `value_numbering` | each value in its simplest form and once: by `fold` for scalars, `rules` for data that is moved, `control` for bodies, `available` for what was computed before, `store_forwarding` for what was stored |
//! | `dead_updates` | removes updates of what is overwritten before it is read, and reads elements before they are overwritten |
//! | `dead_elements` | computes of arrays the elements that are used |
//! | `accumulators_to_soacs` | accumulators as sums, rows and histograms |
//! | `interchange` | sums of maps as maps of sums |
//! | `promote_maps` | maps of joined rows as maps of rows |
//! | `fuse_maps` | maps that share work as one |
//! | `fuse_chains` | before reverse mode: maps of the elements of maps as one |
//! | `definitions`, `index_injectivity` | what is known of variables, and loops that reach each place of an array once |
//! | `sizes`, `size_equalities` | the comparisons of sizes, which stay |
//! | `rewriter` | bodies written again, statement by statement, and what can be taken out of maps in maps |
//! | `operator`, `hash_cons` | operators recognised by their text, and operations numbered |
//! | `scalar_replacement`, `constants` | for executors: small arrays as values of their own, and what no argument has a part in |
//! | `extrema` | for executors: extrema and where they are, in one reduction |
//! | `additions` | for executors: additions to accumulators where what they add is made |
//! | `kept_sums` | for executors: sums that maps in maps would make again |
//! | `loop_blocks` | for executors: what loops do for each row of an array, for blocks of rows |
//!
//! [`PASSES`] lists what runs, and when.

mod accumulators_to_soacs;
mod additions;
mod available;
mod constants;
mod control;
pub(crate) mod dead_code;
mod dead_elements;
mod dead_updates;
mod definitions;
pub(crate) mod distribute;
mod extrema;
mod fold;
pub(crate) mod fuse_chains;
mod fuse_maps;
pub(crate) mod hash_cons;
mod index_injectivity;
mod interchange;
mod kept_sums;
mod loop_blocks;
pub(crate) mod operator;
mod promote_maps;
mod rewriter;
mod rules;
mod scalar_replacement;
mod size_equalities;
mod sizes;
mod store_forwarding;
mod value_numbering;

use crate::array::{Body, Lambda, Program};
pub(crate) use constants::Split;
pub(crate) use fold::fold;
use sizes::Written;

/// A rewrite of whole programs.
pub(crate) struct Pass {
    /// What it is called where programs are shown after each pass.
    pub(crate) name: &'static str,
    pub(crate) run: Run,
    when: When,
}

/// What a pass does with a program.
pub(crate) enum Run {
    /// Rewrites it, and says whether there was something to rewrite.
    Rewrite(fn(&mut Program) -> bool),
    /// Splits it into what does not depend on its arguments, and the rest.
    Split(fn(&Program) -> Option<Split>),
}

/// Runs passes in order, calls `told` with the name of each that had something to do and the program after it, and says whether one
/// had. Of what is split `rest` says which program goes on, if one does.
pub(crate) fn in_order(
    passes: &[&Pass],
    program: &mut Program,
    mut rest: impl FnMut(Split) -> Option<Program>,
    mut told: impl FnMut(&'static str, &Program),
) -> bool {
    let mut changed = false;
    for pass in passes {
        let has_changed = match pass.run {
            Run::Rewrite(rewrite) => rewrite(program),
            Run::Split(split) => split(program).and_then(&mut rest).map(|rest| *program = rest).is_some(),
        };
        if has_changed {
            told(pass.name, program);
            changed = true;
        }
    }
    changed
}

/// When the simplifier runs a pass.
#[derive(Clone, Copy, PartialEq, Eq)]
enum When {
    /// Once, at the start.
    First,
    /// After each pass of which there may be more to do once values are in their simplest form.
    AfterChanges,
    /// In every round, until there is nothing to do; whether values are to be written in their simplest form after it.
    EachRound { more: bool },
    /// In rounds in which those before it had nothing to do.
    Settled,
    /// At the end of such rounds.
    Last,
    /// Where an executor asks for it.
    OnDemand,
}

/// Small arrays as values of their own, so that loops over a few numbers are scalar code.
pub(crate) const SCALAR_REPLACEMENT: Pass = Pass {
    name: "scalar replacement",
    run: Run::Rewrite(|program| {
        let apart = scalar_replacement::replaced(program);
        apart.map(|apart| *program = apart).is_some()
    }),
    when: When::OnDemand,
};

/// Extrema and where they are, in one reduction: elements need not be kept for the second.
pub(crate) const EXTREMA: Pass =
    Pass { name: "extrema with their places", run: Run::Rewrite(extrema::with_places), when: When::OnDemand };

/// What accumulators are given, where it is made: no array is made of it then.
pub(crate) const ADDITIONS: Pass =
    Pass { name: "additions where values are made", run: Run::Rewrite(additions::additions), when: When::OnDemand };

/// Products with rows that loops go through, for blocks of rows: they are products of matrices then.
pub(crate) const LOOP_BLOCKS: Pass =
    Pass { name: "loops in blocks", run: Run::Rewrite(loop_blocks::blocks), when: When::OnDemand };

/// Sums that maps in maps make again, kept.
pub(crate) const KEPT_SUMS: Pass =
    Pass { name: "sums made once", run: Run::Rewrite(kept_sums::kept_sums), when: When::OnDemand };

/// Arrays that are the same in every run.
pub(crate) const CONSTANTS: Pass =
    Pass { name: "constant evaluation", run: Run::Split(constants::split), when: When::OnDemand };

/// All passes, in the order in which they run.
static PASSES: [Pass; 16] = [
    // Dead code is removed first, or values that are there anyway would be read from what is not. What is compared is
    // written down, or it would go with statements that turn out to be others.
    Pass { name: "dead code", run: Run::Rewrite(|program| dead_code::dead(program, Written::All)), when: When::First },
    // Each value in its simplest form, and once.
    Pass {
        name: "value numbering",
        run: Run::Rewrite(|program| {
            *program = value_numbering::forms(taken(program));
            true
        }),
        when: When::AfterChanges,
    },
    // Updates in place: what is overwritten unread, and what is read of an array that has been changed.
    Pass { name: "dead updates", run: Run::Rewrite(dead_updates::overwritten), when: When::EachRound { more: true } },
    // What results do not depend on.
    Pass {
        name: "dead parts",
        run: Run::Rewrite(|program| dead_code::dead(program, Written::Lost)),
        when: When::EachRound { more: false },
    },
    // Accumulators whose every use is regular, as sums, rows and histograms.
    Pass {
        name: "accumulators to reductions",
        run: Run::Rewrite(accumulators_to_soacs::regular),
        when: When::EachRound { more: true },
    },
    // Sums of arrays, and transposed arrays, as maps.
    Pass {
        name: "interchange of sums and maps",
        run: Run::Rewrite(interchange::interchange),
        when: When::EachRound { more: true },
    },
    // Maps of rows that were joined, which then need not be.
    Pass { name: "promotion of maps", run: Run::Rewrite(promote_maps::promote), when: When::EachRound { more: true } },
    // Maps that share work as one. Late: what accumulates is recognised in maps that do nothing else.
    Pass { name: "map fusion", run: Run::Rewrite(fuse_maps::fuse_maps), when: When::Settled },
    // Arrays of which only a part is used.
    Pass { name: "dead elements", run: Run::Rewrite(dead_elements::dead_elements), when: When::Settled },
    // Sizes that are compared, once each, and variables in canonical numbers.
    Pass {
        name: "dead code, and variables numbered",
        run: Run::Rewrite(|program| {
            let compared = dead_code::compared_once(program);
            *program = taken(program).renumber();
            compared
        }),
        when: When::Last,
    },
    EXTREMA,
    ADDITIONS,
    LOOP_BLOCKS,
    KEPT_SUMS,
    SCALAR_REPLACEMENT,
    CONSTANTS,
];

/// The program between two passes, without what nothing uses: it verifies, as accumulators do not that a pass left without use.
pub(crate) fn without_unused(program: &Program) -> Program {
    let mut program = program.clone();
    dead_code::dead(&mut program, Written::Lost);
    program
}

/// The program itself, with an empty one in its place while it is rewritten.
fn taken(program: &mut Program) -> Program {
    let function = Lambda { params: Vec::new(), body: Body::default() };
    core::mem::replace(program, Program { types: Vec::new(), names: Vec::new(), function })
}

/// More rounds than any program needs: each is for a level of nesting.
const ROUNDS: usize = 64;

/// The program, simplified: each value in its simplest form and computed once, and then pass after pass until none has
/// anything to do.
pub(crate) fn simplify(program: Program) -> Program {
    in_passes(program, |_, _| ())
}

/// The same, and calls `told` with the name and the program after each pass that had something to do.
pub(crate) fn in_passes(mut program: Program, mut told: impl FnMut(&'static str, &Program)) -> Program {
    run(When::First, &mut program, &mut told);
    run(When::AfterChanges, &mut program, &mut told);
    for _ in 0..ROUNDS {
        let (mut settled, mut parted) = (true, false);
        for pass in &PASSES {
            let is_due = matches!(pass.when, When::EachRound { .. }) || pass.when == When::Settled && settled;
            if !is_due || !pass.rewrites(&mut program) {
                continue;
            }
            told(pass.name, &program);
            if pass.when == (When::EachRound { more: false }) {
                parted = true;
            } else {
                run(When::AfterChanges, &mut program, &mut told);
                settled = false;
            }
        }
        if settled {
            parted |= run(When::Last, &mut program, &mut told);
            if !parted {
                return program;
            }
            // The removed part of an operation may have been all that distinguished two values.
            let before = program.clone();
            run(When::AfterChanges, &mut program, &mut |_, _| ());
            program = program.renumber();
            if program == before {
                return program;
            }
        }
    }
    program.renumber()
}

/// Runs the passes of which it is time, and says whether there was something to rewrite.
fn run(when: When, program: &mut Program, told: &mut impl FnMut(&'static str, &Program)) -> bool {
    let mut changed = false;
    for pass in PASSES.iter().filter(|pass| pass.when == when) {
        changed |= pass.rewrites(program);
        told(pass.name, program);
    }
    changed
}

impl Pass {
    /// Rewrites a program, and says whether there was something to rewrite.
    fn rewrites(&self, program: &mut Program) -> bool {
        match self.run {
            Run::Rewrite(rewrite) => rewrite(program),
            Run::Split(_) => false,
        }
    }
}
