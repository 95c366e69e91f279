//! Declarations: values, types, what is opened and imported; and how reading goes on after a mistake.
//!
//! Law: a mistake in a declaration costs that declaration; the next is looked for at the beginning of a line, as far to
//! the left as the broken one began (tests/language/syntax.rs).

use super::number::unescape;
use super::parser::{Parse, Parser};
use super::token::Kind;
use super::tree::{Declaration, DeclarationKind, TypeDeclaration, TypeParamKind};
use crate::futhark::source::Name;

/// Whether a declaration, or a promise of a module type, can begin with it.
fn begins(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::Def
            | Kind::Let
            | Kind::Entry
            | Kind::Type
            | Kind::Module
            | Kind::OpenModule
            | Kind::Local
            | Kind::Import
            | Kind::Include
            | Kind::Val
            | Kind::OpenAttribute
    )
}

impl Parser<'_> {
    /// All declarations of a file.
    pub(super) fn file(&mut self) -> Parse<Vec<Declaration>> {
        self.many(Kind::End, Self::declaration)
    }

    /// Declarations, or the like, until a token of a kind, which is left.
    pub(super) fn many<T>(&mut self, until: Kind, mut one: impl FnMut(&mut Self) -> Parse<T>) -> Parse<Vec<T>> {
        let mut found = Vec::new();
        while !matches!(self.kind(), Kind::End) && self.kind() != until {
            let (start, indent) = (self.here(), self.token(0).indent.unwrap_or(0));
            match one(self) {
                Ok(next) => found.push(next),
                Err(mistake) => {
                    let skipped = usize::from(self.here() == start);
                    let Some(ahead) = self.next_beginning(skipped, indent, until) else { return Err(mistake) };
                    if !self.report(*mistake) {
                        return Ok(found);
                    }
                    for _ in 0..ahead {
                        self.advance();
                    }
                }
            }
        }
        Ok(found)
    }

    /// How far ahead reading can go on in the list whose broken part began at this distance from the left; none if an
    /// outer list has to.
    fn next_beginning(&self, from: usize, indent: u32, until: Kind) -> Option<usize> {
        let mut ahead = from;
        loop {
            let token = self.token(ahead);
            if token.kind == Kind::End {
                return (until == Kind::End).then_some(ahead);
            }
            if let Some(at) = token.indent
                && at <= indent
            {
                if begins(token.kind) && (at == indent || until == Kind::End) || token.kind == until {
                    return Some(ahead);
                }
                if begins(token.kind) {
                    return None;
                }
            }
            ahead += 1;
        }
    }

    /// One declaration.
    pub(super) fn declaration(&mut self) -> Parse<Declaration> {
        self.nested(|p| {
            let start = p.here();
            let mut attributes = Vec::new();
            while p.kind() == Kind::OpenAttribute {
                attributes.push(p.attribute()?);
            }
            let kind = p.declaration_kind()?;
            Ok(Declaration { kind, attributes, span: p.since(start) })
        })
    }

    fn declaration_kind(&mut self) -> Parse<DeclarationKind> {
        match self.kind() {
            kind @ (Kind::Def | Kind::Let | Kind::Entry) => {
                self.advance();
                Ok(DeclarationKind::Value(Box::new(self.value_declaration(kind == Kind::Entry)?)))
            }
            Kind::Type => {
                let declared = self.type_declaration()?;
                if declared.definition.is_none() {
                    return self.fail_with("`=` and a type", "only a module type can leave a type open");
                }
                Ok(DeclarationKind::Type(Box::new(declared)))
            }
            Kind::OpenModule => {
                self.advance();
                Ok(DeclarationKind::Open(Box::new(self.module_expression()?)))
            }
            Kind::Import => {
                self.advance();
                Ok(DeclarationKind::Import(self.path()?))
            }
            Kind::Local => {
                self.advance();
                Ok(DeclarationKind::Local(Box::new(self.declaration()?)))
            }
            Kind::Module if self.kind_at(1) == Kind::Type => {
                self.advance();
                self.advance();
                let (name, _) = self.name("of a module type")?;
                self.expect(Kind::Equals, "and a module type")?;
                Ok(DeclarationKind::Signature(name, Box::new(self.signature()?)))
            }
            Kind::Module => {
                self.advance();
                Ok(DeclarationKind::Module(Box::new(self.module_declaration()?)))
            }
            Kind::Name
                if matches!(self.text_at(0), "fun" | "fn" | "func" | "function" | "define" | "val" | "const") =>
            {
                self.fail_with("a declaration", "functions and constants are defined by `def name x y = …`")
            }
            Kind::Val | Kind::Include => {
                self.fail_with("a declaration", "`val` and `include` stand in module types only")
            }
            Kind::Name | Kind::Number | Kind::Open => self.fail_with(
                "a declaration",
                "is the definition before closed too early? A definition begins with `def`",
            ),
            _ => {
                self.fail_with("a declaration", "a file is made of `def`, `entry`, `type`, `module`, `open`, `import`")
            }
        }
    }

    /// `type name params = definition`, of which the definition may be missing.
    pub(super) fn type_declaration(&mut self) -> Parse<TypeDeclaration> {
        self.expect(Kind::Type, "")?;
        let lifted = match self.kind() {
            Kind::Tilde => TypeParamKind::SizeLifted,
            _ if self.is_operator(0, "^") => TypeParamKind::Lifted,
            _ => TypeParamKind::Type,
        };
        if lifted != TypeParamKind::Type {
            self.advance();
        }
        let (name, _) = self.name("of a type")?;
        let params = self.type_params()?;
        let definition = if self.eat(Kind::Equals) { Some(self.type_expression()?) } else { None };
        Ok(TypeDeclaration { lifted, name, params, definition })
    }

    /// The path of an import.
    pub(super) fn path(&mut self) -> Parse<Name> {
        let text = self.text_at(0);
        if self.kind() != Kind::Text {
            return self.fail_with("a path in quotes", "write `import \"lib/file\"`, without `.fut`");
        }
        let Some(path) = unescape(&text[1..text.len() - 1]) else { return self.fail("a path without strange escapes") };
        self.advance();
        Ok(Name::from(path))
    }
}
