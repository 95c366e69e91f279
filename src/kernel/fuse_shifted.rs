//! Loops over lanes of which one loads what another has stored some elements away, as one loop, in which that stays in registers.
//!
//! The first and the last lanes of each loop run as they did, where elements are that the loops share with what is between them. All other
//! lanes run in one loop behind that, each of the loops some lanes ahead of or behind the others, so that what is loaded has been stored
//! in the same iteration or in one of a few before: it is taken from there ([`Op::Earlier`]), and what nobody else reads is not stored.
//!
//! Law: each element is computed by the operations that it was computed by, so that no bit of it changes, and no operation is done more
//! often, but in a few lanes at the ends. No loop of a run stores what it or a loop before it has loaded, so that a lane can run twice
//! (tests/execute/shifted.rs, laws: executors::suite).

use rustc_hash::FxHashMap;

use super::code::{Block, Buffer, BufferInfo, Code, Lanes, Op, Operand, Place, Stm, Value, ValueInfo};
use super::fuse_lanes::reads;
use super::fuse_sequential::once;
use super::parts::rename;
use super::shifted_runs::{Plan, Run, long};
use crate::array::{Prim, ScalarOp};

/// Fuses what is worth it.
pub(crate) fn fuse_shifted(code: &mut Code) {
    let mut counts: FxHashMap<Buffer, usize> = FxHashMap::default();
    code.ports().for_each(|port| *counts.entry(port).or_default() += 1);
    reads(&code.body, &mut |buffer| *counts.entry(buffer).or_default() += 1);
    Fuser { values: &mut code.values, buffers: &code.buffers, reads: counts }.block(&mut code.body);
}

struct Fuser<'c> {
    values: &'c mut Vec<ValueInfo>,
    buffers: &'c [BufferInfo],
    /// How often each buffer is read, exchanged or added to, or is an argument or a result.
    reads: FxHashMap<Buffer, usize>,
}

impl Fuser<'_> {
    fn block(&mut self, block: &mut Block) {
        let inside = block.iter_mut().filter(|stm| !matches!(stm, Stm::Lanes(_)));
        inside.flat_map(Stm::blocks_mut).for_each(|inner| self.block(inner));
        let mut start = 0;
        while start < block.len() {
            let Some(plan) = self.best(&block[start..]) else {
                start += 1;
                continue;
            };
            let end = start + plan.statements;
            let fused = self.fused(&block[start..end], &plan);
            let next = start + fused.len();
            block.splice(start..end, fused);
            start = next;
        }
    }

    /// How to fuse loops from the first statement on, if that is worth it.
    fn best(&self, block: &[Stm]) -> Option<Plan> {
        let mut run = Run::from(block.first()?, self.buffers)?;
        let mut best: Option<Plan> = None;
        for (at, stm) in block.iter().enumerate().skip(1) {
            if !run.admits(stm, self.buffers) {
                break;
            }
            if long(stm).is_some() {
                let Some(plan) = run.plan(at + 1, &self.reads) else { break };
                if best.as_ref().map_or(0, |best| best.gain) < plan.gain {
                    best = Some(plan);
                }
            }
        }
        best
    }

    fn value(&mut self, info: ValueInfo) -> Value {
        self.values.push(info);
        Value(u32::try_from(self.values.len() - 1).expect("there are fewer than 2^32 values"))
    }

    /// These statements, with most lanes of all loops in one loop.
    fn fused(&mut self, stms: &[Stm], plan: &Plan) -> Block {
        let (mut out, mut swaps): (Block, Block) = Default::default();
        let mut loops: Vec<&Lanes> = Vec::new();
        for stm in stms {
            let Some((lanes, count)) = long(stm) else {
                // The loop of all comes before buffers are exchanged.
                let to = if matches!(stm, Stm::Swap(..)) { &mut swaps } else { &mut out };
                to.push(stm.clone());
                continue;
            };
            let part = &plan.parts[loops.len()];
            if part.first > 0 {
                out.push(Stm::Lanes(Box::new(Lanes { count: Operand::int(part.first), ..lanes.clone() })));
            }
            if part.last > 0 {
                let last = self.lanes_from(lanes, count - part.last, part.last, &mut out);
                out.push(last);
            }
            loops.push(lanes);
        }
        let all = self.all(&loops, plan, &mut out);
        out.push(all);
        out.extend(swaps);
        out
    }

    /// `count` lanes of a loop from one on; what their places need is computed before.
    fn lanes_from(&mut self, lanes: &Lanes, from: i64, count: i64, before: &mut Block) -> Stm {
        let index = self.value(self.values[lanes.index.0 as usize]);
        let body = self.moved(lanes, from, index, before);
        let writes = self.writes(lanes, from, before);
        Stm::Lanes(Box::new(Lanes { index, count: Operand::int(count), body, writes, ..lanes.clone() }))
    }

    /// The lanes of all loops that are in one.
    fn all(&mut self, loops: &[&Lanes], plan: &Plan, before: &mut Block) -> Stm {
        let first = loops[0];
        let index = self.value(self.values[first.index.0 as usize]);
        let (mut all, mut writes): (Block, Vec<_>) = Default::default();
        // What is stored, and where by the first lane.
        let mut stored: FxHashMap<Buffer, (Operand, Operand)> = FxHashMap::default();
        for (lanes, part) in loops.iter().zip(&plan.parts) {
            let mut names: Vec<(Value, Operand)> = Vec::new();
            for mut stm in self.moved(lanes, part.shift, index, before) {
                names.iter().for_each(|(old, new)| stm.replace(Operand::Value(*old), *new));
                match &stm {
                    Stm::Load(value, place) if stored.contains_key(&place.buffer) => {
                        let (base, known) = stored[&place.buffer];
                        let number = |x: Operand| x.as_int().expect("what is loaded of a run is at a known distance");
                        let by = number(base) - number(place.base);
                        let known = if by == 0 { known } else { self.earlier(known, by, &mut all) };
                        names.push((*value, known));
                    }
                    Stm::Store { place, value, .. } => {
                        stored.insert(place.buffer, (place.base, *value));
                        if !plan.unread.contains(&place.buffer) {
                            all.push(stm);
                        }
                    }
                    _ => all.push(stm),
                }
            }
            let also = self.writes(lanes, part.shift, before);
            writes.extend(also.into_iter().filter(|(buffer, ..)| !plan.unread.contains(buffer)));
        }
        once(self.values, &mut all, &[]);
        Stm::Lanes(Box::new(Lanes { index, count: Operand::int(plan.count), body: all, writes, ..first.clone() }))
    }

    /// What a value is `by` lanes before.
    fn earlier(&mut self, known: Operand, by: i64, block: &mut Block) -> Operand {
        let Operand::Value(value) = known else { return known };
        let info = self.values[value.0 as usize];
        if !info.varying {
            return known;
        }
        let earlier = self.value(info);
        let by = u8::try_from(by).expect("a distance is short");
        block.push(Stm::Let(earlier, Op::Earlier(by), vec![known]));
        Operand::Value(earlier)
    }

    /// The body of a loop, of lanes so much further than the index says; all that it sets has new names.
    fn moved(&mut self, lanes: &Lanes, by: i64, index: Value, before: &mut Block) -> Block {
        let (mut body, mut names) = (lanes.body.clone(), FxHashMap::default());
        for value in lanes.body.iter().flat_map(Stm::sets) {
            names.insert(value, self.value(self.values[value.0 as usize]));
        }
        let number = Operand::Value(lanes.index);
        let mut moved = Vec::with_capacity(body.len());
        if by == 0 || !body.iter().any(|stm| stm.operands().contains(&number)) {
            names.insert(lanes.index, index);
        } else {
            let further = self.value(self.values[index.0 as usize]);
            let sum = vec![Operand::Value(index), Operand::int(by)];
            moved.push(Stm::Let(further, Op::Scalar(ScalarOp::Add), sum));
            names.insert(lanes.index, further);
        }
        for stm in &mut body {
            rename(stm, &names);
            if let Some(place) = stm.element_mut() {
                self.shift(place, by, before);
            }
        }
        moved.extend(body);
        moved
    }

    fn shift(&mut self, place: &mut Place, by: i64, before: &mut Block) {
        if let Some(lane) = place.lane {
            place.base = self.further(place.base, lane, by, before);
        }
    }

    /// What lanes of a loop so much further write.
    fn writes(&mut self, lanes: &Lanes, by: i64, before: &mut Block) -> Vec<(Buffer, Operand, Operand)> {
        let further = |&(buffer, part, start): &_| (buffer, part, self.further(start, part, by, before));
        lanes.writes.iter().map(further).collect()
    }

    /// `base + by·stride`.
    fn further(&mut self, base: Operand, stride: Operand, by: i64, before: &mut Block) -> Operand {
        if by == 0 {
            return base;
        }
        let distance = match stride.as_int() {
            Some(stride) => Operand::int(stride.wrapping_mul(by)),
            None => self.number(ScalarOp::Mul, [stride, Operand::int(by)], before),
        };
        match (base.as_int(), distance.as_int()) {
            (Some(base), Some(distance)) => Operand::int(base.wrapping_add(distance)),
            _ => self.number(ScalarOp::Add, [base, distance], before),
        }
    }

    /// A number that is the same for all lanes, computed once.
    fn number(&mut self, op: ScalarOp, x: [Operand; 2], before: &mut Block) -> Operand {
        let same = |stm: &Stm| match stm {
            Stm::Let(value, Op::Scalar(other), y) if *other == op && **y == x => Some(Operand::Value(*value)),
            _ => None,
        };
        if let Some(known) = before.iter().find_map(same) {
            return known;
        }
        let value = self.value(ValueInfo { prim: Prim::I64, varying: false });
        before.push(Stm::Let(value, Op::Scalar(op), x.to_vec()));
        Operand::Value(value)
    }
}
