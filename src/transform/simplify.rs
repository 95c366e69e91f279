//! Simplification: what is known while the program is copied, and then what is not needed.
//!
//! Law: the simplified program gives what the program gives, with no more work. Rewrites are exact, but for the sign
//! of a zero sum; an operation that is not needed is not executed, so an error it would have been is not reported.

use rustc_hash::FxHashSet;

use super::copy::Copier;
use super::flow::{atoms_in, bodies};
use super::target::Target;
use crate::array::{
    Atom, Body, Const, Form, Hist, IntegerRow, Lambda, Loop, Map, Op, Program, Reduce, ScalarOp, Stm, Var,
};
use crate::primitives::Primitive;

/// The program, simplified.
pub(super) fn simplify(program: &Program) -> Program {
    let target = Target::new();
    let mut copier = Copier::folding(program, &target, fold);
    for (param, name) in program.function.params.iter().zip(&program.names) {
        copier.set(*param, target.parameter(name.clone(), program.type_of(*param)));
    }
    copier.stms(&program.function.body.stms);
    let results = copier.atoms(&program.function.body.results);
    let mut folded = target.finish(results);
    let needed = Needed::new(&folded);
    folded.function.body = needed.body(&folded.function.body, |_| true);
    folded
}

/// The value of a scalar operation, where an operand says that there is nothing to do.
fn fold(op: ScalarOp, x: &[Atom]) -> Option<Atom> {
    let is = |k: usize, of: fn(Const) -> Const| matches!(x[k], Atom::Const(c) if c == of(c));
    let (zero, one) = (|k| is(k, |c| c.prim().zero()), |k| is(k, |c| c.prim().one()));
    match op {
        ScalarOp::Add if zero(0) => Some(x[1]),
        ScalarOp::Add | ScalarOp::Row(Primitive::Sub) | ScalarOp::Integer(IntegerRow::Sub) if zero(1) => Some(x[0]),
        ScalarOp::Mul | ScalarOp::Scale if one(0) => Some(x[1]),
        ScalarOp::Mul | ScalarOp::Scale | ScalarOp::Row(Primitive::Div) if one(1) => Some(x[0]),
        ScalarOp::Scale if zero(0) => Some(x[0]),
        ScalarOp::Row(Primitive::Select) if zero(0) => Some(x[2]),
        ScalarOp::Row(Primitive::Select) if one(0) => Some(x[1]),
        // Integers and truth values have exact arithmetic.
        _ => constants(op, x),
    }
}

fn constants(op: ScalarOp, x: &[Atom]) -> Option<Atom> {
    let numbers: Vec<i64> =
        x.iter().map(|a| if let Atom::Const(Const::I64(n)) = a { Some(*n) } else { None }).collect::<Option<_>>()?;
    let value = match op {
        ScalarOp::Add => Const::I64(numbers[0].wrapping_add(numbers[1])),
        ScalarOp::Mul => Const::I64(numbers[0].wrapping_mul(numbers[1])),
        ScalarOp::Integer(row) => Const::I64(row.value_i64(&numbers)?),
        ScalarOp::Equal => Const::Bool(numbers[0] == numbers[1]),
        ScalarOp::Less => Const::Bool(numbers[0] < numbers[1]),
        ScalarOp::LessOrEqual => Const::Bool(numbers[0] <= numbers[1]),
        ScalarOp::Scale | ScalarOp::Row(_) | ScalarOp::Not | ScalarOp::Convert(_) => return None,
    };
    Some(Atom::Const(value))
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
