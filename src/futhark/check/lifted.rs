//! What types may hold: `type t` no function and no array of a size that only the value knows, `type~ t` no function.
//!
//! Law: no array has elements of which each may have another size, or that hold functions; no branch and no loop has a result that
//! does; what a type parameter `'t` stands for has no functions (tests/language/check.rs).

use super::promises::as_abstract;
use super::scope::Template;
use super::substitute::{has_size, unknowns};
use super::unify::Unifier;
use super::{Checked, Checker, fault};
use crate::futhark::core::{Holds, Size, Type, TypeVar};
use crate::futhark::source::Span;
use crate::futhark::syntax::tree::{TypeDeclaration, TypeExpression, TypeKind, TypeParamKind};

impl Checker {
    /// What may be in a type as it is written.
    pub(super) fn lifted(&self, written: &TypeExpression) -> TypeParamKind {
        let most = |kinds: &mut dyn Iterator<Item = TypeParamKind>| kinds.max().unwrap_or(TypeParamKind::Type);
        super::deep(|| match &written.kind {
            // What is not known is reported elsewhere.
            TypeKind::Name(name, _) => self.scopes.find_type(name).map_or(TypeParamKind::Type, |of| of.lifted),
            TypeKind::Array(..) => TypeParamKind::Type,
            TypeKind::Tuple(parts) => most(&mut parts.iter().map(|part| self.lifted(part))),
            TypeKind::Record(fields) => most(&mut fields.iter().map(|(_, field)| self.lifted(field))),
            TypeKind::Sum(constructors) => {
                most(&mut constructors.iter().flat_map(|(_, payload)| payload).map(|part| self.lifted(part)))
            }
            TypeKind::Function(..) => TypeParamKind::Lifted,
            TypeKind::Unique(of) => self.lifted(of),
            TypeKind::Exists(_, of) => self.lifted(of).max(TypeParamKind::SizeLifted),
        })
    }

    /// Refuses the element of an array that may have a size of its own, or be a function.
    pub(super) fn as_element(&self, element: &TypeExpression) -> Checked<()> {
        match self.lifted(element) {
            TypeParamKind::Size | TypeParamKind::Type => Ok(()),
            TypeParamKind::SizeLifted => {
                let text = "an array of this type might have rows of different sizes";
                fault("lifted", element.span, text, "use a type whose sizes are its parameters: `type t [n] = …`")
            }
            TypeParamKind::Lifted => {
                let text = "an array of this type might hold functions";
                fault("lifted", element.span, text, "arrays hold values without functions: `type t`, `'t`")
            }
        }
    }

    /// Asks that a declared type has the sizes of its parameters, and holds no more than its declaration says.
    pub(super) fn as_declared(&self, template: &Template, declared: &TypeDeclaration, span: Span) -> Checked<()> {
        let name = &declared.name;
        for (param, written) in template.params.iter().zip(&declared.params) {
            if let super::scope::TemplateParam::Size(local) = param
                && !has_size(&template.body, &Size::Local(*local))
            {
                let text = format!("no array in the type `{name}` has the size `{}`", written.name);
                return fault("size", written.span, text, "leave it out, or use it: `[n]t`");
            }
        }
        if template.lifted == TypeParamKind::Lifted && declared.lifted < TypeParamKind::Lifted {
            let text = format!("the type `{name}` may hold functions, and its declaration does not say so");
            return fault("lifted", span, text, format!("write `type^ {name} = …`"));
        }
        // What is no term, but written, is the same size in each value.
        let is_open = template.lifted == TypeParamKind::SizeLifted
            || template.open.iter().any(|size| !self.unifier.soft.contains(size));
        if is_open && declared.lifted < TypeParamKind::SizeLifted {
            let text =
                format!("the type `{name}` has a size that only its values know, and its declaration does not say so");
            let hint = format!("write `type~ {name} = …`, or make the size a parameter: `type {name} [n] = …`");
            return fault("lifted", span, text, hint);
        }
        Ok(())
    }
}

impl Unifier {
    /// Whether a type with sizes that only its values know may stand for this parameter: if it is written as `'~t` or `'^t`, or not
    /// written.
    pub(super) fn is_lifted(&self, var: &TypeVar) -> bool {
        self.lifted.get(&var.id) != Some(&TypeParamKind::Type)
    }

    /// Notes that a type is that of a result of a branch or a loop, once it is known.
    pub(super) fn has_no_functions(&mut self, of: &Type) {
        let of = self.resolve(of);
        if of.holds(Holds::UNKNOWNS) {
            self.chosen.push(of);
        }
    }

    /// Whether an unknown type is part of the result of a branch or a loop.
    pub(super) fn is_chosen(&self, unknown: u32) -> bool {
        self.chosen.iter().any(|of| unknowns(&self.resolve(of)).0.contains(&unknown))
    }

    /// Whether a value of the type is a function or may have one in it.
    pub(super) fn holds_function(&self, of: &Type) -> bool {
        if !of.holds(Holds::FUNCTIONS | Holds::PARAMETERS | Holds::SUMS) {
            return false;
        }
        match of {
            Type::Function(_) => true,
            Type::Sum(_) if as_abstract(of).is_some() => {
                as_abstract(of).is_some_and(|id| self.lifted.get(&id) == Some(&TypeParamKind::Lifted))
            }
            Type::Var(var) => self.lifted.get(&var.id) == Some(&TypeParamKind::Lifted),
            _ => of.children().any(|of| self.holds_function(of)),
        }
    }

    /// Whether a value of the type is an array of functions or has one in it.
    pub(super) fn holds_functions(&self, of: &Type) -> bool {
        if !of.holds(Holds::FUNCTIONS | Holds::PARAMETERS | Holds::SUMS) {
            return false;
        }
        match of {
            Type::Function(_) => false,
            Type::Array(_, of) | Type::Accumulator(of) => self.holds_function(of) || self.is_lifted_by_size(of),
            Type::Prim(_) | Type::Var(_) | Type::Unknown(_) | Type::Record(_) | Type::Sum(_) => {
                of.children().any(|of| self.holds_functions(of))
            }
        }
    }

    /// Whether values of the type may have sizes of their own, as far as a type parameter says.
    fn is_lifted_by_size(&self, of: &Type) -> bool {
        match of {
            Type::Var(var) => self.lifted.get(&var.id) == Some(&TypeParamKind::SizeLifted),
            Type::Function(_) => false,
            of => of.children().any(|of| self.is_lifted_by_size(of)),
        }
    }

    /// Refuses functions where a parameter stands for types without.
    pub(super) fn instances_hold(&self, around: Span) -> Checked<()> {
        for (of, var, span) in &self.instances {
            let of = self.resolve(of);
            if self.holds_function(&of) {
                let span = if span.is_prelude() { around } else { *span };
                let text =
                    format!("`'{}` stands for types without functions, and here for {}", var.name, self.show(&of));
                return fault(
                    "lifted",
                    span,
                    text,
                    "is an argument missing? A parameter that is written `'^t` takes functions",
                );
            }
        }
        Ok(())
    }
}
