//! Uniqueness as it is written: which parts of a parameter a function consumes, and which parts of its result alias nothing.
//!
//! Law: `*` is kept where it is written, part by part, and says nothing of types: two types that differ in it alone are
//! the same (tests/language/consume.rs).

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::consume::Held;
use super::promises::as_abstract;
use super::scope::Value;
use crate::futhark::core::{FunctionType, Local, Type};
use crate::futhark::source::{Name, Span, numbered};
use crate::futhark::syntax::tree::{self, PatternKind, TypeExpression, TypeKind};

/// Who may change a value, part by part.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Owned {
    /// Nothing is written: others may see the value.
    Shared,
    /// `*`: no other sees it.
    Unique,
    /// The parameter of a function that the text has no pattern for: unique if the function consumes it.
    Inferred,
    /// Field by field.
    Record(Vec<(Name, Owned)>),
    /// Constructor by constructor.
    Sum(Vec<(Name, Vec<Owned>)>),
    /// A function, with what it does to its argument.
    Function(Rc<Contract>),
}

/// What a function does to its argument, and who may change its result.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Contract {
    pub(super) param: Owned,
    pub(super) result: Owned,
}

/// Why a function cannot stand where another is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Misfit {
    /// It consumes an argument that has to stay.
    Consumes,
    /// Its result may alias what that of the other does not.
    Aliases,
}

impl Owned {
    /// A function.
    pub(super) fn function(param: Owned, result: Owned) -> Self {
        Owned::Function(Rc::new(Contract { param, result }))
    }

    /// A function of which nothing is written.
    pub(super) fn unwritten(of: &Type) -> Self {
        match of {
            Type::Function(function) => Self::function(Owned::Shared, Self::unwritten(&function.result)),
            _ => Owned::Unique,
        }
    }

    /// What a type says.
    pub(super) fn of(written: &TypeExpression) -> Self {
        match &written.kind {
            TypeKind::Name(..) | TypeKind::Array(..) => Owned::Shared,
            TypeKind::Unique(_) => Owned::Unique,
            TypeKind::Tuple(parts) => Self::tuple(parts.iter().map(Self::of)),
            TypeKind::Record(fields) => {
                Owned::Record(fields.iter().map(|(name, of)| (name.clone(), Self::of(of))).collect())
            }
            TypeKind::Sum(constructors) => {
                let payload = |parts: &[TypeExpression]| parts.iter().map(Self::of).collect();
                Owned::Sum(constructors.iter().map(|(name, parts)| (name.clone(), payload(parts))).collect())
            }
            TypeKind::Function(_, param, result) => Self::function(Self::of(param), Self::of(result)),
            TypeKind::Exists(_, of) => Self::of(of),
        }
    }

    /// What the pattern of a parameter says.
    pub(super) fn of_pattern(pattern: &tree::Pattern) -> Self {
        match &pattern.kind {
            PatternKind::Name(name) if super::sections::is_parameter(name) => Owned::Inferred,
            PatternKind::Name(_) | PatternKind::Wildcard | PatternKind::Literal(_) => Owned::Shared,
            PatternKind::Tuple(parts) => Self::tuple(parts.iter().map(Self::of_pattern)),
            PatternKind::Record(fields) => {
                Owned::Record(fields.iter().map(|(name, part)| (name.clone(), Self::of_pattern(part))).collect())
            }
            PatternKind::Constructor(name, parts) => {
                Owned::Sum(vec![(name.clone(), parts.iter().map(Self::of_pattern).collect())])
            }
            PatternKind::Ascribe(inner, of) => match Self::of(of) {
                Owned::Shared => Self::of_pattern(inner),
                owned => owned,
            },
            PatternKind::Attribute(_, inner) => Self::of_pattern(inner),
        }
    }

    fn tuple(parts: impl Iterator<Item = Owned>) -> Self {
        Owned::Record(parts.enumerate().map(|(at, part)| (numbered(at), part)).collect())
    }

    /// What is said of a field.
    pub(super) fn field(&self, name: &Name) -> Self {
        match self {
            Owned::Record(fields) => {
                fields.iter().find(|(field, _)| field == name).map_or(Owned::Shared, |(_, owned)| owned.clone())
            }
            Owned::Unique | Owned::Inferred => self.clone(),
            Owned::Shared | Owned::Sum(_) | Owned::Function(_) => Owned::Shared,
        }
    }

    /// What is said of a part of what a constructor holds.
    pub(super) fn payload(&self, name: &Name, at: usize) -> Self {
        match self {
            Owned::Sum(constructors) => {
                let parts = constructors.iter().find(|(constructor, _)| constructor == name);
                parts.and_then(|(_, parts)| parts.get(at)).map_or(Owned::Shared, Owned::clone)
            }
            Owned::Unique | Owned::Inferred => self.clone(),
            Owned::Shared | Owned::Record(_) | Owned::Function(_) => Owned::Shared,
        }
    }

    /// What is said of a function's parameter and result.
    pub(super) fn contract(&self) -> (Owned, Owned) {
        match self {
            Owned::Function(contract) => (contract.param.clone(), contract.result.clone()),
            _ => (Owned::Shared, Owned::Shared),
        }
    }

    /// Whether an argument of which this is said is consumed, in part at least.
    pub(super) fn consumes(&self) -> bool {
        match self {
            Owned::Unique => true,
            Owned::Shared | Owned::Inferred | Owned::Function(_) => false,
            Owned::Record(fields) => fields.iter().any(|(_, owned)| owned.consumes()),
            Owned::Sum(constructors) => constructors.iter().flat_map(|(_, parts)| parts).any(Self::consumes),
        }
    }

    /// With what is known of functions of which nothing is written: they consume nothing.
    pub(super) fn complete(self, of: &Type) -> Self {
        match (self, of) {
            (Owned::Shared | Owned::Inferred, Type::Function(function)) => {
                Self::function(Owned::Shared.complete(&function.param), Owned::Shared.complete(&function.result))
            }
            (owned, _) => owned,
        }
    }

    /// Whether a function of this kind and type can stand where one of the other kind is wanted.
    pub(super) fn fits(&self, wanted: &Owned, of: &Type) -> Result<(), Misfit> {
        let (Owned::Function(own), Owned::Function(wanted), Type::Function(function)) = (self, wanted, of) else {
            return Ok(());
        };
        let FunctionType { param, result, .. } = &**function;
        if own.param.consumes() && !wanted.param.consumes() {
            return Err(Misfit::Consumes);
        }
        wanted.param.fits(&own.param, param)?;
        if own.result.aliases_more(&wanted.result, result) {
            return Err(Misfit::Aliases);
        }
        own.result.fits(&wanted.result, result)
    }

    /// Whether a part that is unique in the other is not so here.
    fn aliases_more(&self, wanted: &Owned, of: &Type) -> bool {
        let whole = || *wanted == Owned::Unique && *self == Owned::Shared;
        match of {
            Type::Prim(_) | Type::Function(_) | Type::Unknown(_) => false,
            Type::Array(..) | Type::Var(_) | Type::Accumulator(_) => whole(),
            Type::Sum(_) if as_abstract(of).is_some() => whole(),
            Type::Record(fields) => {
                fields.iter().any(|(name, of)| self.field(name).aliases_more(&wanted.field(name), of))
            }
            Type::Sum(constructors) => constructors.iter().any(|(name, parts)| {
                let mut parts = parts.iter().enumerate();
                parts.any(|(at, of)| self.payload(name, at).aliases_more(&wanted.payload(name, at), of))
            }),
        }
    }
}

/// A function as it is written.
#[derive(Debug, Clone)]
pub(super) struct Declared {
    pub(super) params: Vec<Owned>,
    /// What its result is declared to be, if it is.
    pub(super) result: Option<Owned>,
}

/// What is written of uniqueness, and what is known of the definitions so far.
#[derive(Debug, Clone, Default)]
pub(super) struct Ownership {
    /// The functions of the definition that is being checked, by the place of their first parameter.
    pub(super) functions: FxHashMap<Span, Declared>,
    /// The variables of its loops, by the place of their pattern.
    pub(super) loops: FxHashMap<Span, Owned>,
    /// What is declared of the definition itself, if it has no parameters.
    pub(super) constant: Option<Owned>,
    /// Variables that the checker made for values with no name: these are worked out where they are mentioned first.
    pub(super) hoisted: FxHashSet<Local>,
    /// The functions that the meanings know.
    pub(super) intrinsics: Rc<FxHashMap<Name, Owned>>,
    /// The definitions, by number.
    pub(super) definitions: Vec<(Name, Held)>,
}

impl Ownership {
    /// Notes what is written of a function.
    pub(super) fn function(&mut self, params: &[tree::Pattern], result: Option<&TypeExpression>) {
        let Some(first) = params.first() else { return };
        let params = params.iter().map(Owned::of_pattern).collect();
        self.functions.insert(first.span, Declared { params, result: result.map(Owned::of) });
    }

    /// What a function with a name does to its argument.
    pub(super) fn of_value(&self, value: &Value) -> Option<&Owned> {
        match value {
            Value::Definition(known) => self.definitions.get(known.number.0 as usize).map(|(_, held)| held.owned()),
            Value::Intrinsic(name, _) => self.intrinsics.get(name),
            Value::Local(..) | Value::Generic(..) | Value::Size(_) | Value::Operator(_) | Value::Poisoned => None,
        }
    }

    /// What was written of a definition is needed no more.
    pub(super) fn forget(&mut self) {
        self.functions.clear();
        self.loops.clear();
        self.constant = None;
        self.hoisted.clear();
    }
}
