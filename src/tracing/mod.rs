//! Tracing: from a program and arguments, the straight line of operations that the program performs on them.
//!
//! A [`Trace`] is an array program again, without control flow, and with it the decisions that the run took. What is
//! kept in it is a choice, [`Keep`]: scalars alone, where arrays become scalars and functions and control flow are unrolled, or arrays, where
//! array operations stay as they are and only the control flow around them is unrolled.
//!
//! ```
//! use catadiff::Error;
//! use catadiff::array::Program;
//! use catadiff::interpret::Value;
//! use catadiff::tracing::Keep;
//! let norm = Program::parse("program (xs: []f64) {
//!   let squares = map (xs) |x: f64| { let y = mul(x, x) return y }
//!   let sum = reduce (squares) from (0.0f64) |a: f64, b: f64| { let c = add(a, b) return c }
//!   let large = lt(1.0f64, sum)
//!   let norm = if large { let root = sqrt(sum) return root } else { return sum }
//!   return norm
//! }")?;
//! let at = [Value::new([3.0, 4.0])?];
//! let trace = norm.traced(&at, Keep::Scalars)?;
//! assert_eq!(trace.program().to_string(), "\
//! program (xs: []f64) {
//!   let v1: f64 = xs[0i64]
//!   let v2: f64 = xs[1i64]
//!   let v3: f64 = mul(v1, v1)
//!   let v4: f64 = mul(v2, v2)
//!   let v5: f64 = add(0.0f64, v3)
//!   let v6: f64 = add(v5, v4)
//!   let v7: f64 = sqrt(v6)
//!   return v7
//! }
//! ");
//! assert_eq!(trace.decisions(), ["the sizes of xs: [2]", "lt(1.0f64, v6): true"]);
//!
//! // It computes what the program does where it goes the same way, and elsewhere says so.
//! assert_eq!(trace.run(&[Value::new([6.0, 8.0])?])?, [10.0.into()]);
//! let refused = trace.run(&[Value::new([0.5, 0.5])?]);
//! assert!(matches!(refused, Err(Error::BranchChanged { at: 1, .. })));
//!
//! // With arrays kept, the sizes are free and the map is still a map.
//! let kept = norm.traced(&at, Keep::Arrays)?;
//! assert_eq!(kept.program().function().body.stms.len(), 3);
//! assert_eq!(kept.run(&[Value::new([2.0, 2.0, 2.0, 2.0])?])?, [4.0.into()]);
//! # Ok::<(), catadiff::Error>(())
//! ```
//!
//! Law: the trace computes the same as the program, and the trace of a trace is the trace ("Maintaining parallelism in
//! reverse-mode automatic differentiation on functional parallel array languages", *Tracing Correctness*, equations 8
//! and 9) (laws: tracing::computes_the_same, laws: tracing::is_its_own_trace).

mod keep_arrays;
mod known;
mod probe;
mod record;
mod reverse;
mod scalarize;
mod trace;

#[cfg(feature = "unstable")]
pub use probe::{Binding, Probed, probe};
pub use reverse::Reversed;
pub use trace::Trace;

use crate::array::Program;
use crate::error::Result;
use crate::interpret::{Limits, Value, fitting};
use record::Record;

/// What a trace keeps of a program; the rest is traced away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Keep {
    /// Scalars: arrays become scalars. Parameters are split by constant indices, every scalar operation that is performed
    /// is a statement, and results are put together. What depends on a size, an index or a truth value is decided.
    Scalars,
    /// Scalars and arrays: `if` and `loop` are unrolled. Array operations are statements with their functions, in which control
    /// flow that depends on an element stays, and control flow whose outcome is known is unrolled. Sizes are decided where
    /// something depends on them, such as the number of iterations of a loop.
    Arrays,
}

/// The trace of a program at these arguments.
///
/// # Errors
/// As for [`run`](crate::interpret::run): what the program meets on the way.
pub fn trace(program: &Program, arguments: &[Value<f64>], keep: Keep, limits: &Limits) -> Result<Trace> {
    let arguments = fitting(program, arguments)?;
    let recorded = match keep {
        Keep::Scalars => scalarize::scalarize(Record::default(), program, &arguments, limits)?,
        Keep::Arrays => keep_arrays::keep_arrays(program, &arguments, limits)?,
    };
    Ok(Trace::new(recorded, keep))
}

impl Program {
    /// The [trace](crate::tracing) of the program at these arguments, with the default [`Limits`].
    ///
    /// ```
    /// use catadiff::array::{Program, trace::{Arr, F64}};
    /// use catadiff::interpret::Value;
    /// use catadiff::tracing::Keep;
    /// let product = Program::trace(|xs: Arr<F64>| xs.product())?;
    /// let trace = product.traced(&[Value::new([2.0, 3.0, 4.0])?], Keep::Scalars)?;
    /// // Three elements, and as many multiplications: no array operation is left.
    /// assert_eq!(trace.program().to_string().matches("mul").count(), 3);
    /// assert_eq!(trace.run(&[Value::new([1.0, 5.0, 2.0])?])?, [10.0.into()]);
    /// # Ok::<(), catadiff::Error>(())
    /// ```
    ///
    /// # Errors
    /// As for [`trace`].
    pub fn traced(&self, arguments: &[Value<f64>], keep: Keep) -> Result<Trace> {
        trace(self, arguments, keep, &Limits::default())
    }
}
