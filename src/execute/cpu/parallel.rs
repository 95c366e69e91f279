//! A loop over lanes, shared out to workers.
//!
//! Law: who gets which lanes depends on the loop alone, and what they leave is put together in their order; so the
//! results are the same with any number of threads, and without threads (tests/execute/scans.rs,
//! tests/execute/limits.rs).

use std::sync::{Mutex, PoisonError};

use super::assemble::Assembled;
use super::budget::Watch;
use super::instruction::{Instruction, LanesLoop, Product, RealOp};
use super::machine::{Fault, Machine, Workspace, plus};
use super::memory::Elements;
use super::real::{Real, rounding};
use super::vector::FEW_GROUPS;

/// As many instructions on blocks as are worth a worker.
const MIN_SHARE: i64 = 1_000;
/// The most workers.
const MAX_WORKERS: i64 = 16;

/// How many lanes a worker gets, if the loop is worth sharing out.
#[inline(always)]
pub(super) fn share<R: Real<G>, const G: usize>(machine: &Machine<'_, R, G>, it: &LanesLoop) -> Option<i64> {
    let blocks = machine.state.one(it.count) / (FEW_GROUPS * G) as i64;
    if it.scatters || blocks < 2 { None } else { worth(machine, it, blocks) }
}

#[inline(never)]
fn worth<R: Real<G>, const G: usize>(machine: &Machine<'_, R, G>, it: &LanesLoop, blocks: i64) -> Option<i64> {
    let times = |counts: &[u32]| {
        counts.iter().fold(1, |times: i64, count| times.saturating_mul(machine.state.one(*count).max(1)))
    };
    let each = |part: &(i64, Vec<u32>)| part.0.saturating_mul(times(&part.1));
    let work = it.work.iter().map(each).fold(0, i64::saturating_add).saturating_mul(blocks) / PARTS;
    let length = |(real, buffer): &(bool, u32)| match real {
        true => machine.reals[*buffer as usize].all().len(),
        false => machine.ints[*buffer as usize].all().len(),
    };
    // Every worker adds to a copy.
    let copies: i64 = it.adds.iter().map(|add| length(add) as i64 / GROUPS_PER_COPY).sum();
    let workers = (work / MIN_SHARE.max(copies)).min(MAX_WORKERS).min(blocks);
    (workers >= 2).then(|| (blocks + workers) / workers * (FEW_GROUPS * G) as i64)
}

/// An element of a copy costs a part of what an instruction on a block costs.
const GROUPS_PER_COPY: i64 = 32;

/// How many other instructions cost as much as a row of the table of primitives.
const ROW: i64 = 4;

/// As many multiplications of a product of matrices cost as much as an instruction.
pub(super) const PARTS: i64 = 4;

/// About how long a block takes, in parts of an instruction: a number, and the counts of the loops around it.
pub(super) fn work(body: &[Instruction], products: &[Product]) -> Vec<(i64, Vec<u32>)> {
    let mut open = Vec::new();
    let mut work: Vec<(i64, Vec<u32>)> = Vec::new();
    for instruction in body {
        let (each, inner) = match instruction {
            Instruction::Real { op: RealOp::Row(_), .. } => (ROW * PARTS, vec![]),
            Instruction::Inner(it) => (PARTS, vec![it.count]),
            Instruction::Series(it) => (2 * PARTS, vec![it.count]),
            Instruction::Transpose(it) => (PARTS, vec![it.count]),
            Instruction::Outer(it) => (PARTS, vec![it.count]),
            Instruction::IntoRows(it) => (PARTS, vec![it.count]),
            Instruction::Product(number) => {
                let it = &products[*number as usize];
                (1, vec![it.rows, it.columns])
            }
            _ => (PARTS, vec![]),
        };
        match instruction {
            Instruction::UnlessLess { count, .. } => open.push(*count),
            Instruction::Next { .. } => drop(open.pop()),
            _ => {}
        }
        let counts = || open.iter().chain(&inner).copied();
        match work.iter_mut().find(|(_, known)| known.iter().copied().eq(counts())) {
            Some((known, _)) => *known += each,
            None => work.push((each, counts().collect())),
        }
    }
    work
}

/// What workers read.
struct Common<'m, R: Copy + 'static, const G: usize> {
    code: &'m Assembled,
    watch: &'m Watch<'m>,
    /// The elements that are in memory already.
    held: u64,
    number: usize,
    /// The registers of one value.
    registers: (Vec<R>, Vec<i64>),
    /// The buffers; none for those that a worker has for itself.
    reals: Vec<Option<&'m [R]>>,
    ints: Vec<Option<&'m [i64]>>,
    /// Memory that workers have left.
    spare: Mutex<Vec<Workspace<R, G>>>,
}

/// The work of a worker: from which lane to which, and its parts of what is written, by kind and buffer.
struct Work<'m, R> {
    lanes: (i64, i64),
    reals: Vec<(u32, Elements<'m, R>)>,
    ints: Vec<(u32, Elements<'m, i64>)>,
}

/// What a worker leaves: what its lanes have folded and added.
struct Left<R> {
    reals: Vec<Vec<R>>,
    ints: Vec<Vec<i64>>,
    added: Buffers<R>,
}

/// What the loop adds to, and writes, is not what workers read.
type Buffers<R> = Vec<(Vec<R>, Vec<i64>)>;

/// Runs a loop over lanes, of which each worker takes `share`.
pub(super) fn run<R: Real<G>, const G: usize>(
    machine: &mut Machine<'_, R, G>,
    it: &LanesLoop,
    number: usize,
    share: i64,
) -> Result<(), Fault> {
    let count = machine.state.one(it.count);
    let mut written: Buffers<R> = it.writes.iter().map(|(real, b, ..)| take(*real, *b, machine)).collect();
    let mut added: Buffers<R> = it.adds.iter().map(|(real, b)| take(*real, *b, machine)).collect();
    let size = |register: u32| usize::try_from(machine.state.one(register)).unwrap_or(0);
    let parts: Vec<(usize, usize)> = it.writes.iter().map(|(.., part, start)| (size(*part), size(*start))).collect();

    let helpers = core::mem::take(&mut machine.helpers);
    let common = Common::of(machine, it, number, helpers);
    let mut works: Vec<Work<'_, R>> = Vec::new();
    let mut rest: Vec<(&mut [R], &mut [i64])> =
        written.iter_mut().map(|(reals, ints)| (&mut reals[..], &mut ints[..])).collect();
    for ((reals, ints), (_, start)) in rest.iter_mut().zip(&parts) {
        cut(reals, *start);
        cut(ints, *start);
    }
    let mut first = 0;
    while first < count {
        let to = first.saturating_add(share).min(count);
        let mut work = Work { lanes: (first, to), reals: Vec::new(), ints: Vec::new() };
        for (((real, buffer, ..), (part, start)), rest) in it.writes.iter().zip(&parts).zip(&mut rest) {
            let (from, length) = (start + first as usize * part, (to - first) as usize * part);
            if *real {
                work.reals.push((*buffer, Elements::Part { elements: cut(&mut rest.0, length), from }));
            } else {
                work.ints.push((*buffer, Elements::Part { elements: cut(&mut rest.1, length), from }));
            }
        }
        works.push(work);
        first = to;
    }
    let lengths: Vec<(usize, usize)> = added.iter().map(|(reals, ints)| (reals.len(), ints.len())).collect();
    let outcome = all(works, |work| common.run(it, work, &lengths));
    let helpers = common.spare.into_inner().unwrap_or_else(PoisonError::into_inner);
    machine.helpers = helpers;
    let left = outcome.as_deref().unwrap_or_default();

    // In the order of the workers.
    for left in left {
        for (((real, buffer), (reals, ints)), (more_reals, more_ints)) in
            it.adds.iter().zip(&mut added).zip(&left.added)
        {
            let round = if *real { rounding(machine.code.real_kinds[*buffer as usize]) } else { |x| x };
            reals.iter_mut().zip(more_reals).for_each(|(a, b)| *a = round(*a + *b));
            let prim = machine.code.int_kinds.get(*buffer as usize).copied();
            ints.iter_mut().zip(more_ints).for_each(|(a, b)| *a = plus(prim, *a, *b));
        }
    }
    for ((real, buffer), (reals, ints)) in it.adds.iter().zip(added) {
        put(machine, *real, *buffer, reals, ints);
    }
    for ((real, buffer, ..), (reals, ints)) in it.writes.iter().zip(written) {
        put(machine, *real, *buffer, reals, ints);
    }
    let mut found = 0;
    for (k, fold) in it.real_folds.iter().enumerate() {
        let all: Vec<R> = left.iter().flat_map(|left| left.reals[k].iter().copied()).collect();
        found = all.len();
        *machine.reals[fold.found as usize].own() = all;
    }
    for (k, fold) in it.int_folds.iter().enumerate() {
        let all: Vec<i64> = left.iter().flat_map(|left| left.ints[k].iter().copied()).collect();
        found = all.len();
        *machine.ints[fold.found as usize].own() = all;
    }
    if let Some(folded) = it.folded {
        machine.state.ints.set(folded, found as i64);
    }
    outcome.map(|_| ())
}

impl<'m, R: Real<G>, const G: usize> Common<'m, R, G> {
    fn of(machine: &'m Machine<'_, R, G>, it: &LanesLoop, number: usize, helpers: Vec<Workspace<R, G>>) -> Self {
        let code = machine.code;
        let own_real = |k: usize| code.own_reals[k] || it.real_folds.iter().any(|fold| fold.found as usize == k);
        let own_int = |k: usize| code.own_ints[k] || it.int_folds.iter().any(|fold| fold.found as usize == k);
        Common {
            code,
            watch: machine.watch,
            held: machine.state.held.all,
            number,
            registers: (machine.state.reals.uniform(), machine.state.ints.uniform()),
            reals: machine.reals.iter().enumerate().map(|(k, b)| (!own_real(k)).then(|| b.all())).collect(),
            ints: machine.ints.iter().enumerate().map(|(k, b)| (!own_int(k)).then(|| b.all())).collect(),
            spare: Mutex::new(helpers),
        }
    }

    fn spare(&self) -> std::sync::MutexGuard<'_, Vec<Workspace<R, G>>> {
        self.spare.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What a worker leaves who does this work. It adds to copies of these lengths.
    fn run(&self, it: &LanesLoop, work: Work<'_, R>, lengths: &[(usize, usize)]) -> Result<Left<R>, Fault> {
        let workspace = self.spare().pop().unwrap_or_default();
        let mut worker =
            Machine::worker((self.code, self.watch, self.held), workspace, (self.number, work.lanes), &self.registers);
        let shared = worker.reals.iter_mut().zip(&self.reals);
        shared.for_each(|(buffer, shared)| shared.iter().for_each(|shared| *buffer = Elements::Shared(shared)));
        let shared = worker.ints.iter_mut().zip(&self.ints);
        shared.for_each(|(buffer, shared)| shared.iter().for_each(|shared| *buffer = Elements::Shared(shared)));
        work.reals.into_iter().for_each(|(buffer, part)| worker.reals[buffer as usize] = part);
        work.ints.into_iter().for_each(|(buffer, part)| worker.ints[buffer as usize] = part);
        for ((real, buffer), (reals, ints)) in it.adds.iter().zip(lengths) {
            if *real {
                worker.reals[*buffer as usize] = Elements::Own(vec![R::default(); *reals]);
            } else {
                worker.ints[*buffer as usize] = Elements::Own(vec![0; *ints]);
            }
        }
        let outcome = worker.run().map_err(|Fault| self.watch.fail());
        let added = it.adds.iter().map(|(real, buffer)| take(*real, *buffer, &mut worker)).collect();
        let reals = it.real_folds.iter().map(|f| core::mem::take(worker.reals[f.found as usize].own())).collect();
        let ints = it.int_folds.iter().map(|f| core::mem::take(worker.ints[f.found as usize].own())).collect();
        let workspace = worker.workspace();
        self.spare().push(workspace);
        outcome.map(|()| Left { reals, ints, added })
    }
}

fn take<R: Real<G>, const G: usize>(real: bool, buffer: u32, machine: &mut Machine<'_, R, G>) -> (Vec<R>, Vec<i64>) {
    match real {
        true => (core::mem::take(machine.reals[buffer as usize].own()), Vec::new()),
        false => (Vec::new(), core::mem::take(machine.ints[buffer as usize].own())),
    }
}

fn put<R: Real<G>, const G: usize>(
    machine: &mut Machine<'_, R, G>,
    real: bool,
    buffer: u32,
    reals: Vec<R>,
    ints: Vec<i64>,
) {
    if real {
        machine.reals[buffer as usize] = Elements::Own(reals);
    } else {
        machine.ints[buffer as usize] = Elements::Own(ints);
    }
}

/// The first elements of what is left, which are then gone from it.
fn cut<'s, T>(rest: &mut &'s mut [T], length: usize) -> &'s mut [T] {
    let all = core::mem::take(rest);
    let at = length.min(all.len());
    let (now, later) = all.split_at_mut(at);
    *rest = later;
    now
}

#[cfg(feature = "rayon")]
fn all<R: Send + Sync>(
    works: Vec<Work<'_, R>>,
    run: impl Fn(Work<'_, R>) -> Result<Left<R>, Fault> + Sync + Send,
) -> Result<Vec<Left<R>>, Fault> {
    use rayon::iter::{IntoParallelIterator, ParallelIterator};
    if rayon::current_num_threads() == 1 {
        return works.into_iter().map(run).collect();
    }
    works.into_par_iter().map(run).collect()
}

#[cfg(not(feature = "rayon"))]
fn all<R>(works: Vec<Work<'_, R>>, run: impl Fn(Work<'_, R>) -> Result<Left<R>, Fault>) -> Result<Vec<Left<R>>, Fault> {
    works.into_iter().map(run).collect()
}
