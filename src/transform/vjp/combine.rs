//! What the rules of `reduce`, `scan` and `hist` share: each element has been combined with what is to its left.
//!
//! Law: if `lᵢ` was combined before element `aᵢ`, and the adjoint `gᵢ` reaches `lᵢ ⊙ aᵢ`, then
//! `āᵢ = ∂(lᵢ ⊙ aᵢ)/∂aᵢᵀ gᵢ`. An operator that works element by element on arrays is one operator on scalars for each
//! column: the rule is that of a map over columns ("Reverse AD for a Functional Array Language", *Special Cases of
//! Reduce & Multi-Reduce*) (tests/transform/operators.rs).

use super::Reverse;
use crate::array::{Atom, Lambda, Op, Rebuild, Reduce, ScalarOp, Type, Var, index};
use crate::transform::copy::Copier;
use crate::transform::operator::{applied, groups, part};
use crate::transform::target::Target;

/// Arrays that are combined by an operator: it is one of the program that is differentiated, what is combined first and
/// arrays are values of the program that is written.
#[derive(Clone)]
pub(super) struct Combined {
    pub(super) operator: Lambda,
    pub(super) neutral: Vec<Atom>,
    pub(super) arrays: Vec<Atom>,
    /// Of which arrays the adjoints are wanted.
    pub(super) wanted: Vec<bool>,
    /// Of which of what is combined first; empty for histograms, to whose meaning it does not belong.
    pub(super) starts: Vec<bool>,
}

/// What is before each element, from what is up to each and what is before all.
pub(super) fn exclusive(target: &Target, upto: &[Atom], neutral: &[Atom], size: Atom) -> Vec<Atom> {
    let one = |(upto, e): (&Atom, &Atom)| target.part(target.with_front(*e, *upto), index(0), size);
    upto.iter().zip(neutral).map(one).collect()
}

/// All prefixes combined by a copy of an operator.
pub(super) fn prefixes(copier: &mut Copier<'_, '_>, operator: &Lambda, neutral: &[Atom], arrays: &[Atom]) -> Vec<Atom> {
    let operator = copier.lambda(operator);
    copier.target.scan(operator, neutral.to_vec(), arrays.to_vec())
}

/// A copy of an operator with left and right exchanged.
pub(super) fn flipped(copier: &mut Copier<'_, '_>, operator: &Lambda) -> Lambda {
    let types: Vec<Type> = operator.params.iter().map(|p| copier.source.type_of(*p)).collect();
    copier.target.lambda(&types, |x| {
        let (left, right) = x.split_at(x.len() / 2);
        applied(copier, operator, right, left)
    })
}

impl Reverse<'_, '_> {
    /// The components of an operator whose results have adjoints, in groups that do not depend on each other, each with its adjoints.
    pub(super) fn seeded_groups(&mut self, vars: &[Var], operator: &Lambda) -> Vec<(Vec<usize>, Vec<Option<Atom>>)> {
        let seeds = self.adjoints.take_all(&self.copier, vars);
        let seeded: Vec<bool> = seeds.iter().map(Option::is_some).collect();
        let of = |group: Vec<usize>| {
            let seeds = group.iter().map(|c| seeds[*c]).collect();
            (group, seeds)
        };
        groups(operator, &seeded).into_iter().map(of).collect()
    }

    /// Adds the adjoints of a group of the first of two lists of operands, and then of the second.
    pub(super) fn add_group(&mut self, operands: [&[Atom]; 2], group: &[usize], found: &[Option<Atom>]) {
        let all = operands.into_iter().flat_map(|of| group.iter().map(|c| of[*c]));
        for (of, found) in all.zip(found) {
            found.iter().for_each(|found| self.adjoints.add(&self.copier, of, *found));
        }
    }

    /// A group of the components of a reduction or a scan.
    pub(super) fn reduced(&self, it: &Reduce, group: &[usize]) -> Combined {
        let starts = group.iter().map(|c| self.active.atom(it.neutral[*c])).collect();
        Combined { starts, ..self.combined(part(&it.operator, group), &it.neutral, &it.arrays, group) }
    }

    /// A group of the components of what is combined, where no adjoint of the neutral elements is wanted.
    pub(super) fn combined(&self, operator: Lambda, neutral: &[Atom], arrays: &[Atom], group: &[usize]) -> Combined {
        let pick = |atoms: &[Atom]| group.iter().map(|c| self.copier.atom(atoms[*c])).collect();
        let wanted = group.iter().map(|c| self.active.atom(arrays[*c])).collect();
        Combined { operator, neutral: pick(neutral), arrays: pick(arrays), wanted, starts: Vec::new() }
    }

    /// The adjoints of the elements, from what is to the left of each, and the adjoints that reach each combination. If
    /// it is said which elements are first, those have nothing to their left.
    pub(super) fn elements(
        &mut self,
        it: &Combined,
        lefts: &[Atom],
        reaching: &[Option<Atom>],
        first: Option<Atom>,
    ) -> Vec<Option<Atom>> {
        let (target, k) = (self.target, it.arrays.len());
        let wanted: Vec<usize> = (0..k).filter(|c| it.wanted[*c]).collect();
        let reached: Vec<Atom> = reaching.iter().flatten().copied().collect();
        let inputs: Vec<Atom> = first.iter().chain(lefts).chain(&it.arrays).chain(&reached).copied().collect();
        let bodies = [&it.operator.body];
        let touched = self.adjoints.touched(&self.copier, &bodies, &it.operator.params);
        let found = self.each(&inputs, touched, |reverse, x| {
            let (starts, x) = x.split_at(usize::from(first.is_some()));
            let (operands, reached) = x.split_at(2 * k);
            let mut reached = reached.iter().copied();
            let seeds: Vec<Option<Atom>> = reaching.iter().map(|r| r.and_then(|_| reached.next())).collect();
            let zero = |c: usize| target.zeros_like(operands[k + c]);
            let pulled = |reverse: &mut Self| -> Vec<Atom> {
                let found = reverse.pullback(&it.operator, operands, &seeds);
                wanted.iter().map(|c| found[k + c].unwrap_or_else(|| zero(*c))).collect()
            };
            match starts {
                [start] => reverse.either(
                    *start,
                    &bodies,
                    &it.operator.params,
                    |_| wanted.iter().map(|c| seeds[*c].unwrap_or_else(|| zero(*c))).collect(),
                    pulled,
                ),
                _ => pulled(reverse),
            }
        });
        let mut found = found.into_iter();
        it.wanted.iter().map(|wanted| if *wanted { found.next() } else { None }).collect()
    }

    /// The adjoints of what is combined first, `ē = ∂(e ⊙ a₀)/∂eᵀ g₀`, and `without` if there are no elements.
    pub(super) fn firsts(
        &mut self,
        it: &Combined,
        reaching: &[Option<Atom>],
        without: impl Fn(usize) -> Atom,
    ) -> Vec<Option<Atom>> {
        let (target, k) = (self.target, it.arrays.len());
        let wanted: Vec<usize> = (0..k).filter(|c| it.starts[*c]).collect();
        let mut all = vec![None; k];
        if wanted.is_empty() {
            return all;
        }
        let empty = target.scalar(ScalarOp::Equal, &[target.size(it.arrays[0], 0), index(0)]);
        let pulled = || {
            let first = |array: &Atom| target.at(*array, &[index(0)]);
            let operands: Vec<Atom> = it.neutral.iter().copied().chain(it.arrays.iter().map(first)).collect();
            let seeds: Vec<Option<Atom>> = reaching.iter().map(|reaching| reaching.as_ref().map(first)).collect();
            // What else the operator uses has its part of this from the first element.
            let found = self.apart(|reverse| reverse.pullback(&it.operator, &operands, &seeds));
            wanted.iter().map(|c| found[*c].unwrap_or_else(|| target.zeros_like(it.neutral[*c]))).collect()
        };
        let found = target.choose(empty, || wanted.iter().map(|c| without(*c)).collect(), pulled);
        wanted.iter().zip(found).for_each(|(c, found)| all[*c] = Some(found));
        all
    }

    /// The adjoints of arrays of rows, and then of what is combined first, where an operator works element by element:
    /// `inside` returns them for one column. It gets the column, and its part of other arrays of rows and of single
    /// rows; of these, some are not there.
    pub(super) fn columns(
        &mut self,
        it: &Combined,
        inner: Lambda,
        arrays: &[Option<Atom>],
        rows: &[Option<Atom>],
        inside: impl FnOnce(&mut Self, &Combined, &[Option<Atom>], &[Option<Atom>]) -> Vec<Option<Atom>>,
    ) -> Vec<Option<Atom>> {
        let (target, k) = (self.target, it.arrays.len());
        let turned = |array: Atom| {
            let mut order: Vec<usize> = (0..target.type_of(array).rank).collect();
            order.swap(0, 1);
            target.one(Op::Permute(array, order))
        };
        let columns = it.arrays.iter().chain(arrays.iter().flatten()).map(|a| turned(*a));
        let inputs: Vec<Atom> =
            columns.chain(it.neutral.iter().copied()).chain(rows.iter().flatten().copied()).collect();
        let bound: Vec<Var> = inner.params.clone();
        let body = inner.body.clone();
        let (wanted, starts) = (it.wanted.clone(), it.starts.clone());
        let touched = self.adjoints.touched(&self.copier, &[&body], &bound);
        let found = self.each(&inputs, touched, |reverse, x| {
            let mut x = x.iter().copied();
            let own: Vec<Atom> = x.by_ref().take(k).collect();
            let others: Vec<Option<Atom>> = arrays.iter().map(|a| a.and_then(|_| x.next())).collect();
            let neutral: Vec<Atom> = x.by_ref().take(k).collect();
            let rows: Vec<Option<Atom>> = rows.iter().map(|a| a.and_then(|_| x.next())).collect();
            let column = Combined { operator: inner, neutral, arrays: own, wanted, starts };
            let found = inside(reverse, &column, &others, &rows);
            let like = column.arrays.iter().chain(&column.neutral);
            let asked = column.wanted.iter().chain(&column.starts);
            let all = found.into_iter().zip(like).zip(asked).filter(|(_, asked)| **asked);
            all.map(|((found, like), _)| found.unwrap_or_else(|| target.zeros_like(*like))).collect()
        });
        let mut found = found.into_iter();
        let mut next = |asked: &bool| if *asked { found.next() } else { None };
        let mut all: Vec<Option<Atom>> = it.wanted.iter().map(|asked| next(asked).map(turned)).collect();
        all.extend(it.starts.iter().map(next));
        all
    }

    /// The results of `inside` where there are elements, and of `without` where there are none. Rows of an array
    /// without elements may be of any size, so only elements that are scalars need no such test.
    pub(super) fn where_any(
        &mut self,
        it: &Combined,
        sizes: &[Atom],
        without: &[Atom],
        inside: impl FnOnce(&mut Self) -> Vec<Option<Atom>>,
    ) -> Vec<Option<Atom>> {
        let target = self.target;
        if it.arrays.iter().all(|a| target.type_of(*a).rank == 1) {
            return inside(self);
        }
        let mut some = vec![false; without.len()];
        let empty = sizes
            .iter()
            .map(|size| target.scalar(ScalarOp::Equal, &[*size, index(0)]))
            .reduce(|a, b| target.scalar(ScalarOp::Add, &[a, b]))
            .expect("an array has a size");
        let operator = it.operator.clone();
        let found = self.either(
            empty,
            &[&operator.body],
            &operator.params,
            |_| without.to_vec(),
            |reverse| {
                let found = inside(reverse);
                some = found.iter().map(Option::is_some).collect();
                found.into_iter().zip(without).map(|(found, without)| found.unwrap_or(*without)).collect()
            },
        );
        found.into_iter().zip(some).map(|(found, some)| some.then_some(found)).collect()
    }
}
