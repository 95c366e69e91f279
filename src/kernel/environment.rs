//! What the variables of the program are bound to while it is lowered.
//!
//! Law: a variable is bound before it is used; what it is bound to is where its value is, not the value itself
//! (tests/execute/lanes.rs).

use rustc_hash::FxHashSet;

use super::code::{Buffer, Operand};
use super::emit::Emit;
use super::liveness::mentioned_by;
use super::view::{Array, Bound, Form};
use crate::array::{Atom, Body, Program, Var, binders};

/// What variables are bound to.
pub(super) struct Environment<'p>(Vec<Option<Bound<'p>>>);

impl<'p> Environment<'p> {
    pub(super) fn of(program: &Program) -> Self {
        Environment(vec![None; program.types.len()])
    }

    pub(super) fn bind(&mut self, var: Var, to: Bound<'p>) {
        self.swap(var, Some(to));
    }

    /// Binds a variable, or leaves it unbound, and returns what it was bound to.
    pub(super) fn swap(&mut self, var: Var, to: Option<Bound<'p>>) -> Option<Bound<'p>> {
        core::mem::replace(&mut self.0[var.0 as usize], to)
    }

    pub(super) fn bind_all(&mut self, vars: impl IntoIterator<Item = Var>, to: &[Bound<'p>]) {
        vars.into_iter().zip(to).for_each(|(var, to)| self.bind(var, to.clone()));
    }

    /// Forgets what the variables of a body were when it was lowered before: where that is in a buffer that a loop carries, the
    /// buffer would be copied before it is changed.
    pub(super) fn forget(&mut self, body: &Body) {
        let mut inside = FxHashSet::default();
        binders(body, &mut inside);
        inside.into_iter().for_each(|var| self.0[var.0 as usize] = None);
    }

    pub(super) fn get(&self, var: Var) -> Option<&Bound<'p>> {
        self.0[var.0 as usize].as_ref()
    }

    pub(super) fn atom(&self, atom: Atom) -> Bound<'p> {
        match atom {
            Atom::Const(constant) => Bound::Scalar(Operand::Const(constant)),
            Atom::Var(var) => self.get(var).expect("variables are bound before they are used").clone(),
        }
    }

    pub(super) fn scalar(&self, atom: Atom) -> Operand {
        self.atom(atom).scalar()
    }

    pub(super) fn array(&self, atom: Atom) -> Array<'p> {
        self.atom(atom).array().clone()
    }

    pub(super) fn scalars(&self, atoms: &[Atom]) -> Vec<Operand> {
        atoms.iter().map(|a| self.scalar(*a)).collect()
    }

    pub(super) fn arrays(&self, atoms: &[Atom]) -> Vec<Array<'p>> {
        atoms.iter().map(|a| self.array(*a)).collect()
    }

    /// Whether nothing later sees the buffer of an array, or changes it, in this region or when it is run again.
    pub(super) fn is_free(&self, emit: &mut Emit<'p>, array: &Array<'p>, a: Atom, seen: &FxHashSet<Var>) -> bool {
        let Form::Memory(view) = &array.form else { return false };
        let buffer = view.origin.buffer;
        if !emit.buffers.is_owned(buffer, emit.at.region) || !view.is_whole(emit, &array.sizes) {
            return false;
        }
        !seen.iter().any(|var| Atom::Var(*var) == a || self.is_var_in(*var, buffer))
    }

    /// Whether a value has elements in a buffer, or is computed from such.
    pub(super) fn is_in(&self, bound: &Bound<'p>, buffer: Buffer) -> bool {
        matches!(bound, Bound::Array(array) if self.holds(array, buffer))
    }

    fn is_var_in(&self, var: Var, buffer: Buffer) -> bool {
        self.get(var).is_some_and(|bound| self.is_in(bound, buffer))
    }

    /// Whether an array has elements in a buffer, or is computed from such.
    pub(super) fn holds(&self, array: &Array<'p>, buffer: Buffer) -> bool {
        match &array.form {
            Form::Memory(view) => view.origin.buffer == buffer,
            Form::Iota(..) => false,
            Form::Replicate(value) => self.is_in(value, buffer),
            Form::Parts(parts) => parts.iter().any(|part| self.is_in(part, buffer)),
            Form::Pending(map, _) => mentioned_by(map).iter().any(|var| self.is_var_in(*var, buffer)),
        }
    }

    /// Whether there is more to do side by side for an element of an array that waits.
    pub(super) fn is_nested(&self, array: &Array<'p>) -> bool {
        let Form::Pending(map, _) = &array.form else { return false };
        map.function.body.stms.iter().any(|stm| stm.op.is_parallel())
            || self.arrays(&map.arrays).iter().any(|array| self.is_nested(array))
    }
}
