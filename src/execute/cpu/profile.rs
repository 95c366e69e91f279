//! Where the time of a run goes: each loop over lanes, scan and histogram, with what it computes and moves.
//!
//! Law: the counts depend on the code and the sizes alone, and nothing is counted unless a profile is requested.
//! Branches count as if both were taken, except for those that small and large products of matrices take, and loops of
//! unknown length as one iteration (tests/execute/work.rs).

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::assemble::Assembled;
use super::instruction::{Across, Address, Fused, Instruction, LanesLoop, RealOp, Reg, Src, Summed, To};
use super::machine::{Fault, Machine};
use super::real::Real;
use super::sweep::Combination;
use crate::array::{Program, text};
use crate::execute::fault::binder;
use crate::execute::{ELEMENTARY, Kernel};
use crate::kernel::find_products::MIN_MATRIX_SIDE;
use crate::kernel::operator::Operator;
use crate::primitives::Primitive;

/// What is known so far of the loops, by their numbers, and after them of scans and of histograms.
pub(super) type Profile = Mutex<Vec<Totals>>;

#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Totals {
    runs: u64,
    lanes: u64,
    time: Duration,
    work: Work,
}

#[derive(Debug, Clone, Copy, Default)]
struct Work {
    flops: u64,
    bytes: u64,
    arrays: u64,
}

/// A loop over lanes that has begun.
#[derive(Debug)]
pub(super) struct Begun {
    number: usize,
    lanes: u64,
    work: Work,
    start: Instant,
}

impl Begun {
    #[cold]
    #[inline(never)]
    pub(super) fn new<R: Real<G>, const G: usize>(
        machine: &Machine<'_, R, G>,
        it: &LanesLoop,
        number: usize,
    ) -> Box<Self> {
        let lanes = u64::try_from(machine.state.one(it.count)).unwrap_or(0);
        Box::new(Begun { number, lanes, work: work(machine, it, lanes), start: Instant::now() })
    }

    #[cold]
    #[inline(never)]
    pub(super) fn end(self, profile: &Profile) {
        let time = self.start.elapsed();
        let mut all = profile.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() <= self.number {
            all.resize(self.number + 1, Totals::default());
        }
        let totals = &mut all[self.number];
        totals.runs += 1;
        totals.lanes += self.lanes;
        totals.time += time;
        totals.work.flops = totals.work.flops.saturating_add(self.work.flops);
        totals.work.bytes = totals.work.bytes.saturating_add(self.work.bytes);
        totals.work.arrays = totals.work.arrays.saturating_add(self.work.arrays);
    }
}

/// A scan or a histogram, by its number.
#[derive(Debug, Clone, Copy)]
pub(super) enum Sweep {
    Scan(u32),
    Hist(u32),
}

/// Runs a scan or a histogram, and notes what it computes and moves if that is wanted.
pub(super) fn sweep<R: Real<G>, const G: usize>(
    machine: &mut Machine<'_, R, G>,
    which: Sweep,
    run: impl FnOnce(&mut Machine<'_, R, G>) -> Result<(), Fault>,
) -> Result<(), Fault> {
    let begun = machine.watch.profile.is_some().then(|| Begun::of_sweep(machine, which));
    run(machine)?;
    if let (Some(begun), Some(profile)) = (begun, &machine.watch.profile) {
        begun.end(profile);
    }
    Ok(())
}

impl Begun {
    #[cold]
    #[inline(never)]
    fn of_sweep<R: Real<G>, const G: usize>(machine: &Machine<'_, R, G>, which: Sweep) -> Box<Self> {
        let (code, start) = (machine.code, Instant::now());
        let count = |register: u32| u64::try_from(machine.state.one(register)).unwrap_or(0);
        let bytes = |real: bool| if real { size_of::<R>() as u64 } else { 8 };
        let flops = |kind: &Combination| match kind.operator {
            _ if !kind.real => 0,
            Operator::Last => 0,
            Operator::Recurrence => 3,
            _ => 1,
        };
        let of = |number: usize, lanes: u64, flops: u64, each: u64, more: u64| {
            let (bytes, flops) = (lanes.saturating_mul(each), lanes.saturating_mul(flops));
            Box::new(Begun { number, lanes, work: Work { flops, bytes, arrays: bytes.min(more) }, start })
        };
        match which {
            Sweep::Scan(number) => {
                let it = &code.sweeps.scans[number as usize];
                let moved = (it.from.len() + it.to.iter().flatten().count()) as u64 * bytes(it.kind.real);
                of(code.loops.len() + number as usize, count(it.count), flops(&it.kind), moved, u64::MAX)
            }
            Sweep::Hist(number) => {
                let it = &code.sweeps.hists[number as usize];
                let (size, number) = (bytes(it.kind.real), code.sweeps.scans.len() + number as usize);
                // An index, a value, and a bin, which is read unless the last value stays.
                let bins = if it.kind.operator == Operator::Last { size } else { 2 * size };
                let arrays =
                    count(it.count).saturating_mul(8 + size).saturating_add(count(it.bins).saturating_mul(size));
                of(code.loops.len() + number, count(it.count), flops(&it.kind), 8 + size + bins, arrays)
            }
        }
    }
}

/// Where the loops, the scans and the histograms are in the code, by their numbers.
fn places(code: &Assembled) -> Vec<u32> {
    let at = |wanted: &dyn Fn(&Instruction) -> bool| {
        let found = code.instructions.iter().position(wanted).expect("each instruction with a number is in the code");
        u32::try_from(found).expect("there are fewer than 2^32 instructions")
    };
    let scans = (0..code.sweeps.scans.len() as u32).map(|k| at(&|it| matches!(it, Instruction::Scan(n) if *n == k)));
    let hists = (0..code.sweeps.hists.len() as u32).map(|k| at(&|it| matches!(it, Instruction::Hist(n) if *n == k)));
    code.loops.iter().map(|it| it.body).chain(scans).chain(hists).collect()
}

/// What ran, the loops first, in the order of the code.
pub(super) fn kernels(profile: Profile, code: &Assembled, program: &Program) -> Vec<Kernel> {
    let all = profile.into_inner().unwrap_or_else(PoisonError::into_inner);
    let ran = all.into_iter().zip(places(code)).filter(|(totals, _)| totals.runs > 0);
    let kernel = |(totals, at): (Totals, u32)| {
        let origin = code.origins.iter().find(|(from, to, _)| (*from..*to).contains(&at));
        let stm = origin.and_then(|(_, _, var)| binder(&program.function.body, *var));
        let statement = stm.map_or_else(|| text::signature(program), |stm| text::head(program, stm));
        let Totals { runs, lanes, time, work: Work { flops, bytes, arrays } } = totals;
        Kernel { statement, runs, lanes, time, flops, bytes, arrays }
    };
    ran.map(kernel).collect()
}

fn has_products(instructions: &[Instruction]) -> bool {
    instructions.iter().any(|it| matches!(it, Instruction::Product(_)))
}

/// Whether this is no product of small matrices.
fn is_large<R: Real<G>, const G: usize>(machine: &Machine<'_, R, G>, instruction: &Instruction) -> bool {
    let Instruction::Product(number) = instruction else { return true };
    let it = &machine.code.products[*number as usize];
    [it.rows, it.columns].into_iter().all(|size| machine.state.one(size) >= MIN_MATRIX_SIDE)
}

/// What a loop over this many lanes computes and moves.
fn work<R: Real<G>, const G: usize>(machine: &Machine<'_, R, G>, it: &LanesLoop, lanes: u64) -> Work {
    let mut work = Work::default();
    let mut touched = Vec::new();
    let mut times = vec![1_u64];
    let size = size_of::<R>() as u64;
    let count = |register: u32| u64::try_from(machine.state.one(register)).unwrap_or(0);
    let addresses = &machine.code.addresses;
    let (instructions, mut next) = (&machine.code.instructions, it.body as usize);
    let mut skipped: Option<(usize, usize)> = None;
    loop {
        if let Some((from, to)) = skipped
            && next == from
        {
            (next, skipped) = (to, None);
        }
        let instruction = &instructions[next];
        next += 1;
        let now = times[times.len() - 1].saturating_mul(lanes);
        // Operations and elements of each lane, this often, and where the elements are.
        let mut each = |flops: u64, elements: u64, times: u64, places: &[(bool, &Address)]| {
            let now = now.saturating_mul(times);
            work.flops = work.flops.saturating_add(now.saturating_mul(flops));
            work.bytes = work.bytes.saturating_add(now.saturating_mul(elements * size));
            for (real, place) in places {
                if !touched.contains(&(*real, place.buffer)) {
                    touched.push((*real, place.buffer));
                }
            }
        };
        let apart = |place: &Address| u64::from(!matches!(place.across, Across::Same));
        match instruction {
            Instruction::End => break,
            Instruction::UnlessLess { count: register, .. } => {
                let around = times[times.len() - 1];
                times.push(around.saturating_mul(count(*register)));
            }
            Instruction::Next { .. } if times.len() > 1 => drop(times.pop()),
            Instruction::Real { op, to: Reg::Varying(_), .. } => each(flops(*op), 0, 1, &[]),
            Instruction::LoadReal { from, .. } => each(0, apart(from), 1, &[(true, from)]),
            Instruction::LoadInt { from, .. } => each(0, apart(from), 1, &[(false, from)]),
            Instruction::StoreReal { at, .. } => each(0, apart(at), 1, &[(true, at)]),
            Instruction::StoreInt { at, .. } => each(0, apart(at), 1, &[(false, at)]),
            Instruction::AddReal { at, .. } => each(1, 2 * apart(at), 1, &[(true, at)]),
            Instruction::AddInt { at, .. } => each(0, 2 * apart(at), 1, &[(false, at)]),
            Instruction::Kernel(kernel) => {
                let rows = kernel.x.iter().filter_map(|x| match x {
                    Src::Row(at) => Some(*at),
                    Src::Reg(_) => None,
                });
                let mut rows: Vec<u32> = rows.collect();
                rows.dedup();
                let (own, added) = match kernel.to {
                    To::Block(_) => (None, 0),
                    To::Row(at) => (Some(at), 0),
                    To::Added(at) => (Some(at), 1),
                };
                let operation = match kernel.op {
                    Fused::Copy => 0,
                    Fused::Add | Fused::Mul | Fused::Scale | Fused::Sub => 1,
                    Fused::MulAdd | Fused::MulSub | Fused::MulSubtracted => 2,
                };
                let places: Vec<(bool, &Address)> =
                    rows.iter().chain(&own).map(|at| (true, &addresses[*at as usize])).collect();
                let moved: u64 = places.iter().map(|(_, place)| apart(place)).sum();
                each(operation + added, moved + added, 1, &places);
            }
            Instruction::Inner(inner) => {
                let places = inner.x.map(|at| (true, &addresses[at as usize]));
                let moved = places.iter().map(|(_, place)| apart(place)).sum();
                let operation = match inner.what {
                    Summed::Products => 2,
                    Summed::Squares => 3,
                };
                each(operation, moved, count(inner.count), &places);
            }
            Instruction::Series(it) => {
                let from = it.sum.map(|(from, _)| (true, &addresses[from as usize]));
                let to = it.to.map(|to| (true, &addresses[to as usize]));
                let places: Vec<(bool, &Address)> = from.into_iter().chain(to).collect();
                let summed = if from.is_some() { 2 } else { 0 };
                each(1 + summed, u64::from(to.is_some()), count(it.count), &places);
            }
            Instruction::Outer(it) => {
                let places = [it.rows, it.to].map(|at| (true, &addresses[at as usize]));
                each(2, 1, count(it.count), &places);
            }
            Instruction::Transpose(it) => {
                each(0, 2, count(it.count), &[it.from, it.to].map(|at| (true, &addresses[at as usize])));
            }
            Instruction::IntoRows(it) => {
                each(0, 2, count(it.count), &[it.from, it.to].map(|at| (true, &addresses[at as usize])));
            }
            // A branch of products is followed by the loops that they are where matrices are small.
            Instruction::Unless(_, to) if has_products(&instructions[next..*to as usize]) => {
                if !instructions[next..*to as usize].iter().all(|inside| is_large(machine, inside)) {
                    next = *to as usize;
                } else if let Instruction::Jump(end) = instructions[*to as usize - 1] {
                    skipped = Some((*to as usize, end as usize));
                }
            }
            Instruction::Chain(number) => {
                each(2 * machine.code.chains[*number as usize].products.len() as u64, 0, 1, &[]);
            }
            Instruction::Rows(number) => {
                let it = &machine.code.rows[*number as usize];
                each(0, it.columns.len() as u64, 1, &[(true, &it.at)]);
            }
            Instruction::Product(number) => {
                let it = &machine.code.products[*number as usize];
                let of_matrix = (true, &it.matrix);
                let [rows, columns] = [it.rows, it.columns].map(count);
                each(2, 0, rows.saturating_mul(columns), &[of_matrix]);
                it.lines.iter().zip([rows, columns]).for_each(|(line, times)| each(0, 1, times, &[(true, line)]));
            }
            Instruction::Next { .. } | Instruction::Real { .. } | Instruction::Jump(_) | Instruction::Again(_) => {}
            Instruction::Unless(..) | Instruction::Zero(_) | Instruction::Lanes(_) | Instruction::Int { .. } => {}
            Instruction::Test { .. } | Instruction::SelectReal { .. } | Instruction::SelectInt { .. } => {}
            Instruction::Truncate { .. } | Instruction::IntoReal { .. } | Instruction::SetReal { .. } => {}
            Instruction::SetInt { .. } | Instruction::Alloc { .. } | Instruction::Swap { .. } => {}
            Instruction::Check { .. } | Instruction::Bounds { .. } | Instruction::LeastWhere { .. } => {}
            Instruction::ToBits { .. } | Instruction::FromBits { .. } | Instruction::Straight { .. } => {}
            Instruction::Scan(_) | Instruction::Hist(_) | Instruction::Rule(_) | Instruction::Call(_) => {}
            #[cfg(feature = "jit")]
            Instruction::Native(_) => {}
        }
    }
    let length = |(real, buffer): &(bool, u32)| {
        let (own, length) = match real {
            true => (machine.code.own_reals[*buffer as usize], machine.reals[*buffer as usize].all().len()),
            false => (machine.code.own_ints[*buffer as usize], machine.ints[*buffer as usize].all().len()),
        };
        if own { 0 } else { length as u64 }
    };
    let arrays: u64 = touched.iter().map(length).sum();
    // A part of an array may be all that is wanted of it.
    work.arrays = (arrays * size).min(work.bytes);
    work
}

fn flops(op: RealOp) -> u64 {
    match op {
        RealOp::Copy => 0,
        RealOp::Add | RealOp::Mul | RealOp::Scale => 1,
        RealOp::MulAdd | RealOp::MulSub | RealOp::MulSubtracted => 2,
        RealOp::Row(Primitive::Neg | Primitive::Abs | Primitive::Min | Primitive::Max) => 1,
        RealOp::Row(Primitive::Sub | Primitive::Div | Primitive::Recip | Primitive::Sqrt) => 1,
        RealOp::Row(_) => ELEMENTARY,
    }
}
