//! Tracing: Rust closures on handles become array programs.
//!
//! ```
//! use catadiff::Real;
//! use catadiff::array::{Program, trace::{Arr, F64}};
//!
//! fn sq<R: Real>(x: R) -> R { x * x }
//!
//! // The cost of k-means: the squared distance of each point from the centre next to it.
//! let cost = Program::trace(|points: Arr<Arr<F64>>, centres: Arr<Arr<F64>>| {
//!     points.map(|p| centres.map(|c| (p - c).map(sq).sum()).min()).sum()
//! })?;
//! assert_eq!(cost.verify(), Ok(()));
//!
//! use catadiff::interpret::Value;
//! let (points, centres) = (Value::new([[0.0, 0.0], [5.0, 5.0], [1.0, 2.0]])?, Value::new([[0.0, 1.0], [4.0, 5.0]])?);
//! assert_eq!(cost.run(&[points, centres])?, [4.0.into()]);
//! # Ok::<(), catadiff::Error>(())
//! ```
//!
//! The closure is called once, with handles that stand for any values. Scalars are [`F64`], [`F32`], [`F16`], [`I64`], [`I32`], the other kinds of integers
//! and [`Bool`]; arrays are [`Arr`], nested for more dimensions; tuples are tuples. `F64` is a number of the scalar
//! layer, so functions generic in [`Real`](crate::Real) are usable at every place. A comparison is a [`Bool`] of the
//! program, for [`if_`] and [`loop_while`]: a Rust `if` would decide while tracing, and does not compile. A Rust `for`
//! does, and is unrolled; [`loop_for`] is a loop of the program.
//!
//! Matrices have `matmul`, and linear algebra with rules of differentiation: `solve`, `inverse`, `det` and `slogdet`, [`lu`](Arr::lu), `qr`, `eigh` and
//! `svd`; `logdet` and `cholesky` of those that are positive definite, and `cholesky_solve` of such a factor, `solve_lower` and `solve_upper` of triangular ones.
//!
//! Handles are `Copy` and carry no lifetime. One that is brought out of its closure or trace is recognised there, and
//! the trace is an [`Error`](crate::Error), never a wrong program:
//!
//! ```
//! use catadiff::array::{Program, trace::{Arr, F64}};
//! use catadiff::{Error, Mistake};
//! let escaped = Program::trace(|x: Arr<F64>| {
//!     let mut element = F64::from(0.0);
//!     let _ = x.map(|x| { element = x; x });
//!     element * 2.0
//! });
//! let Err(Error::Trace { mistakes }) = escaped else { panic!() };
//! assert!(matches!(mistakes[..], [Mistake::Escaped { .. }]));
//! ```
//!
//! Arrays have the everyday words of numpy and JAX, by their names:
//!
//! | of | words |
//! |---|---|
//! | all elements | `sum product min max argmin argmax mean var std norm norm1 norm_inf logsumexp`, and `all any` of truth values |
//! | elements so far | `cumsum cumprod cummax cummin`, or [`scan`](Arr::scan) by any operator |
//! | each element | operators, [`where_`], `clip one_hot softmax log_softmax`, or [`map`](Arr::map) |
//! | order | `sort argsort top_k sort_descending argsort_descending`; `flip` is [`reverse`](Arr::reverse) |
//! | places | `index slice take drop range gather scatter roll diff pad pad_edge pad_reflect` |
//! | windows of lists and images | `conv1d conv2d max_pool2d avg_pool2d` |
//! | lists in order, as tables | `searchsorted searchsorted_right interp` |
//! | lists of complex numbers, as pairs | [`fft`], [`ifft`], [`rfft`], [`irfft`] |
//! | shapes | `reshape flatten unflatten transpose permute concat tile repeat`; `full` is [`replicate`] |
//! | numbers in a row | [`iota`], [`arange`], [`linspace`], [`tabulate`] |
//! | matrices | `dot matvec matmul outer kron diagonal trace triu tril`, [`einsum`], [`eye`] |
//!
//! They take the elements of the outermost dimension: of a matrix `m`, `m.mean()` is the row of the means of its columns,
//! `m.map(|row| row.mean())` has that of each row, and `m.flatten().mean()` is that of all.
//!
//! Law: a program that is traced verifies: it is well typed, and every variable is used within its scope; the nesting
//! of closures is the nesting of the program's functions and bodies (tests/array/trace.rs).

mod arithmetic;
mod arrays;
mod combinators;
mod control;
mod foreign;
mod function;
mod handles;
mod integers;
mod linalg;
mod parameters;
mod random;
mod scalars;
mod scope;
#[cfg(feature = "unstable")]
pub mod untyped;
mod words;

/// Makes a structure of handles a handle, which arrays, loops and conditionals take as they take tuples: `Arr<Ball>` is an array for each
/// field. It has to be `Copy` and `Debug`, as handles are.
///
/// ```
/// use catadiff::array::{Program, trace::{Arr, F64, Handle}};
///
/// #[derive(Debug, Clone, Copy, Handle)]
/// struct Ball { height: F64, speed: F64 }
///
/// let fall = Program::trace_named(&["balls"], |balls: Arr<Ball>| {
///     balls.map(|b| Ball { height: b.height + b.speed * 0.1, speed: b.speed - 0.981 })
/// })?;
/// assert_eq!(fall.names(), ["balls.height", "balls.speed"]);
/// let (heights, speeds): (Vec<f64>, Vec<f64>) = fall.at(([1.0, 2.0], [0.0, 10.0]))?;
/// assert_eq!((heights, speeds), (vec![1.0, 3.0], vec![-0.981, 9.019]));
/// # Ok::<(), catadiff::Error>(())
/// ```
#[cfg(feature = "derive")]
pub use catadiff_derive::Handle;
/// Makes a structure whose leaves are its type parameters a nest: with handles for them it is what a closure that is traced takes and
/// returns (`TraceInput`, `TraceOutput`), and with numbers or arrays an argument and a result of the program (`ToValues`,
/// `FromValues`). The parts are called by the names of the fields, as in `net.layers.0.bias`. Fields are such nests, too, tuples, arrays
/// and `Vec`s of them, and type parameters.
///
/// Of a structure without type parameters say which it is: `#[nest(handles)]` or `#[nest(values)]`.
///
/// ```
/// use catadiff::Elementary;
/// use catadiff::array::{Program, trace::{Arr, F64, Nest}};
///
/// #[derive(Debug, Clone, PartialEq, Nest)]
/// struct Layer<M, V> { weights: M, bias: V }
///
/// #[derive(Debug, Clone, PartialEq, Nest)]
/// struct Net<M, V> { hidden: Vec<Layer<M, V>>, last: Layer<M, V> }
///
/// type Traced = Net<Arr<Arr<F64>>, Arr<F64>>;
///
/// fn loss(net: Traced, x: Arr<F64>) -> F64 {
///     let apply = |layer: Layer<Arr<Arr<F64>>, Arr<F64>>, x| (layer.weights.matvec(x) + layer.bias).map(F64::tanh);
///     let hidden = net.hidden.into_iter().fold(x, |x, layer| apply(layer, x));
///     apply(net.last, hidden).sum()
/// }
///
/// let net = Net {
///     hidden: vec![Layer { weights: vec![vec![0.5, -1.0], vec![1.5, 0.25]], bias: vec![0.1, 0.2] }],
///     last: Layer { weights: vec![vec![1.0, 2.0]], bias: vec![-0.5] },
/// };
/// let loss = Program::trace_like(&["net", "x"], (&net, [1.0, 2.0]), loss)?;
/// assert_eq!(loss.names()[..2], ["net.hidden.0.weights", "net.hidden.0.bias"]);
///
/// let gradient: Net<Vec<Vec<f64>>, Vec<f64>> = loss.grad("net")?.at_like(&net, (&net, [1.0, 2.0]))?;
/// let by_bias: Vec<f64> = loss.grad("net.last.bias")?.at((&net, [1.0, 2.0]))?;
/// assert_eq!(gradient.last.bias, by_bias);
/// # Ok::<(), catadiff::Error>(())
/// ```
///
/// A closure's second parameter that is a nest of another kind is an error, and so is what is no structure:
///
/// ```compile_fail
/// #[derive(catadiff::array::trace::Nest)]
/// enum Choice<A> { One(A), Other }
/// ```
#[cfg(feature = "derive")]
pub use catadiff_derive::Nest;

pub use arithmetic::{Nested, Number};
pub use arrays::{Arr, Sizes, iota, replicate};
pub(crate) use arrays::{as_row, row_as};
pub(crate) use combinators::elementwise;
pub use combinators::{hist, tabulate, tabulate2d};
pub use control::{
    custom, custom_with_result, if_, loop_for, loop_for_with, loop_while, loop_while_with, stop_gradient,
};
pub(crate) use foreign::foreign;
pub use function::TraceFn;
pub(crate) use function::{adjoint_by, real_parts, traced, traced_of};
pub use handles::{As, Handle, Ids, IntoHandle, literal};
pub(crate) use handles::{converted, handle, ids, types};
pub(crate) use linalg::agree;
pub use linalg::{Lu, RightSide};
pub(crate) use parameters::Whole;
pub use parameters::{Inputs, Outputs, TraceInput, TraceOutput};
pub use random::Key;
pub use scalars::{Bool, F16, F32, F64, I8, I16, I32, I64, ScalarHandle, U8, U16, U32, U64};
pub use scope::Id;
pub(crate) use scope::{Here, inline, mistake};
pub use words::{Branch, Contracted, arange, einsum, eye, fft, ifft, irfft, linspace, rfft, where_};
