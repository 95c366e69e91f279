//! Reverse mode on a trace: `vjp` of its straight line, once the decisions have come out as they did.
//!
//! Law: the adjoints are those of `vjp` of the program ("Maintaining parallelism in reverse-mode automatic differentiation
//! on functional parallel array languages", *The Reverse Pass*: its reference counters are not needed, since each step of
//! a straight line comes after all that it uses) (laws: tracing::reverse_modes_agree).

use super::Trace;
use crate::array::Prim;
use crate::error::{Error, Result};
use crate::interpret::{Arithmetic, Value};

/// The results, and the adjoints of the arguments.
pub type Reversed = (Vec<Value<f64>>, Vec<Value<f64>>);

impl Trace {
    /// Reverse mode: the results at these arguments, and the adjoints of the arguments for these adjoints of the results.
    ///
    /// ```
    /// use catadiff::array::Program;
    /// use catadiff::tracing::Keep;
    /// // Figure 1 of the thesis: x1 + x1·x2 at (5, 3).
    /// let f = Program::parse("program (x1: f64, x2: f64) { let r1 = mul(x1, x2) let r2 = add(x1, r1) return r2 }")?;
    /// let at = [5.0.into(), 3.0.into()];
    /// let (results, adjoints) = f.traced(&at, Keep::Scalars)?.reverse(&at, &[1.0.into()])?;
    /// assert_eq!((results, adjoints), (vec![20.0.into()], vec![4.0.into(), 5.0.into()]));
    /// # Ok::<(), catadiff::Error>(())
    /// ```
    ///
    /// Reals are differentiated. The adjoints of integers and truth values are zeros of their kind, and those of results
    /// of such a kind are not used.
    ///
    /// # Errors
    /// [`Error::Length`] and [`Error::Argument`] if the adjoints are not of the sizes of the results, as for
    /// [`run`](Trace::run), and as for [`vjp`](crate::array::Program::vjp).
    pub fn reverse(&self, arguments: &[Value<f64>], adjoints: &[Value<f64>]) -> Result<Reversed> {
        let results = self.run(arguments)?;
        fitting(&results, adjoints)?;
        let (program, function) = (self.program(), &self.program().function);
        let of_params: Vec<Prim> = function.params.iter().map(|param| program.type_of(*param).prim).collect();
        let by: Vec<usize> = (0..of_params.len()).filter(|k| of_params[*k].is_real()).collect();
        let mut all = arguments.to_vec();
        for ((atom, result), adjoint) in function.body.results.iter().zip(&results).zip(adjoints) {
            let prim = program.atom_type(*atom).prim;
            all.push(if prim.is_real() { adjoint.clone() } else { zeros(result, prim) });
        }
        let mut pulled = program.pulled(&by)?.run(&all)?.into_iter().skip(results.len());
        let gradient = arguments.iter().zip(of_params).map(|(argument, prim)| {
            let real = prim.is_real().then(|| pulled.next().expect("an adjoint of each real argument"));
            real.unwrap_or_else(|| zeros(argument, prim))
        });
        let gradient = gradient.collect();
        Ok((results, gradient))
    }
}

/// The adjoint of what is not differentiated by, or not used.
fn zeros(like: &Value<f64>, prim: Prim) -> Value<f64> {
    let elements = vec![f64::constant(prim.zero()); like.elements().len()];
    Value::array(like.sizes(), elements).expect("as many elements as before")
}

/// Checks that adjoints are like the results.
fn fitting(results: &[Value<f64>], adjoints: &[Value<f64>]) -> Result<()> {
    Error::lengths("the list of adjoints", results.len(), adjoints.len())?;
    for (n, (result, adjoint)) in results.iter().zip(adjoints).enumerate() {
        if result.sizes() != adjoint.sizes() || (result.to_reals().is_some() && adjoint.to_reals().is_none()) {
            let shown = |value: &Value<f64>| {
                let sizes: String = value.sizes().iter().map(|size| format!("[{size}]")).collect();
                format!("{sizes}{}", value.type_like(Prim::F64).prim)
            };
            let (expected, found) = (shown(result), shown(adjoint));
            return Err(Error::Argument { name: format!("adjoint_{n}"), expected, found });
        }
    }
    Ok(())
}
