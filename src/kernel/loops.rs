//! Loops.
//!
//! Law: what a loop carries is in cells and in buffers of its own, which the end of an iteration sets all at once. Arrays
//! that may change their sizes have cells for these (tests/execute/carried.rs, tests/execute/resized.rs).

use super::code::{Broken, Buffer, Operand, Stm as Code, Value};
use super::emit::Emit;
use super::liveness::mentioned;
use super::view::{Array, Bound, Form, View};
use super::{Lowering, Step, Unsupported};
use crate::array::{Atom, Form as Until, Loop, Prim, ScalarOp, Stm};

/// The state after an iteration, from its number and the state before.
pub(super) type Iteration<'f, 'p> = &'f mut dyn FnMut(&mut Lowering<'p>, Operand, &[Bound<'p>]) -> Step<Vec<Bound<'p>>>;

/// Whether there is another iteration, from the state; and how many there are at most, if that is known.
pub(super) type Question<'f, 'p> =
    (&'f mut dyn FnMut(&mut Lowering<'p>, &[Bound<'p>]) -> Step<Operand>, Option<Operand>);

/// What a variable of a loop begins with.
struct Begin<'p> {
    value: Bound<'p>,
    /// Whether it may be changed where it is.
    is_owned: bool,
    /// Whether iterations may change its sizes.
    is_resized: bool,
}

/// Where an array is carried, and what a variable of a loop starts from.
type Begun<'p> = (Option<Carried>, Bound<'p>);

/// What a loop carries.
#[derive(Debug, Clone)]
enum Carried {
    Cell(Value),
    Buffer(View, Vec<Operand>, Prim),
    /// An array from the first element of a buffer on, and its sizes in cells.
    Resized(Buffer, Vec<Value>, Prim),
}

impl Carried {
    /// The buffer that an array is carried in.
    fn home(&self) -> Option<Buffer> {
        match self {
            Carried::Cell(_) => None,
            Carried::Buffer(view, ..) => Some(view.origin.buffer),
            Carried::Resized(buffer, ..) => Some(*buffer),
        }
    }

    /// The cells that an iteration sets.
    fn cells(&self) -> &[Value] {
        match self {
            Carried::Cell(cell) => core::slice::from_ref(cell),
            Carried::Buffer(..) => &[],
            Carried::Resized(_, cells, _) => cells,
        }
    }

    /// What it is in this iteration.
    fn bound<'p>(&self, emit: &mut Emit<'_>) -> Bound<'p> {
        let (prim, sizes, view) = match self {
            Carried::Cell(cell) => return Bound::Scalar(Operand::Value(*cell)),
            Carried::Buffer(view, sizes, prim) => (*prim, sizes.clone(), view.clone()),
            Carried::Resized(buffer, cells, prim) => {
                let sizes: Vec<Operand> = cells.iter().map(|cell| Operand::Value(*cell)).collect();
                let view = View::whole(emit, *buffer, &sizes);
                (*prim, sizes, view)
            }
        };
        Bound::Array(Array { prim, sizes, form: Form::Memory(view) })
    }
}

impl<'p> Lowering<'p> {
    pub(super) fn repeat(&mut self, it: &'p Loop, later: &[Stm], results: &[Atom]) -> Step<Vec<Bound<'p>>> {
        let mut seen = mentioned(later, results);
        seen.extend(mentioned(&it.body.stms, &it.body.results));
        if let Until::While { condition, .. } = &it.form {
            seen.extend(mentioned(&condition.stms, &condition.results));
        }
        let mut initial = Vec::new();
        for (number, (_, atom)) in it.params.iter().enumerate() {
            let bound = self.env.atom(*atom);
            if self.emit.program.atom_type(*atom).accumulator {
                // There is but one, and all add to it.
                initial.push(Begin { value: bound, is_owned: true, is_resized: false });
                continue;
            }
            let is_resized = matches!(bound, Bound::Array(_)) && self.is_resized(it, number)?;
            initial.push(match self.settled(bound)? {
                // What is not needed again need not be copied.
                Bound::Array(_) if initial_is_owned(&it.params, *atom) => {
                    Begin { value: Bound::Array(self.own(*atom, &seen)?), is_owned: true, is_resized }
                }
                value => Begin { value, is_owned: false, is_resized },
            });
        }
        let params = || it.params.iter().map(|(param, _)| *param);
        match &it.form {
            Until::For(i, bound) => {
                let count = self.env.scalar(*bound);
                self.carried(Some(count), initial, None, &mut |this, index, state| {
                    this.env.bind_all(params(), state);
                    this.env.bind(*i, Bound::Scalar(index));
                    this.env.forget(&it.body);
                    this.body(&it.body)
                })
            }
            Until::While { condition, bound } => {
                let bound = bound.map(|bound| self.env.scalar(bound));
                let mut question = |this: &mut Self, state: &[Bound<'p>]| {
                    this.env.bind_all(params(), state);
                    Ok(this.body(condition)?[0].scalar())
                };
                self.carried(None, initial, Some((&mut question, bound)), &mut |this, _, state| {
                    this.env.bind_all(params(), state);
                    this.env.forget(&it.body);
                    this.body(&it.body)
                })
            }
        }
    }

    /// Whether iterations may change the sizes of an array. In lanes, which all have arrays of the same sizes, they may not.
    fn is_resized(&self, it: &Loop, variable: usize) -> Step<bool> {
        let program = self.emit.program;
        if !self.sizes.get_or_init(|| program.sizes()).may_change(it, variable) {
            return Ok(false);
        }
        let is_of_lanes = self.emit.lanes.is_some() || self.emit.at.mask.is_some();
        if is_of_lanes { Err(Unsupported("a loop that changes the sizes of an array in each lane")) } else { Ok(true) }
    }

    /// A loop that carries a state, for `count` iterations.
    pub(super) fn iterate(
        &mut self,
        count: Operand,
        initial: Vec<Bound<'p>>,
        body: Iteration<'_, 'p>,
    ) -> Step<Vec<Bound<'p>>> {
        let begin = |value| Begin { value, is_owned: false, is_resized: false };
        self.carried(Some(count), initial.into_iter().map(begin).collect(), None, body)
    }

    /// The same, or while a condition holds; what is carried may begin where it is, if that is said to be its own.
    fn carried(
        &mut self,
        count: Option<Operand>,
        initial: Vec<Begin<'p>>,
        mut until: Option<Question<'_, 'p>>,
        body: Iteration<'_, 'p>,
    ) -> Step<Vec<Bound<'p>>> {
        if count.is_some_and(|count| self.emit.is_varying(count)) {
            return Err(Unsupported("a loop whose length differs between lanes"));
        }
        let carried = self.carry(initial)?;
        // Which cells differ between lanes is known when none has to be added.
        let mut varying: Vec<bool> = carried
            .iter()
            .map(|(_, initial)| matches!(initial, Bound::Scalar(x) if self.emit.is_varying(*x)))
            .collect();
        loop {
            let mut cells: Vec<(Value, Operand)> = Vec::new();
            let mut state = Vec::with_capacity(carried.len());
            for ((carried, initial), varying) in carried.iter().zip(&varying) {
                state.push(match (carried, initial) {
                    (Some(carried), Bound::Array(initial)) => {
                        cells.extend(carried.cells().iter().copied().zip(initial.sizes.iter().copied()));
                        carried.clone()
                    }
                    (None, Bound::Scalar(initial)) => {
                        let cell = self.emit.value(self.emit.prim(*initial), *varying);
                        cells.push((cell, *initial));
                        Carried::Cell(cell)
                    }
                    _ => unreachable!("an array is carried in a buffer"),
                });
            }
            self.emit.push(Code::Assign { cells, mask: None });
            let now_varying = self.attempt(|this| this.once(count, &state, until.as_mut(), body))?;
            let more: Vec<bool> = varying.iter().zip(&now_varying).map(|(a, b)| *a || *b).collect();
            if more == varying {
                return Ok(state.iter().map(|carried| carried.bound(&mut self.emit)).collect());
            }
            self.emit.withdraw();
            varying = more;
        }
    }

    /// The buffers of the arrays that are carried, with their first content.
    fn carry(&mut self, initial: Vec<Begin<'p>>) -> Step<Vec<Begun<'p>>> {
        let mut carried = Vec::new();
        for Begin { value, is_owned, is_resized } in initial {
            let Bound::Array(array) = &value else {
                carried.push((None, value));
                continue;
            };
            let view = match &array.form {
                Form::Memory(view) if is_owned => view.clone(),
                _ => self.copied(array)?.1,
            };
            let is_at = if is_resized {
                let cells = array.sizes.iter().map(|_| self.emit.value(Prim::I64, false)).collect();
                Carried::Resized(view.origin.buffer, cells, array.prim)
            } else {
                Carried::Buffer(view, array.sizes.clone(), array.prim)
            };
            carried.push((Some(is_at), value));
        }
        Ok(carried)
    }

    /// The loop, and for each cell whether what it is set to differs between lanes.
    fn once(
        &mut self,
        count: Option<Operand>,
        state: &[Carried],
        until: Option<&mut Question<'_, 'p>>,
        body: Iteration<'_, 'p>,
    ) -> Step<Vec<bool>> {
        let Some((question, bound)) = until else {
            let count = count.expect("a loop has a count or a question");
            self.emit.open(false);
            let index = self.emit.value(Prim::I64, false);
            self.emit.facts.counts(index, count);
            let varying = self.iteration(Operand::Value(index), state, &mut *body)?;
            let block = self.emit.close();
            self.emit.push(Code::For { index, count, body: block, origin: self.emit.at.origin });
            begin(&mut self.emit, state, None);
            return Ok(varying);
        };
        // The number of the iteration, for `while` loops with a bound.
        let number = self.emit.value(Prim::I64, false);
        self.emit.push(Code::Assign { cells: vec![(number, Operand::int(0))], mask: None });
        self.emit.open(false);
        begin(&mut self.emit, state, Some(number));
        let now: Vec<Bound<'p>> = state.iter().map(|carried| carried.bound(&mut self.emit)).collect();
        let mut condition = question(self, &now)?;
        if let Some(mask) = self.emit.at.mask {
            condition = self.emit.scalar(ScalarOp::Mul, &[mask, condition]);
        }
        if let Some(bound) = bound {
            let done = self.emit.scalar(ScalarOp::Not, &[condition]);
            let within = self.emit.scalar(ScalarOp::Less, &[Operand::Value(number), *bound]);
            let fine = self.emit.scalar(ScalarOp::Add, &[done, within]);
            let blame = self.emit.blame(Broken::Bound, &[*bound]);
            self.emit.push(Code::Check { condition: fine, mask: None, blame });
        }
        // What the condition has computed is computed before each iteration, in the same frame.
        let before = self.emit.take();
        let outside = self.emit.at.mask;
        let differs = self.emit.is_varying(condition);
        if differs {
            self.emit.at.mask = Some(condition);
        }
        let varying = self.iteration(Operand::Value(number), state, &mut *body)?;
        self.emit.at.mask = outside;
        let next = self.emit.add(Operand::Value(number), Operand::int(1));
        self.emit.push(Code::Assign { cells: vec![(number, next)], mask: None });
        let block = self.emit.close();
        self.emit.push(Code::While { before, condition, body: block, origin: self.emit.at.origin });
        begin(&mut self.emit, state, None);
        Ok(varying)
    }

    fn iteration(&mut self, index: Operand, state: &[Carried], body: Iteration<'_, 'p>) -> Step<Vec<bool>> {
        let region = self.emit.enter_region();
        begin(&mut self.emit, state, None);
        let homes: Vec<Buffer> = state.iter().filter_map(Carried::home).collect();
        self.emit.buffers.give(homes.iter().copied(), self.emit.at.region);
        homes.iter().for_each(|home| self.emit.buffers.make_home(*home));
        let now: Vec<Bound<'p>> = state.iter().map(|carried| carried.bound(&mut self.emit)).collect();
        let next = body(self, index, &now)?;
        let masked = self.emit.at.mask.is_some_and(|mask| self.emit.is_varying(mask));
        let differs = |next: &Bound<'p>| matches!(next, Bound::Scalar(x) if masked || self.emit.is_varying(*x));
        let varying = next.iter().map(differs).collect();
        self.set(state, next)?;
        self.emit.at.region = region;
        self.emit.buffers.give(homes, region);
        Ok(varying)
    }

    /// Sets what is carried, all at once: arrays that are elsewhere are put aside first.
    fn set(&mut self, state: &[Carried], next: Vec<Bound<'p>>) -> Step<()> {
        let mut cells = Vec::new();
        let mut swaps = Vec::new();
        let mut masked = Vec::new();
        let next = self.settled_all(next)?;
        let next_buffers: Vec<Buffer> = next.iter().filter_map(in_memory).collect();
        for (carried, next) in state.iter().zip(next) {
            match (carried, next) {
                (Carried::Cell(cell), Bound::Scalar(next)) => cells.push((*cell, next)),
                (carried @ (Carried::Buffer(..) | Carried::Resized(..)), Bound::Array(array)) => {
                    if let Carried::Buffer(_, sizes, _) = carried {
                        let other = Broken::Able("an operator that changes the sizes of an array");
                        sizes.iter().zip(&array.sizes).for_each(|(a, b)| self.emit.equal(other, *a, *b));
                    }
                    cells.extend(carried.cells().iter().copied().zip(array.sizes.iter().copied()));
                    let home = carried.home().expect("an array is carried in a buffer");
                    if let Form::Memory(now) = &array.form
                        && now.origin.buffer == home
                        && now.is_whole(&mut self.emit, &array.sizes)
                    {
                        continue;
                    }
                    let (aside, array) = match fresh(&mut self.emit, &array, &next_buffers) {
                        Some(fresh) => (fresh, array),
                        None => {
                            let (aside, view) = self.copied(&array)?;
                            (aside, array.stored(view))
                        }
                    };
                    match carried {
                        Carried::Buffer(view, ..) if self.emit.at.mask.is_some() => {
                            masked.push((Bound::Array(array), view.clone()));
                        }
                        _ => swaps.push(Code::Swap(home, aside)),
                    }
                }
                _ => panic!("a loop's variables keep their types"),
            }
        }
        self.store_all(masked)?;
        swaps.into_iter().for_each(|swap| self.emit.push(swap));
        self.emit.push(Code::Assign { cells, mask: self.emit.at.mask });
        Ok(())
    }
}

/// Says that what is carried may differ in each iteration.
fn begin(emit: &mut Emit<'_>, state: &[Carried], number: Option<Value>) {
    number.into_iter().for_each(|cell| emit.settle(cell));
    for carried in state {
        carried.cells().iter().for_each(|cell| emit.settle(*cell));
        carried.home().into_iter().for_each(|home| emit.changed(home));
    }
}

/// The buffer of an array that was made in this iteration and is nothing but this array.
fn fresh(emit: &mut Emit<'_>, array: &Array<'_>, all: &[Buffer]) -> Option<Buffer> {
    let Form::Memory(view) = &array.form else { return None };
    let buffer = view.origin.buffer;
    let once = all.iter().filter(|other| **other == buffer).count() == 1;
    let owned = emit.buffers.is_owned(buffer, emit.at.region) && !emit.buffers.is_home(buffer);
    (once && owned && view.is_whole(emit, &array.sizes)).then_some(buffer)
}

/// The buffer of an array in memory.
pub(super) fn in_memory(bound: &Bound<'_>) -> Option<Buffer> {
    match bound {
        Bound::Array(Array { form: Form::Memory(view), .. }) => Some(view.origin.buffer),
        Bound::Array(_) | Bound::Scalar(_) => None,
    }
}

/// Whether no other variable of the loop starts from the same array.
fn initial_is_owned(params: &[(crate::array::Var, Atom)], atom: Atom) -> bool {
    params.iter().filter(|(_, initial)| *initial == atom).count() == 1
}
