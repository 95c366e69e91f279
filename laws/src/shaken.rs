//! Numbers that round at random: the distance of two runs shows how many digits of a result are right.
//!
//! Law: each operation is right but for the last two bits, and no two alike, so what another order of sums, or a
//! product that is added in one rounding, may change is changed (Parker, "Monte Carlo Arithmetic", 1997)
//! (tests/laws/executors.rs).

use core::cell::Cell;
use core::ops::{Add, Mul};

use catadiff::array::Program;
use catadiff::interpret::{Limits, Value, run};
use catadiff::primitives::{Elementary, Primitive, Rule, f16};
use num_traits::{One, Zero};

use crate::array_values::same_sizes;

/// How many roundings at random say how far two runs may differ: the most that one of them moves a result, this many times, since
/// each of them is one of many that there are.
const ROUNDINGS: u64 = 8;

/// A number that rounds at random.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
struct Shaken(f64);

thread_local! {
    /// What the next rounding is drawn from.
    static STATE: Cell<u64> = const { Cell::new(0) };
}

/// By how many units in the last place, about, a number is off.
fn units() -> f64 {
    let state = STATE.get().wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    STATE.set(state);
    [-2.0, -1.0, 1.0, 2.0][(state >> 62) as usize]
}

fn shaken(x: f64) -> Shaken {
    Shaken(x + x * units() * f64::EPSILON)
}

impl Add for Shaken {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        shaken(self.0 + other.0)
    }
}

impl Mul for Shaken {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        shaken(self.0 * other.0)
    }
}

impl Zero for Shaken {
    fn zero() -> Self {
        Shaken(0.0)
    }
    fn is_zero(&self) -> bool {
        self.0 == 0.0
    }
}

impl One for Shaken {
    fn one() -> Self {
        Shaken(1.0)
    }
}

catadiff::operators!([] Shaken, []);

impl Elementary for Shaken {
    fn constant(value: f64) -> Self {
        Shaken(value)
    }

    fn primal(&self) -> Option<f64> {
        Some(self.0)
    }

    fn apply<R: Rule<N>, const N: usize>(rule: &R, x: [Self; N]) -> Self {
        let value = rule.value(x.map(|x| x.0));
        let step = match rule.primitive() {
            Some(Primitive::Half) => f16::EPSILON.into(),
            Some(Primitive::Single) => f32::EPSILON.into(),
            _ => 0.0,
        };
        // What has as few digits already is not rounded.
        if step > 0.0 && value != x[0].0 && value.is_finite() {
            return Shaken(rule.value([value + value * units() * step; N]));
        }
        // What is exact, such as the larger of two, is exact here too.
        if rule.facts().ulp == 0 { Shaken(value) } else { shaken(value) }
    }
}

/// A run of a program, to be done again with other roundings.
#[derive(Clone, Copy)]
pub(crate) struct Run<'a> {
    pub(crate) program: &'a Program,
    pub(crate) arguments: &'a [Value<f64>],
    pub(crate) limits: Limits,
}

impl Run<'_> {
    /// What it gives where every operation rounds at random, by this seed; nothing if that is a fault.
    pub(crate) fn rounded(self, seed: u64) -> Option<Vec<Value<f64>>> {
        STATE.set(seed);
        let arguments: Vec<_> = self.arguments.iter().map(|value| value.map(|x| Shaken(*x))).collect();
        let results = run(self.program, &arguments, &self.limits).ok()?;
        Some(results.iter().map(|value| value.map(|x| x.0)).collect())
    }

    /// What it gives by some seeds; nothing if one of them is a fault.
    pub(crate) fn roundings(self) -> Option<Vec<Vec<Value<f64>>>> {
        (1..=ROUNDINGS).map(|seed| self.rounded(seed)).collect()
    }

    /// Whether results are what it can give where it rounds otherwise, as with sums in another order: roundings at random move what is
    /// expected about as far, or end in a fault.
    pub(crate) fn is_another_rounding(self, found: &[Value<f64>], expected: &[Value<f64>], tolerance: f64) -> bool {
        let Some(others) = self.roundings() else { return true };
        found.iter().zip(expected).enumerate().all(|(result, (found, expected))| {
            let others: Vec<&Value<f64>> = others.iter().map(|other| &other[result]).collect();
            // Where a decision depends on the rounding, sizes do.
            let depends = others.iter().any(|other| other.sizes() != expected.sizes());
            let near = |k: usize| {
                let of = |value: &Value<f64>| (value.elements()[k], value.elements()[k].real().copied());
                let ((found, x), (expected, y)) = (of(found), of(expected));
                match (x, y) {
                    (Some(x), Some(y)) => {
                        let is_same = |z: f64| z == y || z.is_nan() && y.is_nan();
                        let distance = |z: f64| if is_same(z) { 0.0 } else { (z - y).abs() };
                        let moved = others.iter().filter_map(|other| of(other).1).map(distance);
                        // One that is no number moves the result without bound.
                        let larger = |a: f64, b: f64| if b.is_nan() { f64::INFINITY } else { a.max(b) };
                        let most = moved.fold(tolerance * (1.0 + y.abs()), larger);
                        let is_within = most == f64::INFINITY || (x - y).abs() <= ROUNDINGS as f64 * most;
                        is_same(x) || is_within
                    }
                    _ => found == expected || others.iter().any(|other| of(other).0 != expected),
                }
            };
            depends || same_sizes(found, expected) && (0..expected.elements().len()).all(near)
        })
    }
}
