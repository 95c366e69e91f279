//! What names stand for at a place of a text, by its tree alone, so that it is known of programs with mistakes as well.
//!
//! Law: what is found for a name is what the checker finds, where it finds something: the innermost binding, else the last declaration
//! before (tests/language/editing.rs).

use std::sync::{Arc, OnceLock};

use crate::futhark::prelude::{FIRST, TEXTS};
use crate::futhark::source::{Name, Span};
use crate::futhark::syntax::parse;
use crate::futhark::syntax::tree::{
    Declaration, DeclarationKind, Expression, ExpressionKind, LoopForm, ModuleExpression, Pattern, PatternKind,
    QualifiedName, Signature, Specification, TypeParam, TypeParamKind, ValueDeclaration,
};

/// What a name stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sort {
    /// A function or a constant at the top of a file or of a module.
    Definition,
    /// A variable.
    Variable,
    /// A type.
    Type,
    /// A module, or a function of modules.
    Module,
    /// A module type.
    ModuleType,
}

/// A name and where it is declared.
#[derive(Debug, Clone)]
pub struct Known {
    /// The name.
    pub name: Name,
    /// What it stands for.
    pub sort: Sort,
    /// The name where it is declared.
    pub span: Span,
    /// What is in a module.
    pub(super) members: Arc<Vec<Known>>,
}

/// What is known of other texts.
pub(super) trait Files {
    /// The text of this number.
    fn text(&self, file: u32) -> &str;
    /// What a file declares that is imported by this path from the text of this number.
    fn imported(&self, path: &str, from: u32) -> Vec<Known>;
}

/// The names in scope, of which later ones hide earlier ones.
#[derive(Debug, Clone, Default)]
pub(super) struct Scope {
    pub(super) names: Vec<Known>,
}

struct Alone;

impl Files for Alone {
    fn text(&self, file: u32) -> &str {
        TEXTS.get(file.wrapping_sub(FIRST) as usize).map_or("", |(_, text)| text)
    }

    fn imported(&self, _: &str, _: u32) -> Vec<Known> {
        Vec::new()
    }
}

/// What every program sees.
pub(super) fn prelude() -> Scope {
    static PRELUDE: OnceLock<Vec<Known>> = OnceLock::new();
    let names = PRELUDE.get_or_init(|| {
        let mut scope = Scope::default();
        for (number, (_, text)) in (FIRST..).zip(TEXTS).skip(1) {
            let Ok(file) = parse(text, number) else { continue };
            scope.declarations(&file.declarations, &Alone);
        }
        let intrinsics =
            scope.names.iter().find(|known| known.sort == Sort::ModuleType).map(|known| known.members.clone());
        scope.names.splice(0..0, intrinsics.iter().flat_map(|members| members.iter().cloned()));
        scope.names
    });
    Scope { names: names.clone() }
}

/// What names are made of.
pub(super) fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '\''
}

/// Where a word stands first in a part of a text.
fn word(files: &dyn Files, within: Span, name: &str) -> Span {
    let text = files.text(within.file);
    let part = text.get(within.start as usize..(within.end as usize).min(text.len())).unwrap_or("");
    let alone = |at: usize| !part[..at].ends_with(is_word) && !part[at + name.len()..].starts_with(is_word);
    match part.match_indices(name).find(|(at, _)| alone(*at)) {
        Some((at, _)) => {
            let start = within.start + u32::try_from(at).unwrap_or(0);
            Span { start, end: start + u32::try_from(name.len()).unwrap_or(0), ..within }
        }
        None => Span { end: within.start, ..within },
    }
}

impl Scope {
    fn put(&mut self, name: &Name, sort: Sort, span: Span, members: Vec<Known>) {
        self.names.push(Known { name: name.clone(), sort, span, members: Arc::new(members) });
    }

    /// What a name stands for, of those that are wanted.
    pub(super) fn find(&self, name: &str, wanted: impl Fn(Sort) -> bool) -> Option<&Known> {
        self.names.iter().rev().find(|known| *known.name == *name && wanted(known.sort))
    }

    /// What is in the module of this name.
    pub(super) fn members<'n>(&self, path: impl IntoIterator<Item = &'n str>) -> Option<Vec<Known>> {
        let is_module = |sort| matches!(sort, Sort::Module | Sort::ModuleType);
        let mut found: Option<Vec<Known>> = None;
        for name in path {
            let within = match found {
                None => self.find(name, is_module),
                Some(ref members) => members.iter().rev().find(|known| *known.name == *name && is_module(known.sort)),
            };
            found = Some(within?.members.to_vec());
        }
        found
    }

    fn named(&self, name: &QualifiedName) -> Vec<Known> {
        let path = name.modules.iter().chain([&name.name]).map(|name| &**name);
        self.members(path).unwrap_or_default()
    }

    /// What declarations declare, one after the other.
    pub(super) fn declarations(&mut self, declarations: &[Declaration], files: &dyn Files) {
        declarations.iter().for_each(|declaration| self.declaration(declaration, files));
    }

    fn declaration(&mut self, declaration: &Declaration, files: &dyn Files) {
        let span = declaration.span;
        match &declaration.kind {
            DeclarationKind::Value(value) => self.put(&value.name, Sort::Definition, value.name_span, Vec::new()),
            DeclarationKind::Type(of) => self.put(&of.name, Sort::Type, word(files, span, &of.name), Vec::new()),
            DeclarationKind::Open(module) => {
                let members = self.module(module, files);
                self.names.extend(members);
            }
            DeclarationKind::Import(path) => self.names.extend(files.imported(path, span.file)),
            DeclarationKind::Local(inner) => self.declaration(inner, files),
            DeclarationKind::Module(module) => {
                let mut inside = self.clone();
                inside.params(&module.params, span, files);
                let members = inside.module(&module.body, files);
                self.put(&module.name, Sort::Module, word(files, span, &module.name), members);
            }
            DeclarationKind::Signature(name, signature) => {
                let members = self.signature(signature, files);
                self.put(name, Sort::ModuleType, word(files, span, name), members);
            }
        }
    }

    fn params(&mut self, params: &[(Name, Signature)], span: Span, files: &dyn Files) {
        for (name, signature) in params {
            let members = self.signature(signature, files);
            self.put(name, Sort::Module, word(files, span, name), members);
        }
    }

    /// What is in a module.
    fn module(&self, module: &ModuleExpression, files: &dyn Files) -> Vec<Known> {
        match module {
            ModuleExpression::Name(name) => self.named(name),
            ModuleExpression::Body(declarations, _) => {
                let mut inside = self.clone();
                inside.declarations(declarations, files);
                inside.names.split_off(self.names.len())
            }
            ModuleExpression::Import(path, span) => files.imported(path, span.file),
            ModuleExpression::Apply(function, argument, _) => {
                let mut members = self.module(argument, files);
                members.extend(self.module(function, files));
                members
            }
            ModuleExpression::Ascribe(module, signature, _) => match self.module(module, files) {
                members if members.is_empty() => self.signature(signature, files),
                members => members,
            },
            ModuleExpression::Lambda(name, signature, body, span) => {
                let mut inside = self.clone();
                inside.params(&[(name.clone(), (**signature).clone())], *span, files);
                inside.module(body, files)
            }
        }
    }

    /// What a module type promises.
    fn signature(&self, signature: &Signature, files: &dyn Files) -> Vec<Known> {
        match signature {
            Signature::Name(name) => self.named(name),
            Signature::With(inner, ..) => self.signature(inner, files),
            Signature::Arrow(_, _, to, _) => self.signature(to, files),
            Signature::Body(specifications, _) => {
                let mut inside = self.clone();
                for specification in specifications {
                    match specification {
                        Specification::Value(name, _, _, span) => {
                            inside.put(name, Sort::Definition, word(files, *span, name), Vec::new());
                        }
                        Specification::Type(of, span) => {
                            inside.put(&of.name, Sort::Type, word(files, *span, &of.name), Vec::new());
                        }
                        Specification::Module(name, of, span) => {
                            let members = inside.signature(of, files);
                            inside.put(name, Sort::Module, word(files, *span, name), members);
                        }
                        Specification::Include(of, _) => {
                            let members = inside.signature(of, files);
                            inside.names.extend(members);
                        }
                    }
                }
                inside.names.split_off(self.names.len())
            }
        }
    }

    /// Puts all in scope that is at this place among declarations.
    pub(super) fn enter(&mut self, declarations: &[Declaration], at: u32, files: &dyn Files) {
        // What comes later is not in scope.
        for declaration in declarations.iter().take_while(|declaration| declaration.span.start <= at) {
            if !holds(declaration.span, at) {
                self.declaration(declaration, files);
                continue;
            }
            let mut inner = declaration;
            while let DeclarationKind::Local(next) = &inner.kind {
                inner = next;
            }
            match &inner.kind {
                DeclarationKind::Value(value) => self.function(value, at, files),
                DeclarationKind::Type(of) => self.type_params(&of.params),
                DeclarationKind::Module(module) => {
                    self.params(&module.params, inner.span, files);
                    self.enter_module(&module.body, at, files);
                }
                DeclarationKind::Open(module) => self.enter_module(module, at, files),
                DeclarationKind::Import(_) | DeclarationKind::Local(_) | DeclarationKind::Signature(..) => {}
            }
            // What is declared by what holds the place is found at its own name, too.
            let mut itself = self.clone();
            itself.declaration(inner, files);
            let own = itself.names.split_off(self.names.len()).into_iter().filter(|known| holds(known.span, at));
            return self.names.extend(own);
        }
    }

    fn enter_module(&mut self, module: &ModuleExpression, at: u32, files: &dyn Files) {
        match module {
            ModuleExpression::Body(declarations, span) if holds(*span, at) => self.enter(declarations, at, files),
            ModuleExpression::Apply(a, b, _) => {
                self.enter_module(a, at, files);
                self.enter_module(b, at, files);
            }
            ModuleExpression::Ascribe(inner, ..) => self.enter_module(inner, at, files),
            ModuleExpression::Lambda(name, signature, body, span) if holds(*span, at) => {
                self.params(&[(name.clone(), (**signature).clone())], *span, files);
                self.enter_module(body, at, files);
            }
            _ => {}
        }
    }

    fn type_params(&mut self, params: &[TypeParam]) {
        for TypeParam { kind, name, span } in params {
            let sort = if *kind == TypeParamKind::Size { Sort::Variable } else { Sort::Type };
            self.put(name, sort, *span, Vec::new());
        }
    }

    fn function(&mut self, value: &ValueDeclaration, at: u32, files: &dyn Files) {
        self.type_params(&value.type_params);
        value.params.iter().for_each(|param| self.pattern(param, files));
        self.expression(&value.body, at, files);
    }

    fn pattern(&mut self, pattern: &Pattern, files: &dyn Files) {
        // Fields that stand for themselves have no place of their own.
        match &pattern.kind {
            PatternKind::Name(name) => self.put(name, Sort::Variable, word(files, pattern.span, name), Vec::new()),
            PatternKind::Wildcard | PatternKind::Literal(_) => {}
            PatternKind::Tuple(parts) | PatternKind::Constructor(_, parts) => {
                parts.iter().for_each(|part| self.pattern(part, files));
            }
            PatternKind::Record(fields) => fields.iter().for_each(|(_, part)| self.pattern(part, files)),
            PatternKind::Ascribe(inner, _) | PatternKind::Attribute(_, inner) => self.pattern(inner, files),
        }
    }

    /// Puts all in scope that an expression binds around a place in it.
    fn expression(&mut self, e: &Expression, at: u32, files: &dyn Files) {
        let mut next = Some(e);
        while let Some(e) = next {
            next = match &e.kind {
                ExpressionKind::Let(sizes, pattern, value, body) => {
                    if holds(value.span, at) {
                        Some(value)
                    } else {
                        self.type_params(sizes);
                        self.pattern(pattern, files);
                        Some(body)
                    }
                }
                ExpressionKind::LetFunction(value, body) => {
                    if at < value.body.span.end.max(value.name_span.end) {
                        self.put(&value.name, Sort::Variable, value.name_span, Vec::new());
                        self.type_params(&value.type_params);
                        value.params.iter().for_each(|param| self.pattern(param, files));
                        Some(&value.body)
                    } else {
                        self.put(&value.name, Sort::Variable, value.name_span, Vec::new());
                        Some(body)
                    }
                }
                ExpressionKind::Lambda(params, _, body) => {
                    params.iter().for_each(|param| self.pattern(param, files));
                    Some(body)
                }
                ExpressionKind::Match(_, cases) if cases.iter().any(|(p, e)| holds(p.span.to(e.span), at)) => {
                    let held = cases.iter().find(|(pattern, e)| holds(pattern.span.to(e.span), at));
                    held.map(|(pattern, e)| {
                        self.pattern(pattern, files);
                        e
                    })
                }
                ExpressionKind::Loop(it) => {
                    let initial = it.initial.as_ref().filter(|initial| holds(initial.span, at));
                    if initial.is_none() {
                        self.type_params(&it.sizes);
                        self.pattern(&it.pattern, files);
                        match &it.form {
                            LoopForm::For(name, span, _) => self.put(name, Sort::Variable, *span, Vec::new()),
                            LoopForm::In(pattern, _) => self.pattern(pattern, files),
                            LoopForm::While(_) => {}
                        }
                    }
                    let (LoopForm::For(.., e) | LoopForm::In(_, e) | LoopForm::While(e)) = &it.form;
                    initial.or(Some(if holds(e.span, at) { e } else { &it.body }))
                }
                ExpressionKind::OpenIn(module, inside) if holds(inside.span, at) => {
                    let members = self.named(module);
                    self.names.extend(members);
                    Some(inside)
                }
                _ => e.parts().into_iter().find(|part| holds(part.span, at)),
            };
        }
    }
}

/// Whether a place is in a part of the text, or at its end.
pub(super) fn holds(span: Span, at: u32) -> bool {
    span.start <= at && at <= span.end
}
