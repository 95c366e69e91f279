//! The operators that a carrier of a user's own gets from `operators!`, here outside of the crate.

use catadiff::primitives::{Elementary, Rule};
use catadiff::{Real, operators};

/// A number that writes down what is done to it.
#[derive(Debug, Clone, PartialEq)]
struct Written(String);

impl core::ops::Add for Written {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Written(format!("({} + {})", self.0, other.0))
    }
}

impl core::ops::Mul for Written {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        Written(format!("({} * {})", self.0, other.0))
    }
}

impl num_traits::Zero for Written {
    fn zero() -> Self {
        Written("0".into())
    }
    fn is_zero(&self) -> bool {
        self.0 == "0"
    }
}

impl num_traits::One for Written {
    fn one() -> Self {
        Written("1".into())
    }
}

operators!([] Written, []);

impl Elementary for Written {
    fn constant(value: f64) -> Self {
        Written(value.to_string())
    }
    fn primal(&self) -> Option<f64> {
        None
    }
    fn apply<R: Rule<N>, const N: usize>(rule: &R, x: [Self; N]) -> Self {
        Written(format!("{}({})", rule.name(), x.map(|x| x.0).join(", ")))
    }
}

/// One with parameters, a bound in front and a bound behind, that is `Copy` and so `Real`.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Wrapped<'a, S>(S, core::marker::PhantomData<&'a ()>);

fn wrapped<'a, S>(value: S) -> Wrapped<'a, S> {
    Wrapped(value, core::marker::PhantomData)
}

impl<S: core::ops::Add<Output = S>> core::ops::Add for Wrapped<'_, S> {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        wrapped(self.0 + other.0)
    }
}

impl<S: core::ops::Mul<Output = S>> core::ops::Mul for Wrapped<'_, S> {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        wrapped(self.0 * other.0)
    }
}

impl<S: num_traits::Zero> num_traits::Zero for Wrapped<'_, S> {
    fn zero() -> Self {
        wrapped(S::zero())
    }
    fn is_zero(&self) -> bool {
        self.0.is_zero()
    }
}

impl<S: num_traits::One> num_traits::One for Wrapped<'_, S> {
    fn one() -> Self {
        wrapped(S::one())
    }
}

operators!(['a, S: Elementary] Wrapped<'a, S>, [S: Copy]);

impl<S: Elementary + Copy> Elementary for Wrapped<'_, S> {
    fn constant(value: f64) -> Self {
        wrapped(S::constant(value))
    }
    fn primal(&self) -> Option<f64> {
        self.0.primal()
    }
    fn apply<R: Rule<N>, const N: usize>(rule: &R, x: [Self; N]) -> Self {
        wrapped(S::apply(rule, x.map(|x| x.0)))
    }
}

#[test]
fn operators_follow_from_sums_products_and_rows() {
    let [x, y] = ["x", "y"].map(|name| Written(name.into()));
    let is = |found: Written, expected: &str| assert_eq!(found.0, expected);
    is(x.clone() - y.clone(), "sub(x, y)");
    is(x.clone() / y.clone(), "div(x, y)");
    is(-x.clone(), "neg(x)");
    is(x.clone() + 2.0, "(x + 2)");
    is(x.clone() - 2.0, "sub(x, 2)");
    is(x.clone() * 2.0, "(x * 2)");
    is(x.clone() / 2.0, "div(x, 2)");
    is(2.0 + x.clone(), "(2 + x)");
    is(2.0 - x.clone(), "sub(2, x)");
    is(2.0 * x.clone(), "(2 * x)");
    is(2.0 / x.clone(), "div(2, x)");
    let mut z = x.clone();
    z += y.clone();
    z -= 1.0;
    z *= y.clone();
    z /= 3.0;
    z += 4.0;
    z -= x.clone();
    z *= 5.0;
    z /= x.clone();
    is(z, "div((sub((div((sub((x + y), 1) * y), 3) + 4), x) * 5), x)");
    is([x.clone(), y.clone()].into_iter().sum(), "((0 + x) + y)");
    is([x, y].into_iter().product(), "((1 * x) * y)");
}

#[test]
fn a_copied_carrier_is_real() {
    fn f<R: Real>(x: R, y: R) -> R {
        let mut sum: R = [x, y, x * y].into_iter().sum();
        sum += y;
        sum /= y;
        (sum - 2.0).sin() / 3.0 - -x
    }
    assert_eq!(f(wrapped(0.7), wrapped(1.3)).0, f(0.7, 1.3));
    assert_eq!((2.0 / wrapped(8.0)).0, 0.25);
}
