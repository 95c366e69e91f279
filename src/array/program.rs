//! Programs: the typed core in A-normal form.
//!
//! Law: what is written here is all there is. A transformation is a function from programs to programs, an executor a
//! function from programs and values to values; both match on [`Op`] without a wildcard, so that a new operation is a
//! list of compiler errors. [`Op`] itself is declared in `operation.rs`.

use smallvec::SmallVec;

use super::operation::Op;
use super::types::{Const, Type};
use crate::error::Span;

/// A variable, numbered within its program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Var(pub u32);

/// An operand: a variable or a constant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Atom {
    /// The value of a variable.
    Var(Var),
    /// A constant.
    Const(Const),
}

/// A whole program: a function from arrays and scalars to arrays and scalars.
#[derive(Debug, Clone, PartialEq)]
pub struct Program {
    /// The type of every variable, by number.
    pub types: Vec<Type>,
    /// The names of the parameters, for error messages and the text form.
    pub names: Vec<String>,
    /// What it computes.
    pub function: Lambda,
}

/// A function: parameters and a body, which may mention the variables around it.
#[derive(Debug, Clone, PartialEq)]
pub struct Lambda {
    /// The parameters.
    pub params: Vec<Var>,
    /// The body.
    pub body: Body,
}

/// Statements, and the operands that are the results.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Body {
    /// The statements, in order.
    pub stms: Vec<Stm>,
    /// The results.
    pub results: Vec<Atom>,
}

/// The variables that a statement binds; the few that most bind lie within the statement.
pub type Vars = SmallVec<[Var; 4]>;

/// A statement: the results of an operation, bound to new variables.
#[derive(Debug, Clone)]
pub struct Stm {
    /// The variables bound.
    pub vars: Vars,
    /// The operation.
    pub op: Op,
    /// Where the statement comes from, for messages. It is no part of what the statement means: statements that differ in it
    /// alone are equal.
    pub span: Span,
}

impl Stm {
    /// A statement of which it is not known where it comes from.
    #[must_use]
    pub fn new(vars: impl IntoIterator<Item = Var>, op: Op) -> Self {
        Stm { vars: vars.into_iter().collect(), op, span: Span::UNKNOWN }
    }
}

impl PartialEq for Stm {
    fn eq(&self, other: &Self) -> bool {
        self.vars == other.vars && self.op == other.op
    }
}

impl From<Var> for Atom {
    fn from(var: Var) -> Self {
        Atom::Var(var)
    }
}

impl From<Const> for Atom {
    fn from(constant: Const) -> Self {
        Atom::Const(constant)
    }
}

impl Program {
    /// The type of a variable.
    #[must_use]
    pub fn type_of(&self, var: Var) -> Type {
        self.types[var.0 as usize]
    }

    /// The type of an operand.
    #[must_use]
    pub fn atom_type(&self, atom: Atom) -> Type {
        match atom {
            Atom::Var(var) => self.type_of(var),
            Atom::Const(constant) => Type::scalar(constant.prim()),
        }
    }

    /// A new variable of this type.
    pub fn fresh(&mut self, of: Type) -> Var {
        self.types.push(of);
        Var(u32::try_from(self.types.len() - 1).expect("a program has fewer than 2^32 variables"))
    }
}
