//! Canonical numbers: variables counted in the order in which the text form binds them; and programs within programs.
//!
//! Law: renumbering changes no meaning, and programs that differ by the numbers of their variables only are equal
//! after it. A body's variables come before the results of the operation it is in, which is the order in which a
//! builder makes them; types that no variable of the program has are dropped.

use rustc_hash::FxHashMap;

use super::build::Builder;
use super::program::{Atom, Body, Form, Lambda, Loop, Op, Program, Stm, Var};
use super::rebuild::Rebuild;
use super::verify::deeper;

impl Program {
    /// The same program with its variables numbered from 0 in the order of their binding.
    ///
    /// # Panics
    /// If the program does not [verify](Program::verify).
    #[must_use]
    pub fn renumbered(&self) -> Program {
        self.function_alone(&self.function, self.names.clone())
    }

    /// A function of the program that mentions nothing from outside, as a program of its own.
    pub(crate) fn function_alone(&self, function: &Lambda, names: Vec<String>) -> Program {
        let mut builder = Builder::new();
        let mut renumber = Renumber { old: self, numbers: FxHashMap::default(), builder: &mut builder };
        let function = renumber.lambda(function);
        let numbered = builder.finish(Vec::new());
        Program { names, function, ..numbered }
    }
}

impl Builder {
    /// Adds the statements of a program that verifies, with these operands for its parameters, which are of their
    /// types. It answers the variables that the statements bind here, and the results.
    pub(super) fn inline(&mut self, program: &Program, arguments: &[Atom]) -> (Vec<Var>, Vec<Atom>) {
        let numbers = program.function.params.iter().copied().zip(arguments.iter().copied()).collect();
        let body = Renumber { old: program, numbers, builder: self }.body(&program.function.body);
        let vars = body.stms.iter().flat_map(|stm| stm.vars.iter().copied()).collect();
        self.append(body.stms);
        (vars, body.results)
    }
}

/// What the variables of a program are in the one that is built.
struct Renumber<'p> {
    old: &'p Program,
    numbers: FxHashMap<Var, Atom>,
    builder: &'p mut Builder,
}

impl Renumber<'_> {
    fn bind(&mut self, var: Var) -> Var {
        let number = self.builder.fresh(self.old.type_of(var));
        self.numbers.insert(var, number.into());
        number
    }

    fn binds(&mut self, vars: &[Var]) -> Vec<Var> {
        vars.iter().map(|v| self.bind(*v)).collect()
    }
}

impl Rebuild for Renumber<'_> {
    fn atom(&self, atom: Atom) -> Atom {
        match atom {
            Atom::Var(var) => *self.numbers.get(&var).expect("a variable is bound before it is used"),
            Atom::Const(_) => atom,
        }
    }

    fn lambda(&mut self, lambda: &Lambda) -> Lambda {
        let params = self.binds(&lambda.params);
        Lambda { params, body: self.body(&lambda.body) }
    }

    fn body(&mut self, body: &Body) -> Body {
        let stms = body.stms.iter().map(|stm| {
            let op = self.op(&stm.op);
            Stm { vars: self.binds(&stm.vars), op }
        });
        let stms = deeper(|| stms.collect());
        Body { stms, results: self.atoms(&body.results) }
    }

    fn of_loop(&mut self, it: &Loop) -> Op {
        let initial: Vec<Atom> = it.params.iter().map(|(_, a)| self.atom(*a)).collect();
        let params: Vec<Var> = it.params.iter().map(|(p, _)| self.bind(*p)).collect();
        let form = match &it.form {
            Form::For(i, bound) => {
                let bound = self.atom(*bound);
                Form::For(self.bind(*i), bound)
            }
            Form::While { condition, bound } => {
                let bound = bound.map(|b| self.atom(b));
                Form::While { condition: self.body(condition), bound }
            }
        };
        let params = params.into_iter().zip(initial).collect();
        Op::Loop(Box::new(Loop { params, form, body: self.body(&it.body), policy: it.policy }))
    }
}
