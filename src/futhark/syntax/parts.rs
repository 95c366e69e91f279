//! The parts of expressions and of types, for walks that treat most forms alike.
//!
//! Law: every expression or type directly within is a part once, in the order in which it is written (tests/language/format.rs).

use super::tree::{Expression, ExpressionKind, Index, LoopForm, Step, TypeArgument, TypeExpression, TypeKind};

impl Expression {
    /// The expressions directly within.
    #[must_use]
    pub fn parts(&self) -> Vec<&Expression> {
        use ExpressionKind as E;
        match &self.kind {
            E::Literal(_) | E::Name(_) | E::Hole | E::Section(_) => Vec::new(),
            E::Tuple(items) | E::Array(items) | E::Constructor(_, items) => items.iter().collect(),
            E::Record(fields) => fields.iter().map(|(_, e)| e).collect(),
            E::Range(range) => [&range.start].into_iter().chain(&range.second).chain([&range.end]).collect(),
            E::Field(of, _)
            | E::Negate(of)
            | E::Not(of)
            | E::SectionLeft(_, of)
            | E::SectionRight(_, of)
            | E::OpenIn(_, of)
            | E::Ascribe(of, _)
            | E::Coerce(of, _)
            | E::Attribute(_, of)
            | E::Lambda(_, _, of) => vec![of],
            E::Index(of, indices) => [&**of].into_iter().chain(within(indices)).collect(),
            E::SectionPath(path) => along(path).collect(),
            E::Update(of, path, value) => [&**of].into_iter().chain(along(path)).chain([&**value]).collect(),
            E::Apply(function, arguments) => [&**function].into_iter().chain(arguments).collect(),
            E::Binary(_, left, right) => vec![left, right],
            E::Let(_, _, value, body) => vec![value, body],
            E::LetFunction(function, body) => vec![&function.body, body],
            E::LetUpdate(_, path, value, body) => along(path).chain([&**value, &**body]).collect(),
            E::If(a, b, c) => vec![a, b, c],
            E::Match(of, cases) => [&**of].into_iter().chain(cases.iter().map(|(_, e)| e)).collect(),
            E::Loop(it) => {
                let (LoopForm::For(.., form) | LoopForm::In(_, form) | LoopForm::While(form)) = &it.form;
                it.initial.iter().chain([form, &it.body]).collect()
            }
            E::Assert(condition, value) => vec![condition, value],
        }
    }
}

fn along(path: &[Step]) -> impl Iterator<Item = &Expression> {
    path.iter().flat_map(|step| within(step.indices()))
}

fn within(indices: &[Index]) -> impl Iterator<Item = &Expression> {
    indices.iter().flat_map(Index::parts)
}

/// What stands directly within a type.
#[derive(Debug, Clone, Copy)]
pub(in crate::futhark) enum TypePart<'t> {
    /// A size.
    Size(&'t Expression),
    /// A type.
    Type(&'t TypeExpression),
}

impl TypeExpression {
    /// The sizes and the types directly within.
    pub(in crate::futhark) fn parts<'t>(&'t self) -> Vec<TypePart<'t>> {
        use TypePart::{Size, Type};
        match &self.kind {
            TypeKind::Name(_, arguments) => {
                let argument = |argument: &'t TypeArgument| match argument {
                    TypeArgument::Size(size) => size.as_deref().map(Size),
                    TypeArgument::Type(of) => Some(Type(of)),
                };
                arguments.iter().filter_map(argument).collect()
            }
            TypeKind::Array(size, of) => size.as_deref().map(Size).into_iter().chain([Type(of)]).collect(),
            TypeKind::Tuple(parts) => parts.iter().map(Type).collect(),
            TypeKind::Record(fields) => fields.iter().map(|(_, of)| Type(of)).collect(),
            TypeKind::Sum(constructors) => constructors.iter().flat_map(|(_, payload)| payload).map(Type).collect(),
            TypeKind::Function(_, from, to) => vec![Type(from), Type(to)],
            TypeKind::Unique(of) | TypeKind::Exists(_, of) => vec![Type(of)],
        }
    }
}
