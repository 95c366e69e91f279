//! The interpreter as a meaning: what it does for each operation of the evaluator.
//!
//! Law: each method does what [`Meaning`] says of it, at once (tests/language/interpret.rs).

use super::Interpreter;
use super::array::{Array, Builder, Data, shown};
use super::modes;
use super::scalar::{CHECKED, Scalar, same};
use crate::array::{Const, ScalarOp};
use crate::futhark::core::{Constant, Prim};
use crate::futhark::meaning::{Both, Call, Code, Kept, Leaf, Meaning, Outcome, Policy, RangeKind, Section};
use crate::futhark::source::{Message, Span};
use crate::interpret::{fold, row};

fn scalar(data: &Data) -> &Scalar {
    let Data::Scalar(scalar) = data else { panic!("{CHECKED}") };
    scalar
}

/// The number of elements of arrays that are the leaves of one.
fn length(arrays: &[Data]) -> usize {
    arrays.first().map_or(0, |array| array.shape()[0])
}

pub(super) fn arrays_of(data: Vec<Data>) -> Vec<Array> {
    data.into_iter().map(Interpreter::array_of).collect()
}

impl Interpreter {
    /// The shape that a type says, with 0 for what is not known.
    fn shape_of(&self, leaf: &Leaf<Data>) -> Vec<usize> {
        let size = |size: &Option<Data>| size.as_ref().map_or(0, |size| self.index(size).max(0) as usize);
        leaf.shape.iter().map(size).collect()
    }

    /// `Ok` if two shapes are one.
    pub(super) fn same_shape(&self, at: Span, wanted: &[usize], found: &[usize]) -> Outcome<()> {
        if wanted == found {
            return Ok(());
        }
        let text =
            format!("a value of shape {} is written where elements are of shape {}", shown(found), shown(wanted));
        Err(Message::error("size", at, text).hint("the shapes are the same"))
    }
}

impl Meaning for Interpreter {
    type Data = Data;

    const CONCRETE: bool = true;

    fn constant(&self, constant: Constant, kind: Prim) -> Data {
        Data::Scalar(constant.of(kind).into())
    }

    fn scalar(&self, at: Span, op: ScalarOp, _: Prim, operands: &[Data]) -> Outcome<Data> {
        let value = match operands {
            [x] => self.engine.apply(at, op, core::slice::from_ref(scalar(x))),
            _ => {
                let operands: Vec<Scalar> = operands.iter().map(|x| scalar(x).clone()).collect();
                self.engine.apply(at, op, &operands)
            }
        };
        value.map(Data::Scalar)
    }

    fn convert(&self, at: Span, _: Prim, to: Prim, operand: Data) -> Outcome<Data> {
        self.engine.apply(at, ScalarOp::Convert(to), core::slice::from_ref(scalar(&operand))).map(Data::Scalar)
    }

    fn equal(&self, _: Span, first: &Data, second: &Data) -> Outcome<Data> {
        let equal = match (first, second) {
            (Data::Scalar(first), Data::Scalar(second)) => same(first, second),
            (first, second) => {
                let mut pairs = first.elements().iter().zip(second.elements());
                first.shape() == second.shape() && pairs.all(|(first, second)| same(first, second))
            }
        };
        Ok(Data::Scalar(Const::Bool(equal).into()))
    }

    fn decide(&self, condition: &Data) -> Option<bool> {
        Some(scalar(condition).truth())
    }

    fn branch(&self, _: Span, condition: &Data, arm: &mut dyn FnMut(bool) -> Outcome<Vec<Data>>) -> Outcome<Vec<Data>> {
        arm(scalar(condition).truth())
    }

    fn repeat(
        &self,
        at: Span,
        kind: Prim,
        bound: &Data,
        initial: Vec<Data>,
        _: &Policy<Data>,
        body: &mut dyn FnMut(Data, Vec<Data>) -> Outcome<Vec<Data>>,
    ) -> Outcome<Vec<Data>> {
        let mut state = initial;
        for i in 0..self.index(bound) {
            self.step(at)?;
            state = body(self.constant(Constant::Integer(i), kind), state)?;
        }
        Ok(state)
    }

    fn repeat_while(
        &self,
        at: Span,
        initial: Vec<Data>,
        _: &Policy<Data>,
        condition: &mut Code<'_, Data>,
        body: &mut Code<'_, Data>,
    ) -> Outcome<Vec<Data>> {
        let mut state = initial;
        while condition(state.clone())?.iter().all(|answer| scalar(answer).truth()) {
            self.step(at)?;
            state = body(state)?;
        }
        Ok(state)
    }

    fn require(&self, at: Span, condition: &Data, text: &str) -> Outcome<()> {
        if scalar(condition).truth() { Ok(()) } else { Err(Message::error("assert", at, text)) }
    }

    fn same_size(&self, at: Span, wanted: &Data, found: &Data, what: &str) -> Outcome<()> {
        let (wanted, found) = (self.index(wanted), self.index(found));
        if wanted == found {
            return Ok(());
        }
        Err(Message::error("size", at, format!("{what} has a dimension of size {found}, where {wanted} is wanted")))
    }

    fn size(&self, array: &Data, dimension: usize) -> Data {
        let size = array.shape().get(dimension).expect(CHECKED);
        self.constant(Constant::Integer(*size as i128), Prim::I64)
    }

    fn array(&self, at: Span, elements: Vec<Data>, element: &Leaf<Data>) -> Outcome<Data> {
        let mut builder = Builder::new(&self.meter, at, element.kind, elements.len())?;
        elements.iter().try_for_each(|element| builder.push(at, element))?;
        Ok(builder.finish(|| self.shape_of(element)))
    }

    fn range(
        &self,
        at: Span,
        kind: Prim,
        start: &Data,
        second: Option<&Data>,
        end: &Data,
        how: RangeKind,
    ) -> Outcome<Data> {
        let (from, to) = (self.index(start), self.index(end));
        let step = second.map(|second| self.index(second) - from);
        let (step, way) = match how {
            RangeKind::Inclusive => (step.unwrap_or(1), 0_i128),
            RangeKind::Upto => (step.unwrap_or(1), 1),
            RangeKind::Downto => (step.unwrap_or(-1), -1),
        };
        // How far the last place that is allowed is away, in the direction of the steps.
        let last = (to - from) * step.signum() - way.abs();
        let least = -way.abs();
        if step == 0 || way * step < 0 || last < least {
            let text = format!("the range from {from} to {to} by {step} has no end");
            return Err(Message::error("range", at, text).hint("a range goes from its start towards its end"));
        }
        let count = usize::try_from(last.div_euclid(step.abs()) + 1).unwrap_or(usize::MAX);
        let hold = self.meter.claim(at, kind, Some(count))?;
        let mut elements = Vec::with_capacity(count);
        let Data::Scalar(first) = start else { panic!("{CHECKED}") };
        for i in 0..count {
            let distance = Const::wrapped(step.wrapping_mul(i as i128), kind).into();
            elements.push(self.engine.apply(at, ScalarOp::Add, &[first.clone(), distance])?);
        }
        Ok(Data::Array(Array::noted(vec![count], elements, hold)))
    }

    fn section(&self, at: Span, array: Data, sections: &[Section<Data>]) -> Outcome<Data> {
        self.section_of(at, Self::array_of(array), sections)
    }

    fn update(&self, at: Span, array: Data, sections: &[Section<Data>], value: Data) -> Outcome<Data> {
        self.updated(at, Self::array_of(array), sections, &value).map(Data::Array)
    }

    fn iota(&self, at: Span, count: &Data) -> Outcome<Data> {
        self.counted(at, self.count(at, count)?)
    }

    fn replicate(&self, at: Span, count: &Data, value: Data) -> Outcome<Data> {
        self.replicated(at, self.count(at, count)?, &value)
    }

    fn concat(&self, at: Span, first: Data, second: Data) -> Outcome<Data> {
        self.concatenated(at, &Self::array_of(first), &Self::array_of(second))
    }

    fn reverse(&self, at: Span, array: Data) -> Outcome<Data> {
        let array = Self::array_of(array);
        Ok(Data::Array(array.reversed(array.room(at)?)))
    }

    fn rotate(&self, at: Span, by: &Data, array: Data) -> Outcome<Data> {
        let array = Self::array_of(array);
        let size = array.len();
        let by = if size == 0 { 0 } else { self.index(by).rem_euclid(size as i128) as usize };
        self.concatenated(at, &array.rows(by, size - by), &array.rows(0, by))
    }

    fn transpose(&self, at: Span, array: Data) -> Outcome<Data> {
        let array = Self::array_of(array);
        let order: Vec<usize> = [1, 0].into_iter().chain(2..array.sizes().len()).collect();
        Ok(Data::Array(array.permuted(&order, array.room(at)?)))
    }

    fn reshape(&self, at: Span, array: Data, leading: usize, sizes: &[Data]) -> Outcome<Data> {
        self.reshaped(at, Self::array_of(array), leading, sizes)
    }

    fn filter(&self, at: Span, flags: &Data, arrays: Vec<Data>) -> Outcome<Vec<Data>> {
        let flags = Self::array_of(flags.clone());
        arrays.into_iter().map(|array| self.filtered(at, &flags, &Self::array_of(array))).collect()
    }

    fn map(
        &self,
        at: Span,
        arrays: Vec<Data>,
        results: &[Leaf<Data>],
        function: &mut Code<'_, Data>,
    ) -> Outcome<Vec<Data>> {
        let count = length(&arrays);
        let arrays = arrays_of(arrays);
        let mut builders =
            results.iter().map(|leaf| Builder::new(&self.meter, at, leaf.kind, count)).collect::<Outcome<Vec<_>>>()?;
        for i in 0..count {
            self.step(at)?;
            let result = function(row(&arrays, i).collect())?;
            builders.iter_mut().zip(&result).try_for_each(|(builder, result)| builder.push(at, result))?;
        }
        Ok(builders.into_iter().zip(results).map(|(builder, leaf)| builder.finish(|| self.shape_of(leaf))).collect())
    }

    fn reduce(
        &self,
        at: Span,
        operator: &mut Code<'_, Data>,
        _: bool,
        neutral: Vec<Data>,
        arrays: Vec<Data>,
    ) -> Outcome<Vec<Data>> {
        fold(&arrays_of(arrays), neutral, |operands| {
            self.step(at)?;
            operator(operands)
        })
    }

    fn scan(
        &self,
        at: Span,
        operator: &mut Code<'_, Data>,
        neutral: Vec<Data>,
        arrays: Vec<Data>,
    ) -> Outcome<Vec<Data>> {
        let arrays = arrays_of(arrays);
        let builder = |array: &Array| Builder::new(&self.meter, at, array.note().kind(), array.len());
        let mut builders = arrays.iter().map(builder).collect::<Outcome<Vec<_>>>()?;
        fold(&arrays, neutral, |operands| {
            self.step(at)?;
            let sums = operator(operands)?;
            builders.iter_mut().zip(&sums).try_for_each(|(builder, sum)| builder.push(at, sum))?;
            Ok(sums)
        })?;
        let finish = |(builder, array): (Builder, &Array)| builder.finish(|| array.row_sizes().to_vec());
        Ok(builders.into_iter().zip(&arrays).map(finish).collect())
    }

    fn reduce_by_index(
        &self,
        at: Span,
        bins: Vec<Data>,
        operator: &mut Code<'_, Data>,
        _: Vec<Data>,
        indices: &Data,
        values: Vec<Data>,
    ) -> Outcome<Vec<Data>> {
        self.combined(at, bins, Some(operator), indices, values)
    }

    fn scatter(&self, at: Span, destinations: Vec<Data>, indices: &Data, values: Vec<Data>) -> Outcome<Vec<Data>> {
        self.combined(at, destinations, None, indices, values)
    }

    fn stream(
        &self,
        at: Span,
        destinations: Vec<Data>,
        operator: Option<(Kept, Vec<Data>)>,
        arrays: Vec<Data>,
        function: &mut Code<'_, Data>,
        _: &Call<'_, Data>,
    ) -> Outcome<Vec<Data>> {
        let operator = operator.map(|(operator, _)| operator);
        let accumulators =
            arrays_of(destinations).into_iter().map(|array| Data::Accumulator(array, operator)).collect();
        let accumulators = fold(&arrays_of(arrays), accumulators, |operands| {
            self.step(at)?;
            function(operands)
        })?;
        Ok(arrays_of(accumulators).into_iter().map(Data::Array).collect())
    }

    fn write(
        &self,
        at: Span,
        accumulators: Vec<Data>,
        index: &Data,
        values: Vec<Data>,
        call: &Call<'_, Data>,
    ) -> Outcome<Vec<Data>> {
        let Some(bin) = usize::try_from(self.index(index)).ok().filter(|bin| *bin < length(&accumulators)) else {
            return Ok(accumulators);
        };
        let operator = accumulators.first().and_then(|first| match first {
            Data::Accumulator(_, operator) => *operator,
            Data::Scalar(_) | Data::Array(_) => None,
        });
        let mut code = |both| call(operator.expect("it is asked for only if there is one"), both);
        let code: Option<&mut Code<'_, Data>> = if operator.is_some() { Some(&mut code) } else { None };
        let bins = self.written(at, arrays_of(accumulators), bin, values, code)?;
        Ok(bins.into_iter().map(|bins| Data::Accumulator(bins, operator)).collect())
    }

    fn jvp(
        &self,
        at: Span,
        function: &mut Code<'_, Data>,
        arguments: Vec<Data>,
        tangents: Vec<Data>,
    ) -> Outcome<Both<Data>> {
        self.forward(at, function, arguments, &tangents)
    }

    fn vjp(
        &self,
        at: Span,
        function: &mut Code<'_, Data>,
        arguments: Vec<Data>,
        adjoints: Vec<Data>,
        call: &Call<'_, Data>,
    ) -> Outcome<Both<Data>> {
        let mut adjoints = Some(adjoints);
        let (values, mut answers) =
            self.backward(at, function, arguments, &mut |_| Ok(adjoints.take().into_iter().collect()), call)?;
        Ok((values, answers.pop().expect("there is an answer for each question")))
    }

    fn jmp(
        &self,
        at: Span,
        function: &mut Code<'_, Data>,
        arguments: Vec<Data>,
        tangents: Vec<Data>,
    ) -> Outcome<Both<Data>> {
        let count = modes::how_many(&tangents);
        if count == 0 {
            let values = function(arguments)?;
            let none = values.iter().map(|value| self.replicated(at, 0, value)).collect::<Outcome<_>>()?;
            return Ok((values, none));
        }
        let mut values = Vec::new();
        let mut answers = Vec::with_capacity(count);
        for number in 0..count {
            let tangents = Self::one_of(&tangents, number);
            let (value, answer) = self.forward(at, function, arguments.clone(), &tangents)?;
            values = value;
            answers.push(answer);
        }
        let together = self.together(at, answers)?;
        Ok((values, together))
    }

    fn mjp(
        &self,
        at: Span,
        function: &mut Code<'_, Data>,
        arguments: Vec<Data>,
        adjoints: Vec<Data>,
        call: &Call<'_, Data>,
    ) -> Outcome<Both<Data>> {
        let count = modes::how_many(&adjoints);
        let mut each = |_: &[Data]| {
            let one = |number| {
                self.step(at)?;
                Ok(Self::one_of(&adjoints, number))
            };
            (0..count).map(one).collect()
        };
        let (values, answers) = self.backward(at, function, arguments.clone(), &mut each, call)?;
        if answers.is_empty() {
            let none = arguments.iter().map(|value| self.replicated(at, 0, value)).collect::<Outcome<_>>()?;
            return Ok((values, none));
        }
        let together = self.together(at, answers)?;
        Ok((values, together))
    }

    fn with_vjp(
        &self,
        at: Span,
        function: &mut Code<'_, Data>,
        results: usize,
        adjoint: Kept,
        arguments: Vec<Data>,
        _: &Call<'_, Data>,
    ) -> Outcome<Vec<Data>> {
        self.with_own_derivative(at, function, results, adjoint, arguments)
    }

    fn step(&self, at: Span) -> Outcome<()> {
        self.meter.step(at)
    }
}
