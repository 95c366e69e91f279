//! Products of carriers are componentwise, and their projections are homomorphisms.

use catadiff::carriers::{Both, Counted, Counter, Dual, Interval, Support};
use catadiff::primitives::Primitive;
use catadiff::{Elementary, Real};
use num_traits::{One, Zero};

#[test]
fn it_is_a_semiring_if_both_are() {
    // Integers, and integers modulo the same in a dual number.
    let number = |a: i64, v: i64, t: i64| Both { first: a, second: Dual { value: v, tangent: t } };
    let numbers = [number(2, -1, 4), number(0, 3, 0), number(-5, 0, 7), Both::zero(), Both::one()];
    let same = |a: Both<i64, Dual<i64>>, b: Both<i64, Dual<i64>>| {
        assert_eq!((a.first, a.second.value, a.second.tangent), (b.first, b.second.value, b.second.tangent));
    };
    for a in numbers {
        same(a + Both::zero(), a);
        same(a * Both::one(), a);
        same(a * Both::zero(), Both::zero());
        for b in numbers {
            same(a + b, b + a);
            same(a * b, b * a);
            for c in numbers {
                same((a + b) + c, a + (b + c));
                same((a * b) * c, a * (b * c));
                same(a * (b + c), a * b + a * c);
            }
        }
    }
    assert!(Both::<i64, i64>::zero().is_zero() && !number(0, 0, 1).is_zero());
}

#[test]
fn every_row_is_applied_to_both() {
    for row in Primitive::ALL {
        let at = |i: usize| 0.4 * row.smooth()[i].0 + 0.6 * row.smooth()[i].1;
        let x: Vec<_> = (0..row.arity()).map(|i| Both { first: at(i), second: Interval::point(at(i)) }).collect();
        let z = row.apply(&x);
        assert_eq!(z.first, row.apply(&x.iter().map(|x| x.first).collect::<Vec<_>>()), "{}", row.name());
        let alone = row.apply(&x.iter().map(|x| x.second).collect::<Vec<_>>());
        assert_eq!((z.second.lo, z.second.hi), (alone.lo, alone.hi), "{}", row.name());
        assert!(z.second.contains(z.first));
    }
}

/// Of `Copy` numbers it is `Copy`, hence `Real`; three analyses are a pair of a pair.
#[test]
fn analyses_run_together() {
    fn f<R: Real + PartialOrd<f64>>(x: R, y: R) -> R {
        if x > 0.5 { (x * y).exp() - 2.0 } else { y }
    }
    let counter = Counter::new();
    let number = |x: f64, slope: f64, bounds: Interval| Both {
        first: Both { first: Dual { value: x, tangent: slope }, second: counter.number(x) },
        second: bounds,
    };
    let z = f(number(1.0, 1.0, Interval::new(0.0, 2.0)), number(0.5, 0.0, Interval::new(0.0, 1.0)));
    assert_eq!(z.first.first.tangent, 0.5 * 0.5_f64.exp());
    assert_eq!((counter.total(), z.first.second.value), (3, 0.5_f64.exp() - 2.0));
    assert!(z.second.lo <= -1.0 && z.second.hi >= 2.0_f64.exp() - 2.0);
    assert_eq!(z.primal(), Some(0.5_f64.exp() - 2.0));
    // The first decides alone; here it differs from the second, which is undecided.
    let x = Both { first: 1.0, second: Interval::new(0.0, 2.0) };
    assert!(x > 0.5 && x == 1.0 && x < Both { first: 2.0, second: Interval::EMPTY });
    // If it has no value, that of the second is taken.
    let hidden = Both { first: Support::variable(3), second: 2.5 };
    assert_eq!((hidden.clone() * hidden).primal(), Some(6.25));
    let _: Both<Counted<'_, f64>, f64> = Both::one();
}
