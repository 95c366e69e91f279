//! Functions applied to the elements of arrays, one after the other.
//!
//! Law: values are combined from the first to the last, so the results are those of the sequential reading of a program, to the
//! last bit (tests/language/interpret.rs).

use super::Interpreter;
use super::array::{Array, Builder, Data, shape_of, shown};
use crate::futhark::meaning::{Call, Code, Combinators, Control, Kept, Leaf, Operator, Outcome, Reduction};
use crate::futhark::source::{Message, Span};
use crate::interpret::{fold, row};

/// The number of elements of arrays that are the leaves of one.
fn length(arrays: &[Data]) -> usize {
    arrays.first().map_or(0, |array| array.shape()[0])
}

fn arrays_of(data: Vec<Data>) -> Vec<Array> {
    data.into_iter().map(Data::into_array).collect()
}

impl Combinators for Interpreter {
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
        Ok(builders.into_iter().zip(results).map(|(builder, leaf)| builder.finish(|| shape_of(leaf))).collect())
    }

    fn reduce(
        &self,
        at: Span,
        how: Reduction,
        operator: &mut Code<'_, Data>,
        neutral: Vec<Data>,
        arrays: Vec<Data>,
    ) -> Outcome<Vec<Data>> {
        let arrays = arrays_of(arrays);
        let kept = if how == Reduction::Prefixes { &arrays[..] } else { &[] };
        let builder = |array: &Array| Builder::new(&self.meter, at, array.note().kind(), array.len());
        let mut builders = kept.iter().map(builder).collect::<Outcome<Vec<_>>>()?;
        let whole = fold(&arrays, neutral, |operands| {
            self.step(at)?;
            let sums = operator(operands)?;
            builders.iter_mut().zip(&sums).try_for_each(|(builder, sum)| builder.push(at, sum))?;
            Ok(sums)
        })?;
        if how != Reduction::Prefixes {
            return Ok(whole);
        }
        let finish = |(builder, array): (Builder, &Array)| builder.finish(|| array.row_sizes().to_vec());
        Ok(builders.into_iter().zip(&arrays).map(finish).collect())
    }

    fn combine(
        &self,
        at: Span,
        bins: Vec<Data>,
        operator: Option<Operator<'_, '_, Data>>,
        indices: &Data,
        values: Vec<Data>,
    ) -> Outcome<Vec<Data>> {
        let mut operator = operator.map(|(operator, _)| operator);
        let mut bins = arrays_of(bins);
        let size = bins.first().map_or(0, Array::len);
        let values = arrays_of(values);
        for (i, index) in indices.elements().iter().enumerate() {
            self.step(at)?;
            let Some(bin) = usize::try_from(index.integer()).ok().filter(|bin| *bin < size) else { continue };
            let value: Vec<Data> = row(&values, i).collect();
            bins = written(at, bins, bin, value, operator.as_deref_mut())?;
        }
        Ok(bins.into_iter().map(Data::Array).collect())
    }

    fn rows(
        &self,
        at: Span,
        _: [&Data; 2],
        arrays: Vec<Data>,
        elements: &[Leaf<Data>],
        function: &mut Code<'_, Data>,
    ) -> Outcome<Vec<Data>> {
        let count = length(&arrays);
        let arrays = arrays_of(arrays);
        let mut builders =
            elements.iter().map(|leaf| Builder::new(&self.meter, at, leaf.kind, count)).collect::<Outcome<Vec<_>>>()?;
        for i in 0..count {
            self.step(at)?;
            let found = arrays_of(function(row(&arrays, i).collect())?);
            for (builder, rows) in builders.iter_mut().zip(&found) {
                (0..rows.len()).try_for_each(|i| builder.push(at, &rows.row(i)))?;
            }
        }
        Ok(builders.into_iter().zip(elements).map(|(builder, leaf)| builder.finish(|| shape_of(leaf))).collect())
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
        let Some(bin) = usize::try_from(index.integer()).ok().filter(|bin| *bin < length(&accumulators)) else {
            return Ok(accumulators);
        };
        let operator = accumulators.first().and_then(|first| match first {
            Data::Accumulator(_, operator) => *operator,
            Data::Scalar(_) | Data::Array(_) => None,
        });
        let mut code = |both| call(operator.expect("it is asked for only if there is one"), both);
        let code: Option<&mut Code<'_, Data>> = if operator.is_some() { Some(&mut code) } else { None };
        let bins = written(at, arrays_of(accumulators), bin, values, code)?;
        Ok(bins.into_iter().map(|bins| Data::Accumulator(bins, operator)).collect())
    }
}

/// The bins with a value combined with what is at a place, or in its place.
fn written(
    at: Span,
    bins: Vec<Array>,
    bin: usize,
    value: Vec<Data>,
    operator: Option<&mut Code<'_, Data>>,
) -> Outcome<Vec<Array>> {
    let value = match operator {
        None => value,
        Some(operator) => operator(row(&bins, bin).chain(value).collect())?,
    };
    let put = |(bins, value): (Array, Data)| {
        let (wanted, found) = (bins.row_sizes(), value.shape());
        if wanted != found {
            let text =
                format!("a value of shape {} is written where elements are of shape {}", shown(found), shown(wanted));
            return Err(Message::error("size", at, text).hint("the shapes are the same"));
        }
        let value = value.elements();
        bins.changed(at, |bins| bins[bin * value.len()..][..value.len()].clone_from_slice(value))
    };
    bins.into_iter().zip(value).map(put).collect()
}
