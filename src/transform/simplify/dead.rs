//! Dead code: statements, results, parameters and loop variables that no result of the program depends on.
//!
//! Law: what is left computes what the results need, and nothing else. Dependence is followed component by component
//! through maps, loops, branches and operators, so that one result of a combinator can go while others stay.

use rustc_hash::FxHashSet;

use crate::array::{Atom, Body, Form, Hist, Lambda, Loop, Map, Op, Program, Reduce, Stm, Var};
use crate::transform::flow::{atoms_in, bodies};

/// The program without what is not needed, if there is something.
pub(super) fn dead(program: &Program) -> Option<Program> {
    let needed = Needed::new(program);
    let body = needed.body(&program.function.body, |_| true);
    if body == program.function.body {
        return None;
    }
    let function = Lambda { params: program.function.params.clone(), body };
    Some(Program { types: program.types.clone(), names: program.names.clone(), function })
}

/// The variables that the results of a program depend on in any way.
struct Needed(FxHashSet<Var>);

impl Needed {
    fn new(program: &Program) -> Self {
        let mut needs: Vec<Vec<Var>> = vec![Vec::new(); program.types.len()];
        body_needs(&program.function.body, &mut |var, atom| {
            if let Atom::Var(on) = atom {
                needs[var.0 as usize].push(on);
            }
        });
        let mut needed = FxHashSet::default();
        let results = program.function.body.results.iter();
        let mut pending: Vec<Var> =
            results.filter_map(|a| if let Atom::Var(v) = a { Some(*v) } else { None }).collect();
        while let Some(var) = pending.pop() {
            if needed.insert(var) {
                pending.extend(&needs[var.0 as usize]);
            }
        }
        Needed(needed)
    }

    /// The body without what is not needed, and with those of its results that `keep` says.
    fn body(&self, body: &Body, keep: impl Fn(usize) -> bool) -> Body {
        let stms = body.stms.iter().filter(|stm| stm.vars.iter().any(|v| self.0.contains(v)));
        let results = body.results.iter().enumerate().filter(|(k, _)| keep(*k)).map(|(_, a)| *a);
        Body { stms: stms.map(|stm| self.stm(stm)).collect(), results: results.collect() }
    }

    fn stm(&self, stm: &Stm) -> Stm {
        let has = |v: &Var| self.0.contains(v);
        let needed = |k: usize| has(&stm.vars[k]);
        let (op, kept): (Op, Vec<bool>) = match &stm.op {
            Op::If(condition, yes, no) => (
                Op::If(*condition, self.body(yes, needed), self.body(no, needed)),
                (0..stm.vars.len()).map(needed).collect(),
            ),
            Op::Loop(it) => {
                let kept: Vec<bool> = it.params.iter().map(|(param, _)| has(param)).collect();
                let params = it.params.iter().zip(&kept).filter(|(_, kept)| **kept).map(|(p, _)| *p).collect();
                let form = match &it.form {
                    Form::For(i, bound) => Form::For(*i, *bound),
                    Form::While { condition, bound } => {
                        Form::While { condition: self.body(condition, |_| true), bound: *bound }
                    }
                };
                let body = self.body(&it.body, |k| kept[k]);
                (Op::Loop(Box::new(Loop { params, form, body, policy: it.policy })), kept)
            }
            Op::Map(map) => self.map(map, &stm.vars.iter().map(has).collect::<Vec<_>>()),
            Op::Reduce(it) => {
                let (it, kept) = self.reduce(it, &stm.vars);
                (Op::Reduce(Box::new(it)), kept)
            }
            Op::Scan(it) => {
                let (it, kept) = self.reduce(it, &stm.vars);
                (Op::Scan(Box::new(it)), kept)
            }
            Op::Hist(it) => {
                let (operator, kept) = self.operator(&it.operator, &stm.vars);
                let (neutral, values) = (pick(&it.neutral, &kept), pick(&it.values, &kept));
                let destinations = pick(&it.destinations, &kept);
                (Op::Hist(Box::new(Hist { operator, neutral, destinations, indices: it.indices, values })), kept)
            }
            op => return Stm { vars: stm.vars.clone(), op: op.clone() },
        };
        Stm { vars: pick(&stm.vars, &kept), op }
    }

    fn map(&self, map: &Map, wanted: &[bool]) -> (Op, Vec<bool>) {
        let (arrays, accumulators) = map.function.params.split_at(map.arrays.len());
        let mut inputs: Vec<bool> = arrays.iter().map(|p| self.0.contains(p)).collect();
        if !inputs.contains(&true) {
            // One array is left to say how long the map is.
            inputs[0] = true;
        }
        let values = wanted.len() - accumulators.len();
        let kept_accumulators = &wanted[values..];
        let params = [pick(arrays, &inputs), pick(accumulators, kept_accumulators)].concat();
        let function = Lambda { params, body: self.body(&map.function.body, |k| wanted[k]) };
        let accumulators = pick(&map.accumulators, kept_accumulators);
        let op = Op::Map(Box::new(Map { function, arrays: pick(&map.arrays, &inputs), accumulators }));
        (op, wanted.to_vec())
    }

    /// An operator without the components that are not needed, and which are.
    fn operator(&self, operator: &Lambda, vars: &[Var]) -> (Lambda, Vec<bool>) {
        let k = vars.len();
        let has = |v: &Var| self.0.contains(v);
        let kept: Vec<bool> =
            (0..k).map(|c| has(&vars[c]) || has(&operator.params[c]) || has(&operator.params[k + c])).collect();
        let (left, right) = operator.params.split_at(k);
        let params = [pick(left, &kept), pick(right, &kept)].concat();
        (Lambda { params, body: self.body(&operator.body, |c| kept[c]) }, kept)
    }

    fn reduce(&self, it: &Reduce, vars: &[Var]) -> (Reduce, Vec<bool>) {
        let (operator, kept) = self.operator(&it.operator, vars);
        let (neutral, arrays) = (pick(&it.neutral, &kept), pick(&it.arrays, &kept));
        (Reduce { operator, neutral, arrays, commutative: it.commutative }, kept)
    }
}

fn pick<T: Copy>(all: &[T], kept: &[bool]) -> Vec<T> {
    all.iter().zip(kept).filter(|(_, kept)| **kept).map(|(x, _)| *x).collect()
}

fn body_needs(body: &Body, need: &mut impl FnMut(Var, Atom)) {
    body.stms.iter().for_each(|stm| stm_needs(stm, need));
}

/// Says for each variable of a statement, and of its bodies, what it needs.
fn stm_needs(stm: &Stm, need: &mut impl FnMut(Var, Atom)) {
    let vars = &stm.vars;
    match &stm.op {
        Op::If(condition, yes, no) => {
            for (k, var) in vars.iter().enumerate() {
                [*condition, yes.results[k], no.results[k]].into_iter().for_each(|a| need(*var, a));
            }
        }
        Op::Loop(it) => {
            for (k, (param, initial)) in it.params.iter().enumerate() {
                need(vars[k], (*param).into());
                need(*param, *initial);
                need(*param, it.body.results[k]);
                match &it.form {
                    Form::For(_, bound) => need(*param, *bound),
                    Form::While { condition, bound } => {
                        bound.iter().chain(&condition.results).for_each(|a| need(*param, *a));
                    }
                }
            }
        }
        Op::Map(map) => {
            for (var, result) in vars.iter().zip(&map.function.body.results) {
                need(*var, *result);
                need(*var, map.arrays[0]);
            }
            let operands = map.arrays.iter().chain(&map.accumulators);
            map.function.params.iter().zip(operands).for_each(|(param, a)| need(*param, *a));
            let values = vars.len() - map.accumulators.len();
            vars[values..].iter().zip(&map.accumulators).for_each(|(var, a)| need(*var, *a));
        }
        Op::Reduce(it) | Op::Scan(it) => operator_needs(&it.operator, &[&it.neutral, &it.arrays], vars, need),
        Op::Hist(it) => {
            operator_needs(&it.operator, &[&it.neutral, &it.destinations, &it.values], vars, need);
            for var in vars.iter().chain(&it.operator.params) {
                need(*var, it.indices);
            }
        }
        Op::Custom(it) => {
            for var in vars {
                it.arguments.iter().for_each(|a| need(*var, *a));
                [&it.function, &it.pullback].into_iter().for_each(|f| atoms_in(&f.body, &mut |a| need(*var, a)));
            }
        }
        op => op.atoms(|a| vars.iter().for_each(|var| need(*var, a))),
    }
    if !matches!(stm.op, Op::Custom(_)) {
        bodies(&stm.op).into_iter().for_each(|(_, body)| body_needs(body, need));
    }
}

fn operator_needs(it: &Lambda, operands: &[&Vec<Atom>], vars: &[Var], need: &mut impl FnMut(Var, Atom)) {
    let k = vars.len();
    for (c, var) in vars.iter().enumerate() {
        for user in [*var, it.params[c], it.params[k + c]] {
            need(user, it.body.results[c]);
            operands.iter().for_each(|from| need(user, from[c]));
        }
    }
}
