//! Declarations and modules as text.
//!
//! Law: as of the whole printer (laws: futhark_text::printed_is_read).

use super::Printer;
use crate::futhark::syntax::tree::{
    Declaration, DeclarationKind, Literal, ModuleDeclaration, ModuleExpression, Signature, Specification,
    TypeDeclaration, TypeParamKind,
};

impl Printer<'_, '_> {
    /// Each on a line of its own.
    pub(super) fn declarations(&mut self, declarations: &[Declaration]) -> &mut Self {
        self.lines(declarations, Self::declaration)
    }

    fn lines<T>(&mut self, items: &[T], one: impl for<'p> Fn(&'p mut Self, &T) -> &'p mut Self) -> &mut Self {
        for (at, item) in items.iter().enumerate() {
            if at > 0 {
                self.line();
            }
            one(self, item);
        }
        self
    }

    fn declaration(&mut self, declaration: &Declaration) -> &mut Self {
        self.each(&declaration.attributes, |p, attribute| p.attribute(attribute));
        match &declaration.kind {
            DeclarationKind::Value(value) => self.put(if value.entry { "entry " } else { "def " }).definition(value),
            DeclarationKind::Type(of) => self.type_declaration(of),
            DeclarationKind::Open(module) => self.put("open ").module(module, 0),
            DeclarationKind::Import(path) => self.import(path),
            DeclarationKind::Local(inner) => self.put("local ").bracketed(false, |p| p.declaration(inner)),
            DeclarationKind::Module(module) => self.module_declaration(module),
            DeclarationKind::Signature(name, signature) => {
                self.put("module type ").put(name).put(" = ").signature(signature, 0)
            }
        }
    }

    fn import(&mut self, path: &str) -> &mut Self {
        self.put("import ").literal(&Literal::Text(path.into()))
    }

    fn type_declaration(&mut self, of: &TypeDeclaration) -> &mut Self {
        let sign = match of.lifted {
            TypeParamKind::Size | TypeParamKind::Type => "type ",
            TypeParamKind::SizeLifted => "type~ ",
            TypeParamKind::Lifted => "type^ ",
        };
        self.put(sign).put(&of.name).type_params(&of.params);
        self.given(of.definition.as_ref(), |p, definition| p.put(" = ").type_expression(definition, 0))
    }

    fn module_declaration(&mut self, module: &ModuleDeclaration) -> &mut Self {
        self.put("module ").put(&module.name).each(&module.params, |p, (name, signature)| {
            p.put(" (").put(name).put(": ").signature(signature, 0).put(")")
        });
        self.given(module.signature.as_ref(), |p, signature| p.put(" : ").signature(signature, 0));
        self.put(" = ").module(&module.body, 0)
    }

    /// What stands in braces, on lines of its own.
    fn braces<T>(&mut self, items: &[T], one: impl for<'p> Fn(&'p mut Self, &T) -> &'p mut Self) -> &mut Self {
        if items.is_empty() {
            return self.put("{}");
        }
        self.put("{").indented(|p| p.line().lines(items, one)).line().put("}")
    }

    /// 0: any; 1: an application or an atom; 2: an atom.
    fn module(&mut self, module: &ModuleExpression, level: u8) -> &mut Self {
        let own = match module {
            ModuleExpression::Lambda(..) | ModuleExpression::Ascribe(..) => 0,
            // Behind another module, an import would be a declaration of its own.
            ModuleExpression::Apply(..) | ModuleExpression::Import(..) => 1,
            ModuleExpression::Name(_) | ModuleExpression::Body(..) => 2,
        };
        self.bracketed(own < level, |p| match module {
            ModuleExpression::Name(name) => p.qualified(name),
            ModuleExpression::Body(declarations, _) => p.braces(declarations, Self::declaration),
            ModuleExpression::Import(path, _) => p.import(path),
            ModuleExpression::Apply(module, argument, _) => p.module(module, 1).put(" ").module(argument, 2),
            ModuleExpression::Ascribe(module, signature, _) => p.module(module, 1).put(" : ").signature(signature, 0),
            ModuleExpression::Lambda(name, signature, body, _) => {
                p.put("\\(").put(name).put(": ").signature(signature, 0).put(") -> ").module(body, 0)
            }
        })
    }

    /// 0: any; 1: no arrow; 2: an atom.
    fn signature(&mut self, signature: &Signature, level: u8) -> &mut Self {
        let own = match signature {
            Signature::Arrow(..) => 0,
            Signature::With(..) => 1,
            Signature::Name(_) | Signature::Body(..) => 2,
        };
        self.bracketed(own < level, |p| match signature {
            Signature::Name(name) => p.qualified(name),
            Signature::Body(promises, _) => p.braces(promises, Self::specification),
            Signature::With(of, name, params, definition, _) => {
                p.signature(of, 1).put(" with ").qualified(name).type_params(params).put(" = ");
                p.type_expression(definition, 1)
            }
            Signature::Arrow(name, param, result, _) => {
                p.parameter(name.as_ref(), |p, level| p.signature(param, level), 1);
                p.put(" -> ").signature(result, 0)
            }
        })
    }

    fn specification(&mut self, promise: &Specification) -> &mut Self {
        match promise {
            Specification::Value(name, params, of, _) => {
                self.put("val ").binding_name(name).type_params(params).put(" : ").type_expression(of, 0)
            }
            Specification::Type(of, _) => self.type_declaration(of),
            Specification::Module(name, of, _) => self.put("module ").put(name).put(" : ").signature(of, 0),
            Specification::Include(of, _) => self.put("include ").signature(of, 0),
        }
    }
}
