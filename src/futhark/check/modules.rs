//! Modules: their bodies, other files, parametric modules and their application.
//!
//! Law: a parametric module is checked again for each module it is applied to, with all types known; files are read
//! once, and not by themselves (tests/language/check.rs).

use std::rc::Rc;

use super::scope::{Env, Module};
use super::{Checked, Declarations, deep, fault};
use crate::futhark::source::{Name, Severity, Span};
use crate::futhark::syntax::tree::{self, ModuleExpression};

/// Programs of more definitions than this are not checked: parametric modules may double with each application.
const MAX_DEFINITIONS: usize = 1_000_000;

impl Declarations<'_> {
    /// Checks in another scope, and returns to this one.
    fn scoped_in<T>(&mut self, env: Env, check: impl FnOnce(&mut Self) -> T) -> T {
        let around = std::mem::replace(&mut self.checker.scopes.env, env);
        let checked = check(self);
        self.checker.scopes.env = around;
        checked
    }

    pub(super) fn module_declaration(&mut self, declared: &tree::ModuleDeclaration, span: Span) -> Checked<Module> {
        let Some(((param, signature), rest)) = declared.params.split_first() else {
            let module = self.module(&declared.body)?;
            return match &declared.signature {
                Some(signature) => self.checker.seal(&module, signature, span),
                None => Ok(module),
            };
        };
        let mut body = declared.body.clone();
        if let Some(signature) = &declared.signature {
            body = ModuleExpression::Ascribe(Box::new(body), signature.clone(), span);
        }
        for (param, signature) in rest.iter().rev() {
            body = ModuleExpression::Lambda(param.clone(), Box::new(signature.clone()), Box::new(body), span);
        }
        Ok(self.checker.scopes.functor(param, signature, body))
    }

    /// A module that has members.
    pub(super) fn structure(&mut self, written: &ModuleExpression) -> Checked<Rc<Env>> {
        match self.module(written)? {
            Module::Structure(env) => Ok(env),
            Module::Poisoned => Err(super::follows()),
            Module::Functor(_) => {
                let span = place(written);
                fault("module", span, "a parametric module has no members", "apply it to a module first")
            }
        }
    }

    pub(super) fn module(&mut self, written: &ModuleExpression) -> Checked<Module> {
        deep(|| match written {
            ModuleExpression::Name(name) => self.checker.scopes.find_module(name),
            ModuleExpression::Body(declarations, _) => {
                let mut exports = Env::default();
                self.scoped_in(self.checker.scopes.env.clone(), |within| {
                    within.declarations(declarations, &mut exports)
                });
                Ok(Module::Structure(Rc::new(exports)))
            }
            ModuleExpression::Import(path, span) => self.import(path, *span),
            ModuleExpression::Apply(functor, argument, span) => {
                let applied = self.module(functor)?;
                let argument = self.module(argument)?;
                let functor = match applied {
                    Module::Functor(functor) => functor,
                    Module::Poisoned => return Err(super::follows()),
                    Module::Structure(_) => {
                        let text = "this module has no parameter";
                        return fault("module", place(functor), text, "leave out the argument");
                    }
                };
                if self.definitions.defined.len() > MAX_DEFINITIONS {
                    return fault("module", *span, "this program has too many definitions", "apply fewer modules");
                }
                self.scoped_in(functor.env.clone(), |within| {
                    let argument = within.checker.seal(&argument, &functor.signature, *span)?;
                    within.checker.scopes.env.modules.insert(functor.param.clone(), argument);
                    within.module(&functor.body)
                })
            }
            ModuleExpression::Ascribe(module, signature, span) => {
                let module = self.module(module)?;
                self.checker.seal(&module, signature, *span)
            }
            ModuleExpression::Lambda(param, signature, body, _) => {
                Ok(self.checker.scopes.functor(param, signature, (**body).clone()))
            }
        })
    }

    /// What another file declares.
    pub(super) fn import(&mut self, path: &Name, span: Span) -> Checked<Module> {
        let (number, file) = match self.files.imports.load(path, span.file) {
            Ok(loaded) => loaded,
            Err(mut messages) => {
                for message in &mut messages {
                    if message.span == Span::default() {
                        message.span = span;
                    }
                }
                let stops = messages.iter().any(|message| message.severity == Severity::Error);
                self.report(messages);
                return if stops {
                    Err(super::follows())
                } else {
                    fault("import", span, format!("cannot import \"{path}\""), "check the path")
                };
            }
        };
        match self.files.known.get(&number) {
            Some(Some(module)) => return Ok(module.clone()),
            Some(None) => {
                let text = format!("\"{path}\" is imported by a file that it imports itself");
                return fault("import", span, text, "move what both need into a third file");
            }
            None => {}
        }
        self.files.known.insert(number, None);
        let entries = self.definitions.entries.len();
        let mut exports = Env::default();
        self.scoped_in(self.checker.scopes.base.clone(), |within| {
            deep(|| within.declarations(&file.declarations, &mut exports));
        });
        // The entries of a program are those of its own file.
        self.definitions.entries.truncate(entries);
        let module = Module::Structure(Rc::new(exports));
        self.files.known.insert(number, Some(module.clone()));
        Ok(module)
    }
}

/// Where a module stands.
pub(super) fn place(written: &ModuleExpression) -> Span {
    match written {
        ModuleExpression::Name(name) => name.span,
        ModuleExpression::Body(_, span)
        | ModuleExpression::Import(_, span)
        | ModuleExpression::Apply(_, _, span)
        | ModuleExpression::Ascribe(_, _, span)
        | ModuleExpression::Lambda(_, _, _, span) => *span,
    }
}
