//! The tree of what is written: declarations, types, patterns, expressions, each with its place.
//!
//! Law: the tree says what the text says and no more; names are not looked up, sections and pipes not yet unfolded
//! (tests/language/syntax.rs).

use crate::futhark::chain::Rest;
use crate::futhark::source::{Name, Span};

/// A name behind the names of modules, such as `f64.sqrt`. Operators are names too: `+`, `f64.+`.
///
/// `p.x` is such a name as well if `p` is a variable: only looking up its first part tells a field from a member.
#[derive(Debug, Clone, PartialEq)]
pub struct QualifiedName {
    /// The modules, outermost first.
    pub modules: Vec<Name>,
    /// The name itself.
    pub name: Name,
    /// Where it stands.
    pub span: Span,
}

/// The declarations of a file.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct File {
    /// In order.
    pub declarations: Vec<Declaration>,
}

/// A declaration and its place.
#[derive(Debug, Clone, PartialEq)]
pub struct Declaration {
    /// What is declared.
    pub kind: DeclarationKind,
    /// What stands in `#[…]` before it.
    pub attributes: Vec<Attribute>,
    /// Where.
    pub span: Span,
}

/// What can be declared.
#[derive(Debug, Clone, PartialEq)]
pub enum DeclarationKind {
    /// `def`, `let` or `entry`.
    Value(Box<ValueDeclaration>),
    /// `type name params = definition`.
    Type(Box<TypeDeclaration>),
    /// `open m`.
    Open(Box<ModuleExpression>),
    /// `import "path"`: opens what the file declares.
    Import(Name),
    /// `local declaration`.
    Local(Box<Declaration>),
    /// `module name (p: signature)… : signature = body`.
    Module(Box<ModuleDeclaration>),
    /// `module type name = signature`.
    Signature(Name, Box<Signature>),
}

/// A function or a constant with a name; a user's infix operator is one whose name is an operator.
#[derive(Debug, Clone, PartialEq)]
pub struct ValueDeclaration {
    /// Whether it can be called from outside.
    pub entry: bool,
    /// Its name.
    pub name: Name,
    /// Where the name stands.
    pub name_span: Span,
    /// `[n]` and `'t` before the parameters.
    pub type_params: Vec<TypeParam>,
    /// The parameters.
    pub params: Vec<Pattern>,
    /// The declared type of the result.
    pub result: Option<TypeExpression>,
    /// What it is.
    pub body: Expression,
}

/// A parameter that stands for a size or a type.
#[derive(Debug, Clone, PartialEq)]
pub struct TypeParam {
    /// What it stands for.
    pub kind: TypeParamKind,
    /// Its name.
    pub name: Name,
    /// Where.
    pub span: Span,
}

/// What a type parameter stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum TypeParamKind {
    /// `[n]`.
    Size,
    /// `'t`.
    Type,
    /// `'~t`: a type that may have sizes not known.
    SizeLifted,
    /// `'^t`: a type that may hold functions.
    Lifted,
}

/// `type name params = definition`, `type~ …` or `type^ …`.
#[derive(Debug, Clone, PartialEq)]
pub struct TypeDeclaration {
    /// What may be in it, as for a parameter of types: `SizeLifted` of `type~`, `Lifted` of `type^`.
    pub lifted: TypeParamKind,
    /// Its name.
    pub name: Name,
    /// Its parameters.
    pub params: Vec<TypeParam>,
    /// What it stands for; none in a signature that keeps it abstract.
    pub definition: Option<TypeExpression>,
}

/// `module name params : signature = body`.
#[derive(Debug, Clone, PartialEq)]
pub struct ModuleDeclaration {
    /// Its name.
    pub name: Name,
    /// The modules it is made from.
    pub params: Vec<(Name, Signature)>,
    /// What of it is seen.
    pub signature: Option<Signature>,
    /// What it is.
    pub body: ModuleExpression,
}

/// A module.
#[derive(Debug, Clone, PartialEq)]
pub enum ModuleExpression {
    /// By name.
    Name(QualifiedName),
    /// `{ declarations }`.
    Body(Vec<Declaration>, Span),
    /// `import "path"`.
    Import(Name, Span),
    /// `m a`.
    Apply(Box<ModuleExpression>, Box<ModuleExpression>, Span),
    /// `m : signature`.
    Ascribe(Box<ModuleExpression>, Signature, Span),
    /// `\ (p: signature) -> m`.
    Lambda(Name, Box<Signature>, Box<ModuleExpression>, Span),
}

/// A module type.
#[derive(Debug, Clone, PartialEq)]
pub enum Signature {
    /// By name.
    Name(QualifiedName),
    /// `{ specifications }`.
    Body(Vec<Specification>, Span),
    /// `s with t params = definition`.
    With(Box<Signature>, QualifiedName, Vec<TypeParam>, TypeExpression, Span),
    /// `(p: s) -> s`.
    Arrow(Option<Name>, Box<Signature>, Box<Signature>, Span),
}

/// What a signature promises.
#[derive(Debug, Clone, PartialEq)]
pub enum Specification {
    /// `val name type_params : type`.
    Value(Name, Vec<TypeParam>, TypeExpression, Span),
    /// `type name params` or `type name params = definition`.
    Type(TypeDeclaration, Span),
    /// `module name : signature`.
    Module(Name, Signature, Span),
    /// `include signature`.
    Include(Signature, Span),
}

/// A type and its place.
#[derive(Debug, Clone, PartialEq)]
pub struct TypeExpression {
    /// The type.
    pub kind: TypeKind,
    /// Where.
    pub span: Span,
}

/// What a type can be.
#[derive(Debug, Clone, PartialEq)]
pub enum TypeKind {
    /// A name and its arguments, sizes and types.
    Name(QualifiedName, Vec<TypeArgument>),
    /// `[size]element`; without a size, `[]`.
    Array(Option<Box<Expression>>, Box<TypeExpression>),
    /// `(a, b)`; of none, the unit.
    Tuple(Vec<TypeExpression>),
    /// `{x: a, y: b}`.
    Record(Vec<(Name, TypeExpression)>),
    /// `#a t u | #b`.
    Sum(Vec<(Name, Vec<TypeExpression>)>),
    /// `a -> b` or `(n: a) -> b`.
    Function(Option<Name>, Box<TypeExpression>, Box<TypeExpression>),
    /// `*t`.
    Unique(Box<TypeExpression>),
    /// `?[n][m].t`.
    Exists(Vec<Name>, Box<TypeExpression>),
}

/// An argument of a type.
#[derive(Debug, Clone, PartialEq)]
pub enum TypeArgument {
    /// `[size]`, or `[]`.
    Size(Option<Box<Expression>>),
    /// A type.
    Type(TypeExpression),
}

/// A pattern and its place.
#[derive(Debug, Clone, PartialEq)]
pub struct Pattern {
    /// The pattern.
    pub kind: PatternKind,
    /// Where.
    pub span: Span,
}

/// What a pattern can be.
#[derive(Debug, Clone, PartialEq)]
pub enum PatternKind {
    /// A name that is bound.
    Name(Name),
    /// `_`.
    Wildcard,
    /// `(p, q)`; of none, the unit.
    Tuple(Vec<Pattern>),
    /// `{x = p, y}`.
    Record(Vec<(Name, Pattern)>),
    /// `#c p q`.
    Constructor(Name, Vec<Pattern>),
    /// A constant, with its sign.
    Literal(Literal),
    /// `p : t`.
    Ascribe(Box<Pattern>, Box<TypeExpression>),
    /// `#[a] p`.
    Attribute(Attribute, Box<Pattern>),
}

/// A constant as written.
#[derive(Debug, Clone, PartialEq)]
pub enum Literal {
    /// `true` or `false`.
    Bool(bool),
    /// An integer and its suffix, if any: decimal, hexadecimal, binary or roman; negative only in patterns. With the
    /// suffix of a kind of real number it is a [`Real`](Literal::Real).
    Integer(i128, Option<Name>),
    /// A number with a fraction, and its suffix, if any. The digits are kept, so that `f32` is rounded once;
    /// [`real_f64`](super::real_f64) and [`real_f32`](super::real_f32) know their value.
    Real(Name, Option<Name>),
    /// `'c'`, a byte.
    Character(char),
    /// `"text"`, an array of bytes.
    Text(Name),
}

/// An expression and its place.
#[derive(Debug, Clone, PartialEq)]
pub struct Expression {
    /// The expression.
    pub kind: ExpressionKind,
    /// Where.
    pub span: Span,
}

/// What an expression can be. `&&`, `||`, `|>`, `<|` and every user's operator are [`Binary`](ExpressionKind::Binary).
#[derive(Debug, Clone, PartialEq)]
pub enum ExpressionKind {
    /// A constant.
    Literal(Literal),
    /// A name.
    Name(QualifiedName),
    /// `???`.
    Hole,
    /// `(a, b)`; of none, the unit.
    Tuple(Vec<Expression>),
    /// `{x = a, y}`.
    Record(Vec<(Name, Expression)>),
    /// `[a, b]`.
    Array(Vec<Expression>),
    /// `start..second...end` and its kin.
    Range(Box<Range>),
    /// `e.x`, `e.0`.
    Field(Box<Expression>, Name),
    /// `e[i, j:k]`.
    Index(Box<Expression>, Vec<Index>),
    /// `e with x.y[i] = v`.
    Update(Box<Expression>, Vec<Step>, Box<Expression>),
    /// `f a b`.
    Apply(Box<Expression>, Vec<Expression>),
    /// `#c a b`.
    Constructor(Name, Vec<Expression>),
    /// `-e`.
    Negate(Box<Expression>),
    /// `!e`.
    Not(Box<Expression>),
    /// `a op b`; a name between backticks is an operator too.
    Binary(QualifiedName, Rest<Expression>, Box<Expression>),
    /// `(op)`.
    Section(QualifiedName),
    /// `(a op)`.
    SectionLeft(QualifiedName, Box<Expression>),
    /// `(op b)`.
    SectionRight(QualifiedName, Box<Expression>),
    /// `(.x.y[i, j])`.
    SectionPath(Vec<Step>),
    /// `\p q: t -> e`.
    Lambda(Vec<Pattern>, Option<Box<TypeExpression>>, Box<Expression>),
    /// `let [n] p = e in e`.
    Let(Vec<TypeParam>, Box<Pattern>, Box<Expression>, Rest<Expression>),
    /// `let f [n] 't p q: t = e in e`.
    LetFunction(Box<ValueDeclaration>, Rest<Expression>),
    /// `let x[i].y = e in e`.
    LetUpdate(Name, Vec<Step>, Box<Expression>, Rest<Expression>),
    /// `if c then a else b`.
    If(Box<Expression>, Box<Expression>, Box<Expression>),
    /// `match e case p -> e …`.
    Match(Box<Expression>, Vec<(Pattern, Expression)>),
    /// `loop …`.
    Loop(Box<Loop>),
    /// `e : t`.
    Ascribe(Box<Expression>, Box<TypeExpression>),
    /// `e :> t`.
    Coerce(Box<Expression>, Box<TypeExpression>),
    /// `m.(e)`: the module is open in the expression.
    OpenIn(QualifiedName, Box<Expression>),
    /// `assert c e`.
    Assert(Box<Expression>, Box<Expression>),
    /// `#[a] e`.
    Attribute(Attribute, Box<Expression>),
}

/// A range of integers.
#[derive(Debug, Clone, PartialEq)]
pub struct Range {
    /// The first.
    pub start: Expression,
    /// The second, which gives the distance.
    pub second: Option<Expression>,
    /// The end.
    pub end: Expression,
    /// Whether the end is within, and in which direction the range goes if it has no second.
    pub kind: RangeKind,
}

/// How a range ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RangeKind {
    /// `...`: the end is within.
    Inclusive,
    /// `..<`: upwards, the end excluded.
    Upto,
    /// `..>`: downwards, the end excluded.
    Downto,
}

/// What stands between the brackets of an index.
#[derive(Debug, Clone, PartialEq)]
// Slices are as common as plain indices.
#[allow(clippy::large_enum_variant)]
pub enum Index {
    /// One index.
    At(Expression),
    /// `start:end:step`, each of which may be absent.
    Slice(Option<Expression>, Option<Expression>, Option<Expression>),
}

/// A step on the way from a value to a part of it.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// `.x`, `.0`.
    Field(Name),
    /// `[i, j:k]`.
    Index(Vec<Index>),
}

impl Index {
    /// The expressions within, in order.
    pub fn parts(&self) -> impl Iterator<Item = &Expression> {
        let parts = match self {
            Index::At(at) => [Some(at), None, None],
            Index::Slice(first, end, step) => [first, end, step].map(Option::as_ref),
        };
        parts.into_iter().flatten()
    }
}

impl Step {
    /// The indices, of which a field has none.
    #[must_use]
    pub fn indices(&self) -> &[Index] {
        match self {
            Step::Field(_) => &[],
            Step::Index(indices) => indices,
        }
    }
}

/// `loop [n] pattern = initial form do body`.
#[derive(Debug, Clone, PartialEq)]
pub struct Loop {
    /// The sizes that may change.
    pub sizes: Vec<TypeParam>,
    /// The variables of the loop.
    pub pattern: Pattern,
    /// Their values before it; without, those of the variables of the same names.
    pub initial: Option<Expression>,
    /// How long.
    pub form: LoopForm,
    /// The values after an iteration.
    pub body: Expression,
}

/// How long a loop runs.
#[derive(Debug, Clone, PartialEq)]
pub enum LoopForm {
    /// `for i < n`.
    For(Name, Span, Expression),
    /// `for p in xs`.
    In(Pattern, Expression),
    /// `while c`.
    While(Expression),
}

/// What stands in `#[…]`.
#[derive(Debug, Clone, PartialEq)]
pub enum Attribute {
    /// `a`.
    Name(Name),
    /// `3`.
    Integer(i64),
    /// `a(b, c)`.
    Apply(Name, Vec<Attribute>),
}
