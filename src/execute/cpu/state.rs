//! The registers of a machine, and what is computed in them.
//!
//! Law: what an instruction computes in a lane is what the interpreter computes of the same numbers, bit for bit, but
//! for the elementary functions, which are within their stated error (tests/execute/lanes.rs).

use core::cell::Cell;

use super::budget::{Held, STRIDE};
use super::dispatch::Level;
use super::instruction::{Across, Address, Reg};
#[cfg(feature = "jit")]
use super::jit::Space;
use super::memory::Elements;
use super::real::Real;
use super::scalar_blocks::SLOTS;
use super::transfer::Reach;
use super::vector::{Bank, FEW_GROUPS, Group, Operand, Source};
use crate::kernel::code::Inside;

/// Registers, and the block of lanes that is computed.
#[derive(Debug)]
pub(super) struct State<R: Copy, const G: usize> {
    pub(super) reals: Bank<R, G>,
    pub(super) ints: Bank<i64, G>,
    /// The first lane of the block, how many there are, and how many groups that is.
    pub(super) first: i64,
    pub(super) active: usize,
    pub(super) groups: usize,
    /// How many lanes a block has, and how many it has at most.
    pub(super) width: usize,
    pub(super) widest: usize,
    /// How many elements the lanes of the block have of their own.
    pub(super) own: usize,
    /// How many steps are left until the next look at the rest of the world.
    pub(super) left: i64,
    /// The elements in memory.
    pub(super) held: Held,
    /// Which instructions of the processor are used: as the code has it that runs.
    pub(super) level: Level,
    pub(super) saved: Saved<R, G>,
    /// The first of three registers for what is put aside within an instruction.
    pub(super) scratch: u32,
    /// What scalar code works on.
    pub(super) slots: Box<[Cell<R>; SLOTS]>,
    /// What is handed over to functions.
    #[cfg(feature = "jit")]
    pub(super) space: Space<R>,
}

/// What lanes have folded that have no part in the last block: those from a lane on, in its group.
#[derive(Debug)]
pub(super) struct Saved<R, const G: usize> {
    pub(super) from: usize,
    pub(super) reals: Vec<[R; G]>,
    pub(super) ints: Vec<[i64; G]>,
}

/// How many groups of elements of lanes' own fit in the nearest cache beside the registers.
const CACHED_GROUPS: usize = 384;

impl<R: Real<G>, const G: usize> Default for State<R, G> {
    fn default() -> Self {
        State {
            reals: Bank::default(),
            ints: Bank::default(),
            first: 0,
            active: 1,
            groups: 1,
            width: FEW_GROUPS * G,
            widest: FEW_GROUPS * G,
            own: 0,
            left: STRIDE,
            held: Held::default(),
            level: Level::BASELINE,
            saved: Saved { from: 0, reals: Vec::new(), ints: Vec::new() },
            scratch: 0,
            slots: Box::new(core::array::from_fn(|_| Cell::default())),
            #[cfg(feature = "jit")]
            space: Space::default(),
        }
    }
}

/// In which lanes something is done.
#[derive(Debug, Clone, Copy)]
pub(super) enum Mask<'r, const G: usize> {
    All,
    None,
    Where(Operand<'r, i64, G>),
}

impl<R: Real<G>, const G: usize> State<R, G> {
    /// Sets the uniform registers to what they are at first.
    pub(super) fn restart(
        &mut self,
        reals: impl ExactSizeIterator<Item = R> + Clone,
        ints: impl ExactSizeIterator<Item = i64> + Clone,
    ) {
        self.reals.restart(reals);
        self.ints.restart(ints);
    }

    /// Makes blocks as wide as what the lanes of the last one had fits in the nearest cache.
    pub(super) fn fit(&mut self) {
        let each = self.own.div_ceil(self.width);
        let lanes = (CACHED_GROUPS * G).checked_div(each).unwrap_or(self.widest);
        self.width = (lanes / G * G).max(8 * G).min(self.widest);
    }

    #[inline(always)]
    pub(super) fn one(&self, k: u32) -> i64 {
        self.ints.one(k)
    }

    #[inline(always)]
    pub(super) fn real(&self, x: Reg) -> Operand<'_, R, G> {
        self.reals.operand(x)
    }

    #[inline(always)]
    pub(super) fn int(&self, x: Reg) -> Operand<'_, i64, G> {
        self.ints.operand(x)
    }

    /// The groups of a register that the lanes of the block fill.
    #[inline(always)]
    pub(super) fn real_block(&self, k: u32) -> &[Group<R, G>] {
        self.reals.first(k, self.groups)
    }

    #[inline(always)]
    pub(super) fn int_block(&self, k: u32) -> &[Group<i64, G>] {
        self.ints.first(k, self.groups)
    }

    /// A register for what is put aside within an instruction, one of three.
    #[inline(always)]
    pub(super) fn aside_register(&self, k: u32) -> Reg {
        Reg::Varying(self.scratch + k)
    }

    /// Whether a truth value is true in some lane.
    #[inline(always)]
    pub(super) fn any(&self, x: Reg) -> bool {
        let x = self.int(x);
        match x.uniform() {
            Some(x) => x != 0,
            None => !self.every([x; 2], |x, _| x == 0),
        }
    }

    /// Where a mask is true.
    #[inline(always)]
    pub(super) fn mask(&self, mask: Option<Reg>) -> Mask<'_, G> {
        let Some(mask) = mask else { return Mask::All };
        let mask = self.int(mask);
        match mask.uniform() {
            Some(0) => Mask::None,
            Some(_) => Mask::All,
            None if self.every([mask; 2], |x, _| x != 0) => Mask::All,
            None if self.every([mask; 2], |x, _| x == 0) => Mask::None,
            None => Mask::Where(mask),
        }
    }

    /// Whether a condition holds in every lane in which the mask is true.
    #[inline(always)]
    pub(super) fn all(&self, mask: Option<Reg>, x: [Reg; 2], holds: impl Fn(i64, i64) -> bool) -> bool {
        let x = [self.int(x[0]), self.int(x[1])];
        match self.mask(mask) {
            Mask::None => true,
            Mask::All => match [x[0].uniform(), x[1].uniform()] {
                [Some(a), Some(b)] => holds(a, b),
                _ => self.every(x, holds),
            },
            Mask::Where(mask) => {
                (0..self.active).all(|lane| mask.lane(lane) == 0 || holds(x[0].lane(lane), x[1].lane(lane)))
            }
        }
    }

    /// Whether a condition holds in every lane.
    #[inline(always)]
    fn every(&self, [a, b]: [Operand<'_, i64, G>; 2], holds: impl Fn(i64, i64) -> bool) -> bool {
        let whole = self.active / G;
        for k in 0..whole {
            let (a, b) = (a.group(k), b.group(k));
            let mut all = true;
            for i in 0..G {
                all &= holds(a[i], b[i]);
            }
            if !all {
                return false;
            }
        }
        (whole * G..self.active).all(|lane| holds(a.lane(lane), b.lane(lane)))
    }

    /// The number of the element that an address means, but for what differs between lanes.
    #[inline(always)]
    pub(super) fn start(&self, address: &Address) -> i64 {
        self.one(address.base).wrapping_add(self.one(address.index).wrapping_mul(self.one(address.stride)))
    }

    /// Whether the elements of an address that is said to be inside are there, in the lanes in which a mask is true.
    pub(super) fn is_as_said<T>(&self, address: &Address, elements: &Elements<'_, T>, mask: Option<Reg>) -> bool {
        let Inside(inside) = address.inside;
        // A worker has a part of what is shared out.
        let length = match elements {
            Elements::Own(elements) => elements.len(),
            Elements::Shared(elements) => elements.len(),
            Elements::Part { .. } => return true,
        };
        let mask = self.mask(mask);
        let does = |lane| match mask {
            Mask::All => true,
            Mask::None => false,
            Mask::Where(mask) => mask.lane(lane) != 0,
        };
        let reach = self.reach(address);
        let active = if matches!(reach, Reach::Same(_)) { 1 } else { self.active };
        !inside || (0..active).filter(|lane| does(*lane)).all(|lane| (reach.of_lane(lane) as u64) < length as u64)
    }

    /// Where the lanes' elements are that an address means.
    #[inline(always)]
    pub(super) fn reach(&self, address: &Address) -> Reach<'_, G> {
        let start = self.start(address);
        let at = |k: u32| self.ints.block(k);
        let own = |at| Reach::Own { row: start, width: self.width, at };
        let apart = |k: u32, at| {
            let stride = self.one(k);
            Reach::Apart { start: start.wrapping_add(self.first.wrapping_mul(stride)), stride, at }
        };
        match address.across {
            Across::Same => Reach::Same(start),
            Across::Own => own(None),
            Across::OwnAt(k) => own(Some(at(k))),
            Across::Apart(k) => apart(k, None),
            Across::At(k) => Reach::Apart { start, stride: 0, at: Some(at(k)) },
            Across::ApartAt(k, l) => apart(k, Some(at(l))),
        }
    }
}
