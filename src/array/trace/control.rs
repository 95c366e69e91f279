//! Control: conditionals, loops, constants to derivatives, and functions with derivatives of their own.
//!
//! Law: each closure is traced once and is the body of its construct, whichever way a run of the program goes. A
//! closure of Rust that captures a `mut` sees it changed once; state that changes from iteration to iteration is what
//! the closure takes and returns (tests/array/trace_values.rs, tests/array/trace.rs).

use core::panic::Location;

use super::combinators::{elementwise, function};
use super::handles::{by_part, handle, ids, nothing, types};
use super::scope::{At, Id, Scope, body, emit, emit_one};
use super::{Arr, As, Bool, Handle, I64, IntoHandle};
use crate::array::{Custom, Form, Lambda, Loop, Op, Policy, Type};
use crate::primitives::Primitive;

/// One of two values: only the one that the condition chooses is computed.
///
/// ```
/// use catadiff::array::{Program, trace::{F64, if_}};
/// let safe_log = Program::trace(|x: F64| if_(x.gt(0.0), || x, || 0.0))?;
/// # let _ = safe_log;
/// # Ok::<(), catadiff::Error>(())
/// ```
#[track_caller]
pub fn if_<X: IntoHandle, Y: As<X::Handle>>(
    condition: impl As<Bool>,
    yes: impl FnOnce() -> X,
    no: impl FnOnce() -> Y,
) -> X::Handle {
    let at = Location::caller();
    let condition = condition.handle().ids();
    let yes = body(at, || ids(yes().into_handle()));
    let no = body(at, || ids(no().handle()));
    let (Some(yes), Some(no)) = (yes, no) else { return nothing() };
    handle(emit(&[condition], |condition| Op::If(condition[0], Box::new(yes), Box::new(no))))
}

/// Iteration over `0, 1, …, n − 1`: `next` takes the index and the state, and returns the state after it.
///
/// ```
/// use catadiff::array::{Program, trace::{F64, I64, loop_for}};
/// let fibonacci = Program::trace(|n: I64| loop_for(n, (0, 1), |_, (x, y)| (y, x + y)).0)?;
/// let power = Program::trace(|x: F64, n: I64| loop_for(n, 1.0, |_, y| y * x))?;
/// # let _ = (fibonacci, power);
/// # Ok::<(), catadiff::Error>(())
/// ```
#[track_caller]
pub fn loop_for<X: IntoHandle, Y: As<X::Handle>>(
    n: impl As<I64>,
    init: X,
    next: impl FnOnce(I64, X::Handle) -> Y,
) -> X::Handle {
    loop_for_with(Policy::default(), n, init, next)
}

/// [`loop_for`], with a choice of what reverse mode keeps.
///
/// ```
/// use catadiff::Elementary;
/// use catadiff::array::{Policy, Program, trace::{F64, loop_for_with}};
/// // A thousand states, of which the derivative keeps ten at a time.
/// let orbit = Program::trace(|x: F64| loop_for_with(Policy::Binomial(10), 1000, x, |_, x| x.cos()))?;
/// let slope: f64 = orbit.grad(..)?.at(0.5)?;
/// assert!(slope.abs() < 1e-100);
/// # Ok::<(), catadiff::Error>(())
/// ```
#[track_caller]
pub fn loop_for_with<X: IntoHandle, Y: As<X::Handle>>(
    policy: Policy,
    n: impl As<I64>,
    init: X,
    next: impl FnOnce(I64, X::Handle) -> Y,
) -> X::Handle {
    // In the order in which the text form binds them: the state, then the index.
    let Some(function) = function(Location::caller(), |(state, i)| next(i, state).handle()) else { return nothing() };
    let operands = [vec![n.handle().ids()], ids(init.into_handle())].concat();
    handle(emit(&operands, |init| {
        let Lambda { mut params, body } = function;
        let i = params.pop().expect("the index is the last parameter");
        let form = Form::For(i, init[0]);
        let params = params.into_iter().zip(init[1..].iter().copied()).collect();
        Op::Loop(Box::new(Loop { params, form, body, policy }))
    }))
}

/// Iteration as long as the condition holds, which is evaluated before each step.
///
/// ```
/// use catadiff::{Elementary, array::{Program, trace::{F64, loop_while}}};
/// let root = Program::trace(|a: F64| {
///     loop_while(a, |x| (x * x - a).abs().gt(1e-12), |x| (x + a / x) * 0.5)
/// })?;
/// # let _ = root;
/// # Ok::<(), catadiff::Error>(())
/// ```
#[track_caller]
pub fn loop_while<X: IntoHandle, Y: As<X::Handle>>(
    init: X,
    condition: impl FnOnce(X::Handle) -> Bool,
    next: impl FnOnce(X::Handle) -> Y,
) -> X::Handle {
    whiles(Location::caller(), (Policy::default(), None), init.into_handle(), condition, next)
}

/// [`loop_while`], with a number of iterations that is never passed and a choice of what reverse mode keeps.
#[track_caller]
pub fn loop_while_with<X: IntoHandle, Y: As<X::Handle>>(
    policy: Policy,
    bound: impl As<I64>,
    init: X,
    condition: impl FnOnce(X::Handle) -> Bool,
    next: impl FnOnce(X::Handle) -> Y,
) -> X::Handle {
    whiles(Location::caller(), (policy, Some(bound.handle().ids())), init.into_handle(), condition, next)
}

#[track_caller]
fn whiles<S: Handle, Y: As<S>>(
    at: At,
    (policy, bound): (Policy, Option<Id>),
    init: S,
    condition: impl FnOnce(S) -> Bool,
    next: impl FnOnce(S) -> Y,
) -> S {
    let Some(scope) = Scope::open(at) else { return nothing() };
    let (vars, state) = scope.parameters(&types::<S>());
    let state: S = handle(Some(state));
    let condition = body(at, || vec![condition(state).ids()]);
    let next = scope.close(&ids(next(state).handle()));
    let (Some(condition), Some(body)) = (condition, next) else { return nothing() };
    let operands: Vec<Id> = ids(init).into_iter().chain(bound).collect();
    handle(emit(&operands, |mut init| {
        let bound = init.split_off(vars.len().min(init.len())).pop();
        let params = vars.into_iter().zip(init).collect();
        Op::Loop(Box::new(Loop { params, form: Form::While { condition, bound }, body, policy }))
    }))
}

/// The value itself, taken as a constant by every derivative. Of scalars it is also a method, as for all numbers.
///
/// ```
/// use catadiff::array::{Program, trace::{Arr, F64, stop_gradient}};
/// let centred = Program::trace(|x: Arr<F64>| x - stop_gradient(x.sum() / x.len().to_f64()))?;
/// # let _ = centred;
/// # Ok::<(), catadiff::Error>(())
/// ```
#[track_caller]
pub fn stop_gradient<X: IntoHandle>(value: X) -> X::Handle {
    let at = Location::caller();
    by_part(value.into_handle(), |id, t| stopped(at, id, t))
}

#[track_caller]
fn stopped(at: At, id: Id, of: Type) -> Id {
    if !of.prim.is_real() {
        return id;
    }
    let stop = |x: &[Id]| vec![emit_one(x, |x| Op::Scalar(Primitive::StopGradient.into(), x.into()))];
    elementwise(at, &[id], of, &stop).map_or(Id::NOTHING, |ids| ids[0])
}

impl<T: Handle> Arr<T> {
    /// The array itself, taken as a constant by every derivative.
    #[must_use]
    #[track_caller]
    pub fn stop_gradient(self) -> Self {
        stop_gradient(self)
    }
}

/// A function with a derivative of its own, which every mode of differentiation honours.
///
/// `pullback` takes the arguments and the adjoint of the result, and returns the adjoint of the arguments, in their
/// sizes. It has to be linear in the adjoint, as a product with a Jacobian is: forward mode is its transpose, so an
/// adjoint that is clipped, say, is not what tangents are multiplied by. Handles that the closures capture, instead of
/// taking them as arguments, are constants to this derivative.
///
/// ```
/// use catadiff::{Elementary, array::{Program, trace::{F64, custom}}};
/// // The step function with the derivative of the sigmoid, as binary networks use it.
/// let spike = Program::trace(|x: F64| {
///     custom(x, |x| x.ge_indicator(F64::from(0.0)), |x, adjoint| {
///         let s = x.sigmoid();
///         adjoint * s * (1.0 - s)
///     })
/// })?;
/// # let _ = spike;
/// # Ok::<(), catadiff::Error>(())
/// ```
#[track_caller]
pub fn custom<X: IntoHandle, R: IntoHandle, P: As<X::Handle>>(
    arguments: X,
    function: impl FnOnce(X::Handle) -> R,
    pullback: impl FnOnce(X::Handle, R::Handle) -> P,
) -> R::Handle {
    custom_with_result(arguments, function, |x, _, adjoint| pullback(x, adjoint))
}

/// [`custom`], whose pullback takes the result between the arguments and the adjoint: what took long is not computed again.
///
/// Of several results some may be there for the pullback alone. The pullback's own derivatives take the result for what it is,
/// a value of the function, so a rule that is right is right to every order.
///
/// ```
/// use catadiff::{Elementary, array::{Program, trace::{F64, custom_with_result}}};
/// // The derivative of a root is half of its reciprocal.
/// let root = Program::trace(|x: F64| custom_with_result(x, |x| x.sqrt(), |_, root, adjoint| adjoint * 0.5 / root))?;
/// let slope: f64 = root.grad(..)?.at(4.0)?;
/// assert_eq!(slope, 0.25);
/// let bend: f64 = root.grad(..)?.grad(..)?.at(4.0)?;
/// assert_eq!(bend, -0.03125);
/// # Ok::<(), catadiff::Error>(())
/// ```
#[track_caller]
pub fn custom_with_result<X: IntoHandle, R: IntoHandle, P: As<X::Handle>>(
    arguments: X,
    function: impl FnOnce(X::Handle) -> R,
    pullback: impl FnOnce(X::Handle, R::Handle, R::Handle) -> P,
) -> R::Handle {
    let at = Location::caller();
    let function = super::combinators::function(at, function);
    let pullback = super::combinators::function(at, |(x, result, adjoint)| pullback(x, result, adjoint).handle());
    let (Some(function), Some(pullback)) = (function, pullback) else { return nothing() };
    handle(emit(&ids(arguments.into_handle()), |arguments| {
        Op::Custom(Box::new(Custom { function, pullback, arguments }))
    }))
}
