//! Programs: the typed core in A-normal form.
//!
//! Law: what is written here is all there is. A transformation is a function from programs to programs, an executor a
//! function from programs and values to values; both match on [`Op`] without a wildcard, so that a new operation is a
//! list of compiler errors. [`Op`] itself is declared in `operation.rs` (laws: program_parts).

use smallvec::SmallVec;

use super::operation::Op;
use super::types::{Const, Type};
use crate::error::{Result, Span};

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

/// A whole program: a function from arrays and scalars to arrays and scalars, which [verifies](Program::verify).
#[derive(Debug, Clone, PartialEq)]
pub struct Program {
    /// The type of every variable, by number.
    pub(crate) types: Vec<Type>,
    /// The names of the parameters, for error messages and the text form.
    pub(crate) names: Vec<String>,
    /// What it computes.
    pub(crate) function: Lambda,
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

impl Atom {
    /// The variable that it is, if it is no constant.
    pub(crate) fn var(self) -> Option<Var> {
        if let Atom::Var(var) = self { Some(var) } else { None }
    }

    /// The number that it is, if it is a constant index or size.
    pub(crate) fn as_int(self) -> Option<i64> {
        if let Atom::Const(Const::I64(n)) = self { Some(n) } else { None }
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
    /// The program of these parts: the type of every variable by number, the names of the parameters, and the function.
    ///
    /// # Errors
    /// [`Error::IllTyped`](crate::Error::IllTyped) with the statement and what is wrong with it, if the program does not
    /// [verify](Program::verify).
    ///
    /// ```
    /// use catadiff::array::{Atom, Body, Op, Lambda, Prim, Program, ScalarOp, Stm, Type, Var};
    /// let [x, y] = [Var(0), Var(1)];
    /// let square = |result| {
    ///     let multiply = Op::Scalar(ScalarOp::Mul, [x.into(), x.into()].into());
    ///     let body = Body { stms: vec![Stm::new([y], multiply)], results: vec![Atom::Var(result)] };
    ///     let function = Lambda { params: vec![x], body };
    ///     Program::new(vec![Type::scalar(Prim::F64); 2], vec!["x".into()], function)
    /// };
    /// assert_eq!(square(y)?.run(&[3.0.into()])?, [9.0.into()]);
    /// assert_eq!(square(Var(2)).unwrap_err().to_string(), "v2 has no type\n  in: return v2");
    /// # Ok::<(), catadiff::Error>(())
    /// ```
    pub fn new(types: Vec<Type>, names: Vec<String>, function: Lambda) -> Result<Program> {
        let program = Program { types, names, function };
        program.verify()?;
        Ok(program)
    }

    /// The program of these parts, which verifies because of how they were made.
    pub(crate) fn of_parts(types: Vec<Type>, names: Vec<String>, function: Lambda) -> Program {
        let program = Program { types, names, function };
        debug_assert_eq!(program.verify(), Ok(()), "{program}");
        program
    }

    /// The type of every variable, by number.
    #[must_use]
    pub fn types(&self) -> &[Type] {
        &self.types
    }

    /// The names of the parameters, for error messages and the text form.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// What it computes.
    #[must_use]
    pub fn function(&self) -> &Lambda {
        &self.function
    }

    /// What [`Program::new`] takes: types, names and the function.
    #[must_use]
    pub fn into_parts(self) -> (Vec<Type>, Vec<String>, Lambda) {
        (self.types, self.names, self.function)
    }

    /// The type of a variable.
    ///
    /// # Panics
    /// If the program has no such variable.
    #[must_use]
    pub fn type_of(&self, var: Var) -> Type {
        self.types[var.0 as usize]
    }

    /// The type of an operand.
    ///
    /// # Panics
    /// If the program has no such variable.
    #[must_use]
    pub fn atom_type(&self, atom: Atom) -> Type {
        match atom {
            Atom::Var(var) => self.type_of(var),
            Atom::Const(constant) => Type::scalar(constant.prim()),
        }
    }

    /// A new variable of this type.
    pub(crate) fn fresh(&mut self, of: Type) -> Var {
        self.types.push(of);
        Var(u32::try_from(self.types.len() - 1).expect("a program has fewer than 2^32 variables"))
    }
}
