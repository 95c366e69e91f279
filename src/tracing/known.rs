//! What is known while a program is traced: the scalars and the sizes that do not depend on an element.
//!
//! Law: a scalar is known if it is a constant, a variable of the outermost body, or computed from known ones by an
//! operation that cannot fail; it can be computed again in the outermost body, with the same value
//! (tests/array/tracing.rs).

use rustc_hash::FxHashMap;

use super::record::Record;
use crate::array::{Atom, Const, Op, ScalarOp, Var, deeper};
use crate::interpret::{Arithmetic, Scalar, Step, Value, apply};

/// What is known of the variables of a trace.
#[derive(Debug, Default)]
pub(super) struct Known {
    /// By number.
    scalars: Vec<Option<Scalar<f64>>>,
    sizes: FxHashMap<Var, Vec<usize>>,
    /// The array whose element a parameter is.
    rows: FxHashMap<Var, Atom>,
    /// How a variable of an inner body is computed of known ones.
    recipes: FxHashMap<Var, Op>,
    /// The variables of the outermost body that were computed so.
    outside: FxHashMap<Var, Atom>,
}

impl Known {
    /// Notes the value of a variable of the outermost body: of an array, its sizes.
    pub(super) fn note(&mut self, atom: Atom, value: &Value<f64>) {
        let Atom::Var(var) = atom else { return };
        match value {
            Value::Scalar(scalar) => self.set(var, *scalar),
            Value::Array(_) => drop(self.sizes.insert(var, value.sizes().to_vec())),
        }
    }

    fn set(&mut self, var: Var, value: Scalar<f64>) {
        let at = var.0 as usize;
        if self.scalars.len() <= at {
            self.scalars.resize(at + 1, None);
        }
        self.scalars[at] = Some(value);
    }

    /// The value of an operand, if it is known.
    fn scalar(&self, atom: Atom) -> Option<Scalar<f64>> {
        match atom {
            Atom::Const(constant) => Some(f64::constant(constant)),
            Atom::Var(var) => self.scalars.get(var.0 as usize).copied().flatten(),
        }
    }

    pub(super) fn truth(&self, atom: Atom) -> Option<bool> {
        if let Some(Scalar::Bool(truth)) = self.scalar(atom) { Some(truth) } else { None }
    }

    pub(super) fn number(&self, atom: Atom) -> Option<i64> {
        if let Some(Scalar::I64(n)) = self.scalar(atom) { Some(n) } else { None }
    }

    /// The length of an array.
    pub(super) fn length(&self, atom: Atom) -> Option<usize> {
        let Atom::Var(var) = atom else { return None };
        self.sizes.get(&var)?.first().copied()
    }

    /// The integer or truth value that an operation gives of constants, as a constant.
    pub(super) fn folded(&self, op: ScalarOp, constants: &[Atom]) -> Step<Option<Const>> {
        let Some(values) = constants.iter().map(|a| self.scalar(*a)).collect::<Option<Vec<_>>>() else {
            return Ok(None);
        };
        Ok(apply(op, &values)?.exact())
    }

    /// Notes the result of an operation that cannot fail, if its operands are known.
    pub(super) fn computed(&mut self, result: Atom, op: ScalarOp, operands: Vec<Atom>) {
        let values: Option<Vec<_>> = operands.iter().map(|a| self.scalar(*a)).collect();
        if let (Atom::Var(var), Some(values)) = (result, values)
            && let Ok(value) = apply(op, &values)
        {
            self.set(var, value);
            self.recipes.insert(var, Op::Scalar(op, operands.into()));
        }
    }

    /// Notes that a variable is a size of an array, if that is known.
    pub(super) fn sized(&mut self, result: Atom, array: Atom, dimension: usize) {
        if let (Atom::Var(var), Atom::Var(array)) = (result, array)
            && let Some(sizes) = self.sizes.get(&array)
            && let Ok(size) = i64::try_from(sizes[dimension])
        {
            self.set(var, Scalar::I64(size));
            self.recipes.insert(var, Op::Size(array.into(), dimension));
        }
    }

    /// Notes that a parameter is an element of an array: its sizes are known if those of the array are.
    pub(super) fn row(&mut self, param: Var, array: Atom) {
        if let Atom::Var(var) = array
            && let Some([_, row @ ..]) = self.sizes.get(&var).map(Vec::as_slice)
            && !row.is_empty()
        {
            self.sizes.insert(param, row.to_vec());
            self.rows.insert(param, array);
        }
    }

    /// A known operand as one of the outermost body, where what computes it is added.
    pub(super) fn outside(&mut self, atom: Atom, record: &Record) -> Atom {
        let Atom::Var(var) = atom else { return atom };
        if let Some(outside) = self.outside.get(&var) {
            return *outside;
        }
        let op = match self.recipes.get(&var).cloned() {
            Some(Op::Scalar(op, operands)) => {
                deeper(|| Op::Scalar(op, operands.into_iter().map(|a| self.outside(a, record)).collect()))
            }
            Some(Op::Size(array, dimension)) => self.size(array, dimension),
            Some(_) => panic!("what is known is computed of scalars and sizes"),
            None => return atom,
        };
        let outside = record.add_outermost(op);
        self.outside.insert(var, outside);
        outside
    }

    /// A size of an element as one of the array that it is of, as far out as there is one.
    fn size(&self, array: Atom, dimension: usize) -> Op {
        match array {
            Atom::Var(var) if self.rows.contains_key(&var) => self.size(self.rows[&var], dimension + 1),
            _ => Op::Size(array, dimension),
        }
    }
}
