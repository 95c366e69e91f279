//! Functions whose derivative is given in forward mode: the tangent of the result, by those of the arguments.
//!
//! Law: a tangent is linear in those of the arguments, so reverse mode transposes it, and both modes are right to every order if the
//! rule is (tests/array/foreign.rs).

use crate::array::trace::{
    As, Handle, IntoHandle, Whole, adjoint_by, custom_with_result, handle, ids, literal, mistake, real_parts, traced,
    types,
};
use crate::error::{Mistake, Result};

/// A function with a derivative of its own, in forward mode: `tangent` is given the arguments, the result and tangents of the arguments, and
/// returns that of the result. It has to be linear in the tangents, and of its arguments alone; reverse mode transposes it.
///
/// The result is there so that what took long is not computed again. What is not linear may be a
/// [callback](crate::interpret::pure_callback) of arguments and result; tangents go through no callback, which cannot be transposed. Where
/// it is easier to say what comes back, [`custom`](crate::array::trace::custom) is the form.
///
/// ```
/// use catadiff::array::{Program, trace::{Arr, F64}};
/// use catadiff::{interpret::pure_callback, transform::custom_jvp};
/// // The inverse of x + eˣ, by Newton's method in Rust; its derivative is 1/(1 + eˣ) there.
/// fn inverse(y: f64) -> f64 {
///     (0..50).fold(y / 2.0, |x: f64, _| x - (x + x.exp() - y) / (1.0 + x.exp()))
/// }
/// let f = Program::trace(|y: Arr<F64>| {
///     let x = y.map(|y| custom_jvp(
///         y,
///         |y| pure_callback("inverse", y, y, inverse),
///         |_, x, tangent| tangent / (catadiff::Elementary::exp(x) + 1.0),
///     ));
///     x.sum()
/// })?;
/// assert!(f.compile()?.at::<f64>([1.0])?.abs() < 1e-15);
/// let gradient: Vec<f64> = f.grad(..)?.compile()?.at([1.0, 1.0 + 1.0_f64.exp()])?;
/// assert!((gradient[0] - 0.5).abs() < 1e-15);
/// assert!((gradient[1] - 1.0 / (1.0 + 1.0_f64.exp())).abs() < 1e-15);
/// # Ok::<(), catadiff::Error>(())
/// ```
#[track_caller]
pub fn custom_jvp<X: IntoHandle, R: IntoHandle, P: As<R::Handle>>(
    arguments: X,
    function: impl FnOnce(X::Handle) -> R,
    tangent: impl FnOnce(X::Handle, R::Handle, X::Handle) -> P,
) -> R::Handle {
    let arguments = arguments.into_handle();
    custom_with_result(
        arguments,
        |x| literal(function(x)),
        |x, result, adjoint| match transposed(x, result, adjoint, tangent) {
            Ok(adjoints) => adjoints,
            Err(error) => {
                mistake(|at| Mistake::IllTyped { reason: format!("of the tangent of a function: {error}"), at });
                handle(None)
            }
        },
    )
}

/// The adjoints of the arguments, from those of the result.
#[track_caller]
fn transposed<X: Handle, R: Handle, P: As<R>>(
    x: X,
    result: R,
    adjoint: R,
    tangent: impl FnOnce(X, R, X) -> P,
) -> Result<X> {
    let names = ["x", "result", "tangent"];
    let rule = traced(&names, &[], |Whole(x): Whole<X>, Whole(result): Whole<R>, Whole(of): Whole<X>| {
        Whole(tangent(x, result, of).handle())
    })?;
    let before = types::<X>().len() + types::<R>().len();
    let by: Vec<usize> = real_parts::<X>().into_iter().map(|k| before + k).collect();
    if by.is_empty() {
        return Ok(x);
    }
    let back = rule.vjp_wrt(by)?;
    // It is linear: where it is transposed does not matter, and the arguments have the sizes of their tangents.
    Ok(adjoint_by(&back, &[ids(x), ids(result), ids(x), ids(adjoint)].concat(), &types::<R>(), x))
}
