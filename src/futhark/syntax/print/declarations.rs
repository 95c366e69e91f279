//! Declarations and modules as text.
//!
//! Law: as of the whole printer (laws: futhark_text::printed_is_read).

use core::fmt;

use super::Printer;
use crate::futhark::syntax::tree::{
    Declaration, DeclarationKind, Literal, ModuleDeclaration, ModuleExpression, Signature, Specification,
    TypeDeclaration,
};

impl Printer<'_, '_> {
    /// Each on a line of its own.
    pub(super) fn declarations(&mut self, declarations: &[Declaration]) -> fmt::Result {
        for (at, declaration) in declarations.iter().enumerate() {
            if at > 0 {
                self.line()?;
            }
            self.declaration(declaration)?;
        }
        Ok(())
    }

    fn declaration(&mut self, declaration: &Declaration) -> fmt::Result {
        declaration.attributes.iter().try_for_each(|attribute| self.attribute(attribute))?;
        match &declaration.kind {
            DeclarationKind::Value(value) => {
                self.put(if value.entry { "entry " } else { "def " })?;
                self.definition(value)
            }
            DeclarationKind::Type(of) => self.type_declaration(of),
            DeclarationKind::Open(module) => {
                self.put("open ")?;
                self.module(module, 0)
            }
            DeclarationKind::Import(path) => self.import(path),
            DeclarationKind::Local(inner) => stacker::maybe_grow(super::RESERVE, super::SEGMENT, || {
                self.put("local ")?;
                self.declaration(inner)
            }),
            DeclarationKind::Module(module) => self.module_declaration(module),
            DeclarationKind::Signature(name, signature) => {
                write!(self.out, "module type {name} = ")?;
                self.signature(signature, 0)
            }
        }
    }

    fn import(&mut self, path: &str) -> fmt::Result {
        self.put("import ")?;
        self.literal(&Literal::Text(path.into()))
    }

    fn type_declaration(&mut self, of: &TypeDeclaration) -> fmt::Result {
        write!(self.out, "type {}", of.name)?;
        self.type_params(&of.params)?;
        match &of.definition {
            Some(definition) => {
                self.put(" = ")?;
                self.type_expression(definition, 0)
            }
            None => Ok(()),
        }
    }

    fn module_declaration(&mut self, module: &ModuleDeclaration) -> fmt::Result {
        write!(self.out, "module {}", module.name)?;
        for (name, signature) in &module.params {
            write!(self.out, " ({name}: ")?;
            self.signature(signature, 0)?;
            self.put(")")?;
        }
        if let Some(signature) = &module.signature {
            self.put(" : ")?;
            self.signature(signature, 0)?;
        }
        self.put(" = ")?;
        self.module(&module.body, 0)
    }

    /// What stands in braces, on lines of its own.
    fn braces(&mut self, empty: bool, inside: impl FnOnce(&mut Self) -> fmt::Result) -> fmt::Result {
        if empty {
            return self.put("{}");
        }
        self.put("{")?;
        self.indented(|p| {
            p.line()?;
            inside(p)
        })?;
        self.line()?;
        self.put("}")
    }

    /// 0: any; 1: an application or an atom; 2: an atom.
    fn module(&mut self, module: &ModuleExpression, level: u8) -> fmt::Result {
        let own = match module {
            ModuleExpression::Lambda(..) | ModuleExpression::Ascribe(..) => 0,
            // Behind another module, an import would be a declaration of its own.
            ModuleExpression::Apply(..) | ModuleExpression::Import(..) => 1,
            ModuleExpression::Name(_) | ModuleExpression::Body(..) => 2,
        };
        self.bracketed(own < level, |p| match module {
            ModuleExpression::Name(name) => p.qualified(name),
            ModuleExpression::Body(declarations, _) => {
                p.braces(declarations.is_empty(), |p| p.declarations(declarations))
            }
            ModuleExpression::Import(path, _) => p.import(path),
            ModuleExpression::Apply(module, argument, _) => {
                p.module(module, 1)?;
                p.put(" ")?;
                p.module(argument, 2)
            }
            ModuleExpression::Ascribe(module, signature, _) => {
                p.module(module, 1)?;
                p.put(" : ")?;
                p.signature(signature, 0)
            }
            ModuleExpression::Lambda(name, signature, body, _) => {
                write!(p.out, "\\({name}: ")?;
                p.signature(signature, 0)?;
                p.put(") -> ")?;
                p.module(body, 0)
            }
        })
    }

    /// 0: any; 1: no arrow; 2: an atom.
    fn signature(&mut self, signature: &Signature, level: u8) -> fmt::Result {
        let own = match signature {
            Signature::Arrow(..) => 0,
            Signature::With(..) => 1,
            Signature::Name(_) | Signature::Body(..) => 2,
        };
        self.bracketed(own < level, |p| match signature {
            Signature::Name(name) => p.qualified(name),
            Signature::Body(promises, _) => p.braces(promises.is_empty(), |p| {
                for (at, promise) in promises.iter().enumerate() {
                    if at > 0 {
                        p.line()?;
                    }
                    p.specification(promise)?;
                }
                Ok(())
            }),
            Signature::With(of, name, params, definition, _) => {
                p.signature(of, 1)?;
                p.put(" with ")?;
                p.qualified(name)?;
                p.type_params(params)?;
                p.put(" = ")?;
                p.type_expression(definition, 1)
            }
            Signature::Arrow(name, param, result, _) => {
                match name {
                    Some(name) => {
                        write!(p.out, "({name}: ")?;
                        p.signature(param, 0)?;
                        p.put(")")?;
                    }
                    None => p.signature(param, 1)?,
                }
                p.put(" -> ")?;
                p.signature(result, 0)
            }
        })
    }

    fn specification(&mut self, promise: &Specification) -> fmt::Result {
        match promise {
            Specification::Value(name, params, of, _) => {
                self.put("val ")?;
                self.binding_name(name)?;
                self.type_params(params)?;
                self.put(" : ")?;
                self.type_expression(of, 0)
            }
            Specification::Type(of, _) => self.type_declaration(of),
            Specification::Module(name, of, _) => {
                write!(self.out, "module {name} : ")?;
                self.signature(of, 0)
            }
            Specification::Include(of, _) => {
                self.put("include ")?;
                self.signature(of, 0)
            }
        }
    }
}
