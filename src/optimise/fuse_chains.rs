//! Chains of maps, each of the elements that the one before it gives, as one map: before reverse mode, which would make an array of the
//! adjoints of each.
//!
//! Law: every value is computed as often as it was, for the same elements. What a map gives is no array any more where other maps alone
//! take its elements; products of matrices stay maps of their own, which executors recognise (tests/transform/chains.rs,
//! laws: array_derivatives).

use rustc_hash::{FxHashMap, FxHashSet};

use super::fuse_maps::{both, given, takes_elements};
use crate::array::{Atom, Body, Op, Program, ScalarOp, Stm, Var, atoms_of, deeper};

/// The program with one map for each chain; none if it has no chains.
pub(crate) fn chained(program: &Program) -> Option<Program> {
    let mut chained = program.clone();
    within(&mut chained.function.body).then_some(chained)
}

/// Fuses the chains of a body, and then those of the bodies inside, where chains of rows have become chains of elements.
fn within(body: &mut Body) -> bool {
    let mut changed = fuse(body);
    deeper(|| {
        for stm in &mut body.stms {
            for inner in stm.op.bodies_mut() {
                changed |= within(inner);
            }
        }
    });
    changed
}

fn fuse(body: &mut Body) -> bool {
    if body.stms.iter().filter(|stm| matches!(stm.op, Op::Map(_))).count() < 2 {
        return false;
    }
    let users = users(body);
    let results: FxHashSet<Var> = body.results.iter().filter_map(|result| result.var()).collect();
    let mut stms: Vec<Option<Stm>> = core::mem::take(&mut body.stms).into_iter().map(Some).collect();
    let mut changed = false;
    for at in 0..stms.len() {
        let Some(next) = stms[at].as_ref().and_then(|_| next_in_chain(at, &stms, &users, &results)) else {
            continue;
        };
        let (first, second) = (stms[at].take(), stms[next].take());
        let mut one = both(first.expect("it is there"), second.expect("it is there"));
        // What nothing but the second took of the first.
        let Op::Map(map) = &mut one.op else { panic!("two maps are a map") };
        let is_used =
            |var: &Var| users.get(var).into_iter().flatten().any(|user| *user > next) || results.contains(var);
        let kept: Vec<bool> = one.vars.iter().map(is_used).collect();
        // A map without use stays one, with what it compares.
        if kept.contains(&true) {
            let mut of_vars = kept.iter();
            one.vars.retain(|_| *of_vars.next().expect("one for each"));
            let mut of_results = kept.iter();
            map.function.body.results.retain(|_| *of_results.next().expect("one for each"));
        }
        stms[next] = Some(one);
        changed = true;
    }
    body.stms = stms.into_iter().flatten().collect();
    changed
}

/// Which statements of a body mention a variable, in order.
fn users(body: &Body) -> FxHashMap<Var, Vec<usize>> {
    let mut users: FxHashMap<Var, Vec<usize>> = FxHashMap::default();
    for (at, stm) in body.stms.iter().enumerate() {
        atoms_of(&stm.op, &mut |atom| {
            if let Some(var) = atom.var() {
                let of_var = users.entry(var).or_default();
                if of_var.last() != Some(&at) {
                    of_var.push(at);
                }
            }
        });
    }
    users
}

/// The first map that takes elements of the one there, if nothing but maps does, and takes nothing else of it.
fn next_in_chain(
    at: usize,
    stms: &[Option<Stm>],
    users: &FxHashMap<Var, Vec<usize>>,
    results: &FxHashSet<Var>,
) -> Option<usize> {
    let stm = stms[at].as_ref()?;
    let elements = elementwise(&stm.op).then(|| given(stm).iter().copied().collect::<FxHashSet<Var>>())?;
    if elements.iter().any(|var| results.contains(var)) {
        return None;
    }
    // Those before are a part of it.
    let of_all = || elements.iter().filter_map(|var| users.get(var)).flatten().copied().filter(|user| *user > at);
    let takes = |user: usize| {
        let of = stms[user].as_ref();
        of.is_some_and(|stm| elementwise(&stm.op) && takes_elements(&stm.op, &elements, &elements))
    };
    of_all().all(takes).then(|| of_all().min()).flatten()
}

/// Whether an operation is a map that adds to nothing and in which no products are summed up.
fn elementwise(op: &Op) -> bool {
    matches!(op, Op::Map(map) if map.accumulators.is_empty() && !sums_products(&map.function.body))
}

fn sums_products(body: &Body) -> bool {
    let mut products: FxHashSet<Atom> = FxHashSet::default();
    body.stms.iter().any(|stm| {
        match &stm.op {
            Op::Map(map) if is_product(&map.function.body) => {
                products.extend(stm.vars.iter().map(|var| Atom::Var(*var)))
            }
            Op::Reduce(it) if it.arrays.iter().any(|array| products.contains(array)) => return true,
            _ => (),
        }
        deeper(|| stm.op.bodies().any(sums_products))
    })
}

/// Whether elements are multiplied with others.
fn is_product(body: &Body) -> bool {
    body.stms.iter().any(|stm| match &stm.op {
        Op::Scalar(ScalarOp::Mul, operands) => {
            let [x, y] = operands[..] else { return false };
            x != y && x.var().is_some() && y.var().is_some()
        }
        _ => false,
    })
}
