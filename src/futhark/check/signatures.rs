//! Module types: what a module has to have, and what of it is seen.
//!
//! Law: a sealed module has the members that its signature says, at types at least as general; nothing else is seen of
//! it (tests/language/check.rs).

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::apply::Callee;
use super::ownership::{Misfit, Owned};
use super::report::Role;
use super::scope::{Env, Module, Template, TemplateParam, Value, show_name};
use super::types::substitute;
use super::unify::Unifier;
use super::{Checked, Checker, Fault, deep, fault};
use crate::futhark::core::{Scheme, Size, Type, TypeVar};
use crate::futhark::source::{Message, Name, Span};
use crate::futhark::syntax::tree::{self, Signature, Specification};

impl Checker {
    /// The module as its signature lets it be seen.
    pub(super) fn seal(&mut self, module: &Module, signature: &Signature, span: Span) -> Checked<Module> {
        match module {
            Module::Structure(inside) => {
                let mut seen = Env::default();
                let sealed = self.scoped(|checker| checker.seal_members(inside, signature, &mut seen, span));
                self.unifier.forget();
                sealed.map(|()| Module::Structure(Rc::new(seen)))
            }
            // Each application of it is checked, with all types known.
            Module::Functor(_) | Module::Poisoned => Ok(module.clone()),
        }
    }

    fn seal_members(&mut self, inside: &Env, signature: &Signature, seen: &mut Env, span: Span) -> Checked<()> {
        deep(|| match signature {
            Signature::Name(name) => {
                let named = self.scopes.find_signature(name)?;
                self.scoped_in(named.env.clone(), |checker| checker.seal_members(inside, &named.signature, seen, span))
            }
            Signature::Body(specifications, _) => {
                specifications.iter().try_for_each(|specification| self.member(inside, specification, seen, span))
            }
            Signature::With(signature, name, params, definition, place) => {
                let wanted = self.template(params, definition)?;
                self.seal_members(inside, signature, seen, span)?;
                let mut around = Some(&*seen);
                for module in &name.modules {
                    around = match around.and_then(|around| around.modules.get(module)) {
                        Some(Module::Structure(members)) => Some(members),
                        Some(Module::Functor(_) | Module::Poisoned) | None => None,
                    };
                }
                let Some(found) = around.and_then(|around| around.types.get(&name.name)).cloned() else {
                    let text = format!("the module type has no type `{}`", show_name(name));
                    return fault("module", *place, text, "name a type that it declares");
                };
                self.unifier.same_template(&found, &wanted, &name.name, span)
            }
            Signature::Arrow(_, _, _, place) => {
                fault("module", *place, "a module with members is no parametric module", "leave out the arrow")
            }
        })
    }

    fn member(&mut self, inside: &Env, specification: &Specification, seen: &mut Env, span: Span) -> Checked<()> {
        match specification {
            Specification::Value(name, params, of, _) => {
                let Some(value) = inside.values.get(name) else { return Err(missing("value", name, span)) };
                self.value_member(name, value, params, of, span)?;
                seen.values.insert(name.clone(), value.clone());
                self.scopes.env.values.insert(name.clone(), value.clone());
            }
            Specification::Type(declared, _) => {
                let Some(found) = inside.types.get(&declared.name).cloned() else {
                    return Err(missing("type", &declared.name, span));
                };
                if found.params.len() != declared.params.len() {
                    let text = format!(
                        "the type `{}` has {} parameters, but its module type wants {}",
                        declared.name,
                        found.params.len(),
                        declared.params.len()
                    );
                    return fault("module", span, text, "declare it with as many");
                }
                if let Some(definition) = &declared.definition {
                    let wanted = self.template(&declared.params, definition)?;
                    self.unifier.same_template(&found, &wanted, &declared.name, span)?;
                }
                seen.types.insert(declared.name.clone(), found.clone());
                self.scopes.env.types.insert(declared.name.clone(), found);
            }
            Specification::Module(name, signature, _) => {
                let Some(found) = inside.modules.get(name).cloned() else { return Err(missing("module", name, span)) };
                let sealed = self.seal(&found, signature, span)?;
                seen.modules.insert(name.clone(), sealed.clone());
                self.scopes.env.modules.insert(name.clone(), sealed);
            }
            Specification::Include(signature, _) => {
                self.seal_members(inside, signature, seen, span)?;
                // What follows may mention what was included.
                self.scopes.env.open(seen);
            }
        }
        Ok(())
    }

    /// Whether a value can be used at the type that a signature says.
    fn value_member(
        &mut self,
        name: &Name,
        value: &Value,
        params: &[tree::TypeParam],
        of: &tree::TypeExpression,
        span: Span,
    ) -> Checked<()> {
        let wanted = self.scoped(|checker| {
            checker.scopes.type_params(params, &mut checker.unifier);
            checker.type_expression(of)
        })?;
        let found = self.type_of_member(name, value, span)?;
        if !self.unifier.keeps(&found, &wanted) {
            return Err(self.unifier.unlike(name, &found, &wanted, span));
        }
        let found = self.unifier.resolve(&found);
        match self.ownership.of_value(value).map_or(Ok(()), |own| own.fits(&Owned::of(of), &found)) {
            Ok(()) => Ok(()),
            Err(Misfit::Consumes) => {
                let text = format!("`{name}` consumes an argument that its type in the module type leaves alone");
                fault("uniqueness", span, text, "write `*` before the parameter's type in the module type")
            }
            Err(Misfit::Aliases) => {
                let text = format!("the result of `{name}` is unique in the module type, but may alias an argument");
                fault("uniqueness", span, text, "copy the result, or leave out the `*` in the module type")
            }
        }
    }

    /// The type that a value of a module has, at new unknowns.
    pub(super) fn type_of_member(&mut self, name: &Name, value: &Value, span: Span) -> Checked<Type> {
        self.bodies.pending.push(Vec::new());
        let callee = self.deeper(|checker| {
            checker.scopes.env.values.insert(name.clone(), value.clone());
            checker.callee(&super::scope::plain(name, span))
        });
        self.bodies.pending.pop();
        Ok(match callee? {
            Callee::Value(value) => value.of,
            Callee::Operator(_, of, _) => of,
        })
    }

    /// The type that a signature says, for all sizes and types it is generic in.
    pub(super) fn specified(&mut self, params: &[tree::TypeParam], of: &tree::TypeExpression) -> Checked<Scheme> {
        let (sizes, types, body) = self.deeper(|checker| {
            let (sizes, types) = checker.scopes.type_params(params, &mut checker.unifier);
            checker.type_expression(of).map(|body| (sizes, types, body))
        })?;
        Ok(Scheme { sizes, types, body: self.unifier.resolve(&body) })
    }
}

/// That a module lacks a member.
pub(super) fn missing(what: &str, name: &Name, span: Span) -> Fault {
    let text = format!("the module has no {what} `{name}`, which its module type wants");
    Box::new(Message::error("module", span, text).hint("define it in the module"))
}

impl Unifier {
    /// What is said of a value that is not what a module type wants.
    pub(super) fn unlike(&self, name: &Name, found: &Type, wanted: &Type, span: Span) -> Fault {
        let (found, wanted) = (self.show(found), self.show(wanted));
        let text = format!("`{name}` has type {found}, but the module type wants {wanted}");
        Box::new(Message::error("module", span, text).hint("change one of them"))
    }

    pub(super) fn same_template(
        &mut self,
        found: &Template,
        wanted: &Template,
        name: &Name,
        span: Span,
    ) -> Checked<()> {
        // What is wanted, at the parameters of what is found.
        let (mut sizes, mut types) = (FxHashMap::default(), FxHashMap::default());
        let mut alike = found.params.len() == wanted.params.len();
        for params in found.params.iter().zip(&wanted.params) {
            match params {
                (TemplateParam::Size(own), TemplateParam::Size(other)) => {
                    sizes.insert(*other, Size::Local(*own));
                }
                (TemplateParam::Type(own), TemplateParam::Type(other)) => {
                    types.insert(*other, Type::Var(TypeVar { id: *own, name: name.clone() }));
                }
                (TemplateParam::Size(_), TemplateParam::Type(_)) | (TemplateParam::Type(_), TemplateParam::Size(_)) => {
                    alike = false;
                }
            }
        }
        let renamed = substitute(&wanted.body, &sizes, &types);
        if alike && self.equate(&found.body, &renamed, Role::Part, span).is_ok() {
            return Ok(());
        }
        let text = format!(
            "the type `{name}` is {}, but the module type wants {}",
            self.show(&found.body),
            self.show(&wanted.body)
        );
        fault("module", span, text, "change one of them")
    }
}
