//! Levels: how deep in functions, branches and loops an unknown was made, what follows for what becomes known of it, and sizes that are
//! known only where a value is.
//!
//! Law: an unknown becomes nothing that contains itself, and no size that is not in scope where it was made; what is
//! required of an unknown is part of it (tests/language/check.rs).

use rustc_hash::FxHashSet;

use super::sizes::{leaves, map_size};
use super::substitute::{Part, binders, dimensions, map_dimensions, mentions, visit, with_sizes};
use super::unify::{Clash, TypeCell, Unifier};
use crate::futhark::core::{FunctionType, HIDDEN, Holds, Local, Size, Type};
use crate::futhark::source::Name;

impl Unifier {
    /// The unknowns in a type and in what is required of those, each once.
    fn unknowns(&self, of: &Type) -> Vec<u32> {
        let (mut found, mut seen, mut open) = (Vec::new(), FxHashSet::default(), Vec::new());
        let mut next = Some(of);
        while let Some(of) = next {
            visit(of, Holds::UNKNOWNS, &mut |part| match part {
                Part::Variable(Type::Unknown(inner)) if seen.insert(*inner) => {
                    found.push(*inner);
                    let TypeCell { value, required, .. } = &self.types[*inner as usize];
                    match value {
                        Some(value) => open.push(value),
                        None => open.extend(required.types()),
                    }
                }
                Part::Variable(_) | Part::Dimension(_) => {}
            });
            next = open.pop();
        }
        found
    }

    /// An unknown of which something is required that mentions this one.
    pub(super) fn required_by(&self, unknown: u32) -> Option<u32> {
        let mentions = |cell: &TypeCell| {
            cell.value.is_none() && cell.required.types().into_iter().any(|of| self.unknowns(of).contains(&unknown))
        };
        self.types.iter().position(mentions).and_then(|at| u32::try_from(at).ok())
    }

    /// What a type is at an unknown of that depth: unknowns within, and in what is required of them, become as shallow, and sizes
    /// that are not in scope there become unknown sizes, to be equal if that turns out to be possible.
    pub(super) fn fit(&mut self, unknown: u32, level: u32, of: &Type, left: &mut bool) -> Result<Type, Clash> {
        if !of.holds(Holds::UNKNOWNS | Holds::SIZES | Holds::PARAMETERS) {
            return Ok(of.clone());
        }
        let within = self.unknowns(of);
        if within.contains(&unknown) {
            return Err(Clash::Infinite);
        }
        for inner in within {
            let cell = &mut self.types[inner as usize];
            if cell.level > level {
                cell.level = level;
                let mut required = cell.required.clone();
                for of in required.types_mut() {
                    *of = self.exposed(unknown, level, of, left)?;
                }
                self.types[inner as usize].required = required;
            }
        }
        self.exposed(unknown, level, of, left)
    }

    /// A type with sizes that are in scope at that depth.
    fn exposed(&mut self, unknown: u32, level: u32, of: &Type, left: &mut bool) -> Result<Type, Clash> {
        if !self.is_small(of) {
            return Err(Clash::Large);
        }
        let of = self.resolved(of);
        let mut escapes = false;
        visit(&of, Holds::PARAMETERS, &mut |part| match part {
            Part::Variable(Type::Var(var)) => {
                escapes |= self.type_levels.get(&var.id).is_some_and(|bound| *bound > level);
            }
            Part::Variable(_) | Part::Dimension(_) => {}
        });
        if escapes {
            return Err(Clash::Types);
        }
        // Functions bind the sizes that their own results mention.
        let mut bound = Vec::new();
        binders(&of, &mut bound);
        Ok(map_dimensions(&of, &mut |size| {
            let outside = mentions(size, &mut |leaf| match leaf {
                Size::Local(local) => !bound.contains(local) && self.local_levels[local.0 as usize] > level,
                _ => false,
            });
            if outside {
                let simple = self.normal(size).to_size();
                let exposed = self.expose(size, level).or_else(|| self.expose(&simple?, level));
                if exposed.is_some() {
                    return exposed;
                }
                if self.types[unknown as usize].lifted == Some(true) {
                    return Some(self.hidden_size());
                }
                let span = self.types[unknown as usize].span;
                let fresh = self.unknown_size(span);
                if let Size::Unknown(new) = fresh {
                    self.sizes[new as usize].level = level;
                }
                self.deferred.push((fresh.clone(), size.clone()));
                *left = true;
                return Some(fresh);
            }
            self.shallow(size, level);
            None
        }))
    }

    /// The size over variables of at most that depth, if what is known of the deeper ones says it.
    pub(super) fn expose(&self, size: &Size, level: u32) -> Option<Size> {
        let mut outside = false;
        let exposed = self.expose_within(size, level, &mut outside, 64);
        (!outside).then_some(exposed)
    }

    fn expose_within(&self, size: &Size, level: u32, outside: &mut bool, fuel: u32) -> Size {
        map_size(size, &mut |leaf| match leaf {
            Size::Local(local) if self.local_levels[local.0 as usize] > level => match self.alias.get(local) {
                Some(value) if fuel > 0 => Some(self.expose_within(value, level, outside, fuel - 1)),
                Some(_) | None => {
                    *outside = true;
                    None
                }
            },
            Size::Unknown(unknown) => {
                let value = self.sizes[*unknown as usize].value.as_ref();
                value.map(|value| self.expose_within(value, level, outside, fuel))
            }
            _ => None,
        })
    }

    /// Makes the unknowns in a size as shallow as this.
    pub(super) fn shallow(&mut self, size: &Size, level: u32) {
        leaves(&self.resolve_size(size), &mut |leaf| {
            if let Size::Unknown(unknown) = leaf {
                let cell = &mut self.sizes[*unknown as usize];
                cell.level = cell.level.min(level);
            }
        });
    }

    /// Makes the unknowns of a type that leaves its scope as shallow as what is around.
    pub(super) fn leave(&mut self, of: &Type, level: u32) {
        for inner in self.unknowns(of) {
            let cell = &mut self.types[inner as usize];
            cell.level = cell.level.min(level);
            let required = cell.required.clone();
            required.types().into_iter().for_each(|of| self.shallow_dimensions(of, level));
        }
        self.shallow_dimensions(of, level);
    }

    fn shallow_dimensions(&mut self, of: &Type, level: u32) {
        dimensions(&self.resolve(of), &mut |size| self.shallow(size, level));
    }

    /// Whether the size was to be equal to one that is not in scope where it is.
    pub(super) fn escapes(&self, unknown: u32) -> bool {
        self.deferred.iter().any(|(a, b)| *a == Size::Unknown(unknown) || *b == Size::Unknown(unknown))
    }

    /// A size that is known only from a value, of a type that stands where there is none yet.
    pub(super) fn hidden_size(&mut self) -> Size {
        self.hides = true;
        let hidden = self.bound_by_type(&Name::from(HIDDEN));
        self.soften(hidden);
        Size::Local(hidden)
    }

    /// The type of a value that is there: hidden sizes of it are known from now on, as new variables; those of a function are known when its result is.
    pub(super) fn revealed(&mut self, of: Type) -> (Type, Vec<Local>) {
        if !self.hides {
            return (of, Vec::new());
        }
        let of = self.resolve(&of);
        let mut hidden = of.locals();
        hidden.retain(|local| *self.locals[local.0 as usize] == *HIDDEN);
        if hidden.is_empty() {
            return (of, hidden);
        }
        if let Type::Function(_) = of {
            let mut of = of;
            reveal_later(&mut of, hidden);
            return (of, Vec::new());
        }
        let own: Vec<Local> = hidden.iter().map(|_| self.fresh("k")).collect();
        let known = hidden.into_iter().zip(own.iter().copied().map(Size::Local)).collect();
        (with_sizes(&of, &known), own)
    }
}

/// Lets the last result of a function say these sizes.
fn reveal_later(of: &mut Type, hidden: Vec<Local>) {
    if let Type::Function(function) = of {
        let mut function = FunctionType::clone(function);
        if let Type::Function(_) = function.result {
            reveal_later(&mut function.result, hidden);
        } else {
            let used = function.result.locals();
            let is_new = |local: &Local| used.contains(local) && !function.exists.contains(local);
            let more: Vec<Local> = hidden.into_iter().filter(is_new).collect();
            function.exists.extend(more);
        }
        *of = function.into();
    }
}
