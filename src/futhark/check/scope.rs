//! What names stand for: values, types, modules and module types, each in a space of its own.
//!
//! Law: scopes are persistent: to enter one, to capture it in a module and to leave it cost nothing
//! (tests/language/check.rs).

use std::borrow::Cow;
use std::rc::Rc;

use super::names::{Map, Names};
use super::unify::Prims;
use super::unify::Unifier;
use super::{Checked, RECURSION, fault};
use crate::futhark::core::{Defined, Definition, Local, Scheme, Size, Type};
use crate::futhark::source::{Name, Span};
use crate::futhark::syntax::tree::{self, TypeParamKind};

/// What a name of a value stands for.
#[derive(Debug, Clone)]
pub(super) enum Value {
    /// A variable.
    Local(Local, Type),
    /// A local function of several types.
    Generic(Local, Rc<Scheme>),
    /// A definition.
    Definition(Rc<Known>),
    /// A name given to a size.
    Size(Size),
    /// A function that the meanings know.
    Intrinsic(Name, Rc<Scheme>),
    /// A function on scalars, of several kinds.
    Operator(Rc<Operator>),
    /// Something that was wrong and about which enough has been said.
    Poisoned,
}

impl Value {
    /// The size that it is, if sizes can mention it in every scope.
    pub(super) fn as_size(&self) -> Option<Size> {
        match self {
            Value::Definition(known) => known.defined.size.map(Size::Local),
            Value::Size(size) => Some(size.clone()),
            Value::Local(..) | Value::Generic(..) | Value::Intrinsic(..) | Value::Operator(_) | Value::Poisoned => None,
        }
    }
}

/// A definition that has been checked.
#[derive(Debug)]
pub(super) struct Known {
    pub(super) number: Definition,
    pub(super) defined: Rc<Defined>,
    /// Sizes of the type of a constant that are known only from its value.
    pub(super) open: Vec<Local>,
}

/// A function on scalars.
#[derive(Debug, Clone)]
pub(super) struct Operator {
    /// The operation.
    pub(super) name: Name,
    /// Its type, and the kinds that each of its type variables stands for.
    pub(super) scheme: Scheme,
    pub(super) kinds: Vec<Option<Prims>>,
    /// How many operands it has.
    pub(super) arity: usize,
}

/// What a name of a type stands for: a type with sizes and types to be put in.
#[derive(Debug, Clone)]
pub(super) struct Template {
    pub(super) params: Vec<TemplateParam>,
    /// Sizes left open, which differ in each use.
    pub(super) open: Vec<Local>,
    /// What may be in it.
    pub(super) lifted: TypeParamKind,
    pub(super) body: Type,
}

/// A parameter of a type.
#[derive(Debug, Clone)]
pub(super) enum TemplateParam {
    Size(Local),
    Type(u32),
}

/// A module.
#[derive(Debug, Clone)]
pub(super) enum Module {
    Structure(Rc<Env>),
    Functor(Rc<Functor>),
    Poisoned,
}

/// A module that is made from another.
#[derive(Debug)]
pub(super) struct Functor {
    pub(super) param: Name,
    pub(super) signature: tree::Signature,
    pub(super) body: Made,
    pub(super) env: Env,
}

/// What a parametric module makes.
#[derive(Debug)]
pub(super) enum Made {
    /// What is written.
    Written(tree::ModuleExpression),
    /// A module of which only the type is known.
    Promised(tree::Signature),
}

/// A module type and the scope it was written in.
#[derive(Debug)]
pub(super) struct NamedSignature {
    pub(super) signature: tree::Signature,
    pub(super) env: Env,
}

/// All that is in scope.
#[derive(Debug, Clone, Default)]
pub(super) struct Env {
    pub(super) values: Names<Value>,
    pub(super) types: Map<Rc<Template>>,
    pub(super) modules: Map<Module>,
    pub(super) signatures: Map<Rc<NamedSignature>>,
}

/// What is in scope where, and what it is at the places that differ.
#[derive(Debug, Clone, Default)]
pub(super) struct Scopes {
    /// Where the check is.
    pub(super) env: Env,
    /// What each file sees at its beginning.
    pub(super) base: Env,
    /// The operations on scalars, by their names in the core.
    pub(super) scalars: Env,
    /// The function of the prelude whose value is a size.
    pub(super) length: Option<Definition>,
    /// What is being defined.
    pub(super) defining: Vec<Name>,
    /// Whether hints leave out names that may be meant, which are looked for among all: there are many mistakes.
    pub(super) is_terse: bool,
}

impl Env {
    /// Puts a variable in front, which hides a module of its name: `m.x` is a field of a variable `m`.
    pub(super) fn bind(&mut self, name: &Name, value: Value) {
        self.values.insert(name.clone(), value);
        if self.modules.contains_key(name) {
            self.modules.remove(name);
        }
    }

    /// Puts all of another scope in front.
    pub(super) fn open(&mut self, other: &Env) {
        self.values.extend(&other.values);
        self.types.extend(other.types.clone());
        self.modules.extend(other.modules.clone());
        self.signatures.extend(other.signatures.clone());
    }
}

/// The edit distance: how many letters have to be changed, added, removed, or exchanged with the next; `limit + 1` for
/// anything over the limit.
fn distance(a: &str, b: &str, limit: usize) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().take(64).collect(), b.chars().take(64).collect());
    if a.len().abs_diff(b.len()) > limit {
        return limit + 1;
    }
    let mut rows: Vec<Vec<usize>> = vec![(0..=b.len()).collect()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let changed = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut least = changed.min(row[j - 1] + 1).min(rows[i - 1][j] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(rows[i - 2][j - 2] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

impl Unifier {
    /// A new variable, bound here.
    pub(super) fn local(&mut self, name: &Name) -> Local {
        let local = Local(u32::try_from(self.locals.len()).expect("fewer than 2^32 variables"));
        self.locals.push(name.clone());
        self.local_levels.push(self.level);
        local
    }

    /// A new variable that a type binds: it is in scope nowhere else.
    pub(super) fn bound_by_type(&mut self, name: &Name) -> Local {
        let local = self.local(name);
        self.local_levels[local.0 as usize] = u32::MAX;
        local
    }

    /// A new variable for a value that has no name in the text.
    pub(super) fn fresh(&mut self, name: &str) -> Local {
        self.local(&Name::from(name))
    }
}

impl Scopes {
    /// Puts something in scope, and among the exports of what is imported or a module.
    pub(super) fn declare(&mut self, exports: Option<&mut Env>, put: impl Fn(&mut Env)) {
        put(&mut self.env);
        exports.into_iter().for_each(put);
    }

    /// A module made from another, seen from here.
    pub(super) fn functor(&self, param: &Name, signature: &tree::Signature, body: tree::ModuleExpression) -> Module {
        let (param, signature, env, body) = (param.clone(), signature.clone(), self.env.clone(), Made::Written(body));
        Module::Functor(Rc::new(Functor { param, signature, body, env }))
    }

    /// Whether an operator is still that of the language, not one of the user's.
    pub(super) fn is_own(&self, operator: &tree::QualifiedName) -> bool {
        let found = self.env.values.get(&operator.name).filter(|_| operator.modules.is_empty());
        matches!(found, Some(Value::Definition(known)) if known.defined.span.is_prelude())
    }

    /// The name of those given that is nearest to a name, if one is near and hints may look for it.
    fn nearest<'a>(&self, name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
        let limit = 1 + name.chars().count() / 4;
        let known = (!self.is_terse).then_some(known)?;
        known
            .filter(|other| *other != name)
            .map(|other| (distance(name, other, limit), other))
            // Names that share no letter are not alike.
            .filter(|(apart, other)| *apart <= limit && *apart < name.chars().count().max(other.chars().count()))
            .min()
            .map(|(_, other)| other)
    }

    /// The scope that the modules before a name lead to.
    fn scope_of(&self, name: &tree::QualifiedName) -> Checked<&Env> {
        let mut env = &self.env;
        for module in &name.modules {
            env = match env.modules.get(module) {
                Some(Module::Structure(inside)) => inside,
                Some(Module::Poisoned) => return Err(super::follows()),
                Some(Module::Functor(_)) => {
                    let text = format!("`{module}` is a parametric module, which has no members");
                    return fault("module", name.span, text, "apply it to a module first: `module m = …`");
                }
                None => {
                    let hint = match self.nearest(module, env.modules.keys().map(|name| &**name)) {
                        Some(near) => format!("did you mean `{near}`?"),
                        None => "declare it with `module`, or import the file that does".into(),
                    };
                    return fault("unknown-name", name.span, format!("unknown module `{module}`"), hint);
                }
            };
        }
        Ok(env)
    }

    /// The value that a dotted name begins with, and the fields behind it, if it is no member of a module.
    pub(super) fn split_fields(&self, name: &tree::QualifiedName) -> Option<(tree::QualifiedName, Vec<Name>)> {
        let mut env = &self.env;
        for (at, part) in name.modules.iter().enumerate() {
            match env.modules.get(part) {
                Some(Module::Structure(inside)) => env = inside,
                Some(Module::Functor(_) | Module::Poisoned) => return None,
                None => {
                    env.values.get(part)?;
                    let modules = name.modules[..at].to_vec();
                    let value = tree::QualifiedName { modules, name: part.clone(), span: name.span };
                    let fields = name.modules[at + 1..].iter().chain([&name.name]).cloned().collect();
                    return Some((value, fields));
                }
            }
        }
        None
    }

    /// Finds a value.
    pub(super) fn find_value(&self, name: &tree::QualifiedName) -> Checked<Value> {
        let values = &self.scope_of(name)?.values;
        match values.get(&name.name) {
            Some(Value::Poisoned) => Err(super::follows()),
            Some(_) if name.name.starts_with('_') && !name.span.is_prelude() => {
                let text = format!("`{}` is used, and begins with `_`, as names do that are not", show_name(name));
                fault("unknown-name", name.span, text, "give it a name that begins with a letter")
            }
            Some(value) => Ok(value.clone()),
            None if name.modules.is_empty() && self.defining.contains(&name.name) => {
                let text =
                    format!("`{}` is used in its own definition, which only functions at the top can do", name.name);
                fault(RECURSION, name.span, text, "write it as a `loop`, or make it a `def` with parameters")
            }
            None => {
                let shown = show_name(name);
                let near = self.nearest(&name.name, values.keys().map(|name| &**name));
                let within = near.map(|near| prefixed(&name.modules, near));
                let hint = match within.or_else(|| self.elsewhere(name)) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => "define it before it is used".into(),
                };
                fault("unknown-name", name.span, format!("unknown name `{shown}`"), hint)
            }
        }
    }

    /// A module in which a name is, for the hint of an unknown name.
    fn elsewhere(&self, name: &tree::QualifiedName) -> Option<String> {
        if self.is_terse {
            return None;
        }
        let has = |module: &Module| match module {
            Module::Structure(env) => env.values.contains_key(&name.name),
            Module::Functor(_) | Module::Poisoned => false,
        };
        let preferred = ["f64", "i64"].into_iter().find(|m| self.env.modules.get(*m).is_some_and(has));
        let others = || self.env.modules.iter().filter(|(_, m)| has(m)).map(|(name, _)| &**name).min();
        preferred.or_else(others).map(|module| format!("{module}.{}", name.name))
    }

    /// Finds a type.
    pub(super) fn find_type(&self, name: &tree::QualifiedName) -> Checked<Rc<Template>> {
        let env = self.scope_of(name)?;
        if let Some(template) = env.types.get(&name.name) {
            return Ok(template.clone());
        }
        let hint = match self.nearest(&name.name, env.types.keys().map(|name| &**name)) {
            Some(near) => format!("did you mean `{}`?", prefixed(&name.modules, near)),
            None => "declare it with `type`, or as a type parameter such as `'t`".into(),
        };
        fault("unknown-name", name.span, format!("unknown type `{}`", show_name(name)), hint)
    }

    /// Finds a module.
    pub(super) fn find_module(&self, name: &tree::QualifiedName) -> Checked<Module> {
        let whole =
            tree::QualifiedName { modules: name.modules.iter().chain([&name.name]).cloned().collect(), ..name.clone() };
        let env = self.scope_of(name)?;
        match env.modules.get(&name.name) {
            Some(Module::Poisoned) => Err(super::follows()),
            Some(module) => Ok(module.clone()),
            None => self.scope_of(&whole).map(|env| Module::Structure(Rc::new(env.clone()))),
        }
    }

    /// Finds a module type.
    pub(super) fn find_signature(&self, name: &tree::QualifiedName) -> Checked<Rc<NamedSignature>> {
        let env = self.scope_of(name)?;
        if let Some(signature) = env.signatures.get(&name.name) {
            return Ok(signature.clone());
        }
        let hint = match self.nearest(&name.name, env.signatures.keys().map(|name| &**name)) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "declare it with `module type`".into(),
        };
        fault("unknown-name", name.span, format!("unknown module type `{}`", show_name(name)), hint)
    }
}

/// A name with the modules before it.
pub(super) fn show_name(name: &tree::QualifiedName) -> Cow<'_, str> {
    if name.modules.is_empty() { (&*name.name).into() } else { prefixed(&name.modules, &name.name).into() }
}

fn prefixed(modules: &[Name], name: &str) -> String {
    modules.iter().fold(String::new(), |shown, module| shown + module + ".") + name
}

/// A name that stands at a place without modules before it.
pub(super) fn plain(name: &Name, span: Span) -> tree::QualifiedName {
    tree::QualifiedName { modules: Vec::new(), name: name.clone(), span }
}
