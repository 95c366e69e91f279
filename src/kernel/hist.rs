//! Histograms.
//!
//! Law: a value whose index is out of bounds is ignored. Sums are added by all lanes; any other operator on scalars takes blocks of
//! many values, a histogram of each by a lane, and then puts these together bin by bin, in order; and where there are
//! few values for each bin it goes from the first value to the last (tests/execute/scans.rs).

use rustc_hash::FxHashSet;

use super::code::{Broken, Operand, Stm as Code};
use super::liveness::mentioned;
use super::reduce::is_sum;
use super::scan::{ELEMENTS, FETCHED, MANY};
use super::view::{Array, Bound, Form, View};
use super::{Lowering, Step, Unsupported};
use crate::array::{Agreement, Const, Hist, IntegerRow, Prim, ScalarOp, Var};

/// How many values for each bin are worth a histogram of each block.
const EACH: i64 = 512;

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
        if is_sum(&it.operator)
            && matches!(indices.form, Form::Iota)
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
        if is_sum(&it.operator) {
            self.add_to_bins(&parts)?;
        } else {
            self.emit.open(false);
            let blocks = if self.emit.lanes.is_none()
                && !self.emit.stepwise
                && parts.views.iter().all(|view| view.strides.len() == 1)
            {
                self.attempt(|this| this.hist_blocks(it, &parts))
            } else {
                Err(Unsupported("a histogram in a lane, or of rows"))
            };
            let yes = self.emit.close();
            match blocks {
                Err(_) => self.hist_in_turn(it, &parts, Operand::int(0), length)?,
                Ok(views) => {
                    self.emit.open(false);
                    self.hist_in_turn(it, &parts, Operand::int(0), length)?;
                    let mut no = self.emit.close();
                    // The results of both are in one place.
                    let swaps = parts.views.iter().zip(&views);
                    no.extend(swaps.map(|(turn, blocks)| Code::Swap(turn.origin.buffer, blocks.origin.buffer)));
                    let many = self.emit.scalar(ScalarOp::LessOrEqual, &[Operand::int(MANY), length]);
                    let worth = self.emit.mul(bins, Operand::int(EACH));
                    let worth = self.emit.scalar(ScalarOp::LessOrEqual, &[worth, length]);
                    let condition = self.emit.scalar(ScalarOp::Mul, &[many, worth]);
                    self.emit.push(Code::If { condition, yes, no });
                    parts.views = views;
                }
            }
        }
        let done = |(destination, view): (Array<'p>, View)| {
            self.emit.changed(view.origin.buffer);
            Bound::Array(Array { form: Form::Memory(view), ..destination })
        };
        Ok(parts.destinations.into_iter().zip(parts.views).map(done).collect())
    }

    /// The sums where each of the first bins has one value, and the others have none.
    fn add_in_order(
        &mut self,
        destinations: &[Array<'p>],
        values: &[Array<'p>],
        length: Operand,
        bins: Operand,
    ) -> Step<Option<Vec<Bound<'p>>>> {
        let is_there =
            |array: &Array<'p>| array.sizes.len() == 1 && matches!(array.form, Form::Memory(_) | Form::Replicate(_));
        if !self.emit.facts.is_not_more(length, bins) || !destinations.iter().all(is_there) {
            return Ok(None);
        }
        let rest = self.emit.scalar(IntegerRow::Sub, &[bins, length]);
        let (mut results, mut written, mut others) = (Vec::new(), Vec::new(), Vec::new());
        for destination in destinations {
            let buffer = self.emit.new_buffer(destination.prim);
            let view = self.emit.allocate(buffer, &[bins])?;
            let other = destination.elements_from(&mut self.emit, length, rest).expect("the elements are there");
            others.push((Bound::Array(other), view.from(&mut self.emit, length)));
            written.push((view.clone(), vec![length]));
            results.push(Array { form: Form::Memory(view), ..destination.clone() });
        }
        self.for_each(length, false, &written, &mut |this, k| {
            let mut stores = Vec::new();
            for ((destination, value), (view, _)) in destinations.iter().zip(values).zip(&written) {
                let x = [this.element(destination, k)?, this.element(value, k)?].map(|x| scalar(&x));
                let sum = this.emit.scalar(ScalarOp::Add, &x);
                stores.push((Bound::Scalar(sum), view.part(&mut this.emit, &[k])));
            }
            this.store_all(stores)
        })?;
        self.store_all(others)?;
        written.iter().for_each(|(view, _)| self.emit.changed(view.origin.buffer));
        Ok(Some(results.into_iter().map(Bound::Array).collect()))
    }

    fn add_to_bins(&mut self, parts: &Parts<'p>) -> Step<()> {
        self.for_each(parts.length, false, &[], &mut |this, k| {
            let outside = this.emit.at.mask;
            let at = this.bin(&parts.indices, k, parts.bins)?;
            for (value, view) in parts.values.iter().zip(&parts.views) {
                let element = this.element(value, k)?;
                let bin = view.part(&mut this.emit, &[at]);
                this.add_all(&element, &bin)?;
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
                let bins = Array { form: Form::Memory(view.clone()), ..destination.clone() };
                operands.push(this.element(&bins, at)?);
                places.push(view.part(&mut this.emit, &[at]));
            }
            for value in &parts.values {
                let element = this.element(value, k)?;
                operands.push(element);
            }
            let found = this.operate(&it.operator, operands)?;
            let mut stores = Vec::new();
            for (found, place) in found.into_iter().zip(places) {
                // What was found may be the bin itself.
                let found = match found {
                    Bound::Array(array) => this.copy(array)?,
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
        let mut all = vec![parts.indices.clone()];
        all.extend(parts.values.iter().cloned());
        let all = self.all_in_memory(&all)?;
        let elements = self.emit.mul(bins, Operand::int(EACH));
        let elements = self.emit.scalar(IntegerRow::Max, &[elements, Operand::int(ELEMENTS)]);
        let blocks = self.emit.blocks(parts.length, elements);
        // It is not known what is neutral, so it is kept which bins have begun.
        let mut prims: Vec<Prim> = parts.destinations.iter().map(|array| array.prim).collect();
        prims.push(Prim::Bool);
        let mut starts: Vec<Operand> = it.neutral.iter().map(|e| self.env.scalar(*e)).collect();
        starts.push(Operand::Const(Const::Bool(false)));
        let mut found = Vec::new();
        for prim in &prims {
            let (buffer, sizes) = (self.emit.new_buffer(*prim), vec![blocks.count, bins]);
            found.push(Array { prim: *prim, form: Form::Memory(self.emit.allocate(buffer, &sizes)?), sizes });
        }
        let written: Vec<_> = found.iter().map(|array| (view(array).clone(), array.sizes.clone())).collect();
        let lanes = self.lanes(blocks.count, &written, &mut |this, block| {
            let mut own = Vec::new();
            for (prim, start) in prims.iter().zip(&starts) {
                let start = Form::Replicate(Box::new(Bound::Scalar(*start)));
                let none = Array { prim: *prim, sizes: vec![bins], form: start };
                own.push(Array { form: Form::Memory(this.copied(&none)?.1), ..none });
            }
            let all = this.emit.block_from(&all, blocks, block, Operand::int(0));
            let room = this.emit.room(&all)?;
            this.in_order(blocks.fetches, &mut |this, time| {
                let fetched = this.emit.fetched(&all, time);
                let near = this.near(fetched, &room)?;
                this.in_order(Operand::int(FETCHED), &mut |this, k| this.put_into_bin(it, &near, &own, k))
            })?;
            let mut stores = Vec::new();
            for (own, found) in own.into_iter().zip(&found) {
                this.emit.changed(view(&own).origin.buffer);
                let to = view(found).part(&mut this.emit, &[block]);
                stores.push((Bound::Array(own), to));
            }
            this.store_all(stores)?;
            Ok(Vec::new())
        })?;
        self.emit.push(Code::Lanes(Box::new(lanes)));
        found.iter().for_each(|array| self.emit.changed(view(array).origin.buffer));

        let mut results = Vec::new();
        for destination in &parts.destinations {
            let buffer = self.emit.new_buffer(destination.prim);
            results.push(self.emit.allocate(buffer, &destination.sizes)?);
        }
        let written: Vec<_> = results.iter().map(|view| (view.clone(), vec![bins])).collect();
        let lanes = self.lanes(bins, &written, &mut |this, bin| {
            let start = parts.views.iter().map(|view| (view.load(&mut this.emit, bin), false)).collect();
            let state = this.iterate(Some(blocks.count), start, None, &mut |this, block, state| {
                let mut of_block = Vec::new();
                for array in &found {
                    let place = view(array).part(&mut this.emit, &[block, bin]).origin;
                    of_block.push(Bound::Scalar(this.emit.load(place)));
                }
                let begun = scalar(&of_block.pop().expect("whether a bin has begun is last"));
                let next = this.operate(&it.operator, [state, &of_block].concat())?;
                let choose = |(next, state): (&Bound<'p>, &Bound<'p>)| {
                    Bound::Scalar(this.emit.select(begun, scalar(next), scalar(state)))
                };
                Ok(next.iter().zip(state).map(choose).collect())
            })?;
            let mut stores = Vec::new();
            for (state, view) in state.into_iter().zip(&results) {
                stores.push((state, view.part(&mut this.emit, &[bin])));
            }
            this.store_all(stores)?;
            Ok(Vec::new())
        })?;
        self.emit.push(Code::Lanes(Box::new(lanes)));
        results.iter().for_each(|view| self.emit.changed(view.origin.buffer));

        let done = self.emit.mul(blocks.count, blocks.each);
        let rest = self.emit.scalar(IntegerRow::Sub, &[parts.length, done]);
        let rest_of = Parts {
            indices: all[0].clone(),
            values: all[1..].to_vec(),
            destinations: parts.destinations.clone(),
            views: results.clone(),
            ..*parts
        };
        self.hist_in_turn(it, &rest_of, done, rest)?;
        Ok(results)
    }

    /// Puts the values at an index into the lane's own bins; the last of these say which have begun.
    fn put_into_bin(&mut self, it: &'p Hist, near: &[Array<'p>], own: &[Array<'p>], k: Operand) -> Step<()> {
        own.iter().for_each(|array| self.emit.changed(view(array).origin.buffer));
        let outside = self.emit.at.mask;
        let at = self.bin(&near[0], k, own[0].sizes[0])?;
        let places: Vec<View> = own.iter().map(|array| view(array).part(&mut self.emit, &[at])).collect();
        let mut operands: Vec<Bound<'p>> =
            places.iter().map(|place| Bound::Scalar(self.emit.load(place.origin))).collect();
        let begun = scalar(&operands.pop().expect("whether a bin has begun is last"));
        let mut values = Vec::new();
        for array in &near[1..] {
            values.push(self.element(array, k)?);
        }
        operands.extend(values.iter().cloned());
        let next = self.operate(&it.operator, operands)?;
        let choose = |(next, value): (&Bound<'p>, &Bound<'p>)| {
            Bound::Scalar(self.emit.select(begun, scalar(next), scalar(value)))
        };
        let mut stores: Vec<Bound<'p>> = next.iter().zip(&values).map(choose).collect();
        stores.push(Bound::Scalar(Operand::Const(Const::Bool(true))));
        self.store_all(stores.into_iter().zip(places).collect())?;
        self.emit.at.mask = outside;
        Ok(())
    }

    /// The bin of a value; from here on, nothing is done where there is none.
    fn bin(&mut self, indices: &Array<'p>, k: Operand, bins: Operand) -> Step<Operand> {
        let at = scalar(&self.element(indices, k)?);
        self.emit.only_within(at, bins);
        Ok(at)
    }
}

fn scalar(bound: &Bound<'_>) -> Operand {
    match bound {
        Bound::Scalar(operand) => *operand,
        Bound::Array(_) => panic!("this is a scalar"),
    }
}

fn view<'a>(array: &'a Array<'_>) -> &'a View {
    match &array.form {
        Form::Memory(view) => view,
        Form::Iota | Form::Replicate(_) | Form::Parts(_) | Form::Pending(..) => panic!("this array is in memory"),
    }
}
