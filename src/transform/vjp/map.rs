//! The rule of `map`: a map over the same elements and the adjoints of the results.
//!
//! Law: `x̄ᵢ += ∂f(xᵢ)/∂xᵢ · ȳᵢ`. What each element contributes to a scalar from outside becomes a result, and is
//! summed; what it contributes to an array from outside goes to an accumulator, since any element may touch any place
//! of it ("Reverse AD for a Functional Array Language", *Differentiating Map General Case*); and so does what is
//! contributed to a part of a row of such an array. A map of which one element alone has an adjoint is differentiated
//! there alone, without a map: see sparse adjoints. Of results that are known already the elements are not computed
//! again (tests/transform/rules.rs, tests/transform/work.rs).

use super::Reverse;
use super::adjoints::{Adjoint, Adjoints};
use super::sparse::DENSE;
use crate::array::{Atom, Lambda, Map, Op, Type, Var};

impl Reverse<'_, '_> {
    pub(super) fn map(&mut self, vars: &[Var], map: &Map) {
        if self.map_once(vars, map) {
            return;
        }
        let values = vars.len() - map.accumulators.len();
        // The adjoint of an accumulator goes around the map: adding does not change it.
        let outer = self.adjoints.take_all(&self.copier, vars);
        for (accumulator, adjoint) in map.accumulators.iter().zip(&outer[values..]) {
            if let Some(adjoint) = adjoint {
                self.adjoints.add(&self.copier, *accumulator, *adjoint);
            }
        }
        let inputs = self.copier.atoms(&map.arrays);
        let function = &map.function;
        let told = |k: usize| match function.body.results[k] {
            Atom::Var(result) => self.copier.told(vars[k]).map(|array| (result, array)),
            Atom::Const(_) => None,
        };
        let (results, known): (Vec<Var>, Vec<Atom>) = (0..values).filter_map(told).unzip();
        let adjoints = outer[..values].iter().flatten();
        let arrays: Vec<Atom> = inputs.iter().chain(&known).chain(adjoints).copied().collect();
        // Of rows that are read in parts each part adds to the array itself, at the number of the row.
        let rows = self.adjoints.rows_in_parts(&self.copier, &self.known.parts, map);
        let is_wanted =
            |k: &usize| self.active.atom(map.arrays[*k]) && rows.iter().all(|(param, _)| *param != function.params[*k]);
        let wanted: Vec<usize> = (0..inputs.len()).filter(is_wanted).collect();
        let numbers = (!rows.is_empty()).then(|| self.target.iota(self.target.size(inputs[0], 0)));
        let arrays: Vec<Atom> = numbers.into_iter().chain(arrays).collect();
        let touched = self.adjoints.touched(&self.copier, &[&function.body], &function.params);
        let touched = self.adjoints.roots(touched.into_iter().chain(Adjoints::roots_of_rows(&rows)));
        let found = self.each(&arrays, touched, |reverse, elements| {
            let (number, elements) = elements.split_at(usize::from(numbers.is_some()));
            number.iter().for_each(|i| reverse.adjoints.enter_rows(&rows, *i));
            let (elements, rest) = elements.split_at(inputs.len());
            let (known, adjoints) = rest.split_at(results.len());
            results.iter().zip(known).for_each(|(var, element)| reverse.copier.tell(*var, *element));
            let mut adjoints = adjoints.iter().copied();
            let inside = outer[..values].iter().map(|a| a.and_then(|_| adjoints.next()));
            let seeds: Vec<Option<Atom>> = inside.chain(outer[values..].iter().copied()).collect();
            let found = reverse.pullback(function, elements, &seeds);
            results.iter().for_each(|var| reverse.copier.untell(*var));
            wanted.iter().map(|k| found[*k].unwrap_or_else(|| reverse.target.zeros_like(elements[*k]))).collect()
        });
        rows.iter().for_each(|(param, _)| self.adjoints.forget_view(*param));
        for (k, adjoint) in wanted.iter().zip(found) {
            self.adjoints.add(&self.copier, map.arrays[*k], adjoint);
        }
    }

    /// A map in which adjoints of these variables from outside are [added to](Self::touched); returns the results of
    /// `inside` alone.
    pub(super) fn each(
        &mut self,
        arrays: &[Atom],
        touched: Vec<Var>,
        inside: impl FnOnce(&mut Self, &[Atom]) -> Vec<Atom>,
    ) -> Vec<Atom> {
        let target = self.target;
        let is_scalar = |v: &Var| self.copier.source.type_of(*v).rank == 0;
        let (scalars, shared): (Vec<Var>, Vec<Var>) = touched.into_iter().partition(is_scalar);
        let before: Vec<Adjoint> = shared.iter().map(|v| self.adjoints.adjoint_or_zero(&self.copier, *v)).collect();
        let accumulators: Vec<Atom> = before
            .iter()
            .map(|adjoint| match adjoint {
                Adjoint::Value(value) => target.one(Op::ToAccumulator(*value)),
                Adjoint::Accumulator(acc) => *acc,
                Adjoint::Sparse(_) => panic!("{DENSE}"),
            })
            .collect();
        let mut types: Vec<Type> = arrays.iter().map(|a| target.type_of(*a).element()).collect();
        types.extend(accumulators.iter().map(|a| target.type_of(*a)));

        let around = self.adjoints.enter();
        let mut contributed: Vec<Var> = Vec::new();
        let mut own = 0;
        let function: Lambda = target.lambda(&types, |params| {
            let (elements, collectors) = params.split_at(arrays.len());
            for (v, acc) in shared.iter().zip(collectors) {
                self.adjoints.of.insert(*v, Adjoint::Accumulator(*acc));
            }
            let mut results = inside(self, elements);
            own = results.len();
            for v in &scalars {
                if let Some(contribution) = self.adjoints.take(&self.copier, *v) {
                    contributed.push(*v);
                    results.push(contribution);
                }
            }
            results.extend(shared.iter().map(|v| self.adjoints.of[v].atom()));
            results
        });
        self.adjoints.leave(around);

        let mut results = target.emit(Op::Map(Box::new(Map { function, arrays: arrays.to_vec(), accumulators })));
        let mut rest = results.split_off(own);
        let of_arrays = rest.split_off(contributed.len());
        for ((v, adjoint), acc) in shared.iter().zip(before).zip(of_arrays) {
            let after = match adjoint {
                Adjoint::Value(_) => Adjoint::Value(target.one(Op::FromAccumulator(acc))),
                Adjoint::Accumulator(_) => Adjoint::Accumulator(acc),
                Adjoint::Sparse(_) => panic!("{DENSE}"),
            };
            self.adjoints.of.insert(*v, after);
        }
        for (v, contributions) in contributed.iter().zip(rest) {
            self.adjoints.add(&self.copier, (*v).into(), target.sum(contributions));
        }
        results
    }

    /// The result of `inside`, while what it adds to adjoints is forgotten.
    pub(super) fn apart<T>(&mut self, inside: impl FnOnce(&mut Self) -> T) -> T {
        let around = self.adjoints.enter();
        let found = inside(self);
        self.adjoints.leave(around);
        found
    }
}
