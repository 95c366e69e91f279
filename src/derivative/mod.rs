//! Differentiation: the verbs, and the strategies that carry them out.
//!
//! Law: all strategies compute the same derivative wherever all partial derivatives on the way to it are finite (where
//! not, see [`Module`](crate::algebra::Module), *Zeros and infinities*) (laws: strategies).
//!
//! | verb | returns | default |
//! |---|---|---|
//! | [`grad`], [`value_and_grad`] | gradient of a function of many numbers | [`Reverse`] |
//! | [`diff`], [`value_and_diff`] | derivative of a function of one | [`Forward`] |
//! | [`jvp`] | `J·v` | [`Forward`] |
//! | [`vjp`], [`linearize`] | `w·J`, `J·v` as reusable functions | [`Reverse`] |
//! | [`jacobian`] = [`jacrev`], [`jacfwd`] | all of `J` | [`Reverse`], [`VectorForward`] |
//! | [`hvp`], [`hessian`] | second derivatives | forward over reverse |
//! | [`taylor`], [`taylor_along`] | derivatives of every order along a line | truncated series |
//! | [`record`] | the function as a [`Recording`], to be replayed at other points | |
//! | [`grad_of`], [`value_and_grad_of`] | gradient in the shape of a [`Structure`] of numbers | [`Reverse`] |
//! | [`custom_grad`], [`custom_vjp`] | a function known by its pullback, inside a differentiated one | |
//! | [`solve`] | the solution of a linear system, inside a differentiated function | |
//! | [`jacobian_pattern`], [`hessian_pattern`] | the entries that can be nonzero | by support sets |
//! | [`sparse_jacobian`], [`sparse_hessian`] | those entries, at the cost of a few columns or rows | by [`Colouring`] |
//! | [`check_grad`] | whether gradient and finite differences agree | |
//!
//! To choose a strategy, call the verb on it: `Forward::grad(f, &x)`, `Reverse::jacobian(f, &x)`. There is one for each
//! step of "Forwards and in reverse", in the order of the talk; `n` operations and `v` variables:
//!
//! | strategy | step of the talk | tangent | cost of a gradient |
//! |---|---|---|---|
//! | [`Symbolic`] | *Symbolic Differentiation*, then `eval` | a [`Term`](crate::term::Term), shared | `n + v` (a tree: `n²` per variable) |
//! | [`Forward`] | *Forward Mode*: `forwardAD` | a number | `n·v` |
//! | [`VectorForward<N>`](VectorForward) | *more economic representation* | [`Dense`](crate::carriers::Dense) | `n·v`, in `v/N` runs |
//! | [`SparseForward`] | *Zeroing the zeros* | [`Sparse`](crate::carriers::Sparse) | `n ·` live variables |
//! | [`Downward`] | *Step 1: downwards accumulation* | [`Hom`](crate::carriers::Hom) | unions of maps |
//! | [`CayleyReverse`] | *Step 2: unions to upserts*: `reverseAD'` | [`Cayley`](crate::carriers::Cayley) | `n·log v` |
//! | [`MutableReverse`] | *Step 3: mutation* | [`Accumulate`](crate::carriers::Accumulate) | `n + v` |
//! | [`Reverse`] | step 3 as first-order data | [`Adjoint`](crate::carriers::Adjoint) on a [`Tape`](crate::carriers::Tape) | `n + v` |
//!
//! # Nesting
//!
//! A strategy works over any base, so differentiations nest to any depth, in any mix. Numbers of two
//! differentiations have different types; [`lift`](Numbers::lift) (or [`Dual::lift`](crate::carriers::Dual::lift))
//! takes an outer number into an inner function. The classical confusion, `d/dx (x · d/dy (x + y))`, which is 1 and
//! not 2, is therefore written
//!
//! ```
//! use catadiff::prelude::*;
//! let slope = diff(|x| x * diff(|y| Forward::lift(x) + y, x).unwrap(), 1.0)?;
//! assert_eq!(slope, 1.0);
//! # Ok::<(), catadiff::Error>(())
//! ```
//!
//! and without the `lift` it does not compile:
//!
//! ```compile_fail,E0308
//! use catadiff::prelude::*;
//! let slope = diff(|x| x * diff(|y| x + y, x).unwrap(), 1.0);
//! ```
//!
//! Here the bases differ, and rustc says what it "expected" and what it "found": one is a [`Dual`](crate::carriers::Dual)
//! over the other. Where both have the same base, only their brands differ, and these are lifetimes:
//!
//! ```compile_fail
//! use catadiff::prelude::*;
//! let slope = diff(|x| diff(|y| x * y, 3.0).map(Forward::lift).unwrap(), 1.0);
//! ```
//!
//! Now the message is "lifetime may not live long enough", or "borrowed data escapes outside of closure", and points
//! at the operation in which the outer `x` meets the inner `y`. The remedy is the same as above: differentiate the
//! inner function at a number of the outer one, and `lift` each outer number that it uses, with the `lift` of the
//! inner strategy (`Forward::lift` in `diff` and `jvp`, `Reverse::lift` in `grad` and `vjp`):
//!
//! ```
//! use catadiff::prelude::*;
//! let slope = diff(|x| grad(|y| Reverse::lift(x) * y[0], &[Forward::lift(3.0)]).unwrap()[0], 1.0)?;
//! assert_eq!(slope, 1.0);
//! # Ok::<(), catadiff::Error>(())
//! ```

mod chains;
mod check;
mod cones;
mod custom;
mod folded;
mod forward;
mod recorded_code;
mod recording;
mod replay;
mod reverse;
mod second;
mod solve;
#[cfg(feature = "sparse")]
mod sparse;
mod stored;
mod strategy;
mod structure;
mod symbolic;
mod taylor;
mod verbs;

/// Makes a structure whose numbers are of its one type parameter a structure of the scalar layer, whose gradient has its shape.
///
/// ```
/// use catadiff::derivative::{Structure, grad_of};
///
/// #[derive(Debug, PartialEq, Structure)]
/// struct Layer<T> { weights: [Vec<T>; 2], bias: T }
///
/// let at = Layer { weights: [vec![1.0], vec![2.0, 3.0]], bias: 4.0 };
/// let gradient = grad_of(|p| p.weights[0][0] * p.weights[1][1] + p.bias * p.bias, &at)?;
/// assert_eq!(gradient, Layer { weights: [vec![3.0], vec![0.0, 1.0]], bias: 8.0 });
/// # Ok::<(), catadiff::Error>(())
/// ```
#[cfg(feature = "derive")]
pub use catadiff_derive::Structure;
pub use check::check_grad;
pub use custom::{WithTangent, custom_grad, custom_vjp};
#[cfg(feature = "sparse")]
pub use folded::{CayleyReverse, Downward, SparseForward};
pub use folded::{MutableReverse, Symbolic};
pub use forward::{Forward, ForwardVar, VectorForward, VectorVar, diff, jvp, value_and_diff};
pub use recording::{Recording, record};
pub use replay::Workspace;
pub use reverse::{Linear, Pullback, Reverse, ReverseVar, linearize, vjp};
pub use second::{HessianVar, HvpVar, hessian, hvp};
pub use solve::solve;
#[cfg(feature = "sparse")]
pub use sparse::{
    Colouring, Compression, Order, Pattern, SparseHessian, SparseJacobian, SparseMatrix, hessian_pattern,
    jacobian_pattern, sparse_hessian, sparse_jacobian,
};
#[cfg(feature = "array")]
pub(crate) use sparse::{choose, standing_alone};
pub use strategy::{Base, Num, Numbers, Strategy};
pub use structure::{Point, Structure, StructuredStrategy, grad_of, value_and_grad_of};
pub use taylor::{taylor, taylor_along};
pub use verbs::{grad, jacfwd, jacobian, jacrev, stop_gradient, value_and_grad};
