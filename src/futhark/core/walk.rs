//! The parts of expressions, patterns and types, for passes that treat most forms alike.
//!
//! Law: every part is visited once, in the order in which it is written (tests/language/elaborate.rs).

use super::{Expression, ExpressionKind, Index, Loop, LoopForm, Pattern, PatternKind, Range, Type};
use crate::futhark::source::Name;

/// What expressions, patterns and indices are made of: the same for who reads and for who changes it.
macro_rules! children {
    ($children:ident, $parts:ident, $iter:ident, $as_ref:ident, $as_deref:ident, $to_be:literal $(, $mut:ident)?) => {
        impl Expression {
            #[doc = concat!("The expressions within, in order", $to_be, ".")]
            #[must_use]
            pub fn $children(&$($mut)? self) -> Vec<&$($mut)? Expression> {
                use ExpressionKind as E;
                match &$($mut)? self.kind {
                    E::Constant(_) | E::Hole | E::Local(_) | E::LocalInstance(..) => Vec::new(),
                    E::Definition(..) | E::Intrinsic(..) | E::Size(_) => Vec::new(),
                    E::Record(fields) => fields.$iter().map(|(_, value)| value).collect(),
                    E::Field(inner, _) | E::Convert(inner) | E::Coerce(inner) => vec![inner],
                    E::RecordUpdate(a, _, b) | E::Equal(a, b) => vec![a, b],
                    E::Let(_, value, rest) | E::LetPolymorphic(_, _, value, rest) => vec![value, rest],
                    E::Assert(a, b) | E::Apply { function: a, argument: b } => vec![a, b],
                    E::Constructor(_, parts) | E::Array(parts) | E::Primitive(_, _, parts) => parts.$iter().collect(),
                    E::Range(range) => {
                        let Range { start, second, end, .. } = &$($mut)? **range;
                        [start].into_iter().chain(second).chain([end]).collect()
                    }
                    E::Index(array, indices) => [&$($mut)? **array].into_iter().chain(indices.$iter().flat_map(Index::$parts)).collect(),
                    E::Update(array, indices, value) => {
                        let parts = indices.$iter().flat_map(Index::$parts);
                        [&$($mut)? **array].into_iter().chain(parts).chain([&$($mut)? **value]).collect()
                    }
                    E::Lambda(lambda) => vec![&$($mut)? lambda.body],
                    E::If(a, b, c) => vec![a, b, c],
                    E::Match(scrutinee, cases) => {
                        [&$($mut)? **scrutinee].into_iter().chain(cases.$iter().map(|(_, value)| value)).collect()
                    }
                    E::Loop(it) => {
                        let Loop { initial, form, policy, body, .. } = &$($mut)? **it;
                        let (LoopForm::For(_, form) | LoopForm::In(_, form) | LoopForm::While(form)) = form;
                        [initial, form].into_iter().chain(policy.bound.$as_deref()).chain([body]).collect()
                    }
                }
            }
        }

        impl Pattern {
            #[doc = concat!("The patterns within, in order", $to_be, ".")]
            #[must_use]
            pub fn $children(&$($mut)? self) -> Vec<&$($mut)? Pattern> {
                match &$($mut)? self.kind {
                    PatternKind::Local(_) | PatternKind::Wildcard | PatternKind::Constant(_) => Vec::new(),
                    PatternKind::Record(fields) => fields.$iter().map(|(_, part)| part).collect(),
                    PatternKind::Constructor(_, parts) => parts.$iter().collect(),
                }
            }
        }

        impl Index {
            #[doc = concat!("The expressions within, in order", $to_be, ".")]
            pub fn $parts(&$($mut)? self) -> impl Iterator<Item = &$($mut)? Expression> {
                let parts = match self {
                    Index::At(at) => [Some(at), None, None],
                    Index::Slice(a, b, c) => [a.$as_ref(), b.$as_ref(), c.$as_ref()],
                };
                parts.into_iter().flatten()
            }
        }
    };
}

children!(children, parts, iter, as_ref, as_deref, "");
children!(children_mut, parts_mut, iter_mut, as_mut, as_deref_mut, ", to be changed", mut);

impl Expression {
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
