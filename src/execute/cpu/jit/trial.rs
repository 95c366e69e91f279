//! Which is faster for a loop over lanes: its function, one lane after the other, or blocks of lanes.
//!
//! Law: either leaves the same bits, so that the clock decides about time alone; what is slower has a small part of the lanes, and
//! seldom. While both are compared, lanes are in more blocks, each with steps of its own (tests/execute/one_by_one.rs).

use core::ops::Range;
use core::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Instant;

use super::spaces::OneByOne;
use crate::execute::cpu::instruction::LanesLoop;
use crate::execute::cpu::machine::{Fault, Machine};
use crate::execute::cpu::real::Real;

/// How long a lane takes by the function and in blocks, at least, in thousandths of a nanosecond; 0 as long as that is not known.
#[derive(Debug, Default)]
pub(super) struct Times {
    by_function: AtomicU64,
    in_blocks: AtomicU64,
    /// How often one of both was timed.
    trials: AtomicU32,
    /// How often the loop has run since, or that the function is not to be compared.
    runs: AtomicU32,
}

/// As many trials decide, half of them the function's: what is timed first may find nothing in the caches, and any may be disturbed.
const TRIALS: u32 = 6;

/// After this count of runs both are compared again: sizes may be others by then, and a clock may have been wrong.
const RUNS: u32 = 256;
const FORCED: u32 = u32::MAX;

/// Who gets which part of the lanes to be compared, the function or blocks: where work grows from lane to lane, it grows for both.
const FUNCTION_FIRST: [bool; 4] = [true, false, false, true];

/// A part gets one lane of this count, or the lanes of a block if these are more: in fewer, an instruction would take longer for a lane.
const PARTS: i64 = 32;

impl Times {
    /// The function is always taken.
    #[cfg(feature = "unstable")]
    pub(super) fn is_forced(&self) {
        self.runs.store(FORCED, Ordering::Relaxed);
    }

    /// Whether the function is faster, as far as that is known.
    fn function_is_faster(&self) -> Option<bool> {
        let runs = self.runs.load(Ordering::Relaxed);
        if runs == FORCED {
            return Some(true);
        }
        if runs >= RUNS {
            [&self.by_function, &self.in_blocks].into_iter().for_each(|time| time.store(0, Ordering::Relaxed));
            [&self.trials, &self.runs].into_iter().for_each(|count| count.store(0, Ordering::Relaxed));
        }
        if self.trials.load(Ordering::Relaxed) < TRIALS {
            return None;
        }
        self.runs.store(runs + 1, Ordering::Relaxed);
        let [function, blocks] = [&self.by_function, &self.in_blocks].map(|time| time.load(Ordering::Relaxed));
        Some(function <= blocks)
    }

    /// Takes down how long some lanes took.
    fn note(&self, by_function: bool, nanoseconds: u128, lanes: i64) {
        let time = if by_function { &self.by_function } else { &self.in_blocks };
        let each = nanoseconds * 1000 / lanes.max(1).unsigned_abs() as u128;
        let each = u64::try_from(each).unwrap_or(u64::MAX).max(1);
        let before = time.load(Ordering::Relaxed);
        time.store(if before == 0 { each } else { each.min(before) }, Ordering::Relaxed);
    }
}

/// Runs something, and adds up how long that takes.
fn timed(nanoseconds: &mut u128, run: impl FnOnce() -> Result<(), Fault>) -> Result<(), Fault> {
    let begin = Instant::now();
    let result = run();
    *nanoseconds += begin.elapsed().as_nanos();
    result
}

/// Runs some lanes of a loop by its function, or by both to compare these, if there should be a function: whether it did.
#[inline(never)]
pub(in crate::execute::cpu) fn one_by_one<R: Real<G>, const G: usize>(
    machine: &mut Machine<'_, R, G>,
    (it, number): (&LanesLoop, usize),
    lanes: Range<i64>,
) -> Result<bool, Fault> {
    let Some(OneByOne { number: of_native, first, end, count }) = it.one_by_one else { return Ok(false) };
    let code = machine.code;
    let native = &code.natives.all[of_native as usize];
    let all = lanes.end - lanes.start;
    machine.state.ints.set(count, all);
    let Some(function) = native.earned(code, |register| machine.state.one(register)) else { return Ok(false) };
    let times = &native.times;
    let run = |machine: &mut Machine<'_, R, G>, lanes: Range<i64>, by_function: bool| {
        if !by_function {
            return machine.in_blocks(number, lanes);
        }
        let Machine { watch, state, reals, ints, .. } = machine;
        state.ints.set(first, lanes.start);
        state.ints.set(end, lanes.end);
        function.call(watch, state, (reals, ints))
    };
    if let Some(is_faster) = times.function_is_faster() {
        return if is_faster { run(machine, lanes, true).map(|()| true) } else { Ok(false) };
    }
    let block = (it.groups * G) as i64;
    let part = (all / PARTS / block).max(1) * block;
    if part * FUNCTION_FIRST.len() as i64 >= all {
        // They are too few to be divided: each time it is the other.
        let by_function = times.trials.fetch_add(1, Ordering::Relaxed).is_multiple_of(2);
        let mut nanoseconds = 0;
        timed(&mut nanoseconds, || run(machine, lanes, by_function))?;
        times.note(by_function, nanoseconds, all);
        return Ok(true);
    }
    let (mut next, mut nanoseconds) = (lanes.start, [0; 2]);
    for by_function in FUNCTION_FIRST {
        timed(&mut nanoseconds[usize::from(by_function)], || run(machine, next..next + part, by_function))?;
        next += part;
    }
    let [in_blocks, by_function] = nanoseconds;
    times.note(false, in_blocks, 2 * part);
    times.note(true, by_function, 2 * part);
    times.trials.fetch_add(2, Ordering::Relaxed);
    run(machine, next..lanes.end, by_function <= in_blocks).map(|()| true)
}
