//! Scans, histograms and scatters of scalars as one statement, for targets that have loops of their own for these.
//!
//! Law: the statement is written outside of loops over lanes and masks, for operators that are known, and computes what the loops
//! compute that it stands for, but for how the operator is bracketed (tests/execute/sweeps.rs, tests/execute/scans.rs).

use super::code::{Hist, Line, Operand, Scan, Stm as Code};
use super::operator::Operator;
use super::view::{Array, Bound, Form, View};
use super::{Lowering, Step};
use crate::array::{Prim, Reduce};

/// The most elements that are few.
const MAX_FEW: i64 = 64;

impl View {
    /// All elements, of a list.
    fn line(&self) -> Line {
        Line { place: self.origin, stride: self.strides[0] }
    }
}

/// Whether nothing has to be computed for an array.
fn is_there(array: &Array<'_>) -> bool {
    matches!(array.form, Form::Memory(_) | Form::Iota(..) | Form::Replicate(_))
}

impl<'p> Lowering<'p> {
    /// Whether statements of their own may be written here, of this many elements. In a loop few elements are left to what is made of
    /// the loop as a whole.
    fn sweeps_here(&self, count: Operand) -> bool {
        let few = !self.emit.at.runs_once() && count.as_int().is_some_and(|count| count <= MAX_FEW);
        self.sweeps && !few && self.emit.lanes.is_none() && !self.emit.stepwise && self.emit.at.mask.is_none()
    }

    /// A scan as a statement, if it can be one.
    pub(super) fn scan_at_once(
        &mut self,
        it: &'p Reduce,
        arrays: &[Array<'p>],
        length: Operand,
    ) -> Step<Option<Vec<Bound<'p>>>> {
        let prims: Vec<Prim> = arrays.iter().map(|array| array.prim).collect();
        let scalars = arrays.iter().all(|array| array.sizes.len() == 1);
        // What is the same for all but the first element need not be in memory.
        let led = arrays.iter().any(|array| matches!(array.form, Form::Parts(_)));
        let found = Operator::of(&it.operator, &prims).filter(|_| self.sweeps_here(length) && scalars && !led);
        let Some((operator, order)) = found else { return Ok(None) };
        let arrays = self.all_in_memory(arrays)?;
        let start = order.iter().map(|k| self.env.scalar(it.neutral[*k])).collect();
        let views = self.emit.room_for_all(&arrays)?;
        let from = order.iter().map(|k| arrays[*k].view().line()).collect();
        let to = order.iter().map(|k| Some(views[*k].line())).collect();
        let origin = self.emit.at.origin;
        self.emit.push(Code::Scan(Box::new(Scan { operator, count: length, start, from, to, origin })));
        views.iter().for_each(|view| self.emit.changed(view.origin.buffer));
        let stored = |(array, view): (&Array<'p>, View)| Bound::Array(array.stored(view));
        Ok(Some(arrays.iter().zip(views).map(stored).collect()))
    }

    /// Combines values with the bins at their indices by a statement, if it can be one; the bins are changed where they are. Sums of
    /// what a map makes are left to the lanes that make it.
    pub(super) fn hist_at_once(
        &mut self,
        operator: Option<Operator>,
        [indices, values]: [&Array<'p>; 2],
        bins: (&View, Operand),
        neutral: Operand,
    ) -> Step<bool> {
        let are_there = [indices, values].iter().all(|array| is_there(array));
        let waits =
            !are_there && !operator.is_some_and(|operator| operator != Operator::Add && operator != Operator::Last);
        let in_a_row = bins.0.strides[..] == [Operand::int(1)];
        let scalars = values.sizes.len() == 1 && indices.prim == Prim::I64 && in_a_row;
        let Some(operator) = operator.filter(|_| self.sweeps_here(indices.sizes[0]) && scalars && !waits) else {
            return Ok(false);
        };
        let all = self.all_in_memory(&[indices.clone(), values.clone()])?;
        let [indices, values] = [&all[0], &all[1]].map(|array| array.view().line());
        let (count, (to, bins)) = (all[0].sizes[0], (bins.0.line(), bins.1));
        let origin = self.emit.at.origin;
        let hist = Hist { operator, count, bins, neutral, indices, values, to, origin };
        self.emit.push(Code::Hist(Box::new(hist)));
        Ok(true)
    }
}
