//! Declarations: definitions, entries, types, and what is opened.
//!
//! Law: a declaration sees those before it; a mistake in one is reported once, and the rest is checked all the same
//! (tests/language/check.rs).

use std::collections::HashMap;
use std::rc::Rc;

use super::scope::{Env, Module, NamedSignature, Template, Value, plain};
use super::{Checked, Checker, fault};
use crate::futhark::core::{Defined, Definition, Entry, Local, Scheme, Size, Type};
use crate::futhark::source::{Message, Name, Span};
use crate::futhark::syntax::tree::{self, DeclarationKind};

/// What a declaration gives a name to: the sort of things among which it is the only one of the name.
fn declared(declaration: &tree::Declaration) -> Option<(&'static str, &Name, Span)> {
    match &declaration.kind {
        DeclarationKind::Value(value) => Some(("value", &value.name, value.name_span)),
        DeclarationKind::Type(declared) => Some(("type", &declared.name, declaration.span)),
        DeclarationKind::Module(declared) => Some(("module", &declared.name, declaration.span)),
        DeclarationKind::Signature(name, _) => Some(("module type", name, declaration.span)),
        DeclarationKind::Local(inside) => declared(inside),
        DeclarationKind::Open(_) | DeclarationKind::Import(_) => None,
    }
}

impl Checker<'_> {
    /// Checks declarations in order; what they declare is in scope after them, and among the exports.
    pub(super) fn declarations(&mut self, declarations: &[tree::Declaration], exports: &mut Env) {
        let mut known = HashMap::new();
        for declaration in declarations {
            // Another text, such as the next line of a session, may say something else by a name.
            let again = declared(declaration)
                .filter(|(kind, name, span)| known.insert((*kind, *name), span.file) == Some(span.file));
            if let Some((_, name, span)) = again {
                let hint = "rename one of them, or leave it out";
                self.reports.add(Message::error("duplicate", span, format!("`{name}` is defined twice")).hint(hint));
            }
            if let Err(fault) = self.declaration(declaration, exports) {
                self.reports.add(*fault);
            }
        }
    }

    fn declaration(&mut self, declaration: &tree::Declaration, exports: &mut Env) -> Checked<()> {
        match &declaration.kind {
            DeclarationKind::Value(value) => {
                let checked = self.value(value);
                // A name whose definition is wrong is known all the same, so that its uses are not reported too.
                let entry = checked.as_ref().map_or(Value::Poisoned, Value::clone);
                self.declare(exports, |env| drop(env.values.insert(value.name.clone(), entry.clone())));
                checked.map(drop)
            }
            DeclarationKind::Type(declared) => {
                let template = match &declared.definition {
                    Some(definition) => self.template(&declared.params, definition),
                    None => fault("type", declaration.span, "this type is not said", "write `type t = …`"),
                };
                // Forget only what belongs to this declaration.
                self.forget();
                let wrong = || Template { params: Vec::new(), open: Vec::new(), body: Type::tuple(vec![]) };
                let (template, failed) = template.map_or_else(|fault| (wrong(), Err(fault)), |known| (known, Ok(())));
                let template = Rc::new(template);
                self.declare(exports, |env| drop(env.types.insert(declared.name.clone(), template.clone())));
                failed
            }
            DeclarationKind::Open(module) => {
                let inside = self.structure(module)?;
                self.declare(exports, |env| env.open(&inside));
                Ok(())
            }
            DeclarationKind::Import(path) => {
                let module = self.import(path, declaration.span)?;
                if let Module::Structure(inside) = module {
                    self.scopes.env.open(&inside);
                }
                Ok(())
            }
            DeclarationKind::Local(inside) => self.declaration(inside, &mut Env::default()),
            DeclarationKind::Module(declared) => {
                let checked = self.module_declaration(declared, declaration.span);
                let module = checked.as_ref().map_or(Module::Poisoned, Module::clone);
                self.declare(exports, |env| drop(env.modules.insert(declared.name.clone(), module.clone())));
                checked.map(drop)
            }
            DeclarationKind::Signature(name, signature) => {
                let named = Rc::new(NamedSignature { signature: signature.clone(), env: self.scopes.env.clone() });
                self.declare(exports, |env| drop(env.signatures.insert(name.clone(), named.clone())));
                Ok(())
            }
        }
    }

    /// Puts something in scope and among the exports.
    fn declare(&mut self, exports: &mut Env, put: impl Fn(&mut Env)) {
        put(&mut self.scopes.env);
        put(exports);
    }

    /// What inference knew of a declaration is needed no more.
    fn forget(&mut self) {
        self.unifier.forget();
        self.digits.clear();
        self.bodies.pending.clear();
        self.unifier.level = 0;
        self.bodies.outside = false;
    }

    /// A definition.
    fn value(&mut self, declared: &tree::ValueDeclaration) -> Checked<Value> {
        // In the prelude, another name for a function is no function of its own.
        let within_prelude = self.definitions.prelude.is_none();
        if let (true, None, [], tree::ExpressionKind::Name(name) | tree::ExpressionKind::Section(name)) =
            (within_prelude, &declared.result, &declared.params[..], &declared.body.kind)
        {
            return self.scopes.find_value(name, self.reports.are_few());
        }
        let checked = self.scoped(|checker| checker.value_within(declared));
        self.forget();
        checked
    }

    fn value_within(&mut self, declared: &tree::ValueDeclaration) -> Checked<Value> {
        let (mut scheme, mut body) = self.defined(declared)?;
        let mut open = Vec::new();
        if !matches!(scheme.body, Type::Function { .. }) {
            let (of, exists) = self.unifier.open_result(&scheme.body, &scheme.sizes, 0, declared.name_span)?;
            (scheme.body, open) = (of, exists);
        }
        self.finish().expression(&mut body)?;
        scheme.body = self.unifier.complete(&scheme.body, declared.name_span)?;
        let definition =
            Definition(u32::try_from(self.definitions.defined.len()).expect("fewer than 2^32 definitions"));
        if !open.is_empty() {
            self.definitions.open_constants.insert(definition, open.clone());
        }
        if declared.entry {
            let entry = self.entry(declared, definition, &scheme, &open)?;
            self.definitions.entries.push(entry);
        }
        if self.definitions.prelude.is_none() && &*declared.name == "length" {
            self.definitions.length = Some(definition);
        }
        let (name, span) = (declared.name.clone(), declared.name_span);
        self.definitions.defined.push(Rc::new(Defined { name, span, scheme, body }));
        Ok(Value::Definition(definition))
    }

    /// A `main` of the file itself is an entry point though it does not say so, if it can be called from outside.
    pub(super) fn main_of(&mut self, file: &tree::File) {
        let main = file.declarations.iter().rev().find_map(|declaration| match &declaration.kind {
            DeclarationKind::Value(value) if &*value.name == "main" => Some(value),
            _ => None,
        });
        if let Some(declared) = main
            && !declared.entry
            && let Some(Value::Definition(definition)) = self.scopes.env.values.get(&declared.name)
        {
            let definition = *definition;
            let scheme = self.definitions.defined[definition.0 as usize].scheme.clone();
            let open = self.definitions.open_constants.get(&definition).cloned().unwrap_or_default();
            if let Ok(entry) = self.entry(declared, definition, &scheme, &open) {
                self.definitions.entries.push(entry);
            }
        }
    }

    /// What can be called from outside: sizes known from arguments, no functions, no type left open.
    fn entry(
        &mut self,
        declared: &tree::ValueDeclaration,
        definition: Definition,
        scheme: &Scheme,
        open: &[Local],
    ) -> Checked<Entry> {
        let span = declared.name_span;
        if let Some(var) = scheme.types.first() {
            let text = format!("the entry `{}` is generic in the type {}", declared.name, var.name);
            return fault("entry", span, text, "write the types of its parameters");
        }
        let mut params = Vec::new();
        let mut result = scheme.body.clone();
        let mut sizes = Vec::new();
        let mut written = declared.params.iter().map(pattern_name);
        while let Type::Function { param, name, result: rest, .. } = result {
            plain_sizes(&param, &mut sizes);
            sizes.extend(name);
            let shown = written.next().flatten().unwrap_or_else(|| Name::from(format!("arg{}", params.len())));
            params.push((shown, *param));
            result = *rest;
        }
        for (name, of) in params.iter().map(|(name, of)| (&**name, of)).chain([("the result", &result)]) {
            if higher(of) {
                let text =
                    format!("{name} of the entry `{}` has type {}, a function", declared.name, self.unifier.show(of));
                return fault("entry", span, text, "values from outside are scalars, arrays, tuples and records");
            }
        }
        for size in &scheme.sizes {
            if !sizes.contains(size) && !open.contains(size) {
                let name = &self.unifier.locals[size.0 as usize];
                let text = format!("no argument of the entry `{}` says the size {name}", declared.name);
                return fault("entry", span, text, format!("give it as an argument: `({name}: i64)`"));
            }
        }
        Ok(Entry { name: declared.name.clone(), definition, params, result })
    }

    /// The operation of that name, at new unknowns.
    pub(super) fn scalar(&mut self, name: &str, span: crate::futhark::source::Span) -> Checked<super::apply::Callee> {
        self.scoped_in(self.scopes.scalars.clone(), |checker| checker.callee(&plain(&Name::from(name), span)))
    }
}

/// The name of a parameter, if it has one.
fn pattern_name(pattern: &tree::Pattern) -> Option<Name> {
    match &pattern.kind {
        tree::PatternKind::Name(name) => Some(name.clone()),
        tree::PatternKind::Ascribe(inner, _) | tree::PatternKind::Attribute(_, inner) => pattern_name(inner),
        _ => None,
    }
}

/// The sizes that a value of the type says.
fn plain_sizes(of: &Type, found: &mut Vec<Local>) {
    match of {
        // Which constructor a value has is not known, so neither are the sizes of what it holds.
        Type::Sum(_) | Type::Function { .. } => return,
        Type::Array(size, _) => found.extend(if let Size::Local(local) = **size { Some(local) } else { None }),
        Type::Prim(_) | Type::Var(_) | Type::Unknown(_) | Type::Accumulator(_) | Type::Record(_) => {}
    }
    of.children().for_each(|of| plain_sizes(of, found));
}

fn higher(of: &Type) -> bool {
    matches!(of, Type::Function { .. } | Type::Accumulator(_)) || of.children().any(higher)
}
