//! What scans and histograms that are instructions have in common: where their elements are, their operators as functions, and
//! threads.
//!
//! Law: elements that lie in a row are read where they are; an operator computes what the interpreter computes of the same
//! numbers, but that a product is not rounded before it is added (tests/execute/sweeps.rs).

use super::assemble::Assembler;
use super::instruction::{Address, Instruction};
use super::machine::Fault;
use super::memory::Elements;
use super::real::Real;
use super::state::State;
use crate::array::Prim;
use crate::kernel::code;
use crate::kernel::operator::Operator;

/// Elements of a buffer in a line: the first, and the register of how far the next is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) first: Address,
    stride: u32,
}

/// What is combined: by which operator, of reals or of integers, and whether what it makes is rounded to single precision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Combination {
    pub(super) operator: Operator,
    pub(super) real: bool,
    pub(super) rounded: bool,
}

/// A scan; its starts are registers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Scan {
    pub(super) kind: Combination,
    pub(super) count: u32,
    pub(super) start: Vec<u32>,
    pub(super) from: Vec<Line>,
    /// For each component, unless it is not wanted.
    pub(super) to: Vec<Option<Line>>,
}

/// A histogram or a scatter; what is neutral is in a register.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Hist {
    pub(super) kind: Combination,
    pub(super) count: u32,
    pub(super) bins: u32,
    pub(super) neutral: u32,
    pub(super) indices: Line,
    pub(super) values: Line,
    pub(super) to: Line,
}

/// By their numbers.
#[derive(Debug, Clone, Default)]
pub(super) struct Sweeps {
    pub(super) scans: Vec<Scan>,
    pub(super) hists: Vec<Hist>,
}

impl Sweeps {
    /// The registers of reals that an instruction reads by a number.
    pub(super) fn reals(&self, instruction: &Instruction) -> Vec<u32> {
        match instruction {
            Instruction::Scan(number) => {
                let it = &self.scans[*number as usize];
                if it.kind.real { it.start.clone() } else { Vec::new() }
            }
            Instruction::Hist(number) => {
                let it = &self.hists[*number as usize];
                if it.kind.real { vec![it.neutral] } else { Vec::new() }
            }
            _ => Vec::new(),
        }
    }
}

impl Assembler<'_> {
    pub(super) fn scan(&mut self, it: &code::Scan) {
        let start = it.start.iter().map(|x| self.one(*x)).collect();
        let from = it.from.iter().map(|line| self.line(line)).collect();
        let to = it.to.iter().map(|to| to.as_ref().map(|line| self.line(line))).collect();
        let scan = Scan { kind: self.kind(it.operator, &it.from[0]), count: self.one(it.count), start, from, to };
        let at = self.here();
        self.out.push(Instruction::Scan(number(&self.sweeps.scans)));
        self.sweeps.scans.push(scan);
        self.note(at, it.origin);
    }

    pub(super) fn hist(&mut self, it: &code::Hist) {
        let [count, bins, neutral] = [it.count, it.bins, it.neutral].map(|x| self.one(x));
        let [indices, values, to] = [it.indices, it.values, it.to].map(|line| self.line(&line));
        let hist = Hist { kind: self.kind(it.operator, &it.values), count, bins, neutral, indices, values, to };
        let at = self.here();
        self.out.push(Instruction::Hist(number(&self.sweeps.hists)));
        self.sweeps.hists.push(hist);
        self.note(at, it.origin);
    }

    fn line(&mut self, line: &code::Line) -> Line {
        Line { first: self.address(&line.place), stride: self.one(line.stride) }
    }

    fn kind(&self, operator: Operator, of: &code::Line) -> Combination {
        let prim = self.code.buffers[of.place.buffer.0 as usize].prim;
        let rounded = prim == Prim::F32 && self.code.precision == Prim::F64;
        Combination { operator, real: prim.is_real(), rounded }
    }
}

fn number<T>(known: &[T]) -> u32 {
    u32::try_from(known.len()).expect("there are fewer than 2^32 instructions")
}

/// Elements that are read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Source<'s, T> {
    all: &'s [T],
    first: i64,
    stride: i64,
}

impl<'s, T: Copy + Default> Source<'s, T> {
    pub(super) fn of<R: Real<G>, const G: usize>(
        state: &State<R, G>,
        elements: &'s [Elements<'_, T>],
        line: &Line,
    ) -> Self {
        let all = elements[line.first.buffer as usize].all();
        Source { all, first: state.start(&line.first), stride: state.one(line.stride) }
    }

    /// `count` elements from one on, in a row: in this room, if they are not where they are.
    pub(super) fn row<'r>(&self, from: usize, count: usize, room: &'r mut Vec<T>) -> &'r [T]
    where
        's: 'r,
    {
        let first = self.first.wrapping_add((from as i64).wrapping_mul(self.stride));
        let at = usize::try_from(first).ok();
        let end = at.and_then(|at| at.checked_add(count));
        if self.stride == 1
            && let (Some(at), Some(end)) = (at, end)
            && let Some(row) = self.all.get(at..end)
        {
            return row;
        }
        room.clear();
        let backwards = |at: usize| self.all.get((at + 1).checked_sub(count)?..=at);
        if self.stride == -1
            && let Some(row) = at.and_then(backwards)
        {
            room.extend(row.iter().rev());
        } else {
            let place = |k: usize| usize::try_from(first.wrapping_add((k as i64).wrapping_mul(self.stride))).ok();
            let get = |k| place(k).and_then(|at| self.all.get(at)).copied().unwrap_or_default();
            room.extend((0..count).map(get));
        }
        room
    }
}

/// What is to be done with an operator, which is one of states of some components.
pub(super) trait Work<T: Copy>: Sized {
    fn by<const N: usize>(self, operator: impl Fn([T; N], [T; N]) -> [T; N] + Copy);

    /// The operator takes the second operand where something is true of both, and else the first.
    #[inline(always)]
    fn by_choice(self, _takes: impl Fn(T, T) -> bool + Copy, operator: impl Fn(T, T) -> T + Copy) {
        self.by(|[a], [b]| [operator(a, b)]);
    }
}

/// Does something with an operator of reals.
#[inline(always)]
pub(super) fn with_reals<R: Real<G>, const G: usize>(kind: Combination, it: impl Work<R>) {
    match (kind.operator, kind.rounded) {
        (Operator::Add, false) => it.by(|[a], [b]| [a + b]),
        (Operator::Add, true) => it.by(|[a]: [R; 1], [b]| [(a + b).to_single()]),
        (Operator::Mul, false) => it.by(|[a], [b]| [a * b]),
        (Operator::Mul, true) => it.by(|[a]: [R; 1], [b]| [(a * b).to_single()]),
        (Operator::Recurrence, false) => it.by(|[a, b]: [R; 2], [c, d]| [a * c, b.mul_add(c, d)]),
        (Operator::Recurrence, true) => {
            it.by(|[a, b]: [R; 2], [c, d]| [(a * c).to_single(), ((b * c).to_single() + d).to_single()]);
        }
        // A number wins over NaN: in two steps, neither of which is a branch.
        (Operator::Min, _) => it.by_choice(
            |a: R, b| b < a || a.is_nan(),
            |a, b| {
                let a = if a.is_nan() { b } else { a };
                if b < a { b } else { a }
            },
        ),
        (Operator::Max, _) => it.by_choice(
            |a: R, b| b > a || a.is_nan(),
            |a, b| {
                let a = if a.is_nan() { b } else { a };
                if b > a { b } else { a }
            },
        ),
        (Operator::Later { greater, equal }, _) => with_later(greater, equal, it),
        (Operator::Last, _) => it.by(|[_], [b]| [b]),
        (Operator::And | Operator::Or | Operator::Xor, _) => unreachable!("reals have no such operation"),
    }
}

/// The same for integers.
#[inline(always)]
pub(super) fn with_ints(kind: Combination, it: impl Work<i64>) {
    match kind.operator {
        Operator::Add => it.by(|[a]: [i64; 1], [b]| [a.wrapping_add(b)]),
        Operator::Mul => it.by(|[a]: [i64; 1], [b]| [a.wrapping_mul(b)]),
        Operator::Min => it.by_choice(|a, b| b < a, |a, b| a.min(b)),
        Operator::Max => it.by_choice(|a, b| b > a, |a, b| a.max(b)),
        Operator::And => it.by(|[a]: [i64; 1], [b]| [a & b]),
        Operator::Or => it.by(|[a]: [i64; 1], [b]| [a | b]),
        Operator::Xor => it.by(|[a]: [i64; 1], [b]| [a ^ b]),
        Operator::Later { greater, equal } => with_later(greater, equal, it),
        Operator::Last => it.by(|[_], [b]| [b]),
        Operator::Recurrence => unreachable!("recurrences are of reals"),
    }
}

#[inline(always)]
fn with_later<T: Copy + PartialOrd>(greater: bool, equal: bool, it: impl Work<T>) {
    match (greater, equal) {
        (true, false) => it.by_choice(|a, b| a < b, |a, b| if a < b { b } else { a }),
        (true, true) => it.by_choice(|a, b| a <= b, |a, b| if a <= b { b } else { a }),
        (false, false) => it.by_choice(|a, b| b < a, |a, b| if b < a { b } else { a }),
        (false, true) => it.by_choice(|a, b| b <= a, |a, b| if b <= a { b } else { a }),
    }
}

/// Does something with each of these, which threads share out among them if there are several.
#[cfg(feature = "rayon")]
pub(super) fn each<I: Send, S: Default + Send>(
    items: Vec<I>,
    does: impl Fn(I, &mut S) -> Result<(), Fault> + Sync + Send,
) -> Result<(), Fault> {
    use rayon::iter::{IntoParallelIterator, ParallelIterator};
    if are_many() && items.len() > 1 {
        return items.into_par_iter().map_init(S::default, |room, item| does(item, room)).collect();
    }
    let mut room = S::default();
    items.into_iter().try_for_each(|item| does(item, &mut room))
}

#[cfg(not(feature = "rayon"))]
pub(super) fn each<I, S: Default>(items: Vec<I>, does: impl Fn(I, &mut S) -> Result<(), Fault>) -> Result<(), Fault> {
    let mut room = S::default();
    items.into_iter().try_for_each(|item| does(item, &mut room))
}

/// Whether there are several threads.
pub(super) fn are_many() -> bool {
    #[cfg(feature = "rayon")]
    return rayon::current_num_threads() > 1;
    #[cfg(not(feature = "rayon"))]
    false
}
