//! Counts are right, and with them the cost of derivatives is a law that can be tested.

use catadiff::carriers::{Accumulate, Counted, Counter, Dense, Dual, Sparse};
use catadiff::{Elementary, Reverse, Semiring, Strategy};
use generic_array::typenum::{U1, U2, U4, U8};
use num_traits::{One, Zero};

#[test]
fn every_operation_counts_once() {
    let counter = Counter::new();
    let kinds = || (counter.additions(), counter.multiplications(), counter.primitives(), counter.total());
    let (x, y) = (counter.number(3.0), counter.number(4.0));
    assert_eq!(kinds(), (0, 0, 0, 0));
    let h = (x * x + y * y).sqrt();
    assert_eq!((h.value, kinds()), (5.0, (1, 2, 1, 4)));
    counter.reset();
    let mut z = (x - y) / 2.0 + 1.0;
    z *= x;
    z = -z.atan2(y) + 2.0 * z;
    assert_eq!((z > x, kinds()), (false, (2, 2, 4, 8)));
}

#[test]
fn constants_need_no_counter_and_are_free() {
    let counter = Counter::new();
    let x = counter.number(2.0);
    let two: Counted<'_, f64> = Counted::one() + Counted::one();
    let constant = two * <Counted<'_, f64> as Elementary>::constant(3.0).ln();
    assert_eq!(counter.total(), 0);
    let y = constant * x + Counted::zero();
    assert_eq!((counter.total(), y.value), (2, 4.0 * 3.0_f64.ln()));
    // Exact numbers count as well.
    let n = counter.number(5_i64);
    assert_eq!((n * n + Counted::one()).value, 26);
    assert_eq!(counter.total(), 4);
}

#[test]
fn two_counters_keep_apart() {
    let (first, second) = (Counter::new(), Counter::new());
    let _ = first.number(1.0) + second.number(2.0);
    assert_eq!((first.total(), second.total()), (1, 0));
}

/// A function of two operations per variable, one of them a row.
fn f<S: Elementary>(x: &[S]) -> S {
    x.windows(2).fold(S::one(), |sum, w| sum + w[0].clone() * w[1].clone().sin())
}

fn program(n: usize) -> u64 {
    let counter = Counter::new();
    let x: Vec<_> = (0..n).map(|i| counter.number(0.1 + i as f64)).collect();
    f(&x);
    counter.total()
}

/// The talk's table of complexities, as a law on counts.
#[test]
fn a_reverse_derivative_costs_at_most_five_programs_whatever_the_number_of_variables() {
    for n in [2, 10, 100, 1000] {
        let counter = Counter::new();
        type Number<'c> = Counted<'c, f64>;
        let x: Vec<Dual<Number<'_>, Accumulate<'_, Number<'_>>>> =
            (0..n).map(|i| Dual::variable(counter.number(0.1 + i as f64), i)).collect();
        let gradient = f(&x).tangent.abs(n);
        assert!(counter.total() <= 5 * program(n), "{} for {} with {n} variables", counter.total(), program(n));
        let expected = (1.1_f64).sin();
        assert!((gradient[0].value - expected).abs() < 1e-15);
    }
}

#[test]
fn the_tape_costs_at_most_five_programs_too() {
    let counter = Counter::new();
    let x: Vec<Counted<'_, f64>> = (0..1000).map(|i| counter.number(0.1 + f64::from(i))).collect();
    let gradient = Reverse::grad(|x| f(x), &x).expect("a gradient");
    assert!(counter.total() <= 5 * program(1000), "{} for {}", counter.total(), program(1000));
    assert!((gradient[0].value - 1.1_f64.sin()).abs() < 1e-15);
}

#[test]
fn a_forward_derivative_costs_in_proportion_to_its_directions() {
    fn cost<N: catadiff::carriers::DenseLength>(n: usize) -> u64 {
        let counter = Counter::new();
        type Tangent<'c, N> = <N as catadiff::carriers::DenseLength>::Dense<Counted<'c, f64>>;
        let x: Vec<Dual<Counted<'_, f64>, Tangent<'_, N>>> =
            (0..n).map(|i| Dual::variable(counter.number(0.1 + i as f64), i)).collect();
        // All lanes alive, so that no zero is skipped.
        let total = x.iter().fold(Dual::one(), |sum: Dual<_, _>, x| sum + *x);
        counter.reset();
        let y = total * total * total * total;
        let _ = y.value;
        counter.total()
    }
    let [one, two, four, eight] = [cost::<U1>(8), cost::<U2>(8), cost::<U4>(8), cost::<U8>(8)];
    // Three products, each with 3 operations per lane beside its own.
    assert_eq!([one, two, four, eight], [1, 2, 4, 8].map(|lanes| 3 + 9 * lanes));
}

#[test]
fn a_sparse_derivative_costs_by_its_live_variables() {
    let cost = |n: usize| {
        let counter = Counter::new();
        type Number<'c> = Dual<Counted<'c, f64>, Sparse<usize, Counted<'c, f64>>>;
        let x: Vec<Number<'_>> = (0..n).map(|i| Dual::variable(counter.number(0.1 + i as f64), i)).collect();
        let parts: Vec<_> = x.windows(2).map(|w| w[0].clone() * w[1].clone().sin()).collect();
        assert!(parts.iter().all(|part| part.tangent.len() == 2));
        counter.total() as f64 / n as f64
    };
    assert!((cost(1000) / cost(100) - 1.0).abs() < 0.05);
}

#[test]
fn the_values_are_those_underneath() {
    fn same<S: Semiring + PartialEq + core::fmt::Debug>(x: &[S], values: &[S]) {
        assert_eq!(x, values);
    }
    let counter = Counter::new();
    let plain: Vec<Dual<i64, Dense<i64, U2>>> = vec![Dual::variable(3, 0), Dual::variable(4, 1)];
    let counted: Vec<Counted<'_, _>> = plain.iter().map(|x| counter.number(*x)).collect();
    let poly = counted[0] * counted[1] + counted[0] * counted[0];
    same(&[poly.value], &[plain[0] * plain[1] + plain[0] * plain[0]]);
    assert_eq!((poly.value.tangent[0], poly.value.tangent[1]), (10, 3));
    assert_eq!(counter.total(), 3);
}
