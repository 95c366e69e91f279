//! The rule of loops under a memory budget: few states are kept, and those between are computed again.
//!
//! Law: with room for `c` states the reverse sweep over `n` iterations recomputes states as seldom as any schedule with
//! that room can: `r·n − C(c + r, r − 1)` iterations in all, for the least `r` with `C(c + r, c) ≥ n`, the forward
//! sweep up to the last iteration among them, and none more than `r` times (Griewank and Walther's *revolve*, binomial
//! checkpointing). The kept states are a stack; the next lies where the part before it can be reversed with `r − 1`
//! repetitions and all its room, and the part after it with one place less (laws: checkpointing,
//! tests/transform/checkpoint.rs).
//!
//! Derivatives of what is written here are under the same budget: the loops that compute states again, and the return
//! sweep, ask for `c` states themselves, and the loop that fills the stack runs at most `c` times. A state of the return
//! sweep is a stack, so a second reverse derivative keeps about `c` stacks, whatever `n`: `c²` states.

use super::Reverse;
use super::forward::Forward;
use super::loops::{Sweep, unchanged};
use crate::array::{Atom, Form, IntegerRow, Loop, Op, Policy, Prim, ScalarOp, Stm, index};
use crate::transform::checkpoint::states;
use crate::transform::copy::Copier;
use crate::transform::target::Target;

const SUB: ScalarOp = ScalarOp::Integer(IntegerRow::Sub);
const MIN: ScalarOp = ScalarOp::Integer(IntegerRow::Min);
const MAX: ScalarOp = ScalarOp::Integer(IntegerRow::Max);

/// What the forward sweep leaves of a loop whose states are computed again.
pub(super) struct Snapshots {
    /// The number of iterations.
    count: Atom,
    /// How many states may be kept, as the policy says, and for this number of iterations.
    allowed: u32,
    room: Atom,
    /// The state before the last iteration, and those kept on the way.
    last: Place,
}

/// Somewhere among the iterations.
struct Place {
    /// The values of the variables that are carried.
    state: Vec<Atom>,
    /// The iteration before which they have these values.
    at: Atom,
    /// Arrays of kept values of the loop's state, of the iterations they are from, and the index of the last kept.
    stack: Vec<Atom>,
}

/// What is the same wherever one is.
struct Walk<'l> {
    it: &'l Loop,
    /// The loop variables that are carried from iteration to iteration; the first `depth` of them are the state.
    carried: Vec<usize>,
    depth: usize,
    allowed: u32,
    room: Atom,
}

impl Forward<'_, '_, '_> {
    /// Writes a loop that keeps the states that its reverse sweep wants first.
    pub(super) fn binomial_forward(&mut self, stm: &Stm, it: &Loop, allowed: u32) -> Snapshots {
        let target = self.copier.target;
        let count = self.copier.iterations(it);
        let room = target.indices(MIN, index(i64::from(allowed.max(1))), target.indices(MAX, count, index(1)));
        let initial: Vec<Option<Atom>> =
            it.params.iter().map(|(_, a)| self.copier.kept(*a).then(|| self.copier.atom(*a))).collect();
        let all: Vec<usize> = (0..it.params.len()).filter(|k| initial[*k].is_some()).collect();
        let first = |k: &usize| initial[*k].expect("what is not left out has a value");
        for (k, (param, _)) in it.params.iter().enumerate() {
            match initial[k] {
                Some(value) if it.body.results[k] == Atom::Var(*param) => self.copier.set(*param, value),
                Some(_) => {}
                None => self.copier.leave_out(*param),
            }
        }

        let mut carried = states(self.copier.source, it);
        let depth = carried.len();
        let mut stack: Vec<Atom> = carried.iter().map(|k| target.one(Op::Replicate(room, first(k)))).collect();
        stack.extend([target.one(Op::Replicate(room, index(0))), index(0)]);
        carried.extend(all.iter().filter(|k| self.copier.source.type_of(it.params[**k].0).accumulator));
        let start = Place { state: carried.iter().map(first).collect(), at: index(0), stack };
        let walk = Walk { it, carried, depth, allowed, room };
        let last = walk.advance(self.copier, target.indices(SUB, count, index(1)), start);

        // The last iteration, which the reverse sweep begins with, gives the results.
        let now = |k: &usize| walk.carried.iter().position(|c| c == k).map_or_else(|| first(k), |c| last.state[c]);
        let before: Vec<Atom> = all.iter().map(now).collect();
        let once = target.indices(MIN, count, index(1));
        let results = run(self.copier, it, &all, &before, [last.at, once], Policy::KeepAll);
        self.copier.bind(stm, &results);
        Snapshots { count, allowed, room, last: Place { state: last.state[..depth].to_vec(), ..last } }
    }
}

impl Reverse<'_, '_> {
    /// The reverse sweep, from the states that the forward sweep has kept.
    pub(super) fn binomial_backward(&mut self, stm: &Stm, it: &Loop, snapshots: &Snapshots) {
        let target = self.target;
        let Snapshots { count, allowed, room, last } = snapshots;
        let (constant, kept) = (unchanged(&self.copier, it), states(self.copier.source, it));
        let walk = Walk { it, depth: kept.len(), carried: kept, allowed: *allowed, room: *room };
        let policy = Policy::Binomial(*allowed);
        let sweep = Sweep { count: *count, policy, more: last.stack.clone(), resizes: &|_| false };
        let begin = |reverse: &mut Self, [wanted, j]: [Atom; 2], stack: &[Atom]| {
            constant.iter().for_each(|(k, value)| reverse.copier.set(it.params[*k].0, *value));
            let Place { state, stack, .. } = walk.reach(&mut reverse.copier, j, wanted, last, stack);
            enter(&mut reverse.copier, it, &walk.carried, &state, wanted);
            (stack, wanted)
        };
        self.sweep(stm, it, sweep, begin, |_, (mut stack, wanted)| {
            drop_used(target, &mut stack, walk.depth, wanted);
            stack
        });
    }
}

impl Walk<'_> {
    /// The place before the wanted iteration, the `j`-th from the end: the forward sweep ended at the last one, and the
    /// others are reached from the last state that is kept.
    fn reach(&self, copier: &mut Copier<'_, '_>, j: Atom, wanted: Atom, last: &Place, stack: &[Atom]) -> Place {
        let target = copier.target;
        let (stores, top) = (&stack[..=self.depth], stack[self.depth + 1]);
        let is_last = target.scalar(ScalarOp::Equal, &[j, index(0)]);
        let mut state = target.choose(
            is_last,
            || last.state.iter().copied().chain([last.at]).collect(),
            || read(target, stores, top),
        );
        let at = state.pop().expect("the iteration comes with the state");
        self.advance(copier, wanted, Place { state, at, stack: stack.to_vec() })
    }

    /// The place before the wanted iteration, from one before it; on the way states are kept where there is room.
    fn advance(&self, copier: &mut Copier<'_, '_>, wanted: Atom, start: Place) -> Place {
        let target = copier.target;
        let n = self.carried.len();
        let begun = start.state.into_iter().chain([start.at]).chain(start.stack);
        let asked = |now: &[Atom]| target.scalar(ScalarOp::Less, &[now[n], wanted]);
        // Each time but the last a state is kept.
        let mut state = target.repeat_while(begun, Some(self.room), asked, |now| {
            let (state, from, stack) = (&now[..n], now[n], &now[n + 1..]);
            let top = stack[self.depth + 1];
            let free = target.indices(SUB, target.indices(SUB, self.room, index(1)), top);
            let has_room = target.scalar(ScalarOp::Less, &[index(0), free]);
            let far = target.indices(SUB, wanted, from);
            let steps = target.choose(has_room, || vec![split(target, far, free)], || vec![far])[0];
            let state = run(copier, self.it, &self.carried, state, [from, steps], Policy::Binomial(self.allowed));
            let at = target.indices(ScalarOp::Add, from, steps);
            // Without room the last that is kept is put where it is.
            let next = target.indices(ScalarOp::Add, top, target.scalar(ScalarOp::Convert(Prim::I64), &[has_room]));
            let stores = &stack[..=self.depth];
            let new = || state[..self.depth].iter().copied().chain([at]).collect();
            let values = target.choose(has_room, new, || read(target, stores, top));
            let put = |(array, value): (&Atom, Atom)| target.one(Op::Update(*array, vec![next], value));
            let stack: Vec<Atom> = stores.iter().zip(values).map(put).collect();
            [&state[..], &[at], &stack, &[next]].concat()
        });
        let stack = state.split_off(n + 1);
        let at = state.pop().expect("the iteration comes with the state");
        Place { state, at, stack }
    }
}

/// Says that the loop's body is entered with this state, in this iteration.
pub(super) fn enter(copier: &mut Copier<'_, '_>, it: &Loop, carried: &[usize], state: &[Atom], i: Atom) {
    carried.iter().zip(state).for_each(|(k, value)| copier.set(it.params[*k].0, *value));
    if let Form::For(var, _) = &it.form {
        copier.set(*var, i);
    }
}

/// The values of the carried variables after this many iterations.
pub(super) fn run(
    copier: &mut Copier<'_, '_>,
    it: &Loop,
    carried: &[usize],
    state: &[Atom],
    [from, steps]: [Atom; 2],
    policy: Policy,
) -> Vec<Atom> {
    let target = copier.target;
    target.repeat(steps, state.iter().copied(), policy, |j, now| {
        enter(copier, it, carried, now, target.indices(ScalarOp::Add, from, j));
        copier.stms(&it.body.stms);
        carried.iter().map(|k| copier.atom(it.body.results[*k])).collect()
    })
}

/// What is kept at an index of the stack.
fn read(target: &Target, stores: &[Atom], at: Atom) -> Vec<Atom> {
    stores.iter().map(|store| target.at(*store, &[at])).collect()
}

/// Takes the state that was kept for this iteration from the stack: it is not needed again. The first stays.
fn drop_used(target: &Target, stack: &mut [Atom], depth: usize, wanted: Atom) {
    let (positions, top) = (stack[depth], stack[depth + 1]);
    let here = target.scalar(ScalarOp::Equal, &[target.at(positions, &[top]), wanted]);
    let above = target.scalar(ScalarOp::Less, &[index(0), top]);
    let drop = target.scalar(ScalarOp::Mul, &[here, above]);
    stack[depth + 1] = target.indices(SUB, top, target.scalar(ScalarOp::Convert(Prim::I64), &[drop]));
}

/// How far to go to the next state that is kept, where one is `far` from the wanted one and `free` places are free.
///
/// With `s` places, one more than are free, `l` iterations and the least `r` with `C(s + r, s) ≥ l`, the part before it may have
/// `C(s + r − 1, s)` iterations; the part after it has at least the `C(s + r − 2, s − 1)` that `r − 1` repetitions reverse,
/// since each of these is cheaper there.
fn split(target: &Target, far: Atom, free: Atom) -> Atom {
    let length = target.indices(ScalarOp::Add, far, index(1));
    let places = target.indices(ScalarOp::Add, free, index(1));
    let asked = |now: &[Atom]| target.scalar(ScalarOp::Less, &[now[0], length]);
    let begun = [index(1), index(0), index(0), index(0)];
    let found = target.repeat_while(begun, None, asked, |now| {
        let [reach, before, _, r] = now[..] else { unreachable!("four numbers are carried") };
        // C(s + r, s) from C(s + r − 1, s).
        let next = target.indices(ScalarOp::Add, r, index(1));
        let factor = target.indices(ScalarOp::Add, places, next);
        let product = target.indices(ScalarOp::Mul, reach, factor);
        vec![target.indices(IntegerRow::Quot, product, next), reach, before, next]
    });
    // C(s + r − 2, s − 1) = C(s + r − 1, s) − C(s + r − 2, s).
    let after = target.indices(SUB, found[1], found[2]);
    target.indices(MIN, found[1], target.indices(SUB, length, after))
}
