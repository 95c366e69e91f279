//! The rule of `reduce`.
//!
//! Law: `y = lᵢ ⊙ aᵢ ⊙ rᵢ`, where `l₀ = e` is what the reduction starts from, `lᵢ₊₁ = lᵢ ⊙ aᵢ`, and `rᵢ` is what is
//! combined to the right of element `i`. With `gᵢ` the adjoint that reaches `lᵢ ⊙ aᵢ`, `āᵢ += ∂(lᵢ ⊙ aᵢ)/∂aᵢᵀ · gᵢ`.
//! All `l` are a scan; of `g` the last is `ȳ`, and the others are the recurrence of the same scan, or are pulled back
//! through `rᵢ` (`recurrence`). Nothing is required of `e`: it is combined once, on the left, and is neutral or not, a
//! constant or not, `ē += ∂(e ⊙ a₀)/∂eᵀ · g₀`; to the right of the last element there is nothing. A sum gives its
//! adjoint to every element, an extremum to the first that attains it ("Reverse AD for a Functional Array Language",
//! *Differentiating an Arbitrary Reduce Operation*, whose rule takes `e` for neutral) (tests/transform/operators.rs,
//! laws: array_reductions).
//!
//! Of a product, `gᵢ` is `ȳ` times all elements to the right, which needs no division. So it is exact on integers, and
//! right at zeros to every order of differentiation; counting zeros is right to the first only.

use super::Reverse;
use super::combine::{Combined, exclusive, prefixes};
use super::forward::{Forward, Saved};
use crate::array::{Atom, IntegerRow, Op, Reduce, ScalarOp, Stm, Var, index};
use crate::optimise::operator::{Operator, recognise};
use crate::transform::copy::Copier;
use crate::transform::operator::{groups, part};
use crate::transform::target::Target;

impl Forward<'_, '_, '_> {
    /// Writes a reduction so that what the reverse sweep needs of it is there.
    pub(super) fn reduce_forward(&mut self, stm: &Stm, it: &Reduce) -> Saved {
        let target = self.copier.target;
        let arrays = self.copier.atoms(&it.arrays);
        let neutral = self.copier.atoms(&it.neutral);
        match recognise(&it.operator) {
            Operator::Extremum(op) => {
                let found = search(target, op, neutral[0], arrays[0]);
                self.copier.bind(stm, &found[..1]);
                return Saved::Winner(found[1]);
            }
            Operator::Sum | Operator::Elementwise(_) => {}
            Operator::Product | Operator::General => {
                let active: Vec<bool> = stm.vars.iter().map(|v| self.active.var(*v)).collect();
                let kind = |group: &Vec<usize>| recognise(&part(&it.operator, group));
                let scans = |group| matches!(kind(group), Operator::Product | Operator::General);
                let scalars = neutral.iter().all(|e| target.type_of(*e).rank == 0);
                if scalars && groups(&it.operator, &active).iter().any(scans) {
                    // The last prefix is the reduction.
                    let size = target.size(arrays[0], 0);
                    let upto = prefixes(self.copier, &it.operator, &neutral, &arrays);
                    let all: Vec<Atom> = upto.iter().zip(&neutral).map(|(u, e)| target.with_front(*e, *u)).collect();
                    let results: Vec<Atom> = all.iter().map(|a| target.at(*a, &[size])).collect();
                    self.copier.bind(stm, &results);
                    return Saved::Prefixes(upto);
                }
            }
        }
        self.copier.stm(stm);
        Saved::Nothing
    }
}

impl Reverse<'_, '_> {
    pub(super) fn reduce(&mut self, vars: &[Var], it: &Reduce, saved: &Saved) {
        for (group, seeds) in self.seeded_groups(vars, &it.operator) {
            let component = self.reduced(it, &group);
            if let Operator::Extremum(op) = recognise(&component.operator) {
                let Some(seed) = seeds[0] else { continue };
                let winner = if let Saved::Winner(winner) = saved {
                    *winner
                } else {
                    search(self.target, op, component.neutral[0], component.arrays[0])[1]
                };
                // No element has the number −1, so nothing is added if there is none.
                self.adjoints.add_at(&self.copier, it.arrays[group[0]], &[winner], seed, false);
                if component.starts[0] {
                    let first = where_none(self.target, winner, seed);
                    self.adjoints.add(&self.copier, it.neutral[group[0]], first);
                }
                continue;
            }
            let of_group = |upto: &Vec<Atom>| group.iter().map(|c| upto[*c]).collect();
            let known = if let Saved::Prefixes(upto) = saved { Some(of_group(upto)) } else { None };
            let found = self.reduction(&component, &seeds, known);
            self.add_group([&it.arrays, &it.neutral], &group, &found);
        }
    }

    /// The adjoints of what is reduced, and then of what it is combined with first. What is combined up to each element may
    /// be `known`.
    fn reduction(&mut self, it: &Combined, seeds: &[Option<Atom>], known: Option<Vec<Atom>>) -> Vec<Option<Atom>> {
        let target = self.target;
        let size = target.size(it.arrays[0], 0);
        // Without elements the result is what is combined first.
        let first = |c: usize| seeds[c].unwrap_or_else(|| target.zeros_like(it.neutral[c]));
        let without = || {
            let of_arrays = it.arrays.iter().map(|a| target.zeros_like(*a));
            of_arrays.chain((0..seeds.len()).map(first)).collect::<Vec<Atom>>()
        };
        match recognise(&it.operator) {
            Operator::Sum => {
                let spread = |((seed, array), wanted): ((&Option<Atom>, &Atom), &bool)| {
                    let seed = seed.filter(|_| *wanted)?;
                    // The sum of no rows has the sizes of what it starts from.
                    Some(target.shaped_like(target.one(Op::Replicate(size, seed)), *array))
                };
                let of_arrays = seeds.iter().zip(&it.arrays).zip(&it.wanted).map(spread);
                let of_firsts = seeds.iter().zip(&it.starts).map(|(seed, asked)| seed.filter(|_| *asked));
                of_arrays.chain(of_firsts).collect()
            }
            Operator::Extremum(op) => {
                let Some(seed) = seeds[0] else { return vec![None; 2] };
                let [_, winner] = search(self.target, op, it.neutral[0], it.arrays[0]);
                let acc = target.one(Op::ToAccumulator(target.zeros_like(it.arrays[0])));
                let acc = target.one(Op::Accumulate(acc, vec![winner], seed));
                vec![
                    Some(target.one(Op::FromAccumulator(acc))),
                    it.starts[0].then(|| where_none(self.target, winner, seed)),
                ]
            }
            Operator::Elementwise(inner) => self.where_any(it, &[size], &without(), |reverse| {
                reverse
                    .columns(it, inner, &[], seeds, |reverse, column, _, seeds| reverse.reduction(column, seeds, None))
            }),
            Operator::Product | Operator::General => self.where_any(it, &[size], &without(), |reverse| {
                let of = |copier: &mut Copier<'_, '_>| prefixes(copier, &it.operator, &it.neutral, &it.arrays);
                let upto = known.unwrap_or_else(|| of(&mut reverse.copier));
                let lefts = exclusive(target, &upto, &it.neutral, size);
                let reaching = reverse.starting_at_last(it, &lefts, &upto, seeds, size);
                let mut found = reverse.elements(it, &lefts, &reaching, None);
                found.extend(reverse.firsts(it, &reaching, first));
                found
            }),
        }
    }
}

/// The adjoint of what is combined first, if no element is the extremum.
fn where_none(target: &Target, winner: Atom, seed: Atom) -> Atom {
    let none = target.scalar(ScalarOp::Equal, &[winner, index(-1)]);
    target.choose(none, || vec![seed], || vec![target.zeros_like(seed)])[0]
}

/// The extremum, and the number of the first element that is, or −1 if that is what the reduction starts from. Where
/// all are NaN, that of the last. Two plain reductions are less work than one of pairs.
fn search(target: &Target, op: ScalarOp, neutral: Atom, array: Atom) -> [Atom; 2] {
    let of = target.type_of(neutral);
    let plain = |op: ScalarOp, from: Atom, array: Atom| {
        let of = target.type_of(from);
        let operator = target.lambda(&[of, of], |x| vec![target.scalar(op, x)]);
        target.one(Op::Reduce(Box::new(Reduce {
            operator,
            neutral: vec![from],
            arrays: vec![array],
            commutative: true,
        })))
    };
    let extremum = plain(op, neutral, array);
    let is = |x: Atom| target.scalar(ScalarOp::Equal, &[x, extremum]);
    let (size, nowhere) = (target.size(array, 0), index(i64::MAX));
    let places = target.map(&[array, target.iota(size)], |x| target.choose(is(x[0]), || vec![x[1]], || vec![nowhere]));
    let first = plain(ScalarOp::Integer(IntegerRow::Min), nowhere, places[0]);
    // Whoever computes in 32 bits has no place for what comes of that number, and needs none.
    let first = target.scalar(ScalarOp::Integer(IntegerRow::Min), &[first, size]);
    let mut winner = target.choose(is(neutral), || vec![index(-1)], || vec![first])[0];
    if of.prim.is_real() {
        let last = target.indices(ScalarOp::Add, size, index(-1));
        winner = target.choose(is(extremum), || vec![winner], || vec![last])[0];
    }
    [extremum, winner]
}
