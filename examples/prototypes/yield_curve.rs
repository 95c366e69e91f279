//! A yield curve from the prices of bonds (Nelson and Siegel, "Parsimonious Modeling of Yield Curves", 1987): least squares by Gauss and Newton, damped.
//! The prices are recorded once; the Jacobian of the recording is replayed in each step, by four tangents at once.

use catadiff::prelude::*;
use catadiff::typenum::U4;

/// The yield at a time.
fn rate<R: Real>(p: &[R], time: f64) -> R {
    let scaled = R::constant(time) / p[3];
    let faded = (-scaled).exp();
    let hump = (-faded + 1.0) / scaled;
    p[0] + p[1] * hump + p[2] * (hump - faded)
}

/// How far the prices of bonds of one to fifteen years are from those that are quoted.
fn errors<R: Real>(p: &[R]) -> Vec<R> {
    let discount = |time: f64| (rate(p, time) * -time).exp();
    let bond = |years: u32| {
        let (coupon, quoted) = (0.02 + 0.001 * f64::from(years), 1.0 + 0.004 * f64::from(years).sin());
        let coupons = (1..=years).map(|k| discount(f64::from(k)) * coupon).fold(R::zero(), |sum, c| sum + c);
        coupons + discount(f64::from(years)) - quoted
    };
    (1..=15).map(bond).collect()
}

pub(crate) fn run() -> catadiff::Result<Vec<f64>> {
    let mut p = vec![0.03, 0.01, 0.01, 2.0];
    let recording = record(|p| errors(p), &p)?;
    for _ in 0..40 {
        let (left, jacobian) = (recording.run(&p)?, recording.jacobian::<VectorForward<U4>>(&p)?);
        let column = |i: usize| jacobian.iter().map(move |row| row[i]);
        let product = |i: usize, j: usize| column(i).zip(column(j)).map(|(a, b)| a * b).sum::<f64>();
        let normal: Vec<f64> = (0..16).map(|k| product(k / 4, k % 4) * if k % 5 == 0 { 1.01 } else { 1.0 }).collect();
        let pulled: Vec<f64> = (0..4).map(|i| column(i).zip(&left).map(|(a, b)| a * b).sum()).collect();
        p.iter_mut().zip(solve(&normal, &pulled)?).for_each(|(p, step)| *p -= step);
    }
    Ok([recording.run(&p)?, p].concat())
}
