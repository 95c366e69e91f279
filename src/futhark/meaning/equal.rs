//! Structural equality of values.
//!
//! Law: two values are equal if they have the same form and equal leaves; payloads that a value does not have are not compared
//! (tests/language/interpret.rs).

use std::rc::Rc;

use super::eval::Evaluator;
use super::types::{Evaluated, Leaf};
use super::value::{Value, unchecked};
use super::{Meaning, Outcome, Reduction};
use crate::array::{Const, ScalarOp};
use crate::futhark::core::Prim;
use crate::futhark::source::Span;

impl<'p, M: Meaning> Evaluator<'p, M> {
    /// Whether two values of one type are equal.
    pub(super) fn equal(
        &self,
        at: Span,
        of: &Evaluated<M::Data>,
        first: Value<'p, M::Data>,
        second: Value<'p, M::Data>,
    ) -> Outcome<M::Data> {
        match (of, first, second) {
            (Evaluated::Array(_, element), first, second) if of.has_sum() => {
                self.equal_elements(at, element, first, second)
            }
            (Evaluated::Record(fields), Value::Record(first), Value::Record(second)) => {
                let mut all = self.truth(true);
                let pairs = Rc::unwrap_or_clone(first).into_iter().zip(Rc::unwrap_or_clone(second));
                for (of, (first, second)) in fields.iter().zip(pairs) {
                    let equal = self.equal(at, of, first, second)?;
                    all = self.join(at, ScalarOp::Mul, all, equal)?;
                }
                Ok(all)
            }
            (Evaluated::Sum(constructors), Value::Sum(first), Value::Sum(second)) => {
                let mut all = self.meaning.equal(at, &first.0, &second.0)?;
                for (number, types) in constructors.iter().enumerate() {
                    let tag = self.meaning.constant(Const::I64(number as i64));
                    let this = self.meaning.equal(at, &first.0, &tag)?;
                    let mut same = self.meaning.scalar(at, ScalarOp::Not, &[this])?;
                    let mut payload = self.truth(true);
                    for ((of, first), second) in types.iter().zip(&first.1[number]).zip(&second.1[number]) {
                        let equal = self.equal(at, of, first.clone(), second.clone())?;
                        payload = self.join(at, ScalarOp::Mul, payload, equal)?;
                    }
                    same = self.join(at, ScalarOp::Add, same, payload)?;
                    all = self.join(at, ScalarOp::Mul, all, same)?;
                }
                Ok(all)
            }
            (_, first, second) => {
                let (first, second) = (first.into_leaves(at)?, second.into_leaves(at)?);
                first.iter().zip(&second).try_fold(self.truth(true), |all, (first, second)| {
                    let equal = self.meaning.equal(at, first, second)?;
                    self.join(at, ScalarOp::Mul, all, equal)
                })
            }
        }
    }

    /// Arrays with sums in them are compared element by element.
    fn equal_elements(
        &self,
        at: Span,
        element: &Evaluated<M::Data>,
        first: Value<'p, M::Data>,
        second: Value<'p, M::Data>,
    ) -> Outcome<M::Data> {
        let m = self.meaning;
        let sizes = [m.size(first.leaf(at)?, 0), m.size(second.leaf(at)?, 0)];
        let same_size = m.equal(at, &sizes[0], &sizes[1])?;
        if m.decide(&same_size) == Some(false) {
            return Ok(same_size);
        }
        let (mut leaves, count) = (first.into_leaves(at)?, element.leaves().len());
        leaves.extend(second.into_leaves(at)?);
        let truth = Leaf { kind: Prim::Bool, shape: Vec::new(), tag: false };
        let equal = m.map(at, leaves, &[truth], &mut |mut leaves| {
            let second = leaves.split_off(count);
            Ok(vec![self.equal(at, element, Value::of(leaves, element, at)?, Value::of(second, element, at)?)?])
        })?;
        let neutral = vec![self.truth(true)];
        let both = &mut |pair: Vec<M::Data>| Ok(vec![m.scalar(at, ScalarOp::Mul, &pair)?]);
        let all = m.reduce(at, Reduction::Whole { commutative: true }, both, neutral, equal)?;
        let all = all.into_iter().next().map_or_else(|| unchecked(at, "a truth value"), Ok)?;
        self.join(at, ScalarOp::Mul, same_size, all)
    }

    fn truth(&self, value: bool) -> M::Data {
        self.meaning.constant(Const::Bool(value))
    }

    fn join(&self, at: Span, op: ScalarOp, first: M::Data, second: M::Data) -> Outcome<M::Data> {
        self.meaning.scalar(at, op, &[first, second])
    }
}
