//! Sizes as sums: of an array that is put together of others, and of numbers that are computed from sizes.
//!
//! Law: a number is the sum of these multiples of sizes and numbers, and of this constant, modulo 2⁶⁴; two sizes that
//! have the same sum are equal, as no size is negative (tests/transform/sizes.rs).

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::agree::Extent;
use super::operation::Op;
use super::program::{Atom, Stm, Var};
use super::scalar::{IntegerRow, ScalarOp};
use super::sizes::SizeTable;
use super::types::Const;

/// No longer sums are followed.
const MAX_TERMS: usize = 16;

/// Multiples of sizes and numbers, each of which is there once, and a constant.
#[derive(Debug, Clone, Default)]
pub(super) struct Sum {
    terms: SmallVec<[(Extent, i64); 4]>,
    constant: i64,
}

impl Sum {
    fn one(extent: Extent) -> Self {
        let mut terms = SmallVec::new();
        terms.push((extent, 1));
        Sum { terms, constant: 0 }
    }

    fn number(constant: i64) -> Self {
        Sum { constant, ..Sum::default() }
    }

    /// This sum plus `times` times another.
    fn plus(mut self, times: i64, other: &Sum) -> Self {
        self.constant = self.constant.wrapping_add(times.wrapping_mul(other.constant));
        for (extent, count) in &other.terms {
            let more = times.wrapping_mul(*count);
            match self.terms.iter_mut().find(|(of, _)| of == extent) {
                Some((_, count)) => *count = count.wrapping_add(more),
                None => self.terms.push((*extent, more)),
            }
        }
        self
    }

    /// The sum with others in place of its terms.
    pub(super) fn map(&self, change: impl Fn(Extent) -> Extent) -> Self {
        let with = |sum: Sum, (extent, count): &(Extent, i64)| sum.plus(*count, &Sum::of(change(*extent)));
        self.terms.iter().fold(Sum::number(self.constant), with)
    }

    fn of(extent: Extent) -> Self {
        if let Extent::Number(Atom::Const(Const::I64(n))) = extent { Sum::number(n) } else { Sum::one(extent) }
    }

    pub(super) fn equals(&self, other: &Sum) -> bool {
        let difference = self.clone().plus(-1, other);
        difference.constant == 0 && difference.terms.iter().all(|(_, count)| *count == 0)
    }
}

/// What is known to be a sum.
#[derive(Debug, Default)]
pub(super) struct Sums {
    numbers: FxHashMap<Var, Sum>,
    /// The lengths of arrays that are put together.
    lengths: FxHashMap<Var, Sum>,
}

impl Sums {
    /// The sum that a size is.
    pub(super) fn of(&self, sizes: &SizeTable, extent: Extent) -> Sum {
        let known = match extent {
            Extent::Number(Atom::Var(var)) => self.numbers.get(&var),
            Extent::Of(Atom::Var(var), 0) => self.lengths.get(&var),
            Extent::Number(Atom::Const(_)) | Extent::Of(..) => None,
        };
        match known {
            Some(sum) => sum.clone(),
            None => match extent {
                // The size that it is may be known otherwise.
                Extent::Number(number) if sizes.number(number) != extent => self.of(sizes, sizes.number(number)),
                Extent::Number(_) | Extent::Of(..) => Sum::of(extent),
            },
        }
    }

    /// Learns what a statement says of its variable.
    pub(super) fn learn(&mut self, sizes: &SizeTable, stm: &Stm) {
        let [var] = stm.vars[..] else { return };
        let number = |a: Atom| self.of(sizes, Extent::Number(a));
        let constant = |sum: &Sum| sum.terms.is_empty().then_some(sum.constant);
        match &stm.op {
            Op::Scalar(op, operands) => {
                let sum = match (op, &operands[..]) {
                    (ScalarOp::Add, [a, b]) => Some(number(*a).plus(1, &number(*b))),
                    (ScalarOp::Integer(IntegerRow::Sub), [a, b]) => Some(number(*a).plus(-1, &number(*b))),
                    (ScalarOp::Mul, [a, b]) => {
                        let (a, b) = (number(*a), number(*b));
                        let times = |count: i64, of: &Sum| Sum::default().plus(count, of);
                        constant(&a).map(|n| times(n, &b)).or_else(|| constant(&b).map(|n| times(n, &a)))
                    }
                    _ => None,
                };
                set(&mut self.numbers, var, sum);
            }
            Op::Concat(arrays) => {
                let lengths = arrays.iter().map(|a| self.of(sizes, sizes.of(*a)[0]));
                let sum = lengths.fold(Sum::default(), |sum, length| sum.plus(1, &length));
                set(&mut self.lengths, var, Some(sum));
            }
            _ => {}
        }
    }
}

fn set(of: &mut FxHashMap<Var, Sum>, var: Var, sum: Option<Sum>) {
    match sum.filter(|sum| sum.terms.len() <= MAX_TERMS) {
        Some(sum) => drop(of.insert(var, sum)),
        None => drop(of.remove(&var)),
    }
}
