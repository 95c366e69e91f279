//! Loops in order that follow each other, as one, where what the first puts into a lane's own memory for the second, and
//! for nothing else, then need not be there.
//!
//! Law: each iteration does what it did. What both loops touch, and one of them changes, is one place in each
//! iteration, and another one in each; what is between the loops does not see which of them has run
//! (tests/execute/loops.rs, tests/execute/work.rs).

use rustc_hash::{FxHashMap, FxHashSet};

use super::code::{Block, Buffer, BufferInfo, Code, Op, Operand, Place, Stm, Value, ValueInfo};
use super::fuse_lanes::{drop_unread, reads, stand_in};
use super::parts::{cells, each, replace};

/// Joins what can be, and drops what is then stored for nobody.
pub(crate) fn fuse_sequential(code: &mut Code) {
    let mut counts: FxHashMap<Buffer, usize> = FxHashMap::default();
    reads(&code.body, &mut |buffer| *counts.entry(buffer).or_default() += 1);
    let assigned = cells(&code.body);
    Follower { values: &code.values, buffers: &code.buffers, reads: counts }.block(&mut code.body, &assigned, false);
    drop_unread(code);
}

struct Follower<'c> {
    values: &'c [ValueInfo],
    buffers: &'c [BufferInfo],
    /// How often each buffer is read, exchanged or added to.
    reads: FxHashMap<Buffer, usize>,
}

/// What statements do, those inside of them too.
#[derive(Debug, Default)]
pub(crate) struct Effects {
    pub(crate) defines: FxHashSet<Value>,
    pub(crate) uses: FxHashSet<Value>,
    /// Whether each buffer is changed, and where it is touched; nowhere known if its size is.
    pub(crate) touches: FxHashMap<Buffer, (bool, Vec<Option<Place>>)>,
}

impl Effects {
    pub(crate) fn of<'s>(stms: impl IntoIterator<Item = &'s Stm>) -> Self {
        let mut effects = Effects::default();
        stms.into_iter().for_each(|stm| each(core::slice::from_ref(stm), &mut |stm| effects.add(stm)));
        effects
    }

    fn add(&mut self, stm: &Stm) {
        self.uses.extend(stm.operands().into_iter().filter_map(Operand::value));
        self.defines.extend(stm.sets());
        for (buffer, access, place) in stm.touches() {
            let (changed, places) = self.touches.entry(buffer).or_default();
            *changed |= access.changes();
            places.push(place.copied());
        }
    }

    /// Whether the order of the two has no effect, but for the excepted buffers.
    fn commute_but(&self, other: &Effects, left_out: impl Fn(Buffer) -> bool) -> bool {
        let apart = |a: &Effects, b: &Effects| a.defines.is_disjoint(&b.uses) && a.defines.is_disjoint(&b.defines);
        let changed = |buffer: &Buffer| {
            let both = self.touches.get(buffer).zip(other.touches.get(buffer));
            both.is_some_and(|(a, b)| a.0 || b.0) && !left_out(*buffer)
        };
        apart(self, other) && apart(other, self) && !self.touches.keys().any(changed)
    }

    /// Whether the order of the two has no effect.
    pub(crate) fn commute(&self, other: &Effects) -> bool {
        self.commute_but(other, |_| false)
    }
}

impl Follower<'_> {
    fn block(&self, block: &mut Block, assigned: &FxHashSet<Value>, in_lanes: bool) {
        for stm in &mut *block {
            let in_lanes = in_lanes || matches!(stm, Stm::Lanes(_));
            stm.blocks_mut().into_iter().for_each(|inner| self.block(inner, assigned, in_lanes));
        }
        let mut second = 1;
        while in_lanes && second < block.len() {
            let joined = (0..second).rev().find_map(|first| self.joined(block, first, second, assigned));
            match joined {
                Some(joined) => *block = joined,
                None => second += 1,
            }
        }
    }

    /// The block with two loops as one, if they can be and something need not be stored then.
    fn joined(&self, block: &Block, first: usize, second: usize, assigned: &FxHashSet<Value>) -> Option<Block> {
        let Stm::For { index, count, body, origin } = &block[first] else { return None };
        let Stm::For { index: other, count: as_many, body: next, .. } = &block[second] else { return None };
        let differs = count != as_many || matches!(count, Operand::Value(count) if assigned.contains(count));
        if differs || self.moves(body) || self.moves(next) {
            return None;
        }
        let mut next = next.clone();
        replace(&mut next, Operand::Value(*other), Operand::Value(*index));
        let (a, b) = (Effects::of(body), Effects::of(&next));
        let gone = self.stored_for(body, &next, *index, [&a, &b])?;
        let is_gone = |buffer: Buffer| gone.iter().any(|(other, _)| *other == buffer);
        if !a.commute_but(&b, |buffer| self.is_one_place(buffer, *index, [&a, &b])) {
            return None;
        }

        // What the second loop needs goes before both; the rest comes after them.
        let (mut before, mut after): (Vec<(&Stm, Effects)>, Vec<&Stm>) = Default::default();
        for stm in block[first + 1..second].iter().rev() {
            let now = Effects::of([stm]);
            if now.commute(&b) && before.iter().all(|(_, later)| now.commute(later)) {
                after.push(stm);
            } else if now.commute(&a) {
                before.push((stm, now));
            } else {
                return None;
            }
        }

        let mut both = together(self.values, body.clone(), next, &gone);
        both.retain(|stm| !matches!(stm, Stm::Store { place, .. } if is_gone(place.buffer)));
        let both = Stm::For { index: *index, count: *count, body: both, origin: *origin };
        let before = before.into_iter().rev().map(|(stm, _)| stm.clone());
        let after = after.into_iter().rev().cloned();
        let rest = block[second + 1..].iter().cloned();
        Some(block[..first].iter().cloned().chain(before).chain([both]).chain(after).chain(rest).collect())
    }

    /// Whether a loop only moves elements, or adds what all lanes have to one place: that is done for many at a time.
    fn moves(&self, body: &Block) -> bool {
        if let [Stm::Load(value, _), Stm::Store { value: stored, .. } | Stm::Update { value: stored, .. }] = &body[..] {
            return *stored == Operand::Value(*value);
        }
        let to_one = |place: &Place| {
            !self.buffers[place.buffer.0 as usize].private && place.lane.is_none() && place.varying.is_none()
        };
        body.iter().any(|stm| matches!(stm, Stm::Update { place, .. } if to_one(place)))
    }

    /// Whether all that two loops do with a buffer of each lane is at one place in an iteration, and at another in each.
    fn is_one_place(&self, buffer: Buffer, index: Value, loops: [&Effects; 2]) -> bool {
        let mut places = loops.iter().filter_map(|effects| effects.touches.get(&buffer)).flat_map(|(_, places)| places);
        let Some(Some(place)) = places.next() else { return false };
        let moves =
            place.step.is_some_and(|(step, by)| step == Operand::Value(index) && by.as_int().is_some_and(|n| n != 0));
        let known =
            |x: &Operand| matches!(x, Operand::Value(v) if *v != index && loops.iter().any(|l| l.defines.contains(v)));
        self.buffers[buffer.0 as usize].private
            && moves
            && place.varying.is_none()
            && !place.operands().iter().any(known)
            && places.all(|other| *other == Some(*place))
    }

    /// The buffers that the first loop stores to once, for the second alone, with what is stored.
    fn stored_for(
        &self,
        body: &Block,
        next: &Block,
        index: Value,
        loops: [&Effects; 2],
    ) -> Option<Vec<(Buffer, Operand)>> {
        let mut gone = Vec::new();
        for stm in body {
            let Stm::Store { place, value, mask: None } = stm else { continue };
            let stores = loops[0].touches[&place.buffer].1.len();
            let is_load = |stm: &&Stm| matches!(stm, Stm::Load(_, from) if from.buffer == place.buffer);
            let loads = next.iter().filter(is_load).count();
            let only = loops[1].touches.get(&place.buffer).is_some_and(|(changed, all)| !changed && all.len() == loads);
            if stores == 1
                && only
                && self.reads.get(&place.buffer) == Some(&loads)
                && self.is_one_place(place.buffer, index, loops)
                && next.iter().filter(is_load).all(|stm| self.can_be(stm, *value, next))
            {
                gone.push((place.buffer, *value));
            }
        }
        (!gone.is_empty()).then_some(gone)
    }

    /// Whether what is loaded can be another value in these statements: where lanes have places by it, they differ in it.
    fn can_be(&self, load: &Stm, known: Operand, stms: &Block) -> bool {
        let Stm::Load(value, _) = load else { return true };
        let varies = known.value().is_some_and(|known| self.values[known.0 as usize].varying);
        let mut is_place = false;
        each(stms, &mut |stm| {
            let mut places = stm.touches().into_iter().filter_map(|(.., place)| place?.varying);
            is_place |= places.any(|varying| varying == Operand::Value(*value));
        });
        varies || !is_place
    }
}

/// The statements of two loops, and what is stored for the second used there. Cells are set at the end.
fn together(values: &[ValueInfo], mut first: Block, mut second: Block, gone: &[(Buffer, Operand)]) -> Block {
    let end = |block: &mut Block| {
        let from = block.iter().rposition(|stm| !matches!(stm, Stm::Assign { .. })).map_or(0, |at| at + 1);
        block.split_off(from)
    };
    let (set_first, set_second) = (end(&mut first), end(&mut second));
    let mut all = first;
    all.extend(second);
    all.extend(set_second);
    let mut k = 0;
    while k < all.len() {
        if let Stm::Load(value, place) = &all[k]
            && let Some((_, known)) = gone.iter().find(|(buffer, _)| *buffer == place.buffer)
        {
            let value = *value;
            stand_in(&mut all, k, value, *known);
            continue;
        }
        k += 1;
    }
    once(values, &mut all, &set_first);
    for stm in &set_first {
        if let Stm::Assign { cells, mask: None } = stm {
            cells.iter().for_each(|(_, x)| sink(&mut all, *x));
        }
    }
    all.extend(set_first);
    all
}

/// Computes and loads once what is the same.
pub(super) fn once(values: &[ValueInfo], all: &mut Block, set: &[Stm]) {
    let mut assigned = cells(all);
    assigned.extend(cells(set));
    let changed = Effects::of(&*all).touches;
    let lasts = |x: &Operand| x.value().is_none_or(|value| !assigned.contains(&value));
    // One may be of all lanes, and the other of each.
    let alike = |a: Value, b: Value| values[a.0 as usize].varying == values[b.0 as usize].varying;
    let mut loaded: FxHashMap<Place, Value> = FxHashMap::default();
    let mut computed: FxHashMap<(Op, Vec<Operand>), Value> = FxHashMap::default();
    let mut k = 0;
    while k < all.len() {
        let same = if let Stm::Load(value, place) = &all[k]
            && !changed[&place.buffer].0
            && place.operands().iter().all(lasts)
        {
            Some((*value, *loaded.entry(*place).or_insert(*value)))
        } else if let Stm::Let(value, op, x) = &all[k]
            && x.iter().all(lasts)
        {
            Some((*value, *computed.entry((*op, x.clone())).or_insert(*value)))
        } else {
            None
        };
        match same {
            Some((value, known)) if known != value && !assigned.contains(&value) && alike(value, known) => {
                stand_in(all, k, value, Operand::Value(known));
            }
            _ => k += 1,
        }
    }
}

/// Computes a value that is for a cell alone at the end, so that it can be computed in the cell.
fn sink(all: &mut Block, x: Operand) {
    let Operand::Value(value) = x else { return };
    let Some(at) = all.iter().position(|stm| matches!(stm, Stm::Let(other, ..) if *other == value)) else { return };
    let later = Effects::of(&all[at + 1..]);
    if later.uses.contains(&value) || !Effects::of([&all[at]]).commute(&later) {
        return;
    }
    let stm = all.remove(at);
    all.push(stm);
}
