//! Values written into bins.
//!
//! Law: values are combined with what is there from the first to the last, so the results are those of the sequential reading of
//! a program, to the last bit (tests/language/interpret.rs).

use super::Interpreter;
use super::array::{Array, Data};
use super::promise::arrays_of;
use crate::futhark::meaning::{Code, Meaning, Outcome};
use crate::futhark::source::Span;
use crate::interpret::row;

impl Interpreter {
    /// Values combined with what is at places of the bins, one after the other; without an operator they replace it.
    pub(super) fn combined(
        &self,
        at: Span,
        bins: Vec<Data>,
        mut operator: Option<&mut Code<'_, Data>>,
        indices: &Data,
        values: Vec<Data>,
    ) -> Outcome<Vec<Data>> {
        let mut bins = arrays_of(bins);
        let size = bins.first().map_or(0, Array::len);
        let values = arrays_of(values);
        for (i, index) in indices.elements().iter().enumerate() {
            self.step(at)?;
            let Some(bin) = usize::try_from(index.integer()).ok().filter(|bin| *bin < size) else { continue };
            let value: Vec<Data> = row(&values, i).collect();
            bins = self.written(at, bins, bin, value, operator.as_deref_mut())?;
        }
        Ok(bins.into_iter().map(Data::Array).collect())
    }

    pub(super) fn written(
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
}
