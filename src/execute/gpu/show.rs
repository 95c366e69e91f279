//! Plans as text: what the host does, and which kernels start.
//!
//! Law: each step has a line, and a kernel's says what it is started on, what it reads and what it writes (tests/gpu/kernels.rs).

use core::fmt;

use super::kernel::{Kernel, Space, Use};
use super::plan::{Plan, Step};
use super::print::name;
use crate::kernel::code::{Operand, Value};

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        steps(f, self, &self.steps, 0)
    }
}

fn operand(x: Operand) -> String {
    match x {
        Operand::Value(value) => name(value),
        Operand::Const(constant) => constant.to_string(),
    }
}

fn listed<T>(all: &[T], one: impl Fn(&T) -> String) -> String {
    all.iter().map(one).collect::<Vec<_>>().join(", ")
}

fn steps(f: &mut fmt::Formatter<'_>, plan: &Plan, all: &[Step], depth: usize) -> fmt::Result {
    for step in all {
        write!(f, "{:1$}", "", depth * 2)?;
        match step {
            Step::Let(value, op, operands) => {
                writeln!(f, "{} = {op}({})", name(*value), listed(operands, |x| operand(*x)))?;
            }
            Step::Assign(cells) => {
                writeln!(f, "{}", listed(cells, |(cell, x)| format!("{} := {}", name(*cell), operand(*x))))?;
            }
            Step::Check(condition, _) => writeln!(f, "check {}", operand(*condition))?,
            Step::Bounds(index, length, _) => writeln!(f, "check 0 <= {} < {}", operand(*index), operand(*length))?,
            Step::Fetch(values) => writeln!(f, "wait for {}", listed(values, |value: &Value| name(*value)))?,
            Step::Alloc(buffer, count) => writeln!(f, "alloc b{}[{}]", buffer.0, operand(*count))?,
            Step::Swap(a, b) => writeln!(f, "swap b{}, b{}", a.0, b.0)?,
            Step::Kernel(k) => kernel(f, *k, &plan.kernels[*k])?,
            Step::For { index, count, body } => {
                writeln!(f, "for {} < {}", name(*index), operand(*count))?;
                steps(f, plan, body, depth + 1)?;
            }
            Step::While { before, condition, body } => {
                writeln!(f, "while")?;
                steps(f, plan, before, depth + 2)?;
                writeln!(f, "{:2$}{} do", "", operand(*condition), depth * 2 + 2)?;
                steps(f, plan, body, depth + 1)?;
            }
            Step::If { condition, yes, no } => {
                writeln!(f, "if {}", operand(*condition))?;
                steps(f, plan, yes, depth + 1)?;
                if !no.is_empty() {
                    writeln!(f, "{:1$}else", "", depth * 2)?;
                    steps(f, plan, no, depth + 1)?;
                }
            }
        }
    }
    Ok(())
}

fn kernel(f: &mut fmt::Formatter<'_>, k: usize, kernel: &Kernel) -> fmt::Result {
    match &kernel.space {
        Space::Serial => write!(f, "kernel {k}: one thread")?,
        Space::Lanes { count, folded, .. } => {
            write!(f, "kernel {k}: lanes < {}", operand(*count))?;
            if let Some(folded) = folded {
                write!(f, ", which leave {} results", name(*folded))?;
            }
        }
    }
    for (word, how) in [
        ("reads", Use::Reads),
        ("writes", Use::Writes),
        ("adds to", Use::Shares),
        ("claims", Use::Claims),
        ("scatters to", Use::Owns),
    ] {
        let of: Vec<_> = kernel.bindings.iter().filter(|binding| binding.how == how).collect();
        if !of.is_empty() {
            write!(f, "; {word} {}", listed(&of, |binding| format!("b{}", binding.buffer.0)))?;
        }
    }
    if !kernel.private.is_empty() {
        write!(f, "; each thread has {}", listed(&kernel.private, |(buffer, ..)| format!("b{}", buffer.0)))?;
    }
    writeln!(f)
}
