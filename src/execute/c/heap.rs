//! The memory of a run: what compiled code asks for, and what it has left for the next run; and what all who work on the run share.
//!
//! Law: memory stays where it is until the code gives it back or the run ends, and holds zeros when it is new. A panic of a
//! user's function does not pass through C (tests/execute/native.rs).

use core::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::execute::progress::Progress;
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

/// Memory of earlier runs, and of parts of runs.
#[derive(Debug, Default)]
struct Spare(Vec<Block>);

/// Memory that nobody uses, and that whoever runs takes.
#[derive(Debug, Default)]
pub(super) struct Pool(Mutex<Vec<Spare>>);

impl Pool {
    fn all(&self) -> MutexGuard<'_, Vec<Spare>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take(&self) -> Spare {
        self.all().pop().unwrap_or_default()
    }

    fn put(&self, spare: Spare) {
        self.all().push(spare);
    }
}

/// What all who work on a run share: what the run is held to, and what else may have ended it.
#[derive(Debug)]
pub(super) struct Watch<'c> {
    pub(super) progress: Progress<'c, ()>,
    pool: &'c Pool,
    panic: Mutex<Option<Box<dyn Any + Send>>>,
}

impl<'c> Watch<'c> {
    pub(super) fn new(control: Control<'c>, pool: &'c Pool) -> Self {
        Watch { progress: Progress::new(control), pool, panic: Mutex::default() }
    }

    /// Counts steps: whether the run may go on.
    pub(super) fn spend(&self, steps: u64) -> bool {
        // It may call a function of the user's, and a panic of that does not pass through C: it goes on once the code has returned.
        match catch_unwind(AssertUnwindSafe(|| self.progress.spend(steps, ()))) {
            Ok(goes_on) => goes_on.is_ok(),
            Err(panic) => {
                self.panic.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(panic);
                self.progress.stop();
                false
            }
        }
    }

    /// Why the run ended.
    pub(super) fn ended(&self) -> Option<Fault> {
        self.progress.ended().map(|(fault, ())| fault)
    }

    /// What a function of the user's has ended it with.
    pub(super) fn panic(&self) -> Option<Box<dyn Any + Send>> {
        self.panic.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// Memory that is in use.
#[derive(Debug)]
struct Taken {
    address: usize,
    block: Block,
    /// How many elements were asked for.
    elements: u64,
}

/// The memory of a run, or of a part of one.
#[derive(Debug)]
pub(super) struct Heap<'w> {
    pub(super) watch: &'w Watch<'w>,
    /// In the order in which they were asked for. There are no more than buffers in the code.
    blocks: Vec<Taken>,
    /// What an earlier run has left, and what this one has given back.
    spare: Vec<Block>,
    free: Vec<Block>,
    /// How many elements are in memory.
    held: u64,
}

impl<'w> Heap<'w> {
    pub(super) fn new(watch: &'w Watch<'w>) -> Self {
        let spare = watch.pool.take().0;
        Heap { watch, blocks: Vec::with_capacity(spare.len()), spare, free: Vec::new(), held: 0 }
    }

    /// That of a part of this run, beside which all that the run holds is held.
    pub(super) fn of_part(&self) -> Self {
        Heap { held: self.held, ..Heap::new(self.watch) }
    }

    /// Counts elements that are in memory.
    pub(super) fn hold(&mut self, elements: u64) -> bool {
        self.held = self.held.saturating_add(elements);
        self.watch.progress.room(self.held, ()).is_ok()
    }

    /// Memory in the place of other memory; 0 for none.
    pub(super) fn memory(&mut self, before: usize, count: i64, size: i64, kind: i64) -> usize {
        if before != 0
            && let Some(Taken { block, elements, .. }) = self.found(before)
        {
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
            let found = all.iter().rposition(fits)?;
            Some(all.remove(found))
        });
        let block = known.or_else(|| KINDS[kind](count.max(1), size));
        let Some(mut block) = block else { return 0 };
        let address = block.address();
        self.blocks.push(Taken { address, block, elements: count as u64 });
        address
    }

    /// What begins there, which is in use no more. What was asked for last is given back first, mostly.
    fn found(&mut self, address: usize) -> Option<Taken> {
        let at = self.blocks.iter().rposition(|taken| taken.address == address)?;
        Some(self.blocks.remove(at))
    }

    /// The memory that begins there, if it was asked for.
    pub(super) fn take(&mut self, address: usize) -> Option<Block> {
        self.found(address).map(|taken| taken.block)
    }

    /// The memory that begins there, to be looked at.
    pub(super) fn get(&self, address: usize) -> Option<&Block> {
        self.blocks.iter().find(|taken| taken.address == address).map(|taken| &taken.block)
    }

    pub(super) fn put(&mut self, block: Block) {
        self.free.push(block);
    }

    /// Leaves memory for the next run: what this one had, and not what it had no use for, or there would be ever more.
    pub(super) fn leave(self) {
        let Heap { watch, blocks, free: mut all, .. } = self;
        // A run asks for what the last one asked for, in the same order: what is wanted first is last, where it is looked for first.
        all.extend(blocks.into_iter().rev().map(|taken| taken.block));
        watch.pool.put(Spare(all));
    }
}
