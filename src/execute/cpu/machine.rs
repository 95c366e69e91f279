//! The machine that runs instructions.
//!
//! Law: it computes what the code says, block of lanes after block. A check that fails stops it, and nothing that it
//! has computed is used (laws: executors::suite).

use core::ops::Range;

use super::assemble::{Assembled, In};
use super::budget::{STRIDE, Watch};
use super::compute::wrapped;
use super::dispatch;
use super::folds;
use super::foreign;
use super::hist;
use super::instruction::{Instruction, LanesLoop, Reg};
#[cfg(feature = "jit")]
use super::jit;
use super::memory::{Elements, allocate};
use super::parallel;
use super::product;
use super::profile::{self, Begun, Sweep};
use super::real::Real;
use super::row_sums;
use super::scan;
use super::state::State;
use super::transfer::{load_row, store_strided};
use super::vector::number;
use crate::array::Prim;

/// The invariant of addresses.
const INSIDE: &str = "what is said to be inside of a buffer is there";

/// A check of the program failed, or the run was ended; the [`Watch`] knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Fault;

/// Instructions, and what they work on.
#[derive(Debug)]
pub(super) struct Machine<'m, R: Copy + 'static, const G: usize> {
    pub(super) code: &'m Assembled,
    pub(super) watch: &'m Watch<'m>,
    pub(super) state: State<R, G>,
    pub(super) reals: Vec<Elements<'m, R>>,
    pub(super) ints: Vec<Elements<'m, i64>>,
    /// The instruction at which the run stopped, if it did.
    pub(super) stopped: usize,
    /// The loop that a worker is for, by its number, and from which lane to which.
    task: Option<(usize, i64, i64)>,
    /// Whether its lanes are to be in blocks, also where there is a function for them.
    #[cfg(feature = "jit")]
    only_blocks: bool,
    /// The memory of workers between two loops.
    pub(super) helpers: Vec<Workspace<R, G>>,
}

/// The memory of a machine between two runs.
#[derive(Debug)]
pub(super) struct Workspace<R: Copy + 'static, const G: usize> {
    state: State<R, G>,
    reals: Vec<Elements<'static, R>>,
    ints: Vec<Elements<'static, i64>>,
    helpers: Vec<Workspace<R, G>>,
}

impl<R: Real<G>, const G: usize> Default for Workspace<R, G> {
    fn default() -> Self {
        Workspace { state: State::default(), reals: Vec::new(), ints: Vec::new(), helpers: Vec::new() }
    }
}

/// A loop over lanes that runs: the first lane, the next, the last, and where to go on after it.
struct Open<'c> {
    it: &'c LanesLoop,
    first: i64,
    next: i64,
    to: i64,
    after: usize,
    begun: Option<Box<Begun>>,
}

/// The sum of two integers, or "or", of this kind.
pub(super) fn plus(prim: Option<Prim>, a: i64, b: i64) -> i64 {
    match prim {
        Some(Prim::Bool) => a | b,
        Some(prim) => wrapped(prim, a.wrapping_add(b)),
        None => a.wrapping_add(b),
    }
}

/// How many products are summed up at once, in one step: a sum has no more steps than it has stretches.
const PRODUCTS_PER_STEP: i64 = 1 << 16;

/// The stretches of a loop that sums up.
fn stretches(count: i64) -> impl Iterator<Item = Range<i64>> {
    (0..count)
        .step_by(PRODUCTS_PER_STEP as usize)
        .map(move |from| from..count.min(from.saturating_add(PRODUCTS_PER_STEP)))
}

/// After the last instruction.
const DONE: usize = usize::MAX;

/// What to do after an instruction.
enum Next {
    At(usize),
    Lanes(usize),
    End,
}

impl<'m, R: Real<G>, const G: usize> Machine<'m, R, G> {
    /// A machine at the beginning of its code, with memory that another has left.
    pub(super) fn new(code: &'m Assembled, watch: &'m Watch<'m>, workspace: Workspace<R, G>) -> Self {
        let Workspace { mut state, mut reals, mut ints, helpers } = workspace;
        state.restart(code.reals.iter().map(|x| R::of(*x)), code.ints.iter().copied());
        state.held.restart([code.own_reals.len(), code.own_ints.len()], 0);
        (state.left, state.level) = (STRIDE, code.level);
        reals.resize_with(code.own_reals.len(), Elements::default);
        ints.resize_with(code.own_ints.len(), Elements::default);
        Machine {
            code,
            watch,
            state,
            reals,
            ints,
            stopped: DONE,
            task: None,
            #[cfg(feature = "jit")]
            only_blocks: false,
            helpers,
        }
    }

    /// The memory, for another machine of the same code.
    pub(super) fn workspace(self) -> Workspace<R, G> {
        // Collected where they are: nothing is allocated.
        let reals = self.reals.into_iter().map(Elements::into_own).collect();
        let ints = self.ints.into_iter().map(Elements::into_own).collect();
        Workspace { state: self.state, reals, ints, helpers: self.helpers }
    }

    /// A machine for some lanes of a loop, with registers of one value as they are now.
    pub(super) fn worker(
        (code, watch, held): (&'m Assembled, &'m Watch<'m>, u64),
        workspace: Workspace<R, G>,
        (number, (from, to)): (usize, (i64, i64)),
        (reals, ints): &(Vec<R>, Vec<i64>),
    ) -> Self {
        let mut machine = Machine::new(code, watch, workspace);
        machine.state.restart(reals.iter().copied(), ints.iter().copied());
        machine.state.held.all = held;
        machine.task = Some((number, from, to));
        machine
    }

    /// Runs the whole code, or a worker's part of it.
    pub(super) fn run(&mut self) -> Result<(), Fault> {
        if self.task.is_none() {
            self.measure()?;
        }
        dispatch::interpret(self)?;
        let at = self.task.map_or(DONE, |(number, ..)| self.code.loops[number].body as usize);
        self.watch.spend(STRIDE - self.state.left, at)
    }

    /// Counts the elements of the arguments.
    fn measure(&mut self) -> Result<(), Fault> {
        for input in &self.code.inputs {
            let (real, buffer, count) = match input {
                In::Reals { buffer, .. } => (true, *buffer, self.reals[*buffer as usize].all().len()),
                In::Ints { buffer, .. } => (false, *buffer, self.ints[*buffer as usize].all().len()),
                In::Real(..) | In::Int(_) => continue,
            };
            self.watch.room(self.state.held.resize(real, buffer, count), DONE)?;
        }
        Ok(())
    }

    /// Takes `steps` steps from the budget.
    #[inline(always)]
    pub(super) fn tick(state: &mut State<R, G>, watch: &Watch<'_>, at: usize, steps: i64) -> Result<(), Fault> {
        state.left -= steps;
        if state.left <= 0 {
            let taken = STRIDE - state.left;
            state.left = STRIDE;
            watch.spend(taken, at)?;
        }
        Ok(())
    }

    /// Runs instructions: outside of loops over lanes once, inside for each block.
    #[inline(always)]
    pub(super) fn interpret(&mut self) -> Result<(), Fault> {
        let code = self.code;
        let (mut at, mut open): (usize, Option<Open<'_>>) = (0, None);
        if let Some((number, first, to)) = self.task {
            let it = &code.loops[number];
            #[cfg(feature = "jit")]
            if !self.only_blocks && jit::one_by_one(self, (it, number), first..to)? {
                return Ok(());
            }
            self.enter(it, to - first);
            open = Some(Open { it, first, next: first, to, after: DONE, begun: None });
            at = self.block(&mut open);
        }
        while at != DONE {
            let next = match self.step(at) {
                Ok(next) => next,
                Err(fault) => {
                    self.stopped = at;
                    return Err(fault);
                }
            };
            match next {
                Next::At(next) => at = next,
                Next::Lanes(number) => {
                    let it = &code.loops[number];
                    Self::tick(&mut self.state, self.watch, at, 1)?;
                    let begun = self.watch.profile.is_some().then(|| Begun::new(self, it, number));
                    if let Some(share) = parallel::share(self, it) {
                        parallel::run(self, it, number, share)?;
                        self.ended(begun);
                        at += 1;
                        continue;
                    }
                    let count = self.state.one(it.count);
                    #[cfg(feature = "jit")]
                    if it.one_by_one.is_some() && jit::one_by_one(self, (it, number), 0..count)? {
                        self.ended(begun);
                        at += 1;
                        continue;
                    }
                    self.enter(it, count);
                    open = Some(Open { it, first: 0, next: 0, to: count, after: at + 1, begun });
                    at = self.block(&mut open);
                }
                Next::End if open.is_some() => {
                    let lanes = self.state.active as i64;
                    Self::tick(&mut self.state, self.watch, at, lanes)?;
                    at = self.block(&mut open);
                }
                Next::End => at = DONE,
            }
        }
        Ok(())
    }

    /// Runs some lanes of a loop in blocks.
    #[cfg(feature = "jit")]
    pub(super) fn in_blocks(&mut self, number: usize, lanes: Range<i64>) -> Result<(), Fault> {
        let task = self.task.replace((number, lanes.start, lanes.end));
        self.only_blocks = true;
        let outcome = dispatch::interpret(self);
        (self.task, self.only_blocks) = (task, false);
        outcome
    }

    /// Goes to the next block of lanes, or out of the loop: where to go on.
    #[inline(always)]
    fn block(&mut self, open: &mut Option<Open<'_>>) -> usize {
        let Some(Open { it, first: begin, next, to, after, begun }) = open else { panic!("a loop over lanes is open") };
        let state = &mut self.state;
        if *next >= *to {
            let (it, after, lanes, begun) = (*it, *after, *to - *begin, begun.take());
            self.leave(it, lanes);
            self.ended(begun);
            (self.state.active, self.state.groups) = (1, 1);
            *open = None;
            return after;
        }
        if *next > *begin {
            state.fit();
        }
        state.own = 0;
        let mut active = (*to - *next).min(state.width as i64);
        if it.straight && active > G as i64 {
            // What is side by side in memory is loaded and stored in groups.
            active -= active % G as i64;
        }
        let first = *next;
        (state.first, state.active, state.groups) = (first, active as usize, (active as usize).div_ceil(G));
        if it.folded.is_some() && !state.active.is_multiple_of(G) {
            folds::save(state, it);
        }
        if let Some(index) = it.index {
            number(state.int_block(index), first);
        }
        *next += active;
        it.body as usize
    }

    /// Takes down how long a loop over lanes took.
    #[inline(always)]
    fn ended(&self, begun: Option<Box<Begun>>) {
        if let (Some(begun), Some(profile)) = (begun, &self.watch.profile) {
            begun.end(profile);
        }
    }

    /// Prepares the buffers of a loop over `count` lanes; with fewer lanes, the lanes' own elements lie closer together.
    #[inline(always)]
    fn enter(&mut self, it: &LanesLoop, count: i64) {
        let width = usize::try_from(count).unwrap_or(0).min(it.groups * G).next_multiple_of(G).max(G);
        self.state.scratch = u32::try_from(it.reals).expect("a loop has fewer than 2^32 registers");
        self.state.reals.divide(it.reals + 3, width);
        self.state.ints.divide(it.ints, width);
        (self.state.width, self.state.widest, self.state.saved.from) = (width, width, 0);
        for fold in &it.real_folds {
            self.state.reals.fill(fold.cell, self.state.reals.one(fold.start));
        }
        for fold in &it.int_folds {
            self.state.ints.fill(fold.cell, self.state.one(fold.start));
        }
    }

    /// Leaves in buffers what the lanes have folded.
    #[inline(always)]
    fn leave(&mut self, it: &LanesLoop, lanes: i64) {
        if it.folded.is_some() {
            let lanes = usize::try_from(lanes).unwrap_or(0).min(self.state.widest);
            folds::restore(&self.state, it);
            let found = folds::found(self, it, lanes);
            it.folded.into_iter().for_each(|folded| self.state.ints.set(folded, found));
        }
    }

    #[inline(always)]
    fn step(&mut self, at: usize) -> Result<Next, Fault> {
        let Machine { code, watch, state, reals, ints, .. } = self;
        match code.instructions[at] {
            Instruction::End => return Ok(Next::End),
            Instruction::Lanes(number) => return Ok(Next::Lanes(number as usize)),
            Instruction::Jump(to) => return Ok(Next::At(to as usize)),
            Instruction::Again(to) => {
                Self::tick(state, watch, at, 1)?;
                return Ok(Next::At(to as usize));
            }
            Instruction::Unless(condition, to) => {
                if !state.any(condition) {
                    return Ok(Next::At(to as usize));
                }
            }
            Instruction::UnlessLess { index, count, to } => {
                if state.one(index) >= state.one(count) {
                    return Ok(Next::At(to as usize));
                }
            }
            Instruction::Next { index, count, to } => {
                let now = state.one(index) + 1;
                state.ints.set(index, now);
                if now < state.one(count) {
                    Self::tick(state, watch, at, 1)?;
                    return Ok(Next::At(to as usize));
                }
            }
            Instruction::Zero(index) => state.ints.set(index, 0),
            #[cfg(feature = "jit")]
            Instruction::Native(number) => {
                if let Some(after) = jit::run(code, number, watch, state, (reals, ints))? {
                    return Ok(Next::At(after));
                }
            }
            Instruction::Straight { from, to, after } => {
                dispatch::straight(state, &code.steps[from as usize..to as usize]);
                return Ok(Next::At(after as usize));
            }
            Instruction::Real { op, to, x } => state.real_op(op, to, x),
            Instruction::Int { op, kind, to, x } => dispatch::int_op(state, op, kind, to, x),
            Instruction::Test { test, to, x } => dispatch::test(state, test, to, x),
            Instruction::LeastWhere { to, x, of } => dispatch::least_where(state, to, x, of),
            Instruction::SelectReal { to, condition, x } => state.select_real(to, condition, x),
            Instruction::SelectInt { to, condition, x } => dispatch::select_int(state, to, condition, x),
            Instruction::Truncate { into, to, x } => state.truncate(into, to, x),
            Instruction::IntoReal { from, single, to, x } => state.integer_to_real(from, single, to, x),
            Instruction::ToBits { kind, to, x } => state.bits(kind, to, x),
            Instruction::FromBits { kind, to, x } => state.real_of_bits(kind, to, x),
            Instruction::SetReal { cell, x, mask } => state.set_real(cell, x, mask),
            Instruction::SetInt { cell, x, mask } => state.set_int(cell, x, mask),
            Instruction::LoadReal { to, ref from } => {
                let elements = &reals[from.buffer as usize];
                debug_assert!(state.is_as_said(from, elements, None), "{INSIDE}");
                match to {
                    Reg::Uniform(to) => state.reals.set(to, elements.get(state.start(from))),
                    Reg::Varying(to) => {
                        let reach = state.reach(from);
                        if !load_row(elements, reach, state.real_block(to)) {
                            dispatch::load_reals(state, elements, reach, to);
                        }
                    }
                }
            }
            Instruction::LoadInt { to, ref from } => {
                let elements = &ints[from.buffer as usize];
                debug_assert!(state.is_as_said(from, elements, None), "{INSIDE}");
                match to {
                    Reg::Uniform(to) => state.ints.set(to, elements.get(state.start(from))),
                    Reg::Varying(to) => {
                        let reach = state.reach(from);
                        if !load_row(elements, reach, state.int_block(to)) {
                            dispatch::load_ints(state, elements, reach, to);
                        }
                    }
                }
            }
            Instruction::StoreReal { ref at, x, mask } => {
                debug_assert!(state.is_as_said(at, &reals[at.buffer as usize], mask), "{INSIDE}");
                let (to, reach) = (&mut reals[at.buffer as usize], state.reach(at));
                if mask.is_some() || !store_strided(to, reach, state.real(x), state.active, |_, x| x) {
                    dispatch::store_reals(state, to, reach, x, mask);
                }
            }
            Instruction::StoreInt { ref at, x, mask } => {
                debug_assert!(state.is_as_said(at, &ints[at.buffer as usize], mask), "{INSIDE}");
                let (to, reach) = (&mut ints[at.buffer as usize], state.reach(at));
                if mask.is_some() || !store_strided(to, reach, state.int(x), state.active, |_, x| x) {
                    dispatch::store_ints(state, to, reach, x, mask);
                }
            }
            Instruction::AddReal { rounded, ref at, x, mask } => {
                debug_assert!(state.is_as_said(at, &reals[at.buffer as usize], mask), "{INSIDE}");
                let (to, reach) = (&mut reals[at.buffer as usize], state.reach(at));
                if let Some(kind) = rounded {
                    state.add_rounded(to, reach, kind, x, mask);
                } else if mask.is_some() || !store_strided(to, reach, state.real(x), state.active, |a, x| a + x) {
                    dispatch::add_reals(state, to, reach, x, mask);
                }
            }
            Instruction::AddInt { ref at, x, prim, mask } => {
                debug_assert!(state.is_as_said(at, &ints[at.buffer as usize], mask), "{INSIDE}");
                state.add_int(&mut ints[at.buffer as usize], at, prim, x, mask);
            }
            Instruction::Kernel(ref it) => dispatch::kernel(state, reals, &code.addresses, it),
            Instruction::Transpose(ref it) => {
                Self::tick(state, watch, at, state.one(it.count).max(0))?;
                dispatch::transpose(state, reals, &code.addresses, it);
            }
            Instruction::IntoRows(ref it) => {
                Self::tick(state, watch, at, state.one(it.count).max(0))?;
                dispatch::into_rows(state, reals, &code.addresses, it);
            }
            Instruction::Inner(ref it) => {
                for part in stretches(state.one(it.count)) {
                    if part.start > 0 {
                        Self::tick(state, watch, at, 1)?;
                    }
                    row_sums::inner(state, reals, &code.addresses, it, part);
                }
            }
            Instruction::Series(ref it) => {
                for part in stretches(state.one(it.count)) {
                    if part.start > 0 {
                        Self::tick(state, watch, at, 1)?;
                    }
                    dispatch::series(state, reals, &code.addresses, it, part);
                }
            }
            Instruction::Product(number) => {
                let it = &code.products[number as usize];
                for part in product::stretches(state, it) {
                    product::run(state, reals, it, part);
                    Self::tick(state, watch, at, 1)?;
                }
                // A product goes through its memory in blocks of its own: what the lanes have need not be near.
                state.own = 0;
            }
            Instruction::Scan(number) => profile::sweep(self, Sweep::Scan(number), |it| scan::run(it, number, at))?,
            Instruction::Hist(number) => profile::sweep(self, Sweep::Hist(number), |it| hist::run(it, number, at))?,
            Instruction::Rule(number) => state.rule(&code.rules[number as usize]),
            Instruction::Call(number) => foreign::run(self, number)?,
            Instruction::Chain(number) => dispatch::chain(state, &code.chains[number as usize]),
            Instruction::Rows(number) => dispatch::rows(state, reals, &code.rows[number as usize]),
            Instruction::Outer(ref it) => dispatch::outer(state, reals, &code.addresses, it),
            Instruction::Alloc { buffer, count, real, own } => {
                let size = (state.one(count), own.then_some(state.width));
                let count = allocate(watch, &mut state.held, (reals, ints), (real, buffer), size, at)?;
                state.own += if own { count } else { 0 };
            }
            Instruction::Swap { a, b, real } => {
                state.held.swap(real, a, b);
                if real {
                    reals.swap(a as usize, b as usize);
                } else {
                    ints.swap(a as usize, b as usize);
                }
            }
            Instruction::Check { condition, mask } => {
                if !state.all(mask, [condition; 2], |condition, _| condition != 0) {
                    return Err(Fault);
                }
            }
            Instruction::Bounds { index, length, mask } => {
                if !state.all(mask, [index, length], |index, length| 0 <= index && index < length) {
                    return Err(Fault);
                }
            }
        }
        Ok(Next::At(at + 1))
    }
}
