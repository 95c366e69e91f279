//! Combinators and loops, in sequence.
//!
//! Law: elements are combined from the first to the last, so the results are those of the sequential reading of a
//! program, to the last bit (tests/language/interpret.rs).

use super::Interpreter;
use super::array::{Array, Builder, Data};
use crate::futhark::core::{Constant, Prim};
use crate::futhark::meaning::{Call, Code, Kept, Leaf, Meaning, Outcome};
use crate::futhark::source::Span;
use crate::interpret::{fold, row};

/// The number of elements of arrays that are the leaves of one.
fn length(arrays: &[Data]) -> usize {
    arrays.first().map_or(0, |array| array.shape()[0])
}

fn arrays(data: Vec<Data>) -> Vec<Array> {
    data.into_iter().map(Interpreter::array_of).collect()
}

impl Interpreter {
    pub(super) fn mapped(
        &self,
        at: Span,
        data: Vec<Data>,
        results: &[Leaf<Data>],
        function: &mut Code<'_, Data>,
    ) -> Outcome<Vec<Data>> {
        let count = length(&data);
        let data = arrays(data);
        let mut builders =
            results.iter().map(|leaf| Builder::new(&self.meter, at, leaf.kind, count)).collect::<Outcome<Vec<_>>>()?;
        for i in 0..count {
            self.step(at)?;
            let result = function(row(&data, i).collect())?;
            builders.iter_mut().zip(&result).try_for_each(|(builder, result)| builder.push(at, result))?;
        }
        Ok(builders.into_iter().zip(results).map(|(builder, leaf)| builder.finish(|| self.shape_of(leaf))).collect())
    }

    /// The shape that a type says, with 0 for what is not known.
    pub(super) fn shape_of(&self, leaf: &Leaf<Data>) -> Vec<usize> {
        let size = |size: &Option<Data>| size.as_ref().map_or(0, |size| self.index(size).max(0) as usize);
        leaf.shape.iter().map(size).collect()
    }

    pub(super) fn reduced(
        &self,
        at: Span,
        operator: &mut Code<'_, Data>,
        neutral: Vec<Data>,
        data: Vec<Data>,
        visit: &mut dyn FnMut(&[Data]) -> Outcome<()>,
    ) -> Outcome<Vec<Data>> {
        fold(&arrays(data), neutral, |operands| {
            self.step(at)?;
            let sum = operator(operands)?;
            visit(&sum)?;
            Ok(sum)
        })
    }

    pub(super) fn scanned(
        &self,
        at: Span,
        operator: &mut Code<'_, Data>,
        neutral: Vec<Data>,
        data: Vec<Data>,
    ) -> Outcome<Vec<Data>> {
        let count = length(&data);
        let mut builders =
            data.iter().map(|array| Builder::new(&self.meter, at, array.kind(), count)).collect::<Outcome<Vec<_>>>()?;
        let empty: Vec<Vec<usize>> = data.iter().map(|array| array.shape()[1..].to_vec()).collect();
        self.reduced(at, operator, neutral, data, &mut |sum| {
            builders.iter_mut().zip(sum).try_for_each(|(builder, sum)| builder.push(at, sum))
        })?;
        Ok(builders.into_iter().zip(empty).map(|(builder, empty)| builder.finish(|| empty)).collect())
    }

    /// Values combined with what is at places of the bins, one after the other; without an operator they replace it.
    pub(super) fn combined(
        &self,
        at: Span,
        bins: Vec<Data>,
        mut operator: Option<&mut Code<'_, Data>>,
        indices: &[i128],
        values: Vec<Data>,
    ) -> Outcome<Vec<Data>> {
        let size = length(&bins);
        let mut bins = arrays(bins);
        let values = arrays(values);
        for (i, index) in indices.iter().enumerate() {
            self.step(at)?;
            let Some(bin) = usize::try_from(*index).ok().filter(|bin| *bin < size) else { continue };
            let value: Vec<Data> = row(&values, i).collect();
            bins = self.written(at, bins, bin, value, operator.as_deref_mut())?;
        }
        Ok(bins.into_iter().map(Data::Array).collect())
    }

    fn written(
        &self,
        at: Span,
        bins: Vec<Array>,
        bin: usize,
        value: Vec<Data>,
        operator: Option<&mut Code<'_, Data>>,
    ) -> Outcome<Vec<Array>> {
        let value = match operator {
            None => value,
            Some(operator) => {
                let mut both: Vec<Data> = row(&bins, bin).collect();
                both.extend(value);
                operator(both)?
            }
        };
        bins.into_iter()
            .zip(value)
            .map(|(bins, value)| {
                self.same_shape(at, bins.row_sizes(), value.shape())?;
                let value = value.elements();
                bins.changed(at, |bins| bins[bin * value.len()..][..value.len()].clone_from_slice(value))
            })
            .collect()
    }

    pub(super) fn streamed(
        &self,
        at: Span,
        destinations: Vec<Data>,
        operator: Option<Kept>,
        data: Vec<Data>,
        function: &mut Code<'_, Data>,
    ) -> Outcome<Vec<Data>> {
        let accumulators = arrays(destinations).into_iter().map(|array| Data::Accumulator(array, operator)).collect();
        let accumulators = fold(&arrays(data), accumulators, |operands| {
            self.step(at)?;
            function(operands)
        })?;
        Ok(arrays(accumulators).into_iter().map(Data::Array).collect())
    }

    pub(super) fn accumulated(
        &self,
        at: Span,
        accumulators: Vec<Data>,
        index: i128,
        values: Vec<Data>,
        call: &Call<'_, Data>,
    ) -> Outcome<Vec<Data>> {
        let Some(bin) = usize::try_from(index).ok().filter(|bin| *bin < length(&accumulators)) else {
            return Ok(accumulators);
        };
        let operator = accumulators.first().and_then(|first| match first {
            Data::Accumulator(_, operator) => *operator,
            Data::Scalar(_) | Data::Array(_) => None,
        });
        let mut code = |both| call(operator.expect("it is asked for only if there is one"), both);
        let code: Option<&mut Code<'_, Data>> = if operator.is_some() { Some(&mut code) } else { None };
        let bins = self.written(at, arrays(accumulators), bin, values, code)?;
        Ok(bins.into_iter().map(|bins| Data::Accumulator(bins, operator)).collect())
    }

    pub(super) fn repeated(
        &self,
        at: Span,
        kind: Prim,
        bound: &Data,
        initial: Vec<Data>,
        body: &mut dyn FnMut(Data, Vec<Data>) -> Outcome<Vec<Data>>,
    ) -> Outcome<Vec<Data>> {
        let mut state = initial;
        let bound = self.index(bound);
        let mut i = 0;
        while i < bound {
            self.step(at)?;
            state = body(self.constant(Constant::Integer(i), kind), state)?;
            i += 1;
        }
        Ok(state)
    }
}
