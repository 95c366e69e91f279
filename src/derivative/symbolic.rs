//! Symbolic derivatives: the strategies, run on terms.
//!
//! Law: `eval g (derivative x t)` is the tangent of `eval` at `g` in the direction of `x`: the talk's `evalDerive`
//! before fusion. Because terms share, the derivative of a term of `n` nodes has O(n) nodes, where the tree of the
//! textbook rules has O(n²) ("Forwards and in reverse", *Evaluate Symbolic Derivative* and *Calculamus!*) (laws: fold,
//! tests/laws/instances.rs).

use core::hash::Hash;
use num_traits::{One, Zero};
use std::collections::HashMap;

use crate::carriers::{Dual, Tape};
use crate::error::Result;
use crate::term::Term;

impl<'a, V: Clone + Eq + Hash> Term<'a, V> {
    /// The derivative of the term by a variable, as a term: the fold into duals of terms ("Forwards and in reverse",
    /// *Symbolic Derivation Catamorphism*).
    ///
    /// ```
    /// use catadiff::term::{Arena, parse};
    /// let arena = Arena::<String>::new();
    /// let term = parse(&arena, "x * sin(x)")?;
    /// assert_eq!(term.derivative(&"x".into()).to_string(), "sin(x) + cos(x) * x");
    /// # Ok::<(), catadiff::Error>(())
    /// ```
    #[must_use]
    pub fn derivative(&self, variable: &V) -> Term<'a, V> {
        let Some((arena, _)) = self.place() else { return Term::zero() };
        let dual = self.eval(|v| Dual {
            value: arena.variable(v.clone()),
            tangent: if v == variable { Term::one() } else { Term::zero() },
        });
        dual.tangent
    }

    /// The derivatives of the term by several variables, as terms that share their parts: reverse mode on terms.
    ///
    /// # Errors
    /// [`Error::TooLarge`](crate::Error::TooLarge) beyond 2³² operations.
    ///
    /// ```
    /// use catadiff::term::{Arena, parse};
    /// let arena = Arena::<String>::new();
    /// let term = parse(&arena, "x * y * z")?;
    /// let gradient = term.gradient(&["x".into(), "z".into()])?;
    /// assert_eq!(gradient.map_to_strings(), ["y * z", "x * y"]);
    /// # trait M { fn map_to_strings(&self) -> Vec<String>; }
    /// # impl M for Vec<catadiff::term::Term<'_, String>> {
    /// #     fn map_to_strings(&self) -> Vec<String> { self.iter().map(|t| t.to_string()).collect() } }
    /// # Ok::<(), catadiff::Error>(())
    /// ```
    pub fn gradient(&self, variables: &[V]) -> Result<Vec<Term<'a, V>>> {
        let Some((arena, _)) = self.place() else { return Ok(vec![Term::zero(); variables.len()]) };
        let mut tape = Tape::<Term<'a, V>>::new();
        tape.restart(variables.len())?;
        let mut places = HashMap::with_capacity(variables.len());
        for (index, variable) in variables.iter().enumerate() {
            places.entry(variable).or_insert(index);
        }
        let output = {
            let result = self.eval(|v| {
                let value = arena.variable(v.clone());
                match places.get(v) {
                    Some(index) => Dual { value, tangent: tape.input(*index) },
                    None => Dual::lift(value),
                }
            });
            result.tangent.output()
        };
        tape.into_gradient(output)
    }
}
