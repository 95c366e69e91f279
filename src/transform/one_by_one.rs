//! Histograms of few values in arrays that a loop changes in place, as loops of updates.
//!
//! Law: the program means the same. A histogram combines what is in a bin with one value after the other, and so does
//! the loop. The rules of histograms that are no sums look through all bins, many at a time; a histogram by itself has
//! to fill them anyway, but in a loop it changes them in place, and costs its values alone. So does the rule of a loop
//! of updates. It is applied where so few values are known to come that nothing is lost by taking them one after the
//! other (tests/transform/loops.rs).

use rustc_hash::{FxHashMap, FxHashSet};

use super::copy::{Copier, rewritten};
use super::flow::Active;
use super::operator::applied;
use crate::array::{Agreement, Atom, Body, Const, Form, Hist, Loop, Op, Policy, Prim, Program, Stm, Type, Var};
use crate::optimise::operator::{Operator, recognise};

/// The most values that are combined one after the other.
const MAX_VALUES: i64 = 32;

/// The program with each active histogram of [few](MAX_VALUES) values, sums excepted, of an array that a loop changes in place as
/// a loop; nothing if there is none.
pub(super) fn one_by_one(program: &Program, active: &Active) -> Option<Program> {
    let mut search =
        Search { active, versions: FxHashSet::default(), lengths: FxHashMap::default(), found: FxHashSet::default() };
    search.body(&program.function.body);
    let found = search.found;
    if found.is_empty() {
        return None;
    }
    Some(rewritten(program, &|copier, stm| match &stm.op {
        Op::Hist(it) if found.contains(&stm.vars[0]) => Some(updates(copier, it)),
        _ => None,
    }))
}

struct Search<'a> {
    active: &'a Active,
    /// The arrays that loops carry, and what is made of them in place.
    versions: FxHashSet<Var>,
    /// The lengths of arrays, where they are numbers.
    lengths: FxHashMap<Var, i64>,
    /// The first results of the histograms.
    found: FxHashSet<Var>,
}

impl Search<'_> {
    fn body(&mut self, body: &Body) {
        for stm in &body.stms {
            if let Op::Loop(it) = &stm.op {
                self.versions.extend(it.params.iter().map(|(param, _)| *param));
            }
            stm.op.bodies().for_each(|body| self.body(body));
            if let Some(length) = self.length_of(&stm.op) {
                self.lengths.extend(stm.vars.iter().map(|var| (*var, length)));
            }
            self.statement(stm);
        }
    }

    fn length(&self, array: Atom) -> Option<i64> {
        if let Atom::Var(var) = array { self.lengths.get(&var).copied() } else { None }
    }

    /// The length of the arrays that an operation makes.
    fn length_of(&self, op: &Op) -> Option<i64> {
        let number = |size: &Atom| if let Atom::Const(Const::I64(n)) = size { Some(*n) } else { None };
        match op {
            Op::Iota(size) | Op::Replicate(size, _) => number(size),
            Op::Elements(elements) => i64::try_from(elements.len()).ok(),
            Op::Map(map) if map.accumulators.is_empty() => map.arrays.iter().find_map(|array| self.length(*array)),
            _ => None,
        }
    }

    fn statement(&mut self, stm: &Stm) {
        let is_version = |a: &Atom| matches!(a, Atom::Var(var) if self.versions.contains(var));
        let next: Vec<Var> = match &stm.op {
            Op::Update(a, ..) if is_version(a) => stm.vars.to_vec(),
            Op::Scatter(it) if is_version(&it.destination) => stm.vars.to_vec(),
            Op::Hist(it) if it.destinations.iter().any(is_version) => {
                let few = self.length(it.indices).is_some_and(|length| length <= MAX_VALUES);
                if few && recognise(&it.operator) != Operator::Sum && stm.vars.iter().any(|var| self.active.var(*var)) {
                    self.found.insert(stm.vars[0]);
                }
                stm.vars.to_vec()
            }
            Op::If(_, yes, no) => {
                let either = yes.results.iter().zip(&no.results).map(|(yes, no)| is_version(yes) || is_version(no));
                stm.vars.iter().zip(either).filter_map(|(var, is_version)| is_version.then_some(*var)).collect()
            }
            Op::Loop(it) => {
                let initial = it.params.iter().map(|(_, initial)| is_version(initial));
                stm.vars.iter().zip(initial).filter_map(|(var, is_version)| is_version.then_some(*var)).collect()
            }
            _ => return,
        };
        self.versions.extend(next);
    }
}

/// The destinations of a histogram after all its values.
fn updates(copier: &mut Copier<'_, '_>, it: &Hist) -> Vec<Atom> {
    let target = copier.target;
    let (destinations, values) = (copier.atoms(&it.destinations), copier.atoms(&it.values));
    let indices = copier.atom(it.indices);
    values[1..].iter().for_each(|array| target.agree_lengths(Agreement::Values, *array, values[0]));
    target.agree_lengths(Agreement::Indices, indices, values[0]);
    destinations[1..].iter().for_each(|array| target.agree_lengths(Agreement::Bins, *array, destinations[0]));
    let (bins, count) = (target.size(destinations[0], 0), target.size(indices, 0));
    let (params, now) = target.carried(destinations);
    let k = target.fresh(Type::scalar(Prim::I64));
    let body = target.body(|| {
        let bin = target.at(indices, &[k.into()]);
        let update = || {
            let row =
                |arrays: &[Atom], at: Atom| -> Vec<Atom> { arrays.iter().map(|a| target.at(*a, &[at])).collect() };
            let new = applied(copier, &it.operator, &row(&now, bin), &row(&values, k.into()));
            now.iter().zip(new).map(|(array, new)| target.one(Op::Update(*array, vec![bin], new))).collect()
        };
        target.choose(target.within(bin, bins), update, || now.clone())
    });
    target.emit(Op::Loop(Box::new(Loop { params, form: Form::For(k, count), body, policy: Policy::KeepAll })))
}
