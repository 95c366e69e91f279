//! Operands: what scalars and arrays are while a program is under construction.
//!
//! Law: an operand knows its kind and its rank, and of its sizes those that are operands themselves; a size that it
//! knows is bound wherever the operand is (tests/language/elaborate.rs).

use crate::array::{Atom, Const, Prim, Type, Var};
use crate::futhark::meaning::Kept;

/// A scalar or an array of a program under construction.
#[derive(Debug, Clone)]
pub(super) struct Operand {
    pub(super) atom: Atom,
    pub(super) of: Of,
}

/// What is known of an operand beforehand.
#[derive(Debug, Clone)]
pub(super) struct Of {
    /// The kind of the scalars, in the language.
    pub(super) kind: Prim,
    /// The sizes, as far as they are known.
    pub(super) shape: Vec<Option<Atom>>,
    /// How it is written to, if it is an accumulator.
    pub(super) writes: Option<Writes>,
}

/// How an accumulator is written to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Writes {
    /// By addition, in any order: it is an accumulator of the array program.
    Adding,
    /// One after the other: it is an array, and values are combined by this operator, or replace what was there.
    InTurn(Option<Kept>),
}

impl Of {
    /// A scalar.
    pub(super) fn scalar(kind: Prim) -> Self {
        Of { kind, shape: Vec::new(), writes: None }
    }

    /// An array of these sizes.
    pub(super) fn array(kind: Prim, shape: Vec<Option<Atom>>) -> Self {
        Of { kind, shape, writes: None }
    }

    /// An array of these.
    pub(super) fn arrayed(&self, size: Option<Atom>) -> Self {
        Of { shape: core::iter::once(size).chain(self.shape.iter().copied()).collect(), ..self.clone() }
    }

    /// The elements of an array in this many of its outermost dimensions.
    pub(super) fn inner(&self, dimensions: usize) -> Self {
        Of { shape: self.shape.iter().skip(dimensions).copied().collect(), ..self.clone() }
    }

    /// What is still known outside of a body, before which there were this many variables.
    pub(super) fn outside(mut self, variables: usize) -> Self {
        for size in &mut self.shape {
            *size = size.filter(|size| match size {
                Atom::Var(Var(number)) => (*number as usize) < variables,
                Atom::Const(_) => true,
            });
        }
        self
    }

    /// Its type in the array program.
    pub(super) fn stored(&self) -> Type {
        let accumulator = self.writes == Some(Writes::Adding);
        Type { prim: self.kind, rank: self.shape.len(), accumulator }
    }
}

impl Operand {
    /// A scalar.
    pub(super) fn scalar(atom: Atom, kind: Prim) -> Self {
        Operand { atom, of: Of::scalar(kind) }
    }
}

/// What operands are in the program.
pub(super) fn atoms(operands: &[Operand]) -> Vec<Atom> {
    operands.iter().map(|operand| operand.atom).collect()
}

/// Operands of which this is known.
pub(super) fn operands(atoms: Vec<Atom>, known: impl IntoIterator<Item = Of>) -> Vec<Operand> {
    atoms.into_iter().zip(known).map(|(atom, of)| Operand { atom, of }).collect()
}

/// The integer that an operand is known to be.
pub(super) fn known(atom: Atom) -> Option<i64> {
    match atom {
        Atom::Const(Const::I64(n)) => Some(n),
        Atom::Const(_) | Atom::Var(_) => None,
    }
}

/// The truth value that an operand is known to be.
pub(super) fn known_truth(atom: Atom) -> Option<bool> {
    match atom {
        Atom::Const(Const::Bool(b)) => Some(b),
        Atom::Const(_) | Atom::Var(_) => None,
    }
}
