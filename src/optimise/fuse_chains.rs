//! Chains of maps, each of the elements that the one before it gives, as one map: before reverse mode, which would make an array of the
//! adjoints of each.
//!
//! Law: the program gives what it gave. What a map gives is no array any more where other maps alone take its elements: on the way back
//! it is computed once more, if a derivative needs it. Products of matrices stay maps of their own, which executors recognise
//! (tests/transform/chains.rs, laws: array_derivatives).

use rustc_hash::{FxHashMap, FxHashSet};

use super::fuse_maps::{both, given, takes_elements};
use super::operator::{Operator, recognise};
use super::rewriter::lengths_agree;
use crate::array::{Agreement, Atom, Body, Class, Op, Program, ScalarOp, Stm, Var, atoms_of, deeper};

/// The program with one map for each chain of arrays that get adjoints; none if it has no such chains.
pub(crate) fn chained(program: &Program, gets_adjoint: impl Fn(Var) -> bool) -> Option<Program> {
    let mut chained = program.clone();
    within(&mut chained.function.body, &gets_adjoint).then_some(chained)
}

/// Fuses the chains of a body, and then those within: of loops and branches, and of the maps that were fused, where chains of rows have
/// become chains of elements. In a function that was written as one, arrays are those of one element.
fn within(body: &mut Body, gets_adjoint: &dyn Fn(Var) -> bool) -> bool {
    let fused = fuse(body, gets_adjoint);
    let mut changed = fused.contains(&true);
    deeper(|| {
        for (stm, is_fused) in body.stms.iter_mut().zip(fused) {
            if is_fused || matches!(stm.op, Op::Loop(_) | Op::If(..)) {
                stm.op.bodies_mut().for_each(|inner| changed |= within(inner, gets_adjoint));
            }
        }
    });
    changed
}

/// Fuses the chains of a body, and says which of its statements are some that were fused.
fn fuse(body: &mut Body, gets_adjoint: &dyn Fn(Var) -> bool) -> Vec<bool> {
    if body.stms.iter().filter(|stm| matches!(stm.op, Op::Map(_))).count() < 2 {
        return vec![false; body.stms.len()];
    }
    let users = users(body);
    let results: FxHashSet<Var> = body.results.iter().filter_map(|result| result.var()).collect();
    let mut stms: Vec<Option<Stm>> = core::mem::take(&mut body.stms).into_iter().map(Some).collect();
    let mut compared: FxHashMap<usize, Vec<Stm>> = FxHashMap::default();
    for at in 0..stms.len() {
        // Of what gets no adjoint no array is made for it, and some of it is the same in every run.
        let is_active = stms[at].as_ref().is_some_and(|stm| stm.vars.iter().any(|var| gets_adjoint(*var)));
        let next = if is_active { next_in_chain(at, &stms, &users, &results) } else { None };
        let Some(next) = next else { continue };
        let [first, second] = [at, next].map(|k| stms[k].take().expect("what is fused is there"));
        let before = compared.entry(next).or_default();
        before.iter_mut().for_each(|agree| lengths_of_sources(agree, &first));
        before.extend(comparisons(&first, &second));
        let mut one = both(first, second);
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
    }
    let mut fused = Vec::new();
    for (at, stm) in stms.into_iter().enumerate() {
        let Some(stm) = stm else { continue };
        let before = compared.remove(&at);
        let is_fused = before.is_some();
        let before = before.unwrap_or_default();
        fused.extend(before.iter().map(|_| false));
        body.stms.extend(before);
        fused.push(is_fused);
        body.stms.push(stm);
    }
    fused
}

/// The comparisons of lengths that the second map makes, as statements of the place that it comes from.
fn comparisons(first: &Stm, second: &Stm) -> Vec<Stm> {
    let (Op::Map(one), Op::Map(two)) = (&first.op, &second.op) else { panic!("two maps") };
    let given = |array: &Atom| first.vars.iter().any(|var| *array == Atom::Var(*var));
    let others = two.arrays.iter().filter(|array| !given(array) && !one.arrays.contains(array));
    let agree = |array: &Atom| {
        let op = lengths_agree(Agreement::Mapped, *array, one.arrays[0]);
        Stm { span: second.span, ..Stm::new([], op) }
    };
    others.map(agree).collect()
}

/// Compares the arrays that a map takes, where those that it gives were compared.
fn lengths_of_sources(agree: &mut Stm, map: &Stm) {
    let (Op::Agree(agree), Op::Map(of)) = (&mut agree.op, &map.op) else { panic!("a comparison, and a map") };
    for extent in agree.extents_mut() {
        if map.vars.iter().any(|var| extent.atom() == Atom::Var(*var)) {
            *extent.atom_mut() = of.arrays[0];
        }
    }
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
    let elements = may_take(&stm.op).then(|| given(stm).iter().copied().collect::<FxHashSet<Var>>())?;
    let is_cheap = elementwise(&stm.op);
    if elements.iter().any(|var| results.contains(var)) {
        return None;
    }
    // Those before are a part of it.
    let of_all = || elements.iter().filter_map(|var| users.get(var)).flatten().copied().filter(|user| *user > at);
    let takes = |user: usize| {
        let of = stms[user].as_ref();
        of.is_some_and(|stm| {
            let is_worth_it = is_cheap || selects(&stm.op, &elements);
            is_worth_it && may_take(&stm.op) && takes_elements(&stm.op, &elements, &elements)
        })
    };
    of_all().all(takes).then(|| of_all().min()).flatten()
}

/// Whether an operation is a map that does a few things for each element, or for each element of a row. What costs more is computed once
/// more where few of the elements get an adjoint, and nowhere else.
fn elementwise(op: &Op) -> bool {
    let is_few =
        |stm: &Stm| matches!(stm.op.class(), Class::Scalar | Class::View | Class::Generator) || elementwise(&stm.op);
    matches!(op, Op::Map(map) if map.accumulators.is_empty() && deeper(|| map.function.body.stms.iter().all(is_few)))
}

/// Whether a map takes of these arrays nothing but the least or greatest elements of their rows: the others get no adjoint.
fn selects(op: &Op, arrays: &FxHashSet<Var>) -> bool {
    let Op::Map(map) = op else { return false };
    let taken =
        map.function.params.iter().zip(&map.arrays).filter(|(_, a)| a.var().is_some_and(|v| arrays.contains(&v)));
    let rows: FxHashSet<Atom> = taken.map(|(param, _)| Atom::Var(*param)).collect();
    let (mut mentions, mut selections) = (0, 0);
    for stm in &map.function.body.stms {
        atoms_of(&stm.op, &mut |atom| mentions += usize::from(rows.contains(&atom)));
        if let Op::Reduce(it) = &stm.op
            && matches!(recognise(&it.operator), Operator::Extremum(_))
        {
            selections += it.arrays.iter().filter(|array| rows.contains(array)).count();
        }
    }
    mentions == selections && !map.function.body.results.iter().any(|result| rows.contains(result))
}

/// Whether an operation is a map that adds to nothing and in which no products are summed up.
fn may_take(op: &Op) -> bool {
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
