//! What is used how often and where: which maps can wait until their elements are wanted, and which arrays are not
//! used again.
//!
//! Law: a map waits if its results are used once, by one statement that takes them element by element, and no
//! statement on the way changes an array.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::array::{Atom, Body, Const, Lambda, Map, Op, Program, Range, Stm, Var, bodies};

/// The maps that wait.
#[derive(Debug, Default)]
pub(super) struct Pending {
    maps: FxHashSet<*const Map>,
    /// The maps whose results are added to accumulators by the statements that follow, and how many these are.
    added: FxHashMap<*const Map, usize>,
    /// The arrays made of others that are used once, by what puts their elements into memory.
    joined: FxHashSet<Var>,
    /// The parameters that are used once, by what takes them element by element.
    params: FxHashSet<Var>,
}

impl Pending {
    pub(super) fn of(program: &Program) -> Self {
        let mut uses = FxHashMap::default();
        mentions(&program.function.body, &mut |var, is_size| {
            *uses.entry(var).or_insert(0_usize) += usize::from(!is_size);
        });
        let mut pending = Pending::default();
        pending.body(&program.function.body, &uses);
        pending
    }

    pub(super) fn contains(&self, map: &Map) -> bool {
        self.maps.contains(&core::ptr::from_ref(map))
    }

    /// Whether an array that is made of others is used once, where its elements are put into memory.
    pub(super) fn is_joined(&self, var: Var) -> bool {
        self.joined.contains(&var)
    }

    /// How many of the statements that follow a map do nothing but add its results to accumulators, if nothing else
    /// uses them.
    pub(super) fn added(&self, map: &Map) -> Option<usize> {
        self.added.get(&core::ptr::from_ref(map)).copied()
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
            if let Op::Map(map) = &stm.op
                && map.accumulators.is_empty()
                && !stm.vars.is_empty()
                && waits(&stm.vars, &body.stms[k + 1..], &body.results, uses)
            {
                self.maps.insert(core::ptr::from_ref(&**map));
            }
            if let Op::Concat(_) | Op::Elements(_) = &stm.op
                && goes(stm.vars[0], &body.stms[k + 1..], &body.results, uses)
            {
                self.joined.insert(stm.vars[0]);
            }
            if let Op::Map(map) = &stm.op
                && let Some(count) = additions(stm, map, &body.stms[k + 1..], uses)
            {
                self.added.insert(core::ptr::from_ref(&**map), count);
            }
            match &stm.op {
                Op::Map(map) => self.lambda(&map.function, uses),
                Op::Reduce(it) | Op::Scan(it) => self.lambda(&it.operator, uses),
                Op::Hist(it) => self.lambda(&it.operator, uses),
                _ => {}
            }
            bodies(&stm.op).for_each(|body| self.body(body, uses));
        }
    }
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

/// Whether an array is used once, as a part of another or as a result.
fn goes(var: Var, later: &[Stm], results: &[Atom], uses: &FxHashMap<Var, usize>) -> bool {
    if uses.get(&var) != Some(&1) {
        return false;
    }
    for stm in later {
        if let Op::Concat(atoms) | Op::Elements(atoms) = &stm.op
            && atoms.contains(&Atom::Var(var))
        {
            return true;
        }
    }
    results.contains(&Atom::Var(var))
}

/// Whether ranges are the first elements of the outermost dimension.
pub(super) fn from_start(ranges: &[Range]) -> bool {
    let is = |atom: Atom, n: i64| atom == Atom::Const(Const::I64(n));
    matches!(ranges, [range] if is(range.start, 0) && is(range.step, 1))
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
    match op {
        Op::Scalar(..) | Op::Copy(_) | Op::Iota(_) | Op::Replicate(..) | Op::Elements(_) | Op::Size(..) => true,
        Op::Index(..) | Op::Slice(..) | Op::Permute(..) | Op::Reshape(..) | Op::Concat(_) | Op::Reverse(_) => true,
        Op::Agree(_) => true,
        Op::Map(map) => map.accumulators.is_empty(),
        Op::Reduce(_) | Op::Scan(_) => true,
        Op::Update(..) | Op::If(..) | Op::Loop(_) | Op::Hist(_) | Op::Scatter(_) | Op::Custom(_) => false,
        Op::ToAccumulator(_) | Op::Accumulate(..) | Op::FromAccumulator(_) => false,
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
    found.extend(results.iter().filter_map(|atom| if let Atom::Var(var) = atom { Some(*var) } else { None }));
    found
}

fn mentions(body: &Body, visit: &mut impl FnMut(Var, bool)) {
    body.stms.iter().for_each(|stm| statement(stm, visit));
    for atom in &body.results {
        if let Atom::Var(var) = atom {
            visit(*var, false);
        }
    }
}

fn statement(stm: &Stm, visit: &mut impl FnMut(Var, bool)) {
    let is_size = matches!(stm.op, Op::Size(..) | Op::Agree(_));
    stm.op.atoms(|atom| {
        if let Atom::Var(var) = atom {
            visit(var, is_size);
        }
    });
    bodies(&stm.op).for_each(|body| mentions(body, visit));
}
