//! The end of a definition: all that has become known is put in, and what has not is a message.
//!
//! Law: what leaves the checker has no unknown; numbers are rounded once, to the kind that they turned out to have
//! (tests/language/check.rs).

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::promises::as_abstract;
use super::substitute::unknowns;
use super::unify::{Clash, Required, Unifier};
use super::{Checked, Checker, Definitions, deep, exhaustive, fault};
use crate::futhark::core::{
    Constant, Entry, Expression, ExpressionKind, Holds, Instance, Pattern, PatternKind, Places, Prim, Program, Size,
    Type,
};
use crate::futhark::source::{Message, Name, Span};
use crate::futhark::syntax::{real_of, shortened, whole_real};

impl Unifier {
    fn complete_instance(&mut self, instance: &mut Instance, span: Span) -> Checked<()> {
        for size in &mut instance.sizes {
            *size = self.complete_size(size, span)?;
        }
        for of in &mut instance.types {
            *of = self.complete(of, span)?;
        }
        Ok(())
    }

    fn complete_size(&mut self, size: &Size, span: Span) -> Checked<Size> {
        let size = self.resolve_size(size);
        let mut unknown = None;
        super::sizes::leaves(&size, &mut |leaf| {
            if let Size::Unknown(cell) = leaf {
                unknown = Some(*cell);
            }
        });
        match unknown {
            None => Ok(size),
            Some(cell) if self.is_free(cell) => {
                self.sizes[cell as usize].value = Some(Size::Constant(0));
                self.complete_size(&size, span)
            }
            Some(cell) => Err(self.open_size(cell, span)),
        }
    }

    /// Refuses functions that are used at sizes that nothing says.
    pub(super) fn sizes_are_said(&self) -> Checked<()> {
        for (cell, span) in &self.used_at {
            let mut free = None;
            super::sizes::leaves(&self.resolve_size(&Size::Unknown(*cell)), &mut |leaf| {
                if let Size::Unknown(unknown) = leaf
                    && self.is_free(*unknown)
                {
                    free = Some(*unknown);
                }
            });
            if let Some(free) = free {
                return Err(self.open_size(free, *span));
            }
        }
        Ok(())
    }

    /// Whether nothing was said of a size: there is no array of it, so that it may be any.
    fn is_free(&self, cell: u32) -> bool {
        let mentions = |size: &Size| {
            let mut found = false;
            super::sizes::leaves(&self.resolve_size(size), &mut |leaf| found |= *leaf == Size::Unknown(cell));
            found
        };
        !self.deferred.iter().any(|(a, b)| mentions(a) || mentions(b))
    }

    fn open_size(&self, cell: u32, span: Span) -> super::Fault {
        let own = self.sizes[cell as usize].span;
        let span = if own == Span::default() || own.is_prelude() { span } else { own };
        if self.escapes(cell) {
            let text =
                "the size of this array is known only within a function or branch, where it may differ each time";
            return Box::new(crate::futhark::source::Message::error("size", span, text).hint(
                "all rows of an array have one size: say it with a type whose size is known outside, as `e :> [n]t`",
            ));
        }
        Box::new(
            crate::futhark::source::Message::error("size", span, "a size here cannot be determined")
                .hint("write it in a type, as in `(e : [n][m]t)`"),
        )
    }

    /// The type, in which nothing may be left unknown. What nothing is said of is the unit; a size of which nothing is said is 0.
    pub(super) fn complete(&mut self, of: &Type, span: Span) -> Checked<Type> {
        self.small(of, span)?;
        let mut resolved = self.resolved(of);
        for _ in 0..64 {
            if !resolved.holds(Holds::UNKNOWNS) {
                break;
            }
            let (unknown_types, unknown_sizes) = unknowns(&resolved);
            let Some(&cell) = unknown_types.last() else {
                for cell in unknown_sizes {
                    self.complete_size(&Size::Unknown(cell), span)?;
                }
                resolved = self.resolved(&resolved);
                break;
            };
            let found = &self.types[cell as usize];
            let place = if found.span.is_prelude() { span } else { found.span };
            let shown = self.show(&Type::Unknown(cell));
            match &found.required {
                Required::OneOf(prims) => {
                    self.types[cell as usize].value = prims.default().map(Type::Prim);
                }
                Required::Nothing => {
                    if let Some(owner) = self.required_by(cell) {
                        return self.complete(&Type::Unknown(owner), span);
                    }
                    // Nothing needs it to be another.
                    self.types[cell as usize].value = Some(Type::tuple(Vec::new()));
                }
                Required::Fields(_) => {
                    let text = format!("the type of this record is not known: {shown}");
                    return fault("ambiguous", place, text, "write the type of the variable: `(x : {a: f64, …})`");
                }
                Required::Constructors(_) => {
                    let text = format!("the type that this constructor belongs to is not known: {shown}");
                    return fault("ambiguous", place, text, "write it: `(#c x : #c f64 | #d)`");
                }
            }
            resolved = self.resolve(&resolved);
        }
        if let Type::Unknown(cell) = of {
            // Others that are this one need not be worked out again.
            let value = &mut self.types[*cell as usize].value;
            if value.as_ref().is_none_or(|value| value.holds(Holds::UNKNOWNS)) {
                *value = Some(resolved.clone());
            }
        }
        Ok(resolved)
    }

    /// Forgets the unknowns of a definition that is complete.
    pub(super) fn forget(&mut self) {
        self.types.clear();
        self.sizes.clear();
        self.deferred.clear();
        self.instances.clear();
        self.alias.clear();
        self.eliminated.clear();
        self.choices.clear();
        self.chosen.clear();
        self.used_at.clear();
    }

    /// Whether two types are surely equal.
    fn same(&self, a: &Type, b: &Type) -> Result<bool, Clash> {
        match (a, b) {
            (Type::Array(n, a), Type::Array(m, b)) => {
                let same = self.same_size(n, m);
                if !same {
                    let difference = self.normal(n).plus(&self.normal(m), -1);
                    if difference.and_then(|d| d.as_constant()).is_some() {
                        return Err(Clash::Sizes(n.clone(), m.clone()));
                    }
                }
                Ok(self.same(a, b)? && same)
            }
            (Type::Record(a), Type::Record(b)) => {
                let mut pairs = a.iter().zip(b);
                pairs.try_fold(true, |same, ((_, a), (_, b))| Ok(self.same(a, b)? && same))
            }
            (Type::Sum(a), Type::Sum(b)) => {
                let mut pairs = a.iter().flat_map(|(_, a)| a).zip(b.iter().flat_map(|(_, b)| b));
                pairs.try_fold(true, |same, (a, b)| Ok(self.same(a, b)? && same))
            }
            (a, b) => Ok(a == b),
        }
    }
}

/// What is put in at the end of a definition.
pub(super) struct Finish<'a> {
    pub(super) unifier: &'a mut Unifier,
    digits: &'a FxHashMap<Span, Name>,
    pub(super) compared: &'a FxHashMap<Span, String>,
}

impl Checker {
    /// Warns of the holes of the definition, each of the type that it is needed at; where nothing is needed, it is the unit, and
    /// an array without elements.
    pub(super) fn filled(&mut self) {
        for (of, span) in std::mem::take(&mut self.holes) {
            let (types, sizes) = unknowns(&self.unifier.resolve(&of));
            let shown = self.unifier.show(&of);
            for unknown in types {
                let cell = &mut self.unifier.types[unknown as usize];
                if matches!(cell.required, Required::Nothing) && cell.value.is_none() {
                    cell.value = Some(Type::tuple(Vec::new()));
                }
            }
            for unknown in sizes {
                self.unifier.sizes[unknown as usize].value.get_or_insert(Size::Constant(0));
            }
            let hint = "write an expression of this type here; the program runs until it is reached";
            if !self.warnings.has(span) {
                self.warnings.add(Message::warning("hole", span, format!("a hole of type {shown}")).hint(hint));
            }
        }
    }

    /// For the end of the definition that is being checked.
    pub(super) fn finish(&mut self) -> Finish<'_> {
        Finish { unifier: &mut self.unifier, digits: &self.digits, compared: &self.compared }
    }
}

impl Finish<'_> {
    /// Puts in what is known.
    pub(super) fn expression(&mut self, value: &mut Expression) -> Checked<()> {
        deep(|| self.within(value))
    }

    fn within(&mut self, value: &mut Expression) -> Checked<()> {
        let span = value.span;
        let is_result = is_result_of_function(value);
        if !is_result {
            value.of = self.unifier.complete(&value.of, span)?;
        }
        for pattern in value.patterns_mut() {
            self.pattern(pattern)?;
        }
        for child in value.children_mut() {
            self.expression(child)?;
        }
        if is_result
            && let ExpressionKind::Apply { function, .. } = &value.kind
            && let Type::Function(of) = &function.of
        {
            value.of = of.result.clone();
        }
        let is_joined =
            matches!(value.kind, ExpressionKind::If(..) | ExpressionKind::Match(..) | ExpressionKind::Loop(_));
        if is_joined && self.unifier.holds_function(&value.of) || self.unifier.holds_functions(&value.of) {
            let place = if is_joined { "the result of a branch or a loop" } else { "an element of an array" };
            let text = format!("a function cannot be {place}, and this is of type {}", self.unifier.show(&value.of));
            return fault("type", span, text, "is an argument missing? Else apply the function where it is known");
        }
        match &mut value.kind {
            ExpressionKind::Constant(constant) => *constant = self.round(*constant, &value.of, span)?,
            ExpressionKind::LocalInstance(_, instance)
            | ExpressionKind::Definition(_, instance)
            | ExpressionKind::Intrinsic(_, instance) => self.unifier.complete_instance(instance, span)?,
            ExpressionKind::Size(size) => *size = self.unifier.complete_size(size, span)?,
            ExpressionKind::Primitive(_, kind, operands) => {
                if let Type::Prim(prim) = operands[0].of {
                    *kind = prim;
                }
            }
            ExpressionKind::Equal(a, _) if !comparable(&a.of) => {
                let text = format!("values of type {} cannot be compared", self.unifier.show(&a.of));
                return fault("type", span, text, "only values without functions, of known types, have `==`");
            }
            ExpressionKind::LetPolymorphic(_, scheme, ..) => scheme.body = self.unifier.complete(&scheme.body, span)?,
            ExpressionKind::Let(pattern, ..) => irrefutable(pattern, "let")?,
            ExpressionKind::Lambda(lambda) => irrefutable(&lambda.param, "parameter")?,
            ExpressionKind::Match(scrutinee, cases) => {
                let patterns = cases.iter().map(|(pattern, _)| pattern);
                if let Some(case) = missing(patterns, &scrutinee.of, span)? {
                    let text = format!("this match does not cover the case {case}");
                    return fault("match", span, text, format!("add `case {case} -> …`"));
                }
            }
            ExpressionKind::Loop(iteration) => {
                iteration.sizes.retain(|size| !self.unifier.eliminated.contains_key(size));
                irrefutable(&iteration.pattern, "loop")?;
                match &iteration.form {
                    crate::futhark::core::LoopForm::In(element, _) => irrefutable(element, "loop")?,
                    crate::futhark::core::LoopForm::For(..) | crate::futhark::core::LoopForm::While(_) => {}
                }
            }
            ExpressionKind::Convert(inner) if inner.of == value.of => {
                let inner = std::mem::replace(&mut inner.kind, ExpressionKind::Array(Vec::new()));
                value.kind = inner;
            }
            ExpressionKind::Coerce(inner) => match self.unifier.same(&inner.of, &value.of) {
                Ok(true) => {
                    let inner = std::mem::replace(&mut inner.kind, ExpressionKind::Array(Vec::new()));
                    value.kind = inner;
                }
                Ok(false) => self.not_apart(&inner.of, &value.of, inner.span)?,
                Err(_) if !self.compared.contains_key(&inner.span) => {}
                Err(clash) => {
                    return Err(self.unifier.mismatch(
                        &clash,
                        &inner.of,
                        &value.of,
                        super::report::Role::Ascription,
                        span,
                    ));
                }
            },
            _ => {}
        }
        if let ExpressionKind::Primitive(name, kind, operands) = &mut value.kind
            && &**name == "shift_zeros"
        {
            value.kind = shift_zeros(*kind, std::mem::take(operands), span);
        }
        Ok(())
    }

    fn pattern(&mut self, pattern: &mut Pattern) -> Checked<()> {
        pattern.of = self.unifier.complete(&pattern.of, pattern.span)?;
        pattern.binds.retain(|size| !self.unifier.eliminated.contains_key(size));
        if let PatternKind::Constant(constant) = &mut pattern.kind {
            *constant = self.round(*constant, &pattern.of, pattern.span)?;
        }
        pattern.children_mut().into_iter().try_for_each(|part| deep(|| self.pattern(part)))
    }

    /// The value of a constant of this kind.
    fn round(&self, constant: Constant, of: &Type, span: Span) -> Checked<Constant> {
        let Type::Prim(prim) = of else { return Ok(constant) };
        match constant {
            Constant::Bool(_) => Ok(constant),
            Constant::Integer(value) if prim.is_real() => match whole_real(*prim, value) {
                real if real.is_infinite() => {
                    let text = format!("the number {value} does not fit {}", prim.name());
                    fault("literal", span, text, format!("infinity is `{}.inf`", prim.name()))
                }
                real => Ok(Constant::Real(real)),
            },
            Constant::Integer(value) => {
                let (lowest, highest) = prim.bounds();
                if !(lowest..=highest).contains(&value) {
                    let text = format!("the number {value} does not fit {}", prim.name());
                    return fault("literal", span, text, format!("its kind goes from {lowest} to {highest}"));
                }
                Ok(Constant::Integer(value))
            }
            Constant::Real(value) => {
                let Some(digits) = self.digits.get(&span) else { return Ok(Constant::Real(value)) };
                match real_of(*prim, digits) {
                    Some(value) => Ok(Constant::Real(value)),
                    None => {
                        let kind = prim.name();
                        let most = match prim {
                            Prim::F16 => "6.6e4",
                            Prim::F32 => "3.4e38",
                            _ => "1.8e308",
                        };
                        let text = format!("the number {} does not fit {kind}", shortened(digits));
                        fault("literal", span, text, format!("the largest is about {most}; infinity is `{kind}.inf`"))
                    }
                }
            }
        }
    }
}

/// Whether an expression is a function of some of its arguments, whose type is part of that of the function: it becomes known
/// with it.
fn is_result_of_function(value: &Expression) -> bool {
    match (&value.kind, &value.of) {
        (ExpressionKind::Apply { function, .. }, Type::Function(own)) => match &function.of {
            Type::Function(of) => matches!(&of.result, Type::Function(result) if result.is_same(own)),
            _ => false,
        },
        _ => false,
    }
}

/// `>>>`: the bits as those of a number without sign, shifted, as before again.
fn shift_zeros(kind: Prim, operands: Vec<Expression>, span: Span) -> ExpressionKind {
    let unsigned = match kind {
        Prim::I8 => Prim::U8,
        Prim::I16 => Prim::U16,
        Prim::I32 => Prim::U32,
        Prim::I64 => Prim::U64,
        other => other,
    };
    let shr = |operands| ExpressionKind::Primitive(Name::from("shr"), unsigned, operands);
    if unsigned == kind {
        return shr(operands);
    }
    let of = Type::Prim(unsigned);
    let converted = operands
        .into_iter()
        .map(|operand| Expression { kind: ExpressionKind::Convert(Box::new(operand)), of: of.clone(), span })
        .collect();
    ExpressionKind::Convert(Box::new(Expression { kind: shr(converted), of: of.clone(), span }))
}

fn comparable(of: &Type) -> bool {
    let is_open = matches!(of, Type::Function(_) | Type::Var(_) | Type::Accumulator(_) | Type::Unknown(_));
    !is_open && as_abstract(of).is_none() && of.children().all(comparable)
}

/// A value that the patterns do not fit, if there is one and it is found in time.
fn missing<'p>(patterns: impl Iterator<Item = &'p Pattern>, of: &Type, span: Span) -> Checked<Option<String>> {
    exhaustive::missing(patterns, of).or_else(|exhaustive::TooLong| {
        let text = "whether these patterns fit every value takes too long to find out";
        fault("match", span, text, "match less at a time, or add a last case that fits everything: `case _ -> …`")
    })
}

fn irrefutable(pattern: &Pattern, place: &str) -> Checked<()> {
    if matches!(pattern.kind, PatternKind::Local(_) | PatternKind::Wildcard) {
        return Ok(());
    }
    match missing([pattern].into_iter(), &pattern.of, pattern.span)? {
        None => Ok(()),
        Some(case) => {
            let text = format!("this {place} pattern does not fit the value {case}");
            fault("match", pattern.span, text, "use `match`, with a case for it")
        }
    }
}

/// Of entries of one name, the last.
fn last_of_each(mut entries: Vec<Entry>) -> Vec<Entry> {
    let mut later = FxHashSet::default();
    entries.reverse();
    entries.retain(|entry| later.insert(entry.name.clone()));
    entries.reverse();
    entries
}

/// The program of the definitions that are the user's, and those of the prelude that they mention.
pub(super) fn reachable(definitions: Definitions, locals: Vec<Name>, mut mentioned: Vec<bool>) -> Program {
    let Definitions { defined, entries, .. } = definitions;
    for number in (0..mentioned.len()).rev() {
        if mentioned[number] {
            mark(&defined[number].body, &mut mentioned);
        }
    }
    let is_wanted = |number| mentioned.get(number).is_none_or(|mentioned| *mentioned);
    let wanted = defined.into_iter().enumerate().filter(|(number, _)| is_wanted(*number));
    let definitions = wanted.map(|(_, defined)| Rc::unwrap_or_clone(defined)).collect();
    Program { definitions, entries: last_of_each(entries), locals, places: Places::among(&mentioned) }
}

/// Marks the definitions that one of the prelude mentions, which come before it.
fn mark(value: &Expression, mentioned: &mut [bool]) {
    if let ExpressionKind::Definition(definition, _) = &value.kind {
        mentioned[definition.0 as usize] = true;
    }
    value.children().for_each(|child| deep(|| mark(child, mentioned)));
}
