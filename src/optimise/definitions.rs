//! What is known of the variables of a program: the operations that define them, the sizes of arrays, which are zero.
//!
//! Law: a fact is true in every run, also of arrays without elements; facts of a statement follow from those of its operands
//! in one step, so that all are linear in the program (tests/transform/simplify.rs, tests/transform/sizes.rs).

use super::store_forwarding::Written;
use crate::array::{Atom, Op, SizeTable, Stm, Type, Var};

#[derive(Debug, Clone, Default)]
struct Known {
    /// The operation that defines it, if that has no body.
    op: Option<Box<Op>>,
    zero: bool,
}

/// What is known of variables, by number.
#[derive(Debug, Default)]
pub(super) struct Facts {
    pub(super) sizes: SizeTable,
    known: Vec<Known>,
    pub(super) written: Written,
}

impl Facts {
    /// Room for this many variables.
    pub(super) fn with_capacity(variables: usize) -> Self {
        let (sizes, known) = (SizeTable::with_capacity(variables), Vec::with_capacity(variables));
        Facts { sizes, known, written: Written::default() }
    }

    fn known(&self, atom: Atom) -> Option<&Known> {
        self.known.get(atom.var()?.0 as usize)
    }

    /// The operation that defines a variable, if it has no body.
    pub(super) fn op(&self, atom: Atom) -> Option<&Op> {
        self.known(atom)?.op.as_deref()
    }

    /// Whether a value is known to be zero. Neither sign of zero changes a sum, but for the sign of a zero sum.
    pub(super) fn is_zero(&self, atom: Atom) -> bool {
        match atom {
            Atom::Var(_) => self.known(atom).is_some_and(|known| known.zero),
            Atom::Const(c) => c == c.prim().zero(),
        }
    }

    /// Learns what a statement says of its variables, after what is inside of it.
    pub(super) fn learn(&mut self, stm: &Stm, type_of: impl Fn(Var) -> Type, depth: usize) {
        self.sizes.learn(stm, type_of, depth);
        match &stm.op {
            // No rule asks how a scalar was computed.
            Op::Scalar(..) => return,
            Op::Map(_) | Op::Loop(_) | Op::If(..) | Op::Reduce(_) | Op::Scan(_) | Op::Hist(_) | Op::Custom(_) => {
                for var in &stm.vars {
                    self.known.get_mut(var.0 as usize).map(core::mem::take);
                }
                return;
            }
            Op::Agree(_) => return,
            Op::Update(array, at, value) => self.written.learn(stm.vars[0], *array, at, *value),
            _ => {}
        }
        let (at, zero) = (stm.vars[0].0 as usize, self.zero_of(&stm.op));
        if self.known.len() <= at {
            self.known.resize_with(at + 1, Known::default);
        }
        self.known[at] = Known { op: Some(Box::new(stm.op.clone())), zero };
    }

    fn zero_of(&self, op: &Op) -> bool {
        match op {
            Op::Replicate(_, a) | Op::Copy(a) | Op::Reverse(a) | Op::Permute(a, _) => self.is_zero(*a),
            Op::Reshape(a, _) | Op::Index(a, _) | Op::Slice(a, _) => self.is_zero(*a),
            _ => false,
        }
    }

    /// The value that an array is copies of, if it is known to be.
    pub(super) fn copied(&self, array: Atom) -> Option<Atom> {
        if let Some(Op::Replicate(_, value)) = self.op(array) { Some(*value) } else { None }
    }
}
