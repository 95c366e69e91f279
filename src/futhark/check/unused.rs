//! Warnings of values that `let` names and nothing uses, and of names that are shadowed before they are used.
//!
//! Law: a name is used where it stands within its scope, in an expression or in a size; one that begins with `_` need not be
//! (tests/language/check.rs).

use rustc_hash::FxHashMap;

use super::deep;
use super::functions::pattern_names;
use crate::futhark::source::{Message, Name, Span};
use crate::futhark::syntax::parts::TypePart;
use crate::futhark::syntax::tree::{
    Expression, ExpressionKind as E, Loop, LoopForm, Pattern, PatternKind, QualifiedName, TypeExpression, TypeParam,
    TypeParamKind, ValueDeclaration,
};

/// The warnings of a definition.
pub(super) fn warnings(declared: &ValueDeclaration) -> Vec<Message> {
    let mut search = Search::default();
    search.function(declared);
    search.found
}

/// A name in scope.
struct Bound<'t> {
    name: &'t Name,
    span: Span,
    /// Whether a `let` binds it, whose value is computed for it.
    is_let: bool,
    is_used: bool,
    /// Whether it has been shadowed, and was not used before.
    is_shadowed: bool,
}

#[derive(Default)]
struct Search<'t> {
    bound: Vec<Bound<'t>>,
    /// Which of them a name is, the innermost last.
    of: FxHashMap<&'t Name, Vec<usize>>,
    found: Vec<Message>,
}

impl<'t> Search<'t> {
    fn bind(&mut self, name: &'t Name, span: Span, is_let: bool) {
        let same = self.of.entry(name).or_default();
        if let Some(around) = same.last().map(|at| &mut self.bound[*at]) {
            around.is_shadowed |= !around.is_used;
        }
        same.push(self.bound.len());
        self.bound.push(Bound { name, span, is_let, is_used: false, is_shadowed: false });
    }

    /// Searches where more names are in scope, which are looked at afterwards.
    fn scoped(&mut self, search: impl FnOnce(&mut Self)) {
        let around = self.bound.len();
        search(self);
        for bound in self.bound.drain(around..).rev() {
            self.of.get_mut(bound.name).expect("bound above").pop();
            if bound.is_let && !bound.is_used && !bound.name.starts_with('_') {
                let name = bound.name;
                let (text, hint) = if bound.is_shadowed {
                    (
                        format!("`{name}` is shadowed before it is used"),
                        "was it to be used in the value that shadows it?".into(),
                    )
                } else {
                    (format!("`{name}` is not used"), format!("leave it out, or call it `_{name}`"))
                };
                self.found.push(Message::warning("unused", bound.span, text).hint(hint));
            }
        }
    }

    /// A name, or the fields of one: they are written as members of modules are.
    fn used(&mut self, name: &QualifiedName) {
        self.named(name.modules.first().unwrap_or(&name.name));
    }

    fn named(&mut self, name: &Name) {
        if let Some(at) = self.of.get(name).and_then(|same| same.last()) {
            self.bound[*at].is_used = true;
        }
    }

    fn sizes(&mut self, params: &'t [TypeParam]) {
        let sizes = params.iter().filter(|param| param.kind == TypeParamKind::Size);
        sizes.for_each(|size| self.bind(&size.name, size.span, false));
    }

    /// Binds the names of a pattern; its types are of what is around.
    fn pattern(&mut self, pattern: &'t Pattern, is_let: bool) {
        match &pattern.kind {
            PatternKind::Name(name) => self.bind(name, pattern.span, is_let),
            PatternKind::Wildcard | PatternKind::Literal(_) => {}
            PatternKind::Tuple(parts) | PatternKind::Constructor(_, parts) => {
                parts.iter().for_each(|part| self.pattern(part, is_let));
            }
            PatternKind::Record(fields) => fields.iter().for_each(|(_, part)| self.pattern(part, is_let)),
            PatternKind::Ascribe(inner, of) => {
                self.types(of);
                self.pattern(inner, is_let);
            }
            PatternKind::Attribute(_, inner) => self.pattern(inner, is_let),
        }
    }

    fn function(&mut self, function: &'t ValueDeclaration) {
        self.scoped(|search| {
            search.sizes(&function.type_params);
            function.params.iter().for_each(|param| search.pattern(param, false));
            function.result.iter().for_each(|of| search.types(of));
            search.expression(&function.body);
        });
    }

    /// The sizes that are written in a type.
    fn types(&mut self, of: &'t TypeExpression) {
        of.parts().into_iter().for_each(|part| match part {
            TypePart::Size(size) => self.expression(size),
            TypePart::Type(of) => self.types(of),
        });
    }

    fn expression(&mut self, value: &'t Expression) {
        deep(|| self.scoped(|search| search.chain(value)));
    }

    /// An expression, and those in which what it binds is in scope: chains of `let` are long.
    fn chain(&mut self, mut value: &'t Expression) {
        loop {
            value = match &value.kind {
                E::Let(sizes, pattern, bound, body) => {
                    self.expression(bound);
                    self.sizes(sizes);
                    self.pattern(pattern, true);
                    body
                }
                E::LetFunction(function, body) => {
                    self.function(function);
                    self.bind(&function.name, function.name_span, true);
                    body
                }
                _ => return self.within(value),
            };
        }
    }

    fn within(&mut self, value: &'t Expression) {
        match &value.kind {
            E::Name(name)
            | E::Section(name)
            | E::Binary(name, ..)
            | E::SectionLeft(name, _)
            | E::SectionRight(name, _) => {
                self.used(name);
            }
            E::LetUpdate(name, ..) => self.named(name),
            E::Ascribe(_, of) | E::Coerce(_, of) => self.types(of),
            E::Lambda(params, result, body) => {
                params.iter().for_each(|param| self.pattern(param, false));
                result.iter().for_each(|of| self.types(of));
                return self.expression(body);
            }
            E::Match(of, cases) => {
                self.expression(of);
                return cases.iter().for_each(|(pattern, body)| {
                    self.scoped(|search| {
                        search.pattern(pattern, false);
                        search.expression(body);
                    });
                });
            }
            E::Loop(it) => return self.iteration(it),
            _ => {}
        }
        value.parts().into_iter().for_each(|part| self.expression(part));
    }

    fn iteration(&mut self, it: &'t Loop) {
        match &it.initial {
            Some(initial) => self.expression(initial),
            // They begin as what they are called around the loop.
            None => {
                let mut names = Vec::new();
                pattern_names(&it.pattern, &mut names);
                names.into_iter().for_each(|name| self.named(name));
            }
        }
        if let LoopForm::For(.., form) | LoopForm::In(_, form) = &it.form {
            self.expression(form);
        }
        self.sizes(&it.sizes);
        self.pattern(&it.pattern, false);
        match &it.form {
            LoopForm::For(name, span, _) => self.bind(name, *span, false),
            LoopForm::In(element, _) => self.pattern(element, false),
            LoopForm::While(condition) => self.expression(condition),
        }
        self.expression(&it.body);
    }
}
