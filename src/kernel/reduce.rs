//! Reductions.
//!
//! Law: a reduction by a commutative operator on scalars may be computed by all lanes, each for its elements, and then
//! over what they found; any other goes from the first element to the last, as in the interpreter
//! (tests/execute/lanes.rs).

use super::code::{Buffer, Fold, Operand, Stm as Code, Value};
use super::emit::Emit;
use super::view::{Array, Bound, Form, View};
use super::{Lowering, Step};
use crate::array::{Agreement, Atom, Body, Const, IntegerRow, Lambda, Op, Prim, Reduce, ScalarOp};
use crate::primitives::Primitive;

/// What is done with the state after each element.
type Each<'f, 'p> = &'f mut dyn FnMut(&mut Lowering<'p>, Operand, &[Bound<'p>]) -> Step<()>;

impl<'p> Lowering<'p> {
    pub(super) fn reduce(&mut self, it: &'p Reduce) -> Step<Vec<Bound<'p>>> {
        let arrays = self.env.arrays(&it.arrays);
        let length = self.emit.common_length(Agreement::Reduced, &arrays);
        let scalars = it.neutral.iter().all(|e| self.emit.program.atom_type(*e).rank == 0);
        if self.emit.lanes.is_none() && !self.emit.stepwise && scalars && (it.commutative || commutes(&it.operator)) {
            let waits = arrays.iter().any(|array| matches!(array.form, Form::Pending(..)));
            // What runs once can as well begin a loop over lanes for few elements, which then may be a part of another.
            let nested = waits && !(self.emit.at.runs_once() && arrays.iter().all(|array| !self.env.is_nested(array)));
            return self.side_by_side_reduce(it, &arrays, length, nested);
        }
        self.in_turn(it, &arrays, length)
    }

    /// A reduction from the first element to the last.
    fn in_turn(&mut self, it: &'p Reduce, arrays: &[Array<'p>], length: Operand) -> Step<Vec<Bound<'p>>> {
        self.fold(it, arrays, length, true, &mut |_, _, _| Ok(()))
    }

    /// Folds from the first element to the last; `each` is called with the result after each. Sums may be taken in any order, or not.
    pub(super) fn fold(
        &mut self,
        it: &'p Reduce,
        arrays: &[Array<'p>],
        length: Operand,
        any_order: bool,
        each: Each<'_, 'p>,
    ) -> Step<Vec<Bound<'p>>> {
        let initial = it.neutral.iter().map(|e| self.env.atom(*e)).collect();
        self.iterate(length, initial, &mut |this, index, state| {
            let operands = [state, &this.elements_at(arrays, index)?].concat();
            know(&mut this.emit, it, arrays, &operands);
            let found = this.operate(&it.operator, operands)?;
            if any_order {
                sum_up(&mut this.emit, it, state, &found);
            }
            each(this, index, &found)?;
            Ok(found)
        })
    }

    pub(super) fn operate(&mut self, operator: &'p Lambda, operands: Vec<Bound<'p>>) -> Step<Vec<Bound<'p>>> {
        for (param, operand) in operator.params.iter().zip(operands) {
            self.bind_element(*param, operand)?;
        }
        let found = self.body(&operator.body)?;
        self.settled_all(found)
    }

    /// In lanes, or from the first to the last where lanes cannot or there are few elements and more to do inside.
    fn side_by_side_reduce(
        &mut self,
        it: &'p Reduce,
        arrays: &[Array<'p>],
        length: Operand,
        nested: bool,
    ) -> Step<Vec<Bound<'p>>> {
        let wide = self.attempt(|this| this.block(false, |this| this.wide_reduce(it, arrays, length)));
        let Ok((mut yes, wide)) = wide else { return self.in_turn(it, arrays, length) };
        if !nested {
            yes.into_iter().for_each(|stm| self.emit.push(stm));
            wide.iter().for_each(|cell| self.emit.settle(*cell));
            return Ok(wide.into_iter().map(|cell| Bound::Scalar(Operand::Value(cell))).collect());
        }
        let (mut no, narrow) = self.block(false, |this| this.in_turn(it, arrays, length))?;
        let narrow: Vec<Operand> = narrow.iter().map(Bound::scalar).collect();
        let cells: Vec<Value> = narrow.iter().map(|x| self.emit.value(self.emit.prim(*x), false)).collect();
        let wide = wide.into_iter().map(Operand::Value);
        yes.push(Code::Assign { cells: cells.iter().copied().zip(wide).collect(), mask: None });
        no.push(Code::Assign { cells: cells.iter().copied().zip(narrow).collect(), mask: None });
        let condition = self.emit.scalar(ScalarOp::LessOrEqual, &[Operand::int(self.wide), length]);
        self.emit.push(Code::If { condition, yes, no });
        Ok(cells.into_iter().map(|cell| Bound::Scalar(Operand::Value(cell))).collect())
    }

    fn wide_reduce(&mut self, it: &'p Reduce, arrays: &[Array<'p>], length: Operand) -> Step<Vec<Value>> {
        let neutral: Vec<Operand> = it.neutral.iter().map(|e| self.env.scalar(*e)).collect();
        let prims: Vec<Prim> = neutral.iter().map(|e| self.emit.prim(*e)).collect();
        let parts: Vec<Buffer> = prims.iter().map(|prim| self.emit.new_buffer(*prim)).collect();
        let op = one_operation(&it.operator);
        // Of an operator that is not known it is not known what is neutral: each lane begins with its first element.
        let first = (!commutes(&it.operator)).then(|| self.emit.new_buffer(Prim::Bool));
        let mut lanes = self.lanes(length, &[], &mut |this, index| {
            let mut folds = Vec::new();
            let mut operands = Vec::new();
            for ((prim, start), part) in prims.iter().zip(&neutral).zip(&parts) {
                let cell = this.emit.value(*prim, true);
                operands.push(Bound::Scalar(Operand::Value(cell)));
                let start = identity(&it.operator, *prim).map_or(*start, Operand::Const);
                folds.push(Fold { cell, start, found: *part, op });
            }
            let begun = first.map(|part| {
                let cell = this.emit.value(Prim::Bool, true);
                Fold { cell, start: Operand::Const(Const::Bool(false)), found: part, op: None }
            });
            let elements = this.elements_at(arrays, index)?;
            let state = operands.clone();
            operands.extend(elements.iter().cloned());
            know(&mut this.emit, it, arrays, &operands);
            let found = this.operate(&it.operator, operands)?;
            sum_up(&mut this.emit, it, &state, &found);
            let mut cells = Vec::new();
            for ((fold, found), element) in folds.iter().zip(&found).zip(&elements) {
                let (found, element) = (found.scalar(), element.scalar());
                let begun = begun.as_ref().map(|begun| Operand::Value(begun.cell));
                cells.push((fold.cell, begun.map_or(found, |begun| this.emit.select(begun, found, element))));
            }
            cells.extend(begun.as_ref().map(|begun| (begun.cell, Operand::Const(Const::Bool(true)))));
            folds.extend(begun);
            this.emit.push(Code::Assign { cells, mask: None });
            Ok(folds)
        })?;
        let count = self.emit.value(Prim::I64, false);
        lanes.folded = Some(count);
        self.emit.push(Code::Lanes(Box::new(lanes)));
        parts.iter().chain(&first).for_each(|part| self.emit.changed(*part));
        let part = |(part, prim): (&Buffer, &Prim)| {
            let sizes = vec![Operand::Value(count)];
            let view = View::whole(&mut self.emit, *part, &sizes);
            Array { prim: *prim, sizes, form: Form::Memory(view) }
        };
        let found: Vec<Array<'p>> = parts.iter().zip(&prims).map(part).collect();
        let results = self.in_turn(it, &found, Operand::Value(count))?;
        Ok(results.iter().map(|result| result.scalar().value().expect("what a loop carries is in cells")).collect())
    }
}

/// Says what holds of the operands of a reduction, which are its cells and then the elements.
fn know(emit: &mut Emit<'_>, it: &Reduce, arrays: &[Array<'_>], operands: &[Bound<'_>]) {
    let (cells, elements) = operands.split_at(arrays.len());
    for (k, (cell, element)) in cells.iter().zip(elements).enumerate() {
        let (Bound::Scalar(cell), Bound::Scalar(element)) = (cell, element) else { continue };
        let before_all = matches!(it.neutral[k], Atom::Const(Const::I64(n)) if n < 0);
        if before_all && arrays[k].is_iota() && chooses(&it.operator, k) {
            // The cell has what it started from, or an index that was before.
            emit.facts.is_not_less(*element, *cell);
        }
    }
}

/// Says which values are sums of reals, which may be taken in any order, and of which cells.
fn sum_up(emit: &mut Emit<'_>, it: &Reduce, cells: &[Bound<'_>], found: &[Bound<'_>]) {
    for (cell, found) in cells.iter().zip(found) {
        if let (Bound::Scalar(Operand::Value(cell)), Bound::Scalar(Operand::Value(found))) = (cell, found)
            && emit.prim(Operand::Value(*found)).is_real()
            && it.operator.is_sum()
        {
            emit.sums.insert(*found, *cell);
        }
    }
}

/// Whether a component of an operator's result is that of the left operand or that of the right one.
fn chooses(operator: &Lambda, k: usize) -> bool {
    let either = [operator.params[k], operator.params[operator.body.results.len() + k]].map(Atom::Var);
    let is_one = |body: &Body, result: usize| body.stms.is_empty() && either.contains(&body.results[result]);
    operator.body.stms.iter().any(|stm| {
        let result = stm.vars.iter().position(|var| operator.body.results[k] == Atom::Var(*var));
        matches!((&stm.op, result), (Op::If(_, yes, no), Some(result)) if is_one(yes, result) && is_one(no, result))
    })
}

/// Whether an operator is known to commute.
fn commutes(operator: &Lambda) -> bool {
    one_operation(operator).is_some() || operator.is_sum()
}

/// What lanes begin with, so that a start which is not neutral counts once, of an operator that is known to commute; none
/// where it may count often, as in an extremum.
fn identity(operator: &Lambda, prim: Prim) -> Option<Const> {
    let op = one_operation(operator);
    if matches!(op, Some(ScalarOp::Mul)) {
        return Some(prim.one());
    }
    let adds = operator.is_sum() || matches!(op, Some(ScalarOp::Integer(IntegerRow::Xor)));
    adds.then(|| prim.zero())
}

/// The operation that an operator is, if it is one that commutes.
fn one_operation(operator: &Lambda) -> Option<ScalarOp> {
    let [stm] = &operator.body.stms[..] else { return None };
    let params: Vec<Atom> = operator.params.iter().copied().map(Atom::Var).collect();
    let Op::Scalar(op, atoms) = &stm.op else { return None };
    let known = match op {
        ScalarOp::Add | ScalarOp::Mul => true,
        ScalarOp::Row(row) => matches!(row, Primitive::Min | Primitive::Max),
        ScalarOp::Integer(row) => {
            matches!(row, IntegerRow::Min | IntegerRow::Max | IntegerRow::And | IntegerRow::Or | IntegerRow::Xor)
        }
        ScalarOp::Scale | ScalarOp::Equal | ScalarOp::Less | ScalarOp::LessOrEqual => false,
        ScalarOp::Not | ScalarOp::Convert(_) | ScalarOp::ToBits(_) | ScalarOp::FromBits(_) => false,
    };
    let is_result = operator.body.results[..] == [Atom::Var(stm.vars[0])];
    (known && atoms[..] == params[..] && is_result).then_some(*op)
}
