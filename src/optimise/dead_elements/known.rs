//! The integers and the lengths of arrays that are the same in every run.
//!
//! Law: what is known here is so in every run without an error (tests/transform/dead_elements.rs, laws: simplification).

use rustc_hash::FxHashMap;

use crate::array::{Agree, Atom, Body, Const, Extent, Form, Op, Program, SizeTable, Stm, Var, deeper, params};
use crate::optimise::fold::fold;

/// The largest number that counts as known: few arrays have more elements, and sums of products of two are numbers.
const LARGEST: u64 = 1 << 30;

/// What is known of the variables of a program.
pub(super) struct Known {
    sizes: SizeTable,
    /// The sizes that the program says are numbers.
    said: FxHashMap<Extent, i64>,
    numbers: FxHashMap<Var, i64>,
    lengths: FxHashMap<Var, i64>,
}

impl Known {
    /// What is known of a program, if it has an array whose length is known.
    pub(super) fn of(program: &Program) -> Option<Known> {
        let said = program.said_sizes();
        let sized = |stm: &Stm| matches!(stm.op, Op::Iota(Atom::Const(_)) | Op::Replicate(Atom::Const(_), _));
        if said.is_empty() && !has(&program.function.body, &sized) {
            return None;
        }
        let (numbers, lengths) = (FxHashMap::default(), FxHashMap::default());
        let mut known = Known { sizes: program.sizes(), said, numbers, lengths };
        program.function.params.iter().for_each(|param| known.learn_length(*param));
        known.body(&program.function.body);
        Some(known)
    }

    /// The integer that this is.
    pub(super) fn number(&self, atom: Atom) -> Option<i64> {
        let known = match atom {
            Atom::Const(_) => atom.as_int(),
            Atom::Var(var) => self.numbers.get(&var).copied(),
        };
        known.filter(is_small)
    }

    /// How many elements an array has in its outermost dimension.
    pub(super) fn length(&self, array: Atom) -> Option<i64> {
        self.lengths.get(&array.var()?).copied().filter(is_small)
    }

    /// Whether sizes are compared that are known to be equal; what says that a size is a number is what it is known from.
    pub(super) fn holds(&self, it: &Agree) -> bool {
        let product = |sizes: &[Extent]| sizes.iter().try_fold(1_i64, |n, size| n.checked_mul(self.size(*size)?));
        let says = |sizes: &[Extent]| matches!(sizes, [Extent::Number(Atom::Const(_))]);
        let known = product(&it.first);
        known.is_some() && known == product(&it.second) && !says(&it.first) && !says(&it.second)
    }

    fn size(&self, size: Extent) -> Option<i64> {
        let known = match size {
            Extent::Number(number) => self.number(number),
            Extent::Of(array, 0) => self.length(array),
            Extent::Of(..) => None,
        };
        known.or_else(|| self.said.get(&size).copied().filter(is_small))
    }

    fn learn_length(&mut self, var: Var) {
        if let Some(size) = self.sizes.of(var).first()
            && let Some(length) = self.size(*size)
        {
            self.lengths.insert(var, length);
        }
    }

    fn body(&mut self, body: &Body) {
        for stm in &body.stms {
            params(&stm.op).for_each(|param| self.learn_length(param));
            deeper(|| stm.op.bodies().for_each(|inner| self.body(inner)));
            self.stm(stm);
        }
    }

    fn stm(&mut self, stm: &Stm) {
        stm.vars.iter().for_each(|var| self.learn_length(*var));
        match &stm.op {
            Op::Size(array, dimension) => {
                let size = self.sizes.of(*array)[*dimension];
                self.numbers.extend(self.size(size).map(|n| (stm.vars[0], n)));
            }
            Op::Scalar(op, operands) => {
                let constant = |a: &Atom| self.number(*a).map(|n| Atom::Const(Const::I64(n)));
                if let Some(operands) = operands.iter().map(constant).collect::<Option<Vec<Atom>>>()
                    && let Some(n) = fold(*op, &operands).and_then(Atom::as_int)
                {
                    self.numbers.insert(stm.vars[0], n);
                }
            }
            Op::Concat(arrays) => {
                if let Some(length) = arrays.iter().map(|a| self.length(*a)).sum() {
                    self.lengths.insert(stm.vars[0], length);
                }
            }
            _ => {}
        }
    }
}

fn is_small(n: &i64) -> bool {
    n.unsigned_abs() <= LARGEST
}

/// Whether a body, or one inside of it, has such a statement.
fn has(body: &Body, is: &impl Fn(&Stm) -> bool) -> bool {
    body.stms.iter().any(|stm| is(stm) || stm.op.bodies().any(|inner| deeper(|| has(inner, is))))
}

/// How often a loop runs, if that is known.
pub(super) fn iterations(known: &Known, form: &Form) -> Option<i64> {
    if let Form::For(_, bound) = form { known.number(*bound) } else { None }
}
