//! Functions of Rust in traced programs: one statement, of any arguments and results.
//!
//! Law: the results have the types and sizes of what they are said to be like (tests/array/foreign.rs).

use super::IntoHandle;
use super::handles::{handle, ids};
use super::scope::{Id, emit, emit_one};
use crate::array::{Const, Foreign, ForeignFunction, Op};
use crate::primitives::Rule;
use crate::term::ErasedRule;

/// The results of a function of Rust.
#[track_caller]
pub(crate) fn foreign<X: IntoHandle, L: IntoHandle>(function: ForeignFunction, arguments: X, like: L) -> L::Handle {
    let arguments = ids(arguments.into_handle());
    let all = [&arguments[..], &ids(like.into_handle())].concat();
    handle(emit(&all, |mut operands| {
        let like = operands.split_off(arguments.len());
        Op::Foreign(Box::new(Foreign { function, arguments: operands, like }))
    }))
}

/// The value of a user's rule, of the kind of this zero.
#[track_caller]
pub(super) fn ruled<R: Rule<N>, const N: usize>(rule: &R, x: &[Id], zero: Const) -> Id {
    let function = ForeignFunction::rule(ErasedRule::new(rule));
    emit_one(x, |arguments| Op::Foreign(Box::new(Foreign { function, arguments, like: vec![zero.into()] })))
}
