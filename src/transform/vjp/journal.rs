//! Arrays that a loop changes in place: what an iteration overwrites is kept, and the return sweep puts it back.
//!
//! Law: the array before an iteration is the one after it with the elements put back that were overwritten, last first; so
//! an update costs what it writes, in both sweeps, however long the array is. An array is changed in place if all that an
//! iteration does to it are updates at as many indices each, also in branches and in loops inside; of others the whole
//! state is kept. Where an array is read after it has been changed, the return sweep changes it again and then puts back what
//! it overwrote itself, and where it is not, it stays as it was before.

use rustc_hash::{FxHashMap, FxHashSet};

use super::Reverse;
use crate::array::{
    Atom, Body, Form, IntegerRow, Loop, Op, Policy, Prim, Program, ScalarOp, Stm, Type, Var, bodies, index,
};
use crate::transform::checkpoint::mentions;
use crate::transform::copy::Copier;
use crate::transform::flow::Active;
use crate::transform::target::Target;

/// A loop variable that is changed in place.
pub(super) struct Chain {
    /// Its number.
    pub(super) k: usize,
    /// How many indices an update has.
    arity: usize,
    /// What gives a version of the array, in the body and in what is inside of it.
    links: FxHashSet<Var>,
    /// The versions in the body itself, in order, each with the one before it and what made it.
    versions: Vec<Version>,
    /// How many of these the return sweep makes again.
    again: usize,
    /// Whether elements are read at all.
    is_read: bool,
}

#[derive(Debug, Clone, Copy)]
struct Version {
    var: Var,
    before: Var,
    made: Made,
}

/// What makes a version of an array from the one before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Made {
    Update,
    Branch,
    Loop,
}

/// How the variable of a loop is changed in place, if it is.
pub(super) fn chain(program: &Program, active: &Active, it: &Loop, k: usize) -> Option<Chain> {
    let of = program.type_of(it.params[k].0);
    if of.rank == 0 || of.accumulator || it.body.results[k] == it.params[k].0.into() {
        return None;
    }
    let mut search = Search {
        program,
        active,
        arity: None,
        links: FxHashSet::default(),
        in_branches: Vec::new(),
        own: FxHashMap::default(),
        is_read: false,
    };
    let (start, versions) = search.walk(&it.body, it.body.results[k], false)?;
    if start != it.params[k].0 {
        return None;
    }
    let all = mentions(it);
    asked(&it.body, &mut search.own);
    // What is mentioned more often than the chain does, and for its size, is read.
    let is_read = |var: Var| all.get(&var.into()).copied().unwrap_or(0) > search.own.get(&var).copied().unwrap_or(0);
    let again = (1..=versions.len()).rev().find(|n| {
        let version = versions[n - 1];
        version.made == Made::Loop || is_read(version.var)
    });
    let again = again.unwrap_or(0);
    if versions[..again].iter().any(|v| v.made == Made::Branch) || search.in_branches.iter().any(|v| is_read(*v)) {
        return None;
    }
    let is_read = search.is_read || is_read(start) || versions.iter().any(|v| is_read(v.var));
    Some(Chain { k, arity: search.arity?, links: search.links, versions, again, is_read })
}

struct Search<'a> {
    program: &'a Program,
    active: &'a Active,
    arity: Option<usize>,
    links: FxHashSet<Var>,
    /// Those of the links that are in branches.
    in_branches: Vec<Var>,
    /// How often the chain itself mentions a version.
    own: FxHashMap<Var, usize>,
    /// Whether a loop inside reads elements.
    is_read: bool,
}

impl Search<'_> {
    /// The versions that lead to a result of a body, from one that is not of this body.
    fn walk(&mut self, body: &Body, result: Atom, is_branch: bool) -> Option<(Var, Vec<Version>)> {
        let Atom::Var(mut var) = result else { return None };
        *self.own.entry(var).or_default() += 1;
        let (mut versions, mut end) = (Vec::new(), body.stms.len());
        while let Some(at) = body.stms[..end].iter().rposition(|stm| stm.vars.contains(&var)) {
            let stm = &body.stms[at];
            let j = stm.vars.iter().position(|v| *v == var)?;
            let (before, made) = match &stm.op {
                Op::Update(Atom::Var(array), indices, value) if *value != (*array).into() => {
                    if *self.arity.get_or_insert(indices.len()) != indices.len() {
                        return None;
                    }
                    *self.own.entry(*array).or_default() += 1;
                    (*array, Made::Update)
                }
                Op::If(_, yes, no) => {
                    let (from, _) = self.walk(yes, yes.results[j], true)?;
                    let (other, _) = self.walk(no, no.results[j], true)?;
                    if from != other {
                        return None;
                    }
                    (from, Made::Branch)
                }
                Op::Loop(it) if !is_branch && self.active.var(var) && it.policy == Policy::KeepAll => {
                    let inner = chain(self.program, self.active, it, j)?;
                    if *self.arity.get_or_insert(inner.arity) != inner.arity {
                        return None;
                    }
                    self.links.extend(&inner.links);
                    self.is_read |= inner.is_read;
                    let Atom::Var(initial) = it.params[j].1 else { return None };
                    *self.own.entry(initial).or_default() += 1;
                    (initial, Made::Loop)
                }
                _ => return None,
            };
            self.links.insert(var);
            if is_branch {
                self.in_branches.push(var);
            }
            versions.push(Version { var, before, made });
            (var, end) = (before, at);
        }
        versions.reverse();
        Some((var, versions))
    }
}

/// Counts how often sizes of variables are asked for.
fn asked(body: &Body, found: &mut FxHashMap<Var, usize>) {
    for stm in &body.stms {
        if let Op::Size(Atom::Var(var), _) = stm.op {
            *found.entry(var).or_default() += 1;
        }
        bodies(&stm.op).for_each(|body| asked(body, found));
    }
}

impl Chain {
    /// How many updates an iteration makes, if that is always the same.
    fn updates(&self) -> Option<i64> {
        let is_fixed = self.versions.iter().all(|v| v.made == Made::Update);
        is_fixed.then(|| i64::try_from(self.versions.len()).expect("a program is shorter than 2^63"))
    }

    /// Whether it has to be counted how many updates there will be.
    pub(super) fn must_be_counted(&self) -> bool {
        self.updates().is_none()
    }

    /// The versions that the return sweep makes again and takes back, each with the one before it.
    fn made_again(&self) -> impl Iterator<Item = &Version> {
        self.versions[..self.again].iter()
    }
}

/// What has been overwritten so far of an array, while updates are copied.
#[derive(Clone)]
pub(super) struct Log<'c> {
    chain: &'c Chain,
    /// Arrays of the indices, and of what was there; none where updates are only counted.
    stores: Vec<Atom>,
    /// How many updates there were.
    top: Atom,
}

impl<'c> Log<'c> {
    /// A log that only counts.
    pub(super) fn counting(chain: &'c Chain, top: Atom) -> Self {
        Log { chain, stores: Vec::new(), top }
    }

    pub(super) fn top(&self) -> Atom {
        self.top
    }

    /// What changes.
    fn state(&self) -> Vec<Atom> {
        self.stores.iter().copied().chain([self.top]).collect()
    }

    fn set(&mut self, state: &[Atom]) {
        let (stores, top) = state.split_at(self.stores.len());
        self.stores.copy_from_slice(stores);
        self.top = top[0];
    }

    fn note(&mut self, target: &Target, array: Atom, at: &[Atom]) {
        if let Some((values, positions)) = self.stores.split_last_mut() {
            for (position, i) in positions.iter_mut().zip(at) {
                *position = target.one(Op::Update(*position, vec![self.top], *i));
            }
            *values = target.one(Op::Update(*values, vec![self.top], target.at(array, at)));
        }
        self.top = target.indices(ScalarOp::Add, self.top, index(1));
    }
}

/// Copies statements, and notes what updates overwrite.
pub(super) fn noted(copier: &mut Copier<'_, '_>, stms: &[Stm], logs: &mut [Log<'_>]) {
    let target = copier.target;
    for stm in stms {
        let concerned: Vec<usize> =
            (0..logs.len()).filter(|n| stm.vars.iter().any(|v| logs[*n].chain.links.contains(v))).collect();
        if concerned.is_empty() {
            copier.stm(stm);
            continue;
        }
        let around = target.span(stm.span);
        let inside = |copier: &mut Copier<'_, '_>, body: &Body, mut logs: Vec<Log<'_>>| -> Vec<Atom> {
            noted(copier, &body.stms, &mut logs);
            logs.iter().flat_map(Log::state).collect()
        };
        let now: Vec<Log<'_>> = concerned.iter().map(|n| logs[*n].clone()).collect();
        let results = match &stm.op {
            Op::Update(array, at, _) => {
                let (array, at) = (copier.atom(*array), copier.atoms(at));
                concerned.iter().for_each(|n| logs[*n].note(target, array, &at));
                target.span(around);
                copier.stm(stm);
                continue;
            }
            Op::If(condition, yes, no) => {
                let mut side = |body: &Body| {
                    target.body(|| {
                        let more = inside(copier, body, now.clone());
                        let mut results = copier.kept_atoms(&body.results);
                        results.extend(more);
                        results
                    })
                };
                let (yes, no) = (Box::new(side(yes)), Box::new(side(no)));
                target.emit(Op::If(copier.atom(*condition), yes, no))
            }
            Op::Loop(it) => {
                let state: Vec<Atom> = now.iter().flat_map(Log::state).collect();
                let op = copier.loop_with(it, &state, |copier, state| {
                    let mut logs = now.clone();
                    set_all(&mut logs, state);
                    inside(copier, &it.body, logs)
                });
                target.emit(op)
            }
            _ => panic!("an array is changed in place by updates, branches and loops"),
        };
        let mut after = now;
        let more: usize = after.iter().map(|log| log.stores.len() + 1).sum();
        let (own, state) = results.split_at(results.len() - more);
        copier.bind(stm, own);
        copier.bind_told(stm);
        set_all(&mut after, state);
        concerned.into_iter().zip(after).for_each(|(n, log)| logs[n] = log);
        target.span(around);
    }
}

fn set_all(logs: &mut [Log<'_>], mut state: &[Atom]) {
    for log in logs {
        let (own, rest) = state.split_at(log.stores.len() + 1);
        log.set(own);
        state = rest;
    }
}

/// What the forward sweep has kept of an array that is changed in place.
pub(super) struct Journal {
    chain: Chain,
    /// The indices of updates, and what was there.
    stores: Vec<Atom>,
    /// If an iteration may make any number of updates, how many there were in all, and before each iteration.
    marks: Option<(Atom, Atom)>,
}

impl Journal {
    pub(super) fn k(&self) -> usize {
        self.chain.k
    }

    /// What the return sweep carries: the array after an iteration, and how many updates there were until then.
    pub(super) fn carried(&self, array: Atom) -> Vec<Atom> {
        core::iter::once(array).chain(self.marks.map(|(top, _)| top)).collect()
    }

    /// The same before the iteration.
    pub(super) fn undone(&self, target: &Target, i: Atom, now: &[Atom]) -> Vec<Atom> {
        let undo = |array: Atom, at: Atom| {
            let (values, positions) = self.stores.split_last().expect("a journal has values");
            let there = positions.iter().map(|p| target.at(*p, &[at])).collect();
            target.one(Op::Update(array, there, target.at(*values, &[at])))
        };
        let Some((_, marks)) = self.marks else {
            let count = self.chain.updates().expect("the number of updates is fixed, or counted");
            let first = target.indices(ScalarOp::Mul, i, index(count));
            let places = (0..count).rev().map(|u| target.indices(ScalarOp::Add, first, index(u)));
            return vec![places.fold(now[0], undo)];
        };
        let mark = target.at(marks, &[i]);
        let steps = target.indices(IntegerRow::Sub, now[1], mark);
        let (params, inside) = target.carried([now[0]]);
        let e = target.fresh(Type::scalar(Prim::I64));
        let body = target.body(|| {
            let back = target.indices(IntegerRow::Sub, now[1], e.into());
            vec![undo(inside[0], target.indices(ScalarOp::Add, back, index(-1)))]
        });
        let it = Loop { params, form: Form::For(e, steps), body, policy: Policy::KeepAll };
        vec![target.emit(Op::Loop(Box::new(it)))[0], mark]
    }
}

impl Reverse<'_, '_> {
    /// The variables of a loop that are changed in place, and whose elements are needed.
    pub(super) fn chains(&self, it: &Loop) -> Vec<Chain> {
        let of = |k: usize| chain(self.copier.source, self.active, it, k);
        let is_needed = |chain: &Chain| {
            chain.is_read || matches!(it.params[chain.k].1, Atom::Var(initial) if self.taken_back.contains(&initial))
        };
        (0..it.params.len()).filter_map(of).filter(is_needed).collect()
    }

    /// What a loop carries to keep a journal of an array with room for so many updates: the stores, and if the number of
    /// updates was counted how many there are, and were before each iteration.
    pub(super) fn no_updates(&self, it: &Loop, chain: &Chain, counted: Option<Atom>, room: Atom) -> Vec<Atom> {
        let target = self.target;
        let first = self.copier.atom(it.params[chain.k].1);
        let of = target.type_of(first);
        let places = match (chain.updates(), counted) {
            (Some(count), _) => target.indices(ScalarOp::Mul, room, index(count)),
            (None, Some(counted)) => counted,
            (None, None) => panic!("the number of updates is fixed, or counted"),
        };
        let part = (chain.arity..of.rank)
            .rev()
            .fold(of.prim.zero().into(), |part, d| target.one(Op::Replicate(target.size(first, d), part)));
        let replicate = |n: Atom, value: Atom| target.one(Op::Replicate(n, value));
        let mut found: Vec<Atom> = (0..chain.arity).map(|_| replicate(places, index(0))).collect();
        found.push(replicate(places, part));
        if chain.must_be_counted() {
            found.extend([index(0), replicate(room, index(0))]);
        }
        found
    }
}

/// The logs of an iteration in which a loop carries these.
pub(super) fn logs<'c>(target: &Target, chains: &'c [Chain], mut carried: &[Atom], i: Atom) -> Vec<Log<'c>> {
    let one = |chain: &'c Chain| {
        let (stores, rest) = carried.split_at(chain.arity + 1);
        let top = match chain.updates() {
            Some(count) => target.indices(ScalarOp::Mul, i, index(count)),
            None => rest[0],
        };
        carried = if chain.must_be_counted() { &rest[2..] } else { rest };
        Log { chain, stores: stores.to_vec(), top }
    };
    chains.iter().map(one).collect()
}

/// What the loop carries on, from what it carried in this iteration and what has been noted.
pub(super) fn noted_on(target: &Target, logs: &[Log<'_>], mut carried: &[Atom], i: Atom) -> Vec<Atom> {
    let mut next = Vec::new();
    for log in logs {
        next.extend(&log.stores);
        carried = &carried[log.stores.len()..];
        if log.chain.must_be_counted() {
            next.extend([log.top, target.one(Op::Update(carried[1], vec![i], carried[0]))]);
            carried = &carried[2..];
        }
    }
    next
}

/// The journals of a loop that ended with these.
pub(super) fn journals(chains: Vec<Chain>, mut carried: &[Atom]) -> Vec<Journal> {
    let one = |chain: Chain| {
        let (stores, rest) = carried.split_at(chain.arity + 1);
        let marks = chain.must_be_counted().then(|| (rest[0], rest[1]));
        carried = if marks.is_some() { &rest[2..] } else { rest };
        Journal { chain, stores: stores.to_vec(), marks }
    };
    chains.into_iter().map(one).collect()
}

/// What an update overwrote that the return sweep has made again.
pub(super) struct Overwritten {
    before: Var,
    at: Vec<Atom>,
    /// What was there, once the update has been made.
    old: Option<Atom>,
}

impl Reverse<'_, '_> {
    /// From here on updates of these arrays that are made again are taken back, until [`forget_updates`](Self::forget_updates).
    pub(super) fn take_back_updates(&mut self, journals: &[Journal]) {
        for version in journals.iter().flat_map(|journal| journal.chain.made_again()) {
            match version.made {
                Made::Update => {
                    let none = Overwritten { before: version.before, at: Vec::new(), old: None };
                    self.overwritten.insert(version.var, none);
                }
                Made::Branch | Made::Loop => {
                    self.taken_back.insert(version.before);
                }
            }
        }
    }

    pub(super) fn forget_updates(&mut self, journals: &[Journal]) {
        for version in journals.iter().flat_map(|journal| journal.chain.made_again()) {
            self.overwritten.remove(&version.var);
            self.taken_back.remove(&version.before);
        }
    }

    /// Keeps what an update is about to overwrite, if it will be taken back.
    pub(super) fn before_update(&mut self, stm: &Stm) {
        if let Op::Update(array, at, _) = &stm.op
            && let Some(overwritten) = self.overwritten.get_mut(&stm.vars[0])
        {
            overwritten.at = self.copier.atoms(at);
            overwritten.old = Some(self.target.at(self.copier.atom(*array), &overwritten.at));
        }
    }

    /// Takes an update back, if it was made again for the return sweep: what comes before it reads the array without it.
    pub(super) fn take_back(&mut self, stm: &Stm) {
        if let Op::Update(..) = &stm.op
            && let Some(Overwritten { before, at, old: Some(old) }) = self.overwritten.get(&stm.vars[0])
        {
            let after = self.copier.atom(stm.vars[0].into());
            let array = self.target.one(Op::Update(after, at.clone(), *old));
            self.copier.set(*before, array);
        }
    }
}
