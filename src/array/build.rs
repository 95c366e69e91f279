//! Building programs: statements are added to the innermost open body, and typed as they are.
//!
//! Law: what is built is well typed. Transformations and the front end build with this; an ill-typed operation is
//! refused where it is added, with the reason (laws: arrays, laws: program_parts).

use smallvec::smallvec;

use super::infer::{Reason, of_scalar, result_types};
use super::operation::{Op, Operands};
use super::program::{Atom, Body, Lambda, Program, Stm, Var, Vars};
use super::scalar::ScalarOp;
use super::types::{Const, Prim, Type};
use crate::error::Span;

/// A program under construction: its variables so far, and the open bodies, outermost first.
///
/// ```
/// use catadiff::array::{Atom, Builder, Map, Op, Prim, ScalarOp, Type};
/// let mut builder = Builder::new();
/// let points = builder.parameter("points", Type::array(Prim::F64, 1));
/// let square = builder.lambda(&[Type::scalar(Prim::F64)], |body, x| {
///     let x = Atom::Var(x[0]);
///     vec![body.scalar(ScalarOp::Mul, &[x, x])]
/// });
/// let map = Map { function: square, arrays: vec![points.into()], accumulators: vec![] };
/// let squares = builder.bind(Op::Map(Box::new(map)))?;
/// assert_eq!(builder.type_of(squares[0]).to_string(), "[]f64");
/// // What is not well typed is refused, with the reason.
/// let refused = builder.bind(Op::Iota(points.into())).unwrap_err();
/// assert_eq!(refused, "the length is of type []f64, where i64 is needed");
/// let program = builder.finish(vec![squares[0].into()])?;
/// assert_eq!(program.names(), ["points"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Builder {
    program: Program,
    open: Vec<Vec<Stm>>,
    /// Where the statements come from that are added now.
    span: Span,
}

impl Builder {
    /// A new program, whose outermost body is open.
    #[must_use]
    pub fn new() -> Self {
        let function = Lambda { params: Vec::new(), body: Body::default() };
        Builder {
            program: Program { types: Vec::new(), names: Vec::new(), function },
            open: vec![Vec::new()],
            span: Span::UNKNOWN,
        }
    }

    /// A new program, with room for this many variables and statements.
    pub(crate) fn with_capacity(variables: usize, stms: usize) -> Self {
        let mut builder = Builder::new();
        builder.program.types.reserve(variables);
        builder.open[0].reserve(stms);
        builder
    }

    /// A new program that may go on using the variables of an old one, such as the program that is transformed.
    #[must_use]
    pub fn extending(program: &Program) -> Self {
        let mut builder = Builder::new();
        builder.program.types.clone_from(&program.types);
        builder
    }

    /// Sets the span of the statements that are added from here on, and returns the one before.
    ///
    /// ```
    /// use catadiff::{Place, Span};
    /// use catadiff::array::{Builder, Prim, ScalarOp, Type};
    /// use std::panic::Location;
    /// let mut builder = Builder::new();
    /// let x = builder.parameter("x", Type::scalar(Prim::F64)).into();
    /// let around = builder.span(Span::at(Place::Call(Location::caller())));
    /// let square = builder.scalar(ScalarOp::Mul, &[x, x]);
    /// builder.span(around);
    /// assert!(builder.finish(vec![square])?.function().body.stms[0].span.place().is_some());
    /// # Ok::<(), catadiff::Error>(())
    /// ```
    pub fn span(&mut self, span: Span) -> Span {
        core::mem::replace(&mut self.span, span)
    }

    /// Where the statements come from that are added now.
    pub(crate) fn here(&self) -> Span {
        self.span
    }

    /// The type of an operand.
    #[must_use]
    pub fn type_of(&self, atom: impl Into<Atom>) -> Type {
        self.program.atom_type(atom.into())
    }

    /// A new variable, to be bound as a parameter.
    pub fn fresh(&mut self, of: Type) -> Var {
        self.program.fresh(of)
    }

    /// A new parameter of the program.
    pub fn parameter(&mut self, name: impl Into<String>, of: Type) -> Var {
        let var = self.fresh(of);
        self.program.function.params.push(var);
        self.program.names.push(name.into());
        var
    }

    /// Adds a statement, and returns the variables it binds.
    ///
    /// # Errors
    /// Why the operation is not well typed.
    pub fn bind(&mut self, op: Op) -> Result<Vec<Var>, Reason> {
        self.bind_around(self.open.len() - 1, op).map(<[Var]>::to_vec)
    }

    /// Adds a statement to the open body at this depth.
    fn bind_around(&mut self, depth: usize, op: Op) -> Result<&[Var], Reason> {
        let vars: Vars = match &op {
            Op::Scalar(scalar, operands) => {
                let of = of_scalar(&self.program, *scalar, operands)?;
                smallvec![self.program.fresh(of)]
            }
            op => result_types(&self.program, op)?.into_iter().map(|t| self.program.fresh(t)).collect(),
        };
        let body = &mut self.open[depth];
        body.push(Stm { vars, op, span: self.span });
        Ok(&body[body.len() - 1].vars)
    }

    /// A statement that comes from where statements come from that are added now, to be put somewhere else.
    pub(crate) fn stm(&self, vars: Vars, op: Op) -> Stm {
        Stm { vars, op, span: self.span }
    }

    /// Adds statements that are well typed, of variables that were made for them.
    pub(crate) fn append(&mut self, stms: Vec<Stm>) {
        self.open.last_mut().expect("a body is open").extend(stms);
    }

    /// Adds a statement to the open body at this depth, where its operands are bound already.
    pub(crate) fn emit_around(&mut self, depth: usize, op: Op) -> &[Var] {
        self.bind_around(depth, op).unwrap_or_else(|reason| ill_typed(&reason))
    }

    /// The last statement of the open body at this depth.
    pub(crate) fn last(&self, depth: usize) -> Option<&Stm> {
        self.open[depth].last()
    }

    /// Adds a statement of several results that a transformation knows to be well typed.
    ///
    /// # Panics
    /// If it is not, with the reason.
    pub fn emit(&mut self, op: Op) -> Vec<Var> {
        self.emit_around(self.open.len() - 1, op).to_vec()
    }

    /// Adds a statement of one result that a transformation knows to be well typed.
    ///
    /// # Panics
    /// If it is not, with the reason.
    pub fn one(&mut self, op: Op) -> Atom {
        let [var] = self.emit_around(self.open.len() - 1, op) else { panic!("an operation of one result") };
        Atom::Var(*var)
    }

    /// Adds a scalar operation.
    ///
    /// # Panics
    /// If it is not well typed.
    pub fn scalar(&mut self, op: impl Into<ScalarOp>, operands: &[Atom]) -> Atom {
        self.one(Op::Scalar(op.into(), Operands::from_slice(operands)))
    }

    /// The body that `inside` builds; `inside` returns its results.
    pub fn body(&mut self, inside: impl FnOnce(&mut Self) -> Vec<Atom>) -> Body {
        self.open.push(Vec::new());
        let results = inside(self);
        Body { stms: self.open.pop().expect("a body is open"), results }
    }

    /// The function of parameters of these types that `inside` builds.
    pub fn lambda(&mut self, types: &[Type], inside: impl FnOnce(&mut Self, &[Var]) -> Vec<Atom>) -> Lambda {
        let params: Vec<Var> = types.iter().map(|t| self.fresh(*t)).collect();
        let body = self.body(|builder| inside(builder, &params));
        Lambda { params, body }
    }

    /// Opens a body: statements go there until it is closed. Where a closure can be used, [`body`](Builder::body) is
    /// the safer way.
    pub fn open_body(&mut self) {
        self.open.push(Vec::new());
    }

    /// The same, with room for this many statements.
    pub(crate) fn open_body_of(&mut self, stms: usize) {
        self.open.push(Vec::with_capacity(stms));
    }

    /// The statements since the matching [`open_body`](Builder::open_body), as a body with these results.
    ///
    /// # Panics
    /// If no body is open.
    pub fn close_body(&mut self, results: Vec<Atom>) -> Body {
        Body { stms: self.open.pop().expect("a body is open"), results }
    }

    /// How many variables there are so far; later ones have greater numbers.
    pub(crate) fn variables(&self) -> usize {
        self.program.types.len()
    }

    /// The finished program, with these results.
    ///
    /// # Errors
    /// [`Error::IllTyped`](crate::Error::IllTyped) if the program does not [verify](Program::verify): operands were used outside
    /// of the bodies that bind them, or accumulators more than once.
    ///
    /// # Panics
    /// If bodies are still open.
    pub fn finish(self, results: Vec<Atom>) -> crate::error::Result<Program> {
        let (types, names, function) = self.into_parts(results);
        Program::new(types, names, function)
    }

    /// A program that verifies once it is simplified: until then accumulators may be without use.
    pub(crate) fn unsimplified(self, results: Vec<Atom>) -> Program {
        let (types, names, function) = self.into_parts(results);
        Program { types, names, function }
    }

    fn into_parts(mut self, results: Vec<Atom>) -> (Vec<Type>, Vec<String>, Lambda) {
        assert!(self.open.len() == 1, "every body that was opened is closed");
        let stms = self.open.pop().expect("the outermost body is open");
        self.program.function.body = Body { stms, results };
        self.program.into_parts()
    }

    /// The types of the variables so far.
    #[cfg(feature = "mpi")]
    pub(crate) fn types(&self) -> &[Type] {
        &self.program.types
    }

    /// The same, from a builder that is not needed any more.
    pub(crate) fn into_types(self) -> Vec<Type> {
        self.program.types
    }
}

/// What a front end needs that builds functions before the bodies which they stand in.
#[cfg(feature = "futhark")]
impl Builder {
    /// Leaves all bodies but the outermost: statements go there until the bodies are [entered again](Builder::enter).
    pub(crate) fn leave(&mut self) -> Vec<Vec<Stm>> {
        self.open.split_off(1)
    }

    /// Enters bodies that were [left](Builder::leave).
    pub(crate) fn enter(&mut self, bodies: Vec<Vec<Stm>>) {
        self.open.extend(bodies);
    }

    /// A function of the program under construction as a program of its own, whose further parameters are the variables
    /// from outside that it mentions.
    pub(crate) fn alone(&self, function: &Lambda) -> (Program, Vec<Var>) {
        self.program.function_alone(function)
    }
}

impl Default for Builder {
    fn default() -> Self {
        Builder::new()
    }
}

fn ill_typed(reason: &str) -> ! {
    panic!("a transformation builds well-typed programs: {reason}")
}

/// An integer operand of kind `i64`, such as a size.
#[must_use]
pub fn index(n: i64) -> Atom {
    Atom::Const(Const::I64(n))
}

/// The constant of a kind nearest to a number.
#[must_use]
pub fn constant(prim: Prim, value: f64) -> Atom {
    Atom::Const(Const::rounded(value, prim))
}
