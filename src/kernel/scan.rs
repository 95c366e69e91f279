//! Scans.
//!
//! Law: a scan by an operator on scalars over many elements is one over blocks of them, which depend on its length
//! alone: each block is reduced by a lane, what the blocks start from is found in turn, and each lane scans its block
//! from there. Any operator that is associative has the results it had (tests/execute/scans.rs).

use super::code::{Buffer, Operand, Stm as Code};
use super::emit::Emit;
use super::view::{Array, Bound, Form, View};
use super::{Lowering, Step};
use crate::array::{Agreement, Atom, Const, IntegerRow, Prim, Reduce, ScalarOp, Var};

/// Fewer elements than this are taken from the first to the last.
pub(super) const MANY: i64 = 1 << 14;
/// How many blocks a set of them has, how many sets there are at most, and the elements that call for another set.
const SET: i64 = 128;
const SETS: i64 = 16;
pub(super) const ELEMENTS: i64 = 1 << 17;
/// How many elements of a block are fetched, and put back, at once.
pub(super) const FETCHED: i64 = 8;

/// Blocks of elements: how many, the elements of each, and how often some are fetched.
#[derive(Clone, Copy)]
pub(super) struct Blocks {
    pub(super) count: Operand,
    pub(super) each: Operand,
    pub(super) fetches: Operand,
}

/// Blocks of arrays that are in memory.
impl<'p> Emit<'p> {
    /// Divides `length` elements into blocks and a remainder; every `elements` elements add a set of blocks.
    pub(super) fn blocks(&mut self, length: Operand, elements: Operand) -> Blocks {
        let quot = |emit: &mut Self, a: Operand, b: Operand| emit.scalar(IntegerRow::Quot, &[a, b]);
        let sets = quot(self, length, elements);
        let sets = self.scalar(IntegerRow::Max, &[sets, Operand::int(1)]);
        let sets = self.scalar(IntegerRow::Min, &[sets, Operand::int(SETS)]);
        let count = self.mul(sets, Operand::int(SET));
        let fetched = self.mul(count, Operand::int(FETCHED));
        let fetches = quot(self, length, fetched);
        Blocks { count, fetches, each: self.mul(fetches, Operand::int(FETCHED)) }
    }

    /// The arrays from one element of a block on.
    pub(super) fn block_from(
        &mut self,
        arrays: &[Array<'p>],
        blocks: Blocks,
        block: Operand,
        from: Operand,
    ) -> Vec<Array<'p>> {
        let part = |array: &Array<'p>| {
            let Form::Memory(View { origin, strides }) = array.form.clone() else { panic!("this array is in memory") };
            let far = self.mul(blocks.each, strides[0]);
            let origin = origin.advance(self, block, far);
            let origin = origin.advance(self, from, strides[0]);
            Array { form: Form::Memory(View { origin, strides }), ..array.clone() }
        };
        arrays.iter().map(part).collect()
    }

    /// As many elements as are fetched at once, and which of these times it is.
    pub(super) fn fetched(&mut self, arrays: &[Array<'p>], time: Operand) -> Vec<Array<'p>> {
        let part = |array: &Array<'p>| {
            let Form::Memory(View { origin, strides }) = array.form.clone() else { panic!("this array is in memory") };
            let far = self.mul(Operand::int(FETCHED), strides[0]);
            let origin = origin.advance(self, time, far);
            let sizes = vec![Operand::int(FETCHED)];
            Array { sizes, form: Form::Memory(View { origin, strides }), ..array.clone() }
        };
        arrays.iter().map(part).collect()
    }

    /// Room near to the lane for what is fetched of reals.
    pub(super) fn room(&mut self, arrays: &[Array<'p>]) -> Step<Vec<Option<View>>> {
        let mut room = Vec::new();
        for array in arrays {
            let buffer = array.prim.is_real().then(|| self.new_buffer(array.prim));
            room.push(buffer.map(|buffer| self.allocate(buffer, &[Operand::int(FETCHED)])).transpose()?);
        }
        Ok(room)
    }
}

impl<'p> Lowering<'p> {
    pub(super) fn scan(&mut self, it: &'p Reduce) -> Step<Vec<Bound<'p>>> {
        let arrays = self.env.arrays(&it.arrays);
        let length = self.emit.common_length(Agreement::Scanned, &arrays);
        let mut views = Vec::new();
        for array in &arrays {
            let buffer = self.emit.new_buffer(array.prim);
            views.push(self.emit.allocate(buffer, &array.sizes)?);
        }
        let many = self.emit.scalar(ScalarOp::LessOrEqual, &[Operand::int(MANY), length]);
        let scalars = arrays.iter().all(|array| array.sizes.len() == 1);
        self.emit.open(false);
        let blocks = if self.emit.lanes.is_none() && !self.emit.stepwise && scalars && self.emit.at.mask.is_none() {
            self.attempt(|this| this.scan_blocks(it, &arrays, length, &views))
        } else {
            Err(super::Unsupported("a scan in a lane"))
        };
        let yes = self.emit.close();
        if blocks.is_ok() {
            self.emit.open(false);
            self.scan_in_turn(it, &arrays, length, &views)?;
            let no = self.emit.close();
            self.emit.push(Code::If { condition: many, yes, no });
        } else {
            self.scan_in_turn(it, &arrays, length, &views)?;
        }
        let done = |(array, view): (Array<'p>, View)| {
            self.emit.changed(view.origin.buffer);
            Bound::Array(Array { form: Form::Memory(view), ..array })
        };
        Ok(arrays.into_iter().zip(views).map(done).collect())
    }

    /// An array whose first element is another than the others, which are all the same, for a scan.
    pub(super) fn led(&mut self, var: Var, a: Atom, indices: &[Atom], new: Atom) -> Option<Bound<'p>> {
        let is_led = self.pending.is_led(var) && indices == [Atom::Const(Const::I64(0))];
        let (Bound::Array(array), new) = (self.env.atom(a), self.env.atom(new)) else { return None };
        let (Form::Replicate(rest), Bound::Scalar(_)) = (&array.form, &new) else { return None };
        if !is_led || array.sizes.len() != 1 || !array.prim.is_real() {
            return None;
        }
        let length = array.sizes[0];
        self.emit.bounds(Operand::int(0), length);
        let rest = Array {
            sizes: vec![self.emit.add(length, Operand::int(-1))],
            form: Form::Replicate(rest.clone()),
            ..array
        };
        let parts = vec![new, Bound::Array(rest)];
        Some(Bound::Array(Array { sizes: vec![length], form: Form::Parts(parts), ..array }))
    }

    fn scan_in_turn(&mut self, it: &'p Reduce, arrays: &[Array<'p>], length: Operand, views: &[View]) -> Step<()> {
        if let [Array { form: Form::Parts(parts), .. }] = arrays
            && let [first @ Bound::Scalar(_), Bound::Array(rest)] = &parts[..]
        {
            // Each element is what was found before, so that what is the same for all others is nowhere in memory.
            let neutral = self.env.atom(it.neutral[0]);
            let begun = self.operate(&it.operator, vec![neutral, first.clone()])?;
            let begun = begun.into_iter().map(|state| (state, false)).collect();
            return self
                .iterate(Some(length), begun, None, &mut |this, index, state| {
                    this.keep(state, views, index)?;
                    this.next(it, core::slice::from_ref(rest), state, index)
                })
                .map(drop);
        }
        self.fold(it, arrays, length, false, &mut |this, index, found| this.keep(found, views, index)).map(drop)
    }

    /// Stores values at an index.
    fn keep(&mut self, found: &[Bound<'p>], views: &[View], index: Operand) -> Step<()> {
        let mut stores = Vec::new();
        for (found, view) in found.iter().zip(views) {
            stores.push((found.clone(), view.part(&mut self.emit, &[index])));
        }
        self.store_all(stores)
    }

    fn scan_blocks(&mut self, it: &'p Reduce, arrays: &[Array<'p>], length: Operand, views: &[View]) -> Step<()> {
        let arrays = self.all_in_memory(arrays)?;
        let blocks = self.emit.blocks(length, Operand::int(ELEMENTS));
        let prims: Vec<Prim> = arrays.iter().map(|array| array.prim).collect();
        let [totals, starts] =
            [(); 2].map(|()| prims.iter().map(|prim| self.emit.new_buffer(*prim)).collect::<Vec<_>>());
        let rows = |this: &mut Self, buffers: &[Buffer]| -> Step<Vec<View>> {
            buffers.iter().map(|buffer| this.emit.allocate(*buffer, &[blocks.count])).collect()
        };
        let (totals, starts) = (rows(self, &totals)?, rows(self, &starts)?);

        let written: Vec<_> = totals.iter().map(|view| (view.clone(), vec![blocks.count])).collect();
        let lanes = self.lanes(blocks.count, &written, &mut |this, block| {
            let found = this.reduce_block(it, &arrays, blocks, block)?;
            this.keep(&found, &totals, block)?;
            Ok(Vec::new())
        })?;
        self.emit.push(Code::Lanes(Box::new(lanes)));
        totals.iter().for_each(|view| self.emit.changed(view.origin.buffer));

        let neutral = it.neutral.iter().map(|e| (self.env.atom(*e), false)).collect();
        let end = self.iterate(Some(blocks.count), neutral, None, &mut |this, block, state| {
            this.keep(state, &starts, block)?;
            let totals = totals.iter().map(|view| view.load(&mut this.emit, block)).collect::<Vec<_>>();
            this.operate(&it.operator, [state, &totals].concat())
        })?;
        starts.iter().for_each(|view| self.emit.changed(view.origin.buffer));

        let result = |(array, view): (&Array<'p>, &View)| Array { form: Form::Memory(view.clone()), ..array.clone() };
        let results: Vec<Array<'p>> = arrays.iter().zip(views).map(result).collect();
        let written: Vec<_> = views
            .iter()
            .map(|view| {
                let sizes = vec![blocks.count, blocks.each];
                (View::whole(&mut self.emit, view.origin.buffer, &sizes), sizes)
            })
            .collect();
        let lanes = self.lanes(blocks.count, &written, &mut |this, block| {
            let state = starts.iter().map(|view| (view.load(&mut this.emit, block), false)).collect();
            this.scan_block(it, [&arrays, &results], blocks, block, state)?;
            Ok(Vec::new())
        })?;
        self.emit.push(Code::Lanes(Box::new(lanes)));

        // What is left is less than what is fetched of each block.
        let done = self.emit.mul(blocks.count, blocks.each);
        let rest = self.emit.scalar(IntegerRow::Sub, &[length, done]);
        let end = end.into_iter().map(|state| (state, false)).collect();
        self.iterate(Some(rest), end, None, &mut |this, k, state| {
            let at = this.emit.add(done, k);
            let found = this.next(it, &arrays, state, at)?;
            this.keep(&found, views, at)?;
            Ok(found)
        })?;
        Ok(())
    }

    /// Arrays of scalars in memory.
    pub(super) fn all_in_memory(&mut self, arrays: &[Array<'p>]) -> Step<Vec<Array<'p>>> {
        let mut settled = Vec::new();
        for bound in self.settled_all(arrays.iter().cloned().map(Bound::Array).collect())? {
            let Bound::Array(array) = bound else { unreachable!("an array is settled as one") };
            let form = Form::Memory(self.in_memory(&array)?);
            settled.push(Array { form, ..array });
        }
        Ok(settled)
    }

    /// What the operator makes of the state and the elements at an index.
    fn next(
        &mut self,
        it: &'p Reduce,
        arrays: &[Array<'p>],
        state: &[Bound<'p>],
        index: Operand,
    ) -> Step<Vec<Bound<'p>>> {
        let mut operands = state.to_vec();
        for array in arrays {
            let element = self.element(array, index)?;
            operands.push(element);
        }
        self.operate(&it.operator, operands)
    }

    /// What is fetched, reals near to the lane.
    pub(super) fn near(&mut self, fetched: Vec<Array<'p>>, room: &[Option<View>]) -> Step<Vec<Array<'p>>> {
        let (mut near, mut stores) = (Vec::new(), Vec::new());
        for (array, room) in fetched.into_iter().zip(room) {
            near.push(match room {
                Some(view) => {
                    stores.push((Bound::Array(array.clone()), view.clone()));
                    Array { form: Form::Memory(view.clone()), ..array }
                }
                None => array,
            });
        }
        self.store_all(stores)?;
        room.iter().flatten().for_each(|view| self.emit.changed(view.origin.buffer));
        Ok(near)
    }

    /// What the operator makes of the elements of a block.
    fn reduce_block(
        &mut self,
        it: &'p Reduce,
        arrays: &[Array<'p>],
        blocks: Blocks,
        block: Operand,
    ) -> Step<Vec<Bound<'p>>> {
        let first = self.emit.block_from(arrays, blocks, block, Operand::int(0));
        let first: Vec<_> = first.iter().map(|a| self.element(a, Operand::int(0))).collect::<Step<_>>()?;
        let others = self.emit.block_from(arrays, blocks, block, Operand::int(1));
        let begun = first.into_iter().map(|element| (element, false)).collect();
        let fetches = self.emit.add(blocks.fetches, Operand::int(-1));
        let room = self.emit.room(arrays)?;
        let state = self.iterate(Some(fetches), begun, None, &mut |this, time, state| {
            let fetched = this.emit.fetched(&others, time);
            let near = this.near(fetched, &room)?;
            let state = state.iter().map(|state| (state.clone(), false)).collect();
            this.iterate(Some(Operand::int(FETCHED)), state, None, &mut |this, k, state| this.next(it, &near, state, k))
        })?;
        let rest = self.emit.add(blocks.each, Operand::int(1 - FETCHED));
        let rest = self.emit.block_from(arrays, blocks, block, rest);
        let state = state.into_iter().map(|state| (state, false)).collect();
        self.iterate(Some(Operand::int(FETCHED - 1)), state, None, &mut |this, k, state| this.next(it, &rest, state, k))
    }

    /// Scans the elements of a block from a state on.
    fn scan_block(
        &mut self,
        it: &'p Reduce,
        [arrays, results]: [&[Array<'p>]; 2],
        blocks: Blocks,
        block: Operand,
        state: Vec<(Bound<'p>, bool)>,
    ) -> Step<()> {
        let arrays = self.emit.block_from(arrays, blocks, block, Operand::int(0));
        let results = self.emit.block_from(results, blocks, block, Operand::int(0));
        let room = self.emit.room(&arrays)?;
        let mut kept = Vec::new();
        for array in &results {
            let buffer = self.emit.new_buffer(array.prim);
            kept.push(self.emit.allocate(buffer, &[Operand::int(FETCHED)])?);
        }
        self.iterate(Some(blocks.fetches), state, None, &mut |this, time, state| {
            let (fetched, put) = (this.emit.fetched(&arrays, time), this.emit.fetched(&results, time));
            let near = this.near(fetched, &room)?;
            kept.iter().for_each(|view| this.emit.changed(view.origin.buffer));
            let state = state.iter().map(|state| (state.clone(), false)).collect();
            let state = this.iterate(Some(Operand::int(FETCHED)), state, None, &mut |this, k, state| {
                let found = this.next(it, &near, state, k)?;
                this.keep(&found, &kept, k)?;
                Ok(found)
            })?;
            let mut stores = Vec::new();
            for (array, view) in put.into_iter().zip(&kept) {
                this.emit.changed(view.origin.buffer);
                let Form::Memory(to) = &array.form else { panic!("this array is in memory") };
                let to = to.clone();
                stores.push((Bound::Array(Array { form: Form::Memory(view.clone()), ..array }), to));
            }
            this.store_all(stores)?;
            Ok(state)
        })?;
        Ok(())
    }
}
