//! What is used how often and where: which maps can wait until their elements are wanted, and which arrays are not
//! used again.
//!
//! Law: a map waits if its results are used once, by one statement that takes them element by element, and no statement
//! on the way changes an array. Results that have nothing to do with each other may be taken by a statement each, which
//! then computes what it takes and nothing else (tests/execute/work.rs, tests/execute/parts.rs).

use rustc_hash::{FxHashMap, FxHashSet};

use crate::array::{Atom, Body, Class, Lambda, Map, Op, Program, Range, Role, ScalarOp, Stm, Var, index, needed};

/// The maps that wait.
#[derive(Debug, Default)]
pub(super) struct Pending {
    maps: FxHashSet<*const Map>,
    /// Of maps whose results are taken by a statement each: for each result, what it needs.
    parts: FxHashMap<*const Map, Vec<Part>>,
    /// The maps whose results are added to accumulators by the statements that follow, and how many these are.
    added: FxHashMap<*const Map, usize>,
    /// The arrays made of others that are used once, by what puts their elements into memory.
    joined: FxHashSet<Var>,
    /// The arrays that differ from others in their first element and are used once, by a scan of reals.
    led: FxHashSet<Var>,
    /// The parameters that are used once, by what takes them element by element.
    params: FxHashSet<Var>,
    /// The parts of arrays that loops use which they are not made in.
    again: FxHashSet<Var>,
}

/// What a result of a map needs: which statements of the function, and which parameters.
#[derive(Debug, Clone)]
pub(super) struct Part {
    pub(super) stms: Vec<bool>,
    pub(super) params: Vec<bool>,
}

impl Pending {
    pub(super) fn of(program: &Program) -> Self {
        let mut uses = FxHashMap::default();
        mentions(&program.function.body, &mut |var, is_size| {
            *uses.entry(var).or_insert(0_usize) += usize::from(!is_size);
        });
        let mut pending = Pending::default();
        pending.apart(&program.function.body, &mut uses);
        pending.body(&program.function.body, &uses);
        used_again(&program.function.body, 0, &mut FxHashMap::default(), &mut pending.again);
        pending
    }

    pub(super) fn contains(&self, map: &Map) -> bool {
        self.maps.contains(&core::ptr::from_ref(map)) || self.parts.contains_key(&core::ptr::from_ref(map))
    }

    /// What a result of a map needs, if it is taken without the others.
    pub(super) fn part(&self, map: &Map, result: usize) -> Option<&Part> {
        self.parts.get(&core::ptr::from_ref(map)).map(|parts| &parts[result])
    }

    /// Finds the maps whose results wait for a statement each.
    fn apart(&mut self, body: &Body, uses: &mut FxHashMap<Var, usize>) {
        for (k, stm) in body.stms.iter().enumerate() {
            if let Op::Map(map) = &stm.op
                && map.accumulators.is_empty()
                && !waits(&stm.vars, &body.stms[k + 1..], &body.results, uses)
                && let Some(parts) = split(map)
            {
                let alone = |v: &Var| waits(&[*v], &body.stms[k + 1..], &body.results, uses);
                let again = taken_again(map, &parts);
                // What two statements take must not be computed for each.
                let may_wait = |op: &Op| matches!(op, Op::Map(_) | Op::Slice(..));
                let is_kept = |v: &Var| !body.stms[..k].iter().any(|stm| stm.vars.contains(v) && may_wait(&stm.op));
                if stm.vars.iter().all(alone) && again.iter().all(is_kept) {
                    again.into_iter().for_each(|var| *uses.entry(var).or_default() += 1);
                    self.parts.insert(core::ptr::from_ref(&**map), parts);
                }
            }
            stm.op.bodies().for_each(|inner| self.apart(inner, uses));
        }
    }

    /// Whether an array that is made of others is used once, where its elements are put into memory.
    pub(super) fn is_joined(&self, var: Var) -> bool {
        self.joined.contains(&var)
    }

    /// Whether an array that differs from another in its first element is used once, by a scan that can begin with it.
    pub(super) fn is_led(&self, var: Var) -> bool {
        self.led.contains(&var)
    }

    /// How many of the statements that follow a map do nothing but add its results to accumulators, if nothing else
    /// uses them.
    pub(super) fn added(&self, map: &Map) -> Option<usize> {
        self.added.get(&core::ptr::from_ref(map)).copied()
    }

    /// Whether a part of an array is used in a loop that it is not made in.
    pub(super) fn is_used_again(&self, part: Var) -> bool {
        self.again.contains(&part)
    }

    /// Whether a parameter's elements are taken once.
    pub(super) fn is_taken_once(&self, param: Var) -> bool {
        self.params.contains(&param)
    }

    fn lambda(&mut self, lambda: &Lambda, uses: &FxHashMap<Var, usize>) {
        for param in &lambda.params {
            if waits(&[*param], &lambda.body.stms, &lambda.body.results, uses) {
                self.params.insert(*param);
            }
        }
    }

    fn body(&mut self, body: &Body, uses: &FxHashMap<Var, usize>) {
        for (k, stm) in body.stms.iter().enumerate() {
            let later = &body.stms[k + 1..];
            match &stm.op {
                Op::Map(map) => {
                    let may_wait = map.accumulators.is_empty() && !stm.vars.is_empty();
                    if may_wait && waits(&stm.vars, later, &body.results, uses) {
                        self.maps.insert(core::ptr::from_ref(&**map));
                    }
                    let added = additions(stm, map, later, uses);
                    self.added.extend(added.map(|count| (core::ptr::from_ref(&**map), count)));
                    self.lambda(&map.function, uses);
                }
                Op::Reduce(it) | Op::Scan(it) => self.lambda(&it.operator, uses),
                Op::Hist(it) => self.lambda(&it.operator, uses),
                Op::Concat(_) | Op::Elements(_) => {
                    let may = matches!(stm.op, Op::Concat(_));
                    self.joined.extend(stm.vars.iter().filter(|var| goes(**var, may, later, &body.results, uses)));
                }
                Op::Update(..) => self.led.extend(stm.vars.iter().filter(|var| is_scanned(**var, later, uses))),
                _ => {}
            }
            stm.op.bodies().for_each(|body| self.body(body, uses));
        }
    }
}

/// What each result of a map needs, if no two results need the same statement.
fn split(map: &Map) -> Option<Vec<Part>> {
    let Body { stms, results } = &map.function.body;
    let mut defined = FxHashMap::default();
    for (k, stm) in stms.iter().enumerate() {
        defined.extend(stm.vars.iter().map(|var| (*var, k)));
    }
    let mut owner: Vec<Option<usize>> = vec![None; stms.len()];
    for (result, atom) in results.iter().enumerate() {
        let mut open: Vec<usize> = atom.var().and_then(|var| defined.get(&var).copied()).into_iter().collect();
        while let Some(k) = open.pop() {
            match owner[k] {
                None => owner[k] = Some(result),
                Some(other) if other == result => continue,
                Some(_) => return None,
            }
            statement(&stms[k], &mut |var, _| open.extend(defined.get(&var)));
        }
    }
    // What no result needs may still find something wrong: with what is computed for a result it is that result's, and with nothing else all
    // results'.
    for (k, stm) in stms.iter().enumerate() {
        if owner[k].is_none() {
            let mut of: Vec<usize> = Vec::new();
            statement(stm, &mut |var, _| of.extend(defined.get(&var).and_then(|k| owner[*k])));
            of.sort_unstable();
            of.dedup();
            match of[..] {
                [] => {}
                [one] => owner[k] = Some(one),
                _ => return None,
            }
        }
    }
    let part = |result: usize| {
        let needed: Vec<bool> = owner.iter().map(|owner| owner.is_none_or(|owner| owner == result)).collect();
        let mut taken: FxHashSet<Var> = results[result].var().into_iter().collect();
        for (stm, _) in stms.iter().zip(&needed).filter(|(_, needed)| **needed) {
            statement(stm, &mut |var, _| taken.extend([var]));
        }
        let params = map.function.params.iter().map(|param| taken.contains(param)).collect();
        Part { stms: needed, params }
    };
    (results.len() > 1).then(|| (0..results.len()).map(part).collect())
}

/// What the results of a map need that are not accumulators, if these do not depend on accumulators.
pub(super) fn without_accumulators(map: &Map) -> Option<Part> {
    let Body { stms, results } = &map.function.body;
    let values = &results[..results.len() - map.accumulators.len()];
    let (stms, taken) = needed(stms, values);
    let params: Vec<bool> = map.function.params.iter().map(|param| taken.contains(param)).collect();
    params[map.arrays.len()..].iter().all(|taken| !taken).then_some(Part { stms, params })
}

/// The arrays that more than one part of a map takes elements of.
fn taken_again(map: &Map, parts: &[Part]) -> Vec<Var> {
    let again = |k: &usize| parts.iter().filter(|part| part.params[*k]).count() > 1;
    (0..map.arrays.len()).filter(again).filter_map(|k| map.arrays[k].var()).collect()
}

fn waits(vars: &[Var], later: &[Stm], results: &[Atom], uses: &FxHashMap<Var, usize>) -> bool {
    let used: Vec<Atom> = vars.iter().filter(|v| uses.contains_key(v)).map(|v| Atom::Var(*v)).collect();
    if vars.iter().any(|v| uses.get(v).is_some_and(|n| *n > 1)) {
        return false;
    }
    let among = |atoms: &[Atom]| used.iter().all(|atom| atoms.contains(atom));
    for (k, stm) in later.iter().enumerate() {
        match &stm.op {
            // The first elements wait as well.
            Op::Slice(a, ranges) if used[..] == [*a] && from_start(ranges) => {
                return waits(&stm.vars, &later[k + 1..], results, uses);
            }
            Op::Concat(atoms) if used.len() == 1 && among(atoms) => return true,
            _ => {}
        }
        let taken: &[&[Atom]] = match &stm.op {
            Op::Map(map) => &[&map.arrays],
            Op::Reduce(it) | Op::Scan(it) => &[&it.arrays],
            Op::Hist(it) => &[&it.values, core::slice::from_ref(&it.indices)],
            Op::Scatter(it) => &[core::slice::from_ref(&it.values), core::slice::from_ref(&it.indices)],
            _ => &[],
        };
        if !taken.is_empty() && among(&taken.concat()) {
            return true;
        }
        if !is_calm(&stm.op) {
            return false;
        }
    }
    among(results)
}

/// Whether an array is used once, as a part of another, as a result, or by a map if it `may` be mapped in parts.
fn goes(var: Var, may: bool, later: &[Stm], results: &[Atom], uses: &FxHashMap<Var, usize>) -> bool {
    if uses.get(&var) != Some(&1) {
        return false;
    }
    for (k, stm) in later.iter().enumerate() {
        if let Op::Map(map) = &stm.op
            && map.arrays.contains(&Atom::Var(var))
        {
            return may && map.accumulators.is_empty() && additions(stm, map, &later[k + 1..], uses).is_none();
        }
        if let Op::Concat(atoms) | Op::Elements(atoms) = &stm.op
            && atoms.contains(&Atom::Var(var))
        {
            return true;
        }
    }
    results.contains(&Atom::Var(var))
}

/// Whether an array is used once, by a scan whose operator is a few operations on reals: what it makes of anything does no harm.
fn is_scanned(var: Var, later: &[Stm], uses: &FxHashMap<Var, usize>) -> bool {
    let is_harmless = |stm: &Stm| matches!(stm.op, Op::Scalar(ScalarOp::Add | ScalarOp::Mul | ScalarOp::Row(_), _));
    let is_scan = |stm: &Stm| match &stm.op {
        Op::Scan(it) => it.arrays[..] == [Atom::Var(var)] && it.operator.body.stms.iter().all(is_harmless),
        _ => false,
    };
    uses.get(&var) == Some(&1) && later.iter().any(is_scan)
}

/// Whether ranges are the first elements of the outermost dimension.
pub(super) fn from_start(ranges: &[Range]) -> bool {
    matches!(ranges, [range] if range.start == index(0) && range.step == index(1))
}

/// How many of the statements that follow add a result of a map to an accumulator, if that is all that is done with them.
fn additions(stm: &Stm, map: &Map, later: &[Stm], uses: &FxHashMap<Var, usize>) -> Option<usize> {
    let adds = |stm: &&Stm| match &stm.op {
        Op::Accumulate(_, indices, Atom::Var(value)) if indices.is_empty() => Some(*value),
        _ => None,
    };
    let added: Vec<Var> = later.iter().map_while(|stm| adds(&stm)).take_while(|v| stm.vars.contains(v)).collect();
    let used: Vec<Var> = stm.vars.iter().copied().filter(|v| uses.contains_key(v)).collect();
    let all = used.iter().all(|v| uses.get(v) == Some(&1) && added.contains(v));
    (map.accumulators.is_empty() && all && !added.is_empty()).then_some(added.len())
}

/// Whether a statement changes no array, whatever becomes of it.
fn is_calm(op: &Op) -> bool {
    let mut calm = !matches!(op.class(), Class::Control | Class::Foreign);
    op.operands(|_, role| calm &= role != Role::Destination);
    calm
}

/// The parts of arrays that a body uses `depth` loops deep, and that are made outside of some of these loops.
fn used_again(body: &Body, depth: usize, made: &mut FxHashMap<Var, usize>, again: &mut FxHashSet<Var>) {
    let mut visit = |atom: Atom, made: &FxHashMap<Var, usize>| {
        again.extend(atom.var().filter(|var| made.get(var).is_some_and(|at| *at < depth)));
    };
    body.results.iter().for_each(|atom| visit(*atom, made));
    for stm in &body.stms {
        stm.op.operands(|atom, role| {
            if role != Role::Shape {
                visit(atom, made);
            }
        });
        if let Op::Index(..) = stm.op {
            made.insert(stm.vars[0], depth);
        }
    }
    for stm in &body.stms {
        let repeats = !matches!(stm.op, Op::If(..) | Op::Custom(_));
        stm.op.bodies().for_each(|inner| used_again(inner, depth + usize::from(repeats), made, again));
    }
}

/// The variables that statements and results mention.
pub(super) fn mentioned(stms: &[Stm], results: &[Atom]) -> FxHashSet<Var> {
    let mut found = FxHashSet::default();
    for stm in stms {
        statement(stm, &mut |var, is_size| {
            if !is_size {
                found.insert(var);
            }
        });
    }
    found.extend(results.iter().filter_map(|atom| atom.var()));
    found
}

/// The variables that a map and its function mention.
pub(super) fn mentioned_by(map: &Map) -> FxHashSet<Var> {
    let Body { stms, results } = &map.function.body;
    mentioned(stms, &[&map.arrays[..], results].concat())
}

fn mentions(body: &Body, visit: &mut impl FnMut(Var, bool)) {
    body.stms.iter().for_each(|stm| statement(stm, visit));
    body.results.iter().filter_map(|atom| atom.var()).for_each(|var| visit(var, false));
}

fn statement(stm: &Stm, visit: &mut impl FnMut(Var, bool)) {
    stm.op.operands(|atom, role| atom.var().into_iter().for_each(|var| visit(var, role == Role::Shape)));
    stm.op.bodies().for_each(|body| mentions(body, visit));
}
