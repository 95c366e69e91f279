//! All roots of a function between two numbers, each proved to be there and alone (Moore, "Interval Analysis", 1966): Newton's method on intervals.
//! A dual number of intervals bounds the function and its derivative at once; the function is the one that numbers take.

use catadiff::carriers::{Dual, Interval};
use catadiff::prelude::*;

fn chirp<R: Real>(x: R) -> R {
    (x * x).sin()
}

fn roots(x: Interval) -> Vec<Interval> {
    let over = chirp(Dual { value: x, tangent: Interval::point(1.0) });
    if !over.value.contains(0.0) {
        return vec![];
    }
    let middle = Interval::point(0.5 * (x.lo + x.hi));
    if over.tangent.contains(0.0) {
        return [roots(Interval::new(x.lo, middle.lo)), roots(Interval::new(middle.lo, x.hi))].concat();
    }
    // Every root is within, and if it is narrower on both sides, there is one.
    let newton = middle - chirp(middle) / over.tangent;
    let next = newton.intersection(x);
    if next.width() < 0.9 * x.width() { roots(next) } else { vec![next] }
}

pub(crate) fn run() -> catadiff::Result<Vec<f64>> {
    let found = roots(Interval::new(1.0, 7.1));
    assert!(found.iter().all(|root| root.width() < 1e-14));
    Ok(found.iter().map(|root| 0.5 * (root.lo + root.hi)).collect())
}
