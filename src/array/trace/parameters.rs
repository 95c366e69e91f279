//! What closures that are traced take and return: handles, and nests of such.
//!
//! Law: a nest is its handles, in order, each a parameter or a result of the program; a parameter is called by its way to it, as in
//! `net.layers.0.bias` (tests/array/nests.rs, tests/array/trace.rs).

use core::slice::Iter;

use super::handles::{handle, ids};
use super::scope::{Id, Recording, mistake};
use super::{Arr, Bool, F16, F32, F64, Handle, I8, I16, I32, I64, IntoHandle, U8, U16, U32, U64};
use crate::array::Type;
use crate::error::Mistake;

/// What a closure that is traced takes: [handles](Handle), tuples, arrays and `Vec`s of such, and structures with `#[derive(Nest)]`
/// (feature `derive`), to any depth. How long a `Vec` is, [`trace_like`](crate::array::Program::trace_like) sees from arguments.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no parameter of a closure that is traced",
    note = "handles are, `F64 F32 F16 I64 I32 I16 I8 U64 U32 U16 U8 Bool` and `Arr<T>` of a handle `T`, and tuples, arrays and `Vec`s of parameters",
    note = "a structure is with `#[derive(Nest)]`, of the feature `derive`"
)]
pub trait TraceInput: Sized {
    /// Makes it of parameters of the program.
    fn input(from: &mut Inputs<'_>) -> Self;

    /// Adds its values to the results of the program.
    fn add_to(self, to: &mut Outputs);
}

/// What a closure that is traced returns: what [becomes a handle](IntoHandle), tuples of such, and structures with `#[derive(Nest)]`
/// (feature `derive`).
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no result of a closure that is traced",
    note = "handles are, `f64`, `i64` and `bool`, slices, arrays and `Vec`s of these, each of which is an array of the program, and tuples of results",
    note = "for numbers of other kinds write `F32::from(x)` or `U8::from(n)`; a structure is a result with `#[derive(Nest)]`, of the feature `derive`"
)]
pub trait TraceOutput {
    /// Adds its values to the results of the program.
    #[track_caller]
    fn output(self, to: &mut Outputs);
}

/// The parameters of a program that is being traced.
pub struct Inputs<'r> {
    recording: &'r Recording,
    /// How long the lists are, as far as that is known.
    counts: Iter<'r, usize>,
    path: String,
}

impl<'r> Inputs<'r> {
    pub(super) fn new(recording: &'r Recording, counts: &'r [usize]) -> Self {
        Inputs { recording, counts: counts.iter(), path: String::new() }
    }

    /// A parameter of the closure.
    pub(super) fn parameter<P: TraceInput>(&mut self, name: String) -> P {
        self.path = name;
        P::input(self)
    }

    /// How many lengths of lists are left.
    pub(super) fn left(&self) -> usize {
        self.counts.len()
    }

    /// A handle of new parameters.
    pub fn handle<H: Handle>(&mut self) -> H {
        let (mut types, mut names) = (Vec::new(), Vec::new());
        H::types(&mut |t| types.push(t));
        H::names(&self.path, &mut |name| names.push(name));
        assert_eq!(types.len(), names.len(), "a handle has a name for each of its values");
        let parameter = |(name, of): (String, Type)| self.recording.parameter(name, of);
        handle(Some(names.into_iter().zip(types).map(parameter).collect()))
    }

    /// A part of this name.
    pub fn part<P: TraceInput>(&mut self, name: &str) -> P {
        let length = self.path.len();
        self.path.extend([".", name]);
        let part = P::input(self);
        self.path.truncate(length);
        part
    }

    /// As many parts as there are in the list.
    fn list<P: TraceInput>(&mut self) -> Vec<P> {
        let Some(count) = self.counts.next() else {
            let reason = format!(
                "how long the list `{}` is cannot be seen from its type: `Program::trace_like` takes it from arguments",
                self.path
            );
            mistake(|at| Mistake::IllTyped { reason, at });
            return Vec::new();
        };
        (0..*count).map(|k| self.part(&k.to_string())).collect()
    }
}

/// The results of a program that is being traced.
#[derive(Debug, Default)]
pub struct Outputs(pub(super) Vec<Id>);

impl Outputs {
    /// Adds the values of a handle, or of what becomes one.
    #[track_caller]
    pub fn handle(&mut self, value: impl IntoHandle) {
        self.0.extend(ids(value.into_handle()));
    }
}

macro_rules! inputs {
    ($([$($generics:tt)*] $T:ty;)+) => {$(
        impl<$($generics)*> TraceInput for $T {
            fn input(from: &mut Inputs<'_>) -> Self {
                from.handle()
            }
            fn add_to(self, to: &mut Outputs) {
                to.handle(self);
            }
        }
        outputs! { [$($generics)*] $T; }
    )+};
}

macro_rules! outputs {
    ($([$($generics:tt)*] $T:ty;)+) => {$(
        impl<$($generics)*> TraceOutput for $T {
            #[track_caller]
            fn output(self, to: &mut Outputs) {
                to.handle(self);
            }
        }
    )+};
}

inputs! {
    [] F64;
    [] F32;
    [] F16;
    [] I64;
    [] I32;
    [] I16;
    [] I8;
    [] U64;
    [] U32;
    [] U16;
    [] U8;
    [] Bool;
    [T: Handle] Arr<T>;
}

outputs! {
    [] f64;
    [] i64;
    [] bool;
    [T: IntoHandle + Clone] &[T];
    [T: IntoHandle + Clone, const N: usize] [T; N];
    [T: IntoHandle + Clone, const N: usize] &[T; N];
    [T: IntoHandle + Clone] Vec<T>;
    [T: IntoHandle + Clone] &Vec<T>;
}

impl<P: TraceInput> TraceInput for Vec<P> {
    fn input(from: &mut Inputs<'_>) -> Self {
        from.list()
    }
    fn add_to(self, to: &mut Outputs) {
        self.into_iter().for_each(|part| part.add_to(to));
    }
}

impl<P: TraceInput, const N: usize> TraceInput for [P; N] {
    fn input(from: &mut Inputs<'_>) -> Self {
        core::array::from_fn(|k| from.part(&k.to_string()))
    }
    fn add_to(self, to: &mut Outputs) {
        self.into_iter().for_each(|part| part.add_to(to));
    }
}

macro_rules! tuples {
    ($(($($T:ident $k:tt),+);)+) => {$(
        impl<$($T: TraceInput),+> TraceInput for ($($T,)+) {
            fn input(from: &mut Inputs<'_>) -> Self {
                ($(from.part::<$T>(stringify!($k)),)+)
            }
            fn add_to(self, to: &mut Outputs) {
                $(self.$k.add_to(to);)+
            }
        }

        impl<$($T: TraceOutput),+> TraceOutput for ($($T,)+) {
            #[track_caller]
            fn output(self, to: &mut Outputs) {
                $(self.$k.output(to);)+
            }
        }
    )+};
}

tuples! {
    (A 0);
    (A 0, B 1);
    (A 0, B 1, C 2);
    (A 0, B 1, C 2, D 3);
    (A 0, B 1, C 2, D 3, E 4);
    (A 0, B 1, C 2, D 3, E 4, F 5);
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6);
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7);
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8);
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9);
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10);
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11);
}

/// A handle as a parameter and a result of a program.
pub(crate) struct Whole<H>(pub(crate) H);

impl<H: Handle> TraceInput for Whole<H> {
    fn input(from: &mut Inputs<'_>) -> Self {
        Whole(from.handle())
    }
    fn add_to(self, to: &mut Outputs) {
        to.handle(self.0);
    }
}

impl<H: Handle> TraceOutput for Whole<H> {
    fn output(self, to: &mut Outputs) {
        to.handle(self.0);
    }
}
