//! Perfect nests of maps, as one index space each.
//!
//! A GPU has lanes enough for all elements of a nest, and each divides its number among the dimensions. On other targets to divide costs more
//! than the lanes gain, so there a nest is one index space where its lanes need their numbers alone: where all arrays that it goes through
//! have the elements of the result in the same order, or one element.
//!
//! Law: the lanes of a nest are the elements of all its maps, in order, and each computes what the innermost function has at its
//! element; what functions on the way compute is little, and every lane computes it for itself (laws: executors::suite,
//! tests/gpu/counts.rs, tests/execute/nests.rs).

use rustc_hash::FxHashSet;

use super::code::{Operand, Stm};
use super::parts::each;
use super::view::{Array, Bound, Form, View, lengthened};
use super::{Lowering, Step, Unsupported};
use crate::array::{Atom, Body, IntegerRow, Known, Lambda, Map, Op, Shape, Shapes, Typing, Var};

/// Maps of which each but the last does nothing but the next one, and how many elements each has.
pub(super) struct Nest<'p> {
    maps: Vec<&'p Map>,
    counts: Vec<Operand>,
}

/// An array that is written, and its sizes.
type Written = (View, Vec<Operand>);

/// What is to be done for an element, of its number, its place in each dimension, and the arrays that are written with the dimensions as one.
type OfElement<'f, 'p> = dyn FnMut(&mut Lowering<'p>, Operand, &[Operand], &[Written]) -> Step<()> + 'f;

impl<'p> Lowering<'p> {
    /// The perfect nest that begins with a map, if its sizes are known before it runs.
    pub(super) fn nest(&mut self, map: &'p Map, length: Operand) -> Option<Nest<'p>> {
        if !self.may_nest() || !self.flat && self.unsettled(map).next().is_some() {
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

    /// Whether nests may be index spaces here: no lane is open.
    fn may_nest(&self) -> bool {
        self.emit.lanes.is_none() && !self.emit.stepwise
    }

    /// The arrays that a map goes over of which a nest that begins with it would compute elements more than once.
    fn unsettled(&self, map: &'p Map) -> impl Iterator<Item = Var> {
        let pairs = map.function.params.iter().zip(&map.arrays);
        pairs.filter_map(|(param, atom)| {
            let Atom::Var(var) = *atom else { return None };
            let waits = matches!(self.env.array(*atom).form, Form::Pending(..));
            let by_element = self.emit.program.type_of(*param).rank > 0 && self.pending.is_taken_once(*param);
            (waits && !by_element).then_some(var)
        })
    }

    /// Puts into memory what a nest would compute for each of its elements, of arrays that wait and that its outermost map goes over.
    fn settle_outermost(&mut self, map: &'p Map) -> Step<()> {
        let unsettled: Vec<Var> = self.unsettled(map).collect();
        for var in unsettled {
            let settled = self.settled(self.env.atom(Atom::Var(var)))?;
            self.env.bind(var, settled);
        }
        Ok(())
    }

    /// A loop over all elements of a nest, if that is one index space here: whether it is.
    fn as_one(
        &mut self,
        counts: &[Operand],
        nested: bool,
        written: &[Written],
        row: &mut OfElement<'_, 'p>,
    ) -> Step<bool> {
        let (depth, total) = (counts.len(), self.emit.count(counts));
        let flat: Vec<Written> = written.iter().map(|(view, sizes)| flattened(view, sizes, depth, total)).collect();
        if self.flat {
            self.for_each(total, nested, &flat, &mut |this, lane| {
                let at = this.coordinates(lane, counts);
                row(this, lane, &at, &flat)
            })?;
            return Ok(true);
        }
        let found = self.attempt(|this| {
            let mut at = Vec::new();
            let (block, ()) = this.block(false, |this| {
                this.side_by_side(total, &flat, &mut |this, lane| {
                    at = this.coordinates(lane, counts);
                    row(this, lane, &at, &flat)?;
                    // The only place in a dimension of one is known, and that in all others is then the number.
                    at.retain(|at| at.value().is_some() && *at != lane);
                    Ok(())
                })
            })?;
            let block = without(block, at)
                .ok_or(Unsupported("a nest whose lanes would have to know where they are in each dimension"))?;
            block.into_iter().for_each(|stm| this.emit.push(stm));
            Ok(())
        });
        Ok(found.is_ok())
    }

    /// The map that is all that another does for an element, but for what costs little and what is in no memory.
    fn only(&self, map: &'p Map) -> Option<&'p Map> {
        map.only(|stm| match &stm.op {
            Op::Map(map) => self.pending.contains(map),
            op => op.costs_little(|a| self.emit.program.atom_type(a).rank == 0),
        })
    }

    /// A loop over all elements of a nest, if that is one index space here: whether it is. `written` has the arrays of its results.
    pub(super) fn for_each_of_nest(
        &mut self,
        Nest { maps, counts }: Nest<'p>,
        accumulators: &[Array<'p>],
        written: &[Written],
    ) -> Step<bool> {
        self.settle_outermost(maps[0])?;
        let depth = maps.len();
        let innermost = maps[depth - 1];
        let nested = innermost.function.body.stms.iter().any(|stm| stm.op.is_parallel());
        self.as_one(&counts, nested, written, &mut |this, lane, at, flat| {
            for (map, index) in maps.iter().zip(at) {
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
            this.store_rows(rows, lane, flat)
        })
    }

    /// How many of their dimensions values are stored in at once, if that is one index space for all and more than one dimension.
    pub(super) fn flat_depth(&mut self, values: &[(Bound<'p>, View)]) -> Option<usize> {
        if !self.may_nest() {
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
            Form::Memory(_) | Form::Iota(..) => sizes.len(),
            Form::Replicate(row) => 1 + self.elements_known(row),
            Form::Parts(_) => 1,
            Form::Pending(map, _) => {
                let waits = |map: &&Map| self.pending.contains(map);
                1 + core::iter::successors(self.only(map).filter(waits), |map| self.only(map).filter(waits)).count()
            }
        }
    }

    /// Stores values in their first dimensions at once, if that is one index space here: whether it is.
    pub(super) fn store_elements(&mut self, values: &[(Bound<'p>, View)], depth: usize) -> Step<bool> {
        for (value, _) in values {
            let Form::Pending(map, _) = &value.array().form else { continue };
            if !self.flat && self.unsettled(map).next().is_some() {
                return Ok(false);
            }
            self.settle_outermost(map)?;
        }
        let counts = values[0].0.sizes()[..depth].to_vec();
        let written: Vec<Written> = values.iter().map(|(value, view)| (view.clone(), value.sizes().to_vec())).collect();
        let nested = written.iter().any(|(_, sizes)| sizes.len() > depth);
        self.as_one(&counts, nested, &written, &mut |this, lane, at, flat| {
            let mut stores = Vec::new();
            for ((value, _), (view, _)) in values.iter().zip(flat) {
                let mut element = value.clone();
                for index in at {
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

/// Statements without these values and what is computed of them, if nothing but operations takes them.
fn without(mut block: Vec<Stm>, values: Vec<Operand>) -> Option<Vec<Stm>> {
    let (mut of, mut used): (FxHashSet<Operand>, _) = (values.into_iter().collect(), false);
    each(&block, &mut |stm| {
        if stm.operands().iter().any(|x| of.contains(x)) {
            match stm {
                Stm::Let(value, ..) => drop(of.insert(Operand::Value(*value))),
                _ => used = true,
            }
        }
    });
    remove(&mut block, &of);
    (!used).then_some(block)
}

/// Removes the operations that compute these values.
fn remove(block: &mut Vec<Stm>, values: &FxHashSet<Operand>) {
    block.retain(|stm| !matches!(stm, Stm::Let(value, ..) if values.contains(&Operand::Value(*value))));
    block.iter_mut().flat_map(Stm::blocks_mut).for_each(|inner| remove(inner, values));
}

/// The array at a view, of these sizes, with its first dimensions as one of `total` elements.
fn flattened(view: &View, sizes: &[Operand], depth: usize, total: Operand) -> Written {
    let strides = view.strides[depth - 1..].to_vec();
    (View { origin: view.origin, strides }, lengthened(total, &sizes[depth..]))
}
