//! The memory of a run: what compiled code asks for, and what it has left for the next run.
//!
//! Law: memory stays where it is until the code gives it back or the run ends, and holds zeros when it is new
//! (tests/execute/native.rs).

use core::any::Any;
use std::collections::HashMap;

use crate::interpret::{Control, Fault};

/// Elements in memory.
#[derive(Debug)]
pub(super) enum Block {
    F64(Vec<f64>),
    F32(Vec<f32>),
    I64(Vec<i64>),
    /// Anything else, in words, which begin where vectors do: the first few may be of no use.
    Words(Vec<u64>),
}

/// What elements are, as the C prelude numbers it.
const KINDS: [fn(usize, usize) -> Option<Block>; 4] = [
    |count, size| {
        let bytes = count.checked_mul(size)?.checked_add(ALIGNMENT)?;
        zeros(bytes.div_ceil(8)).map(Block::Words)
    },
    |count, _| zeros(count).map(Block::F64),
    |count, _| zeros(count).map(Block::F32),
    |count, _| zeros(count).map(Block::I64),
];

/// The widest vectors are this wide, in bytes.
const ALIGNMENT: usize = 64;

/// Zeros, which the allocator has without writing them; none if there is no memory.
fn zeros<T: Clone + Default + num_traits::Zero>(count: usize) -> Option<Vec<T>> {
    let mut all: Vec<T> = Vec::new();
    all.try_reserve_exact(count).ok()?;
    drop(all);
    Some(vec![T::zero(); count])
}

impl Block {
    fn address(&mut self) -> usize {
        match self {
            Block::F64(all) => all.as_mut_ptr() as usize,
            Block::F32(all) => all.as_mut_ptr() as usize,
            Block::I64(all) => all.as_mut_ptr() as usize,
            Block::Words(all) => (all.as_mut_ptr() as usize).next_multiple_of(ALIGNMENT),
        }
    }

    fn kind(&self) -> usize {
        match self {
            Block::Words(_) => 0,
            Block::F64(_) => 1,
            Block::F32(_) => 2,
            Block::I64(_) => 3,
        }
    }

    /// How many elements of this size it has room for.
    fn room(&self, size: usize) -> usize {
        match self {
            Block::Words(all) => (all.len() * 8).saturating_sub(ALIGNMENT) / size.max(1),
            Block::F64(all) => all.len(),
            Block::F32(all) => all.len(),
            Block::I64(all) => all.len(),
        }
    }
}

/// Memory of earlier runs.
#[derive(Debug, Default)]
pub(super) struct Spare(Vec<Block>);

/// The memory of a run, and what the run is held to.
#[derive(Debug)]
pub(super) struct Heap<'c> {
    blocks: HashMap<usize, (Block, u64)>,
    /// What an earlier run has left, and what this one has given back.
    spare: Vec<Block>,
    free: Vec<Block>,
    control: Control<'c>,
    held: u64,
    steps: u64,
    /// Why the run is to end.
    pub(super) ended: Option<Fault>,
    /// What a function of the user's has ended it with.
    pub(super) panic: Option<Box<dyn Any + Send>>,
}

impl<'c> Heap<'c> {
    pub(super) fn new(control: Control<'c>, spare: Spare) -> Self {
        Heap {
            blocks: HashMap::new(),
            spare: spare.0,
            free: Vec::new(),
            control,
            held: 0,
            steps: 0,
            ended: None,
            panic: None,
        }
    }

    /// Counts elements that are in memory.
    pub(super) fn hold(&mut self, elements: u64) -> bool {
        self.held = self.held.saturating_add(elements);
        match self.control.room(Some(self.held)) {
            Ok(_) => true,
            Err(fault) => {
                self.ended.get_or_insert(fault);
                false
            }
        }
    }

    /// Memory in the place of other memory; 0 for none.
    pub(super) fn memory(&mut self, before: usize, count: i64, size: i64, kind: i64) -> usize {
        if let Some((block, elements)) = self.blocks.remove(&before) {
            self.held -= elements;
            self.free.push(block);
        }
        let (Ok(count), Ok(size)) = (usize::try_from(count), usize::try_from(size)) else { return 0 };
        if count == 0 && before != 0 || !self.hold(count as u64) {
            return 0;
        }
        let kind = usize::try_from(kind).unwrap_or(0);
        let fits = |block: &Block| block.kind() == kind && (count..=2 * count + 64).contains(&block.room(size));
        let known = [&mut self.free, &mut self.spare].into_iter().find_map(|all| {
            let found = all.iter().position(fits)?;
            Some(all.swap_remove(found))
        });
        let block = known.or_else(|| KINDS[kind](count.max(1), size));
        let Some(mut block) = block else { return 0 };
        let address = block.address();
        self.blocks.insert(address, (block, count as u64));
        address
    }

    /// Counts steps: whether the run may go on.
    pub(super) fn spend(&mut self, steps: u64) -> bool {
        let before = self.steps;
        self.steps = before.saturating_add(steps);
        match self.control.reached(before, self.steps) {
            Ok(()) => true,
            Err(fault) => {
                self.ended.get_or_insert(fault);
                false
            }
        }
    }

    /// The memory that begins there, if it was asked for.
    pub(super) fn take(&mut self, address: usize) -> Option<Block> {
        self.blocks.remove(&address).map(|(block, _)| block)
    }

    /// The memory that begins there, to be looked at.
    pub(super) fn get(&self, address: usize) -> Option<&Block> {
        self.blocks.get(&address).map(|(block, _)| block)
    }

    pub(super) fn put(&mut self, block: Block) {
        self.free.push(block);
    }

    /// What is left for the next run: what this one had, and not what it had no use for, or there would be ever more.
    pub(super) fn into_spare(self) -> Spare {
        let mut all = self.free;
        all.extend(self.blocks.into_values().map(|(block, _)| block));
        Spare(all)
    }
}
