//! The arrays that a loop changes in place, and how.
//!
//! Law: an array is updated in place if all that an iteration does to it are updates at as many indices each, also in
//! branches and in loops inside, where a scatter or a histogram is many updates at one index; of others the whole state
//! is kept. Where an array is read after an update, the reverse sweep repeats the update and then [takes it
//! back](super::undo), and where it is not, it stays as it was before; so it does in each branch
//! (tests/transform/loops.rs).

use rustc_hash::{FxHashMap, FxHashSet};

use crate::array::{Atom, Body, Form, Loop, Op, Policy, Program, Stm, Var, index};
use crate::transform::checkpoint::mentions;
use crate::transform::flow::Active;
use crate::transform::target::Target;

/// A loop variable that is changed in place.
pub(super) struct Chain {
    /// Its number.
    pub(super) k: usize,
    /// How many indices an update has.
    pub(super) arity: usize,
    /// Whether it writes one number.
    of_numbers: bool,
    most: Option<i64>,
    /// What gives a version of the array, in the body and in what is inside of it.
    pub(super) links: FxHashSet<Var>,
    /// The versions in the body.
    pub(super) versions: Versions,
    /// Whether elements are read at all.
    pub(super) is_read: bool,
    /// Whether there are scatters or histograms, also in branches and loops, which pass over places that do not exist.
    pub(super) may_miss: bool,
}

/// The versions of an array in a body, in order.
pub(super) struct Versions {
    all: Vec<Version>,
    /// How many of these the reverse sweep makes again.
    again: usize,
}

/// One of them, with the one before it and what made it.
pub(super) struct Version {
    pub(super) var: Var,
    pub(super) before: Var,
    pub(super) made: Made,
}

/// What makes a version of an array from the one before.
pub(super) enum Made {
    Update,
    /// By a scatter or a histogram: many updates at a time, whose number may be another each time.
    Many,
    /// By a branch, of these on either side; or by a loop through which nothing returns, whose own do not matter. Both are
    /// taken back as a whole.
    Branch(Vec<Versions>),
    /// By a loop; if it asks without a bound, by this one, which is named by its first result.
    Loop(Option<Var>),
}

impl Version {
    /// The versions on either side, of one that a branch makes.
    fn sides(&self) -> &[Versions] {
        match &self.made {
            Made::Branch(sides) => sides,
            Made::Update | Made::Many | Made::Loop(_) => &[],
        }
    }

    /// Whether something is made again in the branch that makes it.
    fn changes_again(&self) -> bool {
        self.sides().iter().any(|side| side.again > 0 || side.all.iter().any(Version::changes_again))
    }
}

impl Versions {
    /// Says how many are made again: those up to the last that is read, and loops, which take back what they do; and those
    /// before a branch in which something is made again.
    fn settle(&mut self, is_read: &impl Fn(Var) -> bool) {
        for (k, version) in self.all.iter_mut().enumerate() {
            if let Made::Branch(sides) = &mut version.made {
                sides.iter_mut().for_each(|side| side.settle(is_read));
            }
            if version.changes_again() {
                self.again = k;
            }
            // What else a loop gives may be needed.
            let is_loop = match &version.made {
                Made::Loop(_) => true,
                Made::Branch(sides) => sides.is_empty(),
                Made::Update | Made::Many => false,
            };
            if is_loop || is_read(version.var) {
                self.again = k + 1;
            }
        }
    }

    /// Whether one is read, here or in a branch.
    fn any(&self, is_read: &impl Fn(Var) -> bool) -> bool {
        self.all.iter().any(|version| is_read(version.var) || version.sides().iter().any(|side| side.any(is_read)))
    }

    /// The version before a branch.
    pub(super) fn before_branch(&self, var: Var) -> Option<Var> {
        self.all.iter().find_map(|version| match &version.made {
            Made::Branch(_) if version.var == var => Some(version.before),
            _ => version.sides().iter().find_map(|side| side.before_branch(var)),
        })
    }

    /// The versions that are made again, also in branches, those that are not made again themselves among them.
    fn made_again<'a>(&'a self, found: &mut Vec<&'a Version>) {
        for (k, version) in self.all.iter().enumerate() {
            found.extend((k < self.again).then_some(version));
            version.sides().iter().for_each(|side| side.made_again(found));
        }
    }

    /// The branches in which something is made again, each with the version before it.
    pub(super) fn changing_branches(&self, found: &mut Vec<(Var, Var)>) {
        for version in &self.all {
            found.extend(version.changes_again().then_some((version.var, version.before)));
            version.sides().iter().for_each(|side| side.changing_branches(found));
        }
    }
}

/// How the variable of a loop is changed in place, if it is.
pub(super) fn chain(program: &Program, active: &Active, it: &Loop, k: usize) -> Option<Chain> {
    let of = program.type_of(it.params[k].0);
    if of.rank == 0 || of.accumulator || it.body.results[k] == it.params[k].0.into() {
        return None;
    }
    let (links, own) = (FxHashSet::default(), FxHashMap::default());
    let mut search = Search { program, active, arity: None, links, own, is_read: false, may_miss: false };
    let (start, mut versions) = search.walk(&it.body, it.body.results[k])?;
    if start != it.params[k].0 {
        return None;
    }
    let all = mentions(it);
    asked(&it.body, &mut search.own);
    // What is mentioned more often than the chain does, and for its size, is read.
    let is_read = |var: Var| all.get(&var.into()).copied().unwrap_or(0) > search.own.get(&var).copied().unwrap_or(0);
    versions.settle(&is_read);
    let is_read = search.is_read || is_read(start) || versions.any(&is_read);
    let (arity, links, may_miss) = (search.arity?, search.links, search.may_miss);
    let found = Chain { k, arity, of_numbers: arity == of.rank, most: None, links, versions, is_read, may_miss };
    Some(Chain { most: found.most_of(&it.body.stms), ..found })
}

struct Search<'a> {
    program: &'a Program,
    active: &'a Active,
    arity: Option<usize>,
    links: FxHashSet<Var>,
    /// How often the chain itself mentions a version.
    own: FxHashMap<Var, usize>,
    /// Whether a loop inside reads elements.
    is_read: bool,
    /// Whether places may be given that do not exist.
    may_miss: bool,
}

impl Search<'_> {
    /// Whether nothing returns through a statement.
    fn is_idle(&self, stm: &Stm) -> bool {
        !stm.vars.iter().any(|var| self.active.var(*var))
    }

    /// The versions that lead to a result of a body, from one that is not of this body.
    fn walk(&mut self, body: &Body, result: Atom) -> Option<(Var, Versions)> {
        let Atom::Var(mut var) = result else { return None };
        *self.own.entry(var).or_default() += 1;
        let (mut all, mut end) = (Vec::new(), body.stms.len());
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
                // To return through it what was in the bins would have to be known.
                Op::Hist(it) if !it.operator.is_sum() && self.active.var(var) => return None,
                op if let Some((Atom::Var(array), _)) = many(op) => {
                    if *self.arity.get_or_insert(1) != 1 {
                        return None;
                    }
                    self.may_miss = true;
                    *self.own.entry(array).or_default() += 1;
                    (array, Made::Many)
                }
                Op::If(_, yes, no) => {
                    let (from, in_yes) = self.walk(yes, yes.results[j])?;
                    let (other, in_no) = self.walk(no, no.results[j])?;
                    if from != other {
                        return None;
                    }
                    (from, Made::Branch(vec![in_yes, in_no]))
                }
                Op::Loop(it) if self.is_idle(stm) || it.policy == Policy::KeepAll => {
                    let inner = chain(self.program, self.active, it, j)?;
                    if *self.arity.get_or_insert(inner.arity) != inner.arity {
                        return None;
                    }
                    self.links.extend(&inner.links);
                    self.is_read |= inner.is_read;
                    self.may_miss |= inner.may_miss;
                    let Atom::Var(initial) = it.params[j].1 else { return None };
                    *self.own.entry(initial).or_default() += 1;
                    let asking = is_unbounded(it).then_some(stm.vars[0]);
                    (initial, if self.is_idle(stm) { Made::Branch(Vec::new()) } else { Made::Loop(asking) })
                }
                _ => return None,
            };
            self.links.insert(var);
            all.push(Version { var, before, made });
            (var, end) = (before, at);
        }
        all.reverse();
        Some((var, Versions { all, again: 0 }))
    }
}

/// Counts how often sizes of variables are read.
fn asked(body: &Body, found: &mut FxHashMap<Var, usize>) {
    for stm in &body.stms {
        if let Op::Size(Atom::Var(var), _) = stm.op {
            *found.entry(var).or_default() += 1;
        }
        stm.op.bodies().for_each(|body| asked(body, found));
    }
}

impl Chain {
    /// How many updates an iteration makes, if that is always the same.
    pub(super) fn updates(&self) -> Option<i64> {
        let is_fixed = self.versions.all.iter().all(|v| matches!(v.made, Made::Update));
        is_fixed.then(|| number(self.versions.all.len()))
    }

    /// Whether all updates of an iteration are made at a time.
    pub(super) fn is_at_once(&self) -> bool {
        matches!(self.versions.all[..], [Version { made: Made::Many, .. }])
    }

    /// Whether an iteration may make another number of updates than the next, so that the places of its own are noted.
    pub(super) fn varies(&self) -> bool {
        self.updates().is_none()
    }

    /// The most updates that an iteration makes, if that is known.
    pub(super) fn most(&self) -> Option<i64> {
        self.most
    }

    /// The most updates of the array that statements make, unless there are loops among them, or many at a time. Where rows
    /// are overwritten, room for updates that are not made could be more than all that is done: then it is not known, either.
    pub(super) fn most_of(&self, stms: &[Stm]) -> Option<i64> {
        let of = |stm: &Stm| match &stm.op {
            _ if !stm.vars.iter().any(|var| self.links.contains(var)) => Some(0),
            Op::Update(..) => Some(1),
            Op::If(_, yes, no) if self.of_numbers => Some(self.most_of(&yes.stms)?.max(self.most_of(&no.stms)?)),
            _ => None,
        };
        stms.iter().map(of).sum()
    }

    /// The versions that the reverse sweep makes again and takes back.
    pub(super) fn made_again(&self) -> Vec<&Version> {
        let mut found = Vec::new();
        self.versions.made_again(&mut found);
        found
    }

    /// The loops that ask without a bound, and make a version.
    pub(super) fn asking(&self) -> impl Iterator<Item = Var> {
        self.made_again()
            .into_iter()
            .filter_map(|version| if let Made::Loop(asking) = version.made { asking } else { None })
    }

    /// Arrays for what `places` updates of an array like this overwrite: of their indices, and of what was there.
    pub(super) fn stores(&self, target: &Target, like: Atom, places: Atom) -> Vec<Atom> {
        let part = target.zero_part(like, self.arity);
        let replicate = |value: Atom| target.one(Op::Replicate(places, value));
        // No place, which is another array than one of zeros for something else: neither is copied to be changed.
        (0..self.arity).map(|_| replicate(index(-1))).chain([replicate(part)]).collect()
    }
}

/// The array that a scatter or a histogram changes in place, and the indices where it does.
pub(super) fn many(op: &Op) -> Option<(Atom, Atom)> {
    let (array, indices, values) = match op {
        Op::Scatter(it) => (it.destination, it.indices, it.values),
        Op::Hist(it) if it.destinations.len() == 1 => (it.destinations[0], it.indices, it.values[0]),
        _ => return None,
    };
    (array != indices && array != values).then_some((array, indices))
}

/// Whether it is not known how many iterations a loop has before it has run.
pub(super) fn is_unbounded(it: &Loop) -> bool {
    matches!(it.form, Form::While { bound: None, .. })
}

pub(super) fn number(n: usize) -> i64 {
    i64::try_from(n).expect("a program is shorter than 2^63")
}
