//! Types with other types and sizes in the places of their variables.
//!
//! Law: what is put in is not looked at again, so a substitution ends whatever it puts in (tests/language/check.rs).

use std::collections::HashMap;

use super::sizes::{leaves, map_size};
use super::{Local, Size, Type};

/// Applies functions to the sizes and to the variables (known or not) of a type; `None` leaves a variable as it is.
pub(in crate::futhark) fn map_type(
    of: &Type,
    size: &mut impl FnMut(&Size) -> Option<Size>,
    variable: &mut impl FnMut(&Type) -> Option<Type>,
) -> Type {
    match of {
        Type::Prim(_) => of.clone(),
        Type::Unknown(_) | Type::Var(_) => variable(of).unwrap_or_else(|| of.clone()),
        Type::Array(n, element) => {
            Type::Array(Box::new(map_size(n, size)), Box::new(map_type(element, size, variable)))
        }
        Type::Record(fields) => {
            Type::Record(fields.iter().map(|(name, of)| (name.clone(), map_type(of, size, variable))).collect())
        }
        Type::Sum(constructors) => Type::Sum(
            constructors
                .iter()
                .map(|(name, payload)| (name.clone(), payload.iter().map(|of| map_type(of, size, variable)).collect()))
                .collect(),
        ),
        Type::Function { param, name, exists, result } => Type::Function {
            param: Box::new(map_type(param, size, variable)),
            name: *name,
            exists: exists.clone(),
            result: Box::new(map_type(result, size, variable)),
        },
        Type::Accumulator(of) => Type::Accumulator(Box::new(map_type(of, size, variable))),
    }
}

/// Replaces sizes only.
pub(in crate::futhark) fn map_sizes(of: &Type, size: &mut impl FnMut(&Size) -> Option<Size>) -> Type {
    map_type(of, size, &mut |_| None)
}

/// Puts sizes in the places of variables for which there are some.
pub(in crate::futhark) fn map_locals(of: &Type, put: &mut impl FnMut(Local) -> Option<Size>) -> Type {
    map_sizes(of, &mut |size| if let Size::Local(local) = size { put(*local) } else { None })
}

/// The same, by a table.
pub(in crate::futhark) fn with_sizes(of: &Type, sizes: &HashMap<Local, Size>) -> Type {
    if sizes.is_empty() { of.clone() } else { map_locals(of, &mut |local| sizes.get(&local).cloned()) }
}

/// The variables in the sizes of a type.
pub(in crate::futhark) fn locals(of: &Type) -> Vec<Local> {
    let mut found = Vec::new();
    visit(of, &mut |part| {
        if let Part::Dimension(size) = part {
            leaves(size, &mut |leaf| found.extend(if let Size::Local(local) = leaf { Some(*local) } else { None }));
        }
    });
    found
}

/// Replaces each whole dimension, in order of writing; those of functions within too.
pub(in crate::futhark) fn map_dimensions(of: &Type, dimension: &mut impl FnMut(&Size) -> Size) -> Type {
    match of {
        Type::Prim(_) | Type::Unknown(_) | Type::Var(_) => of.clone(),
        Type::Array(n, element) => {
            let n = dimension(n);
            Type::Array(Box::new(n), Box::new(map_dimensions(element, dimension)))
        }
        Type::Record(fields) => {
            Type::Record(fields.iter().map(|(name, of)| (name.clone(), map_dimensions(of, dimension))).collect())
        }
        Type::Sum(constructors) => Type::Sum(
            constructors
                .iter()
                .map(|(name, payload)| (name.clone(), payload.iter().map(|of| map_dimensions(of, dimension)).collect()))
                .collect(),
        ),
        Type::Function { param, name, exists, result } => Type::Function {
            param: Box::new(map_dimensions(param, dimension)),
            name: *name,
            exists: exists.clone(),
            result: Box::new(map_dimensions(result, dimension)),
        },
        Type::Accumulator(of) => Type::Accumulator(Box::new(map_dimensions(of, dimension))),
    }
}

/// The parts of a type that are visited.
pub(in crate::futhark) enum Part<'a> {
    /// A whole dimension.
    Dimension(&'a Size),
    /// A type variable, known or not.
    Variable(&'a Type),
}

/// Visits the dimensions and the variables of a type.
pub(in crate::futhark) fn visit<'a>(of: &'a Type, part: &mut impl FnMut(Part<'a>)) {
    match of {
        Type::Prim(_) => {}
        Type::Unknown(_) | Type::Var(_) => part(Part::Variable(of)),
        Type::Array(n, element) => {
            part(Part::Dimension(n));
            visit(element, part);
        }
        Type::Record(fields) => fields.iter().for_each(|(_, of)| visit(of, part)),
        Type::Sum(constructors) => constructors.iter().flat_map(|(_, payload)| payload).for_each(|of| visit(of, part)),
        Type::Function { param, result, .. } => {
            visit(param, part);
            visit(result, part);
        }
        Type::Accumulator(of) => visit(of, part),
    }
}

/// Whether a size mentions a variable of sizes for which the question is answered with yes.
pub(in crate::futhark) fn mentions(size: &Size, question: &mut impl FnMut(&Size) -> bool) -> bool {
    let mut found = false;
    leaves(size, &mut |leaf| found |= question(leaf));
    found
}

/// The sizes that the functions in a type bind.
pub(in crate::futhark) fn binders(of: &Type, found: &mut Vec<Local>) {
    match of {
        Type::Prim(_) | Type::Unknown(_) | Type::Var(_) => {}
        Type::Array(_, of) | Type::Accumulator(of) => binders(of, found),
        Type::Record(fields) => fields.iter().for_each(|(_, of)| binders(of, found)),
        Type::Sum(constructors) => constructors.iter().flat_map(|(_, p)| p).for_each(|of| binders(of, found)),
        Type::Function { param, name, exists, result } => {
            found.extend(name.iter().chain(exists));
            binders(param, found);
            binders(result, found);
        }
    }
}
