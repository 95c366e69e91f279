//! Random expressions, patterns and types of the front end.
//!
//! Law: every form occurs, and the remaining fuel bounds the height (tests/language/syntax.rs).

use catadiff::futhark::Rest;
use catadiff::futhark::source::{Name, Span};
use catadiff::futhark::syntax::tree::{
    Attribute, Expression, ExpressionKind, Index, Literal, Loop, LoopForm, Pattern, PatternKind, QualifiedName, Range,
    RangeKind, Step, TypeArgument, TypeExpression, TypeKind, TypeParam, TypeParamKind, ValueDeclaration,
};
use quickcheck::{Arbitrary, Gen};

const WORDS: [&str; 9] = ["x", "y'", "a'b", "_z", "map", "f64", "n1", "in_", "Let"];
const OPERATORS: [&str; 22] = [
    "+", "-", "*", "/", "%", "**", "//", "%%", "==", "!=", "<", ">=", "&&", "||", "|>", "<|", ">->", "<<", "^", "|",
    "+.", "&&&",
];

/// A source of random trees.
pub(crate) struct Trees<'g>(pub(crate) &'g mut Gen);

impl Trees<'_> {
    pub(crate) fn below(&mut self, n: usize) -> usize {
        usize::try_from(u64::arbitrary(self.0) % n as u64).expect("less than n")
    }

    pub(crate) fn many<T>(&mut self, least: usize, most: usize, mut one: impl FnMut(&mut Self) -> T) -> Vec<T> {
        let count = least + self.below(most - least + 1);
        (0..count).map(|_| one(self)).collect()
    }

    pub(crate) fn maybe<T>(&mut self, one: impl FnOnce(&mut Self) -> T) -> Option<T> {
        (self.below(2) == 0).then(|| one(self))
    }

    pub(crate) fn word(&mut self) -> Name {
        Name::from(WORDS[self.below(WORDS.len())])
    }

    fn field(&mut self) -> Name {
        if self.below(3) == 0 { Name::from(self.below(12).to_string()) } else { self.word() }
    }

    fn operator_name(&mut self) -> Name {
        Name::from(OPERATORS[self.below(OPERATORS.len())])
    }

    /// A name that is defined: a word or an operator.
    pub(crate) fn binder(&mut self) -> Name {
        if self.below(4) == 0 { self.operator_name() } else { self.word() }
    }

    pub(crate) fn qualified(&mut self) -> QualifiedName {
        QualifiedName { modules: self.many(0, 2, Self::word), name: self.word(), span: Span::default() }
    }

    /// An operator, behind a module perhaps, or a name between backticks.
    fn operator(&mut self) -> QualifiedName {
        match self.below(4) {
            0 => self.qualified(),
            1 => QualifiedName { modules: vec![self.word()], name: self.operator_name(), span: Span::default() },
            _ => QualifiedName { modules: Vec::new(), name: self.operator_name(), span: Span::default() },
        }
    }

    pub(crate) fn attribute(&mut self, fuel: u32) -> Attribute {
        match self.below(if fuel == 0 { 2 } else { 3 }) {
            0 => Attribute::Name(self.word()),
            1 => Attribute::Integer(7),
            _ => Attribute::Apply(self.word(), self.many(0, 2, |t| t.attribute(fuel - 1))),
        }
    }

    pub(crate) fn type_params(&mut self) -> Vec<TypeParam> {
        use TypeParamKind::{Lifted, Size, SizeLifted, Type};
        self.many(0, 2, |t| TypeParam {
            kind: [Size, Type, SizeLifted, Lifted][t.below(4)],
            name: t.word(),
            span: Span::default(),
        })
    }

    fn sizes(&mut self) -> Vec<TypeParam> {
        self.many(0, 1, |t| TypeParam { kind: TypeParamKind::Size, name: t.word(), span: Span::default() })
    }

    /// With this many parameters at least.
    pub(crate) fn value(&mut self, entry: bool, least: usize, fuel: u32) -> ValueDeclaration {
        ValueDeclaration {
            entry,
            name: self.binder(),
            name_span: Span::default(),
            type_params: self.type_params(),
            params: self.many(least, 3, |t| t.pattern(2)),
            result: self.maybe(|t| t.type_expression(2)),
            body: self.expression(fuel),
        }
    }

    fn literal(&mut self, negative: bool) -> Literal {
        let sign = if negative && self.below(2) == 0 { "-" } else { "" };
        match self.below(4) {
            0 => Literal::Bool(self.below(2) == 0),
            1 => {
                let n = [0, 7, 1_000_000, i128::from(u64::MAX)][self.below(4)];
                let suffix = [None, Some("i64"), Some("u8")][self.below(3)].map(Name::from);
                Literal::Integer(if sign == "-" { -n } else { n }, suffix)
            }
            2 => {
                let digits = ["1.5", "0.0", "1e-9", "2.5E+3", "0x1.8p-3"][self.below(5)];
                let suffix = [None, Some("f16"), Some("f32"), Some("f64")][self.below(4)].map(Name::from);
                Literal::Real(Name::from(format!("{sign}{digits}")), suffix)
            }
            _ => Literal::Character(['a', '\'', '"', '\\', '\n', 'λ', '\u{1}'][self.below(7)]),
        }
    }

    pub(crate) fn type_expression(&mut self, fuel: u32) -> TypeExpression {
        let next = |t: &mut Self| Box::new(t.type_expression(fuel - 1));
        let kind = match self.below(if fuel == 0 { 1 } else { 9 }) {
            0 | 1 => TypeKind::Name(self.qualified(), Vec::new()),
            2 => {
                let size = self.maybe(|t| Box::new(t.expression(fuel - 1)));
                TypeKind::Array(size, next(self))
            }
            3 => {
                let parts = self.many(0, 3, |t| t.type_expression(fuel - 1));
                if parts.len() == 1 { TypeKind::Unique(next(self)) } else { TypeKind::Tuple(parts) }
            }
            4 => TypeKind::Record(self.many(0, 2, |t| (t.field(), t.type_expression(fuel - 1)))),
            5 => TypeKind::Sum(self.many(1, 3, |t| (t.word(), t.many(0, 2, |t| t.type_expression(fuel - 1))))),
            6 => TypeKind::Function(self.maybe(Self::word), next(self), next(self)),
            7 => TypeKind::Exists(self.many(1, 2, Self::word), next(self)),
            _ => TypeKind::Name(
                self.qualified(),
                self.many(1, 2, |t| match t.below(2) {
                    0 => TypeArgument::Size(t.maybe(|t| Box::new(t.expression(fuel - 1)))),
                    _ => TypeArgument::Type(t.type_expression(fuel - 1)),
                }),
            ),
        };
        TypeExpression { kind, span: Span::default() }
    }

    fn pattern(&mut self, fuel: u32) -> Pattern {
        let kind = match self.below(if fuel == 0 { 3 } else { 8 }) {
            0 => PatternKind::Name(self.binder()),
            1 => PatternKind::Wildcard,
            2 => PatternKind::Literal(self.literal(true)),
            3 => {
                let parts = self.many(0, 3, |t| t.pattern(fuel - 1));
                if parts.len() == 1 { PatternKind::Wildcard } else { PatternKind::Tuple(parts) }
            }
            4 => PatternKind::Record(self.many(0, 2, |t| (t.field(), t.pattern(fuel - 1)))),
            5 => PatternKind::Constructor(self.word(), self.many(0, 2, |t| t.pattern(fuel - 1))),
            6 => PatternKind::Ascribe(Box::new(self.pattern(fuel - 1)), Box::new(self.type_expression(fuel - 1))),
            _ => PatternKind::Attribute(self.attribute(1), Box::new(self.pattern(fuel - 1))),
        };
        Pattern { kind, span: Span::default() }
    }

    fn indices(&mut self, fuel: u32) -> Vec<Index> {
        self.many(1, 2, |t| match t.below(2) {
            0 => Index::At(t.expression(fuel)),
            _ => {
                let part = |t: &mut Self| t.maybe(|t| t.expression(fuel));
                Index::Slice(part(t), part(t), part(t))
            }
        })
    }

    fn path(&mut self, fuel: u32) -> Vec<Step> {
        self.many(1, 3, |t| match t.below(2) {
            0 => Step::Field(t.field()),
            _ => Step::Index(t.indices(fuel)),
        })
    }

    fn leaf(&mut self) -> ExpressionKind {
        match self.below(6) {
            0 => ExpressionKind::Literal(self.literal(false)),
            1 => ExpressionKind::Literal(Literal::Text(self.text().into())),
            2 => ExpressionKind::Hole,
            3 => ExpressionKind::Section(self.operator()),
            4 => ExpressionKind::SectionPath(self.many(1, 3, |t| Step::Field(t.field()))),
            _ => ExpressionKind::Name(self.qualified()),
        }
    }

    /// What stands in quotes: signs that are written otherwise there, and digits, which may follow a number.
    fn text(&mut self) -> String {
        const SIGNS: [char; 11] = ['"', '\\', '\n', '\u{7}', '\u{1b}', '0', '7', 'λ', '\'', '-', 'x'];
        (0..self.below(7)).map(|_| SIGNS[self.below(SIGNS.len())]).collect()
    }

    pub(crate) fn expression(&mut self, fuel: u32) -> Expression {
        let kind = if fuel == 0 { self.leaf() } else { self.branch(fuel - 1) };
        Expression { kind, span: Span::default() }
    }

    fn branch(&mut self, fuel: u32) -> ExpressionKind {
        let next = |t: &mut Self| Box::new(t.expression(fuel));
        let all = |t: &mut Self, least| t.many(least, 3, |t| t.expression(fuel));
        match self.below(34) {
            0 => self.leaf(),
            1 => {
                let items = all(self, 0);
                if items.len() == 1 { ExpressionKind::Array(items) } else { ExpressionKind::Tuple(items) }
            }
            2 => ExpressionKind::Record(self.many(0, 2, |t| (t.field(), t.expression(fuel)))),
            3 => ExpressionKind::Array(all(self, 0)),
            4 => ExpressionKind::Range(Box::new(Range {
                start: self.expression(fuel),
                second: self.maybe(|t| t.expression(fuel)),
                end: self.expression(fuel),
                kind: [RangeKind::Inclusive, RangeKind::Upto, RangeKind::Downto][self.below(3)],
            })),
            5 => ExpressionKind::Field(next(self), self.field()),
            6 => ExpressionKind::Index(next(self), self.indices(fuel)),
            7 | 8 => ExpressionKind::Update(next(self), self.path(fuel), next(self)),
            9 | 10 => ExpressionKind::Apply(next(self), all(self, 1)),
            11 => ExpressionKind::Constructor(self.word(), all(self, 0)),
            12 => ExpressionKind::Negate(next(self)),
            13 => ExpressionKind::Not(next(self)),
            14..=18 => ExpressionKind::Binary(self.operator(), Rest::new(self.expression(fuel)), next(self)),
            19 => ExpressionKind::SectionLeft(self.operator(), next(self)),
            20 => {
                let operator = self.operator();
                if operator.modules.is_empty() && *operator.name == *"-" {
                    return ExpressionKind::Section(operator);
                }
                ExpressionKind::SectionRight(operator, next(self))
            }
            21 => ExpressionKind::SectionPath(self.path(fuel)),
            22 => {
                let params = self.many(1, 2, |t| t.pattern(1));
                ExpressionKind::Lambda(params, self.maybe(|t| Box::new(t.type_expression(2))), next(self))
            }
            23 | 24 => {
                let (sizes, pattern) = (self.sizes(), Box::new(self.pattern(2)));
                ExpressionKind::Let(sizes, pattern, next(self), Rest::new(self.expression(fuel)))
            }
            25 => ExpressionKind::LetFunction(Box::new(self.value(false, 1, fuel)), Rest::new(self.expression(fuel))),
            26 => {
                let (name, path) = (self.word(), self.path(fuel));
                ExpressionKind::LetUpdate(name, path, next(self), Rest::new(self.expression(fuel)))
            }
            27 => ExpressionKind::If(next(self), next(self), next(self)),
            28 => ExpressionKind::Match(next(self), self.many(1, 3, |t| (t.pattern(2), t.expression(fuel)))),
            29 => ExpressionKind::Loop(Box::new(Loop {
                sizes: self.sizes(),
                pattern: self.pattern(2),
                initial: self.maybe(|t| t.expression(fuel)),
                form: match self.below(3) {
                    0 => LoopForm::For(self.word(), Span::default(), self.expression(fuel)),
                    1 => LoopForm::In(self.pattern(2), self.expression(fuel)),
                    _ => LoopForm::While(self.expression(fuel)),
                },
                body: self.expression(fuel),
            })),
            30 => ExpressionKind::Ascribe(next(self), Box::new(self.type_expression(2))),
            31 => ExpressionKind::Coerce(next(self), Box::new(self.type_expression(2))),
            32 => ExpressionKind::OpenIn(self.qualified(), next(self)),
            _ => match self.below(2) {
                0 => ExpressionKind::Assert(next(self), next(self)),
                _ => ExpressionKind::Attribute(self.attribute(1), next(self)),
            },
        }
    }
}
