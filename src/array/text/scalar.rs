//! The names of scalar operations in the text form.
//!
//! Law: on operands of one kind each operation has one name, and each name is of one operation (laws: arrays::text).

use core::fmt;

use super::lex::{Kind, Word, is_name};
use super::notation::{Notation, Sheet};
use super::parse::Parser;
use crate::array::scalar::{IntegerRow, ScalarOp};
use crate::array::types::Prim;
use crate::error::Result;
use crate::primitives::Primitive;

/// The name of a row, with its parameter in brackets.
impl Notation for ScalarOp {
    fn print(&self, sheet: &mut impl Sheet) {
        sheet.put(&self.to_string());
    }

    fn starts(parser: &Parser<'_>) -> bool {
        let Word { kind, text, .. } = parser.word();
        let row = is_name(text) || Prim::ALL.iter().any(|prim| prim.name() == text);
        kind == Kind::Name && (row && parser.second() == "(" || matches!(text, "powi" | "polygamma"))
    }

    fn parse(parser: &mut Parser<'_>) -> Result<Self> {
        let Word { text, at, .. } = parser.advance();
        let parameter = if parser.word().text == "[" { Some(parser.parameter_of()?) } else { None };
        let operands = parser.place();
        parser.need("(")?;
        let first = parser.atom()?;
        parser.go_back(operands);
        let integers = parser.builder.type_of(first).prim.is_integer();
        let kind = if integers { "integers" } else { "reals" };
        let found = ScalarOp::named(text, parameter, integers);
        found.ok_or_else(|| parser.wrong(at, format!("there is no function `{text}` of {kind}")))
    }
}

impl ScalarOp {
    /// The operation that the text form calls so, on integers or else on reals.
    ///
    /// ```
    /// use catadiff::array::{IntegerRow, ScalarOp};
    /// use catadiff::primitives::Primitive;
    /// assert_eq!(ScalarOp::named("min", None, true), Some(IntegerRow::Min.into()));
    /// assert_eq!(ScalarOp::named("powi", Some(3), false), Some(Primitive::Powi(3).into()));
    /// assert_eq!(ScalarOp::named("tan", None, true), None);
    /// ```
    #[must_use]
    pub fn named(text: &str, parameter: Option<i64>, integers: bool) -> Option<Self> {
        let convert = || Prim::named(text).map(ScalarOp::Convert);
        let real = |name: &str| Prim::named(name).filter(|kind| kind.is_real());
        let to_bits = text.strip_prefix("bits_of_").and_then(real).map(ScalarOp::ToBits);
        let bits = to_bits.or_else(|| text.strip_suffix("_of_bits").and_then(real).map(ScalarOp::FromBits));
        let row = || IntegerRow::ALL.iter().find(|row| row.name() == text).map(|row| ScalarOp::Integer(*row));
        match (text, parameter) {
            ("add", None) => Some(ScalarOp::Add),
            ("mul", None) => Some(ScalarOp::Mul),
            ("scale", None) => Some(ScalarOp::Scale),
            ("eq", None) => Some(ScalarOp::Equal),
            ("lt", None) => Some(ScalarOp::Less),
            ("le", None) => Some(ScalarOp::LessOrEqual),
            ("not", None) => Some(ScalarOp::Not),
            (_, None) if bits.is_some() => bits,
            (_, None) if integers => convert().or_else(row),
            _ => convert()
                .filter(|_| parameter.is_none())
                .or_else(|| Primitive::named(text, parameter).map(ScalarOp::Row)),
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
