//! The sizes of all variables of a program, found in one pass over it.
//!
//! Law: the sizes that are found hold in every run without an error. A comparison of sizes introduces an equation, which holds
//! from there to the end of the body. What loops carry, and what operators combine, is first assumed to keep the sizes it
//! starts with; those that are not seen to are removed from the assumption until it holds (a greatest fixed point). Each
//! size leaves it at most once. A claim is met if it follows where the body of its variable ends
//! (laws: array_sizes::sizes_hold, tests/transform/sizes.rs, tests/array/sizes.rs).

use rustc_hash::{FxHashMap, FxHashSet};

use super::agree::{Extent, compared};
use super::iteration::Form;
use super::operation::Op;
use super::program::{Atom, Body, Lambda, Program, Stm, Var};
use super::size_sums::Sums;
use super::sizes::SizeTable;
use super::types::{Prim, Type};
use super::verify::deeper;
use super::visit::Nested;

/// What is said of a size of a variable.
#[derive(Debug, Clone, Copy)]
pub(super) struct Claim {
    pub(super) var: Var,
    pub(super) dimension: usize,
    pub(super) size: Extent,
    /// Whether it holds in every run without an error.
    pub(super) met: bool,
}

/// The sizes of the variables of a program, as they follow from its operations, and from equations if these are to be used.
/// Finds out which claims are met, which are in the order of their variables.
pub(super) fn sizes(program: &Program, equations: bool, claims: &mut [Claim]) -> SizeTable {
    let mut inference = Inference {
        program,
        equations,
        sizes: SizeTable::with_capacity(program.types.len()),
        same: FxHashMap::default(),
        learnt: Vec::new(),
        varying: FxHashSet::default(),
        sums: Sums::default(),
        claims,
    };
    let Lambda { params, body } = &program.function;
    params.iter().for_each(|param| inference.sizes.bind(*param, program.type_of(*param), 0));
    inference.body(params, body, 0);
    inference.sizes
}

struct Inference<'p, 'c> {
    program: &'p Program,
    equations: bool,
    sizes: SizeTable,
    /// Sizes that have been compared where the inference is, and what each is the same as.
    same: FxHashMap<Extent, Extent>,
    /// The keys of `same`, in the order in which they were learnt.
    learnt: Vec<Extent>,
    /// The dimensions of parameters that do not keep the sizes they start with.
    varying: FxHashSet<(Var, usize)>,
    /// What numbers and lengths are sums of.
    sums: Sums,
    claims: &'c mut [Claim],
}

/// A parameter, its first value, and its value after a step.
type Carried = (Var, Atom, Atom);

impl Inference<'_, '_> {
    /// Reads a body for which these parameters are bound.
    fn body(&mut self, params: &[Var], body: &Body, depth: usize) {
        deeper(|| body.stms.iter().for_each(|stm| self.stm(stm, depth)));
        if !self.claims.is_empty() {
            params.iter().chain(body.stms.iter().flat_map(|stm| &stm.vars)).for_each(|var| self.judge(*var));
        }
    }

    /// Finds out which claims on a variable are met, where its body ends.
    fn judge(&mut self, var: Var) {
        let mut k = self.claims.partition_point(|claim| claim.var < var);
        while let Some(Claim { dimension, size, .. }) = self.claims.get(k).filter(|claim| claim.var == var).copied() {
            self.claims[k].met = self.equal(self.sizes.of(var)[dimension], self.sizes.resolve(size));
            k += 1;
        }
    }

    /// Reads a body whose equations are not needed after it.
    fn inside(&mut self, function: &Lambda, depth: usize) {
        let known = self.learnt.len();
        self.body(&function.params, &function.body, depth + 1);
        self.forget(known);
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

    /// Forgets the equations since `known` were known, and returns them.
    fn forget(&mut self, known: usize) -> Vec<(Extent, Extent)> {
        self.learnt.split_off(known).into_iter().filter_map(|one| Some((one, self.same.remove(&one)?))).collect()
    }

    /// Whether two values have the same size in a dimension.
    fn agree(&self, one: Atom, other: Atom, dimension: usize) -> bool {
        let [one, other] = [one, other].map(|a| self.sizes.of(a)[dimension]);
        self.equal(one, other)
    }

    fn equal(&self, one: Extent, other: Extent) -> bool {
        let sum = |extent: Extent| self.sums.of(&self.sizes, extent).map(|extent| self.find(extent));
        self.find(one) == self.find(other) || sum(one).equals(&sum(other))
    }

    fn stm(&mut self, stm: &Stm, depth: usize) {
        let (program, vars) = (self.program, &stm.vars);
        if let Op::Scalar(..) = stm.op {
            self.sizes.learn(stm, |var| program.type_of(var), depth);
            if program.type_of(vars[0]) == Type::scalar(Prim::I64) {
                self.sums.learn(&self.sizes, stm);
            }
            return;
        }
        // Dimensions of variables whose sizes are found here, and the value that has the same.
        let mut like: Vec<(Var, usize, Atom)> = Vec::new();
        match &stm.op {
            Op::If(_, yes, no) => like = self.branches(vars, yes, no, depth),
            Op::Loop(it) => {
                let carried =
                    it.params.iter().zip(&it.body.results).map(|((param, first), after)| (*param, *first, *after));
                let carried: Vec<Carried> = carried.collect();
                let params: Vec<Var> = it.params.iter().map(|(param, _)| *param).collect();
                self.repeat(&stm.op, &carried, depth, |inference| {
                    if let Form::While { condition, .. } = &it.form {
                        inference.body(&[], condition, depth + 1);
                    }
                    inference.body(&params, &it.body, depth + 1);
                });
                like = self.kept(vars, &carried);
            }
            Op::Reduce(it) | Op::Scan(it) => {
                let carried = it.operator.params.iter().zip(&it.neutral).zip(&it.operator.body.results);
                let carried: Vec<Carried> = carried.map(|((param, first), after)| (*param, *first, *after)).collect();
                self.repeat(&stm.op, &carried, depth, |inference| {
                    inference.body(&it.operator.params, &it.operator.body, depth + 1);
                });
                if let Op::Reduce(_) = stm.op {
                    like = self.kept(vars, &carried);
                }
            }
            op => {
                self.sizes.bind_params(op, |var| program.type_of(var), depth);
                if let Nested::Functions(functions) = op.nested() {
                    functions.into_iter().for_each(|function| self.inside(function, depth));
                }
            }
        }
        let compared = if self.equations { compared(&stm.op, &self.sizes, |_| true) } else { Vec::new() };
        for (it, _) in compared {
            if let ([one], [other], []) = (&it.first[..], &it.second[..], &it.times[..]) {
                self.learn_same(*one, *other);
            }
        }
        self.sizes.learn(stm, |var| program.type_of(var), depth);
        self.sums.learn(&self.sizes, stm);
        for (var, dimension, value) in like {
            self.sizes.refine(var, dimension, self.sizes.of(value)[dimension], depth);
        }
    }

    /// Reads two branches, and returns which results have the sizes of which of theirs.
    fn branches(&mut self, vars: &[Var], yes: &Body, no: &Body, depth: usize) -> Vec<(Var, usize, Atom)> {
        let known = self.learnt.len();
        self.body(&[], yes, depth + 1);
        let in_yes = self.forget(known);
        self.body(&[], no, depth + 1);
        let mut results = Vec::new();
        for (var, (yes, no)) in vars.iter().zip(yes.results.iter().zip(&no.results)) {
            results.extend((0..self.sizes.of(*yes).len()).map(|d| (*var, d, *yes, *no)));
        }
        // Where the one is taken and both are equal there, the result has the sizes of the other anyway.
        let agree = |inference: &Self| results.iter().map(|(_, d, yes, no)| inference.agree(*yes, *no, *d)).collect();
        let as_in_yes: Vec<bool> = agree(self);
        self.forget(known);
        in_yes.into_iter().for_each(|(one, other)| self.learn_same(one, other));
        let as_in_no: Vec<bool> = agree(self);
        self.forget(known);
        let like = results.into_iter().enumerate().filter_map(|(k, (var, d, yes, no))| {
            if as_in_yes[k] { Some((var, d, yes)) } else { as_in_no[k].then_some((var, d, no)) }
        });
        like.collect()
    }

    /// Reads the bodies of a loop or of an operator until it is known which parameters keep their sizes.
    fn repeat(&mut self, op: &Op, carried: &[Carried], depth: usize, read: impl Fn(&mut Self)) {
        let (program, known) = (self.program, self.learnt.len());
        loop {
            self.sizes.bind_params(op, |var| program.type_of(var), depth);
            for (param, first, _) in carried {
                for d in 0..self.sizes.of(*first).len() {
                    if !self.varying.contains(&(*param, d)) {
                        self.sizes.refine(*param, d, self.sizes.of(*first)[d], depth);
                    }
                }
            }
            read(self);
            let before = self.varying.len();
            for (param, first, after) in carried {
                for d in 0..self.sizes.of(*first).len() {
                    if !self.agree(*first, *after, d) {
                        self.varying.insert((*param, d));
                    }
                }
            }
            self.forget(known);
            if self.varying.len() == before {
                return;
            }
        }
    }

    /// The results that have the sizes of first values.
    fn kept(&self, vars: &[Var], carried: &[Carried]) -> Vec<(Var, usize, Atom)> {
        let mut like = Vec::new();
        for (var, (param, first, _)) in vars.iter().zip(carried) {
            let dimensions = (0..self.sizes.of(*first).len()).filter(|d| !self.varying.contains(&(*param, *d)));
            like.extend(dimensions.map(|d| (*var, d, *first)));
        }
        like
    }
}
