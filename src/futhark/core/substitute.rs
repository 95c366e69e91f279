//! Types with other types and sizes in the places of their variables.
//!
//! Law: what is put in is not looked at again, so a substitution ends whatever it puts in (tests/language/check.rs).

use rustc_hash::FxHashMap;

use super::sizes::{leaves, replace_in_size};
use super::{FunctionType, Holds, Instance, Local, Scheme, Shared, Size, Type};

/// A type with other dimensions and variables (known or not), for which the functions have some; none if they have none for
/// any, so that what stays as it is can be shared. They are called only where there is any of what is `wanted`.
fn map_parts(
    of: &Type,
    wanted: Holds,
    dimension: &mut impl FnMut(&Size) -> Option<Size>,
    variable: &mut impl FnMut(&Type) -> Option<Type>,
) -> Option<Type> {
    if !of.holds(wanted) {
        return None;
    }
    match of {
        Type::Prim(_) => None,
        Type::Unknown(_) | Type::Var(_) => variable(of),
        Type::Array(n, element) => {
            let (size, of) = (dimension(n), map_parts(element, wanted, dimension, variable));
            (size.is_some() || of.is_some()).then(|| {
                Type::Array(size.unwrap_or_else(|| n.clone()), of.map_or_else(|| element.clone(), Shared::from))
            })
        }
        Type::Record(fields) => {
            map_each(fields, &mut |(name, of)| Some((name.clone(), map_parts(of, wanted, dimension, variable)?)))
                .map(|fields| Type::Record(fields.into()))
        }
        Type::Sum(constructors) => {
            let mut payload = |of: &[Type]| map_each(of, &mut |of| map_parts(of, wanted, dimension, variable));
            map_each(constructors, &mut |(name, of)| Some((name.clone(), payload(of)?)))
                .map(|constructors| Type::Sum(constructors.into()))
        }
        Type::Function(function) => {
            let mut within = |of: &Type| map_parts(of, wanted, dimension, variable);
            let (param, result) = (within(&function.param), within(&function.result));
            (param.is_some() || result.is_some()).then(|| {
                let param = param.unwrap_or_else(|| function.param.clone());
                let result = result.unwrap_or_else(|| function.result.clone());
                FunctionType { param, name: function.name, exists: function.exists.clone(), result }.into()
            })
        }
        Type::Accumulator(of) => map_parts(of, wanted, dimension, variable).map(|of| Type::Accumulator(of.into())),
    }
}

/// Some parts with others in the places of those for which the function has one; none if it has none for any.
fn map_each<T: Clone>(parts: &[T], map: &mut impl FnMut(&T) -> Option<T>) -> Option<Vec<T>> {
    let (at, first) = parts.iter().enumerate().find_map(|(at, part)| Some((at, map(part)?)))?;
    let mut all = Vec::with_capacity(parts.len());
    all.extend_from_slice(&parts[..at]);
    all.push(first);
    all.extend(parts[at + 1..].iter().map(|part| map(part).unwrap_or_else(|| part.clone())));
    Some(all)
}

/// Applies functions to the sizes and to the variables (known or not) of a type; `None` leaves a variable as it is. They are
/// called only where there is any of what is `wanted`.
pub(in crate::futhark) fn map_type(
    of: &Type,
    wanted: Holds,
    size: &mut impl FnMut(&Size) -> Option<Size>,
    variable: &mut impl FnMut(&Type) -> Option<Type>,
) -> Type {
    map_parts(of, wanted, &mut |n| replace_in_size(n, size), variable).unwrap_or_else(|| of.clone())
}

/// Puts sizes in the places of variables for which there are some.
pub(in crate::futhark) fn map_locals(of: &Type, put: &mut impl FnMut(Local) -> Option<Size>) -> Type {
    map_type(of, Holds::SIZES, &mut |size| if let Size::Local(local) = size { put(*local) } else { None }, &mut |_| {
        None
    })
}

/// The same, by a table.
pub(in crate::futhark) fn with_sizes(of: &Type, sizes: &FxHashMap<Local, Size>) -> Type {
    if sizes.is_empty() { of.clone() } else { map_locals(of, &mut |local| sizes.get(&local).cloned()) }
}

impl Scheme {
    /// The type of an instance, which has as many parts.
    pub(in crate::futhark) fn at(&self, instance: &Instance) -> Type {
        map_type(
            &self.body,
            Holds::SIZES | Holds::PARAMETERS,
            &mut |size| {
                let at = self.sizes.iter().position(|own| *size == Size::Local(*own))?;
                Some(instance.sizes[at].clone())
            },
            &mut |variable| match variable {
                Type::Var(var) => {
                    let at = self.types.iter().position(|own| own.id == var.id)?;
                    Some(instance.types[at].clone())
                }
                _ => None,
            },
        )
    }
}

impl Type {
    /// The variables in its sizes.
    #[must_use]
    pub fn locals(&self) -> Vec<Local> {
        let mut found = Vec::new();
        visit(self, Holds::SIZES, &mut |part| {
            if let Part::Dimension(size) = part {
                leaves(size, &mut |leaf| found.extend(if let Size::Local(local) = leaf { Some(*local) } else { None }));
            }
        });
        found
    }
}

/// Replaces each whole dimension for which there is another, in order of writing; those of functions within too.
pub(in crate::futhark) fn map_dimensions(of: &Type, dimension: &mut impl FnMut(&Size) -> Option<Size>) -> Type {
    map_parts(of, Holds::DIMENSIONS, dimension, &mut |_| None).unwrap_or_else(|| of.clone())
}

/// The parts of a type that are visited.
pub(in crate::futhark) enum Part<'a> {
    /// A whole dimension.
    Dimension(&'a Size),
    /// A type variable, known or not.
    Variable(&'a Type),
}

/// Visits the dimensions and the variables of a type where there is any of what is `wanted`.
pub(in crate::futhark) fn visit<'a>(of: &'a Type, wanted: Holds, part: &mut impl FnMut(Part<'a>)) {
    if !of.holds(wanted) {
        return;
    }
    match of {
        Type::Unknown(_) | Type::Var(_) => part(Part::Variable(of)),
        Type::Array(n, _) => part(Part::Dimension(n)),
        Type::Prim(_) | Type::Record(_) | Type::Sum(_) | Type::Function(_) | Type::Accumulator(_) => {}
    }
    of.children().for_each(|of| visit(of, wanted, part));
}

/// Visits the dimensions of a type.
pub(in crate::futhark) fn dimensions<'a>(of: &'a Type, each: &mut impl FnMut(&'a Size)) {
    visit(of, Holds::DIMENSIONS, &mut |part| {
        if let Part::Dimension(size) = part {
            each(size);
        }
    });
}

/// The unknown types and the unknown sizes in a type, in order.
pub(in crate::futhark) fn unknowns(of: &Type) -> (Vec<u32>, Vec<u32>) {
    let (mut types, mut sizes) = (Vec::new(), Vec::new());
    visit(of, Holds::UNKNOWNS, &mut |part| match part {
        Part::Variable(variable) => types.extend(if let Type::Unknown(cell) = variable { Some(*cell) } else { None }),
        Part::Dimension(size) => {
            leaves(size, &mut |leaf| sizes.extend(if let Size::Unknown(cell) = leaf { Some(*cell) } else { None }));
        }
    });
    (types, sizes)
}

/// Whether a size mentions a variable of sizes for which the question is answered with yes.
pub(in crate::futhark) fn mentions(size: &Size, question: &mut impl FnMut(&Size) -> bool) -> bool {
    let mut found = false;
    leaves(size, &mut |leaf| found |= question(leaf));
    found
}

/// Whether a dimension of a type mentions a size.
pub(in crate::futhark) fn has_size(of: &Type, wanted: &Size) -> bool {
    let mut found = false;
    dimensions(of, &mut |size| found |= mentions(size, &mut |leaf| leaf == wanted));
    found
}

/// The sizes that the functions in a type bind.
pub(in crate::futhark) fn binders(of: &Type, found: &mut Vec<Local>) {
    if !of.holds(Holds::FUNCTIONS) {
        return;
    }
    if let Type::Function(function) = of {
        found.extend(function.name.iter().chain(&function.exists));
    }
    of.children().for_each(|of| binders(of, found));
}
