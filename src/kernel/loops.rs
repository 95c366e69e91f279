//! Loops.
//!
//! Law: what a loop carries is in cells and in buffers of its own, which the end of an iteration sets all at once.

use rustc_hash::FxHashSet;

use super::code::{Broken, Buffer, Operand, Stm as Code, Value};
use super::liveness::mentioned;
use super::view::{Array, Bound, Form, View};
use super::{Lowering, Step, Unsupported};
use crate::array::{Atom, Body, Form as Until, Loop, Prim, ScalarOp, Stm, binders};

/// The state after an iteration, from its number and the state before.
pub(super) type Iteration<'f, 'p> = &'f mut dyn FnMut(&mut Lowering<'p>, Operand, &[Bound<'p>]) -> Step<Vec<Bound<'p>>>;

/// Whether there is another iteration, from the state; and how many there are at most, if that is known.
pub(super) type Question<'f, 'p> =
    (&'f mut dyn FnMut(&mut Lowering<'p>, &[Bound<'p>]) -> Step<Operand>, Option<Operand>);

/// Where an array is carried, and what a variable of a loop starts from.
type Begun<'p> = (Option<Carried>, Bound<'p>);

/// What a loop carries.
#[derive(Debug, Clone)]
enum Carried {
    Cell(Value),
    Buffer(View, Vec<Operand>, Prim),
}

impl<'p> Lowering<'p> {
    pub(super) fn repeat(&mut self, it: &'p Loop, later: &[Stm], results: &[Atom]) -> Step<Vec<Bound<'p>>> {
        let mut seen = mentioned(later, results);
        seen.extend(mentioned(&it.body.stms, &it.body.results));
        if let Until::While { condition, .. } = &it.form {
            seen.extend(mentioned(&condition.stms, &condition.results));
        }
        let mut initial = Vec::new();
        for (_, atom) in &it.params {
            let bound = self.atom(*atom);
            if self.program.atom_type(*atom).accumulator {
                // There is but one, and all add to it.
                initial.push((bound, true));
                continue;
            }
            initial.push(match self.settled(bound)? {
                // What is not needed again need not be copied.
                Bound::Array(_) if initial_is_owned(&it.params, *atom) => {
                    let (_, array) = self.own(*atom, &seen)?;
                    (Bound::Array(array), true)
                }
                other => (other, false),
            });
        }
        match &it.form {
            Until::For(i, bound) => {
                let count = self.scalar(*bound);
                self.iterate(Some(count), initial, None, &mut |this, index, state| {
                    it.params.iter().zip(state).for_each(|((param, _), now)| this.bind(*param, now.clone()));
                    this.bind(*i, Bound::Scalar(index));
                    this.forget(&it.body);
                    this.body(&it.body)
                })
            }
            Until::While { condition, bound } => {
                let bound = bound.map(|bound| self.scalar(bound));
                let mut question = |this: &mut Self, state: &[Bound<'p>]| {
                    it.params.iter().zip(state).for_each(|((param, _), now)| this.bind(*param, now.clone()));
                    match this.body(condition)?.pop() {
                        Some(Bound::Scalar(more)) => Ok(more),
                        _ => panic!("a condition is one truth value"),
                    }
                };
                self.iterate(None, initial, Some((&mut question, bound)), &mut |this, _, state| {
                    it.params.iter().zip(state).for_each(|((param, _), now)| this.bind(*param, now.clone()));
                    this.forget(&it.body);
                    this.body(&it.body)
                })
            }
        }
    }

    /// Forgets what the variables of a body were when it was lowered before: where that is in a buffer that a loop carries, the
    /// buffer would be copied before it is changed.
    fn forget(&mut self, body: &Body) {
        let mut inside = FxHashSet::default();
        binders(body, &mut inside);
        inside.into_iter().for_each(|var| self.bound[var.0 as usize] = None);
    }

    /// A loop that carries a state, for so many iterations or while a question is answered so.
    pub(super) fn iterate(
        &mut self,
        count: Option<Operand>,
        initial: Vec<(Bound<'p>, bool)>,
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
            let state: Vec<Carried> = carried
                .iter()
                .zip(&varying)
                .map(|((carried, initial), varying)| match (carried, initial) {
                    (Some(carried), _) => carried.clone(),
                    (None, Bound::Scalar(initial)) => {
                        let cell = self.emit.value(self.emit.prim(*initial), *varying);
                        cells.push((cell, *initial));
                        Carried::Cell(cell)
                    }
                    (None, Bound::Array(_)) => unreachable!("an array is carried in a buffer"),
                })
                .collect();
            self.emit.push(Code::Assign { cells, mask: None });
            let now_varying = self.attempt(|this| this.once(count, &state, until.as_mut(), body))?;
            let more: Vec<bool> = varying.iter().zip(&now_varying).map(|(a, b)| *a || *b).collect();
            if more == varying {
                return Ok(state.iter().map(|carried| self.carried(carried)).collect());
            }
            self.emit.withdraw();
            varying = more;
        }
    }

    /// The buffers of the arrays that are carried, with their first content.
    fn carry(&mut self, initial: Vec<(Bound<'p>, bool)>) -> Step<Vec<Begun<'p>>> {
        let mut carried = Vec::new();
        for (bound, owned) in initial {
            carried.push(match &bound {
                Bound::Scalar(_) => (None, bound),
                Bound::Array(Array { form: Form::Memory(view), sizes, prim }) if owned => {
                    (Some(Carried::Buffer(view.clone(), sizes.clone(), *prim)), bound)
                }
                Bound::Array(array) => {
                    let (_, view) = self.copied(array)?;
                    (Some(Carried::Buffer(view, array.sizes.clone(), array.prim)), bound)
                }
            });
        }
        Ok(carried)
    }

    fn carried(&mut self, carried: &Carried) -> Bound<'p> {
        match carried {
            Carried::Cell(cell) => Bound::Scalar(Operand::Value(*cell)),
            Carried::Buffer(view, sizes, prim) => {
                Bound::Array(Array { prim: *prim, sizes: sizes.clone(), form: Form::Memory(view.clone()) })
            }
        }
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
            self.open(false);
            let index = self.emit.value(Prim::I64, false);
            self.emit.counts(index, count);
            let varying = self.iteration(Operand::Value(index), state, &mut *body)?;
            let block = self.close();
            self.emit.push(Code::For { index, count, body: block, origin: self.origin });
            self.after(state);
            return Ok(varying);
        };
        // The number of the iteration, for loops that are said to have no more than so many.
        let number = self.emit.value(Prim::I64, false);
        self.emit.push(Code::Assign { cells: vec![(number, Operand::int(0))], mask: None });
        self.open(false);
        self.begin(state, Some(number));
        let now: Vec<Bound<'p>> = state.iter().map(|carried| self.carried(carried)).collect();
        let mut condition = question(self, &now)?;
        if let Some(mask) = self.mask {
            condition = self.emit.scalar(ScalarOp::Mul, &[mask, condition]);
        }
        if let Some(bound) = bound {
            let done = self.emit.scalar(ScalarOp::Not, &[condition]);
            let within = self.emit.scalar(ScalarOp::Less, &[Operand::Value(number), *bound]);
            let fine = self.emit.scalar(ScalarOp::Add, &[done, within]);
            let blame = self.blame(Broken::Bound, &[*bound]);
            self.emit.push(Code::Check { condition: fine, mask: None, blame });
        }
        // What the condition has computed is computed before each iteration, in the same frame.
        let before = self.emit.take();
        let outside = self.mask;
        let differs = self.emit.is_varying(condition);
        if differs {
            self.mask = Some(condition);
        }
        let varying = self.iteration(Operand::Value(number), state, &mut *body)?;
        self.mask = outside;
        let next = self.emit.add(Operand::Value(number), Operand::int(1));
        self.emit.push(Code::Assign { cells: vec![(number, next)], mask: None });
        let block = self.close();
        self.emit.push(Code::While { before, condition, body: block, origin: self.origin });
        self.after(state);
        Ok(varying)
    }

    /// What is carried may differ in each iteration.
    fn begin(&mut self, state: &[Carried], number: Option<Value>) {
        number.into_iter().for_each(|cell| self.emit.settle(cell));
        for carried in state {
            match carried {
                Carried::Cell(cell) => self.emit.settle(*cell),
                Carried::Buffer(view, ..) => self.emit.changed(view.origin.buffer),
            }
        }
    }

    fn after(&mut self, state: &[Carried]) {
        self.begin(state, None);
    }

    fn iteration(&mut self, index: Operand, state: &[Carried], body: Iteration<'_, 'p>) -> Step<Vec<bool>> {
        let region = self.enter_region();
        self.begin(state, None);
        for carried in state {
            if let Carried::Buffer(view, ..) = carried {
                self.owners[view.origin.buffer.0 as usize] = self.region;
            }
        }
        let homes =
            state.iter().filter_map(|c| if let Carried::Buffer(v, ..) = c { Some(v.origin.buffer) } else { None });
        self.homes.extend(homes);
        let now: Vec<Bound<'p>> = state.iter().map(|carried| self.carried(carried)).collect();
        let next = body(self, index, &now)?;
        let masked = self.mask.is_some_and(|mask| self.emit.is_varying(mask));
        let differs = |next: &Bound<'p>| matches!(next, Bound::Scalar(x) if masked || self.emit.is_varying(*x));
        let varying = next.iter().map(differs).collect();
        self.set(state, next)?;
        self.region = region;
        for carried in state {
            if let Carried::Buffer(view, ..) = carried {
                self.owners[view.origin.buffer.0 as usize] = region;
            }
        }
        Ok(varying)
    }

    /// The buffer of an array that was made in this iteration and is nothing but this array.
    fn fresh(&mut self, array: &Array<'p>, all: &[Buffer]) -> Option<Buffer> {
        let Form::Memory(view) = &array.form else { return None };
        let buffer = view.origin.buffer;
        let once = all.iter().filter(|other| **other == buffer).count() == 1;
        let owned = self.owners[buffer.0 as usize] == self.region && !self.homes.contains(&buffer);
        (once && owned && view.is_whole(&mut self.emit, &array.sizes)).then_some(buffer)
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
                (Carried::Buffer(view, sizes, _), Bound::Array(array)) => {
                    let other = Broken::Able("a loop that changes the sizes of an array");
                    sizes.iter().zip(&array.sizes).for_each(|(a, b)| self.equal(other, *a, *b));
                    let home = view.origin.buffer;
                    if let Form::Memory(now) = &array.form
                        && now.origin.buffer == home
                        && now.is_whole(&mut self.emit, &array.sizes)
                    {
                        continue;
                    }
                    let (aside, array) = match self.fresh(&array, &next_buffers) {
                        Some(fresh) => (fresh, array),
                        None => {
                            let (aside, aside_view) = self.copied(&array)?;
                            (aside, Array { form: Form::Memory(aside_view), ..array })
                        }
                    };
                    if self.mask.is_some() {
                        masked.push((Bound::Array(array), view.clone()));
                    } else {
                        swaps.push(Code::Swap(home, aside));
                    }
                }
                _ => panic!("a loop's variables keep their types"),
            }
        }
        self.store_all(masked)?;
        swaps.into_iter().for_each(|swap| self.emit.push(swap));
        self.emit.push(Code::Assign { cells, mask: self.mask });
        Ok(())
    }
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
