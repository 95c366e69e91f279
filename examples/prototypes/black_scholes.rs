//! Sensitivities of an option's price to third order (Black and Scholes, 1973). One series in each of a few directions has them all: mixed
//! derivatives are interpolated from those along lines (Griewank, Utke and Walther, "Evaluating Higher Derivative Tensors by Forward Propagation
//! of Univariate Taylor Series", 2000).

use catadiff::prelude::*;

const STRIKE: f64 = 100.0;
const RATE: f64 = 0.03;

/// The price of a call by the price of the share, its volatility and the time that is left.
fn call<R: Real>(x: &[R]) -> R {
    let (spot, volatility, time) = (x[0], x[1], x[2]);
    let deviation = volatility * time.sqrt();
    let upper = ((spot / STRIKE).ln() + (volatility * volatility / 2.0 + RATE) * time) / deviation;
    let probability = |d: R| (-d / 2.0_f64.sqrt()).erfc() / 2.0;
    spot * probability(upper) - (time * -RATE).exp() * probability(upper - deviation) * STRIKE
}

pub(crate) fn run() -> catadiff::Result<Vec<f64>> {
    let at = [105.0, 0.25, 0.75];
    let (price, first) = value_and_grad(|x| call(x), &at)?; // delta, vega, theta
    let second = hessian(|x| call(x), &at)?; // gamma, vanna, volga, charm
    let third = |along: [f64; 3]| Ok(6.0 * taylor_along(|x| vec![call(x)], &at, &along, 3)?[0][3]);
    let (speed, ultima) = (third([1.0, 0.0, 0.0])?, third([0.0, 1.0, 0.0])?);
    let (sum, difference) = (third([1.0, 1.0, 0.0])?, third([1.0, -1.0, 0.0])?);
    // By the price twice and the volatility once, and the other way round.
    let (zomma, dvanna) = ((sum - difference - 2.0 * ultima) / 6.0, (sum + difference - 2.0 * speed) / 6.0);
    Ok([vec![price], first, second.concat(), vec![speed, zomma, dvanna, ultima]].concat())
}
