//! Fission: a map whose function does several things side by side, as one map for each of them.
//!
//! Law: each statement of the function is executed for the elements it was executed for, in one of the maps; what costs little is
//! executed again in each that needs it (tests/gpu/distribute.rs, tests/laws/executors.rs).
//!
//! It is the distribution of maps of "Incremental Flattening for Nested Data Parallelism", *Incremental Flattening*; a result that
//! another map needs is kept in an array.

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Distribution, MAX_KEPT};
use crate::array::{Agreement, Atom, Body, Class, Map, Op, Stm, Type, Var, Vars, atoms_in, free};
use crate::error::Span;
use crate::optimise::rewriter::lengths_agree;

/// Statements of a function that are executed together.
#[derive(Debug, Default)]
struct Group {
    /// The statements that are executed here and nowhere else.
    own: Vec<usize>,
    /// All that are executed, in order.
    all: Vec<usize>,
    /// The variables whose values others need.
    gives: Vec<Var>,
    /// What it needs of the others, and of the elements.
    takes: Vec<Var>,
}

/// A map on its way to several.
struct Parts<'m> {
    map: &'m Map,
    /// The statements that bind variables.
    binder: FxHashMap<Var, usize>,
    /// The variables from outside that each statement mentions.
    mentions: Vec<Vec<Var>>,
    groups: Vec<Group>,
    /// The scans that several threads do together.
    long: FxHashSet<usize>,
    /// The groups of statements that are executed once.
    group: Vec<Option<usize>>,
}

/// The maps in the place of one, over `elements` elements with those of the maps around it; none if it does one thing, or too much
/// would be kept between two.
pub(super) fn fission(it: &mut Distribution, vars: &Vars, map: &Map, span: Span, elements: u64) -> Option<Vec<Stm>> {
    let mut parts = Parts::of(map, it)?;
    let finals = parts.divide();
    if parts.groups.len() < 2 || !parts.groups.iter().all(|group| parts.follows_once(group)) {
        return None;
    }
    let kept = parts.groups.iter().flat_map(|group| &group.gives).filter(|var| !finals.contains_key(var));
    let kept: u64 = kept.map(|var| it.work.elements(Atom::Var(*var))).fold(0, u64::saturating_add);
    // How large the results of branches and loops are is not known before.
    let is_sized = |var: &Var| {
        let by_control = parts.binder.get(var).is_some_and(|k| parts.stm(*k).op.class() == Class::Control);
        !by_control || it.builder.type_of(*var).rank == 0
    };
    let are_sized =
        parts.groups.iter().flat_map(|group| &group.gives).all(|var| finals.contains_key(var) || is_sized(var));
    (are_sized && kept.saturating_mul(elements) <= MAX_KEPT).then(|| parts.write(it, vars, &finals, span))
}

impl<'m> Parts<'m> {
    /// The groups of a map's function; none if accumulators go through it in a way of their own.
    fn of(map: &'m Map, it: &mut Distribution) -> Option<Self> {
        let stms = &map.function.body.stms;
        let mut parts = Parts {
            map,
            binder: FxHashMap::default(),
            mentions: stms.iter().map(|stm| free(&stm.op)).collect(),
            groups: Vec::new(),
            long: FxHashSet::default(),
            group: vec![None; stms.len()],
        };
        for (k, stm) in stms.iter().enumerate() {
            parts.binder.extend(stm.vars.iter().map(|var| (*var, k)));
            if matches!(&stm.op, Op::Scan(scan) if it.is_long(scan)) {
                parts.long.insert(k);
            }
        }
        parts.accumulates_simply()?;
        // From the last to the first, so that a statement joins what uses it.
        for (k, stm) in stms.iter().enumerate().rev() {
            if stm.op.costs_little(|a| it.builder.type_of(a).rank == 0) {
                continue;
            }
            let is_kept = stm.vars.iter().any(|var| it.kept.contains(var));
            // An accumulator of the function itself is in no array.
            let is_own = |var: &Var| it.builder.type_of(*var).accumulator && !parts.is_accumulator(*var);
            let users = match stm.vars.iter().any(is_own) {
                true => parts.users(k),
                false if is_kept => Vec::new(),
                false => parts.users_together(k),
            };
            let mut joined = users.into_iter().filter_map(|user| parts.group[user]).collect::<Vec<usize>>().into_iter();
            let group = joined.next().unwrap_or_else(|| {
                parts.groups.push(Group::default());
                parts.groups.len() - 1
            });
            for other in joined.filter(|other| *other != group) {
                let own = core::mem::take(&mut parts.groups[other].own);
                own.iter().for_each(|k| parts.group[*k] = Some(group));
                parts.groups[group].own.extend(own);
            }
            parts.group[k] = Some(group);
            parts.groups[group].own.push(k);
        }
        parts.in_order();
        parts.join_narrow();
        Some(parts)
    }

    fn stm(&self, k: usize) -> &'m Stm {
        &self.map.function.body.stms[k]
    }

    /// Whether every statement that an accumulator goes through adds to it, or is a map that does.
    fn accumulates_simply(&self) -> Option<()> {
        let values = self.map.function.body.results.len() - self.map.accumulators.len();
        let params = &self.map.function.params[self.map.arrays.len()..];
        let mut followed: FxHashSet<Var> = params.iter().copied().collect();
        for (k, stm) in self.map.function.body.stms.iter().enumerate() {
            if !self.mentions[k].iter().any(|var| followed.contains(var)) {
                continue;
            }
            match &stm.op {
                Op::Accumulate(..) => followed.insert(stm.vars[0]),
                Op::Map(map) => {
                    followed.extend(&stm.vars[stm.vars.len() - map.accumulators.len()..]);
                    true
                }
                _ => return None,
            };
        }
        let ends = &self.map.function.body.results[values..];
        ends.iter().all(|end| end.var().is_some_and(|var| followed.contains(&var))).then_some(())
    }

    /// The statements that use what one gives.
    fn users(&self, k: usize) -> Vec<usize> {
        let vars = &self.stm(k).vars;
        let uses = |j: &usize| self.mentions[*j].iter().any(|var| vars.contains(var));
        (k + 1..self.mentions.len()).filter(uses).collect()
    }

    /// The statements with which one that makes arrays is executed, so that these are not kept: what alone takes the elements of a
    /// map, and what adds them to accumulators at an index of their own.
    fn users_together(&self, k: usize) -> Vec<usize> {
        let Stm { vars, op, .. } = self.stm(k);
        let given = |a: &Atom| vars.iter().any(|var| *a == Atom::Var(*var));
        if op.class() == Class::Accumulator || self.map.function.body.results.iter().any(given) {
            return Vec::new();
        }
        let users = self.users(k);
        let adds = |user: &usize| match &self.stm(*user).op {
            Op::Accumulate(_, at, value) => !at.is_empty() && given(value) && !at.iter().any(given),
            _ => false,
        };
        if users.iter().all(adds) {
            return users;
        }
        let (Op::Map(map), [user]) = (op, &users[..]) else { return Vec::new() };
        let op = &self.stm(*user).op;
        let elements: &[Atom] = match op {
            Op::Map(map) => &map.arrays,
            Op::Reduce(it) | Op::Scan(it) => &it.arrays,
            Op::Accumulate(_, _, value) => core::slice::from_ref(value),
            _ => &[],
        };
        let inside = |body: &Body| {
            let mut mentions = false;
            atoms_in(body, &mut |a| mentions |= given(&a));
            mentions
        };
        let together = map.accumulators.is_empty() && elements.iter().any(given) && !op.bodies().any(inside);
        if together { users } else { Vec::new() }
    }

    /// Joins groups that are executed by one thread for each element.
    fn join_narrow(&mut self) {
        let mut joined: Vec<Group> = Vec::new();
        for group in core::mem::take(&mut self.groups) {
            let (_, takes) = self.needs(&[], &group.own);
            let needed = takes.iter().filter_map(|var| self.binder.get(var)).copied();
            let needed: Vec<usize> = needed.filter(|k| self.group[*k].is_some() && !group.own.contains(k)).collect();
            let last = joined.iter().rposition(|group| group.own.iter().any(|k| needed.contains(k)));
            let with = joined.iter().rposition(|group| self.is_narrow(group));
            match with.filter(|with| self.is_narrow(&group) && last.is_none_or(|last| last <= *with)) {
                Some(with) => joined[with].own.extend(group.own),
                None => joined.push(group),
            }
        }
        self.groups = joined;
        for (g, group) in self.groups.iter_mut().enumerate() {
            group.own.sort_unstable();
            group.own.iter().for_each(|k| self.group[*k] = Some(g));
        }
    }

    /// Puts the groups in the order of their last statements, in which each comes after those that it needs.
    fn in_order(&mut self) {
        self.groups.retain(|group| !group.own.is_empty());
        self.groups.iter_mut().for_each(|group| group.own.sort_unstable());
        self.groups.sort_by_key(|group| group.own.last().copied());
        for (g, group) in self.groups.iter().enumerate() {
            group.own.iter().for_each(|k| self.group[*k] = Some(g));
        }
    }

    /// Whether one thread for each element executes a group: what it does is no map of its own and no long scan, and is not summed over
    /// the elements.
    fn is_narrow(&self, group: &Group) -> bool {
        group.own.last().is_none_or(|k| match &self.stm(*k).op {
            Op::Map(_) => false,
            Op::Scan(_) => !self.long.contains(k),
            Op::Accumulate(_, at, _) => !at.is_empty(),
            _ => true,
        })
    }

    /// The statements that these variables need, down to those that are executed once, and the variables of those and of elements.
    fn needs(&self, wanted: &[Var], own: &[usize]) -> (Vec<usize>, Vec<Var>) {
        let (mut all, mut takes) = (own.to_vec(), Vec::new());
        let mut open: Vec<Var> = wanted.to_vec();
        own.iter().for_each(|k| open.extend(&self.mentions[*k]));
        while let Some(var) = open.pop() {
            match self.binder.get(&var) {
                Some(k) if all.contains(k) => {}
                Some(k) if self.group[*k].is_none() => {
                    all.push(*k);
                    open.extend(&self.mentions[*k]);
                }
                _ => takes.push(var),
            }
        }
        all.sort_unstable();
        takes.sort_unstable();
        takes.dedup();
        (all, takes)
    }

    /// Says what each group executes, takes and gives, and which results of the map are given by variables of the function.
    fn divide(&mut self) -> FxHashMap<Var, usize> {
        let body = &self.map.function.body;
        let values = body.results.len() - self.map.accumulators.len();
        let mut finals: FxHashMap<Var, usize> = FxHashMap::default();
        let mut last: Vec<Var> = Vec::new();
        for (k, result) in body.results[..values].iter().enumerate() {
            let Some((var, binder)) = result.var().and_then(|var| Some((var, *self.binder.get(&var)?))) else {
                continue;
            };
            if finals.contains_key(&var) {
                continue;
            }
            finals.insert(var, k);
            let (_, takes) = self.needs(&[var], &[]);
            let needed = takes.iter().filter_map(|var| self.group[*self.binder.get(var)?]).max();
            match (self.group[binder], needed) {
                (Some(group), _) => self.groups[group].gives.push(var),
                (None, Some(group)) if self.is_narrow(&self.groups[group]) => self.groups[group].gives.push(var),
                _ => last.push(var),
            }
        }
        if !last.is_empty() {
            self.groups.push(Group { gives: last, ..Group::default() });
        }
        // What nothing needs is executed as well: it may be an error.
        let mut needed = vec![false; body.stms.len()];
        for g in 0..self.groups.len() {
            let (all, takes) = self.needs(&self.groups[g].gives, &self.groups[g].own);
            all.iter().for_each(|k| needed[*k] = true);
            (self.groups[g].all, self.groups[g].takes) = (all, takes);
        }
        let rest: Vec<usize> = (0..needed.len()).filter(|k| !needed[*k]).collect();
        if let Some(end) = self.groups.len().checked_sub(1).filter(|_| !rest.is_empty()) {
            let own = [&self.groups[end].own[..], &rest].concat();
            (self.groups[end].all, self.groups[end].takes) = self.needs(&self.groups[end].gives, &own);
        }
        for g in 0..self.groups.len() {
            for var in self.groups[g].takes.clone() {
                if let Some(from) = self.binder.get(&var).and_then(|k| self.group[*k]).filter(|from| *from != g)
                    && !self.groups[from].gives.contains(&var)
                    && !self.is_accumulator(var)
                {
                    self.groups[from].gives.push(var);
                }
            }
        }
        finals
    }

    /// Whether a variable is an accumulator, as a parameter or after something was added to it.
    fn is_accumulator(&self, var: Var) -> bool {
        self.accumulator(var).is_some()
    }

    /// Which accumulator of the map a variable is.
    fn accumulator(&self, var: Var) -> Option<usize> {
        let mut now = var;
        loop {
            let params = &self.map.function.params[self.map.arrays.len()..];
            if let Some(k) = params.iter().position(|param| *param == now) {
                return Some(k);
            }
            let Stm { vars, op, .. } = self.stm(*self.binder.get(&now)?);
            now = match op {
                Op::Accumulate(before, ..) => before.var()?,
                Op::Map(map) => {
                    let at = vars.iter().position(|v| *v == now)? + map.accumulators.len();
                    map.accumulators.get(at.checked_sub(vars.len())?)?.var()?
                }
                _ => return None,
            };
        }
    }

    /// Whether a group adds to each accumulator in statements of which each follows the one before.
    fn follows_once(&self, group: &Group) -> bool {
        let mut seen = FxHashSet::default();
        group.takes.iter().filter_map(|var| self.accumulator(*var)).all(|k| seen.insert(k))
    }

    /// The comparisons of lengths that the map made, of arrays that no group takes together with the first.
    fn compared_nowhere(&self) -> impl Iterator<Item = Op> + '_ {
        let Map { arrays, function, .. } = self.map;
        let takes = |group: &Group, k: usize| group.takes.contains(&function.params[k]);
        let separate = move |k: &usize| {
            arrays[*k] != arrays[0] && !self.groups.iter().any(|group| takes(group, 0) && takes(group, *k))
        };
        (1..arrays.len()).filter(separate).map(move |k| lengths_agree(Agreement::Mapped, arrays[k], arrays[0]))
    }

    /// Writes a map for each group.
    fn write(self, it: &mut Distribution, vars: &Vars, finals: &FxHashMap<Var, usize>, span: Span) -> Vec<Stm> {
        let Map { arrays, accumulators, function } = self.map;
        let values = function.body.results.len() - accumulators.len();
        let outer = it.work.sizes(arrays[0])[0];
        let mut now = accumulators.clone();
        let mut kept: FxHashMap<Var, Var> = FxHashMap::default();
        let mut written: Vec<Stm> = self.compared_nowhere().map(|op| Stm { vars: Vars::new(), op, span }).collect();
        for group in &self.groups {
            let (mut from, mut old): (Vec<Atom>, Vec<Var>) = (Vec::new(), Vec::new());
            let mut through: Vec<(usize, Var)> = Vec::new();
            for var in &group.takes {
                if let Some(array) = kept.get(var) {
                    from.push(Atom::Var(*array));
                    old.push(*var);
                } else if let Some(k) = function.params[..arrays.len()].iter().position(|param| param == var) {
                    from.push(arrays[k]);
                    old.push(*var);
                } else if let Some(k) = self.accumulator(*var) {
                    through.push((k, *var));
                }
            }
            if from.is_empty() {
                from.push(arrays[0]);
            }
            let collectors: Vec<Atom> = through.iter().map(|(k, _)| now[*k]).collect();
            let elements = from.iter().map(|a| it.builder.type_of(*a).element());
            let types: Vec<Type> = elements.chain(collectors.iter().map(|a| it.builder.type_of(*a))).collect();
            // What has become of each accumulator at the end of the group.
            let ends: Vec<Var> = through.iter().map(|(_, var)| self.end(group, *var)).collect();
            let results: Vec<Atom> = group.gives.iter().chain(&ends).copied().map(Atom::Var).collect();
            let body = Body { stms: group.all.iter().map(|k| self.stm(*k).clone()).collect(), results };
            let function = it.builder.lambda(&types, |b, x| {
                let (elements, collectors) = x.split_at(from.len());
                let values = old.iter().copied().zip(elements);
                let values = values.chain(through.iter().map(|(_, var)| *var).zip(collectors));
                b.copied(body, values.map(|(old, new)| (old, Atom::Var(*new))).collect())
            });
            let mut given: Vars = Vars::new();
            for var in &group.gives {
                let new = match finals.get(var) {
                    Some(k) => vars[*k],
                    None => it.builder.fresh(it.builder.type_of(*var).arrayed()),
                };
                it.kept.insert(new);
                let sizes = it.work.sizes(Atom::Var(*var));
                it.work.learn(new, core::iter::once(outer).chain(sizes).collect());
                kept.insert(*var, new);
                given.push(new);
            }
            for ((k, _), end) in through.iter().zip(&ends) {
                let is_last = self.map.function.body.results[values + k] == Atom::Var(*end);
                let new = if is_last { vars[values + k] } else { it.builder.fresh(it.builder.type_of(now[*k])) };
                now[*k] = new.into();
                given.push(new);
            }
            let map = Map { arrays: from, accumulators: collectors, function };
            let here = group.own.last().map_or(span, |k| self.stm(*k).span.or(span));
            written.push(Stm { vars: given, op: Op::Map(Box::new(map)), span: here });
        }
        self.others(it, vars, finals, &kept, &now, span, &mut written);
        written
    }

    /// The variable that an accumulator is at the end of a group.
    fn end(&self, group: &Group, from: Var) -> Var {
        let mut now = from;
        for k in &group.own {
            let Stm { vars, op, .. } = self.stm(*k);
            match op {
                Op::Accumulate(before, ..) if *before == Atom::Var(now) => now = vars[0],
                Op::Map(map) => {
                    let through = map.accumulators.iter().position(|a| *a == Atom::Var(now));
                    now = through.map_or(now, |at| vars[vars.len() - map.accumulators.len() + at]);
                }
                _ => {}
            }
        }
        now
    }

    /// Binds the results that no statement of the function gives, or that are given already.
    #[allow(clippy::too_many_arguments)]
    fn others(
        &self,
        it: &mut Distribution,
        vars: &Vars,
        finals: &FxHashMap<Var, usize>,
        kept: &FxHashMap<Var, Var>,
        now: &[Atom],
        span: Span,
        written: &mut Vec<Stm>,
    ) {
        let Map { arrays, function, .. } = self.map;
        let values = function.body.results.len() - now.len();
        let around = it.builder.span(span);
        for (k, result) in function.body.results.iter().enumerate() {
            let element = |var: Var| function.params[..arrays.len()].iter().position(|param| *param == var);
            let copy = match result.var() {
                _ if k >= values => (now[k - values] != Atom::Var(vars[k])).then(|| Op::Copy(now[k - values])),
                Some(var) if finals.get(&var) == Some(&k) => None,
                Some(var) if kept.contains_key(&var) => Some(Op::Copy(Atom::Var(kept[&var]))),
                Some(var) if element(var).is_some() => element(var).map(|p| Op::Copy(arrays[p])),
                _ => {
                    it.builder.open_body();
                    let count = it.builder.one(Op::Size(arrays[0], 0));
                    written.extend(it.builder.close_body(Vec::new()).stms);
                    Some(Op::Replicate(count, *result))
                }
            };
            written.extend(copy.map(|op| it.builder.stm([vars[k]].into_iter().collect(), op)));
        }
        it.builder.span(around);
    }
}
