//! Extrema that are taken out of exponents and put back, which no result depends on.
//!
//! Law: with an extremum `m` moved by `t` and all else as it is, a value `u` that is followed becomes `u + kt` or `u·exp(kt)`. Where `k`
//! is 0 for all that is made of `m`, the derivative by `m` is 0: `m + log Σ exp(xᵢ − m)` and `exp(xᵢ − m) / Σ exp(xᵢ − m)` are the same
//! for every `m`. What `m` is of is then differentiated by elsewhere, and what finds its place is not needed. It is what is written by
//! hand as a constant, such as by `stop_gradient` in `jax.nn.logsumexp` (tests/transform/shifts.rs, tests/transform/work.rs).

use rustc_hash::FxHashMap;

use super::partials::depends;
use crate::array::{Atom, Body, Class, Op, Program, Role, ScalarOp, Stm, Var, deeper, free};
use crate::optimise::operator::{Operator, recognise};
use crate::primitives::Primitive;

/// How a value goes with an extremum.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Follows {
    of: Var,
    form: Form,
    /// The `k` of the law, which is not 0.
    times: f64,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Form {
    Moved,
    Scaled,
}

/// The extrema that no result depends on.
#[derive(Default)]
pub(super) struct Cancelled {
    /// How deep the scope of each is.
    depths: FxHashMap<Var, usize>,
    follows: FxHashMap<Var, Follows>,
    depth: usize,
}

impl Cancelled {
    pub(super) fn of(program: &Program) -> Self {
        let mut found = Cancelled::default();
        found.body(&program.function.body);
        found
    }

    pub(super) fn contains(&self, var: Var) -> bool {
        self.depths.contains_key(&var)
    }

    fn how(&self, atom: Atom) -> Option<Follows> {
        self.follows.get(&atom.var()?).filter(|how| self.contains(how.of)).copied()
    }

    fn set(&mut self, var: Var, how: Option<Follows>) {
        self.follows.extend(how.filter(|how| how.times != 0.0).map(|how| (var, how)));
    }

    /// Something else may depend on what this is made of.
    fn lose(&mut self, atom: Atom) {
        if let Some(how) = self.how(atom) {
            self.depths.remove(&how.of);
        }
    }

    fn body(&mut self, body: &Body) {
        self.depth += 1;
        for stm in &body.stms {
            self.statement(stm);
            if is_extremum(&stm.op) {
                self.depths.insert(stm.vars[0], self.depth);
                self.set(stm.vars[0], Some(Follows { of: stm.vars[0], form: Form::Moved, times: 1.0 }));
            }
        }
        // What leaves the scope of an extremum is followed no further.
        for result in &body.results {
            if self.how(*result).is_some_and(|how| self.depths[&how.of] == self.depth) {
                self.lose(*result);
            }
        }
        self.depth -= 1;
    }

    fn statement(&mut self, stm: &Stm) {
        match &stm.op {
            Op::Scalar(op, operands) => {
                let felt = operands.iter().enumerate().filter(|(k, _)| depends(*op, *k));
                let hows: Vec<Option<Follows>> = felt.clone().map(|(_, operand)| self.how(*operand)).collect();
                let Some(first) = hows.iter().flatten().next().copied() else { return };
                let known = hows.iter().flatten().all(|how| how.of == first.of);
                match scalar(*op, operands, &hows).filter(|_| known && hows.len() == operands.len()) {
                    Some((form, times)) => self.set(stm.vars[0], Some(Follows { of: first.of, form, times })),
                    None => operands.iter().for_each(|operand| self.lose(*operand)),
                }
            }
            Op::Map(map) if map.accumulators.is_empty() => {
                for (param, array) in map.function.params.iter().zip(&map.arrays) {
                    self.set(*param, self.how(*array));
                }
                deeper(|| self.body(&map.function.body));
                for (var, result) in stm.vars.iter().zip(&map.function.body.results) {
                    self.set(*var, self.how(*result));
                }
            }
            Op::Reduce(it) if recognise(&it.operator) == Operator::Sum && is_zero(it.neutral[0]) => {
                match self.how(it.arrays[0]) {
                    Some(how) if how.form == Form::Scaled => self.set(stm.vars[0], Some(how)),
                    _ => self.lose(it.arrays[0]),
                }
            }
            op if matches!(op.class(), Class::View | Class::Generator) => {
                let (mut all, mut parts): (Vec<Option<Follows>>, Vec<Atom>) = Default::default();
                op.operands(|atom, role| {
                    if role == Role::Value {
                        all.push(self.how(atom));
                        parts.push(atom);
                    }
                });
                match all.first() {
                    Some(first) if all.iter().all(|how| how == first) => self.set(stm.vars[0], *first),
                    _ => parts.into_iter().for_each(|part| self.lose(part)),
                }
            }
            op => {
                free(op).into_iter().for_each(|var| self.lose(var.into()));
                if matches!(op, Op::Map(_) | Op::If(..) | Op::Loop(_)) {
                    op.bodies().for_each(|body| deeper(|| self.body(body)));
                }
            }
        }
    }
}

/// How the result of an operation goes with what its operands go with, if that can be said.
fn scalar(op: ScalarOp, operands: &[Atom], hows: &[Option<Follows>]) -> Option<(Form, f64)> {
    let moved = |k: usize| match hows[k] {
        None => Some(0.0),
        Some(how) => (how.form == Form::Moved).then_some(how.times),
    };
    let scaled = |k: usize| match hows[k] {
        None => Some(0.0),
        Some(how) => (how.form == Form::Scaled).then_some(how.times),
    };
    let literal = |k: usize| match operands[k] {
        Atom::Const(c) => c.real(),
        Atom::Var(_) => None,
    };
    let same = || hows[0].filter(|how| hows.iter().all(|other| *other == Some(*how))).map(|how| (how.form, how.times));
    match op {
        ScalarOp::Add | ScalarOp::Row(Primitive::Sub) => match (moved(0), moved(1)) {
            (Some(one), Some(other)) if op == ScalarOp::Add => Some((Form::Moved, one + other)),
            (Some(one), Some(other)) => Some((Form::Moved, one - other)),
            _ => same().filter(|(form, _)| *form == Form::Scaled),
        },
        ScalarOp::Mul | ScalarOp::Scale => match (scaled(0), scaled(1)) {
            (Some(one), Some(other)) => Some((Form::Scaled, one + other)),
            _ => {
                Some((Form::Moved, literal(1).zip(moved(0)).or_else(|| literal(0).zip(moved(1))).map(|(c, k)| c * k)?))
            }
        },
        ScalarOp::Row(Primitive::Div) => match (scaled(0), scaled(1)) {
            (Some(one), Some(other)) => Some((Form::Scaled, one - other)),
            _ => Some((Form::Moved, moved(0)? / literal(1)?)),
        },
        ScalarOp::Row(Primitive::Neg) => match moved(0) {
            Some(times) => Some((Form::Moved, -times)),
            None => same(),
        },
        ScalarOp::Row(Primitive::Recip) => Some((Form::Scaled, -scaled(0)?)),
        ScalarOp::Row(Primitive::Exp) => Some((Form::Scaled, moved(0)?)),
        ScalarOp::Row(Primitive::Ln) => Some((Form::Moved, scaled(0)?)),
        _ => None,
    }
}

fn is_zero(atom: Atom) -> bool {
    matches!(atom, Atom::Const(c) if c.real() == Some(0.0))
}

/// Whether an operation finds the greatest or least of numbers.
fn is_extremum(op: &Op) -> bool {
    match op {
        Op::Scalar(ScalarOp::Row(Primitive::Min | Primitive::Max), _) => true,
        Op::Reduce(it) => {
            matches!(recognise(&it.operator), Operator::Extremum(ScalarOp::Row(_)))
        }
        _ => false,
    }
}
