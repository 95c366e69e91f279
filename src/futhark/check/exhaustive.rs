//! Whether patterns fit every value, and a value that they do not fit.
//!
//! Law: the result is exact: a missing case that is shown fits none of the patterns (Maranget, *Warnings for pattern
//! matching*, 2007) (tests/language/check.rs).

use super::deep;
use crate::futhark::core::{Constant, Pattern, PatternKind, Prim, Type};
use crate::futhark::source::Name;

/// A pattern without places and names.
#[derive(Debug, Clone)]
enum Shape {
    Any,
    Record(Vec<Shape>),
    Constructor(Name, Vec<Shape>),
    Constant(Constant),
}

/// More parts of patterns than this are not looked at: there are patterns of which no search in less than exponential time is known.
const PARTS: usize = 10_000_000;

/// Nothing was found in as many steps.
#[derive(Debug)]
pub(super) struct TooLong;

/// A value that none of the patterns fits, as the user would write it.
pub(super) fn missing<'p>(patterns: impl Iterator<Item = &'p Pattern>, of: &Type) -> Result<Option<String>, TooLong> {
    let rows: Vec<Vec<Shape>> = patterns.map(|pattern| vec![shape(pattern)]).collect();
    let mut parts = PARTS;
    match search(&rows, std::slice::from_ref(of), &mut parts) {
        Some(missing) => Ok(Some(missing.join(" "))),
        None if parts == 0 => Err(TooLong),
        None => Ok(None),
    }
}

fn shape(pattern: &Pattern) -> Shape {
    match &pattern.kind {
        PatternKind::Local(_) | PatternKind::Wildcard => Shape::Any,
        PatternKind::Record(fields) => {
            let parts: Vec<Shape> = fields.iter().map(|(_, field)| shape(field)).collect();
            if parts.iter().all(|part| matches!(part, Shape::Any)) { Shape::Any } else { Shape::Record(parts) }
        }
        PatternKind::Constructor(name, payload) => {
            Shape::Constructor(name.clone(), payload.iter().map(shape).collect())
        }
        PatternKind::Constant(constant) => Shape::Constant(*constant),
    }
}

/// Values of these types that fit no row, one for each column.
fn search(rows: &[Vec<Shape>], types: &[Type], left: &mut usize) -> Option<Vec<String>> {
    *left = left.saturating_sub((1 + rows.len()) * (1 + types.len()));
    // A row that fits everything leaves nothing over.
    if *left == 0 || rows.iter().any(|row| row.iter().all(|shape| matches!(shape, Shape::Any))) {
        return None;
    }
    deep(|| search_first(rows, types, left))
}

/// The same, by the first column.
fn search_first(rows: &[Vec<Shape>], types: &[Type], left: &mut usize) -> Option<Vec<String>> {
    let Some((of, rest)) = types.split_first() else { return rows.is_empty().then(Vec::new) };
    // Each case of the first column looks at all rows.
    let cases = match of {
        Type::Sum(constructors) => constructors.len(),
        Type::Prim(_) => rows.iter().filter(|row| matches!(row[0], Shape::Constant(_))).count(),
        _ => 1,
    };
    *left = left.saturating_sub(cases * rows.len());
    if *left == 0 {
        return None;
    }
    let all_any = rows.iter().all(|row| matches!(row[0], Shape::Any));
    match of {
        Type::Record(fields) if !all_any => in_record(rows, fields, of.as_tuple().is_some(), rest, left),
        Type::Sum(constructors) if !all_any => {
            constructors.iter().find_map(|(name, payload)| in_constructor(rows, name, payload, rest, left))
        }
        Type::Prim(prim) if !all_any => among_constants(rows, *prim, rest, left),
        _ => {
            let any = |first: &Shape| matches!(first, Shape::Any).then(Vec::new);
            let after = search(&expanded(rows, any), rest, left)?;
            Some(first_of("_".to_owned(), after))
        }
    }
}

/// The rows that the first column leaves, with what it leaves of each shape in its place.
fn expanded(rows: &[Vec<Shape>], parts: impl Fn(&Shape) -> Option<Vec<Shape>>) -> Vec<Vec<Shape>> {
    let row = |row: &Vec<Shape>| Some(parts(&row[0])?.into_iter().chain(row[1..].iter().cloned()).collect());
    rows.iter().filter_map(row).collect()
}

fn first_of(shown: String, after: Vec<String>) -> Vec<String> {
    core::iter::once(shown).chain(after).collect()
}

/// The same, by the fields of the first column.
fn in_record(
    rows: &[Vec<Shape>],
    fields: &[(Name, Type)],
    is_tuple: bool,
    rest: &[Type],
    left: &mut usize,
) -> Option<Vec<String>> {
    let types: Vec<Type> = fields.iter().map(|(_, of)| of).chain(rest).cloned().collect();
    let parts = |first: &Shape| match first {
        Shape::Record(parts) => Some(parts.clone()),
        Shape::Any | Shape::Constructor(..) | Shape::Constant(_) => Some(vec![Shape::Any; fields.len()]),
    };
    let mut found = search(&expanded(rows, parts), &types, left)?;
    let after = found.split_off(fields.len());
    let shown = if is_tuple {
        format!("({})", found.join(", "))
    } else {
        let fields: Vec<String> = fields.iter().zip(found).map(|((name, _), v)| format!("{name} = {v}")).collect();
        format!("{{{}}}", fields.join(", "))
    };
    Some(first_of(shown, after))
}

/// The same, with this constructor in the first column.
fn in_constructor(
    rows: &[Vec<Shape>],
    name: &Name,
    payload: &[Type],
    rest: &[Type],
    left: &mut usize,
) -> Option<Vec<String>> {
    let types: Vec<Type> = payload.iter().chain(rest).cloned().collect();
    let parts = |first: &Shape| match first {
        Shape::Constructor(own, parts) => (own == name).then(|| parts.clone()),
        Shape::Any | Shape::Record(_) | Shape::Constant(_) => Some(vec![Shape::Any; payload.len()]),
    };
    let mut found = search(&expanded(rows, parts), &types, left)?;
    let after = found.split_off(payload.len());
    let shown = if found.is_empty() { format!("#{name}") } else { format!("(#{name} {})", found.join(" ")) };
    Some(first_of(shown, after))
}

/// The same, by the constants of the first column, and by a value that is none of them.
fn among_constants(rows: &[Vec<Shape>], prim: Prim, rest: &[Type], left: &mut usize) -> Option<Vec<String>> {
    let mut constants: Vec<Constant> = Vec::new();
    for row in rows {
        match &row[0] {
            Shape::Constant(constant) if !constants.contains(constant) => constants.push(*constant),
            Shape::Constant(_) | Shape::Any | Shape::Record(_) | Shape::Constructor(..) => {}
        }
    }
    let other = match prim {
        Prim::Bool => [false, true].map(Constant::Bool).into_iter().find(|b| !constants.contains(b)).map(Some),
        prim if prim.is_integer() => {
            let (lowest, highest) = prim.bounds();
            let mut integers = (0..=highest).chain((lowest..0).rev()).map(Constant::Integer);
            integers.find(|n| !constants.contains(n)).map(Some)
        }
        _ => Some(None),
    };
    constants.into_iter().map(Some).chain(other).find_map(|value| {
        let parts = |first: &Shape| match first {
            Shape::Constant(constant) => (Some(*constant) == value).then(Vec::new),
            Shape::Any | Shape::Record(_) | Shape::Constructor(..) => Some(Vec::new()),
        };
        let after = search(&expanded(rows, parts), rest, left)?;
        let shown = match value {
            Some(Constant::Bool(value)) => value.to_string(),
            Some(Constant::Integer(value)) => value.to_string(),
            Some(Constant::Real(value)) => format!("{value:?}"),
            None => "_".into(),
        };
        Some(first_of(shown, after))
    })
}
