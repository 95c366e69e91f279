//! Programs split into bodies whose statements are written again, in place and one by one.
//!
//! Law: the body that is written computes what the one that is read does; all that it adds is bound to new variables. A part
//! that is taken out of a map shares no statement with what stays, so that nothing is computed twice
//! (tests/transform/simplify.rs).

use rustc_hash::FxHashMap;

use super::definitions::Facts;
use crate::array::{
    Agree, Agreement, Atom, Body, Builder, Extent, Lambda, Map, Op, Program, Reduce, ScalarOp, Stm, Type, Var, Vars,
    atoms_in, deeper, needed,
};
use crate::error::Span;

/// A program that is split into its parts.
pub(super) struct Parts {
    pub(super) builder: Builder,
    pub(super) facts: Facts,
    /// How often variables are used.
    uses: Vec<usize>,
    pub(super) changed: bool,
}

/// A body of a program that is being written again.
pub(super) struct Writer<'a> {
    pub(super) parts: &'a mut Parts,
    /// How many bodies are around it.
    pub(super) depth: usize,
    pub(super) stms: Vec<Stm>,
    /// The statement that binds an accumulator, or what a map gives.
    pub(super) at: FxHashMap<Var, usize>,
}

/// What is done with a statement, which is pushed or what is in its place.
type Rewrite = fn(&mut Writer<'_>, Stm);

/// Rewrites every body of a program, from the inside out, and says whether something has changed.
pub(super) fn rewrite(program: &mut Program, rewrite: Rewrite) -> bool {
    let (builder, facts, uses) = (Builder::extending(program), Facts::default(), uses(program));
    let mut parts = Parts { builder, facts, uses, changed: false };
    for param in &program.function.params {
        parts.facts.sizes.bind(*param, program.type_of(*param), 0);
    }
    let whole = core::mem::take(&mut program.function.body);
    program.function.body = parts.descend(whole, 0, rewrite);
    program.types = parts.builder.into_types();
    parts.changed
}

impl Parts {
    fn descend(&mut self, body: Body, depth: usize, rewrite: Rewrite) -> Body {
        let mut stms = Vec::with_capacity(body.stms.len());
        deeper(|| {
            for mut stm in body.stms {
                let builder = &self.builder;
                self.facts.sizes.bind_params(&stm.op, |var| builder.type_of(var), depth);
                for inner in stm.op.bodies_mut() {
                    *inner = self.descend(core::mem::take(inner), depth + 1, rewrite);
                }
                self.learn(&stm, depth);
                stms.push(stm);
            }
        });
        let written = Vec::with_capacity(stms.len());
        let mut writer = Writer { parts: self, depth, stms: written, at: FxHashMap::default() };
        for stm in stms {
            let around = writer.parts.builder.span(stm.span);
            rewrite(&mut writer, stm);
            writer.parts.builder.span(around);
        }
        Body { stms: writer.stms, results: body.results }
    }

    pub(super) fn learn(&mut self, stm: &Stm, depth: usize) {
        let builder = &self.builder;
        self.facts.learn(stm, |var| builder.type_of(var), depth);
    }

    /// Whether nothing but one statement uses a value.
    pub(super) fn is_used_once(&self, atom: Atom) -> bool {
        atom.var().is_some_and(|var| self.uses.get(var.0 as usize) == Some(&1))
    }
}

impl Writer<'_> {
    /// Adds a statement.
    pub(super) fn push(&mut self, stm: Stm) {
        self.parts.learn(&stm, self.depth);
        let is_followed = |v: &Var| matches!(stm.op, Op::Map(_)) || self.parts.builder.type_of(*v).accumulator;
        self.at.extend(stm.vars.iter().copied().filter(is_followed).map(|v| (v, self.stms.len())));
        self.stms.push(stm);
    }

    /// Adds the statements that `write` writes.
    pub(super) fn write<T>(&mut self, write: impl FnOnce(&mut Builder) -> T) -> T {
        self.parts.builder.open_body();
        let value = write(&mut self.parts.builder);
        self.parts.builder.close_body(Vec::new()).stms.into_iter().for_each(|stm| self.push(stm));
        value
    }

    /// Adds an operation that binds variables which there are.
    pub(super) fn bind(&mut self, vars: impl IntoIterator<Item = Var>, op: Op) {
        self.push(self.parts.builder.stm(vars.into_iter().collect(), op));
    }
}

/// A further result of a map, before its accumulators.
pub(super) fn give(builder: &mut Builder, vars: &mut Vars, map: &mut Map, result: Atom) -> Var {
    let given = vars.len() - map.accumulators.len();
    let array = builder.fresh(builder.type_of(result).arrayed());
    vars.insert(given, array);
    map.function.body.results.insert(given, result);
    array
}

/// The operator of sums of values of this type.
pub(super) fn sums(builder: &mut Builder, of: Type) -> Lambda {
    builder.lambda(&[of, of], |builder, x| {
        let operands: Vec<Atom> = x.iter().copied().map(Atom::Var).collect();
        vec![added(builder, operands[0], operands[1])]
    })
}

/// The sum of two values of one shape.
pub(super) fn added(builder: &mut Builder, a: Atom, b: Atom) -> Atom {
    let of = builder.type_of(a);
    if of.rank == 0 {
        return builder.scalar(ScalarOp::Add, &[a, b]);
    }
    let function = sums(builder, of.element());
    builder.one(Op::Map(Box::new(Map { function, arrays: vec![a, b], accumulators: Vec::new() })))
}

/// The zero of the shape of an array's elements.
pub(super) fn zero_element(builder: &mut Builder, array: Atom) -> Atom {
    let of = builder.type_of(array);
    (1..of.rank).rev().fold(of.prim.zero().into(), |zero, d| {
        let size = builder.one(Op::Size(array, d));
        builder.one(Op::Replicate(size, zero))
    })
}

/// The sum of the elements of an array, from a zero of their shape.
pub(super) fn sum(builder: &mut Builder, array: Atom, zero: Atom) -> Atom {
    let operator = sums(builder, builder.type_of(array).element());
    builder.one(Op::Reduce(Box::new(Reduce { operator, neutral: vec![zero], arrays: vec![array], commutative: true })))
}

/// A map without accumulators.
pub(super) fn mapped(
    builder: &mut Builder,
    arrays: Vec<Atom>,
    inside: impl FnOnce(&mut Builder, &[Var]) -> Vec<Atom>,
) -> Vec<Atom> {
    let types: Vec<Type> = arrays.iter().map(|a| builder.type_of(*a).element()).collect();
    let function = builder.lambda(&types, inside);
    let vars = builder.emit(Op::Map(Box::new(Map { function, arrays, accumulators: Vec::new() })));
    vars.into_iter().map(Atom::Var).collect()
}

/// One value or another.
pub(super) fn either(builder: &mut Builder, condition: Atom, yes: Atom, no: Atom) -> Atom {
    let [yes, no] = [yes, no].map(|x| Box::new(Body { stms: Vec::new(), results: vec![x] }));
    builder.one(Op::If(condition, yes, no))
}

/// Compares the lengths of two arrays.
pub(super) fn agree_lengths(builder: &mut Builder, what: Agreement, array: Atom, like: Atom) {
    builder.emit(lengths_agree(what, array, like));
}

/// The comparison of the lengths of two arrays.
pub(super) fn lengths_agree(what: Agreement, array: Atom, like: Atom) -> Op {
    let [first, second] = [like, array].map(|array| vec![Extent::Of(array, 0)]);
    Op::Agree(Box::new(Agree { what, first, second, times: Vec::new() }))
}

/// How often the variables of a program are used.
pub(super) fn uses(program: &Program) -> Vec<usize> {
    let mut uses = vec![0; program.types.len()];
    atoms_in(&program.function.body, &mut |a| a.var().into_iter().for_each(|var| uses[var.0 as usize] += 1));
    uses
}

/// A map in a body, and one of its results.
pub(super) struct Inner {
    pub(super) map: Map,
    /// The statements of its function that the result needs, and the result, as its function knows it.
    pub(super) body: Body,
    /// Where the map comes from.
    pub(super) span: Span,
}

/// The map in a body that gives this result, and computes nothing for it that it needs for other results.
pub(super) fn inner(body: &Body, result: Atom) -> Option<Inner> {
    let var = result.var()?;
    let stm = body.stms.iter().find(|stm| stm.vars.contains(&var))?;
    let Op::Map(map) = &stm.op else { return None };
    if !map.accumulators.is_empty() {
        return None;
    }
    let k = stm.vars.iter().position(|v| *v == var)?;
    let inside = &map.function.body;
    let needed_for = |result: Atom| needed(&inside.stms, &[result]).0;
    let needed = needed_for(inside.results[k]);
    let shared = inside.results.iter().enumerate().filter(|(other, _)| *other != k).any(|(_, result)| {
        inside.results[k] == *result || needed_for(*result).iter().zip(&needed).any(|(a, b)| *a && *b)
    });
    if shared {
        return None;
    }
    let stms = inside.stms.iter().zip(&needed).filter(|(_, needed)| **needed).map(|(stm, _)| stm.clone());
    let body = Body { stms: stms.collect(), results: vec![inside.results[k]] };
    Some(Inner { body, map: (**map).clone(), span: stm.span })
}
