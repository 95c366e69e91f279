//! Index spaces as functions: one lane after the other, with its values in registers of the processor.
//!
//! Law: a function leaves what blocks of lanes leave, bit for bit, and takes no more steps. Loops have one where lanes look for their
//! elements one by one, and blocks gain little (tests/execute/one_by_one.rs).

use rustc_hash::{FxHashMap, FxHashSet};

use super::stretches::Stretch;
use crate::array::{Prim, ScalarOp};
use crate::execute::cpu::assemble::{Assembler, LOCAL};
use crate::execute::cpu::instruction::{Across, Address, Instruction, IntOp, Reg};
use crate::execute::cpu::parallel;
use crate::execute::cpu::real::{DOUBLES, SINGLES};
use crate::kernel::code::{Buffer, Inside, Lanes, Op, Operand, Place, Stm};
use crate::kernel::parts::each;
use crate::primitives::Primitive;

/// The function of a loop over lanes: its number, and the registers of the first lane, of that behind the last, and of their count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::execute::cpu) struct OneByOne {
    pub(super) number: u32,
    pub(super) first: u32,
    pub(super) end: u32,
    pub(super) count: u32,
}

/// About how many lanes a block computes in the time that it takes to compute one by one.
const LANES_AT_ONCE: i64 = 8;

/// What is known of the lane that instructions are assembled for, if they are for one after the other.
#[derive(Debug)]
pub(in crate::execute::cpu) struct OneLane {
    /// The register of its number.
    index: u32,
    /// Where workers have parts of buffers, the places that are in the lane's own part for sure.
    own: Option<FxHashSet<Place>>,
}

impl Assembler<'_> {
    /// The instructions of a loop over lanes for one lane after the other, as a function, if that is worth it: `place` is the first of
    /// those for blocks, which have `groups` groups.
    pub(in crate::execute::cpu) fn one_by_one(&mut self, lanes: &Lanes, place: u32, groups: usize) -> Option<OneByOne> {
        if self.scalar.is_none() || !may_be_worth(self, lanes, &self.out[place as usize..]) {
            return None;
        }
        let scalar = self.scalar.take();
        let [first, end, count] = [(); 3].map(|()| self.fresh(false));
        let own = own_elements(lanes);
        let instructions = self.apart(|this| this.in_turn(lanes, [first, end], Some(own)));
        let mut work = parallel::work(&instructions, &[]);
        for (each, counts) in &mut work {
            *each = (*each / LANES_AT_ONCE).max(1);
            // Before they begin, nothing is known of loops whose counts are computed by lanes.
            counts.retain(|register| *register < LOCAL && *register != end);
            counts.push(count);
        }
        let lanes_in_group = if self.code.precision == Prim::F32 { SINGLES } else { DOUBLES };
        self.scalar = scalar;
        let found = &mut self.scalar.as_mut()?.found;
        let number = u32::try_from(found.len()).expect("there are fewer than 2^32 stretches");
        found.push(Stretch {
            from: place,
            to: place,
            instructions,
            place: Some(place),
            reals: FxHashSet::default(),
            ints: FxHashSet::default(),
            work: Some(work),
            lanes: Some((groups * lanes_in_group) as i64),
        });
        Some(OneByOne { number, first, end, count })
    }

    /// Assembles instructions that are not part of the code, with a lane at a time: they are numbered from 0.
    pub(super) fn apart(&mut self, inside: impl FnOnce(&mut Self)) -> Vec<Instruction> {
        let (out, inline) = (core::mem::take(&mut self.out), core::mem::take(&mut self.inline));
        let (claims, origins) = (self.claims.len(), self.origins.len());
        let (varying, scalar) = (self.varying.take(), self.scalar.take());
        self.is_apart = true;
        inside(self);
        self.is_apart = false;
        (self.varying, self.scalar, self.inline) = (varying, scalar, inline);
        self.claims.truncate(claims);
        self.origins.truncate(origins);
        core::mem::replace(&mut self.out, out)
    }

    /// A loop over lanes, one after the other, from one to before another.
    fn in_turn(&mut self, lanes: &Lanes, [first, end]: [u32; 2], own: Option<FxHashSet<Place>>) {
        self.lane = Some(OneLane { index: LOCAL, own });
        let index = self.uniform(lanes.index);
        self.lane.as_mut().expect("it is set").index = index;
        self.out.push(Instruction::SetInt { cell: Reg::Uniform(index), x: Reg::Uniform(first), mask: None });
        let (start, leave) = (self.here(), self.hole());
        self.block(&lanes.body);
        let x = [index, self.one(Operand::int(1))].map(Reg::Uniform);
        self.out.push(Instruction::Int { op: IntOp::Add, kind: Prim::I64, to: Reg::Uniform(index), x });
        self.out.push(Instruction::Again(start));
        self.out[leave] = Instruction::UnlessLess { index, count: end, to: self.here() };
        self.lane = None;
    }

    /// A loop over lanes in a stretch, which is a step, as each of its lanes is.
    pub(in crate::execute::cpu) fn short(&mut self, lanes: &Lanes) {
        self.out.push(Instruction::Again(self.here() + 1));
        let ends = [self.one(Operand::int(0)), self.one(lanes.count)];
        self.in_turn(lanes, ends, None);
    }

    /// Where an element is that a lane changes. What is shown to be inside of a buffer may be another worker's, but for the lane's own.
    pub(in crate::execute::cpu) fn changed(&mut self, place: &Place) -> Address {
        let address = self.address(place);
        let Inside(inside) = address.inside;
        let is_private = self.code.buffers[place.buffer.0 as usize].private;
        let shared = self.lane.as_ref().and_then(|lane| lane.own.as_ref()).filter(|own| !own.contains(place));
        Address { inside: Inside(inside && (is_private || shared.is_none())), ..address }
    }

    /// Where an element is for one lane.
    pub(in crate::execute::cpu) fn address_in(&mut self, place: &Place) -> Address {
        let lane = self.lane.as_ref().expect("there is one lane").index;
        let uniform = Place { lane: None, varying: None, ..*place };
        let mut address = self.address_of(&uniform);
        let apart = place.lane.map(|apart| match apart.as_int() {
            Some(1) => lane,
            Some(_) | None => {
                let x = [Reg::Uniform(self.one(apart)), Reg::Uniform(lane)];
                self.on_integers(IntOp::Mul, x)
            }
        });
        for more in [apart, place.varying.map(|at| self.one(at))].into_iter().flatten() {
            address.base = self.on_integers(IntOp::Add, [address.base, more].map(Reg::Uniform));
        }
        Address { across: Across::Same, ..address }
    }

    fn on_integers(&mut self, op: IntOp, x: [Reg; 2]) -> u32 {
        let to = self.fresh(false);
        self.out.push(Instruction::Int { op, kind: Prim::I64, to: Reg::Uniform(to), x });
        to
    }
}

/// The places that are in the lane's own part of a buffer for sure: the element that is all of it, and those of a row of it that a loop
/// goes through.
fn own_elements(lanes: &Lanes) -> FxHashSet<Place> {
    let (mut counts, mut all) = (FxHashMap::default(), FxHashSet::default());
    each(&lanes.body, &mut |stm| {
        if let Stm::For { index, count, .. } = stm {
            counts.insert(Operand::Value(*index), *count);
        }
        let (Stm::Store { place, .. } | Stm::Update { place, .. }) = stm else { return };
        let is_in_row = |part: Operand| match place.step {
            None => part == Operand::int(1),
            Some((index, stride)) => stride == Operand::int(1) && counts.get(&index) == Some(&part),
        };
        let is_own = |(buffer, part, start): &(Buffer, Operand, Operand)| {
            *buffer == place.buffer && *start == place.base && place.lane == Some(*part) && is_in_row(*part)
        };
        if place.varying.is_none() && lanes.writes.iter().any(is_own) {
            all.insert(*place);
        }
    });
    all
}

/// Whether a loop over lanes may be computed faster one by one than in blocks, and with the same bits: where lanes look for their
/// elements one by one, have arrays of their own, or do not all do the same.
fn may_be_worth(assembler: &Assembler<'_>, lanes: &Lanes, blocks: &[Instruction]) -> bool {
    // Blocks are good at these, and take no steps.
    let is_sum =
        |it: &Instruction| matches!(it, Instruction::Inner(_) | Instruction::Series(_) | Instruction::Outer(_));
    let is_apart = |place: &Place| {
        place.varying.is_some() || place.is_strided() || assembler.code.buffers[place.buffer.0 as usize].private
    };
    let mut is_worth = false;
    each(&lanes.body, &mut |stm| {
        is_worth |= stm.element().is_some_and(|(place, _)| is_apart(place));
        is_worth |= matches!(stm, Stm::Store { mask: Some(_), .. } | Stm::Update { mask: Some(_), .. });
    });
    is_worth && is_possible(lanes) && !blocks.iter().any(is_sum)
}

/// More statements than this are not few.
const FEW: usize = 8;

/// Whether a loop over lanes does little, once.
pub(super) fn is_short(lanes: &Lanes) -> bool {
    lanes.body.len() <= FEW && lanes.body.iter().all(|stm| stm.blocks().is_empty()) && is_possible(lanes)
}

/// Whether lanes can be computed one after the other without a call, and with the same bits.
fn is_possible(lanes: &Lanes) -> bool {
    let mut is_possible = lanes.folds.is_empty() && lanes.adds.is_empty();
    each(&lanes.body, &mut |stm| match stm {
        Stm::Product(_) | Stm::Lanes(_) | Stm::Scan(_) | Stm::Hist(_) | Stm::Call(_) => is_possible = false,
        Stm::Let(_, Op::Rule(_), _) => is_possible = false,
        Stm::Let(_, Op::Scalar(ScalarOp::Row(row)), _) => is_possible &= is_of_processor(*row),
        _ => {}
    });
    is_possible
}

/// Whether a function computes a row without a call.
fn is_of_processor(row: Primitive) -> bool {
    matches!(
        row,
        Primitive::Neg
            | Primitive::Sub
            | Primitive::Div
            | Primitive::Recip
            | Primitive::Sqrt
            | Primitive::Abs
            | Primitive::Powi(2)
            | Primitive::Floor
            | Primitive::Ceil
            | Primitive::Fma
            | Primitive::Min
            | Primitive::Max
            | Primitive::GeIndicator
            | Primitive::Select
            | Primitive::Single
            | Primitive::StopGradient
    )
}
