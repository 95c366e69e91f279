//! The user's verbs on programs: gradients, Jacobians and Hessians as programs that take what the program takes.
//!
//! Law: a verb is `jvp`, `vjp` or one after the other, with the seeds filled in; so `jacfwd` is `jacrev`, a Hessian is
//! the Jacobian of the gradient and symmetric, and `hvp` is the Hessian times a vector. The shape of a derivative is
//! that of the result and then that of the parameter (names and shapes as in JAX) (laws: array_verbs,
//! tests/array/verbs.rs).

mod jacobian;
mod reach;
mod sparse;
mod specialise;
mod wrt;

pub use sparse::SparseDerivative;
pub use specialise::Static;
pub use wrt::Wrt;

use super::copy::Copier;
use super::target::Target;
use super::{jvp, vjp};
use crate::array::{Atom, Program};
use crate::error::{Error, Result};
use crate::optimise::simplify;

impl Program {
    /// The gradient: the program that takes the same parameters and gives the derivative of the one result by each of those
    /// that are [named](Wrt), in the shape of the parameter.
    ///
    /// ```
    /// use catadiff::array::{Program, trace::{Arr, F64}};
    /// let cost = Program::trace_named(&["points", "centres"], |points: Arr<Arr<F64>>, centres: Arr<Arr<F64>>| {
    ///     points.map(|p| centres.map(|c| (p - c).map(|d| d * d).sum()).min()).sum()
    /// })?;
    /// let gradient = cost.grad("centres")?;
    /// let slopes: Vec<[f64; 2]> = gradient.at(([[0.0, 1.0], [5.0, 5.0]], [[0.0, 0.0], [5.0, 4.5]]))?;
    /// assert_eq!(slopes, [[0.0, -2.0], [0.0, -1.0]]);
    /// # Ok::<(), catadiff::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Parameter`] and [`Error::Empty`] for parameters that cannot be differentiated by,
    /// [`Error::NotDifferentiable`] if there is not one result that is a real scalar ([`only`](Program::only) leaves
    /// others out), or with the operation that has no rule.
    pub fn grad(&self, wrt: impl Into<Wrt>) -> Result<Program> {
        self.gradient(&wrt.into().resolve(self)?)
    }

    /// The value, and then the gradient as from [`grad`](Program::grad).
    ///
    /// # Errors
    /// As for [`grad`](Program::grad).
    pub fn value_and_grad(&self, wrt: impl Into<Wrt>) -> Result<Program> {
        Ok(simplify(self.value_and_gradient(&wrt.into().resolve(self)?)?))
    }

    /// The Hessian of the one result times a direction: the program that takes the parameters and then a tangent of each of
    /// those that are [named](Wrt), and gives the derivative of each of their gradients in that direction.
    ///
    /// ```
    /// use catadiff::array::{Program, trace::{Arr, F64}};
    /// let f = Program::trace(|x: Arr<F64>| x.product())?;
    /// let along: Vec<f64> = f.hvp(..)?.at(([2.0, 3.0, 5.0], [1.0, 0.0, 0.0]))?;
    /// assert_eq!(along, [0.0, 5.0, 3.0]);
    /// # Ok::<(), catadiff::Error>(())
    /// ```
    ///
    /// On a vector of ones it gives the sums of the Hessian's rows, which are the diagonal where the Hessian is known to
    /// be diagonal.
    ///
    /// # Errors
    /// As for [`grad`](Program::grad).
    pub fn hvp(&self, wrt: impl Into<Wrt>) -> Result<Program> {
        let by = wrt.into().resolve(self)?;
        self.gradient(&by)?.pushed(&by)?.without_first(by.len())
    }

    /// The Hessian of the one result: for each two of the parameters that are [named](Wrt), row by row, the second derivatives
    /// in the shape of the one and then of the other. It is forward over reverse mode.
    ///
    /// ```
    /// use catadiff::array::{Program, trace::{Arr, F64}};
    /// let f = Program::trace(|x: Arr<F64>| x.product())?;
    /// let hessian: Vec<Vec<f64>> = f.hessian(..)?.at([2.0, 3.0, 5.0])?;
    /// assert_eq!(hessian, [[0.0, 5.0, 3.0], [5.0, 0.0, 2.0], [3.0, 2.0, 0.0]]);
    /// # Ok::<(), catadiff::Error>(())
    /// ```
    ///
    /// # Errors
    /// As for [`grad`](Program::grad).
    pub fn hessian(&self, wrt: impl Into<Wrt>) -> Result<Program> {
        let by = wrt.into().resolve(self)?;
        jacobian::by_columns(&self.gradient(&by)?, &by)
    }

    /// The Jacobian: for each result, the derivative by each of the parameters that are [named](Wrt), in the shape of the
    /// result and then of the parameter.
    ///
    /// It is [`jacrev`](Program::jacrev) if the results have fewer dimensions than these parameters, as a scalar has
    /// compared with a vector, or as many and are fewer; else it is [`jacfwd`](Program::jacfwd). Whoever knows the sizes
    /// chooses better.
    ///
    /// ```
    /// use catadiff::array::{Program, trace::{Arr, F64}};
    /// let f = Program::trace(|x: Arr<F64>, y: F64| x * x + y)?;
    /// let (by_x, by_y): (Vec<Vec<f64>>, Vec<f64>) = f.jacobian(..)?.at(([2.0, 5.0], 1.0))?;
    /// assert_eq!((by_x, by_y), (vec![vec![4.0, 0.0], vec![0.0, 10.0]], vec![1.0, 1.0]));
    /// # Ok::<(), catadiff::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Parameter`] and [`Error::Empty`] for parameters that cannot be differentiated by,
    /// [`Error::NotDifferentiable`] for results that are not real ([`only`](Program::only) leaves them out), or with
    /// the operation that has no rule.
    pub fn jacobian(&self, wrt: impl Into<Wrt>) -> Result<Program> {
        let by = wrt.into().resolve(self)?;
        let ranks = |mut ranks: Vec<usize>| {
            ranks.sort_unstable_by(|a, b| b.cmp(a));
            ranks
        };
        let of_results = self.function.body.results.iter().map(|a| self.atom_type(*a).rank);
        let of_params = by.iter().map(|k| self.type_of(self.function.params[*k]).rank);
        let fewer_rows = ranks(of_results.collect()) < ranks(of_params.collect());
        let by = Wrt::Positions(by);
        if fewer_rows { self.jacrev(by) } else { self.jacfwd(by) }
    }

    /// The [Jacobian](Program::jacobian) by forward mode, a run for each element of the parameters.
    ///
    /// # Errors
    /// As for [`jacobian`](Program::jacobian).
    pub fn jacfwd(&self, wrt: impl Into<Wrt>) -> Result<Program> {
        let by = wrt.into().resolve(self)?;
        self.real_results()?;
        jacobian::by_columns(self, &by)
    }

    /// The [Jacobian](Program::jacobian) by reverse mode, a reverse sweep for each element of the results.
    ///
    /// # Errors
    /// As for [`jacobian`](Program::jacobian).
    pub fn jacrev(&self, wrt: impl Into<Wrt>) -> Result<Program> {
        let by = wrt.into().resolve(self)?;
        self.real_results()?;
        jacobian::by_rows(self, &by)
    }

    /// [`jvp`](Program::jvp) along some parameters: only those that are [named](Wrt) have tangents, in this order.
    ///
    /// ```
    /// use catadiff::array::{Program, trace::F64};
    /// let f = Program::trace(|x: F64, y: F64| x * y)?;
    /// let (value, slope): (f64, f64) = f.jvp_wrt("x1")?.at((2.0, 5.0, 1.0))?;
    /// assert_eq!((value, slope), (10.0, 2.0));
    /// # Ok::<(), catadiff::Error>(())
    /// ```
    ///
    /// # Errors
    /// As for [`jvp`](Program::jvp), and [`Error::Parameter`] and [`Error::Empty`] for parameters that cannot be
    /// differentiated by.
    pub fn jvp_wrt(&self, wrt: impl Into<Wrt>) -> Result<Program> {
        self.pushed(&wrt.into().resolve(self)?)
    }

    /// [`vjp`](Program::vjp) back to some parameters: only those that are [named](Wrt) get adjoints, in this order.
    ///
    /// # Errors
    /// As for [`jvp_wrt`](Program::jvp_wrt).
    pub fn vjp_wrt(&self, wrt: impl Into<Wrt>) -> Result<Program> {
        self.pulled(&wrt.into().resolve(self)?)
    }

    /// The program with only the results at these positions, in this order, and without what only others need.
    ///
    /// ```
    /// use catadiff::array::{Program, trace::{Arr, F64}};
    /// let both = Program::trace(|x: Arr<F64>| (x.sum(), x.argmax()))?;
    /// let slopes: Vec<f64> = both.only(&[0])?.grad(..)?.at([1.0, 2.0])?; // of the sum
    /// assert_eq!(slopes, [1.0, 1.0]);
    /// # Ok::<(), catadiff::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::TooLarge`] if there is no result at a position.
    pub fn only(&self, positions: &[usize]) -> Result<Program> {
        let results = &self.function.body.results;
        let limit = results.len().saturating_sub(1);
        let at =
            |k: &usize| results.get(*k).copied().ok_or(Error::TooLarge { what: "the position of a result", limit });
        let kept = positions.iter().map(at).collect::<Result<_>>()?;
        let mut program = self.clone();
        program.function.body.results = kept;
        Ok(simplify(program))
    }

    /// The program with the results of another one behind its own: both take the same parameters, and the one may take more of
    /// them. What both compute is computed once.
    ///
    /// ```
    /// use catadiff::array::{Program, trace::{Arr, F64}};
    /// let both = Program::trace(|x: Arr<F64>| (x.product(), x.argmax()))?;
    /// // The gradient of the one result, and the other one.
    /// let gradient = both.only(&[0])?.grad(..)?.beside(&both.only(&[1])?)?;
    /// let (by_x, largest): (Vec<f64>, i64) = gradient.at([2.0, 5.0])?;
    /// assert_eq!((by_x, largest), (vec![5.0, 2.0], 1));
    /// # Ok::<(), catadiff::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Mismatch`] with the first parameter that is not of the same type in both.
    pub fn beside(&self, other: &Program) -> Result<Program> {
        let [types, others] =
            [self, other].map(|p| p.function.params.iter().map(|v| p.type_of(*v)).collect::<Vec<_>>());
        if let Some(k) = types.iter().zip(&others).position(|(one, other)| one != other) {
            let what = format!("the parameter `{}` of the other program", other.names[k]);
            let (expected, found) = (format!("type {}", types[k]), format!("of type {}", others[k]));
            return Err(Error::Mismatch { what, expected, found });
        }
        let target = Target::new();
        let params = target.parameters(if types.len() < others.len() { other } else { self });
        let copied = |program: &Program| {
            let mut copier = Copier::given(program, &target, &params);
            copier.stms(&program.function.body.stms);
            copier.atoms(&program.function.body.results)
        };
        let results = [copied(self), copied(other)].concat();
        Ok(simplify(target.finish(results)))
    }

    fn without_first(&self, n: usize) -> Result<Program> {
        self.only(&(n..self.function.body.results.len()).collect::<Vec<_>>())
    }

    /// The positions of all parameters.
    pub(super) fn positions(&self) -> Vec<usize> {
        (0..self.function.params.len()).collect()
    }

    /// Forward mode along the parameters at these positions.
    pub(crate) fn pushed(&self, by: &[usize]) -> Result<Program> {
        let tangent = |k: usize| (format!("tangent_{}", self.names[k]), self.type_of(self.function.params[k]));
        let pushed = jvp::jvp(self, by, |target, k, _| {
            let (name, of) = tangent(k);
            target.parameter(name, of)
        });
        Ok(simplify(pushed?))
    }

    /// Reverse mode back to the parameters at these positions.
    pub(crate) fn pulled(&self, by: &[usize]) -> Result<Program> {
        let pulled = vjp::vjp(self, by, |target, results| {
            let adjoint = |(k, a): (usize, &Atom)| target.parameter(format!("adjoint_{k}"), target.type_of(*a));
            results.iter().enumerate().map(adjoint).map(Some).collect()
        });
        Ok(simplify(pulled?))
    }

    fn value_and_gradient(&self, by: &[usize]) -> Result<Program> {
        let types: Vec<_> = self.function.body.results.iter().map(|a| self.atom_type(*a)).collect();
        let [of] = types[..] else { return Err(not_scalar(&types)) };
        if of.rank > 0 || !of.prim.is_real() {
            return Err(not_scalar(&types));
        }
        vjp::vjp(self, by, |_, _| vec![Some(of.prim.one().into())])
    }

    fn gradient(&self, by: &[usize]) -> Result<Program> {
        self.value_and_gradient(by)?.without_first(1)
    }

    fn real_results(&self) -> Result<()> {
        let types = self.function.body.results.iter().map(|a| self.atom_type(*a));
        match types.enumerate().find(|(_, of)| !of.prim.is_real()) {
            None => Ok(()),
            Some((r, of)) => {
                let reason = "a Jacobian is of real results: leave the others out with `only`";
                Err(Error::NotDifferentiable { operation: format!("result {r}, of type {of},"), reason })
            }
        }
    }
}

fn not_scalar(types: &[crate::array::Type]) -> Error {
    let types: Vec<String> = types.iter().map(ToString::to_string).collect();
    let reason = "a gradient is of one real scalar: take the Jacobian, or choose a result with `only`";
    Error::NotDifferentiable { operation: format!("a program with the results ({})", types.join(", ")), reason }
}
