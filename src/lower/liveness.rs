//! What is used how often and where: which maps can wait until their elements are wanted, and which arrays are not
//! used again.
//!
//! Law: a map waits if its results are used once, by one statement that takes them element by element, and no
//! statement on the way changes an array.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::array::{Atom, Body, Lambda, Map, Op, Program, Stm, Var, bodies};

/// The maps that wait.
#[derive(Debug, Default)]
pub(super) struct Pending {
    maps: FxHashSet<*const Map>,
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
    for stm in later {
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
