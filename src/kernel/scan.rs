//! Scans.
//!
//! Law: where it is not a statement of its own, a scan by an operator on scalars over many elements is one over blocks of them,
//! which depend on its length alone: each block is reduced by a lane, what the blocks start from is found in turn, and each lane
//! scans its block from there. Any operator that is associative has the results it had (tests/execute/scans.rs).

use super::blocks::{Blocks, ELEMENTS, FETCHED, Sources};
use super::code::{Buffer, Operand, Stm as Code};
use super::emit::Emit;
use super::scan_levels::MIN_LENGTH;
use super::view::{Array, Bound, Form, View};
use super::{Lowering, Step};
use crate::array::{Agreement, Atom, Const, IntegerRow, Reduce, ScalarOp, Var};

/// Fewer elements than this are taken from the first to the last.
pub(crate) const MIN_BLOCKED_LENGTH: i64 = 1 << 14;
impl<'p> Emit<'p> {
    /// Room for arrays like these.
    pub(super) fn room_for_all(&mut self, arrays: &[Array<'p>]) -> Step<Vec<View>> {
        arrays.iter().map(|array| self.room_for(array.prim, &array.sizes)).collect()
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
                let element = this.element(rest, index)?;
                this.operate(&it.operator, [state, &[element]].concat())
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
        let sources = self.sources(arrays)?;
        let blocks = self.emit.blocks(length, Operand::int(ELEMENTS));
        let [totals, starts] = [(); 2].map(|()| arrays.iter().map(|array| self.emit.new_buffer(array.prim)).collect());
        let rows = |this: &mut Self, buffers: Vec<Buffer>| -> Step<Vec<View>> {
            buffers.into_iter().map(|buffer| this.emit.allocate(buffer, &[blocks.count])).collect()
        };
        let (totals, starts) = (rows(self, totals)?, rows(self, starts)?);

        let written: Vec<_> = totals.iter().map(|view| (view.clone(), vec![blocks.count])).collect();
        self.side_by_side(blocks.count, &written, &mut |this, block| {
            let found = this.reduce_block(it, &sources, blocks, block)?;
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
            this.scan_block(it, &sources, &results, blocks, block, state)
        })?;

        // What is left is less than what is fetched of each block.
        let done = self.emit.mul(blocks.count, blocks.each);
        let rest = self.emit.scalar(IntegerRow::Sub, &[length, done]);
        let scanned = self.iterate(rest, end, &mut |this, k, state| {
            let at = this.emit.add(done, k);
            let found = this.next(it, &sources, state, at)?;
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
        sources: &Sources<'p>,
        state: &[Bound<'p>],
        index: Operand,
    ) -> Step<Vec<Bound<'p>>> {
        let elements = self.elements_of(sources, index)?;
        self.operate(&it.operator, [state, &elements].concat())
    }

    /// What the operator makes of the elements of a block.
    fn reduce_block(
        &mut self,
        it: &'p Reduce,
        sources: &Sources<'p>,
        blocks: Blocks,
        block: Operand,
    ) -> Step<Vec<Bound<'p>>> {
        let first = self.emit.block_from(sources, blocks.each, block, Operand::int(0));
        let begun = self.elements_of(&first, Operand::int(0))?;
        let others = self.emit.block_from(sources, blocks.each, block, Operand::int(1));
        let fetches = self.emit.add(blocks.fetches, Operand::int(-1));
        let room = self.emit.room(sources)?;
        let state = self.iterate(fetches, begun, &mut |this, time, state| {
            let near = this.near(&others, time, &room)?;
            this.iterate(Operand::int(FETCHED), state.to_vec(), &mut |this, k, state| this.next(it, &near, state, k))
        })?;
        let rest = self.emit.add(blocks.each, Operand::int(1 - FETCHED));
        let rest = self.emit.block_from(sources, blocks.each, block, rest);
        self.iterate(Operand::int(FETCHED - 1), state, &mut |this, k, state| this.next(it, &rest, state, k))
    }

    /// Scans the elements of a block from a state on.
    fn scan_block(
        &mut self,
        it: &'p Reduce,
        sources: &Sources<'p>,
        results: &[Array<'p>],
        blocks: Blocks,
        block: Operand,
        state: Vec<Bound<'p>>,
    ) -> Step<()> {
        let sources = self.emit.block_from(sources, blocks.each, block, Operand::int(0));
        let own = |array: &Array<'p>| self.emit.of_block(array, blocks.each, block, Operand::int(0));
        let results: Vec<Array<'p>> = results.iter().map(own).collect();
        let room = self.emit.room(&sources)?;
        let kept: Vec<View> = results.iter().map(|array| self.emit.fetched_room(array.prim)).collect::<Step<_>>()?;
        let scanned = self.iterate(blocks.fetches, state, &mut |this, time, state| {
            let put: Vec<Array<'p>> = results.iter().map(|array| this.emit.fetched(array, time)).collect();
            let near = this.near(&sources, time, &room)?;
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
