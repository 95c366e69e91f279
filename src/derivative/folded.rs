//! Strategies by folding: the function is recorded as a term, and the term is folded into the carrier.
//!
//! Law: each is the step of "Forwards and in reverse" whose carrier it folds into, and all agree. They are here to be
//! read, compared and verified, and for what only they can do; [`Reverse`](super::Reverse) and
//! [`VectorForward`](super::VectorForward) are the fast ones (laws: strategies::gradients_agree).

use super::recorded_code::RecordedCode;
use super::strategy::{Base, Numbers, Strategy};
use crate::algebra::Kronecker;
use crate::carriers::{Accumulate, Dual, Input, Recorded};
#[cfg(feature = "sparse")]
use crate::carriers::{Cayley, Hom, Sparse};
use crate::error::Result;
use crate::term::{Arena, Term};

/// The results of a recorded function and their gradients, by the fold into duals over `M`.
fn by_fold<S: Base, M: Kronecker<usize, S>>(
    recording: &RecordedCode<S>,
    x: &[S],
    read: impl Fn(M) -> Vec<S>,
) -> (Vec<S>, Vec<Vec<S>>) {
    let arguments: Vec<Dual<S, M>> = x.iter().enumerate().map(|(index, x)| Dual::variable(*x, index)).collect();
    let result = |root: &u32| {
        let variable = |variable| recording.meaning(variable, &arguments, Dual::lift);
        // A result on its own, since what a value is used for by others is not used here.
        let mut y = recording.straight.fold(core::slice::from_ref(root), variable, Dual::share);
        let y = y.pop().expect("a root has a value");
        (y.value, read(y.tangent))
    };
    recording.straight.roots[..recording.outputs].iter().map(result).unzip()
}

/// A map of coefficients as a dense row.
#[cfg(feature = "sparse")]
fn row<S: Base>(variables: usize, map: &Sparse<usize, S>) -> Vec<S> {
    (0..variables).map(|variable| map.get(&variable).copied().unwrap_or_else(S::zero)).collect()
}

macro_rules! folded {
    ($($(#[doc = $doc:expr])+ $Name:ident |$recording:ident, $x:ident| $results:expr;)+) => {$(
        $(#[doc = $doc])+
        #[derive(Debug, Clone, Copy)]
        pub struct $Name;

        impl<'b, S: Base> Numbers<'b, S> for $Name {
            type Num = Recorded<'b, S>;

            fn lift(constant: S) -> Self::Num {
                Recorded::lift(constant)
            }
        }

        impl<S: Base> Strategy<S> for $Name {
            fn value_and_jacobian<F>(f: F, $x: &[S]) -> Result<(Vec<S>, Vec<Vec<S>>)>
            where
                F: for<'b> Fn(&'b [Recorded<'b, S>]) -> Vec<Recorded<'b, S>>,
            {
                let $recording = RecordedCode::new(f, $x)?;
                $results
            }

            fn value_and_grad<F>(f: F, x: &[S]) -> Result<(S, Vec<S>)>
            where
                F: for<'b> Fn(&'b [Recorded<'b, S>]) -> Recorded<'b, S>,
            {
                let (mut values, mut rows) = Self::value_and_jacobian(|x| vec![f(x)], x)?;
                Ok((values.swap_remove(0), rows.swap_remove(0)))
            }
        }
    )+};
}

#[cfg(feature = "sparse")]
folded! {
    /// Forward mode over maps of the variables that are there: the carrier [`Sparse`].
    SparseForward |recording, x| Ok(by_fold(&recording, x, |map: Sparse<usize, S>| row(x.len(), &map)));
    /// Step 1 of the talk, downward accumulation: the carrier [`Hom`] over [`Sparse`].
    Downward |recording, x| Ok(by_fold(&recording, x, |hom: Hom<'_, S, Sparse<usize, S>>| row(x.len(), &hom.abs())));
    /// Step 2 of the talk, upserts for unions: the carrier [`Cayley`] over [`Sparse`].
    CayleyReverse |recording, x| Ok(by_fold(&recording, x, |cayley: Cayley<'_, S, Sparse<usize, S>>| row(x.len(), &cayley.abs())));
}

folded! {
    /// Step 3 of the talk, mutation: the carrier [`Accumulate`].
    MutableReverse |recording, x| Ok(by_fold(&recording, x, |accumulate: Accumulate<'_, S>| accumulate.abs(x.len())));
    /// The symbolic gradient, shared with the term it comes from, and then evaluated.
    ///
    /// Evaluated means evaluated: the products of the gradient are those of floats, in which `0·∞` is NaN. So at a
    /// point where a partial derivative is infinite or NaN it may answer NaN where [`Forward`](super::Forward) and
    /// [`Reverse`](super::Reverse) know that the partial is not used:
    ///
    /// ```
    /// use catadiff::prelude::*;
    /// fn root<R: Real>(x: R) -> R { x.select(x.sqrt(), R::zero()) } // √x, but 0 at 0 whatever the root
    /// assert_eq!(Reverse::grad(|x| root(x[0]), &[0.0])?, [0.0]);
    /// let symbolic: Vec<f64> = Symbolic::grad(|x| root(x[0]), &[0.0])?;
    /// assert!(symbolic[0].is_nan());
    /// # Ok::<(), catadiff::Error>(())
    /// ```
    Symbolic |recording, x| {
        let variables: Vec<Input> = (0..x.len()).map(Input).collect();
        // The record is exact; a derivative is written down to be read, by all laws.
        let arena = Arena::new();
        let (mut values, mut rows) = (Vec::new(), Vec::new());
        let record = Arena::exact();
        for term in recording.terms(&record) {
            let mut terms = vec![term];
            terms.extend(term.substitute(|input| arena.variable(*input)).gradient(&variables)?);
            let mut results = Term::eval_all(&terms, |input| recording.meaning(input.0, x, |s| s)).into_iter();
            values.extend(results.next());
            rows.push(results.collect());
        }
        Ok((values, rows))
    };
}
