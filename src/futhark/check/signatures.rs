//! Module types: what a module has to have, and what of it is seen.
//!
//! Law: a sealed module has the members that its signature says, at types at least as general; nothing else is seen of
//! it (tests/language/check.rs).

use std::collections::HashMap;
use std::rc::Rc;

use super::apply::Callee;
use super::report::Role;
use super::scope::{Env, Module, Template, TemplateParam, Value, show_name};
use super::types::substitute;
use super::unify::Unifier;
use super::{Checked, Checker, deep, fault};
use crate::futhark::core::{Scheme, Size, Type, TypeVar};
use crate::futhark::source::{Name, Span};
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
                let Some(found) = seen.types.get(&name.name).cloned() else {
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
        let missing = |what: &str, name: &Name| {
            let text = format!("the module has no {what} `{name}`, which its module type wants");
            fault("module", span, text, "define it in the module")
        };
        match specification {
            Specification::Value(name, params, of, _) => {
                let Some(value) = inside.values.get(name) else { return missing("value", name) };
                self.value_member(name, value, params, of, span)?;
                seen.values.insert(name.clone(), value.clone());
                self.scopes.env.values.insert(name.clone(), value.clone());
            }
            Specification::Type(declared, _) => {
                let Some(found) = inside.types.get(&declared.name).cloned() else {
                    return missing("type", &declared.name);
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
                let Some(found) = inside.modules.get(name).cloned() else { return missing("module", name) };
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
        self.bodies.pending.push(Vec::new());
        let callee = self.deeper(|checker| {
            checker.scopes.env.values.insert(name.clone(), value.clone());
            checker.callee(&super::scope::plain(name, span))
        });
        self.bodies.pending.pop();
        let found = match callee? {
            Callee::Value(value) => value.of,
            Callee::Operator(_, of, _) => of,
        };
        match self.unifier.unify(&found, &wanted) {
            Ok(_) => Ok(()),
            Err(_) => {
                let text = format!(
                    "`{name}` has type {}, but the module type wants {}",
                    self.unifier.show(&found),
                    self.unifier.show(&wanted)
                );
                fault("module", span, text, "change one of them")
            }
        }
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

impl Unifier {
    fn same_template(&mut self, found: &Template, wanted: &Template, name: &Name, span: Span) -> Checked<()> {
        // What is wanted, at the parameters of what is found.
        let (mut sizes, mut types) = (HashMap::new(), HashMap::new());
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
