//! Value numbering: rewrites the program statement by statement, each in its simplest form, and writes no value twice.
//!
//! Law: every variable of the old program stands for an operand of the new one that has its value. Scalar operations
//! are [folded](super::fold), operations on arrays go through the [rules](super::rules), control that is known is
//! followed, and of values of one [class](super::available) only the first is computed: an element that a map has
//! computed is taken from its result by later maps over the same elements (tests/transform/simplify.rs,
//! laws: simplification).

use super::available::{Class, Classes, Kind, Repeated, position};
use super::definitions::Facts;
use super::fold::fold;
use super::operator::{Operator, recognise};
use super::rules::simpler;
use crate::array::{
    Atom, Body, Builder, Custom, Lambda, Op, Program, Reduce, Stm, Type, Var, atoms_mut, deeper, has_effect,
};

/// The program in simplest form.
pub(super) fn forms(program: Program) -> Program {
    let (mut simple, mut again) = written(program);
    while again {
        (simple, again) = written(simple);
    }
    simple
}

/// The rewritten program, and whether a loop variable turned out to be invariant.
fn written(program: Program) -> (Program, bool) {
    let Program { types, names, function: Lambda { params, body } } = program;
    let variables = types.len();
    let mut writer = Writer {
        types,
        builder: Builder::with_capacity(variables, body.stms.len()),
        values: vec![None; variables],
        facts: Facts::with_capacity(variables),
        seen: Repeated::new(variables),
        frames: Vec::new(),
        again: false,
    };
    for (param, name) in params.into_iter().zip(names) {
        let var = writer.builder.parameter(name, writer.type_of(param));
        writer.introduce(var);
        writer.set(param, var.into());
    }
    let results = writer.here(body);
    (writer.builder.unsimplified(results), writer.again)
}

/// A map whose function is being written.
pub(super) struct Frame {
    pub(super) space: Class,
    /// How many bodies are around the map.
    pub(super) outside: usize,
    /// Arrays that turned out to hold what its function computes, and their parameters.
    pub(super) extras: Vec<(Var, Atom)>,
}

/// A program that is read, and the one that is written.
pub(super) struct Writer {
    /// The types of the variables of the source.
    types: Vec<Type>,
    pub(super) builder: Builder,
    /// What the variables of the source stand for.
    values: Vec<Option<Atom>>,
    pub(super) facts: Facts,
    pub(super) seen: Repeated,
    pub(super) frames: Vec<Frame>,
    /// Whether writing what is written once more will make it simpler.
    pub(super) again: bool,
}

impl Writer {
    pub(super) fn set(&mut self, var: Var, value: Atom) {
        self.values[var.0 as usize] = Some(value);
    }

    pub(super) fn sets(&mut self, vars: &[Var], values: &[Atom]) {
        vars.iter().zip(values).for_each(|(var, value)| self.set(*var, *value));
    }

    /// Makes a new variable, of which nothing is known, usable in the open body.
    pub(super) fn introduce(&mut self, var: Var) {
        let (class, depth) = (self.seen.unique(), self.seen.depth());
        self.facts.sizes.bind(var, self.builder.type_of(var), depth);
        self.seen.set(var, class, depth);
    }

    pub(super) fn fresh(&mut self, of: Var) -> Var {
        self.builder.fresh(self.type_of(of))
    }

    fn type_of(&self, var: Var) -> Type {
        self.types[var.0 as usize]
    }

    /// A value of a class that can be used here; it may become one by being given to the maps around.
    pub(super) fn held(&mut self, class: Class) -> Option<Atom> {
        match self.seen.held(class) {
            Some((atom, _)) => Some(atom),
            None => (0..self.frames.len()).rev().find_map(|frame| self.element(class, frame)),
        }
    }

    /// The element of that class of an array that the map is given besides its own.
    fn element(&mut self, class: Class, frame: usize) -> Option<Atom> {
        let Frame { space, outside, .. } = self.frames[frame];
        let of = self.seen.made(space, class)?;
        let array = match self.seen.held(of) {
            Some((array, depth)) => (depth <= outside).then_some(array)?,
            None => self.element(of, frame.checked_sub(1)?)?,
        };
        let param = self.builder.fresh(self.builder.type_of(array).element());
        self.facts.sizes.bind_element(param, array, outside + 1);
        self.seen.set(param, class, outside + 1);
        self.frames[frame].extras.push((param, array));
        Some(param.into())
    }

    /// Writes an operation without bodies, unless there is no need to.
    pub(super) fn emit(&mut self, op: Op) -> Atom {
        let known = match &op {
            Op::Scalar(scalar, operands) => fold(*scalar, operands),
            op => simpler(self, op),
        };
        if let Some(value) = known {
            return value;
        }
        let (class, is_new) = self.seen.operation(&op);
        let held = if is_new { None } else { self.held(class) };
        held.unwrap_or_else(|| {
            let depth = self.place(&op);
            self.write_at(depth, op, &[class]);
            self.builder.last(depth).expect("it was written").vars[0].into()
        })
    }

    /// How many bodies are around an operation where it is written: what only renames elements, and cannot fail, is written
    /// as far out as its operand.
    fn place(&self, op: &Op) -> usize {
        match op {
            Op::Permute(array, _) | Op::Reverse(array) | Op::Size(array, _) => self.facts.sizes.depth(*array),
            _ => self.seen.depth(),
        }
    }

    /// Writes an operation with results of these classes.
    fn write(&mut self, op: Op, classes: &[Class]) -> Vec<Atom> {
        let depth = self.seen.depth();
        self.write_at(depth, op, classes);
        self.builder.last(depth).map(|stm| stm.vars.iter().copied().map(Atom::Var).collect()).expect("it was written")
    }

    fn write_at(&mut self, depth: usize, op: Op, classes: &[Class]) {
        self.builder.emit_around(depth, op);
        let builder = &self.builder;
        let stm = builder.last(depth).expect("it was written");
        self.facts.learn(stm, |var| builder.type_of(var), depth);
        stm.vars.iter().zip(classes).for_each(|(var, class)| self.seen.set(*var, *class, depth));
    }

    /// Writes a combinator with results of these classes, unless all of them are there and sizes are compared elsewhere.
    pub(super) fn write_unless_held(&mut self, op: Op, classes: &[Class]) -> Vec<Atom> {
        let held: Vec<Option<Atom>> = classes.iter().map(|class| self.held(*class)).collect();
        if held.iter().all(Option::is_some) && !has_effect(&op) {
            return held.into_iter().flatten().collect();
        }
        let written = self.write(op, classes);
        held.into_iter().zip(written).map(|(held, new)| held.unwrap_or(new)).collect()
    }

    /// What an operand stands for.
    pub(super) fn atom(&self, atom: Atom) -> Atom {
        match atom {
            Atom::Const(_) => atom,
            Atom::Var(var) => self.values[var.0 as usize].expect("a variable is bound before it is used"),
        }
    }

    /// Puts in place of operands what they stand for.
    pub(super) fn atoms(&self, atoms: &mut [Atom]) {
        atoms.iter_mut().for_each(|a| *a = self.atom(*a));
    }

    /// Writes a statement, which becomes the one that is written.
    fn stm(&mut self, stm: Stm) {
        let around = self.builder.span(stm.span);
        self.operation(&stm.vars, stm.op);
        self.builder.span(around);
    }

    fn operation(&mut self, vars: &[Var], mut op: Op) {
        let results = match op {
            Op::Copy(a) => return self.set(vars[0], self.atom(a)),
            Op::If(condition, yes, no) => self.branch(condition, *yes, *no),
            Op::Loop(it) => self.repeat(*it),
            Op::Map(map) => self.map(*map),
            Op::Reduce(it) => self.reduce(it, Kind::Reduce),
            Op::Scan(it) => self.reduce(it, Kind::Scan),
            Op::Hist(mut it) => {
                for operands in [&mut it.neutral, &mut it.destinations, &mut it.values] {
                    self.atoms(operands);
                }
                it.indices = self.atom(it.indices);
                let operands = [&it.neutral[..], &it.destinations, &[it.indices], &it.values].concat();
                let classes = self.combine(&mut it.operator, Kind::Hist, &operands);
                self.write_unless_held(Op::Hist(it), &classes)
            }
            Op::Custom(it) => self.custom(it),
            Op::Foreign(mut it) => {
                for operands in [&mut it.arguments, &mut it.like] {
                    self.atoms(operands);
                }
                let classes: Classes = it.like.iter().map(|_| self.seen.unique()).collect();
                self.write(Op::Foreign(it), &classes)
            }
            _ => {
                atoms_mut(&mut op, &mut |a| *a = self.atom(*a));
                if matches!(op, Op::Agree(_)) {
                    self.write(op, &[]);
                } else {
                    let value = self.emit(op);
                    self.set(vars[0], value);
                }
                return;
            }
        };
        self.sets(vars, &results);
    }

    /// Writes the statements of a body in place, and returns its results.
    pub(super) fn here(&mut self, mut body: Body) -> Vec<Atom> {
        body.stms.into_iter().for_each(|stm| self.stm(stm));
        self.atoms(&mut body.results);
        body.results
    }

    /// Writes a body.
    pub(super) fn body(&mut self, body: Body) -> Body {
        self.builder.open_body_of(body.stms.len());
        self.seen.open();
        let results = deeper(|| self.here(body));
        self.seen.close();
        self.builder.close_body(results)
    }

    /// Writes a function whose parameters belong to the scope that is open.
    fn lambda(&mut self, lambda: &mut Lambda) {
        let scope = self.seen.current();
        lambda.params = self.params(scope, &lambda.params);
        lambda.body = self.body(core::mem::take(&mut lambda.body));
    }

    /// The parameters of a scope.
    pub(super) fn params(&mut self, scope: Class, params: &[Var]) -> Vec<Var> {
        let depth = self.seen.depth() + 1;
        let param = |(k, param): (usize, &Var)| {
            let var = self.fresh(*param);
            self.facts.sizes.bind(var, self.builder.type_of(var), depth);
            let class = self.seen.class(Kind::Param, &[scope, position(k)]);
            self.set(*param, var.into());
            (var, class)
        };
        let fresh: Vec<(Var, Class)> = params.iter().enumerate().map(param).collect();
        self.seen.announce(&fresh);
        fresh.into_iter().map(|(var, _)| var).collect()
    }

    /// The classes of the results of a scope whose bodies have these results.
    pub(super) fn results(&mut self, scope: Class, results: &[Atom], count: usize) -> Classes {
        let classes = self.seen.all(results);
        let all = self.seen.class_within(Kind::Results, scope, &classes);
        (0..count).map(|k| self.seen.class(Kind::Result, &[all, position(k)])).collect()
    }

    /// Writes the operator of a combinator with these operands, and returns the classes of its results.
    fn combine(&mut self, operator: &mut Lambda, kind: Kind, operands: &[Atom]) -> Classes {
        let classes = self.seen.all(operands);
        let scope = self.seen.scope(kind, &classes);
        self.seen.enter(scope);
        self.lambda(operator);
        self.seen.leave();
        let results = &operator.body.results;
        self.results(scope, results, results.len())
    }

    /// A reduction or scan; sums of zeros are known.
    fn reduce(&mut self, mut it: Box<Reduce>, kind: Kind) -> Vec<Atom> {
        self.atoms(&mut it.neutral);
        self.atoms(&mut it.arrays);
        let zero = it.neutral.iter().chain(&it.arrays).all(|a| self.facts.is_zero(*a));
        let scalars = it.neutral.iter().all(|a| self.facts.sizes.of(*a).is_empty());
        if zero && scalars && recognise(&it.operator) == Operator::Sum {
            return if kind == Kind::Scan { it.arrays } else { it.neutral };
        }
        let operands = [&it.neutral[..], &it.arrays].concat();
        let classes = self.combine(&mut it.operator, kind, &operands);
        self.write_unless_held(if kind == Kind::Scan { Op::Scan(it) } else { Op::Reduce(it) }, &classes)
    }

    /// A function with derivatives of its own mentions nothing from outside.
    fn custom(&mut self, mut it: Box<Custom>) -> Vec<Atom> {
        self.atoms(&mut it.arguments);
        let (held, frames) = (self.seen.within(), core::mem::take(&mut self.frames));
        self.lambda(&mut it.function);
        self.lambda(&mut it.pullback);
        self.seen.without(held);
        self.frames = frames;
        let classes: Classes = it.function.body.results.iter().map(|_| self.seen.unique()).collect();
        self.write(Op::Custom(it), &classes)
    }
}
