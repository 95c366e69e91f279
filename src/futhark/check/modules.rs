//! Modules: their bodies, other files, parametric modules and their application.
//!
//! Law: a parametric module is checked again for each module it is applied to, with all types known; files are read
//! once, and not by themselves (tests/language/check.rs).

use std::rc::Rc;

use super::promises::Known;
use super::scope::{Env, Functor, Made, Module};
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
                Some(signature) => self.sealed(&module, signature, false, span),
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
        self.parametric(param, signature, body, span)
    }

    /// A parametric module. Of its parameter it knows no more than is promised.
    fn parametric(
        &mut self,
        param: &Name,
        signature: &tree::Signature,
        body: ModuleExpression,
        span: Span,
    ) -> Checked<Module> {
        let module = self.checker.scopes.functor(param, signature, body);
        self.checker.is_sealed = true;
        if let (true, Module::Functor(functor)) = (self.promising, &module) {
            let argument = self.checker.promised(signature, &mut Vec::new())?;
            self.checker.forget();
            self.made(functor, argument, span)?;
        }
        Ok(module)
    }

    /// The module that a parametric one makes of one that is sealed.
    fn made(&mut self, functor: &Functor, argument: Module, span: Span) -> Checked<Module> {
        if self.definitions.defined.len() > MAX_DEFINITIONS {
            return fault("module", span, "this program has too many definitions", "apply fewer modules");
        }
        self.scoped_in(functor.env.clone(), |within| {
            within.checker.scopes.env.modules.insert(functor.param.clone(), argument);
            match &functor.body {
                Made::Written(body) => within.module(body),
                Made::Promised(signature) => {
                    let promised = within.checker.promised(signature, &mut Vec::new());
                    within.checker.forget();
                    promised
                }
            }
        })
    }

    /// The module as its module type lets it be seen; as an argument, with its own types.
    fn sealed(
        &mut self,
        module: &Module,
        signature: &tree::Signature,
        is_argument: bool,
        span: Span,
    ) -> Checked<Module> {
        self.checker.is_sealed = true;
        if !self.promising {
            return self.checker.seal(module, signature, span);
        }
        let mut known = Known::default().before_promises(&self.checker.unifier);
        let promised = self.checker.promised(signature, &mut Vec::new())?;
        self.kept(module, &promised, &mut known, span)?;
        let seen = match &promised {
            Module::Structure(members) if is_argument => {
                Module::Structure(Rc::new(self.checker.unifier.represented_members(members, &known)))
            }
            Module::Structure(_) | Module::Functor(_) | Module::Poisoned => promised,
        };
        self.checker.forget();
        Ok(seen)
    }

    /// Whether a module keeps a promise; what the abstract types of the promise stand for becomes known.
    fn kept(&mut self, module: &Module, promised: &Module, known: &mut Known, span: Span) -> Checked<()> {
        match (module, promised) {
            (Module::Poisoned, _) | (_, Module::Poisoned) => Err(super::follows()),
            (Module::Structure(members), Module::Structure(wanted)) => {
                self.checker.types_kept(members, wanted, known, span)?;
                self.members_kept(members, wanted, known, span)
            }
            (Module::Functor(functor), Module::Functor(wanted)) => {
                // What takes a module as promised makes one as promised.
                let argument = self.scoped_in(wanted.env.clone(), |within| {
                    within.checker.promised(&wanted.signature, &mut Vec::new())
                })?;
                let taken = self.scoped_in(functor.env.clone(), |within| {
                    within.sealed(&argument, &functor.signature, true, span)
                })?;
                let made = self.made(functor, taken, span)?;
                let mut known = known.before_promises(&self.checker.unifier);
                let result = self.made(wanted, argument, span)?;
                self.kept(&made, &result, &mut known, span)
            }
            (Module::Structure(_), Module::Functor(_)) => fault(
                "module",
                span,
                "a parametric module is wanted here, and this one has no parameter",
                "give it one",
            ),
            (Module::Functor(_), Module::Structure(_)) => {
                let text = "a module with members is wanted here, and this one is parametric";
                fault("module", span, text, "apply it to a module first")
            }
        }
    }

    fn members_kept(&mut self, members: &Env, wanted: &Env, known: &mut Known, span: Span) -> Checked<()> {
        self.checker.values_kept(members, wanted, known, span)?;
        let mut names: Vec<&Name> = wanted.modules.keys().collect();
        names.sort();
        for name in names {
            match (&members.modules.get(name), &wanted.modules[name]) {
                (None, _) => return Err(super::signatures::missing("module", name, span)),
                // Its types have been looked at together with those around.
                (Some(Module::Structure(members)), Module::Structure(wanted)) => {
                    self.members_kept(members, wanted, known, span)?;
                }
                (Some(module), promised) => self.kept(module, promised, known, span)?,
            }
        }
        Ok(())
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
                self.depth += 1;
                self.scoped_in(self.checker.scopes.env.clone(), |within| {
                    within.declarations(declarations, Some(&mut exports))
                });
                self.depth -= 1;
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
                let argument = self.scoped_in(functor.env.clone(), |within| {
                    within.sealed(&argument, &functor.signature, true, *span)
                })?;
                self.made(&functor, argument, *span)
            }
            ModuleExpression::Ascribe(module, signature, span) => {
                let module = self.module(module)?;
                self.sealed(&module, signature, false, *span)
            }
            ModuleExpression::Lambda(param, signature, body, span) => {
                self.parametric(param, signature, (**body).clone(), *span)
            }
        })
    }

    /// What another file declares.
    pub(super) fn import(&mut self, path: &Name, span: Span) -> Checked<Module> {
        let part = path.strip_prefix("/prelude/").or_else(|| path.strip_prefix("/futlib/"));
        if part.is_some_and(|part| PARTS_OF_PRELUDE.contains(&part)) {
            return Ok(Module::Structure(Rc::new(self.checker.scopes.base.clone())));
        }
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
        let depth = std::mem::take(&mut self.depth);
        self.scoped_in(self.checker.scopes.base.clone(), |within| {
            deep(|| within.declarations(&file.declarations, Some(&mut exports)));
        });
        self.depth = depth;
        // The entries of a program are those of its own file.
        self.definitions.entries.truncate(entries);
        let module = Module::Structure(Rc::new(exports));
        self.files.known.insert(number, Some(module.clone()));
        Ok(module)
    }
}

/// Files that other compilers read their prelude from; ours has what is in them, in whatever file.
const PARTS_OF_PRELUDE: [&str; 7] = ["prelude", "soacs", "array", "math", "functional", "ad", "zip"];

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
