//! Scans, histograms and scatters of scalars as plain C loops, which keep what they carry in registers.
//!
//! Law: elements are combined from the first to the last, as in the interpreter; all elements that a loop goes through are
//! asked for once, before it (laws: executors::suite, tests/execute/sweeps.rs).

use super::operation::Width;
use super::print::{Printer, Step, stored};
use crate::array::{IntegerRow, Prim, ScalarOp};
use crate::kernel::code::{Hist, Line, Op, Operand, Scan};
use crate::kernel::operator::Operator;
use crate::primitives::Primitive;

/// Elements in a line, in the scope that declares where they are.
struct Named {
    buffer: u32,
    first: String,
    by: Option<String>,
}

impl Named {
    fn at(&self, k: &str) -> String {
        let Named { buffer, first, by } = self;
        match by {
            None => format!("b{buffer}[{first} + {k}]"),
            Some(by) => format!("b{buffer}[{first} + {by} * {k}]"),
        }
    }
}

impl Printer<'_> {
    /// Says where elements in a line are, by names with this end, and makes sure of `count` of them.
    fn named(&mut self, line: &Line, end: &str, count: &str) -> Named {
        let (buffer, first) = (line.place.buffer.0, format!("first{end}"));
        let by = (line.stride != Operand::int(1)).then(|| format!("by{end}"));
        self.line(&format!("const i64_1 {first} = {};", self.start(&line.place)));
        if let Some(by) = &by {
            self.line(&format!("const i64_1 {by} = {};", self.plain(line.stride)));
        }
        let far = by.as_ref().map_or_else(|| format!("({count} - 1)"), |by| format!("muli_1({by}, {count} - 1)"));
        let both = format!("IS_THERE({first}, n{buffer}) && IS_THERE(addi_1({first}, {far}), n{buffer})");
        self.check(Width::One, &format!("{count} > 0 && !({both})"), None, None);
        Named { buffer, first, by }
    }

    pub(super) fn scan(&mut self, it: &Scan) -> Step<()> {
        let prim = self.element(it.from[0].place.buffer);
        let register = self.register(prim);
        self.open("{");
        self.line(&format!("const i64_1 count = {};", self.plain(it.count)));
        let lines = |this: &mut Self, name: &str, lines: &[Option<Line>]| -> Vec<Option<Named>> {
            let named = |(k, line): (usize, &Option<Line>)| {
                line.as_ref().map(|line| this.named(line, &format!("_{name}{k}"), "count"))
            };
            lines.iter().enumerate().map(named).collect()
        };
        let from: Vec<Option<Line>> = it.from.iter().copied().map(Some).collect();
        let (from, to) = (lines(self, "from", &from), lines(self, "to", &it.to));
        for (k, start) in it.start.iter().enumerate() {
            self.line(&format!("{register}_1 state{k} = {};", self.plain(*start)));
        }
        self.counted("k", "count", |this| {
            for (k, from) in from.iter().flatten().enumerate() {
                this.line(&format!("const {register}_1 x{k} = ({register}_1){};", from.at("k")));
            }
            let names = |name: &str| (0..from.len()).map(|k| format!("{name}{k}")).collect::<Vec<_>>();
            let found = this.combined(it.operator, prim, &names("state"), &names("x"))?;
            for (k, found) in found.iter().enumerate() {
                this.line(&format!("const {register}_1 next{k} = {found};"));
            }
            for (k, to) in to.iter().enumerate() {
                this.line(&format!("state{k} = next{k};"));
                if let Some(to) = to {
                    this.line(&format!("{} = ({})next{k};", to.at("k"), stored(prim)));
                }
            }
            Ok(())
        })?;
        self.close();
        Ok(())
    }

    pub(super) fn hist(&mut self, it: &Hist) -> Step<()> {
        let prim = self.element(it.to.place.buffer);
        let (register, stored) = (self.register(prim), self.stored(it.to.place.buffer));
        self.open("{");
        self.line(&format!("const i64_1 count = {}, bins = {};", self.plain(it.count), self.plain(it.bins)));
        let indices = self.named(&it.indices, "_index", "count");
        let values = self.named(&it.values, "_value", "count");
        let to = self.named(&it.to, "_bin", "bins");
        self.counted("k", "count", |this| {
            this.line(&format!("const i64_1 at = {};", indices.at("k")));
            this.open("if (IS_THERE(at, bins)) {");
            this.line(&format!("const {register}_1 x = ({register}_1){};", values.at("k")));
            let bin = to.at("at");
            match it.operator {
                Operator::Last => this.line(&format!("{bin} = ({stored})x;")),
                operator => {
                    this.line(&format!("const {register}_1 bin = ({register}_1){bin};"));
                    if let Some(takes) = takes(operator, "bin", "x") {
                        this.line(&format!("if ({takes}) {bin} = ({stored})x;"));
                    } else {
                        let found = this.combined(operator, prim, &["bin".to_owned()], &["x".to_owned()])?;
                        this.line(&format!("{bin} = ({stored})({});", found[0]));
                    }
                }
            }
            this.close();
            Ok(())
        })?;
        self.close();
        Ok(())
    }

    /// What an operator makes of two states, component by component.
    fn combined(&mut self, operator: Operator, prim: Prim, a: &[String], b: &[String]) -> Step<Vec<String>> {
        let of =
            |this: &mut Self, op: ScalarOp, x: &[String]| this.operation(Op::Scalar(op), prim, prim, Width::One, x);
        let both = [a[0].clone(), b[0].clone()];
        let row = match operator {
            Operator::Add => ScalarOp::Add,
            Operator::Mul => ScalarOp::Mul,
            Operator::Min if prim.is_real() => ScalarOp::Row(Primitive::Min),
            Operator::Max if prim.is_real() => ScalarOp::Row(Primitive::Max),
            Operator::Min => IntegerRow::Min.into(),
            Operator::Max => IntegerRow::Max.into(),
            Operator::And => IntegerRow::And.into(),
            Operator::Or => IntegerRow::Or.into(),
            Operator::Xor => IntegerRow::Xor.into(),
            Operator::Last => return Ok(vec![b[0].clone()]),
            Operator::Later { .. } => {
                let takes = takes(operator, &a[0], &b[0]).expect("it is a choice");
                return Ok(vec![format!("{takes} ? {} : {}", b[0], a[0])]);
            }
            Operator::Recurrence => {
                let product = of(self, ScalarOp::Mul, &both)?;
                if prim == self.code.precision {
                    let x = [a[1].clone(), b[0].clone(), b[1].clone()];
                    let sum = self.operation(Op::MulAdd, prim, prim, Width::One, &x)?;
                    return Ok(vec![product, sum]);
                }
                let scaled = of(self, ScalarOp::Mul, &[a[1].clone(), b[0].clone()])?;
                let sum = of(self, ScalarOp::Add, &[format!("({scaled})"), b[1].clone()])?;
                return Ok(vec![product, sum]);
            }
        };
        Ok(vec![of(self, row, &both)?])
    }
}

/// When an operator that chooses takes the second operand.
fn takes(operator: Operator, a: &str, b: &str) -> Option<String> {
    let Operator::Later { greater, equal } = operator else { return None };
    let test = if equal { "<=" } else { "<" };
    let (less, more) = if greater { (a, b) } else { (b, a) };
    Some(format!("{less} {test} {more}"))
}
