//! Which states of loops reverse mode keeps: the same scheme for all loops, or one for each from a budget.
//!
//! Law: with a budget, the states that the derivative keeps at one time, and the numbers of their iterations, are no
//! more elements than the budget; the loop that would repeat most iterations gets room first (each `r` times with `c`
//! states, for the least `r` with `C(c + r, c) ≥ n`, binomial checkpointing). Derivatives are the same under every
//! scheme. What is kept is what the source keeps ("Reverse AD for a Functional Array Language with Nested Parallelism",
//! *Tape by Redundant Execution & Checkpointing*): the states of the loops of a scope, and of one scope within it at a
//! time (laws: checkpointing::budgets_agree, tests/transform/checkpoint.rs).

use rustc_hash::{FxHashMap, FxHashSet};

use super::flow::{Active, atoms_in};
use super::stripmine::MOST_LEVELS;
use crate::array::{Atom, Body, Form, Loop, Op, Policy, Program, Stm, Var};
use crate::error::{Error, Result};
use crate::interpret::{Compare, Limits, LoopUsage, Value, measure};

/// The loop variables that make the states of a loop: what an iteration needs and changes.
pub(super) fn states(program: &Program, it: &Loop) -> Vec<usize> {
    changing(program, it, &mentions(it))
}

/// Those of the states that the reverse sweep can need. Of an array that is only written to, as one of kept states is,
/// no element is read again.
pub(super) fn held(program: &Program, it: &Loop) -> Vec<usize> {
    let mentions = mentions(it);
    let once = |var: Var| mentions.get(&var.into()) == Some(&1);
    let mut written: FxHashSet<(Atom, Var)> = FxHashSet::default();
    for Stm { vars, op, .. } in &it.body.stms {
        if let Op::Update(array, ..) = op
            && once(vars[0])
        {
            written.insert((*array, vars[0]));
        }
    }
    let is_written = |k: usize| match it.body.results[k] {
        Atom::Var(next) => once(it.params[k].0) && written.contains(&(it.params[k].0.into(), next)),
        Atom::Const(_) => false,
    };
    let mut held = changing(program, it, &mentions);
    held.retain(|k| !is_written(*k));
    held
}

/// How often the body of a loop mentions what it mentions.
pub(super) fn mentions(it: &Loop) -> FxHashMap<Atom, usize> {
    let mut found: FxHashMap<Atom, usize> = FxHashMap::default();
    atoms_in(&it.body, &mut |a| *found.entry(a).or_default() += 1);
    found
}

fn changing(program: &Program, it: &Loop, mentions: &FxHashMap<Atom, usize>) -> Vec<usize> {
    let is_state = |k: &usize| {
        let (param, _) = it.params[*k];
        let accumulator = program.type_of(param).accumulator;
        !accumulator && it.body.results[*k] != Atom::Var(param) && mentions.contains_key(&param.into())
    };
    (0..it.params.len()).filter(is_state).collect()
}

impl Program {
    /// The program with this policy for every loop in it.
    ///
    /// ```
    /// use catadiff::array::{Policy, Program, trace::{F64, loop_for}};
    /// let power = Program::trace(|x: F64| loop_for(10, x, |_, y| y * x))?;
    /// assert!(power.with_policy(Policy::Binomial(3)).to_string().contains("loop binomial[3]"));
    /// # Ok::<(), catadiff::Error>(())
    /// ```
    #[must_use]
    pub fn with_policy(&self, policy: Policy) -> Program {
        self.with_policies(|_, it| it.policy = policy)
    }

    /// The program with a checkpointing scheme for each loop, so that the states that reverse mode keeps of all of them at
    /// one time, with the numbers of their iterations, are at most `elements` elements: all states where they fit, and
    /// else [`Policy::Binomial`] with as many as fit. The budget is shared by loops beside and inside each other. Loops
    /// that have another policy than [`Policy::KeepAll`] stay as they are, and use their part. What is kept inside the
    /// function of a map is counted for one element, as the interpreter goes through them one after the other; what else
    /// a run holds, such as arrays that are being computed, is not counted.
    ///
    /// How often loops run and how large their states are is learnt from a run on `arguments`, without derivatives.
    /// On others the derivative is as right; loops that keep few states keep as few there, and loops that keep all
    /// keep as many as they run, or as many [places](Policy::places) as they begin with.
    ///
    /// ```
    /// use catadiff::array::{Program, trace::{F64, I64, loop_for}};
    /// use catadiff::interpret::{Limits, measure};
    /// use catadiff::{Elementary, Error};
    /// let orbit = Program::trace(|x: F64, n: I64| loop_for(n, x, |_, x| x.sin() + x))?;
    /// let (x, n) = (0.5.into(), 10_000_i64.into());
    /// let gradient = orbit.checkpointed(&[x, n], 100)?.vjp_wrt(0)?;
    /// let (_, usage) = measure(&gradient, &[0.5.into(), 10_000_i64.into(), 1.0.into()], &Limits::default())?;
    /// assert_eq!(usage.elements, 100); // 50 states, each with the number of its iteration
    ///
    /// let error = orbit.checkpointed(&[0.5.into(), 10_000_i64.into()], 1).unwrap_err();
    /// assert_eq!(error, Error::Checkpoints { allowed: 1, least: 2 });
    /// # Ok::<(), catadiff::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Checkpoints`] if one state of each loop is too much already; and as for [`run`](Program::run).
    pub fn checkpointed<C: Compare>(&self, arguments: &[Value<C>], elements: u64) -> Result<Program> {
        let (_, usage) = measure(self, arguments, &Limits::default())?;
        let active = Active::both(self, &self.positions());
        let mut plan = Plan { program: self, active: &active, usage: &usage.loops, loops: Vec::new() };
        let scope = plan.scope(&self.function.body);
        let mut loops = plan.loops;
        let least = scope.elements(&loops);
        if least > elements {
            return Err(Error::Checkpoints { allowed: elements, least });
        }
        share(&scope, &mut loops, elements);
        let policies: FxHashMap<Var, Policy> = loops.iter().map(|it| (it.var, it.policy())).collect();
        Ok(self.with_policies(|vars, it| {
            if let Some(policy) = vars.first().and_then(|var| policies.get(var)) {
                it.policy = *policy;
            }
        }))
    }

    fn with_policies(&self, mut choose: impl FnMut(&[Var], &mut Loop)) -> Program {
        let mut program = self.clone();
        each_loop(&mut program.function.body, &mut choose);
        program
    }
}

/// Calls `choose` on every loop in a body, with the variables that it binds.
fn each_loop(body: &mut Body, choose: &mut impl FnMut(&[Var], &mut Loop)) {
    for Stm { vars, op, .. } in &mut body.stms {
        if let Op::Loop(it) = op {
            choose(vars, it);
        }
        op.bodies_mut().for_each(|inner| each_loop(inner, choose));
    }
}

/// A scope of the program: its loops, by their position in a list, and the scopes in it.
struct Scope {
    loops: Vec<usize>,
    inner: Vec<Scope>,
}

impl Scope {
    /// The elements of states that the reverse sweep keeps at one time.
    fn elements(&self, loops: &[Kept]) -> u64 {
        let here = self.loops.iter().map(|k| loops[*k].elements());
        let inside = self.inner.iter().map(|scope| scope.elements(loops)).max().unwrap_or(0);
        here.fold(inside, u64::saturating_add)
    }
}

/// The loops of a program that reverse mode goes through.
struct Plan<'p> {
    program: &'p Program,
    active: &'p Active,
    usage: &'p [LoopUsage],
    loops: Vec<Kept>,
}

impl Plan<'_> {
    fn scope(&mut self, body: &Body) -> Scope {
        let mut scope = Scope { loops: Vec::new(), inner: Vec::new() };
        for stm in &body.stms {
            if let Op::Loop(it) = &stm.op
                && stm.vars.iter().any(|v| self.active.var(*v))
                && let Some(kept) = self.kept(stm.vars[0], it)
            {
                scope.loops.push(self.loops.len());
                self.loops.push(kept);
            }
            // A function with a derivative of its own is not gone through.
            if !matches!(stm.op, Op::Custom(_)) {
                scope.inner.extend(stm.op.bodies().map(|body| self.scope(body)));
            }
        }
        scope
    }

    /// What is kept of a loop at least, if it ran.
    fn kept(&self, var: Var, it: &Loop) -> Option<Kept> {
        let found = self.usage.binary_search_by_key(&var, |usage| usage.var).ok()?;
        let usage = &self.usage[found];
        let fixed = (it.policy != Policy::KeepAll).then_some(it.policy);
        let elements = |states: Vec<usize>| states.into_iter().map(|k| usage.elements[k]).sum();
        let rows = match &it.form {
            Form::For(..) => usage.iterations,
            Form::While { bound: Some(_), .. } => usage.bound.unwrap_or(usage.iterations),
            Form::While { bound: None, .. } => usage.iterations.max(Policy::places(elements(held(self.program, it)))),
        };
        let state = elements(states(self.program, it));
        Some(Kept { var, total: usage.total, iterations: usage.iterations, rows, state, fixed, slots: 1 })
    }
}

/// What is kept of a loop.
struct Kept {
    var: Var,
    /// The iterations of all its runs, and of the longest.
    total: u64,
    iterations: u64,
    /// The states that keeping all keeps.
    rows: u64,
    /// The elements of a state.
    state: u64,
    /// The policy that it had.
    fixed: Option<Policy>,
    slots: u64,
}

impl Kept {
    /// The elements of `slots` kept states, each with the number of its iteration.
    fn some(&self, slots: u64) -> u64 {
        slots.saturating_mul(self.state.saturating_add(1))
    }

    fn all(&self) -> u64 {
        self.rows.saturating_mul(self.state)
    }

    fn elements(&self) -> u64 {
        match self.fixed {
            Some(Policy::Binomial(slots)) => self.some(u64::from(slots).min(self.iterations).max(1)),
            Some(Policy::StripMine(levels)) => {
                nested(self.iterations, levels.min(MOST_LEVELS)).saturating_mul(self.state)
            }
            Some(Policy::KeepAll) => self.all(),
            Some(Policy::Recompute) => 0,
            None => self.some(self.slots).min(self.all()),
        }
    }

    fn policy(&self) -> Policy {
        let slots = u32::try_from(self.slots).unwrap_or(u32::MAX);
        let fits = self.some(self.slots) >= self.all();
        self.fixed.unwrap_or(if fits { Policy::KeepAll } else { Policy::Binomial(slots) })
    }

    /// How often an iteration is repeated at most, with `slots` states.
    fn repetitions(&self, slots: u64) -> u64 {
        if slots == 1 {
            return self.iterations.saturating_sub(1);
        }
        let (mut reach, mut r) = (1_u128, 0);
        while reach < u128::from(self.iterations) {
            r += 1;
            reach = reach * u128::from(slots + r) / u128::from(r);
        }
        r
    }

    /// The fewest states with which iterations are repeated less often, if there are.
    fn next(&self) -> Option<u64> {
        let now = self.repetitions(self.slots);
        let open = self.fixed.is_none() && self.some(self.slots) < self.all();
        (open && now > 1).then(|| least(self.slots + 1, self.iterations, |slots| self.repetitions(slots) < now))
    }
}

/// The least number from `low` to `high` that will do, where all above it do and `high` does.
fn least(mut low: u64, mut high: u64, mut does: impl FnMut(u64) -> bool) -> u64 {
    while low < high {
        let middle = low + (high - low) / 2;
        if does(middle) { high = middle } else { low = middle + 1 }
    }
    low
}

/// The states that a nest of this many levels keeps.
fn nested(iterations: u64, levels: u32) -> u64 {
    if levels <= 1 {
        return iterations;
    }
    let share = f64::from(levels - 1) / f64::from(levels);
    // The same arithmetic as that of the nest itself.
    let step = ((iterations.max(1) as f64).powf(share).ceil() as u64).max(1);
    iterations.div_ceil(step) + nested(step.min(iterations), levels - 1)
}

/// Gives loops more states as long as they fit: to those that repeat most first, and what is left in order.
fn share(scope: &Scope, loops: &mut [Kept], elements: u64) {
    let mut wanting: Vec<usize> = (0..loops.len()).collect();
    let repeated = |it: &Kept| it.repetitions(it.slots).saturating_mul(it.total);
    while let Some(most) = (0..wanting.len()).max_by_key(|w| repeated(&loops[wanting[*w]])) {
        let k = wanting[most];
        let before = loops[k].slots;
        if let Some(more) = loops[k].next() {
            loops[k].slots = more;
            if scope.elements(loops) <= elements {
                continue;
            }
        }
        loops[k].slots = before;
        wanting.swap_remove(most);
    }
    for k in 0..loops.len() {
        let (low, high) = (loops[k].slots, loops[k].rows.max(loops[k].slots));
        let mut is_too_much = |slots: u64| {
            loops[k].slots = slots;
            scope.elements(loops) > elements
        };
        let most = least(low, high, |slots| slots == high || is_too_much(slots + 1));
        loops[k].slots = most;
    }
}
