//! Operations on scalars, conditionals, loops and checks.
//!
//! Law: a scalar is computed with all derivatives it carries, and a condition decides at once
//! (tests/language/interpret.rs, tests/language/conversions.rs).

use super::Interpreter;
use super::array::Data;
use super::scalar::{Scalar, same};
use crate::array::{Const, ScalarOp};
use crate::futhark::core::Prim;
use crate::futhark::meaning::{Code, Control, Outcome, Policy, Scalars};
use crate::futhark::source::{Message, Span};

impl Scalars for Interpreter {
    type Data = Data;

    const CONCRETE: bool = true;

    const CALLS: u32 = 10_000;

    fn constant(&self, constant: Const) -> Data {
        Data::Scalar(constant.into())
    }

    fn scalar(&self, at: Span, op: ScalarOp, operands: &[Data]) -> Outcome<Data> {
        let value = match operands {
            [x] => self.engine.apply(at, op, core::slice::from_ref(x.scalar())),
            _ => {
                let operands: Vec<Scalar> = operands.iter().map(|x| x.scalar().clone()).collect();
                self.engine.apply(at, op, &operands)
            }
        };
        value.map(Data::Scalar)
    }

    fn equal(&self, _: Span, first: &Data, second: &Data) -> Outcome<Data> {
        let mut pairs = first.elements().iter().zip(second.elements());
        let equal = first.shape() == second.shape() && pairs.all(|(first, second)| same(first, second));
        Ok(Data::Scalar(Const::Bool(equal).into()))
    }

    fn decide(&self, condition: &Data) -> Option<bool> {
        Some(condition.scalar().truth())
    }
}

impl Control for Interpreter {
    fn branch(&self, _: Span, condition: &Data, arm: &mut dyn FnMut(bool) -> Outcome<Vec<Data>>) -> Outcome<Vec<Data>> {
        arm(condition.scalar().truth())
    }

    fn repeat(
        &self,
        at: Span,
        kind: Prim,
        bound: &Data,
        initial: Vec<Data>,
        _: &Policy<Data>,
        body: &mut dyn FnMut(Data, Vec<Data>) -> Outcome<Vec<Data>>,
    ) -> Outcome<Vec<Data>> {
        let mut state = initial;
        for i in 0..bound.integer() {
            self.step(at)?;
            state = body(self.constant(Const::wrapped(i, kind)), state)?;
        }
        Ok(state)
    }

    fn repeat_while(
        &self,
        at: Span,
        initial: Vec<Data>,
        _: &Policy<Data>,
        condition: &mut Code<'_, Data>,
        body: &mut Code<'_, Data>,
    ) -> Outcome<Vec<Data>> {
        let mut state = initial;
        while condition(state.clone())?.iter().all(|answer| answer.scalar().truth()) {
            self.step(at)?;
            state = body(state)?;
        }
        Ok(state)
    }

    fn require(&self, at: Span, condition: &Data, code: &'static str, text: &str) -> Outcome<()> {
        if condition.scalar().truth() { Ok(()) } else { Err(Message::error(code, at, text)) }
    }

    fn same_size(&self, at: Span, wanted: &Data, found: &Data, what: &str) -> Outcome<()> {
        let (wanted, found) = (wanted.integer(), found.integer());
        if wanted == found {
            return Ok(());
        }
        Err(Message::error("size", at, format!("{what} has a dimension of size {found}, where {wanted} is wanted")))
    }

    fn step(&self, at: Span) -> Outcome<()> {
        self.meter.step(at)
    }
}
