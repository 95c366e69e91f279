//! Operations as C expressions: of numbers that are the same in all lanes (`_1`), and of one for each lane (`_w`).
//!
//! Law: an expression is what lanes compute of the same numbers, bit for bit, but for elementary functions outside of loops over
//! lanes, which are within their stated error; it is defined for all operands (laws: executors::suite, tests/execute/in_c.rs).

use super::print::{Printer, Step};
use crate::array::{Const, IntegerRow, Prim, ScalarOp};
use crate::execute::math::ELEMENTARY;
use crate::kernel::Unsupported;
use crate::kernel::code::{Op, Operand, Value};
use crate::primitives::Primitive;

/// A number for all lanes, or one for each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Width {
    One,
    Wide,
}

impl Width {
    /// The end of the names of what works on it.
    pub(super) fn suffix(self) -> &'static str {
        match self {
            Width::One => "_1",
            Width::Wide => "_w",
        }
    }
}

impl Printer<'_> {
    /// Whether lanes differ in an operand.
    pub(super) fn varies(&self, operand: Operand) -> bool {
        let is_wide = |value: Value| self.code.values[value.0 as usize].varying;
        operand.value().is_some_and(is_wide) || self.along.as_ref().is_some_and(|along| along.is_wide(operand))
    }

    pub(super) fn width(&self, value: Value) -> Width {
        if self.varies(Operand::Value(value)) { Width::Wide } else { Width::One }
    }

    /// The type that reals have in registers.
    pub(super) fn real(&self) -> &'static str {
        if self.code.precision == Prim::F32 { "f32" } else { "f64" }
    }

    /// The letter that names of functions of this kind have, as in `self_1`, `seli_w`.
    fn letter(&self, prim: Prim) -> &'static str {
        match (prim.is_real(), self.code.precision) {
            (true, Prim::F32) => "f",
            (true, _) => "",
            (false, _) => "i",
        }
    }

    /// The type of a kind in registers.
    pub(super) fn register(&self, prim: Prim) -> &'static str {
        if prim.is_real() { self.real() } else { "i64" }
    }

    /// A constant; a negative one in parentheses, since it may become an operand.
    pub(super) fn constant(&self, constant: Const) -> String {
        let text = self.digits(constant);
        if text.starts_with('-') { format!("({text})") } else { text }
    }

    fn digits(&self, constant: Const) -> String {
        let single = self.code.precision == Prim::F32;
        match (constant, constant.real()) {
            (_, Some(x)) if x.is_nan() => {
                if single { "__builtin_nanf(\"\")" } else { "__builtin_nan(\"\")" }.to_owned()
            }
            (_, Some(x)) if x.is_infinite() => {
                let sign = if x < 0.0 { "-" } else { "" };
                format!("{sign}__builtin_inf{}()", if single { "f" } else { "" })
            }
            (_, Some(x)) => format!("{x:?}{}", if single { "f" } else { "" }),
            (Const::Bool(true), None) => "-1".to_owned(),
            (Const::Bool(false), None) => "0".to_owned(),
            (other, None) => match other.integer().expect("what is no real is an integer") as i64 {
                i64::MIN => "INT64_MIN".to_owned(),
                n if i32::try_from(n).is_ok() => n.to_string(),
                n => format!("INT64_C({n})"),
            },
        }
    }

    /// An operand as it is.
    pub(super) fn plain(&self, operand: Operand) -> String {
        match operand {
            Operand::Value(value) => format!("v{}", value.0),
            Operand::Const(constant) => self.constant(constant),
        }
    }

    /// An operand of this width.
    pub(super) fn operand(&self, operand: Operand, width: Width) -> String {
        let plain = self.plain(operand);
        if width == Width::One || self.varies(operand) {
            return plain;
        }
        self.in_all_lanes(self.code.prim(operand), &plain)
    }

    /// A number, for all lanes.
    pub(super) fn in_all_lanes(&self, prim: Prim, plain: &str) -> String {
        format!("all{}_w({plain})", self.letter(prim))
    }

    /// The call of a function of the prelude.
    fn call(&self, name: &str, prim: Prim, width: Width, operands: &[String]) -> String {
        format!("{name}{}{}({})", self.letter(prim), width.suffix(), operands.join(", "))
    }

    /// What `b` is put where the condition is true, else `c`.
    pub(super) fn select(&self, prim: Prim, width: Width, [a, b, c]: [&str; 3]) -> String {
        self.call("sel", prim, width, &[a, b, c].map(str::to_owned))
    }

    /// The value of an operation, as what it is bound to.
    pub(super) fn expression(&mut self, value: Value, op: Op, operands: &[Operand]) -> Step<String> {
        if let Op::Earlier(by) = op {
            return Ok(self.earlier(operands[0], by));
        }
        let wide = operands.iter().any(|x| self.varies(*x));
        let width = if wide { Width::Wide } else { Width::One };
        let x: Vec<String> = operands.iter().map(|x| self.operand(*x, width)).collect();
        let prim = self.code.prim(operands[operands.len() - 1]);
        let to = self.code.prim(Operand::Value(value));
        let found = self.operation(op, prim, to, width, &x)?;
        Ok(match (wide, self.width(value)) {
            (false, Width::Wide) => self.in_all_lanes(to, &found),
            _ => found,
        })
    }

    /// The value of an operation on operands of a kind.
    pub(super) fn operation(&mut self, op: Op, prim: Prim, to: Prim, width: Width, x: &[String]) -> Step<String> {
        let call = |this: &Self, name: &str, operands: &[String]| this.call(name, prim, width, operands);
        Ok(match op {
            Op::Select => call(self, "sel", x),
            Op::LeastWhere => {
                let is_equal = self.call("eq", Prim::F64, width, &x[2..]);
                let lesser = self.call("min", Prim::I64, width, &x[..2]);
                self.select(Prim::I64, width, [&is_equal, &lesser, &x[0]])
            }
            Op::MulAdd => call(self, "madd", x),
            Op::MulSub => call(self, "madd", &[x[0].clone(), x[1].clone(), format!("-{}", x[2])]),
            Op::MulSubtracted => call(self, "madd", &[format!("-{}", x[0]), x[1].clone(), x[2].clone()]),
            Op::Earlier(_) => panic!("what was in earlier lanes is kept, not computed"),
            Op::Rule(_) => panic!("functions of Rust were refused"),
            Op::Scalar(op) if prim.is_real() => {
                let found = self.on_reals(op, prim, width, x)?;
                self.rounded(op, prim, to, width, found)
            }
            Op::Scalar(op) => {
                let found = self.on_integers(op, prim, width, x)?;
                self.rounded(op, prim, to, width, found)
            }
        })
    }

    /// Reals of fewer digits than registers have are rounded, as lanes do.
    fn rounded(&self, op: ScalarOp, from: Prim, to: Prim, width: Width, found: String) -> String {
        let is_rounded = match op {
            ScalarOp::Add | ScalarOp::Mul | ScalarOp::Scale => true,
            ScalarOp::Row(row) => row.facts().ulp != 0,
            ScalarOp::Convert(Prim::F16) => !from.is_real(),
            _ => false,
        };
        if is_rounded && to != self.code.precision { self.round_to(to, width, found) } else { found }
    }

    /// A real, rounded to a kind.
    pub(super) fn round_to(&self, to: Prim, width: Width, found: String) -> String {
        match to {
            Prim::F32 if self.code.precision != Prim::F32 => format!("single{}({found})", width.suffix()),
            Prim::F16 => format!("half{}({found})", width.suffix()),
            _ => found,
        }
    }

    fn on_reals(&mut self, op: ScalarOp, prim: Prim, width: Width, x: &[String]) -> Step<String> {
        let call = |this: &Self, name: &str| this.call(name, prim, width, x);
        Ok(match op {
            ScalarOp::Add => format!("{} + {}", x[0], x[1]),
            ScalarOp::Mul => format!("{} * {}", x[0], x[1]),
            ScalarOp::Scale => call(self, "scale"),
            ScalarOp::Row(row) => return self.row(row, prim, width, x),
            ScalarOp::Equal => call(self, "eq"),
            ScalarOp::Less => call(self, "lt"),
            ScalarOp::LessOrEqual => call(self, "le"),
            ScalarOp::ToBits(kind) => call(self, &format!("tobits_{}", kind.name())),
            ScalarOp::Convert(into) => match into {
                into if into.is_real() => self.round_to(into, width, x[0].clone()),
                Prim::Bool => format!("~{}", self.call("eq", prim, width, &[x[0].clone(), self.zero(prim, width)])),
                Prim::U64 => call(self, "truncu64"),
                into => {
                    let (low, high) = into.bounds();
                    let bounds = [low, high].map(|n| self.integer(n as i64));
                    self.call("trunc", prim, width, &[&[x[0].clone()][..], &bounds].concat())
                }
            },
            ScalarOp::Integer(_) | ScalarOp::Not | ScalarOp::FromBits(_) => {
                unreachable!("the operation is of integers")
            }
        })
    }

    fn integer(&self, n: i64) -> String {
        self.constant(Const::I64(n))
    }

    fn zero(&self, prim: Prim, width: Width) -> String {
        let zero = self.constant(prim.zero());
        if width == Width::Wide { self.in_all_lanes(prim, &zero) } else { zero }
    }

    fn row(&mut self, row: Primitive, prim: Prim, width: Width, x: &[String]) -> Step<String> {
        let one = if self.code.precision == Prim::F32 { "1.0f" } else { "1.0" };
        Ok(match row {
            Primitive::StopGradient => x[0].clone(),
            Primitive::Neg => format!("-{}", x[0]),
            Primitive::Sub => format!("{} - {}", x[0], x[1]),
            Primitive::Div => format!("{} / {}", x[0], x[1]),
            Primitive::Recip => format!("{one} / {}", x[0]),
            Primitive::Powi(2) => format!("{} * {}", x[0], x[0]),
            Primitive::Powi(n) => self.call("power", prim, width, &[x[0].clone(), n.to_string()]),
            Primitive::Single => self.round_to(Prim::F32, width, x[0].clone()),
            Primitive::Half => self.round_to(Prim::F16, width, x[0].clone()),
            Primitive::Select => {
                let is_zero = self.call("eq", prim, width, &[x[0].clone(), self.zero(prim, width)]);
                self.select(prim, width, [&is_zero, &x[2], &x[1]])
            }
            Primitive::Min => self.call("lesser", prim, width, x),
            Primitive::Max => self.call("greater", prim, width, x),
            Primitive::Sqrt | Primitive::Abs | Primitive::GeIndicator => self.call(row.name(), prim, width, x),
            Primitive::Signum | Primitive::Floor | Primitive::Ceil | Primitive::Round | Primitive::Fma => {
                self.call(row.name(), prim, width, x)
            }
            // Of angles that are far from 0 others know what is left of a turn.
            Primitive::Sin | Primitive::Cos | Primitive::Tan => {
                self.needs.angles = true;
                self.call(&format!("any{}", row.name()), prim, width, x)
            }
            Primitive::Lgamma | Primitive::Digamma => {
                self.needs.special = true;
                self.call(row.name(), prim, width, x)
            }
            Primitive::Polygamma(n) => {
                self.needs.special = true;
                self.call(row.name(), prim, width, &[n.to_string(), x[0].clone()])
            }
            row if ELEMENTARY.iter().any(|known| known.name() == row.name()) => {
                self.needs.functions.insert(row.name());
                self.call(row.name(), prim, width, x)
            }
            _ => return Err(Unsupported("a special function that is not printed as C")),
        })
    }

    /// Wraps an integer to its kind.
    pub(super) fn wrapped(&self, prim: Prim, width: Width, x: String) -> String {
        match prim {
            Prim::I64 | Prim::U64 | Prim::Bool => x,
            _ => format!("wrap_{}{}({x})", prim.name(), width.suffix()),
        }
    }

    fn on_integers(&mut self, op: ScalarOp, prim: Prim, width: Width, x: &[String]) -> Step<String> {
        let call = |this: &Self, name: &str| this.call(name, prim, width, x);
        let unsigned = prim == Prim::U64;
        let signed = |name: &'static str, other: &'static str| if unsigned { other } else { name };
        Ok(match op {
            ScalarOp::Add if prim == Prim::Bool => format!("{} | {}", x[0], x[1]),
            ScalarOp::Mul | ScalarOp::Scale if prim == Prim::Bool => format!("{} & {}", x[0], x[1]),
            ScalarOp::Equal if prim == Prim::Bool => format!("~({} ^ {})", x[0], x[1]),
            ScalarOp::Less if prim == Prim::Bool => format!("~{} & {}", x[0], x[1]),
            ScalarOp::LessOrEqual if prim == Prim::Bool => format!("~{} | {}", x[0], x[1]),
            ScalarOp::Add => self.wrapped(prim, width, call(self, "add")),
            ScalarOp::Mul | ScalarOp::Scale => self.wrapped(prim, width, call(self, "mul")),
            ScalarOp::Not => format!("~{}", x[0]),
            ScalarOp::Equal => call(self, "eq"),
            ScalarOp::Less => call(self, signed("lt", "ltu")),
            ScalarOp::LessOrEqual => call(self, signed("le", "leu")),
            ScalarOp::FromBits(kind) => self.call(&format!("frombits_{}", kind.name()), kind, width, x),
            ScalarOp::Convert(into) => self.converted(prim, into, width, &x[0]),
            ScalarOp::Integer(row) => match row {
                IntegerRow::And => format!("{} & {}", x[0], x[1]),
                IntegerRow::Or => format!("{} | {}", x[0], x[1]),
                IntegerRow::Xor => format!("{} ^ {}", x[0], x[1]),
                IntegerRow::Complement => self.wrapped(prim, width, format!("~{}", x[0])),
                IntegerRow::Sub => self.wrapped(prim, width, call(self, "sub")),
                IntegerRow::Neg => self.wrapped(prim, width, call(self, "neg")),
                IntegerRow::Min => call(self, signed("min", "minu")),
                IntegerRow::Max => call(self, signed("max", "maxu")),
                row => {
                    let sign = if prim.is_signed() { "1" } else { "0" };
                    let kind = [prim.bits().to_string(), sign.to_owned()];
                    let found = self.call(row.name(), prim, width, &[x, &kind].concat());
                    self.wrapped(prim, width, found)
                }
            },
            ScalarOp::Row(_) | ScalarOp::ToBits(_) => unreachable!("the operation is of reals"),
        })
    }

    fn converted(&self, from: Prim, into: Prim, width: Width, x: &str) -> String {
        let as_number = if from == Prim::Bool { format!("({x} & 1)") } else { x.to_owned() };
        if into.is_real() {
            let unsigned = if from == Prim::U64 { "u" } else { "" };
            let single = self.code.precision != Prim::F32 && into == Prim::F32;
            let name = if single { "realsingle" } else { "realof" };
            let letter = if self.code.precision == Prim::F32 { "f" } else { "" };
            return format!("{name}{unsigned}{letter}{}({as_number})", width.suffix());
        }
        match (from, into) {
            (Prim::Bool, Prim::Bool) => x.to_owned(),
            (_, Prim::Bool) => {
                format!("~{}", self.call("eq", Prim::I64, width, &[x.to_owned(), self.zero(Prim::I64, width)]))
            }
            (_, into) => self.wrapped(into, width, as_number),
        }
    }
}
