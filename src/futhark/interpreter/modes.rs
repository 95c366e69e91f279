//! Forward and reverse mode: arguments that carry derivatives in, derivatives out.
//!
//! Law: a call adds one level to the numbers it gives to its function and takes that level off the results, so what it returns
//! carries the derivatives of the calls around it, and no others (tests/language/interpret.rs).

use super::Interpreter;
use super::array::{Builder, Data};
use super::scalar::{Level, Part, Scalar, level_of_call, number_of_call};
use super::tape::{Own, Tape};
use crate::futhark::core::Prim;
use crate::futhark::meaning::{Both, Call, Code, Control, Derivative, Derivatives, Kept, Mode, Outcome};
use crate::futhark::source::{Message, Span};

fn zero(kind: Prim) -> Scalar {
    kind.zero().into()
}

/// A derivative has the shape of what it is a derivative of.
fn same(at: Span, values: &[Data], derivatives: &[Data]) -> Outcome<()> {
    for (value, derivative) in values.iter().zip(derivatives) {
        if value.shape() != derivative.shape() {
            let shown = super::array::shown;
            let text = format!(
                "a value of shape {} comes with a derivative of shape {}",
                shown(value.shape()),
                shown(derivative.shape())
            );
            return Err(Message::error("size", at, text).hint("the shapes are the same"));
        }
    }
    Ok(())
}

/// The place on the tape.
fn node(part: &Part) -> Option<u32> {
    match part {
        Part::Node(node) => Some(*node),
        Part::Tangent(_) => None,
    }
}

impl Derivatives for Interpreter {
    fn derivative(
        &self,
        at: Span,
        Derivative { mode, many }: Derivative,
        function: &mut Code<'_, Data>,
        arguments: Vec<Data>,
        seeds: Vec<Data>,
        call: &Call<'_, Data>,
    ) -> Outcome<Both<Data>> {
        if !many {
            return match mode {
                Mode::Forward => self.forward(at, function, arguments, &seeds),
                Mode::Reverse => {
                    let adjoints = &mut core::iter::once(Ok(seeds));
                    let (values, mut found) = self.backward(at, function, &arguments, adjoints, call)?;
                    Ok((values, found.pop().expect("there is an answer for each question")))
                }
            };
        }
        let count = seeds.first().and_then(|first| first.shape().first()).copied().unwrap_or(0);
        let one_of = |number: usize| seeds.iter().map(|array| array.clone().into_array().row(number)).collect();
        // Without seeds there are no derivatives of these.
        let (values, found, felt) = match mode {
            Mode::Forward if count == 0 => {
                let values = function(arguments)?;
                (values.clone(), Vec::new(), values)
            }
            Mode::Forward => {
                let (mut values, mut found) = (Vec::new(), Vec::with_capacity(count));
                for number in 0..count {
                    let tangents: Vec<Data> = one_of(number);
                    let (value, derivatives) = self.forward(at, function, arguments.clone(), &tangents)?;
                    values = value;
                    found.push(derivatives);
                }
                (values, found, Vec::new())
            }
            Mode::Reverse => {
                let mut adjoints = (0..count).map(|number| self.step(at).map(|()| one_of(number)));
                let (values, found) = self.backward(at, function, &arguments, &mut adjoints, call)?;
                (values, found, arguments)
            }
        };
        let derivatives = if found.is_empty() {
            felt.iter().map(|value| self.replicated(at, 0, value)).collect::<Outcome<_>>()?
        } else {
            self.together(at, found)?
        };
        Ok((values, derivatives))
    }

    fn with_vjp(
        &self,
        at: Span,
        function: &mut Code<'_, Data>,
        adjoint: Kept,
        arguments: Vec<Data>,
        _: &Call<'_, Data>,
    ) -> Outcome<Vec<Data>> {
        // The innermost call that the arguments carry derivatives of; if they carry none, the innermost of all.
        let goes_on = |call: &usize| !matches!(self.engine.levels.borrow()[*call], Level::Returned);
        let calls: Vec<usize> = (0..self.engine.levels.borrow().len()).rev().filter(goes_on).collect();
        let reaches = |call: &&usize| arguments.iter().any(|data| data.reaches(level_of_call(**call)));
        let call = calls.iter().find(reaches).or(calls.first()).copied();
        let call = call.filter(|call| matches!(self.engine.levels.borrow()[*call], Level::Reverse(_)));
        let Some(level) = call.map(level_of_call) else {
            return function(arguments);
        };
        let of_arguments: Vec<Vec<[Option<u32>; 2]>> = arguments
            .iter()
            .map(|data| {
                data.elements().iter().map(|scalar| scalar.of_call(level).map(|part| part.and_then(node))).collect()
            })
            .collect();
        let reals_felt = arguments
            .iter()
            .zip(&of_arguments)
            .any(|(data, nodes)| data.kind().is_real() && nodes.iter().any(|[own, _]| own.is_some()));
        let below = self.below(at, level, arguments)?;
        // Levels above are not those of the arguments, so there is nothing to keep of them but their own constants.
        let given = function(below)?;
        let values = self.below(at, level, given)?;
        // What was rounded is constant to reals, and an integer made of reals is rounded.
        let reals_made = values.iter().any(|value| value.kind().is_real());
        let nodes = of_arguments
            .into_iter()
            .map(|nodes| nodes.into_iter().map(|[own, rounded]| own.or(rounded.filter(|_| !reals_made))).collect())
            .collect();
        let mut engine_levels = self.engine.levels.borrow_mut();
        let Some(Level::Reverse(tape)) = engine_levels.get_mut(number_of_call(level)) else {
            panic!("the level of a call that goes on does not change")
        };
        let first = u32::try_from(tape.len()).expect("the limit is below 2^32 nodes");
        let mut tagged = Vec::with_capacity(values.len());
        for value in &values {
            let level = level + u32::from(reals_felt && !value.kind().is_real());
            tagged.push(value.rebuilt(at, |value| Scalar::tagged(level, value.clone(), Part::Node(tape.input())))?);
        }
        tape.call(first, Own { adjoint, results: values, arguments: nodes });
        Ok(tagged)
    }
}

impl Interpreter {
    /// Begins a call.
    fn enter(&self, level: Level) {
        self.engine.levels.borrow_mut().push(level);
    }

    /// The first level of the call that begins next.
    fn next_level(&self) -> u32 {
        level_of_call(self.engine.levels.borrow().len())
    }

    fn leave(&self) -> Level {
        self.engine.levels.borrow_mut().pop().expect("a call that is left was entered")
    }

    fn forward(
        &self,
        at: Span,
        function: &mut Code<'_, Data>,
        arguments: Vec<Data>,
        tangents: &[Data],
    ) -> Outcome<(Vec<Data>, Vec<Data>)> {
        same(at, &arguments, tangents)?;
        let level = self.next_level();
        self.enter(Level::Forward);
        let mut given = Vec::with_capacity(arguments.len());
        for (argument, tangent) in arguments.iter().zip(tangents) {
            let mut tangents = tangent.elements().iter().cloned();
            given.push(argument.rebuilt(at, |value| {
                let tangent = tangents.next().unwrap_or_else(|| zero(value.kind()));
                // An integer that does not move is constant. A real has the derivative that is given: infinity times 0 is NaN.
                let (value, is_real) = (value.clone(), value.kind().is_real());
                if tangent.is_null() && !is_real { value } else { Scalar::tagged(level, value, Part::Tangent(tangent)) }
            })?);
        }
        let results = function(given);
        self.leave();
        let results = results?;
        let mut tangents = Vec::with_capacity(results.len());
        for result in &results {
            tangents.push(result.rebuilt(at, |value| match value.of_call(level) {
                [Some(Part::Tangent(own)), Some(Part::Tangent(rounded))] => {
                    self.engine.add(own.clone(), rounded.clone())
                }
                [Some(Part::Tangent(tangent)), _] | [_, Some(Part::Tangent(tangent))] => tangent.clone(),
                _ => zero(value.kind()),
            })?);
        }
        Ok((self.below(at, level, results)?, tangents))
    }

    /// Data without what a call adds, of which this is the first level.
    fn below(&self, at: Span, level: u32, data: Vec<Data>) -> Outcome<Vec<Data>> {
        let below = |data: Data| {
            if !data.reaches(level) {
                return Ok(data);
            }
            data.rebuilt(at, |value| value.below_call(level))
        };
        data.into_iter().map(below).collect()
    }

    /// The results of a function, and for each of several adjoints of these the adjoints of the arguments.
    fn backward(
        &self,
        at: Span,
        function: &mut Code<'_, Data>,
        arguments: &[Data],
        adjoints: &mut dyn Iterator<Item = Outcome<Vec<Data>>>,
        call: &Call<'_, Data>,
    ) -> Outcome<(Vec<Data>, Vec<Vec<Data>>)> {
        let mut tape = Tape::default();
        let level = self.next_level();
        let mut given = Vec::with_capacity(arguments.len());
        for argument in arguments {
            given.push(argument.rebuilt(at, |value| Scalar::tagged(level, value.clone(), Part::Node(tape.input())))?);
        }
        let inputs = tape.len();
        let (_, before) = self.engine.edges.get();
        self.enter(Level::Reverse(tape));
        let results = function(given);
        let Level::Reverse(tape) = self.leave() else { panic!("a call that is left is the one that was entered last") };
        let results = results?;
        let values = self.below(at, level, results.clone())?;
        self.enter(Level::Returned);
        let mut swept = || -> Outcome<Vec<Vec<Data>>> {
            let mut answers = Vec::new();
            for adjoints in adjoints.collect::<Outcome<Vec<_>>>()? {
                same(at, &values, &adjoints)?;
                let mut seeds = Vec::new();
                for (result, adjoint) in results.iter().zip(&adjoints) {
                    for (element, seed) in result.elements().iter().zip(adjoint.elements()) {
                        let nodes = element.of_call(level).into_iter().flatten().filter_map(node);
                        seeds.extend(nodes.map(|node| (node, seed.clone())));
                    }
                }
                let mut found = tape.sweep(&self.engine, at, seeds, inputs, call)?.into_iter();
                let mut answer = Vec::with_capacity(arguments.len());
                for argument in arguments {
                    answer.push(
                        argument.rebuilt(at, |value| found.next().flatten().unwrap_or_else(|| zero(value.kind())))?,
                    );
                }
                answers.push(self.below(at, level, answer)?);
            }
            Ok(answers)
        };
        let answers = swept();
        self.leave();
        let (limit, _) = self.engine.edges.get();
        self.engine.edges.set((limit, before));
        Ok((values, answers?))
    }

    /// Derivatives, one after the other, as arrays of them.
    fn together(&self, at: Span, answers: Vec<Vec<Data>>) -> Outcome<Vec<Data>> {
        let mut builders = Vec::new();
        for answer in &answers {
            for (number, data) in answer.iter().enumerate() {
                if builders.len() == number {
                    builders.push(Builder::new(&self.meter, at, data.kind(), answers.len())?);
                }
                builders[number].push(at, data)?;
            }
        }
        Ok(builders.into_iter().map(|builder| builder.finish(Vec::new)).collect())
    }
}
