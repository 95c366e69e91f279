//! Arrays: literals, ranges, parts of arrays and arrays with parts replaced, and the sizes that these have.
//!
//! Law: the size of a range or of a slice is said by its ends where they can be named; else it is known when it is
//! there (tests/language/check.rs).

use super::report::{Role, counted};
use super::types::I64;
use super::unify::{Prims, Required, Unifier};
use super::{Checked, Checker, fault};
use crate::futhark::core::{Constant, Expression, ExpressionKind, Index, Local, Prim, Range, Size, Type};
use crate::futhark::source::Span;
use crate::futhark::syntax::tree::{self, RangeKind};

fn difference(a: Size, b: Size) -> Size {
    match (a, b) {
        (a, Size::Constant(0)) => a,
        (Size::Constant(a), Size::Constant(b)) if a.checked_sub(b).is_some() => Size::Constant(a - b),
        (a, b) => Size::Difference(Box::new(a), Box::new(b)),
    }
}

impl Checker {
    pub(super) fn array(
        &mut self,
        elements: &[tree::Expression],
        expected: Option<&Type>,
        span: Span,
    ) -> Checked<Expression> {
        let wanted = match expected.map(|of| self.unifier.head(of)) {
            Some(Type::Array(_, of)) => Some(of.into_inner()),
            _ => None,
        };
        let of = wanted.unwrap_or_else(|| self.unifier.unknown(Required::Nothing, span));
        let mut checked = Vec::with_capacity(elements.len());
        for element in elements {
            checked.push(self.check(element, &of, Role::Element)?);
        }
        let size = Size::Constant(i64::try_from(elements.len()).expect("a text fits in memory"));
        let of = Type::Array(size, of.into());
        Ok(Expression { kind: ExpressionKind::Array(checked), of, span })
    }

    pub(super) fn range(&mut self, written: &tree::Range, span: Span) -> Checked<Expression> {
        let of = self.unifier.some_integer(span);
        let start = self.check(&written.start, &of, Role::Index)?;
        let second = written.second.as_ref().map(|second| self.check(second, &of, Role::Index)).transpose()?;
        let end = self.check(&written.end, &of, Role::Index)?;
        let count = self.unifier.range_length(&start, second.as_ref(), &end, written.kind);
        let mut binds = Vec::new();
        let size = match count {
            Some(size) => {
                if self.unifier.normal(&size).as_constant().is_some_and(|n| n < 0) {
                    return fault("size", span, "this range ends before it starts", "exchange its ends");
                }
                size
            }
            None => {
                let local = self.unifier.fresh("k");
                self.unifier.soften(local);
                binds.push(local);
                Size::Local(local)
            }
        };
        let kind = ExpressionKind::Range(Box::new(Range { start, second, end, kind: written.kind }));
        let value = Expression { kind, of: Type::Array(size, of.into()), span };
        Ok(if binds.is_empty() { value } else { self.bound(value, "range", binds) })
    }

    pub(super) fn index(&mut self, array: Expression, written: &[tree::Index], span: Span) -> Checked<Expression> {
        let (of, indices, binds) = self.indices(&array.of, written, span)?;
        let value = Expression { kind: ExpressionKind::Index(Box::new(array), indices), of, span };
        Ok(if binds.is_empty() { value } else { self.bound(value, "slice", binds) })
    }

    /// What is between brackets, the type of what it finds, and the sizes of it that are not known.
    pub(super) fn indices(
        &mut self,
        array: &Type,
        written: &[tree::Index],
        span: Span,
    ) -> Checked<(Type, Vec<Index>, Vec<Local>)> {
        let mut rest = self.unifier.head(array);
        let (mut kept, mut indices, mut open) = (Vec::new(), Vec::with_capacity(written.len()), Vec::new());
        for (at, index) in written.iter().enumerate() {
            if let Type::Unknown(_) = rest {
                let size = self.unifier.unknown_size(span);
                let element = self.unifier.unknown(Required::Nothing, span);
                let found = Type::Array(size, element.into());
                self.unifier.equate(&rest, &found, Role::Part, span)?;
                rest = found;
            }
            let Type::Array(size, element) = rest else {
                let text = match at {
                    0 => format!("the type {} is no array", self.unifier.show(array)),
                    _ => format!(
                        "{} indices for the type {}, which has {}",
                        written.len(),
                        self.unifier.show(array),
                        counted(at, "dimension")
                    ),
                };
                return fault("type", span, text, "only arrays have elements, one index for each dimension");
            };
            match index {
                tree::Index::At(index) => indices.push(Index::At(self.element_index(index)?)),
                tree::Index::Slice(start, end, step) => {
                    let ends = [start, end, step].map(Option::as_ref);
                    let (index, length) = self.slice(&size, ends, span)?;
                    let length = length.unwrap_or_else(|| {
                        let local = self.unifier.fresh("k");
                        self.unifier.soften(local);
                        open.push(local);
                        Size::Local(local)
                    });
                    kept.push(length);
                    indices.push(index);
                }
            }
            rest = self.unifier.head(&element);
        }
        let of = kept.into_iter().rev().fold(rest, |of, size| Type::Array(size, of.into()));
        Ok((of, indices, open))
    }

    /// An index of any kind of integer that has a sign, of sizes' if nothing says which.
    fn element_index(&mut self, index: &tree::Expression) -> Checked<Expression> {
        let any = self.unifier.unknown(Required::OneOf(Prims::of(Prim::is_signed)), index.span);
        let checked = self.check(index, &any, Role::Index)?;
        if let Type::Unknown(_) = self.unifier.head(&any) {
            self.unifier.equate(&any, &I64, Role::Index, index.span)?;
        }
        Ok(checked)
    }

    /// The slice of a dimension of this size with this start, end and step, and how long it is, if its ends say it.
    fn slice(
        &mut self,
        size: &Size,
        ends: [Option<&tree::Expression>; 3],
        span: Span,
    ) -> Checked<(Index, Option<Size>)> {
        let mut part =
            |part: Option<&tree::Expression>| part.map(|part| self.check(part, &I64, Role::Index)).transpose();
        let [start, end, step] = ends;
        let (start, end, step) = (part(start)?, part(end)?, part(step)?);
        let [start, end] = [start, end].map(|end| end.map(|end| self.sized(end, "i").0));
        let length = self.unifier.slice_length(size, start.as_ref(), end.as_ref(), step.as_ref());
        let backwards = |length: &Size| self.unifier.normal(length).as_constant().is_some_and(|n| n < 0);
        if length.as_ref().is_some_and(backwards) {
            return fault("size", span, "this slice ends before it starts", "exchange its ends");
        }
        Ok((Index::Slice(start, end, step), length))
    }
}

impl Unifier {
    fn some_integer(&mut self, span: Span) -> Type {
        self.unknown(Required::OneOf(Prims::of(Prim::is_integer)), span)
    }

    /// How many numbers a range has, if its ends say it.
    fn range_length(
        &self,
        start: &Expression,
        second: Option<&Expression>,
        end: &Expression,
        kind: RangeKind,
    ) -> Option<Size> {
        let constant = |value: &Expression| match value.kind {
            ExpressionKind::Constant(Constant::Integer(n)) => i64::try_from(n).ok().map(Size::Constant),
            _ => self.size_of(value),
        };
        let (start, end) = (constant(start)?, constant(end)?);
        if let Some(second) = second {
            let (Size::Constant(a), Size::Constant(b), Size::Constant(z)) = (start, constant(second)?, end) else {
                return None;
            };
            let [a, b, z] = [a, b, z].map(i128::from);
            let (step, distance) = (b - a, z - a);
            let count = match kind {
                _ if step == 0 || distance.signum() * step.signum() < 0 => return None,
                RangeKind::Inclusive => distance / step + 1,
                RangeKind::Upto | RangeKind::Downto => (distance.abs() + step.abs() - 1) / step.abs(),
            };
            return i64::try_from(count).ok().map(Size::Constant);
        }
        Some(match kind {
            RangeKind::Upto => difference(end, start),
            RangeKind::Downto => difference(start, end),
            RangeKind::Inclusive if start == Size::Constant(1) => end,
            RangeKind::Inclusive => match difference(end, start) {
                Size::Constant(n) if n < i64::MAX => Size::Constant(n + 1),
                distance => Size::Sum(Box::new(distance), Box::new(Size::Constant(1))),
            },
        })
    }

    /// How long a slice of an array of this size is, if its ends say it.
    fn slice_length(
        &self,
        size: &Size,
        start: Option<&Expression>,
        end: Option<&Expression>,
        step: Option<&Expression>,
    ) -> Option<Size> {
        // A literal that is out of range is no size, and is refused later.
        let of = |value: Option<&Expression>| value.map_or(Some(None), |value| self.size_of(value).map(Some));
        let step = match step {
            None => 1,
            Some(step) => self.normal(&self.size_of(step)?).as_constant()?,
        };
        let (start, end) = (of(start)?, of(end)?);
        match step {
            1 => Some(difference(end.unwrap_or_else(|| size.clone()), start.unwrap_or(Size::Constant(0)))),
            -1 => {
                if start.is_none() && end.is_none() {
                    return Some(size.clone());
                }
                let start = start.unwrap_or_else(|| difference(size.clone(), Size::Constant(1)));
                Some(match end {
                    Some(end) => difference(start, end),
                    None => Size::Sum(Box::new(start), Box::new(Size::Constant(1))),
                })
            }
            _ => None,
        }
    }
}
