//! Forward mode as a transformation: every statement is followed by that of its tangent.
//!
//! Law: `jvp` computes `(f x, J ẋ)`. Scalars have the partial derivatives of the tables; combinators take values and
//! tangents side by side, and operators become operators on dual numbers ("Reverse AD for a Functional Array Language",
//! *Forward Mode: Dual Numbers*). Variables that no parameter reaches have no tangent (laws: array_derivatives,
//! laws: array_exact).

use smallvec::SmallVec;

use super::check::{DIFFERENTIABLE, Mode, check};
use super::copy::{Copier, spans_of_results};
use super::flow::Active;
use super::partials::{ByOperand, of_rule, partials};
use super::target::{GROWTH, Target};
use super::vjp::Reverse;
use crate::array::{
    Agreement, Atom, Body, Custom, Foreign, Hist, Lambda, Loop, Map, Op, Program, Rebuild, Reduce, Role, ScalarOp, Stm,
    Var, atoms_mut, has_bodies,
};
use crate::error::{Result, Span};
use crate::optimise::operator::{Operator, recognise};

/// The program with tangents of results as further results, for the tangents that `seed` writes for the parameters at
/// these positions, given the parameters.
pub(super) fn jvp(
    program: &Program,
    by: &[usize],
    mut seed: impl FnMut(&Target, usize, Atom) -> Atom,
) -> Result<Program> {
    let active = Active::forward(program, by);
    check(program, &active, Mode::Forward)?;
    let target = Target::of(GROWTH * program.types.len());
    let mut forward = Forward {
        copier: Copier::given(program, &target, &target.parameters(program)),
        target: &target,
        active: &active,
        tangents: vec![None; program.types.len()],
    };
    let function = &program.function;
    for k in by {
        let param = function.params[*k];
        let value = forward.copier.atom(param.into());
        let tangent = seed(&target, *k, value);
        target.agree(Agreement::Tangent, tangent, value);
        forward.set(param, tangent);
    }
    forward.stms(&function.body.stms);
    let mut results = forward.copier.atoms(&function.body.results);
    let made_at = spans_of_results(&function.body);
    for result in &function.body.results {
        target.span(made_at.get(result).copied().unwrap_or(Span::UNKNOWN));
        results.push(forward.tangent(*result));
    }
    Ok(target.finish(results))
}

/// The sweep over a program.
struct Forward<'p, 't> {
    copier: Copier<'p, 't>,
    target: &'t Target,
    active: &'t Active,
    /// By the number of the variable.
    tangents: Vec<Option<Atom>>,
}

impl Forward<'_, '_> {
    /// The tangent of an operand, if it has one.
    fn known(&self, atom: Atom) -> Option<Atom> {
        match atom {
            Atom::Var(var) => self.tangents[var.0 as usize],
            Atom::Const(_) => None,
        }
    }

    /// The tangent of an operand.
    fn tangent(&self, atom: Atom) -> Atom {
        self.known(atom).unwrap_or_else(|| self.zero(atom))
    }

    fn zero(&self, atom: Atom) -> Atom {
        let value = self.copier.atom(atom);
        if self.target.type_of(value).accumulator {
            panic!("an accumulator that is not differentiated has no tangent");
        }
        self.target.zeros_like(value)
    }

    fn stms(&mut self, stms: &[Stm]) {
        for stm in stms {
            if stm.vars.iter().any(|v| self.active.var(*v)) {
                let around = self.target.span(if has_bodies(&stm.op) { stm.span } else { stm.span.derivative() });
                self.statement(stm);
                self.target.span(around);
            } else {
                self.copier.stm(stm);
            }
        }
    }

    /// Which of these have tangents.
    fn felt(&self, vars: impl IntoIterator<Item = Var>) -> Vec<usize> {
        vars.into_iter().enumerate().filter(|(_, v)| self.active.var(*v)).map(|(k, _)| k).collect()
    }

    fn set(&mut self, var: Var, tangent: Atom) {
        self.tangents[var.0 as usize] = Some(tangent);
    }

    /// New variables for parameters and then for the tangents of some of them.
    fn parameters(&mut self, params: &[Var], felt: &[usize]) -> Vec<Var> {
        let mut fresh: Vec<Var> = params.iter().map(|param| self.copier.parameter(*param)).collect();
        for k in felt {
            let tangent = self.target.fresh(self.copier.source.type_of(params[*k]));
            self.set(params[*k], tangent.into());
            fresh.push(tangent);
        }
        fresh
    }

    /// The statements of a body, and its results, then the tangents of some of them.
    fn results(&mut self, body: &Body, felt: &[usize]) -> Vec<Atom> {
        self.stms(&body.stms);
        let mut results = self.copier.atoms(&body.results);
        results.extend(felt.iter().map(|k| self.tangent(body.results[*k])));
        results
    }

    fn body(&mut self, body: &Body, felt: &[usize]) -> Body {
        let target = self.target;
        target.body(|| self.results(body, felt))
    }

    /// Operands, and then the tangents of some of them.
    fn operands(&self, atoms: &[Atom], felt: &[usize]) -> Vec<Atom> {
        let mut operands = self.copier.atoms(atoms);
        operands.extend(felt.iter().map(|k| self.tangent(atoms[*k])));
        operands
    }

    /// Names results: of all variables, and then tangents of some of them.
    fn bind(&mut self, vars: &[Var], felt: &[usize], results: &[Atom]) {
        vars.iter().zip(results).for_each(|(var, value)| self.copier.set(*var, *value));
        felt.iter().zip(&results[vars.len()..]).for_each(|(k, tangent)| self.set(vars[*k], *tangent));
    }

    /// A statement some of whose results have tangents.
    fn statement(&mut self, stm: &Stm) {
        let target = self.target;
        let felt = self.felt(stm.vars.iter().copied());
        match &stm.op {
            Op::Scalar(op, operands) => self.scalar(stm, *op, operands),
            Op::If(condition, yes, no) => {
                let (yes, no) = (Box::new(self.body(yes, &felt)), Box::new(self.body(no, &felt)));
                let results = target.emit(Op::If(self.copier.atom(*condition), yes, no));
                self.bind(&stm.vars, &felt, &results);
            }
            Op::Loop(it) => self.of_loop(stm, it),
            Op::Map(map) => self.map(stm, map),
            Op::Reduce(it) | Op::Scan(it) => self.reduce(stm, it),
            Op::Hist(it) => self.hist(stm, it),
            Op::Custom(it) => self.custom(stm, it),
            Op::Foreign(it) => self.foreign(stm, it),
            Op::Copy(a) => {
                self.copier.stm(stm);
                self.set(stm.vars[0], self.tangent(*a));
            }
            op => {
                self.copier.stm(stm);
                let tangent = target.one(self.moved(op));
                self.set(stm.vars[0], tangent);
            }
        }
    }

    fn scalar(&mut self, stm: &Stm, op: ScalarOp, operands: &[Atom]) {
        self.copier.stm(stm);
        let asked = |i: usize| self.known(operands[i]).is_some();
        let factors = partials(self.target, op, &self.copier.operands(operands), asked);
        self.pushed(stm, operands, factors);
    }

    fn foreign(&mut self, stm: &Stm, it: &Foreign) {
        self.copier.stm(stm);
        let rule = it.function.as_rule().expect(DIFFERENTIABLE);
        let (x, z) = (self.copier.atoms(&it.arguments), self.copier.atom(stm.vars[0].into()));
        let factors = of_rule(self.target, rule, &x, z, |i| self.known(it.arguments[i]).is_some());
        self.pushed(stm, &it.arguments, factors);
    }

    /// The tangent of a scalar, from those of operands.
    fn pushed(&mut self, stm: &Stm, operands: &[Atom], factors: ByOperand<Atom>) {
        let target = self.target;
        let parts = operands.iter().zip(factors).filter_map(|(operand, partial)| {
            let tangent = self.known(*operand)?;
            partial?.push(target, tangent)
        });
        let zero = Atom::Const(self.copier.source.type_of(stm.vars[0]).prim.zero());
        let tangent = parts.reduce(|a, b| target.add(a, b)).unwrap_or(zero);
        self.set(stm.vars[0], tangent);
    }

    /// An operation that moves data, on tangents: it is linear in what goes into its result, and does not depend on the rest.
    fn moved(&self, op: &Op) -> Op {
        let mut operands: SmallVec<[Atom; 8]> = SmallVec::new();
        op.operands(|atom, role| {
            let goes_in = matches!(role, Role::Value | Role::Destination);
            operands.push(if goes_in { self.tangent(atom) } else { self.copier.atom(atom) });
        });
        let (mut op, mut operands) = (op.clone(), operands.into_iter());
        atoms_mut(&mut op, &mut |atom| *atom = operands.next().expect("an operation has the same operands twice"));
        op
    }

    fn of_loop(&mut self, stm: &Stm, it: &Loop) {
        let params: Vec<Var> = it.params.iter().map(|(param, _)| *param).collect();
        let felt = self.felt(params.iter().copied());
        let initial: Vec<Atom> = it.params.iter().map(|(_, a)| *a).collect();
        let initial = self.operands(&initial, &felt);
        let params = self.parameters(&params, &felt).into_iter().zip(initial).collect();
        let form = self.copier.form(it);
        let body = self.body(&it.body, &felt);
        let results = self.target.emit(Op::Loop(Box::new(Loop { params, form, body, policy: it.policy })));
        self.bind(&stm.vars, &felt, &results);
    }

    fn map(&mut self, stm: &Stm, map: &Map) {
        let (arrays, accumulators) = map.function.params.split_at(map.arrays.len());
        let (of_arrays, of_accumulators) = (self.felt(arrays.iter().copied()), self.felt(accumulators.iter().copied()));
        let values = stm.vars.len() - accumulators.len();
        let of_values = self.felt(stm.vars[..values].iter().copied());
        let inputs = self.operands(&map.arrays, &of_arrays);
        let through = self.operands(&map.accumulators, &of_accumulators);
        let mut params = self.parameters(arrays, &of_arrays);
        params.extend(self.parameters(accumulators, &of_accumulators));
        let body = self.target.body(|| {
            self.stms(&map.function.body.stms);
            let (out, through) = map.function.body.results.split_at(values);
            [self.operands(out, &of_values), self.operands(through, &of_accumulators)].concat()
        });
        let function = Lambda { params, body };
        let out = self.target.emit(Op::Map(Box::new(Map { function, arrays: inputs, accumulators: through })));
        let (out, through) = out.split_at(values + of_values.len());
        self.bind(&stm.vars[..values], &of_values, out);
        self.bind(&stm.vars[values..], &of_accumulators, through);
    }

    /// An operator on dual numbers: left values and tangents, then right ones.
    fn dual(&mut self, operator: &Lambda, felt: &[usize]) -> Lambda {
        let k = operator.params.len() / 2;
        let (left, right) = operator.params.split_at(k);
        let params = [self.parameters(left, felt), self.parameters(right, felt)].concat();
        Lambda { params, body: self.body(&operator.body, felt) }
    }

    fn reduce(&mut self, stm: &Stm, it: &Reduce) {
        let felt = self.felt(stm.vars.iter().copied());
        let is_scan = matches!(stm.op, Op::Scan(_));
        let emit = |it: Reduce, target: &Target| {
            target.emit(if is_scan { Op::Scan(Box::new(it)) } else { Op::Reduce(Box::new(it)) })
        };
        if let ([_], Operator::Sum) = (&stm.vars[..], recognise(&it.operator)) {
            // A sum is linear: the tangent is a sum of its own.
            self.copier.stm(stm);
            self.target.span(stm.span.derivative());
            let operator = self.copier.lambda(&it.operator);
            let (neutral, arrays) = (vec![self.tangent(it.neutral[0])], vec![self.tangent(it.arrays[0])]);
            let sum = emit(Reduce { operator, neutral, arrays, commutative: it.commutative }, self.target);
            self.set(stm.vars[0], sum[0]);
            return;
        }
        let (neutral, arrays) = (self.operands(&it.neutral, &felt), self.operands(&it.arrays, &felt));
        let operator = self.dual(&it.operator, &felt);
        let results = emit(Reduce { operator, neutral, arrays, commutative: it.commutative }, self.target);
        self.bind(&stm.vars, &felt, &results);
    }

    fn hist(&mut self, stm: &Stm, it: &Hist) {
        let felt = self.felt(stm.vars.iter().copied());
        let (destinations, values) = (self.operands(&it.destinations, &felt), self.operands(&it.values, &felt));
        // Not part of the meaning of a histogram, and so without a tangent.
        let mut neutral = self.copier.atoms(&it.neutral);
        neutral.extend(felt.iter().map(|k| self.zero(it.neutral[*k])));
        let indices = self.copier.atom(it.indices);
        let operator = self.dual(&it.operator, &felt);
        let hist = Hist { operator, neutral, destinations, indices, values };
        let results = self.target.emit(Op::Hist(Box::new(hist)));
        self.bind(&stm.vars, &felt, &results);
    }

    /// The pullback is linear in the adjoints, `x̄ = Jᵀ ȳ`; its own pullback from `x̄` to `ȳ` is `J`.
    fn custom(&mut self, stm: &Stm, it: &Custom) {
        self.copier.stm(stm);
        self.target.span(stm.span.derivative());
        let target = self.target;
        let (pullback, outside) = self.copier.source.function_alone(&it.pullback);
        let adjoints: Vec<usize> = it.adjoints().collect();
        let active = Active::both(&pullback, &adjoints);
        let mut arguments = self.copier.atoms(&it.arguments);
        let values: Vec<Atom> = stm.vars.iter().map(|v| self.copier.atom((*v).into())).collect();
        arguments.extend(&values);
        arguments.extend(values.iter().map(|v| target.zeros_like(*v)));
        arguments.extend(outside.into_iter().map(|v| self.copier.atom(v.into())));
        let seeds: Vec<Option<Atom>> = it.arguments.iter().map(|a| self.known(*a)).collect();
        let mut reverse = Reverse::new(&pullback, target, &active);
        let found = reverse.pullback(&pullback.function, &arguments, &seeds);
        for (seed, adjoint) in seeds.iter().zip(&pullback.function.body.results) {
            if let Some(seed) = seed {
                target.agree(Agreement::Adjoint, reverse.copier.atom(*adjoint), *seed);
            }
        }
        for ((var, value), adjoint) in stm.vars.iter().zip(values).zip(adjoints) {
            self.set(*var, found[adjoint].unwrap_or_else(|| target.zeros_like(value)));
        }
    }
}
