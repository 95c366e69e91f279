//! What kernels move: how many elements of which buffers their threads read and write, as far as statements say.
//!
//! Law: an element that several statements or threads touch is counted once for all that read it and once for all that write it,
//! as if each kernel fetched it once; of a buffer that is touched in a loop every element is counted (tests/gpu/counts.rs).

use super::kernel::{Kernel, Use};
use super::kind::Word;
use super::plan::Draft;
use crate::kernel::code::{Block, Buffer, Code, Stm};
use crate::kernel::parts::Access;

/// What is moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum What {
    Reads,
    Writes,
    /// The owners of elements, which are cleared before lanes claim them.
    Claims,
    /// The owners of elements, of whom each lane asks.
    Owners,
    /// What threads have for themselves, by each lane.
    Own,
}

/// How many elements are touched by each lane, and how many by all threads alike.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Times {
    pub(super) each: u64,
    pub(super) once: u64,
}

/// Elements of a buffer that a kernel moves.
#[derive(Debug, Clone, Copy)]
pub(super) struct Move {
    pub(super) buffer: Buffer,
    pub(super) what: What,
    /// How many are touched at most; none if that depends on the counts of loops.
    pub(super) times: Option<Times>,
    /// How many bytes an element is.
    pub(super) bytes: u64,
}

impl Move {
    /// How many bytes as many lanes move of a buffer of `length` elements.
    fn of(&self, lanes: u64, length: u64) -> u64 {
        let each = |most: u64| {
            self.times.map_or(length, |times| length.min(times.each.saturating_mul(most).saturating_add(times.once)))
        };
        let elements = match self.what {
            What::Own => each(1).saturating_mul(lanes),
            What::Claims => each(lanes).saturating_add(length),
            What::Reads | What::Writes | What::Owners => each(lanes),
        };
        elements.saturating_mul(self.bytes)
    }
}

/// How many bytes a kernel of that many lanes moves: of arrays, and of what threads have for themselves.
pub(super) fn bytes(kernel: &Kernel, lanes: u32, own: &[u64], length: impl Fn(Buffer) -> u64) -> [u64; 2] {
    let mut sums = [0_u64; 2];
    for it in &kernel.moves {
        let known = kernel.private.iter().position(|(buffer, ..)| *buffer == it.buffer).map(|at| own[at]);
        let sum = &mut sums[usize::from(it.what == What::Own)];
        *sum = sum.saturating_add(it.of(lanes.into(), known.unwrap_or_else(|| length(it.buffer))));
    }
    sums
}

/// What the kernel of a draft moves.
pub(super) fn moves(code: &Code, draft: &Draft<'_>, kernel: &Kernel) -> Vec<Move> {
    let touched = touched(draft);
    let mut all = Vec::new();
    let shared = kernel.bindings.iter().map(|binding| (binding.buffer, Some(binding.how)));
    for (buffer, how) in shared.chain(kernel.private.iter().map(|(buffer, ..)| (*buffer, None))) {
        let word = Word::of(code.buffers[buffer.0 as usize].prim).stored().bytes();
        let of_owner = Word::U32.bytes();
        let mut add = |what, times, bytes| {
            if times != Some(Times::default()) {
                all.push(Move { buffer, what, times, bytes });
            }
        };
        let [reads, writes] =
            touched.iter().find(|(other, _)| *other == buffer).map_or([Some(Times::default()); 2], |(_, both)| *both);
        match how {
            Some(Use::Reads | Use::Writes | Use::Shares) => {
                add(What::Reads, reads, word);
                add(What::Writes, writes, word);
            }
            Some(Use::Claims) => add(What::Claims, writes, of_owner),
            Some(Use::Owns) => {
                add(What::Owners, writes, of_owner);
                add(What::Writes, writes, word);
            }
            None => {
                add(What::Own, reads, word);
                add(What::Own, writes, word);
            }
        }
    }
    all
}

/// How many elements of a buffer are read at most, and how many are written.
type Touched = (Buffer, [Option<Times>; 2]);

fn touched(draft: &Draft<'_>) -> Vec<Touched> {
    let mut all = Vec::new();
    for stm in &draft.stms {
        if let Stm::Lanes(lanes) = stm {
            within(&lanes.body, Some(Times { each: 1, once: 0 }), &mut all);
            // Each thread, or each workgroup, leaves one, for which there is just room.
            lanes.folds.iter().for_each(|fold| note(&mut all, fold.found, 1, None));
        } else {
            touch(stm, Some(Times { each: 0, once: 1 }), &mut all);
        }
    }
    all
}

fn within(block: &Block, times: Option<Times>, all: &mut Vec<Touched>) {
    block.iter().for_each(|stm| touch(stm, times, all));
}

fn touch(stm: &Stm, times: Option<Times>, all: &mut Vec<Touched>) {
    if let Some((place, access)) = stm.element() {
        if access.looks() {
            note(all, place.buffer, 0, times);
        }
        if access != Access::Reads {
            note(all, place.buffer, 1, times);
        }
    }
    let times = times.filter(|_| !matches!(stm, Stm::For { .. } | Stm::While { .. }));
    stm.blocks().into_iter().for_each(|block| within(block, times, all));
}

fn note(all: &mut Vec<Touched>, buffer: Buffer, which: usize, times: Option<Times>) {
    let at = all.iter().position(|(other, _)| *other == buffer).unwrap_or_else(|| {
        all.push((buffer, [Some(Times::default()); 2]));
        all.len() - 1
    });
    let known = &mut all[at].1[which];
    *known = known.zip(times).map(|(a, b)| Times { each: a.each + b.each, once: a.once + b.once });
}
