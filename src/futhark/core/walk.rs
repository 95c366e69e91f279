//! The parts of expressions, patterns and types, for passes that treat most forms alike.
//!
//! Law: every part is visited once, in the order in which it is written (tests/language/elaborate.rs).

use core::slice;

use super::{Expression, ExpressionKind, Index, Loop, LoopForm, Pattern, PatternKind, Range, Type};
use crate::futhark::source::Name;

/// What expressions, patterns and indices are made of: the same for who reads and for who changes it.
macro_rules! children {
    ($Parts:ident, $Many:ident, $children:ident, $parts:ident, $few:ident, $Iter:ident, $iter:ident, $as_ref:ident, $as_deref:ident, $to_be:literal $(, $mut:ident)?) => {
        #[doc = concat!("The expressions within one, in order", $to_be, ".")]
        pub struct $Parts<'a> {
            first: [Option<&'a $($mut)? Expression>; 2],
            many: $Many<'a>,
            last: [Option<&'a $($mut)? Expression>; 2],
        }

        enum $Many<'a> {
            None,
            All(slice::$Iter<'a, Expression>),
            Fields(slice::$Iter<'a, (Name, Expression)>),
            Cases(slice::$Iter<'a, (Pattern, Expression)>),
            Indices(slice::$Iter<'a, Index>, [Option<&'a $($mut)? Expression>; 3]),
        }

        impl<'a> Iterator for $Parts<'a> {
            type Item = &'a $($mut)? Expression;

            fn next(&mut self) -> Option<Self::Item> {
                let first = self.first.iter_mut().find_map(Option::take);
                first.or_else(|| self.many.next()).or_else(|| self.last.iter_mut().find_map(Option::take))
            }
        }

        impl<'a> $Many<'a> {
            fn next(&mut self) -> Option<&'a $($mut)? Expression> {
                match self {
                    $Many::None => None,
                    $Many::All(all) => all.next(),
                    $Many::Fields(fields) => fields.next().map(|(_, value)| value),
                    $Many::Cases(cases) => cases.next().map(|(_, value)| value),
                    $Many::Indices(indices, parts) => loop {
                        if let Some(part) = parts.iter_mut().find_map(Option::take) {
                            return Some(part);
                        }
                        *parts = indices.next()?.$few();
                    },
                }
            }
        }

        impl Expression {
            #[doc = concat!("The expressions within, in order", $to_be, ".")]
            pub fn $children(&$($mut)? self) -> $Parts<'_> {
                use ExpressionKind as E;
                fn some(part: &$($mut)? Expression) -> Option<&$($mut)? Expression> {
                    Some(part)
                }
                let few = |first, last| $Parts { first, many: $Many::None, last };
                let many = |first, many, last| $Parts { first: [first, None], many, last: [last, None] };
                match &$($mut)? self.kind {
                    E::Constant(_) | E::Hole | E::Local(_) | E::LocalInstance(..) => few([None, None], [None, None]),
                    E::Definition(..) | E::Intrinsic(..) | E::Size(_) => few([None, None], [None, None]),
                    E::Record(fields) => many(None, $Many::Fields(fields.$iter()), None),
                    E::Field(inner, _) | E::Convert(inner) | E::Coerce(inner) => few([some(inner), None], [None, None]),
                    E::RecordUpdate(a, _, b) | E::Equal(a, b) => few([some(a), some(b)], [None, None]),
                    E::Let(_, value, rest) | E::LetPolymorphic(_, _, value, rest) => few([some(value), some(rest)], [None, None]),
                    E::Assert(a, b) | E::Apply { function: a, argument: b } => few([some(a), some(b)], [None, None]),
                    E::Constructor(_, parts) | E::Array(parts) | E::Primitive(_, _, parts) => {
                        many(None, $Many::All(parts.$iter()), None)
                    }
                    E::Range(range) => {
                        let Range { start, second, end, .. } = &$($mut)? **range;
                        few([some(start), second.$as_ref()], [some(end), None])
                    }
                    E::Index(array, indices) => many(some(array), $Many::Indices(indices.$iter(), [None, None, None]), None),
                    E::Update(array, indices, value) => {
                        many(some(array), $Many::Indices(indices.$iter(), [None, None, None]), some(value))
                    }
                    E::Lambda(lambda) => few([some(&$($mut)? lambda.body), None], [None, None]),
                    E::If(a, b, c) => few([some(a), some(b)], [some(c), None]),
                    E::Match(scrutinee, cases) => many(some(scrutinee), $Many::Cases(cases.$iter()), None),
                    E::Loop(it) => {
                        let Loop { initial, form, policy, body, .. } = &$($mut)? **it;
                        let (LoopForm::For(_, form) | LoopForm::In(_, form) | LoopForm::While(form)) = form;
                        few([some(initial), some(form)], [policy.bound.$as_deref(), some(body)])
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
            fn $few(&$($mut)? self) -> [Option<&$($mut)? Expression>; 3] {
                match self {
                    Index::At(at) => [Some(at), None, None],
                    Index::Slice(a, b, c) => [a.$as_ref(), b.$as_ref(), c.$as_ref()],
                }
            }

            #[doc = concat!("The expressions within, in order", $to_be, ".")]
            pub fn $parts(&$($mut)? self) -> impl Iterator<Item = &$($mut)? Expression> {
                self.$few().into_iter().flatten()
            }
        }
    };
}

children!(Within, Many, children, parts, few, Iter, iter, as_ref, as_deref, "");
children!(
    WithinMut,
    ManyMut,
    children_mut,
    parts_mut,
    few_mut,
    IterMut,
    iter_mut,
    as_mut,
    as_deref_mut,
    ", to be changed",
    mut
);

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

/// The types within one.
pub(in crate::futhark) enum Children<'a> {
    Few(Option<&'a Type>, Option<&'a Type>),
    Fields(slice::Iter<'a, (Name, Type)>),
    Payloads(slice::Iter<'a, (Name, Vec<Type>)>, slice::Iter<'a, Type>),
}

impl<'a> Iterator for Children<'a> {
    type Item = &'a Type;

    fn next(&mut self) -> Option<&'a Type> {
        match self {
            Children::Few(first, second) => first.take().or_else(|| second.take()),
            Children::Fields(fields) => fields.next().map(|(_, of)| of),
            Children::Payloads(constructors, payload) => loop {
                if let Some(of) = payload.next() {
                    return Some(of);
                }
                *payload = constructors.next()?.1.iter();
            },
        }
    }
}

impl Type {
    /// The types within, in order.
    pub(in crate::futhark) fn children(&self) -> Children<'_> {
        match self {
            Type::Prim(_) | Type::Var(_) | Type::Unknown(_) => Children::Few(None, None),
            Type::Array(_, of) | Type::Accumulator(of) => Children::Few(Some(of), None),
            Type::Function(function) => Children::Few(Some(&function.param), Some(&function.result)),
            Type::Record(fields) => Children::Fields(fields.iter()),
            Type::Sum(constructors) => Children::Payloads(constructors.iter(), [].iter()),
        }
    }
}
