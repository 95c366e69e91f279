//! The rule of `reduce`.
//!
//! Law: with `lᵢ` what was combined to the left of element `i` and `rᵢ` what is to its right, `y = lᵢ ⊙ aᵢ ⊙ rᵢ` and
//! `āᵢ += ∂(lᵢ ⊙ aᵢ ⊙ rᵢ)/∂aᵢ · ȳ`; all `l` and all `r` are two scans. A sum gives its adjoint to every element, an
//! extremum to the first that attains it ("Reverse AD for a functional array language", *differentiating reduce*).
//!
//! Products take the general rule, which for them is one product with `lᵢ rᵢ` and needs no division. So it is
//! exact on integers, and right at zeros to every order of differentiation; counting zeros is right to the first only.

use super::Reverse;
use super::arrays::from_end;
use crate::array::{Atom, Lambda, Op, Reduce, ScalarOp, Type, Var, index};
use crate::transform::operator::{Operator, numbered, recognise};

impl Reverse<'_, '_> {
    pub(super) fn reduce(&mut self, vars: &[Var], it: &Reduce) {
        let target = self.target;
        let seeds: Vec<Option<Atom>> = vars.iter().map(|v| self.take(*v)).collect();
        let arrays = self.copier.atoms(&it.arrays);
        let size = target.size(arrays[0], 0);
        match recognise(&it.operator) {
            Operator::Sums => {
                for (k, seed) in
                    seeds.iter().enumerate().filter(|(k, _)| self.active.atom(it.arrays[*k])).collect::<Vec<_>>()
                {
                    if let Some(seed) = seed {
                        self.add(it.arrays[k], target.one(Op::Replicate(size, *seed)));
                    }
                }
            }
            operator @ (Operator::Smallest | Operator::Largest) => {
                let Some(seed) = seeds[0] else { return };
                let neutral = self.copier.atom(it.neutral[0]);
                let search = Reduce {
                    operator: numbered(target, operator, neutral),
                    neutral: vec![neutral, index(-1)],
                    arrays: vec![arrays[0], target.iota(size)],
                    commutative: true,
                };
                let found = target.emit(Op::Reduce(Box::new(search)))[1];
                // No element has the number −1, so nothing is added if there is none.
                self.accumulate(it.arrays[0], |target, acc| target.one(Op::Accumulate(acc, vec![found], seed)));
            }
            Operator::General => self.reduce_any(it, &arrays, size, &seeds),
        }
    }

    fn reduce_any(&mut self, it: &Reduce, arrays: &[Atom], size: Atom, seeds: &[Option<Atom>]) {
        let (target, k) = (self.target, arrays.len());
        let neutral = self.copier.atoms(&it.neutral);
        let operator = self.copier.lambda(&it.operator);
        let prefixes = target.emit(Op::Scan(Box::new(Reduce {
            operator,
            neutral: neutral.clone(),
            arrays: arrays.to_vec(),
            commutative: false,
        })));
        let backwards: Vec<Atom> = arrays.iter().map(|a| target.one(Op::Reverse(*a))).collect();
        let operator = self.flipped(&it.operator);
        let scan = Reduce { operator, neutral: neutral.clone(), arrays: backwards, commutative: false };
        let suffixes = target.emit(Op::Scan(Box::new(scan)));

        let inputs = [&[target.iota(size)], &prefixes[..], arrays].concat();
        let wanted: Vec<usize> = (0..k).filter(|c| self.active.atom(it.arrays[*c])).collect();
        let function = &it.operator;
        let found = self.each(&inputs, &[&function.body], &function.params, |reverse, x| {
            let (i, upto, element) = (x[0], &x[1..=k], &x[k + 1..]);
            let left = reverse.before(&prefixes, &neutral, i);
            let right = reverse.before(&suffixes, &neutral, from_end(target, size, i));
            // What is combined here is differentiated here: all but the last step belongs to other elements.
            let passed = reverse.apart(|reverse| reverse.pullback(function, &[upto, &right].concat(), seeds));
            let found = reverse.pullback(function, &[&left[..], element].concat(), &passed[..k]);
            wanted.iter().map(|c| found[k + c].unwrap_or_else(|| target.zeros_like(element[*c]))).collect()
        });
        for (c, adjoint) in wanted.iter().zip(found) {
            self.add(it.arrays[*c], adjoint);
        }
    }

    /// What was combined before element `i`: the prefix that ends before it.
    pub(super) fn before(&self, prefixes: &[Atom], neutral: &[Atom], i: Atom) -> Vec<Atom> {
        let target = self.target;
        let first = target.scalar(ScalarOp::Equal, &[i, index(0)]);
        let last = || {
            let previous = target.indices(ScalarOp::Add, i, index(-1));
            prefixes.iter().map(|p| target.at(*p, &[previous])).collect()
        };
        target.choose(first, || neutral.to_vec(), last)
    }

    /// A copy of an operator with left and right exchanged.
    fn flipped(&mut self, operator: &Lambda) -> Lambda {
        let types: Vec<Type> = operator.params.iter().map(|p| self.copier.source.type_of(*p)).collect();
        let target = self.target;
        target.lambda(&types, |x| {
            let (left, right) = x.split_at(x.len() / 2);
            for (param, value) in operator.params.iter().zip(right.iter().chain(left)) {
                self.copier.set(*param, *value);
            }
            self.copier.stms(&operator.body.stms);
            self.copier.atoms(&operator.body.results)
        })
    }
}
