//! Scans.
//!
//! Law: where it is not a statement of its own, a scan by an operator on scalars over many elements is one over blocks of them,
//! which depend on its length alone: each block is reduced by a lane, what the blocks start from is found in turn, and each lane
//! scans its block from there. Any operator that is associative has the results it had (tests/execute/scans.rs).

use super::code::{Buffer, Operand, Stm as Code};
use super::emit::Emit;
use super::scan_levels::MIN_LENGTH;
use super::view::{Array, Bound, Form, View};
use super::{Lowering, Step};
use crate::array::{Agreement, Atom, Const, IntegerRow, Prim, Reduce, ScalarOp, Var};

/// Fewer elements than this are taken from the first to the last.
pub(crate) const MIN_BLOCKED_LENGTH: i64 = 1 << 14;
/// How many blocks a set of them has, how many sets there are at most, and the elements that call for another set.
const BLOCKS_PER_SET: i64 = 128;
const MAX_SETS: i64 = 16;
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
        let sets = self.scalar(IntegerRow::Min, &[sets, Operand::int(MAX_SETS)]);
        let count = self.mul(sets, Operand::int(BLOCKS_PER_SET));
        let fetched = self.mul(count, Operand::int(FETCHED));
        let fetches = quot(self, length, fetched);
        Blocks { count, fetches, each: self.mul(fetches, Operand::int(FETCHED)) }
    }

    /// The arrays from one element of a block on, of `each` elements a block.
    pub(super) fn block_from(
        &mut self,
        arrays: &[Array<'p>],
        each: Operand,
        block: Operand,
        from: Operand,
    ) -> Vec<Array<'p>> {
        let part = |array: &Array<'p>| {
            let View { origin, strides } = array.view().clone();
            let far = self.mul(each, strides[0]);
            let origin = origin.advance(self, block, far).advance(self, from, strides[0]);
            array.stored(View { origin, strides })
        };
        arrays.iter().map(part).collect()
    }

    /// As many elements as are fetched at once, and which of these times it is.
    pub(super) fn fetched(&mut self, arrays: &[Array<'p>], time: Operand) -> Vec<Array<'p>> {
        let part = |array: &Array<'p>| {
            let View { origin, strides } = array.view().clone();
            let far = self.mul(Operand::int(FETCHED), strides[0]);
            let origin = origin.advance(self, time, far);
            Array { sizes: vec![Operand::int(FETCHED)], ..array.stored(View { origin, strides }) }
        };
        arrays.iter().map(part).collect()
    }

    /// Room for arrays like these.
    pub(super) fn room_for_all(&mut self, arrays: &[Array<'p>]) -> Step<Vec<View>> {
        arrays.iter().map(|array| self.room_for(array.prim, &array.sizes)).collect()
    }

    /// Room near to the lane for what is fetched of reals.
    pub(super) fn room(&mut self, arrays: &[Array<'p>]) -> Step<Vec<Option<View>>> {
        let is_near = |array: &Array<'p>| array.prim.is_real().then_some(array.prim);
        arrays.iter().map(|array| is_near(array).map(|prim| self.fetched_room(prim)).transpose()).collect()
    }

    fn fetched_room(&mut self, prim: Prim) -> Step<View> {
        self.room_for(prim, &[Operand::int(FETCHED)])
    }
}

impl<'p> Lowering<'p> {
    pub(super) fn scan(&mut self, it: &'p Reduce) -> Step<Vec<Bound<'p>>> {
        let arrays = self.env.arrays(&it.arrays);
        let length = self.emit.common_length(Agreement::Scanned, &arrays);
        if let Some(scanned) = self.scan_at_once(it, &arrays, length)? {
            return Ok(scanned);
        }
        let views = self.emit.room_for_all(&arrays)?;
        let least = if self.flat { MIN_LENGTH } else { MIN_BLOCKED_LENGTH };
        let many = self.emit.scalar(ScalarOp::LessOrEqual, &[Operand::int(least), length]);
        let scalars = arrays.iter().all(|array| array.sizes.len() == 1);
        let may = self.emit.lanes.is_none() && !self.emit.stepwise && scalars && self.emit.at.mask.is_none();
        let in_blocks = |this: &mut Self| {
            this.block(false, |this| match this.flat {
                true => this.scan_in_levels(it, &arrays, length, &views),
                false => this.scan_blocks(it, &arrays, length, &views),
            })
        };
        match may.then(|| self.attempt(in_blocks)) {
            Some(Ok((yes, ()))) => {
                let (no, ()) = self.block(false, |this| this.scan_in_turn(it, &arrays, length, &views))?;
                self.emit.push(Code::If { condition: many, yes, no });
            }
            Some(Err(_)) | None => self.scan_in_turn(it, &arrays, length, &views)?,
        }
        let done = |(array, view): (Array<'p>, View)| {
            self.emit.changed(view.origin.buffer);
            Bound::Array(array.stored(view))
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
            let scanned = self.iterate(length, begun, &mut |this, index, state| {
                this.keep(state, views, index)?;
                this.next(it, core::slice::from_ref(rest), state, index)
            });
            return scanned.map(drop);
        }
        self.fold(it, arrays, length, false, &mut |this, index, found| this.keep(found, views, index)).map(drop)
    }

    /// Stores values at an index.
    pub(super) fn keep(&mut self, found: &[Bound<'p>], views: &[View], index: Operand) -> Step<()> {
        let store = |(found, view): (&Bound<'p>, &View)| (found.clone(), view.part(&mut self.emit, &[index]));
        let stores = found.iter().zip(views).map(store).collect();
        self.store_all(stores)
    }

    fn scan_blocks(&mut self, it: &'p Reduce, arrays: &[Array<'p>], length: Operand, views: &[View]) -> Step<()> {
        let arrays = self.all_in_memory(arrays)?;
        let blocks = self.emit.blocks(length, Operand::int(ELEMENTS));
        let [totals, starts] = [(); 2].map(|()| arrays.iter().map(|array| self.emit.new_buffer(array.prim)).collect());
        let rows = |this: &mut Self, buffers: Vec<Buffer>| -> Step<Vec<View>> {
            buffers.into_iter().map(|buffer| this.emit.allocate(buffer, &[blocks.count])).collect()
        };
        let (totals, starts) = (rows(self, totals)?, rows(self, starts)?);

        let written: Vec<_> = totals.iter().map(|view| (view.clone(), vec![blocks.count])).collect();
        self.side_by_side(blocks.count, &written, &mut |this, block| {
            let found = this.reduce_block(it, &arrays, blocks, block)?;
            this.keep(&found, &totals, block)
        })?;
        totals.iter().for_each(|view| self.emit.changed(view.origin.buffer));

        let neutral = it.neutral.iter().map(|e| self.env.atom(*e)).collect();
        let end = self.iterate(blocks.count, neutral, &mut |this, block, state| {
            this.keep(state, &starts, block)?;
            let totals = totals.iter().map(|view| view.load(&mut this.emit, block)).collect::<Vec<_>>();
            this.operate(&it.operator, [state, &totals].concat())
        })?;
        starts.iter().for_each(|view| self.emit.changed(view.origin.buffer));

        let results: Vec<Array<'p>> = arrays.iter().zip(views).map(|(a, view)| a.stored(view.clone())).collect();
        let sizes = [blocks.count, blocks.each];
        let part = |view: &View| (View::whole(&mut self.emit, view.origin.buffer, &sizes), sizes.to_vec());
        let written: Vec<_> = views.iter().map(part).collect();
        self.side_by_side(blocks.count, &written, &mut |this, block| {
            let state = starts.iter().map(|view| view.load(&mut this.emit, block)).collect();
            this.scan_block(it, [&arrays, &results], blocks, block, state)
        })?;

        // What is left is less than what is fetched of each block.
        let done = self.emit.mul(blocks.count, blocks.each);
        let rest = self.emit.scalar(IntegerRow::Sub, &[length, done]);
        let scanned = self.iterate(rest, end, &mut |this, k, state| {
            let at = this.emit.add(done, k);
            let found = this.next(it, &arrays, state, at)?;
            this.keep(&found, views, at)?;
            Ok(found)
        });
        scanned.map(drop)
    }

    /// Arrays of scalars in memory.
    pub(super) fn all_in_memory(&mut self, arrays: &[Array<'p>]) -> Step<Vec<Array<'p>>> {
        let settled = self.settled_all(arrays.iter().cloned().map(Bound::Array).collect())?;
        let stored = |bound: &Bound<'p>| Ok(bound.array().stored(self.in_memory(bound.array())?));
        settled.iter().map(stored).collect()
    }

    /// What the operator makes of the state and the elements at an index.
    pub(super) fn next(
        &mut self,
        it: &'p Reduce,
        arrays: &[Array<'p>],
        state: &[Bound<'p>],
        index: Operand,
    ) -> Step<Vec<Bound<'p>>> {
        let elements = self.elements_at(arrays, index)?;
        self.operate(&it.operator, [state, &elements].concat())
    }

    /// What is fetched, reals near to the lane.
    pub(super) fn near(&mut self, fetched: Vec<Array<'p>>, room: &[Option<View>]) -> Step<Vec<Array<'p>>> {
        let (mut near, mut stores) = (Vec::new(), Vec::new());
        for (array, room) in fetched.into_iter().zip(room) {
            near.push(match room {
                Some(view) => {
                    let near = array.stored(view.clone());
                    stores.push((Bound::Array(array), view.clone()));
                    near
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
        let first = self.emit.block_from(arrays, blocks.each, block, Operand::int(0));
        let begun = self.elements_at(&first, Operand::int(0))?;
        let others = self.emit.block_from(arrays, blocks.each, block, Operand::int(1));
        let fetches = self.emit.add(blocks.fetches, Operand::int(-1));
        let room = self.emit.room(arrays)?;
        let state = self.iterate(fetches, begun, &mut |this, time, state| {
            let fetched = this.emit.fetched(&others, time);
            let near = this.near(fetched, &room)?;
            this.iterate(Operand::int(FETCHED), state.to_vec(), &mut |this, k, state| this.next(it, &near, state, k))
        })?;
        let rest = self.emit.add(blocks.each, Operand::int(1 - FETCHED));
        let rest = self.emit.block_from(arrays, blocks.each, block, rest);
        self.iterate(Operand::int(FETCHED - 1), state, &mut |this, k, state| this.next(it, &rest, state, k))
    }

    /// Scans the elements of a block from a state on.
    fn scan_block(
        &mut self,
        it: &'p Reduce,
        [arrays, results]: [&[Array<'p>]; 2],
        blocks: Blocks,
        block: Operand,
        state: Vec<Bound<'p>>,
    ) -> Step<()> {
        let arrays = self.emit.block_from(arrays, blocks.each, block, Operand::int(0));
        let results = self.emit.block_from(results, blocks.each, block, Operand::int(0));
        let room = self.emit.room(&arrays)?;
        let kept: Vec<View> = results.iter().map(|array| self.emit.fetched_room(array.prim)).collect::<Step<_>>()?;
        let scanned = self.iterate(blocks.fetches, state, &mut |this, time, state| {
            let (fetched, put) = (this.emit.fetched(&arrays, time), this.emit.fetched(&results, time));
            let near = this.near(fetched, &room)?;
            kept.iter().for_each(|view| this.emit.changed(view.origin.buffer));
            let state = this.iterate(Operand::int(FETCHED), state.to_vec(), &mut |this, k, state| {
                let found = this.next(it, &near, state, k)?;
                this.keep(&found, &kept, k)?;
                Ok(found)
            })?;
            let mut stores = Vec::new();
            for (array, view) in put.into_iter().zip(&kept) {
                this.emit.changed(view.origin.buffer);
                stores.push((Bound::Array(array.stored(view.clone())), array.view().clone()));
            }
            this.store_all(stores)?;
            Ok(state)
        });
        scanned.map(drop)
    }
}
