//! Loops over lanes in parts that may run at the same time: how many parts a loop has, and what is put together of what they leave.
//!
//! A part has a copy of what all lanes add to, and a place of its own for what its lanes have folded.
//!
//! Law: the parts depend on the loop alone, and what they leave is put together in their order; so the results are the same bits
//! with any number of threads (tests/execute/native.rs, tests/execute/in_c.rs).

use rustc_hash::FxHashSet;

use super::operation::Width;
use super::print::{Printer, Step};
use crate::array::{Prim, ScalarOp};
use crate::kernel::code::{Block, Buffer, Lanes, Op, Operand, Stm, Value};
use crate::kernel::parts::{each, sets};

/// How many other operations an elementary function costs.
const ROW: f64 = 8.0;
/// How many other operations it costs to load or store what lanes have at places of their own.
const GATHER: f64 = 4.0;

/// About how many operations a block of lanes takes: sums of products of numbers and of counts.
struct Work {
    terms: Vec<(f64, Vec<Value>)>,
}

impl Work {
    /// Of a loop over lanes. Only counts that are known before it count.
    fn of(lanes: &Lanes) -> Self {
        let mut work = Work { terms: Vec::new() };
        work.block(&lanes.body, &before(lanes), (1.0, &[]));
        work
    }

    fn add(&mut self, weight: f64, counts: &[Value]) {
        match self.terms.iter_mut().find(|(_, known)| known == counts) {
            Some((known, _)) => *known += weight,
            None => self.terms.push((weight, counts.to_vec())),
        }
    }

    fn block(&mut self, block: &Block, known: &FxHashSet<Value>, (times, counts): (f64, &[Value])) {
        // A block so often again: as often as is known, or once.
        let again = |factors: &[Operand]| {
            let (mut times, mut counts) = (times, counts.to_vec());
            for factor in factors {
                match factor {
                    Operand::Const(constant) => times *= constant.integer().map_or(1.0, |n| n.max(1) as f64),
                    Operand::Value(value) if known.contains(value) => counts.push(*value),
                    Operand::Value(_) => {}
                }
            }
            counts.sort_unstable();
            (times, counts)
        };
        for stm in block {
            match stm {
                Stm::For { count, body, .. } => {
                    let (times, counts) = again(&[*count]);
                    self.block(body, known, (times, &counts));
                }
                Stm::Product(product) => {
                    let (times, counts) = again(&product.sizes);
                    self.add(times, &counts);
                }
                stm => {
                    let is_apart =
                        stm.touches().into_iter().any(|(_, _, place)| place.is_some_and(|p| p.varying.is_some()));
                    let weight = match stm {
                        Stm::Let(_, Op::Scalar(ScalarOp::Row(_)), _) => ROW,
                        _ if is_apart => GATHER,
                        _ => 1.0,
                    };
                    self.add(times * weight, counts);
                    stm.blocks().into_iter().for_each(|inner| self.block(inner, known, (times, counts)));
                }
            }
        }
    }

    /// As an expression.
    fn text(&self) -> String {
        let term = |(times, counts): &(f64, Vec<Value>)| {
            let counts: String = counts.iter().map(|count| format!(" * often(v{})", count.0)).collect();
            format!("{times:?}{counts}")
        };
        self.terms.iter().map(term).collect::<Vec<_>>().join(" + ")
    }
}

/// Whether parts of a loop may run at the same time: none writes where another may.
pub(super) fn has_parts(lanes: &Lanes) -> bool {
    lanes.scatters.is_empty()
}

/// The values that are set before a loop, of those that it uses.
pub(super) fn before(lanes: &Lanes) -> FxHashSet<Value> {
    let mut set: FxHashSet<Value> = lanes.folds.iter().map(|fold| fold.cell).chain([lanes.index]).collect();
    sets(&lanes.body, &mut set);
    let mut values: FxHashSet<Value> = lanes.folds.iter().filter_map(|fold| fold.start.value()).collect();
    each(&lanes.body, &mut |stm| {
        values.extend(stm.operands().into_iter().filter_map(Operand::value).filter(|value| !set.contains(value)));
    });
    values
}

/// What decides how many parts a loop has, as expressions.
pub(super) struct Decides {
    /// About how many operations a block of lanes takes.
    pub(super) work: String,
    /// How many elements a part has copies of.
    pub(super) copied: String,
    /// The counts that are in the first.
    pub(super) counts: Vec<Value>,
}

impl Decides {
    pub(super) fn of(lanes: &Lanes) -> Self {
        let work = Work::of(lanes);
        let copied = lanes.adds.iter().map(|buffer| format!("(f64_1)n{}", buffer.0)).collect::<Vec<_>>().join(" + ");
        Decides {
            copied: if copied.is_empty() { "0".to_owned() } else { copied },
            counts: work.terms.iter().flat_map(|(_, counts)| counts.iter().copied()).collect(),
            work: if work.terms.is_empty() { "0".to_owned() } else { work.text() },
        }
    }
}

impl Printer<'_> {
    /// The function of a part of a loop.
    pub(super) fn part(&mut self, number: usize, lanes: &Lanes, each: &str) {
        self.open(&format!("static int part_{number}(struct context *context, const void *task, i64_1 part) {{"));
        self.line(&format!("struct loop_{number} needs = *(const struct loop_{number} *)task;"));
        self.line("const i64_1 from = part * needs.share;");
        self.line("const i64_1 to = needs.count - from < needs.share ? needs.count : from + needs.share;");
        if !lanes.adds.is_empty() {
            self.open("if (part > 0) {");
            for Buffer(b) in &lanes.adds {
                self.line(&format!("needs.b{b} = needs.copies{b} + (part - 1) * needs.n{b};"));
                self.line(&format!(
                    "if (needs.n{b} > 0) memset(needs.b{b}, 0, (size_t)needs.n{b} * sizeof *needs.b{b});"
                ));
            }
            self.close();
        }
        for fold in &lanes.folds {
            self.line(&format!("needs.found{} += part * {each};", fold.found.0));
        }
        self.line(&format!("return loop_{number}(context, &needs, from, to);"));
        self.close();
        self.line("");
    }

    /// The function that adds to some elements what parts have added to copies of them, part by part.
    pub(super) fn add_copies(&mut self, number: usize, lanes: &Lanes) -> Step<()> {
        self.open(&format!(
            "static int add_copies_{number}(struct context *context, const void *task, i64_1 piece) {{"
        ));
        self.line(&format!("const struct loop_{number} *const needs = task;"));
        self.line("const i64_1 parts = parts_of(needs->count, needs->share);");
        for buffer in &lanes.adds {
            let (b, stored) = (buffer.0, self.stored(*buffer));
            self.line(&format!("{stored} *const b{b} = needs->b{b};"));
            self.line(&format!("const i64_1 n{b} = needs->n{b}, each{b} = n{b} / needs->pieces + 1;"));
            self.open("for (i64_1 part = 1; part < parts; part++) {");
            self.line(&format!("const {stored} *const more = needs->copies{b} + (part - 1) * n{b};"));
            let first = format!("i64_1 k = piece * each{b}");
            self.open(&format!("for ({first}; k < mini_1(n{b}, (piece + 1) * each{b}); k++) {{"));
            let sum = self.added(*buffer, ["k", "more[k]"])?;
            self.line(&sum);
            self.close();
            self.close();
        }
        self.line("return 0;");
        self.close();
        self.line("");
        Ok(())
    }

    /// Adds a number to an element.
    fn added(&mut self, buffer: Buffer, [at, x]: [&str; 2]) -> Step<String> {
        let (b, prim) = (buffer.0, self.element(buffer));
        let loaded = |x: String| if prim == Prim::Bool { format!("negi_1({x})") } else { x };
        let operands = [loaded(format!("b{b}[{at}]")), loaded(x.to_owned())];
        let sum = self.operation(Op::Scalar(ScalarOp::Add), prim, prim, Width::One, &operands)?;
        let stored = self.stored(buffer);
        Ok(format!("b{b}[{at}] = ({stored}){};", Self::to_memory(prim, format!("({sum})"))))
    }
}
