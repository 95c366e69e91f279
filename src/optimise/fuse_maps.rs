//! Maps over one array that compute the same values, as one map.
//!
//! Law: of values that two maps compute, one map computes each once, and nothing else is computed more often. A reverse
//! derivative executes a map again to return through it; where the adjoint of an element depends on what the map gave
//! for that element alone, the two and the maps in between are one, and the function of a perfect nest is executed
//! once. Maps stay two where what they share is less work than keeping it, or where one needs an array of the other's
//! (tests/transform/simplify.rs, tests/transform/work.rs).

use core::hash::{Hash, Hasher};
use core::mem::discriminant;
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use std::collections::hash_map::Entry;

use crate::array::{Atom, Body, Lambda, Map, Op, Program, ScalarOp, Stm, Var, Vars};
use crate::array::{atoms_of, deeper, has_bodies, needed, params};
use crate::primitives::Primitive;

/// The shared work for which two maps are made one: about that of writing an element to memory and reading it again.
const MIN_SHARED_WORK: u64 = 8;

/// How many statements of a body are looked at, as a multiple of those that it has, and in a small body.
const MAX_LOOKS: usize = 16;
const MIN_LOOKS: usize = 1 << 16;

/// Makes one of maps that share work, if there are such.
pub(super) fn fuse_maps(program: &mut Program) -> bool {
    let mut values = vec![0; program.types.len()];
    within(&mut program.function.body, &mut values)
}

fn within(body: &mut Body, values: &mut [Value]) -> bool {
    let mut changed = false;
    deeper(|| {
        for stm in &mut body.stms {
            for inner in stm.op.bodies_mut() {
                changed |= within(inner, values);
            }
        }
    });
    // In a body of many statements, to look at all of them for each pair would not be linear.
    let mut patience = MAX_LOOKS * body.stms.len() + MIN_LOOKS;
    while merge_two(&mut body.stms, values, &mut patience) {
        changed = true;
    }
    changed
}

/// Fuses the first pair of maps that it can; `patience` limits how many statements it looks at.
fn merge_two(stms: &mut Vec<Stm>, values: &mut [Value], patience: &mut usize) -> bool {
    let mut seen = Seen { values, elements: FxHashMap::default(), by: FxHashMap::default() };
    let lengths = Lengths::of(stms);
    let mut looks = |n: usize| {
        let enough = *patience >= n;
        *patience = patience.saturating_sub(n);
        enough
    };
    for at in 0..stms.len() {
        if let Op::Map(map) = &stms[at].op
            && lengths.are_shared(at)
            && looks(1)
            && let Some(earlier) = seen.enter(at, &stms[at].vars, map, &lengths)
            && looks(at - earlier)
            && let Some(next) = next_of_chain(stms, earlier, at, |k| lengths.are_one(k, earlier))
            && looks(stms.len())
        {
            *stms = merged(core::mem::take(stms), earlier, next);
            return true;
        }
    }
    false
}

/// What a value in the function of a map is, in few bits. Two values that are the same by chance are taken to be shared
/// work, which is never wrong: what is the same is found where the maps are one.
pub(super) type Value = u64;

/// What a variable from outside of the maps is: it has its number.
const OUTSIDE: Value = 0;

/// The value that `write` tells a hasher.
fn value(write: impl FnOnce(&mut FxHasher)) -> Value {
    let mut hasher = FxHasher::default();
    write(&mut hasher);
    hasher.finish().max(1)
}

/// How many elements the maps of a body go over.
#[derive(Default)]
struct Lengths {
    /// Of maps, the first that goes over as many elements, as far as maps over several arrays tell.
    first: FxHashMap<usize, usize>,
    /// How many go over as many.
    count: FxHashMap<usize, usize>,
}

impl Lengths {
    fn of(stms: &[Stm]) -> Self {
        let (mut found, mut of_arrays) = (Lengths::default(), FxHashMap::<Atom, usize>::default());
        for (at, stm) in stms.iter().enumerate() {
            let Op::Map(map) = &stm.op else { continue };
            let first = map.arrays.iter().find_map(|a| of_arrays.get(a).copied()).unwrap_or(at);
            let arrays = map.arrays.iter().copied().chain(given(stm).iter().map(|v| Atom::Var(*v)));
            arrays.for_each(|array| {
                of_arrays.entry(array).or_insert(first);
            });
            found.first.insert(at, first);
            *found.count.entry(first).or_default() += 1;
        }
        found
    }

    /// Whether a statement is a map that goes over as many elements as another.
    fn are_shared(&self, at: usize) -> bool {
        self.first.get(&at).is_some_and(|first| self.count[first] > 1)
    }

    /// Whether two statements are maps over as many elements.
    fn are_one(&self, at: usize, other: usize) -> bool {
        self.first.get(&at) == self.first.get(&other)
    }
}

/// The values that maps of a body compute.
struct Seen<'v> {
    /// By the number of the variable.
    values: &'v mut [Value],
    /// Of arrays that maps give, the value that their elements are.
    elements: FxHashMap<Atom, Value>,
    /// Which map computes a value first.
    by: FxHashMap<Value, usize>,
}

impl Seen<'_> {
    /// Enters the values of a map, and returns the earlier one that shares most work with it, if that is enough. Work
    /// that does not depend on the elements may be shared by maps of different lengths, which cannot be fused.
    fn enter(&mut self, at: usize, vars: &[Var], map: &Map, lengths: &Lengths) -> Option<usize> {
        if map.function.body.stms.iter().map(|stm| work(&stm.op)).sum::<u64>() < MIN_SHARED_WORK {
            return None;
        }
        for (param, array) in map.function.params.iter().zip(&map.arrays) {
            let known = self.elements.get(array).copied();
            self.values[param.0 as usize] = known.unwrap_or_else(|| value(|hasher| (4, array).hash(hasher)));
        }
        let mut shared: FxHashMap<usize, u64> = FxHashMap::default();
        let mut bound = FxHashMap::default();
        for stm in &map.function.body.stms {
            bound.clear();
            let whole = value(|hasher| write(&stm.op, self.values, &mut bound, hasher));
            match self.by.entry(whole) {
                Entry::Occupied(earlier) if *earlier.get() == at => {}
                Entry::Occupied(earlier) => *shared.entry(*earlier.get()).or_default() += work(&stm.op),
                Entry::Vacant(place) => drop(place.insert(at)),
            }
            for (k, var) in stm.vars.iter().enumerate() {
                // Most operations have one result, which is what the whole is.
                self.values[var.0 as usize] = if k == 0 { whole } else { value(|hasher| (whole, k).hash(hasher)) };
            }
        }
        for (var, result) in vars.iter().zip(&map.function.body.results) {
            if let Atom::Var(result) = result
                && self.values[result.0 as usize] != OUTSIDE
            {
                self.elements.insert((*var).into(), self.values[result.0 as usize]);
            }
        }
        let fitting =
            shared.into_iter().filter(|(other, work)| *work >= MIN_SHARED_WORK && lengths.are_one(*other, at));
        fitting.max_by_key(|(other, work)| (*work, *other)).map(|(other, _)| other)
    }
}

/// Tells what an operation is: values by what they are, variables of its own bodies by their order.
pub(super) fn write(op: &Op, values: &[Value], bound: &mut FxHashMap<Var, usize>, to: &mut impl Hasher) {
    (discriminant(op), op.key()).hash(to);
    op.atoms(|a| tell(a, values, bound, to));
    op.numbers(|n| n.hash(to));
    let bind = |var: Var, bound: &mut FxHashMap<Var, usize>| {
        bound.insert(var, bound.len());
    };
    params(op).for_each(|var| bind(var, bound));
    for body in op.bodies() {
        deeper(|| {
            for stm in &body.stms {
                write(&stm.op, values, bound, to);
                stm.vars.iter().for_each(|var| bind(*var, bound));
            }
        });
        body.results.iter().for_each(|a| tell(*a, values, bound, to));
    }
}

/// Tells what an operand is.
fn tell(operand: Atom, values: &[Value], bound: &FxHashMap<Var, usize>, to: &mut impl Hasher) {
    match operand {
        Atom::Var(var) => match (bound.get(&var), values[var.0 as usize]) {
            (Some(order), _) => (0, order).hash(to),
            (None, OUTSIDE) => (1, var).hash(to),
            (None, value) => (2, value).hash(to),
        },
        Atom::Const(_) => (3, operand).hash(to),
    }
}

/// The work of an operation, for one element: that of a sum is 1, and what has a body gives an array or goes over one.
fn work(op: &Op) -> u64 {
    match op {
        Op::Scalar(op, _) => scalar_work(*op),
        op => {
            let own = if has_bodies(op) { MIN_SHARED_WORK } else { 0 };
            op.bodies().flat_map(|body| &body.stms).fold(own, |sum, stm| sum + work(&stm.op))
        }
    }
}

/// The work of an operation on scalars.
pub(super) fn scalar_work(op: ScalarOp) -> u64 {
    match op {
        ScalarOp::Row(Primitive::Neg | Primitive::Sub | Primitive::Select) => 1,
        ScalarOp::Row(_) => 4,
        _ => 1,
    }
}

/// Whether an operation mentions one of these variables.
fn mentions(op: &Op, vars: &FxHashSet<Var>) -> bool {
    let mut found = false;
    atoms_of(op, &mut |a| found |= a.var().is_some_and(|var| vars.contains(&var)));
    found
}

/// Whether an operation is a map that has, of the variables that depend on another map, arrays alone that give it elements
/// of its own number.
pub(super) fn takes_elements(op: &Op, depends: &FxHashSet<Var>, elements: &FxHashSet<Var>) -> bool {
    let Op::Map(map) = op else { return false };
    let is = |a: Atom, of: &FxHashSet<Var>| a.var().is_some_and(|var| of.contains(&var));
    let mut mentioned = 0;
    atoms_of(op, &mut |a| mentioned += usize::from(is(a, depends)));
    mentioned == map.arrays.iter().filter(|a| is(**a, elements)).count()
}

/// The arrays that a map gives.
pub(super) fn given(stm: &Stm) -> &[Var] {
    let Op::Map(map) = &stm.op else { panic!("a map gives arrays") };
    &stm.vars[..stm.vars.len() - map.accumulators.len()]
}

/// The map to be made one with the first, so that in the end the second is: that itself, unless maps of the same length
/// stand between them, through which the second gets elements of the first; nothing if it gets more than elements.
fn next_of_chain(stms: &[Stm], first: usize, second: usize, as_long: impl Fn(usize) -> bool) -> Option<usize> {
    let mut operands = Vec::new();
    atoms_of(&stms[second].op, &mut |a| operands.push(a));
    let (between, _) = needed(&stms[first + 1..second], &operands);
    let between = (first + 1..second).zip(between).filter(|(_, needed)| *needed).map(|(k, _)| k);
    let mut depends: FxHashSet<Var> = stms[first].vars.iter().copied().collect();
    let mut elements: FxHashSet<Var> = given(&stms[first]).iter().copied().collect();
    let mut next = None;
    for k in between.chain([second]) {
        if mentions(&stms[k].op, &depends) {
            if !takes_elements(&stms[k].op, &depends, &elements) || !as_long(k) {
                return None;
            }
            depends.extend(&stms[k].vars);
            elements.extend(given(&stms[k]));
            next = next.or(Some(k));
        }
    }
    Some(next.unwrap_or(second))
}

/// The statements with one map in place of two; what depends on the first map comes after it.
fn merged(stms: Vec<Stm>, first: usize, second: usize) -> Vec<Stm> {
    let mut depends: FxHashSet<Var> = stms[first].vars.iter().copied().collect();
    let (mut all, mut later) = (Vec::with_capacity(stms.len()), Vec::new());
    let mut one = None;
    for (k, stm) in stms.into_iter().enumerate() {
        if k == first {
            one = Some(stm);
        } else if k == second {
            all.push(both(one.take().expect("the first map comes before the second"), stm));
            all.append(&mut later);
        } else if k > first && k < second && mentions(&stm.op, &depends) {
            depends.extend(&stm.vars);
            later.push(stm);
        } else {
            all.push(stm);
        }
    }
    all
}

/// Two maps as one. What the second takes from the first is a value of its function.
pub(super) fn both(first: Stm, second: Stm) -> Stm {
    let (Op::Map(one), Op::Map(two)) = (first.op, second.op) else { panic!("two maps") };
    let (Map { function: f, mut arrays, mut accumulators }, mut g) = (*one, two.function);
    let values = (first.vars.len() - accumulators.len(), second.vars.len() - two.accumulators.len());
    let (mut params, mut stms, mut results) = (f.params, f.body.stms, f.body.results);
    let (mut collectors, own_collectors) = (params.split_off(arrays.len()), g.params.split_off(two.arrays.len()));
    for (param, array) in g.params.into_iter().zip(two.arrays) {
        match first.vars[..values.0].iter().position(|v| Atom::Var(*v) == array) {
            Some(k) => stms.push(Stm { vars: Vars::from_iter([param]), op: Op::Copy(results[k]), span: second.span }),
            None => {
                params.push(param);
                arrays.push(array);
            }
        }
    }
    collectors.extend(own_collectors);
    params.append(&mut collectors);
    stms.extend(g.body.stms);
    accumulators.extend(two.accumulators);

    let (mut vars, mut own_vars) = (first.vars, second.vars);
    let (collected, own_collected): (Vars, Vars) =
        (vars.drain(values.0..).collect(), own_vars.drain(values.1..).collect());
    let (of, own_of) = (results.split_off(values.0), g.body.results.split_off(values.1));
    vars.extend(own_vars.into_iter().chain(collected).chain(own_collected));
    results.extend(g.body.results.into_iter().chain(of).chain(own_of));
    let function = Lambda { params, body: Body { stms, results } };
    let op = Op::Map(Box::new(Map { function, arrays, accumulators }));
    Stm { vars, op, span: first.span.or(second.span) }
}
