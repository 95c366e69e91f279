//! Handles: what stands for the values of a program while it is traced, scalars, arrays and tuples alike.
//!
//! Law: a handle is the ids of its parts and nothing else, so it is `Copy`, and its type alone says how many values it
//! is and of which types. A tuple is several values, and an array of tuples several arrays of one length
//! (tests/array/trace.rs).

use core::fmt::Debug;

use super::scope::{Here, Id, emit_one};
use super::{Arr, F16, F32, I8, I16, I32, I64, U8, U16, U32, U64};
use crate::array::{Atom, Op, Prim, Type, index};
use crate::primitives::f16;

/// What stands for values of a program in a traced closure: a scalar, an array of handles, or a tuple of handles.
///
/// Structures are handles with `#[derive(Handle)]`, of the feature `derive`. By hand it is done by way of a tuple (there are to be as many
/// types, and names, as ids); arrays, loops and conditionals then take it as they take tuples, and closures that are traced take what is
/// a [`TraceInput`](super::TraceInput), too:
///
/// ```
/// use catadiff::array::Program;
/// use catadiff::array::trace::{Arr, F64, Handle, IntoHandle};
///
/// #[derive(Debug, Clone, Copy)]
/// struct Ball { height: F64, speed: F64 }
///
/// impl IntoHandle for Ball {
///     type Handle = Ball;
///     fn into_handle(self) -> Ball { self }
/// }
///
/// impl Handle for Ball {
///     type Ids = <(F64, F64) as Handle>::Ids;
///     fn types(visit: &mut dyn FnMut(catadiff::array::Type)) { <(F64, F64)>::types(visit) }
///     fn ids(self) -> Self::Ids { (self.height, self.speed).ids() }
///     fn of(ids: Self::Ids) -> Self {
///         let (height, speed) = <(F64, F64)>::of(ids);
///         Ball { height, speed }
///     }
/// }
///
/// let fall = Program::trace(|balls: Arr<Ball>| {
///     balls.map(|b| Ball { height: b.height + b.speed * 0.1, speed: b.speed - 0.981 })
/// })?;
/// assert_eq!(fall.function().params.len(), 2);
/// # Ok::<(), catadiff::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not stand for a value of a traced program",
    note = "handles are `F64 F32 F16 I64 I32 I16 I8 U64 U32 U16 U8 Bool`, `Arr<T>` of a handle `T`, and tuples of two to six handles"
)]
pub trait Handle: IntoHandle<Handle = Self> + Copy + Debug + 'static {
    /// What the handle is made of.
    type Ids: Ids;

    /// Visits the types of the values, in order.
    fn types(visit: &mut dyn FnMut(Type));

    /// Visits what the values are called, in order, in a handle that is called this: after itself if there is one, and by their numbers if
    /// there are several.
    fn names(called: &str, visit: &mut dyn FnMut(String)) {
        let mut count = 0;
        Self::types(&mut |_| count += 1);
        match count {
            1 => visit(called.to_owned()),
            _ => (0..count).for_each(|k| visit(format!("{called}.{k}"))),
        }
    }

    /// The ids of the values.
    fn ids(self) -> Self::Ids;

    /// The handle of values with these ids.
    fn of(ids: Self::Ids) -> Self;
}

/// What becomes a handle, each in one way: handles, `f64`, `i64` and `bool`, slices and Rust arrays of these, tuples.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not become a value of a traced program",
    note = "handles do, `f64`, `i64` and `bool` do, and so do slices, arrays and tuples of these",
    note = "for numbers of other kinds write `F32::from(x)` or `U8::from(n)`"
)]
pub trait IntoHandle {
    /// The handle that it becomes.
    type Handle: Handle;

    /// The handle: a constant of the program, unless it is a handle already.
    #[track_caller]
    fn into_handle(self) -> Self::Handle;
}

/// What is taken where a handle of type `H` is wanted: handles, and the numbers of Rust that fit.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is given where the program has `{H}`",
    note = "numbers of Rust become scalar handles of their kind; `f64` also `F32` and `F16`, and `i64` also the other integers"
)]
pub trait As<H: Handle> {
    /// The handle.
    #[track_caller]
    fn handle(self) -> H;
}

impl<H: Handle, X: IntoHandle<Handle = H>> As<H> for X {
    #[track_caller]
    fn handle(self) -> H {
        self.into_handle()
    }
}

macro_rules! numbers {
    ($($Number:ident as $Handle:ident: $x:ident => $value:expr;)+) => {$(
        impl As<$Handle> for $Number {
            #[track_caller]
            fn handle(self) -> $Handle {
                let $x = self;
                $value
            }
        }
    )+};
}

numbers! {
    f64 as F32: x => F32::from(x as f32);
    f32 as F32: x => F32::from(x);
    f64 as F16: x => F16::from(f16::from_f64(x));
    f16 as F16: x => F16::from(x);
    i64 as I32: x => I32::literal(x);
    i64 as I16: x => I16::literal(x);
    i64 as I8: x => I8::literal(x);
    i64 as U64: x => U64::literal(x);
    i64 as U32: x => U32::literal(x);
    i64 as U16: x => U16::literal(x);
    i64 as U8: x => U8::literal(x);
    i32 as I32: x => I32::from(x);
    i16 as I16: x => I16::from(x);
    i8 as I8: x => I8::from(x);
    u64 as U64: x => U64::from(x);
    u32 as U32: x => U32::from(x);
    u16 as U16: x => U16::from(x);
    u8 as U8: x => U8::from(x);
    i32 as I64: x => I64::from(i64::from(x));
    u32 as I64: x => I64::from(i64::from(x));
    // No array is as long as the largest `i64`, so a size beyond it is refused like that one.
    usize as I64: x => I64::from(i64::try_from(x).unwrap_or(i64::MAX));
}

/// The ids of a handle: one, or a tuple of them.
pub trait Ids: Copy + Debug + 'static {
    /// Visits them in order.
    fn visit(self, visit: &mut dyn FnMut(Id));

    /// As many as are needed, in order.
    fn from_next(next: &mut dyn FnMut() -> Id) -> Self;
}

impl Ids for Id {
    fn visit(self, visit: &mut dyn FnMut(Id)) {
        visit(self);
    }
    fn from_next(next: &mut dyn FnMut() -> Id) -> Self {
        next()
    }
}

macro_rules! tuples {
    ($(($($T:ident $t:ident $k:tt),+);)+) => {$(
        impl<$($T: Ids),+> Ids for ($($T,)+) {
            fn visit(self, visit: &mut dyn FnMut(Id)) {
                let ($($t,)+) = self;
                $($t.visit(visit);)+
            }
            fn from_next(next: &mut dyn FnMut() -> Id) -> Self {
                ($($T::from_next(next),)+)
            }
        }

        impl<$($T: IntoHandle),+> IntoHandle for ($($T,)+) {
            type Handle = ($($T::Handle,)+);
            #[track_caller]
            fn into_handle(self) -> Self::Handle {
                let ($($t,)+) = self;
                ($($t.into_handle(),)+)
            }
        }

        impl<$($T: Handle),+> Handle for ($($T,)+) {
            type Ids = ($($T::Ids,)+);
            fn types(visit: &mut dyn FnMut(Type)) {
                $($T::types(visit);)+
            }
            fn names(called: &str, visit: &mut dyn FnMut(String)) {
                $($T::names(&format!(concat!("{}.", $k), called), visit);)+
            }
            fn ids(self) -> Self::Ids {
                let ($($t,)+) = self;
                ($($t.ids(),)+)
            }
            fn of(ids: Self::Ids) -> Self {
                let ($($t,)+) = ids;
                ($($T::of($t),)+)
            }
        }

        impl<$($T: Handle),+> Arr<($($T,)+)> {
            /// The arrays of the tuples' parts.
            #[must_use]
            pub fn unzip(self) -> ($(Arr<$T>,)+) {
                let ($($t,)+) = self.ids();
                ($(Arr::of($t),)+)
            }
        }
    )+};
}

tuples! {
    (A a 0, B b 1);
    (A a 0, B b 1, C c 2);
    (A a 0, B b 1, C c 2, D d 3);
    (A a 0, B b 1, C c 2, D d 3, E e 4);
    (A a 0, B b 1, C c 2, D d 3, E e 4, F f 5);
}

/// The types of a handle's values.
pub(crate) fn types<H: Handle>() -> Vec<Type> {
    let mut types = Vec::new();
    H::types(&mut |t| types.push(t));
    types
}

/// The ids of a handle's values.
pub(crate) fn ids<H: Handle>(handle: H) -> Vec<Id> {
    let mut ids = Vec::new();
    handle.ids().visit(&mut |id| ids.push(id));
    ids
}

/// The handle of the values with these ids; of nothing, if there are none.
pub(crate) fn handle<H: Handle>(ids: Option<Vec<Id>>) -> H {
    let mut ids = ids.unwrap_or_default().into_iter();
    H::of(H::Ids::from_next(&mut || ids.next().unwrap_or(Id::NOTHING)))
}

/// The handle that a mistake results in.
pub(super) fn nothing<H: Handle>() -> H {
    handle(None)
}

/// The handle whose values are made of those of another, one by one.
#[track_caller]
pub(super) fn by_part<H: Handle, R: Handle>(from: H, mut part: impl FnMut(Id, Type) -> Id) -> R {
    let _here = Here::new();
    handle(Some(ids(from).into_iter().zip(types::<H>()).map(|(id, t)| part(id, t)).collect()))
}

/// A constant of the program: a number, or an array or nested array of numbers.
///
/// ```
/// use catadiff::array::Program;
/// use catadiff::array::trace::{Arr, F64, literal};
/// let affine = Program::trace(|x: Arr<F64>| {
///     literal([[0.0, -1.0], [1.0, 0.0]]).matvec(x) + literal(&[0.5, 0.5])
/// })?;
/// assert_eq!(affine.function().params.len(), 1);
/// # Ok::<(), catadiff::Error>(())
/// ```
#[track_caller]
pub fn literal<X: IntoHandle>(value: X) -> X::Handle {
    value.into_handle()
}

impl<T: IntoHandle + Clone> IntoHandle for &[T] {
    type Handle = Arr<T::Handle>;
    #[track_caller]
    fn into_handle(self) -> Self::Handle {
        let _here = Here::new();
        let elements: Vec<Vec<Id>> = self.iter().map(|x| ids(x.clone().into_handle())).collect();
        let array = |(part, t): (usize, Type)| {
            if elements.is_empty() {
                return empty(t);
            }
            emit_one(&elements.iter().map(|parts| parts[part]).collect::<Vec<_>>(), Op::Elements)
        };
        handle(Some(types::<T::Handle>().into_iter().enumerate().map(array).collect()))
    }
}

/// The array without elements, of this type.
#[track_caller]
fn empty(element: Type) -> Id {
    let none = |id| emit_one(&[id], |x| Op::Replicate(index(0), x[0]));
    (0..=element.rank).fold(Id::constant(element.prim.zero()), |id, _| none(id))
}

macro_rules! by_slice {
    ($([$($generics:tt)*] $Array:ty;)+) => {$(
        impl<T: IntoHandle + Clone $($generics)*> IntoHandle for $Array {
            type Handle = Arr<T::Handle>;
            #[track_caller]
            fn into_handle(self) -> Self::Handle {
                self[..].into_handle()
            }
        }
    )+};
}

by_slice! {
    [, const N: usize] [T; N];
    [, const N: usize] &[T; N];
    [] Vec<T>;
    [] &Vec<T>;
}

impl<T: Handle> IntoHandle for Arr<T> {
    type Handle = Self;
    #[track_caller]
    fn into_handle(self) -> Self {
        self
    }
}

impl<T: Handle> Handle for Arr<T> {
    type Ids = T::Ids;
    fn types(visit: &mut dyn FnMut(Type)) {
        T::types(&mut |t| visit(t.arrayed()));
    }
    fn names(called: &str, visit: &mut dyn FnMut(String)) {
        T::names(called, visit);
    }
    fn ids(self) -> Self::Ids {
        self.ids
    }
    fn of(ids: Self::Ids) -> Self {
        Arr { ids }
    }
}

/// The value as a scalar of another kind.
#[track_caller]
pub(crate) fn converted(id: Id, from: Prim, to: Prim) -> Id {
    if from == to {
        return id;
    }
    emit_one(&[id], |x: Vec<Atom>| Op::Scalar(crate::array::ScalarOp::Convert(to), x.into()))
}
