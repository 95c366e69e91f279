//! The bodies of a program, as places where sizes are compared.
//!
//! Law: a comparison that leaves a body is made around it as often as it was made inside, or not at all if that is
//! never (tests/transform/sizes.rs).

use super::size_equalities::Claim;
use crate::array::{Atom, Extent, Var};

/// A body, and what is compared in it.
pub(super) struct Scope<'p> {
    pub(super) parent: Option<usize>,
    /// What says how often it runs, if that is said by a statement that may go.
    pub(super) control: Control<'p>,
    /// Whether it is the body of a function with a derivative of its own, in which nothing is written.
    pub(super) closed: bool,
    pub(super) claims: Vec<Claim>,
}

/// What says how often a body runs.
#[derive(Clone, Copy)]
pub(super) enum Control<'p> {
    Nothing,
    /// These, and these.
    Atoms(&'p [Atom], &'p [Atom]),
    /// The results of the operator whose body it is.
    Vars(&'p [Var]),
}

/// This alone.
pub(super) fn only(atom: &Atom) -> Control<'_> {
    Control::Atoms(core::slice::from_ref(atom), &[])
}

impl Control<'_> {
    /// Adds what says it to a list.
    pub(super) fn add_to(self, roots: &mut Vec<Atom>) {
        match self {
            Control::Nothing => {}
            Control::Atoms(some, others) => roots.extend(some.iter().chain(others)),
            Control::Vars(vars) => roots.extend(vars.iter().copied().map(Atom::Var)),
        }
    }
}

/// How what is compared in a body can be compared around it.
#[derive(Clone, Copy)]
pub(super) enum Exit {
    /// It runs so often.
    Times(Extent),
    /// It runs.
    Once,
    /// It may run or not.
    Never,
}
