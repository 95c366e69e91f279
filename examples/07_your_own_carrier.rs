//! A carrier of your own: physical units that follow every operation, and derivatives that have units too.
//!
//! `Quantity` gives numbers a new meaning, number with unit, and every generic function and every mode of
//! differentiation understands it at once. The laws of `catadiff-laws` certify it, exactly, on integers; and they
//! find what is wrong with a version that looks just as good.

use std::fmt;
use std::ops::{Add, Mul};

use catadiff::prelude::*;
use catadiff::primitives::Primitive;
use catadiff_laws::{Bound, exact, module, semiring};
use quickcheck::{Arbitrary, Gen};

/// The exponents of metre, kilogram and second, modulo 256, so that no power breaks the laws.
type Unit = [i8; 3];
const NONE: Unit = [0; 3];

/// A number with a unit.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
enum Quantity<S> {
    /// The constant 0, which has every unit: a sum needs somewhere to start.
    Nothing,
    /// A number of a unit; this may be 0 metres, which is no number of seconds.
    Of(S, Unit),
    /// Metres added to seconds.
    Mismatch,
}

impl<S: Add<Output = S>> Add for Quantity<S> {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        match (self, other) {
            (Quantity::Nothing, x) | (x, Quantity::Nothing) => x,
            (Quantity::Of(a, u), Quantity::Of(b, v)) if u == v => Quantity::Of(a + b, u),
            _ => Quantity::Mismatch,
        }
    }
}

impl<S: Mul<Output = S>> Mul for Quantity<S> {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        match (self, other) {
            (Quantity::Nothing, _) | (_, Quantity::Nothing) => Quantity::Nothing,
            (Quantity::Of(a, u), Quantity::Of(b, v)) => {
                Quantity::Of(a * b, std::array::from_fn(|i| u[i].wrapping_add(v[i])))
            }
            _ => Quantity::Mismatch,
        }
    }
}

impl<S: Add<Output = S>> Zero for Quantity<S> {
    fn zero() -> Self {
        Quantity::Nothing
    }
    fn is_zero(&self) -> bool {
        matches!(self, Quantity::Nothing)
    }
}

impl<S: One> One for Quantity<S> {
    fn one() -> Self {
        Quantity::Of(S::one(), NONE)
    }
}

// Minus, division, assignment, sums, products and literals follow from `+`, `×` and `apply` below.
catadiff::operators!([] Quantity<f64>, []);

impl Elementary for Quantity<f64> {
    fn constant(value: f64) -> Self {
        if value == 0.0 { Quantity::Nothing } else { Quantity::Of(value, NONE) }
    }

    fn primal(&self) -> Option<f64> {
        match self {
            Quantity::Nothing => Some(0.0),
            Quantity::Of(value, _) => Some(*value),
            Quantity::Mismatch => None,
        }
    }

    /// All functions of the library, and users' own: the value as ever, with the unit that the function gives it.
    fn apply<R: Rule<N>, const N: usize>(rule: &R, x: [Self; N]) -> Self {
        let unit = |i: usize| if let Quantity::Of(_, unit) = x[i] { unit } else { NONE };
        let unit = match rule.primitive() {
            Some(Primitive::Sub) => return x[0] + -x[1],
            Some(Primitive::Div) => return x[0] * x[1].recip(),
            Some(Primitive::Neg) => Some(unit(0)),
            Some(Primitive::Recip) => Some(unit(0).map(i8::wrapping_neg)),
            Some(Primitive::Powi(n)) => Some(unit(0).map(|e| e.wrapping_mul(n as i8))),
            Some(Primitive::Sqrt) => unit(0).iter().all(|e| e % 2 == 0).then(|| unit(0).map(|e| e / 2)),
            // The others are series of all powers, such as exp and sin: they take plain numbers only.
            _ => (0..N).all(|i| unit(i) == NONE).then_some(NONE),
        };
        let values: Option<Vec<f64>> = x.iter().map(Self::primal).collect();
        let (Some(unit), Some(values)) = (unit, values) else { return Quantity::Mismatch };
        let value = rule.value(std::array::from_fn(|i| values[i]));
        if x.iter().all(Self::is_zero) { Self::constant(value) } else { Quantity::Of(value, unit) }
    }
}

impl<S: fmt::Display> fmt::Display for Quantity<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Quantity::Nothing => write!(f, "0"),
            Quantity::Mismatch => write!(f, "mismatch of units"),
            Quantity::Of(value, unit) => {
                value.fmt(f)?;
                ["m", "kg", "s"].iter().zip(unit).filter(|(_, e)| **e != 0).try_for_each(|(name, e)| match e {
                    1 => write!(f, " {name}"),
                    e => write!(f, " {name}^{e}"),
                })
            }
        }
    }
}

const METRE: Unit = [1, 0, 0];
const KILOGRAM: Unit = [0, 1, 0];
const SPEED: Unit = [1, 0, -1];
const ACCELERATION: Unit = [1, 0, -2];

/// The energy of a body of mass `m` at speed `v` and height `h`, under the gravity `g`.
fn energy<R: Real>(g: R, [m, v, h]: [R; 3]) -> R {
    m * v.powi(2) / 2.0 + m * g * h
}

/// The laws are checked at small integers in few units, where sums meet and cancel often.
impl Arbitrary for Quantity<i64> {
    fn arbitrary(g: &mut Gen) -> Self {
        let units = [NONE, METRE, KILOGRAM];
        match u8::arbitrary(g) % 16 {
            0 => Quantity::Nothing,
            1 => Quantity::Mismatch,
            k => Quantity::Of(i64::from(i8::arbitrary(g) % 3), units[usize::from(k) % 3]),
        }
    }
}

/// The same with a shortcut that seems sensible: 0 metres are nothing.
#[derive(Debug, Clone, PartialEq)]
struct Shortcut(Quantity<i64>);

impl Add for Shortcut {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        match self.0 + other.0 {
            Quantity::Of(0, _) => Shortcut(Quantity::Nothing),
            sum => Shortcut(sum),
        }
    }
}

impl Mul for Shortcut {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        Shortcut(self.0 * other.0)
    }
}

impl Zero for Shortcut {
    fn zero() -> Self {
        Shortcut(Zero::zero())
    }
    fn is_zero(&self) -> bool {
        self.0.is_zero()
    }
}

impl One for Shortcut {
    fn one() -> Self {
        Shortcut(One::one())
    }
}

impl Arbitrary for Shortcut {
    fn arbitrary(g: &mut Gen) -> Self {
        // No 0 metres to begin with: they would be an easy catch.
        let sum: Quantity<i64> = Quantity::arbitrary(g);
        Shortcut(sum) + Shortcut(Quantity::Nothing)
    }
}

exact! { Quantity<i64>, Shortcut }

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let g = Quantity::Of(9.81, ACCELERATION);
    let body = [Quantity::Of(80.0, KILOGRAM), Quantity::Of(5.0, SPEED), Quantity::Of(100.0, METRE)];
    println!("energy                  {}", energy(g, body));

    // On a tape of quantities: every derivative comes with its unit, and with a mismatch nowhere on the way.
    let gradient = grad(|x| energy(Reverse::lift(g), [x[0], x[1], x[2]]), &body)?;
    for (name, slope) in
        ["by mass               ", "by speed, the momentum", "by height, the weight "].iter().zip(&gradient)
    {
        println!("{name}  {slope}");
    }
    let [by_mass, momentum, weight] = [[2, 0, -2], [1, 1, -1], [1, 1, -2]];
    let expected = [(993.5, by_mass), (80.0 * 5.0, momentum), (80.0 * 9.81, weight)];
    assert_eq!(gradient, expected.map(|(value, unit)| Quantity::Of(value, unit)));
    assert_eq!(gradient, Forward::grad(|x| energy(Forward::lift(g), [x[0], x[1], x[2]]), &body)?);

    // Newton's method, in units: how long does a fall take? The step is metres over metres per second.
    let mut time = Quantity::Of(1.0, [0, 0, 1]);
    for _ in 0..8 {
        let (distance, speed) = value_and_diff(|t| Forward::lift(g) * t * t / 2.0 - Forward::lift(body[2]), time)?;
        time -= distance / speed;
    }
    println!("the fall takes          {time}");
    let root = (body[2] * 2.0 / g).sqrt();
    for t in [time, root] {
        assert!(matches!(t, Quantity::Of(t, [0, 0, 1]) if (t - (200.0_f64 / 9.81).sqrt()).abs() < 1e-12));
    }

    // A formula that forgets a square is found out by running it, and so is the sine of a length.
    let [m, v, h] = body;
    assert_eq!([m * v / 2.0 + m * g * h, h.sin()], [Quantity::Mismatch; 2]);

    semiring::check::<Quantity<i64>, Quantity<i64>>(Bound::EXACT)?;
    semiring::check_commutative::<Quantity<i64>, Quantity<i64>>(Bound::EXACT)?;
    module::check::<Quantity<i64>, Quantity<i64>, Quantity<i64>, Quantity<i64>>(Bound::EXACT)?;
    println!("\nthe laws hold: quantities are a commutative semiring, and tangents");

    let violation = semiring::check::<Shortcut, Shortcut>(Bound::EXACT).expect_err("0 metres are something");
    println!("\nand of the shortcut they say:\n{violation}");
    assert!(violation.law.contains("associates"));
    Ok(())
}
