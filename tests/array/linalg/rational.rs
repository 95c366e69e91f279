//! Linear algebra of fractions, under the interpreter: what solves, inverts and has a determinant does so exactly, and so do its derivatives.

use std::cmp::Ordering;
use std::ops::{Add, Mul};

use catadiff::Result;
use catadiff::array::Program;
use catadiff::array::trace::{Arr, F64};
use catadiff::interpret::Value;
use catadiff::primitives::{Elementary, Primitive, Rule};
use num_traits::{One, Zero};

use super::Matrix;

/// A fraction in lowest terms, with a denominator above 0, or that is 0: of an infinity.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Fraction(i128, i128);

fn fraction(n: i128, d: i128) -> Fraction {
    let (mut a, mut b) = (n.abs(), d.abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    let scale = if d < 0 { -a } else { a };
    Fraction(n / scale, d / scale)
}

impl PartialOrd for Fraction {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        (self.0 * other.1).partial_cmp(&(other.0 * self.1))
    }
}

impl Add for Fraction {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        fraction(self.0 * other.1 + other.0 * self.1, self.1 * other.1)
    }
}

impl Mul for Fraction {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        fraction(self.0 * other.0, self.1 * other.1)
    }
}

impl Zero for Fraction {
    fn zero() -> Self {
        Fraction(0, 1)
    }
    fn is_zero(&self) -> bool {
        self.0 == 0
    }
}

impl One for Fraction {
    fn one() -> Self {
        Fraction(1, 1)
    }
}

catadiff::operators!([] Fraction, []);

impl Elementary for Fraction {
    fn constant(value: f64) -> Self {
        if value.is_infinite() {
            return Fraction(value.signum() as i128, 0);
        }
        assert!(value.fract() == 0.0, "{value} is no constant of these programs");
        Fraction(value as i128, 1)
    }

    fn primal(&self) -> Option<f64> {
        None
    }

    fn apply<R: Rule<N>, const N: usize>(rule: &R, x: [Self; N]) -> Self {
        match (rule.primitive(), &x[..]) {
            (Some(Primitive::Neg), [x]) => Fraction(-x.0, x.1),
            (Some(Primitive::Abs), [x]) => Fraction(x.0.abs(), x.1),
            (Some(Primitive::Recip), [x]) => fraction(x.1, x.0),
            (Some(Primitive::Sub), [x, y]) => *x + Fraction(-y.0, y.1),
            (Some(Primitive::Div), [x, y]) => *x * fraction(y.1, y.0),
            _ => panic!("`{}` is not a rational function", rule.name()),
        }
    }
}

fn of(sizes: &[usize], elements: impl IntoIterator<Item = Fraction>) -> Value<Fraction> {
    Value::reals(sizes, elements).unwrap()
}

/// The matrix of `1/(i + j + 1)`, with rows in an order in which pivots change places.
fn hilbert(n: usize) -> Value<Fraction> {
    let row = |i: usize| (0..n).map(move |j| Fraction(1, (n - i + j) as i128));
    of(&[n, n], (0..n).flat_map(row))
}

fn unit(n: usize) -> Value<Fraction> {
    of(&[n, n], (0..n * n).map(|k| Fraction(i128::from(k / n == k % n), 1)))
}

#[test]
fn fractions_are_solved_exactly() -> Result<()> {
    let inverse = Program::trace(|a: Matrix| (a.inverse().matmul(a), a.matmul(a.inverse())))?;
    let solve = Program::trace(|a: Matrix, b: Arr<F64>| a.matvec(a.solve(b)))?;
    for n in 1..=5 {
        assert_eq!(inverse.run(&[hilbert(n)])?, [unit(n), unit(n)]);
        let b = of(&[n], (0..n as i128).map(|k| Fraction(2 * k - 3, 7)));
        assert_eq!(solve.run(&[hilbert(n), b.clone()])?, [b]);
    }
    Ok(())
}

/// The determinant of five rows, which are reversed: 1/266716800000, by an even permutation. Its derivative is the adjugate: the determinant
/// times the inverse of the transpose.
#[test]
fn determinants_of_fractions_and_their_derivatives() -> Result<()> {
    let det = Program::trace(|a: Matrix| a.det())?;
    let of_five = [Value::real(Fraction(1, 266_716_800_000))];
    assert_eq!(det.run(&[hilbert(5)])?, of_five);
    let adjugate = Program::trace(|a: Matrix| {
        let det = a.det();
        a.inverse().transpose().map(|row| row.map(|x| x * det))
    })?;
    for n in 1..=4 {
        assert_eq!(det.grad(..)?.run(&[hilbert(n)])?, adjugate.run(&[hilbert(n)])?);
    }
    Ok(())
}

/// Reverse mode of what is solved is the product with the inverse of the transpose, by `b`, and its outer product with the solution, by `A`.
#[test]
fn derivatives_of_what_is_solved() -> Result<()> {
    let cost = Program::trace(|a: Matrix, b: Arr<F64>| {
        let x = a.solve(b);
        x.dot(x)
    })?;
    let rule = Program::trace(|a: Matrix, b: Arr<F64>| {
        let x = a.inverse().matvec(b);
        let by_b = a.inverse().transpose().matvec(x + x);
        (-by_b.outer(x), by_b)
    })?;
    for n in 1..=4 {
        let at = [hilbert(n), of(&[n], (0..n as i128).map(|k| Fraction(k + 1, 3)))];
        assert_eq!(cost.grad(..)?.run(&at)?, rule.run(&at)?);
    }
    Ok(())
}
