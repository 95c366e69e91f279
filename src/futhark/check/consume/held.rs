//! What a value may share its parts with: for each array of it, the variables and parameters it may alias.
//!
//! Law: the parts of a value are those that its type has; an array is one part, with all its elements, and scalars share nothing
//! (tests/language/consume.rs).

use std::rc::Rc;

use super::Owned;
use crate::futhark::check::ownership::Misfit;
use crate::futhark::check::promises::as_abstract;
use crate::futhark::core::{Definition, Type};
use crate::futhark::source::Name;

/// An array that has a name: all that may alias it have its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(in crate::futhark::check) struct Origin(pub(super) u32);

/// The bit of the origins that are constants of the program.
const GLOBAL: u32 = 1 << 31;

impl Origin {
    /// What a constant of the program holds.
    pub(super) fn global(definition: Definition) -> Self {
        Origin(GLOBAL | definition.0)
    }

    /// What a constant holds of which only the type is known.
    pub(super) fn promised() -> Self {
        Origin(u32::MAX)
    }

    /// The number of the constant, if it is one.
    pub(super) fn as_global(self) -> Option<usize> {
        (self.0 & GLOBAL != 0).then_some((self.0 & !GLOBAL) as usize)
    }
}

/// Some origins, in order, each once.
pub(super) type Origins = Vec<Origin>;

/// The origins of both.
pub(super) fn union(all: &mut Origins, more: &[Origin]) {
    if !more.is_empty() {
        all.extend(more);
        all.sort_unstable();
        all.dedup();
    }
}

/// An origin that both have.
pub(super) fn shared(a: &[Origin], b: &[Origin]) -> Option<Origin> {
    a.iter().copied().find(|origin| b.binary_search(origin).is_ok())
}

/// What a value may alias, part by part.
#[derive(Debug, Clone)]
pub(in crate::futhark::check) enum Held {
    /// Nothing: it is a scalar.
    Scalar,
    /// An array, or a value of a type that is not known.
    Data(Origins),
    /// Field by field.
    Record(Vec<(Name, Held)>),
    /// Constructor by constructor.
    Sum(Vec<(Name, Vec<Held>)>),
    /// A function.
    Function(Rc<Closure>),
}

/// A function: what it captures, and what it does to its argument.
#[derive(Debug, Clone)]
pub(in crate::futhark::check) struct Closure {
    pub(super) captured: Origins,
    pub(super) owned: Owned,
    /// What it captures that it may consume: it has consumed an argument already, and can be called once.
    pub(super) once: Option<Origin>,
}

impl Held {
    /// A function.
    pub(in crate::futhark::check) fn function(captured: Origins, owned: Owned) -> Self {
        Held::Function(Rc::new(Closure { captured, owned, once: None }))
    }

    /// What is consumed when it is called, if it is a function that can be called once.
    pub(super) fn once(&self) -> Option<Origin> {
        if let Held::Function(closure) = self { closure.once } else { None }
    }

    /// A function that can be called once.
    pub(super) fn called_once(self, origin: Origin) -> Self {
        let Held::Function(closure) = self else { return self };
        let (mut captured, owned) = (closure.captured.clone(), closure.owned.clone());
        union(&mut captured, &[origin]);
        Held::Function(Rc::new(Closure { captured, owned, once: Some(origin) }))
    }

    /// What a function does to its argument; nothing is known of other values.
    pub(in crate::futhark::check) fn owned(&self) -> &Owned {
        match self {
            Held::Function(closure) => &closure.owned,
            _ => &Owned::Shared,
        }
    }

    /// A value of a type whose parts, but for those that are unique, may alias these.
    pub(super) fn filled(of: &Type, owned: &Owned, origins: &Origins) -> Self {
        Self::made(of, owned, &mut |owned| if *owned == Owned::Unique { Origins::new() } else { origins.clone() })
    }

    /// A value of a type, with origins for each part of which something is said.
    pub(super) fn made(of: &Type, owned: &Owned, part: &mut impl FnMut(&Owned) -> Origins) -> Self {
        match of {
            Type::Prim(_) => Held::Scalar,
            Type::Array(..) | Type::Var(_) | Type::Accumulator(_) | Type::Unknown(_) => Held::Data(part(owned)),
            Type::Sum(_) if as_abstract(of).is_some() => Held::Data(part(owned)),
            Type::Record(fields) => {
                let field = |(name, of): &(Name, Type)| (name.clone(), Self::made(of, &owned.field(name), part));
                Held::Record(fields.iter().map(field).collect())
            }
            Type::Sum(constructors) => {
                let mut payload = |name: &Name, parts: &[Type]| {
                    let parts = parts.iter().enumerate();
                    parts.map(|(at, of)| Self::made(of, &owned.payload(name, at), part)).collect()
                };
                Held::Sum(constructors.iter().map(|(name, parts)| (name.clone(), payload(name, parts))).collect())
            }
            Type::Function(_) => Self::function(part(owned), owned.clone().complete(of)),
        }
    }

    /// The parts, in the order of the type, each with its own origins.
    pub(super) fn parts(&self, of: &Type, found: &mut Vec<Origins>) {
        match of {
            Type::Prim(_) => {}
            Type::Array(..) | Type::Var(_) | Type::Accumulator(_) | Type::Unknown(_) | Type::Function(_) => {
                found.push(self.origins());
            }
            Type::Sum(_) if as_abstract(of).is_some() => found.push(self.origins()),
            Type::Record(fields) => fields.iter().for_each(|(name, of)| self.field(name, of).parts(of, found)),
            Type::Sum(constructors) => {
                for (name, parts) in constructors {
                    for (at, of) in parts.iter().enumerate() {
                        self.payload(name, at, of).parts(of, found);
                    }
                }
            }
        }
    }

    /// Whether the functions in it can stand where others are wanted. Where nothing is said of one, as of what a type parameter stands for,
    /// it is taken for one that consumes nothing.
    pub(super) fn fits(&self, wanted: &Owned, of: &Type) -> Result<(), Misfit> {
        match of {
            Type::Function(_) => self.owned().fits(&wanted.clone().complete(of), of),
            Type::Record(fields) => {
                fields.iter().try_for_each(|(name, of)| self.field(name, of).fits(&wanted.field(name), of))
            }
            Type::Sum(constructors) => constructors.iter().try_for_each(|(name, parts)| {
                let mut parts = parts.iter().enumerate();
                parts.try_for_each(|(at, of)| self.payload(name, at, of).fits(&wanted.payload(name, at), of))
            }),
            Type::Prim(_) | Type::Array(..) | Type::Var(_) | Type::Accumulator(_) | Type::Unknown(_) => Ok(()),
        }
    }

    /// All that it may alias.
    pub(super) fn origins(&self) -> Origins {
        let mut all = Origins::new();
        self.each(&mut |origins| all.extend(origins));
        all.sort_unstable();
        all.dedup();
        all
    }

    fn each(&self, see: &mut impl FnMut(&Origins)) {
        match self {
            Held::Scalar => {}
            Held::Data(origins) => see(origins),
            Held::Record(fields) => fields.iter().for_each(|(_, part)| part.each(see)),
            Held::Sum(constructors) => constructors.iter().flat_map(|(_, parts)| parts).for_each(|part| part.each(see)),
            Held::Function(closure) => see(&closure.captured),
        }
    }

    /// The value with other origins in the place of those of its parts.
    pub(super) fn map(&mut self, change: &mut impl FnMut(&mut Origins)) {
        match self {
            Held::Scalar => {}
            Held::Data(origins) => change(origins),
            Held::Record(fields) => fields.iter_mut().for_each(|(_, part)| part.map(change)),
            Held::Sum(constructors) => {
                constructors.iter_mut().flat_map(|(_, parts)| parts).for_each(|part| part.map(change));
            }
            Held::Function(closure) => {
                if !closure.captured.is_empty() {
                    change(&mut Rc::make_mut(closure).captured);
                }
            }
        }
    }

    /// A field of this type.
    pub(super) fn field(&self, name: &Name, of: &Type) -> Self {
        let found = match self {
            Held::Record(fields) => fields.iter().find(|(field, _)| field == name).map(|(_, part)| part.clone()),
            _ => None,
        };
        found.unwrap_or_else(|| Self::filled(of, &Owned::Shared, &self.origins()))
    }

    /// A part, of this type, of what a constructor holds.
    pub(super) fn payload(&self, name: &Name, at: usize, of: &Type) -> Self {
        let found = match self {
            Held::Sum(constructors) => constructors.iter().find(|(constructor, _)| constructor == name),
            _ => None,
        };
        let part = found.and_then(|(_, parts)| parts.get(at)).cloned();
        part.unwrap_or_else(|| Self::filled(of, &Owned::Shared, &self.origins()))
    }

    /// With another value in the field at the end of a path.
    pub(super) fn replace(&mut self, path: &[Name], value: Held) {
        let Some((name, rest)) = path.split_first() else {
            *self = value;
            return;
        };
        if let Held::Record(fields) = self
            && let Some((_, part)) = fields.iter_mut().find(|(field, _)| field == name)
        {
            part.replace(rest, value);
        }
    }

    /// One of the two, it is not known which.
    pub(super) fn join(self, other: Held) -> Self {
        match (self, other) {
            (Held::Data(mut a), Held::Data(b)) => {
                union(&mut a, &b);
                Held::Data(a)
            }
            (Held::Record(a), Held::Record(b)) if a.len() == b.len() => {
                Held::Record(a.into_iter().zip(b).map(|((name, a), (_, b))| (name, a.join(b))).collect())
            }
            (Held::Sum(a), Held::Sum(b)) if a.len() == b.len() => {
                let parts = |a: Vec<Held>, b: Vec<Held>| a.into_iter().zip(b).map(|(a, b)| a.join(b)).collect();
                Held::Sum(a.into_iter().zip(b).map(|((name, a), (_, b))| (name, parts(a, b))).collect())
            }
            (Held::Function(a), Held::Function(b)) => {
                let mut captured = a.captured.clone();
                union(&mut captured, &b.captured);
                Held::function(captured, a.owned.clone())
            }
            (a, _) => a,
        }
    }
}
