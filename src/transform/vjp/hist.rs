//! The rule of `hist`, which is that of `reduce` for each bin.
//!
//! Law: a value whose bin does not exist receives 0. For sums a value receives the adjoint of its bin; for extrema the
//! first value that attains the bin's extremum receives it, or the bin's old content, which wins ties ("Reverse AD for
//! a Functional Array Language", *Special Cases of Reduce & Multi-Reduce*). Other operators, products among them, are
//! reductions of segments after sorting; division, and counting of zeros, would be right to the first order only
//! (tests/transform/operators.rs, tests/transform/corners.rs).

use super::Reverse;
use super::arrays::read_within;
use super::combine::Combined;
use crate::array::{Atom, Hist, Lambda, Op, ScalarOp, Var, index};
use crate::optimise::operator::{Operator, recognise};
use crate::transform::operator::{numbered, part};
use crate::transform::target::Target;

impl Reverse<'_, '_> {
    pub(super) fn hist(&mut self, vars: &[Var], it: &Hist) {
        let indices = self.copier.atom(it.indices);
        for (group, seeds) in self.seeded_groups(vars, &it.operator) {
            let component = self.combined(part(&it.operator, &group), &it.neutral, &it.values, &group);
            let destinations: Vec<Atom> = group.iter().map(|c| self.copier.atom(it.destinations[*c])).collect();
            let wanted: Vec<bool> = group.iter().map(|c| self.active.atom(it.destinations[*c])).collect();
            let found = self.counted(&component, &destinations, &wanted, indices, &seeds);
            self.add_group([&it.destinations, &it.values], &group, &found);
        }
    }

    /// The adjoints of destinations and then of values.
    fn counted(
        &mut self,
        it: &Combined,
        destinations: &[Atom],
        wanted: &[bool],
        indices: Atom,
        seeds: &[Option<Atom>],
    ) -> Vec<Option<Atom>> {
        let target = self.target;
        match (recognise(&it.operator), seeds) {
            (Operator::Sum, [Some(seed)]) => {
                let inputs = [indices, it.arrays[0]];
                let read = |x: &[Atom]| read_within(target, *seed, &[x[0]], || target.zeros_like(x[1]));
                vec![
                    wanted[0].then_some(*seed),
                    it.wanted[0].then(|| target.shaped_like(target.map1(&inputs, read), it.arrays[0])),
                ]
            }
            (Operator::Extremum(op), [Some(seed)]) => {
                let [destination, values] = extrema(self.target, it, op, destinations[0], indices, *seed);
                vec![wanted[0].then_some(destination), it.wanted[0].then_some(values)]
            }
            (Operator::Elementwise(inner), [Some(seed)]) if is_extremum(&inner) => {
                let (e, values) = (it.neutral[0], it.arrays[0]);
                let sizes = [target.size(destinations[0], 0), target.size(indices, 0)];
                let (arrays, wanted) = (vec![destinations[0], values], vec![wanted[0], it.wanted[0]]);
                let both = Combined { neutral: vec![e, e], arrays, wanted, ..it.clone() };
                self.where_any(it, &sizes, &[*seed, target.zeros_like(values)], |reverse| {
                    reverse.columns(&both, inner, seeds, &[], |reverse, column, seeds, _| {
                        let (neutral, arrays) = (vec![column.neutral[0]], vec![column.arrays[1]]);
                        let values = Combined { neutral, arrays, wanted: vec![column.wanted[1]], ..column.clone() };
                        reverse.counted(&values, &column.arrays[..1], &column.wanted[..1], indices, seeds)
                    })
                })
            }
            _ => self.hist_by_sorting(it, destinations, wanted, indices, seeds),
        }
    }
}

/// Whether an operator keeps the smaller or larger of two scalars, at whatever depth they are.
fn is_extremum(operator: &Lambda) -> bool {
    match recognise(operator) {
        Operator::Elementwise(inner) => is_extremum(&inner),
        Operator::Extremum(_) => true,
        Operator::Sum | Operator::Product | Operator::General => false,
    }
}

/// The adjoints of destination and values, of which the extremum of each bin is kept.
fn extrema(target: &Target, it: &Combined, op: ScalarOp, destination: Atom, indices: Atom, seed: Atom) -> [Atom; 2] {
    let (values, neutral) = (it.arrays[0], it.neutral[0]);
    let numbers = target.iota(target.size(values, 0));
    let nobody = target.one(Op::Replicate(target.size(destination, 0), index(-1)));
    let search = Hist {
        operator: numbered(target, op, neutral),
        neutral: vec![neutral, index(-1)],
        destinations: vec![destination, nobody],
        indices,
        values: vec![values, numbers],
    };
    let found = target.emit(Op::Hist(Box::new(search)));
    let winners = found[1];
    let zero = target.zeros_like(neutral);
    let stayed = target.map1(&[winners, seed], |x| {
        let stayed = target.scalar(ScalarOp::Equal, &[x[0], index(-1)]);
        target.choose(stayed, || vec![x[1]], || vec![zero])[0]
    });
    let won = target.map1(&[indices, numbers], |x| {
        let winner = read_within(target, winners, &[x[0]], || index(-1));
        let won = target.scalar(ScalarOp::Equal, &[winner, x[1]]);
        target.choose(won, || vec![target.at(seed, &[x[0]])], || vec![zero])[0]
    });
    [stayed, won]
}
