//! Derivatives of array programs as array programs.
//!
//! [`Program::jvp`] and [`Program::vjp`] are functions from programs to programs, one rule per operation, and may be
//! applied to their own results: the Hessian of `f` times a vector is the `jvp` of its `vjp`. The verbs [`Program::grad`],
//! [`Program::hessian`], [`Program::hvp`], [`Program::jacobian`], [`Program::sparse_jacobian`] and their like are these
//! with the seeds filled in, by the parameters that [`Wrt`] says.
//! What reverse mode keeps of loops is a [`Policy`](crate::array::Policy) of each, or [chosen](Program::checkpointed) from a budget.
//!
//! Law: for all `x`, `ẋ`, `ȳ`: `⟨J ẋ, ȳ⟩ = ⟨ẋ, Jᵀ ȳ⟩`, and both equal the interpretation of the program itself on
//! numbers that carry derivatives (`laws`). The rules of calculus are those of the table of primitives and of
//! [`Dual`](crate::carriers::Dual); here are only the rules of arrays and control: of forward mode in `jvp`, of reverse
//! mode in `vjp`, a file for each combinator, of batching in `vmap` (laws: array_derivatives).

mod check;
mod checkpoint;
mod copy;
mod custom_jvp;
mod emit;
mod flow;
mod jvp;
mod one_by_one;
mod operator;
mod partials;
mod shifts;
mod stripmine;
mod target;
mod verbs;
mod vjp;
mod vmap;

pub use custom_jvp::custom_jvp;
#[cfg(feature = "futhark")]
pub(crate) use flow::reached;
#[cfg(feature = "futhark")]
pub(crate) use partials::{ByOperand, Partial, Writer, partials};
pub use verbs::{SparseDerivative, Static, Wrt};

use crate::array::Program;
use crate::error::Result;
use crate::optimise;

impl Program {
    /// Forward mode: the program that takes the parameters and then a tangent of each, and gives the results and then a
    /// tangent of each.
    ///
    /// ```
    /// use catadiff::array::Program;
    /// let f = Program::parse("program (x: f64, y: f64) { let p = mul(x, y) let s = sin(p) return s }")?;
    /// assert_eq!(f.jvp()?.to_string(), "\
    /// program (x: f64, y: f64, tangent_x: f64, tangent_y: f64) {
    ///   let v4: f64 = mul(x, y)
    ///   let v5: f64 = mul(tangent_x, y)
    ///   let v6: f64 = mul(tangent_y, x)
    ///   let v7: f64 = add(v5, v6)
    ///   let v8: f64 = sin(v4)
    ///   let v9: f64 = cos(v4)
    ///   let v10: f64 = mul(v7, v9)
    ///   return v8, v10
    /// }
    /// ");
    /// # Ok::<(), catadiff::Error>(())
    /// ```
    ///
    /// Every kind of scalar is differentiated: integers by the rules of their ring, conversions convert the tangent,
    /// comparisons have the tangent false. A real that is rounded to an integer and made a real again is constant: only to
    /// results that are integers does it take its tangent, rounded like it, unless an integer that is differentiated by goes
    /// the same way and on to reals. Sizes, counts and indices are not differentiated by.
    ///
    /// ```
    /// use catadiff::array::{Program, trace::F64};
    /// let fraction = Program::trace(|x: F64| x - x.to_i64().to_f64())?;
    /// let (value, slope): (f64, f64) = fraction.jvp()?.at((2.25, 1.0))?;
    /// assert_eq!((value, slope), (0.25, 1.0));
    /// # Ok::<(), catadiff::Error>(())
    /// ```
    ///
    /// A tangent has the sizes of its parameter: another one is an error of the run, whether a result depends on it or not.
    ///
    /// # Errors
    /// [`Error::NotDifferentiable`](crate::Error::NotDifferentiable), with the operation that has no rule.
    pub fn jvp(&self) -> Result<Program> {
        self.pushed(&self.positions())
    }

    /// Reverse mode: the program that takes the parameters and then an adjoint of each result, and gives the results and
    /// then the adjoint of each parameter.
    ///
    /// ```
    /// use catadiff::array::Program;
    /// let f = Program::parse("program (xs: []f64) {
    ///   let ys = map (xs) |x: f64| { let y = mul(x, x) return y }
    ///   let s = reduce (ys) from (0.0f64) |a: f64, b: f64| { let c = add(a, b) return c }
    ///   return s
    /// }")?;
    /// assert_eq!(f.vjp()?.to_string(), "\
    /// program (xs: []f64, adjoint_0: f64) {
    ///   let v4: []f64 = map (xs) |v2: f64| {
    ///     let v3: f64 = mul(v2, v2)
    ///     return v3
    ///   }
    ///   let v8: f64 = reduce (v4) from (0.0f64) |v5: f64, v6: f64| {
    ///     let v7: f64 = add(v5, v6)
    ///     return v7
    ///   }
    ///   let v12: []f64 = map (xs) |v9: f64| {
    ///     let v10: f64 = mul(adjoint_0, v9)
    ///     let v11: f64 = add(v10, v10)
    ///     return v11
    ///   }
    ///   return v8, v12
    /// }
    /// ");
    /// # Ok::<(), catadiff::Error>(())
    /// ```
    ///
    /// Ties of extrema go to the first operand, and to what was in a bin of a histogram before; values that are
    /// written out of bounds receive 0.
    ///
    /// What no result or adjoint needs is removed, and with it the errors that it would have been, except for sizes
    /// that do not agree: their comparison stays, for the same price at any size. An adjoint has the sizes of its
    /// result, or is an error as well.
    ///
    /// ```
    /// use catadiff::array::{Program, trace::{Arr, F64}};
    /// let sum = Program::trace(|x: Arr<F64>, y: Arr<F64>| (x + y).sum())?;
    /// let gradient = sum.grad("x0")?;
    /// assert_eq!(gradient.to_string(), "\
    /// program (x0: []f64, x1: []f64) {
    ///   let () = agree mapped (size[0](x0)) = (size[0](x1))
    ///   let v2: i64 = size[0](x0)
    ///   let v3: []f64 = replicate(v2, 1.0f64)
    ///   return v3
    /// }
    /// ");
    /// let error = gradient.at::<Vec<f64>>(([1.0, 2.0], [1.0, 2.0, 3.0])).unwrap_err();
    /// // It names the line of the sum in the closure.
    /// assert!(error.to_string().starts_with("the lengths of mapped arrays must agree, and are 2 and 3\n  at "));
    /// assert!(error.to_string().ends_with("\n  in: let () = agree mapped (size[0](x0)) = (size[0](x1))"));
    /// # Ok::<(), catadiff::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::NotDifferentiable`](crate::Error::NotDifferentiable), with the operation that has no rule.
    pub fn vjp(&self) -> Result<Program> {
        self.pulled(&self.positions())
    }

    /// Batching: the program on many values of the parameters that are said to be batched. They get one dimension more,
    /// outermost, and so do all results; the other parameters are shared.
    ///
    /// ```
    /// use catadiff::array::Program;
    /// use catadiff::interpret::Value;
    /// let scaled = Program::parse("program (x: f64, by: f64) { let y = mul(x, by) return y }")?;
    /// let many = scaled.vmap(&[true, false])?;
    /// assert_eq!(many.run(&[Value::new([1.0, 2.0, 3.0])?, 10.0.into()])?[0].to_string(), "[10, 20, 30]");
    /// # Ok::<(), catadiff::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Length`](crate::Error::Length) if `batched` does not say of each parameter whether it is, and
    /// [`Error::Empty`](crate::Error::Empty) if none is: the number of values would be unknown.
    pub fn vmap(&self, batched: &[bool]) -> Result<Program> {
        Ok(optimise::simplify(vmap::vmap(self, batched, None)?))
    }

    /// Forward mode in many directions: as [`jvp`](Program::jvp), where each tangent has one dimension more, outermost.
    /// The results are computed once.
    ///
    /// ```
    /// use catadiff::array::{Program, trace::F64};
    /// let area = Program::trace(|width: F64, height: F64| width * height)?;
    /// // The value, and the slopes along the directions (1, 0), (0, 1) and (1, 1).
    /// let (value, slopes): (f64, Vec<f64>) = area.jmp()?.at((3.0, 5.0, &[1.0, 0.0, 1.0][..], &[0.0, 1.0, 1.0][..]))?;
    /// assert_eq!((value, slopes), (15.0, vec![5.0, 3.0, 8.0]));
    /// # Ok::<(), catadiff::Error>(())
    /// ```
    ///
    /// # Errors
    /// As for [`jvp`](Program::jvp).
    pub fn jmp(&self) -> Result<Program> {
        self.many(&self.jvp()?)
    }

    /// [`jmp`](Program::jmp) along some parameters: only those that are [named](Wrt) have tangents, in this order.
    ///
    /// ```
    /// use catadiff::array::{Program, trace::{Arr, F64}};
    /// let dot = Program::trace(|x: Arr<F64>, y: Arr<F64>| x.dot(y))?;
    /// let slopes = dot.jmp_wrt("x0")?.at::<(f64, Vec<f64>)>(([2.0, 3.0], [5.0, 7.0], [[1.0, 0.0], [0.0, 1.0]]))?;
    /// assert_eq!(slopes, (31.0, vec![5.0, 7.0]));
    /// # Ok::<(), catadiff::Error>(())
    /// ```
    ///
    /// # Errors
    /// As for [`jvp_wrt`](Program::jvp_wrt).
    pub fn jmp_wrt(&self, wrt: impl Into<Wrt>) -> Result<Program> {
        self.many(&self.jvp_wrt(wrt)?)
    }

    /// Reverse mode for many adjoints: as [`vjp`](Program::vjp), where each adjoint has one dimension more, outermost.
    /// The results are computed once.
    ///
    /// ```
    /// use catadiff::Elementary;
    /// use catadiff::array::{Program, trace::F64};
    /// let polar = Program::trace(|r: F64, t: F64| (r * t.cos(), r * t.sin()))?;
    /// // Both rows of the Jacobian at r = 2, t = 0: the adjoints (1, 0) and (0, 1).
    /// let at = (2.0, 0.0, &[1.0, 0.0][..], &[0.0, 1.0][..]);
    /// let (x, y, by_r, by_t): (f64, f64, Vec<f64>, Vec<f64>) = polar.mjp()?.at(at)?;
    /// assert_eq!((x, y, by_r, by_t), (2.0, 0.0, vec![1.0, 0.0], vec![0.0, 2.0]));
    /// # Ok::<(), catadiff::Error>(())
    /// ```
    ///
    /// # Errors
    /// As for [`vjp`](Program::vjp).
    pub fn mjp(&self) -> Result<Program> {
        self.many(&self.vjp()?)
    }

    /// A derivative of this program, in many directions.
    pub(crate) fn many(&self, derivative: &Program) -> Result<Program> {
        let n = self.function.params.len();
        let batched: Vec<bool> = (0..derivative.function.params.len()).map(|k| k >= n).collect();
        Ok(optimise::simplify(vmap::vmap(derivative, &batched, Some(self))?))
    }

    /// A program of the same meaning that reads better and costs no more: without copies, dead statements and repeated
    /// ones, without arithmetic on zeros and ones where that is exact, and with sums, rows and histograms in place of
    /// accumulators whose every use is regular. Derivatives and batched programs are simplified already.
    ///
    /// ```
    /// use catadiff::array::Program;
    /// let program = Program::parse("program (xs: []f64) {
    ///   let a = reverse(xs)
    ///   let b = reverse(a)
    ///   let n = size[0](a)
    ///   let zeros = replicate(n, 0.0f64)
    ///   let c = map (b, zeros) |x: f64, z: f64| { let s = add(x, z) return s }
    ///   return c
    /// }")?;
    /// assert_eq!(program.simplified().to_string(), "program (xs: []f64) {\n  return xs\n}\n");
    /// # Ok::<(), catadiff::Error>(())
    /// ```
    #[must_use]
    pub fn simplified(&self) -> Program {
        optimise::simplify(self.clone())
    }

    /// How the program becomes what is [simplified](Program::simplified): the program, and what each pass has made of it,
    /// with the name of the pass; of those that run again and again, where they had something to do. Accumulators that a pass
    /// has left without use are not shown. The last is the simplified program.
    ///
    /// ```
    /// use catadiff::array::Program;
    /// let program = Program::parse("program (x: f64) {
    ///   let unused = sin(x)
    ///   let y = mul(x, 1.0f64)
    ///   return y
    /// }")?;
    /// let passes = program.passes();
    /// let statements: Vec<_> = passes.iter().map(|(name, program)| (*name, program.statements())).collect();
    /// assert_eq!(statements[..3], [("written", 2), ("dead code", 1), ("value numbering", 0)]);
    /// assert_eq!(passes[passes.len() - 1].1, program.simplified());
    /// # Ok::<(), catadiff::Error>(())
    /// ```
    #[must_use]
    pub fn passes(&self) -> Vec<(&'static str, Program)> {
        let mut all = vec![("written", self.clone())];
        let last = optimise::in_passes(self.clone(), |name, program| {
            all.push((name, optimise::without_unused(program)));
        });
        if all.last().is_none_or(|(_, program)| *program != last) {
            all.push(("variables numbered", last));
        }
        all
    }
}
