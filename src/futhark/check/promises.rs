//! Module types as promises: a module of which only its type is known, with types that are equal to no others.
//!
//! Law: what a program may know of a sealed module, or of the parameter of a parametric one, is its module type alone: an abstract
//! type is not what it stands for, and a value has the type that is promised (tests/language/check.rs).
//!
//! A program with module types is checked twice. First with all types known, which gives the program its meaning; then with
//! promises in the places of modules, which only finds mistakes. There an abstract type is a sum of one constructor, which holds
//! its arguments and has a name that no text can write.

use std::cell::Cell;
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::names::Map;
use super::ownership::Owned;
use super::scope::{Env, Functor, Made, Module, Template, TemplateParam, Value, show_name};
use super::signatures::missing;
use super::sizes::map_size;
use super::substitute::dimensions;
use super::types::{I64, substitute};
use super::unify::Unifier;
use super::{Checked, Checker, deep, fault};
use crate::futhark::core::{FunctionType, Local, Scheme, Size, Type, TypeVar};
use crate::futhark::source::{Name, Span};
use crate::futhark::syntax::tree::{self, Signature, Specification, TypeParamKind};

/// What `with` says of an abstract type.
#[derive(Clone)]
pub(super) struct Refinement {
    path: Vec<Name>,
    template: Rc<Template>,
    is_used: Rc<Cell<bool>>,
}

/// The number of an abstract type, if it is one.
pub(super) fn as_abstract(of: &Type) -> Option<u32> {
    let Type::Sum(constructors) = of else { return None };
    let [(name, _)] = &constructors[..] else { return None };
    name.split_once('.')?.1.parse().ok()
}

/// Whether types with these parameters take the same arguments.
pub(super) fn alike(a: &Template, b: &Template) -> bool {
    let same = |(a, b): (&TemplateParam, &TemplateParam)| std::mem::discriminant(a) == std::mem::discriminant(b);
    a.params.len() == b.params.len() && a.params.iter().zip(&b.params).all(same)
}

impl Checker {
    /// A module that has what a module type promises, and of which no more is known.
    pub(super) fn promised(&mut self, signature: &Signature, with: &mut Vec<Refinement>) -> Checked<Module> {
        deep(|| match signature {
            Signature::Name(name) => {
                let named = self.scopes.find_signature(name)?;
                self.scoped_in(named.env.clone(), |checker| checker.promised(&named.signature, with))
            }
            Signature::Arrow(param, wanted, result, _) => {
                let param = param.clone().unwrap_or_else(|| Name::from("_"));
                // What is wrong in it is reported here, not where it is applied.
                self.scoped(|checker| {
                    let argument = checker.promised(wanted, &mut Vec::new())?;
                    checker.scopes.env.modules.insert(param.clone(), argument);
                    checker.promised(result, &mut Vec::new())
                })?;
                let (signature, env) = ((**wanted).clone(), self.scopes.env.clone());
                let body = Made::Promised((**result).clone());
                Ok(Module::Functor(Rc::new(Functor { param, signature, body, env })))
            }
            Signature::Body(..) | Signature::With(..) => {
                let mut seen = Env::default();
                self.scoped(|checker| checker.promised_members(signature, with, &mut seen))?;
                Ok(Module::Structure(Rc::new(seen)))
            }
        })
    }

    fn promised_members(&mut self, signature: &Signature, with: &mut Vec<Refinement>, seen: &mut Env) -> Checked<()> {
        deep(|| match signature {
            Signature::Name(name) => {
                let named = self.scopes.find_signature(name)?;
                self.scoped_in(named.env.clone(), |checker| checker.promised_members(&named.signature, with, seen))
            }
            Signature::Body(specifications, _) => {
                once_each(specifications)?;
                specifications.iter().try_for_each(|specification| self.promise(specification, with, seen))
            }
            Signature::With(signature, name, params, definition, place) => {
                let template = Rc::new(self.template(params, definition)?);
                let path = name.modules.iter().chain([&name.name]).cloned().collect();
                let is_used = Rc::new(Cell::new(false));
                with.push(Refinement { path, template, is_used: is_used.clone() });
                self.promised_members(signature, with, seen)?;
                with.pop();
                if is_used.get() {
                    return Ok(());
                }
                let text = format!("the module type has no abstract type `{}`", show_name(name));
                fault("module", *place, text, "name a type that it declares and does not define")
            }
            Signature::Arrow(_, _, _, place) => {
                fault("module", *place, "a parametric module has no members to include", "leave out the arrow")
            }
        })
    }

    fn promise(&mut self, specification: &Specification, with: &mut [Refinement], seen: &mut Env) -> Checked<()> {
        match specification {
            Specification::Value(name, params, of, _) => {
                let scheme = self.promised_type(params, of)?;
                let value = if scheme.body == I64 {
                    Value::Size(Size::Local(self.unifier.local(name)))
                } else {
                    // A name of its own, that no intrinsic has.
                    let own = Name::from(format!("{name}.{}", self.unifier.type_variable(name).id));
                    Rc::make_mut(&mut self.ownership.intrinsics).insert(own.clone(), Owned::of(of));
                    Value::Intrinsic(own, Rc::new(scheme))
                };
                seen.values.insert(name.clone(), value.clone());
                self.scopes.env.values.insert(name.clone(), value);
            }
            Specification::Type(declared, span) => {
                let name = &declared.name;
                let template = match &declared.definition {
                    Some(definition) => {
                        let (template, fits) = self.declared_type(declared, definition)?;
                        fits?;
                        template
                    }
                    None => {
                        let own = self.abstract_type(declared)?;
                        match with.iter().rev().find(|refinement| refinement.path[..] == [name.clone()]) {
                            None => own,
                            Some(refinement) if !alike(&own, &refinement.template) => {
                                let text = format!("`with` gives the type `{name}` other parameters than it has");
                                return fault("module", *span, text, "give it the same, in the same order");
                            }
                            Some(refinement) => {
                                refinement.is_used.set(true);
                                (*refinement.template).clone()
                            }
                        }
                    }
                };
                let template = Rc::new(template);
                seen.types.insert(name.clone(), template.clone());
                self.scopes.env.types.insert(name.clone(), template);
            }
            Specification::Module(name, signature, _) => {
                let within = with.iter().filter(|refinement| refinement.path.len() > 1 && refinement.path[0] == *name);
                let inner =
                    |refinement: &Refinement| Refinement { path: refinement.path[1..].to_vec(), ..refinement.clone() };
                let mut within: Vec<Refinement> = within.map(inner).collect();
                let module = self.promised(signature, &mut within)?;
                seen.modules.insert(name.clone(), module.clone());
                self.scopes.env.modules.insert(name.clone(), module);
            }
            Specification::Include(signature, _) => {
                let mut with = with.to_vec();
                self.promised_members(signature, &mut with, seen)?;
                // What follows may mention what was included.
                self.scopes.env.open(seen);
            }
        }
        Ok(())
    }

    /// A type of which nothing is known, with a number of its own.
    fn abstract_type(&mut self, declared: &tree::TypeDeclaration) -> Checked<Template> {
        super::types::distinct_params(&declared.params, Span::default())?;
        let (sizes, types) = self.scoped(|checker| checker.scopes.type_params(&declared.params, &mut checker.unifier));
        let (mut sizes, mut types) = (sizes.into_iter(), types.into_iter());
        let (mut params, mut held) = (Vec::new(), Vec::new());
        for param in &declared.params {
            match param.kind {
                TypeParamKind::Size => {
                    let size = sizes.next().expect("as many sizes");
                    params.push(TemplateParam::Size(size));
                    held.push(Type::Array(Size::Local(size), Type::tuple(Vec::new()).into()));
                }
                TypeParamKind::Type | TypeParamKind::SizeLifted | TypeParamKind::Lifted => {
                    let var = types.next().expect("as many types");
                    params.push(TemplateParam::Type(var.id));
                    held.push(Type::Var(var));
                }
            }
        }
        let TypeVar { id, name } = self.unifier.type_variable(&declared.name);
        self.unifier.lifted.insert(id, declared.lifted);
        let body = Type::Sum(vec![(Name::from(format!("{name}.{id}")), held)].into());
        Ok(Template { params, open: Vec::new(), lifted: declared.lifted, body })
    }

    /// The type that is promised of a value. Sizes that are not written are any.
    fn promised_type(&mut self, params: &[tree::TypeParam], of: &tree::TypeExpression) -> Checked<Scheme> {
        super::types::distinct_params(params, of.span)?;
        let first = self.unifier.sizes.len();
        let mut scheme = self.specified(params, of)?;
        let is_function = matches!(scheme.body, Type::Function(_));
        let mut rest = &scheme.body;
        while let Type::Function(function) = rest {
            if self.unifier.has_open_size(&function.param) {
                let text = "a parameter here has a size without a name, which nothing says when it is used";
                let hint = "give the size a name: `val f [n] : [n]t -> t`";
                return fault("size", of.span, text, hint);
            }
            rest = &function.result;
        }
        let open = self.deeper(|checker| checker.unifier.name_sizes(first, |unifier| unifier.fresh("n")));
        scheme.body = self.unifier.resolve(&scheme.body);
        if is_function {
            scheme.sizes.extend(open);
        } else {
            // It is one value, of sizes that nothing says.
            open.into_iter().for_each(|size| self.unifier.soften(size));
        }
        Ok(scheme)
    }
}

/// Asks that nothing is promised twice: values and modules have names among each other, and types have.
fn once_each(specifications: &[Specification]) -> Checked<()> {
    let mut known = FxHashSet::default();
    for specification in specifications {
        let (is_type, name, span) = match specification {
            Specification::Value(name, _, _, span) | Specification::Module(name, _, span) => (false, name, *span),
            Specification::Type(declared, span) => (true, &declared.name, *span),
            Specification::Include(..) => continue,
        };
        if !known.insert((is_type, name)) {
            let text = format!("`{name}` is promised twice");
            return fault("duplicate", span, text, "rename one of them, or leave it out");
        }
    }
    Ok(())
}

/// What stands for a promise in a module that keeps it.
#[derive(Debug, Clone, Default)]
pub(super) struct Known {
    /// The least number of its abstract types. Those of smaller numbers are of other modules, and are what they are.
    first: u32,
    /// For its abstract types.
    types: FxHashMap<u32, Rc<Template>>,
    /// For its constants that are sizes.
    sizes: FxHashMap<Local, Size>,
}

impl Unifier {
    /// Whether a type has a size of which nothing is written.
    fn has_open_size(&self, of: &Type) -> bool {
        let mut found = false;
        dimensions(of, &mut |size| {
            let leaf = self.resolve_size(size);
            found |= matches!(leaf, Size::Unknown(cell) if !self.sizes[cell as usize].is_written);
        });
        found
    }
}

impl Known {
    /// Nothing is known of the abstract types of what is promised from now on.
    pub(super) fn before_promises(&self, unifier: &Unifier) -> Self {
        Known { first: unifier.type_variables, ..self.clone() }
    }
}

impl Unifier {
    /// A type with abstract types as what they stand for.
    pub(super) fn represented(&mut self, of: &Type, known: &Known) -> Type {
        deep(|| match of {
            Type::Sum(constructors) => {
                let mut each = |parts: &[Type]| parts.iter().map(|of| self.represented(of, known)).collect();
                let mut parts: Vec<(Name, Vec<Type>)> =
                    constructors.iter().map(|(name, payload)| (name.clone(), each(payload))).collect();
                let Some(template) = as_abstract(of).and_then(|id| known.types.get(&id)) else {
                    return Type::Sum(parts.into());
                };
                let (mut sizes, mut types) = (FxHashMap::default(), FxHashMap::default());
                for (param, argument) in template.params.iter().zip(parts.remove(0).1) {
                    match (param, argument) {
                        (TemplateParam::Size(local), Type::Array(size, _)) => drop(sizes.insert(*local, size)),
                        (TemplateParam::Type(id), of) => drop(types.insert(*id, of)),
                        (TemplateParam::Size(_), _) => unreachable!("sizes are held as those of arrays"),
                    }
                }
                for local in &template.open {
                    // Nothing says it, wherever the type is met.
                    let open = self.fresh("k");
                    self.soften(open);
                    sizes.insert(*local, Size::Local(open));
                }
                substitute(&template.body, &sizes, &types)
            }
            Type::Record(fields) => {
                Type::Record(fields.iter().map(|(name, of)| (name.clone(), self.represented(of, known))).collect())
            }
            Type::Array(size, of) => Type::Array(represented_size(size, known), self.represented(of, known).into()),
            Type::Accumulator(of) => Type::Accumulator(self.represented(of, known).into()),
            Type::Function(function) => {
                let param = self.represented(&function.param, known);
                let result = self.represented(&function.result, known);
                FunctionType { param, name: function.name, exists: function.exists.clone(), result }.into()
            }
            Type::Prim(_) | Type::Var(_) | Type::Unknown(_) => of.clone(),
        })
    }

    /// A promise, with abstract types as what they stand for.
    pub(super) fn represented_members(&mut self, promised: &Env, known: &Known) -> Env {
        let mut seen = promised.clone();
        for (name, template) in &promised.types {
            let own = as_abstract(&template.body).and_then(|id| known.types.get(&id));
            let own = own.filter(|own| alike(own, template));
            let template = match own {
                Some(own) => own.clone(),
                None => Rc::new(Template { body: self.represented(&template.body, known), ..(**template).clone() }),
            };
            seen.types.insert(name.clone(), template);
        }
        for name in promised.values.keys() {
            let value = match promised.values.get(name) {
                Some(Value::Intrinsic(own, scheme)) => {
                    let body = self.represented(&scheme.body, known);
                    Value::Intrinsic(own.clone(), Rc::new(Scheme { body, ..(**scheme).clone() }))
                }
                Some(Value::Size(size)) => Value::Size(represented_size(size, known)),
                _ => continue,
            };
            seen.values.insert(name.clone(), value);
        }
        for (name, module) in &promised.modules {
            if let Module::Structure(inside) = module {
                let inside = Module::Structure(Rc::new(self.represented_members(inside, known)));
                seen.modules.insert(name.clone(), inside);
            }
        }
        seen
    }
}

/// A size with constants as what they stand for.
fn represented_size(size: &Size, known: &Known) -> Size {
    map_size(size, &mut |leaf| if let Size::Local(local) = leaf { known.sizes.get(local).cloned() } else { None })
}

/// The names of a scope, in order, so that messages do not depend on chance.
fn in_order<T>(members: &Map<T>) -> Vec<(&Name, &T)> {
    let mut members: Vec<_> = members.iter().collect();
    members.sort_by_key(|(name, _)| *name);
    members
}

impl Checker {
    /// Whether the types of a module, and of the modules in it, are as promised; abstract ones become known first.
    pub(super) fn types_kept(&mut self, members: &Env, wanted: &Env, known: &mut Known, span: Span) -> Checked<()> {
        self.abstract_kept(members, wanted, known, span)?;
        self.definitions_kept(members, wanted, known, span)
    }

    fn abstract_kept(&mut self, members: &Env, wanted: &Env, known: &mut Known, span: Span) -> Checked<()> {
        for name in wanted.values.keys() {
            if let (Some(Value::Size(Size::Local(own))), Some(found)) =
                (wanted.values.get(name), members.values.get(name))
            {
                known.sizes.extend(found.as_size().map(|size| (*own, size)));
            }
        }
        for (name, wanted) in in_order(&wanted.types) {
            let Some(found) = members.types.get(name) else { return Err(missing("type", name, span)) };
            if !alike(found, wanted) {
                let text = format!("the type `{name}` of the module has other parameters than its module type wants");
                return fault("module", span, text, "declare it with the same, in the same order");
            }
            let Some(id) = declared_as(name, wanted).filter(|id| *id >= known.first) else { continue };
            if found.lifted > wanted.lifted {
                let (sign, holds) = match found.lifted {
                    TypeParamKind::Lifted => ('^', "functions"),
                    _ => ('~', "arrays of sizes that only they know"),
                };
                let text =
                    format!("the type `{name}` of the module may hold {holds}, and its module type does not say so");
                return fault("module", span, text, format!("write `type{sign} {name}` in the module type"));
            }
            let mut plain = Vec::new();
            constructive(&found.body, &mut plain);
            for param in &found.params {
                if let TemplateParam::Size(local) = param
                    && !plain.contains(local)
                {
                    let text =
                        format!("the type `{name}` cannot be abstract: no array in it has the size that it is given");
                    return fault("module", span, text, "let an array in it have this size");
                }
            }
            known.types.entry(id).or_insert_with(|| found.clone());
        }
        for (name, wanted) in in_order(&wanted.modules) {
            match (members.modules.get(name), wanted) {
                (None, _) => return Err(missing("module", name, span)),
                (Some(Module::Structure(members)), Module::Structure(wanted)) => {
                    self.abstract_kept(members, wanted, known, span)?;
                }
                (Some(_), _) => {}
            }
        }
        Ok(())
    }

    fn definitions_kept(&mut self, members: &Env, wanted: &Env, known: &Known, span: Span) -> Checked<()> {
        for (name, wanted) in in_order(&wanted.types) {
            let own = declared_as(name, wanted).and_then(|id| known.types.get(&id));
            if own.is_some_and(|own| Rc::ptr_eq(own, &members.types[name])) {
                continue;
            }
            let body = self.unifier.represented(&wanted.body, known);
            self.unifier.same_template(&members.types[name], &Template { body, ..(**wanted).clone() }, name, span)?;
        }
        for (name, wanted) in in_order(&wanted.modules) {
            if let (Some(Module::Structure(members)), Module::Structure(wanted)) = (members.modules.get(name), wanted) {
                self.definitions_kept(members, wanted, known, span)?;
            }
        }
        Ok(())
    }

    /// Whether the values of a module can be used at the types that are promised.
    pub(super) fn values_kept(&mut self, members: &Env, wanted: &Env, known: &Known, span: Span) -> Checked<()> {
        let mut names: Vec<&Name> = wanted.values.keys().collect();
        names.sort();
        names.dedup();
        for name in names {
            let wanted = match wanted.values.get(name) {
                Some(Value::Intrinsic(_, scheme)) => &scheme.body,
                Some(Value::Size(_)) => &I64,
                _ => continue,
            };
            let Some(value) = members.values.get(name) else { return Err(missing("value", name, span)) };
            let wanted = self.unifier.represented(wanted, known);
            let found = self.type_of_member(name, value, span)?;
            if !self.unifier.keeps(&found, &wanted) {
                return Err(self.unifier.unlike(name, &found, &wanted, span));
            }
            self.unifier.instances_hold(span)?;
        }
        Ok(())
    }
}

/// The number of an abstract type, if it is the one that is declared by a name.
fn declared_as(name: &Name, template: &Template) -> Option<u32> {
    let Type::Sum(constructors) = &template.body else { return None };
    let id = as_abstract(&template.body)?;
    (constructors[0].0.split_once('.')?.0 == &**name).then_some(id)
}

/// The sizes that arrays have, but those that only functions take or return.
fn constructive(of: &Type, found: &mut Vec<crate::futhark::core::Local>) {
    match of {
        Type::Function(_) => return,
        Type::Array(size, _) => found.extend(if let Size::Local(local) = *size { Some(local) } else { None }),
        Type::Prim(_) | Type::Var(_) | Type::Unknown(_) | Type::Accumulator(_) | Type::Record(_) | Type::Sum(_) => {}
    }
    of.children().for_each(|of| constructive(of, found));
}
