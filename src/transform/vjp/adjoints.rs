//! The adjoints of variables, as far as the reverse sweep has added them up.
//!
//! Law: an adjoint is the sum of what was added to it; it is taken once, when nothing more is added. What is added to a part
//! of an array goes to that array, and what is added to a variable that no parameter reaches goes
//! nowhere (tests/transform/rules.rs, laws: array_derivatives).

use rustc_hash::{FxHashMap, FxHashSet};

use super::sparse::{self, Place};
use super::view::View;
use crate::array::{Atom, Body, Var};
use crate::transform::copy::Copier;
use crate::transform::flow::Active;
use crate::transform::target::Target;

/// The adjoint of a variable, as far as it has been added up.
#[derive(Clone, Copy)]
pub(super) enum Adjoint {
    /// A value. That of an accumulator is the adjoint of the array it becomes, and is not added to.
    Value(Atom),
    /// An accumulator, of an array from outside a map, to which all elements add.
    Accumulator(Atom),
    /// That of an array at one place alone, and 0 elsewhere.
    Sparse(Place),
}

/// The adjoints of the variables of a program.
pub(super) struct Adjoints<'t> {
    pub(super) target: &'t Target,
    pub(super) active: &'t Active,
    pub(super) of: FxHashMap<Var, Adjoint>,
    /// The indices that sparse adjoints are at.
    pub(super) places: Vec<Vec<Atom>>,
    /// Parts of arrays, to whose adjoints those of the parts are added.
    pub(super) views: FxHashMap<Var, View>,
    /// The arrays whose adjoints the loops around here carry.
    pub(super) carried: FxHashSet<Var>,
    /// Whether the reverse sweep is in a loop.
    pub(super) in_loop: bool,
}

/// What a scope with adjoints of its own leaves alone.
pub(super) struct Around {
    of: FxHashMap<Var, Adjoint>,
    carried: Option<FxHashSet<Var>>,
    in_loop: bool,
}

impl<'t> Adjoints<'t> {
    pub(super) fn none(target: &'t Target, active: &'t Active) -> Self {
        Adjoints {
            target,
            active,
            of: FxHashMap::default(),
            places: Vec::new(),
            views: FxHashMap::default(),
            carried: FxHashSet::default(),
            in_loop: false,
        }
    }

    /// Begins a scope that has adjoints of its own.
    pub(super) fn enter(&mut self) -> Around {
        Around { of: core::mem::take(&mut self.of), carried: None, in_loop: self.in_loop }
    }

    /// Begins a loop that has adjoints of its own, and carries those of these arrays.
    pub(super) fn enter_loop(&mut self, carries: &[Var]) -> Around {
        let all = self.carried.iter().chain(carries).copied().collect();
        let carried = Some(core::mem::replace(&mut self.carried, all));
        let of = core::mem::take(&mut self.of);
        Around { of, carried, in_loop: core::mem::replace(&mut self.in_loop, true) }
    }

    /// Ends a scope: the adjoints are those around it.
    pub(super) fn leave(&mut self, around: Around) {
        (self.of, self.in_loop) = (around.of, around.in_loop);
        if let Some(carried) = around.carried {
            self.carried = carried;
        }
    }

    /// Adds to the adjoint of an operand.
    pub(super) fn add(&mut self, copier: &Copier<'_, '_>, to: Atom, adjoint: Atom) {
        self.add_at(copier, to, &[], adjoint, true);
    }

    /// The adjoint of a variable, which is complete now and not needed again.
    pub(super) fn take(&mut self, copier: &Copier<'_, '_>, var: Var) -> Option<Atom> {
        match self.of.remove(&var)? {
            Adjoint::Value(value) => Some(value),
            Adjoint::Sparse(place) => Some(self.dense(copier, var, place)),
            Adjoint::Accumulator(_) => panic!("an accumulator collects for a variable from outside"),
        }
    }

    /// The adjoints of variables, of those that have one.
    pub(super) fn take_all(&mut self, copier: &Copier<'_, '_>, vars: &[Var]) -> Vec<Option<Atom>> {
        vars.iter().map(|var| self.take(copier, *var)).collect()
    }

    pub(super) fn take_or_zero(&mut self, copier: &Copier<'_, '_>, var: Var) -> Atom {
        match self.take(copier, var) {
            Some(adjoint) => adjoint,
            None => self.target.zeros_like(copier.atom(var.into())),
        }
    }

    /// The adjoint of a variable, not sparse.
    pub(super) fn adjoint_or_zero(&self, copier: &Copier<'_, '_>, var: Var) -> Adjoint {
        match self.of.get(&var) {
            Some(Adjoint::Sparse(place)) => Adjoint::Value(self.dense(copier, var, *place)),
            Some(adjoint) => *adjoint,
            None => Adjoint::Value(self.target.zeros_like(copier.atom(var.into()))),
        }
    }

    /// Those of the free variables of scopes whose adjoints the scopes may add to, accumulators excepted.
    pub(super) fn touched(&self, copier: &Copier<'_, '_>, bodies: &[&Body], bound: &[Var]) -> Vec<Var> {
        let mut free = self.active.free(bodies, bound);
        free.retain(|v| !copier.source.type_of(*v).accumulator);
        self.roots(free)
    }
}

impl Adjoint {
    pub(super) fn atom(self) -> Atom {
        match self {
            Adjoint::Value(atom) | Adjoint::Accumulator(atom) => atom,
            Adjoint::Sparse(_) => panic!("{}", sparse::DENSE),
        }
    }

    /// The same kind of adjoint, in another variable.
    pub(super) fn with(self, atom: Atom) -> Self {
        match self {
            Adjoint::Value(_) => Adjoint::Value(atom),
            Adjoint::Accumulator(_) => Adjoint::Accumulator(atom),
            Adjoint::Sparse(_) => panic!("{}", sparse::DENSE),
        }
    }
}
