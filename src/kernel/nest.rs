//! Perfect nests of maps, as one index space each.
//!
//! Law: the lanes of a nest are the elements of all its maps, in order, and each computes what the innermost function has at its
//! element; what functions on the way compute is little, and every lane computes it for itself (laws: executors::suite,
//! tests/gpu/counts.rs).

use super::code::Operand;
use super::view::{Array, Bound, Form, View, lengthened};
use super::{Lowering, Step};
use crate::array::{Atom, Body, IntegerRow, Known, Lambda, Map, Op, Shape, Shapes, Typing};

/// Maps of which each but the last does nothing but the next one, and how many elements each has.
pub(super) struct Nest<'p> {
    maps: Vec<&'p Map>,
    counts: Vec<Operand>,
}

impl<'p> Lowering<'p> {
    /// The perfect nest that begins with a map, if its sizes are known before it runs and the target wants it as one index space.
    pub(super) fn nest(&mut self, map: &'p Map, length: Operand) -> Option<Nest<'p>> {
        if !self.wants_nests() {
            return None;
        }
        let mut maps = vec![map];
        while let Some(next) = self.only(maps[maps.len() - 1]) {
            maps.push(next);
        }
        let mut counts = vec![length];
        let mut shapes = Shapes::over(self);
        let mut arguments = shapes.all(&[&map.arrays[..], &map.accumulators].concat());
        for pair in maps.windows(2) {
            let [outer, inner] = pair else { panic!("windows of two") };
            let values = outer.arrays.len();
            let inner_or_whole = |(k, of): (usize, Shape<Operand>)| if k < values { of.inner(1) } else { of };
            let elements = arguments.into_iter().enumerate().map(inner_or_whole).collect();
            let before = &outer.function.body.stms[..outer.function.body.stms.len() - 1];
            let results = [&inner.arrays[..], &inner.accumulators].concat();
            let body = Body { stms: before.to_vec(), results };
            let Ok(found) = shapes.apply(&Lambda { params: outer.function.params.clone(), body }, elements);
            let Some(Some(count)) = found[0].sizes.first().cloned() else { break };
            counts.push(count);
            arguments = found;
        }
        maps.truncate(counts.len());
        (maps.len() > 1).then_some(Nest { maps, counts })
    }

    /// Whether nests are index spaces here: the target wants it, and no lane is open.
    fn wants_nests(&self) -> bool {
        self.flat && self.emit.lanes.is_none() && !self.emit.stepwise
    }

    /// Puts into memory what a nest would compute for each of its elements, of arrays that wait and that its outermost map goes over.
    fn settle_outermost(&mut self, map: &'p Map) -> Step<()> {
        for (param, atom) in map.function.params.iter().zip(&map.arrays) {
            let Atom::Var(var) = *atom else { continue };
            let Form::Pending(..) = self.env.array(*atom).form else { continue };
            let by_element = self.emit.program.type_of(*param).rank > 0 && self.pending.is_taken_once(*param);
            if !by_element {
                let settled = self.settled(self.env.atom(*atom))?;
                self.env.bind(var, settled);
            }
        }
        Ok(())
    }

    /// The map that is all that another does for an element, but for what costs little and what is in no memory.
    fn only(&self, map: &'p Map) -> Option<&'p Map> {
        map.only(|stm| match &stm.op {
            Op::Map(map) => self.pending.contains(map),
            op => op.costs_little(|a| self.emit.program.atom_type(a).rank == 0),
        })
    }

    /// A loop over all elements of a nest. `written` has the arrays of its results, and `row` stores those of an element.
    pub(super) fn for_each_of_nest(
        &mut self,
        Nest { maps, counts }: Nest<'p>,
        accumulators: &[Array<'p>],
        written: &[(View, Vec<Operand>)],
    ) -> Step<()> {
        self.settle_outermost(maps[0])?;
        let (depth, total) = (maps.len(), self.emit.count(&counts));
        let flat: Vec<(View, Vec<Operand>)> =
            written.iter().map(|(view, sizes)| flattened(view, sizes, depth, total)).collect();
        let innermost = maps[depth - 1];
        let nested = innermost.function.body.stms.iter().any(|stm| stm.op.is_parallel());
        self.for_each(total, nested, &flat, &mut |this, lane| {
            let at = this.coordinates(lane, &counts);
            for (map, index) in maps.iter().zip(&at) {
                let params = &map.function.params[map.arrays.len()..];
                for (param, accumulator) in params.iter().zip(accumulators) {
                    this.env.bind(*param, Bound::Array(accumulator.clone()));
                }
                if core::ptr::eq(*map, innermost) {
                    break;
                }
                this.bind_elements(map, *index, |_| true)?;
                let Body { stms, results } = &map.function.body;
                for (k, stm) in stms[..stms.len() - 1].iter().enumerate() {
                    this.statement(stm, &stms[k + 1..], results)?;
                }
            }
            let rows = this.call(innermost, at[depth - 1])?;
            this.store_rows(rows, lane, &flat)
        })
    }

    /// How many of their dimensions values are stored in at once, if that is one index space for all and more than one dimension.
    pub(super) fn flat_depth(&mut self, values: &[(Bound<'p>, View)]) -> Option<usize> {
        if !self.wants_nests() {
            return None;
        }
        let depth = values.iter().map(|(value, _)| self.elements_known(value)).min()?;
        let sizes = |value: &Bound<'p>| value.sizes()[..depth].to_vec();
        let alike = values.iter().all(|(value, _)| sizes(value) == sizes(&values[0].0));
        let mut is_dense = |(value, view): &(Bound<'p>, View)| {
            (1..depth).all(|d| self.emit.mul(view.strides[d], value.sizes()[d]) == view.strides[d - 1])
        };
        (depth > 1 && alike && values.iter().all(&mut is_dense)).then_some(depth)
    }

    /// In how many dimensions elements of a value can be had one by one.
    fn elements_known(&self, value: &Bound<'p>) -> usize {
        let Bound::Array(Array { sizes, form, .. }) = value else { return 0 };
        match form {
            Form::Memory(_) | Form::Iota => sizes.len(),
            Form::Replicate(row) => 1 + self.elements_known(row),
            Form::Parts(_) => 1,
            Form::Pending(map, _) => {
                let waits = |map: &&Map| self.pending.contains(map);
                1 + core::iter::successors(self.only(map).filter(waits), |map| self.only(map).filter(waits)).count()
            }
        }
    }

    /// Stores values in their first dimensions at once.
    pub(super) fn store_elements(&mut self, values: &[(Bound<'p>, View)], depth: usize) -> Step<()> {
        for (value, _) in values {
            if let Form::Pending(map, _) = &value.array().form {
                self.settle_outermost(map)?;
            }
        }
        let counts = values[0].0.sizes()[..depth].to_vec();
        let total = self.emit.count(&counts);
        let flat: Vec<(View, Vec<Operand>)> =
            values.iter().map(|(value, view)| flattened(view, value.sizes(), depth, total)).collect();
        let nested = flat.iter().any(|(_, sizes)| sizes.len() > 1);
        self.for_each(total, nested, &flat, &mut |this, lane| {
            let at = this.coordinates(lane, &counts);
            let mut stores = Vec::new();
            for ((value, _), (view, _)) in values.iter().zip(&flat) {
                let mut element = value.clone();
                for index in &at {
                    element = this.element(element.array(), *index)?;
                }
                stores.push((element, view.part(&mut this.emit, &[lane])));
            }
            this.store_all(stores)
        })
    }

    /// The number of an element in each dimension of an index space, of its number among all.
    fn coordinates(&mut self, lane: Operand, counts: &[Operand]) -> Vec<Operand> {
        let mut rest = lane;
        let mut at = Vec::new();
        let mut numbers = vec![lane];
        for count in counts[1..].iter().rev() {
            at.push(self.emit.scalar(IntegerRow::Rem, &[rest, *count]));
            rest = self.emit.scalar(IntegerRow::Quot, &[rest, *count]);
            numbers.push(rest);
        }
        at.push(rest);
        at.reverse();
        numbers.reverse();
        for dimensions in 2..=counts.len() {
            self.emit.is_number(numbers[dimensions - 1], &at[..dimensions], &counts[..dimensions]);
        }
        for (index, count) in at.iter().zip(counts) {
            if let Operand::Value(value) = index {
                self.emit.facts.counts(*value, *count);
            }
        }
        at
    }
}

/// The array at a view, of these sizes, with its first dimensions as one of `total` elements.
fn flattened(view: &View, sizes: &[Operand], depth: usize, total: Operand) -> (View, Vec<Operand>) {
    let strides = view.strides[depth - 1..].to_vec();
    (View { origin: view.origin, strides }, lengthened(total, &sizes[depth..]))
}
