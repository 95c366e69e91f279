//! The notation of every operation, made from its declaration: printing, and parsing what was printed.
//!
//! Law: each operation has one notation, and each notation is of one operation once the types of its operands are
//! known; what is printed parses back, unless it names functions of Rust (laws: arrays::text, tests/array/foreign.rs).

use super::lex::{Kind, Word, is_name, words};
use super::parse::Parser;
use crate::array::agree::{Agreement, Extent};
use crate::array::foreign::ForeignFunction;
use crate::array::iteration::{Form, Policy};
use crate::array::operation::{
    Agree, Custom, Foreign, Hist, Loop, Map, Op, Operands, Range, Reduce, Scatter, every_group, every_operation,
};
use crate::array::program::{Atom, Body, Lambda, Var};
use crate::array::scalar::ScalarOp;
use crate::array::types::{Prim, Type};
use crate::error::{Error, Result};

/// What operations are written on.
pub(crate) trait Sheet {
    /// Writes words and signs.
    fn put(&mut self, text: &str);

    /// Writes an operand.
    fn atom(&mut self, atom: Atom);

    /// Writes variables where they are bound.
    fn binders(&mut self, vars: &[Var]);

    /// Writes a body.
    fn body(&mut self, body: &Body);

    /// Writes a function.
    fn function(&mut self, function: &Lambda);
}

/// What can be written and read back.
pub(crate) trait Notation: Sized {
    /// Writes it.
    fn print(&self, sheet: &mut impl Sheet);

    /// Whether what comes next can be the start of one.
    fn starts(_: &Parser<'_>) -> bool {
        true
    }

    /// Reads it.
    fn parse(parser: &mut Parser<'_>) -> Result<Self>;
}

/// Prints an item of a notation.
macro_rules! print_item {
    ($sheet:ident $text:literal) => {
        $sheet.put($text);
    };
    ($sheet:ident $part:ident) => {
        $part.print($sheet);
    };
    ($sheet:ident { $open:literal $list:ident $close:literal }) => {
        if !$list.is_empty() {
            $sheet.put($open);
            $list.print($sheet);
            $sheet.put($close);
        }
    };
}

/// Parses an item of a notation; a part becomes a variable of its name.
macro_rules! parse_item {
    ($parser:ident $text:literal) => {
        $parser.need_all($text)?;
    };
    ($parser:ident $part:ident) => {
        let $part = Notation::parse($parser)?;
    };
    ($parser:ident { $open:literal $list:ident $close:literal }) => {
        let mut $list = Vec::new();
        if $parser.is_next($open) {
            $parser.need_all($open)?;
            $list = Notation::parse($parser)?;
            $parser.need_all($close)?;
        }
    };
}

/// Whether a notation can start here: by its first string, or by its first part, which is the first that is declared.
macro_rules! starts {
    ($parser:ident [$($First:ty)?] $text:literal $($rest:tt)*) => {
        $parser.is_next($text)
    };
    ($parser:ident [$First:ty] $($rest:tt)*) => {
        <$First as Notation>::starts($parser)
    };
}

/// The text in an item of a notation, if there is one.
macro_rules! text_of {
    ($text:literal) => {
        $text
    };
    ($part:ident) => {
        ""
    };
    ({ $open:literal $list:ident $close:literal }) => {
        $open
    };
}

macro_rules! notation_of_operations {
    ($(
        $(#[$meta:meta])*
        $Name:ident($first:ident: $First:ty $(as $role:ident)? $(, $part:ident: $Part:ty $(as $others:ident)?)*)
            $class:ident {$($notation:tt)+}
    )+) => {
        /// The texts in the notations of operations.
        pub(super) fn of_operations() -> impl Iterator<Item = &'static str> {
            [$($(text_of!($notation)),+),+].into_iter()
        }

        impl Notation for Op {
            fn print(&self, sheet: &mut impl Sheet) {
                match self {
                    $(Op::$Name($first $(, $part)*) => { $(print_item!(sheet $notation);)+ })+
                }
            }

            fn parse(parser: &mut Parser<'_>) -> Result<Op> {
                // Some operations start alike: what gets furthest says what is wrong.
                let (start, mut wrong) = (parser.place(), None);
                $(
                    if starts!(parser [$First] $($notation)+) {
                        let read = |parser: &mut Parser<'_>| {
                            $(parse_item!(parser $notation);)+
                            Ok(Op::$Name($first $(, $part)*))
                        };
                        match read(parser) {
                            Ok(op) => return Ok(op),
                            Err(error) => wrong = Some(further(wrong, error)),
                        }
                        parser.go_back(start);
                    }
                )+
                let Word { text, at, .. } = parser.word();
                Err(wrong.unwrap_or_else(|| parser.wrong(at, format!("expected an operation, not `{text}`"))))
            }
        }
    };
}
every_operation!(notation_of_operations);

macro_rules! notation_of_group {
    ($Name:ident [$($part:ident)+] { by hand }) => {};
    ($Name:ident [$($part:ident)+] { $($notation:tt)+ }) => {
        impl Notation for $Name {
            fn print(&self, sheet: &mut impl Sheet) {
                let $Name { $($part),+ } = self;
                $(print_item!(sheet $notation);)+
            }

            fn parse(parser: &mut Parser<'_>) -> Result<Self> {
                $(parse_item!(parser $notation);)+
                Ok($Name { $($part),+ })
            }
        }
    };
}

macro_rules! notation_of_groups {
    ($(
        $(#[$meta:meta])* $Name:ident { $($(#[$doc:meta])* $part:ident: $Part:ty $(as $role:ident)?,)+ } {$($notation:tt)+}
    )+) => {
        /// The texts in the notations of groups.
        pub(super) fn of_groups() -> impl Iterator<Item = &'static str> {
            [$($(text_of!($notation)),+),+].into_iter()
        }

        $(notation_of_group! { $Name [$($part)+] {$($notation)+} })+
    };
}
every_group!(notation_of_groups);

/// Of two errors the one that is further on; of two at one place, what both expected.
fn further(before: Option<Error>, error: Error) -> Error {
    match (before, error) {
        (
            Some(Error::Syntax { message: one, source, offset }),
            Error::Syntax { message: other, offset: then, source: same },
        ) => {
            let message = match other.strip_prefix("expected ") {
                _ if then < offset => one,
                _ if then > offset => return Error::Syntax { message: other, source: same, offset: then },
                Some(other) if one.starts_with("expected ") && !one.contains(other) => format!("{one} or {other}"),
                _ => one,
            };
            Error::Syntax { message, source, offset }
        }
        (_, error) => error,
    }
}

impl Notation for Atom {
    fn print(&self, sheet: &mut impl Sheet) {
        sheet.atom(*self);
    }

    fn starts(parser: &Parser<'_>) -> bool {
        let Word { kind, text, .. } = parser.word();
        let kinds = || Prim::ALL.iter().any(|prim| prim.name() == text);
        let is_atom = match kind {
            Kind::Name => is_name(text) || matches!(text, "true" | "false") || kinds(),
            Kind::Number => true,
            _ => text == "-",
        };
        is_atom && !ScalarOp::starts(parser)
    }

    fn parse(parser: &mut Parser<'_>) -> Result<Self> {
        parser.atom()
    }
}

impl Notation for Extent {
    fn print(&self, sheet: &mut impl Sheet) {
        match self {
            Extent::Number(atom) => sheet.atom(*atom),
            Extent::Of(array, dimension) => Op::Size(*array, *dimension).print(sheet),
        }
    }

    fn parse(parser: &mut Parser<'_>) -> Result<Self> {
        if !parser.is_next("size") {
            return parser.atom().map(Extent::Number);
        }
        match Op::parse(parser)? {
            Op::Size(array, dimension) => Ok(Extent::Of(array, dimension)),
            op => panic!("what starts with `size` is a size, not {op:?}"),
        }
    }
}

/// By its name, which does not say what it computes.
impl Notation for ForeignFunction {
    fn print(&self, sheet: &mut impl Sheet) {
        sheet.put(self.name());
    }

    fn parse(parser: &mut Parser<'_>) -> Result<Self> {
        let Word { text, at, .. } = parser.word();
        let message =
            format!("`{text}` is a function of Rust, which no text can hold: trace the program where that is known");
        Err(parser.wrong(at, message))
    }
}

impl Notation for Agreement {
    fn print(&self, sheet: &mut impl Sheet) {
        sheet.put(self.word());
    }

    fn parse(parser: &mut Parser<'_>) -> Result<Self> {
        let Word { text, at, .. } = parser.advance();
        let what = Agreement::ALL.iter().copied().find(|what| what.word() == text);
        what.ok_or_else(|| parser.wrong(at, format!("there is no reason `{text}` to agree")))
    }
}

/// A word that is there or not.
impl Notation for bool {
    fn print(&self, sheet: &mut impl Sheet) {
        sheet.put(if *self { "commutative " } else { "" });
    }

    fn parse(parser: &mut Parser<'_>) -> Result<Self> {
        Ok(parser.take("commutative"))
    }
}

impl Notation for usize {
    fn print(&self, sheet: &mut impl Sheet) {
        sheet.put(&self.to_string());
    }

    fn parse(parser: &mut Parser<'_>) -> Result<Self> {
        parser.integer()
    }
}

impl Notation for Body {
    fn print(&self, sheet: &mut impl Sheet) {
        sheet.body(self);
    }

    fn parse(parser: &mut Parser<'_>) -> Result<Self> {
        parser.body()
    }
}

impl Notation for Lambda {
    fn print(&self, sheet: &mut impl Sheet) {
        sheet.function(self);
    }

    fn parse(parser: &mut Parser<'_>) -> Result<Self> {
        parser.lambda()
    }
}

impl<T: Notation> Notation for Box<T> {
    fn print(&self, sheet: &mut impl Sheet) {
        (**self).print(sheet);
    }

    fn parse(parser: &mut Parser<'_>) -> Result<Self> {
        T::parse(parser).map(Box::new)
    }
}

/// One after the other, with commas between them.
impl<T: Notation> Notation for Vec<T> {
    fn print(&self, sheet: &mut impl Sheet) {
        print_list(self, sheet);
    }

    fn parse(parser: &mut Parser<'_>) -> Result<Self> {
        parser.list_within(T::parse)
    }
}

impl Notation for Operands {
    fn print(&self, sheet: &mut impl Sheet) {
        print_list(self, sheet);
    }

    fn parse(parser: &mut Parser<'_>) -> Result<Self> {
        Vec::parse(parser).map(Operands::from)
    }
}

fn print_list<T: Notation>(list: &[T], sheet: &mut impl Sheet) {
    for (n, part) in list.iter().enumerate() {
        sheet.put(if n == 0 { "" } else { ", " });
        part.print(sheet);
    }
}

impl Notation for Policy {
    fn print(&self, sheet: &mut impl Sheet) {
        match self {
            Policy::KeepAll => {}
            Policy::StripMine(levels) => sheet.put(&format!("strip_mine[{levels}] ")),
            Policy::Binomial(states) => sheet.put(&format!("binomial[{states}] ")),
            Policy::Recompute => sheet.put("recompute "),
        }
    }

    fn parse(parser: &mut Parser<'_>) -> Result<Self> {
        Ok(if parser.take("strip_mine") {
            Policy::StripMine(parser.parameter_of()?)
        } else if parser.take("binomial") {
            Policy::Binomial(parser.parameter_of()?)
        } else if parser.take("recompute") {
            Policy::Recompute
        } else {
            Policy::KeepAll
        })
    }
}

/// The variables of a loop are in scope in its condition and its body, and not where they have their first values.
impl Notation for Loop {
    fn print(&self, sheet: &mut impl Sheet) {
        self.policy.print(sheet);
        sheet.put("(");
        for (n, (param, initial)) in self.params.iter().enumerate() {
            sheet.put(if n == 0 { "" } else { ", " });
            sheet.binders(&[*param]);
            sheet.put(" = ");
            sheet.atom(*initial);
        }
        sheet.put(") ");
        match &self.form {
            Form::For(i, bound) => {
                sheet.put("for ");
                sheet.atom(Atom::Var(*i));
                sheet.put(" < ");
                sheet.atom(*bound);
                sheet.put(" ");
            }
            Form::While { condition, bound } => {
                sheet.put("while");
                if let Some(bound) = bound {
                    sheet.put("[");
                    sheet.atom(*bound);
                    sheet.put("]");
                }
                sheet.put(" ");
                sheet.body(condition);
                sheet.put(" ");
            }
        }
        sheet.body(&self.body);
    }

    fn parse(parser: &mut Parser<'_>) -> Result<Self> {
        let policy = Policy::parse(parser)?;
        parser.need("(")?;
        let variables = parser.list(")", |parser| {
            let binder = parser.binder()?;
            parser.need("=")?;
            Ok((binder, parser.atom()?))
        })?;
        let counted = parser.take("for");
        let index = if counted {
            let index = parser.binder()?;
            parser.need("<")?;
            Some((index, parser.atom()?))
        } else {
            parser.need("while")?;
            None
        };
        let bound = if !counted && parser.take("[") {
            let bound = parser.atom()?;
            parser.need("]")?;
            Some(bound)
        } else {
            None
        };
        parser.scoped(|parser| {
            let mut params = Vec::new();
            for (binder, initial) in variables {
                let inferred = parser.builder.type_of(initial);
                params.push((parser.fresh(&binder, Some(inferred))?, initial));
            }
            let form = match index {
                Some((index, bound)) => Form::For(parser.fresh(&index, Some(Type::scalar(Prim::I64)))?, bound),
                None => Form::While { condition: parser.body()?, bound },
            };
            Ok(Loop { policy, params, form, body: parser.body()? })
        })
    }
}

impl Parser<'_> {
    /// Whether the first word of a text comes next.
    pub(super) fn is_next(&self, text: &str) -> bool {
        let Word { kind, text: next, .. } = self.word();
        let rest = text.trim_start();
        let is_word = rest.starts_with(|c: char| c.is_alphabetic());
        let end = if is_word { rest.find(|c: char| !c.is_alphanumeric() && c != '_') } else { Some(1) };
        kind != Kind::Text && rest[..end.unwrap_or(rest.len())] == *next
    }

    /// Takes all words of a text.
    pub(super) fn need_all(&mut self, text: &'static str) -> Result<()> {
        words(text)?.iter().filter(|word| word.kind != Kind::End).try_for_each(|word| self.need(word.text))
    }

    pub(super) fn integer<T: core::str::FromStr>(&mut self) -> Result<T> {
        let at = self.word().at;
        let sign = if self.take("-") { "-" } else { "" };
        if self.word().kind != Kind::Number {
            return self.expected("an integer");
        }
        let digits = self.advance().text;
        format!("{sign}{digits}").parse().map_err(|_| self.wrong(at, "this integer is out of its range"))
    }

    /// The integer in brackets after a word.
    pub(super) fn parameter_of<T: core::str::FromStr>(&mut self) -> Result<T> {
        self.need("[")?;
        let n = self.integer()?;
        self.need("]")?;
        Ok(n)
    }
}
