//! Histograms.
//!
//! Law: a value whose index is out of bounds is ignored. Where it is not a statement of its own, all lanes add to sums, and with many
//! threads they update bins by any operation that commutes; any other operator on scalars takes blocks of many values, a histogram
//! of each by a lane, and then puts these together bin by bin, in order; and where there are few values for each bin it goes from the
//! first value to the last. Sums of values that are for neighbours, in order, are added to these in place (tests/execute/scans.rs, tests/gpu/histograms.rs).

use rustc_hash::FxHashSet;

use super::blocks::{ELEMENTS, FETCHED, Sources};
use super::code::{Broken, Operand, Stm as Code};
use super::emit::Emit;
use super::liveness::mentioned;
use super::operator::Operator;
use super::scan::MIN_BLOCKED_LENGTH;
use super::view::{Array, Bound, Form, View};
use super::{Lowering, Step};
use crate::array::{Agreement, Const, Hist, IntegerRow, Prim, ScalarOp, Var};

/// How many values for each bin are worth a histogram of each block.
const MIN_VALUES_PER_BIN: i64 = 512;

/// What a histogram is of and goes to: the bins of the values, the values, and the bins.
struct Parts<'p> {
    indices: Array<'p>,
    values: Vec<Array<'p>>,
    destinations: Vec<Array<'p>>,
    views: Vec<View>,
    length: Operand,
    bins: Operand,
}

impl<'p> Lowering<'p> {
    pub(super) fn hist(&mut self, it: &'p Hist, seen: &FxHashSet<Var>) -> Step<Vec<Bound<'p>>> {
        let (indices, values) = (self.env.array(it.indices), self.env.arrays(&it.values));
        let length = indices.sizes[0];
        let common = self.emit.common_length(Agreement::Values, &values);
        self.emit.same(Agreement::Indices, length, common);
        let destinations = self.env.arrays(&it.destinations);
        let bins = self.emit.common_length(Agreement::Bins, &destinations);
        for (destination, value) in destinations.iter().zip(&values) {
            let other = Broken::Able("a histogram of rows of other sizes than those of its values");
            destination.sizes[1..].iter().zip(&value.sizes[1..]).for_each(|(a, b)| self.emit.equal(other, *a, *b));
        }
        if it.operator.is_sum()
            && indices.is_iota()
            && let Some(sums) = self.add_in_order(&destinations, &values, length, bins)?
        {
            return Ok(sums);
        }
        // The operator may read what is changed.
        let mut seen = seen.clone();
        seen.extend(mentioned(&it.operator.body.stms, &it.operator.body.results));
        let mut views = Vec::new();
        for (k, destination) in it.destinations.iter().enumerate() {
            let others = destinations[..k].iter().chain(&destinations[k + 1..]);
            let beside: Vec<Array<'p>> = others.chain(&values).chain([&indices]).cloned().collect();
            views.push(self.own_beside(*destination, &beside, &seen)?);
        }
        let mut parts = Parts { indices, values, destinations, views, length, bins };
        let scalars = parts.views.iter().all(|view| view.strides.len() == 1);
        let first = if it.operator.is_sum() && scalars { self.first_of_run(&parts.indices) } else { None };
        if let Some(first) = first {
            self.add_to_neighbours(&parts, first)?;
        } else if !self.bins_at_once(it, &parts)? {
            match self.updates(it, &parts) {
                Some(ops) => self.update_bins(&parts, &ops)?,
                None => self.hist_of_blocks_or_in_turn(it, &mut parts)?,
            }
        }
        let done = |(destination, view): (Array<'p>, View)| {
            self.emit.changed(view.origin.buffer);
            Bound::Array(destination.stored(view))
        };
        Ok(parts.destinations.into_iter().zip(parts.views).map(done).collect())
    }

    /// Whether a histogram of scalars has become a statement of its own.
    fn bins_at_once(&mut self, it: &'p Hist, parts: &Parts<'p>) -> Step<bool> {
        let ([values], [view], [neutral]) = (&parts.values[..], &parts.views[..], &it.neutral[..]) else {
            return Ok(false);
        };
        if view.strides.len() != 1 {
            return Ok(false);
        }
        let operator = Operator::of(&it.operator, &[values.prim]).map(|(operator, _)| operator);
        let neutral = self.env.scalar(*neutral);
        self.hist_at_once(operator, [&parts.indices, values], (view, parts.bins), neutral)
    }

    /// The operations by which lanes update bins, in any order, if they can: with few threads these are sums alone.
    fn updates(&self, it: &'p Hist, parts: &Parts<'p>) -> Option<Vec<ScalarOp>> {
        let ops = it.operator.as_updates(parts.destinations.iter().map(|array| array.prim))?;
        (self.flat || ops.iter().all(|op| *op == ScalarOp::Add)).then_some(ops)
    }

    /// A histogram of each block where there are enough values, and else from the first value to the last.
    fn hist_of_blocks_or_in_turn(&mut self, it: &'p Hist, parts: &mut Parts<'p>) -> Step<()> {
        let length = parts.length;
        let are_scalars = parts.views.iter().all(|view| view.strides.len() == 1);
        let may = self.emit.lanes.is_none() && !self.emit.stepwise && are_scalars;
        let in_blocks = |this: &mut Self| this.block(false, |this| this.hist_blocks(it, parts));
        let Some(Ok((yes, views))) = may.then(|| self.attempt(in_blocks)) else {
            return self.hist_in_turn(it, parts, Operand::int(0), length);
        };
        let (mut no, ()) = self.block(false, |this| this.hist_in_turn(it, parts, Operand::int(0), length))?;
        // The results of both are in one place.
        let swaps = parts.views.iter().zip(&views);
        no.extend(swaps.map(|(turn, blocks)| Code::Swap(turn.origin.buffer, blocks.origin.buffer)));
        let many = self.emit.scalar(ScalarOp::LessOrEqual, &[Operand::int(MIN_BLOCKED_LENGTH), length]);
        let worth = self.emit.mul(parts.bins, Operand::int(MIN_VALUES_PER_BIN));
        let worth = self.emit.scalar(ScalarOp::LessOrEqual, &[worth, length]);
        let condition = self.emit.scalar(ScalarOp::Mul, &[many, worth]);
        self.emit.push(Code::If { condition, yes, no });
        parts.views = views;
        Ok(())
    }

    /// The sums where each of the first bins has one value, and the others have none, from bins that begin alike: they are stored once.
    fn add_in_order(
        &mut self,
        destinations: &[Array<'p>],
        values: &[Array<'p>],
        length: Operand,
        bins: Operand,
    ) -> Step<Option<Vec<Bound<'p>>>> {
        let is_there = |array: &Array<'p>| array.sizes.len() == 1 && matches!(array.form, Form::Replicate(_));
        if !self.emit.facts.is_not_more(length, bins) || !destinations.iter().all(is_there) {
            return Ok(None);
        }
        let rest = self.emit.scalar(IntegerRow::Sub, &[bins, length]);
        let (mut results, mut written, mut others) = (Vec::new(), Vec::new(), Vec::new());
        for destination in destinations {
            let view = self.emit.room_for(destination.prim, &[bins])?;
            let other = destination
                .elements_from(&mut self.emit, [length, rest, Operand::int(1)])
                .expect("the elements are there");
            others.push((Bound::Array(other), view.from(&mut self.emit, length)));
            written.push((view.clone(), vec![length]));
            results.push(Bound::Array(destination.stored(view)));
        }
        self.for_each(length, false, &written, &mut |this, k| {
            let mut stores = Vec::new();
            for ((destination, value), (view, _)) in destinations.iter().zip(values).zip(&written) {
                let x = [this.element(destination, k)?, this.element(value, k)?].map(|x| x.scalar());
                let sum = this.emit.scalar(ScalarOp::Add, &x);
                stores.push((Bound::Scalar(sum), view.part(&mut this.emit, &[k])));
            }
            this.store_all(stores)
        })?;
        self.store_all(others)?;
        written.iter().for_each(|(view, _)| self.emit.changed(view.origin.buffer));
        Ok(Some(results))
    }

    /// Adds values to as many bins next to each other, of those that there are.
    fn add_to_neighbours(&mut self, parts: &Parts<'p>, first: Operand) -> Step<()> {
        let Parts { values, views, length, bins, .. } = parts;
        let run = self.emit.run_within(first, *length, *bins);
        let added = values.iter().map(|value| self.values_of(run, value)).collect::<Step<Vec<_>>>()?;
        let written: Vec<(View, Vec<Operand>)> =
            views.iter().map(|view| (view.from(&mut self.emit, run.first), vec![run.count])).collect();
        self.for_each(run.count, false, &written, &mut |this, k| {
            let mut stores = Vec::new();
            for (value, (view, _)) in added.iter().zip(&written) {
                let x = [view.load(&mut this.emit, k), this.element(value, k)?].map(|x| x.scalar());
                let sum = this.emit.scalar(ScalarOp::Add, &x);
                stores.push((Bound::Scalar(sum), view.part(&mut this.emit, &[k])));
            }
            this.store_all(stores)
        })
    }

    fn update_bins(&mut self, parts: &Parts<'p>, ops: &[ScalarOp]) -> Step<()> {
        self.for_each(parts.length, false, &[], &mut |this, k| {
            let outside = this.emit.at.mask;
            let at = this.bin(&parts.indices, k, parts.bins)?;
            for ((value, view), op) in parts.values.iter().zip(&parts.views).zip(ops) {
                let element = this.element(value, k)?;
                let bin = view.part(&mut this.emit, &[at]);
                this.update_all(*op, &element, &bin)?;
            }
            this.emit.at.mask = outside;
            Ok(())
        })
    }

    /// The histogram of `count` values from one on, in order.
    fn hist_in_turn(&mut self, it: &'p Hist, parts: &Parts<'p>, from: Operand, count: Operand) -> Step<()> {
        self.in_order(count, &mut |this, k| {
            let k = this.emit.add(from, k);
            parts.views.iter().for_each(|view| this.emit.changed(view.origin.buffer));
            let outside = this.emit.at.mask;
            let at = this.bin(&parts.indices, k, parts.bins)?;
            let mut places = Vec::new();
            let mut operands = Vec::new();
            for (destination, view) in parts.destinations.iter().zip(&parts.views) {
                operands.push(this.element(&destination.stored(view.clone()), at)?);
                places.push(view.part(&mut this.emit, &[at]));
            }
            operands.extend(this.elements_at(&parts.values, k)?);
            let found = this.operate(&it.operator, operands)?;
            let mut stores = Vec::new();
            for (found, place) in found.into_iter().zip(places) {
                // What was found may be the bin itself.
                let found = match found {
                    Bound::Array(array) => this.copy(&array)?,
                    scalar @ Bound::Scalar(_) => scalar,
                };
                stores.push((found, place));
            }
            this.store_all(stores)?;
            this.emit.at.mask = outside;
            Ok(())
        })
    }

    /// A histogram of each block, put together: where the results are.
    fn hist_blocks(&mut self, it: &'p Hist, parts: &Parts<'p>) -> Step<Vec<View>> {
        let bins = parts.bins;
        let all = self.sources(&[core::slice::from_ref(&parts.indices), &parts.values].concat())?;
        let elements = self.emit.mul(bins, Operand::int(MIN_VALUES_PER_BIN));
        let elements = self.emit.scalar(IntegerRow::Max, &[elements, Operand::int(ELEMENTS)]);
        let blocks = self.emit.blocks(parts.length, elements);
        // It is not known what is neutral, so it is kept which bins have begun.
        let mut prims: Vec<Prim> = parts.destinations.iter().map(|array| array.prim).collect();
        prims.push(Prim::Bool);
        let mut starts: Vec<Operand> = it.neutral.iter().map(|e| self.env.scalar(*e)).collect();
        starts.push(Operand::Const(Const::Bool(false)));
        let mut found = Vec::new();
        for prim in &prims {
            let sizes = vec![blocks.count, bins];
            found.push(Array { prim: *prim, form: Form::Memory(self.emit.room_for(*prim, &sizes)?), sizes });
        }
        let written: Vec<_> = found.iter().map(|array| (array.view().clone(), array.sizes.clone())).collect();
        self.side_by_side(blocks.count, &written, &mut |this, block| {
            let mut own = Vec::new();
            for (prim, start) in prims.iter().zip(&starts) {
                let start = Form::Replicate(Box::new(Bound::Scalar(*start)));
                let none = Array { prim: *prim, sizes: vec![bins], form: start };
                own.push(none.stored(this.copied(&none)?.1));
            }
            let all = this.emit.block_from(&all, blocks.each, block, Operand::int(0));
            let room = this.emit.room(&all)?;
            this.in_order(blocks.fetches, &mut |this, time| {
                let near = this.near(&all, time, &room)?;
                this.in_order(Operand::int(FETCHED), &mut |this, k| this.put_into_bin(it, &near, &own, k))
            })?;
            let mut stores = Vec::new();
            for (own, found) in own.into_iter().zip(&found) {
                this.emit.changed(own.view().origin.buffer);
                let to = found.view().part(&mut this.emit, &[block]);
                stores.push((Bound::Array(own), to));
            }
            this.store_all(stores)
        })?;
        found.iter().for_each(|array| self.emit.changed(array.view().origin.buffer));

        let results = self.emit.room_for_all(&parts.destinations)?;
        let written: Vec<_> = results.iter().map(|view| (view.clone(), vec![bins])).collect();
        self.side_by_side(bins, &written, &mut |this, bin| {
            let start = parts.views.iter().map(|view| view.load(&mut this.emit, bin)).collect();
            let state = this.iterate(blocks.count, start, &mut |this, block, state| {
                let mut of_block = this.emit.loaded(&found, &[block, bin]);
                let begun = of_block.pop().expect("whether a bin has begun is last").scalar();
                let next = this.operate(&it.operator, [state, &of_block].concat())?;
                Ok(this.emit.select_all(begun, &next, state))
            })?;
            this.keep(&state, &results, bin)
        })?;
        results.iter().for_each(|view| self.emit.changed(view.origin.buffer));

        let done = self.emit.mul(blocks.count, blocks.each);
        let rest = self.emit.scalar(IntegerRow::Sub, &[parts.length, done]);
        let rest_of = Parts {
            indices: all.arrays[0].clone(),
            values: all.arrays[1..].to_vec(),
            destinations: parts.destinations.clone(),
            views: results.clone(),
            ..*parts
        };
        self.hist_in_turn(it, &rest_of, done, rest)?;
        Ok(results)
    }

    /// Puts the values at an index into the lane's own bins; the last of these say which have begun.
    fn put_into_bin(&mut self, it: &'p Hist, near: &Sources<'p>, own: &[Array<'p>], k: Operand) -> Step<()> {
        own.iter().for_each(|array| self.emit.changed(array.view().origin.buffer));
        let outside = self.emit.at.mask;
        let mut values = self.elements_of(near, k)?;
        let at = values.remove(0).scalar();
        self.emit.only_within(at, own[0].sizes[0]);
        let mut operands = self.emit.loaded(own, &[at]);
        let begun = operands.pop().expect("whether a bin has begun is last").scalar();
        operands.extend(values.iter().cloned());
        let next = self.operate(&it.operator, operands)?;
        let mut stores = self.emit.select_all(begun, &next, &values);
        stores.push(Bound::Scalar(Operand::Const(Const::Bool(true))));
        let places: Vec<View> = own.iter().map(|array| array.view().clone()).collect();
        self.keep(&stores, &places, at)?;
        self.emit.at.mask = outside;
        Ok(())
    }

    /// The bin of a value; from here on, nothing is done where there is none.
    fn bin(&mut self, indices: &Array<'p>, k: Operand, bins: Operand) -> Step<Operand> {
        let at = self.element(indices, k)?.scalar();
        self.emit.only_within(at, bins);
        Ok(at)
    }
}

impl<'p> Emit<'p> {
    /// The scalars at an index of arrays in memory.
    fn loaded(&mut self, arrays: &[Array<'p>], at: &[Operand]) -> Vec<Bound<'p>> {
        let load = |array: &Array<'p>| {
            let place = array.view().part(self, at).origin;
            Bound::Scalar(self.load(place))
        };
        arrays.iter().map(load).collect()
    }

    /// Of each two scalars the first where a condition is true, and else the second.
    fn select_all(&mut self, condition: Operand, yes: &[Bound<'p>], no: &[Bound<'p>]) -> Vec<Bound<'p>> {
        let one = |(yes, no): (&Bound<'p>, &Bound<'p>)| self.select(condition, yes.scalar(), no.scalar());
        yes.iter().zip(no).map(one).map(Bound::Scalar).collect()
    }
}
