//! Blocks of elements that lanes take side by side: where each begins, and what is fetched of it at once.
//!
//! Law: blocks depend on the number of elements alone, and have the elements in their order; elements that little is computed for
//! are computed in each pass, and stored in none (tests/execute/scans.rs).

use super::code::Operand;
use super::emit::Emit;
use super::view::{Array, Bound, Form, View};
use super::{Lowering, Step};
use crate::array::{Atom, IntegerRow, Op, Prim, Var};

/// How many blocks a set of them has, how many sets there are at most, and the elements that call for another set.
const BLOCKS_PER_SET: i64 = 128;
const MAX_SETS: i64 = 16;
pub(super) const ELEMENTS: i64 = 1 << 17;
/// How many elements of a block are fetched, and put back, at once.
pub(super) const FETCHED: i64 = 8;
/// The most operations that are little.
const LITTLE: usize = 4;

/// Blocks of elements: how many, the elements of each, and how often some are fetched.
#[derive(Clone, Copy)]
pub(super) struct Blocks {
    pub(super) count: Operand,
    pub(super) each: Operand,
    pub(super) fetches: Operand,
}

/// Lists that are taken element by element, any number of times.
#[derive(Clone)]
pub(super) struct Sources<'p> {
    /// Each is in memory, or a map that waits and that little is computed for.
    pub(super) arrays: Vec<Array<'p>>,
    /// What the variables stand for meanwhile that those maps take: lists for which nothing has to be computed.
    taken: Vec<(Var, Array<'p>)>,
}

impl<'p> Sources<'p> {
    /// Lists in memory.
    pub(super) fn in_memory(arrays: Vec<Array<'p>>) -> Self {
        Sources { arrays, taken: Vec::new() }
    }

    /// The kinds of their elements.
    pub(super) fn prims(&self) -> Vec<Prim> {
        self.arrays.iter().map(|array| array.prim).collect()
    }

    /// Part of each, where it is made of what is there.
    fn parts(&self, mut part: impl FnMut(&Array<'p>) -> Array<'p>) -> Self {
        let waits = |array: &Array<'p>| matches!(array.form, Form::Pending(..));
        let arrays = self.arrays.iter().map(|array| if waits(array) { array.clone() } else { part(array) }).collect();
        Sources { arrays, taken: self.taken.iter().map(|(var, array)| (*var, part(array))).collect() }
    }
}

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

    /// A list in memory, or of numbers, from one element of a block on, of `each` elements a block.
    pub(super) fn of_block(&mut self, array: &Array<'p>, each: Operand, block: Operand, from: Operand) -> Array<'p> {
        let form = match &array.form {
            Form::Memory(View { origin, strides }) => {
                let far = self.mul(each, strides[0]);
                let origin = origin.advance(self, block, far).advance(self, from, strides[0]);
                Form::Memory(View { origin, strides: strides.clone() })
            }
            _ => {
                let first = self.mul(block, each);
                let first = self.add(first, from);
                let rest = array.elements_from(self, [first, array.sizes[0], Operand::int(1)]);
                rest.expect("nothing has to be computed for it").form
            }
        };
        Array { form, ..array.clone() }
    }

    /// The elements from one of a block on.
    pub(super) fn block_from(
        &mut self,
        sources: &Sources<'p>,
        each: Operand,
        block: Operand,
        from: Operand,
    ) -> Sources<'p> {
        sources.parts(|array| self.of_block(array, each, block, from))
    }

    /// As many elements as are fetched at once, and which of these times it is.
    pub(super) fn fetched(&mut self, array: &Array<'p>, time: Operand) -> Array<'p> {
        Array {
            sizes: vec![Operand::int(FETCHED)],
            ..self.of_block(array, Operand::int(FETCHED), time, Operand::int(0))
        }
    }

    /// Room near to the lane for what is fetched of reals.
    pub(super) fn room(&mut self, sources: &Sources<'p>) -> Step<Vec<Option<View>>> {
        let near = |prim: Prim| prim.is_real().then(|| self.fetched_room(prim)).transpose();
        sources.prims().into_iter().map(near).collect()
    }

    pub(super) fn fetched_room(&mut self, prim: Prim) -> Step<View> {
        self.room_for(prim, &[Operand::int(FETCHED)])
    }
}

impl<'p> Lowering<'p> {
    /// Lists of scalars that passes go through: of those that wait, truth values and integers that little is computed for wait on,
    /// since to load one would cost as much, and others come into memory.
    pub(super) fn sources(&mut self, arrays: &[Array<'p>]) -> Step<Sources<'p>> {
        let arrays: Vec<Array<'p>> = arrays.iter().map(|array| self.passed_on(array)).collect();
        let mut taken = Vec::new();
        let mut waits = Vec::new();
        for array in &arrays {
            let (begun, mut left) = (taken.len(), LITTLE);
            let little = !array.prim.is_real() && self.takes_little(array, &mut left, &mut taken);
            if !little {
                taken.truncate(begun);
            }
            waits.push(little && matches!(array.form, Form::Pending(..)));
        }
        let stored = arrays.iter().zip(&waits).filter(|(_, waits)| !**waits).map(|(array, _)| array.clone());
        let mut stored = self.all_in_memory(&stored.collect::<Vec<_>>())?.into_iter();
        let source = |(array, waits): (Array<'p>, bool)| if waits { Some(array) } else { stored.next() };
        Ok(Sources { arrays: arrays.into_iter().zip(waits).map_while(source).collect(), taken })
    }

    /// What a map that waits passes on, if that is all it does for a result.
    fn passed_on(&self, array: &Array<'p>) -> Array<'p> {
        let Form::Pending(map, k) = array.form else { return array.clone() };
        let result = map.function.body.results[k];
        let Some(at) = map.function.params.iter().position(|param| result == Atom::Var(*param)) else {
            return array.clone();
        };
        let beneath = self.env.array(map.arrays[at]);
        if let Form::Parts(_) = beneath.form { array.clone() } else { self.passed_on(&beneath) }
    }

    /// Whether no more operations are left to do for an element of a list than these, and what they take.
    fn takes_little(&self, array: &Array<'p>, left: &mut usize, taken: &mut Vec<(Var, Array<'p>)>) -> bool {
        let Form::Pending(map, _) = &array.form else { return true };
        let stms = &map.function.body.stms;
        if stms.len() > *left || !stms.iter().all(|stm| matches!(&stm.op, Op::Scalar(op, _) if op.is_cheap())) {
            return false;
        }
        *left -= stms.len();
        map.arrays.iter().all(|atom| {
            let (Some(var), array) = (atom.var(), self.env.array(*atom)) else { return false };
            let there = matches!(array.form, Form::Memory(_) | Form::Iota(..) | Form::Replicate(_));
            if there {
                taken.push((var, array.clone()));
            }
            array.sizes.len() == 1 && (there || self.takes_little(&array, left, taken))
        })
    }

    /// The elements at an index.
    pub(super) fn elements_of(&mut self, sources: &Sources<'p>, index: Operand) -> Step<Vec<Bound<'p>>> {
        let stand =
            |this: &mut Self, (var, array): &(Var, Array<'p>)| this.env.swap(*var, Some(Bound::Array(array.clone())));
        let before: Vec<_> = sources.taken.iter().map(|taken| stand(self, taken)).collect();
        // At this index there is something else in other parts.
        let computed = self.emit.computed_here().clone();
        let elements = self.elements_at(&sources.arrays, index);
        *self.emit.computed_here() = computed;
        let back = sources.taken.iter().zip(before).rev();
        back.for_each(|((var, _), to)| drop(self.env.swap(*var, to)));
        elements
    }

    /// What is fetched at a time of the elements of a block, reals near to the lane.
    pub(super) fn near(&mut self, sources: &Sources<'p>, time: Operand, room: &[Option<View>]) -> Step<Sources<'p>> {
        let mut near = sources.parts(|array| self.emit.fetched(array, time));
        let mut stores = Vec::new();
        for (array, view) in near.arrays.iter_mut().zip(room) {
            if let Some(view) = view {
                stores.push((Bound::Array(array.clone()), view.clone()));
                *array = array.stored(view.clone());
            }
        }
        self.store_all(stores)?;
        room.iter().flatten().for_each(|view| self.emit.changed(view.origin.buffer));
        Ok(near)
    }
}
