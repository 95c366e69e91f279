//! Histograms of few values in arrays that a loop changes in place, as loops of updates.
//!
//! Law: the program means the same. A histogram combines what is in a bin with one value after the other, and so does
//! the loop. The rules of histograms that are no sums look through all bins, many at a time; a histogram by itself has
//! to fill them anyway, but in a loop it changes them in place, and costs its values alone. So does the rule of a loop
//! of updates. It is applied where so few values are known to come that nothing is lost by taking them one after the
//! other (tests/transform/loops.rs).

use rustc_hash::FxHashSet;

use super::copy::{Copier, rewritten};
use super::flow::Active;
use super::operator::applied;
use crate::array::{Agreement, Atom, Body, Extent, Hist, Op, Policy, Program, Stm, Var};
use crate::optimise::operator::{Operator, recognise};

/// The most values that are combined one after the other.
const MAX_VALUES: i64 = 32;

/// The program with each active histogram of [few](MAX_VALUES) values, sums excepted, of an array that a loop changes in place as
/// a loop; nothing if there is none.
pub(super) fn one_by_one(program: &Program, active: &Active) -> Option<Program> {
    let (versions, hists) = (FxHashSet::default(), Vec::new());
    let mut search = Search { active, versions, hists };
    search.body(&program.function.body);
    if search.hists.is_empty() {
        return None;
    }
    let sizes = program.sizes();
    let is_few = |array: &Atom| matches!(sizes.of(*array)[0], Extent::Number(length) if length.as_int().is_some_and(|n| n <= MAX_VALUES));
    let few = search.hists.into_iter().filter(|(_, it)| is_few(&it.indices) || it.values.iter().any(is_few));
    let found: FxHashSet<Var> = few.map(|(var, _)| var).collect();
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
    /// The histograms of such arrays, sums excepted, by their first results.
    hists: Vec<(Var, &'a Hist)>,
}

impl<'a> Search<'a> {
    fn body(&mut self, body: &'a Body) {
        for stm in &body.stms {
            if let Op::Loop(it) = &stm.op {
                self.versions.extend(it.params.iter().map(|(param, _)| *param));
            }
            stm.op.bodies().for_each(|body| self.body(body));
            self.statement(stm);
        }
    }

    fn statement(&mut self, stm: &'a Stm) {
        let is_version = |a: &Atom| matches!(a, Atom::Var(var) if self.versions.contains(var));
        let next: Vec<Var> = match &stm.op {
            Op::Update(a, ..) if is_version(a) => stm.vars.to_vec(),
            Op::Scatter(it) if is_version(&it.destination) => stm.vars.to_vec(),
            Op::Hist(it) if it.destinations.iter().any(is_version) => {
                if recognise(&it.operator) != Operator::Sum && stm.vars.iter().any(|var| self.active.var(*var)) {
                    self.hists.push((stm.vars[0], it));
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
    target.repeat(count, destinations, Policy::KeepAll, |k, now| {
        let bin = target.at(indices, &[k]);
        let update = || {
            let row =
                |arrays: &[Atom], at: Atom| -> Vec<Atom> { arrays.iter().map(|a| target.at(*a, &[at])).collect() };
            let new = applied(copier, &it.operator, &row(now, bin), &row(&values, k));
            now.iter().zip(new).map(|(array, new)| target.one(Op::Update(*array, vec![bin], new))).collect()
        };
        target.choose(target.within(bin, bins), update, || now.to_vec())
    })
}
