//! Second-order operations: each function is traced once, with new variables for its parameters.
//!
//! Law: a check inside a function that is applied to many elements fails if it does for any of them: its number is one
//! result more of the function, and one component more of an operator (tests/language/elaborate.rs).

use super::operand::{Of, Operand, Writes};
use super::site::{Site, Traced};
use crate::array::{Atom, Const, Hist, IntegerRow, Lambda, Map, Op, Policy, Prim, Reduce, ScalarOp, Scatter, index};
use crate::futhark::meaning::{Call, Code, Kept, Leaf, Outcome};
use crate::futhark::source::{Message, Span};

impl Site {
    /// The results of a function that was traced, for each element of these arrays.
    pub(super) fn mapped(&self, at: Span, function: Traced, arrays: Vec<Atom>) -> Outcome<Vec<Atom>> {
        let map = Map { function: function.lambda, arrays, accumulators: Vec::new() };
        let mut results = self.emit(at, Op::Map(Box::new(map)))?;
        if function.checked
            && let Some(checks) = results.pop()
        {
            self.add_check(self.largest(at, checks)?);
        }
        Ok(results)
    }

    pub(super) fn map_of(
        &self,
        at: Span,
        arrays: &[Operand],
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
        let results = self.mapped(at, traced, arrays.iter().map(|array| array.atom).collect())?;
        Ok(results.into_iter().zip(known).map(|(atom, of)| Operand { atom, of: of.arrayed(Some(count)) }).collect())
    }

    /// A row whose sizes are found only when it is there, as one of the sizes that the program says, which have been compared
    /// with them: so they are known where there is no row at all.
    fn as_said(&self, at: Span, row: Operand, leaf: &Leaf<Operand>, variables: usize) -> Outcome<Operand> {
        let said: Option<Vec<Operand>> = leaf.shape.iter().cloned().collect();
        let is_found = row.of.shape.iter().zip(row.of.clone().outside(variables).shape).any(|(a, b)| *a != b);
        match said {
            Some(said) if is_found && said.len() == row.of.shape.len() => self.reshaped(at, &row, said.len(), &said),
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

    pub(super) fn reduce_of(
        &self,
        at: Span,
        operator: &mut Code<'_, Operand>,
        commutative: bool,
        neutral: &[Operand],
        arrays: &[Operand],
        is_scan: bool,
    ) -> Outcome<Vec<Operand>> {
        let elements: Vec<Of> = arrays.iter().map(|array| array.of.inner(1)).collect();
        let traced = self.operator(at, &elements, operator)?;
        let count = self.size_of(at, &arrays[0], 0)?;
        let mut it = Reduce {
            operator: traced.lambda,
            neutral: neutral.iter().map(|x| x.atom).collect(),
            arrays: arrays.iter().map(|x| x.atom).collect(),
            commutative,
        };
        if traced.checked {
            it.neutral.push(index(0));
            it.arrays.push(self.zeros(at, Prim::I64, &[count])?);
        }
        let op = if is_scan { Op::Scan(Box::new(it)) } else { Op::Reduce(Box::new(it)) };
        let mut results = self.emit(at, op)?;
        if traced.checked
            && let Some(check) = results.pop()
        {
            self.add_check(if is_scan { self.largest(at, check)? } else { check });
        }
        let known = elements.into_iter().map(|of| if is_scan { of.arrayed(Some(count)) } else { of });
        Ok(results.into_iter().zip(known).map(|(atom, of)| Operand { atom, of }).collect())
    }

    pub(super) fn hist_of(
        &self,
        at: Span,
        bins: &[Operand],
        operator: &mut Code<'_, Operand>,
        neutral: &[Operand],
        indices: &Operand,
        values: &[Operand],
    ) -> Outcome<Vec<Operand>> {
        let elements: Vec<Of> = bins.iter().map(|array| array.of.inner(1)).collect();
        let traced = self.operator(at, &elements, operator)?;
        let mut it = Hist {
            operator: traced.lambda,
            neutral: neutral.iter().map(|x| x.atom).collect(),
            destinations: bins.iter().map(|x| x.atom).collect(),
            indices: indices.atom,
            values: values.iter().map(|x| x.atom).collect(),
        };
        if traced.checked {
            it.neutral.push(index(0));
            it.destinations.push(self.zeros(at, Prim::I64, &[self.size_of(at, &bins[0], 0)?])?);
            it.values.push(self.zeros(at, Prim::I64, &[self.size_of(at, indices, 0)?])?);
        }
        let mut results = self.emit(at, Op::Hist(Box::new(it)))?;
        if traced.checked
            && let Some(checks) = results.pop()
        {
            self.add_check(self.largest(at, checks)?);
        }
        Ok(results.into_iter().zip(bins).map(|(atom, bins)| Operand { atom, of: bins.of.clone() }).collect())
    }

    pub(super) fn scatter_of(&self, at: Span, to: &Operand, indices: Atom, values: Atom) -> Outcome<Operand> {
        let scatter = Scatter { destination: to.atom, indices, values };
        Ok(Operand { atom: self.one(at, Op::Scatter(Box::new(scatter)))?, of: to.of.clone() })
    }

    pub(super) fn filter_of(&self, at: Span, flags: &Operand, arrays: &[Operand]) -> Outcome<Vec<Operand>> {
        let number = Of::scalar(Prim::I64);
        let ones = self.traced(at, vec![flags.of.inner(1)], &mut |flag| {
            Ok(vec![Operand::scalar(self.cast(at, flag[0].atom, Prim::I64)?, Prim::I64)])
        })?;
        let ones = self.mapped(at, ones, vec![flags.atom])?[0];
        let sum = || {
            self.traced(at, vec![number.clone(), number.clone()], &mut |pair| {
                Ok(vec![Operand::scalar(self.add(at, pair[0].atom, pair[1].atom)?, Prim::I64)])
            })
        };
        let reduction = |lambda: Lambda| {
            Box::new(Reduce { operator: lambda, neutral: vec![index(0)], arrays: vec![ones], commutative: true })
        };
        let places = self.one(at, Op::Scan(reduction(sum()?.lambda)))?;
        let total = self.one(at, Op::Reduce(reduction(sum()?.lambda)))?;
        // What is not kept goes to no place.
        let targets = self.traced(at, vec![flags.of.inner(1), number.clone()], &mut |x| {
            let place = self.sub(at, x[1].atom, index(1))?;
            Ok(vec![Operand::scalar(self.choose(at, x[0].atom, place, index(-1))?, Prim::I64)])
        })?;
        let targets = self.mapped(at, targets, vec![flags.atom, places])?[0];
        arrays
            .iter()
            .map(|array| {
                let mut sizes = self.sizes(at, array)?;
                sizes[0] = total;
                let atom = self.zeros(at, array.of.kind, &sizes)?;
                let of = Of::array(array.of.kind, sizes.into_iter().map(Some).collect());
                self.scatter_of(at, &Operand { atom, of }, targets, array.atom)
            })
            .collect()
    }

    /// The elements of arrays given to a function, one after the other, together with accumulators.
    pub(super) fn stream_of(
        &self,
        at: Span,
        destinations: &[Operand],
        operator: Option<(Kept, Vec<Operand>)>,
        arrays: &[Operand],
        function: &mut Code<'_, Operand>,
        call: &Call<'_, Operand>,
    ) -> Outcome<Vec<Operand>> {
        let operator = operator.map(|(operator, _)| operator);
        let adds = match (operator, destinations) {
            (Some(operator), [destination]) => self.is_addition(at, operator, &destination.of.inner(1), call)?,
            _ => false,
        };
        if adds {
            return self.added(at, &destinations[0], arrays, function);
        }
        let writes = Some(Writes::InTurn(operator));
        let count = self.size_of(at, &arrays[0], 0)?;
        let initial: Vec<Operand> =
            destinations.iter().map(|to| Operand { atom: to.atom, of: Of { writes, ..to.of.clone() } }).collect();
        let mut body = |i: Operand, mut accumulators: Vec<Operand>| {
            for array in arrays {
                let atom = self.one(at, Op::Index(array.atom, vec![i.atom]))?;
                accumulators.push(Operand { atom, of: array.of.inner(1) });
            }
            function(accumulators)
        };
        let mut results = self.counted_loop(at, Prim::I64, count, initial, Policy::KeepAll, &mut body)?;
        results.iter_mut().for_each(|result| result.of.writes = None);
        Ok(results)
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

    /// Accumulators with a value written at an index.
    pub(super) fn written(
        &self,
        at: Span,
        accumulators: Vec<Operand>,
        place: Atom,
        values: Vec<Operand>,
        call: &Call<'_, Operand>,
    ) -> Outcome<Vec<Operand>> {
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
        self.branched(at, &truth, &mut |inside| {
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
        let equal = self.mapped(at, equal, vec![first.atom, second.atom])?;
        let truth = Of::scalar(Prim::Bool);
        let both = self.traced(at, vec![truth.clone(), truth], &mut |pair| {
            Ok(vec![Operand::scalar(self.raw(at, ScalarOp::Mul, &[pair[0].atom, pair[1].atom])?, Prim::Bool)])
        })?;
        let neutral = vec![Atom::Const(Const::Bool(true))];
        let it = Reduce { operator: both.lambda, neutral, arrays: equal, commutative: true };
        self.one(at, Op::Reduce(Box::new(it)))
    }
}
