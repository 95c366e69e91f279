//! What is known of values and buffers at a place in code.
//!
//! Law: integers are polynomials but for multiples of 2^64; where a length is known, it is so to the last bit (tests/execute/ranges.rs).

use std::rc::Rc;

use super::code::{Buffer, Code, Operand, Port, Value};
use super::conditions::Condition;
use super::inequalities::Inequalities;
use super::polynomial::Polynomial;
use crate::array::Prim;

/// Any integer of 64 bits.
pub(super) const ANY: (i128, i128) = (i64::MIN as i128, i64::MAX as i128);

/// What is known.
pub(super) struct Knowledge<'c> {
    pub(super) code: &'c Code,
    pub(super) known: Inequalities,
    /// Integers and truth values as they are here; those that are not there are anything.
    pub(super) integers: Vec<Option<Polynomial>>,
    truths: Vec<Option<Rc<Condition>>>,
    /// For products of sizes, each capped just above the most elements there are: the product itself, which is no larger if this is not.
    pub(super) capped: Vec<Option<Polynomial>>,
    /// How many elements buffers have, where that is known to the last bit.
    pub(super) lengths: Vec<Option<Polynomial>>,
    /// The least and the greatest integer in buffers that are the same in every run.
    pub(super) contents: Vec<Option<(i64, i64)>>,
    /// Conditions of which one is true, each with another.
    pub(super) aside: Vec<Rc<Condition>>,
}

/// What is known of some values, and the lengths of some buffers.
pub(super) type State = (Vec<(Value, Option<Polynomial>, Option<Rc<Condition>>)>, Vec<(Buffer, Option<Polynomial>)>);

impl<'c> Knowledge<'c> {
    pub(super) fn of(code: &'c Code) -> Self {
        let (values, buffers) = (code.values.len(), code.buffers.len());
        let mut here = Knowledge {
            code,
            known: Inequalities::default(),
            integers: vec![None; values],
            truths: vec![None; values],
            capped: vec![None; values],
            lengths: vec![None; buffers],
            contents: vec![None; buffers],
            aside: Vec::new(),
        };
        for (k, port) in code.inputs.iter().enumerate() {
            let Port::Array { buffer, sizes } = port else { continue };
            let known = k.checked_sub(code.given).map(|k| &code.constants[k]);
            // An array of one dimension is all in memory, of which there are fewer than 2^63 bytes.
            let bytes = if code.buffers[buffer.0 as usize].prim == Prim::F64 { 8 } else { 1 };
            let most = if sizes.len() == 1 { ANY.1 / bytes } else { ANY.1 };
            let mut length = Some(Polynomial::constant(1));
            for (d, size) in sizes.iter().enumerate() {
                let size_is = match known {
                    Some(known) => Polynomial::constant(known.sizes[d] as i128),
                    None => here.known.atom((0, most)),
                };
                length = length.and_then(|length| length.times(&size_is));
                here.integers[size.0 as usize] = Some(size_is);
            }
            here.lengths[buffer.0 as usize] = length;
            here.contents[buffer.0 as usize] = known.and_then(|known| known.range);
        }
        here
    }

    /// The range of a kind of integers.
    pub(super) fn of_kind(prim: Prim) -> (i128, i128) {
        match prim {
            Prim::Bool => (0, 1),
            // The bits of large ones are those of negative numbers.
            Prim::U64 => ANY,
            prim if prim.is_real() => ANY,
            prim => prim.bounds(),
        }
    }

    /// An integer.
    pub(super) fn integer(&mut self, x: Operand) -> Polynomial {
        match x {
            Operand::Const(constant) => match constant.integer() {
                Some(n) if constant.prim() != Prim::U64 => Polynomial::constant(n),
                _ => self.known.atom(Self::of_kind(Prim::U64)),
            },
            Operand::Value(value) => {
                let at = value.0 as usize;
                if let Some(known) = &self.integers[at] {
                    return known.clone();
                }
                let new = self.known.atom(Self::of_kind(self.code.prim(x)));
                self.integers[at] = Some(new.clone());
                new
            }
        }
    }

    /// A truth value.
    pub(super) fn truth(&self, x: Operand) -> Rc<Condition> {
        match x {
            Operand::Const(constant) => Rc::new(match constant.integer() {
                Some(n) => Condition::Known(n != 0),
                None => Condition::Other,
            }),
            Operand::Value(value) => self.truths[value.0 as usize].clone().unwrap_or_else(|| Rc::new(Condition::Other)),
        }
    }

    pub(super) fn set(&mut self, value: Value, integer: Option<Polynomial>, truth: Option<Rc<Condition>>) {
        let at = value.0 as usize;
        (self.integers[at], self.truths[at], self.capped[at]) = (integer, truth, None);
    }

    pub(super) fn varies(&self, x: Operand) -> bool {
        x.value().is_some_and(|value| self.code.values[value.0 as usize].varying)
    }

    pub(super) fn assume(&mut self, condition: &Rc<Condition>, truth: bool) {
        self.known.assume_that(condition, truth, &mut self.aside);
    }

    /// Takes it that there is an iteration, and what follows of what was put aside.
    pub(super) fn assume_some(&mut self, count: &Polynomial) {
        if !self.known.is_held(count) {
            return;
        }
        count.plus_constant(-1).into_iter().for_each(|p| self.known.assume(&p));
        let mut more = Vec::new();
        for condition in &self.aside {
            self.known.assume_that(condition, true, &mut more);
        }
    }

    /// An index of a loop with a count.
    pub(super) fn index(&mut self, count: &Polynomial) -> Polynomial {
        let index = self.known.atom((0, i128::from(i64::MAX) - 1));
        if self.known.is_held(count) {
            let below = count.plus_constant(-1).and_then(|last| last.minus(&index));
            below.into_iter().for_each(|p| self.known.assume(&p));
        }
        index
    }

    /// Forgets what the statements set.
    pub(super) fn forget(&mut self, set: &[Value]) {
        set.iter().for_each(|value| self.set(*value, None, None));
    }

    /// Whether an index is not negative, and less than a length.
    pub(super) fn is_below(&self, index: &Polynomial, length: &Polynomial) -> bool {
        let behind = length.minus(index).and_then(|p| p.plus_constant(-1));
        behind.is_some_and(|p| self.known.is_not_negative(&p)) && self.known.is_not_negative(index)
    }

    /// Takes it that an index, which 64 bits hold, is less than a length and not negative.
    pub(super) fn assume_below(&mut self, index: &Polynomial, length: &Polynomial) {
        self.known.assume(index);
        if self.known.is_held(length) {
            let behind = length.minus(index).and_then(|p| p.plus_constant(-1));
            behind.into_iter().for_each(|p| self.known.assume(&p));
        }
    }

    /// One of two integers.
    pub(super) fn either(&mut self, a: &Polynomial, b: &Polynomial) -> Polynomial {
        if a == b {
            return a.clone();
        }
        if !self.known.is_held(a) || !self.known.is_held(b) {
            return self.known.atom(ANY);
        }
        let (of_a, of_b) = (self.known.range(a), self.known.range(b));
        let range = (of_a.0.min(of_b.0).max(ANY.0), of_a.1.max(of_b.1).min(ANY.1));
        self.known.either_of([a.clone(), b.clone()], range)
    }

    /// What is known of these.
    pub(super) fn state(&self, set: &[Value], resized: &[Buffer]) -> State {
        let of = |value: &Value| {
            let at = value.0 as usize;
            (*value, self.integers[at].clone(), self.truths[at].clone())
        };
        (set.iter().map(of).collect(), resized.iter().map(|b| (*b, self.lengths[b.0 as usize].clone())).collect())
    }

    pub(super) fn restore(&mut self, (values, lengths): State) {
        values.into_iter().for_each(|(value, integer, truth)| self.set(value, integer, truth));
        lengths.into_iter().for_each(|(buffer, length)| self.lengths[buffer.0 as usize] = length);
    }
}
