//! Loops over lanes that follow each other, as one, and no detour through memory between them.
//!
//! Law: each lane does what it did, in the same order. Loops are not fused if one could see what other lanes of the other
//! do: what both touch and one changes, both have at the same place for each lane. What is between them does not depend
//! on which of them has run (tests/execute/lanes.rs, tests/execute/work.rs).

use rustc_hash::{FxHashMap, FxHashSet};

use super::code::{Block, Buffer, BufferInfo, Code, Lanes, Op, Operand, Place, Stm, Value, ValueInfo};
use super::fuse_sequential::{Effects, once};
use super::parts::{cells, each, replace};
use crate::array::ScalarOp;

/// Merges what can be, and drops what is then stored for nobody.
pub(crate) fn fuse_lanes(code: &mut Code) {
    fuse(code, false);
}

/// The same, for machines on which loops are shared out whatever they write to, if no two lanes set the same element.
#[cfg(feature = "gpu")]
pub(crate) fn fuse_lanes_and_rows(code: &mut Code) {
    fuse(code, true);
}

fn fuse(code: &mut Code, rows: bool) {
    let tests = tests(&code.body);
    let merger = Merger { values: &code.values, buffers: &code.buffers, tests, rows };
    merger.block(&mut code.body, &Equal::default());
    drop_unread(code);
}

/// Drops what is stored for nobody.
pub(super) fn drop_unread(code: &mut Code) {
    let mut read: FxHashSet<Buffer> = code.ports().collect();
    reads(&code.body, &mut |buffer| read.extend([buffer]));
    drop_stores(&mut code.body, &read);
}

/// Sizes that were checked to be equal: the next of those that stand for each.
pub(super) type Equal = FxHashMap<Operand, Operand>;

/// The truth values that say that two operands are equal.
pub(super) type Tests = FxHashMap<Value, (Operand, Operand)>;

struct Merger<'c> {
    values: &'c [ValueInfo],
    buffers: &'c [BufferInfo],
    tests: Tests,
    /// Whether a loop of which lanes set elements in rows of their own is shared out as any other is.
    rows: bool,
}

/// A buffer that all lanes share, where it is touched, and whether it is changed there.
type Touch = (Buffer, Place, bool);

/// The last loop over lanes of a block: where it is, what it does, and what those after it do that cannot run before it.
struct Open {
    at: usize,
    does: Effects,
    after: Vec<Effects>,
}

/// More statements than these do not stay between two loops.
const MAX_STATEMENTS_BETWEEN: usize = 64;

impl Merger<'_> {
    fn block(&self, block: &mut Block, equal: &Equal) {
        let mut equal = equal.clone();
        let mut out: Block = Vec::new();
        let mut open: Option<Open> = None;
        // The numbers of what loops leave that are a part of another now.
        let mut names: Vec<[Operand; 2]> = Vec::new();
        for mut stm in core::mem::take(block) {
            names.iter().for_each(|[old, new]| replace(core::slice::from_mut(&mut stm), *old, *new));
            learn(&stm, &self.tests, &mut equal);
            if !matches!(stm, Stm::Lanes(_)) {
                stm.blocks_mut().into_iter().for_each(|inner| self.block(inner, &equal));
            }
            let Some(last) = &mut open else {
                open = Open::of(&stm, out.len());
                out.push(stm);
                continue;
            };
            let does = Effects::of([&stm]);
            let moves = ends(&stm) && last.after.iter().all(|other| does.commute(other));
            if let (Stm::Lanes(first), Stm::Lanes(next)) = (&out[last.at], &stm) {
                if moves
                    && self.fit([first, next], [&last.does, &does], &equal)
                    && let Some(joined) = self.joined(first, next)
                {
                    let left = [next.folded, joined.folded].map(|left| left.map(Operand::Value));
                    if let [Some(old), Some(new)] = left
                        && old != new
                    {
                        names.push([old, new]);
                    }
                    let joined = Stm::Lanes(Box::new(joined));
                    last.does = Effects::of([&joined]);
                    out[last.at] = joined;
                    continue;
                }
                open = Open::of(&stm, out.len());
            } else if moves && does.commute(&last.does) {
                out.insert(last.at, stm);
                last.at += 1;
                continue;
            } else if last.after.len() == MAX_STATEMENTS_BETWEEN {
                open = None;
            } else {
                last.after.push(does);
            }
            out.push(stm);
        }
        *block = out;
    }

    fn touches(&self, block: &Block) -> Vec<Touch> {
        let mut all = Vec::new();
        each(block, &mut |stm| {
            assert!(!matches!(stm, Stm::Product(_)), "products are found in loops that are merged");
            all.extend(stm.element().map(|(place, access)| (place.buffer, *place, access.changes())));
        });
        all.retain(|(buffer, ..)| !self.buffers[buffer.0 as usize].private);
        all
    }

    /// Whether two loops over lanes, that do this, can be one.
    fn fit(&self, [last, next]: [&Lanes; 2], [before, after]: [&Effects; 2], equal: &Equal) -> bool {
        if same(last.count, equal) != same(next.count, equal) || !before.defines.is_disjoint(&after.uses) {
            return false;
        }
        // A loop that can be shared out stays one.
        let apart = |lanes: &Lanes| if self.rows { lanes.colliding().is_empty() } else { lanes.scatters.is_empty() };
        if apart(last) != apart(next) || !last.adds.is_empty() || !next.adds.is_empty() {
            return false;
        }
        // All that lanes fold, they leave as many values of.
        let one = |lanes: &Lanes| lanes.folds.iter().all(|fold| fold.op.is_some());
        let both = !last.folds.is_empty() && !next.folds.is_empty();
        if both && one(last) != one(next) {
            return false;
        }
        let leaves =
            |lanes: &Lanes, effects: &Effects| lanes.folds.iter().any(|fold| effects.touches.contains_key(&fold.found));
        if leaves(last, after) || leaves(next, before) {
            return false;
        }
        let (before, after) = (self.touches(&last.body), self.touches(&next.body));
        before.iter().all(|(buffer, place, changes)| {
            after.iter().filter(|(other, ..)| other == buffer).all(|(_, other, also)| {
                let is_own = place.lane == Some(Operand::int(1)) && place.step.is_none() && place.varying.is_none();
                !(*changes || *also) || is_own && place == other
            })
        })
    }

    /// The two as one, unless it would load what it changes.
    fn joined(&self, last: &Lanes, next: &Lanes) -> Option<Lanes> {
        let (mut all, mut next) = (last.clone(), next.clone());
        let (old, new) = (Operand::Value(next.index), Operand::Value(last.index));
        replace(&mut next.body, old, new);
        all.body.extend(next.body);
        for write in next.writes {
            if !all.writes.iter().any(|(buffer, ..)| *buffer == write.0) {
                all.writes.push(write);
            }
        }
        all.scatters.extend(next.scatters);
        all.folds.extend(next.folds);
        all.folded = all.folded.or(next.folded);
        self.forward(&mut all.body);
        once(self.values, &mut all.body, &[]);
        let touches = self.touches(&all.body);
        let changed: FxHashSet<Buffer> = touches.iter().filter(|touch| touch.2).map(|touch| touch.0).collect();
        touches.iter().all(|(buffer, _, changes)| *changes || !changed.contains(buffer)).then_some(all)
    }

    /// Uses what was stored instead of loading it again.
    fn forward(&self, body: &mut Block) {
        let assigned = cells(body);
        let mut stored: FxHashMap<Place, Operand> = FxHashMap::default();
        let mut k = 0;
        while k < body.len() {
            match &body[k] {
                Stm::Store { place, value: Operand::Value(value), mask: None }
                    if self.values[value.0 as usize].varying && !assigned.contains(value) =>
                {
                    let (place, value) = (*place, Operand::Value(*value));
                    stored.retain(|other, _| other.buffer != place.buffer);
                    let shared = !self.buffers[place.buffer.0 as usize].private;
                    if shared && place.lane == Some(Operand::int(1)) && place.varying.is_none() {
                        stored.insert(place, value);
                    }
                }
                Stm::Store { place, .. } | Stm::Update { place, .. } => {
                    stored.retain(|other, _| other.buffer != place.buffer);
                }
                Stm::Load(value, place) => {
                    if let Some(known) = stored.get(place) {
                        let (value, known) = (*value, *known);
                        stand_in(body, k, value, known);
                        continue;
                    }
                }
                stm if !stm.blocks().is_empty() => stored.clear(),
                _ => {}
            }
            k += 1;
        }
    }
}

impl Open {
    /// A loop over lanes at a place of its block.
    fn of(stm: &Stm, at: usize) -> Option<Self> {
        let does = matches!(stm, Stm::Lanes(_)).then(|| Effects::of([stm]));
        does.map(|does| Open { at, does, after: Vec::new() })
    }
}

/// Whether a statement comes to an end even where a check before it has failed.
fn ends(stm: &Stm) -> bool {
    !matches!(stm, Stm::While { .. }) && stm.blocks().into_iter().flatten().all(ends)
}

/// The tests of a program that have the same value wherever they are evaluated.
pub(super) fn tests(block: &Block) -> Tests {
    let (assigned, mut all) = (cells(block), Tests::default());
    let lasts = |x: &Operand| x.value().is_none_or(|value| !assigned.contains(&value));
    each(block, &mut |stm| {
        if let Stm::Let(value, Op::Scalar(ScalarOp::Equal), x) = stm
            && x.iter().all(lasts)
        {
            all.insert(*value, (x[0], x[1]));
        }
    });
    all
}

/// Takes note of what a statement checks.
pub(super) fn learn(stm: &Stm, tests: &Tests, equal: &mut Equal) {
    if let Stm::Check { condition: Operand::Value(test), mask: None, blame: _ } = stm
        && let Some((a, b)) = tests.get(test)
    {
        let (a, b) = (same(*a, equal), same(*b, equal));
        if a != b {
            // A number stands for a value, and not the other way around.
            let (a, b) = if b.as_int().is_some() { (b, a) } else { (a, b) };
            equal.insert(b, a);
        }
    }
}

/// What stands for an operand and all that are equal to it.
pub(super) fn same(mut x: Operand, equal: &Equal) -> Operand {
    while let Some(next) = equal.get(&x) {
        x = *next;
    }
    x
}

/// Takes a statement out of a block, and puts an operand where its value was.
pub(super) fn stand_in(block: &mut Block, at: usize, value: Value, known: Operand) {
    block.remove(at);
    replace(&mut block[at..], Operand::Value(value), known);
}

/// Calls `visit` on each buffer that is read, or exchanged, or added to, as often as it is.
pub(super) fn reads(block: &Block, visit: &mut dyn FnMut(Buffer)) {
    each(block, &mut |stm| {
        stm.touches().iter().filter(|(_, access, _)| access.looks()).for_each(|(buffer, ..)| visit(*buffer));
    });
}

fn drop_stores(block: &mut Block, read: &FxHashSet<Buffer>) {
    let unread = |buffer: &Buffer| !read.contains(buffer);
    block.retain_mut(|stm| match stm {
        Stm::Store { place: Place { buffer, .. }, .. } | Stm::Alloc(buffer, _) => !unread(buffer),
        Stm::Scan(scan) => {
            scan.to.iter_mut().for_each(|to| *to = to.filter(|line| !unread(&line.place.buffer)));
            scan.to.iter().any(Option::is_some)
        }
        _ => true,
    });
    for stm in block {
        if let Stm::Lanes(lanes) = stm {
            lanes.writes.retain(|(buffer, ..)| read.contains(buffer));
            lanes.scatters.retain(|buffer| read.contains(buffer));
        }
        stm.blocks_mut().into_iter().for_each(|inner| drop_stores(inner, read));
    }
}
