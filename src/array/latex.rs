//! Programs in LaTeX: one statement a line, functions indented below what they are of.
//!
//! Law: every statement is there, in order; rows of the table are written as terms write them; braces and environments are balanced
//! whatever the names are.

use super::agree::Extent;
use super::program::{Atom, Body, Form, Lambda, Loop, Op, Policy, Program, Reduce, Stm, Var};
use super::scalar::ScalarOp;
use super::text;
use super::types::{Const, Type};
use super::verify::deeper;
use crate::term::{name_in_latex, row_in_latex};

impl Program {
    /// The program in LaTeX, as an `array` for mathematical mode.
    ///
    /// ```
    /// use catadiff::array::Program;
    /// let program = Program::parse("program (xs: []f64, x: f64) {
    ///   let v2 = div(x, 2.0f64)
    ///   let v3 = reduce (xs) from (0.0f64) |v4: f64, v5: f64| { let v6 = add(v4, v5) return v6 }
    ///   return v2, v3
    /// }")?;
    /// assert_eq!(program.to_latex(), r"\begin{array}{l}
    /// \mathbf{program}\ (\mathit{xs} : [\,]\mathsf{f64},\ x : \mathsf{f64}) \\
    /// \quad \mathbf{let}\ v_{2} = \frac{x}{2.0} \\
    /// \quad \mathbf{let}\ v_{6} = \mathbf{reduce}\ (\mathit{xs})\ \mathbf{from}\ (0.0)\ \lambda (v_{3}, v_{4}) \\
    /// \quad \quad \mathbf{let}\ v_{5} = v_{3} + v_{4} \\
    /// \quad \quad \mathbf{return}\ v_{5} \\
    /// \quad \mathbf{return}\ v_{2},\ v_{6}
    /// \end{array}
    /// ");
    /// # Ok::<(), catadiff::Error>(())
    /// ```
    #[must_use]
    pub fn to_latex(&self) -> String {
        let mut writer = Writer { program: self, lines: Vec::new(), depth: 0 };
        let params = self.function.params.iter().map(|param| {
            let of = writer.of(self.types.get(param.0 as usize));
            format!("{} : {of}", writer.var(*param))
        });
        let params: Vec<String> = params.collect();
        writer.line(format!(r"\mathbf{{program}}\ ({})", params.join(r",\ ")));
        writer.body(&self.function.body);
        format!("\\begin{{array}}{{l}}\n{}\n\\end{{array}}\n", writer.lines.join(" \\\\\n"))
    }
}

struct Writer<'p> {
    program: &'p Program,
    lines: Vec<String>,
    depth: usize,
}

/// A word of the language.
fn word(word: &str) -> String {
    format!(r"\mathbf{{{}}}", word.replace('_', r"\_"))
}

fn constant(constant: Const) -> String {
    let real = |x: f64, shown: String| match (x.is_nan(), x.is_infinite()) {
        (true, _) => r"\mathrm{NaN}".to_owned(),
        (_, true) => if x < 0.0 { r"-\infty" } else { r"\infty" }.to_owned(),
        _ => match shown.split_once('e') {
            Some((digits, power)) => format!(r"{digits}\mathrm{{e}}{{{power}}}"),
            None => shown,
        },
    };
    match constant {
        Const::Bool(b) => format!(r"\mathrm{{{b}}}"),
        Const::I32(n) => n.to_string(),
        Const::I64(n) => n.to_string(),
        Const::F32(x) => real(x.into(), format!("{x:?}")),
        Const::F64(x) => real(x, format!("{x:?}")),
    }
}

impl Writer<'_> {
    fn line(&mut self, text: String) {
        self.lines.push(r"\quad ".repeat(self.depth) + &text);
    }

    fn var(&self, var: Var) -> String {
        let name = text::name(self.program, var);
        match name.strip_prefix('v') {
            Some(number) if number.bytes().all(|b| b.is_ascii_digit()) => format!("v_{{{number}}}"),
            _ if name.chars().count() == 1 => name,
            _ => format!(r"\mathit{{{}}}", name.replace('_', r"\_")),
        }
    }

    fn of(&self, of: Option<&Type>) -> String {
        let Some(of) = of else { return "?".to_owned() };
        let accumulator = if of.accumulator { word("acc") + r"\ " } else { String::new() };
        format!(r"{accumulator}{}\mathsf{{{}}}", r"[\,]".repeat(of.rank), of.prim)
    }

    fn atom(&self, atom: Atom) -> String {
        match atom {
            Atom::Var(var) => self.var(var),
            Atom::Const(value) => constant(value),
        }
    }

    fn atoms(&self, atoms: &[Atom]) -> String {
        atoms.iter().map(|atom| self.atom(*atom)).collect::<Vec<_>>().join(", ")
    }

    /// An operand that stands behind a sign.
    fn operand(&self, atom: Atom) -> String {
        let text = self.atom(atom);
        if text.starts_with('-') { format!(r"\left({text}\right)") } else { text }
    }

    fn call(&self, function: &str, atoms: &[Atom]) -> String {
        format!(r"\operatorname{{{}}}\left({}\right)", name_in_latex(function), self.atoms(atoms))
    }

    fn binders(&self, vars: &[Var]) -> String {
        let names: Vec<String> = vars.iter().map(|var| self.var(*var)).collect();
        if names.len() == 1 { names[0].clone() } else { format!("({})", names.join(", ")) }
    }

    fn body(&mut self, body: &Body) {
        self.depth += 1;
        deeper(|| body.stms.iter().for_each(|stm| self.statement(stm)));
        let results: Vec<String> = body.results.iter().map(|atom| self.atom(*atom)).collect();
        self.line(format!(r"{}\ {}", word("return"), results.join(r",\ ")).trim_end_matches(r"\ ").to_owned());
        self.depth -= 1;
    }

    fn statement(&mut self, stm: &Stm) {
        let begin = match &stm.vars[..] {
            [] => String::new(),
            vars => format!(r"{}\ {} = ", word("let"), self.binders(vars)),
        };
        match &stm.op {
            Op::If(condition, yes, no) => {
                self.line(format!(r"{begin}{}\ {}\ {}", word("if"), self.atom(*condition), word("then")));
                self.body(yes);
                self.line(word("else"));
                self.body(no);
            }
            Op::Loop(it) => self.of_loop(begin, it),
            Op::Map(it) => {
                let adding = match &it.accumulators[..] {
                    [] => String::new(),
                    accumulators => format!(r"\ {}\ ({})", word("adding"), self.atoms(accumulators)),
                };
                self.with_function(
                    format!(r"{begin}{}\ ({}){adding}", word("map"), self.atoms(&it.arrays)),
                    &it.function,
                );
            }
            Op::Reduce(it) => self.of_reduce(begin, "reduce", it),
            Op::Scan(it) => self.of_reduce(begin, "scan", it),
            Op::Hist(it) => {
                let (to, at, values) = (self.atoms(&it.destinations), self.atom(it.indices), self.atoms(&it.values));
                let line = format!(r"{begin}{}\ ({to})\ {}\ {at}\ ({values})", word("hist"), word("at"));
                let neutral = self.atoms(&it.neutral);
                self.with_function(format!(r"{line}\ {}\ ({neutral})", word("from")), &it.operator);
            }
            Op::Custom(it) => {
                let line = format!(r"{begin}{}\ ({})", word("custom"), self.atoms(&it.arguments));
                self.with_function(line, &it.function);
                self.with_function(word("pullback"), &it.pullback);
            }
            Op::Scalar(..)
            | Op::Copy(_)
            | Op::Iota(_)
            | Op::Replicate(..)
            | Op::Elements(_)
            | Op::Size(..)
            | Op::Index(..)
            | Op::Slice(..)
            | Op::Update(..)
            | Op::Permute(..)
            | Op::Reshape(..)
            | Op::Concat(_)
            | Op::Reverse(_)
            | Op::Scatter(_)
            | Op::ToAccumulator(_)
            | Op::Accumulate(..)
            | Op::FromAccumulator(_)
            | Op::Agree(_) => {
                let line = begin + &self.simple(&stm.op);
                self.line(line);
            }
        }
    }

    fn with_function(&mut self, line: String, function: &Lambda) {
        let params: Vec<String> = function.params.iter().map(|param| self.var(*param)).collect();
        self.line(format!(r"{line}\ \lambda ({})", params.join(", ")));
        self.body(&function.body);
    }

    fn of_reduce(&mut self, begin: String, name: &str, it: &Reduce) {
        let commutes = if it.commutative { r"\ ".to_owned() + &word("commutative") } else { String::new() };
        let line = format!(r"{begin}{}{commutes}\ ({})", word(name), self.atoms(&it.arrays));
        self.with_function(format!(r"{line}\ {}\ ({})", word("from"), self.atoms(&it.neutral)), &it.operator);
    }

    fn of_loop(&mut self, begin: String, it: &Loop) {
        let initial: Vec<String> = it
            .params
            .iter()
            .map(|(param, initial)| format!("{} = {}", self.var(*param), self.atom(*initial)))
            .collect();
        let policy = match it.policy {
            Policy::KeepAll => String::new(),
            Policy::StripMine(levels) => format!(r"\ {}[{levels}]", word("strip_mine")),
            Policy::Binomial(states) => format!(r"\ {}[{states}]", word("binomial")),
            Policy::Anew => format!(r"\ {}", word("anew")),
        };
        let line = format!(r"{begin}{}{policy}\ ({})", word("loop"), initial.join(r",\ "));
        match &it.form {
            Form::For(i, bound) => {
                self.line(format!(r"{line}\ {}\ {} < {}", word("for"), self.var(*i), self.atom(*bound)));
            }
            Form::While { condition, bound } => {
                let bound = bound.map(|bound| format!("[{}]", self.atom(bound))).unwrap_or_default();
                self.line(format!(r"{line}\ {}{bound}", word("while")));
                self.body(condition);
                self.line(word("do"));
            }
        }
        self.body(&it.body);
    }

    /// An operation without functions.
    fn simple(&self, op: &Op) -> String {
        let with = |array: &Atom, at: &[Atom], sign: &str, new: &Atom| {
            format!(r"{}\ {}\ [{}] {sign} {}", self.atom(*array), word("with"), self.atoms(at), self.atom(*new))
        };
        match op {
            Op::Scalar(operation, operands) => self.scalar(*operation, operands),
            Op::Copy(a) => self.atom(*a),
            Op::Iota(n) => self.call("iota", &[*n]),
            Op::Replicate(n, a) => self.call("replicate", &[*n, *a]),
            Op::Elements(atoms) => format!(r"\left[{}\right]", self.atoms(atoms)),
            Op::Size(a, dimension) => format!(r"\operatorname{{size}}_{{{dimension}}}\left({}\right)", self.atom(*a)),
            Op::Index(a, at) => format!("{}[{}]", self.atom(*a), self.atoms(at)),
            Op::Slice(a, ranges) => {
                let range = |range: &super::program::Range| {
                    [range.start, range.count, range.step].map(|part| self.atom(part)).join(" : ")
                };
                format!("{}[{}]", self.atom(*a), ranges.iter().map(range).collect::<Vec<_>>().join(", "))
            }
            Op::Update(a, at, new) => with(a, at, "=", new),
            Op::Accumulate(a, at, new) => with(a, at, r"\mathrel{+}=", new),
            Op::Permute(a, order) => {
                let order: Vec<String> = order.iter().map(usize::to_string).collect();
                format!(r"\operatorname{{permute}}_{{{}}}\left({}\right)", order.join(", "), self.atom(*a))
            }
            Op::Reshape(a, sizes) => self.call("reshape", &[&[*a], sizes.as_slice()].concat()),
            Op::Concat(atoms) => self.call("concat", atoms),
            Op::Reverse(a) => self.call("reverse", &[*a]),
            Op::Scatter(it) => self.call("scatter", &[it.destination, it.indices, it.values]),
            Op::ToAccumulator(a) => self.call("accumulator", &[*a]),
            Op::FromAccumulator(a) => self.call("array", &[*a]),
            Op::Agree(it) => {
                let times = match &it.times[..] {
                    [] => String::new(),
                    times => format!(r"\ {}\ {}", word("times"), self.extents(times)),
                };
                let (first, second) = (self.extents(&it.first), self.extents(&it.second));
                format!(r"{}\ {first} = {second}{times}", word("agree"))
            }
            Op::If(..) | Op::Loop(_) | Op::Map(_) | Op::Reduce(_) | Op::Scan(_) | Op::Hist(_) | Op::Custom(_) => {
                panic!("an operation with functions takes more than a line")
            }
        }
    }

    fn extents(&self, extents: &[Extent]) -> String {
        let one = |extent: &Extent| match extent {
            Extent::Number(atom) => self.operand(*atom),
            Extent::Of(array, dimension) => {
                format!(r"\operatorname{{size}}_{{{dimension}}}\left({}\right)", self.atom(*array))
            }
        };
        let factors: Vec<String> = extents.iter().map(one).collect();
        if factors.is_empty() { "1".to_owned() } else { factors.join(r" \cdot ") }
    }

    fn scalar(&self, operation: ScalarOp, operands: &[Atom]) -> String {
        let between = |sign: &str| match operands {
            [a, b] => format!("{} {sign} {}", self.atom(*a), self.operand(*b)),
            _ => self.call(&operation.to_string(), operands),
        };
        match operation {
            ScalarOp::Add => between("+"),
            ScalarOp::Mul | ScalarOp::Scale => between(r"\cdot"),
            ScalarOp::Equal => between("="),
            ScalarOp::Less => between("<"),
            ScalarOp::LessOrEqual => between(r"\le"),
            ScalarOp::Not => format!(r"\neg {}", self.atoms(operands)),
            ScalarOp::Convert(to) => format!(r"\mathsf{{{to}}}\left({}\right)", self.atoms(operands)),
            ScalarOp::Row(row) => row_in_latex(row, operands.iter().map(|atom| self.atom(*atom))),
            ScalarOp::Integer(_) | ScalarOp::ToBits(_) | ScalarOp::FromBits(_) => {
                self.call(&operation.to_string(), operands)
            }
        }
    }
}
