//! Functions that are to be: programs with what they check, and their derivatives.
//!
//! Law: a derivative of a function is that of its program, and checks what the function checks (build/tests/build/checks.rs).

use core::fmt;
use std::path::PathBuf;

use catadiff::array::Program;
use catadiff::transform::Wrt;

use crate::error::Error;

/// An array program that becomes a function of a [`Module`](crate::Module), or is differentiated before: one that was traced, or an
/// entry point of a [file](crate::Futhark).
///
/// The verbs are those of [`Program`], with the same parameters and results.
///
/// ```
/// use catadiff::array::{Program, trace::{Arr, F64}};
/// use catadiff_build::Function;
/// let norm = Function::from(Program::trace_named(&["x"], |x: Arr<F64>| x.dot(x))?);
/// assert_eq!(norm.value_and_grad("x")?.signature(), "(x: []f64) -> (f64, []f64)");
/// assert_eq!(norm.hvp("x")?.signature(), "(x: []f64, tangent_x: []f64) -> []f64");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Function {
    /// Its last result is the number of a check that does not hold, if there are checks.
    pub(crate) program: Program,
    /// What is wrong where one of them does not hold, in the order of their numbers.
    pub(crate) checks: Vec<String>,
    /// What it was read from.
    pub(crate) files: Vec<PathBuf>,
    /// What is to be said about it.
    pub(crate) warnings: Vec<String>,
}

impl From<Program> for Function {
    fn from(program: Program) -> Self {
        Function { program, checks: Vec::new(), files: Vec::new(), warnings: Vec::new() }
    }
}

impl From<&Program> for Function {
    fn from(program: &Program) -> Self {
        program.clone().into()
    }
}

impl From<&Function> for Function {
    fn from(function: &Function) -> Self {
        function.clone()
    }
}

macro_rules! verbs {
    ($($(#[doc = $doc:expr])+ $verb:ident;)+) => {$(
        $(#[doc = $doc])+
        ///
        /// # Errors
        #[doc = concat!("[`Error::Program`] with what [`Program::", stringify!($verb), "`] says.")]
        pub fn $verb(&self, wrt: impl Into<Wrt>) -> Result<Self, Error> {
            self.derived(stringify!($verb), |program| program.$verb(wrt))
        }
    )+};
}

impl Function {
    verbs! {
        /// The gradient of the one result, a real number, by each of the parameters that are [named](Wrt).
        grad;
        /// The value, and then the gradient as from [`grad`](Function::grad).
        value_and_grad;
        /// The Hessian of the one result times a direction: it takes a tangent of each of the parameters that are [named](Wrt).
        hvp;
        /// The Hessian of the one result.
        hessian;
        /// The Jacobian: for each result, the derivative by each of the parameters that are [named](Wrt).
        jacobian;
        /// The Jacobian by forward mode.
        jacfwd;
        /// The Jacobian by reverse mode.
        jacrev;
        /// Reverse mode: it takes an adjoint of each result, and gives the results and the adjoints of the parameters that are
        /// [named](Wrt).
        vjp_wrt;
    }

    /// Forward mode along the parameters that are [named](Wrt): it takes a tangent of each, and gives the results and then their
    /// tangents.
    ///
    /// # Errors
    /// [`Error::Program`] with what [`Program::jvp_wrt`] says.
    pub fn jvp_wrt(&self, wrt: impl Into<Wrt>) -> Result<Self, Error> {
        let wrong = |error| Error::Program { function: "its `jvp_wrt`".to_owned(), error };
        let pushed = self.program.jvp_wrt(wrt).map_err(wrong)?;
        if self.checks.is_empty() {
            return Ok(Function { program: pushed, ..self.clone() });
        }
        // The results, the check, their tangents, and that of the check, which means nothing.
        let check = self.results();
        let kept: Vec<usize> = (0..check).chain(check + 1..2 * check + 1).chain([check]).collect();
        Ok(Function { program: pushed.only(&kept).map_err(wrong)?, ..self.clone() })
    }

    /// The gradient, Hessian or another program that takes the same parameters, and may take more behind them.
    ///
    /// ```
    /// use catadiff::array::{Program, trace::{Arr, F64}};
    /// use catadiff_build::Function;
    /// let both = Function::from(Program::trace(|x: Arr<F64>| (x.dot(x), x.sum()))?);
    /// let gradient = both.derived("the gradient of the first", |program| program.only(&[0])?.grad(..))?;
    /// assert_eq!(gradient.signature(), "(x0: []f64) -> []f64");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Program`] with what the closure says, and if its program takes other parameters.
    pub fn derived(
        &self,
        what: &str,
        derive: impl FnOnce(&Program) -> catadiff::Result<Program>,
    ) -> Result<Self, Error> {
        let wrong = |error| Error::Program { function: format!("its `{what}`"), error };
        let check = self.results();
        if self.checks.is_empty() {
            return Ok(Function { program: derive(&self.program).map_err(wrong)?, ..self.clone() });
        }
        let all: Vec<usize> = (0..check).collect();
        let derived = self.program.only(&all).and_then(|program| derive(&program)).map_err(wrong)?;
        let checked = self.program.only(&[check]).and_then(|check| derived.beside(&check)).map_err(wrong)?;
        Ok(Function { program: checked, ..self.clone() })
    }

    /// Results that are the user's.
    pub(crate) fn results(&self) -> usize {
        self.program.function().body.results.len() - usize::from(!self.checks.is_empty())
    }

    /// What it takes and gives.
    #[must_use]
    pub fn signature(&self) -> String {
        let Function { program, .. } = self;
        let params = program.names().iter().zip(&program.function().params);
        let params: Vec<String> = params.map(|(name, var)| format!("{name}: {}", program.type_of(*var))).collect();
        let results = &program.function().body.results[..self.results()];
        let results: Vec<String> = results.iter().map(|atom| program.atom_type(*atom).to_string()).collect();
        let results = if results.len() == 1 { results[0].clone() } else { format!("({})", results.join(", ")) };
        format!("({}) -> {results}", params.join(", "))
    }
}

impl fmt::Display for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.signature())
    }
}
