//! Programs in LaTeX: one statement a line, functions indented below what they are of.
//!
//! Law: every statement is there, in order; rows of the table are written as terms write them; braces and environments
//! are balanced whatever the names are (laws: drawings::of_program).

use super::operation::Op;
use super::program::{Atom, Body, Lambda, Program, Stm, Var};
use super::scalar::ScalarOp;
use super::text::{self, Notation, Sheet};
use super::types::{Const, Prim, Type};
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
        let mut writer = Writer { program: self, lines: Vec::new(), line: String::new(), depth: 0 };
        let params = self.function.params.iter().map(|param| {
            let of = writer.of(self.types.get(param.0 as usize));
            format!("{} : {of}", writer.var(*param))
        });
        let params: Vec<String> = params.collect();
        writer.line = format!(r"\mathbf{{program}}\ ({})", params.join(r",\ "));
        writer.end_line();
        writer.body(&self.function.body);
        format!("\\begin{{array}}{{l}}\n{}\n\\end{{array}}\n", writer.lines.join(" \\\\\n"))
    }
}

struct Writer<'p> {
    program: &'p Program,
    lines: Vec<String>,
    /// The line that is being written.
    line: String,
    depth: usize,
}

/// A word of the language.
fn word(word: &str) -> String {
    format!(r"\mathbf{{{}}}", word.replace('_', r"\_"))
}

fn constant(constant: Const) -> String {
    let mut shown = String::new();
    constant.write_digits(&mut shown).expect("what is written to text is kept");
    match constant.real() {
        Some(x) if x.is_nan() => r"\mathrm{NaN}".to_owned(),
        Some(x) if x.is_infinite() => if x < 0.0 { r"-\infty" } else { r"\infty" }.to_owned(),
        Some(_) => match shown.split_once('e') {
            Some((digits, power)) => format!(r"{digits}\mathrm{{e}}{{{power}}}"),
            None => shown,
        },
        None if constant.prim() == Prim::Bool => format!(r"\mathrm{{{shown}}}"),
        None => shown,
    }
}

impl Writer<'_> {
    /// Ends the line that is being written, if something is on it: what ends with a body has ended its own.
    fn end_line(&mut self) {
        let line = core::mem::take(&mut self.line);
        let line = line.trim_start_matches(r"\ ").trim_end_matches(r"\ ");
        if !line.is_empty() {
            self.lines.push(r"\quad ".repeat(self.depth) + line);
        }
    }

    fn var(&self, var: Var) -> String {
        let name = text::name(self.program, var);
        match name.strip_prefix('v') {
            Some(number) if number.bytes().all(|b| b.is_ascii_digit()) => format!("v_{{{number}}}"),
            _ if name.chars().count() == 1 => name,
            _ => format!(r"\mathit{{{}}}", name.replace('_', r"\_")),
        }
    }

    fn vars(&self, vars: &[Var]) -> String {
        vars.iter().map(|var| self.var(*var)).collect::<Vec<_>>().join(", ")
    }

    fn of(&self, of: Option<&Type>) -> String {
        let Some(of) = of else { return "?".to_owned() };
        let accumulator = if of.accumulator { word("acc") + r"\ " } else { String::new() };
        format!(r"{accumulator}{}\mathsf{{{}}}", r"[\,]".repeat(of.rank), of.prim)
    }

    fn shown(&self, atom: Atom) -> String {
        match atom {
            Atom::Var(var) => self.var(var),
            Atom::Const(value) => constant(value),
        }
    }

    fn body(&mut self, body: &Body) {
        self.depth += 1;
        deeper(|| body.stms.iter().for_each(|stm| self.statement(stm)));
        let results: Vec<String> = body.results.iter().map(|atom| self.shown(*atom)).collect();
        self.line = format!(r"{}\ {}", word("return"), results.join(r",\ "));
        self.end_line();
        self.depth -= 1;
    }

    fn statement(&mut self, stm: &Stm) {
        match &stm.vars[..] {
            [] => {}
            [var] => self.line = format!(r"{}\ {} = ", word("let"), self.var(*var)),
            vars => self.line = format!(r"{}\ ({}) = ", word("let"), self.vars(vars)),
        }
        match &stm.op {
            Op::Scalar(operation, operands) => self.line += &self.scalar(*operation, operands),
            op => op.print(self),
        }
        self.end_line();
    }

    fn scalar(&self, operation: ScalarOp, operands: &[Atom]) -> String {
        let all = || operands.iter().map(|atom| self.shown(*atom)).collect::<Vec<_>>().join(", ");
        let call = || format!(r"\operatorname{{{}}}\left({}\right)", name_in_latex(&operation.to_string()), all());
        // Behind a sign, a negative number stands in parentheses.
        let behind = |text: String| if text.starts_with('-') { format!(r"\left({text}\right)") } else { text };
        let between = |sign: &str| match operands {
            [a, b] => format!("{} {sign} {}", self.shown(*a), behind(self.shown(*b))),
            _ => call(),
        };
        match operation {
            ScalarOp::Add => between("+"),
            ScalarOp::Mul | ScalarOp::Scale => between(r"\cdot"),
            ScalarOp::Equal => between("="),
            ScalarOp::Less => between("<"),
            ScalarOp::LessOrEqual => between(r"\le"),
            ScalarOp::Not => format!(r"\neg {}", all()),
            ScalarOp::Convert(to) => format!(r"\mathsf{{{to}}}\left({}\right)", all()),
            ScalarOp::Row(row) => row_in_latex(row, operands.iter().map(|atom| self.shown(*atom))),
            ScalarOp::Integer(_) | ScalarOp::ToBits(_) | ScalarOp::FromBits(_) => call(),
        }
    }
}

/// Operations are written in their notation, with words in bold and functions upright.
impl Sheet for Writer<'_> {
    fn put(&mut self, text: &str) {
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            let is_word = |c: char| c.is_alphanumeric() || c == '_';
            let end = if first.is_alphabetic() { rest.find(|c| !is_word(c)) } else { Some(first.len_utf8()) };
            let (found, then) = rest.split_at(end.unwrap_or(rest.len()));
            match first {
                ' ' => self.line += r"\ ",
                '+' if then.starts_with('=') => self.line += r"\mathrel{+}",
                _ if !first.is_alphabetic() => self.line += found,
                _ if then.starts_with(['(', '[']) => self.line += &format!(r"\operatorname{{{found}}}"),
                _ => self.line += &word(found),
            }
            rest = then;
        }
    }

    fn atom(&mut self, atom: Atom) {
        self.line += &self.shown(atom);
    }

    fn binders(&mut self, vars: &[Var]) {
        self.line += &self.vars(vars);
    }

    fn body(&mut self, body: &Body) {
        if self.line.trim_start_matches(r"\ ").is_empty() {
            // A second body, after the condition of a loop.
            self.line = word("do");
        }
        self.end_line();
        Writer::body(self, body);
    }

    fn function(&mut self, function: &Lambda) {
        self.line += &format!(r"\lambda ({})", self.vars(&function.params));
        self.end_line();
        Writer::body(self, &function.body);
    }
}
