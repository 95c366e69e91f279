//! Loops of loops over the same lanes, the other way around: each lane goes through the iterations by itself.
//!
//! What lanes carry from one iteration to the next is then in their registers, and the loop over lanes begins once.
//!
//! Law: what an iteration changes, each lane has at a place of its own, which no other lane looks at in any iteration;
//! each lane does what it did, in the same order. Loops that could be shared out in each iteration stay as they were,
//! by the sizes of the run (tests/execute/loops.rs).

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};

use super::code::{Block, Buffer, BufferInfo, Code, Lanes, Op, Operand, Place, Stm, Value, ValueInfo};
use super::fuse_lanes::{Equal, Tests, learn, same, tests};
use super::parts::{each, rename, sets};
use crate::array::{Const, Prim, ScalarOp};

/// Interchanges what can be, of fewer lanes than are shared out to workers in each iteration.
pub(crate) fn interchange(code: &mut Code, many: i64) {
    let tests = tests(&code.body);
    let mut mentions: FxHashMap<Buffer, usize> = FxHashMap::default();
    let mut mention = |buffer: Buffer| *mentions.entry(buffer).or_default() += 1;
    code.ports().for_each(&mut mention);
    mentioned(&code.body, &mut mention);
    let Code { values, buffers, sums, body, .. } = code;
    Interchanger { values, buffers, sums, mentions, tests, many }.block(body, &Equal::default());
}

struct Interchanger<'c> {
    values: &'c mut Vec<ValueInfo>,
    buffers: &'c [BufferInfo],
    sums: &'c mut FxHashMap<Value, Value>,
    /// How often buffers are mentioned.
    mentions: FxHashMap<Buffer, usize>,
    tests: Tests,
    /// How many lanes are worth being shared out to workers.
    many: i64,
}

/// What is known of a loop that can be interchanged.
struct Known {
    /// The lanes of each iteration.
    count: Operand,
    /// What is set in an iteration.
    set: FxHashSet<Value>,
    /// What iterations change: where each lane has one element, and where it has one for each iteration.
    rows: FxHashSet<Buffer>,
    stacks: FxHashSet<Buffer>,
    /// The rows that are mentioned elsewhere too.
    outside: Vec<Buffer>,
}

/// A loop over lanes on its way.
struct Writer<'k> {
    known: &'k Known,
    lane: Value,
    /// What each row holds, if that is not what it held when the iteration began.
    now: FxHashMap<Buffer, Operand>,
    /// What each row held when the iteration began.
    cells: BTreeMap<Buffer, Value>,
    /// What stands for values that are not loaded.
    instead: FxHashMap<Value, Operand>,
    /// What has been loaded of what does not change.
    loaded: FxHashMap<Place, Operand>,
    /// What is the same in all iterations.
    before: Block,
    body: Block,
}

impl Interchanger<'_> {
    fn block(&mut self, block: &mut Block, equal: &Equal) {
        let mut equal = equal.clone();
        for mut stm in core::mem::take(block) {
            learn(&stm, &self.tests, &mut equal);
            if !matches!(stm, Stm::Lanes(_)) {
                stm.blocks_mut().into_iter().for_each(|inner| self.block(inner, &equal));
            }
            match self.known(&stm, &equal) {
                Some(known) => {
                    let new = self.written(&stm, &known);
                    self.chosen(known.count, new, stm, block);
                }
                None => block.push(stm),
            }
        }
    }

    /// The new loop, or the old one, by the number of lanes.
    fn chosen(&mut self, count: Operand, new: Stm, old: Stm, block: &mut Block) {
        let condition = match count.as_int() {
            Some(n) => Operand::Const(Const::Bool((1..self.many).contains(&n))),
            None => {
                let tests = [(Operand::int(1), count), (count, Operand::int(self.many - 1))].map(|(a, b)| {
                    let test = self.value(Prim::Bool, false);
                    block.push(Stm::Let(test, Op::Scalar(ScalarOp::LessOrEqual), vec![a, b]));
                    Operand::Value(test)
                });
                let both = self.value(Prim::Bool, false);
                block.push(Stm::Let(both, Op::Scalar(ScalarOp::Mul), tests.to_vec()));
                Operand::Value(both)
            }
        };
        match condition {
            Operand::Const(Const::Bool(known)) => block.push(if known { new } else { old }),
            condition => block.push(Stm::If { condition, yes: vec![new], no: vec![old] }),
        }
    }

    fn value(&mut self, prim: Prim, varying: bool) -> Value {
        self.values.push(ValueInfo { prim, varying });
        Value(u32::try_from(self.values.len() - 1).expect("code has fewer than 2^32 values"))
    }

    /// What is known of a loop, if it can be interchanged.
    fn known(&self, stm: &Stm, equal: &Equal) -> Option<Known> {
        let Stm::For { index, body, .. } = stm else { return None };
        let mut count = None;
        let mut rows: FxHashSet<Buffer> = FxHashSet::default();
        let mut allocated: FxHashSet<Buffer> = FxHashSet::default();
        for stm in body {
            match stm {
                Stm::Lanes(lanes) => {
                    let now = same(lanes.count, equal);
                    let differs = count.is_some_and(|count| count != now);
                    if differs || !lanes.folds.is_empty() || !lanes.adds.is_empty() {
                        return None;
                    }
                    count = Some(now);
                }
                Stm::Alloc(buffer, _) => {
                    allocated.insert(*buffer);
                }
                Stm::Swap(a, b) => rows.extend([*a, *b]),
                Stm::Let(..) | Stm::Load(..) | Stm::Check { .. } | Stm::Bounds { .. } => {}
                Stm::Assign { cells, .. } if cells.is_empty() => {}
                _ => return None,
            }
        }
        let count = count?;
        rows.extend(&allocated);
        let mut set: FxHashSet<Value> = core::iter::once(*index).collect();
        sets(body, &mut set);
        if matches!(count, Operand::Value(value) if set.contains(&value)) {
            return None;
        }
        let mut known = Known { count, set, rows, stacks: FxHashSet::default(), outside: Vec::new() };
        self.sort(&mut known, body, equal)?;
        let mut inside: FxHashMap<Buffer, usize> = FxHashMap::default();
        mentioned(body, &mut |buffer| *inside.entry(buffer).or_default() += 1);
        known.outside = known.rows.iter().filter(|row| inside.get(row) != self.mentions.get(row)).copied().collect();
        known.outside.sort_unstable();
        known.outside.iter().all(|row| !allocated.contains(row)).then_some(known)
    }

    /// Sorts what is changed into what lanes have once, and for each iteration; nothing if it is neither.
    fn sort(&self, known: &mut Known, body: &Block, equal: &Equal) -> Option<()> {
        let mut touches: Vec<(&Stm, bool)> = Vec::new();
        for stm in body {
            if let Stm::Lanes(lanes) = stm {
                touched(&lanes.body, false, &mut touches);
            } else if let Stm::Load(..) = stm {
                touches.push((stm, false));
            }
        }
        let shared = |place: &Place| !self.buffers[place.buffer.0 as usize].private;
        touches.retain(|(stm, _)| stm.element().is_some_and(|(place, _)| shared(place)));
        let alone = |place: &Place| {
            place.lane == Some(Operand::int(1)) && place.base == Operand::int(0) && place.varying.is_none()
        };
        for (stm, nested) in &touches {
            let (Stm::Store { place, mask, .. } | Stm::Update { place, mask, .. }) = stm else { continue };
            match place.step {
                None if !*nested && mask.is_none() && matches!(stm, Stm::Store { .. }) => {
                    known.rows.insert(place.buffer);
                }
                Some(_) => {
                    known.stacks.insert(place.buffer);
                }
                None => return None,
            }
        }
        if !known.rows.is_disjoint(&known.stacks) {
            return None;
        }
        let fits = touches.iter().filter_map(|(stm, _)| stm.element()).all(|(place, _)| {
            if known.rows.contains(&place.buffer) {
                return alone(place) && place.step.is_none();
            }
            // The distance between iterations is the number of lanes, so lanes do not meet.
            let apart = |(_, by): (Operand, Operand)| same(by, equal) == known.count;
            !known.stacks.contains(&place.buffer) || alone(place) && place.step.is_some_and(apart)
        });
        fits.then_some(())
    }

    /// The loop over lanes that a loop becomes.
    fn written(&mut self, stm: &Stm, known: &Known) -> Stm {
        let Stm::For { index, count: times, body, origin } = stm else { unreachable!("a loop is interchanged") };
        let mut writer = Writer {
            known,
            lane: self.value(Prim::I64, true),
            now: FxHashMap::default(),
            cells: BTreeMap::new(),
            instead: FxHashMap::default(),
            loaded: FxHashMap::default(),
            before: Vec::new(),
            body: Vec::new(),
        };
        for stm in body {
            match stm {
                Stm::Alloc(..) | Stm::Assign { .. } => {}
                Stm::Swap(a, b) => {
                    let (x, y) = (self.held(&mut writer, *a), self.held(&mut writer, *b));
                    writer.now.extend([(*a, y), (*b, x)]);
                }
                Stm::Lanes(lanes) => {
                    writer.instead.insert(lanes.index, Operand::Value(writer.lane));
                    lanes.body.iter().for_each(|stm| self.in_lane(&mut writer, stm));
                }
                stm => {
                    let stm = writer.with(stm);
                    writer.body.push(stm);
                }
            }
        }
        for row in &known.outside {
            self.cell(&mut writer, *row);
        }
        let Writer { now, cells, lane, mut before, body: mut inner, .. } = writer;
        let needed = needed(known, &now, &cells, &inner);
        let mut after = Vec::new();
        for (row, cell) in cells.iter().filter(|(_, cell)| needed.contains(*cell)) {
            let prim = self.buffers[row.0 as usize].prim;
            let mut first = Operand::Const(prim.zero());
            if known.outside.contains(row) {
                let place = Place { lane: Some(Operand::int(1)), ..Place::first(*row) };
                let found = self.value(prim, true);
                before.push(Stm::Load(found, place));
                first = Operand::Value(found);
                after.push(Stm::Store { place, value: Operand::Value(*cell), mask: None });
            }
            before.push(Stm::Assign { cells: vec![(*cell, first)], mask: None });
        }
        let next = cells.iter().filter(|(_, cell)| needed.contains(*cell)).filter_map(|(row, cell)| {
            let now = *now.get(row)?;
            (now != Operand::Value(*cell)).then_some((*cell, now))
        });
        inner.push(Stm::Assign { cells: next.collect(), mask: None });
        let mut all = before;
        all.push(Stm::For { index: *index, count: *times, body: inner, origin: *origin });
        all.extend(after);
        self.renamed(&mut all, &known.set);
        let mut scatters: Vec<Buffer> = known.stacks.iter().chain(&known.outside).copied().collect();
        scatters.sort_unstable();
        Stm::Lanes(Box::new(Lanes {
            index: lane,
            count: known.count,
            body: all,
            writes: Vec::new(),
            adds: Vec::new(),
            scatters,
            folds: Vec::new(),
            folded: None,
            origin: *origin,
        }))
    }

    /// Gives what is set in a loop other names: the loop as it was has these.
    fn renamed(&mut self, block: &mut Block, set: &FxHashSet<Value>) {
        let mut old: Vec<Value> = set.iter().copied().collect();
        old.sort_unstable();
        let names: FxHashMap<Value, Value> = old
            .into_iter()
            .map(|old| {
                let ValueInfo { prim, varying } = self.values[old.0 as usize];
                (old, self.value(prim, varying))
            })
            .collect();
        block.iter_mut().for_each(|stm| rename(stm, &names));
        let new = |value: Value| names.get(&value).copied().unwrap_or(value);
        let sums: Vec<(Value, Value)> = self
            .sums
            .iter()
            .filter(|(sum, _)| names.contains_key(sum))
            .map(|(sum, of)| (new(*sum), new(*of)))
            .collect();
        self.sums.extend(sums);
    }

    /// What a row holds.
    fn held(&mut self, writer: &mut Writer<'_>, row: Buffer) -> Operand {
        if let Some(now) = writer.now.get(&row) {
            return *now;
        }
        Operand::Value(self.cell(writer, row))
    }

    /// What stands for what a row held when the iteration began.
    fn cell(&mut self, writer: &mut Writer<'_>, row: Buffer) -> Value {
        let prim = self.buffers[row.0 as usize].prim;
        *writer.cells.entry(row).or_insert_with(|| self.value(prim, true))
    }

    /// A statement of a loop over lanes, with registers for rows.
    fn in_lane(&mut self, writer: &mut Writer<'_>, stm: &Stm) {
        match stm {
            Stm::Load(value, place) if writer.known.rows.contains(&place.buffer) => {
                let held = self.held(writer, place.buffer);
                writer.instead.insert(*value, held);
            }
            Stm::Load(value, place) if writer.lasts(place) && !self.buffers[place.buffer.0 as usize].private => {
                let Stm::Load(_, place) = writer.with(stm) else { unreachable!("it is loaded") };
                if let Some(known) = writer.loaded.get(&place) {
                    writer.instead.insert(*value, *known);
                    return;
                }
                writer.loaded.insert(place, Operand::Value(*value));
                let block = if writer.is_fixed(&place) { &mut writer.before } else { &mut writer.body };
                block.push(Stm::Load(*value, place));
            }
            Stm::Store { place, value, .. } if writer.known.rows.contains(&place.buffer) => {
                let value = writer.operand(*value);
                let varies = matches!(value, Operand::Value(value) if self.values[value.0 as usize].varying);
                let value = if varies {
                    value
                } else {
                    let cell = self.value(self.buffers[place.buffer.0 as usize].prim, true);
                    writer.body.push(Stm::Assign { cells: vec![(cell, value)], mask: None });
                    Operand::Value(cell)
                };
                writer.now.insert(place.buffer, value);
            }
            stm => {
                let mut loads = Vec::new();
                each(core::slice::from_ref(stm), &mut |stm| {
                    if let Stm::Load(value, place) = stm {
                        loads.extend(writer.known.rows.contains(&place.buffer).then_some((*value, place.buffer)));
                    }
                });
                for (value, row) in loads {
                    let held = self.held(writer, row);
                    writer.instead.insert(value, held);
                }
                let stm = writer.with(stm);
                writer.body.push(stm);
            }
        }
    }
}

impl Writer<'_> {
    fn operand(&self, x: Operand) -> Operand {
        x.value().and_then(|value| self.instead.get(&value)).copied().unwrap_or(x)
    }

    /// Whether what is there stays what it is, and so does what says where that is in an iteration.
    fn lasts(&self, place: &Place) -> bool {
        !self.known.stacks.contains(&place.buffer) && place.varying.is_none()
    }

    /// Whether lanes load the same in all iterations.
    fn is_fixed(&self, place: &Place) -> bool {
        let set = |x: Operand| matches!(x, Operand::Value(value) if self.known.set.contains(&value));
        !place.operands().into_iter().any(set)
    }

    /// A statement with what stands for values that are not loaded.
    fn with(&self, stm: &Stm) -> Stm {
        let mut stm = stm.clone();
        self.put(&mut stm);
        stm
    }

    fn put(&self, stm: &mut Stm) {
        let used: FxHashSet<Operand> = stm.operands().into_iter().collect();
        for old in used {
            let new = self.operand(old);
            if new != old {
                stm.replace(old, new);
            }
        }
        for block in stm.blocks_mut() {
            block.retain(|stm| !matches!(stm, Stm::Load(value, _) if self.instead.contains_key(value)));
            block.iter_mut().for_each(|stm| self.put(stm));
        }
    }
}

/// The cells that something needs: those that are used in an iteration, those of rows that are wanted after the loop, and
/// those that these are set to.
fn needed(
    known: &Known,
    now: &FxHashMap<Buffer, Operand>,
    cells: &BTreeMap<Buffer, Value>,
    body: &Block,
) -> FxHashSet<Value> {
    let rows: FxHashMap<Value, Buffer> = cells.iter().map(|(row, cell)| (*cell, *row)).collect();
    let mut wanted: Vec<Value> = known.outside.iter().map(|row| cells[row]).collect();
    each(body, &mut |stm| wanted.extend(stm.operands().into_iter().filter_map(Operand::value)));
    let mut needed = FxHashSet::default();
    while let Some(value) = wanted.pop() {
        if let Some(row) = rows.get(&value)
            && needed.insert(value)
            && let Some(Operand::Value(next)) = now.get(row)
        {
            wanted.push(*next);
        }
    }
    needed
}

/// The statements that touch buffers, each with whether it is in a loop or a branch.
fn touched<'b>(block: &'b [Stm], nested: bool, all: &mut Vec<(&'b Stm, bool)>) {
    for stm in block {
        all.extend(stm.element().map(|_| (stm, nested)));
        stm.blocks().into_iter().for_each(|inner| touched(inner, true, all));
    }
}

/// Every mention of a buffer.
fn mentioned(block: &Block, visit: &mut impl FnMut(Buffer)) {
    each(block, &mut |stm| stm.touches().into_iter().for_each(|(buffer, ..)| visit(buffer)));
}
