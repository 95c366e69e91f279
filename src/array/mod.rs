//! Array programs: second-order array combinators as data, with scalars of the table in their bodies.
//!
//! A [`Program`] is a list of parameters and a [`Body`] in A-normal form: every statement binds the results of one
//! operation to new variables, and operands are variables or constants. Array combinators hold [`Lambda`]s, whose
//! bodies are of the same kind and may mention the variables around them. Tuples are several results.
//!
//! Law: a variable is bound once, before it is used, and its type is that of what binds it; the verifier's header lists
//! every invariant (the core language of "Reverse AD for a Functional Array Language with Nested Parallelism", with
//! ranks in the types; sizes are checked where they meet). What follows of sizes is in one place, the [`SizeTable`] of a program
//! (laws: arrays, laws: array_sizes).

mod agree;
mod build;
mod foreign;
mod infer;
mod iteration;
mod latex;
mod operation;
mod part;
mod picture;
mod program;
mod renumber;
mod scalar;
mod shape;
mod size_inference;
mod size_sums;
mod sizes;
mod sort;
pub mod text;
pub mod trace;
mod types;
mod typing;
mod verify;
mod visit;

pub(crate) use agree::compared;
pub use agree::{Agreement, Extent};
pub use build::{Builder, constant, index};
pub use foreign::ForeignFunction;
pub(crate) use foreign::ForeignKind;
pub use infer::{Reason, Types, result_types};
pub use iteration::{Form, Policy};
pub use operation::{Agree, Custom, Foreign, Hist, Loop, Map, Op, Operands, Range, Reduce, Scatter};
pub(crate) use operation::{Class, Opcode, Role};
pub(crate) use part::Rebuild;
pub use picture::Picture;
pub use program::{Atom, Body, Lambda, Program, Stm, Var, Vars};
pub use scalar::{Integer, IntegerRow, ScalarOp};
pub(crate) use shape::{Shape, Shapes, SizeDomain};
pub use sizes::SizeTable;
pub(crate) use sort::sorted;
pub use types::{Const, Prim, Type};
pub(crate) use types::{for_integers, for_numbers};
pub(crate) use typing::{Known, Typing};
pub use verify::MAX_DEPTH;
pub(crate) use verify::deeper;
pub(crate) use visit::{
    Key, Nested, atoms_in, atoms_mut, atoms_of, binders, dependences, free, has_bodies, has_effect, needed, params,
    statements, sweep,
};
#[cfg(feature = "mpi")]
pub(crate) use visit::{mentioned, mentioned_by};
