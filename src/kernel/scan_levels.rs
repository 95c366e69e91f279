//! Scans for machines of many threads: blocks of elements, blocks of what these come to, and so on.
//!
//! Law: elements are combined in their order, so that any associative operator has the results that it had; no thread goes through
//! more than a few elements, but for the last, which goes through what few blocks come to (laws: executors::suite,
//! tests/gpu/sizes.rs).
//!
//! It is the scan of three phases (reduce, scan, scan) of "Parallel Prefix Sum (Scan) with CUDA", with sequential blocks.

use super::blocks::Sources;
use super::code::Operand;
use super::view::{Array, Bound, Form, View};
use super::{Lowering, Step};
use crate::array::{IntegerRow, Prim, Reduce, ScalarOp};

/// Fewer elements than this are taken from the first to the last.
pub(super) const MIN_LENGTH: i64 = 512;
/// The elements of a block, where there are no more than [`MAX_BLOCKS`].
const ELEMENTS: i64 = 64;
const MAX_BLOCKS: i64 = 1 << 16;

/// What each place of a scan gets.
#[derive(Clone, Copy, PartialEq, Eq)]
enum At {
    /// What its element and those before it come to.
    Element,
    /// What those before it come to.
    Before,
}

impl<'p> Lowering<'p> {
    /// A scan of scalars in memory, in levels of blocks.
    pub(super) fn scan_in_levels(
        &mut self,
        it: &'p Reduce,
        arrays: &[Array<'p>],
        length: Operand,
        views: &[View],
    ) -> Step<()> {
        let sources = self.sources(arrays)?;
        self.scan_level(it, &sources, length, views, At::Element, 2)
    }

    fn scan_level(
        &mut self,
        it: &'p Reduce,
        sources: &Sources<'p>,
        length: Operand,
        views: &[View],
        at: At,
        levels: usize,
    ) -> Step<()> {
        if levels == 0 {
            let neutral = it.neutral.iter().map(|e| self.env.atom(*e)).collect();
            let scanned =
                self.iterate(length, neutral, &mut |this, k, state| this.scanned(it, sources, views, at, k, state));
            return scanned.map(drop);
        }
        let prims = sources.prims();
        let quot = |this: &mut Self, a: Operand, b: Operand| this.emit.scalar(IntegerRow::Quot, &[a, b]);
        let over = |this: &mut Self, a: Operand, b: Operand| {
            let more = this.emit.add(b, Operand::int(-1));
            let more = this.emit.add(a, more);
            quot(this, more, b)
        };
        let most = over(self, length, Operand::int(ELEMENTS));
        let most = self.emit.scalar(IntegerRow::Min, &[most, Operand::int(MAX_BLOCKS)]);
        let most = self.emit.scalar(IntegerRow::Max, &[most, Operand::int(1)]);
        let each = over(self, length, most);
        let each = self.emit.scalar(IntegerRow::Max, &[each, Operand::int(1)]);
        // None of these is empty.
        let count = over(self, length, each);
        let sizes = [count];
        let totals = self.blocks_of(&prims, &sizes)?;
        let written: Vec<_> = totals.iter().map(|view| (view.clone(), sizes.to_vec())).collect();
        self.side_by_side(count, &written, &mut |this, block| {
            let [first, rest] = [0, 1].map(|from| this.emit.block_from(sources, each, block, Operand::int(from)));
            let begun = this.elements_of(&first, Operand::int(0))?;
            let others = this.emit.add(each, Operand::int(-1));
            let found = this.iterate(others, begun, &mut |this, k, state| {
                let found = this.next(it, &rest, state, k)?;
                let next = this.emit.add(k, Operand::int(1));
                let is_there = this.is_there(block, each, next, length);
                Ok(this.chosen(is_there, &found, state))
            })?;
            this.keep(&found, &totals, block)
        })?;
        totals.iter().for_each(|view| self.emit.changed(view.origin.buffer));

        let starts = self.blocks_of(&prims, &sizes)?;
        let listed = |(prim, view): (Prim, &View), sizes: &[Operand]| Array {
            prim,
            sizes: sizes.to_vec(),
            form: Form::Memory(view.clone()),
        };
        let of_blocks = prims.iter().copied().zip(&totals).map(|pair| listed(pair, &sizes)).collect();
        let of_blocks = Sources::in_memory(of_blocks);
        self.scan_level(it, &of_blocks, count, &starts, At::Before, levels - 1)?;
        starts.iter().for_each(|view| self.emit.changed(view.origin.buffer));

        let results: Vec<Array<'p>> = prims.into_iter().zip(views).map(|pair| listed(pair, &[length])).collect();
        let sizes = [count, each];
        let part = |view: &View| (View::whole(&mut self.emit, view.origin.buffer, &sizes), sizes.to_vec());
        let written: Vec<_> = views.iter().map(part).collect();
        self.side_by_side(count, &written, &mut |this, block| {
            let sources = this.emit.block_from(sources, each, block, Operand::int(0));
            let own = |array: &Array<'p>| this.emit.of_block(array, each, block, Operand::int(0)).view().clone();
            let views: Vec<View> = results.iter().map(own).collect();
            let state: Vec<Bound<'p>> = starts.iter().map(|view| view.load(&mut this.emit, block)).collect();
            let scanned = this.iterate(each, state, &mut |this, k, state| {
                let outside = this.emit.at.mask;
                let is_there = this.is_there(block, each, k, length);
                this.emit.only_where(is_there);
                let found = this.scanned(it, &sources, &views, at, k, state);
                this.emit.at.mask = outside;
                found
            });
            scanned.map(drop)
        })
    }

    /// Whether a block has an element of this number.
    fn is_there(&mut self, block: Operand, each: Operand, k: Operand, length: Operand) -> Operand {
        let first = self.emit.mul(block, each);
        let at = self.emit.add(first, k);
        self.emit.scalar(ScalarOp::Less, &[at, length])
    }

    /// Room for a scalar of each block, of each array.
    fn blocks_of(&mut self, prims: &[Prim], sizes: &[Operand]) -> Step<Vec<View>> {
        prims.iter().map(|prim| self.emit.room_for(*prim, sizes)).collect()
    }

    /// The state after an element; it, or that before, is kept at its place.
    fn scanned(
        &mut self,
        it: &'p Reduce,
        sources: &Sources<'p>,
        views: &[View],
        at: At,
        index: Operand,
        state: &[Bound<'p>],
    ) -> Step<Vec<Bound<'p>>> {
        let found = self.next(it, sources, state, index)?;
        self.keep(if at == At::Element { &found } else { state }, views, index)?;
        Ok(found)
    }

    /// Some scalars or others.
    fn chosen(&mut self, condition: Operand, yes: &[Bound<'p>], no: &[Bound<'p>]) -> Vec<Bound<'p>> {
        let one =
            |(yes, no): (&Bound<'p>, &Bound<'p>)| Bound::Scalar(self.emit.select(condition, yes.scalar(), no.scalar()));
        yes.iter().zip(no).map(one).collect()
    }
}
