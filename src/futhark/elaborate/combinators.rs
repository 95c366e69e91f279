//! Second-order operations: each function is traced once, with new variables for its parameters.
//!
//! Law: a check inside a function that is applied to many elements fails if it does for any of them: its number is one
//! result more of the function, and one component more of an operator (tests/language/elaborate.rs).

use super::operand::{Of, Operand, Writes, atoms, operands};
use super::site::{Site, Traced, reduction};
use crate::array::{Atom, Const, Hist, IntegerRow, Lambda, Map, Op, Prim, Reduce, ScalarOp, Scatter, index};
use crate::futhark::meaning::{
    Call, Code, Combinators, Control, Kept, Leaf, Movement, Operator, Outcome, Policy, Reduction,
};
use crate::futhark::source::{Message, Span};

impl Combinators for Site {
    fn map(
        &self,
        at: Span,
        arrays: Vec<Operand>,
        leaves: &[Leaf<Operand>],
        function: &mut Code<'_, Operand>,
    ) -> Outcome<Vec<Operand>> {
        let params = arrays.iter().map(|array| array.of.inner(1)).collect();
        let variables = self.variables();
        let traced = self.traced(at, params, &mut |elements| {
            let results = function(elements)?;
            results.into_iter().zip(leaves).map(|(result, leaf)| self.as_said(at, result, leaf, variables)).collect()
        })?;
        let count = self.size_of(at, &arrays[0], 0)?;
        let mut known = traced.results.clone();
        // What the program says of the sizes holds of arrays without elements too.
        for (of, leaf) in known.iter_mut().zip(leaves) {
            for (size, said) in of.shape.iter_mut().zip(&leaf.shape) {
                *size = said.as_ref().map(|said| said.atom).or(*size);
            }
        }
        let results = self.mapped(at, traced, atoms(&arrays))?;
        Ok(operands(results, known.iter().map(|of| of.arrayed(Some(count)))))
    }

    fn reduce(
        &self,
        at: Span,
        how: Reduction,
        operator: &mut Code<'_, Operand>,
        neutral: Vec<Operand>,
        arrays: Vec<Operand>,
    ) -> Outcome<Vec<Operand>> {
        let elements: Vec<Of> = arrays.iter().map(|array| array.of.inner(1)).collect();
        let traced = self.operator(at, &elements, operator)?;
        let count = self.size_of(at, &arrays[0], 0)?;
        let mut it = Reduce {
            operator: traced.lambda,
            neutral: atoms(&neutral),
            arrays: atoms(&arrays),
            commutative: how == Reduction::Whole { commutative: true },
        };
        if traced.checked {
            it.neutral.push(index(0));
            it.arrays.push(self.zeros(at, Prim::I64, &[count])?);
        }
        let (op, known): (_, Vec<Of>) = match how {
            Reduction::Whole { .. } => (Op::Reduce(Box::new(it)), elements),
            Reduction::Prefixes => {
                (Op::Scan(Box::new(it)), elements.iter().map(|of| of.arrayed(Some(count))).collect())
            }
        };
        Ok(operands(self.emit_checked(at, op, traced.checked)?, known))
    }

    fn combine(
        &self,
        at: Span,
        bins: Vec<Operand>,
        operator: Option<Operator<'_, '_, Operand>>,
        indices: &Operand,
        values: Vec<Operand>,
    ) -> Outcome<Vec<Operand>> {
        let Some((operator, neutral)) = operator else {
            let pairs = bins.iter().zip(values);
            return pairs.map(|(bins, values)| self.scattered(at, bins, indices.atom, values.atom)).collect();
        };
        let elements: Vec<Of> = bins.iter().map(|array| array.of.inner(1)).collect();
        let traced = self.operator(at, &elements, operator)?;
        let mut it = Hist {
            operator: traced.lambda,
            neutral: atoms(&neutral),
            destinations: atoms(&bins),
            indices: indices.atom,
            values: atoms(&values),
        };
        if traced.checked {
            it.neutral.push(index(0));
            it.destinations.push(self.zeros(at, Prim::I64, &[self.size_of(at, &bins[0], 0)?])?);
            it.values.push(self.zeros(at, Prim::I64, &[self.size_of(at, indices, 0)?])?);
        }
        let results = self.emit_checked(at, Op::Hist(Box::new(it)), traced.checked)?;
        Ok(operands(results, bins.into_iter().map(|bins| bins.of)))
    }

    fn rows(
        &self,
        at: Span,
        [count, offsets]: [&Operand; 2],
        arrays: Vec<Operand>,
        elements: &[Leaf<Operand>],
        function: &mut Code<'_, Operand>,
    ) -> Outcome<Vec<Operand>> {
        self.joined(at, [count.atom, offsets.atom], &arrays, elements, function)
    }

    fn stream(
        &self,
        at: Span,
        destinations: Vec<Operand>,
        operator: Option<(Kept, Vec<Operand>)>,
        arrays: Vec<Operand>,
        function: &mut Code<'_, Operand>,
        call: &Call<'_, Operand>,
    ) -> Outcome<Vec<Operand>> {
        let operator = operator.map(|(operator, _)| operator);
        let adds = match (operator, &destinations[..]) {
            (Some(operator), [destination]) => self.is_addition(at, operator, &destination.of.inner(1), call)?,
            _ => false,
        };
        if adds {
            return self.added(at, &destinations[0], &arrays, function);
        }
        let writes = Some(Writes::InTurn(operator));
        let count = self.size_of(at, &arrays[0], 0)?;
        let initial = destinations.into_iter().map(|to| Operand { of: Of { writes, ..to.of }, ..to }).collect();
        let mut body = |i: Operand, mut accumulators: Vec<Operand>| {
            for array in &arrays {
                let atom = self.one(at, Op::Index(array.atom, vec![i.atom]))?;
                accumulators.push(Operand { atom, of: array.of.inner(1) });
            }
            function(accumulators)
        };
        let policy = Policy { strip_mine: None, bound: None, true_dependencies: false };
        let count = Operand::scalar(count, Prim::I64);
        let mut results = self.repeat(at, Prim::I64, &count, initial, &policy, &mut body)?;
        results.iter_mut().for_each(|result| result.of.writes = None);
        Ok(results)
    }

    fn write(
        &self,
        at: Span,
        accumulators: Vec<Operand>,
        place: &Operand,
        values: Vec<Operand>,
        call: &Call<'_, Operand>,
    ) -> Outcome<Vec<Operand>> {
        let place = place.atom;
        let operator = match accumulators.first().and_then(|first| first.of.writes) {
            Some(Writes::Adding) => {
                let atom = self.one(at, Op::Accumulate(accumulators[0].atom, vec![place], values[0].atom))?;
                return Ok(vec![Operand { atom, of: accumulators[0].of.clone() }]);
            }
            Some(Writes::InTurn(operator)) => operator,
            None => return Err(Message::error("internal", at, "this is not an accumulator")),
        };
        let size = self.size_of(at, &accumulators[0], 0)?;
        let from = self.raw(at, ScalarOp::LessOrEqual, &[index(0), place])?;
        let below = self.raw(at, ScalarOp::Less, &[place, size])?;
        let inside = self.raw(at, ScalarOp::Mul, &[from, below])?;
        let truth = Operand::scalar(inside, Prim::Bool);
        self.branch(at, &truth, &mut |inside| {
            if !inside {
                return Ok(accumulators.clone());
            }
            let combined = match operator {
                None => values.clone(),
                Some(operator) => {
                    let mut both = Vec::new();
                    for to in &accumulators {
                        let atom = self.one(at, Op::Index(to.atom, vec![place]))?;
                        both.push(Operand { atom, of: Of { writes: None, ..to.of.inner(1) } });
                    }
                    both.extend(values.iter().cloned());
                    call(operator, both)?
                }
            };
            let update = |(to, value): (&Operand, Operand)| {
                let atom = self.one(at, Op::Update(to.atom, vec![place], value.atom))?;
                Ok(Operand { atom, of: to.of.clone() })
            };
            accumulators.iter().zip(combined).map(update).collect()
        })
    }
}

impl Site {
    /// The results of a function that was traced, for each element of these arrays.
    pub(super) fn mapped(&self, at: Span, function: Traced, arrays: Vec<Atom>) -> Outcome<Vec<Atom>> {
        let map = Map { function: function.lambda, arrays, accumulators: Vec::new() };
        self.emit_checked(at, Op::Map(Box::new(map)), function.checked)
    }

    /// A row whose sizes are found only when it is there, as one of the sizes that the program says, which have been compared
    /// with them: so they are known where there is no row at all.
    fn as_said(&self, at: Span, row: Operand, leaf: &Leaf<Operand>, variables: usize) -> Outcome<Operand> {
        let said: Option<Vec<Operand>> = leaf.shape.iter().cloned().collect();
        let is_found = row.of.shape.iter().zip(row.of.clone().outside(variables).shape).any(|(a, b)| *a != b);
        match said {
            Some(said) if is_found && said.len() == row.of.shape.len() => self.reshape(at, row, said.len(), &said),
            Some(_) | None => Ok(row),
        }
    }

    /// An operator on these elements; if there are checks in it they are one component more.
    fn operator(&self, at: Span, elements: &[Of], operator: &mut Code<'_, Operand>) -> Outcome<Traced> {
        let params = [elements, elements].concat();
        let mut traced = self.traced(at, params, &mut |pair| operator(pair))?;
        if traced.checked {
            let k = elements.len();
            let (left, right) = (self.fresh_index(), self.fresh_index());
            traced.lambda.params.insert(k, left);
            traced.lambda.params.push(right);
            // The checks of the operands come before its own.
            let inside = &mut *self.inside.borrow_mut();
            let own = traced.lambda.body.results.pop();
            inside.builder.open_body();
            let mut all = inside.builder.scalar(IntegerRow::Max, &[left.into(), right.into()]);
            if let Some(own) = own {
                all = inside.builder.scalar(IntegerRow::Max, &[all, own]);
            }
            let more = inside.builder.close_body(Vec::new());
            traced.lambda.body.stms.extend(more.stms);
            traced.lambda.body.results.push(all);
        }
        Ok(traced)
    }

    pub(super) fn scattered(&self, at: Span, to: &Operand, indices: Atom, values: Atom) -> Outcome<Operand> {
        let scatter = Scatter { destination: to.atom, indices, values };
        Ok(Operand { atom: self.one(at, Op::Scatter(Box::new(scatter)))?, of: to.of.clone() })
    }

    /// Whether an operator is a sum, as its text says.
    fn is_addition(&self, at: Span, operator: Kept, element: &Of, call: &Call<'_, Operand>) -> Outcome<bool> {
        let params = vec![element.clone(), element.clone()];
        let traced = self.traced(at, params, &mut |pair| call(operator, pair))?;
        Ok(!traced.checked && traced.lambda.is_sum())
    }

    fn added(
        &self,
        at: Span,
        destination: &Operand,
        arrays: &[Operand],
        function: &mut Code<'_, Operand>,
    ) -> Outcome<Vec<Operand>> {
        let accumulator = self.one(at, Op::ToAccumulator(destination.atom))?;
        let of = Of { writes: Some(Writes::Adding), ..destination.of.clone() };
        let variables = self.variables();
        self.open();
        let (mut params, mut elements) = (Vec::new(), Vec::new());
        for array in arrays {
            let (var, element) = self.fresh(array.of.inner(1));
            params.push(var);
            elements.push(element);
        }
        let (var, through) = self.fresh(of.outside(variables));
        params.push(var);
        elements.insert(0, through);
        let [Operand { atom: result, .. }] = function(elements)?[..] else {
            return Err(super::site::ill_typed(at, "the function answers an accumulator"));
        };
        let check = self.check_of_scope(at)?;
        let results = check.into_iter().chain([result]).collect();
        let (body, _) = self.close(at, results)?;
        let arrays = arrays.iter().map(|array| array.atom).collect();
        let map = Map { function: Lambda { params, body }, arrays, accumulators: vec![accumulator] };
        let results = self.emit(at, Op::Map(Box::new(map)))?;
        let [checks @ .., accumulator] = &results[..] else {
            return Err(super::site::ill_typed(at, "the map answers an accumulator"));
        };
        for check in checks {
            self.add_check(self.largest(at, *check)?);
        }
        let atom = self.one(at, Op::FromAccumulator(*accumulator))?;
        Ok(vec![Operand { atom, of: destination.of.clone() }])
    }

    /// Whether all elements of two arrays of one shape are equal.
    pub(super) fn equal_elements(&self, at: Span, first: &Operand, second: &Operand) -> Outcome<Atom> {
        let params = vec![first.of.inner(1), second.of.inner(1)];
        let equal = self.traced(at, params, &mut |pair| {
            let atom = if pair[0].of.shape.is_empty() {
                self.raw(at, ScalarOp::Equal, &[pair[0].atom, pair[1].atom])?
            } else {
                self.equal_elements(at, &pair[0], &pair[1])?
            };
            Ok(vec![Operand::scalar(atom, Prim::Bool)])
        })?;
        let equal = self.mapped(at, equal, vec![first.atom, second.atom])?[0];
        let both = self.on_scalars(at, [Prim::Bool; 2], |both| self.raw(at, ScalarOp::Mul, &both))?;
        self.one(at, Op::Reduce(reduction(both, Atom::Const(Const::Bool(true)), equal)))
    }
}
