//! Expressions: operators by precedence, updates, ranges, ascriptions; what binds stronger is in `atom`, what begins with
//! a word in `control`.
//!
//! Law: from weakest to strongest: `:` and `:>`; `with`; ranges; names in backticks; `|>`; `<|`; `||`; `&&`;
//! comparisons and all that begins with their signs; `&`, `^`, `|`; shifts; `+`, `-`; `*`, `/`, `%`; `**`; application.
//! An operator binds as its leading signs say, behind a module too; all lean to the left, but for `<|`
//! (tests/language/syntax.rs).

use super::parser::{Parse, Parser};
use super::token::Kind;
use super::tree::{Expression, ExpressionKind, Index, Range, RangeKind, Step};
use crate::futhark::chain::Rest;
use crate::futhark::source::{Name, Span};

/// How strongly an operator binds; a name, which stands in backticks, weakest.
pub(super) fn strength(operator: &str) -> u8 {
    const PREFIXES: [(&str, u8); 20] = [
        ("|>", 2),
        ("<|", 3),
        ("||", 4),
        ("&&", 5),
        ("<<", 8),
        (">>", 8),
        ("**", 11),
        ("<", 6),
        (">", 6),
        ("=", 6),
        ("!", 6),
        ("&", 7),
        ("^", 7),
        ("|", 7),
        ("+", 9),
        ("-", 9),
        ("*", 10),
        ("/", 10),
        ("%", 10),
        ("", 1),
    ];
    PREFIXES.iter().find(|(prefix, _)| operator.starts_with(prefix)).map_or(1, |&(_, strength)| strength)
}

/// Whether `a op b op c` is `a op (b op c)`.
pub(super) fn leans_right(strength: u8) -> bool {
    strength == 3
}

impl Parser<'_> {
    /// `(kind, from start)`.
    pub(super) fn make(&self, start: Span, kind: ExpressionKind) -> Expression {
        Expression { kind, span: self.since(start) }
    }

    /// Any expression, with ascriptions behind it.
    pub(super) fn expression(&mut self) -> Parse<Expression> {
        self.nested(|p| {
            let start = p.here();
            let mut e = p.updated()?;
            loop {
                let coerce = match p.kind() {
                    Kind::Colon => false,
                    Kind::Coerce => true,
                    _ => return Ok(e),
                };
                p.advance();
                let of = Box::new(p.type_expression()?);
                p.taller()?;
                let e_box = Box::new(e);
                let kind = if coerce { ExpressionKind::Coerce(e_box, of) } else { ExpressionKind::Ascribe(e_box, of) };
                e = p.make(start, kind);
            }
        })
    }

    /// An expression without ascriptions: a range, with `with` behind it.
    pub(super) fn updated(&mut self) -> Parse<Expression> {
        let start = self.here();
        let mut e = self.range()?;
        while self.kind() == Kind::With {
            self.advance();
            let path = self.part()?;
            self.expect(Kind::Equals, "and the new value after the field or index")?;
            let value = self.nested(Self::range)?;
            e = self.make(start, ExpressionKind::Update(Box::new(e), path, Box::new(value)));
            self.taller()?;
        }
        Ok(e)
    }

    /// `x.y.0[i].z`, which begins with a field or an index.
    pub(super) fn part(&mut self) -> Parse<Vec<Step>> {
        let text = self.text_at(0);
        let mut path = Vec::new();
        match text.split_once('.') {
            // `0.1` looks like one number.
            Some((outer, inner)) if self.kind() == Kind::Number && inner.bytes().all(|byte| byte.is_ascii_digit()) => {
                path.extend([self.intern(outer), self.intern(inner)].map(Step::Field));
                self.advance();
            }
            _ if self.kind() == Kind::OpenBracket => path.push(Step::Index(self.indices()?)),
            Some(_) | None => path.push(Step::Field(self.field_name()?)),
        }
        self.steps(&mut path)?;
        // Each step nests as one more update does.
        path.iter().try_for_each(|_| self.taller())?;
        Ok(path)
    }

    /// More steps of a path, without spaces.
    pub(super) fn steps(&mut self, path: &mut Vec<Step>) -> Parse<()> {
        loop {
            if self.touches(0, Kind::Dot) {
                self.advance();
                path.push(Step::Field(self.field_name()?));
            } else if self.touches(0, Kind::OpenBracket) {
                path.push(Step::Index(self.indices()?));
            } else {
                return Ok(());
            }
        }
    }

    /// The name of a field, or the number of a component.
    pub(super) fn field_name(&mut self) -> Parse<Name> {
        let text = self.text_at(0);
        if self.kind() == Kind::Number && text.bytes().all(|byte| byte.is_ascii_digit()) {
            let name = self.intern(text);
            self.advance();
            return Ok(name);
        }
        Ok(self.name("of a field, or the number of a component")?.0)
    }

    /// A field that stands without `=` is a variable as well, which no number is.
    pub(super) fn stands_alone(&self, field: &str) -> Parse<()> {
        if field.starts_with(|first: char| first.is_ascii_digit()) {
            return self.fail_with("`=` behind the number of a component", "only a name can stand alone, as in `{x}`");
        }
        Ok(())
    }

    /// Operators, and perhaps a range made of what they give.
    fn range(&mut self) -> Parse<Expression> {
        let begin = self.here();
        let start = self.binary(0)?;
        let mut second = None;
        if self.eat(Kind::TwoDots) {
            second = Some(self.nested(|p| p.binary(0))?);
        }
        let kind = match self.kind() {
            Kind::ThreeDots => RangeKind::Inclusive,
            Kind::Upto => RangeKind::Upto,
            Kind::Downto => RangeKind::Downto,
            _ if second.is_none() => return Ok(start),
            _ => {
                let hint =
                    "a range is `a..<n` upwards, `a..>n` downwards, `a...n` with its end, `a..b...n` with a step";
                return self.fail_with("`...`, `..<` or `..>` and the end of the range", hint);
            }
        };
        self.advance();
        let end = self.nested(|p| p.binary(0))?;
        self.taller()?;
        Ok(self.make(begin, ExpressionKind::Range(Box::new(Range { start, second, end, kind }))))
    }

    /// Operators that bind at least so strongly.
    fn binary(&mut self, least: u8) -> Parse<Expression> {
        let start = self.here();
        let (mut left, mut links) = (self.unary()?, 0);
        while let Some(length) = self.operator_length(0) {
            // `(a +)` is a section.
            if self.kind_at(length) == Kind::Close {
                break;
            }
            let last = if self.kind() == Kind::Backtick { length - 2 } else { length - 1 };
            let strength = strength(self.text_at(last));
            if strength < least {
                break;
            }
            if self.is_operator(0, "!") {
                return self.fail_with("an operator", "`!` stands before one value; what differs is found by `!=`");
            }
            let name = self.operator(length);
            let right = if leans_right(strength) {
                self.nested(|p| p.binary(strength))?
            } else {
                self.nested(|p| p.binary(strength + 1))?
            };
            // What leans to the left is a chain; functions that are composed are written in each other.
            if leans_right(strength) || matches!(&*name.name, ">->" | "<-<") {
                self.taller()?;
            }
            self.longer(links)?;
            links += 1;
            left = self.make(start, ExpressionKind::Binary(name, Rest::new(left), Box::new(right)));
        }
        Ok(left)
    }

    /// A value with signs before it, or something that begins with a word.
    fn unary(&mut self) -> Parse<Expression> {
        let start = self.here();
        match self.kind() {
            Kind::Operator if matches!(self.text_at(0), "-" | "!") => {
                let negates = self.text_at(0) == "-";
                self.advance();
                let value = Box::new(self.nested(Self::unary)?);
                let kind = if negates { ExpressionKind::Negate(value) } else { ExpressionKind::Not(value) };
                Ok(self.make(start, kind))
            }
            Kind::Let => self.nested(Self::lets),
            Kind::If => self.nested(Self::conditional),
            Kind::Loop => self.nested(Self::iteration),
            Kind::Match => self.nested(Self::cases),
            Kind::Assert => self.nested(Self::assertion),
            Kind::Backslash => self.nested(Self::lambda),
            Kind::OpenAttribute => self.nested(|p| {
                let attribute = p.attribute()?;
                let e = p.expression()?;
                Ok(p.make(start, ExpressionKind::Attribute(attribute, Box::new(e))))
            }),
            _ => self.application(),
        }
    }

    /// `[i, j:k]`.
    pub(super) fn indices(&mut self) -> Parse<Vec<Index>> {
        let open = self.expect(Kind::OpenBracket, "and an index")?;
        if self.kind() == Kind::CloseBracket {
            return self.fail_with("an index", "all of a dimension is `[:]`");
        }
        let indices = self.list(open, Kind::CloseBracket, Self::index)?;
        // An array with as many dimensions nests as deeply.
        indices.iter().try_for_each(|_| self.taller())?;
        Ok(indices)
    }

    /// `i` or `i:j:k`.
    fn index(&mut self) -> Parse<Index> {
        let part = |p: &mut Self| match p.kind() {
            Kind::Colon | Kind::Comma | Kind::CloseBracket => Ok(None),
            _ => p.nested(Self::updated).map(Some),
        };
        let first = part(self)?;
        if !self.eat(Kind::Colon) {
            return match first {
                Some(at) => Ok(Index::At(at)),
                None => self.fail("an index"),
            };
        }
        let end = part(self)?;
        let step = if self.eat(Kind::Colon) { part(self)? } else { None };
        Ok(Index::Slice(first, end, step))
    }
}
