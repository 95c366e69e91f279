//! Whether patterns fit every value, and a value that they do not fit.
//!
//! Law: the answer is exact: a missing case that is shown fits none of the patterns. (Maranget, *Warnings for pattern
//! matching*, 2007.)

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
        Type::Record(fields) if !all_any => {
            let parts: Vec<Type> = fields.iter().map(|(_, of)| of.clone()).chain(rest.iter().cloned()).collect();
            let rows: Vec<Vec<Shape>> = rows
                .iter()
                .map(|row| {
                    let first = match &row[0] {
                        Shape::Record(parts) => parts.clone(),
                        Shape::Any | Shape::Constructor(..) | Shape::Constant(_) => vec![Shape::Any; fields.len()],
                    };
                    first.into_iter().chain(row[1..].iter().cloned()).collect()
                })
                .collect();
            let mut found = search(&rows, &parts, left)?;
            let after = found.split_off(fields.len());
            let shown = if of.as_tuple().is_some() {
                format!("({})", found.join(", "))
            } else {
                let fields: Vec<String> =
                    fields.iter().zip(found).map(|((name, _), v)| format!("{name} = {v}")).collect();
                format!("{{{}}}", fields.join(", "))
            };
            Some([shown].into_iter().chain(after).collect())
        }
        Type::Sum(constructors) if !all_any => constructors.iter().find_map(|(name, payload)| {
            let parts: Vec<Type> = payload.iter().chain(rest).cloned().collect();
            let rows: Vec<Vec<Shape>> = rows
                .iter()
                .filter_map(|row| {
                    let first = match &row[0] {
                        Shape::Constructor(own, parts) if own == name => parts.clone(),
                        Shape::Constructor(..) => return None,
                        Shape::Any | Shape::Record(_) | Shape::Constant(_) => vec![Shape::Any; payload.len()],
                    };
                    Some(first.into_iter().chain(row[1..].iter().cloned()).collect())
                })
                .collect();
            let mut found = search(&rows, &parts, left)?;
            let after = found.split_off(payload.len());
            let shown = if found.is_empty() { format!("#{name}") } else { format!("(#{name} {})", found.join(" ")) };
            Some([shown].into_iter().chain(after).collect())
        }),
        Type::Prim(prim) if !all_any => {
            let constants: Vec<Constant> = rows
                .iter()
                .filter_map(|row| match &row[0] {
                    Shape::Constant(constant) => Some(*constant),
                    Shape::Any | Shape::Record(_) | Shape::Constructor(..) => None,
                })
                .collect();
            let with = |value: Option<Constant>, left: &mut usize| {
                let rows: Vec<Vec<Shape>> = rows
                    .iter()
                    .filter(|row| match &row[0] {
                        Shape::Constant(constant) => Some(*constant) == value,
                        Shape::Any | Shape::Record(_) | Shape::Constructor(..) => true,
                    })
                    .map(|row| row[1..].to_vec())
                    .collect();
                search(&rows, rest, left)
            };
            let show = |value: Option<Constant>, after: Vec<String>| {
                let shown = match value {
                    Some(Constant::Bool(value)) => value.to_string(),
                    Some(Constant::Integer(value)) => value.to_string(),
                    Some(Constant::Real(value)) => format!("{value:?}"),
                    None => "_".into(),
                };
                [shown].into_iter().chain(after).collect()
            };
            let mut tried: Vec<Constant> = Vec::new();
            let candidates: Vec<Option<Constant>> = if *prim == Prim::Bool {
                vec![Some(Constant::Bool(false)), Some(Constant::Bool(true))]
            } else {
                // A value that is not mentioned, if there is one, stands for all others.
                let other = if prim.is_integer() {
                    let (lowest, highest) = prim.bounds();
                    let is_other = |n: &i128| !constants.contains(&Constant::Integer(*n));
                    (0..=highest).chain((lowest..0).rev()).find(is_other).map(|n| Some(Constant::Integer(n)))
                } else {
                    Some(None)
                };
                constants.iter().copied().map(Some).chain(other).collect()
            };
            candidates.into_iter().find_map(|candidate| {
                if let Some(value) = candidate {
                    if tried.contains(&value) {
                        return None;
                    }
                    tried.push(value);
                }
                with(candidate, left).map(|after| show(candidate, after))
            })
        }
        _ => {
            let rows: Vec<Vec<Shape>> =
                rows.iter().filter(|row| matches!(row[0], Shape::Any)).map(|row| row[1..].to_vec()).collect();
            let after = search(&rows, rest, left)?;
            Some(["_".to_owned()].into_iter().chain(after).collect())
        }
    }
}
