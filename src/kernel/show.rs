//! Code as text, for those who want to see what becomes of a program.
//!
//! Law: it says everything: values that differ between lanes are written `~v`, the others `v`; buffers that each lane
//! has for itself `~b`, the others `b`; elements that are inside of their buffers for sure `b[…]!` (tests/execute/work.rs,
//! tests/execute/ranges.rs).

use core::fmt;

use super::code::{Block, Buffer, Code, Inside, Line, Matrix, Op, Operand, Output, Place, Port, Product, Stm, Value};
use crate::array::ScalarOp;

struct Shown<'c, T>(&'c Code, T);

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (k, input) in self.inputs.iter().enumerate() {
            let kind = if k < self.given { "input" } else { "constant" };
            match input {
                Port::Scalar(value) => writeln!(f, "{kind} {}", Shown(self, *value))?,
                Port::Array { buffer, sizes } => {
                    write!(f, "{kind} {}", Shown(self, *buffer))?;
                    sizes.iter().try_for_each(|size| write!(f, "[{}]", Shown(self, *size)))?;
                    writeln!(f)?;
                }
            }
        }
        block(f, self, &self.body, 0)?;
        for output in &self.outputs {
            match output {
                Output::Scalar(operand) => writeln!(f, "output {}", Shown(self, *operand))?,
                Output::Array { buffer, sizes, .. } => {
                    write!(f, "output {}", Shown(self, *buffer))?;
                    sizes.iter().try_for_each(|size| write!(f, "[{}]", Shown(self, *size)))?;
                    writeln!(f)?;
                }
            }
        }
        Ok(())
    }
}

impl fmt::Display for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Op::Scalar(op) => f.write_str(&format!("{op:?}").to_lowercase()),
            Op::Select => f.write_str("select"),
            Op::LeastWhere => f.write_str("least-where-equal"),
            Op::MulAdd => f.write_str("x·y+z"),
            Op::MulSub => f.write_str("x·y-z"),
            Op::MulSubtracted => f.write_str("z-x·y"),
            Op::Rule(number) => write!(f, "rule-{number}"),
            Op::Earlier(by) => write!(f, "earlier-by-{by}"),
        }
    }
}

impl fmt::Display for Shown<'_, Value> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mark = if self.0.values[self.1.0 as usize].varying { "~" } else { "" };
        write!(f, "{mark}v{}", self.1.0)
    }
}

impl fmt::Display for Shown<'_, Buffer> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mark = if self.0.buffers[self.1.0 as usize].private { "~" } else { "" };
        write!(f, "{mark}b{}", self.1.0)
    }
}

impl fmt::Display for Shown<'_, Operand> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.1 {
            Operand::Value(value) => Shown(self.0, value).fmt(f),
            Operand::Const(constant) => constant.fmt(f),
        }
    }
}

impl fmt::Display for Shown<'_, Place> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Place { buffer, base, step, lane, varying, inside: Inside(inside) } = self.1;
        write!(f, "{}[{}", Shown(self.0, buffer), Shown(self.0, base))?;
        if let Some((index, stride)) = step {
            write!(f, " + {}·{}", Shown(self.0, index), Shown(self.0, stride))?;
        }
        if let Some(lane) = lane {
            write!(f, " + lane·{}", Shown(self.0, lane))?;
        }
        if let Some(varying) = varying {
            write!(f, " + {}", Shown(self.0, varying))?;
        }
        f.write_str(if inside { "]!" } else { "]" })
    }
}

impl fmt::Display for Shown<'_, Matrix> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Matrix { buffer, base, strides: [down, across] } = self.1;
        let [base, down, across] = [base, down, across].map(|x| Shown(self.0, x));
        write!(f, "{}[{base} + row·{down} + column·{across}]", Shown(self.0, buffer))
    }
}

impl fmt::Display for Shown<'_, Line> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} by {}", Shown(self.0, self.1.place), Shown(self.0, self.1.stride))
    }
}

fn masked(f: &mut fmt::Formatter<'_>, code: &Code, mask: Option<Operand>) -> fmt::Result {
    match mask {
        Some(mask) => writeln!(f, " where {}", Shown(code, mask)),
        None => writeln!(f),
    }
}

fn block(f: &mut fmt::Formatter<'_>, code: &Code, statements: &Block, depth: usize) -> fmt::Result {
    for stm in statements {
        write!(f, "{:1$}", "", depth * 2)?;
        match stm {
            Stm::Let(value, op, operands) => {
                let operands: Vec<String> = operands.iter().map(|x| Shown(code, *x).to_string()).collect();
                writeln!(f, "{} = {op}({})", Shown(code, *value), operands.join(", "))?;
            }
            Stm::Load(value, place) => writeln!(f, "{} = {}", Shown(code, *value), Shown(code, *place))?,
            Stm::Store { place, value, mask } => {
                write!(f, "{} = {}", Shown(code, *place), Shown(code, *value))?;
                masked(f, code, *mask)?;
            }
            Stm::Update { op, place, value, mask } => {
                let (place, value) = (Shown(code, *place), Shown(code, *value));
                match op {
                    ScalarOp::Add => write!(f, "{place} += {value}")?,
                    op => write!(f, "{place} = {op}({place}, {value})")?,
                }
                masked(f, code, *mask)?;
            }
            Stm::Alloc(buffer, count) => writeln!(f, "alloc {}[{}]", Shown(code, *buffer), Shown(code, *count))?,
            Stm::Swap(a, b) => writeln!(f, "swap {}, {}", Shown(code, *a), Shown(code, *b))?,
            Stm::Assign { cells, mask } => {
                let cells: Vec<String> =
                    cells.iter().map(|(cell, x)| format!("{} := {}", Shown(code, *cell), Shown(code, *x))).collect();
                f.write_str(&cells.join(", "))?;
                masked(f, code, *mask)?;
            }
            Stm::Check { condition, mask, blame: _ } => {
                write!(f, "check {}", Shown(code, *condition))?;
                masked(f, code, *mask)?;
            }
            Stm::Bounds { index, length, mask, blame: _ } => {
                write!(f, "check 0 <= {} < {}", Shown(code, *index), Shown(code, *length))?;
                masked(f, code, *mask)?;
            }
            Stm::For { index, count, body, origin: _ } => {
                writeln!(f, "for {} < {}", Shown(code, *index), Shown(code, *count))?;
                block(f, code, body, depth + 1)?;
            }
            Stm::While { before, condition, body, origin: _ } => {
                writeln!(f, "while")?;
                block(f, code, before, depth + 2)?;
                writeln!(f, "{:2$}{} do", "", Shown(code, *condition), depth * 2 + 2)?;
                block(f, code, body, depth + 1)?;
            }
            Stm::If { condition, yes, no } => {
                writeln!(f, "if {}", Shown(code, *condition))?;
                block(f, code, yes, depth + 1)?;
                writeln!(f, "{:1$}else", "", depth * 2)?;
                block(f, code, no, depth + 1)?;
            }
            Stm::Product(product) => {
                let Product { sizes, matrix, rows, columns, adds, origin: _ } = &**product;
                let [m, n] = sizes.map(|size| Shown(code, size));
                let [rows, columns] = [rows, columns].map(|line| Shown(code, *line));
                let matrix = Shown(code, *matrix);
                if *adds {
                    writeln!(f, "product {m} × lanes × {n}: {matrix} += {rows} · {columns}ᵀ")?;
                } else {
                    writeln!(f, "product {m} × {n} × lanes: {rows} = {matrix} · {columns}")?;
                }
            }
            Stm::Scan(scan) => {
                let line = |line: &Line| Shown(code, *line).to_string();
                let from: Vec<String> = scan.from.iter().map(line).collect();
                let to: Vec<String> = scan.to.iter().map(|to| to.as_ref().map_or("_".to_owned(), line)).collect();
                let start: Vec<String> = scan.start.iter().map(|x| Shown(code, *x).to_string()).collect();
                let (count, start) = (Shown(code, scan.count), start.join(", "));
                let [from, to] = [from, to].map(|all| all.join(", "));
                writeln!(f, "scan {:?} < {count} from {start}: {to} = {from}", scan.operator)?;
            }
            Stm::Hist(hist) => {
                let [indices, values, to] = [hist.indices, hist.values, hist.to].map(|line| Shown(code, line));
                let [count, bins, neutral] = [hist.count, hist.bins, hist.neutral].map(|x| Shown(code, x));
                let operator = hist.operator;
                writeln!(f, "hist {operator:?} < {count} of {bins} from {neutral}: {to} at {indices} with {values}")?;
            }
            Stm::Call(call) => writeln!(f, "call {}", call.it.function.name())?,
            Stm::Lanes(lanes) => {
                writeln!(f, "lanes {} < {}", Shown(code, lanes.index), Shown(code, lanes.count))?;
                block(f, code, &lanes.body, depth + 1)?;
            }
        }
    }
    Ok(())
}
