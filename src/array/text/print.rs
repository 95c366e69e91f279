//! Printing programs: one statement a line, bodies indented, types where variables are bound.
//!
//! Law: printing says everything, numbers to the last bit, and never fails, not even on programs that are not well
//! formed; so error messages can show them (laws: arrays::text).

use core::fmt;

use super::lex::is_name;
use super::notation::{Notation, Sheet};
use super::sizes::SizeNames;
use crate::array::program::{Atom, Body, Lambda, Program, Stm, Var};
use crate::array::types::{Const, Prim};
use crate::array::verify::{MAX_DEPTH, deeper};

/// What a variable is called: a parameter by its name, if that is one, and others by number.
pub(crate) fn name(program: &Program, var: Var) -> String {
    // A program has few parameters, and the names of others are made of their numbers.
    match program.function.params.iter().position(|p| *p == var).and_then(|at| program.names.get(at)) {
        Some(name) if is_good(program, name) => name.clone(),
        _ => format!("v{}", var.0),
    }
}

/// An operand as it is written.
pub(crate) fn operand(program: &Program, atom: Atom) -> String {
    match atom {
        Atom::Var(var) => name(program, var),
        Atom::Const(constant) => constant.to_string(),
    }
}

/// Whether a parameter can be called by its name.
fn is_good(program: &Program, name: &str) -> bool {
    let numbered = name.strip_prefix('v').is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()));
    is_name(name) && !numbered && program.names.iter().filter(|n| *n == name).count() == 1
}

/// The first line of a statement, without the bodies in it.
pub(crate) fn head(program: &Program, stm: &Stm) -> String {
    printed(program, MAX_DEPTH, None, |printer| printer.statement(stm))
}

/// The results of a body, as a line.
pub(crate) fn results(program: &Program, body: &Body) -> String {
    printed(program, MAX_DEPTH, None, |printer| printer.results(body))
}

/// The first line of the program.
pub(crate) fn signature(program: &Program) -> String {
    printed(program, MAX_DEPTH, None, Printer::program)
}

/// The whole program, with the sizes of its variables if they have names.
pub(super) fn whole(program: &Program, sizes: Option<SizeNames<'_>>) -> String {
    printed(program, 0, sizes, Printer::program)
}

fn printed<'p>(
    program: &'p Program,
    depth: usize,
    sizes: Option<SizeNames<'p>>,
    print: impl FnOnce(&mut Printer<'p>),
) -> String {
    let mut printer = Printer { program, out: String::new(), depth, sizes };
    print(&mut printer);
    printer.out
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", whole(self, None))
    }
}

impl fmt::Display for Const {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let prim = self.prim();
        match self.real() {
            Some(x) if x.is_nan() && *self == Const::rounded(f64::NAN, prim) => write!(f, "{prim}.nan"),
            Some(x) if x.is_nan() => write!(f, "{prim}.bits({})", self.bits()),
            Some(x) if x.is_infinite() => write!(f, "{}{prim}.inf", if x < 0.0 { "-" } else { "" }),
            _ => {
                self.write_digits(f)?;
                f.write_str(if prim == Prim::Bool { "" } else { prim.name() })
            }
        }
    }
}

struct Printer<'p> {
    program: &'p Program,
    out: String,
    /// The count of open bodies; from [`MAX_DEPTH`] on, those inside are omitted.
    depth: usize,
    sizes: Option<SizeNames<'p>>,
}

impl Printer<'_> {
    fn program(&mut self) {
        let program = self.program;
        self.put("program (");
        for (n, param) in program.function.params.iter().enumerate() {
            self.put(if n == 0 { "" } else { ", " });
            let shown = name(program, *param);
            self.put(&shown);
            if let Some(name) = program.names.get(n).filter(|name| **name != shown) {
                self.put(&format!(" {name:?}"));
            }
            self.of_type(*param);
        }
        self.put(") ");
        self.body(&program.function.body);
    }

    fn of_type(&mut self, var: Var) {
        let text = match (self.program.types.get(var.0 as usize), &mut self.sizes) {
            (None, _) => "?".to_owned(),
            (Some(of), None) => of.to_string(),
            (Some(of), Some(sizes)) => of.with_sizes(&sizes.at(var)),
        };
        self.put(": ");
        self.put(&text);
    }

    fn atoms(&mut self, atoms: &[Atom]) {
        for (n, atom) in atoms.iter().enumerate() {
            self.put(if n == 0 { "" } else { ", " });
            self.atom(*atom);
        }
    }

    fn line(&mut self) {
        let line = format!("\n{:1$}", "", 2 * self.depth);
        self.put(&line);
    }

    fn results(&mut self, body: &Body) {
        self.put(if body.results.is_empty() { "return" } else { "return " });
        self.atoms(&body.results);
    }

    fn statement(&mut self, stm: &Stm) {
        self.put("let ");
        self.binders(&stm.vars);
        self.put(if stm.vars.is_empty() { "() = " } else { " = " });
        stm.op.print(self);
    }
}

impl Sheet for Printer<'_> {
    fn put(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn atom(&mut self, atom: Atom) {
        self.out += &operand(self.program, atom);
    }

    fn binders(&mut self, vars: &[Var]) {
        for (n, var) in vars.iter().enumerate() {
            self.put(if n == 0 { "" } else { ", " });
            self.atom(Atom::Var(*var));
            self.of_type(*var);
        }
    }

    fn body(&mut self, body: &Body) {
        if self.depth == MAX_DEPTH {
            return self.put("{ … }");
        }
        self.put("{");
        self.depth += 1;
        deeper(|| {
            for stm in &body.stms {
                self.line();
                self.statement(stm);
            }
        });
        self.line();
        self.results(body);
        self.depth -= 1;
        self.line();
        self.put("}");
    }

    fn function(&mut self, function: &Lambda) {
        self.put("|");
        self.binders(&function.params);
        self.put("| ");
        self.body(&function.body);
    }
}
