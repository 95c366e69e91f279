//! Intervals hold what they must hold, hold little more, and say so when an order is undecided.

use core::cmp::Ordering;

use catadiff::carriers::{Dual, Interval};
use catadiff::primitives::{Points, Primitive, Rule};
use catadiff::{Elementary, Scalar};
use num_traits::{One, Zero};

const INF: f64 = f64::INFINITY;

/// A linear congruence: enough chance for tests, the same every time.
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        self.0 >> 11
    }
    fn unit(&mut self) -> f64 {
        self.next() as f64 / (1_u64 << 53) as f64
    }
    fn between(&mut self, lo: f64, hi: f64) -> f64 {
        (lo + self.unit() * (hi - lo)).clamp(lo, hi)
    }
    /// Small and large numbers, both signs, and the numbers at which rows do something special.
    fn number(&mut self) -> f64 {
        match self.next() % 8 {
            0 => [-2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0, 3.0][(self.next() % 8) as usize],
            1 => self.between(-1e-3, 1e-3),
            2 => self.between(-1e4, 1e4),
            3 => 10_f64.powf(self.between(-300.0, 300.0)),
            _ => self.between(-5.0, 5.0),
        }
    }
    fn interval(&mut self) -> Interval {
        let (a, b) = (self.number(), self.number());
        match self.next() % 8 {
            0 => Interval::point(a),
            1 => Interval::new(a, INF),
            2 => Interval::new(-INF, a),
            3 => Interval::new(a, a.next_up().next_up()),
            4 => Interval::new(a, a + 0.1 * self.unit()),
            _ => Interval::new(a.min(b), a.max(b)),
        }
    }
    fn inside(&mut self, x: Interval) -> f64 {
        let (lo, hi) = (x.lo.max(-1e300), x.hi.min(1e300));
        match self.next() % 6 {
            0 => x.lo,
            1 => x.hi,
            2 if x.contains(0.0) => 0.0,
            3 => self.between(lo.max(-10.0).min(hi), hi.min(10.0).max(lo)),
            _ => self.between(lo, hi),
        }
    }
}

fn all_rows() -> impl Iterator<Item = Primitive> {
    let more = [-3, -2, -1, 0, 1, 3, 17].map(Primitive::Powi);
    Primitive::ALL.iter().copied().chain(more).chain([0, 1, 3].map(Primitive::Polygamma))
}

#[test]
fn every_row_includes_its_values() {
    let mut chance = Chance(1);
    for row in all_rows() {
        for _ in 0..3000 {
            let x: Vec<Interval> = (0..row.arity()).map(|_| chance.interval()).collect();
            let range = row.apply(&x);
            for _ in 0..12 {
                let at: Vec<f64> = x.iter().map(|x| chance.inside(*x)).collect();
                let value = row.apply(&at);
                // NaN: outside the domain. Infinite at a finite point: a pole, or an overflow.
                assert!(
                    range.contains(value) || !value.is_finite(),
                    "{}{:?} at {at:?} of {x:?}: {value} is not in {range}",
                    row.name(),
                    row.parameter()
                );
            }
        }
    }
}

/// Next to a pole values grow past all bounds, however small the numbers that the machine has there are.
#[test]
fn every_row_is_unbounded_next_to_its_poles() {
    let mut poles = 0;
    for row in all_rows() {
        for argument in 0..row.arity() {
            if row.facts().poles[argument] != Points::At(&[0.0]) {
                continue;
            }
            poles += 1;
            for small in [1e-300, 1.0, 1e300] {
                let mut x = vec![Interval::point(small); row.arity()];
                x[argument] = Interval::new(0.0, 1.0);
                let range = row.apply(&x);
                assert!(range.lo == -INF || range.hi == INF, "{} by {argument}: {range}", row.name());
            }
        }
    }
    assert!(poles > 4, "{poles} poles");
}

/// Real values, not machine ones: whole powers exactly, special functions from the golden table.
#[test]
fn rows_include_the_true_values() {
    for base in [1001_i128, 999, 1023, -1013] {
        for n in 1..=12 {
            let range = Interval::point(base as f64).powi(n);
            let exact = base.pow(n as u32);
            assert!(range.lo as i128 <= exact && exact <= range.hi as i128, "{base}^{n}: {range} for {exact}");
        }
    }
    let mut rows = 0;
    for line in include_str!("../data/special.csv").lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let number = |i: usize| fields[i].parse::<f64>().expect("a number");
        let row = match fields[0] {
            "polygamma" => Primitive::Polygamma(fields[1].parse().expect("an order")),
            name => Primitive::named(name, None).expect("a row"),
        };
        let range = row.apply(&[Interval::point(number(2))]);
        assert!(range.contains(number(3)), "{line}: {range}");
        rows += 1;
    }
    assert!(rows > 1000, "the table has only {rows} rows");
}

#[test]
fn every_row_is_inclusion_monotone() {
    let mut chance = Chance(2);
    for row in all_rows() {
        for _ in 0..2000 {
            let wide: Vec<Interval> = (0..row.arity()).map(|_| chance.interval()).collect();
            let narrow: Vec<Interval> = wide
                .iter()
                .map(|x| {
                    let (a, b) = (chance.inside(*x), chance.inside(*x));
                    Interval::new(a.min(b), a.max(b))
                })
                .collect();
            let (outer, inner) = (row.apply(&wide), row.apply(&narrow));
            // The values at the ends are good to a few units only, so the law is, too.
            let slack = |end: f64| f64::from(2 * row.facts().ulp) * (end.abs() * f64::EPSILON + f64::MIN_POSITIVE);
            let outer = if outer.is_empty() {
                outer
            } else {
                Interval::new(outer.lo - slack(outer.lo).min(f64::MAX), outer.hi + slack(outer.hi).min(f64::MAX))
            };
            assert!(inner.is_within(&outer), "{} of {wide:?}: {outer}, of {narrow:?}: {inner}", row.name());
        }
    }
}

/// On the stretch on which a row is smooth its range is that of many samples, and little more: no row returns
/// the whole line for want of facts.
#[test]
fn every_row_is_tight_where_it_is_smooth() {
    let mut chance = Chance(3);
    for row in all_rows() {
        for _ in 0..20 {
            let x: Vec<Interval> = row
                .smooth()
                .iter()
                .map(|&(lo, hi)| {
                    let (a, b) = (chance.between(lo, hi), chance.between(lo, hi));
                    Interval::new(a.min(b), a.max(b))
                })
                .collect();
            let mut sampled = Interval::EMPTY;
            for k in 0..3000 {
                let at: Vec<f64> = x
                    .iter()
                    .map(|x| match k % 4 {
                        _ if chance.next().is_multiple_of(2) => [x.lo, x.hi][(chance.next() % 2) as usize],
                        _ => chance.between(x.lo, x.hi),
                    })
                    .collect();
                sampled = sampled.hull(Interval::point(row.apply(&at)));
            }
            let range = row.apply(&x);
            let slack = 1e-3 * (sampled.hi - sampled.lo) + 1e-12 * sampled.hi.abs().max(sampled.lo.abs()) + 1e-300;
            assert!(
                range.lo >= sampled.lo - slack && range.hi <= sampled.hi + slack,
                "{} of {x:?}: {range}, but samples only in {sampled}",
                row.name()
            );
        }
    }
}

fn near(found: Interval, lo: f64, hi: f64) {
    let close = |a: f64, b: f64| a == b || (a - b).abs() <= 1e-14 * (1.0 + b.abs());
    assert!(close(found.lo, lo) && close(found.hi, hi), "{found} for [{lo}, {hi}]");
}

#[test]
fn turns_poles_and_jumps() {
    use core::f64::consts::{FRAC_PI_2, PI};
    let i = Interval::new;
    near(i(0.0, 2.0).sin(), 0.0, 1.0);
    near(i(4.0, 5.0).sin(), -1.0, 4.0_f64.sin());
    near(i(-100.0, 100.0).cos(), -1.0, 1.0);
    near(i(1e20, 1e20).sin(), -1.0, 1.0);
    near(i(-INF, INF).sin(), -1.0, 1.0);
    near(i(-1.0, 1.0).tan(), -(1.0_f64.tan()), 1.0_f64.tan());
    near(i(1.0, 2.0).tan(), -INF, INF);
    near(i(-2.0, 3.0).powi(2), 0.0, 9.0);
    near(i(-2.0, 3.0).powi(3), -8.0, 27.0);
    near(i(-2.0, 1.0).powi(-2), 0.25, INF);
    near(i(-2.0, 0.0).powi(-1), -INF, -0.5);
    near(i(0.0, 2.0).recip(), 0.5, INF);
    near(i(-1.0, 2.0).recip(), -INF, INF);
    assert!(i(0.0, 0.0).recip().is_empty() && (i(1.0, 2.0) / i(0.0, 0.0)).is_empty());
    near(i(1.0, 2.0) / i(0.0, 4.0), 0.25, INF);
    near(i(0.0, 2.0) / i(0.0, 4.0), 0.0, INF);
    near(i(-3.0, 2.0).abs(), 0.0, 3.0);
    near(i(-3.0, 2.0).signum(), -1.0, 1.0);
    near(i(0.0, 2.0).signum(), 0.0, 1.0);
    near(i(-3.0, 4.0).hypot(i(-1.0, 3.0)), 0.0, 5.0);
    near(i(0.0, 2.0).powf(i(-1.0, 1.0)), 0.0, INF);
    near(i(0.25, 2.0).powf(i(-1.0, 2.0)), 0.0625, 4.0);
    near(i(0.0, INF).powf(i(1.0, 2.0)), 0.0, INF);
    near(i(-1.0, 1.0).powf(i(1.0, 2.0)), -INF, INF);
    near(i(0.0, 1.0).atan2(i(-1.0, 1.0)), 0.0, PI);
    near(i(-1.0, 1.0).atan2(i(-1.0, -0.5)), -PI, PI);
    near(i(-1.0, 0.0).atan2(i(1.0, 1.0)), -PI / 4.0, 0.0);
    near(i(1.0, 2.0).atan2(i(-INF, INF)), 0.0, PI);
    near(i(-1.0, 1.0).atan2(i(0.0, 0.0)), -FRAC_PI_2, FRAC_PI_2);
    near(i(1.0, 4.0).lgamma(), -0.121_486_290_535_849_61, 6.0_f64.ln());
    near(i(0.0, 1.0).lgamma(), 0.0, INF);
    near(i(-0.5, 1.0).lgamma(), -INF, INF);
    near(i(0.0, 1.0).digamma(), -INF, -0.577_215_664_901_532_9);
    near(i(0.0, 1.0).polygamma(1), PI * PI / 6.0, INF);
    near(i(0.0, 1.0).polygamma(2), -INF, 2.0_f64.polygamma(2) - 2.0);
    near(i(0.5, 2.5).floor(), 0.0, 2.0);
    near(i(1.0, 3.0).min(i(2.0, 4.0)), 1.0, 3.0);
    near(i(1.0, 3.0).ge_indicator(i(2.0, 4.0)), 0.0, 1.0);
    near(i(3.0, 3.5).ge_indicator(i(2.0, 3.0)), 1.0, 1.0);
    let (x, y) = (i(1.0, 2.0), i(5.0, 6.0));
    near(i(0.0, 0.0).select(x, y), 5.0, 6.0);
    near(i(0.5, 1.0).select(x, y), 1.0, 2.0);
    near(i(0.0, 1.0).select(x, y), 1.0, 6.0);
    near(i(-1.0, 1.0).select(x, y), 1.0, 6.0);
}

#[test]
fn a_bounded_range_stays_bounded() {
    // Widening must not push what is positive below 0, or quotients and logarithms would lose all.
    let tiny = Interval::new(-800.0, -700.0).exp();
    assert!(tiny.lo == 0.0 && tiny.hi < 1e-300);
    assert_eq!(Interval::new(0.0, 0.0).cosh().lo, 1.0);
    assert!(Interval::new(-1.0, 1.0).tanh().is_within(&Interval::new(-1.0, 1.0)));
    let slope = Interval::new(-50.0, 50.0).cosh().recip();
    assert!(slope.lo > 0.0 && slope.hi <= 1.0 + 1e-15);
}

#[test]
fn outside_the_domain_there_is_nothing() {
    let i = Interval::new;
    assert!(i(-2.0, -1.0).ln().is_empty() && i(2.0, 3.0).asin().is_empty() && i(0.0, 0.5).acosh().is_empty());
    near(i(-2.0, 4.0).sqrt(), 0.0, 2.0);
    near(i(-2.0, 1.0).ln(), -INF, 0.0);
    near(i(0.0, 5.0).atanh(), 0.0, INF);
    let empty = <Interval as Elementary>::constant(f64::NAN);
    for nothing in [empty, empty + 1.0, empty * 0.0, empty.exp(), i(1.0, 2.0).atan2(empty), Interval::new(1.0, 0.0)] {
        assert!(nothing.is_empty() && !nothing.contains(0.0), "{nothing}");
    }
    assert_eq!((empty.to_string(), i(0.5, 2.0).to_string()), ("[empty]".into(), "[0.5, 2]".into()));
    assert!(empty.is_within(&i(0.0, 0.0)) && empty.width() == 0.0 && empty.primal().is_none());
    // As written by hand, or as a product of two that cannot be.
    let odd = Interval { lo: f64::NAN, hi: 1.0 };
    assert!((odd + 1.0).is_empty() && odd.sin().is_empty() && odd.hull(i(1.0, 2.0)).is_within(&i(1.0, 2.0)));
}

#[test]
fn sums_and_products_are_rounded_outward_and_only_when_they_must() {
    let point = Interval::point;
    // Whole numbers stay points, so the laws of a semiring hold exactly on them.
    let numbers = [-3.0, 0.0, 1.0, 7.0, 1e9].map(point);
    for a in numbers {
        assert_eq!((a + Interval::zero(), a * Interval::one()), (a, a));
        assert_eq!(a * Interval::zero(), Interval::zero());
        for b in numbers {
            assert_eq!((a + b, a * b), (b + a, b * a));
            for c in [-2.0, 5.0].map(point) {
                assert_eq!((a + b) + c, a + (b + c));
                assert_eq!((a * b) * c, a * (b * c));
                assert_eq!(a * (b + c), a * b + a * c);
            }
        }
    }
    let sum = point(0.1) + point(0.2);
    assert!(sum.lo.next_up() == sum.hi && sum.width() > 0.0 && sum.width() < 1e-16);
    let product = point(0.1) * point(0.1);
    assert!(product.lo.next_up() == product.hi);
    // At the far ends.
    let overflow = point(1e308) + point(1e308);
    assert_eq!((overflow.lo, overflow.hi), (f64::MAX, INF));
    let overflow = point(-1e200) * point(1e200);
    assert_eq!((overflow.lo, overflow.hi), (-INF, f64::MIN));
    let underflow = point(1e-200) * point(1e-200);
    assert_eq!((underflow.lo, underflow.hi), (0.0, 5e-324));
    near(Interval::WHOLE * Interval::zero(), 0.0, 0.0);
    near(Interval::WHOLE + Interval::WHOLE, -INF, INF);
}

/// Against exact sums and products of whole numbers scaled down, which fit in 128 bits.
#[test]
fn sums_and_products_include_the_exact_ones() {
    let mut chance = Chance(4);
    let scale = |bits: i32| 2_f64.powi(-bits);
    for _ in 0..20_000 {
        let (a, b) = (chance.next() as i128 - (1 << 52), (chance.next() as i128 - (1 << 52)) >> (chance.next() % 50));
        let [x, y] = [a, b].map(|n| Interval::point(n as f64));
        let shift = (chance.next() % 40) as i32;
        let y = y * scale(shift);
        // x + y in units of 2^-shift, x·y likewise.
        let (sum, product) = ((a << shift) + b, a * b);
        for (found, exact) in [(x + y, sum), (x * y, product)] {
            // Every machine number of 53 bits is a whole number of units here or far from the exact result.
            let unit = |end: f64| end * 2_f64.powi(shift);
            let (lo, hi) = (unit(found.lo).floor() as i128, unit(found.hi).ceil() as i128);
            assert!(lo <= exact && exact <= hi, "{found} misses {exact}");
            let steps = (found.lo == found.hi) || found.lo.next_up() == found.hi;
            assert!(steps, "{found} is wider than one step");
        }
    }
}

#[test]
fn comparisons_say_what_is_certain() {
    let (low, mid, high) = (Interval::new(0.0, 1.0), Interval::new(0.5, 2.0), Interval::new(3.0, 4.0));
    assert!(low < high && high > mid && low < 1.5 && high > 2.0 && mid != high);
    assert_eq!((low.partial_cmp(&mid), low.partial_cmp(&low), mid.partial_cmp(&1.0)), (None, None, None));
    assert_eq!([low < mid, low >= mid, low == low], [false; 3]);
    assert_eq!(Interval::point(1.0).partial_cmp(&1.0), Some(Ordering::Equal));
    assert!(Interval::point(1.0) == 1.0 && Interval::point(1.0) == Interval::one());
    assert_eq!(Interval::EMPTY.partial_cmp(&low), None);
    assert_eq!((Interval::point(2.0).primal(), low.primal()), (Some(2.0), None));
}

#[test]
fn derivatives_are_enclosed() {
    // The mean value theorem: all difference quotients lie in the range of the derivative.
    fn f<S: Scalar>(x: S) -> S {
        (x * x).sin() * x.exp() + S::constant(2.0) / (x + S::constant(3.0)).sqrt()
    }
    let x = Interval::new(-1.0, 1.5);
    let slopes = f(Dual { value: x, tangent: Interval::one() }).tangent;
    let mut chance = Chance(5);
    for _ in 0..500 {
        let (a, b) = (chance.inside(x), chance.inside(x));
        if (a - b).abs() > 1e-3 {
            assert!(slopes.contains((f(a) - f(b)) / (a - b)));
        }
    }
}

/// Rules that state no facts, or have more arguments than facts can be stated for.
#[derive(Clone)]
struct Unknown;

impl<const N: usize> Rule<N> for Unknown {
    fn name(&self) -> &'static str {
        "unknown"
    }
    fn value(&self, x: [f64; N]) -> f64 {
        x.iter().sum()
    }
    fn partial<S: Scalar>(&self, _: usize, _: [S; N], _: S) -> S {
        S::one()
    }
}

#[test]
fn without_facts_the_answer_is_the_whole_line() {
    let x = Interval::point(1.0);
    near(Unknown.of([x]), -INF, INF);
    near(Unknown.of([x; 5]), -INF, INF);
    assert!(Unknown.of([x, Interval::EMPTY]).is_empty());
}

#[test]
fn points_of_a_series_are_found_or_given_up() {
    let found = |points: Points, lo: f64, hi: f64| {
        let mut list = Vec::new();
        points.within(lo, hi, 8, |p| list.push(p)).then_some(list)
    };
    let every = Points::Every { first: 0.5, period: 1.0 };
    assert_eq!(found(every, 0.0, 3.0), Some(vec![0.5, 1.5, 2.5]));
    assert_eq!((found(every, -100.0, 100.0), found(every, -INF, 0.0), found(every, 1e18, 1e18)), (None, None, None));
    assert_eq!(found(Points::At(&[1.0, 2.0]), 1.0, 1.5), Some(vec![1.0]));
}

/// Of intervals between a few whole numbers: one is within another if all numbers of the one are of the other.
#[test]
fn what_is_within_has_no_number_outside() {
    let ends = || (-2..=2).map(f64::from);
    let intervals: Vec<Interval> = ends().flat_map(|lo| ends().map(move |hi| Interval::new(lo, hi))).collect();
    for a in &intervals {
        for b in &intervals {
            let holds = ends().all(|x| !a.contains(x) || b.contains(x));
            assert_eq!(a.is_within(b), holds, "{a} and {b}");
        }
    }
}

/// However small, and however large: the ends are not further out than they have to be.
#[test]
fn products_and_sums_that_no_machine_number_is_keep_their_sign_and_are_finite() {
    let point = Interval::point;
    for tiny in [1e-200, 1e-160, 5e-324] {
        let (same, other) = (point(tiny) * point(tiny), point(-tiny) * point(tiny));
        assert!(same.lo >= 0.0 && same.hi > 0.0 && same.hi < 1e-300, "{same}");
        assert!(other.hi <= 0.0 && other.lo < 0.0 && other.lo > -1e-300, "{other}");
    }
    let sum = point(f64::MAX) + point(f64::MAX);
    assert!(sum.lo == f64::MAX && sum.hi == f64::INFINITY, "{sum}");
    let product = point(-1e200) * point(1e200);
    assert!(product.lo == f64::NEG_INFINITY && product.hi == -f64::MAX, "{product}");
}
