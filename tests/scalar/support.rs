//! Support sets against plain sets, against derivatives, and at size.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use catadiff::Elementary;
use catadiff::carriers::{Dual, Support};
use catadiff::primitives::Primitive;
use num_traits::{One, Zero};

fn variables(support: &Support) -> Vec<usize> {
    support.iter().copied().collect()
}

#[test]
fn it_is_a_semiring() {
    let [x, y, z] = [0, 1, 2].map(Support::<usize>::variable);
    let numbers = [Support::zero(), Support::one(), x.clone(), y.clone(), x.clone() * z.clone(), x + y + z];
    for a in &numbers {
        assert_eq!((a.clone() + Support::zero(), a.clone() * Support::one()), (a.clone(), a.clone()));
        assert_eq!(a.clone() * Support::zero(), Support::zero());
        for b in &numbers {
            assert_eq!(a.clone() + b.clone(), b.clone() + a.clone());
            assert_eq!(a.clone() * b.clone(), b.clone() * a.clone());
            for c in &numbers {
                let [a, b, c] = [a, b, c].map(Support::clone);
                assert_eq!((a.clone() + b.clone()) + c.clone(), a.clone() + (b.clone() + c.clone()));
                assert_eq!((a.clone() * b.clone()) * c.clone(), a.clone() * (b.clone() * c.clone()));
                assert_eq!(a.clone() * (b.clone() + c.clone()), a.clone() * b + a * c);
            }
        }
    }
}

#[test]
fn constants_and_zeros_cut_dependence() {
    let x = Support::variable(7);
    assert!((x.clone() * 0.0).is_empty() && (x.clone() * Support::zero()).is_empty() && x.clone().round().is_empty());
    assert!(
        x.clone().stop_gradient().is_empty()
            && x.clone().powi(0).is_empty()
            && x.clone().ge_indicator(x.clone()).is_empty()
    );
    assert_eq!(variables(&(x.clone() - x.clone())), [7]);
    // cos 0 is not 0.
    assert_eq!(variables(&(Support::zero().cos() * x.clone())), [7]);
    let branch = x.select(Support::variable(1), Support::variable(2));
    assert_eq!(variables(&branch), [1, 2]);
    assert!(branch.contains(&2) && !branch.contains(&7) && branch.len() == 2 && branch.primal().is_none());
}

/// A variable is not in the support of a row exactly if the derivative by it is 0 wherever it is looked at.
#[test]
fn the_support_is_that_of_the_derivative() {
    for row in Primitive::ALL.iter().copied().chain([0, 1].map(Primitive::Powi)) {
        let supports: Vec<_> = (0..row.arity()).map(Support::variable).collect();
        let support = row.apply(&supports);
        let mut felt = BTreeSet::new();
        for step in 0..40 {
            let at = |i: usize| {
                let (lo, hi) = if row == Primitive::GeIndicator { (-1.0, 1.0) } else { row.smooth()[i] };
                // Overlapping choices, so that both sides of min and max are seen; and both of select.
                let value = lo + (0.013 + 0.617 * f64::from(step) + 0.31 * i as f64) % 1.0 * (hi - lo);
                match row {
                    Primitive::Select if i == 0 && step % 2 == 0 => 0.0,
                    Primitive::Min | Primitive::Max if i == 0 && step % 2 == 0 => -value - 4.0,
                    _ => value,
                }
            };
            for i in 0..row.arity() {
                let x: Vec<_> =
                    (0..row.arity()).map(|j| Dual { value: at(j), tangent: f64::from(u8::from(i == j)) }).collect();
                if row.apply(&x).tangent != 0.0 {
                    felt.insert(i);
                }
            }
        }
        assert_eq!(variables(&support), felt.into_iter().collect::<Vec<_>>(), "{}", row.name());
    }
}

/// Random sums, products and rows, with sets kept beside them: small sets, large ones, and the border between.
#[test]
fn random_programs_agree_with_plain_sets() {
    let mut seed = 3_u64;
    let mut chance = move |n: usize| {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 33) as usize % n
    };
    for size in [4, 60, 70, 300] {
        let mut numbers: Vec<(Support, BTreeSet<usize>)> =
            (0..size).map(|v| (Support::variable(v), BTreeSet::from([v]))).collect();
        for _ in 0..600 {
            let (i, j) = (chance(numbers.len()), chance(numbers.len()));
            let ((a, p), (b, q)) = (numbers[i].clone(), numbers[j].clone());
            let both = p.union(&q).copied().collect();
            numbers.push(match chance(5) {
                0 => (a + b, both),
                1 => (a * b, both),
                2 => (a.hypot(b), both),
                3 => (a / b.clone(), both),
                _ => (a.floor().select(b, Support::one()), q),
            });
        }
        for (support, set) in &numbers {
            assert_eq!(support.len(), set.len());
            assert!(support.iter().eq(set.iter()));
            assert_eq!(*support, set.iter().fold(Support::one(), |sum, v| sum + Support::variable(*v)));
        }
    }
}

#[test]
fn many_operations_on_small_sets_cost_little() {
    let start = Instant::now();
    // A banded recurrence of 10⁶ operations: each number depends on three variables.
    let x: Vec<Support> = (0..1000).map(Support::variable).collect();
    let mut touched = 0;
    for _ in 0..100 {
        for w in x.windows(3) {
            let sum = w[0].clone() * w[1].clone() + w[2].clone().sin();
            let chain = sum.clone() * sum.clone() + sum.exp() + w[1].clone() * 2.0;
            touched += (chain.clone() - w[0].clone()).len();
        }
    }
    assert_eq!(touched, 100 * 998 * 3);
    // And a sum of 10⁵ variables, of which every partial result is kept.
    let mut sums = vec![Support::zero()];
    for v in 0..100_000 {
        sums.push(sums[v].clone() + Support::variable(v));
    }
    assert_eq!((sums[100_000].len(), sums[70].len()), (100_000, 70));
    // A long chain that changes nothing is the same set all along.
    let mut y = sums[100_000].clone();
    for v in 0..100_000 {
        y = y.clone().sin() + Support::variable(v % 7) * y;
    }
    assert_eq!(y.len(), 100_000);
    // Unshared, the sums alone would copy 5·10⁹ variables, and the chain 10¹⁰.
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
}
