//! Canonical numbers: variables counted in the order in which the text form binds them; and programs within programs.
//!
//! Law: renumbering changes no meaning, and programs that differ by the numbers of their variables only are equal after
//! it. A body's variables come before the results of the operation it is in, which is the order in which a builder
//! makes them; types that no variable of the program has are dropped (laws: arrays::text).

use rustc_hash::FxHashMap;

use super::build::Builder;
use super::part::{Part, WalkMut};
use super::program::{Atom, Body, Lambda, Program, Stm, Var};
use super::types::Type;
use super::verify::deeper;
use super::visit::mentioned;

impl Program {
    /// The same program with its variables numbered from 0 in the order of their binding.
    #[must_use]
    pub fn renumbered(&self) -> Program {
        self.clone().renumber()
    }

    /// The program, renumbered.
    pub(crate) fn renumber(mut self) -> Program {
        let (types, mut builder) = (core::mem::take(&mut self.types), Builder::new());
        Renumber { old: Some(&types), numbers: Numbers::all(&types), builder: &mut builder }.lambda(&mut self.function);
        Program::of_parts(builder.into_types(), self.names, self.function)
    }

    /// A function of the program as a program of its own, and the variables from outside that it mentions: they are its
    /// last parameters.
    pub(crate) fn function_alone(&self, function: &Lambda) -> (Program, Vec<Var>) {
        let (mut function, mut builder, outside) = (function.clone(), Builder::new(), mentioned(function));
        function.params.extend(&outside);
        let names = (0..function.params.len()).map(|n| format!("argument_{n}")).collect();
        let numbers = Numbers::Some(FxHashMap::default());
        Renumber { old: Some(&self.types), numbers, builder: &mut builder }.lambda(&mut function);
        (Program::of_parts(builder.into_types(), names, function), outside)
    }
}

impl Builder {
    /// Adds the statements of a program that verifies, with these operands for its parameters, which are of their
    /// types. Returns the variables that the statements bind here, and the results. A statement whose span is unknown
    /// gets the span of the statements that are added now.
    pub(crate) fn inline(&mut self, program: &Program, arguments: &[Atom]) -> (Vec<Var>, Vec<Atom>) {
        let (mut body, mut numbers) = (program.function.body.clone(), Numbers::all(&program.types));
        program.function.params.iter().zip(arguments).for_each(|(param, a)| numbers.set(*param, *a));
        Renumber { old: Some(&program.types), numbers, builder: self }.body(&mut body);
        let call = self.here();
        body.stms.iter_mut().for_each(|stm| stm.span = stm.span.or(call));
        let vars = body.stms.iter().flat_map(|stm| stm.vars.iter().copied()).collect();
        self.append(body.stms);
        (vars, body.results)
    }

    /// Adds the statements of a body of the program that is [extended](Builder::extending) once more, with these values for some
    /// of the variables that it mentions, and returns its results. All that the copy binds is new.
    pub(crate) fn copied(&mut self, mut body: Body, values: FxHashMap<Var, Atom>) -> Vec<Atom> {
        Renumber { old: None, numbers: Numbers::Some(values), builder: self }.body(&mut body);
        self.append(body.stms);
        body.results
    }
}

/// What variables become.
enum Numbers {
    /// Those of a whole program, by number.
    All(Vec<Option<Atom>>),
    /// Those of a part of it.
    Some(FxHashMap<Var, Atom>),
}

impl Numbers {
    fn all(types: &[Type]) -> Self {
        Numbers::All(vec![None; types.len()])
    }

    fn set(&mut self, var: Var, to: Atom) {
        match self {
            Numbers::All(all) => all[var.0 as usize] = Some(to),
            Numbers::Some(some) => {
                some.insert(var, to);
            }
        }
    }

    fn get(&self, var: Var) -> Option<Atom> {
        match self {
            Numbers::All(all) => all[var.0 as usize],
            Numbers::Some(some) => some.get(&var).copied(),
        }
    }
}

/// What the variables of a program are in the one that is built. Its parts are renumbered where they are.
struct Renumber<'p> {
    /// The types of the old variables, if they are of another program: then each is bound before it is used.
    old: Option<&'p [Type]>,
    numbers: Numbers,
    builder: &'p mut Builder,
}

impl Renumber<'_> {
    fn bind(&mut self, var: &mut Var) {
        let of = self.old.map_or_else(|| self.builder.type_of(*var), |types| types[var.0 as usize]);
        let number = self.builder.fresh(of);
        self.numbers.set(*var, number.into());
        *var = number;
    }

    fn atom(&self, atom: &mut Atom) {
        let Atom::Var(var) = *atom else { return };
        match self.numbers.get(var) {
            Some(number) => *atom = number,
            None => assert!(self.old.is_none(), "a variable is bound before it is used"),
        }
    }

    fn lambda(&mut self, lambda: &mut Lambda) {
        lambda.params.iter_mut().for_each(|p| self.bind(p));
        self.body(&mut lambda.body);
    }

    fn body(&mut self, body: &mut Body) {
        deeper(|| body.stms.iter_mut().for_each(|stm| self.stm(stm)));
        body.results.iter_mut().for_each(|a| self.atom(a));
    }

    fn stm(&mut self, Stm { vars, op, .. }: &mut Stm) {
        op.walk_mut(self);
        vars.iter_mut().for_each(|v| self.bind(v));
    }
}

/// Operands stand before the bodies for which variables are bound, so one walk is enough.
impl WalkMut<'_> for Renumber<'_> {
    fn operand(&mut self, atom: &mut Atom) {
        self.atom(atom);
    }

    fn binder(&mut self, var: &mut Var) {
        self.bind(var);
    }

    fn body(&mut self, body: &mut Body) {
        Renumber::body(self, body);
    }
}
