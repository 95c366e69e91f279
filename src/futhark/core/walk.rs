//! The parts of expressions, patterns and types, for passes that treat most forms alike.
//!
//! Law: every part is visited once, in the order in which it is written (tests/language/elaborate.rs).

use super::{Expression, ExpressionKind, Index, LoopForm, Pattern, PatternKind, Type};
use crate::futhark::source::Name;

impl Expression {
    /// The expressions within, in order.
    #[must_use]
    pub fn children(&self) -> Vec<&Expression> {
        use ExpressionKind as E;
        match &self.kind {
            E::Constant(_) | E::Local(_) | E::LocalInstance(..) | E::Definition(..) | E::Intrinsic(..) | E::Size(_) => {
                Vec::new()
            }
            E::Record(fields) => fields.iter().map(|(_, value)| value).collect(),
            E::Field(inner, _) | E::Convert(inner) | E::Coerce(inner) => vec![inner],
            E::RecordUpdate(a, _, b) | E::Equal(a, b) => vec![a, b],
            E::Let(_, value, rest) | E::LetPolymorphic(_, _, value, rest) => vec![value, rest],
            E::Assert(a, b) | E::Apply { function: a, argument: b } => vec![a, b],
            E::Constructor(_, parts) | E::Array(parts) | E::Primitive(_, _, parts) => parts.iter().collect(),
            E::Range(range) => [&range.start].into_iter().chain(&range.second).chain([&range.end]).collect(),
            E::Index(array, indices) => [&**array].into_iter().chain(index_parts(indices)).collect(),
            E::Update(array, indices, value) => {
                [&**array].into_iter().chain(index_parts(indices)).chain([&**value]).collect()
            }
            E::Lambda(lambda) => vec![&lambda.body],
            E::If(a, b, c) => vec![a, b, c],
            E::Match(scrutinee, cases) => {
                [&**scrutinee].into_iter().chain(cases.iter().map(|(_, value)| value)).collect()
            }
            E::Loop(a) => {
                let form = match &a.form {
                    LoopForm::For(_, value) | LoopForm::In(_, value) | LoopForm::While(value) => value,
                };
                [&a.initial, form].into_iter().chain(a.policy.bound.as_deref()).chain([&a.body]).collect()
            }
        }
    }

    /// The expressions within, in order, to be changed.
    pub fn children_mut(&mut self) -> Vec<&mut Expression> {
        use ExpressionKind as E;
        match &mut self.kind {
            E::Constant(_) | E::Local(_) | E::LocalInstance(..) | E::Definition(..) | E::Intrinsic(..) | E::Size(_) => {
                Vec::new()
            }
            E::Record(fields) => fields.iter_mut().map(|(_, value)| value).collect(),
            E::Field(inner, _) | E::Convert(inner) | E::Coerce(inner) => vec![inner],
            E::RecordUpdate(a, _, b) | E::Equal(a, b) => vec![a, b],
            E::Let(_, value, rest) | E::LetPolymorphic(_, _, value, rest) => vec![value, rest],
            E::Assert(a, b) | E::Apply { function: a, argument: b } => vec![a, b],
            E::Constructor(_, parts) | E::Array(parts) | E::Primitive(_, _, parts) => parts.iter_mut().collect(),
            E::Range(range) => {
                [&mut range.start].into_iter().chain(&mut range.second).chain([&mut range.end]).collect()
            }
            E::Index(array, indices) => [&mut **array].into_iter().chain(index_parts_mut(indices)).collect(),
            E::Update(array, indices, value) => {
                [&mut **array].into_iter().chain(index_parts_mut(indices)).chain([&mut **value]).collect()
            }
            E::Lambda(lambda) => vec![&mut lambda.body],
            E::If(a, b, c) => vec![a, b, c],
            E::Match(scrutinee, cases) => {
                [&mut **scrutinee].into_iter().chain(cases.iter_mut().map(|(_, value)| value)).collect()
            }
            E::Loop(a) => {
                let form = match &mut a.form {
                    LoopForm::For(_, value) | LoopForm::In(_, value) | LoopForm::While(value) => value,
                };
                let bound = a.policy.bound.as_deref_mut();
                [&mut a.initial, form].into_iter().chain(bound).chain([&mut a.body]).collect()
            }
        }
    }

    /// The patterns that stand in the expression itself, in order, to be changed.
    pub fn patterns_mut(&mut self) -> Vec<&mut Pattern> {
        use ExpressionKind as E;
        match &mut self.kind {
            E::Lambda(lambda) => vec![&mut lambda.param],
            E::Let(pattern, ..) => vec![pattern],
            E::Match(_, cases) => cases.iter_mut().map(|(pattern, _)| pattern).collect(),
            E::Loop(a) => match &mut a.form {
                LoopForm::In(element, _) => vec![&mut a.pattern, element],
                LoopForm::For(..) | LoopForm::While(_) => vec![&mut a.pattern],
            },
            _ => Vec::new(),
        }
    }
}

impl Pattern {
    /// The patterns within, in order.
    #[must_use]
    pub fn children(&self) -> Vec<&Pattern> {
        match &self.kind {
            PatternKind::Local(_) | PatternKind::Wildcard | PatternKind::Constant(_) => Vec::new(),
            PatternKind::Record(fields) => fields.iter().map(|(_, part)| part).collect(),
            PatternKind::Constructor(_, parts) => parts.iter().collect(),
        }
    }

    /// The patterns within, in order, to be changed.
    pub fn children_mut(&mut self) -> Vec<&mut Pattern> {
        match &mut self.kind {
            PatternKind::Local(_) | PatternKind::Wildcard | PatternKind::Constant(_) => Vec::new(),
            PatternKind::Record(fields) => fields.iter_mut().map(|(_, part)| part).collect(),
            PatternKind::Constructor(_, parts) => parts.iter_mut().collect(),
        }
    }
}

fn index_parts(indices: &[Index]) -> impl Iterator<Item = &Expression> {
    indices.iter().flat_map(|index| match index {
        Index::At(at) => vec![at],
        Index::Slice(a, b, c) => a.iter().chain(b).chain(c).collect(),
    })
}

fn index_parts_mut(indices: &mut [Index]) -> impl Iterator<Item = &mut Expression> {
    indices.iter_mut().flat_map(|index| match index {
        Index::At(at) => vec![at],
        Index::Slice(a, b, c) => a.iter_mut().chain(b).chain(c).collect(),
    })
}

impl Type {
    /// The types within, in order.
    pub(in crate::futhark) fn children(&self) -> impl Iterator<Item = &Type> {
        let (one_or_two, fields, constructors): ([Option<&Type>; 2], &[_], &[_]) = match self {
            Type::Prim(_) | Type::Var(_) | Type::Unknown(_) => ([None; 2], &[], &[]),
            Type::Array(_, of) | Type::Accumulator(of) => ([Some(of), None], &[], &[]),
            Type::Function { param, result, .. } => ([Some(param), Some(result)], &[], &[]),
            Type::Record(fields) => ([None; 2], fields, &[]),
            Type::Sum(constructors) => ([None; 2], &[], constructors),
        };
        let fields = fields.iter().map(|(_, of): &(Name, Type)| of);
        let payloads = constructors.iter().flat_map(|(_, payload): &(Name, Vec<Type>)| payload);
        one_or_two.into_iter().flatten().chain(fields).chain(payloads)
    }
}
