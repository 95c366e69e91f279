//! The verifier and the text form of array programs: random programs, each kind of broken invariant, and syntax errors.

use catadiff::Error;
use catadiff::array::{
    Atom, Body, Builder, Const, DEEPEST, IntegerRow, Lambda, Map, Op, Prim, Program, ScalarOp, Stm, Type, Var, index,
};
use catadiff::primitives::Primitive;
use catadiff_laws::{ArrayProgram, Verdict, arrays, for_all};

#[test]
fn random_programs_verify() -> Verdict {
    for_all(|p: ArrayProgram| arrays::verifies(&p))
}

#[test]
fn random_programs_print_and_parse() -> Verdict {
    for_all(|p: ArrayProgram| arrays::text(&p))
}
