//! Accesses that are inside of their buffers, and checks and choices that are decided, found out before the code runs.
//!
//! The code is followed once, in its order, with what is known on the way: indices of loops are less than their counts, what was
//! checked holds after the check, a choice's condition inside of it. A loop is followed for any iteration: of what it sets nothing is
//! known at its beginning, but that buffers have the lengths that they have at its end as well.
//!
//! Law: an element that is said to be inside is in its buffer whenever it is read or written, in every lane that does the program's
//! work; lanes behind the last one may be anywhere. A check that is dropped holds, and a branch that is dropped is not taken
//! (tests/execute/ranges.rs, laws: executors::suite).

use std::rc::Rc;

use super::code::{Block, Buffer, Code, Inside, Lanes, Operand, Place, Stm, Value};
use super::conditions::Condition;
use super::inequalities::Mark;
use super::knowledge::{ANY, Knowledge, State};
use super::parts::{Access, Mentions, each, sets};
use super::polynomial::Polynomial;
use crate::array::Prim;

/// Says which accesses are inside, and drops what is decided. Passes after this one may drop statements, and no more.
pub(crate) fn prove(code: &mut Code) {
    let mut walk = Walk::of(code);
    walk.block(&code.body);
    let decisions = walk.decisions;
    apply(&mut code.body, &mut decisions.into_iter());
}

/// What is found out of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Decision {
    Nothing,
    Inside,
    /// A check that holds.
    Holds,
    /// A choice that is always the same.
    Is(bool),
}

/// What is done with statements, in their order.
fn apply(block: &mut Block, decisions: &mut dyn Iterator<Item = Decision>) {
    let mut kept = Vec::with_capacity(block.len());
    for mut stm in block.drain(..) {
        let decision = decisions.next().expect("each statement is followed");
        stm.blocks_mut().into_iter().for_each(|inner| apply(inner, decisions));
        match (decision, stm) {
            (Decision::Holds, _) => {}
            (Decision::Is(truth), Stm::If { yes, no, .. }) => kept.extend(if truth { yes } else { no }),
            (Decision::Inside, mut stm) => {
                stm.element_mut().expect("an access is of an element").inside = Inside(true);
                kept.push(stm);
            }
            (_, stm) => kept.push(stm),
        }
    }
    *block = kept;
}

/// Code that is followed.
struct Walk<'c> {
    here: Knowledge<'c>,
    mentions: Mentions,
    /// What was found true.
    held: Vec<Value>,
    /// Indices that are inside of a length where a mask is true.
    masked: Vec<(Operand, Polynomial, Polynomial)>,
    /// The number of the lane.
    lane: Option<Polynomial>,
    decisions: Vec<Decision>,
}

/// A state of the facts that hold in a block and not after it.
struct Scope {
    mark: Mark,
    aside: usize,
    held: usize,
    masked: usize,
}

impl<'c> Walk<'c> {
    fn of(code: &'c Code) -> Self {
        Walk {
            here: Knowledge::of(code),
            mentions: Mentions::of(&code.outputs, &code.body),
            held: Vec::new(),
            masked: Vec::new(),
            lane: None,
            decisions: Vec::new(),
        }
    }

    fn enter(&self) -> Scope {
        Scope {
            mark: self.here.known.mark(),
            aside: self.here.aside.len(),
            held: self.held.len(),
            masked: self.masked.len(),
        }
    }

    fn leave(&mut self, scope: &Scope) {
        self.here.known.back_to(scope.mark);
        self.here.aside.truncate(scope.aside);
        self.held.truncate(scope.held);
        self.masked.truncate(scope.masked);
    }

    fn block(&mut self, block: &Block) {
        block.iter().for_each(|stm| self.statement(stm));
    }

    fn statement(&mut self, stm: &Stm) {
        self.here.known.statement();
        let number = self.decisions.len();
        self.decisions.push(Decision::Nothing);
        self.decisions[number] = match stm {
            Stm::Let(value, op, operands) => {
                self.here.computed(*value, *op, operands);
                Decision::Nothing
            }
            Stm::Load(value, place) => {
                let is_inside = self.is_inside(place, None);
                let kind = self.here.code.prim(Operand::Value(*value));
                let range =
                    self.here.contents[place.buffer.0 as usize].filter(|_| !kind.is_real() && kind != Prim::U64);
                let integer = range.map(|(least, greatest)| {
                    // What is not there is 0.
                    let (least, greatest) = if is_inside { (least, greatest) } else { (least.min(0), greatest.max(0)) };
                    self.here.known.atom((least.into(), greatest.into()))
                });
                self.here.set(*value, integer, None);
                if is_inside { Decision::Inside } else { Decision::Nothing }
            }
            Stm::Store { place, mask, .. } => {
                // All lanes store their rows, some of them what is there.
                let is_row = self.here.code.buffers[place.buffer.0 as usize].private && place.varying.is_none();
                if self.is_inside(place, mask.filter(|_| !is_row)) { Decision::Inside } else { Decision::Nothing }
            }
            Stm::Update { place, mask, .. } => {
                // Lanes that have elements of their own, or all the same one, change it by nothing where they are to do nothing.
                let is_one_by_one = self.lane.is_none()
                    || place.varying.is_some() && !self.here.code.buffers[place.buffer.0 as usize].private;
                if self.is_inside(place, mask.filter(|_| is_one_by_one)) { Decision::Inside } else { Decision::Nothing }
            }
            Stm::Alloc(buffer, count) => {
                let count = self.here.integer(*count);
                self.here.lengths[buffer.0 as usize] = Some(count).filter(|count| self.here.known.is_held(count));
                Decision::Nothing
            }
            Stm::Swap(a, b) => {
                self.here.lengths.swap(a.0 as usize, b.0 as usize);
                Decision::Nothing
            }
            Stm::Assign { cells, mask } => {
                self.assign(cells, *mask);
                Decision::Nothing
            }
            Stm::Check { condition, mask, .. } => self.check(*condition, *mask),
            Stm::Bounds { index, length, mask, .. } => self.bounds(*index, *length, *mask),
            Stm::For { index, count, body, .. } => {
                let is_set_inside = count
                    .value()
                    .is_some_and(|count| !self.mentions.get(count).is_set_once() && set_in(&[body]).contains(&count));
                let count = if is_set_inside { self.here.known.atom(ANY) } else { self.here.integer(*count) };
                self.repeated(&[body], |this| {
                    this.here.assume_some(&count);
                    let number = this.here.index(&count);
                    this.here.set(*index, Some(number), None);
                    this.block(body);
                });
                self.here.set(*index, None, None);
                Decision::Nothing
            }
            Stm::While { before, condition, body, .. } => {
                self.repeated(&[before, body], |this| {
                    this.block(before);
                    if !this.here.varies(*condition) {
                        this.here.assume(&this.here.truth(*condition), true);
                    }
                    this.block(body);
                });
                Decision::Nothing
            }
            Stm::If { condition, yes, no } => self.choice(*condition, yes, no),
            Stm::Lanes(lanes) => {
                self.lanes(lanes);
                Decision::Nothing
            }
            Stm::Product(_) | Stm::Scan(_) | Stm::Hist(_) | Stm::Call(_) => Decision::Nothing,
        };
    }

    /// Whether an element is in its buffer, where a mask is true.
    fn is_inside(&mut self, place: &Place, mask: Option<Operand>) -> bool {
        let Place { buffer, base, step, lane, varying, inside: _ } = *place;
        let Some(length) = self.here.lengths[buffer.0 as usize].clone() else { return false };
        let mut at = Some(self.here.integer(base));
        let mut add = |term: Option<Polynomial>| {
            at = at.take().zip(term).and_then(|(at, term)| at.plus(&term));
        };
        if let Some((index, by)) = step {
            let (index, by) = (self.here.integer(index), self.here.integer(by));
            add(index.times(&by));
        }
        if let Some(by) = lane {
            let by = self.here.integer(by);
            add(self.lane.as_ref().and_then(|lane| lane.times(&by)));
        }
        if let Some(varying) = varying {
            add(Some(self.here.integer(varying)));
        }
        let Some(at) = at else { return false };
        self.where_true(mask, |this| this.here.is_below(&at, &length))
    }

    /// Asks something with what is known where a mask is true.
    fn where_true<T>(&mut self, mask: Option<Operand>, ask: impl FnOnce(&Self) -> T) -> T {
        let Some(mask) = mask else { return ask(self) };
        let scope = self.enter();
        self.here.assume(&self.here.truth(mask), true);
        for k in 0..self.masked.len() {
            if self.masked[k].0 == mask {
                let (_, index, length) = self.masked[k].clone();
                self.here.assume_below(&index, &length);
            }
        }
        let answer = ask(self);
        self.leave(&scope);
        answer
    }

    fn check(&mut self, condition: Operand, mask: Option<Operand>) -> Decision {
        let is = self.here.truth(condition);
        let once = condition.value().filter(|value| self.mentions.get(*value).is_set_once());
        let was_held = once.is_some_and(|value| self.held.contains(&value));
        if was_held || self.here.known.decide(&is) == Some(true) {
            return Decision::Holds;
        }
        if mask.is_none() {
            self.here.assume(&is, true);
            self.held.extend(once);
        }
        Decision::Nothing
    }

    fn bounds(&mut self, index: Operand, length: Operand, mask: Option<Operand>) -> Decision {
        let (mut at, length) = (self.here.integer(index), self.here.integer(length));
        let is_held = self.here.known.is_held(&at);
        let holds = |this: &Self| this.here.known.is_held(&length) && this.here.is_below(&at, &length);
        if is_held && self.where_true(mask, holds) {
            return Decision::Holds;
        }
        if !is_held {
            // From here on the value is nothing but itself.
            let Some(value) = index.value().filter(|_| mask.is_none()) else { return Decision::Nothing };
            at = self.here.known.atom(Knowledge::of_kind(self.here.code.prim(index)));
            self.here.integers[value.0 as usize] = Some(at.clone());
        }
        match mask {
            None => self.here.assume_below(&at, &length),
            Some(mask) => self.masked.push((mask, at, length)),
        }
        Decision::Nothing
    }

    fn assign(&mut self, cells: &[(Value, Operand)], mask: Option<Operand>) {
        let is_integer = |walk: &Self, x: Operand| !walk.here.code.prim(x).is_real();
        let mut new = Vec::new();
        for (cell, x) in cells {
            if !is_integer(self, *x) {
                new.push((None, None));
                continue;
            }
            let integer = self.here.integer(*x);
            let before = mask.map(|_| self.here.integer(Operand::Value(*cell)));
            new.push(match before {
                None => (Some(integer), Some(self.here.truth(*x))),
                Some(before) => (Some(self.here.either(&before, &integer)), None),
            });
        }
        for ((cell, _), (integer, truth)) in cells.iter().zip(new) {
            self.here.set(*cell, integer, truth);
        }
        // A mask that was a cell is another one now.
        let set = |x: Operand| cells.iter().any(|(cell, _)| x == Operand::Value(*cell));
        self.masked.retain(|(mask, ..)| !set(*mask));
    }

    fn choice(&mut self, condition: Operand, yes: &Block, no: &Block) -> Decision {
        let is = self.here.truth(condition);
        let decided = self.here.known.decide(&is);
        let (set, resized) = (set_in(&[yes, no]), resized_in(&[yes, no]));
        let before = self.here.state(&set, &resized);
        let after_yes = self.branch((condition, &is, true), yes, (&set, &resized));
        self.here.restore(before);
        let after_no = self.branch((condition, &is, false), no, (&set, &resized));
        match decided {
            Some(true) => self.here.restore(after_yes),
            Some(false) => self.here.restore(after_no),
            None => {
                for ((value, a, _), (_, b, _)) in after_yes.0.into_iter().zip(after_no.0) {
                    let either = a.zip(b).map(|(a, b)| self.here.either(&a, &b));
                    self.here.set(value, either, None);
                }
                for ((buffer, a), (_, b)) in after_yes.1.into_iter().zip(after_no.1) {
                    self.here.lengths[buffer.0 as usize] = a.filter(|a| Some(a) == b.as_ref());
                }
            }
        }
        decided.map_or(Decision::Nothing, Decision::Is)
    }

    /// Follows a branch that is taken where the condition is so, and says what it leaves.
    fn branch(
        &mut self,
        (condition, is, truth): (Operand, &Rc<Condition>, bool),
        block: &Block,
        (set, resized): (&[Value], &[Buffer]),
    ) -> State {
        let scope = self.enter();
        // Lanes that differ are all there.
        if !self.here.varies(condition) {
            self.here.assume(is, truth);
        }
        self.block(block);
        self.leave(&scope);
        self.here.state(set, resized)
    }

    /// What happens again and again: once, for any time.
    fn repeated(&mut self, blocks: &[&Block], mut once: impl FnMut(&mut Self)) {
        let set = set_in(blocks);
        let resized = resized_in(blocks);
        let start = self.decisions.len();
        let masked = core::mem::take(&mut self.masked);
        loop {
            self.here.forget(&set);
            let before: Vec<Option<Polynomial>> =
                resized.iter().map(|b| self.here.lengths[b.0 as usize].clone()).collect();
            let scope = self.enter();
            once(self);
            let mut is_kept = true;
            for (buffer, before) in resized.iter().zip(before) {
                let now = self.here.lengths[buffer.0 as usize].take();
                let is_same = before.as_ref().zip(now).is_some_and(|(a, b)| self.here.known.are_equal(a, &b));
                is_kept &= before.is_none() || is_same;
                self.here.lengths[buffer.0 as usize] = before.filter(|_| is_same);
            }
            self.leave(&scope);
            self.here.forget(&set);
            if is_kept {
                break;
            }
            self.decisions.truncate(start);
        }
        self.masked = masked;
    }

    fn lanes(&mut self, lanes: &Lanes) {
        let count = self.here.integer(lanes.count);
        let index = lanes.index;
        self.repeated(&[&lanes.body], |this| {
            lanes.folds.iter().for_each(|fold| this.here.set(fold.cell, None, None));
            this.here.assume_some(&count);
            let number = this.here.index(&count);
            this.here.set(index, Some(number.clone()), None);
            this.lane = Some(number);
            this.block(&lanes.body);
            this.lane = None;
        });
        lanes.folds.iter().for_each(|fold| self.here.set(fold.cell, None, None));
        self.here.set(index, None, None);
        let folded = lanes.folded.map(|value| {
            let folded = self.here.known.atom((0, i64::MAX.into()));
            self.here.set(value, Some(folded.clone()), None);
            folded
        });
        lanes.folds.iter().for_each(|fold| self.here.lengths[fold.found.0 as usize] = folded.clone());
    }
}

/// The values that blocks set.
fn set_in(blocks: &[&Block]) -> Vec<Value> {
    let mut all = rustc_hash::FxHashSet::default();
    blocks.iter().for_each(|block| sets(block, &mut all));
    all.into_iter().collect()
}

/// The buffers of which the length may be another after these blocks.
fn resized_in(blocks: &[&Block]) -> Vec<Buffer> {
    let mut all = Vec::new();
    for block in blocks {
        each(block, &mut |stm| {
            let resizes = |access: &Access| matches!(access, Access::Resizes | Access::Exchanges | Access::Collects);
            all.extend(stm.touches().into_iter().filter(|(_, access, _)| resizes(access)).map(|(buffer, ..)| buffer));
        });
    }
    all.sort_unstable();
    all.dedup();
    all
}
