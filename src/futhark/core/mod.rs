//! The language behind the text: every name found, every type known, every convenience unfolded into a few forms.
//!
//! Law: an expression has one type, and every size in it is a term over values in scope, so that a meaning never has to
//! guess the shape of an empty array or of a result. Types are passed, not erased: an instance of a polymorphic
//! definition says the sizes and the types it is at (tests/language/elaborate.rs).
//!
//! Scopes are those of the text of the core: a variable is bound by a pattern, by a lambda, a loop or a scheme, and seen in
//! what is inside. An expression whose type has sizes that are known only when its value is there (the call of a function
//! whose type has `exists`, a conditional with branches of different sizes, a loop whose sizes change, a constant made by
//! `filter`) is the value of a [`Let`](ExpressionKind::Let), and the pattern of this `Let` binds them; the type of the
//! expression itself already names them.

mod show;
pub(in crate::futhark) mod sizes;
pub(in crate::futhark) mod substitute;
mod summary;
mod types;
mod verify;
mod walk;

pub(in crate::futhark) use show::Shown;
pub use summary::{Holds, Shared, Summary};
pub use types::{FunctionType, Prim, Size, Type, TypeVar};
pub use verify::verify;

use super::chain::Rest;
use super::source::{Name, Span};
use crate::array::Const;

/// The name of sizes of a type that is put in the place of a type parameter, and that are known only from a value of it: no text
/// can name them, and nothing binds them.
pub(in crate::futhark) const HIDDEN: &str = "\u{b7}k";

/// A variable, different from all others of the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Local(pub u32);

/// A definition at the top level, by its number, which [`Program::definition`] knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Definition(pub u32);

/// A checked program.
#[derive(Debug, Clone, Default)]
pub struct Program {
    /// Functions and constants; each mentions only those before it, and a function itself.
    pub definitions: Vec<Defined>,
    /// Those that can be called from outside.
    pub entries: Vec<Entry>,
    /// The names of variables, by number, for messages.
    pub locals: Vec<Name>,
    /// Where the definitions are.
    pub places: Places,
}

impl Program {
    /// The place of a definition among the [`definitions`](Program::definitions).
    #[must_use]
    pub fn place(&self, definition: Definition) -> Option<usize> {
        self.places.of(definition).filter(|place| *place < self.definitions.len())
    }

    /// The definition of a number.
    #[must_use]
    pub fn definition(&self, definition: Definition) -> Option<&Defined> {
        self.definitions.get(self.places.of(definition)?)
    }
}

/// The places of definitions by their numbers: at first, the numbers themselves.
///
/// Definitions are numbered as they are checked, those of the prelude first. A program has only those of them that it mentions,
/// and keeps their numbers: to give all of its definitions others would be to go through the whole of it once more.
#[derive(Debug, Clone, Default)]
pub struct Places {
    prelude: Vec<Option<usize>>,
    unmentioned: usize,
}

impl Places {
    /// Where it is said which definitions have places, of those with the first numbers.
    pub(in crate::futhark) fn among(mentioned: &[bool]) -> Self {
        let mut places = Places::default();
        for (number, mentioned) in mentioned.iter().enumerate() {
            places.prelude.push(mentioned.then_some(number - places.unmentioned));
            places.unmentioned += usize::from(!mentioned);
        }
        places
    }

    fn of(&self, definition: Definition) -> Option<usize> {
        let number = definition.0 as usize;
        self.prelude.get(number).copied().unwrap_or_else(|| Some(number - self.unmentioned))
    }
}

/// A definition: a function is a [`Lambda`](ExpressionKind::Lambda) here.
#[derive(Debug, Clone)]
pub struct Defined {
    /// Its name.
    pub name: Name,
    /// Where the name stands.
    pub span: Span,
    /// Its type, and what it is generic in.
    pub scheme: Scheme,
    /// What it is.
    pub body: Expression,
    /// Of a constant of type `i64`, the variable that has its value in every scope: sizes mention it.
    pub size: Option<Local>,
}

/// A type for all sizes and types in the place of some variables.
#[derive(Debug, Clone, PartialEq)]
pub struct Scheme {
    /// Sizes, which are also values of type `i64` in the body.
    pub sizes: Vec<Local>,
    /// Types.
    pub types: Vec<TypeVar>,
    /// The type.
    pub body: Type,
}

/// What can be called from outside. Its sizes are known from the arguments.
#[derive(Debug, Clone)]
pub struct Entry {
    /// Its name.
    pub name: Name,
    /// What it is; it has no type parameters.
    pub definition: Definition,
    /// The parameters as declared: a name for messages and a type, over the sizes of the definition's scheme.
    pub params: Vec<(Name, Type)>,
    /// The type of the result.
    pub result: Type,
}

/// What an instance of a scheme is at.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Instance {
    /// In the order of [`Scheme::sizes`].
    pub sizes: Box<[Size]>,
    /// In the order of [`Scheme::types`].
    pub types: Box<[Type]>,
}

/// An expression, its type and its place.
#[derive(Debug, Clone)]
pub struct Expression {
    /// The expression.
    pub kind: ExpressionKind,
    /// Its type.
    pub of: Type,
    /// Its place.
    pub span: Span,
}

impl Expression {
    /// A function with this parameter, of this type.
    pub(in crate::futhark) fn lambda(param: Pattern, body: Expression, of: Type) -> Self {
        let span = body.span;
        Expression { kind: ExpressionKind::Lambda(Box::new(Lambda { param, body })), of, span }
    }

    /// A variable.
    pub(in crate::futhark) fn variable(local: Local, of: Type, span: Span) -> Self {
        Expression { kind: ExpressionKind::Local(local), of, span }
    }
}

/// What an expression can be.
#[derive(Debug, Clone)]
pub enum ExpressionKind {
    /// A constant.
    Constant(Constant),
    /// A variable, of one type.
    Local(Local),
    /// A variable bound by [`LetPolymorphic`](ExpressionKind::LetPolymorphic).
    LocalInstance(Local, Instance),
    /// A definition.
    Definition(Definition, Instance),
    /// A function that the meanings know, at these sizes and types, as an ordinary curried function of the arity its type says.
    Intrinsic(Name, Instance),
    /// The value of a size.
    Size(Size),
    /// A record; a tuple is a record with the fields `0`, `1`, …, in this order.
    Record(Vec<(Name, Expression)>),
    /// A field.
    Field(Box<Expression>, Name),
    /// The record with another value in a field, found along a path.
    RecordUpdate(Box<Expression>, Vec<Name>, Box<Expression>),
    /// A constructor of a sum and its payload.
    Constructor(Name, Vec<Expression>),
    /// An array of these elements; its type says the shape of each even if there is none.
    Array(Vec<Expression>),
    /// The integers from a start to an end; that the end lies the other way is a mistake of the user.
    Range(Box<Range>),
    /// Part of an array: indices and slices of its outer dimensions.
    Index(Box<Expression>, Vec<Index>),
    /// The array with part of it replaced.
    Update(Box<Expression>, Vec<Index>, Box<Expression>),
    /// A scalar operation. `&&` and `||` are `and` and `or`, inside an [`If`](ExpressionKind::If) if what is on the right has to
    /// be evaluated.
    Primitive(Name, Prim, Vec<Expression>),
    /// A conversion of a scalar to the kind of the expression's type.
    Convert(Box<Expression>),
    /// Structural equality of two values of one type.
    Equal(Box<Expression>, Box<Expression>),
    /// A function of one parameter.
    Lambda(Box<Lambda>),
    /// A function applied to one argument.
    Apply {
        /// The function.
        function: Box<Expression>,
        /// The argument.
        argument: Box<Expression>,
    },
    /// `let pattern = value in body`.
    Let(Box<Pattern>, Box<Expression>, Rest<Expression>),
    /// A local definition that is used at several sizes or types.
    LetPolymorphic(Local, Box<Scheme>, Box<Expression>, Rest<Expression>),
    /// Conditional.
    If(Box<Expression>, Box<Expression>, Box<Expression>),
    /// The first case whose pattern fits; that one does has been checked.
    Match(Box<Expression>, Vec<(Pattern, Expression)>),
    /// Iteration.
    Loop(Box<Loop>),
    /// The value, whose sizes are compared with those of the expression's type when the program runs.
    Coerce(Box<Expression>),
    /// The second value, if the first is true.
    Assert(Box<Expression>, Box<Expression>),
    /// What is not written yet: an error where it is reached.
    Hole,
}

/// A constant.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Constant {
    /// A truth value.
    Bool(bool),
    /// An integer of the kind that the expression's type says, within its range.
    Integer(i128),
    /// A number, already rounded to the kind that the expression's type says.
    Real(f64),
}

impl Constant {
    /// The scalar of a kind.
    pub(in crate::futhark) fn of(self, kind: Prim) -> Const {
        match self {
            Constant::Bool(b) => Const::Bool(b),
            Constant::Integer(n) => Const::wrapped(n, kind),
            Constant::Real(x) => Const::rounded(x, kind),
        }
    }
}

/// A function of one parameter.
#[derive(Debug, Clone)]
pub struct Lambda {
    /// The parameter, with its type.
    pub param: Pattern,
    /// What it returns.
    pub body: Expression,
}

/// A range: `start`, then the `second` if it is given, until `end`.
#[derive(Debug, Clone)]
pub struct Range {
    /// The first.
    pub start: Expression,
    /// The second, which gives the distance; without, it is 1 or −1.
    pub second: Option<Expression>,
    /// The end.
    pub end: Expression,
    /// How it ends.
    pub kind: super::syntax::tree::RangeKind,
}

/// What stands between the brackets of an index.
#[derive(Debug, Clone)]
#[allow(clippy::large_enum_variant)]
pub enum Index {
    /// One index, of any integer type.
    At(Expression),
    /// `start:end:step`, each an `i64` if given.
    Slice(Option<Expression>, Option<Expression>, Option<Expression>),
}

/// A pattern, its type and its place.
#[derive(Debug, Clone)]
pub struct Pattern {
    /// The pattern.
    pub kind: PatternKind,
    /// The type of what it takes; sizes in it that `binds` names are bound by matching.
    pub of: Type,
    /// Sizes that are bound when the pattern is.
    pub binds: Vec<Local>,
    /// Its place.
    pub span: Span,
}

impl Pattern {
    /// A variable of a type all of whose sizes are known.
    #[must_use]
    pub fn variable(local: Local, of: Type, span: Span) -> Self {
        Pattern { kind: PatternKind::Local(local), of, binds: Vec::new(), span }
    }

    /// The variable that it is, if it is one.
    #[must_use]
    pub fn as_variable(&self) -> Option<Local> {
        if let PatternKind::Local(local) = self.kind { Some(local) } else { None }
    }
}

/// What a pattern can be.
#[derive(Debug, Clone)]
pub enum PatternKind {
    /// A variable.
    Local(Local),
    /// Anything.
    Wildcard,
    /// A record, field by field.
    Record(Vec<(Name, Pattern)>),
    /// A constructor.
    Constructor(Name, Vec<Pattern>),
    /// A constant.
    Constant(Constant),
}

/// Iteration.
#[derive(Debug, Clone)]
pub struct Loop {
    /// Sizes that may differ in each iteration, bound with the pattern.
    pub sizes: Vec<Local>,
    /// The variables of the loop.
    pub pattern: Pattern,
    /// Their values before it.
    pub initial: Expression,
    /// How long.
    pub form: LoopForm,
    /// Their values after an iteration.
    pub body: Expression,
    /// What reverse mode keeps.
    pub policy: LoopPolicy,
}

/// How long a loop runs.
#[derive(Debug, Clone)]
pub enum LoopForm {
    /// `for i < n`, with the kind of integer that the expression has.
    For(Local, Expression),
    /// `for p in xs`.
    In(Pattern, Expression),
    /// `while c`.
    While(Expression),
}

/// What the attributes of a loop say about reverse mode.
#[derive(Debug, Clone, Default)]
pub struct LoopPolicy {
    /// `#[stripmine(k)]`: a nest of this many levels.
    pub strip_mine: Option<u32>,
    /// `#[bound(b)]`: the most iterations of a `while` loop.
    pub bound: Option<Box<Expression>>,
    /// `#[true_dep]` was given to variables of the loop.
    pub true_dependencies: bool,
}
