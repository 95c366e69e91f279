//! The rule of `scan`.
//!
//! Law: `yᵢ = yᵢ₋₁ ⊙ aᵢ`, so the adjoints that reach `yᵢ` are the linear recurrence `gᵢ = ȳᵢ + Jᵢ₊₁ᵀ gᵢ₊₁` with
//! `Jᵢ₊₁ = ∂(yᵢ ⊙ aᵢ₊₁)/∂yᵢ`, and `āᵢ += ∂(yᵢ₋₁ ⊙ aᵢ)/∂aᵢᵀ · gᵢ`. For sums that is the suffix sum ("Reverse-mode AD of
//! multi-reduce and scan in Futhark"); how other recurrences are solved is in `recurrence`. What is combined first is
//! `y₋₁` (tests/transform/operators.rs, laws: array_reductions).

use super::Reverse;
use super::combine::{Combined, exclusive};
use crate::array::{Atom, Reduce, Var};
use crate::optimise::operator::{Operator, recognise};

impl Reverse<'_, '_> {
    pub(super) fn scan(&mut self, vars: &[Var], it: &Reduce) {
        for (group, seeds) in self.seeded_groups(vars, &it.operator) {
            let component = self.reduced(it, &group);
            let prefixes: Vec<Atom> = group.iter().map(|c| self.copier.atom(vars[*c].into())).collect();
            let found = self.scanned(&component, &prefixes, &seeds);
            self.add_group([&it.arrays, &it.neutral], &group, &found);
        }
    }

    /// The adjoints of what is scanned, and then of what it is combined with first.
    fn scanned(&mut self, it: &Combined, prefixes: &[Atom], seeds: &[Option<Atom>]) -> Vec<Option<Atom>> {
        let target = self.target;
        let size = target.size(it.arrays[0], 0);
        let first = |c: usize| target.zeros_like(it.neutral[c]);
        let without: Vec<Atom> = it.arrays.iter().chain(&it.neutral).map(|a| target.zeros_like(*a)).collect();
        match recognise(&it.operator) {
            Operator::Sum => {
                let sums = |(seed, wanted): (&Option<Atom>, &bool)| {
                    let seed = seed.filter(|_| *wanted)?;
                    Some(target.reversed(target.prefix_sums(target.reversed(seed))))
                };
                let total = |((seed, e), asked): ((&Option<Atom>, &Atom), &bool)| {
                    let seed = seed.filter(|_| *asked)?;
                    Some(target.shaped_like(target.sum(seed), *e))
                };
                let of_firsts = seeds.iter().zip(&it.neutral).zip(&it.starts).map(total);
                seeds.iter().zip(&it.wanted).map(sums).chain(of_firsts).collect()
            }
            Operator::Elementwise(inner) => self.where_any(it, &[size], &without, |reverse| {
                let arrays: Vec<Option<Atom>> =
                    prefixes.iter().copied().map(Some).chain(seeds.iter().copied()).collect();
                let k = prefixes.len();
                reverse.columns(it, inner, &arrays, &[], |reverse, column, arrays, _| {
                    let prefixes: Vec<Atom> = arrays[..k].iter().flatten().copied().collect();
                    reverse.scanned(column, &prefixes, &arrays[k..])
                })
            }),
            Operator::Product | Operator::Extremum(_) | Operator::General => {
                self.where_any(it, &[size], &without, |reverse| {
                    let lefts = exclusive(target, prefixes, &it.neutral, size);
                    let reaching = reverse.recurrence(it, &lefts, prefixes, seeds, size);
                    let mut found = reverse.elements(it, &lefts, &reaching, None);
                    found.extend(reverse.firsts(it, &reaching, first));
                    found
                })
            }
        }
    }
}
