//! Programs split into bodies whose statements are moved and copied, with new variables where that is needed.
//!
//! Law: a copy computes what the original does, from the values its variables have been given; all that it binds is new
//! (tests/transform/simplify.rs).

use rustc_hash::FxHashMap;

use super::definitions::Facts;
use crate::array::{Atom, Body, Builder, Lambda, Map, Op, Program, Rebuild, Reduce, ScalarOp, Stm, Type, Var, deeper};

/// A program that is split into its parts.
pub(super) struct Parts {
    pub(super) builder: Builder,
    pub(super) facts: Facts,
}

impl Parts {
    /// Rewrites every body of a program, from the inside out, which is given with the number of bodies around it.
    pub(super) fn rewrite(program: &mut Program, mut body: impl FnMut(&mut Parts, Body, usize) -> Body) {
        let mut parts = Parts { builder: Builder::extending(program), facts: Facts::default() };
        for param in &program.function.params {
            parts.facts.sizes.bind(*param, program.type_of(*param), 0);
        }
        let whole = core::mem::take(&mut program.function.body);
        program.function.body = parts.descend(whole, 0, &mut body);
        program.types = parts.builder.into_types();
    }

    fn descend(&mut self, body: Body, depth: usize, rewrite: &mut impl FnMut(&mut Parts, Body, usize) -> Body) -> Body {
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
        rewrite(self, Body { stms, results: body.results }, depth)
    }

    pub(super) fn learn(&mut self, stm: &Stm, depth: usize) {
        let builder = &self.builder;
        self.facts.learn(stm, |var| builder.type_of(var), depth);
    }

    /// What `write` adds to the program, as statements and an operand.
    pub(super) fn written<T>(&mut self, write: impl FnOnce(&mut Builder) -> T) -> (Vec<Stm>, T) {
        self.builder.open_body();
        let value = write(&mut self.builder);
        (self.builder.close_body(Vec::new()).stms, value)
    }
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

/// A copy of statements under new names.
pub(super) struct Copy<'b> {
    pub(super) builder: &'b mut Builder,
    values: FxHashMap<Var, Atom>,
}

impl<'b> Copy<'b> {
    pub(super) fn new(builder: &'b mut Builder, values: FxHashMap<Var, Atom>) -> Self {
        Copy { builder, values }
    }

    pub(super) fn stm(&mut self, stm: &Stm) {
        let around = self.builder.span(stm.span);
        let op = self.op(&stm.op);
        for (old, new) in stm.vars.iter().zip(self.builder.emit(op)) {
            self.values.insert(*old, new.into());
        }
        self.builder.span(around);
    }
}

impl Rebuild for Copy<'_> {
    fn atom(&self, atom: Atom) -> Atom {
        match atom {
            Atom::Var(var) => self.values.get(&var).copied().unwrap_or(atom),
            Atom::Const(_) => atom,
        }
    }

    fn body(&mut self, body: &Body) -> Body {
        self.builder.open_body();
        deeper(|| body.stms.iter().for_each(|stm| self.stm(stm)));
        let results = self.atoms(&body.results);
        self.builder.close_body(results)
    }

    fn bind(&mut self, var: Var) -> Var {
        let fresh = self.builder.fresh(self.builder.type_of(var));
        self.values.insert(var, fresh.into());
        fresh
    }
}
