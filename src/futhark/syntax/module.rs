//! Modules and module types.
//!
//! Law: application of modules leans to the left, `->` to the right, and `:` binds weakest (tests/language/syntax.rs).

use super::parser::{Parse, Parser};
use super::token::Kind;
use super::tree::{ModuleDeclaration, ModuleExpression, Signature, Specification};
use crate::futhark::source::Name;

impl Parser<'_> {
    /// What stands behind `module`.
    pub(super) fn module_declaration(&mut self) -> Parse<ModuleDeclaration> {
        let (name, _) = self.name("of a module")?;
        let mut params = Vec::new();
        while self.kind() == Kind::Open {
            params.push(self.module_param()?);
        }
        let signature = if self.eat(Kind::Colon) { Some(self.signature()?) } else { None };
        self.expect(Kind::Equals, "and a module")?;
        let body = self.within(params.len(), Self::module_expression)?;
        Ok(ModuleDeclaration { name, params, signature, body })
    }

    /// `(name: signature)`.
    fn module_param(&mut self) -> Parse<(Name, Signature)> {
        let open = self.expect(Kind::Open, "and the parameter of a module")?;
        let (name, _) = self.name("of the parameter of a module")?;
        self.expect(Kind::Colon, "and its module type")?;
        let signature = self.signature()?;
        self.close(open, Kind::Close)?;
        Ok((name, signature))
    }

    /// Any module.
    pub(super) fn module_expression(&mut self) -> Parse<ModuleExpression> {
        self.nested(|p| {
            let start = p.here();
            if p.eat(Kind::Backslash) {
                let (name, of) = p.module_param()?;
                let result = if p.eat(Kind::Colon) { Some(p.signature_term()?) } else { None };
                p.expect(Kind::Arrow, "and a module")?;
                let mut body = p.module_expression()?;
                if let Some(result) = result {
                    body = ModuleExpression::Ascribe(Box::new(body), result, p.since(start));
                }
                return Ok(ModuleExpression::Lambda(name, Box::new(of), Box::new(body), p.since(start)));
            }
            let mut module = p.module_atom()?;
            while matches!(p.kind(), Kind::Name | Kind::Open | Kind::OpenBrace) {
                let argument = Box::new(p.module_atom()?);
                p.taller()?;
                module = ModuleExpression::Apply(Box::new(module), argument, p.since(start));
            }
            while p.eat(Kind::Colon) {
                let signature = p.signature()?;
                p.taller()?;
                module = ModuleExpression::Ascribe(Box::new(module), signature, p.since(start));
            }
            Ok(module)
        })
    }

    fn module_atom(&mut self) -> Parse<ModuleExpression> {
        self.nested(|p| {
            let start = p.here();
            match p.kind() {
                Kind::Open => {
                    p.advance();
                    let inside = p.module_expression()?;
                    p.close(start, Kind::Close)?;
                    Ok(inside)
                }
                Kind::OpenBrace => {
                    p.advance();
                    let declarations = p.many(Kind::CloseBrace, Self::declaration)?;
                    p.close(start, Kind::CloseBrace)?;
                    Ok(ModuleExpression::Body(declarations, p.since(start)))
                }
                Kind::Import => {
                    p.advance();
                    let path = p.path()?;
                    Ok(ModuleExpression::Import(path, p.since(start)))
                }
                Kind::Name => Ok(ModuleExpression::Name(p.qualified("of a module")?)),
                _ => p.fail_with(
                    "a module",
                    "a module is a name, `{ declarations }`, `import \"path\"` or an application",
                ),
            }
        })
    }

    /// Any module type.
    pub(super) fn signature(&mut self) -> Parse<Signature> {
        self.nested(|p| {
            let start = p.here();
            if p.kind() == Kind::Open && p.kind_at(1) == Kind::Name && p.kind_at(2) == Kind::Colon {
                let (name, of) = p.module_param()?;
                p.expect(Kind::Arrow, "and the module type of the result")?;
                let result = Box::new(p.signature()?);
                return Ok(Signature::Arrow(Some(name), Box::new(of), result, p.since(start)));
            }
            let term = p.signature_term()?;
            if !p.eat(Kind::Arrow) {
                return Ok(term);
            }
            let result = Box::new(p.signature()?);
            Ok(Signature::Arrow(None, Box::new(term), result, p.since(start)))
        })
    }

    /// A module type that is not a function's, with what `with` says of its types.
    fn signature_term(&mut self) -> Parse<Signature> {
        self.nested(|p| {
            let start = p.here();
            let mut signature = match p.kind() {
                Kind::Open => {
                    p.advance();
                    let inside = p.signature()?;
                    p.close(start, Kind::Close)?;
                    inside
                }
                Kind::OpenBrace => {
                    p.advance();
                    let promises = p.many(Kind::CloseBrace, Self::specification)?;
                    p.close(start, Kind::CloseBrace)?;
                    Signature::Body(promises, p.since(start))
                }
                Kind::Name => Signature::Name(p.qualified("of a module type")?),
                _ => return p.fail_with("a module type", "a module type is a name or `{ val f : t  type u }`"),
            };
            while p.eat(Kind::With) {
                let name = p.qualified("of a type of the module")?;
                let params = p.type_params()?;
                p.expect(Kind::Equals, "and a type")?;
                let of = p.type_term()?;
                p.taller()?;
                signature = Signature::With(Box::new(signature), name, params, of, p.since(start));
            }
            Ok(signature)
        })
    }

    /// What a module type promises.
    fn specification(&mut self) -> Parse<Specification> {
        self.nested(|p| {
            while p.kind() == Kind::OpenAttribute {
                p.attribute()?;
            }
            let start = p.here();
            match p.kind() {
                Kind::Val => {
                    p.advance();
                    let name = match p.kind() {
                        Kind::Open => p.operator_name()?.0,
                        Kind::Operator => {
                            let name = p.intern(p.text_at(0));
                            p.advance();
                            name
                        }
                        _ => p.name("of a value")?.0,
                    };
                    let params = p.type_params()?;
                    p.expect(Kind::Colon, "and the type of the value")?;
                    let of = p.type_expression()?;
                    Ok(Specification::Value(name, params, of, p.since(start)))
                }
                Kind::Type => {
                    let declared = p.type_declaration()?;
                    Ok(Specification::Type(declared, p.since(start)))
                }
                Kind::Module => {
                    p.advance();
                    let (name, _) = p.name("of a module")?;
                    let mut params = Vec::new();
                    while p.kind() == Kind::Open {
                        params.push(p.module_param()?);
                    }
                    p.expect(Kind::Colon, "and its module type")?;
                    let result = p.within(params.len(), Self::signature)?;
                    let of = params.into_iter().rev().fold(result, |result, (name, of)| {
                        Signature::Arrow(Some(name), Box::new(of), Box::new(result), p.since(start))
                    });
                    Ok(Specification::Module(name, of, p.since(start)))
                }
                Kind::Include => {
                    p.advance();
                    let of = p.signature()?;
                    Ok(Specification::Include(of, p.since(start)))
                }
                _ => {
                    p.fail_with("`val`, `type`, `module` or `include`", "a module type promises `val f : t`, `type t`")
                }
            }
        })
    }
}
