//! Printing programs: one statement a line, bodies indented, types where variables are bound.
//!
//! Law: printing says everything, numbers to the last bit, and never fails, not even on programs that are not well
//! formed; so error messages can show them.

use core::fmt;

use super::lex::is_name;
use crate::array::agree::Extent;
use crate::array::program::{Atom, Body, Form, Lambda, Loop, Op, Policy, Program, Reduce, Stm, Var};
use crate::array::scalar::ScalarOp;
use crate::array::types::Const;
use crate::array::verify::{DEEPEST, deeper};

/// What a variable is called: a parameter by its name, if that is one, and others by number.
pub(crate) fn name(program: &Program, var: Var) -> String {
    // A program has few parameters, and the names of others are made of their numbers.
    match program.function.params.iter().position(|p| *p == var).and_then(|at| program.names.get(at)) {
        Some(name) if is_good(program, name) => name.clone(),
        _ => format!("v{}", var.0),
    }
}

/// Whether a parameter can be called by its name.
fn is_good(program: &Program, name: &str) -> bool {
    let numbered = name.strip_prefix('v').is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()));
    is_name(name) && !numbered && program.names.iter().filter(|n| *n == name).count() == 1
}

/// The first line of a statement, without the bodies in it.
pub(crate) fn head(program: &Program, stm: &Stm) -> String {
    let mut printer = Printer { program, out: String::new(), depth: DEEPEST };
    printer.statement(stm);
    printer.out
}

/// The results of a body, as a line.
pub(crate) fn results(program: &Program, body: &Body) -> String {
    let mut printer = Printer { program, out: String::new(), depth: DEEPEST };
    printer.results(body);
    printer.out
}

/// The first line of the program.
pub(crate) fn signature(program: &Program) -> String {
    let mut printer = Printer { program, out: String::new(), depth: DEEPEST };
    printer.program();
    printer.out
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut printer = Printer { program: self, out: String::new(), depth: 0 };
        printer.program();
        writeln!(f, "{}", printer.out)
    }
}

impl fmt::Display for Const {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Const::Bool(b) => write!(f, "{b}"),
            Const::I32(n) => write!(f, "{n}i32"),
            Const::I64(n) => write!(f, "{n}i64"),
            Const::F32(x) if x.is_finite() => write!(f, "{x:?}f32"),
            Const::F64(x) if x.is_finite() => write!(f, "{x:?}f64"),
            Const::F32(x) if x.is_infinite() => f.write_str(if x < 0.0 { "-f32.inf" } else { "f32.inf" }),
            Const::F64(x) if x.is_infinite() => f.write_str(if x < 0.0 { "-f64.inf" } else { "f64.inf" }),
            Const::F32(_) | Const::F64(_) if *self == Const::F32(f32::NAN) || *self == Const::F64(f64::NAN) => {
                write!(f, "{}.nan", self.prim())
            }
            Const::F32(_) | Const::F64(_) => write!(f, "{}.bits({})", self.prim(), self.bits()),
        }
    }
}

impl fmt::Display for ScalarOp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ScalarOp::Add => f.write_str("add"),
            ScalarOp::Mul => f.write_str("mul"),
            ScalarOp::Scale => f.write_str("scale"),
            ScalarOp::Equal => f.write_str("eq"),
            ScalarOp::Less => f.write_str("lt"),
            ScalarOp::LessOrEqual => f.write_str("le"),
            ScalarOp::Not => f.write_str("not"),
            ScalarOp::Convert(prim) => f.write_str(prim.name()),
            ScalarOp::ToBits(of) => write!(f, "bits_of_{of}"),
            ScalarOp::FromBits(to) => write!(f, "{to}_of_bits"),
            ScalarOp::Integer(row) => f.write_str(row.name()),
            ScalarOp::Row(row) => match row.parameter() {
                Some(parameter) => write!(f, "{}[{parameter}]", row.name()),
                None => f.write_str(row.name()),
            },
        }
    }
}

struct Printer<'p> {
    program: &'p Program,
    out: String,
    /// How many bodies are open; from [`DEEPEST`] on, those inside are left out.
    depth: usize,
}

impl Printer<'_> {
    fn put(&mut self, text: &str) {
        self.out.push_str(text);
    }

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
        let types = &self.program.types;
        let text = types.get(var.0 as usize).map_or_else(|| ": ?".into(), |t| format!(": {t}"));
        self.put(&text);
    }

    fn binders(&mut self, vars: &[Var]) {
        for (n, var) in vars.iter().enumerate() {
            self.put(if n == 0 { "" } else { ", " });
            self.atom(Atom::Var(*var));
            self.of_type(*var);
        }
    }

    fn atom(&mut self, atom: Atom) {
        let text = match atom {
            Atom::Var(var) => name(self.program, var),
            Atom::Const(constant) => constant.to_string(),
        };
        self.put(&text);
    }

    fn atoms(&mut self, open: &str, atoms: &[Atom], close: &str) {
        self.put(open);
        for (n, atom) in atoms.iter().enumerate() {
            self.put(if n == 0 { "" } else { ", " });
            self.atom(*atom);
        }
        self.put(close);
    }

    fn line(&mut self) {
        let line = format!("\n{:1$}", "", 2 * self.depth);
        self.put(&line);
    }

    fn body(&mut self, body: &Body) {
        if self.depth == DEEPEST {
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

    fn results(&mut self, body: &Body) {
        self.atoms(if body.results.is_empty() { "return" } else { "return " }, &body.results, "");
    }

    fn lambda(&mut self, lambda: &Lambda) {
        self.put("|");
        self.binders(&lambda.params);
        self.put("| ");
        self.body(&lambda.body);
    }

    fn statement(&mut self, stm: &Stm) {
        self.put("let ");
        self.binders(&stm.vars);
        self.put(if stm.vars.is_empty() { "() = " } else { " = " });
        self.op(&stm.op);
    }

    fn call(&mut self, function: &str, atoms: &[Atom]) {
        self.put(function);
        self.atoms("(", atoms, ")");
    }

    fn op(&mut self, op: &Op) {
        match op {
            Op::Scalar(scalar, atoms) => self.call(&scalar.to_string(), atoms),
            Op::Copy(a) => self.call("copy", &[*a]),
            Op::Iota(n) => self.call("iota", &[*n]),
            Op::Replicate(n, a) => self.call("replicate", &[*n, *a]),
            Op::Elements(atoms) => self.atoms("[", atoms, "]"),
            Op::Size(a, dimension) => self.call(&format!("size[{dimension}]"), &[*a]),
            Op::Index(a, indices) => {
                self.atom(*a);
                self.atoms("[", indices, "]");
            }
            Op::Slice(a, ranges) => {
                self.put("slice ");
                self.atom(*a);
                self.put("[");
                for (n, range) in ranges.iter().enumerate() {
                    self.put(if n == 0 { "" } else { ", " });
                    self.atom(range.start);
                    self.put(" : ");
                    self.atom(range.count);
                    self.put(" : ");
                    self.atom(range.step);
                }
                self.put("]");
            }
            Op::Update(a, indices, new) => self.with(*a, indices, " = ", *new),
            Op::Permute(a, order) => {
                let order: Vec<String> = order.iter().map(usize::to_string).collect();
                self.call(&format!("permute[{}]", order.join(", ")), &[*a]);
            }
            Op::Reshape(a, sizes) => self.call("reshape", &[&[*a], sizes.as_slice()].concat()),
            Op::Concat(atoms) => self.call("concat", atoms),
            Op::Reverse(a) => self.call("reverse", &[*a]),
            Op::If(condition, yes, no) => {
                self.put("if ");
                self.atom(*condition);
                self.put(" ");
                self.body(yes);
                self.put(" else ");
                self.body(no);
            }
            Op::Loop(it) => self.of_loop(it),
            Op::Map(map) => {
                self.atoms("map (", &map.arrays, ") ");
                if !map.accumulators.is_empty() {
                    self.atoms("adding (", &map.accumulators, ") ");
                }
                self.lambda(&map.function);
            }
            Op::Reduce(it) => self.of_reduce("reduce", it),
            Op::Scan(it) => self.of_reduce("scan", it),
            Op::Hist(it) => {
                self.atoms("hist (", &it.destinations, ") at ");
                self.atom(it.indices);
                self.atoms(" (", &it.values, ")");
                self.atoms(" from (", &it.neutral, ") ");
                self.lambda(&it.operator);
            }
            Op::Scatter(it) => self.call("scatter", &[it.destination, it.indices, it.values]),
            Op::ToAccumulator(a) => self.call("accumulator", &[*a]),
            Op::Accumulate(a, indices, new) => self.with(*a, indices, " += ", *new),
            Op::FromAccumulator(a) => self.call("array", &[*a]),
            Op::Custom(it) => {
                self.atoms("custom (", &it.arguments, ") ");
                self.lambda(&it.function);
                self.put(" pullback ");
                self.lambda(&it.pullback);
            }
            Op::Agree(it) => {
                self.put(&format!("agree {} ", it.what.word()));
                self.extents(&it.first);
                self.put(" = ");
                self.extents(&it.second);
                if !it.times.is_empty() {
                    self.put(" times ");
                    self.extents(&it.times);
                }
            }
        }
    }

    fn extents(&mut self, extents: &[Extent]) {
        self.put("(");
        for (n, extent) in extents.iter().enumerate() {
            self.put(if n == 0 { "" } else { ", " });
            match extent {
                Extent::Number(atom) => self.atom(*atom),
                Extent::Of(array, dimension) => self.call(&format!("size[{dimension}]"), &[*array]),
            }
        }
        self.put(")");
    }

    fn with(&mut self, a: Atom, indices: &[Atom], sign: &str, new: Atom) {
        self.atom(a);
        self.atoms(" with [", indices, "]");
        self.put(sign);
        self.atom(new);
    }

    fn of_loop(&mut self, it: &Loop) {
        self.put("loop ");
        match it.policy {
            Policy::KeepAll => {}
            Policy::StripMine(levels) => self.put(&format!("strip_mine[{levels}] ")),
            Policy::Binomial(states) => self.put(&format!("binomial[{states}] ")),
            Policy::Anew => self.put("anew "),
        }
        self.put("(");
        for (n, (param, initial)) in it.params.iter().enumerate() {
            self.put(if n == 0 { "" } else { ", " });
            self.binders(&[*param]);
            self.put(" = ");
            self.atom(*initial);
        }
        self.put(") ");
        match &it.form {
            Form::For(i, bound) => {
                self.put("for ");
                self.atom(Atom::Var(*i));
                self.put(" < ");
                self.atom(*bound);
                self.put(" ");
            }
            Form::While { condition, bound } => {
                self.put("while");
                if let Some(bound) = bound {
                    self.atoms("[", &[*bound], "]");
                }
                self.put(" ");
                self.body(condition);
                self.put(" ");
            }
        }
        self.body(&it.body);
    }

    fn of_reduce(&mut self, combinator: &str, it: &Reduce) {
        self.put(combinator);
        self.put(if it.commutative { " commutative" } else { "" });
        self.atoms(" (", &it.arrays, ")");
        self.atoms(" from (", &it.neutral, ") ");
        self.lambda(&it.operator);
    }
}
