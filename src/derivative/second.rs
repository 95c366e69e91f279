//! Second derivatives: forward mode over reverse mode.
//!
//! Law: the Hessian of a twice continuously differentiable function is symmetric, and `hvp` is its product with a
//! vector, at a constant multiple of the function's own cost (Pearlmutter, "Fast exact multiplication by the Hessian",
//! 1994) (laws: strategies::second_derivatives_agree).

use generic_array::typenum::{U4, Unsigned};

use super::Reverse;
use super::forward::Arguments;
use super::reverse::ReverseVar;
use super::strategy::{Base, Strategy, check_finite, check_point};
use crate::algebra::Kronecker;
use crate::carriers::{Brand, DenseLength, Dual};
use crate::error::{Error, Result};

/// The number of [`hvp`]: reverse mode over one forward direction.
pub type HvpVar<'o, 'i, S> = ReverseVar<'i, Dual<S, Brand<'o, S>>>;

/// The number of [`hessian`]: reverse mode over four forward directions.
pub type HessianVar<'o, 'i, S> = ReverseVar<'i, Dual<S, Brand<'o, <U4 as DenseLength>::Dense<S>>>>;

/// The gradient of `f` at `x`, and the product of its Hessian with `v`, in one run of the function.
///
/// # Errors
/// [`Error::Empty`] without variables, [`Error::Length`] if `x` and `v` differ in length, [`Error::NotFinite`] if
/// either holds NaN or ∞.
///
/// ```
/// use catadiff::prelude::*;
/// let (gradient, product) = hvp(|x| x[0] * x[0] * x[1], &[3.0, 4.0], &[1.0, 0.0])?;
/// assert_eq!((gradient, product), (vec![24.0, 9.0], vec![8.0, 6.0]));
/// # Ok::<(), catadiff::Error>(())
/// ```
pub fn hvp<S: Base, F>(f: F, x: &[S], v: &[S]) -> Result<(Vec<S>, Vec<S>)>
where
    F: for<'o, 'i> Fn(&'i [HvpVar<'o, 'i, S>]) -> HvpVar<'o, 'i, S>,
{
    check_point("the point", x)?;
    Error::lengths("the direction", x.len(), v.len())?;
    check_finite("the direction", v)?;
    let arguments: Vec<_> = x.iter().zip(v).map(|(x, v)| Dual { value: *x, tangent: Brand::new(*v) }).collect();
    let gradient = Reverse::grad(|x| f(x), &arguments)?;
    Ok(gradient.iter().map(|g| (g.value, g.tangent.inner)).unzip())
}

/// The Hessian of `f` at `x`, four columns to a run.
///
/// # Errors
/// [`Error::Empty`] without variables, [`Error::NotFinite`] at a point with NaN or ∞.
///
/// ```
/// use catadiff::prelude::*;
/// assert_eq!(hessian(|x| x[0] * x[0] * x[1], &[3.0, 4.0])?, [[8.0, 6.0], [6.0, 0.0]]);
/// # Ok::<(), catadiff::Error>(())
/// ```
pub fn hessian<S: Base, F>(f: F, x: &[S]) -> Result<Vec<Vec<S>>>
where
    F: for<'o, 'i> Fn(&'i [HessianVar<'o, 'i, S>]) -> HessianVar<'o, 'i, S>,
{
    check_point("the point", x)?;
    let mut rows = vec![Vec::with_capacity(x.len()); x.len()];
    let mut arguments = Arguments::at(x);
    for start in (0..x.len()).step_by(U4::USIZE) {
        let lanes = U4::USIZE.min(x.len() - start);
        arguments.run(start..start + lanes, <U4 as DenseLength>::Dense::<S>::delta, |x| -> Result<()> {
            let gradient = Reverse::grad(|x| f(x), x)?;
            for (row, g) in rows.iter_mut().zip(&gradient) {
                row.extend((0..lanes).map(|lane| g.tangent.inner[lane]));
            }
            Ok(())
        })?;
    }
    Ok(rows)
}
