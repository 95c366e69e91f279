//! Taylor series against known series, exact polynomials, and nested duals for every row of the table.

use catadiff::carriers::{Counter, Dual, Interval, Series, Taylor};
use catadiff::primitives::{Facts, Primitive, Rule};
use catadiff::{Elementary, Error, Real, Scalar, Semiring};
use generic_array::typenum::{U1, U2, U5, U21};
use num_traits::{One, Zero};

type Four = Dual<Dual<Dual<Dual<f64>>>>;
type Five = Taylor<f64, U5>;

fn constant<C: Elementary>(value: f64) -> C {
    <C as Elementary>::constant(value)
}

/// Orders that nobody would wait for are not asked for, either.
#[test]
fn orders_are_bounded() {
    assert_eq!(Series::variable(0.5, usize::MAX).order(), Some(Series::<f64>::HIGHEST));
    assert_eq!(
        catadiff::taylor(|t| t, 0.5, 65_536),
        Err(Error::TooLarge { what: "the order of the series", limit: 65_535 })
    );
}

/// The variable `t` at 0 of a fourfold dual, and the derivatives of what is computed from it.
fn tower() -> Four {
    fn over<S: Scalar>(value: S) -> Dual<S> {
        Dual { value, tangent: S::one() }
    }
    over(over(over(over(0.0))))
}

fn derivatives(z: &Four) -> [f64; 5] {
    let v = z.value;
    [
        v.value.value.value,
        v.value.value.tangent,
        v.value.tangent.tangent,
        v.tangent.tangent.tangent,
        z.tangent.tangent.tangent.tangent,
    ]
}

/// Every row, and more parameters of those that have one.
fn all_rows() -> impl Iterator<Item = Primitive> {
    let more = [-3, -1, 0, 1, 5].map(Primitive::Powi);
    Primitive::ALL.iter().copied().chain(more).chain([0, 1, 3].map(Primitive::Polygamma))
}

#[test]
fn every_row_agrees_with_nested_duals_to_order_four() {
    for row in all_rows() {
        for step in 0..5 {
            let at = |i: usize| {
                let (lo, hi) = row.smooth()[i];
                let share = (0.13 + 0.171 * f64::from(step) + 0.237 * i as f64) % 1.0;
                [lo + share * (hi - lo), 0.7 - 0.3 * i as f64, 0.4 + 0.5 * i as f64]
            };
            let curve = |i: usize, t: Four| {
                let [a, b, c] = at(i).map(constant::<Four>);
                a + (b + c * t) * t
            };
            let duals: Vec<Four> = (0..row.arity()).map(|i| curve(i, tower())).collect();
            let series: Vec<Five> = (0..row.arity()).map(|i| Taylor::from_coefficients(at(i))).collect();
            let expected = derivatives(&row.apply(&duals));
            let found = row.apply(&series);
            for (k, expected) in expected.into_iter().enumerate() {
                let error = (found.derivative(k) - expected).abs();
                assert!(
                    error <= 1e-9 * expected.abs() + 1e-12,
                    "{}, derivative {k} at {duals:?}: {} for {expected}",
                    row.name(),
                    found.derivative(k)
                );
            }
        }
    }
}

#[test]
fn an_argument_that_is_constant_is_not_differentiated() {
    // The derivative of x^y by y has a logarithm; with a constant y it is not asked for, nor at 0.
    let x = Series::variable(0.0, 4);
    assert_eq!(x.clone().powf(2.0).coefficients(), [0.0, 0.0, 1.0, 0.0, 0.0]);
    assert_eq!(x.clone().powf(0.0).coefficients(), [1.0, 0.0, 0.0, 0.0, 0.0]);
    assert_eq!(x.clone().powi(3).coefficients(), [0.0, 0.0, 0.0, 1.0, 0.0]);
    assert_eq!(x.clone().powi(0).coefficients(), [1.0, 0.0, 0.0, 0.0, 0.0]);
    assert_eq!(x.clone().sqrt().coefficient(1), f64::INFINITY);
    // The side not taken has no effect, be it NaN.
    let taken = constant::<Series<f64>>(1.0).select(x.clone() * 3.0, (x.clone() - 1.0).ln());
    assert_eq!(taken.coefficients(), [0.0, 3.0, 0.0, 0.0, 0.0]);
    assert_eq!(x.clone().abs().coefficient(1), 0.0);
    assert_eq!((x - 2.0).abs().coefficients(), [2.0, -1.0, 0.0, 0.0, 0.0]);
}

fn close(found: &[f64], expected: impl Fn(usize) -> f64, tolerance: f64) {
    assert_eq!(found.len(), 21);
    for (k, found) in found.iter().enumerate() {
        let expected = expected(k);
        assert!((found - expected).abs() <= tolerance * expected.abs(), "coefficient {k}: {found} for {expected}");
    }
}

fn factorial(k: usize) -> f64 {
    (1..=k).map(|j| j as f64).product()
}

#[test]
fn known_series_to_order_twenty() {
    let x = |at: f64| Taylor::<f64, U21>::variable(at);
    let sign = |k: usize| if k.is_multiple_of(2) { 1.0 } else { -1.0 };
    let odd = |k: usize, value: f64| if k % 2 == 1 { value } else { 0.0 };
    close(&x(0.0).exp().0, |k| 1.0 / factorial(k), 1e-14);
    close(&x(0.0).sin().0, |k| odd(k, sign(k / 2) / factorial(k)), 1e-14);
    close(&x(0.0).cos().0, |k| odd(k + 1, sign(k / 2) / factorial(k)), 1e-14);
    close(&x(0.0).ln_1p().0, |k| if k == 0 { 0.0 } else { -sign(k) / k as f64 }, 1e-14);
    close(&x(1.0).recip().0, sign, 1e-14);
    close(&x(0.0).atan().0, |k| odd(k, sign(k / 2) / k as f64), 1e-14);
    close(&x(0.0).atanh().0, |k| odd(k, 1.0 / k as f64), 1e-14);
    let erf = |k: usize| odd(k, sign(k / 2) * core::f64::consts::FRAC_2_SQRT_PI / (factorial(k / 2) * k as f64));
    close(&x(0.0).erf().0, erf, 1e-14);
    let binomial = |a: f64| move |k: usize| (0..k).map(|j| (a - j as f64) / (j + 1) as f64).product::<f64>();
    for a in [0.5, -0.5, 2.75, -3.0] {
        close(&x(1.0).powf(a).0, binomial(a), 1e-13);
    }
    close(&x(1.0).sqrt().0, binomial(0.5), 1e-13);
    close(&x(1.0).cbrt().0, binomial(1.0 / 3.0), 1e-13);
    close(&x(1.0).powi(-2).0, binomial(-2.0), 1e-13);
}

/// The tangent numbers by the recurrence of their triangle: polynomials in tan with `p ↦ p′·(1 + tan²)`.
#[test]
fn tan_has_the_tangent_numbers() {
    let mut p = vec![0_i128, 1];
    let mut tangent = vec![p[0]];
    for _ in 0..20 {
        let slope: Vec<i128> = p.iter().enumerate().skip(1).map(|(k, c)| k as i128 * c).collect();
        p = slope.iter().copied().chain([0, 0]).collect();
        for (k, c) in slope.into_iter().enumerate() {
            p[k + 2] += c;
        }
        tangent.push(p[0]);
    }
    assert_eq!(tangent[..8], [0, 1, 0, 2, 0, 16, 0, 272]);
    close(&Taylor::<f64, U21>::variable(0.0).tan().0, |k| tangent[k] as f64 / factorial(k), 1e-13);
    let sign = |k: usize| if k % 4 == 3 { -1.0 } else { 1.0 };
    close(&Taylor::<f64, U21>::variable(0.0).tanh().0, |k| sign(k) * tangent[k] as f64 / factorial(k), 1e-13);
}

/// Riemann's ζ by its sum, with the tail by Euler–Maclaurin.
fn zeta(s: i32) -> f64 {
    let n = 100_f64;
    let head: f64 = (1..100).rev().map(|k| f64::from(k).powi(-s)).sum();
    let s = f64::from(s);
    head + n.powf(1.0 - s) / (s - 1.0) + n.powf(-s) / 2.0 + s * n.powf(-s - 1.0) / 12.0
        - s * (s + 1.0) * (s + 2.0) * n.powf(-s - 3.0) / 720.0
}

#[test]
fn lgamma_at_one_has_the_zeta_values() {
    assert!((zeta(2) - core::f64::consts::PI.powi(2) / 6.0).abs() < 1e-12);
    let expected = |k: usize| match k {
        0 => 0.0,
        1 => -0.577_215_664_901_532_9,
        _ => zeta(k as i32) / k as f64 * if k.is_multiple_of(2) { 1.0 } else { -1.0 },
    };
    close(&Taylor::<f64, U21>::variable(1.0).lgamma().0, expected, 1e-12);
}

#[test]
fn polynomials_are_exact_over_the_integers() {
    let x = Series::variable(1_i64, 20);
    let mut power = Series::one();
    for _ in 0..20 {
        power = power * x.clone();
    }
    // (1 + t)^20 has the binomial coefficients, and derivatives 20!/(20 − k)!.
    let mut binomial = 1;
    for (k, c) in power.coefficients().iter().enumerate() {
        assert_eq!(*c, binomial);
        binomial = binomial * (20 - k as i64) / (k as i64 + 1);
    }
    assert_eq!((power.derivative(3), power.derivative(20)), (20 * 19 * 18, (1..=20).product()));
    assert_eq!(power.evaluate(&1), 1 << 20);
}

fn semiring_laws<S: Semiring>(numbers: &[S], same: impl Fn(&S, &S) -> bool) {
    for a in numbers {
        let law = |left: S, right: S, name: &str| assert!(same(&left, &right), "{name}");
        law(a.clone() + S::zero(), a.clone(), "zero is neutral");
        law(a.clone() * S::one(), a.clone(), "one is neutral");
        law(S::zero() * a.clone(), S::zero(), "zero annihilates");
        for b in numbers {
            law(a.clone() + b.clone(), b.clone() + a.clone(), "sums commute");
            law(a.clone() * b.clone(), b.clone() * a.clone(), "products commute");
            for c in numbers {
                let [a, b, c] = [a, b, c].map(S::clone);
                law((a.clone() + b.clone()) + c.clone(), a.clone() + (b.clone() + c.clone()), "sums associate");
                law((a.clone() * b.clone()) * c.clone(), a.clone() * (b.clone() * c.clone()), "products associate");
                law(a.clone() * (b.clone() + c.clone()), a.clone() * b + a * c, "products distribute");
            }
        }
    }
}

#[test]
fn both_are_semirings() {
    let lists = [vec![3, -1, 4, 1, -5], vec![0, 0, 2, 6], vec![-7, 2], vec![0, 1, 0, 0, 0]];
    let fixed = lists.clone().map(Taylor::<i64, U5>::from_coefficients);
    semiring_laws(&fixed, |a, b| a.0 == b.0);
    let mut series: Vec<_> =
        lists.into_iter().map(|list| Series::from_coefficients(list).expect("not empty")).collect();
    series.push(Series::lift(3));
    let same = |a: &Series<i64>, b: &Series<i64>| {
        // A constant 0 takes no part in orders, so those are compared where neither is one.
        (a.is_zero() && b.is_zero()) || (a.order() == b.order() && (0..6).all(|k| a.coefficient(k) == b.coefficient(k)))
    };
    semiring_laws(&series, same);
}

#[test]
fn the_order_is_the_lowest_that_takes_part() {
    let (x, y) = (Series::variable(0.5, 7), Series::variable(0.25, 3));
    assert_eq!((x.clone() * y.clone()).order(), Some(3));
    assert_eq!((x.clone() + 1.0).order(), Some(7));
    assert_eq!(x.clone().atan2(y.clone()).order(), Some(3));
    assert_eq!(constant::<Series<f64>>(2.0).sin().order(), None);
    assert_eq!(x.clone().atan2(y).coefficients().len(), 4);
    assert_eq!(x.sin().coefficients().len(), 8);
    assert_eq!(Series::variable(0.5, 0).exp().coefficients(), [0.5_f64.exp()]);
    assert_eq!(Series::<f64>::from_coefficients(vec![]), Err(Error::Empty { what: "the list of coefficients" }));
    // Orders beyond all memory are no trouble as long as nobody asks for the coefficients.
    assert_eq!((Series::variable(1_i64, usize::MAX) + Series::one()).coefficients(), [2, 1]);
}

#[test]
fn length_one_is_the_scalar_and_length_two_the_dual() {
    fn f<R: Real>(x: R) -> R {
        (x * x + 1.0).ln() / (x.sin() + 2.0) - x.atan2(x + 1.0) * 3.0
    }
    let x = 0.8;
    assert_eq!(f(Taylor::<f64, U1>::variable(x)).0[0], f(x));
    let dual = f(Dual { value: x, tangent: 1.0 });
    let two = f(Taylor::<f64, U2>::variable(x));
    assert_eq!(two[0], dual.value);
    assert!((two[1] - dual.tangent).abs() < 1e-15);
    assert!(two > 0.0 - 10.0 && two == two && two != 77.0);
}

#[test]
fn series_nest_with_other_carriers() {
    // ∂/∂a of the coefficients of exp(a·t)·sin t, and the same with the carriers exchanged.
    let inside = {
        let t: Taylor<Dual<f64>, U5> = Taylor::variable(constant(0.0));
        let a = Taylor::lift(Dual { value: 1.5, tangent: 1.0 });
        (a * t).exp() * t.sin()
    };
    let outside = {
        let t = Dual { value: Five::variable(0.0), tangent: Five::zero() };
        let a = Dual { value: Five::lift(1.5), tangent: Five::one() };
        (a * t).exp() * t.sin()
    };
    for k in 0..5 {
        assert!((inside[k].value - outside.value[k]).abs() < 1e-15);
        assert!((inside[k].tangent - outside.tangent[k]).abs() < 1e-15);
    }
    // With intervals as coefficients: an enclosure of every derivative of sin on [0, 1/2].
    let bounds = Taylor::<Interval, U5>::variable(Interval::new(0.0, 0.5)).sin();
    for x in [0.0_f64, 0.1, 0.3, 0.5] {
        for (k, derivative) in [x.sin(), x.cos(), -x.sin(), -x.cos(), x.sin()].into_iter().enumerate() {
            assert!(bounds.derivative(k).contains(derivative), "{k} {x}");
        }
    }
}

/// `xⁿ` as a user would write it, with content that distinguishes two such rules.
#[derive(Clone)]
struct Power(u32);

impl Rule<1> for Power {
    fn name(&self) -> &'static str {
        "power"
    }
    fn value(&self, [x]: [f64; 1]) -> f64 {
        x.powi(self.0 as i32)
    }
    fn partial<S: Scalar>(&self, _: usize, [x]: [S; 1], _: S) -> S {
        match self.0 {
            0 => S::zero(),
            n => S::constant(f64::from(n)) * Power(n - 1).of([x]),
        }
    }
}

/// The sine and cosine of a user, who has no table to close them.
#[derive(Clone)]
struct Sine;
#[derive(Clone)]
struct Cosine;

impl Rule<1> for Sine {
    fn name(&self) -> &'static str {
        "sine"
    }
    fn value(&self, [x]: [f64; 1]) -> f64 {
        x.sin()
    }
    fn partial<S: Scalar>(&self, _: usize, [x]: [S; 1], _: S) -> S {
        Cosine.of([x])
    }
}

impl Rule<1> for Cosine {
    fn name(&self) -> &'static str {
        "cosine"
    }
    fn value(&self, [x]: [f64; 1]) -> f64 {
        x.cos()
    }
    fn partial<S: Scalar>(&self, _: usize, [x]: [S; 1], _: S) -> S {
        -Sine.of([x])
    }
}

#[test]
fn rules_of_users_take_part() {
    assert_eq!(Sine.facts(), Facts::UNKNOWN);
    let x = Taylor::<f64, U21>::from_coefficients([0.3, 1.0, -0.5]);
    assert_eq!(Power(4).of([x]).0, x.powi(4).0);
    assert_eq!(Sine.of([x]).0, x.sin().0);
}

/// For every row doubling the order multiplies the operations by no more than about 4, as a product does, since rows
/// close on one another. Of powers with a varying exponent each order needs a new one: there it is 8.
#[test]
fn the_cost_is_polynomial_in_the_order() {
    for row in all_rows() {
        let cost = |order: usize| {
            let counter = Counter::new();
            let argument = |&(lo, hi): &(f64, f64)| {
                let value = counter.number(0.4 * lo + 0.6 * hi);
                Series::variable(value, order)
            };
            let x: Vec<_> = row.smooth().iter().map(argument).collect();
            let _ = row.apply(&x);
            counter.total()
        };
        let (short, long) = (cost(20), cost(40));
        let limit = if row == Primitive::Pow { 8 * short } else { 43 * short / 10 };
        assert!(long <= limit, "{}: {short} operations to order 20, {long} to order 40", row.name());
    }
}

#[test]
fn high_orders_need_no_stack() {
    // Each derivative of a power is a new power: 300 deep, on a stack that would not hold them.
    let deep = || {
        let y = Series::variable(1.0, 300).powf(2.5);
        let expected: f64 = (0..300).map(|j| (2.5 - f64::from(j)) / f64::from(j + 1)).product();
        assert!((y.coefficient(300) / expected - 1.0).abs() < 1e-9, "{} for {expected}", y.coefficient(300));
    };
    let thread = std::thread::Builder::new().stack_size(128 * 1024).spawn(deep).expect("a thread");
    thread.join().expect("no overflow, and the right coefficient");
}
