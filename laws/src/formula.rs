//! Random formulas: straight lines of sums, products and primitives, defined at every point.
//!
//! Law: an argument of a primitive is first squeezed into the interval on which its row is smooth, so a formula has a
//! finite value and all derivatives wherever its inputs are moderate, whatever its rows (tests/laws/instances.rs).

use catadiff::primitives::{Elementary, Primitive};
use quickcheck::{Arbitrary, Gen};

use crate::approx::{Bound, Same, VARIABLES};

/// Formulas are no longer than this, so that values stay of moderate size.
const STEPS: usize = 8;

/// A sequence of operations, each on earlier values; the last is the result.
#[derive(Debug, Clone, PartialEq)]
pub struct Formula(Vec<Step>);

/// The operands are counted from the inputs on, modulo what is there, so that every list of steps is a formula.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Step {
    operation: Operation,
    operands: [usize; 3],
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Operation {
    Sum,
    Product,
    Row(Primitive),
}

impl Formula {
    /// Every value of the formula, the inputs included, in any carrier.
    ///
    /// # Panics
    /// If there are no inputs.
    pub fn trace<C: Elementary>(&self, inputs: &[C]) -> Vec<C> {
        let mut values = inputs.to_vec();
        for Step { operation, operands } in &self.0 {
            let operand = |n: usize| values[operands[n] % values.len()].clone();
            let value = match operation {
                Operation::Sum => operand(0) + operand(1),
                // Products of squeezed factors: a chain of squarings would soon overflow.
                Operation::Product => squeezed(operand(0), (-2.0, 2.0)) * operand(1),
                Operation::Row(row) => {
                    let x: Vec<C> = row.smooth().iter().enumerate().map(|(n, on)| squeezed(operand(n), *on)).collect();
                    row.apply(&x)
                }
            };
            values.push(value);
        }
        values
    }

    /// The value of the formula, in any carrier.
    ///
    /// # Panics
    /// If there are no inputs.
    pub fn run<C: Elementary>(&self, inputs: &[C]) -> C {
        self.trace(inputs).pop().expect("the inputs are values")
    }
}

/// A number of the interval that depends smoothly on any number.
fn squeezed<C: Elementary>(x: C, (low, high): (f64, f64)) -> C {
    // Away from the ends, where the row may not be smooth.
    let (low, width) = (low + 0.05 * (high - low), 0.9 * (high - low));
    C::constant(low) + C::constant(width) * x.sigmoid()
}

impl Same for Formula {
    fn same(&self, other: &Self, _: Bound) -> bool {
        self == other
    }
    fn show(&self) -> String {
        let steps = self.0.iter().enumerate().map(|(n, Step { operation, operands: [a, b, c] })| {
            let name = |operand: &usize| format!("#{}", operand % (VARIABLES + n));
            match operation {
                Operation::Sum => format!("{} + {}", name(a), name(b)),
                Operation::Product => format!("{} × {}", name(a), name(b)),
                Operation::Row(row) => {
                    let operands: Vec<String> = [a, b, c].into_iter().take(row.arity()).map(name).collect();
                    format!("{}({})", row.name(), operands.join(", "))
                }
            }
        });
        format!("[{}]", steps.collect::<Vec<_>>().join("; "))
    }
}

impl Arbitrary for Formula {
    fn arbitrary(g: &mut Gen) -> Self {
        let steps = usize::arbitrary(g) % (STEPS + 1);
        let step = |n: usize| {
            let there = VARIABLES + n;
            // Recent values more often than old ones, so that most of what is computed is used.
            let mut operand = || [usize::arbitrary(g) % there, there - 1][usize::arbitrary(g) % 2];
            let operands = [operand(), operand(), operand()];
            let row = g.choose(Primitive::ALL).copied().map_or(Operation::Sum, Operation::Row);
            let operation = *g.choose(&[Operation::Sum, Operation::Product, row, row]).unwrap_or(&row);
            Step { operation, operands }
        };
        Formula((0..steps).map(step).collect())
    }
    fn shrink(&self) -> Box<dyn Iterator<Item = Self>> {
        let steps = self.0.clone();
        Box::new((0..steps.len()).rev().map(move |gone| {
            let kept = steps.iter().enumerate().filter(|(n, _)| *n != gone);
            Formula(kept.map(|(_, step)| *step).collect())
        }))
    }
}
