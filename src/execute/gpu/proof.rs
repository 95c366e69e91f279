//! Which integers a kernel can come to, found out before it starts: whether 32 bits hold them all, and what it leaves.
//!
//! A loop is followed until nothing new comes of it; what each iteration adds to is bounded by how many there are.
//!
//! Law: in a run without a fault, what a kernel computes, loads and stores is in the ranges that are found (tests/gpu/narrow.rs).

use rustc_hash::{FxHashMap, FxHashSet};

use super::growth::Growing;
use super::home::Homes;
use super::range::{Range, computed};
use crate::array::{IntegerRow, Prim, ScalarOp};
use crate::kernel::code::{Block, Buffer, Code, Fold, Lanes, Op, Operand, Stm, Value};
use crate::kernel::parts;

/// What there is to prove of a kernel: its statements on integers.
#[derive(Debug, Clone, Default)]
pub(super) struct Claim {
    body: Block,
    /// The integers of 64 bits that come from outside, and those that are set.
    pub(super) enters: Vec<Value>,
    sets: FxHashSet<Value>,
    /// The values that are set more than once.
    cells: FxHashSet<Value>,
}

/// What is known of integers outside of a kernel.
#[derive(Debug, Clone, Default)]
pub(super) struct Known {
    pub(super) values: FxHashMap<Value, Range>,
    pub(super) buffers: FxHashMap<Buffer, Range>,
}

/// The most iterations that loops of a thread are let do.
pub(super) const MAX_STEPS: u64 = 1 << 26;

/// Whether there is a text for these statements without integers of 64 bits: other operations differ by how many bits there are.
pub(super) fn can_be_narrow(code: &Code, body: &[&Stm]) -> bool {
    use IntegerRow::{LeadingZeros, MulHigh, Ones, TrailingZeros};
    let mut can = true;
    for stm in body {
        parts::each(core::slice::from_ref(*stm), &mut |stm| {
            let wide = |x: &Operand| code.prim(*x) == Prim::I64;
            if let Stm::Let(_, Op::Scalar(ScalarOp::Integer(Ones | LeadingZeros | TrailingZeros | MulHigh)), x) = stm {
                can &= !x.iter().any(wide);
            }
            let holds = |x: &Operand| matches!(x, Operand::Value(_)) || Range::of_operand(*x).is_narrow();
            can &= stm.operands().iter().all(|x| !wide(x) || holds(x));
        });
    }
    can
}

/// Whether there are numbers of 64 bits in statements that are no indices.
pub(super) fn has_wide(code: &Code, body: &[&Stm]) -> bool {
    let is_wide = |prim: Prim| matches!(prim, Prim::U64 | Prim::F64);
    let mut found = false;
    for stm in body {
        parts::each(core::slice::from_ref(*stm), &mut |stm| {
            let sets = stm.sets().into_iter().map(Operand::Value);
            found |= stm.operands().into_iter().chain(sets).any(|x| is_wide(code.prim(x)));
            found |= stm.touches().iter().any(|(buffer, ..)| is_wide(code.buffers[buffer.0 as usize].prim));
        });
    }
    found
}

impl Claim {
    pub(super) fn of(code: &Code, homes: &Homes, body: &[&Stm]) -> Self {
        let mut used = FxHashSet::default();
        let mut times: FxHashMap<Value, u32> = FxHashMap::default();
        for stm in body {
            parts::each(core::slice::from_ref(*stm), &mut |stm| {
                used.extend(stm.operands().into_iter().filter_map(Operand::value));
                stm.sets().into_iter().for_each(|value| *times.entry(value).or_insert(0) += 1);
                if let Stm::Assign { cells, .. } = stm {
                    cells.iter().for_each(|(cell, _)| *times.entry(*cell).or_insert(0) += 1);
                }
                if let Stm::Lanes(lanes) = stm {
                    lanes.folds.iter().for_each(|fold| *times.entry(fold.cell).or_insert(0) += 1);
                }
            });
        }
        let sets: FxHashSet<Value> =
            times.keys().copied().filter(|value| !homes.knows(Operand::Value(*value))).collect();
        let cells = times.iter().filter(|(_, times)| **times > 1).map(|(value, _)| *value).collect();
        let enters = used.into_iter().filter(|value| is_integer(code.prim(Operand::Value(*value))));
        let mut enters: Vec<Value> = enters.collect();
        enters.sort_unstable();
        let body: Vec<Stm> = body.iter().map(|stm| (*stm).clone()).collect();
        Claim { body: of_integers(code, homes, body), enters, sets, cells }
    }

    /// Whether 32 bits hold all integers of 64 bits, with what is known before; what is known then takes its place. The number of
    /// iterations over lanes is given.
    pub(super) fn holds(&self, code: &Code, known: &mut Known, lanes: i128) -> bool {
        let mut assumed = known.buffers.clone();
        for attempt in 0.. {
            let notes = Notes { holds: true, times: 1, ..Notes::default() };
            let mut ranges =
                Ranges { claim: self, code, assumed: &assumed, values: known.values.clone(), notes, lanes };
            ranges.enter();
            ranges.block(&self.body);
            let Ranges { values, notes, .. } = ranges;
            let mut left = known.buffers.clone();
            for (buffer, range) in notes.stored.iter() {
                let was = left.entry(*buffer).or_insert(Range::NONE);
                *was = was.or(*range);
            }
            for (buffer, range) in notes.added.iter() {
                let was = left.entry(*buffer).or_insert(Range::NONE);
                *was = was.plus(*range);
            }
            for [a, b] in &notes.swapped {
                let both = [a, b].map(|buffer| left.get(buffer).copied().unwrap_or(Range::NONE));
                left.extend([a, b].map(|buffer| (*buffer, both[0].or(both[1]))));
            }
            let unseen = |(buffer, range): (&Buffer, &Range)| {
                let was = assumed.get(buffer).copied().unwrap_or(Range::NONE);
                (!was.has(*range)).then_some((*buffer, if attempt < 2 { was.or(*range) } else { Range::ANY }))
            };
            let more: Vec<(Buffer, Range)> = left.iter().filter_map(unseen).collect();
            if more.iter().all(|(buffer, _)| !notes.loaded.contains(buffer)) {
                *known = Known { values, buffers: left };
                return notes.holds;
            }
            assumed.extend(more);
        }
        unreachable!("what may be anything does not grow")
    }
}

fn is_integer(prim: Prim) -> bool {
    !prim.is_real() && prim != Prim::Bool
}

/// The statements that integers depend on, in reals or in the order of lanes nothing is looked for.
fn of_integers(code: &Code, homes: &Homes, block: Block) -> Block {
    let integer = |value: Value| is_integer(code.values[value.0 as usize].prim);
    let of_buffer = |buffer: Buffer| code.buffers[buffer.0 as usize].prim;
    let inside = |block: &mut Block| *block = of_integers(code, homes, core::mem::take(block));
    let mut kept = Vec::new();
    for mut stm in block {
        let keeps = match &mut stm {
            Stm::Let(value, ..) | Stm::Load(value, _) => integer(*value),
            Stm::Store { place, .. } | Stm::Update { place, .. } => of_buffer(place.buffer) == Prim::I64,
            Stm::Swap(a, _) => of_buffer(*a) == Prim::I64,
            Stm::Assign { cells, .. } => {
                cells.retain(|(cell, _)| integer(*cell) && !homes.knows(Operand::Value(*cell)));
                !cells.is_empty()
            }
            Stm::Bounds { index, mask, .. } => mask.is_none() && index.value().is_some(),
            Stm::For { body, .. } => {
                inside(body);
                true
            }
            Stm::While { before, body, .. } => {
                inside(before);
                inside(body);
                !before.is_empty() || !body.is_empty()
            }
            Stm::If { yes, no, .. } => {
                inside(yes);
                inside(no);
                !yes.is_empty() || !no.is_empty()
            }
            Stm::Lanes(lanes) => {
                inside(&mut lanes.body);
                lanes.folds.retain(|fold| integer(fold.cell));
                true
            }
            Stm::Alloc(..) | Stm::Check { .. } | Stm::Product(_) | Stm::Scan(_) | Stm::Hist(_) | Stm::Call(_) => false,
        };
        if keeps {
            kept.push(stm);
        }
    }
    kept
}

impl Range {
    fn of_operand(operand: Operand) -> Range {
        if let Operand::Const(constant) = operand { Range::of(constant) } else { Range::ANY }
    }
}

/// What is noted on the way through a kernel.
#[derive(Debug, Clone, Default)]
struct Notes {
    /// Whether 32 bits hold all until now.
    holds: bool,
    /// How often the statement is carried out that comes next, by all threads.
    times: i128,
    /// All that values were.
    seen: FxHashMap<Value, Range>,
    stored: FxHashMap<Buffer, Range>,
    added: FxHashMap<Buffer, Range>,
    loaded: FxHashSet<Buffer>,
    swapped: Vec<[Buffer; 2]>,
}

/// The ranges at a statement.
struct Ranges<'p> {
    claim: &'p Claim,
    code: &'p Code,
    assumed: &'p FxHashMap<Buffer, Range>,
    values: FxHashMap<Value, Range>,
    notes: Notes,
    lanes: i128,
}

impl Ranges<'_> {
    fn enter(&mut self) {
        for value in &self.claim.enters {
            let range = self.value(*value);
            self.notes.holds &= self.prim(Operand::Value(*value)) != Prim::I64 || range.is_narrow();
        }
    }

    fn prim(&self, operand: Operand) -> Prim {
        self.code.prim(operand)
    }

    fn value(&self, value: Value) -> Range {
        self.values.get(&value).copied().unwrap_or(Range::NONE)
    }

    fn range(&self, operand: Operand) -> Range {
        operand.value().map_or_else(|| Range::of_operand(operand), |value| self.value(value))
    }

    fn set(&mut self, value: Value, range: Range) {
        self.values.insert(value, range);
        let seen = self.notes.seen.entry(value).or_insert(Range::NONE);
        *seen = seen.or(range);
        self.notes.holds &= self.prim(Operand::Value(value)) != Prim::I64 || range.is_narrow();
    }

    fn block(&mut self, block: &[Stm]) {
        block.iter().for_each(|stm| self.statement(stm));
    }

    fn statement(&mut self, stm: &Stm) {
        match stm {
            Stm::Let(value, op, operands) => {
                let ranges: Vec<Range> = operands.iter().map(|x| self.range(*x)).collect();
                let prims: Vec<Prim> = operands.iter().map(|x| self.prim(*x)).collect();
                self.set(*value, computed(*op, &ranges, &prims, self.prim(Operand::Value(*value))));
            }
            Stm::Load(value, place) => {
                self.notes.loaded.insert(place.buffer);
                let prim = self.prim(Operand::Value(*value));
                let range = match prim {
                    Prim::I64 => self.assumed.get(&place.buffer).copied().unwrap_or(Range::NONE),
                    prim => Range::of_kind(prim),
                };
                // It is 0 outside.
                self.set(*value, range.or(Range::exactly(0)));
            }
            Stm::Store { place, value, .. } => self.store(place.buffer, self.range(*value)),
            Stm::Update { op: ScalarOp::Integer(IntegerRow::Min | IntegerRow::Max), place, value, .. } => {
                // It is compared with what is there.
                self.notes.loaded.insert(place.buffer);
                let was = self.assumed.get(&place.buffer).copied().unwrap_or(Range::NONE);
                self.notes.holds &= self.code.buffers[place.buffer.0 as usize].prim != Prim::I64 || was.is_narrow();
                self.store(place.buffer, self.range(*value));
            }
            Stm::Update { op: ScalarOp::Add, place, value, .. } => {
                let all = self.range(*value).repeated(self.notes.times);
                let added = self.notes.added.entry(place.buffer).or_insert(Range::exactly(0));
                *added = added.plus(all);
            }
            Stm::Update { place, .. } => self.store(place.buffer, Range::ANY),
            Stm::Swap(a, b) => self.notes.swapped.push([*a, *b]),
            Stm::Assign { cells, mask } => {
                let next: Vec<Range> = cells.iter().map(|(_, x)| self.range(*x)).collect();
                for ((cell, _), range) in cells.iter().zip(next) {
                    let was = if mask.is_some() { self.value(*cell) } else { Range::NONE };
                    self.set(*cell, was.or(range));
                }
            }
            Stm::Bounds { index, length, .. } => {
                if let Some(value) = index.value() {
                    self.values.insert(value, self.value(value).below(self.range(*length)));
                }
            }
            Stm::For { index, count, body, .. } => {
                let times = self.range(*count).count(MAX_STEPS.into());
                self.repeat(&[], body, times, &mut |this| this.set(*index, Range::between(0, times - 1)));
            }
            Stm::While { before, body, .. } => {
                let both: Block = before.iter().chain(body).cloned().collect();
                self.repeat(&[], &both, MAX_STEPS.into(), &mut |_| ());
                // Once more for the condition.
                self.block(before);
            }
            Stm::If { yes, no, .. } => {
                let before = self.values.clone();
                self.block(yes);
                let after = core::mem::replace(&mut self.values, before);
                self.block(no);
                self.join(&after);
            }
            Stm::Lanes(lanes) => self.lanes(lanes),
            Stm::Alloc(..) | Stm::Check { .. } | Stm::Product(_) | Stm::Scan(_) | Stm::Hist(_) | Stm::Call(_) => {}
        }
    }

    fn store(&mut self, buffer: Buffer, range: Range) {
        let stored = self.notes.stored.entry(buffer).or_insert(Range::NONE);
        *stored = stored.or(range);
    }

    /// All that an operand was.
    fn seen(&self, x: Operand) -> Range {
        let seen = x.value().and_then(|value| self.notes.seen.get(&value)).copied();
        seen.unwrap_or(Range::NONE).or(self.range(x))
    }

    /// What values are, or what they are on another way here.
    fn join(&mut self, other: &FxHashMap<Value, Range>) {
        for (value, range) in other {
            let was = self.values.entry(*value).or_insert(Range::NONE);
            *was = was.or(*range);
        }
    }

    fn lanes(&mut self, lanes: &Lanes) {
        let Lanes { index, body, folds, .. } = lanes;
        let starts: Vec<Range> = folds.iter().map(|fold| self.range(fold.start)).collect();
        folds.iter().zip(&starts).for_each(|(fold, start)| self.set(fold.cell, *start));
        let (cells, times): (Vec<Value>, _) = (folds.iter().map(|fold| fold.cell).collect(), self.lanes);
        self.repeat(&cells, body, times, &mut |this| this.set(*index, Range::between(0, times - 1)));
        for (Fold { cell, found, op, .. }, start) in folds.iter().zip(starts) {
            let range = match op {
                None
                | Some(ScalarOp::Integer(IntegerRow::Min | IntegerRow::Max | IntegerRow::And | IntegerRow::Or)) => {
                    self.value(*cell)
                }
                // What all lanes have added is bounded together.
                Some(ScalarOp::Add) if start == Range::exactly(0) => self.value(*cell),
                Some(_) => Range::ANY,
            };
            self.set(*cell, range);
            self.store(*found, range);
        }
    }

    /// A loop of at most this many iterations, each of which begins so, with these cells among what it carries on.
    fn repeat(&mut self, cells: &[Value], body: &[Stm], times: i128, begin: &mut dyn FnMut(&mut Self)) {
        if times <= 0 {
            return;
        }
        let mut set = FxHashSet::default();
        parts::sets(body, &mut set);
        let is_carried = |value: &&Value| self.claim.sets.contains(value) && self.claim.cells.contains(value);
        let mut carried: Vec<Value> = set.iter().filter(is_carried).chain(cells).copied().collect();
        carried.sort_unstable();
        carried.dedup();
        let outer = self.notes.times;
        self.notes.times = outer.saturating_mul(times);
        let turn = Turn { entry: self.values.clone(), before: self.notes.clone(), carried, body };
        let mut heads = turn.heads();
        if !self.follow(&turn, &mut heads, &FxHashMap::default(), begin).is_empty() {
            let anything = self.settle(&turn, &FxHashMap::default(), begin);
            let growing = Growing::new(body, &self.claim.cells, |x| self.seen(x));
            let bound = |cell: &Value| Some((*cell, turn.at_entry(*cell).plus(growing.of(*cell, body, times)?)));
            let bounded: FxHashMap<Value, Range> = anything.iter().filter_map(bound).collect();
            if !bounded.is_empty() {
                // With these bounds, other values may be bounded as well.
                self.settle(&turn, &bounded, begin);
            }
        }
        self.notes.times = outer;
    }

    /// Follows a loop, and lets what grows be anything, which is returned.
    fn settle(
        &mut self,
        turn: &Turn<'_>,
        bounded: &FxHashMap<Value, Range>,
        begin: &mut dyn FnMut(&mut Self),
    ) -> Vec<Value> {
        let mut anything = Vec::new();
        loop {
            let mut heads = turn.heads();
            heads.extend(bounded);
            heads.extend(anything.iter().map(|value| (*value, Range::ANY)));
            let grown = self.follow(turn, &mut heads, bounded, begin);
            if grown.is_empty() {
                return anything;
            }
            anything.extend(grown);
        }
    }

    /// Follows a loop for some iterations, from these values of cells on: the cells that still grow after them. Those with a bound
    /// are not looked at.
    fn follow(
        &mut self,
        turn: &Turn<'_>,
        heads: &mut FxHashMap<Value, Range>,
        bounded: &FxHashMap<Value, Range>,
        begin: &mut dyn FnMut(&mut Self),
    ) -> Vec<Value> {
        let mut grown = Vec::new();
        for _ in 0..3 {
            self.notes.clone_from(&turn.before);
            self.values.clone_from(&turn.entry);
            self.values.extend(heads.iter());
            begin(self);
            self.block(turn.body);
            let grows = |value: &&Value| !bounded.contains_key(value) && !heads[*value].has(self.value(**value));
            grown = turn.carried.iter().filter(grows).copied().collect();
            if grown.is_empty() {
                self.values.extend(heads.iter());
                // There may be no iteration.
                self.join(&turn.entry);
                break;
            }
            for value in &grown {
                let range = heads[value].or(self.value(*value));
                heads.insert(*value, range);
            }
        }
        grown
    }
}

/// A loop, what was known before it, and the cells that it carries from iteration to iteration.
struct Turn<'b> {
    entry: FxHashMap<Value, Range>,
    before: Notes,
    carried: Vec<Value>,
    body: &'b [Stm],
}

impl Turn<'_> {
    fn at_entry(&self, value: Value) -> Range {
        self.entry.get(&value).copied().unwrap_or(Range::NONE)
    }

    fn heads(&self) -> FxHashMap<Value, Range> {
        self.carried.iter().map(|value| (*value, self.at_entry(*value))).collect()
    }
}
