//! Declarations: definitions, entries, types, and what is opened.
//!
//! Law: a declaration sees those before it; a mistake in one is reported once, and the rest is checked all the same
//! (tests/language/check.rs).

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::recursion::complete_calls;
use super::scope::{Env, Known, Module, NamedSignature, Template, Value, plain};
use super::types::I64;
use super::unify::Unifier;
use super::{Checked, Checker, Declarations, FOLLOWS, RECURSION, fault, unused};
use crate::futhark::core::{Defined, Definition, Entry, FunctionType, Local, Size, Type};
use crate::futhark::source::{Message, Name, Span};
use crate::futhark::syntax::tree::{self, DeclarationKind};

/// Hints of fewer mistakes than this may look for a name that is meant among all.
const GUESSES: usize = 20;

/// What a declaration gives a name to: the sort of things among which it is the only one of the name.
fn declared(declaration: &tree::Declaration) -> Option<(&'static str, &Name, Span)> {
    match &declaration.kind {
        DeclarationKind::Value(value) => Some(("value", &value.name, value.name_span)),
        DeclarationKind::Type(declared) => Some(("type", &declared.name, declaration.span)),
        // Modules have names among the values.
        DeclarationKind::Module(declared) => Some(("value", &declared.name, declaration.span)),
        DeclarationKind::Signature(name, _) => Some(("module type", name, declaration.span)),
        DeclarationKind::Local(_) | DeclarationKind::Open(_) | DeclarationKind::Import(_) => None,
    }
}

impl Declarations<'_> {
    /// Checks declarations in order; what they declare is in scope after them, and among the exports if there are any.
    pub(super) fn declarations(&mut self, declarations: &[tree::Declaration], mut exports: Option<&mut Env>) {
        let mut known = FxHashMap::default();
        for declaration in declarations {
            // Another text, such as the next line of a session, may say something else by a name.
            let again = declared(declaration)
                .filter(|(kind, name, span)| known.insert((*kind, *name), span.file) == Some(span.file));
            if let Some((_, name, span)) = again {
                let hint = "rename one of them, or leave it out";
                self.report([Message::error("duplicate", span, format!("`{name}` is defined twice")).hint(hint)]);
            }
            if let Err(fault) = self.declaration(declaration, exports.as_deref_mut()) {
                self.report([*fault]);
            }
        }
    }

    /// Reports mistakes that do not follow from others.
    pub(super) fn report(&mut self, messages: impl IntoIterator<Item = Message>) {
        // The body of a parametric module is checked for each module it is applied to.
        messages.into_iter().filter(|message| message.code != FOLLOWS).for_each(|message| self.messages.add(message));
        self.checker.scopes.is_terse = self.messages.all().len() >= GUESSES;
    }

    fn declaration(&mut self, declaration: &tree::Declaration, exports: Option<&mut Env>) -> Checked<()> {
        match &declaration.kind {
            DeclarationKind::Value(value) => {
                let checked = self.value(value);
                // A name whose definition is wrong is known all the same, so that its uses are not reported too.
                let entry = Rc::new(checked.as_ref().map_or(Value::Poisoned, Value::clone));
                self.checker.scopes.declare(exports, |env| env.values.define(value.name.clone(), entry.clone()));
                checked.map(drop)
            }
            DeclarationKind::Type(declared) => {
                let template = match &declared.definition {
                    Some(definition) => self.checker.declared_type(declared, definition),
                    None => fault("type", declaration.span, "this type is not said", "write `type t = …`"),
                };
                // Forget only what belongs to this declaration.
                self.checker.forget();
                let wrong = || Template {
                    params: Vec::new(),
                    open: Vec::new(),
                    lifted: declared.lifted,
                    body: Type::tuple(vec![]),
                };
                let (template, failed) = template.unwrap_or_else(|fault| (wrong(), Err(fault)));
                let template = Rc::new(template);
                self.checker
                    .scopes
                    .declare(exports, |env| drop(env.types.insert(declared.name.clone(), template.clone())));
                failed
            }
            DeclarationKind::Open(module) => {
                let inside = self.structure(module)?;
                self.checker.scopes.declare(exports, |env| env.open(&inside));
                Ok(())
            }
            DeclarationKind::Import(path) => {
                let module = self.import(path, declaration.span)?;
                if let Module::Structure(inside) = module {
                    self.checker.scopes.env.open(&inside);
                }
                Ok(())
            }
            DeclarationKind::Local(inside) => self.declaration(inside, None),
            DeclarationKind::Module(declared) => {
                let checked = self.module_declaration(declared, declaration.span);
                let module = checked.as_ref().map_or(Module::Poisoned, Module::clone);
                self.checker
                    .scopes
                    .declare(exports, |env| drop(env.modules.insert(declared.name.clone(), module.clone())));
                checked.map(drop)
            }
            DeclarationKind::Signature(name, signature) => {
                self.checker.is_sealed = true;
                if self.promising {
                    let promised = self.checker.promised(signature, &mut Vec::new());
                    self.checker.forget();
                    promised?;
                }
                let named =
                    Rc::new(NamedSignature { signature: (**signature).clone(), env: self.checker.scopes.env.clone() });
                self.checker.scopes.declare(exports, |env| drop(env.signatures.insert(name.clone(), named.clone())));
                Ok(())
            }
        }
    }

    /// A definition.
    fn value(&mut self, declared: &tree::ValueDeclaration) -> Checked<Value> {
        // In the prelude, another name for a function is no function of its own.
        let within_prelude = self.checker.mentioned.prelude.is_empty();
        if let (true, None, [], tree::ExpressionKind::Name(name) | tree::ExpressionKind::Section(name)) =
            (within_prelude, &declared.result, &declared.params[..], &declared.body.kind)
        {
            return self.checker.scopes.find_value(name);
        }
        let number = Definition(u32::try_from(self.definitions.defined.len()).expect("fewer than 2^32 definitions"));
        let mut checked = self.checker.scoped(|checker| checker.definition(declared, None));
        if !declared.params.is_empty() && checked.as_ref().is_err_and(|fault| fault.code == RECURSION) {
            self.checker.forget();
            checked = self.checker.scoped(|checker| checker.definition(declared, Some(number)));
        }
        let known = checked.and_then(|(defined, open)| {
            if declared.entry && self.depth > 0 {
                let text = format!("the entry `{}` is within a module, where nothing outside finds it", declared.name);
                return fault(
                    "entry",
                    declared.name_span,
                    text,
                    "define it with `def`, and an entry around that calls it",
                );
            }
            let held = self.checker.consumption(&defined, number)?;
            if !within_prelude {
                unused::warnings(declared).into_iter().for_each(|warning| self.checker.warnings.add(warning));
            }
            let known = Known { number, defined: Rc::new(defined), open };
            if declared.entry {
                self.definitions.entries.push(self.checker.unifier.entry(declared, &known)?);
            }
            if within_prelude && &*declared.name == "length" {
                self.checker.scopes.length = Some(known.number);
            }
            if std::mem::take(&mut self.checker.mentioned.derives) {
                self.definitions.derive.push(number);
            }
            self.definitions.defined.push(known.defined.clone());
            self.checker.ownership.definitions.push((declared.name.clone(), held));
            Ok(Value::Definition(Rc::new(known)))
        });
        self.checker.forget();
        known
    }

    /// A `main` of the file itself is an entry point though it does not say so, if it can be called from outside.
    pub(super) fn main_of(&mut self, file: &tree::File) {
        let main = file.declarations.iter().rev().find_map(|declaration| match &declaration.kind {
            DeclarationKind::Value(value) if &*value.name == "main" => Some(value),
            _ => None,
        });
        if let Some(declared) = main
            && !declared.entry
            && let Some(Value::Definition(known)) = self.checker.scopes.env.values.get(&declared.name)
        {
            self.definitions.entries.extend(self.checker.unifier.entry(declared, known));
        }
    }
}

impl Checker {
    /// What inference knew of a declaration is needed no more.
    pub(super) fn forget(&mut self) {
        self.unifier.forget();
        self.ownership.forget();
        self.digits.clear();
        self.holes.clear();
        self.compared.clear();
        self.bodies.pending.clear();
        self.unifier.level = 0;
        self.bodies.outside = false;
        self.bodies.own = None;
    }

    /// A definition, of which all is known, and the sizes of its type that are known only from its value. A function that calls
    /// itself is checked with its own number, `own`.
    fn definition(
        &mut self,
        declared: &tree::ValueDeclaration,
        own: Option<Definition>,
    ) -> Checked<(Defined, Vec<Local>)> {
        let (name, span) = (declared.name.clone(), declared.name_span);
        let (mut scheme, mut body) = self.defined(declared, own)?;
        let mut open = Vec::new();
        if !matches!(scheme.body, Type::Function(_)) {
            (scheme.body, open) = self.unifier.open_result(&scheme.body, &scheme.sizes, 0, span)?;
        }
        self.filled();
        self.unifier.sizes_are_said()?;
        self.finish().expression(&mut body)?;
        self.unifier.instances_hold(span)?;
        scheme.body = self.unifier.complete(&scheme.body, span)?;
        if let Some(own) = own {
            complete_calls(&mut body, own, &scheme);
        }
        let is_size = scheme.body == I64 && scheme.sizes.is_empty() && scheme.types.is_empty() && !span.is_prelude();
        let size = is_size.then(|| self.unifier.local(&name));
        Ok((Defined { name, span, scheme, body, size }, open))
    }

    /// The operation of that name, at new unknowns.
    pub(super) fn scalar(&mut self, name: &str, span: Span) -> Checked<super::apply::Callee> {
        self.scoped_in(self.scopes.scalars.clone(), |checker| checker.callee(&plain(&Name::from(name), span)))
    }
}

impl Unifier {
    /// What can be called from outside: sizes known from arguments, no functions, no type left open.
    fn entry(&self, declared: &tree::ValueDeclaration, known: &Known) -> Checked<Entry> {
        let (span, scheme) = (declared.name_span, &known.defined.scheme);
        if let Some(var) = scheme.types.first() {
            let text = format!("the entry `{}` is generic in the type {}", declared.name, var.name);
            return fault("entry", span, text, "write the types of its parameters");
        }
        let mut params = Vec::new();
        let mut result = scheme.body.clone();
        let mut sizes = Vec::new();
        let mut written = declared.params.iter().map(pattern_name);
        while let Type::Function(function) = result {
            let FunctionType { param, name, result: rest, .. } = function.into_inner();
            plain_sizes(&param, &mut sizes);
            sizes.extend(name);
            let shown = written.next().flatten().unwrap_or_else(|| Name::from(format!("arg{}", params.len())));
            params.push((shown, param));
            result = rest;
        }
        for (name, of) in params.iter().map(|(name, of)| (&**name, of)).chain([("the result", &result)]) {
            if higher(of) {
                let text = format!("{name} of the entry `{}` has type {}, a function", declared.name, self.show(of));
                return fault("entry", span, text, "values from outside are scalars, arrays, tuples and records");
            }
        }
        for size in &scheme.sizes {
            if !sizes.contains(size) && !known.open.contains(size) {
                let name = &self.locals[size.0 as usize];
                let text = format!("no argument of the entry `{}` says the size {name}", declared.name);
                return fault("entry", span, text, format!("give it as an argument: `({name}: i64)`"));
            }
        }
        Ok(Entry { name: declared.name.clone(), definition: known.number, params, result })
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
        Type::Sum(_) | Type::Function(_) => return,
        Type::Array(size, _) => found.extend(if let Size::Local(local) = *size { Some(local) } else { None }),
        Type::Prim(_) | Type::Var(_) | Type::Unknown(_) | Type::Accumulator(_) | Type::Record(_) => {}
    }
    of.children().for_each(|of| plain_sizes(of, found));
}

fn higher(of: &Type) -> bool {
    matches!(of, Type::Function(_) | Type::Accumulator(_)) || of.children().any(higher)
}
