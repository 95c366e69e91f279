//! Types.
//!
//! Law: `->` binds weakest and leans to the right; `[n]` and `*` take what stands behind them with its arguments; an
//! argument `[n]` of a named type is a size, so an array of arrays as an argument stands in brackets
//! (tests/language/syntax.rs).

use super::parser::{Parse, Parser};
use super::token::Kind;
use super::tree::{Expression, TypeArgument, TypeExpression, TypeKind};
use crate::futhark::source::Span;

impl Parser<'_> {
    fn make_type(&self, start: Span, kind: TypeKind) -> TypeExpression {
        TypeExpression { kind, span: self.since(start) }
    }

    /// Any type.
    pub(super) fn type_expression(&mut self) -> Parse<TypeExpression> {
        self.nested(|p| {
            let start = p.here();
            if p.eat(Kind::Question) {
                let names: Vec<_> = p.sizes()?.into_iter().map(|size| size.name).collect();
                if names.is_empty() {
                    return p.fail_with("`[n]` and a type", "a size known only when the program runs is `?[n].[n]t`");
                }
                p.expect(Kind::Dot, "and a type after the sizes")?;
                let of = Box::new(p.type_expression()?);
                return Ok(p.make_type(start, TypeKind::Exists(names, of)));
            }
            if p.kind() == Kind::Open && p.kind_at(1) == Kind::Name && p.kind_at(2) == Kind::Colon {
                p.advance();
                let (name, _) = p.name("")?;
                p.advance();
                let param = Box::new(p.type_expression()?);
                p.close(start, Kind::Close)?;
                p.expect(Kind::Arrow, "and the type of the result after a parameter with a name")?;
                let result = Box::new(p.type_expression()?);
                return Ok(p.make_type(start, TypeKind::Function(Some(name), param, result)));
            }
            let term = p.type_term()?;
            if !p.eat(Kind::Arrow) {
                return Ok(term);
            }
            let result = Box::new(p.type_expression()?);
            Ok(p.make_type(start, TypeKind::Function(None, Box::new(term), result)))
        })
    }

    /// A type that is not a function's, unless in brackets.
    pub(super) fn type_term(&mut self) -> Parse<TypeExpression> {
        self.nested(|p| {
            let start = p.here();
            match p.kind() {
                Kind::Operator if p.is_operator(0, "*") => {
                    p.advance();
                    let of = Box::new(p.type_term()?);
                    Ok(p.make_type(start, TypeKind::Unique(of)))
                }
                Kind::Constructor => {
                    let mut constructors = Vec::new();
                    loop {
                        if p.kind() != Kind::Constructor {
                            return p.fail("a constructor after `|`");
                        }
                        let name = p.constructor();
                        let mut payload = Vec::new();
                        while matches!(p.kind(), Kind::Name | Kind::Open | Kind::OpenBrace | Kind::OpenBracket) {
                            payload.push(p.type_atom()?);
                        }
                        constructors.push((name, payload));
                        if !p.is_operator(0, "|") {
                            return Ok(p.make_type(start, TypeKind::Sum(constructors)));
                        }
                        p.advance();
                    }
                }
                Kind::OpenBracket => {
                    let size = p.size()?;
                    let of = Box::new(p.type_term()?);
                    Ok(p.make_type(start, TypeKind::Array(size, of)))
                }
                Kind::Name => {
                    let name = p.qualified("of a type")?;
                    let mut arguments = Vec::new();
                    loop {
                        arguments.push(match p.kind() {
                            Kind::OpenBracket => TypeArgument::Size(p.size()?),
                            Kind::Name | Kind::Open | Kind::OpenBrace => TypeArgument::Type(p.type_atom()?),
                            _ => break,
                        });
                    }
                    Ok(p.make_type(start, TypeKind::Name(name, arguments)))
                }
                _ => p.type_atom(),
            }
        })
    }

    /// `[e]` or `[]`.
    fn size(&mut self) -> Parse<Option<Box<Expression>>> {
        let open = self.expect(Kind::OpenBracket, "and a size")?;
        let size = if self.kind() == Kind::CloseBracket { None } else { Some(Box::new(self.expression()?)) };
        self.close(open, Kind::CloseBracket)?;
        Ok(size)
    }

    /// A type that needs no brackets as an argument.
    fn type_atom(&mut self) -> Parse<TypeExpression> {
        self.nested(|p| {
            let start = p.here();
            match p.kind() {
                Kind::Name => {
                    let name = p.qualified("of a type")?;
                    Ok(p.named_type(name))
                }
                Kind::Open => {
                    p.advance();
                    let mut parts = p.list(start, Kind::Close, Self::type_expression)?;
                    if parts.len() == 1 {
                        let inside = parts.remove(0);
                        return Ok(p.make_type(start, inside.kind));
                    }
                    Ok(p.make_type(start, TypeKind::Tuple(parts)))
                }
                Kind::OpenBrace => {
                    p.advance();
                    let fields = p.list(start, Kind::CloseBrace, |p| {
                        let field = p.field_name()?;
                        p.expect(Kind::Colon, "and the type of the field")?;
                        Ok((field, p.type_expression()?))
                    })?;
                    Ok(p.make_type(start, TypeKind::Record(fields)))
                }
                Kind::OpenBracket => {
                    let size = p.size()?;
                    let of = Box::new(p.type_atom()?);
                    Ok(p.make_type(start, TypeKind::Array(size, of)))
                }
                _ => p.fail_with(
                    "a type",
                    "types are names such as `f64`, `[n]t`, `(t, u)`, `{x: t}`, `#a t | #b`, `t -> u`",
                ),
            }
        })
    }
}
