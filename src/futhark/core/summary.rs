//! Parts of types, shared by their copies, with what is known of each as a whole: how large it is, and what is in it.
//!
//! Law: a summary says what a walk of the type would find, so that a walk can leave out what does not concern it
//! (tests/language/types.rs).

use core::fmt;
use core::ops::{BitOr, Deref};
use core::slice;
use std::sync::Arc;

use super::types::{FunctionType, Size, Type};
use crate::futhark::source::Name;

/// What a type has in it, on whatever level.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Holds(u8);

impl Holds {
    /// Nothing of what is listed here.
    pub const NOTHING: Holds = Holds(0);
    /// Types or sizes that inference has still to fill.
    pub const UNKNOWNS: Holds = Holds(1);
    /// Variables in sizes.
    pub const SIZES: Holds = Holds(1 << 1);
    /// Type parameters.
    pub const PARAMETERS: Holds = Holds(1 << 2);
    /// Arrays.
    pub const DIMENSIONS: Holds = Holds(1 << 3);
    /// Functions.
    pub const FUNCTIONS: Holds = Holds(1 << 4);
    /// Sums, as which abstract types are known too.
    pub const SUMS: Holds = Holds(1 << 5);

    /// Whether anything of the other is in it.
    #[must_use]
    pub const fn any(self, of: Holds) -> bool {
        self.0 & of.0 != 0
    }
}

impl BitOr for Holds {
    type Output = Holds;

    fn bitor(self, other: Holds) -> Holds {
        Holds(self.0 | other.0)
    }
}

/// What is known of a type as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Summary {
    /// How many types it is made of, itself among them.
    pub parts: u32,
    /// How deep they nest: that of a scalar is 1.
    pub depth: u32,
    /// What is in it.
    pub holds: Holds,
}

impl Summary {
    /// Of what is made of nothing else.
    const fn leaf(holds: Holds) -> Summary {
        Summary { parts: 1, depth: 1, holds }
    }

    /// Of a type around these.
    fn around(within: impl Iterator<Item = Summary>, holds: Holds) -> Summary {
        let all = within.fold(Summary { parts: 0, depth: 0, holds }, |all, one| Summary {
            parts: all.parts.saturating_add(one.parts),
            depth: all.depth.max(one.depth),
            holds: all.holds | one.holds,
        });
        Summary { parts: all.parts.saturating_add(1), depth: all.depth.saturating_add(1), ..all }
    }
}

impl Size {
    /// What is in the size.
    fn holds(&self) -> Holds {
        match self {
            Size::Constant(_) => Holds::NOTHING,
            Size::Local(_) => Holds::SIZES,
            Size::Unknown(_) => Holds::UNKNOWNS,
            Size::Sum(a, b) | Size::Difference(a, b) | Size::Product(a, b) | Size::Quotient(a, b) => {
                a.holds() | b.holds()
            }
        }
    }
}

impl Type {
    /// What is known of it as a whole, found without looking further than at its parts.
    #[must_use]
    pub fn summary(&self) -> Summary {
        match self {
            Type::Prim(_) => Summary::leaf(Holds::NOTHING),
            Type::Unknown(_) => Summary::leaf(Holds::UNKNOWNS),
            Type::Var(_) => Summary::leaf(Holds::PARAMETERS),
            Type::Array(size, of) => Summary::around([of.0.0].into_iter(), size.holds() | Holds::DIMENSIONS),
            Type::Accumulator(of) => Summary::around([of.0.0].into_iter(), Holds::NOTHING),
            Type::Function(function) => function.0.0,
            Type::Record(fields) => fields.0.0,
            Type::Sum(constructors) => constructors.0.0,
        }
    }

    /// Whether there is any of this in it.
    #[must_use]
    pub fn holds(&self, any: Holds) -> bool {
        self.summary().holds.any(any)
    }
}

/// What types are made of, for their summaries.
pub trait Parts {
    /// What is known of the type that is made of them; of a single type, of that type.
    fn summary(&self) -> Summary;
}

impl Parts for Type {
    fn summary(&self) -> Summary {
        Type::summary(self)
    }
}

impl Parts for FunctionType {
    fn summary(&self) -> Summary {
        Summary::around([&self.param, &self.result].into_iter().map(Type::summary), Holds::FUNCTIONS)
    }
}

impl Parts for Vec<(Name, Type)> {
    fn summary(&self) -> Summary {
        Summary::around(self.iter().map(|(_, of)| of.summary()), Holds::NOTHING)
    }
}

impl Parts for Vec<(Name, Vec<Type>)> {
    fn summary(&self) -> Summary {
        Summary::around(self.iter().flat_map(|(_, payload)| payload).map(Type::summary), Holds::SUMS)
    }
}

/// What a type is made of. Copies share it.
#[derive(Clone)]
pub struct Shared<T>(Arc<(Summary, T)>);

impl<T: Parts + Clone> Shared<T> {
    /// The parts, copied if they are shared.
    pub fn into_inner(self) -> T {
        Arc::unwrap_or_clone(self.0).1
    }
}

impl<T> Shared<T> {
    /// Whether these are copies of each other.
    pub(in crate::futhark) fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl<T: Parts> From<T> for Shared<T> {
    fn from(parts: T) -> Self {
        Shared(Arc::new((parts.summary(), parts)))
    }
}

impl<A> FromIterator<A> for Shared<Vec<A>>
where
    Vec<A>: Parts,
{
    fn from_iter<I: IntoIterator<Item = A>>(parts: I) -> Self {
        Shared::from(Vec::from_iter(parts))
    }
}

impl<'a, A> IntoIterator for &'a Shared<Vec<A>> {
    type Item = &'a A;
    type IntoIter = slice::Iter<'a, A>;

    fn into_iter(self) -> slice::Iter<'a, A> {
        self.iter()
    }
}

impl<T> Deref for Shared<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0.1
    }
}

impl<T: PartialEq> PartialEq for Shared<T> {
    fn eq(&self, other: &Self) -> bool {
        self.is_same(other) || self.0.1 == other.0.1
    }
}

impl<T: fmt::Display> fmt::Display for Shared<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.1.fmt(f)
    }
}

impl<T: fmt::Debug> fmt::Debug for Shared<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.1.fmt(f)
    }
}
