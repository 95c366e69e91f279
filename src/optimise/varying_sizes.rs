//! Which arrays that loops carry may change their sizes.
//!
//! Law: a loop variable that this analysis does not report keeps its initial sizes in every iteration of every run
//! without an error. That all keep them is the first assumption, and those that are not seen to are removed from it
//! until it holds (a greatest fixed point). Sizes are compared as [sums](super::size_sums) of sizes and numbers, so
//! that an array put together of its parts has its size (tests/transform/sizes.rs).

use rustc_hash::{FxHashMap, FxHashSet};

use super::definitions::Facts;
use super::size_sums::Sums;
use crate::array::{Atom, Body, Extent, Form, Loop, Op, Program, Stm, Var, deeper};

/// The loop variables whose sizes may change.
pub(crate) fn resized(program: &Program) -> FxHashSet<Var> {
    if !carries_arrays(program, &program.function.body) {
        return FxHashSet::default();
    }
    let facts = Facts::of_sizes(program.types.len());
    let mut reader = Reader {
        program,
        facts,
        same: FxHashMap::default(),
        learnt: Vec::new(),
        resized: FxHashSet::default(),
        sums: Sums::default(),
    };
    program.function.params.iter().for_each(|param| reader.facts.bind(*param, program.type_of(*param), 0));
    reader.body(&program.function.body, 0);
    reader.resized
}

fn carries_arrays(program: &Program, body: &Body) -> bool {
    let is_array = |(param, _): &(Var, Atom)| program.type_of(*param).rank > 0;
    let here = |op: &Op| if let Op::Loop(it) = op { it.params.iter().any(is_array) } else { false };
    let inside = |op: &Op| op.bodies().any(|body| carries_arrays(program, body));
    deeper(|| body.stms.iter().any(|stm| here(&stm.op) || inside(&stm.op)))
}

struct Reader<'p> {
    program: &'p Program,
    facts: Facts,
    /// Sizes that have been compared where the reader is, and what each is the same as.
    same: FxHashMap<Extent, Extent>,
    /// The keys of `same`, in the order in which they were learnt.
    learnt: Vec<Extent>,
    resized: FxHashSet<Var>,
    /// What numbers and lengths are sums of.
    sums: Sums,
}

impl Reader<'_> {
    fn body(&mut self, body: &Body, depth: usize) {
        deeper(|| body.stms.iter().for_each(|stm| self.stm(stm, depth)));
    }

    fn find(&self, mut extent: Extent) -> Extent {
        while let Some(same) = self.same.get(&extent) {
            extent = *same;
        }
        extent
    }

    fn learn_same(&mut self, one: Extent, other: Extent) {
        let (mut one, mut other) = (self.find(one), self.find(other));
        if let Extent::Number(Atom::Const(_)) = one {
            // Sums are of constants, which stand for what is equal to them.
            (one, other) = (other, one);
        }
        if one != other {
            self.same.insert(one, other);
            self.learnt.push(one);
        }
    }

    /// Forgets the comparisons since `known` were known, and returns them.
    fn forget(&mut self, known: usize) -> Vec<(Extent, Extent)> {
        self.learnt.split_off(known).into_iter().filter_map(|one| Some((one, self.same.remove(&one)?))).collect()
    }

    fn are_same(&self, one: &[Extent], other: &[Extent]) -> bool {
        let sum = |extent: Extent| self.sums.of(&self.facts, extent).map(|extent| self.find(extent));
        one.iter().zip(other).all(|(a, b)| self.find(*a) == self.find(*b) || sum(*a).equals(&sum(*b)))
    }

    fn sizes(&self, array: Atom) -> Vec<Extent> {
        self.facts.extents(array).to_vec()
    }

    fn bind(&mut self, vars: &[Var], depth: usize) {
        vars.iter().for_each(|var| self.facts.bind(*var, self.program.type_of(*var), depth));
    }

    fn stm(&mut self, stm: &Stm, depth: usize) {
        let (program, known) = (self.program, self.learnt.len());
        // Of variables whose sizes are found here, the value that has the same.
        let mut like: Vec<(Var, Atom)> = Vec::new();
        match &stm.op {
            Op::If(_, yes, no) => {
                self.body(yes, depth + 1);
                let in_yes = self.forget(known);
                self.body(no, depth + 1);
                let pairs: Vec<_> = yes.results.iter().zip(&no.results).map(|(a, b)| (*a, *b)).collect();
                let agree = |reader: &Self| -> Vec<bool> {
                    pairs.iter().map(|(a, b)| reader.are_same(&reader.sizes(*a), &reader.sizes(*b))).collect()
                };
                // Where the one is taken and both are equal there, the result has the sizes of the other anyway.
                let as_in_yes = agree(self);
                self.forget(known);
                in_yes.into_iter().for_each(|(one, other)| self.learn_same(one, other));
                let as_in_no = agree(self);
                self.forget(known);
                for (k, (yes, no)) in pairs.into_iter().enumerate() {
                    if as_in_yes[k] {
                        like.push((stm.vars[k], yes));
                    } else if as_in_no[k] {
                        like.push((stm.vars[k], no));
                    }
                }
            }
            Op::Loop(it) => {
                let kept = self.repeat(it, depth);
                like.extend(kept.into_iter().map(|k| (stm.vars[k], it.params[k].1)));
            }
            Op::Map(map) => {
                self.facts.bind_map(&map.function.params, &map.arrays, &map.accumulators, depth);
                self.body(&map.function.body, depth + 1);
                self.forget(known);
                let lengths: Vec<Extent> = map.arrays.iter().map(|a| self.facts.extents(*a)[0]).collect();
                lengths[1..].iter().for_each(|length| self.learn_same(*length, lengths[0]));
            }
            Op::Reduce(it) | Op::Scan(it) => {
                self.bind(&it.operator.params, depth + 1);
                self.body(&it.operator.body, depth + 1);
                self.forget(known);
            }
            Op::Hist(it) => {
                self.bind(&it.operator.params, depth + 1);
                self.body(&it.operator.body, depth + 1);
                self.forget(known);
            }
            Op::Custom(it) => {
                for function in [&it.function, &it.pullback] {
                    self.bind(&function.params, depth + 1);
                    self.body(&function.body, depth + 1);
                    self.forget(known);
                }
            }
            Op::Agree(it) if it.times.is_empty() => {
                if let ([one], [other]) = (&it.first[..], &it.second[..]) {
                    let told = |extent: Extent| match extent {
                        Extent::Number(number) => self.facts.extent(number),
                        Extent::Of(array, dimension) => self.facts.extents(array)[dimension],
                    };
                    let (one, other) = (told(*one), told(*other));
                    self.learn_same(one, other);
                }
            }
            _ => {}
        }
        self.facts.learn(stm, |var| program.type_of(var), depth);
        self.sums.learn(&self.facts, stm);
        for (var, value) in like {
            for (dimension, extent) in self.sizes(value).into_iter().enumerate() {
                if self.facts.told(extent, depth) {
                    self.facts.refine(var, dimension, extent);
                }
            }
        }
    }

    /// Reads a loop, and returns which of its variables keep their sizes.
    fn repeat(&mut self, it: &Loop, depth: usize) -> Vec<usize> {
        let known = self.learnt.len();
        let mut kept: Vec<usize> = (0..it.params.len()).collect();
        loop {
            for (k, (param, initial)) in it.params.iter().enumerate() {
                if kept.contains(&k) {
                    self.facts.bind_like(*param, *initial, depth + 1);
                } else {
                    self.bind(&[*param], depth + 1);
                }
            }
            match &it.form {
                Form::For(i, _) => self.bind(&[*i], depth + 1),
                Form::While { condition, .. } => self.body(condition, depth + 1),
            }
            self.body(&it.body, depth + 1);
            let same = |k: &usize| self.are_same(&self.sizes(it.body.results[*k]), &self.sizes(it.params[*k].1));
            let still: Vec<usize> = kept.iter().copied().filter(same).collect();
            self.forget(known);
            if still.len() == kept.len() {
                let changed = (0..it.params.len()).filter(|k| !kept.contains(k));
                self.resized.extend(changed.map(|k| it.params[k].0));
                return kept;
            }
            kept = still;
        }
    }
}
