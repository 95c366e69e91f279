//! The rule of `hist`, which is that of `reduce` for each bin.
//!
//! Law: a value whose bin does not exist receives 0. For sums a value receives the adjoint of its bin; for extrema the
//! first value that attains the bin's extremum receives it, or the bin's old content, which wins ties ("Reverse AD
//! for a functional array language", *differentiating reduce by index*). Other operators are taken one value after the
//! other, and for each the content of the bin before it is kept: memory and work as the values', at any order.

use super::Reverse;
use super::arrays::{from_end, read_within};
use crate::array::{Atom, Form, Hist, Loop, Op, Policy, Prim, Range, ScalarOp, Type, Var, index};
use crate::transform::operator::{Operator, numbered, recognise};

impl Reverse<'_, '_> {
    pub(super) fn hist(&mut self, vars: &[Var], it: &Hist) {
        let target = self.target;
        match recognise(&it.operator) {
            Operator::Sums => {
                let indices = self.copier.atom(it.indices);
                for (k, var) in vars.iter().enumerate() {
                    let Some(seed) = self.take(*var) else { continue };
                    if self.active.atom(it.values[k]) {
                        let inputs = [indices, self.copier.atom(it.values[k])];
                        let read =
                            target.map1(&inputs, |x| read_within(target, seed, &[x[0]], || target.zeros_like(x[1])));
                        self.add(it.values[k], read);
                    }
                    self.add(it.destinations[k], seed);
                }
            }
            operator @ (Operator::Smallest | Operator::Largest) => self.extrema(vars[0], it, operator),
            Operator::General => self.hist_any(vars, it),
        }
    }

    fn extrema(&mut self, var: Var, it: &Hist, operator: Operator) {
        let Some(seed) = self.take(var) else { return };
        let target = self.target;
        let (destination, values) = (self.copier.atom(it.destinations[0]), self.copier.atom(it.values[0]));
        let (neutral, indices) = (self.copier.atom(it.neutral[0]), self.copier.atom(it.indices));
        let numbers = target.iota(target.size(values, 0));
        let nobody = target.one(Op::Replicate(target.size(destination, 0), index(-1)));
        let search = Hist {
            operator: numbered(target, operator, neutral),
            neutral: vec![neutral, index(-1)],
            destinations: vec![destination, nobody],
            indices,
            values: vec![values, numbers],
        };
        let winners = target.emit(Op::Hist(Box::new(search)))[1];
        let zero = Atom::Const(target.type_of(neutral).prim.zero());
        if self.active.atom(it.values[0]) {
            let found = target.map1(&[indices, numbers], |x| {
                let winner = read_within(target, winners, &[x[0]], || index(-1));
                let won = target.scalar(ScalarOp::Equal, &[winner, x[1]]);
                target.choose(won, || vec![target.at(seed, &[x[0]])], || vec![zero])[0]
            });
            self.add(it.values[0], found);
        }
        if self.active.atom(it.destinations[0]) {
            let found = target.map1(&[winners, seed], |x| {
                let stayed = target.scalar(ScalarOp::Equal, &[x[0], index(-1)]);
                target.choose(stayed, || vec![x[1]], || vec![zero])[0]
            });
            self.add(it.destinations[0], found);
        }
    }

    fn hist_any(&mut self, vars: &[Var], it: &Hist) {
        let (target, k) = (self.target, vars.len());
        let seeds: Vec<Atom> = vars.iter().map(|v| self.take_or_zero(*v)).collect();
        let destinations = self.copier.atoms(&it.destinations);
        let (neutral, values) = (self.copier.atoms(&it.neutral), self.copier.atoms(&it.values));
        let size = target.size(destinations[0], 0);
        let indices = self.copier.atom(it.indices);
        let count = target.size(indices, 0);
        // One bin more takes the values that have none, and its adjoint is 0.
        let bins =
            target.map1(&[indices], |x| target.choose(target.within(x[0], size), || vec![x[0]], || vec![size])[0]);
        let with_one_more = |array: Atom, last: Atom| {
            let last = target.one(Op::Replicate(index(1), last));
            target.one(Op::Concat(vec![array, last]))
        };

        // Forwards again, keeping what each value met.
        let all = destinations.iter().zip(&neutral).map(|(d, e)| with_one_more(*d, *e));
        let met = values.iter().map(|v| target.zeros_like(*v));
        let fresh = |first: Atom| (target.fresh(target.type_of(first)), first);
        let params: Vec<(Var, Atom)> = all.chain(met).map(fresh).collect();
        let i = target.fresh(Type::scalar(Prim::I64));
        let body = target.body(|| {
            let now: Vec<Atom> = params.iter().map(|(param, _)| Atom::Var(*param)).collect();
            let (contents, met) = now.split_at(k);
            let bin = target.at(bins, &[i.into()]);
            let old: Vec<Atom> = contents.iter().map(|c| target.at(*c, &[bin])).collect();
            let value = values.iter().map(|v| target.at(*v, &[i.into()]));
            for (param, operand) in it.operator.params.iter().zip(old.iter().copied().chain(value)) {
                self.copier.set(*param, operand);
            }
            self.copier.stms(&it.operator.body.stms);
            let new = self.copier.atoms(&it.operator.body.results);
            let update = |array: &Atom, at: Atom, new: &Atom| target.one(Op::Update(*array, vec![at], *new));
            let mut results: Vec<Atom> = contents.iter().zip(&new).map(|(c, new)| update(c, bin, new)).collect();
            results.extend(met.iter().zip(&old).map(|(met, old)| update(met, i.into(), old)));
            results
        });
        let forwards = Loop { params, form: Form::For(i, count), body, policy: Policy::KeepAll };
        let met = target.emit(Op::Loop(Box::new(forwards))).split_off(k);

        let contents = seeds.iter().zip(&neutral).map(|(seed, e)| with_one_more(*seed, target.zeros_like(*e)));
        let initial: Vec<Atom> = contents.chain(values.iter().map(|v| target.zeros_like(*v))).collect();
        let function = &it.operator;
        let found = self.backwards(count, &initial, &[&function.body], &function.params, |reverse, j, carried| {
            let i = from_end(target, count, j);
            let bin = target.at(bins, &[i]);
            let (contents, stores) = carried.split_at(k);
            let arguments: Vec<Atom> = met.iter().chain(&values).map(|a| target.at(*a, &[i])).collect();
            let reaching: Vec<Option<Atom>> = contents.iter().map(|c| Some(target.at(*c, &[bin]))).collect();
            let found = reverse.pullback(function, &arguments, &reaching);
            let found = |c: usize| found[c].unwrap_or_else(|| target.zeros_like(arguments[c]));
            let update = |(c, array): (usize, &Atom)| {
                target.one(Op::Update(*array, vec![if c < k { bin } else { i }], found(c)))
            };
            contents.iter().chain(stores).enumerate().map(update).collect()
        });
        for c in 0..k {
            let inside = Range { start: index(0), count: size, step: index(1) };
            if self.active.atom(it.destinations[c]) {
                self.add(it.destinations[c], target.one(Op::Slice(found[c], vec![inside])));
            }
            self.add(it.values[c], found[k + c]);
        }
    }
}
