//! Random programs over `0 1 + ×`: straight lines of sums and products in which values are shared.
//!
//! Law: a program has one meaning per semiring, and its meaning in the provenance polynomials decides all others; the
//! derivative of a polynomial by the power rule is therefore a second opinion on every carrier that has tangents
//! (tests/laws/instances.rs).

use catadiff::Semiring;
use catadiff::algebra::plain::Provenance;
use num_traits::{One, Zero};
use quickcheck::{Arbitrary, Gen};

use crate::approx::{Bound, Same, VARIABLES};

/// Degrees end here, lest a chain of squarings outgrow every exact number: beyond it a product is taken as a sum.
const DEGREE: u32 = 6;

/// Coefficients end here, those of constants too: as a term without an arena a constant is below 2⁶⁴. Beyond it the left operand
/// stands alone.
const COEFFICIENTS: u64 = 1 << 40;

/// A sequence of sums and products, each of two earlier values; the last is the result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program(Vec<Step>);

/// The operands are counted from the inputs on, modulo what is there, so that every list of steps is a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Step {
    multiply: bool,
    operands: (usize, usize),
}

impl Program {
    /// Runs the program on [`VARIABLES`] inputs, in any semiring.
    ///
    /// # Panics
    /// If there are no inputs.
    pub fn run<S: Semiring>(&self, inputs: &[S]) -> S {
        // Each with its degree and the sum of its coefficients.
        let mut values: Vec<(S, u32, u64)> =
            inputs.iter().map(|x| (x.clone(), 1, 1)).chain([(S::one(), 0, 1)]).collect();
        let fits = |degree: u32, sum: u64| degree <= DEGREE && sum <= COEFFICIENTS;
        for Step { multiply, operands: (left, right) } in &self.0 {
            let operand = |n: usize| values[n % values.len()].clone();
            let ((a, m, c), (b, n, d)) = (operand(*left), operand(*right));
            values.push(if *multiply && fits(m + n, c.saturating_mul(d)) {
                (a * b, m + n, c * d)
            } else if fits(m.max(n), c + d) {
                (a + b, m.max(n), c + d)
            } else {
                (a, m, c)
            });
        }
        values.pop().map(|(result, ..)| result).expect("the inputs are values")
    }

    /// The polynomial the program computes.
    #[must_use]
    pub fn polynomial(&self) -> Provenance<usize> {
        self.run(&core::array::from_fn::<_, VARIABLES, _>(Provenance::variable))
    }

    /// The derivative of that polynomial by a variable: each `c·xⁿ` becomes `c·n·xⁿ⁻¹`.
    #[must_use]
    pub fn derivative(&self, by: usize) -> Provenance<usize> {
        let mut sum = Provenance::zero();
        for (count, powers) in self.polynomial().terms() {
            let mut term = Provenance::zero();
            let mut others = Provenance::one();
            for (variable, power) in powers {
                let times = |n: u32| (0..n).fold(Provenance::one(), |p, _| p * Provenance::variable(*variable));
                if *variable == by {
                    term = Provenance::from(count) * Provenance::from(u64::from(power)) * times(power - 1);
                } else {
                    others = others * times(power);
                }
            }
            sum = sum + term * others;
        }
        sum
    }
}

impl Same for Program {
    fn same(&self, other: &Self, _: Bound) -> bool {
        self == other
    }
    fn show(&self) -> String {
        let steps = self.0.iter().map(|step| {
            let (a, b) = step.operands;
            format!("#{a} {} #{b}", if step.multiply { "×" } else { "+" })
        });
        format!("[{}], which is {:?}", steps.collect::<Vec<_>>().join(", "), self.polynomial())
    }
}

impl Arbitrary for Program {
    fn arbitrary(g: &mut Gen) -> Self {
        let steps = usize::arbitrary(g) % g.size();
        let step = |n: usize| {
            // Recent values more often than old ones, so that most of what is computed is used.
            let mut operand = || [usize::arbitrary(g), n + VARIABLES][usize::arbitrary(g) % 2] % (n + VARIABLES + 1);
            let operands = (operand(), operand());
            Step { multiply: bool::arbitrary(g), operands }
        };
        Program((0..steps).map(step).collect())
    }
    fn shrink(&self) -> Box<dyn Iterator<Item = Self>> {
        let steps = self.0.clone();
        Box::new((0..steps.len()).map(move |gone| {
            let kept = steps.iter().enumerate().filter(|(n, _)| *n != gone);
            Program(kept.map(|(_, step)| *step).collect())
        }))
    }
}
