//! Parsing operations: what stands to the right of `=`.
//!
//! Law: each operation has one notation, and each notation is of one operation once the types of its operands are known.

use super::lex::{Kind, Word, is_name};
use super::parse::Parser;
use crate::array::agree::{Agree, Agreement, Extent};
use crate::array::program::{Atom, Custom, Form, Hist, Loop, Map, Op, Policy, Range, Reduce, Scatter};
use crate::array::scalar::{IntegerRow, ScalarOp};
use crate::array::types::Prim;
use crate::error::Result;
use crate::primitives::Primitive;

impl Parser<'_> {
    pub(super) fn operation(&mut self) -> Result<Op> {
        let Word { kind, text, at } = self.word();
        if self.take("[") {
            return Ok(Op::Elements(self.list("]", Self::atom)?));
        }
        if kind != Kind::Name {
            return self.indexing();
        }
        if is_name(text) {
            return if self.second() == "(" { self.scalar() } else { self.indexing() };
        }
        if Prim::ALL.iter().any(|p| p.name() == text) {
            return if self.second() == "." { self.indexing() } else { self.scalar() };
        }
        match text {
            "powi" | "polygamma" => return self.scalar(),
            "true" | "false" => return self.indexing(),
            _ => self.advance(),
        };
        Ok(match text {
            "copy" => Op::Copy(self.one()?),
            "iota" => Op::Iota(self.one()?),
            "replicate" => {
                let [n, a] = self.some()?;
                Op::Replicate(n, a)
            }
            "size" => {
                let dimension = self.parameter_of()?;
                Op::Size(self.one()?, dimension)
            }
            "slice" => {
                let a = self.atom()?;
                self.need("[")?;
                Op::Slice(a, self.list("]", Self::range)?)
            }
            "permute" => {
                self.need("[")?;
                let order = self.list("]", Self::integer)?;
                Op::Permute(self.one()?, order)
            }
            "reshape" => {
                let mut atoms = self.atoms()?;
                if atoms.is_empty() {
                    return Err(self.wrong(at, "`reshape` takes an array and its new sizes"));
                }
                Op::Reshape(atoms.remove(0), atoms)
            }
            "concat" => Op::Concat(self.atoms()?),
            "reverse" => Op::Reverse(self.one()?),
            "accumulator" => Op::ToAccumulator(self.one()?),
            "array" => Op::FromAccumulator(self.one()?),
            "if" => {
                let condition = self.atom()?;
                let yes = Box::new(self.body()?);
                self.need("else")?;
                Op::If(condition, yes, Box::new(self.body()?))
            }
            "loop" => Op::Loop(Box::new(self.of_loop()?)),
            "map" => {
                let arrays = self.atoms()?;
                let accumulators = if self.take("adding") { self.atoms()? } else { Vec::new() };
                Op::Map(Box::new(Map { function: self.lambda()?, arrays, accumulators }))
            }
            "reduce" => Op::Reduce(Box::new(self.of_reduce()?)),
            "scan" => Op::Scan(Box::new(self.of_reduce()?)),
            "hist" => {
                let destinations = self.atoms()?;
                self.need("at")?;
                let indices = self.atom()?;
                let values = self.atoms()?;
                let neutral = self.neutral()?;
                Op::Hist(Box::new(Hist { operator: self.lambda()?, neutral, destinations, indices, values }))
            }
            "scatter" => {
                let [destination, indices, values] = self.some()?;
                Op::Scatter(Box::new(Scatter { destination, indices, values }))
            }
            "custom" => {
                let arguments = self.atoms()?;
                let function = self.lambda()?;
                self.need("pullback")?;
                Op::Custom(Box::new(Custom { function, pullback: self.lambda()?, arguments }))
            }
            "agree" => {
                let Word { text, at, .. } = self.advance();
                let what = Agreement::ALL.iter().copied().find(|what| what.word() == text);
                let what = what.ok_or_else(|| self.wrong(at, format!("there is no reason `{text}` to agree")))?;
                let first = self.extents()?;
                self.need("=")?;
                let second = self.extents()?;
                let times = if self.take("times") { self.extents()? } else { Vec::new() };
                Op::Agree(Box::new(Agree { what, first, second, times }))
            }
            _ => return Err(self.wrong(at, format!("expected an operation, not `{text}`"))),
        })
    }

    /// Sizes of arrays, and numbers.
    fn extents(&mut self) -> Result<Vec<Extent>> {
        self.need("(")?;
        self.list(")", |parser| {
            if !parser.take("size") {
                return Ok(Extent::Number(parser.atom()?));
            }
            let dimension = parser.parameter_of()?;
            Ok(Extent::Of(parser.one()?, dimension))
        })
    }

    /// As many operands as are needed.
    fn some<const N: usize>(&mut self) -> Result<[Atom; N]> {
        let at = self.word().at;
        let atoms = self.atoms()?;
        let found = atoms.len();
        atoms.try_into().map_err(|_| self.wrong(at, format!("{N} operands are needed, not {found}")))
    }

    fn one(&mut self) -> Result<Atom> {
        self.some().map(|[a]| a)
    }

    fn integer<T: core::str::FromStr>(&mut self) -> Result<T> {
        let at = self.word().at;
        let sign = if self.take("-") { "-" } else { "" };
        if self.word().kind != Kind::Number {
            return self.expected("an integer");
        }
        let digits = self.advance().text;
        format!("{sign}{digits}").parse().map_err(|_| self.wrong(at, "this integer is out of its range"))
    }

    /// The integer in brackets after a word.
    fn parameter_of<T: core::str::FromStr>(&mut self) -> Result<T> {
        self.need("[")?;
        let n = self.integer()?;
        self.need("]")?;
        Ok(n)
    }

    /// What is done with a single operand, written first.
    fn indexing(&mut self) -> Result<Op> {
        let a = self.atom()?;
        if self.take("[") {
            return Ok(Op::Index(a, self.list("]", Self::atom)?));
        }
        if !self.take("with") {
            return self.expected("`[` or `with` after an operand");
        }
        self.need("[")?;
        let indices = self.list("]", Self::atom)?;
        if self.take("=") {
            Ok(Op::Update(a, indices, self.atom()?))
        } else if self.take("+=") {
            Ok(Op::Accumulate(a, indices, self.atom()?))
        } else {
            self.expected("`=` or `+=`")
        }
    }

    fn range(&mut self) -> Result<Range> {
        let start = self.atom()?;
        self.need(":")?;
        let count = self.atom()?;
        self.need(":")?;
        Ok(Range { start, count, step: self.atom()? })
    }

    fn scalar(&mut self) -> Result<Op> {
        let Word { text, at, .. } = self.advance();
        let parameter = if self.word().text == "[" { Some(self.parameter_of()?) } else { None };
        let atoms = self.atoms()?;
        let integers = atoms.first().is_some_and(|a| self.builder.type_of(*a).prim.is_integer());
        let op = match (text, parameter) {
            ("add", None) => Some(ScalarOp::Add),
            ("mul", None) => Some(ScalarOp::Mul),
            ("scale", None) => Some(ScalarOp::Scale),
            ("eq", None) => Some(ScalarOp::Equal),
            ("lt", None) => Some(ScalarOp::Less),
            ("le", None) => Some(ScalarOp::LessOrEqual),
            ("not", None) => Some(ScalarOp::Not),
            ("bits_of_f32", None) => Some(ScalarOp::ToBits(Prim::F32)),
            ("bits_of_f64", None) => Some(ScalarOp::ToBits(Prim::F64)),
            ("f32_of_bits", None) => Some(ScalarOp::FromBits(Prim::F32)),
            ("f64_of_bits", None) => Some(ScalarOp::FromBits(Prim::F64)),
            (_, None) if integers || Prim::ALL.iter().any(|p| p.name() == text) => {
                let convert = Prim::ALL.into_iter().find(|p| p.name() == text).map(ScalarOp::Convert);
                let row = || IntegerRow::ALL.iter().find(|row| row.name() == text).map(|row| ScalarOp::Integer(*row));
                convert.or_else(row)
            }
            _ => Primitive::named(text, parameter).map(ScalarOp::Row),
        };
        let kind = if integers { "integers" } else { "reals" };
        let op = op.ok_or_else(|| self.wrong(at, format!("there is no function `{text}` of {kind}")))?;
        Ok(Op::Scalar(op, atoms.into()))
    }

    fn neutral(&mut self) -> Result<Vec<Atom>> {
        self.need("from")?;
        self.atoms()
    }

    fn of_reduce(&mut self) -> Result<Reduce> {
        let commutative = self.take("commutative");
        let arrays = self.atoms()?;
        let neutral = self.neutral()?;
        Ok(Reduce { operator: self.lambda()?, neutral, arrays, commutative })
    }

    fn of_loop(&mut self) -> Result<Loop> {
        let policy = if self.take("strip_mine") {
            Policy::StripMine(self.parameter_of()?)
        } else if self.take("binomial") {
            Policy::Binomial(self.parameter_of()?)
        } else if self.take("anew") {
            Policy::Anew
        } else {
            Policy::KeepAll
        };
        self.need("(")?;
        let variables = self.list(")", |parser| {
            let binder = parser.binder()?;
            parser.need("=")?;
            Ok((binder, parser.atom()?))
        })?;
        let counted = self.take("for");
        let index = if counted {
            let index = self.binder()?;
            self.need("<")?;
            Some((index, self.atom()?))
        } else {
            self.need("while")?;
            None
        };
        let bound = if !counted && self.take("[") {
            let bound = self.atom()?;
            self.need("]")?;
            Some(bound)
        } else {
            None
        };
        self.scoped(|parser| {
            let mut params = Vec::new();
            for (binder, initial) in variables {
                let inferred = parser.builder.type_of(initial);
                params.push((parser.fresh(&binder, Some(inferred))?, initial));
            }
            let form = match index {
                Some((index, bound)) => Form::For(parser.fresh(&index, Some(INDEX))?, bound),
                None => Form::While { condition: parser.body()?, bound },
            };
            Ok(Loop { params, form, body: parser.body()?, policy })
        })
    }
}

/// The type of the index of a loop.
const INDEX: crate::array::types::Type = crate::array::types::Type::scalar(Prim::I64);
